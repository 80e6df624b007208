//! The common point of two triangle features: in floats where their error bounds allow, then in double-double, then in
//! integers.

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::Signed;

use super::{Feature3, TrianglePlane, by_coordinates, edge_of, is_before};
use crate::math::enclosed::Enclosed;
use crate::math::integer::{IntegerVec3, common_exponent, ratio};
use crate::math::predicates::{Axis, ORIENT2D_BOUND, TINY_RESULT};
use crate::math::ring::{Ring, cross, dot, subtract, vector};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// Where the fraction along an edge has a larger error than this, it is recomputed in higher precision: 2⁻⁴⁴. The
/// filters of the predicates are off by `7u` of a sum of magnitudes; an edge that is not nearly in the plane exceeds
/// that some ten times.
const FRACTION_ERROR: f64 = 512.0 * UNIT_ROUNDOFF;

/// The common point of two features, rounded. See [`Corner::point`](super::Corner::point).
pub(super) fn meeting_point(a: &[DVec3; 3], on_a: Feature3, b: &[DVec3; 3], on_b: Feature3) -> DVec3 {
    // Zero is added so that equal corners never yield a negative zero.
    match (on_a, on_b) {
        (Feature3::Vertex(k), _) => a[usize::from(k)] + DVec3::ZERO,
        (_, Feature3::Vertex(k)) => b[usize::from(k)] + DVec3::ZERO,
        (Feature3::Edge(i), Feature3::Edge(j)) => edge_on_edge(edge_of(a, usize::from(i)), edge_of(b, usize::from(j))),
        (Feature3::Edge(k), Feature3::Face) => edge_through_face(edge_of(a, usize::from(k)), b),
        (Feature3::Face, Feature3::Edge(k)) => edge_through_face(edge_of(b, usize::from(k)), a),
        // Unreachable: two faces share a segment or nothing.
        (Feature3::Face, Feature3::Face) => a[0],
    }
}

/// Two or three points in order, equal ones left in place. A swap network: the library's sort would be a function call.
#[inline(always)]
fn sorted<const N: usize>(mut points: [DVec3; N]) -> [DVec3; N] {
    for end in (1..N).rev() {
        for k in 0..end {
            if is_before(points[k + 1], points[k]) {
                points.swap(k, k + 1);
            }
        }
    }
    points
}

fn edge_through_face(edge: [DVec3; 2], face: &[DVec3; 3]) -> DVec3 {
    let (edge, face) = (sorted(edge), sorted(*face));
    let plane = TrianglePlane::new(&face);
    let (volumes, errors) = unzip(edge.map(|end| plane.volume(end)));
    let fraction = Fraction::from_floats(volumes, errors)
        .or_else(|| Fraction::from_enclosed(edge.map(|end| volume::<Enclosed>(&face, end))))
        .unwrap_or_else(|| {
            let exponent = common_exponent(edge.iter().chain(&face).flat_map(|p| p.to_array())).unwrap_or(0);
            let [f, g, h] = face.map(|p| IntegerVec3::new(p, exponent));
            let normal = g.sub(&f).cross(&h.sub(&f));
            Fraction::from_integers(edge.map(|end| normal.dot(&IntegerVec3::new(end, exponent).sub(&f))))
        });
    fraction.of(edge)
}

/// As [`orient3d`](crate::math::orient3d), over a ring.
fn volume<N: Ring>(face: &[DVec3; 3], point: DVec3) -> N {
    let [f, g, h] = face.map(vector::<N>);
    dot(&cross(&subtract(&g, &f), &subtract(&h, &f)), &subtract(&vector(point), &f))
}

fn edge_on_edge(one: [DVec3; 2], other: [DVec3; 2]) -> DVec3 {
    let (one, other) = (sorted(one), sorted(other));
    let swap = by_coordinates(other[0], one[0]).then(by_coordinates(other[1], one[1])).is_lt();
    // The fraction at which the first crosses the second, projected along the axis nearest their normal.
    let (edge, line) = if swap { (other, one) } else { (one, other) };
    let normal = (edge[1] - edge[0]).cross(line[1] - line[0]).abs();
    let axis = match normal.max_element() {
        most if most == normal.z => Axis::Z,
        most if most == normal.y => Axis::Y,
        _ => Axis::X,
    };
    let ([ax, ay], [bx, by]) = (axis.project(line[0]), axis.project(line[1]));
    let (areas, errors) = unzip(edge.map(|end| {
        let [cx, cy] = axis.project(end);
        let (left, right) = ((ax - cx) * (by - cy), (ay - cy) * (bx - cx));
        (left - right, ORIENT2D_BOUND * (left.abs() + right.abs()) + TINY_RESULT)
    }));
    let enclosed = || {
        Fraction::from_enclosed(edge.map(|end| {
            let [cx, cy] = axis.project(end);
            let difference = Enclosed::difference;
            difference(ax, cx) * difference(by, cy) - difference(ay, cy) * difference(bx, cx)
        }))
    };
    Fraction::from_floats(areas, errors)
        .or_else(enclosed)
        .unwrap_or_else(|| {
            let exponent = common_exponent(edge.iter().chain(&line).flat_map(|p| p.to_array())).unwrap_or(0);
            let [[p, q], [r, s]] = [edge, line].map(|ends| ends.map(|point| IntegerVec3::new(point, exponent)));
            let along = s.sub(&r);
            let normal = q.sub(&p).cross(&along);
            // Each end's cross product with the line is a multiple of the common normal.
            Fraction::from_integers([&p, &q].map(|end| normal.dot(&end.sub(&r).cross(&along))))
        })
        .of(edge)
}

/// A point of an edge: the fraction of its length, at most half, from the nearer end.
struct Fraction {
    from: usize,
    share: f64,
}

impl Fraction {
    /// From the distances of the two ends, on opposite sides, to the crossed feature; `None` if their errors leave it
    /// uncertain by more than [`FRACTION_ERROR`]. With `x` and `y` the distances, the fraction is `x / (x + y)`, whose
    /// derivatives are at most `1 / (x + y)`.
    fn from_floats(distances: [f64; 2], errors: [f64; 2]) -> Option<Fraction> {
        let [x, y] = distances.map(f64::abs);
        let total = x + y;
        let from = usize::from(y < x);
        // `u` of the result is the rounding not included in the errors.
        let open = errors[0] + errors[1] + UNIT_ROUNDOFF * total;
        (open < FRACTION_ERROR * total).then(|| Fraction { from, share: x.min(y) / total })
    }

    fn from_enclosed(distances: [Enclosed; 2]) -> Option<Fraction> {
        let [x, y] = distances.map(Enclosed::abs);
        let from = usize::from(y.to_f64() < x.to_f64());
        let share = [x, y][from] / (x + y);
        (share.error() < FRACTION_ERROR).then(|| Fraction { from, share: share.to_f64() })
    }

    /// Relative error at most `5u`.
    fn from_integers(distances: [BigInt; 2]) -> Fraction {
        let [x, y] = distances.map(|distance| distance.abs());
        let total = &x + &y;
        if y < x {
            Fraction { from: 1, share: ratio(&y, &total) }
        } else {
            Fraction { from: 0, share: ratio(&x, &total) }
        }
    }

    fn of(&self, edge: [DVec3; 2]) -> DVec3 {
        let (from, to) = (edge[self.from], edge[1 - self.from]);
        from + self.share * (to - from) + DVec3::ZERO
    }
}

fn unzip(pairs: [(f64, f64); 2]) -> ([f64; 2], [f64; 2]) {
    (pairs.map(|pair| pair.0), pairs.map(|pair| pair.1))
}
