//! Where a point is to a body: nearest point, signed distance, inside or outside.

use glam::DVec3;

use crate::answer::point::{ClosestPoint, ContainsOptions, PointOptions, SignedDistance};
use crate::math::pose::Pose;
use crate::ray::point;
use crate::shape::Shape;

/// The point of a solid body that is nearest a point. See [`ClosestPoint`] for an example.
///
/// Of a mesh that was not made solid it is the nearest point of its surface, also where [`contains`] is true.
///
/// A point with a coordinate that is not finite, or above 1e60 in magnitude, belongs to no body: its distance is
/// infinite, with a bracket from 0 to infinity.
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

/// How far a point is from the boundary of a body, negative inside. See [`SignedDistance`] for an example.
///
/// The boundary of a mesh is its surface. Of a solid the sign is right, decided exactly. A mesh that was not made solid
/// has the sign of its generalized winding number, negative where that is above a half: so holes, cracks and some faces
/// that are wound the wrong way do not turn it round. The distance is proved either way, that sign is not.
///
/// The boundary of the ground below a height field is its surface and the sides below the edge of its footprint, which
/// are the faces after its triangles: at `x = 0`, at the greatest x, at `y = 0`, at the greatest y.
///
/// Brackets are some 1e-15 of body and distance wide, apart from two kinds of body: for a custom body, what its slack
/// and a capped search leave; inside a compound, where parts overlap, the deepest part proves one side and the nearest
/// way out that was found the other, and they may be far apart.
///
/// A point with a coordinate that is not finite, or above 1e60 in magnitude, belongs to no body: its distance is
/// infinite, with a bracket from 0 to infinity.
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

/// True when a point belongs to a body, boundary included.
///
/// Exact for the real-number body, whatever its pose, for all kinds of body but three: a rounded body that is neither a
/// ball nor a capsule, and a custom one, hold a point unless it is proved to be outside; a mesh that is not a solid
/// holds a point of its box about which its generalized winding number is above a half, summed in floating point. A
/// solid mesh holds the points of its surface and those about which it winds at least once.
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
