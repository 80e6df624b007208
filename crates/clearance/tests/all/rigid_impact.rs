//! Rotating bodies: enclosures of motions against the motions; first contacts against formulas, dense sampling and the
//! other algorithm; `verify` on every answer.

use std::f64::consts::{FRAC_PI_2, PI};

use clearance::answer::RigidImpact;
use clearance::glam::{DQuat, DVec2, DVec3};
use clearance::math::{Interval, IntervalVec3};
use clearance::motion::Profile;
use clearance::query::{LeastClearanceOptions, RigidAlgorithm, RigidOptions, least_clearance_with, rigid_impact_with};
use clearance::{Motion, Pose, RigidMotion, Shape, Workspace, distance, intersects, rigid_impact, time_of_impact};
use clearance_oracle::random::Random;
use proptest::prelude::*;

pub fn vector(random: &mut Random, size: f64) -> DVec3 {
    DVec3::new(random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size))
}

pub fn pose(random: &mut Random, size: f64) -> Pose {
    let turn = DQuat::from_array([(); 4].map(|()| random.uniform(-1.0, 1.0))).normalize();
    Pose::from_quat(turn, vector(random, size)).unwrap()
}

#[derive(Debug)]
pub struct Smooth;

impl Profile for Smooth {
    fn value(&self, t: Interval) -> Interval {
        t.square() * (Interval::point(3.0) - Interval::point(2.0) * t)
    }
    fn slope(&self, t: Interval) -> Interval {
        Interval::point(6.0) * t * (Interval::ONE - t)
    }
}

/// One motion of each kind.
pub fn motions(random: &mut Random) -> Vec<RigidMotion> {
    let (start, end) = (pose(random, 3.0), pose(random, 3.0));
    let (way, axis) = (vector(random, 5.0), vector(random, 1.0));
    let angle = random.uniform(-20.0, 20.0);
    let screw = RigidMotion::screw(start, way, axis, angle, 2.0).unwrap();
    vec![
        RigidMotion::still(start),
        Motion::translation(start, way).unwrap().into(),
        RigidMotion::turning(start, way, axis, angle).unwrap(),
        RigidMotion::turning_about(start, vector(random, 2.0), way, axis, angle).unwrap(),
        RigidMotion::between(start, end).unwrap(),
        RigidMotion::screw_between(start, end).unwrap(),
        RigidMotion::screw_of_velocities(start, way, axis * 3.0).unwrap(),
        screw.with_profiles(Smooth, Smooth).unwrap(),
        screw,
        RigidMotion::polynomial(start, &[way, axis, -way], axis, &[1.0, -3.0]).unwrap(),
    ]
}

#[test]
fn frames_and_twists_enclose_the_motion() {
    let mut random = Random::new(1);
    for _ in 0..40 {
        for motion in motions(&mut random) {
            let (from, length) = (random.uniform(0.0, 0.9), random.uniform(1e-6, 0.1));
            let span = Interval::new(from, from + length);
            let (frame, twist) = (motion.frame(span), motion.twist(span));
            let point = vector(&mut random, 2.0);
            let seen = |t: f64| motion.at(t).transform_point(point);
            let enclosure = frame.rotation * IntervalVec3::from(point) + frame.translation;
            let slack = IntervalVec3::new(
                Interval::new(-1e-12, 1e-12),
                Interval::new(-1e-12, 1e-12),
                Interval::new(-1e-12, 1e-12),
            );
            for k in 0..=8 {
                let t = from + length * f64::from(k) / 8.0;
                assert!((enclosure + slack).contains(seen(t)), "{motion:?} at {t}");
            }
            // The mean velocity over the span is one of the enclosed velocities.
            let arm = frame.rotation * IntervalVec3::from(point);
            let velocity = twist.linear + twist.angular.cross(arm);
            let mean = (seen(from + length) - seen(from)) / length;
            let rounding = 1e-13 / length;
            let off = Interval::new(-rounding, rounding);
            assert!((velocity + IntervalVec3::new(off, off, off)).contains(mean), "{motion:?} {velocity:?} {mean}");
        }
    }
}

#[test]
fn motions_between_poses_end_there() {
    let mut random = Random::new(2);
    for _ in 0..200 {
        let (start, end) = (pose(&mut random, 3.0), pose(&mut random, 3.0));
        let point = vector(&mut random, 1.0);
        for motion in [RigidMotion::between(start, end).unwrap(), RigidMotion::screw_between(start, end).unwrap()] {
            assert!((motion.at(0.0).transform_point(point) - start.transform_point(point)).length() < 1e-14);
            assert!((motion.at(1.0).transform_point(point) - end.transform_point(point)).length() < 1e-12);
        }
        let half = start.interpolate(&end, 0.5).unwrap().transform_point(point);
        let screw = RigidMotion::screw_between(start, end).unwrap().at(0.5).transform_point(point);
        assert!((half - screw).length() < 1e-12);
    }
    // Almost no rotation: the axis of the screw is far away, and the motion keeps its digits.
    let end = Pose::from_axis_angle(DVec3::Z, 1e-13, DVec3::X).unwrap();
    let screw = RigidMotion::screw_between(Pose::IDENTITY, end).unwrap();
    assert!((screw.at(0.5).translation() - DVec3::new(0.5, 0.0, 0.0)).length() < 1e-13);
    let frame = screw.frame(Interval::point(0.5)).translation;
    assert!(frame.x.width() < 1e-14 && frame.y.width() < 1e-14);
}

/// The answers of both algorithms, each verified.
pub fn ask(a: &Shape, motion_a: &RigidMotion, b: &Shape, motion_b: &RigidMotion) -> Option<RigidImpact> {
    let mut workspace = Workspace::default();
    let answers = [RigidAlgorithm::Hierarchies, RigidAlgorithm::Advancement].map(|algorithm| {
        let options = RigidOptions { algorithm, ..RigidOptions::default() };
        let impact = rigid_impact_with(a, motion_a, b, motion_b, &options, &mut workspace);
        match &impact {
            Ok(impact) => impact.verify(a, motion_a, b, motion_b),
            Err(none) => none.verify(a, motion_a, b, motion_b),
        }
        .unwrap_or_else(|e| panic!("{e:?} {impact:?}"));
        impact
    });
    if let [Ok(first), Ok(second)] = &answers {
        assert!(first.time.lower <= second.time.upper && second.time.lower <= first.time.upper, "{first:?} {second:?}");
    }
    assert_eq!(answers[0].is_ok(), answers[1].is_ok(), "{answers:?}");
    answers[0].ok()
}

/// A torus about the z axis.
fn torus(large: f64, small: f64, around: usize, across: usize) -> Shape {
    let turn = |k: usize, n: usize| 2.0 * PI * k as f64 / n as f64;
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (turn(i, around), turn(j, across));
            let r = large + small * v.cos();
            points.push([r * u.cos(), r * u.sin(), small * v.sin()]);
            let at = |i: usize, j: usize| ((i % around) * across + j % across) as u32;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Shape::mesh(&points, &triangles).unwrap()
}

#[test]
fn a_spinning_bar_meets_a_ball_when_the_formula_says() {
    let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1)).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let waiting = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0)).unwrap());
    for turns in [0.25, 0.3, 1.0, 17.0] {
        let angle = 2.0 * PI * turns;
        let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z * 3.0, angle).unwrap();
        let truth = (FRAC_PI_2 - 0.4f64.asin()) / angle;
        let impact = ask(&bar, &spinning, &ball, &waiting).unwrap();
        assert!(impact.touches && impact.time.lower <= truth && truth <= impact.time.upper, "{impact:?} {truth}");
        assert!(impact.time.upper - impact.time.lower < 1e-9, "{impact:?}");
        let mirrored = ask(&ball, &waiting, &bar, &spinning).unwrap();
        assert!(mirrored.time.lower <= truth && truth <= mirrored.time.upper);
    }
    // Too short to reach.
    let short = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 1.1).unwrap();
    assert!(ask(&bar, &short, &ball, &waiting).is_none());
}

#[test]
fn a_bullet_does_not_pass_a_thin_plate() {
    let mut random = Random::new(3);
    let plate = Shape::cuboid(DVec3::new(5.0, 5.0, 5e-5)).unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    let bullet = Shape::capsule(0.02, 0.004).unwrap();
    for _ in 0..20 {
        let (x, y) = (random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
        let start = Pose::from_translation(DVec3::new(x, y, 50.0)).unwrap();
        let motion = RigidMotion::turning(start, DVec3::new(0.3, 0.2, -100.0), vector(&mut random, 1.0), 40.0).unwrap();
        let impact = ask(&bullet, &motion, &plate, &still).unwrap();
        assert!(impact.touches && impact.time.lower > 0.49 && impact.time.upper < 0.51, "{impact:?}");
    }
}

#[test]
fn translations_are_answered_as_by_time_of_impact() {
    let mut random = Random::new(4);
    let shapes = [
        Shape::sphere(0.7).unwrap(),
        Shape::cuboid(DVec3::new(0.5, 1.0, 0.3)).unwrap(),
        Shape::capsule(0.8, 0.2).unwrap(),
        Shape::cylinder(0.5, 0.5).unwrap(),
        Shape::cone(0.5, 0.5).unwrap(),
        Shape::half_space(DVec3::Z, -4.0).unwrap(),
        Shape::compound(vec![
            (Pose::from_translation(DVec3::X).unwrap(), Shape::sphere(0.3).unwrap()),
            (Pose::IDENTITY, Shape::cuboid(DVec3::splat(0.2)).unwrap()),
        ])
        .unwrap(),
    ];
    let mut met = 0;
    for a in &shapes {
        for b in &shapes[..5] {
            let motion_a = Motion::translation(pose(&mut random, 1.0), vector(&mut random, 3.0)).unwrap();
            let start = pose(&mut random, 1.0);
            let start = Pose::new(start.rotation(), start.translation() + DVec3::X * 5.0).unwrap();
            let motion_b = Motion::translation(start, DVec3::X * -9.0 + vector(&mut random, 1.0)).unwrap();
            let truth = time_of_impact(a, &motion_a, b, &motion_b);
            let ours = ask(a, &motion_a.into(), b, &motion_b.into());
            assert_eq!(truth.is_ok(), ours.is_some());
            if let (Ok(truth), Some(ours)) = (truth, ours) {
                met += 1;
                assert!(
                    ours.time.lower <= truth.time.upper && truth.time.lower <= ours.time.upper,
                    "{ours:?} {truth:?}"
                );
            }
        }
    }
    assert!(met > 10, "{met}");
}

#[test]
fn tumbling_tori_are_caught_before_sampling_sees_them() {
    for seed in 5..=8 {
        tori_are_caught(Random::new(seed));
    }
}

fn tori_are_caught(mut random: Random) {
    let (a, b) = (torus(1.0, 0.25, 24, 10), torus(0.8, 0.2, 20, 10));
    let (mut hits, mut free) = (0, 0);
    for _ in 0..16 {
        let start_b = Pose::from_quat(
            DQuat::from_array([(); 4].map(|()| random.uniform(-1.0, 1.0))).normalize(),
            DVec3::new(4.0, 0.0, 0.0) + vector(&mut random, 1.0),
        )
        .unwrap();
        let motion_a =
            RigidMotion::turning(pose(&mut random, 0.2), vector(&mut random, 0.5), vector(&mut random, 1.0), 4.0)
                .unwrap();
        let motion_b =
            RigidMotion::turning(start_b, DVec3::X * -4.0 + vector(&mut random, 2.0), vector(&mut random, 1.0), 5.0)
                .unwrap();
        let impact = ask(&a, &motion_a, &b, &motion_b);
        let seen =
            (0..=400).map(|k| f64::from(k) / 400.0).find(|&t| intersects(&a, &motion_a.at(t), &b, &motion_b.at(t)));
        match impact {
            Some(impact) => {
                hits += 1;
                assert!(seen.is_none_or(|seen| impact.time.lower <= seen), "{impact:?} {seen:?}");
                assert!(impact.touches && impact.time.upper - impact.time.lower < 1e-6, "{impact:?}");
                let gap = distance(&a, &impact.pose_a, &b, &impact.pose_b);
                assert!(gap.gap.lower < 1e-9, "{gap:?}");
            }
            None => {
                free += 1;
                assert!(seen.is_none());
                let mut workspace = Workspace::default();
                let options = LeastClearanceOptions { relative_tolerance: 0.05, ..Default::default() };
                let least = least_clearance_with(&a, &motion_a, &b, &motion_b, &options, &mut workspace).unwrap();
                least.verify(&a, &motion_a, &b, &motion_b).unwrap_or_else(|e| panic!("{e:?} {least:?}"));
                let sampled = (0..=100)
                    .map(|k| f64::from(k) / 100.0)
                    .map(|t| distance(&a, &motion_a.at(t), &b, &motion_b.at(t)).gap.lower)
                    .fold(f64::INFINITY, f64::min);
                assert!(
                    least.gap.lower <= sampled && least.gap.upper - least.gap.lower <= 0.051 * least.gap.upper,
                    "{least:?} {sampled}"
                );
            }
        }
    }
    assert!(hits > 3 && free > 1, "{hits} {free}");
}

#[test]
fn a_peg_passes_a_hole_that_it_fits() {
    // A plate of four bars around a square hole of side 2, and a square peg on a screw motion.
    let bar = |x: f64, y: f64, half: DVec3| {
        (Pose::from_translation(DVec3::new(x, y, 0.0)).unwrap(), Shape::cuboid(half).unwrap())
    };
    let plate = Shape::compound(vec![
        bar(2.0, 0.0, DVec3::new(1.0, 3.0, 0.2)),
        bar(-2.0, 0.0, DVec3::new(1.0, 3.0, 0.2)),
        bar(0.0, 2.0, DVec3::new(1.0, 1.0, 0.2)),
        bar(0.0, -2.0, DVec3::new(1.0, 1.0, 0.2)),
    ])
    .unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    let above = Pose::from_translation(DVec3::new(0.0, 0.0, 3.0)).unwrap();
    let peg = Shape::cuboid(DVec3::new(0.99, 0.99, 1.0)).unwrap();
    let straight = RigidMotion::turning(above, DVec3::Z * -6.0, DVec3::Z, 0.0).unwrap();
    assert!(ask(&peg, &straight, &plate, &still).is_none());
    let turned = RigidMotion::screw(above, DVec3::ZERO, DVec3::Z, 0.5, -6.0).unwrap();
    let impact = ask(&peg, &turned, &plate, &still).unwrap();
    assert!(impact.touches && impact.time.value > 0.2 && impact.time.value < 0.5, "{impact:?}");
    let slim = Shape::cuboid(DVec3::new(0.7, 0.7, 1.0)).unwrap();
    assert!(
        ask(&slim, &RigidMotion::screw(above, DVec3::ZERO, DVec3::Z, 7.0, -6.0).unwrap(), &plate, &still).is_none()
    );
}

#[test]
fn a_wheel_rolls_into_the_ground() {
    let heights: Vec<f32> = (0..40 * 40).map(|k| if k % 40 < 30 { 0.0 } else { 0.5 * (k % 40 - 29) as f32 }).collect();
    let field = Shape::height_field(40, 40, DVec2::ONE, heights).unwrap();
    let wheel = Shape::cylinder(0.2, 0.75).unwrap();
    let upright = Pose::from_axis_angle(DVec3::X, FRAC_PI_2, DVec3::new(5.0, 20.0, 0.8)).unwrap();
    let rolling = RigidMotion::turning(upright, DVec3::X * 30.0, DVec3::Y, 40.0).unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    let impact = ask(&field, &still, &wheel, &rolling).unwrap();
    let seen = (0..=3000)
        .map(|k| f64::from(k) / 3000.0)
        .find(|&t| intersects(&field, &Pose::IDENTITY, &wheel, &rolling.at(t)))
        .unwrap();
    assert!(impact.time.lower <= seen && seen - impact.time.lower < 1e-3, "{impact:?} {seen}");
}

#[test]
fn contact_at_the_start_is_reported() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    let leaving =
        RigidMotion::turning(Pose::from_translation(DVec3::X).unwrap(), DVec3::X * 9.0, DVec3::Z, 1.0).unwrap();
    let impact = ask(&cube, &still, &cube, &leaving).unwrap();
    assert!(impact.started_overlapping && impact.time.upper == 0.0 && impact.normal.is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Swapped bodies, and a common motion of both, change nothing.
    #[test]
    fn a_common_motion_changes_nothing(seed in 0u64..1000) {
        let mut random = Random::new(seed);
        let a = Shape::cuboid(DVec3::new(0.4, 1.5, 0.2)).unwrap();
        let b = Shape::cylinder(0.6, 0.3).unwrap();
        let start = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0)).unwrap();
        let (way, axis, angle) = (DVec3::X * -4.0 + vector(&mut random, 1.0), vector(&mut random, 1.0), 3.0);
        let motion = RigidMotion::turning(start, way, axis, angle).unwrap();
        let impact = rigid_impact(&a, &RigidMotion::still(Pose::IDENTITY), &b, &motion);
        let shift = vector(&mut random, 50.0);
        let carried_a: RigidMotion = Motion::translation(Pose::IDENTITY, shift).unwrap().into();
        let carried_b = RigidMotion::turning(start, way + shift, axis, angle).unwrap();
        let carried = rigid_impact(&a, &carried_a, &b, &carried_b);
        prop_assert_eq!(impact.is_ok(), carried.is_ok());
        if let (Ok(first), Ok(second)) = (impact, carried) {
            prop_assert!((first.time.value - second.time.value).abs() < 1e-9, "{:?} {:?}", first, second);
            let swapped = rigid_impact(&b, &motion, &a, &RigidMotion::still(Pose::IDENTITY)).unwrap();
            prop_assert!((first.time.value - swapped.time.value).abs() < 1e-9);
        }
    }
}
