//! The surface area heuristic over binned centroids: MacDonald and Booth (1990), Wald (2007).
//!
//! Along each coordinate axis the centroids are counted into bins; of all planes between two bins the one is taken for
//! which area times number, summed over both sides, is least.

use glam::DVec3;

use super::longest_axis::partition;
use crate::bound::{Aabb, Bound};
use crate::tree::binary::Soup;

/// How many bins.
const BINS: usize = 16;

/// A group of triangles: its box, and how many.
#[derive(Clone, Copy)]
struct Part {
    bounds: Aabb,
    count: usize,
}

impl Part {
    const EMPTY: Part = Part { bounds: Aabb::EMPTY, count: 0 };

    fn joined(&self, other: &Part) -> Part {
        Part { bounds: Aabb::merge(&self.bounds, &other.bounds), count: self.count + other.count }
    }

    fn cost(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.bounds.surface() * self.count as f64 }
    }
}

/// Splits by the cheapest plane; `None` if all centroids coincide.
pub(super) fn split(soup: &Soup<'_>, slots: &mut [u32]) -> Option<usize> {
    let middles = slots.iter().fold(Aabb::EMPTY, |all, &slot| all.including(soup.middle(slot)));
    let size = middles.size();
    let bin = |middle: DVec3, axis: usize| {
        let place = (middle[axis] - middles.min[axis]) / size[axis] * BINS as f64;
        (place as usize).min(BINS - 1)
    };
    let mut best: Option<(f64, usize, usize)> = None;
    for axis in (0..3).filter(|&axis| size[axis] > 0.0) {
        let mut bins = [Part::EMPTY; BINS];
        for &slot in slots.iter() {
            let own = &mut bins[bin(soup.middle(slot), axis)];
            own.count += 1;
            own.bounds = soup.corners(slot).into_iter().fold(own.bounds, |bounds, p| bounds.including(p));
        }
        let mut above = [Part::EMPTY; BINS];
        let mut all = Part::EMPTY;
        for k in (1..BINS).rev() {
            all = all.joined(&bins[k]);
            above[k - 1] = all;
        }
        let mut below = Part::EMPTY;
        for k in 0..BINS - 1 {
            below = below.joined(&bins[k]);
            let cost = below.cost() + above[k].cost();
            if below.count > 0 && above[k].count > 0 && best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, axis, k));
            }
        }
    }
    let (_, axis, last) = best?;
    Some(partition(slots, |slot| bin(soup.middle(slot), axis) <= last))
}
