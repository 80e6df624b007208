use glam::DVec3;

/// Two triangles of a mesh that intersect beyond their shared vertices and edges. See
/// [`self_intersections`](crate::query::self_intersections).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct SelfIntersection {
    /// The indices of the two triangles in the caller's numbering, lower first.
    pub triangles: [u32; 2],
    /// Their intersection, in the frame of the mesh, rounded: the ends of a segment; twice the same point; for a common
    /// area, its first and last corner in coordinate order.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub segment: [DVec3; 2],
    /// How they intersect; decided exactly.
    pub kind: SelfIntersectionKind,
}

impl SelfIntersection {
    /// Builds an intersection from its fields, for example to check it with [`SelfIntersection::verify_all`].
    ///
    /// ```
    /// use clearance::answer::{SelfIntersection, SelfIntersectionKind};
    /// use clearance::glam::DVec3;
    /// let claim = SelfIntersection::new([0, 7], [DVec3::ZERO, DVec3::X], SelfIntersectionKind::Crossing);
    /// assert_eq!(claim.triangles, [0, 7]);
    /// ```
    #[must_use]
    pub fn new(triangles: [u32; 2], segment: [DVec3; 2], kind: SelfIntersectionKind) -> SelfIntersection {
        SelfIntersection { triangles, segment, kind }
    }
}

/// How two triangles of a mesh intersect, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum SelfIntersectionKind {
    /// Only their edges and corners meet: a T-junction, or triangles that lie edge to edge without sharing points.
    Rims,
    /// They meet in a point or segment that contains points strictly inside one of them.
    Crossing,
    /// They are coplanar and share an area: folded over, or duplicated.
    Overlap,
}

/// Which self-intersections to report. See [`self_intersections_with`](crate::query::self_intersections_with).
///
/// ```
/// use clearance::Mesh;
/// use clearance::answer::SelfIntersectionKind;
/// use clearance::query::{SelfIntersectionsOptions, self_intersections, self_intersections_with};
/// // A T-junction: the corner of one triangle lies on an edge of the other.
/// let points =
///     [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [2.0, -2.0, 0.0], [0.0, -2.0, 0.0]];
/// let mesh = Mesh::new(&points, &[[0, 1, 2], [3, 5, 4]])?;
/// assert_eq!(self_intersections(&mesh).len(), 1);
/// let options = SelfIntersectionsOptions { least: SelfIntersectionKind::Crossing };
/// assert!(self_intersections_with(&mesh, &options).is_empty());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SelfIntersectionsOptions {
    /// The weakest kind to report, in the order of [`SelfIntersectionKind`].
    pub least: SelfIntersectionKind,
}

impl Default for SelfIntersectionsOptions {
    /// All kinds.
    fn default() -> SelfIntersectionsOptions {
        SelfIntersectionsOptions { least: SelfIntersectionKind::Rims }
    }
}
