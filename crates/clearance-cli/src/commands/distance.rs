//! `clearance distance`: the gap between two files, proved.

use std::path::PathBuf;

use clearance::glam::{DQuat, DVec3};
use clearance::{Distance, Pose, distance, verify};
use clearance_files::Unit;
use serde::Serialize;

use super::{Outcome, print};
use crate::error::Error;
use crate::model::{LoadOptions, Model, Part, Solid};
use crate::output::json;
use crate::rules::Pattern;

/// Measure the gap between the parts of one file and those of another.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The file of A.
    a: PathBuf,

    /// The file of B.
    b: PathBuf,

    /// Moves all of B: `x y z`, or `x y z qx qy qz qw` (a quaternion, w last), or the twelve numbers of a 3x4 matrix, row by row.
    #[arg(long, value_name = "NUMBERS", value_parser = pose, allow_hyphen_values = true)]
    pose: Option<Pose>,

    /// Only parts of A whose names match.
    #[arg(long, value_name = "PATTERN", default_value = "*")]
    part_a: String,

    /// Only parts of B whose names match.
    #[arg(long, value_name = "PATTERN", default_value = "*")]
    part_b: String,

    /// Which parts are solids.
    #[arg(long, value_enum, default_value_t = Solid::Auto)]
    solid: Solid,

    /// The unit of files that name none: um, mm, cm, in, ft, m.
    #[arg(long)]
    unit: Option<Unit>,

    /// JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  clearance distance pin.stl plate.stl
  clearance distance pin.stl plate.stl --pose '0 0 12.5'
  clearance distance robot.glb cell.glb --part-a '*/gripper*' --json";

/// The gap, and the parts that have it.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    unit: Option<String>,
    a: String,
    b: String,
    value: f64,
    lower: f64,
    upper: f64,
    method: String,
    /// In the world.
    points: [[f64; 3]; 2],
    normal: Option<[f64; 3]>,
    feature_a: String,
    feature_b: String,
    /// Proved anew by other code.
    verified: bool,
}

/// Numbers with blanks or commas between them, as a pose.
fn pose(text: &str) -> Result<Pose, String> {
    let words = text.split([' ', ',', '\t', '\n']).filter(|word| !word.is_empty());
    let numbers: Result<Vec<f64>, String> =
        words.map(|word| word.parse().map_err(|_| format!("`{word}` is no number"))).collect();
    let made = match numbers?[..] {
        [x, y, z] => Pose::from_translation(DVec3::new(x, y, z)),
        [x, y, z, qx, qy, qz, qw] => {
            let turn = DQuat::from_xyzw(qx, qy, qz, qw);
            let length = turn.length();
            if !(length.is_finite() && (length - 1.0).abs() <= 1e-3) {
                return Err(format!("the quaternion has length {length}, where 1 is meant"));
            }
            Pose::from_quat(turn.normalize(), DVec3::new(x, y, z))
        }
        [a, b, c, d, e, f, g, h, i, j, k, l] => Pose::from_rows([[a, b, c, d], [e, f, g, h], [i, j, k, l]]),
        ref other => return Err(format!("{} numbers, where 3, 7 or 12 are meant", other.len())),
    };
    made.map_err(|error| error.to_string())
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let options = LoadOptions { solid: arguments.solid, unit: arguments.unit, weld: None };
    let model = Model::load(&[arguments.a.clone(), arguments.b.clone()], &options)?;
    if let Some((part, why)) = model.unusable.first() {
        return Err(Error::Usage(format!("part `{part}` cannot be measured: {why}")));
    }
    let parts = |file: usize, pattern: &str, path: &PathBuf| {
        let pattern: Pattern = pattern.into();
        let found: Vec<&Part> = model.parts.iter().filter(|p| p.file == file && pattern.matches(&p.id)).collect();
        if found.is_empty() {
            let all = model.parts.iter().filter(|part| part.file == file).take(5);
            let names: Vec<&str> = all.map(|part| part.id.as_str()).collect();
            let problem = format!("no part matches; there are {} and so on", names.join(", "));
            return Err(Error::Format { path: path.clone(), problem });
        }
        Ok(found)
    };
    let (of_a, of_b) = (parts(0, &arguments.part_a, &arguments.a)?, parts(1, &arguments.part_b, &arguments.b)?);
    let moved = |part: &Pose| match &arguments.pose {
        None => Ok(*part),
        Some(by) => {
            let moved = Pose::new(by.rotation() * part.rotation(), by.transform_point(part.translation()));
            moved.map_err(|error| Error::Usage(format!("--pose: {error}")))
        }
    };
    let mut best: Option<(Distance, &Part, &Part, Pose)> = None;
    for b in of_b {
        let pose_b = moved(&b.pose)?;
        for &a in &of_a {
            let found = distance(&model.body(a).shape, &a.pose, &model.body(b).shape, &pose_b);
            if best.as_ref().is_none_or(|(best, ..)| found.value < best.value) {
                best = Some((found, a, b, pose_b));
            }
        }
    }
    let Some((found, a, b, pose_b)) = best else { return Err(Error::Usage("no parts".into())) };
    let refused = verify(&found, &model.body(a).shape, &a.pose, &model.body(b).shape, &pose_b).err();
    let answer = Answer {
        schema: "clearance-distance/1",
        unit: model.unit.map(|unit| unit.to_string()),
        a: a.id.clone(),
        b: b.id.clone(),
        value: found.value,
        lower: found.lower,
        upper: found.upper,
        method: format!("{:?}", found.method),
        points: found.world_points(&a.pose, &pose_b).map(|point| point.to_array()),
        normal: found.normal.map(|normal| normal.to_array()),
        feature_a: format!("{:?}", found.feature_a),
        feature_b: format!("{:?}", found.feature_b),
        verified: refused.is_none(),
    };
    print(&if arguments.json { json(&answer)? } else { text(&answer) })?;
    match refused {
        None => Ok(Outcome::Clean),
        Some(refusal) => Err(Error::Usage(format!("the answer does not hold: {refusal}; please report this"))),
    }
}

fn text(answer: &Answer) -> String {
    let unit = answer.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let mut out = format!("{} x {}\n", answer.a, answer.b);
    out += &format!("distance  {}{unit}\n", answer.value);
    out += &format!("proved    {} <= truth <= {}\n", answer.lower, answer.upper);
    let place = |[x, y, z]: [f64; 3]| format!("({x}, {y}, {z})");
    if answer.normal.is_some() {
        out += &format!("from      {} on {}\n", place(answer.points[0]), answer.feature_a);
        out += &format!("to        {} on {}\n", place(answer.points[1]), answer.feature_b);
    } else {
        out += &format!("meet at   {}\n", place(answer.points[0]));
    }
    out
}
