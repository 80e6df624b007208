//! Wavefront OBJ.

use std::fmt::Write;

use super::{Written, check, no_notes, note_flattened, note_unit, placed};
use crate::assembly::Assembly;
use crate::error::{Error, Place};
use crate::note::NoteKind;

/// The assembly as OBJ: each part an object, where it is. Coordinates are written in as many digits as it takes to read
/// them back to the last bit.
///
/// # Errors
/// [`Error::Unsupported`] for an assembly whose indices are out of range, or too large for the format.
///
/// ```
/// use clearance_files::{Format, Limits, obj_bytes, read_bytes};
///
/// let text = b"o left\nv 0 0 0.1\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 2 0 0\nf 2 3 4\n";
/// let assembly = read_bytes(text, "a.obj", Format::Obj, &Limits::default()).unwrap();
/// let again = read_bytes(&obj_bytes(&assembly).unwrap().bytes, "b.obj", Format::Obj, &Limits::default()).unwrap();
/// assert_eq!((again.geometries, again.parts), (assembly.geometries, assembly.parts));
/// ```
pub fn obj_bytes(assembly: &Assembly) -> Result<Written, Error> {
    check(assembly)?;
    let (mut notes, mut text, mut first) = (no_notes(), String::new(), 1_u64);
    for part in &assembly.parts {
        let name: String = part.name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        notes.add(
            NoteKind::Renamed,
            "parts with line breaks in their names",
            Place::File,
            u64::from(name != part.name),
        );
        // Writing to a text cannot fail.
        let _ = writeln!(text, "o {name}");
        for [x, y, z] in placed(assembly, part) {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        let geometry = &assembly.geometries[part.geometry];
        for triangle in &geometry.triangles {
            let [a, b, c] = triangle.map(|corner| first + u64::from(corner));
            let _ = writeln!(text, "f {a} {b} {c}");
        }
        first += geometry.points.len() as u64;
    }
    note_flattened(assembly, false, &mut notes);
    note_unit(assembly, &mut notes);
    Ok(Written { bytes: text.into_bytes(), notes: notes.into_vec() })
}
