//! The pairs of features whose boxes overlap: every vertex with every face, every edge with every edge, each pair once.
//!
//! One traversal over pairs of leaves finds all kinds. A leaf has up to eight faces and the vertices and edges it owns
//! (see [`mesh`](super::mesh)); features of one leaf that overlap the box of the other are tested against the other's
//! features, eight at a time. Features of one mesh that share a vertex are skipped. Pairs are passed on after each pair
//! of leaves, so no more are queued than two leaves can have.

use std::cmp::Ordering;

use fearless_simd::{Level, Simd};

use super::boxes::{Block, Boxes};
use super::curvature::walk::{RegionWalk, Sweeps};
use super::mesh::{DeformingMesh, Owned, blocks};
use crate::math::cancel::Carried;
use crate::math::simd::at_level;
use crate::parallel;
use crate::tree::traverse_same_frame::{Places, SameFramePair, boxes_meeting};
use crate::tree::wide::{Bounds, Leaf, WIDTH};

/// How many pieces the traversal is split into, to keep all cores busy. Results do not depend on it.
const PIECES: usize = 512;

/// Two meshes with boxes in one frame, or one mesh twice.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'m> {
    pub a: (&'m DeformingMesh, &'m Boxes),
    pub b: (&'m DeformingMesh, &'m Boxes),
    /// Both are the same mesh.
    pub itself: bool,
    /// The traversal of regions instead of the tree, for a mesh and itself.
    pub regions: Option<&'m RegionWalk<'m>>,
}

/// Receives the pairs of leaves that a traversal finds.
pub(crate) trait Leaves {
    /// Two leaves with their boxes, or one twice.
    fn take<S: Simd>(&mut self, simd: S, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds));
    /// Called once after the last pair.
    fn end<S: Simd>(&mut self, simd: S);
}

/// Pairs of features by slot, of each kind.
#[derive(Default)]
pub(crate) struct Waiting {
    /// A vertex of the first mesh and a face of the second; for a single mesh all vertex-face pairs.
    pub vertex_face: Queue,
    /// A vertex of the second mesh and a face of the first.
    pub face_vertex: Queue,
    /// An edge of the first mesh and one of the second.
    pub edge_edge: Queue,
}

/// Pairs of slots, and spare capacity behind them.
#[derive(Default)]
pub(crate) struct Queue {
    room: Vec<[u32; 2]>,
    count: usize,
}

impl Queue {
    /// The queued pairs.
    #[inline(always)]
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.room[..self.count]
    }

    /// Removes all pairs.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Removes the first `count` pairs.
    #[inline(always)]
    pub fn remove(&mut self, count: usize) {
        self.room.copy_within(count..self.count, 0);
        self.count -= count;
    }

    /// Adds the pairs of an eight-by-eight block that share no vertex, tested by `apart` with the slot of one and the
    /// lane of the other. Most pairs of neighbours do share one, so the test advances the write position instead of
    /// branching.
    #[inline(always)]
    fn put(&mut self, near: u64, first: [u32; 2], apart: impl Fn(u32, usize) -> bool) {
        if self.room.len() < self.count + WIDTH * WIDTH {
            self.room.resize(2 * self.count + 2 * WIDTH * WIDTH, [0; 2]);
        }
        let (mut left, mut count) = (near, self.count);
        while left != 0 {
            let place = left.trailing_zeros();
            left &= left - 1;
            let (one, lane) = (first[0] + place / WIDTH as u32, place % WIDTH as u32);
            self.room[count] = [one, first[1] + lane];
            count += usize::from(apart(one, lane as usize));
        }
        self.count = count;
    }
}

/// Receives the pairs of features that a traversal finds.
pub(crate) trait Pairs {
    /// Pairs are queued; those processed are to be removed. Called after each pair of leaves, and once more at the
    /// `end`, when all must be processed.
    fn take<S: Simd>(&mut self, simd: S, waiting: &mut Waiting, end: bool);
}

impl<'m> Sides<'m> {
    /// A mesh and itself.
    pub fn itself(mesh: &'m DeformingMesh, boxes: &'m Boxes) -> Sides<'m> {
        Sides { a: (mesh, boxes), b: (mesh, boxes), itself: true, regions: None }
    }

    /// Traverses all pairs of leaves whose boxes overlap, in pieces on all cores, with collectors from `make`. Adjacent
    /// pieces taken by one thread share a collector, so a small piece costs little. Returns the results of `finish` for
    /// each collector, in the order of the pieces: their concatenation is the same on any number of threads, their
    /// division is not.
    pub fn leaves<L: Leaves + Send, R: Send>(
        &self,
        make: impl Fn() -> L + Sync,
        finish: impl Fn(L) -> R + Sync,
    ) -> Vec<R> {
        let alike = SameFramePair { a: &self.a.1.nodes, b: &self.b.1.nodes, itself: self.itself };
        let level = Level::new();
        let start = || (make(), Vec::new(), Sweeps::default());
        let carried = Carried::here();
        let in_piece = |(mut leaves, mut stack, mut sweeps): (L, Vec<Places>, Sweeps), piece: Places| {
            carried.within(|| {
                at_level!(level, simd => {
                    match self.regions {
                        None => alike.walk(simd, piece, &mut stack, #[inline(always)] |a, b| leaves.take(simd, a, b)),
                        Some(regions) => {
                            let places = (&mut stack, &mut sweeps);
                            regions.walk(piece, places, #[inline(always)] |a, b| leaves.take(simd, a, b));
                        }
                    }
                });
            });
            (leaves, stack, sweeps)
        };
        let at_end = |(mut leaves, ..): (L, Vec<Places>, Sweeps)| {
            carried.within(|| {
                at_level!(level, simd => leaves.end(simd));
                finish(leaves)
            })
        };
        let pieces = self.regions.map_or_else(|| alike.pieces(PIECES), |regions| regions.pieces(PIECES));
        parallel::fold(pieces, start, in_piece, at_end)
    }

    /// Traverses all pairs of features, as [`Sides::leaves`].
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
        let Sides { a: (mesh_a, boxes_a), b: (mesh_b, boxes_b), itself, .. } = self.sides;
        let (layout_a, layout_b) = (&*mesh_a.layout, &*mesh_b.layout);
        let (own_a, own_b) = (&layout_a.leaves[a.0.packet as usize], &layout_b.leaves[b.0.packet as usize]);
        let one_leaf = itself && a.0.packet == b.0.packet;
        let Waiting { vertex_face, face_vertex, edge_edge } = &mut self.waiting;

        let (vertices_a, vertices_b) = (vertices(boxes_a, own_a), vertices(boxes_b, own_b));
        let (faces_a, faces_b) = (faces(boxes_a, a.0), faces(boxes_b, b.0));
        let has = |face: &[u32; 3], vertex: u32| (face[0] == vertex) | (face[1] == vertex) | (face[2] == vertex);
        cross(simd, (vertices_a, b.1), faces_b, |vertex, _, near| {
            let (first, faces) = (own_a.vertices.0 + vertex, slots(&layout_b.faces, own_b.faces));
            let apart = |vertex: u32, lane: usize| !(itself && has(&faces[lane], vertex));
            vertex_face.put(near, [first, own_b.faces.0], apart);
        });
        if !one_leaf {
            let into = if itself { vertex_face } else { face_vertex };
            cross(simd, (vertices_b, a.1), faces_a, |vertex, _, near| {
                let (first, faces) = (own_b.vertices.0 + vertex, slots(&layout_a.faces, own_a.faces));
                let apart = |vertex: u32, lane: usize| !(itself && has(&faces[lane], vertex));
                into.put(near, [first, own_a.faces.0], apart);
            });
        }
        cross(simd, (edges(boxes_a, own_a), b.1), edges(boxes_b, own_b), |edge, other, near| {
            // Within one leaf each pair once.
            let near = if one_leaf { near & later(edge, other) } else { near };
            let first = own_b.edges.0 + other;
            let others = &slots(&layout_b.edges, own_b.edges)[other as usize..];
            let apart = |edge: u32, lane: usize| {
                let ([p, q], [r, s]) = (layout_a.edges[edge as usize], others[lane]);
                !(itself && (p == r) | (p == s) | (q == r) | (q == s))
            };
            edge_edge.put(near, [own_a.edges.0 + edge, first], apart);
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

/// The part of a list that a leaf owns.
#[inline(always)]
fn slots<T>(list: &[T], (first, count): (u32, u32)) -> &[T] {
    &list[first as usize..][..count as usize]
}

/// Compares the boxes of a list with those of another, which `near` encloses, eight by eight: passes on the indices of
/// the first boxes of two blocks, and a bit for each overlapping pair, at eight times the one's lane plus the other's
/// lane.
#[inline(always)]
fn cross<S: Simd>(simd: S, (blocks, near): (&[Block], &Bounds), others: &[Block], mut take: impl FnMut(u32, u32, u64)) {
    for (number, block) in blocks.iter().enumerate() {
        let lanes = boxes_meeting(simd, &block.min, &block.max, near);
        if lanes == 0 {
            continue;
        }
        for (other_number, other) in others.iter().enumerate() {
            let mut meeting = 0;
            for lane in Lanes(lanes) {
                let meets = boxes_meeting(simd, &other.min, &other.max, &block.lane(lane as usize));
                meeting |= u64::from(meets) << (lane * WIDTH as u32);
            }
            take((number * WIDTH) as u32, (other_number * WIDTH) as u32, meeting);
        }
    }
}

/// Of two blocks of one list that begin at these indices, the pairs whose second comes after the first.
#[inline(always)]
fn later(one: u32, other: u32) -> u64 {
    // A row of eight bits for each lane of the one: the lanes after it.
    const WITHIN: u64 = 0x00_80_c0_e0_f0_f8_fc_fe;
    match other.cmp(&one) {
        Ordering::Less => 0,
        Ordering::Equal => WITHIN,
        Ordering::Greater => u64::MAX,
    }
}

/// The positions of the set bits, in ascending order.
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

    #[test]
    fn pairs_of_a_block() {
        for (one, other) in [(0, 0), (8, 0), (0, 8), (16, 8), (16, 16)] {
            for place in 0..64 {
                let is_later = other + place % 8 > one + place / 8;
                assert_eq!(later(one, other) >> place & 1 == 1, is_later, "{one} {other} {place}");
            }
        }
        let mut queue = Queue::default();
        for round in 0..40 {
            queue.put(1 << 3 | 1 << 8 | 1 << 63, [10, 20], |one, lane| (one, lane) != (11, 0));
            assert_eq!(queue.pairs()[2 * round..], [[10, 23], [17, 27]]);
        }
        queue.remove(79);
        assert_eq!(queue.pairs(), [[17, 27]]);
        queue.remove(1);
        assert!(queue.pairs().is_empty());
    }
}
