//! Boxes around the volume swept by vertices, edges, faces and nodes in a part of a step.
//!
//! A point that moves on a straight line stays in the box of its two ends, and a point of a feature in the box of its
//! corners at that time. So a box around the ends of each vertex suffices. Boxes are in single precision, in a frame
//! chosen by the query: coordinates are mapped by `(p - origin) * scale`, clamped to the range of `f32` and rounded to
//! nearest. All of that is monotonic and the same for every vertex: if two features touch, then along each axis neither
//! begins beyond the end of the other, and the same holds for their boxes. No widening is needed.
//!
//! Vertices are fitted first, then the blocks of leaves, both in chunks on all cores, then nodes from the last to the
//! first. Every number is computed independently, so the result is the same on any number of threads.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Level, Simd, f32x8, prelude::*};
use glam::DVec3;

use super::mesh::{DeformingMesh, Layout, Owned, blocks};
use crate::bound::Aabb;
use crate::math::simd::at_level;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::parallel::map_owned;
use crate::tree::wide::{Below, Bounds, Frame, Node, WIDTH, fit_nodes};

/// Eight boxes in SIMD layout. Unused lanes hold a box that overlaps nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block {
    pub min: [[f32; WIDTH]; 3],
    pub max: [[f32; WIDTH]; 3],
}

impl Block {
    pub const EMPTY: Block = Block { min: [[f32::INFINITY; WIDTH]; 3], max: [[f32::NEG_INFINITY; WIDTH]; 3] };

    /// The box of a lane.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Bounds {
        Bounds::of_lane(&self.min, &self.max, lane)
    }
}

/// The part of a step that boxes cover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum When {
    /// From the start up to and including a time.
    Until(f64),
    /// Only the end.
    End,
}

/// The boxes of a mesh.
pub(crate) struct Boxes {
    /// The tree over the faces.
    pub nodes: Vec<Node>,
    /// One block per leaf.
    pub faces: Vec<Block>,
    /// Blocks as laid out in [`Layout`].
    pub edges: Vec<Block>,
    pub vertices: Vec<Block>,
}

/// Memory of the boxes in bytes, including the temporaries of fitting.
pub(crate) fn bytes(layout: &Layout) -> usize {
    let blocks = layout.leaves.len() + layout.edge_blocks + layout.vertex_blocks;
    size_of_val(&layout.nodes[..]) + blocks * size_of::<Block>() + layout.used * size_of::<Around>()
}

/// A box in a form whose union is a component-wise minimum: the lowest corner, and the negated highest.
type Around = [f32; 8];

/// How many vertices, leaves or nodes are fitted as one piece of work.
const PIECE: usize = 1024;

impl Boxes {
    /// Boxes around the volume a mesh sweeps, widened by `reach` on all sides, in a frame.
    pub fn fit(mesh: &DeformingMesh, frame: &Frame, when: When, reach: f64) -> Boxes {
        let layout = &*mesh.layout;
        let level = Level::new();
        let mut around: Vec<Around> = vec![[0.0; 8]; layout.used];
        let place = |(course, around): (&[[DVec3; 2]], &mut [Around])| {
            for (ends, around) in course.iter().zip(around) {
                *around = swept(ends, frame, when, reach);
            }
        };
        let mut faces = vec![Block::EMPTY; layout.leaves.len()];
        let mut edges = vec![Block::EMPTY; layout.edge_blocks];
        let mut vertices = vec![Block::EMPTY; layout.vertex_blocks];
        let mut nodes = layout.nodes.clone();
        map_owned(mesh.course[..layout.used].chunks(PIECE).zip(around.chunks_mut(PIECE)).collect(), place);
        let leaves = pieces(layout, &mut faces, &mut edges, &mut vertices);
        map_owned(leaves, |piece| at_level!(level, simd => piece.fit(simd, layout, &around)));
        let pieces = nodes.chunks_mut(PIECE).collect();
        map_owned(pieces, |nodes: &mut [Node]| at_level!(level, simd => fit_leaves(simd, nodes, &faces)));
        at_level!(level, simd => fit_nodes(simd, &mut nodes));
        Boxes { nodes, faces, edges, vertices }
    }
}

/// The frame for a box; `None` if the box is empty.
pub(crate) fn frame_about(bounds: &Aabb) -> Option<Frame> {
    bounds.min.cmple(bounds.max).all().then(|| Frame::about(bounds.min, bounds.max))
}

/// The box of a vertex.
#[inline(always)]
fn swept([start, end]: &[DVec3; 2], frame: &Frame, when: When, reach: f64) -> Around {
    let (low, high) = match when {
        When::End => (*end, *end),
        When::Until(time) if time >= 1.0 => (start.min(*end), start.max(*end)),
        When::Until(time) => {
            // Three roundings of values no larger than both ends together, and one of a product that underflows.
            let reached = *start + (*end - *start) * time;
            let off = (start.abs() + end.abs()) * (4.0 * UNIT_ROUNDOFF) + DVec3::splat(f64::MIN_POSITIVE);
            (start.min(reached - off), start.max(reached + off))
        }
    };
    // Rounding is monotonic in these sums too. Nothing here overflows `f64`: coordinates are at most 1e60 from the
    // origin, and a scale is at most 2^1022.
    let within = DVec3::splat(f64::from(f32::MAX));
    let low = frame.of(low - reach).clamp(-within, within).as_vec3();
    let high = frame.of(high + reach).clamp(-within, within).as_vec3();
    [low.x, low.y, low.z, 0.0, -high.x, -high.y, -high.z, 0.0]
}

/// Some leaves and their blocks.
struct LeafBlocks<'b> {
    leaves: &'b [Owned],
    faces: &'b mut [Block],
    edges: &'b mut [Block],
    vertices: &'b mut [Block],
}

/// All leaves, in chunks.
fn pieces<'b>(
    layout: &'b Layout,
    mut faces: &'b mut [Block],
    mut edges: &'b mut [Block],
    mut vertices: &'b mut [Block],
) -> Vec<LeafBlocks<'b>> {
    let mut pieces = Vec::with_capacity(layout.leaves.len() / PIECE + 1);
    for leaves in layout.leaves.chunks(PIECE) {
        let own_faces = faces.split_off_mut(..leaves.len()).unwrap_or_default();
        let count = |of: fn(&Owned) -> u32| leaves.iter().map(|leaf| blocks(of(leaf)) as usize).sum::<usize>();
        let own_edges = edges.split_off_mut(..count(|leaf| leaf.edges.1)).unwrap_or_default();
        let own_vertices = vertices.split_off_mut(..count(|leaf| leaf.vertices.1)).unwrap_or_default();
        pieces.push(LeafBlocks { leaves, faces: own_faces, edges: own_edges, vertices: own_vertices });
    }
    pieces
}

impl LeafBlocks<'_> {
    /// Fills the blocks.
    #[inline(always)]
    fn fit<S: Simd>(self, simd: S, layout: &Layout, around: &[Around]) {
        let of = |vertex: u32| f32x8::simd_from(simd, around[vertex as usize]);
        let (mut edge_block, mut vertex_block) = (0, 0);
        for (leaf, faces) in self.leaves.iter().zip(self.faces) {
            let slots = |(first, count): (u32, u32)| first as usize..(first + count) as usize;
            for (lane, &[a, b, c]) in layout.faces[slots(leaf.faces)].iter().enumerate() {
                faces.set(lane, of(a).min(of(b)).min(of(c)));
            }
            for edges in layout.edges[slots(leaf.edges)].chunks(WIDTH) {
                for (lane, &[a, b]) in edges.iter().enumerate() {
                    self.edges[edge_block].set(lane, of(a).min(of(b)));
                }
                edge_block += 1;
            }
            for vertices in around[slots(leaf.vertices)].chunks(WIDTH) {
                for (lane, &own) in vertices.iter().enumerate() {
                    self.vertices[vertex_block].set(lane, f32x8::simd_from(simd, own));
                }
                vertex_block += 1;
            }
        }
    }
}

impl Block {
    #[inline(always)]
    fn set<S: Simd>(&mut self, lane: usize, around: f32x8<S>) {
        let around: Around = around.into();
        for k in 0..3 {
            self.min[k][lane] = around[k];
            self.max[k][lane] = -around[4 + k];
        }
    }
}

/// Sets the boxes of leaves among some nodes.
#[inline(always)]
pub(super) fn fit_leaves<S: Simd>(simd: S, nodes: &mut [Node], faces: &[Block]) {
    for node in nodes {
        for lane in 0..WIDTH {
            if let Below::Leaf(leaf) = node.below(lane) {
                let block = &faces[leaf.packet as usize];
                node.set_lane(lane, &Bounds::of_lanes(simd, &block.min, &block.max));
            }
        }
    }
}
