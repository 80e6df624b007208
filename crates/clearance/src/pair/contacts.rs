//! Contacts of any two bodies.

use glam::DVec3;

use super::distance::distance;
use super::penetration::penetration;
use super::relation::longest_way_out;
use super::workspace::Workspace;
use crate::answer::contacts::{Contacts, ContactsOptions};
use crate::answer::distance::DistanceOptions;
use crate::answer::penetration::PenetrationOptions;
use crate::compound::height_field::HeightFieldPair;
use crate::compound::parts::Parts;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::contacts::{self as convex, clamped_tilt};
use crate::math::pose::Pose;
use crate::mesh::pair::contacts::{begin, finish};
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::shape::{PairKind, Shape};

/// See [`contacts_with`](crate::query::contacts_with).
#[allow(clippy::too_many_arguments, reason = "the arguments of every query, and the answer to fill")]
#[inline(always)]
pub(crate) fn contacts(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &ContactsOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
    out: &mut Contacts,
) {
    match PairKind::of(a, b) {
        PairKind::Convex => convex::contacts(a, pose_a, b, pose_b, options, cache, &mut workspace.convex, out),
        _ => of_parts((a, pose_a), (b, pose_b), options, cache, workspace, out),
    }
}

/// The answer where a body is made of parts. Not inlined: convex pairs would pay for its stack frame.
#[inline(never)]
fn of_parts(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &ContactsOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
    out: &mut Contacts,
) {
    let is_mesh = |shape: &Shape| matches!(shape, Shape::Mesh(_));
    let kind = PairKind::of(a, b);
    if is_mesh(a) || is_mesh(b) {
        return of_mesh(kind, (a, pose_a), (b, pose_b), options, cache, workspace, out);
    }
    out.crossings.clear();
    gap_of_wholes((a, pose_a), (b, pose_b), options, workspace, out);
    let (convex, scratch) = (&mut workspace.convex, &mut workspace.parts);
    if let PairKind::HeightField = kind {
        let prisms = HeightFieldPair::within(a, pose_a, b, pose_b, options.margin);
        prisms.contacts(pose_a, pose_b, options, convex, scratch, out);
    } else {
        Parts::new(a, pose_a, b, pose_b).contacts([None; 2], options, convex, scratch, out);
    }
}

/// The gap of two bodies, at least one of them made of parts, with its witness as the other queries give it; no points
/// yet. For touching bodies `penetration` only says that no translation is needed, `distance` how near they are.
fn gap_of_wholes(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &ContactsOptions,
    workspace: &mut Workspace,
    out: &mut Contacts,
) {
    let cache = &mut PairCache::default();
    out.points.clear();
    (out.margin, out.tilt) = (options.margin.max(0.0), clamped_tilt(options));
    let apart = distance(a, pose_a, b, pose_b, &DistanceOptions::default(), cache, workspace);
    (out.placement, out.method) = (apart.placement, apart.method);
    (out.witness.a.point, out.witness.b.point) = (apart.witness.a.point, apart.witness.b.point);
    (out.witness.a.part, out.witness.b.part) = (apart.witness.a.part, apart.witness.b.part);
    // A distance is never negative, but bodies separated only as placed may overlap in truth: the separating
    // translation then bounds the depth.
    if let Some(normal) = apart.normal.filter(|_| apart.gap.lower > 0.0) {
        (out.normal, out.gap.value, out.gap.lower, out.gap.upper) =
            (normal, apart.gap.value, apart.gap.lower, apart.gap.upper);
        return;
    }
    let Ok(deep) = penetration(a, pose_a, b, pose_b, &PenetrationOptions::default(), cache, workspace) else {
        out.normal = DVec3::X;
        (out.gap.value, out.gap.lower, out.gap.upper) = (-f64::MAX, -f64::MAX, -f64::MAX);
        return;
    };
    (out.normal, out.gap.lower, out.gap.upper) = (deep.normal, -deep.depth.upper, apart.gap.upper);
    (out.gap.value, out.method) = ((-deep.depth.value).max(out.gap.lower).min(out.gap.upper), deep.method);
    if deep.depth.lower > 0.0 {
        (out.gap.upper, out.placement) = (-deep.depth.lower, deep.placement);
        (out.witness.a.point, out.witness.b.point) = (deep.witness.a.point, deep.witness.b.point);
        (out.witness.a.part, out.witness.b.part) = (deep.witness.a.part, deep.witness.b.part);
    }
}

/// The contacts of a pair with at least one mesh.
fn of_mesh(
    kind: PairKind<'_>,
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &ContactsOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
    out: &mut Contacts,
) {
    let way_out = longest_way_out(a, b);
    if let PairKind::Meshes(a, b) = kind {
        let meshes = Meshes::new((a, pose_a), (b, pose_b));
        return meshes.contacts(way_out, options, cache, &mut workspace.mesh, out);
    }
    let margin = options.margin.max(0.0);
    out.points.clear();
    out.crossings.clear();
    let ask = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
    let found = distance(a, pose_a, b, pose_b, &ask, cache, workspace);
    begin(&found, margin, way_out, out);
    if found.gap.lower > margin {
        return;
    }
    let (convex, scratch) = (&mut workspace.convex, &mut workspace.parts);
    if let PairKind::HeightField = kind {
        let prisms = HeightFieldPair::within(a, pose_a, b, pose_b, margin);
        prisms.mesh_contacts(pose_a, pose_b, convex, scratch, out);
    } else {
        Parts::new(a, pose_a, b, pose_b).mesh_contacts(convex, scratch, out);
    }
    finish(&found, options.most, out);
}
