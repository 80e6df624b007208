use glam::DVec3;

use crate::answer::method::Method;
use crate::answer::witness::Witness;
use crate::math::bracket::{Bracket, scale_up};
use crate::math::pose::Pose;

/// What to settle for.
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

/// How deep two bodies overlap, and the way out: the least translation that separates them.
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
    /// The length of the shortest translation that makes the interiors disjoint, in world units; zero for bodies apart.
    /// Moving B by `depth.upper * normal` does it, and no translation shorter than `depth.lower`. Never negative.
    pub depth: Bracket,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// How the answer was found: by GJK when the cores do not overlap (bodies apart, touching, or with overlapping
    /// radii only), else by the expanding polytope.
    pub method: Method,
    /// The points deepest in the other body, each on its own surface; for bodies apart the nearest points. In the world
    /// the way from that of B to that of A is `depth.value * normal`. For compounds the points are those of the two
    /// parts deepest in each other, which may have another way out than the whole.
    pub witness: Witness,
    /// Unit, in the world, from A towards B: moving B by `depth.value * normal` leaves the bodies touching. For bodies
    /// apart the direction of the gap. Where several directions are as good, one of them.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
}

impl Penetration {
    /// The deepest points in the world, for drawing: rounded, and no part of the proof.
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

    /// The answer for the bodies exchanged.
    pub(crate) fn swapped(self) -> Penetration {
        Penetration { witness: self.witness.swapped(), normal: -self.normal, ..self }
    }

    /// The answer to the same question at another scale.
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
