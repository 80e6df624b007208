//! The triangles of a leaf, side by side: 16 bits per coordinate, relative to the leaf's box.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Simd, f32x4, f32x8, i32x8, prelude::*, u16x8, u32x8};
use glam::Vec4;

use super::wide::{Bounds, WIDTH};

/// The number of steps that a side of a leaf's box is divided into.
const STEPS: f32 = 65535.0;

/// Boxes are widened by this, `u = 2⁻²⁴`. A coordinate is at most 1: rounding it to single precision costs `u / 2`, and
/// so does adding this, so the result is at least the true corner.
const WIDENED: f32 = 0.5 * f32::EPSILON;

/// Error of a decoded coordinate relative to the side of the leaf's box: half a step, 2⁻¹⁷; what the number of steps is
/// computed from (a difference, the side, the steps per length, their product), all rounded, `4u`; `q` times the step,
/// both rounded, `2u`, and second-order terms.
const OFF_OF_SIDE: f32 = 8.1e-6;

/// The part independent of the box: rounding a point to single precision.
const OFF_OF_POINT: f32 = 0.25 * f32::EPSILON;

/// The same, plus adding the box's corner: numbers of at most 1, `u`.
const OFF: f32 = 2.0 * f32::EPSILON;

/// Corners of up to eight triangles: `corner`, `axis`, triangle. Unused lanes repeat the first triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct Packet {
    corners: [[[u16; WIDTH]; 3]; 3],
}

impl Packet {
    pub const EMPTY: Packet = Packet { corners: [[[0; WIDTH]; 3]; 3] };

    /// The packet and the box of a leaf of `count` triangles; `triangle` gives their corners in the frame of the tree.
    #[inline(always)]
    pub fn of_leaf<S: Simd>(simd: S, count: u32, triangle: impl Fn(u32) -> [Vec4; 3]) -> (Bounds, Packet) {
        let zero = f32x4::splat(simd, 0.0);
        let mut corners = [[zero; 3]; WIDTH];
        let mut min = f32x4::splat(simd, f32::INFINITY);
        let mut max = f32x4::splat(simd, f32::NEG_INFINITY);
        for lane in 0..WIDTH {
            let own = triangle(if lane < count as usize { lane as u32 } else { 0 });
            for corner in 0..3 {
                let p = f32x4::simd_from(simd, own[corner].to_array());
                corners[lane][corner] = p;
                min = min.min(p);
                max = max.max(p);
            }
        }
        let low: [f32; 4] = (min - f32x4::splat(simd, WIDENED)).into();
        let high: [f32; 4] = (max + f32x4::splat(simd, WIDENED)).into();
        let bounds = Bounds { min: [low[0], low[1], low[2]], max: [high[0], high[1], high[2]] };
        let mut packet = Packet::EMPTY;
        let half = f32x8::splat(simd, 0.5);
        for corner in 0..3 {
            let [p, q, r, s, t, u, v, w] = [
                corners[0][corner],
                corners[1][corner],
                corners[2][corner],
                corners[3][corner],
                corners[4][corner],
                corners[5][corner],
                corners[6][corner],
                corners[7][corner],
            ];
            let (first, second) = (across(p, q, r, s), across(t, u, v, w));
            for axis in 0..3 {
                // Positive: a corner is above `low` by half the widening.
                let per_step = f32x8::splat(simd, STEPS / (high[axis] - low[axis]));
                let x = first[axis].combine(second[axis]) - f32x8::splat(simd, low[axis]);
                let steps = i32x8::truncate_from(x * per_step + half);
                let (a, b) = steps.bitcast::<u32x8<S>>().split();
                packet.corners[corner][axis] = a.saturating_narrow(b).into();
            }
        }
        (bounds, packet)
    }

    /// The corners in the frame of the tree, each coordinate off by at most [`Packet::off`].
    #[inline(always)]
    pub fn decode<S: Simd>(&self, simd: S, bounds: &Bounds) -> Triangles<S> {
        // Loops, here and in the traversals: `array::from_fn` and `map` are not compiled to SIMD instructions.
        let mut corners = [[f32x8::splat(simd, 0.0); 3]; 3];
        for axis in 0..3 {
            let low = f32x8::splat(simd, bounds.min[axis]);
            let step = f32x8::splat(simd, (bounds.max[axis] - bounds.min[axis]) * (1.0 / STEPS));
            for corner in 0..3 {
                corners[corner][axis] = low + wide(simd, &self.corners[corner][axis]) * step;
            }
        }
        Triangles { corners }
    }

    /// The corners relative to the lowest corner of the leaf's box, each coordinate off by at most
    /// [`Packet::off_locally`].
    #[inline(always)]
    pub fn decode_locally<S: Simd>(&self, simd: S, bounds: &Bounds) -> Triangles<S> {
        let mut corners = [[f32x8::splat(simd, 0.0); 3]; 3];
        for axis in 0..3 {
            let step = f32x8::splat(simd, (bounds.max[axis] - bounds.min[axis]) * (1.0 / STEPS));
            for (corner, place) in corners.iter_mut().enumerate() {
                place[axis] = wide(simd, &self.corners[corner][axis]) * step;
            }
        }
        Triangles { corners }
    }

    /// Error bound of coordinates decoded relative to the box, for a side of the box. Points are rounded in double
    /// precision first, by `2⁻⁵²`.
    #[inline(always)]
    pub fn off_locally(side: f32) -> f32 {
        side * OFF_OF_SIDE + OFF_OF_POINT * 1.000_001
    }

    /// Error bound of decoded coordinates, axis by axis.
    #[inline(always)]
    pub fn off(bounds: &Bounds) -> [f32; 3] {
        let mut off = [OFF; 3];
        for axis in 0..3 {
            off[axis] += (bounds.max[axis] - bounds.min[axis]) * OFF_OF_SIDE;
        }
        off
    }
}

/// The first three coordinates of four points, axis by axis.
#[inline(always)]
fn across<S: Simd>(p: f32x4<S>, q: f32x4<S>, r: f32x4<S>, s: f32x4<S>) -> [f32x4<S>; 3] {
    let (even, odd) = (p.zip_low(r), q.zip_low(s));
    [even.zip_low(odd), even.zip_high(odd), p.zip_high(r).zip_low(q.zip_high(s))]
}

/// Eight 16-bit numbers as floats.
#[inline(always)]
fn wide<S: Simd>(simd: S, numbers: &[u16; WIDTH]) -> f32x8<S> {
    let (low, high) = u16x8::simd_from(simd, *numbers).widen();
    f32x8::float_from(low.combine(high).bitcast::<i32x8<S>>())
}

/// Eight triangles in single precision: corner, axis.
#[derive(Clone, Copy)]
pub(crate) struct Triangles<S: Simd> {
    pub corners: [[f32x8<S>; 3]; 3],
}
