//! The bodies of a collision manager: which of them meet and which two are nearest, kept from call to call.

use std::collections::BTreeMap;

use clearance::Pose;
use clearance::glam::DVec3;
use clearance::shape::Aabb;
use pyo3::prelude::*;

use super::body::{Body, Failure, Known, Measured, measured};
use super::boxes::{Boxes, squared_gap};
use super::nearest::{Memory, Near, nearest_of};
use crate::limits::{ALONE_PAIRS, SWEPT, SWEPT_FOR_NEAREST};
use crate::work::{each, on_all_cores};

/// Bodies about which something is to be found out.
#[derive(Default)]
pub struct Due {
    pub list: Vec<u32>,
    is: Vec<bool>,
}

impl Due {
    pub fn insert(&mut self, place: u32) {
        if self.is.len() <= place as usize {
            self.is.resize(place as usize + 1, false);
        }
        if !std::mem::replace(&mut self.is[place as usize], true) {
            self.list.push(place);
        }
    }

    pub fn remove(&mut self, place: u32) {
        if self.is.get_mut(place as usize).is_some_and(std::mem::take) {
            self.list.retain(|&other| other != place);
        }
    }

    pub fn clear(&mut self) {
        self.list.drain(..).for_each(|place| self.is[place as usize] = false);
    }

    /// Leaves the first so many.
    pub fn truncate(&mut self, count: usize) {
        self.list.drain(count..).for_each(|place| self.is[place as usize] = false);
    }

    pub fn has(&self, place: u32) -> bool {
        self.is.get(place as usize).is_some_and(|&is| is)
    }
}

/// The bodies, by places that are reused.
#[derive(Default)]
pub struct State {
    pub bodies: Vec<Option<Body>>,
    pub boxes: Boxes,
    free: Vec<u32>,
    /// The number of the body that is added next.
    next: u64,
    /// Bodies whose meetings are not known.
    due: Due,
    /// How many pairs are known to meet.
    meetings: usize,
    /// Two bodies that meet, at least one of them due.
    witness: Option<[u32; 2]>,
    /// The nearest two of the bodies that are not `due_nearest`.
    nearest: Option<Near>,
    /// The nearest two of an earlier call.
    guess: Option<[u32; 2]>,
    /// Bodies whose distances are not known.
    due_nearest: Due,
    /// The nearest two are not known.
    is_lost: bool,
    /// Counts the changes.
    pub version: u64,
    /// For each place the version that its last change made.
    pub stamps: Vec<u64>,
    memory: Memory,
    /// At the version of the first number: for bodies that were asked about, the pair with the nearest other.
    known_of_one: (u64, BTreeMap<u32, Option<Near>>),
}

impl State {
    pub fn body(&self, place: u32) -> Option<&Body> {
        self.bodies.get(place as usize)?.as_ref()
    }

    pub fn places(&self) -> impl Iterator<Item = u32> {
        (0..self.bodies.len() as u32).filter(|&place| self.bodies[place as usize].is_some())
    }

    pub fn order(&self, place: u32) -> u64 {
        self.body(place).map_or(u64::MAX, |body| body.order)
    }

    /// Two bodies in the order in which they were added.
    fn ordered(&self, one: u32, other: u32) -> [u32; 2] {
        if self.order(one) < self.order(other) { [one, other] } else { [other, one] }
    }

    /// Adds a body, or replaces the one at a place; returns its place.
    pub fn put(&mut self, mut body: Body, place: Option<u32>) -> u32 {
        let known = place.filter(|&place| self.body(place).is_some());
        let place = match known.or_else(|| self.free.pop()) {
            Some(place) => place,
            None => {
                self.bodies.push(None);
                self.stamps.push(0);
                self.bodies.len() as u32 - 1
            }
        };
        if known.is_some() {
            body.order = self.order(place);
            self.forget(place);
        } else {
            body.order = self.next;
            self.next += 1;
        }
        self.bodies[place as usize] = Some(body);
        self.changed(place);
        place
    }

    /// Removes a body.
    pub fn remove(&mut self, place: u32) {
        if self.body(place).is_some() {
            self.forget(place);
            self.stamp(place);
            self.bodies[place as usize] = None;
            self.boxes.set(place, &Aabb::new(DVec3::INFINITY, DVec3::NEG_INFINITY));
            self.due.remove(place);
            self.due_nearest.remove(place);
            self.free.push(place);
        }
    }

    /// Moves a body to another pose.
    pub fn move_to(&mut self, place: u32, pose: Pose) {
        if self.body(place).is_some_and(|body| body.pose != pose) {
            self.forget(place);
            if let Some(body) = self.bodies[place as usize].as_mut() {
                body.pose = pose;
            }
            self.changed(place);
        }
    }

    fn stamp(&mut self, place: u32) {
        self.version += 1;
        self.stamps[place as usize] = self.version;
    }

    /// Forgets what is known about a body.
    fn forget(&mut self, place: u32) {
        let Some(body) = self.bodies[place as usize].as_mut() else { return };
        for partner in std::mem::take(&mut body.meets) {
            if let Some(partner) = self.bodies[partner as usize].as_mut() {
                partner.meets.retain(|&other| other != place);
            }
            self.meetings -= 1;
        }
        self.witness = self.witness.filter(|pair| !pair.contains(&place));
        if self.nearest.is_some_and(|near| near.pair.contains(&place)) {
            (self.nearest, self.is_lost) = (None, true);
        }
    }

    /// A body was put at a place, or moved.
    fn changed(&mut self, place: u32) {
        let Some(bounds) = self.body(place).map(Body::bounds) else { return };
        self.stamp(place);
        self.boxes.set(place, &bounds);
        self.due.insert(place);
        self.due_nearest.insert(place);
    }

    /// The pairs of some bodies that are due, with each other and with those that are not, whose boxes meet.
    fn candidates(&self, some: &[u32]) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        if some.len() > SWEPT {
            self.sweep(
                || 0.0,
                |a, b, gap| {
                    if gap <= 0.0 && (self.due.has(a) || self.due.has(b)) {
                        pairs.push(self.ordered(a, b));
                    }
                },
            );
            return pairs;
        }
        let mut is_due = self.due.is.clone();
        for &place in some {
            let found = |other: u32| {
                if !is_due[other as usize] {
                    pairs.push(self.ordered(place, other));
                }
            };
            self.boxes.each_overlapping(&self.boxes.get(place), found);
            is_due[place as usize] = false;
        }
        pairs
    }

    /// Visits every two bodies whose boxes are no farther apart along x than a limit, which may depend on what was
    /// visited, with the square of the gap between the boxes.
    fn sweep(&self, limit: impl Fn() -> f64, mut visit: impl FnMut(u32, u32, f64)) {
        let mut sorted: Vec<(Aabb, u32)> = self.places().map(|place| (self.boxes.get(place), place)).collect();
        sorted.sort_unstable_by(|a, b| a.0.min.x.total_cmp(&b.0.min.x).then(a.1.cmp(&b.1)));
        for (index, (a, place)) in sorted.iter().enumerate() {
            for (b, other) in &sorted[index + 1..] {
                if b.min.x - a.max.x > limit() {
                    break;
                }
                visit(*place, *other, squared_gap(a, b));
            }
        }
    }

    fn meet(&self, [a, b]: [u32; 2]) -> bool {
        self.body(a).zip(self.body(b)).is_some_and(|(a, b)| a.meets(b))
    }

    pub fn any_meet(&mut self, py: Python<'_>) -> PyResult<bool> {
        while self.meetings == 0 && self.witness.is_none() && !self.due.list.is_empty() {
            // One by one, so that what is found out before a pair meets is kept; the last moved is the most likely.
            let count = self.due.list.len();
            let from = if count > SWEPT { 0 } else { count - 1 };
            let pairs = self.candidates(&self.due.list[from..]);
            self.witness = first_true(py, pairs.len(), |index| self.meet(pairs[index]))?.map(|index| pairs[index]);
            if self.witness.is_none() {
                self.due.truncate(from);
            }
        }
        Ok(self.meetings > 0 || self.witness.is_some())
    }

    /// All pairs that meet, in the order in which the bodies were added.
    pub fn meeting(&mut self, py: Python<'_>) -> PyResult<Vec<[u32; 2]>> {
        if !self.due.list.is_empty() {
            let pairs = self.candidates(&self.due.list);
            let meet = answers(py, pairs.len(), |index| self.meet(pairs[index]))?;
            for (pair, _) in pairs.into_iter().zip(meet).filter(|(_, meet)| *meet) {
                for (one, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                    if let Some(body) = self.bodies[one as usize].as_mut() {
                        body.meets.push(other);
                    }
                }
                self.meetings += 1;
            }
            self.due.clear();
            self.witness = None;
        }
        let mut pairs = Vec::with_capacity(self.meetings);
        for place in self.places().filter(|_| self.meetings > 0) {
            let partners = self.body(place).map_or(&[][..], |body| &body.meets);
            pairs.extend(partners.iter().map(|&other| [place, other]).filter(|&[a, b]| self.ordered(a, b) == [a, b]));
        }
        pairs.sort_unstable_by_key(|pair| pair.map(|place| self.order(place)));
        Ok(pairs)
    }

    /// The bodies whose boxes meet that of one that is not among them, in the order in which they were added.
    pub fn near(&self, body: &Body) -> Vec<u32> {
        let mut found = Vec::new();
        self.boxes.each_overlapping(&body.bounds(), |place| found.push(place));
        found.sort_unstable_by_key(|&place| self.order(place));
        found
    }

    /// The pairs of a body of these and all others that may be at most so far from it, and the gaps of their boxes; a
    /// test leaves out some.
    fn gaps(&self, place: u32, reach: f64, is_wanted: impl Fn(u32) -> bool) -> Vec<Near> {
        let (mut found, own) = (Vec::new(), self.boxes.get(place));
        self.boxes.each_within(&own, reach, |other, gap| {
            if other != place && is_wanted(other) {
                found.push(self.near_of(self.ordered(place, other), gap));
            }
        });
        found
    }

    /// Two of these bodies, with the squared gap of their boxes.
    fn near_of(&self, pair: [u32; 2], squared_gap: f64) -> Near {
        let [a, b] = pair.map(|place| self.boxes.get(place));
        let are_convex = pair.iter().all(|&place| self.is_convex(place));
        Near::of(pair, pair.map(|place| self.order(place)), squared_gap, [&a, &b], are_convex)
    }

    pub fn is_convex(&self, place: u32) -> bool {
        self.body(place).is_some_and(|body| body.is_convex)
    }

    /// The signed distance of a pair. `None` if it is proved to be larger than `best`.
    fn measure(&self, memory: &mut Memory, pair: [u32; 2], best: f64) -> Result<Option<Measured>, Failure> {
        let Some((a, b)) = self.body(pair[0]).zip(self.body(pair[1])) else { return Ok(None) };
        memory.measured(pair, [&self.stamps, &self.stamps], best, || measured(a, b, best))
    }

    /// Whether the nearest two are known.
    pub fn knows_nearest(&self) -> bool {
        !self.is_lost && self.due_nearest.list.is_empty()
    }

    /// The nearest two of all bodies.
    pub fn nearest(&mut self) -> Result<Option<Near>, Failure> {
        if self.knows_nearest() {
            return Ok(self.nearest);
        }
        let mut memory = std::mem::take(&mut self.memory);
        let found = self.find_nearest(&mut memory);
        self.memory = memory;
        self.nearest = found?;
        self.guess = self.nearest.map(|near| near.pair).or(self.guess);
        self.due_nearest.clear();
        self.is_lost = false;
        Ok(self.nearest)
    }

    fn find_nearest(&self, memory: &mut Memory) -> Result<Option<Near>, Failure> {
        if self.is_lost || self.due_nearest.list.len() > SWEPT_FOR_NEAREST {
            return self.nearest_of_all(memory);
        }
        // Each due body is tested against all that are not due, and then is not due itself.
        let (mut nearest, mut is_due) = (self.nearest, self.due_nearest.is.clone());
        for &place in &self.due_nearest.list {
            let reach = nearest.map_or(f64::INFINITY, |near| near.value.max(0.0));
            let pairs = self.gaps(place, reach, |other| !is_due[other as usize]);
            nearest = nearest_of(pairs, nearest, |pair, best| self.measure(memory, pair, best))?;
            is_due[place as usize] = false;
        }
        Ok(nearest)
    }

    /// A body and the nearest other.
    pub fn nearest_of_one(&mut self, place: u32) -> Result<Option<Near>, Failure> {
        if self.known_of_one.0 != self.version {
            self.known_of_one = (self.version, BTreeMap::new());
        }
        if let Some(known) = self.known_of_one.1.get(&place) {
            return Ok(*known);
        }
        let mut memory = std::mem::take(&mut self.memory);
        let pairs = self.gaps(place, f64::INFINITY, |_| true);
        let found = nearest_of(pairs, None, |pair, best| self.measure(&mut memory, pair, best));
        self.memory = memory;
        let found = found?;
        self.known_of_one.1.insert(place, found);
        Ok(found)
    }

    fn nearest_of_all(&self, memory: &mut Memory) -> Result<Option<Near>, Failure> {
        // The distance of two bodies bounds those that are worth a test: of the two that were the nearest, or whose
        // boxes are.
        let guess = self.guess.filter(|pair| pair.iter().all(|&place| self.body(place).is_some()));
        let Some(first) = guess.or_else(|| self.nearest_boxes()) else { return Ok(None) };
        let bound = self.measure(memory, first, f64::INFINITY)?.map_or(f64::INFINITY, |found| found.value).max(0.0);
        let (squared, mut pairs) = ((bound * bound).next_up(), Vec::new());
        self.sweep(
            || bound,
            |a, b, gap| {
                if gap <= squared {
                    pairs.push(self.near_of(self.ordered(a, b), gap));
                }
            },
        );
        nearest_of(pairs, None, |pair, best| self.measure(memory, pair, best))
    }

    /// The two whose boxes are nearest.
    fn nearest_boxes(&self) -> Option<[u32; 2]> {
        let least = std::cell::Cell::new(f64::INFINITY);
        let mut first = None;
        self.sweep(
            || least.get().sqrt(),
            |a, b, gap| {
                if gap < least.get() || first.is_none() {
                    least.set(gap);
                    first = Some(self.ordered(a, b));
                }
            },
        );
        first
    }

    /// The nearest to a body that is not among them.
    pub fn nearest_to(&self, body: &Body) -> Result<Option<Near>, Failure> {
        let (mut gaps, bounds) = (Vec::new(), body.bounds());
        self.boxes.squared_gaps(&bounds, &mut gaps);
        let near = |place: u32| {
            let (boxes, gap) = ([&self.boxes.get(place), &bounds], gaps[place as usize]);
            Near::of([place, 0], [self.order(place), 0], gap, boxes, self.is_convex(place) && body.is_convex)
        };
        let measure = |[place, _]: [u32; 2], best: f64| {
            let Some(own) = self.body(place) else { return Ok(None) };
            Ok(match measured(own, body, best)? {
                Known::Is(measured) => Some(measured),
                Known::AtLeast(_) => None,
            })
        };
        nearest_of(self.places().map(near).collect(), None, measure)
    }
}

/// Answers to some questions, on all cores if they are many.
pub fn answers(py: Python<'_>, count: usize, answer: impl Fn(usize) -> bool + Send + Sync) -> PyResult<Vec<bool>> {
    match count {
        0 => Ok(Vec::new()),
        1..=ALONE_PAIRS => on_all_cores(py, || (0..count).map(answer).collect()),
        _ => each(py, count, answer),
    }
}

/// The first question that is answered by yes. Those that are asked at once are the more the longer it takes.
pub fn first_true(
    py: Python<'_>,
    count: usize,
    answer: impl Fn(usize) -> bool + Send + Sync,
) -> PyResult<Option<usize>> {
    if count == 0 {
        return Ok(None);
    }
    let alone = count.min(ALONE_PAIRS);
    let mut found = on_all_cores(py, || (0..alone).find(|&index| answer(index)))?;
    let (mut from, mut size) = (alone, 4 * ALONE_PAIRS);
    while found.is_none() && from < count {
        let some = each(py, size.min(count - from), |index| answer(from + index))?;
        found = some.iter().position(|&meets| meets).map(|index| from + index);
        (from, size) = (from + some.len(), 2 * size);
    }
    Ok(found)
}
