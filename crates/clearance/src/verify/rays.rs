//! Verifies answers about rays and points, with independent code.
//!
//! Only `math`, `geom::closest` and the public description of a body are used; nothing of the kernels that found the
//! answer, of their frames, or of their brackets. The basis of each claim:
//! - **sides**: whether a world point is inside, on the boundary or outside is decided in integers, from the vertices
//!   and equations of the body: `det R · R⁻¹ (p - t)` is a polynomial. A crossing is proved by the sides at the two
//!   ends of its bracket;
//! - **planes**: no point of a convex body lies beyond the plane across the answer's normal. This proves lower bounds
//!   of signed distances, and the normal itself;
//! - **witness points**: that they are in the body and how far away they are, in double-double.
//!
//! Rounded bodies are checked by their cores, and custom ones by their support points, both to [`VERIFY_LOOSE`] of the
//! size.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::point::{ClosestPoint, SignedDistance};
use crate::answer::ray::{Ray, RayHit, RayOptions};
use crate::geom::closest::{closest_on_segment, closest_on_triangle};
use crate::geom::ray_frame::{unit, unit_scale};
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::{ACCURACY, ROUND_UP, VERIFY_LOOSE};
use crate::shape::Feature;
use crate::shape::Shape;
use crate::verify::curved::Round;
use crate::verify::height_field::PosedField;
use crate::verify::mesh_rays::Triangles;
use crate::verify::refusal::{Refusal, check_numbers};

/// Verifies that a ray crosses the boundary of a body where an answer says. That it is the first crossing is checked
/// for meshes only, and not if any hit was requested ([`RayHitMode::Any`](crate::query::RayHitMode), as for the later
/// hits of [`ray_cast_all`](crate::query::ray_cast_all)).
pub(crate) fn verify_ray(
    hit: &RayHit,
    shape: &Shape,
    pose: &Pose,
    ray: &Ray,
    options: &RayOptions,
) -> Result<(), Refusal> {
    check_numbers(&[
        ("t", hit.t.value),
        ("point_in_body", hit.witness.point.element_sum()),
        ("normal", hit.normal.element_sum()),
    ])?;
    if !(hit.t.lower <= hit.t.value && hit.t.value <= hit.t.upper) {
        return Err(Refusal::Disordered);
    }
    // A crossing that counts only because of rounding may miss the range by its bracket.
    if hit.t.upper < options.from || hit.t.lower > options.to {
        return Err(Refusal::Verdict);
    }
    check_unit(hit.normal)?;
    if let Shape::HeightField(field) = shape {
        return PosedField { field, pose }.check_ray(hit, ray);
    }
    if let Shape::Mesh(mesh) = shape {
        return Triangles::of(mesh, pose).check_ray(hit, ray, options);
    }
    let part = Part::of(shape, pose, hit.witness.part).ok_or(Refusal::Feature { body: "A" })?;
    let direction = unit(ray.direction);
    let speed = speed_of(ray);
    let scale = part.scale(ray.origin);
    // The first crossing of a union may belong to another part: for this part it is only proved that it is crossed at
    // `t`. A body without exact sides is crossed somewhere in its bracket.
    let union = matches!(shape, Shape::Compound(_)) && part.has_sides();
    let about = if union { ACCURACY * scale / speed } else { f64::INFINITY };
    let (lower, upper) = (hit.t.lower.max(hit.t.value - about), hit.t.upper.min(hit.t.value + about));
    let width = (upper - lower) * speed;
    let at = |t: f64| -> Vector<Dyadic> {
        let step = ring::scale(&ray.step().scaled(1.0), &Dyadic::of(t));
        ring::add(&ring::vector(ray.origin), &step)
    };
    // The witness lies on the ray.
    let off = part.distance_to(hit.witness.point, &place_on(ray, hit.t.value));
    if off > width + ACCURACY * scale {
        return Err(Refusal::Witness { body: "A", off });
    }
    let loose = (VERIFY_LOOSE + 2.0 * part.defect) * scale;
    // Feature and normal belong to one place in the bracket, the witness to another.
    let spread = if part.has_sides() { 0.0 } else { 2.0 * width };
    part.check_feature(hit.witness.feature, hit.witness.point, hit.normal, loose + spread)?;
    let along = hit.normal.dot(direction);
    // Within a wide bracket the normal turns.
    let turned = VERIFY_LOOSE + width / scale;
    if !part.is_thin() && (if hit.entering { along > turned } else { along < -turned }) {
        return Err(Refusal::Normal);
    }
    part.check_plane(hit.normal, hit.witness.point, loose)?;
    if !part.has_sides() {
        // The witness is on the boundary: on its feature, and on a plane with the body behind it. Below the smallest
        // normal number nothing is promised: a body without size has no scale.
        let allowed = if part.is_thin() { ACCURACY * scale } else { loose } + f64::MIN_POSITIVE;
        let bent = along.abs().max(VERIFY_LOOSE);
        return if width <= allowed / bent { Ok(()) } else { Err(Refusal::TooWide { width, allowed: allowed / bent }) };
    }
    // As for a body without exact sides; the bracket of a union is that of the crossing it names.
    let allowed = (ACCURACY + 2.0 * part.defect) * scale / along.abs().max(VERIFY_LOOSE) + f64::MIN_POSITIVE;
    let whole_width = (hit.t.upper - hit.t.lower) * speed;
    if whole_width > allowed {
        return Err(Refusal::TooWide { width: whole_width, allowed });
    }
    let (before, after) = (part.side(&at(lower)), part.side(&at(upper)));
    let (outer, inner) = if hit.entering { (before, after) } else { (after, before) };
    let bounds = |claimed: f64| {
        if hit.entering {
            Refusal::Lower { claimed, proved: claimed }
        } else {
            Refusal::Upper { claimed, proved: claimed }
        }
    };
    if outer == Ordering::Less {
        return Err(bounds(if hit.entering { lower } else { upper }));
    }
    // Touched in passing: both ends of the bracket are outside, and the body is met between them.
    if inner == Ordering::Greater && !(outer == Ordering::Greater && width <= ACCURACY * scale) {
        return Err(bounds(if hit.entering { upper } else { lower }));
    }
    Ok(())
}

mod sealed {
    use super::{Part, PosedField, Refusal, Triangles};
    use glam::DVec3;

    pub trait Check {
        fn part(&self) -> u32;
        fn check(&self, part: &Part<'_>, point: DVec3, held: bool, union: &[Part<'_>]) -> Result<(), Refusal>;
        fn check_ground(&self, ground: &PosedField<'_>, point: DVec3) -> Result<(), Refusal>;
        fn check_mesh(&self, mesh: &Triangles<'_>, point: DVec3) -> Result<(), Refusal>;
    }
}

/// An answer about a point: [`ClosestPoint`] or [`SignedDistance`].
pub(crate) trait PointAnswer: sealed::Check {}

impl PointAnswer for ClosestPoint {}

impl PointAnswer for SignedDistance {}

/// Verifies an answer about a point. For a compound only the part that the answer names is examined.
pub(crate) fn verify_point<T: PointAnswer>(
    answer: &T,
    shape: &Shape,
    pose: &Pose,
    point: DVec3,
) -> Result<(), Refusal> {
    if let Shape::HeightField(field) = shape {
        return answer.check_ground(&PosedField { field, pose }, point);
    }
    if let Shape::Mesh(mesh) = shape {
        return answer.check_mesh(&Triangles::of(mesh, pose), point);
    }
    let mut part = Part::of(shape, pose, answer.part()).ok_or(Refusal::Feature { body: "A" })?;
    let mut union = Vec::new();
    if let Shape::Compound(compound) = shape {
        // The bracket is that of all parts.
        part.defect += compound.parts().iter().map(|(own, _)| own.defect()).fold(0.0, f64::max);
        union.extend((0..compound.parts().len() as u32).filter_map(|index| Part::of(shape, pose, index)));
    }
    let held = part.holds(point) || union.iter().any(|part| part.holds(point));
    answer.check(&part, point, held, &union)
}

fn check_bracket(lower: f64, value: f64, upper: f64, point_in_body: DVec3) -> Result<(), Refusal> {
    check_numbers(&[
        ("value", value),
        ("lower", lower),
        ("upper", upper),
        ("point_in_body", point_in_body.element_sum()),
    ])?;
    if lower <= value && value <= upper { Ok(()) } else { Err(Refusal::Disordered) }
}

fn check_unit(normal: DVec3) -> Result<(), Refusal> {
    if (normal.length() - 1.0).abs() <= 1e-12 { Ok(()) } else { Err(Refusal::Normal) }
}

impl sealed::Check for ClosestPoint {
    fn part(&self) -> u32 {
        self.witness.part
    }

    fn check_ground(&self, ground: &PosedField<'_>, point: DVec3) -> Result<(), Refusal> {
        check_bracket(self.distance.lower, self.distance.value, self.distance.upper, self.witness.point)?;
        ground.check_closest(self, point)
    }

    fn check_mesh(&self, mesh: &Triangles<'_>, point: DVec3) -> Result<(), Refusal> {
        check_bracket(self.distance.lower, self.distance.value, self.distance.upper, self.witness.point)?;
        mesh.check_closest(self, point)
    }

    fn check(&self, part: &Part<'_>, point: DVec3, held: bool, _union: &[Part<'_>]) -> Result<(), Refusal> {
        check_bracket(self.distance.lower, self.distance.value, self.distance.upper, self.witness.point)?;
        let scale = part.scale(point);
        let off = part.distance_to(self.witness.point, &ring::vector(point));
        if held && part.has_sides() || self.distance.upper == 0.0 {
            if self.distance.upper != 0.0 || self.distance.lower != 0.0 {
                return Err(Refusal::Lower { claimed: self.distance.upper, proved: 0.0 });
            }
            if self.witness.feature != Feature::Interior {
                return Err(Refusal::Feature { body: "A" });
            }
            if part.has_sides() && !held {
                return Err(Refusal::Upper { claimed: 0.0, proved: off });
            }
            // For a union, the named part must contain the point, wherever that is decidable.
            if part.has_sides() && !part.holds(point) {
                return Err(Refusal::Part);
            }
            return if off <= ACCURACY * scale { Ok(()) } else { Err(Refusal::Witness { body: "A", off }) };
        }
        // The plane across the direction from the witness to the point.
        let tolerance = part.tolerance(scale);
        if (off - self.distance.value).abs() > tolerance + (self.distance.upper - self.distance.lower) {
            return Err(Refusal::Witness { body: "A", off });
        }
        let normal = part.towards(self.witness.point, point).unwrap_or(DVec3::X);
        // The feature of a rounded body's core lies behind the witness, in a direction that must be known.
        let loose = if off > VERIFY_LOOSE * scale || !matches!(part.shape, Shape::Rounded(_)) {
            (VERIFY_LOOSE + 2.0 * part.defect) * scale + part.fuzz(self.distance.upper - self.distance.lower)
        } else {
            f64::INFINITY
        };
        part.check_feature(self.witness.feature, self.witness.point, normal, loose)?;
        let (width, allowed) =
            (self.distance.upper - self.distance.lower, tolerance + (ACCURACY + 2.0 * part.defect) * scale);
        if !part.is_custom() && width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        let proved = part.beyond(normal, point);
        // Close by, the offset to the point is too short to give a direction. Rounding the witness tilts the plane by
        // that over the distance.
        let proved = if off > VERIFY_LOOSE * scale { proved } else { self.distance.lower };
        let tilted = part.rounding(scale) / off.max(VERIFY_LOOSE * scale) * scale;
        if self.distance.lower > proved + tolerance + tilted + part.fuzz(self.distance.upper - self.distance.lower) {
            return Err(Refusal::Lower { claimed: self.distance.lower, proved });
        }
        if off > self.distance.upper + tolerance {
            return Err(Refusal::Upper { claimed: self.distance.upper, proved: off });
        }
        Ok(())
    }
}

impl sealed::Check for SignedDistance {
    fn part(&self) -> u32 {
        self.witness.part
    }

    fn check_ground(&self, ground: &PosedField<'_>, point: DVec3) -> Result<(), Refusal> {
        check_bracket(self.distance.lower, self.distance.value, self.distance.upper, self.witness.point)?;
        check_unit(self.normal)?;
        ground.check_signed(self, point)
    }

    fn check_mesh(&self, mesh: &Triangles<'_>, point: DVec3) -> Result<(), Refusal> {
        check_bracket(self.distance.lower, self.distance.value, self.distance.upper, self.witness.point)?;
        check_unit(self.normal)?;
        mesh.check_signed(self, point)
    }

    fn check(&self, part: &Part<'_>, point: DVec3, held: bool, union: &[Part<'_>]) -> Result<(), Refusal> {
        check_bracket(self.distance.lower, self.distance.value, self.distance.upper, self.witness.point)?;
        check_unit(self.normal)?;
        let scale = part.scale(point);
        let tolerance = part.tolerance(scale);
        // A part without exact sides may contain the point, and so may the union; the depth is checked below.
        let known = if union.is_empty() { part.has_sides() } else { union.iter().all(Part::has_sides) };
        if held && self.distance.lower > 0.0 || known && !held && self.distance.upper <= 0.0 {
            return Err(Refusal::Verdict);
        }
        let off = part.distance_to(self.witness.point, &ring::vector(point));
        let width = self.distance.upper - self.distance.lower;
        if (off - self.distance.value.abs()).abs() > tolerance + if part.has_sides() { ACCURACY * scale } else { width }
        {
            return Err(Refusal::Witness { body: "A", off });
        }
        let loose = (VERIFY_LOOSE + 2.0 * part.defect) * scale + part.fuzz(width);
        part.check_feature(self.witness.feature, self.witness.point, self.normal, loose)?;
        if !union.is_empty() && (held || self.distance.value < 0.0) {
            // Inside a union neither bound rests on one part alone. The union is as deep as its deepest part, and no
            // plane of that part may contradict its depth.
            let least = |part: &Part<'_>| if part.is_thin() { 0.0 } else { part.shallowest(point) };
            let proved = union.iter().map(least).fold(f64::INFINITY, f64::min);
            let refused = proved > self.distance.upper + tolerance;
            return if refused { Err(Refusal::Upper { claimed: self.distance.upper, proved }) } else { Ok(()) };
        }
        let allowed = tolerance + (ACCURACY + 2.0 * part.defect) * scale;
        if !part.is_custom() && width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        let proved = part.beyond(self.normal, point);
        // The side of a body without exact sides is taken from the answer; the planes below hold either way.
        let inside = if part.has_sides() { held } else { self.distance.value < 0.0 };
        let exact = off > VERIFY_LOOSE * scale || inside;
        if !part.is_thin() && exact && self.distance.lower > proved + tolerance {
            return Err(Refusal::Lower { claimed: self.distance.lower, proved });
        }
        if !part.is_thin()
            && exact
            && (proved - self.distance.value).abs() > VERIFY_LOOSE * scale + tolerance + part.fuzz(width)
        {
            return Err(Refusal::Normal);
        }
        // Inside, every bounding plane of the body bounds the depth; outside, the witness bounds the distance.
        if inside && !part.is_thin() {
            let least = part.shallowest(point);
            if least > self.distance.upper + tolerance {
                return Err(Refusal::Upper { claimed: self.distance.upper, proved: least });
            }
        } else if off > self.distance.upper + tolerance {
            return Err(Refusal::Upper { claimed: self.distance.upper, proved: off });
        }
        Ok(())
    }
}

/// A convex body with its poses.
pub struct Part<'a> {
    pub(super) shape: &'a Shape,
    pub(super) outer: Option<&'a Pose>,
    pub(super) inner: &'a Pose,
    /// The relative difference of lengths in its frame and in the world.
    pub(super) defect: f64,
}

impl<'a> Part<'a> {
    pub(super) fn of(shape: &'a Shape, pose: &'a Pose, index: u32) -> Option<Part<'a>> {
        match shape {
            Shape::Compound(compound) => {
                let (own, part) = compound.parts().get(index as usize)?;
                Some(Part { shape: part, outer: Some(pose), inner: own, defect: own.defect() + pose.defect() })
            }
            _ => (index == 0).then_some(Part { shape, outer: None, inner: pose, defect: pose.defect() }),
        }
    }

    fn is_custom(&self) -> bool {
        match self.shape {
            Shape::Custom(_) => true,
            Shape::Rounded(rounded) => matches!(rounded.core(), Shape::Custom(_)),
            _ => false,
        }
    }

    /// A body without interior.
    fn is_thin(&self) -> bool {
        is_thin(self.shape)
    }

    /// True when sides are decided exactly.
    fn has_sides(&self) -> bool {
        !self.is_thin() && !matches!(self.shape, Shape::Rounded(_) | Shape::Custom(_))
    }

    /// How far planes and witness points may be off.
    fn tolerance(&self, scale: f64) -> f64 {
        let slack = match self.shape {
            Shape::Custom(custom) => 4.0 * custom.slack(),
            _ => 0.0,
        };
        // Below the smallest normal number nothing is promised.
        (ACCURACY + 2.0 * self.defect) * scale + slack + f64::MIN_POSITIVE
    }

    /// What an unfinished search leaves undecided: custom bodies only.
    fn fuzz(&self, width: f64) -> f64 {
        if self.is_custom() { 2.0 * width + VERIFY_LOOSE.sqrt() * self.shape.diameter() } else { 0.0 }
    }

    fn world(&self, x: DVec3) -> Vector<Enclosed> {
        let x = match self.outer {
            // Witness points of a part are in the compound's frame.
            Some(_) => ring::vector(x),
            None => apply(self.inner, &ring::vector(x)),
        };
        self.outer.map_or(x, |outer| apply(outer, &x))
    }

    /// A witness point in the part's local frame, rounded.
    fn own(&self, x: DVec3) -> DVec3 {
        if self.outer.is_some() { self.inner.inverse_transform_point(x) } else { x }
    }

    /// Distance from the witness to a world point.
    fn distance_to(&self, witness: DVec3, point: &Vector<Enclosed>) -> f64 {
        let off = ring::subtract(&self.world(witness), point);
        ring::dot(&off, &off).sqrt().to_f64()
    }

    fn towards(&self, witness: DVec3, point: DVec3) -> Option<DVec3> {
        let off = ring::subtract(&ring::vector(point), &self.world(witness));
        DVec3::from_array(off.map(Enclosed::to_f64)).try_normalize()
    }

    /// The body's size plus its distance from a point.
    fn scale(&self, point: DVec3) -> f64 {
        let bounds = self.shape.bounds();
        if let Shape::HalfSpace(plane) = self.shape {
            let offset = plane.offset() / plane.normal().length();
            return ((point - self.inner.translation()).length() + offset.abs()) * ROUND_UP;
        }
        // Near the origins of its frames a body without size is as far from the point as these differences say.
        let away = match self.outer {
            None => self.inner.rotation() * bounds.center() - (point - self.inner.translation()),
            Some(outer) => {
                outer.rotation() * self.inner.transform_point(bounds.center()) - (point - outer.translation())
            }
        };
        // Far from the origin of its frame a witness is rounded; the tolerance includes that.
        let far = self.middle_for_witness().length();
        (self.shape.diameter() + away.length() + 1e-3 * far) * ROUND_UP
    }

    /// The centre of the body in the frame of its witness points; a half-space has none.
    fn middle_for_witness(&self) -> DVec3 {
        let middle = self.shape.bounds().center();
        if !middle.is_finite() {
            return DVec3::ZERO;
        }
        if self.outer.is_some() { self.inner.transform_point(middle) } else { middle }
    }

    /// How far rounding may move a witness.
    fn rounding(&self, scale: f64) -> f64 {
        1e-15 * (scale + self.middle_for_witness().length())
    }

    /// Inside (less), on the boundary or outside (greater), exactly. For bodies with exact sides.
    fn side(&self, p: &Vector<Dyadic>) -> Ordering {
        let translation = |pose: &Pose| ring::vector::<Dyadic>(pose.translation());
        // Radii are lengths in the world.
        let (radius, half) = match self.shape {
            Shape::Sphere(sphere) => (sphere.radius(), 0.0),
            Shape::Capsule(capsule) => (capsule.radius(), capsule.half_length()),
            _ => {
                let mut weight = Dyadic::of(1.0);
                let mut v = p.clone();
                for pose in [self.outer, Some(self.inner)].into_iter().flatten() {
                    let moved = ring::subtract(&v, &ring::scale(&translation(pose), &weight));
                    let (turned, determinant) = adjugate(pose, &moved);
                    (v, weight) = (turned, weight.times(&determinant));
                }
                return side_in_body(self.shape, &v, &weight);
            }
        };
        let turn = |v: Vector<Dyadic>| self.outer.map_or(v.clone(), |outer| rotate(outer, &v));
        let center = turn(translation(self.inner));
        let center = self.outer.map_or(center.clone(), |outer| ring::add(&center, &translation(outer)));
        let v = ring::subtract(p, &center);
        let axis = turn(ring::scale(&ring::vector(self.inner.rotation().z_axis), &Dyadic::of(half)));
        let (squared, along) = (ring::dot(&axis, &axis), ring::dot(&v, &axis));
        let r = Dyadic::of(radius);
        let excess = |off: &Vector<Dyadic>| sign(&ring::dot(off, off).minus(&r.times(&r)));
        if half == 0.0 {
            return excess(&v);
        }
        if sign(&along.minus(&squared)).is_ge() {
            return excess(&ring::subtract(&v, &axis));
        }
        if sign(&along.plus(&squared)).is_le() {
            return excess(&ring::add(&v, &axis));
        }
        sign(&ring::dot(&v, &v).minus(&r.times(&r)).times(&squared).minus(&along.times(&along)))
    }

    fn holds(&self, point: DVec3) -> bool {
        self.has_sides() && self.side(&ring::vector(point)).is_le()
    }

    /// How far a point lies beyond the plane that bounds the body along a unit world normal: a lower bound of its
    /// signed distance, rounded.
    fn beyond(&self, normal: DVec3, point: DVec3) -> f64 {
        self.known_beyond(normal, &ring::vector(point))
    }

    /// Like [`Part::beyond`] for a point that need not be representable in floats.
    pub(super) fn known_beyond(&self, normal: DVec3, point: &Vector<Enclosed>) -> f64 {
        let origin = match self.outer {
            Some(outer) => apply(outer, &ring::vector(self.inner.translation())),
            None => ring::vector(self.inner.translation()),
        };
        let from_origin = ring::subtract(point, &origin);
        let height = ring::dot(&ring::vector(normal), &from_origin);
        let own = self.outer.map_or(normal, |outer| outer.rotation().transpose() * normal);
        let (far, radius) = farthest(self.shape, self.inner.rotation().transpose() * own);
        // The body is unbounded in this direction.
        if far == f64::INFINITY {
            return f64::NEG_INFINITY;
        }
        (height - Enclosed::of(far)).to_f64() - radius
    }

    /// No point of the body lies beyond the plane through the witness.
    fn check_plane(&self, normal: DVec3, witness: DVec3, tolerance: f64) -> Result<(), Refusal> {
        if is_thin(self.shape) {
            return Ok(());
        }
        let beyond = self.known_beyond(normal, &self.world(witness));
        if beyond < -(tolerance + self.fuzz(0.0)) { Err(Refusal::Normal) } else { Ok(()) }
    }

    /// The largest of the planes' heights at a point inside: minus the depth, or less.
    fn shallowest(&self, point: DVec3) -> f64 {
        let world = |n: DVec3| {
            let n = self.inner.inverse_rotation().transpose() * n;
            self.outer.map_or(n, |outer| outer.inverse_rotation().transpose() * n).normalize_or(DVec3::X)
        };
        face_normals(self.shape).iter().map(|&n| self.beyond(world(n), point)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The feature exists and contains the witness.
    fn check_feature(&self, feature: Feature, witness: DVec3, normal: DVec3, tolerance: f64) -> Result<(), Refusal> {
        let x = self.own(witness);
        let (shape, x) = match self.shape {
            Shape::Rounded(rounded) => {
                let own = self.outer.map_or(normal, |outer| outer.inverse_rotation() * normal);
                (rounded.core(), x - self.inner.inverse_rotation() * own * rounded.radius())
            }
            shape => (shape, x),
        };
        match off_feature(shape, feature, x) {
            Some(off) if off <= tolerance => Ok(()),
            _ => Err(Refusal::Feature { body: "A" }),
        }
    }
}

/// The length of a ray's direction, also where its square is out of range.
pub(crate) fn speed_of(ray: &Ray) -> f64 {
    let power = unit_scale(ray.direction.abs().max_element());
    (ray.direction * power).length() / power
}

/// The point of a ray at `t`. Both factors of the step are scaled to about the size of the scene: a short direction
/// goes with a `t` whose digits exceed the range of products.
pub(crate) fn place_on(ray: &Ray, t: f64) -> Vector<Enclosed> {
    let power = unit_scale(ray.direction.abs().max_element());
    let step = ring::scale(&ray.step().scaled(power), &Enclosed::scaled(t, 1.0 / power));
    ring::add(&ring::vector(ray.origin), &step)
}

pub(super) fn is_thin(shape: &Shape) -> bool {
    match shape {
        Shape::Segment(_) | Shape::Triangle(_) => true,
        Shape::Hull(hull) => hull.dimension() < 3,
        Shape::Tetrahedron(tetrahedron) => {
            let [a, b, c, d] = tetrahedron.points();
            crate::math::predicates::orient3d(a, b, c, d).is_zero()
        }
        _ => false,
    }
}

fn sign(x: &Dyadic) -> Ordering {
    x.sign().unwrap_or(Ordering::Equal)
}

pub(super) fn rotate<N: Ring>(pose: &Pose, v: &Vector<N>) -> Vector<N> {
    let r = pose.rotation();
    std::array::from_fn(|k| ring::dot(&ring::vector(r.row(k)), v))
}

pub(crate) fn apply(pose: &Pose, v: &Vector<Enclosed>) -> Vector<Enclosed> {
    ring::add(&rotate(pose, v), &ring::vector(pose.translation()))
}

/// `adj(R) v` and `det R`.
pub(crate) fn adjugate(pose: &Pose, v: &Vector<Dyadic>) -> (Vector<Dyadic>, Dyadic) {
    let columns = [pose.rotation().x_axis, pose.rotation().y_axis, pose.rotation().z_axis].map(ring::vector::<Dyadic>);
    let rows: [Vector<Dyadic>; 3] = std::array::from_fn(|k| ring::cross(&columns[(k + 1) % 3], &columns[(k + 2) % 3]));
    let determinant = ring::dot(&rows[0], &columns[0]);
    (rows.each_ref().map(|row| ring::dot(row, v)), determinant)
}

/// On which side of a body a point of its frame, in homogeneous coordinates, lies.
fn side_in_body(shape: &Shape, v: &Vector<Dyadic>, w: &Dyadic) -> Ordering {
    let length = |x: f64| Dyadic::of(x).times(w);
    let square = |x: &Dyadic| x.times(x);
    let less = |x: &Dyadic, y: &Dyadic| sign(&x.minus(y));
    let height = |h: f64| less(&square(&v[2]), &square(&length(h)));
    let across = || square(&v[0]).plus(&square(&v[1]));
    match shape {
        Shape::Cuboid(cuboid) => {
            let h = cuboid.half_extents();
            let axis = |k: usize| less(&square(&v[k]), &square(&length(h[k])));
            axis(0).max(axis(1)).max(axis(2))
        }
        Shape::Cylinder(c) => height(c.half_length()).max(less(&across(), &square(&length(c.radius())))),
        Shape::Cone(c) => {
            let below = length(c.half_length()).minus(&v[2]);
            let side = less(
                &across().times(&square(&Dyadic::of(2.0 * c.half_length()))),
                &square(&below.times(&Dyadic::of(c.radius()))),
            );
            // Above the apex the equation describes the mirror image of the cone.
            height(c.half_length()).max(side)
        }
        Shape::Ellipsoid(e) => {
            let s = e.semi_axes().to_array().map(|a| square(&Dyadic::of(a)));
            let sum = (0..3)
                .fold(Dyadic::of(0.0), |sum, k| sum.plus(&square(&v[k]).times(&s[(k + 1) % 3]).times(&s[(k + 2) % 3])));
            less(&sum, &s[0].times(&s[1]).times(&s[2]).times(&square(w)))
        }
        Shape::HalfSpace(plane) => less(&ring::dot(&ring::vector(plane.normal()), v), &length(plane.offset())),
        _ => planes(shape)
            .iter()
            .map(|[a, b, c]| {
                let to = |p: DVec3| -> Vector<Dyadic> { ring::vector(p) };
                let n = ring::cross(&ring::subtract(&to(*b), &to(*a)), &ring::subtract(&to(*c), &to(*a)));
                sign(&ring::dot(&n, &ring::subtract(v, &ring::scale(&to(*a), w))))
            })
            .max()
            .unwrap_or(Ordering::Greater),
    }
}

/// The faces of a polytope as triangles, counter-clockwise from outside, in the body's frame.
pub(super) fn planes(shape: &Shape) -> Vec<[DVec3; 3]> {
    match shape {
        Shape::Hull(hull) => {
            let vertices: Vec<DVec3> = hull.vertices().collect();
            hull.triangles().iter().map(|t| t.map(|i| vertices[i as usize])).collect()
        }
        Shape::Triangle(triangle) => vec![triangle.points()],
        Shape::Tetrahedron(tetrahedron) => {
            let p = tetrahedron.points();
            let outward = |face: usize| {
                let mut corners = [1, 2, 3].map(|k| p[(face + k) % 4]);
                if crate::math::predicates::orient3d(corners[0], corners[1], corners[2], p[face]).is_positive() {
                    corners.swap(1, 2);
                }
                corners
            };
            (0..4).map(outward).collect()
        }
        _ => Vec::new(),
    }
}

/// Normals, in the body's frame, of planes that bound the depth: the faces of a polytope, a spread of directions
/// otherwise.
fn face_normals(shape: &Shape) -> Vec<DVec3> {
    let axes = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    match shape {
        Shape::Cuboid(_) => axes.to_vec(),
        Shape::Hull(_) | Shape::Tetrahedron(_) => {
            planes(shape).iter().filter_map(|[a, b, c]| (*b - *a).cross(*c - *a).try_normalize()).collect()
        }
        Shape::Rounded(rounded) => face_normals(rounded.core()),
        Shape::HalfSpace(plane) => vec![plane.normal().normalize_or(DVec3::Z)],
        _ => {
            // Evenly over the sphere: any direction is valid, more are tighter.
            let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
            let spiral = (0..400).map(|k| {
                let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 400.0;
                let (s, c) = (golden * f64::from(k)).sin_cos();
                DVec3::new(c, s, 0.0) * (1.0 - z * z).sqrt() + DVec3::new(0.0, 0.0, z)
            });
            axes.into_iter().chain(spiral).collect()
        }
    }
}

/// The support value of a body without its radius along a direction of its frame, and the radius.
fn farthest(shape: &Shape, d: DVec3) -> (f64, f64) {
    let of_points =
        |points: &mut dyn Iterator<Item = DVec3>| points.map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max);
    let across = d.x.hypot(d.y);
    match shape {
        Shape::Sphere(sphere) => (0.0, sphere.radius()),
        Shape::Capsule(c) => (c.half_length() * d.z.abs(), c.radius()),
        Shape::Cuboid(cuboid) => (cuboid.half_extents().dot(d.abs()), 0.0),
        Shape::Cylinder(c) => (c.half_length() * d.z.abs() + c.radius() * across, 0.0),
        Shape::Cone(c) => ((c.half_length() * d.z).max(c.radius() * across - c.half_length() * d.z), 0.0),
        Shape::Ellipsoid(e) => ((e.semi_axes() * d).length(), 0.0),
        Shape::HalfSpace(plane) => {
            let length = plane.normal().length();
            // Unbounded in any other direction.
            let along = plane.normal().dot(d) / length;
            (
                if along > (1.0 - VERIFY_LOOSE) * d.length() { plane.offset() / length * along } else { f64::INFINITY },
                0.0,
            )
        }
        Shape::Hull(hull) => (of_points(&mut hull.vertices()), 0.0),
        Shape::Segment(segment) => (of_points(&mut segment.points().into_iter()), 0.0),
        Shape::Triangle(triangle) => (of_points(&mut triangle.points().into_iter()), 0.0),
        Shape::Tetrahedron(tetrahedron) => (of_points(&mut tetrahedron.points().into_iter()), 0.0),
        Shape::Custom(custom) => (custom.support(d).dot(d) + custom.slack(), 0.0),
        Shape::Rounded(rounded) => {
            let (far, radius) = farthest(rounded.core(), d);
            (far, radius + rounded.radius())
        }
        Shape::Compound(_) | Shape::HeightField(_) | Shape::Mesh(_) => (f64::INFINITY, 0.0),
    }
}

/// Distance of a point of the body's frame from a feature; `None` if there is no such feature.
fn off_feature(shape: &Shape, feature: Feature, x: DVec3) -> Option<f64> {
    let of_points = |points: &[DVec3], edges: &[[usize; 2]], faces: &[Vec<usize>]| match feature {
        Feature::Vertex(k) => points.get(k as usize).map(|p| p.distance(x)),
        Feature::Edge(k) => edges.get(k as usize).map(|&[a, b]| closest_on_segment(x, points[a], points[b]).distance),
        Feature::Face(k) => faces.get(k as usize).map(|face| {
            (1..face.len() - 1)
                .map(|i| closest_on_triangle(x, points[face[0]], points[face[i]], points[face[i + 1]]).distance)
                .fold(f64::INFINITY, f64::min)
        }),
        Feature::Interior => None,
    };
    let whole = |off: f64| (feature == Feature::Face(0)).then_some(off.abs());
    match shape {
        Shape::Sphere(sphere) => whole(x.length() - sphere.radius()),
        Shape::Capsule(c) => {
            let end = DVec3::new(0.0, 0.0, c.half_length());
            whole(closest_on_segment(x, -end, end).distance - c.radius())
        }
        Shape::HalfSpace(plane) => whole((plane.normal().dot(x) - plane.offset()) / plane.normal().length()),
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) | Shape::Custom(_) => {
            Round::of(shape).and_then(|round| round.distance_to(feature, x))
        }
        Shape::Cuboid(cuboid) => {
            let points: Vec<DVec3> = (0..8).map(|k| cuboid.vertex(k)).collect();
            let mut faces = Vec::new();
            let mut edges = Vec::new();
            for axis in 0..3usize {
                let (next, last) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                for side in [0, 1 << axis] {
                    faces.push(vec![side, side | next, side | next | last, side | last]);
                }
                let (low, high) = [(1, 2), (0, 2), (0, 1)][axis];
                edges.extend((0..4usize).map(|j| {
                    let start = (j & 1) << low | (j >> 1) << high;
                    [start, start | 1 << axis]
                }));
            }
            of_points(&points, &edges, &faces)
        }
        Shape::Hull(hull) => {
            let points: Vec<DVec3> = hull.vertices().collect();
            if let Feature::Vertex(number) = feature {
                let own = (0..hull.vertex_count()).find(|&v| hull.input_index(v) == number)?;
                return Some(points[own].distance(x));
            }
            let edges: Vec<[usize; 2]> = hull.edges().iter().map(|e| e.map(|v| v as usize)).collect();
            let faces: Vec<Vec<usize>> = hull.faces().map(|f| f.iter().map(|&v| v as usize).collect()).collect();
            of_points(&points, &edges, &faces)
        }
        Shape::Segment(segment) => of_points(&segment.points(), &[[0, 1]], &[]),
        Shape::Triangle(triangle) => of_points(&triangle.points(), &[[0, 1], [1, 2], [2, 0]], &[vec![0, 1, 2]]),
        Shape::Tetrahedron(tetrahedron) => {
            let faces = [vec![1, 2, 3], vec![0, 2, 3], vec![0, 1, 3], vec![0, 1, 2]];
            of_points(&tetrahedron.points(), &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]], &faces)
        }
        Shape::Rounded(_) | Shape::Compound(_) | Shape::HeightField(_) | Shape::Mesh(_) => None,
    }
}
