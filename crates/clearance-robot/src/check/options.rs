//! What a checker is made of: what stands about the robot, what it carries, what may touch, how thick links are.

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
    /// What it is.
    pub shape: Shape,
    /// Where it is in the frame of the robot's root link.
    pub pose: Pose,
}

/// An object that a link carries: it moves with the link, and may touch it, what else the link carries, and some
/// others.
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
    /// Every link is thickened by this all round: in pairs of links both are, in pairs with the world the link is. What
    /// a link carries is thickened as the link is.
    pub padding: f64,
    /// Links that are thickened by something else.
    pub link_padding: Vec<(String, f64)>,
    /// The most pairs of bodies that are checked; more are [`Error::TooManyPairs`](crate::Error::TooManyPairs). One
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
