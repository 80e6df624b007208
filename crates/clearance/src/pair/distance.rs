//! Distance of any two bodies.

use super::workspace::{Workspace, with_thread_workspace};
use crate::answer::distance::{Distance, DistanceOptions};
use crate::compound::height_field::HeightFieldPair;
use crate::compound::parts::Parts;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::distance as convex;
use crate::math::pose::Pose;
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::shape::{PairKind, Shape};

/// See [`distance_with`](crate::query::distance_with).
#[inline(always)]
pub(crate) fn distance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &DistanceOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Distance {
    // Before any other dispatch: these answers are so fast that it would show.
    if is_quick(a, b) {
        return convex::distance(a, pose_a, b, pose_b, options, cache, &mut workspace.convex);
    }
    match PairKind::of(a, b) {
        PairKind::Convex => convex::distance(a, pose_a, b, pose_b, options, cache, &mut workspace.convex),
        PairKind::Meshes(a, b) => Meshes::new((a, pose_a), (b, pose_b)).distance(options, cache, &mut workspace.mesh),
        PairKind::Parts => {
            Parts::new(a, pose_a, b, pose_b).distance(options, &mut workspace.convex, &mut workspace.parts)
        }
        PairKind::HeightField => of_height_field((a, pose_a), (b, pose_b), options, workspace),
    }
}

/// True for the convex pairs with the fastest answers.
#[inline(always)]
fn is_quick(a: &Shape, b: &Shape) -> bool {
    matches!((a, b), (Shape::Hull(_), Shape::Hull(_)) | (Shape::Sphere(_), Shape::Sphere(_)))
}

/// The prisms of a height field are the parts of a compound.
#[cold]
fn of_height_field(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &DistanceOptions,
    workspace: &mut Workspace,
) -> Distance {
    let prisms = HeightFieldPair::near(a, pose_a, b, pose_b);
    let parts = Parts::new(prisms.a(), pose_a, prisms.b(), pose_b);
    prisms.distance(parts.distance(options, &mut workspace.convex, &mut workspace.parts))
}

/// See [`distance`](crate::distance()).
#[inline(always)]
pub(crate) fn distance_once(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Distance {
    if is_quick(a, b) || matches!(PairKind::of(a, b), PairKind::Convex) {
        return convex::distance_once(a, pose_a, b, pose_b);
    }
    let options = DistanceOptions::default();
    with_thread_workspace(|workspace| distance(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace))
}
