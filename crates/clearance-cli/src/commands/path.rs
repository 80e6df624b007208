//! `clearance depth --path`: the signed gap of two files of parts at each pose of a path.

use std::path::Path;

use clearance::{Clearance, Pose, clearance_along, verify};
use serde::Serialize;

use super::depth::Arguments;
use super::two::{Side, pairs, pose, shown};
use super::{Outcome, print, read_text};
use crate::error::Error;
use crate::model::Model;
use crate::output::{json, short};
use crate::overlap::along;

/// The gap at every pose. Between poses nothing is said.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    unit: Option<String>,
    poses: Vec<At>,
    /// The pose with the least gap, counted from 0.
    worst: Option<usize>,
    /// Proved anew by other code.
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
    /// The parts that have it.
    a: String,
    b: String,
    /// The way out, of parts that overlap.
    translation: Option<[f64; 3]>,
    /// The unit direction of the way out, or of the gap.
    normal: Option<[f64; 3]>,
    interrupted: bool,
}

/// What to do about parts that bound no solid.
const ADVICE: &str = "without an inside it has no depth where it meets another";

/// Poses, one a line; what follows a number sign is for whoever reads the file.
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
        return Err(Error::format(path, "no pose: a line has 3, 7 or 12 numbers"));
    }
    Ok(found)
}

pub(super) fn run(
    arguments: &Arguments,
    file: &Path,
    model: &Model,
    of_a: &[Side<'_>],
    of_b: &[Side<'_>],
) -> Result<Outcome, Error> {
    let poses = poses(file)?;
    let mut least: Vec<Option<(At, Result<(), clearance::Refusal>)>> = poses.iter().map(|_| None).collect();
    for (a, b) in pairs(of_a, of_b) {
        let placed: Result<Vec<Pose>, Error> = poses.iter().map(|(_, pose)| Ok(b.posed(pose)?.pose)).collect();
        let placed = placed?;
        let (shape_a, shape_b) = (&a.body.shape, &b.body.shape);
        let gaps = clearance_along(shape_a, &a.pose, shape_b, &placed, &arguments.options());
        let solid = || a.must_be_solid(model, ADVICE).and_then(|()| b.must_be_solid(model, ADVICE));
        let gaps = gaps.or_else(|error| solid().and(Err(Error::usage(error))))?;
        for (number, gap) in gaps.iter().enumerate() {
            // Surfaces that meet have no depth.
            if gap.value() <= 0.0 {
                solid()?;
            }
            let best = &mut least[number];
            if best.as_ref().is_none_or(|(best, _)| gap.value() < best.value) {
                let proved = match gap {
                    Clearance::Apart(gap) => verify(gap, shape_a, &a.pose, shape_b, &placed[number]),
                    Clearance::Overlapping(depth) => verify(depth, shape_a, &a.pose, shape_b, &placed[number]),
                };
                *best = Some((at(poses[number].0, gap, a, b), proved));
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
        unit: model.unit.map(|unit| unit.to_string()),
        poses: found,
        worst,
        verified: refused.is_none(),
    };
    print(&if arguments.two.json { json(&answer)? } else { text(&answer) })?;
    refused.map_or(Ok(Outcome::Clean), |refusal| Err(Error::refused(&refusal)))
}

fn at(line: usize, gap: &Clearance, a: &Side<'_>, b: &Side<'_>) -> At {
    let (normal, depth) = match gap {
        Clearance::Apart(gap) => (gap.normal, None),
        Clearance::Overlapping(depth) => (Some(depth.penetration.normal), Some(depth)),
    };
    At {
        line,
        value: gap.value(),
        lower: gap.lower(),
        upper: gap.upper(),
        a: a.part.id.clone(),
        b: b.part.id.clone(),
        translation: depth.map(|depth| along(depth.penetration.normal, depth.penetration.upper)),
        normal: normal.map(|normal| along(normal, 1.0)),
        interrupted: depth.is_some_and(|depth| depth.interrupted),
    }
}

fn text(answer: &Answer) -> String {
    let unit = answer.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let mut out = String::new();
    for at in &answer.poses {
        let way = at.translation.map_or_else(String::new, |by| format!("   way out {}", shown(by)));
        let bounds = format!("{} to {}", short(at.lower), short(at.upper));
        out += &format!("line {:<5} {}{unit}   {bounds}   {} x {}{way}\n", at.line, short(at.value), at.a, at.b);
    }
    if let Some(worst) = answer.worst.map(|worst| &answer.poses[worst]) {
        out += &format!("least     {}{unit}, line {}\n", worst.value, worst.line);
    }
    out
}
