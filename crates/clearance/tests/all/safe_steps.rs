//! Steps as solvers want them: the contacts of two moving triangles, and how far points may move before anything meets.

use clearance::glam::DVec3;
use clearance::query::{
    ImpactSelection, StepOptions, safe_displacements, safe_displacements_between, step_collisions_with,
    triangle_impacts,
};
use clearance::shape::Feature;
use clearance::{DeformingMesh, Error, self_collisions, step_collisions};
use clearance_oracle::random::Random;

use crate::common::meshes::{bumpy_ball, random_point, soup};

fn triangle(random: &mut Random, grid: bool) -> [DVec3; 3] {
    let mut number = || {
        let x = random.uniform(-1.0, 1.0);
        if grid { (2.0 * x).round() / 2.0 } else { x }
    };
    std::array::from_fn(|_| DVec3::new(number(), number(), number()))
}

fn mesh([start, end]: [[DVec3; 3]; 2]) -> DeformingMesh {
    let lists = [start, end].map(|corners| corners.map(|corner| corner.to_array()));
    let mut mesh = DeformingMesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap();
    mesh.set_step(&lists[0], &lists[1]).unwrap();
    mesh
}

#[test]
fn two_triangles_as_two_meshes() {
    let mut random = Random::new(31);
    let (mut contacts, mut most) = (0, 0);
    for round in 0..600 {
        let grid = round % 3 == 0;
        let mut moving = || [triangle(&mut random, grid), triangle(&mut random, grid)];
        let (a, b) = (moving(), moving());
        let all = triangle_impacts(a, b, ImpactSelection::All).unwrap();
        // Edges of a mesh are (0, 1), (0, 2), (1, 2); those of a triangle go round.
        let of_mesh = |feature| match feature {
            Feature::Edge(1) => Feature::Edge(2),
            Feature::Edge(2) => Feature::Edge(1),
            other => other,
        };
        let mut ours: Vec<_> = all.iter().map(|found| (found.features.map(of_mesh), found.impact.time)).collect();
        ours.sort_by_key(|found| found.0);
        let options = StepOptions { wanted: ImpactSelection::All, intersections: false, ..StepOptions::default() };
        let step = step_collisions_with(&mesh(a), &mesh(b), &options);
        let mut theirs: Vec<_> = step.impacts.iter().map(|found| (found.features, found.time)).collect();
        theirs.sort_by_key(|found| found.0);
        assert_eq!(ours, theirs, "{a:?} {b:?}");
        assert!(all.is_sorted_by(|one, other| one.impact.time.upper <= other.impact.time.upper));
        let first = triangle_impacts(a, b, ImpactSelection::First).unwrap();
        assert_eq!(first, all[..all.len().min(1)]);
        let near = triangle_impacts(a, b, ImpactSelection::NearFirst(0.1)).unwrap();
        assert_eq!(near, all[..near.len()]);
        if let (Some(first), Some(next)) = (all.first(), all.get(near.len())) {
            assert!(next.impact.time.lower > first.impact.time.upper + 0.1);
        }
        // Swapped, the same times.
        let swapped = triangle_impacts(b, a, ImpactSelection::All).unwrap();
        assert_eq!(swapped.len(), all.len());
        contacts += all.len();
        most = most.max(all.len());
    }
    assert!(contacts > 1000 && most >= 8, "{contacts} {most}");
    let wrong = [triangle(&mut random, false), [DVec3::NAN; 3]];
    let right = [triangle(&mut random, false); 2];
    let error = triangle_impacts(right, wrong, ImpactSelection::All).unwrap_err();
    assert_eq!(error, Error::NotFinite { what: "corner", index: 9 });
}

/// A step in which every point moves almost as far as it may.
fn step(mesh: &DeformingMesh, bounds: &[f64], random: &mut Random) -> DeformingMesh {
    let (start, end): (Vec<[f64; 3]>, Vec<[f64; 3]>) = mesh
        .end()
        .zip(bounds)
        .map(|(point, &bound)| {
            let way = random_point(random, 1.0).normalize_or_zero();
            (point.to_array(), (point + way * (bound * (1.0 - 1e-6))).to_array())
        })
        .unzip();
    let mut moved = mesh.clone();
    moved.set_step(&start, &end).unwrap();
    moved
}

#[test]
fn nothing_meets_within_safe_displacements() {
    let mut random = Random::new(32);
    let mut meshes: Vec<DeformingMesh> = Vec::new();
    for size in [1.0, 1e-9, 1e9] {
        let (points, triangles) = soup(&mut random, 24, size);
        meshes.push(DeformingMesh::new(&points, &triangles).unwrap());
    }
    let ball = bumpy_ball(7, 1.0, DVec3::ZERO, 0.3);
    meshes.push(DeformingMesh::new(&ball.0, &ball.1).unwrap());
    let mut moved = 0;
    for mesh in &meshes {
        let size = mesh.end().map(|point| point.abs().max_element()).fold(0.0, f64::max);
        for distance in [0.02 * size, size, f64::INFINITY] {
            let bounds = safe_displacements(mesh, distance);
            let bounds: Vec<f64> = bounds.into_iter().map(|bound| bound.min(size)).collect();
            moved += bounds.iter().filter(|bound| **bound > 0.0).count();
            for _ in 0..8 {
                let step = step(mesh, &bounds, &mut random);
                // What touched before may still touch.
                let touches = |feature: Feature| match feature {
                    Feature::Vertex(point) => bounds[point as usize] == 0.0,
                    Feature::Edge(edge) => step.edges()[edge as usize].iter().any(|&p| bounds[p as usize] == 0.0),
                    Feature::Face(face) => step.triangles()[face as usize].iter().any(|&p| bounds[p as usize] == 0.0),
                    Feature::Interior => false,
                };
                let found = self_collisions(&step).impacts;
                let new = found.iter().find(|impact| !impact.features.iter().all(|&feature| touches(feature)));
                assert_eq!(new, None);
            }
        }
    }
    assert!(moved > 300, "{moved}");
}

#[test]
fn two_meshes_and_the_least_that_fails() {
    let mut random = Random::new(33);
    let ball = |middle: DVec3| {
        let (points, triangles) = bumpy_ball(5, 1.0, middle, 0.2);
        DeformingMesh::new(&points, &triangles).unwrap()
    };
    let (a, b) = (ball(DVec3::ZERO), ball(DVec3::new(2.5, 0.3, 0.2)));
    let [of_a, of_b] = safe_displacements_between(&a, &b, 3.0);
    for _ in 0..20 {
        let (moved_a, moved_b) = (step(&a, &of_a, &mut random), step(&b, &of_b, &mut random));
        assert!(step_collisions(&moved_a, &moved_b).impacts.is_empty());
    }
    // The bounds are as large as they can be where two features face each other: moved by that much, they touch.
    let floor = [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]];
    let tip = [[0.0, 0.0, 1.0], [1.0, 0.0, 3.0], [0.0, 1.0, 3.0]];
    let still = |points: &[[f64; 3]]| DeformingMesh::new(points, &[[0, 1, 2]]).unwrap();
    let [of_floor, of_tip] = safe_displacements_between(&still(&floor), &still(&tip), 9.0);
    assert!(of_floor.iter().chain(&of_tip[..1]).all(|&bound| bound <= 0.5 && bound > 0.499_999));
    let lifted = |points: [[f64; 3]; 3], by: f64| {
        let mut mesh = still(&points);
        mesh.move_to(&points.map(|[x, y, z]| [x, y, z + by])).unwrap();
        mesh
    };
    assert_eq!(step_collisions(&lifted(floor, 0.5), &lifted(tip, -0.5)).impacts.len(), 1);
    assert!(step_collisions(&lifted(floor, of_floor[0] * 0.999), &lifted(tip, -of_tip[0] * 0.999)).impacts.is_empty());
    // Without a distance there is no room; NaN counts as none.
    for distance in [0.0, -1.0, f64::NAN] {
        assert!(safe_displacements(&a, distance).iter().all(|&bound| bound == 0.0));
    }
}
