//! Where a line meets a convex body that is known by its signed distance: rounded and custom bodies.
//!
//! The signed distance along a line, `f`, is convex. That is all this uses, with brackets of `f` at single points, so
//! no normal, slope or smoothness is trusted (van den Bergen, *Ray Casting against General Convex Objects*, 2004, has
//! the idea of moving up to a supporting plane; here a chord of `f` takes the plane's place):
//! - where `f` is known to be positive at `a` and `b > a`, the chord through (a, upper bound) and (b, lower bound),
//!   drawn on beyond `b`, is below `f`: the line cannot enter before the chord meets zero. If the chord does not fall,
//!   it never enters. From both sides this gives an outer bound of the interval;
//! - between a point at the outer bound and one inside, `f` is below the chord of its upper bounds: the line has
//!   entered where that chord meets zero.

use glam::DVec3;

use crate::answer::point::SignedDistance;
use crate::answer::ray::Ray;
use crate::convex::core::{AnyCore, Body, Core};
use crate::geom::ray_frame::{Chain, Line, unit};
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::simd::plain;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::ray::crossing::Crossing;
use crate::ray::point_convex::signed_distance;
use crate::shape::Feature;
use crate::shape::{Shape, rounded_up_length};

/// Steps towards the body from one side. Chords converge faster than linearly: a dozen steps is usual.
const STEPS: usize = 48;

/// A normal that leans this little along a line counts as across it.
const GRAZING: f64 = 1e-9;

/// How far before a crossing the normal is looked at where it is open at the crossing, relative to the size: next to
/// what `verify` allows for, and far beyond rounding.
const OUTSIDE: f64 = 1e-10;

/// Attempts to find a point inside closer to the surface: steps double from some `u` of the body to all of it.
const CLOSER: usize = 56;

/// The body in the world's axes about its own origin, and a line there.
struct Scene<'a> {
    shape: &'a Shape,
    chain: Chain<'a>,
    line: &'a Line,
}

/// The signed distance at one place of the line.
#[derive(Clone, Copy)]
struct Look {
    tau: f64,
    lower: f64,
    upper: f64,
    found: SignedDistance,
}

impl Scene<'_> {
    fn look(&self, tau: f64) -> Look {
        let near = &self.line.near;
        let exact: [Enclosed; 3] =
            std::array::from_fn(|k| (near.o[k] + Enclosed::about(tau, 0.0) * near.d[k]).times_power(1.0 / near.scale));
        let point = DVec3::from_array(exact.map(Enclosed::to_f64));
        // What rounding the point moved it by: distances move no more than that.
        let moved: f64 =
            exact.iter().zip(point.to_array()).map(|(&x, p)| (x - Enclosed::about(p, 0.0)).magnitude()).sum::<f64>()
                * ROUND_UP;
        let found = signed_distance(self.shape, &self.chain, point);
        Look {
            tau,
            lower: (found.distance.lower - moved).next_down(),
            upper: (found.distance.upper + moved).next_up(),
            found,
        }
    }

    /// From `start`, outside, in the direction of `sign`, to a place before which the line is outside. `None` if the
    /// line misses.
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

    /// A place near `outer` by which the line has entered, given one inside: where the chord between the two meets
    /// zero, or a place nearer to `outer` that was seen inside. Steps from `outer` double, so what the chord cannot
    /// tell, because `f` at `outer` is known no better than it is deep along the way, is found to within a factor of
    /// two of what can be seen.
    fn entered(&self, outer: &Look, inside: Look, speed: f64) -> (f64, Look) {
        let meets = |inside: &Look| {
            let width = (inside.tau - outer.tau) * (outer.upper / (outer.upper - inside.upper)).clamp(0.0, 1.0);
            let widened = width * (1.0 + 16.0 * UNIT_ROUNDOFF);
            let tau = outer.tau + widened;
            let tau = if widened > 0.0 { tau.next_up() } else { tau.next_down() };
            // The place inside is one by which it has entered.
            if (tau - outer.tau).abs() < (inside.tau - outer.tau).abs() { tau } else { inside.tau }
        };
        let reach = inside.tau - outer.tau;
        // Nothing is inside before the line has gone as far as `outer` is known to be outside, nor within its rounding.
        let least = (outer.lower.max(0.0) / speed).max(f64::EPSILON * outer.tau.abs()).max(f64::EPSILON * reach.abs());
        let mut step = least;
        let (mut best, mut found) = (meets(&inside), inside);
        for _ in 0..CLOSER {
            if step >= (best - outer.tau).abs() {
                break;
            }
            let look = self.look(outer.tau + step.copysign(reach));
            if look.upper < 0.0 {
                best = meets(&look);
                found = look;
                break;
            }
            step *= 2.0;
        }
        (best, found)
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
pub(crate) fn advance(shape: &Shape, chain: &Chain<'_>, ray: &Ray) -> Option<[Option<Crossing>; 2]> {
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
    let direction = unit(ray.direction);
    let crossing = |outer: &Look, to: f64, entering: bool, seen: [&SignedDistance; 3]| {
        let tau = Enclosed::between(outer.tau.min(to), outer.tau.max(to));
        let at = line.point(tau);
        let against = if entering { direction } else { -direction };
        let bracket = Bracket { at, against, width: (to - outer.tau).abs() * speed, size: extent + extent };
        let mut shown = shown(&scene, &seen, &bracket);
        if shown.misfit > bracket.allowed() {
            // Next to a corner rounding picks one of its faces; a little farther out the normal faces the line.
            let away = OUTSIDE * bracket.size / speed;
            let outside = scene.look(if entering { outer.tau - away } else { outer.tau + away }).found;
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
    // Grazed: whatever is met of the body is between the two, along the surface that is nearest in the middle, or at a
    // corner, whose normals turn from one side to the other.
    Some([
        crossing(&start, end.tau, true, [middle, first, last]),
        crossing(&end, start.tau, false, [middle, last, first]),
    ])
}

/// Where a crossing is known to lie.
struct Bracket {
    /// The middle of it, about the body's origin in the world's axes.
    at: DVec3,
    /// The direction of the line, or against it where it leaves.
    against: DVec3,
    width: f64,
    /// The diameter of the body.
    size: f64,
}

impl Bracket {
    /// The misfit of a normal that needs no better one.
    fn allowed(&self) -> f64 {
        0.125 * GRAZING * self.size
    }
}

/// What to show for a crossing.
struct Shown {
    normal: DVec3,
    feature: Feature,
    /// How far the body reaches beyond the plane across the normal, or by how much the plane leaves the line within the
    /// bracket.
    misfit: f64,
}

/// The normal and the feature to show for a crossing, from those seen near by.
///
/// A normal must face the line, and the body must be behind the plane across it. Of a crossing that is known to lie in
/// a wide bracket, the plane must also be near the line all along it. The normals between those of an edge's or a
/// corner's faces are as good, and so is the one of them that is across the line; and one that is across the line but
/// for the accuracy of the search is taken across it.
fn shown(scene: &Scene<'_>, seen: &[&SignedDistance], bracket: &Bracket) -> Shown {
    let Bracket { at, against, width, .. } = *bracket;
    let across = |normal: DVec3| (normal - against * normal.dot(against)).try_normalize();
    let between = |one: DVec3, other: DVec3| {
        let (along, back) = (one.dot(against), other.dot(against));
        if along * back < 0.0 { (one * back.abs() + other * along.abs()).try_normalize() } else { None }
    };
    let misfit = |normal: DVec3| {
        let along = normal.dot(against);
        if along > GRAZING { f64::INFINITY } else { reach_beyond(scene, normal, at).max(width * along.abs()) }
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

/// How far a body reaches beyond the plane through a point across a normal, all about the body's origin in the world's
/// axes.
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
