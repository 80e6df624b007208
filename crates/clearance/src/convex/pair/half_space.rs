//! Queries on a half-space and another body. See [`crate::convex::half_space`].

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::Method;
use crate::answer::relation::{Evidence, RelationProof};
use crate::answer::witness::Witness;
use crate::convex::core::{AnyCore, Smooth};
use crate::convex::gjk::GapBracket;
use crate::convex::half_space::{HalfSpacePair, Planes, planes};
use crate::convex::pair::placed::Placed;
use crate::convex::workspace::ConvexWorkspace;
use crate::math::bracket::Bracket;
use crate::math::simd::at_level;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::Feature;

/// The result for a half-space and the other body's core.
pub(crate) enum Found {
    /// A body: a bracket of the signed gap, its lowest vertex, and whether the placed bodies come within the margin.
    Body(GapBracket, u32, bool),
    /// A second half-space with the first one's plane parallel to its own and facing it: the signed gap of the two.
    Facing(f64),
    /// A second half-space, and the common part is unbounded.
    Unbounded,
}

/// Tests a pair whose first body is a half-space. `margin` is not negative.
#[cold]
pub(crate) fn find(
    placed: &Placed<'_>,
    pair: &HalfSpacePair<'_>,
    margin: f64,
    workspace: &mut ConvexWorkspace,
) -> Found {
    if let AnyCore::Smooth(Smooth::HalfSpace { normal, offset }) = pair.body.core {
        return match planes((pair.normal, pair.offset), placed.pose_a, (normal, offset), placed.pose_b) {
            Planes::Unbounded => Found::Unbounded,
            Planes::Facing(gap) => Found::Facing(gap),
        };
    }
    let (apart, vertex) = at_level!(workspace.level, simd => pair.gap(simd));
    let reach = placed.b.radius + margin;
    let doubt = 8.0 * UNIT_ROUNDOFF * reach;
    let within = if apart.lower > reach + doubt {
        false
    } else if apart.upper < reach - doubt {
        true
    } else {
        workspace.exact_decisions += 1;
        pair.is_within(&[placed.b.radius, margin], &apart)
    };
    Found::Body(apart, vertex, within)
}

/// The signed gap of two facing half-spaces with the point of A nearest B's origin and its projection onto B.
pub(crate) fn facing(placed: &Placed<'_>, pair: &HalfSpacePair<'_>, gap: f64) -> GapBracket {
    let direction = pair.normal.normalize();
    // B's origin, projected along the normal onto either plane.
    let above = direction.dot(placed.map.translation) - pair.offset / pair.normal.length();
    let point_a = placed.map.translation - direction * above;
    let point_b = placed.map.turn_back(direction * (gap - above));
    // The gap is off by 8u of itself; points are rounded to within the reach.
    let doubt = 8.0 * UNIT_ROUNDOFF * gap.abs();
    GapBracket { lower: gap - doubt, upper: gap + doubt, length: gap, direction, point_a, point_b }
}

/// A common point of two half-spaces that are not exactly opposite: far down along the mean of their normals.
fn common_point(placed: &Placed<'_>, pair: &HalfSpacePair<'_>) -> (DVec3, DVec3) {
    let AnyCore::Smooth(Smooth::HalfSpace { normal, offset }) = pair.body.core else {
        return (DVec3::ZERO, DVec3::ZERO);
    };
    let one = pair.normal.normalize();
    let other = placed.map.turn(normal.normalize());
    let middle = one + other;
    let squared = middle.length_squared().max(UNIT_ROUNDOFF * UNIT_ROUNDOFF);
    let sizes = pair.offset.abs() / pair.normal.length() + offset.abs() / normal.length() + placed.map.separation;
    // The product of either normal with `middle` is half of `squared`.
    let point_a = middle * (-4.0 * sizes / squared);
    (point_a, placed.map.turn_back(point_a - placed.map.translation))
}

/// [`crate::distance`].
pub(crate) fn distance(placed: &Placed<'_>, pair: &HalfSpacePair<'_>, workspace: &mut ConvexWorkspace) -> Distance {
    let (apart, vertex) = match find(placed, pair, 0.0, workspace) {
        Found::Body(apart, vertex, false) => (apart, vertex),
        Found::Body(apart, _, true) => return meeting(placed, &apart),
        Found::Facing(gap) if gap > 0.0 => (facing(placed, pair, gap), 0),
        Found::Facing(_) => {
            let on_plane = facing(placed, pair, 0.0).point_a;
            let back = placed.map.turn_back(on_plane - placed.map.translation);
            return touching(placed, (on_plane, back));
        }
        Found::Unbounded => return touching(placed, common_point(placed, pair)),
    };
    let features = features(placed, &apart, vertex);
    crate::convex::pair::distance::with_features(placed, &apart, features, Method::ClosedForm)
}

/// The features of the plane and of the lowest point of the other body.
pub(crate) fn features(placed: &Placed<'_>, apart: &GapBracket, vertex: u32) -> (Feature, Feature) {
    let other = match placed.b.core {
        AnyCore::Smooth(smooth) => smooth.feature_at(apart.point_b, placed.map.turn_back(-apart.direction)),
        _ => crate::convex::pair::feature::of(placed.shape_b, &[vertex], apart.point_b),
    };
    (Feature::Face(0), other)
}

/// [`crate::penetration`]: the signed gap, with the features of its points; `None` if no translation separates the two.
pub(crate) fn signed_gap(
    placed: &Placed<'_>,
    pair: &HalfSpacePair<'_>,
    workspace: &mut ConvexWorkspace,
) -> Option<(GapBracket, (Feature, Feature))> {
    match find(placed, pair, 0.0, workspace) {
        Found::Body(apart, vertex, _) => Some((apart, features(placed, &apart, vertex))),
        Found::Facing(gap) => Some((facing(placed, pair, gap), (Feature::Face(0), Feature::Face(0)))),
        Found::Unbounded => None,
    }
}

/// The answer for a body that extends into the half-space: its lowest point, or the point bridging the gap to its core.
fn meeting(placed: &Placed<'_>, apart: &GapBracket) -> Distance {
    let above = apart.length.max(0.0);
    let point_a = if above > 0.0 { apart.point_a } else { placed.map.place(apart.point_b) };
    touching(placed, (point_a, apart.point_b - placed.map.turn_back(apart.direction * above)))
}

/// The answer for bodies with a common point, relative to the local origins.
fn touching(placed: &Placed<'_>, (point_a, point_b): (DVec3, DVec3)) -> Distance {
    Distance { method: Method::ClosedForm, ..crate::convex::pair::distance::touching(placed, point_a, point_b) }
}

/// [`crate::intersects`] with a margin.
pub(crate) fn intersects(
    placed: &Placed<'_>,
    pair: &HalfSpacePair<'_>,
    margin: f64,
    workspace: &mut ConvexWorkspace,
) -> bool {
    match find(placed, pair, margin, workspace) {
        Found::Body(_, _, within) => within,
        Found::Facing(gap) => gap <= margin,
        Found::Unbounded => true,
    }
}

/// [`crate::relation`]: the bracket, the normal and the evidence.
pub(crate) fn relation(
    placed: &Placed<'_>,
    pair: &HalfSpacePair<'_>,
    workspace: &mut ConvexWorkspace,
    unproved: RelationProof,
) -> RelationProof {
    let apart = match find(placed, pair, 0.0, workspace) {
        Found::Body(apart, ..) => apart,
        Found::Facing(gap) => facing(placed, pair, gap),
        Found::Unbounded => {
            let (point_a, point_b) = common_point(placed, pair);
            let direction = pair.normal.normalize();
            // No translation separates them.
            let bound = -f64::MAX;
            GapBracket { lower: bound, upper: bound, length: bound, direction, point_a, point_b }
        }
    };
    let (point_in_a, point_in_b) = placed.own_frames(apart.point_a, apart.point_b);
    RelationProof {
        gap: Bracket {
            lower: placed.lower(apart.lower).max(-f64::MAX),
            upper: placed.upper(apart.upper).max(-f64::MAX),
            ..unproved.gap
        },
        normal: placed.world_normal(apart.direction),
        witness: Witness::of_points(point_in_a, point_in_b),
        evidence: Evidence::Points,
        ..unproved
    }
}
