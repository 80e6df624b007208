//! What balls say before anything else is looked at: bodies whose bounding balls are apart do not meet, and two spheres
//! are their own bounding balls.

use glam::DVec3;

use super::answer::{Distance, Feature, Method};
use crate::math::pose::Pose;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::Shape;

fn diagonal(p: f64, q: f64) -> f64 {
    (p * p + q * q).sqrt()
}

/// A ball about a bounded convex body, in its frame, rounded. `None` for others.
fn ball(shape: &Shape) -> Option<(DVec3, f64)> {
    match shape {
        Shape::Sphere(sphere) => Some((DVec3::ZERO, sphere.radius())),
        Shape::Cuboid(cuboid) => Some((DVec3::ZERO, cuboid.radius())),
        Shape::Capsule(capsule) => Some((DVec3::ZERO, capsule.half_length() + capsule.radius())),
        Shape::Cylinder(c) => Some((DVec3::ZERO, diagonal(c.half_length(), c.radius()))),
        Shape::Cone(c) => Some((DVec3::ZERO, diagonal(c.half_length(), c.radius()))),
        Shape::Ellipsoid(ellipsoid) => Some((DVec3::ZERO, ellipsoid.semi_axes().max_element())),
        Shape::Hull(hull) => Some((hull.hull().origin, hull.hull().radius)),
        Shape::Segment(segment) => Some((segment.corners().origin, segment.corners().radius)),
        Shape::Triangle(triangle) => Some((triangle.corners().origin, triangle.corners().radius)),
        Shape::Tetrahedron(tetrahedron) => Some((tetrahedron.corners().origin, tetrahedron.corners().radius)),
        Shape::Rounded(rounded) => ball(rounded.core()).map(|(center, radius)| (center, radius + rounded.radius())),
        _ => None,
    }
}

/// True when the balls about two bodies are farther apart than `margin`. False says nothing.
///
/// The test is made coarse enough that no rounding matters: `1e-9` of the radii covers the rounding of sums and squares, and
/// `1e-12` of the coordinates that of the centres; a rigidity defect stretches both.
#[inline(always)]
pub(super) fn are_apart(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> bool {
    let (Some((origin_a, radius_a)), Some((origin_b, radius_b))) = (ball(a), ball(b)) else { return false };
    let place = |pose: &Pose, origin: DVec3| pose.rotation() * origin + pose.translation();
    let (center_a, center_b) = (place(pose_a, origin_a), place(pose_b, origin_b));
    let between = center_b - center_a;
    let coordinates = (center_a.abs() + center_b.abs() + origin_a.abs() + origin_b.abs()).element_sum();
    let radii = radius_a + radius_b + margin;
    let defect = pose_a.defect() + pose_b.defect();
    let reach = radii * (1.0 + 1e-9 + defect) + coordinates * (1e-12 + defect);
    between.dot(between) > reach * reach
}

/// The distance of two spheres that are seen to be apart, in the world: no frame, no placing. `None` where they touch or
/// overlap, or nearly so, and for sizes whose squares leave the range of numbers.
///
/// The difference of the centres is off by `u`, its square by `4u` more, the root by half of that and `u`: `4u` of the
/// distance of the centres in all; the sum of the radii by `u`.
#[inline(always)]
pub(super) fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Distance> {
    let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) else { return None };
    let between = pose_b.translation() - pose_a.translation();
    let length = between.length();
    let radii = a.radius() + b.radius();
    let value = length - radii;
    let error = 6.0 * UNIT_ROUNDOFF * (length + radii);
    // Written so that a NaN is not accepted.
    let plain = value > error && length > 1e-100;
    if !plain {
        return None;
    }
    let normal = between * (1.0 / length);
    Some(Distance {
        value,
        lower: value - error,
        upper: value + error,
        // Nothing is placed; in the frame of either body the other's centre would be off by no more than this.
        placement: (16.0 * UNIT_ROUNDOFF + pose_a.inverse_error().max(pose_b.inverse_error())) * length,
        method: Method::ClosedForm,
        point_in_a: pose_a.inverse_rotation() * (normal * a.radius()),
        point_in_b: pose_b.inverse_rotation() * (normal * -b.radius()),
        part_a: 0,
        part_b: 0,
        feature_a: Feature::Face(0),
        feature_b: Feature::Face(0),
        normal: Some(normal),
    })
}
