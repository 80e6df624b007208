//! Verifies contacts: of convex bodies and compounds here, of meshes in `contacts_of_meshes.rs`.

use crate::answer::contacts::{Contact, Contacts};
use crate::answer::method::Method;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, DEPTH_ACCURACY};
use crate::verify::answer::Check;
use crate::verify::bodies::Bodies;
use crate::verify::body::Part;
use crate::verify::height_field_pair::GroundClaim;
use crate::verify::hint::Hints;
use crate::verify::refusal::{Refusal, check_numbers, check_untold};
use crate::verify::truth::Truth;

/// The values of a point are finite and its bracket is ordered.
pub(crate) fn check_point_in_order(point: &Contact) -> Result<(), Refusal> {
    check_numbers(&[
        ("gap", point.gap.value),
        ("lower", point.gap.lower),
        ("upper", point.gap.upper),
        ("point_in_a", point.witness.a.point.element_sum()),
        ("point_in_b", point.witness.b.point.element_sum()),
        ("normal", point.normal.element_sum()),
    ])?;
    if point.gap.lower <= point.gap.value && point.gap.value <= point.gap.upper {
        Ok(())
    } else {
        Err(Refusal::Disordered)
    }
}

/// All values are finite, the margin is valid and the bracket is ordered.
pub(crate) fn check_in_order(answer: &Contacts) -> Result<(), Refusal> {
    check_numbers(&[
        ("gap", answer.gap.value),
        ("lower", answer.gap.lower),
        ("upper", answer.gap.upper),
        ("margin", answer.margin),
        ("tilt", answer.tilt),
        ("placement", answer.placement),
        ("point_in_a", answer.witness.a.point.element_sum()),
        ("point_in_b", answer.witness.b.point.element_sum()),
        ("normal", answer.normal.element_sum()),
    ])?;
    if answer.margin < 0.0 {
        return Err(Refusal::NoNumber { field: "margin" });
    }
    check_untold(&answer.witness)?;
    if !(answer.gap.lower <= answer.gap.value && answer.gap.value <= answer.gap.upper) {
        return Err(Refusal::Disordered);
    }
    Ok(())
}

impl Check for Contacts {
    fn enlarged(&self, factor: f64) -> Contacts {
        let mut large = self.clone();
        large.scale_by(factor);
        large
    }

    fn parts(&self) -> ((u32, u32), Option<bool>) {
        (
            (self.witness.a.part, self.witness.b.part),
            Some(matches!(self.method, Method::Parts | Method::PartsStopped(_))),
        )
    }

    fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> Contacts {
        let mut other = self.clone();
        (other.witness.a.part, other.witness.b.part) = named((self.witness.a.part, self.witness.b.part));
        for point in &mut other.points {
            (point.witness.a.part, point.witness.b.part) = named((point.witness.a.part, point.witness.b.part));
        }
        other
    }

    fn ground_claim(&self) -> GroundClaim {
        let points = self.points.iter().map(|point| (point.witness.a.part, point.witness.b.part));
        GroundClaim {
            lower: self.gap.lower,
            upper: self.gap.upper,
            margin: self.margin,
            normal: self.normal,
            parts: points.chain([(self.witness.a.part, self.witness.b.part)]).collect(),
            alone: false,
        }
    }

    /// Only the witness of the gap is mapped: each point names its own parts.
    fn in_parts(&self, a: &Pose, b: &Pose) -> Contacts {
        let mut other = self.clone();
        other.witness.a.point = a.inverse_transform_point(self.witness.a.point);
        other.witness.b.point = b.inverse_transform_point(self.witness.b.point);
        other
    }

    fn check_meshes(&self, bodies: &Bodies<'_>, _: &mut dyn Hints) -> Result<(), Refusal> {
        bodies.check_contacts(self)
    }

    fn check(&self, truth: &Truth) -> Result<(), Refusal> {
        check_in_order(self)?;
        if !(0.0..=0.7).contains(&self.tilt) {
            return Err(Refusal::NoNumber { field: "tilt" });
        }
        truth.check_lower(self.gap.lower, self.normal)?;
        truth.check_placement(self.placement)?;
        let unbounded = self.gap.lower == -f64::MAX;
        if (self.gap.lower > self.margin || unbounded) != self.points.is_empty() {
            return Err(Refusal::Verdict);
        }
        if !self.crossings.is_empty() {
            return Err(Refusal::Part);
        }
        for point in &self.points {
            self.check_point(point, truth)?;
        }
        if unbounded {
            return Ok(());
        }
        if self.points.is_empty() {
            // Once the gap was seen to exceed the margin, the search stopped early: at points of the bodies, though
            // perhaps inside.
            truth.check_upper_along(self.gap.upper, self.witness.a.point, self.witness.b.point, self.normal)?;
            truth.check_witness(&truth.a, "A", self.witness.a.point, false)?;
            return truth.check_witness(&truth.b, "B", self.witness.b.point, false);
        }
        self.check_method(truth)?;
        self.check_deepest(truth)
    }
}

impl Contacts {
    /// A pair of points: on the surfaces of the parts it names, aligned along the normal, with a true bracket, on the
    /// named features.
    fn check_point(&self, point: &Contact, truth: &Truth) -> Result<(), Refusal> {
        check_point_in_order(point)?;
        let (part_a, part_b) = truth.parts(point.witness.a.part, point.witness.b.part).ok_or(Refusal::Part)?;
        // The bracket of the gap of whole bodies is a little wider than that of its points. The deepest pair is
        // reported wherever the gap may be within the margin: it may lie a little beyond the margin, but not beyond the
        // gap.
        let beyond = if truth.has_parts() { truth.point_tolerance() } else { 0.0 };
        if point.gap.lower > self.margin.max(self.gap.upper) + beyond {
            return Err(Refusal::Verdict);
        }
        if truth.has_parts() {
            self.check_normal(point, (part_a, part_b), truth)?;
        } else if point.normal != self.normal {
            return Err(Refusal::Normal);
        }
        let normal = DoubleDoubleVec3::from(point.normal);
        let between = part_b.world_of_whole(point.witness.b.point) - part_a.world_of_whole(point.witness.a.point);
        let gap = normal.dot(between) / normal.length();
        let rounding = DoubleDouble::from(truth.rounding);
        if DoubleDouble::from(point.gap.lower) > gap + rounding {
            return Err(Refusal::Lower { claimed: point.gap.lower, proved: gap.to_f64() });
        }
        if DoubleDouble::from(point.gap.upper) < gap - rounding {
            return Err(Refusal::Upper { claimed: point.gap.upper, proved: gap.to_f64() });
        }
        let width = point.gap.upper - point.gap.lower;
        let allowed = truth.point_tolerance();
        if width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        // Nearest points of separated bodies may be shifted sideways, which costs only the square of the shift.
        let aside = (between - normal.scale(gap)).length().to_f64();
        let length = between.length().to_f64();
        let off = aside.min(length - gap.to_f64().abs());
        if off > allowed + (self.gap.upper - self.gap.lower) {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        let (point_in_a, point_in_b) =
            (part_a.in_own_frame(point.witness.a.point), part_b.in_own_frame(point.witness.b.point));
        truth.check_witness(part_a, "A", point_in_a, true)?;
        truth.check_witness(part_b, "B", point_in_b, true)?;
        let stopped = self.method.stopped().is_some();
        truth.check_feature(part_a, "A", point.witness.a.feature, point_in_a, stopped)?;
        truth.check_feature(part_b, "B", point.witness.b.feature, point_in_b, stopped)
    }

    /// The normal of a contact of compounds: of unit length, and supporting both parts there; or that of the whole
    /// bodies, which is proved separately, and supporting one part. No part extends farther along it than the point
    /// does, except for the tilt a patch may have: its points are off level by the sine of the tilt times its size,
    /// `√2` of it where two axes of a box are tilted.
    fn check_normal(&self, point: &Contact, (part_a, part_b): (&Part, &Part), truth: &Truth) -> Result<(), Refusal> {
        let normal = DoubleDoubleVec3::from(point.normal);
        if (normal.length().to_f64() - 1.0).abs() > ACCURACY {
            return Err(Refusal::Normal);
        }
        let sine = std::f64::consts::SQRT_2 * self.tilt.sin();
        let depth = (DEPTH_ACCURACY + truth.defect) * truth.scale + truth.point_tolerance();
        let mut level = 0;
        for (part, outward, at) in [(part_a, normal, point.witness.a.point), (part_b, -normal, point.witness.b.point)] {
            if let Some(plane) = part.world_plane() {
                if (plane.normal - outward).length().to_f64() > ACCURACY + truth.defect {
                    return Err(Refusal::Normal);
                }
                level += 1;
                continue;
            }
            let farther =
                part.support_along(outward) + DoubleDouble::from(part.radius) - outward.dot(part.world_of_whole(at));
            let allowed = sine * (part.extent().1 + part.radius) + depth;
            level += u32::from(farther.to_f64() <= allowed);
        }
        let needed = if point.normal == self.normal { 1 } else { 2 };
        if level >= needed { Ok(()) } else { Err(Refusal::Normal) }
    }

    /// The width of the bracket fits the named method.
    fn check_method(&self, truth: &Truth) -> Result<(), Refusal> {
        let width = self.gap.upper - self.gap.lower;
        let accuracy =
            match self.method {
                Method::Gjk | Method::GjkStopped(_) => ACCURACY,
                Method::Epa | Method::EpaStopped(_) | Method::Newton | Method::NewtonStopped(_) => DEPTH_ACCURACY,
                Method::ClosedForm => DEPTH_ACCURACY,
                // For separated whole bodies the promise is that of a distance.
                Method::Parts | Method::PartsStopped(_) | Method::Mesh | Method::MeshStopped(_) => {
                    if self.gap.value > 0.0 { ACCURACY } else { DEPTH_ACCURACY }
                }
                Method::Columns | Method::Solids => return Err(Refusal::Method),
            };
        let allowed = (accuracy + truth.defect) * truth.scale + truth.quantum + 8.0 * truth.rounding;
        match self.method.stopped() {
            Some(reason) => reason.check(self.gap.lower, width, allowed, truth.may_be_capped()),
            None if width > allowed => Err(Refusal::TooWide { width, allowed }),
            None => Ok(()),
        }
    }

    /// The witness proves the upper bound of the gap, and the deepest pair is as deep.
    fn check_deepest(&self, truth: &Truth) -> Result<(), Refusal> {
        let deepest = self.points.iter().min_by(|p, q| p.gap.value.total_cmp(&q.gap.value));
        let Some(deepest) = deepest else { return Ok(()) };
        if self.gap.upper >= 0.0 {
            truth.check_upper_along(self.gap.upper, self.witness.a.point, self.witness.b.point, self.normal)?;
        } else {
            truth.check_depth(-self.gap.upper, self.witness.a.point, self.witness.b.point, self.normal)?;
        }
        truth.check_witness(&truth.a, "A", self.witness.a.point, true)?;
        truth.check_witness(&truth.b, "B", self.witness.b.point, true)?;
        let between = truth.b.world(self.witness.b.point) - truth.a.world(self.witness.a.point);
        let mut off = (between.length().to_f64() - self.gap.value.abs()).abs();
        if truth.has_parts() && self.gap.value > 0.0 {
            // Planes between all parts are found without the normal; it must match the witness.
            let normal = DoubleDoubleVec3::from(self.normal);
            let along = normal.dot(between);
            let aside = (between - normal.scale(along)).length().to_f64();
            off = off.max(aside.min(between.length().to_f64() - along.to_f64()));
        }
        if off > truth.point_tolerance() + (self.gap.upper - self.gap.lower) {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        let doubt = truth.point_tolerance() + (self.gap.upper - self.gap.lower);
        // The separating translation of compounds need not be that of any two parts: there the deepest pair is only
        // known to be at least as deep as required.
        let off = if truth.has_parts() {
            deepest.gap.value - self.gap.upper
        } else {
            (deepest.gap.value - self.gap.value).abs()
        };
        if off > doubt { Err(Refusal::Witness { body: "A and B", off }) } else { Ok(()) }
    }
}
