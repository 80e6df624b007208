//! Features of a body's boundary: vertices, edges, faces.

/// A vertex, edge or face of a body, in the caller's numbering.
///
/// For hulls, `Vertex` is an index into the points given to the constructor, `Edge` and `Face` into
/// [`ConvexHull::edges`](crate::shape::ConvexHull::edges) and [`ConvexHull::faces`](crate::shape::ConvexHull::faces).
/// For boxes see [`Cuboid`](crate::shape::Cuboid); every other kind of body documents its own numbering.
///
/// ```
/// use clearance::{Pose, Shape, distance, glam::DVec3};
/// use clearance::shape::Feature;
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let ball = Shape::sphere(1.0)?;
/// let beside = Pose::from_translation(DVec3::new(3.0, 0.2, 0.1))?;
/// let answer = distance(&cube, &Pose::IDENTITY, &ball, &beside);
/// assert_eq!((answer.witness.a.feature, answer.witness.b.feature), (Feature::Face(1), Feature::Face(0)));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Feature {
    /// A vertex, by index.
    Vertex(u32),
    /// An edge, by index.
    Edge(u32),
    /// A face, by index.
    Face(u32),
    /// A point that need not lie on the boundary: the witness of an overlap, or of an answer that was stopped early.
    Interior,
}
