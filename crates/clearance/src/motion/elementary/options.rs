//! Options of the elementary tests (solver and time window), and counts of how they were decided.

/// How the first contact of two moving features is found.
///
/// On 4779 published queries with known answers (`lab run ccd-queries`): errors, mean and median time.
///
/// | Solver | Missed | Invented | Mean | Median |
/// |---|---|---|---|---|
/// | `Exact` | 0 | 0 | 0.7 us | 0.11 us |
/// | `Inclusion` | 0 | 44 | 0.2 ms | 1.2 us |
/// | `Cubic` | 6 | 27 | 0.14 us | 0.12 us |
/// | `Bisection` | 1 | 73 | 80 us | 1.1 us |
///
/// ```
/// assert_eq!(clearance::query::ElementarySolver::default(), clearance::query::ElementarySolver::Exact);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ElementarySolver {
    /// Decides contact exactly, for all input. The default.
    #[default]
    Exact,
    /// Subdivides boxes of time and the two surface parameters: never misses a contact; features that come within a
    /// tolerance count as touching.
    Inclusion,
    /// The roots of the coplanarity cubic by formula, as in the paper. Proves nothing; for comparison.
    Cubic,
    /// Bisection of time with interval bounds of the cubic. Proves nothing about the features; for comparison.
    Bisection,
}

/// Options of [`elementary_impact`](crate::query::elementary_impact()).
///
/// ```
/// let options = clearance::query::ElementaryOptions { until: 0.5, ..Default::default() };
/// assert_eq!(options.solver, clearance::query::ElementarySolver::Exact);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ElementaryOptions {
    /// The solver.
    pub solver: ElementarySolver,
    /// Contacts up to and including this time are found. Clamped to [0, 1]; NaN counts as 1.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub until: f64,
    /// [`ElementarySolver::Inclusion`]: features within this distance along each axis count as touching.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub minimum_separation: f64,
    /// [`ElementarySolver::Inclusion`]: a box of differences no larger than this along each axis counts as a contact.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// [`ElementarySolver::Inclusion`]: the most boxes examined. A box left after that counts as a contact.
    pub most_boxes: u32,
}

impl ElementaryOptions {
    /// `until` as a time of the step.
    pub(super) fn window(&self) -> f64 {
        if self.until.is_nan() { 1.0 } else { self.until.clamp(0.0, 1.0) + 0.0 }
    }
}

impl Default for ElementaryOptions {
    fn default() -> ElementaryOptions {
        ElementaryOptions {
            solver: ElementarySolver::Exact,
            until: 1.0,
            minimum_separation: 0.0,
            tolerance: 1e-6,
            most_boxes: 1_000_000,
        }
    }
}
