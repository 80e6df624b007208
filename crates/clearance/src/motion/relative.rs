//! Relative motion of two bodies, and bounds on the closing speed.
//!
//! Everything is in the moving frame of A: a plane at rest there separates the bodies as long as the points of B do not
//! reach it. A point of B moves with `V + W × x`, where `V` and `W` are the relative linear and angular velocities of
//! B's frame, enclosed over a span of time, and `x` is the point's position relative to B's origin. Over a span of
//! length `h` the position changes by at most `|W| h |x|`, so across the unit normal `n` the point closes in no faster
//! than
//!
//! ```text
//!     -n · V - x · (n × W) + |n × W| |W| h |x|
//! ```
//!
//! plus the widths of the enclosures. For short spans this is the speed itself, so the gap divided by it is a step of
//! Newton's method that never passes the contact (Mirtich's conservative advancement, directed).
//!
//! A plane at rest in A suits contact with a face of A. Contact with a face of B needs one that rotates with B; edge
//! contact, one that rotates about A's edge so as to follow B's. So the plane may rotate at a constant rate `spin`
//! about a pivot at rest in A ([`Field::seen_turning`]). Relative to it A's points move too, and `spin` is subtracted
//! from the angular velocity of B; the rotation of vectors within the span, at most `|spin| h` of them, is added to the
//! widths.

use glam::DVec3;

use super::rigid_motion::{PlacedAt, RigidMotion};
use crate::math::interval::{Interval, IntervalMat3, IntervalVec3};
use crate::math::tolerances::{RELATIVE_FRAME, RELATIVE_SKEW, RELATIVE_SPEED, ROUND_UP, UNIT_ROUNDOFF};

/// Two moving bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relative<'m> {
    pub a: &'m RigidMotion,
    pub b: &'m RigidMotion,
}

/// Bounds on the relative velocities over a span of time, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// The linear velocity of B's origin: midpoint and half-widths.
    linear: DVec3,
    linear_off: DVec3,
    /// The angular velocity of B: midpoint and error.
    angular: DVec3,
    angular_off: f64,
    /// Its greatest magnitude.
    turning: f64,
    /// The length of the span.
    length: f64,
    /// [`RELATIVE_SKEW`] times the rigidity defect of the frame: the share of a velocity along a plane that may appear
    /// as approach.
    skew: f64,
}

/// A point of B with all points within a radius of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Relative to B's origin, rotated into the frame of A.
    pub place: DVec3,
    /// Bound on its length.
    pub reach: f64,
    pub radius: f64,
}

impl Relative<'_> {
    /// The poses of both at a time.
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
        let (middle, angular_off) = (angular.midpoint(), off(angular).length() * RELATIVE_FRAME * RELATIVE_SPEED);
        Field {
            linear: linear.midpoint(),
            linear_off: off(linear),
            angular: middle,
            angular_off,
            turning: (middle.length() + angular_off) * RELATIVE_FRAME * RELATIVE_SPEED,
            length: (to - from) * ROUND_UP,
            skew: self.skew(),
        }
    }

    /// An enclosure of the vector from A's origin to B's over a span of time; the difference of both enclosures is one.
    /// If both move far together that is much too wide; then the vector at the beginning plus the relative
    /// displacement, the time times some velocity in its enclosure, is another.
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

    /// The share of its size by which any vector may be rotated in the frame of A.
    #[must_use]
    pub fn skew(&self) -> f64 {
        RELATIVE_SKEW * self.a.frame_defect()
    }
}

impl Field {
    /// The length of the span.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The midpoint of the angular velocities.
    #[must_use]
    pub fn angular(&self) -> DVec3 {
        self.angular
    }

    /// The velocities of B relative to a frame that rotates in A; `from_pivot` leads from its pivot to B's origin.
    #[must_use]
    pub fn seen_turning(&self, spin: DVec3, from_pivot: DVec3) -> Field {
        if spin == DVec3::ZERO {
            return *self;
        }
        let turn = spin.length() * self.length * ROUND_UP;
        let (linear, angular) = (self.linear - spin.cross(from_pivot), self.angular - spin);
        let size = self.linear.length() + spin.length() * from_pivot.length();
        // The displacement of B's origin within the span, carried along and rotated.
        let way = (self.linear.length() + self.linear_off.length()) * RELATIVE_SPEED;
        let off = turn * (way + linear.length() + self.linear_off.length() + turn * way) + 1e-15 * size;
        let turning = angular.length() + self.angular_off;
        let angular_off = self.angular_off + (turn * turning + 1e-15 * (self.turning + spin.length())) * RELATIVE_SPEED;
        Field {
            linear,
            linear_off: self.linear_off + DVec3::splat(off * RELATIVE_FRAME * RELATIVE_SPEED),
            angular,
            angular_off,
            turning: (angular.length() + angular_off) * RELATIVE_FRAME * RELATIVE_SPEED,
            length: self.length,
            skew: self.skew,
        }
    }

    /// The velocities of A relative to a frame that rotates in it, about the pivot, over the same span as those of B.
    #[must_use]
    pub fn of_resting(&self, spin: DVec3) -> Field {
        Field {
            linear: DVec3::ZERO,
            linear_off: DVec3::ZERO,
            angular: -spin,
            angular_off: 0.0,
            turning: spin.length() * RELATIVE_FRAME * RELATIVE_SPEED,
            length: self.length,
            skew: self.skew,
        }
    }

    /// The greatest closing speed of a spot against a unit normal of the frame; negative if it moves away throughout.
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
        let speed =
            towards + off * RELATIVE_FRAME + (RELATIVE_FRAME - 1.0) * (towards.abs() + off) + 1e-15 * size + skewed;
        if speed > 0.0 { speed * RELATIVE_SPEED } else { speed / RELATIVE_SPEED }
    }

    /// The greatest speed of a spot in any direction.
    #[must_use]
    pub fn speed(&self, spot: &Spot) -> f64 {
        let swung = self.angular.cross(spot.place);
        let middle = (self.linear + swung).length() + 1e-15 * (self.linear.length() + spot.reach * self.turning);
        let off = self.linear_off.length()
            + spot.reach * self.angular_off
            + self.turning * (self.turning * self.length * spot.reach + spot.radius);
        (middle + off) * RELATIVE_FRAME * RELATIVE_SPEED
    }
}

/// A corner of a body: its height above the plane beyond that of the nearest corner, and its greatest closing speed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub height: f64,
    pub speed: f64,
}

/// How long, at most `most`, two groups of corners stay separated at these speeds: the largest `h` with
/// `gap + min (height - speed h) + min (height - speed h) >= 0`. It may exceed the span that the speeds hold for;
/// [`advanced`] uses that to choose a longer span.
///
/// Newton's method on that concave function, from above; each step identifies the two corners that meet next.
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

/// The time from `t` on at which a gap may close: proved to be no earlier, at most `until`.
///
/// `step(end)` is the step that the speeds over the span from `t` to `end` allow, possibly longer than the span: the
/// gap over a speed `c + k h` that grows with the length `h` of the span. The whole span gives one equation for `c` and
/// `k`, the step it allows another; the longest self-consistent span follows and is tried.
pub(crate) fn advanced(t: f64, until: f64, mut step: impl FnMut(f64) -> f64) -> f64 {
    let whole = until - t;
    if whole <= 0.0 {
        return until;
    }
    let over_whole = step(until);
    if over_whole >= whole {
        return until;
    }
    // A step may not exceed the span its speeds hold for.
    let mut reach = |length: f64| {
        let end = t + length;
        let allowed = step(end);
        (allowed, if allowed >= length { end } else { (t + allowed).next_down().max(t) })
    };
    let (allowed, reached) = reach(over_whole);
    let (slow, growth) = (1.0 / allowed, (1.0 / over_whole - 1.0 / allowed) / whole);
    let longest = 2.0 / (slow + (slow * slow + 4.0 * growth).sqrt());
    let mut best = reached.max(t);
    // The speeds do not grow quite linearly; where the span is too long, the step it allows is barely shorter.
    let length = longest.min(whole);
    if length > over_whole && length.is_finite() {
        best = best.max(reach(length).1);
    }
    best.min(until)
}
