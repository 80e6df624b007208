//! Penetration depth of two convex bodies.

use crate::answer::method::{Method, Stopped};
use crate::answer::penetration::{Penetration, PenetrationOptions};
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::core::AnyCore;
use crate::convex::epa::{Depth, EpaGoal};
use crate::convex::gjk::{GapBracket, Stop, Walk};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::placed::Placed;
use crate::convex::pair::rescale::{enlarged, is_tiny};
use crate::convex::pair::{feature, segment_convex, sphere_convex, sphere_sphere};
use crate::convex::simplex::Simplex;
use crate::convex::workspace::ConvexWorkspace;
use crate::convex::{box_box, closed_forms};
use crate::error::QueryError;
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, DEPTH_ACCURACY};
use crate::shape::{Feature, Shape};

/// Penetration depth of two convex bodies. [`QueryError::Unbounded`] for two half-spaces that do not face each other.
pub(crate) fn penetration(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &PenetrationOptions,
    cache: &mut PairCache,
    workspace: &mut ConvexWorkspace,
) -> Result<Penetration, QueryError> {
    if let Some(answer) = sphere_sphere::penetration(a, pose_a, b, pose_b) {
        return Ok(answer);
    }
    if let Some(answer) = sphere_convex::penetration(a, pose_a, b, pose_b) {
        return Ok(answer);
    }
    if let Some(answer) = segment_convex::penetration(a, pose_a, b, pose_b) {
        return Ok(answer);
    }
    let placed = Placed::new(a, pose_a, b, pose_b);
    if is_tiny(&placed)
        && let Some(large) = enlarged(a, pose_a, b, pose_b)
    {
        let options = PenetrationOptions { tolerance: options.tolerance * large.factor };
        let answer = penetration(&large.a, &large.pose_a, &large.b, &large.pose_b, &options, cache, workspace)?;
        return Ok(answer.scaled(1.0 / large.factor));
    }
    let tolerance = options.tolerance.max(0.0);
    let stop = Stop { farther_than: f64::INFINITY, tolerance };
    let Some((gap, features, method)) = signed_gap(&placed, stop, f64::INFINITY, cache, workspace) else {
        return Err(QueryError::Unbounded);
    };
    Ok(with_features(&placed, without_features(&placed, &gap), features, method))
}

/// The signed gap of the placed cores with the features of its witness points. `None` for two half-spaces that do not
/// face each other. `farther_than` is the limit of `stop`, as a gap of the bodies in the world.
#[inline(always)]
pub(crate) fn signed_gap(
    placed: &Placed<'_>,
    stop: Stop,
    farther_than: f64,
    cache: &mut PairCache,
    workspace: &mut ConvexWorkspace,
) -> Option<(GapBracket, (Feature, Feature), Method)> {
    let stopped = |gap: &GapBracket| Stopped::reason(farther_than, stop.tolerance, placed.lower(gap.lower));
    if let Some(pair) = placed.half_space() {
        let (gap, features) = crate::convex::pair::half_space::signed_gap(placed, &pair, workspace)?;
        return Some((gap, features, Method::ClosedForm));
    }
    if placed.is_smooth() {
        let found = placed.signed_gap(stop, f64::NEG_INFINITY, cache, workspace);
        let answer = without_features(placed, &found.gap);
        let allowed = (DEPTH_ACCURACY + placed.pose_a.defect()) * placed.scale();
        let complete = answer.depth.upper - answer.depth.lower <= allowed;
        return Some((
            found.gap,
            placed.curved_features(&found),
            if complete { Method::Newton } else { Method::NewtonStopped(stopped(&found.gap)) },
        ));
    }
    if let (AnyCore::Box(a), AnyCore::Box(b)) = (placed.a.core, placed.b.core)
        && let Some((gap, simplex)) = box_box::depth(a, b, &placed.map, placed.reach)
    {
        let (features, _) = by_depth(placed, &Depth { gap, simplex, by_polytope: true, aside: 0.0 }, Stopped::Budget);
        return Some((gap, features, Method::ClosedForm));
    }
    if let (AnyCore::Point, AnyCore::Box(half)) = (placed.a.core, placed.b.core)
        && let Some((gap, simplex)) = closed_forms::point_in_box(half, &placed.map, placed.reach)
    {
        let (features, _) = by_depth(placed, &Depth { gap, simplex, by_polytope: true, aside: 0.0 }, Stopped::Budget);
        return Some((gap, features, Method::ClosedForm));
    }
    let mut simplex = Simplex::default();
    let walk = placed.walk(workspace.level, stop, cache, &mut simplex);
    Some(match walk {
        Walk::Apart(gap) => by_gap(placed, &gap, &simplex, stopped(&gap), cache),
        Walk::Undecided(Some(gap)) if placed.is_tight(&gap) => by_gap(placed, &gap, &simplex, stopped(&gap), cache),
        Walk::Inside | Walk::Undecided(_) => {
            let wanted = EpaGoal { enough: f64::INFINITY, tolerance: stop.tolerance };
            let depth = placed.depth(&simplex, wanted, cache, workspace);
            let (features, method) = by_depth(placed, &depth, stopped(&depth.gap));
            (depth.gap, features, method)
        }
    })
}

/// The answer for cores that do not overlap beyond rounding; `stopped` is the reason for a wide bracket.
#[inline(always)]
fn by_gap(
    placed: &Placed<'_>,
    gap: &GapBracket,
    simplex: &Simplex,
    stopped: Stopped,
    cache: &mut PairCache,
) -> (GapBracket, (Feature, Feature), Method) {
    let answer = without_features(placed, gap);
    let complete = placed.is_complete(answer.depth.upper - answer.depth.lower);
    let features =
        if complete { placed.features(simplex, gap, cache) } else { placed.unfinished_features(simplex, gap) };
    (*gap, features, if complete { Method::Gjk } else { Method::GjkStopped(stopped) })
}

/// Features and method of an expanding polytope's result; `stopped` is the reason for a wide bracket.
#[inline(always)]
fn by_depth(placed: &Placed<'_>, depth: &Depth, stopped: Stopped) -> ((Feature, Feature), Method) {
    let answer = without_features(placed, &depth.gap);
    let Depth { gap, simplex, by_polytope, .. } = depth;
    // Where no depth of the cores is proved, they touch or are separated after all: GJK's accuracy applies.
    let (accuracy, finished, stopped) = if *by_polytope {
        (DEPTH_ACCURACY, Method::Epa, Method::EpaStopped(stopped))
    } else {
        (ACCURACY, Method::Gjk, Method::GjkStopped(stopped))
    };
    let complete = answer.depth.upper - answer.depth.lower <= (accuracy + placed.pose_a.defect()) * placed.scale();
    let features = if complete {
        let count = simplex.count;
        (
            feature::of(placed.shape_a, &simplex.a[..count], gap.point_a),
            feature::of(placed.shape_b, &simplex.b[..count], gap.point_b),
        )
    } else {
        placed.unfinished_features(simplex, gap)
    };
    (features, if complete { finished } else { stopped })
}

/// The answer by a bracket of the signed gap of the cores, in the order of the placed pair, without features.
#[inline(always)]
fn without_features(placed: &Placed<'_>, gap: &GapBracket) -> Penetration {
    let lower = (-placed.upper(gap.upper)).max(0.0);
    let upper = (-placed.lower(gap.lower)).max(0.0);
    let normal = placed.world_normal(gap.direction);
    let (point_in_a, point_in_b) = placed.surface_points(gap, normal);
    Penetration {
        depth: Bracket { value: (placed.radii() - gap.length).max(lower).min(upper), lower, upper },
        placement: placed.placement,
        method: Method::Gjk,
        witness: Witness {
            a: WitnessPoint { point: point_in_a, part: 0, feature: Feature::Interior },
            b: WitnessPoint { point: point_in_b, part: 0, feature: Feature::Interior },
        },
        normal,
    }
}

/// The answer with its features and method, in the order of the arguments.
#[inline(always)]
fn with_features(
    placed: &Placed<'_>,
    answer: Penetration,
    (feature_a, feature_b): (Feature, Feature),
    method: Method,
) -> Penetration {
    if placed.swapped {
        Penetration {
            method,
            witness: answer.witness.swapped().with_features(feature_b, feature_a),
            normal: -answer.normal,
            ..answer
        }
    } else {
        Penetration { method, witness: answer.witness.with_features(feature_a, feature_b), ..answer }
    }
}
