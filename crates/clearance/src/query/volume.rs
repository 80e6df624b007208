//! How much two solids have in common.

use crate::answer::volume::{Volume, VolumeOptions};
use crate::depth::overlap_volume as volume;
use crate::error::QueryError;
use crate::math::pose::Pose;
use crate::pair::workspace::{Workspace, with_thread_workspace};
use crate::shape::Shape;

/// How much two solids have in common.
///
/// Solids are meshes made so by [`Mesh::solid`](crate::Mesh::solid), boxes, hulls and tetrahedra, and pairs of balls. Meshes may touch
/// or coincide in every way, and be of any number of parts. Of a mesh that crosses itself a place counts as often as the surface
/// winds round it; the brackets are for surfaces that wind round no place more than once.
///
/// Bodies without volume, such as segments, triangles and flat hulls, have none in common with anything.
///
/// See [`Volume`] for an example.
///
/// # Errors
/// [`QueryError::Body`] for a mesh that does not bound a solid, [`QueryError::NoVolume`] for bodies of other kinds; the
/// message says what to do.
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
