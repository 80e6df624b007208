//! Intersection test for any two bodies.

use super::workspace::{Workspace, with_thread_workspace};
use crate::answer::intersects::IntersectsOptions;
use crate::compound::height_field::HeightFieldPair;
use crate::compound::parts::Parts;
use crate::convex::box_box::{self, Verdict};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::intersects as convex;
use crate::math::pose::Pose;
use crate::mesh::pair::boxes_apart::boxes_are_apart;
use crate::mesh::pair::mesh_mesh::{Meshes, Ordered};
use crate::shape::{PairKind, Shape};

/// See [`intersects_with`](crate::query::intersects_with).
#[inline(always)]
pub(crate) fn intersects(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &IntersectsOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> bool {
    match PairKind::of(a, b) {
        PairKind::Convex => convex::intersects(a, pose_a, b, pose_b, options, cache, &mut workspace.convex),
        _ => of_parts((a, pose_a), (b, pose_b), options, cache, workspace),
    }
}

/// The answer where a body is made of parts. Not inlined: convex pairs would pay for its stack frame.
#[inline(never)]
fn of_parts(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &IntersectsOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> bool {
    match PairKind::of(a, b) {
        PairKind::Meshes(a, b) => {
            let margin = options.margin.max(0.0);
            if boxes_are_apart((a, pose_a), (b, pose_b), margin) {
                return false;
            }
            let ordered = Ordered::new((a, pose_a), (b, pose_b));
            !ordered.are_apart(margin) && Meshes::from(ordered).intersects(options, cache, &mut workspace.mesh)
        }
        PairKind::Convex | PairKind::Parts => {
            Parts::new(a, pose_a, b, pose_b).intersects(options, &mut workspace.convex, &mut workspace.parts)
        }
        PairKind::HeightField => {
            let prisms = HeightFieldPair::near(a, pose_a, b, pose_b);
            let parts = Parts::new(prisms.a(), pose_a, prisms.b(), pose_b);
            parts.intersects(options, &mut workspace.convex, &mut workspace.parts)
        }
    }
}

/// See [`intersects`](crate::intersects()).
#[inline(always)]
pub(crate) fn intersects_once(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    if let (Shape::Cuboid(a), Shape::Cuboid(b)) = (a, b) {
        match box_box::verdict(a.half_extents(), pose_a, b.half_extents(), pose_b, PairCache::NO_AXIS) {
            Verdict::Apart(_) => return false,
            Verdict::Overlapping => return true,
            Verdict::Undecided => {}
        }
    }
    with_thread_workspace(|workspace| {
        intersects(a, pose_a, b, pose_b, &IntersectsOptions::default(), &mut PairCache::default(), workspace)
    })
}
