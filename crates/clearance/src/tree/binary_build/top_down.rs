//! Top-down building: a volume about a group of triangles, a split of the group, and so on.
//!
//! Departs from *OBBTree* in two places: a group that cannot be split by the method is halved by number instead of
//! becoming a large leaf, and so is every group below a certain depth, so no input makes the tree deep or a leaf
//! costly.
//!
//! Groups are ranges of one list of slots. The upper levels are split level by level, on all cores; ranges of
//! [`TASK`] triangles or fewer are a task each. The work is split by ranges, not by threads.

use glam::DVec3;

use super::longest_axis;
use crate::bound::{Bound, Fit};
use crate::math::cancel::{Carried, Turns};
use crate::parallel;
use crate::tree::binary::{BinaryNode, BinaryTree, Soup};

/// Ranges with at most this many triangles are one task.
const TASK: usize = 2048;

/// Splits a group about which a volume was fitted: reorders the slots, and returns the number of the first half; `None`
/// if it cannot.
pub(super) type Split<'s, B> = dyn Fn(&Soup<'_>, &B, &mut [u32]) -> Option<usize> + Sync + 's;

/// What every split needs.
struct Method<'m, B> {
    soup: &'m Soup<'m>,
    fit: Fit,
    /// Most triangles of a leaf.
    leaf: usize,
    /// Below this depth ranges are halved by number.
    deep: u32,
    split: &'m Split<'m, B>,
}

/// A range of slots to become a subtree, and its node.
struct Group<'s> {
    slots: &'s mut [u32],
    /// Where the range begins in the list.
    start: usize,
    node: usize,
    depth: u32,
}

pub(super) fn build<B: Bound>(soup: &Soup<'_>, fit: Fit, leaf: usize, split: &Split<'_, B>) -> BinaryTree<B> {
    let count = soup.triangles.len();
    let mut slots: Vec<u32> = (0..count as u32).collect();
    let method = Method { soup, fit, leaf, deep: 2 * count.max(1).ilog2() + 8, split };
    let bound = method.bound(&slots, &mut Vec::new());
    let mut nodes = vec![BinaryNode::new(bound, 0, count as u32)];
    let carried = Carried::here();
    let mut level = vec![Group { slots: &mut slots, start: 0, node: 0, depth: 0 }];
    let mut tasks = Vec::new();
    while !level.is_empty() {
        let (large, small): (Vec<_>, Vec<_>) = level.into_iter().partition(|group| group.slots.len() > TASK.max(leaf));
        tasks.extend(small);
        let bounds: Vec<B> = large.iter().map(|group| nodes[group.node].bound.clone()).collect();
        let pieces = large.into_iter().zip(bounds).collect();
        let halves = parallel::map_owned(pieces, |(group, bound): (Group<'_>, B)| {
            carried.within(|| {
                let mid = method.middle(&bound, group.depth, group.slots);
                let mut corners = Vec::new();
                let (below, above) = group.slots.split_at_mut(mid);
                let bounds = [method.bound(below, &mut corners), method.bound(above, &mut corners)];
                (group.node, group.depth, group.start, [below, above], bounds)
            })
        });
        level = Vec::with_capacity(2 * halves.len());
        for (node, depth, start, [below, above], bounds) in halves {
            let child = nodes.len();
            (nodes[node].first, nodes[node].count) = (child as u32, 0);
            let starts = [start, start + below.len()];
            for ((bound, slots), (start, node)) in
                bounds.into_iter().zip([below, above]).zip(starts.into_iter().zip([child, child + 1]))
            {
                nodes.push(BinaryNode::new(bound, start as u32, slots.len() as u32));
                level.push(Group { slots, start, node, depth: depth + 1 });
            }
        }
    }
    let bounds: Vec<B> = tasks.iter().map(|group| nodes[group.node].bound.clone()).collect();
    let pieces = tasks.into_iter().zip(bounds).collect();
    let grown = parallel::map_owned(pieces, |(group, bound): (Group<'_>, B)| {
        carried.within(|| (group.node, method.grow(bound, group)))
    });
    for (node, subtree) in grown {
        let offset = nodes.len() as u32;
        let mut subtree = subtree.into_iter().map(|mut node| {
            // The first of a subtree takes the place of the group's node; its descendants follow.
            node.first += if node.count == 0 { offset - 1 } else { 0 };
            node
        });
        if let Some(root) = subtree.next() {
            nodes[node] = root;
        }
        nodes.extend(subtree);
    }
    nodes.shrink_to_fit();
    BinaryTree::new(nodes, slots, fit)
}

impl<B: Bound> Method<'_, B> {
    fn bound(&self, slots: &[u32], corners: &mut Vec<DVec3>) -> B {
        self.soup.gather(slots, corners);
        B::fit(corners, self.fit)
    }

    /// Where to split a range of two or more.
    fn middle(&self, bound: &B, depth: u32, slots: &mut [u32]) -> usize {
        let found = if depth < self.deep { (self.split)(self.soup, bound, slots) } else { None };
        let inside = |mid: &usize| (1..slots.len()).contains(mid);
        found.filter(inside).unwrap_or_else(|| longest_axis::halve(self.soup, slots))
    }

    /// The subtree over a range, its root first, children counted from that.
    fn grow(&self, bound: B, group: Group<'_>) -> Vec<BinaryNode<B>> {
        let Group { slots, start, depth, .. } = group;
        let mut nodes = Vec::with_capacity(2 * slots.len().div_ceil(self.leaf));
        nodes.push(BinaryNode::new(bound, start as u32, slots.len() as u32));
        let mut corners = Vec::new();
        let mut turns = Turns::default();
        let mut stack = vec![(0, depth)];
        while let Some((node, depth)) = stack.pop() {
            turns.turn();
            let (first, count): (usize, usize) = (nodes[node].first as usize, nodes[node].count as usize);
            if count <= self.leaf {
                continue;
            }
            let own = &mut slots[first - start..][..count];
            let mid = self.middle(&nodes[node].bound, depth, own);
            let child = nodes.len();
            for (from, to) in [(0, mid), (mid, count)] {
                let bound = self.bound(&own[from..to], &mut corners);
                nodes.push(BinaryNode::new(bound, (first + from) as u32, (to - from) as u32));
            }
            (nodes[node].first, nodes[node].count) = (child as u32, 0);
            stack.extend([(child + 1, depth + 1), (child, depth + 1)]);
        }
        nodes
    }
}
