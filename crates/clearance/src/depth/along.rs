//! The least translation along a direction that separates two solids.
//!
//! Two triangles meet for an interval of translations along a direction: from the last entry to the first exit over the
//! axes that may separate them. So from a translation at which two triangles meet, B is moved to where they separate,
//! repeatedly, until no two meet. If one solid then contains the other, the path continues by the gap of the surfaces.
//! At every translation on the path but the last the solids meet.

use glam::DVec3;

use super::deep::Deep;
use super::solids::{Solids, State};
use crate::math::tolerances::{ALONG_INTERVALS, ROUND_UP};

/// A path of translations from a start along a unit direction.
pub(crate) struct Way {
    from: DVec3,
    direction: DVec3,
    /// Its length so far.
    pub length: f64,
}

impl Way {
    pub fn new(from: DVec3, direction: DVec3) -> Way {
        Way { from, direction, length: 0.0 }
    }

    /// The current translation.
    pub fn end(&self) -> DVec3 {
        self.from + self.direction * self.length
    }

    /// Advances to where the next two intersecting triangles separate; true if there are none and the solids are
    /// separated.
    pub fn is_out(&mut self, solids: &mut Solids<'_>) -> bool {
        let (translation, margin) = (self.end(), solids.margin());
        match solids.state(translation) {
            State::Apart => return true,
            // Nothing meets within a distance of the gap; a gap below the margin counts as meeting.
            State::Held(_) => self.length += solids.surface_gap(translation).0.max(margin),
            State::Meeting([a, b]) => {
                let pair = solids.pair(translation, 0.0);
                self.length += exit(&pair.a.corners(a), &pair.placed(b), self.direction) + margin;
            }
        }
        false
    }
}

/// The first translation along a unit direction at which the solids are separated; `None` if it is farther than `most`
/// or takes more than `moves` moves.
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

/// How far along a unit direction, up to `end`, the interiors are proved to meet: by points deep in both solids, each
/// of which covers an interval of the path. Towards the end the intervals get shorter.
pub(crate) fn overlap_until(solids: &mut Solids<'_>, direction: DVec3, end: f64) -> f64 {
    let mut deep = Deep::new(solids);
    let mut proved = 0.0;
    for _ in 0..ALONG_INTERVALS {
        if proved >= end {
            break;
        }
        // Search slightly ahead, where the proved interval still reaches back.
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

/// How far B can be moved along a direction until it leaves A, given that they meet.
fn exit(a: &[DVec3; 3], b: &[DVec3; 3], direction: DVec3) -> f64 {
    let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (edges_a, edges_b) = (edges(a), edges(b));
    let (normal_a, normal_b) = (edges_a[0].cross(edges_a[1]), edges_b[0].cross(edges_b[1]));
    let mut exit = f64::INFINITY;
    let mut along = |axis: DVec3| {
        let speed = axis.dot(direction);
        // Nearly zero axes, and axes across the path, give no bound above rounding.
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
        // For coplanar triangles.
        along(normal_a.cross(edge_a));
    }
    for edge_b in edges_b {
        along(normal_b.cross(edge_b));
    }
    if exit.is_finite() { exit.max(0.0) } else { 0.0 }
}
