//! Configurations of a robot that were checked as a scene: what meets in each, and how near the nearest come.

use clearance_check::Error;
use clearance_check::output::{count, thousands};
use clearance_robot::Checker;

use crate::of_robot::{self, Frame, Sides, UNIT};
use crate::sentence::{apart, in_common, with_unit};
use crate::{Proved, Scene, SceneFinding, SceneKind};

/// So many configurations are on a page at most, those that meet something first.
const FRAMES: usize = 500;
/// Of so many pairs that meet it is shown where their surfaces do, and what they have in common; of others a common
/// point.
const PLACES: usize = 64;

/// A configuration of a robot that was checked, and what was found in it. Pairs are those of the checker, by number.
///
/// ```
/// use clearance_robot::{CheckOptions, Checker, LoadOptions, Robot};
/// use clearance_view::{CheckedConfiguration, Scene};
/// let ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
/// let text = format!(
///     "<robot name='r'><link name='a'>{ball}</link><link name='b'>{ball}</link><joint name='slide' type='prismatic'>
///      <parent link='a'/><child link='b'/><limit lower='0' upper='9'/></joint></robot>");
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default())?;
/// let checker = Checker::new(robot, CheckOptions::default())?;
/// let (q, mut state) = (vec![1.0], checker.state());
/// let hits = checker.hits(&mut state, &q)?;
/// let checked = CheckedConfiguration { q, hits, ..CheckedConfiguration::default() };
/// let scene = Scene::of_robot_check(&checker, &[checked])?;
/// assert_eq!((scene.verdict.as_str(), scene.findings.len()), ("0 of 1 configuration free", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CheckedConfiguration {
    /// The values of all variables.
    pub q: Vec<f64>,
    /// The pairs that meet, padding included.
    pub hits: Vec<usize>,
    /// The names of variables beyond their limits.
    pub beyond_limits: Vec<String>,
    /// The nearest two links, and how far apart they are, less the padding.
    pub nearest_itself: Option<(usize, Proved)>,
    /// The link and the object of the world that are nearest, and how far apart they are, less the padding.
    pub nearest_world: Option<(usize, Proved)>,
}

impl CheckedConfiguration {
    /// Whether nothing meets.
    pub fn is_free(&self) -> bool {
        self.hits.is_empty()
    }
}

impl Scene {
    /// Configurations as frames, and what was found in each: what meets first, then the gaps of those that are free,
    /// the least first.
    ///
    /// # Errors
    /// [`Error::Robot`] if a configuration or a pair is not one of this robot.
    pub fn of_robot_check(checker: &Checker, all: &[CheckedConfiguration]) -> Result<Scene, Error> {
        let mut shown: Vec<usize> = (0..all.len()).collect();
        shown.sort_by_key(|&number| all[number].is_free());
        shown.truncate(FRAMES);
        shown.sort_unstable();
        let frame = |&number: &usize| Frame { time: number as f64, q: all[number].q.clone() };
        let mut scene = of_robot::scene(checker, "configuration", &shown.iter().map(frame).collect::<Vec<_>>())?;
        let mut state = checker.state();
        let (mut meeting, mut gaps) = (Vec::new(), Vec::new());
        for (frame, &number) in shown.iter().enumerate() {
            let checked = &all[number];
            let mut about = |id: String, pair: usize| {
                let sides = Sides::of(checker, &mut state, &checked.q, pair)?;
                let mut details = vec![of_robot::configuration(checker, &checked.q)];
                if !checked.beyond_limits.is_empty() {
                    details.push(("beyond limits".into(), checked.beyond_limits.join(", ")));
                }
                let group = format!("configuration {number}");
                let new = SceneFinding::new(id, SceneKind::Hard, sides.parts[0], sides.parts[1]);
                Ok::<_, Error>((SceneFinding { group, frame: Some(frame), details, ..new }, sides))
            };
            for &pair in &checked.hits {
                let (finding, sides) = about(format!("{number}-{pair}"), pair)?;
                meeting.push(of_hit(finding, &sides, checker.pairs()[pair].padding, meeting.len() < PLACES));
            }
            let nearest =
                [("itself", "of the links", checked.nearest_itself), ("world", "to the world", checked.nearest_world)];
            for (id, against, gap) in nearest.into_iter().filter(|_| checked.is_free()) {
                let Some((pair, bracket)) = gap else { continue };
                let (finding, sides) = about(format!("{number}-{id}"), pair)?;
                let points = Some(sides.nearest().1);
                let sentence = format!("least gap {against}: {}", apart(bracket, UNIT));
                gaps.push(SceneFinding { kind: SceneKind::Measured, sentence, points, gap: Some(bracket), ..finding });
            }
        }
        let least = |finding: &SceneFinding| finding.gap.map_or(f64::INFINITY, |gap| gap.value);
        gaps.sort_by(|p, q| least(p).total_cmp(&least(q)));
        if shown.len() < all.len() {
            let (some, all) = (thousands(shown.len() as u64), thousands(all.len() as u64));
            scene.notes.push(format!(
                "{some} of {all} configurations are in this page, those that meet something first; --json has all."
            ));
        }
        if meeting.len() > PLACES {
            scene
                .notes
                .push(format!("Contact loops and what is common are drawn of the first {PLACES} pairs that meet."));
        }
        scene.findings = meeting.into_iter().chain(gaps).collect();
        let free = all.iter().filter(|checked| checked.is_free()).count();
        scene.verdict = format!("{} of {} free", free, count(all.len() as u64, "configuration"));
        scene.summary = vec![format!("{} of bodies checked", count(checker.pairs().len() as u64, "pair"))];
        Ok(scene)
    }
}

/// A pair that meets, or whose padding does.
fn of_hit(finding: SceneFinding, sides: &Sides<'_>, padding: f64, with_places: bool) -> SceneFinding {
    let (nearest, points) = sides.nearest();
    let finding = SceneFinding { points: Some(points), sentence: "they meet".into(), ..finding };
    if nearest.gap.lower > 0.0 {
        let gap = Proved::new(nearest.gap.value, nearest.gap.lower, nearest.gap.upper);
        let sentence = format!("{}; the padding is {}", apart(gap, UNIT), with_unit(padding, UNIT));
        return SceneFinding { kind: SceneKind::Clearance, sentence, gap: Some(gap), ..finding };
    }
    if !with_places {
        return finding;
    }
    let finding = finding.with_places((sides.shapes[0], &sides.poses[0]), (sides.shapes[1], &sides.poses[1]));
    let volume = finding.volume.filter(|volume| volume.upper > 0.0);
    let volume = volume.map_or_else(String::new, |volume| format!("; {}", in_common(volume, UNIT)));
    SceneFinding { sentence: format!("they meet{volume}"), ..finding }
}
