//! Where a line crosses the plane of a triangle or the vertical plane of an edge, as a proved bracket of its parameter;
//! and the two exact signs needed by the grid traversal.
//!
//! Each parameter is a quotient of two polynomials in the input numbers. It is computed in double-double with an error
//! bound; where that is wider than a rounding (a line nearly parallel to the plane, an origin on the surface), it is
//! recomputed in big integers. Signs are decided likewise: a filter in `f64`, then double-double, then big integers.
//!
//! `u` is 2⁻⁵³. The relative errors of double-double are those stated in `math/double_double.rs`: products 7u² (2u²
//! with an `f64`), sums 3u², quotients 15u². Differences of two `f64` are exact.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::math::bracket::Bracket;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::integer::{IntegerVec3, common_exponent, integer, ratio};
use crate::math::interval::Interval;
use crate::math::predicates::Sign;
use crate::math::tolerances::UNIT_ROUNDOFF;

const SQUARED_ROUNDOFF: f64 = UNIT_ROUNDOFF * UNIT_ROUNDOFF;

/// Error of the plane's numerator and denominator, relative to the sum of the magnitudes of their three terms: two
/// products each (14u²) and two sums (6u²). The remaining 2u² cover second-order terms and the rounding of that sum of
/// magnitudes itself.
const PLANE_ERROR: f64 = 22.0 * SQUARED_ROUNDOFF;

/// As [`PLANE_ERROR`] for an edge: one product (7u²), one sum (3u²), and 1u² for second-order terms.
const EDGE_ERROR: f64 = 11.0 * SQUARED_ROUNDOFF;

/// Error of the determinant `d · (p x q)` in double-double, relative to the sum of the magnitudes of its six terms:
/// 11u² of each component's terms for the cross product, 14u² for the inner product, and 1u² for second-order terms.
const DETERMINANT_ERROR: f64 = 26.0 * SQUARED_ROUNDOFF;

/// Error of the two-by-two determinant, relative to the sum of the magnitudes of its two terms: products with an `f64`
/// (2u²), one sum (3u²), and 1u² for second-order terms.
const SIDE_ERROR: f64 = 6.0 * SQUARED_ROUNDOFF;

/// The sums of magnitudes for which the bounds above are used. A product that underflows loses at most 2⁻¹⁰⁷⁴, times up
/// to two factors of at most 2e60: 2e-203, while the error bounds are at least `6u² 1e-160 > 1e-192`. Above, splitting
/// would come close to overflow.
const RANGE: std::ops::RangeInclusive<f64> = 1e-160..=1e260;

/// A quarter of an ulp relative to the number: a quotient this accurate rounds to the same number as the exact one, or
/// to its neighbour.
const ACCEPTED: f64 = UNIT_ROUNDOFF / 2.0;

/// Limit on the steps of the exact search for the ends of a bracket. `ratio` is off by at most 5u, less than six steps
/// of `next_up`; below a power of two the steps are half as long, so twelve.
const STEPS: usize = 16;

/// The relative error of a two-by-two determinant with differences as factors, rounded in `f64` (Shewchuk's bound A for
/// `orient2d`, which has differences in both factors).
const SIDE_FILTER: f64 = (3.0 + 16.0 * UNIT_ROUNDOFF) * UNIT_ROUNDOFF;
/// The same for a three-by-three determinant: Shewchuk's bound A for `orient3d`, which has differences in all three
/// rows.
const DETERMINANT_FILTER: f64 = (7.0 + 56.0 * UNIT_ROUNDOFF) * UNIT_ROUNDOFF;
/// Underflow in the `f64` filters: each product loses at most 2⁻¹⁰⁷⁵, multiplied in the 3 x 3 determinant by at most
/// 2e60; six of those stay below 1e-260.
const FILTER_UNDERFLOW: f64 = 1e-260;

/// The line `origin + t * direction`, coordinates at most 1e60 in magnitude.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub origin: DVec3,
    pub direction: DVec3,
}

impl Line {
    /// On which side of the line, seen from above, the point `(x, y)` lies: the exact sign of
    /// `d.x (y - o.y) - d.y (x - o.x)`, positive on the left.
    #[inline]
    #[must_use]
    pub fn side_of(&self, x: f64, y: f64) -> Sign {
        let (o, d) = (self.origin, self.direction);
        let (left, right) = (d.x * (y - o.y), d.y * (x - o.x));
        let determinant = left - right;
        let bound = SIDE_FILTER * (left.abs() + right.abs()) + FILTER_UNDERFLOW;
        if determinant.abs() > bound {
            return Sign::from(determinant);
        }
        self.side_of_slow(x, y)
    }

    #[cold]
    #[inline(never)]
    fn side_of_slow(&self, x: f64, y: f64) -> Sign {
        let (o, d) = (self.origin, self.direction);
        // A zero factor leaves a single product, whose sign is that of its factors.
        if d.y == 0.0 || x == o.x {
            return times(Sign::from(d.x), compare(y, o.y));
        }
        if d.x == 0.0 || y == o.y {
            return -times(Sign::from(d.y), compare(x, o.x));
        }
        let left = DoubleDouble::from_difference(y, o.y).mul_f64(d.x);
        let right = DoubleDouble::from_difference(x, o.x).mul_f64(d.y);
        let size = left.hi().abs() + right.hi().abs();
        let determinant = left - right;
        if RANGE.contains(&size) && determinant.hi().abs() > SIDE_ERROR * size {
            return Sign::from(determinant.hi());
        }
        let exact = Exact::new(self, &[DVec3::new(x, y, 0.0)]);
        let (p, d) = (exact.relative(DVec3::new(x, y, 0.0)), &exact.direction);
        Sign::from(&(&d.0[0] * &p.0[1] - &d.0[1] * &p.0[0]))
    }

    /// The exact sign of `d · ((p - o) x (q - o))`: on which side the line passes the line through `p` and `q`.
    #[inline]
    #[must_use]
    pub fn passes(&self, p: DVec3, q: DVec3) -> Sign {
        let (d, p_from, q_from) = (self.direction, p - self.origin, q - self.origin);
        let (pxqy, qxpy) = (p_from.x * q_from.y, q_from.x * p_from.y);
        let (qxdy, dxqy) = (q_from.x * d.y, d.x * q_from.y);
        let (dxpy, pxdy) = (d.x * p_from.y, p_from.x * d.y);
        let determinant = d.z * (pxqy - qxpy) + p_from.z * (qxdy - dxqy) + q_from.z * (dxpy - pxdy);
        let size = d.z.abs() * (pxqy.abs() + qxpy.abs())
            + p_from.z.abs() * (qxdy.abs() + dxqy.abs())
            + q_from.z.abs() * (dxpy.abs() + pxdy.abs());
        if determinant.abs() > DETERMINANT_FILTER * size + FILTER_UNDERFLOW {
            return Sign::from(determinant);
        }
        self.passes_slow(p, q)
    }

    #[cold]
    #[inline(never)]
    fn passes_slow(&self, p: DVec3, q: DVec3) -> Sign {
        let p_from = DoubleDoubleVec3::from_difference(p, self.origin);
        let q_from = DoubleDoubleVec3::from_difference(q, self.origin);
        let determinant = DoubleDoubleVec3::from(self.direction).dot(p_from.cross(q_from)).hi();
        let (d, a, b) = (self.direction.abs(), p_from.to_vec3().abs(), q_from.to_vec3().abs());
        let size = d.x * (a.y * b.z + a.z * b.y) + d.y * (a.z * b.x + a.x * b.z) + d.z * (a.x * b.y + a.y * b.x);
        if RANGE.contains(&size) && determinant.abs() > DETERMINANT_ERROR * size {
            return Sign::from(determinant);
        }
        let exact = Exact::new(self, &[p, q]);
        Sign::from(&exact.direction.dot(&exact.relative(p).cross(&exact.relative(q))))
    }
}

fn times(a: Sign, b: Sign) -> Sign {
    match a {
        Sign::Positive => b,
        Sign::Zero => Sign::Zero,
        Sign::Negative => -b,
    }
}

fn compare(a: f64, b: f64) -> Sign {
    a.partial_cmp(&b).map_or(Sign::Zero, Sign::from)
}

/// A plane that a line crosses. The line must not be parallel to it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Crossing {
    /// The plane of a triangle of the field: its lowest-numbered corner, the opposite corner of its cell seen from
    /// above, and the pairs of heights whose differences are its rise along x and along y over one cell.
    Plane { near: DVec3, far: DVec3, rise_x: [f64; 2], rise_y: [f64; 2] },
    /// The vertical plane through two points.
    Edge { p: DVec3, q: DVec3 },
}

impl Crossing {
    /// The plane of a triangle given as by `HeightField::corners`.
    #[must_use]
    pub fn plane([a, b, c]: [DVec3; 3], left: bool) -> Crossing {
        if left {
            Crossing::Plane { near: a, far: b, rise_x: [b.z, c.z], rise_y: [c.z, a.z] }
        } else {
            Crossing::Plane { near: a, far: c, rise_x: [b.z, a.z], rise_y: [c.z, b.z] }
        }
    }

    /// The parameter of the crossing.
    #[must_use]
    pub fn bracket(&self, line: &Line) -> Bracket {
        self.approximate(line).unwrap_or_else(|| self.exact(line).bracket())
    }

    /// Compares the exact parameter with a number, which may be infinite. `bracket` must be that of this crossing.
    #[must_use]
    pub fn compare(&self, line: &Line, bracket: &Bracket, t: f64) -> Ordering {
        if bracket.lower > t {
            Ordering::Greater
        } else if bracket.upper < t {
            Ordering::Less
        } else if bracket.lower == t && bracket.upper == t {
            Ordering::Equal
        } else {
            self.exact(line).compare(t)
        }
    }

    /// Whether the line crosses the plane upwards, from below to above. Exact.
    #[must_use]
    pub fn rises(&self, line: &Line) -> bool {
        self.exact(line).rises
    }

    fn approximate(&self, line: &Line) -> Option<Bracket> {
        let (o, d) = (line.origin, line.direction);
        match *self {
            Crossing::Plane { near, far, rise_x, rise_y } => {
                // With rises r over the cell's sides w, the plane is z = near.z + r.x / w.x (x - near.x) + ...; insert
                // the line and multiply by both sides.
                let (wide, deep) =
                    (DoubleDouble::from_difference(far.x, near.x), DoubleDouble::from_difference(far.y, near.y));
                let tilt_x = DoubleDouble::from_difference(rise_x[0], rise_x[1]) * deep;
                let tilt_y = DoubleDouble::from_difference(rise_y[0], rise_y[1]) * wide;
                let area = wide * deep;
                let to_near = DoubleDoubleVec3::from_difference(near, o);
                let above = [area * to_near.z, tilt_x * to_near.x, tilt_y * to_near.y];
                let speed = [area.mul_f64(d.z), tilt_x.mul_f64(d.x), tilt_y.mul_f64(d.y)];
                let sum = |terms: [DoubleDouble; 3]| terms[0] - terms[1] - terms[2];
                let size = |terms: [DoubleDouble; 3]| terms.iter().map(|term| term.hi().abs()).sum::<f64>();
                quotient(sum(above), PLANE_ERROR, size(above), sum(speed), PLANE_ERROR, size(speed))
            }
            Crossing::Edge { p, q } => {
                let (p_from, q_from) =
                    (DoubleDoubleVec3::from_difference(p, o), DoubleDoubleVec3::from_difference(q, o));
                let side = DoubleDoubleVec3::from_difference(q, p);
                let (first, second) = (p_from.x * q_from.y, p_from.y * q_from.x);
                let (along, across) = (side.y.mul_f64(d.x), side.x.mul_f64(d.y));
                let size = |a: DoubleDouble, b: DoubleDouble| a.hi().abs() + b.hi().abs();
                quotient(
                    first - second,
                    EDGE_ERROR,
                    size(first, second),
                    along - across,
                    EDGE_ERROR,
                    size(along, across),
                )
            }
        }
    }

    fn exact(&self, line: &Line) -> ExactRatio {
        match *self {
            Crossing::Plane { near, far, rise_x, rise_y } => {
                let rises = [DVec3::new(rise_x[0], rise_x[1], rise_y[0]), DVec3::new(rise_y[1], 0.0, 0.0)];
                let exact = Exact::new(line, &[near, far, rises[0], rises[1]]);
                let of = |value: f64| integer(value, exact.exponent);
                let (wide, deep) = (of(far.x) - of(near.x), of(far.y) - of(near.y));
                let normal = IntegerVec3([
                    (of(rise_x[1]) - of(rise_x[0])) * &deep,
                    (of(rise_y[1]) - of(rise_y[0])) * &wide,
                    wide * deep,
                ]);
                exact.ratio(normal.dot(&exact.relative(near)), normal.dot(&exact.direction))
            }
            Crossing::Edge { p, q } => {
                let exact = Exact::new(line, &[p, q]);
                let (p_from, q_from) = (exact.relative(p), exact.relative(q));
                let side = q_from.sub(&p_from);
                let planar = |a: &IntegerVec3, b: &IntegerVec3| &a.0[0] * &b.0[1] - &a.0[1] * &b.0[0];
                exact.ratio(planar(&p_from, &q_from), planar(&exact.direction, &side))
            }
        }
    }
}

/// The quotient of two numbers, each known to within an error relative to a size; `None` if not accurate enough.
///
/// With relative errors `a` and `b` of the two, the quotient is off by `(a + b) / (1 - b)` and the division's own 15u²;
/// 16u² and the factor 1.001 cover the higher-order terms, since `a` and `b` are below [`ACCEPTED`].
fn quotient(
    numerator: DoubleDouble,
    numerator_error: f64,
    numerator_size: f64,
    denominator: DoubleDouble,
    denominator_error: f64,
    denominator_size: f64,
) -> Option<Bracket> {
    if !RANGE.contains(&numerator_size) || !RANGE.contains(&denominator_size) {
        return None;
    }
    let error = numerator_error * numerator_size / numerator.hi().abs()
        + denominator_error * denominator_size / denominator.hi().abs();
    let relative = 1.001 * error + 16.0 * SQUARED_ROUNDOFF;
    let quotient = numerator / denominator;
    // Written so that NaN (0 / 0) fails; below the normal range, the division's bound does not hold.
    if !(relative < ACCEPTED && quotient.hi().is_normal()) {
        return None;
    }
    let margin = quotient.hi().abs() * relative * 1.001;
    let tail = Interval::point(quotient.lo()) + Interval::new(-margin, margin);
    let bounds = Interval::point(quotient.hi()) + tail;
    Some(Bracket { value: quotient.hi(), lower: bounds.lo(), upper: bounds.hi() })
}

/// A line in integers: points scaled by one power of two, directions by another.
struct Exact {
    exponent: i32,
    direction_exponent: i32,
    origin: IntegerVec3,
    direction: IntegerVec3,
}

impl Exact {
    fn new(line: &Line, points: &[DVec3]) -> Exact {
        let places = points.iter().chain(std::iter::once(&line.origin)).flat_map(|point| point.to_array());
        let exponent = common_exponent(places).unwrap_or(0);
        let direction_exponent = common_exponent(line.direction.to_array().into_iter()).unwrap_or(0);
        Exact {
            exponent,
            direction_exponent,
            origin: IntegerVec3::new(line.origin, exponent),
            direction: IntegerVec3::new(line.direction, direction_exponent),
        }
    }

    fn relative(&self, point: DVec3) -> IntegerVec3 {
        IntegerVec3::new(point, self.exponent).sub(&self.origin)
    }

    /// A quotient whose numerator has one point as a factor more than its denominator, which has a direction instead.
    fn ratio(&self, numerator: BigInt, denominator: BigInt) -> ExactRatio {
        let shift = self.exponent - self.direction_exponent;
        let (up, down) = (shift.max(0) as usize, (-shift).max(0) as usize);
        let rises = denominator.is_positive();
        let (numerator, denominator) = (numerator << up, denominator << down);
        if denominator.is_negative() {
            ExactRatio { numerator: -numerator, denominator: -denominator, rises }
        } else {
            ExactRatio { numerator, denominator, rises }
        }
    }
}

/// A rational number; the denominator is not negative.
struct ExactRatio {
    numerator: BigInt,
    denominator: BigInt,
    /// Whether the denominator was positive before its sign was normalised; for a plane, whether the line crosses it
    /// upwards.
    rises: bool,
}

impl ExactRatio {
    fn compare(&self, t: f64) -> Ordering {
        if t == f64::INFINITY {
            return Ordering::Less;
        }
        if t == f64::NEG_INFINITY {
            return Ordering::Greater;
        }
        let exponent = common_exponent(std::iter::once(t)).unwrap_or(0);
        let product = integer(t, exponent) * &self.denominator;
        if exponent >= 0 {
            self.numerator.cmp(&(product << exponent as usize))
        } else {
            (&self.numerator << (-exponent) as usize).cmp(&product)
        }
    }

    /// The narrowest possible bracket: adjacent floats, or a single number.
    fn bracket(&self) -> Bracket {
        if self.denominator.is_zero() {
            // A line parallel to the plane has no parameter; the traversal never asks for one.
            return Bracket { value: 0.0, lower: f64::NEG_INFINITY, upper: f64::INFINITY };
        }
        let value = ratio(&self.numerator, &self.denominator);
        let (mut lower, mut upper) = (value, value);
        let mut steps = 0..STEPS;
        while self.compare(lower).is_lt() {
            lower = if steps.next().is_some() { lower.next_down() } else { f64::NEG_INFINITY };
        }
        let mut steps = 0..STEPS;
        while self.compare(upper).is_gt() {
            upper = if steps.next().is_some() { upper.next_up() } else { f64::INFINITY };
        }
        // One end may have been on its side from the start, and farther out than necessary.
        for _ in 0..STEPS {
            if self.compare(lower.next_up()).is_lt() {
                break;
            }
            lower = lower.next_up();
        }
        for _ in 0..STEPS {
            if self.compare(upper.next_down()).is_gt() {
                break;
            }
            upper = upper.next_down();
        }
        Bracket { value: value.clamp(lower, upper), lower, upper }
    }
}
