use glam::DVec3;

use crate::answer::bracket::{scale_down, scale_up};
use crate::answer::method::Method;
use crate::math::pose::Pose;
use crate::shape::Feature;

/// What to settle for.
///
/// ```
/// use clearance::{PairCache, PenetrationOptions, Pose, Shape, Workspace, glam::DVec3, penetration_with};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let into = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(1.0, 0.2, 0.1))?;
/// let options = PenetrationOptions { tolerance: 0.01 };
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let answer = penetration_with(&cube, &Pose::IDENTITY, &cube, &into, &options, &mut cache, &mut workspace)?;
/// assert!(answer.upper - answer.lower < 0.011);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PenetrationOptions {
    /// Stop as soon as `upper - lower` is no wider than this. Zero or less: the full accuracy of the contract.
    pub tolerance: f64,
}

/// How deep two bodies overlap, and the way out: the least translation that separates them.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3, penetration, verify};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0))?;
/// let answer = penetration(&cube, &Pose::IDENTITY, &cube, &into)?;
/// assert!((answer.depth - 0.25).abs() < 1e-14);
/// assert_eq!(answer.normal, DVec3::X);
/// verify(&answer, &cube, &Pose::IDENTITY, &cube, &into).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The length of the shortest translation that makes the interiors disjoint, in world units. Zero for bodies apart.
    pub depth: f64,
    /// Proved: no shorter translation than this does it, for the real-number bodies. Never negative.
    pub lower: f64,
    /// Proved: moving B by `upper * normal` makes the interiors of the real-number bodies disjoint. Never negative.
    pub upper: f64,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    pub placement: f64,
    /// How the answer was found: by GJK when the cores do not overlap (bodies apart, touching, or with overlapping radii
    /// only), else by the expanding polytope.
    pub method: Method,
    /// The point of A deepest in B, on A's surface, in A's own frame; for bodies apart the nearest point. For compounds the
    /// points are those of the two parts deepest in each other, which may have another way out than the whole.
    pub point_in_a: DVec3,
    /// The point of B deepest in A, on B's surface, in B's own frame; for bodies apart the nearest point. In the world
    /// `point_in_a - point_in_b` is `depth * normal`.
    pub point_in_b: DVec3,
    /// The part of A in question: its index in [`Compound::parts`](crate::Compound::parts). Zero for a body that is not made of parts.
    pub part_a: u32,
    /// The part of B in question.
    pub part_b: u32,
    /// The feature of A that holds `point_in_a`; of a compound, a feature of the part.
    pub feature_a: Feature,
    /// The feature of B that holds `point_in_b`.
    pub feature_b: Feature,
    /// Unit, in the world, from A towards B: moving B by `depth * normal` leaves the bodies touching. For bodies apart the
    /// direction of the gap. Where several directions are as good, one of them.
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
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn world_points(&self, pose_a: &Pose, pose_b: &Pose) -> [DVec3; 2] {
        [pose_a.transform_point(self.point_in_a), pose_b.transform_point(self.point_in_b)]
    }

    /// The answer for the bodies exchanged.
    pub(crate) fn mirrored(self) -> Penetration {
        Penetration {
            point_in_a: self.point_in_b,
            point_in_b: self.point_in_a,
            part_a: self.part_b,
            part_b: self.part_a,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
            normal: -self.normal,
            ..self
        }
    }
}

impl Penetration {
    /// The answer to the same question at another scale.
    pub(crate) fn scaled(&self, factor: f64) -> Penetration {
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
