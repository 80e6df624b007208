//! Motions between configurations: the first impact, or a proof that there is none.
//!
//! Conservative advancement in joint space. At the middle of a time interval the gap of a pair is known with a proved
//! lower bound, and [`motion_bound`](crate::motion_bound) bounds how far its bodies can move relative to each other
//! within a given time: an interval in which they cannot move as far as the gap is free. The rest of the interval, or
//! its halves, is examined next. All pairs are resolved together, earliest interval first (Redon's simultaneous
//! resolution), and everything after a time at which a contact was seen is dropped, so work goes into the first impact
//! and not into the tenth. The first interval is the whole motion: pairs that are far apart are settled by one test of
//! their bounding spheres, and large rotations are halved until their bounds are useful.
//!
//! Robots with many links and worlds with many objects are culled in groups first ([`groups`](crate::groups)), which
//! settles most pairs.
//!
//! An interval as short as the resolution that cannot be proved free counts as an impact. Nothing is ever missed: up to
//! the start of the reported impact every pair was proved to be apart, for the robot in real numbers
//! ([`motion_bound`](crate::motion_bound)).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use clearance::cancel::checkpoint;
use clearance::glam::DVec3;
use clearance::parallel;

use crate::check::{Checker, State};
use crate::error::Error;
use crate::groups::{Ask, Tell};

/// A contact that was seen and an undecided interval before it are one impact if they are at most this many times the
/// resolution apart.
const CLOSE: f64 = 16.0;

/// Options of a motion check.
///
/// ```
/// let options = clearance_robot::SweepOptions::default();
/// assert_eq!(options.resolution, 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepOptions {
    /// The shortest interval examined, as a fraction of the motion. An interval of this length that cannot be proved
    /// free counts as an impact.
    pub resolution: f64,
    /// Also compute the least clearance of a free motion, to within this, in metres.
    pub clearance: Option<f64>,
    /// The most intervals examined. Beyond it, the next interval counts as an impact that was not seen.
    pub budget: u64,
    /// How pairs that stay apart are culled.
    pub culling: Culling,
}

/// How pairs that stay apart throughout a motion are culled. The answer is the same unless the budget runs out. With
/// groups, motions of snakes of 30 and 100 joints, or among 2000 boxes, take a half to a tenth of the time; those of
/// arms in small worlds take a fifth (panda, half the way) to a tenth longer (ur5, short).
///
/// ```
/// assert_eq!(clearance_robot::SweepOptions::default().culling, clearance_robot::Culling::Groups);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Culling {
    /// Sub-chains, and objects near each other, are tested together first.
    #[default]
    Groups,
    /// Each pair is tested by itself.
    Pairs,
}

impl Default for SweepOptions {
    fn default() -> SweepOptions {
        SweepOptions { resolution: 1e-6, clearance: None, budget: 1_000_000, culling: Culling::default() }
    }
}

/// The first impact of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionImpact {
    /// Index in [`Checker::pairs`].
    pub pair: usize,
    /// Proved: nothing meets before this. A fraction of the motion: 0 at its start, 1 at its end.
    pub lower: f64,
    /// The end of the interval: the resolution later, or a few times that if contact was seen then.
    pub upper: f64,
    /// Whether the pair was seen to meet in the interval. If not, it is too near to decide within resolution or budget.
    pub met: bool,
    /// A common point, or the midpoint of the closest points, in the world.
    pub point: DVec3,
    /// The configuration examined.
    pub q: Vec<f64>,
}

/// The least gap of all pairs over a free motion, padding subtracted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionClearance {
    /// Proved: no pair ever comes closer.
    pub lower: f64,
    /// Proved: some pair comes at least this close.
    pub upper: f64,
    /// The pair that attains `upper`.
    pub pair: usize,
    /// When, as a fraction of the motion.
    pub at: f64,
}

/// Result of a motion check.
///
/// ```
/// use clearance_robot::{CheckOptions, Checker, LoadOptions, Object, Robot, SweepOptions};
/// use clearance::{Pose, Shape, glam::DVec3};
/// // A thin arm that sweeps over a thin rod from one side to the other.
/// let text = "<robot name='r'><link name='base'/><link name='arm'><collision><origin xyz='0.5 0 0'/>
///     <geometry><box size='1 0.01 0.01'/></geometry></collision></link>
///     <joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/></joint></robot>";
/// let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
/// let rod = Object {
///     name: "rod".into(),
///     shape: Shape::cylinder(0.5, 0.001).unwrap(),
///     pose: Pose::from_translation(DVec3::new(0.8, 0.0, 0.0)).unwrap(),
/// };
/// let checker = Checker::new(robot, CheckOptions { world: vec![rod], ..CheckOptions::default() }).unwrap();
/// let swept = checker.sweep(&mut checker.state(), &[-1.0], &[1.0], &SweepOptions::default()).unwrap();
/// let impact = swept.impact.unwrap();
/// // The side of the arm reaches the rod shortly before the middle.
/// assert!(impact.lower < 0.4964 && 0.496 < impact.upper && impact.upper - impact.lower <= 16e-6);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The first impact; `None` proves that there is none.
    pub impact: Option<MotionImpact>,
    /// The least clearance, if requested and the motion is free.
    pub clearance: Option<MotionClearance>,
    /// Intervals examined, of groups and of pairs.
    pub stretches: u64,
}

/// A time interval of a pair; ordered earliest first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stretch {
    begin: f64,
    end: f64,
    pair: usize,
    /// Whether the pair was seen to meet at its end.
    ends_meeting: bool,
}

impl Stretch {
    fn whole(pair: usize) -> Stretch {
        Stretch { begin: 0.0, end: 1.0, pair, ends_meeting: false }
    }
}

impl Eq for Stretch {}

impl Ord for Stretch {
    fn cmp(&self, other: &Stretch) -> Ordering {
        self.begin.total_cmp(&other.begin).then(self.end.total_cmp(&other.end)).then(self.pair.cmp(&other.pair))
    }
}

impl PartialOrd for Stretch {
    fn partial_cmp(&self, other: &Stretch) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A motion under examination.
struct Motion<'c> {
    checker: &'c Checker,
    from: &'c [f64],
    by: Vec<f64>,
    q: Vec<f64>,
    delta: Vec<f64>,
    /// The time at which the robot is placed.
    placed: Option<f64>,
}

impl<'c> Motion<'c> {
    fn new(checker: &'c Checker, from: &'c [f64], to: &[f64]) -> Motion<'c> {
        let by: Vec<f64> = from.iter().zip(to).map(|(from, to)| to - from).collect();
        let (q, delta) = (from.to_vec(), vec![0.0; from.len()]);
        Motion { checker, from, by, q, delta, placed: None }
    }

    fn place(&mut self, state: &mut State, at: f64) {
        if self.placed != Some(at) {
            for ((q, from), by) in self.q.iter_mut().zip(self.from).zip(&self.by) {
                *q = from + at * by;
            }
            self.checker.place(state, &self.q);
            self.placed = Some(at);
        }
    }

    /// Bounds how far the bodies of a pair can move relative to each other within `half` of the placed time.
    fn moves(&mut self, state: &State, pair: usize, half: f64) -> f64 {
        let Some(chains) = &self.checker.chains[pair] else { return 0.0 };
        for (delta, by) in self.delta.iter_mut().zip(&self.by) {
            *delta = (half * by.abs()).next_up();
        }
        let (robot, frames) = (self.checker.robot(), self.checker.frames(state));
        let bodies = self.checker.bodies_of(pair);
        chains.bound(robot, frames, bodies, &self.q, &self.delta) + chains.slack(robot, frames, bodies, &self.q)
    }

    /// The moving pairs that groups do not prove to stay apart, and the number of group tests that took.
    fn moving(&mut self, state: &mut State, options: &SweepOptions) -> Result<(Vec<usize>, u64), Error> {
        let checker = self.checker;
        if options.culling == Culling::Pairs {
            return Ok(((0..checker.chains.len()).filter(|&pair| checker.chains[pair].is_some()).collect(), 0));
        }
        let mut delta = vec![0.0; self.by.len()];
        checker.groups.needed(&mut Ask {
            robot: checker.robot(),
            bodies: checker.all_bodies(),
            resolution: options.resolution,
            // Most of the budget is for pairs.
            most: options.budget / 4,
            place: |at: f64, half: f64, tell: &mut Tell<'_>| {
                self.place(state, at);
                checker.robot().check_configuration(&self.q)?;
                for (delta, by) in delta.iter_mut().zip(&self.by) {
                    *delta = (half * by.abs()).next_up();
                }
                tell(checker.frames(state), &self.q, &delta);
                Ok(())
            },
        })
    }
}

impl Checker {
    /// Checks the motion from one configuration to another, with every joint interpolated linearly. Angles are not
    /// wrapped.
    ///
    /// # Errors
    /// As [`Checker::distances`], and [`Error::BadOption`]; [`Error::NotAValue`] for a quaternion that passes through
    /// zero.
    ///
    /// See [`Sweep`] for an example.
    pub fn sweep(&self, state: &mut State, from: &[f64], to: &[f64], options: &SweepOptions) -> Result<Sweep, Error> {
        self.robot().check_configuration(from)?;
        self.robot().check_configuration(to)?;
        // Written so that NaN is rejected.
        if !(options.resolution > 0.0 && options.resolution <= 1.0) {
            let problem = format!("resolution must be above 0 and at most 1, got {}", options.resolution);
            return Err(Error::BadOption { problem });
        }
        let mut motion = Motion::new(self, from, to);
        let mut sweep = Sweep { impact: None, clearance: None, stretches: 0 };
        if let Some(&pair) = self.always().first() {
            motion.place(state, 0.0);
            sweep.impact = Some(self.impact(state, &motion, Stretch { end: 0.0, ..Stretch::whole(pair) }, true)?);
            return Ok(sweep);
        }
        let resolution = options.resolution;
        let (moving, looks) = motion.moving(state, options)?;
        sweep.stretches = looks;
        let mut waiting: BinaryHeap<Reverse<Stretch>> =
            moving.into_iter().map(|pair| Reverse(Stretch::whole(pair))).collect();
        // The earliest time at which a contact was seen, and its pair.
        let (mut horizon, mut meeting) = (1.0_f64, None);
        while let Some(Reverse(stretch)) = waiting.pop() {
            checkpoint();
            let Stretch { begin, end, pair, ends_meeting } = stretch;
            if begin > horizon {
                continue;
            }
            sweep.stretches += 1;
            let (middle, half) = (0.5 * (begin + end), (0.5 * (end - begin)).next_up());
            motion.place(state, middle);
            self.robot().check_configuration(&motion.q)?;
            let moves = motion.moves(state, pair, half);
            let gap = self.gap_beyond(state, pair, moves)?;
            if gap.lower > moves {
                continue;
            }
            if end - begin <= resolution || sweep.stretches > options.budget {
                // The last intervals before a contact are too close to decide: they belong to it.
                let is_next = meeting == Some(pair) && horizon - begin <= CLOSE * resolution;
                let stretch = if is_next { Stretch { end: horizon.max(end), ..stretch } } else { stretch };
                sweep.impact = Some(self.impact(state, &motion, stretch, gap.meets || ends_meeting || is_next)?);
                return Ok(sweep);
            }
            if gap.meets {
                if meeting.is_none() || middle < horizon {
                    (horizon, meeting) = (middle, Some(pair));
                }
                waiting.push(Reverse(Stretch { end: middle, ends_meeting: true, ..stretch }));
                continue;
            }
            // The bound grows faster than linearly in time, so this part of the interval is free; the bound itself
            // confirms it.
            let free = half * (0.999 * gap.lower / moves).clamp(0.0, 1.0);
            let is_free = free > 0.05 * half && motion.moves(state, pair, free) < gap.lower;
            let cut = if is_free { free } else { 0.0 };
            if begin < middle - cut {
                waiting.push(Reverse(Stretch { end: middle - cut, ends_meeting: false, ..stretch }));
            }
            if middle + cut < end {
                waiting.push(Reverse(Stretch { begin: middle + cut, ..stretch }));
            }
        }
        if let Some(tolerance) = options.clearance {
            sweep.clearance = self.clearance(state, &mut motion, tolerance, options.budget, &mut sweep.stretches)?;
        }
        Ok(sweep)
    }

    /// Describes an impact.
    fn impact(&self, state: &mut State, motion: &Motion, stretch: Stretch, met: bool) -> Result<MotionImpact, Error> {
        let distance = self.distance(state, stretch.pair, &clearance::query::DistanceOptions::default())?;
        let poses = self.poses_of(state, stretch.pair)?;
        let [on_a, on_b] = distance.world_points(&poses[0], &poses[1]);
        Ok(MotionImpact {
            pair: stretch.pair,
            lower: stretch.begin,
            upper: stretch.end,
            met,
            point: 0.5 * (on_a + on_b),
            q: motion.q.clone(),
        })
    }

    /// Branch and bound for the least gap: the interval with the least lower bound is halved until it is close enough
    /// to the least gap seen.
    fn clearance(
        &self,
        state: &mut State,
        motion: &mut Motion,
        tolerance: f64,
        budget: u64,
        stretches: &mut u64,
    ) -> Result<Option<MotionClearance>, Error> {
        let mut best: Option<MotionClearance> = None;
        // Lower bounds of intervals, least first. They are not negative, so their bits order as the numbers do.
        let mut waiting: BinaryHeap<Reverse<(u64, Stretch)>> = BinaryHeap::new();
        let mut next: Vec<(f64, Stretch)> = (0..self.pairs().len()).map(|pair| (0.0, Stretch::whole(pair))).collect();
        loop {
            checkpoint();
            for (parent, stretch) in next.drain(..) {
                *stretches += 1;
                let Stretch { begin, end, pair, .. } = stretch;
                let middle = 0.5 * (begin + end);
                motion.place(state, middle);
                let moves = motion.moves(state, pair, (0.5 * (end - begin)).next_up());
                let known = best.map_or(f64::INFINITY, |best| best.upper);
                let gap = self.gap_beyond(state, pair, known + moves)?;
                if gap.upper < known {
                    best = Some(MotionClearance { lower: 0.0, upper: gap.upper, pair, at: middle });
                }
                let lower = (gap.lower - moves).max(parent).max(0.0);
                if lower <= best.map_or(f64::INFINITY, |best| best.upper) {
                    waiting.push(Reverse((lower.to_bits(), stretch)));
                }
            }
            let Some(Reverse((lower, stretch))) = waiting.pop() else { break };
            let lower = f64::from_bits(lower);
            let Some(best) = &mut best else { break };
            best.lower = lower.min(best.upper);
            let never_moves = self.chains[stretch.pair].is_none();
            if best.upper - lower <= tolerance.max(0.0) || *stretches > budget || never_moves {
                break;
            }
            let middle = 0.5 * (stretch.begin + stretch.end);
            next.extend(
                [(stretch.begin, middle), (middle, stretch.end)]
                    .map(|(begin, end)| (lower, Stretch { begin, end, ..stretch })),
            );
        }
        Ok(best)
    }

    /// [`Checker::sweep`] for many motions, on all cores: each from its first to its second configuration.
    ///
    /// # Errors
    /// As [`Checker::sweep`], for the first invalid motion.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!(
    /// #    "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// let swept = checker.sweeps(&[[[3.0], [9.0]], [[-3.0], [3.0]]], &SweepOptions::default()).unwrap();
    /// assert!(swept[0].impact.is_none() && swept[1].impact.is_some());
    /// ```
    pub fn sweeps<Q: AsRef<[f64]> + Sync>(
        &self,
        motions: &[[Q; 2]],
        options: &SweepOptions,
    ) -> Result<Vec<Sweep>, Error> {
        let sweep = |[from, to]: &[Q; 2]| self.sweep(&mut self.state(), from.as_ref(), to.as_ref(), options);
        parallel::map(motions, sweep).into_iter().collect()
    }
}
