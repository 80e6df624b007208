//! Models from files and generated ones, for tests of meshes.

use std::io::Write;
use std::path::{Path, PathBuf};

pub use clearance_oracle::lists::{Lists as Model, cuboid};

/// Prints past the test harness, which hides the output of passing tests.
pub fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// `../shared/data` beside the project, or the value of `CLEARANCE_DATA`.
pub fn data_folder() -> PathBuf {
    std::env::var_os("CLEARANCE_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from)
}

/// The OBJ files of a folder of the shared data, by name; prints a message if there are none.
pub fn models_in(folder: &str) -> Vec<(String, Model)> {
    let path = data_folder().join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&path).map_or(Vec::new(), |entries| {
        entries.flatten().map(|entry| entry.path()).filter(|p| p.extension().is_some_and(|e| e == "obj")).collect()
    });
    files.sort();
    if files.is_empty() {
        say(&format!("SKIPPED: no models in {folder} of the shared data (`../shared/data`, or set CLEARANCE_DATA)"));
    }
    files.iter().map(|file| (file.file_stem().unwrap().to_string_lossy().into_owned(), read(file))).collect()
}

/// All parts of a file, in place, as one model.
fn read(path: &Path) -> Model {
    let assembly = clearance_files::read(path).unwrap_or_else(|error| panic!("{error}"));
    assembly.parts.iter().fold(Model::default(), |whole, part| {
        let geometry = &assembly.geometries[part.geometry];
        let points = geometry.points.iter().map(|&point| part.pose.transform_point(point.into()).to_array());
        together(&whole, &(points.collect(), geometry.triangles.clone()))
    })
}

/// A torus about the z axis, of `around` by `across` squares, each split in two.
pub fn torus(large: f64, small: f64, around: u32, across: u32) -> Model {
    let angle = |i: u32, of: u32| f64::from(i) / f64::from(of) * std::f64::consts::TAU;
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    let mut model = (Vec::new(), Vec::new());
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (angle(i, around), angle(j, across));
            let radius = large + small * v.cos();
            model.0.push([radius * u.cos(), radius * u.sin(), small * v.sin()]);
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            model.1.extend([[a, b, c], [a, c, d]]);
        }
    }
    model
}

/// Both in one list.
pub fn together(a: &Model, b: &Model) -> Model {
    let offset = a.0.len() as u32;
    let points = a.0.iter().chain(&b.0).copied().collect();
    (points, a.1.iter().copied().chain(b.1.iter().map(|t| t.map(|p| p + offset))).collect())
}

pub fn moved(model: &Model, by: [f64; 3]) -> Model {
    (model.0.iter().map(|p| [p[0] + by[0], p[1] + by[1], p[2] + by[2]]).collect(), model.1.clone())
}

/// Each triangle with its own points.
pub fn soup(model: &Model) -> Model {
    let points = model.1.iter().flatten().map(|&p| model.0[p as usize]).collect();
    (points, (0..model.1.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}
