//! Sorts out pairs of triangles of two leaves, in single precision and eight at a time.
//!
//! By one direction for all: how far each triangle of the one leaf reaches along it, and where those of the other begin; and by
//! boxes about triangles in the frame of A's tree.
//!
//! Only pairs are left out that are proved farther apart than the limit. A decoded corner is off by [`Packet::off`] along each
//! axis of its own frame; those of B are mapped with the map's error added; the products with a direction `n` are off by
//! `4u Σ |n_k| |x_k|`, less than the map's slack, which is `16u` of all that goes in.

use fearless_simd::{Simd, f32x8, prelude::*};

use crate::tree::packet::Packet;
use crate::tree::two::Pair;
use crate::tree::wide::{Bounds, Leaf, WIDTH};

/// Lengths that a limit is compared with are rounded up by this.
const UP: f32 = 1.000_001;

/// Two leaves, their triangles decoded into the frame of A's tree.
pub(super) struct Sieve<S: Simd> {
    simd: S,
    a: [[f32x8<S>; 3]; 3],
    b: [[f32x8<S>; 3]; 3],
    min_a: [f32x8<S>; 3],
    max_a: [f32x8<S>; 3],
    min_b: [f32x8<S>; 3],
    max_b: [f32x8<S>; 3],
    /// How far corners of both together are off along each axis.
    off: [f32; 3],
    slack: f32,
    count_a: usize,
    used_b: u32,
}

/// Pairs of two leaves: for each triangle of A a bit for each of B.
pub(super) type Pairs = [u8; WIDTH];

impl<S: Simd> Sieve<S> {
    #[inline(always)]
    pub fn new(simd: S, pair: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> Sieve<S> {
        let map = &pair.a_from_b;
        let of_a = pair.a.packets[a.0.packet as usize].decode(simd, a.1).corners;
        let of_b = pair.b.packets[b.0.packet as usize].decode(simd, b.1).corners;
        let of_b = [map.points(simd, &of_b[0]), map.points(simd, &of_b[1]), map.points(simd, &of_b[2])];
        let (off_a, off_b) = (Packet::off(a.1), map.mapped_error(Packet::off(b.1)));
        let (min_a, max_a) = boxes(&of_a);
        let (min_b, max_b) = boxes(&of_b);
        Sieve {
            simd,
            a: of_a,
            b: of_b,
            min_a,
            max_a,
            min_b,
            max_b,
            off: [off_a[0] + off_b[0], off_a[1] + off_b[1], off_a[2] + off_b[2]],
            slack: map.slack(),
            count_a: a.0.count as usize,
            used_b: (1 << b.0.count) - 1,
        }
    }

    /// The pairs that may be no farther apart than `length`, in the unit of A's tree. `n` is a unit direction in the frame of A,
    /// or zero. With them the pair whose boxes are nearest.
    #[inline(always)]
    pub fn left(&self, n: [f32; 3], length: f32) -> Option<(Pairs, (u32, u32))> {
        let simd = self.simd;
        let splat = |x: f32| f32x8::splat(simd, x);
        let (off, slack) = (self.off, self.slack);
        let by_direction = n != [0.0; 3];
        let (far_a, near_b) = if by_direction {
            let error = (n[0].abs() * (off[0] + slack) + n[1].abs() * (off[1] + slack)) + n[2].abs() * (off[2] + slack);
            (products(simd, &self.a, n, true) + splat(error + length * UP), products(simd, &self.b, n, false))
        } else {
            (splat(0.0), splat(0.0))
        };
        let limit = splat(length * length * UP);
        let mut left = [0u8; WIDTH];
        let mut best = (f32::INFINITY, (0, 0));
        for (i, left) in left.iter_mut().enumerate().take(self.count_a) {
            let mut squared = splat(0.0);
            for k in 0..3 {
                let (low, high) = (self.min_a[k][i] - off[k], self.max_a[k][i] + off[k]);
                let gap = (self.min_b[k] - splat(high)).max(splat(low) - self.max_b[k]).max(splat(0.0));
                squared = squared + gap * gap;
            }
            let mut near = squared.simd_le(limit).to_bitmask() as u32 & self.used_b;
            if by_direction {
                near &= near_b.simd_le(splat(far_a[i])).to_bitmask() as u32;
            }
            *left = near as u8;
            while near != 0 {
                let j = near.trailing_zeros();
                near &= near - 1;
                if squared[j as usize] < best.0 {
                    best = (squared[j as usize], (i as u32, j));
                }
            }
        }
        (best.0 < f32::INFINITY).then_some((left, best.1))
    }
}

/// The extreme product of the corners of each triangle with a direction.
#[inline(always)]
fn products<S: Simd>(simd: S, corners: &[[f32x8<S>; 3]; 3], n: [f32; 3], farthest: bool) -> f32x8<S> {
    let (x, y, z) = (f32x8::splat(simd, n[0]), f32x8::splat(simd, n[1]), f32x8::splat(simd, n[2]));
    let [p, q, r] = corners;
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

/// Visits pairs until `visit` says no; whether it never did.
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
