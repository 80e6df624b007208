use crate::answer::witness::Witness;
use crate::math::bracket::Bracket;

/// How narrow the bracket of a least clearance is to be.
///
/// ```
/// use clearance::query::LeastClearanceOptions;
/// assert_eq!(LeastClearanceOptions::default().relative_tolerance, 1e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct LeastClearanceOptions {
    /// A length: a bracket no wider than this is narrow enough.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// The same, relative to the upper end of the gap.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub relative_tolerance: f64,
    /// How many times are looked at at most. The bracket is true wherever the search ends.
    pub most_readings: u32,
}

impl Default for LeastClearanceOptions {
    /// A thousandth of the clearance, after at most 10,000 readings.
    fn default() -> LeastClearanceOptions {
        LeastClearanceOptions { tolerance: 0.0, relative_tolerance: 1e-3, most_readings: 10_000 }
    }
}

/// How near two moving bodies come to each other in a step.
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
    /// When the bodies are as near as the upper end of the gap: a fraction of the step, from 0 to 1.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub time: f64,
    /// The least gap of the step, in world units: at no time are the bodies nearer than its lower end, and at `time`
    /// they are no farther apart than its upper end, which is also the value. A lower end of zero: they may touch.
    pub gap: Bracket,
    /// The nearest points at `time`, each in its body's own frame.
    pub witness: Witness,
    /// At how many times the gap was looked at.
    pub readings: u32,
}
