//! Verifies answers about rays and points against height fields, with code independent of the searches.
//!
//! Only the public description of the grid is used: all its triangles, one after another.
//! - **sides** are decided in integers: the triangle below a point is the one whose footprint contains it;
//! - **distances** are the minimum over all triangles and the four side walls of the solid;
//! - **witness points** are on the feature that the answer names.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::point::{ClosestPoint, SignedDistance};
use crate::answer::ray::{Ray, RayHit};
use crate::geom::closest::closest_on_triangle;
use crate::geom::ray_frame::unit;
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::{ACCURACY, ROUND_UP, VERIFY_LOOSE};
use crate::shape::Feature;
use crate::shape::HeightField;
use crate::verify::rays::{adjugate, apply, place_on, speed_of};
use crate::verify::refusal::Refusal;

/// A height field and its pose.
pub struct PosedField<'a> {
    pub field: &'a HeightField,
    pub pose: &'a Pose,
}

impl PosedField<'_> {
    /// The size of the surface plus its distance from a point.
    fn scale(&self, point: DVec3) -> f64 {
        let bounds = self.field.surface_bounds();
        let away = self.pose.rotation() * bounds.center() - (point - self.pose.translation());
        (bounds.size().length() + away.length() + 1e-3 * bounds.center().length()) * ROUND_UP
    }

    /// From a point of the field's frame to a world point, in double-double.
    fn way(&self, witness: DVec3, to: &Vector<Enclosed>) -> DVec3 {
        let off = ring::subtract(to, &apply(self.pose, &ring::vector(witness)));
        DVec3::from_array(off.map(Enclosed::to_f64))
    }

    /// Above (greater), on or below the surface, exactly; beside the footprint, relative to the plane of the triangle
    /// `beside`, if given. `near` is the point, rounded.
    fn side(&self, point: &Vector<Dyadic>, near: DVec3, beside: Option<u32>) -> Option<Ordering> {
        let from = ring::subtract(point, &ring::vector(self.pose.translation()));
        let (v, w) = adjugate(self.pose, &from);
        let local = self.pose.inverse_transform_point(near);
        let cell = |x: f64, spacing: f64, lines: usize| {
            let index = (x / spacing).clamp(0.0, (lines - 2) as f64) as usize;
            index.saturating_sub(1)..(index + 2).min(lines - 1)
        };
        let spacing = self.field.spacing();
        let sign = |x: Dyadic| x.sign().unwrap_or(Ordering::Equal);
        let above = |corners: [DVec3; 3]| {
            let [a, b, c] = corners.map(ring::vector::<Dyadic>);
            let normal = ring::cross(&ring::subtract(&b, &a), &ring::subtract(&c, &a));
            sign(ring::dot(&normal, &ring::subtract(&v, &ring::scale(&a, &w))))
        };
        for row in cell(local.y, spacing.y, self.field.rows()) {
            for column in cell(local.x, spacing.x, self.field.columns()) {
                for half in 0..2 {
                    let index = 2 * (row * (self.field.columns() - 1) + column) + half;
                    let Some(corners) = self.field.triangle(index as u32) else { continue };
                    let holds = (0..3).all(|k| {
                        let (a, b) = (corners[k], corners[(k + 1) % 3]);
                        let edge = |j: usize| Dyadic::of(b[j]).minus(&Dyadic::of(a[j]));
                        let from = |j: usize| v[j].minus(&Dyadic::of(a[j]).times(&w));
                        sign(edge(0).times(&from(1)).minus(&edge(1).times(&from(0)))).is_ge()
                    });
                    if holds {
                        return Some(above(corners));
                    }
                }
            }
        }
        beside.and_then(|triangle| self.field.triangle(triangle)).map(above)
    }

    /// Whether the solid below the surface contains a point, exactly.
    fn holds(&self, point: DVec3) -> bool {
        self.side(&ring::vector(point), point, None).is_some_and(Ordering::is_le)
    }

    /// The distance of a point of the field's frame from the solid's boundary.
    fn nearest(&self, query: DVec3) -> f64 {
        let triangles = (0..self.field.triangle_count() as u32).filter_map(|index| self.field.triangle(index));
        let surface = triangles.map(|[a, b, c]| closest_on_triangle(query, a, b, c).distance);
        let walls = (0..4).filter_map(|number| self.wall(number, query));
        surface.chain(walls).fold(f64::INFINITY, f64::min)
    }

    /// The distance of a point from a side wall, unless the wall's upper edge is nearest, which belongs to the surface.
    fn wall(&self, number: u32, query: DVec3) -> Option<f64> {
        let end = self.field.surface_bounds().max;
        let mut foot = DVec3::new(query.x.clamp(0.0, end.x), query.y.clamp(0.0, end.y), query.z);
        match number {
            0 => foot.x = 0.0,
            1 => foot.x = end.x,
            2 => foot.y = 0.0,
            3 => foot.y = end.y,
            _ => return None,
        }
        let edge = self.field.height_at(foot.x, foot.y)?.height.upper;
        (query.z <= edge).then(|| foot.distance(query))
    }

    /// The distance of a point of the field's frame from a face of the solid, and that face's outward normal there.
    fn off_face(&self, feature: Feature, x: DVec3) -> Option<(f64, DVec3)> {
        let Feature::Face(face) = feature else { return None };
        if let Some([a, b, c]) = self.field.triangle(face) {
            return Some((closest_on_triangle(x, a, b, c).distance, (b - a).cross(c - a).normalize_or(DVec3::Z)));
        }
        let number = face - self.field.triangle_count() as u32;
        let outward = [DVec3::NEG_X, DVec3::X, DVec3::NEG_Y, DVec3::Y];
        Some((self.wall(number, x)?, *outward.get(number as usize)?))
    }

    /// A normal in the field's frame, in the world.
    fn outward(&self, normal: DVec3) -> DVec3 {
        (self.pose.inverse_rotation().transpose() * normal).normalize_or(DVec3::X)
    }

    pub fn check_ray(&self, hit: &RayHit, ray: &Ray) -> Result<(), Refusal> {
        let Feature::Face(triangle) = hit.witness.feature else { return Err(Refusal::Feature { body: "A" }) };
        if hit.witness.part != 0 || self.field.triangle(triangle).is_none() {
            return Err(Refusal::Feature { body: "A" });
        }
        let (speed, scale) = (speed_of(ray), self.scale(ray.origin));
        let off = self.way(hit.witness.point, &place_on(ray, hit.t.value)).length();
        let width = (hit.t.upper - hit.t.lower) * speed;
        if off > ACCURACY * scale {
            return Err(Refusal::Witness { body: "A", off });
        }
        let (off, own) = self.off_face(hit.witness.feature, hit.witness.point).ok_or(Refusal::Feature { body: "A" })?;
        if off > ACCURACY * scale {
            return Err(Refusal::Feature { body: "A" });
        }
        if self.outward(own).distance(hit.normal) > VERIFY_LOOSE {
            return Err(Refusal::Normal);
        }
        let along = hit.normal.dot(unit(ray.direction));
        if if hit.entering { along > VERIFY_LOOSE } else { along < -VERIFY_LOOSE } {
            return Err(Refusal::Verdict);
        }
        let allowed = ACCURACY * scale / along.abs().max(VERIFY_LOOSE);
        if width > allowed && along.abs() > VERIFY_LOOSE {
            return Err(Refusal::TooWide { width, allowed });
        }
        let side = |t: f64| {
            let step = ring::scale(&ray.step().scaled(1.0), &Dyadic::of(t));
            self.side(&ring::add(&ring::vector(ray.origin), &step), ray.at(t), Some(triangle))
        };
        let (Some(before), Some(after)) = (side(hit.t.lower), side(hit.t.upper)) else { return Err(Refusal::Verdict) };
        // Touched in passing, or run along: both ends are on the same side, and the witness between them is on the
        // surface.
        if before == after && (width <= ACCURACY * scale || along.abs() <= VERIFY_LOOSE) {
            return Ok(());
        }
        let (first, last) =
            if hit.entering { (Ordering::Greater, Ordering::Less) } else { (Ordering::Less, Ordering::Greater) };
        if before != first && before != Ordering::Equal {
            return Err(Refusal::Lower { claimed: hit.t.lower, proved: hit.t.lower });
        }
        if after != last && after != Ordering::Equal {
            return Err(Refusal::Upper { claimed: hit.t.upper, proved: hit.t.upper });
        }
        Ok(())
    }

    pub fn check_closest(&self, answer: &ClosestPoint, point: DVec3) -> Result<(), Refusal> {
        if answer.witness.part != 0 {
            return Err(Refusal::Feature { body: "A" });
        }
        let scale = self.scale(point);
        let off = self.way(answer.witness.point, &ring::vector(point)).length();
        if self.holds(point) {
            if answer.distance.lower != 0.0 || answer.distance.upper != 0.0 {
                return Err(Refusal::Upper { claimed: answer.distance.upper, proved: 0.0 });
            }
            if answer.witness.feature != Feature::Interior {
                return Err(Refusal::Feature { body: "A" });
            }
            return if off <= ACCURACY * scale { Ok(()) } else { Err(Refusal::Witness { body: "A", off }) };
        }
        if answer.distance.lower < 0.0 {
            return Err(Refusal::NoNumber { field: "lower" });
        }
        self.check_bracket(
            [answer.distance.lower, answer.distance.value, answer.distance.upper],
            answer.witness.feature,
            answer.witness.point,
            point,
        )
    }

    pub fn check_signed(&self, answer: &SignedDistance, point: DVec3) -> Result<(), Refusal> {
        if answer.witness.part != 0 {
            return Err(Refusal::Feature { body: "A" });
        }
        let inside = self.holds(point);
        if inside && answer.distance.upper > 0.0 || !inside && answer.distance.lower < 0.0 {
            return Err(Refusal::Verdict);
        }
        let bracket = [answer.distance.lower, answer.distance.value, answer.distance.upper];
        let lengths = if inside { [-bracket[2], -bracket[1], -bracket[0]] } else { bracket };
        self.check_bracket(lengths, answer.witness.feature, answer.witness.point, point)?;
        let way = self.way(answer.witness.point, &ring::vector(point)) * if inside { -1.0 } else { 1.0 };
        let scale = self.scale(point);
        // The witness is rounded to some 1e-15 of the scale, which tilts the direction from it; so does a non-rigid
        // frame.
        let turned = VERIFY_LOOSE + 4.0 * self.pose.defect() + 2e-15 * scale / way.length().max(f64::MIN_POSITIVE);
        let along_the_way = turned < 1e-3 && way.normalize_or(DVec3::ZERO).distance(answer.normal) <= turned;
        let own = self
            .off_face(answer.witness.feature, answer.witness.point)
            .map_or(DVec3::ZERO, |(_, own)| self.outward(own));
        if along_the_way || turned >= 1e-3 && own.distance(answer.normal) <= VERIFY_LOOSE {
            return Ok(());
        }
        // Too close for a direction of its own, and nearest to an edge: it must at least point out of the face.
        if turned >= 1e-3 && own.dot(answer.normal) >= 0.0 { Ok(()) } else { Err(Refusal::Normal) }
    }

    fn check_bracket(
        &self,
        [lower, value, upper]: [f64; 3],
        feature: Feature,
        witness: DVec3,
        point: DVec3,
    ) -> Result<(), Refusal> {
        let scale = self.scale(point);
        let tolerance = (ACCURACY + 2.0 * self.pose.defect()) * scale;
        let off = self.way(witness, &ring::vector(point)).length();
        if (off - value).abs() > tolerance {
            return Err(Refusal::Witness { body: "A", off });
        }
        match self.off_face(feature, witness) {
            Some((off, _)) if off <= ACCURACY * scale => {}
            _ => return Err(Refusal::Feature { body: "A" }),
        }
        let width = upper - lower;
        if width > tolerance {
            return Err(Refusal::TooWide { width, allowed: tolerance });
        }
        let proved = self.nearest(self.pose.inverse_transform_point(point));
        if lower > proved + tolerance {
            return Err(Refusal::Lower { claimed: lower, proved });
        }
        if upper < proved - tolerance {
            return Err(Refusal::Upper { claimed: upper, proved });
        }
        Ok(())
    }
}
