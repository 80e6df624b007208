//! Translating meshes, by brute force over their triangles.

use crate::common;

use clearance::answer::Impact;
use clearance::glam::DVec3;
use clearance::query::RayOptions;
use clearance::query::{ImpactAlgorithm, ImpactOptions, ray_cast_moving, sweeps_meet, time_of_impact_with};
use clearance::{Motion, PairCache, Pose, Ray, Shape, Workspace, time_of_impact};
use clearance_oracle::random::Random;
use common::meshes::{bumpy_ball, model, random_pose};

#[test]
fn first_contact_is_that_of_the_first_triangle() {
    let mut random = Random::new(21);
    let (points, triangles) = bumpy_ball(4, 1.0, DVec3::new(0.1, 0.0, 0.2), 0.2);
    let mesh = model(&points, &triangles);
    let bodies = [
        mesh.shape.clone(),
        Shape::sphere(0.3).unwrap(),
        Shape::cuboid(DVec3::new(0.3, 0.2, 0.4)).unwrap(),
        Shape::half_space(DVec3::Z, -2.0).unwrap(),
    ];
    let mut hits = 0;
    for round in 0..24 {
        let body = &bodies[round % bodies.len()];
        let (start, other) = (random_pose(&mut random, 3.0), random_pose(&mut random, 0.2));
        let way = -1.6 * start.translation() + DVec3::new(random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8), 0.0);
        let (moving, still) = (Motion::translation(start, way).unwrap(), Motion::still(other));
        let found = time_of_impact(&mesh.shape, &moving, body, &still);
        let parts = |shape: &Shape| if *shape == mesh.shape { mesh.triangles.clone() } else { vec![shape.clone()] };
        let mut first: Option<f64> = None;
        for a in &mesh.triangles {
            for b in &parts(body) {
                if let Ok(impact) = time_of_impact(a, &moving, b, &still) {
                    first = Some(first.map_or(impact.time.value, |first| first.min(impact.time.value)));
                }
            }
        }
        assert_eq!(found.is_ok(), first.is_some());
        assert_eq!(sweeps_meet(&mesh.shape, &moving, body, &still), found.is_ok());
        if let (Ok(found), Some(first)) = (found, first) {
            hits += 1;
            assert!((found.time.value - first).abs() < 1e-9, "{} {first}", found.time.value);
            assert_eq!(found.verify(&mesh.shape, &moving, body, &still), Ok(()), "{found:?}");
            let mut wrong = found;
            wrong.witness.a.part = mesh.triangles.len() as u32;
            assert!(wrong.verify(&mesh.shape, &moving, body, &still).is_err());
        }
    }
    assert!(hits > 12, "{hits}");
}

#[test]
fn rays_against_a_moving_mesh() {
    let (points, triangles) = bumpy_ball(5, 1.0, DVec3::ZERO, 0.1);
    let ball = Shape::mesh(&points, &triangles).unwrap();
    let fleeing =
        Motion::translation(Pose::from_translation(DVec3::new(4.0, 0.1, 0.2)).unwrap(), 2.0 * DVec3::X).unwrap();
    let bullet = Ray::new(DVec3::ZERO, DVec3::new(8.0, 0.0, 0.0)).unwrap();
    let hit = ray_cast_moving(&ball, &fleeing, &bullet).unwrap();
    assert!(hit.t.value > 0.4 && hit.t.value < 0.6);
    hit.verify_moving(&ball, &fleeing, &bullet, &RayOptions::default()).unwrap();
    let slow = Ray::new(DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0)).unwrap();
    let none = ray_cast_moving(&ball, &fleeing, &slow).unwrap_err();
    assert_eq!(none.verify_moving(&ball, &fleeing, &slow, &RayOptions::default()), Ok(()));
}

const BOTH: [ImpactAlgorithm; 2] = [ImpactAlgorithm::Conservative, ImpactAlgorithm::Elementary];

/// Queries by descent and by features, in both orders, verifies every answer, and returns their common result.
fn ask_both_ways(text: &str, a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Option<Impact> {
    let ask = |algorithm: ImpactAlgorithm| {
        let options = ImpactOptions { algorithm, ..ImpactOptions::default() };
        let (cache, workspace) = (&mut PairCache::default(), &mut Workspace::default());
        let found = time_of_impact_with(a, motion_a, b, motion_b, &options, cache, workspace);
        let other_order = time_of_impact_with(b, motion_b, a, motion_a, &options, cache, workspace);
        assert_eq!(
            found.map(|impact| impact.time.value),
            other_order.map(|impact| impact.time.value),
            "{text} {algorithm:?}"
        );
        if let Ok(impact) = &found {
            assert_eq!(impact.verify(a, motion_a, b, motion_b), Ok(()), "{text} {algorithm:?} {impact:?}");
        }
        found
    };
    let [descent, features] = BOTH.map(ask);
    match (descent, features) {
        (Err(_), Err(_)) => None,
        (Ok(descent), Ok(features)) => {
            // Both brackets hold the truth.
            assert!(
                descent.time.lower <= features.time.upper + features.gap
                    && features.time.lower <= descent.time.upper + descent.gap,
                "{text} {descent:?} {features:?}"
            );
            assert_eq!(descent.started_overlapping, features.started_overlapping, "{text}");
            assert_eq!(descent.touches, features.touches, "{text} {descent:?} {features:?}");
            Some(features)
        }
        _ => panic!("{text} {descent:?} {features:?}"),
    }
}

#[test]
fn features_agree_with_descent() {
    let mut random = Random::new(22);
    let (points, triangles) = bumpy_ball(5, 1.0, DVec3::new(0.1, 0.0, 0.2), 0.3);
    let (other_points, other_triangles) = bumpy_ball(4, 0.7, DVec3::ZERO, 0.2);
    let (mesh, other) =
        (Shape::mesh(&points, &triangles).unwrap(), Shape::mesh(&other_points, &other_triangles).unwrap());
    let (mut hits, mut misses, mut inside) = (0, 0, 0);
    for round in 0..60 {
        // Some far from the origin, some overlapping at the start.
        let far = if round % 5 == 0 { DVec3::new(1e7, -3e6, 2e5) } else { DVec3::ZERO };
        let apart = if round % 7 == 0 { 0.5 } else { 3.0 };
        let (start, still) = (random_pose(&mut random, apart), random_pose(&mut random, 0.2));
        let at = |pose: Pose| Pose::new(pose.rotation(), pose.translation() + far).unwrap();
        let way = -1.6 * start.translation() + DVec3::new(random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0), 0.0);
        let moving = Motion::translation(at(start), way).unwrap();
        // Both may move.
        let drift = if round % 3 == 0 { 0.5 * way } else { DVec3::ZERO };
        let moving = Motion::translation(moving.start(), way + drift).unwrap();
        let resting = Motion::translation(at(still), drift).unwrap();
        match ask_both_ways(&format!("{round}"), &mesh, &moving, &other, &resting) {
            Some(impact) if impact.started_overlapping => inside += 1,
            Some(_) => hits += 1,
            None => misses += 1,
        }
    }
    assert!(hits > 20 && misses > 3 && inside > 3, "{hits} {misses} {inside}");
}

#[test]
fn features_on_a_lattice_are_decided_exactly() {
    // A box of twelve triangles, and a sheet of some squares, on whole numbers: flat, edge on edge, corner on corner,
    // past each other.
    let corners: Vec<[f64; 3]> = (0..8).map(|k| [f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)]).collect();
    let faces = [[0u32, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7]];
    let sides = [[0u32, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
    let cube = Shape::mesh(&corners, &[&faces[..], &sides[..]].concat()).unwrap();
    let mut random = Random::new(5);
    let (mut hits, mut at_start) = (0, 0);
    for round in 0..300 {
        let whole = |random: &mut Random, most: i64| random.integer(-most, most) as f64;
        let start = DVec3::from_array([0; 3].map(|_| whole(&mut random, 3)));
        let way = DVec3::from_array([0; 3].map(|_| 2.0 * whole(&mut random, 1))) - 2.0 * start;
        // Two unit cubes, closed: along each axis they overlap while the offset is in [-1, 1].
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for k in 0..3 {
            let (x, d) = (start[k], way[k]);
            if d == 0.0 {
                if x.abs() > 1.0 {
                    leave = -1.0;
                }
                continue;
            }
            let (p, q) = ((-1.0 - x) / d, (1.0 - x) / d);
            (enter, leave) = (enter.max(p.min(q)), leave.min(p.max(q)));
        }
        let expected = (enter <= leave).then_some(enter);
        // Surfaces: a cube that begins in the same place touches from the start, all of it.
        let moving = Motion::translation(Pose::from_translation(start).unwrap(), way).unwrap();
        let found =
            ask_both_ways(&format!("{round} {start} {way}"), &cube, &Motion::still(Pose::IDENTITY), &cube, &moving);
        assert_eq!(found.is_some(), expected.is_some(), "{round} {start} {way}");
        if let (Some(found), Some(expected)) = (found, expected) {
            // Where the numbers do not decide contact, the answer only states how near they are at `upper`.
            let late = if found.touches { 0.0 } else { 1e-12 };
            assert!(found.time.lower <= expected && expected <= found.time.upper + late, "{found:?} {expected}");
            hits += u32::from(!found.started_overlapping);
            at_start += u32::from(found.started_overlapping);
        }
    }
    assert!(hits > 50 && at_start > 10, "{hits} {at_start}");
}

#[test]
fn degenerate_meshes_by_features() {
    let scaled = |points: &[[f64; 3]], triangles: &[[u32; 3]], scale: f64| {
        Shape::mesh(&points.iter().map(|p| p.map(|x| x * scale)).collect::<Vec<_>>(), triangles).unwrap()
    };
    let both = |scale: f64| {
        let needle = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let sheet = [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [0.0, 3.0, 0.0], [9.0; 3]];
        (scaled(&needle, &[[0, 1, 2], [2, 2, 0]], scale), scaled(&sheet, &[[0, 1, 2], [0, 1, 2]], scale))
    };
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    let still = Motion::still(Pose::IDENTITY);
    for scale in [1.0, 1e-59, 1e50] {
        let (needle, sheet) = both(scale);
        let moving = |from: Pose, way: DVec3| {
            let from = Pose::from_translation(from.translation() * scale).unwrap();
            Motion::translation(from, way * scale).unwrap()
        };
        let ask = |motion: &Motion| ask_both_ways(&format!("{scale}"), &needle, motion, &sheet, &still);
        // Flat onto it, through it on edge, within its plane, along it at a distance, at rest on it.
        assert!(
            ask(&moving(at(0.0, 0.0, 1.0), DVec3::new(0.0, 0.0, -4.0)))
                .is_some_and(|i| (i.time.value - 0.25).abs() < 1e-12)
        );
        assert!(ask(&moving(at(-3.5, 0.0, 0.0), DVec3::new(4.0, 0.0, 0.0))).is_some());
        assert!(ask(&moving(at(-3.5, 0.0, 0.5), DVec3::new(4.0, 0.0, 0.0))).is_none());
        assert!(ask(&moving(at(0.0, 0.0, 0.0), DVec3::new(0.0, 0.0, 1.0))).is_some_and(|i| i.started_overlapping));
        assert!(ask(&moving(at(0.0, 0.0, 1.0), DVec3::ZERO)).is_none());
    }
    // With a margin the descent is used.
    let (needle, sheet) = both(1.0);
    let options = ImpactOptions { algorithm: ImpactAlgorithm::Elementary, margin: 0.25, ..ImpactOptions::default() };
    let falling = Motion::translation(at(0.0, 0.0, 1.0), DVec3::new(0.0, 0.0, -1.0)).unwrap();
    let found = time_of_impact_with(
        &needle,
        &falling,
        &sheet,
        &still,
        &options,
        &mut PairCache::default(),
        &mut Workspace::default(),
    );
    assert!(found.is_ok_and(|impact| (impact.time.value - 0.75).abs() < 1e-12));
}
