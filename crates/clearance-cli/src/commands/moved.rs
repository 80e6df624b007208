//! Writes the parts of a file moved clear of those of another, such that the written file is clear.
//!
//! A way out ends with a gap just above rounding, and a file may round by more: STL and GLB hold seven digits, and far
//! from the origin even sixteen are few. So the written file is read again and checked against the other without a
//! touch band. While it overlaps it is moved on, by twice its depth.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use clearance::Pose;
use clearance::glam::DVec3;
use clearance_check::{Clash, Error, Model, Placed, Scratch, Solid};
use clearance_files::{Assembly, Geometry, Part, Unit};
use serde::Serialize;

use super::two::{PosedPart, Two};

/// A written file.
#[derive(Debug, Serialize)]
pub(super) struct Written {
    pub path: String,
    /// The total translation of the parts.
    pub translation: [f64; 3],
    /// What the format cannot hold.
    pub notes: Vec<String>,
}

/// The largest number of corrections.
const ROUNDS: i32 = 16;

/// Writes parts of B moved by a translation or slightly more, clear of those of A when both files are read.
pub(super) fn write_moved(
    two: &Two,
    model: &Model,
    [of_a, of_b]: [&[PosedPart<'_>]; 2],
    by: DVec3,
    path: &Path,
) -> Result<Written, Error> {
    let paths = [two.a.clone(), path.to_owned()];
    let names: BTreeSet<&str> = of_a.iter().map(|side| side.part.id.as_str()).collect();
    let mut translation = by;
    for round in 0..ROUNDS {
        let notes = clearance_files::write(&assembly(model, of_b, translation)?, path)?;
        let again = Model::load(&paths, &two.load_options(Solid::Auto))?;
        translation += match clash(pairs(&again, &names)) {
            Clash::None => {
                let notes = notes.iter().map(ToString::to_string).collect();
                return Ok(Written { path: path.display().to_string(), translation: translation.to_array(), notes });
            }
            Clash::Deep(way_out) => 2.0 * way_out,
            // The rounding error of single precision, doubled from round to round.
            Clash::Unknown => {
                let size = again.bounds().map_or(0.0, |bounds| bounds.min.abs().max(bounds.max.abs()).max_element());
                by.try_normalize().unwrap_or(DVec3::X) * (size * f64::from(f32::EPSILON) * 2f64.powi(round))
            }
        };
    }
    let problem = "found no place near the way out where the parts are clear in this format: try another format";
    Err(Error::format(path, problem))
}

/// Parts of B, moved, in the unit of their file.
fn assembly(model: &Model, of_b: &[PosedPart<'_>], by: DVec3) -> Result<Assembly, Error> {
    let unit: Option<Unit> = model.inputs()[1].unit.as_ref().and_then(|unit| unit.parse().ok());
    let scale = model.unit().zip(unit).map_or(1.0, |(from, to)| from.metres() / to.metres());
    let mut assembly = Assembly { unit, ..Assembly::default() };
    let mut numbers = BTreeMap::new();
    for side in of_b {
        let name = &side.part.id;
        let geometry = *numbers.entry(side.part.body).or_insert_with(|| {
            assembly.geometries.push(Geometry {
                name: name.clone(),
                points: side.body.mesh.points().map(|point| (point * scale).to_array()).collect(),
                triangles: side.body.mesh.triangles(),
            });
            assembly.geometries.len() - 1
        });
        let pose = Pose::new(side.pose.rotation(), (side.pose.translation() + by) * scale);
        let pose = pose.map_err(|error| Error::Usage(format!("the way out: {error}")))?;
        assembly.parts.push(Part { name: name.clone(), geometry, pose });
    }
    Ok(assembly)
}

/// Every part of the second file of a model with every part of the first that has one of these names.
fn pairs<'m>(model: &'m Model, names: &BTreeSet<&str>) -> impl Iterator<Item = (Placed<'m>, Placed<'m>)> {
    let placed = |part: &'m clearance_check::Part| (model.body(part), &part.pose);
    let is_of_a = |part: &&clearance_check::Part| part.file == 0 && names.contains(part.id.as_str());
    let of_a: Vec<Placed<'m>> = model.parts().iter().filter(is_of_a).map(placed).collect();
    let of_b = model.parts().iter().filter(|part| part.file == 1).map(placed);
    of_b.flat_map(move |b| of_a.clone().into_iter().map(move |a| (a, b)))
}

/// How deep pairs of parts overlap, without any touch band.
fn clash<'m>(pairs: impl IntoIterator<Item = (Placed<'m>, Placed<'m>)>) -> Clash {
    let mut scratch = Scratch::default();
    let mut clash = Clash::None;
    for (a, b) in pairs {
        clash = clash.and(a, b, &mut scratch);
        if matches!(clash, Clash::Unknown) {
            break;
        }
    }
    clash
}
