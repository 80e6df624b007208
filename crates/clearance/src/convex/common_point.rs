//! A common point of two cores, at least one of them curved.
//!
//! The method that found the overlap often knows one: a point of one core deep in the other, or four corners around the
//! origin. Where the cores overlap by little more than rounding it does not, and the point is found by alternating
//! projections (von Neumann): for convex sets that intersect, the two sequences of nearest points converge to each
//! other.

use glam::DVec3;

use super::gjk::{GapBracket, Pair};
use super::smooth::{Sampled, SignedGap};
use crate::math::tolerances::{ALTERNATING_PROJECTIONS, CONTACT_RESIDUAL};

/// Two points of cores that intersect, as close to each other as rounding allows. `found` is what is known of their
/// gap.
#[cold]
pub(crate) fn common_point(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, found: &SignedGap) -> (DVec3, DVec3) {
    let map = pair.placement;
    let apart = |points: &(DVec3, DVec3)| map.place(points.1).distance(points.0);
    let GapBracket { point_a, point_b, .. } = found.gap;
    let mut best = (point_a, point_b);
    if let Some(common) = found.common.filter(|common| apart(common) <= apart(&best)) {
        best = common;
    }
    let mut at = best;
    for turn in 0..ALTERNATING_PROJECTIONS {
        if apart(&best) <= CONTACT_RESIDUAL * pair.reach {
            break;
        }
        if turn % 2 == 0 {
            at.1 = pair.b.core.nearest(map.turn_back(at.0 - map.translation));
        } else {
            at.0 = pair.a.core.nearest(map.place(at.1));
        }
        if apart(&at) < apart(&best) {
            best = at;
        }
    }
    best
}
