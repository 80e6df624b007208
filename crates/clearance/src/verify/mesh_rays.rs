//! Verifies answers about rays and points against meshes, with code independent of the searches.
//!
//! Only the list of points and triangles is used, all of it, one after another: no tree, no packets.
//! - **a hit**: the line meets a triangle of the feature exactly where the feature says (strictly inside, on the edge,
//!   at the vertex), and between both ends of the bracket: signs of integers;
//! - **that it is the first**, if the nearest was requested: every triangle the float filter cannot reject is
//!   intersected with the line in integers, and the results are merged into points and intervals. None with a hit may
//!   come earlier. Where a ray starts in an interval, or leaves a solid at the end of one, it is not proved which of
//!   its ends is a hit;
//! - **distances** are the minimum over all triangles;
//! - **the sign** is that of the sum of all solid angles.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::point::{ClosestPoint, SignedDistance};
use crate::answer::ray::{Ray, RayHit, RayHitMode, RayOptions};
use crate::geom::closest::{closest_on_segment, closest_on_triangle};
use crate::geom::ray_frame::unit;
use crate::geom::solid_angle::winding_of_triangle;
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::{ACCURACY, ROUND_UP, VERIFY_LOOSE};
use crate::shape::Feature;
use crate::shape::Mesh;
use crate::verify::rays::{adjugate, apply, place_on, speed_of};
use crate::verify::refusal::Refusal;

/// The triangles of a mesh, and its pose.
pub struct Triangles<'a> {
    pose: &'a Pose,
    solid: bool,
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    low: DVec3,
    high: DVec3,
}

pub(crate) fn sign(x: &Dyadic) -> Ordering {
    x.sign().unwrap_or(Ordering::Equal)
}

/// A line in the frame of a mesh, times the determinant of the pose, and that determinant.
pub(crate) struct ExactLine {
    pub o: Vector<Dyadic>,
    pub d: Vector<Dyadic>,
    pub w: Dyadic,
}

/// A parameter of a line: a quotient with a positive denominator.
#[derive(Clone)]
pub(crate) struct Parameter {
    pub above: Dyadic,
    pub below: Dyadic,
}

impl Parameter {
    pub fn new(above: Dyadic, below: Dyadic) -> Parameter {
        if sign(&below) == Ordering::Less {
            let negative = Dyadic::of(-1.0);
            return Parameter { above: above.times(&negative), below: below.times(&negative) };
        }
        Parameter { above, below }
    }

    pub fn compare(&self, other: &Parameter) -> Ordering {
        sign(&self.above.times(&other.below).minus(&other.above.times(&self.below)))
    }

    /// Rounded.
    pub fn to_f64(&self) -> f64 {
        self.above.ratio(&self.below)
    }

    /// Also for infinite values.
    fn is_below(&self, t: f64) -> bool {
        if t.is_finite() {
            sign(&self.above.minus(&self.below.times(&Dyadic::of(t)))) == Ordering::Less
        } else {
            t > 0.0
        }
    }
}

/// Points and intervals where a line meets triangles, merged and sorted.
pub(crate) fn merged(mut met: Vec<[Parameter; 2]>) -> Vec<[Parameter; 2]> {
    met.sort_by(|a, b| a[0].compare(&b[0]));
    let mut events: Vec<[Parameter; 2]> = Vec::new();
    for one in met {
        match events.last_mut() {
            Some(last) if one[0].compare(&last[1]) != Ordering::Greater => {
                if one[1].compare(&last[1]) == Ordering::Greater {
                    last[1] = one[1].clone();
                }
            }
            _ => events.push(one),
        }
    }
    events
}

/// The first and last parameter at which a line meets a triangle, exactly.
pub(crate) fn cut(corners: [DVec3; 3], line: &ExactLine) -> Option<[Parameter; 2]> {
    let ExactLine { o, d, w } = line;
    let from_line = corners.map(|p| ring::subtract(&ring::scale(&ring::vector::<Dyadic>(p), w), o));
    let (e, f) = (ring::subtract(&from_line[1], &from_line[0]), ring::subtract(&from_line[2], &from_line[0]));
    let normal = ring::cross(&e, &f);
    let speed = ring::dot(&normal, d);
    let facing = sign(&speed);
    if facing != Ordering::Equal {
        let side = |k: usize| sign(&ring::dot(d, &ring::cross(&from_line[k], &from_line[(k + 1) % 3])));
        if (0..3).any(|k| side(k) == facing.reverse()) {
            return None;
        }
        let at = Parameter::new(ring::dot(&normal, &from_line[0]), speed);
        return Some([at.clone(), at]);
    }
    // Coplanar, disjoint or degenerate: the intersection starts and ends on the triangle's edges. The line meets the
    // edge from `a` to `b` where `d x a` and `d x b` cancel.
    let squared = ring::dot(d, d);
    let mut met: Option<[Parameter; 2]> = None;
    let mut meet = |at: Parameter| match &mut met {
        None => met = Some([at.clone(), at]),
        Some([first, last]) => {
            if at.compare(first) == Ordering::Less {
                *first = at;
            } else if at.compare(last) == Ordering::Greater {
                *last = at;
            }
        }
    };
    for k in 0..3 {
        let (a, b) = (&from_line[k], &from_line[(k + 1) % 3]);
        let (across_a, across_b) = (ring::cross(d, a), ring::cross(d, b));
        if ring::is_zero(&across_a) == Some(true) {
            meet(Parameter::new(ring::dot(d, a), squared.clone()));
            continue;
        }
        let product = ring::dot(&across_a, &across_b);
        if ring::is_zero(&ring::cross(&across_a, &across_b)) == Some(true) && sign(&product) == Ordering::Less {
            let own = ring::dot(&across_a, &across_a);
            let both = own.minus(&product);
            let there = both.times(&ring::dot(d, a)).plus(&own.times(&ring::dot(d, &ring::subtract(b, a))));
            meet(Parameter::new(there, both.times(&squared)));
        }
    }
    met
}

impl<'a> Triangles<'a> {
    pub fn of(mesh: &Mesh, pose: &'a Pose) -> Triangles<'a> {
        let (points, triangles): (Vec<DVec3>, _) = (mesh.points().collect(), mesh.triangles());
        let used = || triangles.iter().flatten().filter_map(|&p| points.get(p as usize));
        let low = used().fold(DVec3::INFINITY, |low, &p| low.min(p));
        let high = used().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
        Triangles { pose, solid: mesh.is_solid(), points, triangles, low, high }
    }

    /// The size of the mesh plus its distance from a point.
    fn scale(&self, point: DVec3) -> f64 {
        let middle = 0.5 * (self.low + self.high);
        // A mesh without size near the origin of its frame is as far from the point as these differences say.
        let away = (self.pose.rotation() * middle - (point - self.pose.translation())).length();
        // Far from the origin of its frame a witness is rounded; the tolerance includes that.
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

    /// Distance of a point of the mesh's frame from a feature; `None` if there is no such feature.
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

    /// From a point of the mesh's frame to a world point, in double-double.
    fn way(&self, witness: DVec3, to: &Vector<Enclosed>) -> DVec3 {
        let off = ring::subtract(to, &apply(self.pose, &ring::vector(witness)));
        DVec3::from_array(off.map(Enclosed::to_f64))
    }

    /// The unit world normal of a triangle; `None` if its area is negligible.
    fn normal(&self, [a, b, c]: [DVec3; 3]) -> Option<DVec3> {
        let (e, f) = (b - a, c - a);
        let n = e.cross(f);
        // Below this, rounding tilts the normal by more than the check allows.
        (n.length() > 1e-6 * e.length() * f.length())
            .then(|| self.pose.inverse_rotation().transpose() * n)
            .and_then(DVec3::try_normalize)
    }

    /// The checks of a hit specific to meshes.
    pub fn check_ray(&self, hit: &RayHit, ray: &Ray, options: &RayOptions) -> Result<(), Refusal> {
        if hit.witness.part != 0 {
            return Err(Refusal::Feature { body: "A" });
        }
        let scale = self.scale(ray.origin);
        let speed = speed_of(ray);
        let width = (hit.t.upper - hit.t.lower) * speed;
        let allowed = ACCURACY * scale + f64::MIN_POSITIVE;
        if width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        let off = self.way(hit.witness.point, &place_on(ray, hit.t.value)).length();
        if off > width + ACCURACY * scale {
            return Err(Refusal::Witness { body: "A", off });
        }
        self.check_feature(hit.witness.feature, hit.witness.point, VERIFY_LOOSE * scale)?;
        let line = self.line(ray);
        let mut verdict = Err(Refusal::Feature { body: "A" });
        for owner in self.owners(hit.witness.feature) {
            verdict = self.check_triangle(hit, ray, owner, &line);
            if verdict.is_ok() {
                break;
            }
        }
        verdict?;
        if options.hit == RayHitMode::Any { Ok(()) } else { self.check_first(hit, ray, options, &line) }
    }

    /// A ray in the frame of the mesh, times the determinant of the pose.
    pub fn line(&self, ray: &Ray) -> ExactLine {
        let (o, w) =
            adjugate(self.pose, &ring::subtract(&ring::vector(ray.origin), &ring::vector(self.pose.translation())));
        let (d, _) = adjugate(self.pose, &ray.step().scaled(1.0));
        ExactLine { o, d, w }
    }

    /// Where a line meets the triangles of the mesh, one after another.
    pub fn met(&self, ray: &Ray, line: &ExactLine) -> Vec<[Parameter; 2]> {
        let missed = self.missed_by_far(ray);
        let all = (0..self.triangles.len()).filter(|&t| !missed(t));
        all.filter_map(|t| cut(self.corners(t)?, line)).collect()
    }

    /// Nothing is hit from the start of the range to the lower bound.
    fn check_first(&self, hit: &RayHit, ray: &Ray, options: &RayOptions, line: &ExactLine) -> Result<(), Refusal> {
        let events = merged(self.met(ray, line));
        for [start, end] in &events {
            let starts_within = !start.is_below(options.from) && start.is_below(hit.t.lower);
            let ends_within = !end.is_below(options.from) && end.is_below(hit.t.lower);
            // An interval on a surface has a hit at either end; on a solid, entries at its start and exits at its end.
            let earlier =
                if self.solid { starts_within && (ends_within || hit.entering) } else { starts_within || ends_within };
            if earlier {
                return Err(Refusal::Lower { claimed: hit.t.lower, proved: options.from });
            }
        }
        Ok(())
    }

    /// Whether a line clearly misses a triangle in double precision: by its distance from a corner, and by the sides of
    /// the edges.
    ///
    /// The line is taken relative to its point nearest to the centre of the mesh. That point and the direction are off
    /// by some tens of `u` of their inputs; 1e-13, a thousand `u`, is assumed. So a corner is off by `off` and its
    /// product with another by `2 m off`.
    fn missed_by_far(&self, ray: &Ray) -> impl Fn(usize) -> bool {
        let middle = self.pose.transform_point(0.5 * (self.low + self.high));
        let direction = unit(ray.direction);
        let base = -(ray.origin - middle).dot(direction);
        let near = ray.origin + base * direction;
        let own = self.pose.inverse_transform_point(near);
        let along = (self.pose.inverse_rotation() * direction).normalize();
        let reach = self.low.abs().max(self.high.abs()).length() + self.pose.translation().length();
        let off = 1e-13 * (ray.origin.length() + base.abs() + reach);
        move |t: usize| {
            let Some(corners) = self.corners(t) else { return true };
            let [p, q, r] = corners.map(|p| p - own);
            let size = (q - p).length().max((r - p).length());
            let m = p.length() + size;
            let slack = off + 1e-13 * m;
            if p.cross(along).length() > size * (1.0 + 1e-9) + 4.0 * slack {
                return true;
            }
            let sides = [along.dot(p.cross(q)), along.dot(q.cross(r)), along.dot(r.cross(p))];
            let open = 8.0 * m * slack;
            sides.iter().any(|&side| side > open) && sides.iter().any(|&side| side < -open)
        }
    }

    fn check_triangle(
        &self,
        hit: &RayHit,
        ray: &Ray,
        triangle: usize,
        ExactLine { o, d, w }: &ExactLine,
    ) -> Result<(), Refusal> {
        let corners = self.corners(triangle).ok_or(Refusal::Feature { body: "A" })?;
        let from_line = corners.map(|p| ring::subtract(&ring::scale(&ring::vector::<Dyadic>(p), w), o));
        let side = |k: usize| sign(&ring::dot(d, &ring::cross(&from_line[k], &from_line[(k + 1) % 3])));
        let sides = [side(0), side(1), side(2)];
        // On the feature and nowhere else.
        let index = |p: u32| self.triangles[triangle].iter().position(|&q| q == p);
        let on = match hit.witness.feature {
            Feature::Vertex(p) => index(p).map(|k| [k, (k + 2) % 3]),
            Feature::Edge(e) => Some([e as usize % 3; 2]),
            _ => None,
        };
        let (e, f) = (ring::subtract(&from_line[1], &from_line[0]), ring::subtract(&from_line[2], &from_line[0]));
        let normal = ring::cross(&e, &f);
        let facing = sign(&ring::dot(&normal, d));
        if facing == Ordering::Equal {
            // Coplanar or degenerate: the witness is on the feature, and the line in the plane.
            if sign(&ring::dot(&normal, &from_line[0])) != Ordering::Equal {
                return Err(Refusal::Feature { body: "A" });
            }
        } else {
            let right = (0..3).all(|k| match on {
                Some(on) if on.contains(&k) => sides[k] == Ordering::Equal,
                // A repeated corner leaves its side undetermined as well.
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
            if hit.t.lower.is_finite() && beyond(hit.t.lower) == facing {
                return Err(Refusal::Lower { claimed: hit.t.lower, proved: hit.t.lower });
            }
            if hit.t.upper.is_finite() && beyond(hit.t.upper) == facing.reverse() {
                return Err(Refusal::Upper { claimed: hit.t.upper, proved: hit.t.upper });
            }
        }
        let along = hit.normal.dot(unit(ray.direction));
        let wrong_way = if self.solid && !hit.entering { along < -VERIFY_LOOSE } else { along > VERIFY_LOOSE };
        // For a degenerate triangle, or at the end of an interval, there is no side to check.
        let through = facing != Ordering::Equal;
        if through && wrong_way || (through && !self.solid && !hit.entering) {
            return Err(Refusal::Normal);
        }
        if let Some(normal) = self.normal(corners) {
            let off = if self.solid { normal } else { normal * normal.dot(hit.normal).signum() } - hit.normal;
            if off.length() > VERIFY_LOOSE {
                return Err(Refusal::Normal);
            }
        }
        Ok(())
    }

    /// The point in the frame of the mesh, and its distance from the nearest triangle.
    fn nearest(&self, point: DVec3) -> (DVec3, f64) {
        let own = self.pose.inverse_transform_point(point);
        let distance =
            |t: usize| self.corners(t).map_or(f64::INFINITY, |[a, b, c]| closest_on_triangle(own, a, b, c).distance);
        (own, (0..self.triangles.len()).map(distance).fold(f64::INFINITY, f64::min))
    }

    /// Whether a point of the mesh's frame is inside; `None` where rounding may decide.
    pub fn is_inside(&self, own: DVec3) -> Option<bool> {
        if own.cmplt(self.low).any() || own.cmpgt(self.high).any() {
            return Some(false);
        }
        let all = 0..self.triangles.len();
        let winding: f64 = all.filter_map(|t| self.corners(t)).map(|c| winding_of_triangle(c.map(|p| p - own))).sum();
        ((winding - 0.5).abs() > 1e-3).then_some(winding > 0.5)
    }

    fn tolerance(&self, scale: f64) -> f64 {
        // Below the smallest normal number nothing is promised.
        (ACCURACY + 2.0 * self.pose.defect()) * scale + f64::MIN_POSITIVE
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
        self.check_feature(feature, witness, VERIFY_LOOSE * scale)?;
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
        if answer.witness.part != 0 {
            return Err(Refusal::Feature { body: "A" });
        }
        if answer.witness.feature == Feature::Interior {
            let scale = self.scale(point);
            let off = self.way(answer.witness.point, &ring::vector(point)).length();
            let (own, distance) = self.nearest(point);
            // Close to the surface solid angles are inconclusive, and either side is at distance zero.
            let outside = distance > VERIFY_LOOSE * scale && self.is_inside(own) == Some(false);
            if !self.solid || outside {
                return Err(Refusal::Upper { claimed: answer.distance.upper, proved: distance });
            }
            if answer.distance.lower != 0.0 || answer.distance.upper != 0.0 {
                return Err(Refusal::Lower { claimed: answer.distance.upper, proved: 0.0 });
            }
            return if off <= ACCURACY * scale { Ok(()) } else { Err(Refusal::Witness { body: "A", off }) };
        }
        if self.solid && answer.distance.value > VERIFY_LOOSE * self.scale(point) {
            let own = self.pose.inverse_transform_point(point);
            if self.is_inside(own) == Some(true) {
                return Err(Refusal::Lower { claimed: answer.distance.lower, proved: 0.0 });
            }
        }
        self.check_distance(
            (answer.distance.lower, answer.distance.value, answer.distance.upper),
            answer.witness.point,
            answer.witness.feature,
            point,
        )
    }

    pub fn check_signed(&self, answer: &SignedDistance, point: DVec3) -> Result<(), Refusal> {
        if answer.witness.part != 0 {
            return Err(Refusal::Feature { body: "A" });
        }
        let scale = self.scale(point);
        let inside = answer.distance.value < 0.0;
        let far = answer.distance.value.abs() > VERIFY_LOOSE * scale;
        if far {
            let own = self.pose.inverse_transform_point(point);
            if self.is_inside(own).is_some_and(|truth| truth != inside) {
                return Err(Refusal::Verdict);
            }
            let way = self.way(answer.witness.point, &ring::vector(point));
            if (way.dot(answer.normal) - answer.distance.value).abs()
                > VERIFY_LOOSE * answer.distance.value.abs() + self.tolerance(scale)
            {
                return Err(Refusal::Normal);
            }
        }
        let bracket = if inside {
            (-answer.distance.upper, -answer.distance.value, -answer.distance.lower)
        } else {
            (answer.distance.lower, answer.distance.value, answer.distance.upper)
        };
        self.check_distance(bracket, answer.witness.point, answer.witness.feature, point)
    }
}
