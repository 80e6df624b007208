//! The placed moving pair: two bodies in the frame of one of them, which is at rest.

use fearless_simd::Simd;
use glam::DVec3;

use crate::answer::sweeps::SweepAlgorithm;
use crate::convex::core::{AnyCore, Core};
use crate::convex::exact::{self, ExactGap};
use crate::convex::gjk::{self, Pair, Stop, Walk};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::placed::Placed;
use crate::convex::pair::rescale::shift;
use crate::convex::simplex::Simplex;
use crate::convex::sweep::{Doubled, Swept};
use crate::math::placement::{Placement, difference};
use crate::math::pose::Pose;
use crate::math::simd::at_level;
use crate::math::tolerances::{LARGEST_MARGIN, ROUND_UP, SECOND_ORDER, SMALLEST_REACH, UNIT_ROUNDOFF};
use crate::motion::Motion;
use crate::pair::workspace::Workspace;
use crate::shape::Shape;

/// The margin used by a query: zero for negative numbers and NaN, and at most [`LARGEST_MARGIN`].
pub(crate) fn sanitized_margin(margin: f64) -> f64 {
    if margin > 0.0 { margin.min(LARGEST_MARGIN) } else { 0.0 }
}

/// Two bodies at the start of their motions, in the frame of the first, and the motion of the second relative to it.
pub(crate) struct Moving<'s> {
    /// The pair at time 0.
    pub start: Placed<'s>,
    /// Displacement of B relative to A in the world, rounded to nearest.
    pub world: DVec3,
    /// The same in the frame of A.
    pub frame: DVec3,
    /// Length of `frame`, rounded up.
    pub length: f64,
    /// Bound on how far `frame` is from the ideal displacement.
    pub error: f64,
    /// How much farther apart the bodies in the world may be than the placed ones at the start, beyond `placement`.
    pub beyond: f64,
    /// How far normals may be rotated before they are returned, beyond the allowance of the bounds.
    tilt: f64,
}

/// The start poses of two motions, borrowed by [`Moving`].
pub(crate) struct Starts(pub Pose, pub Pose);

impl<'s> Moving<'s> {
    pub fn new(a: &'s Shape, motion_a: &Motion, b: &'s Shape, motion_b: &Motion, starts: &'s Starts) -> Moving<'s> {
        let start = Placed::new(a, &starts.0, b, &starts.1);
        let (of_a, of_b) = (motion_a.displacement(), motion_b.displacement());
        let (high, low) = if start.swapped { difference(of_a, of_b) } else { difference(of_b, of_a) };
        let (frame, error) = Placement::displacement(start.pose_a, high, low);
        Moving { start, world: high, frame, length: frame.length() * ROUND_UP, error, beyond: 0.0, tilt: 0.0 }
    }

    /// Two parts of bodies whose relative displacement is `way` with an error of `error`, in a common frame; that frame
    /// stretches lengths by up to `stretch`, and points may lie `off` from their ideal places. Every bound then holds
    /// for the bodies in the world.
    pub fn of_parts(
        (a, b): (&'s Shape, &'s Shape),
        starts: &'s Starts,
        (way, error): (DVec3, f64),
        (off, stretch): (f64, f64),
    ) -> Moving<'s> {
        let mut start = Placed::new(a, &starts.0, b, &starts.1);
        start.map.translation_error += off * ROUND_UP;
        start.map.stretch = (start.map.stretch + stretch) * SECOND_ORDER;
        let world = if start.swapped { -way } else { way };
        let (frame, own_error) = Placement::displacement(start.pose_a, world, DVec3::ZERO);
        // The normal of a plane is rotated into the world and normalised once more: see `tolerances::LOWER_BOUND`.
        let tilt = 11.0 * UNIT_ROUNDOFF;
        let error = (own_error + error) * SECOND_ORDER;
        let beyond = (off + stretch * (start.reach + start.radii())) * SECOND_ORDER;
        let mut moving = Moving { start, world, frame, length: frame.length() * ROUND_UP, error, beyond, tilt };
        moving.start.placement = moving.at(0.0).placement;
        moving
    }

    /// The pair at a time of the step.
    pub fn at(&self, time: f64) -> Placed<'s> {
        let map = self.start.map.moved(time, self.frame, self.error);
        let reach = (2.0 * (self.start.a.extent + self.start.b.extent) + map.separation) * ROUND_UP;
        let placement = map.bound(self.start.b.extent) + self.tilt * reach;
        Placed { map, reach, placement, ..self.start }
    }

    /// The reach that rounding errors are relative to, for the sets swept up to a time.
    pub fn swept_reach(&self, time: f64) -> f64 {
        (self.start.reach + 2.0 * time * self.length) * ROUND_UP
    }

    /// The pair of static sets that meet if the bodies do before a time: A swept against the motion, and B at its
    /// start.
    fn swept<A: Core, B: Core>(&self, a: A, b: B, time: f64) -> Pair<'_, Swept<A>, B> {
        let displacement = self.frame * -time;
        Pair { a: Swept { core: a, displacement }, b, placement: &self.start.map, reach: self.swept_reach(time) }
    }

    /// The swept pair over any cores.
    pub fn swept_cores(&self, time: f64) -> Pair<'_, Swept<AnyCore<'s>>, AnyCore<'s>> {
        self.swept(self.start.a.core, self.start.b.core, time)
    }

    /// Finds the closest features of the sets swept over the whole step.
    #[inline(always)]
    pub fn walk_swept<S: Simd>(
        &self,
        simd: S,
        algorithm: SweepAlgorithm,
        time: f64,
        stop: Stop,
        cache: &mut PairCache,
        simplex: &mut Simplex,
    ) -> Walk {
        let pair = self.swept_cores(time);
        let (count, a, b) = cache.pairs(pair.a.vertex_count(), pair.b.vertex_count(), self.start.swapped);
        for (&a, &b) in a[..count].iter().zip(&b[..count]) {
            simplex.push(a, b, pair.difference(a, b));
        }
        let walk = match algorithm {
            SweepAlgorithm::SweptSupport => gjk::walk(simd, &pair, simplex, stop),
            SweepAlgorithm::PointDuplication => {
                let Pair { a, b, placement, reach } = pair;
                gjk::walk(simd, &Pair { a: Doubled(a), b, placement, reach }, simplex, stop)
            }
        };
        cache.store(simplex, self.start.swapped);
        walk
    }

    /// The exact gap of the sets swept up to a time.
    #[cold]
    pub fn exact_swept_gap(&self, time: f64, start: &Simplex, workspace: &mut Workspace) -> ExactGap {
        workspace.convex.exact_decisions += 1;
        exact::gap(&self.swept_cores(time), start)
    }

    /// Whether the placed swept sets come within a margin of each other: exactly. `simplex`, initially empty, returns
    /// the last one.
    pub fn meet(
        &self,
        algorithm: SweepAlgorithm,
        time: f64,
        margin: f64,
        cache: &mut PairCache,
        simplex: &mut Simplex,
        workspace: &mut Workspace,
    ) -> bool {
        let lengths = [self.start.a.radius, self.start.b.radius, margin];
        let reach = lengths[0] + lengths[1] + lengths[2];
        // The sum is off by 2u, the comparison with a bound by one more.
        let doubt = 8.0 * UNIT_ROUNDOFF * reach;
        let stop = Stop { farther_than: reach + doubt, tolerance: 0.0 };
        let walk =
            at_level!(workspace.convex.level, simd => self.walk_swept(simd, algorithm, time, stop, cache, simplex));
        match walk {
            Walk::Inside => true,
            Walk::Apart(apart) if apart.lower > reach + doubt => false,
            Walk::Apart(apart) if apart.upper < reach - doubt => true,
            Walk::Apart(_) | Walk::Undecided(_) => {
                let gap = self.exact_swept_gap(time, simplex, workspace);
                *simplex = gap.simplex;
                gap.compare(&lengths).is_le()
            }
        }
    }

    /// The whole motion takes place at a scale at which products of lengths underflow.
    pub fn is_tiny(&self) -> bool {
        let size = self.size();
        size < SMALLEST_REACH && size > 0.0
    }

    /// The size of the whole motion, also where squares of its lengths underflow.
    fn size(&self) -> f64 {
        let size = self.swept_reach(1.0).max(self.start.radii());
        if size > 0.0 { size } else { shift(&self.start).max(self.world.abs().max_element()) }
    }
}

/// Two bodies and their motions, scaled up.
pub(crate) struct Enlarged {
    pub a: Shape,
    pub motion_a: Motion,
    pub b: Shape,
    pub motion_b: Motion,
    /// The scale factor of all lengths: a power of two.
    pub factor: f64,
}

/// Scales a motion of bodies too small for a query to about 1. `None` if it is large enough, or if scaling would put it
/// out of range.
#[cold]
pub(crate) fn enlarged(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Option<Enlarged> {
    let starts = Starts(motion_a.start(), motion_b.start());
    let moving = Moving::new(a, motion_a, b, motion_b, &starts);
    if !moving.is_tiny() {
        return None;
    }
    let size = moving.size();
    // A power of two of at most 1000 (see `rescale`): exact, and finite.
    let factor = 2f64.powi((-size.log2()).floor().clamp(0.0, 1000.0) as i32);
    let shared = starts.0.translation() == starts.1.translation();
    let enlarge = |motion: &Motion| {
        // The common translation cancels.
        let own = if shared { DVec3::ZERO } else { motion.start().translation() };
        let pose = Pose::new(motion.start().rotation(), own * factor).ok()?;
        Motion::translation(pose, motion.displacement() * factor).ok()
    };
    Some(Enlarged {
        motion_a: enlarge(motion_a)?,
        motion_b: enlarge(motion_b)?,
        a: a.scaled(factor)?,
        b: b.scaled(factor)?,
        factor,
    })
}

/// True for bodies that are a polytope with a radius: those with a core of indexed vertices.
pub(crate) fn has_vertices(shape: &Shape) -> bool {
    match shape {
        Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Hull(_)
        | Shape::Capsule(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Tetrahedron(_) => true,
        Shape::Rounded(rounded) => has_vertices(rounded.core()),
        _ => false,
    }
}
