//! Joins rim points within a tolerance of each other.
//!
//! Only points on edges with an odd number of triangles take part: the others need no repair. In ascending order each
//! is joined to the nearest lower-numbered point that stays, unless some point would end up farther than the tolerance
//! from where it was given, or an edge would vanish: short edges are matched by cutting the other side
//! (`junctions.rs`). The joined point takes the place of the other one; no other point moves.

use super::near::PointTree;
use super::soup::Soup;
use crate::geom::topology::{pack, unpack};
use crate::math::tolerances::ROUND_UP;
use crate::mesh::same_points::lowest_of_equal;

/// Joins points within `distance`, moving none farther than `limit` over all stages; returns whether any were joined.
pub(super) fn join_points(soup: &mut Soup, distance: f64, limit: f64) -> bool {
    let sides = soup.sides();
    let mut rim: Vec<u32> = Vec::new();
    for uses in sides.chunk_by(|a, b| a.0 == b.0) {
        if uses.len() % 2 == 1 {
            rim.extend(unpack(uses[0].0));
        }
    }
    rim.sort_unstable();
    rim.dedup();
    let mut target: Vec<u32> = (0..soup.places.len() as u32).collect();
    if distance == 0.0 {
        let lowest = lowest_of_equal(&rim, |p| soup.place(p));
        rim.iter().zip(lowest).for_each(|(&p, lowest)| target[p as usize] = lowest);
    } else {
        let tree = PointTree::new(&rim, |p| soup.place(p));
        let is_edge = |p: u32, q: u32| sides.binary_search_by_key(&pack(p, q), |side| side.0).is_ok();
        // The points joined to each in this pass.
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); rim.len()];
        let slot = |p: u32| rim.binary_search(&p).ok();
        let mut found = Vec::new();
        for &p in &rim {
            tree.near([soup.place(p); 2], distance, &mut found);
            let own = soup.joined_reach[p as usize];
            let to = found.iter().find(|&&(away, q)| {
                let others = || slot(q).map_or(&[][..], |slot| &members[slot]);
                q < p
                    && target[q as usize] == q
                    && own + away * ROUND_UP <= limit
                    && !is_edge(p, q)
                    && !others().iter().any(|&other| is_edge(p, other))
            });
            if let Some(&(away, q)) = to {
                target[p as usize] = q;
                let reach = own + away * ROUND_UP;
                soup.joined_reach[q as usize] = soup.joined_reach[q as usize].max(reach);
                if let Some(slot) = slot(q) {
                    members[slot].push(p);
                }
            }
        }
    }
    let changed = rim.iter().any(|&p| target[p as usize] != p);
    if changed {
        soup.triangles.iter_mut().flatten().for_each(|p| *p = target[*p as usize]);
        // Points that were joined to one before that is joined itself now.
        soup.target.iter_mut().for_each(|p| *p = target[*p as usize]);
    }
    changed
}
