//! Traversal of two trees in one frame, or of one against itself: every pair of leaves with overlapping boxes, once.
//!
//! A box against itself opens into its lanes, each against itself, and into the pairs of overlapping lanes. Of two
//! boxes the larger is opened, and the other is compared with its eight lanes at once. All boxes are in one frame, so
//! nothing is transformed, and no slack is needed where all coordinates went through the same monotone map.

use fearless_simd::{Simd, f32x8, prelude::*};

use super::wide::{Below, Bounds, Leaf, Node, WIDTH};
use crate::math::cancel::Turns;

/// A place in each tree; with a single tree, the same place twice denotes a box against itself.
pub(crate) type Places = [u32; 2];

/// Two trees in one frame, or one tree twice.
#[derive(Clone, Copy)]
pub(crate) struct SameFramePair<'t> {
    pub a: &'t [Node],
    pub b: &'t [Node],
    /// Both are the same tree.
    pub itself: bool,
}

impl<'t> SameFramePair<'t> {
    /// A tree against itself.
    pub fn itself(nodes: &'t [Node]) -> SameFramePair<'t> {
        SameFramePair { a: nodes, b: nodes, itself: true }
    }

    /// Splits the traversal into pieces: as many as wanted, if the trees are large enough. The same on any machine.
    pub fn pieces(&self, wanted: usize) -> Vec<Places> {
        let simd = crate::math::simd::plain();
        let mut pieces = Vec::new();
        if self.itself {
            open_itself(simd, &self.a[0], 0, &mut pieces);
        } else {
            for lane in 0..self.a[0].count() {
                open_one(simd, &self.b[0], 0, &self.a[0].lane(lane), |place| pieces.push([lane as u32, place]));
            }
        }
        while pieces.len() < wanted {
            let mut opened = Vec::new();
            let mut stays = 0;
            for &piece in &pieces {
                if !self.open(simd, piece, &mut opened) {
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

    /// Traverses one piece and visits every pair of leaves in it with overlapping boxes, each with its box. `stack` is
    /// scratch.
    #[inline(always)]
    pub fn walk<S: Simd>(
        &self,
        simd: S,
        piece: Places,
        stack: &mut Vec<Places>,
        mut leaves: impl FnMut((&Leaf, &Bounds), (&Leaf, &Bounds)),
    ) {
        stack.clear();
        stack.push(piece);
        let mut turns = Turns::default();
        while let Some(places) = stack.pop() {
            turns.turn();
            if self.open(simd, places, stack) {
                continue;
            }
            let (node_a, lane_a) = (&self.a[places[0] as usize / WIDTH], places[0] as usize % WIDTH);
            let (node_b, lane_b) = (&self.b[places[1] as usize / WIDTH], places[1] as usize % WIDTH);
            if let (Below::Leaf(a), Below::Leaf(b)) = (node_a.below(lane_a), node_b.below(lane_b)) {
                leaves((&a, &node_a.lane(lane_a)), (&b, &node_b.lane(lane_b)));
            }
        }
    }

    /// Replaces two places by their children; false if both are leaves.
    #[inline(always)]
    fn open<S: Simd>(&self, simd: S, [a, b]: Places, into: &mut Vec<Places>) -> bool {
        let (node_a, lane_a) = (&self.a[a as usize / WIDTH], a as usize % WIDTH);
        let (node_b, lane_b) = (&self.b[b as usize / WIDTH], b as usize % WIDTH);
        let (box_a, box_b) = (node_a.lane(lane_a), node_b.lane(lane_b));
        match (node_a.below(lane_a), node_b.below(lane_b)) {
            (Below::Leaf(_), Below::Leaf(_)) => return false,
            (Below::Node(number), Below::Node(_)) if self.itself && a == b => {
                open_itself(simd, &self.a[number as usize], number, into);
            }
            (Below::Node(number), Below::Node(_)) if box_a.size() >= box_b.size() => {
                open_one(simd, &self.a[number as usize], number, &box_b, |place| into.push([place, b]));
            }
            (Below::Node(number), Below::Leaf(_)) => {
                open_one(simd, &self.a[number as usize], number, &box_b, |place| into.push([place, b]));
            }
            (_, Below::Node(number)) => {
                open_one(simd, &self.b[number as usize], number, &box_a, |place| into.push([a, place]));
            }
        }
        true
    }
}

/// The places of the lanes of a node that overlap a box.
#[inline(always)]
fn open_one<S: Simd>(simd: S, node: &Node, number: u32, bounds: &Bounds, mut place: impl FnMut(u32)) {
    let mut near = boxes_meeting(simd, &node.min, &node.max, bounds);
    while near != 0 {
        let lane = near.trailing_zeros();
        near &= near - 1;
        place(number * WIDTH as u32 + lane);
    }
}

/// Each lane of a node with itself and with the later lanes that it overlaps.
#[inline(always)]
fn open_itself<S: Simd>(simd: S, node: &Node, number: u32, into: &mut Vec<Places>) {
    let first = number * WIDTH as u32;
    let mut used = node.used(simd);
    while used != 0 {
        let lane = used.trailing_zeros();
        used &= used - 1;
        into.push([first + lane; 2]);
        let mut near = boxes_meeting(simd, &node.min, &node.max, &node.lane(lane as usize)) & used;
        while near != 0 {
            let other = near.trailing_zeros();
            near &= near - 1;
            into.push([first + lane, first + other]);
        }
    }
}

/// Bit mask of the eight boxes that a box overlaps. Unused lanes overlap nothing.
#[inline(always)]
pub(crate) fn boxes_meeting<S: Simd>(
    simd: S,
    min: &[[f32; WIDTH]; 3],
    max: &[[f32; WIDTH]; 3],
    bounds: &Bounds,
) -> u32 {
    let along = |k: usize| {
        f32x8::simd_from(simd, min[k]).simd_le(f32x8::splat(simd, bounds.max[k]))
            & f32x8::simd_from(simd, max[k]).simd_ge(f32x8::splat(simd, bounds.min[k]))
    };
    (along(0) & along(1) & along(2)).to_bitmask() as u32
}
