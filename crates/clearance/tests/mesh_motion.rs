//! Meshes in translation, by brute force over their triangles.

mod common;

use clearance::glam::DVec3;
use clearance::{
    Motion, Pose, Ray, Shape, ray_cast_moving, sweeps_meet, time_of_impact, verify_impact, verify_ray_moving,
};
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
                if let Some(impact) = time_of_impact(a, &moving, b, &still) {
                    first = Some(first.map_or(impact.t, |first| first.min(impact.t)));
                }
            }
        }
        assert_eq!(found.is_some(), first.is_some());
        assert_eq!(sweeps_meet(&mesh.shape, &moving, body, &still), found.is_some());
        if let (Some(found), Some(first)) = (found, first) {
            hits += 1;
            assert!((found.t - first).abs() < 1e-9, "{} {first}", found.t);
            assert_eq!(verify_impact(&found, &mesh.shape, &moving, body, &still), Ok(()), "{found:?}");
            let mut wrong = found;
            wrong.part_a = mesh.triangles.len() as u32;
            assert!(verify_impact(&wrong, &mesh.shape, &moving, body, &still).is_err());
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
    assert!(hit.t > 0.4 && hit.t < 0.6);
    verify_ray_moving(&hit, &ball, &fleeing, &bullet).unwrap();
    let slow = Ray::new(DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0)).unwrap();
    assert!(ray_cast_moving(&ball, &fleeing, &slow).is_none());
}
