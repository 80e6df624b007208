//! Proves contacts anew, by other code: see [`verify`](super::verify).

use super::answer::Method;
use super::contacts::{Contact, Contacts};
use super::verify::sealed::Check;
use super::verify::{Refusal, Truth, check_numbers};
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, DEPTH_ACCURACY};

impl Check for Contacts {
    fn enlarged(&self, factor: f64) -> Contacts {
        let mut large = self.clone();
        large.scale_by(factor);
        large
    }

    /// Contacts of bodies made of parts are a gap and its witness: ask `verify` about the distance or penetration.
    fn parts(&self) -> ((u32, u32), Option<bool>) {
        ((0, 0), Some(false))
    }

    fn with_parts(&self, _parts: (u32, u32)) -> Contacts {
        self.clone()
    }

    fn in_parts(&self, _a: &Pose, _b: &Pose) -> Contacts {
        self.clone()
    }

    fn check(&self, truth: &Truth) -> Result<(), Refusal> {
        check_numbers(&[
            ("gap", self.gap),
            ("lower", self.lower),
            ("upper", self.upper),
            ("margin", self.margin),
            ("placement", self.placement),
            ("point_in_a", self.point_in_a.element_sum()),
            ("point_in_b", self.point_in_b.element_sum()),
            ("normal", self.normal.element_sum()),
        ])?;
        if self.margin < 0.0 {
            return Err(Refusal::NoNumber { field: "margin" });
        }
        if !(self.lower <= self.gap && self.gap <= self.upper) {
            return Err(Refusal::Disordered);
        }
        truth.check_lower(self.lower, self.normal)?;
        truth.check_placement(self.placement)?;
        let unbounded = self.lower == -f64::MAX;
        if (self.lower > self.margin || unbounded) != self.points.is_empty() {
            return Err(Refusal::Verdict);
        }
        for point in &self.points {
            self.check_point(point, truth)?;
        }
        if self.points.is_empty() {
            return Ok(());
        }
        self.check_method(truth)?;
        self.check_deepest(truth)
    }
}

impl Contacts {
    /// A pair of points: on the surfaces, right behind each other, with a true bracket, on their features.
    fn check_point(&self, point: &Contact, truth: &Truth) -> Result<(), Refusal> {
        check_numbers(&[
            ("gap", point.gap),
            ("lower", point.lower),
            ("upper", point.upper),
            ("point_in_a", point.point_in_a.element_sum()),
            ("point_in_b", point.point_in_b.element_sum()),
        ])?;
        if !(point.lower <= point.gap && point.gap <= point.upper) {
            return Err(Refusal::Disordered);
        }
        if point.lower > self.margin {
            return Err(Refusal::Verdict);
        }
        let normal = DoubleDoubleVec3::from(self.normal);
        let between = truth.b.world(point.point_in_b) - truth.a.world(point.point_in_a);
        let gap = normal.dot(between) / normal.length();
        let rounding = DoubleDouble::from(truth.rounding);
        if DoubleDouble::from(point.lower) > gap + rounding {
            return Err(Refusal::Lower { claimed: point.lower, proved: gap.to_f64() });
        }
        if DoubleDouble::from(point.upper) < gap - rounding {
            return Err(Refusal::Upper { claimed: point.upper, proved: gap.to_f64() });
        }
        let width = point.upper - point.lower;
        let allowed = truth.point_tolerance();
        if width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        // Nearest points of bodies apart may be a step aside, which costs only its square.
        let aside = (between - normal.scale(gap)).length().to_f64();
        let length = between.length().to_f64();
        let off = aside.min(length - gap.to_f64().abs());
        if off > allowed + (self.upper - self.lower) {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        truth.check_witness(&truth.a, "A", point.point_in_a, true)?;
        truth.check_witness(&truth.b, "B", point.point_in_b, true)?;
        let stopped = matches!(self.method, Method::GjkStopped | Method::EpaStopped | Method::NewtonStopped);
        truth.check_feature(&truth.a, "A", point.feature_a, point.point_in_a, stopped)?;
        truth.check_feature(&truth.b, "B", point.feature_b, point.point_in_b, stopped)
    }

    /// The width of the bracket fits the method named.
    fn check_method(&self, truth: &Truth) -> Result<(), Refusal> {
        let width = self.upper - self.lower;
        let (accuracy, complete) = match self.method {
            Method::Gjk => (ACCURACY, true),
            Method::GjkStopped => (ACCURACY, false),
            Method::Epa | Method::Newton | Method::ClosedForm => (DEPTH_ACCURACY, true),
            Method::EpaStopped | Method::NewtonStopped => (DEPTH_ACCURACY, false),
            Method::Parts | Method::PartsStopped => return Err(Refusal::Method),
        };
        let allowed = (accuracy + truth.defect) * truth.scale + truth.quantum + 8.0 * truth.rounding;
        if complete && width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        if !complete && width < allowed / 16.0 { Err(Refusal::Method) } else { Ok(()) }
    }

    /// The witness proves the upper bound of the gap, and the deepest pair is as deep.
    fn check_deepest(&self, truth: &Truth) -> Result<(), Refusal> {
        let deepest = self.points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap));
        let Some(deepest) = deepest else { return Ok(()) };
        if self.upper >= 0.0 {
            truth.check_upper(self.upper, self.point_in_a, self.point_in_b)?;
        } else {
            truth.check_depth(-self.upper, self.point_in_a, self.point_in_b, self.normal)?;
        }
        truth.check_witness(&truth.a, "A", self.point_in_a, true)?;
        truth.check_witness(&truth.b, "B", self.point_in_b, true)?;
        let between = truth.b.world(self.point_in_b) - truth.a.world(self.point_in_a);
        let off = (between.length().to_f64() - self.gap.abs()).abs();
        if off > truth.point_tolerance() + (self.upper - self.lower) {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        let doubt = truth.point_tolerance() + (self.upper - self.lower);
        let off = (deepest.gap - self.gap).abs();
        if off > doubt { Err(Refusal::Witness { body: "A and B", off }) } else { Ok(()) }
    }
}
