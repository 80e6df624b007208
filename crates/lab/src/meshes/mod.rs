//! Triangle meshes as plain numbers, before any library has seen them: read from files, or made here.
//!
//! Files are read by `clearance-files`. Here a file is one mesh: its parts, where they are, together. Nothing is
//! repaired, and every triangle is kept. STL has no vertices, so corners with the same coordinates become one vertex.

pub mod generate;
pub mod objects;
pub mod scenery;
pub mod tets;

use clearance_files::{Error, Format};

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

/// Reads one mesh. A glTF or 3MF file is placed in the world.
pub fn read(path: &Path) -> Result<Model, LabError> {
    let bad = |error: Error| {
        let message = error.to_string();
        let file = format!("{}: ", path.display());
        let problem = message.strip_prefix(&file).unwrap_or(&message).to_owned();
        LabError::BadData { path: path.to_owned(), problem }
    };
    let mut assembly = clearance_files::read(path).map_err(bad)?;
    if Format::by_ending(path) == Some(Format::Stl) {
        assembly.weld(0.0).map_err(bad)?;
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let whole = assembly.as_one();
    Ok(Model { name, points: whole.points, triangles: whole.triangles })
}

/// Reads every mesh of a folder, not of the folders in it, in the order of the files' names. Files of other kinds are
/// passed over; a mesh that cannot be read is an error.
pub fn read_folder(folder: &Path) -> Result<Vec<Model>, LabError> {
    let bad = |error: std::io::Error| LabError::BadData { path: folder.to_owned(), problem: error.to_string() };
    let entries: Vec<_> = std::fs::read_dir(folder).and_then(Iterator::collect).map_err(bad)?;
    let mut paths: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    paths.retain(|path| Format::by_ending(path).is_some() && path.is_file());
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
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
        assert!(message.contains("bad.obj: line 2: `nought`"), "{message}");
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
