//! Curved bodies against every kind: brackets as narrow as promised, and true by `verify`.

use clearance::glam::{DQuat, DVec3};
use clearance::query::RelationOptions;
use clearance::query::{DistanceOptions, distance_with, relation_with};
use clearance::{PairCache, Workspace};
use clearance::{Pose, Shape, distance, penetration};
use clearance_oracle::random::Random;

/// Random bodies of about unit size, and their poses.
struct Bodies(Random);

impl Bodies {
    fn by_seed(seed: u64) -> Bodies {
        Bodies(Random::new(seed))
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.uniform(low, high)
    }

    fn direction(&mut self) -> DVec3 {
        DVec3::from_array(self.0.direction())
    }

    fn size(&mut self) -> f64 {
        self.between(0.2, 1.5)
    }

    fn pose(&mut self, at: DVec3) -> Pose {
        let v = self.direction();
        let angle = self.between(0.0, 3.0);
        Pose::from_quat(DQuat::from_axis_angle(v, angle), at).unwrap()
    }

    fn shape(&mut self, kind: usize) -> Shape {
        let v = |bodies: &mut Bodies| DVec3::new(bodies.size(), bodies.size(), bodies.size());
        match kind {
            0 => Shape::cylinder(self.size(), self.size()).unwrap(),
            1 => Shape::cone(self.size(), self.size()).unwrap(),
            2 => Shape::ellipsoid(v(self)).unwrap(),
            3 => Shape::sphere(self.size()).unwrap(),
            4 => Shape::cuboid(v(self)).unwrap(),
            5 => {
                let points: Vec<[f64; 3]> = (0..20).map(|_| (self.direction() * self.size()).to_array()).collect();
                Shape::hull(&points).unwrap()
            }
            6 => Shape::capsule(self.size(), self.size()).unwrap(),
            7 => Shape::segment(self.direction(), self.direction()).unwrap(),
            8 => Shape::triangle(self.direction(), self.direction(), self.direction()).unwrap(),
            9 => Shape::tetrahedron([(); 4].map(|()| self.direction())).unwrap(),
            10 => Shape::rounded(Shape::cylinder(self.size(), self.size()).unwrap(), 0.1).unwrap(),
            _ => Shape::rounded(Shape::cuboid(v(self)).unwrap(), 0.2).unwrap(),
        }
    }
}

const KINDS: usize = 12;

#[test]
fn distances_are_narrow_and_true() {
    let mut bodies = Bodies::by_seed(7);
    let mut wide = 0;
    let mut total = 0;
    for kind_a in 0..3 {
        for kind_b in 0..KINDS {
            let mut worst: f64 = 0.0;
            for _ in 0..60 {
                let (a, b) = (bodies.shape(kind_a), bodies.shape(kind_b));
                let pose_a = bodies.pose(DVec3::ZERO);
                let at = bodies.direction() * bodies.between(2.0, 8.0);
                let pose_b = bodies.pose(at);
                let answer = distance(&a, &pose_a, &b, &pose_b);
                if answer.gap.value == 0.0 {
                    continue;
                }
                total += 1;
                worst = worst.max(answer.gap.upper - answer.gap.lower);
                wide += usize::from(answer.method.stopped().is_some());
                answer
                    .verify(&a, &pose_a, &b, &pose_b)
                    .unwrap_or_else(|e| panic!("{a:?} {pose_a:?} {b:?} {pose_b:?}: {answer:?}: {e}"));
            }
            println!("{kind_a} {kind_b}: {worst:e}");
        }
    }
    assert!(total > 500);
    assert_eq!(wide, 0);
}

#[test]
fn nearly_touching() {
    let mut bodies = Bodies::by_seed(9);
    let mut wide = 0;
    for kind_a in 0..3 {
        for kind_b in 0..KINDS {
            let mut worst: f64 = 0.0;
            let mut worst_depth: f64 = 0.0;
            let mut stopped = 0;
            for round in 0..40 {
                let (a, b) = (bodies.shape(kind_a), bodies.shape(kind_b));
                let pose_a = bodies.pose(DVec3::ZERO);
                let at = bodies.direction() * 8.0;
                let pose_b = bodies.pose(at);
                let far = distance(&a, &pose_a, &b, &pose_b);
                let normal = far.normal.unwrap();
                // Moved together along the normal: the same points, a smaller gap.
                let gap = [1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-9, -1e-6, -1e-3][round % 8];
                let pose_b =
                    Pose::new(pose_b.rotation(), pose_b.translation() - normal * (far.gap.value - gap)).unwrap();
                let near = distance(&a, &pose_a, &b, &pose_b);
                near.verify(&a, &pose_a, &b, &pose_b)
                    .unwrap_or_else(|e| panic!("{e}: {gap} {near:?} {a:?} {pose_a:?} {b:?} {pose_b:?}"));
                worst = worst.max(near.gap.upper - near.gap.lower);
                wide += usize::from(near.gap.value > 0.0 && near.method.stopped().is_some());
                // Corner against corner, the way in may be past each other.
                assert!(gap < 0.0 || (near.gap.value - gap).abs() < 1e-12, "{gap}: {near:?}");
                let deep = penetration(&a, &pose_a, &b, &pose_b).unwrap();
                deep.verify(&a, &pose_a, &b, &pose_b)
                    .unwrap_or_else(|e| panic!("{e}: {gap} {a:?} {pose_a:?} {b:?} {pose_b:?}: {deep:?}"));
                // There may be a shorter exit than back.
                assert!(
                    gap >= 0.0 || near.gap.value > 0.0 || (deep.depth.lower <= -gap && deep.depth.value > 0.0),
                    "{gap} {deep:?}"
                );
                worst_depth = worst_depth.max(deep.depth.upper - deep.depth.lower);
                stopped += usize::from(deep.method.stopped().is_some());
                let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
                let options = RelationOptions::default();
                let proof = relation_with(&a, &pose_a, &b, &pose_b, &options, &mut cache, &mut workspace);
                proof
                    .verify(&a, &pose_a, &b, &pose_b)
                    .unwrap_or_else(|e| panic!("{e}: {gap} {a:?} {pose_a:?} {b:?} {pose_b:?}: {proof:?}"));
            }
            println!("{kind_a} {kind_b}: distance {worst:e} depth {worst_depth:e} stopped {stopped}");
        }
    }
    assert_eq!(wide, 0);
}

#[test]
fn deep_overlaps_are_true() {
    let mut bodies = Bodies::by_seed(11);
    for kind_a in 0..3 {
        for kind_b in 0..KINDS {
            let mut stopped = 0;
            let mut worst: f64 = 0.0;
            for round in 0..20 {
                let (a, b) = (bodies.shape(kind_a), bodies.shape(kind_b));
                let pose_a = bodies.pose(DVec3::ZERO);
                let at = bodies.direction() * [0.0, 0.1, 0.5, 1.0][round % 4];
                let pose_b = bodies.pose(at);
                let deep = penetration(&a, &pose_a, &b, &pose_b).unwrap();
                deep.verify(&a, &pose_a, &b, &pose_b)
                    .unwrap_or_else(|e| panic!("{e}: {a:?} {pose_a:?} {b:?} {pose_b:?}: {deep:?}"));
                stopped += usize::from(deep.method.stopped().is_some());
                worst = worst.max(deep.depth.upper - deep.depth.lower);
                let meets = distance(&a, &pose_a, &b, &pose_b);
                meets
                    .verify(&a, &pose_a, &b, &pose_b)
                    .unwrap_or_else(|e| panic!("{e}: {a:?} {pose_a:?} {b:?} {pose_b:?}: {meets:?}"));
            }
            println!("{kind_a} {kind_b}: depth {worst:e} stopped {stopped}");
        }
    }
}

/// Answers that stop early, beyond a margin, are verified like others: for every pair of kinds, including rounded ones.
#[test]
fn answers_that_stop_early_are_verified() {
    let rounded = |core: Result<Shape, clearance::Error>| Shape::rounded(core.unwrap(), 0.1).unwrap();
    let size = DVec3::new(0.3, 0.7, 0.5);
    let (segment, tetrahedron) = ([DVec3::X, DVec3::Y], [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
    let kinds = [
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(0.6, 0.4).unwrap(),
        Shape::cylinder(0.6, 0.4).unwrap(),
        Shape::cone(0.6, 0.4).unwrap(),
        Shape::cuboid(size).unwrap(),
        Shape::ellipsoid(size).unwrap(),
        Shape::segment(segment[0], segment[1]).unwrap(),
        rounded(Shape::cuboid(size)),
        rounded(Shape::segment(segment[0], segment[1])),
        rounded(Shape::tetrahedron(tetrahedron)),
        rounded(Shape::cone(0.3, 0.4)),
        rounded(Shape::ellipsoid(size)),
    ];
    let mut stopped = 0;
    for (index, a) in kinds.iter().enumerate() {
        for b in &kinds[index..] {
            for k in 0..20 {
                let t = f64::from(k) + index as f64;
                let turned = |axis: DVec3, angle: f64, at: DVec3| Pose::from_axis_angle(axis, angle, at).unwrap();
                let pose_a = turned(DVec3::new(t.sin(), t.cos(), 0.3), t * 0.7, DVec3::ZERO);
                let at = DVec3::new(t.sin(), (2.0 * t).cos(), (t * 0.3).sin()) * 2.5;
                let pose_b = turned(DVec3::new(1.0, t.sin(), 0.3), t * 1.7, at);
                let options = DistanceOptions { farther_than: Some(0.01), ..DistanceOptions::default() };
                let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
                let answer = distance_with(a, &pose_a, b, &pose_b, &options, &mut cache, &mut workspace);
                stopped += u32::from(answer.method.stopped().is_some());
                let verdict = answer.verify(a, &pose_a, b, &pose_b);
                assert_eq!(verdict, Ok(()), "{a:?} {pose_a:?}\n{b:?} {pose_b:?}\n{answer:?}");
            }
        }
    }
    assert!(stopped > 500, "{stopped}");
}

/// Concentric bodies: every direction may be equally good, and the points lie on both surfaces, one behind the other.
#[test]
fn points_of_concentric_bodies_lie_behind_each_other() {
    let ellipsoid = |x: f64, y: f64, z: f64| Shape::ellipsoid(DVec3::new(x, y, z)).unwrap();
    let shapes = [
        ellipsoid(1.0, 1.0, 1.0),
        ellipsoid(1.0, 0.7, 0.5),
        ellipsoid(0.5, 0.5, 0.4),
        Shape::cone(0.8, 0.6).unwrap(),
        Shape::cone(0.1, 2.0).unwrap(),
        Shape::cylinder(0.8, 0.6).unwrap(),
        Shape::cylinder(0.3, 0.6).unwrap(),
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(DVec3::splat(0.6)).unwrap(),
    ];
    let turned = DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
    let away = Pose::from_quat(turned, DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let tilted = Pose::from_quat(DQuat::from_xyzw(0.6, 0.0, 0.8, 0.0), DVec3::ZERO).unwrap();
    let poses = [(Pose::IDENTITY, Pose::IDENTITY), (away, away), (Pose::IDENTITY, tilted)];
    for a in &shapes[..7] {
        for b in &shapes {
            for (pose_a, pose_b) in &poses {
                let deep = penetration(a, pose_a, b, pose_b).unwrap();
                deep.verify(a, pose_a, b, pose_b)
                    .unwrap_or_else(|e| panic!("{e}: {a:?} {pose_a:?} {b:?} {pose_b:?}: {deep:?}"));
                let world = |pose: &Pose, point: DVec3| pose.rotation() * point + pose.translation();
                let between = world(pose_b, deep.witness.b.point) - world(pose_a, deep.witness.a.point);
                let off = (between + deep.normal * deep.depth.value).length();
                let allowed = 1e-12 + (deep.depth.upper - deep.depth.lower);
                assert!(off <= allowed, "{off:e}: {a:?} {pose_a:?} {b:?} {pose_b:?}: {deep:?}");
            }
        }
    }
}
