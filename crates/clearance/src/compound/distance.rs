//! Distance and intersection where at least one of the two bodies is made of parts.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec3;

use super::parts::{Parts, PartsOf, TwoParts};
use super::scratch::{PartsScratch, Waiting};
use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::intersects::IntersectsOptions;
use crate::answer::method::Method;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::distance as convex;
use crate::convex::pair::intersects::intersects;
use crate::convex::workspace::{ConvexWorkspace, with_convex_workspace};
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, CONTACT_POINT};
use crate::mesh::inside::winding;
use crate::shape::{Feature, PairKind, Shape};

impl Parts<'_> {
    /// See [`distance`](crate::distance()).
    pub fn distance(
        &self,
        options: &DistanceOptions,
        workspace: &mut ConvexWorkspace,
        scratch: &mut PartsScratch,
    ) -> Distance {
        let answer = self.nearest(options, &mut scratch.heap, workspace);
        let answer = self.in_callers_terms(answer);
        if answer.gap.value > 0.0
            && let Some(point) = self.contained()
        {
            return self.holding(answer, point);
        }
        answer
    }

    /// The answer in the caller's order of the bodies and triangle indices.
    pub fn in_callers_terms(&self, answer: Distance) -> Distance {
        let (part_a, feature_a) = self.a.named(answer.witness.a.part, answer.witness.a.feature);
        let (part_b, feature_b) = self.b.named(answer.witness.b.part, answer.witness.b.feature);
        let answer = Distance {
            witness: answer.witness.with_parts(part_a, part_b).with_features(feature_a, feature_b),
            ..answer
        };
        if self.swapped { answer.swapped() } else { answer }
    }

    /// For bodies whose surfaces do not meet: a point of one body, in the frame of A centred on A's middle, inside the
    /// other, a solid mesh.
    fn contained(&self) -> Option<DVec3> {
        let inverse = || self.map.rotation.inverse();
        let in_a = |p: DVec3| self.map.place(p - self.middle_b);
        let in_b = |p: DVec3| inverse() * (p - self.map.translation);
        match (self.a, self.b) {
            (PartsOf::Mesh(mesh), other) if mesh.is_solid() => other
                .points()
                .map(in_a)
                .find(|&p| winding(mesh.surface(), p + (self.middle_a - mesh.surface().origin)) != 0),
            (other, PartsOf::Mesh(mesh)) if mesh.is_solid() => other
                .points()
                .map(|p| p - self.middle_a)
                .find(|&p| winding(mesh.surface(), in_b(p) + (self.middle_b - mesh.surface().origin)) != 0),
            _ => None,
        }
    }

    /// The answer where one body contains a point of the other, given in the frame of A centred on A's middle.
    fn holding(&self, apart: Distance, point: DVec3) -> Distance {
        let back = self.map.rotation.inverse() * (point - self.map.translation);
        let (own_a, own_b) = (point + self.middle_a, back + self.middle_b);
        let size = self.scale + self.middle_a.length() + self.middle_b.length();
        Distance {
            gap: Bracket {
                value: 0.0,
                lower: 0.0,
                upper: (apart.placement + CONTACT_POINT * size) * (1.0 + 2.0 * self.map.stretch),
            },
            method: Method::Parts,
            witness: Witness {
                a: WitnessPoint {
                    point: if self.swapped { own_b } else { own_a },
                    feature: Feature::Interior,
                    ..apart.witness.a
                },
                b: WitnessPoint {
                    point: if self.swapped { own_a } else { own_b },
                    feature: Feature::Interior,
                    ..apart.witness.b
                },
            },
            normal: None,
            ..apart
        }
    }

    /// The distance of two parts; its bracket contains the true value, the normal is still in the frame of A.
    pub fn between(
        &self,
        part_a: u32,
        part_b: u32,
        options: &DistanceOptions,
        workspace: &mut ConvexWorkspace,
    ) -> Distance {
        let pair = self.pair(part_a, part_b);
        // Beyond this bound in the world as well.
        let farther_than = options.farther_than.map(|d| d + 2.0 * self.widening(&pair, d));
        let options = DistanceOptions { farther_than, ..*options };
        let TwoParts { ref a, ref b, ref pose_a, ref pose_b, .. } = pair;
        let found = convex::distance(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace);
        let (point_in_a, point_in_b) = self.own_points(part_a, part_b, found.witness.a.point, found.witness.b.point);
        Distance {
            gap: Bracket {
                lower: (found.gap.lower - self.widening(&pair, found.gap.lower)).max(0.0),
                upper: found.gap.upper + self.widening(&pair, found.gap.upper),
                ..found.gap
            },
            placement: found.placement + pair.off,
            witness: found.witness.with_parts(part_a, part_b).with_points(point_in_a, point_in_b),
            ..found
        }
    }

    /// The distance in the internal order of the bodies.
    pub fn nearest(
        &self,
        options: &DistanceOptions,
        heap: &mut BinaryHeap<Waiting>,
        workspace: &mut ConvexWorkspace,
    ) -> Distance {
        let enough =
            options.farther_than.map_or(f64::INFINITY, |d| if d.is_nan() { f64::INFINITY } else { d.max(0.0) });
        let mut best: Option<Distance> = None;
        let mut lower = f64::INFINITY;
        let beyond = self.descend_by_bounds(heap, f64::INFINITY, |part_a, part_b, bound, limit| {
            let farther_than = (*limit < f64::INFINITY || enough < f64::INFINITY).then_some(limit.min(enough));
            let options = DistanceOptions { farther_than, ..*options };
            let found = self.between(part_a, part_b, &options, workspace);
            // Where rounding cancels a gap entirely, the boxes may still prove one: their coordinates may be smaller
            // than those of the parts. The normal, taken from the parts, proves it up to rounding.
            let by_boxes = bound.min(0.25 * ACCURACY * self.scale);
            lower = lower.min(if found.gap.lower > 0.0 { found.gap.lower } else { by_boxes });
            // Intersecting parts decide, even if parts separated by less than rounding have a smaller upper bound.
            let meets = found.gap.value == 0.0;
            if meets || best.is_none_or(|best| found.gap.upper < best.gap.upper) {
                best = Some(found);
                *limit = found.gap.upper.min(enough);
            }
            if meets { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        // Without a limit, the first descent arrives at a pair of parts.
        let best = best.unwrap_or_else(|| self.between(0, 0, options, workspace));
        let lower = if best.gap.value == 0.0 { 0.0 } else { lower.min(beyond).min(best.gap.upper) };
        let complete = self.is_within(ACCURACY, best.gap.upper - lower);
        Distance {
            gap: Bracket { value: best.gap.value.max(lower).min(best.gap.upper), lower, ..best.gap },
            method: if complete {
                Method::Parts
            } else {
                Method::PartsStopped(options.why_stopped([lower, best.gap.upper]))
            },
            normal: best.normal.map(|normal| self.world_normal(normal)),
            ..best
        }
    }

    /// See [`intersects`](crate::intersects()).
    pub fn intersects(
        &self,
        options: &IntersectsOptions,
        workspace: &mut ConvexWorkspace,
        scratch: &mut PartsScratch,
    ) -> bool {
        let mut meets = false;
        self.descend(&mut scratch.heap, options.margin.max(0.0), |part_a, part_b, _| {
            let TwoParts { a, b, pose_a, pose_b, .. } = &self.pair(part_a, part_b);
            meets = intersects(a, pose_a, b, pose_b, options, &mut PairCache::default(), workspace);
            if meets { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        meets || self.contained().is_some()
    }
}

/// The distance of two bodies other than height fields, without a cache.
pub(crate) fn distance_once(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Distance {
    if let PairKind::Convex = PairKind::of(a, b) {
        return convex::distance_once(a, pose_a, b, pose_b);
    }
    let options = DistanceOptions::default();
    with_convex_workspace(|workspace| {
        Parts::new(a, pose_a, b, pose_b).distance(&options, workspace, &mut PartsScratch::default())
    })
}
