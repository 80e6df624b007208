//! From a translation that separates two solids to one nearby that is shorter: the local walk.
//!
//! The paper (Kim, Otaduy, Lin and Manocha 2002, section 4.4) walks over the triangles of one pairwise sum, and changes the sum where
//! another one is in the way. Here the walk is over all sums at once: triangles that are near each other after the translation
//! each say how far B may still go towards A across the plane between them. The shortest translation that all of them allow is
//! the next one, as far as it still separates (Je, Tang, Lee, Lee and Kim, *PolyDepth*, 2012, project in the same way).

use glam::DVec3;

use super::least_point::{HalfSpace, least_point};
use super::solids::{LOOKED_AT, Solids};
use crate::mesh::pair::Nearest;

/// Steps of a walk at most.
const STEPS: usize = 48;

/// Steps that may lead nowhere.
const FAILURES: usize = 2;

/// A translation no longer than the given one, which separates the solids, at which the walk found no shorter one nearby.
pub(crate) fn slide(solids: &mut Solids<'_>, from: DVec3) -> DVec3 {
    let margin = solids.margin();
    let mut at = from;
    let mut band = 0.01 * from.length() + 4.0 * margin;
    let mut near: Vec<Nearest> = Vec::new();
    let mut failures = 0;
    for _ in 0..STEPS {
        solids.near(at, band, &mut near);
        // Not all were looked at: fewer, then.
        if near.len() >= LOOKED_AT && band > 8.0 * margin {
            band *= 0.25;
            continue;
        }
        let spaces: Vec<HalfSpace> = near
            .iter()
            .map(|found| {
                let normal = found.gap.direction;
                HalfSpace { normal, offset: normal.dot(at) - (found.gap.lower - margin) }
            })
            .collect();
        let Some(goal) = least_point(&spaces, 0.125 * margin) else {
            band *= 0.5;
            failures += 1;
            if failures > FAILURES {
                break;
            }
            continue;
        };
        let way = goal - at;
        // What lies beyond the band is not known of.
        let most = if way.length() > 2.0 * band { 2.0 * band / way.length() } else { 1.0 };
        let mut next = None;
        for part in [1.0, 0.5, 0.25, 0.0625] {
            let candidate = at + way * (most * part);
            if candidate.length() < at.length() && solids.are_apart(candidate) {
                next = Some((candidate, part));
                break;
            }
        }
        let Some((candidate, part)) = next else {
            band *= 0.25;
            failures += 1;
            if failures > FAILURES || band < 2.0 * margin {
                break;
            }
            continue;
        };
        let gained = at.length() - candidate.length();
        at = candidate;
        if gained <= 2.0 * margin {
            break;
        }
        band = if part == 1.0 { (2.0 * band).min(0.5 * at.length()) } else { 0.5 * band }.max(4.0 * margin);
    }
    at
}
