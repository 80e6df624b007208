//! What a checker is built from: surroundings, attached objects, allowed collisions, padding.

use clearance::{Pose, Shape};

use crate::allowed::Allowed;
use crate::limits::MOST_PAIRS;

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
    /// Its shape.
    pub shape: Shape,
    /// Its pose in the frame of the robot's root link.
    pub pose: Pose,
}

/// An object attached to a link: it moves with the link, and may touch it, other objects attached to the same link, and
/// the links in `touch_links`.
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
    /// The link that carries it; contact with it is allowed.
    pub link: String,
    /// Other links that it may touch.
    pub touch_links: Vec<String>,
    /// Its shape.
    pub shape: Shape,
    /// Its pose in the frame of the link.
    pub pose: Pose,
}

/// What is checked besides the links themselves.
///
/// ```
/// let options = clearance_robot::CheckOptions { padding: 0.01, ..Default::default() };
/// assert!(options.link_padding.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Pairs of links that may meet.
    pub allowed: Allowed,
    /// Objects around the robot.
    pub world: Vec<Object>,
    /// Objects attached to links.
    pub attached: Vec<Attached>,
    /// Every link is padded by this on all sides: both links in a pair of links, only the link in a pair with a world
    /// object. Attached objects have the padding of their link.
    pub padding: f64,
    /// Padding of individual links, in place of `padding`.
    pub link_padding: Vec<(String, f64)>,
    /// The most pairs of bodies to check; more are [`Error::TooManyPairs`](crate::Error::TooManyPairs). Default: one
    /// million. A pair takes about 100 bytes, and some 250 more for each thread that finds it near.
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
