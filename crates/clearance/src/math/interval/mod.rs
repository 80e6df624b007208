//! Intervals of real numbers, rounded outward: the true result always lies inside.
//!
//! Moore, Kearfott and Cloud, "Introduction to Interval Analysis" (SIAM 2009); the conventions for unbounded intervals
//! are those of IEEE 1788. Where and why the code departs from the usual implementations:
//! - The rounding mode of the processor is never touched (Rust assumes round to nearest). The nearest `f64` is moved
//!   one step outward instead: the exact result of one operation lies strictly between the neighbours of its rounded
//!   value. Sums keep their rounded value where the error-free transformation shows which side it lies on; products,
//!   quotients and roots keep it where the numbers have so few bits that it must be exact. So small integers and
//!   fractions stay exact.
//! - An interval is a set of real numbers. An infinite end means "unbounded", it is never attained, and therefore 0
//!   times an unbounded interval is 0. A point beyond all `f64` is held as `[f64::MAX, infinity]`.
//! - There is no empty interval: [`Interval::intersection`] returns an `Option`, and NaN becomes
//!   [`Interval::EVERYTHING`]. No operation yields NaN.
//!
//! Sine and cosine rely on one assumption that cannot be proved here: the `f64::sin` and `f64::cos` of the platform err
//! by less than one unit in the last place, for every argument. It holds for glibc, musl, Apple's and Microsoft's
//! libraries. One unit is at most two steps of `next_up` or `next_down` (two, where a power of two lies between); twice
//! that, `LIBRARY_STEPS` = 4 steps, are taken.

#[cfg(test)]
mod tests;
mod vector;

pub use vector::{IntervalMat3, IntervalVec3};

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::double_double::two_sum;

/// How many steps outward the values of the platform's sine and cosine are moved: see the module documentation.
const LIBRARY_STEPS: usize = 4;

/// Beyond this magnitude sine and cosine return [-1, 1]: the quotient by pi no longer locates an extremum.
const LARGEST_ANGLE: f64 = 1.0e12;

/// A closed interval `[lo, hi]` of real numbers, perhaps unbounded, never empty.
///
/// ```
/// use clearance::math::Interval;
/// let third = Interval::point(1.0) / Interval::point(3.0);
/// assert!(third.lo() < third.hi());
/// assert!((third * Interval::point(3.0)).contains(1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    lo: f64,
    hi: f64,
}

/// Where an interval lies relative to zero.
enum SignRange {
    NotNegative,
    NotPositive,
    Both,
}

/// Whether `x` is a power of two, or infinite: its fraction bits are all zero. False for zero and subnormal numbers.
#[inline]
fn is_power_of_two(x: f64) -> bool {
    x.to_bits() & ((1 << 52) - 1) == 0 && x != 0.0
}

#[inline]
fn sum_down(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    // The error is exact, or NaN where something is infinite.
    if error >= 0.0 { sum } else { sum.next_down() }
}

#[inline]
fn sum_up(a: f64, b: f64) -> f64 {
    -sum_down(-a, -b)
}

/// Whether `x` has at most 26 significant bits. The product of two such numbers has at most 52: it is exact, unless it
/// overflows or underflows.
#[inline]
fn is_short(x: f64) -> bool {
    x.to_bits() & ((1 << 27) - 1) == 0
}

#[inline]
fn product_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let product = a * b;
    let exact = is_power_of_two(a) || is_power_of_two(b) || (is_short(a) && is_short(b));
    if exact && product.is_normal() {
        return product;
    }
    // A product that underflowed to +0 is positive: 0 is below it.
    if product == 0.0 && product.is_sign_positive() { 0.0 } else { product.next_down() }
}

#[inline]
fn product_up(a: f64, b: f64) -> f64 {
    -product_down(-a, b)
}

/// `b` is neither zero nor NaN, and `a` and `b` are not both infinite.
#[inline]
fn quotient_down(a: f64, b: f64) -> f64 {
    if a == 0.0 {
        return 0.0;
    }
    let quotient = a / b;
    // Multiplying back proves a quotient exact where the product is known to be.
    let exact = is_power_of_two(b) || (is_short(quotient) && is_short(b) && quotient * b == a && a.is_normal());
    if exact && quotient.is_normal() {
        return quotient;
    }
    if quotient == 0.0 && quotient.is_sign_positive() { 0.0 } else { quotient.next_down() }
}

#[inline]
fn quotient_up(a: f64, b: f64) -> f64 {
    -quotient_down(-a, b)
}

/// Bounds of the root of `x >= 0`.
#[inline]
fn root_bounds(x: f64) -> (f64, f64) {
    let root = x.sqrt();
    // Squaring proves a root exact where the square is known to be.
    if x == 0.0 || (is_short(root) && x.is_normal() && root * root == x) {
        (root, root)
    } else {
        (root.next_down().max(0.0), root.next_up())
    }
}

/// Moves a value of the platform's sine or cosine outward, and back into [-1, 1].
fn library_bounds(value: f64) -> (f64, f64) {
    let (mut lo, mut hi) = (value, value);
    for _ in 0..LIBRARY_STEPS {
        lo = lo.next_down();
        hi = hi.next_up();
    }
    (lo.max(-1.0), hi.min(1.0))
}

fn sine_bounds(x: f64) -> (f64, f64) {
    if x == 0.0 { (0.0, 0.0) } else { library_bounds(x.sin()) }
}

fn cosine_bounds(x: f64) -> (f64, f64) {
    if x == 0.0 { (1.0, 1.0) } else { library_bounds(x.cos()) }
}

impl Interval {
    /// All real numbers: nothing is known.
    pub const EVERYTHING: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// `[0, 0]`.
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    /// `[1, 1]`.
    pub const ONE: Self = Self { lo: 1.0, hi: 1.0 };
    /// A tight enclosure of pi: the constant of the standard library is below pi by less than one step.
    pub const PI: Self = Self { lo: std::f64::consts::PI, hi: std::f64::consts::PI.next_up() };
    /// `[-1, 1]`.
    const UNIT: Self = Self { lo: -1.0, hi: 1.0 };

    /// The interval between two numbers, in either order. [`Interval::EVERYTHING`] if one is NaN.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(2.0, 1.0), Interval::new(1.0, 2.0));
    /// assert_eq!(Interval::new(f64::NAN, 1.0), Interval::EVERYTHING);
    /// ```
    #[inline]
    pub fn new(a: f64, b: f64) -> Self {
        if a <= b {
            Self::ordered(a, b)
        } else if b < a {
            Self::ordered(b, a)
        } else {
            Self::EVERYTHING
        }
    }

    /// `lo <= hi`, neither NaN. Adding 0 turns -0 into 0, so that equal intervals have equal bits; an interval
    /// wholly at infinity means numbers beyond all `f64`.
    #[inline]
    fn ordered(lo: f64, hi: f64) -> Self {
        debug_assert!(lo <= hi);
        Self { lo: lo.min(f64::MAX) + 0.0, hi: hi.max(f64::MIN) + 0.0 }
    }

    /// The degenerate interval of one number. [`Interval::EVERYTHING`] for NaN.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::point(0.1).width(), 0.0);
    /// ```
    #[inline]
    pub fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// The lower end. Below infinity, never NaN.
    #[inline]
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// The upper end. Above minus infinity, never NaN.
    #[inline]
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// Whether both ends are finite.
    #[inline]
    pub fn is_bounded(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// Whether `x` lies in the interval, ends included. False for NaN.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert!(Interval::new(0.0, 1.0).contains(1.0));
    /// ```
    #[inline]
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Whether all of `other` lies in this interval.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert!(Interval::new(0.0, 1.0).contains_interval(Interval::point(0.5)));
    /// ```
    #[inline]
    pub fn contains_interval(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// `hi - lo`, rounded up; infinite if unbounded.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(1.0, 3.0).width(), 2.0);
    /// ```
    #[inline]
    pub fn width(self) -> f64 {
        sum_up(self.hi, -self.lo)
    }

    /// A finite number inside, halfway but for rounding. Infinite ends count as `f64::MAX`.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(1.0, 3.0).midpoint(), 2.0);
    /// assert_eq!(Interval::EVERYTHING.midpoint(), 0.0);
    /// ```
    #[inline]
    pub fn midpoint(self) -> f64 {
        let (lo, hi) = (self.lo.max(f64::MIN), self.hi.min(f64::MAX));
        let sum = lo + hi;
        let middle = if sum.is_finite() { 0.5 * sum } else { 0.5 * lo + 0.5 * hi };
        middle.clamp(lo, hi)
    }

    /// The largest magnitude of a number inside.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(-3.0, 1.0).magnitude(), 3.0);
    /// ```
    #[inline]
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The smallest magnitude of a number inside.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(1.0, 3.0).mignitude(), 1.0);
    /// assert_eq!(Interval::new(-3.0, 1.0).mignitude(), 0.0);
    /// ```
    #[inline]
    pub fn mignitude(self) -> f64 {
        self.lo.max(-self.hi).max(0.0)
    }

    /// The magnitudes of the numbers inside.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(-3.0, 1.0).abs(), Interval::new(0.0, 3.0));
    /// ```
    #[inline]
    pub fn abs(self) -> Self {
        Self::ordered(self.mignitude(), self.magnitude())
    }

    /// The squares of the numbers inside: tighter than `x * x`, never negative.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(-2.0, 1.0).square(), Interval::new(0.0, 4.0));
    /// ```
    #[inline]
    pub fn square(self) -> Self {
        let (least, most) = (self.mignitude(), self.magnitude());
        Self::ordered(product_down(least, least), product_up(most, most))
    }

    /// The square roots of the numbers inside, negative ones counted as 0: a sum of squares may be rounded to just
    /// below 0, and its true root is still inside.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(4.0, 9.0).sqrt(), Interval::new(2.0, 3.0));
    /// assert_eq!(Interval::new(-1.0, 9.0).sqrt(), Interval::new(0.0, 3.0));
    /// ```
    #[inline]
    pub fn sqrt(self) -> Self {
        Self::ordered(root_bounds(self.lo.max(0.0)).0, root_bounds(self.hi.max(0.0)).1)
    }

    /// The lesser of two numbers, one from each.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(0.0, 3.0).min(Interval::new(1.0, 2.0)), Interval::new(0.0, 2.0));
    /// ```
    #[inline]
    pub fn min(self, other: Self) -> Self {
        Self::ordered(self.lo.min(other.lo), self.hi.min(other.hi))
    }

    /// The greater of two numbers, one from each.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(0.0, 3.0).max(Interval::new(1.0, 2.0)), Interval::new(1.0, 3.0));
    /// ```
    #[inline]
    pub fn max(self, other: Self) -> Self {
        Self::ordered(self.lo.max(other.lo), self.hi.max(other.hi))
    }

    /// The smallest interval that contains both.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::point(1.0).hull(Interval::point(3.0)), Interval::new(1.0, 3.0));
    /// ```
    #[inline]
    pub fn hull(self, other: Self) -> Self {
        Self::ordered(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// The intersection; `None` if it is empty.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// let a = Interval::new(0.0, 2.0);
    /// assert_eq!(a.intersection(Interval::new(1.0, 3.0)), Some(Interval::new(1.0, 2.0)));
    /// assert_eq!(a.intersection(Interval::point(3.0)), None);
    /// ```
    #[inline]
    pub fn intersection(self, other: Self) -> Option<Self> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then(|| Self::ordered(lo, hi))
    }

    /// The two halves, which share the midpoint.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// assert_eq!(Interval::new(0.0, 2.0).split(), (Interval::new(0.0, 1.0), Interval::new(1.0, 2.0)));
    /// ```
    #[inline]
    pub fn split(self) -> (Self, Self) {
        let middle = self.midpoint();
        (Self::ordered(self.lo, middle), Self::ordered(middle, self.hi))
    }

    /// The sines of the angles inside, in radians. Relies on the assumption stated in the module documentation.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// let sine = Interval::new(1.0, 2.0).sin();
    /// assert_eq!(sine.hi(), 1.0); // pi / 2 is inside
    /// assert!(sine.contains(1.0_f64.sin()));
    /// ```
    pub fn sin(self) -> Self {
        // Extrema at (k + 1/2) pi.
        self.wave(sine_bounds, Self::point(0.5))
    }

    /// The cosines of the angles inside, in radians. Relies on the assumption stated in the module documentation.
    ///
    /// ```
    /// use clearance::math::Interval;
    /// let cosine = Interval::new(3.0, 4.0).cos();
    /// assert_eq!(cosine.lo(), -1.0); // pi is inside
    /// assert_eq!(Interval::ZERO.cos(), Interval::ONE);
    /// ```
    pub fn cos(self) -> Self {
        // Extrema at k pi.
        self.wave(cosine_bounds, Self::ZERO)
    }

    /// The values of a function with bounds `bounds` at single angles, with maxima of 1 at `(k + phase) pi` for even
    /// whole `k`, minima of -1 for odd `k`, and monotone in between.
    fn wave(self, bounds: impl Fn(f64) -> (f64, f64), phase: Self) -> Self {
        if self.magnitude() > LARGEST_ANGLE {
            return Self::UNIT;
        }
        // Encloses the true turns, so every k whose extremum is inside lies between the rounded ends.
        let turns = self / Self::PI - phase;
        let (first, last) = (turns.lo.ceil(), turns.hi.floor());
        if first + 1.0 <= last {
            return Self::UNIT;
        }
        let (at_lo, at_hi) = (bounds(self.lo), bounds(self.hi));
        let mut range = Self::ordered(at_lo.0.min(at_hi.0), at_lo.1.max(at_hi.1));
        if first == last {
            if first % 2.0 == 0.0 {
                range.hi = 1.0;
            } else {
                range.lo = -1.0;
            }
        }
        range
    }

    #[inline]
    fn side(self) -> SignRange {
        if self.lo >= 0.0 {
            SignRange::NotNegative
        } else if self.hi <= 0.0 {
            SignRange::NotPositive
        } else {
            SignRange::Both
        }
    }
}

impl From<f64> for Interval {
    /// The degenerate interval of one number, as [`Interval::point`].
    #[inline]
    fn from(x: f64) -> Self {
        Self::point(x)
    }
}

impl Neg for Interval {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self::ordered(-self.hi, -self.lo)
    }
}

impl Add for Interval {
    type Output = Self;

    // A lower end is never +infinity and an upper end never -infinity, so no sum of ends is NaN.
    #[inline]
    fn add(self, other: Self) -> Self {
        Self::ordered(sum_down(self.lo, other.lo), sum_up(self.hi, other.hi))
    }
}

impl Sub for Interval {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        use SignRange::{Both, NotNegative, NotPositive};
        let ((a, b), (c, d)) = ((self.lo, self.hi), (other.lo, other.hi));
        // Which pairs of ends give the least and the greatest product.
        let (least, greatest) = match (self.side(), other.side()) {
            (NotNegative, NotNegative) => ((a, c), (b, d)),
            (NotNegative, NotPositive) => ((b, c), (a, d)),
            (NotNegative, Both) => ((b, c), (b, d)),
            (NotPositive, NotNegative) => ((a, d), (b, c)),
            (NotPositive, NotPositive) => ((b, d), (a, c)),
            (NotPositive, Both) => ((a, d), (a, c)),
            (Both, NotNegative) => ((a, d), (b, d)),
            (Both, NotPositive) => ((b, c), (a, c)),
            (Both, Both) => {
                return Self::ordered(
                    product_down(a, d).min(product_down(b, c)),
                    product_up(a, c).max(product_up(b, d)),
                );
            }
        };
        Self::ordered(product_down(least.0, least.1), product_up(greatest.0, greatest.1))
    }
}

impl Div for Interval {
    type Output = Self;

    /// [`Interval::EVERYTHING`] where the divisor contains 0.
    #[inline]
    fn div(self, other: Self) -> Self {
        if other.contains(0.0) {
            return Self::EVERYTHING;
        }
        let (dividend, divisor) = if other.lo > 0.0 { (self, other) } else { (-self, -other) };
        let ((a, b), (c, d)) = ((dividend.lo, dividend.hi), (divisor.lo, divisor.hi));
        // `c` is finite, and an infinite `d` only ever divides a finite end.
        match dividend.side() {
            SignRange::NotNegative => Self::ordered(quotient_down(a, d), quotient_up(b, c)),
            SignRange::NotPositive => Self::ordered(quotient_down(a, c), quotient_up(b, d)),
            SignRange::Both => Self::ordered(quotient_down(a, c), quotient_up(b, c)),
        }
    }
}
