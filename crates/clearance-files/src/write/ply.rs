//! Binary PLY.

use super::{Written, check, no_notes, note_flattened, note_unit, placed, unfit};
use crate::assembly::Assembly;
use crate::error::Error;

/// The assembly as binary PLY, least byte first: all parts where they are, as one surface. Coordinates are doubles,
/// kept to the last bit.
///
/// # Errors
/// [`Error::Unsupported`] for an assembly whose indices are out of range, or too large for the format.
///
/// ```
/// use clearance_files::{Format, Limits, ply_bytes, read_bytes};
///
/// let text = b"v 0 0 0.1\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// let assembly = read_bytes(text, "a.obj", Format::Obj, &Limits::default()).unwrap();
/// let again = read_bytes(&ply_bytes(&assembly).unwrap().bytes, "a.ply", Format::Ply, &Limits::default()).unwrap();
/// assert_eq!(again.geometries, assembly.geometries);
/// ```
pub fn ply_bytes(assembly: &Assembly) -> Result<Written, Error> {
    check(assembly)?;
    let mut notes = no_notes();
    let points: u64 = assembly.parts.iter().map(|part| assembly.geometries[part.geometry].points.len() as u64).sum();
    if u32::try_from(points.max(assembly.triangles())).is_err() {
        return Err(unfit("more than 4294967295 points or triangles"));
    }
    let header = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {points}\nproperty double x\nproperty double y\n\
         property double z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        assembly.triangles()
    );
    let mut bytes = header.into_bytes();
    for part in &assembly.parts {
        bytes.extend(placed(assembly, part).flatten().flat_map(f64::to_le_bytes));
    }
    // No sum overflows: the last one is the number of points.
    let mut first = 0_u32;
    for part in &assembly.parts {
        let geometry = &assembly.geometries[part.geometry];
        for triangle in &geometry.triangles {
            bytes.push(3);
            bytes.extend(triangle.iter().flat_map(|corner| (first + corner).to_le_bytes()));
        }
        first += geometry.points.len() as u32;
    }
    note_flattened(assembly, true, &mut notes);
    note_unit(assembly, &mut notes);
    Ok(Written { bytes, notes: notes.into_vec() })
}
