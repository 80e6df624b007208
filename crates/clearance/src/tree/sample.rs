//! Triangles with their tree, for tests of traversals.

use glam::DVec3;

use super::build::{Built, build};
use super::disc::Discs;
use super::wide::WideTree;
use crate::bound::Aabb;
use crate::bound::extent::local_origin;

/// A tree over triangles and what it was built from, as a mesh holds them.
pub(super) struct Sample {
    /// The origin that points are relative to.
    pub origin: DVec3,
    pub points: Vec<DVec3>,
    /// In leaf order.
    pub triangles: Vec<[u32; 3]>,
    pub tree: WideTree,
}

impl Sample {
    pub fn new(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Sample {
        let corners = triangles.iter().flatten().map(|&p| DVec3::from_array(points[p as usize]));
        let bounds = corners.fold(Aabb::EMPTY, |bounds, p| bounds.including(p));
        let origin = local_origin(&bounds);
        let points: Vec<DVec3> = points.iter().map(|&p| DVec3::from_array(p) - origin).collect();
        let Built { tree, triangles, .. } = build(&points, triangles, (bounds.min - origin, bounds.max - origin));
        Sample { origin, points, triangles, tree }
    }

    pub fn corners(&self, slot: u32) -> [DVec3; 3] {
        self.triangles[slot as usize].map(|p| self.points[p as usize])
    }

    pub fn discs(&self) -> Vec<Discs> {
        Discs::of(&self.tree, &self.points, &self.triangles)
    }
}
