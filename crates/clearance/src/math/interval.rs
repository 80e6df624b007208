//! Intervals of real numbers, rounded outward: whatever the rounding, the true result lies inside.
//!
//! Moore, Kearfott and Cloud, "Introduction to Interval Analysis" (SIAM 2009); the conventions for unbounded
//! intervals are those of IEEE 1788. Where and why the code departs from the usual implementations:
//! - The rounding mode of the processor is never touched (Rust assumes round to nearest). The nearest `f64` is moved
//!   one step outward instead: the exact result of one operation lies strictly between the neighbours of its rounded
//!   value. Sums keep their rounded value where the error-free transformation shows on which side it lies; products,
//!   quotients and roots keep it where the numbers have so few bits that it must be exact. So small integers and
//!   fractions stay exact.
//! - An interval is a set of real numbers. An infinite end means "unbounded", it is never attained, and therefore
//!   0 times an unbounded interval is 0. A point beyond all `f64` is held as `[f64::MAX, infinity]`.
//! - There is no empty interval: [`Interval::intersection`] returns an `Option`, and NaN becomes
//!   [`Interval::EVERYTHING`]. No operation yields NaN.
//!
//! Sine and cosine rest on one assumption that cannot be proved here: the `f64::sin` and `f64::cos` of the platform
//! err by less than one unit in the last place, for every argument. It holds for glibc, musl, Apple's and
//! Microsoft's libraries. One unit is at most two steps of `next_up` or `next_down` (two, where a power of two lies
//! between); twice that, `LIBRARY_STEPS` = 4 steps, are taken.

use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::{DMat3, DVec3};

use super::double_double::two_sum;

/// How many steps outward the values of the platform's sine and cosine are moved: see the head of this file.
const LIBRARY_STEPS: usize = 4;

/// Beyond this magnitude sine and cosine answer [-1, 1]: the quotient by pi no longer tells where an extremum lies.
const LARGEST_ANGLE: f64 = 1.0e12;

/// A closed interval `[lo, hi]` of real numbers, perhaps unbounded, never empty.
///
/// ```
/// use clearance::math::interval::Interval;
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
enum Side {
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

    /// The interval between two numbers, given in either order. [`Interval::EVERYTHING`] if one is NaN.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
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

    /// The interval of one number. [`Interval::EVERYTHING`] for NaN.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
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
    /// use clearance::math::interval::Interval;
    /// assert!(Interval::new(0.0, 1.0).contains(1.0));
    /// ```
    #[inline]
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Whether all of `other` lies in this interval.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
    /// assert!(Interval::new(0.0, 1.0).contains_interval(Interval::point(0.5)));
    /// ```
    #[inline]
    pub fn contains_interval(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// `hi - lo`, rounded up; infinite if unbounded.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
    /// assert_eq!(Interval::new(1.0, 3.0).width(), 2.0);
    /// ```
    #[inline]
    pub fn width(self) -> f64 {
        sum_up(self.hi, -self.lo)
    }

    /// A finite number inside, halfway but for rounding. Infinite ends count as `f64::MAX`.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
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
    /// use clearance::math::interval::Interval;
    /// assert_eq!(Interval::new(-3.0, 1.0).magnitude(), 3.0);
    /// ```
    #[inline]
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The smallest magnitude of a number inside.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
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
    /// use clearance::math::interval::Interval;
    /// assert_eq!(Interval::new(-3.0, 1.0).abs(), Interval::new(0.0, 3.0));
    /// ```
    #[inline]
    pub fn abs(self) -> Self {
        Self::ordered(self.mignitude(), self.magnitude())
    }

    /// The squares of the numbers inside: tighter than `x * x`, never negative.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
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
    /// use clearance::math::interval::Interval;
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
    /// use clearance::math::interval::Interval;
    /// assert_eq!(Interval::new(0.0, 3.0).min(Interval::new(1.0, 2.0)), Interval::new(0.0, 2.0));
    /// ```
    #[inline]
    pub fn min(self, other: Self) -> Self {
        Self::ordered(self.lo.min(other.lo), self.hi.min(other.hi))
    }

    /// The greater of two numbers, one from each.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
    /// assert_eq!(Interval::new(0.0, 3.0).max(Interval::new(1.0, 2.0)), Interval::new(1.0, 3.0));
    /// ```
    #[inline]
    pub fn max(self, other: Self) -> Self {
        Self::ordered(self.lo.max(other.lo), self.hi.max(other.hi))
    }

    /// The smallest interval that contains both.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
    /// assert_eq!(Interval::point(1.0).hull(Interval::point(3.0)), Interval::new(1.0, 3.0));
    /// ```
    #[inline]
    pub fn hull(self, other: Self) -> Self {
        Self::ordered(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// What both have in common; `None` if that is nothing.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
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
    /// use clearance::math::interval::Interval;
    /// assert_eq!(Interval::new(0.0, 2.0).split(), (Interval::new(0.0, 1.0), Interval::new(1.0, 2.0)));
    /// ```
    #[inline]
    pub fn split(self) -> (Self, Self) {
        let middle = self.midpoint();
        (Self::ordered(self.lo, middle), Self::ordered(middle, self.hi))
    }

    /// The sines of the angles inside, in radians. Rests on the assumption at the head of this file.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
    /// let sine = Interval::new(1.0, 2.0).sin();
    /// assert_eq!(sine.hi(), 1.0); // pi / 2 is inside
    /// assert!(sine.contains(1.0_f64.sin()));
    /// ```
    pub fn sin(self) -> Self {
        // Extrema at (k + 1/2) pi.
        self.wave(sine_bounds, Self::point(0.5))
    }

    /// The cosines of the angles inside, in radians. Rests on the assumption at the head of this file.
    ///
    /// ```
    /// use clearance::math::interval::Interval;
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
    fn side(self) -> Side {
        if self.lo >= 0.0 {
            Side::NotNegative
        } else if self.hi <= 0.0 {
            Side::NotPositive
        } else {
            Side::Both
        }
    }
}

impl From<f64> for Interval {
    /// The interval of one number, as [`Interval::point`].
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
        use Side::{Both, NotNegative, NotPositive};
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
            Side::NotNegative => Self::ordered(quotient_down(a, d), quotient_up(b, c)),
            Side::NotPositive => Self::ordered(quotient_down(a, c), quotient_up(b, d)),
            Side::Both => Self::ordered(quotient_down(a, c), quotient_up(b, c)),
        }
    }
}

/// A vector of three intervals: an axis-aligned box of vectors.
///
/// ```
/// use clearance::math::interval::{Interval, IntervalVec3};
/// use glam::DVec3;
/// let v = IntervalVec3::from(DVec3::new(3.0, 4.0, 0.0));
/// assert_eq!(v.norm(), Interval::point(5.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalVec3 {
    /// First component.
    pub x: Interval,
    /// Second component.
    pub y: Interval,
    /// Third component.
    pub z: Interval,
}

impl IntervalVec3 {
    /// The vector 0.
    pub const ZERO: Self = Self { x: Interval::ZERO, y: Interval::ZERO, z: Interval::ZERO };

    /// The vector with these components.
    ///
    /// ```
    /// use clearance::math::interval::{Interval, IntervalVec3};
    /// assert_eq!(IntervalVec3::new(Interval::ZERO, Interval::ZERO, Interval::ZERO), IntervalVec3::ZERO);
    /// ```
    #[inline]
    pub fn new(x: Interval, y: Interval, z: Interval) -> Self {
        Self { x, y, z }
    }

    /// The inner product.
    ///
    /// ```
    /// use clearance::math::interval::{Interval, IntervalVec3};
    /// use glam::DVec3;
    /// let v = IntervalVec3::from(DVec3::new(1.0, 2.0, 3.0));
    /// assert!(v.dot(v).contains(14.0));
    /// ```
    #[inline]
    pub fn dot(self, other: Self) -> Interval {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector product.
    ///
    /// ```
    /// use clearance::math::interval::IntervalVec3;
    /// use glam::DVec3;
    /// let z = IntervalVec3::from(DVec3::X).cross(IntervalVec3::from(DVec3::Y));
    /// assert_eq!(z, IntervalVec3::from(DVec3::Z));
    /// ```
    #[inline]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Each component times `factor`.
    ///
    /// ```
    /// use clearance::math::interval::{Interval, IntervalVec3};
    /// use glam::DVec3;
    /// let doubled = IntervalVec3::from(DVec3::X).scale(Interval::point(2.0));
    /// assert_eq!(doubled, IntervalVec3::from(2.0 * DVec3::X));
    /// ```
    #[inline]
    pub fn scale(self, factor: Interval) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }

    /// The square of the length: a sum of true squares, tighter than the inner product with itself.
    ///
    /// ```
    /// use clearance::math::interval::{Interval, IntervalVec3};
    /// let cube = IntervalVec3::new(Interval::new(-1.0, 1.0), Interval::new(-1.0, 1.0), Interval::new(-1.0, 1.0));
    /// assert_eq!(cube.norm_squared().lo(), 0.0);
    /// ```
    #[inline]
    pub fn norm_squared(self) -> Interval {
        self.x.square() + self.y.square() + self.z.square()
    }

    /// The length.
    ///
    /// ```
    /// use clearance::math::interval::{Interval, IntervalVec3};
    /// use glam::DVec3;
    /// assert!(IntervalVec3::from(DVec3::ONE).norm().contains(3.0_f64.sqrt()));
    /// ```
    #[inline]
    pub fn norm(self) -> Interval {
        self.norm_squared().sqrt()
    }

    /// Whether `v` lies in the box, faces included.
    ///
    /// ```
    /// use clearance::math::interval::IntervalVec3;
    /// use glam::DVec3;
    /// assert!(IntervalVec3::from(DVec3::X).contains(DVec3::X));
    /// ```
    #[inline]
    pub fn contains(self, v: DVec3) -> bool {
        self.x.contains(v.x) && self.y.contains(v.y) && self.z.contains(v.z)
    }

    /// The smallest box that contains both.
    ///
    /// ```
    /// use clearance::math::interval::IntervalVec3;
    /// use glam::DVec3;
    /// let edge = IntervalVec3::from(DVec3::ZERO).hull(IntervalVec3::from(DVec3::X));
    /// assert!(edge.contains(DVec3::new(0.5, 0.0, 0.0)));
    /// ```
    #[inline]
    pub fn hull(self, other: Self) -> Self {
        Self::new(self.x.hull(other.x), self.y.hull(other.y), self.z.hull(other.z))
    }

    /// The middle of the box: finite, and inside.
    ///
    /// ```
    /// use clearance::math::interval::IntervalVec3;
    /// use glam::DVec3;
    /// assert_eq!(IntervalVec3::from(DVec3::X).midpoint(), DVec3::X);
    /// ```
    #[inline]
    pub fn midpoint(self) -> DVec3 {
        DVec3::new(self.x.midpoint(), self.y.midpoint(), self.z.midpoint())
    }
}

impl From<DVec3> for IntervalVec3 {
    /// The box of one vector.
    #[inline]
    fn from(v: DVec3) -> Self {
        Self::new(v.x.into(), v.y.into(), v.z.into())
    }
}

impl Add for IntervalVec3 {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for IntervalVec3 {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Neg for IntervalVec3 {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

/// A 3x3 matrix of intervals.
///
/// ```
/// use clearance::math::interval::{IntervalMat3, IntervalVec3};
/// use glam::{DMat3, DVec3};
/// let v = IntervalVec3::from(DVec3::new(0.1, 0.2, 0.3));
/// assert_eq!(IntervalMat3::from(&DMat3::IDENTITY) * v, v);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalMat3 {
    /// The rows, top to bottom (`glam` stores columns).
    pub rows: [IntervalVec3; 3],
}

impl IntervalMat3 {
    /// The rotations by the angles (in radians) in `angle` about `axis`, counter-clockwise seen from its tip:
    /// Rodrigues' formula in intervals.
    ///
    /// The axis may have any length; it is normalised here, in intervals, so the result encloses true rotations. A
    /// zero axis has no direction: every entry is then [-1, 1], which encloses all rotations, or the identity if the
    /// angle is exactly 0.
    ///
    /// ```
    /// use clearance::math::interval::{Interval, IntervalMat3, IntervalVec3};
    /// use glam::DVec3;
    /// let quarter = Interval::PI * Interval::point(0.5);
    /// let turned = IntervalMat3::from_axis_angle(DVec3::Z, quarter) * IntervalVec3::from(DVec3::X);
    /// assert!(turned.contains(DVec3::Y));
    /// assert!(turned.norm().width() < 1.0e-14);
    /// ```
    pub fn from_axis_angle(axis: DVec3, angle: Interval) -> Self {
        let axis = IntervalVec3::from(axis);
        let length = axis.norm();
        let unit = |component: Interval| (component / length).intersection(Interval::UNIT).unwrap_or(Interval::UNIT);
        let (x, y, z) = (unit(axis.x), unit(axis.y), unit(axis.z));
        let sine = angle.sin();
        // 1 - cos without cancellation, so that small angles keep their digits.
        let half_sine = (angle * Interval::point(0.5)).sin();
        let versine = half_sine.square() * Interval::point(2.0);
        // An entry of a rotation lies in [-1, 1]; the enclosure does too, up to rounding.
        let entry = |value: Interval| value.intersection(Interval::UNIT).unwrap_or(Interval::UNIT);
        // cos + (1 - cos) x^2 = 1 - (1 - cos) (y^2 + z^2) for a unit axis: the cosine occurs once.
        let diagonal = |p: Interval, q: Interval| entry(Interval::ONE - versine * (p.square() + q.square()));
        let (xy, xz, yz) = (versine * x * y, versine * x * z, versine * y * z);
        let (sine_x, sine_y, sine_z) = (sine * x, sine * y, sine * z);
        Self {
            rows: [
                IntervalVec3::new(diagonal(y, z), entry(xy - sine_z), entry(xz + sine_y)),
                IntervalVec3::new(entry(xy + sine_z), diagonal(x, z), entry(yz - sine_x)),
                IntervalVec3::new(entry(xz - sine_y), entry(yz + sine_x), diagonal(x, y)),
            ],
        }
    }

    /// Rows and columns exchanged: for rotations, the inverse.
    ///
    /// ```
    /// use clearance::math::interval::IntervalMat3;
    /// use glam::DMat3;
    /// let m = DMat3::from_cols_array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    /// assert_eq!(IntervalMat3::from(&m).transpose(), IntervalMat3::from(&m.transpose()));
    /// ```
    #[inline]
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.rows;
        Self {
            rows: [
                IntervalVec3::new(a.x, b.x, c.x),
                IntervalVec3::new(a.y, b.y, c.y),
                IntervalVec3::new(a.z, b.z, c.z),
            ],
        }
    }

    /// Whether every entry of `matrix` lies in its interval.
    ///
    /// ```
    /// use clearance::math::interval::IntervalMat3;
    /// use glam::DMat3;
    /// assert!(IntervalMat3::from(&DMat3::IDENTITY).contains(&DMat3::IDENTITY));
    /// ```
    #[inline]
    pub fn contains(&self, matrix: &DMat3) -> bool {
        let columns = matrix.transpose();
        self.rows[0].contains(columns.x_axis)
            && self.rows[1].contains(columns.y_axis)
            && self.rows[2].contains(columns.z_axis)
    }
}

impl From<&DMat3> for IntervalMat3 {
    /// The matrix of one-number intervals.
    #[inline]
    fn from(matrix: &DMat3) -> Self {
        let columns = matrix.transpose();
        Self { rows: [columns.x_axis.into(), columns.y_axis.into(), columns.z_axis.into()] }
    }
}

impl Mul<IntervalVec3> for IntervalMat3 {
    type Output = IntervalVec3;

    #[inline]
    fn mul(self, v: IntervalVec3) -> IntervalVec3 {
        IntervalVec3::new(self.rows[0].dot(v), self.rows[1].dot(v), self.rows[2].dot(v))
    }
}

impl Mul for IntervalMat3 {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let columns = other.transpose();
        Self { rows: self.rows.map(|row| columns * row) }
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use proptest::prelude::*;

    use super::*;
    use crate::math::exact::Exact;

    fn encloses(interval: Interval, truth: &Exact) -> bool {
        (interval.lo == f64::NEG_INFINITY || Exact::new(interval.lo) <= *truth)
            && (interval.hi == f64::INFINITY || *truth <= Exact::new(interval.hi))
    }

    /// Any finite number: subnormal, huge, whole, close to 1.
    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()),
            (-1.0..1.0_f64, -1070..1020_i32).prop_map(|(m, e)| m * 2.0_f64.powi(e.max(-1022))),
            (-8..8_i32).prop_map(f64::from),
            -2.0..2.0_f64,
        ]
    }

    /// An interval and a number inside.
    fn interval() -> impl Strategy<Value = (Interval, f64)> {
        (number(), number(), number()).prop_map(|(a, b, c)| {
            let mut sorted = [a, b, c];
            sorted.sort_by(f64::total_cmp);
            (Interval::new(sorted[0], sorted[2]), sorted[1])
        })
    }

    fn is_sound(interval: Interval) -> bool {
        interval.lo <= interval.hi && interval.lo < f64::INFINITY && interval.hi > f64::NEG_INFINITY
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn operations_enclose_the_exact_result((a, x) in interval(), (b, y) in interval()) {
            let (exact_x, exact_y) = (Exact::new(x), Exact::new(y));
            let (sum, difference, product) = (&exact_x + &exact_y, &exact_x - &exact_y, &exact_x * &exact_y);
            for (a, b) in [(a, b), (Interval::point(x), Interval::point(y)), (a, Interval::point(y))] {
                prop_assert!(encloses(a + b, &sum));
                prop_assert!(encloses(a - b, &difference));
                prop_assert!(encloses(a * b, &product));
                prop_assert!(encloses(-a, &-&exact_x));
                prop_assert!(encloses(a.abs(), &exact_x.abs()));
                prop_assert!(encloses(a.square(), &(&exact_x * &exact_x)));
                prop_assert!(encloses(a.min(b), &exact_x.clone().min(exact_y.clone())));
                prop_assert!(encloses(a.max(b), &exact_x.clone().max(exact_y.clone())));
                prop_assert!(a.hull(b).contains(x) && a.hull(b).contains(y));
                if a.contains(y) {
                    prop_assert!(a.intersection(b).is_some_and(|common| common.contains(y)));
                }
                if y != 0.0 {
                    // lo <= x / y <= hi, multiplied by y.
                    let quotient = a / b;
                    let above_lo = quotient.lo == f64::NEG_INFINITY
                        || ((&exact_x - &(&Exact::new(quotient.lo) * &exact_y)).sign() * exact_y.sign() >= 0);
                    let below_hi = quotient.hi == f64::INFINITY
                        || ((&exact_x - &(&Exact::new(quotient.hi) * &exact_y)).sign() * exact_y.sign() <= 0);
                    prop_assert!(above_lo && below_hi);
                }
                let root = a.sqrt();
                let clamped = exact_x.clone().max(Exact::new(0.0));
                let squared = |end: f64| &Exact::new(end) * &Exact::new(end);
                prop_assert!(root.lo >= 0.0 && squared(root.lo) <= clamped && clamped <= squared(root.hi));
            }
        }

        #[test]
        fn single_operations_on_points_are_tight(x in -1.0e3..1.0e3_f64, y in 0.5..1.0e3_f64) {
            let (a, b) = (Interval::point(x), Interval::point(y));
            for result in [a + b, a - b, a * b, a / b, b.sqrt(), a.square()] {
                prop_assert!(result.hi <= result.lo.next_up().next_up());
            }
            prop_assert!((a + b).hi <= (a + b).lo.next_up());
        }

        #[test]
        fn halves_and_middles_are_inside((a, _) in interval()) {
            let (left, right) = a.split();
            prop_assert!(is_sound(left) && is_sound(right));
            prop_assert_eq!(left.hull(right), a);
            prop_assert!(a.contains(a.midpoint()));
            prop_assert!(a.mignitude() <= a.magnitude());
            prop_assert!(a.width() >= 0.0);
        }

        #[test]
        fn nothing_is_ever_not_a_number(a in any::<u64>(), b in any::<u64>(), c in any::<u64>(), d in any::<u64>()) {
            let [a, b, c, d] = [a, b, c, d].map(f64::from_bits);
            check_all_operations(Interval::new(a, b), Interval::new(c, d))?;
        }
    }

    fn check_all_operations(a: Interval, b: Interval) -> Result<(), TestCaseError> {
        let (left, right) = a.split();
        for result in [
            a,
            b,
            a + b,
            a - b,
            a * b,
            a / b,
            -a,
            a.abs(),
            a.square(),
            a.sqrt(),
            a.min(b),
            a.max(b),
            a.hull(b),
            a.sin(),
            a.cos(),
            left,
            right,
            a.intersection(b).unwrap_or(a),
        ] {
            prop_assert!(is_sound(result), "{:?} {:?} {:?}", a, b, result);
        }
        prop_assert!(a.midpoint().is_finite());
        prop_assert!(!a.width().is_nan() && !a.magnitude().is_nan() && !a.mignitude().is_nan());
        Ok(())
    }

    #[test]
    fn infinite_and_extreme_ends_are_sound() {
        let ends = [
            f64::NEG_INFINITY,
            f64::MIN,
            -1.0,
            -5.0e-324,
            -0.0,
            0.0,
            5.0e-324,
            f64::MIN_POSITIVE,
            1.0,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        let mut all = Vec::new();
        for lo in ends {
            for hi in ends {
                all.push(Interval::new(lo, hi));
            }
        }
        for &a in &all {
            for &b in &all {
                check_all_operations(a, b).unwrap();
            }
        }
    }

    #[test]
    fn conventions() {
        assert_eq!(Interval::ZERO * Interval::EVERYTHING, Interval::ZERO);
        assert_eq!(Interval::ONE / Interval::new(-1.0, 1.0), Interval::EVERYTHING);
        assert_eq!(Interval::ZERO / Interval::ZERO, Interval::EVERYTHING);
        assert_eq!(Interval::point(f64::INFINITY), Interval::new(f64::MAX, f64::INFINITY));
        assert_eq!(Interval::point(f64::MAX) + Interval::point(f64::MAX), Interval::point(f64::INFINITY));
        assert_eq!(Interval::new(-2.0, -1.0).sqrt(), Interval::ZERO);
        assert_eq!(Interval::ONE / Interval::new(1.0, f64::INFINITY), Interval::new(0.0, 1.0));
        assert!((-Interval::ZERO).lo.is_sign_positive());
        assert_eq!(Interval::point(0.1) * Interval::ONE, Interval::point(0.1));
        assert_eq!(Interval::point(3.0) + Interval::point(4.0), Interval::point(7.0));
        // The tiniest product is positive, and not zero.
        let tiny = Interval::point(5.0e-324);
        assert_eq!(tiny * tiny, Interval::new(0.0, 5.0e-324));
        assert_eq!(tiny * -tiny, Interval::new(-5.0e-324, 0.0));
    }

    /// Fraction bits of the fixed-point numbers below.
    const BITS: usize = 1400;

    fn fixed(x: f64) -> BigInt {
        let (integer, exponent) = crate::math::scaling::integer_parts(x);
        BigInt::from(integer) << usize::try_from(BITS as i64 + i64::from(exponent)).unwrap()
    }

    /// Sine and cosine by their Taylor series in fixed point, wrong by far less than 2^-1000.
    fn sine_and_cosine(x: f64) -> (BigInt, BigInt) {
        let x = fixed(x);
        let (mut sine, mut cosine) = (BigInt::ZERO, BigInt::ZERO);
        let mut term = BigInt::from(1) << BITS;
        let mut index = 0_u32;
        while term != BigInt::ZERO && index < 2000 {
            match index % 4 {
                0 => cosine += &term,
                1 => sine += &term,
                2 => cosine -= &term,
                _ => sine -= &term,
            }
            index += 1;
            term = ((term * &x) >> BITS) / BigInt::from(index);
        }
        (sine, cosine)
    }

    #[test]
    fn sine_and_cosine_enclose_the_series() {
        let mut samples: Vec<f64> = (0..60).map(|i| f64::from(i) * 0.37 - 9.0).collect();
        for k in -6..=6 {
            let near = f64::from(k) * std::f64::consts::FRAC_PI_2;
            samples.extend([near, near.next_up(), near.next_down(), near + 1.0e-9]);
        }
        samples.extend([1.0e-8, -1.0e-100, 40.0]);
        let values: Vec<_> = samples.iter().map(|&x| sine_and_cosine(x)).collect();
        // The series is wrong by some units of 2^-BITS times e^40: far less than this.
        let slack = BigInt::from(1) << (BITS - 1100);
        let encloses = |interval: Interval, truth: &BigInt| {
            fixed(interval.lo) <= truth + &slack && truth - &slack <= fixed(interval.hi)
        };
        for (&x, (sine, cosine)) in samples.iter().zip(&values) {
            let a = Interval::point(x);
            assert!(encloses(a.sin(), sine) && encloses(a.cos(), cosine), "{x}");
            assert!(a.sin().width() < 1.0e-14 && a.cos().width() < 1.0e-14, "{x}");
        }
        for i in 0..samples.len() {
            for j in [(i + 1) % samples.len(), (i * 7 + 3) % samples.len()] {
                let hull = Interval::new(samples[i], samples[j]);
                for (&x, (sine, cosine)) in samples.iter().zip(&values) {
                    if hull.contains(x) {
                        assert!(encloses(hull.sin(), sine) && encloses(hull.cos(), cosine), "{hull:?} {x}");
                    }
                }
            }
        }
    }

    #[test]
    fn sine_and_cosine_find_their_extrema() {
        let pi = std::f64::consts::PI;
        assert_eq!(Interval::new(-0.1, 0.1).cos().hi, 1.0);
        assert!(Interval::new(-0.1, 0.1).cos().lo > 0.99);
        assert_eq!(Interval::new(3.0, 3.2).cos().lo, -1.0);
        assert!(Interval::new(3.0, 3.2).cos().hi < -0.98);
        assert_eq!(Interval::new(4.5, 5.0).sin().lo, -1.0);
        assert_eq!(Interval::new(0.0, 2.0 * pi).sin(), Interval::UNIT);
        assert_eq!(Interval::point(1.0e300).sin(), Interval::UNIT);
        assert!(Interval::new(0.1, 3.0).cos().width() < 2.0);
        assert_eq!(Interval::ZERO.sin(), Interval::ZERO);
    }

    #[test]
    fn identity_and_zero_rotation_are_exact() {
        let identity = IntervalMat3::from(&DMat3::IDENTITY);
        assert_eq!(IntervalMat3::from_axis_angle(DVec3::new(0.3, -2.0, 5.0), Interval::ZERO), identity);
        assert_eq!(IntervalMat3::from_axis_angle(DVec3::ZERO, Interval::ZERO), identity);
        let everything = IntervalMat3::from_axis_angle(DVec3::ZERO, Interval::new(1.0, 2.0));
        assert!(everything.contains(&DMat3::from_rotation_y(-2.5)));
        let m = IntervalMat3::from(&DMat3::from_rotation_x(0.3));
        assert_eq!(m * identity, m);
        assert_eq!(identity * m, m);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn rotations_enclose_rotations(
            axis in proptest::array::uniform3(-1.0..1.0_f64), start in -7.0..7.0_f64, sweep in 0.0..2.0_f64,
            part in 0.0..1.0_f64, point in proptest::array::uniform3(-10.0..10.0_f64),
        ) {
            let axis = DVec3::from_array(axis);
            prop_assume!(axis.length() > 0.01);
            let point = IntervalVec3::from(DVec3::from_array(point));
            let angle = Interval::new(start, start + sweep);
            let swept = IntervalMat3::from_axis_angle(axis, angle);
            let inside = IntervalMat3::from_axis_angle(axis, Interval::point((start + part * sweep).min(angle.hi)));
            // The quaternion route shares no code; it is good to a few units in the last place.
            let reference = DMat3::from_axis_angle(axis.normalize(), (start + part * sweep).min(angle.hi));
            for row in 0..3 {
                let rows = [(swept.rows[row].x, inside.rows[row].x, reference.row(row).x),
                    (swept.rows[row].y, inside.rows[row].y, reference.row(row).y),
                    (swept.rows[row].z, inside.rows[row].z, reference.row(row).z)];
                for (of_swept, of_point, number) in rows {
                    prop_assert!(of_swept.hull(of_point).width() <= of_swept.width() + 1.0e-14);
                    prop_assert!(of_point.width() < 1.0e-13);
                    prop_assert!((of_point.midpoint() - number).abs() < 1.0e-13);
                }
            }
            // A rotation keeps lengths, and its transpose is its inverse.
            let turned = inside * point;
            prop_assert!(turned.norm().intersection(point.norm()).is_some());
            let back = inside.transpose() * turned;
            prop_assert!(back.contains(point.midpoint()));
            prop_assert!((inside.transpose() * inside).contains(&DMat3::IDENTITY));
        }

        #[test]
        fn vectors_enclose_the_exact_result(
            a in proptest::array::uniform3(-1.0e3..1.0e3_f64), b in proptest::array::uniform3(-1.0e3..1.0e3_f64),
        ) {
            let (u, v) = (IntervalVec3::from(DVec3::from_array(a)), IntervalVec3::from(DVec3::from_array(b)));
            let product = |i: usize, j: usize| &Exact::new(a[i]) * &Exact::new(b[j]);
            let dot = &(&product(0, 0) + &product(1, 1)) + &product(2, 2);
            prop_assert!(encloses(u.dot(v), &dot));
            prop_assert!(encloses(u.cross(v).x, &(&product(1, 2) - &product(2, 1))));
            prop_assert!(encloses(u.cross(v).y, &(&product(2, 0) - &product(0, 2))));
            prop_assert!(encloses(u.cross(v).z, &(&product(0, 1) - &product(1, 0))));
            prop_assert!(encloses((u + v).x, &(&Exact::new(a[0]) + &Exact::new(b[0]))));
            prop_assert!(encloses((u - v).z, &(&Exact::new(a[2]) - &Exact::new(b[2]))));
            prop_assert!(encloses(u.scale(v.y).z, &product(2, 1)));
            prop_assert_eq!(-(-u), u);
            prop_assert!(u.hull(v).contains(u.midpoint()) && u.hull(v).contains(v.midpoint()));
            let square = u.norm_squared();
            let norm = u.norm();
            prop_assert!(norm.square().intersection(square).is_some());
        }
    }
}
