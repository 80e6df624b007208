//! The pairs of features whose boxes meet: every vertex with every face, every edge with every edge, each pair once.
//!
//! One walk over pairs of leaves finds all kinds. A leaf has up to eight faces and the vertices and edges that it owns (see
//! [`mesh`](super::mesh)); what of one leaf meets the box of the other is compared with the other's features, eight at a
//! time. Features of one mesh that share a vertex are left out. Pairs are handed on after each pair of leaves, so no more wait
//! than two leaves can have.

use fearless_simd::{Level, Simd, prelude::*, u32x8};

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

    /// Walks all pairs of leaves whose boxes meet, pieces of the walk on all cores, with collectors that `make` makes. Pieces next to
    /// each other that one thread takes have one collector, so a small piece costs little. What `finish` makes of the collectors, in the
    /// order of the pieces: put together it is the same on any number of threads, where it is parted is not.
    pub fn leaves<L: Leaves + Send, R: Send>(
        &self,
        make: impl Fn() -> L + Sync,
        finish: impl Fn(L) -> R + Sync,
    ) -> Vec<R> {
        let alike = Alike { a: &self.a.1.nodes, b: &self.b.1.nodes, itself: self.itself };
        let level = Level::new();
        let start = || (make(), Vec::new());
        let in_piece = |(mut leaves, mut stack): (L, Vec<Places>), piece: Places| {
            at_level!(level, simd => {
                alike.walk(simd, piece, &mut stack, #[inline(always)] |a, b| leaves.take(simd, a, b));
            });
            (leaves, stack)
        };
        let at_end = |(mut leaves, _): (L, Vec<Places>)| {
            at_level!(level, simd => leaves.end(simd));
            finish(leaves)
        };
        let pieces = alike.pieces(PIECES);
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            pieces.into_par_iter().fold(start, in_piece).map(at_end).collect()
        }
        #[cfg(not(feature = "parallel"))]
        vec![at_end(pieces.into_iter().fold(start(), in_piece))]
    }

    /// Walks all pairs of features, as [`Sides::leaves`].
    pub fn features<P: Pairs + Send, R: Send>(
        &self,
        make: impl Fn() -> P + Sync,
        finish: impl Fn(P) -> R + Sync,
    ) -> Vec<R> {
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

        let (vertices_a, vertices_b) = (vertices(boxes_a, own_a), vertices(boxes_b, own_b));
        let (faces_a, faces_b) = (faces(boxes_a, a.0), faces(boxes_b, b.0));
        cross(simd, (vertices_a, b.1), faces_b, |vertex, _, near| {
            let (vertex, first) = (own_a.vertices.0 + vertex, own_b.faces.0);
            let shared = if itself { faces_with(simd, &layout_b.faces, first, vertex) } else { 0 };
            vertex_face.extend(Lanes(near & !shared).map(|lane| [vertex, first + lane]));
        });
        if !one_leaf {
            let into = if itself { vertex_face } else { face_vertex };
            cross(simd, (vertices_b, a.1), faces_a, |vertex, _, near| {
                let (vertex, first) = (own_b.vertices.0 + vertex, own_a.faces.0);
                let shared = if itself { faces_with(simd, &layout_a.faces, first, vertex) } else { 0 };
                into.extend(Lanes(near & !shared).map(|lane| [vertex, first + lane]));
            });
        }
        cross(simd, (edges(boxes_a, own_a), b.1), edges(boxes_b, own_b), |edge, block, near| {
            let first = own_b.edges.0 + block;
            // Of one leaf each pair once.
            let near = if one_leaf { near & later(edge, block) } else { near };
            let edge = own_a.edges.0 + edge;
            let ends = layout_a.edges[edge as usize];
            let shared = if itself && near != 0 { edges_with(simd, &layout_b.edges, first, ends) } else { 0 };
            edge_edge.extend(Lanes(near & !shared).map(|lane| [edge, first + lane]));
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

/// Compares each box of a list with those of another, which `near` holds: hands over its number, that of the first box of a block of the other
/// list, and which of the eight there it meets, where it meets any.
#[inline(always)]
fn cross<S: Simd>(simd: S, (blocks, near): (&[Block], &Bounds), others: &[Block], mut take: impl FnMut(u32, u32, u32)) {
    for (number, block) in blocks.iter().enumerate() {
        for lane in Lanes(boxes_meeting(simd, &block.min, &block.max, near)) {
            let bounds = block.lane(lane as usize);
            for (other_number, other) in others.iter().enumerate() {
                let meeting = boxes_meeting(simd, &other.min, &other.max, &bounds);
                if meeting != 0 {
                    take((number * WIDTH) as u32 + lane, (other_number * WIDTH) as u32, meeting);
                }
            }
        }
    }
}

/// The lanes of the block from `first` on that stand for later numbers than `one`.
#[inline(always)]
fn later(one: u32, first: u32) -> u32 {
    (u64::from(u32::MAX) << (one + 1).saturating_sub(first).min(32)) as u32
}

/// A bit for each of eight faces, from a slot on, that has a vertex; those beyond the list have none.
#[inline(always)]
fn faces_with<S: Simd>(simd: S, faces: &[[u32; 3]], first: u32, vertex: u32) -> u32 {
    let faces = &faces[first as usize..];
    let Some(eight) = faces.first_chunk::<WIDTH>() else {
        return bits(faces.iter().map(|face| face.contains(&vertex)));
    };
    let vertex = u32x8::splat(simd, vertex);
    let (corners, _) = eight.as_flattened().as_chunks::<WIDTH>();
    let same = |k: usize| u32x8::simd_from(simd, corners[k]).simd_eq(vertex).to_bitmask() as u32;
    every_third(same(0) | same(1) << 8 | same(2) << 16)
}

/// A bit for each of eight edges, from a slot on, that shares an end with another; those beyond the list share none.
#[inline(always)]
fn edges_with<S: Simd>(simd: S, edges: &[[u32; 2]], first: u32, [p, q]: [u32; 2]) -> u32 {
    let edges = &edges[first as usize..];
    let Some(eight) = edges.first_chunk::<WIDTH>() else {
        return bits(edges.iter().map(|edge| edge.contains(&p) || edge.contains(&q)));
    };
    let (p, q) = (u32x8::splat(simd, p), u32x8::splat(simd, q));
    let (ends, _) = eight.as_flattened().as_chunks::<WIDTH>();
    let same = |k: usize| {
        let ends = u32x8::simd_from(simd, ends[k]);
        (ends.simd_eq(p) | ends.simd_eq(q)).to_bitmask() as u32
    };
    every_second(same(0) | same(1) << 8)
}

/// A bit for each that is true.
fn bits(each: impl Iterator<Item = bool>) -> u32 {
    each.enumerate().fold(0, |bits, (k, set)| bits | u32::from(set) << k)
}

/// Bit `k` is set where one of the bits `3k`, `3k + 1`, `3k + 2` is, of 24.
#[inline(always)]
fn every_third(bits: u32) -> u32 {
    let bits = (bits | bits >> 1 | bits >> 2) & 0x24_9249;
    let bits = (bits | bits >> 2) & 0x0c_30c3;
    let bits = (bits | bits >> 4) & 0x00_f00f;
    (bits | bits >> 8) & 0xff
}

/// Bit `k` is set where one of the bits `2k`, `2k + 1` is, of 16.
#[inline(always)]
fn every_second(bits: u32) -> u32 {
    let bits = (bits | bits >> 1) & 0x5555;
    let bits = (bits | bits >> 1) & 0x3333;
    let bits = (bits | bits >> 2) & 0x0f0f;
    (bits | bits >> 4) & 0xff
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::simd::plain;

    #[test]
    fn what_shares_a_vertex_is_found_by_eight_and_at_the_end_of_the_list() {
        let faces: Vec<[u32; 3]> = (0..13).map(|k| [k % 5, k % 3 + 5, k % 7 + 8]).collect();
        let edges: Vec<[u32; 2]> = (0..13).map(|k| [k % 5, k % 7 + 5]).collect();
        for first in 0..13 {
            for p in 0..16 {
                let expected = bits(faces[first as usize..].iter().take(WIDTH).map(|face| face.contains(&p)));
                let found = at_level!(Level::new(), simd => faces_with(simd, &faces, first, p));
                assert_eq!((found, faces_with(plain(), &faces, first, p)), (expected, expected));
                for q in 0..16 {
                    let shares = |edge: &[u32; 2]| edge.contains(&p) || edge.contains(&q);
                    let expected = bits(edges[first as usize..].iter().take(WIDTH).map(shares));
                    let found = at_level!(Level::new(), simd => edges_with(simd, &edges, first, [p, q]));
                    assert_eq!((found, edges_with(plain(), &edges, first, [p, q])), (expected, expected));
                }
            }
        }
    }

    #[test]
    fn later_lanes() {
        for (one, first, expected) in [(0, 0, !1), (7, 0, !0xff), (8, 0, !0x1ff), (3, 8, !0), (9, 8, !3), (40, 0, 0)] {
            assert_eq!(later(one, first), expected, "{one} {first}");
        }
    }
}
