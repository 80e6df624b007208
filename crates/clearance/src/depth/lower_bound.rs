//! A lower bound of the depth of two solids: balls of translations at which they provably overlap, covering a ball
//! about the origin.
//!
//! One point deep in both solids after a translation proves a ball of translations about that one
//! ([`deep`](super::deep)). A cube of translations is proved by a point for its centre, or split along each axis; the
//! cubes nearest the origin come first, so that the nearest open one bounds the depth. The shape of the surfaces does
//! not matter: no convex pieces and no union of them are needed.
//!
//! Where no point is found for a cube, its centre may separate the solids: then the depth is at most its length, and
//! the local walk improves it. So the search converges on the depth from both sides.
//!
//! The sides of all cubes are powers of two, so that centres are exact.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::along::way_out;
use super::deep::{Deep, climb, reach_of, starts};
use super::slide::slide;
use super::solids::Solids;
use crate::math::cancel::checkpoint;
use crate::math::tolerances::{
    COVER_ANCHORS, COVER_DETOURS, COVER_HALVINGS, COVER_MOVES, COVER_OPENING, DEEP_FRESH, ROUND_UP,
};

/// A cube of translations at all of which the solids overlap, proved by a point deep in both at its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Proved {
    pub middle: DVec3,
    pub half: f64,
    /// In the frame of B's stored points.
    pub point: DVec3,
}

/// The goal and the limits of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Ends when the bounds differ by at most this fraction of the upper one.
    pub relative: f64,
    /// Ends when the bounds differ by at most this.
    pub absolute: f64,
    /// Ends after this much work, see [`Solids::work`].
    pub work: u64,
}

impl Goal {
    /// The lower bound that suffices for an upper bound.
    fn enough(&self, upper: f64) -> f64 {
        (upper * (1.0 - self.relative)).min(upper - self.absolute)
    }
}

/// The result of the search.
#[derive(Clone, Debug)]
pub(crate) struct Covered {
    /// Proved: no translation shorter than this separates the solids, lengths in the frame of A.
    pub lower: f64,
    /// The shortest known separating translation.
    pub translation: DVec3,
    /// The cubes that prove the lower bound: together with those farther from the origin they fill the cube
    /// `[-side, side]³`.
    pub proof: Vec<Proved>,
    pub side: f64,
    /// Whether the goal was reached.
    pub complete: bool,
}

#[derive(Clone, Copy, Debug)]
struct Cube {
    /// The distance from the origin to the nearest of its translations.
    near: f64,
    middle: DVec3,
    half: f64,
    anchors: [u32; COVER_ANCHORS],
    count: u8,
    number: u32,
}

impl Cube {
    fn new(middle: DVec3, half: f64, number: u32) -> Cube {
        let near = (middle.abs() - half).max(DVec3::ZERO).length() / ROUND_UP;
        Cube { near, middle, half, anchors: [0; COVER_ANCHORS], count: 0, number }
    }

    /// A bound on the distance of its translations from the centre.
    fn reach(&self) -> f64 {
        self.half * (3f64.sqrt() * ROUND_UP)
    }
}

impl PartialEq for Cube {
    fn eq(&self, other: &Cube) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cube {}

impl PartialOrd for Cube {
    fn partial_cmp(&self, other: &Cube) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cube {
    /// The nearest is the greatest; ties go to the first.
    fn cmp(&self, other: &Cube) -> Ordering {
        other.near.total_cmp(&self.near).then(other.number.cmp(&self.number))
    }
}

struct CoverSearch<'s, 'm> {
    solids: &'s mut Solids<'m>,
    side: f64,
    deep: Deep,
    /// The shortest separating translation.
    best: DVec3,
    /// How often the local walk may still start at a longer one.
    detours: u32,
}

/// Searches for a lower bound of the depth, given a separating translation, and for shorter translations on the way.
/// `progress` is called with both bounds from time to time, and ends the search by returning `false`.
pub(crate) fn cover(
    solids: &mut Solids<'_>,
    separating: DVec3,
    goal: &Goal,
    mut progress: impl FnMut(f64, f64) -> bool,
) -> Covered {
    let side = 2f64.powi(separating.length().max(f64::MIN_POSITIVE).log2().ceil() as i32);
    let mut covered = Covered { lower: 0.0, translation: separating, proof: Vec::new(), side, complete: false };
    let deep = Deep::new(solids);
    let mut root = Cube::new(DVec3::ZERO, side, 0);
    hand_on(&mut root, &mut deep.first.clone());
    let mut search = CoverSearch { solids, side, deep, best: separating, detours: COVER_DETOURS };
    let smallest = side * 2f64.powi(-COVER_HALVINGS);
    let mut open = BinaryHeap::from([root]);
    let mut numbers = 1;
    while let Some(cube) = open.peek().copied() {
        checkpoint();
        covered.lower = cube.near;
        let upper = search.best.length();
        if cube.near >= goal.enough(upper) {
            covered.complete = true;
            break;
        }
        if search.solids.work > goal.work || cube.half < smallest || !progress(cube.near, upper) {
            break;
        }
        open.pop();
        let mut cube = cube;
        match search.prove(&mut cube) {
            Some(point) => covered.proof.push(Proved { middle: cube.middle, half: cube.half, point }),
            None => {
                let half = 0.5 * cube.half;
                for corner in 0..8u32 {
                    let sign = |axis: u32| if corner >> axis & 1 == 0 { -half } else { half };
                    let middle = cube.middle + DVec3::new(sign(0), sign(1), sign(2));
                    let part = Cube::new(middle, half, numbers);
                    numbers += 1;
                    open.push(Cube { anchors: cube.anchors, count: cube.count, ..part });
                }
            }
        }
    }
    covered.translation = search.best;
    covered.lower = covered.lower.min(search.best.length());
    // With some slack, so that no rounding excludes one.
    covered.proof.retain(|cube| Cube::new(cube.middle, cube.half, 0).near < covered.lower * (1.0 + 1e-9));
    covered
}

impl CoverSearch<'_, '_> {
    /// A point that proves a cube. If there is none, the cube keeps the best points for its parts.
    fn prove(&mut self, cube: &mut Cube) -> Option<DVec3> {
        let wanted = cube.reach();
        let moved = self.solids.map.moved(1.0, cube.middle, 0.0);
        let mut found: Vec<(f64, u32)> = Vec::with_capacity(COVER_ANCHORS + 2);
        for &number in &cube.anchors[..usize::from(cube.count)] {
            let anchor = self.deep.anchors[number as usize];
            let value = reach_of(self.solids, &moved, &anchor);
            if value >= wanted {
                return Some(anchor.point);
            }
            found.push((value, number));
        }
        let best = found.iter().copied().max_by(|p, q| p.0.total_cmp(&q.0));
        let mut deepest = None;
        let mut most = f64::NEG_INFINITY;
        if let Some((value, number)) = best
            && value > -wanted
        {
            let (anchor, value) = climb(self.solids, cube.middle, self.deep.anchors[number as usize].point, wanted);
            if value >= wanted {
                self.deep.keep(anchor);
                return Some(anchor.point);
            }
            most = value;
            deepest = Some(anchor.point);
            found.push((value, self.deep.keep(anchor)));
        }
        if most < wanted {
            if self.solids.are_apart(cube.middle) {
                self.separated(cube.middle);
            } else {
                for point in starts(self.solids, cube.middle, DEEP_FRESH, wanted) {
                    let (anchor, value) = climb(self.solids, cube.middle, point, wanted);
                    let number = self.deep.keep(anchor);
                    if value >= wanted {
                        return Some(anchor.point);
                    }
                    if value > most {
                        (most, deepest) = (value, Some(anchor.point));
                    }
                    found.push((value, number));
                }
            }
        }
        if let Some(point) = deepest {
            self.open(cube, point);
        }
        hand_on(cube, &mut found);
        None
    }

    /// Next to small open cubes there may be a separating translation: by so much that the surface of B next to a point
    /// deep in both reaches that of A.
    fn open(&mut self, cube: &Cube, point: DVec3) {
        let halvings = (self.side / cube.half).log2() as i32;
        if halvings < COVER_OPENING || (halvings - COVER_OPENING) % 3 != 0 || cube.near > 0.999 * self.best.length() {
            return;
        }
        let moved = self.solids.map.moved(1.0, cube.middle, 0.0);
        let (in_a, in_b) = (self.solids.room_in_a(moved.place(point)), self.solids.room_in_b(point));
        let way = in_a.nearest - moved.place(in_b.nearest);
        for direction in [way.normalize_or_zero(), cube.middle.normalize_or_zero()] {
            let most = 2.0 * way.length() + 8.0 * cube.reach();
            if direction != DVec3::ZERO
                && let Some(end) = way_out(self.solids, cube.middle, direction, most, COVER_MOVES)
            {
                self.separated(end);
            }
        }
    }

    /// Handles a separating translation: the local walk from it may give the shortest so far.
    fn separated(&mut self, translation: DVec3) {
        let longer = translation.length() >= self.best.length();
        if translation.length() < 1.05 * self.best.length() && (!longer || self.detours > 0) {
            self.detours -= u32::from(longer);
            let walked = slide(self.solids, translation);
            if walked.length() < self.best.length() {
                self.best = walked;
            }
        }
    }
}

/// Passes the best anchors on to the parts of a cube.
fn hand_on(cube: &mut Cube, found: &mut [(f64, u32)]) {
    found.sort_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)));
    cube.count = found.len().min(COVER_ANCHORS) as u8;
    for (slot, &(_, number)) in cube.anchors.iter_mut().zip(found.iter()) {
        *slot = number;
    }
}
