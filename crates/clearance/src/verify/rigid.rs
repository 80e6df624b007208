//! Verifies the first contact of two rotating bodies, and their least clearance.
//!
//! Distances and depths at single times are guessed by the caller ([`Hints`]) and proved here; the motion's enclosures
//! of its frame are taken as its definition. Its enclosures of speeds are used only where the frames say too little
//! about two bodies that move along with each other.
//! - `lower`: time spans, bisected until in each the gap at the midpoint exceeds the motion of all points of both
//!   bodies within it, by the enclosure of the frames over the span. Next to the contact the bisection would not end. A
//!   last span of at most [`IMPACT_LAST_SPAN`], in which the gap is below [`IMPACT_NEAR_GAP`] of the bodies' size, is
//!   bisected further until the gap is below [`IMPACT_ROUNDING_FACTOR`] times its rounding, or for
//!   [`IMPACT_LAST_SPANS`] spans; the rest is left unproved. Two bodies that close in at the speed `c`, while their
//!   points move at up to `v`, take some `v / c` spans for each halving of the remaining time; so `IMPACT_LAST_SPANS`
//!   are enough down to rounding unless `v / c` is above 100.
//! - `upper`: at that time the parts that the answer names overlap by more than the frames are off; or are as close as
//!   `gap` says.
//! - poses, points, parts, features, normal: by their definitions (`witness.rs`).
//! - the least clearance: spans in the same way, down to `lower`; the distance at `time` for `upper`, and points of
//!   both bodies.
//! - no contact at all: spans in the same way over the whole step, with nothing left unproved.

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::least_clearance::LeastClearance;
use crate::answer::rigid_impact::RigidImpact;
use crate::answer::witness::WitnessPoint;
use crate::math::cancel::checkpoint;
use crate::math::interval::{Interval, IntervalVec3};
use crate::math::tolerances::{
    ACCURACY, MAX_RIGIDITY_DEFECT, ROUND_UP, UNIT_ROUNDOFF, VERIFY_RIGID_LAST, VERIFY_RIGID_LAST_SPANS,
    VERIFY_RIGID_NEAR, VERIFY_RIGID_ROUNDING, VERIFY_RIGID_SPANS, VERIFY_TRANSLATION_READINGS,
};
use crate::motion::RigidMotion;
use crate::shape::Shape;
use crate::verify::answer::verify;
use crate::verify::apart::Pair;
use crate::verify::hint::Hints;
use crate::verify::refusal::{Refusal, check_untold};
use crate::verify::truth::Truth;
use crate::verify::witness::{check_on_body, check_witnesses, is_no_farther, part_of};

/// Verifies the first contact of two rotating bodies.
pub(crate) fn verify_rigid_impact(
    impact: &RigidImpact,
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
    hints: &mut dyn Hints,
) -> Result<(), Refusal> {
    let times = [("lower", impact.time.lower), ("t", impact.time.value), ("upper", impact.time.upper)];
    for (field, time) in times {
        if !(0.0..=1.0).contains(&time) {
            return Err(Refusal::NoNumber { field });
        }
    }
    for (field, length) in [("gap", impact.gap), ("margin", impact.margin)] {
        if !(length.is_finite() && length >= 0.0) {
            return Err(Refusal::NoNumber { field });
        }
    }
    if !(impact.time.lower <= impact.time.value && impact.time.value <= impact.time.upper) {
        return Err(Refusal::Disordered);
    }
    if impact.touches != (impact.gap == 0.0) {
        return Err(Refusal::NoNumber { field: "gap" });
    }
    if impact.started_overlapping && !(impact.touches && impact.time.upper == 0.0) {
        return Err(Refusal::Verdict);
    }
    // NaN is not a length.
    let unit = |normal: DVec3| (normal.length() - 1.0).abs() <= ACCURACY;
    if impact.normal.is_none() != impact.started_overlapping || !impact.normal.is_none_or(unit) {
        return Err(Refusal::Normal);
    }
    if !(impact.witness.a.point.is_finite() && impact.witness.b.point.is_finite()) {
        return Err(Refusal::NoNumber { field: "point" });
    }
    if impact.steps == 0 {
        return Err(Refusal::NoNumber { field: "steps" });
    }
    let mut judge = Judge::new((a, motion_a), (b, motion_b), impact.margin, hints);
    judge.poses(impact)?;
    judge.contact(impact)?;
    judge.free_until(impact.time.lower, true)
}

/// Verifies that two moving bodies are farther apart than a margin before a given time.
pub(crate) fn verify_rigid_clear(
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
    (margin, until): (f64, f64),
    hints: &mut dyn Hints,
) -> Result<(), Refusal> {
    for (field, number) in [("margin", margin), ("until", until)] {
        if number.is_nan() || number == f64::INFINITY {
            return Err(Refusal::NoNumber { field });
        }
    }
    let margin = margin.max(0.0);
    let mut judge = Judge::new((a, motion_a), (b, motion_b), margin, hints);
    let until = until.clamp(0.0, 1.0);
    if judge.is_kept_apart_by_one_plane(until) { Ok(()) } else { judge.free_until(until, until < 1.0) }
}

/// Verifies the least clearance of two moving bodies.
pub(crate) fn verify_least_clearance(
    least: &LeastClearance,
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
    hints: &mut dyn Hints,
) -> Result<(), Refusal> {
    if !(0.0..=1.0).contains(&least.time) {
        return Err(Refusal::NoNumber { field: "t" });
    }
    for (field, length) in [("lower", least.gap.lower), ("upper", least.gap.upper)] {
        if !(length.is_finite() && length >= 0.0) {
            return Err(Refusal::NoNumber { field });
        }
    }
    if !least.gap.contains(least.gap.value) {
        return Err(Refusal::Disordered);
    }
    check_untold(&least.witness)?;
    if (least.witness.a.part, least.witness.b.part) != (0, 0) {
        return Err(Refusal::Part);
    }
    let mut judge = Judge::new((a, motion_a), (b, motion_b), 0.0, hints);
    let (pose_a, pose_b) = (motion_a.at(least.time), motion_b.at(least.time));
    let reading = judge.reading(least.time, 0.0);
    verify(&reading, (a, &pose_a), (b, &pose_b), judge.hints)?;
    let slack = judge.strayed_by_frames(least.time, least.time, least.time) + ACCURACY * judge.size();
    if reading.gap.upper > least.gap.upper + slack {
        return Err(Refusal::Upper { claimed: least.gap.upper, proved: reading.gap.upper });
    }
    let scale = judge.scale(least.time);
    let defect = pose_a.defect().max(pose_b.defect());
    check_on_body((a, "A"), least.witness.a.point, scale, defect)?;
    check_on_body((b, "B"), least.witness.b.point, scale, defect)?;
    let points = [pose_a.transform_point(least.witness.a.point), pose_b.transform_point(least.witness.b.point)];
    let off = (points[0] - points[1]).length() - least.gap.upper;
    if off > slack {
        return Err(Refusal::Witness { body: "A and B", off });
    }
    if least.readings == 0 {
        return Err(Refusal::NoNumber { field: "readings" });
    }
    if least.gap.lower == 0.0 { Ok(()) } else { judge.apart_by(least.gap.lower, VERIFY_RIGID_NEAR * judge.size()) }
}

struct Judge<'q> {
    a: &'q Shape,
    motion_a: &'q RigidMotion,
    b: &'q Shape,
    motion_b: &'q RigidMotion,
    margin: f64,
    hints: &'q mut dyn Hints,
    /// Proves guesses that the bodies are apart; built on first use.
    pair: Option<Pair<'q>>,
    /// The bodies are proved not to contain each other, at some time at which they are apart.
    outside: bool,
    spans: u32,
}

impl<'q> Judge<'q> {
    fn new(
        (a, motion_a): (&'q Shape, &'q RigidMotion),
        (b, motion_b): (&'q Shape, &'q RigidMotion),
        margin: f64,
        hints: &'q mut dyn Hints,
    ) -> Judge<'q> {
        Judge { a, motion_a, b, motion_b, margin, hints, pair: None, outside: false, spans: 0 }
    }

    /// Whether the bodies are proved to be at least `claimed` apart at a given time, given a guess.
    fn is_apart(&mut self, t: f64, claimed: f64, guess: &Distance) -> bool {
        let Some(normal) = guess.normal else { return false };
        let (pose_a, pose_b) = (self.motion_a.at(t), self.motion_b.at(t));
        let pair = self.pair.get_or_insert_with(|| Pair::new(self.a, self.b));
        let apart = pair.is_apart(&pose_a, &pose_b, claimed, normal);
        // Once is enough: while their surfaces do not meet, neither can get inside the other.
        self.outside |= apart && (!pair.has_solid() || pair.is_outside(&pose_a, &pose_b, normal));
        apart && self.outside
    }

    /// Whether the points of a guess prove the bodies to be no farther apart at a given time than it says, and no
    /// farther than the margin plus `most`, as finely as distances are known.
    fn is_near(&self, t: f64, guess: &Distance, most: f64) -> bool {
        let (pose_a, pose_b) = (self.motion_a.at(t), self.motion_b.at(t));
        let (a, b) = ((self.a, &pose_a, &guess.witness.a), (self.b, &pose_b, &guess.witness.b));
        let defect = pose_a.defect().max(pose_b.defect());
        let known = 2.0 * (ACCURACY + defect) * self.scale(t);
        guess.gap.upper <= self.margin + most + known && is_no_farther(a, b, guess.gap.upper, self.scale(t))
    }

    /// The sizes of the bounded bodies.
    fn size(&self) -> f64 {
        [self.a, self.b].map(Shape::reach).into_iter().filter(|reach| reach.is_finite()).sum()
    }

    /// `L` of the contract, from above: the sizes of both and the distance of their frames.
    fn scale(&self, t: f64) -> f64 {
        self.size() + (self.motion_b.at(t).translation() - self.motion_a.at(t).translation()).length()
    }

    /// For each body, a bound on the distance of any relevant point from its origin.
    fn reaches(&self, t: f64) -> [f64; 2] {
        let between = (self.motion_b.at(t).translation() - self.motion_a.at(t).translation()).length();
        let size = self.size();
        [self.a, self.b].map(|shape| {
            let reach = shape.reach();
            if reach.is_finite() { reach } else { between + size }
        })
    }

    /// How far points of both bodies may be, in a time span, from their positions under the rounded poses at `t`.
    fn strayed_by_frames(&self, from: f64, to: f64, t: f64) -> f64 {
        let reaches = self.reaches(t);
        let mut total = 64.0 * UNIT_ROUNDOFF * (reaches[0] + reaches[1]);
        for (motion, reach) in [(self.motion_a, reaches[0]), (self.motion_b, reaches[1])] {
            let frame = motion.frame(Interval::new(from, to));
            let pose = motion.at(t);
            let columns = pose.rotation().transpose();
            let rows = [columns.x_axis, columns.y_axis, columns.z_axis];
            let squared = |v: IntervalVec3| v.norm_squared().hi();
            let turned = (0..3).map(|k| squared(frame.rotation.rows[k] - rows[k].into())).sum::<f64>().sqrt();
            let moved = squared(frame.translation - pose.translation().into()).sqrt();
            total += (turned * reach + moved) * ROUND_UP + 64.0 * UNIT_ROUNDOFF * pose.translation().length();
        }
        total
    }

    /// Like `strayed_by_frames` for a span about `t`, as far as the gap is concerned: a common translation does not
    /// change it. Relative to a frame that moves with the mid velocity of A, a point of a body moves no farther than
    /// the time from `t` times its speed there: that of its origin, minus that velocity, plus that of its rotation.
    fn strayed(&self, from: f64, to: f64, t: f64, enough: f64) -> f64 {
        let by_frames = self.strayed_by_frames(from, to, t);
        let has_end = |shape: &Shape| shape.reach().is_finite();
        if by_frames <= enough || !(has_end(self.a) && has_end(self.b)) {
            return by_frames;
        }
        let (span, reaches) = (Interval::new(from, to), self.reaches(t));
        let shared = self.motion_a.twist(span).linear.midpoint();
        let mut speed = 0.0;
        for (motion, reach) in [(self.motion_a, reaches[0]), (self.motion_b, reaches[1])] {
            let twist = motion.twist(span);
            // A non-rigid frame may stretch the radius by half its defect.
            let turning = twist.angular.norm().hi() * reach * (1.0 + MAX_RIGIDITY_DEFECT);
            speed += (twist.linear - shared.into()).norm().hi() + turning;
        }
        let time = (to - t).max(t - from);
        by_frames.min(self.strayed_by_frames(t, t, t) + speed * time * ROUND_UP)
    }

    fn poses(&self, impact: &RigidImpact) -> Result<(), Refusal> {
        let [reach_a, reach_b] = self.reaches(impact.time.value);
        let off = |given: &crate::Pose, motion: &RigidMotion, reach: f64| {
            let true_pose = motion.at(impact.time.value);
            let turned = (given.rotation() - true_pose.rotation()).to_cols_array().iter().map(|x| x * x).sum::<f64>();
            turned.sqrt() * reach + (given.translation() - true_pose.translation()).length()
        };
        let allowed =
            ACCURACY * (self.size() + impact.pose_a.translation().length() + impact.pose_b.translation().length());
        for (body, off) in
            [("A", off(&impact.pose_a, self.motion_a, reach_a)), ("B", off(&impact.pose_b, self.motion_b, reach_b))]
        {
            if off > allowed {
                return Err(Refusal::Witness { body, off });
            }
        }
        Ok(())
    }

    /// Whether one plane separates two convex bodies, which translate along straight lines, until a given time: where
    /// they are nearest, the planes across the direction between them keep their distance or move apart. The gap of two
    /// such planes is linear in time, so its values at both ends bound it.
    fn is_kept_apart_by_one_plane(&mut self, until: f64) -> bool {
        let is_convex = |shape: &Shape| {
            let made_of_parts = matches!(shape, Shape::Mesh(_) | Shape::Compound(_) | Shape::HeightField(_));
            shape.reach().is_finite() && !made_of_parts
        };
        if !(until > 0.0 && is_convex(self.a) && is_convex(self.b)) {
            return false;
        }
        // How far a body may deviate from the straight line between its end positions.
        let mut bent = 0.0;
        for motion in [self.motion_a, self.motion_b] {
            let twist = motion.twist(Interval::new(0.0, until));
            if twist.angular.norm().hi() != 0.0 {
                return false;
            }
            bent += 2.0 * (twist.linear - twist.linear.midpoint().into()).norm().hi() * until * ROUND_UP;
        }
        // The distance of bodies in straight motion decreases, then increases.
        let (mut from, mut to) = (0.0, until);
        for _ in 0..VERIFY_TRANSLATION_READINGS {
            let third = (to - from) / 3.0;
            let [early, late] = [from + third, to - third].map(|t| self.reading(t, 0.0).gap.value);
            if early < late {
                to -= third;
            } else {
                from += third;
            }
        }
        let nearest = [0.5 * (from + to), 0.0, until].map(|t| self.reading(t, 0.0));
        let strays = self.strayed_by_frames(0.0, 0.0, 0.0) + self.strayed_by_frames(until, until, until) + bent;
        let least = (self.margin + strays).next_up();
        // Between the ends the planes are fixed: for curved bodies a small error of the normal matters.
        let displacement = |motion: &RigidMotion| motion.at(until).translation() - motion.at(0.0).translation();
        let way = displacement(self.motion_b) - displacement(self.motion_a);
        let across = |normal: DVec3| (normal - way * (normal.dot(way) / way.length_squared())).try_normalize();
        let normals = nearest.iter().filter_map(|reading| reading.normal);
        normals.flat_map(|normal| [Some(normal), across(normal)]).flatten().any(|normal| {
            [0.0, until].iter().all(|&t| {
                let (pose_a, pose_b) = (self.motion_a.at(t), self.motion_b.at(t));
                Truth::new(self.a, &pose_a, self.b, &pose_b, 0.0).check_lower(least, normal).is_ok()
            })
        })
    }

    /// Proves that the bodies are farther apart than the margin before a given time, except for a last span next to it
    /// if they may be in contact then.
    fn free_until(&mut self, until: f64, in_contact_then: bool) -> Result<(), Refusal> {
        if until == 0.0 {
            return Ok(());
        }
        let near = VERIFY_RIGID_NEAR * self.size();
        let mut stack = vec![(0.0, until)];
        // Once this many spans are done, the rest of the last span is left unproved.
        let mut enough = None;
        while let Some((from, to)) = stack.pop() {
            checkpoint();
            self.spans += 1;
            let refusal = Refusal::Before { claimed: until, proved: from };
            if self.spans > VERIFY_RIGID_SPANS {
                return Err(refusal);
            }
            let t = 0.5 * (from + to);
            let mut reading = self.reading(t, 0.5);
            let strayed = self.strayed(from, to, t, reading.gap.lower - self.margin);
            if self.margin > 0.0 && reading.gap.lower - self.margin <= strayed {
                // A distance known only to half its value says nothing about its excess over a margin.
                reading = self.reading(t, 0.0);
            }
            let gap = reading.gap.lower - self.margin;
            if gap > strayed && self.is_apart(t, (self.margin + strayed).next_up(), &reading) {
                continue;
            }
            if reading.gap.upper <= self.margin {
                return Err(refusal);
            }
            let is_last =
                enough.is_none() && in_contact_then && to == until && gap <= near && to - from <= VERIFY_RIGID_LAST;
            if is_last && self.is_near(t, &reading, 4.0 * near) {
                // Everything before is proved; only this span remains.
                enough = Some(self.spans + VERIFY_RIGID_LAST_SPANS);
            }
            if enough.is_some_and(|enough| self.spans > enough || self.is_lost_in_rounding(t, gap, &reading)) {
                continue;
            }
            if to - from < 1e-15 {
                return Err(refusal);
            }
            stack.push((t, to));
            stack.push((from, t));
        }
        Ok(())
    }

    /// Whether a gap is proved to be as small as rounding.
    fn is_lost_in_rounding(&self, t: f64, gap: f64, guess: &Distance) -> bool {
        let rounding = VERIFY_RIGID_ROUNDING * self.strayed_by_frames(t, t, t);
        gap <= rounding && self.is_near(t, guess, 2.0 * rounding)
    }

    /// Proves that the bodies are never nearer than `least`, up to `slack`.
    fn apart_by(&mut self, least: f64, slack: f64) -> Result<(), Refusal> {
        let mut stack = vec![(0.0, 1.0)];
        while let Some((from, to)) = stack.pop() {
            checkpoint();
            self.spans += 1;
            let t = 0.5 * (from + to);
            let reading = self.reading(t, 1e-5);
            let strayed = self.strayed(from, to, t, reading.gap.lower - (least - slack));
            let proved = reading.gap.lower - strayed;
            if proved >= least - slack && self.is_apart(t, least - slack + strayed, &reading) {
                continue;
            }
            if self.spans > VERIFY_RIGID_SPANS || reading.gap.upper < least - slack || to - from < 1e-15 {
                return Err(Refusal::Lower { claimed: least, proved: proved.clamp(0.0, least) });
            }
            stack.push((t, to));
            stack.push((from, t));
        }
        Ok(())
    }

    /// A guess of the distance of the bodies at a given time.
    fn reading(&mut self, t: f64, relative_tolerance: f64) -> Distance {
        let (pose_a, pose_b) = (self.motion_a.at(t), self.motion_b.at(t));
        self.hints.distance((self.a, &pose_a), (self.b, &pose_b), relative_tolerance)
    }

    fn contact(&mut self, impact: &RigidImpact) -> Result<(), Refusal> {
        let Some(normal) = impact.normal else { return self.started(impact) };
        let t = impact.time.upper;
        let (pose_a, pose_b) = (self.motion_a.at(t), self.motion_b.at(t));
        let noise = self.strayed_by_frames(t, t, t);
        let endless = !self.a.reach().is_finite() && !self.b.reach().is_finite();
        if endless {
            return self.undecided(impact, normal);
        }
        // The parts that prove it, as close to each other as stated, or overlapping.
        let size = self.size();
        let part = |shape, index, point| part_of(shape, index, point, size).ok_or(Refusal::Part);
        let (own_a, part_a) = part(self.a, impact.deep[0], impact.witness.a.point)?;
        let (own_b, part_b) = part(self.b, impact.deep[1], impact.witness.b.point)?;
        let (pose_a, pose_b) = (pose_a.carrying(&own_a), pose_b.carrying(&own_b));
        let (placed_a, placed_b) = ((&part_a, &pose_a), (&part_b, &pose_b));
        if !impact.touches || self.margin > 0.0 {
            let reading = self.hints.distance(placed_a, placed_b, 0.0);
            verify(&reading, placed_a, placed_b, self.hints)?;
            let allowed = self.margin + impact.gap;
            // For unbounded bodies, the witness points give the size.
            let size = size + reading.witness.a.point.length() + reading.witness.b.point.length();
            if reading.gap.upper > allowed + noise * 1e-3 + ACCURACY * size {
                return Err(Refusal::Upper { claimed: allowed, proved: reading.gap.upper });
            }
        } else {
            let depth = self.hints.penetration(placed_a, placed_b).ok_or(Refusal::Part)?;
            verify(&depth, placed_a, placed_b, self.hints)?;
            if depth.depth.lower <= noise {
                return Err(Refusal::Upper { claimed: 0.0, proved: noise - depth.depth.lower });
            }
        }
        self.points(impact, normal, noise)
    }

    /// The points of the answer, at its time, are on the named parts and features, aligned along the normal, and as
    /// close as the bodies can be between `t` and `upper`.
    fn points(&self, impact: &RigidImpact, normal: DVec3, noise: f64) -> Result<(), Refusal> {
        let witnesses = witnesses(impact);
        let scale = self.scale(impact.time.value);
        let slack = noise + VERIFY_RIGID_NEAR * scale;
        check_witnesses(
            (self.a, &impact.pose_a, &witnesses[0]),
            (self.b, &impact.pose_b, &witnesses[1]),
            normal,
            scale,
            slack,
        )?;
        let points = [
            impact.pose_a.transform_point(impact.witness.a.point),
            impact.pose_b.transform_point(impact.witness.b.point),
        ];
        let off = (points[0] - points[1]).length() - (self.margin + impact.gap);
        let allowed = self.strayed_by_frames(impact.time.value, impact.time.upper, impact.time.value) + slack;
        if off > allowed { Err(Refusal::Witness { body: "A and B", off }) } else { Ok(()) }
    }

    /// Bodies that start in contact, or within the margin: consistent with the distance there, which the answer's own
    /// points, parts and features prove.
    fn started(&mut self, impact: &RigidImpact) -> Result<(), Refusal> {
        let reading = self.reading(0.0, 0.0);
        let own = Distance { normal: reading.normal, ..claimed(impact, &reading) };
        verify(&own, (self.a, &impact.pose_a), (self.b, &impact.pose_b), self.hints)?;
        // At the start the placed bodies decide, whose radii stretch with a non-rigid frame, as far as their distance
        // is known. For two unbounded bodies at the origin nothing else sets the scale.
        let known = reading.gap.upper - reading.gap.lower;
        let size = self.scale(0.0) + own.witness.a.point.length() + own.witness.b.point.length();
        let accuracy = ACCURACY + impact.pose_a.defect().max(impact.pose_b.defect());
        if reading.gap.upper > self.margin + known + 2.0 * self.strayed_by_frames(0.0, 0.0, 0.0) + accuracy * size {
            return Err(Refusal::Upper { claimed: self.margin, proved: reading.gap.upper });
        }
        if impact.deep == [impact.witness.a.part, impact.witness.b.part] { Ok(()) } else { Err(Refusal::Part) }
    }

    /// Two unbounded bodies, for which only the initial distance is claimed.
    fn undecided(&mut self, impact: &RigidImpact, normal: DVec3) -> Result<(), Refusal> {
        if impact.touches || impact.time.upper != 0.0 {
            return Err(Refusal::Verdict);
        }
        let reading = self.reading(0.0, 0.0);
        let own = Distance { normal: Some(normal), ..claimed(impact, &reading) };
        verify(&own, (self.a, &impact.pose_a), (self.b, &impact.pose_b), self.hints)?;
        let (size, allowed) = (own.witness.a.point.length() + own.witness.b.point.length(), self.margin + impact.gap);
        let off = (reading.gap.upper - allowed).abs();
        if off > self.strayed_by_frames(0.0, 0.0, 0.0) + ACCURACY * (size + reading.gap.upper) {
            return Err(Refusal::Upper { claimed: allowed, proved: reading.gap.upper });
        }
        if impact.deep == [impact.witness.a.part, impact.witness.b.part] { Ok(()) } else { Err(Refusal::Part) }
    }
}

/// A distance with the points, parts and features of an impact.
fn claimed(impact: &RigidImpact, reading: &Distance) -> Distance {
    Distance { witness: impact.witness, ..*reading }
}

fn witnesses(impact: &RigidImpact) -> [WitnessPoint; 2] {
    [impact.witness.a, impact.witness.b]
}
