//! Penetration depth of two bodies.

use crate::answer::penetration::{Penetration, PenetrationOptions};
use crate::convex::pair::cache::PairCache;
use crate::error::QueryError;
use crate::math::pose::Pose;
use crate::pair;
use crate::pair::workspace::{Workspace, with_thread_workspace};
use crate::shape::Shape;

/// Penetration depth of two bodies: the shortest translation that separates them, with its proof. Zero, with the
/// nearest points, for separated bodies.
///
/// The bracket is at most 1e-9 of `L` wide (see [`distance`](crate::distance)), plus the poses' rigidity defect times
/// `L`; typically about 1e-14. Bodies without volume are supported: a triangle through a box has a depth too. For
/// compounds the bracket may be wider: see [`Penetration::depth`].
///
/// Cost: a few microseconds for overlapping convex bodies, that of `distance` for separated ones; a pair with a solid
/// mesh costs as much as [`solid_depth`](crate::solid_depth).
///
/// See [`Penetration`] for an example.
///
/// # Errors
/// [`QueryError::Unbounded`] for two half-spaces that do not face each other; never for other convex bodies. A mesh has
/// a depth if it is a solid and the other body is a solid mesh or has flat faces only: see
/// [`solid_depth`](crate::solid_depth), whose defaults are used.
pub fn penetration(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<Penetration, QueryError> {
    with_thread_workspace(|workspace| {
        let options = PenetrationOptions::default();
        penetration_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace)
    })
}

/// [`penetration`] with options, a cache and a workspace. See [`PenetrationOptions`] for an example.
///
/// # Errors
/// As [`penetration`].
pub fn penetration_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &PenetrationOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Result<Penetration, QueryError> {
    pair::penetration::penetration(a, pose_a, b, pose_b, options, cache, workspace)
}
