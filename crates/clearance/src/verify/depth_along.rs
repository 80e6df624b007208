//! Proves anew how far a solid must be moved along a direction until it is out of another.
//!
//! At the upper end the bodies are apart: all triangles, after the translation. Before the lower end they overlap: a place in
//! both bodies, with the balls about it, proves that for every translation shorter than what the balls have in common. The
//! next place is asked for where that ends, and so on up to the lower end. Whoever calls names the places
//! ([`Hints::overlap`]); the balls are measured here.

use glam::DVec3;

use crate::answer::solid_depth::DepthAlong;
use crate::math::cancel::checkpoint;
use crate::math::double_double::{two_diff, two_prod, two_sum};
use crate::math::pose::Pose;
use crate::math::tolerances::{MAX_COORDINATE, UNIT_ROUNDOFF};
use crate::shape::Shape;
use crate::verify::bodies::Bodies;
use crate::verify::hint::{Hints, Placed};
use crate::verify::refusal::{Refusal, check_numbers};
use crate::verify::solid_depth::as_solid;

/// How many places are asked for.
const MOST_PLACES: u32 = 10_000;

/// The lower end is proved but for this part of the bodies' sizes: towards the end of the way out what they have in common
/// gets thinner than the places that a search finds.
const UNPROVED: f64 = 1e-3;

/// Proves the answer anew from the bodies and poses of the question.
pub(crate) fn verify_depth_along(
    answer: &DepthAlong,
    (a, pose_a): Placed<'_>,
    (b, pose_b): Placed<'_>,
    hints: &mut dyn Hints,
) -> Result<(), Refusal> {
    let DepthAlong { depth, direction } = *answer;
    check_numbers(&[
        ("depth", depth.value),
        ("lower", depth.lower),
        ("upper", depth.upper),
        ("direction", direction.element_sum()),
    ])?;
    if depth.lower < 0.0 {
        return Err(Refusal::NoNumber { field: "lower" });
    }
    if !(depth.lower <= depth.value && depth.value <= depth.upper) {
        return Err(Refusal::Disordered);
    }
    if (direction.length() - 1.0).abs() > 8.0 * UNIT_ROUNDOFF {
        return Err(Refusal::Normal);
    }
    let refused = Refusal::Upper { claimed: depth.upper, proved: f64::INFINITY };
    let (Some(mesh_a), Some(mesh_b)) = (as_solid(a), as_solid(b)) else { return Err(refused) };
    let (a, b) = (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b));
    let after = |by: f64| moved([pose_a, pose_b], direction, by);
    let (poses, lost) = after(depth.upper).ok_or(refused.clone())?;
    let apart = Bodies::new((&a, &poses[0]), (&b, &poses[1]), 0.0);
    apart.check_apart(lost.max(f64::MIN_POSITIVE), direction).map_err(|_| refused)?;
    let enough = depth.lower - UNPROVED * (a.diameter() + b.diameter());
    let mut proved = 0.0;
    for _ in 0..MOST_PLACES {
        if proved >= enough {
            return Ok(());
        }
        checkpoint();
        let Some((poses, lost)) = after(proved) else { break };
        let ((a, b), bodies) = (((&a, &poses[0]), (&b, &poses[1])), Bodies::new((&a, &poses[0]), (&b, &poses[1]), 0.0));
        let Some([point_a, point_b]) = hints.overlap(a, b) else { break };
        let shared = -bodies.gap_of_balls(point_a, point_b) - lost;
        if shared.is_nan() || shared <= 0.0 {
            break;
        }
        proved = (proved + shared).next_down();
    }
    Err(Refusal::Lower { claimed: depth.lower, proved })
}

/// The poses once B is moved, with A at the origin, and a bound on what of the translation is lost in the sums; `None` if that
/// is too far away.
pub(crate) fn moved([pose_a, pose_b]: [&Pose; 2], direction: DVec3, by: f64) -> Option<([Pose; 2], f64)> {
    let (mut moved, mut lost) = (DVec3::ZERO, 0.0);
    for k in 0..3 {
        let (apart, rest) = two_diff(pose_b.translation()[k], pose_a.translation()[k]);
        let (by, more) = two_prod(by, direction[k]);
        let (sum, last) = two_sum(apart, by);
        moved[k] = sum;
        lost += rest.abs() + more.abs() + last.abs();
    }
    if !moved.is_finite() || moved.abs().max_element() > MAX_COORDINATE {
        return None;
    }
    let at = |pose: &Pose, translation: DVec3| Pose::new(pose.rotation(), translation).ok();
    Some(([at(pose_a, DVec3::ZERO)?, at(pose_b, moved)?], lost * (1.0 + 4.0 * UNIT_ROUNDOFF)))
}
