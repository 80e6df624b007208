//! The traversal of the regions of a surface: every pair of leaves that is not proved apart, once.
//!
//! A region against itself is done with if it is flat: if it faces a direction, and its contour passes the test. Two
//! regions are done with if their boxes do not meet, or if they are adjacent and flat together. Else a region against
//! itself opens into its children, each against itself and against the others, and two regions into the pairs of the
//! children of the one created later with the other, or of both.
//!
//! Culling of two regions that are not adjacent would be as right: adjacency only tells where the test of contours is
//! likely to pay.

use std::sync::atomic::Ordering;

use super::Curved;
use super::tree::Region;
use crate::deform::boxes::Boxes;
use crate::math::cancel::Turns;
use crate::tree::traverse_same_frame::Places;
use crate::tree::wide::{Bounds, Leaf};

pub(crate) use super::Sweeps;

/// Pairs of regions with fewer triangles together are opened without a test of their contour, which would cost more
/// than it saves.
const WORTH: u32 = 17;

/// The regions of a surface with boxes.
pub(crate) struct RegionWalk<'c> {
    curved: &'c Curved<'c>,
    bounds: Vec<Bounds>,
}

/// What becomes of two regions.
enum Opened {
    Apart,
    Children,
    Leaves,
}

impl<'c> RegionWalk<'c> {
    /// Fits boxes to the regions, given those of the leaves.
    pub fn new(curved: &'c Curved<'c>, boxes: &Boxes) -> RegionWalk<'c> {
        let regions = &curved.tree().regions;
        let mut bounds = vec![Bounds::EMPTY; regions.len()];
        for (number, region) in regions.iter().enumerate().rev() {
            bounds[number] = if region.is_leaf() {
                let block = &boxes.faces[region.leaf() as usize];
                (0..region.count as usize).fold(Bounds::EMPTY, |all, lane| all.joined(&block.lane(lane)))
            } else {
                region.children().fold(Bounds::EMPTY, |all, child| all.joined(&bounds[child as usize]))
            };
        }
        RegionWalk { curved, bounds }
    }

    /// Splits the traversal into pieces: as many as wanted, if there is as much to do.
    pub fn pieces(&self, wanted: usize) -> Vec<Places> {
        let mut sweeps = Sweeps::default();
        let mut pieces = vec![[0, 0]];
        // The root is known not to be flat.
        self.open_itself(0, &mut pieces);
        if pieces.len() > 1 {
            pieces.remove(0);
        }
        let mut visited = 1;
        while pieces.len() < wanted {
            let mut opened = Vec::new();
            let mut stays = 0;
            for &piece in &pieces {
                match self.open(piece, &mut sweeps, &mut opened) {
                    Opened::Leaves => {
                        opened.push(piece);
                        stays += 1;
                    }
                    Opened::Apart | Opened::Children => visited += 1,
                }
            }
            if stays == pieces.len() {
                break;
            }
            pieces = opened;
        }
        self.curved.visited.fetch_add(visited, Ordering::Relaxed);
        pieces
    }

    /// Traverses one piece and visits every pair of leaves in it that is not proved apart, each with its box. The
    /// stack and the sweeps are scratch.
    #[inline(always)]
    pub fn walk(
        &self,
        piece: Places,
        (stack, sweeps): (&mut Vec<Places>, &mut Sweeps),
        mut leaves: impl FnMut((&Leaf, &Bounds), (&Leaf, &Bounds)),
    ) {
        stack.clear();
        stack.push(piece);
        let (mut turns, mut visited) = (Turns::default(), 0);
        while let Some(pair) = stack.pop() {
            turns.turn();
            visited += 1;
            if let Opened::Leaves = self.open(pair, sweeps, stack) {
                let leaf = |number: u32| {
                    let region = &self.curved.tree().regions[number as usize];
                    Leaf { packet: region.leaf(), first: region.first, count: region.count }
                };
                let [a, b] = pair.map(leaf);
                leaves((&a, &self.bounds[pair[0] as usize]), (&b, &self.bounds[pair[1] as usize]));
            }
        }
        self.curved.visited.fetch_add(visited, Ordering::Relaxed);
    }

    /// Replaces two regions, or one twice, by pairs of their children.
    fn open(&self, [a, b]: Places, sweeps: &mut Sweeps, into: &mut Vec<Places>) -> Opened {
        let regions = &self.curved.tree().regions;
        let (one, other) = (&regions[a as usize], &regions[b as usize]);
        if a == b {
            return if self.curved.is_flat(sweeps, one, a as usize) {
                Opened::Apart
            } else if one.is_leaf() {
                Opened::Leaves
            } else {
                self.open_itself(a, into);
                Opened::Children
            };
        }
        if !self.bounds[a as usize].meets(&self.bounds[b as usize]) || self.are_flat([a, b], sweeps, one, other) {
            return Opened::Apart;
        }
        match (one.is_leaf(), other.is_leaf()) {
            (true, true) => return Opened::Leaves,
            (true, false) => into.extend(other.children().map(|child| [a, child])),
            (false, true) => into.extend(one.children().map(|child| [child, b])),
            (false, false) if one.level > other.level => into.extend(one.children().map(|child| [child, b])),
            (false, false) if one.level < other.level => into.extend(other.children().map(|child| [a, child])),
            (false, false) => {
                into.extend(one.children().flat_map(|first| other.children().map(move |second| [first, second])));
            }
        }
        Opened::Children
    }

    /// The children of a region, each with itself and with the later ones.
    fn open_itself(&self, number: u32, into: &mut Vec<Places>) {
        let children = self.curved.tree().regions[number as usize].children();
        for child in children.clone() {
            into.push([child, child]);
            into.extend((child + 1..children.end).map(|later| [child, later]));
        }
    }

    /// Whether two regions are adjacent and flat together.
    #[inline]
    fn are_flat(&self, [a, b]: Places, sweeps: &mut Sweeps, one: &Region, other: &Region) -> bool {
        let set = self.curved.sets[a as usize] & self.curved.sets[b as usize];
        let tree = self.curved.tree();
        set != 0
            && one.count + other.count >= WORTH
            && tree.adjacent(one, other)
            && self.curved.passes(sweeps, set, || tree.contour_of_both(one, other))
    }
}
