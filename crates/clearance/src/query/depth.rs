//! How deep two solids overlap, in any direction, along one, and on a path.

use glam::DVec3;

use super::distance::distance_with;
use super::relation::relation;
use crate::answer::clearance::Clearance;
use crate::answer::distance::DistanceOptions;
use crate::answer::relation::Relation;
use crate::answer::solid_depth::{DepthAlong, SolidDepth, SolidDepthOptions};
use crate::convex::pair::cache::PairCache;
use crate::error::Error;
use crate::geom::ray_frame::unit;
use crate::math::pose::Pose;
use crate::pair::workspace::with_thread_workspace;
use crate::shape::Shape;
use crate::{depth, pair, parallel};

/// How deep two solids overlap: the shortest translation that makes their interiors disjoint, wherever it leads.
///
/// Solids are meshes made solid ([`Mesh::solid`](crate::Mesh::solid)), against each other and against boxes, convex
/// hulls and tetrahedra. Pairs without a mesh are answered as by [`penetration`](crate::penetration), exactly. `tell`
/// is told the bracket so far, now and then, and ends the search by `false`.
///
/// The bracket is proved: its upper end by exact tests of all triangles after the translation, its lower end by
/// [`SolidDepth::proof`]. See [`SolidDepthOptions`] for an example.
///
/// # Errors
/// [`Error::NotSolid`], [`Error::InsideOut`] and [`Error::CrossesItself`] for a mesh that does not bound a solid;
/// [`Error::NoDepth`] for other bodies.
pub fn solid_depth(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &SolidDepthOptions,
    mut tell: impl FnMut(f64, f64) -> bool,
) -> Result<SolidDepth, Error> {
    with_thread_workspace(|workspace| {
        pair::penetration::solid_depth(a, pose_a, b, pose_b, options, &mut tell, workspace)
    })
}

/// How far B must be moved along a direction until the interiors of two solids are disjoint. Zero for solids apart.
///
/// Where the solids slide along each other before they part, the interiors are disjoint earlier than `depth.upper`: the
/// bracket says so.
///
/// ```
/// use clearance::{Pose, Shape, depth_along, glam::DVec3};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0))?;
/// let up = depth_along(&cube, &Pose::IDENTITY, &cube, &into, DVec3::Y)?;
/// assert!((up.depth.value - 1.75).abs() < 1e-9 && up.depth.contains(1.75));
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// # Errors
/// As [`solid_depth`]; [`Error::NotFinite`] for a direction that is none.
pub fn depth_along(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, direction: DVec3) -> Result<DepthAlong, Error> {
    if !direction.is_finite() || direction == DVec3::ZERO {
        return Err(Error::NotFinite { what: "direction", index: 0 });
    }
    with_thread_workspace(|workspace| {
        depth::solid_depth::depth_along(a, pose_a, b, pose_b, unit(direction), &mut workspace.mesh)
    })
}

/// The signed gap of two bodies at each pose of a path of B, on all cores. Between the poses nothing is said: ask
/// [`time_of_impact`](crate::time_of_impact) for that.
///
/// ```
/// use clearance::{Pose, Shape, SolidDepthOptions, clearance_along, glam::DVec3};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let path: Result<Vec<Pose>, _> = (0..4).map(|k| Pose::from_translation(DVec3::new(3.5 - f64::from(k), 0.0, 0.0))).collect();
/// let gaps = clearance_along(&cube, &Pose::IDENTITY, &cube, &path?, &SolidDepthOptions::default())?;
/// let values: Vec<f64> = gaps.iter().map(|gap| gap.value()).collect();
/// assert_eq!(values[..2], [1.5, 0.5]);
/// assert!((values[2] + 0.5).abs() < 1e-9 && (values[3] + 1.5).abs() < 1e-9);
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// # Errors
/// As [`solid_depth`], where the bodies overlap.
pub fn clearance_along(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    path: &[Pose],
    options: &SolidDepthOptions,
) -> Result<Vec<Clearance>, Error> {
    let at = |pose: &Pose| clearance(a, pose_a, b, pose, options);
    // A pose takes so long that it does not matter who wakes when.
    parallel::map(path, at).into_iter().collect()
}

fn clearance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &SolidDepthOptions,
) -> Result<Clearance, Error> {
    let found = with_thread_workspace(|workspace| {
        distance_with(a, pose_a, b, pose_b, &DistanceOptions::default(), &mut PairCache::default(), workspace)
    });
    if found.gap.value > 0.0 || relation(a, pose_a, b, pose_b) != Relation::Overlapping {
        return Ok(Clearance::Apart(found));
    }
    solid_depth(a, pose_a, b, pose_b, options, |_, _| true).map(Clearance::Overlapping)
}
