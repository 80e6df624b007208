//! Every algorithm that answers a question gives the same answer.

use clearance::answer::Distance;
use clearance::glam::{DMat3, DVec3};
use clearance::query::{
    DistanceOptions, IntersectsAlgorithm, IntersectsOptions, SubAlgorithm, distance_with, intersects_with,
};
use clearance::{PairCache, Pose, Shape, Workspace, distance, intersects};
use clearance_oracle::random::Random;
use clearance_oracle::tangent::{TangentKind, tangent_pair};
use clearance_oracle::{OracleBody, Scenario, generate, pair, signed_distance};

use crate::common;

/// Asks by both algorithms, in both orders, cold and with the cache of the last question.
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

/// Hulls on a path past each other, one cache for all of it: stale axes, and axes that still hold. Far from the origin and at
/// all sizes.
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

/// Triangles in general position, on small integers (touching, coplanar, without area), and far from the origin.
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
        // Corners on a line may be refused.
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

/// Boxes with the same rotation, with next to the same, of aspect ratios up to a million, coincident, and far away.
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

/// The distance by Johnson's sub-algorithm against the truth: cold, exchanged, with other instructions, and from the cache
/// that the default left of another pair.
fn check_johnson(a: &OracleBody, b: &OracleBody, stale: &mut PairCache) {
    let truth = signed_distance(a, b);
    let ((shape_a, pose_a), (shape_b, pose_b)) = (common::shape_and_pose(a), common::shape_and_pose(b));
    let options = DistanceOptions { sub_algorithm: SubAlgorithm::Johnson, ..DistanceOptions::default() };
    let ask = |cache: &mut PairCache, workspace: &mut Workspace| {
        distance_with(&shape_a, &pose_a, &shape_b, &pose_b, &options, cache, workspace)
    };
    let scale = common::scale(&shape_a, &pose_a, &shape_b, &pose_b);
    let allowed = (1e-12 + pose_a.defect().max(pose_b.defect())) * scale;
    let default = distance(&shape_a, &pose_a, &shape_b, &pose_b);
    let mut cache = PairCache::default();
    let cold = ask(&mut cache, &mut Workspace::default());
    let warm = ask(&mut cache, &mut Workspace::default());
    let unfit = ask(stale, &mut Workspace::default());
    for answer in [&cold, &warm, &unfit] {
        let context = || format!("{answer:?}\n{a:?}\n{b:?}");
        answer
            .verify(&shape_a, &pose_a, &shape_b, &pose_b)
            .unwrap_or_else(|refusal| panic!("{refusal}\n{}", context()));
        // Both decide the placed pair exactly.
        assert_eq!(answer.gap.value == 0.0, default.gap.value == 0.0, "{}", context());
        if truth.sign().is_gt() {
            assert!(truth.is_within(answer.gap.lower, answer.gap.upper), "{}", context());
            assert!(answer.gap.upper - answer.gap.lower <= allowed, "{}", context());
        } else {
            assert_eq!(answer.gap.lower, 0.0, "{}", context());
        }
    }
    assert_eq!(ask(&mut PairCache::default(), &mut Workspace::baseline()), cold);
    if (&shape_a, &pose_a) != (&shape_b, &pose_b) {
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let exchanged = distance_with(&shape_b, &pose_b, &shape_a, &pose_a, &options, &mut cache, &mut workspace);
        let back = Distance { witness: exchanged.witness.swapped(), normal: exchanged.normal.map(|n| -n), ..exchanged };
        assert_eq!(back, cold, "{a:?}\n{b:?}");
    }
}

#[test]
fn johnson_on_all_scenarios() {
    let mut stale = PairCache::default();
    for scenario in Scenario::ALL {
        for seed in 200..225 {
            let (a, b) = pair(scenario, seed);
            check_johnson(&a, &b, &mut stale);
        }
    }
    for kind in TangentKind::ALL {
        for seed in 200..225 {
            let known = tangent_pair(kind, seed);
            check_johnson(&known.a, &known.b, &mut stale);
        }
    }
}
