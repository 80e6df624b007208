//! Exact rational numbers and 3-vectors of them.
//!
//! A quotient of two big integers in lowest terms. Every finite `f64` is one (a dyadic rational), and so is every
//! decimal string; sums and products of them stay exact. Implemented here because the published rational crate lags one
//! version behind the big integers that the engine uses; it has only what the oracle needs.
//!
//! ```
//! use clearance_oracle::Rational;
//!
//! let tenth: Rational = "0.1".parse().unwrap();
//! let double = Rational::from_f64(0.1).unwrap();
//! assert!(double > tenth); // 0.1 rounds up to the nearest double
//! assert_eq!(tenth.to_f64(), 0.1); // and back
//! assert_eq!((&double - &tenth).to_decimal(5), "5.5511e-18");
//! ```

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::str::FromStr;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::gcd::gcd;
use crate::surd::Surd;

/// An exact rational number, always in lowest terms with a positive denominator.
///
/// ```
/// use clearance_oracle::Rational;
/// let third = Rational::ratio(2, 6);
/// assert_eq!(third.to_string(), "1/3");
/// assert_eq!(&third + &third, Rational::ratio(2, 3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: BigInt,
    denominator: BigInt,
}

/// An exact vector or point.
pub type Vector = [Rational; 3];

impl Rational {
    /// `numerator / denominator`, reduced.
    ///
    /// # Panics
    /// If the denominator is zero.
    #[must_use]
    pub fn new(numerator: BigInt, denominator: BigInt) -> Rational {
        assert!(!denominator.is_zero(), "the denominator of a rational must not be zero");
        let divisor = gcd(&numerator, &denominator);
        let divisor = if denominator.is_negative() { -divisor } else { divisor };
        if divisor.is_one() {
            return Rational { numerator, denominator };
        }
        Rational { numerator: numerator / &divisor, denominator: denominator / divisor }
    }

    /// `numerator / denominator` of two machine integers.
    ///
    /// # Panics
    /// If the denominator is zero.
    #[must_use]
    pub fn ratio(numerator: i64, denominator: i64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    /// Zero.
    #[must_use]
    pub fn zero() -> Rational {
        Rational::from(0)
    }

    /// The exact value of a double; `None` for infinities and NaN.
    ///
    /// ```
    /// use clearance_oracle::Rational;
    /// assert_eq!(Rational::from_f64(-0.375), Some(Rational::ratio(-3, 8)));
    /// assert_eq!(Rational::from_f64(f64::NAN), None);
    /// ```
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Rational> {
        let (mantissa, exponent) = decompose(value)?;
        Some(Rational::from_dyadic(mantissa.into(), exponent))
    }

    /// `mantissa * 2^exponent`.
    #[must_use]
    pub fn from_dyadic(mantissa: BigInt, exponent: i64) -> Rational {
        if exponent >= 0 {
            Rational { numerator: mantissa << exponent.unsigned_abs(), denominator: BigInt::one() }
        } else {
            let shared =
                mantissa.trailing_zeros().map_or(exponent.unsigned_abs(), |zeros| zeros.min(exponent.unsigned_abs()));
            Rational { numerator: mantissa >> shared, denominator: BigInt::one() << (exponent.unsigned_abs() - shared) }
        }
    }

    /// The numerator in lowest terms; carries the sign.
    #[must_use]
    pub fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    /// The denominator in lowest terms; positive.
    #[must_use]
    pub fn denominator(&self) -> &BigInt {
        &self.denominator
    }

    /// Whether the number is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Whether the number is negative.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.numerator.is_negative()
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Rational {
        Rational { numerator: self.numerator.abs(), denominator: self.denominator.clone() }
    }

    /// The square.
    #[must_use]
    pub fn squared(&self) -> Rational {
        Rational { numerator: &self.numerator * &self.numerator, denominator: &self.denominator * &self.denominator }
    }

    /// `10^exponent`; the exponent may be negative.
    #[must_use]
    pub fn power_of_ten(exponent: i64) -> Rational {
        let magnitude = u32::try_from(exponent.unsigned_abs()).expect("a decimal exponent");
        let power = BigInt::from(10).pow(magnitude);
        if exponent >= 0 {
            Rational { numerator: power, denominator: BigInt::one() }
        } else {
            Rational { numerator: BigInt::one(), denominator: power }
        }
    }

    /// The largest integer not above the number.
    #[must_use]
    pub fn floor(&self) -> BigInt {
        self.numerator.div_floor(&self.denominator)
    }

    /// The adjacent doubles around the number: the largest not above and the smallest not below it. Equal if the number
    /// is a double; infinite on the outer side beyond the range of doubles.
    ///
    /// ```
    /// use clearance_oracle::Rational;
    /// let (below, above) = Rational::ratio(1, 3).to_f64_bounds();
    /// assert_eq!(below.next_up(), above);
    /// assert_eq!(Rational::ratio(1, 4).to_f64_bounds(), (0.25, 0.25));
    /// ```
    #[must_use]
    pub fn to_f64_bounds(&self) -> (f64, f64) {
        let (truncated, exact) = self.truncated_f64();
        let outer = if exact { truncated } else { truncated.next_up() };
        if self.is_negative() { (-outer, -truncated) } else { (truncated, outer) }
    }

    /// The nearest double, ties to even.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        let (below, above) = self.to_f64_bounds();
        if below == above {
            return below;
        }
        // Adjacent doubles: the midpoint is exact as a rational. Beyond the range, numbers from half a step above the
        // largest double on become infinite.
        let (Some(low), Some(high)) = (Rational::from_f64(below), Rational::from_f64(above)) else {
            let limit = Rational::from_dyadic(BigInt::from((1_u64 << 54) - 1), 970);
            let inside = self.abs() < limit;
            return if inside == (above == f64::INFINITY) { below } else { above };
        };
        match (self - &low).cmp(&(&high - self)) {
            Ordering::Less => below,
            Ordering::Greater => above,
            Ordering::Equal if below.to_bits() & 1 == 0 => below,
            Ordering::Equal => above,
        }
    }

    /// The largest double whose magnitude is not above the magnitude of `self`, positive, and whether it is exact.
    fn truncated_f64(&self) -> (f64, bool) {
        if self.is_zero() {
            return (0.0, true);
        }
        let magnitude = self.numerator.abs();
        let quotient = |shift: i64| -> (BigInt, BigInt) {
            if shift >= 0 {
                (&magnitude << shift.unsigned_abs()).div_rem(&self.denominator)
            } else {
                magnitude.div_rem(&(&self.denominator << shift.unsigned_abs()))
            }
        };
        // Shift so that the quotient has 53 bits (at first at most 54), or fewer for subnormal doubles.
        let width = |value: &BigInt| i64::try_from(value.bits()).expect("a number of bits");
        let mut shift = (53 - (width(&magnitude) - width(&self.denominator))).min(1074);
        let (mut mantissa, mut remainder) = quotient(shift);
        if mantissa.bits() > 53 {
            shift -= 1;
            (mantissa, remainder) = quotient(shift);
        }
        if shift < -971 {
            return (f64::MAX, false);
        }
        let mantissa = mantissa.to_u64().expect("53 bits") as f64;
        let half = -shift / 2;
        let value = mantissa * power_of_two(half) * power_of_two(-shift - half);
        (value, remainder.is_zero())
    }

    /// The exact square root, as a number that can be compared and rounded.
    ///
    /// # Panics
    /// If the number is negative.
    ///
    /// ```
    /// use clearance_oracle::Rational;
    /// assert_eq!(Rational::from(2).sqrt().to_decimal(20), "1.4142135623730950488e0");
    /// assert_eq!(Rational::ratio(9, 4).sqrt().enclosure(), (1.5, 1.5));
    /// ```
    #[must_use]
    pub fn sqrt(&self) -> Surd {
        assert!(!self.is_negative(), "the square root of a negative number is not real");
        Surd { negative_root: false, squared: self.clone(), offset: Rational::zero() }
    }

    /// The number rounded to `digits` significant decimal digits (half away from zero), in the form
    /// `-1.2345e-6`; `0` for zero.
    ///
    /// ```
    /// use clearance_oracle::Rational;
    /// assert_eq!(Rational::ratio(-2, 3).to_decimal(4), "-6.667e-1");
    /// assert_eq!(Rational::from(1200).to_decimal(2), "1.2e3");
    /// ```
    #[must_use]
    pub fn to_decimal(&self, digits: u32) -> String {
        Surd::from(self.clone()).to_decimal(digits)
    }

    /// Half a unit of the last digit printed in a decimal string: the most by which a correctly rounded string may
    /// differ from the number it represents.
    ///
    /// ```
    /// use clearance_oracle::Rational;
    /// let half = Rational::half_unit_of_last_digit("-0.0390").unwrap();
    /// assert_eq!(half, "0.00005".parse().unwrap());
    /// ```
    ///
    /// # Errors
    /// If the string is not a decimal number.
    pub fn half_unit_of_last_digit(text: &str) -> Result<Rational, ParseDecimalError> {
        let decimal = Decimal::parse(text)?;
        Ok(Rational::power_of_ten(decimal.exponent) * Rational::ratio(1, 2))
    }
}

/// A double as `mantissa * 2^exponent`, with the mantissa odd or zero; `None` if not finite.
#[must_use]
pub fn decompose(value: f64) -> Option<(i64, i64)> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | (1 << 52), field - 1075) };
    if mantissa == 0 {
        return Some((0, 0));
    }
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    let signed = if value.is_sign_negative() { -mantissa } else { mantissa };
    Some((signed, exponent + i64::from(zeros)))
}

/// `2^exponent` as a double, exact; for normal doubles only.
pub(crate) fn power_of_two(exponent: i64) -> f64 {
    assert!((-1022..=1023).contains(&exponent), "2^{exponent}");
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// A string that is not a decimal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseDecimalError {
    text: String,
}

impl fmt::Display for ParseDecimalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` is not a decimal number", self.text)
    }
}

impl std::error::Error for ParseDecimalError {}

/// `mantissa * 10^exponent`, where the exponent is that of the last digit written.
struct Decimal {
    mantissa: BigInt,
    exponent: i64,
}

impl Decimal {
    fn parse(text: &str) -> Result<Decimal, ParseDecimalError> {
        Decimal::read(text).ok_or_else(|| ParseDecimalError { text: text.into() })
    }

    fn read(text: &str) -> Option<Decimal> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (sign, digits) = match number.strip_prefix('-') {
            Some(rest) => (Sign::Minus, rest),
            None => (Sign::Plus, number.strip_prefix('+').unwrap_or(number)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let magnitude: BigInt = all.parse().ok()?;
        Some(Decimal {
            mantissa: if sign == Sign::Minus { -magnitude } else { magnitude },
            exponent: i64::from(exponent) - i64::try_from(fraction.len()).ok()?,
        })
    }
}

impl FromStr for Rational {
    type Err = ParseDecimalError;

    /// Parses a decimal number such as `-0.039` or `1.7082e-8`, exactly.
    fn from_str(text: &str) -> Result<Rational, ParseDecimalError> {
        let decimal = Decimal::parse(text)?;
        Ok(Rational::new(decimal.mantissa, BigInt::one()) * Rational::power_of_ten(decimal.exponent))
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Rational {
        Rational::from(BigInt::from(value))
    }
}

impl From<BigInt> for Rational {
    fn from(value: BigInt) -> Rational {
        Rational { numerator: value, denominator: BigInt::one() }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator.is_one() {
            write!(formatter, "{}", self.numerator)
        } else {
            write!(formatter, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        Rational::new(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        Rational::new(
            &self.numerator * &other.denominator - &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        Rational::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

impl Div for &Rational {
    type Output = Rational;
    /// Panics if `other` is zero.
    fn div(self, other: &Rational) -> Rational {
        Rational::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }
}

impl Add for Rational {
    type Output = Rational;
    fn add(self, other: Rational) -> Rational {
        &self + &other
    }
}

impl Sub for Rational {
    type Output = Rational;
    fn sub(self, other: Rational) -> Rational {
        &self - &other
    }
}

impl Mul for Rational {
    type Output = Rational;
    fn mul(self, other: Rational) -> Rational {
        &self * &other
    }
}

impl Div for Rational {
    type Output = Rational;
    fn div(self, other: Rational) -> Rational {
        &self / &other
    }
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -&self
    }
}

/// The exact vector of three doubles; `None` if one is not finite.
///
/// ```
/// use clearance_oracle::rational::{cross, dot, vector};
/// let a = vector([1.0, 2.0, 0.5]).unwrap();
/// let b = vector([0.25, -1.0, 4.0]).unwrap();
/// assert!(dot(&cross(&a, &b), &a).is_zero());
/// ```
#[must_use]
pub fn vector(coordinates: [f64; 3]) -> Option<Vector> {
    let [x, y, z] = coordinates.map(Rational::from_f64);
    Some([x?, y?, z?])
}

/// `a + b`.
#[must_use]
pub fn add(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|axis| &a[axis] + &b[axis])
}

/// `a - b`.
#[must_use]
pub fn subtract(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|axis| &a[axis] - &b[axis])
}

/// `factor * a`.
#[must_use]
pub fn scale(a: &Vector, factor: &Rational) -> Vector {
    std::array::from_fn(|axis| &a[axis] * factor)
}

/// The dot product.
#[must_use]
pub fn dot(a: &Vector, b: &Vector) -> Rational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// The cross product.
#[must_use]
pub fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|axis| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        &a[next] * &b[last] - &a[last] * &b[next]
    })
}

/// `matrix * v`, with the matrix given by its rows.
#[must_use]
pub fn matrix_times(rows: &[Vector; 3], v: &Vector) -> Vector {
    std::array::from_fn(|row| dot(&rows[row], v))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn doubles_survive_the_round_trip() {
        for value in [0.0, -0.1, 1.0 / 3.0, f64::MAX, -f64::MAX, f64::MIN_POSITIVE, 5e-324, 3e-320, 1e300, -7.25] {
            let exact = Rational::from_f64(value).unwrap();
            assert_eq!(exact.to_f64(), value);
            assert_eq!(exact.to_f64_bounds(), (value, value));
        }
    }

    #[test]
    fn rounding_is_to_nearest_even_and_bounds_enclose() {
        for text in
            ["0.1", "1e23", "8.5e-320", "-123456789.123456789123", "9007199254740993", "2.2250738585072011e-308"]
        {
            let exact = parse(text);
            assert_eq!(exact.to_f64(), text.parse::<f64>().unwrap(), "{text}");
            let (below, above) = exact.to_f64_bounds();
            assert!(Rational::from_f64(below).unwrap() <= exact);
            assert!(Rational::from_f64(above).unwrap() >= exact);
            assert!(above == below || above == below.next_up());
        }
        assert_eq!(parse("1e400").to_f64_bounds(), (f64::MAX, f64::INFINITY));
        assert_eq!(parse("1e400").to_f64(), f64::INFINITY);
        assert_eq!(parse("-1e400").to_f64(), f64::NEG_INFINITY);
        assert_eq!(parse("1.7976931348623158e308").to_f64(), f64::MAX);
        assert_eq!(parse("-1.7976931348623158e308").to_f64(), -f64::MAX);
        assert_eq!(parse("1e-400").to_f64_bounds(), (0.0, 5e-324));
        assert_eq!(parse("-1e-400").to_f64_bounds(), (-5e-324, 0.0));
    }

    #[test]
    fn decimal_strings() {
        assert_eq!(parse("-0.039"), Rational::ratio(-39, 1000));
        assert_eq!(parse("+1.5E2"), Rational::from(150));
        assert_eq!(parse("12."), Rational::from(12));
        for bad in ["", "-", ".", "1e", "0x1", "1.2.3", "--1", "1-2"] {
            assert!(bad.parse::<Rational>().is_err(), "{bad}");
        }
        let text = "1.7082191678258197124e-8";
        assert_eq!(parse(text).to_decimal(20), text);
        assert_eq!(parse("9.996").to_decimal(3), "1.00e1");
        assert_eq!(Rational::zero().to_decimal(3), "0");
        assert_eq!(parse("-7").to_decimal(1), "-7e0");
    }

    #[test]
    fn vectors() {
        let rows = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|r| vector(r).unwrap());
        let v = vector([1.0, 2.0, 3.0]).unwrap();
        let turned = matrix_times(&rows, &v);
        assert_eq!(turned, vector([-2.0, 1.0, 3.0]).unwrap());
        assert_eq!(dot(&v, &turned), Rational::from(9));
        assert_eq!(scale(&subtract(&add(&v, &turned), &v), &Rational::from(2)), vector([-4.0, 2.0, 6.0]).unwrap());
    }
}
