//! Binary glTF.

use serde_json::{Value, json};

use super::{Written, check, no_notes, note_rounded, single, unfit};
use crate::assembly::{Assembly, Unit};
use crate::error::{Error, Place};
use crate::note::NoteKind;

/// The assembly as GLB: each geometry a mesh, each part a node, so instances stay instances. Poses are kept to the last
/// bit, points are in single precision. glTF is in metres: an assembly in another unit is scaled to them, one without a
/// unit is written as it is, which is noted.
///
/// # Errors
/// [`Error::Unsupported`] for an assembly whose indices are out of range, or too large for the format.
///
/// ```
/// use clearance_files::{Format, Limits, glb_bytes, read_bytes};
///
/// let text = b"o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 2 0 0\nf 2 3 4\n";
/// let assembly = read_bytes(text, "a.obj", Format::Obj, &Limits::default()).unwrap();
/// let again = read_bytes(&glb_bytes(&assembly).unwrap().bytes, "a.glb", Format::Gltf, &Limits::default()).unwrap();
/// assert_eq!((again.geometries, again.parts), (assembly.geometries, assembly.parts));
/// ```
pub fn glb_bytes(assembly: &Assembly) -> Result<Written, Error> {
    check(assembly)?;
    let (mut notes, mut rounded) = (no_notes(), 0);
    let scale = assembly.unit.unwrap_or(Unit::Metre).metres();
    if assembly.unit.is_none() {
        notes.add(NoteKind::Unit, "glTF is in metres, and the assembly has no unit: written as it is", Place::File, 1);
    }
    let (mut binary, mut views, mut accessors, mut meshes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for geometry in &assembly.geometries {
        // A geometry without points has bounds all the same: JSON has no infinity.
        let empty = geometry.points.is_empty();
        let mut least = if empty { [0.0; 3] } else { [f32::INFINITY; 3] };
        let mut most = if empty { [0.0; 3] } else { [f32::NEG_INFINITY; 3] };
        let start = binary.len();
        for point in &geometry.points {
            let point = point.map(|number| single(number * scale, &mut rounded));
            for axis in 0..3 {
                least[axis] = least[axis].min(point[axis]);
                most[axis] = most[axis].max(point[axis]);
            }
            binary.extend(point.into_iter().flat_map(f32::to_le_bytes));
        }
        let middle = binary.len();
        binary.extend(geometry.triangles.iter().flatten().flat_map(|corner| corner.to_le_bytes()));
        views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": middle - start, "target": 34962}));
        views.push(json!({"buffer": 0, "byteOffset": middle, "byteLength": binary.len() - middle, "target": 34963}));
        let (positions, indices) = (accessors.len(), accessors.len() + 1);
        accessors.push(json!({"bufferView": positions, "componentType": 5126, "type": "VEC3",
            "count": geometry.points.len(), "min": least, "max": most}));
        accessors.push(json!({"bufferView": indices, "componentType": 5125, "type": "SCALAR",
            "count": 3 * geometry.triangles.len()}));
        meshes.push(json!({"name": geometry.name,
            "primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]}));
    }
    let nodes: Vec<Value> = assembly
        .parts
        .iter()
        .map(|part| {
            let [x, y, z] = [part.pose.rotation().x_axis, part.pose.rotation().y_axis, part.pose.rotation().z_axis];
            let t = part.pose.translation() * scale;
            let matrix = [x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0, t.x, t.y, t.z, 1.0];
            json!({"name": part.name, "mesh": part.geometry, "matrix": matrix})
        })
        .collect();
    let all: Vec<usize> = (0..nodes.len()).collect();
    let document = json!({"asset": {"version": "2.0", "generator": "clearance"}, "scene": 0, "scenes": [{"nodes": all}],
        "nodes": nodes, "meshes": meshes, "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": binary.len()}]});
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    note_rounded(rounded, &mut notes);
    let length = 12 + 8 + text.len() + 8 + binary.len();
    if u32::try_from(length).is_err() {
        return Err(unfit("more than 4 GiB"));
    }
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(b"glTF");
    bytes.extend([2_u32, length as u32, text.len() as u32, 0x4E4F_534A].into_iter().flat_map(u32::to_le_bytes));
    bytes.append(&mut text);
    bytes.extend([binary.len() as u32, 0x004E_4942].into_iter().flat_map(u32::to_le_bytes));
    bytes.append(&mut binary);
    Ok(Written { bytes, notes: notes.into_vec() })
}
