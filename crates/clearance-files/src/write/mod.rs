//! Assemblies into files: for examples, for tests, and to hand on what was read.
//!
//! Writers say what a format cannot hold, as readers do. STL and PLY hold one surface: parts are written where they
//! are, one after another. OBJ holds parts, written out where they are. GLB holds all, in single precision, 3MF all to
//! the last bit.

mod glb;
mod obj;
mod ply;
mod stl;
mod threemf;

use std::path::Path;

use clearance::Pose;
use clearance::glam::DVec3;

use crate::assembly::{Assembly, Geometry, Part};
use crate::error::{Error, Place};
use crate::note::{Note, NoteKind, Notes};

pub use glb::glb_bytes;
pub use obj::obj_bytes;
pub use ply::ply_bytes;
pub use stl::stl_bytes;
pub use threemf::threemf_bytes;

/// A file in memory, and what it does not hold of the assembly.
///
/// ```
/// use clearance_files::{Assembly, stl_bytes};
/// let written = stl_bytes(&Assembly::default()).unwrap();
/// assert_eq!(written.bytes.len(), 84);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// What was rounded, dropped or changed. The paths are empty; [`write`](crate::write()) fills them in.
    pub notes: Vec<Note>,
}

/// Writes an assembly; the ending of the name says in which format: `.stl` (binary), `.obj`, `.ply` (binary), `.glb`
/// or `.3mf`. Returns what the file does not hold.
///
/// # Errors
/// [`Error::UnknownFormat`] for other endings, [`Error::Unsupported`] for an assembly whose indices are out of range,
/// whose points are not finite or that is too large for the format, [`Error::Io`].
///
/// ```
/// use clearance_files::{Format, Limits, read, read_bytes, write};
///
/// let text = b"o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 0 0 2\nf 2 3 4\n";
/// let assembly = read_bytes(text, "two.obj", Format::Obj, &Limits::default()).unwrap();
/// let path = std::env::temp_dir().join(format!("clearance-write-{}.glb", std::process::id()));
/// let notes = write(&assembly, &path).unwrap();
/// assert_eq!(notes.len(), 1); // The unit: glTF is in metres, and the OBJ file named none.
/// assert_eq!(read(&path).unwrap().parts, assembly.parts);
/// std::fs::remove_file(&path).unwrap();
/// ```
pub fn write(assembly: &Assembly, path: impl AsRef<Path>) -> Result<Vec<Note>, Error> {
    let path = path.as_ref();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
    let written = match ending.as_str() {
        "stl" => stl_bytes(assembly),
        "obj" => obj_bytes(assembly),
        "ply" => ply_bytes(assembly),
        "glb" => glb_bytes(assembly),
        "3mf" => threemf_bytes(assembly),
        _ => return Err(Error::UnknownFormat { path: path.to_owned() }),
    };
    let Written { bytes, mut notes } = written.map_err(|error| match error {
        Error::Unsupported { place, problem, .. } => Error::Unsupported { path: path.to_owned(), place, problem },
        other => other,
    })?;
    std::fs::write(path, bytes).map_err(|error| Error::Io { path: path.to_owned(), problem: error.to_string() })?;
    notes.iter_mut().for_each(|note| note.path = path.to_owned());
    Ok(notes)
}

/// An assembly that cannot be written.
fn unfit(problem: &str) -> Error {
    Error::Unsupported { path: "".into(), place: Place::File, problem: problem.to_owned() }
}

/// Makes sure that the indices of an assembly, which anyone can make, are in range and its points finite.
fn check(assembly: &Assembly) -> Result<(), Error> {
    if assembly.parts.iter().any(|part| part.geometry >= assembly.geometries.len()) {
        return Err(unfit("a part whose geometry is not there"));
    }
    let is_bad = |geometry: &Geometry| {
        geometry.triangles.iter().flatten().any(|&corner| corner as usize >= geometry.points.len())
    };
    if let Some(bad) = assembly.geometries.iter().find(|geometry| is_bad(geometry)) {
        return Err(unfit(&format!("a triangle of `{}` whose corner is not there", bad.name)));
    }
    let is_endless = |geometry: &&Geometry| geometry.points.iter().flatten().any(|part| !part.is_finite());
    match assembly.geometries.iter().find(is_endless) {
        Some(bad) => Err(unfit(&format!("a point of `{}` that is not finite", bad.name))),
        None => Ok(()),
    }
}

/// Notes of a writer, which does not know the file's name.
fn no_notes() -> Notes {
    Notes::new(Path::new(""))
}

/// The points of a part, in the world.
fn placed<'a>(assembly: &'a Assembly, part: &'a Part) -> impl Iterator<Item = [f64; 3]> + 'a {
    let points = assembly.geometries[part.geometry].points.iter();
    // What is not moved is not touched: even adding zero takes the sign from one.
    let is_moved = part.pose != Pose::IDENTITY;
    let move_to = |point| part.pose.transform_point(DVec3::from_array(point)).to_array();
    points.map(move |&point| if is_moved { move_to(point) } else { point })
}

/// Notes parts that become one surface, and instances that are written out.
fn note_flattened(assembly: &Assembly, names_too: bool, notes: &mut Notes) {
    let parts = assembly.parts.len() as u64;
    if names_too && parts > 1 {
        notes.add(NoteKind::Dropped, "names of parts: the file holds one surface", Place::File, parts);
    }
    let instances = parts.saturating_sub(assembly.geometries.len() as u64);
    notes.add(NoteKind::Baked, "instances written out", Place::File, instances);
}

/// Notes a unit that the file does not hold.
fn note_unit(assembly: &Assembly, notes: &mut Notes) {
    if let Some(unit) = assembly.unit {
        notes.add(NoteKind::Unit, &format!("the file cannot say that it is in {unit}"), Place::File, 1);
    }
}

/// To single precision, and whether that changed the number.
fn single(number: f64, rounded: &mut u64) -> f32 {
    // Beyond the range of single precision the largest stands, since coordinates are finite.
    let single = (number as f32).clamp(-f32::MAX, f32::MAX);
    *rounded += u64::from(f64::from(single) != number);
    single
}

/// Notes numbers that were rounded.
fn note_rounded(rounded: u64, notes: &mut Notes) {
    notes.add(NoteKind::Rounded, "coordinates to single precision", Place::File, rounded);
}
