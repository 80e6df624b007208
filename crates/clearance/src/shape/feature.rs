//! Names for the parts of a body's boundary.

/// A part of a body's boundary, in the caller's numbering.
///
/// Hulls: `Vertex` counts the points given to the constructor, `Edge` and `Face` the entries of
/// [`ConvexHull::edges`](crate::shape::ConvexHull::edges) and [`ConvexHull::faces`](crate::shape::ConvexHull::faces). Boxes: see
/// [`Cuboid`](crate::shape::Cuboid); each other kind of body says how its features are counted.
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
    /// A corner.
    Vertex(u32),
    /// An edge.
    Edge(u32),
    /// A face.
    Face(u32),
    /// A point that need not lie on the boundary: the witness of an overlap, or of an answer that was ended early.
    Interior,
}
