use crate::answer::witness::Witness;
use crate::math::bracket::Bracket;

/// Stopping criteria of the least clearance search.
///
/// ```
/// use clearance::query::LeastClearanceOptions;
/// assert_eq!(LeastClearanceOptions::default().relative_tolerance, 1e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct LeastClearanceOptions {
    /// Stop when the bracket of the gap is no wider than this, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// Stop when the bracket is no wider than this fraction of the upper end of the gap.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub relative_tolerance: f64,
    /// Largest number of times at which the gap is evaluated. The bracket holds wherever the search ends.
    pub most_readings: u32,
}

impl Default for LeastClearanceOptions {
    /// A thousandth of the clearance, at most 10,000 evaluations.
    fn default() -> LeastClearanceOptions {
        LeastClearanceOptions { tolerance: 0.0, relative_tolerance: 1e-3, most_readings: 10_000 }
    }
}

/// The smallest gap between two moving bodies during a step.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3, least_clearance};
/// let ball = Shape::sphere(1.0)?;
/// let start = Pose::from_translation(DVec3::new(-9.0, 3.0, 0.0))?;
/// let passing = RigidMotion::turning(start, DVec3::new(20.0, 0.0, 0.0), DVec3::Z, 7.0)?;
/// let least = least_clearance(&ball, &passing, &ball, &RigidMotion::still(Pose::IDENTITY))?;
/// assert!(least.gap.contains(1.0) && least.gap.width() < 2e-3);
/// assert!((least.time - 0.45).abs() < 0.01);
/// # Ok::<(), clearance::QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LeastClearance {
    /// A time at which the gap is at most `gap.upper`: a fraction of the step, from 0 to 1.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub time: f64,
    /// The least gap during the step, in world units: the bodies are never closer than the lower end, and at `time`
    /// they are no farther apart than the upper end, which is also the value. If the lower end is zero, they may touch.
    pub gap: Bracket,
    /// The closest points at `time`, each in its body's local frame.
    pub witness: Witness,
    /// Number of times at which the gap was evaluated.
    pub readings: u32,
}
