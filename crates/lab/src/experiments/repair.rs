//! Meshes of real files repaired within a tolerance: how many geometries are solids as given, and how many become
//! solids at which tolerance, relative to the diagonal of their boxes.
//!
//! Every repair is compared with samples: points on a grid of the triangles that changed, and their corners, by the
//! distance from the triangles of the other mesh, which a plain grid of cells finds. No sample may be farther than the
//! bound. `verify` proves each repair as well. Where a mesh has many triangles that changed only some are sampled, by
//! seed.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::timed;
use crate::models::Random;
use crate::report::{Goal, Report, Row, rounded};
use clearance::Mesh;
use clearance::answer::Repaired;
use clearance::glam::DVec3;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "repair",
    about: "how many meshes of real files become solids at which tolerance, and whether the bounds hold",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// What `--data` has to point to.
const WANTED: &str = "a folder with at least one of the folders drake, levels, meshes, robots, assemblies";

/// The folders that are read.
const FOLDERS: [&str; 5] = ["drake", "levels", "meshes", "robots", "assemblies"];

/// Tolerances, relative to the diagonal of a geometry's box.
const TOLERANCES: [f64; 5] = [0.0, 1e-6, 1e-5, 1e-4, 1e-3];

/// What rounding does to a sample, relative to the largest coordinate: some dozen operations.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// How many triangles that changed are sampled, for each mesh and direction.
const SAMPLED: usize = 200;

/// A geometry to repair.
struct Given {
    mesh: Mesh,
    diagonal: f64,
}

/// What was found at one tolerance, over the geometries of a row.
#[derive(Default)]
struct Found {
    solids: usize,
    seconds: f64,
    largest: f64,
    wrong: u64,
}

fn run(options: &Options) -> Result<Report, LabError> {
    let Some(data) = &options.data else {
        if options.quick {
            return made(options);
        }
        return Err(LabError::MissingData { experiment: "repair", path: None, wanted: WANTED });
    };
    let folders: Vec<PathBuf> = FOLDERS.iter().map(|name| data.join(name)).filter(|folder| folder.is_dir()).collect();
    if folders.is_empty() {
        return Err(LabError::MissingData { experiment: "repair", path: Some(data.clone()), wanted: WANTED });
    }
    let mut rows = Vec::new();
    let mut goals = Vec::new();
    for folder in &folders {
        let mut files = files_of(folder)?;
        if options.quick {
            files.truncate(3);
        }
        // Robots have many small files: one row for all of them.
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut cases: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for file in files {
            let stem = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let case = if name == "robots" { name.clone() } else { format!("{name}/{stem}") };
            cases.entry(case).or_default().push(file);
        }
        for (case, files) in cases {
            let given: Vec<Given> = files.iter().flat_map(|file| geometries(file)).collect();
            if given.is_empty() {
                continue;
            }
            let (own, solids) = rows_of(&case, &given, options);
            if case.starts_with("assemblies/2CylinderEngine") {
                let goal = "most geometries of 2CylinderEngine.glb become solids at 1e-3".to_owned();
                let seen = format!("{solids} of {}", given.len());
                goals.push(Goal { goal, seen: json!(seen), met: 2 * solids > given.len() });
            }
            rows.extend(own);
        }
    }
    Ok(report(rows, goals))
}

/// A report of some rows.
fn report(rows: Vec<Row>, goals: Vec<Goal>) -> Report {
    let cases = rows.iter().map(|row| row.answers.count).sum();
    Report { goals, ..Report::plain(EXPERIMENT.name, rows, cases, rayon::current_num_threads()) }
}

/// Without data: spheres whose triangles have points of their own, moved a little.
fn made(options: &Options) -> Result<Report, LabError> {
    let mut random = Random::new(options.seed, 0x5EA1);
    let model = crate::meshes::generate::bumpy_sphere(300);
    let mut given = Vec::new();
    for jitter in [0.0, 1e-7, 1e-5] {
        let mut corner = |p: &u32| DVec3::from(model.points[*p as usize]) + random.direction() * jitter;
        let points: Vec<[f64; 3]> = model.triangles.iter().flatten().map(|p| corner(p).to_array()).collect();
        let triangles: Vec<[u32; 3]> =
            (0..model.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = Mesh::new(&points, &triangles)?;
        given.push(Given { diagonal: diagonal(&mesh), mesh });
    }
    Ok(report(rows_of("made", &given, options).0, Vec::new()))
}

fn diagonal(mesh: &Mesh) -> f64 {
    let (low, high) = mesh
        .points()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| (low.min(point), high.max(point)));
    (high - low).length()
}

/// All files below a folder that may have triangles, in the order of their paths.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, LabError> {
    let bad = |problem: std::io::Error| LabError::BadData { path: folder.to_owned(), problem: problem.to_string() };
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).map_err(bad)? {
            let path = entry.map_err(bad)?.path();
            let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            if path.is_dir() {
                open.push(path);
            } else if ["stl", "obj", "ply", "off", "glb", "gltf", "3mf"].contains(&ending.as_str()) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The geometries of a file; none if it cannot be read, which is said.
fn geometries(path: &Path) -> Vec<Given> {
    let assembly = match clearance_files::read(path) {
        Ok(assembly) => assembly,
        Err(error) => {
            eprintln!("lab: left out: {error}");
            return Vec::new();
        }
    };
    let meshes = assembly.geometries.iter().filter_map(|it| Mesh::new(&it.points, &it.triangles).ok());
    meshes.map(|mesh| Given { diagonal: diagonal(&mesh), mesh }).collect()
}

/// One row for each tolerance, and how many solids there are at the last.
fn rows_of(case: &str, given: &[Given], options: &Options) -> (Vec<Row>, usize) {
    let solids_given = given.iter().filter(|it| it.mesh.solid().is_ok()).count();
    let (mut rows, mut last) = (Vec::new(), 0);
    for tolerance in TOLERANCES {
        let (mut found, mut answers) = (Found::default(), Digest::default());
        for (number, it) in given.iter().enumerate() {
            let (answer, seconds) = timed(|| it.mesh.repaired(tolerance * it.diagonal));
            let repaired = match answer {
                Ok(repaired) => repaired,
                Err(error) => {
                    eprintln!("lab: {case}, geometry {number}: {error}");
                    found.wrong += 1;
                    continue;
                }
            };
            answers.push(&repaired);
            found.seconds += seconds;
            found.solids += usize::from(repaired.report.is_solid);
            if it.diagonal > 0.0 {
                found.largest = found.largest.max(repaired.report.distance / it.diagonal);
            }
            let fault = fault(&it.mesh, &repaired, &mut Random::new(options.seed, number as u64));
            if let Some(fault) = fault {
                eprintln!("lab: {case}, geometry {number}, tolerance {tolerance}: {fault}");
                found.wrong += 1;
            }
        }
        last = found.solids;
        rows.push(Row {
            case: format!("{case}, {tolerance:e}"),
            ours: rounded(1e3 * found.seconds, 3),
            unit: "ms",
            peer: None,
            wrong: found.wrong,
            answers,
            more: vec![
                ("geometries", json!(given.len())),
                ("solids_given", json!(solids_given)),
                ("solids", json!(found.solids)),
                ("largest_distance", json!(rounded(found.largest, 3))),
            ],
        });
    }
    (rows, last)
}

/// What is wrong with a repair.
fn fault(given: &Mesh, repaired: &Repaired, random: &mut Random) -> Option<String> {
    if let Err(refusal) = repaired.verify(given) {
        return Some(format!("verify: {refusal}"));
    }
    let report = &repaired.report;
    if report.is_unchanged() {
        return None;
    }
    let size = given.points().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let directions = [(given, &repaired.mesh, report.given_to_used), (&repaired.mesh, given, report.used_to_given)];
    for (from, to, bound) in directions {
        let (own, others) = (corners_of(from), Cells::new(corners_of(to)));
        let is_same = |corners: &[DVec3; 3]| others.has(corners);
        let mut changed: Vec<[DVec3; 3]> = own.into_iter().filter(|corners| !is_same(corners)).collect();
        while changed.len() > SAMPLED {
            let gone = (random.between(0.0, 1.0) * changed.len() as f64) as usize;
            changed.swap_remove(gone.min(changed.len() - 1));
        }
        for corners in changed {
            for sample in samples(corners) {
                let away = others.distance(sample);
                if away > bound + ROUNDING * size {
                    return Some(format!("a point at {sample} is {away} away, the bound is {bound}"));
                }
            }
        }
    }
    None
}

fn corners_of(mesh: &Mesh) -> Vec<[DVec3; 3]> {
    let points: Vec<DVec3> = mesh.points().collect();
    mesh.triangles().iter().map(|triangle| triangle.map(|p| points[p as usize])).collect()
}

/// Points of a triangle, on a grid.
fn samples([p, q, r]: [DVec3; 3]) -> Vec<DVec3> {
    const GRID: u32 = 4;
    let all = (0..=GRID).flat_map(|i| (0..=GRID - i).map(move |j| (i, j)));
    all.map(|(i, j)| p + (q - p) * (f64::from(i) / f64::from(GRID)) + (r - p) * (f64::from(j) / f64::from(GRID)))
        .collect()
}

/// Triangles sorted by the middle of their boxes along x, with the largest half width: a search goes outwards from a
/// point until what is left is farther along x than the nearest found.
struct Cells {
    faces: Vec<(f64, [DVec3; 3])>,
    half: f64,
    keys: std::collections::BTreeSet<[[u64; 3]; 3]>,
}

fn key(corners: &[DVec3; 3]) -> [[u64; 3]; 3] {
    let mut key = corners.map(|p| p.to_array().map(|x| (x + 0.0).to_bits()));
    key.sort_unstable();
    key
}

impl Cells {
    fn new(faces: Vec<[DVec3; 3]>) -> Cells {
        let ends = |corners: &[DVec3; 3]| {
            let low = corners.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
            let high = corners.iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
            (low, high)
        };
        let half = faces.iter().map(|face| 0.5 * (ends(face).1 - ends(face).0)).fold(0.0, f64::max);
        let keys = faces.iter().map(key).collect();
        let mut faces: Vec<(f64, [DVec3; 3])> =
            faces.into_iter().map(|face| (0.5 * (ends(&face).0 + ends(&face).1), face)).collect();
        faces.sort_by(|a, b| a.0.total_cmp(&b.0));
        Cells { faces, half, keys }
    }

    fn has(&self, corners: &[DVec3; 3]) -> bool {
        self.keys.contains(&key(corners))
    }

    fn distance(&self, point: DVec3) -> f64 {
        let middle = self.faces.partition_point(|face| face.0 < point.x);
        let (mut best, mut step) = (f64::INFINITY, 0);
        let (mut is_left, mut is_right) = (true, true);
        while is_left || is_right {
            for (place, is_open) in [(middle.checked_sub(step + 1), &mut is_left), (Some(middle + step), &mut is_right)]
            {
                let face = place.filter(|_| *is_open).and_then(|place| self.faces.get(place));
                match face {
                    Some((x, face)) if (x - point.x).abs() - self.half <= best => {
                        best = best.min(distance_to(*face, point));
                    }
                    _ => *is_open = false,
                }
            }
            step += 1;
        }
        best
    }
}

/// The distance of a point from a triangle: from its plane above its inside, else from the nearest side.
fn distance_to([p, q, r]: [DVec3; 3], point: DVec3) -> f64 {
    let normal = (q - p).cross(r - p);
    let sides = [(p, q), (q, r), (r, p)];
    let is_above = sides.iter().all(|&(from, to)| (to - from).cross(point - from).dot(normal) >= 0.0);
    if is_above && normal != DVec3::ZERO {
        return (point - p).dot(normal).abs() / normal.length();
    }
    let to_side = |(from, to): (DVec3, DVec3)| {
        let along = to - from;
        let t = ((point - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (from + along * t - point).length()
    };
    sides.into_iter().map(to_side).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::quick;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = quick(run);
        assert_eq!(report.rows.len(), TOLERANCES.len());
        // Equal points are joined at once, the others at the tolerance that they need.
        let solids: Vec<_> = report.rows.iter().map(|row| row.more[2].1.clone()).collect();
        assert_eq!((&solids[0], &solids[4]), (&json!(1), &json!(3)));
    }

    #[test]
    fn missing_data_is_said() {
        let nowhere = Options { data: Some("no-such-folder".into()), ..Options::default() };
        assert!(matches!(run(&nowhere), Err(LabError::MissingData { .. })));
        assert!(matches!(run(&Options::default()), Err(LabError::MissingData { .. })));
    }

    #[test]
    fn the_search_agrees_with_all_faces() {
        let mut random = Random::new(1, 2);
        let mut point = || random.direction() * 2.0;
        let faces: Vec<[DVec3; 3]> = (0..60).map(|_| [point(), point(), point()]).collect();
        let cells = Cells::new(faces.clone());
        for _ in 0..50 {
            let sample = point();
            let all = faces.iter().map(|&face| distance_to(face, sample)).fold(f64::INFINITY, f64::min);
            assert_eq!(cells.distance(sample), all);
        }
    }
}
