//! Verifies the results of sweeps.
//!
//! Nothing is shared with the search but the robot's segments and the engine's query for resting bodies: no hull trees,
//! no bounding spheres, no caches, no lengths propagated along chains. Frames are products of interval matrices, right
//! to left, as in section 2.2 of Redon's notes, over whole spans of time: an enclosure of where the robot in real
//! numbers is, rounding included. At the middle of a span the bodies are placed at the middle of that enclosure, in the
//! frame of the segment that carries both, and measured by the engine, with every triangle; how far the bodies may be
//! away from there within the span is subtracted from the gap.
//! - A motion without impact: spans, halved until each is proved free, for every pair.
//! - The least clearance: the same, with all gaps reduced by the claim; and the pair comes as close as `upper` at the
//!   time given.
//! - An impact: the same up to `lower`, except for a last interval of at most the resolution in which no contact was
//!   seen; and the pair meets where `met` is set, otherwise it is no farther apart than it may move in the interval.
//!   Configuration and point by their definitions.
//!
//! Of the distances computed on the way, the tightest one of each pair is checked by `verify` in turn; checking all
//! would take a traversal of all triangles each.

use clearance::answer::Distance;
use clearance::glam::{DMat3, DVec3};
use clearance::math::{Interval, IntervalMat3, IntervalVec3};
use clearance::query::{DistanceOptions, distance_with};
use clearance::verify::Refusal;
use clearance::{Bracket, PairCache, Pose, Shape, Workspace, closest_point};

use crate::check::Checker;
use crate::error::Error;
use crate::robot::{Body, Segment, across};
use crate::sweep::{MotionClearance, MotionImpact, Sweep, SweepOptions};
use crate::urdf::JointKind;

/// The most time spans examined for one pair, besides some for each interval of the search.
const MOST_SPANS: u64 = 200_000;

/// Additional spans for each interval of the search: spans are halved, where the search advances.
const SPANS_PER_STRETCH: u64 = 16;

/// The shortest span, as a fraction of the motion: times could not be distinguished below.
const SHORTEST: f64 = 1e-13;

/// The longest interval that ends in contact, in multiples of the resolution.
const LONGEST: f64 = 17.0;

/// How far the least clearance may be below the claim, as a fraction of the requested width: without it, a bound that
/// is attained could not be proved by spans.
const SHARE: f64 = 0.1;

/// How far apart an undecided pair may be, in multiples of this module's own motion bound: the bound of the search adds
/// up lengths where this one adds up vectors, and spans of a few joints at right angles differ by about as much.
const NEAR: f64 = 4.0;

/// How far points of two computations in doubles may be apart, relative to sizes and distances: chains of a hundred
/// joints, each with some ten roundings of `1e-16`, and closest points that the engine promises to `1e-12`. Doubled,
/// and rounded up.
const ROUNDING: f64 = 1e-11;

/// An interval enclosure of a frame.
#[derive(Clone, Copy)]
struct Enclosure {
    rotation: IntervalMat3,
    translation: IntervalVec3,
}

impl Enclosure {
    fn of(rotation: &DMat3, translation: DVec3) -> Enclosure {
        Enclosure { rotation: rotation.into(), translation: translation.into() }
    }

    /// First `inner`, then this.
    fn then(&self, inner: &Enclosure) -> Enclosure {
        Enclosure { rotation: self.rotation * inner.rotation, translation: self.point(inner.translation) }
    }

    fn point(&self, point: IntervalVec3) -> IntervalVec3 {
        self.rotation * point + self.translation
    }

    /// The pose at its middle. `None` if it is unbounded.
    fn middle(&self) -> Option<Pose> {
        let rows = self.rotation.rows.map(|row| row.midpoint());
        Pose::new(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose(), self.translation.midpoint()).ok()
    }
}

/// A body, the segments that move it relative to the common frame, and a bounding sphere in its own frame.
struct SweptBody<'c> {
    body: &'c Body,
    /// From the one nearest the body upwards.
    chain: Vec<usize>,
    centre: DVec3,
    radius: f64,
}

impl<'c> SweptBody<'c> {
    fn new(body: &'c Body, chain: Vec<usize>) -> SweptBody<'c> {
        let bounds = body.shape.bounds();
        let centre = bounds.center();
        let radius = match &body.shape {
            Shape::Mesh(mesh) => mesh.points().map(|point| point.distance(centre)).fold(0.0, f64::max),
            _ => 0.5 * bounds.size().length(),
        };
        // Rounding of a few sums.
        let radius = radius * (1.0 + 1e-12);
        if centre.is_finite() && radius.is_finite() {
            SweptBody { body, chain, centre, radius }
        } else {
            SweptBody { body, chain, centre: DVec3::ZERO, radius: f64::INFINITY }
        }
    }
}

/// The two bodies of a pair.
struct Two<'c> {
    sides: [SweptBody<'c>; 2],
    padding: f64,
}

/// A measurement of a pair over a span.
struct Reading {
    distance: Distance,
    poses: [Pose; 2],
    /// How far both bodies together may be, within the span, from where they were placed.
    strayed: f64,
}

impl Checker {
    /// Verifies a result of [`Checker::sweep`] with independent code. Much slower than the search.
    ///
    /// # Errors
    /// [`Error::Refused`] with the first claim that is false or could not be proved; otherwise as [`Checker::sweep`].
    ///
    /// ```
    /// use clearance_robot::{CheckOptions, Checker, LoadOptions, Object, Robot, SweepOptions};
    /// use clearance::{Pose, Shape, glam::DVec3};
    /// let text = "<robot name='r'><link name='base'/><link name='arm'><collision><origin xyz='0.5 0 0'/>
    ///     <geometry><box size='1 0.01 0.01'/></geometry></collision></link>
    ///     <joint name='j' type='continuous'><parent link='base'/><child link='arm'/>
    ///     <axis xyz='0 0 1'/></joint></robot>";
    /// let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// let rod = Object {
    ///     name: "rod".into(),
    ///     shape: Shape::cylinder(0.5, 0.001).unwrap(),
    ///     pose: Pose::from_translation(DVec3::new(0.8, 0.0, 0.0)).unwrap(),
    /// };
    /// let checker = Checker::new(robot, CheckOptions { world: vec![rod], ..CheckOptions::default() }).unwrap();
    /// let options = SweepOptions::default();
    /// let mut swept = checker.sweep(&mut checker.state(), &[-1.0], &[1.0], &options).unwrap();
    /// checker.verify_sweep(&swept, &[-1.0], &[1.0], &options).unwrap();
    /// swept.impact = None;
    /// let refused = checker.verify_sweep(&swept, &[-1.0], &[1.0], &options).unwrap_err();
    /// assert!(refused.to_string().starts_with("`arm` and `rod`: claims no contact before time 1e0"));
    /// ```
    pub fn verify_sweep(&self, sweep: &Sweep, from: &[f64], to: &[f64], options: &SweepOptions) -> Result<(), Error> {
        self.robot().check_configuration(from)?;
        self.robot().check_configuration(to)?;
        let mut judge = Judge { checker: self, from, to, options, workspace: Workspace::default() };
        match (&sweep.impact, &sweep.clearance) {
            (Some(_), Some(_)) => Err(refused("the least clearance", Refusal::Verdict)),
            (Some(impact), None) => judge.impact(impact, sweep.stretches),
            (None, clearance) => judge.free(clearance.as_ref(), sweep.stretches),
        }
    }
}

fn refused(what: &str, why: Refusal) -> Error {
    Error::Refused { what: what.into(), why }
}

/// The claim for every pair: that it is farther apart than `gap`, padding subtracted, from the start of the motion
/// until a time, except for a last interval in which it is not seen closer.
struct Claim {
    until: f64,
    gap: f64,
    /// The longest interval left out at the end.
    last: f64,
    /// The least clearance claimed, if there is one.
    least: Option<f64>,
    /// The most spans examined for one pair.
    most_spans: u64,
}

fn most_spans(stretches: u64) -> u64 {
    MOST_SPANS.saturating_add(SPANS_PER_STRETCH.saturating_mul(stretches))
}

impl Claim {
    /// The refusal where the claim is proved only until `time`, at which the gap was `seen` or undecided.
    fn refusal(&self, time: f64, seen: f64) -> Refusal {
        match self.least {
            Some(claimed) => Refusal::Lower { claimed, proved: seen },
            None => Refusal::Before { claimed: self.until, proved: time },
        }
    }
}

struct Judge<'c> {
    checker: &'c Checker,
    from: &'c [f64],
    to: &'c [f64],
    options: &'c SweepOptions,
    workspace: Workspace,
}

impl<'c> Judge<'c> {
    /// Nothing meets, and nothing comes closer than the least clearance.
    fn free(&mut self, clearance: Option<&MotionClearance>, stretches: u64) -> Result<(), Error> {
        let count = self.checker.pairs().len();
        let moves = self.checker.pairs().iter().any(|pair| pair.moves);
        let asked = self.options.clearance.is_some() && count > 0;
        if asked != clearance.is_some() || (moves && stretches == 0) {
            return Err(refused("the intervals examined", Refusal::Verdict));
        }
        let mut claim = Claim { until: 1.0, gap: 0.0, last: 0.0, least: None, most_spans: most_spans(stretches) };
        if let (Some(clearance), Some(width)) = (clearance, self.options.clearance) {
            self.least(clearance, width.max(0.0), stretches)?;
            claim.least = Some(clearance.lower);
            claim.gap = clearance.lower - SHARE * width.max(0.0);
        }
        (0..count).try_for_each(|pair| self.holds(pair, &claim))
    }

    /// The time, the pair and the bracket of the least clearance.
    fn least(&mut self, clearance: &MotionClearance, width: f64, stretches: u64) -> Result<(), Error> {
        let MotionClearance { lower, upper, pair, at } = *clearance;
        let what = |why| refused("the least clearance", why);
        for (field, number) in [("lower", lower), ("upper", upper), ("at", at)] {
            if !number.is_finite() {
                return Err(what(Refusal::NoNumber { field }));
            }
        }
        if !(0.0..=1.0).contains(&at) {
            return Err(what(Refusal::NoNumber { field: "at" }));
        }
        if !(0.0 <= lower && lower <= upper) {
            return Err(what(Refusal::Disordered));
        }
        if pair >= self.checker.pairs().len() {
            return Err(what(Refusal::Part));
        }
        let two = self.two(pair);
        let rounding = self.rounding(&two);
        let reading = self.reading(pair, &two, [at, at])?;
        self.prove(pair, &two, &reading)?;
        // It attains `upper`, within rounding on both sides.
        let [least, most] = [reading.distance.gap.lower, reading.distance.gap.upper].map(|length| length - two.padding);
        if least > upper + rounding {
            return Err(self.refused(pair, Refusal::Upper { claimed: upper, proved: most }));
        }
        if most < upper - rounding {
            return Err(self.refused(pair, Refusal::TooWide { width: upper - lower, allowed: most - lower }));
        }
        if upper - lower > width + rounding && stretches <= self.options.budget {
            return Err(what(Refusal::TooWide { width: upper - lower, allowed: width }));
        }
        Ok(())
    }

    /// The first impact: nothing before it, and contact then.
    fn impact(&mut self, impact: &MotionImpact, stretches: u64) -> Result<(), Error> {
        let MotionImpact { pair, lower, upper, met, point, ref q } = *impact;
        let what = |why| refused("the impact", why);
        for (field, time) in [("lower", lower), ("upper", upper)] {
            if !(0.0..=1.0).contains(&time) {
                return Err(what(Refusal::NoNumber { field }));
            }
        }
        if !point.is_finite() {
            return Err(what(Refusal::NoNumber { field: "point" }));
        }
        if lower > upper {
            return Err(what(Refusal::Disordered));
        }
        if pair >= self.checker.pairs().len() {
            return Err(what(Refusal::Part));
        }
        let longest = LONGEST * self.options.resolution;
        if upper - lower > longest && stretches <= self.options.budget {
            return Err(what(Refusal::TooWide { width: upper - lower, allowed: longest }));
        }
        self.robot_configuration(q)?;
        let at = self.time_of(q, lower, upper).ok_or_else(|| what(Refusal::NoNumber { field: "q" }))?;
        let (last, most_spans) = (self.options.resolution, most_spans(stretches));
        let claim = Claim { until: lower, gap: 0.0, last, least: None, most_spans };
        (0..self.checker.pairs().len()).try_for_each(|pair| self.holds(pair, &claim))?;
        let two = self.two(pair);
        let rounding = self.rounding(&two);
        let here = self.reading(pair, &two, [at, at])?;
        self.prove(pair, &two, &here)?;
        self.point(pair, point, at, &here, rounding)?;
        let meets = |reading: &Reading| reading.distance.gap.lower <= two.padding + rounding;
        if met {
            let end = self.reading(pair, &two, [upper, upper])?;
            self.prove(pair, &two, &end)?;
            if !meets(&here) && !meets(&end) {
                let proved = here.distance.gap.lower.min(end.distance.gap.lower) - two.padding;
                return Err(self.refused(pair, Refusal::Upper { claimed: 0.0, proved }));
            }
            return Ok(());
        }
        if here.distance.gap.upper < two.padding - rounding {
            // Deeper than rounding: contact was seen.
            return Err(self.refused(pair, Refusal::Verdict));
        }
        let within = self.reading(pair, &two, [lower, upper])?;
        let near = two.padding + NEAR * within.strayed + rounding;
        if here.distance.gap.lower > near {
            return Err(self.refused(pair, Refusal::Upper { claimed: near, proved: here.distance.gap.lower }));
        }
        Ok(())
    }

    /// The configuration of an impact is valid and of the right length.
    fn robot_configuration(&self, q: &[f64]) -> Result<(), Error> {
        let is_one = self.checker.robot().check_configuration(q).is_ok();
        if is_one { Ok(()) } else { Err(refused("the impact", Refusal::NoNumber { field: "q" })) }
    }

    /// The time at which the motion passes a configuration, between two times; `None` if it does not.
    fn time_of(&self, q: &[f64], lower: f64, upper: f64) -> Option<f64> {
        let fastest = (self.from.iter().zip(self.to).enumerate())
            .max_by(|(_, x), (_, y)| (x.1 - x.0).abs().total_cmp(&(y.1 - y.0).abs()))
            .filter(|(_, (from, to))| from != to);
        let time = match fastest {
            Some((which, (from, to))) => ((q[which] - from) / (to - from)).clamp(lower, upper),
            None => lower,
        };
        let on_the_way = |((q, from), to): ((&f64, &f64), &f64)| {
            // Rounding of the time and of the value.
            let off = (q - (from + time * (to - from))).abs();
            off <= 1e-14 * (1.0 + from.abs() + to.abs())
        };
        q.iter().zip(self.from).zip(self.to).all(on_the_way).then_some(time)
    }

    /// The point is common to both bodies, or halfway between them.
    fn point(&self, pair: usize, point: DVec3, at: f64, here: &Reading, rounding: f64) -> Result<(), Error> {
        for (name, body) in ["A", "B"].into_iter().zip(self.checker.bodies_of(pair)) {
            let side = SweptBody::new(body, self.above(body.segment));
            let pose = self.enclosure(&side, Interval::point(at)).middle();
            let nearest = pose.map_or(f64::NAN, |pose| closest_point(&body.shape, &pose, point).distance.lower);
            let off = nearest - 0.5 * here.distance.gap.upper;
            if off.is_nan() || off > rounding + ROUNDING * point.length() {
                return Err(self.refused(pair, Refusal::Witness { body: name, off }));
            }
        }
        Ok(())
    }

    /// Proves the claim for one pair.
    fn holds(&mut self, pair: usize, claim: &Claim) -> Result<(), Error> {
        let two = self.two(pair);
        let less = if claim.least.is_some() { self.rounding(&two) } else { 0.0 };
        let margin = two.padding + (claim.gap - less).max(0.0);
        let until = claim.until;
        if until == 0.0 {
            return Ok(());
        }
        // Bodies that do not move relative to each other are measured once.
        let moves = two.sides.iter().any(|side| !side.chain.is_empty());
        let mut stack = vec![(0.0, if moves { until } else { 0.0 })];
        let mut tightest: Option<(f64, Reading)> = None;
        let mut spans = 0;
        while let Some((begin, end)) = stack.pop() {
            clearance::cancel::checkpoint();
            spans += 1;
            if spans > claim.most_spans {
                return Err(self.refused(pair, claim.refusal(begin, 0.0)));
            }
            if self.centres_apart(&two, begin, end, margin) {
                continue;
            }
            // Half of a gap suffices to choose the next span; a margin has to be separated from the gap in full.
            let relative_tolerance = if margin > 0.0 { 0.0 } else { 0.5 };
            let asked = DistanceOptions { relative_tolerance, ..DistanceOptions::default() };
            if let Some(reading) = self.reading_beyond(&two, [begin, end], margin, &asked) {
                let Distance { gap: Bracket { lower, upper, .. }, .. } = reading.distance;
                let spare = lower - margin - reading.strayed;
                if spare > 0.0 {
                    if tightest.as_ref().is_none_or(|(least, _)| spare < *least) {
                        tightest = Some((spare, reading));
                    }
                    continue;
                }
                if upper <= margin {
                    return Err(self.refused(pair, claim.refusal(begin, (upper - two.padding).max(0.0))));
                }
            }
            if end == until && end - begin <= claim.last {
                continue;
            }
            if end - begin < SHORTEST {
                return Err(self.refused(pair, claim.refusal(begin, 0.0)));
            }
            let middle = 0.5 * (begin + end);
            stack.extend([(middle, end), (begin, middle)]);
        }
        match tightest {
            Some((_, reading)) => self.prove(pair, &two, &reading),
            None => Ok(()),
        }
    }

    /// Whether the bounding spheres of two bodies are farther apart than a margin throughout a span.
    fn centres_apart(&self, two: &Two, begin: f64, end: f64, margin: f64) -> bool {
        let [a, b] = &two.sides;
        if !(a.radius + b.radius).is_finite() {
            return false;
        }
        let span = Interval::new(begin, end);
        let centre = |side: &SweptBody| self.enclosure(side, span).point(side.centre.into());
        let apart = (centre(b) - centre(a)).norm().lo();
        apart > (a.radius + b.radius + margin) * (1.0 + 1e-12)
    }

    /// A measurement that may prove a span free; `None` if none could, since the bodies may move farther than they are
    /// apart.
    fn reading_beyond(&mut self, two: &Two, span: [f64; 2], margin: f64, asked: &DistanceOptions) -> Option<Reading> {
        let (poses, strayed) = self.placed(two, span)?;
        let [a, b] = &two.sides;
        let most =
            poses[0].transform_point(a.centre).distance(poses[1].transform_point(b.centre)) + a.radius + b.radius;
        if strayed + margin >= most {
            return None;
        }
        let asked = DistanceOptions { farther_than: Some(strayed + margin), ..*asked };
        Some(self.ask(two, poses, strayed, &asked))
    }

    /// Measures a pair at the middle of a span, in full, and bounds how far its bodies may be from there.
    fn reading(&mut self, pair: usize, two: &Two, span: [f64; 2]) -> Result<Reading, Error> {
        let lost = || self.refused(pair, Refusal::NoNumber { field: "q" });
        let (poses, strayed) = self.placed(two, span).ok_or_else(lost)?;
        Ok(self.ask(two, poses, strayed, &DistanceOptions::default()))
    }

    fn ask(&mut self, two: &Two, poses: [Pose; 2], strayed: f64, asked: &DistanceOptions) -> Reading {
        let [a, b] = [&two.sides[0].body.shape, &two.sides[1].body.shape];
        let distance = distance_with(a, &poses[0], b, &poses[1], asked, &mut PairCache::default(), &mut self.workspace);
        Reading { distance, poses, strayed }
    }

    /// The poses of two bodies at the middle of a span, in their common frame, and the sum of how far points of each
    /// may be from there. `None` if the span is too long for a bound.
    fn placed(&self, two: &Two, [begin, end]: [f64; 2]) -> Option<([Pose; 2], f64)> {
        let mut strayed = 0.0;
        let mut poses = [Pose::IDENTITY; 2];
        for (side, pose) in two.sides.iter().zip(&mut poses) {
            if side.chain.is_empty() {
                *pose = side.body.frame.pose().ok()?;
                continue;
            }
            let at = self.enclosure(side, Interval::point(0.5 * (begin + end)));
            *pose = at.middle()?;
            let over = if begin == end { at } else { self.enclosure(side, Interval::new(begin, end)) };
            let placed = Enclosure::of(&pose.rotation(), pose.translation());
            let centre = (over.point(side.centre.into()) - placed.point(side.centre.into())).norm();
            let row = |k: usize| (over.rotation.rows[k] - placed.rotation.rows[k]).norm_squared();
            let turned = (row(0) + row(1) + row(2)).sqrt() * Interval::point(side.radius);
            strayed = (Interval::point(strayed) + centre + turned).hi();
        }
        strayed.is_finite().then_some((poses, strayed))
    }

    /// The frames of a body over a span of time, relative to the end of its chain.
    fn enclosure(&self, side: &SweptBody, span: Interval) -> Enclosure {
        let frame = &side.body.frame;
        let mut whole = Enclosure::of(&frame.rotation, frame.translation);
        for &segment in &side.chain {
            whole = self.joint(&self.checker.robot().segments[segment], span).then(&whole);
        }
        whole
    }

    /// The frames of a segment in that of its parent, over a span of time.
    fn joint(&self, segment: &Segment, span: Interval) -> Enclosure {
        let value = |which: usize| {
            let [from, to] = [self.from, self.to].map(|q| Interval::point(q[segment.variable + which]));
            from + span * (to - from)
        };
        let origin = Enclosure::of(&segment.origin.rotation, segment.origin.translation);
        let led = |which: usize| Interval::point(segment.multiplier) * value(which) + Interval::point(segment.offset);
        let turned = |angle: Interval| IntervalMat3::from_axis_angle(segment.axis, angle);
        let still = IntervalMat3::from(&DMat3::IDENTITY);
        let own = match segment.kind {
            JointKind::Fixed => return origin,
            JointKind::Revolute | JointKind::Continuous => {
                Enclosure { rotation: turned(led(0)), translation: IntervalVec3::ZERO }
            }
            JointKind::Prismatic => {
                Enclosure { rotation: still, translation: IntervalVec3::from(segment.axis).scale(led(0)) }
            }
            JointKind::Planar => {
                let [right, up] = across(segment.axis).map(IntervalVec3::from);
                Enclosure { rotation: turned(value(2)), translation: right.scale(value(0)) + up.scale(value(1)) }
            }
            JointKind::Floating => Enclosure {
                rotation: of_quaternion([value(3), value(4), value(5), value(6)]),
                translation: IntervalVec3::new(value(0), value(1), value(2)),
            },
        };
        origin.then(&own)
    }

    /// The segments that carry a segment, itself first, without the root.
    fn above(&self, mut segment: usize) -> Vec<usize> {
        let mut chain = Vec::new();
        while segment != 0 {
            chain.push(segment);
            segment = self.checker.robot().segments[segment].parent;
        }
        chain
    }

    /// The bodies of a pair, relative to their common segment.
    fn two(&self, pair: usize) -> Two<'c> {
        let bodies = self.checker.bodies_of(pair);
        let [of_a, of_b] = bodies.map(|body| self.above(body.segment));
        let own = |chain: &[usize], other: &[usize]| -> Vec<usize> {
            chain.iter().copied().filter(|segment| !other.contains(segment)).collect()
        };
        let chains = [own(&of_a, &of_b), own(&of_b, &of_a)];
        let [chain_a, chain_b] = chains;
        let padding = self.checker.pairs()[pair].padding;
        Two { sides: [SweptBody::new(bodies[0], chain_a), SweptBody::new(bodies[1], chain_b)], padding }
    }

    /// How far answers for the same pair may differ by rounding: from the sizes of the bodies and the extent of their
    /// chains.
    fn rounding(&self, two: &Two) -> f64 {
        let largest = |q: &[f64]| q.iter().fold(1.0_f64, |largest, value| largest.max(value.abs()));
        let turns = largest(self.from).max(largest(self.to));
        let reach = |side: &SweptBody| {
            let above = self.above(side.body.segment);
            let joints =
                above.iter().map(|&segment| self.checker.robot().segments[segment].origin.translation.length());
            let own = side.centre.length() + side.body.frame.translation.length();
            let slides = if above.is_empty() { 0.0 } else { turns };
            joints.sum::<f64>() + own + slides + if side.radius.is_finite() { side.radius } else { 0.0 }
        };
        ROUNDING * turns * (reach(&two.sides[0]) + reach(&two.sides[1]))
    }

    /// Has the engine verify a distance.
    fn prove(&self, pair: usize, two: &Two, reading: &Reading) -> Result<(), Error> {
        let [a, b] = [&two.sides[0].body.shape, &two.sides[1].body.shape];
        reading.distance.verify(a, &reading.poses[0], b, &reading.poses[1]).map_err(|why| self.refused(pair, why))
    }

    fn refused(&self, pair: usize, why: Refusal) -> Error {
        let pair = &self.checker.pairs()[pair];
        Error::Refused { what: format!("`{}` and `{}`", self.checker.name(pair.a), self.checker.name(pair.b)), why }
    }
}

/// The rotations of quaternions that need not be of unit length.
fn of_quaternion([x, y, z, w]: [Interval; 4]) -> IntervalMat3 {
    let [xx, yy, zz, ww] = [x, y, z, w].map(Interval::square);
    let length = xx + yy + zz + ww;
    let two = Interval::point(2.0);
    let entry = |value: Interval| {
        let unit = Interval::new(-1.0, 1.0);
        (value / length).intersection(unit).unwrap_or(unit)
    };
    let twice = |value: Interval| entry(two * value);
    IntervalMat3 {
        rows: [
            IntervalVec3::new(entry(ww + xx - yy - zz), twice(x * y - z * w), twice(x * z + y * w)),
            IntervalVec3::new(twice(x * y + z * w), entry(ww - xx + yy - zz), twice(y * z - x * w)),
            IntervalVec3::new(twice(x * z - y * w), twice(y * z + x * w), entry(ww - xx - yy + zz)),
        ],
    }
}
