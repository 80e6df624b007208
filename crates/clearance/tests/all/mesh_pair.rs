//! Meshes against meshes and against other bodies, by brute force over their triangles.

use crate::common;

use clearance::answer::{Contacts, Distance};
use clearance::glam::DVec3;
use clearance::query::{
    ContactsOptions, DistanceOptions, IntersectsOptions, contact_curves, contacts_with, distance_with, intersects_with,
};
use clearance::{Mesh, PairCache, Pose, Relation, Shape, Workspace, contacts, distance, intersects, relation};
use clearance_oracle::random::Random;
use common::meshes::{bodies, box_lists, bumpy_ball, model, random_pose, solid, soup};

/// The bracket of the least distance of two lists of bodies.
fn brute(a: &[Shape], pose_a: &Pose, b: &[Shape], pose_b: &Pose) -> (f64, f64) {
    let mut least = (f64::INFINITY, f64::INFINITY);
    for p in a {
        for q in b {
            let found = distance(p, pose_a, q, pose_b);
            least = (least.0.min(found.gap.lower), least.1.min(found.gap.upper));
        }
    }
    least
}

fn agrees(found: &Distance, (lower, upper): (f64, f64), size: f64) {
    assert!(found.gap.lower <= found.gap.value && found.gap.value <= found.gap.upper, "{found:?}");
    assert!(found.gap.lower <= upper && lower <= found.gap.upper, "{found:?} but {lower} to {upper}");
    assert!(found.gap.upper - found.gap.lower <= 1e-12 * size, "{found:?} is wider than 1e-12 of {size}");
}

#[test]
fn distances_agree_with_all_pairs_of_triangles() {
    let mut random = Random::new(4);
    let mut apart = 0;
    for round in 0..40u32 {
        let size = [1.0, 1e-3, 1e3, 1e-30][round as usize % 4];
        let a = if round % 3 == 0 {
            let (points, triangles) = soup(&mut random, 30, size);
            model(&points, &triangles)
        } else {
            let (points, triangles) = bumpy_ball(4, size, DVec3::ZERO, 0.2);
            model(&points, &triangles)
        };
        let (points, triangles) = bumpy_ball(3, 0.7 * size, DVec3::new(0.1, 0.2, 0.0) * size, 0.1);
        let b = model(&points, &triangles);
        let far = size * [0.5, 1.8, 2.2, 5.0, 300.0][round as usize % 5];
        let (pose_a, pose_b) = (random_pose(&mut random, 0.0), random_pose(&mut random, far));
        let found = distance(&a.shape, &pose_a, &b.shape, &pose_b);
        agrees(&found, brute(&a.triangles, &pose_a, &b.triangles, &pose_b), 4.0 * size + far);
        apart += u32::from(found.gap.value > 0.0);
        assert_eq!(intersects(&a.shape, &pose_a, &b.shape, &pose_b), found.gap.value == 0.0);
        let mirrored = distance(&b.shape, &pose_b, &a.shape, &pose_a);
        assert_eq!(
            (found.gap.value, found.gap.lower, found.gap.upper, found.witness.a.point, found.witness.b.point),
            (
                mirrored.gap.value,
                mirrored.gap.lower,
                mirrored.gap.upper,
                mirrored.witness.b.point,
                mirrored.witness.a.point
            )
        );
        assert_eq!(
            (found.witness.a.part, found.witness.b.feature),
            (mirrored.witness.b.part, mirrored.witness.a.feature)
        );
    }
    assert!(apart > 10 && apart < 40);
}

#[test]
fn far_from_the_origin_and_from_each_other() {
    let mut random = Random::new(5);
    for (shift, far) in [(1e7, 3.0), (0.0, 1e5), (1e7, 1e9), (0.0, 40.0)] {
        let middle = DVec3::new(shift, -shift, 0.5 * shift);
        let (points, triangles) = bumpy_ball(5, 1.0, middle, 0.1);
        let a = model(&points, &triangles);
        let pose_a = Pose::from_translation(-middle).unwrap();
        let pose_b = Pose::from_axis_angle(DVec3::Y, 0.3, DVec3::new(far, 0.2, 0.1) - middle).unwrap();
        let found = distance(&a.shape, &pose_a, &a.shape, &pose_b);
        let expected = brute(&a.triangles, &pose_a, &a.triangles, &pose_b);
        agrees(&found, expected, 8.0 * shift + far + 4.0);
        let _ = random_pose(&mut random, 0.0);
    }
}

#[test]
fn crossings_are_all_pairs_that_meet() {
    let mut random = Random::new(6);
    let mut total = 0;
    for round in 0..20u32 {
        let (points, triangles) =
            if round % 2 == 0 { soup(&mut random, 40, 1.0) } else { bumpy_ball(5, 1.0, DVec3::ZERO, 0.2) };
        let a = model(&points, &triangles);
        let (points, triangles) = bumpy_ball(4, 0.8, DVec3::ZERO, 0.1);
        let b = model(&points, &triangles);
        let (pose_a, pose_b) = (random_pose(&mut random, 0.0), random_pose(&mut random, 0.9));
        let found = contacts(&a.shape, &pose_a, &b.shape, &pose_b);
        let mut expected = Vec::new();
        for (i, p) in a.triangles.iter().enumerate() {
            for (j, q) in b.triangles.iter().enumerate() {
                if intersects(p, &pose_a, q, &pose_b) {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        let pairs: Vec<_> = found.crossings.iter().map(|c| (c.triangle_a, c.triangle_b)).collect();
        assert_eq!(pairs, expected);
        total += pairs.len();
        for crossing in &found.crossings {
            for end in crossing.ends_in_a {
                let world = Pose::from_translation(pose_a.transform_point(end)).unwrap();
                let point = Shape::flat_hull(&[[0.0; 3]]).unwrap();
                let on_a = distance(&a.triangles[crossing.triangle_a as usize], &pose_a, &point, &world);
                let on_b = distance(&b.triangles[crossing.triangle_b as usize], &pose_b, &point, &world);
                assert!(on_a.gap.value < 1e-14 && on_b.gap.value < 1e-14, "{} {}", on_a.gap.value, on_b.gap.value);
            }
        }
    }
    assert!(total > 300, "{total}");
}

fn mesh(shape: &Shape) -> &Mesh {
    let Shape::Mesh(mesh) = shape else { panic!("not a mesh") };
    mesh
}

#[test]
fn closed_surfaces_meet_in_closed_curves() {
    let solid = |n, size| {
        let (points, triangles) = bumpy_ball(n, size, DVec3::ZERO, 0.0);
        Shape::Mesh(Mesh::new(&points, &triangles).unwrap().solid().unwrap())
    };
    let (large, small) = (solid(9, 1.0), solid(7, 0.6));
    let pose_a = Pose::from_axis_angle(DVec3::X, 0.7, DVec3::new(0.0, 5.0, 0.0)).unwrap();
    let pose_b = Pose::from_axis_angle(DVec3::ONE, 0.3, DVec3::new(1.1, 5.1, 0.2)).unwrap();
    for (a, pose_a, b, pose_b) in [(&large, &pose_a, &small, &pose_b), (&small, &pose_b, &large, &pose_a)] {
        let found = contacts(a, pose_a, b, pose_b);
        let curves = contact_curves(mesh(a), pose_a, mesh(b), pose_b);
        assert_eq!(curves.len(), 1);
        let curve = &curves[0];
        assert!(curve.closed && curve.points.len() == curve.pairs.len() && curve.points.len() <= found.crossings.len());
        // From A towards B.
        let towards = (pose_b.translation() - pose_a.translation()).normalize();
        assert!(curve.normal.unwrap().dot(towards) > 0.95, "{:?} {towards}", curve.normal);
        for crossing in &found.crossings {
            for normal in crossing.normals.into_iter().flatten() {
                assert!(normal.dot(towards) > 0.0, "{normal} {towards}");
            }
        }
        for pair in &curve.pairs {
            assert!(found.crossings.iter().any(|c| [c.triangle_a, c.triangle_b] == *pair));
        }
    }
}

#[test]
fn pairs_within_a_margin() {
    let mut random = Random::new(7);
    for _ in 0..10 {
        let (points, triangles) = bumpy_ball(4, 1.0, DVec3::ZERO, 0.2);
        let a = model(&points, &triangles);
        let (pose_a, pose_b) = (random_pose(&mut random, 0.0), random_pose(&mut random, 2.3));
        let margin = 0.3;
        let options = ContactsOptions { margin, ..ContactsOptions::default() };
        let (mut cache, mut workspace, mut found) = (PairCache::default(), Workspace::default(), Contacts::default());
        contacts_with(&a.shape, &pose_a, &a.shape, &pose_b, &options, &mut cache, &mut workspace, &mut found);
        let mut expected = Vec::new();
        for (i, p) in a.triangles.iter().enumerate() {
            for (j, q) in a.triangles.iter().enumerate() {
                let gap = distance(p, &pose_a, q, &pose_b).gap.value;
                assert!((gap - margin).abs() > 1e-9);
                if gap > 0.0 && gap < margin {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        let pairs: Vec<_> = found.points.iter().map(|c| (c.witness.a.part, c.witness.b.part)).collect();
        assert_eq!(pairs, expected);
        let near = IntersectsOptions { margin, ..IntersectsOptions::default() };
        let meets = intersects_with(&a.shape, &pose_a, &a.shape, &pose_b, &near, &mut cache, &mut workspace);
        assert_eq!(meets, found.gap.value <= margin);
    }
}

#[test]
fn a_cache_and_a_limit_change_nothing_but_the_work() {
    let (points, triangles) = bumpy_ball(8, 1.0, DVec3::ZERO, 0.1);
    let ball = Shape::mesh(&points, &triangles).unwrap();
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    let mut plain = Workspace::baseline();
    for step in 0..30 {
        let pose = Pose::from_axis_angle(DVec3::Y, 0.05 * f64::from(step), DVec3::new(2.5, 0.0, 0.3)).unwrap();
        let ask = |options: &DistanceOptions, cache: &mut PairCache, workspace: &mut Workspace| {
            distance_with(&ball, &Pose::IDENTITY, &ball, &pose, options, cache, workspace)
        };
        let fresh = ask(&DistanceOptions::default(), &mut PairCache::default(), &mut workspace);
        let warm = ask(&DistanceOptions::default(), &mut cache, &mut workspace);
        assert!((warm.gap.value - fresh.gap.value).abs() < 1e-14);
        assert_eq!(fresh, ask(&DistanceOptions::default(), &mut PairCache::default(), &mut plain));
        let limited = DistanceOptions { farther_than: Some(0.1), ..DistanceOptions::default() };
        let limited = ask(&limited, &mut PairCache::default(), &mut workspace);
        assert!(
            limited.gap.lower > 0.1 && limited.gap.lower <= fresh.gap.upper && limited.gap.upper >= fresh.gap.lower
        );
        let loose = DistanceOptions { tolerance: 0.1, ..DistanceOptions::default() };
        let loose = ask(&loose, &mut PairCache::default(), &mut workspace);
        assert!(
            loose.gap.lower <= fresh.gap.upper
                && fresh.gap.lower <= loose.gap.upper
                && loose.gap.upper - loose.gap.lower < 0.1001
        );
    }
}

#[test]
fn solids_contain_bodies_inside_them() {
    let solid = |n, size, middle| {
        let (points, triangles) = bumpy_ball(n, size, middle, 0.0);
        Shape::Mesh(Mesh::new(&points, &triangles).unwrap().solid().unwrap())
    };
    let surface = |n, size, middle| {
        let (points, triangles) = bumpy_ball(n, size, middle, 0.0);
        Shape::mesh(&points, &triangles).unwrap()
    };
    let (large, small) = (solid(6, 2.0, DVec3::ZERO), surface(4, 0.5, DVec3::new(0.3, 0.1, 0.0)));
    let turned = Pose::from_axis_angle(DVec3::ONE, 0.4, DVec3::ZERO).unwrap();
    let outside = Pose::from_translation(DVec3::new(4.0, 0.0, 0.0)).unwrap();
    let inside: [&Shape; 4] = [
        &small,
        &Shape::sphere(0.5).unwrap(),
        &Shape::segment(DVec3::ZERO, DVec3::X).unwrap(),
        &Shape::compound(vec![(Pose::IDENTITY, Shape::sphere(0.2).unwrap())]).unwrap(),
    ];
    for body in inside {
        assert!(intersects(&large, &Pose::IDENTITY, body, &turned));
        assert!(intersects(body, &turned, &large, &Pose::IDENTITY));
        let found = distance(&large, &Pose::IDENTITY, body, &turned);
        assert_eq!((found.gap.value, found.normal), (0.0, None));
        assert!(distance(&large, &Pose::IDENTITY, body, &outside).gap.value > 0.0);
        assert!(!intersects(&large, &Pose::IDENTITY, body, &outside));
    }
    // A surface has no inside.
    let shell = surface(6, 2.0, DVec3::ZERO);
    assert!(distance(&shell, &Pose::IDENTITY, &small, &turned).gap.value > 1.0);
    assert_eq!(relation(&shell, &Pose::IDENTITY, &small, &turned), Relation::Separated);
    assert_eq!(relation(&shell, &Pose::IDENTITY, &shell, &turned), Relation::Touching);
}

#[test]
fn meshes_against_all_kinds_of_bodies() {
    let mut random = Random::new(8);
    let (points, triangles) = bumpy_ball(5, 1.0, DVec3::new(0.2, 0.0, 0.1), 0.2);
    let mesh = model(&points, &triangles);
    for body in &bodies() {
        for far in [0.3, 1.4, 2.5, 20.0] {
            let (pose_a, pose_b) = (random_pose(&mut random, 0.0), random_pose(&mut random, far));
            let found = distance(&mesh.shape, &pose_a, body, &pose_b);
            agrees(&found, brute(&mesh.triangles, &pose_a, std::slice::from_ref(body), &pose_b), 8.0 + far);
            assert_eq!(intersects(&mesh.shape, &pose_a, body, &pose_b), found.gap.value == 0.0, "{body:?}");
            let mirrored = distance(body, &pose_b, &mesh.shape, &pose_a);
            assert_eq!((found.gap.value, found.witness.a.part), (mirrored.gap.value, mirrored.witness.b.part));
            assert_eq!(found.witness.a.feature, mirrored.witness.b.feature);
        }
    }
}

#[test]
fn one_triangle_many_times_and_flat_grids() {
    // All centroids coincide; and a flat grid against itself flipped.
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let many = Shape::mesh(&points, &vec![[0, 1, 2]; 1000]).unwrap();
    let above = Pose::from_translation(DVec3::new(0.0, 0.0, 0.5)).unwrap();
    assert_eq!(distance(&many, &Pose::IDENTITY, &many, &above).gap.value, 0.5);
    assert!(intersects(&many, &Pose::IDENTITY, &many, &Pose::IDENTITY));
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..30u32 {
        for j in 0..30u32 {
            points.push([f64::from(i), f64::from(j), 0.0]);
            if i < 29 && j < 29 {
                let at = 30 * i + j;
                triangles.extend([[at, at + 30, at + 31], [at, at + 31, at + 1]]);
            }
        }
    }
    let grid = Shape::mesh(&points, &triangles).unwrap();
    assert!((distance(&grid, &Pose::IDENTITY, &grid, &above).gap.value - 0.5).abs() < 1e-15);
    let beside = Pose::from_translation(DVec3::new(29.0, 0.0, 0.0)).unwrap();
    assert!(intersects(&grid, &Pose::IDENTITY, &grid, &beside));
    let apart = Pose::from_translation(DVec3::new(29.0 + 1e-14, 0.0, 0.0)).unwrap();
    assert!(!intersects(&grid, &Pose::IDENTITY, &grid, &apart));
}

/// Small triangles, needles and zero-area triangles next to each other, at gaps about the size of rounding in single
/// precision and far above it, near the origin and far from it, and of two sizes: against all pairs of triangles, with
/// and without wide instructions.
#[test]
fn triangles_side_by_side_are_filtered_soundly() {
    let mut random = Random::new(14);
    let (mut met, mut apart) = (0, 0);
    for round in 0..60usize {
        let size = [1.0, 1e-3, 1e3][round % 3];
        let shift = [0.0, 1e4][round / 3 % 2] * size;
        let gap = [-0.02, 1e-7, 1e-5, 1e-3, -0.03][round % 5] * size;
        let sheet = |random: &mut Random, size: f64| {
            let mut points = Vec::new();
            let mut triangles = Vec::new();
            for k in 0..24u32 {
                let middle = DVec3::new(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), 0.0);
                let reach = [0.3, 0.05, 1e-4][k as usize % 3];
                for corner in 0..3 {
                    let side = if k % 4 == 0 && corner > 0 { 1e-5 } else { reach };
                    let height = 0.02 * random.uniform(-1.0, 0.0);
                    let p = middle + DVec3::new(random.uniform(-reach, reach), random.uniform(-side, side), height);
                    points.push((p * size + DVec3::splat(shift)).to_array());
                }
                let first = 3 * k;
                triangles.push(if k % 7 == 6 { [first, first, first + 1] } else { [first, first + 1, first + 2] });
            }
            model(&points, &triangles)
        };
        let (a, b) = (sheet(&mut random, size), sheet(&mut random, size * [1.0, 20.0][round / 5 % 2]));
        // Face to face.
        let (pose_a, turned) = (
            Pose::from_translation(DVec3::splat(-shift)).unwrap(),
            Pose::from_axis_angle(
                DVec3::new(1.0, 0.01 * random.uniform(-1.0, 1.0), 0.0),
                std::f64::consts::PI - 0.0016,
                DVec3::ZERO,
            )
            .unwrap(),
        );
        let place = DVec3::new(0.0, 0.0, gap) - turned.rotation() * DVec3::splat(shift);
        let pose_b = Pose::new(turned.rotation(), place).unwrap();
        let expected = brute(&a.triangles, &pose_a, &b.triangles, &pose_b);
        let found = distance(&a.shape, &pose_a, &b.shape, &pose_b);
        agrees(&found, expected, 30.0 * size + 8.0 * shift);
        let meets = intersects(&a.shape, &pose_a, &b.shape, &pose_b);
        assert_eq!(meets, found.gap.value == 0.0);
        *(if meets { &mut met } else { &mut apart }) += 1;
        let pairs = a.triangles.iter().flat_map(|p| b.triangles.iter().map(move |q| (p, q)));
        let truly = pairs.filter(|(p, q)| intersects(p, &pose_a, q, &pose_b)).count();
        let listed = contacts(&a.shape, &pose_a, &b.shape, &pose_b).crossings.len();
        // Points are placed from the origin of the whole mesh or of a single triangle: rounded apart far from the
        // origin.
        assert!(listed == truly || shift > 0.0, "{listed} and {truly}");
        let mut plain = Workspace::baseline();
        let (options, mut cache) = (DistanceOptions::default(), PairCache::default());
        let scalar = distance_with(&a.shape, &pose_a, &b.shape, &pose_b, &options, &mut cache, &mut plain);
        assert_eq!(
            (scalar.gap.lower, scalar.gap.upper, scalar.witness.a.part, scalar.witness.b.part),
            (found.gap.lower, found.gap.upper, found.witness.a.part, found.witness.b.part)
        );
    }
    assert!(met > 10 && apart > 10, "{met} {apart}");
}

/// Boxes as meshes: the box test of meshes agrees with the boxes as bodies, slightly separated and slightly
/// overlapping.
#[test]
fn boxes_of_meshes_are_separated_only_if_they_are() {
    let mut random = Random::new(15);
    let box_of = |half: DVec3, middle: DVec3| {
        let corner = |k: u32| {
            let sign = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
            (middle + half * DVec3::new(sign(1), sign(2), sign(4))).to_array()
        };
        let points: Vec<[f64; 3]> = (0..8).map(corner).collect();
        let sides = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        let triangles: Vec<[u32; 3]> = sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Shape::mesh(&points, &triangles).unwrap()
    };
    for round in 0..400 {
        let size = [1.0, 1e-6, 1e6][round % 3];
        let mut half =
            || DVec3::new(random.uniform(0.01, 1.0), random.uniform(0.2, 1.0), random.uniform(0.5, 1.0)) * size;
        let (half_a, half_b) = (half(), half());
        let middle = DVec3::new(3.0, -2.0, 5.0) * size;
        let (a, b) = (box_of(half_a, middle), box_of(half_b, middle));
        let (body_a, body_b) = (Shape::cuboid(half_a).unwrap(), Shape::cuboid(half_b).unwrap());
        let turn_a = random_pose(&mut random, 0.0);
        let turn_b = if round % 4 == 0 { turn_a } else { random_pose(&mut random, 0.0) };
        let direction = random_pose(&mut random, 1.0).translation();
        let at = |pose: &Pose, by: DVec3, center: DVec3| {
            (
                Pose::new(pose.rotation(), by).unwrap(),
                Pose::new(pose.rotation(), by - pose.rotation() * center).unwrap(),
            )
        };
        // The gap along the direction by which the boxes were moved apart.
        let far = 8.0 * size;
        let start = distance(&body_a, &turn_a, &body_b, &at(&turn_b, direction * far, middle).0);
        let mut way = far;
        for _ in 0..40 {
            way -= distance(&body_a, &turn_a, &body_b, &at(&turn_b, direction * way, middle).0).gap.value * 0.999;
        }
        assert!(start.gap.value > 0.0);
        for step in [-1e-3, -1e-7, 1e-12, 1e-7, 1e-3] {
            let by = direction * (way + step * size);
            let ((apart_a, pose_a), (apart_b, pose_b)) = (at(&turn_a, DVec3::ZERO, middle), at(&turn_b, by, middle));
            let gap = distance(&body_a, &apart_a, &body_b, &apart_b);
            let meets = intersects(&a, &pose_a, &b, &pose_b);
            if gap.gap.lower > 1e-9 * size {
                assert!(!meets, "{step}");
            } else if gap.gap.value == 0.0 && step < -1e-8 {
                assert!(meets, "{step}");
            }
            let options = IntersectsOptions { margin: gap.gap.upper + 1e-9 * size, ..IntersectsOptions::default() };
            let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
            assert!(intersects_with(&a, &pose_a, &b, &pose_b, &options, &mut cache, &mut workspace), "{step}");
            if gap.gap.lower > 1e-8 * size {
                let options = IntersectsOptions { margin: gap.gap.lower - 1e-9 * size, ..options };
                assert!(!intersects_with(&a, &pose_a, &b, &pose_b, &options, &mut cache, &mut workspace), "{step}");
            }
        }
    }
}

#[test]
fn containment_within_rounding() {
    // A box of triangles in a larger one, rotated, with a gap that rounding between the frames could close: containment
    // in the placed solid is decided exactly, in either frame.
    let mut inside = 0;
    for k in 0..60u32 {
        let gap = [1e-15, 2e-16, 1e-14, 1e-12][k as usize % 4];
        let (outer, inner) = (box_lists(DVec3::ZERO, DVec3::ONE), box_lists(DVec3::splat(gap), DVec3::splat(0.4)));
        let pose =
            Pose::from_axis_angle(DVec3::new(1.0, 0.3, -0.2), 0.1 * f64::from(k), DVec3::new(3.0, -1.0, 7.0)).unwrap();
        let (outer, inner) = (solid(&outer), solid(&inner));
        for (a, b) in [(&outer, &inner), (&inner, &outer)] {
            let found = distance(a, &pose, b, &pose);
            assert_eq!(found.gap.value, 0.0, "{k}: {found:?}");
            assert!(intersects(a, &pose, b, &pose));
            assert_ne!(relation(a, &pose, b, &pose), Relation::Separated);
            inside += 1;
        }
        // The same out of reach: two shells side by side.
        let beside = solid(&box_lists(DVec3::new(1.0 + gap.max(1e-15), 0.0, 0.0), DVec3::new(2.0, 1.0, 1.0)));
        assert!(!intersects(&outer, &pose, &beside, &pose));
    }
    assert_eq!(inside, 120);
}
