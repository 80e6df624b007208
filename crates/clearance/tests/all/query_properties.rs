//! Properties of every pair: symmetry, invariance, scaling, monotonicity, true brackets, caches as mere hints, the same
//! bits everywhere; and large hulls, with support by candidate lists, down to contact.

use std::cmp::Ordering;

use clearance::answer::{Distance, Method, Witness, WitnessPoint};
use clearance::glam::{DMat3, DVec3};
use clearance::query::{DistanceOptions, IntersectsOptions, distance_with, intersects_with};
use clearance::{Bracket, PairCache, Pose, Relation, Shape, Workspace, distance};
use clearance_oracle::random::Random;
use clearance_oracle::{OracleBody, Scenario, pair, signed_distance};
use proptest::prelude::*;

use crate::common;

type Posed = (Shape, Pose);

/// A body about one unit in size: a box, a ball, a hull of 4 to 90 points.
fn shape(random: &mut Random) -> Shape {
    match random.index(4) {
        0 => Shape::cuboid(DVec3::from_array(std::array::from_fn(|_| random.uniform(0.1, 1.0)))),
        1 => Shape::sphere(random.uniform(0.1, 1.0)),
        2 => Shape::hull(&(0..4 + random.index(12)).map(|_| random.in_ball()).collect::<Vec<_>>()),
        _ => Shape::hull(&(0..20 + random.index(70)).map(|_| random.direction()).collect::<Vec<_>>()),
    }
    .unwrap()
}

fn pose(random: &mut Random, at: DVec3) -> Pose {
    let axis = DVec3::from_array(random.direction());
    Pose::from_axis_angle(axis, random.uniform(-3.0, 3.0), at).unwrap()
}

/// Two bodies in general position whose middles are `apart` from each other.
fn posed_pair(random: &mut Random, apart: f64) -> [Posed; 2] {
    let at = DVec3::from_array(random.in_cube(3.0));
    let away = DVec3::from_array(random.direction()) * apart;
    [(shape(random), pose(random, at)), (shape(random), pose(random, at + away))]
}

fn ask([(a, pose_a), (b, pose_b)]: &[Posed; 2]) -> Distance {
    distance(a, pose_a, b, pose_b)
}

fn ask_with(
    [(a, pose_a), (b, pose_b)]: &[Posed; 2],
    options: &DistanceOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Distance {
    distance_with(a, pose_a, b, pose_b, options, cache, workspace)
}

fn check([(a, pose_a), (b, pose_b)]: &[Posed; 2], answer: &Distance) -> Result<(), TestCaseError> {
    answer.verify(a, pose_a, b, pose_b).map_err(|refusal| TestCaseError::fail(format!("{refusal}: {answer:?}")))
}

fn scale([(a, pose_a), (b, pose_b)]: &[Posed; 2]) -> f64 {
    common::scale(a, pose_a, b, pose_b)
}

/// Every number of an answer, times a power of two, as bits, and the rest of it.
fn bits(answer: &Distance, factor: f64) -> (Vec<u64>, String) {
    let Distance {
        gap: Bracket { value, lower, upper },
        placement,
        method,
        witness:
            Witness {
                a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
            },
        normal,
    } = *answer;
    let lengths = [value, lower, upper, placement].into_iter();
    let lengths = lengths.chain(point_in_a.to_array()).chain(point_in_b.to_array()).map(|x| x * factor);
    let numbers = lengths.chain(normal.unwrap_or(DVec3::ZERO).to_array());
    // Zero has two bit patterns.
    let bits = numbers.map(|x| if x == 0.0 { 0 } else { x.to_bits() }).collect();
    (bits, format!("{method:?} {part_a} {part_b} {feature_a:?} {feature_b:?} {}", normal.is_some()))
}

fn agree(one: &Distance, other: &Distance, allowance: f64) -> bool {
    one.gap.lower <= other.gap.upper + allowance && other.gap.lower <= one.gap.upper + allowance
}

/// The 24 symmetries of the cube: the only rotations without rounding.
fn cube_rotation(random: &mut Random) -> DMat3 {
    let quarter = [DMat3::from_cols(DVec3::Y, -DVec3::X, DVec3::Z), DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y)];
    (0..6).fold(DMat3::IDENTITY, |matrix, _| matrix * quarter[random.index(2)])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn swapped_arguments_give_the_same_bits(seed: u64, apart in 0.0..6.0f64) {
        let pair = posed_pair(&mut Random::new(seed), apart);
        let answer = ask(&pair);
        check(&pair, &answer)?;
        let [a, b] = pair;
        let other = ask(&[b, a]);
        let back = Distance {
            witness: other.witness.swapped(),
            normal: other.normal.map(|n| -n),
            ..other
        };
        prop_assert_eq!(bits(&back, 1.0), bits(&answer, 1.0));
    }

    #[test]
    fn a_common_motion_changes_nothing(seed: u64, apart in 0.0..6.0f64) {
        let mut random = Random::new(seed);
        let pair = posed_pair(&mut random, apart);
        let answer = ask(&pair);
        // A rotation by right angles and an exact shift: the same real-number bodies, so both brackets contain the
        // truth.
        let turn = cube_rotation(&mut random);
        let moved = pair.clone().map(|(shape, pose)| {
            (shape, Pose::new(turn * pose.rotation(), turn * pose.translation()).unwrap())
        });
        let turned = ask(&moved);
        check(&moved, &turned)?;
        prop_assert!(agree(&answer, &turned, 0.0), "{:?}\n{:?}", answer, turned);
        // Any motion: the rounding of the poses is allowed for.
        let at = DVec3::from_array(random.in_cube(100.0));
        let motion = pose(&mut random, at);
        let moved = pair.clone().map(|(shape, pose)| {
            let translation = motion.transform_point(pose.translation());
            (shape, Pose::new(motion.rotation() * pose.rotation(), translation).unwrap())
        });
        let answer_moved = ask(&moved);
        check(&moved, &answer_moved)?;
        let allowance = 16.0 * f64::EPSILON * (scale(&pair) + at.length());
        prop_assert!(agree(&answer, &answer_moved, allowance), "{:?}\n{:?}", answer, answer_moved);
    }

    #[test]
    fn a_power_of_two_scales_the_bits(seed: u64, apart in 0.0..6.0f64, exponent in -20i32..=20) {
        let mut random = Random::new(seed);
        let mut points = |count: usize| (0..count).map(|_| random.direction()).collect::<Vec<_>>();
        // Different numbers of vertices, so that the choice of the frame does not depend on a hash of coordinates.
        let hulls = [points(9), points(40)];
        let half = DVec3::from_array(random.direction()).abs() + 0.1;
        let radius = random.uniform(0.1, 1.0);
        let at = DVec3::from_array(random.direction()) * apart;
        let (first, second) = (random.index(4), random.index(4));
        let (pose_a, pose_b) = (pose(&mut random, DVec3::ZERO), pose(&mut random, at));
        let factor = 2f64.powi(exponent);
        let scaled = |factor: f64| {
            let body = |kind: usize| match kind {
                0 => Shape::cuboid(half * factor),
                1 => Shape::sphere(radius * factor),
                k => Shape::hull(&hulls[k - 2].iter().map(|p| p.map(|x| x * factor)).collect::<Vec<_>>()),
            };
            let pose = |pose: &Pose| Pose::new(pose.rotation(), pose.translation() * factor).unwrap();
            [(body(first).unwrap(), pose(&pose_a)), (body(second).unwrap(), pose(&pose_b))]
        };
        if first != second || first < 2 {
            prop_assert_eq!(bits(&ask(&scaled(1.0)), factor), bits(&ask(&scaled(factor)), 1.0));
        }
        // Any other factor rounds the bodies a little.
        let other = 10f64.powi(exponent % 7);
        let (one, large) = (ask(&scaled(1.0)), ask(&scaled(other)));
        check(&scaled(other), &large)?;
        let back = Distance { gap: Bracket::between(large.gap.lower / other, large.gap.upper / other), ..large };
        prop_assert!(agree(&one, &back, 16.0 * f64::EPSILON * scale(&scaled(1.0))), "{:?}\n{:?}", one, back);
    }

    #[test]
    fn the_distance_grows_along_the_normal(seed: u64, apart in 1.0..6.0f64, step in 0.0..10.0f64) {
        let pair = posed_pair(&mut Random::new(seed), apart);
        let answer = ask(&pair);
        if let Some(normal) = answer.normal {
            let [a, (b, pose_b)] = pair.clone();
            let moved = Pose::new(pose_b.rotation(), pose_b.translation() + normal * step).unwrap();
            let pair_moved = [a, (b, moved)];
            let farther = ask(&pair_moved);
            check(&pair_moved, &farther)?;
            let shifted = Distance { gap: Bracket::between(answer.gap.lower + step, answer.gap.upper + step), ..answer };
            let allowance = 16.0 * f64::EPSILON * (scale(&pair) + step + 8.0);
            prop_assert!(agree(&shifted, &farther, allowance), "{:?}\n{:?}", shifted, farther);
        }
    }

    #[test]
    fn a_cache_is_only_a_hint(seed: u64, apart in 0.0..5.0f64) {
        let mut random = Random::new(seed);
        let pair = posed_pair(&mut random, apart);
        let other_apart = random.uniform(0.0, 5.0);
        let other = posed_pair(&mut random, other_apart);
        let options = DistanceOptions::default();
        let mut workspace = Workspace::default();
        let (mut own, mut stale, mut mixed) = (PairCache::default(), PairCache::default(), PairCache::default());
        let cold = ask_with(&pair, &options, &mut own, &mut workspace);
        prop_assert_eq!(bits(&cold, 1.0), bits(&ask(&pair), 1.0));
        let warm = ask_with(&pair, &options, &mut own, &mut workspace);
        // A cache of another pair, and one of another pair that shares a body.
        ask_with(&other, &options, &mut stale, &mut workspace);
        let strange = ask_with(&pair, &options, &mut stale, &mut workspace);
        let half_other = [pair[1].clone(), other[0].clone()];
        ask_with(&half_other, &options, &mut mixed, &mut workspace);
        let mixed = ask_with(&pair, &options, &mut mixed, &mut workspace);
        for answer in [cold, warm, strange, mixed] {
            check(&pair, &answer)?;
            prop_assert!(agree(&cold, &answer, 0.0), "{:?}\n{:?}", cold, answer);
            prop_assert_eq!(cold.gap.value == 0.0, answer.gap.value == 0.0);
            prop_assert_eq!((cold.witness.a.feature, cold.witness.b.feature), (answer.witness.a.feature, answer.witness.b.feature));
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits(seed: u64, apart in 0.0..6.0f64) {
        let pair = posed_pair(&mut Random::new(seed), apart);
        let options = DistanceOptions::default();
        let plain = ask_with(&pair, &options, &mut PairCache::default(), &mut Workspace::baseline());
        prop_assert_eq!(bits(&plain, 1.0), bits(&ask(&pair), 1.0));
    }

    #[test]
    fn options_end_early_but_never_wrongly(seed: u64, apart in 0.0..8.0f64, fraction in 0.0..1.5f64, digits in 0.0..14.0f64) {
        let pair = posed_pair(&mut Random::new(seed), apart);
        let full = ask(&pair);
        let mut workspace = Workspace::default();
        let contract = 1e-12 * scale(&pair);
        let limit = full.gap.value * fraction;
        let tolerance = 10f64.powf(-digits);
        let [farther, rough, both] = [(Some(limit), 0.0), (None, tolerance), (Some(limit), tolerance)].map(|(d, t)| {
            let options = DistanceOptions { farther_than: d, tolerance: t, ..DistanceOptions::default() };
            ask_with(&pair, &options, &mut PairCache::default(), &mut workspace)
        });
        for answer in [&farther, &rough, &both] {
            check(&pair, answer)?;
            prop_assert!(agree(&full, answer, 0.0), "{:?}\n{:?}", full, answer);
            prop_assert_eq!(full.gap.value == 0.0, answer.gap.value == 0.0);
            let width = answer.gap.upper - answer.gap.lower;
            prop_assert!(answer.method == Method::Gjk || width > contract / 16.0, "{:?}", answer);
            prop_assert!(answer.method.stopped().is_some() || width <= contract, "{:?}", answer);
        }
        prop_assert!(farther.gap.lower > limit || farther.gap.upper - farther.gap.lower <= contract, "{:?}", farther);
        prop_assert!(rough.gap.upper - rough.gap.lower <= tolerance + contract, "{:?}", rough);
        prop_assert!(both.gap.lower > limit || both.gap.upper - both.gap.lower <= tolerance + contract, "{:?}", both);
    }

    #[test]
    fn margins_are_consistent_with_distances(seed: u64, apart in 0.0..6.0f64, factor in 0.0..2.0f64) {
        let pair = posed_pair(&mut Random::new(seed), apart);
        let answer = ask(&pair);
        let mut workspace = Workspace::default();
        let mut meets = |margin: f64| {
            let [(a, pose_a), (b, pose_b)] = &pair;
            let options = IntersectsOptions { margin, ..IntersectsOptions::default() };
            intersects_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut workspace)
        };
        prop_assert_eq!(meets(0.0), answer.gap.value == 0.0);
        for margin in [answer.gap.value * factor, answer.gap.upper, answer.gap.upper.next_up(), answer.gap.lower.next_down().max(0.0)] {
            let expected = if margin >= answer.gap.upper {
                Some(true)
            } else if margin < answer.gap.lower {
                Some(false)
            } else {
                None
            };
            if let Some(expected) = expected {
                prop_assert_eq!(meets(margin), expected, "{} {:?}", margin, answer);
            }
        }
    }
}

#[test]
fn brackets_of_small_hulls_hold_the_exact_truth() {
    let scenarios = [Scenario::BallHulls, Scenario::SphereHulls, Scenario::GridHulls, Scenario::NearTouchingHulls];
    for scenario in scenarios {
        for seed in 5000..5040 {
            let (a, b) = pair(scenario, seed);
            common::check_pair(&format!("{scenario:?} {seed}"), &a, &b, &signed_distance(&a, &b));
        }
    }
    // Hulls at small multiples of a grid, so that ties abound.
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut body = || {
            let mut coordinate = |low: i64, high: i64| random.integer(low, high) as f64;
            let points = (0..8).map(|_| std::array::from_fn(|_| coordinate(-2, 2))).collect();
            OracleBody::hull(points).translated(std::array::from_fn(|_| coordinate(-3, 3)))
        };
        let (a, b) = (body(), body());
        let truth = signed_distance(&a, &b);
        let answer = common::check_pair(&format!("grid {seed}"), &a, &b, &truth);
        assert_eq!(answer.gap.value > 0.0, truth.sign() == Ordering::Greater, "integers are placed exactly");
    }
}

#[test]
fn threads_do_not_change_the_bits() {
    let pairs: Vec<[Posed; 2]> = (0..64)
        .map(|seed| {
            let mut random = Random::new(seed);
            let apart = random.uniform(0.0, 5.0);
            posed_pair(&mut random, apart)
        })
        .collect();
    let all = || pairs.iter().map(|pair| bits(&ask(pair), 1.0)).collect::<Vec<_>>();
    let expected = all();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(all)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}

/// Moves B along the normal to each of many gaps, down to contact and into A, and verifies every answer: cold, with the
/// cache of the last position, and with that of an unrelated pair.
fn approach(name: &str, a: &Shape, pose_a: &Pose, b: &Shape, start: &Pose) {
    let mut workspace = Workspace::default();
    let mut cache = PairCache::default();
    let first = distance(a, pose_a, b, start);
    let normal = first.normal.unwrap_or_else(|| panic!("{name}: not apart at the start"));
    let size = a.diameter().min(b.diameter());
    for gap in [1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-9, -0.2] {
        let at = start.translation() - normal * (first.gap.value - gap * size);
        let pose_b = Pose::new(start.rotation(), at).unwrap();
        let pair = [(a.clone(), *pose_a), (b.clone(), pose_b)];
        let cold = ask(&pair);
        let warm = ask_with(&pair, &DistanceOptions::default(), &mut cache, &mut workspace);
        for answer in [&cold, &warm] {
            check(&pair, answer).unwrap_or_else(|error| panic!("{name} at {gap:e}: {error}"));
        }
        assert!(agree(&cold, &warm, 0.0), "{name} at {gap:e}: {cold:?} {warm:?}");
        let plain = ask_with(&pair, &DistanceOptions::default(), &mut PairCache::default(), &mut Workspace::baseline());
        assert_eq!(bits(&plain, 1.0), bits(&cold, 1.0), "{name} at {gap:e}");
        // All motion was along the normal, so up to contact the distance is known up to the rounding of the pose;
        // beyond it, the witness points of the start still bound it.
        let gap = gap * size;
        let allowance = 1e-14 * (scale(&pair) + start.translation().length() + pose_a.translation().length());
        assert!(
            cold.gap.upper >= gap - allowance && cold.gap.lower <= gap.abs() + allowance,
            "{name} at {gap:e}: {cold:?}"
        );
        let proof = common::proof_of(a, pose_a, b, &pose_b);
        proof.verify(a, pose_a, b, &pose_b).unwrap_or_else(|error| panic!("{name} at {gap:e}: {error} {proof:?}"));
        let expected = gap > allowance + 1e-12 * scale(&pair);
        assert!(!expected || proof.relation == Relation::Separated, "{name} at {gap:e}: {proof:?}");
        assert!(proof.relation != Relation::Overlapping || gap < allowance, "{name} at {gap:e}: {proof:?}");
    }
}

/// Hulls large enough for candidate lists, of shapes that are hard for hill climbing.
fn large_hulls() -> Vec<(&'static str, Shape)> {
    let mut random = Random::new(77);
    let sphere = |random: &mut Random, count: usize| (0..count).map(|_| random.direction()).collect::<Vec<_>>();
    let stretch = |points: Vec<[f64; 3]>, by: [f64; 3]| {
        points.into_iter().map(|p| std::array::from_fn(|k| p[k] * by[k])).collect::<Vec<[f64; 3]>>()
    };
    let prism = |sides: usize, half: f64| {
        let corner = move |k: usize| (k as f64 / sides as f64 * std::f64::consts::TAU).sin_cos();
        let ring = move |z: f64| (0..sides).map(move |k| [corner(k).1, corner(k).0, z]);
        ring(-half).chain(ring(half)).collect::<Vec<[f64; 3]>>()
    };
    let lens = |random: &mut Random, count: usize, height: f64| {
        let points = (0..count).map(|_| random.in_ball());
        points
            .map(|[x, y, z]| [x, y, height * (1.0 - (x * x + y * y)).max(0.0) * z.signum()])
            .collect::<Vec<[f64; 3]>>()
    };
    // A cluster of points almost in one plane, off a few corners that make it a solid.
    let cluster = |random: &mut Random, count: usize, noise: f64| {
        let near = (0..count).map(|_| {
            let [x, y, z] = random.in_cube(1.0);
            [1.0 + noise * z, 1e-3 * x, 1e-3 * y]
        });
        near.chain([[-1.0, 1.0, 0.0], [-1.0, -1.0, 1.0], [-1.0, 0.0, -1.0]]).collect::<Vec<[f64; 3]>>()
    };
    let points = [
        ("sphere of 5000", sphere(&mut random, 5000)),
        ("sphere of 600", sphere(&mut random, 600)),
        ("cigar", stretch(sphere(&mut random, 1000), [1.0, 1e-3, 1e-3])),
        ("pancake", stretch(sphere(&mut random, 1000), [1.0, 1.0, 1e-3])),
        ("blade", stretch(sphere(&mut random, 1000), [1.0, 3e-2, 1e-3])),
        ("prism", prism(300, 1.0)),
        ("coin", prism(400, 1e-4)),
        ("lens", lens(&mut random, 1500, 1e-3)),
        ("flat lens", lens(&mut random, 800, 1e-9)),
        ("flattest lens", lens(&mut random, 800, 1e-14)),
        ("cluster", cluster(&mut random, 400, 1e-9)),
        ("tight cluster", cluster(&mut random, 400, 1e-15)),
    ];
    points.map(|(name, points)| (name, Shape::hull(&points).unwrap())).into_iter().collect()
}

#[test]
fn large_hulls_down_to_contact() {
    let hulls = large_hulls();
    let cube = Shape::cuboid(DVec3::new(0.5, 0.7, 0.4)).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let mut random = Random::new(5);
    for (k, (name, hull)) in hulls.iter().enumerate() {
        let (next_name, next) = &hulls[(k + 1) % hulls.len()];
        for (other_name, other) in [(*next_name, next), ("box", &cube), ("ball", &ball)] {
            let away = DVec3::from_array(random.direction()) * 4.0;
            let (pose_a, pose_b) = (pose(&mut random, DVec3::new(0.3, 0.2, -0.1)), pose(&mut random, away));
            approach(&format!("{name}, {other_name}"), hull, &pose_a, other, &pose_b);
        }
        // Face to face, edge to edge: both along the axes.
        for away in [DVec3::X, DVec3::Z] {
            let beside = Pose::from_translation(away * 4.0).unwrap();
            approach(&format!("{name} twice"), hull, &Pose::IDENTITY, hull, &beside);
        }
    }
}
