//! Bodies for tests.

use clearance::Mesh;
use clearance::glam::DVec3;

/// A solid box about the origin, by its half sides.
pub(crate) fn cuboid(half: DVec3) -> Mesh {
    let corner = |k: u8| [1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 });
    let points: Vec<[f64; 3]> = (0..8).map(|k| (DVec3::from_array(corner(k)) * half).to_array()).collect();
    let triangles = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    Mesh::new(&points, &triangles).unwrap().solid().unwrap()
}
