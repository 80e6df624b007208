//! Files of triangles in, parts out, and a list of what was left out.
//!
//! [`read`] opens STL, OBJ, PLY, OFF, glTF and 3MF and returns an [`Assembly`]: geometries, each stored once, and
//! parts, each a name, a geometry and a pose. Nothing is repaired and nothing is guessed: what is dropped, ignored, cut
//! into triangles, renamed or degenerate is in [`Assembly::notes`] with its place and its count; joining points that
//! lie on one another is a step of its own ([`weld`](weld())); where a file names no unit there is none, and a hint for
//! a person.
//!
//! [`read_tets`] opens Gmsh and legacy VTK files of tetrahedra.
//!
//! Files are not trusted. One that is damaged, cut short or hostile is an [`Error`] that names the file and the line or
//! byte; memory is bounded by the length of the file and by [`Limits`], whatever counts it promises.
//!
//! ```
//! use clearance::{Mesh, Shape, distance};
//! use clearance_files::{Format, Limits, read_bytes};
//!
//! let text = b"o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 0 0 2\nv 1 0 2\nv 0 1 2\nf 4 5 6\n";
//! let assembly = read_bytes(text, "two.obj", Format::Obj, &Limits::default()).unwrap();
//! let shapes: Vec<Shape> = assembly
//!     .geometries
//!     .iter()
//!     .map(|geometry| Shape::mesh(&geometry.points, &geometry.triangles).unwrap())
//!     .collect();
//! let [a, b] = &assembly.parts[..] else { panic!("two parts") };
//! let found = distance(&shapes[a.geometry], &a.pose, &shapes[b.geometry], &b.pose);
//! assert_eq!((a.name.as_str(), b.name.as_str(), found.gap.value), ("left", "right", 2.0));
//! ```

mod assembly;
mod builder;
mod cursor;
mod error;
mod format;
mod gltf;
mod gmsh;
mod input;
mod limits;
mod note;
mod obj;
mod off;
mod ply;
mod stl;
mod tets;
mod text;
mod threemf;
mod triangulate;
mod vtk;
mod weld;
mod write;

pub use assembly::{Assembly, Geometry, Part, Unit};
pub use error::{Error, Place};
pub use format::{Format, read, read_bytes, read_content, read_with};
pub use input::{read_input, read_regular, utf8};
pub use limits::{Budget, Limits, OverLimit};
pub use note::{Note, NoteKind};
pub use tets::{TetGeometry, read_tets, read_tets_bytes};
pub use weld::{Welded, weld};
pub use write::{Written, glb_bytes, obj_bytes, ply_bytes, stl_bytes, threemf_bytes, write};
