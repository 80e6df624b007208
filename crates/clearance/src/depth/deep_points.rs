//! Search for a point of one body deep inside a solid mesh where no known corner is. For instance, a ball centred at a
//! corner of the solid has its only corner, the centre, on the surface.
//!
//! First next to a place where the bodies meet: inward of the triangle there, beside its edges, at shrinking steps for
//! thin solids. Then by boxes: the common box of both bodies is halved, always the part in which a point may be
//! deepest. Depth is 1-Lipschitz, so in a box it is at most that of the body's closest point to the centre plus half a
//! diagonal: the closest points of two points in a convex body are no farther apart than the two points. Nor is any
//! point deeper than its distance from the sides of the solid's bounding box, which ends the search at once where
//! bodies rest on such a side.
//!
//! A point found is a proof. Finding none proves nothing: the work is limited, and an overlap may be too thin.

use crate::math::tolerances::{DEEP_POINT_OFFSETS, DEEP_POINT_STEPS};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::bound::Aabb;
use crate::depth::overlap_of_solids::{Overlap, Solid};
use crate::geom::ray_polytope::rounded_normal;

/// A point of a body near a queried one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub point: DVec3,
    /// A bound on its distance from the body, negative inside; `None` if it may not belong to the body.
    pub off: Option<f64>,
    /// A lower bound on the body's distance from the queried point.
    pub beyond: f64,
    /// A bound on the depth of the point in the body; infinite where that does not matter.
    pub room: f64,
}

/// A piece waiting to be examined, with a bound on the depth of its points. Ordered deepest first, ties by insertion.
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

/// The deeper of two.
pub(crate) fn deeper(p: Option<Overlap>, q: Option<Overlap>) -> Option<Overlap> {
    p.into_iter().chain(q).max_by(|p, q| p.depth.total_cmp(&q.depth))
}

/// A search for points of a body, supplied by `near`, in a solid. Points are in the body's frame, relative to its local
/// origin.
pub(crate) struct DeepPoints<'d, 's> {
    pub solid: &'d Solid<'s>,
    pub near: &'d dyn Fn(DVec3) -> Near,
    /// The search ends with the first point that is deeper.
    pub enough: f64,
    /// Depths up to this are rounding.
    pub least: f64,
}

impl DeepPoints<'_, '_> {
    /// Searches inward of the solid's triangle at a place, in the frame of the solid, up to `reach`.
    pub fn at(&self, place: DVec3, reach: f64) -> Option<Overlap> {
        let corners = self.solid.triangle_at(place);
        let normal = rounded_normal(corners).normalize_or_zero();
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let way = (middle - place).clamp_length_max(reach);
        let size = way.length();
        let mut best = None;
        for beside in DEEP_POINT_OFFSETS {
            for step in 0..DEEP_POINT_STEPS {
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

    /// Searches the common box of the solid's bounding box and the body's, in the frame of the solid, with at most
    /// `probes` points.
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
                // No point of it is farther from the sides of the solid's bounding box.
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
