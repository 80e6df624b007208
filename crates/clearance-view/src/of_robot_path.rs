//! A robot on its way as a scene: the motion in frames, one of them in the bracket of the first impact, or where the
//! gap is least.

use clearance_check::Error;
use clearance_check::output::{count, short};
use clearance_robot::{Checker, MotionClearance, MotionImpact, PathSweep, PlacedBody};

use crate::of_robot::{Frame, Sides, UNIT, configuration, names, scene};
use crate::sentence::{apart, proved};
use crate::{Proved, Scene, SceneFinding, SceneKind};

/// The frames of a page besides that of the impact or the least clearance.
const FRAMES: u32 = 60;

/// A trajectory of a robot: configurations, and when it is there; between two of them every joint moves in a straight
/// line.
///
/// ```
/// use clearance_view::{RobotPath, Scene}; use clearance_robot::{CheckOptions, Checker, LoadOptions, Robot,
/// SweepOptions}; let part = |name| format!("<link name='{name}'><collision><geometry><sphere
/// radius='1'/></geometry></collision></link>"); let text = format!(
///     "<robot name='r'>{}{}<joint name='slide' type='prismatic'><parent link='a'/><child link='b'/>
///      <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default())?;
/// let checker = Checker::new(robot, CheckOptions::default())?;
/// let (points, times) = ([vec![8.0], vec![4.0], vec![0.0]], [10.0, 11.0, 15.0]);
/// let swept = checker.sweep_path(&mut checker.state(), &points, Some(&times), &SweepOptions::default())?;
/// let path = RobotPath::new(&checker, &points, &times)?;
/// assert_eq!(path.at(13.0), [2.0]);
/// let scene = Scene::of_robot_path(&path, &swept)?;
/// assert_eq!((scene.parts.len(), scene.findings.len()), (2, 1));
/// assert_eq!(scene.verdict, "a and b meet first, at t = 13");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RobotPath<'c> {
    checker: &'c Checker,
    points: &'c [Vec<f64>],
    times: &'c [f64],
}

impl<'c> RobotPath<'c> {
    /// # Errors
    /// [`Error::Usage`] unless there are two configurations or more, and as many times, which increase.
    pub fn new(checker: &'c Checker, points: &'c [Vec<f64>], times: &'c [f64]) -> Result<RobotPath<'c>, Error> {
        if points.len() < 2 || times.len() != points.len() || !times.windows(2).all(|pair| pair[0] < pair[1]) {
            let problem = format!("{} configurations and {} times", points.len(), times.len());
            return Err(Error::Usage(format!("{problem}: at least two are meant, with times that increase")));
        }
        Ok(RobotPath { checker, points, times })
    }

    /// The configuration at a time, as a sweep has it. Before the first and after the last it rests.
    pub fn at(&self, time: f64) -> Vec<f64> {
        let last = self.times.len() - 1;
        let time = time.clamp(self.times[0], self.times[last]);
        let piece = self.times.partition_point(|&known| known <= time).clamp(1, last);
        let (from, to) = (&self.points[piece - 1], &self.points[piece]);
        let part = (time - self.times[piece - 1]) / (self.times[piece] - self.times[piece - 1]);
        from.iter().zip(to).map(|(from, to)| from + part * (to - from)).collect()
    }

    /// All bodies of the checker where they are at a time.
    ///
    /// # Errors
    /// [`Error::Robot`] for a configuration that is none.
    pub fn bodies(&self, time: f64) -> Result<Vec<PlacedBody<'c>>, Error> {
        self.checker.placed_bodies(&mut self.checker.state(), &self.at(time)).map_err(Error::from)
    }

    /// What bodies are called, with a number where a link has several.
    pub fn names(&self, bodies: &[PlacedBody<'_>]) -> Vec<String> {
        names(self.checker, bodies)
    }

    /// Times from the first to the last, all alike far apart, and one more.
    pub fn frames(&self, one_more: Option<f64>) -> Vec<f64> {
        let (start, end) = (self.times[0], self.times[self.times.len() - 1]);
        let even = (0..=FRAMES).map(|k| (start + f64::from(k) / f64::from(FRAMES) * (end - start)).min(end));
        let mut times: Vec<f64> = even.chain(one_more).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// The first impact or the least clearance as a finding about two bodies, and the time at which it is shown. `None`
    /// where nothing meets and no clearance was asked for.
    ///
    /// # Errors
    /// [`Error::Robot`] if the motion is not one of this robot.
    pub fn finding(
        &self,
        impact: Option<&MotionImpact>,
        clearance: Option<&MotionClearance>,
    ) -> Result<Option<(f64, SceneFinding)>, Error> {
        let (time, pair, mut finding) = match (impact, clearance) {
            (Some(impact), _) => (0.5 * (impact.lower + impact.upper), impact.pair, of_impact(impact)),
            (None, Some(clearance)) => (clearance.at, clearance.pair, of_clearance(clearance)),
            (None, None) => return Ok(None),
        };
        let q = self.at(time);
        let sides = Sides::of(self.checker, &mut self.checker.state(), &q, pair)?;
        finding.details.push(configuration(self.checker, &q));
        let points = finding.points.unwrap_or_else(|| sides.nearest().1);
        let [a, b] = sides.parts;
        Ok(Some((time, SceneFinding { a, b, points: Some(points), ..finding })))
    }

    /// The whole in a sentence.
    pub fn verdict(&self, impact: Option<&MotionImpact>, clearance: Option<&MotionClearance>) -> String {
        match (impact, clearance) {
            (Some(MotionImpact { pair, lower, met, .. }), _) => {
                let pair = &self.checker.pairs()[*pair];
                let (a, b, t) = (self.checker.name(pair.a), self.checker.name(pair.b), short(*lower));
                match met {
                    true => format!("{a} and {b} meet first, at t = {t}"),
                    false => format!("free until t = {t}, when {a} and {b} come nearer than the resolution tells"),
                }
            }
            (None, Some(clearance)) => {
                format!("free, proved for all times; never nearer than {} m", short(clearance.lower))
            }
            (None, None) => "free, proved for all times".into(),
        }
    }

    /// What has to be known about the picture: nothing is said of what comes after an impact.
    pub fn note(&self, impact: Option<&MotionImpact>) -> Option<String> {
        let note = "The robot is shown to the end of its way; after the first impact nothing was checked.";
        impact.map(|_| note.to_owned())
    }
}

impl Scene {
    /// A robot on its way, and what was found out about it. See [`RobotPath`] for an example.
    ///
    /// # Errors
    /// [`Error::Robot`] if the motion is not one of this robot.
    pub fn of_robot_path(path: &RobotPath<'_>, swept: &PathSweep) -> Result<Scene, Error> {
        let (impact, clearance) = (swept.impact.as_ref(), swept.clearance.as_ref());
        let found = path.finding(impact, clearance)?;
        let times = path.frames(found.as_ref().map(|(time, _)| *time));
        let frames: Vec<Frame> = times.iter().map(|&time| Frame { time, q: path.at(time) }).collect();
        let mut scene = scene(path.checker, "t =", &frames)?;
        if let Some((time, finding)) = found {
            let frame = Some(times.partition_point(|&other| other < time));
            scene.findings.push(SceneFinding { frame, ..finding });
        }
        scene.verdict = path.verdict(impact, clearance);
        scene.summary = vec![
            format!("{} configurations, joints in straight lines between them", path.points.len()),
            format!("{} of bodies checked", count(path.checker.pairs().len() as u64, "pair")),
            format!("{} of time looked at", count(swept.stretches, "interval")),
        ];
        scene.notes.extend(path.note(impact));
        Ok(scene)
    }
}

/// The first impact, with its bracket and its point.
fn of_impact(impact: &MotionImpact) -> SceneFinding {
    let MotionImpact { lower, upper, met, point, .. } = impact;
    let (kind, sentence) = if *met {
        let bracket = proved(Proved::new(*lower, *lower, *upper), None);
        (SceneKind::Hard, format!("first impact at t = {}, {bracket}", short(*lower)))
    } else {
        let free = format!("nothing meets before t = {}", short(*lower));
        (SceneKind::Touching, format!("{free}, proved; then they come nearer than the resolution tells"))
    };
    let details = vec![("time".into(), format!("{lower} ≤ t ≤ {upper}"))];
    SceneFinding { sentence, points: Some([point.to_array(); 2]), details, ..SceneFinding::new("impact", kind, 0, 0) }
}

/// The least clearance, with its bracket.
fn of_clearance(clearance: &MotionClearance) -> SceneFinding {
    let gap = Proved::new(clearance.upper, clearance.lower, clearance.upper);
    let sentence = format!("least clearance of the motion, at t = {}: {}", short(clearance.at), apart(gap, UNIT));
    SceneFinding { sentence, gap: Some(gap), ..SceneFinding::new("least", SceneKind::Measured, 0, 0) }
}
