//! The local walk: from a separating translation of two solids to a shorter one nearby.
//!
//! The paper (Kim, Otaduy, Lin and Manocha 2002, section 4.4) walks over the triangles of one pairwise sum, and
//! switches sums where another one obstructs. Here the walk is over all sums at once: each pair of triangles near each
//! other after the translation bounds how far B may still move towards A across the plane between them. The shortest
//! translation that all of them allow is the next one, as far as it still separates (Je, Tang, Lee, Lee and Kim,
//! *PolyDepth*, 2012, project in the same way).

use crate::math::tolerances::{SLIDE_DRAWS, SLIDE_FAILURES, SLIDE_STEPS, SLIDE_WALKS, SOLIDS_HINTS};
use glam::DVec3;

use crate::depth::least_point::{HalfSpace, least_point};
use crate::depth::solids::Solids;
use crate::mesh::pair::search::NearestTriangles;

/// A translation no longer than the given separating one, where the walk found no shorter one nearby. The solids touch
/// there, up to the margin.
pub(crate) fn slide(solids: &mut Solids<'_>, from: DVec3) -> DVec3 {
    let mut at = walk(solids, from);
    // A walk stuck before the solids touch continues from where they do.
    for _ in 0..SLIDE_WALKS {
        let drawn = draw_in(solids, at);
        if at.length() - drawn.length() <= 2.0 * solids.margin() {
            return drawn;
        }
        at = walk(solids, drawn);
    }
    draw_in(solids, at)
}

/// Shortens the translation until the solids touch, up to the margin.
///
/// With a gap of `g` between the surfaces, B may be moved by less than `g` in any direction. With regard to the plane
/// between the nearest triangles alone it may move farther towards the origin if the plane is oblique: tried first, as
/// otherwise each move would only remove a part of the gap.
fn draw_in(solids: &mut Solids<'_>, from: DVec3) -> DVec3 {
    let margin = solids.margin();
    let mut at = from;
    for _ in 0..SLIDE_DRAWS {
        let (gap, direction) = solids.surface_gap(at);
        let length = at.length();
        if gap <= 2.0 * margin || length <= 0.0 {
            break;
        }
        let cosine = (direction.dot(at) / length).max(1.0 / 64.0);
        let shorter = [(gap - margin) / cosine, gap - margin]
            .map(|by| at * ((length - by).max(0.0) / length))
            .into_iter()
            .find(|&candidate| solids.are_apart(candidate));
        let Some(shorter) = shorter else { break };
        at = shorter;
    }
    at
}

fn walk(solids: &mut Solids<'_>, from: DVec3) -> DVec3 {
    let margin = solids.margin();
    let mut at = from;
    let mut band = 0.01 * from.length() + 4.0 * margin;
    let mut near: Vec<NearestTriangles> = Vec::new();
    let mut failures = 0;
    for _ in 0..SLIDE_STEPS {
        solids.near(at, band, &mut near);
        // Not all pairs were found: use a narrower band.
        if near.len() >= SOLIDS_HINTS && band > 8.0 * margin {
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
            if failures > SLIDE_FAILURES {
                break;
            }
            continue;
        };
        let way = goal - at;
        // Nothing beyond the band is known.
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
            if failures > SLIDE_FAILURES || band < 2.0 * margin {
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
