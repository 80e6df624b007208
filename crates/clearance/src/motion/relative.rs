//! The motion of one body as another sees it, and how fast it can close a gap.
//!
//! Everything is in the frame of A, which moves along with A: a plane that rests there is one between the bodies for as long as the
//! points of B do not reach it. A point of B moves with `V + W × x`, where `V` and `W` are the relative velocities of B's origin and
//! of its turning, enclosed over a span of time, and `x` is the point's place relative to B's origin. Over a span of length `h` the place
//! strays by at most `|W| h |x|`, so across the unit normal `n` the point closes in no faster than
//!
//! ```text
//!     -n · V - x · (n × W) + |n × W| |W| h |x|
//! ```
//!
//! with the enclosures' widths added. For short spans that is the speed itself; so a gap divided by it is a step of Newton's method
//! that never passes the contact (Mirtich's conservative advancement, directed).
//!
//! A plane that rests in A is good where a face of A is met. Where a face of B is, one that turns along with B is; where two edges
//! meet, one that turns about A's edge so as to follow B's. So the plane may turn at a constant rate `spin` about a pivot that rests in
//! A ([`Field::seen_turning`]). Seen from it, A's points move too, and the velocities of B lose `spin`; what the turning does to vectors
//! within the span, at most `|spin| h` of them, is added to the widths.

use glam::DVec3;

use super::rigid_motion::{PlacedAt, RigidMotion};
use crate::math::interval::{Interval, IntervalMat3, IntervalVec3};
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};

/// Speeds are computed in plain floats from enclosures, in fewer than 40 operations each.
const SPEED: f64 = 1.0 + 1e-13;

/// Rigidity defects of given poses, which the frame of a moving body inherits, are at most 1e-6: lengths in the frame are those of the
/// world within this.
const FRAME: f64 = 1.0 + 4e-6;

/// How often its rigidity defect the frame of A may turn what is seen in it, relative to its size: velocities and
/// places come by the transpose or the inverse of the rotation, which differ by the defect, and so do normals; three
/// vectors are multiplied at most. With a fourth for the squares.
const SKEWED: f64 = 4.0;

/// Two moving bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relative<'m> {
    pub a: &'m RigidMotion,
    pub b: &'m RigidMotion,
}

/// Bounds on the relative velocities over a span of time, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Of B's origin: the middle and the half-widths.
    linear: DVec3,
    linear_off: DVec3,
    /// Of B's turning: the middle, and how far off it may be.
    angular: DVec3,
    angular_off: f64,
    /// The most that it can be.
    turning: f64,
    /// How long the span is.
    length: f64,
    /// [`SKEWED`] times the rigidity defect of the frame: what goes along a plane seems to go towards it by that share.
    skew: f64,
}

/// A point of B with all points about it within a radius.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Relative to B's origin, turned into the frame of A.
    pub place: DVec3,
    /// Bound on its length.
    pub reach: f64,
    pub radius: f64,
}

impl Relative<'_> {
    /// Where both are at a time.
    #[must_use]
    pub fn at(&self, t: f64) -> [PlacedAt; 2] {
        [self.a.placed(t), self.b.placed(t)]
    }

    /// The velocities over a span of time.
    #[must_use]
    pub fn field(&self, from: f64, to: f64) -> Field {
        let span = Interval::new(from, to);
        let twist_b = self.b.twist(span);
        let (linear, angular, rotation) = if let Some(pose) = self.a.resting() {
            (twist_b.linear, twist_b.angular, IntervalMat3::from(&pose.rotation()))
        } else {
            let (twist_a, frame) = (self.a.twist(span), self.a.frame(span));
            let between = self.between(span, self.b.origin(span) - frame.translation, twist_b.linear - twist_a.linear);
            let carried = twist_a.linear + twist_a.angular.cross(between);
            (twist_b.linear - carried, twist_b.angular - twist_a.angular, frame.rotation)
        };
        let into_a = rotation.transpose();
        let (linear, angular) = (into_a * linear, into_a * angular);
        let off = |v: IntervalVec3| DVec3::new(v.x.width(), v.y.width(), v.z.width());
        let (middle, angular_off) = (angular.midpoint(), off(angular).length() * FRAME * SPEED);
        Field {
            linear: linear.midpoint(),
            linear_off: off(linear),
            angular: middle,
            angular_off,
            turning: (middle.length() + angular_off) * FRAME * SPEED,
            length: (to - from) * ROUND_UP,
            skew: self.skew(),
        }
    }

    /// From the origin of A to that of B over a span of time, of which the difference of both enclosures is one. Where
    /// both go a long way together that is far too wide, since each is taken to be anywhere on its way: then it is also
    /// where they are at the beginning, and from there on what they move relative to each other, which is the time
    /// times some velocity of its enclosure.
    fn between(&self, span: Interval, difference: IntervalVec3, velocity: IntervalVec3) -> IntervalVec3 {
        let largest = |v: IntervalVec3| v.x.width().max(v.y.width()).max(v.z.width());
        let moved = velocity.scale(Interval::new(0.0, (span.hi() - span.lo()).next_up()));
        let is_narrower = 2.0 * largest(moved) < largest(difference);
        if !is_narrower {
            return difference;
        }
        let start = Interval::new(span.lo(), span.lo());
        let there = self.b.origin(start) - self.a.origin(start) + moved;
        let both = |x: Interval, y: Interval| x.intersection(y).unwrap_or(x);
        IntervalVec3::new(both(difference.x, there.x), both(difference.y, there.y), both(difference.z, there.z))
    }

    /// By what share of its size anything may be turned in the frame of A.
    #[must_use]
    pub fn skew(&self) -> f64 {
        SKEWED * self.a.frame_defect()
    }
}

impl Field {
    /// How long the span is.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The middle of the angular velocities.
    #[must_use]
    pub fn angular(&self) -> DVec3 {
        self.angular
    }

    /// The velocities of B as they are seen from a frame that turns in A; `from_pivot` leads from its pivot to B's origin.
    #[must_use]
    pub fn seen_turning(&self, spin: DVec3, from_pivot: DVec3) -> Field {
        if spin == DVec3::ZERO {
            return *self;
        }
        let turn = spin.length() * self.length * ROUND_UP;
        let (linear, angular) = (self.linear - spin.cross(from_pivot), self.angular - spin);
        let size = self.linear.length() + spin.length() * from_pivot.length();
        // The way of B's origin within the span, carried around, and all of it turned.
        let way = (self.linear.length() + self.linear_off.length()) * SPEED;
        let off = turn * (way + linear.length() + self.linear_off.length() + turn * way) + 1e-15 * size;
        let turning = angular.length() + self.angular_off;
        let angular_off = self.angular_off + (turn * turning + 1e-15 * (self.turning + spin.length())) * SPEED;
        Field {
            linear,
            linear_off: self.linear_off + DVec3::splat(off * FRAME * SPEED),
            angular,
            angular_off,
            turning: (angular.length() + angular_off) * FRAME * SPEED,
            length: self.length,
            skew: self.skew,
        }
    }

    /// The velocities of A as they are seen from a frame that turns in it, relative to the pivot, for as long as
    /// those of B.
    #[must_use]
    pub fn of_resting(&self, spin: DVec3) -> Field {
        Field {
            linear: DVec3::ZERO,
            linear_off: DVec3::ZERO,
            angular: -spin,
            angular_off: 0.0,
            turning: spin.length() * FRAME * SPEED,
            length: self.length,
            skew: self.skew,
        }
    }

    /// How fast a spot can close in against a unit normal of the frame; negative if it moves away throughout.
    #[must_use]
    pub fn closing(&self, normal: DVec3, spot: &Spot) -> f64 {
        let across = normal.cross(self.angular);
        let most_across = across.length() + self.angular_off;
        let towards = -normal.dot(self.linear) - spot.place.dot(across);
        let size = normal.abs().dot(self.linear.abs()) + spot.place.length() * across.length();
        let off = normal.abs().dot(self.linear_off)
            + spot.reach * self.angular_off
            + most_across * (self.turning * self.length * spot.reach + spot.radius);
        let skewed = self.skew * (self.linear.length() + self.linear_off.length() + spot.reach * self.turning);
        let speed = towards + off * FRAME + (FRAME - 1.0) * (towards.abs() + off) + 1e-15 * size + skewed;
        if speed > 0.0 { speed * SPEED } else { speed / SPEED }
    }

    /// How fast a spot can move in any direction.
    #[must_use]
    pub fn speed(&self, spot: &Spot) -> f64 {
        let swung = self.angular.cross(spot.place);
        let middle = (self.linear + swung).length() + 1e-15 * (self.linear.length() + spot.reach * self.turning);
        let off = self.linear_off.length()
            + spot.reach * self.angular_off
            + self.turning * (self.turning * self.length * spot.reach + spot.radius);
        (middle + off) * FRAME * SPEED
    }
}

/// A corner of a body: how far it is from the plane that is nearest to it, beyond that of the nearest corner, and how fast it can close in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub height: f64,
    pub speed: f64,
}

/// For how long, at most `most`, two groups of corners keep a gap between them at these speeds: the largest `h` with
/// `gap + min (height - speed h) + min (height - speed h) >= 0`. It may be longer than the span that the speeds hold for, which tells
/// [`advanced`] how much longer a span to ask for.
///
/// Newton's method on that concave function, from above; each step names the two corners that meet next.
pub(crate) fn closed_after(gap: f64, most: f64, corners_b: &[Corner], corners_a: &[Corner]) -> f64 {
    let lowest = |corners: &[Corner], h: f64| {
        let key = |c: &Corner| c.height - c.speed * h;
        corners.iter().copied().min_by(|p, q| key(p).total_cmp(&key(q))).unwrap_or(Corner { height: 0.0, speed: 0.0 })
    };
    let mut h = most;
    for _ in 0..32 {
        let (p, q) = (lowest(corners_b, h), lowest(corners_a, h));
        let (height, speed) = (gap + p.height + q.height, p.speed + q.speed);
        if height - speed * h >= 0.0 {
            return h;
        }
        let next = height / speed;
        if next >= h {
            return h * (1.0 - 4.0 * UNIT_ROUNDOFF);
        }
        h = next;
    }
    let fastest = |corners: &[Corner]| corners.iter().map(|c| c.speed).fold(0.0, f64::max);
    gap / (fastest(corners_b) + fastest(corners_a))
}

/// The time at which a gap may be closed, going on from `t`: proved to be no earlier, never above `until`.
///
/// `step(end)` is what the speeds over the span from `t` to `end` allow, though that be longer than the span: the gap over a speed
/// `c + k h` that grows with the length `h` of the span. The whole time gives one equation for `c` and `k`, what that allows another;
/// the longest span that keeps its own promise follows, and is asked.
pub(crate) fn advanced(t: f64, until: f64, mut step: impl FnMut(f64) -> f64) -> f64 {
    let whole = until - t;
    if whole <= 0.0 {
        return until;
    }
    let over_whole = step(until);
    if over_whole >= whole {
        return until;
    }
    // As far as a step leads, and no farther than the span that it was asked for.
    let mut reach = |length: f64| {
        let end = t + length;
        let allowed = step(end);
        (allowed, if allowed >= length { end } else { (t + allowed).next_down().max(t) })
    };
    let (allowed, reached) = reach(over_whole);
    let (slow, growth) = (1.0 / allowed, (1.0 / over_whole - 1.0 / allowed) / whole);
    let longest = 2.0 / (slow + (slow * slow + 4.0 * growth).sqrt());
    let mut best = reached.max(t);
    // The speeds do not grow quite evenly; where that is too long, what it allows is hardly shorter.
    let length = longest.min(whole);
    if length > over_whole && length.is_finite() {
        best = best.max(reach(length).1);
    }
    best.min(until)
}
