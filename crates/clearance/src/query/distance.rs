//! How far apart two bodies are.

use crate::answer::distance::{Distance, DistanceOptions};
use crate::convex::pair::cache::PairCache;
use crate::math::pose::Pose;
use crate::pair;
use crate::pair::workspace::Workspace;
use crate::shape::Shape;

/// How far apart two bodies are: the gap with its proof. Zero, with a common point, for bodies that meet.
///
/// The accuracy is 1e-12 of `L`, the sum of both diameters and the distance between the bodies (their local origins), for every valid
/// input; usually it is about 1e-15.
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

/// [`distance`] with options, a cache for bodies that move little between queries, and a workspace. Allocates nothing,
/// except where rounding leaves the question open and exact arithmetic decides.
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
