//! Features of deforming meshes that are near each other at the end of a step, with proved distances.
//!
//! The same traversal with boxes around the end only, each widened by half the distance: two features within that
//! distance have boxes that overlap. Distances come from the certified triangle kernel, with a vertex as a triangle of
//! three coincident corners and an edge as one with two.

use fearless_simd::Simd;
use glam::DVec3;

use crate::answer::step::NearPair;
use crate::deform::boxes::When;
use crate::deform::impacts::{Asked, by_kind};
use crate::deform::pairs::{Pairs, Sides, Waiting};
use crate::geom::triangle_distance::triangle_gap_below;
use crate::math::bracket::Bracket;
use crate::math::tolerances::MAX_COORDINATE;
use crate::shape::Feature;

/// All vertex-face and edge-edge pairs not proved to be farther apart than `distance`, by their features.
pub(crate) fn near(asked: Asked<'_>, distance: f64) -> Vec<NearPair> {
    // Nothing is farther apart than the limit. Halving may round the smallest floats.
    let distance = if distance.is_nan() { 0.0 } else { distance.clamp(0.0, 4.0 * MAX_COORDINATE) };
    let reach = 0.5 * distance + f64::from_bits(1);
    let mut found: Vec<NearPair> = asked.with_boxes(When::End, reach, |sides| {
        let start = || Near { sides: *sides, distance, found: Vec::new() };
        sides.features(start, |near| near.found).concat()
    });
    found.sort_unstable_by_key(|pair| pair.features);
    found
}

struct Near<'m> {
    sides: Sides<'m>,
    distance: f64,
    found: Vec<NearPair>,
}

impl Pairs for Near<'_> {
    #[inline(always)]
    fn take<S: Simd>(&mut self, _: S, waiting: &mut Waiting, _: bool) {
        let Sides { a: (a, _), b: (b, _), itself, .. } = self.sides;
        let (of_a, of_b) = (&*a.layout, &*b.layout);
        let (at_a, at_b) = (|v: u32| a.course[v as usize][1], |v: u32| b.course[v as usize][1]);
        for &[vertex, face] in waiting.vertex_face.pairs() {
            let features =
                [Feature::Vertex(of_a.vertex_ids[vertex as usize]), Feature::Face(of_b.face_ids[face as usize])];
            self.found.extend(within(self.distance, features, [at_a(vertex); 3], of_b.faces[face as usize].map(at_b)));
        }
        for &[vertex, face] in waiting.face_vertex.pairs() {
            let features =
                [Feature::Face(of_a.face_ids[face as usize]), Feature::Vertex(of_b.vertex_ids[vertex as usize])];
            self.found.extend(within(self.distance, features, of_a.faces[face as usize].map(at_a), [at_b(vertex); 3]));
        }
        for &[one, other] in waiting.edge_edge.pairs() {
            let ids = [of_a.edge_ids[one as usize], of_b.edge_ids[other as usize]];
            let flat = |[p, q]: [DVec3; 2]| [p, q, q];
            let (one, other) = (flat(of_a.edges[one as usize].map(at_a)), flat(of_b.edges[other as usize].map(at_b)));
            let turned = itself && ids[1] < ids[0];
            let (ids, one, other) = if turned { ([ids[1], ids[0]], other, one) } else { (ids, one, other) };
            self.found.extend(within(self.distance, ids.map(Feature::Edge), one, other));
        }
        for (_, queue) in by_kind(waiting) {
            queue.clear();
        }
    }
}

/// A pair, unless it is proved to be farther apart.
fn within(distance: f64, features: [Feature; 2], one: [DVec3; 3], other: [DVec3; 3]) -> Option<NearPair> {
    let gap = triangle_gap_below(&one, &other, distance, 0.0)?;
    let pair = NearPair {
        features,
        distance: Bracket { lower: gap.lower, value: gap.upper, upper: gap.upper },
        points: [gap.point_a, gap.point_b],
    };
    (gap.lower <= distance).then_some(pair)
}
