//! Points moving along rays against moving bodies: against exact rational arithmetic in the world, and against the
//! first contact of a small body on the same path.

use crate::common::first_hit_moving;
use crate::ray_truth;

use std::cmp::Ordering;

use clearance::answer::RayHit;
use clearance::glam::{DVec2, DVec3};
use clearance::query::RayOptions;
use clearance::query::ray_cast_moving;
use clearance::shape::{Compound, HeightField};
use clearance::{Motion, Pose, Ray, Shape, ray_cast, time_of_impact};
use clearance_oracle::Rational;
use clearance_oracle::random::Random;
use clearance_oracle::rational::{self, Vector};
use ray_truth::{exact, point_near, pose, side, solid, vector};

/// The exact position of the point at a time, relative to the body at its start.
fn relative(ray: &Ray, motion: &Motion, t: f64) -> Vector {
    let way = rational::subtract(&vector(ray.direction), &vector(motion.displacement()));
    rational::add(&vector(ray.origin), &rational::scale(&way, &exact(t)))
}

/// Checks a hit or a miss against the side of the boundary that the point is on at many times.
fn check(shape: &Shape, motion: &Motion, ray: &Ray) -> Option<RayHit> {
    let hit = first_hit_moving(shape, motion, ray);
    let text = || format!("{hit:?}\n{shape:?}\n{motion:?}\n{ray:?}");
    let at = |t: f64| side(shape, &motion.start(), &relative(ray, motion, t));
    let first = at(0.0);
    let until = hit.map_or(1.0, |hit| hit.t.lower);
    for k in 0..=8 {
        let t = until * f64::from(k) / 8.0;
        let there = at(t);
        if first == Ordering::Greater {
            assert_ne!(there, Ordering::Less, "inside at {t} before the hit\n{}", text());
        } else if first == Ordering::Less {
            assert_ne!(there, Ordering::Greater, "outside at {t} before the hit\n{}", text());
        }
    }
    let hit = hit?;
    hit.verify_moving(shape, motion, ray, &RayOptions::default())
        .unwrap_or_else(|refusal| panic!("{refusal}\n{}", text()));
    assert!(
        hit.t.lower <= hit.t.value && hit.t.value <= hit.t.upper && (0.0..=1.0).contains(&hit.t.value),
        "{}",
        text()
    );
    assert!((hit.normal.length() - 1.0).abs() < 1e-14, "{}", text());
    let (outer, inner) = if hit.entering { (hit.t.lower, hit.t.upper) } else { (hit.t.upper, hit.t.lower) };
    assert_ne!(at(outer), Ordering::Less, "{}", text());
    // Touched in passing, both ends are outside.
    let grazed = at(hit.t.lower) == Ordering::Greater && at(hit.t.upper) == Ordering::Greater;
    assert!(grazed || at(inner) != Ordering::Greater, "{}", text());
    // The point of the body is where the ray's point is then.
    let moved = motion.at(hit.t.value).transform_point(hit.witness.point);
    let reach = ray.origin.length() + ray.direction.length() + motion.displacement().length();
    assert!((moved - ray.at(hit.t.value)).length() < 1e-11 * (reach + shape.diameter().min(reach)), "{}", text());
    Some(hit)
}

fn motion_of(pose: Pose, way: [f64; 3]) -> Motion {
    Motion::translation(pose, DVec3::from_array(way)).unwrap()
}

fn sweep(seed: u64, count: usize, size: f64, far: f64, make: impl Fn(&mut Random) -> Shape) {
    let mut random = Random::new(seed);
    let (mut hits, mut misses, mut rounded) = (0, 0, 0);
    for _ in 0..count {
        let shape = make(&mut random);
        let start = pose(&mut random, far);
        let speed = 3.0 * size * random.scale(-2, 2);
        let way = DVec3::from_array(random.in_cube(speed));
        let motion = Motion::translation(start, way).unwrap();
        // Roughly through a point near the body at some time of the step.
        let (from, to) = if matches!(shape, Shape::HalfSpace(_)) {
            (random.in_cube(4.0 * size), random.in_cube(4.0 * size))
        } else {
            let target = point_near(&mut random, &shape, &start, 1.2);
            let origin = target + DVec3::from_array(random.direction()) * random.uniform(0.0, 4.0 * size);
            (origin.to_array(), (target + way * 0.5).to_array())
        };
        let (from, to) = (DVec3::from_array(from), DVec3::from_array(to));
        let Ok(ray) = Ray::new(from, (to - from) * random.uniform(0.5, 3.0)) else { continue };
        let difference = ray.direction - way;
        rounded += usize::from(vector(difference) != rational::subtract(&vector(ray.direction), &vector(way)));
        if check(&shape, &motion, &ray).is_some() { hits += 1 } else { misses += 1 }
    }
    assert!(hits > count / 40 && misses > 0 && rounded > count / 4, "{hits} {misses} {rounded} of {count}");
}

#[test]
fn balls_boxes_capsules_and_half_spaces() {
    let size = |random: &mut Random| random.uniform(0.2, 1.5);
    sweep(1, 150, 1.0, 3.0, |r| Shape::sphere(size(r)).unwrap());
    sweep(2, 150, 1.0, 3.0, |r| Shape::cuboid(DVec3::new(size(r), size(r), size(r))).unwrap());
    sweep(3, 150, 1.0, 3.0, |r| Shape::capsule(size(r), size(r)).unwrap());
    sweep(4, 150, 1.0, 0.5, |r| Shape::half_space(DVec3::from_array(r.direction()), r.uniform(-0.5, 0.5)).unwrap());
}

#[test]
fn every_other_solid_at_every_size_and_place() {
    sweep(5, 120, 1.0, 3.0, |r| solid(r, 1.0, false));
    sweep(6, 40, 1e-6, 1e-6, |r| solid(r, 1e-6, false));
    sweep(7, 40, 1e6, 1e6, |r| solid(r, 1e6, false));
    sweep(8, 40, 1.0, 1e7, |r| solid(r, 1.0, false));
    sweep(9, 60, 1.0, 3.0, |r| solid(r, 1.0, true));
}

/// A difference of displacements that a float does not hold decides whether the point reaches the body.
#[test]
fn the_difference_of_displacements_is_not_rounded() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let tiny = 2f64.powi(-60);
    let ray = |x: f64| Ray::new(DVec3::new(-3.0, 0.0, 0.0), DVec3::new(x, 0.0, 0.0)).unwrap();
    let approach = motion_of(Pose::IDENTITY, [-1.0, 0.0, 0.0]);
    assert_eq!(check(&cube, &approach, &ray(1.0)).unwrap().t.value, 1.0);
    let slower = motion_of(Pose::IDENTITY, [-tiny, 0.0, 0.0]);
    let end = |x: f64| first_hit_moving(&cube, &slower, &ray(x));
    // 2 + 2^-60 reaches the face; 2 - 2^-52 + 2^-60 does not.
    assert!(end(2.0).is_some() && end(2.0f64.next_down()).is_none());
    let faster = motion_of(Pose::IDENTITY, [tiny, 0.0, 0.0]);
    // 2 - 2^-60 rounds to 2, and does not reach the face.
    assert!(first_hit_moving(&cube, &faster, &ray(2.0)).is_none());
    assert!(first_hit_moving(&Shape::sphere(1.0).unwrap(), &faster, &ray(2.0)).is_none());
    assert!(first_hit_moving(&Shape::sphere(1.0).unwrap(), &slower, &ray(2.0)).is_some());
    let wall = Shape::half_space(DVec3::NEG_X, 1.0).unwrap();
    assert!(first_hit_moving(&wall, &faster, &ray(2.0)).is_none());
    assert!(first_hit_moving(&wall, &slower, &ray(2.0)).is_some());
}

#[test]
fn grazing_gliding_starting_on_and_inside() {
    let steps = [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0];
    let shapes = [
        Shape::sphere(1.0).unwrap(),
        Shape::cuboid(DVec3::ONE).unwrap(),
        Shape::capsule(0.5, 0.5).unwrap(),
        Shape::half_space(DVec3::Z, 1.0).unwrap(),
        Shape::cylinder(1.0, 1.0).unwrap(),
    ];
    let mut hits = 0;
    for shape in &shapes {
        for x in steps {
            for y in steps {
                for way in [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.5, 0.5, 0.5]] {
                    let motion = motion_of(Pose::IDENTITY, way);
                    let ray = Ray::new(DVec3::new(x, y, -2.0), DVec3::new(way[0], way[1], 4.0)).unwrap();
                    hits += usize::from(check(shape, &motion, &ray).is_some());
                }
            }
        }
    }
    assert!(hits > 200, "{hits}");
    // Inside at the start: it leaves.
    let drifting = motion_of(Pose::IDENTITY, [1.0, 0.0, 0.0]);
    let ray = Ray::new(DVec3::ZERO, DVec3::new(-1.0, 0.0, 0.0)).unwrap();
    let hit = check(&shapes[0], &drifting, &ray).unwrap();
    assert!(hit.t.value == 0.5 && !hit.entering && hit.witness.point == -DVec3::X, "{hit:?}");
}

#[test]
fn a_body_at_rest_is_an_ordinary_ray_cast_and_relative_rest_is_no_hit() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let turned = Pose::from_axis_angle(DVec3::ONE, 0.5, DVec3::new(0.2, 0.1, 0.0)).unwrap();
    let ray = Ray::new(DVec3::new(-5.0, 0.1, 0.2), DVec3::new(8.0, 0.1, 0.0)).unwrap();
    assert_eq!(ray_cast_moving(&cube, &Motion::still(turned), &ray), ray_cast(&cube, &turned, &ray));
    for origin in [DVec3::ZERO, DVec3::X, DVec3::new(3.0, 0.0, 0.0)] {
        let along = Ray::new(origin, DVec3::new(1e6, 1.0, 3.0)).unwrap();
        let alike = Motion::translation(Pose::IDENTITY, along.direction).unwrap();
        assert!(first_hit_moving(&cube, &alike, &along).is_none());
        let hit = ray_cast(&cube, &Pose::IDENTITY, &ray).unwrap();
        assert!(hit.verify_moving(&cube, &alike, &along, &RayOptions::default()).is_err());
    }
}

/// A tiny ball moving along the ray makes contact when the point does.
#[test]
fn agrees_with_the_first_contact_of_a_small_body() {
    let mut random = Random::new(11);
    let grain = Shape::sphere(1e-12).unwrap();
    let mut hits = 0;
    for _ in 0..200 {
        let shape = solid(&mut random, 1.0, false);
        let motion = motion_of(pose(&mut random, 0.5), random.in_cube(2.0));
        let origin = DVec3::from_array(random.direction()) * 6.0;
        let aim = DVec3::from_array(random.in_ball());
        let ray = Ray::new(origin, (aim - origin) * 1.5).unwrap();
        let flying = Motion::translation(Pose::from_translation(origin).unwrap(), ray.direction).unwrap();
        let hit = check(&shape, &motion, &ray);
        let impact = time_of_impact(&shape, &motion, &grain, &flying);
        if let (Some(hit), Ok(impact)) = (&hit, &impact) {
            hits += 1;
            let slope = hit.normal.dot(ray.direction - motion.displacement()).abs();
            assert!((hit.t.value - impact.time.value).abs() < 1e-10 / slope.max(1e-3), "{hit:?}\n{impact:?}");
            assert!(impact.time.lower <= hit.t.upper, "{hit:?}\n{impact:?}");
        } else {
            assert!(hit.is_none(), "{hit:?} {impact:?}");
        }
    }
    assert!(hits > 30, "{hits}");
}

#[test]
fn compounds_and_terrain() {
    let mut random = Random::new(12);
    let mut hits = 0;
    for _ in 0..60 {
        let parts = (0..4).map(|_| (pose(&mut random, 1.5), solid(&mut random, 0.7, false))).collect();
        let shape = Shape::Compound(Compound::new(parts).unwrap());
        let motion = motion_of(pose(&mut random, 0.5), random.in_cube(2.0));
        let origin = DVec3::from_array(random.direction()) * 8.0;
        let ray = Ray::new(origin, (DVec3::from_array(random.in_ball()) - origin) * 1.5).unwrap();
        let Some(hit) = first_hit_moving(&shape, &motion, &ray) else { continue };
        hit.verify_moving(&shape, &motion, &ray, &RayOptions::default()).unwrap_or_else(|e| panic!("{e} {hit:?}"));
        let at = |t: f64| side(&shape, &motion.start(), &relative(&ray, &motion, t));
        for k in 0..32 {
            assert_eq!(at(hit.t.lower * f64::from(k) / 32.0), Ordering::Greater, "{hit:?}");
        }
        assert_ne!(at(hit.t.upper), Ordering::Greater, "{hit:?}");
        hits += 1;
    }
    assert!(hits > 10, "{hits}");
    // Flat terrain that rises while a point falls.
    let field = Shape::HeightField(HeightField::new(8, 8, DVec2::ONE, vec![1.0; 64]).unwrap());
    let rising = motion_of(Pose::IDENTITY, [0.0, 0.0, 1.0]);
    let ray = Ray::new(DVec3::new(3.25, 3.5, 4.0), DVec3::new(0.5, 0.0, -5.0)).unwrap();
    let hit = first_hit_moving(&field, &rising, &ray).unwrap();
    hit.verify_moving(&field, &rising, &ray, &RayOptions::default()).unwrap_or_else(|e| panic!("{e} {hit:?}"));
    assert!(hit.t.value == 0.5 && hit.entering && hit.normal == DVec3::Z, "{hit:?}");
    assert_eq!(hit.witness.point, DVec3::new(3.5, 3.5, 1.0));
    let level = Rational::from(1);
    assert!(relative(&ray, &rising, hit.t.lower)[2] >= level && relative(&ray, &rising, hit.t.upper)[2] <= level);
}

#[test]
fn perturbed_hits_are_refused() {
    let can = Shape::cylinder(1.0, 0.5).unwrap();
    let start = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 0.5), 0.8, DVec3::new(0.1, 0.0, 0.2)).unwrap();
    let motion = motion_of(start, [0.3, -0.7, 0.1]);
    let ray = Ray::new(DVec3::new(-4.0, 0.3, 0.2), DVec3::new(7.0, -0.6, 0.0)).unwrap();
    let hit = check(&can, &motion, &ray).unwrap();
    type Edit = (&'static str, fn(&mut RayHit));
    let edits: [Edit; 7] = [
        ("later", |h| (h.t.lower, h.t.value, h.t.upper) = (h.t.lower + 1e-12, h.t.value + 1e-12, h.t.upper + 1e-12)),
        ("earlier", |h| (h.t.lower, h.t.value, h.t.upper) = (h.t.lower - 1e-12, h.t.value - 1e-12, h.t.upper - 1e-12)),
        ("t", |h| h.t.value = f64::NAN),
        ("point", |h| h.witness.point.x += 1e-6),
        ("normal", |h| h.normal = -h.normal),
        ("entering", |h| h.entering = !h.entering),
        ("part", |h| h.witness.part = 3),
    ];
    for (name, edit) in edits {
        let mut wrong = hit;
        edit(&mut wrong);
        assert!(
            wrong.verify_moving(&can, &motion, &ray, &RayOptions::default()).is_err(),
            "{name} accepted: {wrong:?}"
        );
    }
    // A different motion, and a body at rest, are different queries.
    assert!(hit.verify_moving(&can, &Motion::still(start), &ray, &RayOptions::default()).is_err());
    assert!(Ray::new(DVec3::ZERO, DVec3::new(f64::NAN, 0.0, 0.0)).is_err());
    assert!(Ray::new(DVec3::ZERO, DVec3::ZERO).is_err());
    assert!(Motion::translation(Pose::IDENTITY, DVec3::splat(f64::INFINITY)).is_err());
    // The ends of the range.
    for size in [1e-60, 1e59] {
        let ray = Ray::new(DVec3::new(-3.0 * size, 0.0, 0.0), DVec3::new(4.0 * size, 0.0, 0.0)).unwrap();
        let motion = motion_of(Pose::IDENTITY, [-size, size, 0.0]);
        if let Some(hit) = first_hit_moving(&Shape::sphere(size).unwrap(), &motion, &ray) {
            assert!(hit.t.value.is_finite() && hit.t.lower <= hit.t.value && hit.t.value <= hit.t.upper, "{hit:?}");
        }
    }
}
