//! False claims made from true answers, which `verify` must refuse for pairs of every kind.
//!
//! The structs are destructured without `..`, so a new field does not compile until it is perturbed here, or by the
//! caller.

use clearance::answer::{Distance, RelationProof, Witness, WitnessPoint};
use clearance::glam::DVec3;
use clearance::query::{DistanceOptions, RelationOptions, distance_with, relation_with};
use clearance::verify::{Answer, Refusal};
use clearance::{Bracket, PairCache, Pose, Shape, Workspace};

/// Two posed bodies.
pub struct Case {
    pub name: &'static str,
    pub a: Shape,
    pub pose_a: Pose,
    pub b: Shape,
    pub pose_b: Pose,
}

impl Case {
    pub fn new(name: &'static str, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Case {
        Case { name, a: a.clone(), pose_a: *pose_a, b: b.clone(), pose_b: *pose_b }
    }

    /// The number of bodies that are balls.
    pub fn round_bodies(&self) -> usize {
        [&self.a, &self.b].into_iter().filter(|shape| matches!(shape, Shape::Sphere(_))).count()
    }

    /// `L` of the contract.
    pub fn scale(&self) -> f64 {
        super::scale(&self.a, &self.pose_a, &self.b, &self.pose_b)
    }

    pub fn distance(&self, options: &DistanceOptions) -> Distance {
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        distance_with(&self.a, &self.pose_a, &self.b, &self.pose_b, options, &mut cache, &mut workspace)
    }

    pub fn proof(&self, touch_band: f64) -> RelationProof {
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let options = RelationOptions { touch_band };
        relation_with(&self.a, &self.pose_a, &self.b, &self.pose_b, &options, &mut cache, &mut workspace)
    }

    pub fn check<T: Answer>(&self, answer: &T) -> Result<(), Refusal> {
        answer.verify(&self.a, &self.pose_a, &self.b, &self.pose_b)
    }

    pub fn accepts<T: Answer + std::fmt::Debug>(&self, label: &str, answer: &T) {
        self.check(answer).unwrap_or_else(|refusal| {
            panic!("{} {label}: {refusal}\n{answer:?}\n{:?} {:?}", self.name, self.pose_a, self.pose_b);
        });
    }

    pub fn refuses<T: Answer + std::fmt::Debug>(&self, field: &str, answer: &T) {
        assert!(self.check(answer).is_err(), "{}: a false `{field}` was accepted: {answer:?}", self.name);
    }

    /// Invalid placements, or ones far above rounding. `rounds`: the poses do not place B exactly, so that no placement
    /// is zero or a thousand times below its bound.
    pub fn wrong_placements(&self, placement: f64, rounds: bool) -> Vec<f64> {
        let mut wrong = NO_NUMBERS.to_vec();
        wrong.extend([-1.0, -1e-300, 1e-12 * self.scale(), 1.0, 1e300]);
        if rounds {
            wrong.extend([0.0, placement * 1e-3]);
        }
        wrong
    }
}

pub const NO_NUMBERS: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// A witness with its point of A changed.
pub fn with_a(mut witness: Witness, change: impl FnOnce(&mut WitnessPoint)) -> Witness {
    change(&mut witness.a);
    witness
}

/// A witness with its point of B changed.
pub fn with_b(mut witness: Witness, change: impl FnOnce(&mut WitnessPoint)) -> Witness {
    change(&mut witness.b);
    witness
}

/// The vector with each component in turn replaced by NaN and infinities.
pub fn with_no_numbers(v: DVec3) -> Vec<DVec3> {
    let replaced = |axis: usize, number: f64| {
        let mut w = v;
        w[axis] = number;
        w
    };
    (0..3).flat_map(|axis| NO_NUMBERS.map(|number| replaced(axis, number))).collect()
}

/// Invalid normals: not of unit length, or not finite.
pub fn no_normals(normal: DVec3) -> Vec<DVec3> {
    let mut wrong = vec![normal * (1.0 + 1e-6), normal * (1.0 - 1e-6), normal * 2.0, DVec3::ZERO];
    wrong.extend(with_no_numbers(normal));
    wrong
}

/// Other unit vectors: the normal rotated by `angle` to four sides, by a right angle, and reversed.
pub fn other_normals(normal: DVec3, angle: f64) -> [DVec3; 6] {
    let side = normal.any_orthonormal_vector();
    let other = normal.cross(side);
    let tilted = |tilt: DVec3| (normal + tilt * angle).normalize();
    [tilted(side), tilted(-side), tilted(other), tilted(-other), side, -normal]
}

/// A point of a body's frame, moved in the world.
pub fn moved(point: DVec3, pose: &Pose, by: DVec3) -> DVec3 {
    point + pose.rotation().transpose() * by
}

/// Every displacement of a witness point that must be detected: along the normal a point leaves its nearest feature at
/// once, across it the distance grows quadratically.
pub fn moves(normal: DVec3, scale: f64) -> Vec<DVec3> {
    let side = normal.any_orthonormal_vector();
    let other = normal.cross(side);
    let moves = [normal * 1e-6, side * 1e-3, other * 1e-3, (side + other) * 1e-3];
    moves.into_iter().flat_map(|by| [by * scale, -by * scale]).collect()
}

/// Perturbs the bracket, the points and the normal of the answer for bodies apart by far more than rounding; placement,
/// method, features and parts are the caller's. `angle`: the least detectable rotation of a normal.
pub fn perturb_gap(case: &Case, good: Distance, angle: f64) {
    let Distance {
        gap: Bracket { value, lower, upper },
        placement: _,
        method: _,
        witness:
            Witness {
                a: WitnessPoint { point: point_in_a, feature: _, part: _ },
                b: WitnessPoint { point: point_in_b, feature: _, part: _ },
            },
        normal,
    } = good;
    case.accepts("as given", &good);
    let scale = case.scale();
    let normal = normal.expect("a normal between bodies apart");
    for wrong in NO_NUMBERS.into_iter().chain([upper.next_up(), lower.next_down(), 0.0, -value, 2.0 * value]) {
        case.refuses("value", &Distance { gap: Bracket { value: wrong, ..good.gap }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([value.next_up(), lower - 1e-11 * scale, 0.0, -1e-300, -1.0]) {
        case.refuses("lower", &Distance { gap: Bracket { lower: wrong, ..good.gap }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([value.next_down(), upper + 1e-11 * scale, 2.0 * upper, 0.0, -upper]) {
        case.refuses("upper", &Distance { gap: Bracket { upper: wrong, ..good.gap }, ..good });
    }
    // In good order, and still false.
    case.refuses("lower", &Distance { gap: Bracket { lower: upper, value: upper, ..good.gap }, ..good });
    case.refuses("upper", &Distance { gap: Bracket { upper: lower, value: lower, ..good.gap }, ..good });
    for shift in [1e-6, -1e-6, 1e-12, -1e-12].map(|relative| relative * scale) {
        case.refuses(
            "bracket",
            &Distance { gap: Bracket { value: value + shift, lower: lower + shift, upper: upper + shift }, ..good },
        );
    }
    for by in moves(normal, scale) {
        case.refuses(
            "point_in_a",
            &Distance { witness: with_a(good.witness, |a| a.point = moved(point_in_a, &case.pose_a, by)), ..good },
        );
        case.refuses(
            "point_in_b",
            &Distance { witness: with_b(good.witness, |b| b.point = moved(point_in_b, &case.pose_b, by)), ..good },
        );
    }
    perturb_no_points(case, good);
    case.refuses("normal", &Distance { normal: None, ..good });
    for wrong in no_normals(normal).into_iter().chain(other_normals(normal, angle)) {
        case.refuses("normal", &Distance { normal: Some(wrong), ..good });
    }
}

/// Perturbs the bracket, the points and the normal of the answer for bodies that meet, or with one inside the other;
/// placement, method, features and parts are the caller's.
pub fn perturb_no_gap(case: &Case, good: Distance) {
    let Distance {
        gap: Bracket { value, lower, upper },
        placement: _,
        method: _,
        witness:
            Witness {
                a: WitnessPoint { point: point_in_a, feature: _, part: _ },
                b: WitnessPoint { point: point_in_b, feature: _, part: _ },
            },
        normal,
    } = good;
    case.accepts("as given", &good);
    assert_eq!((value, lower, normal), (0.0, 0.0, None));
    let scale = case.scale();
    for wrong in NO_NUMBERS.into_iter().chain([upper, 1e-300, -1e-300, 1.0]) {
        case.refuses("value", &Distance { gap: Bracket { value: wrong, ..good.gap }, ..good });
        case.refuses("lower", &Distance { gap: Bracket { lower: wrong, ..good.gap }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([1e-11 * scale, 1.0, -1e-300]) {
        case.refuses("upper", &Distance { gap: Bracket { upper: wrong, ..good.gap }, ..good });
    }
    case.refuses("bracket", &Distance { gap: Bracket { value: upper, lower: upper, ..good.gap }, ..good });
    let steps = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    for by in steps.map(|step| step * 1e-6 * scale) {
        case.refuses(
            "point_in_a",
            &Distance { witness: with_a(good.witness, |a| a.point = moved(point_in_a, &case.pose_a, by)), ..good },
        );
        case.refuses(
            "point_in_b",
            &Distance { witness: with_b(good.witness, |b| b.point = moved(point_in_b, &case.pose_b, by)), ..good },
        );
    }
    // Both copies moved together, out of the bodies.
    let out = DVec3::splat(4.0 * scale);
    let (far_a, far_b) = (moved(point_in_a, &case.pose_a, out), moved(point_in_b, &case.pose_b, out));
    case.refuses(
        "points",
        &Distance {
            witness: Witness {
                a: WitnessPoint { point: far_a, ..good.witness.a },
                b: WitnessPoint { point: far_b, ..good.witness.b },
            },
            ..good
        },
    );
    perturb_no_points(case, good);
    for wrong in [DVec3::X, -DVec3::Z, DVec3::ZERO, DVec3::NAN] {
        case.refuses("normal", &Distance { normal: Some(wrong), ..good });
    }
}

fn perturb_no_points(case: &Case, good: Distance) {
    for wrong in with_no_numbers(good.witness.a.point) {
        case.refuses("point_in_a", &Distance { witness: with_a(good.witness, |a| a.point = wrong), ..good });
    }
    for wrong in with_no_numbers(good.witness.b.point) {
        case.refuses("point_in_b", &Distance { witness: with_b(good.witness, |b| b.point = wrong), ..good });
    }
}
