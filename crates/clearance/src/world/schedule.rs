//! When to check which pair: the scheduling scheme of Lin and others (I-Collide, 1995), a priority queue of pairs by
//! the time before which they cannot touch.
//!
//! As published, the bounds use the difference of the centres of mass as the lever arm of a rotation, which is not a
//! bound: a long bar that spins about its own centre sweeps far. Here each body has the radius of a ball about its own
//! centre, and both count:
//!
//! ```text
//!     v = v_lin + ω_a r_a + ω_b r_b        a = a_lin + (α_a + ω_a²) r_a + (α_b + ω_b²) r_b
//!     d = v t + a t² / 2                   t = 2 d / (v + √(v² + 2 a d))
//! ```
//!
//! The last form has no cancellation, and for `a = 0` it is `d / v`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use glam::DVec3;

use crate::answer::distance::{Distance, DistanceOptions};
use crate::convex::pair::cache::PairCache;
use crate::math::cancel::to_its_end;
use crate::pair::distance::distance;
use crate::pair::workspace::Workspace;
use crate::world::bodies::{BodyId, World};

/// Bounds on a body's motion, from now until it is checked again. Angular values are bounds for that whole time.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::world::MotionBounds;
/// let falling = MotionBounds { radius: 0.5, acceleration: 9.81, ..MotionBounds::default() };
/// assert_eq!(falling.velocity, DVec3::ZERO);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct MotionBounds {
    /// No point of the body is farther from its centre of mass than this.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub radius: f64,
    /// The velocity of its centre of mass.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub velocity: DVec3,
    /// A bound on the length of the acceleration of its centre of mass.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub acceleration: f64,
    /// A bound on its angular velocity, in radians.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub angular_velocity: f64,
    /// A bound on its angular acceleration.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub angular_acceleration: f64,
}

/// A lower bound on the time until two bodies at a given distance can touch; infinite if they never can.
///
/// `distance` is a lower bound, such as that of [`distance`](crate::distance()).
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::world::{MotionBounds, time_to_contact};
/// let still = MotionBounds::default();
/// let flying = MotionBounds { velocity: DVec3::X * 4.0, ..MotionBounds::default() };
/// assert!((time_to_contact(2.0, &still, &flying) - 0.5).abs() < 1e-12);
/// let falling = MotionBounds { acceleration: 1.0, ..MotionBounds::default() };
/// assert!((time_to_contact(2.0, &still, &falling) - 2.0).abs() < 1e-12);
/// // A spinning bar sweeps its own length.
/// let spinning = MotionBounds { radius: 2.0, angular_velocity: 1.0, ..MotionBounds::default() };
/// assert!(time_to_contact(2.0, &still, &spinning) < 1.0);
/// assert_eq!(time_to_contact(2.0, &still, &still), f64::INFINITY);
/// ```
#[must_use]
pub fn time_to_contact(distance: f64, a: &MotionBounds, b: &MotionBounds) -> f64 {
    let turning = |s: &MotionBounds| s.angular_velocity.abs() * s.radius;
    let speeding = |s: &MotionBounds| {
        let swung = s.angular_acceleration.abs() + s.angular_velocity * s.angular_velocity;
        s.acceleration.abs() + swung * s.radius
    };
    let speed = (b.velocity - a.velocity).length() + turning(a) + turning(b);
    let acceleration = speeding(a) + speeding(b);
    if distance.is_nan() || distance <= 0.0 || !(speed + acceleration).is_finite() {
        return 0.0;
    }
    let fastest = speed + (speed * speed + 2.0 * acceleration * distance).sqrt();
    if fastest == 0.0 { f64::INFINITY } else { 2.0 * distance / fastest * (1.0 - 1e-14) }
}

/// A pair and when it is due.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Due {
    time: f64,
    pair: [BodyId; 2],
    /// The version of the pair's due time: all but the latest are stale.
    stamp: u64,
}

impl Eq for Due {}

impl Ord for Due {
    /// The earliest is the greatest; then the pair inserted with the lower ids.
    fn cmp(&self, other: &Due) -> Ordering {
        let by_time = other.time.total_cmp(&self.time);
        by_time.then_with(|| other.pair.cmp(&self.pair)).then_with(|| other.stamp.cmp(&self.stamp))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Due) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Pairs by the time at which they must be checked again. A pair has one time; stale entries stay in the heap until
/// they reach the top.
///
/// By itself it is a queue; [`World::next_contacts`] fills it and checks the pairs that are due.
///
/// ```
/// use clearance::{Pose, Shape, World, glam::DVec3};
/// use clearance::world::Schedule;
/// let mut world = World::new(None);
/// let ball = Shape::sphere(1.0)?;
/// let ids = [0.0, 5.0, 50.0].map(|x| world.insert(&ball, &Pose::from_translation(DVec3::X * x).unwrap(), 0));
/// let mut schedule = Schedule::default();
/// schedule.insert(ids[0], ids[1], 0.25);
/// schedule.insert(ids[0], ids[2], 7.0);
/// assert_eq!(schedule.next_due(1.0), Some((0.25, [ids[0], ids[1]])));
/// assert_eq!(schedule.next_due(1.0), None);
/// assert_eq!(schedule.earliest(), Some(7.0));
/// // A new time replaces the first.
/// schedule.insert(ids[2], ids[0], 9.0);
/// assert_eq!((schedule.earliest(), schedule.len()), (Some(9.0), 1));
/// # Ok::<(), clearance::QueryError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    heap: BinaryHeap<Due>,
    /// The current stamp of every waiting pair, by its ids in ascending order.
    waiting: BTreeMap<[BodyId; 2], u64>,
    stamps: u64,
    /// The bodies that [`World::next_contacts`] has seen.
    bodies: BTreeSet<BodyId>,
}

fn key(a: BodyId, b: BodyId) -> [BodyId; 2] {
    [a.min(b), a.max(b)]
}

impl Schedule {
    /// Schedules a pair, replacing its previous time. A pair with an infinite time, which never touches, does not wait;
    /// NaN means now.
    pub fn insert(&mut self, a: BodyId, b: BodyId, time: f64) {
        let time = if time.is_nan() { f64::NEG_INFINITY } else { time };
        self.waiting.remove(&key(a, b));
        if time < f64::INFINITY {
            self.stamps += 1;
            self.waiting.insert(key(a, b), self.stamps);
            self.heap.push(Due { time, pair: [a, b], stamp: self.stamps });
        }
        self.settle();
    }

    /// Removes a pair.
    pub fn remove(&mut self, a: BodyId, b: BodyId) {
        self.waiting.remove(&key(a, b));
        self.settle();
    }

    /// Makes all pairs of a body known to [`World::next_contacts`] due at once, because its velocity or its motion
    /// bounds changed.
    pub fn disturb(&mut self, body: BodyId) {
        if self.bodies.contains(&body) {
            for other in self.bodies.clone().into_iter().filter(|&other| other != body) {
                self.insert(body.min(other), body.max(other), f64::NEG_INFINITY);
            }
        }
    }

    /// The earliest time at which a pair is due.
    #[must_use]
    pub fn earliest(&self) -> Option<f64> {
        self.heap.peek().map(|due| due.time)
    }

    /// Pops the next pair due no later than `now`, with its time. Check it and insert it again.
    pub fn next_due(&mut self, now: f64) -> Option<(f64, [BodyId; 2])> {
        if self.earliest()? > now {
            return None;
        }
        let due = self.heap.pop()?;
        self.waiting.remove(&key(due.pair[0], due.pair[1]));
        self.settle();
        Some((due.time, due.pair))
    }

    /// The number of waiting pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no pair is waiting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Drops stale entries from the top, and all of them once most of the heap is stale.
    fn settle(&mut self) {
        let counts = |due: &Due| self.waiting.get(&key(due.pair[0], due.pair[1])) == Some(&due.stamp);
        if self.heap.len() > 2 * self.waiting.len() + 64 {
            self.heap.retain(counts);
            return;
        }
        while self.heap.peek().is_some_and(|due| !counts(due)) {
            self.heap.pop();
        }
    }
}

/// The result of [`World::next_contacts`].
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ScheduledContacts {
    /// The pairs in contact, or within the margin of their rule, with their distance; in the order of the handles.
    pub contacts: Vec<([BodyId; 2], Distance)>,
    /// The number of distance queries.
    pub looked_at: usize,
}

impl World {
    /// Checks the pairs due at the time `now`, and schedules each for the time before which it cannot touch. The world
    /// must be in its state at `now`; `motion` bounds how a body moves from now on, in the units of that time.
    ///
    /// Pairs are selected by the rules, and being within the margin of the rule counts as contact. New bodies are
    /// added, removed bodies are dropped. Call [`Schedule::disturb`] when a body no longer obeys its motion bounds;
    /// pairs in contact are checked in every call. As long as the motion bounds hold, no contact at the time of a call
    /// is missed.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World, glam::DVec3};
    /// use clearance::world::{MotionBounds, Schedule};
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    /// let (rests, flies) = (world.insert(&ball, &at(0.0), 0), world.insert(&ball, &at(12.0), 0));
    /// let motion = |id| MotionBounds {
    ///     radius: 1.0,
    ///     velocity: if id == flies { DVec3::X * -1.0 } else { DVec3::ZERO },
    ///     ..MotionBounds::default()
    /// };
    /// let (mut schedule, mut looked_at) = (Schedule::default(), 0);
    /// let met = (0..20).find(|&step| {
    ///     let now = f64::from(step);
    ///     world.move_to(flies, &at(12.0 - now)).unwrap();
    ///     let found = world.next_contacts(&mut schedule, now, motion);
    ///     looked_at += found.looked_at;
    ///     !found.contacts.is_empty()
    /// });
    /// // In contact after ten steps; checked in the first, and then when due.
    /// assert!(met == Some(10) && looked_at <= 3);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn next_contacts(
        &self,
        schedule: &mut Schedule,
        now: f64,
        motion: impl Fn(BodyId) -> MotionBounds,
    ) -> ScheduledContacts {
        let here: BTreeSet<BodyId> = self.indices().map(|index| self.id(index)).collect();
        let new: Vec<BodyId> = here.difference(&schedule.bodies).copied().collect();
        schedule.bodies = here;
        new.iter().for_each(|&body| schedule.disturb(body));
        let mut found = ScheduledContacts::default();
        let mut again = Vec::new();
        let mut workspace = Workspace::default();
        while let Some((_, [a, b])) = schedule.next_due(now) {
            // A body was removed, or no rule applies: drop the pair.
            let Some(interest) = self.wanted(a, b) else { continue };
            let (Ok(shape_a), Ok(pose_a), Ok(shape_b), Ok(pose_b)) =
                (self.shape(a), self.pose(a), self.shape(b), self.pose(b))
            else {
                continue;
            };
            let options = DistanceOptions { relative_tolerance: 0.1, ..DistanceOptions::default() };
            let mut cache = PairCache::default();
            // The pair has left the schedule and must return to it.
            let gap = to_its_end(|| {
                let gap = distance(shape_a, &pose_a, shape_b, &pose_b, &options, &mut cache, &mut workspace);
                if gap.gap.lower > interest.margin {
                    return gap;
                }
                let exact = DistanceOptions::default();
                distance(shape_a, &pose_a, shape_b, &pose_b, &exact, &mut cache, &mut workspace)
            });
            found.looked_at += 1;
            if gap.gap.lower <= interest.margin {
                found.contacts.push(([a, b], gap));
                again.push((a, b, now));
            } else {
                let due = now + time_to_contact(gap.gap.lower - interest.margin, &motion(a), &motion(b));
                // The sum is rounded, and too late would be wrong.
                again.push((a, b, if due < f64::INFINITY { due.next_down() } else { due }));
            }
        }
        again.into_iter().for_each(|(a, b, time)| schedule.insert(a, b, time));
        found.contacts.sort_by_key(|(pair, _)| *pair);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A spinning bar that accelerates towards a wall never reaches it before its due time.
    #[test]
    fn nothing_touches_before_it_is_due() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..2000 {
            let (radius, speed, pull, spin, twist) =
                (random(), 4.0 * random(), 9.0 * random(), 5.0 * random(), 3.0 * random());
            let distance = 0.01 + random();
            let horizon = 1.0;
            let bar = MotionBounds {
                radius,
                velocity: DVec3::X * speed,
                acceleration: pull,
                angular_velocity: spin + twist * horizon,
                angular_acceleration: twist,
            };
            let due = time_to_contact(distance, &MotionBounds::default(), &bar).min(horizon);
            // The displacement of the bar's point nearest to the wall; the bar starts parallel to it.
            for k in 0..=64 {
                let t = due * f64::from(k) / 64.0;
                let angle = spin * t + 0.5 * twist * t * t;
                let reached = speed * t + 0.5 * pull * t * t + radius * angle.min(std::f64::consts::FRAC_PI_2).sin();
                assert!(reached <= distance + 1e-12, "{bar:?} {distance} {t}");
            }
        }
    }
}
