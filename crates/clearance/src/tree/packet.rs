//! The triangles of a leaf, side by side: 16 bits a coordinate, relative to the leaf's box.

use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u16x8};
use glam::DVec3;

use super::wide::{Bounds, Frame, WIDTH, round_down, round_up};

/// The steps that a side of a leaf's box is divided into.
const STEPS: f32 = 65535.0;

/// How far a decoded coordinate is from the true one, relative to the side of the leaf's box: half a step, 2⁻¹⁷; `q` times
/// the step, both rounded, `2u` with `u = 2⁻²⁴`, and second-order terms.
const OFF_OF_SIDE: f32 = 7.9e-6;

/// And regardless of the box: the sum with its corner, of numbers that are at most 1, `u`, and `u` for the corner's own place.
const OFF: f32 = 2.0 * f32::EPSILON;

/// Corners of up to eight triangles: `corner`, `axis`, triangle. Lanes that are not used repeat the first triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct Packet {
    corners: [[[u16; WIDTH]; 3]; 3],
}

impl Packet {
    /// The packet of a leaf of `count` triangles, and its box.
    #[inline(always)]
    pub fn of_leaf(frame: &Frame, count: u32, triangle: impl Fn(u32) -> [DVec3; 3]) -> (Bounds, Packet) {
        let mut corners = [[DVec3::ZERO; 3]; WIDTH];
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for k in 0..count as usize {
            corners[k] = triangle(k as u32).map(|p| frame.of(p));
            for p in corners[k] {
                min = min.min(p);
                max = max.max(p);
            }
        }
        for k in count as usize..WIDTH {
            corners[k] = corners[0];
        }
        let bounds = Bounds { min: min.to_array().map(round_down), max: max.to_array().map(round_up) };
        let mut packet = Packet { corners: [[[0; WIDTH]; 3]; 3] };
        for axis in 0..3 {
            let low = f64::from(bounds.min[axis]);
            let side = f64::from(bounds.max[axis]) - low;
            let per_step = if side > 0.0 { f64::from(STEPS) / side } else { 0.0 };
            for corner in 0..3 {
                for lane in 0..WIDTH {
                    // A conversion to an integer rounds down and saturates.
                    packet.corners[corner][axis][lane] = ((corners[lane][corner][axis] - low) * per_step + 0.5) as u16;
                }
            }
        }
        (bounds, packet)
    }

    /// All numbers, in order.
    pub fn words(&self) -> impl Iterator<Item = u16> + '_ {
        self.corners.iter().flatten().flatten().copied()
    }

    /// The packet of these numbers; what is missing is zero.
    pub fn from_words(mut words: impl Iterator<Item = u16>) -> Packet {
        let mut packet = Packet { corners: [[[0; WIDTH]; 3]; 3] };
        packet.corners.iter_mut().flatten().flatten().for_each(|x| *x = words.next().unwrap_or(0));
        packet
    }

    /// The corners in the frame of the tree, each coordinate off by at most [`Packet::off`].
    #[inline(always)]
    pub fn decode<S: Simd>(&self, simd: S, bounds: &Bounds) -> Triangles<S> {
        // Loops, here and in the walks: `array::from_fn` and `map` are not compiled with the wide instructions.
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

    /// The corners relative to the lowest corner of the leaf's box, each coordinate off by at most [`Packet::off_locally`].
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

    /// How far coordinates decoded relative to the box are from the true ones, for a side of the box. Rounding of points in
    /// the frame of the tree, `2⁻⁵²`, is far below what is left of half a step.
    #[inline(always)]
    pub fn off_locally(side: f32) -> f32 {
        side * OFF_OF_SIDE + 1e-14
    }

    /// How far decoded coordinates are from the true ones, axis by axis.
    #[inline(always)]
    pub fn off(bounds: &Bounds) -> [f32; 3] {
        let mut off = [OFF; 3];
        for axis in 0..3 {
            off[axis] += (bounds.max[axis] - bounds.min[axis]) * OFF_OF_SIDE;
        }
        off
    }
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
