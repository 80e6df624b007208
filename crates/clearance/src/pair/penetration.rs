//! Penetration depth of any two bodies.

use super::workspace::Workspace;
use crate::answer::penetration::{Penetration, PenetrationOptions};
use crate::answer::solid_depth::{DepthLabel, SolidDepth, SolidDepthOptions};
use crate::compound::height_field::HeightFieldPair;
use crate::compound::parts::Parts;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::penetration as convex;
use crate::depth::solid_depth as solids;
use crate::error::QueryError;
use crate::math::pose::Pose;
use crate::shape::{PairKind, Shape};

/// See [`penetration_with`](crate::query::penetration_with).
#[inline(always)]
pub(crate) fn penetration(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &PenetrationOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Result<Penetration, QueryError> {
    match PairKind::of(a, b) {
        PairKind::Convex => convex::penetration(a, pose_a, b, pose_b, options, cache, &mut workspace.convex),
        _ => of_parts((a, pose_a), (b, pose_b), options, workspace),
    }
}

/// The answer where a body is made of parts. Not inlined: convex pairs would pay for its stack frame.
#[inline(never)]
fn of_parts(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &PenetrationOptions,
    workspace: &mut Workspace,
) -> Result<Penetration, QueryError> {
    let is_mesh = |shape: &Shape| matches!(shape, Shape::Mesh(_));
    match PairKind::of(a, b) {
        _ if is_mesh(a) || is_mesh(b) => {
            let options = SolidDepthOptions { tolerance: options.tolerance, ..SolidDepthOptions::default() };
            let found = solids::solid_depth(a, pose_a, b, pose_b, &options, &mut |_, _| true, &mut workspace.mesh);
            found.map(|found| found.penetration)
        }
        PairKind::Convex | PairKind::Meshes(..) | PairKind::Parts => {
            Parts::new(a, pose_a, b, pose_b).penetration(options, &mut workspace.convex, &mut workspace.parts)
        }
        PairKind::HeightField => {
            let is_unbounded = |shape: &Shape| matches!(shape, Shape::HeightField(_) | Shape::HalfSpace(_));
            if is_unbounded(a) && is_unbounded(b) {
                return Err(QueryError::Unbounded);
            }
            let prisms = HeightFieldPair::to_leave(a, pose_a, b, pose_b);
            let parts = Parts::new(prisms.a(), pose_a, prisms.b(), pose_b);
            let answer = parts.penetration(options, &mut workspace.convex, &mut workspace.parts)?;
            Ok(prisms.penetration(answer))
        }
    }
}

/// See [`solid_depth`](crate::solid_depth). Without a mesh the depth is that of [`penetration`] and needs no search.
pub(crate) fn solid_depth(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &SolidDepthOptions,
    progress: &mut dyn FnMut(f64, f64) -> bool,
    workspace: &mut Workspace,
) -> Result<SolidDepth, QueryError> {
    if matches!(a, Shape::Mesh(_)) || matches!(b, Shape::Mesh(_)) {
        return solids::solid_depth(a, pose_a, b, pose_b, options, progress, &mut workspace.mesh);
    }
    let accuracy = PenetrationOptions { tolerance: options.tolerance };
    let found = penetration(a, pose_a, b, pose_b, &accuracy, &mut PairCache::default(), workspace)?;
    Ok(solids::without_search(found, DepthLabel::Global, options))
}
