//! Distance of two bodies.

use crate::answer::distance::{Distance, DistanceOptions};
use crate::convex::pair::cache::PairCache;
use crate::math::pose::Pose;
use crate::pair;
use crate::pair::workspace::Workspace;
use crate::shape::Shape;

/// Distance of two bodies: the gap, its witness points and its proof. Zero, with a common point, for bodies that
/// intersect.
///
/// The bracket is at most 1e-12 of `L` wide, the sum of both diameters and the distance between the local origins, for
/// every valid input; usually about 1e-15. How deep overlapping bodies are: [`penetration`](crate::penetration).
///
/// Every pair of bodies is supported. A mesh that was not made solid is a surface: a body inside it is at a distance
/// from it.
///
/// Cost: 0.1 to 1 µs for convex bodies; for meshes of 10,000 triangles 1 to 50 µs when apart, up to a millisecond when
/// they cross deeply. A height field is converted to prisms near the other body, which allocates.
///
/// ```
/// use clearance::{Pose, Shape, distance, glam::DVec3};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let turned = Pose::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_4, DVec3::new(4.0, 0.0, 0.0))?;
/// let answer = distance(&cube, &Pose::IDENTITY, &cube, &turned);
/// assert!((answer.gap.value - (3.0 - 2f64.sqrt())).abs() < 1e-14);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Distance {
    pair::distance::distance_once(a, pose_a, b, pose_b)
}

/// [`distance`] with options, a cache for bodies that move little between queries, and a workspace. Allocates nothing
/// once the workspace is warm, except where rounding leaves the answer open and exact arithmetic decides.
///
/// See [`DistanceOptions`] and [`PairCache`] for examples.
#[must_use]
pub fn distance_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &DistanceOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Distance {
    pair::distance::distance(a, pose_a, b, pose_b, options, cache, workspace)
}
