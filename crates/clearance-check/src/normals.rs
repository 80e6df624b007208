//! Triangle normals of a placed part.

use clearance::glam::DVec3;
use clearance::{Mesh, Pose};

/// Triangle normals in world coordinates, not normalised.
pub(crate) struct Normals<'m> {
    triangles: Vec<[u32; 3]>,
    points: Vec<DVec3>,
    pose: &'m Pose,
}

impl<'m> Normals<'m> {
    pub fn new(mesh: &Mesh, pose: &'m Pose) -> Normals<'m> {
        Normals { triangles: mesh.triangles(), points: mesh.points().collect(), pose }
    }

    pub fn of(&self, triangle: u32) -> DVec3 {
        let [p, q, r] = self.triangles[triangle as usize].map(|corner| self.points[corner as usize]);
        self.pose.rotation() * (q - p).cross(r - p)
    }
}
