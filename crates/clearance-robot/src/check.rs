//! Configurations against themselves and against a world: does anything meet, what, how far apart is everything.
//!
//! What is checked are pairs of bodies: of two links of the robot unless the allowed-collision matrix leaves them out, and of
//! the robot and the objects of the world. Objects stand still in the frame of the root, so to this code they are bodies of its segment.
//!
//! Cheapest first. Pairs of one segment never move against each other: they are asked about once, when the checker is made. The others
//! are tried by the balls about them, in the order of how often they meet in a sample of configurations for what they cost to ask (drawn from a
//! fixed seed, so that the order is always the same); objects of large worlds by a tree over them, in the same order. Only where the balls meet is a pose formed, and the engine asked with the pair's own cache about
//! the geometry itself.

use std::sync::OnceLock;

use clearance::glam::DVec3;
use clearance::{
    Contacts, ContactsOptions, Distance, DistanceOptions, IntersectsOptions, PairCache, Pose, Shape, Workspace,
    contacts_with, distance_with, intersects_with, parallel,
};

use crate::allowed::Allowed;
use crate::error::Error;
use crate::frame::Frame;
use crate::geometry::Solid;
use crate::groups::Groups;
use crate::hull_tree::{Side, Waiting, distance_by_hulls, hulls_are_apart, inner_balls_meet, pieces_are_apart};
use crate::limits::{LOOKS_PER_PAIR, MOST_PAIRS, MOST_TRIES};
use crate::motion_bound::Chains;
use crate::object_tree::ObjectTree;
use crate::pair_caches::{PairCaches, Remembered};
use crate::random::Random;
use crate::robot::{Ball, Body, Robot};

/// How many configurations decide the order in which pairs are tried, unless there are very many pairs.
const TRIALS: u64 = 256;

/// Worlds of fewer objects are tried ball by ball.
const MANY: usize = 64;

/// An object of the world.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3};
/// let table = clearance_robot::Object {
///     name: "table".into(),
///     shape: Shape::cuboid(DVec3::new(0.5, 0.5, 0.02)).unwrap(),
///     pose: Pose::from_translation(DVec3::new(0.6, 0.0, 0.0)).unwrap(),
/// };
/// assert_eq!(table.name, "table");
/// ```
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// What it is.
    pub shape: Shape,
    /// Where it is in the frame of the robot's root link.
    pub pose: Pose,
}

/// An object that a link carries: it moves with the link, and may touch it, what else the link carries, and some others.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3};
/// let can = clearance_robot::Attached {
///     name: "can".into(),
///     link: "hand".into(),
///     touch_links: vec!["left_finger".into(), "right_finger".into()],
///     shape: Shape::cylinder(0.07, 0.03).unwrap(),
///     pose: Pose::from_translation(DVec3::new(0.0, 0.0, 0.1)).unwrap(),
/// };
/// assert_eq!(can.link, "hand");
/// ```
#[derive(Clone, Debug)]
pub struct Attached {
    /// Its name.
    pub name: String,
    /// The link that carries it, and that it may touch.
    pub link: String,
    /// Other links that it may touch.
    pub touch_links: Vec<String>,
    /// What it is.
    pub shape: Shape,
    /// Where it is in the frame of the link.
    pub pose: Pose,
}

/// What to check beside the links themselves.
///
/// ```
/// let options = clearance_robot::CheckOptions { padding: 0.01, ..Default::default() };
/// assert!(options.link_padding.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Pairs of links that may meet.
    pub allowed: Allowed,
    /// What stands about the robot.
    pub world: Vec<Object>,
    /// What the robot carries.
    pub attached: Vec<Attached>,
    /// Every link is thickened by this all round: in pairs of links both are, in pairs with the world the link is. What a link carries is
    /// thickened as the link is.
    pub padding: f64,
    /// Links that are thickened by something else.
    pub link_padding: Vec<(String, f64)>,
    /// The most pairs of bodies that are checked; more are [`Error::TooManyPairs`]. One million. A pair takes about 100
    /// bytes, and some 250 more for each thread that finds it near.
    pub max_pairs: usize,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            allowed: Allowed::none(),
            world: Vec::new(),
            attached: Vec::new(),
            padding: 0.0,
            link_padding: Vec::new(),
            max_pairs: MOST_PAIRS,
        }
    }
}

/// Two things that are checked against each other.
///
/// ```
/// # use clearance_robot::*;
/// # let part = |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
/// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
/// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
/// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
/// let checker = Checker::new(robot, CheckOptions::default()).unwrap();
/// let pair = &checker.pairs()[0];
/// assert_eq!((checker.name(pair.a), checker.name(pair.b), pair.with_world), ("a", "b", false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// What the first is, for [`Checker::name`]: a link by its number, then what is attached, then objects.
    pub a: usize,
    /// What the second is.
    pub b: usize,
    /// How near they may come: the sum of their paddings.
    pub padding: f64,
    /// Whether the second is an object of the world.
    pub with_world: bool,
    /// Whether they can move against each other at all.
    pub moves: bool,
    bodies: [u32; 2],
    /// No ball about one comes within this of a ball about the other unless they may meet.
    reach: f64,
    /// Whether one is a mesh, so that its hull may settle what is asked.
    by_hulls: bool,
    /// Whether both are meshes that are mostly apart where their hulls meet, so that hulls of their pieces may settle it.
    by_pieces: bool,
}

impl Pair {
    /// The numbers of its bodies among those of [`Checker::placed_bodies`].
    pub fn bodies(&self) -> [usize; 2] {
        self.bodies.map(|body| body as usize)
    }
}

/// A body, and where it is in a configuration: see [`Checker::placed_bodies`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedBody<'c> {
    /// What it belongs to, for [`Checker::name`].
    pub owner: usize,
    /// The body.
    pub shape: &'c Shape,
    /// Where it is, in the frame of the root link.
    pub pose: Pose,
}

/// A pair that never moves.
#[derive(Debug)]
struct Still {
    meets: bool,
    distance: OnceLock<Box<Distance>>,
}

/// What told whether a pair meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Balls,
    Hulls,
    InnerBalls,
    Pieces,
    Triangles,
}

impl Step {
    /// About how long it takes, in that of two balls.
    fn cost(self) -> u64 {
        match self {
            Step::Balls => 1,
            Step::Hulls => 40,
            Step::InnerBalls => 80,
            Step::Pieces => 400,
            Step::Triangles => 1000,
        }
    }
}

/// What samples say of a pair.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    cost: u64,
    hits: u64,
    /// Meshes that are apart, which only their triangles told.
    misses: u64,
}

/// A robot, what it may touch, and what stands about it: ready to be asked about configurations, by many threads at once.
///
/// ```
/// use clearance_robot::{CheckOptions, Checker, LoadOptions, Robot};
/// let part = |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
/// let text = format!(
///     "<robot name='r'>{}{}<joint name='slide' type='prismatic'><parent link='a'/><child link='b'/>
///      <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
/// let checker = Checker::new(robot, CheckOptions::default()).unwrap();
/// let mut state = checker.state();
/// assert_eq!(checker.first_hit(&mut state, &[1.5]).unwrap(), Some(0));
/// assert_eq!(checker.first_hit(&mut state, &[2.5]).unwrap(), None);
/// let distances = checker.distances(&mut state, &[5.0]).unwrap();
/// assert_eq!(distances[0].value, 3.0);
/// ```
#[derive(Debug)]
pub struct Checker {
    robot: Robot,
    /// Of links, then of what is attached, then of objects.
    names: Vec<String>,
    bodies: Vec<Body>,
    pairs: Vec<Pair>,
    /// Pairs of one segment, by their place in `pairs`; `None` for pairs that move.
    still: Vec<Option<Box<Still>>>,
    /// Pairs of one segment that meet: in every configuration.
    always: Vec<usize>,
    /// Pairs that move, those that meet most often first.
    order: Vec<u32>,
    /// A tree over the objects, if they are many.
    objects: Option<Objects>,
    /// What moves the bodies of a pair against each other; `None` for pairs of one segment.
    pub(crate) chains: Vec<Option<Chains>>,
    /// Bodies in groups, for motions.
    pub(crate) groups: Groups,
}

/// That there are not too many pairs, before memory is taken for them: each of the first bodies with all that follow
/// it.
fn check_count(
    bodies: &[Body],
    moving: usize,
    most: usize,
    is_checked: impl Fn(&Body, &Body) -> bool,
) -> Result<(), Error> {
    let (first, all) = (moving as u64, bodies.len() as u64);
    let looks = first.saturating_mul(all).saturating_sub(first.saturating_mul(first + 1) / 2);
    let too_many = |pairs: u64| Err(Error::TooManyPairs { bodies: bodies.len(), pairs, most });
    if looks <= most as u64 {
        return Ok(());
    }
    if looks > (most as u64).saturating_mul(LOOKS_PER_PAIR) {
        return too_many(looks);
    }
    let followers = |a: usize| bodies[a + 1..].iter().filter(|other| is_checked(&bodies[a], other)).count() as u64;
    match (0..moving).map(followers).sum() {
        pairs if pairs > most as u64 => too_many(pairs),
        _ => Ok(()),
    }
}

/// The objects of a world in a tree.
#[derive(Debug)]
struct Objects {
    tree: ObjectTree,
    /// For each body that moves against them: it, how far it reaches from the middle of its ball, and of each object the place in `order` of the
    /// pair that both are, [`NO_PAIR`] for objects that it may meet.
    bodies: Vec<(u32, f64, Vec<u32>)>,
    /// The places in `order` of the other pairs.
    others: Vec<u32>,
}

const NO_PAIR: u32 = u32::MAX;

/// What a thread needs to ask: memory that is used again, and what pairs remember of their last answer.
///
/// ```
/// # use clearance_robot::*;
/// # let text = r#"<robot name="r"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
/// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
/// let checker = Checker::new(robot, CheckOptions::default()).unwrap();
/// let mut state = checker.state();
/// assert_eq!(checker.first_hit(&mut state, &[]).unwrap(), None);
/// ```
#[derive(Clone, Debug)]
pub struct State {
    frames: Vec<Frame>,
    centres: Vec<DVec3>,
    /// Formed when a query needs them.
    poses: Vec<Option<Pose>>,
    caches: PairCaches,
    waiting: Vec<Waiting>,
    /// Pairs of pieces whose hulls meet.
    pieces: Vec<[usize; 2]>,
    workspace: Workspace,
    /// Bounds of distances and pairs, for the nearest of them.
    bounds: Vec<(f64, u32)>,
    /// Pairs that may be near, by their places in the order of the checker.
    near: Vec<u32>,
}

/// What is known of the gap of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    /// Proved, less the padding.
    pub lower: f64,
    /// Proved; infinite where only a lower bound was wanted.
    pub upper: f64,
    /// Whether they meet, padding included.
    pub meets: bool,
}

/// The nearest of many pairs, with bounds on the least distance of all.
///
/// ```
/// # use clearance_robot::*;
/// # let part = |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
/// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
/// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
/// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
/// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
/// let nearest = checker.nearest(&mut checker.state(), &[4.0], Against::All).unwrap().unwrap();
/// assert!(nearest.lower <= 2.0 && 2.0 <= nearest.upper);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The pair, by its place in [`Checker::pairs`].
    pub pair: usize,
    /// Its distance, less the padding; negative where only the padding meets.
    pub value: f64,
    /// Proved: no pair is nearer than this.
    pub lower: f64,
    /// Proved: some pair is no farther than this.
    pub upper: f64,
    /// The answer for the pair, without padding.
    pub distance: Distance,
}

/// Which pairs are asked about.
///
/// ```
/// assert_ne!(clearance_robot::Against::Itself, clearance_robot::Against::World);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Pairs of links and of what they carry.
    Itself,
    /// Pairs with objects of the world.
    World,
    /// Both.
    All,
}

impl Against {
    fn takes(self, pair: &Pair) -> bool {
        match self {
            Against::Itself => !pair.with_world,
            Against::World => pair.with_world,
            Against::All => true,
        }
    }
}

impl Checker {
    /// How many configurations of a batch are one piece of work, with a memory of its own. The same whatever the number of threads, so
    /// that caches, and with them the last digits of answers, are too; and a batch that is cut at a multiple of it gives the same bits.
    ///
    /// ```
    /// assert_eq!(clearance_robot::Checker::PIECE, 64);
    /// ```
    pub const PIECE: usize = 64;

    /// Sorts out which pairs are checked, and in which order.
    ///
    /// # Errors
    /// [`Error::UnknownLink`] in options, [`Error::BadOption`] for a padding that is negative or no number,
    /// [`Error::TooManyPairs`].
    pub fn new(robot: Robot, options: CheckOptions) -> Result<Checker, Error> {
        let links = robot.description().links.len();
        let mut names: Vec<String> = robot.description().links.iter().map(|link| link.name.clone()).collect();
        let mut paddings = vec![options.padding; links];
        for (name, padding) in &options.link_padding {
            paddings[robot.link(name, "padding")?] = *padding;
        }
        if let Some(wrong) = paddings.iter().find(|padding| !(**padding >= 0.0 && padding.is_finite())) {
            return Err(Error::BadOption { problem: format!("a padding of {wrong}: 0 or more is meant") });
        }
        let mut bodies = robot.bodies.clone();
        let mut allowed = options.allowed;
        let mut carriers = Vec::new();
        for attached in options.attached {
            let at = format!("attached object `{}`", attached.name);
            let (link, owner) = (robot.link(&attached.link, &at)?, names.len());
            let solid = Solid::new(attached.shape);
            if !solid.ball.radius.is_finite() {
                return Err(Error::BadOption { problem: format!("{at}: it has no bounds, so nothing can carry it") });
            }
            allowed.insert(link, owner);
            for touched in &attached.touch_links {
                allowed.insert(robot.link(touched, &at)?, owner);
            }
            let (segment, frame) = robot.places[link];
            let frame = frame.then(&Frame::of(&attached.pose));
            frame.pose().map_err(|problem| Error::Body { name: attached.name.clone(), problem })?;
            bodies.push(Body::new(owner, segment, frame, solid));
            // Things in one hand may touch.
            (links..)
                .zip(&carriers)
                .filter(|(_, carrier)| **carrier == link)
                .for_each(|(it, _)| allowed.insert(it, owner));
            carriers.push(link);
            paddings.push(paddings[link]);
            names.push(attached.name);
        }
        let first_object = names.len();
        let moving = bodies.len();
        for object in options.world {
            bodies.push(Body::new(names.len(), 0, Frame::of(&object.pose), Solid::new(object.shape)));
            paddings.push(0.0);
            names.push(object.name);
        }
        let is_checked = |one: &Body, other: &Body| one.link != other.link && !allowed.contains(one.link, other.link);
        check_count(&bodies, moving, options.max_pairs, is_checked)?;
        let mut pairs = Vec::new();
        for a in 0..moving {
            for b in a + 1..bodies.len() {
                let (one, other) = (&bodies[a], &bodies[b]);
                if !is_checked(one, other) {
                    continue;
                }
                let padding = paddings[one.link] + paddings[other.link];
                let (with_world, moves) = (other.link >= first_object, one.segment != other.segment);
                // Far above what rounding of centres and distances can do, as the engine's own test of balls.
                let reach = (one.ball.radius + other.ball.radius + padding) * (1.0 + 1e-9);
                let by_hulls = one.hulls.is_some() || other.hulls.is_some();
                let bodies = [a as u32, b as u32];
                let (a, b, by_pieces) = (one.link, other.link, false);
                pairs.push(Pair { a, b, padding, with_world, moves, bodies, reach, by_hulls, by_pieces });
            }
        }
        let mut checker = Checker {
            robot,
            names,
            bodies,
            pairs,
            still: Vec::new(),
            always: Vec::new(),
            order: Vec::new(),
            objects: None,
            chains: Vec::new(),
            groups: Groups::default(),
        };
        checker.sort_out();
        checker.plant(moving);
        checker.groups = Groups::new(&checker.robot, &checker.bodies, &checker.pairs, |pair| pair.bodies);
        Ok(checker)
    }

    /// Answers the pairs of one segment, and puts the others in order.
    fn sort_out(&mut self) {
        let mut state = self.state();
        let q = self.robot.middle();
        self.place(&mut state, &q);
        for number in 0..self.pairs.len() {
            let [a, b] = self.pairs[number].bodies.map(|body| self.bodies[body as usize].segment);
            let still =
                (a == b).then(|| Box::new(Still { meets: self.meets(&mut state, number), distance: OnceLock::new() }));
            if still.as_ref().is_some_and(|still| still.meets) {
                self.always.push(number);
            }
            self.still.push(still);
            let [a, b] = self.bodies_of(number);
            self.chains.push((a.segment != b.segment).then(|| Chains::new(&self.robot, a, b)));
        }
        self.order = (0..self.pairs.len() as u32).filter(|&pair| self.still[pair as usize].is_none()).collect();
        let mut random = Random::new(0);
        let mut seen = vec![Seen::default(); self.pairs.len()];
        let mut q = Vec::new();
        for _ in 0..TRIALS.min(MOST_TRIES / (self.order.len() as u64).max(1)) {
            random.configuration(self.robot.variables(), &mut q);
            if self.robot.check_configuration(&q).is_ok() {
                self.place(&mut state, &q);
                for &pair in &self.order {
                    let (step, meets) = self.settle(&mut state, pair as usize);
                    let seen = &mut seen[pair as usize];
                    seen.cost += step.cost();
                    seen.hits += u64::from(meets);
                    seen.misses += u64::from(step == Step::Triangles && !meets);
                }
            }
        }
        for (pair, seen) in self.pairs.iter_mut().zip(&mut seen) {
            let is_mesh = |body: u32| self.bodies[body as usize].hulls.is_some();
            pair.by_pieces = seen.misses > seen.hits && pair.bodies.map(is_mesh) == [true, true];
            if pair.by_pieces {
                seen.cost -= seen.misses * (Step::Triangles.cost() - Step::Pieces.cost());
            }
        }
        // The most hits for what they cost; both numbers are small.
        self.order.sort_by(|&x, &y| {
            let (one, other) = (&seen[x as usize], &seen[y as usize]);
            (other.hits * one.cost).cmp(&(one.hits * other.cost)).then(x.cmp(&y))
        });
    }

    /// Makes the tree over objects, which are the bodies from a number on.
    fn plant(&mut self, first: usize) {
        let count = self.bodies.len() - first;
        if count < MANY {
            return;
        }
        let balls: Vec<Ball> = self.bodies[first..].iter().map(|body| body.ball).collect();
        let mut places = vec![Vec::new(); first];
        let mut reach = vec![0.0_f64; first];
        let mut others = Vec::new();
        for (place, &number) in self.order.iter().enumerate() {
            let pair = &self.pairs[number as usize];
            let [a, b] = pair.bodies.map(|body| body as usize);
            if b < first {
                others.push(place as u32);
                continue;
            }
            places[a].resize(count, NO_PAIR);
            places[a][b - first] = place as u32;
            reach[a] = reach[a].max(self.bodies[a].ball.radius + pair.padding);
        }
        let bodies = places.into_iter().zip(reach).enumerate().filter(|(_, (places, _))| !places.is_empty());
        let bodies = bodies.map(|(body, (places, reach))| (body as u32, reach, places)).collect();
        self.objects = Some(Objects { tree: ObjectTree::new(&balls), bodies, others });
    }

    /// Pairs that move and may meet in the configuration that is placed, by their places in the order they are tried in; `None` if that is
    /// all of them.
    fn near(&self, state: &mut State) -> Option<Vec<u32>> {
        let objects = self.objects.as_ref()?;
        let mut near = std::mem::take(&mut state.near);
        near.clear();
        near.extend(&objects.others);
        for (body, reach, places) in &objects.bodies {
            let centre = state.centres[*body as usize];
            let is_pair = |object: u32| Some(places[object as usize]).filter(|&place| place != NO_PAIR);
            objects.tree.each_near(centre, *reach, |object| near.extend(is_pair(object)));
        }
        near.sort_unstable();
        Some(near)
    }

    /// The robot.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let text = r#"<robot name="r"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// assert_eq!(checker.robot().description().name, "r");
    /// ```
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// What is checked against what. A link with several geometries has a pair for each.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The name of a link, of what is attached, or of an object.
    pub fn name(&self, owner: usize) -> &str {
        &self.names[owner]
    }

    /// Pairs that never move against each other and meet: in every configuration. Allow them, or nothing will ever be free.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let text = r#"<robot name="r"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// assert!(checker.always().is_empty());
    /// ```
    pub fn always(&self) -> &[usize] {
        &self.always
    }

    /// Memory to ask with: one for each thread.
    pub fn state(&self) -> State {
        State {
            frames: Vec::new(),
            centres: Vec::new(),
            poses: Vec::new(),
            caches: PairCaches::new(self.pairs.len()),
            waiting: Vec::new(),
            pieces: Vec::new(),
            workspace: Workspace::default(),
            bounds: Vec::new(),
            near: Vec::new(),
        }
    }

    /// Forward kinematics for a configuration that was checked.
    pub(crate) fn place(&self, state: &mut State, q: &[f64]) {
        self.robot.forward(q, &mut state.frames);
        state.centres.clear();
        let frames = &state.frames;
        state.centres.extend(self.bodies.iter().map(|body| frames[body.segment].point(body.ball.centre)));
        state.poses.clear();
        state.poses.resize(self.bodies.len(), None);
    }

    /// The gap between the balls about two bodies, less their padding, rounded down.
    #[inline]
    pub(crate) fn ball_gap(&self, state: &State, pair: &Pair) -> f64 {
        let [a, b] = pair.bodies.map(|body| state.centres[body as usize]);
        let apart = a.distance(b);
        apart - pair.reach - 1e-12 * (a.abs() + b.abs()).element_sum()
    }

    /// Whether a pair meets, its padding included.
    pub(crate) fn meets(&self, state: &mut State, number: usize) -> bool {
        self.settle(state, number).1
    }

    /// Whether a pair meets, its padding included, and what told.
    #[inline]
    fn settle(&self, state: &mut State, number: usize) -> (Step, bool) {
        let pair = &self.pairs[number];
        if self.ball_gap(state, pair) > 0.0 {
            return (Step::Balls, false);
        }
        let [a, b] = pair.bodies.map(|body| body as usize);
        let (Some(pose_a), Some(pose_b)) = (self.pose(state, a), self.pose(state, b)) else {
            return (Step::Balls, true);
        };
        if pair.by_hulls {
            // So far that no rounding, and no other choice of frame, could make them meet.
            let margin = pair.padding + 1e-9 * pair.reach;
            let (side_a, side_b) = (self.side(a, &pose_a), self.side(b, &pose_b));
            let cache = &mut state.caches.of(number).hulls;
            if hulls_are_apart(&side_a, &side_b, margin, cache, &mut state.workspace) {
                return (Step::Hulls, false);
            }
            if inner_balls_meet(&side_a, &side_b) {
                return (Step::InnerBalls, true);
            }
            if pair.by_pieces && pieces_are_apart(&side_a, &side_b, margin, &mut state.pieces, &mut state.workspace) {
                return (Step::Pieces, false);
            }
        }
        let options = IntersectsOptions { margin: pair.padding, ..IntersectsOptions::default() };
        let (shape_a, shape_b) = (&self.bodies[a].shape, &self.bodies[b].shape);
        let cache = &mut state.caches.of(number).bodies;
        let meets = intersects_with(shape_a, &pose_a, shape_b, &pose_b, &options, cache, &mut state.workspace);
        (Step::Triangles, meets)
    }

    fn side<'b>(&'b self, body: usize, pose: &'b Pose) -> Side<'b> {
        let Body { shape, hulls, ball, .. } = &self.bodies[body];
        Side { shape, tree: hulls.as_deref(), pose, radius: ball.radius }
    }

    /// Where a body is. `None` if that is no pose: chains whose rounding adds up to more than the engine takes do not exist,
    /// but if one did, its pairs would count as meeting and not as free.
    fn pose(&self, state: &mut State, body: usize) -> Option<Pose> {
        if state.poses[body].is_none() {
            let frame = &self.bodies[body].frame;
            state.poses[body] = state.frames[self.bodies[body].segment].then(frame).pose().ok();
        }
        state.poses[body]
    }

    /// The first pair found to meet, padding included, by its place in [`Checker::pairs`]; `None` if the configuration is free.
    /// Which of several it is depends on nothing but the checker.
    ///
    /// # Errors
    /// As [`Robot::check_configuration`].
    pub fn first_hit(&self, state: &mut State, q: &[f64]) -> Result<Option<usize>, Error> {
        self.robot.check_configuration(q)?;
        if let Some(&always) = self.always.first() {
            return Ok(Some(always));
        }
        self.place(state, q);
        let Some(near) = self.near(state) else {
            return Ok(self.order.iter().map(|&pair| pair as usize).find(|&pair| self.meets(state, pair)));
        };
        let mut tried = near.iter().map(|&place| self.order[place as usize] as usize);
        let found = tried.find(|&pair| self.meets(state, pair));
        state.near = near;
        Ok(found)
    }

    /// All pairs that meet, padding included, by their places in [`Checker::pairs`], in order.
    ///
    /// # Errors
    /// As [`Robot::check_configuration`].
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let text = r#"<robot name="r"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// assert!(checker.hits(&mut checker.state(), &[]).unwrap().is_empty());
    /// ```
    pub fn hits(&self, state: &mut State, q: &[f64]) -> Result<Vec<usize>, Error> {
        self.robot.check_configuration(q)?;
        self.place(state, q);
        if let Some(near) = self.near(state) {
            let mut hits = self.always.clone();
            let tried = near.iter().map(|&place| self.order[place as usize] as usize);
            hits.extend(tried.filter(|&pair| self.meets(state, pair)));
            hits.sort_unstable();
            state.near = near;
            return Ok(hits);
        }
        let hit = |pair: &usize| match &self.still[*pair] {
            Some(still) => still.meets,
            None => self.meets(state, *pair),
        };
        Ok((0..self.pairs.len()).filter(hit).collect())
    }

    /// The distance of every pair, in the order of [`Checker::pairs`], without padding. Features number the points of a mesh after
    /// those of equal coordinates are joined. Pairs that never move are measured once, in the frame of the link that carries both, where that is
    /// accurate enough: their `placement` says by how much it may differ from poses in the world.
    ///
    /// # Errors
    /// As [`Robot::check_configuration`]; [`Error::Body`] if a body leaves the engine's range.
    pub fn distances(&self, state: &mut State, q: &[f64]) -> Result<Vec<Distance>, Error> {
        self.robot.check_configuration(q)?;
        self.place(state, q);
        (0..self.pairs.len()).map(|pair| self.distance(state, pair, &DistanceOptions::default())).collect()
    }

    /// The distance of one pair in the configuration that is placed.
    pub(crate) fn distance(
        &self,
        state: &mut State,
        number: usize,
        options: &DistanceOptions,
    ) -> Result<Distance, Error> {
        if let Some(still) = &self.still[number]
            && let Some(known) = self.distance_within_segment(state, number, still)?
        {
            return Ok(known);
        }
        let (poses, shapes) = self.placed(state, number)?;
        let [a, b] = self.pairs[number].bodies;
        let (a, b) = (self.side(a as usize, &poses[0]), self.side(b as usize, &poses[1]));
        let State { caches, workspace, waiting, .. } = state;
        let Remembered { bodies, hulls } = caches.of(number);
        let by_hulls = distance_by_hulls(&a, &b, options, hulls, workspace, waiting);
        let by_triangles = || distance_with(shapes[0], a.pose, shapes[1], b.pose, options, bodies, workspace);
        Ok(by_hulls.unwrap_or_else(by_triangles))
    }

    /// The distance of two bodies of one segment, measured once in its frame.
    ///
    /// The poses of the bodies in the world are products that are rounded: entries of the matrices to `4u`, translations to `4u` of what
    /// they are made of, the frame's own rounding no more. A point of either body is off by at most `16u` of its distance from
    /// the origin along that way, which is twice as much for two. `None` where that is more than an answer may be off for the size of the
    /// bodies: far from the root poses in the world are rounded more coarsely than the bodies are placed against each other.
    fn distance_within_segment(
        &self,
        state: &mut State,
        number: usize,
        still: &Still,
    ) -> Result<Option<Distance>, Error> {
        let [a, b] = self.pairs[number].bodies.map(|body| &self.bodies[body as usize]);
        let pose = |body: &Body| {
            body.frame.pose().map_err(|problem| Error::Body { name: self.names[body.link].clone(), problem })
        };
        let (pose_a, pose_b) = (pose(a)?, pose(b)?);
        let mut answer = **still.distance.get_or_init(|| {
            let (options, mut cache) = (DistanceOptions::default(), PairCache::default());
            let workspace = &mut state.workspace;
            Box::new(distance_with(&a.shape, &pose_a, &b.shape, &pose_b, &options, &mut cache, workspace))
        });
        let frame = &state.frames[a.segment];
        if *frame != Frame::IDENTITY {
            let reach = |body: &Body| body.ball.centre.length() + body.frame.translation.length() + body.ball.radius;
            let off = 16.0 * f64::EPSILON * (frame.translation.length() + reach(a) + reach(b));
            // `verify` takes a placement of 64u of the size; a part of that is the answer's own.
            let size = a.shape.diameter() + b.shape.diameter();
            if answer.placement + off > 24.0 * f64::EPSILON * size {
                return Ok(None);
            }
            answer.lower = (answer.lower - off).max(0.0);
            answer.upper += off;
            answer.placement += off;
            answer.normal = answer.normal.map(|normal| (frame.rotation * normal).normalize());
        }
        Ok(Some(answer))
    }

    /// The bodies of a pair.
    pub(crate) fn bodies_of(&self, number: usize) -> [&Body; 2] {
        self.pairs[number].bodies.map(|body| &self.bodies[body as usize])
    }

    /// All bodies.
    pub(crate) fn all_bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The frames of the segments in the configuration that is placed.
    pub(crate) fn frames<'s>(&self, state: &'s State) -> &'s [Frame] {
        &state.frames
    }

    /// Where the bodies of a pair are.
    pub(crate) fn poses_of(&self, state: &mut State, number: usize) -> Result<[Pose; 2], Error> {
        Ok(self.placed(state, number)?.0)
    }

    /// A lower bound of the gap of a pair, less its padding: by the cheapest means that show it to be more than `wanted`, else the
    /// gap itself.
    pub(crate) fn gap_beyond(&self, state: &mut State, number: usize, wanted: f64) -> Result<Gap, Error> {
        let padding = self.pairs[number].padding;
        let by_balls = self.ball_gap(state, &self.pairs[number]);
        if by_balls > wanted {
            return Ok(Gap { lower: by_balls, upper: f64::INFINITY, meets: false });
        }
        let pair = &self.pairs[number];
        // Far above what rounding of the margin can do.
        let beyond = wanted + 1e-9 * pair.reach.min(f64::MAX) + 1e-9 * wanted;
        if pair.by_hulls && self.still[number].is_none() && beyond.is_finite() {
            let ([pose_a, pose_b], _) = self.placed(state, number)?;
            let [a, b] = pair.bodies.map(|body| body as usize);
            let (a, b) = (self.side(a, &pose_a), self.side(b, &pose_b));
            let margin = (padding + beyond + 1e-9 * (pair.reach + wanted)).max(0.0);
            let cache = &mut state.caches.of(number).hulls;
            if hulls_are_apart(&a, &b, margin, cache, &mut state.workspace) {
                return Ok(Gap { lower: beyond, upper: f64::INFINITY, meets: false });
            }
        }
        let farther_than = Some((wanted + padding).max(0.0));
        let distance = self.distance(state, number, &DistanceOptions { farther_than, ..DistanceOptions::default() })?;
        Ok(Gap {
            lower: (distance.lower - padding).next_down(),
            upper: (distance.upper - padding).next_up(),
            meets: distance.value <= padding,
        })
    }

    /// Both bodies of a pair and where they are.
    fn placed(&self, state: &mut State, number: usize) -> Result<([Pose; 2], [&Shape; 2]), Error> {
        let [a, b] = self.pairs[number].bodies();
        let poses = [self.sure_pose(state, a)?, self.sure_pose(state, b)?];
        Ok((poses, [&self.bodies[a].shape, &self.bodies[b].shape]))
    }

    /// Where a body is, or the error that it is nowhere.
    fn sure_pose(&self, state: &mut State, body: usize) -> Result<Pose, Error> {
        self.pose(state, body).ok_or_else(|| {
            let problem = clearance::Error::NotRigid { defect: f64::INFINITY, limit: 1e-6 };
            Error::Body { name: self.names[self.bodies[body].link].clone(), problem }
        })
    }

    /// The nearest pair, padding taken off; `None` where there is no pair to ask about.
    ///
    /// # Errors
    /// As [`Checker::distances`].
    pub fn nearest(&self, state: &mut State, q: &[f64], against: Against) -> Result<Option<Nearest>, Error> {
        self.robot.check_configuration(q)?;
        self.place(state, q);
        let mut bounds = std::mem::take(&mut state.bounds);
        bounds.clear();
        let asked = self.pairs.iter().enumerate().filter(|(_, pair)| against.takes(pair));
        bounds.extend(asked.map(|(number, pair)| (self.ball_gap(state, pair), number as u32)));
        bounds.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        let found = self.nearest_of(state, &bounds);
        state.bounds = bounds;
        found
    }

    /// The nearest of pairs that come with lower bounds, least first: the rest is left out once it is farther.
    fn nearest_of(&self, state: &mut State, bounds: &[(f64, u32)]) -> Result<Option<Nearest>, Error> {
        let mut best: Option<Nearest> = None;
        for &(bound, number) in bounds {
            let number = number as usize;
            let padding = self.pairs[number].padding;
            let mut options = DistanceOptions::default();
            if let Some(best) = &best {
                if bound > best.upper {
                    break;
                }
                options.farther_than = Some((best.upper + padding).max(0.0));
            }
            let distance = self.distance(state, number, &options)?;
            let less = |length: f64| if padding == 0.0 { length } else { length - padding };
            let (lower, upper) = (less(distance.lower), less(distance.upper));
            let (lower, upper) = if padding == 0.0 { (lower, upper) } else { (lower.next_down(), upper.next_up()) };
            let value = less(distance.value);
            best = Some(match best {
                Some(best) if best.value <= value => {
                    Nearest { lower: best.lower.min(lower), upper: best.upper.min(upper), ..best }
                }
                Some(best) => {
                    let (lower, upper) = (best.lower.min(lower), best.upper.min(upper));
                    Nearest { pair: number, value, lower, upper, distance }
                }
                None => Nearest { pair: number, value, lower, upper, distance },
            });
        }
        Ok(best)
    }

    /// The bodies of a pair and where they are in a configuration: what [`verify`](clearance::verify) needs to prove an answer anew.
    ///
    /// # Errors
    /// As [`Checker::distances`].
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// let mut state = checker.state();
    /// let answer = checker.distances(&mut state, &[4.0]).unwrap()[0];
    /// let ([a, b], [pose_a, pose_b]) = checker.bodies(&mut state, &[4.0], 0).unwrap();
    /// clearance::verify(&answer, a, &pose_a, b, &pose_b).unwrap();
    /// ```
    pub fn bodies(&self, state: &mut State, q: &[f64], pair: usize) -> Result<([&Shape; 2], [Pose; 2]), Error> {
        self.robot.check_configuration(q)?;
        self.place(state, q);
        let (poses, shapes) = self.placed(state, pair)?;
        Ok((shapes, poses))
    }

    /// All bodies and where they are in a configuration, in any pair or none: those of links, in their order, then what is attached, then
    /// the objects of the world. [`Pair::bodies`] has the numbers of two of them.
    ///
    /// # Errors
    /// As [`Checker::distances`].
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// let bodies = checker.placed_bodies(&mut checker.state(), &[4.0]).unwrap();
    /// assert_eq!((bodies.len(), checker.name(bodies[1].owner), bodies[1].pose.translation().x), (2, "b", 4.0));
    /// assert_eq!(checker.pairs()[0].bodies(), [0, 1]);
    /// ```
    pub fn placed_bodies(&self, state: &mut State, q: &[f64]) -> Result<Vec<PlacedBody<'_>>, Error> {
        self.robot.check_configuration(q)?;
        self.place(state, q);
        let place = |body: usize| {
            let Body { link, shape, .. } = &self.bodies[body];
            Ok(PlacedBody { owner: *link, shape, pose: self.sure_pose(state, body)? })
        };
        (0..self.bodies.len()).map(place).collect()
    }

    /// Where a pair touches, or its points within a margin of each other.
    ///
    /// # Errors
    /// As [`Checker::distances`].
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// let found = checker.contacts(&mut checker.state(), &[1.5], 0, &Default::default()).unwrap();
    /// assert_eq!(found.points.len(), 1);
    /// ```
    pub fn contacts(
        &self,
        state: &mut State,
        q: &[f64],
        pair: usize,
        options: &ContactsOptions,
    ) -> Result<Contacts, Error> {
        self.robot.check_configuration(q)?;
        self.place(state, q);
        let (poses, shapes) = self.placed(state, pair)?;
        let mut found = Contacts::default();
        let cache = &mut state.caches.of(pair).bodies;
        contacts_with(shapes[0], &poses[0], shapes[1], &poses[1], options, cache, &mut state.workspace, &mut found);
        Ok(found)
    }

    /// [`Checker::first_hit`] for many configurations, on all cores. The answers do not depend on how many those are.
    ///
    /// # Errors
    /// As [`Robot::check_configuration`], for the first configuration that is none.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// assert_eq!(checker.first_hits(&[[1.0], [3.0]]).unwrap(), [Some(0), None]);
    /// ```
    pub fn first_hits<Q: AsRef<[f64]> + Sync>(&self, configurations: &[Q]) -> Result<Vec<Option<usize>>, Error> {
        self.each(configurations, |state, q| self.first_hit(state, q))
    }

    /// [`Checker::nearest`] for many configurations, on all cores.
    ///
    /// # Errors
    /// As [`Checker::distances`], for the first configuration that is none.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// let nearest = checker.nearest_batch(&[[4.0], [5.0]], Against::All).unwrap();
    /// assert_eq!(nearest[1].unwrap().value, 3.0);
    /// ```
    pub fn nearest_batch<Q: AsRef<[f64]> + Sync>(
        &self,
        configurations: &[Q],
        against: Against,
    ) -> Result<Vec<Option<Nearest>>, Error> {
        self.each(configurations, |state, q| self.nearest(state, q, against))
    }

    /// [`Checker::distances`] for many configurations, on all cores.
    ///
    /// # Errors
    /// As [`Checker::distances`], for the first configuration that is none.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// assert_eq!(checker.distances_batch(&[[4.0], [5.0]]).unwrap()[0][0].value, 2.0);
    /// ```
    pub fn distances_batch<Q: AsRef<[f64]> + Sync>(&self, configurations: &[Q]) -> Result<Vec<Vec<Distance>>, Error> {
        self.each(configurations, |state, q| self.distances(state, q))
    }

    /// Asks about all configurations in pieces of the same size, each with a memory of its own.
    fn each<Q: AsRef<[f64]> + Sync, T: Send>(
        &self,
        configurations: &[Q],
        ask: impl Fn(&mut State, &[f64]) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let in_piece = |piece: &[Q]| {
            let mut state = self.state();
            piece.iter().map(|q| ask(&mut state, q.as_ref())).collect::<Result<Vec<T>, Error>>()
        };
        let mut answers = Vec::with_capacity(configurations.len());
        for piece in parallel::map_pieces(configurations, Checker::PIECE, in_piece) {
            answers.extend(piece?);
        }
        Ok(answers)
    }
}
