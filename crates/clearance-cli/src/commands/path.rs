//! `clearance depth --path`: the signed gap of two files of parts at each pose of a path.

use std::collections::BTreeMap;
use std::path::Path;

use clearance::Pose;
use clearance::answer::Clearance;
use clearance::query::ClearanceOptions;
use clearance::query::clearance_along_with;
use clearance_check::output::{Lines, json, short};
use clearance_check::{Error, Model};
use clearance_view::sentence::{deep, proved, with_unit};
use clearance_view::{Proved, Scene, SceneFinding, SceneKind, Timeline, Track};
use serde::Serialize;

use super::depth::Arguments;
use super::two::{PosedPart, along, moved, pairs, pose, shown};
use super::{Outcome, does_not_hold};
use crate::input::read_text;
use crate::print;

/// The gap at every pose; nothing is claimed between poses.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    unit: Option<String>,
    poses: Vec<At>,
    /// The pose with the least gap, counted from 0.
    worst: Option<usize>,
    /// Verified by independent code.
    verified: bool,
}

/// The signed gap at a pose: positive apart, negative by the depth.
#[derive(Debug, Serialize)]
struct At {
    /// The line of the file.
    line: usize,
    value: f64,
    lower: f64,
    upper: f64,
    /// The parts it is between.
    a: String,
    b: String,
    /// The way out, of parts that overlap.
    translation: Option<[f64; 3]>,
    /// The unit direction of the way out, or of the gap.
    normal: Option<[f64; 3]>,
    /// The nearest points of parts apart, for a page.
    #[serde(skip)]
    points: Option<[[f64; 3]; 2]>,
    interrupted: bool,
}

/// What parts that are not solids mean for the answer.
const ADVICE: &str = "without an interior it has no depth where it meets another";

/// Poses, one per line; `#` starts a comment.
fn poses(path: &Path) -> Result<Vec<(usize, Pose)>, Error> {
    let text = read_text(path)?;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            let pose = pose(line).map_err(|problem| Error::format(path, format!("line {}: {problem}", number + 1)))?;
            found.push((number + 1, pose));
        }
    }
    if found.is_empty() {
        return Err(Error::format(path, "no pose: expected lines of 3, 7 or 12 numbers"));
    }
    Ok(found)
}

pub(super) fn run(
    arguments: &Arguments,
    file: &Path,
    model: &Model,
    of_a: &[PosedPart<'_>],
    of_b: &[PosedPart<'_>],
) -> Result<Outcome, Error> {
    let poses = poses(file)?;
    let mut least: Vec<Option<(At, Result<(), clearance::verify::Refusal>)>> = poses.iter().map(|_| None).collect();
    for (a, b) in pairs(of_a, of_b) {
        let placed: Result<Vec<Pose>, Error> = poses.iter().map(|(_, pose)| Ok(b.posed(pose)?.pose)).collect();
        let placed = placed?;
        let (shape_a, shape_b) = (&a.body.shape, &b.body.shape);
        let options = ClearanceOptions { depth: arguments.options(), ..ClearanceOptions::default() };
        let gaps = clearance_along_with(shape_a, &a.pose, shape_b, &placed, &options);
        let solid = || a.must_be_solid(model, ADVICE).and_then(|()| b.must_be_solid(model, ADVICE));
        let gaps = gaps.or_else(|error| solid().and(Err(Error::from(error))))?;
        for (number, gap) in gaps.iter().enumerate() {
            // Surfaces that meet have no depth.
            if gap.value() <= 0.0 {
                solid()?;
            }
            let best = &mut least[number];
            if best.as_ref().is_none_or(|(best, _)| gap.value() < best.value) {
                let proved = match gap {
                    Clearance::Apart(gap) => gap.verify(shape_a, &a.pose, shape_b, &placed[number]),
                    Clearance::Overlapping(depth) => depth.verify(shape_a, &a.pose, shape_b, &placed[number]),
                };
                *best = Some((at(poses[number].0, gap, a, &PosedPart { pose: placed[number], ..*b }), proved));
            }
        }
    }
    let mut refused = None;
    let mut found = Vec::new();
    for (at, proved) in least.into_iter().flatten() {
        refused = refused.or(proved.err());
        found.push(at);
    }
    let worst = (0..found.len()).min_by(|&i, &j| found[i].value.total_cmp(&found[j].value));
    let answer = Answer {
        schema: "clearance-path/1",
        unit: model.unit().map(|unit| unit.to_string()),
        poses: found,
        worst,
        verified: refused.is_none(),
    };
    arguments.two.write_page(model, |scene| on_page(&answer, &poses, model, scene))?;
    arguments.two.write_files("signed gap along a path", &answer, Some("poses"))?;
    print::result(&if arguments.two.json { json(&answer)? } else { text(&answer) })?;
    refused.map_or(Ok(Outcome::Clean), |refusal| Err(does_not_hold(&refusal)))
}

/// The poses as frames, and what was found at each, the least gap first.
fn on_page(answer: &Answer, poses: &[(usize, Pose)], model: &Model, scene: &mut Scene) -> Result<(), Error> {
    let of_b = model.parts().iter().zip(0..).filter(|(part, _)| part.file == 1);
    let tracks = of_b.map(|(part, number)| {
        let placed: Result<Vec<Pose>, Error> = poses.iter().map(|(_, pose)| moved(&part.pose, pose)).collect();
        Ok(Track { part: number, poses: placed? })
    });
    let times = poses.iter().map(|(line, _)| *line as f64).collect();
    let timeline = Timeline { label: "line".into(), times, tracks: tracks.collect::<Result<_, Error>>()? };
    for track in &timeline.tracks {
        scene.parts[track.part].pose = track.poses[0];
    }
    let numbers: BTreeMap<&str, usize> = model.names().zip(0..).collect();
    let unit = answer.unit.as_deref();
    scene.findings = (answer.poses.iter().enumerate())
        .map(|(frame, at)| {
            let gap = Proved::new(at.value, at.lower, at.upper);
            let depth = Proved::new(-gap.value, -gap.upper, -gap.lower);
            let (kind, sentence) = match () {
                () if gap.upper < 0.0 => (SceneKind::Hard, deep(depth, unit)),
                () if gap.value <= 0.0 => (SceneKind::Touching, deep(depth, unit)),
                () => (SceneKind::Measured, format!("{} apart, {}", with_unit(gap.value, unit), proved(gap, unit))),
            };
            SceneFinding {
                sentence: format!("line {}: {sentence}", at.line),
                gap: Some(gap),
                depth: (gap.value <= 0.0).then_some(depth),
                points: at.points,
                way_out: at.translation,
                frame: Some(frame),
                ..SceneFinding::new(format!("line-{}", at.line), kind, numbers[at.a.as_str()], numbers[at.b.as_str()])
            }
        })
        .collect();
    let least = |finding: &SceneFinding| finding.gap.map_or(f64::INFINITY, |gap| gap.value);
    scene.findings.sort_by(|p, q| least(p).total_cmp(&least(q)));
    scene.verdict = scene.findings.first().map_or_else(String::new, |worst| format!("least at {}", worst.sentence));
    scene.timeline = Some(timeline);
    Ok(())
}

fn at(line: usize, gap: &Clearance, a: &PosedPart<'_>, b: &PosedPart<'_>) -> At {
    let (normal, depth, points) = match gap {
        Clearance::Apart(gap) => {
            (gap.normal, None, Some(gap.world_points(&a.pose, &b.pose).map(|point| point.to_array())))
        }
        Clearance::Overlapping(depth) => (Some(depth.penetration.normal), Some(depth), None),
    };
    At {
        line,
        value: gap.value(),
        lower: gap.lower(),
        upper: gap.upper(),
        a: a.part.id.clone(),
        b: b.part.id.clone(),
        translation: depth.map(|depth| along(depth.penetration.normal, depth.penetration.depth.upper)),
        normal: normal.map(|normal| along(normal, 1.0)),
        points,
        interrupted: depth.is_some_and(|depth| depth.interrupted),
    }
}

fn text(answer: &Answer) -> String {
    let unit = answer.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let mut out = Lines::default();
    for at in &answer.poses {
        let way = at.translation.map_or_else(String::new, |by| format!("   way out {}", shown(by)));
        let bounds = format!("{} to {}", short(at.lower), short(at.upper));
        out.line(format!("line {:<5} {}{unit}   {bounds}   {} x {}{way}", at.line, short(at.value), at.a, at.b));
    }
    if let Some(worst) = answer.worst.map(|worst| &answer.poses[worst]) {
        out.line(format!("least     {}{unit}, line {}", worst.value, worst.line));
    }
    out.text()
}
