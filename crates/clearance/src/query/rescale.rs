//! Questions about points so near each other that products of their coordinates would underflow: asked at a larger
//! scale. Bodies of any extent are larger than that (`tolerances::MIN_SIZE`).
//!
//! The scale is a power of two, so the larger bodies are exact copies, and so is the answer on its way back, except where
//! it falls below the range of normal numbers; there the bracket is widened by a unit in the last place.

use glam::DVec3;

use super::answer::{Distance, Evidence, Penetration, RelationProof};
use super::placed::Placed;
use crate::math::pose::Pose;
use crate::math::tolerances::SMALLEST_REACH;
use crate::shape::Shape;

/// A pair of posed bodies, enlarged.
pub(super) struct Enlarged {
    pub a: Shape,
    pub pose_a: Pose,
    pub b: Shape,
    pub pose_b: Pose,
    /// What the bodies were multiplied with: a power of two.
    pub factor: f64,
}

/// True when a question should be asked at a larger scale.
#[inline(always)]
pub(super) fn is_tiny(placed: &Placed<'_>) -> bool {
    let size = placed.reach.max(placed.radii());
    size < SMALLEST_REACH && (size > 0.0 || (f64::from_bits(1)..SMALLEST_REACH).contains(&shift(placed)))
}

/// The largest component of what is between two points: a measure of their distance also where its square underflows.
#[cold]
pub(super) fn shift(placed: &Placed<'_>) -> f64 {
    let poses = placed.pose_b.translation() - placed.pose_a.translation();
    let origins = placed.b.origin - placed.a.origin;
    poses.abs().max(origins.abs()).max_element()
}

/// The pair at a scale of about 1. `None` if it is large enough as it is, or if enlarging it would put its poses out of
/// range.
#[cold]
pub(super) fn enlarged(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Enlarged> {
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
        // What both translations share drops out.
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

/// A lower bound, times a power of two. Its sign stays.
pub(super) fn scale_down(bound: f64, factor: f64) -> f64 {
    let scaled = bound * factor;
    if scaled.is_normal() || bound == 0.0 {
        scaled
    } else if bound > 0.0 {
        scaled.next_down().max(0.0)
    } else {
        scaled.next_down()
    }
}

/// An upper bound, times a power of two. Its sign stays.
pub(super) fn scale_up(bound: f64, factor: f64) -> f64 {
    -scale_down(-bound, factor)
}

impl Distance {
    /// The answer to the same question at another scale.
    pub(super) fn scaled(&self, factor: f64) -> Distance {
        let (lower, upper) = (scale_down(self.lower, factor), scale_up(self.upper, factor));
        let value = self.value * factor;
        Distance {
            value: if value == 0.0 && self.value > 0.0 { f64::from_bits(1) } else { value }.max(lower).min(upper),
            lower,
            upper,
            placement: scale_up(self.placement, factor),
            method: self.method.scaled(factor),
            point_in_a: self.point_in_a * factor,
            point_in_b: self.point_in_b * factor,
            ..*self
        }
    }
}

impl Penetration {
    /// The answer to the same question at another scale.
    pub(super) fn scaled(&self, factor: f64) -> Penetration {
        let (lower, upper) = (scale_down(self.lower, factor), scale_up(self.upper, factor));
        Penetration {
            depth: (self.depth * factor).max(lower).min(upper),
            lower,
            upper,
            placement: scale_up(self.placement, factor),
            method: self.method.scaled(factor),
            point_in_a: self.point_in_a * factor,
            point_in_b: self.point_in_b * factor,
            ..*self
        }
    }
}

impl RelationProof {
    /// The answer to the same question at another scale.
    pub(super) fn scaled(self, factor: f64) -> RelationProof {
        let evidence = match self.evidence {
            Evidence::Points { point_in_a, point_in_b } => {
                Evidence::Points { point_in_a: point_in_a * factor, point_in_b: point_in_b * factor }
            }
            Evidence::Deep { point_in_a, point_in_b } => {
                Evidence::Deep { point_in_a: point_in_a * factor, point_in_b: point_in_b * factor }
            }
            polytope => polytope,
        };
        RelationProof {
            lower: scale_down(self.lower, factor),
            upper: scale_up(self.upper, factor),
            placement: scale_up(self.placement, factor),
            touch_band: self.touch_band * factor,
            evidence,
            ..self
        }
    }
}
