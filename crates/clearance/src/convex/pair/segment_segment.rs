//! Distance of two segments or capsules, in the world.
//!
//! Each segment has only a start and a vector to its end, so placing both in the world costs less than forming the map
//! from one frame to the other, and in the world nothing is stretched. The closed form and the direction of the proof
//! are those of [`segments`]; the bracket is proved by the planes perpendicular to that direction through the ends.
//!
//! As for a sphere ([`sphere_convex`](super::sphere_convex)), nothing is decided here that rounding could reverse in
//! the placed pair; close to contact, and where the closed form's bracket is too wide, queries fall back to the general
//! path.

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::Method;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::pair::far_apart::placement;
use crate::convex::pair::placed::{round_down, round_up};
use crate::convex::segments;
use crate::math::bracket::Bracket;
use crate::math::placement::origin_difference;
use crate::math::pose::Pose;
use crate::math::tolerances::{
    CONTACT_POINT, GJK_ACCEPT, SEGMENT_WORLD_BOUND, SEGMENT_WORLD_DOUBT, SMALLEST_DIRECTION, SMALLEST_REACH,
    UNIT_ROUNDOFF,
};
use crate::shape::{Feature, PairKind, Shape, is_frame_b, order};

/// A segment in the world, relative to the translation of its pose, with its quantities.
pub(crate) struct Line {
    /// In its own frame, relative to the local origin.
    pub start: DVec3,
    pub along: DVec3,
    pub radius: f64,
    pub extent: f64,
    /// The local origin.
    pub origin: DVec3,
}

impl Line {
    /// The core of a capsule, a segment or a rounded segment; `None` for others.
    #[inline(always)]
    pub fn of(shape: &Shape) -> Option<Line> {
        match shape {
            Shape::Capsule(capsule) => {
                let half = capsule.half_length();
                let (start, along) = (DVec3::new(0.0, 0.0, -half), DVec3::new(0.0, 0.0, 2.0 * half));
                Some(Line { start, along, radius: capsule.radius(), extent: half, origin: DVec3::ZERO })
            }
            Shape::Segment(segment) => {
                let corners = segment.corners();
                let [start, end] = corners.points;
                Some(Line { start, along: end - start, radius: 0.0, extent: corners.radius, origin: corners.origin })
            }
            Shape::Rounded(rounded) => match rounded.core() {
                segment @ Shape::Segment(_) => Some(Line { radius: rounded.radius(), ..Line::of(segment)? }),
                _ => None,
            },
            _ => None,
        }
    }

    /// The feature at a fraction of the length: a capsule has only one.
    #[inline(always)]
    pub fn feature(&self, shape: &Shape, fraction: f64) -> Feature {
        match shape {
            Shape::Capsule(_) => Feature::Face(0),
            _ if fraction == 0.0 => Feature::Vertex(0),
            _ if fraction == 1.0 => Feature::Vertex(1),
            _ => Feature::Edge(0),
        }
    }
}

/// The distance of two segments or capsules; `None` for other bodies, and where it is not decided here.
#[inline(never)]
pub(crate) fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Distance> {
    if !is_frame_b(PairKind::Convex, order(a, pose_a, b, pose_b)) {
        return in_order(a, pose_a, b, pose_b);
    }
    // The same bits when swapped, down to the sign of a zero.
    Some(in_order(b, pose_b, a, pose_a)?.swapped())
}

#[inline(always)]
fn in_order(shape_a: &Shape, pose_a: &Pose, shape_b: &Shape, pose_b: &Pose) -> Option<Distance> {
    let (a, b) = (Line::of(shape_a)?, Line::of(shape_b)?);
    let translations = pose_b.translation() - pose_a.translation();
    let (turn_a, turn_b) = (pose_a.rotation(), pose_b.rotation());
    let (along_a, along_b) = (turn_a * a.along, turn_b * b.along);
    let mut starts = (turn_b * (b.start + b.origin) - turn_a * (a.start + a.origin)) + translations;
    let sum = |v: DVec3| v.abs().element_sum();
    let extents = a.extent + b.extent;
    let mut size = (extents + sum(a.origin) + sum(b.origin)) + sum(translations);
    let mut origin_error = 0.0;
    if size > 4.0 * (extents + sum(starts)) {
        // Far from the origins of their frames: the difference of the local origins is computed more accurately.
        let (between, error) = origin_difference(pose_a, a.origin, pose_b, b.origin);
        starts = (turn_b * b.start - turn_a * a.start) + between;
        (size, origin_error) = (extents + sum(between), error);
    }
    let (s, t) = segments::nearest_along(along_a, along_b, starts);
    let between = (starts + along_b * t) - along_a * s;
    let length = between.length();
    let radii = a.radius + b.radius;
    // Written so that NaN is rejected.
    let plain = size > SMALLEST_REACH;
    if !plain {
        return None;
    }
    let error = SEGMENT_WORLD_BOUND * size + origin_error;
    let defects = 2.0 * (pose_a.defect() + pose_b.defect());
    let doubt = (SEGMENT_WORLD_DOUBT + defects) * size + 2.0 * origin_error + (16.0 * UNIT_ROUNDOFF + defects) * radii;
    // The closest points are no farther from the local origins than the ends are.
    let placement = placement(pose_a, b.extent, length + extents, size) + origin_error;
    let (point_a, point_b) = (a.origin + (a.start + a.along * s), b.origin + (b.start + b.along * t));
    if length < radii - doubt {
        // The gap between the cores is divided in proportion to the radii.
        let share = a.radius / radii;
        return Some(Distance {
            // As `Placed::contact_upper`, with the error of the ends in the world.
            gap: Bracket { value: 0.0, lower: 0.0, upper: placement + error + CONTACT_POINT * (size + 2.0 * radii) },
            placement,
            method: Method::Gjk,
            witness: Witness {
                a: WitnessPoint {
                    point: point_a + pose_a.inverse_rotation() * (between * share),
                    part: 0,
                    feature: Feature::Interior,
                },
                b: WitnessPoint {
                    point: point_b - pose_b.inverse_rotation() * (between * (1.0 - share)),
                    part: 0,
                    feature: Feature::Interior,
                },
            },
            normal: None,
        });
    }
    let direction = segments::direction((along_a, along_b), (s, t), between, length, size);
    let squared = direction.length_squared();
    let normal = direction * (1.0 / squared.sqrt());
    let width = normal.dot(along_a).max(0.0) - normal.dot(along_b).min(0.0);
    let (low, high) = ((normal.dot(starts) - width) - error, length + error);
    // Written so that NaN is rejected.
    let seen = low > radii + doubt
        && low <= high
        && high - low <= GJK_ACCEPT * size
        && squared > SMALLEST_DIRECTION * SMALLEST_DIRECTION;
    if !seen {
        return None;
    }
    let (lower, upper) = (round_down(low, radii).max(0.0), round_up(high, radii));
    let (mut point_in_a, mut point_in_b) = (point_a, point_b);
    if radii > 0.0 {
        let outward = between * (1.0 / length);
        point_in_a += pose_a.inverse_rotation() * (outward * a.radius);
        point_in_b -= pose_b.inverse_rotation() * (outward * b.radius);
    }
    Some(Distance {
        // The same as for other closed forms of closest points: the method whose accuracy they fulfil.
        gap: Bracket { value: (length - radii).max(lower).min(upper), lower, upper },
        placement,
        method: Method::Gjk,
        witness: Witness {
            a: WitnessPoint { point: point_in_a, part: 0, feature: a.feature(shape_a, s) },
            b: WitnessPoint { point: point_in_b, part: 0, feature: b.feature(shape_b, t) },
        },
        normal: Some(normal),
    })
}
