//! `overlap_volume` against exact rational arithmetic, known answers, and itself.

use clearance::QueryError;
use clearance::answer::{Method, Volume};
use clearance::glam::{DQuat, DVec3};
use clearance::query::VolumeOptions;
use clearance::query::overlap_volume_with;
use clearance::{Error, Mesh, Pose, Shape, Workspace, overlap_volume};
use clearance_oracle::random::Random;
use clearance_oracle::rational::{Rational, Vector, add, matrix_times, vector};
use clearance_oracle::volume::shared_volume;

const BOX: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];
const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
const OCTAHEDRON: [[u32; 3]; 8] =
    [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];

/// Corners and triangles for the oracle, and the same as a body.
struct Solid {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    shape: Shape,
}

fn mesh(points: Vec<[f64; 3]>, triangles: &[[u32; 3]]) -> Solid {
    let shape = Shape::Mesh(Mesh::new(&points, triangles).unwrap().solid().unwrap());
    Solid { points, triangles: triangles.to_vec(), shape }
}

fn cuboid_points(half: DVec3, at: DVec3) -> Vec<[f64; 3]> {
    let side = |k: usize, i: usize| if k >> i & 1 == 1 { half[i] } else { -half[i] };
    (0..8).map(|k| [0, 1, 2].map(|i| at[i] + side(k, i))).collect()
}

fn cuboid(half: DVec3) -> Solid {
    Solid { shape: Shape::cuboid(half).unwrap(), points: cuboid_points(half, DVec3::ZERO), triangles: BOX.to_vec() }
}

/// A solid of eight triangles with its corners at random distances along the axes: usually not convex.
fn star(random: &mut Random, size: f64) -> Solid {
    let along = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
    let points = along.map(|axis| (axis * size * random.uniform(0.1, 1.0)).to_array()).to_vec();
    mesh(points, &OCTAHEDRON)
}

/// An L of unit width: six corners, twice.
fn angle() -> Solid {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let points: Vec<[f64; 3]> = [0.0, 1.0].iter().flat_map(|&z| outline.map(|[x, y]| [x, y, z])).collect();
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [0, 5, 3], [3, 5, 4], [6, 7, 8], [6, 8, 9], [6, 9, 11], [9, 10, 11]];
    for k in 0..6u32 {
        let next = (k + 1) % 6;
        triangles.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
    }
    mesh(points, &triangles)
}

fn torus(around: usize, across: usize) -> Solid {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..around {
        for j in 0..across {
            let turn = |k: usize, n: usize| k as f64 / n as f64 * std::f64::consts::TAU;
            let (u, v) = (turn(i, around), turn(j, across));
            let r = 1.0 + 0.4 * v.cos();
            points.push([r * u.cos(), r * u.sin(), 0.4 * v.sin()]);
            let id = |i: usize, j: usize| ((i % around) * across + j % across) as u32;
            triangles.extend([[id(i, j), id(i + 1, j), id(i + 1, j + 1)], [id(i, j), id(i + 1, j + 1), id(i, j + 1)]]);
        }
    }
    mesh(points, &triangles)
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// The corners in the world, exactly.
fn world(points: &[[f64; 3]], pose: &Pose) -> Vec<Vector> {
    let exact = |v: DVec3| vector(v.to_array()).unwrap();
    let rows = [0, 1, 2].map(|k| exact(pose.rotation().row(k)));
    points.iter().map(|&p| add(&matrix_times(&rows, &vector(p).unwrap()), &exact(pose.translation()))).collect()
}

/// Queries, verifies, and queries with the bodies swapped.
fn ask(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Volume {
    let answer = overlap_volume(a, pose_a, b, pose_b).unwrap();
    assert_eq!(overlap_volume(b, pose_b, a, pose_a).unwrap(), answer);
    answer.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("{refusal}: {answer:?}"));
    answer.verify(b, pose_b, a, pose_a).unwrap_or_else(|refusal| panic!("{refusal}: {answer:?}"));
    answer
}

/// Checks an answer against the exact volume and centroid; returns the width of its bracket.
fn check(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose) -> Volume {
    let answer = ask(&a.shape, pose_a, &b.shape, pose_b);
    let (in_a, in_b) = (world(&a.points, pose_a), world(&b.points, pose_b));
    let truth = shared_volume((&in_a, &a.triangles), (&in_b, &b.triangles));
    let exact = |x: f64| Rational::from_f64(x).unwrap();
    let shown = truth.volume.to_f64();
    assert!(
        exact(answer.volume.lower) <= truth.volume && truth.volume <= exact(answer.volume.upper),
        "{shown:e} {answer:?}"
    );
    match answer.centroid {
        Some(centroid) => {
            let off: f64 = (0..3)
                .map(|k| (&(&truth.first[k] / &truth.volume) - &exact(centroid[k])).to_f64().powi(2))
                .sum::<f64>()
                .sqrt();
            assert!(off <= answer.centroid_off * (1.0 + 1e-15), "{off:e} {answer:?}");
        }
        None => assert_eq!(answer.volume.lower, 0.0),
    }
    answer
}

#[test]
fn boxes_of_known_size() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    for (pose, volume, area, middle) in [
        (at(0.0, 0.0, 0.0), 8.0, 24.0, Some(DVec3::ZERO)),
        (at(1.5, 0.0, 1.0), 1.0, 7.0, Some(DVec3::new(0.75, 0.0, 0.5))),
        (at(0.5, 0.5, 0.5), 3.375, 13.5, Some(DVec3::splat(0.25))),
        (at(2.0, 0.0, 0.0), 0.0, 0.0, None),
        (at(2.0, 2.0, 0.0), 0.0, 0.0, None),
        (at(2.0, 1.0, -1.0), 0.0, 0.0, None),
        (at(7.0, 0.0, 0.0), 0.0, 0.0, None),
    ] {
        let answer = ask(&cube, &Pose::IDENTITY, &cube, &pose);
        assert_eq!((answer.volume.value, answer.area.value, answer.centroid), (volume, area, middle), "{answer:?}");
        assert!(answer.volume.upper - answer.volume.lower <= 2e-15 * volume + 1e-24, "{answer:?}");
        assert!(answer.area.upper - answer.area.lower <= 1e-13 * area + 1e-24, "{answer:?}");
        assert_eq!((answer.placement, answer.method), (0.0, Method::Columns));
    }
    // One inside the other, free and against a wall.
    let small = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    for x in [0.0, 0.25, 0.5] {
        let answer = ask(&cube, &Pose::IDENTITY, &small, &at(x, 0.0, 0.0));
        assert_eq!((answer.volume.value, answer.area.value), (1.0, 6.0));
        assert_eq!(answer.centroid, Some(DVec3::new(x, 0.0, 0.0)));
    }
}

#[test]
fn kinds_of_body() {
    let cube = cuboid(DVec3::ONE);
    let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let points: Vec<[f64; 3]> = corner.iter().map(|p| p.to_array()).collect();
    let area = 1.5 + 0.75f64.sqrt();
    let mut order = corner;
    for _ in 0..2 {
        order.swap(1, 2);
        for shape in [
            Shape::tetrahedron(order).unwrap(),
            Shape::hull(&points).unwrap(),
            Shape::Mesh(Mesh::new(&points, &TETRAHEDRON).unwrap().solid().unwrap()),
        ] {
            let body = Solid { points: points.clone(), triangles: TETRAHEDRON.to_vec(), shape };
            let answer = check(&cube, &Pose::IDENTITY, &body, &Pose::IDENTITY);
            assert!((answer.volume.value - 1.0 / 6.0).abs() < 1e-16);
            assert!(answer.area.lower <= area && area <= answer.area.upper, "{answer:?}");
            check(&body, &at(0.25, 0.25, 0.25), &body, &Pose::IDENTITY);
        }
    }
    let flat = Shape::flat_hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).unwrap();
    for body in [flat, Shape::segment(DVec3::ZERO, DVec3::X).unwrap(), Shape::tetrahedron([DVec3::ZERO; 4]).unwrap()] {
        let answer = ask(&cube.shape, &Pose::IDENTITY, &body, &Pose::IDENTITY);
        assert_eq!((answer.volume.upper, answer.area.upper, answer.method), (0.0, 0.0, Method::ClosedForm));
    }
}

#[test]
fn bodies_without_a_volume_are_rejected() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let refused = |shape: &Shape| overlap_volume(&cube, &Pose::IDENTITY, shape, &Pose::IDENTITY).unwrap_err();
    let open = Shape::mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap();
    assert!(matches!(refused(&open), QueryError::Body(Error::NotSolid { edges: 3, .. })));
    let closed = Shape::mesh(&cuboid_points(DVec3::ONE, DVec3::ZERO), &BOX).unwrap();
    assert_eq!(refused(&closed), QueryError::NoVolume { kind: "surface" });
    assert_eq!(refused(&Shape::cone(1.0, 1.0).unwrap()), QueryError::NoVolume { kind: "cone" });
    let compound = Shape::compound(vec![(Pose::IDENTITY, cube.clone())]).unwrap();
    assert_eq!(refused(&compound), QueryError::NoVolume { kind: "compound" });
    assert_eq!(refused(&Shape::sphere(1.0).unwrap()), QueryError::NoVolume { kind: "sphere" });
}

#[test]
fn rotated_solids_agree_with_rationals() {
    let mut random = Random::new(11);
    for (case, size) in [1.0, 1e-6, 1e6].into_iter().enumerate() {
        let a = if case == 0 { cuboid(DVec3::new(0.7, 0.4, 0.9)) } else { star(&mut random, size) };
        let b = star(&mut random, size);
        let far = if case == 1 { 1e7 * size } else { 0.0 };
        let mut pose = || {
            let turn = DQuat::from_axis_angle(DVec3::from_array(random.direction()), random.uniform(0.0, 3.0));
            Pose::from_quat(turn, DVec3::splat(far) + DVec3::from_array(random.in_cube(0.3 * size))).unwrap()
        };
        let (pose_a, pose_b) = (pose(), pose());
        let answer = check(&a, &pose_a, &b, &pose_b);
        let allowed = if far > 0.0 { 1e-8 } else { 1e-13 };
        assert!(answer.volume.upper - answer.volume.lower <= allowed * size.powi(3), "{case} {answer:?}");
        ask(&a.shape, &pose_a, &a.shape, &pose_a);
    }
}

/// Corners at multiples of 1/64: faces and edges meet in many ways, and rationals stay short.
#[test]
fn coincident_solids_agree_with_rationals() {
    let mut random = Random::new(12);
    let mut grid = |low: i64, high: i64| random.integer(low, high) as f64 / 64.0;
    for case in 0..60 {
        let mut body = |coarse: i64| {
            let along = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
            mesh(along.map(|axis| (axis * grid(1, 64 / coarse) * coarse as f64).to_array()).to_vec(), &OCTAHEDRON)
        };
        // Often the same distance along several axes, so that edges lie on one another.
        let coarse = [1, 16, 32][case % 3];
        let (a, b) = (body(coarse), body(coarse));
        let shift = at(grid(-8, 8), grid(-1, 1) * 8.0, 0.0);
        let answer = check(&a, &Pose::IDENTITY, &b, &shift);
        assert!(answer.volume.upper - answer.volume.lower <= 2e-15 * answer.volume.value + 1e-24, "{case} {answer:?}");
        check(&a, &Pose::IDENTITY, &a, &shift);
        check(&a, &shift, &a, &shift);
    }
}

#[test]
fn thin_and_far_solids_agree_with_rationals() {
    let plate = cuboid(DVec3::new(1.0, 1.0, 1e-6));
    let cube = cuboid(DVec3::ONE);
    for depth in [1e-3, 1e-9, 1e-15] {
        check(&cube, &Pose::IDENTITY, &cube, &at(2.0 - depth, 0.3, 0.1));
    }
    let tilted = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 0.5), 1e-7, DVec3::new(0.1, 0.2, 1e-6)).unwrap();
    check(&plate, &Pose::IDENTITY, &plate, &tilted);
    check(&plate, &at(1e7, 1e7, 1e7), &cube, &at(1e7 + 0.5, 1e7, 1e7));
    let far = mesh(cuboid_points(DVec3::ONE, DVec3::splat(1e7)), &BOX);
    let answer = check(&far, &Pose::IDENTITY, &far, &at(0.5, 0.0, 0.0));
    assert!((answer.volume.value - 6.0).abs() < 1e-8);
    let angle = angle();
    check(&angle, &Pose::IDENTITY, &angle, &at(1.0, 1.0, 0.0));
    check(&angle, &Pose::IDENTITY, &angle, &at(0.5, 0.0, 0.5));
    let inner = check(&angle, &Pose::IDENTITY, &angle, &Pose::IDENTITY);
    assert_eq!((inner.volume.value, inner.area.value), (3.0, 14.0));
}

#[test]
fn tori() {
    let ring = torus(24, 12);
    let own = ring.shape.mass_properties();
    let answer = ask(&ring.shape, &Pose::IDENTITY, &ring.shape, &Pose::IDENTITY);
    assert!((answer.volume.value - own.volume).abs() < 1e-14);
    assert!(answer.centroid.unwrap().length() < 1e-14 + answer.centroid_off);
    // A body split in two: the halves of the box cover it.
    let halves = [-0.5, 0.5].map(|x| {
        let half = Shape::cuboid(DVec3::new(1.0, 3.0, 3.0)).unwrap();
        ask(&ring.shape, &Pose::IDENTITY, &half, &at(2.0 * x + 0.25, 0.0, 0.0))
    });
    let rest = Shape::cuboid(DVec3::new(1.0, 3.0, 3.0)).unwrap();
    let rest = ask(&ring.shape, &Pose::IDENTITY, &rest, &at(-2.75, 0.0, 0.0));
    let sum = halves[0].volume.value + halves[1].volume.value + rest.volume.value;
    assert!((sum - own.volume).abs() < 1e-13, "{sum} {}", own.volume);
    // Linked rings, a common motion, and a scratch used again.
    let turn = Pose::from_axis_angle(DVec3::X, 1.5, DVec3::new(0.9, 0.1, 0.05)).unwrap();
    let before = ask(&ring.shape, &Pose::IDENTITY, &ring.shape, &turn);
    let moved = Pose::from_axis_angle(DVec3::new(0.3, -0.5, 0.8), 0.7, DVec3::new(3.0, -2.0, 11.0)).unwrap();
    let rotation = moved.rotation() * turn.rotation();
    let both = Pose::new(rotation, moved.transform_point(turn.translation())).unwrap();
    let after = ask(&ring.shape, &moved, &ring.shape, &both);
    // The second pose was rounded when it was made.
    assert!((after.volume.value - before.volume.value).abs() < 1e-13, "{before:?} {after:?}");
    assert!((after.area.value - before.area.value).abs() < 1e-12, "{before:?} {after:?}");
    let mut workspace = Workspace::default();
    for _ in 0..2 {
        let again = overlap_volume_with(
            &ring.shape,
            &Pose::IDENTITY,
            &ring.shape,
            &turn,
            &VolumeOptions::default(),
            &mut workspace,
        )
        .unwrap();
        assert_eq!(again, before);
    }
}

#[test]
fn balls() {
    let ball = |r: f64| Shape::sphere(r).unwrap();
    let lens = ask(&ball(1.0), &Pose::IDENTITY, &ball(1.0), &at(1.0, 0.0, 0.0));
    let pi = std::f64::consts::PI;
    assert!(
        (lens.volume.value - 5.0 / 12.0 * pi).abs() < 1e-15 && (lens.area.value - 2.0 * pi).abs() < 1e-14,
        "{lens:?}"
    );
    assert!(
        lens.volume.upper - lens.volume.lower < 1e-15
            && lens.centroid.unwrap().distance(DVec3::X * 0.5) <= lens.centroid_off
    );
    for (r, s, d, expected) in [
        (1.0, 1.0, 0.0, 4.0 / 3.0 * pi),
        (2.0, 1.0, 0.5, 4.0 / 3.0 * pi),
        (2.0, 1.0, 1.0, 4.0 / 3.0 * pi),
        (1.0, 1.0, 2.0, 0.0),
        (1.0, 0.5, 3.0, 0.0),
        (1.0, 1.0, 1e-200, 4.0 / 3.0 * pi),
    ] {
        let answer = ask(&ball(r), &Pose::IDENTITY, &ball(s), &at(0.0, d, 0.0));
        assert!((answer.volume.value - expected).abs() < 1e-14, "{answer:?}");
    }
    let mut random = Random::new(5);
    for _ in 0..200 {
        let [r, s] = [0, 1].map(|_| random.uniform(0.1, 1.0) * random.scale(-3, 3));
        let offset = DVec3::from_array(random.in_cube(r + s));
        let answer = ask(&ball(r), &at(3.0, 2.0, 1.0), &ball(s), &at(3.0 + offset.x, 2.0 + offset.y, 1.0 + offset.z));
        assert!(answer.volume.upper <= 4.2 * r.min(s).powi(3));
    }
}
