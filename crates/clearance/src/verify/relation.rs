//! Verifies a relation: the bracket of the gap, the evidence for its upper end, and that the verdict follows.

use glam::DVec3;

use crate::answer::relation::{Evidence, RelationProof};
use crate::answer::witness::Witness;
use crate::math::pose::Pose;
use crate::verify::answer::Check;
use crate::verify::bodies::{Bodies, Claim};
use crate::verify::body::Part;
use crate::verify::height_field_pair::GroundClaim;
use crate::verify::hint::Hints;
use crate::verify::posed::Kind;
use crate::verify::refusal::{Refusal, check_numbers, check_unit, check_untold};
use crate::verify::truth::Truth;

impl Check for RelationProof {
    fn enlarged(&self, factor: f64) -> RelationProof {
        self.clone().scaled(factor)
    }

    fn parts(&self) -> ((u32, u32), Option<bool>) {
        ((self.witness.a.part, self.witness.b.part), None)
    }

    fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> RelationProof {
        let (part_a, part_b) = named((self.witness.a.part, self.witness.b.part));
        RelationProof { witness: self.witness.with_parts(part_a, part_b), ..self.clone() }
    }

    fn in_parts(&self, a: &Pose, b: &Pose) -> RelationProof {
        let witness = match self.evidence {
            Evidence::Polytope { .. } => self.witness,
            Evidence::Points | Evidence::Deep => {
                let Witness { a: of_a, b: of_b } = &self.witness;
                let (in_a, in_b) = (a.inverse_transform_point(of_a.point), b.inverse_transform_point(of_b.point));
                self.witness.with_points(in_a, in_b)
            }
        };
        RelationProof { witness, ..self.clone() }
    }

    fn ground_claim(&self) -> GroundClaim {
        GroundClaim {
            lower: self.gap.lower,
            upper: self.gap.upper,
            margin: 0.0,
            normal: self.normal,
            parts: vec![(self.witness.a.part, self.witness.b.part)],
            alone: false,
        }
    }

    fn check_meshes(&self, bodies: &Bodies<'_>, _: &mut dyn Hints) -> Result<(), Refusal> {
        bodies.check_relation(self)
    }

    fn check(&self, truth: &Truth) -> Result<(), Refusal> {
        check_numbers(&[
            ("lower", self.gap.lower),
            ("upper", self.gap.upper),
            ("placement", self.placement),
            ("touch_band", self.touch_band),
            ("normal", self.normal.element_sum()),
        ])?;
        if self.touch_band < 0.0 {
            return Err(Refusal::NoNumber { field: "touch_band" });
        }
        if self.gap.lower > self.gap.upper || !self.has_value_nearest_zero() {
            return Err(Refusal::Disordered);
        }
        if self.relation != self.verdict() {
            return Err(Refusal::Verdict);
        }
        truth.check_lower(self.gap.lower, self.normal)?;
        truth.check_placement(self.placement)?;
        check_untold(&self.witness)?;
        truth.check_evidence(self)
    }
}

impl Truth {
    /// The signed gap is at most `claimed`, by the evidence given for it.
    fn check_evidence(&self, proof: &RelationProof) -> Result<(), Refusal> {
        let (claimed, point_in_a, point_in_b) = (proof.gap.upper, proof.witness.a.point, proof.witness.b.point);
        if let Evidence::Polytope { pairs } = &proof.evidence {
            if (point_in_a, point_in_b) != (DVec3::ZERO, DVec3::ZERO) {
                return Err(Refusal::NoNumber { field: "witness" });
            }
            return self.check_polytope(claimed, pairs);
        }
        check_numbers(&[("witness", point_in_a.element_sum() + point_in_b.element_sum())])?;
        self.check_core_point(&self.a, "A", point_in_a)?;
        self.check_core_point(&self.b, "B", point_in_b)?;
        if proof.evidence == Evidence::Points {
            self.check_between(claimed, point_in_a, point_in_b)?;
            return self.check_upper(claimed, point_in_a, point_in_b);
        }
        self.check_deep(-claimed, point_in_a, point_in_b).map_err(|refusal| match refusal {
            Refusal::Lower { claimed, proved } => Refusal::Upper { claimed: -claimed, proved: -proved },
            other => other,
        })
    }

    /// The same for evidence in the local frames of whole bodies, of which these are parts.
    pub(crate) fn check_evidence_of(&self, proof: &RelationProof) -> Result<(), Refusal> {
        let inner = |part: &Part| part.inner.unwrap_or(Pose::IDENTITY);
        self.check_evidence(&Check::in_parts(proof, &inner(&self.a), &inner(&self.b)))
    }
}

impl Bodies<'_> {
    pub(crate) fn check_relation(&self, proof: &RelationProof) -> Result<(), Refusal> {
        check_numbers(&[
            ("lower", proof.gap.lower),
            ("upper", proof.gap.upper),
            ("placement", proof.placement),
            ("touch_band", proof.touch_band),
            ("normal", proof.normal.element_sum()),
        ])?;
        if proof.touch_band < 0.0 {
            return Err(Refusal::NoNumber { field: "touch_band" });
        }
        if proof.gap.lower > proof.gap.upper || !proof.has_value_nearest_zero() {
            return Err(Refusal::Disordered);
        }
        if proof.relation != proof.verdict() {
            return Err(Refusal::Verdict);
        }
        check_unit(proof.normal)?;
        check_untold(&proof.witness)?;
        self.check_placement(proof.placement)?;
        if proof.gap.upper < 0.0 && (self.a.is_surface() || self.b.is_surface()) {
            self.check_surface_overlap(proof)?;
            return self.check_way_out(proof.gap.lower, proof.normal);
        }
        if let Evidence::Polytope { .. } = proof.evidence {
            return Err(Refusal::Upper { claimed: proof.gap.upper, proved: f64::INFINITY });
        }
        let (point_in_a, point_in_b) = (proof.witness.a.point, proof.witness.b.point);
        check_numbers(&[("witness", point_in_a.element_sum() + point_in_b.element_sum())])?;
        let parts = (proof.witness.a.part, proof.witness.b.part);
        if proof.evidence == Evidence::Deep {
            if proof.gap.upper >= 0.0 {
                return Err(Refusal::Upper { claimed: proof.gap.upper, proved: f64::INFINITY });
            }
            self.pair(parts)?;
            self.check_overlap(proof.gap.upper, point_in_a, point_in_b)?;
            return self.check_way_out(proof.gap.lower, proof.normal);
        }
        if proof.gap.upper < 0.0 {
            return Err(Refusal::Upper { claimed: proof.gap.upper, proved: 0.0 });
        }
        let (unseen, points) = (self.unseen_above(), (point_in_a, point_in_b));
        let claim = Claim { lower: proof.gap.lower, upper: proof.gap.upper, unseen, points, parts };
        if proof.gap.lower > 0.0 {
            let two = self.pair(parts)?;
            self.check_normal(&two, proof.gap.lower, proof.normal)?;
            self.check_points_of(two, &claim)?;
            return self.check_apart(proof.gap.lower, proof.normal);
        }
        self.check_points(&claim)?;
        self.check_way_out(proof.gap.lower, proof.normal)
    }
}

impl Bodies<'_> {
    /// A surface overlaps the other body, which has an interior, by as much as claimed. For a solid mesh: by the
    /// inscribed sphere about a point of the surface. For any other body: by a proof for a triangle and one of its
    /// parts, which cannot still overlap after a translation that separates the whole bodies.
    fn check_surface_overlap(&self, proof: &RelationProof) -> Result<(), Refusal> {
        let refused = Refusal::Upper { claimed: proof.gap.upper, proved: 0.0 };
        let Witness { a, b } = &proof.witness;
        let two = self.pair((a.part, b.part))?;
        let (other, part) = if self.a.is_surface() { (&self.b, &two.b) } else { (&self.a, &two.a) };
        match (&other.kind, &proof.evidence) {
            (Kind::Parts(_), _) if part.has_interior() => two.check_evidence_of(proof),
            (Kind::Mesh(posed), Evidence::Deep) if posed.mesh.is_solid() => {
                check_numbers(&[("witness", a.point.element_sum() + b.point.element_sum())])?;
                self.check_overlap(proof.gap.upper, a.point, b.point)
            }
            _ => Err(refused),
        }
    }
}
