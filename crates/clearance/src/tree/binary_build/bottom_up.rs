//! Bottom-up building: the two groups with the smallest common volume are merged until one is left.
//!
//! Among all pairs that takes quadratic time. As in Meister and Bittner's *PLOC* (2018), groups are kept in the order of
//! a space-filling curve, each looks for its best partner among the [`REACH`] next to it on either side, and all pairs
//! that choose each other are merged at once. What is smallest is an area of boxes, or the radius of spheres.
//!
//! Below a certain number of rounds neighbours are merged in order, so the tree is never deep.

use glam::DVec3;

use super::octree;
use crate::bound::{Aabb, Bound, Fit};
use crate::math::cancel::{Carried, checkpoint};
use crate::parallel;
use crate::tree::binary::{BinaryNode, BinaryTree, Soup};

/// How far to either side a partner is sought.
const REACH: usize = 8;

/// Most triangles of a leaf about a vertex.
const STAR: usize = 8;

/// Nodes whose volumes are fitted as one piece of work.
const PIECE: usize = 512;

/// What groups are measured by while they are merged; need not enclose to the last bit.
pub(super) trait Measure: Copy + Send + Sync {
    fn about(corners: &[DVec3]) -> Self;
    fn merged(&self, other: &Self) -> Self;
    fn size(&self) -> f64;
}

/// The area of a box.
#[derive(Clone, Copy)]
pub(super) struct Box(Aabb);

impl Measure for Box {
    fn about(corners: &[DVec3]) -> Box {
        Box(corners.iter().fold(Aabb::EMPTY, |all, &p| all.including(p)))
    }

    fn merged(&self, other: &Box) -> Box {
        Box(Aabb::merge(&self.0, &other.0))
    }

    fn size(&self) -> f64 {
        self.0.surface()
    }
}

/// The radius of a sphere.
#[derive(Clone, Copy)]
pub(super) struct Ball {
    center: DVec3,
    radius: f64,
}

impl Measure for Ball {
    fn about(corners: &[DVec3]) -> Ball {
        let center = corners.iter().fold(Aabb::EMPTY, |all, &p| all.including(p)).center();
        Ball { center, radius: corners.iter().map(|p| p.distance(center)).fold(0.0, f64::max) }
    }

    fn merged(&self, other: &Ball) -> Ball {
        let (small, large) = if self.radius < other.radius { (self, other) } else { (other, self) };
        let apart = small.center.distance(large.center);
        if apart + small.radius <= large.radius || apart == 0.0 {
            return *large;
        }
        let radius = 0.5 * (apart + small.radius + large.radius);
        Ball { center: large.center.lerp(small.center, (radius - large.radius) / apart), radius }
    }

    fn size(&self) -> f64 {
        self.radius
    }
}

/// Leaves to be merged, in the order of a space-filling curve.
pub(super) struct Leaves<M> {
    /// The triangles of all leaves.
    slots: Vec<u32>,
    /// How many of them each leaf has.
    counts: Vec<u32>,
    measures: Vec<M>,
}

impl<M: Measure> Leaves<M> {
    fn new(soup: &Soup<'_>, slots: Vec<u32>, counts: Vec<u32>) -> Leaves<M> {
        let (mut corners, mut rest) = (Vec::new(), &slots[..]);
        let about = |&count: &u32| {
            let (own, others) = rest.split_at(count as usize);
            rest = others;
            soup.gather(own, &mut corners);
            M::about(&corners)
        };
        let measures = counts.iter().map(about).collect();
        Leaves { slots, counts, measures }
    }
}

/// Leaves of so many triangles that follow each other on the curve.
pub(super) fn triangles<M: Measure>(soup: &Soup<'_>, leaf: usize) -> Leaves<M> {
    let slots = on_curve(soup);
    let counts = slots.chunks(leaf).map(|own| own.len() as u32).collect();
    Leaves::new(soup, slots, counts)
}

/// A leaf for each vertex that has triangles: each triangle goes with that of its vertices which has most triangles
/// around it. Large stars are several leaves.
pub(super) fn stars(soup: &Soup<'_>) -> Leaves<Ball> {
    let mut around = vec![0u32; soup.points.len()];
    soup.triangles.iter().flatten().for_each(|&p| around[p as usize] += 1);
    let vertex = |slot: u32| {
        let most = |&p: &u32| (around[p as usize], std::cmp::Reverse(p));
        soup.triangles[slot as usize].into_iter().max_by_key(most).unwrap_or(0)
    };
    // Stars in the order of their first triangle on the curve.
    let order = on_curve(soup);
    let mut place = vec![u32::MAX; soup.points.len()];
    for (k, &slot) in order.iter().enumerate() {
        let place = &mut place[vertex(slot) as usize];
        *place = (*place).min(k as u32);
    }
    let mut slots = order;
    slots.sort_by_key(|&slot| place[vertex(slot) as usize]);
    let stars = slots.chunk_by(|&p, &q| vertex(p) == vertex(q));
    let counts = stars.flat_map(|own| own.chunks(STAR)).map(|own| own.len() as u32).collect();
    Leaves::new(soup, slots, counts)
}

/// The slots in the order of the Morton curve.
fn on_curve(soup: &Soup<'_>) -> Vec<u32> {
    let codes = octree::codes(soup);
    let mut slots: Vec<u32> = (0..codes.len() as u32).collect();
    slots.sort_unstable_by_key(|&slot| (codes[slot as usize], slot));
    slots
}

/// What two groups became: the children of a group; a leaf is its own number.
#[derive(Clone, Copy)]
enum Group {
    Leaf(u32),
    Merged([u32; 2]),
}

/// Merges leaves into a tree, and fits the volumes.
pub(super) fn build<B: Bound, M: Measure>(soup: &Soup<'_>, fit: Fit, leaves: Leaves<M>) -> BinaryTree<B> {
    let groups = merged(&leaves.measures);
    // From the root down: a node stands before its children, the triangles below it in one range.
    let starts: Vec<u32> = leaves
        .counts
        .iter()
        .scan(0, |start, &count| {
            *start += count;
            Some(*start - count)
        })
        .collect();
    let mut shape: Vec<(u32, u32)> = vec![(0, 0)];
    let mut slots = Vec::with_capacity(leaves.slots.len());
    let mut ranges = vec![(0u32, 0u32)];
    let mut stack = vec![(groups.len() - 1, 0usize, false)];
    while let Some((group, node, done)) = stack.pop() {
        if done {
            ranges[node].1 = slots.len() as u32;
            continue;
        }
        ranges[node].0 = slots.len() as u32;
        match groups[group] {
            Group::Leaf(leaf) => {
                let (start, count) = (starts[leaf as usize], leaves.counts[leaf as usize]);
                shape[node] = (slots.len() as u32, count);
                slots.extend_from_slice(&leaves.slots[start as usize..][..count as usize]);
                ranges[node].1 = slots.len() as u32;
            }
            Group::Merged([low, high]) => {
                let child = shape.len();
                shape[node] = (child as u32, 0);
                shape.extend([(0, 0); 2]);
                ranges.extend([(0, 0); 2]);
                stack.extend([(group, node, true), (high as usize, child + 1, false), (low as usize, child, false)]);
            }
        }
    }
    let carried = Carried::here();
    let numbers: Vec<usize> = (0..shape.len()).collect();
    let nodes = parallel::map_owned(numbers.chunks(PIECE).collect(), |piece: &[usize]| {
        carried.within(|| {
            checkpoint();
            let mut corners = Vec::new();
            let node = |&number: &usize| {
                let ((first, count), (start, end)) = (shape[number], ranges[number]);
                soup.gather(&slots[start as usize..end as usize], &mut corners);
                BinaryNode::new(B::fit(&corners, fit), first, count)
            };
            piece.iter().map(node).collect::<Vec<_>>()
        })
    });
    BinaryTree::new(nodes.into_iter().flatten().collect(), slots, fit)
}

/// Merges groups, leaves first; the last is the root.
fn merged<M: Measure>(measures: &[M]) -> Vec<Group> {
    let mut groups: Vec<Group> = (0..measures.len() as u32).map(Group::Leaf).collect();
    let mut row: Vec<(u32, M)> = (0u32..).zip(measures.iter().copied()).collect();
    let rounds = 4 * measures.len().max(1).ilog2() + 16;
    let mut round = 0;
    while row.len() > 1 {
        checkpoint();
        round += 1;
        let partners: Vec<usize> =
            (0..row.len()).map(|k| if round > rounds { k ^ 1 } else { partner(&row, k) }).collect();
        let mut next = Vec::with_capacity(row.len());
        for k in 0..row.len() {
            let other = partners[k];
            match partners.get(other) {
                Some(&back) if back == k && k < other => {
                    let ((low, p), (high, q)) = (row[k], row[other]);
                    next.push((groups.len() as u32, p.merged(&q)));
                    groups.push(Group::Merged([low, high]));
                }
                Some(&back) if back == k => {}
                _ => next.push(row[k]),
            }
        }
        row = next;
    }
    groups
}

/// The best partner of a group: the smallest when merged, then the nearest in the row, then the first.
///
/// The pair that is smallest of all, and of equal ones nearest and first, chooses each other, so each round merges at
/// least one pair.
fn partner<M: Measure>(row: &[(u32, M)], k: usize) -> usize {
    let others = k.saturating_sub(REACH)..(k + REACH + 1).min(row.len());
    let cost = |&other: &usize| (row[k.min(other)].1.merged(&row[k.max(other)].1).size(), k.abs_diff(other), other);
    let order =
        |p: &(f64, usize, usize), q: &(f64, usize, usize)| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2)));
    let costs = others.filter(|&other| other != k).map(|other| cost(&other));
    costs.min_by(order).map_or(k, |(.., other)| other)
}
