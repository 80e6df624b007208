use glam::DVec3;

use crate::answer::method::{Method, Stopped};
use crate::answer::witness::Witness;
use crate::math::bracket::{Bracket, scale_up};
use crate::math::pose::Pose;

/// The distance between two bodies, with the closest points.
///
/// ```
/// use clearance::{Pose, Shape, distance, glam::DVec3};
/// let ball = Shape::sphere(1.0)?;
/// let away = Pose::from_translation(DVec3::new(0.0, 0.0, 5.0))?;
/// let answer = distance(&ball, &Pose::IDENTITY, &ball, &away);
/// assert_eq!(answer.gap.value, 3.0);
/// assert!(answer.gap.contains(3.0) && answer.gap.width() < 1e-13);
/// assert_eq!(answer.normal, Some(DVec3::Z));
/// answer.verify(&ball, &Pose::IDENTITY, &ball, &away).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Distance {
    /// The distance between the bodies, in world units. The value is zero if and only if the placed bodies have a point
    /// in common; the ends are never negative.
    pub gap: Bracket,
    /// Bound on the distance of a placed vertex from its exact position, in world units; included in the bracket.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// How the answer was computed.
    pub method: Method,
    /// The closest points, each in its body's local frame; for intersecting bodies, a common point.
    pub witness: Witness,
    /// Unit vector from A towards B, in world coordinates. The supporting planes perpendicular to it prove the lower
    /// end of the gap; for compounds, that of the two parts in `witness`. `None` if the value is zero: use
    /// [`penetration`](crate::penetration) there.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
}

impl Distance {
    /// The closest points in world coordinates, for drawing: rounded, and not part of the proof.
    ///
    /// ```
    /// use clearance::{Pose, Shape, distance, glam::DVec3};
    /// let ball = Shape::sphere(1.0)?;
    /// let away = Pose::from_translation(DVec3::new(5.0, 0.0, 0.0))?;
    /// let answer = distance(&ball, &Pose::IDENTITY, &ball, &away);
    /// assert_eq!(answer.world_points(&Pose::IDENTITY, &away), [DVec3::X, DVec3::new(4.0, 0.0, 0.0)]);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn world_points(&self, pose_a: &Pose, pose_b: &Pose) -> [DVec3; 2] {
        self.witness.world_points(pose_a, pose_b)
    }

    /// The answer with A and B swapped.
    #[inline(always)]
    pub(crate) fn swapped(self) -> Distance {
        Distance { witness: self.witness.swapped(), normal: self.normal.map(|normal| -normal), ..self }
    }

    /// The answer scaled by a power of two.
    pub(crate) fn scaled(&self, factor: f64) -> Distance {
        let gap = self.gap.scaled(factor);
        // A positive gap stays positive under underflow.
        let value = if gap.value == 0.0 && self.gap.value > 0.0 { f64::from_bits(1) } else { gap.value };
        Distance {
            gap: Bracket { value: value.max(gap.lower).min(gap.upper), ..gap },
            placement: scale_up(self.placement, factor),
            method: self.method.scaled(factor),
            witness: self.witness.scaled(factor),
            ..*self
        }
    }
}

/// Stopping criteria of [`distance_with`](crate::query::distance_with).
///
/// ```
/// use clearance::{PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::query::{DistanceOptions, distance_with};
/// let ball = Shape::sphere(1.0)?;
/// let away = Pose::from_translation(DVec3::new(9.0, 0.0, 0.0))?;
/// // "Farther than 2?" does not need the exact distance.
/// let options = DistanceOptions { farther_than: Some(2.0), ..DistanceOptions::default() };
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let answer = distance_with(&ball, &Pose::IDENTITY, &ball, &away, &options, &mut cache, &mut workspace);
/// assert!(answer.gap.lower > 2.0);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct DistanceOptions {
    /// Stop as soon as the gap is proved to be larger than this, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub farther_than: Option<f64>,
    /// Stop as soon as the bracket is no wider than this, in world units. Zero or less: the full accuracy of the
    /// contract.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// Stop as soon as the bracket is no wider than this fraction of its upper end. Zero or less: the full accuracy of
    /// the contract. Speeds up mesh pairs only; other pairs are computed in full. Meeting either tolerance ends the
    /// search.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub relative_tolerance: f64,
    /// The simplex sub-algorithm of GJK. Ignored for curved bodies and half-spaces.
    pub sub_algorithm: SubAlgorithm,
}

impl DistanceOptions {
    /// Why a search with these options ended with a bracket wider than the contract allows.
    #[cold]
    pub(crate) fn why_stopped(&self, [lower, upper]: [f64; 2]) -> Stopped {
        let farther_than = self.farther_than.map_or(f64::INFINITY, |d| d.max(0.0));
        let relative = self.relative_tolerance.max(0.0) * upper;
        Stopped::reason(farther_than, self.tolerance.max(relative), lower)
    }
}

/// How GJK (Gilbert, Johnson and Keerthi) finds the point of its simplex nearest to the origin. Each yields a proved
/// bracket of the same accuracy; the last digits may differ.
///
/// ```
/// use clearance::{PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::query::{DistanceOptions, SubAlgorithm, distance_with};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let away = Pose::from_axis_angle(DVec3::ONE, 0.5, DVec3::new(4.0, 1.0, 0.0))?;
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let mut ask = |sub_algorithm| {
///     let options = DistanceOptions { sub_algorithm, ..DistanceOptions::default() };
///     distance_with(&cube, &Pose::IDENTITY, &cube, &away, &options, &mut cache, &mut workspace)
/// };
/// let (voronoi, johnson) = (ask(SubAlgorithm::Voronoi), ask(SubAlgorithm::Johnson));
/// assert!(voronoi.gap.lower <= johnson.gap.upper && johnson.gap.lower <= voronoi.gap.upper);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SubAlgorithm {
    /// Voronoi regions (Ericson), with products that do not lose precision near contact.
    #[default]
    Voronoi,
    /// Cofactors of all subsets of the simplex (Johnson), as the algorithm was first published. Iterates where the
    /// default has a closed form (spheres, capsules), and uses baseline instructions only.
    Johnson,
}
