//! Queries of a point against a body: nearest point, signed distance, containment.

use glam::DVec3;

use crate::answer::point::{ClosestPoint, ContainsOptions, PointOptions, SignedDistance};
use crate::math::pose::Pose;
use crate::ray::point;
use crate::shape::Shape;

/// The point of a solid body nearest to a given point. See [`ClosestPoint`] for an example.
///
/// For a mesh that was not made solid it is the nearest point of the surface, even where [`contains`] is true.
///
/// A point with a coordinate that is not finite, or above 1e60 in magnitude, belongs to no body: its distance is
/// infinite, with a bracket from 0 to infinity.
///
/// Every kind of body is supported. Cost: closed forms for simple bodies, a GJK search for hulls, one tree traversal
/// for meshes, compounds and height fields.
#[must_use]
pub fn closest_point(shape: &Shape, pose: &Pose, point: DVec3) -> ClosestPoint {
    closest_point_with(shape, pose, point, &PointOptions::default())
}

/// [`closest_point`] with options.
///
/// ```
/// use clearance::query::{PointOptions, closest_point_with};
/// use clearance::{Pose, Shape, glam::DVec3};
/// let ball = Shape::sphere(1.0)?;
/// let found = closest_point_with(&ball, &Pose::IDENTITY, DVec3::X * 3.0, &PointOptions::default());
/// assert_eq!(found.distance.value, 2.0);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn closest_point_with(shape: &Shape, pose: &Pose, point: DVec3, _options: &PointOptions) -> ClosestPoint {
    point::closest_point(shape, pose, point)
}

/// Distance of a point from the boundary of a body, negative inside. See [`SignedDistance`] for an example.
///
/// The boundary of a mesh is its surface. For a solid the sign is exact. A mesh that was not made solid takes the sign
/// from its generalized winding number, negative where that is above a half, so holes, cracks and a few inverted faces
/// do not flip it. The distance is proved either way; that sign is not.
///
/// The boundary of the solid below a height field is its surface and the sides below the edge of its footprint, which
/// are numbered as the faces after its triangles: at `x = 0`, at the largest x, at `y = 0`, at the largest y.
///
/// Brackets are about 1e-15 of body and distance wide, with two exceptions: for a custom body, the width its slack and
/// a capped search leave; inside a compound with overlapping parts, the deepest part proves one end and the shortest
/// exit found the other, which may be far apart.
///
/// A point with a coordinate that is not finite, or above 1e60 in magnitude, belongs to no body: its distance is
/// infinite, with a bracket from 0 to infinity.
///
/// Every kind of body is supported. Cost: that of [`closest_point`], and for a mesh its winding number.
#[must_use]
pub fn signed_distance(shape: &Shape, pose: &Pose, point: DVec3) -> SignedDistance {
    signed_distance_with(shape, pose, point, &PointOptions::default())
}

/// [`signed_distance`] with options.
///
/// ```
/// use clearance::query::{PointOptions, signed_distance_with};
/// use clearance::{Pose, Shape, glam::DVec3};
/// let ball = Shape::sphere(1.0)?;
/// let found = signed_distance_with(&ball, &Pose::IDENTITY, DVec3::X * 0.25, &PointOptions::default());
/// assert_eq!(found.distance.value, -0.75);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn signed_distance_with(shape: &Shape, pose: &Pose, point: DVec3, _options: &PointOptions) -> SignedDistance {
    point::signed_distance(shape, pose, point)
}

/// Whether a point belongs to a body, boundary included.
///
/// Exact for the real-number body in any pose, with three exceptions: a rounded body that is neither a sphere nor a
/// capsule, and a custom body, contain a point unless it is proved to be outside; a mesh that is not a solid contains a
/// point of its bounding box where its generalized winding number, summed in floating point, is above a half. A solid
/// mesh contains the points of its surface and those it winds around at least once.
///
/// Every kind of body is supported. Cost: closed forms for convex bodies, one ray through the tree for a solid mesh.
///
/// ```
/// use clearance::{Pose, Shape, contains, glam::DVec3};
/// let can = Shape::cylinder(1.0, 0.625)?;
/// // On the rim: 0.375² + 0.5² is 0.625².
/// assert!(contains(&can, &Pose::IDENTITY, DVec3::new(0.375, 0.5, 1.0)));
/// assert!(!contains(&can, &Pose::IDENTITY, DVec3::new(0.375, 0.5f64.next_up(), 1.0)));
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn contains(shape: &Shape, pose: &Pose, point: DVec3) -> bool {
    contains_with(shape, pose, point, &ContainsOptions::default())
}

/// [`contains`] with options. See [`ContainsOptions`] for an example.
#[must_use]
pub fn contains_with(shape: &Shape, pose: &Pose, point: DVec3, options: &ContainsOptions) -> bool {
    point::contains(shape, pose, point)
        || options.margin > 0.0 && point::closest_point(shape, pose, point).distance.lower <= options.margin
}
