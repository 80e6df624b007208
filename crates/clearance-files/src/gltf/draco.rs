//! Surfaces that are compressed as `KHR_draco_mesh_compression` says, decoded by the crate `draco-core`.

use draco_core::{DataType, DecodeLimits, DecoderBuffer, ErrorKind, Mesh, MeshDecoder, PointIndex};

use super::buffers::Component;
use crate::limits::Budget;
use crate::text::finite;

/// Bytes that the decoder holds for each triangle while it decodes: its corners, their neighbours, and what it has
/// seen.
const TRIANGLE: u64 = 64;

/// Points and triangles.
pub(super) struct Surface {
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// Why a stream was not decoded.
pub(super) enum Problem {
    Malformed(String),
    Unsupported(String),
    Limit(String),
}

impl From<String> for Problem {
    fn from(problem: String) -> Problem {
        Problem::Malformed(problem)
    }
}

/// The surface in `bytes`, whose points are the attribute `positions`. Its points and triangles are charged to
/// `budget`, and so are the bytes read, since several primitives may name the same stream.
pub(super) fn decode(bytes: &[u8], positions: u32, normalized: bool, budget: &mut Budget) -> Result<Surface, Problem> {
    let over = |over: crate::OverLimit| Problem::Limit(over.to_string());
    budget.bytes(bytes.len() as u64).map_err(over)?;
    let left = budget.geometry_left();
    let limits = DecodeLimits::default().with_max_faces(left / TRIANGLE).with_max_decoded_bytes(left);
    let mut buffer = DecoderBuffer::new(bytes).with_limits(limits);
    let mut mesh = Mesh::new();
    MeshDecoder::new().decode(&mut buffer, &mut mesh).map_err(|error| match error.kind() {
        ErrorKind::LimitExceeded => {
            let problem =
                "the Draco stream holds more than the limit allows; raise `Limits::geometry` if the file is right";
            Problem::Limit(problem.into())
        }
        ErrorKind::UnsupportedVersion | ErrorKind::UnsupportedFeature | ErrorKind::BitstreamVersionUnsupported => {
            Problem::Unsupported(format!("{error}; save the file with a current version of Draco, or uncompressed"))
        }
        _ => Problem::Malformed(format!("not a valid Draco stream: {error}")),
    })?;
    let count = mesh.num_points();
    budget.geometry(count, mesh.num_faces()).map_err(over)?;
    let attribute = mesh.attribute_by_unique_id(positions);
    let attribute = attribute.ok_or_else(|| format!("the Draco stream has no attribute {positions} (POSITION)"))?;
    if attribute.num_components() != 3 {
        return Err(format!("{} components in a position, expected 3", attribute.num_components()).into());
    }
    let component = match attribute.data_type() {
        DataType::Int8 => Component::I8,
        DataType::Uint8 => Component::U8,
        DataType::Int16 => Component::I16,
        DataType::Uint16 => Component::U16,
        DataType::Uint32 => Component::U32,
        DataType::Float32 => Component::F32,
        other => return Err(Problem::Unsupported(format!("positions of the type {other:?} are not supported"))),
    };
    let (size, stride) = (component.bytes(), usize::try_from(attribute.byte_stride()).unwrap_or(0));
    let (values, mapping) = (attribute.buffer().data(), attribute.explicit_mapping());
    let mut points = Vec::with_capacity(count);
    for point in 0..count {
        // Points of the same position may share it.
        let value = match mapping {
            Some(mapping) => mapping.get(point).map(|value| value.0 as usize),
            None => Some(point),
        };
        let start = value.filter(|&value| value < attribute.size()).and_then(|value| value.checked_mul(stride));
        let raw = start.and_then(|start| values.get(start..)?.get(..3 * size));
        let raw = raw.ok_or_else(|| format!("point {point} of the Draco stream has no position"))?;
        let position = [0, 1, 2].map(|axis| component.value(&raw[axis * size..], normalized));
        if let Some(Err(problem)) = position.into_iter().map(finite).find(Result::is_err) {
            return Err(format!("point {point} of the Draco stream: {problem}").into());
        }
        points.push(position);
    }
    let mut triangles = Vec::with_capacity(mesh.num_faces());
    for (index, face) in mesh.faces().iter().enumerate() {
        let corners = face.map(|PointIndex(corner)| corner);
        if let Some(corner) = corners.into_iter().find(|&corner| corner as usize >= count) {
            let problem = format!("triangle {index} of the Draco stream names point {corner}, but there are {count}");
            return Err(problem.into());
        }
        triangles.push(corners);
    }
    Ok(Surface { points, triangles })
}
