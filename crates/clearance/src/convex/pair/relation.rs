//! Whether two convex bodies are separated, touching or overlapping.

use glam::DVec3;

use crate::answer::relation::{Evidence, Relation, RelationOptions, RelationProof};
use crate::answer::witness::Witness;
use crate::convex::epa::{Depth, EpaGoal};
use crate::convex::gjk::{GapBracket, Stop, Walk};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::placed::Placed;
use crate::convex::pair::rescale::{enlarged, is_tiny};
use crate::convex::simplex::Simplex;
use crate::convex::workspace::ConvexWorkspace;
use crate::math::bracket::Bracket;
use crate::math::placement::difference;
use crate::math::pose::Pose;
use crate::math::tolerances::{RELATION_PROVED_SHARE, SECOND_ORDER};
use crate::shape::Shape;

/// The relation of two convex bodies.
pub(crate) fn relation(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &RelationOptions,
    cache: &mut PairCache,
    workspace: &mut ConvexWorkspace,
) -> RelationProof {
    let placed = Placed::new(a, pose_a, b, pose_b);
    if is_tiny(&placed)
        && let Some(large) = enlarged(a, pose_a, b, pose_b)
    {
        let options = RelationOptions { touch_band: options.touch_band * large.factor };
        let proof = relation(&large.a, &large.pose_a, &large.b, &large.pose_b, &options, cache, workspace);
        // Below the range of normal numbers the bracket was rounded outward and may now contain zero.
        return proof.scaled(1.0 / large.factor).judged();
    }
    let band = options.touch_band.max(0.0);
    if let Some(pair) = placed.half_space() {
        let proof =
            crate::convex::pair::half_space::relation(&placed, &pair, workspace, unproved(&placed, band)).judged();
        return if placed.swapped { proof.swapped() } else { proof };
    }
    // Enough to determine the sign of the gap outside the band, with the placement and the stretch of the frame
    // included.
    let stop = Stop { farther_than: placed.beyond(placed.radii() + band + placed.placement), tolerance: 0.0 };
    if placed.is_smooth() {
        let gap = placed.signed_gap(stop, f64::NEG_INFINITY, cache, workspace).gap;
        let proof = apart_proof(&placed, &gap, band);
        let proof = if gap.length <= 0.0 { RelationProof { evidence: Evidence::Deep, ..proof } } else { proof };
        // The verdict needs no more of the depth than a few corners prove.
        let enough = RELATION_PROVED_SHARE * proof.gap.upper;
        let proof = if enough < -band {
            RelationProof { gap: Bracket::between(proof.gap.lower, enough), ..proof }
        } else {
            proof
        };
        return if placed.swapped { proof.swapped() } else { proof };
    }
    let mut simplex = Simplex::default();
    let walk = placed.walk(workspace.level, stop, cache, &mut simplex);
    let wanted = EpaGoal { enough: placed.beyond(placed.placement + band), tolerance: 0.0 };
    let proof = match walk {
        Walk::Apart(apart) => apart_proof(&placed, &apart, band),
        Walk::Undecided(Some(gap)) if placed.is_tight(&gap) => apart_proof(&placed, &gap, band),
        Walk::Inside | Walk::Undecided(_) => {
            let depth = placed.depth(&simplex, wanted, cache, workspace);
            overlap_proof(&placed, &depth, band, workspace)
        }
    };
    if placed.swapped { proof.swapped() } else { proof }
}

/// The proof by a bracket of the signed gap of the placed cores, with its witness.
fn apart_proof(placed: &Placed<'_>, apart: &GapBracket, band: f64) -> RelationProof {
    let (point_in_a, point_in_b) = placed.own_frames(apart.point_a, apart.point_b);
    let (lower, upper) = (placed.lower(apart.lower), placed.upper(apart.upper));
    // GJK stops as soon as the bodies are shown to be separated, at two points that may lie inside them: these prove
    // the upper bound, after rounding in frames whose origins may be far away. That rounding is measured.
    let taken = |own: DVec3, origin: DVec3, point: DVec3| {
        let (high, low) = difference(own, origin);
        ((high - point) + low).length()
    };
    let rounding =
        taken(point_in_a, placed.a.origin, apart.point_a) + taken(point_in_b, placed.b.origin, apart.point_b);
    let upper = if lower > band { upper + rounding * (SECOND_ORDER + placed.map.stretch) } else { upper };
    RelationProof {
        gap: Bracket::between(lower, upper),
        normal: placed.world_normal(apart.direction),
        witness: Witness::of_points(point_in_a, point_in_b),
        evidence: Evidence::Points,
        ..unproved(placed, band)
    }
    .judged()
}

/// The proof by an expanding polytope's result.
fn overlap_proof(placed: &Placed<'_>, depth: &Depth, band: f64, workspace: &ConvexWorkspace) -> RelationProof {
    let proof = apart_proof(placed, &depth.gap, band);
    if depth.by_polytope {
        let evidence = Evidence::Polytope { pairs: workspace.polytope.pairs().collect() };
        RelationProof { witness: Witness::of_points(DVec3::ZERO, DVec3::ZERO), evidence, ..proof }
    } else {
        proof
    }
}

/// A proof that still lacks its bracket, normal and evidence.
fn unproved(placed: &Placed<'_>, touch_band: f64) -> RelationProof {
    RelationProof {
        relation: Relation::Touching,
        gap: Bracket::between(f64::NEG_INFINITY, f64::INFINITY),
        placement: placed.placement,
        touch_band,
        normal: DVec3::X,
        witness: Witness::of_points(DVec3::ZERO, DVec3::ZERO),
        evidence: Evidence::Polytope { pairs: Vec::new() },
    }
}
