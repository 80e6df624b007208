//! First contact of moving bodies of any kind, seen only through their distance.
//!
//! For bodies that have no numbered vertices: the gap at a time is what [`distance`](super::distance) proves of the bodies as
//! they stand then. Convex bodies are advanced by the planes across its normal. A compound has no one plane between it and
//! another body; its gap shrinks no faster than the whole speed of the motion, and that is what each step is measured by.
//! Contact itself is not proved unless a margin bridges what rounding leaves: the answer says how near they come.

use glam::DVec3;

use super::answer::Distance;
use super::distance::{DistanceOptions, distance_with};
use super::impact::{ContactPairs, Impact, ImpactOptions};
use super::moving::Moving;
use super::workspace::{PairCache, Workspace};
use crate::math::double_double::{two_prod, two_sum};
use crate::math::pose::Pose;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::motion::advance::{Course, Reached, Reading, advance, closing};

/// The pair of a question with the distance at the time that was looked at last.
struct Search<'q, 's> {
    moving: &'q Moving<'s>,
    options: &'q ImpactOptions,
    cache: &'q mut PairCache,
    workspace: &'q mut Workspace,
    seen: Option<(f64, Distance)>,
    /// Upper bound of the gap, less the margin, at that time.
    upper: f64,
}

/// The first contact, in the order of the moving pair.
pub(super) fn impact(
    moving: &Moving<'_>,
    options: &ImpactOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Option<Impact> {
    let mut search = Search { moving, options, cache, workspace, seen: None, upper: f64::MAX };
    let mut reached = match advance(moving.world, 0.0, options.tolerance, |time| search.read(time)) {
        Course::Clear => return None,
        Course::Near(reached) => reached,
    };
    if search.seen.is_none_or(|(time, _)| time != reached.lower) {
        search.read(reached.lower);
        reached.steps += 1;
    }
    search.answer(&reached)
}

impl Search<'_, '_> {
    fn read(&mut self, time: f64) -> Reading {
        let placed = &self.moving.start;
        let from = placed.pose_b.translation();
        let (mut to, mut off) = (from, DVec3::ZERO);
        for k in 0..3 {
            let (way, product_error) = two_prod(time, self.moving.world[k]);
            let (sum, sum_error) = two_sum(from[k], way);
            to[k] = sum;
            off[k] = product_error.abs() + sum_error.abs();
        }
        // The displacement itself is off by a rounding of each coordinate.
        let off = (off.length() + UNIT_ROUNDOFF * time * self.moving.world.length()) * ROUND_UP;
        let Ok(pose_b) = Pose::new(placed.pose_b.rotation(), to) else {
            // Out of range of poses: nothing is known.
            return Reading { upper: f64::MAX, plane: None };
        };
        let options = DistanceOptions::default();
        let (a, b) = (placed.shape_a, placed.shape_b);
        let distance = distance_with(a, placed.pose_a, b, &pose_b, &options, self.cache, self.workspace);
        let margin = self.options.margin;
        let upper = (distance.upper + off - margin).next_up().next_up();
        let lower = (distance.lower - off - margin).next_down().next_down();
        let against = -self.moving.world.normalize_or(DVec3::X);
        let plane = (distance.value > 0.0).then_some((lower, against));
        self.seen = Some((time, distance));
        self.upper = upper;
        Reading { upper, plane }
    }

    fn answer(&mut self, reached: &Reached) -> Option<Impact> {
        let (_, distance) = self.seen?;
        let started = reached.lower == 0.0 && distance.value <= self.options.margin;
        let mut upper = reached.lower;
        let mut touches = self.upper <= 0.0;
        let gap = self.upper.max(0.0);
        let normal = distance.normal;
        if !touches
            && !started
            && let Some(normal) = normal
            && let (slow, _) = closing(normal, self.moving.world)
            && slow > 0.0
        {
            // With a margin, contact is proved a little later.
            let later = (reached.lower + 2.0 * gap / slow).next_up().min(1.0);
            if self.options.margin > 0.0 && self.read(later).upper <= 0.0 {
                (touches, upper) = (true, later);
            }
        }
        Some(Impact {
            t: reached.lower,
            lower: reached.lower,
            upper,
            touches,
            gap: if touches { 0.0 } else { gap },
            margin: self.options.margin,
            placement: distance.placement,
            point_in_a: distance.point_in_a,
            point_in_b: distance.point_in_b,
            feature_a: distance.feature_a,
            feature_b: distance.feature_b,
            normal: if started { None } else { normal },
            started_overlapping: started,
            evidence: ContactPairs::default(),
            deep: None,
            part_a: distance.part_a,
            part_b: distance.part_b,
            algorithm: self.options.algorithm,
            steps: reached.steps,
        })
    }
}
