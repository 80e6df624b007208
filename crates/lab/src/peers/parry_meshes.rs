//! parry's triangle meshes, in double precision: pairs as shipped and by a two-tree loop of ours, rays, closest points,
//! trees.
//!
//! parry's queries between two meshes take one of them for a shape without a tree and walk the other's, then the first
//! one's for each triangle that is left. Its trees can also be walked together by `Bvh::leaf_pairs`; the loop here does
//! that, with parry's own test of two triangles (GJK) after one that sorts out most pairs: all corners of one strictly
//! on one side of the other's plane.

use super::question::{MeshRay, Query, RayHit, TreeCost};
use crate::measure::timed;
use crate::meshes::Model;
use clearance::glam::{DQuat, DVec3};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhNode, TraversalAction};
use parry3d_f64::query::details::intersection_test_support_map_support_map;
use parry3d_f64::query::{self, PointQuery, Ray, RayCast};
use parry3d_f64::shape::{TriMesh, Triangle};

/// Meshes in parry and all queries about them, made before any clock runs.
pub struct ParryMeshes {
    meshes: Vec<TriMesh>,
    builds: Vec<f64>,
    pairs: Vec<PlacedPair>,
}

/// Two placed meshes, by their numbers.
struct PlacedPair {
    models: [usize; 2],
    poses: [Pose; 2],
    a_from_b: Pose,
    /// Rows of the rotation from B to A and of its absolute values, for boxes.
    rows: [Vector; 3],
    absolute_rows: [Vector; 3],
}

impl ParryMeshes {
    /// Name and version of the peer.
    pub const NAME: &'static str = "parry3d-f64 0.31";

    /// The meshes and queries in parry; the error says which mesh parry refused or which query has none.
    pub fn new(models: &[&Model], queries: &[Query]) -> Result<ParryMeshes, String> {
        let (mut meshes, mut builds) = (Vec::new(), Vec::new());
        for model in models {
            let (mesh, nanoseconds) = mesh(model)?;
            meshes.push(mesh);
            builds.push(nanoseconds);
        }
        if let Some(number) = queries.iter().position(|query| query.models.iter().any(|&model| model >= models.len())) {
            return Err(format!("query {number} is about meshes {:?} of {}", queries[number].models, models.len()));
        }
        Ok(ParryMeshes { meshes, builds, pairs: queries.iter().map(PlacedPair::new).collect() })
    }

    /// Nanoseconds that `TriMesh::new` took for each mesh.
    pub fn builds(&self) -> &[f64] {
        &self.builds
    }

    /// Whether parry sees the meshes of a query meet, as shipped; false if it does not support the pair.
    pub fn intersects(&self, number: usize) -> bool {
        let (a, b, pair) = self.pair(number);
        query::intersection_test(&pair.poses[0], a, &pair.poses[1], b).is_ok_and(|found| found.intersecting)
    }

    /// parry's distance for a query, as shipped; NaN if it does not support the pair.
    pub fn distance(&self, number: usize) -> f64 {
        let (a, b, pair) = self.pair(number);
        query::distance(&pair.poses[0], a, &pair.poses[1], b).map_or(f64::NAN, |found| found.distance)
    }

    /// parry's deepest contact for a query, as shipped: the signed distance of one pair of triangles; `None` where it
    /// sees none up to `prediction`.
    pub fn contact(&self, number: usize, prediction: f64) -> Option<f64> {
        let (a, b, pair) = self.pair(number);
        query::contact(&pair.poses[0], a, &pair.poses[1], b, prediction).ok().flatten().map(|found| found.dist)
    }

    /// Whether the loop over both trees finds a pair of triangles that meet.
    pub fn first_pair(&self, number: usize) -> bool {
        self.meeting_pairs(number).next().is_some()
    }

    /// How many pairs of triangles meet, by the loop over both trees.
    pub fn count_pairs(&self, number: usize) -> u64 {
        self.meeting_pairs(number).count() as u64
    }

    /// The pairs of triangles that meet.
    pub fn meeting_pairs(&self, number: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (a, b, pair) = self.pair(number);
        let near = |node_a: &BvhNode, node_b: &BvhNode| pair.boxes_meet(node_a, node_b);
        let candidates = a.bvh().leaf_pairs(b.bvh(), near);
        candidates
            .filter(|&(in_a, in_b)| triangles_meet(&a.triangle(in_a), &b.triangle(in_b).transformed(&pair.a_from_b)))
    }

    fn pair(&self, number: usize) -> (&TriMesh, &TriMesh, &PlacedPair) {
        let pair = &self.pairs[number];
        (&self.meshes[pair.models[0]], &self.meshes[pair.models[1]], pair)
    }
}

impl PlacedPair {
    fn new(query: &Query) -> PlacedPair {
        let poses = [0, 1].map(|side| {
            let [x, y, z, w] = DQuat::from_mat3(&query.poses[side].rotation()).normalize().to_array();
            Pose::from_parts(vector(query.poses[side].translation()), Rotation::from_xyzw(x, y, z, w))
        });
        let a_from_b = poses[0].inv_mul(&poses[1]);
        let columns = [Vector::X, Vector::Y, Vector::Z].map(|axis| a_from_b.rotation * axis);
        let rows = [0, 1, 2].map(|row| Vector::new(columns[0][row], columns[1][row], columns[2][row]));
        PlacedPair { models: query.models, poses, a_from_b, rows, absolute_rows: rows.map(|row| row.abs()) }
    }

    /// Whether a box of A meets the box about a turned box of B, both in the frame of A.
    fn boxes_meet(&self, node_a: &BvhNode, node_b: &BvhNode) -> bool {
        let (low_a, high_a) = (node_a.mins(), node_a.maxs());
        let (low_b, high_b) = (node_b.mins(), node_b.maxs());
        let (centre, half) = ((low_b + high_b) * 0.5, (high_b - low_b) * 0.5);
        (0..3).all(|axis| {
            let middle = self.rows[axis].dot(centre) + self.a_from_b.translation[axis];
            let reach = self.absolute_rows[axis].dot(half);
            low_a[axis] <= middle + reach && middle - reach <= high_a[axis]
        })
    }
}

/// Whether two triangles meet, by parry's GJK where the planes do not decide it.
fn triangles_meet(one: &Triangle, other: &Triangle) -> bool {
    let apart = |one: &Triangle, other: &Triangle| {
        let normal = (one.b - one.a).cross(one.c - one.a);
        let [a, b, c] = [other.a, other.b, other.c].map(|corner| normal.dot(corner - one.a));
        (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0)
    };
    !apart(one, other) && !apart(other, one) && intersection_test_support_map_support_map(&Pose::IDENTITY, one, other)
}

/// A mesh in parry with rays to cast at it and points to find the nearest of it to, in its own frame.
pub struct ParryMesh {
    mesh: TriMesh,
    build: f64,
    rays: Vec<Ray>,
    points: Vec<Vector>,
}

impl ParryMesh {
    /// Name and version of the peer.
    pub const NAME: &'static str = ParryMeshes::NAME;

    /// The mesh, rays and points in parry; the error says why parry refused the mesh.
    pub fn new(model: &Model, rays: &[MeshRay], points: &[DVec3]) -> Result<ParryMesh, String> {
        let (mesh, build) = mesh(model)?;
        let rays = rays.iter().map(|ray| Ray::new(vector(ray.origin), vector(ray.direction))).collect();
        Ok(ParryMesh { mesh, build, rays, points: points.iter().copied().map(vector).collect() })
    }

    /// Nanoseconds that `TriMesh::new` took.
    pub fn build(&self) -> f64 {
        self.build
    }

    /// The first hit of a ray, by its number.
    pub fn cast(&self, number: usize) -> Option<RayHit> {
        let hit = self.mesh.cast_local_ray_and_get_normal(&self.rays[number], f64::MAX, false)?;
        Some(RayHit { t: hit.time_of_impact, triangle: hit.subshape })
    }

    /// The point of the surface nearest to a point, by its number.
    pub fn nearest(&self, number: usize) -> DVec3 {
        let found = self.mesh.project_local_point(self.points[number], false).point;
        DVec3::new(found.x, found.y, found.z)
    }
}

/// How parry builds a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParryBuild {
    /// Binned splits from the top, what `TriMesh` uses.
    Binned,
    /// Nearest neighbours joined from the bottom.
    Ploc,
}

/// A tree of parry over the triangles of a mesh, and rays to cast through it.
pub struct ParryTree {
    tree: Bvh,
    cost: TreeCost,
    triangles: Vec<Triangle>,
    rays: Vec<Ray>,
}

impl ParryTree {
    /// Name and version of the peer.
    pub const NAME: &'static str = ParryMeshes::NAME;

    /// Builds the tree; `None` only where parry is not built.
    pub fn new(model: &Model, build: ParryBuild, rays: &[MeshRay]) -> Option<ParryTree> {
        let triangles: Vec<Triangle> = (0..model.triangles.len())
            .map(|number| {
                let [a, b, c] = model.corners(number).map(|corner| vector(corner.into()));
                Triangle::new(a, b, c)
            })
            .collect();
        let strategy = match build {
            ParryBuild::Binned => BvhBuildStrategy::Binned,
            ParryBuild::Ploc => BvhBuildStrategy::Ploc,
        };
        let (tree, seconds) = timed(|| {
            let boxes = triangles.iter().map(Triangle::local_aabb).enumerate();
            Bvh::from_iter(strategy, boxes)
        });
        let rays = rays.iter().map(|ray| Ray::new(vector(ray.origin), vector(ray.direction))).collect();
        let (inner_area, leaf_area) = areas(&tree);
        let cost = TreeCost { build: 1e9 * seconds, bytes: tree.heap_memory_size(), inner_area, leaf_area };
        Some(ParryTree { tree, cost, triangles, rays })
    }

    /// What the tree costs.
    pub fn cost(&self) -> TreeCost {
        self.cost
    }

    /// The first hit of a ray, by its number.
    pub fn cast(&self, number: usize) -> Option<RayHit> {
        let ray = &self.rays[number];
        let hit = self.tree.cast_ray(ray, f64::MAX, |triangle, best| {
            self.triangles[triangle as usize].cast_local_ray(ray, best, false)
        });
        hit.map(|(triangle, t)| RayHit { t, triangle })
    }
}

/// The areas of [`TreeCost`].
fn areas(tree: &Bvh) -> (f64, f64) {
    let area = |bounds: &Aabb| {
        let side = bounds.maxs - bounds.mins;
        2.0 * (side.x * side.y + side.y * side.z + side.z * side.x)
    };
    let root = area(&tree.root_aabb());
    // The root has no node of its own in parry: its two halves come first.
    let (mut inner, mut leaves) = (root, 0.0);
    tree.traverse(|node| {
        *(if node.is_leaf() { &mut leaves } else { &mut inner }) += area(&node.aabb());
        TraversalAction::Continue
    });
    (inner / root, leaves / root)
}

/// A mesh in parry, and the nanoseconds it took to build.
fn mesh(model: &Model) -> Result<(TriMesh, f64), String> {
    let points: Vec<Vector> = model.points.iter().map(|&point| vector(point.into())).collect();
    let triangles = model.triangles.clone();
    let (mesh, seconds) = timed(|| TriMesh::new(points, triangles));
    mesh.map(|mesh| (mesh, 1e9 * seconds)).map_err(|error| format!("parry rejects {}: {error}", model.name))
}

/// A vector in parry's vector crate, which is another version of ours.
fn vector(point: DVec3) -> Vector {
    Vector::new(point.x, point.y, point.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes::generate::{grid, sphere};
    use crate::models::Random;
    use crate::peers::question::Question;

    fn queries(places: &[DVec3], random: &mut Random) -> Vec<Query> {
        let pose = |place: DVec3, random: &mut Random| clearance::Pose::from_quat(random.rotation(), place).unwrap();
        let query = |place: &DVec3, random: &mut Random| Query {
            models: [0, 1],
            poses: [pose(DVec3::new(3.0, -2.0, 1.0), random), pose(DVec3::new(3.0, -2.0, 1.0) + *place, random)],
            question: Question::FirstContact,
        };
        places.iter().map(|place| query(place, random)).collect()
    }

    #[test]
    fn spheres_apart_and_crossing() {
        let models = [sphere(2000), sphere(500)];
        let mut random = Random::new(1, 0);
        let places = [DVec3::X * 3.0, DVec3::Y * 1.7, DVec3::ZERO];
        let parry = ParryMeshes::new(&[&models[0], &models[1]], &queries(&places, &mut random)).unwrap();
        assert!((parry.distance(0) - 1.0).abs() < 0.03 && !parry.intersects(0) && !parry.first_pair(0));
        assert_eq!((parry.count_pairs(0), parry.contact(0, 0.5)), (0, None));
        assert!((parry.contact(0, 2.0).unwrap() - parry.distance(0)).abs() < 1e-6);
        assert!(parry.distance(1) == 0.0 && parry.intersects(1) && parry.first_pair(1) && parry.count_pairs(1) > 10);
        // Of concentric spheres the coarser one is partly outside of the finer one.
        assert_eq!(parry.intersects(2), parry.first_pair(2));
        assert_eq!(parry.builds().len(), 2);
        assert!(ParryMeshes::new(&[&models[0]], &queries(&places, &mut random)).is_err());
    }

    #[test]
    fn the_loop_over_two_trees_misses_no_pair() {
        let models = [sphere(300), grid(300)];
        let queries = queries(&[DVec3::ZERO, DVec3::X * 0.5], &mut Random::new(2, 0));
        let parry = ParryMeshes::new(&[&models[0], &models[1]], &queries).unwrap();
        for number in 0..queries.len() {
            let (a, b, pair) = parry.pair(number);
            let mut found: Vec<(u32, u32)> = parry.meeting_pairs(number).collect();
            found.sort_unstable();
            let mut wanted = Vec::new();
            for i in 0..a.num_triangles() as u32 {
                for j in 0..b.num_triangles() as u32 {
                    if triangles_meet(&a.triangle(i), &b.triangle(j).transformed(&pair.a_from_b)) {
                        wanted.push((i, j));
                    }
                }
            }
            assert!(wanted.len() > 20);
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn rays_and_points() {
        let model = sphere(20_000);
        let mut random = Random::new(3, 0);
        let outwards: Vec<DVec3> = (0..50).map(|_| random.direction()).collect();
        let ray = |&outwards: &DVec3| MeshRay { origin: outwards * 3.0, direction: -0.5 * outwards };
        let rays: Vec<MeshRay> = outwards.iter().map(ray).collect();
        let points: Vec<DVec3> = outwards.iter().map(|&outwards| outwards * 2.0).collect();
        let mesh = ParryMesh::new(&model, &rays, &points).unwrap();
        assert!(mesh.build() > 0.0);
        let trees = [ParryBuild::Binned, ParryBuild::Ploc].map(|build| ParryTree::new(&model, build, &rays).unwrap());
        for (number, &outwards) in outwards.iter().enumerate() {
            let hit = mesh.cast(number).unwrap();
            assert!((hit.t - 4.0).abs() < 0.01);
            assert!(model.corners(hit.triangle as usize).iter().all(|&corner| outwards.dot(corner.into()) > 0.99));
            assert!(mesh.nearest(number).distance(outwards) < 0.05);
            for tree in &trees {
                assert!((tree.cast(number).unwrap().t - hit.t).abs() < 1e-9);
            }
        }
        for tree in &trees {
            let cost = tree.cost();
            assert!(cost.bytes > 20_000 * 48 && cost.inner_area > 5.0 && cost.leaf_area > 1.0, "{cost:?}");
        }
        let away = MeshRay { origin: DVec3::X * 3.0, direction: DVec3::X };
        assert_eq!(ParryMesh::new(&model, &[away], &[]).unwrap().cast(0), None);
        assert!(ParryMesh::new(&Model { triangles: vec![], ..model }, &[], &[]).is_err());
    }
}
