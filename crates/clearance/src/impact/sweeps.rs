//! Whether two moving bodies meet at any time of a step.

use crate::answer::impact::ImpactOptions;
use crate::answer::sweeps::SweepOptions;
use crate::convex::pair::cache::PairCache;
use crate::convex::simplex::Simplex;
use crate::impact::moving::{Moving, Starts, enlarged, has_vertices, meant_margin};
use crate::impact::time_of_impact::time_of_impact_with;
use crate::motion::Motion;
use crate::pair::workspace::Workspace;
use crate::pair::workspace::with_thread_workspace;
use crate::shape::Shape;

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
