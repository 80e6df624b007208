//! Brackets of user-defined bodies: only support points are known, and no piece finishes the approach.
//!
//! Three ways to a narrower bracket or a better witness: [`climb`] turns the direction for separated cores,
//! [`flattened`] uses face planes for touching cores, [`aimed`] looks for aligned points.

use glam::DVec3;

use super::bracket::{SignedGap, sided};
use super::sampled::Sampled;
use crate::convex::gjk::{GapBracket, Pair, Stop, witness};
use crate::convex::simplex::{NearestOnSimplex, Simplex};
use crate::math::simd::plain;
use crate::math::tolerances::{CLIMB_HALVINGS, CLIMB_TURNS, LOWER_BOUND, SMOOTH_POINT, UPPER_BOUND};

/// Narrows the bracket of separated cores by improving its direction alone. On a curved body successive support points
/// come ever closer to each other, until rounding hides on which side of their sliver the next one lies, and GJK ends.
/// The gap proved by supporting planes is a concave function of the direction near its maximum; it rises towards the
/// vector from the support point of one core to the nearest point of the simplex on the other.
#[cold]
pub(super) fn climb(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    simplex: &Simplex,
    start: SignedGap,
    stop: Stop,
) -> SignedGap {
    let mut best = start;
    let mut direction = start.gap.direction;
    let mut turn = 1.0;
    for _ in 0..CLIMB_TURNS {
        let (last_a, last_b) = pair.support(plain(), direction);
        let w = pair.difference(last_a, last_b);
        let proved = pair.lower_bound(direction, 1.0, w);
        // The members of polytopes stay, those of curved cores become the support points.
        let mut renewed = Simplex::default();
        renewed.push(last_a, last_b, w);
        for k in 0..simplex.count {
            let a = if pair.a.core.is_smooth() { last_a } else { simplex.a[k] };
            let b = if pair.b.core.is_smooth() { last_b } else { simplex.b[k] };
            let known = (0..renewed.count).any(|m| (renewed.a[m], renewed.b[m]) == (a, b));
            if !known && renewed.count < 4 {
                renewed.push(a, b, pair.difference(a, b));
            }
        }
        let NearestOnSimplex::At(v) = renewed.reduce() else { break };
        best = pair.joined(best, pair.stopped(&renewed, direction, proved));
        if best.is_accepted(pair.reach, stop) {
            break;
        }
        let Some(way) = v.try_normalize() else { break };
        let mut turned = None;
        for _ in 0..CLIMB_HALVINGS {
            let candidate = (direction + (way - direction) * turn).normalize_or(direction);
            if pair.proved_gap(candidate) > proved {
                turned = Some(candidate);
                break;
            }
            turn *= 0.5;
        }
        let Some(candidate) = turned else { break };
        direction = candidate;
        turn = f64::min(1.25 * turn, 1.0);
    }
    best
}

/// Tilts of the directions that find the corners of a flat face perpendicular to them.
const TILTS: [f64; 2] = [1e-2, 1e-5];

/// Narrows the bracket of cores that touch or nearly touch by the planes of faces. Where flat faces are adjacent, the
/// vector between two points is too short to have an accurate direction. A face perpendicular to it has one: the normal
/// of three of its corners, which are support points along directions tilted to three sides.
#[cold]
pub(super) fn flattened(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, found: SignedGap, stop: Stop) -> SignedGap {
    if found.is_accepted(pair.reach, stop) {
        return found;
    }
    let start = found.gap.direction;
    let (p, q) = start.any_orthonormal_pair();
    let mut best = found;
    for tilt in TILTS {
        let corner = |x: f64, y: f64| {
            let (a, b) = pair.support(plain(), start + (p * x + q * y) * tilt);
            pair.difference(a, b)
        };
        let [u, v, w] = [corner(1.0, 0.0), corner(-0.5, 0.75), corner(-0.5, -0.75)];
        let Some(normal) = (v - u).cross(w - u).try_normalize() else { continue };
        let direction = sided(normal, start);
        let lower = pair.proved_gap(direction);
        if lower > best.gap.lower {
            let between = pair.placement.place(best.gap.point_b) - best.gap.point_a;
            let aside = (between - direction * lower).length();
            best = SignedGap { gap: GapBracket { lower, direction, ..best.gap }, aside, ..best };
        }
    }
    let upper = best.gap.upper.max(best.gap.lower);
    let length = best.gap.length.max(best.gap.lower).min(upper);
    SignedGap { gap: GapBracket { upper, length, ..best.gap }, ..best }
}

/// Replaces the witness by points of the cores that are better aligned along the bracket's direction, if there are any.
/// The difference of the two points sought is known, the direction times the gap: GJK on the differences of support
/// points, but towards that target instead of the origin.
#[cold]
pub(super) fn aimed(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, found: SignedGap) -> SignedGap {
    let target = found.gap.direction * found.gap.lower;
    let mut simplex = Simplex::default();
    let (mut toward, mut last) = (found.gap.direction, f64::INFINITY);
    let mut best = found;
    let mut shortest = (pair.placement.place(found.gap.point_b) - found.gap.point_a).length();
    for _ in 0..CLIMB_TURNS {
        let (a, b) = pair.support(plain(), toward);
        let w = pair.difference(a, b) - target;
        let known = (0..simplex.count).any(|k| simplex.w[k] == w);
        if known || simplex.count == 4 {
            break;
        }
        simplex.push(a, b, w);
        let v = match simplex.reduce() {
            NearestOnSimplex::At(v) => v,
            NearestOnSimplex::Inside => {
                simplex.weigh_origin();
                DVec3::ZERO
            }
        };
        let squared = v.length_squared();
        if squared >= last {
            break;
        }
        (toward, last) = (v, squared);
        let (point_a, point_b) = witness(pair, &simplex);
        let between = pair.placement.place(point_b) - point_a;
        let length = between.length();
        let named = pair.judged(GapBracket { point_a, point_b, ..found.gap }, &simplex);
        let GapBracket { lower, upper, .. } = found.gap;
        let apart = lower > 0.0;
        if if apart { length < shortest } else { named.aside < best.aside } {
            shortest = length;
            // For separated cores the points are the proof.
            let proved =
                if upper >= 0.0 { upper.min(length + (UPPER_BOUND + SMOOTH_POINT) * pair.reach) } else { upper };
            let length = if upper >= 0.0 { length.max(lower).min(proved) } else { found.gap.length };
            best = SignedGap { gap: GapBracket { upper: proved, length, ..named.gap }, common: found.common, ..named };
        }
        if squared == 0.0 || named.aside <= LOWER_BOUND * pair.reach {
            break;
        }
    }
    best
}
