//! Binary STL.

use super::{Written, check, no_notes, note_flattened, note_rounded, note_unit, placed, single, unfit};
use crate::assembly::Assembly;
use crate::error::Error;

/// The assembly as binary STL: all parts where they are, in single precision. Normals are left zero, which tells
/// readers to take those of the triangles.
///
/// # Errors
/// [`Error::Unsupported`] for an assembly whose indices are out of range, or too large for the format.
///
/// ```
/// use clearance_files::{Format, Limits, read_bytes, stl_bytes};
///
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// let assembly = read_bytes(text, "a.obj", Format::Obj, &Limits::default()).unwrap();
/// let written = stl_bytes(&assembly).unwrap();
/// let again = read_bytes(&written.bytes, "a.stl", Format::Stl, &Limits::default()).unwrap();
/// assert_eq!(again.geometries[0].points, assembly.geometries[0].points);
/// ```
pub fn stl_bytes(assembly: &Assembly) -> Result<Written, Error> {
    check(assembly)?;
    let (mut notes, mut rounded) = (no_notes(), 0);
    let mut bytes = b"binary STL".to_vec();
    bytes.resize(80, b' ');
    let count = u32::try_from(assembly.triangles()).map_err(|_| unfit("more than 4294967295 triangles"))?;
    bytes.extend(count.to_le_bytes());
    for part in &assembly.parts {
        let points: Vec<[f32; 3]> =
            placed(assembly, part).map(|point| point.map(|number| single(number, &mut rounded))).collect();
        for triangle in &assembly.geometries[part.geometry].triangles {
            bytes.extend([0; 12]);
            let corners = triangle.iter().flat_map(|&corner| points[corner as usize]);
            bytes.extend(corners.flat_map(f32::to_le_bytes));
            bytes.extend([0; 2]);
        }
    }
    note_flattened(assembly, true, &mut notes);
    note_unit(assembly, &mut notes);
    note_rounded(rounded, &mut notes);
    Ok(Written { bytes, notes: notes.into_vec() })
}
