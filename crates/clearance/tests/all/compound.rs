//! Compounds: against brute force over their parts, and by `verify`.

use clearance::answer::{Method, RelationProof, Stopped};
use clearance::glam::{DQuat, DVec3};
use clearance::query::{
    DistanceOptions, IntersectsOptions, PenetrationOptions, RelationOptions, distance_with, intersects_with,
    penetration_with, relation_with,
};
use clearance::verify::Refusal;
use clearance::{Bracket, PairCache, Pose, Relation, Shape, Workspace, distance, intersects, penetration};
use clearance_oracle::random::Random;

use crate::common::false_claims::{with_a, with_b};

fn vector(random: &mut Random) -> DVec3 {
    DVec3::from_array(random.direction())
}

fn size(random: &mut Random) -> f64 {
    0.2 + 0.5 * random.direction()[0].abs()
}

fn pose(random: &mut Random, at: DVec3) -> Pose {
    let angle = 3.0 * random.direction()[1];
    Pose::from_quat(DQuat::from_axis_angle(vector(random).normalize(), angle), at).unwrap()
}

const KINDS: usize = 10;

fn body(random: &mut Random, kind: usize) -> Shape {
    let sizes = DVec3::new(size(random), size(random), size(random));
    match kind {
        0 => Shape::sphere(sizes.x),
        1 => Shape::cuboid(sizes),
        2 => Shape::hull(&(0..14).map(|_| random.direction()).collect::<Vec<_>>()),
        3 => Shape::capsule(sizes.x, sizes.y),
        4 => Shape::cylinder(sizes.x, sizes.y),
        5 => Shape::cone(sizes.x, sizes.y),
        6 => Shape::ellipsoid(sizes),
        7 => Shape::rounded(Shape::cuboid(sizes).unwrap(), 0.1),
        8 => Shape::triangle(vector(random), vector(random), vector(random)),
        _ => Shape::half_space(vector(random), -4.0),
    }
    .unwrap()
}

fn compound(random: &mut Random, count: usize, spread: f64) -> Shape {
    let parts = (0..count).map(|k| {
        let at = vector(random) * spread;
        (pose(random, at), body(random, k % 9))
    });
    Shape::compound(parts.collect()).unwrap()
}

fn proof_of(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> RelationProof {
    let options = RelationOptions::default();
    relation_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut Workspace::default())
}

fn parts_of(shape: &Shape) -> Vec<(Pose, Shape)> {
    match shape {
        Shape::Compound(compound) => compound.parts().to_vec(),
        whole => vec![(Pose::IDENTITY, whole.clone())],
    }
}

/// The pose of a part in the world, rounded.
fn composed(pose: &Pose, part: &Pose) -> Pose {
    Pose::new(pose.rotation() * part.rotation(), pose.transform_point(part.translation())).unwrap()
}

/// Makes every query, verifies each answer, swaps the bodies, and compares with all pairs of parts. Returns the
/// distance, and whether the depth has the accuracy of the contract.
fn check(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, rounding: f64) -> (f64, bool) {
    let context = || format!("{a:?} {pose_a:?}\n{b:?} {pose_b:?}");
    let gap = distance(a, pose_a, b, pose_b);
    gap.verify(a, pose_a, b, pose_b).unwrap_or_else(|e| panic!("{e}: {gap:?}\n{}", context()));
    assert_eq!(gap.method, Method::Parts, "{gap:?}\n{}", context());
    let back = distance(b, pose_b, a, pose_a);
    assert_eq!((back.gap.value, back.gap.lower, back.gap.upper), (gap.gap.value, gap.gap.lower, gap.gap.upper));
    if a != b || pose_a != pose_b {
        assert_eq!(
            (back.witness.a.part, back.witness.b.part, back.witness.a.point),
            (gap.witness.b.part, gap.witness.a.part, gap.witness.b.point)
        );
    }
    assert_eq!(back.normal.map(|n| -n), gap.normal);

    let deep = penetration(a, pose_a, b, pose_b).unwrap();
    deep.verify(a, pose_a, b, pose_b).unwrap_or_else(|e| panic!("{e}: {deep:?}\n{}", context()));
    let back = penetration(b, pose_b, a, pose_a).unwrap();
    assert_eq!(
        (back.depth.value, back.depth.lower, back.depth.upper),
        (deep.depth.value, deep.depth.lower, deep.depth.upper)
    );
    // Bit-identical bodies are indistinguishable.
    let same = a == b && pose_a == pose_b;
    assert!(same || -back.normal == deep.normal, "{}", context());

    let proof = proof_of(a, pose_a, b, pose_b);
    proof.verify(a, pose_a, b, pose_b).unwrap_or_else(|e| panic!("{e}: {proof:?}\n{}", context()));
    let back = proof_of(b, pose_b, a, pose_a);
    assert_eq!((back.relation, back.gap.lower, back.gap.upper), (proof.relation, proof.gap.lower, proof.gap.upper));

    let mut least = f64::INFINITY;
    let mut most: f64 = 0.0;
    for (part_a, shape_a) in &parts_of(a) {
        for (part_b, shape_b) in &parts_of(b) {
            let (at_a, at_b) = (composed(pose_a, part_a), composed(pose_b, part_b));
            least = least.min(distance(shape_a, &at_a, shape_b, &at_b).gap.value);
            most = most.max(penetration(shape_a, &at_a, shape_b, &at_b).unwrap().depth.lower);
        }
    }
    assert!(gap.gap.lower <= least + rounding && least <= gap.gap.upper + rounding, "{least:e} {gap:?}\n{}", context());
    assert!((deep.depth.lower - most).abs() <= rounding, "{most:e} {deep:?}\n{}", context());
    assert!(deep.depth.lower <= deep.depth.value && deep.depth.value <= deep.depth.upper);
    assert_eq!(intersects(a, pose_a, b, pose_b), gap.gap.value == 0.0, "{gap:?}\n{}", context());
    match proof.relation {
        Relation::Separated => assert!(least > 0.0),
        Relation::Overlapping => assert!(most > 0.0),
        Relation::Touching => assert!(least <= rounding && most <= rounding),
    }
    (gap.gap.value, deep.method == Method::Parts)
}

#[test]
fn agrees_with_brute_force_over_the_parts() {
    let mut random = Random::new(5);
    let (mut apart, mut meeting, mut tight) = (0, 0, 0);
    for round in 0..60 {
        let a = compound(&mut random, 2 + round % 5, 1.5);
        let b = if round % 2 == 0 {
            compound(&mut random, 2 + round % 3, 1.5)
        } else {
            body(&mut random, round / 2 % KINDS)
        };
        let pose_a = pose(&mut random, DVec3::ZERO);
        let at = vector(&mut random) * [5.0, 3.0, 1.5][round % 3];
        let pose_b = pose(&mut random, at);
        let (gap, complete) = check(&a, &pose_a, &b, &pose_b, 1e-12);
        apart += usize::from(gap > 0.0);
        meeting += usize::from(gap == 0.0);
        tight += usize::from(gap == 0.0 && complete);
    }
    assert!(apart > 10 && meeting > 10, "{apart} {meeting}");
    println!("{apart} apart, {meeting} meeting, of them {tight} with a tight depth");
}

#[test]
fn far_tiny_and_coincident() {
    let mut random = Random::new(6);
    for round in 0..12 {
        let (a, b) = (compound(&mut random, 4, 1.5), compound(&mut random, 3, 1.5));
        let far = DVec3::new(1e7, -2e7, 3e6);
        let (pose_a, pose_b) = (pose(&mut random, far), pose(&mut random, far + DVec3::new(6.0, 1.0, 0.0)));
        let gap = distance(&a, &pose_a, &b, &pose_b);
        assert!(gap.gap.value > 0.0 && gap.gap.upper - gap.gap.lower < 1e-12, "{gap:?}");
        gap.verify(&a, &pose_a, &b, &pose_b).unwrap();
        // The same pose: nothing is composed or rounded.
        let same = distance(&a, &pose_a, &b, &pose_a);
        same.verify(&a, &pose_a, &b, &pose_a).unwrap();
        check(&a, &pose_b, &a, &pose_b, 1e-8);
        let scale = if round % 2 == 0 { 1e-3 } else { 1e-6 };
        let small = |shape: &Shape| {
            let parts = parts_of(shape).into_iter().map(|(pose, _)| {
                let at = Pose::new(pose.rotation(), pose.translation() * scale).unwrap();
                (at, Shape::cuboid(DVec3::splat(0.2 * scale)).unwrap())
            });
            Shape::compound(parts.collect()).unwrap()
        };
        let at = Pose::from_translation(DVec3::new(3.5, 0.5, 0.1) * scale).unwrap();
        check(&small(&a), &Pose::IDENTITY, &small(&b), &at, 1e-12 * scale);
    }
}

#[test]
fn a_box_in_two_halves_is_the_box() {
    let whole = Shape::cuboid(DVec3::new(1.0, 0.5, 0.5)).unwrap();
    let half = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
    let halves = Shape::compound(vec![(at(-0.5), half.clone()), (at(0.5), half)]).unwrap();
    let mut random = Random::new(7);
    for round in 0..20 {
        let other = body(&mut random, round % 9);
        let towards = vector(&mut random) * 3.0;
        let pose = pose(&mut random, towards);
        let (one, two) =
            (distance(&whole, &Pose::IDENTITY, &other, &pose), distance(&halves, &Pose::IDENTITY, &other, &pose));
        assert!((one.gap.value - two.gap.value).abs() < 1e-14, "{one:?} {two:?}");
    }
    // A ball pressed into the face that both share: the separating translation is that of each of them.
    let ball = Shape::sphere(0.4).unwrap();
    let into = Pose::from_translation(DVec3::new(0.1, 0.0, 0.8)).unwrap();
    let deep = penetration(&halves, &Pose::IDENTITY, &ball, &into).unwrap();
    deep.verify(&halves, &Pose::IDENTITY, &ball, &into).unwrap();
    assert!(
        (deep.depth.value - 0.1).abs() < 1e-9 && deep.method == Method::Parts && deep.witness.a.part == 1,
        "{deep:?}"
    );
    assert!(deep.normal.distance(DVec3::Z) < 1e-12);
}

#[test]
fn a_peg_in_a_hole_is_deeper_than_any_two_parts() {
    let wall = Shape::cuboid(DVec3::new(0.1, 1.0, 1.0)).unwrap();
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
    let slot = Shape::compound(vec![(at(-0.5), wall.clone()), (at(0.5), wall)]).unwrap();
    let peg = Shape::cuboid(DVec3::new(0.41, 0.3, 0.3)).unwrap();
    let deep = penetration(&slot, &Pose::IDENTITY, &peg, &Pose::IDENTITY).unwrap();
    deep.verify(&slot, &Pose::IDENTITY, &peg, &Pose::IDENTITY).unwrap();
    assert!(
        deep.depth.lower < 0.011 && deep.depth.lower > 0.009 && deep.depth.upper > 0.9 && deep.depth.upper < 1.31,
        "{deep:?}"
    );
    assert_eq!(deep.method, Method::PartsStopped(Stopped::Budget));
}

#[test]
fn a_thousand_against_a_thousand() {
    let mut random = Random::new(8);
    let ball = Shape::sphere(0.05).unwrap();
    let mut cloud = || {
        let parts = (0..1000).map(|_| (Pose::from_translation(vector(&mut random) * 2.0).unwrap(), ball.clone()));
        Shape::compound(parts.collect()).unwrap()
    };
    let (a, b) = (cloud(), cloud());
    let away = Pose::from_axis_angle(DVec3::Z, 0.3, DVec3::new(3.9, 0.2, 0.0)).unwrap();
    let gap = distance(&a, &Pose::IDENTITY, &b, &away);
    let centres = |shape: &Shape, pose: &Pose| -> Vec<DVec3> {
        parts_of(shape).iter().map(|(part, _)| pose.transform_point(part.translation())).collect()
    };
    let (own, other) = (centres(&a, &Pose::IDENTITY), centres(&b, &away));
    let nearest = own.iter().flat_map(|p| other.iter().map(move |q| p.distance(*q))).fold(f64::INFINITY, f64::min);
    assert!((gap.gap.value - (nearest - 0.1).max(0.0)).abs() < 1e-13, "{nearest} {gap:?}");
}

#[test]
fn options_are_respected() {
    let mut random = Random::new(9);
    let (a, b) = (compound(&mut random, 5, 1.0), compound(&mut random, 5, 1.0));
    let away = Pose::from_translation(DVec3::new(7.0, 0.0, 0.0)).unwrap();
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    let exact = distance(&a, &Pose::IDENTITY, &b, &away);
    let options = DistanceOptions { farther_than: Some(1.0), ..DistanceOptions::default() };
    let farther = distance_with(&a, &Pose::IDENTITY, &b, &away, &options, &mut cache, &mut workspace);
    assert!(farther.gap.lower > 1.0 && farther.gap.lower <= exact.gap.upper && exact.gap.lower <= farther.gap.upper);
    farther.verify(&a, &Pose::IDENTITY, &b, &away).unwrap();
    let mut within = |margin: f64| {
        let options = IntersectsOptions { margin, ..IntersectsOptions::default() };
        intersects_with(&a, &Pose::IDENTITY, &b, &away, &options, &mut cache, &mut workspace)
    };
    assert!(within(exact.gap.value + 1e-9) && !within(exact.gap.value - 1e-9));
    let into = Pose::from_translation(DVec3::new(0.5, 0.0, 0.0)).unwrap();
    let options = PenetrationOptions { tolerance: 0.1 };
    let rough = penetration_with(&a, &Pose::IDENTITY, &b, &into, &options, &mut cache, &mut workspace).unwrap();
    rough.verify(&a, &Pose::IDENTITY, &b, &into).unwrap();
}

#[test]
fn false_parts_and_brackets_are_refused() {
    let mut random = Random::new(10);
    let (a, b) = (compound(&mut random, 4, 1.5), compound(&mut random, 4, 1.5));
    let (pose_a, pose_b) = (pose(&mut random, DVec3::ZERO), pose(&mut random, DVec3::new(5.0, 1.0, 0.0)));
    let good = distance(&a, &pose_a, &b, &pose_b);
    assert!(good.verify(&a, &pose_a, &b, &pose_b).is_ok() && good.gap.value > 0.1);
    let refuses = |answer: clearance::answer::Distance| {
        assert!(answer.verify(&a, &pose_a, &b, &pose_b).is_err(), "{answer:?}");
    };
    for part in 0..4 {
        if part != good.witness.a.part {
            refuses(clearance::answer::Distance { witness: with_a(good.witness, |a| a.part = part), ..good });
        }
        if part != good.witness.b.part {
            refuses(clearance::answer::Distance { witness: with_b(good.witness, |b| b.part = part), ..good });
        }
    }
    for part in [4, u32::MAX] {
        let wrong = clearance::answer::Distance { witness: with_a(good.witness, |a| a.part = part), ..good };
        assert_eq!(wrong.verify(&a, &pose_a, &b, &pose_b), Err(Refusal::Part));
        refuses(clearance::answer::Distance { witness: with_b(good.witness, |b| b.part = part), ..good });
    }
    refuses(clearance::answer::Distance {
        gap: Bracket { lower: good.gap.upper, value: good.gap.upper, ..good.gap },
        ..good
    });
    refuses(clearance::answer::Distance {
        gap: Bracket { upper: good.gap.lower, value: good.gap.lower, ..good.gap },
        ..good
    });
    refuses(clearance::answer::Distance { method: Method::PartsStopped(Stopped::Budget), ..good });
    refuses(clearance::answer::Distance { method: Method::Gjk, ..good });
    refuses(clearance::answer::Distance { placement: 1e-12, ..good });

    let into = Pose::new(pose_b.rotation(), DVec3::new(0.6, 0.2, 0.1)).unwrap();
    let good = penetration(&a, &pose_a, &b, &into).unwrap();
    assert!(good.verify(&a, &pose_a, &b, &into).is_ok() && good.depth.lower > 0.0);
    let refuses = |answer: clearance::answer::Penetration| {
        assert!(answer.verify(&a, &pose_a, &b, &into).is_err(), "{answer:?}");
    };
    for part in [4, u32::MAX] {
        refuses(clearance::answer::Penetration { witness: with_a(good.witness, |a| a.part = part), ..good });
        refuses(clearance::answer::Penetration { witness: with_b(good.witness, |b| b.part = part), ..good });
    }
    // Two of the parts overlap deeper than that.
    let less = good.depth.lower * (1.0 - 1e-9);
    refuses(clearance::answer::Penetration { depth: Bracket { upper: less, value: less, lower: 0.0 }, ..good });
    refuses(clearance::answer::Penetration {
        depth: Bracket {
            lower: good.depth.lower + 1e-9,
            value: good.depth.upper.max(good.depth.lower + 1e-9),
            ..good.depth
        },
        ..good
    });
    refuses(clearance::answer::Penetration { normal: -good.normal, ..good });

    let proof = proof_of(&a, &pose_a, &b, &into);
    assert_eq!(proof.relation, Relation::Overlapping);
    for part in [4, u32::MAX] {
        let (mut of_a, mut of_b) = (proof.clone(), proof.clone());
        (of_a.witness.a.part, of_b.witness.b.part) = (part, part);
        assert!(of_a.verify(&a, &pose_a, &b, &into).is_err());
        assert!(of_b.verify(&a, &pose_a, &b, &into).is_err());
    }
    // A body that is not made of parts has no part but the first.
    let ball = Shape::sphere(1.0).unwrap();
    let single = distance(&ball, &pose_a, &ball, &pose_b);
    for wrong in [
        clearance::answer::Distance { witness: with_a(single.witness, |a| a.part = 1), ..single },
        clearance::answer::Distance { witness: with_b(single.witness, |b| b.part = 1), ..single },
    ] {
        assert_eq!(wrong.verify(&ball, &pose_a, &ball, &pose_b), Err(Refusal::Part));
    }
}
