//! `distance`, and `intersects` and `relation` with it: against exact rational arithmetic over all scenarios of the
//! oracle kit and over pairs whose distance is known by construction, and in hard situations one by one. Every answer
//! is verified; nothing panics, nothing is NaN.

use crate::common;

use std::cmp::Ordering;

use clearance::answer::{Distance, Method, RelationProof};
use clearance::glam::{DMat3, DVec3};
use clearance::query::{
    DistanceOptions, IntersectsOptions, RelationOptions, SubAlgorithm, distance_with, intersects_with, relation_with,
};
use clearance::{PairCache, Pose, Relation, Shape, Workspace, distance, intersects};
use clearance_oracle::body::IDENTITY;
use clearance_oracle::random::Random;
use clearance_oracle::tangent::{TangentKind, tangent_pair};
use clearance_oracle::{OracleBody, Scenario, pair, signed_distance};

/// Checks a pair in both orders against the exact truth.
pub fn check_both_orders(label: &str, a: &OracleBody, b: &OracleBody) -> Distance {
    let truth = signed_distance(a, b);
    common::check_pair(&format!("{label}, exchanged"), b, a, &truth);
    common::check_pair(label, a, b, &truth)
}

/// Checks a pair that is too large for the oracle.
pub fn check_large(label: &str, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> (Distance, RelationProof) {
    let answer = distance(a, pose_a, b, pose_b);
    answer.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("{label}: {refusal} {answer:?}"));
    let proof = common::proof_of(a, pose_a, b, pose_b);
    proof.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("{label}: {refusal} {proof:?}"));
    assert_eq!(intersects(a, pose_a, b, pose_b), answer.gap.value == 0.0, "{label}");
    match proof.relation {
        Relation::Separated => assert!(answer.gap.value > 0.0, "{label}"),
        Relation::Overlapping => assert_eq!(answer.gap.value, 0.0, "{label}"),
        Relation::Touching => assert!(answer.gap.lower <= answer.placement, "{label}: {answer:?}"),
    }
    (answer, proof)
}

/// The rows of the rotation by `angle` about the z axis, then by `tilt` about the x axis; rounded.
pub fn turned(angle: f64, tilt: f64) -> [[f64; 3]; 3] {
    let matrix = DMat3::from_rotation_x(tilt) * DMat3::from_rotation_z(angle);
    matrix.transpose().to_cols_array_2d()
}

pub fn tetrahedron(size: f64) -> OracleBody {
    let points = [[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0]];
    OracleBody::hull(points.map(|p| p.map(|x| x * size)).to_vec())
}

const GAPS: [f64; 9] = [1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0.0, -1e-15, -1e-9, -1e-3];

#[test]
fn parallel_faces_nearly_touching() {
    let slab = OracleBody::cuboid([1.0, 2.0, 0.25]);
    let hexagon = |z: f64| {
        (0..6)
            .map(move |k| [[2.0, 0.0], [1.0, 1.5], [-1.0, 1.5], [-2.0, 0.0], [-1.0, -1.5], [1.0, -1.5]][k])
            .map(move |[x, y]| [x, y, z])
    };
    let prism = OracleBody::hull(hexagon(-0.5).chain(hexagon(0.5)).collect());
    for gap in GAPS {
        for (rotation, name) in
            [(IDENTITY, "unturned"), (turned(0.3, 0.0), "turned about z"), (turned(0.3, 1.1), "turned")]
        {
            let up = |z: f64| std::array::from_fn(|k| rotation[k][2] * z);
            let a = slab.clone().rotated(rotation);
            let b = slab.clone().rotated(rotation).translated(up(0.5 + gap));
            check_both_orders(&format!("slabs {name} {gap:e}"), &a, &b);
            let b = prism.clone().rotated(rotation).translated(up(0.75 + gap));
            check_both_orders(&format!("slab and prism {name} {gap:e}"), &a, &b);
        }
        // Nearly parallel: the faces are rotated against each other by less than the gap, and by more.
        for tilt in [1e-15, 1e-12, 1e-9, 1e-6] {
            let b = slab.clone().rotated(turned(0.4, tilt)).translated([0.1, 0.2, 0.5 + gap]);
            check_both_orders(&format!("tilted by {tilt:e}, {gap:e}"), &slab, &b);
        }
    }
}

#[test]
fn parallel_edges() {
    let diamond = |length: f64| {
        let cross = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
        let ends = [-length, length].into_iter();
        OracleBody::hull(ends.flat_map(|y| cross.map(|[x, z]| [x, y, z])).collect())
    };
    for gap in GAPS {
        for slide in [0.0, 0.5, 3.0, 3.75] {
            let b = diamond(0.75).translated([2.0 + gap, slide, 0.0]);
            check_both_orders(&format!("edge on edge {gap:e} {slide}"), &diamond(3.0), &b);
        }
        for turn in [1e-14, 1e-10, 1e-6] {
            let b = diamond(2.0).rotated(turned(turn, 0.0)).translated([2.0 + gap, 0.3, 0.0]);
            check_both_orders(&format!("edges turned by {turn:e} {gap:e}"), &diamond(3.0), &b);
        }
    }
}

#[test]
fn aspect_ratios_of_a_million() {
    let plate = OracleBody::cuboid([1.0, 1.0, 1e-6]);
    let rod = OracleBody::cuboid([1e-6, 1e-6, 1.0]);
    let needle = OracleBody::hull(vec![[0.0, 0.0, -1.0], [1e-6, 0.0, 1.0], [0.0, 1e-6, 1.0], [-1e-6, -1e-6, 1.0]]);
    for (k, &(x, y, z)) in [(0.3, 0.2, 1.5), (0.0, 0.0, 1e-6), (0.9, 0.9, 0.5), (2.5, 0.0, 0.0)].iter().enumerate() {
        for rotation in [IDENTITY, turned(0.5, 0.0), turned(0.5, 0.8)] {
            let bodies = [&plate, &rod, &needle];
            for (i, a) in bodies.iter().enumerate() {
                for b in &bodies[i..] {
                    let b = (*b).clone().rotated(rotation).translated([x, y, z]);
                    check_both_orders(&format!("thin bodies {i} at {k}"), a, &b);
                }
            }
        }
    }
}

#[test]
fn far_from_the_origin() {
    let far = [1e7, -1e7, 1e7];
    for gap in [1.0, 1e-3, 1e-6, 0.0, -1e-6, -0.5] {
        // Far by pose.
        for rotation in [IDENTITY, turned(0.6, 0.2)] {
            let a = OracleBody::cuboid([0.5, 0.5, 0.5]).rotated(rotation).translated(far);
            let b = tetrahedron(0.5).rotated(turned(0.2, 0.9)).translated([far[0] + 1.0 + gap, far[1], far[2]]);
            check_both_orders(&format!("far poses {gap:e}"), &a, &b);
            let b = OracleBody::sphere(0.5).translated([far[0] + 1.0 + gap, far[1], far[2]]);
            check_both_orders(&format!("far ball {gap:e}"), &a, &b);
        }
        // Far by the vertices themselves, at the identity.
        let at = |body: OracleBody, shift: [f64; 3]| {
            let points = body.core_vertices.iter().map(|v| std::array::from_fn(|k| v[k] + shift[k])).collect();
            OracleBody::hull(points)
        };
        let a = at(tetrahedron(0.5), far);
        let b = at(tetrahedron(0.5), [far[0] + 1.0 + gap, far[1] + 0.25, far[2]]);
        check_both_orders(&format!("far vertices {gap:e}"), &a, &b);
        check_both_orders(&format!("far vertices, turned {gap:e}"), &a.clone().rotated(turned(1e-8, 0.0)), &b);
        // One far by its vertices, the other by its pose.
        let b = OracleBody::cuboid([0.5, 0.25, 0.5]).translated([far[0] + 1.0 + gap, far[1], far[2]]);
        check_both_orders(&format!("far either way {gap:e}"), &a, &b);
        // A body far from its own origin, brought back by its pose.
        let back = a.clone().translated(far.map(|x| -x));
        check_both_orders(&format!("brought back {gap:e}"), &back, &tetrahedron(0.5).translated([1.0 + gap, 0.0, 0.0]));
    }
}

#[test]
fn tiny_beside_huge() {
    for gap in [1.0, 1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-7] {
        for rotation in [IDENTITY, turned(0.7, 0.4)] {
            let b = OracleBody::cuboid([1e-6, 1e-6, 1e-6]).rotated(rotation).translated([0.3, 0.4, 1.0 + 1e-6 + gap]);
            check_both_orders(&format!("tiny box {gap:e}"), &OracleBody::cuboid([1.0, 1.0, 1.0]), &b);
            check_both_orders(&format!("tiny box by a ball {gap:e}"), &OracleBody::sphere(1.0), &b);
            let b = tetrahedron(1e-6).rotated(rotation).translated([0.1, 0.1, 1.0 + gap]);
            check_both_orders(&format!("tiny hull {gap:e}"), &OracleBody::cuboid([1.0, 1.0, 1.0]), &b);
            let b = OracleBody::sphere(1e-6).translated([0.0, 0.0, 1.0 + 1e-6 + gap]);
            check_both_orders(&format!("tiny ball {gap:e}"), &tetrahedron(1.0).rotated(rotation), &b);
            check_both_orders(&format!("tiny ball, huge ball {gap:e}"), &OracleBody::sphere(1.0), &b);
        }
    }
}

#[test]
fn coincident_bodies() {
    let bodies = [
        OracleBody::cuboid([0.1, 0.2, 0.3]),
        tetrahedron(0.7),
        OracleBody::sphere(0.3),
        OracleBody::hull(vec![[0.1, 0.2, 0.3]]),
    ];
    for body in bodies {
        for rotation in [IDENTITY, turned(0.4, 1.3)] {
            let body = body.clone().rotated(rotation).translated([0.1, 1e3, -7.7]);
            let answer = check_both_orders("coincident", &body, &body);
            assert_eq!((answer.gap.value, answer.placement), (0.0, 0.0));
            if body.core_vertices.len() > 1 || body.radius > 0.0 {
                let nudged = body.clone().translated([0.1f64.next_up(), 1e3, -7.7]);
                check_both_orders("nearly coincident", &body, &nudged);
            }
        }
    }
}

#[test]
fn small_and_large_units() {
    for unit in [1e-6, 1e6, 1e-30, 1e30, 1e-58, 2e-60, 5e58] {
        let place =
            |body: OracleBody, x: f64| body.rotated(turned(0.5, 0.3)).translated([x * unit, 0.1 * unit, -0.2 * unit]);
        for x in [5.0, 2.5, 1.2, 0.3, 0.0] {
            let cube = OracleBody::cuboid([unit, 0.5 * unit, unit]);
            let ball = OracleBody::sphere(unit);
            let pairs = [
                (cube.clone(), place(cube.clone(), x)),
                (cube.clone(), place(tetrahedron(unit), x)),
                (tetrahedron(unit), place(tetrahedron(0.7 * unit), x)),
                (ball.clone(), place(cube, x)),
                (ball.clone(), place(tetrahedron(unit), x)),
                (ball.clone(), place(ball, x)),
            ];
            for (k, (a, b)) in pairs.iter().enumerate() {
                check_both_orders(&format!("unit {unit:e}, pair {k} at {x}"), a, b);
            }
        }
    }
}

#[test]
fn the_largest_and_the_smallest_bodies() {
    // Diameters of 1e60 and more, at the very ends of the range.
    let cube = OracleBody::cuboid([5e59; 3]);
    for x in [1e60, 9.9e59, 0.0] {
        check_both_orders("largest boxes", &cube, &cube.clone().translated([x, 1e58, 0.0]));
        check_both_orders("largest ball", &OracleBody::sphere(1e60), &tetrahedron(1e60).translated([x, -1e60, 1e60]));
        check_both_orders(
            "largest balls",
            &OracleBody::sphere(1e59).translated([-1e60; 3]),
            &OracleBody::sphere(5e59).translated([x; 3]),
        );
    }
    // The smallest, at distances down to subnormal numbers.
    let unit = 1e-60;
    let (ball, cube) = (Shape::sphere(unit).unwrap(), Shape::cuboid(DVec3::splat(unit)).unwrap());
    for x in [0.0, 5e-324, 1e-310, unit, 2.0 * unit, 10.0 * unit, 1.0] {
        let pose = Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
        for (a, b) in [(&ball, &ball), (&ball, &cube), (&cube, &cube)] {
            let (answer, _) = check_large(&format!("smallest at {x:e}"), a, &Pose::IDENTITY, b, &pose);
            assert_eq!(answer.gap.value > 0.0, x > 2.0 * unit, "{x:e} {answer:?}");
        }
    }
    // Points, which have no size, at any representable distance.
    let point = Shape::flat_hull(&[[0.0; 3]]).unwrap();
    for x in [0.0, 5e-324, 1e-320, 1e-310, 3e-300, 1e-200, 1e-61, 1.0] {
        let pose = Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
        let (answer, _) = check_large(&format!("points at {x:e}"), &point, &Pose::IDENTITY, &point, &pose);
        assert_eq!(answer.gap.value > 0.0, x > 0.0, "{x:e} {answer:?}");
        assert!(answer.gap.lower <= x && x <= answer.gap.upper, "{x:e} {answer:?}");
        // Within the accuracy of the contract, or a few units of the smallest number.
        assert!(answer.gap.upper - answer.gap.lower <= (1e-12 * x).max(4.0 * f64::from_bits(1)), "{x:e} {answer:?}");
    }
    // The smallest beside the largest.
    let (speck, planet) = (Shape::sphere(1e-60).unwrap(), Shape::cuboid(DVec3::splat(1e60)).unwrap());
    for x in [0.0, 1e59] {
        let pose = Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
        check_large("speck in a planet", &speck, &pose, &planet, &Pose::IDENTITY);
    }
    check_large("points", &Shape::flat_hull(&[[0.0; 3]]).unwrap(), &Pose::IDENTITY, &speck, &Pose::IDENTITY);
}

#[test]
fn poses_that_are_not_quite_rigid() {
    let scaled = |factor: f64| IDENTITY.map(|row| row.map(|x| x * (1.0 + factor)));
    let sheared = |by: f64| [[1.0, by, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    // A defect of about 1e-10 and just below the limit, 9e-7.
    let mut matrices = Vec::new();
    for defect in [1e-10, 9e-7] {
        matrices.extend([scaled(defect / 3.5), scaled(-defect / 3.5), sheared(defect / 1.5), sheared(-defect / 1.5)]);
    }
    for (k, &rotation) in matrices.iter().enumerate() {
        for x in [5.0, 2.1, 2.0 + 1e-6, 2.0 + 1e-9, 2.0, 2.0 - 1e-6, 1.3] {
            let label = format!("matrix {k} at {x}");
            for other in [rotation, IDENTITY, turned(1e-7, 0.0)] {
                let at = |body: OracleBody| body.rotated(other).translated([x, 0.1, 0.0]);
                let a = OracleBody::cuboid([1.0; 3]).rotated(rotation);
                check_both_orders(&label, &a, &at(OracleBody::cuboid([1.0; 3])));
                check_both_orders(&label, &a, &at(tetrahedron(1.0)));
                check_both_orders(&label, &a, &at(OracleBody::sphere(1.0)));
                check_both_orders(&label, &tetrahedron(1.0).rotated(rotation), &at(OracleBody::sphere(1.0)));
                check_both_orders(&label, &OracleBody::sphere(1.0).rotated(rotation), &at(OracleBody::sphere(1.0)));
            }
        }
    }
}

#[test]
fn balls_do_not_stretch_with_their_pose() {
    // Radii are lengths in the world: a frame that is a little too large once gave a false bracket here.
    let rotation = IDENTITY.map(|row| row.map(|x| x * (1.0 + 2.5e-7)));
    let ball = OracleBody::sphere(1.0).rotated(rotation);
    for gap in [2e-7, 1e-7, 5e-7, 1e-9, 0.0, -2e-7] {
        for at in [[2.0 + gap, 0.0, 0.0], [0.0, -2.0 - gap, 0.0]] {
            let b = ball.clone().translated(at);
            check_both_orders(&format!("stretched frames {gap:e}"), &ball, &b);
        }
    }
}

#[test]
fn points_segments_and_polygons() {
    let flat = |points: &[[f64; 3]]| OracleBody::hull(points.to_vec());
    let bodies = [
        ("point", flat(&[[0.0, 0.0, 0.0]])),
        ("segment along x", flat(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])),
        ("segment along y", flat(&[[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])),
        ("slanted segment", flat(&[[-0.3, -0.2, -1.0], [0.7, 0.1, 1.0]])),
        ("square", flat(&[[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])),
        ("slanted triangle", flat(&[[-1.0, -1.0, -0.5], [1.0, -0.5, 0.25], [0.0, 1.0, 0.5]])),
        ("tetrahedron", tetrahedron(1.0)),
        ("ball", OracleBody::sphere(0.5)),
    ];
    // Crossing, touching at the ends, in one plane and overlapping or beside each other, apart.
    let places = [
        [0.0, 0.0, 0.0],
        [0.5, 0.25, 0.0],
        [1.0, 1.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 2.0, 0.0],
        [3.0, 0.5, 0.0],
        [0.25, 0.5, 1e-12],
        [0.25, 0.5, -1e-300],
        [0.3, 0.1, 0.7],
        [0.0, 0.0, 5.0],
    ];
    for (name_a, a) in &bodies {
        for (name_b, b) in &bodies {
            for at in places {
                for rotation in [IDENTITY, turned(0.7, 0.0), turned(0.7, 0.7)] {
                    let b = b.clone().rotated(rotation).translated(at);
                    common::check_pair(&format!("{name_a}, {name_b} at {at:?}"), a, &b, &signed_distance(a, &b));
                }
            }
        }
    }
}

#[test]
fn single_points_that_coincide_through_different_poses() {
    let point = |p: [f64; 3], t: [f64; 3]| OracleBody::hull(vec![p]).translated(t);
    check_both_orders("at the same place", &point([1.0, 0.0, 0.0], [0.0; 3]), &point([0.0; 3], [1.0, 0.0, 0.0]));
    let t = [0.1, 1e3, -7.7];
    // A unit in the last place apart: lost in world coordinates, but not in the answer.
    let (a, b) = (point([0.1, 0.2, 0.3], t), point([0.1f64.next_up(), 0.2, 0.3], t));
    let ((shape_a, pose_a), (shape_b, pose_b)) = (common::shape_and_pose(&a), common::shape_and_pose(&b));
    let (answer, _) = check_large("a unit apart", &shape_a, &pose_a, &shape_b, &pose_b);
    assert_eq!(answer.gap.value, 0.1f64.next_up() - 0.1);
    assert!(signed_distance(&a, &b).is_within(answer.gap.lower, answer.gap.upper));
    check_both_orders("the same", &point([3.0, -3.0, 0.0], [0.0; 3]), &point([3.0, -3.0, 0.0], [0.0; 3]));
}

#[test]
fn a_hull_of_a_hundred_thousand_points() {
    let mut random = Random::new(11);
    let points: Vec<[f64; 3]> = (0..100_000).map(|_| random.in_ball()).collect();
    let hull = Shape::hull(&points).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    for x in [3.0, 1.6, 1.495, 0.2] {
        let pose = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.8, DVec3::new(x, 0.01, -0.02)).unwrap();
        check_large("100000 points and a ball", &hull, &Pose::IDENTITY, &ball, &pose);
        check_large("100000 points twice", &hull, &Pose::IDENTITY, &hull, &pose);
    }
}

#[test]
fn balls_about_one_centre() {
    for (r, s) in [(1.0, 1.0), (1.0, 0.5), (1e-3, 1e3), (1e-60, 1e50), (1e60, 1e60)] {
        for centre in [[0.0; 3], [0.1, -0.2, 1e7]] {
            let (a, b) = (OracleBody::sphere(r).translated(centre), OracleBody::sphere(s).translated(centre));
            check_both_orders(&format!("concentric {r:e} {s:e}"), &a, &b);
            check_both_orders(&format!("concentric, turned {r:e} {s:e}"), &a, &b.rotated(turned(1.0, 1.0)));
        }
    }
}

#[test]
fn the_centre_of_a_ball_on_a_box() {
    // On a corner, an edge, a face, in the middle, and a rounding error beside each of them.
    let half = [1.0, 0.75, 0.5];
    for radius in [0.25, 1e-9, 3.0] {
        for fractions in [[1.0, 1.0, 1.0], [1.0, -1.0, 0.3], [0.2, 0.1, -1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]] {
            for nudge in [0.0, 1e-16, -1e-16, 1e-300] {
                let at = std::array::from_fn(|k: usize| fractions[k] * half[k] + nudge);
                let ball = OracleBody::sphere(radius).translated(at);
                let answer = check_both_orders("on a box", &OracleBody::cuboid(half), &ball);
                assert_eq!(answer.gap.value, 0.0);
                let hull = OracleBody::hull(OracleBody::cuboid(half).core_vertices.into_iter().rev().collect());
                check_both_orders("on a hull", &hull, &ball);
            }
        }
        // Touching from outside: at a face and at an edge along (3, 4) / 5.
        for at in [[half[0] + radius, 0.1, 0.2], [half[0] + 3.0 * radius / 5.0, half[1] + 4.0 * radius / 5.0, 0.0]] {
            check_both_orders("ball at a box", &OracleBody::cuboid(half), &OracleBody::sphere(radius).translated(at));
        }
    }
}

#[test]
fn invalid_options_are_harmless() {
    let bodies = [Shape::cuboid(DVec3::ONE).unwrap(), Shape::sphere(1.0).unwrap()];
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, -0.0, 1e-300, 1e300, f64::MAX];
    for x in [5.0, 2.0 + 1e-9, 2.0, 0.5] {
        let pose = Pose::from_axis_angle(DVec3::new(1.0, 0.1, 0.2), 0.1, DVec3::new(x, 0.3, 0.2)).unwrap();
        for a in &bodies {
            for b in &bodies {
                let exact = distance(a, &Pose::IDENTITY, b, &pose);
                let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
                for number in odd {
                    for options in [
                        DistanceOptions { farther_than: Some(number), ..DistanceOptions::default() },
                        DistanceOptions { tolerance: number, ..DistanceOptions::default() },
                        DistanceOptions {
                            relative_tolerance: number,
                            farther_than: Some(number),
                            tolerance: number,
                            sub_algorithm: SubAlgorithm::Johnson,
                        },
                    ] {
                        let answer = distance_with(a, &Pose::IDENTITY, b, &pose, &options, &mut cache, &mut workspace);
                        answer
                            .verify(a, &Pose::IDENTITY, b, &pose)
                            .unwrap_or_else(|refusal| panic!("{options:?} at {x}: {refusal} {answer:?}"));
                        assert!(
                            answer.gap.lower <= exact.gap.upper && exact.gap.lower <= answer.gap.upper,
                            "{options:?}"
                        );
                        assert_eq!(answer.gap.value == 0.0, exact.gap.value == 0.0, "{options:?}");
                        assert!(answer.method == Method::Gjk || number > 0.0 || options.farther_than.is_some());
                    }
                    let options = IntersectsOptions { margin: number, ..IntersectsOptions::default() };
                    let meets = intersects_with(a, &Pose::IDENTITY, b, &pose, &options, &mut cache, &mut workspace);
                    let margin = number.max(0.0);
                    assert_eq!(meets, exact.gap.value <= margin, "margin {number}, {exact:?}");
                    if number.is_nan() || number <= 1e60 {
                        let options = RelationOptions { touch_band: number };
                        let proof = relation_with(a, &Pose::IDENTITY, b, &pose, &options, &mut cache, &mut workspace);
                        proof
                            .verify(a, &Pose::IDENTITY, b, &pose)
                            .unwrap_or_else(|refusal| panic!("band {number}: {refusal} {proof:?}"));
                    }
                }
            }
        }
    }
}

/// Swapped arguments give the same bits mirrored, down to the sign of zero.
#[test]
fn spheres_beside_each_other_are_mirrored() {
    let (small, large) = (Shape::sphere(0.5).unwrap(), Shape::sphere(2.0).unwrap());
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    let bits = |v: DVec3| v.to_array().map(f64::to_bits);
    for (a, b) in [(&small, &large), (&large, &large)] {
        for (pose_a, pose_b) in [(at(1.0, 2.0, 3.0), at(1.0, -4.0, 3.0)), (at(0.0, 0.0, 0.0), at(0.0, 0.0, 1.0))] {
            let (one, other) = (distance(a, &pose_a, b, &pose_b), distance(b, &pose_b, a, &pose_a));
            assert_eq!(
                (one.gap.value, one.gap.lower, one.gap.upper),
                (other.gap.value, other.gap.lower, other.gap.upper)
            );
            assert_eq!(bits(one.witness.a.point), bits(other.witness.b.point));
            assert_eq!(bits(one.witness.b.point), bits(other.witness.a.point));
            assert_eq!(one.normal.map(bits), other.normal.map(|normal| bits(-normal)));
        }
    }
}

/// Pairs per scenario. Raise it with `CLEARANCE_CASES` for a long run.
fn cases(default: u64) -> u64 {
    std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn first_seed() -> u64 {
    std::env::var("CLEARANCE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[test]
fn scenarios_against_exact_truth() {
    let start = first_seed();
    for scenario in Scenario::ALL {
        for seed in start..start + cases(40) {
            let (a, b) = pair(scenario, seed);
            let truth = signed_distance(&a, &b);
            common::check_pair(&format!("{scenario:?} {seed}"), &a, &b, &truth);
        }
    }
}

#[test]
fn tangent_pairs_have_their_known_distance() {
    let start = first_seed();
    for kind in TangentKind::ALL {
        for seed in start..start + cases(100) {
            let known = tangent_pair(kind, seed);
            let truth = signed_distance(&known.a, &known.b);
            assert_eq!(truth.compare_rational(&known.distance), Ordering::Equal);
            common::check_pair(&format!("{kind:?} {seed}"), &known.a, &known.b, &truth);
        }
    }
}

/// The distance by Johnson's sub-algorithm against the truth: cold, swapped, with other instructions, and from the
/// cache of another pair.
fn check_johnson(a: &OracleBody, b: &OracleBody, stale: &mut PairCache) {
    let truth = signed_distance(a, b);
    let ((shape_a, pose_a), (shape_b, pose_b)) = (common::shape_and_pose(a), common::shape_and_pose(b));
    let options = DistanceOptions { sub_algorithm: SubAlgorithm::Johnson, ..DistanceOptions::default() };
    let ask = |cache: &mut PairCache, workspace: &mut Workspace| {
        distance_with(&shape_a, &pose_a, &shape_b, &pose_b, &options, cache, workspace)
    };
    let scale = common::scale(&shape_a, &pose_a, &shape_b, &pose_b);
    let allowed = (1e-12 + pose_a.defect().max(pose_b.defect())) * scale;
    let default = distance(&shape_a, &pose_a, &shape_b, &pose_b);
    let mut cache = PairCache::default();
    let cold = ask(&mut cache, &mut Workspace::default());
    let warm = ask(&mut cache, &mut Workspace::default());
    let unfit = ask(stale, &mut Workspace::default());
    for answer in [&cold, &warm, &unfit] {
        let context = || format!("{answer:?}\n{a:?}\n{b:?}");
        answer
            .verify(&shape_a, &pose_a, &shape_b, &pose_b)
            .unwrap_or_else(|refusal| panic!("{refusal}\n{}", context()));
        // Both decide the placed pair exactly.
        assert_eq!(answer.gap.value == 0.0, default.gap.value == 0.0, "{}", context());
        if truth.sign().is_gt() {
            assert!(truth.is_within(answer.gap.lower, answer.gap.upper), "{}", context());
            assert!(answer.gap.upper - answer.gap.lower <= allowed, "{}", context());
        } else {
            assert_eq!(answer.gap.lower, 0.0, "{}", context());
        }
    }
    assert_eq!(ask(&mut PairCache::default(), &mut Workspace::baseline()), cold);
    if (&shape_a, &pose_a) != (&shape_b, &pose_b) {
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let exchanged = distance_with(&shape_b, &pose_b, &shape_a, &pose_a, &options, &mut cache, &mut workspace);
        let back = Distance { witness: exchanged.witness.swapped(), normal: exchanged.normal.map(|n| -n), ..exchanged };
        assert_eq!(back, cold, "{a:?}\n{b:?}");
    }
}

#[test]
fn johnson_on_all_scenarios() {
    let mut stale = PairCache::default();
    for scenario in Scenario::ALL {
        for seed in 200..225 {
            let (a, b) = pair(scenario, seed);
            check_johnson(&a, &b, &mut stale);
        }
    }
    for kind in TangentKind::ALL {
        for seed in 200..225 {
            let known = tangent_pair(kind, seed);
            check_johnson(&known.a, &known.b, &mut stale);
        }
    }
}
