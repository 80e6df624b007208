//! Decides a pair in the placed configuration, cheapest test first: bounding spheres, hulls of meshes, inner spheres,
//! hulls of mesh pieces, and last the engine's query on the geometry itself with the pair's cache. Poses are only
//! formed where the bounding spheres meet.

use std::sync::OnceLock;

use clearance::answer::Distance;
use clearance::query::{DistanceOptions, IntersectsOptions, distance_with, intersects_with};
use clearance::{PairCache, Pose, Shape};

use super::{Checker, Pair, State};
use crate::error::Error;
use crate::frame::Frame;
use crate::hull_tree::{PosedHulls, distance_by_hulls, hulls_are_apart, inner_balls_meet, pieces_are_apart};
use crate::pair_caches::Remembered;
use crate::robot::Body;

/// A pair that never moves.
#[derive(Debug)]
pub(super) struct Still {
    pub meets: bool,
    pub distance: OnceLock<Box<Distance>>,
}

/// The test that decided a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Balls,
    Hulls,
    InnerBalls,
    Pieces,
    Triangles,
}

impl Step {
    /// Approximate cost, in units of a sphere test.
    pub fn cost(self) -> u64 {
        match self {
            Step::Balls => 1,
            Step::Hulls => 40,
            Step::InnerBalls => 80,
            Step::Pieces => 400,
            Step::Triangles => 1000,
        }
    }
}

/// Bracket of the gap of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    /// Proved, padding subtracted.
    pub lower: f64,
    /// Proved; infinite where only a lower bound was requested.
    pub upper: f64,
    /// Whether they meet, padding included.
    pub meets: bool,
}

impl Checker {
    /// Forward kinematics for a configuration that has been checked.
    pub(crate) fn place(&self, state: &mut State, q: &[f64]) {
        self.robot.forward(q, &mut state.frames);
        state.centres.clear();
        let frames = &state.frames;
        state.centres.extend(self.bodies.iter().map(|body| frames[body.segment].point(body.ball.centre)));
        state.poses.clear();
        state.poses.resize(self.bodies.len(), None);
    }

    /// The gap between the bounding spheres of two bodies, padding subtracted, rounded down.
    #[inline]
    pub(crate) fn ball_gap(&self, state: &State, pair: &Pair) -> f64 {
        let [a, b] = pair.bodies.map(|body| state.centres[body as usize]);
        let apart = a.distance(b);
        apart - pair.reach - 1e-12 * (a.abs() + b.abs()).element_sum()
    }

    /// Whether a pair meets, padding included.
    pub(crate) fn meets(&self, state: &mut State, number: usize) -> bool {
        self.settle(state, number).1
    }

    /// Whether a pair meets, padding included, and which test decided.
    #[inline]
    pub(super) fn settle(&self, state: &mut State, number: usize) -> (Step, bool) {
        let pair = &self.pairs[number];
        if self.ball_gap(state, pair) > 0.0 {
            return (Step::Balls, false);
        }
        let [a, b] = pair.bodies.map(|body| body as usize);
        let (Some(pose_a), Some(pose_b)) = (self.pose(state, a), self.pose(state, b)) else {
            return (Step::Balls, true);
        };
        if pair.by_hulls {
            // Far enough that neither rounding nor another choice of frame could make them meet.
            let margin = pair.padding + 1e-9 * pair.reach;
            let (side_a, side_b) = (self.side(a, &pose_a), self.side(b, &pose_b));
            let cache = &mut state.caches.of(number).hulls;
            if hulls_are_apart(&side_a, &side_b, margin, cache, &mut state.workspace) {
                return (Step::Hulls, false);
            }
            if inner_balls_meet(&side_a, &side_b) {
                return (Step::InnerBalls, true);
            }
            if pair.by_pieces && pieces_are_apart(&side_a, &side_b, margin, &mut state.pieces, &mut state.workspace) {
                return (Step::Pieces, false);
            }
        }
        let options = IntersectsOptions { margin: pair.padding, ..IntersectsOptions::default() };
        let (shape_a, shape_b) = (&self.bodies[a].shape, &self.bodies[b].shape);
        let cache = &mut state.caches.of(number).bodies;
        let meets = intersects_with(shape_a, &pose_a, shape_b, &pose_b, &options, cache, &mut state.workspace);
        (Step::Triangles, meets)
    }

    fn side<'b>(&'b self, body: usize, pose: &'b Pose) -> PosedHulls<'b> {
        let Body { shape, hulls, ball, .. } = &self.bodies[body];
        PosedHulls { shape, tree: hulls.as_deref(), pose, radius: ball.radius }
    }

    /// The pose of a body. `None` if it is not a valid pose: no real chain accumulates more rounding than the engine
    /// accepts, but if one did, its pairs would count as meeting, not as free.
    fn pose(&self, state: &mut State, body: usize) -> Option<Pose> {
        if state.poses[body].is_none() {
            let frame = &self.bodies[body].frame;
            state.poses[body] = state.frames[self.bodies[body].segment].then(frame).pose().ok();
        }
        state.poses[body]
    }

    /// The distance of one pair in the placed configuration.
    pub(crate) fn distance(
        &self,
        state: &mut State,
        number: usize,
        options: &DistanceOptions,
    ) -> Result<Distance, Error> {
        if let Some(still) = &self.still[number]
            && let Some(known) = self.distance_within_segment(state, number, still)?
        {
            return Ok(known);
        }
        let (poses, shapes) = self.placed(state, number)?;
        let [a, b] = self.pairs[number].bodies;
        let (a, b) = (self.side(a as usize, &poses[0]), self.side(b as usize, &poses[1]));
        let State { caches, workspace, waiting, .. } = state;
        let Remembered { bodies, hulls } = caches.of(number);
        let by_hulls = distance_by_hulls(&a, &b, options, hulls, workspace, waiting);
        let by_triangles = || distance_with(shapes[0], a.pose, shapes[1], b.pose, options, bodies, workspace);
        Ok(by_hulls.unwrap_or_else(by_triangles))
    }

    /// The distance of two bodies of one segment, measured once in its frame.
    ///
    /// The world poses of the bodies are rounded products: entries of the matrices to `4u`, translations to `4u` of
    /// their terms, the frame's own rounding included. A point of either body is off by at most `16u` of its distance
    /// from the origin along the chain, twice that for two. `None` where this exceeds the accuracy required for the
    /// size of the bodies: far from the root, world poses are rounded more coarsely than the bodies are placed relative
    /// to each other.
    fn distance_within_segment(
        &self,
        state: &mut State,
        number: usize,
        still: &Still,
    ) -> Result<Option<Distance>, Error> {
        let [a, b] = self.pairs[number].bodies.map(|body| &self.bodies[body as usize]);
        let pose = |body: &Body| {
            body.frame.pose().map_err(|problem| Error::Body { name: self.names[body.link].clone(), problem })
        };
        let (pose_a, pose_b) = (pose(a)?, pose(b)?);
        let mut answer = **still.distance.get_or_init(|| {
            let (options, mut cache) = (DistanceOptions::default(), PairCache::default());
            let workspace = &mut state.workspace;
            Box::new(distance_with(&a.shape, &pose_a, &b.shape, &pose_b, &options, &mut cache, workspace))
        });
        let frame = &state.frames[a.segment];
        if *frame != Frame::IDENTITY {
            let reach = |body: &Body| body.ball.centre.length() + body.frame.translation.length() + body.ball.radius;
            let off = 16.0 * f64::EPSILON * (frame.translation.length() + reach(a) + reach(b));
            // `verify` accepts a placement error of 64u of the size; part of that is the answer's own.
            let size = a.shape.diameter() + b.shape.diameter();
            if answer.placement + off > 24.0 * f64::EPSILON * size {
                return Ok(None);
            }
            answer.gap.lower = (answer.gap.lower - off).max(0.0);
            answer.gap.upper += off;
            answer.placement += off;
            answer.normal = answer.normal.map(|normal| (frame.rotation * normal).normalize());
        }
        Ok(Some(answer))
    }

    /// The poses of the bodies of a pair.
    pub(crate) fn poses_of(&self, state: &mut State, number: usize) -> Result<[Pose; 2], Error> {
        Ok(self.placed(state, number)?.0)
    }

    /// A lower bound on the gap of a pair, padding subtracted: from the cheapest test that shows it to exceed `wanted`,
    /// otherwise the gap itself.
    pub(crate) fn gap_beyond(&self, state: &mut State, number: usize, wanted: f64) -> Result<Gap, Error> {
        let padding = self.pairs[number].padding;
        let by_balls = self.ball_gap(state, &self.pairs[number]);
        if by_balls > wanted {
            return Ok(Gap { lower: by_balls, upper: f64::INFINITY, meets: false });
        }
        let pair = &self.pairs[number];
        // Far above the rounding of the margin.
        let beyond = wanted + 1e-9 * pair.reach.min(f64::MAX) + 1e-9 * wanted;
        if pair.by_hulls && self.still[number].is_none() && beyond.is_finite() {
            let ([pose_a, pose_b], _) = self.placed(state, number)?;
            let [a, b] = pair.bodies.map(|body| body as usize);
            let (a, b) = (self.side(a, &pose_a), self.side(b, &pose_b));
            let margin = (padding + beyond + 1e-9 * (pair.reach + wanted)).max(0.0);
            let cache = &mut state.caches.of(number).hulls;
            if hulls_are_apart(&a, &b, margin, cache, &mut state.workspace) {
                return Ok(Gap { lower: beyond, upper: f64::INFINITY, meets: false });
            }
        }
        let farther_than = Some((wanted + padding).max(0.0));
        let distance = self.distance(state, number, &DistanceOptions { farther_than, ..DistanceOptions::default() })?;
        Ok(Gap {
            lower: (distance.gap.lower - padding).next_down(),
            upper: (distance.gap.upper - padding).next_up(),
            meets: distance.gap.value <= padding,
        })
    }

    /// Both bodies of a pair and their poses.
    pub(super) fn placed(&self, state: &mut State, number: usize) -> Result<([Pose; 2], [&Shape; 2]), Error> {
        let [a, b] = self.pairs[number].bodies();
        let poses = [self.sure_pose(state, a)?, self.sure_pose(state, b)?];
        Ok((poses, [&self.bodies[a].shape, &self.bodies[b].shape]))
    }

    /// The pose of a body, or an error if it is out of range.
    pub(super) fn sure_pose(&self, state: &mut State, body: usize) -> Result<Pose, Error> {
        self.pose(state, body).ok_or_else(|| {
            let problem = clearance::Error::NotRigid { defect: f64::INFINITY, limit: 1e-6 };
            Error::Body { name: self.names[self.bodies[body].link].clone(), problem }
        })
    }
}
