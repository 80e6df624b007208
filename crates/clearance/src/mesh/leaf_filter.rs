//! Rejects pairs of triangles of two leaves by bounding boxes, in single precision, eight at a time.
//!
//! The boxes are in a frame aligned with the direction in which the surfaces are nearest, if known
//! (`oriented_bounds.rs`): there, both pairs that lie side by side and pairs that are farther apart show a gap.
//!
//! Surviving pairs are tested along three directions: the normals of both triangles and the vector between their
//! centroids.
//!
//! Only pairs proved farther apart than the limit are rejected: gaps are reduced by the errors of both sides.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use crate::math::tolerances::{BOUNDS_ROUND_UP, FILTER_ALONG, FILTER_SHORTEST_SQUARE};
use fearless_simd::{Simd, f32x8, prelude::*};

use super::oriented_bounds::{Corners, OrientedBounds};
use crate::tree::traverse_pair::Pair;
use crate::tree::wide::{Bounds, Leaf, WIDTH};

/// The boxes of the triangles of two leaves.
pub(super) struct LeafFilter<S: Simd> {
    simd: S,
    corners_a: Corners<S>,
    corners_b: Corners<S>,
    /// The sum of both sides' coordinate errors.
    off: [f32; 3],
    /// Widened by the errors of both sides.
    min_a: [[f32; WIDTH]; 3],
    max_a: [[f32; WIDTH]; 3],
    min_b: [f32x8<S>; 3],
    max_b: [f32x8<S>; 3],
    count_a: usize,
    used_b: u32,
}

/// Pairs of two leaves: for each triangle of A a bit for each of B.
pub(super) type Pairs = [u8; WIDTH];

impl<S: Simd> LeafFilter<S> {
    #[inline(always)]
    pub fn new(
        simd: S,
        pair: &Pair<'_>,
        reaches: &OrientedBounds,
        a: (&Leaf, &Bounds),
        b: (&Leaf, &Bounds),
    ) -> LeafFilter<S> {
        let packet_a = &pair.a.packets[a.0.packet as usize];
        let packet_b = &pair.b.packets[b.0.packet as usize];
        let ([of_a, of_b], off) = reaches.leaves(simd, (packet_a, a.1), (packet_b, b.1));
        let (mut min_a, mut max_a) = ([[0.0; WIDTH]; 3], [[0.0; WIDTH]; 3]);
        let (mut min_b, mut max_b) = (of_b[0], of_b[0]);
        for k in 0..3 {
            let wide = f32x8::splat(simd, off[k]);
            min_a[k] = (of_a[0][k].min(of_a[1][k]).min(of_a[2][k]) - wide).into();
            max_a[k] = (of_a[0][k].max(of_a[1][k]).max(of_a[2][k]) + wide).into();
            min_b[k] = of_b[0][k].min(of_b[1][k]).min(of_b[2][k]);
            max_b[k] = of_b[0][k].max(of_b[1][k]).max(of_b[2][k]);
        }
        let (count_a, used_b) = (a.0.count as usize, (1 << b.0.count) - 1);
        LeafFilter { simd, corners_a: of_a, corners_b: of_b, off, min_a, max_a, min_b, max_b, count_a, used_b }
    }

    /// The pairs that may be no farther apart than `length`, in the unit of A's tree. `None` if there are none.
    #[inline(always)]
    pub fn left(&self, length: f32) -> Option<Pairs> {
        let limit = f32x8::splat(self.simd, length * length * BOUNDS_ROUND_UP);
        let mut left = [0u8; WIDTH];
        let mut any = 0;
        for (i, left) in left.iter_mut().enumerate().take(self.count_a) {
            let near = self.squared(i).simd_le(limit).to_bitmask() as u32 & self.used_b;
            *left = near as u8;
            any |= near;
        }
        if any == 0 {
            return None;
        }
        let planes = Planes::new(self);
        any = 0;
        for (i, left) in left.iter_mut().enumerate().take(self.count_a) {
            if *left != 0 {
                let near = planes.not_beyond(i, u32::from(*left), limit);
                *left = near as u8;
                any |= near;
            }
        }
        (any != 0).then_some(left)
    }

    /// The pair whose boxes are nearest.
    #[inline(always)]
    pub fn nearest(&self, pairs: &Pairs) -> (u32, u32) {
        let mut best = (f32::INFINITY, (0, 0));
        for (i, &bits) in pairs.iter().enumerate() {
            let mut near = u32::from(bits);
            if near == 0 {
                continue;
            }
            let squared: [f32; WIDTH] = self.squared(i).into();
            while near != 0 {
                let j = near.trailing_zeros();
                near &= near - 1;
                if squared[j as usize] < best.0 {
                    best = (squared[j as usize], (i as u32, j));
                }
            }
        }
        best.1
    }

    /// The squares of the gaps between the box of triangle `i` of A and those of the triangles of B.
    #[inline(always)]
    fn squared(&self, i: usize) -> f32x8<S> {
        let simd = self.simd;
        let mut squared = f32x8::splat(simd, 0.0);
        for k in 0..3 {
            let below = self.min_b[k] - f32x8::splat(simd, self.max_a[k][i]);
            let above = f32x8::splat(simd, self.min_a[k][i]) - self.max_b[k];
            let gap = below.max(above).max(f32x8::splat(simd, 0.0));
            squared += gap * gap;
        }
        squared
    }
}

/// The triangles of two leaves with their normals and their extents along them.
struct Planes<S: Simd> {
    simd: S,
    /// Relative to a corner of A, like all the others.
    corners_a: [[[f32; WIDTH]; 3]; 3],
    corners_b: Corners<S>,
    normals_a: [[f32; WIDTH]; 3],
    /// The least and greatest product of a triangle of A with its normal, their error together with those of B, and the
    /// square of the normal.
    spans_a: [[f32; WIDTH]; 4],
    normals_b: [f32x8<S>; 3],
    spans_b: [f32x8<S>; 4],
    /// Three times the centroids.
    middles_a: [[f32; WIDTH]; 3],
    middles_b: [f32x8<S>; 3],
    /// The error of coordinates, plus the rounding error along an axis.
    slack: [f32x8<S>; 3],
}

impl<S: Simd> Planes<S> {
    #[inline(always)]
    fn new(sieve: &LeafFilter<S>) -> Planes<S> {
        let simd = sieve.simd;
        let zero = f32x8::splat(simd, 0.0);
        let (mut a, mut b) = (sieve.corners_a, sieve.corners_b);
        let mut extent = zero;
        let (mut middles_a, mut middles_b) = ([[0.0; WIDTH]; 3], [zero; 3]);
        for k in 0..3 {
            let origin = f32x8::splat(simd, a[0][k][0]);
            for corner in 0..3 {
                a[corner][k] -= origin;
                b[corner][k] -= origin;
                extent = extent.max(a[corner][k].abs()).max(b[corner][k].abs());
            }
            middles_a[k] = ((a[0][k] + a[1][k]) + a[2][k]).into();
            middles_b[k] = (b[0][k] + b[1][k]) + b[2][k];
        }
        let rounding = extent.reduce_max() * FILTER_ALONG;
        let mut slack = [zero; 3];
        for k in 0..3 {
            slack[k] = f32x8::splat(simd, sieve.off[k] + rounding);
        }
        let (normals_of_a, spans_of_a) = spans(&a, &slack);
        let (normals_b, spans_b) = spans(&b, &slack);
        let (mut corners_a, mut normals_a, mut spans_a) =
            ([[[0.0; WIDTH]; 3]; 3], [[0.0; WIDTH]; 3], [[0.0; WIDTH]; 4]);
        for k in 0..3 {
            for corner in 0..3 {
                corners_a[corner][k] = a[corner][k].into();
            }
            normals_a[k] = normals_of_a[k].into();
        }
        for k in 0..4 {
            spans_a[k] = spans_of_a[k].into();
        }
        Planes { simd, corners_a, corners_b: b, normals_a, spans_a, normals_b, spans_b, middles_a, middles_b, slack }
    }

    /// The triangles of B in `near` not proved farther from triangle `i` of A than the square root of `limit`, along
    /// their normals, its own, and the vector between the centroids.
    #[inline(always)]
    fn not_beyond(&self, i: usize, mut near: u32, limit: f32x8<S>) -> u32 {
        let splat = |x: f32| f32x8::splat(self.simd, x);
        let mut a = self.corners_b;
        for corner in 0..3 {
            for k in 0..3 {
                a[corner][k] = splat(self.corners_a[corner][k][i]);
            }
        }
        let [low_b, high_b, slack, squared] = self.spans_b;
        let (low_a, high_a) = span(&a, &self.normals_b);
        near &= !self.beyond([low_a, high_a], [low_b, high_b], slack, squared, limit);
        if near == 0 {
            return 0;
        }
        let normal = [splat(self.normals_a[0][i]), splat(self.normals_a[1][i]), splat(self.normals_a[2][i])];
        let (low_b, high_b) = span(&self.corners_b, &normal);
        let (low_a, high_a) = (splat(self.spans_a[0][i]), splat(self.spans_a[1][i]));
        let (slack, squared) = (splat(self.spans_a[2][i]), splat(self.spans_a[3][i]));
        near &= !self.beyond([low_a, high_a], [low_b, high_b], slack, squared, limit);
        if near == 0 {
            return 0;
        }
        let mut between = self.middles_b;
        for k in 0..3 {
            between[k] -= splat(self.middles_a[k][i]);
        }
        let ((low_a, high_a), (low_b, high_b)) = (span(&a, &between), span(&self.corners_b, &between));
        let slack = slack_along(&between, &self.slack);
        let squared = dot(&between, &between);
        near & !self.beyond([low_a, high_a], [low_b, high_b], slack, squared, limit)
    }

    /// Whether spans along a direction of given squared length prove gaps whose squares exceed the limit.
    #[inline(always)]
    fn beyond(
        &self,
        [low_a, high_a]: [f32x8<S>; 2],
        [low_b, high_b]: [f32x8<S>; 2],
        slack: f32x8<S>,
        squared: f32x8<S>,
        limit: f32x8<S>,
    ) -> u32 {
        let zero = f32x8::splat(self.simd, 0.0);
        let gap = ((low_b - high_a).max(low_a - high_b) - slack).max(zero);
        let far = (gap * gap).simd_gt(limit * squared).to_bitmask() as u32;
        far & squared.simd_ge(f32x8::splat(self.simd, FILTER_SHORTEST_SQUARE)).to_bitmask() as u32
    }
}

#[inline(always)]
fn dot<S: Simd>(p: &[f32x8<S>; 3], q: &[f32x8<S>; 3]) -> f32x8<S> {
    (p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]
}

/// The least and greatest products with directions.
#[inline(always)]
fn span<S: Simd>(corners: &Corners<S>, d: &[f32x8<S>; 3]) -> (f32x8<S>, f32x8<S>) {
    let (p, q, r) = (dot(&corners[0], d), dot(&corners[1], d), dot(&corners[2], d));
    (p.min(q).min(r), p.max(q).max(r))
}

/// The error of a gap along directions.
#[inline(always)]
fn slack_along<S: Simd>(d: &[f32x8<S>; 3], slack: &[f32x8<S>; 3]) -> f32x8<S> {
    (d[0].abs() * slack[0] + d[1].abs() * slack[1]) + d[2].abs() * slack[2]
}

/// The normals of triangles, and along each: the least and greatest product, the slack, and the square of the normal.
#[inline(always)]
fn spans<S: Simd>(corners: &Corners<S>, slack: &[f32x8<S>; 3]) -> ([f32x8<S>; 3], [f32x8<S>; 4]) {
    let [p, q, r] = corners;
    let (mut e, mut f) = (*q, *r);
    for k in 0..3 {
        e[k] -= p[k];
        f[k] -= p[k];
    }
    let normals = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let (low, high) = span(corners, &normals);
    (normals, [low, high, slack_along(&normals, slack), dot(&normals, &normals)])
}

/// Visits pairs until `visit` returns false; returns whether it never did.
#[inline(always)]
pub(super) fn each(pairs: &Pairs, mut visit: impl FnMut(u32, u32) -> bool) -> bool {
    for (i, &bits) in pairs.iter().enumerate() {
        let mut bits = bits;
        while bits != 0 {
            let j = bits.trailing_zeros();
            bits &= bits - 1;
            if !visit(i as u32, j) {
                return false;
            }
        }
    }
    true
}
