//! Queries on points so close to each other that products of their coordinates would underflow: run at a larger scale.
//! Bodies of any extent are larger than that (`tolerances::MIN_SIZE`).
//!
//! The scale is a power of two, so the larger bodies are exact copies, and so is the answer scaled back, except where
//! it falls below the range of normal numbers; there the bracket is widened by a unit in the last place.

use glam::DVec3;

use crate::convex::pair::placed::Placed;
use crate::math::pose::Pose;
use crate::math::tolerances::SMALLEST_REACH;
use crate::shape::Shape;

/// A pair of posed bodies, enlarged.
pub(crate) struct Enlarged {
    pub a: Shape,
    pub pose_a: Pose,
    pub b: Shape,
    pub pose_b: Pose,
    /// The scale of the bodies: a power of two.
    pub factor: f64,
}

/// True when a query should run at a larger scale.
#[inline(always)]
pub(crate) fn is_tiny(placed: &Placed<'_>) -> bool {
    let size = placed.reach.max(placed.radii());
    size < SMALLEST_REACH && (size > 0.0 || (f64::from_bits(1)..SMALLEST_REACH).contains(&shift(placed)))
}

/// The largest component of the difference of two points: a measure of their distance even where its square underflows.
#[cold]
pub(crate) fn shift(placed: &Placed<'_>) -> f64 {
    let poses = placed.pose_b.translation() - placed.pose_a.translation();
    let origins = placed.b.origin - placed.a.origin;
    poses.abs().max(origins.abs()).max_element()
}

/// The pair at a scale of about 1. `None` if it is already large enough, or if enlarging it would put its poses out of
/// range.
#[cold]
pub(crate) fn enlarged(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Enlarged> {
    let placed = Placed::new(a, pose_a, b, pose_b);
    if !is_tiny(&placed) {
        return None;
    }
    let size = placed.reach.max(placed.radii());
    let size = if size > 0.0 { size } else { shift(&placed) };
    // 2^-exponent of a number below 1e-60, at most 2^1000: exact, and finite.
    let exponent = (-size.log2()).floor().clamp(0.0, 1000.0);
    let factor = 2f64.powi(exponent as i32);
    let shift = |pose: &Pose| {
        // A common translation cancels.
        let own = if pose_a.translation() == pose_b.translation() { DVec3::ZERO } else { pose.translation() };
        Pose::new(pose.rotation(), own * factor).ok()
    };
    Some(Enlarged {
        pose_a: shift(pose_a)?,
        pose_b: shift(pose_b)?,
        a: a.scaled(factor)?,
        b: b.scaled(factor)?,
        factor,
    })
}
