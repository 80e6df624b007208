//! A tree over the objects of a world, so that a body is not tested against each of them.
//!
//! Boxes around the bounding spheres of objects, split at the median along the longest side. Objects do not move, so
//! the tree is built once. It finds candidates; the spheres themselves decide. Unbounded objects are always found.

use clearance::glam::DVec3;

use crate::robot::Ball;

/// The most objects of a leaf.
const LEAF: usize = 4;

/// Boxes are larger than the spheres by this fraction of their sizes and distances: far above the rounding of centres,
/// here and in the sphere test that follows.
const OUTWARD: f64 = 1e-6;

#[derive(Debug)]
pub(crate) struct ObjectTree {
    /// The root first; empty if no object is bounded.
    nodes: Vec<Node>,
    items: Vec<u32>,
    /// Unbounded objects.
    everywhere: Vec<u32>,
}

#[derive(Debug)]
struct Node {
    low: DVec3,
    high: DVec3,
    /// Its objects, a range of `items`.
    begin: u32,
    end: u32,
    /// Its second child, 0 for a leaf; the first is the next node.
    second: u32,
}

impl ObjectTree {
    pub fn new(balls: &[Ball]) -> ObjectTree {
        let (mut items, mut everywhere) = (Vec::new(), Vec::new());
        for (number, ball) in balls.iter().enumerate() {
            let is_bounded = ball.centre.is_finite() && ball.radius.is_finite();
            if is_bounded { &mut items } else { &mut everywhere }.push(number as u32);
        }
        let mut tree = ObjectTree { nodes: Vec::new(), items, everywhere };
        if !tree.items.is_empty() {
            tree.grow(balls, 0, tree.items.len());
        }
        tree
    }

    /// Adds the node of some items and its subtree.
    fn grow(&mut self, balls: &[Ball], begin: usize, end: usize) {
        let number = self.nodes.len();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &item in &self.items[begin..end] {
            let Ball { centre, radius } = balls[item as usize];
            let reach = DVec3::splat(radius + OUTWARD * (radius + centre.abs().max_element()));
            low = low.min(centre - reach);
            high = high.max(centre + reach);
        }
        self.nodes.push(Node { low, high, begin: begin as u32, end: end as u32, second: 0 });
        if end - begin <= LEAF {
            return;
        }
        let size = high - low;
        let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
        let along = |item: u32| balls[item as usize].centre[axis];
        self.items[begin..end].sort_unstable_by(|&x, &y| along(x).total_cmp(&along(y)).then(x.cmp(&y)));
        let middle = begin + (end - begin) / 2;
        self.grow(balls, begin, middle);
        self.nodes[number].second = self.nodes.len() as u32;
        self.grow(balls, middle, end);
    }

    /// Reports every object whose bounding sphere may meet a sphere.
    pub fn each_near(&self, centre: DVec3, radius: f64, mut tell: impl FnMut(u32)) {
        self.everywhere.iter().for_each(|&item| tell(item));
        let reach = radius + OUTWARD * (radius + centre.abs().max_element());
        let mut at = 0;
        // Second children of the nodes above: a balanced tree has no more levels than an index has bits.
        let (mut waiting, mut depth) = ([0; u32::BITS as usize + 1], 0);
        while let Some(node) = self.nodes.get(at) {
            let off = (node.low - centre).max(centre - node.high).max(DVec3::ZERO);
            // Written so that a NaN is found.
            let is_far = off.length_squared() > reach * reach;
            if !is_far && node.second != 0 {
                waiting[depth] = node.second as usize;
                (at, depth) = (at + 1, depth + 1);
                continue;
            }
            if !is_far {
                self.items[node.begin as usize..node.end as usize].iter().for_each(|&item| tell(item));
            }
            if depth == 0 {
                break;
            }
            depth -= 1;
            at = waiting[depth];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn all_that_is_near_is_found() {
        let mut random = Random::new(7);
        let mut number = |width: f64| width * (2.0 * random.unit() - 1.0);
        let mut balls: Vec<Ball> = (0..3000)
            .map(|_| Ball {
                centre: DVec3::new(number(10.0), number(10.0), number(1.0)),
                radius: number(0.3).abs().powi(2),
            })
            .collect();
        balls[17].radius = f64::INFINITY;
        let tree = ObjectTree::new(&balls);
        let mut found_in_all = 0;
        for _ in 0..300 {
            let (centre, radius) = (DVec3::new(number(12.0), number(12.0), number(2.0)), number(1.0).abs());
            let mut found = Vec::new();
            tree.each_near(centre, radius, |item| found.push(item));
            found.sort_unstable();
            assert!(found.windows(2).all(|two| two[0] != two[1]));
            found_in_all += found.len();
            for (item, ball) in balls.iter().enumerate() {
                let near = ball.centre.distance(centre) <= radius + ball.radius;
                assert!(!near || found.binary_search(&(item as u32)).is_ok(), "{ball:?} {centre} {radius}");
            }
        }
        assert!(found_in_all < 300 * 200, "{found_in_all}");
        ObjectTree::new(&[]).each_near(DVec3::ZERO, 1.0, |_| unreachable!());
    }
}
