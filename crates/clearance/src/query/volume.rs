//! Volume of the intersection of two solids.

use crate::answer::volume::{Volume, VolumeOptions};
use crate::depth::overlap_volume as volume;
use crate::error::QueryError;
use crate::math::pose::Pose;
use crate::pair::workspace::{Workspace, with_thread_workspace};
use crate::shape::Shape;

/// Volume of the intersection of two solids, with its centroid and surface area.
///
/// Solids are meshes made solid by [`Mesh::solid`](crate::Mesh::solid), boxes, hulls and tetrahedra; two spheres are
/// also supported. Meshes may touch or coincide in any way and have any number of components. In a mesh that intersects
/// itself a region counts as often as the surface winds around it; the brackets hold for surfaces that wind around no
/// region more than once.
///
/// Bodies without volume, such as segments, triangles and flat hulls, have zero volume in common with any body.
///
/// Cost: 0.02 s for two crossing tori of 1,000 triangles each, 0.5 s for 100,000; ten times that where every triangle
/// coincides with another.
///
/// See [`Volume`] for an example.
///
/// # Errors
/// [`QueryError::Body`] for a mesh that does not bound a solid, [`QueryError::NoVolume`] for other kinds of body; the
/// message suggests what to do.
pub fn overlap_volume(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<Volume, QueryError> {
    with_thread_workspace(|workspace| overlap_volume_with(a, pose_a, b, pose_b, &VolumeOptions::default(), workspace))
}

/// [`overlap_volume`] with options and a workspace.
///
/// # Errors
/// As [`overlap_volume`].
///
/// ```
/// use clearance::query::{VolumeOptions, overlap_volume_with};
/// use clearance::{Pose, Shape, Workspace, glam::DVec3};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let (options, mut workspace) = (VolumeOptions::default(), Workspace::default());
/// for step in 0..3 {
///     let aside = Pose::from_translation(DVec3::new(f64::from(step), 0.0, 0.0))?;
///     let answer = overlap_volume_with(&cube, &Pose::IDENTITY, &cube, &aside, &options, &mut workspace)?;
///     assert_eq!(answer.volume.value, 4.0 * (2.0 - f64::from(step)));
/// }
/// # Ok::<(), clearance::QueryError>(())
/// ```
pub fn overlap_volume_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    _options: &VolumeOptions,
    workspace: &mut Workspace,
) -> Result<Volume, QueryError> {
    volume::overlap_volume(a, pose_a, b, pose_b, &mut workspace.volume)
}
