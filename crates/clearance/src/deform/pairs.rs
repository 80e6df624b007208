//! The pairs of features whose boxes meet: every vertex with every face, every edge with every edge, each pair once.
//!
//! One walk over pairs of leaves finds all kinds. A leaf has up to eight faces and the vertices and edges that it owns (see
//! [`mesh`](super::mesh)); what of one leaf meets the box of the other is compared with the other's features, eight at a
//! time. Features of one mesh that share a vertex are left out. Pairs are handed on after each pair of leaves, so no more wait
//! than two leaves can have.

use fearless_simd::{Level, Simd};

use super::boxes::{Block, Boxes};
use super::mesh::{DeformingMesh, Owned, blocks};
use crate::math::simd::at_level;
use crate::tree::alike::{Alike, Places, boxes_meeting};
use crate::tree::wide::{Bounds, Leaf, WIDTH};

/// How many pieces the walk is cut into, for all cores to have some. Results do not depend on it.
const PIECES: usize = 512;

/// Two meshes with boxes in one frame, or one mesh twice.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'m> {
    pub a: (&'m DeformingMesh, &'m Boxes),
    pub b: (&'m DeformingMesh, &'m Boxes),
    /// Both are the same mesh.
    pub itself: bool,
}

/// Takes the pairs of leaves that a walk finds.
pub(crate) trait Leaves {
    /// Two leaves with their boxes, or one twice.
    fn take<S: Simd>(&mut self, simd: S, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds));
    /// No more will come.
    fn end<S: Simd>(&mut self, simd: S);
}

/// Pairs of features by slot, of each kind.
#[derive(Default)]
pub(crate) struct Waiting {
    /// A vertex of the first mesh and a face of the second; of one mesh all of a vertex and a face.
    pub vertex_face: Vec<[u32; 2]>,
    /// A vertex of the second mesh and a face of the first.
    pub face_vertex: Vec<[u32; 2]>,
    /// An edge of the first mesh and one of the second.
    pub edge_edge: Vec<[u32; 2]>,
}

/// Takes the pairs of features that a walk finds.
pub(crate) trait Pairs {
    /// Pairs wait; what is taken is to be removed. Asked after each pair of leaves, and once more at the `end`, when all must be
    /// taken.
    fn take<S: Simd>(&mut self, simd: S, waiting: &mut Waiting, end: bool);
}

impl<'m> Sides<'m> {
    /// A mesh and itself.
    pub fn itself(mesh: &'m DeformingMesh, boxes: &'m Boxes) -> Sides<'m> {
        Sides { a: (mesh, boxes), b: (mesh, boxes), itself: true }
    }

    /// Walks all pairs of leaves whose boxes meet, pieces of the walk on all cores, each with a collector of its own that `make`
    /// makes. What `finish` makes of them, in the order of the pieces, which is the same on any number of threads.
    pub fn leaves<L: Leaves, R: Send>(&self, make: impl Fn() -> L + Sync, finish: impl Fn(L) -> R + Sync) -> Vec<R> {
        let alike = Alike { a: &self.a.1.nodes, b: &self.b.1.nodes, itself: self.itself };
        let level = Level::new();
        let in_piece = |piece: Places| {
            let (mut leaves, mut stack) = (make(), Vec::new());
            at_level!(level, simd => {
                alike.walk(simd, piece, &mut stack, #[inline(always)] |a, b| leaves.take(simd, a, b));
                leaves.end(simd);
            });
            finish(leaves)
        };
        let pieces = alike.pieces(PIECES);
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            pieces.into_par_iter().map(in_piece).collect()
        }
        #[cfg(not(feature = "parallel"))]
        pieces.into_iter().map(in_piece).collect()
    }

    /// Walks all pairs of features, as [`Sides::leaves`].
    pub fn features<P: Pairs, R: Send>(&self, make: impl Fn() -> P + Sync, finish: impl Fn(P) -> R + Sync) -> Vec<R> {
        let start = || Features { sides: *self, pairs: make(), waiting: Waiting::default() };
        self.leaves(start, |features| finish(features.pairs))
    }
}

/// From pairs of leaves to pairs of features.
struct Features<'m, P> {
    sides: Sides<'m>,
    pairs: P,
    waiting: Waiting,
}

impl<P: Pairs> Leaves for Features<'_, P> {
    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) {
        let Sides { a: (mesh_a, boxes_a), b: (mesh_b, boxes_b), itself } = self.sides;
        let (layout_a, layout_b) = (&*mesh_a.layout, &*mesh_b.layout);
        let (own_a, own_b) = (&layout_a.leaves[a.0.packet as usize], &layout_b.leaves[b.0.packet as usize]);
        let one_leaf = itself && a.0.packet == b.0.packet;
        let Waiting { vertex_face, face_vertex, edge_edge } = &mut self.waiting;

        let vertices = (vertices(boxes_a, own_a), own_a.vertices.0);
        cross(simd, vertices, b.1, (faces(boxes_b, b.0), b.0.first), |vertex, face| {
            if !(itself && layout_b.faces[face as usize].contains(&vertex)) {
                vertex_face.push([vertex, face]);
            }
        });
        if !one_leaf {
            let into = if itself { vertex_face } else { face_vertex };
            let vertices = (self::vertices(boxes_b, own_b), own_b.vertices.0);
            cross(simd, vertices, a.1, (faces(boxes_a, a.0), a.0.first), |vertex, face| {
                if !(itself && layout_a.faces[face as usize].contains(&vertex)) {
                    into.push([vertex, face]);
                }
            });
        }
        let (of_a, of_b) = ((edges(boxes_a, own_a), own_a.edges.0), (edges(boxes_b, own_b), own_b.edges.0));
        cross(simd, of_a, b.1, of_b, |one, other| {
            let ([p, q], [r, s]) = (layout_a.edges[one as usize], layout_b.edges[other as usize]);
            let excluded = one_leaf && other <= one || itself && (p == r || p == s || q == r || q == s);
            if !excluded {
                edge_edge.push([one, other]);
            }
        });
        self.pairs.take(simd, &mut self.waiting, false);
    }

    #[inline(always)]
    fn end<S: Simd>(&mut self, simd: S) {
        self.pairs.take(simd, &mut self.waiting, true);
    }
}

/// The boxes of the faces of a leaf.
#[inline(always)]
fn faces<'b>(boxes: &'b Boxes, leaf: &Leaf) -> &'b [Block] {
    std::slice::from_ref(&boxes.faces[leaf.packet as usize])
}

/// The boxes of the vertices that a leaf owns.
#[inline(always)]
fn vertices<'b>(boxes: &'b Boxes, leaf: &Owned) -> &'b [Block] {
    &boxes.vertices[leaf.vertex_block as usize..][..blocks(leaf.vertices.1) as usize]
}

/// The boxes of the edges that a leaf owns.
#[inline(always)]
fn edges<'b>(boxes: &'b Boxes, leaf: &Owned) -> &'b [Block] {
    &boxes.edges[leaf.edge_block as usize..][..blocks(leaf.edges.1) as usize]
}

/// The pairs of two lists, each of blocks and the slot of the first box, whose boxes meet. `near` holds all of the second list.
#[inline(always)]
fn cross<S: Simd>(
    simd: S,
    (blocks, first): (&[Block], u32),
    near: &Bounds,
    (others, first_other): (&[Block], u32),
    mut take: impl FnMut(u32, u32),
) {
    for (number, block) in blocks.iter().enumerate() {
        for lane in Lanes(boxes_meeting(simd, &block.min, &block.max, near)) {
            let one = first + (number * WIDTH) as u32 + lane;
            let bounds = block.lane(lane as usize);
            for (number, other) in others.iter().enumerate() {
                for lane in Lanes(boxes_meeting(simd, &other.min, &other.max, &bounds)) {
                    take(one, first_other + (number * WIDTH) as u32 + lane);
                }
            }
        }
    }
}

/// The places of the bits that are set, in ascending order.
pub(super) struct Lanes(pub u32);

impl Iterator for Lanes {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let lane = self.0.trailing_zeros();
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            lane
        })
    }
}
