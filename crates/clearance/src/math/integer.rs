//! Exact coordinates: `f64` numbers as big integers over a common power of two.
//!
//! Every finite `f64` is an integer times a power of two, so points become integer points once the smallest exponent
//! among them is known; sums, products and comparisons of them are then exact. Predicates fall back to this.

use glam::DVec3;
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};

use super::scaling::{integer_parts, times_power_of_two};

/// An integer vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IntegerVec3(pub [BigInt; 3]);

/// Mantissa and exponent of a finite number: `x = mantissa * 2^exponent`, the mantissa odd or zero.
fn decompose(x: f64) -> (i64, i32) {
    let (mantissa, exponent) = integer_parts(x);
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    (mantissa >> zeros, exponent + zeros as i32)
}

/// The smallest exponent among the coordinates; `None` when all are zero.
pub(crate) fn common_exponent(values: impl Iterator<Item = f64>) -> Option<i32> {
    values.filter(|x| *x != 0.0).map(|x| decompose(x).1).min()
}

/// `x / 2^exponent` as an integer; `exponent` must not exceed that of `x`.
pub(crate) fn integer(x: f64, exponent: i32) -> BigInt {
    let (mantissa, own) = decompose(x);
    if mantissa == 0 {
        return BigInt::zero();
    }
    BigInt::from(mantissa) << (own - exponent) as usize
}

impl IntegerVec3 {
    /// A point over a common exponent.
    pub fn new(point: DVec3, exponent: i32) -> IntegerVec3 {
        IntegerVec3(point.to_array().map(|x| integer(x, exponent)))
    }

    /// The zero vector.
    pub fn zero() -> IntegerVec3 {
        IntegerVec3(std::array::from_fn(|_| BigInt::zero()))
    }

    pub fn is_zero(&self) -> bool {
        self.0.iter().all(Zero::is_zero)
    }

    pub fn negated(&self) -> IntegerVec3 {
        IntegerVec3(self.0.each_ref().map(|c| -c))
    }

    pub fn dot(&self, other: &IntegerVec3) -> BigInt {
        &self.0[0] * &other.0[0] + &self.0[1] * &other.0[1] + &self.0[2] * &other.0[2]
    }

    pub fn cross(&self, other: &IntegerVec3) -> IntegerVec3 {
        let ([a, b, c], [p, q, r]) = (&self.0, &other.0);
        IntegerVec3([b * r - c * q, c * p - a * r, a * q - b * p])
    }

    pub fn sub(&self, other: &IntegerVec3) -> IntegerVec3 {
        IntegerVec3(std::array::from_fn(|k| &self.0[k] - &other.0[k]))
    }

    /// `self + other * factor`.
    pub fn add_scaled(&self, other: &IntegerVec3, factor: &BigInt) -> IntegerVec3 {
        IntegerVec3(std::array::from_fn(|k| &self.0[k] + &other.0[k] * factor))
    }

    /// The direction as a vector of about unit size; each component off by at most `2u` of the largest.
    pub fn to_direction(&self) -> DVec3 {
        let parts = self.0.each_ref().map(float);
        let top = parts.iter().filter(|p| p.0 != 0.0).map(|p| p.1).max().unwrap_or(0);
        let [x, y, z] = parts.map(|(m, e)| scale(m, e - top));
        let v = DVec3::new(x, y, z);
        v / v.abs().max_element().max(f64::MIN_POSITIVE)
    }
}

/// An integer as `m * 2^e` with `m` in [2⁶³, 2⁶⁴) up to sign, rounded to a float: relative error at most `2u`.
fn float(x: &BigInt) -> (f64, i64) {
    let bits = x.bits();
    if bits == 0 {
        return (0.0, 0);
    }
    let shift = bits as i64 - 64;
    let magnitude = x.magnitude();
    let top = if shift > 0 { magnitude >> shift as usize } else { magnitude << (-shift) as usize };
    let mantissa = top.to_u64().unwrap_or(u64::MAX) as f64;
    (if x.sign() == Sign::Minus { -mantissa } else { mantissa }, shift)
}

/// `m * 2^e`, underflowing to zero or overflowing to infinity.
fn scale(m: f64, e: i64) -> f64 {
    times_power_of_two(m, e.clamp(-4000, 4000) as i32)
}

/// `numerator / denominator` as a float, relative error at most `5u`.
pub(crate) fn ratio(numerator: &BigInt, denominator: &BigInt) -> f64 {
    let (n, en) = float(numerator);
    let (d, ed) = float(denominator);
    scale(n / d, en - ed)
}

/// `sqrt(squared) / denominator * 2^exponent` as a float, relative error at most `6u`, never rounded to zero unless it
/// is zero. `squared` must not be negative.
pub(crate) fn root_ratio(squared: &BigInt, denominator: &BigInt, exponent: i32) -> f64 {
    if !squared.is_positive() {
        return 0.0;
    }
    let (n, en) = float(squared);
    let (n, en) = if en % 2 == 0 { (n, en) } else { (2.0 * n, en - 1) };
    let (d, ed) = float(denominator);
    scale(n.sqrt() / d, en / 2 - ed + i64::from(exponent)).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn conversion_is_exact_both_ways(
            x in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        ) {
            let (mantissa, exponent) = decompose(x);
            prop_assert_eq!(scale(mantissa as f64, i64::from(exponent)), x);
            let value = integer(x, exponent.min(0));
            let (m, e) = float(&value);
            prop_assert_eq!(scale(m, e + i64::from(exponent.min(0))), x);
        }

        #[test]
        fn roots_and_ratios_are_close(a in 1e-20..1e20f64, b in 1e-20..1e20f64) {
            let e = common_exponent([a, b].into_iter()).unwrap();
            let (p, q) = (integer(a, e), integer(b, e));
            prop_assert!((ratio(&p, &q) / (a / b) - 1.0).abs() < 1e-15);
            prop_assert!((root_ratio(&(&p * &p), &BigInt::from(1), e) / a - 1.0).abs() < 1e-15);
        }
    }
}
