//! Verifies a distance.

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::Method;
use crate::math::pose::Pose;
use crate::math::tolerances::ACCURACY;
use crate::shape::Feature;
use crate::verify::answer::Check;
use crate::verify::bodies::{Bodies, Claim};
use crate::verify::height_field_pair::GroundClaim;
use crate::verify::hint::Hints;
use crate::verify::refusal::{Refusal, check_numbers};
use crate::verify::truth::Truth;

impl Check for Distance {
    fn enlarged(&self, factor: f64) -> Distance {
        self.scaled(factor)
    }

    fn parts(&self) -> ((u32, u32), Option<bool>) {
        (
            (self.witness.a.part, self.witness.b.part),
            Some(matches!(self.method, Method::Parts | Method::PartsStopped(_))),
        )
    }

    fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> Distance {
        let (part_a, part_b) = named((self.witness.a.part, self.witness.b.part));
        Distance { witness: self.witness.with_parts(part_a, part_b), ..*self }
    }

    fn in_parts(&self, a: &Pose, b: &Pose) -> Distance {
        let point_in_a = a.inverse_transform_point(self.witness.a.point);
        let point_in_b = b.inverse_transform_point(self.witness.b.point);
        Distance { witness: self.witness.with_points(point_in_a, point_in_b), ..*self }
    }

    fn ground_claim(&self) -> GroundClaim {
        GroundClaim {
            // A distance is never negative, so zero claims nothing.
            lower: if self.gap.lower > 0.0 { self.gap.lower } else { f64::NEG_INFINITY },
            upper: self.gap.upper,
            margin: 0.0,
            normal: self.normal.unwrap_or(DVec3::Z),
            parts: vec![(self.witness.a.part, self.witness.b.part)],
            alone: false,
        }
    }

    fn check_meshes(&self, bodies: &Bodies<'_>, _: &mut dyn Hints) -> Result<(), Refusal> {
        bodies.check_distance(self)
    }

    fn check(&self, truth: &Truth) -> Result<(), Refusal> {
        check_numbers(&[
            ("value", self.gap.value),
            ("lower", self.gap.lower),
            ("upper", self.gap.upper),
            ("placement", self.placement),
            ("point_in_a", self.witness.a.point.element_sum()),
            ("point_in_b", self.witness.b.point.element_sum()),
            ("normal", self.normal.map_or(0.0, DVec3::element_sum)),
        ])?;
        if self.gap.lower < 0.0 {
            return Err(Refusal::NoNumber { field: "lower" });
        }
        if !(self.gap.lower <= self.gap.value && self.gap.value <= self.gap.upper) {
            return Err(Refusal::Disordered);
        }
        let meeting = self.gap.value == 0.0;
        match self.normal {
            Some(normal) if !meeting => {
                // A distance is never negative, so zero needs no proof; the normal must still be valid.
                let claimed = if self.gap.lower > 0.0 { self.gap.lower } else { f64::NEG_INFINITY };
                truth.check_lower(claimed, normal)?;
            }
            None if meeting && self.gap.lower == 0.0 => {}
            _ => return Err(Refusal::Normal),
        }
        match self.normal {
            Some(normal) => {
                truth.check_upper_along(self.gap.upper, self.witness.a.point, self.witness.b.point, normal)?
            }
            None => truth.check_upper(self.gap.upper, self.witness.a.point, self.witness.b.point)?,
        }
        let width = self.gap.upper - self.gap.lower;
        // For bodies far from their frames' origins, double-double arithmetic has a resolution limit, however small `L`
        // is: the placement of local origins, 200u² of the coordinates, on both sides of the bracket, and `rounding` is
        // 81u².
        let allowed = (ACCURACY + truth.defect) * truth.scale + truth.quantum + 8.0 * truth.rounding;
        match self.method {
            Method::Gjk | Method::Newton | Method::ClosedForm | Method::Parts => {
                if width > allowed {
                    return Err(Refusal::TooWide { width, allowed });
                }
            }
            Method::GjkStopped(reason) | Method::NewtonStopped(reason) | Method::PartsStopped(reason) => {
                reason.check(self.gap.lower, width, allowed, truth.may_be_capped())?;
            }
            _ => return Err(Refusal::Method),
        }
        truth.check_placement(self.placement)?;
        // If the search was stopped early, the points belong to the bodies, but offsetting by a radius may end below
        // the surface.
        let stopped = self.method.stopped().is_some();
        truth.check_witness(&truth.a, "A", self.witness.a.point, !meeting && !stopped)?;
        truth.check_witness(&truth.b, "B", self.witness.b.point, !meeting && !stopped)?;
        let between = truth.b.world(self.witness.b.point) - truth.a.world(self.witness.a.point);
        let off = (between.length().to_f64() - self.gap.value).abs();
        // A common point of two half-spaces may be far away, where a defect displaces it more.
        let planes = truth.a.plane.is_some() && truth.b.plane.is_some();
        let far = if planes { self.witness.a.point.length() + self.witness.b.point.length() } else { 0.0 };
        if off > truth.point_tolerance() + width + truth.defect * far {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        for (part, body, feature, point) in [
            (&truth.a, "A", self.witness.a.feature, self.witness.a.point),
            (&truth.b, "B", self.witness.b.feature, self.witness.b.point),
        ] {
            if !meeting {
                // If the search was stopped early, a chord may be nearer than the surface reached so far.
                truth.check_feature(part, body, feature, point, stopped)?;
            } else if feature != Feature::Interior {
                return Err(Refusal::Feature { body });
            }
        }
        Ok(())
    }
}

impl Bodies<'_> {
    pub(crate) fn check_distance(&self, answer: &Distance) -> Result<(), Refusal> {
        check_numbers(&[
            ("value", answer.gap.value),
            ("lower", answer.gap.lower),
            ("upper", answer.gap.upper),
            ("placement", answer.placement),
            ("point_in_a", answer.witness.a.point.element_sum()),
            ("point_in_b", answer.witness.b.point.element_sum()),
            ("normal", answer.normal.map_or(0.0, DVec3::element_sum)),
        ])?;
        if answer.gap.lower < 0.0 {
            return Err(Refusal::NoNumber { field: "lower" });
        }
        if !(answer.gap.lower <= answer.gap.value && answer.gap.value <= answer.gap.upper) {
            return Err(Refusal::Disordered);
        }
        self.check_method(answer.method, answer.gap.lower, answer.gap.upper - answer.gap.lower)?;
        let claim = Claim {
            lower: answer.gap.lower,
            upper: answer.gap.upper,
            unseen: self.unseen_above(),
            points: (answer.witness.a.point, answer.witness.b.point),
            parts: (answer.witness.a.part, answer.witness.b.part),
        };
        let two = self.pair(claim.parts)?;
        self.check_placement(answer.placement)?;
        self.check_value(answer.gap.value, &claim)?;
        let features = (answer.witness.a.feature, answer.witness.b.feature);
        match answer.normal {
            Some(normal) if answer.gap.value > 0.0 => {
                self.check_normal(&two, answer.gap.lower, normal)?;
                let stopped = answer.method.stopped().is_some();
                self.check_features(&two, &claim, features, stopped)?;
                for (part, name, point) in [(&two.a, "A", claim.points.0), (&two.b, "B", claim.points.1)] {
                    two.check_witness(part, name, part.in_own_frame(point), !stopped)?;
                }
                self.check_points_of(two, &claim)?;
                if answer.gap.lower > 0.0 { self.check_apart(answer.gap.lower, normal) } else { Ok(()) }
            }
            None if answer.gap.value == 0.0 => self.check_meeting(two, &claim, features),
            _ => Err(Refusal::Normal),
        }
    }

    /// A common point: of two triangles, on the named features; of a triangle and a part, where no feature applies; or
    /// of a solid and a body inside it, where none applies either.
    fn check_meeting(&self, two: Truth, claim: &Claim, features: (Feature, Feature)) -> Result<(), Refusal> {
        if features == (Feature::Interior, Feature::Interior) {
            if self.a.mesh().is_some() && self.b.mesh().is_some() {
                return self.check_inside(claim);
            }
            return self.check_points(claim);
        }
        for (body, feature, name) in [(&self.a, features.0, "A"), (&self.b, features.1, "B")] {
            if body.mesh().is_none() || feature == Feature::Interior {
                return Err(Refusal::Feature { body: name });
            }
        }
        if self.a.mesh().is_none() || self.b.mesh().is_none() {
            return Err(Refusal::Feature { body: "A and B" });
        }
        self.check_features(&two, claim, features, false)?;
        self.check_points_of(two, claim)
    }
}
