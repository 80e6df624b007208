//! The distance between two triangles in integers: the fallback where neither floats nor double-doubles prove it.

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Pair, Spot, TriangleGap};
use crate::geom::triangle_triangle::Feature3;
use crate::math::integer::{IntegerVec3, common_exponent, ratio, root_ratio};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// The relative error of the exact gap, `6u` from its root, rounded outward.
const EXACT: f64 = 8.0 * UNIT_ROUNDOFF;

/// Two points in the interiors of two features, joined by a common perpendicular, as integers over a common power of
/// two.
struct Critical {
    on_a: Feature3,
    on_b: Feature3,
    /// The weights, each over `weight_denominator`.
    weights_a: [BigInt; 3],
    weights_b: [BigInt; 3],
    weight_denominator: BigInt,
    /// The square of the distance is `numerator / denominator`.
    numerator: BigInt,
    denominator: BigInt,
    /// From A to B, of any length.
    direction: IntegerVec3,
}

fn integer_weights(entries: &[(usize, BigInt)]) -> [BigInt; 3] {
    let mut weights = std::array::from_fn(|_| BigInt::zero());
    for (k, weight) in entries {
        weights[*k] = weight.clone();
    }
    weights
}

impl Critical {
    /// The same with A and B swapped.
    fn swapped(self) -> Critical {
        Critical {
            on_a: self.on_b,
            on_b: self.on_a,
            weights_a: self.weights_b,
            weights_b: self.weights_a,
            direction: IntegerVec3::zero().sub(&self.direction),
            ..self
        }
    }

    fn of_corners(a: &[IntegerVec3; 3], i: usize, b: &[IntegerVec3; 3], j: usize) -> Critical {
        let direction = b[j].sub(&a[i]);
        Critical {
            on_a: Feature3::Vertex(i as u8),
            on_b: Feature3::Vertex(j as u8),
            weights_a: integer_weights(&[(i, BigInt::one())]),
            weights_b: integer_weights(&[(j, BigInt::one())]),
            weight_denominator: BigInt::one(),
            numerator: direction.dot(&direction),
            denominator: BigInt::one(),
            direction,
        }
    }

    /// A corner of A and the interior of an edge of B.
    fn of_corner_and_edge(a: &[IntegerVec3; 3], i: usize, b: &[IntegerVec3; 3], j: usize) -> Option<Critical> {
        let next = (j + 1) % 3;
        let edge = b[next].sub(&b[j]);
        let to_start = b[j].sub(&a[i]);
        let (square, along) = (edge.dot(&edge), -to_start.dot(&edge));
        let rest = &square - &along;
        if !(along.is_positive() && rest.is_positive()) {
            return None;
        }
        // `to_start + edge along / square`, times `square`.
        let direction = IntegerVec3::zero().add_scaled(&to_start, &square).add_scaled(&edge, &along);
        Some(Critical {
            on_a: Feature3::Vertex(i as u8),
            on_b: Feature3::Edge(j as u8),
            weights_a: integer_weights(&[(i, square.clone())]),
            weights_b: integer_weights(&[(j, rest), (next, along)]),
            numerator: direction.dot(&direction),
            denominator: &square * &square,
            weight_denominator: square,
            direction,
        })
    }

    /// The interiors of two edges that are not parallel.
    fn of_edges(a: &[IntegerVec3; 3], i: usize, b: &[IntegerVec3; 3], j: usize) -> Option<Critical> {
        let (next_a, next_b) = ((i + 1) % 3, (j + 1) % 3);
        let (edge_a, edge_b) = (a[next_a].sub(&a[i]), b[next_b].sub(&b[j]));
        let from_a = b[j].sub(&a[i]);
        let normal = edge_a.cross(&edge_b);
        let square = normal.dot(&normal);
        let (s, t) = (from_a.cross(&edge_b).dot(&normal), from_a.cross(&edge_a).dot(&normal));
        let (rest_a, rest_b) = (&square - &s, &square - &t);
        if [&s, &t, &rest_a, &rest_b].into_iter().any(|weight| !weight.is_positive()) {
            return None;
        }
        let height = from_a.dot(&normal);
        Some(Critical {
            on_a: Feature3::Edge(i as u8),
            on_b: Feature3::Edge(j as u8),
            weights_a: integer_weights(&[(i, rest_a), (next_a, s)]),
            weights_b: integer_weights(&[(j, rest_b), (next_b, t)]),
            numerator: &height * &height,
            denominator: square.clone(),
            weight_denominator: square,
            direction: IntegerVec3::zero().add_scaled(&normal, &height.signum()),
        })
    }

    /// A corner of A over the interior of B.
    fn of_corner_and_face(a: &[IntegerVec3; 3], i: usize, b: &[IntegerVec3; 3]) -> Option<Critical> {
        let edges = [0, 1, 2].map(|k| b[(k + 1) % 3].sub(&b[k]));
        let normal = edges[0].cross(&edges[1]);
        let square = normal.dot(&normal);
        let mut weights_b = integer_weights(&[]);
        for k in 0..3 {
            let weight = normal.cross(&edges[k]).dot(&a[i].sub(&b[k]));
            if !weight.is_positive() {
                return None;
            }
            weights_b[(k + 2) % 3] = weight;
        }
        let height = b[0].sub(&a[i]).dot(&normal);
        Some(Critical {
            on_a: Feature3::Vertex(i as u8),
            on_b: Feature3::Face,
            weights_a: integer_weights(&[(i, square.clone())]),
            weights_b,
            numerator: &height * &height,
            denominator: square.clone(),
            weight_denominator: square,
            direction: IntegerVec3::zero().add_scaled(&normal, &height.signum()),
        })
    }
}

impl Pair {
    /// The gap of disjoint triangles, in integers: the least over all pairs of features with a common perpendicular
    /// through both interiors.
    #[cold]
    #[inline(never)]
    pub(super) fn exact_gap(&self) -> TriangleGap {
        let exponent = common_exponent(self.a.iter().chain(&self.b).flat_map(|p| p.to_array())).unwrap_or(0);
        let [a, b] = [&self.a, &self.b].map(|t| t.map(|corner| IntegerVec3::new(corner, exponent)));
        let mut best = Critical::of_corners(&a, 0, &b, 0);
        let mut consider = |candidate: Option<Critical>| {
            if let Some(candidate) = candidate
                && &candidate.numerator * &best.denominator < &best.numerator * &candidate.denominator
            {
                best = candidate;
            }
        };
        for i in 0..3 {
            consider(Critical::of_corner_and_face(&a, i, &b));
            consider(Critical::of_corner_and_face(&b, i, &a).map(Critical::swapped));
            for j in 0..3 {
                consider(Some(Critical::of_corners(&a, i, &b, j)));
                consider(Critical::of_corner_and_edge(&a, i, &b, j));
                consider(Critical::of_corner_and_edge(&b, i, &a, j).map(Critical::swapped));
                consider(Critical::of_edges(&a, i, &b, j));
            }
        }
        let value = root_ratio(&(&best.numerator * &best.denominator), &best.denominator, exponent);
        let spot = |feature, weights: &[BigInt; 3]| Spot {
            feature,
            weights: weights.each_ref().map(|weight| ratio(weight, &best.weight_denominator)),
        };
        TriangleGap {
            value,
            // A root below the normal range is rounded up to the smallest normal number.
            lower: if value > f64::MIN_POSITIVE { value * (1.0 - EXACT) } else { 0.0 },
            upper: value * (1.0 + EXACT),
            point_a: spot(best.on_a, &best.weights_a).point(&self.a, DVec3::ZERO),
            point_b: spot(best.on_b, &best.weights_b).point(&self.b, DVec3::ZERO),
            direction: best.direction.to_direction().normalize_or_zero(),
            on_a: best.on_a,
            on_b: best.on_b,
        }
    }
}
