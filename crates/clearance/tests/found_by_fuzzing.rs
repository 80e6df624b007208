//! Questions whose answers `verify` once refused, as the fuzz targets found them.

mod common;

use std::sync::Arc;

use clearance::glam::{DMat3, DVec3};
use clearance::{
    Aabb, Feature, Method, Pose, Ray, RayOptions, Shape, Support, closest_point, distance, penetration, ray_cast_all,
    signed_distance, verify, verify_point, verify_ray,
};
use clearance_oracle::generate;
use clearance_oracle::random::Random;
use common::proof_of;

/// A box, as a body of a user's making.
#[derive(Debug)]
struct Crate {
    half: DVec3,
}

impl Support for Crate {
    fn support(&self, direction: DVec3) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|k| if direction[k] < 0.0 { -self.half[k] } else { self.half[k] }))
    }

    fn slack(&self) -> f64 {
        0.0
    }

    fn bounds(&self) -> Aabb {
        Aabb::new(-self.half, self.half)
    }
}

/// A flat disc across the z axis, as a body of a user's making.
#[derive(Debug)]
struct Disc {
    radius: f64,
}

impl Support for Disc {
    fn support(&self, direction: DVec3) -> DVec3 {
        direction.with_z(0.0).normalize_or_zero() * self.radius
    }

    /// Two roundings of each coordinate, with some to spare.
    fn slack(&self) -> f64 {
        8.0 * f64::EPSILON * self.radius
    }

    fn bounds(&self) -> Aabb {
        let reach = DVec3::new(self.radius, self.radius, 0.0) * (1.0 + 8.0 * f64::EPSILON);
        Aabb::new(-reach, reach)
    }
}

/// A ball, as a body of a user's making.
#[derive(Debug)]
struct Ball {
    radius: f64,
}

impl Support for Ball {
    fn support(&self, direction: DVec3) -> DVec3 {
        direction.normalize_or_zero() * self.radius
    }

    /// As for the disc.
    fn slack(&self) -> f64 {
        8.0 * f64::EPSILON * self.radius
    }

    fn bounds(&self) -> Aabb {
        let reach = DVec3::splat(self.radius) * (1.0 + 8.0 * f64::EPSILON);
        Aabb::new(-reach, reach)
    }
}

fn custom_box(half: DVec3) -> Shape {
    Shape::custom(Arc::new(Crate { half })).unwrap()
}

fn custom_disc(radius: f64) -> Shape {
    Shape::custom(Arc::new(Disc { radius })).unwrap()
}

/// A pose that is as far from rigid as one may be.
fn skewed(stretch: f64) -> Pose {
    let (sine, cosine) = 0.7f64.sin_cos();
    let columns = [DVec3::new(cosine, sine, 0.0), DVec3::new(-sine, cosine, 0.0), DVec3::Z * (1.0 + stretch)];
    Pose::new(DMat3::from_cols(columns[0], columns[1], columns[2]), DVec3::new(3.0, -2.0, 1.0)).unwrap()
}

fn check_point(shape: &Shape, pose: &Pose, point: DVec3) -> Feature {
    let signed = signed_distance(shape, pose, point);
    assert_eq!(verify_point(&signed, shape, pose, point), Ok(()), "{signed:?} of {shape:?}");
    let nearest = closest_point(shape, pose, point);
    assert_eq!(verify_point(&nearest, shape, pose, point), Ok(()), "{nearest:?} of {shape:?}");
    signed.feature
}

/// All crossings, each verified.
fn check_line(shape: &Shape, pose: &Pose, origin: DVec3, direction: DVec3) -> Vec<(f64, f64)> {
    let ray = Ray::new(origin, direction).unwrap();
    let mut hits = Vec::new();
    ray_cast_all(shape, pose, &ray, &RayOptions::line(), &mut hits);
    for hit in &hits {
        let verdict = verify_ray(hit, shape, pose, &ray, &RayOptions::line());
        assert_eq!(verdict, Ok(()), "{hit:?} of {shape:?}");
    }
    assert!(hits.is_sorted_by(|one, next| one.t <= next.t), "{hits:?}");
    hits.iter().map(|hit| (hit.lower, hit.upper)).collect()
}

#[test]
fn points_on_polytopes_name_a_feature() {
    let (p, q, r) = (DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 2.0, 0.0), DVec3::new(0.0, 0.0, 3.0));
    let still = Pose::IDENTITY;
    let segment = Shape::segment(p, q).unwrap();
    assert_eq!(check_point(&segment, &still, q), Feature::Vertex(1));
    assert_eq!(check_point(&segment, &still, 0.5 * (p + q)), Feature::Edge(0));
    let triangle = Shape::triangle(p, q, r).unwrap();
    assert_eq!(check_point(&triangle, &still, r), Feature::Vertex(2));
    assert_eq!(check_point(&triangle, &still, 0.25 * p + 0.5 * q + 0.25 * r), Feature::Face(0));
    let flat = Shape::tetrahedron([p, q, r, 0.5 * (p + q)]).unwrap();
    assert_eq!(check_point(&flat, &still, p), Feature::Vertex(0));
    let point = Shape::flat_hull(&[p.to_array()]).unwrap();
    assert_eq!(check_point(&point, &still, p), Feature::Vertex(0));
    // At a corner, but for the rounding of the translation.
    let cube = Shape::cuboid(DVec3::splat(1e-6)).unwrap();
    let moved = Pose::from_translation(DVec3::X * 7.82012939453125e-11).unwrap();
    check_point(&cube, &moved, DVec3::new(-9.999217987060547e-7, -1e-6, 1e-6));
}

#[test]
fn the_way_out_of_a_rod_is_across_it() {
    let far = DVec3::new(-3.7533182768987623, -1.199647304903468, 1.9573178690428257);
    let rod = Shape::rounded(Shape::segment(far, DVec3::ZERO).unwrap(), 10.7).unwrap();
    check_point(&rod, &Pose::IDENTITY, DVec3::ZERO);
    check_point(&rod, &Pose::IDENTITY, 0.5 * far);
}

#[test]
fn points_about_bodies_in_skewed_poses() {
    let pose = skewed(2e-7);
    let shapes = [
        Shape::cuboid(DVec3::new(1.0, 2.0, 0.5)).unwrap(),
        Shape::cone(1.0, 0.5).unwrap(),
        Shape::ellipsoid(DVec3::new(1.0, 2.0, 0.5)).unwrap(),
        Shape::half_space(DVec3::new(0.75, 0.5, 0.25), 247.5).unwrap(),
        Shape::rounded(Shape::cuboid(DVec3::new(0.25, 0.125, 0.03)).unwrap(), 0.25).unwrap(),
    ];
    for shape in &shapes {
        for point in [DVec3::new(3.1, -2.05, 1.1), DVec3::new(1e4, -2e4, 5e3), DVec3::new(5.0, 1.0, 1.0)] {
            check_point(shape, &pose, point);
            check_line(shape, &pose, point, DVec3::new(3.0, -2.0, 1.0) - point);
        }
    }
}

#[test]
fn the_base_of_a_cone_is_nearest_below_it() {
    let cone = Shape::cone(16384.0, 16384.0).unwrap();
    let pose = Pose::from_translation(DVec3::new(-16384.0, 0.0, 49152.0)).unwrap();
    let feature = check_point(&cone, &pose, DVec3::new(-1.9073486328125e-6, 0.0, -3.814697265625e-6));
    assert_eq!(feature, Feature::Face(0));
}

#[test]
fn flat_and_touched_custom_bodies() {
    let disc = custom_disc(8.0);
    let crates = custom_box(DVec3::splat(8.0));
    let rounded = Shape::rounded(custom_disc(8.0), 2.0).unwrap();
    for shape in [&disc, &crates, &rounded] {
        check_point(shape, &Pose::IDENTITY, DVec3::ZERO);
        check_point(shape, &Pose::IDENTITY, DVec3::new(0.25, -1.0, 1e-7));
    }
    let finite = |hits: Vec<(f64, f64)>| hits.iter().all(|hit| hit.0.is_finite() && hit.1.is_finite());
    // Through a disc, in its plane, and along the edge of a box.
    assert!(finite(check_line(&disc, &Pose::IDENTITY, DVec3::new(0.5, 0.5, -3.0), DVec3::Z)));
    assert!(finite(check_line(&disc, &Pose::IDENTITY, DVec3::new(-20.0, 0.5, 0.0), DVec3::X)));
    assert!(finite(check_line(&crates, &Pose::IDENTITY, DVec3::splat(-8.0), DVec3::Z)));
    // At a small angle to a disc the bracket is what its slack and rounding leave, over the angle.
    let wide = custom_disc(72621.73253109785);
    let hits = check_line(&wide, &Pose::IDENTITY, DVec3::new(7e4, 0.0, 0.0625), DVec3::new(-7e4, 0.0, -0.0625));
    assert!(hits.iter().all(|(lower, upper)| upper - lower < 1e-6), "{hits:?}");
}

#[test]
fn lines_almost_across_the_axis_leave_where_they_do() {
    let can = Shape::cylinder(5.500503351379246e-5, 0.0005360788292203485).unwrap();
    let columns = [DVec3::new(1.0, -1.7e-11, 0.0), DVec3::new(1.7e-11, 1.0, -2.5e-11), DVec3::new(0.0, 2.5e-11, 1.0)];
    let tilted = Pose::new(DMat3::from_cols(columns[0], columns[1], columns[2]), DVec3::ZERO).unwrap();
    let hits = check_line(&can, &tilted, DVec3::new(-8e-5, 0.0, 0.0), DVec3::new(-1.5e-4, 0.0, 0.0));
    assert_eq!(hits.len(), 2);
    assert!(hits.iter().all(|(lower, upper)| upper - lower < 1e-12), "{hits:?}");
    let (sine, cosine) = 0.9f64.sin_cos();
    let rod = Shape::capsule(0.0011268482003333254, 0.0011268482003333254).unwrap();
    let columns = [DVec3::new(-cosine, 0.0, -sine), DVec3::Y, DVec3::new(sine, 0.0, -cosine)];
    let turned = Pose::new(DMat3::from_cols(columns[0], columns[1], columns[2]), DVec3::ZERO).unwrap();
    let hits = check_line(&rod, &turned, DVec3::ZERO, columns[0] * 0.002);
    assert!(hits.len() == 2 && hits.iter().all(|(lower, upper)| upper - lower < 1e-12), "{hits:?}");
}

#[test]
fn an_apex_touched_in_passing_faces_the_line() {
    let cone = Shape::cone(5.233578677683976e-7, 1.0004217112514346e-6).unwrap();
    let origin = DVec3::new(0.0, -1.0004217112514346e-6, 5.233578677683976e-7);
    check_line(&cone, &Pose::IDENTITY, origin, DVec3::new(0.0, 1.6253268831018971e-6, 0.0));
}

#[test]
fn witnesses_far_from_the_origin_of_their_frame() {
    let place = DVec3::new(79497.24793434143, 392466.33648872375, 507514.4721195102);
    let segment = Shape::segment(DVec3::ZERO, DVec3::new(0.0, -0.0003662109375, 0.0001220703125)).unwrap();
    let pose = Pose::from_translation(place).unwrap();
    let whole = Shape::compound(vec![(pose, segment)]).unwrap();
    check_point(&whole, &Pose::IDENTITY, DVec3::new(place.x, 392466.33612251194, 507514.47218054533));
}

#[test]
fn custom_bodies_in_pairs() {
    let still = Pose::IDENTITY;
    let disc = custom_disc(2.0);
    let rounded = Shape::rounded(custom_box(DVec3::new(1.0, 0.5, 0.25)), 0.5).unwrap();
    let ball = Shape::sphere(2.0).unwrap();
    let can = Shape::cylinder(1.0, 0.5).unwrap();
    let beside = Pose::from_translation(DVec3::new(0.25, 3.0, 1.0)).unwrap();
    for (a, b) in [(&disc, &ball), (&rounded, &ball), (&rounded, &can), (&rounded, &rounded), (&disc, &rounded)] {
        for pose in [&still, &beside] {
            let apart = distance(a, &still, b, pose);
            assert_eq!(verify(&apart, a, &still, b, pose), Ok(()), "{apart:?}");
            let proof = proof_of(a, &still, b, pose);
            assert_eq!(verify(&proof, a, &still, b, pose), Ok(()), "{proof:?}");
        }
    }
    let apart = distance(&rounded, &still, &can, &beside);
    assert!(apart.lower > 0.0);
    let depth = penetration(&rounded, &still, &ball, &beside).unwrap();
    assert_eq!(verify(&depth, &rounded, &still, &ball, &beside), Ok(()), "{depth:?}");
}

#[test]
fn relations_of_the_small_and_the_large() {
    let still = Pose::IDENTITY;
    let small = Shape::cuboid(DVec3::new(3e-4, 3e-4, 1.6e-4)).unwrap();
    for large in [Shape::cone(131072.0, 262144.0).unwrap(), Shape::cylinder(65536.0, 65536.0).unwrap()] {
        let proof = proof_of(&large, &still, &small, &still);
        assert_eq!(verify(&proof, &large, &still, &small, &still), Ok(()), "{proof:?}");
    }
    let plane = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let turned = Pose::new(DMat3::from_diagonal(DVec3::new(-1.0, -1.0, 1.0)), DVec3::ZERO).unwrap();
    let proof = proof_of(&plane, &turned, &plane, &still);
    assert_eq!(verify(&proof, &plane, &turned, &plane, &still), Ok(()), "{proof:?}");
}

/// A way between two points whose length underflows has no direction: it once came out infinite.
#[test]
fn points_next_to_each_other_have_a_normal_or_none() {
    let still = Pose::IDENTITY;
    let least = DVec3::splat(f64::from_bits(1));
    let point = Shape::segment(least, least).unwrap();
    let others = [
        Shape::segment(DVec3::ZERO, DVec3::splat(-0.25)).unwrap(),
        Shape::triangle(DVec3::ZERO, -DVec3::X, -DVec3::Y).unwrap(),
        Shape::tetrahedron([DVec3::ZERO, -DVec3::X, -DVec3::Y, -DVec3::Z]).unwrap(),
    ];
    for other in &others {
        let apart = distance(other, &still, &point, &still);
        assert!(apart.normal.is_none_or(|normal| normal.is_finite()), "{apart:?}");
        assert_eq!(verify(&apart, other, &still, &point, &still), Ok(()), "{apart:?}");
        check_point(other, &still, least);
    }
}

/// Support points of curved bodies come so close to each other that a walk sees no more; a search by the direction goes on, so
/// that the points of bodies apart lie right behind each other.
#[test]
fn curved_bodies_of_a_users_making_apart_from_edges() {
    let mut random = Random::new(7);
    let (mut apart, mut complete) = (0, 0);
    for case in 0..800 {
        let radius = random.uniform(0.2, 1.0);
        let curved =
            if case % 2 == 0 { custom_disc(radius) } else { Shape::custom(Arc::new(Ball { radius })).unwrap() };
        let mut corner = || DVec3::from_array(random.in_cube(1.0));
        let (p, q, r) = (corner(), corner(), corner());
        let edged = if case % 4 < 2 { Shape::triangle(p, q, r) } else { Shape::segment(p, q) }.unwrap();
        let at = corner() * 0.6;
        let mut pose = |at: DVec3| {
            let rows = generate::random_rotation(&mut random).map(DVec3::from_array);
            Pose::new(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose(), at).unwrap()
        };
        let (pose_a, pose_b) = (pose(DVec3::ZERO), pose(at));
        let answer = distance(&curved, &pose_a, &edged, &pose_b);
        verify(&answer, &curved, &pose_a, &edged, &pose_b).unwrap();
        if answer.value > 0.0 {
            apart += 1;
            complete += u32::from(answer.method == Method::Newton);
            let deep = penetration(&curved, &pose_a, &edged, &pose_b).unwrap();
            verify(&deep, &curved, &pose_a, &edged, &pose_b).unwrap_or_else(|r| panic!("{r}: {deep:?} {answer:?}"));
        }
    }
    assert!(apart > 150 && complete == apart, "{complete} of {apart}");
}
