//! Double-double numbers with tracked error bounds.
//!
//! `Enclosed` is a double-double `value` with a bound `error`: the real number it stands for lies within `error` of
//! `value`. Each operation propagates the operands' errors and adds its own bound, that of Joldes, Muller and Popescu
//! as stated in `double_double.rs`. Every result carries its proof, and a formula needs no separate error analysis.
//!
//! The bounds, with `u` = 2⁻⁵³:
//! - sums: `3u²/(1 - 4u)` of the result, taken as `4u²`; products `7u²`, taken as `8u²`; quotients `15u² + 56u³`, taken
//!   as `16u²`; roots `25/8 u²`, taken as `4u²`;
//! - underflow: a product whose rounding error falls below the smallest number loses at most a few of them, 2⁻¹⁰⁷⁴
//!   each; `UNDERFLOW` = 2⁻¹⁰⁶⁰ covers sixteen thousand. Sums do not underflow;
//! - the bound is itself evaluated in floating point: at most six roundings of positive numbers, `ROUND_UP` (`16u`).
//!
//! Overflow makes the error infinite or NaN; both mean "nothing is known": no sign, and a bracket of all numbers.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::double_double::{DoubleDouble, two_sum};
use super::ring::Ring;
use super::tolerances::{ROUND_UP, UNIT_ROUNDOFF};

const SQUARED_ROUNDOFF: f64 = UNIT_ROUNDOFF * UNIT_ROUNDOFF;
/// 2⁻¹⁰⁶⁰.
const UNDERFLOW: f64 = f64::from_bits(1 << 14);

/// A real number, known to lie within `error` of `value`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enclosed {
    value: DoubleDouble,
    error: f64,
}

impl Enclosed {
    pub const ZERO: Enclosed = Enclosed { value: DoubleDouble::ZERO, error: 0.0 };
    pub const ONE: Enclosed = Enclosed { value: DoubleDouble::ONE, error: 0.0 };

    #[inline]
    fn new(value: DoubleDouble, error: f64) -> Enclosed {
        Enclosed { value, error: error * ROUND_UP }
    }

    /// The difference of two floats, exactly.
    #[inline]
    pub fn difference(a: f64, b: f64) -> Enclosed {
        Enclosed { value: DoubleDouble::from_difference(a, b), error: 0.0 }
    }

    /// The real number lies within `error` of `value`.
    #[inline]
    pub fn about(value: f64, error: f64) -> Enclosed {
        Enclosed { value: value.into(), error }
    }

    /// The enclosure of the interval between two floats.
    pub fn between(low: f64, high: f64) -> Enclosed {
        if low == high {
            return Enclosed { value: low.into(), error: 0.0 };
        }
        if !(low.is_finite() && high.is_finite()) {
            return Enclosed { value: DoubleDouble::ZERO, error: f64::INFINITY };
        }
        let middle = 0.5 * low + 0.5 * high;
        Enclosed::new(middle.into(), (high - middle).max(middle - low))
    }

    /// The same number with a wider error bound.
    #[inline]
    pub fn widened(self, by: f64) -> Enclosed {
        Enclosed::new(self.value, self.error + by)
    }

    /// Near the centre of the enclosure, rounded.
    #[inline]
    pub fn to_f64(self) -> f64 {
        self.value.to_f64()
    }

    /// The centre of the enclosure.
    #[inline]
    pub fn middle(self) -> DoubleDouble {
        self.value
    }

    #[inline]
    pub fn error(self) -> f64 {
        self.error
    }

    /// A bound on the magnitude.
    #[inline]
    pub fn magnitude(self) -> f64 {
        (self.value.hi().abs() + self.error) * ROUND_UP
    }

    /// Floats below and above the number; equal where it is known to be a float.
    pub fn bounds(self) -> (f64, f64) {
        let (hi, lo) = (self.value.hi(), self.value.lo());
        if self.error == 0.0 && lo == 0.0 && hi.is_finite() {
            return (hi, hi);
        }
        if !(self.error.is_finite() && hi.is_finite()) {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let shifted = |by: f64, down: bool| {
            // `two_sum` is exact: only the rounded sum has to be moved, and only if it is on the wrong side.
            let outward = |x: f64| if down { x.next_down() } else { x.next_up() };
            let (small, rest) = two_sum(lo, by);
            let small = if (down && rest < 0.0) || (!down && rest > 0.0) { outward(small) } else { small };
            let (sum, rest) = two_sum(hi, small);
            if (down && rest < 0.0) || (!down && rest > 0.0) { outward(sum) } else { sum }
        };
        (shifted(-self.error, true), shifted(self.error, false))
    }

    #[inline]
    pub fn lower(self) -> f64 {
        self.bounds().0
    }

    #[inline]
    pub fn upper(self) -> f64 {
        self.bounds().1
    }

    /// How the number compares with another; `None` if undecided.
    #[inline]
    pub fn compare(self, other: Enclosed) -> Option<Ordering> {
        (self - other).sign()
    }

    /// Known to be below zero.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.sign() == Some(Ordering::Less)
    }

    /// Known to be above zero.
    #[inline]
    pub fn is_positive(self) -> bool {
        self.sign() == Some(Ordering::Greater)
    }

    /// The larger of two numbers: the one known to be larger, however wide the other is. Otherwise `max` changes by no
    /// more than the larger change of its arguments.
    #[inline]
    pub fn max(self, other: Enclosed) -> Enclosed {
        match self.compare(other) {
            Some(Ordering::Greater) => return self,
            Some(Ordering::Less) => return other,
            _ => {}
        }
        let value = if self.value >= other.value { self.value } else { other.value };
        let either = Enclosed { value, error: larger(self.error, other.error) };
        // A much tighter enclosure bounds the other on one side.
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        let within = Enclosed::between(a.max(c), b.max(d));
        if within.error < either.error { within } else { either }
    }

    /// The smaller of two numbers.
    #[inline]
    pub fn min(self, other: Enclosed) -> Enclosed {
        -(-self).max(-other)
    }

    /// Encloses both: for a number that is one of the two.
    pub fn or(self, other: Enclosed) -> Enclosed {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        Enclosed::between(a.min(c), b.max(d))
    }

    /// The number times a power of two, of any magnitude: exact unless it leaves the range of normal numbers. A product
    /// would split the power, which overflows above 2⁹⁹⁵.
    #[inline]
    pub fn times_power(self, power: f64) -> Enclosed {
        let (hi, lo) = (self.value.hi() * power, self.value.lo() * power);
        let in_range = |scaled: f64, given: f64| scaled.is_normal() || given == 0.0;
        let exact = in_range(hi, self.value.hi()) && in_range(lo, self.value.lo());
        let rounding = if exact && in_range(self.error * power, self.error) { 0.0 } else { UNDERFLOW };
        Enclosed { value: DoubleDouble::from_sum(hi, lo), error: self.error * power + rounding }
    }

    #[inline]
    pub fn abs(self) -> Enclosed {
        Enclosed { value: self.value.abs(), ..self }
    }

    #[inline]
    pub fn squared(self) -> Enclosed {
        self * self
    }

    /// The square root of a number known to be non-negative, or of its positive part. With `v` the value and `e` the
    /// error, `|√x - √v| <= e / √v`, and `<= √e` whatever `v` is.
    pub fn sqrt(self) -> Enclosed {
        let root = self.value.sqrt();
        let hi = root.hi();
        if hi <= 0.0 {
            // The value is not positive, and the number at most `error`.
            return Enclosed::new(DoubleDouble::ZERO, self.error.sqrt());
        }
        let spread = (self.error / hi).min(self.error.sqrt());
        // A value so small that its residual underflows: off by 2⁻¹⁰⁶⁰ over twice the root.
        Enclosed::new(root, spread + 4.0 * SQUARED_ROUNDOFF * hi + UNDERFLOW / hi + UNDERFLOW)
    }
}

/// The larger of two error bounds; NaN (unknown) wins.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a >= b {
        a
    } else if b > a {
        b
    } else {
        f64::INFINITY
    }
}

impl Neg for Enclosed {
    type Output = Enclosed;
    #[inline]
    fn neg(self) -> Enclosed {
        Enclosed { value: -self.value, ..self }
    }
}

impl Add for Enclosed {
    type Output = Enclosed;
    #[inline]
    fn add(self, other: Enclosed) -> Enclosed {
        // The sum of two floats is exact in double-double.
        if self.value.lo() == 0.0 && other.value.lo() == 0.0 {
            let value = DoubleDouble::from_sum(self.value.hi(), other.value.hi());
            return Enclosed::new(value, self.error + other.error);
        }
        let value = self.value + other.value;
        Enclosed::new(value, self.error + other.error + 4.0 * SQUARED_ROUNDOFF * value.hi().abs())
    }
}

impl Sub for Enclosed {
    type Output = Enclosed;
    #[inline]
    fn sub(self, other: Enclosed) -> Enclosed {
        self + -other
    }
}

impl Mul for Enclosed {
    type Output = Enclosed;
    #[inline]
    fn mul(self, other: Enclosed) -> Enclosed {
        let (a, b) = (self.value.hi().abs(), other.value.hi().abs());
        if (a == 0.0 && self.error == 0.0) || (b == 0.0 && other.error == 0.0) {
            return Enclosed::ZERO;
        }
        // `hi` and the value differ by `u` of it at most, which `ROUND_UP` covers.
        let spread = a * other.error + b * self.error + self.error * other.error;
        if self.value.lo() == 0.0 && other.value.lo() == 0.0 {
            // Exact, unless the low part underflows.
            let value = DoubleDouble::from_product(self.value.hi(), other.value.hi());
            let rounding = if value.hi().abs() > 1e-280 { 0.0 } else { UNDERFLOW };
            return Enclosed::new(value, spread + rounding);
        }
        let value = self.value * other.value;
        Enclosed::new(value, spread + 8.0 * SQUARED_ROUNDOFF * value.hi().abs() + UNDERFLOW)
    }
}

impl Div for Enclosed {
    type Output = Enclosed;
    /// Division by a number that may be zero: nothing is known of the result.
    #[inline]
    fn div(self, other: Enclosed) -> Enclosed {
        let b = other.value.hi().abs();
        // Lower bound on the magnitude of the divisor.
        let least = (b * (1.0 - 4.0 * UNIT_ROUNDOFF) - other.error) * (1.0 - 4.0 * UNIT_ROUNDOFF);
        if !(least > 0.0 && b.is_finite()) {
            return Enclosed { value: DoubleDouble::ZERO, error: f64::INFINITY };
        }
        let value = self.value / other.value;
        let q = value.hi().abs();
        // x/y - v/w = (x - v)/y - v (y - w)/(w y).
        let spread = (self.error + q * other.error) / least;
        let rounding = 16.0 * SQUARED_ROUNDOFF * q + UNDERFLOW * (1.0 + 1.0 / least);
        Enclosed::new(value, spread + rounding)
    }
}

impl Ring for Enclosed {
    #[inline]
    fn of(x: f64) -> Enclosed {
        Enclosed { value: x.into(), error: 0.0 }
    }

    /// Exact unless it leaves the range of normal numbers.
    #[inline]
    fn scaled(x: f64, power: f64) -> Enclosed {
        let value = x * power;
        let error = if value.is_normal() || x == 0.0 { 0.0 } else { UNDERFLOW };
        Enclosed { value: value.into(), error }
    }

    #[inline]
    fn plus(&self, other: &Enclosed) -> Enclosed {
        *self + *other
    }

    #[inline]
    fn minus(&self, other: &Enclosed) -> Enclosed {
        *self - *other
    }

    #[inline]
    fn times(&self, other: &Enclosed) -> Enclosed {
        *self * *other
    }

    #[inline]
    fn sign(&self) -> Option<Ordering> {
        let value = self.value.hi();
        // `hi` is the value up to `u` of it.
        if value.abs() * (1.0 - 2.0 * UNIT_ROUNDOFF) > self.error {
            return Some(if value > 0.0 { Ordering::Greater } else { Ordering::Less });
        }
        (self.error == 0.0 && value == 0.0).then_some(Ordering::Equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exact::Exact;
    use proptest::prelude::*;

    /// True when the exact number is in the enclosure.
    fn holds(enclosed: Enclosed, exact: &Exact) -> bool {
        let value = &Exact::new(enclosed.value.hi()) + &Exact::new(enclosed.value.lo());
        (exact - &value).abs() <= Exact::new(enclosed.error)
    }

    fn number() -> impl Strategy<Value = f64> {
        (-1.0..1.0f64, -40..40i32).prop_map(|(m, e)| m * 2f64.powi(e))
    }

    proptest! {
        #[test]
        fn sums_and_products_hold_the_truth(a in number(), b in number(), c in number(), d in number()) {
            let x = (Enclosed::of(a) * Enclosed::of(b) - Enclosed::of(c)) * (Enclosed::of(d) * Enclosed::of(a))
                + Enclosed::of(b).squared();
            let exact = |v: f64| Exact::new(v);
            let truth = &(&(&(&exact(a) * &exact(b)) - &exact(c)) * &(&exact(d) * &exact(a)))
                + &(&exact(b) * &exact(b));
            prop_assert!(holds(x, &truth));
            let (low, high) = x.bounds();
            prop_assert!(exact(low) <= truth && truth <= exact(high));
            if let Some(sign) = x.sign() {
                prop_assert_eq!(sign as i32, truth.sign());
            }
        }

        #[test]
        fn quotients_and_roots_hold_the_truth(a in number(), b in number(), wide in 0.0..1e-9f64) {
            prop_assume!(b != 0.0);
            // q b = a: the enclosure of q b must contain a.
            let q = Enclosed::of(a).widened(wide) / Enclosed::of(b).widened(wide * b.abs());
            let back = q * Enclosed::of(b);
            let off = (&(&Exact::new(back.value.hi()) + &Exact::new(back.value.lo())) - &Exact::new(a)).abs();
            prop_assert!(off <= Exact::new(back.error));
            let root = Enclosed::of(a.abs()).sqrt();
            let square = root.squared();
            let off = (&(&Exact::new(square.value.hi()) + &Exact::new(square.value.lo())) - &Exact::new(a.abs())).abs();
            prop_assert!(off <= Exact::new(square.error));
            prop_assert!(root.error <= 1e-30 * root.magnitude() + 1e-300);
        }
    }

    #[test]
    fn powers_of_two_are_exact_to_the_ends_of_the_range() {
        let third = Enclosed::ONE / Enclosed::of(3.0);
        let power = |exponent: u64| f64::from_bits((1023 + exponent) << 52);
        for exponent in [1, 52, 994, 996, 1000, 1023] {
            let there = third.times_power(power(exponent));
            let back = there.times_power(0.5f64.powi(exponent as i32));
            assert_eq!(
                (back.value.hi(), back.value.lo(), back.error),
                (third.value.hi(), third.value.lo(), third.error)
            );
            // Scaled down first: the low part is lost, and the error accounts for it.
            let small = Enclosed::of(3.0).times_power(0.5f64.powi(exponent as i32));
            assert!(holds(small.times_power(power(exponent)), &Exact::new(3.0)));
        }
        let lost = third.times_power(f64::MIN_POSITIVE);
        assert!(lost.error >= UNDERFLOW && lost.value.hi() > 0.0);
        let none = Enclosed::of(1e300).times_power(1e300f64.log2().exp2());
        assert_eq!(none.bounds(), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn overflow_and_division_by_zero_give_no_bounds() {
        let huge = Enclosed::of(1e200);
        let product = huge * huge * huge;
        assert_eq!(product.sign(), None);
        assert_eq!(product.bounds(), (f64::NEG_INFINITY, f64::INFINITY));
        let quotient = Enclosed::ONE / Enclosed::ZERO;
        assert_eq!((quotient.sign(), quotient.bounds()), (None, (f64::NEG_INFINITY, f64::INFINITY)));
        assert_eq!((product - product).max(Enclosed::ONE).sign(), None);
    }
}
