//! The order in which pairs are tested. Pairs within one segment never move: they are decided once, when the checker is
//! built. The others are sorted by hits per cost over a sample of configurations, drawn from a fixed seed so that the
//! order is reproducible. Objects of large worlds are found through a tree, and tested in the same order.

use std::sync::OnceLock;

use super::settle::{Step, Still};
use super::{Checker, State};
use crate::limits::MOST_TRIES;
use crate::motion_bound::Chains;
use crate::object_tree::ObjectTree;
use crate::random::Random;
use crate::robot::Ball;

/// Sample configurations that decide the order of pairs, unless there are very many pairs.
const TRIALS: u64 = 256;

/// Worlds of fewer objects are tested sphere by sphere.
const MANY: usize = 64;

/// Sample statistics of a pair.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    cost: u64,
    hits: u64,
    /// Separated meshes that only the triangle test could decide.
    misses: u64,
}

/// A tree over the objects of the world.
#[derive(Debug)]
pub(super) struct Objects {
    tree: ObjectTree,
    /// For each body that moves relative to the objects: its index, its extent from the centre of its sphere, and for
    /// each object the position in `order` of the pair they form, [`NO_PAIR`] for objects that it may touch.
    bodies: Vec<(u32, f64, Vec<u32>)>,
    /// Positions in `order` of the remaining pairs.
    others: Vec<u32>,
}

const NO_PAIR: u32 = u32::MAX;

impl Checker {
    /// Decides the pairs within one segment, and sorts the others.
    pub(super) fn order_pairs(&mut self) {
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
        // Most hits per cost; both numbers are small.
        self.order.sort_by(|&x, &y| {
            let (one, other) = (&seen[x as usize], &seen[y as usize]);
            (other.hits * one.cost).cmp(&(one.hits * other.cost)).then(x.cmp(&y))
        });
    }

    /// Builds the tree over the objects, which are the bodies from `first` on.
    pub(super) fn build_object_tree(&mut self, first: usize) {
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

    /// Pairs that move and may meet in the placed configuration, by position in the test order; `None` means all of
    /// them.
    pub(super) fn near(&self, state: &mut State) -> Option<Vec<u32>> {
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
}
