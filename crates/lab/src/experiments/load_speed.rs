//! How fast files are read: one mesh of about a million triangles in every format, and the files of a folder, by
//! `clearance_files::read` from a file whose bytes the system has in memory; against trimesh.
//!
//! The text of STL and PLY has numbers in single precision, six to nine digits, as most programs write them; that of
//! OBJ, OFF and 3MF in double precision, to the last bit, sixteen digits and more. Every read is checked, apart from
//! its timing: points and triangles are those that were written, in their order, as far as the format holds them. Files
//! of a folder have to give the same each time.
//!
//! The sides take turns: each file is read once by us and once by the peer, which has a process of its own that stays
//! open and looks at its own clock, then the next file, and so on several times over; a peer that has spent five
//! seconds on a file is not asked for it again. `worst_ratio` is that of the least favourable turn; `best_mb_per_s`
//! goes by the least time, as a busy machine only ever adds to one. `peak` is the most memory that a read holds at
//! once, the file's bytes and the result included, in bytes per byte of the file. `peer_off` is 1 where the peer has
//! another number of triangles than we, and `peer_error` what it says of a file that it does not load.

use super::{Experiment, Flag, Options};
use crate::allocation;
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::meshes::Model;
use crate::meshes::generate::bumpy_sphere;
use crate::peers::HOW_TO_ENABLE;
use crate::peers::trimesh::{self, Trimesh};
use crate::report::{Peer, Provenance, Report, Row, rounded};
use clearance::Pose;
use clearance_files::{Assembly, Error, Format, Geometry, Part, Unit, read, write};
use indicatif::ProgressIterator;
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "load-speed",
    about: "reading a mesh of a million triangles in every format, or the files of a folder, against trimesh",
    flags: &[Flag::Data, Flag::Quick],
    run,
};

/// What `--data` has to point to.
const WANTED: &str = "a folder with meshes (.stl, .obj, .ply, .off, .gltf, .glb, .3mf)";

/// Seconds that the peer may spend on one file before it is not asked for it again.
const PATIENCE: f64 = 5.0;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, LabError> {
        // Tests run several experiments in one process.
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("clearance-load-speed-{}-{number}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        std::fs::create_dir_all(&folder.0).map_err(|error| bad(&folder.0, &error))?;
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn bad(path: &Path, problem: &dyn std::fmt::Display) -> LabError {
    LabError::BadData { path: path.to_owned(), problem: problem.to_string() }
}

/// A file to read, and what has to come out.
struct File {
    case: String,
    path: PathBuf,
    bytes: u64,
    expected: Vec<Geometry>,
    /// Whether `expected` is what was written, not only what the first read gave.
    known: bool,
}

impl File {
    fn new(case: String, path: PathBuf, expected: Vec<Geometry>, known: bool) -> Result<File, LabError> {
        let bytes = std::fs::metadata(&path).map_err(|error| bad(&path, &error))?.len();
        Ok(File { case, path, bytes, expected, known })
    }

    /// What is wrong with what was read.
    fn fault(&self, found: &Result<Assembly, Error>) -> Option<String> {
        let found = match found {
            Ok(found) => &found.geometries,
            Err(error) => return Some(error.to_string()),
        };
        if found.len() != self.expected.len() {
            return Some(format!("{} geometries, not {}", found.len(), self.expected.len()));
        }
        found.iter().zip(&self.expected).find_map(|(found, expected)| {
            let [points, triangles] = [found.points.len(), found.triangles.len()];
            let is_same = |a: &[f64; 3], b: &[f64; 3]| a.map(f64::to_bits) == b.map(f64::to_bits);
            match () {
                () if points != expected.points.len() => {
                    Some(format!("{points} points, not {}", expected.points.len()))
                }
                () if triangles != expected.triangles.len() => {
                    Some(format!("{triangles} triangles, not {}", expected.triangles.len()))
                }
                () if found.triangles != expected.triangles => Some("other triangles than were written".into()),
                () if !found.points.iter().zip(&expected.points).all(|(a, b)| is_same(a, b)) => {
                    Some("other points than were written".into())
                }
                () => None,
            }
        })
    }
}

/// Each number in single precision.
fn single(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    points.iter().map(|point| point.map(|part| f64::from(part as f32))).collect()
}

/// Each number in the digits that tell it from all others of single precision: what text in single precision says. As a
/// double that is not the number itself.
fn in_digits(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    points.iter().map(|point| point.map(|part| (part as f32).to_string().parse().unwrap_or(f64::NAN))).collect()
}

/// Three points of its own for each triangle, as STL has them.
fn soup(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Geometry {
    let corners = triangles.iter().flatten().map(|&corner| points[corner as usize]).collect();
    let triangles = (0..triangles.len() as u32).map(|number| [3 * number, 3 * number + 1, 3 * number + 2]).collect();
    Geometry { name: String::new(), points: corners, triangles }
}

/// ASCII STL in single precision. Writing to a text cannot fail.
fn ascii_stl(model: &Model) -> String {
    let mut text = String::from("solid sphere\n");
    for corners in model.triangles.iter().map(|triangle| triangle.map(|corner| model.points[corner as usize])) {
        text += "  facet normal 0.000000e+00 0.000000e+00 0.000000e+00\n    outer loop\n";
        for [x, y, z] in corners.map(|point| point.map(|part| part as f32)) {
            let _ = writeln!(text, "      vertex {x:e} {y:e} {z:e}");
        }
        text += "    endloop\n  endfacet\n";
    }
    text + "endsolid sphere\n"
}

/// ASCII PLY in single precision.
fn ascii_ply(model: &Model) -> String {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        model.points.len(),
        model.triangles.len()
    );
    for [x, y, z] in model.points.iter().map(|point| point.map(|part| part as f32)) {
        let _ = writeln!(text, "{x} {y} {z}");
    }
    for [a, b, c] in &model.triangles {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    text
}

/// OFF in double precision.
fn off(model: &Model) -> String {
    let mut text = format!("OFF\n{} {} 0\n", model.points.len(), model.triangles.len());
    for [x, y, z] in &model.points {
        let _ = writeln!(text, "{x} {y} {z}");
    }
    for [a, b, c] in &model.triangles {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    text
}

/// The mesh in every format.
fn written(model: &Model, folder: &Path) -> Result<Vec<File>, LabError> {
    let exact = Geometry { name: "sphere".into(), points: model.points.clone(), triangles: model.triangles.clone() };
    let rounded = Geometry { points: single(&model.points), ..exact.clone() };
    let in_digits = Geometry { points: in_digits(&model.points), ..exact.clone() };
    let soup = |geometry: &Geometry| soup(&geometry.points, &geometry.triangles);
    let parts = vec![Part { name: "sphere".into(), geometry: 0, pose: Pose::IDENTITY }];
    // In metres, so that GLB scales nothing.
    let assembly = Assembly { geometries: vec![exact.clone()], parts, unit: Some(Unit::Metre), notes: Vec::new() };
    let mut files = Vec::new();
    for (case, name, text, expected) in [
        ("STL, binary", "binary.stl", None, soup(&rounded)),
        ("STL, ASCII", "ascii.stl", Some(ascii_stl(model)), soup(&in_digits)),
        ("OBJ", "mesh.obj", None, exact.clone()),
        ("PLY, binary", "binary.ply", None, exact.clone()),
        ("PLY, ASCII", "ascii.ply", Some(ascii_ply(model)), in_digits),
        ("OFF", "mesh.off", Some(off(model)), exact.clone()),
        ("GLB", "mesh.glb", None, rounded),
        ("3MF", "mesh.3mf", None, exact),
    ] {
        let path = folder.join(name);
        match text {
            Some(text) => std::fs::write(&path, text).map_err(|error| bad(&path, &error))?,
            None => {
                write(&assembly, &path).map_err(|error| bad(&path, &error))?;
            }
        }
        let case = format!("{case}, {} triangles", model.triangles.len());
        files.push(File::new(case, path, vec![expected], true)?);
    }
    Ok(files)
}

/// The files of a folder, not of the folders in it, in the order of their names; those without triangles are passed
/// over.
fn found(folder: &Path) -> Result<Vec<File>, LabError> {
    let entries: Vec<_> = std::fs::read_dir(folder).and_then(Iterator::collect).map_err(|error| bad(folder, &error))?;
    let mut paths: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    paths.retain(|path| Format::by_ending(path).is_some() && path.is_file());
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        match read(&path) {
            Ok(assembly) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let case = format!("{name}, {} triangles", assembly.triangles());
                files.push(File::new(case, path, assembly.geometries, false)?);
            }
            Err(Error::NoTriangles { .. }) => eprintln!("lab: {}: no triangles, left out", path.display()),
            Err(error) => return Err(bad(&path, &error)),
        }
    }
    Ok(files)
}

/// What was seen of one file.
#[derive(Default)]
struct Seen {
    /// Seconds of each turn.
    ours: Vec<f64>,
    theirs: Vec<f64>,
    faults: Vec<String>,
    peak: u64,
    triangles: u64,
    answers: Digest,
    their_triangles: Option<u64>,
    their_problem: Option<String>,
}

/// Reads a file on both sides.
fn turn(file: &File, peer: Option<&mut Trimesh>, seen: &mut Seen) {
    let (found, seconds) = timed(|| read(&file.path));
    seen.ours.push(seconds);
    seen.faults.extend(file.fault(&found));
    drop(found);
    let is_slow = seen.theirs.iter().sum::<f64>() > PATIENCE;
    if let (Some(peer), None, false) = (peer, &seen.their_problem, is_slow) {
        match peer.load(&file.path) {
            Ok(loaded) => {
                seen.theirs.push(loaded.seconds);
                seen.their_triangles = Some(loaded.triangles);
            }
            Err(problem) => seen.their_problem = Some(problem),
        }
    }
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The row of a file.
fn row(file: &File, seen: Seen) -> Row {
    let per_second = |seconds: f64| json!(rounded(file.bytes as f64 / 1e6 / seconds, 1));
    let ours = median(seen.ours.clone());
    let mut more = vec![
        ("mb", json!(rounded(file.bytes as f64 / 1e6, 2))),
        ("mb_per_s", per_second(ours)),
        ("best_mb_per_s", per_second(least(&seen.ours))),
        ("triangles_per_us", json!(rounded(seen.triangles as f64 / ours / 1e6, 2))),
        ("peak", json!(rounded(seen.peak as f64 / file.bytes.max(1) as f64, 2))),
    ];
    let peer = (!seen.theirs.is_empty()).then(|| {
        let theirs = median(seen.theirs.clone());
        more.push(("their_mb_per_s", per_second(theirs)));
        more.push(("their_best_mb_per_s", per_second(least(&seen.theirs))));
        let turns = seen.theirs.iter().zip(&seen.ours).map(|(theirs, ours)| theirs / ours);
        Peer {
            name: trimesh::NAME,
            theirs: rounded(1e3 * theirs, 3),
            ratio: rounded(theirs / ours, 2),
            // A peer that took part in few turns may have met good ones only.
            worst_ratio: rounded(turns.fold(theirs / ours, f64::min), 2),
        }
    });
    if let Some(count) = seen.their_triangles {
        more.push(("peer_off", json!(u64::from(count != seen.triangles))));
    }
    if let Some(problem) = seen.their_problem {
        more.push(("peer_error", json!(problem)));
    }
    if let Some(why) = seen.faults.first() {
        more.push(("why", json!(why)));
    }
    let wrong = seen.faults.len() as u64;
    let (case, ours, answers) = (file.case.clone(), rounded(1e3 * ours, 3), seen.answers);
    Row { case, ours, unit: "ms", peer, wrong, answers, more }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    if let Some(path) = options.data.as_ref().filter(|path| !path.is_dir()) {
        return Err(LabError::MissingData { experiment: EXPERIMENT.name, path: Some(path.clone()), wanted: WANTED });
    }
    let folder = Folder::new()?;
    let mut files = written(&bumpy_sphere(if options.quick { 100_000 } else { 1_000_000 }), &folder.0)?;
    if let Some(data) = &options.data {
        files.extend(found(data)?);
    }
    let mut peer = match Trimesh::start() {
        Ok(peer) => Some(peer),
        Err(problem) if problem == HOW_TO_ENABLE => {
            eprintln!("lab: {HOW_TO_ENABLE}");
            None
        }
        Err(problem) => {
            eprintln!("lab: {problem}");
            None
        }
    };
    let mut seen: Vec<Seen> = files.iter().map(|_| Seen::default()).collect();
    // Once to have the bytes in memory, and to see how much memory it takes; not timed.
    for (file, seen) in files.iter().zip(&mut seen) {
        let (found, peak) = allocation::peak(|| read(&file.path));
        seen.faults.extend(file.fault(&found));
        seen.answers = Digest::of(&found);
        seen.triangles = found.map_or(0, |found| found.triangles());
        seen.peak = peak;
    }
    // The peer loads what it needs for a format with the first file of it.
    if let Some(peer) = &mut peer {
        let small = Folder::new()?;
        for file in written(&bumpy_sphere(1000), &small.0)? {
            let _ = peer.load(&file.path);
        }
    }
    let repeats: u32 = if options.quick { 2 } else { 5 };
    for _ in (0..repeats).progress() {
        for (file, seen) in files.iter().zip(&mut seen) {
            turn(file, peer.as_mut(), seen);
        }
    }
    let cases = files.len() as u64 * u64::from(repeats + 1);
    let known = files.iter().filter(|file| file.known).count();
    let rows = files.iter().zip(seen).map(|(file, seen)| row(file, seen)).collect();
    Ok(Report {
        goals: Vec::new(),
        markdown: None,
        experiment: EXPERIMENT.name,
        rows,
        cases,
        more: vec![("files_checked_by_content", json!(known))],
        plot: None,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::quick;

    #[test]
    fn every_format_is_read_as_it_was_written() {
        let report = quick(run);
        assert_eq!(report.rows.len(), 8);
        for row in &report.rows {
            let number = |key: &str| row.more.iter().find(|(name, _)| *name == key).and_then(|(_, it)| it.as_f64());
            assert!(number("mb_per_s").is_some_and(|rate| rate > 0.0), "{}", row.case);
            assert!(number("peak").is_some_and(|peak| peak >= 1.0), "{}", row.case);
        }
    }

    #[test]
    fn what_was_not_written_is_wrong() {
        let folder = Folder::new().unwrap();
        let model = bumpy_sphere(200);
        for mut file in written(&model, &folder.0).unwrap() {
            let found = read(&file.path);
            assert_eq!(file.fault(&found), None, "{}", file.case);
            file.expected[0].points[3][1] += 1e-6;
            assert_eq!(file.fault(&found).as_deref(), Some("other points than were written"));
            file.expected[0].triangles.swap(0, 1);
            assert_eq!(file.fault(&found).as_deref(), Some("other triangles than were written"));
            file.expected[0].triangles.pop();
            assert!(file.fault(&found).is_some_and(|fault| fault.contains("triangles, not")));
            assert!(file.fault(&read("no such file.stl")).is_some());
        }
    }

    #[test]
    fn files_of_a_folder_are_read_and_a_missing_one_is_said() {
        let folder = Folder::new().unwrap();
        std::fs::write(folder.0.join("b.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        std::fs::write(folder.0.join("a.obj"), "v 0 0 0\n").unwrap();
        std::fs::write(folder.0.join("notes.txt"), "nothing").unwrap();
        let files = found(&folder.0).unwrap();
        assert_eq!(files.iter().map(|file| file.case.as_str()).collect::<Vec<_>>(), ["b.obj, 1 triangles"]);
        std::fs::write(folder.0.join("c.obj"), "v 0 0\n").unwrap();
        assert!(matches!(found(&folder.0), Err(LabError::BadData { .. })));
        let options = Options { data: Some("no/such/folder".into()), ..Options::default() };
        assert!(matches!(run(&options), Err(LabError::MissingData { path: Some(_), .. })));
    }
}
