//! `NoHit` and absent elementary impacts: verified where true, refused where false.

use std::sync::Arc;

use clearance::answer::{NoElementaryImpact, NoHit};
use clearance::glam::{DVec2, DVec3};
use clearance::query::{ElementaryKind, ElementaryPair, RayOptions, ray_cast_with};
use clearance::shape::{Aabb, Support};
use clearance::verify::Refusal;
use clearance::{Mesh, Pose, Ray, Shape};
use clearance_oracle::random::Random;

use crate::common::first_hit;

/// A ball as a custom body.
#[derive(Debug)]
struct Ball;

impl Support for Ball {
    fn support(&self, direction: DVec3) -> DVec3 {
        direction.normalize_or(DVec3::X)
    }

    fn slack(&self) -> f64 {
        4.0 * f64::EPSILON
    }

    fn bounds(&self) -> Aabb {
        Aabb::new(DVec3::splat(-1.0 - 1e-15), DVec3::splat(1.0 + 1e-15))
    }
}

/// A cube of edge 2 as a mesh.
fn cube_mesh() -> Mesh {
    let points: Vec<[f64; 3]> = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|x| 2.0 * f64::from(x) - 1.0)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(&points, &triangles).unwrap()
}

/// One body of each kind, none much larger than one.
fn every_kind() -> Vec<Shape> {
    let corners = [[0.0, 0.0, -0.5], [1.0, 0.2, 0.0], [0.1, 1.0, 0.3], [-0.8, -0.3, 0.9], [0.2, 0.3, 1.1]];
    let points = corners.map(DVec3::from_array);
    let cuboid = Shape::cuboid(DVec3::new(0.4, 0.7, 0.9)).unwrap();
    let turned = Pose::from_axis_angle(DVec3::new(1.0, 2.0, -1.0), 0.8, DVec3::new(0.9, 0.1, 0.2)).unwrap();
    let small = Shape::cylinder(0.3, 0.4).unwrap();
    vec![
        Shape::sphere(0.8).unwrap(),
        Shape::capsule(0.6, 0.3).unwrap(),
        cuboid.clone(),
        Shape::cylinder(0.7, 0.5).unwrap(),
        Shape::cone(0.8, 0.6).unwrap(),
        Shape::ellipsoid(DVec3::new(0.3, 0.9, 0.6)).unwrap(),
        Shape::hull(&corners).unwrap(),
        Shape::flat_hull(&corners[..3]).unwrap(),
        Shape::flat_hull(&corners[..2]).unwrap(),
        Shape::half_space(DVec3::new(0.2, 0.1, 0.9), 0.1).unwrap(),
        Shape::segment(points[0], points[1]).unwrap(),
        Shape::triangle(points[0], points[1], points[2]).unwrap(),
        Shape::tetrahedron([points[0], points[1], points[2], points[3]]).unwrap(),
        Shape::rounded(Shape::hull(&corners).unwrap(), 0.2).unwrap(),
        Shape::rounded(Shape::sphere(0.5).unwrap(), 0.2).unwrap(),
        Shape::rounded(Shape::cone(0.5, 0.4).unwrap(), 0.1).unwrap(),
        Shape::custom(Arc::new(Ball)).unwrap(),
        Shape::compound(vec![(Pose::IDENTITY, cuboid), (turned, small)]).unwrap(),
        Shape::Mesh(cube_mesh()),
        Shape::Mesh(cube_mesh().solid().unwrap()),
        Shape::height_field(4, 3, DVec2::new(0.5, 0.4), (0..12).map(|k| (k * 7 % 5) as f32 * 0.2).collect()).unwrap(),
    ]
}

/// A miss is accepted exactly where there is no hit, in ranges of every kind.
#[test]
fn misses_are_accepted_and_false_misses_are_refused() {
    let mut random = Random::new(77);
    let mut inside = 0;
    for shape in every_kind() {
        let (mut hits, mut misses) = (0, 0);
        for round in 0..60 {
            let (axis, angle) = (DVec3::from_array(random.direction()), random.uniform(0.0, 3.0));
            let pose = Pose::from_axis_angle(axis, angle, DVec3::from_array(random.in_cube(2.0))).unwrap();
            let pose = if round % 3 == 0 { Pose::IDENTITY } else { pose };
            let target = pose.transform_point(DVec3::from_array(random.in_cube(1.0)));
            let from = DVec3::from_array(random.in_cube(if round % 2 == 0 { 4.0 } else { 0.6 }));
            let Ok(ray) = Ray::between(pose.transform_point(from), target) else { continue };
            let whole = [RayOptions::default(), RayOptions::line(), RayOptions::segment()];
            let short = RayOptions { from: -0.01, to: 0.02, ..RayOptions::default() };
            for options in whole.into_iter().chain([short]) {
                let denied = NoHit { from: options.from, to: options.to };
                match first_hit(&shape, &pose, &ray, &options) {
                    Some(hit) => {
                        let refused = denied.verify(&shape, &pose, &ray, &options);
                        assert!(matches!(refused, Err(Refusal::Before { .. })), "{hit:?} {shape:?} {pose:?} {ray:?}");
                        hits += 1;
                    }
                    None => {
                        let line = ray_cast_with(&shape, &pose, &ray, &RayOptions::line());
                        inside += u32::from(options == short && line.is_ok_and(|hit| hit.t.upper < -0.01));
                        misses += 1;
                    }
                }
            }
        }
        // A line in space usually misses another.
        let is_line =
            matches!(&shape, Shape::Segment(_)) || matches!(&shape, Shape::Hull(hull) if hull.dimension() < 2);
        assert!((is_line || hits >= 5) && misses > 20, "{hits} hits, {misses} misses of {shape:?}");
    }
    assert!(inside > 20, "{inside}");
}

/// An answer for another range is refused, including a wider one.
#[test]
fn the_range_is_part_of_the_answer() {
    let ball = Shape::sphere(1.0).unwrap();
    let ray = Ray::new(DVec3::new(-3.0, 0.0, 0.0), DVec3::X).unwrap();
    let options = RayOptions { from: 0.5, to: 1.5, ..RayOptions::default() };
    let none = ray_cast_with(&ball, &Pose::IDENTITY, &ray, &options).unwrap_err();
    assert_eq!(none, NoHit { from: 0.5, to: 1.5 });
    assert_eq!(none.verify(&ball, &Pose::IDENTITY, &ray, &options), Ok(()));
    let false_claims = [
        NoHit { from: 0.25, ..none },
        NoHit { from: f64::NAN, ..none },
        NoHit { to: 1.75, ..none },
        NoHit { to: f64::INFINITY, ..none },
        NoHit { to: f64::NAN, ..none },
    ];
    for claim in false_claims {
        assert_eq!(claim.verify(&ball, &Pose::IDENTITY, &ray, &options), Err(Refusal::Verdict), "{claim:?}");
    }
    let wider = RayOptions { to: 2.5, ..options };
    let refused = NoHit { from: 0.5, to: 2.5 }.verify(&ball, &Pose::IDENTITY, &ray, &wider);
    assert_eq!(refused, Err(Refusal::Before { claimed: 2.5, proved: 0.5 }));
}

/// Touching, however slight, is a hit; running inside a body or along its boundary crosses nothing.
#[test]
fn touching_is_a_hit() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let can = Shape::cylinder(1.0, 1.0).unwrap();
    let wall = Shape::half_space(DVec3::Z, 1.0).unwrap();
    let ball = Shape::sphere(1.0).unwrap();
    let at = |z: f64, length: f64| Ray::new(DVec3::new(-length, 0.25, z), DVec3::new(2.0 * length, 0.0, 0.0)).unwrap();
    let segment = RayOptions::segment();
    // In a face, from end to end of it and within.
    for shape in [&cube, &can] {
        assert!(first_hit(shape, &Pose::IDENTITY, &at(1.0, 3.0), &segment).is_some());
        assert!(first_hit(shape, &Pose::IDENTITY, &at(1.0, 0.5), &segment).is_none());
        assert!(first_hit(shape, &Pose::IDENTITY, &at(1.0f64.next_up(), 3.0), &segment).is_none());
    }
    assert!(first_hit(&wall, &Pose::IDENTITY, &at(1.0, 3.0), &RayOptions::line()).is_none());
    assert!(first_hit(&wall, &Pose::IDENTITY, &at(0.5, 3.0), &RayOptions::line()).is_none());
    // A tangent, and one step of the last digit beside it.
    let tangent = |y: f64| Ray::new(DVec3::new(-3.0, y, 0.0), DVec3::X).unwrap();
    assert!(first_hit(&ball, &Pose::IDENTITY, &tangent(1.0), &RayOptions::default()).is_some());
    assert!(first_hit(&ball, &Pose::IDENTITY, &tangent(1.0f64.next_up()), &RayOptions::default()).is_none());
    let denied = NoHit { from: 0.0, to: f64::INFINITY };
    assert!(denied.verify(&ball, &Pose::IDENTITY, &tangent(1.0), &RayOptions::default()).is_err());
    // A rounded box: misses that the search can distinguish from touching are proved.
    let rounded = Shape::rounded(cube.clone(), 0.5).unwrap();
    for above in [1e-3, 1e-9, 1e-12] {
        assert!(first_hit(&rounded, &Pose::IDENTITY, &at(1.5 + above, 9.0), &RayOptions::line()).is_none(), "{above}");
    }
    // Along the surface of a solid mesh, where only one end counts.
    let solid = Shape::Mesh(cube_mesh().solid().unwrap());
    let along = at(1.0, 3.0);
    for (from, to) in [(0.4, 0.6), (0.0, 0.3), (0.7, 1.0), (0.0, 0.5), (0.5, 1.0), (0.0, 1.0)] {
        let options = RayOptions { from, to, ..RayOptions::default() };
        let hit = first_hit(&solid, &Pose::IDENTITY, &along, &options);
        let denied = NoHit { from, to }.verify(&solid, &Pose::IDENTITY, &along, &options);
        assert_eq!(denied.is_err(), hit.is_some(), "{from} {to}");
    }
}

#[test]
fn touching_features_are_not_separated() {
    let falling = |to: f64| {
        let at = |z: f64| [DVec3::new(0.25, 0.25, z), DVec3::ZERO, DVec3::X, DVec3::Y];
        ElementaryPair::new(ElementaryKind::VertexFace, at(1.0), at(to)).unwrap()
    };
    let none = NoElementaryImpact { until: 1.0 };
    assert_eq!(none.verify(&falling(0.1)), Ok(()));
    assert_eq!(none.verify(&falling(0.0)), Err(Refusal::Before { claimed: 1.0, proved: 1.0 }));
    assert_eq!(none.verify(&falling(-1.0)), Err(Refusal::Before { claimed: 1.0, proved: 0.5 }));
    assert_eq!(NoElementaryImpact { until: 0.49 }.verify(&falling(-1.0)), Ok(()));
    for until in [f64::NAN, -0.5, 1.5, f64::INFINITY] {
        let refused = NoElementaryImpact { until }.verify(&falling(0.1));
        assert_eq!(refused, Err(Refusal::NoNumber { field: "until" }));
    }
}
