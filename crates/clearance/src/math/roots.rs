//! Real roots of quadratic and cubic polynomials.
//!
//! Quadratics: the formula without cancellation (Kahan, "On the cost of floating-point computation without
//! extra-precise arithmetic", 2004), with the discriminant and everything after it in double-double. Its two products
//! are exact there and their difference keeps a relative error below 1, so the *sign* of the discriminant, and with it
//! the number of roots, is exact. Each root is the nearest `f64`, up to an error of some 2^-100.
//!
//! Cubics: the critical points split the line into intervals on which the polynomial is monotone; an interval whose
//! ends differ in sign holds exactly one root, found by Newton steps inside a shrinking bracket until the bracket is
//! two neighbouring `f64` (the first steps, which only find a starting point, are in plain arithmetic). Closed formulas
//! (Cardano, Viete) lose half the digits near multiple roots; this loses none.
//! - Signs are exact: evaluated in double-double with an error bound, and with big integers where that does not decide.
//! - An interval whose ends do *not* differ in sign may still hide two roots between a critical point and its
//!   neighbouring `f64`, or a double root that no `f64` hits (such as 1/3). Where the value at the critical point is
//!   too small to rule it out, the exact sign of the discriminant decides. So no root is missed.
//! - The bracket is halved in the *order of the floating-point numbers*, not in their value, whenever Newton is slow,
//!   so the work is bounded whatever the magnitudes: at most 64 halvings, with `NEWTON_PATIENCE` + 1 steps each.
//!
//! No single scaling of the polynomial suits roots of very different magnitude, so each evaluation is scaled
//! individually, by powers of two: nothing overflows, and terms that underflow are below 2^-1000 of the largest term.
//! There is no threshold below which a leading coefficient counts as zero: a cubic that is nearly a quadratic has a
//! far-off root.

use num_bigint::{BigInt, Sign};

use super::double_double::DoubleDouble;
use super::scaling::{exponent, integer_parts, power_of_two, significand, times_power_of_two};

/// How many steps in a row may fail to halve the bracket before it is halved outright. Newton steps approach a root
/// from one side and leave the other end of the bracket in place until the last step, hence more than one or two.
const NEWTON_PATIENCE: u32 = 5;

/// At most this many steps in plain arithmetic to find where to start.
const MOST_GUESSES: usize = 24;

/// The real roots of a polynomial.
///
/// ```
/// use clearance::math::{Roots, quadratic_roots};
/// match quadratic_roots(1.0, -3.0, 2.0) {
///     Roots::Finite(list) => assert_eq!(list.as_slice(), [1.0, 2.0]),
///     Roots::Everything => unreachable!(),
/// }
/// assert_eq!(quadratic_roots(0.0, 0.0, 0.0), Roots::Everything);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Roots {
    /// The polynomial is zero: every number is a root. Also returned where a coefficient is not finite, since then no
    /// number can be excluded.
    Everything,
    /// Finitely many roots, perhaps none.
    Finite(RootList),
}

impl Roots {
    /// The roots, ascending; `None` for [`Roots::Everything`].
    ///
    /// ```
    /// use clearance::math::cubic_roots;
    /// assert_eq!(cubic_roots(1.0, -6.0, 11.0, -6.0).finite(), Some([1.0, 2.0, 3.0].as_slice()));
    /// assert_eq!(cubic_roots(0.0, 0.0, 0.0, 0.0).finite(), None);
    /// ```
    #[must_use]
    pub fn finite(&self) -> Option<&[f64]> {
        match self {
            Self::Everything => None,
            Self::Finite(list) => Some(list.as_slice()),
        }
    }
}

/// At most three numbers, ascending and different from one another.
///
/// A multiple root is listed once, and so are roots that round to the same `f64`. Roots beyond `f64::MAX` in magnitude
/// are omitted.
///
/// ```
/// use clearance::math::{Roots, quadratic_roots};
/// let Roots::Finite(list) = quadratic_roots(1.0, -2.0, 1.0) else { unreachable!() };
/// assert_eq!(list.as_slice(), [1.0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RootList {
    count: usize,
    values: [f64; 3],
}

impl RootList {
    /// The numbers.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }

    /// Inserts `x` in order, unless it is already present or not finite. (A polynomial of degree 3 has no fourth root.)
    fn insert(&mut self, x: f64) {
        if !x.is_finite() || self.count == 3 || self.as_slice().contains(&x) {
            return;
        }
        let place = self.as_slice().iter().filter(|&&value| value < x).count();
        self.values.copy_within(place..self.count, place + 1);
        self.values[place] = x + 0.0; // never -0
        self.count += 1;
    }
}

/// A number as a significand in [1, 2) (or zero) and an exponent.
#[derive(Clone, Copy)]
struct Parts {
    significand: f64,
    exponent: i32,
}

impl From<f64> for Parts {
    fn from(x: f64) -> Self {
        Self { significand: significand(x), exponent: exponent(x) }
    }
}

/// The real roots of `a x^2 + b x + c`, for any coefficients, zero ones included.
///
/// The number of roots is exact. Each root is the nearest `f64`, or in rare cases a neighbour of it.
///
/// ```
/// use clearance::math::quadratic_roots;
/// // The textbook formula loses the small root here altogether.
/// assert_eq!(quadratic_roots(1.0, -1.0e20, 1.0).finite(), Some([1.0e-20, 1.0e20].as_slice()));
/// assert_eq!(quadratic_roots(1.0, 0.0, 1.0).finite(), Some([].as_slice()));
/// assert_eq!(quadratic_roots(0.0, 2.0, -1.0).finite(), Some([0.5].as_slice()));
/// ```
#[must_use]
pub fn quadratic_roots(a: f64, b: f64, c: f64) -> Roots {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return Roots::Everything;
    }
    if a == 0.0 {
        return linear_roots(b, c);
    }
    let (leading, half, constant) = (Parts::from(a), Parts::from(b), Parts::from(c));
    let half = Parts { exponent: half.exponent - 1, ..half };
    Roots::Finite(half_quadratic_roots(leading.significand.into(), leading.exponent, half, constant))
}

/// The roots of `a x + b`.
fn linear_roots(a: f64, b: f64) -> Roots {
    let mut roots = RootList::default();
    if a != 0.0 {
        roots.insert(-b / a);
    } else if b == 0.0 {
        return Roots::Everything;
    }
    Roots::Finite(roots)
}

/// The roots of `a x^2 + 2 h x + c`, where `a = leading * 2^leading_exponent` and `1 <= |leading| < 8`.
fn half_quadratic_roots(leading: DoubleDouble, leading_exponent: i32, h: Parts, c: Parts) -> RootList {
    let mut roots = RootList::default();
    let mut insert = |root: DoubleDouble, power: i32| roots.insert(times_power_of_two(root.to_f64(), power));
    let far_root = -DoubleDouble::from(2.0 * h.significand) / leading;
    if c.significand == 0.0 {
        insert(DoubleDouble::ZERO, 0);
        insert(far_root, h.exponent - leading_exponent);
        return roots;
    }
    if h.significand != 0.0 && 2 * h.exponent > leading_exponent + c.exponent + 140 {
        // a c is below 2^-136 of h^2: the roots are -2 h / a and -c / (2 h) to that relative error.
        insert(far_root, h.exponent - leading_exponent);
        insert(-DoubleDouble::from(c.significand) / (2.0 * h.significand).into(), c.exponent - h.exponent);
        return roots;
    }
    // x = 2^shift y makes the constant term as large as the leading coefficient, within a factor of 16. The middle
    // coefficient is then at most 2^72; it may underflow, in which case it is below 2^-1000 of the others.
    let shift = (c.exponent - leading_exponent).div_euclid(2);
    let c = times_power_of_two(c.significand, c.exponent - leading_exponent - 2 * shift);
    let h = if h.significand == 0.0 {
        0.0
    } else {
        times_power_of_two(h.significand, h.exponent - leading_exponent - shift)
    };
    let discriminant = DoubleDouble::from_product(h, h) - leading.mul_f64(c);
    if discriminant < DoubleDouble::ZERO {
        return roots;
    }
    // Both summands have the same sign: nothing cancels.
    let magnitude = discriminant.sqrt().add_f64(h.abs());
    let sum = if h < 0.0 { magnitude } else { -magnitude };
    insert(sum / leading, shift);
    insert(DoubleDouble::from(c) / sum, shift);
    roots
}

/// The real roots of `a x^3 + b x^2 + c x + d`, for any coefficients, zero ones included.
///
/// No root is missed, whatever the coefficients. Each root is one of the two `f64` around the true one, except that
/// roots within eight units in the last place of one another may be reported as one, close to all of them.
///
/// ```
/// use clearance::math::cubic_roots;
/// // (3 x - 1)^2 (x - 2): a double root that no `f64` hits.
/// assert_eq!(cubic_roots(9.0, -24.0, 13.0, -2.0).finite(), Some([1.0 / 3.0, 2.0].as_slice()));
/// // Nearly a quadratic: the third root is far off.
/// let (tiny, huge) = (2.0_f64.powi(-100), 2.0_f64.powi(100));
/// assert_eq!(cubic_roots(tiny, 1.0, 0.0, -1.0).finite(), Some([-huge, -1.0, 1.0].as_slice()));
/// ```
#[must_use]
pub fn cubic_roots(a: f64, b: f64, c: f64, d: f64) -> Roots {
    if !(a.is_finite() && b.is_finite() && c.is_finite() && d.is_finite()) {
        return Roots::Everything;
    }
    if a == 0.0 {
        return quadratic_roots(b, c, d);
    }
    if d == 0.0 {
        let mut roots = quadratic_roots(a, b, c);
        if let Roots::Finite(list) = &mut roots {
            list.insert(0.0);
        }
        return roots;
    }
    Roots::Finite(Cubic::new([d, c, b, a]).roots())
}

/// A cubic polynomial whose first and last coefficients are not zero.
struct Cubic {
    /// Indexed by power.
    coefficients: [f64; 4],
    parts: [Parts; 4],
}

/// The value of a polynomial at `x`, as a function of `x / 2^at`, times a power of two.
struct Evaluation {
    value: DoubleDouble,
    slope: f64,
    /// The sum of the terms' magnitudes, at least 1/8.
    size: f64,
}

/// Bound of the error of `Evaluation::value`, relative to `size`. Horner's rule takes the leading coefficient through
/// three products (3/2 u^2 + 4 u^3 each) and three sums (2 u^2 each), the others through fewer: 11 u^2 and terms of
/// higher order, below 2^-102. Doubled twice, for the rounding of `size` and for terms dropped as they underflow.
const EVALUATION_ERROR: f64 = power_of_two_below_one(100);

/// Where the value at a computed critical point is above this, relative to `size`, the polynomial keeps its sign up to
/// the true critical point: that one is within 2^-51 of it, relatively, where the polynomial differs by at most
/// 1/2 |p''| (2^-51 x)^2 <= 3 * 2^-102 `size`; the error of the evaluation itself comes on top.
const TOUCHING: f64 = power_of_two_below_one(98);

/// `2^-power`.
const fn power_of_two_below_one(power: u64) -> f64 {
    f64::from_bits((1023 - power) << 52)
}

impl Cubic {
    fn new(coefficients: [f64; 4]) -> Self {
        Self { coefficients, parts: coefficients.map(Parts::from) }
    }

    fn roots(&self) -> RootList {
        let mut roots = RootList::default();
        let bound = self.root_bound();

        // The ends of the monotone intervals with their signs, ascending. A critical point that is a root is preceded
        // and followed by its neighbours: a second root may be that close.
        let mut ends = [(0.0, 0); 8];
        let mut count = 0;
        let mut add = |x: f64, sign: i32| {
            ends[count] = (x, sign);
            count += 1;
        };
        let (sign_at_minus_bound, sign_at_bound) = if bound < f64::MAX {
            (-sign_of(self.coefficients[3]), sign_of(self.coefficients[3]))
        } else {
            (self.sign(-bound), self.sign(bound))
        };
        add(-bound, sign_at_minus_bound);
        for &x in self.critical_points().as_slice() {
            if x.abs() >= bound {
                continue;
            }
            let sign = self.sign(x);
            if sign == 0 {
                add(x.next_down(), self.sign(x.next_down()));
            }
            add(x, sign);
            if sign == 0 {
                add(x.next_up(), self.sign(x.next_up()));
            }
        }
        add(bound, sign_at_bound);
        let ends = &ends[..count];

        for &(x, sign) in ends {
            if sign == 0 {
                roots.insert(x);
            }
        }
        for pair in ends.windows(2) {
            if pair[0].1 * pair[1].1 < 0 {
                roots.insert(self.root_between(pair[0].0, pair[1].0, pair[0].1));
            }
        }
        for triple in ends.windows(3) {
            let (x, sign) = triple[1];
            if sign != 0 && triple[0].1 == sign && triple[2].1 == sign && self.touches_zero_near(x) {
                roots.insert(x);
            }
        }
        roots
    }

    /// A number above the magnitude of every root, or `f64::MAX`. Fujiwara: 2 max |c_i / a|^(1 / (3 - i)).
    fn root_bound(&self) -> f64 {
        let leading = self.parts[3].exponent;
        let mut most = i32::MIN;
        for (power, parts) in self.parts[..3].iter().enumerate() {
            if parts.significand != 0.0 {
                let degree = 3 - power as i32;
                // Rounded up: |c_i / a| < 2^(difference of the exponents + 1).
                most = most.max(-(leading - parts.exponent - 1).div_euclid(degree));
            }
        }
        if most < 1023 { power_of_two(most + 1) } else { f64::MAX }
    }

    /// The roots of the derivative `3 a x^2 + 2 b x + c`.
    fn critical_points(&self) -> RootList {
        let [_, c, b, a] = self.parts;
        half_quadratic_roots(DoubleDouble::from_product(3.0, a.significand), a.exponent, b, c)
    }

    /// Evaluates at `x`, in units of `2^at`: `|x| < 2 * 2^at`, and not much less unless it is zero.
    fn evaluate(&self, x: f64, at: i32) -> Evaluation {
        let x = times_power_of_two(x, -at);
        let mut exponents = [0; 4];
        for (power, parts) in self.parts.iter().enumerate() {
            exponents[power] = parts.exponent + power as i32 * at;
        }
        let largest = exponents.into_iter().fold(i32::MIN, i32::max);
        let scaled = |power: usize| self.parts[power].significand * power_of_two(exponents[power] - largest);
        let [d, c, b, a] = [scaled(0), scaled(1), scaled(2), scaled(3)];
        Evaluation {
            value: DoubleDouble::from(a).mul_f64(x).add_f64(b).mul_f64(x).add_f64(c).mul_f64(x).add_f64(d),
            slope: (3.0 * a * x + 2.0 * b) * x + c,
            size: ((a.abs() * x.abs() + b.abs()) * x.abs() + c.abs()) * x.abs() + d.abs(),
        }
    }

    /// The exact sign at `x`: -1, 0 or 1.
    fn sign(&self, x: f64) -> i32 {
        if x == 0.0 {
            return sign_of(self.coefficients[0]);
        }
        self.sign_from(&self.evaluate(x, exponent(x)), x)
    }

    /// The exact sign at `x`, given the evaluation there.
    fn sign_from(&self, evaluation: &Evaluation, x: f64) -> i32 {
        if evaluation.value.hi().abs() > EVALUATION_ERROR * evaluation.size {
            sign_of(evaluation.value.hi())
        } else {
            self.sign_by_integers(x)
        }
    }

    /// The coefficients as integers, times a common power of two.
    fn integers(&self) -> [BigInt; 4] {
        let parts = self.coefficients.map(integer_parts);
        let least = parts.iter().fold(i32::MAX, |least, &(_, power)| least.min(power));
        parts.map(|(integer, power)| BigInt::from(integer) << (power - least) as usize)
    }

    fn sign_by_integers(&self, x: f64) -> i32 {
        let (integer, power) = integer_parts(x);
        // x = integer / 2^down; the polynomial times 2^(3 down), by Horner's rule.
        let (integer, down) = if power >= 0 {
            (BigInt::from(integer) << power as usize, 0)
        } else {
            (BigInt::from(integer), power.unsigned_abs() as usize)
        };
        let [d, c, b, a] = self.integers();
        let value = a * &integer + (b << down);
        let value = value * &integer + (c << (2 * down));
        let value = value * &integer + (d << (3 * down));
        sign_of_integer(&value)
    }

    /// Whether the polynomial reaches zero between the neighbours of `x`: a computed critical point where it is not
    /// zero itself and has the same sign as at the critical points or bounds on either side, so that at most one other
    /// root exists.
    fn touches_zero_near(&self, x: f64) -> bool {
        if x != 0.0 {
            let evaluation = self.evaluate(x, exponent(x));
            if evaluation.value.hi().abs() > TOUCHING * evaluation.size {
                return false;
            }
        } else if self.parts[1].significand == 0.0 {
            // The critical point is 0 exactly, and the polynomial is not zero there.
            return false;
        }
        // If the discriminant is negative: one real root and two complex ones.
        let [d, c, b, a] = &self.integers();
        let (ad, bc, bb, ac) = (a * d, b * c, b * b, a * c);
        let discriminant = &ad * &bc * 18 - bb * b * d * 4 + &bc * &bc - ac * c * c * 4 - &ad * &ad * 27;
        sign_of_integer(&discriminant) >= 0
    }

    /// The root in such an interval by Newton's method in plain arithmetic, unscaled. Nearly always right to a few
    /// units in the last place, and makes the cubic as a whole three times faster; where it goes wrong, only time is
    /// lost.
    fn guess(&self, mut lo: f64, mut hi: f64, sign_at_lo: i32) -> f64 {
        let [d, c, b, a] = self.coefficients;
        let mut x = 0.5 * lo + 0.5 * hi;
        for _ in 0..MOST_GUESSES {
            let value = ((a * x + b) * x + c) * x + d;
            let slope = (3.0 * a * x + 2.0 * b) * x + c;
            if sign_of(value) == sign_at_lo {
                lo = x
            } else {
                hi = x
            }
            let mut next = x - value / slope;
            if !(lo <= next && next <= hi) {
                next = 0.5 * lo + 0.5 * hi;
            }
            if (next - x).abs() <= f64::EPSILON * x.abs() {
                return next;
            }
            x = next;
        }
        x
    }

    /// The root in an interval whose ends have opposite signs: the better of the two neighbouring `f64` around it.
    fn root_between(&self, lo: f64, hi: f64, sign_at_lo: i32) -> f64 {
        let (mut lo, mut hi) = (ordinal(lo), ordinal(hi));
        if lo < 0 && hi > 0 {
            if self.sign(0.0) == sign_at_lo { lo = 0 } else { hi = 0 }
        }
        let middle = |lo: i64, hi: i64| ordinal(0.5 * from_ordinal(lo) + 0.5 * from_ordinal(hi));
        let mut next = ordinal(self.guess(from_ordinal(lo), from_ordinal(hi), sign_at_lo));
        let mut reach = 1_i64;
        let mut failures = 0;
        while hi - lo > 1 {
            let at = next.clamp(lo + 1, hi - 1);
            let x = from_ordinal(at);
            let evaluation = self.evaluate(x, exponent(x));
            let sign = self.sign_from(&evaluation, x);
            if sign == 0 {
                return x;
            }
            let width = hi - lo;
            let from_lo = sign == sign_at_lo;
            if from_lo {
                lo = at
            } else {
                hi = at
            }
            failures = if hi - lo <= width / 2 { 0 } else { failures + 1 };
            if failures > NEWTON_PATIENCE {
                failures = 0;
                next = lo + (hi - lo) / 2;
                continue;
            }
            // Newton's step, counted in floating-point numbers from the end that has just moved. Where it is tiny, step
            // across the root to bring in the other end too: by one number first, then two, then four.
            let target = x - times_power_of_two(evaluation.value.hi() / evaluation.slope, exponent(x));
            if target.is_nan() {
                next = middle(lo, hi);
                continue;
            }
            let goal = ordinal(target);
            let mut step = if from_lo { goal.saturating_sub(lo) } else { hi.saturating_sub(goal) };
            if step < reach {
                step = reach;
                reach = reach.saturating_mul(2);
            } else {
                reach = 1;
            }
            next = if step >= hi - lo {
                middle(lo, hi)
            } else if from_lo {
                lo + step
            } else {
                hi - step
            };
        }
        let (lo, hi) = (from_ordinal(lo), from_ordinal(hi));
        let at = exponent(lo).max(exponent(hi));
        if self.evaluate(lo, at).value.abs() <= self.evaluate(hi, at).value.abs() { lo } else { hi }
    }
}

fn sign_of(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

fn sign_of_integer(x: &BigInt) -> i32 {
    match x.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// The index of `x` in the order of all `f64`, counted from zero.
fn ordinal(x: f64) -> i64 {
    let magnitude = (x.to_bits() & !(1 << 63)) as i64;
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// The inverse of [`ordinal`].
fn from_ordinal(place: i64) -> f64 {
    let magnitude = f64::from_bits(place.unsigned_abs());
    if place < 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::exact::Exact;

    /// The exact sign of a polynomial, leading coefficient first.
    fn exact_sign(coefficients: &[f64], x: f64) -> i32 {
        let mut value = Exact::new(0.0);
        for &coefficient in coefficients {
            value = &(&value * &Exact::new(x)) + &Exact::new(coefficient);
        }
        value.sign()
    }

    fn moved(x: f64, steps: i64) -> f64 {
        from_ordinal(ordinal(x) + steps)
    }

    /// Whether a root lies within `steps` floating-point numbers of `x`, shown by a sign change.
    fn crosses_near(coefficients: &[f64], x: f64, steps: i64) -> bool {
        let before = exact_sign(coefficients, moved(x, -steps));
        let after = exact_sign(coefficients, moved(x, steps));
        before * after <= 0 || exact_sign(coefficients, x) == 0
    }

    /// The sign of the discriminant, exactly.
    fn discriminant_sign(coefficients: &[f64; 4]) -> i32 {
        let [a, b, c, d] = coefficients.map(Exact::new);
        let times = |factors: &[&Exact]| factors.iter().fold(Exact::new(1.0), |product, factor| &product * factor);
        let number = Exact::new;
        let positive = &times(&[&number(18.0), &a, &b, &c, &d]) + &times(&[&b, &b, &c, &c]);
        let negative = &(&times(&[&number(4.0), &b, &b, &b, &d]) + &times(&[&number(4.0), &a, &c, &c, &c]))
            + &times(&[&number(27.0), &a, &a, &d, &d]);
        (&positive - &negative).sign()
    }

    fn list(roots: Roots) -> Vec<f64> {
        roots.finite().unwrap().to_vec()
    }

    fn quadratic(a: f64, b: f64, c: f64) -> Vec<f64> {
        list(quadratic_roots(a, b, c))
    }

    fn cubic(a: f64, b: f64, c: f64, d: f64) -> Vec<f64> {
        list(cubic_roots(a, b, c, d))
    }

    fn check_quadratic(a: f64, b: f64, c: f64) -> Result<(), TestCaseError> {
        let roots = quadratic(a, b, c);
        prop_assert!(roots.windows(2).all(|pair| pair[0] < pair[1]));
        let [ea, eb, ec] = [a, b, c].map(Exact::new);
        let discriminant = (&(&eb * &eb) - &(&Exact::new(4.0) * &(&ea * &ec))).sign();
        for &root in &roots {
            prop_assert!(discriminant == 0 || crosses_near(&[a, b, c], root, 1), "{} {} {}: {:?}", a, b, c, roots);
        }
        if a != 0.0 {
            prop_assert!(discriminant >= 0 || roots.is_empty());
            prop_assert!(discriminant != 0 || roots.len() == 1);
        }
        Ok(())
    }

    /// For coefficients whose roots are all representable: checks count and signs.
    fn check_cubic(a: f64, b: f64, c: f64, d: f64) -> Result<(), TestCaseError> {
        let coefficients = [a, b, c, d];
        let roots = cubic(a, b, c, d);
        prop_assert!(roots.windows(2).all(|pair| pair[0] < pair[1]));
        let discriminant = discriminant_sign(&coefficients);
        let context = format!("{coefficients:?}: {roots:?}, discriminant {discriminant}");
        prop_assert!((1..=3).contains(&roots.len()), "{}", context);
        let mut crossings = 0;
        for &root in &roots {
            crossings += usize::from(crosses_near(&coefficients, root, 1));
        }
        if discriminant < 0 {
            prop_assert!(roots.len() == 1, "{}", context);
        }
        // All roots are sign changes, except double roots and pairs too close to separate.
        prop_assert!(crossings == roots.len() || (discriminant >= 0 && crossings + 1 == roots.len()), "{}", context);
        if discriminant > 0 && roots.len() < 3 {
            // A missing root must be next to a reported one: the number of sign changes between its neighbours, or
            // their absence, shows it. Elsewhere the polynomial keeps its sign.
            let mut sign = -sign_of(a);
            for &root in &roots {
                prop_assert!(exact_sign(&coefficients, moved(root, -8)) == sign, "{}", context);
                sign = exact_sign(&coefficients, moved(root, 8));
            }
            prop_assert!(sign == sign_of(a), "{}", context);
        }
        Ok(())
    }

    #[test]
    fn quadratics_with_known_roots() {
        assert_eq!(quadratic(1.0, -3.0, 2.0), [1.0, 2.0]);
        assert_eq!(quadratic(-2.0, 6.0, -4.0), [1.0, 2.0]);
        assert_eq!(quadratic(1.0, 2.0, 1.0), [-1.0]);
        assert_eq!(quadratic(1.0, 0.0, -4.0), [-2.0, 2.0]);
        assert_eq!(quadratic(1.0, 0.0, 0.0), [0.0]);
        assert_eq!(quadratic(1.0, 5.0, 0.0), [-5.0, 0.0]);
        assert_eq!(quadratic(0.0, 2.0, -3.0), [1.5]);
        assert_eq!(quadratic(0.0, 2.0, 0.0), [0.0]);
        assert!(quadratic(0.0, 0.0, 1.0).is_empty());
        assert_eq!(quadratic(9.0, -6.0, 1.0), [1.0 / 3.0]);
        // Kahan's example: the discriminant is 1, and in plain arithmetic 0.
        assert_eq!(quadratic(94_906_265.625, -189_812_534.0, 94_906_268.375), [1.0, 94_906_268.375 / 94_906_265.625]);
    }

    #[test]
    fn quadratics_at_the_ends_of_the_range() {
        let (large, small) = (2.0_f64.powi(1000), f64::from_bits(1 << 4));
        assert_eq!(quadratic(large, -3.0 * large, 2.0 * large), [1.0, 2.0]);
        assert_eq!(quadratic(small, -3.0 * small, 2.0 * small), [1.0, 2.0]);
        assert_eq!(quadratic(f64::MAX, 0.0, f64::MIN), [-1.0, 1.0]);
        assert_eq!(quadratic(5.0e-324, 0.0, -5.0e-324), [-1.0, 1.0]);
        assert_eq!(quadratic(5.0e-324, -5.0e-324, 0.0), [0.0, 1.0]);
        // One root exceeds `f64::MAX`.
        assert_eq!(quadratic(1.0e-300, 1.0e300, -1.0e300), [1.0]);
        assert_eq!(quadratic(1.0e-300, 1.0, -1.0), [-1.0 / 1.0e-300, 1.0]);
        let scale = 2.0_f64.powi(-500);
        assert_eq!(quadratic(1.0, -3.0 * scale, 2.0 * scale * scale), [scale, 2.0 * scale]);
        assert!(quadratic(1.0e200, 1.0, 1.0e200).is_empty());
    }

    #[test]
    fn cubics_with_known_roots() {
        for p in -6..=6_i32 {
            for q in p..=6 {
                for r in q..=6 {
                    for lead in [1, -3] {
                        let [a, b, c, d] =
                            [lead, -lead * (p + q + r), lead * (p * q + p * r + q * r), -lead * p * q * r]
                                .map(f64::from);
                        let mut expected = vec![f64::from(p), f64::from(q), f64::from(r)];
                        expected.dedup();
                        assert_eq!(cubic(a, b, c, d), expected, "{p} {q} {r}");
                    }
                }
            }
        }
        assert_eq!(cubic(1.0, 0.0, 0.0, -27.0), [3.0]);
        assert_eq!(cubic(1.0, 0.0, 1.0, 0.0), [0.0]);
        assert_eq!(cubic(0.0, 0.0, 0.0, 1.0), [0.0_f64; 0]);
        // (7 x - 1)^2 (x + 5) and (7 x - 1)^3.
        assert_eq!(cubic(49.0, 231.0, -69.0, 5.0), [-5.0, 1.0 / 7.0]);
        assert_eq!(cubic(343.0, -147.0, 21.0, -1.0), [1.0 / 7.0]);
    }

    #[test]
    fn cubics_that_are_nearly_of_lower_degree() {
        assert_eq!(cubic(1.0e-200, 1.0, -3.0, 2.0), [-1.0e200, 1.0, 2.0]);
        assert_eq!(cubic(5.0e-324, 1.0e300, -3.0e300, 2.0e300), [1.0, 2.0]);
        assert_eq!(cubic(1.0e-300, 1.0e-300, 1.0, -2.0), [2.0]);
        assert_eq!(cubic(-1.0e-300, 1.0e-300, 1.0, -2.0), [-1.0e150, 2.0, 1.0e150]);
        assert_eq!(cubic(1.0e-300, 0.0, 0.0, -1.0), [1.0e100]);
    }

    #[test]
    fn cubics_with_roots_of_very_different_magnitude() {
        // Expanding (x - 2^-300) (x - 1) (x - 2^300) rounds the coefficients by less than 2^-200.
        let (tiny, huge) = (2.0_f64.powi(-300), 2.0_f64.powi(300));
        assert_eq!(cubic(1.0, -huge, huge, -1.0), [tiny, 1.0, huge]);
        assert_eq!(cubic(tiny, -1.0, 1.0, -tiny), [tiny, 1.0, huge]);
        assert_eq!(cubic(f64::MAX, 0.0, 0.0, f64::MIN), [1.0]);
        assert_eq!(cubic(5.0e-324, 0.0, 0.0, -5.0e-324), [1.0]);
    }

    #[test]
    fn clustered_roots_are_separated() {
        // (x - 1) (x - 1 - e) (x - 1 + e) with e = 2^-20, exactly: x^3 - 3 x^2 + (3 - e^2) x - (1 - e^2).
        let e = 2.0_f64.powi(-20);
        assert_eq!(cubic(1.0, -3.0, 3.0 - e * e, e * e - 1.0), [1.0 - e, 1.0, 1.0 + e]);
        // A double root moved apart, and moved away, by one unit in the last place of the constant.
        let (a, b, c, d) = (1.0, -4.0, 5.0, -2.0); // (x - 1)^2 (x - 2)
        assert_eq!(cubic(a, b, c, d), [1.0, 2.0]);
        assert_eq!(cubic(a, b, c, d.next_down()).len(), 1);
        let apart = cubic(a, b, c, d.next_up());
        assert_eq!(apart.len(), 3);
        assert!((apart[1] - apart[0]) > 1.0e-8);
    }

    #[test]
    fn no_input_panics() {
        let hard =
            [0.0, -0.0, 1.0, -1.0, 5.0e-324, -1.0e-310, 3.0e154, f64::MAX, f64::MIN, f64::INFINITY, f64::NAN, 1.0e-160];
        for a in hard {
            for b in hard {
                for c in hard {
                    for d in hard {
                        let finite = [a, b, c, d].iter().all(|x| x.is_finite());
                        match cubic_roots(a, b, c, d) {
                            Roots::Everything => assert!(!finite || [a, b, c, d] == [0.0; 4]),
                            Roots::Finite(list) => {
                                assert!(list.as_slice().iter().all(|x| x.is_finite()))
                            }
                        }
                    }
                }
            }
        }
    }

    /// Numbers with few bits: double roots and other coincidences occur.
    fn coarse() -> impl Strategy<Value = f64> {
        (-40..40_i32, -2..3_i32).prop_map(|(m, e)| f64::from(m) * 2.0_f64.powi(e))
    }

    fn wide() -> impl Strategy<Value = f64> {
        let exponent = prop_oneof![-60..60_i32, -300..300_i32];
        (-1.0..1.0_f64, exponent).prop_map(|(m, e)| m * 2.0_f64.powi(e))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn quadratics_cross_zero_next_to_each_root(a in wide(), b in wide(), c in wide()) {
            check_quadratic(a, b, c)?;
        }

        #[test]
        fn coarse_quadratics(a in coarse(), b in coarse(), c in coarse()) {
            prop_assume!(a != 0.0 || b != 0.0 || c != 0.0);
            check_quadratic(a, b, c)?;
        }

        #[test]
        fn quadratics_from_close_roots(p in -2.0..2.0_f64, gap in 0.0..1.0_f64, power in 0..60_i32) {
            let q = p + gap * 2.0_f64.powi(-power);
            check_quadratic(1.0, -(p + q), p * q)?;
            check_quadratic(1.0, -2.0 * p, p * p)?;
        }

        #[test]
        fn cubics_cross_zero_next_to_each_root(a in wide(), b in wide(), c in wide(), d in wide()) {
            prop_assume!(a != 0.0);
            check_cubic(a, b, c, d)?;
        }

        #[test]
        fn coarse_cubics(a in coarse(), b in coarse(), c in coarse(), d in coarse()) {
            prop_assume!(a != 0.0);
            check_cubic(a, b, c, d)?;
        }

        #[test]
        fn cubics_with_a_double_root_that_no_number_hits(p in -50..50_i32, q in 1..50_i32, r in -50..50_i32) {
            // (q x - p)^2 (x - r)
            let [a, b, c, d] = [q * q, -2 * p * q - q * q * r, p * p + 2 * p * q * r, -p * p * r].map(f64::from);
            let mut expected = vec![f64::from(p) / f64::from(q), f64::from(r)];
            expected.sort_by(f64::total_cmp);
            expected.dedup();
            prop_assert_eq!(cubic(a, b, c, d).len(), expected.len());
            for (computed, expected) in cubic(a, b, c, d).into_iter().zip(expected) {
                prop_assert!((ordinal(computed) - ordinal(expected)).abs() <= 1);
            }
        }

        #[test]
        fn cubics_from_close_roots(
            p in -2.0..2.0_f64,
            gaps in proptest::array::uniform2(-1.0..1.0_f64),
            powers in proptest::array::uniform2(0..55_i32),
        ) {
            let (q, r) = (p + gaps[0] * 2.0_f64.powi(-powers[0]), p + gaps[1] * 2.0_f64.powi(-powers[1]));
            check_cubic(1.0, -(p + q + r), p * q + p * r + q * r, -(p * q * r))?;
            check_cubic(1.0, -(p + p + r), p * p + 2.0 * p * r, -(p * p * r))?;
            check_cubic(1.0, -3.0 * p, 3.0 * p * p, -(p * p * p))?;
        }

        #[test]
        fn scaling_the_coefficients_by_powers_of_two_changes_nothing(
            coefficients in proptest::array::uniform4(-1.0..1.0_f64), power in -900..900_i32,
        ) {
            let [a, b, c, d] = coefficients;
            let scale = power_of_two(power);
            prop_assert_eq!(cubic(a, b, c, d), cubic(a * scale, b * scale, c * scale, d * scale));
            prop_assert_eq!(quadratic(a, b, c), quadratic(a * scale, b * scale, c * scale));
        }
    }
}
