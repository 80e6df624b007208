//! First contact of two translating bodies, and whether there is one.

use crate::answer::impact::{Impact, ImpactOptions, NoImpact};
use crate::answer::sweeps::SweepOptions;
use crate::convex::pair::cache::PairCache;
use crate::impact::moving::sanitized_margin;
use crate::impact::{sweeps, time_of_impact as dispatch};
use crate::motion::Motion;
use crate::pair::workspace::Workspace;
use crate::pair::workspace::with_thread_workspace;
use crate::shape::Shape;

/// First contact of two translating bodies, or [`NoImpact`] if they provably do not touch during the step. Bodies that
/// rotate: [`rigid_impact`](crate::rigid_impact()).
///
/// Nothing is missed between the ends of the step, however fast or thin the bodies are. For polytopes with a radius,
/// against each other and against half-spaces, whether there is an impact is decided exactly for the placed sets (see
/// [`sweeps_meet`](crate::query::sweeps_meet)).
///
/// For compounds and height fields the first contact of any two parts is found; only parts whose boxes meet during the
/// step are tested, and of a height field only the triangles below the path of the other body.
///
/// Every pair of bodies is supported. Cost: 4 to 6 evaluations of the gap for convex bodies, each warm-started from the
/// last simplex, and one search for the proof of contact. A height field also builds its prisms, which allocates.
///
/// See [`Impact`] for an example with two boxes.
///
/// ```
/// use clearance::{Motion, Pose, Shape, glam::{DVec2, DVec3}, time_of_impact};
/// let field = Shape::height_field(101, 101, DVec2::ONE, vec![0.0; 101 * 101])?;
/// let ball = Shape::sphere(0.5)?;
/// let falling = Motion::translation(Pose::from_translation(DVec3::new(7.2, 8.4, 4.5))?, DVec3::new(0.0, 0.0, -8.0))?;
/// let still = Motion::still(Pose::IDENTITY);
/// let impact = time_of_impact(&field, &still, &ball, &falling).unwrap();
/// assert!(impact.touches && (impact.time.value - 0.5).abs() < 1e-13);
/// // The triangle hit: two per cell, in rows of 100 cells.
/// assert_eq!(impact.witness.a.part / 2, 8 * 100 + 7);
/// impact.verify(&field, &still, &ball, &falling).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// # Errors
/// [`NoImpact`] is not a failure but an answer, which [`NoImpact::verify`] proves.
pub fn time_of_impact(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Result<Impact, NoImpact> {
    with_thread_workspace(|workspace| {
        let options = ImpactOptions::default();
        time_of_impact_with(a, motion_a, b, motion_b, &options, &mut PairCache::default(), workspace)
    })
}

/// [`time_of_impact`] with options, a cache and a workspace. See [`ImpactOptions`] for an example.
///
/// # Errors
/// As [`time_of_impact`].
pub fn time_of_impact_with(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &ImpactOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Result<Impact, NoImpact> {
    let found = dispatch::first_contact(a, motion_a, b, motion_b, options, cache, workspace);
    found.ok_or_else(|| NoImpact { margin: sanitized_margin(options.margin), until: 1.0 })
}

/// Whether two translating bodies, boundary included, have a point in common at any time of the step. A bool: when they
/// meet is [`time_of_impact`](crate::time_of_impact).
///
/// Decided exactly for the placed sets of polytopes with a radius (one body at rest, the vertices of the other at both
/// ends of its relative motion, each rounded once), also against half-spaces. Other bodies meet if `time_of_impact`
/// cannot prove them apart. Compounds, meshes and height fields meet if any of their parts do.
///
/// Every pair of bodies is supported. Cost: one GJK search for convex bodies.
///
/// ```
/// use clearance::{Motion, Pose, Shape, glam::DVec3};
/// use clearance::query::sweeps_meet;
/// let (bullet, sheet) = (Shape::sphere(0.004)?, Shape::cuboid(DVec3::new(1.0, 1.0, 1e-6))?);
/// let fired = Motion::translation(Pose::from_translation(DVec3::new(0.0, 0.0, -5.0))?, DVec3::new(0.0, 0.0, 900.0))?;
/// assert!(sweeps_meet(&bullet, &fired, &sheet, &Motion::still(Pose::IDENTITY)));
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn sweeps_meet(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> bool {
    with_thread_workspace(|workspace| {
        let options = SweepOptions::default();
        sweeps_meet_with(a, motion_a, b, motion_b, &options, &mut PairCache::default(), workspace)
    })
}

/// [`sweeps_meet`] with a margin and a choice of algorithm, a cache and a workspace. See [`SweepOptions`] for an
/// example.
#[must_use]
pub fn sweeps_meet_with(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &SweepOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> bool {
    sweeps::meet(a, motion_a, b, motion_b, options, cache, workspace)
}
