//! Bodies as plain data, and their exact placement in the world.
//!
//! A body is the convex hull of a few points in its own frame, mapped to the world by `R v + t` and then grown by a
//! radius in world units (the radius is not transformed). `R` is used exactly as given, even if it is only nearly a
//! rotation: the truth concerns the numbers as stored.
//!
//! ```
//! use clearance_oracle::OracleBody;
//!
//! let body = OracleBody::cuboid([1.0, 2.0, 3.0]).translated([10.0, 0.0, 0.0]);
//! assert_eq!(body.core_vertices.len(), 8);
//! assert_eq!(body.as_cuboid(), Some([1.0, 2.0, 3.0]));
//! assert_eq!(OracleBody::sphere(0.5).as_sphere(), Some(0.5));
//! ```

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::convex::Polytope;
use crate::gcd::lcm;
use crate::rational::{Rational, Vector, decompose};

/// The rows of the identity matrix.
pub const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A convex body with its pose: all points within `radius` of the convex hull of `R v + t`, where `v` runs over the
/// core's vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct OracleBody {
    /// The points whose convex hull is the core, in the body's own frame. At least one; duplicates, interior points,
    /// flat and collinear sets are allowed.
    pub core_vertices: Vec<[f64; 3]>,
    /// Radius around the placed core, in world units; zero for a polyhedron. Not negative.
    pub radius: f64,
    /// The rows of `R`, body to world.
    pub rotation: [[f64; 3]; 3],
    /// `t`, the position of the body's origin in the world.
    pub translation: [f64; 3],
}

impl OracleBody {
    /// The convex hull of points, at the world's origin.
    #[must_use]
    pub fn hull(core_vertices: Vec<[f64; 3]>) -> OracleBody {
        OracleBody { core_vertices, radius: 0.0, rotation: IDENTITY, translation: [0.0; 3] }
    }

    /// A box centred at its own origin. Bits 0, 1, 2 of a vertex's index mean `+x`, `+y`, `+z`.
    #[must_use]
    pub fn cuboid(half_extents: [f64; 3]) -> OracleBody {
        let vertex = |index: usize| {
            std::array::from_fn(|axis| if index >> axis & 1 == 1 { half_extents[axis] } else { -half_extents[axis] })
        };
        OracleBody::hull((0..8).map(vertex).collect())
    }

    /// A ball centred at its own origin.
    #[must_use]
    pub fn sphere(radius: f64) -> OracleBody {
        OracleBody { radius, ..OracleBody::hull(vec![[0.0; 3]]) }
    }

    /// The same body with another rotation, given by its rows.
    #[must_use]
    pub fn rotated(self, rotation: [[f64; 3]; 3]) -> OracleBody {
        OracleBody { rotation, ..self }
    }

    /// The same body with its origin at another point of the world.
    #[must_use]
    pub fn translated(self, translation: [f64; 3]) -> OracleBody {
        OracleBody { translation, ..self }
    }

    /// The half extents if the body has the form that [`OracleBody::cuboid`] makes (with positive extents).
    #[must_use]
    pub fn as_cuboid(&self) -> Option<[f64; 3]> {
        let half_extents = *self.core_vertices.get(7)?;
        let positive = half_extents.iter().all(|&half| half > 0.0);
        let same = OracleBody::cuboid(half_extents).core_vertices == self.core_vertices;
        (positive && same && self.radius == 0.0).then_some(half_extents)
    }

    /// The radius if the body has the form that [`OracleBody::sphere`] makes (with a positive radius).
    #[must_use]
    pub fn as_sphere(&self) -> Option<f64> {
        (self.core_vertices == [[0.0; 3]] && self.radius > 0.0).then_some(self.radius)
    }

    /// The dimension of the placed core, decided exactly: 0 a point, 1 a segment, 2 a polygon, 3 a solid.
    ///
    /// ```
    /// use clearance_oracle::OracleBody;
    /// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// assert_eq!(OracleBody::hull(square.to_vec()).dimension(), 2);
    /// ```
    ///
    /// # Panics
    /// As [`OracleBody::placed`].
    #[must_use]
    pub fn dimension(&self) -> u32 {
        Polytope::new(self.placed().points).dimension
    }

    /// The core's points in the world, rounded: `R v + t` in doubles.
    #[must_use]
    pub fn world_points(&self) -> Vec<[f64; 3]> {
        let place = |v: &[f64; 3]| {
            std::array::from_fn(|row| {
                let [x, y, z] = self.rotation[row];
                x * v[0] + y * v[1] + z * v[2] + self.translation[row]
            })
        };
        self.core_vertices.iter().map(place).collect()
    }

    /// The body in the world, exactly.
    ///
    /// # Panics
    /// If there is no vertex, a number is not finite, or the radius is negative.
    #[must_use]
    pub fn placed(&self) -> Placed {
        assert!(!self.core_vertices.is_empty(), "a body without vertices");
        assert!(self.radius >= 0.0, "radius {}", self.radius);
        let (rotation, rotation_exponent) = integers(self.rotation.as_flattened());
        let (vertices, vertex_exponent) = integers(self.core_vertices.as_flattened());
        let (translation, translation_exponent) = integers(&self.translation);
        let product_exponent = rotation_exponent + vertex_exponent;
        let exponent = product_exponent.min(translation_exponent).min(0);
        let widen = |value: BigInt, from: i64| value << (from - exponent).unsigned_abs();
        let points = vertices
            .chunks_exact(3)
            .map(|v| {
                std::array::from_fn(|row| {
                    let r = &rotation[3 * row..3 * row + 3];
                    let turned = &r[0] * &v[0] + &r[1] * &v[1] + &r[2] * &v[2];
                    widen(turned, product_exponent) + widen(translation[row].clone(), translation_exponent)
                })
            })
            .collect();
        Placed {
            points,
            denominator: BigInt::one() << exponent.unsigned_abs(),
            radius: Rational::from_f64(self.radius).expect("a finite radius"),
        }
    }
}

/// Doubles as integers times a common power of two.
fn integers(values: &[f64]) -> (Vec<BigInt>, i64) {
    let parts: Vec<(i64, i64)> =
        values.iter().map(|&value| decompose(value).unwrap_or_else(|| panic!("{value} is not finite"))).collect();
    let nonzero = parts.iter().filter(|(mantissa, _)| *mantissa != 0);
    let exponent = nonzero.map(|&(_, exponent)| exponent).min().unwrap_or(0);
    let integer = |&(mantissa, own): &(i64, i64)| {
        if mantissa == 0 { BigInt::zero() } else { BigInt::from(mantissa) << (own - exponent).unsigned_abs() }
    };
    (parts.iter().map(integer).collect(), exponent)
}

/// A body in the world, exactly: integer points over one common denominator, and a radius.
///
/// ```
/// use clearance_oracle::rational::Rational;
/// use clearance_oracle::{Placed, signed_distance_placed};
///
/// // Coordinates that no double holds: the points (1/3, 0, 0) and (0, 1/7, 0).
/// let third = Placed::from_points(&[[Rational::ratio(1, 3), Rational::zero(), Rational::zero()]]);
/// let seventh = Placed::from_points(&[[Rational::zero(), Rational::ratio(1, 7), Rational::zero()]]);
/// let truth = signed_distance_placed(&third, &seventh);
/// assert_eq!(truth.core_squared, Rational::ratio(58, 441));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The core's points times `denominator`.
    pub points: Vec<[BigInt; 3]>,
    /// Positive.
    pub denominator: BigInt,
    /// Radius around the core.
    pub radius: Rational,
}

impl Placed {
    /// A body without radius from exact world points.
    ///
    /// # Panics
    /// If there is no point.
    #[must_use]
    pub fn from_points(points: &[Vector]) -> Placed {
        assert!(!points.is_empty(), "a body without vertices");
        let denominator = points
            .as_flattened()
            .iter()
            .fold(BigInt::one(), |common, coordinate| lcm(&common, coordinate.denominator()));
        let integer = |value: &Rational| value.numerator() * (&denominator / value.denominator());
        Placed {
            points: points.iter().map(|point| std::array::from_fn(|axis| integer(&point[axis]))).collect(),
            denominator: denominator.clone(),
            radius: Rational::zero(),
        }
    }

    /// The points multiplied so that their denominator is the given multiple of it.
    pub(crate) fn points_over(&self, denominator: &BigInt) -> Vec<[BigInt; 3]> {
        let factor = denominator / &self.denominator;
        if factor.is_one() {
            return self.points.clone();
        }
        self.points.iter().map(|point| std::array::from_fn(|axis| &point[axis] * &factor)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rational::{add, matrix_times, vector};

    #[test]
    fn placement_is_exact() {
        let body = OracleBody {
            core_vertices: vec![[0.1, -1e-9, 3e7], [0.0, 5e-324, 1.0]],
            radius: 0.0,
            rotation: [[0.6, -0.8, 1e-17], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]],
            translation: [1e7, -0.3, 0.0],
        };
        let placed = body.placed();
        let rows = body.rotation.map(|row| vector(row).unwrap());
        let offset = vector(body.translation).unwrap();
        for (point, v) in placed.points.iter().zip(&body.core_vertices) {
            let expected = add(&matrix_times(&rows, &vector(*v).unwrap()), &offset);
            for axis in 0..3 {
                let actual = Rational::new(point[axis].clone(), placed.denominator.clone());
                assert_eq!(actual, expected[axis]);
            }
        }
        let large = OracleBody::hull(vec![[1024.0, 0.0, 0.0]]).placed();
        assert_eq!(large.points[0][0], BigInt::from(1024));
    }

    #[test]
    fn kinds_are_recognised() {
        assert_eq!(OracleBody::cuboid([1.0, 0.0, 1.0]).as_cuboid(), None);
        assert_eq!(OracleBody::sphere(2.0).as_cuboid(), None);
        assert_eq!(OracleBody::cuboid([1.0; 3]).as_sphere(), None);
        assert_eq!(OracleBody::sphere(0.0).as_sphere(), None);
        assert_eq!(OracleBody::sphere(2.0).dimension(), 0);
        assert_eq!(OracleBody::cuboid([1.0, 0.0, 0.0]).dimension(), 1);
        assert_eq!(OracleBody::cuboid([1.0, 0.0, 1.0]).dimension(), 2);
        assert_eq!(OracleBody::cuboid([1.0; 3]).dimension(), 3);
    }
}
