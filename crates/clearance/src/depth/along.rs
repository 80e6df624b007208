//! The least translation along a direction that separates two solids.
//!
//! Two triangles meet for an interval of translations along a direction: between the last of the entries and the first of the exits
//! over the axes that may separate them. So from a translation at which two triangles meet, B is moved to where they part, again
//! and again, until no two meet. Where one solid then holds the other, the way goes on by the gap of the
//! surfaces. Each translation on the way but the last is one at which the solids meet.

use glam::DVec3;

use super::deep::Deep;
use super::solids::{Solids, State};
use crate::math::tolerances::ROUND_UP;

/// A way from a translation along a unit direction.
pub(crate) struct Way {
    from: DVec3,
    direction: DVec3,
    /// How long it is so far.
    pub length: f64,
}

impl Way {
    pub fn new(from: DVec3, direction: DVec3) -> Way {
        Way { from, direction, length: 0.0 }
    }

    /// Where it has come to.
    pub fn end(&self) -> DVec3 {
        self.from + self.direction * self.length
    }

    /// Goes on to where the next two triangles that meet part; true if there are none, and the solids are apart.
    pub fn is_out(&mut self, solids: &mut Solids<'_>) -> bool {
        let (translation, margin) = (self.end(), solids.margin());
        match solids.state(translation) {
            State::Apart => return true,
            // Nothing meets on a way as long as the gap; what is nearer than the margin counts as meeting.
            State::Held(_) => self.length += solids.surface_gap(translation).0.max(margin),
            State::Meeting([a, b]) => {
                let pair = solids.pair(translation, 0.0);
                self.length += exit(&pair.a.corners(a), &pair.placed(b), self.direction) + margin;
            }
        }
        false
    }
}

/// The end of the way from a translation along a unit direction, where the solids are apart; `None` if it is longer than `most` or has
/// more than so many moves.
pub(crate) fn way_out(
    solids: &mut Solids<'_>,
    from: DVec3,
    direction: DVec3,
    most: f64,
    moves: usize,
) -> Option<DVec3> {
    let mut way = Way::new(from, direction);
    for _ in 0..moves {
        if way.length > most {
            return None;
        }
        if way.is_out(solids) {
            return Some(way.end());
        }
    }
    None
}

/// How far along a unit direction, up to `end`, the interiors are proved to meet: by points that are deep in both solids, each of
/// which covers a stretch of the way. Next to the end the stretches are ever shorter.
pub(crate) fn overlap_until(solids: &mut Solids<'_>, direction: DVec3, end: f64) -> f64 {
    let mut deep = Deep::new(solids);
    let mut proved = 0.0;
    for _ in 0..STRETCHES {
        if proved >= end {
            break;
        }
        // Looked for a little ahead, where what is proved still reaches back.
        let mut ahead = end - proved;
        let reach = loop {
            let middle = proved + 0.5 * ahead;
            let reach = deep.reach(solids, direction * middle, 0.5 * ahead);
            if reach >= 0.5 * ahead {
                break Some(middle + reach);
            }
            ahead *= 0.5;
            if ahead < 1e-12 * end {
                break None;
            }
        };
        let Some(next) = reach else { break };
        proved = next / ROUND_UP;
    }
    proved.min(end)
}

/// Stretches of a way that are proved at most.
const STRETCHES: usize = 200;

/// How far B can be moved along a direction until it leaves A, given that they meet.
fn exit(a: &[DVec3; 3], b: &[DVec3; 3], direction: DVec3) -> f64 {
    let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (edges_a, edges_b) = (edges(a), edges(b));
    let (normal_a, normal_b) = (edges_a[0].cross(edges_a[1]), edges_b[0].cross(edges_b[1]));
    let mut exit = f64::INFINITY;
    let mut along = |axis: DVec3| {
        let speed = axis.dot(direction);
        // Axes that are next to nothing, and those across the way, bound nothing that rounding leaves.
        if speed.abs() <= 1e-12 * axis.length() || axis == DVec3::ZERO {
            return;
        }
        let heights = |t: &[DVec3; 3]| t.map(|p| axis.dot(p));
        let (of_a, of_b) = (heights(a), heights(b));
        let most = |h: [f64; 3]| h[0].max(h[1]).max(h[2]);
        let least = |h: [f64; 3]| h[0].min(h[1]).min(h[2]);
        let left = if speed > 0.0 { most(of_a) - least(of_b) } else { least(of_a) - most(of_b) };
        exit = exit.min(left / speed);
    };
    along(normal_a);
    along(normal_b);
    for edge_a in edges_a {
        for edge_b in edges_b {
            along(edge_a.cross(edge_b));
        }
        // For triangles in one plane.
        along(normal_a.cross(edge_a));
    }
    for edge_b in edges_b {
        along(normal_b.cross(edge_b));
    }
    if exit.is_finite() { exit.max(0.0) } else { 0.0 }
}
