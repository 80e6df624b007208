//! The gap of two triangles, with a proved bracket.

use glam::DVec3;

use super::triangle_triangle::Feature3;

/// The gap of two triangles in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TriangleGap {
    /// The distance, between `lower` and `upper`; 0 exactly when the triangles meet.
    pub value: f64,
    /// Proved: the true distance is not less. Not negative.
    pub lower: f64,
    /// Proved: the true distance is not greater. `upper - lower` is at most 1e-14 of (diameters + distance).
    pub upper: f64,
    /// The nearest point of the first triangle, rounded; exactly the corner where it is one.
    pub point_a: DVec3,
    /// The nearest point of the second triangle; equal to `point_a` where the triangles meet.
    pub point_b: DVec3,
    /// Unit, from the first triangle to the second: `lower` holds between their supporting planes across it. Zero where they
    /// meet.
    pub direction: DVec3,
    /// Where `point_a` lies. Exact where the triangles meet; else of features equally near to rounding, one.
    pub on_a: Feature3,
    /// Where `point_b` lies.
    pub on_b: Feature3,
}

/// The gap of two triangles. The same bits, mirrored, for swapped arguments, and the same whatever the order of the corners.
pub(crate) fn triangle_gap(_a: &[DVec3; 3], _b: &[DVec3; 3]) -> TriangleGap {
    todo!()
}

/// The gap of two triangles unless it is proved to be greater than `bound`: then `None`, as soon as that is known.
pub(crate) fn triangle_gap_below(_a: &[DVec3; 3], _b: &[DVec3; 3], _bound: f64) -> Option<TriangleGap> {
    todo!()
}
