//! Moving bodies against exact rational arithmetic, over all scenarios of the oracle kit, and motions that are hard by
//! construction: thin, fast, grazing, sliding, starting in contact.

use crate::common;

use std::cmp::Ordering;

use clearance::answer::Impact;
use clearance::glam::{DVec2, DVec3};
use clearance::query::{
    ImpactAlgorithm, ImpactOptions, SweepAlgorithm, SweepOptions, sweeps_meet, sweeps_meet_with, time_of_impact_with,
};
use clearance::shape::{Aabb, Compound, HeightField, Support};
use clearance::{Motion, PairCache, Pose, Shape, Workspace, time_of_impact};
use clearance_oracle::random::Random;
use clearance_oracle::rational::{Rational, Vector, add, dot, scale, subtract, vector};
use clearance_oracle::{ExactSigned, OracleBody, Placed, Scenario, pair, signed_distance_placed};

const ALGORITHMS: [ImpactAlgorithm; 5] = [
    ImpactAlgorithm::Conservative,
    ImpactAlgorithm::IntervalHalving,
    ImpactAlgorithm::Brent,
    ImpactAlgorithm::ClosedForm,
    ImpactAlgorithm::Elementary,
];

/// A body and its displacement in the step.
struct Mover {
    body: OracleBody,
    way: [f64; 3],
}

impl Mover {
    fn shape_and_motion(&self) -> (Shape, Motion) {
        let (shape, pose) = common::shape_and_pose(&self.body);
        (shape, Motion::translation(pose, DVec3::from_array(self.way)).unwrap())
    }

    /// The exact set swept by the body up to a time along a displacement; at time 0 the body itself.
    fn swept(&self, way: &Vector, time: f64) -> Placed {
        let placed = self.body.placed();
        let moved = scale(way, &Rational::from_f64(time).unwrap());
        let point = |p: &[_; 3]| p.each_ref().map(|x| Rational::new(Clone::clone(x), placed.denominator.clone()));
        let mut points: Vec<_> = placed.points.iter().map(point).collect();
        if time > 0.0 {
            let ends: Vec<_> = points.iter().map(|p| add(p, &moved)).collect();
            points.extend(ends);
        }
        Placed { radius: placed.radius.clone(), ..Placed::from_points(&points) }
    }
}

/// The signed gap of the sets that the bodies sweep up to a time, relative to each other: exactly. Not above zero if
/// and only if they meet by then.
fn swept_truth(a: &Mover, b: &Mover, time: f64) -> ExactSigned {
    let way = subtract(&vector(b.way).unwrap(), &vector(a.way).unwrap());
    signed_distance_placed(&a.swept(&way, 0.0), &b.swept(&way, time))
}

/// The signed gap at a time: exactly.
fn truth(a: &Mover, b: &Mover, time: f64) -> ExactSigned {
    let way = subtract(&vector(b.way).unwrap(), &vector(a.way).unwrap());
    let mut moved = b.swept(&way, time);
    if time > 0.0 {
        let count = moved.points.len() / 2;
        moved.points.drain(..count);
    }
    signed_distance_placed(&a.swept(&way, 0.0), &moved)
}

/// Checks every claim of every algorithm about a motion against the exact gap. Returns the default answer.
fn check_motion(label: &str, a: &Mover, b: &Mover) -> Option<Impact> {
    let ((shape_a, motion_a), (shape_b, motion_b)) = (a.shape_and_motion(), b.shape_and_motion());
    let context =
        |impact: &Option<Impact>| format!("{label}\n{impact:?}\n{:?} {:?}\n{:?} {:?}", a.body, a.way, b.body, b.way);
    let size = common::scale(&shape_a, &motion_a.start(), &shape_b, &motion_b.start())
        + (motion_b.displacement() - motion_a.displacement()).length();
    let meets = sweeps_meet(&shape_a, &motion_a, &shape_b, &motion_b);
    let doubled = SweepOptions { algorithm: SweepAlgorithm::PointDuplication, ..SweepOptions::default() };
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    let other = sweeps_meet_with(&shape_a, &motion_a, &shape_b, &motion_b, &doubled, &mut cache, &mut workspace);
    assert_eq!(meets, other, "{label}: both forms of the swept set");

    let mut first = None;
    for algorithm in ALGORITHMS {
        let options = ImpactOptions { algorithm, ..ImpactOptions::default() };
        let mut cache = PairCache::default();
        let mut ask = |a: &Shape, ma: &Motion, b: &Shape, mb: &Motion| {
            time_of_impact_with(a, ma, b, mb, &options, &mut cache, &mut workspace)
        };
        let impact = ask(&shape_a, &motion_a, &shape_b, &motion_b);
        let text = || context(&impact.ok());
        assert_eq!(impact.is_ok(), meets, "sweeps\n{}", text());
        match &impact {
            Err(_) => {
                // The placed sets are apart; the real-number bodies are within their placement of them.
                let signed = swept_truth(a, b, 1.0);
                assert_ne!(signed.compare(-1e-14 * size), Ordering::Less, "missed\n{}", text());
            }
            Ok(impact) => {
                assert!(
                    0.0 <= impact.time.lower
                        && impact.time.lower <= impact.time.value
                        && impact.time.value <= impact.time.upper
                        && impact.time.upper <= 1.0,
                    "{}",
                    text()
                );
                if impact.started_overlapping {
                    assert_eq!((impact.time.value, impact.time.upper), (0.0, 0.0));
                } else if impact.time.lower > 0.0 {
                    assert_ne!(swept_truth(a, b, impact.time.lower).sign(), Ordering::Less, "lower\n{}", text());
                }
                if impact.touches {
                    assert_ne!(swept_truth(a, b, impact.time.upper).sign(), Ordering::Greater, "upper\n{}", text());
                } else {
                    let at_upper = truth(a, b, impact.time.upper);
                    assert_ne!(at_upper.compare(impact.gap), Ordering::Greater, "gap\n{}", text());
                    assert!(impact.gap <= 1e-13 * size, "gap\n{}", text());
                }
                impact
                    .verify(&shape_a, &motion_a, &shape_b, &motion_b)
                    .unwrap_or_else(|refusal| panic!("{refusal}\n{}", text()));
            }
        }
        if algorithm == ImpactAlgorithm::Conservative {
            first = impact.ok();
        }
    }
    let swapped = time_of_impact(&shape_b, &motion_b, &shape_a, &motion_a);
    if (&shape_a, motion_a.start()) != (&shape_b, motion_b.start()) {
        assert_eq!(swapped.is_ok(), first.is_some());
        if let (Some(one), Ok(other)) = (&first, &swapped) {
            assert_eq!(
                (one.time.value, one.time.lower, one.time.upper, one.gap),
                (other.time.value, other.time.lower, other.time.upper, other.gap)
            );
            assert_eq!(
                (one.witness.a.point, one.witness.b.point),
                (other.witness.b.point, other.witness.a.point),
                "{}",
                context(&swapped.ok())
            );
            assert_eq!(one.normal, other.normal.map(|n| -n));
        }
    }
    first
}

/// Displacements of the second body: towards the first, past it, far, zero.
fn ways(random: &mut Random, a: &OracleBody, b: &OracleBody) -> Vec<[f64; 3]> {
    let middle = |body: &OracleBody| {
        let points = body.world_points();
        points.iter().map(|p| DVec3::from_array(*p)).sum::<DVec3>() / points.len() as f64
    };
    let between = middle(a) - middle(b);
    let across = DVec3::from_array(random.direction()) * between.length();
    let mut ways = vec![
        between * random.uniform(0.5, 2.0),
        between * random.uniform(0.5, 3.0) + across * random.uniform(0.0, 1.0),
        across,
        DVec3::ZERO,
    ];
    ways.push(ways[1] * 1e3);
    ways.into_iter().map(|way| way.to_array()).collect()
}

#[test]
fn scenarios_against_exact_truth() {
    let cases: u64 = std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let (mut touched, mut near, mut clear, mut steps, mut most) = (0, 0, 0, 0, 0);
    for scenario in Scenario::ALL {
        for seed in 0..cases {
            let (a, b) = pair(scenario, seed);
            let mut random = Random::new(seed + 77);
            for (k, way) in ways(&mut random, &a, &b).into_iter().enumerate() {
                // Half of the displacement is the first body's.
                let half = way.map(|x| 0.5 * x);
                let (way_a, way_b) = if k == 1 { (half.map(|x| -x), half) } else { ([0.0; 3], way) };
                let a = Mover { body: a.clone(), way: way_a };
                let b = Mover { body: b.clone(), way: way_b };
                match check_motion(&format!("{scenario:?} {seed} {k}"), &a, &b) {
                    None => clear += 1,
                    Some(impact) => {
                        if impact.touches {
                            touched += 1
                        } else {
                            near += 1
                        }
                        steps += impact.steps;
                        most = most.max(impact.steps);
                    }
                }
            }
        }
    }
    println!("{touched} touch, {near} come near, {clear} are clear; {steps} readings, at most {most}");
    assert!(touched > 50 && clear > 20);
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn moving(start: Pose, x: f64, y: f64, z: f64) -> Motion {
    Motion::translation(start, DVec3::new(x, y, z)).unwrap()
}

fn still() -> Motion {
    Motion::still(Pose::IDENTITY)
}

/// The answer by every algorithm, each verified; the default's is returned.
fn ask(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Option<Impact> {
    let answers = ALGORITHMS.map(|algorithm| {
        let options = ImpactOptions { algorithm, ..ImpactOptions::default() };
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::baseline());
        let impact = time_of_impact_with(a, motion_a, b, motion_b, &options, &mut cache, &mut workspace);
        if let Ok(impact) = &impact {
            impact.verify(a, motion_a, b, motion_b).unwrap_or_else(|refusal| panic!("{refusal}\n{impact:?}"));
        }
        impact
    });
    let meets = sweeps_meet(a, motion_a, b, motion_b);
    assert!(answers.iter().all(|answer| answer.is_ok() == meets), "{meets} {answers:?}");
    if let Ok(first) = &answers[0] {
        for other in answers[1..].iter().flatten() {
            assert!(
                first.time.lower <= other.time.upper && other.time.lower <= first.time.upper || !first.touches,
                "{answers:?}"
            );
        }
    }
    let plain = time_of_impact(a, motion_a, b, motion_b);
    assert_eq!(plain, answers[0], "instruction sets");
    answers[0].ok()
}

#[test]
fn fast_bodies_do_not_pass_through_thin_plates() {
    let ball = Shape::sphere(1e-3).unwrap();
    let plate = Shape::cuboid(DVec3::new(1.0, 1.0, 0.5e-6)).unwrap();
    let needle = Shape::flat_hull(&[[0.0, 0.0, -1e-3], [0.0, 0.0, 1e-3]]).unwrap();
    let sheet = Shape::triangle(DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::Y).unwrap();
    for (k, speed) in [1.0, 1e3, 1e6].into_iter().enumerate() {
        for body in [&ball, &needle, &plate] {
            for target in [&plate, &sheet] {
                let start = at(0.1, 0.05, -0.25 * speed);
                let flying = moving(start, 0.0, 0.0, speed);
                let impact =
                    ask(body, &flying, target, &still()).unwrap_or_else(|| panic!("passed through at {speed}"));
                let reach = body.bounds().max.z + target.bounds().max.z;
                let truth = (0.25 * speed - reach) / speed;
                assert!(impact.touches, "{k} {impact:?}");
                assert!(
                    (impact.time.value - truth).abs() < 2e-14 && impact.time.upper - impact.time.lower < 2e-13,
                    "{truth} {impact:?}"
                );
                assert_eq!(impact.normal, Some(DVec3::Z));
            }
        }
        // Just past its edge.
        let beside = moving(at(1.0 + 1e-3 + 1e-9, 0.0, -0.25 * speed), 0.0, 0.0, speed);
        assert!(ask(&ball, &beside, &plate, &still()).is_none());
    }
}

#[test]
fn grazing_is_decided_exactly_where_the_numbers_are_exact() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    // Along a face, an edge, a vertex: contact of closed sets, without any common interior.
    for (y, z) in [(2.0, 0.5), (2.0, 2.0), (0.0, -2.0)] {
        let passing = moving(at(-8.0, y, z), 16.0, 0.0, 0.0);
        let impact = ask(&cube, &passing, &cube, &still()).unwrap();
        assert!(!impact.touches && impact.gap < 1e-13, "{impact:?}");
        assert!(impact.time.lower <= 0.375, "{impact:?}");
        let above = moving(
            at(-8.0, y + y.signum() * 1e-15 * f64::from(y != 0.0), z - f64::from(y == 0.0) * 1e-15),
            16.0,
            0.0,
            0.0,
        );
        assert!(ask(&cube, &above, &cube, &still()).is_none());
    }
    // The tips of two octahedra, on crossing courses.
    let tips =
        [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let octahedron = Shape::hull(&tips).unwrap();
    let passing = moving(at(-2.0, 0.0, 2.0), 4.0, 0.0, 0.0);
    let impact = ask(&octahedron, &passing, &octahedron, &still()).unwrap();
    assert!(!impact.touches && (impact.time.value - 0.5).abs() < 1e-6 && impact.gap < 1e-13, "{impact:?}");
    // Balls that touch at one moment.
    let ball = Shape::sphere(1.0).unwrap();
    let passing = moving(at(-3.0, 2.0, 0.0), 6.0, 0.0, 0.0);
    let impact = ask(&ball, &passing, &ball, &still()).unwrap();
    assert!((impact.time.value - 0.5).abs() < 1e-6 && impact.time.lower <= 0.5, "{impact:?}");
    assert!(ask(&ball, &moving(at(-3.0, 2.0 + 1e-15, 0.0), 6.0, 0.0, 0.0), &ball, &still()).is_none());
}

#[test]
fn bodies_that_start_in_contact() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let ball = Shape::sphere(1.0).unwrap();
    for (dx, dy) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, 0.0)] {
        for (body, x) in [(&cube, 2.0), (&ball, 2.0), (&cube, 1.0), (&ball, 0.5), (&cube, 0.0)] {
            let impact = ask(&cube, &still(), body, &moving(at(x, 0.0, 0.0), dx, dy, 0.0)).unwrap();
            assert!(impact.started_overlapping && impact.time.upper == 0.0 && impact.normal.is_none(), "{impact:?}");
            assert_eq!(impact.touches, x < 2.0, "{impact:?}");
            assert!(impact.gap < 4e-14, "{impact:?}");
        }
    }
    // Slightly separated: then the displacement decides.
    let near = at(2.0 + 1e-9, 0.0, 0.0);
    assert!(ask(&cube, &still(), &cube, &moving(near, 1.0, 0.0, 0.0)).is_none());
    assert!(ask(&cube, &still(), &cube, &moving(near, 0.0, 1.0, 0.0)).is_none());
    assert!(ask(&cube, &still(), &cube, &Motion::still(near)).is_none());
    let impact = ask(&cube, &still(), &cube, &moving(near, -1.0, 0.0, 0.0)).unwrap();
    assert!((impact.time.value - 1e-9).abs() < 1e-13 && impact.touches && !impact.started_overlapping, "{impact:?}");
    // One unit in the last place apart: no floating-point bracket resolves the gap, but the answers are right.
    let nearest = at(2.0f64.next_up(), 0.0, 0.0);
    assert!(ask(&cube, &still(), &cube, &moving(nearest, 1.0, 0.0, 0.0)).is_none());
    let impact = ask(&cube, &still(), &cube, &moving(nearest, -1.0, 0.0, 0.0)).unwrap();
    assert!(impact.time.value < 1e-13 && impact.touches && !impact.started_overlapping, "{impact:?}");
}

#[test]
fn both_bodies_move_and_common_motion_drops_out() {
    let (cube, ball) = (Shape::cuboid(DVec3::ONE).unwrap(), Shape::sphere(0.5).unwrap());
    let alone = ask(&cube, &still(), &ball, &moving(at(5.0, 0.25, 0.0), -7.0, 0.0, 0.0)).unwrap();
    let both =
        ask(&cube, &moving(Pose::IDENTITY, 3.0, 64.0, -8.0), &ball, &moving(at(5.0, 0.25, 0.0), -4.0, 64.0, -8.0));
    let both = both.unwrap();
    assert_eq!(
        (alone.time.value, alone.time.lower, alone.time.upper),
        (both.time.value, both.time.lower, both.time.upper)
    );
    assert!((alone.time.value - 0.5).abs() < 1e-15);
    // The same motion, however fast, is no motion.
    let far = DVec3::new(1e6, -3e5, 2e7);
    let motion = |pose| Motion::translation(pose, far).unwrap();
    assert!(ask(&cube, &motion(Pose::IDENTITY), &ball, &motion(at(1.6, 0.0, 0.0))).is_none());
    assert!(ask(&cube, &motion(Pose::IDENTITY), &ball, &motion(at(1.5, 0.0, 0.0))).is_some());
}

#[test]
fn far_from_the_origin_tiny_and_huge() {
    for exponent in [-59, -6, 6, 50] {
        let size = 10f64.powi(exponent);
        let cube = Shape::cuboid(DVec3::splat(size)).unwrap();
        let flying = moving(at(-10.0 * size, 0.5 * size, 0.0), 16.0 * size, 0.0, 0.0);
        let impact = ask(&cube, &flying, &cube, &still()).unwrap();
        assert!(impact.touches && (impact.time.value - 0.5).abs() < 1e-14, "{size:e} {impact:?}");
        assert!(
            ask(&cube, &moving(at(-10.0 * size, 2.5 * size, 0.0), 16.0 * size, 0.0, 0.0), &cube, &still()).is_none()
        );
    }
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let home = Motion::still(at(1e7, 1e7, -1e7));
    let impact = ask(&cube, &moving(at(1e7 - 10.0, 1e7 + 0.5, -1e7), 16.0, 0.0, 0.0), &cube, &home).unwrap();
    assert!(impact.touches && (impact.time.value - 0.5).abs() < 1e-14, "{impact:?}");
    // A needle of aspect 1e6 end on.
    let needle = Shape::cuboid(DVec3::new(1e3, 1e-3, 1e-3)).unwrap();
    let impact = ask(&needle, &moving(at(-2e3, 0.0, 0.0), 2e3, 0.0, 0.0), &cube, &still()).unwrap();
    assert!(impact.touches && (impact.time.value - 0.4995).abs() < 1e-14, "{impact:?}");
}

#[test]
fn margin_and_tolerance() {
    let (cube, ball) = (Shape::cuboid(DVec3::ONE).unwrap(), Shape::sphere(0.5).unwrap());
    let flying = moving(at(-11.5, 0.0, 0.0), 10.0, 0.0, 0.0);
    for algorithm in ALGORITHMS {
        let ask = |margin, tolerance| {
            let options = ImpactOptions { algorithm, margin, tolerance };
            let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
            let impact = time_of_impact_with(&ball, &flying, &cube, &still(), &options, &mut cache, &mut workspace);
            if let Ok(impact) = &impact {
                impact.verify(&ball, &flying, &cube, &still()).unwrap_or_else(|e| panic!("{e}\n{impact:?}"));
            }
            impact
        };
        let impact = ask(2.0, 0.0).unwrap();
        assert!(impact.touches && (impact.time.value - 0.8).abs() < 1e-14, "{impact:?}");
        let sooner = ask(0.0, 0.5).unwrap();
        assert!(!sooner.touches || sooner.time.value > 0.94, "{sooner:?}");
        assert!(sooner.gap <= 0.5 && sooner.time.lower <= 1.0, "{sooner:?}");
        // NaN and negative numbers count as none.
        assert_eq!(ask(f64::NAN, -1.0), ask(0.0, 0.0));
    }
}

#[test]
fn a_warm_cache_gives_true_answers() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let points: Vec<[f64; 3]> = (0..40).map(|k| Random::new(k).direction()).collect();
    let stone = Shape::hull(&points).unwrap();
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    for step in 0..60 {
        let flying = moving(at(-6.0, 0.04 * f64::from(step), 0.1), 9.0, 0.0, 0.02 * f64::from(step));
        let options = ImpactOptions::default();
        let warm = time_of_impact_with(&stone, &flying, &cube, &still(), &options, &mut cache, &mut workspace);
        let cold = time_of_impact(&stone, &flying, &cube, &still());
        assert_eq!(warm.is_ok(), cold.is_ok());
        if let (Ok(warm), Ok(cold)) = (warm, cold) {
            warm.verify(&stone, &flying, &cube, &still()).unwrap_or_else(|e| panic!("{e}\n{warm:?}"));
            assert!(warm.time.lower <= cold.time.upper && cold.time.lower <= warm.time.upper, "{warm:?}\n{cold:?}");
        }
    }
}

#[test]
fn formulas_save_readings_and_agree() {
    let ball = Shape::sphere(0.5).unwrap();
    let soft_box = Shape::rounded(Shape::cuboid(DVec3::new(1.0, 0.5, 0.25)).unwrap(), 0.125).unwrap();
    let targets = [ball.clone(), Shape::capsule(1.0, 0.25).unwrap(), Shape::cuboid(DVec3::ONE).unwrap(), soft_box];
    let (mut stepped, mut by_formula, mut hits) = (0, 0, 0);
    for target in &targets {
        for k in 0..40u64 {
            let mut random = Random::new(k);
            let from = DVec3::from_array(random.direction()) * 6.0;
            let aim = DVec3::from_array(random.in_ball()) * 1.5;
            let flying = Motion::translation(Pose::from_translation(from).unwrap(), (aim - from) * 1.5).unwrap();
            let turned = Pose::from_axis_angle(DVec3::from_array(random.direction()), k as f64, DVec3::ZERO).unwrap();
            let ask = |algorithm| {
                let options = ImpactOptions { algorithm, ..ImpactOptions::default() };
                let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
                let rest = Motion::still(turned);
                let impact = time_of_impact_with(&ball, &flying, target, &rest, &options, &mut cache, &mut workspace);
                if let Ok(impact) = &impact {
                    impact.verify(&ball, &flying, target, &rest).unwrap_or_else(|e| panic!("{e}\n{impact:?}"));
                }
                impact
            };
            let (one, other) = (ask(ImpactAlgorithm::Conservative), ask(ImpactAlgorithm::ClosedForm));
            assert_eq!(one.is_ok(), other.is_ok());
            if let (Ok(one), Ok(other)) = (one, other) {
                assert!(
                    (one.time.value - other.time.value).abs() < 1e-13 && one.touches && other.touches,
                    "{one:?}\n{other:?}"
                );
                stepped += one.steps;
                by_formula += other.steps;
                hits += 1;
            }
        }
    }
    println!("{hits} contacts: {stepped} readings by steps, {by_formula} by formula");
    assert!(hits > 60 && by_formula < stepped, "{hits} {stepped} {by_formula}");
}

/// On small integers nothing is rounded, so touching, grazing and sliding are what they are.
#[test]
fn lattice_motions_are_decided_exactly() {
    let cases: u64 = std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let (mut met, mut grazed, mut missed) = (0, 0, 0);
    for seed in 0..40 * cases.max(6) {
        let mut random = Random::new(seed + 1000);
        let mut whole = |size: i64| std::array::from_fn(|_| random.integer(-size, size) as f64);
        let mut body = |count: usize, place: i64| {
            let points = (0..count).map(|_| whole(3)).collect();
            OracleBody::hull(points).translated(whole(place))
        };
        let (a, b) = (body(2 + seed as usize % 6, 0), body(1 + seed as usize % 5, 9));
        // Towards the first body, more or less, and as far again.
        let aside: [f64; 3] = whole(4);
        let way = std::array::from_fn(|k| aside[k] - 2.0 * b.translation[k]);
        let (a, b) = (Mover { body: a, way: whole(1) }, Mover { body: b, way });
        let truth = swept_truth(&a, &b, 1.0).sign();
        let impact = check_motion(&format!("lattice {seed}"), &a, &b);
        assert_eq!(impact.is_some(), truth != Ordering::Greater, "lattice {seed}: {impact:?}");
        match impact {
            None => missed += 1,
            Some(impact) if impact.touches => met += 1,
            Some(_) => grazed += 1,
        }
    }
    println!("{met} meet, {grazed} graze, {missed} miss");
    assert!(met > 5 && grazed > 2 && missed > 5, "{met} {grazed} {missed}");
}

/// A ball and a half-space whose normal has a whole length: the time is a rational number.
fn ball_on_plane(normal: [f64; 3], offset: f64, radius: f64, from: [f64; 3], ways: [[f64; 3]; 2]) -> Option<Impact> {
    let (plane, ball) = (Shape::half_space(DVec3::from_array(normal), offset).unwrap(), Shape::sphere(radius).unwrap());
    let motion = |start: [f64; 3], way: [f64; 3]| {
        Motion::translation(Pose::from_translation(DVec3::from_array(start)).unwrap(), DVec3::from_array(way)).unwrap()
    };
    let (motion_a, motion_b) = (motion([0.0; 3], ways[0]), motion(from, ways[1]));
    let number = |x: f64| Rational::from_f64(x).unwrap();
    let n = vector(normal).unwrap();
    let length = number(dot(&n, &n).to_f64().sqrt());
    assert_eq!(dot(&n, &n), length.squared());
    let way = subtract(&vector(ways[1]).unwrap(), &vector(ways[0]).unwrap());
    // All times the length of the normal: how high the ball is, and how fast it comes down.
    let above = &(&dot(&n, &vector(from).unwrap()) - &number(offset)) - &(&number(radius) * &length);
    let speed = &Rational::zero() - &dot(&n, &way);
    let left = |time: f64| &above - &(&speed * &number(time));
    let meets = above <= Rational::zero() || left(1.0) <= Rational::zero();
    let mut first = None;
    for algorithm in ALGORITHMS {
        let options = ImpactOptions { algorithm, ..ImpactOptions::default() };
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let impact = time_of_impact_with(&plane, &motion_a, &ball, &motion_b, &options, &mut cache, &mut workspace);
        let text = format!("{normal:?} {offset} {radius} {from:?} {ways:?}\n{impact:?}");
        assert_eq!(impact.is_ok(), meets, "{text}");
        assert_eq!(sweeps_meet(&plane, &motion_a, &ball, &motion_b), meets, "{text}");
        let Ok(impact) = impact else { continue };
        impact.verify(&plane, &motion_a, &ball, &motion_b).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(impact.started_overlapping, above <= Rational::zero(), "{text}");
        if impact.started_overlapping {
            assert_eq!(impact.time.upper, 0.0, "{text}");
        } else {
            assert!(left(impact.time.lower) >= Rational::zero(), "lower {text}");
        }
        if impact.touches {
            assert!(left(impact.time.upper) <= Rational::zero(), "upper {text}");
        } else {
            let gap = &number(impact.gap) * &length;
            assert!(left(impact.time.upper) <= gap, "gap {text}");
        }
        let exchanged = time_of_impact_with(&ball, &motion_b, &plane, &motion_a, &options, &mut cache, &mut workspace);
        let exchanged = exchanged.unwrap();
        assert_eq!(
            (impact.time.value, impact.time.lower, impact.time.upper),
            (exchanged.time.value, exchanged.time.lower, exchanged.time.upper),
            "{text}"
        );
        first.get_or_insert(impact);
        // The formula saves one reading.
        assert!(impact.steps <= 4, "{text}");
    }
    first
}

#[test]
fn a_ball_and_a_half_space_against_rational_times() {
    let normals = [[0.0, 0.0, 1.0], [1.0, 2.0, 2.0], [-2.0, 3.0, 6.0], [1.0, 4.0, -8.0], [0.0, -3.0, 4.0]];
    let (mut touched, mut clear) = (0, 0);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let normal = normals[seed as usize % normals.len()];
        let mut some = |size: f64| std::array::from_fn(|_| random.uniform(-size, size));
        let (from, ways): ([f64; 3], _) = (some(6.0), [some(3.0), some(12.0)]);
        let [radius, offset, _]: [f64; 3] = some(2.0);
        match ball_on_plane(normal, offset, radius.abs() + 0.01, from, ways) {
            Some(impact) if impact.started_overlapping => {}
            Some(impact) => {
                assert!(impact.touches, "{impact:?}");
                touched += 1;
            }
            None => clear += 1,
        }
    }
    assert!(touched > 20 && clear > 20, "{touched} {clear}");
}

#[test]
fn a_ball_grazes_slides_along_and_starts_in_a_half_space() {
    let floor = [0.0, 0.0, 1.0];
    let fall = |height: f64, way: [f64; 3]| ball_on_plane(floor, 0.0, 1.0, [5.0, -3.0, height], [[0.0; 3], way]);
    // Exactly to the plane; just short of it.
    let grazed = fall(3.0, [4.0, 0.0, -2.0]).unwrap();
    assert!(!grazed.touches && grazed.gap < 1e-13 && grazed.time.value > 1.0 - 1e-13, "{grazed:?}");
    assert!(fall(3.0f64.next_up(), [4.0, 0.0, -2.0]).is_none());
    assert!(fall(3.0f64.next_down(), [4.0, 0.0, -2.0]).is_some());
    // Along the plane, touching or slightly above.
    let sliding = fall(1.0, [9.0, 2.0, 0.0]).unwrap();
    assert!(sliding.started_overlapping && sliding.normal.is_none() && sliding.gap < 1e-13, "{sliding:?}");
    assert!(fall(1.0f64.next_up(), [9.0, 2.0, 0.0]).is_none());
    assert!(fall(1.0 + 1e-9, [9.0, 2.0, 0.0]).is_none());
    // In touch and away; inside and out; inside and at rest.
    for (height, way) in [(1.0, 4.0), (0.25, 5.0), (-7.0, 20.0), (0.5, 0.0), (-1.0, -1.0)] {
        let impact = fall(height, [0.0, 0.0, way]).unwrap();
        assert!(impact.started_overlapping && impact.touches == (height < 1.0), "{impact:?}");
    }
    // Both move, and the plane catches up; both move alike.
    let caught = ball_on_plane(floor, 0.0, 1.0, [0.0, 0.0, 3.0], [[7.0, 0.0, 6.0], [0.0, 0.0, 2.0]]).unwrap();
    assert!(caught.touches && caught.time.lower <= 0.5 && caught.time.upper >= 0.5, "{caught:?}");
    assert!(caught.time.upper - caught.time.lower < 1e-14 && caught.normal == Some(DVec3::Z), "{caught:?}");
    assert!(ball_on_plane(floor, 0.0, 1.0, [0.0, 0.0, 3.0], [[1e6, 0.0, 1e6], [1e6, 0.0, 1e6]]).is_none());
    // Fast, far, tiny and huge.
    for size in [1e-60, 1e-6, 1e6, 1e40] {
        let impact = ball_on_plane(floor, 0.0, size, [0.0, 0.0, 3.0 * size], [[0.0; 3], [0.0, 0.0, -4e6 * size]]);
        assert!(impact.unwrap().touches, "{size}");
    }
}

/// A custom body: a ball cut off at half its radius.
#[derive(Debug)]
struct Dome;

impl Support for Dome {
    fn support(&self, direction: DVec3) -> DVec3 {
        let unit = direction.normalize();
        if unit.z >= -0.5 {
            return unit;
        }
        let rim = DVec3::new(unit.x, unit.y, 0.0).normalize_or_zero() * 0.75f64.sqrt();
        DVec3::new(rim.x, rim.y, -0.5)
    }

    fn slack(&self) -> f64 {
        4e-16
    }

    fn bounds(&self) -> Aabb {
        Aabb::new(DVec3::new(-1.0, -1.0, -0.5), DVec3::ONE)
    }
}

const KINDS: u64 = 14;

/// Every kind of convex body.
fn body_of(kind: u64, random: &mut Random) -> Shape {
    let mut size = || random.uniform(0.2, 1.5);
    let sizes = DVec3::new(size(), size(), size());
    let mut point = || DVec3::from_array(random.direction());
    match kind {
        0 => Shape::cylinder(sizes.x, sizes.y),
        1 => Shape::cone(sizes.x, sizes.y),
        2 => Shape::ellipsoid(sizes),
        3 => Shape::custom(std::sync::Arc::new(Dome)),
        4 => Shape::rounded(Shape::cone(sizes.x, sizes.y).unwrap(), 0.1),
        5 => Shape::half_space(point(), sizes.x - 0.8),
        6 => Shape::sphere(sizes.x),
        7 => Shape::cuboid(sizes),
        8 => Shape::hull(&[(); 12].map(|()| point().to_array())),
        9 => Shape::capsule(sizes.x, sizes.y),
        10 => Shape::segment(point(), point()),
        11 => Shape::triangle(point(), point(), point()),
        12 => Shape::tetrahedron([(); 4].map(|()| point())),
        _ => Shape::rounded(Shape::cuboid(sizes).unwrap(), 0.2),
    }
    .unwrap()
}

/// Checks what must hold of any answer: that it verifies, is there when the sweeps meet, and is the same exchanged.
fn check_any(text: &str, a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Option<Impact> {
    let impact = time_of_impact(a, motion_a, b, motion_b);
    let text = || format!("{text}\n{a:?}\n{motion_a:?}\n{b:?}\n{motion_b:?}\n{impact:?}");
    assert_eq!(sweeps_meet(a, motion_a, b, motion_b), impact.is_ok(), "{}", text());
    let (mut cache, mut plain) = (PairCache::default(), Workspace::baseline());
    let options = ImpactOptions::default();
    let scalar = time_of_impact_with(a, motion_a, b, motion_b, &options, &mut cache, &mut plain);
    assert_eq!(scalar, impact, "instruction sets\n{}", text());
    if let Ok(impact) = &impact {
        impact.verify(a, motion_a, b, motion_b).unwrap_or_else(|e| panic!("{e}\n{}", text()));
    }
    if (a, motion_a.start()) != (b, motion_b.start()) {
        let exchanged = time_of_impact(b, motion_b, a, motion_a);
        assert_eq!(exchanged.is_ok(), impact.is_ok(), "{}", text());
        if let (Ok(one), Ok(other)) = (&impact, &exchanged) {
            assert_eq!(
                (one.time.value, one.time.lower, one.time.upper, one.gap),
                (other.time.value, other.time.lower, other.time.upper, other.gap)
            );
            assert_eq!(
                (one.witness.a.point, one.witness.b.point),
                (other.witness.b.point, other.witness.a.point),
                "{}",
                text()
            );
            assert_eq!(
                (one.witness.a.part, one.witness.b.part),
                (other.witness.b.part, other.witness.a.part),
                "{}",
                text()
            );
            assert_eq!(one.normal, other.normal.map(|n| -n), "{}", text());
        }
    }
    impact.ok()
}

#[test]
fn every_kind_of_body_meets_every_other_and_verifies() {
    let cases: u64 = std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let (mut touched, mut near, mut started, mut clear) = (0, 0, 0, 0);
    for kind_a in 0..6 {
        for kind_b in 0..KINDS {
            for seed in 0..cases {
                let mut random = Random::new(seed + 1000 * (kind_a * KINDS + kind_b));
                let (a, b) = (body_of(kind_a, &mut random), body_of(kind_b, &mut random));
                let mut pose = |at: DVec3| {
                    let axis = DVec3::from_array(random.direction());
                    Pose::from_axis_angle(axis, random.uniform(0.0, 3.0), at).unwrap()
                };
                let from = DVec3::new(5.0, 1.0, -0.5) * if seed % 6 == 5 { 0.2 } else { 1.0 };
                let (pose_a, pose_b) = (pose(DVec3::ZERO), pose(from));
                let aim = DVec3::from_array(random.in_ball()) * 1.5;
                let way = (aim - from) * 1.5;
                let half = 0.5 * way;
                let (motion_a, motion_b) = if seed % 2 == 0 {
                    (Motion::still(pose_a), Motion::translation(pose_b, way).unwrap())
                } else {
                    (Motion::translation(pose_a, -half).unwrap(), Motion::translation(pose_b, half).unwrap())
                };
                match check_any(&format!("{kind_a} {kind_b} {seed}"), &a, &motion_a, &b, &motion_b) {
                    None => clear += 1,
                    Some(impact) if impact.started_overlapping => started += 1,
                    Some(impact) if impact.touches => touched += 1,
                    Some(impact) => {
                        // For a body known only by support points the gap is less accurate.
                        let custom = kind_a == 3 || kind_b == 3;
                        assert!(impact.gap < if custom { 1e-6 } else { 1e-13 }, "{kind_a} {kind_b} {seed} {impact:?}");
                        near += u32::from(!custom);
                    }
                }
            }
        }
    }
    println!("{touched} touch, {near} come near, {started} start in contact, {clear} are clear");
    assert!(touched > 10 * near && touched > 100 && clear > 20 && started > 20, "{touched} {near} {started} {clear}");
}

#[test]
fn curved_bodies_in_degenerate_motion() {
    let can = Shape::cylinder(1.0, 0.5).unwrap();
    let egg = Shape::ellipsoid(DVec3::new(1.0, 0.5, 0.25)).unwrap();
    let hat = Shape::cone(1.0, 0.5).unwrap();
    let (cube, ball) = (Shape::cuboid(DVec3::ONE).unwrap(), Shape::sphere(0.5).unwrap());
    let floor = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let check = |a: &Shape, ma: Motion, b: &Shape, mb: Motion| check_any("degenerate", a, &ma, b, &mb);
    // Cap on face, side on face, apex on face, all along z or x.
    for (body, height, side) in [(&can, 1.0, 0.5), (&egg, 0.25, 1.0), (&hat, 1.0, 0.5), (&ball, 0.5, 0.5)] {
        for (target, level) in [(&cube, 1.0), (&floor, 0.0)] {
            let above = |z: f64| at(0.125, 0.25, level + height + z);
            let impact = check(body, moving(above(3.0), 0.0, 0.0, -4.0), target, still()).unwrap();
            assert!(impact.touches && impact.time.lower <= 0.75 && 0.75 <= impact.time.upper, "{impact:?}");
            assert!(impact.time.upper - impact.time.lower < 1e-13, "{impact:?}");
            // In touch: along, away, into, at rest.
            for way in [DVec3::X, DVec3::Z, DVec3::NEG_Z, DVec3::ZERO] {
                let touching = check(body, moving(above(0.0), way.x, way.y, way.z), target, still());
                assert!(touching.is_some_and(|i| i.time.upper < 1e-13 && (i.touches || i.gap < 1e-13)), "{touching:?}");
            }
            // Clear of it, at rest and along it; deep inside.
            assert!(check(body, Motion::still(above(1e-6)), target, still()).is_none());
            assert!(check(body, moving(above(1e-6), 5.0, 1.0, 0.0), target, still()).is_none());
            let inside = check(body, moving(at(0.0, 0.0, level - 0.9), 5.0, 1.0, 0.0), target, still()).unwrap();
            assert!(inside.started_overlapping && inside.touches, "{inside:?}");
            // As far as contact, and a little farther.
            assert!(check(body, moving(above(2.0), 0.0, 0.0, -2.0), target, still()).is_some());
            assert!(check(body, moving(above(2.0), 0.0, 0.0, -2.0 - 1e-9), target, still()).unwrap().touches);
            assert!(check(body, moving(above(2.0), 0.0, 0.0, -2.0 + 1e-9), target, still()).is_none());
        }
        // Past the side of the box, in touch and not.
        let grazing = check(body, moving(at(1.0 + side, 0.0, -8.0), 0.0, 0.0, 16.0), &cube, still());
        assert!(grazing.is_none_or(|i| !i.touches && i.gap < 1e-13), "{grazing:?}");
        assert!(check(body, moving(at(1.0 + side + 1e-9, 0.0, -8.0), 0.0, 0.0, 16.0), &cube, still()).is_none());
        assert!(check(body, moving(at(1.0 + side - 1e-6, 0.0, -8.0), 0.0, 0.0, 16.0), &cube, still()).is_some());
        // Through a plate thinner than the step.
        let plate = Shape::cylinder(0.5e-6, 1.0).unwrap();
        let impact = check(body, moving(at(0.1, 0.2, -2.5e5), 0.0, 0.0, 1e6), &plate, still()).unwrap();
        assert!(impact.touches && (impact.time.value - 0.25).abs() < 1e-5, "{impact:?}");
    }
    // Sizes, and places far from the origin.
    for size in [4e-60, 1e-6, 1e6, 1e40] {
        let egg = Shape::ellipsoid(DVec3::new(1.0, 0.5, 0.25) * size).unwrap();
        let can = Shape::cylinder(size, 0.5 * size).unwrap();
        let flying = moving(at(-10.0 * size, 0.25 * size, 0.0), 16.0 * size, 0.0, 0.0);
        assert!(check(&egg, flying, &can, still()).unwrap().touches, "{size:e}");
    }
    let home = Motion::still(at(1e7, 1e7, -1e7));
    let impact = check(&egg, moving(at(1e7 - 10.0, 1e7 + 0.25, -1e7), 16.0, 0.0, 0.0), &can, home).unwrap();
    assert!(impact.touches && impact.time.upper - impact.time.lower < 1e-13, "{impact:?}");
    let needle = Shape::ellipsoid(DVec3::new(1e3, 1e-3, 1e-3)).unwrap();
    let impact = check(&needle, moving(at(-2e3, 0.0, 0.0), 2e3, 0.0, 0.0), &cube, still()).unwrap();
    assert!((impact.time.value - 0.4995).abs() < 1e-9, "{impact:?}");
    // Two half-spaces: face to face, and not quite.
    let roof = Shape::half_space(DVec3::NEG_Z, 0.0).unwrap();
    let fall = |z: f64, dx: f64| moving(at(0.0, 0.0, z), dx, 0.0, -4.0);
    let impact = check(&floor, still(), &roof, fall(3.0, 1.0)).unwrap();
    assert!(impact.touches && impact.time.lower <= 0.75 && 0.75 <= impact.time.upper, "{impact:?}");
    assert!(check(&floor, still(), &roof, fall(5.0, 1.0)).is_none());
    assert!(check(&floor, still(), &roof, fall(-1.0, 1.0)).unwrap().started_overlapping);
    let tilted = Shape::half_space(DVec3::new(1e-9, 0.0, -1.0), 0.0).unwrap();
    assert!(check(&floor, still(), &tilted, fall(3.0, 1.0)).unwrap().started_overlapping);
    // With a margin.
    let options = ImpactOptions { margin: 0.5, ..ImpactOptions::default() };
    for body in [&can, &egg, &hat] {
        for target in [&cube, &floor] {
            let flying = moving(at(0.0, 0.0, 6.0), 0.0, 0.0, -8.0);
            let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
            let impact = time_of_impact_with(body, &flying, target, &still(), &options, &mut cache, &mut workspace);
            let impact = impact.unwrap();
            impact.verify(body, &flying, target, &still()).unwrap_or_else(|e| panic!("{e}\n{impact:?}"));
            let bare = time_of_impact(body, &flying, target, &still()).unwrap();
            assert!(
                impact.touches && (bare.time.value - impact.time.value - 0.0625).abs() < 1e-13,
                "{impact:?}\n{bare:?}"
            );
        }
    }
}

/// On small integers nothing is rounded: the first contact of compounds is that of their parts, exactly.
#[test]
fn compounds_on_a_lattice_are_decided_exactly() {
    let cases: u64 = std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let (mut met, mut grazed, mut missed, mut started) = (0, 0, 0, 0);
    for seed in 0..10 * cases.max(6) {
        let mut random = Random::new(seed + 5000);
        let mut whole = |size: i64| std::array::from_fn(|_| random.integer(-size, size) as f64);
        // Parts, each a hull in a frame of its own.
        let mut bodies = |count: usize, place: [f64; 3]| -> Vec<OracleBody> {
            let mut part = |k: usize| OracleBody::hull((0..2 + k % 5).map(|_| whole(3)).collect()).translated(whole(3));
            (0..count)
                .map(|k| {
                    let body = part(k);
                    let t = body.translation;
                    OracleBody { translation: std::array::from_fn(|j| t[j] + place[j]), ..body }
                })
                .collect()
        };
        let place = [3.0 + 2.0 * (seed % 7) as f64, (seed % 3) as f64, -1.0];
        let (parts_a, parts_b) = (bodies(1 + seed as usize % 5, [0.0; 3]), bodies(1 + seed as usize % 3, place));
        let way: [f64; 3] = [-18.0, (seed % 5) as f64 - 2.0, (seed % 4) as f64];
        let compound = |parts: &[OracleBody]| {
            let parts = parts.iter().map(common::shape_and_pose).map(|(shape, pose)| (pose, shape));
            Shape::Compound(Compound::new(parts.collect()).unwrap())
        };
        let (a, b) = (compound(&parts_a), compound(&parts_b));
        let motion_b = Motion::translation(Pose::IDENTITY, DVec3::from_array(way)).unwrap();
        let impact = check_any(&format!("lattice {seed}"), &a, &still(), &b, &motion_b);
        let movers = |parts: Vec<OracleBody>, way: [f64; 3]| -> Vec<Mover> {
            parts.into_iter().map(|body| Mover { body, way }).collect()
        };
        let (movers_a, movers_b) = (movers(parts_a, [0.0; 3]), movers(parts_b, way));
        let truths = |time: f64| -> Vec<Ordering> {
            movers_a.iter().flat_map(|a| movers_b.iter().map(move |b| swept_truth(a, b, time).sign())).collect()
        };
        let meets = truths(1.0).iter().any(|sign| sign.is_le());
        assert_eq!(impact.is_some(), meets, "{seed} {impact:?}");
        let Some(impact) = impact else {
            missed += 1;
            continue;
        };
        assert_eq!(impact.started_overlapping, truths(0.0).iter().any(|sign| sign.is_le()), "{seed} {impact:?}");
        if impact.time.lower > 0.0 {
            assert!(truths(impact.time.lower).iter().all(|sign| sign.is_ge()), "{seed} {impact:?}");
        }
        let named = (&movers_a[impact.witness.a.part as usize], &movers_b[impact.witness.b.part as usize]);
        if impact.started_overlapping {
            started += 1;
        } else if impact.touches {
            met += 1;
            assert_ne!(swept_truth(named.0, named.1, impact.time.upper).sign(), Ordering::Greater, "{seed} {impact:?}");
            assert!(impact.time.upper - impact.time.lower < 1e-12, "{seed} {impact:?}");
        } else {
            grazed += 1;
            assert_ne!(truth(named.0, named.1, impact.time.upper).compare(impact.gap), Ordering::Greater, "{impact:?}");
        }
    }
    println!("{met} meet, {grazed} graze, {missed} miss, {started} start in contact");
    assert!(met > 10 && missed > 2 && started > 2, "{met} {grazed} {missed} {started}");
}

/// Compounds of every kind of body, turned, against everything.
#[test]
fn compounds_of_every_kind_verify() {
    let cases: u64 = std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let (mut touched, mut near, mut started, mut clear) = (0, 0, 0, 0);
    for seed in 0..20 * cases {
        let mut random = Random::new(seed + 9000);
        let turned = |random: &mut Random, at: DVec3| {
            Pose::from_axis_angle(DVec3::from_array(random.direction()), random.uniform(0.0, 3.0), at).unwrap()
        };
        // Without custom bodies, whose contact is not proved.
        let kinds = [0, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13];
        let part = |random: &mut Random| {
            let place = DVec3::from_array(random.in_ball()) * 2.0;
            let kind = kinds[random.index(kinds.len())];
            (turned(random, place), body_of(kind, random))
        };
        let compound = |random: &mut Random, count: usize| {
            let parts = (0..count).map(|_| part(random)).collect();
            Shape::Compound(Compound::new(parts).unwrap())
        };
        let a = compound(&mut random, 1 + seed as usize % 6);
        let b = match seed % 4 {
            0 => compound(&mut random, 3),
            1 => body_of(5, &mut random),
            _ => part(&mut random).1,
        };
        let far = if seed % 5 == 4 { DVec3::new(1e7, -1e7, 1e7) } else { DVec3::ZERO };
        let from = DVec3::new(9.0, 1.0, -0.5);
        let way = (DVec3::from_array(random.in_ball()) * 2.0 - from) * 1.5;
        let (pose_a, pose_b) = (turned(&mut random, far), turned(&mut random, far + from));
        let motion_a = Motion::translation(pose_a, -0.25 * way).unwrap();
        let motion_b = Motion::translation(pose_b, 0.75 * way).unwrap();
        match check_any(&format!("parts {seed}"), &a, &motion_a, &b, &motion_b) {
            None => clear += 1,
            Some(impact) if impact.started_overlapping => started += 1,
            Some(impact) => {
                if impact.touches {
                    touched += 1;
                    assert!(impact.time.upper - impact.time.lower < 1e-11, "{seed} {impact:?}");
                } else {
                    near += 1;
                }
                // The two reported parts meet then, and no two meet before.
                let parts = |shape: &Shape| match shape {
                    Shape::Compound(compound) => compound.parts().to_vec(),
                    whole => vec![(Pose::IDENTITY, whole.clone())],
                };
                let posed = |motion: &Motion, own: &Pose| {
                    let start = motion.start();
                    let place = start.transform_point(own.translation());
                    let pose = Pose::new(start.rotation() * own.rotation(), place).unwrap();
                    Motion::translation(pose, motion.displacement()).unwrap()
                };
                let mut first = f64::INFINITY;
                for (own_a, part_a) in parts(&a) {
                    for (own_b, part_b) in parts(&b) {
                        let motions = (posed(&motion_a, &own_a), posed(&motion_b, &own_b));
                        if let Ok(one) = time_of_impact(&part_a, &motions.0, &part_b, &motions.1) {
                            first = first.min(one.time.value);
                        }
                    }
                }
                // Poses composed in the world are rounded to its coordinates.
                let tolerance = if far == DVec3::ZERO { 1e-11 } else { 1e-6 };
                assert!((first - impact.time.value).abs() < tolerance, "{seed} {first} {impact:?}");
            }
        }
    }
    println!("{touched} touch, {near} come near, {started} start in contact, {clear} are clear");
    assert!(touched > 40 && touched > 10 * near && clear > 5, "{touched} {near} {started} {clear}");
}

fn hills(columns: usize, rows: usize) -> HeightField {
    let height = |k: usize| ((k % columns) as f32 * 0.7).sin() + ((k / columns) as f32 * 0.4).cos();
    HeightField::new(columns, rows, DVec2::splat(0.5), (0..columns * rows).map(height).collect()).unwrap()
}

/// Bodies that come down on terrain meet the triangle that they would meet if it were alone.
#[test]
fn terrain_is_met_at_its_first_triangle() {
    let field = hills(12, 12);
    let ground = Shape::HeightField(field.clone());
    let tilted = Pose::from_axis_angle(DVec3::new(1.0, 0.3, 0.0), 0.4, DVec3::new(3.0, -2.0, 1.0)).unwrap();
    let bodies = [
        Shape::sphere(0.3).unwrap(),
        Shape::cuboid(DVec3::new(0.2, 0.3, 0.4)).unwrap(),
        Shape::cylinder(0.3, 0.2).unwrap(),
        Shape::capsule(0.5, 0.1).unwrap(),
        Shape::Compound(
            Compound::new(vec![
                (at(0.0, 0.0, 0.4), Shape::sphere(0.2).unwrap()),
                (at(0.3, 0.0, 0.0), Shape::cone(0.3, 0.2).unwrap()),
            ])
            .unwrap(),
        ),
    ];
    let mut touched = 0;
    for (k, body) in bodies.iter().enumerate() {
        for (x, y, dx, dy, dz) in [
            (2.0, 2.5, 0.0, 0.0, -7.0),
            (1.0, 4.0, 3.0, -2.0, -6.0),
            (0.5, 0.5, 4.0, 4.5, -6.0),
            (3.0, 3.0, 0.3, 0.1, -0.2),
        ] {
            for pose in [Pose::IDENTITY, tilted] {
                let start = pose.transform_point(DVec3::new(x, y, 3.5));
                let start = Pose::from_axis_angle(DVec3::new(0.2, 1.0, 0.5), 0.7, start).unwrap();
                let way = pose.transform_point(DVec3::new(dx, dy, dz)) - pose.translation();
                let (of_ground, of_body) = (0.25 * way, 1.25 * way);
                let motion_a = Motion::translation(pose, of_ground).unwrap();
                let motion_b = Motion::translation(start, of_body).unwrap();
                let impact = check_any(&format!("{k} {x} {y}"), &ground, &motion_a, body, &motion_b);
                let first = (0..field.triangle_count() as u32)
                    .filter_map(|index| {
                        let [p, q, r] = field.triangle(index).unwrap();
                        let triangle = Shape::triangle(p, q, r).unwrap();
                        time_of_impact(&triangle, &motion_a, body, &motion_b)
                            .ok()
                            .map(|impact| (impact.time.value, index))
                    })
                    .min_by(|p, q| p.0.total_cmp(&q.0));
                assert_eq!(impact.is_some(), first.is_some(), "{k} {x} {y}\n{impact:?} {first:?}");
                if let (Some(impact), Some(first)) = (impact, first) {
                    assert!(impact.touches && (impact.time.value - first.0).abs() < 1e-12, "{impact:?} {first:?}");
                    touched += 1;
                }
            }
        }
    }
    assert!(touched > 20, "{touched}");
    // Beside it and away, from below, into its side, and starting in it.
    let ball = &bodies[0];
    let ask = |start: Pose, way: DVec3| {
        check_any("ground", &ground, &still(), ball, &Motion::translation(start, way).unwrap())
    };
    assert!(ask(at(-2.0, 2.0, 0.0), DVec3::new(-5.0, 0.0, 0.0)).is_none());
    assert!(ask(at(-2.0, 2.0, 9.0), DVec3::new(15.0, 0.0, 0.0)).is_none());
    let side = ask(at(-2.0, 2.0, -9.0), DVec3::new(5.0, 0.0, 0.0)).unwrap();
    assert!(side.touches && (side.time.value - 0.34).abs() < 1e-12 && side.normal == Some(DVec3::NEG_X), "{side:?}");
    assert!(ask(at(2.0, 2.0, -9.0), DVec3::new(0.0, 0.0, 20.0)).unwrap().started_overlapping);
    // A plane that comes down on it.
    let roof = Shape::half_space(DVec3::NEG_Z, 0.0).unwrap();
    let impact = check_any("roof", &ground, &still(), &roof, &moving(at(0.0, 0.0, 4.0), 1.0, 0.0, -4.0)).unwrap();
    let top = field.surface_bounds().max.z;
    assert!(impact.touches && (impact.time.value - (4.0 - top) / 4.0).abs() < 1e-13, "{impact:?}");
}

/// A million cells: only those on the path are examined.
#[test]
fn a_small_body_over_a_million_cells() {
    let ground = Shape::HeightField(hills(1001, 1001));
    let ball = Shape::sphere(0.3).unwrap();
    let begun = std::time::Instant::now();
    let mut touched = 0;
    for k in 0..20 {
        let x = 10.0 + 23.0 * f64::from(k);
        let falling = moving(at(x, 250.0 - 0.3 * x, 8.0), 1.0, 0.5, -9.0);
        let impact = time_of_impact(&ground, &still(), &ball, &falling).unwrap();
        impact.verify(&ground, &still(), &ball, &falling).unwrap_or_else(|e| panic!("{e}\n{impact:?}"));
        assert!(impact.touches && impact.time.value > 0.5 && impact.time.value < 1.0, "{impact:?}");
        let (Shape::HeightField(field), place) = (&ground, falling.at(impact.time.value).translation()) else {
            panic!()
        };
        let below = field.height_at(place.x, place.y).unwrap();
        assert!(place.z > below.height.lower && place.z - below.height.upper < 0.6, "{impact:?}");
        touched += 1;
    }
    // Level over all of it, corner to corner, and one that comes down only at the end.
    let across = moving(at(1.0, 1.0, 3.0), 498.0, 498.0, 0.0);
    assert!(time_of_impact(&ground, &still(), &ball, &across).is_err());
    let landing = moving(at(1.0, 1.0, 500.0), 498.0, 498.0, -500.0);
    let impact = time_of_impact(&ground, &still(), &ball, &landing).unwrap();
    assert!(impact.touches && impact.time.value > 0.99, "{impact:?}");
    println!("{touched} landings and two flights across in {:?}", begun.elapsed());
}

#[test]
fn parts_with_a_margin_and_by_every_algorithm() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let tower: Vec<_> = (0..6).map(|k| (at(0.0, 0.1 * f64::from(k), 1.1 * f64::from(k)), cube.clone())).collect();
    let tower = Shape::Compound(Compound::new(tower).unwrap());
    let ground = Shape::HeightField(hills(12, 12));
    let can = Shape::cylinder(0.3, 0.2).unwrap();
    for (a, b, flying) in [
        (&tower, &cube, moving(at(-7.0, 0.2, 3.4), 8.0, 0.0, 0.0)),
        (&tower, &can, moving(at(0.0, 0.3, 12.0), 0.0, 0.0, -7.0)),
        (&ground, &cube, moving(at(2.0, 2.5, 7.0), 1.0, 0.5, -9.0)),
        (&ground, &tower, moving(at(2.0, 2.5, 7.0), 1.0, 0.5, -9.0)),
    ] {
        let mut last = f64::INFINITY;
        for margin in [0.0, 0.25, 1.0] {
            let answers = ALGORITHMS.map(|algorithm| {
                let options = ImpactOptions { algorithm, margin, ..ImpactOptions::default() };
                let (mut cache, mut workspace) = (PairCache::default(), Workspace::baseline());
                let impact = time_of_impact_with(a, &still(), b, &flying, &options, &mut cache, &mut workspace);
                let impact = impact.unwrap();
                impact.verify(a, &still(), b, &flying).unwrap_or_else(|e| panic!("{e}\n{impact:?}"));
                let sweep = SweepOptions { margin, ..SweepOptions::default() };
                assert!(sweeps_meet_with(a, &still(), b, &flying, &sweep, &mut cache, &mut workspace));
                impact
            });
            for answer in &answers {
                assert!(answer.touches && (answer.time.value - answers[0].time.value).abs() < 1e-12, "{answers:?}");
            }
            assert!(answers[0].time.value < last, "{margin} {answers:?}");
            last = answers[0].time.value;
        }
    }
}

#[test]
fn parts_and_terrain_in_degenerate_motion() {
    let check = |a: &Shape, ma: Motion, b: &Shape, mb: Motion| check_any("degenerate", a, &ma, b, &mb);
    for (size, far) in [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0), (1e-58, 0.0), (1.0, 1e7)] {
        let place = |x: f64, y: f64, z: f64| at(far + x * size, far + y * size, z * size - far);
        let go = |start: Pose, x: f64, y: f64, z: f64| moving(start, x * size, y * size, z * size);
        let cube = Shape::cuboid(DVec3::splat(size)).unwrap();
        // Parts side by side, one twice: a body that comes down flat meets several at once.
        let own = |x: f64| at(x * size, 0.0, 0.0);
        let row = vec![
            (own(0.0), cube.clone()),
            (own(2.0), cube.clone()),
            (own(2.0), cube.clone()),
            (own(4.0), cube.clone()),
        ];
        let row = Shape::Compound(Compound::new(row).unwrap());
        let flat =
            if size == 1.0 { vec![Shape::height_field(9, 9, DVec2::ONE, vec![1.0; 81]).unwrap()] } else { Vec::new() };
        for (target, x) in [(&row, 1.0)].into_iter().chain(flat.iter().map(|field| (field, 3.5))) {
            let home = Motion::still(place(0.0, 0.0, 0.0));
            let impact = check(target, home, &cube, go(place(x, 0.25, 5.0), 0.0, 0.0, -4.0)).unwrap();
            assert!(impact.touches && (impact.time.value - 0.75).abs() < 1e-13, "{impact:?}");
            assert_eq!(impact.normal, Some(DVec3::Z));
            for body in [&row, &cube] {
                // In touch: along, away, into, at rest. A last digit above: none, unless it comes down.
                for way in [DVec3::X, DVec3::Z, DVec3::NEG_Z, DVec3::ZERO] {
                    let touching = check(target, home, body, go(place(x, 0.25, 2.0), way.x, way.y, way.z)).unwrap();
                    assert!(touching.started_overlapping && touching.gap < 1e-13 * size, "{touching:?}");
                }
                // Prisms are placed relative to the middle of all of them, which costs a digit.
                let above = match target {
                    Shape::HeightField(_) => 2.0 + 1e-12,
                    _ => 2.0f64.next_up(),
                };
                let above = if far == 0.0 { above } else { 2.0 + 1e-8 };
                for way in [DVec3::X, DVec3::Z, DVec3::ZERO] {
                    let clear = check(target, home, body, go(place(x, 0.25, above), way.x, way.y, way.z));
                    assert!(clear.is_none(), "{clear:?}");
                }
                assert!(check(target, home, body, go(place(x, 0.25, above), 1.0, 0.0, -1.0)).is_some());
                // Deep inside.
                let inside = check(target, home, body, go(place(x, 0.25, 0.5), 9.0, 0.0, 0.0)).unwrap();
                assert!(inside.started_overlapping && inside.touches, "{inside:?}");
            }
            // As far as contact, and not as far.
            let just = if size == 1.0 && far == 0.0 { -1.0 } else { -1.0 - 1e-9 };
            assert!(check(target, home, &cube, go(place(x, 0.25, 3.0), 0.0, 0.0, just)).is_some());
            assert!(check(target, home, &cube, go(place(x, 0.25, 3.0), 0.0, 0.0, -1.0 + 1e-7)).is_none());
        }
    }
    // Thin plates, one behind the other, hit at a thousand times their distance in one step.
    let plate = Shape::cuboid(DVec3::new(1.0, 1.0, 0.5e-6)).unwrap();
    let plates = (0..100).map(|k| (at(0.0, 0.0, f64::from(k)), plate.clone())).collect();
    let stack = Shape::Compound(Compound::new(plates).unwrap());
    let ball = Shape::sphere(1e-3).unwrap();
    let impact = check(&stack, still(), &ball, moving(at(0.1, 0.2, -2.5e5), 0.0, 0.0, 1e6)).unwrap();
    assert!(impact.touches && impact.witness.a.part == 0 && (impact.time.value - 0.25).abs() < 1e-8, "{impact:?}");
    let impact = check(&stack, still(), &ball, moving(at(0.1, 0.2, 50.5), 0.0, 0.0, 1e6)).unwrap();
    assert!(impact.touches && impact.witness.a.part == 51, "{impact:?}");
    let impact = check(&stack, still(), &ball, moving(at(0.1, 0.2, 50.5), 0.0, 0.0, -1e6)).unwrap();
    assert!(impact.touches && impact.witness.a.part == 50, "{impact:?}");
    assert!(check(&stack, still(), &ball, moving(at(0.1, 0.2, 50.5), 0.0, 0.0, 0.25)).is_none());
    assert!(check(&stack, still(), &ball, moving(at(3.0, 0.2, -5.0), 0.0, 0.0, 1e6)).is_none());
}

/// Curved bodies up to a million times longer than thick, tiny beside huge, far from the origin, on fast and slow
/// courses.
#[test]
fn extreme_curved_bodies_verify() {
    let cases: u64 = std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let (mut touched, mut near, mut clear) = (0, 0, 0);
    for seed in 0..40 * cases {
        let mut random = Random::new(seed + 70_000);
        let body = |random: &mut Random| {
            let scale = random.scale(-6, 6);
            let mut size = || scale * 10f64.powf(random.uniform(-3.0, 3.0));
            let sizes = DVec3::new(size(), size(), size());
            match random.index(7) {
                0 => Shape::cylinder(sizes.x, sizes.y),
                1 => Shape::cone(sizes.x, sizes.y),
                2 => Shape::ellipsoid(sizes),
                3 => Shape::rounded(Shape::cylinder(sizes.x, sizes.y).unwrap(), sizes.z),
                4 => Shape::cuboid(sizes),
                5 => Shape::capsule(sizes.x, sizes.y),
                _ => Shape::half_space(DVec3::from_array(random.direction()), 0.0),
            }
            .unwrap()
        };
        let (a, b) = (body(&mut random), body(&mut random));
        let size = |shape: &Shape| if shape.diameter().is_finite() { shape.diameter() } else { 1.0 };
        let length = size(&a) + size(&b);
        let far = if seed % 3 == 0 { DVec3::from_array(random.in_cube(1e7 * length)) } else { DVec3::ZERO };
        let turned = |random: &mut Random, at: DVec3| {
            Pose::from_axis_angle(DVec3::from_array(random.direction()), random.uniform(0.0, 3.0), at).unwrap()
        };
        let from = DVec3::from_array(random.direction()) * length * random.uniform(0.8, 3.0);
        let (pose_a, pose_b) = (turned(&mut random, far), turned(&mut random, far + from));
        let aim = DVec3::from_array(random.in_ball()) * 0.5 * size(&a).min(size(&b));
        let way = (aim - from) * [1.1, 3.0, 1e4, 0.5][seed as usize % 4];
        let motion_b = Motion::translation(pose_b, way).unwrap();
        match check_any(&format!("extreme {seed}"), &a, &Motion::still(pose_a), &b, &motion_b) {
            None => clear += 1,
            Some(impact) if impact.touches => touched += 1,
            Some(_) => near += 1,
        }
    }
    println!("{touched} touch, {near} come near, {clear} are clear");
    assert!(touched > 5 * near && clear > 10, "{touched} {near} {clear}");
}

#[test]
fn margins_and_tolerances_of_any_size_are_harmless() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let row = Compound::new(vec![(at(0.0, 0.0, 0.0), cube.clone()), (at(2.0, 0.0, 0.0), cube.clone())]).unwrap();
    let bodies = [
        cube.clone(),
        Shape::sphere(0.5).unwrap(),
        Shape::cylinder(0.5, 0.3).unwrap(),
        Shape::half_space(DVec3::Z, -3.0).unwrap(),
        Shape::Compound(row),
        Shape::HeightField(hills(6, 6)),
    ];
    for a in &bodies {
        for b in [&bodies[0], &bodies[1], &bodies[2], &bodies[4]] {
            for flying in [moving(at(1.0, 1.0, 9.0), 0.5, 0.0, -12.0), Motion::still(at(1.0, 1.0, 9.0))] {
                for margin in [f64::NAN, -1.0, 1e-300, 1e30, 1e200, f64::MAX, f64::INFINITY] {
                    for tolerance in [0.0, f64::NAN, f64::INFINITY] {
                        for algorithm in ALGORITHMS {
                            let options = ImpactOptions { algorithm, tolerance, margin };
                            let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
                            let impact =
                                time_of_impact_with(a, &still(), b, &flying, &options, &mut cache, &mut workspace);
                            let sweep = SweepOptions { margin, ..SweepOptions::default() };
                            let meets = sweeps_meet_with(a, &still(), b, &flying, &sweep, &mut cache, &mut workspace);
                            if margin > 1e20 {
                                let started = impact.is_ok_and(|impact| impact.started_overlapping);
                                assert!(meets && started, "{margin:e} {impact:?}");
                            }
                            if let Some(impact) = impact.ok().filter(|_| tolerance != f64::INFINITY) {
                                let verdict = impact.verify(a, &still(), b, &flying);
                                assert_eq!(verdict, Ok(()), "{margin:e} {tolerance:e} {impact:?}\n{a:?}\n{b:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}
