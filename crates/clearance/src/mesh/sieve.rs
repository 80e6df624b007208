//! Sorts out pairs of triangles of two leaves by boxes about them, in single precision and eight at a time.
//!
//! The boxes are in a frame turned to the direction in which the surfaces are nearest, if one is known (`reach.rs`): there
//! pairs that lie beside each other, and pairs of which one is farther off, both have a gap.
//!
//! Only pairs are left out that are proved farther apart than the limit: gaps are reduced by the errors of both sides.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Simd, f32x8, prelude::*};

use super::reach::{Reaches, UP};
use crate::tree::two::Pair;
use crate::tree::wide::{Bounds, Leaf, WIDTH};

/// The boxes of the triangles of two leaves.
pub(super) struct Sieve<S: Simd> {
    simd: S,
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

impl<S: Simd> Sieve<S> {
    #[inline(always)]
    pub fn new(simd: S, pair: &Pair<'_>, reaches: &Reaches, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> Sieve<S> {
        let packet_a = &pair.a.packets[a.0.packet as usize];
        let packet_b = &pair.b.packets[b.0.packet as usize];
        let ([of_a, of_b], off) = reaches.leaves(simd, (packet_a, a.1), (packet_b, b.1));
        let (mut min_a, mut max_a) = ([[0.0; WIDTH]; 3], [[0.0; WIDTH]; 3]);
        let (mut min_b, mut max_b) = (of_b[0], of_b[0]);
        for k in 0..3 {
            let off = f32x8::splat(simd, off[k]);
            min_a[k] = (of_a[0][k].min(of_a[1][k]).min(of_a[2][k]) - off).into();
            max_a[k] = (of_a[0][k].max(of_a[1][k]).max(of_a[2][k]) + off).into();
            min_b[k] = of_b[0][k].min(of_b[1][k]).min(of_b[2][k]);
            max_b[k] = of_b[0][k].max(of_b[1][k]).max(of_b[2][k]);
        }
        let (count_a, used_b) = (a.0.count as usize, (1 << b.0.count) - 1);
        Sieve { simd, min_a, max_a, min_b, max_b, count_a, used_b }
    }

    /// The pairs that may be no farther apart than `length`, in the unit of A's tree, and of those the one whose boxes are
    /// nearest. `None` if there are none.
    #[inline(always)]
    pub fn left(&self, length: f32) -> Option<(Pairs, (u32, u32))> {
        let simd = self.simd;
        let limit = f32x8::splat(simd, length * length * UP);
        let mut left = [0u8; WIDTH];
        let mut best = (f32::INFINITY, (0, 0));
        for (i, left) in left.iter_mut().enumerate().take(self.count_a) {
            let mut squared = f32x8::splat(simd, 0.0);
            for k in 0..3 {
                let below = self.min_b[k] - f32x8::splat(simd, self.max_a[k][i]);
                let above = f32x8::splat(simd, self.min_a[k][i]) - self.max_b[k];
                let gap = below.max(above).max(f32x8::splat(simd, 0.0));
                squared += gap * gap;
            }
            let mut near = squared.simd_le(limit).to_bitmask() as u32 & self.used_b;
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
