//! Cancellation: work ends early on any threads, and its inputs are unchanged.

use std::sync::mpsc;
use std::thread;

use clearance::Workspace;
use clearance::cancel::{Cancel, Cancelled};
use clearance::glam::DVec3;
use clearance::query::ClearanceOptions;
use clearance::query::clearance_along_with;
use clearance::query::solid_depth_with;
use clearance::query::{SolidDepthOptions, self_intersections};
use clearance::{Mesh, Pose, Shape, World, overlap_volume};

/// A closed torus, wavy, of `2 n²` triangles.
fn torus(n: u32) -> Mesh {
    let turn = |k: u32| f64::from(k) * std::f64::consts::TAU / f64::from(n);
    let point = |i: u32, j: u32| {
        let thick = 1.0 + 0.1 * (5.0 * turn(i)).sin();
        let out = 3.0 + thick * turn(j).cos();
        [out * turn(i).cos(), out * turn(i).sin(), thick * turn(j).sin()]
    };
    let points: Vec<[f64; 3]> = (0..n * n).map(|k| point(k / n, k % n)).collect();
    let at = |i: u32, j: u32| (i % n) * n + j % n;
    let cells = (0..n * n).map(|k| (k / n, k % n));
    let triangles: Vec<[u32; 3]> = cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    Mesh::new(&points, &triangles).unwrap().solid().unwrap()
}

#[test]
fn work_cancelled_before_it_starts_ends_at_once() {
    let mesh = torus(60);
    let (points, triangles): (Vec<_>, _) = (mesh.points().map(|p| p.to_array()).collect(), mesh.triangles());
    let solid = Shape::Mesh(mesh.clone());
    let aside = Pose::from_translation(DVec3::new(0.5, 0.25, 0.125)).unwrap();
    let options = SolidDepthOptions::default();
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(cancel.is_cancelled());
    assert_eq!(cancel.run(|| Mesh::new(&points, &triangles)), Err(Cancelled));
    assert_eq!(cancel.run(|| mesh.solid()), Err(Cancelled));
    assert_eq!(cancel.run(|| self_intersections(&mesh)), Err(Cancelled));
    assert_eq!(cancel.run(|| overlap_volume(&solid, &Pose::IDENTITY, &solid, &aside)), Err(Cancelled));
    let deep =
        || solid_depth_with(&solid, &Pose::IDENTITY, &solid, &aside, &options, &mut Workspace::default(), |_, _| true);
    assert_eq!(cancel.run(deep), Err(Cancelled));
    let along = || {
        clearance_along_with(
            &solid,
            &Pose::IDENTITY,
            &solid,
            &[aside, Pose::IDENTITY, aside],
            &ClearanceOptions::default(),
        )
    };
    assert_eq!(cancel.run(along), Err(Cancelled));
    // The same query without cancellation is answered.
    assert_eq!(Cancel::new().run(|| self_intersections(&mesh).len()), Ok(0));
    assert!(overlap_volume(&solid, &Pose::IDENTITY, &solid, &aside).is_ok());
}

#[test]
fn work_is_cancelled_in_the_middle() {
    let solid = Shape::Mesh(torus(24));
    let aside = Pose::from_translation(DVec3::new(0.5, 0.25, 0.125)).unwrap();
    // This would run for hours.
    let options = SolidDepthOptions { relative_tolerance: 0.0, work: u64::MAX, ..SolidDepthOptions::default() };
    let (cancel, (told, waits)) = (Cancel::new(), mpsc::channel());
    let stopped = thread::scope(|scope| {
        let work = scope.spawn(|| {
            cancel.run(|| {
                solid_depth_with(
                    &solid,
                    &Pose::IDENTITY,
                    &solid,
                    &aside,
                    &options,
                    &mut Workspace::default(),
                    |_, _| {
                        told.send(()).unwrap_or_default();
                        true
                    },
                )
            })
        });
        waits.recv().unwrap();
        cancel.cancel();
        work.join().unwrap()
    });
    assert_eq!(stopped, Err(Cancelled));
    // The thread's workspace was in use; it answers as before.
    let again = solid_depth_with(
        &solid,
        &Pose::IDENTITY,
        &solid,
        &aside,
        &SolidDepthOptions::default(),
        &mut Workspace::default(),
        |_, _| true,
    );
    again.unwrap().verify(&solid, &Pose::IDENTITY, &solid, &aside).unwrap();
}

#[test]
fn a_cancelled_step_can_be_repeated() {
    let solid = Shape::Mesh(torus(24));
    let place = |x: f64| Pose::from_translation(DVec3::new(x, 0.5, 0.0)).unwrap();
    let world = || {
        let mut world = World::default();
        let ids: Vec<_> = (0..6).map(|k| world.insert(&solid, &place(3.0 * f64::from(k)), 0)).collect();
        world.step();
        // One pair ends with a body, others persist, and one begins.
        world.remove(ids[1]).unwrap();
        world.move_to(ids[5], &place(1.0)).unwrap();
        world
    };
    let (mut one, mut other) = (world(), world());
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(cancel.run(|| one.step().len()), Err(Cancelled));
    assert_eq!(one.step(), other.step());
    assert!(!one.step().is_empty());
}
