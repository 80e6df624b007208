//! A first separating translation of two solids, by one of two searches; [`lower_bound`](super::lower_bound) converges
//! on the depth from there.

use crate::math::tolerances::{SEARCH_FARTHER, SEARCH_WALKS};
use fearless_simd::Level;
use glam::DVec3;

use super::along::Way;
use super::levels::{LevelDone, descend};
use super::slide::slide;
use super::solids::Solids;
use crate::math::cancel::checkpoint;

/// A separating translation by exit distances along 26 directions, to the faces, edges and corners of a cube, each
/// shortened by the local walk. The shortest path is advanced first, so none is followed much farther than the first
/// exit.
pub(crate) fn by_directions(solids: &mut Solids<'_>) -> Option<DVec3> {
    let all = (0..27).map(|k| DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1)));
    let mut open: Vec<Way> = all.filter_map(DVec3::try_normalize).map(|way| Way::new(DVec3::ZERO, way)).collect();
    let most = 4.0 * solids.scale();
    let mut out: Vec<DVec3> = Vec::new();
    while let Some(k) = (0..open.len()).min_by(|&i, &j| open[i].length.total_cmp(&open[j].length)) {
        checkpoint();
        let bound = out.first().map_or(most, |first| SEARCH_FARTHER * first.length());
        if open[k].length > bound || out.len() == SEARCH_WALKS {
            break;
        }
        if open[k].is_out(solids) {
            out.push(open.swap_remove(k).end());
        }
    }
    let walked: Vec<DVec3> = out.into_iter().map(|way| slide(solids, way)).collect();
    walked.into_iter().min_by(|p, q| p.length().total_cmp(&q.length()))
}

/// A separating translation by the hulls of pieces, level by level; by directions if that finds none. `every`: by all
/// pairs of pieces at once instead.
pub(crate) fn by_levels(solids: &mut Solids<'_>, simd: Level, every: bool) -> (Option<DVec3>, Vec<LevelDone>) {
    let (found, levels) = descend(solids, simd, every);
    (found.or_else(|| by_directions(solids)), levels)
}
