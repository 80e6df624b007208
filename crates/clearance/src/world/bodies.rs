//! The bodies of a world, their handles and boxes, and queries about all of them at once.

use crate::math::tolerances::WORLD_MARGIN;
use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use crate::answer::ray::{NoHit, Ray, RayHit, RayOptions};
use crate::bound::Aabb;
use crate::error::QueryError;
use crate::math::pose::Pose;
use crate::query::{contains, ray_cast_with};
use crate::shape::Shape;
use crate::tree::dynamic::DynamicTree;
use crate::world::rules::{Interest, Rules};
use crate::world::step::{Pair, PairEvent};

/// The handle of a body in a [`World`]. Handles of removed bodies are never reused and are rejected.
///
/// ```
/// use clearance::{Pose, Shape, World};
/// let mut world = World::default();
/// let ball = world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 0);
/// world.remove(ball)?;
/// let other = world.insert(&Shape::sphere(2.0)?, &Pose::IDENTITY, 0);
/// assert_ne!(ball, other);
/// assert!(world.pose(ball).is_err());
/// # Ok::<(), clearance::QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct BodyId {
    pub(super) index: u32,
    generation: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Body {
    pub shape: Shape,
    pub pose: Pose,
    pub group: u32,
    /// The body's box with a margin.
    pub fat: Aabb,
    /// Whether the body was inserted or moved since the last step.
    pub moved: bool,
    /// Whether `fat` changed since the last step.
    pub escaped: bool,
    /// The bodies it is paired with.
    pub partners: BTreeSet<u32>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    generation: u32,
    body: Option<Body>,
}

/// Many bodies, and the pairs of them that are near each other.
///
/// Shapes share their data, so a bolt inserted ten thousand times is stored once.
///
/// ```
/// use clearance::{Pose, Shape, World, glam::DVec3};
/// use clearance::world::{Change, Interest};
///
/// let mut world = World::new(Some(Interest::default()));
/// let ball = Shape::sphere(1.0)?;
/// let left = world.insert(&ball, &Pose::IDENTITY, 0);
/// let right = world.insert(&ball, &Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?, 0);
/// assert!(world.step().is_empty());
///
/// world.move_to(right, &Pose::from_translation(DVec3::new(1.5, 0.0, 0.0))?)?;
/// let events = world.step();
/// assert_eq!((events[0].a, events[0].b, events[0].change), (left, right, Change::Began));
/// assert_eq!(world.step()[0].change, Change::Persists);
///
/// world.remove(left)?;
/// assert_eq!(world.step()[0].change, Change::Ended);
/// # Ok::<(), clearance::QueryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    slots: Vec<Slot>,
    free: Vec<u32>,
    pub(super) tree: DynamicTree,
    /// Inserted since the last step, and not in the tree yet.
    pub(super) waiting: Vec<u32>,
    /// Bodies with unbounded boxes: they are tested against all others.
    pub(super) endless: BTreeSet<u32>,
    pub(super) rules: Rules,
    pub(super) ignored: BTreeSet<(BodyId, BodyId)>,
    pub(super) pairs: BTreeMap<(u32, u32), Pair>,
    pub(super) events: Vec<PairEvent>,
    /// Pairs that ended since the last step because a body was removed.
    pub(super) ended: Vec<PairEvent>,
}

impl Default for World {
    /// A world in which every pair of bodies is tested for intersection.
    fn default() -> World {
        World::new(Some(Interest::default()))
    }
}

impl World {
    /// A world with a rule for all pairs; with `None`, only pairs given to [`World::set_interest`] are queried.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World};
    /// let mut world = World::new(None);
    /// world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 0);
    /// world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 0);
    /// assert!(world.step().is_empty());
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    #[must_use]
    pub fn new(all: Option<Interest>) -> World {
        World {
            slots: Vec::new(),
            free: Vec::new(),
            tree: DynamicTree::default(),
            waiting: Vec::new(),
            endless: BTreeSet::new(),
            rules: Rules::new(all),
            ignored: BTreeSet::new(),
            pairs: BTreeMap::new(),
            events: Vec::new(),
            ended: Vec::new(),
        }
    }

    /// Sets the rule for pairs of one body from each group; a group may be paired with itself. Takes precedence over
    /// the rule for all pairs.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World, glam::DVec3};
    /// use clearance::world::{Interest, Question};
    /// let mut world = World::new(None);
    /// world.set_interest(0, 1, Some(Interest { question: Question::Distance, margin: 2.0 }));
    /// let ball = Shape::sphere(1.0)?;
    /// for (x, group) in [(0.0, 0), (3.0, 1), (6.0, 1)] {
    ///     world.insert(&ball, &Pose::from_translation(DVec3::new(x, 0.0, 0.0))?, group);
    /// }
    /// // The last two are in the same group, the first and the last are too far apart.
    /// assert_eq!(world.step().len(), 1);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn set_interest(&mut self, a: u32, b: u32, interest: Option<Interest>) {
        self.rules.set(a, b, interest);
        self.invalidate_pairs();
    }

    /// Ignores a pair, whatever the rules say.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World};
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let (a, b) = (world.insert(&ball, &Pose::IDENTITY, 0), world.insert(&ball, &Pose::IDENTITY, 0));
    /// world.ignore(a, b);
    /// assert!(world.step().is_empty());
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn ignore(&mut self, a: BodyId, b: BodyId) {
        self.ignored.insert((a.min(b), a.max(b)));
        self.invalidate_pairs();
    }

    /// Marks every box as new, after the rules changed.
    fn invalidate_pairs(&mut self) {
        for body in self.slots.iter_mut().filter_map(|slot| slot.body.as_mut()) {
            (body.moved, body.escaped) = (true, true);
        }
    }

    /// Inserts a body. Groups are numbers chosen by the caller, for rules.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World};
    /// let mut world = World::default();
    /// let id = world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 7);
    /// assert_eq!((world.len(), world.group(id)?), (1, 7));
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn insert(&mut self, shape: &Shape, pose: &Pose, group: u32) -> BodyId {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let fat = fat(&bounds_of(shape, pose));
        let body = Body {
            shape: shape.clone(),
            pose: *pose,
            group,
            fat,
            moved: true,
            escaped: true,
            partners: BTreeSet::new(),
        };
        let slot = &mut self.slots[index as usize];
        slot.body = Some(body);
        if fat.min.is_finite() && fat.max.is_finite() {
            self.waiting.push(index);
        } else {
            self.endless.insert(index);
        }
        BodyId { index, generation: slot.generation }
    }

    /// Sets the pose of a body.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World, glam::DVec3};
    /// let mut world = World::default();
    /// let id = world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 0);
    /// let there = Pose::from_translation(DVec3::X)?;
    /// world.move_to(id, &there)?;
    /// assert_eq!(world.pose(id)?, there);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn move_to(&mut self, id: BodyId, pose: &Pose) -> Result<(), QueryError> {
        let body = self.body_mut(id)?;
        if body.pose == *pose {
            return Ok(());
        }
        let bounds = bounds_of(&body.shape, pose);
        (body.pose, body.moved) = (*pose, true);
        if !holds(&body.fat, &bounds) {
            (body.fat, body.escaped) = (fat(&bounds), true);
            let fat = body.fat;
            // A body waiting for the tree has no box in it yet.
            self.tree.update(id.index, &fat);
        }
        Ok(())
    }

    /// Removes a body. The next step reports the pairs this ends.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World};
    /// let mut world = World::default();
    /// let id = world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 0);
    /// world.remove(id)?;
    /// assert!(world.is_empty() && world.remove(id).is_err());
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn remove(&mut self, id: BodyId) -> Result<(), QueryError> {
        let body = self.body(id)?;
        for partner in body.partners.clone() {
            self.part(id.index, partner);
        }
        self.tree.remove(id.index);
        self.waiting.retain(|&index| index != id.index);
        self.endless.remove(&id.index);
        let slot = &mut self.slots[id.index as usize];
        slot.body = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.index);
        Ok(())
    }

    /// The number of bodies.
    ///
    /// ```
    /// assert_eq!(clearance::World::default().len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether there are no bodies.
    ///
    /// ```
    /// assert!(clearance::World::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pose of a body.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World};
    /// let mut world = World::default();
    /// let id = world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 0);
    /// assert_eq!(world.pose(id)?, Pose::IDENTITY);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn pose(&self, id: BodyId) -> Result<Pose, QueryError> {
        Ok(self.body(id)?.pose)
    }

    /// The shape of a body.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World};
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let id = world.insert(&ball, &Pose::IDENTITY, 0);
    /// assert_eq!(world.shape(id)?, &ball);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn shape(&self, id: BodyId) -> Result<&Shape, QueryError> {
        Ok(&self.body(id)?.shape)
    }

    /// The group of a body.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World};
    /// let mut world = World::default();
    /// let id = world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 3);
    /// assert_eq!(world.group(id)?, 3);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn group(&self, id: BodyId) -> Result<u32, QueryError> {
        Ok(self.body(id)?.group)
    }

    fn body(&self, id: BodyId) -> Result<&Body, QueryError> {
        let known = self.slots.get(id.index as usize).filter(|slot| slot.generation == id.generation);
        known
            .and_then(|slot| slot.body.as_ref())
            .ok_or(QueryError::NoSuchBody { index: id.index, generation: id.generation })
    }

    fn body_mut(&mut self, id: BodyId) -> Result<&mut Body, QueryError> {
        let known = self.slots.get_mut(id.index as usize).filter(|slot| slot.generation == id.generation);
        known
            .and_then(|slot| slot.body.as_mut())
            .ok_or(QueryError::NoSuchBody { index: id.index, generation: id.generation })
    }

    /// A body, if it exists.
    pub(super) fn at(&self, index: u32) -> Option<&Body> {
        self.slots.get(index as usize)?.body.as_ref()
    }

    pub(super) fn at_mut(&mut self, index: u32) -> Option<&mut Body> {
        self.slots.get_mut(index as usize)?.body.as_mut()
    }

    pub(super) fn id(&self, index: u32) -> BodyId {
        BodyId { index, generation: self.slots[index as usize].generation }
    }

    /// The indices of all bodies.
    pub(super) fn indices(&self) -> impl Iterator<Item = u32> {
        (0..self.slots.len() as u32).filter(|&index| self.slots[index as usize].body.is_some())
    }

    /// Every body whose box passes a monotone test (a wider box passes too), including bodies not in the tree.
    pub(super) fn each_passing(&self, mut test: impl FnMut(&Aabb) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        self.tree.each_passing(&mut test, |index| found.push(index));
        found.extend(
            self.waiting.iter().chain(&self.endless).filter(|&&index| self.at(index).is_some_and(|b| test(&b.fat))),
        );
        found.sort_unstable();
        found
    }

    /// The first body that a ray hits, and where: see [`ray_cast_with`]. Of bodies hit at the same parameter, the one
    /// with the least handle.
    ///
    /// ```
    /// use clearance::{Pose, Ray, Shape, World, glam::DVec3};
    /// use clearance::query::RayOptions;
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let ids: Vec<_> = [4.0, 8.0]
    ///     .map(|x| world.insert(&ball, &Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap(), 0))
    ///     .into();
    /// let (id, hit) = world.ray_cast(&Ray::new(DVec3::ZERO, DVec3::X)?, &RayOptions::default()).unwrap();
    /// assert_eq!((id, hit.t.value), (ids[0], 3.0));
    /// // A miss is proved for each body.
    /// let up = Ray::new(DVec3::ZERO, DVec3::Z)?;
    /// let none = world.ray_cast(&up, &RayOptions::default()).unwrap_err();
    /// for id in ids {
    ///     none.verify(world.shape(id)?, &world.pose(id)?, &up, &RayOptions::default()).unwrap();
    /// }
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    ///
    /// # Errors
    /// [`NoHit`] if there is none: an answer that can be verified for each body.
    pub fn ray_cast(&self, ray: &Ray, options: &RayOptions) -> Result<(BodyId, RayHit), NoHit> {
        let entry = |bounds: &Aabb| enters(bounds, ray, options);
        let found = self.each_passing(|bounds| entry(bounds).is_some());
        let mut found: Vec<(f64, u32)> =
            found.into_iter().filter_map(|index| Some((entry(&self.at(index)?.fat)?, index))).collect();
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(u32, RayHit)> = None;
        for (entry, index) in found {
            let to = best.as_ref().map_or(options.to, |(_, hit)| hit.t.value);
            if entry > to {
                break;
            }
            let Some(body) = self.at(index) else { continue };
            if let Ok(hit) = ray_cast_with(&body.shape, &body.pose, ray, &RayOptions { to, ..*options })
                && best.as_ref().is_none_or(|(other, first)| (hit.t.value, index) < (first.t.value, *other))
            {
                best = Some((index, hit));
            }
        }
        best.map(|(index, hit)| (self.id(index), hit)).ok_or(NoHit::within(options))
    }

    /// The bodies that contain a point: see [`contains`]. In the order of their handles.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World, glam::DVec3};
    /// let mut world = World::default();
    /// let id = world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 0);
    /// assert_eq!(world.bodies_at(DVec3::X), [id]);
    /// assert!(world.bodies_at(DVec3::ONE).is_empty());
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    #[must_use]
    pub fn bodies_at(&self, point: DVec3) -> Vec<BodyId> {
        let near = self.each_passing(|bounds| bounds.contains(point));
        let holds = |index: &u32| self.at(*index).is_some_and(|body| contains(&body.shape, &body.pose, point));
        near.into_iter().filter(holds).map(|index| self.id(index)).collect()
    }

    /// The bodies whose boxes meet a box, in the order of their handles. A body's box encloses the rotated box of its
    /// shape, so it may be wider than the body.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World, glam::DVec3};
    /// use clearance::shape::Aabb;
    /// let mut world = World::default();
    /// let id = world.insert(&Shape::sphere(1.0)?, &Pose::IDENTITY, 0);
    /// assert_eq!(world.bodies_in(&Aabb::new(DVec3::ONE, DVec3::splat(2.0))), [id]);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    #[must_use]
    pub fn bodies_in(&self, bounds: &Aabb) -> Vec<BodyId> {
        let near = self.each_passing(|fat| fat.overlaps(bounds));
        let meets = |index: &u32| self.at(*index).is_some_and(|b| bounds_of(&b.shape, &b.pose).overlaps(bounds));
        near.into_iter().filter(meets).map(|index| self.id(index)).collect()
    }

    /// The candidate pairs of the last step: those whose boxes, with room to move, are within their margin.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World, glam::DVec3};
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let a = world.insert(&ball, &Pose::IDENTITY, 0);
    /// let b = world.insert(&ball, &Pose::from_translation(DVec3::new(2.001, 0.0, 0.0))?, 0);
    /// assert!(world.step().is_empty());
    /// assert_eq!(world.near_pairs().collect::<Vec<_>>(), [(a, b)]);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn near_pairs(&self) -> impl Iterator<Item = (BodyId, BodyId)> {
        self.pairs.keys().map(|&(a, b)| (self.id(a), self.id(b)))
    }
}

/// A bounding box of a body. A body unbounded in one direction may be unbounded in all once rotated.
pub(super) fn bounds_of(shape: &Shape, pose: &Pose) -> Aabb {
    let own = shape.bounds();
    let has_end = own.min.is_finite() && own.max.is_finite();
    if has_end { own.posed(pose) } else { Aabb::new(DVec3::NEG_INFINITY, DVec3::INFINITY) }
}

/// A box with room to move.
fn fat(bounds: &Aabb) -> Aabb {
    let room = WORLD_MARGIN * bounds.size().max_element();
    // A point, or a box with room below rounding, gets none; an unbounded box stays so.
    if room.is_finite() { grown(bounds, room) } else { *bounds }
}

/// A box expanded on each side, rounded outward.
pub(super) fn grown(bounds: &Aabb, by: f64) -> Aabb {
    let outward = |x: f64| if x.is_finite() { x.next_up() } else { x };
    let (low, high) = ((bounds.min - by).to_array().map(|x| -outward(-x)), (bounds.max + by).to_array().map(outward));
    Aabb::new(DVec3::from_array(low), DVec3::from_array(high))
}

fn holds(outer: &Aabb, inner: &Aabb) -> bool {
    outer.min.cmple(inner.min).all() && inner.max.cmple(outer.max).all()
}

/// A lower bound on the parameter at which a ray enters a box, within the options; `None` if it certainly misses.
fn enters(bounds: &Aabb, ray: &Ray, options: &RayOptions) -> Option<f64> {
    let (mut from, mut to) = (options.from, options.to);
    for axis in 0..3 {
        let (origin, step) = (ray.origin[axis], ray.direction[axis]);
        // More than the rounding of the differences and quotients, and of a ray between moving bodies.
        let room = 1e-12 * (bounds.min[axis].abs().min(1e300) + bounds.max[axis].abs().min(1e300) + origin.abs());
        let (low, high) = (bounds.min[axis] - room, bounds.max[axis] + room);
        if step == 0.0 {
            if origin < low || high < origin {
                return None;
            }
            continue;
        }
        let (s, t) = ((low - origin) / step, (high - origin) / step);
        from = from.max(s.min(t));
        to = to.min(s.max(t));
    }
    (from <= to).then_some(from)
}
