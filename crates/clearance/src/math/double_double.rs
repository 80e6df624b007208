//! Arithmetic with about 32 significant digits: a number is the unevaluated sum of two `f64`.
//!
//! The algorithms and their error bounds are those of Joldes, Muller and Popescu, "Tight and rigorous error bounds for
//! basic building blocks of double-word arithmetic" (ACM TOMS 44, 2017), called JMP below; the square root is that of
//! Lefevre, Louvet, Muller, Picot and Rideau, "Accurate calculation of Euclidean norms using double-word arithmetic"
//! (ACM TOMS 49, 2023). `u` is 2^-53 throughout.
//!
//! Where and why the code departs from them:
//! - Exact products use Veltkamp's splitting (Dekker 1971), never a fused multiply-add. Both give the same bits, but a
//!   fused multiply-add is a library call tens of times slower on a stock x86-64 build.
//! - So, of each group of algorithms in JMP, the one that needs no fused multiply-add is used.
//! - A quotient that overflows or divides by zero is returned as the plain `f64` result.
//!
//! Range: the bounds hold while no operand exceeds 2^995 (about 3e299, where splitting would overflow) and no product
//! of leading parts is below 2^-960 (about 1e-289, where its rounding error would underflow) unless it is zero.
//! Coordinates are at most 1e60, so degree 4 in the coordinates stays inside. Outside this range, results are still
//! deterministic and nothing panics, but the trailing part may be wrong or NaN.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::{DMat3, DVec3};

/// The rounded sum and its rounding error: `sum + error` is exactly `a + b` (Knuth). Holds for every finite input
/// whose sum does not overflow, subnormal numbers included.
#[inline]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_in_sum = sum - a;
    let a_in_sum = sum - b_in_sum;
    (sum, (a - a_in_sum) + (b - b_in_sum))
}

/// The rounded difference and its rounding error: `difference + error` is exactly `a - b` (Knuth).
#[inline]
pub fn two_diff(a: f64, b: f64) -> (f64, f64) {
    two_sum(a, -b)
}

/// The rounded product and its rounding error: `product + error` is exactly `a * b` (Dekker, Veltkamp).
///
/// Needs `|a|, |b| <= 2^995`, and a product that is zero or at least 2^-960.
#[inline]
pub fn two_prod(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    let error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    (product, error)
}

/// Splits into two halves of at most 26 bits each that sum exactly to the input (Veltkamp).
#[inline]
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let shifted = SPLITTER * a;
    let high = shifted - (shifted - a);
    (high, a - high)
}

/// `two_sum` for `|a| >= |b|` or `a == 0` (Dekker).
#[inline]
fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// A number held as the unevaluated sum of two `f64`, the second at most half a unit in the last place of the first.
///
/// Range and error bounds: see the module documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDouble {
    hi: f64,
    lo: f64,
}

impl DoubleDouble {
    /// Zero.
    pub const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    /// One.
    pub const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// The leading part: the number rounded to nearest.
    #[inline]
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// The trailing part: the remainder beyond `hi`.
    #[inline]
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// The nearest `f64`. Rounds once: the relative error is at most u.
    #[inline]
    pub fn to_f64(self) -> f64 {
        self.hi
    }

    /// `a + b`, exactly.
    #[inline]
    pub fn from_sum(a: f64, b: f64) -> Self {
        let (hi, lo) = two_sum(a, b);
        Self { hi, lo }
    }

    /// `a - b`, exactly.
    #[inline]
    pub fn from_difference(a: f64, b: f64) -> Self {
        let (hi, lo) = two_diff(a, b);
        Self { hi, lo }
    }

    /// `a * b`, exactly, in the range of [`two_prod`].
    #[inline]
    pub fn from_product(a: f64, b: f64) -> Self {
        let (hi, lo) = two_prod(a, b);
        Self { hi, lo }
    }

    /// The sum with an `f64`. Relative error at most 2 u^2 (JMP, algorithm 4).
    #[inline]
    pub fn add_f64(self, other: f64) -> Self {
        let (sum, error) = two_sum(self.hi, other);
        let (hi, lo) = fast_two_sum(sum, self.lo + error);
        Self { hi, lo }
    }

    /// The product with an `f64`. Relative error at most 3/2 u^2 + 4 u^3 (JMP, algorithm 7).
    #[inline]
    pub fn mul_f64(self, other: f64) -> Self {
        let (product, error) = two_prod(self.hi, other);
        let (sum, sum_error) = fast_two_sum(product, self.lo * other);
        let (hi, lo) = fast_two_sum(sum, sum_error + error);
        Self { hi, lo }
    }

    /// The square root; zero for a negative number. Relative error at most 25/8 u^2 (Lefevre et al., algorithm 8, with
    /// an exact product in place of the fused multiply-add: the residual `hi - root * root` is representable, so both
    /// give the same bits).
    pub fn sqrt(self) -> Self {
        if self.hi <= 0.0 {
            return Self::ZERO;
        }
        let root = self.hi.sqrt();
        if !root.is_finite() {
            return Self { hi: root, lo: 0.0 };
        }
        let (square, error) = two_prod(root, root);
        let residual = (self.hi - square) - error;
        let (hi, lo) = fast_two_sum(root, (self.lo + residual) / (2.0 * root));
        Self { hi, lo }
    }

    /// The magnitude, exactly.
    #[inline]
    pub fn abs(self) -> Self {
        if self.hi < 0.0 { -self } else { self }
    }
}

impl From<f64> for DoubleDouble {
    /// Exact.
    #[inline]
    fn from(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }
}

impl From<DoubleDouble> for f64 {
    /// The nearest `f64`.
    #[inline]
    fn from(value: DoubleDouble) -> Self {
        value.hi
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    /// Exact.
    #[inline]
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    /// Relative error at most 3 u^2 / (1 - 4 u) (JMP, algorithm 6, "AccurateDWPlusDW"), whatever the signs: so the sign
    /// of a sum is always correct, and a sum is zero only if the exact one is.
    #[inline]
    fn add(self, other: Self) -> Self {
        let (high_sum, high_error) = two_sum(self.hi, other.hi);
        let (low_sum, low_error) = two_sum(self.lo, other.lo);
        let (sum, error) = fast_two_sum(high_sum, high_error + low_sum);
        let (hi, lo) = fast_two_sum(sum, low_error + error);
        Self { hi, lo }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    /// Relative error at most 3 u^2 / (1 - 4 u), as for the sum.
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    /// Relative error at most 7 u^2 (JMP, algorithm 10, "DWTimesDW1").
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (product, error) = two_prod(self.hi, other.hi);
        let crossed = self.hi * other.lo + self.lo * other.hi;
        let (hi, lo) = fast_two_sum(product, error + crossed);
        Self { hi, lo }
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    /// Relative error at most 15 u^2 + 56 u^3 (JMP, algorithm 17, "DWDivDW2"). Division by zero behaves as for `f64`:
    /// infinite, or NaN for 0 / 0.
    #[inline]
    fn div(self, other: Self) -> Self {
        let quotient = self.hi / other.hi;
        if !quotient.is_finite() {
            return Self::from(quotient);
        }
        let back = other.mul_f64(quotient);
        let residual = (self.hi - back.hi) + (self.lo - back.lo);
        let (hi, lo) = fast_two_sum(quotient, residual / other.hi);
        Self { hi, lo }
    }
}

impl PartialOrd for DoubleDouble {
    /// Exact: by the leading parts, then by the trailing ones.
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.hi.partial_cmp(&other.hi) {
            Some(Ordering::Equal) => self.lo.partial_cmp(&other.lo),
            decided => decided,
        }
    }
}

/// A vector of three [`DoubleDouble`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDoubleVec3 {
    /// First component.
    pub x: DoubleDouble,
    /// Second component.
    pub y: DoubleDouble,
    /// Third component.
    pub z: DoubleDouble,
}

impl DoubleDoubleVec3 {
    /// The vector with these components.
    #[inline]
    pub fn new(x: DoubleDouble, y: DoubleDouble, z: DoubleDouble) -> Self {
        Self { x, y, z }
    }

    /// `a - b`, exactly.
    #[inline]
    pub fn from_difference(a: DVec3, b: DVec3) -> Self {
        Self::new(
            DoubleDouble::from_difference(a.x, b.x),
            DoubleDouble::from_difference(a.y, b.y),
            DoubleDouble::from_difference(a.z, b.z),
        )
    }

    /// Each component rounded to nearest.
    #[inline]
    pub fn to_vec3(self) -> DVec3 {
        DVec3::new(self.x.to_f64(), self.y.to_f64(), self.z.to_f64())
    }

    /// Each component times `factor`. Relative error of each at most 7 u^2.
    #[inline]
    pub fn scale(self, factor: DoubleDouble) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }

    /// The dot product. Absolute error at most 14 u^2 times the sum of the magnitudes of the three products: 7 u^2 from
    /// the products, 3 u^2 from each of the two sums, and higher-order terms.
    #[inline]
    pub fn dot(self, other: Self) -> DoubleDouble {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The cross product. Absolute error of each component at most 11 u^2 times the sum of the magnitudes of its two
    /// products: 7 u^2 from the products, 3 u^2 from the difference, and higher-order terms.
    #[inline]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// The square of the length. Relative error at most 14 u^2: nothing cancels.
    #[inline]
    pub fn length_squared(self) -> DoubleDouble {
        self.dot(self)
    }

    /// The length. Relative error at most 11 u^2: half of 14 u^2 from the square, 25/8 u^2 from the root, and
    /// higher-order terms.
    #[inline]
    pub fn length(self) -> DoubleDouble {
        self.length_squared().sqrt()
    }

    /// `matrix * self`. Absolute error of each component at most 8 u^2 times the sum of the magnitudes of its three
    /// products: 3/2 u^2 from the products, 3 u^2 from each sum, and higher-order terms.
    #[inline]
    pub fn transformed_by(self, matrix: &DMat3) -> Self {
        let row = |x: f64, y: f64, z: f64| self.x.mul_f64(x) + self.y.mul_f64(y) + self.z.mul_f64(z);
        Self::new(
            row(matrix.x_axis.x, matrix.y_axis.x, matrix.z_axis.x),
            row(matrix.x_axis.y, matrix.y_axis.y, matrix.z_axis.y),
            row(matrix.x_axis.z, matrix.y_axis.z, matrix.z_axis.z),
        )
    }
}

impl From<DVec3> for DoubleDoubleVec3 {
    /// Exact.
    #[inline]
    fn from(v: DVec3) -> Self {
        Self::new(v.x.into(), v.y.into(), v.z.into())
    }
}

impl Add for DoubleDoubleVec3 {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for DoubleDoubleVec3 {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Neg for DoubleDoubleVec3 {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::exact::Exact;

    fn exact(x: DoubleDouble) -> Exact {
        &Exact::new(x.hi) + &Exact::new(x.lo)
    }

    /// `|computed - truth| <= bound * u^2 * scale`.
    fn within(computed: &Exact, truth: &Exact, bound: f64, scale: &Exact) -> bool {
        let allowed = &(&Exact::new(bound) * &Exact::power_of_two(-106)) * &scale.abs();
        (computed - truth).abs() <= allowed
    }

    /// Magnitudes across the engine's whole range.
    fn number() -> impl Strategy<Value = f64> {
        (-1.0..1.0_f64, -200..200_i32).prop_map(|(m, e)| m * 2.0_f64.powi(e))
    }

    /// Magnitudes close to one another, with few bits: sums cancel, ties occur.
    fn near() -> impl Strategy<Value = f64> {
        (-64..64_i32, -60..8_i32).prop_map(|(m, e)| f64::from(m) * 2.0_f64.powi(e))
    }

    fn double_double() -> impl Strategy<Value = DoubleDouble> {
        prop_oneof![
            (number(), -1.0..1.0_f64).prop_map(|(a, b)| DoubleDouble::from_sum(a, a * b * f64::EPSILON)),
            (near(), near()).prop_map(|(a, b)| DoubleDouble::from_sum(a, b)),
            (near(), near(), near()).prop_map(|(a, b, c)| DoubleDouble::from_sum(a, b).add_f64(c * 1.0e-17)),
        ]
    }

    fn vector() -> impl Strategy<Value = DoubleDoubleVec3> {
        (double_double(), double_double(), double_double()).prop_map(|(x, y, z)| DoubleDoubleVec3::new(x, y, z))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn error_free_transformations_are_exact(a in number(), b in number(), c in near(), d in near()) {
            for (a, b) in [(a, b), (c, d), (a, c)] {
                let (sum, error) = two_sum(a, b);
                prop_assert_eq!(&Exact::new(sum) + &Exact::new(error), &Exact::new(a) + &Exact::new(b));
                let (difference, error) = two_diff(a, b);
                prop_assert_eq!(&Exact::new(difference) + &Exact::new(error), &Exact::new(a) - &Exact::new(b));
                let (product, error) = two_prod(a, b);
                prop_assert_eq!(&Exact::new(product) + &Exact::new(error), &Exact::new(a) * &Exact::new(b));
            }
        }

        #[test]
        fn sums_keep_their_relative_error(a in double_double(), b in double_double()) {
            let truth = &exact(a) + &exact(b);
            prop_assert!(within(&exact(a + b), &truth, 3.0001, &truth));
            let truth = &exact(a) - &exact(b);
            prop_assert!(within(&exact(a - b), &truth, 3.0001, &truth));
            prop_assert_eq!(exact(a - b).sign(), truth.sign());
            let truth = &exact(a) + &Exact::new(b.hi);
            prop_assert!(within(&exact(a.add_f64(b.hi)), &truth, 2.0, &truth));
        }

        #[test]
        fn nearly_cancelling_sums_keep_their_relative_error(a in double_double(), tail in near()) {
            let b = DoubleDouble::from_sum(-a.hi, a.hi * tail * 1.0e-18);
            let truth = &exact(a) + &exact(b);
            prop_assert!(within(&exact(a + b), &truth, 3.0001, &truth));
        }

        #[test]
        fn products_and_quotients_keep_their_relative_error(a in double_double(), b in double_double()) {
            let truth = &exact(a) * &exact(b);
            prop_assert!(within(&exact(a * b), &truth, 7.0, &truth));
            let truth = &exact(a) * &Exact::new(b.hi);
            prop_assert!(within(&exact(a.mul_f64(b.hi)), &truth, 1.5001, &truth));
            prop_assume!(b.hi != 0.0);
            // |q b - a| <= bound u^2 |a| is the relative error of q, without dividing.
            prop_assert!(within(&(&exact(a / b) * &exact(b)), &exact(a), 15.0001, &exact(a)));
        }

        #[test]
        fn square_roots_keep_their_relative_error(a in double_double()) {
            let a = a.abs();
            let root = exact(a.sqrt());
            // (1 + e)^2 = 1 + 2 e + e^2.
            prop_assert!(within(&(&root * &root), &exact(a), 2.0 * 3.1251, &exact(a)));
        }

        #[test]
        fn comparison_agrees_with_the_exact_one(a in double_double(), b in double_double()) {
            prop_assert_eq!(a.partial_cmp(&b), Some(exact(a).cmp(&exact(b))));
            let c = DoubleDouble::from_sum(a.hi, b.lo);
            prop_assert_eq!(a.partial_cmp(&c), Some(exact(a).cmp(&exact(c))));
        }

        #[test]
        fn parts_do_not_overlap(a in double_double(), b in double_double()) {
            for c in [a + b, a - b, a * b, a.abs().sqrt(), a.mul_f64(b.hi), a.add_f64(b.hi)] {
                prop_assert_eq!(c.hi + c.lo, c.hi);
            }
        }

        #[test]
        fn vectors_keep_their_error(a in vector(), b in vector(), m in proptest::array::uniform9(-2.0..2.0_f64)) {
            let products = |p: [DoubleDouble; 3], q: [DoubleDouble; 3]| -> (Exact, Exact) {
                let mut sum = Exact::new(0.0);
                let mut magnitude = Exact::new(0.0);
                for i in 0..3 {
                    let product = &exact(p[i]) * &exact(q[i]);
                    sum = &sum + &product;
                    magnitude = &magnitude + &product.abs();
                }
                (sum, magnitude)
            };
            let (truth, scale) = products([a.x, a.y, a.z], [b.x, b.y, b.z]);
            prop_assert!(within(&exact(a.dot(b)), &truth, 14.0, &scale));

            let (truth, scale) = products([a.x, -a.y, DoubleDouble::ZERO], [b.y, b.x, DoubleDouble::ZERO]);
            prop_assert!(within(&exact(a.cross(b).z), &truth, 11.0, &scale));

            let (square, _) = products([a.x, a.y, a.z], [a.x, a.y, a.z]);
            let length = exact(a.length());
            prop_assert!(within(&(&length * &length), &square, 22.0, &square));

            let matrix = DMat3::from_cols_array(&m);
            let row = matrix.row(1);
            let (truth, scale) = products([a.x, a.y, a.z], [row.x.into(), row.y.into(), row.z.into()]);
            prop_assert!(within(&exact(a.transformed_by(&matrix).y), &truth, 8.0, &scale));
        }
    }

    #[test]
    fn no_input_panics() {
        let hard = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, 5.0e-324];
        for a in hard.map(DoubleDouble::from) {
            for b in hard.map(DoubleDouble::from) {
                let _ = (a + b, a - b, a * b, a / b, a.sqrt(), a.abs(), a.partial_cmp(&b));
            }
        }
        assert_eq!((DoubleDouble::ONE / DoubleDouble::ZERO).to_f64(), f64::INFINITY);
        assert_eq!(DoubleDouble::from(-1.0).sqrt(), DoubleDouble::ZERO);
        assert_eq!(DoubleDouble::ZERO / DoubleDouble::ONE, DoubleDouble::ZERO);
    }

    mod examples {
        #[test]
        fn two_sum() {
            use crate::math::double_double::two_sum;
            assert_eq!(two_sum(1.0e20, 1.0), (1.0e20, 1.0));
        }

        #[test]
        fn two_diff() {
            use crate::math::double_double::two_diff;
            assert_eq!(two_diff(1.0e20, 1.0), (1.0e20, -1.0));
        }

        #[test]
        fn two_prod() {
            use crate::math::double_double::two_prod;
            let x = 1.0 + f64::EPSILON;
            assert_eq!(two_prod(x, x), (1.0 + 2.0 * f64::EPSILON, f64::EPSILON * f64::EPSILON));
        }

        #[test]
        fn double_double() {
            use crate::math::double_double::DoubleDouble;
            let third = DoubleDouble::from(1.0) / DoubleDouble::from(3.0);
            let error = third * DoubleDouble::from(3.0) - DoubleDouble::from(1.0);
            assert!(error.abs().to_f64() < 1.0e-31);
        }

        #[test]
        fn to_f64() {
            use crate::math::double_double::DoubleDouble;
            assert_eq!(DoubleDouble::from_sum(1.0, 1.0e-30).to_f64(), 1.0);
        }

        #[test]
        fn from_sum() {
            use crate::math::double_double::DoubleDouble;
            let sum = DoubleDouble::from_sum(1.0, 1.0e-30);
            assert_eq!((sum.hi(), sum.lo()), (1.0, 1.0e-30));
        }

        #[test]
        fn from_difference() {
            use crate::math::double_double::DoubleDouble;
            let difference = DoubleDouble::from_difference(1.0, 1.0e-30);
            assert_eq!((difference.hi(), difference.lo()), (1.0, -1.0e-30));
        }

        #[test]
        fn from_product() {
            use crate::math::double_double::DoubleDouble;
            let square = DoubleDouble::from_product(0.1, 0.1);
            assert_eq!(square.hi(), 0.1 * 0.1);
            assert_ne!(square.lo(), 0.0);
        }

        #[test]
        fn add_f64() {
            use crate::math::double_double::DoubleDouble;
            let sum = DoubleDouble::from_sum(1.0, 1.0e-30).add_f64(-1.0);
            assert_eq!(sum.to_f64(), 1.0e-30);
        }

        #[test]
        fn mul_f64() {
            use crate::math::double_double::DoubleDouble;
            let product = DoubleDouble::from_sum(1.0, 1.0e-30).mul_f64(4.0);
            assert_eq!((product.hi(), product.lo()), (4.0, 4.0e-30));
        }

        #[test]
        fn sqrt() {
            use crate::math::double_double::DoubleDouble;
            let root = DoubleDouble::from(2.0).sqrt();
            assert!((root * root - DoubleDouble::from(2.0)).abs().to_f64() < 1.0e-31);
        }

        #[test]
        fn abs() {
            use crate::math::double_double::DoubleDouble;
            assert_eq!(DoubleDouble::from(-2.0).abs(), DoubleDouble::from(2.0));
        }

        #[test]
        fn double_double_vec3() {
            use crate::math::double_double::DoubleDoubleVec3;
            use glam::DVec3;
            let a = DoubleDoubleVec3::from(DVec3::new(1.0e10, 1.0, 0.0));
            let b = DoubleDoubleVec3::from(DVec3::new(1.0e10, 1.0e-10, 0.0));
            assert_eq!(a.dot(b).lo(), 1.0e-10);
        }

        #[test]
        fn new() {
            use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
            let v = DoubleDoubleVec3::new(DoubleDouble::ONE, DoubleDouble::ZERO, DoubleDouble::from_sum(1.0, 1.0e-20));
            assert_eq!(v.z.lo(), 1.0e-20);
        }

        #[test]
        fn from_difference_2() {
            use crate::math::double_double::DoubleDoubleVec3;
            use glam::DVec3;
            let edge = DoubleDoubleVec3::from_difference(DVec3::splat(1.0e20), DVec3::ONE);
            assert_eq!(edge.x.lo(), -1.0);
        }

        #[test]
        fn to_vec3() {
            use crate::math::double_double::DoubleDoubleVec3;
            use glam::DVec3;
            assert_eq!(DoubleDoubleVec3::from(DVec3::X).to_vec3(), DVec3::X);
        }

        #[test]
        fn scale() {
            use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
            use glam::DVec3;
            let doubled = DoubleDoubleVec3::from(DVec3::X).scale(DoubleDouble::from(2.0));
            assert_eq!(doubled.to_vec3(), 2.0 * DVec3::X);
        }

        #[test]
        fn dot() {
            use crate::math::double_double::DoubleDoubleVec3;
            use glam::DVec3;
            let a = DoubleDoubleVec3::from(DVec3::new(1.0, 2.0, 3.0));
            assert_eq!(a.dot(a).to_f64(), 14.0);
        }

        #[test]
        fn cross() {
            use crate::math::double_double::DoubleDoubleVec3;
            use glam::DVec3;
            let x = DoubleDoubleVec3::from(DVec3::X);
            let y = DoubleDoubleVec3::from(DVec3::Y);
            assert_eq!(x.cross(y).to_vec3(), DVec3::Z);
        }

        #[test]
        fn length_squared() {
            use crate::math::double_double::DoubleDoubleVec3;
            use glam::DVec3;
            assert_eq!(DoubleDoubleVec3::from(DVec3::new(3.0, 4.0, 0.0)).length_squared().to_f64(), 25.0);
        }

        #[test]
        fn length() {
            use crate::math::double_double::DoubleDoubleVec3;
            use glam::DVec3;
            assert_eq!(DoubleDoubleVec3::from(DVec3::new(3.0, 4.0, 0.0)).length().to_f64(), 5.0);
        }

        #[test]
        fn transformed_by() {
            use crate::math::double_double::DoubleDoubleVec3;
            use glam::{DMat3, DVec3};
            let v = DoubleDoubleVec3::from(DVec3::new(1.0, 2.0, 3.0));
            assert_eq!(v.transformed_by(&DMat3::IDENTITY), v);
        }
    }
}
