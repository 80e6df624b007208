/// Support function of a swept body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SweepAlgorithm {
    /// The support vertex of the body, at the start or the end of the motion, whichever lies farther.
    #[default]
    SweptSupport,
    /// A scan over all vertices, duplicated at both ends of the motion.
    PointDuplication,
}

/// What counts as intersecting, and how it is decided.
///
/// ```
/// use clearance::{Motion, PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::query::{SweepAlgorithm, SweepOptions, sweeps_meet_with};
/// let ball = Shape::sphere(1.0)?;
/// let still = Motion::still(Pose::IDENTITY);
/// let start = Pose::from_translation(DVec3::new(-9.0, 2.5, 0.0))?;
/// let flying = Motion::translation(start, DVec3::new(18.0, 0.0, 0.0))?;
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let mut meet = |margin| {
///     let options = SweepOptions { margin, algorithm: SweepAlgorithm::SweptSupport };
///     sweeps_meet_with(&ball, &still, &ball, &flying, &options, &mut cache, &mut workspace)
/// };
/// assert!(!meet(0.25));
/// assert!(meet(0.5));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SweepOptions {
    /// Swept volumes no farther apart than this count as intersecting, in world units. Zero or less: only those with a
    /// common point.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// The algorithm. It does not affect the answer.
    pub algorithm: SweepAlgorithm,
}
