//! Polyhedra that touch at corners and edges, and tiny ones in large ones: depth, contacts and relation against exact
//! arithmetic, each as narrow as the contract says.

use clearance::answer::{Method, Stopped};
use clearance::glam::{DMat3, DVec3};
use clearance::{Bracket, Pose, Relation, Shape, contacts, penetration};
use clearance_oracle::corner_touch::{Touch, corner_touch};
use clearance_oracle::{ExactSigned, OracleBody, Scenario, pair, signed_distance};

use crate::common::{proof_of, scale};

/// A body as the simplest kind that fits it, or as a hull.
fn shape_and_pose(body: &OracleBody, as_hull: bool) -> (Shape, Pose) {
    let points: Vec<DVec3> = body.core_vertices.iter().map(|&p| p.into()).collect();
    let flat = || Shape::flat_hull(&body.core_vertices).unwrap();
    let sharp = OracleBody { radius: 0.0, ..body.clone() };
    let core = match (points.as_slice(), sharp.as_cuboid()) {
        (_, Some(half)) if !as_hull => Shape::cuboid(half.into()).unwrap(),
        ([p, q], _) if !as_hull => Shape::segment(*p, *q).unwrap_or_else(|_| flat()),
        ([p, q, r], _) if !as_hull => Shape::triangle(*p, *q, *r).unwrap_or_else(|_| flat()),
        ([p, q, r, s], _) if !as_hull => Shape::tetrahedron([*p, *q, *r, *s]).unwrap_or_else(|_| flat()),
        _ => flat(),
    };
    let shape = if body.radius > 0.0 { Shape::rounded(core, body.radius).unwrap() } else { core };
    let rotation = DMat3::from_cols_array_2d(&body.rotation).transpose();
    (shape, Pose::new(rotation, body.translation.into()).unwrap())
}

/// The faults of depth, contacts and relation for a pair whose signed gap is known exactly.
fn faults((a, pose_a): (&Shape, &Pose), (b, pose_b): (&Shape, &Pose), truth: &ExactSigned) -> Vec<String> {
    let (low, high) = truth.enclosure();
    let mut faults = Vec::new();
    let mut check = |holds: bool, fault: &str, answer: &dyn std::fmt::Debug| {
        if !holds {
            faults.push(format!("{fault}: truth in [{low:e}, {high:e}], {answer:?}"));
        }
    };
    let allowed = (1e-9 + pose_a.defect().max(pose_b.defect())) * scale(a, pose_a, b, pose_b);
    let refused =
        |verdict: Result<(), clearance::verify::Refusal>| verdict.map_or_else(|r| r.to_string(), |()| String::new());

    let depth = penetration(a, pose_a, b, pose_b).unwrap();
    let refusal = refused(depth.verify(a, pose_a, b, pose_b));
    check(refusal.is_empty(), &refusal, &depth);
    check(depth.depth.upper - depth.depth.lower <= allowed, "width of the depth", &depth);
    check(depth.method.stopped().is_none(), "depth stopped", &depth);
    check(-depth.depth.upper <= high.min(0.0) && low.min(0.0) <= -depth.depth.lower, "bracket of the depth", &depth);

    let found = contacts(a, pose_a, b, pose_b);
    let refusal = refused(found.verify(a, pose_a, b, pose_b));
    check(refusal.is_empty(), &refusal, &found);
    check(truth.is_within(found.gap.lower, found.gap.upper), "bracket of the contacts", &found);
    check(found.gap.upper - found.gap.lower <= allowed || found.points.is_empty(), "width of the contacts", &found);

    let proof = proof_of(a, pose_a, b, pose_b);
    let refusal = refused(proof.verify(a, pose_a, b, pose_b));
    check(refusal.is_empty(), &refusal, &proof);
    check(truth.is_within(proof.gap.lower, proof.gap.upper), "bracket of the relation", &proof);
    let near = low.abs().max(high.abs()) <= 1e-3 * allowed + proof.placement;
    check(proof.relation != Relation::Touching || near, "reported as touching", &proof);
    faults
}

#[test]
fn every_answer_is_right_and_narrow() {
    let count = std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let mut wrong = Vec::new();
    for touch in Touch::ALL {
        for seed in 0..count {
            let (a, b) = corner_touch(touch, seed);
            let truth = signed_distance(&a, &b);
            let as_hull = seed % 3 == 0;
            let (shape_a, shape_b) = (shape_and_pose(&a, as_hull), shape_and_pose(&b, as_hull));
            let found = faults((&shape_a.0, &shape_a.1), (&shape_b.0, &shape_b.1), &truth);
            wrong.extend(found.into_iter().map(|fault| format!("{touch:?} {seed}: {fault}\n{a:?}\n{b:?}")));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}

#[test]
fn borders_next_to_parallel_cross_at_one_place() {
    for (touch, seed) in [(Touch::CornerOnCorner, 47_800), (Touch::SharedCorner, 100_790), (Touch::EdgeOnEdge, 12_671)]
    {
        let (a, b) = corner_touch(touch, seed);
        let truth = signed_distance(&a, &b);
        for as_hull in [false, true] {
            let ((a, pose_a), (b, pose_b)) = (shape_and_pose(&a, as_hull), shape_and_pose(&b, as_hull));
            assert_eq!(faults((&a, &pose_a), (&b, &pose_b), &truth), [""; 0], "{touch:?} {seed}");
        }
    }
}

#[test]
fn a_corner_on_a_corner_has_no_depth() {
    let corners = [[0.5, -0.8, 0.4], [-1.0, 0.7, -0.3], [0.2, 0.3, -0.7], [0.8, 0.1, -0.5]];
    let tetrahedron = OracleBody::hull(corners.to_vec());
    let cube = OracleBody::cuboid([0.001; 3]).translated([-1.001, 0.699, -0.299]);
    for radius in [0.0, 0.001] {
        let cube = OracleBody { radius, ..cube.clone() };
        let truth = signed_distance(&tetrahedron, &cube);
        let ((a, pose_a), (b, pose_b)) = (shape_and_pose(&tetrahedron, false), shape_and_pose(&cube, false));
        let depth = penetration(&a, &pose_a, &b, &pose_b).unwrap();
        assert!((depth.depth.value - radius).abs() < 1e-12, "{depth:?}");
        assert!((contacts(&a, &pose_a, &b, &pose_b).gap.value + radius).abs() < 1e-12);
        assert_eq!(faults((&a, &pose_a), (&b, &pose_b), &truth), [""; 0]);
    }
}

#[test]
fn polyhedra_are_accurate_under_any_budget() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let pose = Pose::from_axis_angle(DVec3::ONE, 0.7, DVec3::new(1.2, 0.3, 0.4)).unwrap();
    let good = penetration(&cube, &Pose::IDENTITY, &cube, &pose).unwrap();
    for method in [Method::EpaStopped(Stopped::Budget), Method::EpaStopped(Stopped::Tolerance(0.0))] {
        let wide = clearance::answer::Penetration {
            depth: Bracket { lower: 0.5 * good.depth.lower, ..good.depth },
            method,
            ..good
        };
        wide.verify(&cube, &Pose::IDENTITY, &cube, &pose).unwrap_err();
    }
    let asked = Method::EpaStopped(Stopped::Tolerance(good.depth.upper));
    let wide = clearance::answer::Penetration {
        depth: Bracket { lower: 0.5 * good.depth.lower, ..good.depth },
        method: asked,
        ..good
    };
    wide.verify(&cube, &Pose::IDENTITY, &cube, &pose).unwrap();
}

#[test]
fn a_millimetre_box_in_a_hull_of_kilometres_overlaps_it() {
    let (a, b) = pair(Scenario::SizeRatio, 1788);
    let truth = signed_distance(&a, &b);
    let ((a, pose_a), (b, pose_b)) = (shape_and_pose(&a, false), shape_and_pose(&b, false));
    assert_eq!(proof_of(&a, &pose_a, &b, &pose_b).relation, Relation::Overlapping);
    assert_eq!(faults((&a, &pose_a), (&b, &pose_b), &truth), [""; 0]);
}

#[test]
fn concentric_hulls_of_many_corners_have_a_narrow_depth() {
    // Points of a golden spiral: all faces of the difference are about equally near.
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let points: Vec<[f64; 3]> = (0..300)
        .map(|k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 300.0;
            let (across, angle) = ((1.0 - z * z).sqrt(), golden * f64::from(k));
            [across * angle.cos(), across * angle.sin(), z]
        })
        .collect();
    let ball = Shape::hull(&points).unwrap();
    let turned = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.4, DVec3::ZERO).unwrap();
    for pose in [Pose::IDENTITY, turned] {
        let answer = penetration(&ball, &Pose::IDENTITY, &ball, &pose).unwrap();
        assert_eq!(answer.method, Method::Epa, "{answer:?}");
        assert!(answer.depth.upper - answer.depth.lower <= 1e-9 * 4.0 && answer.depth.value > 1.9, "{answer:?}");
        answer.verify(&ball, &Pose::IDENTITY, &ball, &pose).unwrap();
    }
}
