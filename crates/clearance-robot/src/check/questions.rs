//! Queries about one configuration: whether anything meets, which pairs, distances, contacts.

use clearance::answer::{Contacts, Distance};
use clearance::query::{ContactsOptions, DistanceOptions, contacts_with};
use clearance::{Pose, Shape};

use super::{Against, Checker, State};
use crate::error::Error;
use crate::robot::Body;

/// A body and its pose in a configuration: see [`Checker::placed_bodies`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedBody<'c> {
    /// Its owner, for [`Checker::name`].
    pub owner: usize,
    /// Its shape.
    pub shape: &'c Shape,
    /// Its pose, in the frame of the root link.
    pub pose: Pose,
}

/// The nearest pair, with bounds on the least distance over all pairs.
///
/// ```
/// # use clearance_robot::*;
/// # let part = |name| format!(
/// #     "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
/// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
/// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
/// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
/// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
/// let nearest = checker.nearest(&mut checker.state(), &[4.0], Against::All).unwrap().unwrap();
/// assert!(nearest.lower <= 2.0 && 2.0 <= nearest.upper);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPair {
    /// Index in [`Checker::pairs`].
    pub pair: usize,
    /// Its distance, padding subtracted; negative where only the padding meets.
    pub value: f64,
    /// Proved: no pair is nearer than this.
    pub lower: f64,
    /// Proved: some pair is at most this far apart.
    pub upper: f64,
    /// The distance of the pair, without padding.
    pub distance: Distance,
}

impl Checker {
    /// The first pair found to meet, padding included, as an index into [`Checker::pairs`]; `None` if the configuration
    /// is free. Which of several pairs is returned depends only on the checker.
    ///
    /// # Errors
    /// As [`Robot::check_configuration`](crate::Robot::check_configuration).
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

    /// All pairs that meet, padding included, as increasing indices into [`Checker::pairs`].
    ///
    /// # Errors
    /// As [`Robot::check_configuration`](crate::Robot::check_configuration).
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let text = r#"<robot name="r">
    /// #     <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
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

    /// The distance of every pair, in the order of [`Checker::pairs`], without padding. Vertex features of a mesh are
    /// numbered after vertices of equal coordinates are merged. Pairs that never move are measured once, in the frame
    /// of the link that carries both, where that is accurate enough: their `placement` bounds the difference from world
    /// poses.
    ///
    /// # Errors
    /// As [`Robot::check_configuration`](crate::Robot::check_configuration); [`Error::Body`] if a body leaves the
    /// engine's range.
    pub fn distances(&self, state: &mut State, q: &[f64]) -> Result<Vec<Distance>, Error> {
        self.robot.check_configuration(q)?;
        self.place(state, q);
        (0..self.pairs.len()).map(|pair| self.distance(state, pair, &DistanceOptions::default())).collect()
    }

    /// The nearest pair, padding subtracted; `None` if there are no pairs.
    ///
    /// # Errors
    /// As [`Checker::distances`].
    pub fn nearest(&self, state: &mut State, q: &[f64], against: Against) -> Result<Option<NearestPair>, Error> {
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

    /// The nearest of pairs given with lower bounds, in increasing order; stops once the rest is farther.
    fn nearest_of(&self, state: &mut State, bounds: &[(f64, u32)]) -> Result<Option<NearestPair>, Error> {
        let mut best: Option<NearestPair> = None;
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
            let (lower, upper) = (less(distance.gap.lower), less(distance.gap.upper));
            let (lower, upper) = if padding == 0.0 { (lower, upper) } else { (lower.next_down(), upper.next_up()) };
            let value = less(distance.gap.value);
            best = Some(match best {
                Some(best) if best.value <= value => {
                    NearestPair { lower: best.lower.min(lower), upper: best.upper.min(upper), ..best }
                }
                Some(best) => {
                    let (lower, upper) = (best.lower.min(lower), best.upper.min(upper));
                    NearestPair { pair: number, value, lower, upper, distance }
                }
                None => NearestPair { pair: number, value, lower, upper, distance },
            });
        }
        Ok(best)
    }

    /// The bodies of a pair and their poses in a configuration, as needed to verify an answer with
    /// [`Distance::verify`](clearance::answer::Distance::verify).
    ///
    /// # Errors
    /// As [`Checker::distances`].
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!(
    /// #     "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// # let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// let mut state = checker.state();
    /// let answer = checker.distances(&mut state, &[4.0]).unwrap()[0];
    /// let ([a, b], [pose_a, pose_b]) = checker.bodies(&mut state, &[4.0], 0).unwrap();
    /// answer.verify(a, &pose_a, b, &pose_b).unwrap();
    /// ```
    pub fn bodies(&self, state: &mut State, q: &[f64], pair: usize) -> Result<([&Shape; 2], [Pose; 2]), Error> {
        self.robot.check_configuration(q)?;
        self.place(state, q);
        let (poses, shapes) = self.placed(state, pair)?;
        Ok((shapes, poses))
    }

    /// All bodies and their poses in a configuration, whether in any pair or not: those of links in order, then
    /// attached objects, then world objects. [`Pair::bodies`](crate::Pair::bodies) has the indices of two of them.
    ///
    /// # Errors
    /// As [`Checker::distances`].
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!(
    /// #     "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
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

    /// The contact points of a pair, or its points within a margin of each other.
    ///
    /// # Errors
    /// As [`Checker::distances`].
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!(
    /// #     "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
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
}
