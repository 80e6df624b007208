//! A dynamic wide tree: boxes are inserted, removed and moved, eight side by side in each node.
//!
//! An R-tree (Guttman 1984) of fan-out eight, split as an R*-tree is (Beckmann and others 1990): all leaves are at one
//! depth, a box goes where it adds the least surface area, a full node is split along the axis and at the place with
//! the least perimeter and overlap. After as many changes as there are boxes the tree is rebuilt by sort-tile-recursive
//! packing (Leutenegger and others 1997), so that it stays as good as a freshly built one; the cost is amortised over
//! the changes.
//!
//! Departures: boxes are in double precision, because bodies of a world may be anywhere, with no common centre; and an
//! empty node is dropped, but an underfull one stays until the next packing.
//!
//! Every decision depends only on the boxes and the order of the calls.

use crate::bound::Aabb;

/// How many boxes a node holds.
const WIDTH: usize = 8;

const NONE: u32 = u32::MAX;

/// Up to eight boxes and their children: nodes, or in a leaf items.
#[derive(Clone, Debug)]
struct Node {
    min: [[f64; WIDTH]; 3],
    max: [[f64; WIDTH]; 3],
    below: [u32; WIDTH],
    count: usize,
    is_leaf: bool,
    /// `NONE` for the root.
    parent: u32,
}

impl Node {
    fn new(is_leaf: bool) -> Node {
        Node {
            // Unused lanes hold a box that overlaps nothing.
            min: [[f64::INFINITY; WIDTH]; 3],
            max: [[f64::NEG_INFINITY; WIDTH]; 3],
            below: [NONE; WIDTH],
            count: 0,
            is_leaf,
            parent: NONE,
        }
    }

    fn lane(&self, lane: usize) -> Aabb {
        let corner = |of: &[[f64; WIDTH]; 3]| glam::DVec3::new(of[0][lane], of[1][lane], of[2][lane]);
        Aabb::new(corner(&self.min), corner(&self.max))
    }

    fn set(&mut self, lane: usize, bounds: &Aabb) {
        for axis in 0..3 {
            self.min[axis][lane] = bounds.min[axis];
            self.max[axis][lane] = bounds.max[axis];
        }
    }

    fn push(&mut self, bounds: &Aabb, below: u32) {
        self.set(self.count, bounds);
        self.below[self.count] = below;
        self.count += 1;
    }

    /// Removes a lane; the last one moves into its place.
    fn take(&mut self, lane: usize) {
        self.count -= 1;
        let (last, below) = (self.lane(self.count), self.below[self.count]);
        self.set(lane, &last);
        self.below[lane] = below;
        self.set(self.count, &Aabb::EMPTY);
        self.below[self.count] = NONE;
    }

    fn bounds(&self) -> Aabb {
        (0..self.count).fold(Aabb::EMPTY, |all, lane| joined(&all, &self.lane(lane)))
    }

    /// Bit mask of the lanes whose box shares a point with `other`.
    fn overlapping(&self, other: &Aabb) -> u32 {
        let mut bits = 0;
        for lane in 0..WIDTH {
            let mut meets = true;
            for axis in 0..3 {
                meets &= self.min[axis][lane] <= other.max[axis] && other.min[axis] <= self.max[axis][lane];
            }
            bits |= u32::from(meets) << lane;
        }
        bits
    }
}

fn joined(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb::new(a.min.min(b.min), a.max.max(b.max))
}

/// Half the surface area.
fn half_area(bounds: &Aabb) -> f64 {
    let size = bounds.size();
    if size.x < 0.0 { 0.0 } else { size.x * size.y + size.y * size.z + size.z * size.x }
}

fn perimeter(bounds: &Aabb) -> f64 {
    bounds.size().element_sum()
}

/// Boxes of items, which are identified by the caller's numbers.
#[derive(Clone, Debug)]
pub(crate) struct DynamicTree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: u32,
    /// The leaf of each item; `NONE` for unused numbers.
    leaf_of: Vec<u32>,
    count: usize,
    /// Changes since the last packing.
    changes: usize,
}

impl Default for DynamicTree {
    fn default() -> DynamicTree {
        DynamicTree {
            nodes: vec![Node::new(true)],
            free: Vec::new(),
            root: 0,
            leaf_of: Vec::new(),
            count: 0,
            changes: 0,
        }
    }
}

impl DynamicTree {
    /// Adds items that are not in the tree. Their boxes must be finite.
    pub fn insert(&mut self, items: &[(u32, Aabb)]) {
        if items.len() > self.count {
            let mut all = self.items();
            all.extend_from_slice(items);
            return self.pack(all);
        }
        for (item, bounds) in items {
            self.insert_one(*item, bounds);
        }
        self.changed(items.len());
    }

    /// Removes an item; no effect if it is not present.
    pub fn remove(&mut self, item: u32) {
        if self.take_out(item) {
            self.changed(1);
        }
    }

    /// Replaces the box of an item of the tree.
    pub fn update(&mut self, item: u32, bounds: &Aabb) {
        if self.take_out(item) {
            self.insert_one(item, bounds);
            self.changed(1);
        }
    }

    /// Visits every item whose box shares a point with the given one, in an unspecified but deterministic order.
    pub fn each_overlapping(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        self.each(|node| node.overlapping(bounds), &mut visit);
    }

    /// Visits every item whose box passes a test. The test must be monotone: it passes for every box around one that
    /// passes.
    pub fn each_passing(&self, mut test: impl FnMut(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        let lanes =
            |node: &Node| (0..node.count).fold(0, |bits, lane| bits | u32::from(test(&node.lane(lane))) << lane);
        self.each(lanes, &mut visit);
    }

    fn each(&self, mut lanes: impl FnMut(&Node) -> u32, visit: &mut impl FnMut(u32)) {
        let mut stack = vec![self.root];
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number as usize];
            let mut bits = lanes(node);
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if node.is_leaf {
                    visit(node.below[lane]);
                } else {
                    stack.push(node.below[lane]);
                }
            }
        }
    }

    fn items(&self) -> Vec<(u32, Aabb)> {
        let mut items = Vec::with_capacity(self.count);
        for (item, &leaf) in self.leaf_of.iter().enumerate().filter(|(_, leaf)| **leaf != NONE) {
            let node = &self.nodes[leaf as usize];
            let lane = node.below[..node.count].iter().position(|&below| below == item as u32);
            items.extend(lane.map(|lane| (item as u32, node.lane(lane))));
        }
        items
    }

    fn changed(&mut self, by: usize) {
        self.changes += by;
        if self.changes > self.count.max(4 * WIDTH) {
            let items = self.items();
            self.pack(items);
        }
    }

    fn new_node(&mut self, node: Node) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.nodes[number as usize] = node;
                number
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// Sets the parent of everything below a node.
    fn adopt(&mut self, number: u32) {
        let node = &self.nodes[number as usize];
        let (below, count, is_leaf) = (node.below, node.count, node.is_leaf);
        for &below in &below[..count] {
            if is_leaf {
                self.leaf_of[below as usize] = number;
            } else {
                self.nodes[below as usize].parent = number;
            }
        }
    }

    fn insert_one(&mut self, item: u32, bounds: &Aabb) {
        if self.leaf_of.len() <= item as usize {
            self.leaf_of.resize(item as usize + 1, NONE);
        }
        let mut number = self.root;
        while !self.nodes[number as usize].is_leaf {
            let node = &mut self.nodes[number as usize];
            let cost = |lane: usize| {
                let own = node.lane(lane);
                let area = half_area(&own);
                (half_area(&joined(&own, bounds)) - area, area)
            };
            let mut best = (0, cost(0));
            for lane in 1..node.count {
                let cost = cost(lane);
                if cost.0 < best.1.0 || cost.0 == best.1.0 && cost.1 < best.1.1 {
                    best = (lane, cost);
                }
            }
            let grown = joined(&node.lane(best.0), bounds);
            node.set(best.0, &grown);
            number = node.below[best.0];
        }
        self.count += 1;
        self.leaf_of[item as usize] = number;
        self.add(number, bounds, item);
    }

    /// Adds a box to a node, splitting it if it is full, and so on upward.
    fn add(&mut self, mut number: u32, bounds: &Aabb, below: u32) {
        let (mut bounds, mut below) = (*bounds, below);
        loop {
            let node = &mut self.nodes[number as usize];
            if node.count < WIDTH {
                node.push(&bounds, below);
                if !node.is_leaf {
                    self.nodes[below as usize].parent = number;
                }
                return;
            }
            let (is_leaf, parent) = (node.is_leaf, node.parent);
            let mut boxes: Vec<(Aabb, u32)> = (0..WIDTH).map(|lane| (node.lane(lane), node.below[lane])).collect();
            boxes.push((bounds, below));
            let at = split(&mut boxes);
            let mut halves = [Node::new(is_leaf), Node::new(is_leaf)];
            for (k, (bounds, below)) in boxes.iter().enumerate() {
                halves[usize::from(k >= at)].push(bounds, *below);
            }
            let [mut first, second] = halves;
            first.parent = parent;
            let (of_first, of_second) = (first.bounds(), second.bounds());
            self.nodes[number as usize] = first;
            let other = self.new_node(second);
            self.adopt(number);
            self.adopt(other);
            if parent == NONE {
                let mut root = Node::new(false);
                root.push(&of_first, number);
                root.push(&of_second, other);
                self.root = self.new_node(root);
                self.adopt(self.root);
                return;
            }
            let above = &mut self.nodes[parent as usize];
            let lane = (0..above.count).find(|&lane| above.below[lane] == number).unwrap_or(0);
            above.set(lane, &of_first);
            (number, bounds, below) = (parent, of_second, other);
        }
    }

    fn take_out(&mut self, item: u32) -> bool {
        let Some(&leaf) = self.leaf_of.get(item as usize).filter(|&&leaf| leaf != NONE) else { return false };
        self.leaf_of[item as usize] = NONE;
        self.count -= 1;
        let (mut number, mut below) = (leaf, item);
        loop {
            let node = &mut self.nodes[number as usize];
            if let Some(lane) = (0..node.count).find(|&lane| node.below[lane] == below) {
                node.take(lane);
            }
            if node.count > 0 || node.parent == NONE {
                break;
            }
            self.free.push(number);
            (below, number) = (number, node.parent);
        }
        // An empty root that had child nodes becomes a leaf.
        if self.nodes[self.root as usize].count == 0 {
            self.nodes[self.root as usize] = Node::new(true);
        }
        self.tighten(number);
        true
    }

    /// Refits the boxes from a node up to the root.
    fn tighten(&mut self, mut number: u32) {
        loop {
            let node = &self.nodes[number as usize];
            let (bounds, parent) = (node.bounds(), node.parent);
            if parent == NONE {
                return;
            }
            let above = &mut self.nodes[parent as usize];
            let Some(lane) = (0..above.count).find(|&lane| above.below[lane] == number) else { return };
            if above.lane(lane) == bounds {
                return;
            }
            above.set(lane, &bounds);
            number = parent;
        }
    }

    /// Rebuilds the whole tree.
    fn pack(&mut self, items: Vec<(u32, Aabb)>) {
        let most = items.iter().map(|(item, _)| *item as usize + 1).max().unwrap_or(0).max(self.leaf_of.len());
        *self = DynamicTree { leaf_of: vec![NONE; most], count: items.len(), ..DynamicTree::default() };
        if items.is_empty() {
            return;
        }
        self.nodes.clear();
        let mut level: Vec<(Aabb, u32)> = items.into_iter().map(|(item, bounds)| (bounds, item)).collect();
        let mut is_leaf = true;
        loop {
            tile(&mut level, 0);
            let mut above = Vec::with_capacity(level.len().div_ceil(WIDTH));
            for group in level.chunks(WIDTH) {
                let mut node = Node::new(is_leaf);
                group.iter().for_each(|(bounds, below)| node.push(bounds, *below));
                let bounds = node.bounds();
                let number = self.new_node(node);
                self.adopt(number);
                above.push((bounds, number));
            }
            (level, is_leaf) = (above, false);
            if level.len() == 1 {
                self.root = level[0].1;
                return;
            }
        }
    }
}

/// Sorts boxes so that eight consecutive ones are near each other: slabs along x, in them along y, in them along z.
fn tile(boxes: &mut [(Aabb, u32)], axis: usize) {
    let middle = |bounds: &Aabb| bounds.min[axis] + bounds.max[axis];
    boxes.sort_unstable_by(|a, b| middle(&a.0).total_cmp(&middle(&b.0)).then(a.1.cmp(&b.1)));
    if axis == 2 || boxes.len() <= WIDTH {
        return;
    }
    let nodes = boxes.len().div_ceil(WIDTH);
    // As many slabs as nodes along this axis, with the remaining nodes shared equally by the other axes.
    let slabs = (nodes as f64).powf(1.0 / (3 - axis) as f64).ceil() as usize;
    let width = nodes.div_ceil(slabs.max(1)) * WIDTH;
    boxes.chunks_mut(width).for_each(|slab| tile(slab, axis + 1));
}

/// Sorts nine boxes and returns where to split them: along the axis with the least sum of perimeters, where the two
/// halves have the least total surface area. Neither half has fewer than three.
fn split(boxes: &mut [(Aabb, u32)]) -> usize {
    const LEAST: usize = 3;
    let halves = |boxes: &[(Aabb, u32)], at: usize| {
        let of = |part: &[(Aabb, u32)]| part.iter().fold(Aabb::EMPTY, |all, (bounds, _)| joined(&all, bounds));
        (of(&boxes[..at]), of(&boxes[at..]))
    };
    let mut best = (f64::INFINITY, 0);
    for axis in 0..3 {
        sort(boxes, axis);
        let sum: f64 = (LEAST..=boxes.len() - LEAST)
            .map(|at| {
                let (first, second) = halves(boxes, at);
                perimeter(&first) + perimeter(&second)
            })
            .sum();
        if sum < best.0 {
            best = (sum, axis);
        }
    }
    sort(boxes, best.1);
    let cost = |at: usize| {
        let (first, second) = halves(boxes, at);
        half_area(&first) + half_area(&second)
    };
    (LEAST..=boxes.len() - LEAST).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(boxes.len() / 2)
}

fn sort(boxes: &mut [(Aabb, u32)], axis: usize) {
    boxes.sort_unstable_by(|(a, i), (b, j)| {
        a.min[axis].total_cmp(&b.min[axis]).then(a.max[axis].total_cmp(&b.max[axis])).then(i.cmp(j))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_oracle::random::Random;
    use glam::DVec3;

    fn random_box(random: &mut Random) -> Aabb {
        let (middle, half) = (DVec3::from_array(random.in_cube(10.0)), DVec3::from_array(random.in_cube(0.5)).abs());
        Aabb::new(middle - half, middle + half)
    }

    /// Checks the invariants: all leaves at one depth, boxes contain those below them, nothing lost.
    fn check(tree: &DynamicTree, boxes: &[Option<Aabb>]) {
        let mut leaves = Vec::new();
        let mut stack = vec![(tree.root, 0)];
        while let Some((number, depth)) = stack.pop() {
            let node = &tree.nodes[number as usize];
            for lane in 0..node.count {
                let below = node.below[lane];
                if node.is_leaf {
                    assert_eq!(Some(node.lane(lane)), boxes[below as usize]);
                    assert_eq!(tree.leaf_of[below as usize], number);
                    leaves.push((depth, below));
                } else {
                    assert_eq!(node.lane(lane), tree.nodes[below as usize].bounds());
                    assert_eq!(tree.nodes[below as usize].parent, number);
                    stack.push((below, depth + 1));
                }
            }
        }
        assert!(leaves.iter().all(|(depth, _)| *depth == leaves[0].0));
        let mut found: Vec<u32> = leaves.iter().map(|(_, item)| *item).collect();
        found.sort_unstable();
        let expected: Vec<u32> = (0..boxes.len() as u32).filter(|&item| boxes[item as usize].is_some()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn boxes_are_inserted_removed_and_moved() {
        let mut random = Random::new(5);
        let mut tree = DynamicTree::default();
        let mut boxes: Vec<Option<Aabb>> = vec![None; 600];
        for round in 0..6000 {
            let item = random.index(boxes.len());
            // Mostly insertions first, then mostly removals.
            let keeps = random.index(10) < if round < 3000 { 8 } else { 3 };
            match (boxes[item].is_some(), keeps) {
                (false, true) => {
                    boxes[item] = Some(random_box(&mut random));
                    tree.insert(&[(item as u32, boxes[item].unwrap())]);
                }
                (true, true) => {
                    boxes[item] = Some(random_box(&mut random));
                    tree.update(item as u32, &boxes[item].unwrap());
                }
                (true, false) => {
                    boxes[item] = None;
                    tree.remove(item as u32);
                }
                (false, false) => tree.remove(item as u32),
            }
            if round % 97 == 0 {
                check(&tree, &boxes);
                let asked = random_box(&mut random);
                let mut found = Vec::new();
                tree.each_overlapping(&asked, |item| found.push(item));
                found.sort_unstable();
                let meets = |item: &u32| boxes[*item as usize].is_some_and(|bounds| bounds.overlaps(&asked));
                assert_eq!(found, (0..boxes.len() as u32).filter(meets).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn many_equal_boxes_at_once() {
        let unit = Aabb::new(DVec3::ZERO, DVec3::ONE);
        for boxes in [1, 8, 9, 64, 65, 1000] {
            let mut tree = DynamicTree::default();
            tree.insert(&(0..boxes).map(|item| (item, unit)).collect::<Vec<_>>());
            check(&tree, &vec![Some(unit); boxes as usize]);
            let mut count = 0;
            tree.each_passing(|bounds| bounds.contains(DVec3::ONE), |_| count += 1);
            assert_eq!(count, boxes);
            for item in 0..boxes {
                tree.remove(item);
            }
            check(&tree, &vec![None; boxes as usize]);
            tree.insert(&[(3, unit)]);
            check(&tree, &[None, None, None, Some(unit)]);
        }
    }
}
