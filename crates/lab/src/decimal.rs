//! Exact comparison of floating-point answers with decimal strings.
//!
//! A published distance such as `1.7082191678258197124e-8` is not a double: parsing it as one moves it by up to half
//! a unit in the last place, as much as the brackets under test are wide. So both sides become fractions of big
//! integers, and comparing is multiplying crosswise.

use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// Significant digits that a published value is taken to be correctly rounded to, when it shows no more than these.
/// Printers drop trailing zeros, so a short string is not an inaccurate one; 20 is what the known data prints.
const ASSUMED_DIGITS: usize = 20;

/// Largest decimal exponent that is read; beyond it a string is a mistake, not a distance.
const MAX_EXPONENT: i64 = 5000;

/// A fraction of big integers, not reduced; the denominator is positive.
#[derive(Clone, Debug)]
pub struct Rational {
    numerator: BigInt,
    denominator: BigInt,
}

impl Rational {
    /// The exact value of a finite double; `None` for NaN and the infinities.
    pub fn from_f64(value: f64) -> Option<Rational> {
        if !value.is_finite() {
            return None;
        }
        let bits = value.to_bits();
        let stored_exponent = ((bits >> 52) & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = match stored_exponent {
            0 => (fraction, -1074),
            _ => (fraction | (1 << 52), stored_exponent - 1075),
        };
        let numerator = if value.is_sign_negative() { -BigInt::from(mantissa) } else { BigInt::from(mantissa) };
        Some(if exponent >= 0 {
            Rational { numerator: numerator << exponent, denominator: BigInt::from(1) }
        } else {
            Rational { numerator, denominator: BigInt::from(1) << -exponent }
        })
    }

    /// `self - other`.
    pub fn minus(&self, other: &Rational) -> Rational {
        Rational {
            numerator: &self.numerator * &other.denominator - &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    /// `self + other`.
    pub fn plus(&self, other: &Rational) -> Rational {
        self.minus(&other.negated())
    }

    /// `-self`.
    pub fn negated(&self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }

    /// `|self|`.
    pub fn magnitude(&self) -> Rational {
        if self.numerator.sign() == Sign::Minus { self.negated() } else { self.clone() }
    }

    /// Whether the value is above, at or below zero.
    pub fn sign(&self) -> Ordering {
        match self.numerator.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    /// Whether `self <= other`.
    pub fn at_most(&self, other: &Rational) -> bool {
        self.minus(other).sign() != Ordering::Greater
    }
}

/// A published value: what its string says, and how far the truth can be from it because the string is rounded.
#[derive(Clone, Debug)]
pub struct Published {
    /// The value of the string, exactly.
    pub value: Rational,
    /// The truth is within this of `value`: half a unit in the 20th significant digit, or in the last digit shown
    /// when there are more; 0 for a string that says 0.
    pub rounding: Rational,
}

impl Published {
    /// Reads `[-+]digits[.digits][e[-+]digits]`; the error says what is wrong with the string.
    pub fn parse(text: &str) -> Result<Published, String> {
        let wrong = |why: &str| format!("`{text}` is not a decimal number: {why}");
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => {
                (mantissa, exponent.parse::<i64>().map_err(|_| wrong("the exponent is not an integer"))?)
            }
            None => (unsigned, 0),
        };
        if !(-MAX_EXPONENT..=MAX_EXPONENT).contains(&exponent) {
            return Err(wrong("the exponent is out of range"));
        }
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(wrong("digits are expected"));
        }
        let magnitude = BigInt::parse_bytes(digits.as_bytes(), 10).ok_or_else(|| wrong("digits are expected"))?;
        let exponent = exponent - fraction.len() as i64;
        let value = times_power_of_ten(if negative { -magnitude } else { magnitude }, exponent);

        let significant = digits.trim_start_matches('0').len();
        let rounding = if significant == 0 {
            times_power_of_ten(BigInt::from(0), 0)
        } else {
            // Half a unit in the last digit is 5 units in the one after it.
            let unseen = ASSUMED_DIGITS.saturating_sub(significant) as i64;
            times_power_of_ten(BigInt::from(5), exponent - unseen - 1)
        };
        Ok(Published { value, rounding })
    }

    /// Whether the truth can lie in `[lower, upper]`; no interval with a NaN or infinite end holds anything.
    pub fn within(&self, lower: f64, upper: f64) -> bool {
        match (Rational::from_f64(lower), Rational::from_f64(upper)) {
            (Some(lower), Some(upper)) => {
                lower.at_most(&self.value.plus(&self.rounding)) && self.value.minus(&self.rounding).at_most(&upper)
            }
            _ => false,
        }
    }

    /// Whether `value` is within `tolerance` of the truth, as far as the string tells.
    pub fn near(&self, value: f64, tolerance: f64) -> bool {
        match (Rational::from_f64(value), Rational::from_f64(tolerance)) {
            (Some(value), Some(tolerance)) => {
                value.minus(&self.value).magnitude().at_most(&tolerance.plus(&self.rounding))
            }
            _ => false,
        }
    }

    /// Whether the value of the string is above, at or below zero.
    pub fn sign(&self) -> Ordering {
        self.value.sign()
    }

    /// Whether the magnitude of the string's value is at most `bound`.
    pub fn magnitude_at_most(&self, bound: f64) -> bool {
        Rational::from_f64(bound).is_some_and(|bound| self.value.magnitude().at_most(&bound))
    }
}

/// `integer * 10^exponent`.
fn times_power_of_ten(integer: BigInt, exponent: i64) -> Rational {
    let power = BigInt::from(10).pow(exponent.unsigned_abs() as u32);
    if exponent >= 0 {
        Rational { numerator: integer * power, denominator: BigInt::from(1) }
    } else {
        Rational { numerator: integer, denominator: power }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(text: &str) -> Published {
        Published::parse(text).unwrap()
    }

    fn equal(a: &Rational, b: &Rational) -> bool {
        a.minus(b).sign() == Ordering::Equal
    }

    #[test]
    fn doubles_become_their_exact_value() {
        for (value, text) in [
            (0.5, "0.5"),
            (-3.0, "-3"),
            (0.1, "0.1000000000000000055511151231257827021181583404541015625"),
            (1e22, "1e22"),
            (-0.0, "0"),
            (f64::MIN_POSITIVE / 4.0, "5.56268464626800345725e-309"),
        ] {
            let exact = Rational::from_f64(value).unwrap();
            if text.contains("e-309") {
                let twice = exact.plus(&exact);
                assert!(equal(&twice, &Rational::from_f64(f64::MIN_POSITIVE / 2.0).unwrap()));
            } else {
                assert!(equal(&exact, &published(text).value), "{text}");
            }
        }
        assert!(Rational::from_f64(f64::NAN).is_none() && Rational::from_f64(f64::INFINITY).is_none());
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
        assert!(!published("0").within(f64::from_bits(1), 1.0) && published("0").within(0.0, 0.0));
    }

    #[test]
    fn signs_exponents_and_magnitudes() {
        assert_eq!(published("-4.6e-11").sign(), Ordering::Less);
        assert_eq!(published("0.000").sign(), Ordering::Equal);
        assert_eq!(published("+12E3").sign(), Ordering::Greater);
        assert!(published("12E3").within(12000.0, 12000.0));
        assert!(published("-2").magnitude_at_most(2.0) && !published("-2").magnitude_at_most(1.99));
        assert!(!published("1").within(f64::NAN, 2.0) && !published("1").near(f64::NAN, 1.0));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "-", "one", "1.2.3", "1e", "1e1.5", "0x10", "1e999999", "--1", " 1"] {
            assert!(Published::parse(text).is_err(), "{text}");
        }
    }
}
