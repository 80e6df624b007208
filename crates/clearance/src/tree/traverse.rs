//! Traversal of one wide tree: along a line, or outward from a point.
//!
//! Eight boxes at a time, nearest first, in single precision and in the frame of the tree, in which no coordinate is
//! above 1. Leaves are handed to a collector, which also sets the limit. Every bound is conservative: no box that the
//! true line meets, or that may be near enough, is pruned.
//!
//! With `u = 2⁻²⁴`.
//!
//! **Lines.** Slabs (Kay and Kajiya 1986). The line starts 4 before its point nearest the centre of the tree and its
//! direction is a unit vector, so the whole mesh lies at parameters from 2.2 to 5.8, and no relevant parameter is
//! negative. Two errors must be covered:
//! - in space: the start is rounded (a coordinate is below 6, so by `4u`) and moved by the slack (`4u` again), the true
//!   line is `off` away from the given one, and rotated against it by `turn`, so `6 turn` away at the far end. Boxes
//!   are widened by [`LINE_WIDENING`] and twice the rest;
//! - in the parameter: the difference of a plane and the start `u`, the rounded direction and its reciprocal `2u`, the
//!   product `u`. A box is met if `near <= far (1 + 10u)`: see Ize, *Robust BVH Ray Traversal* (2013).
//!
//! A direction component below 1e-20 is taken as 1e-20: along that axis the line moves less than the widening.
//!
//! **Points.** The squared distance from the point to each box, with the point known to `u` of its coordinates. Farther
//! than [`FAR_POINT`] away, that has no digits left; there `n · (q - x)`, with `n` the unit vector to the point `q`,
//! bounds the distance of `x`, and its part `-n · x` keeps all its digits. So the bound is then the distance minus that
//! of the tree's centre.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Simd, f32x8, mask32x8, prelude::*};
use glam::DVec3;

use super::disc::Discs;
use super::packet::Packet;
use super::wide::{Below, Bounds, Leaf, MAX_DEPTH, Node, WIDTH, WideTree, round_down, round_up};

/// The unit roundoff of single precision.
const U: f32 = 0.5 * f32::EPSILON;

/// Cost of rounding the start of a line, `8u`, doubled.
const LINE_WIDENING: f64 = 16.0 * U as f64;

/// Lines start this far before their point nearest the centre.
const BEFORE: f64 = 4.0;

/// Points farther than this from the centre are far.
const FAR_POINT: f64 = 64.0;

/// Rounds a sum of three squares down: differences, squares and sums, six operations of `u` each.
const DOWN: f32 = 1.0 - 16.0 * U;

/// Eight vectors. Operations are `inline(always)` functions, since closures are not always inlined: a call costs more
/// than the operation.
type Vectors<S> = [f32x8<S>; 3];

#[inline(always)]
fn dot<S: Simd>(a: &Vectors<S>, b: &Vectors<S>) -> f32x8<S> {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

#[inline(always)]
fn subtract<S: Simd>(a: &Vectors<S>, b: &Vectors<S>) -> Vectors<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn splats<S: Simd>(simd: S, v: [f32; 3]) -> Vectors<S> {
    [f32x8::splat(simd, v[0]), f32x8::splat(simd, v[1]), f32x8::splat(simd, v[2])]
}

/// Which side of an edge the origin is on, in 2D.
#[inline(always)]
fn edge<S: Simd>(a: &[f32x8<S>; 2], b: &[f32x8<S>; 2]) -> f32x8<S> {
    a[0] * b[1] - a[1] * b[0]
}

/// The boxes of a node still to be visited; the bounds of the others are infinite.
#[derive(Clone, Copy)]
struct Opened {
    bounds: [f32; WIDTH],
    node: u32,
}

/// The path of nodes to the current one, with the remaining boxes of each. The nearest box of the last node is next.
/// Boxes are not sorted: most of them are pruned before their turn comes.
struct Path {
    opened: [Opened; MAX_DEPTH],
    count: usize,
}

impl Path {
    #[inline(always)]
    fn new() -> Path {
        Path { opened: [Opened { bounds: [0.0; WIDTH], node: 0 }; MAX_DEPTH], count: 0 }
    }

    /// Pushes some boxes of a node. A single box is returned instead, with its bound: it is next.
    #[inline(always)]
    fn push<S: Simd>(&mut self, simd: S, node: u32, taken: mask32x8<S>, bounds: f32x8<S>) -> Option<(f32, u32)> {
        let lanes = taken.to_bitmask() as u32;
        if lanes & lanes.wrapping_sub(1) == 0 {
            let lane = lanes.trailing_zeros();
            let bounds: [f32; WIDTH] = bounds.into();
            let next = (bounds[lane as usize % WIDTH], node * WIDTH as u32 + lane);
            return if lanes != 0 { Some(next) } else { None };
        }
        let bounds = taken.select(bounds, f32x8::splat(simd, f32::INFINITY)).into();
        self.opened[self.count] = Opened { bounds, node };
        self.count += 1;
        None
    }

    /// The next box within the limit, with its bound; ties go to the first lane.
    #[inline(always)]
    fn pop<S: Simd>(&mut self, simd: S, limit: f32) -> Option<(f32, u32)> {
        loop {
            let last = &mut self.opened[self.count.checked_sub(1)?];
            let bounds = f32x8::simd_from(simd, last.bounds);
            let bound = bounds.reduce_min();
            if bound <= limit.min(f32::MAX) {
                let lane = bounds.simd_eq(f32x8::splat(simd, bound)).to_bitmask().trailing_zeros();
                last.bounds[lane as usize % WIDTH] = f32::INFINITY;
                return Some((bound, last.node * WIDTH as u32 + lane));
            }
            self.count -= 1;
        }
    }
}

/// A line in the frame of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    /// The point at parameter 0.
    start: DVec3,
    /// Unit length.
    direction: DVec3,
    /// Bound on the distance of the true line from this one over the whole mesh, rounded up.
    single_off: f32,
    /// The start moved by the widening, for the entry planes and for the exit planes.
    entry: [f32; 3],
    exit: [f32; 3],
    inverse: [f32; 3],
    /// Whether the direction is negative along an axis.
    backward: [bool; 3],
    /// Axes of the projection along the line, that of the largest component last, and the slopes of the others.
    axes: [usize; 3],
    slopes: [f32; 2],
}

impl Sight {
    /// The line through `nearest`, approximately its point nearest the centre of the tree, along a unit direction. The
    /// true line is off by at most `off` there, and rotated by at most `turn`. `None` if it certainly misses the mesh.
    #[inline]
    pub fn new(nearest: DVec3, direction: DVec3, off: f64, turn: f64) -> Option<Sight> {
        // Corners are at most √3 from the centre. The given point is the nearest up to rounding: 1e-3 is ample. A line
        // that is off by more than a hundred times the mesh may be anywhere.
        let off = (off + 6.0 * turn).min(1e3);
        let far = nearest.length();
        if far.is_nan() || far > 1.74 + 1e-3 * far + off {
            return None;
        }
        let start = nearest - BEFORE * direction;
        let widened = LINE_WIDENING + 2.0 * off;
        let size = direction.abs();
        let last = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let axes = [(last + 1) % 3, (last + 2) % 3, last];
        let (mut entry, mut exit, mut inverse, mut backward) = ([0.0; 3], [0.0; 3], [0.0; 3], [false; 3]);
        for k in 0..3 {
            let along = direction[k] as f32;
            inverse[k] = if along.abs() < 1e-20 { 1e20f32.copysign(along) } else { 1.0 / along };
            backward[k] = inverse[k] < 0.0;
            let widened = widened.copysign(f64::from(inverse[k]));
            (entry[k], exit[k]) = ((start[k] + widened) as f32, (start[k] - widened) as f32);
        }
        let slope = |axis: usize| (direction[axis] / direction[last]) as f32;
        Some(Sight {
            start,
            direction,
            single_off: round_up(off),
            entry,
            exit,
            inverse,
            backward,
            axes,
            slopes: [slope(axes[0]), slope(axes[1])],
        })
    }

    /// The parameter limit for hits up to `after_nearest`, counted from the point nearest the centre: rounded up.
    pub fn limit(after_nearest: f64) -> f32 {
        round_up((BEFORE + after_nearest).clamp(-16.0, 16.0)) * (1.0 + 16.0 * U) + 16.0 * U
    }

    /// The start parameter for hits from `after_nearest` on, counted from the point nearest the centre: rounded down.
    pub fn from(after_nearest: f64) -> f32 {
        let from = round_down((BEFORE + after_nearest).clamp(-16.0, 16.0));
        from - (from.abs() * 16.0 * U + 16.0 * U)
    }

    /// Where the line enters and leaves the boxes of a node.
    #[inline(always)]
    fn slabs<S: Simd>(&self, simd: S, node: &Node) -> (f32x8<S>, f32x8<S>) {
        let mut near = f32x8::splat(simd, 0.0);
        let mut far = f32x8::splat(simd, 16.0);
        // Selected by index: branches on the signs would be mispredicted for every new line.
        let planes = [&node.min, &node.max];
        for k in 0..3 {
            let (inverse, first) = (f32x8::splat(simd, self.inverse[k]), usize::from(self.backward[k]));
            let (enters, leaves) = (planes[first % 2][k], planes[(first + 1) % 2][k]);
            near = near.max((f32x8::simd_from(simd, enters) - f32x8::splat(simd, self.entry[k])) * inverse);
            far = far.min((f32x8::simd_from(simd, leaves) - f32x8::splat(simd, self.exit[k])) * inverse);
        }
        (near, far * f32x8::splat(simd, 1.0 + 10.0 * U))
    }

    /// Bit mask of the triangles of a leaf that the line may hit; the line enters the leaf's box at parameter `near`.
    ///
    /// Everything is relative to a point of the line there, and projected along the line: the two coordinates other
    /// than that of the largest direction component, less their slopes times the third (Woop, Benthin and Wald 2013).
    /// The origin is in the triangle if it is on the same side of all three edges.
    ///
    /// With `m` a bound on coordinates (the leaf's largest side and the point's), and `e` their error: the packet's
    /// steps, and for the point `u m` and `off`; a projected coordinate, at most `2m`, is off by `E = 2e` and `8u m`
    /// for its four operations; the product of two by `4m E + E²`, their difference by twice that and `24u m²`.
    #[inline(always)]
    pub fn candidates<S: Simd>(&self, simd: S, packet: &Packet, bounds: &Bounds, count: u32, near: f32) -> u32 {
        let here = self.start + f64::from(near) * self.direction;
        let (mut from_corner, mut side, mut largest) = ([0.0f32; 3], 0.0f32, 0.0f32);
        for k in 0..3 {
            from_corner[k] = (here[k] - f64::from(bounds.min[k])) as f32;
            side = side.max(bounds.max[k] - bounds.min[k]);
            largest = largest.max(from_corner[k].abs());
        }
        let largest = side + largest;
        let off = Packet::off_locally(side) + U * largest + self.single_off;
        let projected = 2.0 * off + 8.0 * U * largest;
        let open = (8.0 * largest * projected + 2.0 * projected * projected + 24.0 * U * largest * largest) * 1.001;
        let triangles = packet.decode_locally(simd, bounds);
        let [i, j, k] = self.axes;
        let (slope_i, slope_j) = (f32x8::splat(simd, self.slopes[0]), f32x8::splat(simd, self.slopes[1]));
        let at = splats(simd, from_corner);
        let mut corners = [[f32x8::splat(simd, 0.0); 2]; 3];
        for (p, place) in triangles.corners.iter().zip(&mut corners) {
            let z = p[k] - at[k];
            *place = [(p[i] - at[i]) - slope_i * z, (p[j] - at[j]) - slope_j * z];
        }
        let sides = [edge(&corners[0], &corners[1]), edge(&corners[1], &corners[2]), edge(&corners[2], &corners[0])];
        let least = sides[0].min(sides[1]).min(sides[2]);
        let most = sides[0].max(sides[1]).max(sides[2]);
        let open = f32x8::splat(simd, open);
        let missed = least.simd_lt(-open).to_bitmask() as u32 & most.simd_gt(open).to_bitmask() as u32;
        !missed & ((1 << count) - 1)
    }
}

/// What a traversal along a line collects.
pub(crate) trait Along<S: Simd> {
    /// Boxes entered after this are pruned: see [`Sight::limit`].
    fn limit(&self) -> f32;

    /// Visits a leaf with its box, which the line enters at `near` or later. False ends the traversal.
    fn leaf(&mut self, simd: S, leaf: &Leaf, bounds: &Bounds, near: f32) -> bool;
}

/// Traverses the tree along a line from a parameter on (see [`Sight::from`]) and visits every leaf that it may hit,
/// near ones first.
#[inline(always)]
pub(crate) fn walk_along<S: Simd, C: Along<S>>(simd: S, tree: &WideTree, sight: &Sight, from: f32, collector: &mut C) {
    let mut path = Path::new();
    let mut next = open_along(simd, tree, sight, (from, collector.limit()), 0, &mut path);
    loop {
        // Not `or_else`: closures are not compiled to SIMD instructions.
        let Some((near, place)) = (match next {
            None => path.pop(simd, collector.limit()),
            some => some,
        }) else {
            return;
        };
        next = match tree.below(place) {
            Below::Node(number) => open_along(simd, tree, sight, (from, collector.limit()), number, &mut path),
            Below::Leaf(leaf) => {
                if !collector.leaf(simd, &leaf, &tree.at(place), near) {
                    return;
                }
                None
            }
        };
    }
}

/// Pushes the boxes of a node that a line hits.
#[inline(always)]
fn open_along<S: Simd>(
    simd: S,
    tree: &WideTree,
    sight: &Sight,
    (from, limit): (f32, f32),
    number: u32,
    path: &mut Path,
) -> Option<(f32, u32)> {
    let (near, far) = sight.slabs(simd, &tree.nodes[number as usize]);
    let met = near.simd_le(far.min(f32x8::splat(simd, limit))) & far.simd_ge(f32x8::splat(simd, from));
    path.push(simd, number, met, near)
}

/// A query point in the frame of a tree. Bounds are squared distances or, for far points, the distance minus that of
/// the tree's centre.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    /// The point, or for far points the unit vector from the centre towards it.
    point: DVec3,
    /// Its error bound, and that rounded up.
    off: f64,
    single_off: f32,
    far: bool,
    /// The distance to the centre.
    distance: f64,
    /// `point`, rounded.
    single: [f32; 3],
    /// Error bound of a gap along an axis, or of a height along the unit vector.
    slack: [f32; 3],
    /// Bound on the distance of the rounded point from the true one.
    disc_slack: f32,
}

impl Outlook {
    #[inline]
    pub fn new(point: DVec3, off: f64) -> Outlook {
        let largest = point.abs().max_element();
        let far = largest.is_nan() || largest > FAR_POINT;
        if !far {
            let slack = point.abs() * f64::from(1.01 * U) + off;
            let (single, slack) = (point.to_array().map(|x| x as f32), slack.to_array().map(round_up));
            let (single_off, disc_slack) = (round_up(off), slack[0] + slack[1] + slack[2]);
            return Outlook { point, off, single_off, far, distance: 0.0, single, slack, disc_slack };
        }
        // Beyond the range of floats no bound is possible.
        let (towards, distance) = if largest < f64::MAX {
            let v = point / largest;
            (v.normalize(), v.length() * largest)
        } else {
            (DVec3::ZERO, 0.0)
        };
        // The unit vector is off by `u` in each component, products and sums by `4u`; coordinates are at most 1: `15u`
        // for three.
        let single = towards.to_array().map(|x| x as f32);
        let single_off = round_up(off);
        Outlook { point: towards, off, single_off, far, distance, single, slack: [16.0 * U; 3], disc_slack: 0.0 }
    }

    /// The box bound corresponding to a distance in the frame of the tree, rounded up.
    pub fn limit(&self, distance: f64) -> f32 {
        if self.far {
            return self.triangle_limit(distance);
        }
        round_up((distance * distance * (1.0 + 4.0 * f64::EPSILON)).min(f64::from(f32::MAX)))
    }

    /// The box bound corresponding to a distance from a point that is not far: rounded up twice, by `2u` more than
    /// either needs.
    #[inline(always)]
    pub fn squared_limit(distance: f32) -> f32 {
        distance * distance * (1.0 + 4.0 * U) + f32::MIN_POSITIVE
    }

    /// The triangle bound corresponding to a distance in the frame of the tree, rounded up.
    pub fn triangle_limit(&self, distance: f64) -> f32 {
        // The difference and the distance of the centre are off by a few ulps.
        let rounding = 8.0 * f64::EPSILON * self.distance;
        let less = if self.far { distance - self.distance + self.off + rounding } else { distance };
        round_up(less.min(f64::from(f32::MAX)))
    }

    #[inline(always)]
    fn bounds<S: Simd>(&self, simd: S, node: &Node) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let mut sum = zero;
        if self.far {
            for k in 0..3 {
                let n = f32x8::splat(simd, self.single[k]);
                let (min, max) = (f32x8::simd_from(simd, node.min[k]), f32x8::simd_from(simd, node.max[k]));
                sum += if self.single[k] > 0.0 { max * n } else { min * n };
            }
            return -(sum + f32x8::splat(simd, self.slack[0]));
        }
        for k in 0..3 {
            let (q, slack) = (f32x8::splat(simd, self.single[k]), f32x8::splat(simd, self.slack[k]));
            let (min, max) = (f32x8::simd_from(simd, node.min[k]), f32x8::simd_from(simd, node.max[k]));
            let gap = ((min - q).max(q - max) - slack).max(zero);
            sum += gap * gap;
        }
        sum * f32x8::splat(simd, DOWN)
    }

    /// Bounds on the distances to the triangles of a leaf, in the frame of the tree; `None` if all are beyond a limit.
    ///
    /// For any direction `c` the whole triangle is at least as far as the nearest of its corners along `c`: so any `c`
    /// is valid, and the direction to the nearest point is best. That is the nearest of those on the three sides, or
    /// the foot of the perpendicular where it is inside. With the corners relative to the point and at most `r` away,
    /// products and sums of `c · p / |c|` are off by `10u r`; the corners by the packet's steps and by `2u` of the
    /// numbers they are differences of. The direction to the centre of the box is tried first, since it needs only
    /// heights: a unit vector up to `4u`, products and sums `6u`, the difference `2u`.
    #[inline(always)]
    pub fn triangles<S: Simd>(&self, simd: S, packet: &Packet, bounds: &Bounds, limit: f32) -> Option<LeafBounds<S>> {
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        let triangles = packet.decode_locally(simd, bounds);
        let mut sides = [0.0f32; 3];
        for k in 0..3 {
            sides[k] = bounds.max[k] - bounds.min[k];
        }
        if self.far {
            let n = splats(simd, self.single);
            let [a, b, c] = &triangles.corners;
            let highest = dot(a, &n).max(dot(b, &n)).max(dot(c, &n));
            let corner: f64 = (0..3).map(|k| self.point[k] * f64::from(bounds.min[k])).sum();
            let side = sides[0].max(sides[1]).max(sides[2]);
            let slack = f64::from(3.0 * Packet::off_locally(side) + 16.0 * U * side) + 8.0 * f64::EPSILON;
            let highest: [f32; WIDTH] = highest.into();
            let lower = highest.map(|h| round_down(-corner - f64::from(h) - slack));
            return Some(LeafBounds { lower: lower.simd_into(simd), likely: f32x8::splat(simd, f32::INFINITY) });
        }
        let mut q = [0.0f32; 3];
        for k in 0..3 {
            q[k] = (self.point[k] - f64::from(bounds.min[k])) as f32;
        }
        let (mut middle, mut squared) = ([0.0f32; 3], 0.0f32);
        for k in 0..3 {
            middle[k] = 0.5 * sides[k] - q[k];
            squared += middle[k] * middle[k];
        }
        let from_corner = q[0].abs() + q[1].abs() + q[2].abs();
        let side = sides[0] + sides[1] + sides[2];
        let slack = Packet::off_locally(side) + 14.0 * U * (side + from_corner) + self.single_off;
        // Most leaves are rejected along the direction to their centre.
        let by_middle = if squared > 1e-30 {
            let inverse = 1.0 / squared.sqrt();
            let n = [middle[0] * inverse, middle[1] * inverse, middle[2] * inverse];
            let own = (n[0] * q[0] + n[1] * q[1]) + n[2] * q[2];
            let n = splats(simd, n);
            let [a, b, c] = &triangles.corners;
            let least = dot(a, &n).min(dot(b, &n)).min(dot(c, &n));
            let lower = least - f32x8::splat(simd, own + slack);
            if lower.simd_gt(f32x8::splat(simd, limit)).to_bitmask() as u32 == 255 {
                return None;
            }
            lower
        } else {
            f32x8::splat(simd, -1.0)
        };
        let own = splats(simd, q);
        let a = subtract(&triangles.corners[0], &own);
        let b = subtract(&triangles.corners[1], &own);
        let c = subtract(&triangles.corners[2], &own);
        let e = subtract(&triangles.corners[1], &triangles.corners[0]);
        let f = subtract(&triangles.corners[2], &triangles.corners[0]);
        // The point is `a + v e + w f`. Decrease of the squared distance relative to `a`: `2 (v x + w y) - (v² ee + 2 v
        // w ef + w² ff)`.
        let (x, y) = (-dot(&e, &a), -dot(&f, &a));
        let (ee, ef, ff) = (dot(&e, &e), dot(&e, &f), dot(&f, &f));
        let least = f32x8::splat(simd, f32::MIN_POSITIVE);
        let on_e = (x / ee.max(least)).max(zero).min(one);
        let on_f = (y / ff.max(least)).max(zero).min(one);
        let (rest_e, rest_f) = (ee - ef, ff - ef);
        let third = ((rest_e - x + y) / (rest_e + rest_f).max(least)).max(zero).min(one);
        let gain_e = on_e * ((x + x) - on_e * ee);
        let gain_f = on_f * ((y + y) - on_f * ff);
        let opposite = one - third;
        let gain_third =
            opposite * ((x + x) - opposite * ee) + third * ((y + y) - third * ff - (opposite + opposite) * ef);
        let second = gain_f.simd_gt(gain_e);
        let gain = gain_e.max(gain_f);
        let last = gain_third.simd_gt(gain);
        let (area, v, w) = (ee * ff - ef * ef, ff * x - ef * y, ee * y - ef * x);
        let inside = v.min(w).min(area - v - w).simd_gt(zero);
        let v_inside = (v / area.max(least)).min(one);
        let w_inside = (w / area.max(least)).min(one - v_inside);
        let v = inside.select(v_inside, last.select(opposite, second.select(zero, on_e)));
        let w = inside.select(w_inside, last.select(third, second.select(on_f, zero)));
        let mut way = a;
        for k in 0..3 {
            way[k] = a[k] + (v * e[k] + w * f[k]);
        }
        let height = dot(&way, &a).min(dot(&way, &b)).min(dot(&way, &c));
        let squared = dot(&way, &way);
        let length = squared.sqrt();
        let lower = height / length - f32x8::splat(simd, slack);
        // Squares that underflow give no bound.
        let known = squared.simd_gt(f32x8::splat(simd, 1e-36));
        let lower = known.select(lower.max(by_middle), by_middle);
        Some(LeafBounds { lower, likely: length + f32x8::splat(simd, 2.0 * slack) })
    }
}

/// Bounds on the distances of the triangles of a leaf.
pub(crate) struct LeafBounds<S: Simd> {
    /// Proved, to be compared with [`Outlook::triangle_limit`]. NaN or negative where nothing is known.
    pub lower: f32x8<S>,
    /// Most likely, but not proved to be, upper bounds.
    pub likely: f32x8<S>,
}

/// What a traversal outward from a point collects.
pub(crate) trait Outward<S: Simd> {
    /// Boxes with a bound above this are pruned: see [`Outlook::limit`].
    fn limit(&self) -> f32;

    /// Visits a leaf with its box.
    fn leaf(&mut self, simd: S, leaf: &Leaf, bounds: &Bounds);
}

/// Traverses the tree outward from a point and visits every leaf within the collector's limit when its turn comes.
#[inline(always)]
pub(crate) fn walk_outward<S: Simd, C: Outward<S>>(
    simd: S,
    (tree, discs): (&WideTree, &[Discs]),
    outlook: &Outlook,
    collector: &mut C,
) {
    let mut path = Path::new();
    let mut next = open_outward(simd, (tree, discs), outlook, collector.limit(), 0, &mut path);
    loop {
        let Some((_, place)) = (match next {
            None => path.pop(simd, collector.limit()),
            some => some,
        }) else {
            return;
        };
        next = match tree.below(place) {
            Below::Node(number) => open_outward(simd, (tree, discs), outlook, collector.limit(), number, &mut path),
            Below::Leaf(leaf) => {
                collector.leaf(simd, &leaf, &tree.at(place));
                None
            }
        };
    }
}

/// Pushes the boxes of a node that are near enough.
#[inline(always)]
fn open_outward<S: Simd>(
    simd: S,
    (tree, discs): (&WideTree, &[Discs]),
    outlook: &Outlook,
    limit: f32,
    number: u32,
    path: &mut Path,
) -> Option<(f32, u32)> {
    let node = &tree.nodes[number as usize];
    let mut bounds = outlook.bounds(simd, node);
    if !outlook.far {
        let zero = f32x8::splat(simd, 0.0);
        let by_disc = discs[number as usize].bounds(simd, node, outlook.single, outlook.disc_slack).max(zero);
        bounds = bounds.max(by_disc * by_disc * f32x8::splat(simd, DOWN));
    }
    let used = f32x8::simd_from(simd, node.min[0]).simd_le(f32x8::simd_from(simd, node.max[0]));
    let near = bounds.simd_le(f32x8::splat(simd, limit)) & used;
    path.push(simd, number, near, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::closest::closest_on_triangle;
    use crate::math::simd::{Plain, plain};
    use crate::tree::sample::Sample;

    /// Triangles of all shapes, including needles and points, around a centre.
    fn scattered(about: DVec3, size: f64) -> Sample {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut points = Vec::new();
        for k in 0..400 {
            let mut vector = |length: f64| DVec3::new(random(), random(), random()) * length;
            let a = about + vector(size);
            let e = vector(0.1 * size);
            let f = if k % 5 == 0 { e * 0.5 } else { e * 0.3 + vector(if k % 3 == 0 { 1e-4 } else { 0.1 } * size) };
            points.extend([a, a + e, a + f].map(|p| p.to_array()));
        }
        let triangles: Vec<[u32; 3]> = (0..400).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        Sample::new(&points, &triangles)
    }

    fn place(surface: &Sample, p: DVec3) -> DVec3 {
        surface.tree.frame.of(p - surface.origin)
    }

    struct Checked<'a> {
        surface: &'a Sample,
        outlook: Outlook,
        point: DVec3,
        least: f64,
        seen: usize,
    }

    impl Outward<Plain> for Checked<'_> {
        fn limit(&self) -> f32 {
            f32::MAX
        }

        fn leaf(&mut self, simd: Plain, leaf: &Leaf, bounds: &Bounds) {
            let packet = &self.surface.tree.packets[leaf.packet as usize];
            let lower: [f32; WIDTH] = self.outlook.triangles(simd, packet, bounds, f32::INFINITY).unwrap().lower.into();
            for lane in 0..leaf.count {
                let [a, b, c] = self.surface.corners(leaf.first + lane);
                let own = self.point - self.surface.origin;
                let truth = closest_on_triangle(own, a, b, c).distance * self.surface.tree.frame.scale;
                let bound = lower[lane as usize];
                assert!(bound.is_nan() || bound <= self.outlook.triangle_limit(truth), "{bound} {truth}");
                self.least = self.least.min(truth);
                self.seen += 1;
            }
        }
    }

    #[test]
    fn lower_bounds_do_not_exceed_distances() {
        for (about, size) in [(DVec3::ZERO, 1.0), (DVec3::new(1e7, -3e6, 2e5), 1e-2), (DVec3::ONE, 1e6)] {
            let surface = &scattered(about, size);
            let discs = surface.discs();
            for k in 0..60 {
                let turn = f64::from(k);
                let away = [0.1, 0.5, 3.0, 100.0, 1e9][k as usize % 5] * size;
                let point = about + away * DVec3::new(turn.sin(), turn.cos(), (1.7 * turn).sin());
                let outlook = Outlook::new(place(surface, point), 0.0);
                let mut checked = Checked { surface, outlook, point, least: f64::INFINITY, seen: 0 };
                walk_outward(plain(), (&surface.tree, &discs), &outlook, &mut checked);
                assert_eq!(checked.seen, surface.triangles.len());
                // Boxes that contain the nearest triangle are within the limit of its distance.
                let root = &surface.tree.nodes[0];
                let boxes: [f32; WIDTH] = outlook.bounds(plain(), root).into();
                let used = root.used(plain());
                let near = (0..WIDTH).filter(|lane| used >> lane & 1 == 1).map(|lane| boxes[lane]);
                assert!(near.fold(f32::MAX, f32::min) <= outlook.limit(checked.least));
            }
        }
    }

    struct Met<'a> {
        surface: &'a Sample,
        sight: Sight,
        slots: Vec<u32>,
    }

    impl Along<Plain> for Met<'_> {
        fn limit(&self) -> f32 {
            f32::INFINITY
        }

        fn leaf(&mut self, simd: Plain, leaf: &Leaf, bounds: &Bounds, near: f32) -> bool {
            let packet = &self.surface.tree.packets[leaf.packet as usize];
            let lanes = self.sight.candidates(simd, packet, bounds, leaf.count, near);
            self.slots.extend((0..leaf.count).filter(|lane| lanes >> lane & 1 == 1).map(|lane| leaf.first + lane));
            true
        }
    }

    #[test]
    fn lines_through_points_of_triangles_find_them() {
        for (about, size) in [(DVec3::ZERO, 1.0), (DVec3::new(1e7, -3e6, 2e5), 1e-2)] {
            let surface = &scattered(about, size);
            let mut others = 0;
            for slot in 0..surface.triangles.len() as u32 {
                let turn = f64::from(slot);
                // Along an axis too.
                let way = if slot % 4 == 0 { DVec3::Y } else { DVec3::new(turn.sin(), (2.1 * turn).cos(), 0.3) };
                let way = way.normalize();
                let [a, b, c] = surface.corners(slot).map(|p| surface.tree.frame.of(p));
                for on in [a, 0.5 * (a + b), 0.4 * a + 0.3 * b + 0.3 * c] {
                    let nearest = on - on.dot(way) * way;
                    let sight = Sight::new(nearest, way, 1e-14, 1e-15).unwrap();
                    let mut met = Met { surface, sight, slots: Vec::new() };
                    walk_along(plain(), &surface.tree, &sight, Sight::from(on.dot(way)), &mut met);
                    assert!(met.slots.contains(&slot));
                    let limit = Sight::limit(on.dot(way));
                    assert!(Sight::from(on.dot(way)) <= limit);
                    others += met.slots.len() - 1;
                }
            }
            // Hardly any other triangle passes.
            assert!(others < 3 * 8 * surface.triangles.len(), "{others}");
        }
    }
}
