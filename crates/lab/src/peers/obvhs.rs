//! obvhs, trees for ray tracing in single precision: its binary and its eight-way compressed tree, on one thread.

use super::question::{MeshRay, RayHit, TreeCost};
use crate::measure::timed;
use crate::meshes::Model;
use obvhs::BvhBuildParams;
use obvhs::bvh2::{Bvh2, builder::build_bvh2_from_tris};
use obvhs::cwbvh::{CwBvh, builder::build_cwbvh_from_tris};
use obvhs::ray::{Ray, RayHit as TheirHit};
use obvhs::triangle::Triangle;
use std::time::Duration;

/// How much time obvhs takes to build, by its own presets without splitting triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObvhsBuild {
    /// `fastest_build`.
    Fastest,
    /// `fast_build`.
    Fast,
    /// `medium_build`, meant to take as long as embree.
    Medium,
}

/// A tree of obvhs.
enum Tree {
    Binary(Bvh2),
    Wide(CwBvh),
}

/// A tree of obvhs over the triangles of a mesh, and rays to cast through it.
pub struct ObvhsTree {
    tree: Tree,
    cost: TreeCost,
    /// In the order of the leaves, as obvhs advises.
    triangles: Vec<Triangle>,
    rays: Vec<Ray>,
}

impl ObvhsTree {
    /// Name and version of the peer.
    pub const NAME: &'static str = "obvhs 0.4";

    /// Builds the binary tree, or the eight-way one; `None` only where obvhs is not built. The areas in the cost of the
    /// wide tree are those of its quantised boxes.
    pub fn new(model: &Model, build: ObvhsBuild, wide: bool, rays: &[MeshRay]) -> Option<ObvhsTree> {
        let triangles: Vec<Triangle> = (0..model.triangles.len())
            .map(|number| {
                let [v0, v1, v2] = model.corners(number).map(vector);
                Triangle { v0, v1, v2 }
            })
            .collect();
        let parameters = match build {
            ObvhsBuild::Fastest => BvhBuildParams::fastest_build(),
            ObvhsBuild::Fast => BvhBuildParams::fast_build(),
            ObvhsBuild::Medium => BvhBuildParams::medium_build(),
        };
        // Their clock leaves out the boxes of the triangles, ours does not.
        let mut theirs = Duration::ZERO;
        let (tree, seconds) = timed(|| {
            if wide {
                Tree::Wide(build_cwbvh_from_tris(&triangles, parameters, &mut theirs))
            } else {
                Tree::Binary(build_bvh2_from_tris(&triangles, parameters, &mut theirs))
            }
        });
        let (order, bytes) = match &tree {
            Tree::Binary(tree) => (&tree.primitive_indices, size_of_val(&tree.nodes[..])),
            Tree::Wide(tree) => (&tree.primitive_indices, size_of_val(&tree.nodes[..])),
        };
        let bytes = bytes + size_of_val(&order[..]);
        let triangles = order.iter().map(|&number| triangles[number as usize]).collect();
        let (inner_area, leaf_area) = match &tree {
            Tree::Binary(tree) => binary_areas(tree),
            Tree::Wide(tree) => wide_areas(tree),
        };
        let rays = rays
            .iter()
            .map(|ray| Ray::new_inf(vector(ray.origin.to_array()), vector(ray.direction.to_array())))
            .collect();
        Some(ObvhsTree { tree, cost: TreeCost { build: 1e9 * seconds, bytes, inner_area, leaf_area }, triangles, rays })
    }

    /// What the tree costs.
    pub fn cost(&self) -> TreeCost {
        self.cost
    }

    /// The first hit of a ray, by its number.
    pub fn cast(&self, number: usize) -> Option<RayHit> {
        let (ray, mut hit) = (self.rays[number], TheirHit::none());
        let test = |ray: &Ray, place: usize| self.triangles[place].intersect(ray);
        let (found, order) = match &self.tree {
            Tree::Binary(tree) => (tree.ray_traverse(ray, &mut hit, test), &tree.primitive_indices),
            Tree::Wide(tree) => (tree.ray_traverse(ray, &mut hit, test), &tree.primitive_indices),
        };
        found.then(|| RayHit { t: f64::from(hit.t), triangle: order[hit.primitive_id as usize] })
    }
}

/// The areas of [`TreeCost`].
fn binary_areas(tree: &Bvh2) -> (f64, f64) {
    let (mut inner, mut leaves) = (0.0, 0.0);
    for node in &tree.nodes {
        let area = f64::from(node.aabb().surface_area());
        if node.is_leaf() {
            leaves += area * f64::from(node.prim_count);
        } else {
            inner += area;
        }
    }
    let root = tree.nodes.first().map_or(1.0, |root| f64::from(root.aabb().surface_area()));
    (inner / root, leaves / root)
}

/// The areas of [`TreeCost`].
fn wide_areas(tree: &CwBvh) -> (f64, f64) {
    let root = f64::from(tree.total_aabb.surface_area());
    let (mut inner, mut leaves) = (root, 0.0);
    for node in &tree.nodes {
        for child in (0..8).filter(|&child| !node.is_child_empty(child)) {
            let area = f64::from(node.child_aabb(child).surface_area());
            if node.is_leaf(child) {
                leaves += area * f64::from(node.child_primitives(child).1);
            } else {
                inner += area;
            }
        }
    }
    (inner / root, leaves / root)
}

/// A point in single precision, in the vector crate of obvhs.
fn vector<V: From<[f32; 3]>>(point: [f64; 3]) -> V {
    point.map(|part| part as f32).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes::generate::sphere;
    use crate::models::Random;

    #[test]
    fn rays_through_both_trees() {
        let model = sphere(5000);
        let mut random = Random::new(4, 0);
        let ray = |random: &mut Random| {
            let outwards = random.direction();
            MeshRay { origin: outwards * 3.0, direction: outwards * -0.5 }
        };
        let mut rays: Vec<MeshRay> = (0..50).map(|_| ray(&mut random)).collect();
        rays.push(MeshRay { direction: rays[0].origin, ..rays[0] });
        for build in [ObvhsBuild::Fastest, ObvhsBuild::Fast, ObvhsBuild::Medium] {
            for wide in [false, true] {
                let tree = ObvhsTree::new(&model, build, wide, &rays).unwrap();
                for (number, ray) in rays[..50].iter().enumerate() {
                    let hit = tree.cast(number).unwrap();
                    assert!((hit.t - 4.0).abs() < 0.01, "{hit:?}");
                    let corners = model.corners(hit.triangle as usize);
                    assert!(corners.iter().all(|&corner| ray.origin.dot(corner.into()) > 2.9));
                }
                assert_eq!(tree.cast(50), None);
                let cost = tree.cost();
                assert!(cost.bytes > 5000 * 10 && cost.inner_area > 2.0 && cost.leaf_area > 1.0, "{cost:?}");
            }
        }
    }
}
