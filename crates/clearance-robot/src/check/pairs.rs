//! What is checked: pairs of bodies, of two links unless the allowed-collision matrix excludes them, and of the robot
//! and the objects of the world. Objects are fixed in the root frame, so they are treated as bodies of its segment.

use super::{CheckOptions, Checker};
use crate::error::Error;
use crate::frame::Frame;
use crate::geometry::Solid;
use crate::groups::Groups;
use crate::limits::LOOKS_PER_PAIR;
use crate::robot::{Body, Robot};

/// Two bodies that are checked against each other.
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
    /// Owner of the first body, for [`Checker::name`]: links by index, then attached objects, then world objects.
    pub a: usize,
    /// Owner of the second body.
    pub b: usize,
    /// The distance below which they count as meeting: the sum of their paddings.
    pub padding: f64,
    /// Whether the second is a world object.
    pub with_world: bool,
    /// Whether they can move relative to each other.
    pub moves: bool,
    pub(super) bodies: [u32; 2],
    /// If the centres of the bounding spheres are farther apart than this, the bodies do not meet.
    pub(super) reach: f64,
    /// Whether one of them is a mesh, whose hull may decide the query.
    pub(super) by_hulls: bool,
    /// Whether both are meshes that are mostly apart where their hulls meet, so that the hulls of their pieces may
    /// decide.
    pub(super) by_pieces: bool,
}

impl Pair {
    /// Indices of its bodies in [`Checker::placed_bodies`].
    pub fn bodies(&self) -> [usize; 2] {
        self.bodies.map(|body| body as usize)
    }
}

/// Which pairs a query covers.
///
/// ```
/// assert_ne!(clearance_robot::Against::Itself, clearance_robot::Against::World);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Pairs of links and of attached objects.
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

/// Checks that there are not too many pairs before memory is allocated for them: each of the first bodies with all
/// that follow it.
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
    /// Determines which pairs are checked, and in which order.
    ///
    /// # Errors
    /// [`Error::UnknownLink`] in options, [`Error::BadOption`] for a padding that is negative or not a number,
    /// [`Error::TooManyPairs`].
    pub fn new(robot: Robot, options: CheckOptions) -> Result<Checker, Error> {
        let links = robot.description().links.len();
        let mut names: Vec<String> = robot.description().links.iter().map(|link| link.name.clone()).collect();
        let mut paddings = vec![options.padding; links];
        for (name, padding) in &options.link_padding {
            paddings[robot.link(name, "padding")?] = *padding;
        }
        if let Some(wrong) = paddings.iter().find(|padding| !(**padding >= 0.0 && padding.is_finite())) {
            return Err(Error::BadOption { problem: format!("padding must be 0 or more, got {wrong}") });
        }
        let mut bodies = robot.bodies.clone();
        let mut allowed = options.allowed;
        let mut carriers = Vec::new();
        for attached in options.attached {
            let at = format!("attached object `{}`", attached.name);
            let (link, owner) = (robot.link(&attached.link, &at)?, names.len());
            let solid = Solid::new(attached.shape);
            if !solid.ball.radius.is_finite() {
                return Err(Error::BadOption { problem: format!("{at}: unbounded shapes cannot be attached") });
            }
            allowed.insert(link, owner);
            for touched in &attached.touch_links {
                allowed.insert(robot.link(touched, &at)?, owner);
            }
            let (segment, frame) = robot.places[link];
            let frame = frame.then(&Frame::of(&attached.pose));
            frame.pose().map_err(|problem| Error::Body { name: attached.name.clone(), problem })?;
            bodies.push(Body::new(owner, segment, frame, solid));
            // Objects attached to the same link may touch.
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
                // Far above the rounding of centres and distances, as in the engine's own sphere test.
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
