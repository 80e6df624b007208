//! What is checked: pairs of bodies, of two links of the robot unless the allowed-collision matrix leaves them out, and
//! of the robot and the objects of the world. Objects stand still in the frame of the root, so to this code they are
//! bodies of its segment.

use super::{CheckOptions, Checker};
use crate::error::Error;
use crate::frame::Frame;
use crate::geometry::Solid;
use crate::groups::Groups;
use crate::limits::LOOKS_PER_PAIR;
use crate::robot::{Body, Robot};

/// Two things that are checked against each other.
///
/// ```
/// # use clearance_robot::*;
/// # let part = |name| format!(
/// #     "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
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
    pub(super) bodies: [u32; 2],
    /// No ball about one comes within this of a ball about the other unless they may meet.
    pub(super) reach: f64,
    /// Whether one is a mesh, so that its hull may settle what is asked.
    pub(super) by_hulls: bool,
    /// Whether both are meshes that are mostly apart where their hulls meet, so that hulls of their pieces may settle
    /// it.
    pub(super) by_pieces: bool,
}

impl Pair {
    /// The numbers of its bodies among those of [`Checker::placed_bodies`].
    pub fn bodies(&self) -> [usize; 2] {
        self.bodies.map(|body| body as usize)
    }
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
    pub(super) fn takes(self, pair: &Pair) -> bool {
        match self {
            Against::Itself => !pair.with_world,
            Against::World => pair.with_world,
            Against::All => true,
        }
    }
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

impl Checker {
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
        checker.order_pairs();
        checker.build_object_tree(moving);
        checker.groups = Groups::new(&checker.robot, &checker.bodies, &checker.pairs, |pair| pair.bodies);
        Ok(checker)
    }
}
