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

/// How to find the parts of a mesh that may meet each other. Answers of the first two are the same, to the bit and in
/// order.
///
/// ```
/// use clearance::query::{SelfCulling, StepOptions};
/// assert_eq!(StepOptions::default().culling, SelfCulling::Boxes);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum SelfCulling {
    /// By boxes: parts whose boxes are apart. Neighbours always touch, so all of them are tested.
    #[default]
    Boxes,
    /// By boxes, and by curvature: parts of the surface, and neighbouring parts together, that are proved not to meet
    /// because all their triangles face one direction and their contour does not cross itself along it. Much faster on
    /// surfaces that are not folded tightly, whatever the number of their triangles. Needs a tree of regions: a
    /// [`DeformingMesh`](crate::DeformingMesh) builds it at the first query and keeps it, so it pays from frame to
    /// frame; for a [`Mesh`](crate::Mesh) each query builds it, which takes longer than boxes do.
    Curvature,
    /// **Heuristic: may miss what is there.** As `Curvature`, but contours are not tested: the normals of triangles at
    /// rims are widened instead, by 30 degrees, or 45 where the rim is concave. Strips that are bent within their
    /// surface and meet themselves, such as the ramp of a car park, are missed. `verify` refuses such an answer.
    Normals,
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
/// let options = SelfIntersectionsOptions { least: SelfIntersectionKind::Crossing, ..Default::default() };
/// assert!(self_intersections_with(&mesh, &options).is_empty());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SelfIntersectionsOptions {
    /// The weakest kind to report, in the order of [`SelfIntersectionKind`].
    pub least: SelfIntersectionKind,
    /// How they are found.
    pub culling: SelfCulling,
}

impl Default for SelfIntersectionsOptions {
    /// All kinds, by boxes.
    fn default() -> SelfIntersectionsOptions {
        SelfIntersectionsOptions { least: SelfIntersectionKind::Rims, culling: SelfCulling::Boxes }
    }
}
