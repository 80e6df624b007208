//! Numbers of the form `offset + sqrt(squared)` or `offset - sqrt(squared)`, compared and rounded exactly.
//!
//! The distance of two polyhedra is the square root of a rational; spheres add a rational offset. Such a number is
//! compared with a rational by squaring, so every sign is decided exactly, and every rounding below is first estimated
//! from an integer square root and then corrected by such comparisons.
//!
//! ```
//! use clearance_oracle::{Rational, Surd};
//! use std::cmp::Ordering;
//!
//! // sqrt(2) - 1.4142135623730951 (a double): positive or negative?
//! let root = Rational::from(2).sqrt();
//! assert_eq!(root.compare(std::f64::consts::SQRT_2), Ordering::Less);
//! let (below, above) = root.enclosure();
//! assert_eq!((below.next_up(), above), (above, std::f64::consts::SQRT_2));
//! ```

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::rational::Rational;

/// The number `offset + sqrt(squared)`, or `offset - sqrt(squared)` when `negative_root`.
///
/// ```
/// use clearance_oracle::{Rational, Surd};
/// let golden = Surd { negative_root: false, squared: Rational::ratio(5, 4), offset: Rational::ratio(1, 2) };
/// assert_eq!(golden.to_decimal(10), "1.618033989e0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surd {
    /// Subtract the root instead of adding it.
    pub negative_root: bool,
    /// The number under the root; not negative.
    pub squared: Rational,
    /// Added to the root.
    pub offset: Rational,
}

impl From<Rational> for Surd {
    fn from(value: Rational) -> Surd {
        Surd { negative_root: false, squared: Rational::zero(), offset: value }
    }
}

impl Surd {
    /// Compares the number with a rational, exactly.
    #[must_use]
    pub fn compare_rational(&self, other: &Rational) -> Ordering {
        let root = other - &self.offset;
        let (root, reversed) = if self.negative_root { (-root, true) } else { (root, false) };
        // Compare sqrt(squared) with `root`.
        let order = if root.is_negative() { Ordering::Greater } else { self.squared.cmp(&root.squared()) };
        if reversed { order.reverse() } else { order }
    }

    /// Compares the number with a double, exactly: `Less` if the number is below it. Infinities are allowed.
    ///
    /// # Panics
    /// If `other` is NaN.
    #[must_use]
    pub fn compare(&self, other: f64) -> Ordering {
        match Rational::from_f64(other) {
            Some(other) => self.compare_rational(&other),
            None if other == f64::INFINITY => Ordering::Less,
            None if other == f64::NEG_INFINITY => Ordering::Greater,
            None => panic!("comparison with NaN"),
        }
    }

    /// The sign of the number, as a comparison with zero.
    #[must_use]
    pub fn sign(&self) -> Ordering {
        self.compare_rational(&Rational::zero())
    }

    /// A rational within `2^-bits` of the number.
    #[must_use]
    pub fn approximation(&self, bits: u64) -> Rational {
        let scaled = (self.squared.numerator() << (2 * bits)) / self.squared.denominator();
        let root = Rational::new(scaled.sqrt(), BigInt::one() << bits);
        if self.negative_root { &self.offset - &root } else { &self.offset + &root }
    }

    /// The adjacent doubles around the number: the largest not above and the smallest not below it; equal if the number
    /// is a double.
    #[must_use]
    pub fn enclosure(&self) -> (f64, f64) {
        if self.sign() == Ordering::Equal {
            return (0.0, 0.0);
        }
        // Double the precision until 64 bits survive the cancellation, or the range of doubles ends.
        let mut bits = 128;
        let mut near = self.approximation(bits);
        while bits < 2400 && (near.abs() * Rational::from(BigInt::one() << bits)).floor().bits() < 64 {
            bits *= 2;
            near = self.approximation(bits);
        }
        let mut below = near.to_f64_bounds().0;
        while self.compare(below) == Ordering::Less {
            below = below.next_down();
        }
        while self.compare(below.next_up()) != Ordering::Less {
            below = below.next_up();
        }
        if self.compare(below) == Ordering::Equal { (below, below) } else { (below, below.next_up()) }
    }

    /// The number rounded to `digits` significant decimal digits (half away from zero), in the form
    /// `-1.2345e-6`; `0` for zero.
    ///
    /// # Panics
    /// If `digits` is zero.
    #[must_use]
    pub fn to_decimal(&self, digits: u32) -> String {
        assert!(digits > 0, "at least one digit is required");
        match self.sign() {
            Ordering::Equal => "0".into(),
            Ordering::Less => format!("-{}", self.negated().positive_to_decimal(digits)),
            Ordering::Greater => self.positive_to_decimal(digits),
        }
    }

    fn negated(&self) -> Surd {
        Surd { negative_root: !self.negative_root, squared: self.squared.clone(), offset: -&self.offset }
    }

    fn positive_to_decimal(&self, digits: u32) -> String {
        // The exponent: 10^exponent <= number < 10^(exponent + 1).
        let mut bits = 128;
        while self.approximation(bits).cmp(&Rational::new(BigInt::from(4), BigInt::one() << bits)) == Ordering::Less {
            bits *= 2;
        }
        let near = self.approximation(bits);
        let binary = near.numerator().bits() as f64 - near.denominator().bits() as f64;
        let mut exponent = (binary * std::f64::consts::LOG10_2).floor() as i64;
        while self.compare_rational(&Rational::power_of_ten(exponent)) == Ordering::Less {
            exponent -= 1;
        }
        while self.compare_rational(&Rational::power_of_ten(exponent + 1)) != Ordering::Less {
            exponent += 1;
        }
        // The digits: estimated to within one unit, then corrected.
        let last = exponent + 1 - i64::from(digits);
        let unit = Rational::power_of_ten(last);
        let guard = (4 * last.unsigned_abs() + 8).max(bits);
        let mut mantissa = (self.approximation(guard) / unit.clone()).floor();
        let half = Rational::ratio(1, 2);
        let edge =
            |mantissa: &BigInt, half: &Rational| (Rational::from(mantissa.clone()) + half.clone()) * unit.clone();
        while self.compare_rational(&edge(&mantissa, &half)) != Ordering::Less {
            mantissa += 1;
        }
        while self.compare_rational(&edge(&mantissa, &-&half)) == Ordering::Less {
            mantissa -= 1;
        }
        let mut text = mantissa.to_string();
        if text.len() > digits as usize {
            text.pop();
            exponent += 1;
        }
        debug_assert!(!mantissa.is_zero());
        if text.len() > 1 {
            text.insert(1, '.');
        }
        format!("{text}e{exponent}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_is_resolved() {
        // sqrt(2) minus its nearest double: 17 digits cancel.
        let surd = Surd {
            negative_root: false,
            squared: Rational::from(2),
            offset: -Rational::from_f64(std::f64::consts::SQRT_2).unwrap(),
        };
        assert_eq!(surd.sign(), Ordering::Less);
        assert_eq!(surd.to_decimal(12), "-9.66729331345e-17");
        let (below, above) = surd.enclosure();
        assert_eq!(below.next_up(), above);
        assert_eq!(surd.compare(below), Ordering::Greater);
        assert_eq!(surd.compare(above), Ordering::Less);
    }

    #[test]
    fn exact_roots_give_equal_bounds() {
        for (numerator, denominator, root) in [(9, 16, 0.75), (0, 1, 0.0), (1 << 40, 1, 1_048_576.0)] {
            let surd = Rational::ratio(numerator, denominator).sqrt();
            assert_eq!(surd.enclosure(), (root, root));
            assert_eq!(surd.compare(root), Ordering::Equal);
        }
        let difference = Surd { negative_root: true, squared: Rational::from(4), offset: Rational::from(2) };
        assert_eq!(difference.sign(), Ordering::Equal);
        assert_eq!(difference.to_decimal(5), "0");
    }

    #[test]
    fn negative_roots_and_tiny_numbers() {
        let surd = Surd { negative_root: true, squared: Rational::power_of_ten(-61), offset: Rational::zero() };
        assert_eq!(surd.to_decimal(6), "-3.16228e-31");
        assert_eq!(surd.compare(0.0), Ordering::Less);
        assert_eq!(surd.compare(f64::NEG_INFINITY), Ordering::Greater);
        let (below, above) = surd.enclosure();
        assert!(below < above && above < 0.0);
        let vanishing = Rational::power_of_ten(-700).sqrt();
        assert_eq!(vanishing.enclosure(), (0.0, 5e-324));
        assert_eq!(vanishing.to_decimal(3), "1.00e-350");
    }
}
