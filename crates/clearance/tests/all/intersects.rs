//! `intersects`: every algorithm gives the same answer, in either order, cold and warm; exact contact is distinguished
//! from the smallest gap.

use std::cmp::Ordering;

use clearance::glam::{DMat3, DVec3};
use clearance::query::{IntersectsAlgorithm, IntersectsOptions, intersects_with};
use clearance::{PairCache, Pose, Relation, Shape, Workspace, distance, intersects};
use clearance_oracle::random::Random;
use clearance_oracle::{OracleBody, Scenario, generate, pair, signed_distance};

use crate::common;
use crate::distance::{check_both_orders, check_large};

/// Queries with both algorithms, in both orders, cold and with the cache of the last query.
fn check(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, warm: &mut PairCache) -> bool {
    let mut workspace = Workspace::default();
    let mut ask = |algorithm, cache: &mut PairCache, margin| {
        let options = IntersectsOptions { algorithm, margin };
        let straight = intersects_with(a, pose_a, b, pose_b, &options, cache, &mut workspace);
        assert_eq!(straight, intersects_with(b, pose_b, a, pose_a, &options, cache, &mut workspace), "exchanged");
        straight
    };
    let expected = ask(IntersectsAlgorithm::Gjk, &mut PairCache::default(), 0.0);
    let context = || format!("{a:?} {pose_a:?}\n{b:?} {pose_b:?}");
    assert_eq!(ask(IntersectsAlgorithm::SeparatingAxes, &mut PairCache::default(), 0.0), expected, "{}", context());
    assert_eq!(ask(IntersectsAlgorithm::SeparatingAxes, warm, 0.0), expected, "{}", context());
    assert_eq!(ask(IntersectsAlgorithm::Fastest, warm, 0.0), expected, "{}", context());
    assert_eq!(intersects(a, pose_a, b, pose_b), expected, "{}", context());
    let margin = a.diameter();
    let within = ask(IntersectsAlgorithm::Gjk, &mut PairCache::default(), margin);
    assert_eq!(ask(IntersectsAlgorithm::SeparatingAxes, warm, margin), within, "{}", context());
    let answer = distance(a, pose_a, b, pose_b);
    assert_eq!(answer.gap.value == 0.0, expected, "{}", context());
    answer.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("{refusal}\n{answer:?}\n{}", context()));
    expected
}

#[test]
fn all_scenarios() {
    let mut warm = PairCache::default();
    for scenario in Scenario::ALL {
        for seed in 100..125 {
            let (a, b) = pair(scenario, seed);
            let ((a, pose_a), (b, pose_b)) = (common::shape_and_pose(&a), common::shape_and_pose(&b));
            check(&a, &pose_a, &b, &pose_b, &mut warm);
        }
    }
}

/// The same with every polyhedron a hull, boxes too: parallel edges, common planes, needles, flat ones.
#[test]
fn all_scenarios_as_hulls() {
    let mut warm = PairCache::default();
    let (mut asked, mut meeting) = (0, 0);
    for scenario in Scenario::ALL {
        for seed in 300..325 {
            let (a, b) = pair(scenario, seed);
            if a.radius > 0.0 || b.radius > 0.0 {
                continue;
            }
            let (hull_a, hull_b) = (Shape::flat_hull(&a.core_vertices), Shape::flat_hull(&b.core_vertices));
            let ((_, pose_a), (_, pose_b)) = (common::shape_and_pose(&a), common::shape_and_pose(&b));
            let met = check(&hull_a.unwrap(), &pose_a, &hull_b.unwrap(), &pose_b, &mut warm);
            (asked, meeting) = (asked + 1, meeting + usize::from(met));
        }
    }
    assert!(asked > 400 && meeting > 100 && asked - meeting > 100, "{asked} {meeting}");
}

/// Hulls on a path past each other, one cache for all of it: stale axes, and axes that still hold. Far from the origin
/// and at all sizes.
#[test]
fn hulls_in_motion() {
    let mut random = Random::new(23);
    for case in 0..12 {
        let scale = [1.0, 1e-6, 1e6, 1e-60][case % 4];
        let mut hull = |count: usize| {
            let points: Vec<[f64; 3]> = (0..count).map(|_| random.direction().map(|x| x * scale)).collect();
            Shape::hull(&points).unwrap()
        };
        let a = hull(4 + 2 * case);
        let b = if case % 3 == 0 { a.clone() } else { hull(6 + case) };
        let far = DVec3::splat(if case % 4 == 0 { 1e7 } else { 0.0 });
        let rest = random_pose(&mut random, far);
        let axis = DVec3::from_array(random.direction());
        let start = DVec3::from_array(random.direction()) * (2.5 * scale);
        let (mut warm, mut met) = (PairCache::default(), 0);
        for step in 0..20 {
            let at = start * (1.0 - f64::from(step) / 12.0);
            let pose = Pose::from_axis_angle(axis, 0.1 * f64::from(step), far + at).unwrap();
            met += usize::from(check(&a, &rest, &b, &pose, &mut warm));
        }
        assert!((1..20).contains(&met), "{case} {met}");
    }
}

fn random_pose(random: &mut Random, at: DVec3) -> Pose {
    let rows = generate::random_rotation(random).map(DVec3::from_array);
    Pose::new(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose(), at).unwrap()
}

/// Triangles in general position, on small integers (touching, coplanar, zero-area), and far from the origin.
#[test]
fn triangles() {
    let mut random = Random::new(17);
    let mut warm = PairCache::default();
    let mut meeting = 0;
    for case in 0..600 {
        let integers = case % 2 == 0;
        let mut corner = || {
            let p = if integers {
                DVec3::from_array([0; 3].map(|_| random.integer(-2, 2) as f64))
            } else {
                DVec3::from_array(random.in_cube(1.0))
            };
            if case % 5 == 0 { p * DVec3::new(1.0, 1.0, 0.0) } else { p }
        };
        let [a, b] = [0, 1].map(|_| Shape::triangle(corner(), corner(), corner()));
        // Collinear corners may be rejected.
        let (Ok(a), Ok(b)) = (a, b) else { continue };
        let far = DVec3::splat([0.0, 1e7][case % 4 / 2]);
        let (pose_a, pose_b) = if integers {
            (Pose::from_translation(far).unwrap(), Pose::from_translation(far).unwrap())
        } else {
            let shift = DVec3::from_array(random.in_cube(0.5));
            (random_pose(&mut random, far), random_pose(&mut random, far + shift))
        };
        meeting += usize::from(check(&a, &pose_a, &b, &pose_b, &mut warm));
    }
    assert!((50..550).contains(&meeting), "{meeting}");
}

/// Boxes with equal or nearly equal rotations, of aspect ratios up to a million, coincident, and far away.
#[test]
fn boxes() {
    let mut random = Random::new(19);
    let mut warm = PairCache::default();
    for case in 0..400 {
        let mut half =
            || DVec3::from_array([0; 3].map(|_| random.uniform(0.5, 1.0) * [1.0, 1e-6, 1e3][random.index(3)]));
        let a = Shape::cuboid(half()).unwrap();
        let b = if case % 3 == 0 { a.clone() } else { Shape::cuboid(half()).unwrap() };
        let far = DVec3::splat([0.0, 1e7][case % 2]);
        let pose_a = random_pose(&mut random, far);
        let tilt = Pose::from_axis_angle(DVec3::X, 10f64.powi(-(case as i32 % 20)), DVec3::ZERO).unwrap();
        let rotation = if case % 4 == 0 { pose_a.rotation() } else { pose_a.rotation() * tilt.rotation() };
        let shift = DVec3::from_array(random.in_cube(1.5)) * [0.0, 1.0, 1.0, 1e3][case % 4];
        let Ok(pose_b) = Pose::new(rotation, far + shift) else { continue };
        check(&a, &pose_a, &b, &pose_b, &mut warm);
    }
}

#[test]
fn crossing_segments_and_overlapping_polygons_meet() {
    let shape = |points: &[[f64; 3]]| Shape::flat_hull(points).unwrap();
    let one = shape(&[[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]);
    let two = shape(&[[-1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]);
    let square = shape(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    let beside = Pose::from_translation(DVec3::new(0.5, 0.5, 0.0)).unwrap();
    let above = Pose::from_translation(DVec3::new(0.5, 0.5, 1e-300)).unwrap();
    for (a, b) in [(&one, &two), (&one, &square), (&square, &square)] {
        let (answer, proof) = check_large("crossing", a, &Pose::IDENTITY, b, &beside);
        assert_eq!((answer.gap.value, answer.normal, proof.relation), (0.0, None, Relation::Touching));
        // Separated by less than any other quantity of the pair is accurate to, and still distinguished from contact.
        let (answer, _) = check_large("one above the other", a, &Pose::IDENTITY, b, &above);
        assert!(answer.gap.value > 0.0 && answer.gap.value <= 1e-15, "{answer:?}");
    }
}

#[test]
fn exact_contact_is_distinguished_from_the_smallest_gap() {
    let cube = OracleBody::cuboid([1.0; 3]);
    let touching = signed_distance(&cube, &cube.clone().translated([2.0, 0.0, 0.0]));
    assert_eq!(touching.sign(), Ordering::Equal);
    for (x, meets) in [(2.0, true), (2f64.next_up(), false), (2f64.next_down(), true)] {
        let answer = check_both_orders("cubes", &cube, &cube.clone().translated([x, 0.5, 0.25]));
        assert_eq!(answer.gap.value == 0.0, meets, "{x}");
    }
}
