use crate::answer::witness::Witness;
use crate::math::bracket::Bracket;

/// How narrow the bracket of a least clearance is to be.
///
/// ```
/// use clearance::LeastClearanceOptions;
/// assert_eq!(LeastClearanceOptions::default().relative_tolerance, 1e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastClearanceOptions {
    /// A length: a bracket no wider than this is narrow enough.
    pub tolerance: f64,
    /// The same, relative to `upper`.
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
/// assert!(least.lower <= 1.0 && 1.0 <= least.upper && least.upper - least.lower < 2e-3);
/// assert!((least.t - 0.45).abs() < 0.01);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastClearance {
    /// When the bodies are as near as `upper`.
    pub time: f64,
    /// Proved: at no time of the step are the bodies nearer than this. Zero: they may touch.
    /// Proved: at `t` they are no farther apart than this.
    pub gap: Bracket,
    /// The point of A that is nearest at `t`, in A's own frame.
    /// The point of B that is nearest at `t`, in B's own frame.
    pub witness: Witness,
    /// At how many times the gap was looked at.
    pub readings: u32,
}
