//! The known signed gap of a pair, and exact comparison of floating-point answers with it.
//!
//! A published distance such as `1.7082191678258197124e-8` is not a double: parsing it as one moves it by up to half
//! a unit in the last place, as much as the brackets under test are wide. So every comparison is one of rationals.

use clearance_oracle::{ExactSigned, Rational, Surd};
use std::cmp::Ordering;

/// Significant digits that a published value is taken to be correctly rounded to, when it shows no more than these.
/// Printers drop trailing zeros, so a short string is not an inaccurate one; 20 is what the known data prints.
const ASSUMED_DIGITS: usize = 20;

/// Largest decimal exponent that is read; beyond it a string is a mistake, not a distance.
const MAX_EXPONENT: i64 = 5000;

/// The signed gap of a pair: positive apart, negative overlapping.
#[derive(Clone, Debug)]
pub struct Truth {
    /// What is known.
    value: Surd,
    /// The truth is within this of `value`: 0, or what printing it as a decimal string cost.
    rounding: Rational,
}

impl From<&ExactSigned> for Truth {
    fn from(exact: &ExactSigned) -> Truth {
        Truth { value: exact.value(), rounding: Rational::zero() }
    }
}

impl From<Rational> for Truth {
    fn from(exact: Rational) -> Truth {
        Truth { value: exact.into(), rounding: Rational::zero() }
    }
}

impl Truth {
    /// Reads a published value, `[-+]digits[.digits][e[-+]digits]`. The truth is within half a unit in the 20th
    /// significant digit of it, or in the last digit shown when there are more; a string that says 0 means 0. The
    /// error says what is wrong with the string.
    pub fn published(text: &str) -> Result<Truth, String> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        if exponent.parse::<i64>().is_ok_and(|exponent| exponent.abs() > MAX_EXPONENT) {
            return Err(format!("the exponent of `{text}` is out of range"));
        }
        let value: Rational = text.parse().map_err(|error| format!("{error}"))?;
        let half_unit = Rational::half_unit_of_last_digit(text).map_err(|error| error.to_string())?;
        let significant = mantissa.trim_start_matches(['-', '+', '0', '.']).bytes().filter(u8::is_ascii_digit).count();
        let unseen = ASSUMED_DIGITS.saturating_sub(significant) as i64;
        let rounding = if value.is_zero() { value.clone() } else { half_unit * Rational::power_of_ten(-unseen) };
        Ok(Truth { value: value.into(), rounding })
    }

    /// Whether the truth can lie in `[lower, upper]`; no interval with a NaN or infinite end holds anything.
    pub fn within(&self, lower: f64, upper: f64) -> bool {
        match (Rational::from_f64(lower), Rational::from_f64(upper)) {
            (Some(lower), Some(upper)) => self.between(&lower, &upper),
            _ => false,
        }
    }

    /// Whether `value` can be within `tolerance` of the truth.
    pub fn near(&self, value: f64, tolerance: f64) -> bool {
        match (Rational::from_f64(value), Rational::from_f64(tolerance)) {
            (Some(value), Some(tolerance)) => self.between(&(&value - &tolerance), &(&value + &tolerance)),
            _ => false,
        }
    }

    /// Whether the truth can lie in `[lower, upper]`.
    fn between(&self, lower: &Rational, upper: &Rational) -> bool {
        self.value.compare_rational(&(lower - &self.rounding)) != Ordering::Less
            && self.value.compare_rational(&(upper + &self.rounding)) != Ordering::Greater
    }

    /// Whether the bodies are apart (`Greater`), touch or overlap (`Less`).
    pub fn sign(&self) -> Ordering {
        self.value.sign()
    }

    /// |value - depth|, the depth being 0 for bodies that do not overlap; to within a unit in the last place of the
    /// truth.
    pub fn error_of_depth(&self, value: f64) -> f64 {
        let (low, high) = self.value.enclosure();
        (value - (-low).max(0.0)).abs().max((value - (-high).max(0.0)).abs())
    }

    /// |value - distance|, the distance being 0 for bodies that meet; to within a unit in the last place of the truth.
    pub fn error_of_distance(&self, value: f64) -> f64 {
        let (low, high) = self.value.enclosure();
        (value - low.max(0.0)).abs().max((value - high.max(0.0)).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_oracle::{OracleBody, signed_distance};

    fn published(text: &str) -> Truth {
        Truth::published(text).unwrap()
    }

    #[test]
    fn a_string_is_not_the_double_it_parses_to() {
        // Between 0.1 and the double nearest to it there is a gap that an f64 parse would hide.
        let tenth = published("0.1");
        assert!(!tenth.within(0.1, 0.1));
        assert!(tenth.within(0.1_f64.next_down(), 0.1));
        assert!(!tenth.near(0.1, 0.0) && tenth.near(0.1, 6e-18) && !tenth.near(0.1, 5e-18));
        // All digits of the double are given: now it is the double.
        assert!(published("0.1000000000000000055511151231257827021181583404541015625").within(0.1, 0.1));
    }

    #[test]
    fn rounding_of_the_string_is_allowed_for_and_no_more() {
        // 0.1 as a double, printed to 20 digits.
        assert!(published("0.10000000000000000555").within(0.1, 0.1));
        assert!(!published("0.10000000000000000556").within(0.1, 0.1));
        // Few digits are not a licence: the zeros behind them were dropped by the printer.
        assert!(published("1.5").within(1.5, 1.5) && !published("1.5").within(1.5_f64.next_up(), 2.0));
        assert!(!published("0").within(f64::from_bits(1), 1.0) && published("0.00").within(0.0, 0.0));
    }

    #[test]
    fn signs_exponents_and_magnitudes() {
        assert_eq!(published("-4.6e-11").sign(), Ordering::Less);
        assert_eq!(published("0.000").sign(), Ordering::Equal);
        assert_eq!(published("+12E3").sign(), Ordering::Greater);
        assert!(published("12E3").within(12000.0, 12000.0));
        assert!(published("-2").near(0.0, 2.0) && !published("-2").near(0.0, 1.99));
        assert!(!published("1").within(f64::NAN, 2.0) && !published("1").near(f64::NAN, 1.0));
        assert!(!published("1").within(0.0, f64::INFINITY));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "-", "one", "1.2.3", "1e", "1e1.5", "0x10", "1e999999", "--1", " 1"] {
            assert!(Truth::published(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_exact_gap_has_no_rounding() {
        let (a, b) = (OracleBody::sphere(0.5), OracleBody::sphere(0.25).translated([1.0, 1.0, 0.0]));
        let truth = Truth::from(&signed_distance(&a, &b));
        let near = std::f64::consts::SQRT_2 - 0.75;
        assert!(truth.within(near.next_down(), near.next_up()) && !truth.within(near, near.next_up()));
        assert!(truth.error_of_distance(near) < 2e-16 && (truth.error_of_distance(1.0) - (1.0 - near)).abs() < 1e-15);
        let inside = Truth::from(&signed_distance(&a, &a));
        assert_eq!((inside.sign(), inside.error_of_distance(0.0)), (Ordering::Less, 0.0));
    }
}
