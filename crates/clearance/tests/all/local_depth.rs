//! Local depth: brackets against known depths and dense samples, every answer verified, every perturbed field refused.

use std::f64::consts::PI;

use clearance::answer::{DeepestPoint, DepthDirection, LocalDepth, LocalDepthEnd};
use clearance::glam::DVec3;
use clearance::query::{
    LocalDepthOptions, PairBatch, SolidDepthOptions, local_depth_batch, local_depth_estimate, local_depth_with,
    solid_depth_with,
};
use clearance::shape::Feature;
use clearance::verify::Refusal;
use clearance::{Bracket, Pose, QueryError, Shape, Workspace, local_depth};
use clearance_oracle::random::Random;
use common::meshes::{Lists, box_lists, bumpy_ball, random_pose, solid, surface};

use crate::common;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// The answer, verified, and bit-identical with the bodies swapped.
fn ask_with(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, options: &LocalDepthOptions) -> LocalDepth {
    let ask = |a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose| {
        local_depth_with(a, pose_a, b, pose_b, options, &mut Workspace::default(), |_, _| true).unwrap()
    };
    let found = ask(a, pose_a, b, pose_b);
    found.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("{refusal}\n{found:?}"));
    let other = ask(b, pose_b, a, pose_a);
    let bits = |found: &LocalDepth| [found.depth.lower, found.depth.value, found.depth.upper].map(f64::to_bits);
    assert_eq!(bits(&found), bits(&other));
    assert_eq!((found.ended, found.work), (other.ended, other.work));
    let swapped = other.deepest.map(|deepest| deepest.witness.swapped());
    assert_eq!(found.deepest.map(|deepest| deepest.witness), swapped);
    found
}

fn ask(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> LocalDepth {
    ask_with(a, pose_a, b, pose_b, &LocalDepthOptions::default())
}

/// Checks that a depth is as expected up to rounding, and as accurate as requested.
fn is(found: &LocalDepth, depth: f64, rounding: f64) {
    assert!(found.depth.lower <= depth + rounding && depth - rounding <= found.depth.upper, "{depth} {found:?}");
    assert!(found.depth.upper - found.depth.lower <= (0.05 * found.depth.upper).max(rounding), "{found:?}");
    assert_eq!(found.ended, LocalDepthEnd::Tolerance);
}

/// A prism over a regular polygon about z, its first corner at an angle.
fn prism(corners: u32, radius: f64, turn: f64, [low, high]: [f64; 2]) -> Lists {
    let ring =
        |z: f64| (0..corners).map(move |k| on_circle(radius, turn + 2.0 * PI * f64::from(k) / f64::from(corners), z));
    let mut points: Vec<[f64; 3]> = ring(low).chain(ring(high)).collect();
    points.extend([[0.0, 0.0, low], [0.0, 0.0, high]]);
    let (bottom, top) = (2 * corners, 2 * corners + 1);
    let mut triangles = Vec::new();
    for k in 0..corners {
        let (p, q) = (k, (k + 1) % corners);
        let (r, s) = (corners + p, corners + q);
        triangles.extend([[p, q, s], [p, s, r], [bottom, q, p], [top, r, s]]);
    }
    (points, triangles)
}

/// A prism with a hole of its own corners along its axis.
fn tube(corners: u32, [inner, outer]: [f64; 2], [low, high]: [f64; 2]) -> Lists {
    let ring = |radius: f64, z: f64| {
        (0..corners).map(move |k| on_circle(radius, 2.0 * PI * f64::from(k) / f64::from(corners), z))
    };
    let points = ring(inner, low).chain(ring(inner, high)).chain(ring(outer, low)).chain(ring(outer, high)).collect();
    let mut triangles = Vec::new();
    for k in 0..corners {
        let next = (k + 1) % corners;
        let [p, q, r, s] = [0, 1, 2, 3].map(|ring| corners * ring + k);
        let [pp, qq, rr, ss] = [0, 1, 2, 3].map(|ring| corners * ring + next);
        triangles.extend([[p, q, qq], [p, qq, pp], [r, rr, ss], [r, ss, s]]);
        triangles.extend([[q, s, ss], [q, ss, qq], [r, p, pp], [r, pp, rr]]);
    }
    (points, triangles)
}

fn on_circle(radius: f64, angle: f64, z: f64) -> [f64; 3] {
    [radius * angle.cos(), radius * angle.sin(), z]
}

fn joined(parts: &[Lists]) -> Lists {
    let mut all: Lists = (Vec::new(), Vec::new());
    for (points, triangles) in parts {
        let first = all.0.len() as u32;
        all.0.extend(points);
        all.1.extend(triangles.iter().map(|triangle| triangle.map(|p| p + first)));
    }
    all
}

/// Triangles in the world.
fn placed((points, triangles): &Lists, pose: &Pose) -> Vec<[DVec3; 3]> {
    let at = |p: u32| pose.transform_point(DVec3::from_array(points[p as usize]));
    triangles.iter().map(|triangle| triangle.map(at)).collect()
}

/// The winding number of triangles about a point, by solid angles.
fn winding(triangles: &[[DVec3; 3]], point: DVec3) -> f64 {
    let angle = |[a, b, c]: &[DVec3; 3]| {
        let [a, b, c] = [*a - point, *b - point, *c - point];
        let (x, y, z) = (a.length(), b.length(), c.length());
        let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
}

fn distance_to(triangles: &[[DVec3; 3]], point: DVec3) -> f64 {
    let to_side = |p: DVec3, q: DVec3| {
        let share = ((point - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        point.distance(p + (q - p) * share)
    };
    let one = |&[a, b, c]: &[DVec3; 3]| {
        let normal = (b - a).cross(c - a).normalize();
        let below = point - normal * normal.dot(point - a);
        let inside = [[a, b], [b, c], [c, a]].iter().all(|[p, q]| normal.cross(*q - *p).dot(below - *p) >= 0.0);
        let sides = to_side(a, b).min(to_side(b, c)).min(to_side(c, a));
        if inside { normal.dot(point - a).abs().min(sides) } else { sides }
    };
    triangles.iter().map(one).fold(f64::INFINITY, f64::min)
}

/// The deepest of sample points on triangles, and the greatest distance of any point from a sample.
fn sampled(from: &[[DVec3; 3]], solid: &[[DVec3; 3]], steps: u32) -> (f64, f64) {
    let (mut deepest, mut spacing) = (0.0f64, 0.0f64);
    for &[a, b, c] in from {
        spacing = spacing.max((b - a).length().max((c - b).length()).max((a - c).length()) / f64::from(steps));
        for i in 0..=steps {
            for j in 0..=steps - i {
                let (u, v) = (f64::from(i) / f64::from(steps), f64::from(j) / f64::from(steps));
                let point = a + (b - a) * u + (c - a) * v;
                let distance = distance_to(solid, point);
                if distance > deepest && winding(solid, point) > 0.5 {
                    deepest = distance;
                }
            }
        }
    }
    (deepest, spacing)
}

#[test]
fn boxes_have_the_known_local_depth() {
    let cube = solid(&box_lists(DVec3::ZERO, DVec3::ONE));
    let large = solid(&box_lists(DVec3::splat(-2.0), DVec3::splat(3.0)));
    let here = Pose::IDENTITY;
    // By a corner, an edge, a face, and contained.
    is(&ask(&cube, &here, &cube, &at(0.75, 0.75, 0.75)), 0.25, 1e-12);
    is(&ask(&cube, &here, &cube, &at(0.75, 0.5, 0.0)), 0.25, 1e-12);
    is(&ask(&large, &here, &cube, &at(0.0, 0.0, 2.75)), 0.25, 1e-12);
    // Contained: each face of the cube is 2 from a side of the large box, and its centre no nearer to the others.
    is(&ask(&large, &here, &cube, &at(0.0, 0.0, 0.0)), 2.0, 1e-12);
    is(&ask(&large, &here, &cube, &at(1.9, 0.0, 0.0)), 1.1, 1e-12);
    // The same boxes as bodies of their own kind.
    let (cube, large) = (Shape::cuboid(DVec3::splat(0.5)).unwrap(), Shape::cuboid(DVec3::splat(2.5)).unwrap());
    is(&ask(&large, &here, &cube, &at(0.0, 0.0, 2.75)), 0.25, 1e-12);
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    let hull = Shape::hull(&corners).unwrap();
    is(&ask(&hull, &here, &cube, &at(0.5, 0.5, -0.25)), 0.25, 1e-12);
}

#[test]
fn touching_and_separated_bodies_have_no_depth() {
    let cube = solid(&box_lists(DVec3::ZERO, DVec3::ONE));
    let here = Pose::IDENTITY;
    for pose in [at(1.0, 0.0, 0.0), at(1.0, 0.25, 0.5), at(1.0, 1.0, 0.25), at(1.0, 1.0, 1.0)] {
        let found = ask(&cube, &here, &cube, &pose);
        assert_eq!(found.depth.lower, 0.0);
        assert!(found.depth.upper < 2e-12 && found.ended == LocalDepthEnd::Tolerance, "{found:?}");
        assert_eq!(found.deepest, None);
    }
    for pose in [at(1.5, 0.0, 0.0), at(1.0 + 1e-9, 0.5, 0.0), at(40.0, 3.0, 0.0)] {
        let found = ask(&cube, &here, &cube, &pose);
        assert_eq!((found.depth.lower, found.depth.value, found.depth.upper), (0.0, 0.0, 0.0));
    }
    // In its own hollow.
    let hollow = joined(&[box_lists(DVec3::splat(-3.0), DVec3::splat(3.0)), {
        let (points, triangles) = box_lists(DVec3::splat(-2.0), DVec3::splat(2.0));
        (points, triangles.iter().map(|&[p, q, r]| [p, r, q]).collect())
    }]);
    assert_eq!(ask(&solid(&hollow), &here, &cube, &here).depth.upper, 0.0);
    is(&ask(&solid(&hollow), &here, &cube, &at(1.25, 0.0, 0.0)), 0.25, 1e-12);
}

#[test]
fn a_pin_in_its_hole_overlaps_by_the_sliver_of_its_facets() {
    for corners in [16, 64] {
        let sliver = 5.0 * (1.0 - (PI / f64::from(corners)).cos());
        let hole = solid(&tube(corners, [5.0, 10.0], [0.0, 50.0]));
        // Longer than the hole, and flush with it.
        for ends in [[-10.0, 60.0], [0.0, 50.0], [10.0, 60.0]] {
            let pin = solid(&prism(corners, 5.0, PI / f64::from(corners), ends));
            let found = ask(&hole, &Pose::IDENTITY, &pin, &Pose::IDENTITY);
            is(&found, sliver, 1e-11);
        }
    }
}

#[test]
fn fine_facets_take_work_in_proportion() {
    for corners in [360, 720] {
        let sliver = 5.0 * (1.0 - (PI / f64::from(corners)).cos());
        let hole = solid(&tube(corners, [5.0, 10.0], [0.0, 50.0]));
        let pin = solid(&prism(corners, 5.0, PI / f64::from(corners), [-10.0, 60.0]));
        let found = ask(&hole, &Pose::IDENTITY, &pin, &Pose::IDENTITY);
        is(&found, sliver, 1e-11);
        assert!(found.work < 100 * u64::from(corners), "{found:?}");
    }
}

#[test]
fn brackets_contain_sampled_depths() {
    let mut random = Random::new(24);
    let bodies: Vec<Lists> = vec![
        box_lists(DVec3::splat(-0.7), DVec3::new(0.5, 0.9, 0.6)),
        bumpy_ball(5, 0.9, DVec3::ZERO, 0.25),
        tube(7, [0.5, 1.0], [-0.4, 0.5]),
        prism(5, 0.8, 0.3, [-0.9, 0.7]),
    ];
    let mut deep = 0;
    for round in 0..24 {
        let (one, other) = (&bodies[round % 4], &bodies[(round / 4) % 4]);
        let distance = [0.2, 0.9, 1.4][round % 3];
        let (pose_a, pose_b) = (random_pose(&mut random, 3.0), random_pose(&mut random, distance));
        let pose_b = Pose::from_axis_angle(
            DVec3::new(1.0, 0.3, 0.2),
            0.4 * f64::from(round as u32),
            pose_a.translation() + pose_b.translation(),
        )
        .unwrap();
        let found = ask(&solid(one), &pose_a, &solid(other), &pose_b);
        let (in_a, in_b) = (placed(one, &pose_a), placed(other, &pose_b));
        let (of_a, spacing_a) = sampled(&in_a, &in_b, 24);
        let (of_b, spacing_b) = sampled(&in_b, &in_a, 24);
        let seen = of_a.max(of_b);
        assert!(seen <= found.depth.upper + 1e-12, "{seen} {found:?}");
        assert!(found.depth.lower <= seen + spacing_a.max(spacing_b), "{seen} {found:?}");
        assert!(found.depth.upper - found.depth.lower <= 0.05 * found.depth.upper + 1e-12, "{found:?}");
        deep += u32::from(found.depth.lower > 0.05);
        // No more than the shortest separating translation.
        let options = SolidDepthOptions::default();
        let (a, b) = (solid(one), solid(other));
        let out = solid_depth_with(&a, &pose_a, &b, &pose_b, &options, &mut Workspace::default(), |_, _| true).unwrap();
        assert!(found.depth.lower <= out.penetration.depth.upper);
    }
    assert!(deep > 12, "{deep}");
}

#[test]
fn a_sheet_extends_into_a_solid_and_two_sheets_have_no_depth() {
    let cube = solid(&box_lists(DVec3::ZERO, DVec3::splat(2.0)));
    let points = [[-5.0, -5.0, 0.0], [5.0, -5.0, 0.0], [0.0, 9.0, 0.0]];
    let sheet = surface(&(points.to_vec(), vec![[0, 1, 2]]));
    let here = Pose::IDENTITY;
    // Through the cube, a quarter below its top: the cube's own surface extends into nothing.
    let found = ask(&cube, &here, &sheet, &at(0.5, 0.5, 1.75));
    is(&found, 0.25, 1e-12);
    assert_eq!(found.deepest.map(|deepest| deepest.direction), Some(DepthDirection::BInA));
    is(&ask(&cube, &here, &sheet, &at(0.5, 0.5, 1.0)), 1.0, 1e-12);
    assert_eq!(local_depth(&sheet, &here, &sheet, &here), Err(QueryError::TwoSurfaces));
    assert_eq!(local_depth(&cube, &here, &Shape::sphere(1.0).unwrap(), &here), Err(QueryError::NoDepth));
}

#[test]
fn triangles_inside_their_own_solid_do_not_count() {
    // A box in a box, both wound outward: the inner one is not a boundary.
    let nested = joined(&[box_lists(DVec3::ZERO, DVec3::splat(4.0)), box_lists(DVec3::splat(1.0), DVec3::splat(3.0))]);
    let cube = solid(&box_lists(DVec3::splat(-0.25), DVec3::splat(0.25)));
    is(&ask(&solid(&nested), &Pose::IDENTITY, &cube, &at(2.0, 2.0, 2.0)), 1.75, 1e-12);
    // Two overlapping boxes: triangles that run through the other are split into parts.
    let crossed = joined(&[
        box_lists(DVec3::ZERO, DVec3::new(4.0, 2.0, 2.0)),
        box_lists(DVec3::new(3.0, 0.5, 0.25), DVec3::new(7.0, 1.5, 1.75)),
    ]);
    let found = ask(&solid(&crossed), &Pose::IDENTITY, &cube, &at(3.5, 1.0, 1.0));
    assert!(found.undecided_faces[0] > 0 && found.undecided_faces[1] == 0, "{found:?}");
    // The end of the one box and the start of the other are inside: the cube is up to 0.5 from the sides of the
    // smaller.
    assert!(found.depth.lower <= 1.0 && found.depth.upper >= 0.5, "{found:?}");
    assert!(found.depth.upper < 1.2, "{found:?}");
}

#[test]
fn scale_and_place_change_nothing_but_rounding() {
    let (one, other) = (box_lists(DVec3::ZERO, DVec3::ONE), bumpy_ball(6, 0.5, DVec3::ZERO, 0.1));
    let pose = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 0.5), 0.7, DVec3::new(0.9, 0.4, 0.6)).unwrap();
    let plain = ask(&solid(&one), &Pose::IDENTITY, &solid(&other), &pose);
    for scale in [2f64.powi(-150), 2f64.powi(150)] {
        let scaled = |(points, triangles): &Lists| -> Lists {
            (points.iter().map(|point| point.map(|x| x * scale)).collect(), triangles.clone())
        };
        let moved = Pose::new(pose.rotation(), pose.translation() * scale).unwrap();
        let found = ask(&solid(&scaled(&one)), &Pose::IDENTITY, &solid(&scaled(&other)), &moved);
        assert_eq!(found.depth.lower, plain.depth.lower * scale);
        assert_eq!(found.depth.upper, plain.depth.upper * scale);
    }
    // Both far away: the bracket is wider by the rounding of the coordinates.
    let far = DVec3::new(1e6, -3e5, 7e5);
    let away = |pose: &Pose| Pose::new(pose.rotation(), pose.translation() + far).unwrap();
    let found = ask(&solid(&one), &away(&Pose::IDENTITY), &solid(&other), &away(&pose));
    assert!((found.depth.lower - plain.depth.lower).abs() < 0.1 * plain.depth.upper, "{found:?} {plain:?}");
}

#[test]
fn limits_end_the_search_and_stay_true() {
    let (one, other) = (solid(&bumpy_ball(9, 1.0, DVec3::ZERO, 0.2)), solid(&bumpy_ball(8, 0.8, DVec3::ZERO, 0.3)));
    let pose = Pose::from_axis_angle(DVec3::new(0.3, 1.0, 0.2), 1.0, DVec3::new(1.0, 0.3, 0.2)).unwrap();
    let exact = LocalDepthOptions { relative_tolerance: 1e-3, ..LocalDepthOptions::default() };
    let full = ask_with(&one, &Pose::IDENTITY, &other, &pose, &exact);
    for share in [0.1, 0.5, 2.0, 10.0] {
        let limit = Some(share * full.depth.value);
        let options = LocalDepthOptions { at_least: limit, at_most: limit, ..exact };
        let found = ask_with(&one, &Pose::IDENTITY, &other, &pose, &options);
        assert!(found.depth.lower <= full.depth.upper && full.depth.lower <= found.depth.upper);
        assert!(found.work <= full.work);
        let limit = share * full.depth.value;
        assert!(if share < 1.0 { found.depth.lower > limit } else { found.depth.upper <= limit }, "{found:?}");
    }
    let none = ask_with(&one, &Pose::IDENTITY, &other, &pose, &LocalDepthOptions { work: 0, ..exact });
    assert_eq!(none.ended, LocalDepthEnd::Interrupted);
    assert!(none.depth.upper >= full.depth.lower);
    let stopped =
        local_depth_with(&one, &Pose::IDENTITY, &other, &pose, &exact, &mut Workspace::default(), |_, _| false)
            .unwrap();
    assert!(stopped.depth.upper >= full.depth.lower);
}

#[test]
fn batches_equal_single_queries() {
    let (one, other) = (solid(&box_lists(DVec3::ZERO, DVec3::ONE)), solid(&bumpy_ball(6, 0.6, DVec3::ZERO, 0.2)));
    let poses: Vec<Pose> = (0..12).map(|k| at(0.15 * f64::from(k), 0.3, 0.2)).collect();
    let batch = PairBatch::of_poses(&one, &[Pose::IDENTITY], &other, &poses).unwrap();
    let found = local_depth_batch(&batch, &LocalDepthOptions::default());
    let single: Vec<_> = poses.iter().map(|pose| local_depth(&one, &Pose::IDENTITY, &other, pose)).collect();
    assert_eq!(found, single);
}

#[test]
fn every_false_claim_is_refused() {
    let (a, b) = (solid(&box_lists(DVec3::ZERO, DVec3::ONE)), solid(&bumpy_ball(6, 0.5, DVec3::ZERO, 0.1)));
    let pose = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 0.5), 0.7, DVec3::new(0.9, 0.4, 0.6)).unwrap();
    let found = ask(&a, &Pose::IDENTITY, &b, &pose);
    let refused = |change: &dyn Fn(&mut LocalDepth)| {
        let mut changed = found;
        change(&mut changed);
        changed.verify(&a, &Pose::IDENTITY, &b, &pose).expect_err("a false claim")
    };
    let size = found.depth.upper;
    let too_high = refused(&|it| it.depth = Bracket { lower: 1.02 * size, value: 1.02 * size, upper: 1.1 * size });
    assert!(matches!(too_high, Refusal::Lower { .. }), "{too_high}");
    let too_low = 0.9 * found.depth.lower;
    let too_low = refused(&|it| it.depth = Bracket { lower: 0.0, value: too_low, upper: too_low });
    assert!(matches!(too_low, Refusal::Upper { .. } | Refusal::Witness { .. }), "{too_low}");
    let unwitnessed = refused(&|it| {
        it.deepest = None;
        it.depth = Bracket { lower: 0.0, value: 0.0, upper: 0.9 * found.depth.lower };
    });
    assert!(matches!(unwitnessed, Refusal::Upper { .. }), "{unwitnessed}");
    assert_eq!(refused(&|it| it.depth.value = 1.1 * size), Refusal::Disordered);
    assert!(matches!(refused(&|it| it.deepest = None), Refusal::Lower { .. }));
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(refused(&|it| it.depth.lower = number), Refusal::NoNumber { .. }));
        assert!(matches!(refused(&|it| it.depth.value = number), Refusal::NoNumber { .. }));
        assert!(matches!(refused(&|it| it.depth.upper = number), Refusal::NoNumber { .. }));
    }
    assert!(matches!(refused(&|it| it.depth.lower = -1.0), Refusal::NoNumber { .. }));
    let changed = |change: &dyn Fn(&mut DeepestPoint)| refused(&|it| change(it.deepest.as_mut().unwrap()));
    for step in [DVec3::X, DVec3::Y, DVec3::Z] {
        let off = changed(&|it| it.witness.a.point += step * 1e-3);
        assert!(matches!(off, Refusal::Witness { .. } | Refusal::Lower { .. }), "{off}");
        let off = changed(&|it| it.witness.b.point += step * 1e-3);
        assert!(matches!(off, Refusal::Witness { .. } | Refusal::Lower { .. }), "{off}");
    }
    changed(&|it| it.witness.a.point = DVec3::NAN);
    changed(&|it| {
        it.direction = match it.direction {
            DepthDirection::AInB => DepthDirection::BInA,
            DepthDirection::BInA => DepthDirection::AInB,
        };
    });
    assert_eq!(changed(&|it| it.witness.a.part = 10_000), Refusal::Part);
    assert_eq!(changed(&|it| it.witness.b.feature = Feature::Vertex(0)), Refusal::Feature { body: "B" });
    assert_eq!(refused(&|it| it.undecided_faces = [1, 0]), Refusal::Stopped);
    assert_eq!(refused(&|it| it.ended = LocalDepthEnd::Undecided), Refusal::Stopped);
}

fn inside_out((points, triangles): Lists) -> Lists {
    (points, triangles.iter().map(|&[p, q, r]| [p, r, q]).collect())
}

#[test]
fn estimates_of_closed_and_of_open_shells() {
    let mut random = Random::new(5);
    let bodies: Vec<Lists> = vec![
        box_lists(DVec3::splat(-0.7), DVec3::new(0.5, 0.9, 0.6)),
        bumpy_ball(5, 0.9, DVec3::ZERO, 0.25),
        tube(7, [0.5, 1.0], [-0.4, 0.5]),
    ];
    let mut deep = 0;
    for round in 0..9 {
        let (one, other) = (&bodies[round % 3], &bodies[(round / 3) % 3]);
        let (pose_a, pose_b) = (random_pose(&mut random, 0.6), random_pose(&mut random, 0.6));
        let (a, b) = (solid(one), solid(other));
        let about = local_depth_estimate(&a, &pose_a, &b, &pose_b).unwrap();
        let found = local_depth(&a, &pose_a, &b, &pose_b).unwrap();
        assert!(about.value <= found.depth.upper, "{about:?} {found:?}");
        // Points of the surfaces at this distance, and the same with the bodies swapped.
        if let Some(deepest) = about.deepest {
            let [p, q] = [(deepest.witness.a, pose_a), (deepest.witness.b, pose_b)];
            let way = p.1.transform_point(p.0.point).distance(q.1.transform_point(q.0.point));
            assert!((way - about.value).abs() < 1e-12 && about.inside != [0, 0]);
            deep += u32::from(about.value > 0.5 * found.depth.lower);
        }
        let other = local_depth_estimate(&b, &pose_b, &a, &pose_a).unwrap();
        assert!((other.value - about.value).abs() < 1e-12 && other.inside == [about.inside[1], about.inside[0]]);
        // The same triangles as a surface: the inside is then decided by their winding number.
        let open = local_depth_estimate(&surface(one), &pose_a, &surface(&bodies[(round / 3) % 3]), &pose_b).unwrap();
        assert!((open.value - about.value).abs() < 1e-9, "{open:?} {about:?}");
    }
    assert!(deep > 3, "{deep}");
    // A cube without a side, and inside out.
    let (points, triangles) = box_lists(DVec3::ZERO, DVec3::ONE);
    let (whole, small) = (solid(&box_lists(DVec3::ZERO, DVec3::ONE)), Shape::cuboid(DVec3::splat(0.25)).unwrap());
    let closed = local_depth(&whole, &Pose::IDENTITY, &small, &at(0.4, 0.5, 0.45)).unwrap();
    for first in [0, 2, 4, 6, 8, 10] {
        let left: Vec<[u32; 3]> = (0..12).filter(|k| k / 2 * 2 != first).map(|k| triangles[k as usize]).collect();
        for lists in [(points.clone(), left.clone()), inside_out((points.clone(), left))] {
            let about = local_depth_estimate(&surface(&lists), &Pose::IDENTITY, &small, &at(0.4, 0.5, 0.45)).unwrap();
            assert!((about.value - closed.depth.value).abs() < 0.3 && about.value > 0.1, "{about:?} {closed:?}");
        }
    }
    let sheet = surface(&(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]));
    let none = local_depth_estimate(&sheet, &Pose::IDENTITY, &sheet, &at(0.1, 0.1, 1e-3)).unwrap();
    assert_eq!((none.value, none.deepest, none.inside), (0.0, None, [0, 0]));
    assert_eq!(
        local_depth_estimate(&sheet, &Pose::IDENTITY, &Shape::sphere(1.0).unwrap(), &Pose::IDENTITY),
        Err(QueryError::NoDepth)
    );
}
