//! Verifies a depth: of convex bodies and compounds here, of solids in `solid_depth.rs`.

use crate::answer::method::Method;
use crate::answer::penetration::Penetration;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, DEPTH_ACCURACY};
use crate::verify::answer::Check;
use crate::verify::bodies::Bodies;
use crate::verify::height_field_pair::GroundClaim;
use crate::verify::hint::Hints;
use crate::verify::refusal::{Refusal, check_numbers};
use crate::verify::solid_depth;
use crate::verify::truth::Truth;

impl Check for Penetration {
    fn enlarged(&self, factor: f64) -> Penetration {
        self.scaled(factor)
    }

    fn parts(&self) -> ((u32, u32), Option<bool>) {
        (
            (self.witness.a.part, self.witness.b.part),
            Some(matches!(self.method, Method::Parts | Method::PartsStopped(_))),
        )
    }

    fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> Penetration {
        let (part_a, part_b) = named((self.witness.a.part, self.witness.b.part));
        Penetration { witness: self.witness.with_parts(part_a, part_b), ..*self }
    }

    fn in_parts(&self, a: &Pose, b: &Pose) -> Penetration {
        let point_in_a = a.inverse_transform_point(self.witness.a.point);
        let point_in_b = b.inverse_transform_point(self.witness.b.point);
        Penetration { witness: self.witness.with_points(point_in_a, point_in_b), ..*self }
    }

    fn ground_claim(&self) -> GroundClaim {
        GroundClaim {
            lower: -self.depth.upper,
            upper: -self.depth.lower,
            margin: 0.0,
            normal: self.normal,
            parts: vec![(self.witness.a.part, self.witness.b.part)],
            alone: false,
        }
    }

    fn check_meshes(&self, bodies: &Bodies<'_>, hints: &mut dyn Hints) -> Result<(), Refusal> {
        solid_depth::check_penetration(self, bodies, hints)
    }

    fn check(&self, truth: &Truth) -> Result<(), Refusal> {
        check_numbers(&[
            ("depth", self.depth.value),
            ("lower", self.depth.lower),
            ("upper", self.depth.upper),
            ("placement", self.placement),
            ("point_in_a", self.witness.a.point.element_sum()),
            ("point_in_b", self.witness.b.point.element_sum()),
            ("normal", self.normal.element_sum()),
        ])?;
        if self.depth.lower < 0.0 {
            return Err(Refusal::NoNumber { field: "lower" });
        }
        if !(self.depth.lower <= self.depth.value && self.depth.value <= self.depth.upper) {
            return Err(Refusal::Disordered);
        }
        truth.check_lower(-self.depth.upper, self.normal).map_err(|refusal| match refusal {
            Refusal::Lower { claimed, proved } => Refusal::Upper { claimed: -claimed, proved: -proved },
            other => other,
        })?;
        if self.depth.lower > 0.0 {
            truth.check_depth(self.depth.lower, self.witness.a.point, self.witness.b.point, self.normal)?;
        }
        self.check_method(truth)?;
        truth.check_placement(self.placement)?;
        truth.check_witness(&truth.a, "A", self.witness.a.point, true)?;
        truth.check_witness(&truth.b, "B", self.witness.b.point, true)?;
        // The points lie on the planes across the normal, aligned along it.
        let normal = DoubleDoubleVec3::from(self.normal);
        let between = truth.b.world(self.witness.b.point) - truth.a.world(self.witness.a.point);
        let gap = truth.gap_along(self.normal) - truth.radii();
        let zero = DoubleDouble::from(0.0);
        let off = if matches!(self.method, Method::Gjk | Method::GjkStopped(_)) || gap + truth.radii() > zero {
            // Between separated cores a sideways shift costs only its square, as in a distance.
            let of_cores = (between + normal.scale(truth.radii())).length();
            (of_cores - (gap + truth.radii()).abs()).abs().to_f64()
        } else {
            (between - normal.scale(gap)).length().to_f64()
        };
        // The separating translation of compounds need not be that of any two parts.
        if truth.whole.is_none() && off > truth.point_tolerance() + (self.depth.upper - self.depth.lower) {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        // If the expansion was stopped early, a chord may be nearer than the surface reached so far.
        let stopped = self.method.stopped().is_some();
        truth.check_feature(&truth.a, "A", self.witness.a.feature, self.witness.a.point, stopped)?;
        truth.check_feature(&truth.b, "B", self.witness.b.feature, self.witness.b.point, stopped)
    }
}

impl Penetration {
    /// The width of the bracket and the depth of the cores fit the named method.
    fn check_method(&self, truth: &Truth) -> Result<(), Refusal> {
        let width = self.depth.upper - self.depth.lower;
        let allowed = |accuracy: f64| (accuracy + truth.defect) * truth.scale + truth.quantum + 8.0 * truth.rounding;
        let near = allowed(ACCURACY);
        let accuracy = match self.method {
            Method::Gjk | Method::GjkStopped(_) => ACCURACY,
            Method::Epa | Method::EpaStopped(_) | Method::Newton | Method::NewtonStopped(_) => DEPTH_ACCURACY,
            Method::ClosedForm | Method::Parts | Method::PartsStopped(_) => DEPTH_ACCURACY,
            Method::Mesh | Method::MeshStopped(_) => DEPTH_ACCURACY,
            Method::Columns | Method::Solids => return Err(Refusal::Method),
        };
        let allowed = allowed(accuracy);
        match self.method.stopped() {
            // A depth has no lower end of a gap.
            Some(reason) => reason.check(f64::NEG_INFINITY, width, allowed, truth.may_be_capped())?,
            None if width > allowed => return Err(Refusal::TooWide { width, allowed }),
            None => {}
        }
        // GJK handles cores that do not overlap, the expanding polytope cores that do.
        let radii = truth.radii().to_f64();
        let by_gjk = matches!(self.method, Method::Gjk | Method::GjkStopped(_));
        let by_polytope = matches!(self.method, Method::Epa | Method::EpaStopped(_));
        let wrong_cores =
            if by_gjk { self.depth.lower > radii + near } else { by_polytope && self.depth.upper < radii - near };
        if wrong_cores { Err(Refusal::Method) } else { Ok(()) }
    }
}
