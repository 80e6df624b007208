//! How deep the surface of one body lies inside the other.

use crate::answer::witness::Witness;
use crate::math::bracket::Bracket;

/// Stopping criteria of the local depth search.
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
/// // Deciding whether it exceeds a tenth takes less work.
/// let limits = LocalDepthOptions { at_least: Some(0.1), at_most: Some(0.1), ..LocalDepthOptions::default() };
/// let answer = ask(limits)?;
/// assert!(answer.depth.lower > 0.1 && answer.depth.contains(0.75));
/// # Ok::<(), QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct LocalDepthOptions {
    /// Stop when the bracket is no wider than this fraction of its upper end.
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
    /// Work budget: about one unit for each bound on the depth of a surface piece or of a point, a few microseconds
    /// each. When it runs out, the bracket holds but may be wider than the tolerance.
    pub work: u64,
}

impl Default for LocalDepthOptions {
    fn default() -> LocalDepthOptions {
        LocalDepthOptions { relative_tolerance: 0.05, tolerance: 0.0, at_least: None, at_most: None, work: 400_000 }
    }
}

/// How deep the surface of one body lies inside the other, with the point that proves it. See
/// [`local_depth`](crate::local_depth) for the definition and [`LocalDepthOptions`] for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LocalDepth {
    /// The depth, in world units, never negative; zero for bodies that touch or are apart.
    pub depth: Bracket,
    /// The deepest point found; `None` if `depth.lower` is zero.
    pub deepest: Option<DeepestPoint>,
    /// Why the search ended.
    pub ended: LocalDepthEnd,
    /// Number of triangles of A and of B of which some part could not be classified as lying on the boundary of its
    /// solid or inside it, which happens near self-intersections. The upper end of the depth does not rely on them.
    pub undecided_faces: [u32; 2],
    /// Work done, in the units of [`LocalDepthOptions::work`].
    pub work: u64,
}

/// An estimate of how deep the surface of one body lies inside the other. Nothing is proved: see
/// [`local_depth_estimate`](crate::query::local_depth_estimate).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LocalDepthEstimate {
    /// Depth of the deepest sample point, in world units; zero if none is inside.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub value: f64,
    /// That point and the nearest point of the other surface; `None` if no sample point is inside.
    pub deepest: Option<DeepestPoint>,
    /// Number of sample points of A found inside B, and of B inside A. Points that cannot be the deepest are not tested,
    /// so these are no measure of how much is inside.
    pub inside: [u32; 2],
}

/// A point of one surface inside the other body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DeepestPoint {
    /// On the penetrating body, the point itself; on the other body, the nearest point of its surface. Each is in its
    /// body's local frame. For a mesh the part is the triangle.
    pub witness: Witness,
    /// Which surface penetrates which body.
    pub direction: DepthDirection,
}

/// Which surface penetrates which body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum DepthDirection {
    /// The surface of A lies inside B.
    AInB,
    /// The surface of B lies inside A.
    BInA,
}

/// Why the search for a local depth ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LocalDepthEnd {
    /// The bracket is as narrow as requested, or as rounding allows.
    Tolerance,
    /// The depth is proved to be more than [`LocalDepthOptions::at_least`].
    AtLeast,
    /// The depth is proved to be no more than [`LocalDepthOptions::at_most`].
    AtMost,
    /// A body intersects itself or its shells overlap, and not all of its triangles could be classified as boundary or
    /// interior ([`LocalDepth::undecided_faces`]). No tighter upper bound is proved.
    Undecided,
    /// The work budget ran out, or the progress callback cancelled the search, before the tolerance was reached.
    Interrupted,
}

impl LocalDepth {
    /// The answer with A and B swapped.
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
