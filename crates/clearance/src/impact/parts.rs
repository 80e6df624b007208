//! First contact of moving bodies made of parts: the earliest of all pairs of parts.
//!
//! Best-first descent of both trees of boxes, as for distances ([`compound::parts`](crate::compound::parts)), by the
//! time at which two boxes, one of them moving, begin to overlap: the latest of the times at which they do along each
//! axis (Eberle, "Primitive tests", section 4, on moving boxes). A pair of parts is queried when it is popped, and the
//! descent ends when the next boxes meet later than a known contact. So `lower` is the least over all pairs: those
//! queried, and those that cannot meet before.
//!
//! Frames are those of [`compound::parts`](crate::compound::parts): A moved to its middle. The error of composing poses
//! there is passed to the query about two parts as a displacement of their points ([`Moving::of_parts`]), so its
//! brackets are those of the bodies in the world.
//!
//! Two meshes may also be searched by features ([`meshes`](super::meshes)).

use std::collections::BinaryHeap;

use glam::DVec3;

use crate::answer::impact::{Impact, ImpactOptions};
use crate::bound::Aabb;
use crate::compound::parts::Parts;
use crate::compound::scratch::Waiting;
use crate::convex::pair::cache::PairCache;
use crate::impact::convex;
use crate::impact::moving::{Moving, Starts};
use crate::math::bracket::Bracket;
use crate::math::cancel::checkpoint;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::pair::workspace::Workspace;
use crate::shape::Below;

/// Two bodies, at least one of them made of parts, and the motion of the second relative to the first, in its frame.
pub(crate) struct Course<'q, 's> {
    pub parts: &'q Parts<'s>,
    pub options: &'q ImpactOptions,
    pub way: DVec3,
    /// A bound on the error of `way`.
    pub error: f64,
}

/// The first contact so far, from the pairs of parts queried.
pub(crate) struct Known {
    best: Option<Impact>,
    /// No queried pair touches before.
    lower: f64,
    /// Pairs that cannot meet by then are skipped.
    pub limit: f64,
    steps: u32,
}

impl Known {
    pub fn nothing() -> Known {
        Known { best: None, lower: 1.0, limit: 1.0, steps: 0 }
    }

    /// Adds the answer for a pair.
    pub fn add(&mut self, found: &Impact, way: DVec3) {
        self.lower = self.lower.min(found.time.lower);
        self.steps += found.steps;
        // If contact is not proved, pairs that touch at about that time are still queried.
        let doubt = 4.0 * found.gap / way.length().max(f64::MIN_POSITIVE) + 64.0 * UNIT_ROUNDOFF;
        self.limit = self.limit.min(if found.touches { found.time.upper } else { found.time.upper + doubt });
        if self.best.is_none_or(|best| is_better(found, &best)) {
            self.best = Some(*found);
        }
    }

    /// Whether the bodies are proved in contact at the start: nothing can be earlier.
    pub fn is_final(&self) -> bool {
        self.best.is_some_and(|best| best.started_overlapping && best.touches)
    }

    /// The first contact in the caller's terms.
    pub fn answer(&self, parts: &Parts<'_>) -> Option<Impact> {
        self.best.map(|best| {
            let (part_a, feature_a) = parts.a.named(best.witness.a.part, best.witness.a.feature);
            let (part_b, feature_b) = parts.b.named(best.witness.b.part, best.witness.b.feature);
            let lower = self.lower.min(best.time.lower);
            Impact {
                time: Bracket { lower, ..best.time },
                steps: self.steps,
                witness: best.witness.with_parts(part_a, part_b).with_features(feature_a, feature_b),
                ..best
            }
        })
    }
}

impl Course<'_, '_> {
    /// The first contact in the internal order of the bodies.
    pub fn first(&self, heap: &mut BinaryHeap<Waiting>, workspace: &mut Workspace) -> Known {
        let Parts { a, b, .. } = self.parts;
        heap.clear();
        let push = |heap: &mut BinaryHeap<Waiting>, (a_node, b_node): (u32, u32), since: f64| {
            if let Some(time) = self.enters(&a.node(a_node).0, &b.node(b_node).0) {
                heap.push(Waiting { bound: time.max(since), a: a_node, b: b_node });
            }
        };
        push(heap, (0, 0), 0.0);
        let mut known = Known::nothing();
        while let Some(next) = heap.pop() {
            checkpoint();
            if next.bound > known.limit {
                break;
            }
            let ((box_a, below_a), (box_b, below_b)) = (a.node(next.a), b.node(next.b));
            let larger_a = box_a.size().length_squared() >= box_b.size().length_squared();
            match (below_a, below_b) {
                (Below::Part(part_a), Below::Part(part_b)) => {
                    let Some(found) = self.between(part_a, part_b, workspace) else { continue };
                    known.add(&found, self.way);
                    if known.is_final() {
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
        known
    }

    /// The time at which two boxes begin to overlap, or come within the margin, rounded down; `None` if they do not in
    /// this step.
    fn enters(&self, a: &Aabb, b: &Aabb) -> Option<f64> {
        let (between, halves, slack) = self.parts.boxes(a, b);
        // Sums and products here are off by less than 4u of their inputs; margins are lengths in the world.
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
            // Unbounded boxes give NaN, which `max` and `min` ignore.
            enter = enter.max(p.min(q) * (1.0 - 4.0 * UNIT_ROUNDOFF));
            leave = leave.min(p.max(q) * (1.0 + 4.0 * UNIT_ROUNDOFF));
        }
        // Written so that NaN counts as meeting.
        if enter > leave { None } else { Some(enter) }
    }

    /// The first contact of two parts, in the internal order of the bodies and in the world.
    pub fn between(&self, part_a: u32, part_b: u32, workspace: &mut Workspace) -> Option<Impact> {
        let pair = self.parts.pair(part_a, part_b);
        let starts = Starts(pair.pose_a, pair.pose_b);
        let moving =
            Moving::of_parts((&pair.a, &pair.b), &starts, (self.way, self.error), (pair.off, self.parts.map.stretch));
        let found = convex::first_contact(&moving, self.options, &mut PairCache::default(), workspace)?;
        let (point_in_a, point_in_b) =
            self.parts.own_points(part_a, part_b, found.witness.a.point, found.witness.b.point);
        let normal = found.normal.map(|normal| self.parts.world_normal(normal));
        Some(Impact {
            witness: found.witness.with_parts(part_a, part_b).with_points(point_in_a, point_in_b),
            normal,
            ..found
        })
    }
}

/// Whether a contact is reported rather than another: one at the start first, then the earlier one, but a proved one
/// before an unproved one that may be as late.
fn is_better(new: &Impact, old: &Impact) -> bool {
    if new.started_overlapping != old.started_overlapping {
        return new.started_overlapping;
    }
    let parts = |impact: &Impact| (impact.witness.a.part, impact.witness.b.part);
    match (new.touches, old.touches) {
        (true, false) => new.time.lower <= old.time.upper,
        (false, true) => new.time.upper < old.time.lower,
        _ => new.time.value.total_cmp(&old.time.value).then_with(|| parts(new).cmp(&parts(old))).is_lt(),
    }
}
