//! How far the surface of one body reaches inside the other.

use crate::answer::witness::Witness;
use crate::math::bracket::Bracket;

/// What to settle for when asking how far surfaces reach inside the other body.
///
/// ```
/// use clearance::query::{LocalDepthOptions, local_depth_with};
/// use clearance::{Pose, QueryError, Shape, Workspace, answer::LocalDepthEnd, glam::DVec3};
/// let (slab, peg) = (Shape::cuboid(DVec3::new(5.0, 5.0, 1.0))?, Shape::cuboid(DVec3::new(0.5, 0.5, 3.0))?);
/// let into = Pose::from_translation(DVec3::new(0.0, 0.0, 3.25))?;
/// let ask = |options: LocalDepthOptions| {
///     local_depth_with(&slab, &Pose::IDENTITY, &peg, &into, &options, &mut Workspace::default(), |_, _| true)
/// };
/// assert!(ask(LocalDepthOptions::default())?.depth.contains(0.75));
/// // Is it more than a tenth? That takes less work.
/// let limits = LocalDepthOptions { at_least: Some(0.1), at_most: Some(0.1), ..LocalDepthOptions::default() };
/// let answer = ask(limits)?;
/// assert!(answer.depth.lower > 0.1 && answer.depth.contains(0.75));
/// # Ok::<(), QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct LocalDepthOptions {
    /// Stop when the bracket is no wider than this part of its upper end.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub relative_tolerance: f64,
    /// Stop when the bracket is no wider than this, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// Stop when the depth is proved to be more than this, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub at_least: Option<f64>,
    /// Stop when the depth is proved to be no more than this, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub at_most: Option<f64>,
    /// Stop when so much was asked: about one for each question how far a piece of a surface may reach, or how deep a
    /// point lies, some microseconds. The bracket is then as good as it has become, and true.
    pub work: u64,
}

impl Default for LocalDepthOptions {
    fn default() -> LocalDepthOptions {
        LocalDepthOptions { relative_tolerance: 0.05, tolerance: 0.0, at_least: None, at_most: None, work: 400_000 }
    }
}

/// How far the surface of one body reaches inside the other, with the point that proves it. See
/// [`local_depth`](crate::local_depth) for what it is, and [`LocalDepthOptions`] for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LocalDepth {
    /// The depth, in world units; zero for bodies that touch or are apart.
    pub depth: Bracket,
    /// The deepest point that was found; none where the lower end is zero.
    pub deepest: Option<DeepestPoint>,
    /// Why the search ended.
    pub ended: LocalDepthEnd,
    /// How many triangles of A and of B have parts of which it is not known whether they lie on the boundary of the
    /// solid or inside it: near where it runs through itself. The upper end does without them.
    pub undecided_faces: [u32; 2],
    /// How much was asked, as [`LocalDepthOptions::work`] counts it.
    pub work: u64,
}

/// About how far the surface of one body reaches inside the other. Nothing of it is proved: see
/// [`local_depth_estimate`](crate::query::local_depth_estimate).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LocalDepthEstimate {
    /// How deep the deepest of the points lies, in world units; zero if none is inside.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub value: f64,
    /// That point, and the one of the other surface that is nearest to it.
    pub deepest: Option<DeepestPoint>,
    /// How many of the points of A that were asked about are inside B, and of B inside A.
    pub inside: [u32; 2],
}

/// A point of one surface inside the other body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DeepestPoint {
    /// Of the body whose surface reaches in, the point; of the other one, the point of its surface that is nearest to
    /// it. The part named is the triangle, of a body that is a mesh.
    pub witness: Witness,
    /// Which surface reaches into which body.
    pub direction: DepthDirection,
}

/// Which surface reaches into which body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum DepthDirection {
    /// That of A into B.
    AInB,
    /// That of B into A.
    BInA,
}

/// Why the search for a local depth ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LocalDepthEnd {
    /// The bracket is as narrow as was asked, or as numbers allow.
    Tolerance,
    /// The depth is proved to be more than [`LocalDepthOptions::at_least`].
    AtLeast,
    /// The depth is proved to be no more than [`LocalDepthOptions::at_most`].
    AtMost,
    /// A body runs through itself, or its shells overlap, and which of its triangles bound it cannot be told everywhere
    /// ([`LocalDepth::undecided_faces`]): from above no more is proved.
    Undecided,
    /// The work, or whoever was told, ended it before the tolerance was reached.
    Interrupted,
}

impl LocalDepth {
    /// The answer to the same question with the bodies exchanged.
    pub(crate) fn swapped(self) -> LocalDepth {
        let [of_a, of_b] = self.undecided_faces;
        let deepest = self.deepest.map(|deepest| DeepestPoint {
            witness: deepest.witness.swapped(),
            direction: match deepest.direction {
                DepthDirection::AInB => DepthDirection::BInA,
                DepthDirection::BInA => DepthDirection::AInB,
            },
        });
        LocalDepth { deepest, undecided_faces: [of_b, of_a], ..self }
    }
}
