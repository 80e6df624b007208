//! Two polytopes and their Minkowski difference, as plain data.

use glam::DVec3;

/// A convex polytope: its points and its surface. It may be flat, and points need not be corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polytope<'p> {
    /// At least one; finite, below [`MAX_COORDINATE`](crate::shape::MAX_COORDINATE).
    pub points: &'p [DVec3],
    /// Counter-clockwise seen from outside. For a flat polytope one side or both.
    pub triangles: &'p [[u32; 3]],
    /// For each triangle whether it lies on the surface of the solid that the polytope is a piece of. The others are
    /// virtual: they close the piece.
    pub original: &'p [bool],
}

/// The translations `t` for which A and B + t intersect, as a convex polytope.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    /// Differences, point of A minus point of B, rounded.
    pub points: Vec<DVec3>,
    /// For each point the vertices of A and of B that made it, in the caller's numbering.
    pub from: Vec<[u32; 2]>,
    /// Counter-clockwise seen from outside; a closed surface. A flat sum has both sides, a segment or point none.
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle whether it may lie on the boundary of the sum of the solids.
    ///
    /// A face is original if one of its two features is an original face, or if both have an edge with an original face
    /// on at least one side. The consequence: let the pieces lie in their solids, and let the surfaces of the solids be
    /// covered by the original faces of the pieces. Then the boundary of the sum of the solids is covered by the
    /// original faces of the sums of pieces, so a search for it may skip all others.
    ///
    /// Proof. Except on finitely many lines, a translation `t = x - y` on the boundary has a face of a solid against a
    /// vertex, or two crossing edges. Say `x` lies inside a face of solid A. It is on an original face `f` of a piece
    /// C, and `y` in a piece D. As `t` is on the boundary of the sum of the solids it is on that of C and D, at the
    /// normal of `f`, the only one that C has at `x`: on a face of the sum one of whose features is `f`. Now let `x`
    /// and `y` lie inside edges. Again `x` is on an original face of a piece C; C is in the solid, which is a wedge
    /// there, so `x` is on the rim of that face, on an edge of C that has the face on one side; and so is `y`. The rest
    /// follows as the covered part is closed.
    pub original: Vec<bool>,
}

impl Sum {
    /// Adds a face as a fan.
    pub(super) fn push(&mut self, corners: &[u32], original: bool) {
        for k in 2..corners.len() {
            self.triangles.push([corners[0], corners[k - 1], corners[k]]);
            self.original.push(original);
        }
    }

    /// Adds the other side of a flat sum: a fan from the next corner, so that no diagonal is used on both sides.
    pub(super) fn push_back(&mut self, corners: &[u32], original: bool) {
        let mut back: Vec<u32> = corners.iter().rev().copied().collect();
        back.rotate_right(2);
        self.push(&back, original);
    }
}
