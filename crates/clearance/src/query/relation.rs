//! Relation of two bodies: separated, touching or overlapping.

use crate::answer::relation::{Relation, RelationOptions, RelationProof};
use crate::convex::pair::cache::PairCache;
use crate::math::pose::Pose;
use crate::pair;
use crate::pair::workspace::{Workspace, with_thread_workspace};
use crate::shape::Shape;

/// Whether two bodies are separated, touching or overlapping. `Touching` means that the bracket of the signed gap
/// contains zero: the poses, as given, do not determine more.
///
/// A mesh that was not made solid is a surface. It overlaps a solid (a solid mesh, a convex body with interior, a
/// compound of such, a height field) if and only if one of its points is in the solid's interior, even if all of its
/// edges lie on the solid's faces; the gap is then minus the length of the shortest translation after which no point
/// is. Two surfaces, or a surface and a flat body, can only touch.
///
/// Every pair of bodies is supported. Cost: that of [`distance`](crate::distance) for separated bodies; for overlapping
/// bodies the search stops once the sign of the gap is proved, well before the full depth is known.
///
/// ```
/// use clearance::{Pose, Relation, Shape, glam::DVec3, relation};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let corners = |z| [[-1.0, -1.0, z], [1.0, -1.0, z], [1.0, 1.0, z], [-1.0, 1.0, z]];
/// let sheet = |z| Shape::mesh(&corners(z), &[[0, 1, 2], [0, 2, 3]]);
/// let at = Pose::IDENTITY;
/// assert_eq!(relation(&cube, &at, &sheet(0.5)?, &at), Relation::Overlapping);
/// assert_eq!(relation(&cube, &at, &sheet(1.0)?, &at), Relation::Touching);
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// See [`Relation`] for an example.
#[must_use]
pub fn relation(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Relation {
    with_thread_workspace(|workspace| {
        let options = RelationOptions::default();
        relation_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace).relation
    })
}

/// [`relation`] with a band that counts as touching, a cache and a workspace; returns the proof. See
/// [`RelationOptions`] for an example.
#[must_use]
pub fn relation_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &RelationOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> RelationProof {
    pair::relation::relation(a, pose_a, b, pose_b, options, cache, workspace)
}
