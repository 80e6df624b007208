//! First contact of moving bodies made of parts: the earliest of all pairs of parts.
//!
//! Best-first descent of both trees of boxes, as for distances ([`parts`](super::parts)), by the time at which two boxes, one of
//! them moving, begin to overlap: the latest of the times at which they do along each axis (Eberle, "Primitive tests",
//! section 4, on moving boxes). A pair of parts is asked about when it is its turn, and the descent ends when the next
//! boxes meet later than contact is known. So `lower` is the least over all pairs: of those asked, and of those that cannot
//! meet before.
//!
//! Frames are those of [`parts`](super::parts): A moved to its middle. What composing poses there costs is handed to the
//! question about two parts as a displacement of their points ([`Moving::of_parts`]), so its brackets are those of the bodies
//! in the world.

use std::collections::BinaryHeap;

use glam::DVec3;

use super::impact::{Impact, ImpactOptions, of_convex};
use super::moving::{Moving, Starts};
use super::parts::{Parts, Waiting};
use super::workspace::{PairCache, Workspace};
use crate::bound::Aabb;
use crate::math::placement::{Placement, difference};
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::motion::Motion;
use crate::shape::Below;

/// Two bodies of which one at least is made of parts, and how the second moves relative to the first, in its frame.
struct Course<'q, 's> {
    parts: &'q Parts<'s>,
    options: &'q ImpactOptions,
    way: DVec3,
    /// How far `way` is off.
    error: f64,
}

/// The first contact, in the caller's order.
pub(super) fn impact(
    parts: &Parts<'_>,
    motion_a: &Motion,
    motion_b: &Motion,
    options: &ImpactOptions,
    workspace: &mut Workspace,
) -> Option<Impact> {
    let (of_a, of_b) = (motion_a.displacement(), motion_b.displacement());
    let (high, low) = if parts.swapped { difference(of_a, of_b) } else { difference(of_b, of_a) };
    let (way, error) = Placement::displacement(parts.pose_a, high, low);
    let course = Course { parts, options, way, error };
    let mut scratch = std::mem::take(&mut workspace.parts);
    let found = course.first(&mut scratch.heap, workspace);
    workspace.parts = scratch;
    found.map(|impact| if parts.swapped { impact.swapped() } else { impact })
}

impl Course<'_, '_> {
    /// The first contact in our own order of the bodies.
    fn first(&self, heap: &mut BinaryHeap<Waiting>, workspace: &mut Workspace) -> Option<Impact> {
        let Parts { a, b, .. } = self.parts;
        heap.clear();
        let push = |heap: &mut BinaryHeap<Waiting>, (a_node, b_node): (u32, u32), since: f64| {
            if let Some(time) = self.enters(&a.node(a_node).0, &b.node(b_node).0) {
                heap.push(Waiting { bound: time.max(since), a: a_node, b: b_node });
            }
        };
        push(heap, (0, 0), 0.0);
        let mut best: Option<Impact> = None;
        let (mut lower, mut limit, mut steps) = (1.0f64, 1.0f64, 0);
        while let Some(next) = heap.pop() {
            if next.bound > limit {
                break;
            }
            let ((box_a, below_a), (box_b, below_b)) = (a.node(next.a), b.node(next.b));
            let larger_a = box_a.size().length_squared() >= box_b.size().length_squared();
            match (below_a, below_b) {
                (Below::Part(part_a), Below::Part(part_b)) => {
                    let Some(found) = self.between(part_a, part_b, workspace) else { continue };
                    lower = lower.min(found.lower);
                    steps += found.steps;
                    // Where contact is not proved, a pair that touches at about that time is worth a look.
                    let doubt = 4.0 * found.gap / self.way.length().max(f64::MIN_POSITIVE) + 64.0 * UNIT_ROUNDOFF;
                    limit = limit.min(if found.touches { found.upper } else { found.upper + doubt });
                    if best.is_none_or(|best| is_better(&found, &best)) {
                        best = Some(found);
                    }
                    if found.started_overlapping && found.touches {
                        break;
                    }
                }
                (below, other) => {
                    if !matches!(below, Below::Part(_)) && (larger_a || matches!(other, Below::Part(_))) {
                        below.nodes().for_each(|node| push(heap, (node, next.b), next.bound));
                    } else {
                        other.nodes().for_each(|node| push(heap, (next.a, node), next.bound));
                    }
                }
            }
        }
        best.map(|best| {
            let (part_a, feature_a) = a.named(best.part_a, best.feature_a);
            let (part_b, feature_b) = b.named(best.part_b, best.feature_b);
            Impact { lower: lower.min(best.lower), steps, part_a, feature_a, part_b, feature_b, ..best }
        })
    }

    /// When two boxes begin to overlap, or are as near as the margin, rounded down; `None` if they do not in this step.
    fn enters(&self, a: &Aabb, b: &Aabb) -> Option<f64> {
        let (between, halves, slack) = self.parts.boxes(a, b);
        // Sums and products here are off by less than 4u of what goes in; margins are lengths in the world.
        let room = slack
            + self.options.margin * (1.0 + 4.0 * self.parts.map.stretch)
            + self.error
            + 4.0 * UNIT_ROUNDOFF * (between.abs() + halves + self.way.abs()).element_sum();
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for k in 0..3 {
            let (x, h, way) = (between[k], halves[k] + room, self.way[k]);
            if way == 0.0 {
                if x.abs() > h {
                    return None;
                }
                continue;
            }
            let (p, q) = ((-h - x) / way, (h - x) / way);
            // Boxes without end leave no number, and `max` and `min` then keep what there is.
            enter = enter.max(p.min(q) * (1.0 - 4.0 * UNIT_ROUNDOFF));
            leave = leave.min(p.max(q) * (1.0 + 4.0 * UNIT_ROUNDOFF));
        }
        // Written so that what is no number meets.
        if enter > leave { None } else { Some(enter) }
    }

    /// The first contact of two parts, in our own order of the bodies and in the world.
    fn between(&self, part_a: u32, part_b: u32, workspace: &mut Workspace) -> Option<Impact> {
        let pair = self.parts.pair(part_a, part_b);
        let starts = Starts(pair.pose_a, pair.pose_b);
        let moving =
            Moving::of_parts((&pair.a, &pair.b), &starts, (self.way, self.error), (pair.off, self.parts.map.stretch));
        let found = of_convex(&moving, self.options, &mut PairCache::default(), workspace)?;
        let (point_in_a, point_in_b) = self.parts.own_points(part_a, part_b, found.point_in_a, found.point_in_b);
        let normal = found.normal.map(|normal| self.parts.world_normal(normal));
        Some(Impact { part_a, part_b, point_in_a, point_in_b, normal, ..found })
    }
}

/// Whether a contact is to be named rather than another: one at the start, then the earlier one, but one that is proved rather
/// than one that is not and may be as late.
fn is_better(new: &Impact, old: &Impact) -> bool {
    if new.started_overlapping != old.started_overlapping {
        return new.started_overlapping;
    }
    let parts = |impact: &Impact| (impact.part_a, impact.part_b);
    match (new.touches, old.touches) {
        (true, false) => new.lower <= old.upper,
        (false, true) => new.upper < old.lower,
        _ => new.t.total_cmp(&old.t).then_with(|| parts(new).cmp(&parts(old))).is_lt(),
    }
}
