//! The parts of a file moved out of the way of another's, written so that they are clear of it as they stand in the file.
//!
//! A way out ends where parts touch but for a gap above rounding, and a file may round by more: STL and GLB hold seven digits, and far from
//! the origin even sixteen are few. So what was written is read again and held against the other file as `check` does it, without
//! any touch band. Where it overlaps it is moved on, by twice its depth, until it does not.

use std::collections::BTreeMap;
use std::path::Path;

use clearance::Pose;
use clearance::glam::DVec3;
use clearance_files::{Assembly, Geometry, Unit};
use serde::Serialize;

use crate::error::Error;
use crate::measure::{Asked, Placed, Scratch, deepen, measure};
use crate::model::{LoadOptions, Model};
use crate::report::{Kind, Search};
use crate::rules::Limits;

/// A file that was written.
#[derive(Debug, Serialize)]
pub(crate) struct Written {
    pub path: String,
    /// By what the parts were moved in all.
    pub translation: [f64; 3],
    /// What the format does not hold.
    pub notes: Vec<String>,
}

/// How often what was written is moved on.
const ROUNDS: i32 = 16;

/// The work for the depth of what little is left.
const WORK: u64 = 20_000;

/// Writes the parts of the second file of a model under a pose and moved, or a little farther, so that they are clear of the first file as
/// both are read with these options.
pub(crate) fn write_moved(
    model: &Model,
    pose: &Pose,
    by: DVec3,
    path: &Path,
    options: &LoadOptions,
) -> Result<Written, Error> {
    let paths = [Path::new(&model.inputs[0].path).to_owned(), path.to_owned()];
    let mut translation = by;
    for round in 0..ROUNDS {
        let notes = clearance_files::write(&assembly(model, pose, translation)?, path)?;
        let again = Model::load(&paths, options)?;
        translation += match overlap(&again) {
            Clash::None => {
                let notes = notes.iter().map(ToString::to_string).collect();
                return Ok(Written { path: path.display().to_string(), translation: translation.to_array(), notes });
            }
            Clash::Deep(way_out) => 2.0 * way_out,
            // By what a number of single precision is off at most, and more from round to round.
            Clash::Unknown => {
                let size = again.bounds().map_or(0.0, |bounds| bounds.min.abs().max(bounds.max.abs()).max_element());
                by.try_normalize().unwrap_or(DVec3::X) * (size * f64::from(f32::EPSILON) * 2f64.powi(round))
            }
        };
    }
    Err(Error::format(path, "as this format rounds, parts still overlap that were moved apart: write OBJ, PLY or 3MF"))
}

/// How two files of parts overlap.
enum Clash {
    None,
    /// By the longest of the ways out.
    Deep(DVec3),
    /// Some parts bound no solid.
    Unknown,
}

/// The parts of the second file, moved, in the unit of that file.
fn assembly(model: &Model, pose: &Pose, by: DVec3) -> Result<Assembly, Error> {
    let unit: Option<Unit> = model.inputs[1].unit.as_ref().and_then(|unit| unit.parse().ok());
    let scale = model.unit.zip(unit).map_or(1.0, |(from, to)| from.metres() / to.metres());
    let mut assembly = Assembly { unit, ..Assembly::default() };
    let mut numbers = BTreeMap::new();
    for part in model.parts.iter().filter(|part| part.file == 1) {
        let geometry = *numbers.entry(part.body).or_insert_with(|| {
            let mesh = &model.body(part).mesh;
            assembly.geometries.push(Geometry {
                name: part.id.clone(),
                points: mesh.points().map(|point| (point * scale).to_array()).collect(),
                triangles: mesh.triangles(),
            });
            assembly.geometries.len() - 1
        });
        let rotation = pose.rotation() * part.pose.rotation();
        let pose = Pose::new(rotation, (pose.transform_point(part.pose.translation()) + by) * scale);
        let pose = pose.map_err(|error| Error::Usage(format!("the way out: {error}")))?;
        assembly.parts.push(clearance_files::Part { name: part.id.clone(), geometry, pose });
    }
    Ok(assembly)
}

/// How the parts of the two files of a model overlap.
fn overlap(model: &Model) -> Clash {
    let limits = Limits { touch: 0.0, allow: Kind::ALL.to_vec(), ..Limits::default() };
    let asked = Asked { limits: &limits, depth_work: 0 };
    let mut scratch = Scratch::default();
    let of = |file: usize| model.parts.iter().filter(move |part| part.file == file);
    let mut clash = Clash::None;
    for (a, b) in of(1).flat_map(|b| of(0).map(move |a| (a, b))) {
        let (a, b): (Placed<'_>, Placed<'_>) = ((model.body(a), &a.pose), (model.body(b), &b.pose));
        let Some(mut found) = measure(a, b, &asked, &mut scratch).filter(|found| found.kind == Kind::Hard) else {
            continue;
        };
        deepen(a, b, &mut found, WORK);
        let Some(depth) = found.depth.filter(|depth| depth.search != Search::None) else { return Clash::Unknown };
        let way_out = DVec3::from_array(depth.way_out);
        if !matches!(clash, Clash::Deep(longest) if longest.length() >= way_out.length()) {
            clash = Clash::Deep(way_out);
        }
    }
    clash
}
