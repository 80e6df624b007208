//! Two rotating bodies at one time: poses, proved gap, and internal order.

use glam::{DMat3, DVec3};

use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::penetration::PenetrationOptions;
use crate::compound::parts::PartsOf;
use crate::convex::pair::cache::PairCache;
use crate::math::interval::Interval;
use crate::math::pose::Pose;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::motion::RigidMotion;
use crate::motion::relative::Relative;
use crate::motion::rigid_motion::PlacedAt;
use crate::pair::distance::distance;
use crate::pair::penetration::penetration;
use crate::pair::workspace::Workspace;
use crate::shape::Shape;
use crate::shape::order;

/// Both bodies at one time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub a: PlacedAt,
    pub b: PlacedAt,
    /// The rotation from the frame of B to that of A, rounded.
    pub rotation: DMat3,
    pub translation: DVec3,
    /// Bound on the error of a gap by rounding and the poses' own errors.
    pub noise: f64,
    /// The sum of the rigidity defects of both poses.
    pub defect: f64,
}

impl At {
    pub fn new(relative: &Relative<'_>, t: f64, reaches: [f64; 2]) -> At {
        let [a, b] = relative.at(t);
        let inverse = a.pose.inverse_rotation();
        let rotation = inverse * b.pose.rotation();
        let translation = inverse * (b.pose.translation() - a.pose.translation());
        // Of an unbounded body only the part next to the other matters.
        let near = translation.length() + reaches[1];
        let reach_a = if reaches[0].is_finite() { reaches[0] } else { near };
        let size = a.pose.translation().length() + b.pose.translation().length() + near + reach_a;
        let noise = (a.bound(reach_a) + b.bound(reaches[1]) + 64.0 * UNIT_ROUNDOFF * size) * ROUND_UP;
        At { a, b, rotation, translation, noise, defect: a.pose.defect() + b.pose.defect() }
    }

    /// A point of B, relative to B's origin, rotated into the frame of A.
    pub fn turned(&self, point: DVec3) -> DVec3 {
        self.rotation * point
    }
}

/// Whether two moving bodies are swapped internally, so that the answer does not depend on the order of the arguments.
/// Speeds are those of B's points in the frame of A, so B is the bounded body, preferably the one that rotates faster.
pub(crate) fn in_other_order((a, motion_a): (&Shape, &RigidMotion), (b, motion_b): (&Shape, &RigidMotion)) -> bool {
    let ends = |shape: &Shape| shape.reach().is_finite();
    if ends(a) != ends(b) {
        return ends(a);
    }
    let turning = |motion: &RigidMotion| motion.twist(Interval::new(0.0, 1.0)).angular.norm().hi();
    let at = |time| order(a, &motion_a.at(time), b, &motion_b.at(time));
    turning(motion_a)
        .total_cmp(&turning(motion_b))
        .then_with(|| at(0.0))
        .then_with(|| at(1.0))
        .then_with(|| at(0.5))
        .is_gt()
}

/// Whether a body is convex: its distance from another convex one is proved by a plane.
pub(crate) fn is_convex(shape: &Shape) -> bool {
    matches!(PartsOf::of(shape), PartsOf::Whole(_)) && !matches!(shape, Shape::HeightField(_))
}

/// The gap of the whole bodies at a time that is proved beyond margin and noise.
pub(crate) fn read(
    (a, b): (&Shape, &Shape),
    at: &At,
    options: &DistanceOptions,
    margin: f64,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> (Distance, f64) {
    let reading = distance(a, &at.a.pose, b, &at.b.pose, options, cache, workspace);
    (reading, reading.gap.lower - at.noise - margin)
}

/// Whether two convex bodies are within a margin of each other, even if their points are off by up to `noise`.
pub(crate) fn parts_meet(
    [(a, pose_a), (b, pose_b)]: [(&Shape, Pose); 2],
    noise: f64,
    margin: f64,
    workspace: &mut Workspace,
) -> bool {
    let mut cache = PairCache::default();
    if margin > 0.0 {
        let options = DistanceOptions::default();
        return distance(a, &pose_a, b, &pose_b, &options, &mut cache, workspace).gap.upper + noise <= margin;
    }
    let options = PenetrationOptions::default();
    let depth = penetration(a, &pose_a, b, &pose_b, &options, &mut cache, workspace);
    depth.is_ok_and(|depth| depth.depth.lower > noise)
}

/// The pose of a part in the world.
pub(crate) fn carried(body: &Pose, part: &Pose) -> Pose {
    if *part == Pose::IDENTITY {
        return *body;
    }
    Pose::composed(body.rotation() * part.rotation(), body.transform_point(part.translation()))
}

/// The centre and the radius of a body's bounding sphere, in its own frame.
pub(crate) fn bounding_sphere(shape: &Shape) -> (DVec3, f64) {
    let bounds = shape.bounds();
    (bounds.center(), 0.5 * bounds.size().length() * ROUND_UP)
}
