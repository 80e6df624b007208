//! Where an answer is attained: a point of each body.

use glam::DVec3;

use crate::math::pose::Pose;
use crate::shape::Feature;

/// A point of a body, with the part and the feature that contain it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct WitnessPoint {
    /// The point, in the body's local frame.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
    /// The part of the body that contains the point: its index in [`Compound::parts`](crate::shape::Compound::parts),
    /// or the triangle of a mesh or height field. Zero for a body that is not made of parts.
    pub part: u32,
    /// The feature that contains the point; for a body made of parts, a feature of the part.
    pub feature: Feature,
}

/// Where the value of an answer about two bodies is attained: a point of each.
///
/// ```
/// use clearance::{Pose, Shape, distance, glam::DVec3};
/// use clearance::shape::Feature;
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let away = Pose::from_translation(DVec3::new(5.0, 2.0, 2.0))?;
/// let witness = distance(&cube, &Pose::IDENTITY, &cube, &away).witness;
/// assert_eq!((witness.a.point, witness.b.point), (DVec3::ONE, DVec3::NEG_ONE));
/// assert!(matches!(witness.a.feature, Feature::Vertex(_)));
/// assert_eq!(witness.world_points(&Pose::IDENTITY, &away), [DVec3::ONE, DVec3::new(4.0, 1.0, 1.0)]);
/// assert_eq!(witness.swapped().a, witness.b);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Witness {
    /// The point of A, in A's local frame.
    pub a: WitnessPoint,
    /// The point of B, in B's local frame.
    pub b: WitnessPoint,
}

impl Witness {
    /// Two points without part or feature information.
    pub(crate) fn of_points(a: DVec3, b: DVec3) -> Witness {
        let of = |point| WitnessPoint { point, part: 0, feature: Feature::Interior };
        Witness { a: of(a), b: of(b) }
    }

    /// The witness with A and B swapped.
    #[must_use]
    #[inline(always)]
    pub fn swapped(self) -> Witness {
        Witness { a: self.b, b: self.a }
    }

    /// Both points in world coordinates, for drawing: rounded, and not part of the proof.
    #[must_use]
    pub fn world_points(&self, pose_a: &Pose, pose_b: &Pose) -> [DVec3; 2] {
        [pose_a.transform_point(self.a.point), pose_b.transform_point(self.b.point)]
    }

    /// The same points with other parts.
    pub(crate) fn with_parts(self, a: u32, b: u32) -> Witness {
        Witness { a: WitnessPoint { part: a, ..self.a }, b: WitnessPoint { part: b, ..self.b } }
    }

    /// Other points with the same parts and features.
    pub(crate) fn with_points(self, a: DVec3, b: DVec3) -> Witness {
        Witness { a: WitnessPoint { point: a, ..self.a }, b: WitnessPoint { point: b, ..self.b } }
    }

    /// The same points with other features.
    #[inline(always)]
    pub(crate) fn with_features(self, a: Feature, b: Feature) -> Witness {
        Witness { a: WitnessPoint { feature: a, ..self.a }, b: WitnessPoint { feature: b, ..self.b } }
    }

    /// The witness scaled by a power of two.
    pub(crate) fn scaled(self, factor: f64) -> Witness {
        let scaled = |at: WitnessPoint| WitnessPoint { point: at.point * factor, ..at };
        Witness { a: scaled(self.a), b: scaled(self.b) }
    }
}
