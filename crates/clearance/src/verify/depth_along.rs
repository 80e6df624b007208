//! Verifies how far a solid must move along a direction to be clear of another.
//!
//! At the upper end the bodies are disjoint: all triangles, after the translation. Before the lower end they overlap: a
//! point in both bodies, with the inscribed spheres about it, proves that for every translation shorter than the
//! overlap of the spheres. The next step is measured where that ends, and so on up to the lower end. The caller
//! proposes the points ([`Hints::overlap`]); the spheres are measured here. The first point is requested at the lower
//! end, near where the bodies touch last and their overlap is thinnest: as a point of A it is in B for much of the way.
//! More are requested where it is not.

use glam::DVec3;

use crate::answer::solid_depth::DepthAlong;
use crate::math::cancel::checkpoint;
use crate::math::double_double::{two_diff, two_prod, two_sum};
use crate::math::pose::Pose;
use crate::math::tolerances::{
    MAX_COORDINATE, UNIT_ROUNDOFF, VERIFY_ALONG_LEAST_STEP, VERIFY_ALONG_POINTS, VERIFY_ALONG_REQUESTS,
    VERIFY_ALONG_STEPS, VERIFY_ALONG_UNPROVED,
};
use crate::shape::Shape;
use crate::verify::bodies::Bodies;
use crate::verify::hint::{Hints, Placed};
use crate::verify::refusal::{Refusal, check_numbers};
use crate::verify::solid_depth::as_solid;

/// Verifies the answer from the bodies and poses of the query.
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
    let last = hints.distance((&a, &poses[0]), (&b, &poses[1]), 0.0).witness.a.point;
    let last = poses[0].transform_point(last);
    let enough = depth.lower - VERIFY_ALONG_UNPROVED * (a.diameter() + b.diameter());
    let mut places = Places { known: Vec::new(), asked: 0, last: last - direction * (0.5 * (depth.upper - enough)) };
    let mut proved = 0.0;
    for _ in 0..VERIFY_ALONG_STEPS {
        if proved >= enough {
            return Ok(());
        }
        checkpoint();
        if proved == 0.0 {
            let Some((poses, _)) = after(enough) else { break };
            places.ask((&a, &poses[0]), (&b, &poses[1]), hints);
        }
        let Some((poses, lost)) = after(proved) else { break };
        let (a, b) = ((&a, &poses[0]), (&b, &poses[1]));
        let bodies = Bodies::new(a, b, 0.0);
        let mut shared = places.shared(&bodies, &poses);
        if shared < VERIFY_ALONG_LEAST_STEP * (depth.upper - proved) && places.ask(a, b, hints) {
            shared = places.shared(&bodies, &poses);
        }
        shared -= lost;
        if shared.is_nan() || shared <= 0.0 {
            break;
        }
        proved = (proved + shared).next_down();
    }
    Err(Refusal::Lower { claimed: depth.lower, proved })
}

/// Points that were deep in both bodies after some translation, as a point of each in its local frame.
struct Places {
    known: Vec<[DVec3; 2]>,
    asked: u32,
    /// Where the bodies touch last, in the world with A at the origin.
    last: DVec3,
}

impl Places {
    /// Requests another point; whether one was found.
    fn ask(&mut self, a: Placed<'_>, b: Placed<'_>, hints: &mut dyn Hints) -> bool {
        if self.asked == VERIFY_ALONG_REQUESTS {
            return false;
        }
        self.asked += 1;
        let found = hints.overlap(a, b, self.last);
        if self.known.len() == VERIFY_ALONG_POINTS {
            self.known.remove(1);
        }
        self.known.extend(found);
        found.is_some()
    }

    /// The largest overlap of the bodies' inscribed spheres, about a point fixed in A or fixed in B.
    fn shared(&self, bodies: &Bodies<'_>, [pose_a, pose_b]: &[Pose; 2]) -> f64 {
        let both = self.known.iter().flat_map(|&[point_a, point_b]| {
            let in_b = pose_b.inverse_transform_point(pose_a.transform_point(point_a));
            let in_a = pose_a.inverse_transform_point(pose_b.transform_point(point_b));
            [[point_a, in_b], [in_a, point_b]]
        });
        both.map(|[point_a, point_b]| -bodies.gap_of_balls(point_a, point_b)).fold(0.0, f64::max)
    }
}

/// The poses after moving B, with A at the origin, and a bound on the part of the translation lost to rounding; `None`
/// if that is too far away.
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
