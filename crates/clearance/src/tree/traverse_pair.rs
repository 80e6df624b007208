//! Simultaneous traversal of two wide trees.
//!
//! Boxes of one tree against boxes of the other, as in the OBB tree's pair test (Gottschalk, Lin and Manocha 1996) but
//! with boxes aligned to two rotated frames: one box against eight of the other tree at a time, by the gap along the
//! three axes of either frame (six of the fifteen separating axes of the paper; the nine others decide few pairs and
//! cost more than they save). The larger box is opened. Pairs of leaves go to a collector, which also sets the distance
//! up to which boxes are visited.
//!
//! Trees far apart relative to their sizes are compared by the extents of their boxes along the line between them:
//! there the distance itself has too few digits in single precision, but its difference from the distance of the
//! centres has enough.
//!
//! All of it is single precision. With `u = 2⁻²⁴`: a corner of a box (at most 1) is mapped into the other frame by a
//! rounded matrix and translation (`u` each), three products and three sums (`4u`), likewise for the half sides;
//! halving and the gap itself add `3u`. So a gap along an axis is off by less than [`PAIR_GAP_ERROR`] times the
//! magnitudes of its inputs, which is subtracted from it; squares and their sum are rounded down by
//! [`PAIR_SQUARE_DOWN`].

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Simd, f32x8, prelude::*};
use glam::{DMat3, DVec3};

use super::wide::{Below, Bounds, Leaf, Node, WIDTH, WideTree, round_up};
use crate::math::cancel::Turns;
use crate::math::placement::Placement;

/// Relative error of a gap along an axis, see the module documentation: `12u`, rounded up for second-order terms.
const PAIR_GAP_ERROR: f64 = 16.0 / 16_777_216.0;

/// Rounds a sum of three squares down: six operations of `u` each.
const PAIR_SQUARE_DOWN: f32 = 1.0 - 8.0 / 16_777_216.0;

/// Trees whose centres are farther apart than this many times the sum of their sizes are far from each other.
const FAR_TREES: f64 = 16.0;

/// Added to bounds along the line between trees, so that none is negative: boxes extend up to √3 each.
const SHIFT: f32 = 4.0;

/// The place that denotes the whole tree.
pub(crate) const ROOT: u32 = u32::MAX;

/// The transform from one tree's frame to the other's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Map {
    /// Columns.
    pub(super) matrix: [[f32; 3]; 3],
    absolute: [[f32; 3]; 3],
    pub(super) translation: [f32; 3],
    /// Error bound of gaps along an axis of the target frame.
    slack: f32,
    /// Converts squared lengths of the target frame to the unit of the pair.
    squared: f32,
}

impl Map {
    fn new(matrix: DMat3, translation: DVec3, extra: f64, unit: f64) -> Map {
        let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let matrix = columns.map(|c| c.as_vec3().to_array());
        // Boxes extend to 1 along each axis.
        let size = columns.iter().map(|c| c.abs()).sum::<DVec3>().max_element() + translation.abs().max_element() + 1.0;
        Map {
            matrix,
            absolute: matrix.map(|c| c.map(f32::abs)),
            translation: translation.as_vec3().to_array(),
            slack: (size * PAIR_GAP_ERROR + extra) as f32 * 1.0001,
            squared: (unit * unit) as f32,
        }
    }

    /// A box, by its centre and half sides, in the target frame. The half sides include the slack.
    #[inline(always)]
    fn apply(&self, bounds: &Bounds) -> ([f32; 3], [f32; 3]) {
        let (mut middle, mut half) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            middle[k] = 0.5 * (bounds.min[k] + bounds.max[k]);
            half[k] = 0.5 * (bounds.max[k] - bounds.min[k]);
        }
        let m = &self.matrix;
        let a = &self.absolute;
        let (mut at, mut reach) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            at[k] = ((m[0][k] * middle[0] + m[1][k] * middle[1]) + m[2][k] * middle[2]) + self.translation[k];
            reach[k] = ((a[0][k] * half[0] + a[1][k] * half[1]) + a[2][k] * half[2]) + self.slack;
        }
        (at, reach)
    }

    /// A vector of the target frame in the source frame: by the transposed matrix.
    #[inline(always)]
    pub fn back(&self, n: [f32; 3]) -> [f32; 3] {
        let mut back = [0.0; 3];
        for k in 0..3 {
            back[k] = (self.matrix[k][0] * n[0] + self.matrix[k][1] * n[1]) + self.matrix[k][2] * n[2];
        }
        back
    }

    /// The translation's part of the dot product of a mapped point with a direction.
    #[inline(always)]
    pub fn along(&self, n: [f32; 3]) -> f32 {
        (n[0] * self.translation[0] + n[1] * self.translation[1]) + n[2] * self.translation[2]
    }

    pub fn slack(&self) -> f32 {
        self.slack
    }
}

/// Two trees and the transforms between their frames.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'t> {
    pub a: &'t WideTree,
    pub b: &'t WideTree,
    pub a_from_b: Map,
    pub b_from_a: Map,
    /// Converts lengths in the frame of A's points to the unit of the pair.
    pub unit: f64,
    /// Factors by which box sizes of the two trees are compared.
    pub(super) size_a: f32,
    pub(super) size_b: f32,
    /// Set for trees far from each other.
    far: Option<Far>,
}

/// The line between two trees far from each other.
#[derive(Clone, Copy, Debug)]
struct Far {
    /// The unit direction in the frame of A, times the unit of the pair over that of the tree.
    in_a: [f32; 3],
    /// The same in the frame of B.
    in_b: [f32; 3],
    /// Distance of the centres of A and B along the line, in the unit of the pair.
    middle: f64,
    slack: f32,
}

impl<'t> Pair<'t> {
    /// The pair for a placement of the points of B in the frame of those of A. `off` bounds the distance of placed
    /// points from their ideal positions; the traversal's bounds hold for both.
    pub fn new(a: &'t WideTree, b: &'t WideTree, map: &Placement, off: f64) -> Pair<'t> {
        let (scale_a, scale_b) = (a.frame.scale, b.frame.scale);
        // The unit is that of the larger tree.
        let unit = scale_a.min(scale_b);
        let rotation = map.rotation;
        let middle = map.place(b.frame.origin) - a.frame.origin;
        let inverse = rotation.inverse();
        // Placing the centre of B, and rounding points relative to the centres of the trees, in addition to `off`.
        let size = 1.0 / scale_a + 1.0 / scale_b + middle.abs().max_element();
        let extra = off + 32.0 * f64::EPSILON * (size + a.frame.origin.length() + b.frame.origin.length());
        let ratio = scale_a / scale_b;
        let far = (middle.length() * unit > FAR_TREES * (unit / scale_a + unit / scale_b)).then(|| {
            let d = middle.normalize();
            // A map that is not quite a rotation preserves gaps along a direction if that is mapped by the transpose.
            let back = rotation.transpose() * d;
            Far {
                in_a: (d * (unit / scale_a)).as_vec3().to_array(),
                in_b: (back * (unit / scale_b)).as_vec3().to_array(),
                middle: d.dot(middle) * unit,
                slack: (8.0 * PAIR_GAP_ERROR + extra * unit) as f32,
            }
        });
        Pair {
            far,
            a,
            b,
            a_from_b: Map::new(rotation * ratio, middle * scale_a, extra * scale_a, unit / scale_a),
            b_from_a: Map::new(inverse * (1.0 / ratio), -(inverse * middle) * scale_b, extra * scale_b, unit / scale_b),
            unit,
            size_a: (unit / scale_a) as f32,
            size_b: (unit / scale_b) as f32,
        }
    }

    /// The threshold for box bounds when only gaps up to `length`, in the frame of A's points, are of interest.
    pub fn limit(&self, length: f64) -> f32 {
        let length = length * self.unit;
        let limit = match &self.far {
            None => length * length,
            Some(far) => length - far.middle + f64::from(SHIFT),
        };
        round_up(limit * (1.0 + 8.0 * f64::EPSILON)).clamp(0.0, f32::MAX)
    }

    /// Lower bounds of the gaps between a box of A and the eight of a node of B, see [`Pair::limit`].
    #[inline(always)]
    fn bounds_in_b<S: Simd>(&self, simd: S, one: &Bounds, node: &Node) -> (f32x8<S>, f32x8<S>) {
        match &self.far {
            None => Pair::bounds(simd, one, node, &self.b_from_a, &self.a_from_b),
            Some(far) => {
                let nearest = eight_along(simd, node, far.in_b.map(|x| -x));
                let bounds = f32x8::splat(simd, SHIFT - far.slack - along(one, far.in_a)) - nearest;
                (bounds, bounds)
            }
        }
    }

    /// Lower bounds of the gaps between a box of B and the eight of a node of A.
    #[inline(always)]
    fn bounds_in_a<S: Simd>(&self, simd: S, one: &Bounds, node: &Node) -> (f32x8<S>, f32x8<S>) {
        match &self.far {
            None => Pair::bounds(simd, one, node, &self.a_from_b, &self.b_from_a),
            Some(far) => {
                let farthest = eight_along(simd, node, far.in_a);
                let bounds = f32x8::splat(simd, SHIFT - far.slack - along(one, far.in_b.map(|x| -x))) - farthest;
                (bounds, bounds)
            }
        }
    }

    /// Squared lower bounds on the gaps between one box and the eight of a node, in the unit of the pair, and the keys
    /// to order them by: overlapping boxes by depth of overlap. `to` maps from the frame of the box to that of the
    /// node, `from` the other way.
    #[inline(always)]
    fn bounds<S: Simd>(simd: S, one: &Bounds, node: &Node, to: &Map, from: &Map) -> (f32x8<S>, f32x8<S>) {
        let splat = |x: f32| f32x8::splat(simd, x);
        let zero = splat(0.0);
        let (middle, half) = to.apply(one);
        let (mut own, mut depth) = (zero, splat(f32::NEG_INFINITY));
        let (mut middles, mut halves) = ([zero; 3], [zero; 3]);
        for k in 0..3 {
            let min = f32x8::simd_from(simd, node.min[k]);
            let max = f32x8::simd_from(simd, node.max[k]);
            let gap = (min - splat(middle[k] + half[k])).max(splat(middle[k] - half[k]) - max);
            depth = depth.max(gap);
            let gap = gap.max(zero);
            own += gap * gap;
            middles[k] = (min + max) * splat(0.5);
            halves[k] = (max - min) * splat(0.5);
        }
        let mut other = zero;
        for k in 0..3 {
            let m = &from.matrix;
            let a = &from.absolute;
            let at = ((middles[0] * splat(m[0][k]) + middles[1] * splat(m[1][k])) + middles[2] * splat(m[2][k]))
                + splat(from.translation[k]);
            let reach = ((halves[0] * splat(a[0][k]) + halves[1] * splat(a[1][k])) + halves[2] * splat(a[2][k]))
                + splat(from.slack);
            let centre = 0.5 * (one.min[k] + one.max[k]);
            let side = 0.5 * (one.max[k] - one.min[k]);
            let gap = ((at - splat(centre)).abs() - (reach + splat(side))).max(zero);
            other += gap * gap;
        }
        // Clamped where the square would overflow, before the unit can turn it into NaN.
        let limit = splat(1e37);
        let own = own.min(limit) * splat(to.squared);
        let other = other.min(limit) * splat(from.squared);
        let bounds = own.max(other) * splat(PAIR_SQUARE_DOWN);
        (bounds, bounds + depth.min(zero))
    }
}

/// The extent of a box along a direction.
#[inline(always)]
fn along(bounds: &Bounds, d: [f32; 3]) -> f32 {
    let reach = |k: usize| (d[k] * bounds.min[k]).max(d[k] * bounds.max[k]);
    (reach(0) + reach(1)) + reach(2)
}

/// The extents of the boxes of a node along a direction.
#[inline(always)]
fn eight_along<S: Simd>(simd: S, node: &Node, d: [f32; 3]) -> f32x8<S> {
    let reach = |k: usize| {
        let d = f32x8::splat(simd, d[k]);
        (d * f32x8::simd_from(simd, node.min[k])).max(d * f32x8::simd_from(simd, node.max[k]))
    };
    (reach(0) + reach(1)) + reach(2)
}

/// What a traversal of two trees collects.
pub(crate) trait Collector<S: Simd> {
    /// Boxes with a bound above this are pruned: see [`Pair::limit`].
    fn limit(&self) -> f32;

    /// Visits two leaves with their boxes. False ends the traversal.
    fn leaves(&mut self, simd: S, pair: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool;

    /// Whether two places whose boxes are within the limit must be visited. Never called for [`ROOT`].
    #[inline(always)]
    fn admits(&mut self, _simd: S, _pair: &Pair<'_>, _a: u32, _b: u32) -> bool {
        true
    }
}

/// Two places with the bound of their boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    bound: f32,
    a: u32,
    b: u32,
}

/// Traverses both trees, near boxes first, and hands the collector every pair of leaves that is within its limit when
/// its turn comes. `stack` is scratch memory.
#[inline(always)]
pub(crate) fn walk<S: Simd, C: Collector<S>>(simd: S, pair: &Pair<'_>, stack: &mut Vec<Entry>, collector: &mut C) {
    let (a, b) = (pair.a, pair.b);
    stack.clear();
    stack.push(Entry { bound: 0.0, a: ROOT, b: ROOT });
    let mut turns = Turns::default();
    while let Some(entry) = stack.pop() {
        turns.turn();
        if entry.bound > collector.limit() {
            continue;
        }
        if entry.a != ROOT && entry.b != ROOT && !collector.admits(simd, pair, entry.a, entry.b) {
            continue;
        }
        let (box_a, below_a) =
            if entry.a == ROOT { (a.bounds, Below::Node(0)) } else { (a.at(entry.a), a.below(entry.a)) };
        let (box_b, below_b) =
            if entry.b == ROOT { (b.bounds, Below::Node(0)) } else { (b.at(entry.b), b.below(entry.b)) };
        let open_a = match (below_a, below_b) {
            (Below::Leaf(leaf_a), Below::Leaf(leaf_b)) => {
                if !collector.leaves(simd, pair, (&leaf_a, &box_a), (&leaf_b, &box_b)) {
                    return;
                }
                continue;
            }
            (Below::Node(_), Below::Leaf(_)) => true,
            (Below::Leaf(_), Below::Node(_)) => false,
            (Below::Node(_), Below::Node(_)) => box_a.size() * pair.size_a >= box_b.size() * pair.size_b,
        };
        let (number, node, (bounds, order)) = match (open_a, below_a, below_b) {
            (true, Below::Node(number), _) => {
                let node = &a.nodes[number as usize];
                (number, node, pair.bounds_in_a(simd, &box_b, node))
            }
            (false, _, Below::Node(number)) => {
                let node = &b.nodes[number as usize];
                (number, node, pair.bounds_in_b(simd, &box_a, node))
            }
            // Only nodes are opened.
            _ => continue,
        };
        let mut near = bounds.simd_le(f32x8::splat(simd, collector.limit())).to_bitmask() as u32 & node.used(simd);
        let (bounds, order): ([f32; WIDTH], [f32; WIDTH]) = (bounds.into(), order.into());
        let mut ordered = [0.0; WIDTH];
        let start = stack.len();
        while near != 0 {
            let lane = near.trailing_zeros();
            near &= near - 1;
            let place = number * WIDTH as u32 + lane;
            let bound = bounds[lane as usize].max(entry.bound);
            let next =
                if open_a { Entry { bound, a: place, b: entry.b } } else { Entry { bound, a: entry.a, b: place } };
            // The nearest on top; ties go to the first lane.
            let mut k = stack.len();
            stack.push(next);
            while k > start && ordered[(k - 1 - start) % WIDTH] <= order[lane as usize] {
                stack[k] = stack[k - 1];
                ordered[(k - start) % WIDTH] = ordered[(k - 1 - start) % WIDTH];
                k -= 1;
            }
            stack[k] = next;
            ordered[(k - start) % WIDTH] = order[lane as usize];
        }
    }
}
