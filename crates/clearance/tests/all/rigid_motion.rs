//! In-between motions: bounds of points and overlap tests against samples, first contacts at known times of motions
//! with varying speeds, options, and unbounded bodies.

use std::f64::consts::{FRAC_PI_2, PI};

use clearance::QueryError;
use clearance::answer::{LeastClearance, NoImpact, RigidImpact};
use clearance::glam::{DVec2, DVec3};
use clearance::math::{Interval, IntervalMat3, IntervalVec3};
use clearance::motion::{InBetween, MovingFrame, Profile, Twist};
use clearance::query::{RigidAlgorithm, RigidOptions, rigid_impact_with};
use clearance::shape::Aabb;
use clearance::{Pose, RigidMotion, Shape, Workspace, distance, least_clearance, rigid_impact};
use clearance_oracle::random::Random;

use crate::rigid_impact::{Smooth, ask, motions, vector};

/// Up along z and down again, without rotation.
#[derive(Debug)]
struct Hop {
    start: DVec3,
    height: f64,
}

impl InBetween for Hop {
    fn frame(&self, time: Interval) -> MovingFrame {
        let up = Interval::point(self.height) * (Interval::PI * time).sin();
        MovingFrame {
            rotation: IntervalMat3::from_axis_angle(DVec3::Z, Interval::ZERO),
            translation: IntervalVec3::from(self.start) + IntervalVec3::from(DVec3::Z).scale(up),
        }
    }
    fn twist(&self, time: Interval) -> Twist {
        let speed = Interval::point(self.height) * Interval::PI * (Interval::PI * time).cos();
        Twist { linear: IntervalVec3::from(DVec3::Z).scale(speed), angular: IntervalVec3::from(DVec3::ZERO) }
    }
}

/// `t²`.
#[derive(Debug)]
struct Square;

impl Profile for Square {
    fn value(&self, t: Interval) -> Interval {
        t.square()
    }
    fn slope(&self, t: Interval) -> Interval {
        Interval::point(2.0) * t
    }
}

fn all_motions(random: &mut Random) -> Vec<RigidMotion> {
    let mut all = motions(random);
    all.push(RigidMotion::given(Hop { start: vector(random, 3.0), height: random.uniform(-4.0, 4.0) }));
    let start = vector(random, 2.0);
    let screw = RigidMotion::screw(Pose::from_translation(start).unwrap(), DVec3::ONE, vector(random, 1.0), 9.0, 3.0);
    all.push(screw.unwrap().with_profiles(Smooth, Square).unwrap());
    all
}

/// A span of time of any length.
fn span(random: &mut Random) -> Interval {
    let length = 10f64.powf(random.uniform(-4.0, 0.0));
    let from = random.uniform(0.0, 1.0 - length);
    Interval::new(from, from + length)
}

fn sampled(span: Interval, samples: u32) -> impl Iterator<Item = f64> {
    (0..=samples).map(move |k| span.lo() + span.width() * f64::from(k) / f64::from(samples))
}

/// A box widened by the rounding of poses in `at`.
fn widened(bounds: &Aabb) -> Aabb {
    Aabb::new(bounds.min - DVec3::splat(1e-12), bounds.max + DVec3::splat(1e-12))
}

#[test]
fn points_stay_in_their_bounds() {
    let mut random = Random::new(21);
    for _ in 0..60 {
        for motion in all_motions(&mut random) {
            let (span, point) = (span(&mut random), vector(&mut random, 2.0));
            let bounds = motion.point_bounds(span, point);
            let off = Interval::new(-1e-12, 1e-12);
            let bounds = bounds + IntervalVec3::new(off, off, off);
            for t in sampled(span, 64) {
                assert!(bounds.contains(motion.at(t).transform_point(point)), "{motion:?} {span:?} {t} {bounds:?}");
            }
        }
    }
}

#[test]
fn bounds_of_points_are_tight_for_any_rotation() {
    let whole = Interval::new(0.0, 1.0);
    let point = DVec3::new(2f64.sqrt(), 2f64.sqrt(), 0.5);
    for turns in [1.0, 10.0, 100.0] {
        let motion = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 2.0 * PI * turns).unwrap();
        let bounds = motion.point_bounds(whole, point);
        for side in [bounds.x, bounds.y] {
            assert!(side.contains(2.0) && side.contains(-2.0) && side.width() < 4.0 * 1.06, "{turns} {bounds:?}");
        }
        assert!(bounds.z.width() < 1e-12);
        // The enclosure of the whole frame ignores the dependence of sine and cosine.
        assert!(motion.frame(whole).place(point).x.width() > 5.6);
    }
    // So fast that the pieces are no longer short: looser, and true.
    let fast = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 1e5).unwrap();
    let bounds = fast.point_bounds(whole, point);
    assert!(bounds.x.contains(2.0) && bounds.x.contains(-2.0) && bounds.x.width() < 6.0);
    // A span outside the step is clamped to its end.
    let still = RigidMotion::still(Pose::IDENTITY).point_bounds(Interval::new(3.0, 4.0), point);
    assert!(still.contains(point) && still.x.width() < 1e-15);
}

#[test]
fn bodies_proved_separated_never_meet() {
    let mut random = Random::new(22);
    let (mut proved, mut by_boxes) = (0, 0);
    for _ in 0..120 {
        let (first, second) = (all_motions(&mut random), all_motions(&mut random));
        let span = span(&mut random);
        for (k, a) in first.iter().enumerate() {
            let b = &second[random.index(second.len())];
            let (frame_a, frame_b) = (a.frame(span), b.frame(span));
            let half = || DVec3::ONE * 0.1;
            let (half_a, half_b) = (half() + vector(&mut random, 0.9).abs(), half() + vector(&mut random, 0.9).abs());
            let (box_a, box_b) = (Aabb::new(-half_a, half_a), Aabb::new(-half_b, half_b));
            let margin = if k % 2 == 0 { 0.0 } else { random.uniform(0.0, 0.5) };
            let balls = [half_a, half_b].map(|half| (DVec3::ZERO, half.length() * (1.0 + 1e-15)));
            let boxes = frame_a.keeps_boxes_apart(&box_a, &frame_b, &box_b, margin);
            let balls_apart = frame_a.keeps_balls_apart(balls[0], &frame_b, balls[1], margin);
            let corners = |half: DVec3| {
                [0u32, 1, 2, 3, 4, 5, 6, 7].map(|k| {
                    let sign = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
                    half * DVec3::new(sign(1), sign(2), sign(4))
                })
            };
            let bounds = [
                widened(&frame_a.bounds_of_ball(DVec3::ZERO, balls[0].1)),
                widened(&frame_a.bounds_of_points(&corners(half_a))),
            ];
            proved += usize::from(boxes || balls_apart);
            by_boxes += usize::from(boxes && !balls_apart);
            let shapes = [half_a, half_b].map(|half| Shape::cuboid(half).unwrap());
            let spheres = balls.map(|(_, radius)| Shape::sphere(radius).unwrap());
            for t in sampled(span, 64) {
                let (pose_a, pose_b) = (a.at(t), b.at(t));
                for corner in corners(half_a) {
                    let place = pose_a.transform_point(corner);
                    assert!(bounds.iter().all(|bounds| bounds.contains(place)), "{a:?} {t}");
                }
                if boxes {
                    let gap = distance(&shapes[0], &pose_a, &shapes[1], &pose_b);
                    assert!(gap.gap.upper > margin, "{a:?} {b:?} {t} {gap:?}");
                }
                if balls_apart {
                    let gap = distance(&spheres[0], &pose_a, &spheres[1], &pose_b);
                    assert!(gap.gap.upper > margin, "{a:?} {b:?} {t} {gap:?}");
                }
            }
        }
    }
    assert!(proved > 300 && by_boxes > 20, "{proved} {by_boxes}");
}

/// Separating two crossed bars takes an edge-edge axis.
#[test]
fn crossed_bars_are_apart_by_their_edges() {
    let bar = Aabb::new(DVec3::new(-5.0, -0.1, -0.1), DVec3::new(5.0, 0.1, 0.1));
    let tilted = |angle: f64, z: f64| {
        let about = Pose::from_axis_angle(DVec3::X, 0.7, DVec3::ZERO).unwrap();
        let turn = Pose::from_axis_angle(DVec3::Z, angle, DVec3::Z * z).unwrap();
        let start = Pose::new(turn.rotation() * about.rotation(), turn.translation()).unwrap();
        RigidMotion::turning(start, DVec3::ZERO, DVec3::Z, 0.05).unwrap().frame(Interval::new(0.0, 1.0))
    };
    // Each bar is at most 0.1 √2 high above its middle, and at this tilt less.
    let (low, high) = (tilted(0.0, 0.0), tilted(1.2, 0.3));
    assert!(low.keeps_boxes_apart(&bar, &high, &bar, 0.0));
    assert!(!low.keeps_boxes_apart(&bar, &tilted(1.2, 0.2), &bar, 0.0));
    assert!(!low.keeps_boxes_apart(&Aabb::EMPTY, &high, &bar, 0.0));
    assert!(!low.keeps_boxes_apart(&bar, &high, &bar, f64::NAN));
}

#[test]
fn profiles_that_differ_are_met_at_the_known_time() {
    // A bar rotates about its long axis by one profile and slides along it by the other, towards a wall.
    let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.3)).unwrap();
    let wall = Shape::cuboid(DVec3::new(1.0, 9.0, 9.0)).unwrap();
    let waiting = RigidMotion::still(Pose::from_translation(DVec3::X * 8.0).unwrap());
    let screw = RigidMotion::screw(Pose::IDENTITY, DVec3::ZERO, DVec3::X, 9.0, 10.0).unwrap();
    let motion = screw.with_profiles(Smooth, Square).unwrap();
    let impact = ask(&bar, &motion, &wall, &waiting).unwrap();
    let truth = 0.5f64.sqrt();
    assert!(impact.touches && impact.time.lower <= truth && truth <= impact.time.upper, "{impact:?} {truth}");
    assert!(impact.time.upper - impact.time.lower < 1e-9, "{impact:?}");
    // Against a half-space the same.
    let ground = Shape::half_space(-DVec3::X, -7.0).unwrap();
    let impact = ask(&bar, &motion, &ground, &RigidMotion::still(Pose::IDENTITY)).unwrap();
    assert!(impact.time.lower <= truth && truth <= impact.time.upper, "{impact:?} {truth}");

    // A bar spins by one profile and rises by the other towards a long post.
    let post = Shape::capsule(5.0, 0.5).unwrap();
    let waiting = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0)).unwrap());
    let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1)).unwrap();
    let screw = RigidMotion::screw(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, FRAC_PI_2, 1.0).unwrap();
    let impact = ask(&bar, &screw.with_profiles(Smooth, Square).unwrap(), &post, &waiting).unwrap();
    let share = (FRAC_PI_2 - 0.4f64.asin()) / FRAC_PI_2;
    // `3 t² - 2 t³` grows from 0 to 1.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let t: f64 = 0.5 * (low + high);
        *(if t * t * (3.0 - 2.0 * t) < share { &mut low } else { &mut high }) = t;
    }
    assert!(impact.touches && impact.time.lower <= high + 1e-15 && low <= impact.time.upper, "{impact:?} {low}");
    assert!(impact.time.upper - impact.time.lower < 1e-9, "{impact:?}");
}

#[test]
fn a_thrown_body_lands_at_the_root_of_the_quadratic() {
    let mut random = Random::new(23);
    let ground = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let plate = Shape::cuboid(DVec3::new(50.0, 50.0, 1e-3)).unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    let below = RigidMotion::still(Pose::from_translation(DVec3::Z * -1e-3).unwrap());
    for _ in 0..20 {
        let (height, up, pull) = (random.uniform(0.5, 3.0), random.uniform(-1.0, 5.0), random.uniform(10.0, 30.0));
        let start = Pose::from_translation(DVec3::Z * height).unwrap();
        let path = [DVec3::new(3.0, -1.0, up), DVec3::Z * -pull];
        let thrown = RigidMotion::polynomial(start, &path, vector(&mut random, 1.0), &[4.0, -9.0, 2.0]).unwrap();
        let ball = Shape::sphere(0.3).unwrap();
        // height + up t - pull t² = radius
        let truth = (up + (up * up + 4.0 * pull * (height - 0.3)).sqrt()) / (2.0 * pull);
        let impacts =
            [ask(&ball, &thrown, &ground, &still), ask(&plate, &below, &ball, &thrown)].map(|impact| impact.unwrap());
        for impact in impacts {
            assert!(
                impact.touches && impact.time.lower <= truth + 1e-15 && truth - 1e-15 <= impact.time.upper,
                "{impact:?} {truth}"
            );
            assert!(impact.time.upper - impact.time.lower < 1e-9, "{impact:?}");
        }
        // Thrown up from where it never comes down in time.
        let path = [DVec3::new(3.0, -1.0, pull + 2.0), DVec3::Z * -pull];
        let thrown = RigidMotion::polynomial(start, &path, DVec3::X, &[4.0, -9.0]).unwrap();
        assert!(ask(&ball, &thrown, &ground, &still).is_none());
    }
}

#[test]
fn a_custom_motion_makes_contact_at_the_known_time() {
    let ball = Shape::sphere(0.5).unwrap();
    let ceiling = Shape::cuboid(DVec3::new(5.0, 5.0, 0.25)).unwrap();
    let above = RigidMotion::still(Pose::from_translation(DVec3::Z * 2.25).unwrap());
    for height in [1.6, 3.0, 20.0] {
        let hop = RigidMotion::given(Hop { start: DVec3::new(1.0, 2.0, 0.0), height });
        let truth = (1.5f64 / height).asin() / PI;
        let impact = ask(&ceiling, &above, &ball, &hop).unwrap();
        assert!(
            impact.touches && impact.time.lower <= truth + 1e-15 && truth - 1e-15 <= impact.time.upper,
            "{impact:?} {truth}"
        );
        assert!(impact.time.upper - impact.time.lower < 1e-9, "{impact:?}");
    }
    let low = RigidMotion::given(Hop { start: DVec3::ZERO, height: 1.4 });
    assert!(ask(&ceiling, &above, &ball, &low).is_none());
    let least = least_clearance(&ceiling, &above, &ball, &low).unwrap();
    assert!(least.gap.lower <= 0.1 && 0.1 <= least.gap.upper && (least.time - 0.5).abs() < 0.05, "{least:?}");
    assert_eq!(least.verify(&ceiling, &above, &ball, &low), Ok(()));
}

#[test]
fn coarse_options_give_early_answers_that_hold() {
    let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1)).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let waiting = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0)).unwrap());
    let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, PI).unwrap();
    let truth = (FRAC_PI_2 - 0.4f64.asin()) / PI;
    let mut workspace = Workspace::default();
    for algorithm in [RigidAlgorithm::Hierarchies, RigidAlgorithm::Advancement] {
        for tolerance in [0.0, 1e-9, 1e-4, 0.05] {
            for resolution in [f64::NAN, 0.0, 1e-12, 1e-6, 1e-3] {
                let options = RigidOptions { algorithm, tolerance, resolution, ..RigidOptions::default() };
                let impact = rigid_impact_with(&bar, &spinning, &ball, &waiting, &options, &mut workspace).unwrap();
                impact
                    .verify(&bar, &spinning, &ball, &waiting)
                    .unwrap_or_else(|e| panic!("{e:?} {options:?} {impact:?}"));
                // The ball is met at a speed of some 1.4 pi, and no point of the bar moves faster than 2.1 pi.
                let early = tolerance / 3.0 + 4.0 * resolution.max(1e-12) + 1e-9;
                assert!(impact.time.lower <= truth && truth - impact.time.lower <= early, "{options:?} {impact:?}");
                assert!(if impact.touches { truth <= impact.time.upper } else { impact.gap <= 1.1 * tolerance + 0.02 });
            }
        }
    }
    // Near enough, and never in contact: `touches` is false.
    let plate = Shape::cuboid(DVec3::new(1.0, 1.0, 0.1)).unwrap();
    let start = Pose::from_translation(DVec3::new(-5.0, 0.0, 0.605)).unwrap();
    let passing = RigidMotion::turning(start, DVec3::X * 10.0, DVec3::Y, 3.0).unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    let options = RigidOptions { tolerance: 0.01, ..RigidOptions::default() };
    let near = rigid_impact_with(&ball, &passing, &plate, &still, &options, &mut workspace).unwrap();
    assert!(!near.touches && near.gap > 0.0049 && near.gap <= 0.0101 && near.time.lower == near.time.upper, "{near:?}");
    assert_eq!(near.verify(&ball, &passing, &plate, &still), Ok(()));
    let nearer = RigidImpact { gap: 0.5 * near.gap, ..near };
    assert!(nearer.verify(&ball, &passing, &plate, &still).is_err());
    assert!(ask(&ball, &passing, &plate, &still).is_none());
    assert!(NoImpact { margin: 0.006, until: 1.0 }.verify(&ball, &passing, &plate, &still).is_err());
    assert_eq!(NoImpact { margin: 0.004, until: 1.0 }.verify(&ball, &passing, &plate, &still), Ok(()));
    assert!(NoImpact { margin: f64::NAN, until: 1.0 }.verify(&ball, &passing, &plate, &still).is_err());
}

#[test]
fn false_claims_of_no_contact_are_refused() {
    let plate = Shape::cuboid(DVec3::new(5.0, 5.0, 5e-5)).unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    let bullet = Shape::capsule(0.02, 0.004).unwrap();
    let start = Pose::from_translation(DVec3::Z * 50.0).unwrap();
    let motion = RigidMotion::turning(start, DVec3::Z * -100.0, DVec3::X, 40.0).unwrap();
    let impact = rigid_impact(&bullet, &motion, &plate, &still).unwrap();
    let clear = |until: f64| NoImpact { margin: 0.0, until }.verify(&bullet, &motion, &plate, &still);
    assert!(clear(1.0).is_err() && clear(impact.time.upper + 1e-6).is_err());
    assert_eq!(clear(impact.time.lower), Ok(()));
    assert_eq!(clear(impact.time.lower - 1e-3), Ok(()));
    // Contact at the very end of the step is contact.
    let ends = RigidMotion::turning(Pose::from_translation(DVec3::Z * 3.0).unwrap(), DVec3::Z * -2.0, DVec3::X, 0.0);
    let (ball, cube) = (Shape::sphere(0.5).unwrap(), Shape::cuboid(DVec3::splat(0.5)).unwrap());
    assert!(NoImpact { margin: 0.0, until: 1.0 }.verify(&ball, &ends.unwrap(), &cube, &still).is_err());
}

#[test]
fn the_least_clearance_over_a_height_field_is_known() {
    // A bar spins about y, 5 above the ground; its far corner is lowest when it points down.
    let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1)).unwrap();
    let truth = 5.0 - 4.01f64.sqrt();
    let check = |least: &LeastClearance| {
        assert!(
            least.gap.lower <= truth && truth <= least.gap.upper && least.gap.upper - least.gap.lower < 4e-3,
            "{least:?} {truth}"
        );
    };
    let field = Shape::height_field(40, 40, DVec2::ONE, vec![0.0; 1600]).unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    for (ground, at) in [(Shape::half_space(DVec3::Z, 0.0).unwrap(), DVec3::ZERO), (field, DVec3::new(20.0, 20.0, 0.0))]
    {
        let start = Pose::from_translation(at + DVec3::Z * 5.0).unwrap();
        let spinning = RigidMotion::turning(start, DVec3::X, DVec3::Y, 3.0).unwrap();
        let least = least_clearance(&bar, &spinning, &ground, &still).unwrap();
        check(&least);
        assert_eq!(least.verify(&bar, &spinning, &ground, &still), Ok(()));
        let swapped = least_clearance(&ground, &still, &bar, &spinning).unwrap();
        check(&swapped);
        assert_eq!(swapped.verify(&ground, &still, &bar, &spinning), Ok(()));
        assert!(ask(&bar, &spinning, &ground, &still).is_none());
        // The ground moves instead.
        let rising = RigidMotion::turning(Pose::IDENTITY, DVec3::Z * 1.0, DVec3::Z, 0.0).unwrap();
        let hanging = RigidMotion::still(start);
        let least = least_clearance(&ground, &rising, &bar, &hanging).unwrap();
        assert!(least.gap.lower <= 3.9 && 3.9 <= least.gap.upper + 1e-12 && least.time > 0.99, "{least:?}");
        assert_eq!(least.verify(&ground, &rising, &bar, &hanging), Ok(()));
    }
}

#[test]
fn unbounded_bodies_are_undecided_or_rejected() {
    let field = Shape::height_field(4, 4, DVec2::ONE, vec![0.0; 16]).unwrap();
    let plane = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let down = Shape::half_space(-DVec3::Z, 0.0).unwrap();
    let (still, above) =
        (RigidMotion::still(Pose::IDENTITY), RigidMotion::still(Pose::from_translation(DVec3::Z * 3.0).unwrap()));
    let turning =
        RigidMotion::turning(Pose::from_translation(DVec3::Z * 3.0).unwrap(), DVec3::X, DVec3::X, 1.0).unwrap();
    for (a, b) in [(&plane, &down), (&field, &down), (&plane, &plane), (&field, &field), (&down, &plane)] {
        for motion in [&above, &turning] {
            assert_eq!(least_clearance(a, &still, b, motion), Err(QueryError::Unbounded));
            for algorithm in [RigidAlgorithm::Hierarchies, RigidAlgorithm::Advancement] {
                let options = RigidOptions { algorithm, ..RigidOptions::default() };
                let impact = rigid_impact_with(a, &still, b, motion, &options, &mut Workspace::default()).unwrap();
                assert!(impact.gap.is_finite() && impact.time.upper == 0.0, "{a:?} {b:?} {impact:?}");
                assert_eq!(impact.verify(a, &still, b, motion), Ok(()), "{a:?} {b:?} {impact:?}");
                assert_eq!(impact.touches, impact.started_overlapping);
            }
        }
    }
}

/// Equal bodies, and bodies that rotate equally fast or not at all: only their content and motions decide the internal
/// order.
#[test]
fn the_order_of_the_bodies_does_not_matter() {
    let mut random = Random::new(0x0e5);
    let mut met = 0;
    for round in 0..60 {
        let size = if round % 2 == 0 { 1.0 } else { 1e6 };
        let ball = Shape::sphere(size).unwrap();
        let crate_ = Shape::cuboid(vector(&mut random, 0.4 * size).abs() + 0.1 * size).unwrap();
        let points: Vec<[f64; 3]> = (0..12).map(|_| vector(&mut random, size).to_array()).collect();
        let hull = Shape::hull(&points).unwrap();
        let pairs = [(&ball, &ball), (&ball, &crate_), (&hull, &hull), (&hull, &crate_), (&crate_, &crate_)];
        let (a, b) = pairs[round % pairs.len()];
        let turn = if round % 3 == 0 { 0.0 } else { 1.0 };
        let start = |at: DVec3| Pose::from_translation(at * size).unwrap();
        let near = start(vector(&mut random, 0.3));
        let far = start(DVec3::new(4.0, 0.3, -0.2) + vector(&mut random, 0.3));
        let way = size * (DVec3::X * -4.0 + vector(&mut random, 0.3));
        let motion_a = RigidMotion::turning(near, vector(&mut random, 0.3 * size), DVec3::Y, turn).unwrap();
        let motion_b = RigidMotion::turning(far, way, DVec3::Y, turn).unwrap();
        let swapped = rigid_impact(b, &motion_b, a, &motion_a);
        match (rigid_impact(a, &motion_a, b, &motion_b), &swapped) {
            (Ok(impact), Ok(swapped)) => {
                met += 1;
                let times = |i: &RigidImpact| [i.time.lower, i.time.value, i.time.upper, i.gap].map(f64::to_bits);
                assert_eq!(times(&impact), times(swapped), "{round}: {impact:?} {swapped:?}");
                assert_eq!(
                    [impact.witness.a.point, impact.witness.b.point],
                    [swapped.witness.b.point, swapped.witness.a.point],
                    "{round}"
                );
            }
            (impact, swapped) => assert_eq!(impact.is_ok(), swapped.is_ok(), "{round}"),
        }
        let one = least_clearance(a, &motion_a, b, &motion_b).unwrap();
        let other = least_clearance(b, &motion_b, a, &motion_a).unwrap();
        assert_eq!([one.gap.lower, one.gap.upper, one.time], [other.gap.lower, other.gap.upper, other.time], "{round}");
        assert_eq!(
            [one.witness.a.point, one.witness.b.point],
            [other.witness.b.point, other.witness.a.point],
            "{round}"
        );
    }
    assert!(met > 40, "{met}");
}
