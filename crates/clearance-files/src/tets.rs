//! Meshes of tetrahedra: which format a file is in, and what its reader returns.

use std::path::Path;

use crate::error::{Error, Fault, Place};
use crate::input::read_input;
use crate::limits::{Budget, Limits, too_long};
use crate::note::{Note, NoteKind, Notes};
use crate::text::without_mark;
use crate::{gmsh, vtk};

/// The tetrahedra of a file, as [`TetMesh::new`](clearance::TetMesh::new) takes them.
///
/// Nothing is repaired: inverted and flat tetrahedra are there as the file has them, and
/// [`TetMesh::health`](clearance::TetMesh::health) names them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TetGeometry {
    /// All points of the file, also those that no tetrahedron uses.
    pub points: Vec<[f64; 3]>,
    /// Four indices into the points each, in the order of the file.
    pub tets: Vec<[u32; 4]>,
    /// What was left out: other elements, curved sides, fields.
    pub notes: Vec<Note>,
}

/// Reads a mesh of tetrahedra: Gmsh 2.2 or 4.1, or an unstructured grid of legacy VTK, ASCII or binary, by its content.
/// With the default [`Limits`].
///
/// # Errors
/// [`Error`], which names the file and the place in it. A file of one of these formats without a tetrahedron is
/// [`Error::NoTets`].
///
/// ```
/// let path = std::env::temp_dir().join(format!("clearance-tets-{}.vtk", std::process::id()));
/// let text = "# vtk DataFile Version 3.0\none\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n\
///     0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
/// std::fs::write(&path, text).unwrap();
/// assert_eq!(clearance_files::read_tets(&path).unwrap().tets, [[0, 1, 2, 3]]);
/// std::fs::remove_file(&path).unwrap();
/// ```
pub fn read_tets(path: impl AsRef<Path>) -> Result<TetGeometry, Error> {
    let (path, limits) = (path.as_ref(), Limits::default());
    read_tets_bytes(&read_input(path, limits.file)?, path, &limits)
}

/// [`read_tets`] of bytes that are in memory already. `name` is what errors and notes call them.
///
/// # Errors
/// As [`read_tets`].
///
/// ```
/// use clearance::TetMesh;
/// use clearance_files::{Limits, read_tets_bytes};
/// let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
///     $Elements\n1\n1 4 2 0 1 1 2 4 3\n$EndElements\n";
/// let found = read_tets_bytes(text, "one.msh", &Limits::default()).unwrap();
/// let mesh = TetMesh::new(&found.points, &found.tets)?;
/// assert_eq!(mesh.health().inverted, [0]);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn read_tets_bytes(bytes: &[u8], name: impl AsRef<Path>, limits: &Limits) -> Result<TetGeometry, Error> {
    let path = name.as_ref();
    let mut found = Found { points: Vec::new(), tets: Vec::new(), notes: Notes::new(path) };
    let content = without_mark(bytes);
    let parsed = if bytes.len() as u64 > limits.file {
        Err(too_long(limits.file).at(&Place::File))
    } else if content.trim_ascii_start().starts_with(b"$MeshFormat") || content.starts_with(b"$Comments") {
        gmsh::parse(content, &mut found)
    } else if content.starts_with(b"# vtk DataFile") {
        vtk::parse(content, &mut found)
    } else {
        let problem = "neither Gmsh (`$MeshFormat`) nor legacy VTK (`# vtk DataFile`), which are the formats of \
                       tetrahedra that are supported; convert it, for example with meshio";
        Err(Fault::unsupported(Place::File, problem))
    };
    parsed.map_err(|fault| fault.in_file(path))?;
    let Found { points, tets, notes } = found;
    let budget = || Budget::new(limits, bytes.len()).bytes(24 * points.len() as u64 + 16 * tets.len() as u64);
    budget().map_err(|over| over.at(&Place::File).in_file(path))?;
    if tets.is_empty() {
        return Err(Error::NoTets { path: path.to_owned(), found: notes.in_a_line() });
    }
    Ok(TetGeometry { points, tets, notes: notes.into_vec() })
}

/// What a reader has found so far.
pub(crate) struct Found {
    pub points: Vec<[f64; 3]>,
    pub tets: Vec<[u32; 4]>,
    pub notes: Notes,
}

impl Found {
    /// Points beyond what an index names are refused.
    pub fn push_point(&mut self, point: [f64; 3], place: Place) -> Result<(), Fault> {
        if self.points.len() >= u32::MAX as usize {
            return Err(Fault::limit(place, "more points than a 32-bit index names"));
        }
        self.points.push(point);
        Ok(())
    }

    /// Notes elements that are no tetrahedra.
    pub fn drop(&mut self, what: &str, place: Place) {
        self.notes.add(NoteKind::Dropped, what, place, 1);
    }

    /// Notes tetrahedra with more than four points.
    pub fn straighten(&mut self, place: Place) {
        self.notes.add(NoteKind::Assumed, "curved tetrahedra taken as straight: only their corners are used", place, 1);
    }
}
