//! Fast generalised winding numbers of arbitrary triangle sets.
//!
//! Barill, Dickson, Schmidt, Levin and Jacobson, *Fast Winding Numbers for Soups and Clouds* (2018): a distant group of
//! triangles is approximated by a dipole at its centre plus a first-order correction. Each lane of the wide tree holds
//! the moments of its subtree: `N`, the sum of area vectors; `p`, the area-weighted centre; `S`, the symmetric part of
//! the sum of `area vector ⊗ (centroid - p)`. With `d = p - q` the fraction of the sphere about `q` is
//!
//! `(N · d / |d|³ + tr S / |d|³ - 3 d · S d / |d|⁵) / 4π`
//!
//! (the antisymmetric part cancels). Lanes closer than [`WINDING_OPENED`] times their radius are opened; the triangles
//! of near leaves are summed by their solid angles. Departs from the paper in that eight lanes are tested together, and
//! that results close to the threshold are not trusted: see [`Moments::is_inside`].
//!
//! Moments take 416 bytes per node, some 14 per triangle, and are built on first use.

use std::f64::consts::PI;

use fearless_simd::{Simd, f32x8, prelude::*};
use glam::{DMat3, DVec3};

use super::wide::{Below, MAX_DEPTH, WIDTH, WideTree};
use crate::geom::solid_angle::{winding_of_triangle, winding_of_triangles};

/// Lanes nearer than this many radii are opened, as in the paper.
const WINDING_OPENED: f32 = 2.0;

/// The same for the second pass, if the first result is within [`UNSURE`] of the level.
const WINDING_OPENED_AGAIN: f32 = 6.0;

/// Results this close to the level are not trusted: more than twice the largest error observed, 0.06 (see the test
/// below). Heuristic, not a bound: no proof depends on it.
const UNSURE: f64 = 0.15;

/// Results this close to the level are not trusted the second time: more than twice the largest error observed, 0.007.
const STILL_UNSURE: f64 = 0.02;

/// The moments of the eight lanes of a node, in the frame of the tree.
#[derive(Clone, Copy, Debug)]
struct NodeMoments {
    /// `N`.
    normal: [[f32; WIDTH]; 3],
    /// `p`.
    middle: [[f32; WIDTH]; 3],
    /// The squared radius about `p`; negative for unused lanes.
    squared_radius: [f32; WIDTH],
    /// `S`: xx, yy, zz, xy + yx, yz + zy, zx + xz.
    second: [[f32; WIDTH]; 6],
}

/// The moments of all lanes of a tree.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    nodes: Vec<NodeMoments>,
}

/// The moments of one lane.
#[derive(Clone, Copy)]
struct Lane {
    area: f64,
    normal: DVec3,
    /// Centre times area.
    middle: DVec3,
    /// Second moment about the origin.
    second: DMat3,
}

impl Lane {
    const NOTHING: Lane = Lane { area: 0.0, normal: DVec3::ZERO, middle: DVec3::ZERO, second: DMat3::ZERO };

    fn plus(&self, other: &Lane) -> Lane {
        Lane {
            area: self.area + other.area,
            normal: self.normal + other.normal,
            middle: self.middle + other.middle,
            second: self.second + other.second,
        }
    }

    fn of_triangle([a, b, c]: [DVec3; 3]) -> Lane {
        let normal = 0.5 * (b - a).cross(c - a);
        let (area, middle) = (normal.length(), (a + b + c) / 3.0);
        Lane { area, normal, middle: middle * area, second: outer(normal, middle) }
    }
}

/// `a ⊗ b`: rows indexed by `a`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

impl Moments {
    /// The moments of a tree; `corners` gives its triangles by slot, in the frame of the mesh's points.
    pub fn of(tree: &WideTree, corners: impl Fn(u32) -> [DVec3; 3]) -> Moments {
        let unused = NodeMoments {
            normal: [[0.0; WIDTH]; 3],
            middle: [[0.0; WIDTH]; 3],
            squared_radius: [-1.0; WIDTH],
            second: [[0.0; WIDTH]; 6],
        };
        let mut nodes = vec![unused; tree.nodes.len()];
        let mut sums = vec![Lane::NOTHING; tree.nodes.len()];
        // Parents come before their children.
        for number in (0..tree.nodes.len()).rev() {
            let node = &tree.nodes[number];
            for lane in 0..WIDTH {
                let bounds = node.lane(lane);
                if bounds.min[0] > bounds.max[0] {
                    continue;
                }
                let own = match node.below(lane) {
                    Below::Node(below) => sums[below as usize],
                    Below::Leaf(leaf) => (leaf.first..leaf.first + leaf.count)
                        .map(|slot| Lane::of_triangle(corners(slot).map(|p| tree.frame.of(p))))
                        .fold(Lane::NOTHING, |sum, one| sum.plus(&one)),
                };
                sums[number] = sums[number].plus(&own);
                let (min, max) = (bounds.min.map(f64::from), bounds.max.map(f64::from));
                let (min, max) = (DVec3::from_array(min), DVec3::from_array(max));
                let middle = if own.area > 0.0 { own.middle / own.area } else { 0.5 * (min + max) };
                let s = own.second - outer(own.normal, middle);
                let second = [
                    s.x_axis.x,
                    s.y_axis.y,
                    s.z_axis.z,
                    s.x_axis.y + s.y_axis.x,
                    s.y_axis.z + s.z_axis.y,
                    s.z_axis.x + s.x_axis.z,
                ];
                let moments = &mut nodes[number];
                for k in 0..3 {
                    moments.normal[k][lane] = own.normal[k] as f32;
                    moments.middle[k][lane] = middle[k] as f32;
                }
                for (place, &from) in moments.second.iter_mut().zip(&second) {
                    place[lane] = from as f32;
                }
                let radius = (middle - min).abs().max((max - middle).abs()).length_squared();
                moments.squared_radius[lane] = radius as f32;
            }
        }
        Moments { nodes }
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
    }

    /// Whether the winding number about a point, in the frame of the mesh's points, is above one half. Where the fast
    /// sum is too close to that, it is repeated with smaller lanes, and then over all triangles.
    #[inline(always)]
    pub fn is_inside<S: Simd>(
        &self,
        simd: S,
        tree: &WideTree,
        q: DVec3,
        corners: impl Fn(u32) -> [DVec3; 3],
        triangles: u32,
    ) -> bool {
        self.sum(simd, tree, q, &corners, |winding| winding)
            .unwrap_or_else(|_| (0..triangles).map(|slot| winding_of_triangle(corners(slot).map(|p| p - q))).sum())
            > 0.5
    }

    /// The same for the absolute winding number, for open surfaces and those that may be inside out. Where both sums
    /// are too close to one half, the second decides: there is no exact answer to approach, and points on the surface
    /// itself, which are many where bodies touch, would all take the sum over all triangles.
    #[inline(always)]
    pub fn is_within<S: Simd>(&self, simd: S, tree: &WideTree, q: DVec3, corners: impl Fn(u32) -> [DVec3; 3]) -> bool {
        self.sum(simd, tree, q, &corners, f64::abs).unwrap_or_else(|unsure| unsure) > 0.5
    }

    /// About the winding number about a point, in the frame of the mesh's points: off by less than 0.06 in all tests.
    #[inline(always)]
    pub fn about<S: Simd>(&self, simd: S, tree: &WideTree, q: DVec3, corners: &impl Fn(u32) -> [DVec3; 3]) -> f64 {
        self.opening(simd, tree, q, corners, WINDING_OPENED)
    }

    /// The winding number about a point, with `measured` applied, accurate enough to be on the correct side of one
    /// half; an error if it is too close to that.
    #[inline(always)]
    fn sum<S: Simd>(
        &self,
        simd: S,
        tree: &WideTree,
        q: DVec3,
        corners: &impl Fn(u32) -> [DVec3; 3],
        measured: impl Fn(f64) -> f64,
    ) -> Result<f64, f64> {
        let winding = measured(self.about(simd, tree, q, corners));
        if (winding - 0.5).abs() >= UNSURE {
            return Ok(winding);
        }
        let winding = measured(self.opening(simd, tree, q, corners, WINDING_OPENED_AGAIN));
        if (winding - 0.5).abs() >= STILL_UNSURE { Ok(winding) } else { Err(winding) }
    }

    /// The winding number about a point, opening lanes closer than the given number of radii.
    #[inline(always)]
    fn opening<S: Simd>(
        &self,
        simd: S,
        tree: &WideTree,
        q: DVec3,
        corners: &impl Fn(u32) -> [DVec3; 3],
        opened: f32,
    ) -> f64 {
        let own = tree.frame.of(q).as_vec3().to_array();
        let zero = f32x8::splat(simd, 0.0);
        let mut stack = [0u32; MAX_DEPTH * WIDTH];
        let mut top = 1;
        let (mut far, mut near) = (0.0, 0.0);
        while top > 0 {
            top -= 1;
            let number = stack[top] as usize;
            let (node, moments) = (&tree.nodes[number], &self.nodes[number]);
            let (mut d, mut n, mut s) = ([zero; 3], [zero; 3], [zero; 6]);
            for k in 0..3 {
                d[k] = f32x8::simd_from(simd, moments.middle[k]) - f32x8::splat(simd, own[k]);
                n[k] = f32x8::simd_from(simd, moments.normal[k]);
            }
            for (place, &from) in s.iter_mut().zip(&moments.second) {
                *place = f32x8::simd_from(simd, from);
            }
            let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let radius = f32x8::simd_from(simd, moments.squared_radius);
            let is_far = squared.simd_gt(radius * f32x8::splat(simd, opened * opened)).to_bitmask() as u32;
            let is_used = radius.simd_ge(zero).to_bitmask() as u32;
            // Near lanes are not summed, so their values do not matter.
            let squared = squared.max(f32x8::splat(simd, 1e-20));
            let inverse = f32x8::splat(simd, 1.0) / (squared * squared.sqrt());
            let first = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
            let trace = s[0] + s[1] + s[2];
            let diagonal = s[0] * d[0] * d[0] + s[1] * d[1] * d[1] + s[2] * d[2] * d[2];
            let mixed = s[3] * d[0] * d[1] + s[4] * d[1] * d[2] + s[5] * d[2] * d[0];
            let second = trace - f32x8::splat(simd, 3.0) * (diagonal + mixed) / squared;
            let all: [f32; WIDTH] = ((first + second) * inverse).into();
            for (lane, &one) in all.iter().enumerate() {
                if is_used >> lane & 1 == 0 {
                    continue;
                }
                if is_far >> lane & 1 == 1 {
                    far += f64::from(one);
                    continue;
                }
                match node.below(lane) {
                    Below::Node(below) => {
                        stack[top] = below;
                        top += 1;
                    }
                    Below::Leaf(leaf) => {
                        let slots = leaf.first..leaf.first + leaf.count;
                        near += winding_of_triangles(slots.map(|slot| corners(slot).map(|p| p - q)));
                    }
                }
            }
        }
        far / (4.0 * PI) + near
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::simd::plain;
    use crate::tree::sample::Sample;

    /// A bowl with a hole on top, by rings.
    fn bowl(rings: u32, around: u32) -> Sample {
        let mut points = Vec::new();
        for ring in 0..=rings {
            let height = PI * (0.1 + 0.9 * f64::from(ring) / f64::from(rings));
            for k in 0..around {
                let turn = 2.0 * PI * f64::from(k) / f64::from(around);
                points.push([height.sin() * turn.cos(), height.sin() * turn.sin(), height.cos()]);
            }
        }
        let mut triangles = Vec::new();
        for ring in 0..rings {
            for k in 0..around {
                let at = |ring: u32, k: u32| ring * around + k % around;
                let [a, b, c, d] = [at(ring, k), at(ring + 1, k), at(ring + 1, k + 1), at(ring, k + 1)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Sample::new(&points, &triangles)
    }

    #[test]
    fn the_fast_sum_approximates_the_exact_one() {
        let surface = bowl(40, 60);
        let corners = |slot: u32| surface.corners(slot);
        let moments = Moments::of(&surface.tree, corners);
        let count = surface.triangles.len() as u32;
        let mut worst = [0.0f64; 2];
        for x in -6..=6 {
            for y in -6..=6 {
                for z in -6..=6 {
                    let q = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * 0.19 - surface.origin;
                    let slow: f64 = (0..count).map(|slot| winding_of_triangle(corners(slot).map(|p| p - q))).sum();
                    for (opened, worst) in [WINDING_OPENED, WINDING_OPENED_AGAIN].into_iter().zip(&mut worst) {
                        let fast = moments.opening(plain(), &surface.tree, q, &corners, opened);
                        *worst = worst.max((fast - slow).abs());
                    }
                }
            }
        }
        assert!(worst[0] < 0.5 * UNSURE && worst[1] < 0.5 * STILL_UNSURE, "{worst:?}");
        assert!(moments.bytes() < 32 * surface.triangles.len());
    }
}
