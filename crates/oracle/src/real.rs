//! Real numbers to 256 bits with a proved error: a dyadic midpoint and a radius.
//!
//! Midpoint-radius arithmetic (as in Arb: Johansson, *IEEE Transactions on Computers* 66(8), 2017), in its simplest
//! form: the midpoint is a big integer times a power of two, truncated to [`PRECISION`] bits after every operation; the
//! radius is a double, rounded up after every operation. Every function encloses: if the operands contain their true
//! values, so does the result. Numbers that fit the precision (doubles, their products and short sums) keep radius
//! zero.

use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::rational::{Rational, decompose, power_of_two};

/// Bits kept of a midpoint: relative steps of 2^-256, about 10^-77.
const PRECISION: u64 = 256;

/// Every number within `radius` of `mantissa * 2^exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Real {
    mantissa: BigInt,
    exponent: i64,
    radius: f64,
}

/// A point or vector.
pub(crate) type Vector = [Real; 3];

/// The sum of two radii, rounded up.
fn add_up(a: f64, b: f64) -> f64 {
    if a == 0.0 {
        b
    } else if b == 0.0 {
        a
    } else {
        (a + b).next_up()
    }
}

/// The product of two non-negative numbers, rounded up; zero only if a factor is.
fn multiply_up(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { (a * b).next_up() }
}

/// `2^exponent`, or the smallest double above it.
fn power_up(exponent: i64) -> f64 {
    if exponent < -1022 {
        f64::MIN_POSITIVE
    } else if exponent > 1023 {
        f64::INFINITY
    } else {
        power_of_two(exponent)
    }
}

impl Real {
    /// Zero.
    pub(crate) fn zero() -> Real {
        Real { mantissa: BigInt::zero(), exponent: 0, radius: 0.0 }
    }

    /// One.
    pub(crate) fn one() -> Real {
        Real { mantissa: BigInt::one(), exponent: 0, radius: 0.0 }
    }

    /// A double, exactly.
    ///
    /// # Panics
    /// If the double is not finite.
    pub(crate) fn from_f64(value: f64) -> Real {
        let (mantissa, exponent) = decompose(value).unwrap_or_else(|| panic!("{value} is not finite"));
        Real { mantissa: mantissa.into(), exponent, radius: 0.0 }
    }

    /// Truncates the midpoint to the precision; the remainder, less than one unit, is added to the radius.
    fn cut(mantissa: BigInt, exponent: i64, radius: f64) -> Real {
        let bits = mantissa.bits();
        if bits <= PRECISION {
            return Real { mantissa, exponent, radius };
        }
        let shift = bits - PRECISION;
        let exponent = exponent + shift as i64;
        Real { mantissa: mantissa >> shift, exponent, radius: add_up(radius, power_up(exponent)) }
    }

    /// An exact result without its trailing zeros, which keeps numbers computed from it short.
    fn shortened(mantissa: BigInt, exponent: i64) -> Real {
        let zeros = mantissa.trailing_zeros().unwrap_or(0);
        Real::cut(mantissa >> zeros, exponent + zeros as i64, 0.0)
    }

    /// The midpoint alone, as an exact number.
    pub(crate) fn midpoint(&self) -> Real {
        Real { radius: 0.0, ..self.clone() }
    }

    /// The leading 62 bits of the midpoint's magnitude, exact or truncated, and the exponent of their power of two.
    fn leading(&self) -> (i64, i64) {
        let bits = self.mantissa.bits();
        let shift = bits.saturating_sub(62);
        let leading = (self.mantissa.magnitude() >> shift).to_i64().expect("62 bits");
        (leading, self.exponent + shift as i64)
    }

    /// A double not below the midpoint's magnitude.
    fn magnitude_up(&self) -> f64 {
        if self.mantissa.is_zero() {
            return 0.0;
        }
        let (leading, exponent) = self.leading();
        multiply_up(((leading + 1) as f64).next_up(), power_up(exponent))
    }

    /// A double not above the midpoint's magnitude; zero for numbers below the range of normal doubles.
    fn magnitude_down(&self) -> f64 {
        let (leading, exponent) = self.leading();
        if leading == 0 || exponent < -1022 {
            return 0.0;
        }
        let product = (leading as f64).next_down() * power_of_two(exponent.min(1023));
        if product.is_finite() { product.next_down() } else { f64::MAX }
    }

    /// A double close to the midpoint, to about one unit in the last place; zero below the range of normal doubles.
    pub(crate) fn to_f64(&self) -> f64 {
        let (leading, exponent) = self.leading();
        if leading == 0 || exponent < -1022 {
            return 0.0;
        }
        let magnitude = leading as f64 * power_up(exponent);
        if self.mantissa.is_negative() { -magnitude } else { magnitude }
    }

    /// The largest double that is proved not to exceed the number, and the smallest that the number is proved not to
    /// exceed.
    pub(crate) fn bounds(&self) -> (f64, f64) {
        if self.radius == 0.0 {
            return Rational::from_dyadic(self.mantissa.clone(), self.exponent).to_f64_bounds();
        }
        let Some((radius, exponent)) = decompose(self.radius) else {
            return (f64::NEG_INFINITY, f64::INFINITY);
        };
        // Both over one exponent: exact, whatever their magnitudes.
        let common = self.exponent.min(exponent);
        let middle = &self.mantissa << (self.exponent - common).unsigned_abs();
        let radius = BigInt::from(radius) << (exponent - common).unsigned_abs();
        let below = Rational::from_dyadic(&middle - &radius, common).to_f64_bounds().0;
        let above = Rational::from_dyadic(middle + radius, common).to_f64_bounds().1;
        (below, above)
    }

    /// A double not above the number: accurate to the last place, or zero if the sign is not certainly positive.
    pub(crate) fn positive_lower(&self) -> f64 {
        self.bounds().0.max(0.0)
    }

    /// The sign, if it is certain and not zero.
    pub(crate) fn certain_sign(&self) -> Option<i32> {
        if self.mantissa.is_zero() || self.magnitude_down() <= self.radius {
            return None;
        }
        Some(if self.mantissa.is_negative() { -1 } else { 1 })
    }

    /// Whether the midpoint is below the other's.
    pub(crate) fn midpoint_below(&self, other: &Real) -> bool {
        (self - other).mantissa.is_negative()
    }

    /// The absolute value.
    pub(crate) fn abs(&self) -> Real {
        Real { mantissa: self.mantissa.abs(), ..self.clone() }
    }

    /// The larger of two numbers. The maximum changes by no more than its arguments, so the larger radius encloses it.
    pub(crate) fn max(self, other: Real) -> Real {
        let radius = self.radius.max(other.radius);
        let larger = if self.midpoint_below(&other) { other } else { self };
        Real { radius, ..larger }
    }

    /// Twice the number.
    pub(crate) fn twice(&self) -> Real {
        Real { mantissa: self.mantissa.clone(), exponent: self.exponent + 1, radius: self.radius * 2.0 }
    }

    /// The quotient. The radius is infinite if the divisor may be zero.
    ///
    /// With `q = a / b` of the midpoints,
    /// `|x / y - q| = |x - q y| / |y| <= (radius_a + |q| radius_b) / (|b| - radius_b)`.
    pub(crate) fn divided_by(&self, other: &Real) -> Real {
        let least = (other.magnitude_down() - other.radius).next_down();
        if least <= 0.0 {
            return Real { radius: f64::INFINITY, ..Real::zero() };
        }
        if self.mantissa.is_zero() {
            let radius = if self.radius == 0.0 { 0.0 } else { (self.radius / least).next_up() };
            return Real { radius, ..Real::zero() };
        }
        let shift = (PRECISION + 1 + other.mantissa.bits()).saturating_sub(self.mantissa.bits());
        let (quotient, remainder) = (&self.mantissa << shift).div_rem(&other.mantissa);
        let exponent = self.exponent - shift as i64 - other.exponent;
        let mut result = if remainder.is_zero() {
            Real::shortened(quotient, exponent)
        } else {
            Real::cut(quotient, exponent, power_up(exponent))
        };
        let spread = add_up(self.radius, multiply_up(add_up(result.magnitude_up(), result.radius), other.radius));
        if spread > 0.0 {
            result.radius = add_up(result.radius, (spread / least).next_up());
        }
        result
    }

    /// The square root, with negative numbers counted as zero.
    ///
    /// `|sqrt x - sqrt m| = |x - m| / (sqrt x + sqrt m)` is at most `radius / sqrt m`, and at most `sqrt radius`.
    pub(crate) fn sqrt(&self) -> Real {
        if !self.mantissa.is_positive() {
            // The true number is at most the radius.
            return Real {
                radius: if self.radius == 0.0 { 0.0 } else { self.radius.sqrt().next_up() },
                ..Real::zero()
            };
        }
        let mut shift = (2 * PRECISION).saturating_sub(self.mantissa.bits());
        if (self.exponent - shift as i64) % 2 != 0 {
            shift += 1;
        }
        let scaled = &self.mantissa << shift;
        let root = scaled.sqrt();
        let exponent = (self.exponent - shift as i64) / 2;
        let mut result = if &root * &root == scaled {
            Real::shortened(root, exponent)
        } else {
            Real::cut(root, exponent, power_up(exponent))
        };
        if self.radius > 0.0 {
            let root_below = Real { radius: 0.0, ..result.clone() }.magnitude_down();
            let near = if root_below > 0.0 { (self.radius / root_below).next_up() } else { f64::INFINITY };
            result.radius = add_up(result.radius, near.min(self.radius.sqrt().next_up()));
        }
        result
    }
}

impl Add for &Real {
    type Output = Real;
    fn add(self, other: &Real) -> Real {
        let radius = add_up(self.radius, other.radius);
        if self.mantissa.is_zero() {
            return Real { radius, ..other.clone() };
        }
        if other.mantissa.is_zero() {
            return Real { radius, ..self.clone() };
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shift = (high.exponent - low.exponent).unsigned_abs();
        if shift > 4 * PRECISION {
            return Real { radius: add_up(radius, low.magnitude_up()), ..high.clone() };
        }
        Real::cut((&high.mantissa << shift) + &low.mantissa, low.exponent, radius)
    }
}

impl Neg for &Real {
    type Output = Real;
    fn neg(self) -> Real {
        Real { mantissa: -&self.mantissa, ..self.clone() }
    }
}

impl Sub for &Real {
    type Output = Real;
    fn sub(self, other: &Real) -> Real {
        self + &-other
    }
}

impl Mul for &Real {
    type Output = Real;
    fn mul(self, other: &Real) -> Real {
        let radius = if self.radius == 0.0 && other.radius == 0.0 {
            0.0
        } else {
            let mixed =
                add_up(multiply_up(self.magnitude_up(), other.radius), multiply_up(other.magnitude_up(), self.radius));
            add_up(mixed, multiply_up(self.radius, other.radius))
        };
        if self.mantissa.is_zero() || other.mantissa.is_zero() {
            return Real { radius, ..Real::zero() };
        }
        Real::cut(&self.mantissa * &other.mantissa, self.exponent + other.exponent, radius)
    }
}

/// Three doubles, exactly.
pub(crate) fn vector(coordinates: [f64; 3]) -> Vector {
    coordinates.map(Real::from_f64)
}

/// The coordinates rounded to nearby doubles.
pub(crate) fn rounded(v: &Vector) -> [f64; 3] {
    std::array::from_fn(|axis| v[axis].to_f64())
}

/// `a + b`.
pub(crate) fn add(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|axis| &a[axis] + &b[axis])
}

/// `a - b`.
pub(crate) fn subtract(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|axis| &a[axis] - &b[axis])
}

/// `factor * a`.
pub(crate) fn scale(a: &Vector, factor: &Real) -> Vector {
    std::array::from_fn(|axis| &a[axis] * factor)
}

/// `-a`.
pub(crate) fn negate(a: &Vector) -> Vector {
    std::array::from_fn(|axis| -&a[axis])
}

/// The dot product.
pub(crate) fn dot(a: &Vector, b: &Vector) -> Real {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

/// The cross product.
pub(crate) fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|axis| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        &(&a[next] * &b[last]) - &(&a[last] * &b[next])
    })
}

/// The Euclidean length.
pub(crate) fn length(a: &Vector) -> Real {
    dot(a, a).sqrt()
}

/// The vector divided by its length.
pub(crate) fn unit(a: &Vector) -> Vector {
    let length = length(a);
    std::array::from_fn(|axis| a[axis].divided_by(&length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::cmp::Ordering;

    fn holds(real: &Real, truth: &Rational) -> bool {
        let middle = Rational::from_dyadic(real.mantissa.clone(), real.exponent);
        (&middle - truth).abs() <= Rational::from_f64(real.radius).unwrap()
    }

    /// A number with a radius, and a true number within it.
    fn sample(random: &mut Random) -> (Real, Rational) {
        let value = random.scale(-30, 30) * if random.coin() { -1.0 } else { 1.0 };
        let mut real = Real::from_f64(value);
        let mut truth = Rational::from_f64(value).unwrap();
        if random.coin() {
            let third = Rational::ratio(1, 3);
            truth = &truth * &third;
            real = real.divided_by(&Real::from_f64(3.0));
        }
        if random.index(3) == 0 {
            real.radius = add_up(real.radius, value.abs() * random.scale(-60, -2));
            let within = Rational::from_f64(real.radius * random.uniform(-0.9, 0.9)).unwrap();
            truth = &truth + &within;
        }
        (real, truth)
    }

    #[test]
    fn every_operation_encloses() {
        let random = &mut Random::new(11);
        for _ in 0..2000 {
            let ((x, exact_x), (y, exact_y)) = (sample(random), sample(random));
            assert!(holds(&x, &exact_x) && holds(&y, &exact_y));
            assert!(holds(&(&x + &y), &(&exact_x + &exact_y)));
            assert!(holds(&(&x - &y), &(&exact_x - &exact_y)));
            assert!(holds(&(&x * &y), &(&exact_x * &exact_y)));
            assert!(holds(&x.abs(), &exact_x.abs()));
            assert!(holds(&x.twice(), &(&exact_x + &exact_x)));
            let larger = if exact_x > exact_y { exact_x.clone() } else { exact_y.clone() };
            assert!(holds(&x.clone().max(y.clone()), &larger));
            let quotient = x.divided_by(&y);
            if quotient.radius.is_finite() {
                assert!(holds(&quotient, &(&exact_x / &exact_y)));
            }
            if !exact_x.is_negative() {
                let root = x.sqrt();
                let (below, above) = root.bounds();
                let truth = exact_x.sqrt();
                assert!(truth.compare(below) != Ordering::Less && truth.compare(above) != Ordering::Greater);
            }
            let (below, above) = x.bounds();
            assert!(Rational::from_f64(below).unwrap() <= exact_x && Rational::from_f64(above).unwrap() >= exact_x);
            if let Some(sign) = x.certain_sign() {
                assert_eq!(sign < 0, exact_x.is_negative());
            }
            assert!(
                (x.to_f64() - Rational::from_dyadic(x.mantissa.clone(), x.exponent).to_f64()).abs()
                    <= x.to_f64().abs() * 1e-15
            );
        }
    }

    #[test]
    fn roots_and_quotients_are_precise() {
        let two = Real::from_f64(2.0);
        let back = &two.sqrt() * &two.sqrt();
        assert!(back.radius < 1e-75 && holds(&back, &Rational::from(2)));
        let third = Real::one().divided_by(&Real::from_f64(3.0));
        assert!(third.radius < 1e-75 && holds(&third, &Rational::ratio(1, 3)));
        let root = Real::from_f64(2.25).sqrt();
        assert_eq!((root.radius, root.bounds()), (0.0, (1.5, 1.5)));
        assert_eq!(Real::zero().sqrt().bounds(), (0.0, 0.0));
    }

    #[test]
    fn uncertain_signs_are_not_reported() {
        let blurred = Real { radius: 1e-40, ..Real::zero() };
        assert_eq!(blurred.certain_sign(), None);
        assert_eq!(Real::one().divided_by(&blurred).bounds(), (f64::NEG_INFINITY, f64::INFINITY));
        let (below, above) = blurred.sqrt().bounds();
        assert!(below <= 0.0 && (1e-20..1.1e-20).contains(&above));
        let tiny = &Real::from_f64(1e-300) * &Real::from_f64(1e-300);
        assert_eq!(tiny.bounds(), (0.0, 5e-324));
        assert!(tiny.magnitude_up() > 0.0);
    }

    #[test]
    fn vectors() {
        let (a, b) = (vector([1.0, 2.0, 2.0]), vector([0.0, 3.0, 4.0]));
        assert_eq!(length(&a).bounds(), (3.0, 3.0));
        assert_eq!(dot(&a, &b).bounds(), (14.0, 14.0));
        assert_eq!(rounded(&cross(&a, &b)), [2.0, -4.0, 3.0]);
        assert_eq!(rounded(&add(&scale(&a, &Real::from_f64(2.0)), &negate(&subtract(&a, &b)))), [1.0, 5.0, 6.0]);
        let direction = unit(&a);
        assert!((&length(&direction) - &Real::one()).abs().bounds().1 < 1e-74);
    }
}
