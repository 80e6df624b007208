//! A step of a world: the near pairs, and the changes since the last step.
//!
//! Only bodies that left their boxes search for new partners; only pairs with a moved body are queried again. Pairs are
//! queried on all cores (feature `parallel`), each with its own cache; results are in the order of the handles and the
//! same for any number of threads.

use std::ops::ControlFlow;

use crate::answer::contacts::{Contacts, ContactsOptions};
use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::intersects::IntersectsOptions;
use crate::answer::relation::{RelationOptions, RelationProof};
use crate::bound::Aabb;
use crate::convex::pair::cache::PairCache;
use crate::math::tolerances::{BODIES_OF_BLOCK, PAIRS_OF_BLOCK};
use crate::pair::contacts::contacts;
use crate::pair::distance::distance;
use crate::pair::intersects::intersects;
use crate::pair::relation::relation;
use crate::pair::workspace::Workspace;
use crate::parallel::map_with;
use crate::world::bodies::{BodyId, World, bounds_of, grown};
use crate::world::rules::{Interest, Question};

/// A pair of bodies whose boxes are near.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    interest: Interest,
    cache: PairCache,
    /// The finding if the pair is near; `None` otherwise.
    finding: Option<Finding>,
    /// Not queried yet, or not since the rules changed.
    is_new: bool,
}

/// The change of a pair of bodies.
///
/// See [`World`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Change {
    /// The pair is near and was not at the last step.
    Began,
    /// The pair was near at the last step and still is.
    Persists,
    /// The pair is no longer near, a body was removed, or no rule applies any more.
    Ended,
}

/// The answer to the [`Question`] about a near pair.
///
/// ```
/// use clearance::{Pose, Shape, World, glam::DVec3};
/// use clearance::world::{Finding, Interest, Question};
/// let mut world = World::new(Some(Interest { question: Question::Distance, margin: 2.0 }));
/// let ball = Shape::sphere(1.0)?;
/// world.insert(&ball, &Pose::IDENTITY, 0);
/// world.insert(&ball, &Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?, 0);
/// match world.step()[0].finding.as_ref() {
///     Some(Finding::Distance(distance)) => assert_eq!(distance.gap.value, 1.0),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), clearance::QueryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Finding {
    /// The bodies are within the margin.
    Near,
    /// Their distance.
    Distance(Distance),
    /// Their relation, with its proof.
    Relation(RelationProof),
    /// Their contacts.
    Contacts(Contacts),
}

/// An event of a step about a pair. `a` has the lower handle.
///
/// See [`World`] for an example.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct PairEvent {
    /// The body that is A in the finding.
    pub a: BodyId,
    /// The body that is B.
    pub b: BodyId,
    /// The change.
    pub change: Change,
    /// The finding; `None` for an ended pair.
    pub finding: Option<Finding>,
}

/// The least number of bodies or pairs a thread takes at a time.
const TOGETHER: usize = 16;

impl World {
    /// Updates all pairs and returns those that began, persist and ended since the last step, in the order of the
    /// handles.
    ///
    /// See [`World`] for an example.
    pub fn step(&mut self) -> &[PairEvent] {
        self.build_tree();
        self.meet_partners();
        let told = self.ask();
        // No state is lost before this, so a cancelled step can be repeated.
        self.events = std::mem::take(&mut self.ended);
        self.events.extend(told);
        for index in self.indices().collect::<Vec<_>>() {
            if let Some(body) = self.at_mut(index) {
                (body.moved, body.escaped) = (false, false);
            }
        }
        // A pair may have ended with a removed body and begun with another in its slot; the end comes first.
        self.events.sort_by_key(|event| (event.a.index, event.b.index, event.change != Change::Ended));
        &self.events
    }

    /// Inserts waiting bodies into the tree.
    fn build_tree(&mut self) {
        let waiting: Vec<_> =
            std::mem::take(&mut self.waiting).into_iter().filter_map(|k| Some((k, self.at(k)?.fat))).collect();
        self.tree.insert(&waiting);
    }

    /// All pairs of bodies whose boxes are within a margin along every axis, in the order of their handles, whatever
    /// the rules say: all pairs that can be that near. A body's box encloses the rotated box of its shape, so it may be
    /// wider than the body.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World, glam::DVec3};
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let ids: Vec<_> = [0.0, 2.5, 6.0]
    ///     .map(|x| world.insert(&ball, &Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap(), 0))
    ///     .into();
    /// assert!(world.pairs_within(0.25).is_empty());
    /// assert_eq!(world.pairs_within(0.5), [(ids[0], ids[1])]);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn pairs_within(&mut self, margin: f64) -> Vec<(BodyId, BodyId)> {
        let mut pairs = Vec::new();
        let _: ControlFlow<()> = self.visit_pairs_within(margin, |a, b| {
            pairs.push((a, b));
            ControlFlow::Continue(())
        });
        pairs
    }

    /// [`pairs_within`](World::pairs_within) without storing all pairs: visits them one by one, in the same order,
    /// until the visitor breaks. At most those of 256 bodies are held at a time, four bytes each.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use clearance::{Pose, Shape, World};
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// (0..1000).for_each(|_| { world.insert(&ball, &Pose::IDENTITY, 0); });
    /// let mut seen = 0;
    /// let stopped = world.visit_pairs_within(0.0, |_, _| {
    ///     seen += 1;
    ///     if seen == 100 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    /// });
    /// assert_eq!((stopped, seen), (ControlFlow::Break("enough"), 100));
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn visit_pairs_within<B>(
        &mut self,
        margin: f64,
        mut visit: impl FnMut(BodyId, BodyId) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.build_tree();
        let margin = Interest { margin, ..Interest::default() }.checked().margin;
        let indices: Vec<u32> = self.indices().collect();
        let bounds = |index: u32| self.at(index).map(|body| bounds_of(&body.shape, &body.pose));
        let boxes: Vec<Option<Aabb>> = (0..=indices.last().copied().unwrap_or(0)).map(bounds).collect();
        let partners = |(): &mut (), &index: &u32| {
            let Some(bounds) = boxes[index as usize] else { return Vec::new() };
            let wide = grown(&bounds, margin);
            let mut near = self.each_passing(|fat| fat.overlaps(&wide));
            near.retain(|&k| k > index && boxes[k as usize].is_some_and(|other| wide.overlaps(&other)));
            near.shrink_to_fit();
            near
        };
        // Blocks of neighbouring bodies: larger while they have few pairs, smaller where they have many.
        let (mut rest, mut block) = (&indices[..], BODIES_OF_BLOCK[0]);
        while !rest.is_empty() {
            let (bodies, others) = rest.split_at(block.min(rest.len()));
            let found = map_with(bodies, TOGETHER, || (), partners);
            for (&a, partners) in bodies.iter().zip(&found) {
                for &b in partners {
                    visit(self.id(a), self.id(b))?;
                }
            }
            let pairs: usize = found.iter().map(Vec::len).sum();
            let next = if pairs > PAIRS_OF_BLOCK { block / 2 } else { block * 2 };
            block = next.clamp(BODIES_OF_BLOCK[0], BODIES_OF_BLOCK[1]);
            rest = others;
        }
        ControlFlow::Continue(())
    }

    /// The rule for a pair, whatever its distance; `None` if there is none or a body was removed.
    pub(super) fn wanted(&self, a: BodyId, b: BodyId) -> Option<Interest> {
        let interest = self.rules.of(self.group(a).ok()?, self.group(b).ok()?)?;
        (!self.ignored.contains(&(a.min(b), a.max(b)))).then_some(interest)
    }

    /// The rule for a pair; `None` if there is none or their boxes are too far apart.
    fn interest(&self, a: u32, b: u32) -> Option<Interest> {
        let (of_a, of_b) = (self.at(a)?, self.at(b)?);
        let interest = self.rules.of(of_a.group, of_b.group)?;
        let (p, q) = (self.id(a), self.id(b));
        let near = grown(&of_a.fat, interest.margin).overlaps(&of_b.fat);
        (near && (self.ignored.is_empty() || !self.ignored.contains(&(p.min(q), p.max(q))))).then_some(interest)
    }

    /// Updates the partners of bodies that left their boxes.
    fn meet_partners(&mut self) {
        let escaped: Vec<u32> = self.indices().filter(|&k| self.at(k).is_some_and(|body| body.escaped)).collect();
        let margin = self.rules.largest_margin();
        let found = map_with(&escaped, TOGETHER, || (), |(), &index| self.partners(index, margin));
        for (&index, partners) in escaped.iter().zip(&found) {
            let old = self.at(index).map(|body| body.partners.clone()).unwrap_or_default();
            for &gone in old.iter().filter(|k| partners.binary_search_by_key(*k, |(k, _)| *k).is_err()) {
                self.part(index, gone);
            }
            for &(partner, interest) in partners {
                let key = (index.min(partner), index.max(partner));
                let pair = self.pairs.entry(key).or_insert_with(|| Pair {
                    interest,
                    cache: PairCache::default(),
                    finding: None,
                    is_new: true,
                });
                if pair.interest != interest {
                    (pair.interest, pair.is_new) = (interest, true);
                }
                for (one, other) in [(index, partner), (partner, index)] {
                    if let Some(body) = self.at_mut(one) {
                        body.partners.insert(other);
                    }
                }
            }
        }
    }

    /// The partners of a body, in ascending order, with their rules.
    fn partners(&self, index: u32, margin: f64) -> Vec<(u32, Interest)> {
        let Some(body) = self.at(index) else { return Vec::new() };
        let mut partners = Vec::new();
        let mut consider = |other: u32| {
            if other != index {
                partners.extend(self.interest(index.min(other), index.max(other)).map(|interest| (other, interest)));
            }
        };
        if self.endless.contains(&index) {
            self.indices().for_each(consider);
        } else {
            self.tree.each_overlapping(&grown(&body.fat, margin), &mut consider);
            self.endless.iter().copied().for_each(consider);
        }
        partners.sort_unstable_by_key(|(partner, _)| *partner);
        partners
    }

    /// Ends a pair.
    pub(super) fn part(&mut self, one: u32, other: u32) {
        let key = (one.min(other), one.max(other));
        if let Some(pair) = self.pairs.remove(&key)
            && pair.finding.is_some()
        {
            let (a, b) = (self.id(key.0), self.id(key.1));
            self.ended.push(PairEvent { a, b, change: Change::Ended, finding: None });
        }
        for (one, other) in [key, (key.1, key.0)] {
            if let Some(body) = self.at_mut(one) {
                body.partners.remove(&other);
            }
        }
    }

    /// Queries every pair that may have changed, and returns the events.
    fn ask(&mut self) -> Vec<PairEvent> {
        let moved = |index: u32| self.at(index).is_some_and(|body| body.moved);
        let due: Vec<((u32, u32), Interest, PairCache)> = (self.pairs.iter())
            .filter(|((a, b), pair)| pair.is_new || moved(*a) || moved(*b))
            .map(|(key, pair)| (*key, pair.interest, pair.cache))
            .collect();
        let answers = map_with(&due, TOGETHER, Workspace::default, |workspace, ((a, b), interest, cache)| {
            let mut cache = *cache;
            let finding = self.ask_pair(*a, *b, interest, &mut cache, workspace);
            (finding, cache)
        });
        let mut answers = due.iter().map(|(key, ..)| *key).zip(answers).peekable();
        let mut told = Vec::new();
        for (key, pair) in &mut self.pairs {
            let was_near = pair.finding.is_some();
            if let Some((_, (finding, cache))) = answers.next_if(|(asked, _)| asked == key) {
                (pair.finding, pair.cache, pair.is_new) = (finding, cache, false);
            }
            let change = match (was_near, pair.finding.is_some()) {
                (false, true) => Change::Began,
                (true, true) => Change::Persists,
                (true, false) => Change::Ended,
                (false, false) => continue,
            };
            told.push((*key, change, pair.finding.clone()));
        }
        let named = |((a, b), change, finding)| PairEvent { a: self.id(a), b: self.id(b), change, finding };
        told.into_iter().map(named).collect()
    }

    /// The answer about a pair; `None` if it is not near.
    fn ask_pair(
        &self,
        a: u32,
        b: u32,
        interest: &Interest,
        cache: &mut PairCache,
        workspace: &mut Workspace,
    ) -> Option<Finding> {
        let (of_a, of_b) = (self.at(a)?, self.at(b)?);
        let (a, pose_a, b, pose_b, margin) = (&of_a.shape, &of_a.pose, &of_b.shape, &of_b.pose, interest.margin);
        match interest.question {
            Question::Intersects => {
                let options = IntersectsOptions { margin, ..IntersectsOptions::default() };
                intersects(a, pose_a, b, pose_b, &options, cache, workspace).then_some(Finding::Near)
            }
            Question::Distance => {
                let options = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
                let found = distance(a, pose_a, b, pose_b, &options, cache, workspace);
                (found.gap.lower <= margin).then_some(Finding::Distance(found))
            }
            Question::Relation => {
                let options = RelationOptions { touch_band: margin };
                let found = relation(a, pose_a, b, pose_b, &options, cache, workspace);
                (found.gap.lower <= margin).then_some(Finding::Relation(found))
            }
            Question::Contacts => {
                let options = ContactsOptions { margin, ..ContactsOptions::default() };
                let mut found = Contacts::default();
                contacts(a, pose_a, b, pose_b, &options, cache, workspace, &mut found);
                let near = !found.points.is_empty() || !found.crossings.is_empty();
                near.then_some(Finding::Contacts(found))
            }
        }
    }
}
