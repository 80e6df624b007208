//! False answers about points and rays: each field is perturbed in turn, for every kind of body, and must be refused.
//!
//! The structs are destructured without `..`, so a new field does not compile until it is perturbed here too.

use clearance::answer::{ClosestPoint, RayHit, SignedDistance, WitnessPoint};
use clearance::glam::DVec3;
use clearance::query::ray_cast_all_with;
use clearance::query::{RayHitMode, RayOptions};
use clearance::shape::Feature;
use clearance::verify::Refusal;
use clearance::{Bracket, Pose, Ray, Shape, closest_point, signed_distance};
use clearance_oracle::random::Random;

use crate::common::false_claims::{NO_NUMBERS, no_normals, other_normals, with_no_numbers};
use crate::common::random_bodies::{CONVEX_KINDS, convex, terrain, vector};
use crate::verify_refusals;

/// Either answer about a point.
trait PointAnswer: std::fmt::Debug {
    fn check(&self, shape: &Shape, pose: &Pose, point: DVec3) -> Result<(), Refusal>;
}

impl PointAnswer for ClosestPoint {
    fn check(&self, shape: &Shape, pose: &Pose, point: DVec3) -> Result<(), Refusal> {
        self.verify(shape, pose, point)
    }
}

impl PointAnswer for SignedDistance {
    fn check(&self, shape: &Shape, pose: &Pose, point: DVec3) -> Result<(), Refusal> {
        self.verify(shape, pose, point)
    }
}

/// The rotation of a normal that must be refused: for a curved body a plane across it moves by the square of that.
const TURN: f64 = 1e-2;

/// A body and a point.
struct Asked {
    shape: Shape,
    pose: Pose,
    point: DVec3,
}

impl Asked {
    fn scale(&self) -> f64 {
        let bounds = match &self.shape {
            Shape::HeightField(field) => field.surface_bounds(),
            other => other.bounds(),
        };
        bounds.size().length() + (self.pose.transform_point(bounds.center()) - self.point).length()
    }

    fn accepts<T: PointAnswer>(&self, answer: &T) {
        let Asked { shape, pose, point } = self;
        answer
            .check(shape, pose, *point)
            .unwrap_or_else(|refusal| panic!("{refusal}: {answer:?}\n{shape:?} {pose:?} {point:?}"));
    }

    fn refuses<T: PointAnswer>(&self, field: &str, answer: &T) {
        let Asked { shape, pose, point } = self;
        let verdict = answer.check(shape, pose, *point);
        assert!(verdict.is_err(), "a false `{field}` was accepted: {answer:?}\n{shape:?} {pose:?} {point:?}");
    }

    /// The witness moved: off the surface both ways, along it, to the other side of the point (as far from that as
    /// before), and away.
    fn moved(&self, witness: DVec3, normal: DVec3) -> Vec<DVec3> {
        let scale = self.scale();
        let own = |v: DVec3| self.pose.rotation().transpose() * v;
        let side = own(normal.any_orthonormal_vector());
        let mirrored = 2.0 * self.pose.inverse_transform_point(self.point) - witness;
        let mut moved = vec![
            witness + own(normal) * (1e-6 * scale),
            witness - own(normal) * (1e-6 * scale),
            witness + side * (0.3 * scale),
            mirrored,
            DVec3::new(50.0, 60.0, 70.0),
        ];
        moved.extend(with_no_numbers(witness));
        moved
    }
}

/// Features that do not contain a point in the middle of `named`, and some that do not exist.
fn wrong_features(shape: &Shape, named: Feature) -> Vec<Feature> {
    let core = |shape: &Shape| if let Shape::Rounded(rounded) = shape { rounded.core().clone() } else { shape.clone() };
    use Feature::{Edge, Face, Interior, Vertex};
    let mut wrong = match (core(shape), named) {
        (Shape::Cylinder(_), Face(k)) => {
            [Face(0), Face(1), Face(2), Edge(0), Edge(1)].into_iter().filter(|f| *f != Face(k)).collect()
        }
        (Shape::Cylinder(_), Edge(k)) => vec![Edge(1 - k), Face(1 - k)],
        (Shape::Cone(_), Face(k)) => vec![Face(1 - k), Edge(0), Vertex(0)],
        (Shape::Cone(_), Edge(_)) => vec![Vertex(0)],
        (Shape::Cone(_), Vertex(_)) => vec![Face(0), Edge(0)],
        (core @ (Shape::Cuboid(_) | Shape::Hull(_)), _) => verify_refusals::wrong_features(&core, named),
        _ => Vec::new(),
    };
    wrong.extend([Interior, Vertex(999), Edge(999), Face(999), Face(u32::MAX)]);
    wrong
}

fn wrong_parts(shape: &Shape, part: u32) -> Vec<u32> {
    match shape {
        Shape::Compound(compound) => vec![compound.parts().len() as u32, u32::MAX],
        _ => vec![part + 1, u32::MAX],
    }
}

fn perturb_signed(asked: &Asked) {
    let good = signed_distance(&asked.shape, &asked.pose, asked.point);
    let SignedDistance {
        distance: Bracket { value, lower, upper },
        witness: WitnessPoint { point: point_in_body, feature, part },
        normal,
    } = good;
    let scale = asked.scale();
    if value.abs() < 0.02 * scale {
        return;
    }
    asked.accepts(&good);
    let by = 1e-6 * scale;
    // Inside a union neither end of the bracket depends on one part alone, and only too shallow claims are detected.
    let deep_in_union = matches!(asked.shape, Shape::Compound(_)) && value < 0.0;
    for wrong in NO_NUMBERS.into_iter().chain([upper + by, lower - by, -value]) {
        asked.refuses("value", &SignedDistance { distance: Bracket { value: wrong, ..good.distance }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([value + by]) {
        asked.refuses("lower", &SignedDistance { distance: Bracket { lower: wrong, ..good.distance }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([value - by]) {
        asked.refuses("upper", &SignedDistance { distance: Bracket { upper: wrong, ..good.distance }, ..good });
    }
    if !deep_in_union {
        asked.refuses("lower", &SignedDistance { distance: Bracket { lower: lower - by, ..good.distance }, ..good });
        asked.refuses("upper", &SignedDistance { distance: Bracket { upper: upper + by, ..good.distance }, ..good });
    }
    for by in [by, -by] {
        asked.refuses(
            "bracket",
            &SignedDistance { distance: Bracket { value: value + by, lower: lower + by, upper: upper + by }, ..good },
        );
    }
    asked.refuses(
        "bracket",
        &SignedDistance { distance: Bracket { value: -value, lower: -upper, upper: -lower }, ..good },
    );
    for wrong in asked.moved(point_in_body, normal) {
        asked.refuses(
            "point_in_body",
            &SignedDistance { witness: WitnessPoint { point: wrong, ..good.witness }, ..good },
        );
    }
    for wrong in no_normals(normal) {
        asked.refuses("normal", &SignedDistance { normal: wrong, ..good });
    }
    if !deep_in_union {
        for wrong in other_normals(normal, TURN) {
            asked.refuses("normal", &SignedDistance { normal: wrong, ..good });
        }
    }
    for wrong in wrong_features(&asked.shape, feature) {
        asked.refuses("feature", &SignedDistance { witness: WitnessPoint { feature: wrong, ..good.witness }, ..good });
    }
    for wrong in wrong_parts(&asked.shape, part) {
        asked.refuses("part", &SignedDistance { witness: WitnessPoint { part: wrong, ..good.witness }, ..good });
    }
}

fn perturb_closest(asked: &Asked) {
    let good = closest_point(&asked.shape, &asked.pose, asked.point);
    let ClosestPoint {
        distance: Bracket { value: distance, lower, upper },
        witness: WitnessPoint { point: point_in_body, feature, part },
    } = good;
    let scale = asked.scale();
    let by = 1e-6 * scale;
    if distance > 0.0 && distance < 0.02 * scale {
        return;
    }
    asked.accepts(&good);
    for wrong in NO_NUMBERS.into_iter().chain([upper + by, lower - by]) {
        asked.refuses("distance", &ClosestPoint { distance: Bracket { value: wrong, ..good.distance }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([distance + by]) {
        asked.refuses("lower", &ClosestPoint { distance: Bracket { lower: wrong, ..good.distance }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([distance - by, upper + by]) {
        asked.refuses("upper", &ClosestPoint { distance: Bracket { upper: wrong, ..good.distance }, ..good });
    }
    asked.refuses(
        "bracket",
        &ClosestPoint { distance: Bracket { value: distance + by, lower: lower + by, upper: upper + by }, ..good },
    );
    for wrong in wrong_parts(&asked.shape, part) {
        asked.refuses("part", &ClosestPoint { witness: WitnessPoint { part: wrong, ..good.witness }, ..good });
    }
    if distance == 0.0 {
        assert_eq!(feature, Feature::Interior);
        for wrong in [Feature::Face(0), Feature::Edge(0), Feature::Vertex(0)] {
            asked
                .refuses("feature", &ClosestPoint { witness: WitnessPoint { feature: wrong, ..good.witness }, ..good });
        }
        for axis in DVec3::AXES {
            asked.refuses(
                "point_in_body",
                &ClosestPoint { witness: WitnessPoint { point: point_in_body + axis * by, ..good.witness }, ..good },
            );
        }
        for wrong in with_no_numbers(point_in_body) {
            asked.refuses(
                "point_in_body",
                &ClosestPoint { witness: WitnessPoint { point: wrong, ..good.witness }, ..good },
            );
        }
        return;
    }
    asked.refuses("lower", &ClosestPoint { distance: Bracket { lower: lower - by, ..good.distance }, ..good });
    asked.refuses(
        "bracket",
        &ClosestPoint { distance: Bracket { value: distance - by, lower: lower - by, upper: upper - by }, ..good },
    );
    asked.refuses("bracket", &ClosestPoint { distance: Bracket { value: 0.0, lower: 0.0, upper: 0.0 }, ..good });
    let normal = (asked.point - asked.pose.transform_point(point_in_body)).normalize();
    for wrong in asked.moved(point_in_body, normal) {
        asked
            .refuses("point_in_body", &ClosestPoint { witness: WitnessPoint { point: wrong, ..good.witness }, ..good });
    }
    for wrong in wrong_features(&asked.shape, feature) {
        asked.refuses("feature", &ClosestPoint { witness: WitnessPoint { feature: wrong, ..good.witness }, ..good });
    }
}

fn perturb_hit(shape: &Shape, pose: &Pose, ray: &Ray, good: RayHit) {
    let RayHit {
        t: Bracket { value: t, lower, upper },
        witness: WitnessPoint { point: point_in_body, feature, part },
        normal,
        entering,
    } = good;
    let options = RayOptions { hit: RayHitMode::Any, ..RayOptions::line() };
    let check = |hit: &RayHit| hit.verify(shape, pose, ray, &options);
    assert_eq!(check(&good), Ok(()), "{good:?} {shape:?} {pose:?} {ray:?}");
    let refuses = |field: &str, hit: RayHit| {
        assert!(check(&hit).is_err(), "a false `{field}` was accepted: {hit:?}\n{shape:?} {pose:?} {ray:?}");
    };
    let step = 1e-6 / ray.direction.length();
    for wrong in NO_NUMBERS.into_iter().chain([upper + step, lower - step]) {
        refuses("t", RayHit { t: Bracket { value: wrong, ..good.t }, ..good });
    }
    for wrong in [f64::NAN, f64::INFINITY, t + step, lower - step] {
        refuses("lower", RayHit { t: Bracket { lower: wrong, ..good.t }, ..good });
    }
    for wrong in [f64::NAN, f64::NEG_INFINITY, t - step, upper + step] {
        refuses("upper", RayHit { t: Bracket { upper: wrong, ..good.t }, ..good });
    }
    for by in [step, -step] {
        refuses("bracket", RayHit { t: Bracket { value: t + by, lower: lower + by, upper: upper + by }, ..good });
    }
    let moves = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis * 1e-6, axis * -1e-6]);
    let far = [point_in_body + DVec3::splat(0.3), -point_in_body, DVec3::new(50.0, 60.0, 70.0)];
    for wrong in moves.map(|by| point_in_body + by).chain(far).chain(with_no_numbers(point_in_body)) {
        refuses("point_in_body", RayHit { witness: WitnessPoint { point: wrong, ..good.witness }, ..good });
    }
    for wrong in no_normals(normal).into_iter().chain(other_normals(normal, 5.0 * TURN)) {
        refuses("normal", RayHit { normal: wrong, ..good });
    }
    for wrong in wrong_features(shape, feature) {
        refuses("feature", RayHit { witness: WitnessPoint { feature: wrong, ..good.witness }, ..good });
    }
    for wrong in wrong_parts(shape, part) {
        refuses("part", RayHit { witness: WitnessPoint { part: wrong, ..good.witness }, ..good });
    }
    refuses("entering", RayHit { entering: !entering, ..good });
}

fn turned(random: &mut Random) -> Pose {
    let (axis, at) = (DVec3::from_array(random.direction()), vector(random, 2.0));
    Pose::from_axis_angle(axis, random.uniform(-3.0, 3.0), at).unwrap()
}

/// Every kind with an interior, one of each rounded, a union of two, terrain, and a half-space.
fn bodies(random: &mut Random) -> Vec<Shape> {
    let kinds = [0, 1, 2, 3, 4, 5, 8, 9];
    assert!(kinds.iter().all(|&kind| kind < CONVEX_KINDS));
    let mut all: Vec<Shape> = kinds.iter().map(|&kind| convex(random, kind)).collect();
    let rounded: Vec<Shape> =
        all.iter().map(|core| Shape::rounded(core.clone(), random.uniform(0.1, 0.5)).unwrap()).collect();
    all.extend(rounded);
    let parts = [1, 3].map(|kind| (turned(random), convex(random, kind)));
    all.push(Shape::compound(parts.to_vec()).unwrap());
    all.push(terrain(random));
    all.push(Shape::half_space(DVec3::from_array(random.direction()) * 2.0, 0.3).unwrap());
    all
}

#[test]
fn false_answers_about_points_are_refused() {
    let mut random = Random::new(61);
    for _ in 0..6 {
        for shape in bodies(&mut random) {
            let pose = turned(&mut random);
            let asked = Asked { point: pose.transform_point(vector(&mut random, 1.5)), shape, pose };
            perturb_signed(&asked);
            perturb_closest(&asked);
        }
    }
}

#[test]
fn false_hits_are_refused() {
    let mut random = Random::new(67);
    let mut seen = 0;
    for _ in 0..6 {
        for shape in bodies(&mut random) {
            let pose = turned(&mut random);
            let target = pose.transform_point(vector(&mut random, 0.4));
            let origin = target + DVec3::from_array(random.direction()) * 5.0;
            let ray = Ray::new(origin, (target - origin) * random.uniform(0.2, 2.0)).unwrap();
            let mut hits = Vec::new();
            ray_cast_all_with(&shape, &pose, &ray, &RayOptions::line(), &mut hits);
            let speed = ray.direction.length();
            let clear = |hit: &RayHit| {
                let others = hits.iter().filter(|other| other.t.value != hit.t.value);
                hit.normal.dot(ray.direction).abs() > 0.2 * speed
                    && others.map(|other| (other.t.value - hit.t.value).abs() * speed).fold(f64::INFINITY, f64::min)
                        > 0.1
            };
            // A point inside another part of a union is not a crossing.
            for hit in hits.iter().filter(|hit| clear(hit)) {
                seen += 1;
                perturb_hit(&shape, &pose, &ray, *hit);
            }
        }
    }
    assert!(seen > 60, "{seen}");
}
