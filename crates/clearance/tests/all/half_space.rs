//! Half-spaces against every kind of body: polytopes against exact arithmetic, curved bodies against their support
//! functions in rational arithmetic, with roots to 150 binary digits.

use crate::common;

use std::cmp::Ordering;

use clearance::answer::Method;
use clearance::glam::{DMat3, DVec3};
use clearance::query::{IntersectsOptions, intersects_with};
use clearance::shape::{Aabb, Feature, Support};
use clearance::{PairCache, Pose, Relation, Shape, Workspace, distance, intersects, relation};
use clearance_oracle::random::Random;
use clearance_oracle::{OracleBody, Rational, Scenario, generate, pair};
use num_bigint::BigInt;

type Vector = [Rational; 3];

fn rational(v: DVec3) -> Vector {
    v.to_array().map(|x| Rational::from_f64(x).unwrap())
}

fn dot(a: &Vector, b: &Vector) -> Rational {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &(&a[i] * &b[j]) - &(&a[j] * &b[i]))
}

/// The plane in the world: `normal · (x - start) = level`.
struct World {
    normal: Vector,
    start: Vector,
    level: Rational,
}

fn world_plane(normal: DVec3, offset: f64, pose: &Pose) -> World {
    let r = pose.rotation();
    let [x, y, z] = [r.x_axis, r.y_axis, r.z_axis].map(rational);
    let cofactors = [cross(&y, &z), cross(&z, &x), cross(&x, &y)];
    let n = rational(normal);
    let rows: Vector = std::array::from_fn(|k| {
        let row: Vector = std::array::from_fn(|j| cofactors[j][k].clone());
        dot(&row, &n)
    });
    let level = &Rational::from_f64(offset).unwrap() * &dot(&x, &cofactors[0]);
    World { normal: rows, start: rational(pose.translation()), level }
}

impl World {
    /// The order of the signed gap of the lowest of some world points less a radius, against `x`.
    fn compare(&self, points: &[Vector], radius: f64, x: f64) -> Ordering {
        let above = points
            .iter()
            .map(|p| {
                let from: Vector = std::array::from_fn(|k| &p[k] - &self.start[k]);
                &dot(&from, &self.normal) - &self.level
            })
            .min()
            .unwrap();
        // above / |n| against x + radius.
        let right = &Rational::from_f64(x).unwrap() + &Rational::from_f64(radius).unwrap();
        let (left, right) = (signed_square(&above), &signed_square(&right) * &dot(&self.normal, &self.normal));
        left.cmp(&right)
    }
}

fn signed_square(x: &Rational) -> Rational {
    if x.is_negative() { &Rational::zero() - &x.squared() } else { x.squared() }
}

fn world_points(body: &OracleBody) -> Vec<Vector> {
    let rows = body.rotation.map(|row| rational(DVec3::from_array(row)));
    let t = rational(DVec3::from_array(body.translation));
    body.core_vertices
        .iter()
        .map(|v| {
            let v = rational(DVec3::from_array(*v));
            std::array::from_fn(|k| &dot(&rows[k], &v) + &t[k])
        })
        .collect()
}

fn random_pose(random: &mut Random, size: f64) -> Pose {
    let rows = generate::random_rotation(random).map(DVec3::from_array);
    let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
    Pose::new(rotation, DVec3::from_array(random.in_cube(size))).unwrap()
}

/// Every query about a half-space and a body, in both orders, against the exact truth by `compare`.
fn check(half_space: &Shape, pose: &Pose, shape: &Shape, at: &Pose, verified: bool, compare: &dyn Fn(f64) -> Ordering) {
    let context = || format!("{half_space:?} {pose:?}\n{shape:?} {at:?}");
    let answer = distance(half_space, pose, shape, at);
    if verified {
        answer.verify(half_space, pose, shape, at).unwrap_or_else(|r| panic!("{r}\n{answer:?}\n{}", context()));
    }
    assert_eq!(answer.method, Method::ClosedForm);
    if compare(0.0) == Ordering::Greater {
        assert_ne!(compare(answer.gap.lower), Ordering::Less, "{answer:?}\n{}", context());
    } else {
        assert_eq!(answer.gap.lower, 0.0);
    }
    assert_ne!(compare(answer.gap.upper), Ordering::Greater, "{answer:?}\n{}", context());
    if answer.gap.value > 0.0 {
        assert_eq!(answer.witness.a.feature, Feature::Face(0));
    }

    let meets = intersects(half_space, pose, shape, at);
    assert_eq!(meets, answer.gap.value == 0.0, "{}", context());
    let doubt = answer.placement * (1.0 + 1e-6);
    if compare(doubt) == Ordering::Greater {
        assert!(!meets);
    }
    if compare(-doubt) == Ordering::Less {
        assert!(meets);
    }
    let proof = common::proof_of(half_space, pose, shape, at);
    if verified {
        proof.verify(half_space, pose, shape, at).unwrap_or_else(|r| panic!("{r}\n{proof:?}\n{}", context()));
    }
    assert_ne!(compare(proof.gap.lower), Ordering::Less, "{proof:?}\n{}", context());
    assert_ne!(compare(proof.gap.upper), Ordering::Greater, "{proof:?}\n{}", context());

    let exchanged = distance(shape, at, half_space, pose);
    assert_eq!(
        (exchanged.gap.value, exchanged.gap.lower, exchanged.gap.upper),
        (answer.gap.value, answer.gap.lower, answer.gap.upper)
    );
    assert_eq!(
        (exchanged.witness.b.point, exchanged.witness.a.point),
        (answer.witness.a.point, answer.witness.b.point)
    );
    let other = common::proof_of(shape, at, half_space, pose);
    assert_eq!((other.relation, other.gap.lower, -other.normal), (proof.relation, proof.gap.lower, proof.normal));
    if verified {
        exchanged.verify(shape, at, half_space, pose).unwrap();
        other.verify(shape, at, half_space, pose).unwrap();
    }
}

#[test]
fn polytopes_against_exact_truth() {
    let mut random = Random::new(11);
    for scenario in Scenario::ALL {
        for seed in 0..12 {
            let (body, _) = pair(scenario, seed);
            let (shape, at) = common::shape_and_pose(&body);
            let points = world_points(&body);
            // A plane somewhere, through a vertex, and within rounding of one; near and far from its own origin.
            let size = shape.diameter().max(1.0);
            let mut pose = random_pose(&mut random, size);
            if seed % 3 == 0 {
                pose = Pose::new(pose.rotation(), pose.translation() + DVec3::splat(1e7)).unwrap();
            }
            let normal = DVec3::from_array(random.direction()) * 10f64.powi(random.integer(-6, 6) as i32);
            let vertex =
                at.transform_point(DVec3::from_array(body.core_vertices[seed as usize % body.core_vertices.len()]));
            let through = normal.dot(pose.inverse_transform_point(vertex));
            let nearby = normal.length() * size * 10f64.powi(random.integer(-16, 0) as i32);
            for offset in [through, through + nearby, through - nearby, random.uniform(-1.0, 1.0) * nearby] {
                let half_space = Shape::half_space(normal, offset).unwrap();
                let plane = world_plane(normal, offset, &pose);
                check(&half_space, &pose, &shape, &at, true, &|x| plane.compare(&points, body.radius, x));
            }
        }
    }
}

/// Integer planes and boxes: contact is distinguished from a gap of a millionth of a millionth.
#[test]
fn contact_is_decided_exactly() {
    let floor = Shape::half_space(DVec3::new(0.0, 0.0, 3.0), 6.0).unwrap();
    let at = |z: f64| Pose::from_translation(DVec3::new(1e3, -2.0, z)).unwrap();
    let meets = |shape: &Shape, z: f64| intersects(&floor, &Pose::IDENTITY, shape, &at(z));
    let bodies = [
        (Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap(), 5.0),
        (Shape::sphere(1.5).unwrap(), 3.5),
        (Shape::capsule(2.0, 0.5).unwrap(), 4.5),
        (Shape::cylinder(1.0, 2.0).unwrap(), 3.0),
        (Shape::cone(1.0, 2.0).unwrap(), 3.0),
        (Shape::ellipsoid(DVec3::new(3.0, 2.0, 0.5)).unwrap(), 2.5),
    ];
    for (shape, height) in bodies {
        assert!(meets(&shape, height), "{shape:?}");
        assert!(!meets(&shape, height.next_up()), "{shape:?}");
        assert_eq!(relation(&floor, &Pose::IDENTITY, &shape, &at(height)), Relation::Touching);
        assert_eq!(relation(&floor, &Pose::IDENTITY, &shape, &at(height - 1e-3)), Relation::Overlapping);
        assert_eq!(relation(&floor, &Pose::IDENTITY, &shape, &at(height + 1e-3)), Relation::Separated);
        let options = IntersectsOptions { margin: 0.5, ..IntersectsOptions::default() };
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let mut within =
            |z: f64| intersects_with(&shape, &at(z), &floor, &Pose::IDENTITY, &options, &mut cache, &mut workspace);
        assert!(within(height + 0.5) && !within((height + 0.5).next_up()));
    }
    // A slanted plane: the rim and the side touch it where 3-4-5 triangles say.
    let slope = Shape::half_space(DVec3::new(3.0, 0.0, 4.0), 0.0).unwrap();
    let cylinder = Shape::cylinder(5.0, 10.0).unwrap();
    // Lowest: -(4 · 5 + 3 · 10) / 5 = -10.
    let lifted = |length: f64| Pose::from_translation(DVec3::new(6.0, 0.0, 8.0) * length).unwrap();
    assert!(intersects(&slope, &Pose::IDENTITY, &cylinder, &lifted(1.0)));
    assert!(!intersects(&slope, &Pose::IDENTITY, &cylinder, &lifted(1f64.next_up())));
}

/// The square root, to 150 binary digits after the point: far below the width of any bracket.
fn root(x: &Rational) -> Rational {
    let digits = BigInt::from(1) << 150;
    let scaled = x * &Rational::from(&digits * &digits);
    Rational::new(scaled.floor().sqrt(), digits)
}

/// The signed gap of a curved body by its support function.
fn curved_gap(normal: DVec3, offset: f64, pose: &Pose, shape: &Shape, at: &Pose) -> Rational {
    let r = pose.rotation();
    let [x, y, z] = [r.x_axis, r.y_axis, r.z_axis].map(rational);
    let cofactors = [cross(&y, &z), cross(&z, &x), cross(&x, &y)];
    let number = |x: f64| Rational::from_f64(x).unwrap();
    let given = rational(normal);
    let n: Vector = [0, 1, 2].map(|k| dot(&given, &[0, 1, 2].map(|column| cofactors[column][k].clone())));
    let level = &number(offset) * &dot(&x, &cofactors[0]);
    let turn = at.rotation();
    let down: Vector = [turn.x_axis, turn.y_axis, turn.z_axis].map(|axis| -dot(&rational(axis), &n));
    let across = root(&(down[0].squared() + down[1].squared()));
    let support = |shape: &Shape| match shape {
        Shape::Cylinder(c) => &number(c.half_length()) * &down[2].abs() + &number(c.radius()) * &across,
        Shape::Cone(c) => {
            let (apex, base) = (&number(c.half_length()) * &down[2], &number(c.radius()) * &across);
            let rim = &base - &apex;
            if apex > rim { apex } else { rim }
        }
        Shape::Ellipsoid(e) => {
            let semi_axes = rational(e.semi_axes());
            let stretched: Vector = [0, 1, 2].map(|k| &semi_axes[k] * &down[k]);
            root(&dot(&stretched, &stretched))
        }
        _ => unreachable!(),
    };
    let (reach, radius) = match shape {
        Shape::Rounded(rounded) => (support(rounded.core()), rounded.radius()),
        _ => (support(shape), 0.0),
    };
    let (to, from) = (rational(at.translation()), rational(pose.translation()));
    let between: Vector = [0, 1, 2].map(|k| &to[k] - &from[k]);
    (dot(&n, &between) - level - reach) / root(&dot(&n, &n)) - number(radius)
}

#[test]
fn curved_bodies_against_their_support_functions() {
    let mut random = Random::new(5);
    for case in 0..300 {
        let mut size = || random.uniform(0.1, 2.0) * [1.0, 1e-6, 1e3][case % 3];
        let core = match case % 4 {
            0 => Shape::cylinder(size(), size()),
            1 => Shape::cone(size(), size()),
            _ => Shape::ellipsoid(DVec3::new(size(), size(), size())),
        };
        let core = core.unwrap();
        let shape = if case % 5 == 0 { Shape::rounded(core, size()).unwrap() } else { core };
        let (mut pose, mut at) = (random_pose(&mut random, 3.0), random_pose(&mut random, 3.0));
        if case % 7 == 0 {
            // Upright on the plane, or lying on it.
            (pose, at) = (Pose::IDENTITY, Pose::from_translation(at.translation()).unwrap());
        }
        let normal = if case % 2 == 0 { DVec3::Z } else { DVec3::from_array(random.direction()) * 3.0 };
        let touching = curved_gap(normal, 0.0, &pose, &shape, &at).to_f64() * normal.length();
        for offset in [touching, touching + 1e-9, touching - 1e-9, random.uniform(-5.0, 5.0)] {
            let half_space = Shape::half_space(normal, offset).unwrap();
            let truth = curved_gap(normal, offset, &pose, &shape, &at);
            check(&half_space, &pose, &shape, &at, false, &|x| truth.cmp(&Rational::from_f64(x).unwrap()));
        }
    }
}

#[test]
fn half_spaces_meet_unless_they_face_each_other_apart() {
    let floor = Shape::half_space(DVec3::new(0.0, 0.0, 2.0), 2.0).unwrap();
    let ceiling = Shape::half_space(-DVec3::Z, 0.0).unwrap();
    let at = |z: f64| Pose::from_translation(DVec3::new(5.0, 6.0, z)).unwrap();
    for (z, expected) in [(1.25, Relation::Separated), (1.0, Relation::Touching), (0.5, Relation::Overlapping)] {
        let answer = distance(&floor, &Pose::IDENTITY, &ceiling, &at(z));
        assert_eq!(answer.gap.value, (z - 1.0).max(0.0));
        answer.verify(&floor, &Pose::IDENTITY, &ceiling, &at(z)).unwrap();
        let proof = common::proof_of(&floor, &Pose::IDENTITY, &ceiling, &at(z));
        assert_eq!(proof.relation, expected);
        proof.verify(&floor, &Pose::IDENTITY, &ceiling, &at(z)).unwrap();
        assert_eq!(intersects(&ceiling, &at(z), &floor, &Pose::IDENTITY), z <= 1.0);
    }
    // Rotated by the same arbitrary rotation: still exactly opposite.
    let mut random = Random::new(3);
    for _ in 0..50 {
        let frame = random_pose(&mut random, 10.0);
        let up = frame.rotation() * DVec3::Z;
        let moved = Pose::new(frame.rotation(), frame.translation() + up * 3.0).unwrap();
        let answer = distance(&floor, &frame, &ceiling, &moved);
        assert!((answer.gap.value - 2.0).abs() < 1e-13, "{answer:?}");
        answer.verify(&floor, &frame, &ceiling, &moved).unwrap();
        // Tilted slightly: they meet, far away.
        let tilted = Pose::from_axis_angle(DVec3::X, 1e-9, moved.translation()).unwrap();
        assert!(intersects(&floor, &frame, &ceiling, &tilted));
        let other = random_pose(&mut random, 10.0);
        let answer = distance(&floor, &frame, &ceiling, &other);
        assert_eq!(answer.gap.value, 0.0);
        answer.verify(&floor, &frame, &ceiling, &other).unwrap();
        let proof = common::proof_of(&floor, &frame, &ceiling, &other);
        assert_eq!(proof.relation, Relation::Overlapping);
        proof.verify(&floor, &frame, &ceiling, &other).unwrap();
    }
}

/// A unit ball known only by its support points.
#[derive(Debug)]
struct Ball;

impl Support for Ball {
    fn support(&self, direction: DVec3) -> DVec3 {
        direction / direction.length()
    }
    fn slack(&self) -> f64 {
        1e-15
    }
    fn bounds(&self) -> Aabb {
        Aabb::new(-DVec3::ONE, DVec3::ONE)
    }
}

#[test]
fn custom_bodies() {
    let ball = Shape::custom(std::sync::Arc::new(Ball)).unwrap();
    let mut random = Random::new(9);
    for _ in 0..100 {
        let (pose, at) = (random_pose(&mut random, 2.0), random_pose(&mut random, 2.0));
        let normal = DVec3::from_array(random.direction()) * 2.0;
        let offset = random.uniform(-3.0, 3.0);
        let half_space = Shape::half_space(normal, offset).unwrap();
        let plane = world_plane(normal, offset, &pose);
        let centre = [rational(at.translation())];
        // Its pose may stretch the ball by the rigidity defect, which the placement does not count.
        let stretch = 2.0 * (at.defect() + pose.defect());
        let answer = distance(&half_space, &pose, &ball, &at);
        assert_ne!(plane.compare(&centre, 1.0, answer.gap.upper + stretch), Ordering::Greater);
        if answer.gap.value > 0.0 {
            assert_ne!(plane.compare(&centre, 1.0, answer.gap.lower - stretch), Ordering::Less);
            assert!(answer.gap.upper - answer.gap.lower < 1e-13);
        }
        assert_eq!(intersects(&ball, &at, &half_space, &pose), answer.gap.value == 0.0);
    }
}

/// Sizes from the smallest to the largest, and normals of any length: true and verified.
#[test]
fn any_scale() {
    let mut random = Random::new(13);
    for exponent in [-53, -20, 0, 20, 50, 59] {
        let size = 10f64.powi(exponent);
        for length in [1e-59, 1.0, 1e50] {
            let cube = Shape::cuboid(DVec3::new(1.0, 0.5, 1e-6) * size).unwrap();
            let normal = DVec3::from_array(random.direction()) * length;
            let Ok(half_space) = Shape::half_space(normal, length * size * 0.25) else { continue };
            let at = random_pose(&mut random, size);
            for pose in [Pose::IDENTITY, random_pose(&mut random, size)] {
                let answer = distance(&half_space, &pose, &cube, &at);
                answer.verify(&half_space, &pose, &cube, &at).unwrap_or_else(|r| panic!("{r} {size:e} {answer:?}"));
                let proof = common::proof_of(&half_space, &pose, &cube, &at);
                proof.verify(&half_space, &pose, &cube, &at).unwrap_or_else(|r| panic!("{r} {size:e} {proof:?}"));
                assert_eq!(intersects(&cube, &at, &half_space, &pose), answer.gap.value == 0.0);
            }
        }
    }
}

#[test]
fn false_answers_are_refused() {
    let floor = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let pose = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(0.3, 0.2, 2.5)).unwrap();
    let answer = distance(&floor, &Pose::IDENTITY, &cube, &pose);
    let ok = |a: &clearance::answer::Distance| a.verify(&floor, &Pose::IDENTITY, &cube, &pose).is_ok();
    assert!(ok(&answer));
    let changed = |change: &dyn Fn(&mut clearance::answer::Distance)| {
        let mut other = answer;
        change(&mut other);
        ok(&other)
    };
    assert!(!changed(&|a| a.gap.lower = a.gap.value + 1e-9));
    assert!(!changed(&|a| a.gap.lower += 1e-13));
    assert!(!changed(&|a| a.gap.upper -= 1e-13));
    assert!(!changed(&|a| a.gap.upper += 1e-9));
    assert!(!changed(&|a| a.gap.value += 1e-9));
    assert!(!changed(&|a| a.witness.a.point.z += 1e-9));
    assert!(!changed(&|a| a.witness.a.point.x += 1e-3));
    assert!(!changed(&|a| a.witness.b.point.y += 1e-9));
    assert!(!changed(&|a| a.placement *= 1e3));
    assert!(!changed(&|a| a.witness.a.feature = Feature::Vertex(0)));
    assert!(!changed(&|a| a.witness.b.feature = Feature::Interior));
    assert!(!changed(&|a| a.normal = Some(DVec3::X)));
    assert!(!changed(&|a| a.normal = Some(DVec3::new(1e-6, 0.0, 1.0).normalize())));
    let low = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(0.3, 0.2, 0.5)).unwrap();
    let proof = common::proof_of(&floor, &Pose::IDENTITY, &cube, &low);
    let ok = |p: &clearance::answer::RelationProof| p.verify(&floor, &Pose::IDENTITY, &cube, &low).is_ok();
    assert!(ok(&proof));
    let changed = |change: &dyn Fn(&mut clearance::answer::RelationProof)| {
        let mut other = proof.clone();
        change(&mut other);
        ok(&other)
    };
    assert!(!changed(&|p| p.gap.lower += 1e-13));
    assert!(!changed(&|p| p.gap.upper -= 1e-13));
    assert!(!changed(&|p| p.normal = -p.normal));
    assert!(!changed(&|p| p.relation = Relation::Separated));
    assert!(!changed(&|p| p.evidence = clearance::answer::Evidence::Polytope { pairs: vec![[0, 1]] }));
}
