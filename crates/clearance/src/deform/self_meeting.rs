//! Triangles of one deforming mesh that meet in more than the corners and edges they share, at the end of its step.
//!
//! The traversal of [`pairs`](super::pairs), whichever culls, and the exact test of
//! [`self_intersections`](crate::mesh::self_intersections). Corners are shared if their coordinates are equal.

use fearless_simd::Simd;
use glam::DVec3;

use super::boxes::When;
use super::impacts::Asked;
use super::pairs::{Lanes, Leaves, Sides};
use crate::answer::self_intersections::{SelfIntersection, SelfIntersectionKind};
use crate::mesh::self_intersections::meet;
use crate::tree::traverse_same_frame::boxes_meeting;
use crate::tree::wide::{Bounds, Leaf};

/// All pairs that meet at least in a way, in ascending order; the points of the mesh are relative to an origin.
pub(crate) fn self_meeting(asked: Asked<'_>, least: SelfIntersectionKind, origin: DVec3) -> Vec<SelfIntersection> {
    let mut found: Vec<SelfIntersection> = asked.with_boxes(When::End, 0.0, |sides| {
        let start = || Faces { sides: *sides, least, origin, found: Vec::new() };
        sides.leaves(start, |faces| faces.found).concat()
    });
    found.sort_unstable_by_key(|pair| pair.triangles);
    found
}

struct Faces<'m> {
    sides: Sides<'m>,
    least: SelfIntersectionKind,
    origin: DVec3,
    found: Vec<SelfIntersection>,
}

impl Leaves for Faces<'_> {
    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S, (a, _): (&Leaf, &Bounds), (b, bounds): (&Leaf, &Bounds)) {
        let (of_a, of_b) = (&self.sides.a.1.faces[a.packet as usize], &self.sides.b.1.faces[b.packet as usize]);
        let one_leaf = a.packet == b.packet;
        for lane in Lanes(boxes_meeting(simd, &of_a.min, &of_a.max, bounds)) {
            let later = if one_leaf { !((2u32 << lane) - 1) } else { !0 };
            for other in Lanes(boxes_meeting(simd, &of_b.min, &of_b.max, &of_a.lane(lane as usize)) & later) {
                self.decide(a.first + lane, b.first + other);
            }
        }
    }

    #[inline(always)]
    fn end<S: Simd>(&mut self, _: S) {}
}

impl Faces<'_> {
    /// Records two faces if they meet.
    #[inline]
    fn decide(&mut self, one: u32, other: u32) {
        let mesh = self.sides.a.0;
        let face = |slot: u32| {
            let corners = mesh.layout.faces[slot as usize].map(|v| mesh.course[v as usize][1]);
            (mesh.layout.face_ids[slot as usize], corners)
        };
        self.found.extend(meet(face(one), face(other), self.origin).filter(|pair| pair.kind >= self.least));
    }
}
