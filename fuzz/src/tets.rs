//! Arbitrary bytes into the readers of tetrahedra: an error that names the file, or a list that a mesh can be made of.

use clearance::TetMesh;
use clearance_files::{Limits, read_tets_bytes};

/// Reads the bytes, and panics on a fault.
pub fn check(data: &[u8]) {
    let limits = Limits { geometry: 1 << 24, ..Limits::default() };
    let found = match read_tets_bytes(data, "file", &limits) {
        Ok(found) => found,
        Err(error) => {
            assert!(error.to_string().starts_with("file: "), "{error}");
            return;
        }
    };
    let count = found.points.len();
    assert!(!found.tets.is_empty() && found.points.iter().flatten().all(|part| part.is_finite()));
    assert!(found.tets.iter().flatten().all(|&corner| (corner as usize) < count));
    // Corners may be repeated and coordinates too large: the mesh says so.
    if let Ok(mesh) = TetMesh::new(&found.points, &found.tets) {
        assert_eq!(mesh.tets(), &found.tets[..]);
        let health = mesh.health();
        assert!(health.inverted.len() + health.flat.len() <= found.tets.len());
    }
}
