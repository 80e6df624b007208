//! The gap of two placed cores in exact arithmetic: decides where rounding leaves the result undecided.
//!
//! GJK over integers: the placed vertices are floats, so they are integer points over a common power of two, the
//! nearest point of a simplex is rational, and each comparison is exact. Without rounding the algorithm cannot fail:
//! `|v|` falls strictly from step to step and there are finitely many simplices. It starts from the last simplex of
//! floating-point GJK, so few steps remain.
//!
//! The sub-algorithm is Johnson's criterion taken literally: the sub-simplex whose weights are all positive and to
//! whose nearest point no other member is closer. Support vertices are found by a floating-point scan that keeps every
//! vertex that rounding could have put first, and only those are compared exactly.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::core::Core;
use super::gjk::Pair;
use super::simplex::Simplex;
use crate::math::integer::{IntegerVec3, common_exponent, integer, ratio, root_ratio};
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::rounded_up_length;

/// The exact gap of two placed cores.
#[derive(Clone, Debug)]
pub(crate) struct ExactGap {
    /// The squared gap is `squared / denominator² * 4^exponent`.
    squared: BigInt,
    denominator: BigInt,
    exponent: i32,
    /// The gap, relative error at most `6u`; zero exactly when the closed sets intersect.
    pub gap: f64,
    /// Unit, from A to B in the frame of A, rounded; zero when the sets intersect.
    pub direction: DVec3,
    /// Its members support the nearest point, with rounded weights.
    pub simplex: Simplex,
}

impl ExactGap {
    /// Compares the gap with a sum of non-negative lengths, exactly.
    pub fn compare(&self, lengths: &[f64]) -> Ordering {
        let Some(exponent) = common_exponent(lengths.iter().copied()) else {
            return self.squared.cmp(&BigInt::zero());
        };
        let reach: BigInt = lengths.iter().map(|&x| integer(x, exponent)).sum();
        // gap² = squared 4^e / denominator² against reach² 4^f.
        let left = self.squared.clone();
        let right = (&reach * &self.denominator).pow(2);
        let shift = 2 * (i64::from(self.exponent) - i64::from(exponent));
        if shift >= 0 { (left << shift as usize).cmp(&right) } else { left.cmp(&(right << (-shift) as usize)) }
    }
}

/// The placed vertices of both cores over a common exponent: their differences are integer points.
pub(super) struct PlacedVertices {
    a: Vec<DVec3>,
    b: Vec<DVec3>,
    /// An upper bound of the vertices' distances from the origin.
    size_a: f64,
    size_b: f64,
    /// Integer coordinates count units of `2^exponent`.
    pub exponent: i32,
}

impl PlacedVertices {
    pub fn new<A: Core, B: Core>(pair: &Pair<'_, A, B>) -> PlacedVertices {
        let a: Vec<DVec3> = (0..pair.a.vertex_count() as u32).map(|id| pair.a.vertex(id)).collect();
        let place = |id| pair.placement.place(pair.b.vertex(id));
        let b: Vec<DVec3> = (0..pair.b.vertex_count() as u32).map(place).collect();
        let exponent = common_exponent(a.iter().chain(&b).flat_map(|v| v.to_array())).unwrap_or(0);
        let size = |vertices: &[DVec3]| vertices.iter().map(|v| rounded_up_length(*v)).fold(0.0, f64::max);
        PlacedVertices { size_a: size(&a), size_b: size(&b), a, b, exponent }
    }

    /// The vector from vertex `a` to the placed vertex `b`.
    pub fn difference(&self, (a, b): (u32, u32)) -> IntegerVec3 {
        let b = IntegerVec3::new(self.b[b as usize], self.exponent);
        b.sub(&IntegerVec3::new(self.a[a as usize], self.exponent))
    }

    /// The support vertex of the difference `B - A` along `direction`, exactly.
    pub fn farthest(&self, direction: &IntegerVec3) -> (u32, u32) {
        let a = self.support(&self.a, self.size_a, &direction.negated());
        (a, self.support(&self.b, self.size_b, direction))
    }

    /// The vertex with the largest exact product with `direction`, the first of equal ones. `size` bounds the
    /// vertices' lengths.
    fn support(&self, vertices: &[DVec3], size: f64, direction: &IntegerVec3) -> u32 {
        let approximate = direction.to_direction();
        // The rounded direction is off by 2u √3 of its length, each product by 3u; 9u covers both with room.
        let doubt = 2.0 * 9.0 * UNIT_ROUNDOFF * approximate.length() * size;
        let top = vertices.iter().map(|v| approximate.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
        let mut best: Option<(u32, BigInt)> = None;
        for (index, vertex) in vertices.iter().enumerate() {
            // Written so that NaN (from overflow) keeps the vertex.
            if approximate.dot(*vertex) < top - doubt {
                continue;
            }
            let value = direction.dot(&IntegerVec3::new(*vertex, self.exponent));
            if best.as_ref().is_none_or(|(_, least)| value > *least) {
                best = Some((index as u32, value));
            }
        }
        best.map_or(0, |(index, _)| index)
    }
}

/// A sub-simplex with its nearest point `point / denominator`.
struct Candidate {
    members: Vec<usize>,
    weights: Vec<BigInt>,
    denominator: BigInt,
    point: IntegerVec3,
}

/// The exact gap of the placed pair, starting from any simplex with at least one member.
pub(crate) fn gap<A: Core, B: Core>(pair: &Pair<'_, A, B>, start: &Simplex) -> ExactGap {
    let placed = PlacedVertices::new(pair);
    let mut ids: Vec<(u32, u32)> = (0..start.count).map(|k| (start.a[k], start.b[k])).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        ids.push((0, 0));
    }
    loop {
        let points: Vec<IntegerVec3> = ids.iter().map(|&id| placed.difference(id)).collect();
        let nearest = nearest_point(&points);
        ids = nearest.members.iter().map(|&m| ids[m]).collect();
        if nearest.point.is_zero() {
            return result(pair, &ids, &nearest, placed.exponent);
        }
        let found = placed.farthest(&nearest.point.negated());
        let w = placed.difference(found);
        if nearest.point.dot(&w) * &nearest.denominator >= nearest.point.dot(&nearest.point) {
            return result(pair, &ids, &nearest, placed.exponent);
        }
        ids.push(found);
    }
}

fn result<A: Core, B: Core>(pair: &Pair<'_, A, B>, ids: &[(u32, u32)], nearest: &Candidate, exponent: i32) -> ExactGap {
    let squared = nearest.point.dot(&nearest.point);
    let mut simplex = Simplex::default();
    for (&(a, b), weight) in ids.iter().zip(&nearest.weights) {
        simplex.weight[simplex.count] = ratio(weight, &nearest.denominator);
        simplex.push(a, b, pair.difference(a, b));
    }
    ExactGap {
        gap: root_ratio(&squared, &nearest.denominator, exponent),
        direction: nearest.point.to_direction().normalize_or_zero(),
        squared,
        denominator: nearest.denominator.clone(),
        exponent,
        simplex,
    }
}

/// The nearest point to the origin of the convex hull of at most four points.
fn nearest_point(points: &[IntegerVec3]) -> Candidate {
    let mut fallback = None;
    for size in 1..=points.len() as u32 {
        for mask in 1..1u32 << points.len() {
            if mask.count_ones() != size {
                continue;
            }
            let members: Vec<usize> = (0..points.len()).filter(|k| mask & 1 << k != 0).collect();
            let Some(candidate) = solve(points, members) else { continue };
            let squared = candidate.point.dot(&candidate.point);
            let nearest = (0..points.len())
                .filter(|k| mask & 1 << k == 0)
                .all(|k| candidate.point.dot(&points[k]) * &candidate.denominator >= squared);
            if nearest {
                return candidate;
            }
            fallback = Some(candidate);
        }
    }
    // Unreachable: some sub-simplex with independent members contains the nearest point and passes both tests.
    fallback.unwrap_or_else(|| Candidate {
        members: vec![0],
        weights: vec![BigInt::one()],
        denominator: BigInt::one(),
        point: points.first().cloned().unwrap_or_else(IntegerVec3::zero),
    })
}

/// The nearest point of the affine hull of some members, if the members are independent and its weights positive.
fn solve(points: &[IntegerVec3], members: Vec<usize>) -> Option<Candidate> {
    let base = &points[members[0]];
    let edges: Vec<IntegerVec3> = members[1..].iter().map(|&m| points[m].sub(base)).collect();
    let (mut denominator, mut others) = match &edges[..] {
        [] => (BigInt::one(), vec![]),
        [e] => (e.dot(e), vec![-base.dot(e)]),
        [e, f] => {
            let (ee, ef, ff) = (e.dot(e), e.dot(f), f.dot(f));
            let (be, bf) = (-base.dot(e), -base.dot(f));
            (&ee * &ff - &ef * &ef, vec![&be * &ff - &bf * &ef, &bf * &ee - &be * &ef])
        }
        [e, f, g] => {
            // The affine hull is all of space and the nearest point is the origin: Cramer's rule.
            let fg = f.cross(g);
            let minus = base.negated();
            (e.dot(&fg), vec![minus.dot(&fg), e.dot(&minus.cross(g)), e.dot(&f.cross(&minus))])
        }
        _ => return None,
    };
    if denominator.is_zero() {
        return None;
    }
    if denominator.is_negative() {
        denominator = -denominator;
        others = others.into_iter().map(|x| -x).collect();
    }
    let first = &denominator - others.iter().sum::<BigInt>();
    if !first.is_positive() || others.iter().any(|x| !x.is_positive()) {
        return None;
    }
    let mut weights = vec![first];
    weights.extend(others);
    let point =
        members.iter().zip(&weights).fold(IntegerVec3::zero(), |sum, (&m, weight)| sum.add_scaled(&points[m], weight));
    Some(Candidate { members, weights, denominator, point })
}
