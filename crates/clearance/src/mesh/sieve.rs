//! Sorts out pairs of triangles of two leaves, in single precision and eight at a time.
//!
//! First by one direction for all: how far the triangles of the one leaf reach along it, and where those of the other
//! begin. Near the nearest place of two surfaces these run alike, and the direction that told the last triangles apart
//! tells most others apart too. Then by boxes about triangles in the frame of A's tree.
//!
//! Only pairs are left out that are proved farther apart than the limit. A decoded corner is off by [`Packet::off`] along each
//! axis of its own frame; those of B are mapped with the map's error added; the products with a direction `n` are off by
//! `4u Σ |n_k| |x_k|`, less than the map's slack, which is `16u` of all that goes in.

use fearless_simd::{Simd, f32x8, prelude::*};

use crate::tree::packet::{Packet, Triangles};
use crate::tree::two::Pair;
use crate::tree::wide::{Bounds, Leaf, WIDTH};

/// The direction that told the last triangles apart.
#[derive(Clone, Copy, Default)]
pub(super) struct Sieve {
    /// Unit, in the frame of A, from A to B; zero when none is known.
    pub direction: [f32; 3],
}

/// The pairs of two leaves that are left: for each triangle of A a bit for each of B.
pub(super) type Left = [u8; WIDTH];

impl Sieve {
    /// The pairs that may be no farther apart than `length`, in the unit of A's tree; `None` if there are none.
    #[inline(always)]
    pub fn sift<S: Simd>(
        &self,
        simd: S,
        pair: &Pair<'_>,
        a: (&Leaf, &Bounds),
        b: (&Leaf, &Bounds),
        length: f32,
    ) -> Option<Left> {
        let map = &pair.a_from_b;
        let of_a = pair.a.packets[a.0.packet as usize].decode(simd, a.1);
        let of_b = pair.b.packets[b.0.packet as usize].decode(simd, b.1);
        let splat = |x: f32| f32x8::splat(simd, x);
        let (off_a, off_b) = (Packet::off(a.1), map.mapped_error(Packet::off(b.1)));
        let off = [off_a[0] + off_b[0], off_a[1] + off_b[1], off_a[2] + off_b[2]];

        if self.direction != [0.0; 3] {
            let n = self.direction;
            let farthest = extreme(simd, &of_a, n, true).reduce_max();
            let nearest = extreme(simd, &of_b, map.back(n), false).reduce_min() + map.along(n);
            let error = (n[0].abs() * (off[0] + map.slack()) + n[1].abs() * (off[1] + map.slack()))
                + n[2].abs() * (off[2] + map.slack());
            if nearest - farthest - error > length * 1.000_001 {
                return None;
            }
        }

        let (min_a, max_a) = boxes(&of_a.corners);
        let [p, q, r] = &of_b.corners;
        let (min_b, max_b) = boxes(&[map.points(simd, p), map.points(simd, q), map.points(simd, r)]);
        let limit = splat(length * length * 1.000_001);
        let used_b = (1u32 << b.0.count) - 1;
        let mut left = [0u8; WIDTH];
        let mut any = 0;
        for (i, left) in left.iter_mut().enumerate().take(a.0.count as usize) {
            let mut squared = splat(0.0);
            for k in 0..3 {
                let (low, high) = (min_a[k][i] - off[k], max_a[k][i] + off[k]);
                let gap = (min_b[k] - splat(high)).max(splat(low) - max_b[k]).max(splat(0.0));
                squared = squared + gap * gap;
            }
            let near = squared.simd_le(limit).to_bitmask() as u32 & used_b;
            *left = near as u8;
            any |= near;
        }
        (any != 0).then_some(left)
    }
}

/// The extreme product of the corners of each triangle with a direction.
#[inline(always)]
fn extreme<S: Simd>(
    simd: S,
    triangles: &Triangles<S>,
    n: [f32; 3],
    farthest: bool,
) -> f32x8<S> {
    let (x, y, z) = (f32x8::splat(simd, n[0]), f32x8::splat(simd, n[1]), f32x8::splat(simd, n[2]));
    let [p, q, r] = &triangles.corners;
    let p = (p[0] * x + p[1] * y) + p[2] * z;
    let q = (q[0] * x + q[1] * y) + q[2] * z;
    let r = (r[0] * x + r[1] * y) + r[2] * z;
    if farthest { p.max(q).max(r) } else { p.min(q).min(r) }
}

/// Boxes about triangles, axis by axis.
#[inline(always)]
fn boxes<S: Simd>(corners: &[[f32x8<S>; 3]; 3]) -> ([f32x8<S>; 3], [f32x8<S>; 3]) {
    let [p, q, r] = corners;
    let (mut min, mut max) = (*p, *p);
    for k in 0..3 {
        min[k] = p[k].min(q[k]).min(r[k]);
        max[k] = p[k].max(q[k]).max(r[k]);
    }
    (min, max)
}

/// Visits the pairs that are left until `visit` says no; whether it never did.
#[inline(always)]
pub(super) fn each_left(left: &Left, mut visit: impl FnMut(u32, u32) -> bool) -> bool {
    for (i, &bits) in left.iter().enumerate() {
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
