//! Points against every kind of body: containment exactly, distances against the exact oracle and the bodies' own
//! boundaries.

use crate::ray_truth;

use std::cmp::Ordering;
use std::sync::Arc;

use clearance::glam::{DMat3, DVec3};
use clearance::query::RayOptions;
use clearance::query::ray_cast_all_with;
use clearance::shape::Feature;
use clearance::{Pose, Ray, Shape, closest_point, contains, signed_distance};
use clearance_oracle::random::Random;
use clearance_oracle::{OracleBody, Scenario};
use ray_truth::{Egg, point_near, pose, side, solid, vector};

fn scale(shape: &Shape, pose: &Pose, point: DVec3) -> f64 {
    shape.diameter() + (pose.transform_point(shape.bounds().center()) - point).length()
}

/// A boundary point in a random direction from the centre of the body, rounded.
fn boundary(random: &mut Random, shape: &Shape, pose: &Pose) -> DVec3 {
    let middle = pose.transform_point(shape.mass_properties().center);
    let ray = Ray::new(middle, DVec3::from_array(random.direction())).unwrap();
    let mut hits = Vec::new();
    ray_cast_all_with(shape, pose, &ray, &RayOptions::default(), &mut hits);
    ray.at(hits.last().unwrap().t.value)
}

/// Checks that hold for any point and any solid that is not a compound.
fn check(shape: &Shape, pose: &Pose, point: DVec3, random: &mut Random) {
    let truth = side(shape, pose, &vector(point));
    let held = contains(shape, pose, point);
    let signed = signed_distance(shape, pose, point);
    let nearest = closest_point(shape, pose, point);
    let context = || format!("{shape:?}\n{pose:?}\n{point:?}\n{truth:?} {held}\n{signed:?}\n{nearest:?}");
    assert_eq!(held, truth != Ordering::Greater, "{}", context());
    let unit = scale(shape, pose, point);
    assert!(
        signed.distance.lower <= signed.distance.value && signed.distance.value <= signed.distance.upper,
        "{}",
        context()
    );
    assert!(signed.distance.upper - signed.distance.lower <= (1e-12 + 2.0 * pose.defect()) * unit, "{}", context());
    match truth {
        Ordering::Greater => assert!(signed.distance.upper > 0.0, "{}", context()),
        Ordering::Equal => assert!(signed.distance.lower <= 0.0 && 0.0 <= signed.distance.upper, "{}", context()),
        Ordering::Less => assert!(signed.distance.lower < 0.0, "{}", context()),
    }
    if held {
        assert_eq!(
            (nearest.distance.value, nearest.distance.upper, nearest.witness.feature),
            (0.0, 0.0, Feature::Interior),
            "{}",
            context()
        );
    } else {
        assert!(
            nearest.distance.lower <= nearest.distance.value && nearest.distance.value <= nearest.distance.upper,
            "{}",
            context()
        );
        assert!(nearest.distance.value == signed.distance.value.max(0.0), "{}", context());
    }
    signed.verify(shape, pose, point).unwrap_or_else(|refusal| panic!("{refusal}\n{}", context()));
    nearest.verify(shape, pose, point).unwrap_or_else(|refusal| panic!("{refusal}\n{}", context()));
    // The nearest point is on the boundary and that far away, along the normal.
    let there = pose.transform_point(signed.witness.point);
    let slack = 1e-12 * unit + 1e-15 * pose.translation().length();
    assert!(((there - point).length() - signed.distance.value.abs()).abs() <= slack, "{}", context());
    assert!((signed.normal.length() - 1.0).abs() < 1e-14, "{}", context());
    assert!((there + signed.normal * signed.distance.value - point).length() <= 1e-6 * unit, "{}", context());
    // No boundary point is nearer.
    for _ in 0..8 {
        let other = boundary(random, shape, pose);
        assert!(
            (other - point).length() >= signed.distance.lower.abs().min(signed.distance.upper.abs()) - slack,
            "{}",
            context()
        );
    }
}

fn sweep(seed: u64, count: usize, size: f64, thin: bool, far: f64) {
    let mut random = Random::new(seed);
    for _ in 0..count {
        let shape = solid(&mut random, size, thin);
        let pose = pose(&mut random, far);
        let reach = [0.2, 1.0, 3.0][random.index(3)];
        let point = point_near(&mut random, &shape, &pose, reach);
        check(&shape, &pose, point, &mut random);
    }
}

#[test]
fn points_at_unit_size() {
    sweep(1, 500, 1.0, false, 3.0);
}

#[test]
fn points_far_from_the_origin() {
    sweep(2, 150, 1.0, false, 1e7);
}

#[test]
fn points_near_tiny_huge_and_thin_bodies() {
    sweep(3, 100, 1e-6, false, 1e-6);
    sweep(4, 100, 1e6, false, 1e6);
    sweep(5, 150, 1.0, true, 3.0);
}

#[test]
fn points_on_a_grid_that_the_bodies_share() {
    let steps = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0];
    let shapes = [
        Shape::sphere(1.0).unwrap(),
        Shape::cuboid(DVec3::new(1.0, 0.5, 1.0)).unwrap(),
        Shape::hull(&[
            [1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
        ])
        .unwrap(),
        Shape::tetrahedron([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
        Shape::capsule(0.5, 0.5).unwrap(),
        Shape::cylinder(1.0, 1.0).unwrap(),
        Shape::cone(1.0, 1.0).unwrap(),
        Shape::ellipsoid(DVec3::new(1.0, 0.5, 2.0)).unwrap(),
        Shape::ellipsoid(DVec3::ONE).unwrap(),
    ];
    let mut random = Random::new(9);
    for shape in &shapes {
        for &x in &steps {
            for &y in &steps {
                for &z in &steps {
                    check(shape, &Pose::IDENTITY, DVec3::new(x, y, z), &mut random);
                }
            }
        }
    }
}

#[test]
fn points_at_the_centre_of_rotated_bodies() {
    let mut random = Random::new(71);
    for _ in 0..60 {
        let shape = solid(&mut random, 1.0, false);
        let pose = pose(&mut random, 5.0);
        check(&shape, &pose, pose.translation(), &mut random);
        // On an axis of the body, as far as rounding allows.
        let on_axis = pose.transform_point(DVec3::new(0.0, 0.0, random.uniform(-1.5, 1.5)));
        check(&shape, &pose, on_axis, &mut random);
    }
}

#[test]
fn polytopes_agree_with_the_exact_oracle() {
    let mut random = Random::new(31);
    for seed in 0..150 {
        let (body, _) = clearance_oracle::pair(Scenario::ALL[seed as usize % Scenario::ALL.len()], seed);
        if body.radius != 0.0 {
            continue;
        }
        let shape = match body.as_cuboid() {
            Some(half) => Shape::cuboid(DVec3::from_array(half)).unwrap(),
            None => Shape::flat_hull(&body.core_vertices).unwrap(),
        };
        let rows = body.rotation.map(DVec3::from_array);
        let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
        let pose = Pose::new(rotation, DVec3::from_array(body.translation)).unwrap();
        for reach in [0.3, 1.0, 4.0] {
            let point = point_near(&mut random, &shape, &pose, reach);
            let single = OracleBody::hull(vec![[0.0; 3]]).translated(point.to_array());
            let truth = clearance_oracle::signed_distance(&body, &single);
            let signed = signed_distance(&shape, &pose, point);
            assert!(
                truth.is_within(signed.distance.lower, signed.distance.upper),
                "{shape:?} {pose:?} {point:?} {signed:?}"
            );
            assert_eq!(contains(&shape, &pose, point), truth.sign() != Ordering::Greater, "{shape:?} {point:?}");
            let nearest = closest_point(&shape, &pose, point);
            if truth.sign() == Ordering::Greater {
                assert!(truth.is_within(nearest.distance.lower, nearest.distance.upper), "{nearest:?}");
            } else {
                assert_eq!(nearest.distance.value, 0.0);
            }
        }
    }
}

#[test]
fn flat_bodies_have_no_inside() {
    let triangle = Shape::triangle(DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0).unwrap();
    for (point, on) in [
        (DVec3::new(1.0, 1.0, 0.0), true),
        (DVec3::new(2.0, 2.0, 0.0), true),
        (DVec3::new(2.0, 2.0f64.next_up(), 0.0), false),
        (DVec3::new(1.0, 1.0, 5e-324), false),
        (DVec3::new(0.0, 4.0, 0.0), true),
    ] {
        assert_eq!(contains(&triangle, &Pose::IDENTITY, point), on, "{point:?}");
        let signed = signed_distance(&triangle, &Pose::IDENTITY, point);
        assert!(
            signed.distance.lower <= 0.0 && 0.0 <= signed.distance.upper && signed.distance.upper < 1e-13,
            "{signed:?}"
        );
    }
    let segment = Shape::segment(DVec3::ZERO, DVec3::new(3.0, 3.0, 3.0)).unwrap();
    assert!(contains(&segment, &Pose::IDENTITY, DVec3::ONE));
    assert!(!contains(&segment, &Pose::IDENTITY, DVec3::new(1.0, 1.0, 1.0f64.next_up())));
    assert!(!contains(&segment, &Pose::IDENTITY, DVec3::splat(3.0f64.next_up())));
    let above = signed_distance(&triangle, &Pose::IDENTITY, DVec3::new(1.0, 1.0, 2.0));
    assert_eq!((above.distance.value, above.normal, above.witness.feature), (2.0, DVec3::Z, Feature::Face(0)));
}

#[test]
fn half_spaces() {
    let ground = Shape::half_space(DVec3::new(0.0, 0.0, 2.0), 1.0).unwrap();
    for (z, value) in [(3.0, 2.5), (0.5, 0.0), (-4.0, -4.5)] {
        let point = DVec3::new(7.0, -3.0, z);
        let signed = signed_distance(&ground, &Pose::IDENTITY, point);
        assert_eq!((signed.distance.value, signed.normal), (value, DVec3::Z));
        assert_eq!(contains(&ground, &Pose::IDENTITY, point), value <= 0.0);
        assert_eq!(closest_point(&ground, &Pose::IDENTITY, point).distance.value, value.max(0.0));
    }
}

#[test]
fn rounded_bodies_are_their_cores_and_more() {
    let mut random = Random::new(41);
    for round in 0..120 {
        let core = solid(&mut random, 1.0, false);
        let pose = pose(&mut random, 3.0);
        let radius = random.uniform(0.1, 0.5);
        let soft = Shape::rounded(core.clone(), radius).unwrap();
        let point = point_near(&mut random, &soft, &pose, 1.5);
        let (inner, outer) = (signed_distance(&core, &pose, point), signed_distance(&soft, &pose, point));
        let context = format!("{round} {core:?} {pose:?} {point:?}\n{inner:?}\n{outer:?}");
        assert!((outer.distance.value - (inner.distance.value - radius)).abs() < 1e-14, "{context}");
        assert!(
            outer.distance.lower <= inner.distance.upper - radius + 1e-15
                && inner.distance.lower - radius - 1e-15 <= outer.distance.upper,
            "{context}"
        );
        assert_eq!(contains(&soft, &pose, point), outer.distance.lower <= 0.0, "{context}");
        outer.verify(&soft, &pose, point).unwrap_or_else(|refusal| panic!("{refusal}\n{context}"));
        let nearest = closest_point(&soft, &pose, point);
        nearest.verify(&soft, &pose, point).unwrap_or_else(|refusal| panic!("{refusal}\n{nearest:?}\n{context}"));
    }
}

#[test]
fn custom_bodies_agree_with_their_own_kind() {
    let mut random = Random::new(43);
    for _ in 0..40 {
        let axes = DVec3::new(random.uniform(0.5, 1.0), random.uniform(0.5, 1.0), random.uniform(0.5, 1.0));
        let (custom, egg) = (Shape::custom(Arc::new(Egg(axes))).unwrap(), Shape::ellipsoid(axes).unwrap());
        let pose = pose(&mut random, 2.0);
        let point = point_near(&mut random, &egg, &pose, 2.0);
        let (a, b) = (signed_distance(&custom, &pose, point), signed_distance(&egg, &pose, point));
        assert!(a.distance.lower <= b.distance.upper && b.distance.lower <= a.distance.upper, "{a:?}\n{b:?}");
        if b.distance.value > 1e-9 {
            assert!(a.distance.upper - a.distance.lower < 1e-7, "{a:?}");
            assert!(!contains(&custom, &pose, point));
        } else if b.distance.value < 0.0 {
            assert!(contains(&custom, &pose, point));
            assert!(a.distance.value < 0.0 && a.distance.upper - a.distance.lower < 0.2, "{a:?}\n{b:?}");
        }
    }
}

#[test]
fn compounds_are_unions() {
    let mut random = Random::new(47);
    let mut inside = 0;
    for _ in 0..80 {
        let parts: Vec<(Pose, Shape)> =
            (0..1 + random.index(4)).map(|_| (pose(&mut random, 0.7), solid(&mut random, 1.0, false))).collect();
        let compound = Shape::compound(parts.clone()).unwrap();
        let pose = pose(&mut random, 5.0);
        let point = point_near(&mut random, &compound, &pose, 1.0);
        let truth = side(&compound, &pose, &vector(point));
        let signed = signed_distance(&compound, &pose, point);
        let context = || format!("{parts:?} {pose:?} {point:?}\n{signed:?}");
        assert_eq!(contains(&compound, &pose, point), truth != Ordering::Greater, "{}", context());
        assert!(
            signed.distance.lower <= signed.distance.value && signed.distance.value <= signed.distance.upper,
            "{}",
            context()
        );
        let there = pose.transform_point(signed.witness.point);
        if truth == Ordering::Greater {
            assert!(
                signed.distance.lower >= 0.0 && signed.distance.upper - signed.distance.lower < 1e-12,
                "{}",
                context()
            );
            assert!(((there - point).length() - signed.distance.value).abs() < 1e-12, "{}", context());
            continue;
        }
        inside += 1;
        assert!(signed.distance.lower < 0.0, "{}", context());
        // The whole ball of the proved depth is in the union.
        for _ in 0..40 {
            let at = point + DVec3::from_array(random.direction()) * -signed.distance.upper * (1.0 - 1e-12);
            assert!(signed.distance.upper >= 0.0 || contains(&compound, &pose, at), "{}", context());
        }
        // And there is an exit as short as claimed.
        let way = (there - point).length();
        let out = there + (there - point) * (1e-9 / way.max(1e-3));
        if way > 1e-6 {
            assert!(!contains(&compound, &pose, out) || signed.distance.lower < -way - 1e-12, "{}", context());
        }
    }
    assert!(inside > 15, "{inside}");
}

#[test]
fn points_that_are_not_finite_or_too_large() {
    for point in [DVec3::new(f64::NAN, 0.0, 0.0), DVec3::new(0.0, f64::INFINITY, 0.0), DVec3::new(0.0, 0.0, 1e61)] {
        let ball = Shape::sphere(1.0).unwrap();
        assert!(!contains(&ball, &Pose::IDENTITY, point));
        let nearest = closest_point(&ball, &Pose::IDENTITY, point);
        assert_eq!(
            (nearest.distance.value, nearest.distance.lower, nearest.distance.upper),
            (f64::INFINITY, 0.0, f64::INFINITY)
        );
        let signed = signed_distance(&ball, &Pose::IDENTITY, point);
        assert_eq!(
            (signed.distance.value, signed.distance.lower, signed.distance.upper),
            (f64::INFINITY, 0.0, f64::INFINITY)
        );
    }
}
