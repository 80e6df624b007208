//! Checks configurations for self-collision and against a world: which pairs meet, and how far apart all are.
//!
//! [`options`] and [`pairs`] define what is checked, [`order`] what is tested first, [`settle`] how a pair is decided,
//! cheapest test first; [`questions`] are queries about one configuration, [`batch`] about many.

mod batch;
mod options;
mod order;
mod pairs;
mod questions;
mod settle;

use clearance::glam::DVec3;
use clearance::{Pose, Workspace};

use crate::frame::Frame;
use crate::groups::Groups;
use crate::hull_tree::Waiting;
use crate::motion_bound::Chains;
use crate::pair_caches::PairCaches;
use crate::robot::{Body, Robot};
use order::Objects;
use settle::Still;

pub use options::{Attached, CheckOptions, Object};
pub use pairs::{Against, Pair};
pub use questions::{NearestPair, PlacedBody};

/// A robot, its allowed collisions and its surroundings, ready for queries about configurations from any number of
/// threads.
///
/// ```
/// use clearance_robot::{CheckOptions, Checker, LoadOptions, Robot};
/// let part =
///     |name| format!("<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
/// let text = format!(
///     "<robot name='r'>{}{}<joint name='slide' type='prismatic'><parent link='a'/><child link='b'/>
///      <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
/// let checker = Checker::new(robot, CheckOptions::default()).unwrap();
/// let mut state = checker.state();
/// assert_eq!(checker.first_hit(&mut state, &[1.5]).unwrap(), Some(0));
/// assert_eq!(checker.first_hit(&mut state, &[2.5]).unwrap(), None);
/// let distances = checker.distances(&mut state, &[5.0]).unwrap();
/// assert_eq!(distances[0].gap.value, 3.0);
/// ```
#[derive(Debug)]
pub struct Checker {
    robot: Robot,
    /// Names of links, then attached objects, then world objects.
    names: Vec<String>,
    bodies: Vec<Body>,
    pairs: Vec<Pair>,
    /// Pairs within one segment, by index in `pairs`; `None` for pairs that move.
    still: Vec<Option<Box<Still>>>,
    /// Pairs within one segment that meet, and so meet in every configuration.
    always: Vec<usize>,
    /// Pairs that move, in the order they are tested.
    order: Vec<u32>,
    /// A tree over the objects, if there are many.
    objects: Option<Objects>,
    /// The joints that move the bodies of a pair relative to each other; `None` for pairs within one segment.
    pub(crate) chains: Vec<Option<Chains>>,
    /// Bodies in groups, for motions.
    pub(crate) groups: Groups,
}

/// Per-thread working memory of queries: buffers, and a cache for each pair.
///
/// ```
/// # use clearance_robot::*;
/// # let text = r#"<robot name="r">
/// #     <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
/// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
/// let checker = Checker::new(robot, CheckOptions::default()).unwrap();
/// let mut state = checker.state();
/// assert_eq!(checker.first_hit(&mut state, &[]).unwrap(), None);
/// ```
#[derive(Clone, Debug)]
pub struct State {
    frames: Vec<Frame>,
    centres: Vec<DVec3>,
    /// Formed on demand.
    poses: Vec<Option<Pose>>,
    caches: PairCaches,
    waiting: Vec<Waiting>,
    /// Pairs of pieces whose hulls meet.
    pieces: Vec<[usize; 2]>,
    workspace: Workspace,
    /// Lower bounds on distance, with their pairs, for the nearest-pair query.
    bounds: Vec<(f64, u32)>,
    /// Pairs that may be near, by position in the checker's order.
    near: Vec<u32>,
}

impl Checker {
    /// The robot.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let text = r#"<robot name="r">
    /// #     <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// assert_eq!(checker.robot().description().name, "r");
    /// ```
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// The pairs that are checked. A link with several geometries has a pair for each.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The name of a link, an attached object or a world object.
    pub fn name(&self, owner: usize) -> &str {
        &self.names[owner]
    }

    /// Pairs that never move relative to each other and meet, hence in every configuration. Allow them, or no
    /// configuration is free.
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let text = r#"<robot name="r">
    /// #     <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// assert!(checker.always().is_empty());
    /// ```
    pub fn always(&self) -> &[usize] {
        &self.always
    }

    /// New working memory; one per thread.
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

    /// The bodies of a pair.
    pub(crate) fn bodies_of(&self, number: usize) -> [&Body; 2] {
        self.pairs[number].bodies.map(|body| &self.bodies[body as usize])
    }

    /// All bodies.
    pub(crate) fn all_bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The frames of the segments in the placed configuration.
    pub(crate) fn frames<'s>(&self, state: &'s State) -> &'s [Frame] {
        &state.frames
    }
}
