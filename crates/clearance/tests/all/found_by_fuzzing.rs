//! Regressions found by the fuzz targets: queries whose answers `verify` once refused.

use std::sync::Arc;

use clearance::answer::{Contacts, Distance, LeastClearance, Method, Penetration, Volume};
use clearance::glam::{DMat3, DVec2, DVec3};
use clearance::query::ray_cast_all_with;
use clearance::query::{LeastClearanceOptions, RayOptions, least_clearance_with};
use clearance::shape::{Aabb, Feature, Support};
use clearance::verify::Refusal;
use clearance::{
    Bracket, Mesh, Motion, Pose, Ray, Relation, RigidMotion, Shape, Workspace, closest_point, contacts, distance,
    intersects, overlap_volume, penetration, rigid_impact, signed_distance, time_of_impact,
};
use clearance_oracle::generate;
use clearance_oracle::random::Random;
use common::false_claims::{with_a, with_b};
use common::meshes::{box_lists, solid};
use common::proof_of;

use crate::common;
use crate::common::first_hit;

/// A box as a custom body.
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

/// A flat disc across the z axis as a custom body.
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

/// A ball as a custom body.
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
    assert_eq!(signed.verify(shape, pose, point), Ok(()), "{signed:?} of {shape:?}");
    let nearest = closest_point(shape, pose, point);
    assert_eq!(nearest.verify(shape, pose, point), Ok(()), "{nearest:?} of {shape:?}");
    signed.witness.feature
}

/// All crossings, each verified.
fn check_line(shape: &Shape, pose: &Pose, origin: DVec3, direction: DVec3) -> Vec<(f64, f64)> {
    let ray = Ray::new(origin, direction).unwrap();
    let mut hits = Vec::new();
    ray_cast_all_with(shape, pose, &ray, &RayOptions::line(), &mut hits);
    for hit in &hits {
        let verdict = hit.verify(shape, pose, &ray, &RayOptions::line());
        assert_eq!(verdict, Ok(()), "{hit:?} of {shape:?}");
    }
    assert!(hits.is_sorted_by(|one, next| one.t.value <= next.t.value), "{hits:?}");
    hits.iter().map(|hit| (hit.t.lower, hit.t.upper)).collect()
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
    // At a corner, up to the rounding of the translation.
    let cube = Shape::cuboid(DVec3::splat(1e-6)).unwrap();
    let moved = Pose::from_translation(DVec3::X * 7.82012939453125e-11).unwrap();
    check_point(&cube, &moved, DVec3::new(-9.999217987060547e-7, -1e-6, 1e-6));
}

#[test]
fn the_exit_of_a_rod_is_across_it() {
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
            assert_eq!(apart.verify(a, &still, b, pose), Ok(()), "{apart:?}");
            let proof = proof_of(a, &still, b, pose);
            assert_eq!(proof.verify(a, &still, b, pose), Ok(()), "{proof:?}");
        }
    }
    let apart = distance(&rounded, &still, &can, &beside);
    assert!(apart.gap.lower > 0.0);
    let depth = penetration(&rounded, &still, &ball, &beside).unwrap();
    assert_eq!(depth.verify(&rounded, &still, &ball, &beside), Ok(()), "{depth:?}");
}

#[test]
fn relations_of_the_small_and_the_large() {
    let still = Pose::IDENTITY;
    let small = Shape::cuboid(DVec3::new(3e-4, 3e-4, 1.6e-4)).unwrap();
    for large in [Shape::cone(131072.0, 262144.0).unwrap(), Shape::cylinder(65536.0, 65536.0).unwrap()] {
        let proof = proof_of(&large, &still, &small, &still);
        assert_eq!(proof.verify(&large, &still, &small, &still), Ok(()), "{proof:?}");
    }
    let plane = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let turned = Pose::new(DMat3::from_diagonal(DVec3::new(-1.0, -1.0, 1.0)), DVec3::ZERO).unwrap();
    let proof = proof_of(&plane, &turned, &plane, &still);
    assert_eq!(proof.verify(&plane, &turned, &plane, &still), Ok(()), "{proof:?}");
}

/// A vector whose length underflows has no direction: it once came out infinite.
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
        assert_eq!(apart.verify(other, &still, &point, &still), Ok(()), "{apart:?}");
        check_point(other, &still, least);
    }
}

/// Support points of curved bodies come so close together that GJK stalls; a search by direction continues, so that the
/// points of separated bodies lie right behind each other.
#[test]
fn custom_curved_bodies_separated_from_edges() {
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
        answer.verify(&curved, &pose_a, &edged, &pose_b).unwrap();
        if answer.gap.value > 0.0 {
            apart += 1;
            complete += u32::from(answer.method == Method::Newton);
            let deep = penetration(&curved, &pose_a, &edged, &pose_b).unwrap();
            deep.verify(&curved, &pose_a, &edged, &pose_b).unwrap_or_else(|r| panic!("{r}: {deep:?} {answer:?}"));
        }
    }
    assert!(apart > 150 && complete == apart, "{complete} of {apart}");
}

fn at(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn posed(columns: [DVec3; 3], translation: DVec3) -> Pose {
    Pose::new(DMat3::from_cols(columns[0], columns[1], columns[2]), translation).unwrap()
}

/// The first hit and all hits of some part of a line, verified.
fn check_hits(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions) {
    let mut hits = Vec::new();
    ray_cast_all_with(shape, pose, ray, options, &mut hits);
    let first = first_hit(shape, pose, ray, options);
    assert_eq!(first.is_some(), !hits.is_empty(), "{shape:?}");
    for hit in first.iter().chain(&hits) {
        assert_eq!(hit.verify(shape, pose, ray, options), Ok(()), "{hit:?} of {shape:?}");
    }
}

/// Which of several parts is hit first may be undecided: a line in the plane of a custom disc enters it somewhere.
#[test]
fn the_part_named_may_be_met_first() {
    let still = Pose::IDENTITY;
    let ray = Ray::new(DVec3::ZERO, DVec3::X).unwrap();
    let radii = [[1.9e-6, 8192.0], [1.1e-6, 48123.0], [0.00025, 0.002], [15.0, 429.0], [1.9e-6, 3.8e-6]];
    for [small, large] in radii {
        let parts = vec![(still, custom_disc(small)), (still, custom_disc(large))];
        let whole = Shape::compound(parts).unwrap();
        for options in [RayOptions::default(), RayOptions::line(), RayOptions::segment()] {
            check_hits(&whole, &still, &ray, &options);
        }
    }
    // A wide bracket is shortened by a certain hit: the point is adjusted with it.
    let disc = posed([DVec3::Z, DVec3::X, DVec3::Y], DVec3::X * 23609.0);
    let ball = Shape::sphere(2e-6).unwrap();
    let whole = Shape::compound(vec![(disc, custom_disc(23609.0)), (still, ball)]).unwrap();
    check_hits(&whole, &still, &ray, &RayOptions::default());
}

#[test]
fn the_exit_of_a_union_ends_at_its_point() {
    let still = Pose::IDENTITY;
    for (radius, half) in [(3.8e-6, at(5e-5, 6.5e-9, 5e-5)), (1.3e-6, at(1.9e-6, 1.4e-8, 1.9e-6))] {
        let parts = vec![(still, custom_disc(radius)), (still, Shape::cuboid(half).unwrap())];
        check_point(&Shape::compound(parts).unwrap(), &still, DVec3::ZERO);
    }
    // The only part around the point is curved, rounded and in a skewed pose: its own closest point is the exit.
    let size = 5.771286077421482;
    let can = Shape::rounded(Shape::cylinder(size, size).unwrap(), size).unwrap();
    let turned = [
        at(0.9390702895205055, 0.27159794016067224, -0.2106684143904736),
        at(-0.2106684143904736, 0.9390702895205055, 0.27159794016067224),
        at(0.27159794016067224, -0.2106684143904736, 0.9390702895205055),
    ];
    let cube = Shape::cuboid(DVec3::splat(1.9e-4)).unwrap();
    let whole = Shape::compound(vec![(posed(turned, at(size, size, 0.0)), can), (still, cube)]).unwrap();
    check_point(&whole, &still, DVec3::ZERO);
    // The deepest part is not the one that is left last.
    let deep = Shape::rounded(Shape::cuboid(DVec3::splat(0.5)).unwrap(), 0.5).unwrap();
    let aside = Pose::from_translation(at(0.9, 0.1, 0.0)).unwrap();
    let whole = Shape::compound(vec![(still, deep.clone()), (aside, deep)]).unwrap();
    for x in [-0.2, 0.0, 0.1, 0.45, 0.5, 0.9] {
        check_point(&whole, &still, at(x, 0.05, 0.02));
    }
}

/// Along a face or an edge, through a corner, or at a small angle out of a thin one.
#[test]
fn lines_that_graze_custom_boxes() {
    let still = Pose::IDENTITY;
    let thin = custom_box(at(0.08291901878547286, 0.0006527399819839088, 0.08291901878547286));
    let below = Pose::from_translation(at(0.0, -0.2487570563564186, -0.08291901878547286)).unwrap();
    let along = Ray::new(at(0.0, -0.2494097963384025, 0.0), DVec3::Z).unwrap();
    check_hits(&thin, &below, &along, &RayOptions::default());
    let cube = custom_box(at(0.17305257773405927, 0.17305257773405927, 0.10391353767634987));
    let pose =
        posed([DVec3::Y, -DVec3::Z, -DVec3::X], at(0.19790781419305087, 0.3090533879665008, 0.19969255322460144));
    let along = Ray::new(at(0.19790781419305087, 0.3090533879665008, 0.3727451309586607), at(0.0, 5e-7, 0.0)).unwrap();
    check_hits(&cube, &pose, &along, &RayOptions::default());
    let plate = custom_box(at(184233.9441769223, 184233.9441769223, 0.2747617557575207));
    let place = at(0.8995593391977533, -6.9303589055443116, 8.64309775874954);
    let along = Ray::new(at(place.x, -184240.87453582784, 8.36833600299202), -DVec3::Y).unwrap();
    check_hits(&plate, &Pose::from_translation(place).unwrap(), &along, &RayOptions::default());
    // Along an edge, and past a corner.
    let cube = custom_box(DVec3::splat(8.0));
    for (origin, direction) in [
        (at(-20.0, 8.0, 8.0), DVec3::X),
        (at(-8.0, 0.0, 8.0), at(1.0, 0.0, 1.0)),
        (at(0.0, 16.0, 8.0), at(1.0, -1.0, 0.0)),
        (at(24.0, 8.0, -8.0), at(-1.0, 0.0, 1.0)),
    ] {
        check_hits(&cube, &still, &Ray::new(origin, direction).unwrap(), &RayOptions::line());
    }
    // From the middle to a corner of a needle.
    let needle = custom_box(at(6.103515625e-5, 6.454192368870756e-7, 8.19544870446625e-11));
    let (c, s) = (-0.6487876010263619, 0.7609695452213959);
    let place = at(0.0001220703125, -0.00018310546875, -0.00018310546875);
    let turned = posed([DVec3::X, at(0.0, c, s), at(0.0, -s, c)], place);
    let out = Ray::new(place, at(6.103515625e-5, 6.236486872171661e-11, 5.317105504260185e-11)).unwrap();
    check_hits(&needle, &turned, &out, &RayOptions::segment());
    // Along the rounded face of a thin one.
    let core = custom_box(at(2.7705926074419002e-6, 2.7705926074419002e-6, 5.264474193890579e-12));
    let rounded = Shape::rounded(core, 1.3852963037209501e-6).unwrap();
    let place = at(-0.00024261538379080473, 0.00018758161425522495, -0.00027025255941960397);
    let origin = at(-0.00023845949487964188, place.y, -0.0002716378609877991);
    let along = Ray::new(origin, at(-8.311777822325695e-6, 4.155888911162848e-6, 0.0)).unwrap();
    check_hits(&rounded, &Pose::from_translation(place).unwrap(), &along, &RayOptions::segment());
}

/// The points of a depth, or of a gap, lie right behind each other along the normal.
#[test]
fn depths_of_custom_bodies() {
    let still = Pose::IDENTITY;
    let check = |a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose| {
        let depth = penetration(a, pose_a, b, pose_b).unwrap();
        assert_eq!(depth.verify(a, pose_a, b, pose_b), Ok(()), "{depth:?} of {a:?} {b:?}");
    };
    // A small disc deep in a large box.
    let turned = [
        at(0.23456061179046, 0.30372119650940166, -0.9234363834002766),
        at(0.9209818246258622, 0.23456061179046, 0.3110848728326446),
        at(0.3110848728326446, -0.9234363834002766, -0.22470302113526394),
    ];
    let small =
        Pose::from_translation(at(2.3577801365219478e-5, -5.589235393336794e-5, -1.2448363951519885e-5)).unwrap();
    check(&custom_disc(1.6e-5), &small, &custom_box(DVec3::splat(5704.1553936433675)), &posed(turned, DVec3::ZERO));
    // A disc about the axis of a capsule.
    for (radius, half_length, around) in [(0.0268, 0.0315, 0.00787), (1.22e-4, 0.0172, 0.01127)] {
        let capsule = Shape::capsule(half_length, around).unwrap();
        check(&custom_disc(radius), &posed(turned, DVec3::ONE), &capsule, &posed(turned, DVec3::ONE));
    }
    // Two discs in one plane.
    let disc = custom_disc(1.269786866594454);
    let tilted = [
        at(0.9999999999999133, 2.309345663885466e-7, 3.4640189293306387e-7),
        at(-2.3093460640415645e-7, 0.9999999999999667, 1.1546725318256588e-7),
        at(-3.4640186625599064e-7, -1.1546733321378564e-7, 0.9999999999999333),
    ];
    let one = posed(tilted, at(0.11056716924988202, -0.34457092771220055, -0.19117996123418826));
    let other = posed(tilted, at(2.0152474691415634, -0.9794643610094276, -0.19117996123418826));
    check(&disc, &one, &disc, &other);
    check(&disc, &still, &disc, &Pose::from_translation(at(1.9, -0.6, 0.0)).unwrap());
}

/// For a small body next to the axis of a large one, no single point is as deep as the body.
#[test]
fn small_bodies_about_the_axis() {
    let columns = [
        at(-0.25986935534723293, 0.8373098742376146, -0.48101984642590767),
        at(-0.685200956777616, -0.5108892766578614, -0.5191259922475918),
        at(-0.6804172006809155, 0.19469032205067952, 0.7064899939258515),
    ];
    let pose = posed(columns, DVec3::ZERO);
    let unit = 1.7646022077562622e-6;
    let triangle =
        Shape::triangle(at(-unit, 1.5 * unit, unit), at(unit, -0.5 * unit, 0.0), at(0.0, -1.5 * unit, unit)).unwrap();
    let cone = Shape::cone(21627.013684043395, 43254.02736808679).unwrap();
    let can = Shape::cylinder(16384.0, 16384.0).unwrap();
    let cube = Shape::cuboid(at(3e-4, 3e-4, 1.6e-4)).unwrap();
    let rod = Shape::capsule(0.33, 0.42).unwrap();
    for large in [&cone, &can] {
        for small in [&triangle, &cube, &rod] {
            let depth = penetration(large, &pose, small, &pose).unwrap();
            assert_eq!(depth.verify(large, &pose, small, &pose), Ok(()), "{depth:?} of {large:?} {small:?}");
        }
    }
    // No more than the truth.
    let depth = penetration(&can, &pose, &triangle, &pose).unwrap();
    let length = depth.depth.upper * (1.0 + 1e-8);
    let more = Penetration { depth: Bracket { lower: length, value: length, upper: length }, ..depth };
    assert!(more.verify(&can, &pose, &triangle, &pose).is_err(), "{more:?}");
}

#[test]
fn bodies_far_from_their_own_origin() {
    let far = at(534962.0233573751, 5105918.414186213, -1179074.0175820156);
    let corners = [at(8.4, 2.8, 8.4), at(2.8, 8.4, -8.4), at(-8.4, 8.4, -2.8), at(2.8, -8.4, 2.8)];
    let tetrahedron = Shape::tetrahedron(corners.map(|corner| far + corner)).unwrap();
    let ball = Shape::sphere(2.2e-6).unwrap();
    let columns = [
        at(0.39797902680373076, 0.7644198736673569, 0.5072231693564367),
        at(-0.9116165897012798, 0.39148445698405526, 0.12528170611289838),
        at(-0.10280214088731124, -0.5122524467950667, 0.8526602741694396),
    ];
    let pose_a = posed(columns, at(-25.01688066401609, 51.51540189301769, 79.34068923200037));
    let pose_b = posed(columns, at(-30.663012206702053, 62.80766497838962, 79.34068923200037));
    for pose_b in [pose_b, pose_a, Pose::IDENTITY] {
        let apart = distance(&tetrahedron, &pose_a, &ball, &pose_b);
        assert_eq!(apart.verify(&tetrahedron, &pose_a, &ball, &pose_b), Ok(()), "{apart:?}");
    }
}

/// Products of six edges this short are below the smallest number.
#[test]
fn points_in_tiny_polytopes() {
    let size = 1e-60;
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|corner| corner * size);
    let shapes = [
        Shape::tetrahedron(corners).unwrap(),
        Shape::hull(&corners.map(|corner| corner.to_array())).unwrap(),
        Shape::cuboid(DVec3::splat(size)).unwrap(),
    ];
    for shape in &shapes {
        for point in [DVec3::splat(0.125 * size), DVec3::splat(0.25 * size), DVec3::splat(0.75 * size)] {
            let found = signed_distance(shape, &Pose::IDENTITY, point);
            let width = found.distance.upper - found.distance.lower;
            assert!(width <= 1e-12 * size, "{found:?} of {shape:?}");
        }
    }
}

#[test]
fn lines_along_the_side_of_a_capsule() {
    let (cosine, sine) = (-0.14874499542182398, 0.9888755868849031);
    let size = 18.345880790267856;
    let rod = Shape::capsule(size, size).unwrap();
    let place = at(55.03764237080357, 36.69176158053571, -55.03764237080357);
    let pose = posed([DVec3::X, at(0.0, cosine, sine), at(0.0, -sine, cosine)], place);
    let origin = at(73.38352316107142, 36.69176158053571, -55.03764237080357);
    let along = Ray::new(origin, at(0.0, 36.283587266793205, 5.457715908315443)).unwrap();
    check_hits(&rod, &pose, &along, &RayOptions::line());
}

#[test]
fn lines_almost_across_the_axis_of_a_cylinder() {
    let can = Shape::cylinder(6829.337326046408, 13658.674652092815).unwrap();
    let columns = [
        at(1.0, -3.14285734813266e-15, 3.712161944089979e-15),
        at(3.14285734813266e-15, 1.0, 4.335530962527951e-15),
        at(-3.712161944089979e-15, -4.335530962527951e-15, 1.0),
    ];
    let origin = at(13658.674652092815, -4.292726599608321e-11, 5.070321225020539e-11);
    let across = Ray::new(origin, -origin).unwrap();
    check_hits(&can, &posed(columns, DVec3::ZERO), &across, &RayOptions::line());
}

#[test]
fn lines_almost_across_the_axis_of_a_cone_at_its_apex() {
    let cone = Shape::cone(5174.797119736759, 10349.594239473518).unwrap();
    let columns = [
        at(1.0, 9.601659581557267e-15, 1.2144084453475226e-15),
        at(-9.601659581557267e-15, 1.0, 7.94634145494128e-15),
        at(-1.2144084453475226e-15, -7.94634145494128e-15, 1.0),
    ];
    let origin = at(-6.2843173251683556e-12, -4.112070487347494e-11, 5174.797119736759);
    let past = Ray::new(origin, at(3.403656741435855e-18, -0.00035448629609547403, -2.8168691498720547e-18)).unwrap();
    check_hits(&cone, &posed(columns, DVec3::ZERO), &past, &RayOptions::line());
}

#[test]
fn rays_at_the_smallest_ball() {
    let tiny = Shape::sphere(1e-60).unwrap();
    for (origin, step) in [(5e-324, -5e-324), (1e-300, -5e-324), (1e-60, 5e-324), (0.0, 5e-324), (5e-324, -1e60)] {
        let ray = Ray::new(DVec3::new(origin, 0.0, 0.0), DVec3::new(step, 0.0, 0.0)).unwrap();
        for (from, to) in [(0.0, 0.0), (0.0, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY)] {
            let options = RayOptions { from, to, ..RayOptions::default() };
            let hit = first_hit(&tiny, &Pose::IDENTITY, &ray, &options);
            assert!(hit.is_none_or(|hit| hit.witness.point.is_finite()
                && hit.t.lower <= hit.t.value
                && hit.t.value <= hit.t.upper));
        }
    }
}

#[test]
fn thin_lenses_of_large_balls() {
    // The overlap of the two balls is about 1e-32 of their volumes.
    let ball = Shape::sphere(1e6).unwrap();
    let (sine, cosine) = 0.01f64.sin_cos();
    for depth in [1e-7, 1e-9, 1e-3, 1.0] {
        let centre = DVec3::new(cosine, -sine, sine * 0.5).normalize() * (2e6 - depth);
        let aside = Pose::from_translation(centre).unwrap();
        let volume = overlap_volume(&ball, &Pose::IDENTITY, &ball, &aside).unwrap();
        assert!(volume.volume.lower > 0.0, "{volume:?}");
        assert_eq!(volume.verify(&ball, &Pose::IDENTITY, &ball, &aside), Ok(()), "{volume:?}");
        let centroid = volume.centroid.map(|centroid| centroid + DVec3::splat(2.0 * volume.centroid_off + 1e-6));
        let moved = Volume { centroid, ..volume };
        assert!(moved.verify(&ball, &Pose::IDENTITY, &ball, &aside).is_err(), "{moved:?}");
    }
    // One inside the other, beside its centre.
    let (small, beside) = (Shape::sphere(1.0).unwrap(), Pose::from_translation(DVec3::new(3e5, 4e5, 0.0)).unwrap());
    let volume = overlap_volume(&ball, &Pose::IDENTITY, &small, &beside).unwrap();
    assert_eq!(volume.verify(&ball, &Pose::IDENTITY, &small, &beside), Ok(()), "{volume:?}");
}

#[test]
fn two_height_fields_at_the_origin_are_in_contact_from_the_start() {
    let field = Shape::height_field(2, 2, DVec2::splat(0.00048828125), vec![0.0; 4]).unwrap();
    let still = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 0.0).unwrap();
    let impact = rigid_impact(&field, &still, &field, &still).unwrap();
    assert!(impact.started_overlapping && impact.time.upper == 0.0, "{impact:?}");
    assert_eq!(impact.verify(&field, &still, &field, &still), Ok(()), "{impact:?}");
    // Above each other by less than their size, they are not.
    let above = Pose::from_translation(DVec3::new(0.0, 0.0, 1e-4)).unwrap();
    let ball = Shape::sphere(1e-5).unwrap();
    let above = RigidMotion::still(above);
    assert!(impact.verify(&field, &still, &ball, &above).is_err());
}

fn turned_at_random(random: &mut Random) -> Pose {
    let axis = DVec3::from(random.direction());
    Pose::from_axis_angle(axis, random.uniform(-3.0, 3.0), DVec3::from(random.in_cube(10.0))).unwrap()
}

#[test]
fn points_in_one_place_are_in_contact_from_the_start() {
    let mut random = Random::new(0x7011);
    let places = (0..40).map(|_| {
        let size = 10f64.powf(random.uniform(-6.0, 6.0));
        (DVec3::from(random.in_cube(size)), turned_at_random(&mut random))
    });
    for (place, pose) in std::iter::once((DVec3::splat(2.0933822614815727e-5), Pose::IDENTITY)).chain(places) {
        let point = Shape::triangle(place, place, place).unwrap();
        let inner = Pose::from_translation(place * 0.3).unwrap();
        let shapes = [
            Shape::segment(place, place).unwrap(),
            Shape::tetrahedron([place; 4]).unwrap(),
            Shape::compound(vec![(inner, point.clone()), (pose, point.clone())]).unwrap(),
            Shape::compound(vec![(Pose::IDENTITY, point.clone())]).unwrap(),
            Shape::rounded(point.clone(), 1e-9).unwrap(),
            point.clone(),
        ];
        for (shape, way) in shapes.iter().flat_map(|shape| [DVec3::ZERO, DVec3::X].map(|way| (shape, way))) {
            let motions = [
                (Motion::still(pose), Motion::still(pose)),
                (Motion::translation(pose, way).unwrap(), Motion::still(pose)),
                (Motion::translation(pose, way).unwrap(), Motion::translation(pose, -way).unwrap()),
            ];
            for (a, b) in motions {
                let impact = time_of_impact(shape, &a, shape, &b).unwrap();
                assert_eq!(impact.verify(shape, &a, shape, &b), Ok(()), "{impact:?} of {shape:?}");
            }
        }
        // Separated by the least amount, no contact is proved.
        let beside = Shape::triangle(place, place, place.with_x(place.x.next_up())).unwrap();
        let beside = [&beside, &point, &shapes[2]];
        let still = Motion::still(pose);
        for other in beside {
            let impact = time_of_impact(&point, &still, other, &still);
            let refusal = impact.map(|impact| impact.verify(&point, &still, other, &still));
            assert!(matches!(refusal, Err(_) | Ok(Ok(()))), "{refusal:?} {impact:?} of {other:?}");
        }
        let impact = time_of_impact(&point, &still, &point, &still).unwrap();
        let beside = pose.translation() + at(1e-12 * (1.0 + pose.translation().length()), 0.0, 0.0);
        let moved = Motion::still(Pose::new(pose.rotation(), beside).unwrap());
        assert!(impact.verify(&point, &still, &point, &moved).is_err(), "{impact:?}");
    }
}

/// A sliver of a hull whose corners share no face up to rounding.
#[test]
fn contacts_of_a_compound_of_slivers_with_itself() {
    let corners = [
        [-1.7393818672965555e-11, -0.03164013653979911, -0.03164013841833152],
        [-0.03164013841833152; 3],
        [2.5568913449259367e-9, 0.0, 0.0],
        [0.0; 3],
    ];
    let columns = [
        at(1.0, -9.613652388946961e-28, -9.999999996439657e-19),
        at(9.613652388946961e-28, 1.0, -2.668461493600008e-23),
        at(9.999999996439657e-19, 2.668461493600008e-23, 1.0),
    ];
    let inner = posed(columns, DVec3::splat(-5.820766091346741e-11));
    let sliver = Shape::hull(&corners).unwrap();
    let ball = Shape::sphere(0.0625).unwrap();
    let check = |a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose| {
        let found = contacts(a, pose_a, b, pose_b);
        assert_eq!(found.verify(a, pose_a, b, pose_b), Ok(()), "{found:?} of {a:?} {b:?} at {pose_b:?}");
    };
    for parts in [vec![(inner, sliver.clone()), (Pose::IDENTITY, ball.clone())], vec![(inner, sliver)]] {
        let body = Shape::compound(parts).unwrap();
        check(&body, &Pose::IDENTITY, &body, &Pose::IDENTITY);
    }
    let mut random = Random::new(0x511e);
    for _ in 0..300 {
        let size = 10f64.powf(random.uniform(-4.0, 4.0));
        let thin = size * 10f64.powf(random.uniform(-12.0, -6.0));
        let (along, across) = (DVec3::from(random.in_cube(size)), DVec3::from(random.in_cube(size)));
        let mut corner = |k: usize| {
            let near = DVec3::from(random.in_cube(thin));
            near + [DVec3::ZERO, along, across, if random.coin() { along + across } else { DVec3::ZERO }][k % 4]
        };
        let corners: Vec<[f64; 3]> = (0..6).map(|k| corner(k).to_array()).collect();
        let Ok(sliver) = Shape::hull(&corners) else { continue };
        let inner = if random.coin() { Pose::IDENTITY } else { turned_at_random(&mut random) };
        let ball = Shape::sphere(size).unwrap();
        let parts = if random.coin() { vec![(inner, sliver), (inner, ball)] } else { vec![(inner, sliver)] };
        let body = Shape::compound(parts).unwrap();
        let pose = turned_at_random(&mut random);
        let far = if random.coin() { size } else { thin };
        let step = DVec3::from(random.in_cube(far));
        let beside = Pose::new(pose.rotation(), pose.translation() + step).unwrap();
        for other in [pose, beside] {
            let found = contacts(&body, &pose, &body, &other);
            let refusal = found.verify(&body, &pose, &body, &other);
            assert!(!matches!(refusal, Err(Refusal::Feature { .. })), "{refusal:?} {found:?} of {body:?} at {other:?}");
        }
    }
}

/// A box as a solid mesh.
fn solid_box(half: DVec3) -> Shape {
    solid(&box_lists(-half, half))
}

fn check_overlapping(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
    for (a, pose_a, b, pose_b) in [(a, pose_a, b, pose_b), (b, pose_b, a, pose_a)] {
        let proof = proof_of(a, pose_a, b, pose_b);
        assert_eq!(proof.relation, Relation::Overlapping, "{proof:?} of {a:?} at {pose_a:?} and {b:?} at {pose_b:?}");
        assert_eq!(proof.verify(a, pose_a, b, pose_b), Ok(()), "{proof:?}");
        let more = clearance::answer::RelationProof {
            gap: Bracket { upper: -2.0 * a.diameter().min(b.diameter()), ..proof.gap },
            ..proof
        };
        assert!(more.verify(a, pose_a, b, pose_b).is_err(), "{more:?}");
    }
}

/// Bodies centred on a corner, an edge or a face of a solid, in any position: none of their corners need be inside.
#[test]
fn centres_on_the_surface_of_a_solid() {
    let mut random = Random::new(0xc0e3);
    for round in 0..6 {
        let size = if round == 0 { 1.0 } else { 10f64.powf(random.uniform(-3.0, 3.0)) };
        let small = if round == 0 { 0.5 } else { size * 10f64.powf(random.uniform(-3.0, 0.3)) };
        let half = if round == 0 { DVec3::ONE } else { DVec3::new(size, size * random.uniform(0.1, 1.0), size) };
        let pose = if round == 0 { Pose::IDENTITY } else { turned_at_random(&mut random) };
        let solid = solid_box(half);
        let tetrahedron = [at(1.0, 1.0, 1.0), at(1.0, -1.0, -1.0), at(-1.0, 1.0, -1.0), at(-1.0, -1.0, 1.0)];
        let ball = Shape::sphere(small).unwrap();
        let aside = Pose::from_translation(at(3.0 * small, 0.0, 0.0)).unwrap();
        let bodies = [
            Shape::cuboid(DVec3::splat(small)).unwrap(),
            Shape::tetrahedron(tetrahedron.map(|corner| corner * small)).unwrap(),
            Shape::hull(&tetrahedron.map(|corner| (corner * small).to_array())).unwrap(),
            Shape::capsule(small, small).unwrap(),
            Shape::cylinder(small, small).unwrap(),
            Shape::ellipsoid(at(small, 2.0 * small, small)).unwrap(),
            Shape::rounded(Shape::cuboid(DVec3::splat(small)).unwrap(), small).unwrap(),
            Shape::custom(Arc::new(Ball { radius: small })).unwrap(),
            Shape::compound(vec![(Pose::IDENTITY, ball.clone())]).unwrap(),
            Shape::compound(vec![(aside, ball.clone()), (Pose::IDENTITY, ball.clone())]).unwrap(),
            solid_box(DVec3::splat(small)),
            ball,
        ];
        let share = if round == 0 { 0.0 } else { random.uniform(-0.9, 0.9) };
        for place in [DVec3::ONE, at(1.0, share, 1.0), at(share, 1.0, -share), at(1.0, -1.0, -1.0)] {
            let own = place * half;
            let turned = turned_at_random(&mut random);
            for rotation in [pose.rotation(), DMat3::IDENTITY, turned.rotation()] {
                let there = Pose::new(rotation, pose.transform_point(own)).unwrap();
                for body in &bodies {
                    check_overlapping(&solid, &pose, body, &there);
                }
            }
        }
    }
}

/// Solids that share a corner, one inside the other there.
#[test]
fn overlapping_corners_of_solids() {
    let mut random = Random::new(0x50f1);
    for _ in 0..10 {
        let (large, small) = (random.uniform(0.5, 4.0), random.uniform(0.1, 0.4));
        let (a, b) = (solid_box(DVec3::splat(large)), solid_box(DVec3::splat(small)));
        let pose = turned_at_random(&mut random);
        let corner = |sign: f64, size: f64| DVec3::splat(sign * size);
        // Rotated slightly about the corner, so that the small one still overlaps.
        let turn =
            Pose::from_axis_angle(DVec3::from(random.direction()), random.uniform(-0.5, 0.5), DVec3::ZERO).unwrap();
        for turn in [turn.rotation(), DMat3::IDENTITY] {
            let rotation = pose.rotation() * turn;
            let place = pose.transform_point(corner(1.0, large)) - rotation * corner(1.0, small);
            let there = Pose::new(rotation, place).unwrap();
            check_overlapping(&a, &pose, &b, &there);
            // As a convex body.
            check_overlapping(&a, &pose, &Shape::cuboid(DVec3::splat(small)).unwrap(), &there);
        }
        // Corner to corner outside: they touch, and nothing more is proved.
        let there = Pose::from_translation(corner(1.0, 1.0) * (2.0 + 0.5)).unwrap();
        let (a, b) = (solid_box(DVec3::splat(2.0)), solid_box(DVec3::splat(0.5)));
        assert_eq!(proof_of(&a, &Pose::IDENTITY, &b, &there).relation, Relation::Touching);
        let ball = Shape::sphere(0.5).unwrap();
        let beside = Pose::from_translation(at(2.5, 0.25, 0.5)).unwrap();
        assert_eq!(proof_of(&a, &Pose::IDENTITY, &ball, &beside).relation, Relation::Touching);
    }
}

/// A part of a compound in a solid that another part only touches.
#[test]
fn another_part_is_inside_the_solid() {
    let solid = solid_box(DVec3::ONE);
    let place = |x: f64, y: f64, z: f64| Pose::from_translation(at(x, y, z)).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let at_corner = vec![(place(1.5, 0.0, 0.0), ball.clone()), (place(-1.0, -1.0, 1.0), ball.clone())];
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let on_edge = vec![(place(0.0, 0.0, 1.5), cube.clone()), (place(-1.0, 0.0, -1.0), cube)];
    for mut parts in [at_corner, on_edge] {
        for _ in 0..2 {
            parts.reverse();
            let body = Shape::compound(parts.clone()).unwrap();
            check_overlapping(&solid, &Pose::IDENTITY, &body, &Pose::IDENTITY);
        }
    }
}

/// A point in a union whose exit leads through the boundary of a part that does not contain it.
#[test]
fn the_part_that_contains_a_point_is_named() {
    let can = Shape::cylinder(0.0011146816975998886, 0.003383855153428233).unwrap();
    let beside = Pose::from_translation(DVec3::splat(0.0019905030309649223)).unwrap();
    let mut random = Random::new(0x9a27);
    let both = Shape::compound(vec![(beside, can.clone()), (Pose::IDENTITY, can)]).unwrap();
    for round in 0..200 {
        let point = match round {
            0 => DVec3::splat(0.0016919275767141165),
            _ => at(random.uniform(-4e-3, 6e-3), random.uniform(-4e-3, 6e-3), random.uniform(-2e-3, 4e-3)),
        };
        let nearest = closest_point(&both, &Pose::IDENTITY, point);
        assert_eq!(nearest.verify(&both, &Pose::IDENTITY, point), Ok(()), "{nearest:?} {point}");
        let signed = signed_distance(&both, &Pose::IDENTITY, point);
        assert_eq!(signed.verify(&both, &Pose::IDENTITY, point), Ok(()), "{signed:?} {point}");
    }
}

/// Points almost touching: on planes through the origin, with subnormal numbers, and beside meshes without extent.
#[test]
fn points_next_to_planes_and_points() {
    for (normal, point) in [(DVec3::Z, 1e-318), (at(1.3e-5, 0.0, 0.0), 3e-310), (DVec3::Z * 0.5, 5e-324)] {
        let plane = Shape::half_space(normal, 0.0).unwrap();
        for point in [point * DVec3::ONE, -point * DVec3::ONE] {
            let signed = signed_distance(&plane, &Pose::IDENTITY, point);
            assert_eq!(signed.verify(&plane, &Pose::IDENTITY, point), Ok(()), "{signed:?}");
            let nearest = closest_point(&plane, &Pose::IDENTITY, point);
            assert_eq!(nearest.verify(&plane, &Pose::IDENTITY, point), Ok(()), "{nearest:?}");
        }
    }
    let dot = Shape::Mesh(Mesh::new(&[[-8.881784197001252e-16; 3]], &[[0; 3], [0; 3]]).unwrap());
    let pose = Pose::from_translation(at(-3529411.76854074, -1.1920928955078125, -0.004656612873077393)).unwrap();
    for point in [at(-3529411.76854074, -1.1920928955078134, -0.004656612873078281), pose.translation()] {
        let signed = signed_distance(&dot, &pose, point);
        assert_eq!(signed.verify(&dot, &pose, point), Ok(()), "{signed:?}");
        let wide = clearance::answer::SignedDistance {
            distance: Bracket { lower: 0.5 * signed.distance.lower, ..signed.distance },
            ..signed
        };
        assert!(wide.verify(&dot, &pose, point).is_err(), "{wide:?}");
    }
}

fn check_sliver_depth(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
    let depth = penetration(a, pose_a, b, pose_b).unwrap();
    let context = || format!("{depth:?} of {a:?} at {pose_a:?} and {b:?} at {pose_b:?}");
    assert_eq!(depth.verify(a, pose_a, b, pose_b), Ok(()), "{}", context());
    let size = a.diameter() + b.diameter();
    assert!(depth.depth.upper - depth.depth.lower <= 1e-9 * (size + 1e-6 * size), "{}", context());
    // Where one point is not right behind the other, that is refused.
    let aside = depth.normal.any_orthonormal_vector() * (1e-9 * size);
    let moved = Penetration {
        witness: with_b(depth.witness, |b| b.point = depth.witness.b.point + pose_b.rotation().transpose() * aside),
        ..depth
    };
    assert!(moved.verify(a, pose_a, b, pose_b).is_err(), "{}", context());
    let other = penetration(b, pose_b, a, pose_a).unwrap();
    assert_eq!(
        (other.depth.value, other.depth.lower, other.depth.upper),
        (depth.depth.value, depth.depth.lower, depth.depth.upper),
        "{}",
        context()
    );
}

/// Overlapping slivers about 1e-12 to 1e-10 of their size thick: floats cannot distinguish the face with the foot of
/// the normal from its neighbours, and the points were on the border of the wrong one.
#[test]
fn depths_of_slivers_in_themselves() {
    let long = 0.23278358986586267;
    let short = -0.040484102705548156;
    let a = [
        DVec3::splat(long),
        at(long, long, -0.04143294880355798),
        at(short, -0.040484102945909616, short),
        at(short, short, 0.2337324359638725),
    ];
    let b = [DVec3::splat(long), at(long, 4.32650630618682e-9, 0.0), DVec3::ZERO, DVec3::ZERO];
    let (a, b) = (Shape::tetrahedron(a).unwrap(), Shape::tetrahedron(b).unwrap());
    check_sliver_depth(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY);

    let (near, far) = (-0.042508307834816524, -0.17254901968408376);
    let hulls = [
        [[0.2327835825348381, -0.04345712304637856, near], [near; 3], [4.32650630618682e-9, 0.0, 0.0], [0.0; 3]],
        [[far; 3], [-0.17254902061540633, far, far], [far, 0.0002758697373792529, 0.0], [0.0; 3]],
        [
            [0.00196116480768823, 1.0070463760939772, 1.0070420519912857],
            [0.23187430966802292, 0.7742584620052423, 0.7731514748908975],
            [3.0646086335489974e-8, 0.774258462125423, 0.774258462125423],
            [0.0, 0.774258462125423, 0.774258462125423],
        ],
    ];
    for corners in &hulls {
        let sliver = Shape::hull(corners).unwrap();
        let turned = Pose::from_axis_angle(DVec3::ONE, 1e-10, DVec3::splat(1e-12)).unwrap();
        for pose in [Pose::IDENTITY, turned] {
            check_sliver_depth(&sliver, &Pose::IDENTITY, &sliver, &pose);
        }
    }
}

/// A sliver: points next to a triangle's corners, as hull or as tetrahedron.
fn random_sliver(random: &mut Random, size: f64) -> Option<Shape> {
    let thin = size * 10f64.powf(random.uniform(-14.0, -6.0));
    let (along, across) = (DVec3::from(random.in_cube(size)), DVec3::from(random.in_cube(size)));
    // Some are needles, some have a side next to an edge.
    let across = if random.coin() { across } else { along * random.uniform(0.0, 1.0) };
    let count = if random.coin() { 4 } else { 5 + (random.uniform(0.0, 4.0) as usize) };
    let corners: Vec<DVec3> = (0..count)
        .map(|k| {
            let near = DVec3::from(random.in_cube(thin));
            near + [DVec3::ZERO, along, across, if random.coin() { along + across } else { DVec3::ZERO }][k % 4]
        })
        .collect();
    if let [p, q, r, s] = corners[..]
        && random.coin()
    {
        return Shape::tetrahedron([p, q, r, s]).ok();
    }
    Shape::hull(&corners.iter().map(|corner| corner.to_array()).collect::<Vec<_>>()).ok()
}

#[test]
fn questions_about_random_slivers() {
    let mut random = Random::new(0x51f3);
    let mut deep = 0;
    for k in 0..1500 {
        let size = 10f64.powf(random.uniform(-3.0, 3.0));
        let Some(a) = random_sliver(&mut random, size) else { continue };
        let b = if k % 3 == 0 { random_sliver(&mut random, size) } else { Some(a.clone()) };
        let Some(b) = b else { continue };
        let pose_a = if random.coin() { Pose::IDENTITY } else { turned_at_random(&mut random) };
        let pose_b = match k % 4 {
            0 => pose_a,
            1 => {
                let short = size * 10f64.powf(random.uniform(-15.0, -6.0));
                let step = DVec3::from(random.in_cube(short));
                Pose::new(pose_a.rotation(), pose_a.translation() + step).unwrap()
            }
            2 => {
                let angle = 10f64.powf(random.uniform(-15.0, -5.0));
                let little = Pose::from_axis_angle(DVec3::from(random.direction()), angle, DVec3::ZERO).unwrap();
                Pose::new(pose_a.rotation() * little.rotation(), pose_a.translation()).unwrap()
            }
            _ => Pose::new(turned_at_random(&mut random).rotation(), pose_a.translation()).unwrap(),
        };
        let context = || format!("of {a:?} at {pose_a:?} and {b:?} at {pose_b:?}");
        let depth = penetration(&a, &pose_a, &b, &pose_b).unwrap();
        assert_eq!(depth.verify(&a, &pose_a, &b, &pose_b), Ok(()), "{depth:?} {}", context());
        let more = Penetration {
            depth: Bracket { lower: 1.001 * depth.depth.upper, value: 1.001 * depth.depth.upper, ..depth.depth },
            ..depth
        };
        let more = Penetration { depth: Bracket { upper: 1.002 * depth.depth.upper, ..more.depth }, ..more };
        assert!(depth.depth.upper == 0.0 || more.verify(&a, &pose_a, &b, &pose_b).is_err(), "{more:?} {}", context());
        deep += usize::from(depth.depth.lower > 0.0 && depth.method == Method::Epa);
        let gap = distance(&a, &pose_a, &b, &pose_b);
        assert_eq!(gap.verify(&a, &pose_a, &b, &pose_b), Ok(()), "{gap:?} {}", context());
        let proof = proof_of(&a, &pose_a, &b, &pose_b);
        assert_eq!(proof.verify(&a, &pose_a, &b, &pose_b), Ok(()), "{proof:?} {}", context());
        let mut found = contacts(&a, &pose_a, &b, &pose_b);
        assert_eq!(found.verify(&a, &pose_a, &b, &pose_b), Ok(()), "{found:?} {}", context());
        if let Some(first) = found.points.first_mut() {
            first.witness.b.point += DVec3::splat(1e-9 * (a.diameter() + b.diameter()));
            assert!(found.verify(&a, &pose_a, &b, &pose_b).is_err(), "{found:?} {}", context());
        }
    }
    assert!(deep > 500, "{deep}");
}

/// Bodies far from the origins of their frames, whose points are rounded by far more than the width of the bracket: the
/// upper bound is true, but alternating projection between the faces next to the points converges too slowly to a
/// common point.
#[test]
fn common_points_far_from_the_origins_of_their_frames() {
    let origin = at(-7372548.853095839, -7372549.001293747, 9019662.895448357);
    let corners = [
        at(0.06333152763545513, -0.21152943652123213, -0.1942090392112732),
        at(0.06369525194168091, 0.21152943558990955, -0.2288498319685459),
        at(-0.06369525101035833, 0.21091509517282248, 0.2288498319685459),
        at(0.06333152763545513, 0.21152943558990955, 0.2288498319685459),
    ];
    let columns = [
        at(1.0, 4.403454619689894e-9, -4.403454442364633e-9),
        at(-4.403454619689894e-9, 1.0, 4.4034179542821724e-9),
        at(4.403454442364633e-9, -4.4034179542821724e-9, 1.0),
    ];
    let body = Shape::tetrahedron(corners.map(|corner| origin + corner)).unwrap();
    let turned = posed(columns, at(1.7203536684107235e-6, 8.287592834221869e-12, 0.0));
    check_common_point(&body, &turned, &body, &Pose::IDENTITY);

    let mut random = Random::new(0xfa4);
    let mut meeting = 0;
    for k in 0..400 {
        let size = 10f64.powf(random.uniform(-3.0, 3.0));
        let far = size * 10f64.powf(random.uniform(3.0, 9.0));
        let mut solid = |flat: f64| {
            let corners: [DVec3; 4] = std::array::from_fn(|_| DVec3::from(random.in_cube(size)));
            corners.map(|corner| corner * at(1.0, 1.0, flat))
        };
        // Flat ones have faces at small angles.
        let flat = [1.0, 1e-2, 1e-4, 1e-6][k % 4];
        let (a, b) = (solid(flat), solid(flat));
        let (from_a, from_b) = (DVec3::from(random.in_cube(far)), DVec3::from(random.in_cube(far)));
        let shape = |corners: [DVec3; 4], from: DVec3| {
            let points = corners.map(|corner| from + corner);
            match k % 3 {
                0 => Shape::triangle(points[0], points[1], points[2]),
                1 => Shape::hull(&points.map(|point| point.to_array())),
                _ => Shape::tetrahedron(points),
            }
        };
        let (Ok(a), Ok(b)) = (shape(a, from_a), shape(b, from_b)) else { continue };
        let pose_a = turned_at_random(&mut random);
        let rotation = if random.coin() { pose_a.rotation() } else { turned_at_random(&mut random).rotation() };
        let place = pose_a.transform_point(from_a) - rotation * from_b;
        let pose_b = Pose::new(rotation, place).unwrap();
        meeting += usize::from(check_common_point(&a, &pose_a, &b, &pose_b));
    }
    assert!(meeting > 100, "{meeting}");
}

fn check_common_point(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    let found = distance(a, pose_a, b, pose_b);
    assert_eq!(found.verify(a, pose_a, b, pose_b), Ok(()), "{found:?} of {a:?} at {pose_a:?} and {b:?} at {pose_b:?}");
    // Beside the other, a point is refused.
    let coordinates = found.witness.a.point.length() + found.witness.b.point.length();
    let step = 1e-6 * (a.diameter() + b.diameter()) + 64.0 * f64::EPSILON * coordinates;
    let beside =
        Distance { witness: with_b(found.witness, |b| b.point = found.witness.b.point + DVec3::splat(step)), ..found };
    assert!(beside.verify(a, pose_a, b, pose_b).is_err(), "{beside:?}");
    found.gap.value == 0.0
}

/// Two exactly decided queries must agree in either order, and `verify` must accept the distance.
fn check_meeting_alike(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    let meets = intersects(a, pose_a, b, pose_b);
    for (a, pose_a, b, pose_b) in [(a, pose_a, b, pose_b), (b, pose_b, a, pose_a)] {
        let gap = distance(a, pose_a, b, pose_b);
        assert_eq!(gap.gap.value == 0.0, meets, "{gap:?} of {a:?} at {pose_a:?} and {b:?} at {pose_b:?}");
        assert_eq!(gap.verify(a, pose_a, b, pose_b), Ok(()), "{gap:?} of {a:?} at {pose_a:?} and {b:?} at {pose_b:?}");
        // Nearer or farther than they are.
        let step = 1e-9 * (a.diameter() + b.diameter());
        let farther = Distance { gap: Bracket { lower: step, value: step, upper: step.max(gap.gap.upper) }, ..gap };
        assert!(gap.gap.lower >= step || farther.verify(a, pose_a, b, pose_b).is_err(), "{farther:?}");
        let nearer =
            Distance { gap: Bracket { lower: 0.0, value: 0.5 * gap.gap.value, upper: gap.gap.upper - step }, ..gap };
        assert!(nearer.verify(a, pose_a, b, pose_b).is_err(), "{nearer:?}");
    }
    meets
}

/// An edge that ends, up to rounding, on edges of several triangles: some pairs of parts meet, others are separated by
/// less than rounding.
#[test]
fn a_distance_is_zero_where_bodies_meet() {
    let half = at(2.1198197019401e-6, 2.1198197019401e-8, 2.1198197019401e-8);
    let c = 1.05990985097005e-6;
    let corners = [at(c, 5.29954925485025e-7, c), at(c, c, c), at(c, 0.0, 0.0), at(0.0, 0.0, c)];
    let (solid, tetrahedron) = (solid_box(half), Shape::tetrahedron(corners).unwrap());
    assert!(check_meeting_alike(&solid, &Pose::IDENTITY, &tetrahedron, &Pose::IDENTITY));

    let mut random = Random::new(0xd8a4);
    let mut met = 0;
    for round in 0..60 {
        let size = 10f64.powf(random.uniform(-6.0, 6.0));
        let half = at(1.0, random.uniform(0.01, 1.0), random.uniform(0.01, 1.0)) * size;
        // A point of an edge, as rounding has it, from which the other body's corners go outward.
        let on_edge = at(half.x * random.uniform(-1.0, 1.0), half.y, half.z);
        let out =
            |random: &mut Random| at(random.uniform(-1.0, 1.0), random.uniform(0.0, 1.0), random.uniform(0.0, 1.0));
        let along = out(&mut random).with_z(-random.uniform(0.0, 1.0) * f64::from(round % 2)) * size;
        let (start, end) = (on_edge - 0.3 * along, on_edge + 0.7 * along);
        let corners = [start, end, on_edge + out(&mut random) * size, on_edge + out(&mut random) * size];
        let surface = {
            let Shape::Mesh(mesh) = solid_box(half) else { unreachable!() };
            Shape::mesh(&mesh.points().map(|p| p.to_array()).collect::<Vec<_>>(), &mesh.triangles()).unwrap()
        };
        let cuboid = Shape::cuboid(half).unwrap();
        let first = [solid_box(half), surface, Shape::compound(vec![(Pose::IDENTITY, cuboid.clone()); 2]).unwrap()];
        let tetrahedron = Shape::tetrahedron(corners).unwrap();
        let second = [
            tetrahedron.clone(),
            Shape::flat_hull(&corners.map(|corner| corner.to_array())).unwrap(),
            Shape::triangle(corners[0], corners[1], corners[2]).unwrap(),
            Shape::segment(start, end).unwrap(),
            Shape::compound(vec![(Pose::IDENTITY, tetrahedron), (Pose::IDENTITY, Shape::segment(start, end).unwrap())])
                .unwrap(),
            Shape::mesh(&corners.map(|corner| corner.to_array()), &[[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])
                .unwrap(),
        ];
        let pose = turned_at_random(&mut random);
        for pose in [Pose::IDENTITY, pose] {
            for a in &first {
                for b in &second {
                    met += usize::from(check_meeting_alike(a, &pose, b, &pose));
                }
            }
        }
    }
    assert!(met > 100, "{met}");
}

/// Bodies separated by little more than the rounding of their coordinates: bounds by boxes count too, so that no
/// triangle is missed that may be within the margin by the gap of the whole bodies.
#[test]
fn contacts_of_a_small_mesh_on_a_large_box() {
    let cuboid = Shape::cuboid(DVec3::splat(469753.4659755937)).unwrap();
    let turn = DMat3::from_cols(at(0.0, 0.0, -1.0), at(-1.0, 0.0, 0.0), at(0.0, 1.0, 0.0));
    let pose_a = Pose::new(turn, DVec3::splat(5803921.56727612)).unwrap();
    let pose_b = Pose::new(turn, at(5803921.565804577, 6273675.030308636, 5803921.565804577)).unwrap();
    let (low, high) = (0.002943085843564656, 0.008829257530693968);
    let points = [
        [0.005886171687129312, 0.008829257530693968, low],
        [0.005886171687129312, 0.008829257530693968, high],
        [0.007575849206728785, 0.008829257530693968, 0.005886171687129312],
        [0.006408310755698857, 0.01043623634614648, 0.005886171687129312],
        [0.00451919385876003, 0.009822425057844666, 0.005886171687129312],
        [0.00451919385876003, 0.007836090003543272, 0.005886171687129312],
        [0.006408310755698857, 0.007222278715241457, 0.005886171687129312],
    ];
    let triangles: Vec<[u32; 3]> =
        (0..5).flat_map(|k| [[0, 2 + (k + 1) % 5, 2 + k], [1, 2 + k, 2 + (k + 1) % 5]]).collect();
    let solid = Shape::Mesh(Mesh::new(&points, &triangles).unwrap().solid().unwrap());
    let mut few = 0;
    let mut random = Random::new(0xfc34);
    for round in 0..60 {
        let lifted = if round == 0 { 0.0 } else { random.uniform(-1.0, 3.0) * 1e-8 };
        let aside =
            if round == 0 { DVec3::ZERO } else { at(random.uniform(-1e5, 1e5), lifted, random.uniform(-1e5, 1e5)) };
        let pose_b = Pose::new(turn, pose_b.translation() + aside).unwrap();
        for (a, pose_a, b, pose_b) in [(&cuboid, &pose_a, &solid, &pose_b), (&solid, &pose_b, &cuboid, &pose_a)] {
            let found = contacts(a, pose_a, b, pose_b);
            assert_eq!(found.verify(a, pose_a, b, pose_b), Ok(()), "{found:?} at {pose_b:?}");
            assert_eq!(found.points.is_empty(), found.gap.lower > 0.0, "{found:?}");
            few += usize::from(found.points.is_empty() && found.gap.value < 1e-8);
            let nearer = Contacts {
                gap: Bracket { upper: found.gap.upper - 1e-6, value: found.gap.value - 1e-6, lower: -1.0 },
                ..found.clone()
            };
            assert!(nearer.verify(a, pose_a, b, pose_b).is_err(), "{nearer:?}");
        }
    }
    assert!(few > 0);
}

/// A point that rounding places beside the height field though it is below its edge: it must move up.
#[test]
fn a_single_point_below_the_edge_of_a_height_field() {
    let rotation = DMat3::from_cols(
        at(0.9330147448292934, -0.3590024897131762, -0.02450914749373011),
        at(0.3594846135415655, 0.932951958870789, 0.019273169589585873),
        at(0.015946741297202995, -0.026792812821695954, 0.9995138051188196),
    );
    let near = Pose::new(rotation, at(-2.6280766177036393e-13, -3.5411772660083935e-5, -3.541177476254523e-5)).unwrap();
    let mut random = Random::new(0x4220);
    for round in 0..60 {
        let spacing = if round == 0 { 3.5273447263810704e-5 } else { 10f64.powf(random.uniform(-6.0, 6.0)) };
        let heights: Vec<f32> = (0..36).map(|_| (random.uniform(0.0, 2.0) * spacing) as f32).collect();
        let field = Shape::height_field(6, 6, DVec2::splat(spacing), heights).unwrap();
        let below = if round == 0 { 1.1022969089631198e-5 } else { random.uniform(0.0, 1.0) * spacing };
        let along = if round % 3 == 0 { 0.0 } else { random.uniform(0.0, 5.0) * spacing };
        let points = [[0.0, along, -below], [along, 0.0, -below], [5.0 * spacing, along, -below]];
        let turned = turned_at_random(&mut random);
        let pose =
            if round == 0 { near } else { Pose::new(turned.rotation(), turned.translation() * spacing).unwrap() };
        for point in points {
            let mesh = Shape::mesh(&[point], &[[0, 0, 0]]).unwrap();
            for (a, b) in [(&mesh, &field), (&field, &mesh)] {
                let proof = proof_of(a, &pose, b, &pose);
                assert_eq!(proof.verify(a, &pose, b, &pose), Ok(()), "{proof:?} of {point:?}");
                assert_ne!(proof.relation, Relation::Separated, "{proof:?}");
                if proof.gap.lower < 0.0 {
                    let free = clearance::answer::RelationProof {
                        gap: Bracket { lower: proof.gap.upper.min(0.0), ..proof.gap },
                        ..proof
                    };
                    assert!(free.verify(a, &pose, b, &pose).is_err(), "{free:?}");
                }
            }
        }
    }
}

/// A random pose with a rigidity defect of about `defect`.
fn off_rigid(random: &mut Random, defect: f64, size: f64) -> Pose {
    let turned = turned_at_random(random);
    let stretch = 1.0 + 0.4 * defect * random.uniform(0.1, 1.0);
    let place = DVec3::from(random.direction()) * size;
    Pose::new(turned.rotation() * DMat3::from_diagonal(at(1.0, stretch, 1.0)), place).unwrap()
}

/// Parts in poses that are not quite rigid: their gaps are known within the defects, as the contract requires.
#[test]
fn parts_in_poses_that_are_not_rigid() {
    let column = |x: f64, y: f64, z: f64| at(x, y, z);
    let turn = DMat3::from_cols(
        column(0.9926888467067221, 0.08892618293217062, -0.08161501787418692),
        column(-0.08161501787418692, 0.9926888467067221, 0.08892618293217062),
        column(0.08892618293217062, -0.08161501787418692, 0.9926888467067221),
    );
    let cone = Shape::cone(9.91289494309211e-10, 0.00014109378905524282).unwrap();
    let body = Shape::compound(vec![(Pose::new(turn, DVec3::ZERO).unwrap(), cone)]).unwrap();
    let points = [
        [-3.983824637790668e-5, 6.639721713208782e-6, 6.639707718700793e-6],
        [6.79041214426639e-6, 6.639707718700793e-6, 6.639707718700793e-6],
    ];
    let mesh = Shape::mesh(&points, &[[0, 0, 0], [1, 1, 1]]).unwrap();
    let away =
        Pose::from_translation(at(0.00015836811464662085, -3.5273447263810704e-5, -3.5273447263810704e-5)).unwrap();
    let check = |a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose| {
        let gap = distance(a, pose_a, b, pose_b);
        assert_eq!(gap.verify(a, pose_a, b, pose_b), Ok(()), "{gap:?} of {a:?} and {b:?} at {pose_b:?}");
        assert_eq!(gap.method, Method::Parts, "{gap:?}");
        let stopped = Distance { method: Method::PartsStopped(clearance::answer::Stopped::Budget), ..gap };
        let width = gap.gap.upper - gap.gap.lower;
        assert!(width > 1e-13 * gap.gap.upper || stopped.verify(a, pose_a, b, pose_b).is_err(), "{stopped:?}");
        let found = contacts(a, pose_a, b, pose_b);
        assert_eq!(found.verify(a, pose_a, b, pose_b), Ok(()), "{found:?} of {a:?} and {b:?} at {pose_b:?}");
        if let Ok(depth) = penetration(a, pose_a, b, pose_b) {
            assert_eq!(depth.verify(a, pose_a, b, pose_b), Ok(()), "{depth:?} of {a:?} and {b:?} at {pose_b:?}");
        }
    };
    check(&mesh, &Pose::IDENTITY, &body, &away);

    let mut random = Random::new(0xc049);
    for _ in 0..40 {
        let size = 10f64.powf(random.uniform(-5.0, 5.0));
        let thin = size * 10f64.powf(random.uniform(-6.0, 0.0));
        let parts = |random: &mut Random| {
            let defect = 10f64.powf(random.uniform(-9.0, -6.2));
            let shapes = [
                Shape::cone(thin, size).unwrap(),
                Shape::cylinder(size, thin).unwrap(),
                Shape::ellipsoid(at(size, thin, 0.5 * size)).unwrap(),
                Shape::cuboid(at(size, thin, 0.5 * size)).unwrap(),
                Shape::capsule(size, thin).unwrap(),
            ];
            let placed = |shape: Shape| (off_rigid(random, defect, size), shape);
            Shape::compound(shapes.into_iter().map(placed).collect()).unwrap()
        };
        let (a, b) = (parts(&mut random), parts(&mut random));
        let triangle = [DVec3::ZERO, DVec3::X * size, DVec3::Y * thin].map(|corner| corner.to_array());
        let surface = Shape::mesh(&triangle, &[[0, 1, 2]]).unwrap();
        for away in [1.0, 3.0, 8.0] {
            let there = off_rigid(&mut random, 1e-16, away * size);
            check(&a, &Pose::IDENTITY, &b, &there);
            check(&surface, &there, &b, &Pose::IDENTITY);
        }
    }
}

/// A body with two small parts about its origin and one far away.
fn far_reaching(random: &mut Random, small: f64, far: f64) -> Shape {
    let turned = |random: &mut Random| Pose::new(turned_at_random(random).rotation(), DVec3::ZERO).unwrap();
    let corners = [at(1.0, 1.0, 1.0), at(1.0, -1.0, -1.0), at(-1.0, 1.0, -1.0), at(-1.0, -1.0, 1.0)];
    let tetrahedron = Shape::tetrahedron(corners.map(|corner| corner * small)).unwrap();
    let away = Pose::from_translation(DVec3::from(random.direction()) * far).unwrap();
    let parts = vec![
        (away, Shape::sphere(small).unwrap()),
        (turned(random), tetrahedron),
        (turned(random), Shape::cuboid(DVec3::splat(0.5 * small)).unwrap()),
    ];
    Shape::compound(parts).unwrap()
}

/// Parts far smaller than their bodies are placed as accurately as the bodies' sizes allow, and no better.
#[test]
fn impacts_of_parts_far_smaller_than_their_bodies() {
    let mut random = Random::new(0x8c8d);
    for round in 0..60 {
        let small = 10f64.powf(random.uniform(-6.0, 0.0));
        let far = small * 10f64.powf(random.uniform(1.0, 8.0)) + 3.0;
        let (a, b) = (far_reaching(&mut random, small, far), far_reaching(&mut random, small, far));
        let way = DVec3::from(random.direction()) * small * 8.0;
        let (start_a, start_b) =
            (Pose::IDENTITY, Pose::from_translation(if round % 2 == 0 { way * 0.01 } else { way }).unwrap());
        let motion_a = Motion::translation(start_a, way * random.uniform(0.2, 1.0)).unwrap();
        let motion_b = Motion::translation(start_b, way * -random.uniform(0.8, 1.0)).unwrap();
        for (a, motion_a, b, motion_b) in [(&a, &motion_a, &b, &motion_b), (&b, &motion_b, &a, &motion_a)] {
            let impact = time_of_impact(a, motion_a, b, motion_b).unwrap();
            let verdict = impact.verify(a, motion_a, b, motion_b);
            assert_eq!(verdict, Ok(()), "{impact:?} of {a:?} {motion_a:?} and {b:?} {motion_b:?}");
            let placement = 1e-10 * far;
            let vague = clearance::answer::Impact { placement, ..impact };
            let refusal = Err(Refusal::Placement { claimed: placement, seen: 0.0 });
            assert_eq!(vague.verify(a, motion_a, b, motion_b), refusal);
            let aside = clearance::answer::Impact {
                witness: with_a(impact.witness, |a| a.point = impact.witness.a.point + 1e-6 * (small + far)),
                ..impact
            };
            assert!(aside.verify(a, motion_a, b, motion_b).is_err(), "{aside:?}");
        }
    }
}

/// Points far from the origins of their frames that are equal, or next to each other, in bodies at one pose.
#[test]
fn single_points_of_bodies_in_one_frame() {
    let mut random = Random::new(0x9ddf);
    for round in 0..60 {
        let size = if round == 0 { 562500.0 } else { 10f64.powf(random.uniform(-6.0, 6.0)) };
        let point = |random: &mut Random| DVec3::splat(-size * if round == 0 { 1.0 } else { random.uniform(0.1, 9.0) });
        let (first, turned) = (point(&mut random), turned_at_random(&mut random));
        let inner = Pose::new(turned.rotation(), turned.translation() * size).unwrap();
        let near = first.with_x(first.x.next_up());
        let other = Shape::sphere(size).unwrap();
        let away = Pose::from_translation(DVec3::splat(30.0 * size)).unwrap();
        let body = |point: DVec3| {
            let segment = Shape::segment(point, point).unwrap();
            Shape::compound(vec![(inner, segment), (away, other.clone())]).unwrap()
        };
        let alone = |point: DVec3| Shape::compound(vec![(inner, Shape::segment(point, point).unwrap())]).unwrap();
        let pose = if round % 2 == 0 { Pose::IDENTITY } else { turned_at_random(&mut random) };
        for (a, b) in [(body(first), alone(first)), (alone(first), alone(first)), (alone(first), body(near))] {
            for (a, b) in [(&a, &b), (&b, &a)] {
                let gap = distance(a, &pose, b, &pose);
                assert_eq!(gap.verify(a, &pose, b, &pose), Ok(()), "{gap:?} of {a:?} and {b:?} at {pose:?}");
                assert!(gap.gap.upper <= 1e-12 * size, "{gap:?}");
                let still = RigidMotion::still(pose);
                if let Ok(impact) = rigid_impact(a, &still, b, &still) {
                    assert_eq!(impact.verify(a, &still, b, &still), Ok(()), "{impact:?}");
                }
                if gap.gap.value > 0.0 {
                    let same = Distance { gap: Bracket { value: 0.0, lower: 0.0, upper: 0.0 }, normal: None, ..gap };
                    assert!(same.verify(a, &pose, b, &pose).is_err(), "{same:?}");
                }
            }
        }
    }
}

/// Bodies that move far together: their common motion does not bring them nearer.
#[test]
fn least_clearance_of_bodies_that_move_together() {
    let mut random = Random::new(0x89bf);
    for round in 0..8 {
        let size = 10f64.powf(random.uniform(-6.0, 2.0));
        let way = DVec3::from(random.direction()) * size * 10f64.powf(random.uniform(3.0, 8.0));
        let disc = Shape::cylinder(1e-6 * size, size).unwrap();
        let body =
            if round % 2 == 0 { Shape::mesh(&[[0.0; 3]], &[[0, 0, 0]]).unwrap() } else { Shape::sphere(size).unwrap() };
        let away = turned_at_random(&mut random);
        let start = Pose::new(away.rotation(), DVec3::from(random.direction()) * 4.0 * size).unwrap();
        let aside = DVec3::from(random.direction()) * size;
        let motion_a = RigidMotion::turning(Pose::IDENTITY, way + aside, DVec3::from(random.direction()), 3.0).unwrap();
        let motion_b = RigidMotion::turning(start, way, DVec3::Z, 0.0).unwrap();
        let options = LeastClearanceOptions { relative_tolerance: 0.1, most_readings: 300, ..Default::default() };
        let found =
            least_clearance_with(&body, &motion_a, &disc, &motion_b, &options, &mut Workspace::default()).unwrap();
        assert!(found.gap.lower > 0.5 * found.gap.upper, "{found:?}");
        let verdict = |least: &LeastClearance| least.verify(&body, &motion_a, &disc, &motion_b);
        assert_eq!(verdict(&found), Ok(()), "{found:?} of {body:?} {motion_a:?} and {motion_b:?}");
        let lower = found.gap.upper * 1.01;
        let more = LeastClearance { gap: Bracket::between(lower, lower), ..found };
        assert!(matches!(verdict(&more), Err(Refusal::Lower { proved, .. }) if proved < lower), "{more:?}");
    }
}

/// A small body on a long path over wide cells: the path is split into pieces no shorter than a cell.
#[test]
fn a_grain_over_wide_cells() {
    let field = Shape::height_field(3, 3, DVec2::splat(4.0), vec![0.0; 9]).unwrap();
    let grain = Shape::sphere(1e-6).unwrap();
    let start = Pose::from_translation(at(0.1, 0.2, 1e-3)).unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    let over = RigidMotion::turning(start, at(4.5, 4.0, 0.0), DVec3::Z, 1.0).unwrap();
    assert!(rigid_impact(&field, &still, &grain, &over).is_err());
    let down = RigidMotion::turning(start, at(4.5, 4.0, -2e-3), DVec3::Z, 1.0).unwrap();
    let impact = rigid_impact(&grain, &down, &field, &still).unwrap();
    assert!((impact.time.value - 0.4995).abs() < 1e-6, "{impact:?}");
    assert!(impact.steps < 100, "{impact:?}");
}

/// Bodies that rotate and move far together: their relative pose is as accurate as at rest.
#[test]
fn rotating_bodies_that_move_together_over_a_height_field() {
    let size = 3e-7;
    let heights = vec![0.0, 1e-7, -2e-7, 3e-7, 0.0, -1e-7];
    let field = Shape::height_field(2, 3, DVec2::splat(size), heights).unwrap();
    let cube = Shape::cuboid(DVec3::splat(0.5 * size)).unwrap();
    let start = Pose::from_translation(at(size, size, 9.0 * size)).unwrap();
    for (aside, meets) in [(0.0, false), (-10.0 * size, true)] {
        let way = DVec3::splat(-2469.117542370263);
        let turning = |pose: Pose, way: DVec3| RigidMotion::turning(pose, way, DVec3::ONE, -1.5).unwrap();
        let (ground, body) = (turning(Pose::IDENTITY, way), turning(start, way + DVec3::Z * aside));
        let found = rigid_impact(&field, &ground, &cube, &body);
        assert_eq!(found.is_ok(), meets, "{found:?}");
        // Rounding over such a path is far below the size, and its pieces are about as long as the bodies.
        assert!(found.ok().is_none_or(|found| found.steps < 1000), "{found:?}");
        assert_eq!(
            rigid_impact(&cube, &body, &field, &ground).map(|found| found.time.value),
            found.map(|found| found.time.value)
        );
    }
}
