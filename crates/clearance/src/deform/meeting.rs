//! Triangles of deforming meshes that intersect at the start of a step, decided exactly.
//!
//! Triangles that already intersect at the start need not touch during the step, so impacts do not report them. The
//! same traversal of the same tree, with boxes around the start only.

use fearless_simd::Simd;

use super::boxes::When;
use super::impacts::Asked;
use super::pairs::{Lanes, Leaves, Sides};
use crate::geom::triangle_triangle::triangles_meet;
use crate::tree::traverse_same_frame::boxes_meeting;
use crate::tree::wide::{Bounds, Leaf};

/// All pairs of triangles that intersect at the start, by the caller's indices, in ascending order: one of the first
/// mesh and one of the second; or two of one mesh that share no vertex, the lower first.
pub(crate) fn meeting(asked: Asked<'_>) -> Vec<[u32; 2]> {
    let mut found: Vec<[u32; 2]> = asked.with_boxes(When::Until(0.0), 0.0, |sides| {
        let start = || Faces { sides: *sides, found: Vec::new() };
        sides.leaves(start, |faces| faces.found).concat()
    });
    found.sort_unstable();
    found
}

struct Faces<'m> {
    sides: Sides<'m>,
    found: Vec<[u32; 2]>,
}

impl Leaves for Faces<'_> {
    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S, (a, _): (&Leaf, &Bounds), (b, _): (&Leaf, &Bounds)) {
        let (of_a, of_b) = (&self.sides.a.1.faces[a.packet as usize], &self.sides.b.1.faces[b.packet as usize]);
        let one_leaf = self.sides.itself && a.packet == b.packet;
        for lane in 0..a.count {
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
    /// Records two faces if they intersect.
    fn decide(&mut self, one: u32, other: u32) {
        let Sides { a: (a, _), b: (b, _), itself, .. } = self.sides;
        let (of_a, of_b) = (a.layout.faces[one as usize], b.layout.faces[other as usize]);
        if itself && of_a.iter().any(|vertex| of_b.contains(vertex)) {
            return;
        }
        let corners = (of_a.map(|v| a.course[v as usize][0]), of_b.map(|v| b.course[v as usize][0]));
        if triangles_meet(&corners.0, &corners.1) {
            let ids = [a.layout.face_ids[one as usize], b.layout.face_ids[other as usize]];
            self.found.push(if itself && ids[1] < ids[0] { [ids[1], ids[0]] } else { ids });
        }
    }
}
