//! Contact curves of meshes, in the world: against the list of crossings, and with the arguments swapped.

use crate::mesh_files;

use std::collections::BTreeSet;

use clearance::answer::ContactCurve;
use clearance::glam::{DQuat, DVec3};
use clearance::query::ContactCurvesOptions;
use clearance::{Mesh, Pose, Shape, contacts};
use clearance_oracle::random::Random;
use mesh_files::{Model, cuboid, models_in, moved, say, torus};

fn mesh((points, triangles): &Model) -> Mesh {
    Mesh::new(points, triangles).unwrap()
}

/// The curves of two meshes, verified.
fn contact_curves(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> Vec<ContactCurve> {
    let curves = clearance::query::contact_curves(a, pose_a, b, pose_b);
    let verified = ContactCurve::verify_all(&curves, a, pose_a, b, pose_b, &ContactCurvesOptions::default());
    assert_eq!(verified, Ok(()));
    curves
}

/// The curves of two closed surfaces in general position, after the checks that hold for all of these.
fn closed_curves(label: &str, a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> Vec<ContactCurve> {
    let curves = contact_curves(a, pose_a, b, pose_b);
    let turn = |pose: &Pose, direction: DVec3| pose.transform_point(direction) - pose.transform_point(DVec3::ZERO);

    // Each crossing is a segment of one curve, and nothing else is.
    let answer = contacts(&Shape::Mesh(a.clone()), pose_a, &Shape::Mesh(b.clone()), pose_b);
    let crossings: Vec<[u32; 2]> = answer.crossings.iter().map(|c| [c.triangle_a, c.triangle_b]).collect();
    let mut pairs: Vec<[u32; 2]> = curves.iter().flat_map(|curve| curve.pairs.iter().copied()).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, crossings, "{label}");
    let near = |p: DVec3, q: DVec3| (p - q).length() <= 1e-12 * (p.length() + 1.0);
    for curve in &curves {
        assert!(curve.closed && curve.normal.is_some(), "{label}: {curve:?}");
        for (i, pair) in curve.pairs.iter().enumerate() {
            let crossing = &answer.crossings[crossings.binary_search(pair).unwrap()];
            let segment = [curve.points[i], curve.points[(i + 1) % curve.points.len()]];
            let [p, q] = crossing.ends_in_a;
            let matches = (near(p, segment[0]) && near(q, segment[1])) || (near(q, segment[0]) && near(p, segment[1]));
            assert!(matches, "{label}: {segment:?} {crossing:?}");
        }
    }

    // Swapped: the same curves, reversed, with opposite normals.
    let mut swapped = contact_curves(b, pose_b, a, pose_a);
    assert_eq!(swapped.len(), curves.len(), "{label}");
    for curve in &curves {
        let own: BTreeSet<[u32; 2]> = curve.pairs.iter().map(|&[t, f]| [f, t]).collect();
        let place = swapped.iter().position(|other| own.contains(&other.pairs[0])).unwrap();
        let other = swapped.swap_remove(place);
        assert_eq!(other.pairs.iter().copied().collect::<BTreeSet<_>>(), own, "{label}");
        let here = other.pairs.iter().position(|&[f, t]| [t, f] == curve.pairs[0]).unwrap();
        let count = curve.points.len();
        for i in 0..count {
            let mine = pose_a.transform_point(curve.points[(count + 1 - i) % count]);
            let its = pose_b.transform_point(other.points[(here + i) % count]);
            assert!((mine - its).length() <= 1e-12 * (1.0 + mine.length()), "{label}: {mine} {its}");
        }
        let (normal, against) = (turn(pose_a, curve.normal.unwrap()), turn(pose_b, other.normal.unwrap()));
        assert!((normal + against).length() < 1e-6, "{label}: {normal} {against}");
    }
    curves
}

#[test]
fn rings_in_random_poses() {
    let mut random = Random::new(21);
    let (ring, block) = (mesh(&torus(3.0, 1.0, 24, 12)), mesh(&cuboid([-0.7, -1.1, -4.0], [0.6, 0.9, 4.0])));
    let mut found = 0;
    for round in 0..40 {
        let far = DVec3::from_array([1e5, -2e5, 3e4]) * f64::from(round % 2);
        let mut pose = |reach: f64| {
            let axis = DVec3::from_array(random.direction());
            let turn = DQuat::from_axis_angle(axis, random.uniform(0.0, 3.0));
            Pose::from_quat(turn, DVec3::from_array(random.in_cube(reach)) + far).unwrap()
        };
        let (pose_a, pose_b) = (pose(2.0), pose(2.0));
        let other = if round % 3 == 0 { &block } else { &ring };
        found += closed_curves(&format!("round {round}"), &ring, &pose_a, other, &pose_b).len();
    }
    assert!(found > 30, "{found}");
}

#[test]
fn disjoint_meshes_have_no_curves() {
    let (large, small) = (mesh(&cuboid([-2.0; 3], [2.0; 3])), mesh(&cuboid([-1.0; 3], [1.0; 3])));
    let large = large.solid().unwrap();
    let away = Pose::from_translation(DVec3::new(9.0, 0.0, 0.0)).unwrap();
    assert!(contact_curves(&large, &Pose::IDENTITY, &small, &Pose::IDENTITY).is_empty());
    assert!(contact_curves(&large, &Pose::IDENTITY, &small, &away).is_empty());
    // On top of it: the outline of the common face, in the frame of the first body.
    let above = Pose::from_translation(DVec3::new(0.25, 0.5, 3.0)).unwrap();
    let curves = contact_curves(&large, &Pose::IDENTITY, &small, &above);
    assert_eq!((curves.len(), curves[0].closed, curves[0].normal), (1, true, Some(DVec3::Z)));
    assert!(curves[0].points.iter().all(|p| p.z == 2.0), "{curves:?}");
    let curves = contact_curves(&small, &above, &large, &Pose::IDENTITY);
    assert_eq!((curves.len(), curves[0].closed, curves[0].normal), (1, true, Some(-DVec3::Z)));
    assert!(curves[0].points.iter().all(|p| p.z == -1.0), "{curves:?}");
}

/// Watertight models, pushed into copies of themselves.
#[test]
fn real_models_meet_in_loops() {
    for (name, model) in models_in("meshes") {
        let corner = |pick: fn(f64, f64) -> f64, start: f64| {
            [0, 1, 2].map(|k| model.0.iter().fold(start, |best, p| pick(best, p[k])))
        };
        let (low, high) = (corner(f64::min, f64::INFINITY), corner(f64::max, f64::NEG_INFINITY));
        let size = (0..3).fold(0.0, |most: f64, k| most.max(high[k] - low[k]));
        let to_unit = |p: &[f64; 3]| [0, 1, 2].map(|k| (p[k] - low[k]) / size);
        let model: Model = (model.0.iter().map(to_unit).collect(), model.1.clone());
        let (a, b) = (mesh(&model), mesh(&moved(&model, [0.0, 0.01, -0.02])));
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.3);
        let pose = Pose::from_quat(turn, DVec3::new(0.2, 0.1, 0.05)).unwrap();
        let curves = closed_curves(&name, &a, &Pose::IDENTITY, &b, &pose);
        let segments: usize = curves.iter().map(|curve| curve.pairs.len()).sum();
        say(&format!("meshes/{name}: {} loops of {segments} segments", curves.len()));
        assert!(!curves.is_empty(), "{name}");
    }
}
