//! Bodies for tests.

use clearance::Mesh;
use clearance::glam::DVec3;
use clearance_oracle::lists;

/// A solid box about the origin, by its half extents.
pub(crate) fn cuboid(half: DVec3) -> Mesh {
    let (points, triangles) = lists::cuboid((-half).to_array(), half.to_array());
    Mesh::new(&points, &triangles).unwrap().solid().unwrap()
}
