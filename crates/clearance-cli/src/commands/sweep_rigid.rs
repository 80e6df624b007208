//! `clearance sweep --from POSE --to POSE`: when a moving rigid body first touches another, or how close it comes.

use std::path::PathBuf;

use clearance::answer::{LeastClearance, NoImpact, RigidImpact};
use clearance::glam::DVec3;
use clearance::query::{LeastClearanceOptions, RigidOptions, least_clearance_with, rigid_impact_with};
use clearance::verify::Refusal;
use clearance::{Pose, RigidMotion, Shape, Workspace};
use clearance_check::output::{Lines, json};
use clearance_check::{Error, LoadOptions, Model, Part, Solid};
use clearance_files::Unit;
use clearance_view::sentence::{proved, with_unit};
use clearance_view::{Proved, Scene, SceneFinding, SceneKind, Timeline, Track};
use serde::Serialize;

use super::formats::{File, pages, write_answer};
use super::two::{check_pairs, moved, pose, shown};
use super::{Outcome, does_not_hold, write_page};
use crate::print;

/// How one file moves as a rigid body.
#[derive(Debug, clap::Args)]
pub(super) struct RigidArguments {
    /// The start pose of the first file: `x y z`, or `x y z qx qy qz qw` (a quaternion, w last), or the twelve numbers
    /// of a 3x4 matrix, row by row [default: the identity].
    #[arg(long, value_name = "NUMBERS", value_parser = pose, allow_hyphen_values = true)]
    from: Option<Pose>,

    /// The end pose, as for --from. The body turns the shorter way.
    #[arg(long, value_name = "NUMBERS", value_parser = pose, allow_hyphen_values = true)]
    to: Option<Pose>,

    /// Move along the screw motion between the poses. By default the origin of the file moves on a straight line.
    #[arg(long)]
    screw: bool,

    /// Bodies no farther apart than this count as touching.
    #[arg(long, value_name = "LENGTH", default_value_t = 0.0)]
    margin: f64,

    /// The unit of files that name none: um, mm, cm, in, ft, m.
    #[arg(long)]
    unit: Option<Unit>,
}

impl RigidArguments {
    pub fn are_given(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}

/// The number of frames of a page besides that of the impact.
const FRAMES: usize = 64;

/// The first contact, or the least clearance.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    unit: Option<String>,
    /// The first impact; `None` if there provably is none.
    impact: Option<Impact>,
    /// How close the bodies come, if nothing touches.
    clearance: Option<Clearance>,
    /// Verified by independent code; null if not requested.
    verified: Option<bool>,
}

#[derive(Debug, Serialize)]
struct Impact {
    a: String,
    b: String,
    /// Nothing touches before this time, as a fraction of the motion.
    lower: f64,
    /// At this time there is contact, or what `gap` says.
    upper: f64,
    touches: bool,
    gap: f64,
    started_overlapping: bool,
    /// In the world, at `lower`.
    points: [[f64; 3]; 2],
    normal: Option<[f64; 3]>,
    feature_a: String,
    feature_b: String,
    /// The rows of the 3x4 matrix that moves the first file to where it is at `lower`.
    pose: [[f64; 4]; 3],
}

#[derive(Debug, Serialize)]
struct Clearance {
    a: String,
    b: String,
    t: f64,
    lower: f64,
    upper: f64,
}

/// The motion of a file, and that of its parts.
struct Course<'q> {
    from: Pose,
    to: Pose,
    arguments: &'q RigidArguments,
}

impl Course<'_> {
    fn of_pose(&self, own: &Pose) -> Result<RigidMotion, Error> {
        let (start, end) = (moved(own, &self.from)?, moved(own, &self.to)?);
        let made = if self.arguments.screw {
            RigidMotion::screw_between(start, end)
        } else {
            RigidMotion::between_about(start, end, own.inverse_transform_point(DVec3::ZERO))
        };
        made.map_err(|error| Error::Usage(format!("the motion: {error}")))
    }
}

/// A part of the file that moves, and one of the file that rests.
struct Pair<'q> {
    parts: [&'q Part; 2],
    shapes: [&'q Shape; 2],
    motions: [&'q RigidMotion; 2],
}

impl Pair<'_> {
    fn impact(&self, margin: f64, workspace: &mut Workspace) -> Option<RigidImpact> {
        let options = RigidOptions { margin, ..RigidOptions::default() };
        let ([a, b], [motion_a, motion_b]) = (self.shapes, self.motions);
        rigid_impact_with(a, motion_a, b, motion_b, &options, workspace).ok()
    }

    fn least(&self, workspace: &mut Workspace) -> Result<LeastClearance, Error> {
        let options = LeastClearanceOptions::default();
        let ([a, b], [motion_a, motion_b]) = (self.shapes, self.motions);
        least_clearance_with(a, motion_a, b, motion_b, &options, workspace).map_err(Error::from)
    }

    /// Proves that there is no contact before a time.
    fn verify_clear(&self, margin: f64, until: f64) -> Result<(), Refusal> {
        let ([a, b], [motion_a, motion_b]) = (self.shapes, self.motions);
        NoImpact { margin, until }.verify(a, motion_a, b, motion_b)
    }
}

/// The first impact and the index of its pair, or how close each pair comes.
enum Found {
    Impact(Box<RigidImpact>, usize),
    Free(Vec<LeastClearance>),
}

/// The first impact of all pairs, or how close they come.
fn find(pairs: &[Pair<'_>], margin: f64) -> Result<Found, Error> {
    let mut workspace = Workspace::default();
    let mut first: Option<(RigidImpact, usize)> = None;
    for (number, pair) in pairs.iter().enumerate() {
        let found = pair.impact(margin, &mut workspace);
        if let Some(found) =
            found.filter(|found| first.as_ref().is_none_or(|(first, _)| found.time.lower < first.time.lower))
        {
            first = Some((found, number));
        }
    }
    if let Some((impact, number)) = first {
        return Ok(Found::Impact(Box::new(impact), number));
    }
    let least: Result<_, Error> = pairs.iter().map(|pair| pair.least(&mut workspace)).collect();
    Ok(Found::Free(least?))
}

/// Verifies the impact and that no other pair touches before it; or that no pair touches, and how close each comes.
fn verify(found: &Found, pairs: &[Pair<'_>], margin: f64) -> Result<(), Refusal> {
    for (number, pair) in pairs.iter().enumerate() {
        let ([a, b], [motion_a, motion_b]) = (pair.shapes, pair.motions);
        match found {
            Found::Impact(impact, first) if number == *first => {
                impact.verify(a, motion_a, b, motion_b)?;
            }
            Found::Impact(impact, _) => pair.verify_clear(margin, impact.time.lower)?,
            Found::Free(least) => {
                pair.verify_clear(margin, 1.0)?;
                least[number].verify(a, motion_a, b, motion_b)?;
            }
        }
    }
    Ok(())
}

pub(super) fn run(
    arguments: &RigidArguments,
    files: &[PathBuf],
    verifies: bool,
    as_json: bool,
    outputs: &[File<'_>],
) -> Result<Outcome, Error> {
    let [_, _] = files else {
        let problem =
            format!("expected 2 files with --from or --to, the moving body and the resting one, got {}", files.len());
        return Err(Error::Usage(problem));
    };
    if !(arguments.margin.is_finite() && arguments.margin >= 0.0) {
        return Err(Error::Usage(format!("--margin {}: expected a length of 0 or more", arguments.margin)));
    }
    let options = LoadOptions { solid: Solid::Auto, unit: arguments.unit, ..LoadOptions::default() };
    let model = Model::load(files, &options)?;
    if let Some((part, why)) = model.unusable().first() {
        return Err(Error::Usage(format!("part `{part}` cannot be measured: {why}")));
    }
    let course = Course {
        from: arguments.from.unwrap_or(Pose::IDENTITY),
        to: arguments.to.unwrap_or(Pose::IDENTITY),
        arguments,
    };
    let of = |file: usize| model.parts().iter().filter(move |part| part.file == file);
    check_pairs(of(0).count(), of(1).count(), "split the files")?;
    let moving: Vec<RigidMotion> = of(0).map(|a| course.of_pose(&a.pose)).collect::<Result<_, _>>()?;
    let still: Vec<RigidMotion> = of(1).map(|b| RigidMotion::still(b.pose)).collect();
    let mut pairs = Vec::new();
    for (a, motion_a) in of(0).zip(&moving) {
        pairs.extend(of(1).zip(&still).map(|(b, motion_b)| Pair {
            parts: [a, b],
            shapes: [&model.body(a).shape, &model.body(b).shape],
            motions: [motion_a, motion_b],
        }));
    }
    if pairs.is_empty() {
        return Err(Error::Usage("a file without parts: nothing to measure".into()));
    }
    let found = find(&pairs, arguments.margin)?;
    let refused = verifies.then(|| verify(&found, &pairs, arguments.margin).err());
    let (mut impact, mut clearance): (_, Option<Clearance>) = (None, None);
    match &found {
        Found::Impact(found, number) => {
            let [a, b] = pairs[*number].parts;
            impact = Some(impact_of(found, a, b, &course)?);
        }
        Found::Free(least) => {
            for (least, pair) in least.iter().zip(&pairs) {
                let other = named(least, pair.parts);
                clearance = Some(match clearance.take() {
                    Some(best) => Clearance {
                        lower: best.lower.min(other.lower),
                        ..if best.upper <= other.upper { best } else { other }
                    },
                    None => other,
                });
            }
        }
    }
    let unit = model.unit().map(|unit| unit.to_string());
    let verified = refused.as_ref().map(Option::is_none);
    let answer = Answer { schema: "clearance-rigid-sweep/1", unit, impact, clearance, verified };
    let pages = pages(outputs);
    if !pages.is_empty() {
        let scene = scene(&answer, &model, &course)?;
        pages.into_iter().try_for_each(|path| write_page(path, &scene))?;
    }
    write_answer(outputs, "first contact", &answer, None)?;
    print::result(&if as_json { json(&answer)? } else { text(&answer) })?;
    if let Some(Some(refusal)) = refused {
        return Err(does_not_hold(&refusal));
    }
    Ok(if answer.impact.is_some() { Outcome::Findings } else { Outcome::Clean })
}

fn named(least: &LeastClearance, [a, b]: [&Part; 2]) -> Clearance {
    Clearance { a: a.id.clone(), b: b.id.clone(), t: least.time, lower: least.gap.lower, upper: least.gap.upper }
}

fn impact_of(found: &RigidImpact, a: &Part, b: &Part, course: &Course<'_>) -> Result<Impact, Error> {
    let whole = course.of_pose(&Pose::IDENTITY)?.at(found.time.value);
    let (turn, way) = (whole.rotation().transpose(), whole.translation());
    let row = |k: usize| [turn.col(k).x, turn.col(k).y, turn.col(k).z, way[k]];
    Ok(Impact {
        a: a.id.clone(),
        b: b.id.clone(),
        lower: found.time.lower,
        upper: found.time.upper,
        touches: found.touches,
        gap: found.gap,
        started_overlapping: found.started_overlapping,
        points: [
            found.pose_a.transform_point(found.witness.a.point).to_array(),
            found.pose_b.transform_point(found.witness.b.point).to_array(),
        ],
        normal: found.normal.map(|normal| normal.to_array()),
        feature_a: format!("{:?}", found.witness.a.feature),
        feature_b: format!("{:?}", found.witness.b.feature),
        pose: [row(0), row(1), row(2)],
    })
}

fn text(answer: &Answer) -> String {
    let unit = answer.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let mut out = Lines::default();
    if let Some(impact) = &answer.impact {
        out.line(format!("{} x {}", impact.a, impact.b));
        out.line(format!("first contact  {} of the way", impact.lower));
        out.line(format!("proved         {} <= t <= {}", impact.lower, impact.upper));
        if impact.started_overlapping {
            out.line("they meet at the start");
        } else if !impact.touches {
            out.line(format!("not proved to touch: they come within {}{unit}", impact.gap));
        }
        out.line(format!("at             {} on {}", shown(impact.points[0]), impact.feature_a));
        out.line(format!("and            {} on {}", shown(impact.points[1]), impact.feature_b));
    }
    if let Some(clearance) = &answer.clearance {
        out.line("nothing touches on the way");
        out.line(format!(
            "nearest        {} x {}, {}{unit} at {} of the way",
            clearance.a, clearance.b, clearance.upper, clearance.t
        ));
        out.line(format!("proved         {} <= least clearance <= {}", clearance.lower, clearance.upper));
    }
    if answer.verified == Some(true) {
        out.line("verified by independent code");
    }
    out.text()
}

/// The way in frames, one of them at the impact or where the bodies are nearest.
fn scene(answer: &Answer, model: &Model, course: &Course<'_>) -> Result<Scene, Error> {
    let mut scene = Scene::of_model(model);
    let at = answer.impact.as_ref().map(|i| i.lower).or_else(|| answer.clearance.as_ref().map(|c| c.t)).unwrap_or(0.0);
    let mut times: Vec<f64> = (0..=FRAMES).map(|k| k as f64 / FRAMES as f64).chain([at]).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let frame = times.iter().position(|&t| t == at);
    let movers = model.parts().iter().enumerate().filter(|(_, part)| part.file == 0);
    let tracks = movers.map(|(number, part)| {
        let motion = course.of_pose(&part.pose)?;
        Ok(Track { part: number, poses: times.iter().map(|&t| motion.at(t)).collect() })
    });
    let tracks = tracks.collect::<Result<Vec<_>, Error>>()?;
    for track in &tracks {
        scene.parts[track.part].pose = track.poses[0];
    }
    let number = |id: &str| model.parts().iter().position(|part| part.id == id).unwrap_or_default();
    let unit = answer.unit.as_deref();
    if let Some(impact) = &answer.impact {
        let kind = if impact.touches { SceneKind::Hard } else { SceneKind::Touching };
        let sentence = format!(
            "first contact at {} of the way, proved between {} and {}",
            impact.lower, impact.lower, impact.upper
        );
        scene.findings.push(SceneFinding {
            sentence,
            points: Some(impact.points),
            frame,
            ..SceneFinding::new("impact", kind, number(&impact.a), number(&impact.b))
        });
    } else if let Some(clearance) = &answer.clearance {
        let gap = Proved::new(clearance.upper, clearance.lower, clearance.upper);
        scene.findings.push(SceneFinding {
            sentence: format!(
                "nearest at {} of the way: {} apart, {}",
                clearance.t,
                with_unit(gap.value, unit),
                proved(gap, unit)
            ),
            gap: Some(gap),
            frame,
            ..SceneFinding::new("nearest", SceneKind::Measured, number(&clearance.a), number(&clearance.b))
        });
    }
    scene.verdict = scene.findings.first().map_or_else(String::new, |finding| finding.sentence.clone());
    scene.timeline = Some(Timeline { label: "t".into(), times, tracks });
    Ok(scene)
}
