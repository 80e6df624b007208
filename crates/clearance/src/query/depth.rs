//! Penetration depth of two solids: in any direction, along one direction, and along a path; and local depth.

use glam::DVec3;

use super::distance::distance_with;
use super::relation::relation;
use crate::answer::clearance::{Clearance, ClearanceOptions};
use crate::answer::local_depth::{LocalDepth, LocalDepthEstimate, LocalDepthOptions};
use crate::answer::relation::Relation;
use crate::answer::solid_depth::{DepthAlong, DepthAlongOptions, SolidDepth, SolidDepthOptions};
use crate::convex::pair::cache::PairCache;
use crate::error::QueryError;
use crate::geom::ray_frame::unit;
use crate::math::pose::Pose;
use crate::pair::workspace::{Workspace, with_thread_workspace};
use crate::shape::Shape;
use crate::{depth, pair, parallel};

/// Penetration depth of two solids: the shortest translation that makes their interiors disjoint, in any direction.
///
/// Solids are meshes made solid ([`Mesh::solid`](crate::Mesh::solid)), against each other and against boxes, convex
/// hulls and tetrahedra. Pairs without a mesh are answered exactly, as by [`penetration`](crate::penetration).
///
/// The bracket is proved: its upper end by exact tests of all triangles after the translation, its lower end by
/// [`SolidDepth::proof`]. It is true whenever the search stops.
///
/// Cost: 10 to 100 ms for a first separating translation of meshes of some thousand triangles, more for a tight
/// bracket. Thin walls are the worst case: the number of cubes in the proof grows with the cube of depth over
/// thickness. [`SolidDepthOptions::work`] limits it.
///
/// # Errors
/// [`QueryError::Body`] for a mesh that does not bound a solid, [`QueryError::NoDepth`] for other bodies.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3, solid_depth};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0))?;
/// let answer = solid_depth(&cube, &Pose::IDENTITY, &cube, &into)?;
/// assert!(answer.penetration.depth.contains(0.25));
/// # Ok::<(), clearance::QueryError>(())
/// ```
pub fn solid_depth(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<SolidDepth, QueryError> {
    with_thread_workspace(|workspace| {
        solid_depth_with(a, pose_a, b, pose_b, &SolidDepthOptions::default(), workspace, |_, _| true)
    })
}

/// [`solid_depth`] with options and a workspace. `progress` is called from time to time with the bracket so far;
/// returning `false` ends the search. See [`SolidDepthOptions`] for an example.
///
/// # Errors
/// As [`solid_depth`].
pub fn solid_depth_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &SolidDepthOptions,
    workspace: &mut Workspace,
    mut progress: impl FnMut(f64, f64) -> bool,
) -> Result<SolidDepth, QueryError> {
    pair::penetration::solid_depth(a, pose_a, b, pose_b, options, &mut progress, workspace)
}

/// How far the surface of one body reaches into the other: for each body, the largest distance from the other's
/// boundary of any of its surface points inside the other; the larger of the two.
///
/// This is what is usually meant by the severity of a clash. It is zero for touching bodies, the sliver between facets
/// for a pin in its hole, and how deep a part lies for a part inside another. It never exceeds the shortest separating
/// translation ([`solid_depth`]). For a surface and a solid it is how far the surface reaches into the solid.
///
/// Bodies are meshes, boxes, convex hulls and tetrahedra. A solid whose shells overlap, or that intersects itself, is
/// the union of the insides of its shells: triangles within it are not part of its surface.
///
/// Cost: proportional to the facets in contact; a pin in its hole takes about 70 pieces per facet.
///
/// # Errors
/// [`QueryError::TwoSurfaces`] for two meshes neither of which is a solid, [`QueryError::NoDepth`] for other bodies.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3, local_depth};
/// let (slab, peg) = (Shape::cuboid(DVec3::new(5.0, 5.0, 1.0))?, Shape::cuboid(DVec3::new(0.5, 0.5, 3.0))?);
/// let into = Pose::from_translation(DVec3::new(0.0, 0.0, 3.25))?;
/// let answer = local_depth(&slab, &Pose::IDENTITY, &peg, &into)?;
/// assert!(answer.depth.contains(0.75));
/// answer.verify(&slab, &Pose::IDENTITY, &peg, &into).unwrap();
/// let point = answer.deepest.unwrap().witness.b.point;
/// assert_eq!(point.z, -3.0);
/// # Ok::<(), clearance::QueryError>(())
/// ```
pub fn local_depth(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<LocalDepth, QueryError> {
    with_thread_workspace(|workspace| {
        local_depth_with(a, pose_a, b, pose_b, &LocalDepthOptions::default(), workspace, |_, _| true)
    })
}

/// [`local_depth`] with options and a workspace. `progress` is called from time to time with the bracket so far;
/// returning `false` ends the search. See [`LocalDepthOptions`] for an example.
///
/// # Errors
/// As [`local_depth`].
pub fn local_depth_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &LocalDepthOptions,
    workspace: &mut Workspace,
    mut progress: impl FnMut(f64, f64) -> bool,
) -> Result<LocalDepth, QueryError> {
    depth::local_depth::local_depth(a, pose_a, b, pose_b, options, &mut progress, &mut workspace.mesh)
}

/// About how far the surface of one body reaches into the other, for meshes that need not be closed: an **estimate**
/// without a bracket. None of it is proved.
///
/// For open shells, which [`local_depth`] does not support. Samples of each surface (vertices, centroids of triangles
/// and midpoints of edges, up to 8,192 per body) count as inside a mesh that is not a solid where its generalized
/// winding number is above a half in magnitude. The value is the largest distance of such a sample from the other
/// surface. For two solids it never exceeds [`local_depth`], and is below it where the deepest point is not a sample.
/// Two flat sheets have none: nothing is inside either.
///
/// # Errors
/// [`QueryError::NoDepth`] for bodies that are not meshes, boxes, convex hulls or tetrahedra.
///
/// ```
/// use clearance::query::local_depth_estimate;
/// use clearance::{Mesh, Pose, Shape, glam::DVec3};
/// // A box without its lid, and a peg that comes through its bottom.
/// let corners: Vec<_> = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2 & 1].map(|x| f64::from(2 * x - 1))).collect();
/// let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1]];
/// let triangles: Vec<_> = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
/// let open = Shape::Mesh(Mesh::new(&corners, &triangles)?);
/// let peg = Shape::cuboid(DVec3::new(0.25, 0.25, 3.0))?;
/// let into = Pose::from_translation(DVec3::new(0.0, 0.0, -3.25))?;
/// let estimate = local_depth_estimate(&open, &Pose::IDENTITY, &peg, &into)?;
/// assert!((estimate.value - 0.75).abs() < 1e-12);
/// assert_eq!(estimate.deepest.unwrap().witness.b.point.z, 3.0);
/// # Ok::<(), clearance::QueryError>(())
/// ```
pub fn local_depth_estimate(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
) -> Result<LocalDepthEstimate, QueryError> {
    with_thread_workspace(|workspace| {
        depth::local_depth_estimate::local_depth_estimate(a, pose_a, b, pose_b, workspace.mesh.level)
    })
}

/// How far B must move along a direction until the interiors of two solids are disjoint. Zero for separated solids.
///
/// Where the solids slide along each other before they separate, the interiors are disjoint earlier than `depth.upper`,
/// and the bracket is wide accordingly. Supports the pairs of [`solid_depth`]; cheaper, as it searches one direction
/// only.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3};
/// use clearance::query::depth_along;
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0))?;
/// let up = depth_along(&cube, &Pose::IDENTITY, &cube, &into, DVec3::Y)?;
/// assert!((up.depth.value - 1.75).abs() < 1e-9 && up.depth.contains(1.75));
/// # Ok::<(), clearance::QueryError>(())
/// ```
///
/// # Errors
/// As [`solid_depth`]; [`QueryError::NoDirection`] for a direction that is zero or not finite.
pub fn depth_along(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    direction: DVec3,
) -> Result<DepthAlong, QueryError> {
    with_thread_workspace(|workspace| {
        depth_along_with(a, pose_a, b, pose_b, direction, &DepthAlongOptions::default(), workspace)
    })
}

/// [`depth_along`] with options and a workspace. See [`DepthAlongOptions`] for an example.
///
/// # Errors
/// As [`depth_along`].
pub fn depth_along_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    direction: DVec3,
    options: &DepthAlongOptions,
    workspace: &mut Workspace,
) -> Result<DepthAlong, QueryError> {
    if !direction.is_finite() || direction == DVec3::ZERO {
        return Err(QueryError::NoDirection { direction: direction.to_array() });
    }
    depth::solid_depth::depth_along(a, pose_a, b, pose_b, unit(direction), options, &mut workspace.mesh)
}

/// The signed gap of two bodies at each pose of a path of B, on all cores. Nothing is claimed between the poses: see
/// [`time_of_impact`](crate::time_of_impact) for that.
///
/// Cost: for each pose a [`distance`](crate::distance), and a [`solid_depth`] where the bodies overlap.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3};
/// use clearance::query::clearance_along;
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let at = |k| Pose::from_translation(DVec3::new(3.5 - f64::from(k), 0.0, 0.0));
/// let path: Vec<Pose> = (0..4).map(at).collect::<Result<_, _>>()?;
/// let gaps = clearance_along(&cube, &Pose::IDENTITY, &cube, &path)?;
/// let values: Vec<f64> = gaps.iter().map(|gap| gap.value()).collect();
/// assert_eq!(values[..2], [1.5, 0.5]);
/// assert!((values[2] + 0.5).abs() < 1e-9 && (values[3] + 1.5).abs() < 1e-9);
/// # Ok::<(), clearance::QueryError>(())
/// ```
///
/// # Errors
/// As [`solid_depth`], where the bodies overlap.
pub fn clearance_along(a: &Shape, pose_a: &Pose, b: &Shape, path: &[Pose]) -> Result<Vec<Clearance>, QueryError> {
    clearance_along_with(a, pose_a, b, path, &ClearanceOptions::default())
}

/// [`clearance_along`] with options. See [`ClearanceOptions`] for an example.
///
/// # Errors
/// As [`clearance_along`].
pub fn clearance_along_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    path: &[Pose],
    options: &ClearanceOptions,
) -> Result<Vec<Clearance>, QueryError> {
    let at = |pose: &Pose| clearance(a, pose_a, b, pose, options);
    // A pose takes long enough that wake-up order does not matter.
    parallel::map(path, at).into_iter().collect()
}

fn clearance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &ClearanceOptions,
) -> Result<Clearance, QueryError> {
    with_thread_workspace(|workspace| {
        let found = distance_with(a, pose_a, b, pose_b, &options.distance, &mut PairCache::default(), workspace);
        if found.gap.value > 0.0 || relation(a, pose_a, b, pose_b) != Relation::Overlapping {
            return Ok(Clearance::Apart(found));
        }
        solid_depth_with(a, pose_a, b, pose_b, &options.depth, workspace, |_, _| true).map(Clearance::Overlapping)
    })
}
