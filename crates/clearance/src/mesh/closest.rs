//! The closest point of a mesh to a point, with a proved bracket.
//!
//! Best-first search over the wide tree ([`walk_outward`]): boxes eight at a time, then the triangles of a leaf eight
//! at a time from their packets, both by lower bounds in single precision. The remaining ones, about four triangles of
//! a large mesh, are measured in double precision.
//!
//! The bracket: the closest point found is a point of the mesh, so its distance is an upper bound. Each measured
//! triangle gives its own lower bound: along any direction, all of it is at least as far as the nearest of its corners,
//! and along the direction to its closest point that is its distance. Triangles not measured are farther than the upper
//! bound, so `lower` is the least of the triangles' bounds.
//!
//! Close to an edge the vector to it is too short to have a direction and the bound is lost; the few remaining
//! candidates are then measured again in double-double.

use std::cell::OnceCell;

use fearless_simd::{Level, Simd, f32x8, prelude::*};
use glam::DVec3;

use crate::geom::closest::{Closest, Region, closest_on_triangle};
use crate::geom::ray_frame::{Chain, unit_scale};
use crate::math::double_double::two_diff;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::ring::{self, Ring, Vector};
use crate::math::simd::at_level;
use crate::math::tolerances::{
    CLOSEST_ACCEPT, CLOSEST_CONTENDERS, CLOSEST_WAITING, MATRIX_VECTOR, ROUND_UP, SECOND_ORDER, UNIT_ROUNDOFF,
};
use crate::shape::{Feature, Surface};
use crate::tree::traverse::{Outlook, Outward, walk_outward};
use crate::tree::wide::{Bounds, Leaf, WIDTH};

/// A world point in the frame of a mesh, relative to the origin of the mesh's stored points.
pub(crate) struct PlacedPoint<'a> {
    pose: &'a Pose,
    world: DVec3,
    center: DVec3,
    /// Rounded.
    pub point: DVec3,
    /// How far the true point may be from `point`.
    pub off: f64,
    exact: OnceCell<Vector<Enclosed>>,
}

impl PlacedPoint<'static> {
    /// A point relative to the origin of the stored points, without rounding.
    pub fn local(point: DVec3) -> PlacedPoint<'static> {
        let exact = OnceCell::new();
        PlacedPoint { pose: &Pose::IDENTITY, world: point, center: DVec3::ZERO, point, off: 0.0, exact }
    }
}

impl<'a> PlacedPoint<'a> {
    pub fn new(surface: &Surface, pose: &'a Pose, world: DVec3) -> PlacedPoint<'a> {
        let center = surface.origin;
        let exact = OnceCell::new();
        let mut placed = PlacedPoint { pose, world, center, point: world, off: 0.0, exact };
        if pose.is_unrotated() {
            // Two differences, each with its rounding error.
            let mut off = 0.0;
            for k in 0..3 {
                let (from_pose, rest) = two_diff(world[k], pose.translation()[k]);
                let (own, more) = two_diff(from_pose, center[k]);
                placed.point[k] = own;
                off += rest.abs() + more.abs();
            }
            placed.off = off * ROUND_UP;
        } else {
            let from_pose = world - pose.translation();
            let turned = pose.inverse_rotation() * from_pose;
            placed.point = turned - center;
            // The difference is off by `u`, the product by `MATRIX_VECTOR` and the error of the stored inverse, the
            // last difference by `u`.
            let relative = MATRIX_VECTOR + pose.inverse_error() + UNIT_ROUNDOFF;
            let last = UNIT_ROUNDOFF * placed.point.length();
            placed.off = (relative * from_pose.length() + last) * SECOND_ORDER;
        }
        // Accurate enough unless digits cancelled.
        if placed.off <= 16.0 * UNIT_ROUNDOFF * (placed.point.length() + surface.radius) {
            return placed;
        }
        let exact = *placed.exact();
        placed.point = DVec3::from_array(exact.map(Enclosed::to_f64));
        let off = exact.iter().zip(placed.point.to_array()).map(|(&x, q)| (x - Enclosed::of(q)).magnitude());
        placed.off = off.sum::<f64>() * ROUND_UP;
        placed
    }

    /// In double-double.
    pub fn exact(&self) -> &Vector<Enclosed> {
        self.exact.get_or_init(|| {
            let chain = Chain { outer: None, inner: self.pose };
            ring::subtract(&chain.to_body(chain.offset(self.world)), &ring::vector(self.center))
        })
    }
}

/// The closest point of a mesh; lengths are in the frame of the mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosestOnMesh {
    pub distance: f64,
    pub lower: f64,
    pub upper: f64,
    /// Relative to the origin of the mesh's stored points.
    pub point: DVec3,
    pub feature: Feature,
    /// The slot of the triangle that contains the point.
    pub slot: u32,
}

/// The feature of a mesh for a region of one of its triangles.
pub(crate) fn feature_of(surface: &Surface, slot: u32, region: Region) -> Feature {
    let id = surface.ids[slot as usize];
    match region {
        Region::Vertex(k) => Feature::Vertex(surface.triangles[slot as usize][k as usize % 3]),
        Region::Edge(k) => Feature::Edge(3 * id + u32::from(k)),
        Region::Face(_) | Region::Inside => Feature::Face(id),
    }
}

/// The closest point of a mesh.
pub(crate) fn closest(level: Level, surface: &Surface, placed: &PlacedPoint<'_>) -> ClosestOnMesh {
    let mut search = ClosestSearch::new(surface, placed, true);
    let outlook = search.outlook;
    let tree = (&surface.tree, surface.discs());
    at_level!(level, simd => {
        walk_outward(simd, tree, &outlook, &mut search);
        search.measure_waiting(simd);
    });
    if !search.is_sound() {
        search = ClosestSearch::new(surface, placed, false);
        at_level!(level, simd => walk_outward(simd, tree, &outlook, &mut search));
    }
    search.finish()
}

/// A triangle measured from a point.
#[derive(Clone, Copy, Debug)]
struct Measured {
    found: Closest<3>,
    lower: f64,
    upper: f64,
    /// The unit vector along which the lower bound holds; `None` if it was too short to have a direction.
    way: Option<DVec3>,
    /// The distance of the farthest corner.
    reach: f64,
}

impl Measured {
    /// The accepted width of a bracket for a point known within `off`.
    fn allowed(&self, off: f64) -> f64 {
        CLOSEST_ACCEPT * UNIT_ROUNDOFF * self.reach + 4.0 * off
    }
}

/// A leaf with triangles that may be nearest.
#[derive(Clone, Copy)]
struct Waiting {
    /// Lower bounds; infinite for triangles that are too far.
    lower: [f32; WIDTH],
    /// The first slot.
    first: u32,
    /// A bit for each triangle that may be near.
    lanes: u32,
}

struct ClosestSearch<'a> {
    surface: &'a Surface,
    placed: &'a PlacedPoint<'a>,
    outlook: Outlook,
    /// Whether limits come from the likely distances that leaves report; triangles then wait until the traversal ends.
    /// Otherwise each is measured when visited, and limits come from that.
    hopeful: bool,
    /// The least likely distance so far.
    likely: f32,
    waiting: [Waiting; CLOSEST_WAITING],
    waiting_count: usize,
    box_limit: f32,
    triangle_limit: f32,
    best: Option<(u32, Measured)>,
    /// The triangle reported for the closest point, and its region: of the triangles that share the point, the
    /// lowest-numbered.
    named: (u32, Region),
    upper: f64,
    /// The least lower bound.
    lower: f64,
    /// The least lower bound of triangles the list had no room for.
    lost: f64,
    contenders: [(u32, f64); CLOSEST_CONTENDERS],
    count: usize,
}

impl<'a> ClosestSearch<'a> {
    fn new(surface: &'a Surface, placed: &'a PlacedPoint<'a>, hopeful: bool) -> ClosestSearch<'a> {
        let frame = &surface.tree.frame;
        let own = frame.of(placed.point);
        // The difference from the tree's middle is rounded.
        let off = placed.off * frame.scale + UNIT_ROUNDOFF * own.length() * 2.0;
        ClosestSearch {
            surface,
            placed,
            outlook: Outlook::new(own, off * ROUND_UP),
            hopeful,
            likely: f32::INFINITY,
            waiting: [Waiting { lower: [0.0; WIDTH], first: 0, lanes: 0 }; CLOSEST_WAITING],
            waiting_count: 0,
            box_limit: f32::MAX,
            triangle_limit: f32::MAX,
            best: None,
            named: (0, Region::Vertex(0)),
            upper: f64::INFINITY,
            lower: f64::INFINITY,
            lost: f64::INFINITY,
            contenders: [(0, 0.0); CLOSEST_CONTENDERS],
            count: 0,
        }
    }

    fn consider(&mut self, slot: u32) {
        let measured = measure(self.placed.point, self.placed.off, self.surface.corners(slot));
        self.contend(slot, measured.lower);
        let id = |slot: u32| self.surface.ids[slot as usize];
        let better = self.best.is_none_or(|(other, best)| {
            let (d, e) = (measured.found.distance, best.found.distance);
            d < e || (d == e && id(slot) < id(other))
        });
        if better {
            self.best = Some((slot, measured));
            self.named = (slot, measured.found.region);
        }
        if measured.upper < self.upper {
            self.upper = measured.upper;
            self.limit_to(self.upper_in_tree());
        }
    }

    /// Whether a triangle is proved no nearer than the nearest so far, along the direction to that one: true if they
    /// share the closest point. See [`measure`] for the slack; here the direction is a unit vector up to `4u`.
    fn is_beyond(&mut self, slot: u32) -> bool {
        let Some((_, best)) = &self.best else { return false };
        let Some(way) = best.way else { return false };
        let [a, b, c] = self.surface.corners(slot).map(|p| p - self.placed.point);
        let height = way.dot(a).min(way.dot(b)).min(way.dot(c));
        let reach = a.length_squared().max(b.length_squared()).max(c.length_squared()).sqrt();
        let lower = height - (16.0 * UNIT_ROUNDOFF * reach + self.placed.off) * ROUND_UP;
        if lower.is_nan() || lower < self.upper - best.allowed(self.placed.off) {
            return false;
        }
        self.contend(slot, lower);
        self.name_by(slot);
        true
    }

    /// Reports a triangle for the closest point if they share the edge or corner it is on and the triangle's number is
    /// lower.
    fn name_by(&mut self, slot: u32) {
        let (named, region) = self.named;
        if self.surface.ids[slot as usize] >= self.surface.ids[named as usize] {
            return;
        }
        let (own, other) = (self.surface.triangles[named as usize], self.surface.triangles[slot as usize]);
        let find = |p: u32| (0..3u8).find(|&k| other[usize::from(k)] == p);
        let region = match region {
            Region::Vertex(k) => find(own[usize::from(k) % 3]).map(Region::Vertex),
            Region::Edge(k) => match (find(own[usize::from(k) % 3]), find(own[(usize::from(k) + 1) % 3])) {
                (Some(i), Some(j)) if (i + 1) % 3 == j => Some(Region::Edge(i)),
                (Some(i), Some(j)) if (j + 1) % 3 == i => Some(Region::Edge(j)),
                _ => None,
            },
            _ => None,
        };
        if let Some(region) = region {
            self.named = (slot, region);
        }
    }

    /// Records the lower bound of a triangle.
    fn contend(&mut self, slot: u32, lower: f64) {
        self.lower = self.lower.min(lower);
        if lower <= self.upper {
            if self.count == CLOSEST_CONTENDERS {
                // Drop candidates that are beyond the upper bound by now.
                let mut kept = 0;
                for k in 0..CLOSEST_CONTENDERS {
                    if self.contenders[k].1 <= self.upper {
                        self.contenders[kept] = self.contenders[k];
                        kept += 1;
                    }
                }
                self.count = kept;
            }
            if self.count < CLOSEST_CONTENDERS {
                self.contenders[self.count] = (slot, lower);
                self.count += 1;
            } else {
                self.lost = self.lost.min(lower);
            }
        }
    }

    /// The upper bound in the frame of the tree.
    fn upper_in_tree(&self) -> f64 {
        self.upper * self.surface.tree.frame.scale * ROUND_UP
    }

    /// Lowers the limit to a distance in the frame of the tree.
    fn limit_to(&mut self, distance: f64) {
        self.box_limit = self.box_limit.min(self.outlook.limit(distance));
        self.triangle_limit = self.triangle_limit.min(self.outlook.triangle_limit(distance));
    }

    /// The lanes of a leaf that are not beyond the limit; NaN counts as not beyond.
    #[inline(always)]
    fn near<S: Simd>(&self, simd: S, lower: f32x8<S>) -> u32 {
        !(lower.simd_gt(f32x8::splat(simd, self.triangle_limit)).to_bitmask() as u32)
    }

    /// Queues a leaf of which some triangles may be nearest.
    #[inline(always)]
    fn wait<S: Simd>(&mut self, simd: S, first: u32, lanes: u32, lower: f32x8<S>) {
        if self.waiting_count == CLOSEST_WAITING {
            let mut kept = 0;
            for k in 0..CLOSEST_WAITING {
                if self.near(simd, f32x8::simd_from(simd, self.waiting[k].lower)) & self.waiting[k].lanes != 0 {
                    self.waiting[kept] = self.waiting[k];
                    kept += 1;
                }
            }
            self.waiting_count = kept;
            if kept == CLOSEST_WAITING {
                self.measure_waiting(simd);
            }
        }
        let too_far = lower.simd_gt(f32x8::splat(simd, self.triangle_limit));
        let lower = too_far.select(f32x8::splat(simd, f32::INFINITY), lower).into();
        self.waiting[self.waiting_count] = Waiting { lower, first, lanes };
        self.waiting_count += 1;
    }

    /// Measures the waiting triangles, the most promising first: that usually rules out the others.
    #[inline(always)]
    fn measure_waiting<S: Simd>(&mut self, simd: S) {
        let count = std::mem::take(&mut self.waiting_count);
        let (mut least, mut nearest) = (f32::INFINITY, u32::MAX);
        for waiting in &self.waiting[..count] {
            let lower = f32x8::simd_from(simd, waiting.lower);
            let own = lower.reduce_min();
            // Unused lanes repeat the first. NaN is queued.
            let lane = lower.simd_eq(f32x8::splat(simd, own)).to_bitmask() as u32 & waiting.lanes;
            if own < least && lane != 0 {
                (least, nearest) = (own, waiting.first + lane.trailing_zeros());
            }
        }
        if nearest != u32::MAX {
            self.consider(nearest);
        }
        for k in 0..count {
            let Waiting { lower, first, lanes } = self.waiting[k];
            let mut lanes = self.near(simd, f32x8::simd_from(simd, lower)) & lanes;
            while lanes != 0 {
                let slot = first + lanes.trailing_zeros();
                lanes &= lanes - 1;
                if slot != nearest && !self.is_beyond(slot) {
                    self.consider(slot);
                }
            }
        }
    }

    /// Whether nothing skipped can be nearer than the triangle found.
    fn is_sound(&self) -> bool {
        !self.hopeful || self.upper_in_tree() <= f64::from(self.likely)
    }

    fn finish(&self) -> ClosestOnMesh {
        let Some((_, best)) = self.best else {
            // Every traversal reaches a leaf; without one nothing would be known.
            return ClosestOnMesh {
                distance: 0.0,
                lower: 0.0,
                upper: f64::INFINITY,
                point: self.surface.corners(0)[0],
                feature: feature_of(self.surface, 0, Region::Vertex(0)),
                slot: 0,
            };
        };
        let (mut lower, mut upper) = (self.lower, self.upper);
        if upper - lower > best.allowed(self.placed.off) {
            (lower, upper) = self.refined();
        }
        let lower = lower.max(0.0).min(upper);
        ClosestOnMesh {
            distance: best.found.distance.max(lower).min(upper),
            lower,
            upper,
            point: best.found.point,
            feature: feature_of(self.surface, self.named.0, self.named.1),
            slot: self.named.0,
        }
    }

    /// The bracket in double-double, from the remaining candidates.
    fn refined(&self) -> (f64, f64) {
        let q = self.placed.exact();
        let (mut lower, mut upper) = (self.lost, self.upper);
        for &(slot, bound) in &self.contenders[..self.count] {
            if bound > upper {
                lower = lower.min(bound);
                continue;
            }
            let corners = self.surface.corners(slot);
            let found = closest_on_triangle(self.placed.point, corners[0], corners[1], corners[2]);
            let (own_lower, own_upper) = measure_again(q, corners, &found);
            lower = lower.min(own_lower.max(bound));
            upper = upper.min(own_upper);
        }
        // Triangles not in the list have lower bounds above an earlier upper bound.
        (lower.min(upper), upper)
    }
}

impl<S: Simd> Outward<S> for ClosestSearch<'_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.box_limit
    }

    #[inline(always)]
    fn leaf(&mut self, simd: S, leaf: &Leaf, bounds: &Bounds) {
        let packet = &self.surface.tree.packets[leaf.packet as usize];
        let Some(found) = self.outlook.triangles(simd, packet, bounds, self.triangle_limit) else { return };
        if self.hopeful && found.likely.simd_lt(f32x8::splat(simd, self.likely)).to_bitmask() != 0 {
            self.likely = found.likely.reduce_min().min(self.likely);
            self.box_limit = self.box_limit.min(Outlook::squared_limit(self.likely));
            self.triangle_limit = self.triangle_limit.min(self.likely);
        }
        let mut lanes = self.near(simd, found.lower) & ((1 << leaf.count) - 1);
        if lanes == 0 {
            return;
        }
        if self.likely < f32::INFINITY {
            self.wait(simd, leaf.first, lanes, found.lower);
            return;
        }
        // For far points there is no likely distance.
        let lower: [f32; WIDTH] = found.lower.into();
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            // The limit may have fallen since.
            let bound = lower[lane as usize % WIDTH];
            if bound.is_nan() || bound <= self.triangle_limit {
                self.consider(leaf.first + lane);
            }
        }
    }
}

/// Measures a triangle in double precision; the true point is within `off` of `q`.
///
/// Let `r` be the distance of the farthest corner. Lower bound: the corners relative to the point are off by `u r`,
/// their products with the direction by `3u r`, its length and the quotient by `4u`: `8u r`, doubled. Upper bound: the
/// closest point is a combination of corners and sides relative to the point, each off by `u` and `2u` of `r`; products
/// and sums add `5u`, weights that do not sum to one `4u`: `12u r`, and `4u` for its length; taken as `16u r`.
fn measure(q: DVec3, off: f64, corners: [DVec3; 3]) -> Measured {
    let [a, b, c] = corners;
    let found = closest_on_triangle(q, a, b, c);
    let from_query = corners.map(|p| p - q);
    let largest = from_query.iter().map(|w| w.abs().max_element()).fold(0.0, f64::max);
    let scale = unit_scale(largest);
    let w = from_query.map(|w| w * scale);
    let way = match found.region {
        Region::Vertex(k) => w[k as usize % 3],
        Region::Edge(k) => {
            let (k, next) = (k as usize % 3, (k as usize + 1) % 3);
            w[k] * found.weights[k] + w[next] * found.weights[next]
        }
        _ => {
            let n = ((b - a) * scale).cross((c - a) * scale);
            if n.dot(w[0]) < 0.0 { -n } else { n }
        }
    };
    let height = w.iter().map(|&p| way.dot(p)).fold(f64::INFINITY, f64::min);
    let reach = w.iter().map(|p| p.length_squared()).fold(0.0, f64::max).sqrt() / scale;
    let squared = way.length_squared();
    // Too short to have a length: no lower bound.
    let length = squared.sqrt();
    let (below, way) = if squared > 1e-280 { (height / length / scale, Some(way / length)) } else { (0.0, None) };
    let slack = 16.0 * UNIT_ROUNDOFF * reach + off;
    Measured {
        found,
        lower: (below - slack * ROUND_UP).max(0.0),
        upper: found.distance * (1.0 + 4.0 * UNIT_ROUNDOFF) + slack * ROUND_UP,
        way,
        reach,
    }
}

/// Bounds on the distance from a point to a triangle in double-double, where the closest point is known approximately.
fn measure_again(q: &Vector<Enclosed>, corners: [DVec3; 3], found: &Closest<3>) -> (f64, f64) {
    let from_query = corners.map(|p| ring::subtract(&ring::vector::<Enclosed>(p), q));
    let largest = from_query.iter().flatten().map(|x| x.magnitude()).fold(0.0, f64::max);
    let scale = if largest > 0.0 { unit_scale(largest) } else { 1.0 };
    let w = from_query.map(|v| ring::scale(&v, &Enclosed::of(scale)));
    // A point of the triangle for any weights that are not negative.
    let [l, m, n] = found.weights.map(Enclosed::of);
    let sum = l + m + n;
    let point: Vector<Enclosed> = std::array::from_fn(|k| (w[0][k] * l + w[1][k] * m + w[2][k] * n) / sum);
    let upper = ring::dot(&point, &point).sqrt().upper() / scale * ROUND_UP;
    // Along each candidate direction to the closest point; the best bound counts.
    let mut lower = 0.0f64;
    let mut along = |way: &Vector<Enclosed>| {
        let heights = w.each_ref().map(|p| ring::dot(way, p));
        let least = heights[0].min(heights[1]).min(heights[2]);
        let bound = (least / ring::dot(way, way).sqrt()).lower();
        // NaN where the direction has no length.
        if bound > lower {
            lower = bound;
        }
    };
    let normal = ring::cross(&ring::subtract(&w[1], &w[0]), &ring::subtract(&w[2], &w[0]));
    along(&normal);
    along(&normal.map(|x| -x));
    for k in 0..3 {
        let (from, to) = (&w[k], &w[(k + 1) % 3]);
        let side = ring::subtract(to, from);
        let share = -ring::dot(from, &side) / ring::dot(&side, &side);
        let value = share.to_f64();
        if value > 0.0 && value < 1.0 {
            along(&ring::add(from, &ring::scale(&side, &share)));
        } else {
            along(if value >= 1.0 { to } else { from });
        }
    }
    (lower / scale / ROUND_UP, upper)
}
