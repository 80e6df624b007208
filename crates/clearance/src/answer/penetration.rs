use glam::DVec3;

use crate::answer::method::Method;
use crate::answer::witness::Witness;
use crate::math::bracket::{Bracket, scale_up};
use crate::math::pose::Pose;

/// Stopping criteria of [`penetration_with`](crate::query::penetration_with).
///
/// ```
/// use clearance::{PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::query::{PenetrationOptions, penetration_with};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let into = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(1.0, 0.2, 0.1))?;
/// let options = PenetrationOptions { tolerance: 0.01 };
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let answer = penetration_with(&cube, &Pose::IDENTITY, &cube, &into, &options, &mut cache, &mut workspace)?;
/// assert!(answer.depth.width() < 0.011);
/// # Ok::<(), clearance::QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct PenetrationOptions {
    /// Stop as soon as the bracket is no wider than this, in world units. Zero or less: the full accuracy of the
    /// contract.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
}

/// Penetration depth of two bodies: the least translation that separates them.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3, penetration};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0))?;
/// let answer = penetration(&cube, &Pose::IDENTITY, &cube, &into)?;
/// assert!((answer.depth.value - 0.25).abs() < 1e-14);
/// assert_eq!(answer.normal, DVec3::X);
/// answer.verify(&cube, &Pose::IDENTITY, &cube, &into).unwrap();
/// # Ok::<(), clearance::QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Penetration {
    /// The length of the shortest translation that makes the interiors disjoint, in world units; never negative, zero
    /// for bodies apart. Moving B by `depth.upper * normal` separates them; no translation shorter than `depth.lower`
    /// does.
    pub depth: Bracket,
    /// Bound on the distance of a placed vertex from its exact position, in world units; included in the bracket.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// How the answer was computed: GJK if the cores do not overlap (bodies apart, touching, or with overlapping radii
    /// only), otherwise the expanding polytope.
    pub method: Method,
    /// On each body's surface, the point deepest in the other body, in the body's local frame; for bodies apart, the
    /// closest points. In world coordinates the vector from B's point to A's is `depth.value * normal`. For compounds
    /// the points are those of the two parts deepest in each other, whose separating translation may differ from that
    /// of the whole.
    pub witness: Witness,
    /// Unit vector from A towards B, in world coordinates: moving B by `depth.value * normal` leaves the bodies
    /// touching. For bodies apart, the direction of the gap. If several directions are equally short, one of them.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
}

impl Penetration {
    /// The deepest points in world coordinates, for drawing: rounded, and not part of the proof.
    ///
    /// ```
    /// use clearance::{Pose, Shape, glam::DVec3, penetration};
    /// let ball = Shape::sphere(1.0)?;
    /// let into = Pose::from_translation(DVec3::new(1.5, 0.0, 0.0))?;
    /// let answer = penetration(&ball, &Pose::IDENTITY, &ball, &into)?;
    /// assert_eq!(answer.world_points(&Pose::IDENTITY, &into), [DVec3::X, DVec3::new(0.5, 0.0, 0.0)]);
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    #[must_use]
    pub fn world_points(&self, pose_a: &Pose, pose_b: &Pose) -> [DVec3; 2] {
        self.witness.world_points(pose_a, pose_b)
    }

    /// The answer with A and B swapped.
    pub(crate) fn swapped(self) -> Penetration {
        Penetration { witness: self.witness.swapped(), normal: -self.normal, ..self }
    }

    /// The answer scaled by a power of two.
    pub(crate) fn scaled(&self, factor: f64) -> Penetration {
        Penetration {
            depth: self.depth.scaled(factor),
            placement: scale_up(self.placement, factor),
            method: self.method.scaled(factor),
            witness: self.witness.scaled(factor),
            ..*self
        }
    }
}
