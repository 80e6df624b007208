//! Single-plane test whether two simple bodies are farther apart than requested, before a placed pair is formed.
//!
//! The first step of GJK, taken in the world: the direction is that between the bodies' local origins, and the support
//! vertices along it bound the gap from below by the planes through them, from above by their distance. Most pairs
//! queried with a margin are far apart, and need nothing more.

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::{Method, Stopped};
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::core::Body;
use crate::convex::pair::feature;
use crate::convex::pair::placed::{round_down, round_up};
use crate::convex::point_core::farthest;
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::{
    ACCURACY, FIRST_PLANE_BOUND, MATRIX_PRODUCT, MATRIX_VECTOR, PLACE_VERTEX, ROUND_UP, SECOND_ORDER, SMALLEST_REACH,
    UNIT_ROUNDOFF,
};
use crate::shape::{PairKind, Shape, is_frame_b, order};

/// The answer if the bodies are simple and shown to be farther apart than `farther_than`, which is not negative.
#[inline(always)]
pub(crate) fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, farther_than: f64) -> Option<Distance> {
    (has_few_vertices(a) && has_few_vertices(b)).then(|| arranged(a, pose_a, b, pose_b, farther_than)).flatten()
}

/// True for bodies whose core has few vertices.
#[inline(always)]
fn has_few_vertices(shape: &Shape) -> bool {
    let core = if let Shape::Rounded(rounded) = shape { rounded.core() } else { shape };
    matches!(
        core,
        Shape::Cuboid(_) | Shape::Capsule(_) | Shape::Segment(_) | Shape::Triangle(_) | Shape::Tetrahedron(_)
    )
}

#[inline(never)]
fn arranged(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, farther_than: f64) -> Option<Distance> {
    if !is_frame_b(PairKind::Convex, order(a, pose_a, b, pose_b)) {
        return in_order(a, pose_a, b, pose_b, farther_than);
    }
    // The same bits when swapped, down to the sign of a zero.
    Some(in_order(b, pose_b, a, pose_a, farther_than)?.swapped())
}

#[inline(always)]
fn in_order(shape_a: &Shape, pose_a: &Pose, shape_b: &Shape, pose_b: &Pose, farther_than: f64) -> Option<Distance> {
    let (a, b) = (Body::of(shape_a), Body::of(shape_b));
    let radii = a.radius + b.radius;
    let (turn_a, turn_b) = (pose_a.rotation(), pose_b.rotation());
    let translations = pose_b.translation() - pose_a.translation();
    let mut between = translations;
    let mut size = (a.extent + b.extent) + translations.abs().element_sum();
    if a.origin != DVec3::ZERO || b.origin != DVec3::ZERO {
        between += turn_b * b.origin - turn_a * a.origin;
        size += (a.origin.abs() + b.origin.abs()).element_sum();
    }
    let length = between.length();
    // Closer pairs could pass too, but seldom would. Written so that NaN is rejected.
    let may_be = length > farther_than + (radii + 0.7 * (a.extent + b.extent)) && length > SMALLEST_REACH;
    if !may_be {
        return None;
    }
    let turned_back = |m: &glam::DMat3, v: DVec3| DVec3::new(m.x_axis.dot(v), m.y_axis.dot(v), m.z_axis.dot(v));
    let (id_a, vertex_a) = farthest(&a.core, turned_back(&turn_a, between));
    let (id_b, vertex_b) = farthest(&b.core, turned_back(&turn_b, -between));
    let vertices = (turn_b * vertex_b - turn_a * vertex_a) + between;
    let normal = between * (1.0 / length);
    let error = FIRST_PLANE_BOUND * size;
    let lower = round_down(normal.dot(vertices) - error, radii);
    // Written so that NaN is rejected.
    let seen = lower > farther_than;
    if !seen {
        return None;
    }
    let apart = vertices.length();
    let upper = round_up(apart + error, radii);
    let scale = (a.diameter + b.diameter) + (length + 2.0 * radii);
    // As `Placed::is_complete`.
    let complete = upper - lower <= (0.25 * ACCURACY + pose_a.defect()) * scale;
    let (mut point_a, mut point_b) = (vertex_a + a.origin, vertex_b + b.origin);
    if radii > 0.0 {
        // Along the line between the two vertices: there the points are as far apart as the answer says.
        let along = vertices * (1.0 / apart);
        point_a += pose_a.inverse_rotation() * (along * a.radius);
        point_b -= pose_b.inverse_rotation() * (along * b.radius);
    }
    Some(Distance {
        gap: Bracket { value: (apart - radii).max(lower).min(upper), lower, upper },
        placement: placement(pose_a, b.extent, length, size),
        method: if complete { Method::Gjk } else { Method::GjkStopped(Stopped::FartherThan(farther_than)) },
        witness: Witness {
            a: WitnessPoint { point: point_a, part: 0, feature: feature::of(shape_a, &[id_a], vertex_a) },
            b: WitnessPoint { point: point_b, part: 0, feature: feature::of(shape_b, &[id_b], vertex_b) },
        },
        normal: Some(normal),
    })
}

/// The value of `Placement::bound` for a general pose: nothing was placed here, but a vertex would be off by this much.
#[inline(always)]
pub(crate) fn placement(pose_a: &Pose, extent_b: f64, length: f64, size: f64) -> f64 {
    let vertex = (MATRIX_PRODUCT + pose_a.inverse_error() + PLACE_VERTEX) * extent_b;
    let separation = length * (ROUND_UP + pose_a.defect());
    let translation = separation * (2.0 * UNIT_ROUNDOFF + MATRIX_VECTOR + pose_a.inverse_error());
    (vertex + translation + 200.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF * size) * SECOND_ORDER
}
