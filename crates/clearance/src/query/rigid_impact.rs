//! When two bodies that turn on their way touch first, and how near they come to each other.

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

/// When two bodies that turn on their way touch first, or [`NoImpact`] if they provably do not in this step. Nothing is
/// missed, however fast or thin the bodies are. See [`RigidImpact`] for an example.
///
/// Two bodies without end, half-spaces and height fields, are not searched: a point of theirs has no greatest speed.
/// Unless they meet at the start, they are said to be undecided from there on, as a contact at time 0 of which
/// `touches` is false and `gap` is the distance at the start.
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
/// [`NoImpact`], an answer like any other, which [`NoImpact::verify`] proves.
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

/// How near two moving bodies come to each other. See [`LeastClearance`] for an example.
///
/// # Errors
/// [`QueryError::Unbounded`] if both bodies are without end: half-spaces, height fields.
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
