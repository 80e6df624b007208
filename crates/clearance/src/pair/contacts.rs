//! Contacts of any two bodies.

use glam::DVec3;

use super::distance::distance;
use super::penetration::penetration;
use super::relation::longest_way_out;
use super::workspace::Workspace;
use crate::answer::contacts::{Contact, Contacts, ContactsOptions};
use crate::answer::distance::DistanceOptions;
use crate::answer::penetration::PenetrationOptions;
use crate::compound::height_field::HeightFieldPair;
use crate::compound::parts::Parts;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::contacts::{self as convex, clamped_tilt};
use crate::math::pose::Pose;
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
    let margin = options.margin.max(0.0);
    out.points.clear();
    out.crossings.clear();
    let meshes = if let PairKind::Meshes(a, b) = kind { Some(Meshes::new((a, pose_a), (b, pose_b))) } else { None };
    // Where triangles meet no distance is needed.
    let met = meshes.as_ref().and_then(|meshes| meshes.crossings(&mut workspace.mesh, out));
    let found = met.unwrap_or_else(|| {
        let ask = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
        distance(a, pose_a, b, pose_b, &ask, cache, workspace)
    });
    (out.margin, out.tilt, out.placement, out.method) = (margin, 0.0, found.placement, found.method);
    (out.witness.a.point, out.witness.b.point) = (found.witness.a.point, found.witness.b.point);
    (out.witness.a.part, out.witness.b.part) = (found.witness.a.part, found.witness.b.part);
    (out.normal, out.gap.value) = (found.normal.unwrap_or(DVec3::X), found.gap.value);
    (out.gap.lower, out.gap.upper) = (found.gap.lower, found.gap.upper);
    if found.gap.lower == 0.0 {
        // Where no distance is proved, bodies may overlap. No translation needs to be longer than one that moves them
        // past each other; two surfaces need none.
        out.gap.lower = -longest_way_out(a, b);
    }
    if found.gap.lower > margin {
        return;
    }
    let (convex, scratch) = (&mut workspace.convex, &mut workspace.parts);
    match (meshes, kind) {
        (Some(meshes), _) => meshes.near(&mut workspace.mesh, out),
        (None, PairKind::HeightField) => {
            let prisms = HeightFieldPair::within(a, pose_a, b, pose_b, margin);
            prisms.mesh_contacts(pose_a, pose_b, convex, scratch, out);
        }
        (None, _) => Parts::new(a, pose_a, b, pose_b).mesh_contacts(convex, scratch, out),
    }
    // Where contacts use other prisms of a height field than its distance did, rounding may exclude the nearest two
    // parts.
    if out.points.is_empty()
        && let Some(normal) = found.normal
    {
        out.points.push(Contact::of_distance(&found, normal));
    }
    out.points.sort_by_key(|point| (point.witness.a.part, point.witness.b.part));
    out.crossings.sort_by_key(|crossing| (crossing.triangle_a, crossing.triangle_b));
    if let Some(most) = options.most {
        out.points.sort_by(|p, q| p.gap.value.total_cmp(&q.gap.value));
        out.points.truncate(most.max(1));
    }
}
