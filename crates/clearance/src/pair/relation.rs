//! Relation of any two bodies: separated, touching or overlapping.

use glam::DVec3;

use super::distance::distance;
use super::workspace::Workspace;
use crate::answer::distance::DistanceOptions;
use crate::answer::relation::{Evidence, Relation, RelationOptions, RelationProof};
use crate::compound::height_field::HeightFieldPair;
use crate::compound::parts::Parts;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::relation as convex;
use crate::depth::overlap_of_solids::{Overlap, overlap};
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::ROUND_UP;
use crate::shape::{Feature, PairKind, Shape};

/// See [`relation_with`](crate::query::relation_with).
pub(crate) fn relation(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &RelationOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> RelationProof {
    let is_mesh = |shape: &Shape| matches!(shape, Shape::Mesh(_));
    match PairKind::of(a, b) {
        PairKind::Convex => convex::relation(a, pose_a, b, pose_b, options, cache, &mut workspace.convex),
        PairKind::HeightField => {
            let prisms = HeightFieldPair::to_leave(a, pose_a, b, pose_b);
            let proof = relation(prisms.a(), pose_a, prisms.b(), pose_b, options, cache, workspace);
            prisms.relation(proof)
        }
        _ if is_mesh(a) || is_mesh(b) => of_mesh((a, pose_a), (b, pose_b), options, cache, workspace),
        PairKind::Meshes(..) | PairKind::Parts => {
            Parts::new(a, pose_a, b, pose_b).relation(options, &mut workspace.convex, &mut workspace.parts)
        }
    }
}

/// The relation of a pair with at least one mesh. Two surfaces touch and never overlap. The depth of overlapping bodies
/// is not computed here: the bracket of the gap extends from a translation that certainly separates them to the proof
/// that they meet or overlap.
fn of_mesh(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &RelationOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> RelationProof {
    let band = options.touch_band.max(0.0);
    let ask = DistanceOptions { farther_than: Some(band), ..DistanceOptions::default() };
    let found = distance(a, pose_a, b, pose_b, &ask, cache, workspace);
    let meets = found.gap.value == 0.0;
    if meets && let Some(proof) = surface_in_convex((a, pose_a), (b, pose_b), band, workspace) {
        return RelationProof {
            gap: Bracket { lower: -longest_way_out(a, b), ..proof.gap },
            normal: DVec3::X,
            ..proof
        }
        .judged();
    }
    let overlap = if meets { overlap((a, pose_a), (b, pose_b), &found, band, &mut workspace.mesh) } else { None };
    let untold = found.witness.with_features(Feature::Interior, Feature::Interior);
    let (witness, evidence) = match overlap {
        Some(Overlap { point_in_a, point_in_b, .. }) => (untold.with_points(point_in_a, point_in_b), Evidence::Deep),
        None => (untold, Evidence::Points),
    };
    let proof = RelationProof {
        // Where no distance is proved, bodies may overlap by the placement error.
        relation: Relation::Touching,
        gap: Bracket::between(
            if found.gap.lower == 0.0 { -longest_way_out(a, b) } else { found.gap.lower },
            overlap.map_or(found.gap.upper, |overlap| -overlap.depth),
        ),
        placement: found.placement,
        touch_band: band,
        normal: found.normal.unwrap_or(DVec3::X),
        witness,
        evidence,
    };
    proof.judged()
}

/// A proof that a surface overlaps a body that is not a mesh and has an interior.
fn surface_in_convex(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    band: f64,
    workspace: &mut Workspace,
) -> Option<RelationProof> {
    let is_pair = |surface: &Shape, other: &Shape| is_surface(surface) && !matches!(other, Shape::Mesh(_));
    if !is_pair(a, b) && !is_pair(b, a) {
        return None;
    }
    Parts::new(a, pose_a, b, pose_b).surface_overlap(band, &mut workspace.convex, &mut workspace.parts)
}

/// Whether a body is a mesh not declared solid.
fn is_surface(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(mesh) if !mesh.is_solid())
}

/// The length of a translation that separates two bodies that meet: past each other's diameters. A surface has no
/// interior, so against another surface or a flat body no translation is needed.
pub(crate) fn longest_way_out(a: &Shape, b: &Shape) -> f64 {
    if (is_surface(a) || is_surface(b)) && !a.has_interior() && !b.has_interior() {
        return 0.0;
    }
    ((a.diameter() + b.diameter()) * ROUND_UP).min(f64::MAX)
}
