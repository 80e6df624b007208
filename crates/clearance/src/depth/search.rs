//! The depth of two solids: a way out by several directions, shortened by the local walk, then closed in on from below.

use glam::DVec3;

use super::along::way_out;
use super::cover::{Covered, Goal, cover};
use super::slide::slide;
use super::solids::Solids;

/// Ways out that the local walk begins from.
const WALKS: usize = 4;

/// The depth of two solids that meet, from several directions of the frame of A to begin with.
pub(crate) fn depth(
    solids: &mut Solids<'_>,
    directions: &[DVec3],
    goal: &Goal,
    tell: impl FnMut(f64, f64) -> bool,
) -> Option<Covered> {
    let most = solids.scale();
    let mut ways: Vec<DVec3> = Vec::new();
    let mut least = most;
    for &direction in directions {
        // A way twice as long as another one is hardly worth walking from.
        if let Some(length) = way_out(solids, DVec3::ZERO, direction, 2.0 * least) {
            least = least.min(length);
            ways.push(direction * length);
        }
    }
    ways.sort_by(|p, q| p.length().total_cmp(&q.length()));
    let walked = ways.into_iter().take(WALKS).map(|way| slide(solids, way));
    let best = walked.collect::<Vec<_>>().into_iter().min_by(|p, q| p.length().total_cmp(&q.length()))?;
    Some(cover(solids, best, goal, tell))
}
