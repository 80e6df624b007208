//! First contact of a vertex and a face, or of two edges, whose corners move on straight lines. In integers, by brute
//! force.
//!
//! Everything is a polynomial in time with integer coefficients. The signs of some of these determine whether the
//! features touch at a given time, so contact begins at time 0 or at a root of one of them: of the volume of the four
//! corners, unless it is identically zero, otherwise of any of the others. Every root in [0, 1] is visited and the
//! features are tested there.
//!
//! - Roots are isolated by Descartes' rule of signs on bisected intervals (Vincent, Collins, Akritas): a polynomial is
//!   carried along as one over the unit interval, and its number of sign changes after `x -> 1 / (1 + x)` bounds its
//!   number of roots.
//! - The sign of another polynomial at a root: zero if the greatest common divisor of the two has the root; otherwise
//!   the interval is bisected until the other has no roots in it.
//! - Within a plane, a vertex is in a face unless two of the areas that it spans with the sides have opposite signs,
//!   and two edges meet if neither has both ends strictly on one side of the other; without a normal, if a corner is on
//!   an edge.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;

use crate::gcd::{gcd, lcm};
use crate::rational::{Rational, decompose};

/// A vertex and a face, or two edges, given by their four corners at time 0 and time 1: the vertex, then the corners of
/// the face; or the ends of one edge, then those of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingFeatures {
    /// Two edges rather than a vertex and a face.
    pub edges: bool,
    /// The corners at time 0.
    pub start: [[f64; 3]; 4],
    /// The corners at time 1.
    pub end: [[f64; 3]; 4],
}

/// The time of a first contact: a root of a polynomial, known exactly.
#[derive(Clone, Debug)]
pub struct TouchTime {
    /// Square-free; the time is its only root in the open interval, unless the interval is empty.
    polynomial: Polynomial,
    low: Rational,
    high: Rational,
}

impl TouchTime {
    /// Compares the time with a double.
    ///
    /// # Panics
    /// If it is not finite.
    #[must_use]
    pub fn compare(&self, time: f64) -> Ordering {
        let time = Rational::from_f64(time).expect("a finite time");
        if time <= self.low {
            return if self.low == self.high { self.low.cmp(&time) } else { Ordering::Greater };
        }
        if time >= self.high {
            return Ordering::Less;
        }
        // Exactly one root lies in between.
        if self.polynomial.at(&time).is_zero() {
            return Ordering::Equal;
        }
        if self.polynomial.count_in(&self.low, &time) == 0 { Ordering::Greater } else { Ordering::Less }
    }

    /// Whether the time is before another.
    fn is_before(&self, other: &TouchTime) -> bool {
        let common = self.polynomial.greatest_common_divisor(&other.polynomial);
        let mut bits = 16;
        loop {
            let ((a, b), (c, d)) = (self.enclosure(bits), other.enclosure(bits));
            let points = (a == b, c == d);
            // Ends that are not single points do not belong to their intervals.
            if b < c || b == c && points != (true, true) {
                return true;
            }
            if d < a || d == a && points != (true, true) {
                return false;
            }
            // The same root if the divisor has it: each is the only one of its interval.
            let same = match points {
                (true, true) => true,
                (true, false) => other.polynomial.at(&a).is_zero(),
                (false, true) => self.polynomial.at(&c).is_zero(),
                (false, false) => common.count_in(&a.max(c), &b.min(d)) > 0,
            };
            if same {
                return false;
            }
            bits *= 2;
        }
    }

    /// The ends of an interval of width at most 2^-`bits` that contains the time.
    fn enclosure(&self, bits: u32) -> (Rational, Rational) {
        let (mut low, mut high) = (self.low.clone(), self.high.clone());
        let width = Rational::from_dyadic(BigInt::one(), -i64::from(bits));
        while &high - &low > width {
            let middle = (&low + &high) * Rational::ratio(1, 2);
            if self.polynomial.at(&middle).is_zero() {
                return (middle.clone(), middle);
            }
            if self.polynomial.count_in(&low, &middle) > 0 { high = middle } else { low = middle }
        }
        (low, high)
    }
}

/// When the features first touch in [0, 1]; `None` if they do not.
///
/// # Panics
/// If a coordinate is not finite.
///
/// ```
/// use clearance_oracle::moving::{MovingFeatures, first_touch};
/// use std::cmp::Ordering;
/// // A vertex falls through a face at one third of the step.
/// let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let with = |z: f64| [[0.25, 0.25, z], face[0], face[1], face[2]];
/// let time = first_touch(&MovingFeatures { edges: false, start: with(1.0), end: with(-2.0) }).unwrap();
/// assert_eq!((time.compare(0.3), time.compare(0.4)), (Ordering::Greater, Ordering::Less));
/// ```
#[must_use]
pub fn first_touch(features: &MovingFeatures) -> Option<TouchTime> {
    let judge = Judge::new(features);
    let events: Vec<&Polynomial> = if judge.volume.is_zero() {
        judge.others().into_iter().filter(|other| !other.is_zero()).collect()
    } else {
        vec![&judge.volume]
    };
    if judge.volume.is_zero() && judge.touch_at_zero() {
        let time = Polynomial(vec![BigInt::zero(), BigInt::one()]);
        return Some(TouchTime { polynomial: time, low: Rational::zero(), high: Rational::zero() });
    }
    let mut first: Option<TouchTime> = None;
    for event in events {
        let event = event.square_free();
        let mut found = None;
        event.each_root(&mut |place: &Place| {
            if found.is_none() && judge.touch(&event, place) {
                let (low, high) = place.ends();
                found = Some(TouchTime { polynomial: event.clone(), low, high });
            }
            found.is_some()
        });
        if let Some(found) = found
            && first.as_ref().is_none_or(|first| found.is_before(first))
        {
            first = Some(found);
        }
    }
    first
}

/// Coefficients, constant term first; empty for zero, otherwise the last one is not zero.
#[derive(Clone, Debug)]
struct Polynomial(Vec<BigInt>);

impl Polynomial {
    fn trimmed(mut coefficients: Vec<BigInt>) -> Polynomial {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn sum(&self, other: &Polynomial, sign: i32) -> Polynomial {
        let zero = BigInt::zero();
        let length = self.0.len().max(other.0.len());
        let term = |list: &Polynomial, k: usize| list.0.get(k).cloned().unwrap_or_else(|| zero.clone());
        Polynomial::trimmed((0..length).map(|k| term(self, k) + term(other, k) * sign).collect())
    }

    fn product(&self, other: &Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial(Vec::new());
        }
        let mut terms = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                terms[i + j] += a * b;
            }
        }
        Polynomial::trimmed(terms)
    }

    fn at(&self, x: &Rational) -> Rational {
        self.0.iter().rev().fold(Rational::zero(), |value, c| value * x.clone() + Rational::from(c.clone()))
    }

    /// Divided by the greatest common divisor of its coefficients.
    fn primitive(self) -> Polynomial {
        let content = self.0.iter().fold(BigInt::zero(), |content, c| gcd(&content, c));
        if content.is_zero() || content.is_one() {
            return self;
        }
        Polynomial(self.0.into_iter().map(|c| c / &content).collect())
    }

    /// Quotient and remainder of a multiple of `self`.
    fn divide(&self, divisor: &Polynomial) -> (Polynomial, Polynomial) {
        let (mut rest, mut quotient) = (self.clone(), Polynomial(Vec::new()));
        let lead = divisor.0.last().expect("a divisor that is not zero").clone();
        let scaled = |list: &Polynomial| Polynomial(list.0.iter().map(|c| c * &lead).collect());
        while rest.0.len() >= divisor.0.len() {
            let mut term = vec![BigInt::zero(); rest.0.len() - divisor.0.len()];
            term.push(rest.0.last().cloned().unwrap_or_default());
            let term = Polynomial(term);
            quotient = scaled(&quotient).sum(&term, 1);
            rest = scaled(&rest).sum(&term.product(divisor), -1);
        }
        (quotient, rest)
    }

    fn greatest_common_divisor(&self, other: &Polynomial) -> Polynomial {
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        while !b.is_zero() {
            let rest = a.divide(&b).1.primitive();
            (a, b) = (b, rest);
        }
        a
    }

    fn square_free(&self) -> Polynomial {
        let slope = Polynomial::trimmed(self.0.iter().enumerate().skip(1).map(|(power, c)| c * power).collect());
        let common = self.greatest_common_divisor(&slope);
        if common.0.len() <= 1 { self.clone().primitive() } else { self.divide(&common).0.primitive() }
    }

    /// Over the unit interval: `p(a + (b - a) x)`, times a positive number.
    fn over(&self, a: &Rational, b: &Rational) -> Polynomial {
        let denominator = lcm(a.denominator(), b.denominator());
        let start = a.numerator() * (&denominator / a.denominator());
        let end = b.numerator() * (&denominator / b.denominator());
        let line = Polynomial::trimmed(vec![start.clone(), end - start]);
        let mut sum = Polynomial(Vec::new());
        let mut power = BigInt::one();
        for coefficient in self.0.iter().rev() {
            sum = sum.product(&line).sum(&Polynomial::trimmed(vec![coefficient * &power]), 1);
            power *= &denominator;
        }
        sum
    }

    /// An upper bound on the number of roots in (0, 1), of the same parity; exact if it is 0 or 1.
    fn variations(&self) -> usize {
        // (1 + x)^n p(1 / (1 + x)): reversed, then shifted by one.
        let mut terms: Vec<BigInt> = self.0.iter().rev().cloned().collect();
        for i in 0..terms.len() {
            for k in (i..terms.len() - 1).rev() {
                let above = terms[k + 1].clone();
                terms[k] += above;
            }
        }
        let signs: Vec<bool> = terms.iter().filter(|c| !c.is_zero()).map(Signed::is_negative).collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// The number of roots in an open interval that contains at most one.
    fn count_in(&self, low: &Rational, high: &Rational) -> usize {
        let (mut open, mut count) = (vec![self.over(low, high)], 0);
        while let Some(part) = open.pop() {
            match part.variations() {
                0 => {}
                1 => count += 1,
                _ => {
                    let (left, right) = part.halves();
                    count += usize::from(right.0.first().is_some_and(Zero::is_zero));
                    open.extend([left, right]);
                }
            }
        }
        count
    }

    /// The polynomials over the halves of the unit interval.
    fn halves(&self) -> (Polynomial, Polynomial) {
        let degree = self.0.len().saturating_sub(1);
        let left: Vec<BigInt> = self.0.iter().enumerate().map(|(k, c)| c << (degree - k)).collect();
        let mut right = left.clone();
        for i in 0..right.len() {
            for k in (i..right.len() - 1).rev() {
                let above = right[k + 1].clone();
                right[k] += above;
            }
        }
        (Polynomial::trimmed(left), Polynomial::trimmed(right))
    }

    /// Calls `stop` for each root in [0, 1], ascending, until it returns true. For square-free polynomials.
    fn each_root(&self, stop: &mut impl FnMut(&Place) -> bool) {
        let ends = Place { index: BigInt::zero(), level: 0, point: true };
        if self.0.first().is_some_and(Zero::is_zero) && stop(&ends) {
            return;
        }
        let mut open = vec![(self.clone(), Place { point: false, ..ends })];
        while let Some((part, place)) = open.pop() {
            if place.point {
                if stop(&place) {
                    return;
                }
                continue;
            }
            match part.variations() {
                0 => {}
                1 => {
                    if stop(&place) {
                        return;
                    }
                }
                _ => {
                    let (left, right) = part.halves();
                    let (near, far) = place.halves();
                    let at_middle = right.0.first().is_some_and(Zero::is_zero);
                    let middle = Place { point: true, ..far.clone() };
                    open.push((right, far));
                    if at_middle {
                        open.push((Polynomial(Vec::new()), middle));
                    }
                    open.push((left, near));
                }
            }
        }
        if self.0.iter().sum::<BigInt>().is_zero() && !self.is_zero() {
            stop(&Place { index: BigInt::one(), level: 0, point: true });
        }
    }
}

/// The interval from `index` to `index + 1` over 2^`level`, without its ends; or its lower end alone.
#[derive(Clone, Debug)]
struct Place {
    index: BigInt,
    level: u32,
    point: bool,
}

impl Place {
    fn halves(&self) -> (Place, Place) {
        let index: BigInt = &self.index * 2;
        let level = self.level + 1;
        (Place { index: index.clone(), level, point: false }, Place { index: index + 1, level, point: false })
    }

    fn ends(&self) -> (Rational, Rational) {
        let at = |index: BigInt| Rational::from_dyadic(index, -i64::from(self.level));
        let low = at(self.index.clone());
        let high = if self.point { low.clone() } else { at(&self.index + 1) };
        (low, high)
    }
}

/// How often an interval is bisected before a common divisor is computed: most signs are determined earlier.
const HALVINGS: u32 = 40;

/// The sign of a polynomial at the root of a square-free one at a place.
fn sign_at(form: &Polynomial, of: &Polynomial, place: &Place) -> Ordering {
    let (low, high) = place.ends();
    if place.point {
        return form.at(&low).cmp(&Rational::zero());
    }
    if form.is_zero() {
        return Ordering::Equal;
    }
    // Both over the unit interval, bisected together.
    let (mut form_part, mut of_part) = (form.over(&low, &high), of.over(&low, &high));
    let mut halved = 0;
    loop {
        let ((form_left, form_right), (of_left, of_right)) = (form_part.halves(), of_part.halves());
        let start = |list: &Polynomial| list.0.first().map_or(Ordering::Equal, |c| c.cmp(&BigInt::zero()));
        if form_part.variations() == 0 || start(&of_right) == Ordering::Equal {
            return start(&form_right);
        }
        if halved == HALVINGS && form.greatest_common_divisor(of).count_in(&low, &high) > 0 {
            return Ordering::Equal;
        }
        halved += 1;
        (form_part, of_part) = if of_left.variations() > 0 { (form_left, of_left) } else { (form_right, of_right) };
    }
}

/// A vector of polynomials.
type Path = [Polynomial; 3];

fn difference(a: &Path, b: &Path) -> Path {
    std::array::from_fn(|k| a[k].sum(&b[k], -1))
}

fn product(a: &Path, b: &Path) -> Path {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].product(&b[j]).sum(&a[j].product(&b[i]), -1)
    })
}

fn inner(a: &Path, b: &Path) -> Polynomial {
    a[0].product(&b[0]).sum(&a[1].product(&b[1]), 1).sum(&a[2].product(&b[2]), 1)
}

/// The polynomials whose signs determine whether features touch.
struct Judge {
    volume: Polynomial,
    normal: Path,
    areas: Vec<Path>,
    /// Dot products of areas, and whether they must not be opposite (otherwise they must not agree).
    pairs: Vec<(Polynomial, bool)>,
    /// For a corner and an edge: the cross product, which is zero on the line, and the dot product, which is not
    /// positive between the ends.
    edges: Vec<(Path, Polynomial)>,
}

impl Judge {
    fn new(features: &MovingFeatures) -> Judge {
        let numbers = features.start.iter().chain(&features.end).flatten();
        let parts = |x: &f64| decompose(*x).expect("a finite coordinate");
        let least = numbers.map(parts).filter(|part| part.0 != 0).map(|part| part.1).min().unwrap_or(0);
        let integer = |x: f64| {
            let (mantissa, exponent) = parts(&x);
            if mantissa == 0 { BigInt::zero() } else { BigInt::from(mantissa) << (exponent - least).unsigned_abs() }
        };
        let [a, b, c, d]: [Path; 4] = std::array::from_fn(|corner| {
            std::array::from_fn(|axis| {
                let start = integer(features.start[corner][axis]);
                let change = integer(features.end[corner][axis]) - &start;
                Polynomial::trimmed(vec![start, change])
            })
        });
        let area = |a: &Path, b: &Path, c: &Path| product(&difference(b, a), &difference(c, a));
        let edge = |corner: &Path, from: &Path, to: &Path| {
            (area(from, to, corner), inner(&difference(corner, from), &difference(corner, to)))
        };
        let (normal, areas, pairs, edges) = if features.edges {
            let areas = vec![area(&a, &b, &c), area(&a, &b, &d), area(&c, &d, &a), area(&c, &d, &b)];
            let pairs = vec![(inner(&areas[0], &areas[1]), false), (inner(&areas[2], &areas[3]), false)];
            let edges = vec![edge(&a, &c, &d), edge(&b, &c, &d), edge(&c, &a, &b), edge(&d, &a, &b)];
            (product(&difference(&b, &a), &difference(&d, &c)), areas, pairs, edges)
        } else {
            let areas = vec![area(&a, &b, &c), area(&a, &c, &d), area(&a, &d, &b)];
            let pairs = (0..3).map(|k| (inner(&areas[k], &areas[(k + 1) % 3]), true)).collect();
            (area(&b, &c, &d), areas, pairs, vec![edge(&a, &b, &c), edge(&a, &c, &d), edge(&a, &d, &b)])
        };
        let volume = inner(&area(&a, &b, &c), &difference(&d, &a));
        Judge { volume, normal, areas, pairs, edges }
    }

    /// All polynomials besides the volume whose signs affect the result of `touch`.
    fn others(&self) -> Vec<&Polynomial> {
        let of_edges = self.edges.iter().flat_map(|(line, between)| line.iter().chain([between]));
        self.normal.iter().chain(self.areas.iter().flatten()).chain(of_edges).collect()
    }

    fn touch_at_zero(&self) -> bool {
        let time = Polynomial(vec![BigInt::zero(), BigInt::one()]);
        self.touch(&time, &Place { index: BigInt::zero(), level: 0, point: true })
    }

    /// Whether the features touch at a root at which they are coplanar.
    fn touch(&self, of: &Polynomial, place: &Place) -> bool {
        let sign = |form: &Polynomial| sign_at(form, of, place);
        if self.normal.iter().any(|part| sign(part) != Ordering::Equal) {
            let forbidden = |alike: bool| if alike { Ordering::Less } else { Ordering::Greater };
            return self.pairs.iter().all(|(form, alike)| sign(form) != forbidden(*alike));
        }
        self.edges.iter().any(|(line, between)| {
            line.iter().all(|part| sign(part) == Ordering::Equal) && sign(between) != Ordering::Greater
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    fn vertex(start: [f64; 3], end: [f64; 3]) -> MovingFeatures {
        let with = |p: [f64; 3]| [p, FACE[0], FACE[1], FACE[2]];
        MovingFeatures { edges: false, start: with(start), end: with(end) }
    }

    fn edges(start: [[f64; 3]; 4], end: [[f64; 3]; 4]) -> MovingFeatures {
        MovingFeatures { edges: true, start, end }
    }

    /// The time is `numerator / denominator`, for denominators that are powers of two.
    fn at(features: &MovingFeatures, time: f64) {
        let found = first_touch(features).unwrap_or_else(|| panic!("{features:?} touch at {time}"));
        assert_eq!(found.compare(time), Ordering::Equal, "{features:?}");
        assert_eq!(found.compare(time.next_up()), Ordering::Less);
        assert_eq!(found.compare(time.next_down()), Ordering::Greater);
    }

    #[test]
    fn vertices_and_faces_known_by_hand() {
        at(&vertex([0.25, 0.25, 1.0], [0.25, 0.25, -3.0]), 0.25);
        at(&vertex([0.25, 0.25, 1.0], [0.25, 0.25, 0.0]), 1.0);
        at(&vertex([0.25, 0.25, 0.0], [0.25, 0.25, 1.0]), 0.0);
        // On a side, at a corner, in the plane from outside.
        at(&vertex([0.5, 0.5, 1.0], [0.5, 0.5, -1.0]), 0.5);
        at(&vertex([1.0, 0.0, 1.0], [1.0, 0.0, -1.0]), 0.5);
        at(&vertex([0.25, -1.0, 0.0], [0.25, 1.0, 0.0]), 0.5);
        at(&vertex([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), 0.5);
        // One unit in the last place beside the side, above the plane at the end, past the corner in the plane.
        assert!(first_touch(&vertex([0.5, 0.5_f64.next_up(), 1.0], [0.5, 0.5_f64.next_up(), -1.0])).is_none());
        assert!(first_touch(&vertex([0.25, 0.25, 1.0], [0.25, 0.25, 5e-324])).is_none());
        assert!(first_touch(&vertex([-1.0, 1.0, 0.0], [1.0, 1.0 + 1e-15, 0.0])).is_none());
        // A third of the way, which is not a double.
        let third = first_touch(&vertex([0.25, 0.25, 1.0], [0.25, 0.25, -2.0])).unwrap();
        let (below, above) = Rational::ratio(1, 3).to_f64_bounds();
        assert_eq!((third.compare(below), third.compare(above)), (Ordering::Greater, Ordering::Less));
    }

    #[test]
    fn edges_known_by_hand() {
        let first = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let second = |x: f64, z: f64| [[x, -1.0, z], [x, 1.0, z]];
        let pair = |[a, b]: [[f64; 3]; 2], [c, d]: [[f64; 3]; 2]| [a, b, c, d];
        at(&edges(pair(first, second(0.0, 1.0)), pair(first, second(0.0, -1.0))), 0.5);
        at(&edges(pair(first, second(1.0, 1.0)), pair(first, second(1.0, -1.0))), 0.5);
        let beside = 1.0_f64.next_up();
        assert!(first_touch(&edges(pair(first, second(beside, 1.0)), pair(first, second(beside, -1.0)))).is_none());
        // Collinear and sliding together; parallel and becoming coincident; parallel and passing.
        let along = |x: f64, y: f64| [[x, y, 0.0], [x + 1.0, y, 0.0]];
        at(&edges(pair(first, along(2.0, 0.0)), pair(first, along(0.0, 0.0))), 0.5);
        at(&edges(pair(first, along(0.5, 1.0)), pair(first, along(0.5, -1.0))), 0.5);
        assert!(first_touch(&edges(pair(first, along(1.5, 1.0)), pair(first, along(1.5, -1.0)))).is_none());
        // Zero length.
        let point = |z: f64| [[0.5, 0.0, z]; 2];
        at(&edges(pair(first, point(1.0)), pair(first, point(-3.0))), 0.25);
        at(&edges(pair(point(0.0), point(1.0)), pair(point(0.0), point(-1.0))), 0.5);
    }

    #[test]
    fn the_first_of_two_crossings_and_a_double_one() {
        // The face rotates about the y axis while the vertex moves along x: the volume is (t - 1/2)^2 up to a factor.
        let end = |h: f64| [[0.25 + 0.5 * h, 0.25, 0.5 * h], [0.0; 3], [1.0, 0.0, 2.0 * h], [0.0, 1.0, 0.0]];
        at(&MovingFeatures { edges: false, start: end(-0.5), end: end(0.5) }, 0.5);
        // Slightly lower: it crosses twice, the first time earlier; slightly higher on one side: never.
        let moved = |h: f64, by: f64| {
            let mut corners = end(h);
            corners[0][2] += by;
            corners
        };
        let two = first_touch(&MovingFeatures { edges: false, start: moved(-0.5, 0.01), end: moved(0.5, 0.01) });
        let none = first_touch(&MovingFeatures { edges: false, start: moved(-0.5, -0.01), end: moved(0.5, -0.01) });
        assert_ne!(two.is_some(), none.is_some());
        assert_eq!(two.or(none).unwrap().compare(0.5), Ordering::Less);
    }

    /// Two times that differ by about 2^-52.
    #[test]
    fn times_next_to_each_other_are_separated() {
        let time = |coefficients: [i64; 2]| TouchTime {
            polynomial: Polynomial(coefficients.map(BigInt::from).to_vec()),
            low: Rational::zero(),
            high: Rational::from(1),
        };
        let (half, later) = (time([-1, 2]), time([-(1 << 50), (1 << 51) - 1]));
        assert!(
            half.is_before(&later) && !later.is_before(&half) && !half.is_before(&half) && !later.is_before(&later)
        );
    }

    #[test]
    fn the_order_of_corners_and_time_do_not_matter() {
        use crate::moving_pairs::{MovingScenario, moving_features};
        for scenario in MovingScenario::ALL {
            for seed in 0..6 {
                let MovingFeatures { start, end, .. } = moving_features(scenario, false, seed);
                let touch = |order: [usize; 4], swapped: bool, edges: bool| {
                    let (start, end) = (order.map(|k| start[k]), order.map(|k| end[k]));
                    let (start, end) = if swapped { (end, start) } else { (start, end) };
                    first_touch(&MovingFeatures { edges, start, end }).is_some()
                };
                let face = touch([0, 1, 2, 3], false, false);
                assert_eq!(face, touch([0, 3, 2, 1], true, false), "{scenario:?} {seed}");
                let edge = touch([0, 1, 2, 3], false, true);
                assert_eq!(edge, touch([3, 2, 0, 1], true, true), "{scenario:?} {seed}");
            }
        }
    }
}
