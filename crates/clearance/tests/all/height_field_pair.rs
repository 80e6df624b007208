//! Height fields in pair queries: against distances to every triangle.

use clearance::QueryError;
use clearance::answer::{Contacts, NoImpact};
use clearance::glam::{DVec2, DVec3};
use clearance::query::{ContactsOptions, RelationOptions, contacts_with, relation_with};
use clearance::shape::HeightField;
use clearance::verify::Refusal;
use clearance::{
    Motion, PairCache, Pose, Relation, RigidMotion, Shape, Workspace, distance, intersects, penetration, relation,
    rigid_impact, time_of_impact,
};

fn hills() -> HeightField {
    let heights = (0..400).map(|k| ((k % 20) as f32 * 0.7).sin() + ((k / 20) as f32 * 0.4).cos()).collect();
    HeightField::new(20, 20, DVec2::new(0.5, 0.5), heights).unwrap()
}

#[test]
fn bodies_above_the_ground_are_as_far_as_the_nearest_triangle() {
    let field = hills();
    let ground = Shape::HeightField(field.clone());
    let tilted = Pose::from_axis_angle(DVec3::new(1.0, 0.3, 0.0), 0.4, DVec3::new(3.0, -2.0, 1.0)).unwrap();
    let bodies = [
        Shape::sphere(0.3).unwrap(),
        Shape::cuboid(DVec3::new(0.2, 0.3, 0.4)).unwrap(),
        Shape::cylinder(0.3, 0.2).unwrap(),
        Shape::capsule(0.5, 0.1).unwrap(),
    ];
    for body in &bodies {
        for (x, y, z) in [(4.0, 4.0, 3.5), (1.0, 8.0, 2.8), (-2.0, 5.0, 1.0), (5.0, 5.0, 40.0)] {
            let at = tilted.transform_point(DVec3::new(x, y, z));
            let pose = Pose::from_axis_angle(DVec3::new(0.2, 1.0, 0.5), 0.7, at).unwrap();
            let answer = distance(&ground, &tilted, body, &pose);
            let nearest = (0..field.triangle_count() as u32)
                .map(|k| {
                    let [p, q, r] = field.triangle(k).unwrap();
                    distance(&Shape::triangle(p, q, r).unwrap(), &tilted, body, &pose).gap.value
                })
                .fold(f64::INFINITY, f64::min);
            // Beside the field a wall of the solid may be nearer than its surface.
            assert!(answer.gap.value <= nearest + 1e-12 && answer.gap.value > 0.0, "{body:?} {answer:?} {nearest}");
            assert!(x < 0.0 || (answer.gap.value - nearest).abs() < 1e-12, "{body:?} {answer:?} {nearest}");
            answer.verify(&ground, &tilted, body, &pose).unwrap();
            assert!(!intersects(&ground, &tilted, body, &pose));
            assert_eq!(relation(body, &pose, &ground, &tilted), Relation::Separated);
        }
    }
}

#[test]
fn bodies_in_the_ground_are_pushed_out() {
    let flat = Shape::height_field(11, 11, DVec2::ONE, vec![0.0; 121]).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let sunk = Pose::from_translation(DVec3::new(5.2, 5.3, 0.3)).unwrap();
    let deep = penetration(&flat, &Pose::IDENTITY, &ball, &sunk).unwrap();
    assert!(deep.depth.lower <= 0.2 && 0.2 <= deep.depth.upper && deep.depth.upper < 0.2 + 1e-6, "{deep:?}");
    assert!((deep.normal - DVec3::Z).length() < 1e-9, "{deep:?}");
    let buried = Pose::from_translation(DVec3::new(5.2, 5.3, -3.0)).unwrap();
    assert!(intersects(&flat, &Pose::IDENTITY, &ball, &buried));
    assert_eq!(distance(&flat, &Pose::IDENTITY, &ball, &buried).gap.value, 0.0);
    assert_eq!(penetration(&flat, &Pose::IDENTITY, &flat, &sunk), Err(QueryError::Unbounded));
}

#[test]
fn the_solid_has_no_bottom() {
    let ground = Shape::HeightField(hills());
    let at = |z: f64| Pose::from_translation(DVec3::new(0.0, 0.0, z)).unwrap();
    let floor = Shape::half_space(DVec3::new(0.1, 0.0, 1.0), 0.0).unwrap();
    assert!(intersects(&ground, &at(0.0), &floor, &at(-1e6)));
    let roof = Shape::half_space(DVec3::NEG_Z, 0.0).unwrap();
    let answer = distance(&ground, &at(0.0), &roof, &at(10.0));
    let top = hills().surface_bounds().max.z;
    assert!((answer.gap.value - (10.0 - top)).abs() < 1e-12, "{answer:?}");
    // A height field far below another is inside it.
    assert!(intersects(&ground, &at(0.0), &ground, &at(-1e4)));
    // The largest allowed body.
    let huge = Shape::sphere(1e60).unwrap();
    assert!(intersects(&ground, &at(0.0), &huge, &at(0.0)));
}

/// A field of 2000 x 2000 points with its maximum of 1 at (1234, 567).
fn large() -> HeightField {
    plain_with(1.0)
}

/// A field of 2000 x 2000 points below 0.8, except the one at (1234, 567).
fn plain_with(height: f32) -> HeightField {
    let heights = (0..4_000_000u32).map(|k| if k == 567 * 2000 + 1234 { height } else { (k % 7919) as f32 * 1e-4 });
    HeightField::new(2000, 2000, DVec2::ONE, heights.collect()).unwrap()
}

#[test]
fn a_large_field_and_a_half_space() {
    let ground = Shape::HeightField(large());
    let at = |z: f64| Pose::from_translation(DVec3::new(0.0, 0.0, z)).unwrap();
    let roof = Shape::half_space(DVec3::NEG_Z, 0.0).unwrap();
    for (height, expected) in [(1.5, Relation::Separated), (1.0, Relation::Touching), (0.5, Relation::Overlapping)] {
        let gap = distance(&ground, &at(0.0), &roof, &at(height));
        assert!((gap.gap.value - (height - 1.0).max(0.0)).abs() < 1e-12, "{gap:?}");
        assert!(gap.gap.upper - gap.gap.lower < 1e-9, "{gap:?}");
        assert_eq!(distance(&roof, &at(height), &ground, &at(0.0)).gap.lower, gap.gap.lower);
        gap.verify(&ground, &at(0.0), &roof, &at(height)).unwrap();
        assert_eq!(intersects(&ground, &at(0.0), &roof, &at(height)), height <= 1.0);
        let (cache, workspace) = (&mut PairCache::default(), &mut Workspace::default());
        let proof = relation_with(&ground, &at(0.0), &roof, &at(height), &RelationOptions::default(), cache, workspace);
        assert_eq!(proof.relation, expected, "{proof:?}");
        proof.verify(&ground, &at(0.0), &roof, &at(height)).unwrap();
        // Contacts: the peak, and nothing of the plain.
        if height > 1.0 {
            let mut found = Contacts::default();
            let options = ContactsOptions { margin: height - 1.0 + 1e-3, ..ContactsOptions::default() };
            contacts_with(&ground, &at(0.0), &roof, &at(height), &options, cache, workspace, &mut found);
            found.verify(&ground, &at(0.0), &roof, &at(height)).unwrap();
            assert_eq!(found.points.len(), 1, "{found:#?}");
            assert_eq!(found.points[0].witness.a.point, DVec3::new(1234.0, 567.0, 1.0));
        }
    }
    // All of a flat field is equally near: one prism represents it.
    let flat = Shape::height_field(2000, 2000, DVec2::ONE, vec![0.25; 4_000_000]).unwrap();
    let gap = distance(&flat, &at(0.0), &roof, &at(1.0));
    assert!(gap.gap.lower <= 0.75 && 0.75 <= gap.gap.upper && gap.gap.upper - gap.gap.lower < 1e-9, "{gap:?}");
    gap.verify(&flat, &at(0.0), &roof, &at(1.0)).unwrap();
    // A tilted one, whose nearest points are at a corner or an edge.
    for normal in [DVec3::new(0.3, -0.2, -1.0), DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 1.0, -1e-3)] {
        let plane = Shape::half_space(normal, 0.0).unwrap();
        let unit = normal.normalize();
        let place = Pose::from_translation(unit * -5000.0).unwrap();
        let gap = distance(&ground, &at(0.0), &plane, &place);
        let heights = large();
        let least = (0..heights.triangle_count() as u32)
            .step_by(2)
            .chain([2 * 1998 * 1999 + 1])
            .filter_map(|k| heights.triangle(k))
            .flatten()
            .map(|v| unit.dot(v) + 5000.0)
            .fold(f64::INFINITY, f64::min);
        assert!((gap.gap.value - least).abs() < 1e-9, "{normal} {gap:?} {least}");
    }
    // A height field is unbounded below, and so is an upward-facing half-space.
    let floor = Shape::half_space(DVec3::new(0.1, 0.0, 1.0), 0.0).unwrap();
    assert!(intersects(&ground, &at(0.0), &floor, &at(-1e6)));
    let (cache, workspace) = (&mut PairCache::default(), &mut Workspace::default());
    let proof = relation_with(&ground, &at(0.0), &floor, &at(-1e6), &RelationOptions::default(), cache, workspace);
    assert_eq!((proof.relation, proof.gap.lower), (Relation::Overlapping, -f64::MAX));
    proof.verify(&ground, &at(0.0), &floor, &at(-1e6)).unwrap();
}

#[test]
fn large_fields_and_each_other() {
    let ground = Shape::HeightField(large());
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    // Above each other: overlapping, at any height.
    let over = at(500.5, -300.25, 50.0);
    assert!(intersects(&ground, &at(0.0, 0.0, 0.0), &ground, &over));
    assert_eq!(distance(&ground, &at(0.0, 0.0, 0.0), &ground, &over).gap.value, 0.0);
    // Side by side: from wall to wall.
    let small = Shape::HeightField(hills());
    let beside = distance(&small, &at(-12.5, 700.0, 0.0), &ground, &at(0.0, 0.0, 0.0));
    assert!((beside.gap.value - 3.0).abs() < 1e-12, "{beside:?}");
    // Upside down above the peak: nearest there.
    let peak = DVec3::new(1234.0, 567.0, 1.0);
    let turned = Pose::from_axis_angle(DVec3::X, std::f64::consts::PI, peak + DVec3::new(-4.75, 4.75, 5.0)).unwrap();
    let above = distance(&ground, &at(0.0, 0.0, 0.0), &small, &turned);
    let brute = (0..hills().triangle_count() as u32)
        .map(|k| {
            let [p, q, r] = hills().triangle(k).unwrap();
            distance(&ground, &at(0.0, 0.0, 0.0), &Shape::triangle(p, q, r).unwrap(), &turned).gap.value
        })
        .fold(f64::INFINITY, f64::min);
    assert!((above.gap.value - brute).abs() < 1e-12 && above.gap.value > 0.0, "{above:?} {brute}");
    above.verify(&ground, &at(0.0, 0.0, 0.0), &small, &turned).unwrap();
    let back = distance(&small, &turned, &ground, &at(0.0, 0.0, 0.0));
    assert_eq!((back.gap.value, back.gap.lower, back.gap.upper), (above.gap.value, above.gap.lower, above.gap.upper));
}

/// On a slope the shortest exit is not straight up, and obstacles lie beside the body.
#[test]
fn exits_from_steep_terrain_are_verified() {
    let heights = (0..3600).map(|k| 1.5 * (k % 60) as f32 + 4.0 * ((k / 60) as f32 * 0.9).sin()).collect();
    let slope = Shape::height_field(60, 60, DVec2::ONE, heights).unwrap();
    let Shape::HeightField(field) = &slope else { unreachable!() };
    let pair = Shape::compound(vec![
        (Pose::IDENTITY, Shape::cuboid(DVec3::new(0.5, 0.4, 0.3)).unwrap()),
        (Pose::from_translation(DVec3::new(0.0, 0.0, 0.8)).unwrap(), Shape::sphere(0.6).unwrap()),
    ]);
    let bodies = [Shape::sphere(0.7).unwrap(), Shape::cuboid(DVec3::new(0.3, 0.6, 0.9)).unwrap(), pair.unwrap()];
    for body in &bodies {
        for (x, y, sunk) in [(30.3, 30.2, 0.2), (20.7, 33.9, 0.9), (41.5, 28.1, 2.5), (30.0, 30.0, 8.0)] {
            let height = field.height_at(x, y).unwrap().height.value;
            let pose = Pose::from_axis_angle(DVec3::new(0.3, 1.0, 0.2), 0.6, DVec3::new(x, y, height - sunk)).unwrap();
            for turned in [false, true] {
                let (a, pose_a, b, pose_b) = if turned {
                    (body, &pose, &slope, &Pose::IDENTITY)
                } else {
                    (&slope, &Pose::IDENTITY, body, &pose)
                };
                let deep = penetration(a, pose_a, b, pose_b).unwrap();
                // Examines all prisms of the field.
                deep.verify(a, pose_a, b, pose_b).unwrap_or_else(|e| panic!("{e}: {deep:?} {body:?} {x} {y} {sunk}"));
                assert!(deep.depth.upper > 0.0 && deep.depth.upper < sunk + 4.0, "{deep:?} {body:?} {x} {y} {sunk}");
                let (cache, workspace) = (&mut PairCache::default(), &mut Workspace::default());
                let proof = relation_with(a, pose_a, b, pose_b, &RelationOptions::default(), cache, workspace);
                assert_eq!(proof.relation, Relation::Overlapping);
                proof.verify(a, pose_a, b, pose_b).unwrap();
            }
        }
    }
}

/// For a large field only some prisms are examined: none that refutes a claim is missed.
#[test]
fn false_claims_about_large_fields_are_refused() {
    let (ground, without) = (Shape::HeightField(large()), Shape::HeightField(plain_with(0.5)));
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    let here = Pose::IDENTITY;
    let refused = |outcome: Result<(), Refusal>| assert!(matches!(outcome, Err(Refusal::Lower { .. })), "{outcome:?}");
    // Claims true for a plain without the peak.
    let (roof, ball) = (Shape::half_space(DVec3::NEG_Z, 0.0).unwrap(), Shape::sphere(0.5).unwrap());
    for (body, pose) in [(&roof, at(0.0, 0.0, 1.5)), (&ball, at(1234.1, 567.2, 2.0)), (&ball, at(1234.2, 567.0, 9.0))] {
        let gap = distance(&without, &here, body, &pose);
        gap.verify(&without, &here, body, &pose).unwrap();
        refused(gap.verify(&ground, &here, body, &pose));
        let gap = distance(body, &pose, &without, &here);
        gap.verify(body, &pose, &without, &here).unwrap();
        refused(gap.verify(body, &pose, &ground, &here));
    }
    // An exit through the solid, longer than straight up.
    let (cache, workspace) = (&mut PairCache::default(), &mut Workspace::default());
    let sunk = at(1000.3, 1000.4, -2.0);
    let mut proof = relation_with(&ground, &here, &ball, &sunk, &RelationOptions::default(), cache, workspace);
    proof.verify(&ground, &here, &ball, &sunk).unwrap();
    (proof.gap.lower, proof.normal) = (-20.0, DVec3::X);
    refused(proof.verify(&ground, &here, &ball, &sunk));
    let mut deep = penetration(&ball, &sunk, &ground, &here).unwrap();
    deep.verify(&ball, &sunk, &ground, &here).unwrap();
    (deep.depth.value, deep.depth.upper, deep.normal) = (20.0, 20.0, DVec3::Y);
    assert!(matches!(deep.verify(&ball, &sunk, &ground, &here), Err(Refusal::Upper { .. })));
    // A height field is unbounded below.
    let floor = Shape::half_space(DVec3::new(0.1, 0.0, 1.0), 0.0).unwrap();
    let below = at(0.0, 0.0, -50.0);
    let mut proof = relation_with(&ground, &here, &floor, &below, &RelationOptions::default(), cache, workspace);
    proof.verify(&ground, &here, &floor, &below).unwrap();
    proof.gap.lower = -1e9;
    refused(proof.verify(&ground, &here, &floor, &below));
    // The peak stands in the way.
    let (small, still) = (Shape::sphere(0.3).unwrap(), Motion::still(here));
    let passing = Motion::translation(at(1200.0, 567.1, 1.2), DVec3::new(100.0, 0.0, -0.9)).unwrap();
    let impact = time_of_impact(&without, &still, &small, &passing).unwrap();
    assert_eq!(impact.verify(&without, &still, &small, &passing), Ok(()));
    let outcome = impact.verify(&ground, &still, &small, &passing);
    assert!(matches!(outcome, Err(Refusal::Before { .. })), "{outcome:?}");
    let still = RigidMotion::still(here);
    let turning =
        |z: f64| RigidMotion::turning(at(1230.0, 567.1, z), DVec3::new(9.0, 0.0, 0.0), DVec3::Z, 1.0).unwrap();
    assert!(rigid_impact(&without, &still, &small, &turning(1.25)).is_err());
    assert_eq!(NoImpact { margin: 0.0, until: 1.0 }.verify(&without, &still, &small, &turning(1.25)), Ok(()));
    assert!(NoImpact { margin: 0.0, until: 1.0 }.verify(&ground, &still, &small, &turning(1.25)).is_err());
}
