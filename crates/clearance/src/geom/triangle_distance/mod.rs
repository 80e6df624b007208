//! The distance between two triangles, with a proved bracket.
//!
//! Larsen, Gottschalk, Lin and Manocha, *Fast proximity queries with swept sphere volumes* (1999), and the triangle
//! kernel of their PQP: the nearest of the nine pairs of edges, finished as soon as the third corners lie behind the
//! two planes perpendicular to the connecting segment; then the corners over the other triangle's face.
//!
//! Departures:
//! - nothing is concluded from the search. It yields a candidate: two points, whose distance bounds the gap from above,
//!   and a direction, along which the distance between the supporting planes bounds it from below. The direction comes
//!   from the features (the normal of a face, the normal of two edges, the perpendicular to an edge) and not from the
//!   two points, so it stays accurate when the gap is small;
//! - where the bracket is too wide, the search is repeated in double-double (thin triangles, nearly parallel edges),
//!   and where that is not enough either, in integers, over all pairs of features. [`triangles_cross`] decides whether
//!   the triangles meet, and only when no gap was proved;
//! - everything is relative to a nearby point, so no digits are lost far from the origin;
//! - the corners and the triangles are sorted first: the answer depends neither on the order of the corners nor on that
//!   of the arguments.
//!
//! # The bracket
//! Everything is relative to `o`, the lowest corner of the box around both. Let `M` be the vector of the largest `a_i -
//! o` plus the largest `b_j - o`, component by component.
//! - Lower: for a direction `n`, the products `n . (v - o)` are off by `u` for the difference and `3u` for the product,
//!   of `|n| . |v - o|` in absolute values; two corners, so `4u |n| . M`. One more `u` covers this bound's own
//!   rounding. The difference of the products, the last subtraction and the last product add `u` each to the result,
//!   and a unit `n` has length 1 within `4.5u` (`2.5u` for the length, `u` for the reciprocal and `u` for the product):
//!   `8u`.
//! - Upper: a point is `c + s e + t f`, with `c` the corner of the largest weight and `e`, `f` differences of corners.
//!   Weights are not negative and add up to no more than 5/4, so `s + t` is at most 5/6, and the point with exactly
//!   these `s` and `t` is one of the triangle. Each component is off by `u` for `c - o`, by `2u (s + t)` for the
//!   differences and products, by `2u` for the sums: less than `5u` of `M` for both points together. Difference and
//!   length of the two: `3.5u`.
//! - Underflow: products lose a few times 2⁻¹⁰⁷⁴, for which 2⁻¹⁰²² is subtracted from the lower bound; the square of a
//!   distance below 1e-154 may be lost, which the upper bound's share of `M`, at least 1e-60, covers within its margin.

mod exact;
#[cfg(test)]
mod tests;

use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::DVec3;

use super::triangle_triangle::{Crossing, Feature3, is_before, triangles_cross};
use crate::math::double_double::DoubleDouble;
use crate::math::tolerances::{ROUND_UP, SMALLEST_REACH, UNIT_ROUNDOFF};

/// Slack of a product gap along a direction, relative to `|n| . M`: see the module documentation.
const SUPPORT: f64 = 5.0 * UNIT_ROUNDOFF;
/// Relative slack of a lower bound: see the module documentation.
const ROUND_DOWN: f64 = 1.0 - 8.0 * UNIT_ROUNDOFF;
/// Slack of the distance of two computed points, relative to `|M|`: see the module documentation.
const POINTS: f64 = 6.0 * UNIT_ROUNDOFF;
/// Factor of the distance of two computed points: `u` for their difference, `2.5u` for its length, `2u` for the sum
/// with [`POINTS`].
const LENGTH: f64 = 1.0 + 8.0 * UNIT_ROUNDOFF;
/// As [`SUPPORT`] in double-double, where the differences are exact: an inner product is off by `14u²` of the
/// magnitudes, the difference of two by `3u²` of itself, which is no more than they.
const FINE_SUPPORT: f64 = 18.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF;
/// As [`POINTS`] in double-double: the products of a point are off by `7u² (s + t)` of `M`, its two sums by `3u²` of it
/// each, less than `12u²` in all; the difference of the points by `3u²` of itself.
const FINE_POINTS: f64 = 16.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF;
/// A bracket no wider than `NARROW |M| + NARROW_GAP upper` is narrow. The slacks alone are `11u` of `|M|` ([`SUPPORT`]
/// and [`POINTS`]) and `16u` of the gap ([`ROUND_DOWN`] and [`LENGTH`]); the rest is for the direction. Along an axis
/// on which A's box begins first, `M` is at most twice the width of A's box, plus that of B's and what is between; a
/// triangle's box has a diagonal of at most `√2` diameters. So `|M|` is below `2.83 (diam a + diam b) + gap`, and both
/// terms together below the promised 1e-14, which is `90u`.
const NARROW: f64 = 24.0 * UNIT_ROUNDOFF;
const NARROW_GAP: f64 = 16.0 * UNIT_ROUNDOFF;
/// Directions no longer than this prove nothing: their squares may have underflowed.
const LEAST_LENGTH: f64 = 1e-140;
/// Bounds below this count as this much, so that their squares do not underflow.
const LEAST_BOUND: f64 = 1e-100;

/// The distance between two triangles in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TriangleGap {
    /// The distance, between `lower` and `upper`; 0 exactly when the triangles meet.
    pub value: f64,
    /// Proved: the true distance is not less. Non-negative.
    pub lower: f64,
    /// Proved: the true distance is not greater. `upper - lower` is at most 1e-14 of (diameters + distance); where the
    /// distance is a subnormal float, `lower` is 0 and `upper` the smallest normal one.
    pub upper: f64,
    /// The nearest point of the first triangle, rounded; exact where it is a corner.
    pub point_a: DVec3,
    /// The nearest point of the second triangle; equal to `point_a` where the triangles meet.
    pub point_b: DVec3,
    /// Unit, from the first triangle to the second: the supporting planes perpendicular to it are `lower` apart, up to
    /// rounding. Zero where they meet.
    pub direction: DVec3,
    /// The feature that contains `point_a`. Exact where the triangles meet; else one of the features equally near to
    /// within rounding.
    pub on_a: Feature3,
    /// The feature that contains `point_b`.
    pub on_b: Feature3,
}

/// The distance between two triangles, degenerate ones included, for coordinates up to 1e60. Swapped arguments give the
/// same bits, swapped; the order of the corners does not matter.
///
/// A bracket no wider than `accuracy` is accepted as it is, although narrower ones are guaranteed otherwise.
pub(crate) fn triangle_gap(a: &[DVec3; 3], b: &[DVec3; 3], accuracy: f64) -> TriangleGap {
    let pair = Pair::new(a, b);
    let gap = pair.gap(&Frame::new(&pair.a, &pair.b), &Figure::new(&pair), f64::INFINITY, accuracy);
    // No gap exceeds infinity, so this is never `None`.
    pair.renumbered(gap.unwrap_or_else(|| pair.exact_gap()))
}

/// The distance between two triangles, or `None` as soon as it is proved to exceed `bound`. A gap above `bound` by less
/// than rounding may be returned. As [`triangle_gap`] otherwise.
pub(crate) fn triangle_gap_below(a: &[DVec3; 3], b: &[DVec3; 3], bound: f64, accuracy: f64) -> Option<TriangleGap> {
    // Boxes and supporting planes do not depend on the order of corners, and swapping the triangles only changes signs.
    let mut frame = Frame::new(a, b);
    if frame.boxes_are_beyond(bound) || frame.is_beyond(frame.between_boxes, bound) {
        return None;
    }
    let pair = Pair::new(a, b);
    if pair.swapped {
        std::mem::swap(&mut frame.from_origin_a, &mut frame.from_origin_b);
    }
    let figure = Figure::new(&pair);
    if [&figure.edges_a, &figure.edges_b].into_iter().any(|edges| frame.is_beyond(normal(edges).into(), bound)) {
        return None;
    }
    pair.gap(&frame, &figure, bound, accuracy).map(|gap| pair.renumbered(gap))
}

/// Two triangles in canonical order.
struct Pair {
    a: [DVec3; 3],
    b: [DVec3; 3],
    /// The caller's index of each corner.
    names_a: [u8; 3],
    names_b: [u8; 3],
    /// Whether `a` is the caller's second triangle.
    swapped: bool,
}

impl Pair {
    #[inline(always)]
    fn new(a: &[DVec3; 3], b: &[DVec3; 3]) -> Pair {
        let ((a, names_a), (b, names_b)) = (in_order(a), in_order(b));
        if comes_before(&b, &a) {
            Pair { a: b, b: a, names_a: names_b, names_b: names_a, swapped: true }
        } else {
            Pair { a, b, names_a, names_b, swapped: false }
        }
    }

    /// An answer about the pair in the caller's numbering.
    fn renumbered(&self, gap: TriangleGap) -> TriangleGap {
        let (on_a, on_b) = (renamed(gap.on_a, self.names_a), renamed(gap.on_b, self.names_b));
        if self.swapped {
            // Subtracted from zero, so that a zero stays positive.
            let direction = DVec3::ZERO - gap.direction;
            TriangleGap { point_a: gap.point_b, point_b: gap.point_a, direction, on_a: on_b, on_b: on_a, ..gap }
        } else {
            TriangleGap { on_a, on_b, direction: DVec3::ZERO + gap.direction, ..gap }
        }
    }

    /// The gap, or `None` if it exceeds `bound`.
    fn gap(&self, frame: &Frame, figure: &Figure<'_, f64>, bound: f64, accuracy: f64) -> Option<TriangleGap> {
        // Products of four lengths neither underflow nor overflow; they come from corners up to 1e60.
        let ordinary = frame.extent.max_element() >= SMALLEST_REACH;
        let enough = |gap: &TriangleGap| gap.lower > 0.0 && gap.upper - gap.lower <= accuracy;
        let is_narrow = |gap: &TriangleGap| enough(gap) || frame.is_narrow(gap.lower, gap.upper);
        let mut rough = None;
        if ordinary {
            let found = figure.search();
            let gap = self.certify(frame, &found.spots(), found.directions(figure).map(DVec3::from));
            if gap.lower > bound {
                return None;
            }
            if is_narrow(&gap) {
                return Some(gap);
            }
            rough = Some(gap);
        }
        if rough.is_none_or(|gap| gap.lower == 0.0)
            && let Some(crossing) = triangles_cross(&self.a, &self.b)
        {
            return Some(contact(&crossing));
        }
        let gap = rough.and_then(|rough| self.fine_gap(frame, rough, is_narrow)).unwrap_or_else(|| self.exact_gap());
        (gap.lower <= bound).then_some(gap)
    }

    /// The gap in double-double arithmetic, where that gives a narrow bracket: first for the features found in floats,
    /// then by a new search.
    #[cold]
    #[inline(never)]
    fn fine_gap(
        &self,
        frame: &Frame,
        rough: TriangleGap,
        is_narrow: impl Fn(&TriangleGap) -> bool,
    ) -> Option<TriangleGap> {
        let figure = Figure::<DoubleDouble>::new(self);
        let there = figure.about(rough.on_a, rough.on_b).map(|found| self.certify_fine(frame, &figure, &found));
        there
            .filter(&is_narrow)
            .or_else(|| Some(self.certify_fine(frame, &figure, &figure.search())).filter(&is_narrow))
    }

    /// [`Pair::certify`] in double-double. The direction is not rounded, so that gaps far below the rounding of floats
    /// are proved too.
    fn certify_fine(
        &self,
        frame: &Frame,
        figure: &Figure<'_, DoubleDouble>,
        found: &Found<DoubleDouble>,
    ) -> TriangleGap {
        let origin = frame.origin;
        let product = |corner: DVec3, direction| dot(from_to(origin, corner), direction);
        let point = |corners: &[DVec3; 3], weights: &[DoubleDouble; 3]| {
            let heaviest = heaviest(weights);
            let (next, last) = ((heaviest + 1) % 3, (heaviest + 2) % 3);
            let towards = |k: usize| from_to(corners[heaviest], corners[k]);
            let along = plus_times(from_to(origin, corners[heaviest]), weights[next], towards(next));
            plus_times(along, weights[last], towards(last))
        };
        let (point_a, point_b) = (point(&self.a, &found.weights_a), point(&self.b, &found.weights_b));
        let distance = length(plus_times(point_b, DoubleDouble::from(-1.0), point_a)).to_f64();
        // Rounded once from double-double, so more accurate than in floats.
        let upper = distance * LENGTH + FINE_POINTS * frame.extent.length();
        let mut best = (0.0, DVec3::ZERO);
        for direction in found.directions(figure) {
            let [p, q, r] = self.a.map(|corner| product(corner, direction));
            let [s, t, v] = self.b.map(|corner| product(corner, direction));
            let apart = least(least(s, t), v) + least(least(-p, -q), -r);
            let slack = FINE_SUPPORT * rounded(direction).abs().dot(frame.extent) * ROUND_UP + f64::MIN_POSITIVE;
            let length = length(direction);
            let lower = (apart.add_f64(-slack) / length).to_f64() * ROUND_DOWN;
            if lower > best.0 && lower.is_finite() && length.to_f64() > LEAST_LENGTH {
                best = (lower, rounded(direction.map(|x| x / length)));
            }
            if frame.is_narrow(best.0, upper) {
                break;
            }
        }
        let [spot_a, spot_b] = found.spots();
        TriangleGap {
            value: distance.max(best.0).min(upper),
            lower: best.0,
            upper,
            point_a: spot_a.point(&self.a, DVec3::ZERO),
            point_b: spot_b.point(&self.b, DVec3::ZERO),
            direction: best.1,
            on_a: found.on_a,
            on_b: found.on_b,
        }
    }

    /// The bracket proved by two points and some directions. The first direction is used unless another proves more.
    fn certify(&self, frame: &Frame, spots: &[Spot; 2], directions: [DVec3; 2]) -> TriangleGap {
        let between = spots[1].point(&self.b, frame.origin) - spots[0].point(&self.a, frame.origin);
        let distance = between.length();
        let upper = distance * LENGTH + POINTS * frame.extent.length();
        let mut best = (0.0, DVec3::ZERO);
        for direction in directions {
            let proved = frame.lower(direction);
            if proved.0 > best.0 || best.1 == DVec3::ZERO {
                best = proved;
            }
            if frame.is_narrow(best.0, upper) {
                break;
            }
        }
        TriangleGap {
            value: distance.max(best.0).min(upper),
            lower: best.0,
            upper,
            point_a: spots[0].point(&self.a, DVec3::ZERO),
            point_b: spots[1].point(&self.b, DVec3::ZERO),
            direction: best.1,
            on_a: spots[0].feature,
            on_b: spots[1].feature,
        }
    }
}

/// The gap of triangles that meet.
fn contact(crossing: &Crossing) -> TriangleGap {
    TriangleGap {
        value: 0.0,
        lower: 0.0,
        upper: 0.0,
        point_a: crossing.ends[0],
        point_b: crossing.ends[0],
        direction: DVec3::ZERO,
        on_a: crossing.on_a[0],
        on_b: crossing.on_b[0],
    }
}

/// The corners sorted by coordinates, and their original indices.
#[inline]
fn in_order(t: &[DVec3; 3]) -> ([DVec3; 3], [u8; 3]) {
    let mut names = [0_u8, 1, 2];
    let mut corners = *t;
    for (p, q) in [(0, 1), (1, 2), (0, 1)] {
        if is_before(corners[q], corners[p]) {
            corners.swap(p, q);
            names.swap(p, q);
        }
    }
    (corners, names)
}

/// Whether this triangle comes first, by the first corner in which they differ.
#[inline(always)]
fn comes_before(t: &[DVec3; 3], other: &[DVec3; 3]) -> bool {
    for (&p, &q) in t.iter().zip(other) {
        if is_before(p, q) {
            return true;
        }
        if is_before(q, p) {
            return false;
        }
    }
    false
}

fn renamed(feature: Feature3, names: [u8; 3]) -> Feature3 {
    match feature {
        Feature3::Vertex(k) => Feature3::Vertex(names[usize::from(k) % 3]),
        Feature3::Edge(k) => {
            let (p, q) = (names[usize::from(k) % 3], names[(usize::from(k) + 1) % 3]);
            Feature3::Edge(if (p + 1) % 3 == q { p } else { q })
        }
        Feature3::Face => Feature3::Face,
    }
}

#[inline]
fn heaviest<T: Real>(weights: &[T; 3]) -> usize {
    if weights[0] >= weights[1] && weights[0] >= weights[2] { 0 } else { 1 + usize::from(weights[2] > weights[1]) }
}

/// A point of a triangle by its barycentric weights.
struct Spot {
    feature: Feature3,
    weights: [f64; 3],
}

impl Spot {
    /// The point relative to `origin`, from the heaviest corner.
    #[inline]
    fn point(&self, corners: &[DVec3; 3], origin: DVec3) -> DVec3 {
        let w = &self.weights;
        let heaviest = heaviest(w);
        let (next, last) = ((heaviest + 1) % 3, (heaviest + 2) % 3);
        let corner = corners[heaviest];
        match self.feature {
            Feature3::Vertex(_) => corner - origin,
            _ => (corner - origin) + w[next] * (corners[next] - corner) + w[last] * (corners[last] - corner),
        }
    }
}

/// The corners relative to the lowest corner of their box, for the proof.
struct Frame {
    origin: DVec3,
    from_origin_a: [DVec3; 3],
    from_origin_b: [DVec3; 3],
    /// `M` of the module documentation.
    extent: DVec3,
    /// The gap between the boxes along each axis, up to rounding; non-negative.
    box_gap: DVec3,
    /// Twice the vector from the centre of A's box to that of B's.
    between_boxes: DVec3,
}

impl Frame {
    #[inline]
    fn new(a: &[DVec3; 3], b: &[DVec3; 3]) -> Frame {
        let low = |t: &[DVec3; 3]| t[0].min(t[1]).min(t[2]);
        let high = |t: &[DVec3; 3]| t[0].max(t[1]).max(t[2]);
        let (low_a, low_b, high_a, high_b) = (low(a), low(b), high(a), high(b));
        let origin = low_a.min(low_b);
        Frame {
            origin,
            from_origin_a: a.map(|corner| corner - origin),
            from_origin_b: b.map(|corner| corner - origin),
            extent: (high_a - origin) + (high_b - origin),
            box_gap: (low_b - high_a).max(low_a - high_b).max(DVec3::ZERO),
            between_boxes: (low_b + high_b) - (low_a + high_a),
        }
    }

    /// Whether the boxes alone are farther apart than `bound`.
    #[inline]
    fn boxes_are_beyond(&self, bound: f64) -> bool {
        let bound = bound.max(LEAST_BOUND);
        // Two roundings each of the differences, one of the squares, two of the sums, two for the bound: below 8u.
        self.box_gap.length_squared() * (1.0 - 16.0 * UNIT_ROUNDOFF) > bound * bound
    }

    /// Whether the gap provably exceeds `bound` along a direction or its opposite.
    #[inline]
    fn is_beyond(&self, direction: DVec3, bound: f64) -> bool {
        let bound = bound.max(LEAST_BOUND);
        let (low_a, high_a) = span(&self.from_origin_a, direction);
        let (low_b, high_b) = span(&self.from_origin_b, direction);
        let apart = (low_b - high_a).max(low_a - high_b) - self.slack(direction);
        let limit = bound * bound * direction.length_squared();
        // The difference in `apart`, the squares and the products are off by less than 8u together.
        apart > 0.0 && limit >= f64::MIN_POSITIVE && apart * apart * (1.0 - 16.0 * UNIT_ROUNDOFF) > limit
    }

    /// Whether a bracket proves a gap and is narrow enough.
    #[inline]
    fn is_narrow(&self, lower: f64, upper: f64) -> bool {
        lower > 0.0 && upper - lower <= NARROW * self.extent.length() + NARROW_GAP * upper
    }

    /// Error bound of the difference of two products with a direction.
    #[inline]
    fn slack(&self, direction: DVec3) -> f64 {
        SUPPORT * direction.abs().dot(self.extent) + f64::MIN_POSITIVE
    }

    /// A lower bound of the gap along a direction, 0 if it proves none, and the normalised direction.
    #[inline]
    fn lower(&self, direction: DVec3) -> (f64, DVec3) {
        let length = direction.length();
        let unit = direction * (1.0 / length);
        if !(length > LEAST_LENGTH && unit.is_finite()) {
            return (0.0, DVec3::ZERO);
        }
        let (_, high_a) = span(&self.from_origin_a, unit);
        let (low_b, _) = span(&self.from_origin_b, unit);
        let apart = (low_b - high_a) - self.slack(unit);
        ((apart * ROUND_DOWN).max(0.0), unit)
    }
}

/// The least and the largest product with a direction.
#[inline]
fn span(corners: &[DVec3; 3], direction: DVec3) -> (f64, f64) {
    let [p, q, r] = corners.map(|corner| corner.dot(direction));
    (p.min(q).min(r), p.max(q).max(r))
}

/// The number type of the search: floats or double-doubles.
trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + From<f64>
    + Into<f64>
{
    fn difference(a: f64, b: f64) -> Self;
}

impl Real for f64 {
    #[inline]
    fn difference(a: f64, b: f64) -> f64 {
        a - b
    }
}

impl Real for DoubleDouble {
    #[inline]
    fn difference(a: f64, b: f64) -> DoubleDouble {
        DoubleDouble::from_difference(a, b)
    }
}

type Vector<T> = [T; 3];

#[inline]
fn from_to<T: Real>(p: DVec3, q: DVec3) -> Vector<T> {
    [T::difference(q.x, p.x), T::difference(q.y, p.y), T::difference(q.z, p.z)]
}

#[inline]
fn plus_times<T: Real>(a: Vector<T>, s: T, b: Vector<T>) -> Vector<T> {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

#[inline]
fn dot<T: Real>(a: Vector<T>, b: Vector<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
fn cross<T: Real>(a: Vector<T>, b: Vector<T>) -> Vector<T> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The normal of a triangle by its edges, not of unit length.
#[inline]
fn normal<T: Real>(edges: &[Vector<T>; 3]) -> Vector<T> {
    cross(edges[0], edges[1])
}

/// The component of `v` perpendicular to `edge`; projected twice, so that it is perpendicular to rounding however small
/// it is.
fn across<T: Real>(v: Vector<T>, edge: Vector<T>) -> Vector<T> {
    let squared = dot(edge, edge);
    let once = plus_times(v, -(dot(v, edge) / squared), edge);
    plus_times(once, -(dot(once, edge) / squared), edge)
}

/// `v` or `-v`, whichever points along `to`.
fn towards<T: Real>(v: Vector<T>, to: Vector<T>) -> Vector<T> {
    if dot(v, to) < T::from(0.0) { v.map(|x| -x) } else { v }
}

fn rounded(v: Vector<DoubleDouble>) -> DVec3 {
    DVec3::from(v.map(DoubleDouble::to_f64))
}

fn length(v: Vector<DoubleDouble>) -> DoubleDouble {
    dot(v, v).sqrt()
}

fn least(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
    if b < a { b } else { a }
}

/// Two triangles and their edges; edge `k` runs from corner `k` to the next.
struct Figure<'p, T> {
    a: &'p [DVec3; 3],
    b: &'p [DVec3; 3],
    edges_a: [Vector<T>; 3],
    edges_b: [Vector<T>; 3],
}

/// The result of the search: two points by their features and weights.
struct Found<T> {
    on_a: Feature3,
    on_b: Feature3,
    weights_a: [T; 3],
    weights_b: [T; 3],
    between: Vector<T>,
    squared: T,
}

impl<'p, T: Real> Figure<'p, T> {
    #[inline]
    fn new(pair: &'p Pair) -> Figure<'p, T> {
        let edges = |t: &[DVec3; 3]| [from_to(t[0], t[1]), from_to(t[1], t[2]), from_to(t[2], t[0])];
        Figure { a: &pair.a, b: &pair.b, edges_a: edges(&pair.a), edges_b: edges(&pair.b) }
    }

    /// The nearest points, to within rounding. Arbitrary points where the triangles cross.
    fn search(&self) -> Found<T> {
        let zero = T::from(0.0);
        let squared = |edges: &[Vector<T>; 3]| edges.map(|edge| (edge, dot(edge, edge)));
        let (edges_a, edges_b) = (squared(&self.edges_a), squared(&self.edges_b));
        // Starts between the first corners.
        let (mut best, mut best_between) = ((0, 0, zero, zero), from_to(self.a[0], self.b[0]));
        let mut least = dot(best_between, best_between);
        for (i, &(edge_a, square_a)) in edges_a.iter().enumerate() {
            for (j, &(edge_b, square_b)) in edges_b.iter().enumerate() {
                let from_a = from_to(self.a[i], self.b[j]);
                let (s, t) = nearest_of_edges((edge_a, square_a), (edge_b, square_b), from_a);
                let between = plus_times(plus_times(from_a, t, edge_b), -s, edge_a);
                let squared = dot(between, between);
                if squared > least {
                    continue;
                }
                (best, best_between, least) = ((i, j, s, t), between, squared);
                // How far the third corner lies behind the point along the connecting vector; that corner starts the
                // last edge.
                let beyond_a = dot(plus_times(self.edges_a[(i + 2) % 3], s, edge_a), between);
                let beyond_b = dot(plus_times(self.edges_b[(j + 2) % 3], t, edge_b), between);
                if beyond_a >= zero && beyond_b <= zero {
                    return Found::of_edges(best, between, squared);
                }
            }
        }
        let found = Found::of_edges(best, best_between, least);
        let found = self.over_a(found.squared).unwrap_or(found);
        self.over_b(found.squared).unwrap_or(found)
    }

    /// A corner of B over the inside of A, if it is not farther away than the square root of `least`.
    fn over_a(&self, least: T) -> Option<Found<T>> {
        let over = corner_over_face((self.a, &self.edges_a), self.b, least)?;
        Some(Found {
            on_a: Feature3::Face,
            on_b: Feature3::Vertex(over.corner as u8),
            weights_a: over.weights,
            weights_b: unit_weights(over.corner),
            between: over.height,
            squared: over.squared,
        })
    }

    /// A corner of A over the inside of B.
    fn over_b(&self, least: T) -> Option<Found<T>> {
        let over = corner_over_face((self.b, &self.edges_b), self.a, least)?;
        Some(Found {
            on_a: Feature3::Vertex(over.corner as u8),
            on_b: Feature3::Face,
            weights_a: unit_weights(over.corner),
            weights_b: over.weights,
            between: over.height.map(|x| -x),
            squared: over.squared,
        })
    }

    /// The nearest points of two given features.
    fn about(&self, on_a: Feature3, on_b: Feature3) -> Option<Found<T>> {
        let (i, j) = match (on_a, on_b) {
            (Feature3::Face, _) => return self.over_a(T::from(f64::MAX)),
            (_, Feature3::Face) => return self.over_b(T::from(f64::MAX)),
            (Feature3::Vertex(i) | Feature3::Edge(i), Feature3::Vertex(j) | Feature3::Edge(j)) => {
                (usize::from(i) % 3, usize::from(j) % 3)
            }
        };
        let (edge_a, edge_b) = (self.edges_a[i], self.edges_b[j]);
        let from_a = from_to(self.a[i], self.b[j]);
        let (s, t) = nearest_of_edges((edge_a, dot(edge_a, edge_a)), (edge_b, dot(edge_b, edge_b)), from_a);
        let between = plus_times(plus_times(from_a, t, edge_b), -s, edge_a);
        Some(Found::of_edges((i, j, s, t), between, dot(between, between)))
    }
}

/// The nearest points of two segments, as fractions of their edges. Ericson, *Real-Time Collision Detection* (2005),
/// 5.1.9, with triple products in place of products of dot products. Degenerate edges count as their start points.
#[inline]
fn nearest_of_edges<T: Real>(
    (edge_a, square_a): (Vector<T>, T),
    (edge_b, square_b): (Vector<T>, T),
    from_a: Vector<T>,
) -> (T, T) {
    let (zero, one) = (T::from(0.0), T::from(1.0));
    let clamp = |x: T| {
        if x > zero { if x < one { x } else { one } } else { zero }
    };
    let foot = |along: T, square: T| if square > zero { clamp(along / square) } else { zero };
    let normal = cross(edge_a, edge_b);
    let s = foot(dot(cross(from_a, edge_b), normal), dot(normal, normal));
    let t = foot(s * dot(edge_a, edge_b) - dot(from_a, edge_b), square_b);
    if t > zero && t < one {
        return (s, t);
    }
    (foot(dot(from_a, edge_a) + t * dot(edge_a, edge_b), square_a), t)
}

fn unit_weights<T: Real>(corner: usize) -> [T; 3] {
    let mut weights = [T::from(0.0); 3];
    weights[corner] = T::from(1.0);
    weights
}

/// A corner over the inside of the other triangle, nearer than anything so far.
struct Over<T> {
    corner: usize,
    weights: [T; 3],
    /// From the face to the corner.
    height: Vector<T>,
    squared: T,
}

/// The corner nearest the plane of a face, if all corners are strictly on one side of it, that one is over the face,
/// and the square of its height does not exceed `least`.
fn corner_over_face<T: Real>(
    (corners, edges): (&[DVec3; 3], &[Vector<T>; 3]),
    others: &[DVec3; 3],
    least: T,
) -> Option<Over<T>> {
    let zero = T::from(0.0);
    let normal = normal(edges);
    let square = dot(normal, normal);
    let heights = others.map(|other| dot(from_to(corners[0], other), normal));
    let above = heights.iter().all(|&height| height > zero);
    let below = heights.iter().all(|&height| height < zero);
    if !(above || below) || square <= zero {
        return None;
    }
    let nearer = |p: usize, q: usize| if above { heights[p] < heights[q] } else { heights[p] > heights[q] };
    let corner = (1..3).fold(0, |best, k| if nearer(k, best) { k } else { best });
    let squared = heights[corner] * (heights[corner] / square);
    if squared > least {
        return None;
    }
    let (mut weights, mut total) = ([zero; 3], zero);
    for k in 0..3 {
        let weight = dot(cross(normal, edges[k]), from_to(corners[k], others[corner]));
        if weight <= zero {
            return None;
        }
        weights[(k + 2) % 3] = weight / square;
        total = total + weight / square;
    }
    // The face is so thin that the weights do not add up to one: they are meaningless.
    if total < T::from(0.75) || total > T::from(1.25) {
        return None;
    }
    let height = plus_times([zero; 3], heights[corner] / square, normal);
    Some(Over { corner, weights, height, squared })
}

impl<T: Real> Found<T> {
    fn of_edges((i, j, s, t): (usize, usize, T, T), between: Vector<T>, squared: T) -> Found<T> {
        let (on_a, weights_a) = on_edge(i, s);
        let (on_b, weights_b) = on_edge(j, t);
        Found { on_a, on_b, weights_a, weights_b, between, squared }
    }

    fn spots(&self) -> [Spot; 2] {
        let spot = |feature, weights: [T; 3]| Spot { feature, weights: weights.map(Into::into) };
        [spot(self.on_a, self.weights_a), spot(self.on_b, self.weights_b)]
    }

    /// Directions perpendicular to the two features, the most promising first.
    fn directions(&self, figure: &Figure<'_, T>) -> [Vector<T>; 2] {
        let corner = |k: u8| usize::from(k) % 3;
        let across_features = match (self.on_a, self.on_b) {
            (Feature3::Vertex(i), Feature3::Vertex(j)) => from_to(figure.a[corner(i)], figure.b[corner(j)]),
            (Feature3::Vertex(i), Feature3::Edge(j)) => {
                across(from_to(figure.a[corner(i)], figure.b[corner(j)]), figure.edges_b[corner(j)])
            }
            (Feature3::Edge(i), Feature3::Vertex(j)) => {
                across(from_to(figure.a[corner(i)], figure.b[corner(j)]), figure.edges_a[corner(i)])
            }
            (Feature3::Edge(i), Feature3::Edge(j)) => {
                towards(cross(figure.edges_a[corner(i)], figure.edges_b[corner(j)]), self.between)
            }
            (Feature3::Face, _) => towards(normal(&figure.edges_a), self.between),
            (_, Feature3::Face) => towards(normal(&figure.edges_b), self.between),
        };
        // For nearly parallel edges the normal is useless, and a perpendicular to one is perpendicular to both.
        let otherwise = match self.on_a {
            Feature3::Edge(i) => across(self.between, figure.edges_a[corner(i)]),
            _ => self.between,
        };
        [across_features, otherwise]
    }
}

fn on_edge<T: Real>(edge: usize, fraction: T) -> (Feature3, [T; 3]) {
    let (zero, one) = (T::from(0.0), T::from(1.0));
    let next = (edge + 1) % 3;
    if fraction <= zero {
        return (Feature3::Vertex(edge as u8), unit_weights(edge));
    }
    if fraction >= one {
        return (Feature3::Vertex(next as u8), unit_weights(next));
    }
    let mut weights = [zero; 3];
    weights[edge] = one - fraction;
    weights[next] = fraction;
    (Feature3::Edge(edge as u8), weights)
}
