//! Bodies so small that products of their coordinates would underflow, brought to a scale of about 1.
//!
//! The scale is a power of two, so the enlarged bodies are exact copies. It does not matter whether a search changed
//! the scale too: the numbers of an answer are multiplied by the same power, and each may be off by a few of the
//! smallest subnormals, times that power ([`quantum`]).

use glam::DVec3;

use crate::math::pose::Pose;
use crate::math::tolerances::SMALLEST_REACH;
use crate::motion::Motion;
use crate::shape::Shape;

/// Two placed bodies, enlarged.
pub(crate) struct Enlarged {
    pub a: (Shape, Pose),
    pub b: (Shape, Pose),
    /// The factor of the bodies: a power of two.
    pub factor: f64,
}

/// Two moving bodies, enlarged.
pub(crate) struct EnlargedMotions {
    pub a: (Shape, Motion),
    pub b: (Shape, Motion),
    /// The factor of all lengths: a power of two.
    pub factor: f64,
}

/// How far the numbers of an answer, some rounded outward to multiples of the smallest subnormal, may be off once
/// multiplied by the factor.
pub(crate) fn quantum(factor: f64) -> f64 {
    4.0 * f64::from_bits(1) * factor
}

/// The pair at a scale of about 1. `None` if it is large enough as it is, or if its poses would be out of range.
pub(crate) fn enlarged((a, pose_a): (&Shape, &Pose), (b, pose_b): (&Shape, &Pose)) -> Option<Enlarged> {
    let factor = factor(size_of((a, pose_a), (b, pose_b)))?;
    let shared = pose_a.translation() == pose_b.translation();
    let larger = |shape: &Shape, pose: &Pose| Some((shape.scaled(factor)?, larger_pose(pose, shared, factor)?));
    Some(Enlarged { a: larger(a, pose_a)?, b: larger(b, pose_b)?, factor })
}

/// The same for two moving bodies.
pub(crate) fn enlarged_motions(
    (a, motion_a): (&Shape, &Motion),
    (b, motion_b): (&Shape, &Motion),
) -> Option<EnlargedMotions> {
    let (pose_a, pose_b) = (motion_a.start(), motion_b.start());
    let way = (motion_b.displacement() - motion_a.displacement()).abs().max_element();
    let factor = factor(size_of((a, &pose_a), (b, &pose_b)).max(way))?;
    let shared = pose_a.translation() == pose_b.translation();
    let larger = |shape: &Shape, motion: &Motion| {
        let start = larger_pose(&motion.start(), shared, factor)?;
        Some((shape.scaled(factor)?, Motion::translation(start, motion.displacement() * factor).ok()?))
    };
    Some(EnlargedMotions { a: larger(a, motion_a)?, b: larger(b, motion_b)?, factor })
}

/// The largest coordinate of the bodies in their frames, and of the offset between these.
fn size_of((a, pose_a): (&Shape, &Pose), (b, pose_b): (&Shape, &Pose)) -> f64 {
    let reach = |shape: &Shape| match shape {
        Shape::HalfSpace(half_space) => half_space.offset().abs() / half_space.normal().length(),
        _ => {
            let bounds = shape.bounds();
            bounds.min.abs().max(bounds.max.abs()).max_element()
        }
    };
    let between = (pose_b.translation() - pose_a.translation()).abs().max_element();
    reach(a).max(reach(b)).max(between)
}

/// `None` for bodies that are large enough, or points at one place.
fn factor(size: f64) -> Option<f64> {
    // 2^-exponent of a number below 1e-60, at most 2^1000: exact, and finite.
    let tiny = size < SMALLEST_REACH && size > 0.0;
    tiny.then(|| 2f64.powi((-size.log2()).floor().clamp(0.0, 1000.0) as i32))
}

fn larger_pose(pose: &Pose, shared: bool, factor: f64) -> Option<Pose> {
    // A translation common to both drops out.
    let translation = if shared { DVec3::ZERO } else { pose.translation() * factor };
    Pose::new(pose.rotation(), translation).ok()
}
