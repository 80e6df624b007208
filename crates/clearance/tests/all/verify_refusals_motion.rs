//! False answers about moving bodies: each field is perturbed in turn, for bodies of every kind, and must be refused.
//!
//! The structs are destructured without `..`, so a new field does not compile until it is perturbed here too.

use clearance::answer::{ContactPairs, Impact, LeastClearance, NoImpact, RigidImpact, Witness, WitnessPoint};
use clearance::glam::{DVec2, DVec3};
use clearance::query::{RigidOptions, rigid_impact_with};
use clearance::shape::Feature;
use clearance::world::{FirstImpact, first_impact};
use clearance::{Bracket, Mesh, Motion, Pose, RigidMotion, Shape, Workspace, least_clearance, time_of_impact};

use crate::common::false_claims::{NO_NUMBERS, no_normals, other_normals, with_a, with_b, with_no_numbers};
use crate::common::meshes::bumpy_ball;

/// The rotation of a normal that must be refused: between curved bodies a plane across it moves by the square of that.
const TURN: f64 = 1e-2;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(DVec3::new(x, y, z)).unwrap()
}

/// Features that do not exist.
const NO_FEATURES: [Feature; 3] = [Feature::Vertex(999), Feature::Edge(999), Feature::Face(999)];

/// A point of a body's frame moved off its surface, away along it, and far away.
fn moved(point: DVec3, pose: &Pose, normal: DVec3, scale: f64) -> Vec<DVec3> {
    let own = |v: DVec3| pose.rotation().transpose() * v;
    let mut moved = vec![
        point + own(normal) * (1e-5 * scale),
        point - own(normal) * (1e-5 * scale),
        point + own(normal.any_orthonormal_vector()) * scale,
        DVec3::new(50.0, 60.0, 70.0),
    ];
    moved.extend(with_no_numbers(point));
    moved
}

/// A part other than the reported one that does not contain its point, and one that does not exist.
fn wrong_parts(shape: &Shape, part: u32) -> Vec<u32> {
    let other = match shape {
        Shape::Compound(compound) => (part + 1) % compound.parts().len() as u32,
        Shape::Mesh(mesh) => (part + mesh.triangles().len() as u32 / 2) % mesh.triangles().len() as u32,
        Shape::HeightField(field) => (part + field.triangle_count() as u32 / 2) % field.triangle_count() as u32,
        _ => 1,
    };
    vec![other, u32::MAX]
}

fn turned() -> Pose {
    Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.7, DVec3::new(0.1, 0.2, 0.3)).unwrap()
}

/// Makes each field of an answer about two bodies that come to touch wrong in turn.
fn perturb_impact(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) {
    let good = time_of_impact(a, motion_a, b, motion_b).unwrap();
    let check = |impact: &Impact| impact.verify(a, motion_a, b, motion_b);
    assert_eq!(check(&good), Ok(()), "{good:?}");
    let refuses = |field: &str, impact: Impact| {
        assert!(check(&impact).is_err(), "a false `{field}` was accepted: {impact:?}\n{a:?} {b:?}");
    };
    let Impact {
        // The algorithm and the number of readings are not claims about the bodies.
        time: Bracket { value: t, lower, upper },
        touches,
        gap,
        margin,
        placement,
        witness:
            Witness {
                a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
            },
        normal,
        started_overlapping,
        evidence: _,
        deep,
        algorithm: _,
        steps: _,
    } = good;
    assert!(touches && !started_overlapping && gap == 0.0 && margin == 0.0);
    let in_parts = [a, b].iter().any(|shape| matches!(shape, Shape::Compound(_)));
    let normal = normal.unwrap();
    for wrong in NO_NUMBERS.into_iter().chain([upper + 1e-15, lower - 1e-15]) {
        refuses("t", Impact { time: Bracket { value: wrong, ..good.time }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([-0.1, t + 1e-12]) {
        refuses("lower", Impact { time: Bracket { lower: wrong, ..good.time }, ..good });
    }
    refuses("lower", Impact { time: Bracket { lower: upper, value: upper, ..good.time }, ..good });
    for wrong in NO_NUMBERS.into_iter().chain([1.5, t - 1e-12]) {
        refuses("upper", Impact { time: Bracket { upper: wrong, ..good.time }, ..good });
    }
    refuses("upper", Impact { time: Bracket { upper: lower, value: lower, ..good.time }, ..good });
    if !in_parts {
        refuses("upper", Impact { time: Bracket { upper: upper + 1e-7, ..good.time }, ..good });
    }
    for by in [1e-12, -1e-9] {
        refuses("bracket", Impact { time: Bracket { value: t + by, lower: lower + by, upper: upper + by }, ..good });
    }
    refuses("touches", Impact { touches: false, ..good });
    for wrong in NO_NUMBERS.into_iter().chain([1e-3, -1e-3]) {
        refuses("gap", Impact { gap: wrong, ..good });
        refuses("margin", Impact { margin: wrong, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([-1.0, -1e-300, 1e-6]) {
        refuses("placement", Impact { placement: wrong, ..good });
    }
    if !in_parts {
        assert!(placement > 0.0);
        refuses("placement", Impact { placement: 0.0, ..good });
    }
    let there = (motion_a.at(t), motion_b.at(t));
    for wrong in moved(point_in_a, &there.0, normal, 1.0) {
        refuses("point_in_a", Impact { witness: with_a(good.witness, |a| a.point = wrong), ..good });
    }
    for wrong in moved(point_in_b, &there.1, normal, 1.0) {
        refuses("point_in_b", Impact { witness: with_b(good.witness, |b| b.point = wrong), ..good });
    }
    // Both together, off the surfaces.
    let both = [&there.0, &there.1].map(|pose| pose.rotation().transpose() * DVec3::new(50.0, 60.0, 70.0));
    refuses(
        "points",
        Impact {
            witness: Witness {
                a: WitnessPoint { point: point_in_a + both[0], ..good.witness.a },
                b: WitnessPoint { point: point_in_b + both[1], ..good.witness.b },
            },
            ..good
        },
    );
    for wrong in wrong_parts(a, part_a) {
        refuses("part_a", Impact { witness: with_a(good.witness, |a| a.part = wrong), ..good });
    }
    for wrong in wrong_parts(b, part_b) {
        refuses("part_b", Impact { witness: with_b(good.witness, |b| b.part = wrong), ..good });
    }
    // `Interior` is reported if rounding ended the search before it had a feature.
    assert!(feature_a != Feature::Interior || feature_b != Feature::Interior, "{good:?}");
    for wrong in NO_FEATURES {
        refuses("feature_a", Impact { witness: with_a(good.witness, |a| a.feature = wrong), ..good });
        refuses("feature_b", Impact { witness: with_b(good.witness, |b| b.feature = wrong), ..good });
    }
    refuses("normal", Impact { normal: None, ..good });
    for wrong in no_normals(normal).into_iter().chain(other_normals(normal, TURN)) {
        refuses("normal", Impact { normal: Some(wrong), ..good });
    }
    refuses("started_overlapping", Impact { started_overlapping: true, ..good });
    refuses("started_overlapping", Impact { started_overlapping: true, normal: None, ..good });
    let (evidence, none) = (ContactPairs::default(), None);
    match deep {
        None => refuses("evidence", Impact { evidence, ..good }),
        Some([deep_a, deep_b]) => {
            refuses("deep", Impact { evidence, deep: none, ..good });
            for wrong in with_no_numbers(deep_a) {
                refuses("deep", Impact { deep: Some([wrong, deep_b]), ..good });
            }
            for wrong in with_no_numbers(deep_b) {
                refuses("deep", Impact { deep: Some([deep_a, wrong]), ..good });
            }
        }
    }
}

#[test]
fn false_impacts_are_refused() {
    let other = turned().interpolate(&at(-6.0, 0.4, 0.3), 1.0).unwrap();
    let way = DVec3::new(12.0, 0.3, -0.2);
    let (motion_a, motion_b) = (Motion::still(turned()), Motion::translation(other, way).unwrap());
    let cube = cuboid(1.0, 1.0, 1.0);
    let corner = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    let can = Shape::cylinder(1.0, 0.5).unwrap();
    let egg = Shape::ellipsoid(DVec3::new(1.0, 0.7, 0.5)).unwrap();
    let hat = Shape::cone(0.8, 0.6).unwrap();
    let wall = Shape::half_space(DVec3::new(-1.0, 0.1, 0.2), -0.3).unwrap();
    let (ball, pill) = (Shape::sphere(0.5).unwrap(), Shape::capsule(1.0, 0.2).unwrap());
    let bar = cuboid(0.3, 0.4, 0.5);
    let pairs = [
        (&cube, &ball),
        (&cube, &bar),
        (&corner, &pill),
        (&can, &egg),
        (&egg, &hat),
        (&hat, &cube),
        (&cube, &can),
        (&egg, &egg),
        (&wall, &can),
        (&wall, &egg),
        (&wall, &hat),
        (&wall, &cube),
    ];
    for (a, b) in pairs {
        perturb_impact(a, &motion_a, b, &motion_b);
    }
    let along = |z: f64| Pose::from_axis_angle(DVec3::X, 0.3 * z, DVec3::new(0.0, 0.3 * z, z)).unwrap();
    let (bar, disc) = (cuboid(0.2, 0.3, 1.0), Shape::cylinder(0.2, 0.6).unwrap());
    let parts = vec![(along(0.0), bar.clone()), (along(-1.0), disc.clone()), (along(1.0), disc)];
    let dumbbell = Shape::compound(parts).unwrap();
    for body in [&dumbbell, &bar, &ball, &hat] {
        perturb_impact(&dumbbell, &motion_a, body, &motion_b);
    }
}

/// Bodies overlapping at the start have a common point, which the answer reports.
#[test]
fn false_impacts_at_the_start_are_refused() {
    let (still, leaving) =
        (Motion::still(turned()), Motion::translation(at(0.4, 0.3, 0.5), DVec3::new(9.0, 0.0, 0.0)).unwrap());
    let round = Shape::rounded(cuboid(0.5, 0.4, 0.3), 0.2).unwrap();
    for (a, b) in [
        (cuboid(0.5, 0.6, 0.7), cuboid(0.3, 0.4, 0.5)),
        (Shape::sphere(0.7).unwrap(), cuboid(0.3, 0.4, 0.5)),
        (round, Shape::capsule(0.4, 0.3).unwrap()),
        (Shape::cylinder(0.5, 0.4).unwrap(), Shape::cone(0.5, 0.5).unwrap()),
    ] {
        let good = time_of_impact(&a, &still, &b, &leaving).unwrap();
        let check = |impact: &Impact| impact.verify(&a, &still, &b, &leaving);
        assert_eq!(check(&good), Ok(()), "{good:?}");
        assert!(good.started_overlapping && good.time.upper == 0.0 && good.normal.is_none());
        let refuses = |field: &str, impact: Impact| {
            assert!(check(&impact).is_err(), "a false `{field}` was accepted: {impact:?}\n{a:?} {b:?}");
        };
        for axis in DVec3::AXES {
            refuses(
                "point_in_a",
                Impact { witness: with_a(good.witness, |a| a.point = good.witness.a.point + axis * 0.05), ..good },
            );
            refuses(
                "point_in_b",
                Impact { witness: with_b(good.witness, |b| b.point = good.witness.b.point - axis * 0.05), ..good },
            );
        }
        let away = [still.at(0.0), leaving.at(0.0)].map(|pose| pose.rotation().transpose() * DVec3::splat(9.0));
        let (point_in_a, point_in_b) = (good.witness.a.point + away[0], good.witness.b.point + away[1]);
        refuses(
            "points",
            Impact {
                witness: Witness {
                    a: WitnessPoint { point: point_in_a, ..good.witness.a },
                    b: WitnessPoint { point: point_in_b, ..good.witness.b },
                },
                ..good
            },
        );
        for wrong in NO_FEATURES {
            refuses("feature_a", Impact { witness: with_a(good.witness, |a| a.feature = wrong), ..good });
            refuses("feature_b", Impact { witness: with_b(good.witness, |b| b.feature = wrong), ..good });
        }
        refuses("normal", Impact { normal: Some(DVec3::X), ..good });
        refuses("started_overlapping", Impact { started_overlapping: false, ..good });
        refuses("upper", Impact { time: Bracket { upper: 0.5, ..good.time }, ..good });
    }
}

/// Two rotating bodies.
struct Turning {
    a: Shape,
    motion_a: RigidMotion,
    b: Shape,
    motion_b: RigidMotion,
}

impl Turning {
    fn impact(&self, options: &RigidOptions) -> RigidImpact {
        let Turning { a, motion_a, b, motion_b } = self;
        rigid_impact_with(a, motion_a, b, motion_b, options, &mut Workspace::default()).unwrap()
    }

    /// Perturbs what every answer has; the rest is the caller's.
    fn perturb(&self, good: RigidImpact) -> impl Fn(&str, RigidImpact) {
        let Turning { a, motion_a, b, motion_b } = self;
        let check = move |impact: &RigidImpact| impact.verify(a, motion_a, b, motion_b);
        assert_eq!(check(&good), Ok(()), "{good:?}");
        let refuses = move |field: &str, impact: RigidImpact| {
            assert!(check(&impact).is_err(), "a false `{field}` was accepted: {impact:?}\n{a:?} {b:?}");
        };
        let RigidImpact {
            // The algorithm is not a claim about the bodies; a count of zero is invalid.
            time: Bracket { value: t, lower, upper },
            touches,
            gap,
            margin,
            pose_a,
            pose_b,
            witness:
                Witness {
                    a: WitnessPoint { point: _, part: part_a, feature: _ },
                    b: WitnessPoint { point: _, part: part_b, feature: _ },
                },
            normal,
            started_overlapping,
            deep,
            algorithm: _,
            steps,
        } = good;
        assert!(steps > 0);
        refuses("steps", RigidImpact { steps: 0, ..good });
        for wrong in NO_NUMBERS.into_iter().chain([lower - 1e-6, upper + 1e-6]) {
            refuses("t", RigidImpact { time: Bracket { value: wrong, ..good.time }, ..good });
        }
        for wrong in NO_NUMBERS.into_iter().chain([t + 1e-6, -1e-300]) {
            refuses("lower", RigidImpact { time: Bracket { lower: wrong, ..good.time }, ..good });
        }
        for wrong in NO_NUMBERS.into_iter().chain([t - 1e-6, 1.5]) {
            refuses("upper", RigidImpact { time: Bracket { upper: wrong, ..good.time }, ..good });
        }
        refuses("touches", RigidImpact { touches: !touches, ..good });
        for wrong in NO_NUMBERS.into_iter().chain([-1.0, if touches { 1e-3 } else { 0.5 * gap }]) {
            refuses("gap", RigidImpact { gap: wrong, ..good });
        }
        for wrong in NO_NUMBERS.into_iter().chain([-1.0]) {
            refuses("margin", RigidImpact { margin: wrong, ..good });
        }
        if margin > 0.0 {
            refuses("margin", RigidImpact { margin: 0.5 * margin, ..good });
        }
        for wrong in [at(1e-6, 0.0, 0.0), at(0.0, -1e-3, 9.0)] {
            let aside = |pose: &Pose| Pose::new(pose.rotation(), pose.translation() + wrong.translation()).unwrap();
            refuses("pose_a", RigidImpact { pose_a: aside(&pose_a), ..good });
            refuses("pose_b", RigidImpact { pose_b: aside(&pose_b), ..good });
        }
        refuses("part_a", RigidImpact { witness: with_a(good.witness, |a| a.part = u32::MAX), ..good });
        refuses("part_b", RigidImpact { witness: with_b(good.witness, |b| b.part = u32::MAX), ..good });
        refuses("deep", RigidImpact { deep: [u32::MAX, deep[1]], ..good });
        refuses("deep", RigidImpact { deep: [deep[0], u32::MAX], ..good });
        for wrong in NO_FEATURES {
            refuses("feature_a", RigidImpact { witness: with_a(good.witness, |a| a.feature = wrong), ..good });
            refuses("feature_b", RigidImpact { witness: with_b(good.witness, |b| b.feature = wrong), ..good });
        }
        refuses("started_overlapping", RigidImpact { started_overlapping: !started_overlapping, ..good });
        assert_eq!(started_overlapping, normal.is_none());
        let _ = (part_a, part_b);
        refuses
    }

    /// Perturbs an answer about bodies that come near each other.
    fn perturb_contact(&self, good: RigidImpact) {
        let refuses = self.perturb(good);
        let RigidImpact {
            time: Bracket { value: t, lower, upper },
            touches,
            margin,
            witness:
                Witness {
                    a: WitnessPoint { point: point_in_a, part: part_a, .. },
                    b: WitnessPoint { point: point_in_b, part: part_b, .. },
                },
            ..
        } = good;
        let normal = good.normal.unwrap();
        for by in [1e-4, -1e-4] {
            refuses(
                "bracket",
                RigidImpact { time: Bracket { value: t + by, lower: lower + by, upper: upper + by }, ..good },
            );
        }
        if touches && margin == 0.0 {
            refuses("upper", RigidImpact { time: Bracket { upper: t, ..good.time }, ..good });
        }
        refuses("margin", RigidImpact { margin: margin + 0.05, ..good });
        for wrong in moved(point_in_a, &good.pose_a, normal, 1.0) {
            refuses("point_in_a", RigidImpact { witness: with_a(good.witness, |a| a.point = wrong), ..good });
        }
        for wrong in moved(point_in_b, &good.pose_b, normal, 1.0) {
            refuses("point_in_b", RigidImpact { witness: with_b(good.witness, |b| b.point = wrong), ..good });
        }
        // Both together, as far from each other as before.
        let both = [&good.pose_a, &good.pose_b].map(|pose| pose.rotation().transpose() * DVec3::new(50.0, 60.0, 70.0));
        refuses(
            "points",
            RigidImpact {
                witness: Witness {
                    a: WitnessPoint { point: point_in_a + both[0], ..good.witness.a },
                    b: WitnessPoint { point: point_in_b + both[1], ..good.witness.b },
                },
                ..good
            },
        );
        for wrong in wrong_parts(&self.a, part_a) {
            refuses("part_a", RigidImpact { witness: with_a(good.witness, |a| a.part = wrong), ..good });
        }
        for wrong in wrong_parts(&self.b, part_b) {
            refuses("part_b", RigidImpact { witness: with_b(good.witness, |b| b.part = wrong), ..good });
        }
        refuses("feature_a", RigidImpact { witness: with_a(good.witness, |a| a.feature = Feature::Interior), ..good });
        refuses("feature_b", RigidImpact { witness: with_b(good.witness, |b| b.feature = Feature::Interior), ..good });
        refuses("normal", RigidImpact { normal: None, ..good });
        for wrong in no_normals(normal).into_iter().chain(other_normals(normal, TURN)) {
            refuses("normal", RigidImpact { normal: Some(wrong), ..good });
        }
    }
}

/// A body that spins and falls down.
fn falling(height: f64) -> RigidMotion {
    let start = Pose::from_axis_angle(DVec3::new(1.0, 2.0, -0.5), 0.4, DVec3::new(0.2, 0.1, height)).unwrap();
    RigidMotion::turning(start, DVec3::new(0.3, -0.2, -3.0), DVec3::new(0.2, 0.5, 0.3), 0.8).unwrap()
}

/// Pairs of every kind, the second one falling onto the first.
fn turning() -> Vec<Turning> {
    let table = Shape::compound(vec![
        (at(-0.6, 0.0, 0.0), cuboid(0.5, 1.5, 0.2)),
        (at(0.6, 0.0, 0.0), { Shape::cylinder(0.2, 0.9).unwrap() }),
    ]);
    let hills = (0..81).map(|k| ((k % 9) as f32 * 0.7).sin() * 0.2 + ((k / 9) as f32 * 0.9).cos() * 0.2).collect();
    let ground = Shape::height_field(9, 9, DVec2::splat(0.5), hills).unwrap();
    let (points, triangles) = bumpy_ball(5, 0.8, DVec3::ZERO, 0.1);
    let surface = Mesh::new(&points, &triangles).unwrap();
    let below = [
        (cuboid(1.5, 1.5, 0.2), at(0.0, 0.0, 0.0)),
        (Shape::sphere(0.8).unwrap(), at(0.0, 0.0, 0.0)),
        (Shape::half_space(DVec3::Z, 0.0).unwrap(), at(0.0, 0.0, 0.0)),
        (table.unwrap(), at(0.0, 0.0, 0.0)),
        (Shape::Mesh(surface.solid().unwrap()), at(0.0, 0.0, -0.3)),
        (Shape::Mesh(surface), at(0.0, 0.0, -0.3)),
        (ground, at(-2.0, -2.0, 0.0)),
    ];
    let above = [cuboid(0.3, 0.4, 0.5), Shape::cylinder(0.4, 0.3).unwrap(), Shape::capsule(0.4, 0.2).unwrap()];
    let mut all = Vec::new();
    for (k, (a, pose)) in below.into_iter().enumerate() {
        let (motion_a, motion_b) = (RigidMotion::still(pose), falling(2.5));
        all.push(Turning { a, motion_a, b: above[k % above.len()].clone(), motion_b });
    }
    all
}

#[test]
fn false_rigid_impacts_are_refused() {
    for case in turning() {
        let good = case.impact(&RigidOptions::default());
        assert!(good.touches && !good.started_overlapping && good.time.value > 0.0, "{good:?}");
        case.perturb_contact(good);
    }
}

#[test]
fn false_rigid_impacts_with_a_margin_are_refused() {
    for case in turning().iter().take(4) {
        let good = case.impact(&RigidOptions { margin: 0.1, ..RigidOptions::default() });
        assert!(good.touches && good.margin == 0.1 && good.time.value > 0.0, "{good:?}");
        case.perturb_contact(good);
    }
}

#[test]
fn false_rigid_impacts_that_do_not_touch_are_refused() {
    // Near enough, and never in contact.
    let start = at(-5.0, 0.0, 0.605);
    let case = Turning {
        a: Shape::sphere(0.5).unwrap(),
        motion_a: RigidMotion::turning(start, DVec3::X * 10.0, DVec3::Y, 3.0).unwrap(),
        b: cuboid(1.0, 1.0, 0.1),
        motion_b: RigidMotion::still(Pose::IDENTITY),
    };
    let good = case.impact(&RigidOptions { tolerance: 0.01, ..RigidOptions::default() });
    assert!(!good.touches && good.gap > 0.0, "{good:?}");
    case.perturb_contact(good);
}

#[test]
fn false_rigid_impacts_at_the_start_are_refused() {
    for mut case in turning() {
        case.motion_b = RigidMotion::turning(at(0.3, 0.2, 0.3), DVec3::Z * 3.0, DVec3::X, 1.0).unwrap();
        let good = case.impact(&RigidOptions::default());
        assert!(good.started_overlapping && good.time.upper == 0.0, "{good:?}");
        let refuses = case.perturb(good);
        refuses("normal", RigidImpact { normal: Some(DVec3::X), ..good });
        for axis in DVec3::AXES {
            refuses(
                "point_in_a",
                RigidImpact { witness: with_a(good.witness, |a| a.point = good.witness.a.point + axis * 1e-3), ..good },
            );
            refuses(
                "point_in_b",
                RigidImpact { witness: with_b(good.witness, |b| b.point = good.witness.b.point - axis * 1e-3), ..good },
            );
        }
        for wrong in with_no_numbers(good.witness.a.point) {
            refuses("point_in_a", RigidImpact { witness: with_a(good.witness, |a| a.point = wrong), ..good });
        }
        let away = [&good.pose_a, &good.pose_b].map(|pose| pose.rotation().transpose() * DVec3::splat(90.0));
        let (point_in_a, point_in_b) = (good.witness.a.point + away[0], good.witness.b.point + away[1]);
        refuses(
            "points",
            RigidImpact {
                witness: Witness {
                    a: WitnessPoint { point: point_in_a, ..good.witness.a },
                    b: WitnessPoint { point: point_in_b, ..good.witness.b },
                },
                ..good
            },
        );
    }
}

#[test]
fn false_least_clearances_are_refused() {
    for mut case in turning() {
        // It passes above.
        let start = Pose::from_axis_angle(DVec3::X, 0.4, DVec3::new(-2.0, 0.1, 2.0)).unwrap();
        case.motion_b = RigidMotion::turning(start, DVec3::X * 4.0, DVec3::new(0.2, 1.0, 0.3), 2.0).unwrap();
        let Turning { a, motion_a, b, motion_b } = &case;
        let good = least_clearance(a, motion_a, b, motion_b).unwrap();
        let check = |least: &LeastClearance| least.verify(a, motion_a, b, motion_b);
        assert_eq!(check(&good), Ok(()), "{good:?}");
        let refuses = |field: &str, least: LeastClearance| {
            assert!(check(&least).is_err(), "a false `{field}` was accepted: {least:?}\n{a:?} {b:?}");
        };
        let LeastClearance {
            time: t,
            gap: Bracket { lower, upper, .. },
            witness: Witness { a: WitnessPoint { point: point_in_a, .. }, b: WitnessPoint { point: point_in_b, .. } },
            readings,
        } = good;
        assert!(lower > 0.0 && readings > 0);
        let other = if t < 0.5 { 1.0 } else { 0.0 };
        for wrong in NO_NUMBERS.into_iter().chain([-1e-9, 1.1, other]) {
            refuses("t", LeastClearance { time: wrong, ..good });
        }
        for wrong in NO_NUMBERS.into_iter().chain([upper * 1.001, -1e-300]) {
            refuses("lower", LeastClearance { gap: Bracket { lower: wrong, ..good.gap }, ..good });
        }
        for wrong in NO_NUMBERS.into_iter().chain([0.9 * lower, -1e-300]) {
            refuses("upper", LeastClearance { gap: Bracket { upper: wrong, ..good.gap }, ..good });
        }
        refuses("bracket", LeastClearance { gap: Bracket::between(0.9 * lower, 0.9 * lower), ..good });
        refuses("bracket", LeastClearance { gap: Bracket::between(1.1 * upper, 1.2 * upper), ..good });
        let poses = (motion_a.at(t), motion_b.at(t));
        let between = poses.1.transform_point(point_in_b) - poses.0.transform_point(point_in_a);
        let normal = between.normalize();
        // Into the body by less than the bracket is wide, a point still belongs to it.
        let out = [poses.0.rotation().transpose() * normal, poses.1.rotation().transpose() * -normal];
        for by in [1e-5, 1e-3, 1.0] {
            refuses(
                "point_in_a",
                LeastClearance { witness: with_a(good.witness, |a| a.point = point_in_a + out[0] * by), ..good },
            );
            refuses(
                "point_in_b",
                LeastClearance { witness: with_b(good.witness, |b| b.point = point_in_b + out[1] * by), ..good },
            );
        }
        for wrong in moved(point_in_a, &poses.0, normal, 1.0).into_iter().skip(2) {
            refuses("point_in_a", LeastClearance { witness: with_a(good.witness, |a| a.point = wrong), ..good });
        }
        for wrong in moved(point_in_b, &poses.1, normal, 1.0).into_iter().skip(2) {
            refuses("point_in_b", LeastClearance { witness: with_b(good.witness, |b| b.point = wrong), ..good });
        }
        // Both together, as far from each other as before.
        let both = [&poses.0, &poses.1].map(|pose| pose.rotation().transpose() * DVec3::new(50.0, 60.0, 70.0));
        let (point_in_a, point_in_b) = (point_in_a + both[0], point_in_b + both[1]);
        refuses(
            "points",
            LeastClearance {
                witness: Witness {
                    a: WitnessPoint { point: point_in_a, ..good.witness.a },
                    b: WitnessPoint { point: point_in_b, ..good.witness.b },
                },
                ..good
            },
        );
        // The number of readings; zero is invalid.
        refuses("readings", LeastClearance { readings: 0, ..good });
    }
}

#[test]
fn false_first_impacts_are_refused() {
    let ball = Shape::sphere(1.0).unwrap();
    let fly = |x: f64, way: f64| RigidMotion::turning(at(x, 0.0, 0.0), DVec3::X * way, DVec3::Z, 1.0).unwrap();
    let all = [
        (ball.clone(), RigidMotion::still(Pose::IDENTITY)),
        (ball.clone(), fly(5.0, -4.0)),
        (ball.clone(), fly(-5.0, 9.0)),
    ];
    let good = first_impact(&all, |_, _| true).unwrap();
    let check = |first: &FirstImpact| first.verify(&all, |_, _| true);
    assert_eq!(check(&good), Ok(()));
    let refuses = |field: &str, change: &dyn Fn(&mut FirstImpact)| {
        let mut first = good.clone();
        change(&mut first);
        assert!(check(&first).is_err(), "a false `{field}` was accepted: {first:?}");
    };
    let FirstImpact { a, b, impact, poses } = &good;
    assert_eq!((*a, *b, poses.len()), (0, 2, 3));
    refuses("a", &|first| first.a = 1);
    refuses("b", &|first| first.b = 1);
    refuses("b", &|first| first.b = 7);
    refuses("a and b", &|first| (first.a, first.b) = (2, 0));
    refuses("impact", &|first| {
        (first.impact.time.lower, first.impact.time.value, first.impact.time.upper) = (0.9, 0.9, 0.9)
    });
    refuses("impact", &|first| first.impact.witness.b.point = impact.witness.b.point + DVec3::Y);
    refuses("poses", &|first| first.poses.truncate(2));
    for k in 0..3 {
        refuses("poses", &|first| first.poses[k] = at(0.1, 0.0, 0.0));
    }
    refuses("margin", &|first| first.impact.margin = 0.5);
}

/// Two cubes that pass each other in straight lines are proved not to touch, however close; slightly lower they do.
#[test]
fn straight_passes_are_proved_by_one_plane() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let still = Motion::still(Pose::IDENTITY);
    for gap in [1e-2, 1e-5, 1e-8, 1e-10, 1e-12] {
        for way in [1.0, 1e3] {
            // Positions along the path are rounded to about 64u of it.
            if gap < 1e-14 * way {
                continue;
            }
            let start = Pose::from_translation(DVec3::new(-0.5 * way, 0.25, 2.0 + gap)).unwrap();
            let passing = Motion::translation(start, DVec3::new(way, 0.0, 0.0)).unwrap();
            let none = time_of_impact(&cube, &passing, &cube, &still).unwrap_err();
            assert_eq!(none.verify(&cube, &passing, &cube, &still), Ok(()), "{gap} {way}");
            let margin = NoImpact { margin: 1.01 * gap, ..none };
            assert!(margin.verify(&cube, &passing, &cube, &still).is_err(), "{gap} {way}");
        }
    }
}
