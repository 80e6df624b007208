//! Why a constructor refuses its input, and why a query cannot answer. Every variant names the offending element.

use std::fmt;

/// Coordinates, radii and translations above this magnitude are refused: the predicates form cubes of coordinates,
/// which then stay far from overflow.
pub const MAX_COORDINATE: f64 = 1e60;

/// Lengths that define a body (radii, half lengths, half extents, semi-axes, the largest extent of points) below this
/// are refused, unless the body has no extent at all: a point. The counterpart of [`MAX_COORDINATE`]. Products of
/// unscaled lengths reach at most the fourth power (GJK between convex bodies, the quadratics of points and capsules):
/// 1e-240, whose rounding error, `2⁻¹⁰⁶` of it in double-double, is above 1e-272 and so far from the smallest normal
/// number, 2e-308. Sixth powers (cones, ellipsoids) are formed in units of the body or in integers. A single coordinate
/// of a larger body may be arbitrarily small.
pub const MIN_SIZE: f64 = 1e-60;

/// Why a body or a pose was refused.
///
/// Everything that can be wrong with the input is found when a [`Shape`] or a [`Pose`] is made. The few queries that do
/// not support every body return a [`QueryError`].
///
/// ```
/// use clearance::{Error, Shape};
///
/// match Shape::sphere(-1.0) {
///     Err(Error::NotPositive { what, value }) => assert_eq!((what, value), ("radius", -1.0)),
///     other => panic!("{other:?}"),
/// }
/// ```
///
/// [`Shape`]: crate::Shape
/// [`Pose`]: crate::Pose
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A number is NaN or infinite.
    NotFinite {
        /// Which quantity, as the constructor calls it.
        what: &'static str,
        /// Index of the element (point, row, component) that holds the number.
        index: usize,
    },
    /// A coordinate is larger in magnitude than [`MAX_COORDINATE`](crate::math::MAX_COORDINATE).
    TooLarge {
        /// Which quantity, as the constructor calls it.
        what: &'static str,
        /// Index of the element that holds the number.
        index: usize,
        /// The number itself.
        value: f64,
    },
    /// A length that must be positive is zero or negative.
    NotPositive {
        /// Which length.
        what: &'static str,
        /// The number given.
        value: f64,
    },
    /// A length that may be zero is negative.
    Negative {
        /// Which length.
        what: &'static str,
        /// The number given.
        value: f64,
    },
    /// A matrix or quaternion is not a rotation.
    NotRigid {
        /// How far the matrix is from a rotation: a bound on the norm of `RᵀR - I`; infinite for a reflection.
        defect: f64,
        /// The largest defect that is accepted.
        limit: f64,
    },
    /// Profiles were given to a motion that does not have constant speeds.
    NotUniform,
    /// The points of a solid hull span only a point, a line or a plane.
    FlatHull {
        /// Affine dimension of the points: 0 a point, 1 a line, 2 a plane.
        dimension: u8,
        /// How many points were given.
        points: usize,
    },
    /// A hull without points.
    NoPoints,
    /// A compound without parts.
    NoParts,
    /// A body that is unbounded or made of parts was given where a bounded convex body is needed.
    NotACore {
        /// The kind of body.
        kind: &'static str,
    },
    /// More elements than a 32-bit index can name.
    TooMany {
        /// Which elements.
        what: &'static str,
        /// How many were given.
        count: usize,
    },
    /// Fewer elements than the body needs.
    TooFew {
        /// Which elements.
        what: &'static str,
        /// The least number that is accepted.
        least: usize,
        /// How many were given.
        count: usize,
    },
    /// A list does not have the length that it must have.
    WrongCount {
        /// Which elements.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many were given.
        count: usize,
    },
    /// A length is so small that numbers computed from it could leave the range of `f64`: see
    /// [`MIN_SIZE`](crate::math::MIN_SIZE). A point, which has no size at all, is accepted.
    TooSmall {
        /// Which length.
        what: &'static str,
        /// The number given.
        value: f64,
        /// The smallest that is accepted.
        limit: f64,
    },
    /// A mesh needs at least one triangle.
    NoTriangles,
    /// A mesh of tetrahedra needs at least one.
    NoTets,
    /// A tetrahedron refers to a point that is not in the list.
    NoSuchCorner {
        /// The tetrahedron.
        tet: usize,
        /// The point it refers to.
        point: u32,
        /// How many points there are.
        points: usize,
    },
    /// A tetrahedron has one point twice.
    RepeatedCorner {
        /// The tetrahedron.
        tet: usize,
        /// The point.
        point: u32,
    },
    /// A triangle refers to a point that is not in the list.
    NoSuchPoint {
        /// The triangle.
        triangle: usize,
        /// The point it refers to.
        point: u32,
        /// How many points there are.
        points: usize,
    },
    /// An index was built for another mesh: [`Index::refit`](crate::index::Index::refit) keeps the groups of triangles.
    OtherMesh {
        /// The first triangle that is another one; `None` if their numbers differ.
        triangle: Option<u32>,
        /// How many triangles the index has.
        triangles: usize,
        /// How many the mesh has.
        found: usize,
    },
    /// A mesh does not bound a solid: some of its edges do not join two consistently wound triangles.
    NotSolid {
        /// How many edges are affected.
        edges: usize,
        /// The points of the first of them.
        edge: [u32; 2],
    },
    /// A mesh does not bound a solid: some of its triangles intersect each other.
    CrossesItself {
        /// How many pairs of triangles intersect.
        count: usize,
        /// The first pair.
        triangles: [u32; 2],
    },
    /// Bytes that are not a valid mesh encoding.
    BadBytes {
        /// What is wrong with them.
        what: &'static str,
    },
    /// A closed mesh is wound clockwise seen from outside. A shell wound inward within one wound outward is a cavity,
    /// not an error.
    InsideOut {
        /// The signed volume enclosed by its triangles, which is negative.
        volume: f64,
    },
    /// One of several bodies given together is at fault.
    InBody {
        /// Its place in the list.
        body: u32,
        /// What is wrong with it.
        error: Box<Error>,
    },
    /// No body of a [`Scene`](crate::deforming::Scene) has the number.
    NoBody {
        /// The number.
        body: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFinite { what, index } => {
                write!(f, "{what} {index} is not finite: every number must be finite")
            }
            Error::TooLarge { what, index, value } => {
                write!(f, "{what} {index} is {value:e}: magnitudes above {MAX_COORDINATE:e} are refused")
            }
            Error::NotPositive { what, value } => {
                write!(f, "{what} is {value}: it must be greater than zero")
            }
            Error::Negative { what, value } => write!(f, "{what} is {value}: it must not be negative"),
            Error::NotRigid { defect, limit } => write!(
                f,
                "the matrix is not a rotation: it is off by {defect:e}, at most {limit:e} is accepted \
                 (scale and shear belong in the vertices)"
            ),
            Error::NotUniform => write!(
                f,
                "the motion does not have constant speeds: profiles apply to turns, screws and translations; build \
                 the speeds into a polynomial or a custom motion when constructing it"
            ),
            Error::FlatHull { dimension, points } => {
                let span = ["a single point", "a line", "a plane"][usize::from(*dimension).min(2)];
                write!(f, "the {points} points of the hull span only {span}: use `Shape::flat_hull` for a flat body")
            }
            Error::NoPoints => write!(f, "a hull needs at least one point"),
            Error::NoParts => write!(f, "a compound needs at least one part"),
            Error::NotACore { kind } => {
                write!(f, "a {kind} cannot be rounded or be a part of a compound: give a bounded convex body")
            }
            Error::TooMany { what, count } => write!(f, "{count} {what} exceed the range of a 32-bit index"),
            Error::TooFew { what, least, count } => {
                write!(f, "expected at least {least} {what}, got {count}")
            }
            Error::WrongCount { what, expected, count } => {
                write!(f, "expected {expected} {what}, got {count}")
            }
            Error::TooSmall { what, value, limit } => {
                write!(f, "{what} is {value:e}, below {limit:e}: scale the scene (give its lengths in a smaller unit)")
            }
            Error::NoTriangles => write!(f, "a mesh needs at least one triangle"),
            Error::NoTets => write!(f, "a mesh of tetrahedra needs at least one"),
            Error::NoSuchCorner { tet, point, points } => {
                write!(f, "tetrahedron {tet} refers to point {point}, but there are only {points} points")
            }
            Error::RepeatedCorner { tet, point } => {
                write!(f, "tetrahedron {tet} has point {point} twice: drop it, or give it four different points")
            }
            Error::NoSuchPoint { triangle, point, points } => {
                write!(f, "triangle {triangle} refers to point {point}, but there are only {points} points")
            }
            Error::OtherMesh { triangle: Some(triangle), .. } => {
                write!(f, "the index is of another mesh: triangle {triangle} has other points")
            }
            Error::OtherMesh { triangle: None, triangles, found } => {
                write!(f, "the index is of another mesh: it has {triangles} triangles, the mesh {found}")
            }
            Error::NotSolid { edges, edge: [a, b] } => write!(
                f,
                "the mesh does not bound a solid: {edges} edges, the first between points {a} and {b}, do not join two \
                 consistently wound triangles (close the holes and make the winding consistent, or use it as a \
                 surface)"
            ),
            Error::CrossesItself { count, triangles: [a, b] } => write!(
                f,
                "the mesh does not bound a solid: {count} pairs of triangles, the first {a} and {b}, intersect each \
                 other (take the union of its parts, or ask for an estimate)"
            ),
            Error::BadBytes { what } => write!(f, "not a valid mesh encoding: {what}"),
            Error::InsideOut { volume } => {
                write!(
                    f,
                    "the mesh is inside out: closed, but wound clockwise seen from outside, with a \
                     volume of {volume:e} (flip the winding: swap two corners of every triangle)"
                )
            }
            Error::InBody { body, error } => write!(f, "body {body}: {error}"),
            Error::NoBody { body } => {
                write!(f, "no body has the number {body}: it was removed or broken up, or never inserted")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::InBody { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Why a query has no answer for these bodies.
///
/// Most queries answer for all bodies. Depth and volume need solids, and a depth needs a separating translation to
/// exist.
///
/// Every [`Error`] converts into it, so a function that both builds and queries bodies can return it.
///
/// ```
/// use clearance::{Pose, QueryError, Shape, glam::DVec3, penetration};
///
/// fn depth_of_floor_in_ceiling() -> Result<f64, QueryError> {
///     let (floor, ceiling) = (Shape::half_space(DVec3::Z, 0.0)?, Shape::half_space(DVec3::Z, 1.0)?);
///     Ok(penetration(&floor, &Pose::IDENTITY, &ceiling, &Pose::IDENTITY)?.depth.value)
/// }
/// assert_eq!(depth_of_floor_in_ceiling(), Err(QueryError::Unbounded));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum QueryError {
    /// A body does not meet the query's requirements, for the reason given: a mesh that does not bound a solid.
    Body(Error),
    /// No translation separates two unbounded bodies.
    Unbounded,
    /// The depth of a solid mesh in a body that is neither a solid mesh nor flat-faced is not supported.
    NoDepth,
    /// Neither of two meshes is a solid, so nothing of one can be inside the other.
    TwoSurfaces,
    /// The volume shared with a body of this kind is not supported.
    NoVolume {
        /// The kind of body.
        kind: &'static str,
    },
    /// A direction that is zero or not finite.
    NoDirection {
        /// The direction given.
        direction: [f64; 3],
    },
    /// A list must have one element or be as long as another one, and is not.
    WrongCount {
        /// Which elements.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many were given.
        count: usize,
    },
    /// A pair of a batch refers to a body that is not in the list.
    NoSuchPair {
        /// Index of the pair in the batch.
        pair: usize,
        /// The body it refers to.
        body: u32,
        /// How many bodies there are.
        bodies: usize,
    },
    /// A stale or foreign handle: the body was removed, or belongs to another world.
    NoSuchBody {
        /// The slot that the handle refers to.
        index: u32,
        /// How many bodies occupied that slot before.
        generation: u32,
    },
}

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::Body(error)
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::Body(error) => write!(f, "{error}"),
            QueryError::Unbounded => {
                write!(f, "no translation separates two unbounded bodies: their common part is unbounded")
            }
            QueryError::NoDepth => write!(
                f,
                "the depth of a solid mesh in a body of this kind is not supported: give the other body as a hull, a \
                 box or a solid mesh, or use `contacts`"
            ),
            QueryError::TwoSurfaces => write!(
                f,
                "two surfaces have no penetration depth, as neither has an inside: make one of the meshes a solid with \
                 `Mesh::solid`"
            ),
            QueryError::NoVolume { kind: "surface" } => {
                write!(f, "a surface has no volume: make the mesh a solid first, with `Mesh::solid`")
            }
            QueryError::NoVolume { kind: "compound" } => write!(
                f,
                "the volume of a compound is not supported, as its parts may overlap: query each part, or give their \
                 union as a closed mesh"
            ),
            QueryError::NoVolume { kind } => {
                write!(f, "the volume that a {kind} shares with a body is not supported: give a closed mesh of it")
            }
            QueryError::NoDirection { direction: [x, y, z] } => {
                write!(f, "({x}, {y}, {z}) is not a direction: it must be finite and not zero")
            }
            QueryError::WrongCount { what, expected, count } => {
                write!(f, "expected {expected} {what} or 1, got {count}")
            }
            QueryError::NoSuchPair { pair, body, bodies } => {
                write!(f, "pair {pair} refers to body {body}, but there are only {bodies} bodies")
            }
            QueryError::NoSuchBody { index, generation } => {
                write!(f, "no body has the handle {index}.{generation}: it was removed, or belongs to another world")
            }
        }
    }
}

impl std::error::Error for QueryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            QueryError::Body(error) => Some(error),
            _ => None,
        }
    }
}

/// Checks that each component is finite and within the accepted magnitude.
pub(crate) fn check_coordinates(what: &'static str, index: usize, point: glam::DVec3) -> Result<(), Error> {
    for value in point.to_array() {
        if !value.is_finite() {
            return Err(Error::NotFinite { what, index });
        }
        if value.abs() > MAX_COORDINATE {
            return Err(Error::TooLarge { what, index, value });
        }
    }
    Ok(())
}

/// As [`check_coordinates`] for a single vector: the index of the error is that of the component.
pub(crate) fn check_components(what: &'static str, vector: glam::DVec3) -> Result<(), Error> {
    for (index, value) in vector.to_array().into_iter().enumerate() {
        check_coordinates(what, index, glam::DVec3::splat(value))?;
    }
    Ok(())
}

/// Checks that a length that defines a body is finite, positive and within the accepted sizes.
pub(crate) fn check_length(what: &'static str, value: f64) -> Result<(), Error> {
    check_coordinates(what, 0, glam::DVec3::splat(value))?;
    if value <= 0.0 {
        return Err(Error::NotPositive { what, value });
    }
    check_size(what, value)
}

/// Checks that the size of a body, zero for a point, is not too small. The only place that decides this, for all kinds.
pub(crate) fn check_size(what: &'static str, value: f64) -> Result<(), Error> {
    let is_too_small = value > 0.0 && value < MIN_SIZE;
    if is_too_small { Err(Error::TooSmall { what, value, limit: MIN_SIZE }) } else { Ok(()) }
}

/// As [`check_length`] for the components of a vector, each with its own name.
pub(crate) fn check_lengths(what: &'static str, names: [&'static str; 3], vector: glam::DVec3) -> Result<(), Error> {
    check_components(what, vector)?;
    vector.to_array().into_iter().zip(names).try_for_each(|(value, what)| check_length(what, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_names_the_element() {
        let cases = [
            (Error::NotFinite { what: "point", index: 7 }, "point 7"),
            (Error::TooLarge { what: "point", index: 3, value: 1e61 }, "point 3"),
            (Error::NotPositive { what: "radius", value: 0.0 }, "radius"),
            (Error::Negative { what: "tolerance", value: -1.0 }, "tolerance"),
            (Error::NotRigid { defect: 0.5, limit: 1e-6 }, "5e-1"),
            (Error::NotUniform, "constant speeds"),
            (Error::FlatHull { dimension: 2, points: 9 }, "9 points"),
            (Error::NoPoints, "one point"),
            (Error::NoParts, "one part"),
            (Error::NotACore { kind: "half-space" }, "half-space"),
            (Error::TooMany { what: "points", count: 5 }, "5 points"),
            (Error::TooFew { what: "columns", least: 2, count: 1 }, "at least 2 columns, got 1"),
            (Error::WrongCount { what: "heights", expected: 6, count: 5 }, "6 heights, got 5"),
            (Error::TooSmall { what: "spacing", value: 1e-61, limit: 1e-60 }, "spacing is 1e-61, below 1e-60"),
            (Error::NoTriangles, "one triangle"),
            (Error::NoTets, "at least one"),
            (Error::NoSuchCorner { tet: 4, point: 9, points: 8 }, "tetrahedron 4"),
            (Error::RepeatedCorner { tet: 6, point: 2 }, "tetrahedron 6 has point 2 twice"),
            (Error::NoSuchPoint { triangle: 4, point: 9, points: 8 }, "triangle 4"),
            (Error::OtherMesh { triangle: Some(6), triangles: 9, found: 9 }, "triangle 6"),
            (Error::OtherMesh { triangle: None, triangles: 9, found: 8 }, "9 triangles, the mesh 8"),
            (Error::NotSolid { edges: 2, edge: [5, 6] }, "points 5 and 6"),
            (Error::CrossesItself { count: 3, triangles: [7, 9] }, "first 7 and 9"),
            (Error::InsideOut { volume: -2.0 }, "-2e0"),
            (Error::BadBytes { what: "checksum mismatch" }, "checksum"),
            (
                Error::InBody { body: 3, error: Box::new(Error::NotFinite { what: "point", index: 7 }) },
                "body 3: point 7",
            ),
            (Error::NoBody { body: 4 }, "number 4"),
        ];
        for (error, part) in cases {
            let text = error.to_string();
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn every_message_of_a_question_names_the_element() {
        let cases = [
            (QueryError::Body(Error::NotSolid { edges: 2, edge: [5, 6] }), "points 5 and 6"),
            (QueryError::Unbounded, "unbounded"),
            (QueryError::NoDepth, "solid mesh"),
            (QueryError::TwoSurfaces, "two surfaces"),
            (QueryError::NoVolume { kind: "cone" }, "a cone"),
            (QueryError::NoVolume { kind: "surface" }, "Mesh::solid"),
            (QueryError::NoVolume { kind: "compound" }, "compound"),
            (QueryError::NoDirection { direction: [0.0, f64::NAN, 0.0] }, "(0, NaN, 0)"),
            (QueryError::WrongCount { what: "poses of B", expected: 3, count: 2 }, "3 poses of B or 1, got 2"),
            (QueryError::NoSuchPair { pair: 7, body: 9, bodies: 4 }, "pair 7 refers to body 9"),
            (QueryError::NoSuchBody { index: 3, generation: 1 }, "3.1"),
        ];
        for (error, part) in cases {
            let text = error.to_string();
            assert!(text.contains(part), "{text}");
        }
    }
}
