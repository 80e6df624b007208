//! A tree walked against itself: every pair of triangles whose boxes meet, once.
//!
//! A box against itself opens into its lanes, each against itself, and into the pairs of lanes that meet. Two boxes are
//! walked as two trees are: the larger is opened, and the other is compared with its eight lanes at once. Both are in one
//! frame, so nothing is mapped.
//!
//! No slack is needed. Boxes are made of coordinates that all went through the same `(p - origin) * scale`, rounded, and
//! rounding keeps order: if two triangles have a point in common, then along each axis neither begins beyond the end of the
//! other, and so do their rounded boxes. Only corners from packets are off, by [`Packet::off`], which is added (it has room for
//! the rounding of that sum).

use fearless_simd::{Simd, f32x8, prelude::*};

use crate::tree::packet::Packet;
use crate::tree::wide::{Below, Bounds, Leaf, Node, WIDTH, WideTree};

/// Two places of a tree, the same one twice for a box against itself.
pub(super) type Places = [u32; 2];

/// Pieces of the walk that together make up all of it: as many as wanted, if the tree is large enough.
pub(super) fn pieces(tree: &WideTree, wanted: usize) -> Vec<Places> {
    let simd = crate::math::simd::plain();
    let mut pieces = Vec::new();
    open_itself(simd, &tree.nodes[0], 0, &mut pieces);
    while pieces.len() < wanted {
        let mut opened = Vec::new();
        let mut stays = 0;
        for &piece in &pieces {
            if !open(simd, tree, piece, &mut opened) {
                opened.push(piece);
                stays += 1;
            }
        }
        if stays == pieces.len() {
            break;
        }
        pieces = opened;
    }
    pieces
}

/// Walks one piece and hands over the slots of all pairs of triangles in it whose boxes meet. `stack` is scratch.
#[inline(always)]
pub(super) fn walk<S: Simd>(
    simd: S,
    tree: &WideTree,
    piece: Places,
    stack: &mut Vec<Places>,
    mut pair: impl FnMut(u32, u32),
) {
    stack.clear();
    stack.push(piece);
    while let Some(places) = stack.pop() {
        if open(simd, tree, places, stack) {
            continue;
        }
        if let [Below::Leaf(a), Below::Leaf(b)] = places.map(|place| tree.below(place)) {
            let boxes = places.map(|place| tree.at(place));
            for_pairs_of_leaves(simd, tree, (&a, &boxes[0]), (&b, &boxes[1]), &mut pair);
        }
    }
}

/// Replaces two places by what is below; false if both are leaves.
#[inline(always)]
fn open<S: Simd>(simd: S, tree: &WideTree, [a, b]: Places, into: &mut Vec<Places>) -> bool {
    let (box_a, box_b) = (tree.at(a), tree.at(b));
    match (tree.below(a), tree.below(b)) {
        (Below::Leaf(_), Below::Leaf(_)) => return false,
        (Below::Node(number), Below::Node(_)) if a == b => {
            open_itself(simd, &tree.nodes[number as usize], number, into);
        }
        (Below::Node(number), Below::Node(_)) if box_a.size() >= box_b.size() => {
            open_one(simd, &tree.nodes[number as usize], number, b, &box_b, into);
        }
        (Below::Node(number), Below::Leaf(_)) => {
            open_one(simd, &tree.nodes[number as usize], number, b, &box_b, into);
        }
        (_, Below::Node(number)) => open_one(simd, &tree.nodes[number as usize], number, a, &box_a, into),
    }
    true
}

/// The lanes of a node that a box meets, each with the box.
#[inline(always)]
fn open_one<S: Simd>(simd: S, node: &Node, number: u32, other: u32, bounds: &Bounds, into: &mut Vec<Places>) {
    let mut near = meeting(simd, node, bounds);
    while near != 0 {
        let lane = near.trailing_zeros();
        near &= near - 1;
        into.push([number * WIDTH as u32 + lane, other]);
    }
}

/// Each lane of a node with itself and with the later lanes that it meets.
#[inline(always)]
fn open_itself<S: Simd>(simd: S, node: &Node, number: u32, into: &mut Vec<Places>) {
    let first = number * WIDTH as u32;
    let mut used = node.used(simd);
    while used != 0 {
        let lane = used.trailing_zeros();
        used &= used - 1;
        into.push([first + lane; 2]);
        let mut near = meeting(simd, node, &node.lane(lane as usize)) & used;
        while near != 0 {
            let other = near.trailing_zeros();
            near &= near - 1;
            into.push([first + lane, first + other]);
        }
    }
}

/// A bit for each lane that a box meets. Lanes that are not used meet nothing.
#[inline(always)]
fn meeting<S: Simd>(simd: S, node: &Node, bounds: &Bounds) -> u32 {
    boxes_meeting(
        simd,
        &node.min.map(|x| f32x8::simd_from(simd, x)),
        &node.max.map(|x| f32x8::simd_from(simd, x)),
        bounds,
    )
}

#[inline(always)]
fn boxes_meeting<S: Simd>(simd: S, min: &[f32x8<S>; 3], max: &[f32x8<S>; 3], bounds: &Bounds) -> u32 {
    let along = |k: usize| {
        min[k].simd_le(f32x8::splat(simd, bounds.max[k])) & max[k].simd_ge(f32x8::splat(simd, bounds.min[k]))
    };
    (along(0) & along(1) & along(2)).to_bitmask() as u32
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
    let (min, max): ([[f32; WIDTH]; 3], [[f32; WIDTH]; 3]) = (min.map(Into::into), max.map(Into::into));
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

/// Boxes about the triangles of a leaf.
#[inline(always)]
fn triangle_boxes<S: Simd>(simd: S, tree: &WideTree, leaf: (&Leaf, &Bounds)) -> ([f32x8<S>; 3], [f32x8<S>; 3]) {
    let corners = tree.packets[leaf.0.packet as usize].decode(simd, leaf.1).corners;
    let off = Packet::off(leaf.1);
    (
        std::array::from_fn(|k| corners[0][k].min(corners[1][k]).min(corners[2][k]) - f32x8::splat(simd, off[k])),
        std::array::from_fn(|k| corners[0][k].max(corners[1][k]).max(corners[2][k]) + f32x8::splat(simd, off[k])),
    )
}
