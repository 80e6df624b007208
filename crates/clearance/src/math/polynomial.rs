//! Polynomials with integer coefficients: isolating their real roots, and exact signs of other polynomials at those
//! roots.
//!
//! Sturm's theorem counts the roots in an interval; Tarski's form of it sums the signs of another polynomial `q` at the
//! roots of `p`: both are the loss of sign variations along a remainder sequence, of `p, p'` and of `p, p' q` (Basu,
//! Pollack and Roy, "Algorithms in Real Algebraic Geometry", chapter 2). Where an interval holds one root of `p`,
//! Tarski's sum *is* the sign of `q` there, zero included: no separation bound and no unbounded refinement is needed.
//! Before the sequence is formed, the Bernstein coefficients of `q` on the interval are tested; they mostly agree in
//! sign.
//!
//! Remainders are pseudo-remainders with positive factors, so signs are kept; common powers of two are divided out.
//! Degrees here are at most four, so coefficients stay short enough without removing other common factors.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use num_traits::{One, Zero};

use super::scaling::integer_parts;

/// `numerator / 2^shift`: a time at which signs are evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    numerator: BigInt,
    shift: u64,
}

impl Moment {
    /// A finite float, exactly.
    pub fn of(x: f64) -> Moment {
        let (mantissa, exponent) = integer_parts(x);
        if mantissa == 0 {
            return Moment { numerator: BigInt::zero(), shift: 0 };
        }
        let zeros = mantissa.trailing_zeros() as i32;
        let (mantissa, exponent) = (BigInt::from(mantissa >> zeros), exponent + zeros);
        if exponent >= 0 {
            Moment { numerator: mantissa << exponent.unsigned_abs(), shift: 0 }
        } else {
            Moment { numerator: mantissa, shift: u64::from(exponent.unsigned_abs()) }
        }
    }

    /// The midpoint of two times.
    pub fn middle(&self, other: &Moment) -> Moment {
        let (a, b, shift) = self.aligned(other);
        Moment { numerator: a + b, shift: shift + 1 }
    }

    /// Both numerators over the larger power of two.
    fn aligned(&self, other: &Moment) -> (BigInt, BigInt, u64) {
        let shift = self.shift.max(other.shift);
        let over = |x: &Moment| x.numerator.clone() << (shift - x.shift);
        (over(self), over(other), shift)
    }
}

/// A polynomial by its coefficients, constant term first; the last is not zero. The zero polynomial has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Polynomial {
    coefficients: Vec<BigInt>,
}

fn order(x: &BigInt) -> Ordering {
    match x.sign() {
        Sign::Minus => Ordering::Less,
        Sign::NoSign => Ordering::Equal,
        Sign::Plus => Ordering::Greater,
    }
}

impl Polynomial {
    pub fn new(mut coefficients: Vec<BigInt>) -> Polynomial {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Polynomial { coefficients }
    }

    pub fn is_zero(&self) -> bool {
        self.coefficients.is_empty()
    }

    pub fn degree(&self) -> usize {
        self.coefficients.len().saturating_sub(1)
    }

    fn derivative(&self) -> Polynomial {
        let terms = self.coefficients.iter().enumerate().skip(1);
        Polynomial::new(terms.map(|(power, coefficient)| coefficient * power).collect())
    }

    pub fn plus(&self, other: &Polynomial) -> Polynomial {
        let (long, short) =
            if self.coefficients.len() >= other.coefficients.len() { (self, other) } else { (other, self) };
        let mut sum = long.coefficients.clone();
        for (into, from) in sum.iter_mut().zip(&short.coefficients) {
            *into += from;
        }
        Polynomial::new(sum)
    }

    pub fn negated(&self) -> Polynomial {
        Polynomial { coefficients: self.coefficients.iter().map(|coefficient| -coefficient).collect() }
    }

    pub fn minus(&self, other: &Polynomial) -> Polynomial {
        self.plus(&other.negated())
    }

    pub fn times(&self, other: &Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial::new(Vec::new());
        }
        let mut product = vec![BigInt::zero(); self.degree() + other.degree() + 1];
        for (i, a) in self.coefficients.iter().enumerate() {
            for (j, b) in other.coefficients.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial::new(product)
    }

    /// The value at a time, times a positive power of two.
    fn value_at(&self, time: &Moment) -> BigInt {
        let mut value = BigInt::zero();
        for (steps, coefficient) in self.coefficients.iter().rev().enumerate() {
            value *= &time.numerator;
            value += coefficient << (time.shift * steps as u64);
        }
        value
    }

    /// How the value at a time compares with zero.
    pub fn sign_at(&self, time: &Moment) -> Ordering {
        order(&self.value_at(time))
    }

    /// Divides out the power of two common to all coefficients.
    fn shortened(mut self) -> Polynomial {
        let zeros = self.coefficients.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        if zeros > 0 {
            for coefficient in &mut self.coefficients {
                *coefficient >>= zeros;
            }
        }
        self
    }

    /// Quotient and remainder of a positive multiple of `self` by `divisor`, which is not zero.
    fn divided(&self, divisor: &Polynomial) -> (Polynomial, Polynomial) {
        let (mut rest, mut quotient) = (self.clone(), Polynomial::new(Vec::new()));
        let leading = &divisor.coefficients[divisor.degree()];
        let negative = leading.sign() == Sign::Minus;
        let factor = leading.magnitude();
        while rest.coefficients.len() >= divisor.coefficients.len() {
            let power = rest.degree() - divisor.degree();
            let top = rest.coefficients[rest.degree()].clone();
            let multiple = if negative { -top } else { top };
            for list in [&mut rest, &mut quotient] {
                for coefficient in &mut list.coefficients {
                    *coefficient *= BigInt::from(factor.clone());
                }
            }
            for (k, coefficient) in divisor.coefficients.iter().enumerate() {
                rest.coefficients[k + power] -= coefficient * &multiple;
            }
            let mut term = vec![BigInt::zero(); power];
            term.push(multiple);
            quotient = quotient.plus(&Polynomial::new(term));
            rest = Polynomial::new(rest.coefficients);
        }
        (quotient, rest)
    }

    /// A polynomial with the same roots, each simple.
    pub fn square_free(&self) -> Polynomial {
        let common = self.common(&self.derivative());
        if common.degree() == 0 { self.clone() } else { self.divided(&common).0.shortened() }
    }

    /// A greatest common divisor, up to a factor.
    pub fn common(&self, other: &Polynomial) -> Polynomial {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let rest = a.divided(&b).1.shortened();
            (a, b) = (b, rest);
        }
        a
    }

    /// The common sign of all values on a closed interval, where the Bernstein coefficients prove it.
    pub fn sign_between(&self, low: &Moment, high: &Moment) -> Option<Ordering> {
        let (start, end, shift) = low.aligned(high);
        let step = Polynomial::new(vec![start.clone(), end - start]);
        // As a polynomial in x, with time = low + (high - low) x.
        let mut moved = Polynomial::new(Vec::new());
        for (steps, coefficient) in self.coefficients.iter().rev().enumerate() {
            moved = moved.times(&step).plus(&Polynomial::new(vec![coefficient << (shift * steps as u64)]));
        }
        let degree = self.degree();
        let mut sign = None;
        for j in 0..=degree {
            let mut sum = BigInt::zero();
            for (i, coefficient) in moved.coefficients.iter().take(j + 1).enumerate() {
                sum += coefficient * choose(degree - i, j - i);
            }
            let own = order(&sum);
            if own == Ordering::Equal || sign.is_some_and(|sign| sign != own) {
                return None;
            }
            sign = Some(own);
        }
        sign
    }
}

/// The binomial coefficient `n` over `k`.
fn choose(n: usize, k: usize) -> u64 {
    (0..k).fold(1, |ways, i| ways * (n - i) as u64 / (i as u64 + 1))
}

/// A signed remainder sequence.
#[derive(Clone, Debug)]
struct Chain(Vec<Polynomial>);

impl Chain {
    fn new(first: Polynomial, second: Polynomial) -> Chain {
        let mut chain = vec![first];
        let mut next = second;
        while !next.is_zero() {
            let rest = chain[chain.len() - 1].divided(&next).1.negated().shortened();
            chain.push(next);
            next = rest;
        }
        Chain(chain)
    }

    /// The number of sign changes along the sequence, zeros skipped.
    fn variations(&self, time: &Moment) -> i32 {
        let (mut count, mut last) = (0, Ordering::Equal);
        for polynomial in &self.0 {
            let sign = polynomial.sign_at(time);
            if sign == Ordering::Equal {
                continue;
            }
            count += i32::from(last == sign.reverse());
            last = sign;
        }
        count
    }
}

/// One root of a polynomial: the only one between `low` and `high`, which are not roots themselves; or `low` itself if
/// both are equal.
#[derive(Clone, Debug)]
pub(crate) struct IsolatedRoot {
    /// The largest float known to be at or below the root.
    pub lower: f64,
    /// The smallest float known to be at or above the root.
    pub upper: f64,
    pub low: Moment,
    pub high: Moment,
    /// The root is `low`.
    pub exact: bool,
}

impl IsolatedRoot {
    /// A root that is a float.
    pub fn at(time: f64) -> IsolatedRoot {
        IsolatedRoot { lower: time, upper: time, low: Moment::of(time), high: Moment::of(time), exact: true }
    }

    fn between(low: f64, high: f64) -> IsolatedRoot {
        IsolatedRoot { lower: low, upper: high, low: Moment::of(low), high: Moment::of(high), exact: false }
    }
}

/// The roots of a square-free polynomial.
#[derive(Clone, Debug)]
pub(crate) struct RealRoots {
    polynomial: Polynomial,
    derivative: Polynomial,
    chain: Chain,
}

impl RealRoots {
    /// The roots of a polynomial that is not zero.
    pub fn of(polynomial: &Polynomial) -> RealRoots {
        let polynomial = polynomial.clone().shortened();
        let derivative = polynomial.derivative();
        let chain = Chain::new(polynomial.clone(), derivative.clone());
        if chain.0.last().is_some_and(|last| last.degree() > 0) {
            return RealRoots::of(&polynomial.square_free());
        }
        RealRoots { polynomial, derivative, chain }
    }

    /// The roots in a closed interval, ascending.
    pub fn between(&self, low: f64, high: f64) -> Vec<IsolatedRoot> {
        let mut found = Vec::new();
        if self.polynomial.sign_at(&Moment::of(low)) == Ordering::Equal {
            found.push(IsolatedRoot::at(low));
        }
        if low < high {
            let counts = [low, high].map(|time| self.chain.variations(&Moment::of(time)));
            self.isolate([low, high], counts, &mut found);
        }
        found
    }

    /// The roots above `low` and not above `high`; `counts` are the sign variations at both ends.
    fn isolate(&self, [low, high]: [f64; 2], counts: [i32; 2], found: &mut Vec<IsolatedRoot>) {
        let count = counts[0] - counts[1];
        if count == 0 {
            return;
        }
        let ends = [low, high].map(|time| self.polynomial.sign_at(&Moment::of(time)));
        if count == 1 && ends[1] == Ordering::Equal {
            found.push(IsolatedRoot::at(high));
            return;
        }
        if count == 1 && ends[0] != Ordering::Equal {
            found.push(IsolatedRoot::between(low, high));
            return;
        }
        let middle = halfway(low, high);
        if middle > low && middle < high {
            let at_middle = self.chain.variations(&Moment::of(middle));
            self.isolate([low, middle], [counts[0], at_middle], found);
            self.isolate([middle, high], [at_middle, counts[1]], found);
        } else {
            self.isolate_closely([low, high], [Moment::of(low), Moment::of(high)], counts, found);
        }
    }

    /// As [`RealRoots::isolate`], where no float lies between `floats`. The number of halvings depends on how close the
    /// roots are, which the coefficients bound.
    fn isolate_closely(&self, floats: [f64; 2], ends: [Moment; 2], counts: [i32; 2], found: &mut Vec<IsolatedRoot>) {
        let [lower, upper] = floats;
        let mut open = vec![(ends, counts)];
        while let Some(([low, high], counts)) = open.pop() {
            let count = counts[0] - counts[1];
            if count == 0 {
                continue;
            }
            let ends = [&low, &high].map(|time| self.polynomial.sign_at(time));
            if count == 1 && ends[1] == Ordering::Equal {
                let (a, b, _) = Moment::of(upper).aligned(&high);
                found.push(if a == b {
                    IsolatedRoot::at(upper)
                } else {
                    IsolatedRoot { lower, upper, low: high.clone(), high, exact: true }
                });
                continue;
            }
            if count == 1 && ends[0] != Ordering::Equal {
                found.push(IsolatedRoot { lower, upper, low, high, exact: false });
                continue;
            }
            let middle = low.middle(&high);
            let at_middle = self.chain.variations(&middle);
            open.push(([middle.clone(), high], [at_middle, counts[1]]));
            open.push(([low, middle], [counts[0], at_middle]));
        }
    }

    /// Narrows a root down to a float, or to two neighbouring ones.
    pub fn narrow(&self, root: &mut IsolatedRoot) {
        if root.exact || root.upper <= root.lower.next_up() {
            return;
        }
        let sign = |time: f64| Some(self.polynomial.sign_at(&Moment::of(time)));
        let guess = self.guess(root.lower, root.upper);
        if let Some((lower, upper)) = narrow_by_signs(sign, root.lower, root.upper, guess) {
            *root = if lower == upper { IsolatedRoot::at(lower) } else { IsolatedRoot::between(lower, upper) };
        }
    }

    /// Approximates the only root between two floats, by bisection in plain arithmetic.
    fn guess(&self, mut low: f64, mut high: f64) -> f64 {
        let top = self.polynomial.coefficients.iter().map(BigInt::bits).max().unwrap_or(0);
        let unit = BigInt::one() << top;
        let rounded = self.polynomial.coefficients.iter().map(|c| super::integer::ratio(c, &unit));
        let coefficients: Vec<f64> = rounded.collect();
        let value = |time: f64| coefficients.iter().rev().fold(0.0, |value, c| value * time + c);
        let falling = value(low) > value(high);
        for _ in 0..64 {
            let middle = halfway(low, high);
            if !(middle > low && middle < high) {
                break;
            }
            if (value(middle) > 0.0) == falling { low = middle } else { high = middle }
        }
        low
    }

    /// The sign of another polynomial at a root of this one.
    pub fn sign_of(&self, other: &Polynomial, root: &IsolatedRoot) -> Ordering {
        if other.is_zero() {
            return Ordering::Equal;
        }
        if root.exact {
            return other.sign_at(&root.low);
        }
        if let Some(sign) = other.sign_between(&root.low, &root.high) {
            return sign;
        }
        // Reduced modulo the polynomial, which is zero at the root.
        let reduced = self.derivative.times(other).divided(&self.polynomial).1.shortened();
        let chain = Chain::new(self.polynomial.clone(), reduced);
        (chain.variations(&root.low) - chain.variations(&root.high)).cmp(&0)
    }
}

/// The float halfway between two non-negative floats in the order of floats; one of them if there is none between.
fn halfway(low: f64, high: f64) -> f64 {
    let (a, b) = (low.abs().to_bits(), high.abs().to_bits());
    f64::from_bits(a + (b - a) / 2)
}

/// Narrows the only sign change of a function between two non-negative floats down to the float at which it is zero, or
/// to two neighbours. `sign` is not zero at the ends and differs there. Starts from a guess, takes doubling steps, then
/// bisects. `None` where a sign is undecided.
pub(crate) fn narrow_by_signs(
    mut sign: impl FnMut(f64) -> Option<Ordering>,
    mut low: f64,
    mut high: f64,
    guess: f64,
) -> Option<(f64, f64)> {
    let before = sign(low)?;
    let mut step = 1_u64;
    let mut next = guess;
    loop {
        if !(next > low && next < high) {
            next = halfway(low, high);
            if !(next > low && next < high) {
                return Some((low, high));
            }
        }
        let own = sign(next)?;
        if own == Ordering::Equal {
            return Some((next, next));
        }
        let bits = next.to_bits();
        if own == before {
            low = next;
            next = f64::from_bits(bits.saturating_add(step).min(high.to_bits()));
        } else {
            high = next;
            next = f64::from_bits(bits.saturating_sub(step).max(low.abs().to_bits()));
        }
        step = step.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn polynomial(coefficients: &[i64]) -> Polynomial {
        Polynomial::new(coefficients.iter().copied().map(BigInt::from).collect())
    }

    /// `(numerator, denominator)` of each root, expanded.
    fn with_roots(roots: &[(i64, i64)]) -> Polynomial {
        roots.iter().fold(polynomial(&[1]), |product, &(n, d)| product.times(&polynomial(&[-n, d])))
    }

    fn brackets(polynomial: &Polynomial, low: f64, high: f64) -> Vec<(f64, f64)> {
        let roots = RealRoots::of(polynomial);
        let mut found = roots.between(low, high);
        found.iter_mut().for_each(|root| roots.narrow(root));
        found.iter().map(|root| (root.lower, root.upper)).collect()
    }

    #[test]
    fn roots_that_are_floats_and_others() {
        assert_eq!(brackets(&with_roots(&[(1, 4), (1, 1), (-1, 2)]), 0.0, 1.0), [(0.25, 0.25), (1.0, 1.0)]);
        assert_eq!(brackets(&with_roots(&[(0, 1), (0, 1), (3, 4)]), 0.0, 1.0), [(0.0, 0.0), (0.75, 0.75)]);
        // A double root that no float hits.
        let third = 1.0 / 3.0_f64;
        let around = if third * 3.0 < 1.0 { third } else { third.next_down() };
        let found = brackets(&with_roots(&[(1, 3), (1, 3), (2, 1)]), 0.0, 1.0);
        assert_eq!(found.len(), 1);
        assert!(found[0] == (around, around.next_up()) || found[0] == (third, third.next_up()), "{found:?}");
        assert_eq!(brackets(&polynomial(&[1, 0, 1]), 0.0, 1.0), []);
        assert_eq!(brackets(&polynomial(&[5]), 0.0, 1.0), []);
    }

    #[test]
    fn roots_between_two_neighbouring_floats_are_separated() {
        // 1/3 and 1/3 + 2^-80 / 3.
        let scale = BigInt::one() << 80;
        let near = Polynomial::new(vec![BigInt::from(-1) - &scale, scale * 3]);
        let product = near.times(&polynomial(&[-1, 3]));
        let roots = RealRoots::of(&product);
        let found = roots.between(0.0, 1.0);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].lower, found[0].upper), (found[1].lower, found[1].upper));
        let third = polynomial(&[-1, 3]);
        assert_eq!(roots.sign_of(&third, &found[0]), Ordering::Equal);
        assert_eq!(roots.sign_of(&third, &found[1]), Ordering::Greater);
        assert_eq!(roots.sign_of(&near, &found[0]), Ordering::Less);
    }

    #[test]
    fn roots_next_to_zero() {
        // 2^-300: found in the order of floats, not by bisecting values.
        let tiny = Polynomial::new(vec![BigInt::from(-1), BigInt::one() << 300]);
        let time = 2_f64.powi(-300);
        assert_eq!(brackets(&tiny, 0.0, 1.0), [(time, time)]);
    }

    proptest! {
        /// Compares with known roots: the polynomial is built from them.
        #[test]
        fn counts_signs_and_divisors(
            own in prop::collection::vec((-3i64..12, 1i64..9), 1..4),
            other in prop::collection::vec((-3i64..12, 1i64..9), 0..3),
            factor in prop::sample::select(vec![-3i64, 1, 5]),
        ) {
            let p = with_roots(&own);
            let q = with_roots(&other).times(&polynomial(&[factor]));
            let value = |(n, d): (i64, i64)| n as f64 / d as f64;
            let exact = |(n, d): (i64, i64), (m, e): (i64, i64)| (n * e).cmp(&(m * d));
            let mut inside: Vec<(i64, i64)> =
                own.iter().copied()
                    .filter(|&root| exact(root, (0, 1)).is_ge() && exact(root, (1, 1)).is_le())
                    .collect();
            inside.sort_by(|&one, &other| exact(one, other));
            inside.dedup_by(|one, other| exact(*one, *other) == Ordering::Equal);
            let roots = RealRoots::of(&p);
            let mut found = roots.between(0.0, 1.0);
            prop_assert_eq!(found.len(), inside.len());
            for (root, &truth) in found.iter_mut().zip(&inside) {
                // The sign of the product is that of its factors at the root.
                let signs = other.iter().map(|&(m, e)| exact(truth, (m, e)) as i64).product::<i64>() * factor.signum();
                prop_assert_eq!(roots.sign_of(&q, root) as i64, signs);
                roots.narrow(root);
                prop_assert_eq!(roots.sign_of(&q, root) as i64, signs);
                prop_assert!(root.lower <= value(truth) && value(truth) <= root.upper);
                prop_assert!(root.upper <= root.lower.next_up());
            }
            let shared = other.iter().any(|&b| own.iter().any(|&a| exact(a, b) == Ordering::Equal));
            prop_assert_eq!(p.common(&q).degree() > 0, shared);
        }

        /// Where all Bernstein coefficients have one sign, so do all values.
        #[test]
        fn one_sign_between(c in prop::collection::vec(-20i64..20, 1..5), (a, b) in (0u32..64, 0u32..64)) {
            let p = polynomial(&c);
            let (low, high) = (f64::from(a.min(b)) / 64.0, f64::from(a.max(b)) / 64.0);
            if let Some(sign) = p.sign_between(&Moment::of(low), &Moment::of(high)) {
                for k in 0..=8 {
                    prop_assert_eq!(p.sign_at(&Moment::of(low + (high - low) * f64::from(k) / 8.0)), sign);
                }
            } else if low == high {
                prop_assert_eq!(p.sign_at(&Moment::of(low)), Ordering::Equal);
            }
        }
    }
}
