//! The point of a segment, triangle or tetrahedron closest to a query point, and the feature it lies on.
//!
//! The feature whose Voronoi region holds the query (Ericson, *The Gilbert-Johnson-Keerthi algorithm*, SIGGRAPH 2004
//! course notes, section 3.1; *Real-Time Collision Detection* 5.1). Departs from it so that slivers and degenerate
//! simplices need no special case:
//! - a region is not chosen by a chain of sign tests, one wrong sign of which returns a far point. The candidates of
//!   the sides are compared with the candidate of the interior by distance, so a poor candidate cannot win;
//! - projections use an orthogonalised basis (Gram-Schmidt, twice, from the longest side), not the Gram determinant and
//!   not the normal: the computed point then errs by a few ulps of the size of the simplex however thin it is, though
//!   its weights may be far less accurate, being ill-conditioned in the data;
//! - inside or outside a tetrahedron is decided by the exact predicate;
//! - everything is computed relative to the query and scaled by a power of two, so neither squares nor cubes underflow.
//!
//! Guaranteed for finite coordinates up to 1e60: no NaN; weights are not negative and sum to one within rounding;
//! `distance` exceeds the true one by at most a few ulps of (distance + size of the simplex). Where two features are
//! equally far to within that, either may be reported.

use glam::DVec3;

use crate::math::predicates::{Sign, orient3d};

/// The feature of a simplex on which the closest point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// At this vertex, in the order of the arguments.
    Vertex(u8),
    /// In the interior of this edge. Segment: edge 0. Triangle: edge `i` joins vertices `i` and `(i + 1) % 3`.
    /// Tetrahedron: see [`TETRAHEDRON_EDGES`].
    Edge(u8),
    /// In the interior of this face. Triangle: face 0. Tetrahedron: face `i` is opposite vertex `i`, see
    /// [`TETRAHEDRON_FACES`].
    Face(u8),
    /// The query is strictly inside the tetrahedron.
    Inside,
}

/// The vertices of the edges of a tetrahedron, in the numbering of [`Region::Edge`].
pub const TETRAHEDRON_EDGES: [[u8; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The vertices of the faces of a tetrahedron, in the numbering of [`Region::Face`]: face `i` lacks vertex `i`.
pub const TETRAHEDRON_FACES: [[u8; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

/// The closest point of a simplex with `N` vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest<const N: usize> {
    /// The closest point, in the frame of the arguments; exactly the vertex, or exactly the query, where it is that.
    pub point: DVec3,
    /// Barycentric coordinates of `point`: not negative, summing to one; exactly zero off the feature in `region`.
    pub weights: [f64; N],
    /// The feature that holds `point`.
    pub region: Region,
    /// From query to closest point. Computed relative to the query, so far from the origin it is more accurate than
    /// `point`.
    pub distance: f64,
}

/// A candidate relative to the query and scaled.
#[derive(Clone, Copy)]
struct Candidate<const N: usize> {
    offset: DVec3,
    weights: [f64; N],
    region: Region,
}

impl<const N: usize> Candidate<N> {
    fn finish(&self, vertices: [DVec3; N], scale: f64) -> Closest<N> {
        let point = match self.region {
            Region::Vertex(i) => vertices[i as usize],
            _ => {
                // From the heaviest vertex, so that the corrections are as small as possible.
                let heaviest = (1..N).fold(0, |best, i| if self.weights[i] > self.weights[best] { i } else { best });
                let base = vertices[heaviest];
                let others = (0..N).filter(|&i| i != heaviest);
                base + others.fold(DVec3::ZERO, |sum, i| sum + self.weights[i] * (vertices[i] - base))
            }
        };
        Closest { point, weights: self.weights, region: self.region, distance: self.offset.length() / scale }
    }
}

/// A power of two that brings the largest of the differences to about one.
pub(crate) fn scale_for(differences: &[DVec3]) -> f64 {
    let largest = differences.iter().fold(0.0, |largest: f64, d| largest.max(d.abs().max_element()));
    // The exponent clamped, so that the scale is neither zero nor infinite.
    let exponent = (largest.to_bits() >> 52 & 0x7ff).clamp(23, 2023);
    f64::from_bits((2046 - exponent) << 52)
}

/// The closest point of the segment `a`, `b`.
pub fn closest_on_segment(query: DVec3, a: DVec3, b: DVec3) -> Closest<2> {
    let (a_from_query, b_from_query, side) = (a - query, b - query, b - a);
    let scale = scale_for(&[a_from_query, b_from_query]);
    segment_candidate(a_from_query * scale, b_from_query * scale, side * scale).finish([a, b], scale)
}

/// Query at the origin; `side` is `b - a`, passed separately because it is known more accurately.
#[inline]
fn segment_candidate(a: DVec3, b: DVec3, side: DVec3) -> Candidate<2> {
    let length_squared = side.length_squared();
    let along = -a.dot(side);
    if along <= 0.0 || length_squared == 0.0 {
        return Candidate { offset: a, weights: [1.0, 0.0], region: Region::Vertex(0) };
    }
    let t = along / length_squared;
    if t >= 1.0 {
        return Candidate { offset: b, weights: [0.0, 1.0], region: Region::Vertex(1) };
    }
    Candidate { offset: a + t * side, weights: [1.0 - t, t], region: Region::Edge(0) }
}

/// The closest point of the triangle `a`, `b`, `c`.
pub fn closest_on_triangle(query: DVec3, a: DVec3, b: DVec3, c: DVec3) -> Closest<3> {
    let vertices = [a, b, c];
    let from_query = vertices.map(|vertex| vertex - query);
    let scale = scale_for(&from_query);
    let sides = [b - a, c - b, a - c].map(|side| side * scale);
    triangle_candidate(from_query.map(|vertex| vertex * scale), sides).finish(vertices, scale)
}

/// Query at the origin; `sides[i]` runs from vertex `i` to the next.
fn triangle_candidate(vertices: [DVec3; 3], sides: [DVec3; 3]) -> Candidate<3> {
    let on_side = |i: usize| {
        let next = (i + 1) % 3;
        let found = segment_candidate(vertices[i], vertices[next], sides[i]);
        let mut weights = [0.0; 3];
        weights[i] = found.weights[0];
        weights[next] = found.weights[1];
        let region = match found.region {
            Region::Vertex(end) => Region::Vertex(if end == 0 { i as u8 } else { next as u8 }),
            _ => Region::Edge(i as u8),
        };
        Candidate { offset: found.offset, weights, region }
    };
    let best = closer(closer(on_side(0), on_side(1)), on_side(2));
    match face_candidate(vertices, sides) {
        // The interior wins ties within rounding: where the weights are accurate it is the right answer and the sides
        // only appear as close; where they are not, this costs an ulp or two of distance.
        Some(face) if face.offset.length_squared() <= best.offset.length_squared() * (1.0 + 8.0 * f64::EPSILON) => face,
        _ => best,
    }
}

fn closer<const N: usize>(a: Candidate<N>, b: Candidate<N>) -> Candidate<N> {
    if b.offset.length_squared() < a.offset.length_squared() { b } else { a }
}

/// The projection of the origin onto the plane, if it falls inside the triangle, to within rounding.
fn face_candidate(vertices: [DVec3; 3], sides: [DVec3; 3]) -> Option<Candidate<3>> {
    let lengths = sides.map(DVec3::length_squared);
    let base = (1..3).fold(0, |longest, i| if lengths[i] > lengths[longest] { i } else { longest });
    let (next, last) = ((base + 1) % 3, (base + 2) % 3);
    let (origin, long, short, long_squared) = (vertices[base], sides[base], -sides[last], lengths[base]);
    if long_squared == 0.0 {
        return None;
    }
    // `short` as a multiple of `long` plus a height orthogonal to it; the second pass makes it truly orthogonal.
    let first = long.dot(short) / long_squared;
    let rough = short - first * long;
    let second = long.dot(rough) / long_squared;
    let height = rough - second * long;
    let height_squared = height.length_squared();
    // Thinner than its own rounding: the sides suffice.
    if height_squared <= long_squared * f64::EPSILON * f64::EPSILON {
        return None;
    }
    let t = -origin.dot(height) / height_squared;
    let s = -origin.dot(long) / long_squared - t * (first + second);
    let rest = 1.0 - s - t;
    if !(s > 0.0 && t > 0.0 && rest > 0.0) {
        return None;
    }
    let mut weights = [0.0; 3];
    weights[base] = rest;
    weights[next] = s;
    weights[last] = t;
    Some(Candidate { offset: origin + (s * long + t * short), weights, region: Region::Face(0) })
}

/// The closest point of the solid tetrahedron `a`, `b`, `c`, `d`, wound either way.
///
/// `Inside`, and the query itself as closest point, only if the query is exactly inside; exactly on the boundary, the
/// query is the closest point too, and `region` is the face, edge or vertex.
pub fn closest_on_tetrahedron(query: DVec3, a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Closest<4> {
    let vertices = [a, b, c, d];
    let orientation = orient3d(a, b, c, d);
    // The sign of weight i: that of the volume with vertex i replaced by the query, over the whole volume.
    let weight_sign = |i: usize| {
        let mut replaced = vertices;
        replaced[i] = query;
        let [a, b, c, d] = replaced;
        let sign = orient3d(a, b, c, d);
        if orientation.is_negative() { -sign } else { sign }
    };
    let from_query = vertices.map(|vertex| vertex - query);
    let scale = scale_for(&from_query);
    let scaled = from_query.map(|vertex| vertex * scale);
    let on_face = |i: usize| face_of_tetrahedron(i, vertices, scaled, scale);
    let best_of = |faces: [bool; 4]| {
        // Face 3 first, so that ties go to the lower vertices.
        let candidates = (0..4).rev().filter(|&i| faces[i]).map(on_face);
        candidates.reduce(closer).unwrap_or_else(|| on_face(0)).finish(vertices, scale)
    };

    if orientation.is_zero() {
        return best_of([true; 4]);
    }
    let signs = [0, 1, 2, 3].map(weight_sign);
    if signs.contains(&Sign::Negative) {
        // The closest point of a convex body lies on a face whose outside holds the query.
        return best_of(signs.map(Sign::is_negative));
    }
    if signs.contains(&Sign::Zero) {
        return Closest { point: query, distance: 0.0, ..best_of(signs.map(Sign::is_zero)) };
    }
    match inner_weights(vertices, from_query[0], scale) {
        Some(weights) => Closest { point: query, weights, region: Region::Inside, distance: 0.0 },
        // So flat that the weights are undetermined: the solver puts the query outside a tetrahedron that differs by a
        // few ulps, so the boundary is that close.
        None => best_of([true; 4]),
    }
}

fn face_of_tetrahedron(face: usize, vertices: [DVec3; 4], scaled: [DVec3; 4], scale: f64) -> Candidate<4> {
    let corners = TETRAHEDRON_FACES[face];
    let [a, b, c] = corners.map(|i| vertices[i as usize]);
    let sides = [b - a, c - b, a - c].map(|side| side * scale);
    let found = triangle_candidate(corners.map(|i| scaled[i as usize]), sides);
    let mut weights = [0.0; 4];
    for (corner, weight) in corners.into_iter().zip(found.weights) {
        weights[corner as usize] = weight;
    }
    let region = match found.region {
        Region::Vertex(i) => Region::Vertex(corners[i as usize]),
        Region::Edge(i) => {
            let (p, q) = (corners[i as usize], corners[(i as usize + 1) % 3]);
            let ends = [p.min(q), p.max(q)];
            let edge = TETRAHEDRON_EDGES.iter().position(|&edge| edge == ends).unwrap_or(0);
            Region::Edge(edge as u8)
        }
        _ => Region::Face(face as u8),
    };
    Candidate { offset: found.offset, weights, region }
}

/// Weights of the origin, by Gram-Schmidt with pivoting; `None` if one is not positive as computed.
fn inner_weights(vertices: [DVec3; 4], first_from_query: DVec3, scale: f64) -> Option<[f64; 4]> {
    let mut columns = [1, 2, 3].map(|i| (i, (vertices[i] - vertices[0]) * scale));
    let mut target = -first_from_query * scale;
    // Factor: columns[k] = sum over j < k of share[k][j] * axes[j] + axes[k], axes orthogonal; project as we go.
    let mut share = [[0.0; 3]; 3];
    let mut projected = [0.0; 3];
    let mut axes = [DVec3::ZERO; 3];
    for k in 0..3 {
        let longest = (k..3).fold(k, |longest, j| {
            if columns[j].1.length_squared() > columns[longest].1.length_squared() { j } else { longest }
        });
        columns.swap(k, longest);
        share.swap(k, longest);
        // Orthogonal once more to the earlier axes.
        for j in 0..k {
            let again = columns[k].1.dot(axes[j]) / axes[j].length_squared();
            columns[k].1 -= again * axes[j];
            share[k][j] += again;
        }
        axes[k] = columns[k].1;
        let axis_squared = axes[k].length_squared();
        if axis_squared == 0.0 {
            return None;
        }
        for j in k + 1..3 {
            share[j][k] = columns[j].1.dot(axes[k]) / axis_squared;
            columns[j].1 -= share[j][k] * axes[k];
        }
        projected[k] = target.dot(axes[k]) / axis_squared;
        target -= projected[k] * axes[k];
    }
    let mut weights = [0.0; 4];
    for k in (0..3).rev() {
        let known: f64 = (k + 1..3).map(|j| share[j][k] * weights[columns[j].0]).sum();
        weights[columns[k].0] = projected[k] - known;
    }
    weights[0] = 1.0 - weights[1] - weights[2] - weights[3];
    weights.iter().all(|&weight| weight > 0.0).then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_traits::{Signed, ToPrimitive, Zero};
    use proptest::prelude::*;

    type Integers = [i64; 3];

    fn dot(a: &[BigInt; 3], b: &[BigInt; 3]) -> BigInt {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn determinant(m: &[Vec<BigInt>]) -> BigInt {
        if m.is_empty() {
            return BigInt::from(1);
        }
        (0..m.len()).fold(BigInt::zero(), |sum, column| {
            let minor: Vec<Vec<BigInt>> = m[1..]
                .iter()
                .map(|row| row.iter().enumerate().filter(|(j, _)| *j != column).map(|(_, x)| x.clone()).collect())
                .collect();
            let term = &m[0][column] * determinant(&minor);
            if column % 2 == 0 { sum + term } else { sum - term }
        })
    }

    /// The true distance, in integers up to the last step: the least over all sub-simplices whose projection of the
    /// query falls inside them.
    fn exact_distance(query: Integers, vertices: &[Integers]) -> f64 {
        let difference = |a: Integers, b: Integers| [0, 1, 2].map(|i| BigInt::from(a[i]) - BigInt::from(b[i]));
        let mut best: Option<(BigInt, BigInt)> = None;
        for subset in 1..1u32 << vertices.len() {
            let chosen: Vec<Integers> =
                (0..vertices.len()).filter(|i| subset >> i & 1 == 1).map(|i| vertices[i]).collect();
            let r = difference(query, chosen[0]);
            let d: Vec<_> = chosen[1..].iter().map(|&v| difference(v, chosen[0])).collect();
            let gram: Vec<Vec<BigInt>> = d.iter().map(|a| d.iter().map(|b| dot(a, b)).collect()).collect();
            let det = determinant(&gram);
            if det.is_zero() {
                continue;
            }
            let numerators: Vec<BigInt> = (0..d.len())
                .map(|k| {
                    let mut replaced = gram.clone();
                    replaced.iter_mut().zip(&d).for_each(|(row, a)| row[k] = dot(a, &r));
                    determinant(&replaced)
                })
                .collect();
            let sum: BigInt = numerators.iter().sum();
            if numerators.iter().any(BigInt::is_negative) || sum > det {
                continue;
            }
            let taken: BigInt = numerators.iter().zip(&d).map(|(n, a)| n * dot(a, &r)).sum();
            let squared = dot(&r, &r) * &det - taken;
            if best.as_ref().is_none_or(|(n, m)| &squared * m < n * &det) {
                best = Some((squared, det));
            }
        }
        let (n, m) = best.unwrap();
        (n.to_f64().unwrap() / m.to_f64().unwrap()).sqrt()
    }

    fn to_vec(v: Integers) -> DVec3 {
        DVec3::from(v.map(|x| x as f64))
    }

    fn check<const N: usize>(query: DVec3, vertices: [DVec3; N], found: Closest<N>, truth: f64) {
        let size = vertices.iter().flat_map(|a| vertices.iter().map(move |b| a.distance(*b))).fold(0.0, f64::max);
        let absolute = vertices.iter().fold(query.length(), |m, v| m.max(v.length()));
        let slack = 16.0 * f64::EPSILON * (truth + size);
        let context = || format!("query {query:?} vertices {vertices:?} found {found:?} truth {truth:e}");
        assert!((found.distance - truth).abs() <= slack, "{}", context());
        assert!(found.weights.iter().all(|&w| (0.0..=1.0).contains(&w)), "{}", context());
        assert!((found.weights.iter().sum::<f64>() - 1.0).abs() <= 4.0 * f64::EPSILON, "{}", context());
        let combined: DVec3 = found.weights.iter().zip(vertices).map(|(&w, v)| w * v).sum();
        assert!(combined.distance(found.point) <= slack + 8.0 * f64::EPSILON * absolute, "{}", context());
        let off = (found.point.distance(query) - found.distance).abs();
        assert!(off <= slack + 8.0 * f64::EPSILON * absolute, "{}", context());
        let support: Vec<u8> = (0..N as u8).filter(|&i| found.weights[i as usize] != 0.0).collect();
        match found.region {
            Region::Vertex(i) => assert!(support == [i] && found.point == vertices[i as usize], "{}", context()),
            Region::Edge(i) => {
                let ends = match N {
                    2 => vec![0, 1],
                    3 => vec![i, (i + 1) % 3],
                    _ => TETRAHEDRON_EDGES[i as usize].to_vec(),
                };
                assert!(support.iter().all(|v| ends.contains(v)), "{}", context());
            }
            Region::Face(i) if N == 4 => assert!(!support.contains(&i), "{}", context()),
            Region::Face(i) => assert!(i == 0 && N == 3),
            Region::Inside => assert!(N == 4 && found.distance == 0.0 && found.point == query, "{}", context()),
        }
    }

    fn check_all(query: Integers, vertices: [Integers; 4]) {
        let (q, [a, b, c, d]) = (to_vec(query), vertices.map(to_vec));
        check(q, [a, b], closest_on_segment(q, a, b), exact_distance(query, &vertices[..2]));
        check(q, [a, b, c], closest_on_triangle(q, a, b, c), exact_distance(query, &vertices[..3]));
        check(q, [a, b, c, d], closest_on_tetrahedron(q, a, b, c, d), exact_distance(query, &vertices));
    }

    /// Points of a simplex with weights in steps of 1/n.
    fn samples(vertices: &[DVec3], n: u32) -> Vec<DVec3> {
        match vertices {
            [] => vec![],
            [only] => vec![*only],
            [first, rest @ ..] => (0..=n)
                .flat_map(|k| {
                    let t = k as f64 / n as f64;
                    samples(rest, n).into_iter().map(move |point| *first * (1.0 - t) + point * t)
                })
                .collect(),
        }
    }

    #[test]
    fn shrunken_simplices() {
        let p = DVec3::new(1.0, 2.0, 3.0);
        let query = DVec3::new(1.0, 2.0, 7.0);
        assert_eq!(closest_on_segment(query, p, p).distance, 4.0);
        assert_eq!(closest_on_triangle(query, p, p, p).point, p);
        let found = closest_on_tetrahedron(query, p, p, p, p);
        assert_eq!((found.point, found.region, found.weights), (p, Region::Vertex(0), [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(closest_on_tetrahedron(p, p, p, p, p).distance, 0.0);
        let square = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
        let flat = closest_on_tetrahedron(DVec3::new(0.25, 0.5, 2.0), square[0], square[1], square[2], square[3]);
        assert_eq!((flat.point, flat.distance), (DVec3::new(0.25, 0.5, 0.0), 2.0));
    }

    #[test]
    fn every_region_of_a_tetrahedron_is_found() {
        let corners = [[0, 0, 0], [8, 0, 0], [0, 8, 0], [0, 0, 8]];
        let [a, b, c, d] = corners.map(to_vec);
        let mut regions = std::collections::HashSet::new();
        for x in -4..13 {
            for y in -4..13 {
                for z in -4..13 {
                    regions.insert(closest_on_tetrahedron(to_vec([x, y, z]), a, b, c, d).region);
                }
            }
        }
        assert_eq!(regions.len(), 4 + 6 + 4 + 1);
    }

    #[test]
    fn tiny_huge_and_far() {
        let corners = [[0, 0, 0], [8, 1, 0], [1, 8, 1], [3, 0, 8]].map(to_vec);
        let queries = [[9, 9, 9], [2, 2, 2], [-3, 1, 4], [3, 3, -9], [0, 0, 0]].map(to_vec);
        for exponent in [-1060, -1000, -600, -340, 190] {
            // Powers such as 2^-1060: in two steps, exact since these are small integers.
            let scale = |v: DVec3| v * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
            for query in queries {
                let [a, b, c, d] = corners;
                let plain = closest_on_tetrahedron(query, a, b, c, d);
                let [a, b, c, d] = corners.map(scale);
                let scaled = closest_on_tetrahedron(scale(query), a, b, c, d);
                assert_eq!(plain.region, scaled.region);
                assert_eq!(plain.weights, scaled.weights);
                assert!((scale(DVec3::X * plain.distance).x - scaled.distance).abs() <= 5e-324);
            }
        }
        let far = DVec3::splat(1e60);
        let found = closest_on_triangle(-far, far, far - DVec3::X * 1e44, far);
        assert!(found.distance.is_finite() && found.point.is_finite());
        let found = closest_on_tetrahedron(DVec3::ZERO, far, -far, far * 1e-200, DVec3::X * 5e-324);
        assert!(found.distance == 0.0 || found.distance < 1e45, "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        #[test]
        fn true_on_small_grids(p in prop::array::uniform5(prop::array::uniform3(-3i64..4))) {
            check_all(p[0], [p[1], p[2], p[3], p[4]]);
        }

        #[test]
        fn true_in_general_and_near_and_far(
            p in prop::array::uniform5(prop::array::uniform3(-(1i64 << 40)..1 << 40)),
            near in 0u32..38, far in 0u32..8,
        ) {
            let vertices = [p[1], p[2], p[3], p[4]];
            check_all(p[0], vertices);
            check_all(p[0].map(|x| x >> near), vertices);
            check_all(p[0].map(|x| x << far), vertices.map(|v| v.map(|x| x >> near)));
        }

        /// Slivers: all vertices within a few units of a line, or of a plane, 2^40 units long.
        #[test]
        fn true_on_slivers(
            origin in prop::array::uniform3(-(1i64 << 30)..1 << 30),
            (u, v) in prop::array::uniform2(prop::array::uniform3(-(1i64 << 20)..1 << 20)).prop_map(|[u, v]| (u, v)),
            at in prop::array::uniform5((-(1i64 << 20)..1 << 20, -(1i64 << 20)..1 << 20)),
            noise in prop::array::uniform5(prop::array::uniform3(-(1i64 << 36)..1 << 36)),
            quiet in 0u32..40, line in any::<bool>(), queried in 0u32..40,
        ) {
            let point = |k: usize, quiet: u32| {
                let (s, t) = (at[k].0, if line { 0 } else { at[k].1 });
                [0, 1, 2].map(|i| origin[i] + s * u[i] + t * v[i] + (noise[k][i] >> quiet))
            };
            check_all(point(0, queried), [1, 2, 3, 4].map(|k| point(k, quiet)));
        }

        #[test]
        fn no_sample_is_closer(p in prop::array::uniform5(prop::array::uniform3(-1.0f64..1.0))) {
            let [q, a, b, c, d] = p.map(DVec3::from);
            let least = |vertices: &[DVec3]| {
                samples(vertices, 12).iter().map(|s| s.distance(q)).fold(f64::INFINITY, f64::min)
            };
            prop_assert!(closest_on_segment(q, a, b).distance <= least(&[a, b]) + 1e-15);
            prop_assert!(closest_on_triangle(q, a, b, c).distance <= least(&[a, b, c]) + 1e-15);
            let found = closest_on_tetrahedron(q, a, b, c, d);
            prop_assert!(found.distance <= least(&[a, b, c, d]) + 1e-15);
        }
    }

    mod examples {
        #[test]
        fn closest_on_segment() {
            use crate::geom::closest::{Region, closest_on_segment};
            use glam::DVec3;
            let found = closest_on_segment(DVec3::new(1.0, 2.0, 0.0), DVec3::ZERO, DVec3::X * 4.0);
            assert_eq!(found.point, DVec3::X);
            assert_eq!((found.weights, found.region, found.distance), ([0.75, 0.25], Region::Edge(0), 2.0));
        }

        #[test]
        fn closest_on_triangle() {
            use crate::geom::closest::{Region, closest_on_triangle};
            use glam::DVec3;
            let (a, b, c) = (DVec3::ZERO, DVec3::X, DVec3::Y);
            let found = closest_on_triangle(DVec3::new(0.25, 0.25, 3.0), a, b, c);
            assert_eq!(
                (found.point, found.region, found.distance),
                (DVec3::new(0.25, 0.25, 0.0), Region::Face(0), 3.0)
            );
            assert_eq!(closest_on_triangle(DVec3::new(5.0, -1.0, 0.0), a, b, c).region, Region::Vertex(1));
        }

        #[test]
        fn closest_on_tetrahedron() {
            use crate::geom::closest::{Region, closest_on_tetrahedron};
            use glam::DVec3;
            let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
            let [a, b, c, d] = corners;
            let centre = closest_on_tetrahedron(DVec3::splat(0.25), a, b, c, d);
            assert_eq!((centre.region, centre.distance, centre.weights), (Region::Inside, 0.0, [0.25; 4]));
            let below = closest_on_tetrahedron(DVec3::new(0.25, 0.25, -2.0), a, b, c, d);
            assert_eq!((below.region, below.distance), (Region::Face(3), 2.0)); // opposite d
        }
    }
}
