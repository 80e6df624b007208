//! Balls against cylinders and cones, including rounded ones, by closed form: against signed distances to 256 bits
//! where the pose is exactly a rotation, and by `verify` in any pose. In general and in every special position: on the
//! axis, level with a disc, beside and above a rim, at the apex; next to contact and in it; flat, slender, tiny, huge,
//! far from the origin.

use clearance::answer::{Distance, Method, Penetration};
use clearance::glam::{DMat3, DVec3};
use clearance::query::{
    DistanceOptions, IntersectsAlgorithm, IntersectsOptions, SubAlgorithm, distance_with, intersects_with,
};
use clearance::{PairCache, Pose, Shape, Workspace, distance, penetration};
use clearance_oracle::random::Random;
use clearance_oracle::revolution::signed_distance_of_point;
use clearance_oracle::{OraclePose, OracleShape, generate};
use common::swapped;

use crate::common;

/// A cylinder or a cone, perhaps rounded, with its pose.
struct Curved {
    shape: Shape,
    oracle: OracleShape,
    rounding: f64,
    half_length: f64,
    radius: f64,
    rotation: [[f64; 3]; 3],
    at: DVec3,
}

impl Curved {
    fn random(cone: bool, random: &mut Random) -> Curved {
        let size = [1.0, 1.0, 1e-6, 1e6, 1e-40][random.index(5)];
        let length = |random: &mut Random| {
            let length = if random.coin() { random.uniform(0.1, 1.0) } else { random.integer(1, 4) as f64 };
            size * length * [1.0, 1.0, 1e-3, 1e-6][random.index(4)]
        };
        let (half_length, radius) = (length(random), length(random));
        let (plain, oracle) = if cone {
            (Shape::cone(half_length, radius), OracleShape::Cone { half_length, radius })
        } else {
            (Shape::cylinder(half_length, radius), OracleShape::Cylinder { half_length, radius })
        };
        let rounding = if random.index(3) == 0 { length(random) } else { 0.0 };
        let shape = if rounding > 0.0 { Shape::rounded(plain.unwrap(), rounding) } else { plain };
        let rotation = match random.index(3) {
            0 => generate::random_rotation(random),
            _ => generate::axis_rotations()[random.index(24)],
        };
        let far = [0.0, 1.0, 1e7][random.index(3)] * size;
        let at = DVec3::from_array(random.in_cube(far));
        Curved { shape: shape.unwrap(), oracle, rounding, half_length, radius, rotation, at }
    }

    fn pose(&self) -> Pose {
        let rows = self.rotation.map(DVec3::from_array);
        Pose::new(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose(), self.at).unwrap()
    }

    /// A point in the body's frame: its coordinates across and along the axis are random, or at or next to special
    /// values.
    fn point(&self, random: &mut Random) -> DVec3 {
        let (h, r) = (self.half_length, self.radius);
        let mut coordinate = |special: &[f64], size: f64| {
            if random.coin() {
                return random.uniform(-2.0, 2.0) * size;
            }
            let off = [0.0, 0.0, 1e-17, 1e-16, 1e-14, 1e-10, 1e-6, 1e-3][random.index(8)];
            special[random.index(special.len())] + [1.0, -1.0][random.index(2)] * off * size
        };
        let (across, along) = (coordinate(&[0.0, r, r, 0.5 * r], r), coordinate(&[h, -h, 0.0, 0.5 * h], h));
        let (c, s) = [(1.0, 0.0), (0.0, -1.0), (0.6, 0.8), (-0.28, 0.96)][random.index(4)];
        DVec3::new(across * c, across * s, along)
    }
}

fn mirrored_depth(answer: &Penetration) -> Penetration {
    Penetration { witness: answer.witness.swapped(), normal: -answer.normal, ..*answer }
}

/// Makes every query in both orders and checks it; returns distance and penetration.
fn check(body: &Curved, radius: f64, center: DVec3, turned: [[f64; 3]; 3]) -> (Distance, Penetration) {
    let rows = turned.map(DVec3::from_array);
    let ball_pose = Pose::new(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose(), center).unwrap();
    let (ball, other, pose) = (&Shape::sphere(radius).unwrap(), &body.shape, &body.pose());
    let ball_pose = &ball_pose;
    let oracle_pose = OraclePose { rotation: body.rotation, translation: body.at.to_array() };
    let truth = signed_distance_of_point(&body.oracle, &oracle_pose, center.to_array());
    let context = || format!("truth {truth:?}\n{other:?} {pose:?}\n{ball:?} {ball_pose:?}");
    // Less the radii, rounded: two sums and a difference.
    let radii = radius + body.rounding;
    let truth = truth.map(|(low, high)| {
        let off = |x: f64| 4.0 * f64::EPSILON * (x.abs() + radii);
        (low - radii - off(low), high - radii + off(high))
    });

    let answer = distance(other, pose, ball, ball_pose);
    answer.verify(other, pose, ball, ball_pose).unwrap_or_else(|r| panic!("{r}\n{answer:?}\n{}", context()));
    assert_eq!(swapped(&distance(ball, ball_pose, other, pose)), answer, "exchanged\n{}", context());
    let deep = penetration(other, pose, ball, ball_pose).unwrap();
    deep.verify(other, pose, ball, ball_pose).unwrap_or_else(|r| panic!("{r}\n{deep:?}\n{}", context()));
    assert_eq!(mirrored_depth(&penetration(ball, ball_pose, other, pose).unwrap()), deep, "{}", context());
    if let Some((low, high)) = truth {
        assert!(answer.gap.lower <= high.max(0.0) && low <= answer.gap.upper, "{answer:?}\n{}", context());
        assert!(deep.depth.lower <= (-low).max(0.0) && -high <= deep.depth.upper, "{deep:?}\n{}", context());
    }

    // The general algorithm agrees, and so does `intersects`, also with a margin.
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    let options = DistanceOptions { sub_algorithm: SubAlgorithm::Johnson, ..DistanceOptions::default() };
    let walked = distance_with(other, pose, ball, ball_pose, &options, &mut cache, &mut workspace);
    assert!(
        walked.gap.lower <= answer.gap.upper && answer.gap.lower <= walked.gap.upper,
        "{walked:?}\n{answer:?}\n{}",
        context()
    );
    let mut meets = |algorithm, margin| {
        let options = IntersectsOptions { algorithm, margin };
        let straight = intersects_with(other, pose, ball, ball_pose, &options, &mut cache, &mut workspace);
        assert_eq!(straight, intersects_with(ball, ball_pose, other, pose, &options, &mut cache, &mut workspace));
        straight
    };
    assert_eq!(meets(IntersectsAlgorithm::Fastest, 0.0), answer.gap.value == 0.0, "{answer:?}\n{}", context());
    for margin in [0.0, 0.5 * answer.gap.value, 2.0 * answer.gap.value] {
        for algorithm in [IntersectsAlgorithm::Fastest, IntersectsAlgorithm::Gjk] {
            let met = meets(algorithm, margin);
            assert!(met || answer.gap.upper > margin, "margin {margin:e}\n{answer:?}\n{}", context());
            assert!(!met || answer.gap.lower <= margin, "margin {margin:e}\n{answer:?}\n{}", context());
        }
    }
    (answer, deep)
}

#[test]
fn against_the_truth_to_256_bits() {
    let mut random = Random::new(41);
    let (mut by_formula, mut apart, mut meeting, mut inside) = (0, 0, 0, 0);
    for case in 0..3000 {
        let body = Curved::random(case % 2 == 0, &mut random);
        let (pose, own) = (body.pose(), body.point(&mut random));
        let size = body.half_length.max(body.radius);
        let radius = size * [0.7, 0.1, 1e-3, 1e-9, 30.0][random.index(5)];
        let turned = generate::random_rotation(&mut random);
        let center = pose.transform_point(own);
        let (answer, deep) = check(&body, radius, center, turned);
        by_formula += usize::from(answer.method == Method::ClosedForm);
        inside += usize::from(deep.depth.value > radius + body.rounding);
        if answer.gap.value > 0.0 {
            apart += 1;
        } else {
            meeting += 1;
        }
        // Next to contact, on both sides of it.
        let step = answer.normal.map_or(deep.normal * deep.depth.value, |normal| normal * -answer.gap.value);
        let near = [0.0, 1e-3, -1e-3, 1e-9, -1e-9, 1e-14, -1e-14][case % 7];
        check(&body, radius, center + step + step.normalize_or_zero() * (near * step.length()), turned);
    }
    assert!(
        by_formula > 2500 && apart > 500 && meeting > 500 && inside > 100,
        "{by_formula} {apart} {meeting} {inside}"
    );
}

/// A point beside the rim of a flat cone, or above the apex of a slender one, is not far from the side's plane, and yet
/// far from the cone.
#[test]
fn beside_flat_and_above_slender_cones() {
    for (half_length, radius, center) in [
        (1e-8, 1.0, DVec3::new(1.0 + 1e-9, 0.0, -1e-8)),
        (1e-12, 1.0, DVec3::new(0.0, 1.0 + 1e-10, 0.0)),
        (1.0, 1e-8, DVec3::new(0.0, 0.0, 1.0 + 1e-9)),
        (1.0, 1e-12, DVec3::new(1e-13, 0.0, 1.0 + 1e-10)),
    ] {
        let oracle = OracleShape::Cone { half_length, radius };
        let (low, high) = signed_distance_of_point(&oracle, &OraclePose::IDENTITY, center.to_array()).unwrap();
        let (cone, ball) = (Shape::cone(half_length, radius).unwrap(), Shape::sphere(1e-11).unwrap());
        let pose = Pose::from_translation(center).unwrap();
        let answer = distance(&cone, &Pose::IDENTITY, &ball, &pose);
        assert_eq!(answer.method, Method::ClosedForm);
        assert!(
            low > 1e-11 && answer.gap.lower <= high - 1e-11 && low - 1e-11 <= answer.gap.upper,
            "{low:e} {answer:?}"
        );
        answer.verify(&cone, &Pose::IDENTITY, &ball, &pose).unwrap();
    }
}
