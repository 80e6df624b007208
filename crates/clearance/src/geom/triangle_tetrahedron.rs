//! Whether a triangle meets a tetrahedron, decided exactly: eight pairs at a time in single precision, and one by one
//! where that leaves it open.
//!
//! **Exact.** A triangle that meets none of the four faces is all inside or all outside, and one of its corners says
//! which. A flat tetrahedron is the union of its faces and has no inside. So the exact tests of
//! [`triangle_triangle`](super::triangle_triangle) and [`orient3d`] decide every case; touching counts.
//!
//! **Filter.** Two convex polytopes are apart if and only if they are along one of the axes perpendicular to a face of
//! either or to an edge of both (Gottschalk, Lin and Manocha, *OBBTree*, 1996): here the normal of the triangle, four
//! normals of the tetrahedron and 3 x 6 products of edges. Along such an axis all distances between corners are
//! determinants of three corners or sums of them. With the corner 0 of the triangle as origin, `t1 t2` its others and
//! `k0 .. k3` those of the tetrahedron:
//! - `E_mn = k_m x k_n` for the six edges, `n = t1 x t2`, and the dot products `t1 . E`, `t2 . E`, `n . k` and four
//!   products `k . E` are all that is computed;
//! - the outward normal of a face is the sum of the `E` around it, so heights above it are sums of dot products;
//! - along `e x (k_n - k_m)`, for an edge `e` of the triangle, the edges themselves are at 0 and at `q`, which is
//!   `-t1 . E`, `-t2 . E` or their difference less `n . (k_n - k_m)`; the third corner of the triangle is at
//!   `n . (k_n - k_m)` up to its sign, since `w . (e x f) = f . (w x e)` and `w x e` is a multiple of `n`; and a third
//!   corner of the tetrahedron is at `q` plus the change of height along `e` over the face that it forms with the edge,
//!   for the same reason.
//!
//! Six cross products and a seventh, sixteen dot products and four heights: 163 operations, and twelve more for each of
//! the 22 axes. `gap`, the larger of the two gaps between the extents along an axis, is positive if they are apart and
//! negative if they overlap. The largest of all axes therefore decides: above its error, they are apart; below minus
//! its error, the extents overlap along every axis, none of which is zero, so the bodies meet. Where edges are
//! parallel, as in meshes made of cubes, an axis is zero and shows nothing. The same numbers then show whether a corner
//! of the triangle is inside, or an edge of one body pierces a face of the other: `q` is the side on which edges pass
//! each other.
//!
//! **Error.** A constant times `T²M` for the normal of the triangle, `M³` for those of the tetrahedron and `TM²` for
//! products of edges, where `T` is the largest magnitude of a coordinate of `t1` and `t2` and `M` that of all: see
//! [`TET_FILTER`].

#![allow(
    clippy::needless_range_loop,
    reason = "loops over faces and edges keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Simd, f32x8, prelude::*};
use glam::DVec3;

use super::triangle_triangle::triangles_meet;
use crate::math::predicates::orient3d;
use crate::math::tolerances::{TET_FILTER, TET_FILTER_TINY};

/// The corners of the face opposite each corner, counter-clockwise seen from outside a positive tetrahedron.
pub(crate) const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Each edge (m, n) with the other corners (o, p): (m, n, o) turns as the face opposite p does.
const EDGES: [[usize; 4]; 6] = [[1, 2, 3, 0], [2, 3, 1, 0], [3, 1, 2, 0], [0, 3, 2, 1], [0, 1, 3, 2], [0, 2, 1, 3]];

/// How many pairs are filtered together.
pub(crate) const PAIRS: usize = 8;

/// Whether a closed triangle and a closed tetrahedron share a point. Exact for all finite input, degenerate input
/// included.
pub(crate) fn triangle_meets_tet(triangle: &[DVec3; 3], tet: &[DVec3; 4]) -> bool {
    TET_FACES.iter().any(|face| triangles_meet(triangle, &face.map(|k| tet[k]))) || tet_contains(tet, triangle[0])
}

/// Whether a tetrahedron that is not flat contains a point, boundary included. Exact for all finite input.
pub(crate) fn tet_contains(tet: &[DVec3; 4], point: DVec3) -> bool {
    let whole = orient3d(tet[0], tet[1], tet[2], tet[3]);
    !whole.is_zero() && TET_FACES.iter().all(|face| orient3d(tet[face[0]], tet[face[1]], tet[face[2]], point) != whole)
}

/// Up to eight pairs side by side.
pub(crate) struct EightPairs {
    /// Corners 1 and 2 of each triangle and the four of each tetrahedron, relative to corner 0 of the triangle.
    corners: [[[f32; PAIRS]; 3]; 6],
}

impl EightPairs {
    pub const EMPTY: EightPairs = EightPairs { corners: [[[0.0; PAIRS]; 3]; 6] };

    /// Stores a pair. `scale` is a power of two that brings all coordinates, relative to each other, to a magnitude of
    /// at most 2.
    #[inline(always)]
    pub fn put(&mut self, lane: usize, triangle: &[DVec3; 3], tet: &[DVec3; 4], scale: f64) {
        let origin = triangle[0];
        let points = [triangle[1], triangle[2], tet[0], tet[1], tet[2], tet[3]];
        for (corner, point) in self.corners.iter_mut().zip(points) {
            let relative = (point - origin) * scale;
            corner[0][lane] = relative.x as f32;
            corner[1][lane] = relative.y as f32;
            corner[2][lane] = relative.z as f32;
        }
    }

    /// Bit masks of the pairs proved apart and of those proved to meet.
    #[inline(always)]
    pub fn decide<S: Simd>(&self, simd: S) -> (u32, u32) {
        let corner = |i: usize| self.corners[i].map(|axis| f32x8::simd_from(simd, axis));
        let (t1, t2, k) = (corner(0), corner(1), [corner(2), corner(3), corner(4), corner(5)]);
        let zero = f32x8::splat(simd, 0.0);
        let largest = |of: &[f32x8<S>; 3]| of[0].abs().max(of[1].abs()).max(of[2].abs());
        let own = largest(&t1).max(largest(&t2));
        let most = own.max(largest(&k[0])).max(largest(&k[1])).max(largest(&k[2])).max(largest(&k[3]));
        let error = |product: f32x8<S>| product * f32x8::splat(simd, TET_FILTER) + f32x8::splat(simd, TET_FILTER_TINY);

        // The normal of the triangle.
        let normal = cross(&t1, &t2);
        let height = [dot(&normal, &k[0]), dot(&normal, &k[1]), dot(&normal, &k[2]), dot(&normal, &k[3])];
        let low = height[0].min(height[1]).min(height[2].min(height[3]));
        let high = height[0].max(height[1]).max(height[2].max(height[3]));
        let (plane, plane_error) = (low.max(zero - high), error(own * own * most));

        // The normals of the tetrahedron: 12, 23, 31, 03, 01, 02.
        let moments = [
            cross(&k[1], &k[2]),
            cross(&k[2], &k[3]),
            cross(&k[3], &k[1]),
            cross(&k[0], &k[3]),
            cross(&k[0], &k[1]),
            cross(&k[0], &k[2]),
        ];
        let [mut along1, mut along2] = [[zero; 6]; 2];
        for i in 0..6 {
            along1[i] = dot(&t1, &moments[i]);
            along2[i] = dot(&t2, &moments[i]);
        }
        let faces = |of: &[f32x8<S>; 6]| {
            [(of[0] + of[1]) + of[2], (of[3] - of[1]) - of[5], (of[4] - of[2]) - of[3], (of[5] - of[0]) - of[4]]
        };
        // The changes of height above each face along the edges of the triangle from its corner 0.
        let (rise1, rise2) = (faces(&along1), faces(&along2));
        let base = [dot(&k[1], &moments[1]), zero - dot(&k[0], &moments[1]), zero - dot(&k[0], &moments[2]), {
            zero - dot(&k[0], &moments[0])
        }];
        // Six times the volume: the fourth corner is as much below each face.
        let volume = (base[0] + base[1]) + (base[2] + base[3]);
        let (low_tet, high_tet) = (zero.min(zero - volume), zero.max(zero - volume));
        let (mut side, side_error) = (zero - f32x8::splat(simd, f32::INFINITY), error(most * most * most));
        // The heights of the corners of the triangle above each face.
        let mut heights = [[zero; 3]; 4];
        for face in 0..4 {
            let (p, q, r) = (zero - base[face], rise1[face] - base[face], rise2[face] - base[face]);
            let (low, high) = (p.min(q).min(r), p.max(q).max(r));
            side = side.max(low - high_tet).max(low_tet - high);
            heights[face] = [p, q, r];
        }
        let apart = plane.simd_gt(plane_error) | side.simd_gt(side_error);
        if apart.to_bitmask() as u32 == (1 << PAIRS) - 1 {
            return ((1 << PAIRS) - 1, 0);
        }

        // The products of edges.
        let mut passes = [[zero; 6]; 3];
        let (mut edge, edge_error) = (zero - f32x8::splat(simd, f32::INFINITY), error(own * most * most));
        for (i, [m, n, o, p]) in EDGES.into_iter().enumerate() {
            let climb = height[n] - height[m];
            let fall = zero - climb;
            let (q1, q2) = (zero - along1[i], zero - along2[i]);
            let q3 = (q2 - q1) - climb;
            [passes[0][i], passes[1][i], passes[2][i]] = [q1, q2, q3];
            let axes = [
                (q1, rise1[p], rise1[o], fall),
                (q2, rise2[p], rise2[o], climb),
                (q3, rise2[p] - rise1[p], rise2[o] - rise1[o], fall),
            ];
            for (at, up, down, third) in axes {
                let (one, other) = (at + up, at - down);
                let (low, high) = (at.min(one).min(other), at.max(one).max(other));
                edge = edge.max(low - third.max(zero)).max(third.min(zero) - high);
            }
        }
        let apart = apart | edge.simd_gt(edge_error);
        let overlaps = |gap: f32x8<S>, error: f32x8<S>| (zero - gap).simd_gt(error);
        let meet = overlaps(plane, plane_error) & overlaps(side, side_error) & overlaps(edge, edge_error);
        let (apart, mut meet) = (apart.to_bitmask() as u32, meet.to_bitmask() as u32);
        if apart | meet == (1 << PAIRS) - 1 {
            return (apart, meet);
        }

        // A corner on the inner side of all faces: that of the fourth corner, which is at minus the volume.
        for corner in 0..3 {
            let of = |face: usize| heights[face][corner];
            let high = of(0).max(of(1)).max(of(2).max(of(3)));
            let low = of(0).min(of(1)).min(of(2).min(of(3)));
            meet |= ((zero - high).min(volume).max(low.min(zero - volume))).simd_gt(side_error).to_bitmask() as u32;
        }
        // Whether numbers are all above or all below zero, by the least of them.
        let alike = |p: f32x8<S>, q: f32x8<S>, r: f32x8<S>| p.min(q).min(r).max(zero - p.max(q).max(r));
        let across = |p: f32x8<S>, q: f32x8<S>| p.min(zero - q).max(q.min(zero - p));
        let [q1, q2, q3] = &passes;
        for (i, [m, n, ..]) in EDGES.into_iter().enumerate() {
            let passes = alike(q1[i], q3[i], zero - q2[i]).simd_gt(edge_error);
            meet |= (passes & across(height[m], height[n]).simd_gt(plane_error)).to_bitmask() as u32;
        }
        for (passes, [from, to]) in passes.iter().zip([[0, 1], [0, 2], [1, 2]]) {
            let minus = |i: usize| zero - passes[i];
            let around = [
                alike(passes[0], passes[1], passes[2]),
                alike(passes[3], minus(1), minus(5)),
                alike(passes[4], minus(2), minus(3)),
                alike(passes[5], minus(0), minus(4)),
            ];
            for (around, heights) in around.into_iter().zip(&heights) {
                let crosses = across(heights[from], heights[to]).simd_gt(side_error);
                meet |= (crosses & around.simd_gt(edge_error)).to_bitmask() as u32;
            }
        }
        (apart, meet)
    }
}

#[inline(always)]
fn dot<S: Simd>(p: &[f32x8<S>; 3], q: &[f32x8<S>; 3]) -> f32x8<S> {
    (p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]
}

#[inline(always)]
fn cross<S: Simd>(p: &[f32x8<S>; 3], q: &[f32x8<S>; 3]) -> [f32x8<S>; 3] {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

/// The power of two that brings coordinates of this magnitude to at most 1; 1 for zero.
pub(crate) fn unit_scale(magnitude: f64) -> f64 {
    // The exponent of the scale is that of the magnitude, negated, less one.
    if magnitude > 1e-300 { f64::from_bits((2045 - (magnitude.to_bits() >> 52)) << 52) } else { 1.0 }
}

/// Filters pairs eight at a time and decides the rest exactly. Returns how many were decided exactly.
///
/// `pair` yields the corners of each; `scale` is as in [`EightPairs::put`]; `met` receives those that meet.
#[inline(always)]
pub(crate) fn decide_all<S: Simd>(
    simd: S,
    count: usize,
    scale: f64,
    pair: impl Fn(usize) -> ([DVec3; 3], [DVec3; 4]),
    mut met: impl FnMut(usize),
) -> u64 {
    let (mut exact, mut eight, mut first) = (0, EightPairs::EMPTY, 0);
    while first < count {
        let lanes = (count - first).min(PAIRS);
        for lane in 0..lanes {
            let (triangle, tet) = pair(first + lane);
            eight.put(lane, &triangle, &tet, scale);
        }
        let (apart, meet) = eight.decide(simd);
        let mut open = !apart & ((1 << lanes) - 1);
        while open != 0 {
            let lane = open.trailing_zeros();
            open &= open - 1;
            let place = first + lane as usize;
            let is_proved = meet >> lane & 1 == 1;
            if is_proved || exactly(&mut exact, pair(place)) {
                met(place);
            }
        }
        first += lanes;
    }
    exact
}

/// The exact test, out of line: the filter leaves few to it.
#[inline(never)]
fn exactly(count: &mut u64, (triangle, tet): ([DVec3; 3], [DVec3; 4])) -> bool {
    *count += 1;
    triangle_meets_tet(&triangle, &tet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_oracle::random::Random;
    use clearance_oracle::{OracleBody, intersects};

    fn truth(triangle: &[DVec3; 3], tet: &[DVec3; 4]) -> bool {
        let body = |points: &[DVec3]| OracleBody::hull(points.iter().map(|p| p.to_array()).collect());
        intersects(&body(triangle), &body(tet))
    }

    /// Checks both forms against rational arithmetic; returns whether they meet and whether the filter decided it.
    fn check(triangle: &[DVec3; 3], tet: &[DVec3; 4]) -> (bool, bool) {
        let expected = truth(triangle, tet);
        assert_eq!(triangle_meets_tet(triangle, tet), expected, "{triangle:?} {tet:?}");
        let most = triangle.iter().chain(tet).map(|p| (*p - triangle[0]).abs().max_element()).fold(0.0, f64::max);
        let mut eight = EightPairs::EMPTY;
        eight.put(3, triangle, tet, unit_scale(most));
        let (apart, meet) = eight.decide(crate::math::simd::plain());
        let (apart, meet) = (apart >> 3 & 1 == 1, meet >> 3 & 1 == 1);
        assert!(!apart || !expected, "{triangle:?} {tet:?}");
        assert!(!meet || expected, "{triangle:?} {tet:?}");
        (expected, apart || meet)
    }

    #[test]
    fn small_integers_have_every_degeneracy() {
        let mut random = Random::new(1);
        let (mut meet, mut open) = (0, 0);
        for round in 0..1500 {
            let size = 1 + round % 4;
            let mut point = || DVec3::from(std::array::from_fn(|_| random.integer(-size, size) as f64));
            let (met, decided) = check(&std::array::from_fn(|_| point()), &std::array::from_fn(|_| point()));
            meet += i32::from(met);
            open += i32::from(!decided);
        }
        assert!(meet > 300 && open > 100, "{meet} {open}");
    }

    #[test]
    fn random_needles_and_far() {
        let mut random = Random::new(2);
        let mut counts = [[0; 2]; 2];
        for round in 0..1500 {
            let far = if round % 5 == 4 { DVec3::new(1e7, -1e7, 3e6) } else { DVec3::ZERO };
            let scale = [1.0, 1e-6, 1e6, 1e-80, 1e58][random.index(5)];
            let mut point = |size: f64| DVec3::from(random.in_cube(size)) * scale + far;
            let mut triangle: [DVec3; 3] = std::array::from_fn(|_| point(1.0));
            let tet: [DVec3; 4] = std::array::from_fn(|_| point(1.0));
            if round % 3 == 0 {
                triangle[2] = triangle[0].lerp(triangle[1], 0.3) + point(1e-6) - far;
            }
            let (met, decided) = check(&triangle, &tet);
            counts[usize::from(met)][usize::from(decided)] += 1;
        }
        let [[_, apart], [_, meet]] = counts;
        assert!(apart > 800 && meet > 400, "{counts:?}");
    }

    #[test]
    fn touching_by_construction() {
        let mut random = Random::new(3);
        let mut counts = [0; 2];
        for round in 0..1200 {
            let mut point = || DVec3::from(random.in_cube(64.0).map(f64::round));
            let (mut triangle, tet): ([DVec3; 3], [DVec3; 4]) =
                (std::array::from_fn(|_| point()), std::array::from_fn(|_| point()));
            // A point of a face, an edge or a corner in exact arithmetic: weights in eighths.
            let weights = [[8, 0, 0, 0], [4, 4, 0, 0], [0, 2, 6, 0], [2, 2, 4, 0], [1, 3, 2, 2]][round % 5];
            let on = (0..4).map(|k| tet[k] * f64::from(weights[k])).sum::<DVec3>() / 8.0;
            match round / 5 % 3 {
                0 => triangle[0] = on,
                1 => triangle[1] = on + (on - triangle[0]),
                _ => (triangle[0], triangle[1]) = (on, tet[round % 4]),
            }
            if round % 4 == 3 {
                triangle[0].x = triangle[0].x.next_up();
            }
            counts[usize::from(check(&triangle, &tet).0)] += 1;
        }
        assert!(counts[0] > 20 && counts[1] > 500, "{counts:?}");
    }

    #[test]
    fn known_cases() {
        let tet = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0, DVec3::Z * 4.0];
        let inside = [DVec3::splat(0.5), DVec3::new(0.6, 0.5, 0.5), DVec3::new(0.5, 0.6, 0.5)];
        for order in [[0, 1, 2, 3], [1, 0, 2, 3]] {
            let tet = order.map(|k| tet[k]);
            assert!(check(&inside, &tet) == (true, true) && tet_contains(&tet, inside[0]));
            assert!(check(&inside.map(|p| p + 4.0), &tet) == (false, true));
            assert!(check(&inside.map(|p| p - DVec3::Z * 0.5), &tet).0);
            assert!(tet_contains(&tet, DVec3::ZERO) && !tet_contains(&tet, DVec3::NEG_X));
        }
        // Flat tetrahedra: a square, and a point.
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
        assert!(check(&inside.map(|p| DVec3::new(p.x, p.y, 0.0)), &flat).0);
        assert!(!check(&inside, &flat).0 && !tet_contains(&flat, DVec3::new(0.5, 0.5, 0.0)));
        assert!(check(&[DVec3::X; 3], &[DVec3::X; 4]).0 && !check(&[DVec3::Y; 3], &[DVec3::X; 4]).0);
    }
}
