//! Arbitrary bytes as a stored mesh, and stored meshes with mutated bytes: rejected by name, or a mesh with valid
//! answers.
//!
//! The checksum at the end is corrected, so that mutations reach the reader.

use clearance::glam::DVec3;
use clearance::query::RayOptions;
use clearance::{Error, Mesh, Pose, Ray, Shape};

use crate::decode::Decoder;
use crate::{pairs, rays};

/// Reads the bytes as a mesh, or mutates those of one, and panics on a fault.
pub fn check(data: &[u8]) {
    let mut decoder = Decoder::new(data);
    if decoder.choice(4) == 0 {
        let mut bytes = data.get(1..).unwrap_or_default().to_vec();
        read(&bytes);
        bytes.extend([0; 8]);
        return read(&summed(bytes));
    }
    let size = decoder.length();
    let Ok(mesh) = decoder.mesh(size) else { return };
    let mut bytes = mesh.to_bytes();
    assert!(Mesh::from_bytes(&bytes).as_ref() == Ok(&mesh), "{mesh:?}");
    for _ in 0..decoder.choice(6) {
        decoder.change(&mut bytes);
    }
    read(&summed(bytes));
}

/// The bytes with the last eight replaced by the checksum of those before.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(end) = bytes.len().checked_sub(8) else { return bytes };
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    let add = |sum: u64, chunk: &[u8]| (sum ^ word(chunk)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    let sum = bytes[..end].chunks(8).fold(0xcbf2_9ce4_8422_2325, add);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Reads the bytes and queries the mesh.
fn read(bytes: &[u8]) {
    let mesh = match Mesh::from_bytes(bytes) {
        Ok(mesh) => mesh,
        Err(error) => {
            let documented = matches!(
                error,
                Error::BadBytes { .. }
                    | Error::NotSolid { .. }
                    | Error::InsideOut { .. }
                    | Error::NotFinite { .. }
                    | Error::TooLarge { .. }
                    | Error::TooSmall { .. }
            );
            assert!(documented && !error.to_string().is_empty(), "{error:?}");
            return;
        }
    };
    assert!(mesh.bytes() <= 16 * bytes.len() + 4096, "{} of {} bytes", mesh.bytes(), bytes.len());
    assert!(Mesh::from_bytes(&mesh.to_bytes()).as_ref() == Ok(&mesh), "{mesh:?}");
    if mesh.is_solid() {
        assert!(mesh.solid().is_ok(), "{mesh:?}");
    }
    let shape = Shape::Mesh(mesh);
    let bounds = shape.bounds();
    let size = bounds.size().max_element();
    let Ok(ball) = Shape::sphere(0.25 * size) else { return };
    let Ok(beside) = Pose::from_translation(bounds.max) else { return };
    pairs::ask(&shape, &Pose::IDENTITY, &ball, &beside);
    pairs::ask(&shape, &Pose::IDENTITY, &shape, &beside);
    rays::ask_point(&shape, &Pose::IDENTITY, bounds.center());
    rays::ask_point(&shape, &beside, bounds.min);
    let origin = bounds.min - DVec3::splat(0.5 * size);
    if let Ok(ray) = Ray::new(origin, bounds.center() - origin) {
        rays::ask_ray(&shape, &Pose::IDENTITY, &ray, &RayOptions::line());
    }
}
