//! The allowed-collision matrix: which pairs of links need no check, and how certain that is.
//!
//! As in MoveIt's setup assistant: pairs connected by a joint are `Adjacent`; pairs that meet in the default
//! configuration `Default`; pairs that meet in nearly all random configurations `Always`; pairs that meet in none
//! `Never`. A `Never` from samples is a guess, so each is tested by branch and bound over the box of the joints between
//! the two links. At the centre of a box the distance is known with a proved lower bound; if it exceeds how far the
//! bodies can move while the joints stay in the box ([`motion_bound`](crate::motion_bound)), the box is free. Otherwise
//! it is split across the joint that moves the bodies most. A pair is proved if all boxes are free; it is refuted, and
//! stays checked, if the bodies meet at the centre of a box; it remains a sampled result if the budget of boxes runs
//! out.

use std::collections::{BTreeMap, BTreeSet};

use clearance::cancel::{Carried, checkpoint};
use clearance::parallel::map_with;
use clearance::query::DistanceOptions;
use rayon::prelude::*;

use crate::allowed::{Allowed, adjacent};
use crate::check::{CheckOptions, Checker, State};
use crate::error::Error;
use crate::motion_bound::Chains;
use crate::random::Random;
use crate::robot::Robot;
use crate::srdf::{DisabledPair, Srdf};
use crate::urdf::JointKind;

/// Configurations per piece of work, independent of the number of threads.
const PIECE: u64 = 256;

/// Options of the matrix computation.
///
/// ```
/// let options = clearance_robot::MatrixOptions::default();
/// assert_eq!((options.trials, options.min_collision_fraction), (10_000, 1.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixOptions {
    /// The number of random configurations within the limits.
    pub trials: u64,
    /// Seed of the random configurations.
    pub seed: u64,
    /// Pairs that meet in at least this fraction of them count as always meeting.
    pub min_collision_fraction: f64,
    /// Whether to disable pairs that meet in the default configuration: all joints at zero, or mid-range.
    pub default: bool,
    /// Whether to disable pairs that always meet.
    pub always: bool,
    /// The most boxes a proof of `Never` may take per pair; 0 for no proofs.
    pub budget: u64,
}

impl Default for MatrixOptions {
    fn default() -> MatrixOptions {
        MatrixOptions {
            trials: 10_000,
            seed: 1,
            min_collision_fraction: 1.0,
            default: true,
            always: true,
            budget: 20_000,
        }
    }
}

/// Why two links need no check, or that they do.
///
/// ```
/// assert_eq!(clearance_robot::Reason::Never.text(), "Never");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// They are connected by a joint.
    Adjacent,
    /// They meet in the default configuration.
    Default,
    /// They meet in nearly all configurations.
    Always,
    /// They meet in none.
    Never,
    /// They may meet: they are checked.
    Checked,
}

impl Reason {
    /// Its name, as in MoveIt; empty for [`Reason::Checked`].
    ///
    /// ```
    /// assert_eq!(clearance_robot::Reason::Adjacent.text(), "Adjacent");
    /// ```
    pub fn text(self) -> &'static str {
        match self {
            Reason::Adjacent => "Adjacent",
            Reason::Default => "Default",
            Reason::Always => "Always",
            Reason::Never => "Never",
            Reason::Checked => "",
        }
    }
}

/// Outcome of a proof that two links never meet.
///
/// ```
/// assert_ne!(clearance_robot::Proof::NotTried, clearance_robot::Proof::Proved { boxes: 1 });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// Not attempted: they were seen to meet, or there was no budget.
    NotTried,
    /// They do not meet anywhere within the joint limits.
    Proved {
        /// The number of boxes it took.
        boxes: u64,
    },
    /// They meet in this configuration, though not in any sample.
    Refuted {
        /// A configuration in which they meet.
        q: Vec<f64>,
    },
    /// The budget ran out, or a joint between them has no limits: an unlimited length, or an unlimited angle whose
    /// mimic joints never return to where they were.
    Open {
        /// The number of boxes examined.
        boxes: u64,
    },
}

/// Two links, and what is known about them.
///
/// ```
/// # use clearance_robot::*;
/// # let part = |name| format!(
/// #    "<link name='{name}'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>");
/// # let text = format!("<robot name='r'>{}{}{}
/// #    <joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='1 0 0'/></joint>
/// #     <joint name='k' type='revolute'><parent link='b'/><child link='c'/>
/// #    <origin xyz='1 0 0'/><limit lower='-1' upper='1'/></joint></robot>",
/// #     part("a"), part("b"), part("c"));
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
/// let matrix = Matrix::new(&robot, &MatrixOptions { trials: 100, ..MatrixOptions::default() }).unwrap();
/// let far = matrix.pairs.iter().find(|pair| pair.links == [0, 2]).unwrap();
/// assert_eq!(far.reason, Reason::Never);
/// assert!(matches!(far.proof, Proof::Proved { .. }));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPair {
    /// Indices of the links, in increasing order.
    pub links: [usize; 2],
    /// Why they need no check.
    pub reason: Reason,
    /// The number of random configurations in which they met.
    pub met: u64,
    /// The smallest distance seen, a proved lower bound; infinite if another pair was always closer.
    pub smallest: f64,
    /// Whether they were proved never to meet.
    pub proof: Proof,
}

impl LinkPair {
    /// Whether they are `Never` by samples only: no sample saw them meet, and no proof says that they cannot.
    pub fn is_sampled(&self) -> bool {
        self.reason == Reason::Never && !matches!(self.proof, Proof::Proved { .. })
    }

    /// The reason as written in SRDF, where it is free text: `Never (proved)` and `Never (sampled)` are distinguished.
    ///
    /// ```
    /// use clearance_robot::{LinkPair, Proof, Reason};
    /// let proof = Proof::Open { boxes: 100 };
    /// let pair = LinkPair { links: [0, 1], reason: Reason::Never, met: 0, smallest: 0.1, proof };
    /// assert_eq!(pair.reason_in_srdf(), "Never (sampled)");
    /// ```
    pub fn reason_in_srdf(&self) -> &'static str {
        match self.reason {
            Reason::Never if self.is_sampled() => "Never (sampled)",
            Reason::Never => "Never (proved)",
            other => other.text(),
        }
    }
}

/// The allowed-collision matrix of a robot. See [`LinkPair`] for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// All pairs of links that have geometry, in order.
    pub pairs: Vec<LinkPair>,
    /// The number of random configurations tested.
    pub trials: u64,
    /// Their seed.
    pub seed: u64,
}

/// What the trials of a piece of work saw of two links.
#[derive(Clone)]
struct Seen {
    met: u64,
    smallest: f64,
}

/// Two links and their pairs of bodies.
struct Group {
    links: [usize; 2],
    numbers: Vec<usize>,
}

/// The pairs of bodies of every two links, in the order of the links.
fn groups(checker: &Checker) -> Vec<Group> {
    let mut by_links: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
    for (number, pair) in checker.pairs().iter().enumerate() {
        by_links.entry([pair.a.min(pair.b), pair.a.max(pair.b)]).or_default().push(number);
    }
    by_links.into_iter().map(|(links, numbers)| Group { links, numbers }).collect()
}

impl Matrix {
    /// Tests random configurations, then attempts to prove the pairs that were not seen to meet.
    ///
    /// # Errors
    /// [`Error::BadOption`].
    pub fn new(robot: &Robot, options: &MatrixOptions) -> Result<Matrix, Error> {
        if !(0.0..=1.0).contains(&options.min_collision_fraction) {
            let problem = format!("min_collision_fraction must be from 0 to 1, got {}", options.min_collision_fraction);
            return Err(Error::BadOption { problem });
        }
        let checker =
            Checker::new(robot.clone(), CheckOptions { allowed: Allowed::none(), ..CheckOptions::default() })?;
        let adjacent = adjacent(robot);
        let groups = groups(&checker);
        let seen = sample(&checker, &groups, options)?;
        let at_default =
            if options.default { checker.hits(&mut checker.state(), &robot.middle())? } else { Vec::new() };
        let mut pairs: Vec<LinkPair> = Vec::with_capacity(groups.len());
        for (Group { links, numbers }, Seen { met, smallest }) in groups.iter().zip(seen) {
            let often = options.trials > 0 && met as f64 >= options.min_collision_fraction * options.trials as f64;
            // Pairs that never move and meet do so in every configuration, sampled or not.
            let always =
                (often && met > 0) || numbers.iter().any(|number| checker.always().binary_search(number).is_ok());
            let reason = if adjacent.contains(&(links[0], links[1])) {
                Reason::Adjacent
            } else if numbers.iter().any(|number| at_default.binary_search(number).is_ok()) {
                Reason::Default
            } else if options.always && always {
                Reason::Always
            } else if met == 0 {
                Reason::Never
            } else {
                Reason::Checked
            };
            pairs.push(LinkPair { links: *links, reason, met, smallest, proof: Proof::NotTried });
        }
        let is_tried = |number: &usize| pairs[*number].reason == Reason::Never && options.budget > 0;
        let tried: Vec<usize> = (0..pairs.len()).filter(is_tried).collect();
        // Caches belong to pairs of bodies, and each pair is in one group, so a state can be reused from group to
        // group.
        let proofs = map_with(
            &tried,
            1,
            || checker.state(),
            |state, &number| prove(&checker, state, &groups[number].numbers, options.budget),
        );
        for (number, proof) in tried.into_iter().zip(proofs) {
            if matches!(proof, Proof::Refuted { .. }) {
                pairs[number].reason = Reason::Checked;
            }
            pairs[number].proof = proof;
        }
        // Without samples and without a proof there is no basis for `Never`.
        for pair in &mut pairs {
            if pair.reason == Reason::Never && options.trials == 0 && !matches!(pair.proof, Proof::Proved { .. }) {
                pair.reason = Reason::Checked;
            }
        }
        Ok(Matrix { pairs, trials: options.trials, seed: options.seed })
    }

    /// Makes pairs checked that are `Never` by samples only, so that every `Never` left is proved.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let text = "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry></collision>
    /// #     </link></robot>";
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// let mut matrix = Matrix::new(&robot, &MatrixOptions { trials: 10, ..MatrixOptions::default() }).unwrap();
    /// matrix.retain_proved();
    /// assert!(matrix.pairs.iter().all(|pair| !pair.is_sampled()));
    /// ```
    pub fn retain_proved(&mut self) {
        for pair in self.pairs.iter_mut().filter(|pair| pair.is_sampled()) {
            pair.reason = Reason::Checked;
        }
    }

    /// Writes the pairs that need no check into an SRDF, replacing its pairs; with `keep`, adding to them. Reasons are
    /// those of [`LinkPair::reason_in_srdf`].
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!(
    /// #    "<link name='{name}'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}
    /// #    <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>",
    /// #     part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// let matrix = Matrix::new(&robot, &MatrixOptions { trials: 10, ..MatrixOptions::default() }).unwrap();
    /// let mut srdf = Srdf::empty("r");
    /// matrix.write(&robot, &mut srdf, false);
    /// assert_eq!(srdf.disabled, [DisabledPair::new("a", "b", "Adjacent")]);
    /// ```
    pub fn write(&self, robot: &Robot, srdf: &mut Srdf, keep: bool) {
        if !keep {
            srdf.disabled.clear();
        }
        let mut known: BTreeSet<[String; 2]> = srdf.disabled.iter().map(|old| old.links.clone()).collect();
        for pair in self.pairs.iter().filter(|pair| pair.reason != Reason::Checked) {
            let [one, other] = pair.links.map(|link| robot.link_name(link));
            let new = DisabledPair::new(one, other, pair.reason_in_srdf());
            if known.insert(new.links.clone()) {
                srdf.disabled.push(new);
            }
        }
    }
}

/// Tests random configurations for every two links. A configuration in which several of their bodies meet counts once.
fn sample(checker: &Checker, groups: &[Group], options: &MatrixOptions) -> Result<Vec<Seen>, Error> {
    let none = Seen { met: 0, smallest: f64::INFINITY };
    let in_piece = |piece: u64| -> Result<Vec<Seen>, Error> {
        let mut random = Random::new(options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(piece << 20));
        let mut state = checker.state();
        let mut seen = vec![none.clone(); groups.len()];
        let mut q = Vec::new();
        for _ in 0..PIECE.min(options.trials - piece * PIECE) {
            checkpoint();
            random.configuration(checker.robot().variables(), &mut q);
            checker.robot().check_configuration(&q)?;
            checker.place(&mut state, &q);
            for (group, seen) in groups.iter().zip(&mut seen) {
                seen.met += u64::from(meets(checker, &mut state, &group.numbers, &mut seen.smallest)?);
            }
        }
        Ok(seen)
    };
    // Sums and minima do not depend on the order, and no list grows with the number of trials. Of several errors the
    // first is kept: the left comes before the right.
    let both = |whole: Result<Vec<Seen>, Error>, piece: Result<Vec<Seen>, Error>| {
        let mut whole = whole?;
        for (whole, piece) in whole.iter_mut().zip(piece?) {
            whole.met += piece.met;
            whole.smallest = whole.smallest.min(piece.smallest);
        }
        Ok(whole)
    };
    let carried = Carried::here();
    let pieces = (0..options.trials.div_ceil(PIECE)).into_par_iter();
    // None: the work was cancelled, and no further piece is started.
    let pieces = pieces.map(|piece| carried.part(|| in_piece(piece))).while_some();
    let seen = pieces.reduce(|| Ok(vec![none.clone(); groups.len()]), both);
    checkpoint();
    seen
}

/// Whether any of the pairs of bodies meets in the placed configuration; if not, updates the smallest distance seen.
/// Only pairs nearer than that are measured.
fn meets(checker: &Checker, state: &mut State, numbers: &[usize], smallest: &mut f64) -> Result<bool, Error> {
    for &number in numbers {
        if checker.ball_gap(state, &checker.pairs()[number]) > *smallest {
            continue;
        }
        if *smallest == 0.0 {
            if checker.meets(state, number) {
                return Ok(true);
            }
            continue;
        }
        let farther_than = Some(*smallest).filter(|smallest| smallest.is_finite());
        let ask = DistanceOptions { farther_than, ..DistanceOptions::default() };
        let distance = checker.distance(state, number, &ask)?;
        *smallest = smallest.min(distance.gap.lower);
        if distance.gap.value == 0.0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A box of joint values: its centre and half-widths, for the variables that matter.
struct Block {
    middle: Vec<f64>,
    half: Vec<f64>,
}

/// How many turns an unlimited angle has to make until everything it moves between two bodies is back in place; `None`
/// if never, or not known. Joints that mimic it by a multiplier turn by other angles, or slide.
fn rounds(robot: &Robot, chains: &Chains, variable: usize) -> Option<f64> {
    let mut rounds = 1.0_f64;
    for segment in chains.segments(robot).into_iter().flatten().map(|number| &robot.segments[number]) {
        let kind = segment.kind;
        if kind.variables() != 1 || segment.variable != variable || segment.multiplier == 0.0 {
            continue;
        }
        if kind == JointKind::Prismatic {
            return None;
        }
        // Products with powers of two are exact, so these are exactly whole turns.
        let whole = |rounds: &f64| (segment.multiplier * rounds).fract() == 0.0;
        rounds = rounds.max([1.0, 2.0, 4.0, 8.0].into_iter().find(whole)?);
    }
    Some(rounds)
}

/// Branch and bound over the joints between two links, for each pair of their bodies.
fn prove(checker: &Checker, state: &mut State, numbers: &[usize], budget: u64) -> Proof {
    let robot = checker.robot();
    // Bodies of one segment do not move: whether they meet is known.
    if numbers.iter().any(|number| checker.always().binary_search(number).is_ok()) {
        return Proof::Refuted { q: robot.middle() };
    }
    let mut boxes = 0;
    for &number in numbers {
        let [a, b] = checker.bodies_of(number);
        let Some(chains) = &checker.chains[number] else { continue };
        let mut start = Block { middle: robot.middle(), half: vec![0.0; robot.variables().len()] };
        for variable in chains.variables(robot) {
            let limits = &robot.variables()[variable];
            if !(limits.lower.is_finite() && limits.upper.is_finite()) {
                return Proof::Open { boxes };
            }
            let rounds = if limits.endless { rounds(robot, chains, variable) } else { Some(1.0) };
            let Some(rounds) = rounds else { return Proof::Open { boxes } };
            start.middle[variable] = 0.5 * (limits.lower + limits.upper);
            // Rounded outward, so that the ends belong to the box.
            start.half[variable] = rounds * (0.5 * (limits.upper - limits.lower)).next_up();
        }
        let mut waiting = vec![start];
        while let Some(block) = waiting.pop() {
            checkpoint();
            boxes += 1;
            if boxes > budget {
                return Proof::Open { boxes: budget };
            }
            let Block { middle, half } = &block;
            // The box contains a quaternion of zero length: nothing can be proved about it.
            if robot.check_configuration(middle).is_err() {
                return Proof::Open { boxes };
            }
            checker.place(state, middle);
            let frames = checker.frames(state);
            let wanted =
                chains.bound(robot, frames, [a, b], middle, half) + chains.slack(robot, frames, [a, b], middle);
            match checker.gap_beyond(state, number, wanted) {
                Ok(gap) if gap.lower > wanted => continue,
                Ok(gap) if gap.meets => return Proof::Refuted { q: middle.clone() },
                Ok(_) => {}
                Err(_) => return Proof::Open { boxes },
            }
            let Some(widest) = chains.widest(robot, checker.frames(state), [a, b], middle, half) else {
                return Proof::Open { boxes };
            };
            let quarter = (0.5 * half[widest]).next_up();
            // Below the resolution of doubles only touching remains.
            if quarter < 1e-9 {
                return Proof::Open { boxes };
            }
            for side in [-1.0, 1.0] {
                let (mut middle, mut half) = (middle.clone(), half.clone());
                middle[widest] += side * 0.5 * half[widest];
                // Rounding of the new centre.
                half[widest] = quarter + middle[widest].abs() * f64::EPSILON;
                waiting.push(Block { middle, half });
            }
        }
    }
    Proof::Proved { boxes }
}
