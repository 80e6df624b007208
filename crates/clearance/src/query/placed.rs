//! The placed pair: two bodies in the frame of one of them, chosen by a total order so that the order of the arguments
//! does not matter, and the step from a bracket of the placed cores to one of the real-number bodies.

use std::cmp::Ordering;

use fearless_simd::dispatch;
use glam::DVec3;

use crate::convex::core::{AnyCore, Body, Core};
use crate::convex::exact::{self, ExactGap};
use crate::convex::expand::{self, Depth};
use crate::convex::gjk::{self, Pair, Stop, Walk};
use crate::convex::simplex::Simplex;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{SECOND_ORDER, UNIT_ROUNDOFF};
use crate::query::workspace::{PairCache, Workspace};
use crate::shape::Shape;

/// Two bodies in the frame of the first.
pub(super) struct Placed<'s> {
    pub shape_a: &'s Shape,
    pub shape_b: &'s Shape,
    pub pose_a: &'s Pose,
    pub pose_b: &'s Pose,
    pub a: Body<'s>,
    pub b: Body<'s>,
    pub map: Placement,
    /// The caller's A is our B.
    pub swapped: bool,
    /// `L` of the cores, rounded up.
    pub scale: f64,
    /// Bound on placed against ideal vertices.
    pub placement: f64,
}

impl<'s> Placed<'s> {
    #[inline]
    pub fn new(a: &'s Shape, pose_a: &'s Pose, b: &'s Shape, pose_b: &'s Pose) -> Placed<'s> {
        let swapped = order(a, pose_a, b, pose_b) == Ordering::Greater;
        let (shape_a, pose_a, shape_b, pose_b) = if swapped { (b, pose_b, a, pose_a) } else { (a, pose_a, b, pose_b) };
        let (a, b) = (Body::of(shape_a), Body::of(shape_b));
        let map = Placement::new(pose_a, a.origin, pose_b, b.origin);
        let scale = (a.diameter + b.diameter + map.separation) * SECOND_ORDER;
        let placement = map.bound(b.extent);
        Placed { shape_a, shape_b, pose_a, pose_b, a, b, map, swapped, scale, placement }
    }

    /// The sum of the radii, rounded to nearest.
    #[inline]
    pub fn radii(&self) -> f64 {
        self.a.radius + self.b.radius
    }

    /// The simplex remembered from the last query of this pair.
    #[inline]
    fn start(&self, cache: &PairCache) -> Simplex {
        let mut simplex = Simplex::default();
        let (count_a, count_b) = (self.a.core.vertex_count(), self.b.core.vertex_count());
        for (a, b) in cache.pairs(count_a, count_b, self.swapped) {
            let w = self.map.place(self.b.core.vertex(b)) - self.a.core.vertex(a);
            simplex.push(a, b, w);
        }
        simplex
    }

    /// Walks to the closest features of the placed cores, in floating point.
    #[inline]
    pub fn walk(&self, stop: Stop, cache: &mut PairCache, workspace: &Workspace) -> Walk {
        let start = self.start(cache);
        let walk = match (self.a.core, self.b.core) {
            (AnyCore::Hull(a), AnyCore::Hull(b)) => {
                let pair = Pair { a, b, placement: &self.map, scale: self.scale };
                dispatch!(workspace.level, simd => gjk::walk(simd, &pair, &start, stop))
            }
            (a, b) => {
                let pair = Pair { a, b, placement: &self.map, scale: self.scale };
                dispatch!(workspace.level, simd => gjk::walk(simd, &pair, &start, stop))
            }
        };
        let simplex = match &walk {
            Walk::Apart(apart) => &apart.simplex,
            Walk::Inside(simplex) | Walk::Open(simplex) => simplex,
        };
        cache.store(simplex, self.swapped);
        walk
    }

    fn pair(&self) -> Pair<'_, AnyCore<'s>, AnyCore<'s>> {
        Pair { a: self.a.core, b: self.b.core, placement: &self.map, scale: self.scale }
    }

    /// The exact gap of the placed cores.
    #[cold]
    pub fn exact_gap(&self, start: &Simplex, cache: &mut PairCache, workspace: &mut Workspace) -> ExactGap {
        workspace.exact_decisions += 1;
        let gap = exact::gap(&self.pair(), start);
        cache.store(&gap.simplex, self.swapped);
        gap
    }

    /// A bracket of the depth of the placed cores.
    #[cold]
    pub fn depth(&self, start: &Simplex, enough: f64, workspace: &Workspace) -> Depth {
        let pair = self.pair();
        dispatch!(workspace.level, simd => expand::depth(simd, &pair, start, enough))
    }

    /// Both witness points with a simplex's weights, relative to the local origins.
    pub fn witness(&self, simplex: &Simplex) -> (DVec3, DVec3) {
        gjk::witness(&self.pair(), simplex)
    }

    /// A lower bound for the real-number bodies from one of the placed cores.
    #[inline]
    pub fn lower(&self, placed: f64) -> f64 {
        let core = placed - self.placement;
        let world = core - core.abs() * (self.map.stretch + 2.0 * UNIT_ROUNDOFF);
        round_down(world, self.radii())
    }

    /// An upper bound for the real-number bodies from one of the placed cores.
    #[inline]
    pub fn upper(&self, placed: f64) -> f64 {
        let core = placed + self.placement;
        let world = core + core.abs() * (self.map.stretch + 2.0 * UNIT_ROUNDOFF);
        round_up(world, self.radii())
    }

    /// The world normal of a direction in the frame of A. A plane `n · x = c` of the frame is the plane of
    /// `R⁻ᵀ n` in the world.
    #[inline]
    pub fn world_normal(&self, direction: DVec3) -> DVec3 {
        let m = self.pose_a.inverse_rotation();
        let n = DVec3::new(m.x_axis.dot(direction), m.y_axis.dot(direction), m.z_axis.dot(direction));
        n / n.length()
    }

    /// Points relative to the local origins, in each body's own frame.
    #[inline]
    pub fn own_frames(&self, point_a: DVec3, point_b: DVec3) -> (DVec3, DVec3) {
        (point_a + self.a.origin, point_b + self.b.origin)
    }
}

/// `value - radii`, rounded down; the sum of the radii may itself be off by a unit in the last place.
#[inline]
fn round_down(value: f64, radii: f64) -> f64 {
    let difference = value - radii;
    difference - (radii + difference.abs()) * (2.0 * UNIT_ROUNDOFF)
}

/// `value - radii`, rounded up.
#[inline]
fn round_up(value: f64, radii: f64) -> f64 {
    let difference = value - radii;
    difference + (radii + difference.abs()) * (2.0 * UNIT_ROUNDOFF)
}

/// The total order of posed bodies: kind, size, content, pose.
#[inline]
fn order(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Ordering {
    key(a).cmp(&key(b)).then_with(|| pose_a.bits().cmp(&pose_b.bits()))
}

/// Kind, number of vertices, content. Hashes of different hulls of one size may collide; the order is then by pose, and
/// only the choice of the frame, never the truth of the answer, depends on the order of the arguments.
#[inline]
fn key(shape: &Shape) -> (u8, u64, [u64; 3]) {
    match shape {
        Shape::Sphere(sphere) => (0, 1, [sphere.radius().to_bits(), 0, 0]),
        Shape::Cuboid(cuboid) => (1, 8, cuboid.half_extents().to_array().map(f64::to_bits)),
        Shape::Hull(hull) => (2, hull.vertex_count() as u64, [hull.hull().hash, 0, 0]),
    }
}
