//! Proves answers about rays and points against meshes anew, by other code than that which found them.
//!
//! Only the list of points and triangles is used, all of it, one after another: no tree, no packets.
//! - **a hit**: a triangle that the feature belongs to is met by the line exactly where the feature says (strictly inside, on the
//!   edge, at the vertex), and between both ends of the bracket: signs of integers. That no other triangle is met before is not
//!   checked, as for other bodies;
//! - **distances** are the least over every triangle;
//! - **the sign** is that of the sum of all solid angles.

use std::cmp::Ordering;

use glam::DVec3;

use super::answer::Feature;
use super::point::{ClosestPoint, SignedDistance};
use super::ray::{Ray, RayHit};
use super::verify::Refusal;
use super::verify_rays::{LOOSE, adjugate, apply};
use crate::geom::closest::{closest_on_segment, closest_on_triangle};
use crate::geom::solid_angle::winding_of_triangle;
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::{ACCURACY, ROUND_UP};
use crate::shape::Mesh;

/// A mesh taken apart, and where it stands.
pub struct Triangles<'a> {
    pose: &'a Pose,
    solid: bool,
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    low: DVec3,
    high: DVec3,
}

fn sign(x: &Dyadic) -> Ordering {
    x.sign().unwrap_or(Ordering::Equal)
}

impl<'a> Triangles<'a> {
    pub fn of(mesh: &Mesh, pose: &'a Pose) -> Triangles<'a> {
        let (points, triangles): (Vec<DVec3>, _) = (mesh.points().collect(), mesh.triangles());
        let used = || triangles.iter().flatten().filter_map(|&p| points.get(p as usize));
        let low = used().fold(DVec3::INFINITY, |low, &p| low.min(p));
        let high = used().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
        Triangles { pose, solid: mesh.is_solid(), points, triangles, low, high }
    }

    /// The size of the mesh, and how far a point is from it.
    fn scale(&self, point: DVec3) -> f64 {
        let middle = 0.5 * (self.low + self.high);
        let away = (self.pose.transform_point(middle) - point).length();
        // Far from the origin of its frame a witness is rounded; that is part of what it may be off by.
        ((self.high - self.low).length() + away + 1e-3 * middle.length()) * ROUND_UP
    }

    fn corners(&self, triangle: usize) -> Option<[DVec3; 3]> {
        self.triangles.get(triangle).map(|t| t.map(|p| self.points[p as usize]))
    }

    /// The triangles that a feature belongs to.
    fn owners(&self, feature: Feature) -> Vec<usize> {
        let all = 0..self.triangles.len();
        match feature {
            Feature::Face(t) => all.skip(t as usize).take(1).collect(),
            Feature::Edge(e) => all.skip(e as usize / 3).take(1).collect(),
            Feature::Vertex(p) => all.filter(|&t| self.triangles[t].contains(&p)).collect(),
            Feature::Interior => Vec::new(),
        }
    }

    /// How far a point of the mesh's frame is from a feature; `None` if there is no such feature.
    fn off_feature(&self, feature: Feature, x: DVec3) -> Option<f64> {
        match feature {
            Feature::Vertex(p) => self.points.get(p as usize).map(|p| p.distance(x)),
            Feature::Edge(e) => {
                let corners = self.corners(e as usize / 3)?;
                let k = e as usize % 3;
                Some(closest_on_segment(x, corners[k], corners[(k + 1) % 3]).distance)
            }
            Feature::Face(t) => self.corners(t as usize).map(|[a, b, c]| closest_on_triangle(x, a, b, c).distance),
            Feature::Interior => None,
        }
    }

    fn check_feature(&self, feature: Feature, witness: DVec3, tolerance: f64) -> Result<(), Refusal> {
        match self.off_feature(feature, witness) {
            Some(off) if off <= tolerance => Ok(()),
            _ => Err(Refusal::Feature { body: "A" }),
        }
    }

    /// From a point of the mesh's frame to one of the world, in double-double.
    fn way(&self, witness: DVec3, to: &Vector<Enclosed>) -> DVec3 {
        let off = ring::subtract(to, &apply(self.pose, &ring::vector(witness)));
        DVec3::from_array(off.map(Enclosed::to_f64))
    }

    /// The unit world normal of a triangle; `None` if it has no area to speak of.
    fn normal(&self, [a, b, c]: [DVec3; 3]) -> Option<DVec3> {
        let (e, f) = (b - a, c - a);
        let n = e.cross(f);
        // Below this rounding turns it by more than is checked.
        (n.length() > 1e-6 * e.length() * f.length())
            .then(|| self.pose.inverse_rotation().transpose() * n)
            .and_then(DVec3::try_normalize)
    }

    /// The checks of a hit that are those of meshes.
    pub fn check_ray(&self, hit: &RayHit, ray: &Ray) -> Result<(), Refusal> {
        if hit.part != 0 {
            return Err(Refusal::Feature { body: "A" });
        }
        let scale = self.scale(ray.origin);
        let speed = ray.direction.length();
        let width = (hit.upper - hit.lower) * speed;
        let allowed = ACCURACY * scale + f64::MIN_POSITIVE;
        if width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        let there = ring::add(&ring::vector(ray.origin), &ring::scale(&ray.step().scaled(1.0), &Enclosed::of(hit.t)));
        let off = self.way(hit.point_in_body, &there).length();
        if off > width + ACCURACY * scale {
            return Err(Refusal::Witness { body: "A", off });
        }
        self.check_feature(hit.feature, hit.point_in_body, LOOSE * scale)?;
        // The line in the frame of the mesh, times the determinant of the pose.
        let (o, w) =
            adjugate(self.pose, &ring::subtract(&ring::vector(ray.origin), &ring::vector(self.pose.translation())));
        let (d, _) = adjugate(self.pose, &ray.step().scaled(1.0));
        let mut refusal = Refusal::Feature { body: "A" };
        for owner in self.owners(hit.feature) {
            match self.check_triangle(hit, ray, owner, (&o, &d, &w)) {
                Ok(()) => return Ok(()),
                Err(why) => refusal = why,
            }
        }
        Err(refusal)
    }

    fn check_triangle(
        &self,
        hit: &RayHit,
        ray: &Ray,
        triangle: usize,
        (o, d, w): (&Vector<Dyadic>, &Vector<Dyadic>, &Dyadic),
    ) -> Result<(), Refusal> {
        let corners = self.corners(triangle).ok_or(Refusal::Feature { body: "A" })?;
        let from_line = corners.map(|p| ring::subtract(&ring::scale(&ring::vector::<Dyadic>(p), w), o));
        let side = |k: usize| sign(&ring::dot(d, &ring::cross(&from_line[k], &from_line[(k + 1) % 3])));
        let sides = [side(0), side(1), side(2)];
        // On the feature and nowhere else.
        let index = |p: u32| self.triangles[triangle].iter().position(|&q| q == p);
        let on = match hit.feature {
            Feature::Vertex(p) => index(p).map(|k| [k, (k + 2) % 3]),
            Feature::Edge(e) => Some([e as usize % 3; 2]),
            _ => None,
        };
        let (e, f) = (ring::subtract(&from_line[1], &from_line[0]), ring::subtract(&from_line[2], &from_line[0]));
        let normal = ring::cross(&e, &f);
        let facing = sign(&ring::dot(&normal, d));
        if facing == Ordering::Equal {
            // In its plane, or of no area: the witness is on the feature, and the line in the plane.
            if sign(&ring::dot(&normal, &from_line[0])) != Ordering::Equal {
                return Err(Refusal::Feature { body: "A" });
            }
        } else {
            let right = (0..3).all(|k| match on {
                Some(on) if on.contains(&k) => sides[k] == Ordering::Equal,
                // A corner that is named twice leaves its side open as well.
                Some(_) => sides[k] != facing.reverse(),
                None => sides[k] == facing,
            });
            if !right {
                return Err(Refusal::Feature { body: "A" });
            }
            // The plane is crossed between the ends of the bracket.
            let beyond = |t: f64| {
                let at = ring::subtract(&ring::scale(d, &Dyadic::of(t)), &from_line[0]);
                sign(&ring::dot(&normal, &at))
            };
            if hit.lower.is_finite() && beyond(hit.lower) == facing {
                return Err(Refusal::Lower { claimed: hit.lower, proved: hit.lower });
            }
            if hit.upper.is_finite() && beyond(hit.upper) == facing.reverse() {
                return Err(Refusal::Upper { claimed: hit.upper, proved: hit.upper });
            }
        }
        let along = hit.normal.dot(ray.direction) / ray.direction.length();
        let wrong_way = if self.solid && !hit.entering { along < -LOOSE } else { along > LOOSE };
        // Where a triangle of no area names the place, or at the end of a stretch, there is no side to show.
        let through = facing != Ordering::Equal;
        if through && wrong_way || (through && !self.solid && !hit.entering) {
            return Err(Refusal::Normal);
        }
        if let Some(normal) = self.normal(corners) {
            let off = if self.solid { normal } else { normal * normal.dot(hit.normal).signum() } - hit.normal;
            if off.length() > LOOSE {
                return Err(Refusal::Normal);
            }
        }
        Ok(())
    }

    /// The point in the frame of the mesh, and the least distance of all triangles.
    fn nearest(&self, point: DVec3) -> (DVec3, f64) {
        let own = self.pose.inverse_transform_point(point);
        let distance =
            |t: usize| self.corners(t).map_or(f64::INFINITY, |[a, b, c]| closest_on_triangle(own, a, b, c).distance);
        (own, (0..self.triangles.len()).map(distance).fold(f64::INFINITY, f64::min))
    }

    /// Whether a point of the mesh's frame is inside; `None` where rounding may decide.
    fn is_inside(&self, own: DVec3) -> Option<bool> {
        if own.cmplt(self.low).any() || own.cmpgt(self.high).any() {
            return Some(false);
        }
        let all = 0..self.triangles.len();
        let winding: f64 = all.filter_map(|t| self.corners(t)).map(|c| winding_of_triangle(c.map(|p| p - own))).sum();
        ((winding - 0.5).abs() > 1e-3).then_some(winding > 0.5)
    }

    fn tolerance(&self, scale: f64) -> f64 {
        (ACCURACY + 2.0 * self.pose.defect()) * scale
    }

    fn check_distance(
        &self,
        (lower, value, upper): (f64, f64, f64),
        witness: DVec3,
        feature: Feature,
        point: DVec3,
    ) -> Result<(), Refusal> {
        let scale = self.scale(point);
        let tolerance = self.tolerance(scale);
        if upper - lower > tolerance {
            return Err(Refusal::TooWide { width: upper - lower, allowed: tolerance });
        }
        let off = self.way(witness, &ring::vector(point)).length();
        if (off - value).abs() > tolerance {
            return Err(Refusal::Witness { body: "A", off });
        }
        self.check_feature(feature, witness, LOOSE * scale)?;
        let (_, proved) = self.nearest(point);
        if lower > proved + tolerance {
            return Err(Refusal::Lower { claimed: lower, proved });
        }
        if upper < proved - tolerance {
            return Err(Refusal::Upper { claimed: upper, proved });
        }
        Ok(())
    }

    pub fn check_closest(&self, answer: &ClosestPoint, point: DVec3) -> Result<(), Refusal> {
        if answer.part != 0 {
            return Err(Refusal::Feature { body: "A" });
        }
        if answer.feature == Feature::Interior {
            let scale = self.scale(point);
            let off = self.way(answer.point_in_body, &ring::vector(point)).length();
            let (own, distance) = self.nearest(point);
            // Close to the surface solid angles say nothing, and either side is at distance zero.
            let outside = distance > LOOSE * scale && self.is_inside(own) == Some(false);
            if !self.solid || outside {
                return Err(Refusal::Upper { claimed: answer.upper, proved: distance });
            }
            if answer.lower != 0.0 || answer.upper != 0.0 {
                return Err(Refusal::Lower { claimed: answer.upper, proved: 0.0 });
            }
            return if off <= ACCURACY * scale { Ok(()) } else { Err(Refusal::Witness { body: "A", off }) };
        }
        if self.solid && answer.distance > LOOSE * self.scale(point) {
            let own = self.pose.inverse_transform_point(point);
            if self.is_inside(own) == Some(true) {
                return Err(Refusal::Lower { claimed: answer.lower, proved: 0.0 });
            }
        }
        self.check_distance((answer.lower, answer.distance, answer.upper), answer.point_in_body, answer.feature, point)
    }

    pub fn check_signed(&self, answer: &SignedDistance, point: DVec3) -> Result<(), Refusal> {
        if answer.part != 0 {
            return Err(Refusal::Feature { body: "A" });
        }
        let scale = self.scale(point);
        let inside = answer.value < 0.0;
        let far = answer.value.abs() > LOOSE * scale;
        if far {
            let own = self.pose.inverse_transform_point(point);
            if self.is_inside(own).is_some_and(|truth| truth != inside) {
                return Err(Refusal::Verdict);
            }
            let way = self.way(answer.point_in_body, &ring::vector(point));
            if (way.dot(answer.normal) - answer.value).abs() > LOOSE * answer.value.abs() + self.tolerance(scale) {
                return Err(Refusal::Normal);
            }
        }
        let bracket = if inside {
            (-answer.upper, -answer.value, -answer.lower)
        } else {
            (answer.lower, answer.value, answer.upper)
        };
        self.check_distance(bracket, answer.point_in_body, answer.feature, point)
    }
}
