//! Where two triangles meet, decided exactly.

use glam::DVec3;

/// Where on a triangle a point lies: the smallest feature that holds it.
///
/// On a triangle without area: of equal corners the lowest, and the longest edge for what lies strictly between corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Feature3 {
    /// Corner 0, 1 or 2.
    Vertex(u8),
    /// Strictly inside edge `k`, which joins the corners `k` and `(k + 1) % 3`.
    Edge(u8),
    /// Strictly inside the triangle.
    Face,
}

/// A corner of what two triangles have in common. Never strictly inside both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    /// Rounded; exactly the corner of a triangle where it is one. A function of the two features alone: the same bits for all
    /// triangles that share the edge or the face, whatever their corner order, and for swapped arguments. Off from the
    /// true point by at most [`CORNER_ERROR`] of the length of the edge, and the rounding of the coordinates.
    pub point: DVec3,
    /// Where on the first triangle, exactly.
    pub on_a: Feature3,
    /// Where on the second triangle, exactly.
    pub on_b: Feature3,
}

/// What two triangles have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// The ends of the common segment; equal in every field if it is a point. Two triangles that are not coplanar: from
    /// `ends[0]` to `ends[1]` along `normal_a x normal_b`, so that swapped arguments swap the ends. A triangle without area:
    /// by coordinates. Coplanar: the first and the last corner of the polygon by coordinates.
    pub ends: [Corner; 2],
    pub kind: CrossingKind,
}

/// What kind of set two triangles have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CrossingKind {
    /// A segment, or a point.
    Segment,
    /// Both triangles have an area and lie in one plane: a convex polygon.
    Coplanar(Polygon),
}

/// The common polygon of two coplanar triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Polygon {
    corners: [Corner; 6],
    count: u8,
}

impl Polygon {
    /// One to six corners, all of them extreme. Three or more: counter-clockwise as seen from the positive end of the
    /// first of the axes z, y, x that is not parallel to the plane.
    pub fn corners(&self) -> &[Corner] {
        &self.corners[..usize::from(self.count)]
    }
}

/// How far a rounded [`Corner`] that lies inside an edge may be from the true point along the edge, relative to the edge.
pub(crate) const CORNER_ERROR: f64 = 0.0;

/// Do two closed triangles have a point in common? Exact for all finite input, triangles without area included.
pub(crate) fn triangles_meet(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    triangles_cross(a, b).is_some()
}

/// What two closed triangles have in common; `None` if nothing. Which features meet is exact for all finite input.
pub(crate) fn triangles_cross(_a: &[DVec3; 3], _b: &[DVec3; 3]) -> Option<Crossing> {
    todo!()
}
