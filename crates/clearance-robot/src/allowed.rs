//! Which pairs of links may meet: one by one, and all of whole links but for some.

use std::collections::BTreeSet;

use crate::robot::Robot;
use crate::srdf::Srdf;

/// Pairs of links that may meet.
///
/// ```
/// # use clearance_robot::{Allowed, LoadOptions, Robot, Srdf};
/// # let part = |name| format!(
/// #     "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
/// # let text = format!("<robot name='r'>{}{}
/// #     <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>",
/// #     part("a"), part("b"));
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
/// assert!(Allowed::adjacent(&robot).contains(1, 0));
/// assert!(!Allowed::none().contains(1, 0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// The lower number first.
    pairs: BTreeSet<(usize, usize)>,
    /// Links that may meet every other link.
    whole: BTreeSet<usize>,
    /// Pairs that `whole` does not allow.
    checked: BTreeSet<(usize, usize)>,
    /// The number of links of the robot. Attached and world objects have higher numbers; they are checked against links
    /// of `whole` too.
    links: usize,
}

impl Allowed {
    /// No pair: every two links are checked.
    ///
    /// ```
    /// assert!(!clearance_robot::Allowed::none().contains(0, 1));
    /// ```
    pub fn none() -> Allowed {
        Allowed::default()
    }

    /// The pairs that an SRDF disables: single ones, and all pairs of links that it disables as a whole except those
    /// that it enables again. Such links are still checked against the world. Links that the robot does not have are
    /// ignored; [`Srdf::warnings`] lists them.
    ///
    /// ```
    /// # use clearance_robot::{Allowed, LoadOptions, Robot, Srdf};
    /// # let text = r#"<robot name="r"><link name="a"><collision><geometry><sphere radius="1"/></geometry></collision>
    /// #     </link><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// let text = r#"<robot name="r"><disable_collisions link1="a" link2="b" reason="Never"/></robot>"#;
    /// let allowed = Allowed::from_srdf(&robot, &Srdf::parse("r.srdf", text).unwrap());
    /// assert!(allowed.contains(0, 1));
    /// ```
    pub fn from_srdf(robot: &Robot, srdf: &Srdf) -> Allowed {
        let link = |name: &String| robot.link(name, "").ok();
        let both = |[one, other]: &[String; 2]| Some((link(one)?, link(other)?));
        let mut allowed = Allowed { links: robot.description().links.len(), ..Allowed::none() };
        allowed.whole.extend(srdf.disabled_links.iter().filter_map(link));
        allowed.checked.extend(srdf.enabled.iter().filter_map(both).map(|(one, other)| ordered(one, other)));
        for (one, other) in srdf.disabled.iter().filter_map(|pair| both(&pair.links)) {
            allowed.insert(one, other);
        }
        allowed
    }

    /// The pairs that a joint connects, across links without geometry: the default without an SRDF.
    pub fn adjacent(robot: &Robot) -> Allowed {
        Allowed { pairs: adjacent(robot), ..Allowed::none() }
    }

    /// Adds a pair of links, by their numbers.
    ///
    /// ```
    /// # let mut allowed = clearance_robot::Allowed::none();
    /// allowed.insert(3, 1);
    /// assert!(allowed.contains(1, 3));
    /// ```
    pub fn insert(&mut self, one: usize, other: usize) {
        self.pairs.insert(ordered(one, other));
    }

    /// Whether two links may meet.
    ///
    /// ```
    /// assert!(!clearance_robot::Allowed::none().contains(2, 2));
    /// ```
    pub fn contains(&self, one: usize, other: usize) -> bool {
        let pair = ordered(one, other);
        let by_link = || {
            one != other
                && pair.1 < self.links
                && (self.whole.contains(&one) || self.whole.contains(&other))
                && !self.checked.contains(&pair)
        };
        self.pairs.contains(&pair) || by_link()
    }
}

fn ordered(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

/// Pairs of links with geometry between which there are only joints, and links without geometry.
pub(crate) fn adjacent(robot: &Robot) -> BTreeSet<(usize, usize)> {
    let description = robot.description();
    let solid = |link: usize| !description.links[link].collisions.is_empty();
    // For each link the nearest link above it that has geometry, found from the root down.
    let mut above: Vec<Option<usize>> = vec![None; description.links.len()];
    let mut pairs = BTreeSet::new();
    for joint in robot.tree_order().iter().map(|&number| &description.joints[number]) {
        let nearest = if solid(joint.parent) { Some(joint.parent) } else { above[joint.parent] };
        above[joint.child] = nearest;
        if let Some(nearest) = nearest.filter(|_| solid(joint.child)) {
            pairs.insert(ordered(joint.child, nearest));
        }
    }
    pairs
}
