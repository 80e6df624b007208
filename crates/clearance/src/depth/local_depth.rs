//! Local depth: how far the surface of one body extends into the other. See [`local_depth`](crate::local_depth) for the
//! definition and [`pieces`](super::pieces) for the search.

use std::borrow::Cow;

use crate::answer::distance::DistanceOptions;
use crate::answer::local_depth::{DeepestPoint, DepthDirection, LocalDepth, LocalDepthEnd, LocalDepthOptions};
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::pair::cache::PairCache;
use crate::depth::pieces::{Deepest, Goal, LocalDepthSearch, Reaching};
use crate::depth::polyhedron::Polyhedron;
use crate::error::QueryError;
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::{LOCAL_DEPTH_FLOOR, LOCAL_DEPTH_SLACK, UNIT_ROUNDOFF};
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::mesh::workspace::MeshWorkspace;
use crate::shape::{Feature, Mesh, Shape};

/// How far the surface of one body extends into the other.
pub(crate) fn local_depth(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &LocalDepthOptions,
    progress: &mut dyn FnMut(f64, f64) -> bool,
    workspace: &mut MeshWorkspace,
) -> Result<LocalDepth, QueryError> {
    let is_mesh = [a, b].map(|shape| matches!(shape, Shape::Mesh(_)));
    let (a, b) = (as_mesh(a)?, as_mesh(b)?);
    if !a.is_solid() && !b.is_solid() {
        return Err(QueryError::TwoSurfaces);
    }
    let meshes = Meshes::new((&a, pose_a), (&b, pose_b));
    let poses = if meshes.swapped { [pose_b, pose_a] } else { [pose_a, pose_b] };
    let is_mesh = if meshes.swapped { [is_mesh[1], is_mesh[0]] } else { is_mesh };
    let answer = of_meshes(&meshes, poses, is_mesh, options, progress, workspace);
    Ok(if meshes.swapped { answer.swapped() } else { answer })
}

/// The body as a mesh: a mesh as given, a body with flat faces as the solid they bound.
pub(crate) fn as_mesh(shape: &Shape) -> Result<Cow<'_, Mesh>, QueryError> {
    if let Shape::Mesh(mesh) = shape {
        return Ok(Cow::Borrowed(mesh));
    }
    let polyhedron = Polyhedron::of(shape).map_err(|_| QueryError::NoDepth)?;
    let (origin, points, triangles) = polyhedron.parts();
    let points: Vec<[f64; 3]> = points.iter().map(|&point| (point + origin).to_array()).collect();
    Ok(Cow::Owned(Mesh::new(&points, triangles)?.solid()?))
}

/// In the order of the meshes, so that swapping the bodies changes nothing.
fn of_meshes(
    meshes: &Meshes<'_>,
    [pose_a, pose_b]: [&Pose; 2],
    is_mesh: [bool; 2],
    options: &LocalDepthOptions,
    progress: &mut dyn FnMut(f64, f64) -> bool,
    workspace: &mut MeshWorkspace,
) -> LocalDepth {
    let (a, b) = (meshes.a, meshes.b);
    let farther_than = DistanceOptions { farther_than: Some(0.0), ..DistanceOptions::default() };
    if meshes.distance(&farther_than, &mut PairCache::default(), workspace).gap.lower > 0.0 {
        let ended = LocalDepthEnd::Tolerance;
        return LocalDepth { depth: Bracket::exact(0.0), deepest: None, ended, undecided_faces: [0; 2], work: 1 };
    }
    let reach = 2.0 * (meshes.pair.a.radius + meshes.pair.b.radius) + meshes.pair.map.separation;
    let own = meshes.pair.a.origin.length() + meshes.pair.b.origin.length();
    let goal = Goal {
        relative: options.relative_tolerance.clamp(0.0, 1.0),
        absolute: options.tolerance.max(0.0),
        floor: LOCAL_DEPTH_FLOOR * reach + 16.0 * UNIT_ROUNDOFF * own,
        // NaN sets no limit.
        at_least: options.at_least.filter(|limit| !limit.is_nan()).map_or(f64::INFINITY, |limit| limit.max(0.0)),
        at_most: options.at_most.filter(|limit| !limit.is_nan()).unwrap_or(-1.0),
        work: options.work,
    };
    let (placed_a, placed_b) = ((a, pose_a), (b, pose_b));
    let mut ways = Vec::new();
    let mut directions = Vec::new();
    for (from, solid, direction) in
        [(placed_a, placed_b, DepthDirection::AInB), (placed_b, placed_a, DepthDirection::BInA)]
    {
        if solid.0.is_solid()
            && let Some(way) = Reaching::new(from, solid)
        {
            ways.push(way);
            directions.push(direction);
        }
    }
    let undecided = |mesh: &Mesh| {
        if mesh.is_solid() { mesh.outer_faces().map_or(0, |outer| outer.undecided) } else { 0 }
    };
    let found = LocalDepthSearch::new(ways, goal, workspace.level).run(progress);
    let lower = found.deepest.map_or(0.0, |deepest| deepest.lower);
    let upper = if found.upper > 0.0 { found.upper.max(lower) + LOCAL_DEPTH_SLACK * reach } else { 0.0 };
    let value = found.deepest.map_or(0.0, |deepest| deepest.value).max(lower).min(upper);
    let rounding = goal.floor + LOCAL_DEPTH_SLACK * reach;
    let is_narrow = upper - lower <= goal.absolute.max(rounding).max(goal.relative * upper);
    let ended = if is_narrow {
        LocalDepthEnd::Tolerance
    } else if lower > goal.at_least {
        LocalDepthEnd::AtLeast
    } else if upper <= goal.at_most {
        LocalDepthEnd::AtMost
    } else if found.undecided >= upper && !found.interrupted {
        LocalDepthEnd::Undecided
    } else {
        LocalDepthEnd::Interrupted
    };
    LocalDepth {
        depth: Bracket { lower, value, upper },
        deepest: found.deepest.map(|deepest| named(&deepest, directions[deepest.way], is_mesh)),
        ended,
        undecided_faces: [undecided(a), undecided(b)],
        work: found.work,
    }
}

/// The deepest point in the caller's terms. Bodies that are not meshes have no triangles to report.
fn named(deepest: &Deepest, direction: DepthDirection, is_mesh: [bool; 2]) -> DeepestPoint {
    let of = |point, triangle, is_mesh: bool| {
        let (part, feature) = if is_mesh { (triangle, Feature::Face(triangle)) } else { (0, Feature::Interior) };
        WitnessPoint { point, part, feature }
    };
    let [a_is_mesh, b_is_mesh] = is_mesh;
    let witness = match direction {
        DepthDirection::AInB => Witness {
            a: of(deepest.point, deepest.triangle, a_is_mesh),
            b: of(deepest.nearest, deepest.nearest_triangle, b_is_mesh),
        },
        DepthDirection::BInA => Witness {
            a: of(deepest.nearest, deepest.nearest_triangle, a_is_mesh),
            b: of(deepest.point, deepest.triangle, b_is_mesh),
        },
    };
    DeepestPoint { witness, direction }
}
