//! Worlds of many bodies, against every pair queried individually.

use crate::common;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use clearance::glam::DVec3;
use clearance::query::RayOptions;
use clearance::shape::Aabb;
use clearance::world::{BodyId, Change, Finding, Interest, Question};
use clearance::{Pose, Ray, Shape, World, contains, distance, intersects, ray_cast};
use clearance_oracle::random::Random;
use common::meshes::{bumpy_ball, random_pose, solid};

fn shapes() -> Vec<Shape> {
    vec![
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(DVec3::new(0.3, 0.6, 0.4)).unwrap(),
        Shape::capsule(0.5, 0.2).unwrap(),
        Shape::cone(0.5, 0.4).unwrap(),
        solid(&bumpy_ball(3, 0.5, DVec3::ZERO, 0.1)),
    ]
}

fn anywhere(random: &mut Random, size: f64) -> Pose {
    let turned = random_pose(random, 0.0);
    Pose::new(turned.rotation(), DVec3::from_array(random.in_cube(size))).unwrap()
}

/// A world and a plain list of its bodies.
struct Twin {
    world: World,
    bodies: BTreeMap<BodyId, (Shape, Pose, u32)>,
    /// The near pairs according to the events.
    near: BTreeMap<(BodyId, BodyId), Option<Finding>>,
}

impl Twin {
    fn step(&mut self) -> usize {
        let events = self.world.step().to_vec();
        let keys: Vec<_> = events.iter().map(|event| (event.a, event.b)).collect();
        let mut before = std::mem::take(&mut self.near);
        for event in events {
            let key = (event.a, event.b);
            let was_near = before.remove(&key).is_some();
            assert_eq!(was_near, event.change != Change::Began, "{event:?}");
            assert_eq!(event.finding.is_none(), event.change == Change::Ended, "{event:?}");
            if event.change != Change::Ended {
                self.near.insert(key, event.finding);
            }
        }
        assert!(before.is_empty(), "ended without an event: {before:?}");
        assert!(keys.windows(2).all(|two| two[0] < two[1] || two[0].0 != two[1].0), "{keys:?}");
        self.near.len()
    }

    /// Checks the events against every pair.
    fn check(&self, interest: impl Fn(u32, u32) -> Option<Interest>) {
        let bodies: Vec<_> = self.bodies.iter().collect();
        for (k, (a, (shape_a, pose_a, group_a))) in bodies.iter().enumerate() {
            for (b, (shape_b, pose_b, group_b)) in &bodies[k + 1..] {
                let told = self.near.get(&((**a).min(**b), (**a).max(**b)));
                let Some(interest) = interest(*group_a, *group_b) else {
                    assert!(told.is_none());
                    continue;
                };
                let found = distance(shape_a, pose_a, shape_b, pose_b);
                assert_eq!(told.is_some(), found.gap.lower <= interest.margin, "{a:?} {b:?} {found:?}");
                match told {
                    Some(Some(Finding::Distance(distance))) => {
                        assert_eq!(interest.question, Question::Distance);
                        distance.verify(shape_a, pose_a, shape_b, pose_b).unwrap();
                        assert!(distance.gap.lower <= found.gap.upper && found.gap.lower <= distance.gap.upper);
                    }
                    Some(Some(Finding::Relation(proof))) => proof.verify(shape_a, pose_a, shape_b, pose_b).unwrap(),
                    Some(Some(Finding::Contacts(contacts))) => {
                        contacts.verify(shape_a, pose_a, shape_b, pose_b).unwrap();
                    }
                    Some(Some(Finding::Near)) => assert_eq!(interest.question, Question::Intersects),
                    Some(None) => panic!("near, but nothing found"),
                    None => {}
                }
            }
        }
    }
}

#[test]
fn bodies_that_come_move_and_go() {
    let mut random = Random::new(3);
    let shapes = shapes();
    let rule = |question, margin| Some(Interest { question, margin });
    let interest = move |a: u32, b: u32| match (a.min(b), a.max(b)) {
        (0, 0) => rule(Question::Distance, 0.3),
        (0, 1) => rule(Question::Contacts, 0.1),
        (1, 1) => None,
        (1, 2) => rule(Question::Relation, 0.0),
        _ => rule(Question::Intersects, 0.0),
    };
    let mut world = World::new(interest(9, 9));
    for (a, b) in [(0, 0), (0, 1), (1, 1), (1, 2)] {
        world.set_interest(a, b, interest(a, b));
    }
    let mut twin = Twin { world, bodies: BTreeMap::new(), near: BTreeMap::new() };
    let mut most = 0;
    for round in 0..40 {
        for _ in 0..if round < 25 { 6 } else { 1 } {
            let (shape, pose) = (&shapes[random.index(shapes.len())], anywhere(&mut random, 2.5));
            let group = random.index(4) as u32;
            let id = twin.world.insert(shape, &pose, group);
            assert!(twin.bodies.insert(id, (shape.clone(), pose, group)).is_none());
        }
        let ids: Vec<BodyId> = twin.bodies.keys().copied().collect();
        for id in ids {
            match random.index(if round < 25 { 24 } else { 10 }) {
                0 => {
                    twin.world.remove(id).unwrap();
                    twin.bodies.remove(&id);
                    assert!(twin.world.remove(id).is_err());
                }
                // A small move, within the box; and one to anywhere.
                1..=4 => {
                    let pose = twin.world.pose(id).unwrap();
                    let by = DVec3::from_array(random.in_cube(0.02));
                    let moved = Pose::new(pose.rotation(), pose.translation() + by).unwrap();
                    twin.world.move_to(id, &moved).unwrap();
                    twin.bodies.get_mut(&id).unwrap().1 = moved;
                }
                5 => {
                    let moved = anywhere(&mut random, 2.5);
                    twin.world.move_to(id, &moved).unwrap();
                    twin.bodies.get_mut(&id).unwrap().1 = moved;
                }
                _ => {}
            }
        }
        assert_eq!(twin.world.len(), twin.bodies.len());
        most = most.max(twin.step());
        if round % 4 == 0 {
            twin.check(interest);
        }
    }
    assert!(most > 50, "{most}");
    // Nothing moves: all pairs persist. All bodies are removed: all pairs end.
    let count = twin.step();
    assert_eq!(twin.world.step().len(), count);
    for id in twin.bodies.keys().copied().collect::<Vec<_>>() {
        twin.world.remove(id).unwrap();
    }
    twin.bodies.clear();
    assert_eq!((twin.step(), twin.world.len()), (0, 0));
}

fn filled(random: &mut Random, count: usize) -> (World, Vec<(BodyId, Shape, Pose)>) {
    let shapes = shapes();
    let mut world = World::default();
    let mut list = Vec::new();
    for _ in 0..count {
        let (shape, pose) = (shapes[random.index(shapes.len())].clone(), anywhere(random, 6.0));
        list.push((world.insert(&shape, &pose, 0), shape, pose));
    }
    (world, list)
}

#[test]
fn rays_points_and_boxes() {
    let mut random = Random::new(4);
    let (mut world, list) = filled(&mut random, 300);
    let mut hits = 0;
    for round in 0..200 {
        // Before the first step bodies are not in the tree yet.
        if round == 20 {
            world.step();
        }
        let origin = DVec3::from_array(random.in_cube(7.0));
        let ray = Ray::new(origin, DVec3::from_array(random.direction())).unwrap();
        let first = list.iter().filter_map(|(id, shape, pose)| Some((ray_cast(shape, pose, &ray).ok()?, *id)));
        let first = first.min_by(|a, b| a.0.t.value.total_cmp(&b.0.t.value).then(a.1.cmp(&b.1)));
        let found = world.ray_cast(&ray, &RayOptions::default());
        assert_eq!(found.ok().map(|(id, hit)| (id, hit.t.value)), first.map(|(hit, id)| (id, hit.t.value)));
        if let Err(none) = found {
            for (_, shape, pose) in &list {
                assert_eq!(
                    none.verify(shape, pose, &ray, &RayOptions::default()),
                    Ok(()),
                    "{shape:?} {pose:?} {ray:?}"
                );
            }
        }
        hits += u32::from(found.is_ok());
        let holding = list.iter().filter(|(_, shape, pose)| contains(shape, pose, origin));
        assert_eq!(world.bodies_at(origin), holding.map(|(id, ..)| *id).collect::<Vec<_>>());
        let asked = Aabb::new(origin, origin + DVec3::from_array(random.in_cube(1.0)).abs());
        let cube = Shape::cuboid(0.5 * asked.size()).unwrap();
        let there = Pose::from_translation(asked.center()).unwrap();
        let inside = world.bodies_in(&asked);
        for (id, shape, pose) in &list {
            assert!(inside.contains(id) || !intersects(shape, pose, &cube, &there));
        }
    }
    assert!(hits > 30, "{hits}");
}

/// The bounding box of a rotated box.
fn posed(own: &Aabb, pose: &Pose) -> Aabb {
    let corners = (0..8).map(|k: u8| {
        let corner = [1, 2, 4].map(|bit| if k & bit == 0 { 0.0 } else { 1.0 });
        pose.transform_point(own.min + own.size() * DVec3::from_array(corner))
    });
    let empty = Aabb::new(DVec3::INFINITY, DVec3::NEG_INFINITY);
    corners.fold(empty, |bounds, corner| Aabb::new(bounds.min.min(corner), bounds.max.max(corner)))
}

#[test]
fn pairs_within_a_margin() {
    let mut random = Random::new(5);
    let (mut world, mut list) = filled(&mut random, 300);
    for round in 0..6 {
        if round == 3 {
            world.step();
            for (id, _, pose) in list.iter_mut().step_by(2) {
                *pose = anywhere(&mut random, 6.0);
                world.move_to(*id, pose).unwrap();
            }
        }
        let margin = [0.0, 0.1, 1.0][round % 3];
        let boxes: Vec<_> = list.iter().map(|(_, shape, pose)| posed(&shape.bounds(), pose)).collect();
        let mut expected = Vec::new();
        for (i, a) in boxes.iter().enumerate() {
            for (j, b) in boxes.iter().enumerate().skip(i + 1) {
                // Pairs within rounding of the margin may be included.
                let gap = (a.min - b.max).max(b.min - a.max).max_element();
                if gap <= margin {
                    expected.push((list[i].0, list[j].0));
                }
                let apart = distance(&list[i].1, &list[i].2, &list[j].1, &list[j].2).gap.lower > margin;
                assert!(apart || gap <= margin + 1e-9);
            }
        }
        let found = world.pairs_within(margin);
        assert!(expected.len() > 50 && expected.iter().all(|pair| found.contains(pair)));
        assert!(found.len() <= expected.len() + 2, "{} {}", found.len(), expected.len());
        assert!(found.is_sorted() && found.iter().all(|(a, b)| a < b));
    }
}

/// Bodies in one place have too many pairs to store: they are visited one by one, in order, until the visitor breaks.
#[test]
fn pairs_are_visited_until_told_to_stop() {
    let mut world = World::default();
    let ball = Shape::sphere(1.0).unwrap();
    // Some apart, so that blocks grow, then many in one place.
    let apart = |k: u16| Pose::from_translation(DVec3::new(3.0 * f64::from(k), 5.0, 0.0)).unwrap();
    for k in 0..600 {
        world.insert(&ball, &apart(k), 0);
    }
    for _ in 0..1500 {
        world.insert(&ball, &Pose::IDENTITY, 0);
    }
    let all = world.pairs_within(0.0);
    assert_eq!(all.len(), 1500 * 1499 / 2);
    assert!(all.is_sorted());
    let mut seen = Vec::new();
    let stopped = world.visit_pairs_within(0.0, |a, b| {
        seen.push((a, b));
        if seen.len() == 5000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((stopped, &seen[..]), (ControlFlow::Break(()), &all[..5000]));
}

#[test]
fn unbounded_bodies_are_near_all_others() {
    let mut world = World::default();
    let ground = world.insert(&Shape::half_space(DVec3::Z, 0.0).unwrap(), &Pose::IDENTITY, 0);
    let ball = Shape::sphere(1.0).unwrap();
    let at = |x: f64, z: f64| Pose::from_translation(DVec3::new(x, 0.0, z)).unwrap();
    let balls: Vec<_> = (0..50u8).map(|k| world.insert(&ball, &at(3.0 * f64::from(k), 0.5), 0)).collect();
    assert_eq!(world.step().len(), 50);
    world.move_to(balls[3], &at(9.0, 5.0)).unwrap();
    let ended: Vec<_> = world.step().iter().filter(|event| event.change == Change::Ended).cloned().collect();
    assert_eq!((ended.len(), ended[0].a, ended[0].b), (1, ground, balls[3]));
    world.move_to(ground, &at(0.0, 4.5)).unwrap();
    assert_eq!(world.step().iter().filter(|event| event.change == Change::Began).count(), 1);
    assert_eq!(
        world.ray_cast(&Ray::new(DVec3::new(-7.0, 0.0, 9.0), -DVec3::Z).unwrap(), &RayOptions::default()).unwrap().0,
        ground
    );
}

#[test]
fn events_are_the_same_on_any_number_of_threads() {
    let told = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut random = Random::new(6);
            let (mut world, list) = filled(&mut random, 400);
            let mut told = vec![world.step().to_vec()];
            for _ in 0..3 {
                for (id, ..) in &list {
                    world.move_to(*id, &anywhere(&mut random, 5.0)).unwrap();
                }
                told.push(world.step().to_vec());
            }
            told
        })
    };
    let alone = told(1);
    assert!(alone.iter().map(Vec::len).sum::<usize>() > 100);
    assert_eq!(alone, told(3));
}
