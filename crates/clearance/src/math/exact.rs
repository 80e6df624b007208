//! Exact arithmetic for tests: every finite `f64` is an integer times a power of two, and so is every sum and
//! product of them. Slow, short, and independent of the code it checks.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::BigInt;
use num_traits::Signed;

use super::scaling::integer_parts;

/// `integer * 2^exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    integer: BigInt,
    exponent: i64,
}

impl Exact {
    pub(crate) fn new(x: f64) -> Self {
        assert!(x.is_finite());
        let (integer, exponent) = integer_parts(x);
        Self { integer: BigInt::from(integer), exponent: i64::from(exponent) }
    }

    /// `2^exponent`.
    pub(crate) fn power_of_two(exponent: i64) -> Self {
        Self { integer: BigInt::from(1), exponent }
    }

    pub(crate) fn abs(&self) -> Self {
        Self { integer: self.integer.abs(), exponent: self.exponent }
    }

    /// -1, 0 or 1.
    pub(crate) fn sign(&self) -> i32 {
        self.cmp(&Self::new(0.0)) as i32
    }

    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i64) {
        let exponent = self.exponent.min(other.exponent);
        let shifted = |x: &Self| x.integer.clone() << usize::try_from(x.exponent - exponent).unwrap();
        (shifted(self), shifted(other), exponent)
    }
}

impl Add for &Exact {
    type Output = Exact;
    fn add(self, other: Self) -> Exact {
        let (a, b, exponent) = self.aligned(other);
        Exact { integer: a + b, exponent }
    }
}

impl Sub for &Exact {
    type Output = Exact;
    fn sub(self, other: Self) -> Exact {
        self + &-other
    }
}

impl Neg for &Exact {
    type Output = Exact;
    fn neg(self) -> Exact {
        Exact { integer: -self.integer.clone(), exponent: self.exponent }
    }
}

impl Mul for &Exact {
    type Output = Exact;
    fn mul(self, other: Self) -> Exact {
        Exact { integer: &self.integer * &other.integer, exponent: self.exponent + other.exponent }
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }
}
