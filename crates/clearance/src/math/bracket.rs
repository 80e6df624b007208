//! A number with proved bounds.

use std::fmt;

#[cfg(feature = "serde")]
use super::numbers::data_form;

/// A number and proved bounds on the true value: `lower <= truth <= upper`.
///
/// ```
/// use clearance::Bracket;
/// let gap = Bracket { lower: 0.24999, value: 0.25, upper: 0.250001 };
/// assert!(gap.contains(0.25) && !gap.contains(0.26));
/// assert!(gap.width() < 1.2e-5);
/// // Only digits that the bounds prove are printed.
/// assert_eq!(gap.to_string(), "0.2500");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    /// Proved: the true value is not below this.
    pub lower: f64,
    /// The best estimate, between the bounds.
    pub value: f64,
    /// Proved: the true value is not above this.
    pub upper: f64,
}

impl Bracket {
    /// A number that is known exactly.
    #[must_use]
    pub const fn exact(value: f64) -> Bracket {
        Bracket { lower: value, value, upper: value }
    }

    /// A bracket from its bounds alone: the value is the number between them nearest zero.
    ///
    /// ```
    /// use clearance::Bracket;
    /// assert_eq!(Bracket::between(-1.0, 2.0).value, 0.0);
    /// assert_eq!(Bracket::between(0.5, 2.0).value, 0.5);
    /// assert_eq!(Bracket::between(-2.0, -0.5).value, -0.5);
    /// ```
    #[must_use]
    pub fn between(lower: f64, upper: f64) -> Bracket {
        Bracket { lower, value: 0.0f64.min(upper).max(lower), upper }
    }

    /// The width, `upper - lower`.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }

    /// Whether a number lies within the bounds, inclusive.
    #[must_use]
    pub fn contains(&self, number: f64) -> bool {
        self.lower <= number && number <= self.upper
    }

    /// The bracket scaled by a power of two, rounded outward where it underflows.
    pub(crate) fn scaled(&self, factor: f64) -> Bracket {
        let (lower, upper) = (scale_down(self.lower, factor), scale_up(self.upper, factor));
        Bracket { lower, value: (self.value * factor).max(lower).min(upper), upper }
    }
}

impl fmt::Display for Bracket {
    /// The value with as many decimals as both bounds prove: the printed number is off by less than one unit of its
    /// last digit. A wide bracket prints both bounds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let off = (self.upper - self.value).max(self.value - self.lower);
        if !off.is_finite() || !self.value.is_finite() {
            return write!(f, "[{}, {}]", self.lower, self.upper);
        }
        let size = self.value.abs();
        // A double has no more digits than this.
        let finest = if size > 0.0 { 16 - size.log10().floor() as i32 } else { 0 };
        // Rounding to the last digit adds half a unit of it.
        let decimals = (1..=finest.max(0)).rev().find(|&k| off <= 0.5 * 10f64.powi(-k)).unwrap_or(0).min(340);
        if off == 0.0 {
            return write!(f, "{}", self.value);
        }
        if decimals == 0 && off > 0.5 {
            return write!(f, "[{}, {}]", self.lower, self.upper);
        }
        write!(f, "{:.*}", decimals as usize, self.value)
    }
}

#[cfg(feature = "serde")]
data_form!(
    Bracket { lower: f64, value: f64, upper: f64 },
    |bracket| (bracket.lower, bracket.value, bracket.upper),
    |lower, value, upper| {
        let in_order = lower <= value && value <= upper;
        let refused =
            || format!("lower end {lower}, value {value} and upper end {upper} of a bracket are not in order");
        in_order.then_some(Bracket { lower, value, upper }).ok_or_else(refused)
    },
);

/// A lower bound times a power of two, keeping its sign.
pub(crate) fn scale_down(bound: f64, factor: f64) -> f64 {
    let scaled = bound * factor;
    if scaled.is_normal() || bound == 0.0 {
        scaled
    } else if bound > 0.0 {
        scaled.next_down().max(0.0)
    } else {
        scaled.next_down()
    }
}

/// An upper bound times a power of two, keeping its sign.
pub(crate) fn scale_up(bound: f64, factor: f64) -> f64 {
    -scale_down(-bound, factor)
}
