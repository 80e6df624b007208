//! Building the wide tree, from the top down by the surface area heuristic.
//!
//! MacDonald and Booth's cost model (1990) over binned centroids (Wald 2007): the triangles of a range are counted into
//! [`BINS`] bins along the widest axis of their centroids (along all three for few triangles), and the range is cut where
//! areas times numbers of triangles add up to the least. Departs from the papers in three places:
//! - a node of eight is made at once: its range is cut in two, then the part with the largest area, until there are
//!   eight or nothing is left to cut;
//! - below [`SAH_DEPTH`], and where all centroids coincide, ranges are cut into halves of equal numbers, so no input makes
//!   the tree deep;
//! - areas, not volumes: the volume of a flat box is zero whatever its size.
//!
//! The work is split by ranges, not by threads, so the tree is the same to the bit on any number of them.

use glam::{DVec3, Vec3A};

use super::packet::Packet;
use super::wide::{Bounds, Frame, Node, SAH_DEPTH, WIDTH, WideTree, round_down, round_up};

/// How many bins the centroids of a range are counted into.
const BINS: usize = 16;

/// The same for ranges of up to [`FEW`] triangles, where going over the bins costs more than going over the triangles.
const FEW_BINS: usize = 8;

/// Ranges of up to so many triangles look for the best cut along all three axes, in fewer bins.
const FEW: usize = 64;

/// Ranges with more triangles than this are worth a task of their own.
#[cfg(feature = "parallel")]
const TASK: usize = 8192;

/// The box of a triangle in the frame of the tree.
#[derive(Clone, Copy)]
struct Item {
    min: Vec3A,
    max: Vec3A,
}

impl Item {
    const EMPTY: Item = Item { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    #[inline(always)]
    fn joined(&self, other: &Item) -> Item {
        Item { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    #[inline(always)]
    fn half_area(&self) -> f32 {
        let d = self.max - self.min;
        if d.x < 0.0 { 0.0 } else { d.x * d.y + d.y * d.z + d.z * d.x }
    }

    /// Twice the middle.
    #[inline(always)]
    fn centroid(&self) -> Vec3A {
        self.min + self.max
    }

    #[inline(always)]
    fn centroid_box(&self) -> Item {
        Item { min: self.centroid(), max: self.centroid() }
    }

    fn bounds(&self) -> Bounds {
        Bounds { min: self.min.to_array(), max: self.max.to_array() }
    }
}

/// Triangles from `first` to `end`, their box and that of their centroids.
#[derive(Clone, Copy)]
struct Range {
    first: usize,
    end: usize,
    bounds: Item,
    centroids: Item,
}

impl Range {
    fn over(first: usize, end: usize, items: &[Item]) -> Range {
        let mut range = Range { first, end, bounds: Item::EMPTY, centroids: Item::EMPTY };
        for item in items {
            range.bounds = range.bounds.joined(item);
            range.centroids = range.centroids.joined(&item.centroid_box());
        }
        range
    }

    fn count(&self) -> usize {
        self.end - self.first
    }
}

/// The triangles of a range, with the numbers of all of them.
struct Items<'i> {
    boxes: &'i mut [Item],
    ids: &'i mut [u32],
    /// The slot of the first.
    offset: usize,
}

impl Items<'_> {
    /// Cuts a range of at least two in two, where areas times numbers are least.
    fn cut(&mut self, range: &Range, depth: usize) -> [Range; 2] {
        if depth < SAH_DEPTH
            && let Some(cut) = self.best_cut(range)
        {
            let parts = self.partition(range, &cut);
            if parts[0].count() > 0 && parts[1].count() > 0 {
                return parts;
            }
        }
        self.halves(range)
    }

    /// The best plane among the bins' limits; `None` where all centroids coincide.
    fn best_cut(&self, range: &Range) -> Option<Plane> {
        let extent = range.centroids.max - range.centroids.min;
        let items = &self.boxes[range.first..range.end];
        let widest = if extent.x >= extent.y && extent.x >= extent.z { 0 } else if extent.y >= extent.z { 1 } else { 2 };
        let mut best: Option<(f32, Plane)> = None;
        let mut take = |found: (f32, Plane)| {
            if best.is_none_or(|best| found.0 < best.0) {
                best = Some(found);
            }
        };
        let low = range.centroids.min;
        if items.len() <= FEW {
            for axis in (0..3).filter(|&axis| extent[axis] > 0.0) {
                take(least_cost::<FEW_BINS>(items, axis, low[axis], extent[axis]));
            }
        } else if extent[widest] > 0.0 {
            take(least_cost::<BINS>(items, widest, low[widest], extent[widest]));
        }
        best.map(|best| best.1)
    }

    /// Moves what is below a plane before what is above.
    fn partition(&mut self, range: &Range, plane: &Plane) -> [Range; 2] {
        let (mut left, mut right) = (range.first, range.end);
        let mut parts = [(Item::EMPTY, Item::EMPTY); 2];
        let mut add = |side: usize, item: &Item| {
            let (bounds, centroids) = &mut parts[side];
            *bounds = bounds.joined(item);
            *centroids = centroids.joined(&item.centroid_box());
        };
        while left < right {
            let item = self.boxes[left];
            if plane.bin(&item) <= plane.last {
                add(0, &item);
                left += 1;
            } else {
                add(1, &item);
                right -= 1;
                self.boxes.swap(left, right);
                self.ids.swap(left, right);
            }
        }
        let of = |first, end, side: usize| Range { first, end, bounds: parts[side].0, centroids: parts[side].1 };
        [of(range.first, left, 0), of(left, range.end, 1)]
    }

    /// Halves of equal numbers, along the widest axis of the centroids.
    fn halves(&mut self, range: &Range) -> [Range; 2] {
        let extent = range.centroids.max - range.centroids.min;
        let axis = if extent.x >= extent.y && extent.x >= extent.z { 0 } else if extent.y >= extent.z { 1 } else { 2 };
        let mut order: Vec<(f32, u32, Item)> = (range.first..range.end)
            .map(|k| (self.boxes[k].centroid()[axis], self.ids[k], self.boxes[k]))
            .collect();
        let middle = order.len() / 2;
        order.select_nth_unstable_by(middle, |p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        // The order within halves is that of the ids, whatever the selection left.
        for half in [0..middle, middle..order.len()] {
            order[half].sort_unstable_by_key(|item| item.1);
        }
        for (k, (_, id, item)) in order.into_iter().enumerate() {
            self.boxes[range.first + k] = item;
            self.ids[range.first + k] = id;
        }
        let cut = range.first + middle;
        let part = |first, end| Range::over(first, end, &self.boxes[first..end]);
        [part(range.first, cut), part(cut, range.end)]
    }
}

/// A plane between two bins of centroids.
#[derive(Clone, Copy)]
struct Plane {
    axis: usize,
    low: f32,
    per_unit: f32,
    /// The last bin below.
    last: i32,
}

impl Plane {
    #[inline(always)]
    fn bin(&self, item: &Item) -> i32 {
        // Saturates; an infinite `per_unit` times zero is not a number and goes to 0.
        ((item.centroid()[self.axis] - self.low) * self.per_unit) as i32
    }
}

/// The plane of least cost along an axis, between two of `N` bins.
fn least_cost<const N: usize>(items: &[Item], axis: usize, low: f32, extent: f32) -> (f32, Plane) {
    let binning = Plane { axis, low, per_unit: N as f32 * (1.0 - 1e-6) / extent, last: 0 };
    let mut bins = [(Item::EMPTY, 0u32); N];
    for item in items {
        let (bounds, count) = &mut bins[binning.bin(item).clamp(0, N as i32 - 1) as usize];
        *bounds = bounds.joined(item);
        *count += 1;
    }
    let mut above = [0.0f32; N];
    let (mut bounds, mut count) = (Item::EMPTY, 0);
    for k in (1..N).rev() {
        bounds = bounds.joined(&bins[k].0);
        count += bins[k].1;
        above[k] = bounds.half_area() * count as f32;
    }
    let mut best = (f32::INFINITY, binning);
    let (mut bounds, mut count) = (Item::EMPTY, 0);
    for k in 0..N - 1 {
        bounds = bounds.joined(&bins[k].0);
        count += bins[k].1;
        let cost = bounds.half_area() * count as f32 + above[k + 1];
        if cost < best.0 {
            best = (cost, Plane { last: k as i32, ..binning });
        }
    }
    best
}

/// Appends the node over a range and all below it; the number of the node.
fn grow(items: &mut Items<'_>, range: Range, depth: usize, nodes: &mut Vec<Node>) -> u32 {
    let number = nodes.len();
    nodes.push(Node::EMPTY);
    let mut parts = [range; WIDTH];
    let mut count = 1;
    while count < WIDTH {
        let mut largest = None;
        for (k, part) in parts[..count].iter().enumerate() {
            if part.count() > WIDTH && largest.is_none_or(|(_, area)| part.bounds.half_area() > area) {
                largest = Some((k, part.bounds.half_area()));
            }
        }
        let Some((k, _)) = largest else { break };
        let [left, right] = items.cut(&parts[k], depth);
        parts.copy_within(k + 1..count, k + 2);
        parts[k] = left;
        parts[k + 1] = right;
        count += 1;
    }
    let below = subtrees(items, &parts[..count], depth, nodes);
    for (lane, part) in parts[..count].iter().enumerate() {
        let node = &mut nodes[number];
        node.set_lane(lane, &part.bounds.bounds());
        node.below[lane] = below[lane];
        if part.count() <= WIDTH {
            node.leaf[lane] = ((items.offset + part.first) as u32) << 4 | part.count() as u32;
        }
    }
    number as u32
}

/// Appends the nodes below each of some parts; the number of each, zero for a leaf.
fn subtrees(items: &mut Items<'_>, parts: &[Range], depth: usize, nodes: &mut Vec<Node>) -> [u32; WIDTH] {
    let mut below = [0; WIDTH];
    #[cfg(feature = "parallel")]
    if parts.iter().any(|part| part.count() > TASK) {
        let mut tasks = Vec::with_capacity(parts.len());
        let (mut boxes, mut ids) = (&mut *items.boxes, &mut *items.ids);
        let mut first = 0;
        for part in parts {
            let (own_boxes, other_boxes) = boxes.split_at_mut(part.end - first);
            let (own_ids, other_ids) = ids.split_at_mut(part.end - first);
            let skip = part.first - first;
            tasks.push((&mut own_boxes[skip..], &mut own_ids[skip..], *part));
            (boxes, ids) = (other_boxes, other_ids);
            first = part.end;
        }
        let offset = items.offset;
        let grown: Vec<Vec<Node>> = {
            use rayon::prelude::*;
            let grow_one = |(boxes, ids, part): (&mut [Item], &mut [u32], Range)| {
                let mut nodes = Vec::new();
                if part.count() > WIDTH {
                    let mut items = Items { boxes, ids, offset: offset + part.first };
                    let range = Range { first: 0, end: part.count(), ..part };
                    grow(&mut items, range, depth + 1, &mut nodes);
                }
                nodes
            };
            tasks.into_par_iter().map(grow_one).collect()
        };
        for (lane, mut grown) in grown.into_iter().enumerate() {
            let base = nodes.len() as u32;
            below[lane] = if grown.is_empty() { 0 } else { base };
            for node in &mut grown {
                for lane in 0..WIDTH {
                    if node.leaf[lane] == 0 {
                        node.below[lane] += base;
                    }
                }
            }
            nodes.append(&mut grown);
        }
        return below;
    }
    for (lane, part) in parts.iter().enumerate() {
        if part.count() > WIDTH {
            below[lane] = grow(items, *part, depth + 1, nodes);
        }
    }
    below
}

/// The tree over some triangles in a frame that holds them, and their numbers in leaf order.
pub(crate) fn build(points: &[DVec3], triangles: &[[u32; 3]], frame: Frame) -> (WideTree, Vec<u32>) {
    let corners = |triangle: &[u32; 3]| triangle.map(|v| points[v as usize]);
    let item = |triangle: &[u32; 3]| {
        let [a, b, c] = corners(triangle).map(|p| frame.of(p));
        let (min, max) = (a.min(b).min(c), a.max(b).max(c));
        Item {
            min: Vec3A::new(round_down(min.x), round_down(min.y), round_down(min.z)),
            max: Vec3A::new(round_up(max.x), round_up(max.y), round_up(max.z)),
        }
    };
    let mut boxes: Vec<Item> = triangles.iter().map(item).collect();
    let mut ids: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut nodes = Vec::with_capacity(triangles.len() / 24 + 1);
    let whole = Range::over(0, boxes.len(), &boxes);
    let mut items = Items { boxes: &mut boxes, ids: &mut ids, offset: 0 };
    grow(&mut items, whole, 0, &mut nodes);
    drop(boxes);

    // Packets in the order of the leaves' slots.
    let mut leaves: Vec<(u32, u32, u32)> = Vec::with_capacity(triangles.len() / 4);
    for (number, node) in nodes.iter().enumerate() {
        for lane in 0..WIDTH {
            if node.leaf[lane] != 0 {
                leaves.push((node.leaf[lane], number as u32, lane as u32));
            }
        }
    }
    leaves.sort_unstable();
    let packet = |&(leaf, ..): &(u32, u32, u32)| {
        Packet::of_leaf(&frame, leaf & 15, |k| corners(&triangles[ids[(leaf >> 4) as usize + k as usize] as usize])).1
    };
    let packets: Vec<Packet> = {
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            leaves.par_iter().map(packet).collect()
        }
        #[cfg(not(feature = "parallel"))]
        leaves.iter().map(packet).collect()
    };
    for (number, &(_, node, lane)) in leaves.iter().enumerate() {
        nodes[node as usize].below[lane as usize] = number as u32;
    }
    (WideTree { frame, nodes, packets, bounds: whole.bounds.bounds() }, ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::wide::{Below, MAX_DEPTH};

    fn frame(points: &[DVec3]) -> Frame {
        let of = |choose: fn(DVec3, DVec3) -> DVec3| points.iter().copied().reduce(choose).unwrap();
        Frame::about(of(DVec3::min), of(DVec3::max))
    }

    /// Every triangle is in one leaf, and all boxes above it hold its corners; packets are off by no more than they say.
    fn check(points: &[DVec3], triangles: &[[u32; 3]]) -> WideTree {
        let (tree, ids) = build(points, triangles, frame(points));
        let mut seen = vec![false; triangles.len()];
        let mut stack = vec![(0u32, tree.bounds)];
        while let Some((number, above)) = stack.pop() {
            let node = &tree.nodes[number as usize];
            for lane in 0..node.count() {
                let bounds = node.lane(lane);
                for k in 0..3 {
                    assert!(above.min[k] <= bounds.min[k] && bounds.max[k] <= above.max[k]);
                }
                match node.below(lane) {
                    Below::Node(below) => {
                        assert!(below > number);
                        stack.push((below, bounds));
                    }
                    Below::Leaf(leaf) => {
                        let decoded = tree.packets[leaf.packet as usize].decode(crate::math::simd::plain(), &bounds);
                        let off = Packet::off(&bounds);
                        for i in 0..leaf.count {
                            let id = ids[(leaf.first + i) as usize] as usize;
                            assert!(!std::mem::replace(&mut seen[id], true));
                            for (corner, &p) in triangles[id].iter().enumerate() {
                                let x = tree.frame.of(points[p as usize]);
                                for k in 0..3 {
                                    assert!(f64::from(bounds.min[k]) <= x[k] && x[k] <= f64::from(bounds.max[k]));
                                    let near: f32 = decoded.corners[corner][k][i as usize];
                                    assert!((f64::from(near) - x[k]).abs() <= f64::from(off[k]));
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(seen.into_iter().all(|seen| seen));
        assert!(tree.depth() <= MAX_DEPTH);
        tree
    }

    fn grid(n: u32, at: impl Fn(f64, f64) -> DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let points = (0..n * n).map(|k| at(f64::from(k / n), f64::from(k % n))).collect();
        let cells = (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| n * i + j));
        let triangles = cells.flat_map(|at| [[at, at + n, at + n + 1], [at, at + n + 1, at + 1]]).collect();
        (points, triangles)
    }

    #[test]
    fn boxes_hold_their_triangles() {
        let (points, triangles) = grid(60, |x, y| DVec3::new(x, y, (0.3 * x).sin() * (0.2 * y).cos()));
        let tree = check(&points, &triangles);
        assert!(tree.depth() <= 6, "{}", tree.depth());
        let far = points.iter().map(|&p| p * 1e-3 + DVec3::new(1e7, -3e7, 5e6)).collect::<Vec<_>>();
        check(&far, &triangles);
        for scale in [1e-200, 1e-30, 1e50] {
            check(&points.iter().map(|&p| p * scale).collect::<Vec<_>>(), &triangles);
        }
    }

    #[test]
    fn no_input_makes_a_deep_tree() {
        // One place for all; a line of ever smaller triangles; needles; one large triangle among small ones.
        check(&[DVec3::ZERO, DVec3::X, DVec3::Y], &vec![[0, 1, 2]; 5000]);
        check(&[DVec3::ONE], &vec![[0, 0, 0]; 100]);
        let shrinking: Vec<DVec3> = (0..3000).map(|k| DVec3::splat(0.98f64.powi(k)) + DVec3::X * f64::from(k % 2)).collect();
        let triangles: Vec<[u32; 3]> = (0..2998).map(|k| [k, k + 1, k + 2]).collect();
        let tree = check(&shrinking, &triangles);
        assert!(tree.depth() <= 12, "{}", tree.depth());
        let needles: Vec<DVec3> = (0..6000).map(|k| DVec3::new(f64::from(k % 2) * 1e6, f64::from(k), 0.0)).collect();
        let triangles: Vec<[u32; 3]> = (0..5998).map(|k| [k, k + 1, k + 2]).collect();
        check(&needles, &triangles);
    }

    #[test]
    fn refitting_gives_the_boxes_of_the_moved_points() {
        let (points, triangles) = grid(30, |x, y| DVec3::new(x, y, 0.0));
        let (mut tree, ids) = build(&points, &triangles, frame(&points));
        let built = tree.clone();
        let corners = |points: &[DVec3], slot: u32| triangles[ids[slot as usize] as usize].map(|p| points[p as usize]);
        tree.refit(frame(&points), |slot| corners(&points, slot));
        assert_eq!(tree.packets, built.packets);
        for (a, b) in tree.nodes.iter().zip(&built.nodes) {
            assert_eq!((a.min, a.max), (b.min, b.max));
        }
    }
}
