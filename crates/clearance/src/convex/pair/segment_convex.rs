//! A segment or capsule against a triangle or box, rounded ones included.
//!
//! Computed in the frame of the other body: only the start of the segment and the vector to its end are placed, so no
//! matrix is formed and nothing of the other body is turned. The closed forms and the direction of the proof are those
//! of [`segment_core`](crate::convex::segment_core); the bracket is proved from below by the planes perpendicular to
//! that direction, from above by the two points.
//!
//! As for a sphere ([`sphere_convex`](super::sphere_convex)), nothing is decided here that rounding could reverse in
//! the placed pair; close to contact, for the depth of crossing cores, and where the bracket is too wide, queries fall
//! back to the general path.

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::Method;
use crate::answer::penetration::Penetration;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::core::{AnyCore, Body};
use crate::convex::pair::far_apart::placement;
use crate::convex::pair::feature;
use crate::convex::pair::placed::{inverse_length, world_lower, world_upper};
use crate::convex::pair::segment_segment::Line;
use crate::convex::point_core::height;
use crate::convex::segment_core::{Passing, nearest};
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::{
    CONTACT_POINT, GJK_ACCEPT, LOWER_BOUND, ROUND_UP, SECOND_ORDER, SEGMENT_START_ERROR, SEGMENT_VECTOR_ERROR,
    SMALLEST_DIRECTION, SMALLEST_REACH, UNIT_ROUNDOFF,
};
use crate::shape::{Feature, Shape};

/// A segment and another core, in the frame of the other.
struct SegmentAndCore<'s> {
    line: Line,
    segment: &'s Shape,
    segment_pose: &'s Pose,
    /// The other body without its rounding, and the remaining radius.
    unrounded: &'s Shape,
    body: Body<'s>,
    pose: &'s Pose,
    /// The segment is the caller's A.
    segment_first: bool,
    /// The start of the segment, relative to the other's local origin, and the vector to its end.
    start: DVec3,
    along: DVec3,
    /// Rounding errors are relative to this: twice both extents and the distance of the start.
    reach: f64,
    /// See `SEGMENT_START_ERROR`.
    size: f64,
    /// Bound on the error of either end.
    error: f64,
    /// Lengths in the world are those of the frame times `1 ± stretch`, see `Placement::stretch`.
    stretch: f64,
}

/// The gap of two separated cores, in the frame.
struct CoreGap {
    lower: f64,
    upper: f64,
    /// From the other towards the segment, unit.
    direction: DVec3,
}

/// The core and the unrounded shape of a triangle or box.
#[inline(always)]
fn triangle_or_box(shape: &Shape) -> Option<(&Shape, Body<'_>)> {
    match shape {
        Shape::Triangle(_) | Shape::Cuboid(_) => Some((shape, Body::of(shape))),
        Shape::Rounded(rounded) => match rounded.core() {
            core @ (Shape::Triangle(_) | Shape::Cuboid(_)) => Some((core, Body::of(shape))),
            _ => None,
        },
        _ => None,
    }
}

impl<'s> SegmentAndCore<'s> {
    /// `None` for other bodies, and for sizes that need special care.
    #[inline(always)]
    fn of(a: &'s Shape, pose_a: &'s Pose, b: &'s Shape, pose_b: &'s Pose) -> Option<SegmentAndCore<'s>> {
        if let Some(line) = Line::of(a) {
            return SegmentAndCore::placed(line, (a, pose_a), (b, pose_b), true);
        }
        SegmentAndCore::placed(Line::of(b)?, (b, pose_b), (a, pose_a), false)
    }

    #[inline(always)]
    fn placed(
        line: Line,
        (segment, segment_pose): (&'s Shape, &'s Pose),
        (other, pose): (&'s Shape, &'s Pose),
        segment_first: bool,
    ) -> Option<SegmentAndCore<'s>> {
        let (unrounded, body) = triangle_or_box(other)?;
        let translations = segment_pose.translation() - pose.translation();
        let turn = segment_pose.rotation();
        let inverse = pose.inverse_rotation();
        let mut start = inverse * (turn * (line.start + line.origin) + translations);
        let along = inverse * (turn * line.along);
        let mut size = translations.length() + line.extent;
        if line.origin != DVec3::ZERO || body.origin != DVec3::ZERO {
            start -= body.origin;
            size += line.origin.length() + body.origin.length();
        }
        let reach = (2.0 * (body.extent + line.extent) + start.length()) * ROUND_UP;
        // Bodies far from their own origins are placed more accurately elsewhere. Written so that NaN is rejected.
        let plain = reach > SMALLEST_REACH && size <= 2.0 * reach;
        let of_inverse = pose.inverse_error();
        let error = ((SEGMENT_START_ERROR + of_inverse) * size
            + (SEGMENT_VECTOR_ERROR + of_inverse) * (2.0 * line.extent))
            * SECOND_ORDER;
        let stretch = 0.5 * pose.defect() * (1.0 + pose.defect());
        plain.then_some(SegmentAndCore {
            line,
            segment,
            segment_pose,
            unrounded,
            body,
            pose,
            segment_first,
            start,
            along,
            reach,
            size,
            error,
            stretch,
        })
    }

    #[inline(always)]
    fn radii(&self) -> f64 {
        self.line.radius + self.body.radius
    }

    #[inline(always)]
    fn nearest(&self) -> Option<Passing> {
        nearest(&self.body.core, self.start, self.along, self.reach)
    }

    /// A gap of the cores here, less `lengths`, that is larger than this has the same sign in the placed pair. Here it
    /// is off by `LOWER_BOUND` (`35u`) or `CONTACT_POINT`, and by the error of the ends; there by that of the vertices,
    /// at most `18u`; lengths in the two frames differ by the stretch of the poses, at most the defects.
    #[inline(always)]
    fn doubt(&self, lengths: f64) -> f64 {
        let stretch = 2.0 * (self.pose.defect() + self.segment_pose.defect());
        (64.0 * UNIT_ROUNDOFF + stretch) * self.reach + self.error + (16.0 * UNIT_ROUNDOFF + stretch) * lengths
    }

    /// The gap of the cores, if they are separated with a bracket as narrow as GJK's. Its lower bound uses the plane
    /// perpendicular to the direction through the nearer end, and that through the support vertex of the other core:
    /// products, their sum and the length of the direction are off by less than `LOWER_BOUND` allows for GJK.
    #[inline(always)]
    fn gap(&self, passing: &Passing) -> Option<CoreGap> {
        let squared = passing.toward.length_squared();
        let direction = passing.toward * (1.0 / squared.sqrt());
        let nearer = direction.dot(self.start) + direction.dot(self.along).min(0.0);
        let lower = (nearer - height(&self.body.core, direction)) - LOWER_BOUND * self.reach;
        let upper = passing.length + CONTACT_POINT * self.reach;
        // Written so that NaN is rejected.
        let tight = lower > 0.0
            && lower <= upper
            && upper - lower <= GJK_ACCEPT * self.reach
            && squared > SMALLEST_DIRECTION * SMALLEST_DIRECTION;
        tight.then_some(CoreGap { lower, upper, direction })
    }

    /// Bounds for the real-number bodies from those of the cores in the frame: as `Placed::lower` and `Placed::upper`.
    #[inline(always)]
    fn bracket(&self, gap: &CoreGap) -> (f64, f64) {
        let radii = self.radii();
        let lower = world_lower(gap.lower - self.error, self.stretch, radii);
        (lower, world_upper(gap.upper + self.error, self.stretch, radii))
    }

    /// The world normal of a direction in the frame: a plane `n · x = c` there is the plane of `R⁻ᵀ n` in the world.
    #[inline(always)]
    fn world_normal(&self, direction: DVec3) -> DVec3 {
        let m = self.pose.inverse_rotation();
        let world = DVec3::new(m.x_axis.dot(direction), m.y_axis.dot(direction), m.z_axis.dot(direction));
        world * inverse_length(world)
    }

    /// The points of the other body and of the segment, each in its own frame, with the radii laid off along a unit
    /// vector of the world, towards the segment.
    #[inline(always)]
    fn surface_points(&self, passing: &Passing, outward: impl FnOnce() -> DVec3) -> (DVec3, DVec3) {
        let Line { start, along, origin, radius, .. } = self.line;
        let (mut point, mut on_segment) =
            (passing.point + self.body.origin, origin + (start + along * passing.fraction));
        if self.radii() > 0.0 {
            let outward = outward();
            point += (self.pose.inverse_rotation() * outward) * self.body.radius;
            on_segment -= (self.segment_pose.inverse_rotation() * outward) * radius;
        }
        (point, on_segment)
    }

    /// The world direction from one point to the other. With the radii laid off along it, the points are as far apart
    /// as the answer says: `Placed::surface_points` explains why.
    #[inline(always)]
    fn along_points(&self, passing: &Passing) -> DVec3 {
        let world = self.pose.rotation() * (passing.between * (1.0 / passing.length));
        world * inverse_length(world)
    }

    /// The features of the other body and of the segment that contain the points.
    #[inline(always)]
    fn features(&self, passing: &Passing) -> (Feature, Feature) {
        let of_other = match self.body.core {
            AnyCore::Box(half) => feature::of_box(half, &passing.vertices, passing.point),
            _ => feature::of_simplex(self.unrounded, &passing.vertices, passing.point),
        };
        (of_other, self.line.feature(self.segment, passing.fraction))
    }

    /// The placement error that the placed pair would have: nothing was placed here.
    #[inline(always)]
    fn placement(&self) -> f64 {
        placement(self.pose, self.line.extent, self.start.length() + self.line.extent, self.size)
    }

    /// Orders two values by the caller's arguments, A's first; given as that of the other body, then that of the
    /// segment.
    #[inline(always)]
    fn in_order<T>(&self, other: T, segment: T) -> (T, T) {
        if self.segment_first { (segment, other) } else { (other, segment) }
    }

    #[inline(always)]
    fn signed(&self, normal: DVec3) -> DVec3 {
        if self.segment_first { -normal } else { normal }
    }

    /// The answer for bodies separated by this gap.
    #[inline(always)]
    fn separated(&self, passing: &Passing, gap: &CoreGap) -> Distance {
        let (lower, upper) = self.bracket(gap);
        let (lower, value) = (lower.max(0.0), passing.length - self.radii());
        let (point, on_segment) = self.surface_points(passing, || self.along_points(passing));
        let (of_other, of_segment) = self.features(passing);
        let (point_in_a, point_in_b) = self.in_order(point, on_segment);
        let (feature_a, feature_b) = self.in_order(of_other, of_segment);
        Distance {
            // The same as for other closed forms of closest points: the method whose accuracy they fulfil.
            gap: Bracket { value: value.max(lower).min(upper), lower, upper },
            placement: self.placement(),
            method: Method::Gjk,
            witness: Witness {
                a: WitnessPoint { point: point_in_a, part: 0, feature: feature_a },
                b: WitnessPoint { point: point_in_b, part: 0, feature: feature_b },
            },
            normal: Some(self.signed(self.world_normal(gap.direction))),
        }
    }

    /// The answer for bodies that certainly intersect. The gap between the cores is divided in proportion to the radii,
    /// if these bridge it; for crossing cores it is a rounding residue, and stays.
    #[inline(always)]
    fn meeting(&self, passing: &Passing, bridged: bool) -> Distance {
        let radii = self.radii();
        let Line { start, along, origin, .. } = self.line;
        let (mut point, mut on_segment) =
            (passing.point + self.body.origin, origin + (start + along * passing.fraction));
        let mut left = passing.length;
        if bridged {
            let share = self.body.radius / radii;
            let back = self.segment_pose.inverse_rotation() * (self.pose.rotation() * passing.between);
            point += passing.between * share;
            on_segment -= back * (1.0 - share);
            left = 0.0;
        }
        let (point_in_a, point_in_b) = self.in_order(point, on_segment);
        // As `Placed::contact_upper`.
        let cores = (self.error + left) + CONTACT_POINT * (self.reach + 2.0 * radii);
        Distance {
            gap: Bracket {
                value: 0.0,
                lower: 0.0,
                upper: (cores + self.stretch * radii) * (1.0 + self.stretch + 8.0 * UNIT_ROUNDOFF),
            },
            placement: self.placement(),
            method: Method::Gjk,
            witness: Witness {
                a: WitnessPoint { point: point_in_a, part: 0, feature: Feature::Interior },
                b: WitnessPoint { point: point_in_b, part: 0, feature: Feature::Interior },
            },
            normal: None,
        }
    }
}

/// Whether one of these may be a segment and the other a triangle or box: checked before anything is called.
#[inline(always)]
fn may_be(a: &Shape, b: &Shape) -> bool {
    let is_line = |shape: &Shape| matches!(shape, Shape::Segment(_) | Shape::Capsule(_) | Shape::Rounded(_));
    let is_other = |shape: &Shape| matches!(shape, Shape::Triangle(_) | Shape::Cuboid(_) | Shape::Rounded(_));
    is_line(a) && is_other(b) || is_other(a) && is_line(b)
}

/// Whether such bodies come within a margin of each other; `None` for others, and where it is not decided here.
#[inline(always)]
pub(crate) fn meet(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> Option<bool> {
    if may_be(a, b) { meet_given(a, pose_a, b, pose_b, margin) } else { None }
}

#[inline(never)]
fn meet_given(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> Option<bool> {
    let pair = SegmentAndCore::of(a, pose_a, b, pose_b)?;
    let passing = pair.nearest()?;
    let lengths = pair.radii() + margin;
    let doubt = pair.doubt(lengths);
    if passing.length < lengths - doubt || passing.crossing > doubt {
        return Some(true);
    }
    (pair.gap(&passing)?.lower > lengths + doubt).then_some(false)
}

/// The distance of such bodies; `None` for others, and where it is not decided here.
#[inline(always)]
pub(crate) fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Distance> {
    if may_be(a, b) { distance_given(a, pose_a, b, pose_b) } else { None }
}

#[inline(never)]
fn distance_given(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Distance> {
    let pair = SegmentAndCore::of(a, pose_a, b, pose_b)?;
    let passing = pair.nearest()?;
    let radii = pair.radii();
    let doubt = pair.doubt(radii);
    let bridged = passing.length < radii - doubt;
    if bridged || (passing.crossing > doubt && passing.length <= GJK_ACCEPT * pair.reach) {
        return Some(pair.meeting(&passing, bridged));
    }
    let gap = pair.gap(&passing)?;
    (gap.lower > radii + doubt).then(|| pair.separated(&passing, &gap))
}

/// The depth of such bodies whose cores are separated; `None` for others, and where it is not decided here.
#[inline(always)]
pub(crate) fn penetration(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Penetration> {
    if may_be(a, b) { penetration_given(a, pose_a, b, pose_b) } else { None }
}

#[inline(never)]
fn penetration_given(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Penetration> {
    let pair = SegmentAndCore::of(a, pose_a, b, pose_b)?;
    let passing = pair.nearest()?;
    let gap = pair.gap(&passing)?;
    let (low, high) = pair.bracket(&gap);
    let (lower, upper) = ((-high).max(0.0), (-low).max(0.0));
    let radii = pair.radii();
    let normal = pair.world_normal(gap.direction);
    let outward = || if passing.length > radii { pair.along_points(&passing) } else { normal };
    let (point, on_segment) = pair.surface_points(&passing, outward);
    let (of_other, of_segment) = pair.features(&passing);
    let (point_in_a, point_in_b) = pair.in_order(point, on_segment);
    let (feature_a, feature_b) = pair.in_order(of_other, of_segment);
    Some(Penetration {
        depth: Bracket { value: (radii - passing.length).max(lower).min(upper), lower, upper },
        placement: pair.placement(),
        method: Method::Gjk,
        witness: Witness {
            a: WitnessPoint { point: point_in_a, part: 0, feature: feature_a },
            b: WitnessPoint { point: point_in_b, part: 0, feature: feature_b },
        },
        normal: pair.signed(normal),
    })
}

#[cfg(test)]
mod tests {
    use clearance_oracle::random::Random;
    use clearance_oracle::{OracleBody, generate, signed_distance};
    use glam::DMat3;

    use super::*;

    /// Most pairs, including crossing ones, are answered here, and the answers hold for the exact bodies.
    #[test]
    fn most_pairs_are_answered_correctly() {
        let mut random = Random::new(91);
        let (mut apart, mut crossing, mut asked) = (0, 0, 0);
        for case in 0..4000 {
            let mut corner = || DVec3::from_array(random.in_cube(1.0));
            let ends = [corner(), corner()];
            let corners = [corner(), corner(), corner()];
            let half = corner().abs() + DVec3::splat(0.05);
            let (other, body) = if case % 2 == 0 {
                let [p, q, r] = corners;
                (Shape::triangle(p, q, r).unwrap(), OracleBody::hull(corners.map(|p| p.to_array()).to_vec()))
            } else {
                (Shape::cuboid(half).unwrap(), OracleBody::cuboid(half.to_array()))
            };
            let segment = Shape::segment(ends[0], ends[1]).unwrap();
            let line = OracleBody::hull(ends.map(|p| p.to_array()).to_vec());
            let [turn_a, turn_b] = [0, 1].map(|_| generate::random_rotation(&mut random));
            let at = random.in_cube(1.0);
            let pose = |rows: [[f64; 3]; 3], at: [f64; 3]| {
                let rows = rows.map(DVec3::from_array);
                let matrix = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
                Pose::new(matrix, DVec3::from_array(at)).unwrap()
            };
            let (pose_a, pose_b) = (pose(turn_a, [0.0; 3]), pose(turn_b, at));
            let truth = signed_distance(&line.rotated(turn_a), &body.rotated(turn_b).translated(at));
            let context = || format!("{:?}\n{segment:?} {pose_a:?}\n{other:?} {pose_b:?}", truth.enclosure());
            asked += 1;
            if let Some(answer) = distance(&segment, &pose_a, &other, &pose_b) {
                if answer.gap.value > 0.0 {
                    apart += 1;
                    assert!(truth.is_within(answer.gap.lower, answer.gap.upper), "{answer:?}\n{}", context());
                    assert!(answer.gap.upper - answer.gap.lower < 1e-13, "{answer:?}\n{}", context());
                } else {
                    crossing += 1;
                    assert!(truth.sign().is_le(), "{answer:?}\n{}", context());
                }
            }
            if let Some(meets) = meet(&segment, &pose_a, &other, &pose_b, 0.0) {
                assert_eq!(meets, truth.sign().is_le(), "{}", context());
            }
            if let Some(deep) = penetration(&segment, &pose_a, &other, &pose_b) {
                assert!(truth.sign().is_gt() && deep.depth.lower == 0.0, "{deep:?}\n{}", context());
            }
        }
        assert!(crossing > 500 && apart > 3000, "{apart} {crossing}");
        assert!(apart + crossing > asked - asked / 50, "{apart} {crossing} {asked}");
    }
}
