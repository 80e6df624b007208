//! Search for a point of one body deep inside a solid mesh, where no corner at hand is: a ball about a corner of the solid
//! has its only corner, the centre, on the surface.
//!
//! First next to a place where the bodies meet: inward of the triangle there, beside its edges, at steps that shrink, for
//! solids that are thin. Then by boxes: the box that both have in common is halved, always the one in which a point may
//! be deepest. The depth changes by no more than the way, so that of a box is at most that of the point of the body nearest its
//! middle and half a diagonal: the nearest points of two points to a convex body are no farther apart than these. Nor is any
//! point deeper than its distance from the sides of the box about the solid, which ends the search at once where bodies rest on
//! such a side.
//!
//! What is found is proved by itself. What is not found proves nothing: the work is limited, and an overlap may be too thin
//! for it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::bound::Aabb;
use crate::depth::overlap_of_solids::{Overlap, Solid};
use crate::geom::ray_polytope::rounded_normal;

/// How far beside the place of the contact, in parts of the way to the middle of the triangle.
const BESIDE: [f64; 4] = [1.0, 1.0 / 4.0, 1.0 / 16.0, 1.0 / 64.0];

/// So many steps inward of each of these points, the first as long as the way beside, each a quarter of the one before.
const INWARD: i32 = 6;

/// A point of a body near one that was asked about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub point: DVec3,
    /// How far from the body it may be, less than zero inside of it; `None` where it is not known to belong to it.
    pub off: Option<f64>,
    /// How far the body is from the point that was asked about, at least.
    pub beyond: f64,
    /// How deep in the body the point may be; infinite where that does not matter.
    pub room: f64,
}

/// What is left to be looked at, with a bound on how deep a point of it is. The deepest first, of equal ones that which came
/// first.
pub(crate) struct Open<T> {
    pub bound: f64,
    pub number: usize,
    pub piece: T,
}

impl<T> PartialEq for Open<T> {
    fn eq(&self, other: &Open<T>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Open<T> {}

impl<T> PartialOrd for Open<T> {
    fn partial_cmp(&self, other: &Open<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Open<T> {
    fn cmp(&self, other: &Open<T>) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}

/// The deeper one.
pub(crate) fn deeper(p: Option<Overlap>, q: Option<Overlap>) -> Option<Overlap> {
    p.into_iter().chain(q).max_by(|p, q| p.depth.total_cmp(&q.depth))
}

/// A search for points of a body, which `near` has, in a solid. Points are those of the body's frame, less its local origin.
pub(crate) struct DeepPoints<'d, 's> {
    pub solid: &'d Solid<'s>,
    pub near: &'d dyn Fn(DVec3) -> Near,
    /// The search ends with the first point that is deeper.
    pub enough: f64,
    /// What is no deeper than this is rounding.
    pub least: f64,
}

impl DeepPoints<'_, '_> {
    /// Inward of the triangle of the solid at a place, in the frame of the solid, no farther than `reach`.
    pub fn at(&self, place: DVec3, reach: f64) -> Option<Overlap> {
        let corners = self.solid.triangle_at(place);
        let normal = rounded_normal(corners).normalize_or_zero();
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let way = (middle - place).clamp_length_max(reach);
        let size = way.length();
        let mut best = None;
        for beside in BESIDE {
            for step in 0..INWARD {
                let inward = normal * (size * beside * 0.25f64.powi(step));
                let near = (self.near)(self.solid.back(place + way * beside - inward));
                if let Some(off) = near.off {
                    best = deeper(best, self.solid.overlap(near.point, off));
                }
                if best.is_some_and(|best| best.depth > self.enough) {
                    return best;
                }
            }
        }
        best
    }

    /// In the boxes that a box about the body, in the frame of the solid, has in common with that about the solid; after so many
    /// points no more are asked about.
    pub fn in_boxes(&self, about: &Aabb, probes: usize) -> Option<Overlap> {
        let whole = self.solid.bounds();
        let (low, high) = (about.min.max(whole.min), about.max.min(whole.max));
        if !low.cmple(high).all() {
            return None;
        }
        let mut best: Option<Overlap> = None;
        let mut open: BinaryHeap<Open<[DVec3; 2]>> = BinaryHeap::new();
        let mut next = vec![[low, high]];
        let mut number = 0;
        loop {
            for [low, high] in next.drain(..) {
                // No point of it is farther from the sides of the box about the solid.
                let from_sides = (high - whole.min).min(whole.max - low).min_element();
                let (middle, radius) = (0.5 * (low + high), 0.5 * (high - low).length());
                if from_sides <= self.least {
                    continue;
                }
                number += 1;
                let near = (self.near)(self.solid.back(middle));
                if near.beyond > radius {
                    continue;
                }
                let probe = self.solid.probe(near.point, near.off.unwrap_or(0.0));
                if near.off.is_some() {
                    best = deeper(best, probe.overlap);
                }
                if best.is_some_and(|best| best.depth > self.enough) {
                    return best;
                }
                let bound = (probe.depth.min(near.room) + radius).min(from_sides);
                open.push(Open { bound, number, piece: [low, high] });
            }
            let least = best.map_or(self.least, |best| best.depth.max(self.least));
            match open.pop() {
                Some(Open { bound, piece: [low, high], .. }) if bound > least && number < probes => {
                    let size = high - low;
                    let longest =
                        (0..3).fold(0, |longest, axis| if size[axis] > size[longest] { axis } else { longest });
                    let (mut upper, mut lower) = (high, low);
                    upper[longest] = low[longest] + 0.5 * size[longest];
                    lower[longest] = upper[longest];
                    next.extend([[low, upper], [lower, high]]);
                }
                _ => return best,
            }
        }
    }
}
