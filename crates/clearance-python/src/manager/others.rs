//! The bodies of two collision managers: which of them meet and which two are nearest, kept from call to call.
//!
//! Every body has a stamp that changes with it. So a call finds those that changed in either manager since the last
//! one, and tests them alone, against the boxes of all bodies of the other manager. Where the two nearest bodies were
//! among them the search begins with these two again: their distance bounds that of all pairs that are worth a test, and
//! the distances of the others are remembered.

use pyo3::prelude::*;

use super::body::{Failure, Measured, measured};
use super::nearest::{Memory, Near, nearest_of};
use super::state::{Due, State, answers, first_true};
use crate::limits::SWEPT_FOR_NEAREST;

/// How many bodies are held against those of the other manager at a time where one pair suffices.
const BLOCK: usize = 4;

/// What is known about the bodies of a manager and those of one other. Pairs are a body of the one, then of the other.
#[derive(Default)]
pub struct Others {
    /// The number of the other manager.
    number: u64,
    sides: [Side; 2],
    /// The pairs that meet of the bodies that are not due.
    meetings: Vec<[u32; 2]>,
    /// Two bodies that meet, at least one of them due.
    witness: Option<[u32; 2]>,
    /// The nearest two of the bodies that are not `due_nearest`.
    nearest: Option<Near>,
    /// The nearest two of an earlier call.
    guess: Option<[u32; 2]>,
    /// The nearest two are not known.
    is_lost: bool,
    memory: Memory,
}

/// What was seen of a manager.
#[derive(Default)]
struct Side {
    version: u64,
    stamps: Vec<u64>,
    /// Bodies whose meetings are not known.
    due: Due,
    /// Bodies whose distances are not known.
    due_nearest: Due,
}

impl Others {
    /// Forgets what is known about bodies that changed, and all if the other manager is another one.
    pub fn update(&mut self, number: u64, states: [&State; 2]) {
        if self.number != number {
            *self = Others { number, ..Others::default() };
        }
        for (side, state) in states.into_iter().enumerate() {
            let seen = &mut self.sides[side];
            if seen.version == state.version {
                continue;
            }
            seen.version = state.version;
            seen.stamps.resize(state.stamps.len(), 0);
            for (place, (seen_stamp, &stamp)) in seen.stamps.iter_mut().zip(&state.stamps).enumerate() {
                if std::mem::replace(seen_stamp, stamp) == stamp {
                    continue;
                }
                let place = place as u32;
                for due in [&mut seen.due, &mut seen.due_nearest] {
                    if state.body(place).is_some() { due.insert(place) } else { due.remove(place) }
                }
                self.witness = self.witness.filter(|pair| pair[side] != place);
                self.meetings.retain(|pair| pair[side] != place);
                if self.nearest.is_some_and(|near| near.pair[side] == place) {
                    (self.nearest, self.is_lost) = (None, true);
                }
            }
        }
    }

    /// Whether any two bodies meet.
    pub fn any_meet(&mut self, py: Python<'_>, states: [&State; 2]) -> PyResult<bool> {
        if self.meetings.is_empty() && self.witness.is_none() {
            let few = self.few();
            let first = self.sides[few].due.list.clone();
            for side in [few, 1 - few] {
                // A block at a time, so that what is found out before a pair meets is kept; what moved last is the most
                // likely to meet something.
                while self.witness.is_none() && !self.sides[side].due.list.is_empty() {
                    let from = self.sides[side].due.list.len().saturating_sub(BLOCK);
                    let mut pairs = Vec::new();
                    for &place in &self.sides[side].due.list[from..] {
                        overlapping(states, side, place, |pair| {
                            if side == few || !first.contains(&pair[few]) {
                                pairs.push(pair);
                            }
                        });
                    }
                    let found = first_true(py, pairs.len(), |index| meet(states, pairs[index]))?;
                    self.witness = found.map(|index| pairs[index]);
                    if self.witness.is_none() {
                        self.sides[side].due.truncate(from);
                    }
                }
            }
        }
        Ok(!self.meetings.is_empty() || self.witness.is_some())
    }

    /// All pairs that meet, in the order in which the bodies were added.
    pub fn meeting(&mut self, py: Python<'_>, states: [&State; 2]) -> PyResult<&[[u32; 2]]> {
        if self.sides.iter().any(|side| !side.due.list.is_empty()) {
            let (few, mut pairs) = (self.few(), Vec::new());
            for &place in &self.sides[few].due.list {
                overlapping(states, few, place, |pair| pairs.push(pair));
            }
            for &place in &self.sides[1 - few].due.list {
                overlapping(states, 1 - few, place, |pair| {
                    if !self.sides[few].due.has(pair[few]) {
                        pairs.push(pair);
                    }
                });
            }
            let meets = answers(py, pairs.len(), |index| meet(states, pairs[index]))?;
            self.meetings.extend(pairs.into_iter().zip(meets).filter_map(|(pair, meets)| meets.then_some(pair)));
            self.meetings.sort_unstable_by_key(|&[a, b]| (states[0].order(a), states[1].order(b)));
            self.sides.iter_mut().for_each(|side| side.due.clear());
            self.witness = None;
        }
        Ok(&self.meetings)
    }

    /// The side of which fewer bodies are due.
    fn few(&self) -> usize {
        usize::from(self.sides[1].due.list.len() < self.sides[0].due.list.len())
    }

    /// Whether the nearest two are known.
    pub fn knows_nearest(&self) -> bool {
        !self.is_lost && self.sides.iter().all(|side| side.due_nearest.list.is_empty())
    }

    /// The nearest two of the bodies.
    pub fn nearest(&mut self, states: [&State; 2]) -> Result<Option<Near>, Failure> {
        if !self.knows_nearest() {
            let mut memory = std::mem::take(&mut self.memory);
            let found = self.find_nearest(states, &mut memory);
            self.memory = memory;
            self.nearest = found?;
            self.guess = self.nearest.map(|near| near.pair).or(self.guess);
            self.sides.iter_mut().for_each(|side| side.due_nearest.clear());
            self.is_lost = false;
        }
        Ok(self.nearest)
    }

    fn find_nearest(&self, states: [&State; 2], memory: &mut Memory) -> Result<Option<Near>, Failure> {
        let due = |side: usize| &self.sides[side].due_nearest;
        if self.is_lost || due(0).list.len() + due(1).list.len() > SWEPT_FOR_NEAREST {
            return self.nearest_of_all(states, memory);
        }
        let mut nearest = self.nearest;
        for side in [0, 1] {
            for &place in &due(side).list {
                let reach = nearest.map_or(f64::INFINITY, |near| near.value.max(0.0));
                let mut pairs = Vec::new();
                within(states, side, place, reach, |near| {
                    if side == 0 || !due(0).has(near.pair[0]) {
                        pairs.push(near);
                    }
                });
                nearest = nearest_of(pairs, nearest, |pair, best| measure(states, memory, pair, best))?;
            }
        }
        Ok(nearest)
    }

    fn nearest_of_all(&self, states: [&State; 2], memory: &mut Memory) -> Result<Option<Near>, Failure> {
        // The distance of two bodies bounds those that are worth a test: of the two that were the nearest, or whose
        // boxes are.
        let is_there = |pair: &[u32; 2]| (0..2).all(|side| states[side].body(pair[side]).is_some());
        let Some(first) = self.guess.filter(is_there).or_else(|| nearest_boxes(states)) else { return Ok(None) };
        let bound = measure(states, memory, first, f64::INFINITY)?.map_or(f64::INFINITY, |found| found.value).max(0.0);
        let (few, mut pairs) = (smaller(states), Vec::new());
        for place in states[few].places() {
            within(states, few, place, bound, |near| pairs.push(near));
        }
        nearest_of(pairs, None, |pair, best| measure(states, memory, pair, best))
    }
}

/// The side with fewer bodies.
fn smaller(states: [&State; 2]) -> usize {
    usize::from(states[1].bodies.len() < states[0].bodies.len())
}

/// A body of a side and one of the other, in the order of a pair.
fn paired(side: usize, place: u32, other: u32) -> [u32; 2] {
    if side == 0 { [place, other] } else { [other, place] }
}

fn meet(states: [&State; 2], [a, b]: [u32; 2]) -> bool {
    states[0].body(a).zip(states[1].body(b)).is_some_and(|(a, b)| a.meets(b))
}

/// The signed distance of a pair. `None` if it is proved to be larger than `best`.
fn measure(states: [&State; 2], memory: &mut Memory, pair: [u32; 2], best: f64) -> Result<Option<Measured>, Failure> {
    let Some((a, b)) = states[0].body(pair[0]).zip(states[1].body(pair[1])) else { return Ok(None) };
    memory.measured(pair, states.map(|state| &state.stamps[..]), best, || measured(a, b, best))
}

/// Visits the pairs of a body of a side whose boxes meet.
fn overlapping(states: [&State; 2], side: usize, place: u32, mut visit: impl FnMut([u32; 2])) {
    let own = states[side].boxes.get(place);
    states[1 - side].boxes.each_overlapping(&own, |other| visit(paired(side, place, other)));
}

/// Visits the pairs of a body of a side whose boxes are at most so far apart.
fn within(states: [&State; 2], side: usize, place: u32, reach: f64, mut visit: impl FnMut(Near)) {
    let own = states[side].boxes.get(place);
    states[1 - side].boxes.each_within(&own, reach, |other, gap| {
        let pair @ [a, b] = paired(side, place, other);
        let boxes = [states[0].boxes.get(a), states[1].boxes.get(b)];
        let are_convex = states[0].is_convex(a) && states[1].is_convex(b);
        visit(Near::of(pair, [states[0].order(a), states[1].order(b)], gap, boxes.each_ref(), are_convex));
    });
}

/// The two whose boxes are nearest.
fn nearest_boxes(states: [&State; 2]) -> Option<[u32; 2]> {
    let few = smaller(states);
    let (mut gaps, mut least, mut first) = (Vec::new(), f64::INFINITY, None);
    for place in states[few].places() {
        states[1 - few].boxes.squared_gaps(&states[few].boxes.get(place), &mut gaps);
        for other in states[1 - few].places() {
            if gaps[other as usize] < least || first.is_none() {
                (least, first) = (gaps[other as usize], Some(paired(few, place, other)));
            }
        }
    }
    first
}
