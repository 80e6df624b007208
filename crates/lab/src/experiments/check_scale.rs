//! How `clearance check` grows: a thousand to a hundred thousand instances of a few parts, ten million triangles in
//! all.
//!
//! Parts stand in the places of a cubic lattice, each turned at random and moved a little, so that some overlap, some
//! touch nothing and some are closer than the clearance. They are written as a glTF file, read again, and checked, all
//! of that timed. A part reaches no farther than 0.6 of the lattice's width in any direction, so only neighbours can be
//! near: all of these are measured one by one, by `distance`, and the pairs that the check finds have to be those. Of
//! every hundredth the answer is proved again by `verify`.
//!
//! `growth` is by what power of the number of parts the time of the check grows from one row to the next: 1 is linear.

use super::{Experiment, Flag, Options};
use crate::allocation;
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::timed;
use crate::meshes::generate::{bumpy_sphere, torus};
use crate::report::{Provenance, Report, Row, rounded};
use clearance::glam::DVec3;
use clearance::{Pose, Shape, distance};
use clearance_check::{Limits, LoadOptions, Model, Rules, check};
use clearance_files::{Assembly, Geometry, Part, Unit, read, write};
use clearance_oracle::random::Random;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "check-scale",
    about: "checks of 1,000 to 100,000 parts, ten million triangles with instances: time, memory, growth",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Triangles of each kind of part.
const TRIANGLES: usize = 100;

/// The least distance that is asked for, in the unit of the lattice.
const CLEARANCE: f64 = 0.02;

/// The largest distance of a point of a part from its place.
const REACH: f64 = 0.54;

/// A lattice of so many parts along each side.
fn assembly(side: usize, random: &mut Random) -> Result<Assembly, LabError> {
    let geometries = [bumpy_sphere(TRIANGLES), torus(TRIANGLES)].map(|mut model| {
        let longest = model.points.iter().map(|&point| DVec3::from_array(point).length()).fold(0.0, f64::max);
        let scale = REACH / longest;
        model.points.iter_mut().flatten().for_each(|x| *x *= scale);
        Geometry { name: model.name, points: model.points, triangles: model.triangles }
    });
    let mut parts = Vec::new();
    for number in 0..side * side * side {
        let place = [number % side, number / side % side, number / side / side].map(|k| k as f64);
        let moved = DVec3::from_array(place) + DVec3::from_array(random.in_cube(0.045));
        let axis = DVec3::from_array(random.direction());
        let pose = Pose::from_axis_angle(axis, random.uniform(0.0, 3.0), moved).map_err(LabError::from)?;
        let geometry = number % geometries.len();
        parts.push(Part { name: format!("part/{number}"), geometry, pose });
    }
    Ok(Assembly { geometries: geometries.into(), parts, unit: Some(Unit::Metre), notes: Vec::new() })
}

/// Whether the pairs found are those among neighbours that are closer than the clearance; how many are not, and the
/// distances of all pairs examined.
fn wrong(path: &Path, side: usize, found: &BTreeSet<(usize, usize)>) -> Result<(u64, Digest), LabError> {
    let bad = |problem: String| LabError::BadData { path: path.to_owned(), problem };
    let assembly = read(path).map_err(|error| bad(error.to_string()))?;
    let shapes: Result<Vec<Shape>, LabError> = (assembly.geometries.iter())
        .map(|geometry| Shape::mesh(&geometry.points, &geometry.triangles).map_err(LabError::from))
        .collect();
    let shapes = shapes?;
    let (mut wrong, mut looked_at) = (0, Digest::default());
    let place = |number: usize| [number % side, number / side % side, number / side / side];
    for a in 0..assembly.parts.len() {
        let neighbours = (0..27).filter_map(|k| {
            let by = [k % 3, k / 3 % 3, k / 9];
            let mut there = [0; 3];
            for axis in 0..3 {
                there[axis] = (place(a)[axis] + by[axis]).checked_sub(1).filter(|&x| x < side)?;
            }
            Some(there[0] + side * (there[1] + side * there[2])).filter(|&b| b > a)
        });
        for b in neighbours {
            let (of_a, of_b) = (&assembly.parts[a], &assembly.parts[b]);
            let (shape_a, shape_b) = (&shapes[of_a.geometry], &shapes[of_b.geometry]);
            let gap = distance(shape_a, &of_a.pose, shape_b, &of_b.pose);
            looked_at.note(&(a, b), &gap);
            let proved = looked_at.count % 100 != 0 || gap.verify(shape_a, &of_a.pose, shape_b, &of_b.pose).is_ok();
            wrong +=
                u64::from(found.contains(&(a, b)) != (gap.gap.upper < CLEARANCE || gap.gap.value == 0.0) || !proved);
        }
    }
    Ok((wrong, looked_at))
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let sides: &[usize] = if options.quick { &[5, 10] } else { &[10, 22, 46] };
    let folder = std::env::temp_dir().join(format!("clearance-check-scale-{}", std::process::id()));
    let bad = |problem: String| LabError::BadData { path: folder.clone(), problem };
    std::fs::create_dir_all(&folder).map_err(|error| bad(error.to_string()))?;
    let done = rows(sides, options.seed, &folder);
    std::fs::remove_dir_all(&folder).map_err(|error| bad(error.to_string()))?;
    let (rows, cases) = done?;
    Ok(Report {
        experiment: EXPERIMENT.name,
        rows,
        cases,
        more: Vec::new(),
        goals: Vec::new(),
        markdown: None,
        plot: None,
        provenance: Provenance::here(rayon::current_num_threads()),
    })
}

fn rows(sides: &[usize], seed: u64, folder: &Path) -> Result<(Vec<Row>, u64), LabError> {
    let mut random = Random::new(seed);
    let (mut rows, mut cases) = (Vec::new(), 0);
    let mut before: Option<(f64, f64)> = None;
    for &side in sides {
        let path = folder.join(format!("{side}.glb"));
        let bad = |problem: String| LabError::BadData { path: path.clone(), problem };
        write(&assembly(side, &mut random)?, &path).map_err(|error| bad(error.to_string()))?;
        let rules = Rules::new(Limits { clearance: CLEARANCE, touch: Some(0.0), ..Limits::default() });
        let paths = [path.clone()];
        let ((model, load), load_peak) = allocation::peak(|| timed(|| Model::load(&paths, &LoadOptions::default())));
        let model = model.map_err(|error| bad(error.to_string()))?;
        let ((report, seconds), peak) = allocation::peak(|| timed(|| check(&model, &rules, None, &|_, _| {})));
        let report = report.map_err(|error| bad(error.to_string()))?;
        let number = |name: &str| name.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or(usize::MAX);
        let found: BTreeSet<(usize, usize)> = report.findings.iter().map(|f| (number(&f.a), number(&f.b))).collect();
        let (wrong, looked_at) = wrong(&path, side, &found)?;
        cases += looked_at.count;
        let mut answers = Digest::of(&report);
        answers.add(looked_at);
        let parts = report.counts.parts as f64;
        let triangles: u64 = report.inputs.iter().map(|input| input.triangles).sum();
        let growth = before.map(|(parts_before, before)| (seconds / before).ln() / (parts / parts_before).ln());
        before = Some((parts, seconds));
        let mut more = vec![
            ("us_per_part", json!(rounded(1e6 * seconds / parts, 2))),
            ("triangles", json!(triangles)),
            ("tested", json!(report.counts.tested)),
            ("findings", json!(report.findings.len())),
            ("load_ms", json!(rounded(1e3 * load, 1))),
            ("load_mb", json!(rounded(load_peak as f64 / 1e6, 1))),
            ("check_mb", json!(rounded(peak as f64 / 1e6, 1))),
        ];
        more.extend(growth.map(|growth| ("growth", json!(rounded(growth, 2)))));
        rows.push(Row {
            case: format!("{parts} parts"),
            ours: rounded(1e3 * seconds, 2),
            unit: "ms",
            peer: None,
            wrong,
            answers,
            more,
        });
    }
    Ok((rows, cases))
}

#[cfg(test)]
mod tests {
    #[test]
    fn pairs_are_those_of_the_lattice() {
        let report = crate::experiments::quick(super::run);
        assert!(report.cases > 9000 && report.rows.len() == 2);
        assert!(
            report.rows[1].more.iter().any(|(key, value)| *key == "findings" && value.as_u64() > Some(50)),
            "{}",
            report.to_text()
        );
    }
}
