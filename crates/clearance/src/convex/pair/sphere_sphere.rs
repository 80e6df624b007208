//! Sphere tests that run before anything else: bodies whose bounding spheres are disjoint do not intersect, and two
//! spheres are their own bounding spheres.

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::Method;
use crate::answer::penetration::Penetration;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::{Feature, PairKind, Shape, is_frame_b, order};

fn diagonal(p: f64, q: f64) -> f64 {
    (p * p + q * q).sqrt()
}

/// A bounding sphere of a bounded convex body, in its frame, rounded. `None` for others.
fn bounding_sphere(shape: &Shape) -> Option<(DVec3, f64)> {
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
        Shape::Rounded(rounded) => {
            bounding_sphere(rounded.core()).map(|(center, radius)| (center, radius + rounded.radius()))
        }
        _ => None,
    }
}

/// True when the bounding spheres of two bodies are farther apart than `margin`. False says nothing.
///
/// The test is coarse enough that no rounding matters: `1e-9` of the radii covers the rounding of sums and squares, and
/// `1e-12` of the coordinates that of the centres; a rigidity defect stretches both.
#[inline(always)]
pub(crate) fn are_apart(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> bool {
    let (Some((origin_a, radius_a)), Some((origin_b, radius_b))) = (bounding_sphere(a), bounding_sphere(b)) else {
        return false;
    };
    let place = |pose: &Pose, origin: DVec3| pose.rotation() * origin + pose.translation();
    let (center_a, center_b) = (place(pose_a, origin_a), place(pose_b, origin_b));
    let between = center_b - center_a;
    let coordinates = (center_a.abs() + center_b.abs() + origin_a.abs() + origin_b.abs()).element_sum();
    let radii = radius_a + radius_b + margin;
    let defect = pose_a.defect() + pose_b.defect();
    let reach = radii * (1.0 + 1e-9 + defect) + coordinates * (1e-12 + defect);
    between.dot(between) > reach * reach
}

/// Two spheres in the world: no frame, no placement, and no stretch.
struct Spheres {
    /// From the centre of A to that of B, and its length.
    between: DVec3,
    length: f64,
    radii: f64,
    /// Error bound of `length - radii`. The difference of the centres is off by `u`, its square by `4u` more, the root
    /// by half of that and `u`: `4u` of the length in all; the sum of the radii by `u`; the difference by `u`.
    error: f64,
}

impl Spheres {
    /// `None` for other bodies.
    #[inline(always)]
    fn of(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Spheres> {
        let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) else { return None };
        let between = pose_b.translation() - pose_a.translation();
        let length = between.length();
        let radii = a.radius() + b.radius();
        let error = 6.0 * UNIT_ROUNDOFF * (length + radii);
        Some(Spheres { between, length, radii, error })
    }
}

/// Whether two spheres come within a margin of each other; `None` for other bodies, and where rounding leaves it
/// undecided.
#[inline(always)]
pub(crate) fn meet(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> Option<bool> {
    let spheres = Spheres::of(a, pose_a, b, pose_b)?;
    let gap = (spheres.length - spheres.radii) - margin;
    let error = spheres.error + 2.0 * UNIT_ROUNDOFF * margin;
    (gap.abs() > error).then_some(gap < 0.0)
}

/// The distance of two spheres; `None` for other bodies, and where they touch up to rounding.
#[inline(always)]
pub(crate) fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Distance> {
    let (Shape::Sphere(_), Shape::Sphere(_)) = (a, b) else { return None };
    if !is_frame_b(PairKind::Convex, order(a, pose_a, b, pose_b)) {
        return in_order(a, pose_a, b, pose_b);
    }
    // The same bits when swapped, down to the sign of a zero.
    Some(in_order(b, pose_b, a, pose_a)?.swapped())
}

#[inline(always)]
fn in_order(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Distance> {
    let Spheres { between, length, radii, error } = Spheres::of(a, pose_a, b, pose_b)?;
    let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) else { return None };
    let gap = length - radii;
    // Written so that NaN is rejected.
    let seen = gap.abs() > error;
    if !seen {
        return None;
    }
    // Overlapping spheres share the point that divides the segment between the centres in proportion to the radii.
    let (apart, per_radius) =
        if gap > 0.0 { (true, between * (1.0 / length)) } else { (false, between * (1.0 / radii)) };
    let feature = if apart { Feature::Face(0) } else { Feature::Interior };
    Some(Distance {
        // The same as for other closed forms of closest points: the method whose accuracy they fulfil.
        gap: Bracket { value: gap.max(0.0), lower: (gap - error).max(0.0), upper: gap.max(0.0) + error },
        placement: placement(pose_a, pose_b, length),
        method: Method::Gjk,
        witness: Witness {
            a: WitnessPoint { point: pose_a.inverse_rotation() * (per_radius * a.radius()), part: 0, feature },
            b: WitnessPoint { point: pose_b.inverse_rotation() * (per_radius * -b.radius()), part: 0, feature },
        },
        normal: apart.then_some(per_radius),
    })
}

/// The depth of two spheres; `None` for other bodies, and for concentric spheres.
#[inline(always)]
pub(crate) fn penetration(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Penetration> {
    let (Shape::Sphere(_), Shape::Sphere(_)) = (a, b) else { return None };
    if !is_frame_b(PairKind::Convex, order(a, pose_a, b, pose_b)) {
        return depth_in_order(a, pose_a, b, pose_b);
    }
    let answer = depth_in_order(b, pose_b, a, pose_a)?;
    Some(Penetration { witness: answer.witness.swapped(), normal: -answer.normal, ..answer })
}

#[inline(always)]
fn depth_in_order(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Penetration> {
    let Spheres { between, length, radii, error } = Spheres::of(a, pose_a, b, pose_b)?;
    let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) else { return None };
    // The squares of shorter vectors underflow, so they have no direction. Written so that NaN is rejected.
    let has_direction = length > 1e-100;
    if !has_direction {
        return None;
    }
    let depth = radii - length;
    let normal = between * (1.0 / length);
    let (lower, upper) = ((depth - error).max(0.0), (depth + error).max(0.0));
    Some(Penetration {
        // As for a distance.
        depth: Bracket { value: depth.max(lower).min(upper), lower, upper },
        placement: placement(pose_a, pose_b, length),
        method: Method::Gjk,
        witness: Witness {
            a: WitnessPoint {
                point: pose_a.inverse_rotation() * (normal * a.radius()),
                part: 0,
                feature: Feature::Face(0),
            },
            b: WitnessPoint {
                point: pose_b.inverse_rotation() * (normal * -b.radius()),
                part: 0,
                feature: Feature::Face(0),
            },
        },
        normal,
    })
}

/// Nothing is placed; in the frame of either body the other's centre would be off by at most this.
#[inline(always)]
fn placement(pose_a: &Pose, pose_b: &Pose, length: f64) -> f64 {
    (16.0 * UNIT_ROUNDOFF + pose_a.inverse_error().max(pose_b.inverse_error())) * length
}
