//! Exact sums and products of floats: an integer of any size times a power of two.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use super::ring::Ring;
use super::scaling::integer_parts;

/// `integer * 2^exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    integer: BigInt,
    exponent: i64,
}

impl Dyadic {
    /// The quotient, rounded; NaN if both are zero.
    pub fn ratio(&self, other: &Dyadic) -> f64 {
        // The leading 64 bits of each, and the remaining power of two.
        let leading = |x: &Dyadic| {
            let spare = x.integer.bits().saturating_sub(64);
            let high: BigInt = &x.integer >> spare;
            let digits = i128::try_from(high).unwrap_or(0) as f64;
            (digits, x.exponent + spare as i64)
        };
        let ((above, up), (below, down)) = (leading(self), leading(other));
        let power = (up - down).clamp(-2200, 2200) as i32;
        // In two steps, neither of which is out of range before the quotient is.
        above / below * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
    }

    /// The integers of both over the smaller exponent.
    fn aligned(&self, other: &Dyadic) -> (BigInt, BigInt, i64) {
        let exponent = self.exponent.min(other.exponent);
        let shifted = |x: &Dyadic| x.integer.clone() << (x.exponent - exponent).unsigned_abs();
        (shifted(self), shifted(other), exponent)
    }
}

impl Ring for Dyadic {
    fn of(x: f64) -> Dyadic {
        // Non-finite numbers cannot be an input; they count as zero.
        let (integer, exponent) = if x.is_finite() { integer_parts(x) } else { (0, 0) };
        if integer == 0 {
            return Dyadic { integer: BigInt::ZERO, exponent: 0 };
        }
        let zeros = integer.trailing_zeros();
        Dyadic { integer: BigInt::from(integer >> zeros), exponent: i64::from(exponent) + i64::from(zeros) }
    }

    fn scaled(x: f64, power: f64) -> Dyadic {
        Dyadic::of(x).times(&Dyadic::of(power))
    }

    fn plus(&self, other: &Dyadic) -> Dyadic {
        if self.integer.sign() == Sign::NoSign {
            return other.clone();
        }
        if other.integer.sign() == Sign::NoSign {
            return self.clone();
        }
        let (a, b, exponent) = self.aligned(other);
        Dyadic { integer: a + b, exponent }
    }

    fn minus(&self, other: &Dyadic) -> Dyadic {
        self.plus(&Dyadic { integer: -other.integer.clone(), exponent: other.exponent })
    }

    fn times(&self, other: &Dyadic) -> Dyadic {
        Dyadic { integer: &self.integer * &other.integer, exponent: self.exponent + other.exponent }
    }

    fn sign(&self) -> Option<Ordering> {
        Some(match self.integer.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exact::Exact;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_arithmetic_of_the_tests(
            a in prop::num::f64::NORMAL | prop::num::f64::ZERO,
            b in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL,
            c in prop::num::f64::NORMAL | prop::num::f64::ZERO,
        ) {
            let ours = Dyadic::of(a).times(&Dyadic::of(b)).minus(&Dyadic::of(c).plus(&Dyadic::of(a)));
            let theirs = &(&Exact::new(a) * &Exact::new(b)) - &(&Exact::new(c) + &Exact::new(a));
            prop_assert_eq!(ours.sign().map(|s| s as i32), Some(theirs.sign()));
        }
    }
}
