//! Points near a segment, by a balanced tree.

use glam::DVec3;

use crate::geom::closest::closest_on_segment;
use crate::math::tolerances::REPAIR_CANDIDATES;

/// The most points in a leaf.
const LEAF: usize = 8;

/// Points in a balanced tree: each range of the order is a node, split at its middle.
pub(super) struct PointTree {
    /// The points' indices with their places.
    order: Vec<(u32, DVec3)>,
    /// The boxes of the nodes in preorder: a node, its lower half, its upper half.
    boxes: Vec<[DVec3; 2]>,
}

impl PointTree {
    pub fn new(points: &[u32], place: impl Fn(u32) -> DVec3) -> PointTree {
        let mut order: Vec<(u32, DVec3)> = points.iter().map(|&p| (p, place(p))).collect();
        let mut boxes = Vec::with_capacity(2 * order.len() / LEAF + 1);
        make(&mut order, &mut boxes);
        PointTree { order, boxes }
    }

    /// Gathers the points within a distance of a segment, with that distance: the nearest first, then the lower number.
    /// If there are very many, as where the tolerance is larger than most triangles, only some of them.
    pub fn near(&self, ends: [DVec3; 2], distance: f64, found: &mut Vec<(f64, u32)>) {
        found.clear();
        let mut search = PointSearch { tree: self, ends, distance, found, left: REPAIR_CANDIDATES };
        search.walk(0..self.order.len(), 0);
        found.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    }
}

/// How many nodes a range has.
fn nodes(count: usize) -> usize {
    if count <= LEAF { 1 } else { 1 + nodes(count / 2) + nodes(count - count / 2) }
}

fn make(order: &mut [(u32, DVec3)], boxes: &mut Vec<[DVec3; 2]>) {
    let empty = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    let [low, high] = order.iter().fold(empty, |[low, high], (_, p)| [low.min(*p), high.max(*p)]);
    boxes.push([low, high]);
    if order.len() <= LEAF {
        return;
    }
    let axis = (high - low).max_position();
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |p, q| p.1[axis].total_cmp(&q.1[axis]).then(p.0.cmp(&q.0)));
    let (lower, upper) = order.split_at_mut(half);
    make(lower, boxes);
    make(upper, boxes);
}

struct PointSearch<'t> {
    tree: &'t PointTree,
    ends: [DVec3; 2],
    distance: f64,
    found: &'t mut Vec<(f64, u32)>,
    left: usize,
}

impl PointSearch<'_> {
    fn walk(&mut self, range: std::ops::Range<usize>, node: usize) {
        let [low, high] = self.tree.boxes[node];
        let [from, to] = self.ends;
        // The bounding sphere of the box, with slack for rounding: anything pruned is farther.
        let (middle, radius) = ((low + high) * 0.5, (high - low).length() * 0.5);
        let away = closest_on_segment(middle, from, to).distance;
        if range.is_empty() || away * (1.0 - 1e-9) > (radius + self.distance) * (1.0 + 1e-9) || self.left == 0 {
            return;
        }
        if range.len() <= LEAF {
            for &(number, place) in &self.tree.order[range] {
                let away = closest_on_segment(place, from, to).distance;
                if away <= self.distance && self.left > 0 {
                    self.found.push((away, number));
                    self.left -= 1;
                }
            }
            return;
        }
        let half = range.len() / 2;
        let (lower, upper) = (range.start..range.start + half, range.start + half..range.end);
        let first = node + 1;
        self.walk(lower, first);
        self.walk(upper, first + nodes(half));
    }
}
