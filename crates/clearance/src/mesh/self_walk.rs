//! Pairs of triangles of a mesh whose boxes meet, by traversing its tree against itself.
//!
//! No slack is needed. Boxes are made of coordinates that all went through the same rounded `(p - origin) * scale`, and
//! rounding is monotonic: if two triangles have a common point, their extents overlap along each axis, and so do those
//! of their rounded boxes. Only corners from packets have an error, [`Packet::off`], which is added (it covers the
//! rounding of that sum).

use fearless_simd::{Simd, f32x8, prelude::*};

use crate::tree::packet::Packet;
use crate::tree::traverse_same_frame::{Places, SameFramePair, boxes_meeting};
use crate::tree::wide::{Bounds, Leaf, WIDTH, WideTree};

/// Traverses one piece and visits the slots of all pairs of triangles in it whose boxes meet. `stack` is scratch.
#[inline(always)]
pub(super) fn walk<S: Simd>(
    simd: S,
    tree: &WideTree,
    piece: Places,
    stack: &mut Vec<Places>,
    mut pair: impl FnMut(u32, u32),
) {
    SameFramePair::itself(&tree.nodes)
        .walk(simd, piece, stack, |a, b| for_pairs_of_leaves(simd, tree, a, b, &mut pair));
}

/// The pairs of triangles of two leaves, or of one, whose boxes meet.
#[inline(always)]
fn for_pairs_of_leaves<S: Simd>(
    simd: S,
    tree: &WideTree,
    a: (&Leaf, &Bounds),
    b: (&Leaf, &Bounds),
    pair: &mut impl FnMut(u32, u32),
) {
    let itself = a.0.packet == b.0.packet;
    let (min, max) = triangle_boxes(simd, tree, a);
    let (min_b, max_b) = triangle_boxes(simd, tree, b);
    for lane in 0..a.0.count {
        let own = Bounds { min: min.map(|x| x[lane as usize]), max: max.map(|x| x[lane as usize]) };
        let mut near = boxes_meeting(simd, &min_b, &max_b, &own) & ((1 << b.0.count) - 1);
        if itself {
            near &= !((2 << lane) - 1);
        }
        while near != 0 {
            let other = near.trailing_zeros();
            near &= near - 1;
            pair(a.0.first + lane, b.0.first + other);
        }
    }
}

/// The boxes of the triangles of a leaf.
#[inline(always)]
fn triangle_boxes<S: Simd>(simd: S, tree: &WideTree, leaf: (&Leaf, &Bounds)) -> ([[f32; WIDTH]; 3], [[f32; WIDTH]; 3]) {
    let corners = tree.packets[leaf.0.packet as usize].decode(simd, leaf.1).corners;
    let off = Packet::off(leaf.1);
    let (mut min, mut max) = ([[0.0; WIDTH]; 3], [[0.0; WIDTH]; 3]);
    for k in 0..3 {
        min[k] = (corners[0][k].min(corners[1][k]).min(corners[2][k]) - f32x8::splat(simd, off[k])).into();
        max[k] = (corners[0][k].max(corners[1][k]).max(corners[2][k]) + f32x8::splat(simd, off[k])).into();
    }
    (min, max)
}
