//! Point-in-solid test for closed meshes. Exact.
//!
//! The winding number: triangles crossed by a ray along +x from the point are counted with the direction of the
//! crossing. A ray through an edge or a corner is assigned to a triangle by moving the point symbolically by an
//! infinitesimal step along y and a still smaller one along z (simulation of simplicity, Edelsbrunner and Mücke 1990),
//! so every decision is the sign of a determinant of the given coordinates.

use glam::DVec3;

use crate::math::predicates::{Axis, Sign, orient2d, orient3d};
use crate::shape::Surface;
use crate::tree::wide::{Below, WIDTH, WideTree};

/// The winding number of a closed surface about a point that lies on none of its triangles: 1 inside, 0 outside. The
/// point is relative to the surface's origin.
pub(crate) fn winding(surface: &Surface, point: DVec3) -> i64 {
    let tree = &surface.tree;
    let p = tree.frame.of(point);
    // Boxes were rounded outward from the same rounded coordinates.
    let mut winding = 0;
    let mut stack = vec![0u32];
    while let Some(number) = stack.pop() {
        let node = &tree.nodes[number as usize];
        for lane in 0..WIDTH {
            if !meets_ray(tree, number, lane, p) {
                continue;
            }
            match node.below(lane) {
                Below::Node(below) => stack.push(below),
                Below::Leaf(leaf) => {
                    for slot in leaf.first..leaf.first + leaf.count {
                        winding += crossing(&surface.corners(slot), point);
                    }
                }
            }
        }
    }
    winding
}

/// The same for an iterator of triangles.
pub(crate) fn winding_of(triangles: impl Iterator<Item = [DVec3; 3]>, point: DVec3) -> i64 {
    triangles.map(|triangle| crossing(&triangle, point)).sum()
}

/// Whether a ray along +x meets the box of a lane; false for an unused lane.
fn meets_ray(tree: &WideTree, number: u32, lane: usize, p: DVec3) -> bool {
    let node = &tree.nodes[number as usize];
    let within = |k: usize| f64::from(node.min[k][lane]) <= p[k] && p[k] <= f64::from(node.max[k][lane]);
    within(1) && within(2) && p.x <= f64::from(node.max[0][lane])
}

/// 1 if the ray along +x leaves through the triangle's front, -1 if it enters, 0 if it does not cross it.
fn crossing(triangle: &[DVec3; 3], p: DVec3) -> i64 {
    let [a, b, c] = *triangle;
    let turn = side(a, b, p);
    if turn.is_zero() || side(b, c, p) != turn || side(c, a, p) != turn {
        return 0;
    }
    // The ray meets the plane exactly if the point is behind it as seen along x.
    let before = orient3d(a, b, c, p) == -turn;
    match (before, turn) {
        (true, Sign::Positive) => 1,
        (true, Sign::Negative) => -1,
        _ => 0,
    }
}

/// The side of the edge, projected along x, of the symbolically moved point; zero for an edge along x.
fn side(a: DVec3, b: DVec3, p: DVec3) -> Sign {
    let side = orient2d(Axis::X, a, b, p);
    if !side.is_zero() {
        side
    } else if a.z != b.z {
        Sign::from(a.z - b.z)
    } else {
        Sign::from(b.y - a.y)
    }
}
