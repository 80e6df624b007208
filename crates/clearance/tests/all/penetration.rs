//! Penetration depth, against exact rational arithmetic and by `verify`.

use std::cmp::Ordering;

use clearance::answer::{Method, Penetration};
use clearance::glam::DVec3;
use clearance::query::{PenetrationOptions, penetration_with};
use clearance::{PairCache, Pose, Relation, Shape, Workspace, penetration, relation};
use clearance_oracle::random::Random;
use clearance_oracle::tangent::{TangentKind, tangent_pair};
use clearance_oracle::{ExactSigned, OracleBody, Scenario, pair, signed_distance};

use crate::common;

/// Pairs per scenario. Raise it with `CLEARANCE_CASES` for a long run.
fn cases(default: u64) -> u64 {
    std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn first_seed() -> u64 {
    std::env::var("CLEARANCE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The answer, verified, and repeated with the bodies swapped, with baseline instructions and a warm cache.
fn checked(label: &str, (a, pose_a): (&Shape, &Pose), (b, pose_b): (&Shape, &Pose)) -> Penetration {
    let answer = penetration(a, pose_a, b, pose_b).unwrap();
    let context = || format!("{label}\n{answer:?}\n{a:?} {pose_a:?}\n{b:?} {pose_b:?}");
    answer.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("{refusal}\n{}", context()));

    if a != b || pose_a != pose_b {
        let exchanged = penetration(b, pose_b, a, pose_a).unwrap();
        let back = Penetration { witness: exchanged.witness.swapped(), normal: -exchanged.normal, ..exchanged };
        assert_eq!(back, answer, "exchanged\n{}", context());
    }
    let options = PenetrationOptions::default();
    let (mut cache, mut baseline) = (PairCache::default(), Workspace::baseline());
    let plain = penetration_with(a, pose_a, b, pose_b, &options, &mut cache, &mut baseline).unwrap();
    assert_eq!(plain, answer, "baseline instructions\n{}", context());
    let warm = penetration_with(a, pose_a, b, pose_b, &options, &mut cache, &mut baseline).unwrap();
    assert!(
        warm.depth.lower <= answer.depth.upper && answer.depth.lower <= warm.depth.upper,
        "warm {warm:?}\n{}",
        context()
    );
    warm.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("warm: {refusal} {warm:?}\n{}", context()));
    answer
}

/// Checks the answer against the exact signed gap.
fn check_pair(label: &str, a: &OracleBody, b: &OracleBody, truth: &ExactSigned) {
    let ((shape_a, pose_a), (shape_b, pose_b)) = (common::shape_and_pose(a), common::shape_and_pose(b));
    let answer = checked(label, (&shape_a, &pose_a), (&shape_b, &pose_b));
    let scale = common::scale(&shape_a, &pose_a, &shape_b, &pose_b);
    let defect = pose_a.defect().max(pose_b.defect());
    let (low, high) = truth.enclosure();
    let context = || format!("{label}: truth in [{low:e}, {high:e}], L {scale:e}\n{answer:?}\n{a:?}\n{b:?}");
    if truth.sign() == Ordering::Greater {
        assert_eq!(answer.depth.lower, 0.0, "{}", context());
    } else {
        assert!(truth.is_within(-answer.depth.upper, -answer.depth.lower), "bracket\n{}", context());
    }
    assert!((answer.depth.value - (-low).max(0.0)).abs() <= (1e-9 + defect) * scale, "depth\n{}", context());
    assert!(answer.depth.upper - answer.depth.lower <= (1e-12 + defect) * scale, "width\n{}", context());
    if truth.compare((1e-12 + defect) * scale) == Ordering::Greater {
        assert_eq!((answer.depth.value, answer.depth.upper), (0.0, 0.0), "{}", context());
    }
}

#[test]
fn scenarios_against_exact_truth() {
    let start = first_seed();
    for scenario in Scenario::ALL {
        for seed in start..start + cases(40) {
            let (a, b) = pair(scenario, seed);
            check_pair(&format!("{scenario:?} {seed}"), &a, &b, &signed_distance(&a, &b));
        }
    }
}

#[test]
fn tangent_pairs_have_their_known_depth() {
    let start = first_seed();
    for kind in TangentKind::ALL {
        for seed in start..start + cases(60) {
            let known = tangent_pair(kind, seed);
            let truth = signed_distance(&known.a, &known.b);
            assert_eq!(truth.compare_rational(&known.distance), Ordering::Equal);
            check_pair(&format!("{kind:?} {seed}"), &known.a, &known.b, &truth);
        }
    }
}

fn hull(random: &mut Random, vertices: usize) -> Shape {
    let points: Vec<[f64; 3]> = (0..vertices).map(|_| random.direction()).collect();
    Shape::hull(&points).unwrap()
}

fn random_pose(random: &mut Random, at: DVec3) -> Pose {
    let axis = DVec3::from_array(random.direction());
    Pose::from_axis_angle(axis, random.uniform(0.0, 3.0), at).unwrap()
}

/// Hulls that are scanned, hulls that are climbed, and one of each, from grazing to concentric.
#[test]
fn hulls_of_many_vertices() {
    for seed in 0..cases(20) {
        let mut random = Random::new(seed);
        for (m, n) in [(32, 32), (32, 300), (300, 300), (1000, 700)] {
            let (a, b) = (hull(&mut random, m), hull(&mut random, n));
            let apart = DVec3::from_array(random.direction()) * random.uniform(0.0, 1.9);
            let (pose_a, pose_b) = (random_pose(&mut random, DVec3::ZERO), random_pose(&mut random, apart));
            let answer = checked(&format!("{m} {n} {seed}"), (&a, &pose_a), (&b, &pose_b));
            assert!(answer.depth.upper - answer.depth.lower < 5e-14, "{answer:?}");
        }
    }
}

/// Moving B by `upper * normal` separates; moving it by less than `lower` anywhere does not.
#[test]
fn the_translation_separates_and_no_shorter_one_does() {
    for seed in 0..cases(60) {
        let mut random = Random::new(seed);
        let bodies = [
            hull(&mut random, 24),
            hull(&mut random, 90),
            Shape::cuboid(DVec3::new(0.3, 0.7, 1.1)).unwrap(),
            Shape::sphere(0.6).unwrap(),
        ];
        let (a, b) = (&bodies[random.index(4)], &bodies[random.index(4)]);
        let apart = DVec3::from_array(random.direction()) * random.uniform(0.0, 1.0);
        let (pose_a, pose_b) = (random_pose(&mut random, DVec3::ZERO), random_pose(&mut random, apart));
        let answer = checked(&format!("{seed}"), (a, &pose_a), (b, &pose_b));
        // The new translation is rounded: a unit in the last place of numbers below 4, on three axes.
        let rounding = 4.0 * f64::EPSILON;
        let moved = |by: DVec3| Pose::new(pose_b.rotation(), pose_b.translation() + by).unwrap();
        let out = moved(answer.normal * (answer.depth.upper + rounding));
        assert_ne!(relation(a, &pose_a, b, &out), Relation::Overlapping, "{answer:?}");
        if answer.depth.lower == 0.0 {
            continue;
        }
        for _ in 0..8 {
            let direction = DVec3::from_array(random.direction());
            let short = moved(direction * (answer.depth.lower - rounding).max(0.0));
            assert_ne!(relation(a, &pose_a, b, &short), Relation::Separated, "{direction} {answer:?}");
        }
    }
}

/// Every simplex of the search passes through the origin, or several directions are equally good.
#[test]
fn concentric_bodies() {
    let same = Pose::from_axis_angle(DVec3::new(0.3, 1.0, -0.2), 0.7, DVec3::new(3.0, -2.0, 1.0)).unwrap();
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let slab = Shape::cuboid(DVec3::new(1e3, 1e-3, 1e3)).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let mut random = Random::new(7);
    let round = hull(&mut random, 200);
    for (name, a, b, depth) in [
        ("cubes", &cube, &cube, Some(2.0)),
        ("slabs", &slab, &slab, Some(2e-3)),
        ("cube and slab", &cube, &slab, Some(1.001)),
        ("balls", &ball, &ball, Some(1.0)),
        ("ball in cube", &ball, &cube, Some(1.5)),
        ("ball in hull", &ball, &round, None),
        ("hull in itself", &round, &round, None),
        ("hull in slab", &round, &slab, None),
    ] {
        for pose in [&Pose::IDENTITY, &same] {
            let answer = checked(name, (a, pose), (b, pose));
            // The cores of two balls are one point: they touch, and only the radii overlap.
            let method = match (a, b) {
                (Shape::Sphere(_), Shape::Sphere(_)) => Method::Gjk,
                (Shape::Cuboid(_) | Shape::Sphere(_), Shape::Cuboid(_)) => Method::ClosedForm,
                _ => Method::Epa,
            };
            assert_eq!(answer.method, method, "{name} {answer:?}");
            if let Some(depth) = depth {
                assert!((answer.depth.value - depth).abs() <= 1e-12 * 4e3, "{name} {answer:?}");
                assert!(answer.depth.lower <= depth && depth <= answer.depth.upper, "{name} {answer:?}");
            }
        }
    }
}

/// Bodies without volume have a depth where they pierce a solid, and none among each other in one plane.
#[test]
fn flat_bodies() {
    let triangle = Shape::flat_hull(&[[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]]).unwrap();
    let segment = Shape::flat_hull(&[[0.0, 0.0, -2.0], [0.0, 0.0, 2.0]]).unwrap();
    let point = Shape::flat_hull(&[[0.0, 0.0, 0.0]]).unwrap();
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let ball = Shape::sphere(0.25).unwrap();
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    for (name, a, b, pose_b, depth) in [
        ("triangle through a cube", &triangle, &cube, at(0.0, 0.0, 0.25), 0.25),
        ("triangle on a cube", &triangle, &cube, at(0.0, 0.0, 0.5), 0.0),
        ("segment through a cube", &segment, &cube, at(0.375, 0.0, 0.0), 0.125),
        ("point in a cube", &point, &cube, at(0.0, 0.25, 0.0), 0.25),
        ("triangles in one plane", &triangle, &triangle, at(0.25, 0.125, 0.0), 0.0),
        ("segment through a triangle", &triangle, &segment, at(0.125, 0.0, 0.5), 0.15 * 5f64.sqrt()),
        ("segment on itself", &segment, &segment, at(0.0, 0.0, 1.0), 0.0),
        ("point on itself", &point, &point, at(0.0, 0.0, 0.0), 0.0),
        ("ball on a triangle", &ball, &triangle, at(0.0, 0.25, 0.0), 0.25),
        ("ball on a point", &ball, &point, at(0.0, 0.0, 0.0), 0.25),
    ] {
        let answer = checked(name, (a, &Pose::IDENTITY), (b, &pose_b));
        assert!((answer.depth.value - depth).abs() < 1e-13, "{name} {answer:?}");
    }
}

/// An answer that ended early says so, and its bracket is true.
#[test]
fn a_tolerance_ends_early() {
    let mut stopped = 0;
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let (a, b) = (hull(&mut random, 60), hull(&mut random, 60));
        let (pose_a, pose_b) = (random_pose(&mut random, DVec3::ZERO), random_pose(&mut random, DVec3::splat(0.2)));
        let full = checked("full", (&a, &pose_a), (&b, &pose_b));
        let options = PenetrationOptions { tolerance: 0.1 };
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let early = penetration_with(&a, &pose_a, &b, &pose_b, &options, &mut cache, &mut workspace).unwrap();
        early.verify(&a, &pose_a, &b, &pose_b).unwrap_or_else(|refusal| panic!("{refusal} {early:?}"));
        assert!(
            early.depth.lower <= full.depth.upper
                && full.depth.lower <= early.depth.upper
                && early.depth.upper - early.depth.lower <= 0.1 + 1e-13
        );
        stopped += u32::from(matches!(early.method, Method::EpaStopped(_)));
    }
    assert!(stopped >= 10, "{stopped}");
}
