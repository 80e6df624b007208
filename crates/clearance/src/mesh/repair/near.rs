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
    /// The nodes in depth-first order: a node, its lower half, its upper half.
    nodes: Vec<PointNode>,
}

struct PointNode {
    low: DVec3,
    high: DVec3,
    /// The node of the upper half; 0 for a leaf.
    upper: usize,
}

impl PointTree {
    pub fn new(points: &[u32], place: impl Fn(u32) -> DVec3) -> PointTree {
        let mut order: Vec<(u32, DVec3)> = points.iter().map(|&p| (p, place(p))).collect();
        let mut nodes = Vec::with_capacity(2 * order.len() / LEAF + 1);
        make(&mut order, &mut nodes);
        PointTree { order, nodes }
    }

    /// Gathers the points within a distance of a segment, with that distance: the nearest first, then the lower number.
    /// If there are very many, as where the tolerance is larger than most triangles, only some of them.
    pub fn near(&self, ends: [DVec3; 2], distance: f64, found: &mut Vec<(f64, u32)>) {
        found.clear();
        // What a box leaves out is farther by more than rounding.
        let reach = DVec3::splat(distance * (1.0 + 1e-9));
        let bounds = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let mut search = PointSearch { tree: self, ends, bounds, reach, distance, found, left: REPAIR_CANDIDATES };
        search.walk(0..self.order.len(), 0);
        found.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    }
}

fn make(order: &mut [(u32, DVec3)], nodes: &mut Vec<PointNode>) {
    let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = order.iter().fold(empty, |(low, high), (_, p)| (low.min(*p), high.max(*p)));
    let own = nodes.len();
    nodes.push(PointNode { low, high, upper: 0 });
    if order.len() <= LEAF {
        return;
    }
    let axis = (high - low).max_position();
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |p, q| p.1[axis].total_cmp(&q.1[axis]).then(p.0.cmp(&q.0)));
    let (lower, upper) = order.split_at_mut(half);
    make(lower, nodes);
    nodes[own].upper = nodes.len();
    make(upper, nodes);
}

struct PointSearch<'t> {
    tree: &'t PointTree,
    ends: [DVec3; 2],
    /// The box of the segment, and how far it reaches.
    bounds: [DVec3; 2],
    reach: DVec3,
    distance: f64,
    found: &'t mut Vec<(f64, u32)>,
    left: usize,
}

impl PointSearch<'_> {
    fn walk(&mut self, range: std::ops::Range<usize>, node: usize) {
        let &PointNode { low, high, upper } = &self.tree.nodes[node];
        let [least, most] = self.bounds;
        if range.is_empty() || self.left == 0 || (low - most).max(least - high).cmpgt(self.reach).any() {
            return;
        }
        let [from, to] = self.ends;
        // The bounding sphere of the box, with slack for rounding: anything pruned is farther.
        let (middle, radius) = ((low + high) * 0.5, (high - low).length() * 0.5);
        let away = closest_on_segment(middle, from, to).distance;
        if away * (1.0 - 1e-9) > (radius + self.distance) * (1.0 + 1e-9) {
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
        let half = range.start + range.len() / 2;
        self.walk(range.start..half, node + 1);
        self.walk(half..range.end, upper);
    }
}
