//! Penetration depth where at least one of the two bodies is made of parts.
//!
//! A translation that separates the whole bodies separates every pair of parts, so the depth is at least the largest
//! depth of a pair. Upper bounds are translations verified to separate everything: along the normals of the deepest
//! pairs and along the axes of A, lengthened until all nearby pairs of parts are proved separated.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec3;

use super::parts::{Parts, PartsOf, TwoParts};
use super::scratch::{Deep, PartsScratch, Waiting};
use crate::answer::distance::DistanceOptions;
use crate::answer::method::{Method, Stopped};
use crate::answer::penetration::{Penetration, PenetrationOptions};
use crate::bound::Aabb;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::penetration::penetration;
use crate::convex::workspace::ConvexWorkspace;
use crate::error::QueryError;
use crate::math::bracket::Bracket;
use crate::math::tolerances::{
    DEPTH_ACCURACY, PARTS_OVERLAPS, PARTS_SEPARATION_MARGIN, PARTS_SEPARATION_PROPOSALS, PARTS_SEPARATION_STEPS,
    ROUND_UP,
};

impl Parts<'_> {
    /// The depth of two parts; its bracket contains the true value, the normal is still in the frame of A.
    fn depth_of(
        &self,
        part_a: u32,
        part_b: u32,
        options: &PenetrationOptions,
        workspace: &mut ConvexWorkspace,
    ) -> Result<Penetration, QueryError> {
        let pair = self.pair(part_a, part_b);
        let TwoParts { ref a, ref b, ref pose_a, ref pose_b, .. } = pair;
        let found = penetration(a, pose_a, b, pose_b, options, &mut PairCache::default(), workspace)?;
        let (point_in_a, point_in_b) = self.own_points(part_a, part_b, found.witness.a.point, found.witness.b.point);
        Ok(Penetration {
            depth: Bracket {
                lower: (found.depth.lower - self.widening(&pair, found.depth.lower)).max(0.0),
                upper: found.depth.upper + self.widening(&pair, found.depth.upper),
                ..found.depth
            },
            placement: found.placement + pair.off,
            witness: found.witness.with_parts(part_a, part_b).with_points(point_in_a, point_in_b),
            ..found
        })
    }

    /// See [`penetration`](crate::penetration()).
    pub fn penetration(
        &self,
        options: &PenetrationOptions,
        workspace: &mut ConvexWorkspace,
        scratch: &mut PartsScratch,
    ) -> Result<Penetration, QueryError> {
        let answer = self.depth(options, scratch, workspace);
        let answer = answer?;
        if !self.swapped {
            return Ok(answer);
        }
        Ok(Penetration { witness: answer.witness.swapped(), normal: -answer.normal, ..answer })
    }

    /// The depth in the internal order of the bodies.
    pub fn depth(
        &self,
        options: &PenetrationOptions,
        scratch: &mut PartsScratch,
        workspace: &mut ConvexWorkspace,
    ) -> Result<Penetration, QueryError> {
        let apart = self.nearest(&DistanceOptions::default(), &mut scratch.heap, workspace);
        if apart.gap.lower > 0.0
            && let Some(normal) = apart.normal
        {
            return Ok(Penetration {
                depth: Bracket { value: 0.0, lower: 0.0, upper: 0.0 },
                placement: apart.placement,
                method: Method::Parts,
                witness: apart.witness,
                normal,
            });
        }
        let mut deepest = self.depth_of(apart.witness.a.part, apart.witness.b.part, options, workspace)?;
        scratch.deep.clear();
        let mut failure = None;
        self.descend(&mut scratch.heap, 0.0, |a, b, _| {
            let found = match self.depth_of(a, b, options, workspace) {
                Ok(found) => found,
                Err(error) => {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            };
            if found.depth.upper > 0.0 {
                scratch.deep.push(Deep { a, b, upper: found.depth.upper, normal: found.normal });
            }
            if found.depth.lower > deepest.depth.lower {
                deepest = found;
            }
            if scratch.deep.len() >= PARTS_OVERLAPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        scratch.deep.sort_by(|p, q| q.upper.total_cmp(&p.upper).then((p.a, p.b).cmp(&(q.a, q.b))));
        let (out, length) = self.separating_translation(scratch, workspace).ok_or(QueryError::Unbounded)?;
        // A translation rotates and stretches with the frame.
        let moved = self.pose_a.rotation() * out;
        let upper = moved.length() * length * ROUND_UP;
        let lower = deepest.depth.lower.min(upper);
        let complete = self.is_within(DEPTH_ACCURACY, upper - lower);
        let tolerance = options.tolerance;
        let stopped = if upper - lower <= tolerance { Stopped::Tolerance(tolerance) } else { Stopped::Budget };
        Ok(Penetration {
            depth: Bracket { value: (upper - PARTS_SEPARATION_MARGIN * self.scale).max(lower), lower, upper },
            method: if complete { Method::Parts } else { Method::PartsStopped(stopped) },
            normal: moved.normalize(),
            ..deepest
        })
    }

    /// The shortest candidate translation of B that separates everything: unit direction and length in the frame of A.
    fn separating_translation(
        &self,
        scratch: &mut PartsScratch,
        workspace: &mut ConvexWorkspace,
    ) -> Option<(DVec3, f64)> {
        let margin = PARTS_SEPARATION_MARGIN * self.scale;
        let mut best: Option<(DVec3, f64)> = None;
        let (box_a, box_b) = (self.a.node(0).0, self.b.node(0).0);
        for direction in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z] {
            let mut length = self.past_boxes(&box_a, &box_b, direction) + margin;
            // Rounding between the boxes is far below the margin, unless coordinates are far larger than `L`.
            for _ in 0..PARTS_SEPARATION_STEPS {
                let there = Parts { moved: direction * length, ..*self };
                if length >= best.map_or(f64::INFINITY, |best| best.1) {
                    break;
                }
                if there.box_bound(&box_a, &box_b) > 0.0 {
                    best = Some((direction, length));
                }
                length = 2.0 * length + margin;
            }
        }
        // Height-field prisms (`height_field.rs`) are left upwards, however long their boxes are.
        let upwards = scratch.deep.first().map(|deepest| (DVec3::Z, deepest.upper));
        let proposed = scratch.deep.len().min(PARTS_SEPARATION_PROPOSALS);
        for k in 0..proposed + usize::from(upwards.is_some()) {
            let deep = scratch.deep[..proposed].get(k).map(|deep| (deep.normal, deep.upper));
            let Some((normal, upper)) = deep.or(upwards) else { break };
            let limit = best.map_or(f64::INFINITY, |best| best.1);
            if let Some(length) = self.cleared(normal, upper + margin, limit, &mut scratch.heap, workspace) {
                best = Some((normal, length));
            }
        }
        best
    }

    /// How far one box must move along a unit direction to clear the other, both as seen in the frame of A.
    fn past_boxes(&self, a: &Aabb, b: &Aabb, direction: DVec3) -> f64 {
        let at_a = a.center() - self.middle_a;
        let at_b = self.map.turn(b.center() - self.middle_b) + self.map.translation + self.moved;
        let back = self.map.turn_back(direction);
        let half = 0.5 * (direction.abs().dot(a.size()) + back.abs().dot(b.size()));
        let past = half - direction.dot(at_b - at_a);
        // Rounded: a proposal, not a proof.
        past.max(0.0) * (1.0 + 4.0 * self.defect)
    }

    /// The length, at least `start` and below `limit`, of a translation along a unit direction after which all pairs of
    /// parts are proved separated.
    fn cleared(
        &self,
        direction: DVec3,
        start: f64,
        limit: f64,
        heap: &mut BinaryHeap<Waiting>,
        workspace: &mut ConvexWorkspace,
    ) -> Option<f64> {
        let margin = PARTS_SEPARATION_MARGIN * self.scale;
        let mut length = start;
        for _ in 0..PARTS_SEPARATION_STEPS {
            if length >= limit {
                return None;
            }
            let there = Parts { moved: direction * length, ..*self };
            let mut more: Option<f64> = None;
            there.descend(heap, 0.0, |a, b, _| {
                let ask = DistanceOptions { farther_than: Some(0.0), ..DistanceOptions::default() };
                if there.between(a, b, &ask, workspace).gap.lower > 0.0 {
                    return ControlFlow::Continue(());
                }
                let by_planes =
                    there.depth_of(a, b, &PenetrationOptions::default(), workspace).ok().and_then(|depth| {
                        let along = depth.normal.dot(direction);
                        (along > 0.05).then_some(depth.depth.upper / along)
                    });
                let step = by_planes.unwrap_or_else(|| {
                    let (own_a, own_b) = (there.part_box(a, true), there.part_box(b, false));
                    there.past_boxes(&own_a, &own_b, direction)
                });
                more = Some(more.unwrap_or(0.0).max(step));
                ControlFlow::Continue(())
            });
            match more {
                None => return Some(length),
                Some(more) => length += more + margin,
            }
        }
        None
    }

    fn part_box(&self, part: u32, of_a: bool) -> Aabb {
        match if of_a { self.a } else { self.b } {
            PartsOf::Whole(shape) => shape.bounds(),
            PartsOf::Compound(compound) => compound.boxes()[part as usize],
            PartsOf::Mesh(mesh) => mesh.surface().triangle(part).bounds(),
        }
    }
}
