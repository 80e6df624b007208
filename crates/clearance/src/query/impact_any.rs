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
use crate::shape::Shape;

/// The pair of a question with the distance at the time that was looked at last.
struct Search<'q, 's> {
    moving: &'q Moving<'s>,
    options: &'q ImpactOptions,
    cache: &'q mut PairCache,
    workspace: &'q mut Workspace,
    seen: Option<(f64, Distance)>,
    /// Upper bound of the gap, less the margin, at that time.
    upper: f64,
    /// One of the bodies is a compound.
    in_parts: bool,
}

/// The first contact, in the order of the moving pair.
pub(super) fn impact(
    moving: &Moving<'_>,
    options: &ImpactOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Option<Impact> {
    let in_parts = [moving.start.shape_a, moving.start.shape_b].iter().any(|s| matches!(s, Shape::Compound(_)));
    let mut search = Search { moving, options, cache, workspace, seen: None, upper: f64::MAX, in_parts };
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
        let normal = if self.in_parts { Some(-self.moving.world.normalize_or(DVec3::X)) } else { distance.normal };
        let plane = normal.filter(|_| distance.value > 0.0).map(|normal| (lower, normal));
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
        let normal = reached.normal.filter(|_| !self.in_parts).or(distance.normal);
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
            algorithm: self.options.algorithm,
            steps: reached.steps,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Motion;
    use crate::query::impact::time_of_impact;
    use crate::query::moving::Starts;

    fn turned(angle: f64, x: f64, y: f64) -> Pose {
        Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), angle, DVec3::new(x, y, 0.5)).unwrap()
    }

    /// Bodies with vertices can be asked about both ways.
    #[test]
    fn agrees_with_the_search_that_knows_vertices() {
        let shapes = [
            Shape::sphere(0.5).unwrap(),
            Shape::cuboid(DVec3::new(1.0, 0.5, 0.25)).unwrap(),
            Shape::capsule(1.0, 0.25).unwrap(),
            Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap(),
        ];
        let mut hits = 0;
        for (i, a) in shapes.iter().enumerate() {
            for (j, b) in shapes.iter().enumerate() {
                for k in 0..6 {
                    let y = 0.4 * f64::from(k);
                    let motion_a = Motion::still(turned(i as f64, 0.0, 0.0));
                    let motion_b =
                        Motion::translation(turned(j as f64 + 0.3, -6.0, y), DVec3::new(9.0, -0.2, 0.1)).unwrap();
                    let starts = Starts(motion_a.start(), motion_b.start());
                    let moving = Moving::new(a, &motion_a, b, &motion_b, &starts);
                    let options = ImpactOptions::default();
                    let any = impact(&moving, &options, &mut PairCache::default(), &mut Workspace::default());
                    let known = time_of_impact(a, &motion_a, b, &motion_b);
                    assert_eq!(any.is_some(), known.is_some(), "{i} {j} {k}");
                    if let (Some(any), Some(known)) = (any, known) {
                        hits += 1;
                        assert!(any.lower <= known.upper && any.gap < 1e-13, "{any:?}\n{known:?}");
                        assert!((any.t - known.t).abs() < 1e-13, "{any:?}\n{known:?}");
                    }
                }
            }
        }
        assert!(hits > 30, "{hits}");
    }

    /// Steps by the whole speed, as for bodies in parts, come to the same time from below.
    #[test]
    fn bodies_in_parts_are_stepped_by_their_speed() {
        let (ball, cube) = (Shape::sphere(0.5).unwrap(), Shape::cuboid(DVec3::ONE).unwrap());
        let motion_a = Motion::still(Pose::IDENTITY);
        let motion_b = Motion::translation(turned(0.3, -6.0, 0.2), DVec3::new(9.0, -0.2, 0.1)).unwrap();
        let starts = Starts(motion_a.start(), motion_b.start());
        let moving = Moving::new(&cube, &motion_a, &ball, &motion_b, &starts);
        let options = ImpactOptions::default();
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let mut search = Search {
            moving: &moving,
            options: &options,
            cache: &mut cache,
            workspace: &mut workspace,
            seen: None,
            upper: f64::MAX,
            in_parts: true,
        };
        let known = time_of_impact(&cube, &motion_a, &ball, &motion_b).unwrap();
        let Course::Near(reached) = advance(moving.world, 0.0, 0.0, |time| search.read(time)) else { panic!() };
        assert!(reached.lower <= known.upper && known.t - reached.lower < 1e-12, "{reached:?}\n{known:?}");
        let away = Motion::translation(turned(0.3, -6.0, 0.2), DVec3::new(9.0, 9.0, 0.1)).unwrap();
        let moving = Moving::new(&cube, &motion_a, &ball, &away, &starts);
        search.moving = &moving;
        assert!(matches!(advance(moving.world, 0.0, 0.0, |time| search.read(time)), Course::Clear));
    }
}
