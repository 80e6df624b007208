//! Ray casts against convex bodies known only by their signed distance: rounded and custom bodies.
//!
//! The signed distance along a line, `f`, is convex. Nothing else is used, apart from brackets of `f` at single points,
//! so no normal, slope or smoothness is trusted (van den Bergen, *Ray Casting against General Convex Objects*, 2004,
//! has the idea of advancing to a supporting plane; here a chord of `f` replaces the plane):
//! - where `f` is known to be positive at `a` and `b > a`, the chord through (a, upper bound) and (b, lower bound),
//!   extended beyond `b`, is below `f`: the line cannot enter before the chord crosses zero. If the chord does not
//!   descend, it never enters. From both sides this gives an outer bound of the interval;
//! - between a point at the outer bound and one inside, `f` is below the chord of its upper bounds: the line has
//!   entered where that chord crosses zero.

use glam::DVec3;

use crate::answer::point::SignedDistance;
use crate::answer::ray::Ray;
use crate::convex::core::{AnyCore, Body, Core};
use crate::geom::ray_frame::{Chain, Line, unit};
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::simd::plain;
use crate::math::tolerances::{
    RAY_ADVANCE_STEPS, RAY_ENTRY_STEPS, RAY_GRAZING, RAY_NORMAL_OFFSET, ROUND_UP, UNIT_ROUNDOFF,
};
use crate::ray::crossing::Crossing;
use crate::ray::point_convex::signed_distance;
use crate::shape::Feature;
use crate::shape::{Shape, rounded_up_length};

/// The body in world axes about its own origin, and a line there.
struct Scene<'a> {
    shape: &'a Shape,
    chain: Chain<'a>,
    line: &'a Line,
}

/// The signed distance at one point of the line.
#[derive(Clone, Copy)]
struct Sample {
    tau: f64,
    lower: f64,
    upper: f64,
    found: SignedDistance,
}

impl Scene<'_> {
    fn sample(&self, tau: f64) -> Sample {
        let near = &self.line.near;
        let exact: [Enclosed; 3] =
            std::array::from_fn(|k| (near.o[k] + Enclosed::about(tau, 0.0) * near.d[k]).times_power(1.0 / near.scale));
        let point = DVec3::from_array(exact.map(Enclosed::to_f64));
        // Rounding displaced the point by this much: distances change by no more.
        let moved: f64 =
            exact.iter().zip(point.to_array()).map(|(&x, p)| (x - Enclosed::about(p, 0.0)).magnitude()).sum::<f64>()
                * ROUND_UP;
        let found = signed_distance(self.shape, &self.chain, point);
        Sample {
            tau,
            lower: (found.distance.lower - moved).next_down(),
            upper: (found.distance.upper + moved).next_up(),
            found,
        }
    }

    /// From `start`, outside, in the direction of `sign`, to a place before which the line is outside. `None` if the
    /// line misses.
    fn approach(&self, start: f64, sign: f64, speed: f64) -> Option<Sample> {
        let mut before: Option<Sample> = None;
        let mut here = self.sample(start);
        for _ in 0..RAY_ADVANCE_STEPS {
            if here.lower <= 0.0 {
                break;
            }
            // A distance cannot decrease faster than the line advances.
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
                // Past the far end of the body's bounds.
                return None;
            }
            let there = self.sample(next);
            before = Some(here);
            here = there;
        }
        Some(here)
    }

    /// A place near `outer` by which the line has entered, given one inside: where the chord between the two crosses
    /// zero, or a place nearer to `outer` that proved to be inside. Steps from `outer` double, so where the chord is
    /// inconclusive, because the error of `f` at `outer` is as large as the depth along the way, the place is found
    /// within a factor of two of the resolution.
    fn entered(&self, outer: &Sample, inside: Sample, speed: f64) -> (f64, Sample) {
        let meets = |inside: &Sample| {
            let width = (inside.tau - outer.tau) * (outer.upper / (outer.upper - inside.upper)).clamp(0.0, 1.0);
            let widened = width * (1.0 + 16.0 * UNIT_ROUNDOFF);
            let tau = outer.tau + widened;
            let tau = if widened > 0.0 { tau.next_up() } else { tau.next_down() };
            // The line has entered by the inside point.
            if (tau - outer.tau).abs() < (inside.tau - outer.tau).abs() { tau } else { inside.tau }
        };
        let reach = inside.tau - outer.tau;
        // The line stays outside for as far as `outer` is known to be outside, and at least for its rounding.
        let least = (outer.lower.max(0.0) / speed).max(f64::EPSILON * outer.tau.abs()).max(f64::EPSILON * reach.abs());
        let mut step = least;
        let (mut best, mut found) = (meets(&inside), inside);
        for _ in 0..RAY_ENTRY_STEPS {
            if step >= (best - outer.tau).abs() {
                break;
            }
            let sample = self.sample(outer.tau + step.copysign(reach));
            if sample.upper < 0.0 {
                best = meets(&sample);
                found = sample;
                break;
            }
            step *= 2.0;
        }
        (best, found)
    }
}

/// A custom body may be flat: it then has two normals at every point.
fn is_flat_across(shape: &Shape, chain: &Chain<'_>, normal: DVec3) -> bool {
    let Shape::Custom(custom) = shape else { return false };
    let own = chain.rounded_to_body(normal);
    let thickness = (custom.support(own) - custom.support(-own)).dot(own);
    thickness <= 2.0 * custom.slack() + 8.0 * UNIT_ROUNDOFF * rounded_up_length(custom.bounds().size())
}

/// Both crossings of a body that is neither a compound nor bounded by surfaces with a closed-form intersection.
pub(crate) fn advance(shape: &Shape, chain: &Chain<'_>, ray: &Ray) -> Option<[Option<Crossing>; 2]> {
    let bounds = shape.bounds();
    let extent = rounded_up_length(0.5 * bounds.size()) * ROUND_UP;
    let line = Line::new(chain, ray.origin, ray.step(), bounds.center(), extent, false)?;
    // The line is relative to the body's origin, so the poses only rotate.
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
    // Beyond this the line is outside the body's bounding sphere; doubled for all rounding and stretching.
    let far = 2.0 * (extent * near.scale + (to_vec(&near.o) - middle).length()) / length;
    let speed = length / near.scale * ROUND_UP;
    let start = scene.approach(-far, 1.0, speed)?;
    let end = scene.approach(far, -1.0, speed)?;
    if start.tau > end.tau {
        return None;
    }
    let inside = scene.sample(0.5 * (start.tau + end.tau));
    let direction = unit(ray.direction);
    let crossing = |outer: &Sample, to: f64, entering: bool, seen: [&SignedDistance; 3]| {
        let tau = Enclosed::between(outer.tau.min(to), outer.tau.max(to));
        let at = line.point(tau);
        let against = if entering { direction } else { -direction };
        let bracket = Bracket { at, against, width: (to - outer.tau).abs() * speed, size: extent + extent };
        let mut shown = shown(&scene, &seen, &bracket);
        if shown.misfit > bracket.allowed() {
            // Next to a corner, rounding picks one of its faces; a little farther out the normal faces the line.
            let away = RAY_NORMAL_OFFSET * bracket.size / speed;
            let outside = scene.sample(if entering { outer.tau - away } else { outer.tau + away }).found;
            let again = self::shown(&scene, &[&outside, seen[0], seen[1], seen[2]], &bracket);
            if again.misfit < shown.misfit {
                shown = again;
            }
        }
        let point_in_body = chain.rounded_to_body(at);
        Some(Crossing::bracketed(line.time(tau), point_in_body, shown.normal, shown.feature, entering))
    };
    let (first, middle, last) = (&start.found, &inside.found, &end.found);
    if inside.upper < 0.0 {
        let (entered, within) = scene.entered(&start, inside, speed);
        let (left, without) = scene.entered(&end, inside, speed);
        return Some([
            crossing(&start, entered, true, [first, &within.found, middle]),
            crossing(&end, left, false, [last, &without.found, middle]),
        ]);
    }
    // Grazing: the intersection, if any, lies between the two, along the surface nearest at the midpoint, or at a
    // corner, whose normals turn from one side to the other.
    Some([
        crossing(&start, end.tau, true, [middle, first, last]),
        crossing(&end, start.tau, false, [middle, last, first]),
    ])
}

/// The bracket of a crossing.
struct Bracket {
    /// Its midpoint, about the body's origin in world axes.
    at: DVec3,
    /// The direction of the line, reversed at an exit.
    against: DVec3,
    width: f64,
    /// The diameter of the body.
    size: f64,
}

impl Bracket {
    /// The misfit below which no better normal is needed.
    fn allowed(&self) -> f64 {
        0.125 * RAY_GRAZING * self.size
    }
}

/// The normal and feature reported for a crossing.
struct Shown {
    normal: DVec3,
    feature: Feature,
    /// How far the body extends beyond the plane perpendicular to the normal, or how far the plane departs from the
    /// line within the bracket.
    misfit: f64,
}

/// The normal and the feature to report for a crossing, chosen from those found nearby.
///
/// A normal must face the line, and the body must be behind the plane perpendicular to it. For a crossing with a wide
/// bracket, the plane must also stay near the line all along the bracket. Normals between those of the faces at an edge
/// or a corner are equally valid, including the one perpendicular to the line; and one that is perpendicular up to the
/// accuracy of the search is made exactly so.
fn shown(scene: &Scene<'_>, seen: &[&SignedDistance], bracket: &Bracket) -> Shown {
    let Bracket { at, against, width, .. } = *bracket;
    let across = |normal: DVec3| (normal - against * normal.dot(against)).try_normalize();
    let between = |one: DVec3, other: DVec3| {
        let (along, back) = (one.dot(against), other.dot(against));
        if along * back < 0.0 { (one * back.abs() + other * along.abs()).try_normalize() } else { None }
    };
    let misfit = |normal: DVec3| {
        let along = normal.dot(against);
        if along > RAY_GRAZING { f64::INFINITY } else { reach_beyond(scene, normal, at).max(width * along.abs()) }
    };
    let mut best = Shown { normal: seen[0].normal, feature: seen[0].witness.feature, misfit: misfit(seen[0].normal) };
    if best.misfit <= bracket.allowed() {
        return best;
    }
    let mut consider = |normal: Option<DVec3>, feature: Feature| {
        if best.misfit <= bracket.allowed() {
            return;
        }
        if let Some(normal) = normal
            && misfit(normal) < best.misfit
        {
            best = Shown { normal, feature, misfit: misfit(normal) };
        }
    };
    for found in &seen[1..] {
        consider(Some(found.normal), found.witness.feature);
    }
    for found in seen {
        let flat = is_flat_across(scene.shape, &scene.chain, found.normal);
        consider(flat.then_some(-found.normal), found.witness.feature);
        consider(across(found.normal), found.witness.feature);
    }
    for (k, one) in seen.iter().enumerate() {
        for other in &seen[k + 1..] {
            consider(between(one.normal, other.normal), one.witness.feature);
        }
    }
    best
}

/// How far a body extends beyond the plane through a point perpendicular to a normal, all about the body's origin in
/// world axes.
fn reach_beyond(scene: &Scene<'_>, normal: DVec3, at: DVec3) -> f64 {
    let Body { core, radius, origin, .. } = Body::of(scene.shape);
    let own = scene.chain.rounded_to_body(normal);
    let farthest = match core {
        AnyCore::Smooth(smooth) => smooth.farthest(own),
        core => core.vertex(core.support(plain(), own)),
    };
    let far = DVec3::from_array(scene.chain.turned::<Enclosed>(farthest + origin).map(Enclosed::to_f64));
    (far - at).dot(normal) + radius
}
