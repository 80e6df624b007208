//! Intersection test of two bodies.

use crate::answer::intersects::IntersectsOptions;
use crate::convex::pair::cache::PairCache;
use crate::math::pose::Pose;
use crate::pair;
use crate::pair::workspace::Workspace;
use crate::shape::Shape;

/// Whether two bodies, boundary included, have a point in common.
///
/// Decided exactly for the placed pair: the vertices of one body, rounded into the frame of the other (see
/// [`Distance::placement`](crate::answer::Distance::placement)). For cylinders, cones, ellipsoids and custom bodies,
/// contact is decided to the accuracy of [`distance`](crate::distance): within it, contact may be reported as a gap or
/// a gap as contact. Use [`relation`](crate::relation) to distinguish contact within rounding from overlap.
///
/// Every pair of bodies is supported. Cheaper than `distance`: it stops at the first common point or separating plane.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3, intersects};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let touching = Pose::from_translation(DVec3::new(2.0, 2.0, 2.0))?;
/// let apart = Pose::from_translation(DVec3::new(2.0 + 1e-15, 2.0, 2.0))?;
/// assert!(intersects(&cube, &Pose::IDENTITY, &cube, &touching));
/// assert!(!intersects(&cube, &Pose::IDENTITY, &cube, &apart));
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn intersects(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    pair::intersects::intersects_once(a, pose_a, b, pose_b)
}

/// [`intersects`] with a margin, a cache and a workspace. See [`IntersectsOptions`] for an example.
#[must_use]
pub fn intersects_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &IntersectsOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> bool {
    pair::intersects::intersects(a, pose_a, b, pose_b, options, cache, workspace)
}
