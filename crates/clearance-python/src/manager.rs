//! The state of a collision manager: which of its bodies meet and which two are nearest, kept from call to call.
//!
//! What is known about a pair holds until one of its bodies moves. So a call tests the pairs of the bodies that moved
//! since the last one, against the boxes of all others, which lie side by side in one array for each coordinate. Where
//! many have moved the boxes are swept along x instead. A question that needs one meeting pair ends with the first.
//!
//! The nearest pair is sought in the order of what the boxes bound, until no bound is less than the best distance. The
//! gap of two boxes bounds a distance from below; of two solids whose boxes overlap, the least translation that
//! separates the boxes bounds the depth from above. Ties go to the lesser bound, then to the bodies that were added
//! first, so the answer does not depend on earlier calls. What was found out about another manager is kept until one of
//! the two changes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clearance::answer::Witness;
use clearance::glam::DVec3;
use clearance::query::DistanceOptions;
use clearance::shape::Aabb;
use clearance::{PairCache, Pose, QueryError, Shape};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::error::{refused_pair, wrong};
use crate::give::points;
use crate::limits::{ALONE_PAIRS, SWEPT, SWEPT_FOR_NEAREST};
use crate::pair::with_workspace;
use crate::pose::{PyPose, transform_of};
use crate::shape::PyShape;
use crate::work::{each, on_all_cores};

/// How many boxes are tested at a time.
const LANES: usize = 8;

/// By how much a box is wider than what it bounds, relative to its coordinates: more than the difference of two of them
/// and the root of a sum of squares round.
const ROOM: f64 = 1e-12;

/// A body with its pose.
struct Body {
    shape: Shape,
    /// A solid, which has a depth.
    is_convex: bool,
    pose: Pose,
    /// Bodies that were added earlier have lower numbers.
    order: u64,
    /// The bodies that it is known to meet.
    meets: Vec<u32>,
}

impl Body {
    fn bounds(&self) -> Aabb {
        let bounds = self.shape.bounds().posed(&self.pose);
        let room = DVec3::splat(ROOM * bounds.min.abs().max(bounds.max.abs()).max_element());
        Aabb::new(bounds.min - room, bounds.max + room)
    }

    fn meets(&self, other: &Body) -> bool {
        clearance::intersects(&self.shape, &self.pose, &other.shape, &other.pose)
    }

    /// The distance; less than zero by the depth if both are solids. `None` if it is proved to be larger than `best`.
    fn signed_distance(&self, other: &Body, best: f64) -> Result<Option<Measured>, QueryError> {
        let ask = |options: &DistanceOptions| {
            with_workspace(|workspace| {
                let cache = &mut PairCache::default();
                clearance::query::distance_with(
                    &self.shape,
                    &self.pose,
                    &other.shape,
                    &other.pose,
                    options,
                    cache,
                    workspace,
                )
            })
        };
        let in_world = |witness: &Witness| {
            [self.pose.transform_point(witness.a.point), other.pose.transform_point(witness.b.point)]
        };
        if self.is_convex && other.is_convex {
            if !self.meets(other) {
                let found = ask(&DistanceOptions::default());
                return Ok(Some(Measured { value: found.gap.value, points: Some(in_world(&found.witness)) }));
            }
            let deep = clearance::penetration(&self.shape, &self.pose, &other.shape, &other.pose)?;
            return Ok(Some(Measured { value: -deep.depth.value, points: Some(in_world(&deep.witness)) }));
        }
        if best.is_finite() {
            let options = DistanceOptions { farther_than: Some(best), ..DistanceOptions::default() };
            let gap = ask(&options).gap;
            // Other distances are measured in full: their last bits must not depend on what is best so far.
            if gap.lower > best || gap.value == 0.0 {
                return Ok((gap.lower <= best).then_some(Measured { value: gap.value, points: None }));
            }
        }
        Ok(Some(Measured { value: ask(&DistanceOptions::default()).gap.value, points: None }))
    }
}

/// A signed distance, and of two solids a point of each that attains it, in the world.
#[derive(Clone, Copy)]
struct Measured {
    value: f64,
    points: Option<[DVec3; 2]>,
}

/// Boxes, one array for each coordinate; what is not a box overlaps nothing and is infinitely far away.
#[derive(Default)]
struct Boxes {
    min: [Vec<f64>; 3],
    max: [Vec<f64>; 3],
}

impl Boxes {
    fn set(&mut self, place: u32, bounds: &Aabb) {
        let place = place as usize;
        for axis in 0..3 {
            if self.min[axis].len() <= place {
                let len = (place + 1).next_multiple_of(LANES);
                self.min[axis].resize(len, f64::INFINITY);
                self.max[axis].resize(len, f64::NEG_INFINITY);
            }
            (self.min[axis][place], self.max[axis][place]) = (bounds.min[axis], bounds.max[axis]);
        }
    }

    fn get(&self, place: u32) -> Aabb {
        let corner = |of: &[Vec<f64>; 3]| DVec3::from_array([0, 1, 2].map(|axis| of[axis][place as usize]));
        Aabb::new(corner(&self.min), corner(&self.max))
    }

    /// The box about all boxes.
    fn all(&self) -> Aabb {
        let fold = |of: &[f64], from: f64, better: fn(f64, f64) -> bool| {
            let mut best = [from; LANES];
            for block in of.as_chunks::<LANES>().0 {
                for (best, &x) in best.iter_mut().zip(block) {
                    *best = if better(x, *best) { x } else { *best };
                }
            }
            best.into_iter().fold(from, |best, x| if better(x, best) { x } else { best })
        };
        let min = [0, 1, 2].map(|axis| fold(&self.min[axis], f64::INFINITY, |x, best| x < best));
        let max = [0, 1, 2].map(|axis| fold(&self.max[axis], f64::NEG_INFINITY, |x, best| x > best));
        Aabb::new(DVec3::from_array(min), DVec3::from_array(max))
    }

    /// Visits the boxes that share a point with one, in their order.
    fn each_overlapping(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        let [x, y, z] = [0, 1, 2].map(|axis| self.min[axis].as_chunks::<LANES>().0);
        let [u, v, w] = [0, 1, 2].map(|axis| self.max[axis].as_chunks::<LANES>().0);
        let (min, max) = (bounds.min, bounds.max);
        for (block, ((((x, y), z), u), (v, w))) in x.iter().zip(y).zip(z).zip(u).zip(v.iter().zip(w)).enumerate() {
            let mut bits = 0_u32;
            for lane in 0..LANES {
                let meets = (x[lane] <= max.x)
                    & (y[lane] <= max.y)
                    & (z[lane] <= max.z)
                    & (min.x <= u[lane])
                    & (min.y <= v[lane])
                    & (min.z <= w[lane]);
                bits |= u32::from(meets) << lane;
            }
            while bits != 0 {
                visit((block * LANES) as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// How far each box is from one, squared.
    fn squared_gaps(&self, bounds: &Aabb, gaps: &mut Vec<f64>) {
        let count = self.min[0].len();
        gaps.clear();
        gaps.resize(count, 0.0);
        for axis in 0..3 {
            let (low, high) = (bounds.min[axis], bounds.max[axis]);
            let (min, max) = (&self.min[axis][..count], &self.max[axis][..count]);
            for ((gap, &min), &max) in gaps.iter_mut().zip(min).zip(max) {
                let (above, below) = (min - high, low - max);
                let apart = if above > below { above } else { below };
                let apart = if apart > 0.0 { apart } else { 0.0 };
                *gap += apart * apart;
            }
        }
    }
}

/// How far two boxes are apart, squared.
fn squared_gap(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO).length_squared()
}

/// Bodies about which something is to be found out.
#[derive(Default)]
struct Due {
    list: Vec<u32>,
    is: Vec<bool>,
}

impl Due {
    fn insert(&mut self, place: u32) {
        if self.is.len() <= place as usize {
            self.is.resize(place as usize + 1, false);
        }
        if !std::mem::replace(&mut self.is[place as usize], true) {
            self.list.push(place);
        }
    }

    fn remove(&mut self, place: u32) {
        if self.is.get_mut(place as usize).is_some_and(std::mem::take) {
            self.list.retain(|&other| other != place);
        }
    }

    fn clear(&mut self) {
        self.list.drain(..).for_each(|place| self.is[place as usize] = false);
    }

    fn has(&self, place: u32) -> bool {
        self.is[place as usize]
    }
}

/// Two bodies, what their boxes bound their signed distance by, and the distance.
#[derive(Clone, Copy)]
struct Near {
    value: f64,
    points: Option<[DVec3; 2]>,
    least: f64,
    orders: [u64; 2],
    pair: [u32; 2],
}

impl Near {
    /// Two bodies whose distance is not known yet; with the squared gap of their boxes.
    fn of(pair: [u32; 2], orders: [u64; 2], squared_gap: f64, boxes: [&Aabb; 2], are_convex: bool) -> Near {
        let least = if squared_gap > 0.0 {
            squared_gap.sqrt()
        } else if are_convex {
            let [a, b] = boxes;
            -(a.max - b.min).min(b.max - a.min).min_element()
        } else {
            0.0
        };
        Near { value: f64::NAN, points: None, least, orders, pair }
    }

    /// Whether this is before another in the order of ties; distances are not compared.
    fn is_before(&self, other: &Near) -> bool {
        (self.least, self.orders) < (other.least, other.orders)
    }

    /// Whether a pair of which only the bound is known can be better than the best.
    fn can_be_before(&self, best: Option<&Near>) -> bool {
        best.is_none_or(|best| self.least < best.value || (self.least == best.value && self.is_before(best)))
    }
}

/// The best of some pairs and of one that is known.
fn nearest_of(
    mut pairs: Vec<Near>,
    mut best: Option<Near>,
    measure: impl Fn([u32; 2], f64) -> Result<Option<Measured>, Failure>,
) -> Result<Option<Near>, Failure> {
    let ask = |near: &Near, best: &mut Option<Near>| -> Result<(), Failure> {
        if near.can_be_before(best.as_ref())
            && let Some(Measured { value, points }) = measure(near.pair, best.map_or(f64::INFINITY, |best| best.value))?
        {
            let found = Near { value, points, ..*near };
            if best.is_none_or(|best| value < best.value || (value == best.value && found.is_before(&best))) {
                *best = Some(found);
            }
        }
        Ok(())
    };
    // Most pairs are left out once the first is known.
    let Some(first) = (0..pairs.len()).min_by(|&i, &j| order_of(&pairs[i], &pairs[j])) else { return Ok(best) };
    let first = pairs.swap_remove(first);
    ask(&first, &mut best)?;
    pairs.retain(|near| near.can_be_before(best.as_ref()));
    pairs.sort_unstable_by(order_of);
    for near in &pairs {
        ask(near, &mut best)?;
    }
    Ok(best)
}

fn order_of(one: &Near, other: &Near) -> std::cmp::Ordering {
    one.least.total_cmp(&other.least).then(one.orders.cmp(&other.orders))
}

/// Two bodies whose depth the engine refused.
struct Failure(Box<(QueryError, [Shape; 2])>);

impl Failure {
    fn of(error: QueryError, a: &Body, b: &Body) -> Failure {
        Failure(Box::new((error, [a.shape.clone(), b.shape.clone()])))
    }

    fn raised(&self, py: Python<'_>) -> PyErr {
        let (error, [a, b]) = &*self.0;
        refused_pair(py, error, a, b)
    }
}

fn measured(a: &Body, b: &Body, best: f64) -> Result<Option<Measured>, Failure> {
    a.signed_distance(b, best).map_err(|error| Failure::of(error, a, b))
}

#[derive(Default)]
struct State {
    bodies: Vec<Option<Body>>,
    boxes: Boxes,
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
    /// Bodies whose distances are not known.
    due_nearest: Due,
    /// The nearest two are not known.
    is_lost: bool,
    /// Counts the changes.
    version: u64,
    /// At the version of the first number: for bodies that were asked about, the pair with the nearest other.
    nearest_of_one: (u64, BTreeMap<u32, Option<Near>>),
}

impl State {
    fn body(&self, place: u32) -> Option<&Body> {
        self.bodies.get(place as usize)?.as_ref()
    }

    fn places(&self) -> impl Iterator<Item = u32> {
        (0..self.bodies.len() as u32).filter(|&place| self.bodies[place as usize].is_some())
    }

    fn order(&self, place: u32) -> u64 {
        self.body(place).map_or(u64::MAX, |body| body.order)
    }

    /// Two bodies in the order in which they were added.
    fn ordered(&self, one: u32, other: u32) -> [u32; 2] {
        if self.order(one) < self.order(other) { [one, other] } else { [other, one] }
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
        self.version += 1;
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

    fn any_meet(&mut self, py: Python<'_>) -> PyResult<bool> {
        while self.meetings == 0 && self.witness.is_none() && !self.due.list.is_empty() {
            // One by one, so that what is found out before a pair meets is kept; the last moved is the most likely.
            let count = self.due.list.len();
            let from = if count > SWEPT { 0 } else { count - 1 };
            let pairs = self.candidates(&self.due.list[from..]);
            self.witness = first_true(py, pairs.len(), |index| self.meet(pairs[index]))?.map(|index| pairs[index]);
            if self.witness.is_none() {
                for place in self.due.list.drain(from..) {
                    self.due.is[place as usize] = false;
                }
            }
        }
        Ok(self.meetings > 0 || self.witness.is_some())
    }

    /// All pairs that meet, in the order in which the bodies were added.
    fn meeting(&mut self, py: Python<'_>) -> PyResult<Vec<[u32; 2]>> {
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
    fn near(&self, body: &Body) -> Vec<u32> {
        let mut found = Vec::new();
        self.boxes.each_overlapping(&body.bounds(), |place| found.push(place));
        found.sort_unstable_by_key(|&place| self.order(place));
        found
    }

    /// The pairs of one of these and one of other bodies whose boxes meet, handed over for some bodies at a time, until
    /// a visit returns something.
    fn near_others<R>(
        &self,
        other: &State,
        block: usize,
        mut visit: impl FnMut(Vec<[u32; 2]>) -> PyResult<Option<R>>,
    ) -> PyResult<Option<R>> {
        let (few, many, swapped) =
            if self.bodies.len() > other.bodies.len() { (other, self, true) } else { (self, other, false) };
        let (bounds, mut pairs, mut count) = (many.boxes.all(), Vec::new(), 0);
        for place in few.places() {
            let own = few.boxes.get(place);
            if own.overlaps(&bounds) {
                let found = |found| pairs.push(if swapped { [found, place] } else { [place, found] });
                many.boxes.each_overlapping(&own, found);
                count += 1;
                if count % block == 0
                    && let Some(found) = visit(std::mem::take(&mut pairs))?
                {
                    return Ok(Some(found));
                }
            }
        }
        visit(pairs)
    }

    /// The pairs of a body of these and all others, and the gaps of their boxes; a test leaves out some.
    fn gaps(&self, place: u32, is_wanted: impl Fn(u32) -> bool) -> Vec<Near> {
        let mut gaps = Vec::new();
        self.boxes.squared_gaps(&self.boxes.get(place), &mut gaps);
        let pair = |other: u32| self.near_of(self.ordered(place, other), gaps[other as usize]);
        self.places().filter(|&other| other != place && is_wanted(other)).map(pair).collect()
    }

    /// Two of these bodies, with the squared gap of their boxes.
    fn near_of(&self, pair: [u32; 2], squared_gap: f64) -> Near {
        let [a, b] = pair.map(|place| self.boxes.get(place));
        let are_convex = pair.iter().all(|&place| self.is_convex(place));
        Near::of(pair, pair.map(|place| self.order(place)), squared_gap, [&a, &b], are_convex)
    }

    fn is_convex(&self, place: u32) -> bool {
        self.body(place).is_some_and(|body| body.is_convex)
    }

    fn measure(&self, [a, b]: [u32; 2], best: f64) -> Result<Option<Measured>, Failure> {
        let Some((a, b)) = self.body(a).zip(self.body(b)) else { return Ok(None) };
        measured(a, b, best)
    }

    /// The nearest two of all bodies.
    fn nearest(&mut self) -> Result<Option<Near>, Failure> {
        if self.is_lost || self.due_nearest.list.len() > SWEPT_FOR_NEAREST {
            self.nearest = self.nearest_of_all()?;
        } else {
            // Each due body is tested against all that are not due, and then is not due itself.
            let (mut nearest, mut is_due) = (self.nearest, self.due_nearest.is.clone());
            for &place in &self.due_nearest.list {
                let pairs = self.gaps(place, |other| !is_due[other as usize]);
                nearest = nearest_of(pairs, nearest, |pair, best| self.measure(pair, best))?;
                is_due[place as usize] = false;
            }
            self.nearest = nearest;
        }
        self.due_nearest.clear();
        self.is_lost = false;
        Ok(self.nearest)
    }

    /// A body and the nearest other.
    fn nearest_of_one(&mut self, place: u32) -> Result<Option<Near>, Failure> {
        if self.nearest_of_one.0 != self.version {
            self.nearest_of_one = (self.version, BTreeMap::new());
        }
        if let Some(known) = self.nearest_of_one.1.get(&place) {
            return Ok(*known);
        }
        let found = nearest_of(self.gaps(place, |_| true), None, |pair, best| self.measure(pair, best))?;
        self.nearest_of_one.1.insert(place, found);
        Ok(found)
    }

    fn nearest_of_all(&self) -> Result<Option<Near>, Failure> {
        // The two whose boxes are nearest bound the distances of those that are worth a test.
        let least = std::cell::Cell::new(f64::INFINITY);
        let mut first = None;
        self.sweep(
            || least.get().sqrt(),
            |a, b, gap| {
                if gap < least.get() || first.is_none() {
                    least.set(gap);
                    first = Some([a, b]);
                }
            },
        );
        let Some([a, b]) = first else { return Ok(None) };
        let bound = self.measure([a, b], f64::INFINITY)?.map_or(f64::INFINITY, |found| found.value).max(0.0);
        let (squared, mut pairs) = ((bound * bound).next_up(), Vec::new());
        self.sweep(
            || bound,
            |a, b, gap| {
                if gap <= squared {
                    pairs.push(self.near_of(self.ordered(a, b), gap));
                }
            },
        );
        nearest_of(pairs, None, |pair, best| self.measure(pair, best))
    }

    /// The nearest two of these and other bodies.
    fn nearest_others(&self, other: &State) -> Result<Option<Near>, Failure> {
        let (few, many, swapped) =
            if self.bodies.len() > other.bodies.len() { (other, self, true) } else { (self, other, false) };
        let oriented = |place: u32, found: u32| if swapped { [found, place] } else { [place, found] };
        let (bounds, mut gaps, mut least, mut first) = (many.boxes.all(), Vec::new(), f64::INFINITY, None);
        for place in few.places() {
            let own = few.boxes.get(place);
            if squared_gap(&own, &bounds) < least || first.is_none() {
                many.boxes.squared_gaps(&own, &mut gaps);
                for found in many.places() {
                    if gaps[found as usize] < least || first.is_none() {
                        (least, first) = (gaps[found as usize], Some(oriented(place, found)));
                    }
                }
            }
        }
        let Some(first) = first else { return Ok(None) };
        let measure = |[a, b]: [u32; 2], best: f64| {
            let Some((a, b)) = self.body(a).zip(other.body(b)) else { return Ok(None) };
            measured(a, b, best)
        };
        let bound = measure(first, f64::INFINITY)?.map_or(f64::INFINITY, |found| found.value).max(0.0);
        let (squared, mut pairs) = ((bound * bound).next_up(), Vec::new());
        for place in few.places() {
            let own = few.boxes.get(place);
            if squared_gap(&own, &bounds) <= squared {
                many.boxes.squared_gaps(&own, &mut gaps);
                for found in many.places().filter(|&found| gaps[found as usize] <= squared) {
                    let pair = oriented(place, found);
                    let orders = [self.order(pair[0]), other.order(pair[1])];
                    let are_convex = self.is_convex(pair[0]) && other.is_convex(pair[1]);
                    let boxes = [&own, &many.boxes.get(found)];
                    pairs.push(Near::of(pair, orders, gaps[found as usize], boxes, are_convex));
                }
            }
        }
        nearest_of(pairs, None, measure)
    }

    /// The nearest to a body that is not among them.
    fn nearest_to(&self, body: &Body) -> Result<Option<Near>, Failure> {
        let (mut gaps, bounds) = (Vec::new(), body.bounds());
        self.boxes.squared_gaps(&bounds, &mut gaps);
        let near = |place: u32| {
            let (boxes, gap) = ([&self.boxes.get(place), &bounds], gaps[place as usize]);
            Near::of([place, 0], [self.order(place), 0], gap, boxes, self.is_convex(place) && body.is_convex)
        };
        let measure =
            |[place, _]: [u32; 2], best: f64| self.body(place).map_or(Ok(None), |own| measured(own, body, best));
        nearest_of(self.places().map(near).collect(), None, measure)
    }
}

/// Answers to some questions, on all cores if they are many.
fn answers(py: Python<'_>, count: usize, answer: impl Fn(usize) -> bool + Send + Sync) -> PyResult<Vec<bool>> {
    match count {
        0 => Ok(Vec::new()),
        1..=ALONE_PAIRS => on_all_cores(py, || (0..count).map(answer).collect()),
        _ => each(py, count, answer),
    }
}

/// The first question that is answered by yes. Those that are asked at once are the more the longer it takes.
fn first_true(py: Python<'_>, count: usize, answer: impl Fn(usize) -> bool + Send + Sync) -> PyResult<Option<usize>> {
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

/// The state of a `CollisionManager`. Bodies are known by places, which are reused.
#[pyclass(frozen, name = "_Manager", module = "clearance._clearance")]
pub struct PyManager {
    /// No two managers have the same.
    number: u64,
    state: Mutex<State>,
    others: Mutex<Others>,
}

/// What is known about these bodies and those of one other manager.
#[derive(Clone, Default)]
struct Others {
    /// The number of the other manager, and the versions of both.
    of: (u64, u64, u64),
    any_meet: Option<bool>,
    meeting: Option<Vec<[u32; 2]>>,
    nearest: Option<Option<Near>>,
}

static MANAGERS: AtomicU64 = AtomicU64::new(1);

/// How many bodies of the smaller manager are held against those of the other at a time where one pair suffices.
const BLOCK: usize = 4;

fn external(
    py: Python<'_>,
    shape: &Py<PyShape>,
    is_convex: bool,
    transform: Option<&Bound<'_, PyAny>>,
) -> PyResult<Body> {
    let pose = transform_of(py, transform)?;
    Ok(Body { shape: shape.get().shape.clone(), is_convex, pose, order: 0, meets: Vec::new() })
}

fn places(pairs: Vec<[u32; 2]>) -> Vec<(u32, u32)> {
    pairs.into_iter().map(|[a, b]| (a, b)).collect()
}

fn found(py: Python<'_>, near: Result<Option<Near>, Failure>) -> PyResult<Option<PyNearest>> {
    let near = near.map_err(|failure| failure.raised(py))?;
    Ok(near.map(|Near { value, points, pair: [a, b], .. }| PyNearest { a, b, value, points }))
}

/// The nearest two bodies.
#[pyclass(frozen, name = "_Nearest", module = "clearance._clearance")]
pub struct PyNearest {
    /// The place of the one.
    #[pyo3(get)]
    a: u32,
    /// The place of the other; 0 for a body that is not in a manager.
    #[pyo3(get)]
    b: u32,
    /// The signed distance.
    #[pyo3(get)]
    value: f64,
    points: Option<[DVec3; 2]>,
}

#[pymethods]
impl PyNearest {
    /// Of two solids a point of each, in the world, (2, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.points.map(|ends| points(py, ends)).transpose()
    }
}

#[pymethods]
impl PyManager {
    #[new]
    fn new() -> PyManager {
        let number = MANAGERS.fetch_add(1, Ordering::Relaxed);
        PyManager { number, state: Mutex::default(), others: Mutex::default() }
    }

    /// Adds a body, or with a place replaces that one; returns its place.
    #[pyo3(signature = (shape, is_convex, transform=None, place=None))]
    fn put(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        is_convex: bool,
        transform: Option<&Bound<'_, PyAny>>,
        place: Option<u32>,
    ) -> PyResult<u32> {
        let mut body = external(py, shape.as_unbound(), is_convex, transform)?;
        let state = &mut *self.lock(py);
        let known = place.filter(|&place| state.body(place).is_some());
        let place = match known.or_else(|| state.free.pop()) {
            Some(place) => place,
            None => {
                state.bodies.push(None);
                state.bodies.len() as u32 - 1
            }
        };
        if known.is_some() {
            body.order = state.order(place);
            state.forget(place);
        } else {
            body.order = state.next;
            state.next += 1;
        }
        state.bodies[place as usize] = Some(body);
        state.changed(place);
        Ok(place)
    }

    /// Removes a body.
    fn remove(&self, py: Python<'_>, place: u32) {
        let state = &mut *self.lock(py);
        if state.body(place).is_some() {
            state.forget(place);
            state.version += 1;
            state.bodies[place as usize] = None;
            state.boxes.set(place, &Aabb::new(DVec3::INFINITY, DVec3::NEG_INFINITY));
            state.due.remove(place);
            state.due_nearest.remove(place);
            state.free.push(place);
        }
    }

    /// Moves a body to another pose.
    fn move_to(&self, py: Python<'_>, place: u32, transform: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = transform_of(py, Some(transform))?;
        let state = &mut *self.lock(py);
        if state.body(place).is_some_and(|body| body.pose != pose) {
            state.forget(place);
            if let Some(body) = state.bodies[place as usize].as_mut() {
                body.pose = pose;
            }
            state.changed(place);
        }
        Ok(())
    }

    /// The pose of a body.
    fn pose(&self, py: Python<'_>, place: u32) -> PyResult<PyPose> {
        let pose = self.lock(py).body(place).map(|body| PyPose { pose: body.pose });
        pose.ok_or_else(|| wrong(py, "place", format_args!("there is no body at place {place}")))
    }

    /// Whether any two bodies meet.
    fn any_meet(&self, py: Python<'_>) -> PyResult<bool> {
        self.lock(py).any_meet(py)
    }

    /// Every two bodies that meet.
    fn meeting(&self, py: Python<'_>) -> PyResult<Vec<(u32, u32)>> {
        self.lock(py).meeting(py).map(places)
    }

    /// Whether any body meets one that is not among them.
    #[pyo3(signature = (shape, is_convex, transform=None))]
    fn any_meets(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        is_convex: bool,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let body = external(py, shape.as_unbound(), is_convex, transform)?;
        let state = &*self.lock(py);
        let near = state.near(&body);
        let meets = |index: usize| state.body(near[index]).is_some_and(|own| own.meets(&body));
        first_true(py, near.len(), meets).map(|found| found.is_some())
    }

    /// The bodies that meet one that is not among them.
    #[pyo3(signature = (shape, is_convex, transform=None))]
    fn meeting_with(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        is_convex: bool,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<u32>> {
        let body = external(py, shape.as_unbound(), is_convex, transform)?;
        let state = &*self.lock(py);
        let near = state.near(&body);
        let meet = answers(py, near.len(), |index| state.body(near[index]).is_some_and(|own| own.meets(&body)))?;
        Ok(near.into_iter().zip(meet).filter_map(|(place, meets)| meets.then_some(place)).collect())
    }

    /// Whether any body meets one of another manager.
    fn any_meet_of(&self, py: Python<'_>, other: &Bound<'_, PyManager>) -> PyResult<bool> {
        self.with(py, other.get(), |state, other, known| {
            if known.any_meet.is_none() {
                let first = state.near_others(other, BLOCK, |pairs| {
                    first_true(py, pairs.len(), |index| meet_others(state, other, pairs[index]))
                })?;
                known.any_meet = Some(first.is_some());
            }
            Ok(known.any_meet == Some(true))
        })
    }

    /// The pairs of a body and one of another manager that meet.
    fn meeting_of(&self, py: Python<'_>, other: &Bound<'_, PyManager>) -> PyResult<Vec<(u32, u32)>> {
        self.with(py, other.get(), |state, other, known| {
            if known.meeting.is_none() {
                let all = state.near_others(other, usize::MAX, |mut pairs| {
                    pairs.sort_unstable_by_key(|&[a, b]| (state.order(a), other.order(b)));
                    let meet = answers(py, pairs.len(), |index| meet_others(state, other, pairs[index]))?;
                    Ok(Some(pairs.into_iter().zip(meet).filter_map(|(pair, meets)| meets.then_some(pair)).collect()))
                })?;
                (known.any_meet, known.meeting) = (all.as_ref().map(|all: &Vec<_>| !all.is_empty()), all);
            }
            Ok(places(known.meeting.clone().unwrap_or_default()))
        })
    }

    /// The nearest two bodies and their distance, less than zero by the depth of two solids; with a place, that body
    /// and the nearest to it.
    #[pyo3(signature = (place=None))]
    fn nearest(&self, py: Python<'_>, place: Option<u32>) -> PyResult<Option<PyNearest>> {
        let state = &mut *self.lock(py);
        let near = match place {
            None if !state.is_lost && state.due_nearest.list.is_empty() => Ok(state.nearest),
            None => on_all_cores(py, || state.nearest())?,
            Some(place) if state.body(place).is_none() => Ok(None),
            Some(place) => on_all_cores(py, || state.nearest_of_one(place))?,
        };
        found(py, near)
    }

    /// The body that is nearest to one that is not among them, and the distance.
    #[pyo3(signature = (shape, is_convex, transform=None))]
    fn nearest_to(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        is_convex: bool,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<PyNearest>> {
        let body = external(py, shape.as_unbound(), is_convex, transform)?;
        let state = &*self.lock(py);
        let near = on_all_cores(py, || state.nearest_to(&body))?;
        found(py, near)
    }

    /// The nearest two of these bodies and those of another manager, and their distance.
    fn nearest_of(&self, py: Python<'_>, other: &Bound<'_, PyManager>) -> PyResult<Option<PyNearest>> {
        self.with(py, other.get(), |state, other, known| {
            if known.nearest.is_none() {
                let near = on_all_cores(py, || state.nearest_others(other))?;
                known.nearest = Some(near.map_err(|failure| failure.raised(py))?);
            }
            found(py, Ok(known.nearest.flatten()))
        })
    }
}

fn meet_others(state: &State, other: &State, [a, b]: [u32; 2]) -> bool {
    state.body(a).zip(other.body(b)).is_some_and(|(a, b)| a.meets(b))
}

impl PyManager {
    fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Both managers, which may be one, and what is known about them: locked in the same order by all threads.
    fn with<R>(
        &self,
        py: Python<'_>,
        other: &PyManager,
        run: impl FnOnce(&State, &State, &mut Others) -> PyResult<R>,
    ) -> PyResult<R> {
        let run = |state: &State, its: &State| {
            let mut others = self.others.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
            let of = (other.number, state.version, its.version);
            if others.of != of {
                *others = Others { of, ..Others::default() };
            }
            run(state, its, &mut others)
        };
        match self.number.cmp(&other.number) {
            std::cmp::Ordering::Equal => {
                let state = self.lock(py);
                run(&state, &state)
            }
            std::cmp::Ordering::Less => {
                let state = self.lock(py);
                run(&state, &other.lock(py))
            }
            std::cmp::Ordering::Greater => {
                let other = other.lock(py);
                run(&self.lock(py), &other)
            }
        }
    }
}
