//! Rays against every kind of body, compared with exact membership.

use crate::common::first_hit;
use crate::ray_truth;

use std::cmp::Ordering;
use std::sync::Arc;

use clearance::answer::RayHit;
use clearance::glam::DVec3;
use clearance::query::ray_cast_all_with;
use clearance::query::{RayHitMode, RayOptions};
use clearance::shape::Feature;
use clearance::{Pose, Ray, Shape, ray_cast};
use clearance_oracle::random::Random;
use proptest::prelude::*;
use ray_truth::{Egg, along, point_near, pose, side, solid};

fn line_hits(shape: &Shape, pose: &Pose, ray: &Ray) -> Vec<RayHit> {
    let mut hits = Vec::new();
    ray_cast_all_with(shape, pose, ray, &RayOptions::line(), &mut hits);
    hits
}

/// The unit of accuracy: the body's size and its distance from the ray's origin.
fn scale(shape: &Shape, pose: &Pose, ray: &Ray) -> f64 {
    let middle = pose.transform_point(shape.bounds().center());
    shape.diameter() + (middle - ray.origin).length()
}

/// Checks the crossings of a convex solid by a line against exact membership.
fn check_solid(shape: &Shape, pose: &Pose, ray: &Ray, accuracy: f64) -> Vec<RayHit> {
    let hits = line_hits(shape, pose, ray);
    let context = || format!("{shape:?}\n{pose:?}\n{ray:?}\n{hits:#?}");
    let at = |t: f64| side(shape, pose, &along(ray.origin, ray.direction, t));
    if hits.is_empty() {
        // Outside everywhere: tested where the line is nearest the centre, and around there.
        let middle = pose.transform_point(shape.bounds().center());
        let d = ray.direction;
        let nearest = (middle - ray.origin).dot(d) / d.length_squared();
        let step = shape.diameter() / d.length();
        for k in -8..=8 {
            assert_eq!(at(nearest + step * f64::from(k) / 8.0), Ordering::Greater, "missed\n{}", context());
        }
        return hits;
    }
    assert_eq!(hits.len(), 2, "{}", context());
    let [start, end] = [hits[0], hits[1]];
    assert!(start.entering && !end.entering, "{}", context());
    for hit in &hits {
        assert!(hit.t.lower <= hit.t.value && hit.t.value <= hit.t.upper, "{}", context());
        assert!((hit.normal.length() - 1.0).abs() < 1e-14, "{}", context());
        let width = (hit.t.upper - hit.t.lower) * ray.direction.length();
        assert!(width <= accuracy * scale(shape, pose, ray), "width {width:e}\n{}", context());
        hit.verify(shape, pose, ray, &RayOptions::line()).unwrap_or_else(|refusal| panic!("{refusal}\n{}", context()));
        let off = pose.transform_point(hit.witness.point).distance(ray.at(hit.t.value));
        let unit = scale(shape, pose, ray) + pose.translation().length() + ray.origin.length();
        assert!(off <= 1e-14 * unit, "point off by {off:e}\n{}", context());
    }
    assert!(start.normal.dot(ray.direction) <= 1e-9 * ray.direction.length(), "{}", context());
    assert!(end.normal.dot(ray.direction) >= -1e-9 * ray.direction.length(), "{}", context());
    // Not inside before the entry, nor after the exit.
    assert_ne!(at(start.t.lower), Ordering::Less, "entry too late\n{}", context());
    assert_ne!(at(end.t.upper), Ordering::Less, "exit too early\n{}", context());
    if start.t.upper < end.t.lower {
        assert_ne!(at(start.t.upper), Ordering::Greater, "entry too early\n{}", context());
        assert_ne!(at(end.t.lower), Ordering::Greater, "exit too late\n{}", context());
    }
    hits
}

/// A ray from a distance through a point.
fn ray_through(random: &mut Random, target: DVec3, far: f64) -> Ray {
    let direction = DVec3::from_array(random.direction()) * random.scale(-3, 3);
    let origin = target - direction.normalize() * random.uniform(-far, far);
    Ray::new(origin, direction).unwrap()
}

fn sweep(seed: u64, count: usize, size: f64, thin: bool, far: f64) {
    let mut random = Random::new(seed);
    let mut hit = 0;
    for _ in 0..count {
        let shape = solid(&mut random, size, thin);
        let pose = pose(&mut random, far);
        let target = point_near(&mut random, &shape, &pose, 1.1);
        let ray = ray_through(&mut random, target, 5.0 * size);
        hit += usize::from(!check_solid(&shape, &pose, &ray, 1e-12).is_empty());
    }
    assert!(hit > count / 4, "only {hit} of {count} rays hit");
}

#[test]
fn rays_at_unit_size() {
    sweep(1, 400, 1.0, false, 3.0);
}

#[test]
fn rays_far_from_the_origin() {
    sweep(2, 120, 1.0, false, 1e7);
}

#[test]
fn rays_at_tiny_and_huge_bodies() {
    sweep(3, 100, 1e-6, false, 1e-6);
    sweep(4, 100, 1e6, false, 1e6);
    sweep(5, 60, 1e-6, false, 1e6);
}

#[test]
fn rays_at_thin_bodies() {
    sweep(6, 200, 1.0, true, 3.0);
}

#[test]
fn rays_from_afar() {
    let mut random = Random::new(7);
    for _ in 0..80 {
        let shape = solid(&mut random, 1.0, false);
        let pose = pose(&mut random, 3.0);
        let target = point_near(&mut random, &shape, &pose, 0.3);
        let ray = ray_through(&mut random, target, 1e9);
        check_solid(&shape, &pose, &ray, 1e-12);
    }
}

#[test]
fn rays_along_axes_graze_and_glide() {
    // Coordinates on a common grid: through vertices, along edges, in faces, tangent, along the axis.
    let steps = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0];
    let corners: Vec<[f64; 3]> = (0..8)
        .map(|i| [f64::from(i & 1) * 2.0 - 1.0, f64::from(i >> 1 & 1) - 0.5, f64::from(i >> 2) * 2.0 - 1.0])
        .collect();
    let shapes = [
        Shape::sphere(1.0).unwrap(),
        Shape::cuboid(DVec3::new(1.0, 0.5, 1.0)).unwrap(),
        Shape::hull(&corners).unwrap(),
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
        Shape::cone(0.5, 1.0).unwrap(),
        Shape::ellipsoid(DVec3::new(1.0, 0.5, 2.0)).unwrap(),
    ];
    let directions = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::new(1.0, 1.0, 0.0),
        DVec3::new(1.0, 0.0, -1.0),
        DVec3::new(2.0, 0.0, 1.0),
    ];
    let mut touching = 0;
    for shape in &shapes {
        for direction in directions {
            for &x in &steps {
                for &y in &steps {
                    for &z in &steps {
                        let ray = Ray::new(DVec3::new(x, y, z), direction).unwrap();
                        let hits = check_solid(shape, &Pose::IDENTITY, &ray, 1e-12);
                        touching += usize::from(hits.first().is_some_and(|hit| hit.t.value == hits[1].t.value));
                        // The point itself, when it belongs to the body, is on the line.
                        let here = side(shape, &Pose::IDENTITY, &along(ray.origin, direction, 0.0));
                        if here != Ordering::Greater {
                            assert!(hits[0].t.lower <= 0.0 && 0.0 <= hits[1].t.upper, "{shape:?} {ray:?} {hits:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(touching > 100, "{touching}");
}

#[test]
fn exact_features_of_a_box() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let cast = |o: [f64; 3], d: [f64; 3]| {
        let ray = Ray::new(DVec3::from_array(o), DVec3::from_array(d)).unwrap();
        let hits = line_hits(&cube, &Pose::IDENTITY, &ray);
        hits.iter().map(|hit| (hit.t.value, hit.witness.feature)).collect::<Vec<_>>()
    };
    assert_eq!(cast([-3.0, 0.0, 0.0], [1.0, 0.0, 0.0]), [(2.0, Feature::Face(0)), (4.0, Feature::Face(1))]);
    assert_eq!(cast([-2.0, -2.0, -2.0], [1.0, 1.0, 1.0]), [(1.0, Feature::Vertex(0)), (3.0, Feature::Vertex(7))]);
    // Through the vertical edge at x = y = -1, along the plane z = 0.
    assert_eq!(cast([-2.0, -2.0, 0.0], [1.0, 1.0, 0.0]), [(1.0, Feature::Edge(8)), (3.0, Feature::Edge(11))]);
    // In the upper face, along x.
    assert_eq!(cast([-3.0, 0.0, 1.0], [1.0, 0.0, 0.0]), [(2.0, Feature::Edge(6)), (4.0, Feature::Edge(7))]);
    // Along the edge y = z = 1.
    assert_eq!(cast([-3.0, 1.0, 1.0], [1.0, 0.0, 0.0]), [(2.0, Feature::Vertex(6)), (4.0, Feature::Vertex(7))]);
    // Touching the edge x = 1, z = 1 only.
    assert_eq!(cast([0.0, 0.0, 2.0], [1.0, 0.0, -1.0]), [(1.0, Feature::Edge(7)), (1.0, Feature::Edge(7))]);
    assert_eq!(cast([0.0, 0.0, 2.0 + f64::EPSILON * 2.0], [1.0, 0.0, -1.0]), []);
}

#[test]
fn hulls_report_the_same_features_as_boxes() {
    // The same box as a hull whose points are numbered like the corners of the box.
    let half = DVec3::new(1.0, 2.0, 0.5);
    let cube = clearance::shape::Cuboid::new(half).unwrap();
    let points: Vec<[f64; 3]> = (0..8).map(|i| cube.vertex(i).to_array()).collect();
    let hull = Shape::hull(&points).unwrap();
    let cube = Shape::Cuboid(cube);
    let mut random = Random::new(11);
    let grid = [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5];
    for round in 0..600 {
        let pick =
            |random: &mut Random| DVec3::new(grid[random.index(7)], 2.0 * grid[random.index(7)], grid[random.index(7)]);
        let (from, to) = (pick(&mut random), pick(&mut random));
        if from == to {
            continue;
        }
        let pose = if round % 2 == 0 { Pose::IDENTITY } else { pose(&mut random, 5.0) };
        let ray = if round % 2 == 0 {
            Ray::new(from, to - from).unwrap()
        } else {
            Ray::between(pose.transform_point(from), pose.transform_point(to)).unwrap()
        };
        let (a, b) = (line_hits(&cube, &pose, &ray), line_hits(&hull, &pose, &ray));
        assert_eq!(a.len(), b.len(), "{ray:?}");
        for (a, b) in a.iter().zip(&b) {
            assert!((a.t.value - b.t.value).abs() <= 4.0 * f64::EPSILON * a.t.value.abs().max(1.0), "{a:?} {b:?}");
            if let (Feature::Vertex(_), Feature::Vertex(_)) = (a.witness.feature, b.witness.feature) {
                assert_eq!(a.witness.feature, b.witness.feature);
            }
            let kind = |f: Feature| std::mem::discriminant(&f);
            assert_eq!(kind(a.witness.feature), kind(b.witness.feature), "{ray:?}\n{a:?}\n{b:?}");
        }
    }
}

#[test]
fn flat_bodies_are_hit_exactly() {
    let triangle = Shape::triangle(DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)).unwrap();
    let cast = |shape: &Shape, o: [f64; 3], d: [f64; 3]| {
        let ray = Ray::new(DVec3::from_array(o), DVec3::from_array(d)).unwrap();
        let hits = line_hits(shape, &Pose::IDENTITY, &ray);
        hits.iter().map(|hit| (hit.t.value, hit.witness.feature, hit.entering)).collect::<Vec<_>>()
    };
    let down = [0.0, 0.0, -1.0];
    assert_eq!(cast(&triangle, [1.0, 1.0, 3.0], down), [(3.0, Feature::Face(0), true)]);
    assert_eq!(cast(&triangle, [2.0, 2.0, 3.0], down), [(3.0, Feature::Edge(1), true)]);
    assert_eq!(cast(&triangle, [0.0, 4.0, 3.0], down), [(3.0, Feature::Vertex(2), true)]);
    assert_eq!(cast(&triangle, [0.0, 0.0, 3.0], down), [(3.0, Feature::Vertex(0), true)]);
    assert_eq!(cast(&triangle, [2.0, 2.0f64.next_up(), 3.0], down), []);
    // In the plane.
    let along = [1.0, 0.0, 0.0];
    assert_eq!(
        cast(&triangle, [-1.0, 1.0, 0.0], along),
        [(1.0, Feature::Edge(2), true), (4.0, Feature::Edge(1), false)]
    );
    assert_eq!(
        cast(&triangle, [-1.0, 0.0, 0.0], along),
        [(1.0, Feature::Vertex(0), true), (5.0, Feature::Vertex(1), false)]
    );
    assert_eq!(cast(&triangle, [-1.0, 4.0, 0.0], along), [(1.0, Feature::Vertex(2), true)]);
    assert_eq!(cast(&triangle, [-1.0, 1.0, 1e-300], along), []);
    // The same as a flat hull.
    let hull = Shape::flat_hull(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]).unwrap();
    assert_eq!(cast(&hull, [1.0, 1.0, 3.0], down), [(3.0, Feature::Face(0), true)]);
    assert_eq!(cast(&hull, [0.0, 4.0, 3.0], down), [(3.0, Feature::Vertex(2), true)]);
    assert_eq!(cast(&hull, [-1.0, 4.0, 0.0], along), [(1.0, Feature::Vertex(2), true)]);

    let segment = Shape::segment(DVec3::ZERO, DVec3::new(3.0, 3.0, 3.0)).unwrap();
    assert_eq!(cast(&segment, [1.0, 1.0, 3.0], down), [(2.0, Feature::Edge(0), true)]);
    assert_eq!(cast(&segment, [3.0, 3.0, 5.0], down), [(2.0, Feature::Vertex(1), true)]);
    assert_eq!(cast(&segment, [1.0, 1.0f64.next_up(), 3.0], down), []);
    let diagonal = [1.0, 1.0, 1.0];
    assert_eq!(
        cast(&segment, [-1.0, -1.0, -1.0], diagonal),
        [(1.0, Feature::Vertex(0), true), (4.0, Feature::Vertex(1), false)]
    );
    let point = Shape::segment(DVec3::ONE, DVec3::ONE).unwrap();
    assert_eq!(cast(&point, [-1.0, -1.0, -1.0], diagonal), [(2.0, Feature::Vertex(0), true)]);
    assert_eq!(cast(&point, [-1.0, -1.0, -1.0 + 1e-15], diagonal), []);
    let single = Shape::flat_hull(&[[1.0, 1.0, 1.0]]).unwrap();
    assert_eq!(cast(&single, [-1.0, -1.0, -1.0], diagonal), [(2.0, Feature::Vertex(0), true)]);
    // Three points on a line, and four in a plane.
    let needle = Shape::triangle(DVec3::ZERO, DVec3::X * 4.0, DVec3::X).unwrap();
    assert_eq!(cast(&needle, [3.0, 0.0, 2.0], down).len(), 1);
    assert_eq!(cast(&needle, [3.0, 1e-200, 2.0], down), []);
    let square = Shape::tetrahedron([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)]).unwrap();
    for (x, y, expected) in
        [(0.25, 0.5, true), (0.75, 0.5, true), (0.5, 0.5, true), (1.0, 1.0, true), (1.25, 0.5, false)]
    {
        assert_eq!(!cast(&square, [x, y, 2.0], down).is_empty(), expected, "{x} {y}");
    }
}

#[test]
fn triangles_in_general_position_meet_rays_through_them() {
    let mut random = Random::new(23);
    for _ in 0..500 {
        let [a, b, c] = [0; 3].map(|_| DVec3::from_array(random.in_cube(1.0)));
        let triangle = Shape::triangle(a, b, c).unwrap();
        let pose = pose(&mut random, 1e3);
        let (u, v) = (random.uniform(-0.3, 1.3), random.uniform(-0.3, 1.3));
        let inside = u > 1e-9 && v > 1e-9 && u + v < 1.0 - 1e-9;
        let target = pose.transform_point(a + u * (b - a) + v * (c - a));
        let ray = ray_through(&mut random, target, 5.0);
        let hits = line_hits(&triangle, &pose, &ray);
        let close = [u, v, 1.0 - u - v].iter().any(|w| w.abs() < 1e-6);
        if !close {
            assert_eq!(hits.len() == 1, inside, "{triangle:?} {ray:?}");
        }
        for hit in hits {
            hit.verify(&triangle, &pose, &ray, &RayOptions::line())
                .unwrap_or_else(|refusal| panic!("{refusal} {hit:?}"));
            assert!(ray.at(hit.t.value).distance(target) < 1e-9, "{hit:?}");
            assert!(hit.normal.dot(ray.direction) <= 0.0);
        }
    }
}

#[test]
fn starting_on_and_inside() {
    let mut random = Random::new(5);
    for shape in [Shape::sphere(1.0), Shape::cuboid(DVec3::ONE), Shape::cylinder(1.0, 1.0), Shape::capsule(0.5, 0.5)] {
        let shape = shape.unwrap();
        let from_inside = ray_cast(&shape, &Pose::IDENTITY, &Ray::new(DVec3::ZERO, DVec3::X * 2.0).unwrap()).unwrap();
        assert!(!from_inside.entering && from_inside.t.value > 0.0);
        let surface = from_inside.witness.point;
        let inwards = ray_cast(&shape, &Pose::IDENTITY, &Ray::new(surface, -DVec3::X).unwrap()).unwrap();
        assert_eq!((inwards.t.value, inwards.entering), (0.0, true));
        let outwards = ray_cast(&shape, &Pose::IDENTITY, &Ray::new(surface, DVec3::X).unwrap()).unwrap();
        assert_eq!((outwards.t.value, outwards.entering), (0.0, false));
        let beyond = Ray::new(surface + DVec3::X * 1e-15, DVec3::X).unwrap();
        assert_eq!(first_hit(&shape, &Pose::IDENTITY, &beyond, &RayOptions::default()), None);
    }
    // A segment that ends on the surface, exactly or a unit short of it.
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let ray = Ray::new(DVec3::new(-3.0, 0.1, 0.2), DVec3::X).unwrap();
    for (to, hit) in [(2.0, true), (2.0f64.next_down(), false), (2.0f64.next_up(), true)] {
        let options = RayOptions { to, ..RayOptions::default() };
        assert_eq!(first_hit(&cube, &Pose::IDENTITY, &ray, &options).is_some(), hit);
    }
    // A ball whose far side is at an irrational t: the range decides exactly.
    let ball = Shape::sphere(1.0).unwrap();
    for _ in 0..200 {
        let target = DVec3::from_array(random.in_ball()) * 0.9;
        let ray = ray_through(&mut random, target, 4.0);
        let hits = line_hits(&ball, &Pose::IDENTITY, &ray);
        let root = hits[0].t.value;
        for t in [root.next_down(), root, root.next_up()] {
            let options = RayOptions { from: t, to: hits[0].t.upper + 1.0, hit: RayHitMode::Nearest };
            let found = first_hit(&ball, &Pose::IDENTITY, &ray, &options);
            let outside = side(&ball, &Pose::IDENTITY, &along(ray.origin, ray.direction, t)) != Ordering::Less;
            assert_eq!(found.is_some_and(|hit| hit.entering), outside);
        }
    }
}

#[test]
fn half_spaces() {
    let ground = Shape::half_space(DVec3::new(0.0, 0.0, 2.0), 1.0).unwrap();
    let cast = |o: [f64; 3], d: [f64; 3]| {
        line_hits(&ground, &Pose::IDENTITY, &Ray::new(DVec3::from_array(o), DVec3::from_array(d)).unwrap())
    };
    let down = cast([0.0, 0.0, 3.0], [1.0, 0.0, -1.0]);
    assert_eq!((down.len(), down[0].t.value, down[0].entering, down[0].normal), (1, 2.5, true, DVec3::Z));
    let up = cast([0.0, 0.0, -3.0], [0.0, 0.0, 0.5]);
    assert_eq!((up.len(), up[0].t.value, up[0].entering), (1, 7.0, false));
    assert_eq!(cast([0.0, 0.0, 0.5], [1.0, 0.0, 0.0]), []);
    let mut random = Random::new(3);
    for _ in 0..200 {
        let normal = DVec3::from_array(random.direction()) * random.scale(-20, 20);
        let plane = Shape::half_space(normal, random.uniform(-1.0, 1.0) * normal.length()).unwrap();
        let pose = pose(&mut random, 10.0);
        let target = DVec3::from_array(random.in_cube(3.0));
        let ray = ray_through(&mut random, target, 5.0);
        let hits = line_hits(&plane, &pose, &ray);
        assert_eq!(hits.len(), 1);
        let at = |t: f64| side(&plane, &pose, &along(ray.origin, ray.direction, t));
        let (before, after) = (at(hits[0].t.lower), at(hits[0].t.upper));
        let (before, after) = if hits[0].entering { (before, after) } else { (after, before) };
        assert!(before != Ordering::Less && after != Ordering::Greater);
    }
}

#[test]
fn compounds_are_the_union_of_their_parts() {
    let mut random = Random::new(17);
    for _ in 0..80 {
        let count = 1 + random.index(5);
        let parts: Vec<(Pose, Shape)> =
            (0..count).map(|_| (pose(&mut random, 2.0), solid(&mut random, 1.0, false))).collect();
        let compound = Shape::compound(parts.clone()).unwrap();
        let pose = pose(&mut random, 5.0);
        let target = point_near(&mut random, &compound, &pose, 0.8);
        let ray = ray_through(&mut random, target, 10.0);
        let all = line_hits(&compound, &pose, &ray);
        assert!(all.windows(2).all(|w| w[0].t.value <= w[1].t.value));
        assert!(all.len().is_multiple_of(2));
        // Every entry and exit is one of its part, in exact arithmetic.
        for hit in &all {
            let (own, part) = &parts[hit.witness.part as usize];
            let at = |t: f64| ray_truth::side_of_part(part, own, &pose, &along(ray.origin, ray.direction, t));
            let (outer, inner) = if hit.entering { (hit.t.lower, hit.t.upper) } else { (hit.t.upper, hit.t.lower) };
            hit.verify(&compound, &pose, &ray, &RayOptions::line())
                .unwrap_or_else(|refusal| panic!("{refusal} {hit:?}"));
            assert_ne!(at(outer), Ordering::Less, "{hit:?}");
            assert!(at(inner) != Ordering::Greater || hit.t.upper - hit.t.lower > 1e-9, "{hit:?}");
        }
        for options in
            [RayOptions::default(), RayOptions::line(), RayOptions { from: -3.0, to: 2.0, hit: RayHitMode::Nearest }]
        {
            let nearest = first_hit(&compound, &pose, &ray, &options);
            let mut within = Vec::new();
            ray_cast_all_with(&compound, &pose, &ray, &options, &mut within);
            assert_eq!(
                nearest.map(|hit| (hit.t.value, hit.witness.part)),
                within.first().map(|hit| (hit.t.value, hit.witness.part))
            );
            let any = first_hit(&compound, &pose, &ray, &RayOptions { hit: RayHitMode::Any, ..options });
            assert_eq!(any.is_some(), nearest.is_some());
            if let Some(any) = any {
                assert!(within.iter().any(|hit| (hit.t.value, hit.witness.part) == (any.t.value, any.witness.part)));
            }
        }
    }
}

#[test]
fn nothing_panics_at_the_ends_of_the_range() {
    let mut random = Random::new(29);
    let numbers = [0.0, 5e-324, 1e-300, 1e-200, 1e-60, 1.0, 1e30, 1e60, -1e60, -1e-300];
    let mut shapes: Vec<Shape> = (0..40).map(|k| solid(&mut random, [1e-50, 1.0, 1e59][k % 3], k % 2 == 0)).collect();
    shapes.push(Shape::sphere(1e-60).unwrap());
    shapes.push(Shape::ellipsoid(DVec3::new(1e-60, 1.0, 1e60)).unwrap());
    shapes.push(Shape::cone(1e-60, 1e60).unwrap());
    for shape in &shapes {
        for _ in 0..60 {
            let mut number = || numbers[random.index(numbers.len())];
            let (origin, direction) =
                (DVec3::new(number(), number(), number()), DVec3::new(number(), number(), number()));
            let at = DVec3::new(number(), number(), number());
            let Ok(ray) = Ray::new(origin, direction) else { continue };
            let pose = Pose::from_axis_angle(DVec3::ONE, 0.5, at).unwrap();
            for hit in line_hits(shape, &pose, &ray) {
                assert!(hit.t.lower <= hit.t.value && hit.t.value <= hit.t.upper, "{shape:?} {ray:?} {hit:?}");
                assert!(hit.witness.point.is_finite() && hit.normal.is_finite(), "{shape:?} {ray:?} {hit:?}");
            }
        }
    }
}

#[test]
fn bad_rays_are_rejected() {
    assert!(Ray::new(DVec3::new(f64::NAN, 0.0, 0.0), DVec3::X).is_err());
    assert!(Ray::new(DVec3::ZERO, DVec3::new(0.0, f64::INFINITY, 0.0)).is_err());
    assert!(Ray::new(DVec3::ZERO, DVec3::new(0.0, 1e61, 0.0)).is_err());
    assert!(Ray::new(DVec3::ZERO, DVec3::ZERO).is_err());
    assert!(Ray::new(DVec3::ZERO, DVec3::new(0.0, 5e-324, 0.0)).is_ok());
    // An empty or invalid range has no hits.
    let ball = Shape::sphere(1.0).unwrap();
    let ray = Ray::new(DVec3::new(-3.0, 0.0, 0.0), DVec3::X).unwrap();
    for (from, to) in [(5.0, 1.0), (f64::NAN, 10.0), (0.0, f64::NAN)] {
        assert_eq!(first_hit(&ball, &Pose::IDENTITY, &ray, &RayOptions { from, to, hit: RayHitMode::Nearest }), None);
    }
}

proptest! {
    #[test]
    fn nearest_is_the_first_of_all_and_any_agrees(seed in any::<u64>(), from in -5.0..5.0f64, length in 0.0..8.0f64) {
        let mut random = Random::new(seed);
        let shape = solid(&mut random, 1.0, false);
        let pose = pose(&mut random, 2.0);
        let target = point_near(&mut random, &shape, &pose, 1.2);
        let ray = ray_through(&mut random, target, 5.0);
        let options = RayOptions { from, to: from + length, hit: RayHitMode::Nearest };
        let mut all = Vec::new();
        ray_cast_all_with(&shape, &pose, &ray, &options, &mut all);
        let nearest = first_hit(&shape, &pose, &ray, &options);
        prop_assert_eq!(nearest, all.first().copied());
        let any = first_hit(&shape, &pose, &ray, &RayOptions { hit: RayHitMode::Any, ..options });
        prop_assert_eq!(any.is_some(), nearest.is_some());
        // The same ray backwards meets the same places.
        let back = Ray::new(ray.origin, -ray.direction).unwrap();
        let (there, again) = (line_hits(&shape, &pose, &ray), line_hits(&shape, &pose, &back));
        prop_assert_eq!(there.len(), again.len());
        for (a, b) in there.iter().zip(again.iter().rev()) {
            prop_assert!(a.t.lower <= -b.t.lower && -b.t.upper <= a.t.upper && a.entering != b.entering);
        }
    }
}

#[test]
fn rounded_boxes_in_exact_poses() {
    // Inside exactly when the point is within the radius of the box, in rational arithmetic.
    let mut random = Random::new(53);
    let mut hit = 0;
    for _ in 0..60 {
        let half = DVec3::new(random.uniform(0.3, 1.0), random.uniform(0.3, 1.0), random.uniform(0.0001, 1.0));
        let radius = random.uniform(0.01, 0.5);
        let soft = Shape::rounded(Shape::cuboid(half).unwrap(), radius).unwrap();
        let pose = Pose::from_translation(DVec3::from_array(random.in_cube(1e6))).unwrap();
        let target = point_near(&mut random, &soft, &pose, 1.0);
        let ray = ray_through(&mut random, target, 5.0);
        let at = |t: f64| {
            let p = ray_truth::into_body(&pose, &along(ray.origin, ray.direction, t));
            let zero = clearance_oracle::Rational::zero();
            let off = |k: usize| (&p[k].abs() - &ray_truth::exact(half[k])).max(zero.clone()).squared();
            (&(&off(0) + &off(1)) + &off(2)).cmp(&ray_truth::exact(radius).squared())
        };
        let hits = line_hits(&soft, &pose, &ray);
        if at((target - ray.origin).dot(ray.direction) / ray.direction.length_squared()) == Ordering::Less {
            assert_eq!(hits.len(), 2, "{soft:?} {ray:?}");
        }
        let [start, end] = hits.as_slice() else { continue };
        hit += 1;
        assert_ne!(at(start.t.lower), Ordering::Less, "{start:?}");
        assert_ne!(at(end.t.upper), Ordering::Less, "{end:?}");
        if start.t.upper < end.t.lower {
            assert_ne!(at(start.t.upper), Ordering::Greater, "{start:?}");
            assert_ne!(at(end.t.lower), Ordering::Greater, "{end:?}");
        }
        let chord = (end.t.value - start.t.value) * ray.direction.length();
        let width = (start.t.upper - start.t.lower) * ray.direction.length();
        assert!(chord < 0.05 || width <= 1e-12 * scale(&soft, &pose, &ray), "{width:e} {chord}");
        assert!((start.normal.length() - 1.0).abs() < 1e-12);
    }
    assert!(hit > 20, "{hit}");
}

#[test]
fn custom_bodies_are_hit_like_their_own_kind() {
    let mut random = Random::new(73);
    let mut hit = 0;
    for _ in 0..25 {
        let axes = DVec3::new(random.uniform(0.5, 1.0), random.uniform(0.5, 1.0), random.uniform(0.5, 1.0));
        let (custom, egg) = (Shape::custom(Arc::new(Egg(axes))).unwrap(), Shape::ellipsoid(axes).unwrap());
        let pose = pose(&mut random, 2.0);
        let target = point_near(&mut random, &egg, &pose, 0.9);
        let ray = ray_through(&mut random, target, 4.0);
        let (a, b) = (line_hits(&custom, &pose, &ray), line_hits(&egg, &pose, &ray));
        assert!(a.len() >= b.len(), "{axes:?} {pose:?} {ray:?} {a:?} {b:?}");
        for (a, b) in a.iter().zip(&b) {
            assert!(a.t.lower <= b.t.upper && b.t.lower <= a.t.upper && a.entering == b.entering, "{a:?} {b:?}");
            let slanted = b.normal.dot(ray.direction).abs() / ray.direction.length();
            let width = (a.t.upper - a.t.lower) * ray.direction.length();
            assert!(slanted < 0.3 || width < 1e-6, "{width:e} {slanted} {a:?} {b:?}");
            hit += 1;
        }
    }
    assert!(hit > 20, "{hit}");
}

#[test]
fn every_rounded_body_begins_where_its_distance_is_zero() {
    let mut random = Random::new(59);
    let mut hit = 0;
    for _ in 0..100 {
        let core = solid(&mut random, 1.0, false);
        let soft = Shape::rounded(core, random.uniform(0.05, 0.5)).unwrap();
        let pose = pose(&mut random, 3.0);
        let target = point_near(&mut random, &soft, &pose, 1.0);
        let ray = ray_through(&mut random, target, 5.0);
        for found in line_hits(&soft, &pose, &ray) {
            hit += 1;
            let signed = clearance::signed_distance(&soft, &pose, ray.at(found.t.value));
            let width = (found.t.upper - found.t.lower) * ray.direction.length();
            assert!(signed.distance.value.abs() <= width + 1e-13, "{soft:?} {found:?} {signed:?}");
            found
                .verify(&soft, &pose, &ray, &RayOptions::line())
                .unwrap_or_else(|refusal| panic!("{refusal} {soft:?} {pose:?} {ray:?} {found:?}"));
        }
    }
    assert!(hit > 60, "{hit}");
}
