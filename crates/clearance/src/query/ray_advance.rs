//! Where a line meets a convex body that is known by its signed distance: rounded and custom bodies.
//!
//! The signed distance along a line, `f`, is convex. That is all this uses, with brackets of `f` at single points, so no
//! normal, slope or smoothness is trusted (van den Bergen, *Ray Casting against General Convex Objects*, 2004, has the idea of
//! moving up to a supporting plane; here a chord of `f` takes the plane's place):
//! - where `f` is known to be positive at `a` and `b > a`, the chord through (a, upper bound) and (b, lower bound), drawn on
//!   beyond `b`, is below `f`: the line cannot enter before the chord meets zero. If the chord does not fall, it never
//!   enters. From both sides this gives an outer bound of the interval;
//! - between a point at the outer bound and one inside, `f` is below the chord of its upper bounds: the line has entered
//!   where that chord meets zero.

use glam::DVec3;

use super::point::of_convex;
use super::ray::Ray;
use super::ray_hits::Crossing;
use crate::geom::ray_frame::{Chain, Line};
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::query::point::SignedDistance;
use crate::shape::{Shape, rounded_up_length};

/// Steps towards the body from one side. Chords converge faster than linearly: a dozen steps is usual.
const STEPS: usize = 48;
/// A normal that leans this little along a line counts as across it.
const GRAZING: f64 = 1e-9;
/// Attempts to bring a point inside closer to the surface.
const CLOSER: usize = 6;

/// The body in the world's axes about its own origin, and a line there.
struct Scene<'a> {
    shape: &'a Shape,
    chain: Chain<'a>,
    line: &'a Line,
}

/// The signed distance at one place of the line.
struct Look {
    tau: f64,
    lower: f64,
    upper: f64,
    found: SignedDistance,
}

impl Scene<'_> {
    fn look(&self, tau: f64) -> Look {
        let near = &self.line.near;
        let exact: [Enclosed; 3] = std::array::from_fn(|k| {
            (near.o[k] + Enclosed::about(tau, 0.0) * near.d[k]) * Enclosed::about(1.0 / near.scale, 0.0)
        });
        let point = DVec3::from_array(exact.map(Enclosed::to_f64));
        // What rounding the point moved it by: distances move no more than that.
        let moved: f64 =
            exact.iter().zip(point.to_array()).map(|(&x, p)| (x - Enclosed::about(p, 0.0)).magnitude()).sum::<f64>()
                * ROUND_UP;
        let found = of_convex(self.shape, &self.chain, point);
        Look { tau, lower: (found.lower - moved).next_down(), upper: (found.upper + moved).next_up(), found }
    }

    /// From `start`, outside, in the direction of `sign`, to a place before which the line is outside. `None` if the line
    /// misses.
    fn approach(&self, start: f64, sign: f64, speed: f64) -> Option<Look> {
        let mut before: Option<Look> = None;
        let mut here = self.look(start);
        for _ in 0..STEPS {
            if here.lower <= 0.0 {
                break;
            }
            // A distance cannot shrink faster than the line moves.
            let mut step = here.lower / speed;
            if let Some(before) = &before {
                let fallen = before.upper - here.lower;
                if fallen <= 0.0 {
                    return None;
                }
                // Three roundings, and one of the sum below: rounded down.
                step = step.max(here.lower * ((here.tau - before.tau).abs() / fallen) * (1.0 - 8.0 * UNIT_ROUNDOFF));
            }
            let next = here.tau + sign * step;
            let next = if sign > 0.0 { next.next_down() } else { next.next_up() };
            if (next - here.tau) * sign <= 0.0 {
                break;
            }
            if next * sign > start.abs() {
                // Past the other end of all that the body can reach.
                return None;
            }
            let there = self.look(next);
            before = Some(here);
            here = there;
        }
        Some(here)
    }

    /// A place near `outer` by which the line has entered, given one inside.
    fn entered(&self, outer: &Look, inside: &Look) -> f64 {
        let meets = |inside: &Look| {
            let width = (inside.tau - outer.tau) * (outer.upper / (outer.upper - inside.upper)).clamp(0.0, 1.0);
            let widened = width * (1.0 + 16.0 * UNIT_ROUNDOFF);
            let tau = outer.tau + widened;
            if widened > 0.0 { tau.next_up() } else { tau.next_down() }
        };
        let mut best = meets(inside);
        for _ in 0..CLOSER {
            let closer = outer.tau + 2.0 * (best - outer.tau);
            if (closer - outer.tau).abs() >= (inside.tau - outer.tau).abs() {
                break;
            }
            let look = self.look(closer);
            if look.upper >= 0.0 {
                break;
            }
            let tau = meets(&look);
            if (tau - outer.tau).abs() >= 0.5 * (best - outer.tau).abs() {
                break;
            }
            best = tau;
        }
        best
    }
}

/// A custom body may be flat: then it has two normals at every point.
fn is_flat_across(shape: &Shape, chain: &Chain<'_>, normal: DVec3) -> bool {
    let Shape::Custom(custom) = shape else { return false };
    let own = chain.rounded_to_body(normal);
    let thickness = (custom.support(own) - custom.support(-own)).dot(own);
    thickness <= 2.0 * custom.slack() + 8.0 * UNIT_ROUNDOFF * rounded_up_length(custom.bounds().size())
}

/// Both crossings of a body that is neither a compound nor made of surfaces that a formula meets.
pub(super) fn advance(shape: &Shape, chain: &Chain<'_>, ray: &Ray) -> Option<[Option<Crossing>; 2]> {
    let bounds = shape.bounds();
    let extent = rounded_up_length(0.5 * bounds.size()) * ROUND_UP;
    let line = Line::new(chain, ray.origin, ray.step(), bounds.center(), extent, false)?;
    // The line is relative to the body's origin, so the poses only turn.
    let turned = |pose: &Pose| Pose::new(pose.rotation(), DVec3::ZERO).ok();
    let inner = turned(chain.inner)?;
    let outer = match chain.outer {
        Some(pose) => Some(turned(pose)?),
        None => None,
    };
    let scene = Scene { shape, chain: Chain { outer: outer.as_ref(), inner: &inner }, line: &line };
    let near = &line.near;
    let to_vec = |v: &[Enclosed; 3]| DVec3::from_array(v.map(Enclosed::to_f64));
    let middle = to_vec(&scene.chain.turned::<Enclosed>(bounds.center())) * near.scale;
    let length = to_vec(&near.d).length();
    // Beyond this the line is outside the ball about the body; doubled for all rounding and stretching.
    let far = 2.0 * (extent * near.scale + (to_vec(&near.o) - middle).length()) / length;
    let speed = length / near.scale * ROUND_UP;
    let start = scene.approach(-far, 1.0, speed)?;
    let end = scene.approach(far, -1.0, speed)?;
    if start.tau > end.tau {
        return None;
    }
    let inside = scene.look(0.5 * (start.tau + end.tau));
    let crossing = |found: &SignedDistance, from: f64, to: f64, entering: bool| {
        let tau = Enclosed::between(from.min(to), from.max(to));
        let point_in_body = chain.rounded_to_body(line.point(tau));
        Some(Crossing::bracketed(line.time(tau), point_in_body, found.normal, found.feature, entering))
    };
    if inside.upper < 0.0 {
        let (entered, left) = (scene.entered(&start, &inside), scene.entered(&end, &inside));
        return Some([crossing(&start.found, start.tau, entered, true), crossing(&end.found, end.tau, left, false)]);
    }
    // Grazed: whatever is met of the body is between the two, along the surface that is nearest in the middle, or at a
    // corner, whose normals turn from one side to the other.
    let direction = ray.direction.normalize_or(DVec3::X);
    Some([(true, &start), (false, &end)].map(|(entering, outer)| {
        let against = if entering { direction } else { -direction };
        // A line along a surface faces it but for rounding.
        let faces = |normal: DVec3| normal.dot(against) <= GRAZING;
        let middle = &inside.found;
        if faces(middle.normal) || is_flat_across(shape, chain, middle.normal) {
            let normal = if faces(middle.normal) { middle.normal } else { -middle.normal };
            return crossing(&SignedDistance { normal, ..*middle }, start.tau, end.tau, entering);
        }
        let found = if faces(outer.found.normal) { &outer.found } else { middle };
        crossing(found, start.tau, end.tau, entering)
    }))
}
