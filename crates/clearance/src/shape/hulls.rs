//! Convex hulls of parts of a solid mesh, coarse to fine. Built by [`crate::depth`] on the first depth query, cached by
//! the mesh.

use glam::DVec3;

/// A convex polytope, solid or flat, contained in a solid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConvexPiece {
    /// The vertices, relative to the origin of the surface: points of the surface, none in the hull of the others
    /// unless the piece is a degenerate triangle.
    pub points: Vec<DVec3>,
    /// The boundary, counter-clockwise seen from outside, polygons as fans. A flat piece has two sides, first that of
    /// the surface, then the same triangles reversed; a piece without area has no triangles.
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle, whether the whole polygon it belongs to lies on the surface of the solid, with the solid
    /// behind it. The others are *virtual*, including those that lie on the surface only in part.
    pub original: Vec<bool>,
    /// The slots of the triangles in the patch.
    pub patch: Vec<u32>,
}

/// Hierarchy of hulls of parts of a solid, coarse to fine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HullTree {
    /// The first level is a single node over everything, each level has twice as many nodes as the one before, and the
    /// last level are the pieces. A piece that ends one level early is repeated in the last level as its own only
    /// child.
    pub levels: Vec<Vec<HullNode>>,
}

/// A polytope that encloses the triangles of all patches below it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HullNode {
    /// A piece, or a hull around several, in which case `patch` is empty and no face is original. The exact hull of
    /// everything below if that has at most fifty vertices, otherwise an enclosing one of at most fifty.
    pub piece: ConvexPiece,
    /// Indices into the next level: two, or one that is the same piece; none in the last level.
    pub children: Vec<u32>,
    /// Centre of the bounding sphere, relative to the origin of the surface; the radius is rounded up.
    pub center: DVec3,
    pub radius: f64,
}

impl HullTree {
    /// Memory used, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of = |node: &HullNode| {
            let piece = &node.piece;
            size_of_val(node)
                + size_of_val(&piece.points[..])
                + size_of_val(&piece.triangles[..])
                + size_of_val(&piece.original[..])
                + size_of_val(&piece.patch[..])
                + size_of_val(&node.children[..])
        };
        self.levels.iter().flatten().map(of).sum()
    }
}
