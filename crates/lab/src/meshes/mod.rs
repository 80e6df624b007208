//! Triangle meshes as plain numbers, before any library has seen them: read from files, or made here.
//!
//! The readers are as small as the experiments allow. They keep every triangle of a file, repair nothing, and an error
//! names the file and the line, or the byte where the file is binary. OBJ, PLY and OFF keep the vertices of the file;
//! STL has none, so corners with the same coordinates become one vertex.

pub mod generate;
mod obj;
mod off;
mod ply;
mod stl;

use crate::error::LabError;
use std::path::{Path, PathBuf};

/// A triangle mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// What it is called in tables: the file's name without its ending, or the kind of surface.
    pub name: String,
    /// Vertices, all finite.
    pub points: Vec<[f64; 3]>,
    /// Triangles by their vertices, each an index into `points`; corners may coincide where the file says so.
    pub triangles: Vec<[u32; 3]>,
}

impl Model {
    /// The least and the greatest coordinates of the vertices; `None` without vertices.
    pub fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let first = *self.points.first()?;
        Some(self.points.iter().fold([first, first], |[low, high], point| {
            [
                std::array::from_fn(|axis| f64::min(low[axis], point[axis])),
                std::array::from_fn(|axis| f64::max(high[axis], point[axis])),
            ]
        }))
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [[f64; 3]; 3] {
        self.triangles[triangle].map(|index| self.points[index as usize])
    }
}

/// Moves the centre of the bounding box to the origin and scales the longest side to 1. A mesh without extent is moved
/// only.
pub fn into_unit_cube(model: &mut Model) {
    let Some([low, high]) = model.bounds() else { return };
    let longest = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
    let scale = if longest > 0.0 { longest } else { 1.0 };
    for point in &mut model.points {
        *point = std::array::from_fn(|axis| (point[axis] - 0.5 * (low[axis] + high[axis])) / scale);
    }
}

/// A file format, by the ending of the name.
#[derive(Clone, Copy)]
enum Format {
    Obj,
    Off,
    Ply,
    Stl,
}

/// The format of a file; `None` if it is no mesh.
fn format_of(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "obj" => Some(Format::Obj),
        "off" => Some(Format::Off),
        "ply" => Some(Format::Ply),
        "stl" => Some(Format::Stl),
        _ => None,
    }
}

/// Vertices and triangles, or what is wrong and where in the file.
type Parsed = Result<(Vec<[f64; 3]>, Vec<[u32; 3]>), String>;

/// Reads one mesh; the ending of the file's name says in which format.
pub fn read(path: &Path) -> Result<Model, LabError> {
    let bad = |problem: String| LabError::BadData { path: path.to_owned(), problem };
    let format = format_of(path).ok_or_else(|| bad("neither .obj, .off, .ply nor .stl".into()))?;
    let bytes = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
    let (points, triangles) = match format {
        Format::Obj => obj::parse(&bytes),
        Format::Off => off::parse(&bytes),
        Format::Ply => ply::parse(&bytes),
        Format::Stl => stl::parse(&bytes),
    }
    .map_err(bad)?;
    if triangles.is_empty() {
        return Err(bad("no triangles".into()));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Model { name, points, triangles })
}

/// Reads every mesh of a folder, not of the folders in it, in the order of the files' names. Files of other kinds are
/// passed over; a mesh that cannot be read is an error.
pub fn read_folder(folder: &Path) -> Result<Vec<Model>, LabError> {
    let bad = |error: std::io::Error| LabError::BadData { path: folder.to_owned(), problem: error.to_string() };
    let entries: Vec<_> = std::fs::read_dir(folder).and_then(Iterator::collect).map_err(bad)?;
    let mut paths: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    paths.retain(|path| format_of(path).is_some() && path.is_file());
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

/// A coordinate; what is wrong with it otherwise, without the place.
fn coordinate(word: Option<&str>) -> Result<f64, String> {
    let word = word.ok_or("a coordinate is missing")?;
    let number: f64 = word.parse().map_err(|_| format!("`{word}` is no number"))?;
    finite(number)
}

/// The number, if it is finite.
fn finite(number: f64) -> Result<f64, String> {
    if number.is_finite() { Ok(number) } else { Err(format!("the coordinate {number} is not finite")) }
}

/// Cuts a polygon into the triangles between its first corner and its other sides.
fn fan<'a>(polygon: &'a [u32]) -> impl Iterator<Item = [u32; 3]> + 'a {
    polygon.windows(2).skip(1).map(|side| [polygon[0], side[0], side[1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for each test, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Folder {
            let folder = std::env::temp_dir().join(format!("clearance-meshes-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            for (name, text) in files {
                std::fs::write(folder.join(name), text).unwrap();
            }
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    const TRIANGLE: &str = "v 0 0 0\nv 2 0 0\nv 0 4 0\nf 1 2 3\n";

    #[test]
    fn a_folder_is_read_in_order_of_names() {
        let off = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
        let folder = Folder::new("order", &[("b.OBJ", TRIANGLE), ("a.off", off), ("notes.txt", "nothing")]);
        let models = read_folder(&folder.0).unwrap();
        assert_eq!(models.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(models[1].corners(0), [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    }

    #[test]
    fn errors_name_the_file() {
        let folder = Folder::new("broken", &[("bad.obj", "v 0 0 0\nv 1 nought 0\n"), ("empty.obj", "v 0 0 0\n")]);
        let message = read(&folder.0.join("bad.obj")).unwrap_err().to_string();
        assert!(message.contains("bad.obj: line 2: `nought` is no number"), "{message}");
        let message = read(&folder.0.join("empty.obj")).unwrap_err().to_string();
        assert!(message.contains("empty.obj: no triangles"), "{message}");
        assert!(read(&folder.0.join("notes.txt")).is_err());
        assert!(read(&folder.0.join("absent.ply")).is_err());
        assert!(read_folder(&folder.0).is_err());
        assert!(read_folder(&folder.0.join("nowhere")).is_err());
    }

    #[test]
    fn a_mesh_fits_the_unit_cube() {
        let folder = Folder::new("cube", &[("t.obj", TRIANGLE)]);
        let mut model = read(&folder.0.join("t.obj")).unwrap();
        into_unit_cube(&mut model);
        assert_eq!(model.bounds(), Some([[-0.25, -0.5, 0.0], [0.25, 0.5, 0.0]]));
        let mut point = Model { name: "point".into(), points: vec![[3.0, 4.0, 5.0]; 3], triangles: vec![[0, 1, 2]] };
        into_unit_cube(&mut point);
        assert_eq!(point.points, [[0.0; 3]; 3]);
        let mut nothing = Model { points: vec![], triangles: vec![], ..point };
        into_unit_cube(&mut nothing);
        assert_eq!(nothing.bounds(), None);
    }
}
