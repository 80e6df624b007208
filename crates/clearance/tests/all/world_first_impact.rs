//! Many moving bodies: the first contact against every pair queried individually, and a schedule against checking every
//! pair in every step.

use std::collections::BTreeMap;

use clearance::glam::DVec3;
use clearance::query::{RigidOptions, rigid_impact_with};
use clearance::world::{BodyId, MotionBounds, Schedule, first_impact_with};
use clearance::{Pose, RigidMotion, Shape, Workspace, World, intersects};
use clearance_oracle::random::Random;

use crate::rigid_impact::{pose, vector};

fn shapes() -> Vec<Shape> {
    vec![
        Shape::sphere(0.4).unwrap(),
        Shape::cuboid(DVec3::new(0.9, 0.1, 0.1)).unwrap(),
        Shape::capsule(0.5, 0.1).unwrap(),
        Shape::cylinder(0.3, 0.3).unwrap(),
        Shape::tetrahedron([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
        Shape::compound(vec![
            (Pose::from_translation(DVec3::X * 0.5).unwrap(), Shape::sphere(0.2).unwrap()),
            (Pose::IDENTITY, Shape::cuboid(DVec3::splat(0.2)).unwrap()),
        ])
        .unwrap(),
    ]
}

fn bodies(count: usize, room: f64, random: &mut Random) -> Vec<(Shape, RigidMotion)> {
    let shapes = shapes();
    (0..count)
        .map(|k| {
            let (start, way, axis) = (pose(random, room), vector(random, 3.0), vector(random, 1.0));
            let angle = random.uniform(-12.0, 12.0);
            let motion = match k % 5 {
                0 => RigidMotion::still(start),
                1 => RigidMotion::screw(start, vector(random, room), axis, 0.2 * angle, 1.0).unwrap(),
                2 => RigidMotion::polynomial(start, &[way, -axis], axis, &[angle, 2.0]).unwrap(),
                _ => RigidMotion::turning(start, way, axis, angle).unwrap(),
            };
            (shapes[k % shapes.len()].clone(), motion)
        })
        .collect()
}

#[test]
fn the_first_of_all_pairs_is_found() {
    let mut random = Random::new(31);
    let mut workspace = Workspace::default();
    let (mut met, mut free) = (0, 0);
    for round in 0..12 {
        let mut all = bodies(30, if round % 3 == 0 { 30.0 } else { 8.0 }, &mut random);
        if round % 4 == 1 {
            let ground = Shape::half_space(DVec3::Z, -9.5).unwrap();
            all.push((ground, RigidMotion::still(Pose::IDENTITY)));
        }
        // Bodies of the same kind do not count for each other; those that overlap to begin with do not either.
        let start: Vec<Pose> = all.iter().map(|(_, motion)| motion.at(0.0)).collect();
        let wanted =
            |a: usize, b: usize| !(a + b).is_multiple_of(7) && !intersects(&all[a].0, &start[a], &all[b].0, &start[b]);
        for margin in [0.0, 0.02] {
            let options = RigidOptions { margin, ..RigidOptions::default() };
            let found = first_impact_with(&all, wanted, &options, &mut workspace);
            let verdict = match &found {
                Ok(first) => {
                    assert_eq!(first.impact.margin, margin);
                    first.verify(&all, wanted)
                }
                Err(none) => {
                    assert_eq!((none.margin, none.until), (margin, 1.0));
                    none.verify_all(&all, wanted)
                }
            };
            verdict.unwrap_or_else(|e| panic!("{e:?} {found:?}"));
            let mut least: Option<f64> = None;
            for b in 0..all.len() {
                for a in (0..b).filter(|&a| wanted(a, b)) {
                    let impact =
                        rigid_impact_with(&all[a].0, &all[a].1, &all[b].0, &all[b].1, &options, &mut workspace);
                    if let Ok(impact) = impact {
                        least = Some(least.map_or(impact.time.lower, |least| least.min(impact.time.lower)));
                    }
                }
            }
            assert_eq!(found.as_ref().ok().map(|found| found.impact.time.lower), least);
            *(if found.is_ok() { &mut met } else { &mut free }) += 1;
        }
    }
    assert!(met > 4 && free > 2, "{met} {free}");
}

/// A body that flies straight at constant speed and spins, until it reaches a wall of the room.
struct Flying {
    shape: Shape,
    radius: f64,
    start: Pose,
    place: DVec3,
    velocity: DVec3,
    spin: DVec3,
    turned: f64,
}

impl Flying {
    fn new(shape: &Shape, room: f64, random: &mut Random) -> Flying {
        let bounds = shape.bounds();
        let radius = bounds.min.abs().max(bounds.max.abs()).length();
        let start = pose(random, room);
        let place = start.translation();
        Flying {
            shape: shape.clone(),
            radius,
            start,
            place,
            velocity: vector(random, 2.0),
            spin: vector(random, 2.0),
            turned: 0.0,
        }
    }

    /// Whether it reached a wall.
    fn fly(&mut self, time: f64, room: f64) -> bool {
        self.place += self.velocity * time;
        self.turned += time;
        let turned_back = |x: f64, v: f64| if x.abs() > room && x * v > 0.0 { -v } else { v };
        let before = self.velocity;
        self.velocity = DVec3::new(
            turned_back(self.place.x, before.x),
            turned_back(self.place.y, before.y),
            turned_back(self.place.z, before.z),
        );
        before != self.velocity
    }

    fn pose(&self) -> Pose {
        let turn = Pose::from_axis_angle(self.spin, self.spin.length() * self.turned, DVec3::ZERO).unwrap();
        Pose::new(turn.rotation() * self.start.rotation(), self.place).unwrap()
    }

    fn bounds(&self) -> MotionBounds {
        MotionBounds {
            radius: self.radius,
            velocity: self.velocity,
            angular_velocity: self.spin.length(),
            ..MotionBounds::default()
        }
    }
}

#[test]
fn a_schedule_misses_nothing_and_checks_rarely() {
    let (room, step, steps) = (10.0, 0.02, 250u32);
    let mut random = Random::new(32);
    let (shapes, mut world, mut schedule) = (shapes(), World::default(), Schedule::default());
    let mut flying: BTreeMap<BodyId, Flying> = BTreeMap::new();
    let put = |k: usize, world: &mut World, flying: &mut BTreeMap<BodyId, Flying>, random: &mut Random| {
        let body = Flying::new(&shapes[k % shapes.len()], room, random);
        flying.insert(world.insert(&body.shape, &body.pose(), 0), body);
    };
    (0..50).for_each(|k| put(k, &mut world, &mut flying, &mut random));
    let (mut looked_at, mut seen, mut every) = (0, 0, 0);
    for k in 0..steps {
        let now = f64::from(k) * step;
        if k > 0 {
            for (&id, body) in &mut flying {
                if body.fly(step, room) {
                    schedule.disturb(id);
                }
                world.move_to(id, &body.pose()).unwrap();
            }
        }
        // A body is removed and another inserted.
        if k % 50 == 25 {
            let id = *flying.keys().nth(k as usize / 10).unwrap();
            flying.remove(&id);
            world.remove(id).unwrap();
            put(k as usize, &mut world, &mut flying, &mut random);
        }
        let found = world.next_contacts(&mut schedule, now, |id| flying[&id].bounds());
        looked_at += found.looked_at;
        let ids: Vec<BodyId> = flying.keys().copied().collect();
        let mut contacts = found.contacts.iter().map(|(pair, _)| *pair).collect::<Vec<_>>();
        for (n, a) in ids.iter().enumerate() {
            for b in &ids[n + 1..] {
                every += 1;
                let (of_a, of_b) = (&flying[a], &flying[b]);
                let meet = intersects(&of_a.shape, &of_a.pose(), &of_b.shape, &of_b.pose());
                let told = contacts.iter().position(|pair| *pair == [*a, *b]).map(|k| contacts.swap_remove(k));
                assert_eq!(meet, told.is_some(), "step {k}: {a:?} {b:?}");
                seen += usize::from(meet);
            }
        }
        assert!(contacts.is_empty(), "{contacts:?}");
    }
    println!("{looked_at} looked at, of {every}; {seen} contacts");
    assert!(seen > 50 && looked_at * 20 < every, "{seen} {looked_at} {every}");
}

#[test]
fn a_schedule_keeps_one_time_for_each_pair() {
    let mut world = World::default();
    let ball = Shape::sphere(1.0).unwrap();
    let ids: Vec<BodyId> = (0..4)
        .map(|k| world.insert(&ball, &Pose::from_translation(DVec3::X * f64::from(k) * 9.0).unwrap(), 0))
        .collect();
    let mut schedule = Schedule::default();
    for k in 0..1000 {
        schedule.insert(ids[k % 2], ids[1 - k % 2], 1000.0 - k as f64);
        schedule.insert(ids[2], ids[3], k as f64);
    }
    assert_eq!(schedule.len(), 2);
    assert_eq!(schedule.next_due(5000.0).map(|(time, _)| time), Some(1.0));
    assert_eq!(schedule.earliest(), Some(999.0));
    schedule.remove(ids[3], ids[2]);
    assert!(schedule.is_empty() && schedule.earliest().is_none() && schedule.next_due(5000.0).is_none());
    // What never touches does not wait, until its velocity changes.
    let still = |_| MotionBounds { radius: 1.0, ..MotionBounds::default() };
    assert_eq!(world.next_contacts(&mut schedule, 0.0, still).looked_at, 6);
    assert!(schedule.is_empty());
    schedule.disturb(ids[1]);
    assert_eq!(schedule.len(), 3);
    world.remove(ids[0]).unwrap();
    assert_eq!(world.next_contacts(&mut schedule, 1.0, still).looked_at, 2);
    // Ignored pairs are not checked.
    world.ignore(ids[1], ids[2]);
    schedule.disturb(ids[1]);
    assert_eq!(world.next_contacts(&mut schedule, 2.0, still).looked_at, 1);
    assert_eq!(world.next_contacts(&mut schedule, 3.0, still).looked_at, 0);
}
