//! Crossings of a line with the boundary of a convex body, and which of them lie within a range.

use glam::DVec3;

use crate::answer::ray::{Ray, RayHit, RayOptions};
use crate::answer::witness::WitnessPoint;
use crate::geom::ray::{Place, Spot};
use crate::geom::ray_frame::{Chain, LineIn};
use crate::geom::ray_polytope::compare_time;
use crate::math::bracket::Bracket;
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::shape::Feature;

/// The frame a line was transformed into.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frame {
    /// The body's frame, relative to a point of the body.
    Body(DVec3),
    /// World axes about the body's origin: for spheres and capsules, whose radius is a length in the world.
    World,
}

/// One crossing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub t: Enclosed,
    pub place: Place,
    pub frame: Frame,
    pub point_in_body: DVec3,
    pub normal: DVec3,
    pub feature: Feature,
    pub entering: bool,
}

impl Crossing {
    /// A crossing known only by a bracket.
    pub fn bracketed(t: Enclosed, point_in_body: DVec3, normal: DVec3, feature: Feature, entering: bool) -> Crossing {
        Crossing { t, place: Place::Curved, frame: Frame::World, point_in_body, normal, feature, entering }
    }

    /// The answer for a crossing within a range of parameters.
    pub fn hit(&self, from: f64, to: f64) -> RayHit {
        let (lower, upper) = self.t.bounds();
        // The value stays finite: beyond the largest float only the bracket is known.
        let t = self.t.to_f64();
        let t = if t.is_nan() { 0.0 } else { t.clamp(f64::MIN, f64::MAX) };
        // A crossing that counts lies within the range, so its value is clamped to it.
        let inside = t.max(from).min(to);
        let t = if lower <= inside && inside <= upper && inside.is_finite() { inside } else { t };
        RayHit {
            t: Bracket { value: t, lower: lower.min(t), upper: upper.max(t) },
            witness: WitnessPoint { point: self.point_in_body, feature: self.feature, part: 0 },
            normal: self.normal,
            entering: self.entering,
        }
    }
}

/// The crossings of a line with the boundary of a convex body, in order.
pub(crate) struct Crossings<'a> {
    chain: Chain<'a>,
    ray: &'a Ray,
    found: [Option<Crossing>; 2],
}

impl<'a> Crossings<'a> {
    /// From the crossings found; `None` for a line that misses.
    pub fn of(chain: &Chain<'a>, ray: &'a Ray, found: Option<[Option<Crossing>; 2]>) -> Crossings<'a> {
        Crossings { chain: *chain, ray, found: found.unwrap_or([None, None]) }
    }

    /// Whether there is only one.
    pub fn is_single(&self) -> bool {
        self.found[0].is_some() && self.found[1].is_none()
    }

    /// The crossings within the range.
    pub fn iter(&self, options: &RayOptions) -> impl Iterator<Item = RayHit> {
        let (from, to) = (options.from, options.to);
        self.found.iter().flatten().filter(move |c| self.is_within(c, from, to)).map(move |c| {
            let hit = c.hit(from, to);
            // In a wide bracket the value may have been clamped to the range: the point moves with it.
            let along = self.chain.rounded_to_body(self.ray.direction * (hit.t.value - c.t.to_f64()));
            let moved = hit.witness.point + along;
            let point_in_body = [moved, hit.witness.point].into_iter().find(|p| p.is_finite()).unwrap_or_else(|| {
                // A line beyond the range of floats has only the point at its value.
                let there = self.ray.origin + self.ray.direction * hit.t.value;
                let own = self.chain.to_body(self.chain.offset(there)).map(Enclosed::to_f64);
                DVec3::from_array(own.map(|x| if x.is_finite() { x } else { 0.0 }))
            });
            RayHit { witness: WitnessPoint { point: point_in_body, ..hit.witness }, ..hit }
        })
    }

    fn is_within(&self, crossing: &Crossing, from: f64, to: f64) -> bool {
        let (lower, upper) = crossing.t.bounds();
        if upper < from || lower > to || from > to || from.is_nan() || to.is_nan() {
            return false;
        }
        if lower >= from && upper <= to {
            return true;
        }
        // A line beyond the range of floats, or a curved surface: nothing excludes it.
        let Some(exact) = self.exact_line(crossing) else { return true };
        let compare = |t: f64| compare_time(&crossing.place, &exact, t);
        compare(from).is_none_or(|order| order.is_ge()) && compare(to).is_none_or(|order| order.is_le())
    }

    fn exact_line(&self, crossing: &Crossing) -> Option<LineIn<Dyadic>> {
        if matches!(crossing.place, Place::Curved) {
            return None;
        }
        Some(match crossing.frame {
            Frame::Body(center) => self.chain.exact_line(self.ray.origin, self.ray.step(), center),
            Frame::World => self.chain.exact_world_line(self.ray.origin, self.ray.step()),
        })
    }
}

/// A feature in the caller's terms.
pub(crate) fn feature_of(spot: Spot) -> Feature {
    match spot {
        Spot::Vertex(number) => Feature::Vertex(number),
        Spot::Edge(number) => Feature::Edge(number),
        Spot::Face(number) => Feature::Face(number),
    }
}
