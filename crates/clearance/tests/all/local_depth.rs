//! How far surfaces reach inside the other body: brackets against known depths and dense samples, every answer verified,
//! every field perturbed.

use std::f64::consts::PI;

use clearance::answer::{DepthDirection, LocalDepth, LocalDepthEnd};
use clearance::glam::DVec3;
use clearance::query::{LocalDepthOptions, SolidDepthOptions, local_depth_with, solid_depth_with};
use clearance::{Pose, Shape, Workspace};
use clearance_oracle::random::Random;
use common::meshes::{Lists, box_lists, bumpy_ball, random_pose, solid};

use crate::common;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// The answer, verified, and the same to the bit with the bodies exchanged.
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

/// That a depth is this but for rounding, and proved as closely as was asked.
fn is(found: &LocalDepth, depth: f64, rounding: f64) {
    assert!(found.depth.lower <= depth + rounding && depth - rounding <= found.depth.upper, "{depth} {found:?}");
    assert!(found.depth.upper - found.depth.lower <= (0.05 * found.depth.upper).max(rounding), "{found:?}");
    assert_eq!(found.ended, LocalDepthEnd::Tolerance);
}

/// A prism over a regular polygon about z, its first corner turned by an angle.
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

/// How often triangles wind about a point, by their solid angles.
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

/// The deepest of points spread over triangles, and how far a point may be from one of them.
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
fn boxes_reach_into_each_other_as_far_as_is_known() {
    let cube = solid(&box_lists(DVec3::ZERO, DVec3::ONE));
    let large = solid(&box_lists(DVec3::splat(-2.0), DVec3::splat(3.0)));
    let here = Pose::IDENTITY;
    // By a corner, an edge, a face, and held.
    is(&ask(&cube, &here, &cube, &at(0.75, 0.75, 0.75)), 0.25, 1e-12);
    is(&ask(&cube, &here, &cube, &at(0.75, 0.5, 0.0)), 0.25, 1e-12);
    is(&ask(&large, &here, &cube, &at(0.0, 0.0, 2.75)), 0.25, 1e-12);
    // Held: each face of the cube is 2 from a side of the large box, and its middle no nearer to the others.
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
fn what_touches_or_is_apart_has_no_depth() {
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
fn a_pin_in_its_hole_reaches_in_by_the_sliver_of_its_facets() {
    for corners in [16, 64] {
        let sliver = 5.0 * (1.0 - (PI / f64::from(corners)).cos());
        let hole = solid(&tube(corners, [5.0, 10.0], [0.0, 50.0]));
        // Longer than the hole, and flush with it.
        for ends in [[-10.0, 60.0], [0.0, 50.0], [10.0, 60.0]] {
            let pin = solid(&prism(corners, 5.0, PI / f64::from(corners), ends));
            let found = ask(&hole, &Pose::IDENTITY, &pin, &Pose::IDENTITY);
            is(&found, sliver, 1e-11);
            assert_eq!(found.deepest.map(|deepest| deepest.direction), Some(DepthDirection::BInA));
        }
    }
}

#[test]
fn brackets_hold_what_samples_show() {
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
        // No more than the shortest way out.
        let options = SolidDepthOptions::default();
        let (a, b) = (solid(one), solid(other));
        let out = solid_depth_with(&a, &pose_a, &b, &pose_b, &options, &mut Workspace::default(), |_, _| true).unwrap();
        assert!(found.depth.lower <= out.penetration.depth.upper);
    }
    assert!(deep > 12, "{deep}");
}
