//! The relation of two bodies, at least one of them made of parts.

use std::ops::ControlFlow;

use glam::DVec3;

use super::parts::{Parts, PartsOf, TwoParts};
use super::scratch::PartsScratch;
use crate::answer::distance::DistanceOptions;
use crate::answer::penetration::PenetrationOptions;
use crate::answer::relation::{Evidence, RelationOptions, RelationProof};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::relation::relation;
use crate::convex::workspace::ConvexWorkspace;
use crate::math::bracket::Bracket;
use crate::shape::Feature;

impl Parts<'_> {
    /// See [`relation`](crate::relation()).
    pub fn relation(
        &self,
        options: &RelationOptions,
        workspace: &mut ConvexWorkspace,
        scratch: &mut PartsScratch,
    ) -> RelationProof {
        let proof = self.proof(options, scratch, workspace);
        if self.swapped { proof.swapped() } else { proof }
    }

    /// The relation in the internal order of the bodies.
    fn proof(
        &self,
        options: &RelationOptions,
        scratch: &mut PartsScratch,
        workspace: &mut ConvexWorkspace,
    ) -> RelationProof {
        let band = options.touch_band.max(0.0);
        let enough = DistanceOptions { farther_than: Some(band), ..DistanceOptions::default() };
        let apart = self.nearest(&enough, &mut scratch.heap, workspace);
        if apart.gap.lower > 0.0
            && let Some(normal) = apart.normal
        {
            let proof = self.proof_of(apart.witness.a.part, apart.witness.b.part, band, workspace);
            return RelationProof {
                gap: Bracket { lower: apart.gap.lower, upper: proof.gap.upper.max(apart.gap.lower), ..proof.gap },
                normal,
                ..proof
            }
            .judged();
        }
        let mut best = self.proof_of(apart.witness.a.part, apart.witness.b.part, band, workspace);
        self.descend(&mut scratch.heap, 0.0, |a, b, _| {
            let proof = self.proof_of(a, b, band, workspace);
            if proof.gap.upper < best.gap.upper {
                best = proof;
            }
            // Enough to prove an overlap.
            if best.gap.upper < -band { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let depth = self.depth(&PenetrationOptions::default(), scratch, workspace).ok();
        // If no separating translation is known, the lower bound is `-f64::MAX`.
        let (lower, normal) = depth.map_or((-f64::MAX, DVec3::X), |depth| (-depth.depth.upper, depth.normal));
        RelationProof { gap: Bracket { lower: lower.min(best.gap.upper), ..best.gap }, normal, ..best }.judged()
    }

    /// The relation of two parts; only its upper bound holds for the true value.
    pub fn proof_of(
        &self,
        part_a: u32,
        part_b: u32,
        touch_band: f64,
        workspace: &mut ConvexWorkspace,
    ) -> RelationProof {
        let pair = self.pair(part_a, part_b);
        let TwoParts { ref a, ref b, ref pose_a, ref pose_b, .. } = pair;
        let options = RelationOptions { touch_band: touch_band + 2.0 * self.widening(&pair, touch_band) };
        let found = relation(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace);
        let witness = match found.evidence {
            Evidence::Polytope { .. } => found.witness,
            Evidence::Points | Evidence::Deep => {
                let (point_a, point_b) = self.own_points(part_a, part_b, found.witness.a.point, found.witness.b.point);
                found.witness.with_points(point_a, point_b)
            }
        };
        RelationProof {
            gap: Bracket { upper: found.gap.upper + self.widening(&pair, found.gap.upper), ..found.gap },
            placement: found.placement + pair.off,
            touch_band,
            witness: witness.with_parts(part_a, part_b),
            ..found
        }
    }

    /// Proof that a surface overlaps a convex body or a part of a compound, in the caller's terms, for two bodies that
    /// meet. Its lower bound is not that of the whole bodies. `None` if there is no such overlap.
    pub fn surface_overlap(
        &self,
        band: f64,
        workspace: &mut ConvexWorkspace,
        scratch: &mut PartsScratch,
    ) -> Option<RelationProof> {
        let has_inside = |side: &PartsOf<'_>, part: u32| side.part(part).1.has_interior();
        let mut best: Option<RelationProof> = None;
        self.descend(&mut scratch.heap, 0.0, |part_a, part_b, _| {
            if !has_inside(&self.a, part_a) && !has_inside(&self.b, part_b) {
                return ControlFlow::Continue(());
            }
            let proof = self.proof_of(part_a, part_b, band, workspace);
            if proof.gap.upper < best.as_ref().map_or(0.0, |best| best.gap.upper) {
                best = Some(proof);
            }
            let enough = best.as_ref().is_some_and(|best| best.gap.upper < -band);
            if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        best.map(|proof| {
            let (part_a, _) = self.a.named(proof.witness.a.part, Feature::Interior);
            let (part_b, _) = self.b.named(proof.witness.b.part, Feature::Interior);
            let proof = RelationProof { witness: proof.witness.with_parts(part_a, part_b), ..proof };
            if self.swapped { proof.swapped() } else { proof }
        })
    }
}
