//! The exact signed distance of two convex bodies, by enumeration of all features in integer arithmetic.
//!
//! Both cores are scaled to integer points over one common denominator, so the loops below are sums and products of
//! integers without a single division or rounding.
//!
//! 1. **Features** of each core by brute force: three points span a face if no two points lie strictly on opposite
//!    sides of its plane; two faces that share two points share an edge. Cores of lower dimension (polygon, segment,
//!    point) have their own cases.
//! 2. **Do the cores intersect?** The separating-axis theorem (Gottschalk, Lin, Manocha, *OBBTree*, SIGGRAPH 1996),
//!    stated for the Minkowski difference `A - B`: the facets of the difference are perpendicular to a face normal of A
//!    or B or to an edge of A and an edge of B. If the difference is flat, its plane and the normals within that plane
//!    take their place.
//! 3. **Overlapping**: the least separating translation is the least overlap along those same directions, since the
//!    nearest boundary point of a convex polytope lies on a facet (Cameron and Culley, ICRA 1986). Cores whose
//!    difference is flat need no translation: depth 0.
//! 4. **Apart**: the least squared distance over vertex-vertex, vertex-edge, edge-edge and vertex-face pairs whose feet
//!    fall within the features. Then a *proof*: along the direction found, the gap between the supporting planes must
//!    equal the distance, exactly. This is asserted for every answer.
//!
//! Radii come last: the truth is `distance - (r_a + r_b)` for separated cores, `-(depth + r_a + r_b)` for cores that
//! intersect.
//!
//! ```
//! use clearance_oracle::{Cores, OracleBody, Rational, signed_distance};
//!
//! let a = OracleBody::cuboid([1.0, 1.0, 1.0]);
//! let corner = signed_distance(&a, &OracleBody::cuboid([1.0; 3]).translated([3.0, 3.0, 3.0]));
//! assert_eq!((corner.cores, &corner.core_squared), (Cores::Apart, &Rational::from(3)));
//! let deep = signed_distance(&a, &OracleBody::cuboid([1.0; 3]).translated([1.5, 0.25, 0.0]));
//! assert_eq!(deep.enclosure(), (-0.5, -0.5));
//! ```

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::body::{OracleBody, Placed};
use crate::gcd::lcm;
use crate::rational::Rational;
use crate::surd::Surd;

type Point = [BigInt; 3];

/// The relation of the two cores (the bodies without their radii).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cores {
    /// No common point.
    Apart,
    /// Common points, but the least separating translation is zero: contact without depth. Includes cores that cross
    /// although their difference is flat, such as two coplanar polygons.
    Touching,
    /// Only a translation of positive length separates their interiors.
    Overlapping,
}

/// The exact signed distance of two bodies: positive apart, zero touching, negative overlapping.
///
/// ```
/// use clearance_oracle::{OracleBody, signed_distance};
/// use std::cmp::Ordering;
///
/// // Two balls whose centres are sqrt(2) apart.
/// let a = OracleBody::sphere(0.5);
/// let b = OracleBody::sphere(0.25).translated([1.0, 1.0, 0.0]);
/// let truth = signed_distance(&a, &b);
/// assert_eq!(truth.compare(std::f64::consts::SQRT_2 - 0.75), Ordering::Less);
/// assert_eq!(truth.to_decimal(20), "6.6421356237309504880e-1");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExactSigned {
    /// The relation of the cores.
    pub cores: Cores,
    /// The square of the cores' distance if apart, of their penetration depth if overlapping; zero if touching.
    pub core_squared: Rational,
    /// `r_a + r_b`.
    pub radius_sum: Rational,
    /// A direction from A towards B that attains the answer, of any length, in world axes: the supporting planes of the
    /// cores perpendicular to it are the distance apart, or overlap by the depth. One of several if it is not unique.
    /// Zero only for touching cores whose difference is flat.
    pub direction: [BigInt; 3],
}

impl ExactSigned {
    /// The signed distance as an exact number.
    #[must_use]
    pub fn value(&self) -> Surd {
        Surd {
            negative_root: self.cores == Cores::Overlapping,
            squared: self.core_squared.clone(),
            offset: -&self.radius_sum,
        }
    }

    /// The sign of the truth: `Greater` for bodies apart, `Equal` for touching, `Less` for overlapping ones.
    #[must_use]
    pub fn sign(&self) -> Ordering {
        self.value().sign()
    }

    /// Compares the truth with a double, exactly: `Less` if the truth is below it.
    ///
    /// # Panics
    /// If `other` is NaN.
    #[must_use]
    pub fn compare(&self, other: f64) -> Ordering {
        self.value().compare(other)
    }

    /// Compares the truth with a rational, exactly.
    #[must_use]
    pub fn compare_rational(&self, other: &Rational) -> Ordering {
        self.value().compare_rational(other)
    }

    /// The adjacent doubles around the truth; equal if the truth is a double.
    #[must_use]
    pub fn enclosure(&self) -> (f64, f64) {
        self.value().enclosure()
    }

    /// The truth rounded to `digits` significant digits, as `-1.2345e-6`.
    ///
    /// # Panics
    /// If `digits` is zero.
    #[must_use]
    pub fn to_decimal(&self, digits: u32) -> String {
        self.value().to_decimal(digits)
    }

    /// Whether `lower <= truth <= upper`: whether a bracket is correct.
    ///
    /// # Panics
    /// If a bound is NaN.
    #[must_use]
    pub fn is_within(&self, lower: f64, upper: f64) -> bool {
        let value = self.value();
        value.compare(lower) != Ordering::Less && value.compare(upper) != Ordering::Greater
    }
}

/// The exact signed distance of two bodies.
///
/// Cost in a test build: about a millisecond for two boxes, 5 to 20 for hulls of 12 points, 50 to 150 for hulls of 24.
///
/// ```
/// use clearance_oracle::{OracleBody, signed_distance};
///
/// // Two crossing segments, one above the other.
/// let a = OracleBody::hull(vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
/// let b = OracleBody::hull(vec![[0.0, -1.0, 0.125], [0.0, 1.0, 0.125]]);
/// assert_eq!(signed_distance(&a, &b).enclosure(), (0.125, 0.125));
/// ```
///
/// # Panics
/// If a body has no vertex or more than 128 distinct ones, a number is not finite, or a radius is negative.
#[must_use]
pub fn signed_distance(a: &OracleBody, b: &OracleBody) -> ExactSigned {
    signed_distance_placed(&a.placed(), &b.placed())
}

/// Whether the closed bodies have a common point, decided exactly.
///
/// ```
/// use clearance_oracle::{OracleBody, intersects};
///
/// let a = OracleBody::cuboid([1.0; 3]);
/// assert!(intersects(&a, &OracleBody::cuboid([1.0; 3]).translated([2.0, 2.0, 2.0])));
/// let hair = 2.0_f64.next_up();
/// assert!(!intersects(&a, &OracleBody::cuboid([1.0; 3]).translated([hair, 2.0, 2.0])));
/// ```
///
/// # Panics
/// As [`signed_distance`].
#[must_use]
pub fn intersects(a: &OracleBody, b: &OracleBody) -> bool {
    if a.radius == 0.0 && b.radius == 0.0 {
        let (a, b, _) = common_scale(&a.placed(), &b.placed());
        return least_overlap(&a, &b).is_some();
    }
    signed_distance(a, b).sign() != Ordering::Greater
}

/// The exact signed distance of two bodies given by exact world points.
///
/// # Panics
/// If a body has no point or more than 128 distinct ones.
#[must_use]
pub fn signed_distance_placed(a: &Placed, b: &Placed) -> ExactSigned {
    let radius_sum = &a.radius + &b.radius;
    let (a, b, denominator) = common_scale(a, b);
    let (cores, fraction) = match least_overlap(&a, &b) {
        Some(depth) if depth.numerator.is_zero() => (Cores::Touching, depth),
        Some(depth) => (Cores::Overlapping, depth),
        None => {
            let closest = least_distance(&a, &b);
            closest.prove_distance(&a, &b);
            (Cores::Apart, closest)
        }
    };
    ExactSigned {
        cores,
        core_squared: Rational::new(fraction.numerator, fraction.denominator * (&denominator * &denominator)),
        radius_sum,
        direction: fraction.direction,
    }
}

fn common_scale(a: &Placed, b: &Placed) -> (Polytope, Polytope, BigInt) {
    let denominator = lcm(&a.denominator, &b.denominator);
    (Polytope::new(a.points_over(&denominator)), Polytope::new(b.points_over(&denominator)), denominator)
}

/// A squared length `numerator / denominator` and the direction, from A to B, along which it was found.
struct Squared {
    numerator: BigInt,
    denominator: BigInt,
    direction: Point,
}

impl Squared {
    fn is_less_than(&self, other: &Squared) -> bool {
        &self.numerator * &other.denominator < &other.numerator * &self.denominator
    }

    /// Asserts that along the direction found, the supporting planes of the cores are as far apart as the closest
    /// points, so that no pair of points can be closer.
    fn prove_distance(&self, a: &Polytope, b: &Polytope) {
        let (_, highest_a) = a.extent(&self.direction);
        let (lowest_b, _) = b.extent(&self.direction);
        let gap = lowest_b - highest_a;
        let length_squared = dot(&self.direction, &self.direction);
        assert!(
            gap.is_positive() && &gap * &gap * &self.denominator == &self.numerator * length_squared,
            "the oracle's distance failed its own proof"
        );
    }
}

/// Keeps the least of the candidates.
fn keep_least(best: &mut Option<Squared>, candidate: Squared) {
    if best.as_ref().is_none_or(|best| candidate.is_less_than(best)) {
        *best = Some(candidate);
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Features

/// A face: its plane, and the edges around it with their normals within the plane, pointing into the face.
struct Face {
    /// Outward for a solid, either way for a polygon. Not normalised.
    normal: Point,
    /// A point of the plane.
    origin: usize,
    /// (a point of the edge, the inward normal of the edge within the plane).
    borders: Vec<(usize, Point)>,
}

/// The features of the convex hull of integer points.
pub(crate) struct Polytope {
    points: Vec<Point>,
    /// 0 a point, 1 a segment, 2 a polygon, 3 a solid.
    pub(crate) dimension: u32,
    vertices: Vec<usize>,
    edges: Vec<[usize; 2]>,
    faces: Vec<Face>,
    /// One vector per class of parallel edges.
    edge_directions: Vec<Point>,
}

impl Polytope {
    pub(crate) fn new(mut points: Vec<Point>) -> Polytope {
        points.sort();
        points.dedup();
        assert!((1..=128).contains(&points.len()), "{} distinct points; the oracle takes 1 to 128", points.len());
        let mut polytope = Polytope {
            points,
            dimension: 0,
            vertices: Vec::new(),
            edges: Vec::new(),
            faces: Vec::new(),
            edge_directions: Vec::new(),
        };
        polytope.find_features();
        polytope
    }

    fn find_features(&mut self) {
        let points = &self.points;
        let origin = &points[0];
        if points.len() == 1 {
            self.vertices = vec![0];
            return;
        }
        // Sorted points on a line are in order along it.
        let along = subtract(&points[1], origin);
        let spanned = points[2..].iter().find_map(|point| {
            let normal = cross(&along, &subtract(point, origin));
            (!is_zero(&normal)).then_some(normal)
        });
        let Some(normal) = spanned else {
            self.dimension = 1;
            self.add_edges(&[[0, points.len() - 1]]);
            return;
        };
        let flat = points.iter().all(|point| dot(&normal, &subtract(point, origin)).is_zero());
        if flat {
            self.dimension = 2;
            let everything = (0..points.len()).collect::<Vec<_>>();
            let edges = self.polygon_edges(&normal, &everything);
            self.add_edges(&edges);
            let face = self.face(normal, 0, &edges);
            self.faces.push(face);
        } else {
            self.dimension = 3;
            self.find_solid_features();
        }
    }

    /// The faces and edges of a solid: planes through three points with no point strictly on one side, and the pairs of
    /// faces that share at least two points.
    fn find_solid_features(&mut self) {
        let count = self.points.len();
        let mut planes: Vec<(u128, Point, usize)> = Vec::new();
        for i in 0..count {
            for j in i + 1..count {
                let along = subtract(&self.points[j], &self.points[i]);
                for k in j + 1..count {
                    let triple = 1_u128 << i | 1 << j | 1 << k;
                    if planes.iter().any(|(mask, ..)| mask & triple == triple) {
                        continue;
                    }
                    let normal = cross(&along, &subtract(&self.points[k], &self.points[i]));
                    if let Some((mask, outward)) = self.supporting_plane(normal, i) {
                        planes.push((mask, outward, i));
                    }
                }
            }
        }
        let mut edges_of_planes: Vec<Vec<[usize; 2]>> = vec![Vec::new(); planes.len()];
        let mut edges = Vec::new();
        for (first, (mask, ..)) in planes.iter().enumerate() {
            for (second, (other, ..)) in planes.iter().enumerate().skip(first + 1) {
                let shared = mask & other;
                if shared.count_ones() < 2 {
                    continue;
                }
                // All are collinear and sorted, so the lowest and the highest index are the ends.
                let edge = [shared.trailing_zeros() as usize, 127 - shared.leading_zeros() as usize];
                edges.push(edge);
                edges_of_planes[first].push(edge);
                edges_of_planes[second].push(edge);
            }
        }
        self.add_edges(&edges);
        for ((_, normal, origin), edges) in planes.into_iter().zip(edges_of_planes) {
            let face = self.face(normal, origin, &edges);
            self.faces.push(face);
        }
    }

    /// If all points lie on one side of the plane: the set of points in it, and the outward normal.
    fn supporting_plane(&self, normal: Point, through: usize) -> Option<(u128, Point)> {
        if is_zero(&normal) {
            return None;
        }
        let level = dot(&normal, &self.points[through]);
        let mut within = 0_u128;
        let mut side = Ordering::Equal;
        for (index, point) in self.points.iter().enumerate() {
            match dot(&normal, point).cmp(&level) {
                Ordering::Equal => within |= 1 << index,
                other if side == Ordering::Equal => side = other,
                other if side != other => return None,
                _ => {}
            }
        }
        let outward = if side == Ordering::Greater { negate(&normal) } else { normal };
        Some((within, outward))
    }

    /// The edges of the convex polygon spanned by coplanar points.
    fn polygon_edges(&self, normal: &Point, indices: &[usize]) -> Vec<[usize; 2]> {
        let mut found: Vec<(u128, [usize; 2])> = Vec::new();
        for (position, &i) in indices.iter().enumerate() {
            for &j in &indices[position + 1..] {
                let pair = 1_u128 << i | 1 << j;
                if found.iter().any(|(mask, _)| mask & pair == pair) {
                    continue;
                }
                let inward = cross(normal, &subtract(&self.points[j], &self.points[i]));
                if let Some((mask, _)) = self.supporting_plane(inward, i) {
                    let ends = [mask.trailing_zeros() as usize, 127 - mask.leading_zeros() as usize];
                    found.push((mask, ends));
                }
            }
        }
        found.into_iter().map(|(_, ends)| ends).collect()
    }

    fn face(&self, normal: Point, origin: usize, edges: &[[usize; 2]]) -> Face {
        let borders = edges
            .iter()
            .map(|&[from, to]| {
                let inward = cross(&normal, &subtract(&self.points[to], &self.points[from]));
                // The other ends of the face's edges show which side is inside.
                let level = dot(&inward, &self.points[from]);
                let outside = edges.as_flattened().iter().any(|&point| dot(&inward, &self.points[point]) < level);
                (from, if outside { negate(&inward) } else { inward })
            })
            .collect();
        Face { normal, origin, borders }
    }

    fn add_edges(&mut self, edges: &[[usize; 2]]) {
        for &[from, to] in edges {
            let along = subtract(&self.points[to], &self.points[from]);
            let known = |other: &Point| is_zero(&cross(other, &along));
            if !self.edge_directions.iter().any(known) {
                self.edge_directions.push(along);
            }
        }
        self.edges = edges.to_vec();
        self.vertices = edges.as_flattened().to_vec();
        self.vertices.sort_unstable();
        self.vertices.dedup();
    }

    /// The least and the greatest `direction . p` over the body.
    fn extent(&self, direction: &Point) -> (BigInt, BigInt) {
        let mut heights = self.vertices.iter().map(|&vertex| dot(direction, &self.points[vertex]));
        let first = heights.next().expect("a body has a vertex");
        let mut extent = (first.clone(), first);
        for height in heights {
            if height < extent.0 {
                extent.0 = height;
            } else if height > extent.1 {
                extent.1 = height;
            }
        }
        extent
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Cores that meet

/// The least squared overlap over all directions that can be normal to a facet of `A - B`; `None` if one separates.
fn least_overlap(a: &Polytope, b: &Polytope) -> Option<Squared> {
    let (directions, solid) = facet_directions(a, b);
    let mut best = None;
    for direction in directions {
        let (lowest_a, highest_a) = a.extent(&direction);
        let (lowest_b, highest_b) = b.extent(&direction);
        let forward = highest_a - lowest_b;
        let backward = highest_b - lowest_a;
        if forward.is_negative() || backward.is_negative() {
            return None;
        }
        let length_squared = dot(&direction, &direction);
        let (overlap, direction) =
            if backward < forward { (backward, negate(&direction)) } else { (forward, direction) };
        keep_least(&mut best, Squared { numerator: &overlap * &overlap, denominator: length_squared, direction });
    }
    let touching = || Squared { numerator: BigInt::zero(), denominator: BigInt::from(1), direction: Point::default() };
    match best {
        Some(best) if solid || best.numerator.is_zero() => Some(best),
        _ => Some(touching()),
    }
}

/// Directions that include every facet normal of the Minkowski difference `A - B` (if the difference is flat, within
/// its affine hull, plus normals of that hull), and whether the difference is a solid.
fn facet_directions(a: &Polytope, b: &Polytope) -> (Vec<Point>, bool) {
    let along: Vec<&Point> = a.edge_directions.iter().chain(&b.edge_directions).collect();
    let between = subtract(&b.points[0], &a.points[0]);
    let Some(&first) = along.first() else {
        // Two points.
        let directions = if is_zero(&between) { vec![] } else { vec![between] };
        return (directions, false);
    };
    let plane = along.iter().find_map(|other| {
        let normal = cross(first, other);
        (!is_zero(&normal)).then_some(normal)
    });
    let Some(plane) = plane else {
        // Parallel segments, or a segment and a point: along the line, and perpendicular to it.
        let across = cross(&cross(first, &between), first);
        let mut directions = vec![first.clone()];
        if !is_zero(&across) {
            directions.push(across);
        }
        return (directions, false);
    };
    if along.iter().all(|other| dot(&plane, other).is_zero()) {
        let mut directions: Vec<Point> = along.iter().map(|other| cross(&plane, other)).collect();
        directions.push(plane);
        return (directions, false);
    }
    let mut directions: Vec<Point> = a.faces.iter().chain(&b.faces).map(|face| face.normal.clone()).collect();
    for edge_a in &a.edge_directions {
        for edge_b in &b.edge_directions {
            let normal = cross(edge_a, edge_b);
            if !is_zero(&normal) {
                directions.push(normal);
            }
        }
    }
    (directions, true)
}

// ---------------------------------------------------------------------------------------------------------------
// Cores apart

fn least_distance(a: &Polytope, b: &Polytope) -> Squared {
    let mut best = None;
    for &i in &a.vertices {
        for &j in &b.vertices {
            let direction = subtract(&b.points[j], &a.points[i]);
            let candidate = Squared { numerator: dot(&direction, &direction), denominator: BigInt::from(1), direction };
            keep_least(&mut best, candidate);
        }
    }
    vertices_to_edges_and_faces(a, b, false, &mut best);
    vertices_to_edges_and_faces(b, a, true, &mut best);
    edges_to_edges(a, b, &mut best);
    best.expect("a body has a vertex")
}

/// Feet of the vertices of one body on the edges and faces of the other. The direction found points from the vertex to
/// the feature, or the other way round if `reversed`.
fn vertices_to_edges_and_faces(from: &Polytope, to: &Polytope, reversed: bool, best: &mut Option<Squared>) {
    let orient = |direction: Point| {
        if reversed { negate(&direction) } else { direction }
    };
    for &[start, end] in &to.edges {
        let along = subtract(&to.points[end], &to.points[start]);
        let length_squared = dot(&along, &along);
        for &vertex in &from.vertices {
            let offset = subtract(&to.points[start], &from.points[vertex]);
            let parameter = -dot(&offset, &along);
            if parameter.is_negative() || parameter > length_squared {
                continue;
            }
            let numerator = dot(&offset, &offset) * &length_squared - &parameter * &parameter;
            // offset + along * parameter / length_squared, times length_squared.
            let direction = std::array::from_fn(|axis| &offset[axis] * &length_squared + &along[axis] * &parameter);
            let candidate = Squared { numerator, denominator: length_squared.clone(), direction: orient(direction) };
            keep_least(best, candidate);
        }
    }
    for face in &to.faces {
        let length_squared = dot(&face.normal, &face.normal);
        for &vertex in &from.vertices {
            let point = &from.points[vertex];
            let inside = face
                .borders
                .iter()
                .all(|(corner, inward)| !dot(inward, &subtract(point, &to.points[*corner])).is_negative());
            if !inside {
                continue;
            }
            let height = dot(&face.normal, &subtract(point, &to.points[face.origin]));
            let direction = if height.is_negative() { face.normal.clone() } else { negate(&face.normal) };
            let candidate = Squared {
                numerator: &height * &height,
                denominator: length_squared.clone(),
                direction: orient(direction),
            };
            keep_least(best, candidate);
        }
    }
}

/// Pairs of edges whose common perpendicular meets both; parallel ones are covered by their ends.
fn edges_to_edges(a: &Polytope, b: &Polytope, best: &mut Option<Squared>) {
    let vectors = |body: &Polytope| -> Vec<(Point, BigInt)> {
        let vector = |&[from, to]: &[usize; 2]| {
            let along = subtract(&body.points[to], &body.points[from]);
            let length_squared = dot(&along, &along);
            (along, length_squared)
        };
        body.edges.iter().map(vector).collect()
    };
    let vectors_a = vectors(a);
    let vectors_b = vectors(b);
    for ([start_a, _], (along_a, squared_a)) in a.edges.iter().zip(&vectors_a) {
        for ([start_b, _], (along_b, squared_b)) in b.edges.iter().zip(&vectors_b) {
            // start_a + along_a s and start_b + along_b t, s and t over the common denominator `area`.
            let mixed = dot(along_a, along_b);
            let area = squared_a * squared_b - &mixed * &mixed;
            if area.is_zero() {
                continue;
            }
            let offset = subtract(&b.points[*start_b], &a.points[*start_a]);
            let offset_a = dot(&offset, along_a);
            let offset_b = dot(&offset, along_b);
            let s = &offset_a * squared_b - &offset_b * &mixed;
            if s.is_negative() || s > area {
                continue;
            }
            let t = &offset_a * &mixed - &offset_b * squared_a;
            if t.is_negative() || t > area {
                continue;
            }
            let normal = cross(along_a, along_b);
            let height = dot(&normal, &offset);
            let direction = if height.is_negative() { negate(&normal) } else { normal };
            let candidate = Squared { numerator: &height * &height, denominator: area, direction };
            keep_least(best, candidate);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Integer vectors

fn subtract(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|axis| &a[axis] - &b[axis])
}

fn negate(a: &Point) -> Point {
    std::array::from_fn(|axis| -&a[axis])
}

fn dot(a: &Point, b: &Point) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|axis| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        &a[next] * &b[last] - &a[last] * &b[next]
    })
}

fn is_zero(a: &Point) -> bool {
    a.iter().all(Zero::is_zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(points: &[[f64; 3]]) -> (u32, usize, usize, usize, usize) {
        let polytope = Polytope::new(OracleBody::hull(points.to_vec()).placed().points);
        (
            polytope.dimension,
            polytope.vertices.len(),
            polytope.edges.len(),
            polytope.faces.len(),
            polytope.edge_directions.len(),
        )
    }

    #[test]
    fn features_of_known_bodies() {
        let cube = OracleBody::cuboid([1.0, 2.0, 3.0]).core_vertices;
        assert_eq!(counts(&cube), (3, 8, 12, 6, 3));
        // Interior points, points on faces and edges, and duplicates make no difference.
        let mut cluttered = cube.clone();
        cluttered.extend([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 2.0, 0.5], [1.0, 2.0, 3.0]]);
        assert_eq!(counts(&cluttered), (3, 8, 12, 6, 3));
        let octahedron: Vec<[f64; 3]> = (0..6)
            .map(|index| {
                let mut point = [0.0; 3];
                point[index / 2] = if index % 2 == 0 { 1.0 } else { -1.0 };
                point
            })
            .collect();
        assert_eq!(counts(&octahedron), (3, 6, 12, 8, 6));
        let square =
            [[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [2.0, 2.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
        assert_eq!(counts(&square), (2, 4, 4, 1, 2));
        let line = [[0.0; 3], [2.0, 4.0, -6.0], [1.0, 2.0, -3.0], [-1.0, -2.0, 3.0]];
        assert_eq!(counts(&line), (1, 2, 1, 0, 1));
        assert_eq!(counts(&[[1.0; 3], [1.0; 3]]), (0, 1, 0, 0, 0));
    }

    /// The same answer by another method: build the Minkowski difference `B - A` as a point set, then compute the
    /// distance of the origin from it, or from its faces if the origin is inside.
    #[test]
    fn agrees_with_the_hull_of_the_difference() {
        use crate::generate::{Scenario, pair};
        let mut seen = [0; 3];
        for scenario in Scenario::ALL {
            for seed in 0..20 {
                let (a, b) = pair(scenario, seed);
                let (core_a, core_b) = (a.placed(), b.placed());
                let scale = lcm(&core_a.denominator, &core_b.denominator);
                let (points_a, points_b) = (core_a.points_over(&scale), core_b.points_over(&scale));
                if points_a.len() * points_b.len() > 40 {
                    continue;
                }
                let differences = points_b.iter().flat_map(|q| points_a.iter().map(|p| subtract(q, p))).collect();
                let difference = Polytope::new(differences);
                let truth = signed_distance(&a, &b);
                let outside = |face: &Face| dot(&face.normal, &difference.points[face.origin]).is_negative();
                let expected = if difference.dimension < 3 {
                    let origin = Polytope::new(vec![Point::default()]);
                    least_distance(&origin, &difference)
                } else if difference.faces.iter().any(outside) {
                    assert_eq!(truth.cores, Cores::Apart);
                    let origin = Polytope::new(vec![Point::default()]);
                    least_distance(&origin, &difference)
                } else {
                    assert_ne!(truth.cores, Cores::Apart);
                    let mut best = None;
                    for face in &difference.faces {
                        let height = dot(&face.normal, &difference.points[face.origin]);
                        let candidate = Squared {
                            numerator: &height * &height,
                            denominator: dot(&face.normal, &face.normal),
                            direction: face.normal.clone(),
                        };
                        keep_least(&mut best, candidate);
                    }
                    best.expect("a solid has faces")
                };
                let squared = Rational::new(expected.numerator, expected.denominator * &scale * &scale);
                assert_eq!(truth.core_squared, squared, "{scenario:?} {seed}");
                seen[truth.cores as usize] += 1;
            }
        }
        println!("{seen:?} pairs apart, touching, overlapping");
        assert!(seen.iter().all(|&count| count >= 5), "{seen:?}");
    }
}
