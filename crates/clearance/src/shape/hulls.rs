//! Convex hulls of parts of a solid mesh, coarse to fine: made by [`crate::depth`] when a depth is first asked for, kept by the mesh.

use glam::DVec3;

/// A convex polytope, solid or flat, that lies in a solid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConvexPiece {
    /// The corners, relative to the origin of the surface: points of the surface, none of them in the hull of the others, unless
    /// the piece is a triangle without area.
    pub points: Vec<DVec3>,
    /// The boundary, counter-clockwise from outside: polygons as fans. A flat piece has two sides, first the one of the surface,
    /// then the same triangles turned; a piece without area has none.
    pub triangles: Vec<[u32; 3]>,
    /// Of each triangle: whether all of the polygon it is part of lies on the surface of the solid, with the solid behind it. The others
    /// are *virtual*; one that lies on the surface in part is virtual too.
    pub original: Vec<bool>,
    /// The slots of the triangles of the patch.
    pub patch: Vec<u32>,
}

/// The hulls of parts of a solid, coarse to fine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HullTree {
    /// The first has one node, of all; each has twice as many as the one before; the last are the pieces. A piece that ends a level
    /// early is there again in the last, as the only child of itself.
    pub levels: Vec<Vec<HullNode>>,
}

/// A polytope that encloses all triangles of all patches below it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HullNode {
    /// A piece, or a hull about some: then `patch` is empty and no face is original. The hull of what is below it, exactly, if that
    /// has at most fifty corners; else one that encloses it, of no more.
    pub piece: ConvexPiece,
    /// In the next level: two, or one that is the same piece; none in the last level.
    pub children: Vec<u32>,
    /// A ball about it, relative to the origin of the surface; the radius is rounded up.
    pub center: DVec3,
    pub radius: f64,
}

impl HullTree {
    /// What it takes in memory, in bytes.
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
