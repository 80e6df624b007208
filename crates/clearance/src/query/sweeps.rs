//! Whether two moving bodies meet at any time of a step.

use super::moving::{Moving, Starts, enlarged, has_vertices, meant_margin};
use super::with_thread_workspace;
use super::workspace::{PairCache, Workspace};
use crate::convex::simplex::Simplex;
use crate::motion::Motion;
use crate::query::impact::{ImpactOptions, time_of_impact_with};
use crate::shape::Shape;

/// How the set that a body sweeps is searched for its farthest point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepAlgorithm {
    /// The farthest vertex of the body, at the start or at the end of the motion, whichever lies farther.
    #[default]
    SweptSupport,
    /// A scan over all vertices at both ends of the motion.
    PointDuplication,
}

/// What counts as meeting, and how it is found out.
///
/// ```
/// use clearance::{Motion, PairCache, Pose, Shape, SweepAlgorithm, SweepOptions, Workspace, glam::DVec3, sweeps_meet_with};
/// let ball = Shape::sphere(1.0)?;
/// let still = Motion::still(Pose::IDENTITY);
/// let start = Pose::from_translation(DVec3::new(-9.0, 2.5, 0.0))?;
/// let flying = Motion::translation(start, DVec3::new(18.0, 0.0, 0.0))?;
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let mut meet = |margin| {
///     let options = SweepOptions { margin, algorithm: SweepAlgorithm::SweptSupport };
///     sweeps_meet_with(&ball, &still, &ball, &flying, &options, &mut cache, &mut workspace)
/// };
/// assert!(!meet(0.25));
/// assert!(meet(0.5));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SweepOptions {
    /// Bodies that come no farther apart than this count as meeting. Zero or less: only bodies with a common point.
    pub margin: f64,
    /// How it is found out; the answer is the same.
    pub algorithm: SweepAlgorithm,
}

/// Whether two moving bodies, boundary included, have a point in common at any time of the step: yes or no, not when.
///
/// Decided exactly, for polytopes with a radius, for the placed sets: one body resting, the vertices of the other at both
/// ends of its relative motion, each rounded once; and for half-spaces against these. Other bodies meet if
/// [`time_of_impact`](crate::time_of_impact) cannot prove them apart; bodies in parts as their parts do.
///
/// ```
/// use clearance::{Motion, Pose, Shape, glam::DVec3, sweeps_meet};
/// let (bullet, sheet) = (Shape::sphere(0.004)?, Shape::cuboid(DVec3::new(1.0, 1.0, 1e-6))?);
/// let fired = Motion::translation(Pose::from_translation(DVec3::new(0.0, 0.0, -5.0))?, DVec3::new(0.0, 0.0, 900.0))?;
/// assert!(sweeps_meet(&bullet, &fired, &sheet, &Motion::still(Pose::IDENTITY)));
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn sweeps_meet(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> bool {
    with_thread_workspace(|workspace| {
        let options = SweepOptions::default();
        sweeps_meet_with(a, motion_a, b, motion_b, &options, &mut PairCache::default(), workspace)
    })
}

/// [`sweeps_meet`] with a margin and a choice of algorithm, a cache and a workspace. See [`SweepOptions`] for an example.
pub fn sweeps_meet_with(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &SweepOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> bool {
    let margin = meant_margin(options.margin);
    if !has_vertices(a) || !has_vertices(b) {
        let options = ImpactOptions { margin, ..ImpactOptions::default() };
        return time_of_impact_with(a, motion_a, b, motion_b, &options, cache, workspace).is_some();
    }
    let starts = Starts(motion_a.start(), motion_b.start());
    let moving = Moving::new(a, motion_a, b, motion_b, &starts);
    if moving.is_tiny()
        && let Some(large) = enlarged(a, motion_a, b, motion_b)
    {
        let options = SweepOptions { margin: margin * large.factor, ..*options };
        return sweeps_meet_with(&large.a, &large.motion_a, &large.b, &large.motion_b, &options, cache, workspace);
    }
    moving.meet(options.algorithm, 1.0, margin, cache, &mut Simplex::default(), workspace)
}
