//! First contact and least clearance of two bodies that rotate as they move.

use crate::answer::impact::NoImpact;
use crate::answer::least_clearance::{LeastClearance, LeastClearanceOptions};
use crate::answer::rigid_impact::{RigidImpact, RigidOptions};
use crate::error::QueryError;
use crate::impact::moving::sanitized_margin;
use crate::impact::{least_clearance as nearest, rigid_impact as dispatch};
use crate::motion::RigidMotion;
use crate::pair::workspace::Workspace;
use crate::pair::workspace::with_thread_workspace;
use crate::shape::Shape;

/// First contact of two bodies in rigid motion, rotation included, or [`NoImpact`] if they provably do not touch during
/// the step. Nothing is missed, however fast or thin the bodies are. See [`RigidImpact`] for an example.
///
/// Cost: pairs of parts are advanced in order of time by the gap over the closing speed, so a long close pass costs
/// most. Bodies that only translate are cheaper to test with [`time_of_impact`](crate::time_of_impact).
///
/// Two unbounded bodies (half-spaces, height fields) are not supported, since their points have no maximum speed.
/// Unless they touch at the start, the result is undecided from there on: a contact at time 0 with `touches` false and
/// `gap` the distance at the start.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3, rigid_impact};
/// let (floor, ceiling) = (Shape::half_space(DVec3::Z, 0.0)?, Shape::half_space(-DVec3::Z, -2.0)?);
/// let (still, falling) = (Pose::IDENTITY, Pose::from_translation(DVec3::Z)?);
/// let (still, falling) = (RigidMotion::still(still), RigidMotion::turning(falling, DVec3::Z * -5.0, DVec3::Z, 0.0)?);
/// let undecided = rigid_impact(&floor, &still, &ceiling, &falling).unwrap();
/// assert!(!undecided.touches && undecided.time.upper == 0.0 && (undecided.gap - 3.0).abs() < 1e-12);
/// assert_eq!(undecided.verify(&floor, &still, &ceiling, &falling), Ok(()));
/// # Ok::<(), clearance::QueryError>(())
/// ```
///
/// # Errors
/// [`NoImpact`] is not a failure but an answer, which [`NoImpact::verify`] proves.
pub fn rigid_impact(
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
) -> Result<RigidImpact, NoImpact> {
    with_thread_workspace(|workspace| rigid_impact_with(a, motion_a, b, motion_b, &RigidOptions::default(), workspace))
}

/// [`rigid_impact`] with options and a workspace. See [`RigidOptions`] for an example.
///
/// # Errors
/// As [`rigid_impact`].
pub fn rigid_impact_with(
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
    options: &RigidOptions,
    workspace: &mut Workspace,
) -> Result<RigidImpact, NoImpact> {
    let found = dispatch::first_contact(a, motion_a, b, motion_b, options, workspace);
    found.ok_or_else(|| NoImpact { margin: sanitized_margin(options.margin), until: 1.0 })
}

/// The least clearance of two bodies in rigid motion: how close they come, and when. See [`LeastClearance`] for an
/// example.
///
/// Zero if they touch. Cost: as [`rigid_impact`](crate::rigid_impact()), and higher the narrower the bracket requested
/// by [`LeastClearanceOptions::relative_tolerance`].
///
/// # Errors
/// [`QueryError::Unbounded`] if both bodies are unbounded (half-spaces, height fields).
pub fn least_clearance(
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
) -> Result<LeastClearance, QueryError> {
    with_thread_workspace(|workspace| {
        least_clearance_with(a, motion_a, b, motion_b, &LeastClearanceOptions::default(), workspace)
    })
}

/// [`least_clearance`] with options and a workspace.
///
/// # Errors
/// As [`least_clearance`].
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, Workspace, glam::DVec3};
/// use clearance::query::{LeastClearanceOptions, least_clearance_with};
/// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
/// let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 3.0)?;
/// let post = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 3.0, 0.0))?);
/// let options = LeastClearanceOptions { relative_tolerance: 0.1, ..LeastClearanceOptions::default() };
/// let least = least_clearance_with(&bar, &spinning, &bar, &post, &options, &mut Workspace::default())?;
/// // The far corner of the bar, and the near side of the post.
/// let truth = 2.9 - 4.01f64.sqrt();
/// assert!(least.gap.contains(truth));
/// # Ok::<(), clearance::QueryError>(())
/// ```
pub fn least_clearance_with(
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
    options: &LeastClearanceOptions,
    workspace: &mut Workspace,
) -> Result<LeastClearance, QueryError> {
    nearest::least_gap(a, motion_a, b, motion_b, options, workspace)
}
