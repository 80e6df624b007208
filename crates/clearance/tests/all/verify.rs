//! `verify` accepts true answers: random pairs by seed, in poses that are not quite rigid, and seeds of answers that it
//! once refused or that were once wrong.

use clearance::glam::{DVec2, DVec3};
use clearance::query::ray_cast_all_with;
use clearance::query::{ContactsOptions, RayHitMode, RayOptions, RigidOptions, contacts_with, rigid_impact_with};
use clearance::shape::HeightField;
use clearance::{
    Motion, PairCache, Pose, Ray, RigidMotion, Shape, Workspace, closest_point, distance, least_clearance, penetration,
    signed_distance, time_of_impact,
};
use clearance_oracle::random::Random;

use crate::common::false_claims::Case;
use crate::common::random_bodies::{
    BOUNDED_KINDS, CONVEX_KINDS, bounded, convex, place_on, pose, rounded_curved, terrain, vector,
};

/// A rounded curved body and another, up to four sizes apart, and a margin.
fn curved_pair(seed: u64) -> (Case, f64) {
    let mut random = Random::new(seed);
    let random = &mut random;
    let a = rounded_curved(random);
    let b = if random.coin() {
        rounded_curved(random)
    } else {
        let kind = random.index(CONVEX_KINDS);
        convex(random, kind)
    };
    let at = vector(random, 1.0);
    let pose_a = pose(random, at);
    let far = random.uniform(0.0, 4.0);
    let at = pose_a.translation() + DVec3::from_array(random.direction()) * far;
    let pose_b = pose(random, at);
    (Case { name: "rounded and curved", a, pose_a, b, pose_b }, random.uniform(0.0, 1.0))
}

/// Terrain and a convex body on it or in it, in either order, and a margin.
fn pair_on_terrain(seed: u64) -> (Case, f64) {
    let mut random = Random::new(seed);
    let random = &mut random;
    let field = terrain(random);
    let kind = random.index(CONVEX_KINDS);
    let body = convex(random, kind);
    let at = vector(random, 1.0);
    let pose_field = pose(random, at);
    let at = pose_field.transform_point(place_on(random, &field));
    let pose_body = pose(random, at);
    let margin = random.uniform(0.0, 0.5);
    let (a, pose_a, b, pose_b) =
        if random.coin() { (field, pose_field, body, pose_body) } else { (body, pose_body, field, pose_field) };
    (Case { name: "on terrain", a, pose_a, b, pose_b }, margin)
}

/// Makes every query about a pair at rest and verifies each answer.
fn every_answer_holds(seed: u64, case: &Case, margin: f64) {
    let label = format!("seed {seed}");
    let Case { a, pose_a, b, pose_b, .. } = case;
    let apart = distance(a, pose_a, b, pose_b);
    case.accepts(&label, &apart);
    let deep = penetration(a, pose_a, b, pose_b).ok();
    if let Some(deep) = &deep {
        case.accepts(&label, deep);
    }
    case.accepts(&label, &case.proof(0.0));
    for margin in [0.0, margin] {
        let options = ContactsOptions { margin, ..ContactsOptions::default() };
        let mut found = clearance::answer::Contacts::default();
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        contacts_with(a, pose_a, b, pose_b, &options, &mut cache, &mut workspace, &mut found);
        case.accepts(&label, &found);
        // The deepest contact is among the points: some point is as deep as the bodies, within the bracket.
        if let Some(deep) = deep.filter(|deep| deep.depth.lower > 0.0) {
            let deepest = found.points.iter().map(|point| -point.gap.value).fold(f64::NEG_INFINITY, f64::max);
            let doubt = (deep.depth.upper - deep.depth.lower) + 1e-6 * case.scale();
            assert!(deepest >= deep.depth.lower - doubt, "{label}: {deepest} {deep:?}\n{found:?}");
        }
    }
}

/// In a frame that is not rigid, the point of a core nearest to the witness on its surface is not the one below it:
/// `verify` once found the gap of these too long by the square of that.
#[test]
fn gaps_of_rounded_bodies_in_non_rigid_poses_are_verified() {
    for seed in [423, 1093, 1126, 1588, 1753, 3441, 4839, 4894, 10545] {
        let (case, margin) = curved_pair(seed);
        every_answer_holds(seed, &case, margin);
    }
    for seed in 0..150 {
        let (case, margin) = curved_pair(seed);
        every_answer_holds(seed, &case, margin);
    }
}

/// For a body deep in terrain, contacts once omitted the deepest pair if its exit was obstructed and that of a shallow
/// one was not.
#[test]
fn the_deepest_contact_with_terrain_is_among_the_points() {
    for seed in [73, 155, 498, 541] {
        let (case, margin) = pair_on_terrain(seed);
        every_answer_holds(seed, &case, margin);
    }
    for seed in 1000..1060 {
        let (case, margin) = pair_on_terrain(seed);
        every_answer_holds(seed, &case, margin);
    }
}

#[test]
fn points_and_rays_in_non_rigid_poses_are_verified() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let random = &mut random;
        let shape = if random.index(CONVEX_KINDS + 1) == 0 {
            terrain(random)
        } else {
            let kind = random.index(CONVEX_KINDS);
            convex(random, kind)
        };
        let at = vector(random, 1.0);
        let pose = pose(random, at);
        let point = pose.translation() + vector(random, 2.0);
        let context = || format!("seed {seed} {shape:?} {pose:?} {point:?}");
        let nearest = closest_point(&shape, &pose, point);
        nearest.verify(&shape, &pose, point).unwrap_or_else(|e| panic!("{e} {nearest:?}\n{}", context()));
        let signed = signed_distance(&shape, &pose, point);
        signed.verify(&shape, &pose, point).unwrap_or_else(|e| panic!("{e} {signed:?}\n{}", context()));
        let ray = Ray::new(point, pose.translation() + vector(random, 1.0) - point).unwrap();
        let options = RayOptions { hit: RayHitMode::Any, ..RayOptions::line() };
        let mut hits = Vec::new();
        ray_cast_all_with(&shape, &pose, &ray, &options, &mut hits);
        for hit in &hits {
            hit.verify(&shape, &pose, &ray, &options).unwrap_or_else(|e| panic!("{e} {hit:?}\n{}", context()));
        }
    }
}

#[test]
fn impacts_in_non_rigid_poses_are_verified() {
    let mut touched = 0;
    for seed in 0..150 {
        let (case, _) = curved_pair(seed);
        let way = case.pose_a.translation() - case.pose_b.translation();
        let (motion_a, motion_b) = (Motion::still(case.pose_a), Motion::translation(case.pose_b, way).unwrap());
        if let Ok(impact) = time_of_impact(&case.a, &motion_a, &case.b, &motion_b) {
            touched += 1;
            impact
                .verify(&case.a, &motion_a, &case.b, &motion_b)
                .unwrap_or_else(|e| panic!("seed {seed} {e} {impact:?}\n{:?} {:?}", case.a, case.b));
        }
    }
    assert!(touched > 100, "{touched}");
}

/// Two bodies of any kind, the second flying and rotating, or terrain and such a body; and a margin.
fn turning_pair(seed: u64) -> (Case, RigidMotion, f64) {
    let mut random = Random::new(seed);
    let random = &mut random;
    let (kind_a, kind_b) = (random.index(BOUNDED_KINDS + 1), random.index(BOUNDED_KINDS));
    let a = if kind_a == BOUNDED_KINDS { terrain(random) } else { bounded(random, kind_a) };
    let b = bounded(random, kind_b);
    let at = vector(random, 1.0);
    let pose_a = pose(random, at);
    let way = DVec3::from_array(random.direction()) * random.uniform(0.5, 6.0);
    let aside = vector(random, 1.0);
    let place =
        if kind_a == BOUNDED_KINDS { pose_a.transform_point(place_on(random, &a)) } else { pose_a.translation() };
    let pose_b = pose(random, place - way + aside);
    let margin = if random.coin() { 0.0 } else { random.uniform(0.0, 0.3) };
    let (axis, angle) = (DVec3::from_array(random.direction()), random.uniform(0.0, 3.0));
    let motion = RigidMotion::turning(pose_b, way * 1.5, axis, angle).unwrap();
    (Case { name: "turning", a, pose_a, b, pose_b }, motion, margin)
}

/// In a non-rigid frame motion along a plane appears to approach it: contacts were once found slightly late, without a
/// normal, and contact at the start was refused for the stretch of the radii.
#[test]
fn rotating_bodies_in_non_rigid_poses_are_verified() {
    let mut touched = 0;
    for seed in [24, 27, 35, 39, 43, 48, 53].into_iter().chain(100..112) {
        let (case, motion_b, margin) = turning_pair(seed);
        let (a, b, motion_a) = (&case.a, &case.b, RigidMotion::still(case.pose_a));
        let options = RigidOptions { margin, ..RigidOptions::default() };
        if let Ok(impact) = rigid_impact_with(a, &motion_a, b, &motion_b, &options, &mut Workspace::default()) {
            touched += 1;
            impact
                .verify(a, &motion_a, b, &motion_b)
                .unwrap_or_else(|e| panic!("seed {seed} {e} {impact:?}\n{a:?} {b:?}"));
        }
        if let Ok(least) = least_clearance(a, &motion_a, b, &motion_b) {
            least
                .verify(a, &motion_a, b, &motion_b)
                .unwrap_or_else(|e| panic!("seed {seed} {e} {least:?}\n{a:?} {b:?}"));
        }
    }
    assert!(touched > 8, "{touched}");
}

/// A box sunk into a flat field touches it with its lower corners, without extra points.
#[test]
fn a_box_sunk_into_flat_ground_keeps_its_four_corners() {
    let field = HeightField::new(9, 9, DVec2::ONE, vec![0.0; 81]).unwrap();
    let cube = Shape::cuboid(DVec3::splat(0.7)).unwrap();
    let sunk = Pose::from_axis_angle(DVec3::Z, 0.3, DVec3::new(4.1, 3.9, 0.6)).unwrap();
    let field = Shape::HeightField(field);
    let found = clearance::contacts(&field, &Pose::IDENTITY, &cube, &sunk);
    found.verify(&field, &Pose::IDENTITY, &cube, &sunk).unwrap();
    assert_eq!(found.points.len(), 4, "{found:#?}");
    assert!(
        found.points.iter().all(|point| (point.gap.value + 0.1).abs() < 1e-12 && point.normal == DVec3::Z),
        "{found:#?}"
    );
}
