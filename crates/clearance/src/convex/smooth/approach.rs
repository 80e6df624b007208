//! Approach to the closest points of two cores, or to the separating translation where they overlap; and the refinement
//! by surface pieces that finishes it.

use glam::DVec3;

use super::bracket::{SignedGap, judge};
use super::custom::{aimed, climb, flattened};
use super::sampled::Sampled;
use crate::convex::epa::{self, EpaGoal, Polytope};
use crate::convex::gjk::{GapBracket, Pair, Stop, witness};
use crate::convex::patch::{Spot, SurfacePatch};
use crate::convex::point_curved::Facing;
use crate::convex::simplex::{NearestOnSimplex, Simplex};
use crate::convex::stationary::{Outcome, stationary};
use crate::math::simd::plain;
use crate::math::tolerances::{
    DEPTH_ACCURACY, LOWER_BOUND, SMOOTH_ACCEPT, SMOOTH_BORDER_MOVES, SMOOTH_EXPANSION, SMOOTH_ITERATIONS, SMOOTH_POINT,
    SMOOTH_TRY_WIDTH, SMOOTH_TRY_WIDTH_ONE_MEMBER, UNIT_ROUNDOFF, UPPER_BOUND,
};

/// The narrowest bracket possible.
const UNLIMITED: Stop = Stop { farther_than: f64::INFINITY, tolerance: 0.0 };

/// The signed gap of two placed cores. `hint` is an initial direction from A to B. The search stops for cores proved to
/// be no farther apart than `meets_within`, and, where that is zero or more, for cores that overlap.
pub(crate) fn signed_gap(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    hint: Option<DVec3>,
    stop: Stop,
    meets_within: f64,
    polytope: &mut Polytope,
) -> SignedGap {
    let found = approached(pair, hint, stop, meets_within, polytope);
    let found = if found.gap.upper >= 0.0 && pair.is_custom() && meets_within < 0.0 {
        flattened(pair, found, stop)
    } else {
        found
    };
    let complete = meets_within < 0.0 && stop.tolerance <= 0.0 && found.gap.lower <= stop.farther_than;
    // Between separated cores a misalignment has only a second-order effect.
    let off = if found.gap.lower > 0.0 { found.width() } else { found.aside } > SMOOTH_ACCEPT * pair.reach;
    if complete && off && pair.is_custom() { aimed(pair, found) } else { found }
}

fn approached(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    hint: Option<DVec3>,
    stop: Stop,
    meets_within: f64,
    polytope: &mut Polytope,
) -> SignedGap {
    if let Some(found) = by_formula(pair)
        && found.is_accepted(pair.reach, stop)
    {
        return found;
    }
    let simplex = &mut Simplex::default();
    let start = hint.unwrap_or(pair.placement.translation);
    let mut direction = start.try_normalize().unwrap_or(DVec3::X);
    let found = pair.support(plain(), direction);
    let w = pair.difference(found.0, found.1);
    simplex.push(found.0, found.1, w);
    let noise = LOWER_BOUND * pair.reach;
    // Where there are radii, the points must lie along the direction.
    if meets_within == 0.0 && direction.dot(w) > stop.farther_than + 2.0 * noise {
        simplex.weight[0] = 1.0;
        return pair.stopped(simplex, direction, pair.lower_bound(direction, 1.0, w));
    }
    let mut best: Option<SignedGap> = None;
    let mut tolerance = 1e-3 * pair.reach;
    let mut last = f64::INFINITY;
    for _ in 0..SMOOTH_ITERATIONS {
        let v = match simplex.reduce() {
            NearestOnSimplex::At(v) => v,
            NearestOnSimplex::Inside
                if meets_within >= 0.0
                    && is_surely_inside(simplex, pair.reach)
                    && simplex.weigh_origin() <= SMOOTH_ACCEPT * pair.reach =>
            {
                return pair.meeting(simplex, direction);
            }
            NearestOnSimplex::Inside if is_surely_inside(simplex, pair.reach) => {
                return overlapping(pair, simplex, best, meets_within >= 0.0, polytope);
            }
            NearestOnSimplex::Inside => {
                // Next to contact this may be due to rounding.
                let polished = polish(pair, simplex, direction, 0.1);
                if polished.is_accepted(pair.reach, stop) {
                    return polished;
                }
                return overlapping(pair, simplex, Some(pair.keep(best, polished)), meets_within >= 0.0, polytope);
            }
        };
        let squared = v.dot(v);
        let length = squared.sqrt();
        if length <= noise {
            break;
        }
        direction = v * (1.0 / length);
        if length + (UPPER_BOUND + SMOOTH_POINT) * pair.reach < meets_within {
            return pair.meeting(simplex, direction);
        }
        let found = pair.support(plain(), v);
        let w = pair.difference(found.0, found.1);
        let gap = v.dot(w) / length;
        let width = length - gap;
        if gap > stop.farther_than + 2.0 * noise {
            let stopped = pair.stopped(simplex, direction, pair.lower_bound(v, length, w));
            return pair.keep(best, stopped);
        }
        let few = if simplex.count == 1 { SMOOTH_TRY_WIDTH_ONE_MEMBER } else { SMOOTH_TRY_WIDTH };
        if width <= few * pair.reach
            && let Some(found) = attempt(pair, simplex, direction, true)
            && found.is_accepted(pair.reach, stop)
        {
            return found;
        }
        if width <= tolerance || squared >= last {
            let tilt = (2.0 * (width / length).max(0.0).sqrt()).clamp(1e-3, 0.3);
            let polished = polish(pair, simplex, direction, tilt);
            best = Some(pair.keep(best, polished));
            if polished.is_accepted(pair.reach, stop) || squared >= last {
                break;
            }
            tolerance = 0.05 * width.min(tolerance);
        }
        if width <= noise {
            break;
        }
        last = squared;
        simplex.push(found.0, found.1, w);
    }
    let is_good = |found: &SignedGap| found.is_accepted(pair.reach, stop) && (found.settled || stop.tolerance > 0.0);
    if let Some(best) = best.filter(is_good) {
        return best;
    }
    let found = pair.keep(best, polish(pair, simplex, direction, 0.1));
    let found = if is_good(&found) { found } else { polish_all(pair, found) };
    let found = if found.gap.lower > 0.0 && pair.is_custom() { climb(pair, simplex, found, stop) } else { found };
    let found = if found.settled { found } else { pair.on_surfaces(found, simplex) };
    // The origin may lie on a flat simplex.
    let open = found.gap.lower <= 0.0 && !found.is_accepted(pair.reach, stop);
    if open { overlapping(pair, simplex, Some(found), meets_within >= 0.0, polytope) } else { found }
}

/// The bracket of the pieces indicated by the simplex, if it is easily found; see
/// [`stationary`](crate::convex::stationary). `apart` says that the cores are known not to overlap.
fn attempt(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    simplex: &Simplex,
    direction: DVec3,
    apart: bool,
) -> Option<SignedGap> {
    let map = pair.placement;
    let (mut at_a, mut at_b) = witness(pair, simplex);
    let mut candidate_a = pair.a.likely(&simplex.a[..simplex.count], &simplex.weight, at_a)?;
    let mut candidate_b = pair.b.likely(&simplex.b[..simplex.count], &simplex.weight, at_b)?;
    for _ in 0..=SMOOTH_BORDER_MOVES {
        match stationary((&candidate_a.piece, at_a), (&candidate_b.piece, at_b), direction, map, apart) {
            Outcome::Found(found) => {
                let outward_b = map.turn_back(-found.normal);
                let a = Spot::near(candidate_a.piece, found.point_a, found.normal);
                let b = Spot::near(candidate_b.piece, found.point_b, outward_b);
                let noise = SMOOTH_ACCEPT * pair.reach;
                // Beyond the ends of a piece the points are not aligned.
                let w = map.place(b.point()) - a.point();
                if (w - found.normal * w.dot(found.normal)).length_squared() <= noise * noise {
                    return Some(judge(pair, (&a, candidate_a.members), (&b, candidate_b.members), found.normal));
                }
                let (off_a, off_b) = (a.off(found.point_a), b.off(found.point_b));
                if off_a > off_b {
                    candidate_a = candidate_a.border(found.point_a, found.normal)?;
                    at_a = a.point();
                } else {
                    candidate_b = candidate_b.border(found.point_b, outward_b)?;
                    at_b = b.point();
                }
            }
            Outcome::Parallel { off_a, off_b } if off_a > off_b => {
                candidate_a = candidate_a.border(at_a, direction)?;
                at_a = Spot::near(candidate_a.piece, at_a, direction).point();
            }
            Outcome::Parallel { .. } => {
                let outward = map.turn_back(-direction);
                candidate_b = candidate_b.border(at_b, outward)?;
                at_b = Spot::near(candidate_b.piece, at_b, outward).point();
            }
            Outcome::Lost => return None,
        }
    }
    None
}

/// The bracket of a point and a curved core whose nearest piece has a closed form.
fn by_formula(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>) -> Option<SignedGap> {
    let Facing { piece, point, outward, .. } = pair.facing()?;
    let direction = -pair.placement.turn(outward).try_normalize()?;
    let (a, b) =
        (Spot::near(SurfacePatch::Point(DVec3::ZERO), DVec3::ZERO, direction), Spot::near(piece, point, outward));
    Some(judge(pair, (&a, [0; 4]), (&b, [0; 4]), direction))
}

/// True when the origin lies in a tetrahedron of support points, each off by `12u` of the reach: each face is farther
/// away than that. The volumes themselves are off by `tolerances::DETERMINANT`, as much again.
fn is_surely_inside(simplex: &Simplex, reach: f64) -> bool {
    let [a, b, c, d] = simplex.w;
    let sides = [(a, b, c), (a, c, d), (a, d, b), (b, d, c)];
    let inside = |(p, q, r): (DVec3, DVec3, DVec3)| {
        let n = (q - p).cross(r - p);
        n.dot(p) / n.length()
    };
    let heights = sides.map(inside);
    let noise = 64.0 * UNIT_ROUNDOFF * reach;
    heights.iter().all(|height| *height > noise) || heights.iter().all(|height| *height < -noise)
}

/// The bracket for cores that overlap, from a simplex around the origin: an expanding polytope finds an approximate
/// separating translation, and is refined until the polished bracket is narrow enough. `wants_point` requests a common
/// point.
#[cold]
fn overlapping(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    simplex: &mut Simplex,
    best: Option<SignedGap>,
    wants_point: bool,
    polytope: &mut Polytope,
) -> SignedGap {
    let start = *simplex;
    let mut best = best;
    for (stage, tolerance) in SMOOTH_EXPANSION.into_iter().enumerate() {
        // For slender bodies the depth is far below the reach.
        let depth = best.map_or(pair.reach, |best| -best.gap.lower).clamp(0.0, pair.reach);
        let least = SMOOTH_EXPANSION[SMOOTH_EXPANSION.len() - 1] * pair.reach;
        let wanted = EpaGoal { enough: f64::INFINITY, tolerance: (tolerance * depth).max(least) };
        let depth = if stage == 0 {
            epa::depth(plain(), pair, &start, wanted, polytope)
        } else {
            epa::finer_depth(plain(), pair, &start, wanted, polytope)
        };
        *simplex = depth.simplex;
        // The corners of the polytope are support points, with rounding errors.
        let upper = depth.gap.upper + SMOOTH_POINT * pair.reach;
        let mut expanded = pair.judged(GapBracket { upper, ..depth.gap }, simplex);
        if wants_point && upper < 0.0 && best.is_none_or(|best| best.common.is_none()) {
            expanded.common = polytope.about_origin().map(|about| witness(pair, &about));
        }
        // A stationary pair of points that the polytope has not improved on needs no further polish.
        let noise = SMOOTH_ACCEPT * pair.reach;
        let stationary = best.filter(|best| best.settled && best.is_behind(pair.reach));
        let mut both = match stationary {
            Some(best) if expanded.gap.lower <= best.gap.lower + noise => pair.joined(best, expanded),
            _ => {
                let polished = attempt(pair, simplex, depth.gap.direction, false)
                    .filter(|found| found.is_behind(pair.reach) && found.gap.lower >= expanded.gap.lower - noise)
                    .unwrap_or_else(|| {
                        let tilt = (2.0 * tolerance.sqrt()).clamp(1e-3, 0.3);
                        polish(pair, simplex, depth.gap.direction, tilt)
                    });
                pair.keep(best, pair.joined(polished, expanded))
            }
        };
        // The reach may be twice the size that the promised accuracy refers to.
        let narrow = |found: &SignedGap| found.width() <= 0.25 * DEPTH_ACCURACY * pair.reach;
        let done = |found: &SignedGap| narrow(found) && found.is_behind(pair.reach);
        // The polytope may have converged along chords of the wrong pieces.
        if tolerance <= 1e-6 && !done(&both) && !both.is_behind(pair.reach) {
            both = polish_all(pair, both);
        }
        best = Some(both);
        if done(&both) {
            break;
        }
    }
    let best = best.unwrap_or_else(|| certify(pair, simplex, DVec3::X));
    if best.settled { best } else { pair.on_surfaces(best, simplex) }
}

/// The bracket of a simplex as it is, perpendicular to a unit direction.
fn certify(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, simplex: &Simplex, direction: DVec3) -> SignedGap {
    pair.stopped(simplex, direction, pair.proved_gap(direction))
}

/// Refines the pieces indicated by the simplex and the direction, and takes the best bracket of all candidate
/// combinations.
fn polish(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, simplex: &Simplex, direction: DVec3, tilt: f64) -> SignedGap {
    let mut best = certify(pair, simplex, direction);
    let GapBracket { lower: start, point_a, point_b, .. } = best.gap;
    let outward_b = pair.placement.turn_back(-direction);
    let pieces_a = pair.a.pieces(&simplex.a[..simplex.count], &simplex.weight, direction, tilt);
    let pieces_b = pair.b.pieces(&simplex.b[..simplex.count], &simplex.weight, outward_b, tilt);
    for candidate_a in pieces_a.into_iter().flatten() {
        for candidate_b in pieces_b.into_iter().flatten() {
            let settled = pair.easily_settled((&candidate_a, point_a), (&candidate_b, point_b), direction);
            best = pair.joined(best, settled);
            // Overlapping cores are settled where the separating translation is stationary, and no longer than before.
            let out = settled.gap.lower < 0.0 && settled.gap.lower >= start && settled.is_behind(pair.reach);
            if out || best.is_accepted(pair.reach, UNLIMITED) {
                return best;
            }
        }
    }
    best
}

/// The last resort for a bracket that is too wide: all pairs of pieces near its witness points.
#[cold]
fn polish_all(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, start: SignedGap) -> SignedGap {
    let GapBracket { direction, point_a, point_b, .. } = start.gap;
    let pieces_a = pair.a.all_pieces(point_a, direction);
    let pieces_b = pair.b.all_pieces(point_b, pair.placement.turn_back(-direction));
    let mut best = start;
    for (candidate_a, start_a) in pieces_a.iter() {
        for (candidate_b, start_b) in pieces_b.iter() {
            let settled = pair.settled((candidate_a, *start_a), (candidate_b, *start_b), direction);
            best = pair.joined(best, settled);
            if best.is_accepted(pair.reach, UNLIMITED) {
                return best;
            }
        }
    }
    best
}
