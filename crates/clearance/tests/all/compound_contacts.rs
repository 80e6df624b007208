//! Contacts of compounds and height fields: against the contacts of every pair of parts, known points, symmetry,
//! `verify` on every answer, and every perturbed field refused.

use clearance::answer::{Contact, Contacts, Method, Stopped, Witness, WitnessPoint};
use clearance::glam::{DQuat, DVec2, DVec3};
use clearance::query::{ContactsOptions, contacts_with};
use clearance::shape::{Feature, HeightField};
use clearance::verify::Refusal;
use clearance::{Bracket, PairCache, Pose, Shape, Workspace, contacts, distance, penetration};
use clearance_oracle::random::Random;

fn with(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, options: ContactsOptions) -> Contacts {
    let mut out = Contacts::default();
    contacts_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut Workspace::default(), &mut out);
    out
}

/// The answer with a margin, verified, in both orders of the bodies, against the gap by the other queries.
fn checked(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> Contacts {
    let options = ContactsOptions { margin, ..ContactsOptions::default() };
    let found = with(a, pose_a, b, pose_b, options);
    if let Err(refusal) = found.verify(a, pose_a, b, pose_b) {
        panic!("{refusal:?}\n{a:?} {pose_a:?}\n{b:?} {pose_b:?}\n{found:#?}");
    }
    let apart = distance(a, pose_a, b, pose_b);
    // Bodies separated only as placed may overlap in truth.
    if apart.gap.lower > 0.0 {
        assert_eq!(
            (found.gap.value, found.gap.lower, found.gap.upper),
            (apart.gap.value, apart.gap.lower, apart.gap.upper)
        );
        assert_eq!(
            (Some(found.normal), found.witness.a.part, found.witness.b.part),
            (apart.normal, apart.witness.a.part, apart.witness.b.part)
        );
    } else if let Ok(deep) = penetration(a, pose_a, b, pose_b) {
        let upper = if deep.depth.lower > 0.0 { -deep.depth.lower } else { apart.gap.upper };
        assert_eq!((found.gap.value, found.gap.lower, found.gap.upper), (-deep.depth.value, -deep.depth.upper, upper));
        assert_eq!(found.normal, deep.normal);
        deep.verify(a, pose_a, b, pose_b).unwrap_or_else(|e| panic!("{e}: {deep:?}\n{b:?} {pose_b:?}"));
    }
    assert!(found.points.is_sorted_by(|p, q| p.gap.value <= q.gap.value), "{found:#?}");
    let back = with(b, pose_b, a, pose_a, options);
    assert_eq!(back.normal, -found.normal);
    assert_eq!((back.gap.value, back.gap.lower, back.gap.upper), (found.gap.value, found.gap.lower, found.gap.upper));
    assert_eq!(back.points.len(), found.points.len());
    for (p, q) in back.points.iter().zip(&found.points) {
        let mirrored = Contact { witness: q.witness.swapped(), normal: -q.normal, ..*q };
        assert_eq!(*p, mirrored);
    }
    found
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn turned(axis: DVec3, angle: f64, at: DVec3) -> Pose {
    Pose::from_axis_angle(axis, angle, at).unwrap()
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(DVec3::new(x, y, z)).unwrap()
}

/// A board of 4 x 2 on four legs, its feet at z = 0.
fn table() -> Shape {
    let leg = cuboid(0.1, 0.1, 0.45);
    let foot = |x: f64, y: f64| (at(1.8 * x, 0.8 * y, 0.45), leg.clone());
    let board = (at(0.0, 0.0, 0.95), cuboid(2.0, 1.0, 0.05));
    Shape::compound(vec![foot(-1.0, -1.0), foot(1.0, -1.0), foot(-1.0, 1.0), foot(1.0, 1.0), board]).unwrap()
}

#[test]
fn a_seam_between_two_parts_gives_its_points_once() {
    let half = cuboid(1.0, 1.0, 0.5);
    let floor = Shape::compound(vec![(at(-1.0, 0.0, -0.5), half.clone()), (at(1.0, 0.0, -0.5), half)]).unwrap();
    let body = cuboid(0.5, 0.5, 0.5);
    for height in [0.5, 0.49, 0.503] {
        let found = checked(&floor, &Pose::IDENTITY, &body, &at(0.0, 0.0, height), 0.01);
        // Four corners of the body, and two on the seam.
        assert_eq!(found.points.len(), 6, "{found:#?}");
        assert_eq!(found.points.iter().filter(|p| p.witness.a.point.x == 0.0).count(), 2, "{found:#?}");
        for point in &found.points {
            assert!(point.normal.distance(DVec3::Z) < 1e-15 && (point.gap.value - (height - 0.5)).abs() < 1e-15);
            assert_eq!(point.witness.a.part, u32::from(point.witness.a.point.x > 0.0));
        }
    }
    assert!(checked(&floor, &Pose::IDENTITY, &body, &at(0.0, 0.0, 0.6), 0.05).points.is_empty());
}

#[test]
fn margins_as_large_as_the_gap_and_infinite() {
    let mut random = Random::new(17);
    for round in 0..60 {
        let (a, b) = (compound(&mut random, 2), compound(&mut random, 3));
        let pose_a = pose(&mut random, DVec3::ZERO);
        let offset = vector(&mut random) * 6.0;
        let pose_b = pose(&mut random, offset);
        let gap = distance(&a, &pose_a, &b, &pose_b);
        for margin in [gap.gap.lower, gap.gap.value, gap.gap.upper, gap.gap.lower.next_down().max(0.0)] {
            let found = checked(&a, &pose_a, &b, &pose_b, margin);
            assert_eq!(found.points.is_empty(), gap.gap.lower > margin, "{round} {found:#?}");
        }
        let all =
            with(&a, &pose_a, &b, &pose_b, ContactsOptions { margin: f64::INFINITY, ..ContactsOptions::default() });
        assert!(all.points.len() >= 6, "{all:#?}");
    }
}

#[test]
fn a_table_stands_on_its_feet() {
    let ground = Shape::half_space(DVec3::Z, 0.0).unwrap();
    for (floor, pose) in [(ground, at(0.0, 0.0, 0.0)), (cuboid(4.0, 4.0, 1.0), at(0.0, 0.0, -1.0))] {
        let found = checked(&floor, &pose, &table(), &turned(DVec3::Z, 0.3, DVec3::ZERO), 0.0);
        assert_eq!(found.points.len(), 16, "{found:#?}");
        for leg in 0..4 {
            assert_eq!(found.points.iter().filter(|p| p.witness.b.part == leg).count(), 4);
        }
        // Four points: one on each leg.
        let options = ContactsOptions { most: Some(4), ..ContactsOptions::default() };
        let few = with(&floor, &pose, &table(), &turned(DVec3::Z, 0.3, DVec3::ZERO), options);
        few.verify(&floor, &pose, &table(), &turned(DVec3::Z, 0.3, DVec3::ZERO)).unwrap();
        assert_eq!(few.points.len(), 4);
        let mut legs: Vec<u32> = few.points.iter().map(|p| p.witness.b.part).collect();
        legs.sort_unstable();
        assert_eq!(legs, [0, 1, 2, 3]);
    }
}

#[test]
fn each_point_has_the_normal_of_its_own_parts() {
    // A ball in a corner of three walls.
    let wall = cuboid(2.0, 2.0, 0.5);
    let quarter = std::f64::consts::FRAC_PI_2;
    let corner = Shape::compound(vec![
        (at(2.0, 2.0, -0.5), wall.clone()),
        (turned(DVec3::Y, quarter, DVec3::new(-0.5, 2.0, 2.0)), wall.clone()),
        (turned(DVec3::X, quarter, DVec3::new(2.0, -0.5, 2.0)), wall),
    ])
    .unwrap();
    let ball = Shape::sphere(1.0).unwrap();
    for (offset, count) in [(1.0, 3), (0.99, 3), (1.005, 3), (1.02, 0)] {
        let found = checked(&corner, &Pose::IDENTITY, &ball, &at(offset, offset, offset), 0.01);
        assert_eq!(found.points.len(), count, "{offset} {found:#?}");
        for (part, normal) in [DVec3::Z, DVec3::X, DVec3::Y].into_iter().enumerate() {
            let own = found.points.iter().filter(|p| p.witness.a.part == part as u32);
            assert!(
                own.into_iter()
                    .all(|p| p.normal.distance(normal) < 1e-12 && (p.gap.value - (offset - 1.0)).abs() < 1e-12)
            );
        }
    }
}

fn vector(random: &mut Random) -> DVec3 {
    DVec3::from_array(random.direction())
}

fn pose(random: &mut Random, at: DVec3) -> Pose {
    let angle = 3.0 * random.direction()[1];
    Pose::from_quat(DQuat::from_axis_angle(vector(random).normalize(), angle), at).unwrap()
}

fn body(random: &mut Random, kind: usize) -> Shape {
    let mut size = || 0.2 + 0.5 * random.direction()[0].abs();
    let sizes = DVec3::new(size(), size(), size());
    match kind {
        0 => Shape::sphere(sizes.x),
        1 => Shape::cuboid(sizes),
        2 => Shape::hull(&(0..14).map(|_| random.direction()).collect::<Vec<_>>()),
        3 => Shape::capsule(sizes.x, sizes.y),
        4 => Shape::cylinder(sizes.x, sizes.y),
        5 => Shape::cone(sizes.x, sizes.y),
        6 => Shape::ellipsoid(sizes),
        7 => Shape::rounded(Shape::cuboid(sizes).unwrap(), 0.1),
        _ => Shape::triangle(vector(random), vector(random), vector(random)),
    }
    .unwrap()
}

fn compound(random: &mut Random, count: usize) -> Shape {
    let parts = (0..count).map(|k| {
        let at = vector(random) * 1.5;
        (pose(random, at), body(random, (k + count) % 9))
    });
    Shape::compound(parts.collect()).unwrap()
}

fn parts_of(shape: &Shape) -> Vec<(Pose, Shape)> {
    match shape {
        Shape::Compound(compound) => compound.parts().to_vec(),
        whole => vec![(Pose::IDENTITY, whole.clone())],
    }
}

fn composed(pose: &Pose, part: &Pose) -> Pose {
    Pose::new(pose.rotation() * part.rotation(), pose.transform_point(part.translation())).unwrap()
}

#[test]
fn agrees_with_the_contacts_of_every_pair_of_parts() {
    let mut random = Random::new(11);
    let mut touching = 0;
    for round in 0..60 {
        let a = compound(&mut random, 2 + round % 5);
        let b = if round % 2 == 0 { compound(&mut random, 2 + round % 3) } else { body(&mut random, round / 2 % 9) };
        let pose_a = pose(&mut random, DVec3::ZERO);
        let offset = vector(&mut random) * [4.0, 3.0, 2.0][round % 3];
        let pose_b = pose(&mut random, offset);
        let margin = [0.0, 0.1, 1.0][round / 3 % 3];
        let found = checked(&a, &pose_a, &b, &pose_b, margin);
        touching += usize::from(!found.points.is_empty());
        let mut all: Vec<Contact> = Vec::new();
        let mut close = 0;
        for (part_a, (own_a, shape_a)) in (0u32..).zip(&parts_of(&a)) {
            for (part_b, (own_b, shape_b)) in (0u32..).zip(&parts_of(&b)) {
                let (at_a, at_b) = (composed(&pose_a, own_a), composed(&pose_b, own_b));
                let options = ContactsOptions { margin, ..ContactsOptions::default() };
                let pair = with(shape_a, &at_a, shape_b, &at_b, options);
                close += pair.points.iter().filter(|p| p.gap.lower > margin - 1e-9).count();
                all.extend(pair.points.iter().map(|p| Contact {
                    witness: Witness {
                        a: WitnessPoint {
                            point: own_a.transform_point(p.witness.a.point),
                            part: part_a,
                            ..p.witness.a
                        },
                        b: WitnessPoint {
                            point: own_b.transform_point(p.witness.b.point),
                            part: part_b,
                            ..p.witness.b
                        },
                    },
                    ..*p
                }));
            }
        }
        // Exactly the points of every pair of parts, except those that the margin leaves undecided.
        assert!(all.len().abs_diff(found.points.len()) <= close, "{} {} {close}", all.len(), found.points.len());
        for point in &found.points {
            let same = |other: &&Contact| {
                (other.witness.a.part, other.witness.b.part) == (point.witness.a.part, point.witness.b.part)
                    && other.witness.a.point.distance(point.witness.a.point) < 1e-6
                    && other.normal.distance(point.normal) < 1e-6
                    && (other.gap.value - point.gap.value).abs() < 1e-9
            };
            assert!(all.iter().find(same).is_some(), "{point:#?}\n{all:#?}");
        }
    }
    assert!(touching > 15, "{touching}");
}

#[test]
fn far_tiny_and_in_one_pose() {
    let two = |size: f64| {
        let half = cuboid(size, size, size);
        Shape::compound(vec![(at(-size, 0.0, 0.0), half.clone()), (at(size, 0.0, 0.0), half)]).unwrap()
    };
    for size in [1e-6, 1.0, 1e6] {
        for far in [0.0, 1e7] {
            let body = two(size);
            let (a, b) = (at(far, -far, far), at(far + 0.5 * size, -far, far + 2.0 * size));
            let found = checked(&body, &a, &body, &b, 0.0);
            assert!(size * 1e7 < far || found.points.len() >= 4, "{size} {far} {found:#?}");
        }
    }
    let tiny = two(1e-59);
    let found = checked(&tiny, &Pose::IDENTITY, &tiny, &at(0.0, 0.0, 2e-59), 0.0);
    // Parts that share only an edge touch along it in another direction.
    let level = found.points.iter().filter(|p| p.normal.distance(DVec3::Z) < 1e-9).count();
    assert_eq!(level, 6, "{found:#?}");
    let pose = turned(DVec3::ONE.normalize(), 0.7, DVec3::new(1e7, 2e7, 3e7));
    let above = Shape::compound(vec![(at(0.0, 0.0, 2.0), cuboid(1.0, 1.0, 1.0))]).unwrap();
    assert_eq!(checked(&two(1.0), &pose, &above, &pose, 0.0).points.len(), 6);
}

/// Perturbs every field of an answer and of one of its points; each must be refused.
fn every_perturbed_field_is_refused(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, options: ContactsOptions) {
    let good = with(a, pose_a, b, pose_b, options);
    good.verify(a, pose_a, b, pose_b).unwrap();
    assert!(good.points.len() > 1, "{good:#?}");
    // Destructured without `..`: a new field does not compile until it is perturbed below.
    let Contacts {
        normal: _,
        gap: Bracket { value: _, lower: _, upper: _ },
        witness: Witness { a: WitnessPoint { point: _, part: _, .. }, b: WitnessPoint { point: _, part: _, .. } },
        margin: _,
        tilt: _,
        placement: _,
        method: _,
        ref points,
        ref crossings,
    } = good;
    // Of meshes only.
    assert!(crossings.is_empty());
    let Contact {
        witness:
            Witness { a: WitnessPoint { point: _, part: _, feature: _ }, b: WitnessPoint { point: _, part: _, feature: _ } },
        normal: _,
        gap: Bracket { value: _, lower: _, upper: _ },
    } = points[1];
    type Perturb = fn(&mut Contacts);
    let perturbations: [(&str, Perturb); 31] = [
        ("normal", |c| c.normal = DVec3::new(0.6, 0.0, 0.8)),
        ("normal's length", |c| c.normal *= 1.001),
        ("gap", |c| c.gap.value += 1e-3),
        ("lower", |c| {
            (c.gap.lower, c.gap.value, c.gap.upper) = (c.gap.lower + 1e-6, c.gap.value + 1e-6, c.gap.upper + 1e-6)
        }),
        ("upper", |c| {
            (c.gap.lower, c.gap.value, c.gap.upper) = (c.gap.lower - 1e-6, c.gap.value - 1e-6, c.gap.upper - 1e-6)
        }),
        ("too wide", |c| c.gap.lower -= 1e-3),
        ("witness of A", |c| c.witness.a.point.z += 1e-3),
        ("witness of B", |c| c.witness.b.point.z -= 1e-3),
        ("part of A", |c| c.witness.a.part = u32::MAX),
        ("part of B", |c| c.witness.b.part = u32::MAX),
        ("margin below zero", |c| c.margin = -1.0),
        ("margin", |c| c.margin = f64::NAN),
        ("tilt", |c| c.tilt = -0.1),
        ("tilt too large", |c| c.tilt = 1.0),
        ("placement", |c| c.placement = 1.0),
        ("method", |c| c.method = Method::Gjk),
        ("method's width", |c| {
            c.method = if c.gap.value > 0.0 { Method::PartsStopped(Stopped::Budget) } else { Method::Newton }
        }),
        ("no points", |c| c.points.clear()),
        ("point_in_a", |c| c.points[1].witness.a.point += DVec3::new(1e-6, 0.0, 1e-6)),
        ("point_in_b", |c| c.points[1].witness.b.point.z += 1e-6),
        ("point's normal", |c| c.points[1].normal = DVec3::X),
        ("point's normal a little", |c| c.points[1].normal = (c.points[1].normal + 1e-4 * DVec3::X).normalize()),
        ("length of the point's normal", |c| c.points[1].normal *= 1.0 + 1e-9),
        ("point's gap", |c| c.points[1].gap.value += 1e-6),
        ("point's lower", |c| {
            (c.points[1].gap.lower, c.points[1].gap.value) = (c.points[1].gap.upper, c.points[1].gap.upper)
        }),
        ("point's upper", |c| {
            (c.points[1].gap.upper, c.points[1].gap.value) = (c.points[1].gap.lower, c.points[1].gap.lower)
        }),
        ("point too wide", |c| c.points[1].gap.upper += 1e-6),
        ("point's part of A", |c| c.points[1].witness.a.part = u32::MAX),
        ("point's part of B", |c| c.points[1].witness.b.part = u32::MAX),
        ("feature_a", |c| c.points[1].witness.a.feature = Feature::Vertex(77)),
        ("feature_b", |c| c.points[1].witness.b.feature = Feature::Vertex(77)),
    ];
    for (name, perturb) in perturbations {
        let mut bad = good.clone();
        perturb(&mut bad);
        assert!(bad.verify(a, pose_a, b, pose_b).is_err(), "{name} {bad:#?}");
    }
    // A point beside what it names.
    let mut bad = good.clone();
    bad.points[0].witness.a.part = if good.points[0].witness.a.part == 0 { 1 } else { 0 };
    assert!(bad.verify(a, pose_a, b, pose_b).is_err(), "{bad:#?}");
}

#[test]
fn every_field_perturbed_is_refused() {
    let level = ContactsOptions { tilt: 0.0, ..ContactsOptions::default() };
    let floor = cuboid(4.0, 4.0, 1.0);
    let sunk = turned(DVec3::Z, 0.3, DVec3::new(0.1, 0.2, -0.01));
    every_perturbed_field_is_refused(&table(), &sunk, &floor, &at(0.0, 0.0, -1.0), level);
    // Apart, with a margin.
    let above = turned(DVec3::Z, 0.3, DVec3::new(0.1, 0.2, 0.01));
    let within = ContactsOptions { margin: 0.02, ..level };
    every_perturbed_field_is_refused(&table(), &above, &floor, &at(0.0, 0.0, -1.0), within);
    // On the ground.
    let into = turned(DVec3::Z, 0.3, DVec3::new(10.2, 10.4, 0.59));
    every_perturbed_field_is_refused(&ground(20, |_, _| 0.0), &Pose::IDENTITY, &cuboid(1.8, 1.7, 0.6), &into, level);
}

fn hills() -> HeightField {
    let heights = (0..400).map(|k| ((k % 20) as f32 * 0.7).sin() + ((k / 20) as f32 * 0.4).cos()).collect();
    HeightField::new(20, 20, DVec2::new(0.5, 0.5), heights).unwrap()
}

/// Ground of `n` x `n` points, one apart.
fn ground(n: usize, height: impl Fn(f64, f64) -> f64) -> Shape {
    let heights = (0..n * n).map(|k| height((k % n) as f64, (k / n) as f64) as f32);
    Shape::height_field(n, n, DVec2::ONE, heights.collect()).unwrap()
}

#[test]
fn a_box_on_flat_ground_touches_with_its_corners() {
    let body = cuboid(3.0, 2.0, 1.0);
    // Between grid lines, on them, just past them, rotated; resting, sunk, above.
    let poses = [(50.3, 50.2, 0.0), (50.0, 50.0, 0.0), (50.001, 49.999, 0.0), (50.0, 50.5, 0.0), (47.3, 52.1, 0.4)];
    for (k, (x, y, angle)) in poses.into_iter().enumerate() {
        // Verification examines all prisms: one large field is enough.
        let n = if k == 0 { 100 } else { 60 };
        let flat = ground(n, |_, _| 0.0);
        for height in [1.0, 0.99, 1.01] {
            let place = turned(DVec3::Z, angle, DVec3::new(x, y, height));
            let found = checked(&flat, &Pose::IDENTITY, &body, &place, 0.02);
            assert_eq!(found.points.len(), 4, "{x} {y} {angle} {height} {found:#?}");
            for point in &found.points {
                assert!(point.normal.distance(DVec3::Z) < 1e-9, "{point:?}");
                assert!((point.gap.value - (height - 1.0)).abs() < 1e-12, "{point:?}");
                let corner = point.witness.b.point;
                assert!(corner.abs().distance(DVec3::new(3.0, 2.0, 1.0)) < 1e-12, "{point:?}");
            }
        }
    }
}

#[test]
fn a_ball_on_a_ridge_and_in_a_valley() {
    let ball = Shape::sphere(1.0).unwrap();
    let roof = ground(21, |x, _| -0.5 * (x - 10.0).abs());
    let slope = DVec3::new(0.5, 0.0, 1.0).normalize();
    // On the ridge: one point, of two prisms or more.
    for height in [1.0, 0.95, 1.005] {
        let found = checked(&roof, &Pose::IDENTITY, &ball, &at(10.0, 10.3, height), 0.01);
        assert_eq!(found.points.len(), 1, "{found:#?}");
        assert!(
            found.points[0].normal.distance(DVec3::Z) < 1e-9
                && (found.points[0].gap.value - (height - 1.0)).abs() < 1e-12
        );
    }
    // Its centre below the ridge: it is pushed out of both slopes.
    let found = checked(&roof, &Pose::IDENTITY, &ball, &at(10.0, 10.3, -0.6), 0.0);
    let normals =
        |found: &Contacts, normal: DVec3| found.points.iter().filter(|p| p.normal.distance(normal) < 1e-9).count();
    assert_eq!(found.points.len(), 2, "{found:#?}");
    assert_eq!((normals(&found, slope), normals(&found, slope.with_x(-slope.x))), (1, 1), "{found:#?}");
    // In a valley it touches both sides.
    let valley = ground(21, |x, _| 0.5 * (x - 10.0).abs());
    for sunk in [0.0, 0.01] {
        let place = at(10.0, 10.3, 1.25f64.sqrt() - sunk);
        let found = checked(&valley, &Pose::IDENTITY, &ball, &place, 1e-9);
        assert_eq!(found.points.len(), 2, "{found:#?}");
        assert_eq!((normals(&found, slope), normals(&found, slope.with_x(-slope.x))), (1, 1), "{found:#?}");
    }
}

#[test]
fn a_box_over_an_edge() {
    // A cliff at x = 10, and the box half over it.
    let cliff = ground(21, |x, _| if x <= 10.0 { 0.0 } else { -5.0 });
    let body = cuboid(2.0, 1.0, 0.5);
    for height in [0.5, 0.49] {
        let found = checked(&cliff, &Pose::IDENTITY, &body, &at(10.2, 10.3, height), 0.0);
        let level: Vec<_> = found.points.iter().filter(|p| p.normal.distance(DVec3::Z) < 1e-9).collect();
        let mut ends: Vec<f64> = level.iter().map(|p| p.witness.a.point.x).collect();
        ends.sort_by(f64::total_cmp);
        assert_eq!(level.len(), 4, "{found:#?}");
        assert!((ends[0] - 8.2).abs() < 1e-12 && (ends[3] - 10.0).abs() < 1e-12, "{found:#?}");
    }
    // Half over the end of the field.
    let flat = ground(21, |_, _| 0.0);
    let found = checked(&flat, &Pose::IDENTITY, &body, &at(20.2, 10.3, 0.49), 0.0);
    assert_eq!(found.points.len(), 4, "{found:#?}");
    assert!(found.points.iter().all(|p| p.normal.distance(DVec3::Z) < 1e-9));
    // A spike in the middle of its bottom.
    let spike = ground(21, |x, y| if x == 10.0 && y == 10.0 { 10.0 } else { 0.0 });
    let found = checked(&spike, &Pose::IDENTITY, &body, &at(10.3, 10.1, 10.49), 0.0);
    assert_eq!(found.points.len(), 1, "{found:#?}");
    assert!(found.points[0].normal.distance(DVec3::Z) < 1e-9 && (found.points[0].gap.value + 0.01).abs() < 1e-12);
}

#[test]
fn no_point_of_the_ground_is_pushed_sideways() {
    let (field, tilted) =
        (Shape::HeightField(hills()), turned(DVec3::new(1.0, 0.3, 0.0), 0.4, DVec3::new(3.0, -2.0, 1.0)));
    let mut random = Random::new(3);
    let mut touching = 0;
    for round in 0..60 {
        let body = if round % 7 == 6 { table() } else { body(&mut random, [1, 0, 2, 3, 4, 7][round % 7 % 6]) };
        let offset = DVec3::from_array(random.direction());
        // Not over the end of the field, which has a wall.
        let spread = if round % 7 == 6 { 1.0 } else { 2.0 };
        let (x, y) = (4.7 + spread * offset.x, 4.7 + spread * offset.y);
        let Shape::HeightField(ground) = &field else { unreachable!() };
        let height = ground.height_at(x, y).unwrap().height.value + 0.4 * offset.z;
        let pose = pose(&mut random, tilted.transform_point(DVec3::new(x, y, height)));
        let found = checked(&field, &tilted, &body, &pose, 0.05);
        touching += usize::from(found.points.len() > 1);
        for point in &found.points {
            let up = (tilted.rotation().transpose() * point.normal).z;
            assert!(up > 0.2, "{up} {body:?} {found:#?}");
        }
    }
    assert!(touching > 20, "{touching}");
}

#[test]
fn a_compound_on_the_ground() {
    let flat = ground(30, |_, _| 0.0);
    let found = checked(&flat, &Pose::IDENTITY, &table(), &turned(DVec3::Z, 0.5, DVec3::new(15.0, 15.0, -0.001)), 0.0);
    assert_eq!(found.points.len(), 16, "{found:#?}");
    assert!(found.points.iter().all(|p| p.normal.distance(DVec3::Z) < 1e-9 && p.witness.b.part < 4));
}

#[test]
fn unbounded_pairs() {
    let ground = Shape::HeightField(hills());
    let floor = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let found = contacts(&ground, &Pose::IDENTITY, &floor, &Pose::IDENTITY);
    assert!(found.points.is_empty() && found.gap.value == -f64::MAX);
    // A roof above the ground touches its highest point.
    let roof = Shape::half_space(DVec3::NEG_Z, 0.0).unwrap();
    let top = hills().surface_bounds().max.z;
    let found = checked(&ground, &Pose::IDENTITY, &roof, &at(0.0, 0.0, top + 0.5), 0.6);
    assert!((found.gap.value - 0.5).abs() < 1e-12 && !found.points.is_empty(), "{found:#?}");
    let mut witness = found.witness;
    witness.a.part = 1_000_000;
    assert_eq!(
        Contacts { witness, ..found }.verify(&ground, &Pose::IDENTITY, &roof, &at(0.0, 0.0, top + 0.5)),
        Err(Refusal::Part)
    );
}
