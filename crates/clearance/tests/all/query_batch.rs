//! Batch queries equal single queries, to the bit and in order.

use clearance::answer::Contacts;
use clearance::glam::DVec3;
use clearance::query::*;
use clearance::{Mesh, Motion, PairCache, Pose, QueryError, RigidMotion, Shape, Workspace};
use clearance_oracle::random::Random;

use crate::common::meshes::bumpy_ball;
use crate::common::random_bodies::{bounded, pose, vector};

/// Bodies of many kinds, including a solid mesh, and their poses.
fn bodies() -> (Vec<Shape>, Vec<Pose>) {
    let mut random = Random::new(41);
    let mut shapes: Vec<Shape> = (0..9).map(|kind| bounded(&mut random, kind)).collect();
    let (points, triangles) = bumpy_ball(5, 1.0, DVec3::ZERO, 0.2);
    shapes.push(Shape::Mesh(Mesh::new(&points, &triangles).unwrap().solid().unwrap()));
    shapes.push(Shape::cuboid(DVec3::ONE).unwrap());
    let poses = shapes.iter().map(|_| {
        let at = vector(&mut random, 1.5);
        pose(&mut random, at)
    });
    let poses = poses.collect();
    (shapes, poses)
}

fn all_pairs(count: u32) -> Vec<[u32; 2]> {
    (0..count).flat_map(|b| (0..b).map(move |a| [a, b])).collect()
}

#[test]
fn resting_pairs() {
    let (shapes, poses) = bodies();
    let shapes: Vec<&Shape> = shapes.iter().collect();
    let pairs = all_pairs(shapes.len() as u32);
    let batch = PairBatch::of_pairs(&shapes, &poses, &pairs).unwrap();
    assert_eq!((batch.len(), batch.is_empty()), (55, false));
    let (mut workspace, contacts_options) =
        (Workspace::default(), ContactsOptions { margin: 0.1, ..Default::default() });
    let distances = distance_batch(&batch, &DistanceOptions::default());
    let relations = relation_batch(&batch, &RelationOptions::default());
    let meet = intersects_batch(&batch, &IntersectsOptions::default());
    let depths = penetration_batch(&batch, &PenetrationOptions::default());
    let volumes = overlap_volume_batch(&batch, &VolumeOptions::default());
    let contacts = contacts_batch(&batch, &contacts_options);
    let mut met = 0;
    for index in 0..batch.len() {
        let (a, pose_a, b, pose_b) = batch.pair(index);
        let [of_a, of_b] = pairs[index].map(|body| body as usize);
        assert!(std::ptr::eq(a, shapes[of_a]) && pose_b == &poses[of_b]);
        let cache = &mut PairCache::default();
        let options = DistanceOptions::default();
        assert_eq!(distances[index], distance_with(a, pose_a, b, pose_b, &options, cache, &mut workspace));
        let (cache, options) = (&mut PairCache::default(), RelationOptions::default());
        assert_eq!(relations[index], relation_with(a, pose_a, b, pose_b, &options, cache, &mut workspace));
        assert_eq!(meet[index], intersects(a, pose_a, b, pose_b));
        assert_eq!(depths[index], penetration(a, pose_a, b, pose_b));
        assert_eq!(volumes[index], overlap_volume(a, pose_a, b, pose_b));
        let (cache, mut found) = (&mut PairCache::default(), Contacts::default());
        contacts_with(a, pose_a, b, pose_b, &contacts_options, cache, &mut workspace, &mut found);
        assert_eq!(contacts[index], found);
        met += usize::from(meet[index]);
    }
    assert!(met > 5 && met < 55, "{met}");
}

#[test]
fn one_pair_at_many_poses() {
    let (shapes, _) = bodies();
    let mut random = Random::new(43);
    let (mesh, cube) = (&shapes[9], &shapes[10]);
    let poses: Vec<Pose> = (0..12).map(|k| pose(&mut random, DVec3::X * (0.25 * f64::from(k)))).collect();
    let batch = PairBatch::of_poses(mesh, &[Pose::IDENTITY], cube, &poses).unwrap();
    let depths = solid_depth_batch(&batch, &SolidDepthOptions::default());
    let along = depth_along_batch(&batch, DVec3::Y, &DepthAlongOptions::default());
    for (index, at) in poses.iter().enumerate() {
        assert_eq!(depths[index], solid_depth(mesh, &Pose::IDENTITY, cube, at));
        let single = depth_along(mesh, &Pose::IDENTITY, cube, at, DVec3::Y);
        assert_eq!(along[index], single);
        single.unwrap().verify(mesh, &Pose::IDENTITY, cube, at).unwrap_or_else(|e| panic!("{index}: {e}"));
    }
    let no_way = depth_along_batch(&batch, DVec3::ZERO, &DepthAlongOptions::default());
    assert!(no_way.iter().all(|found| *found == Err(QueryError::NoDirection { direction: [0.0; 3] })));
}

#[test]
fn moving_pairs() {
    let (shapes, poses) = bodies();
    let mut random = Random::new(47);
    let shapes: Vec<&Shape> = shapes.iter().collect();
    let pairs = all_pairs(shapes.len() as u32);
    let straight: Vec<Motion> =
        poses.iter().map(|start| Motion::translation(*start, vector(&mut random, 3.0)).unwrap()).collect();
    let batch = PairBatch::of_pairs(&shapes, &straight, &pairs).unwrap();
    let impacts = time_of_impact_batch(&batch, &ImpactOptions::default());
    let meet = sweeps_meet_batch(&batch, &SweepOptions::default());
    for index in 0..batch.len() {
        let (a, motion_a, b, motion_b) = batch.pair(index);
        assert_eq!(impacts[index], time_of_impact(a, motion_a, b, motion_b));
        assert_eq!(meet[index], sweeps_meet(a, motion_a, b, motion_b));
        if let Err(none) = &impacts[index] {
            none.verify(a, motion_a, b, motion_b).unwrap_or_else(|e| panic!("{:?}: {e}", pairs[index]));
        }
    }
    assert!(impacts.iter().any(Result::is_ok) && impacts.iter().any(Result::is_err));
    let turning: Vec<RigidMotion> = straight
        .iter()
        .map(|way| RigidMotion::turning(way.start(), way.displacement(), DVec3::ONE, 1.0).unwrap())
        .collect();
    let few = &pairs[..12];
    let batch = PairBatch::of_pairs(&shapes, &turning, few).unwrap();
    let impacts = rigid_impact_batch(&batch, &RigidOptions::default());
    let least = least_clearance_batch(&batch, &LeastClearanceOptions::default());
    for index in 0..batch.len() {
        let (a, motion_a, b, motion_b) = batch.pair(index);
        assert_eq!(impacts[index], rigid_impact(a, motion_a, b, motion_b));
        assert_eq!(least[index], least_clearance(a, motion_a, b, motion_b));
    }
}
