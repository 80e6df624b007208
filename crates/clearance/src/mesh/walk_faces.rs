//! Finds the triangles of a mesh near several points, in double precision, one box at a time.
//!
//! The fast query for one point is in [`closest`](super::closest). This one takes several points at once: the triangle
//! whose distance from the farthest of them is least, and all triangles in a box.

use std::ops::ControlFlow;

use glam::DVec3;

use crate::geom::piece::farthest_of;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::shape::Surface;
use crate::tree::wide::{Below, Node, WIDTH, WideTree};

/// The most points of one query: the corners of a box.
pub(crate) const MOST_POINTS: usize = 8;

/// Waiting nodes; the memory is kept between traversals.
pub(crate) type Waiting = Vec<(f64, u32)>;

/// Visits triangles, by slot, some point of which may be within a limit of all the points given, nearest first. Points
/// are relative to the local origin of the surface; the visitor returns the new limit. Boxes are skipped only if they
/// exceed the limit by more than rounding.
pub(crate) fn walk_near(
    surface: &Surface,
    points: &[DVec3],
    mut limit: f64,
    waiting: &mut Waiting,
    mut visit: impl FnMut(u32) -> f64,
) {
    let tree = &surface.tree;
    let mut own = [DVec3::ZERO; MOST_POINTS];
    let count = points.len().min(MOST_POINTS);
    for (own, &point) in own.iter_mut().zip(points) {
        *own = tree.frame.of(point);
    }
    let own = &own[..count];
    // Coordinates in the frame of the tree are rounded once, differences from boxes again.
    let rounded = 16.0 * UNIT_ROUNDOFF * (1.0 + own.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max));
    let squared = |limit: f64| {
        let limit = limit * tree.frame.scale + rounded;
        limit * limit * ROUND_UP
    };
    let mut most = squared(limit);
    waiting.clear();
    waiting.push((0.0, 0));
    while let Some((key, number)) = waiting.pop() {
        if key > most {
            continue;
        }
        let node = &tree.nodes[number as usize];
        let mut lanes = [(0.0, 0); WIDTH];
        let mut used = 0;
        for lane in 0..node.count() {
            let key = farthest_from_lane(node, lane, own);
            if key <= most {
                lanes[used] = (key, lane);
                used += 1;
            }
        }
        let lanes = &mut lanes[..used];
        lanes.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        let first = waiting.len();
        for &(key, lane) in lanes.iter() {
            match node.below(lane) {
                Below::Node(below) => waiting.push((key, below)),
                Below::Leaf(leaf) => {
                    for slot in leaf.first..leaf.first + leaf.count {
                        if farthest_from_box(&surface.corners(slot).map(|p| tree.frame.of(p)), own) <= most {
                            limit = visit(slot);
                            most = squared(limit);
                        }
                    }
                }
            }
        }
        // The nearest is popped first.
        waiting[first..].reverse();
    }
}

/// The greatest squared distance of points from the box of a lane.
fn farthest_from_lane(node: &Node, lane: usize, points: &[DVec3]) -> f64 {
    let low = DVec3::new(f64::from(node.min[0][lane]), f64::from(node.min[1][lane]), f64::from(node.min[2][lane]));
    let high = DVec3::new(f64::from(node.max[0][lane]), f64::from(node.max[1][lane]), f64::from(node.max[2][lane]));
    farthest(low, high, points)
}

fn farthest_from_box([p, q, r]: &[DVec3; 3], points: &[DVec3]) -> f64 {
    farthest(p.min(*q).min(*r), p.max(*q).max(*r), points)
}

fn farthest(low: DVec3, high: DVec3, points: &[DVec3]) -> f64 {
    let from = |p: &DVec3| (low - *p).max(*p - high).max(DVec3::ZERO).length_squared();
    points.iter().map(from).fold(0.0, f64::max)
}

/// Visits triangles, by slot, whose boxes meet a box given relative to the local origin of the surface, until the
/// visitor breaks.
pub(crate) fn walk_box(
    surface: &Surface,
    [low, high]: [DVec3; 2],
    mut visit: impl FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let tree: &WideTree = &surface.tree;
    let (low, high) = (tree.frame.of(low), tree.frame.of(high));
    // Coordinates are rounded once.
    let rounded = 4.0 * UNIT_ROUNDOFF * (1.0 + low.abs().max(high.abs()).max_element());
    let (low, high) = (low - rounded, high + rounded);
    let mut open = vec![0u32];
    while let Some(number) = open.pop() {
        let node = &tree.nodes[number as usize];
        for lane in 0..node.count() {
            let is_apart =
                (0..3).any(|k| f64::from(node.min[k][lane]) > high[k] || f64::from(node.max[k][lane]) < low[k]);
            if is_apart {
                continue;
            }
            match node.below(lane) {
                Below::Node(below) => open.push(below),
                Below::Leaf(leaf) => (leaf.first..leaf.first + leaf.count).try_for_each(&mut visit)?,
            }
        }
    }
    ControlFlow::Continue(())
}

/// The triangle, by slot, whose distance from the farthest of some points is least, if that is below a limit.
pub(crate) fn least_farthest(
    surface: &Surface,
    points: &[DVec3],
    limit: f64,
    waiting: &mut Waiting,
) -> Option<(f64, u32)> {
    let mut best = None;
    let mut least = limit;
    walk_near(surface, points, limit, waiting, |slot| {
        let found = farthest_of(points, surface.corners(slot));
        if found < least {
            (least, best) = (found, Some((found, slot)));
        }
        least
    });
    best
}
