//! A plain binary tree of boxes, for meshes: median split along the longest axis, one item per leaf, double precision.
//! It shares no code with the trees of the searches.

use glam::DVec3;

use crate::math::cancel::Turns;
use crate::math::tolerances::UNIT_ROUNDOFF;

/// Opposite corners of a box.
pub(crate) type Corners = [DVec3; 2];

/// A tree of the boxes of items numbered from 0. Never empty.
pub(crate) struct Boxes {
    nodes: Vec<Node>,
}

struct Node {
    bounds: Corners,
    below: Below,
}

#[derive(Clone, Copy)]
enum Below {
    Item(u32),
    /// Two nodes, this one and the next.
    Nodes(usize),
}

fn joined(a: Corners, b: Corners) -> Corners {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// A lower bound on the distance of two boxes; also zero where unbounded boxes give NaN.
fn gap(a: &Corners, b: &Corners) -> f64 {
    let gap = (b[0] - a[1]).max(a[0] - b[1]).max(DVec3::ZERO).length();
    // One rounded difference per axis and the length: less than 16u of the largest coordinate.
    let sizes = [a[0], a[1], b[0], b[1]].map(|v| v.abs().max_element());
    let doubt = 16.0 * UNIT_ROUNDOFF * sizes.into_iter().fold(0.0, f64::max);
    if gap.is_finite() && gap > doubt { gap - doubt } else { 0.0 }
}

impl Boxes {
    /// Builds the tree of at least one box.
    pub fn new(boxes: &[Corners]) -> Boxes {
        let empty = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = vec![Node { bounds: empty, below: Below::Item(0) }];
        let mut open = vec![(0, 0..boxes.len())];
        let mut turns = Turns::default();
        while let Some((node, range)) = open.pop() {
            turns.turn();
            let own = &mut items[range.clone()];
            nodes[node].bounds = own.iter().map(|&i| boxes[i as usize]).fold(empty, joined);
            if let [item] = *own {
                nodes[node].below = Below::Item(item);
                continue;
            }
            let middle = |i: u32| boxes[i as usize][0] + boxes[i as usize][1];
            let (low, high) = own.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &i| {
                (low.min(middle(i)), high.max(middle(i)))
            });
            let axis = (high - low).max_position();
            let half = own.len() / 2;
            own.select_nth_unstable_by(half, |&i, &j| middle(i)[axis].total_cmp(&middle(j)[axis]).then(i.cmp(&j)));
            let first = nodes.len();
            nodes[node].below = Below::Nodes(first);
            for part in [range.start..range.start + half, range.start + half..range.end] {
                open.push((nodes.len(), part));
                nodes.push(Node { bounds: empty, below: Below::Item(0) });
            }
        }
        Boxes { nodes }
    }

    /// The bounding box of all items.
    pub fn bounds(&self) -> Corners {
        self.nodes[0].bounds
    }

    /// Visits all pairs of items whose boxes may be within a limit of each other, until a visit fails.
    pub fn pairs<E>(&self, other: &Boxes, limit: f64, visit: impl FnMut(u32, u32) -> Result<(), E>) -> Result<(), E> {
        self.pairs_placed(other, |bounds| *bounds, limit, visit)
    }

    /// The same for two frames: `place` maps a box of the other tree to one in this frame that contains it.
    pub fn pairs_placed<E>(
        &self,
        other: &Boxes,
        place: impl Fn(&Corners) -> Corners,
        limit: f64,
        mut visit: impl FnMut(u32, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut open = vec![(0, 0)];
        let mut turns = Turns::default();
        while let Some((i, j)) = open.pop() {
            turns.turn();
            let (a, b) = (&self.nodes[i], &other.nodes[j]);
            if gap(&a.bounds, &place(&b.bounds)) > limit {
                continue;
            }
            let size = |node: &Node| (node.bounds[1] - node.bounds[0]).max_element();
            match (a.below, b.below) {
                (Below::Item(p), Below::Item(q)) => visit(p, q)?,
                (Below::Nodes(below), Below::Item(_)) => open.extend([(below, j), (below + 1, j)]),
                (Below::Nodes(below), Below::Nodes(_)) if size(a) >= size(b) => {
                    open.extend([(below, j), (below + 1, j)]);
                }
                (_, Below::Nodes(below)) => open.extend([(i, below), (i, below + 1)]),
            }
        }
        Ok(())
    }

    /// Visits all items whose boxes lie above or below a point, or contain it.
    pub fn over(&self, point: DVec3, mut visit: impl FnMut(u32)) {
        let mut open = vec![0];
        while let Some(i) = open.pop() {
            let Node { bounds: [low, high], below } = &self.nodes[i];
            if !(low.x <= point.x && point.x <= high.x && low.y <= point.y && point.y <= high.y) {
                continue;
            }
            match *below {
                Below::Item(item) => visit(item),
                Below::Nodes(below) => open.extend([below, below + 1]),
            }
        }
    }

    /// The item nearest to a point, and its distance as measured by `distance`.
    pub fn nearest(&self, point: DVec3, mut distance: impl FnMut(u32) -> f64) -> (f64, u32) {
        let mut best = (f64::INFINITY, 0);
        let mut open = vec![0];
        while let Some(i) = open.pop() {
            let node = &self.nodes[i];
            if gap(&node.bounds, &[point; 2]) > best.0 {
                continue;
            }
            match node.below {
                Below::Item(item) => {
                    let found = distance(item);
                    if found < best.0 {
                        best = (found, item);
                    }
                }
                Below::Nodes(below) => {
                    // The nearer child is visited first.
                    let [first, second] = [below, below + 1].map(|k| gap(&self.nodes[k].bounds, &[point; 2]));
                    let order = if first <= second { [below + 1, below] } else { [below, below + 1] };
                    open.extend(order);
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_nearest_are_those_of_all_items() {
        // Random boxes from a simple generator.
        let mut state = 7u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        let mut jumble = |count: usize| -> Vec<Corners> {
            (0..count)
                .map(|_| {
                    let low = DVec3::new(number(), number(), number()) * 10.0;
                    [low, low + DVec3::new(number(), number(), number())]
                })
                .collect()
        };
        let (a, b) = (jumble(70), jumble(41));
        let (tree_a, tree_b) = (Boxes::new(&a), Boxes::new(&b));
        for limit in [0.0, 0.7, 3.0] {
            let mut found = Vec::new();
            let visited: Result<(), ()> = tree_a.pairs(&tree_b, limit, |i, j| {
                found.push((i, j));
                Ok(())
            });
            assert_eq!(visited, Ok(()));
            found.sort_unstable();
            let mut expected = Vec::new();
            for (i, p) in a.iter().enumerate() {
                for (j, q) in b.iter().enumerate() {
                    if gap(p, q) <= limit {
                        expected.push((i as u32, j as u32));
                    }
                }
            }
            assert!(!expected.is_empty() && expected.len() < a.len() * b.len());
            assert_eq!(found, expected);
        }
        for p in &b {
            let mut found = Vec::new();
            tree_a.over(p[0], |item| found.push(item));
            found.sort_unstable();
            let within = |low: f64, x: f64, high: f64| low <= x && x <= high;
            let over = |[low, high]: &Corners| within(low.x, p[0].x, high.x) && within(low.y, p[0].y, high.y);
            let expected: Vec<u32> = (0..a.len() as u32).filter(|&i| over(&a[i as usize])).collect();
            assert_eq!(found, expected);
            let distance = |i: u32| gap(&a[i as usize], &[p[0]; 2]);
            let (found, item) = tree_a.nearest(p[0], distance);
            assert_eq!(found, (0..a.len() as u32).map(distance).fold(f64::INFINITY, f64::min));
            assert_eq!(found, distance(item));
        }
    }
}
