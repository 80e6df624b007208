//! The first contact of two moving features by subdividing boxes of time and the two surface parameters: conservative.
//!
//! Wang, Ferguson, Schneider, Jiang, Attene and Panozzo, "A Large-Scale Benchmark and an Inclusion-Based Algorithm for
//! Continuous Collision Detection" (2021), after Snyder (1992). The difference of a point of one feature and a point of
//! the other is a function of time and two parameters, linear in time for fixed parameters and linear in these for a
//! fixed time, so over a box of the three it lies in the bounding box of its values at the eight corners. A box whose
//! values differ from zero by more than the minimum separation and rounding contains no contact. One whose values span
//! less than the tolerance counts as a contact; the rest are halved.
//!
//! Departs from the paper: boxes are popped by earliest time from a heap, not level by level, so the first that counts
//! as a contact is the answer, and at the cap on the number of boxes the earliest one left is; the parameter along
//! which the values differ most is halved.
//!
//! A value is a sum of corners times factors of up to three roundings: off by at most `10u` of the largest coordinate
//! along its axis, for which [`INCLUSION_ROUNDING`] is ample.

use crate::math::tolerances::INCLUSION_ROUNDING;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::options::ElementaryOptions;
use crate::answer::elementary::{ElementaryKind, ElementaryPair};

/// A box of time and two parameters.
#[derive(Clone, Copy, Debug)]
struct Cell {
    low: [f64; 3],
    high: [f64; 3],
    depth: u32,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Cell) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    /// The earliest is the greatest; of equally early ones, the smallest.
    fn cmp(&self, other: &Cell) -> Ordering {
        let by = |one: f64, other: f64| other.total_cmp(&one);
        by(self.low[0], other.low[0])
            .then(self.depth.cmp(&other.depth))
            .then(by(self.low[1], other.low[1]))
            .then(by(self.low[2], other.low[2]))
    }
}

/// The result for the values over a box.
enum Values {
    Apart,
    Small,
    /// Which parameter to halve.
    Wide(usize),
}

/// The interval of times that contains the first contact.
pub(crate) fn first_contact(pair: &ElementaryPair, until: f64, options: &ElementaryOptions) -> Option<(f64, f64)> {
    let positive = |x: f64| if x > 0.0 { x } else { 0.0 };
    let (separation, tolerance) = (positive(options.minimum_separation), positive(options.tolerance));
    let mut open = BinaryHeap::from([Cell { low: [0.0; 3], high: [until, 1.0, 1.0], depth: 0 }]);
    let mut looked = 0_u32;
    while let Some(cell) = open.pop() {
        let halved = match values(pair, &cell, separation, tolerance) {
            Values::Apart => continue,
            Values::Small => return Some((cell.low[0], cell.high[0])),
            Values::Wide(axis) => axis,
        };
        looked += 1;
        let middle = 0.5 * (cell.low[halved] + cell.high[halved]);
        // With no float in between, halving gains nothing.
        if looked > options.most_boxes || middle <= cell.low[halved] || middle >= cell.high[halved] {
            return Some((cell.low[0], cell.high[0]));
        }
        let (mut first, mut second) = (cell, cell);
        first.high[halved] = middle;
        second.low[halved] = middle;
        for mut part in [first, second] {
            part.depth += 1;
            let outside = pair.kind == ElementaryKind::VertexFace && part.low[1] + part.low[2] > 1.0;
            if !outside {
                open.push(part);
            }
        }
    }
    None
}

fn values(pair: &ElementaryPair, cell: &Cell, separation: f64, tolerance: f64) -> Values {
    // By corner of the box: bit 0 for time, bits 1 and 2 for the parameters.
    let mut spread = [0.0_f64; 3];
    let mut small = true;
    for axis in 0..3 {
        let mut at = [0.0; 8];
        let mut size = 0.0_f64;
        for (corner, value) in at.iter_mut().enumerate() {
            let end = |bit: usize| if corner >> bit & 1 == 0 { cell.low[bit] } else { cell.high[bit] };
            let (time, s, t) = (end(0), end(1), end(2));
            let x: [f64; 4] = std::array::from_fn(|k| {
                let (start, end) = (pair.start[k][axis], pair.end[k][axis]);
                size = size.max(start.abs()).max(end.abs());
                start * (1.0 - time) + end * time
            });
            *value = match pair.kind {
                ElementaryKind::VertexFace => (x[0] - x[1]) - (x[2] - x[1]) * s - (x[3] - x[1]) * t,
                ElementaryKind::EdgeEdge => (x[0] - x[2]) + (x[1] - x[0]) * s - (x[3] - x[2]) * t,
            };
        }
        let (least, most) = at.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
        let margin = separation + INCLUSION_ROUNDING * size + f64::MIN_POSITIVE;
        if least > margin || most < -margin {
            return Values::Apart;
        }
        small &= most - least <= tolerance + 2.0 * INCLUSION_ROUNDING * size;
        for (bit, spread) in spread.iter_mut().enumerate() {
            for corner in (0..8).filter(|corner| corner >> bit & 1 == 0) {
                *spread = spread.max((at[corner | 1 << bit] - at[corner]).abs());
            }
        }
    }
    if small {
        return Values::Small;
    }
    let widest = (1..3).fold(0, |best, k| if spread[k] > spread[best] { k } else { best });
    Values::Wide(widest)
}
