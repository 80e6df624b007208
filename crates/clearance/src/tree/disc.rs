//! Bounding discs of the subtrees of a wide tree: distance bounds tighter than those of boxes.
//!
//! A piece of a surface is thin along its normal, but its box is not unless the normal is an axis. So every lane also
//! has a *disc*: a centre `c`, a unit normal `m`, and the extents of its points from `c` along the normal, `along`, and
//! perpendicular to it, `across`. With `l` the distance of a point `q` from `c`, and `cos` and `sin` those of the angle
//! between `q - c` and `m`, the distance from `q` is at least that along `q - c`:
//!
//! `l - across sin - along cos`
//!
//! which for pieces far smaller than `l` is about their true distance. The idea is that of `mesh/oriented_bounds.rs`,
//! for all directions at once. Lanes of more than [`DISC_TRIANGLES`] triangles are not thin, and have no disc.
//!
//! 192 bytes per node, some 10 per triangle; built by the first nearest-point query.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Simd, f32x8, prelude::*};
use glam::DVec3;

use super::wide::{Below, Node, WIDTH, WideTree};

/// The most triangles that one disc bounds.
const DISC_TRIANGLES: usize = 512;

/// The unit roundoff of single precision.
const U: f32 = 0.5 * f32::EPSILON;

/// Relative surcharge on `along` and `across`, for rounding them and for the operations on them when a bound is formed.
const WIDENED: f64 = 1.0 + 64.0 * U as f64;

/// The discs of the lanes of a node, in the frame of the tree.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Discs {
    normal: [[f32; WIDTH]; 3],
    /// Offset of the disc's centre from the box's centre, along the normal.
    shift: [f32; WIDTH],
    across: [f32; WIDTH],
    along: [f32; WIDTH],
}

/// A disc that bounds nothing.
const NOTHING: Discs = Discs {
    normal: [[1.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]],
    shift: [0.0; WIDTH],
    across: [1e9; WIDTH],
    along: [1e9; WIDTH],
};

/// Some triangles, in the frame of the tree.
#[derive(Clone, Default)]
struct TriangleCluster {
    triangles: usize,
    /// The sum of their cross products.
    area: DVec3,
    /// Their corners.
    points: Vec<DVec3>,
}

impl Discs {
    /// The discs of all nodes of a tree over triangles in leaf order.
    pub fn of(tree: &WideTree, points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<Discs> {
        let mut all = vec![NOTHING; tree.nodes.len()];
        // The triangles below each node, until the disc of its lane is built.
        let mut below = vec![TriangleCluster::default(); tree.nodes.len()];
        let (mut numbers, mut of_leaf) = (Vec::with_capacity(3 * WIDTH), TriangleCluster::default());
        // Parents come before their children.
        for number in (0..tree.nodes.len()).rev() {
            let node = &tree.nodes[number];
            let mut joined = TriangleCluster::default();
            for lane in 0..node.count() {
                let of_child;
                let own = match node.below(lane) {
                    Below::Node(child) => {
                        of_child = std::mem::take(&mut below[child as usize]);
                        &of_child
                    }
                    Below::Leaf(leaf) => {
                        (of_leaf.triangles, of_leaf.area) = (leaf.count as usize, DVec3::ZERO);
                        of_leaf.points.clear();
                        numbers.clear();
                        for triangle in &triangles[leaf.first as usize..][..leaf.count as usize] {
                            let [a, b, c] = triangle.map(|p| tree.frame.of(points[p as usize]));
                            of_leaf.area += (b - a).cross(c - a);
                            for (p, place) in triangle.iter().zip([a, b, c]) {
                                if !numbers.contains(p) {
                                    numbers.push(*p);
                                    of_leaf.points.push(place);
                                }
                            }
                        }
                        &of_leaf
                    }
                };
                if own.triangles <= DISC_TRIANGLES {
                    all[number].set(node, lane, own);
                }
                joined.triangles += own.triangles;
                joined.area += own.area;
                // Larger ones are no longer needed.
                if joined.triangles <= DISC_TRIANGLES {
                    joined.points.extend_from_slice(&own.points);
                }
            }
            below[number] = joined;
        }
        all
    }

    fn set(&mut self, node: &Node, lane: usize, piece: &TriangleCluster) {
        let stored = piece.area.try_normalize().unwrap_or(DVec3::X).to_array().map(|x| x as f32);
        // Of unit length to a few ulps.
        let stored_normal = DVec3::from_array(stored.map(f64::from));
        let normal = stored_normal.normalize();
        let bounds = node.lane(lane);
        let corner = |p: [f32; 3]| DVec3::from_array(p.map(f64::from));
        let of_box = 0.5 * (corner(bounds.min) + corner(bounds.max));
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for &p in &piece.points {
            let height = normal.dot(p - of_box);
            lowest = if height < lowest { height } else { lowest };
            highest = if height > highest { height } else { highest };
        }
        let shift = (0.5 * (lowest + highest)) as f32;
        let middle = of_box + f64::from(shift) * stored_normal;
        let (mut along, mut across) = (0.0f64, 0.0f64);
        for &p in &piece.points {
            let from_middle = p - middle;
            let height = normal.dot(from_middle);
            let aside = (from_middle - height * normal).length_squared();
            along = if height.abs() > along { height.abs() } else { along };
            across = if aside > across { aside } else { across };
        }
        // Coordinates are below 2, with a rounding error of some 1e-15 of that.
        let widened = |x: f64| ((x + 1e-14) * WIDENED) as f32;
        (0..3).for_each(|k| self.normal[k][lane] = stored[k]);
        (self.shift[lane], self.along[lane], self.across[lane]) = (shift, widened(along), widened(across.sqrt()));
    }

    /// Lower bounds on the distances from a point to the subtrees of the lanes; `off` bounds the error of the point.
    ///
    /// With `u = 2⁻²⁴`. The centre of the disc is off by `3u` in each coordinate, and the difference from the point by
    /// `u` of itself: `6u + 2u l` in all. `l` is off by `3u` of itself. The cosine is off by `4u` for its dot product,
    /// `2u` for the length of the normal, `5u` for the quotient: below `16u`; so the square of the sine by `34u`. The
    /// errors of the products with `across` and `along` are covered there. Two differences and `l` itself: `6u l`;
    /// together `8u l + 6u`, doubled.
    #[inline(always)]
    pub fn bounds<S: Simd>(&self, simd: S, node: &Node, point: [f32; 3], off: f32) -> f32x8<S> {
        let (half, one) = (f32x8::splat(simd, 0.5), f32x8::splat(simd, 1.0));
        let shift = f32x8::simd_from(simd, self.shift);
        let (mut squared, mut height) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 0.0));
        for k in 0..3 {
            let (min, max) = (f32x8::simd_from(simd, node.min[k]), f32x8::simd_from(simd, node.max[k]));
            let normal = f32x8::simd_from(simd, self.normal[k]);
            let middle = (min + max) * half + shift * normal;
            let way = f32x8::splat(simd, point[k]) - middle;
            squared += way * way;
            height += way * normal;
        }
        let length = squared.max(f32x8::splat(simd, 1e-30)).sqrt();
        let cosine = height.abs() / length;
        let sine = ((one - cosine * cosine).max(f32x8::splat(simd, 0.0)) + f32x8::splat(simd, 40.0 * U)).sqrt();
        let along = f32x8::simd_from(simd, self.along) * (cosine + f32x8::splat(simd, 16.0 * U));
        let across = f32x8::simd_from(simd, self.across) * sine;
        length * f32x8::splat(simd, 1.0 - 16.0 * U) - across - along - f32x8::splat(simd, off + 12.0 * U)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::closest::closest_on_triangle;
    use crate::math::simd::plain;
    use crate::tree::sample::Sample;

    /// A bent sheet with needles, degenerate triangles and duplicates among its triangles.
    fn sheet(about: DVec3, size: f64) -> Sample {
        let mut points = Vec::new();
        let mut triangles = Vec::new();
        for i in 0..30u32 {
            for j in 0..30u32 {
                let (x, y) = (f64::from(i) / 15.0 - 1.0, f64::from(j) / 15.0 - 1.0);
                points.push((about + size * DVec3::new(x, y, 0.3 * x * x - 0.4 * (3.0 * y).sin())).to_array());
                if i > 0 && j > 0 {
                    let corner = 30 * i + j;
                    triangles.extend([[corner, corner - 1, corner - 30], [corner - 1, corner - 31, corner - 30]]);
                    if (i + j) % 11 == 0 {
                        triangles.extend([[corner; 3], [corner, corner - 1, corner], [corner, 0, corner - 1]]);
                    }
                }
            }
        }
        Sample::new(&points, &triangles)
    }

    #[test]
    fn nothing_is_nearer_than_its_disc() {
        for (about, size) in
            [(DVec3::ZERO, 1.0), (DVec3::new(1e7, -3e6, 2e5), 1e-2), (DVec3::ONE, 1e-6), (DVec3::X, 1e3)]
        {
            let surface = sheet(about, size);
            let tree = &surface.tree;
            let all = surface.discs();
            let mut sharp = 0;
            for k in 0..200 {
                let turn = f64::from(k);
                let away = [1e-3, 0.1, 0.5, 3.0, 60.0][k as usize % 5];
                let point = away * DVec3::new(turn.sin(), turn.cos(), (1.7 * turn).sin());
                let single = point.to_array().map(|x| x as f32);
                let point = DVec3::from_array(single.map(f64::from));
                for (node, discs) in tree.nodes.iter().zip(&all) {
                    let bounds: [f32; WIDTH] = discs.bounds(plain(), node, single, 0.0).into();
                    for lane in 0..node.count() {
                        let Below::Leaf(leaf) = node.below(lane) else { continue };
                        let distance = |slot: u32| {
                            let [a, b, c] = surface.corners(slot).map(|p| tree.frame.of(p));
                            closest_on_triangle(point, a, b, c).distance
                        };
                        let truth = (leaf.first..leaf.first + leaf.count).map(distance).fold(f64::INFINITY, f64::min);
                        assert!(f64::from(bounds[lane]) <= truth, "{} {truth}", bounds[lane]);
                        sharp += usize::from(f64::from(bounds[lane]) > truth - 0.02);
                    }
                }
            }
            assert!(sharp > 5000, "{sharp}");
        }
    }

    #[test]
    fn discs_of_nodes_bound_their_subtrees() {
        let surface = sheet(DVec3::ZERO, 1.0);
        let tree = &surface.tree;
        let all = surface.discs();
        let mut made = 0;
        for (node, discs) in tree.nodes.iter().zip(&all) {
            for lane in (0..node.count()).filter(|&lane| discs.across[lane] < 1e8) {
                let mut stack = vec![node.below(lane)];
                let mut count = 0;
                while let Some(below) = stack.pop() {
                    match below {
                        Below::Node(child) => {
                            let child = &tree.nodes[child as usize];
                            stack.extend((0..child.count()).map(|lane| child.below(lane)));
                        }
                        Below::Leaf(leaf) => {
                            for p in (leaf.first..leaf.first + leaf.count).flat_map(|slot| surface.corners(slot)) {
                                let single = tree.frame.of(p).to_array().map(|x| x as f32);
                                let bounds: [f32; WIDTH] = discs.bounds(plain(), node, single, 2.0 * U).into();
                                assert!(bounds[lane] <= 0.0);
                            }
                            count += leaf.count as usize;
                        }
                    }
                }
                assert!(count <= DISC_TRIANGLES);
                made += usize::from(count > WIDTH);
            }
        }
        assert!(made > 10, "{made}");
    }
}
