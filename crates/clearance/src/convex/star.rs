//! The point nearest the origin on the edges and faces that meet in one vertex: the sub-algorithm of GJK where the
//! vertex just found is known to belong to the next simplex.
//!
//! With `v` the point of a simplex nearest the origin and `w` a vertex of the difference on the near side of the plane
//! perpendicular to `v` (`v · w < v · v`), the simplex with `w` has points nearer than `v`, and the old one has none:
//! so the nearest point has `w` among its members, unless the origin is inside, which requires `v · w <= 0`. That
//! leaves three faces and three edges. They are evaluated side by side, one per lane, and the nearest is taken: which
//! one it is cannot be predicted, and the branches by region that [`Simplex::reduce`] takes are mispredicted every
//! other time.
//!
//! A simplex of fewer than three members leaves two tips free. They are filled with vertices made of the same vertices
//! of A and B, paired differently ([`Simplex::across`]): all old members are in the star, so it is never farther than
//! without.
//!
//! GJK can continue from any simplex with its nearest point, so the initial choice need not be complete: a vertex with
//! four neighbours is enough.

use fearless_simd::{Simd, f64x4, mask64x4, prelude::*};
use glam::DVec3;

use super::simplex::{NearestOnSimplex, Simplex};

/// A vertex of the difference, with the vertices of A and B it came from.
pub(super) type Member = (u32, u32, DVec3);

/// A vector per lane, for four lanes.
#[derive(Clone, Copy)]
struct Four<S: Simd>([f64x4<S>; 3]);

impl<S: Simd> Four<S> {
    #[inline(always)]
    fn dot(self, other: Four<S>) -> f64x4<S> {
        let (Four([x, y, z]), Four([p, q, r])) = (self, other);
        (x * p + y * q) + z * r
    }

    #[inline(always)]
    fn cross(self, other: Four<S>) -> Four<S> {
        let (Four([x, y, z]), Four([p, q, r])) = (self, other);
        Four([y * r - z * q, z * p - x * r, x * q - y * p])
    }

    #[inline(always)]
    fn times(self, factor: f64x4<S>) -> Four<S> {
        let Four([x, y, z]) = self;
        Four([x * factor, y * factor, z * factor])
    }
}

impl Simplex {
    /// Adds a vertex to a simplex reduced to the members of its nearest point `v`, and reduces the result. `gap` is the
    /// product of `v` and the vertex, less than the square of `v`. `others`, from [`Simplex::across`], fill the free
    /// tips of the star where the simplex has fewer than three members.
    #[inline(always)]
    pub(super) fn extend<S: Simd>(&mut self, simd: S, apex: Member, gap: f64, others: [Member; 2]) -> NearestOnSimplex {
        if gap <= 0.0 && self.count == 3 && self.encloses_origin_with(apex.2) {
            self.push(apex.0, apex.1, apex.2);
            return self.reduce();
        }
        // A single member is used twice; the new one is in the last place.
        let second = usize::from(self.count > 1);
        let three = self.count > 2;
        let own = |k: usize| (self.a[k], self.b[k], self.w[k]);
        let tips =
            [own(0), own(second), if three { own(2) } else { others[0] }, if three { own(0) } else { others[1] }, apex];
        let found = Star::nearest(simd, apex.2, [tips[0].2, tips[1].2, tips[2].2, tips[3].2]);
        let (first, second) = (tips[found.first], tips[found.second]);
        self.adopt(&found, first, second, apex);
        NearestOnSimplex::At(found.point)
    }

    /// For a vertex `a b` of the difference and a simplex of one or two members: the pairs of `a` and of `b` with the
    /// members' vertices of the other body. These are vertices of the difference that cost no support query; where two
    /// edges are nearest each other, they are the corners of a parallelogram that GJK would reach one after the other.
    /// Ordered so that each is next to the member it shares an edge with.
    #[inline(always)]
    pub(super) fn across(&self, a: u32, b: u32) -> [(u32, u32); 2] {
        let second = usize::from(self.count > 1);
        let (a0, b0, a1, b1) = (self.a[0], self.b[0], self.a[second], self.b[second]);
        let (same_a, same_b) = (a0 == a, b0 == b);
        let x = (a, if same_b { b1 } else { b0 });
        let y = (if same_a { a1 } else { a0 }, b);
        let turned = !same_b & (same_a | (a != a1));
        if turned { [y, x] } else { [x, y] }
    }

    /// Replaces the simplex by the result of a star.
    #[inline(always)]
    pub(super) fn adopt(&mut self, found: &Star, first: Member, second: Member, apex: Member) {
        self.count = found.count;
        self.a = [first.0, second.0, apex.0, apex.0];
        self.b = [first.1, second.1, apex.1, apex.1];
        (self.w[0], self.w[1], self.w[2]) = (first.2, second.2, apex.2);
        let [p, q, r] = found.weights;
        self.weight = [p, q, r, 0.0];
    }

    /// Whether the origin is in the tetrahedron of three members and another point, by the test of [`Simplex::reduce`].
    #[inline(always)]
    fn encloses_origin_with(&self, d: DVec3) -> bool {
        let [a, b, c, _] = self.w;
        let (bc, da) = (b.cross(c), d.cross(a));
        let faces = [-d.dot(bc), da.dot(c), -da.dot(b), a.dot(bc)];
        let total = faces[0] + faces[1] + faces[2] + faces[3];
        let on_side = |face: f64| if total > 0.0 { face >= 0.0 } else { face <= 0.0 };
        total != 0.0 && on_side(faces[0]) & on_side(faces[1]) & on_side(faces[2]) & on_side(faces[3])
    }
}

/// The vertex, edge or face of a star nearest the origin.
pub(super) struct Star {
    pub point: DVec3,
    /// Number of members.
    pub count: usize,
    /// Positions of the first two members among the tips, with the apex after them; the third member is the apex.
    pub first: usize,
    pub second: usize,
    /// Zero beyond `count`.
    pub weights: [f64; 3],
}

impl Star {
    /// Evaluates the star of edges from `apex` to each tip, and of faces between each two consecutive tips, cyclically.
    /// Tips may be repeated.
    #[inline(always)]
    pub fn nearest<S: Simd>(simd: S, apex: DVec3, tips: [DVec3; 4]) -> Star {
        let [p, q, r, s] = tips;
        let tip = Four([
            f64x4::simd_from(simd, [p.x, q.x, r.x, s.x]),
            f64x4::simd_from(simd, [p.y, q.y, r.y, s.y]),
            f64x4::simd_from(simd, [p.z, q.z, r.z, s.z]),
        ]);
        let w = Four([f64x4::splat(simd, apex.x), f64x4::splat(simd, apex.y), f64x4::splat(simd, apex.z)]);
        let (zero, one) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
        let edge = Four([tip.0[0] - w.0[0], tip.0[1] - w.0[1], tip.0[2] - w.0[2]]);
        let Four([x, y, z]) = edge;
        let next = Four([x.slide::<1>(x), y.slide::<1>(y), z.slide::<1>(z)]);

        // Edges: the projection of the origin, clamped to the ends.
        let length = edge.dot(edge);
        let along = zero - w.dot(edge);
        let t = length.simd_gt(zero).select(along / length, zero).max(zero).min(one);
        let (at_apex, at_tip) = (t.simd_le(zero), t.simd_ge(one));
        let end = at_apex | at_tip;
        let on_edge = [
            at_tip.select(tip.0[0], w.0[0] + x * t),
            at_tip.select(tip.0[1], w.0[1] + y * t),
            at_tip.select(tip.0[2], w.0[2] + z * t),
        ];
        let edge_squared = Four(on_edge).dot(Four(on_edge));

        // Faces, where the projection of the origin is inside: see `TrianglePart::of_triangle`.
        let normal = edge.cross(next);
        let squared = normal.dot(normal);
        let across = w.cross(normal);
        let (vb, vc) = (next.dot(across), zero - edge.dot(across));
        let va = (squared - vb) - vc;
        let inside = va.simd_gt(zero) & vb.simd_gt(zero) & vc.simd_gt(zero) & squared.simd_gt(zero);
        let inverse = inside.select(one / squared, zero);
        let height = w.dot(normal);
        let on_face = normal.times(height * inverse);
        let face_squared = inside.select(height * (height * inverse), f64x4::splat(simd, f64::INFINITY));

        // The first of the nearest; faces before edges.
        let least = f64x4::splat(simd, face_squared.min(edge_squared).reduce_min());
        let nearest =
            face_squared.simd_le(least).to_bitmask() as u32 | (edge_squared.simd_le(least).to_bitmask() as u32) << 4;
        let place = (nearest.trailing_zeros() & 7) as usize;
        let pick = |face: f64x4<S>, edge: f64x4<S>| {
            let mut both = [0.0; 8];
            both[..4].copy_from_slice(&face.as_slice()[..4]);
            both[4..].copy_from_slice(&edge.as_slice()[..4]);
            both[place]
        };
        let point =
            DVec3::new(pick(on_face.0[0], on_edge[0]), pick(on_face.0[1], on_edge[1]), pick(on_face.0[2], on_edge[2]));
        // The members, as indices among the tips and the apex; for an edge that is nearest at an end, that end alone.
        let (lane, is_face) = (place & 3, place < 4);
        let at_end = |mask: mask64x4<S>| !is_face & (mask.to_bitmask() as usize >> lane & 1 != 0);
        let (at_apex, at_tip) = (at_end(at_apex), at_end(at_tip));
        let first = if at_apex { APEX } else { lane };
        let second = if is_face {
            (lane + 1) & 3
        } else if at_tip {
            lane
        } else {
            APEX
        };
        let weights = [
            pick(vb * inverse, end.select(one, t)),
            pick(vc * inverse, end.select(zero, one - t)),
            pick(va * inverse, zero),
        ];
        Star { point, count: 2 + usize::from(is_face) - usize::from(at_apex | at_tip), first, second, weights }
    }
}

/// The index of the apex, after four tips.
const APEX: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::simd::{at_level, plain};
    use fearless_simd::Level;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        // Occasionally small integers, so that region boundaries are hit.
        prop_oneof![
            prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array),
            prop::array::uniform3(-2..=2i32).prop_map(|v| DVec3::from_array(v.map(f64::from))),
        ]
    }

    proptest! {
        /// For a GJK state and a vertex beyond the plane through its nearest point, no Voronoi region yields a nearer
        /// point.
        #[test]
        fn finds_the_nearest_point_of_the_whole_simplex(
            old in prop::array::uniform3(vector()),
            count in 1..=3usize,
            w in vector(),
        ) {
            let mut simplex = Simplex::default();
            for (k, p) in old.iter().take(count).enumerate() {
                simplex.push(k as u32, 10 + k as u32, *p);
            }
            let NearestOnSimplex::At(v) = simplex.reduce() else { unreachable!("three points enclose nothing") };
            prop_assume!(v.dot(w) < v.dot(v) - 1e-9);
            let mut whole = simplex;
            whole.push(3, 13, w);
            let mut star = simplex;
            let found = star.extend(plain(), (3, 13, w), v.dot(w), [(3, 13, w); 2]);
            let mut other = simplex;
            let again = at_level!(Level::new(), simd => other.extend(simd, (3, 13, w), v.dot(w), [(3, 13, w); 2]));
            prop_assert_eq!(format!("{:?}", (star, found)), format!("{:?}", (other, again)));
            match (whole.reduce(), found) {
                (NearestOnSimplex::At(expected), NearestOnSimplex::At(point)) => {
                    prop_assert!((point.length() - expected.length()).abs() < 1e-9, "{point} {expected}");
                    let combined: DVec3 = (0..4).map(|k| star.w[k] * star.weight[k]).sum();
                    prop_assert!((combined - point).length() < 1e-9, "{combined} {point}");
                    prop_assert!(star.weight[..star.count].iter().all(|&x| x > 0.0));
                    prop_assert!(star.weight[star.count..] == [0.0; 4][star.count..]);
                    prop_assert!((star.weight.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                    prop_assert!((0..4).all(|k| star.b[k] == star.a[k] + 10));
                }
                (NearestOnSimplex::Inside, NearestOnSimplex::Inside) => {}
                // The origin is on the surface up to rounding.
                (NearestOnSimplex::At(point), NearestOnSimplex::Inside)
                | (NearestOnSimplex::Inside, NearestOnSimplex::At(point)) => prop_assert!(point.length() < 1e-9),
            }
        }

        /// With other vertices among the tips the star is no farther than without, and its members are those given.
        #[test]
        fn other_tips_only_bring_it_nearer(
            old in prop::array::uniform2(vector()),
            count in 1..=2usize,
            w in vector(),
            others in prop::array::uniform2(vector()),
        ) {
            let mut simplex = Simplex::default();
            for (k, p) in old.iter().take(count).enumerate() {
                simplex.push(k as u32, 10 + k as u32, *p);
            }
            let NearestOnSimplex::At(v) = simplex.reduce() else { unreachable!("two points enclose nothing") };
            prop_assume!(v.dot(w) < v.dot(v) - 1e-9);
            let apex = (3, 13, w);
            let (mut with, mut without) = (simplex, simplex);
            let found = with.extend(plain(), apex, v.dot(w), [(4, 14, others[0]), (5, 15, others[1])]);
            let known = without.extend(plain(), apex, v.dot(w), [apex; 2]);
            let (NearestOnSimplex::At(found), NearestOnSimplex::At(known)) = (found, known) else {
                unreachable!("a star has a nearest point")
            };
            prop_assert!(found.length() <= known.length() * (1.0 + 1e-12));
            let combined: DVec3 = (0..4).map(|k| with.w[k] * with.weight[k]).sum();
            prop_assert!((combined - found).length() < 1e-9, "{combined} {found}");
            let place = |id: u32| [old[0], old[1], w, w, others[0], others[1]][id as usize];
            prop_assert!((0..with.count).all(|k| with.w[k] == place(with.a[k]) && with.b[k] == with.a[k] + 10));
        }
    }

    /// Where two edges make a parallelogram, its fourth corner is next to the member that it shares an edge with.
    #[test]
    fn vertices_across_are_next_to_the_members_they_share_an_edge_with() {
        let across = |members: [(u32, u32); 2], apex: (u32, u32)| {
            let mut simplex = Simplex::default();
            for (a, b) in members {
                simplex.push(a, b, DVec3::ZERO);
            }
            simplex.across(apex.0, apex.1)
        };
        // Each time: the tips after the second member and before the first.
        assert_eq!(across([(0, 0), (0, 1)], (1, 0))[0], (1, 1));
        assert_eq!(across([(0, 0), (0, 1)], (1, 1))[1], (1, 0));
        assert_eq!(across([(0, 0), (1, 0)], (0, 1))[0], (1, 1));
        assert_eq!(across([(0, 0), (1, 0)], (1, 1))[1], (0, 1));
    }
}
