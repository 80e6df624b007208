//! Intersection test of two convex bodies.

use crate::answer::intersects::{IntersectsAlgorithm, IntersectsOptions};
use crate::convex::box_box::Verdict;
use crate::convex::core::AnyCore;
use crate::convex::gjk::{Stop, Walk};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::placed::Placed;
use crate::convex::pair::rescale::{enlarged, is_tiny};
use crate::convex::pair::{segment_convex, sphere_convex, sphere_sphere};
use crate::convex::simplex::Simplex;
use crate::convex::workspace::ConvexWorkspace;
use crate::convex::{box_box, separating_axes};
use crate::math::pose::Pose;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::Shape;

/// Whether two convex bodies have a point in common, or come within a margin of each other.
pub(crate) fn intersects(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &IntersectsOptions,
    cache: &mut PairCache,
    workspace: &mut ConvexWorkspace,
) -> bool {
    if let Some(meets) = sphere_sphere::meet(a, pose_a, b, pose_b, options.margin.max(0.0)) {
        return meets;
    }
    if sphere_sphere::are_apart(a, pose_a, b, pose_b, options.margin.max(0.0)) {
        return false;
    }
    if options.algorithm != IntersectsAlgorithm::Gjk
        && let Some(meets) = sphere_convex::meet(a, pose_a, b, pose_b, options.margin.max(0.0))
    {
        return meets;
    }
    if options.algorithm != IntersectsAlgorithm::Gjk
        && let Some(meets) = segment_convex::meet(a, pose_a, b, pose_b, options.margin.max(0.0))
    {
        return meets;
    }
    let by_axes = options.margin <= 0.0 && options.algorithm != IntersectsAlgorithm::Gjk;
    if let (Shape::Cuboid(a), Shape::Cuboid(b)) = (a, b)
        && by_axes
    {
        let verdict = box_box::verdict(a.half_extents(), pose_a, b.half_extents(), pose_b, cache.axis);
        if let Some(meets) = settled(verdict, cache) {
            return meets;
        }
    }
    let placed = Placed::new(a, pose_a, b, pose_b);
    if is_tiny(&placed)
        && let Some(large) = enlarged(a, pose_a, b, pose_b)
    {
        let options = IntersectsOptions { margin: options.margin * large.factor, ..*options };
        return intersects(&large.a, &large.pose_a, &large.b, &large.pose_b, &options, cache, workspace);
    }
    if let Some(pair) = placed.half_space() {
        return crate::convex::pair::half_space::intersects(&placed, &pair, options.margin.max(0.0), workspace);
    }
    if by_axes
        && placed.radii() == 0.0
        && let (AnyCore::Points(&[p, q, r]), AnyCore::Points(&[u, v, w])) = (placed.a.core, placed.b.core)
    {
        let b = [u, v, w].map(|vertex| placed.map.place(vertex));
        let verdict = separating_axes::triangles([p, q, r], b, placed.reach, cache.axis);
        if let Some(meets) = settled(verdict, cache) {
            return meets;
        }
    }
    if by_axes && options.algorithm == IntersectsAlgorithm::SeparatingAxes && placed.radii() == 0.0 {
        match placed.hull_axes(cache, workspace) {
            Verdict::Apart(_) => return false,
            Verdict::Overlapping => return true,
            Verdict::Undecided => {}
        }
    }
    // `max` also turns NaN into zero.
    let lengths = [placed.a.radius, placed.b.radius, options.margin.max(0.0)];
    let limit = lengths[0] + lengths[1] + lengths[2];
    let doubt = 8.0 * UNIT_ROUNDOFF * limit;
    // GJK's bounds concern the placed cores, so a bound beyond `limit` decides.
    let stop = Stop { farther_than: limit + doubt, tolerance: 0.0 };
    if placed.is_smooth() {
        // Curved bodies are decided by the bracket, and where that contains `limit`, by its best estimate.
        let gap = placed.signed_gap(stop, limit - doubt, cache, workspace).gap;
        return gap.lower <= limit + doubt && (gap.upper < limit - doubt || gap.length <= limit);
    }
    let proposal = placed.proposal();
    if limit > 0.0 && proposal.as_ref().is_some_and(|proposal| placed.bridges(limit - doubt, proposal)) {
        return true;
    }
    let mut simplex = Simplex::default();
    let walk = placed.walk_unless(proposal.as_ref(), workspace.level, stop, cache, &mut simplex);
    match walk {
        Walk::Inside => true,
        Walk::Apart(apart) if apart.lower > limit + doubt => false,
        Walk::Apart(apart) if apart.upper < limit - doubt => true,
        Walk::Undecided(_) if placed.is_bridged(&simplex, limit - doubt) => true,
        Walk::Apart(_) | Walk::Undecided(_) => placed.exact_gap(&simplex, cache, workspace).compare(&lengths).is_le(),
    }
}

/// The answer, if the axes give one; the separating axis is cached.
#[inline(always)]
fn settled(verdict: Verdict, cache: &mut PairCache) -> Option<bool> {
    match verdict {
        Verdict::Apart(axis) => {
            cache.axis = axis;
            Some(false)
        }
        Verdict::Overlapping => Some(true),
        Verdict::Undecided => None,
    }
}
