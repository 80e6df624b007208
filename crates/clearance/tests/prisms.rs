//! Height fields in questions about two bodies: against distances to every triangle.

use clearance::glam::{DVec2, DVec3};
use clearance::{Error, HeightField, Pose, Relation, Shape, distance, intersects, penetration, relation, verify};

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
                    distance(&Shape::triangle(p, q, r).unwrap(), &tilted, body, &pose).value
                })
                .fold(f64::INFINITY, f64::min);
            // Beside the field a wall of the ground may be nearer than its surface.
            assert!(answer.value <= nearest + 1e-12 && answer.value > 0.0, "{body:?} {answer:?} {nearest}");
            assert!(x < 0.0 || (answer.value - nearest).abs() < 1e-12, "{body:?} {answer:?} {nearest}");
            verify(&answer, &ground, &tilted, body, &pose).unwrap();
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
    assert!(deep.lower <= 0.2 && 0.2 <= deep.upper && deep.upper < 0.2 + 1e-6, "{deep:?}");
    assert!((deep.normal - DVec3::Z).length() < 1e-9, "{deep:?}");
    let buried = Pose::from_translation(DVec3::new(5.2, 5.3, -3.0)).unwrap();
    assert!(intersects(&flat, &Pose::IDENTITY, &ball, &buried));
    assert_eq!(distance(&flat, &Pose::IDENTITY, &ball, &buried).value, 0.0);
    assert_eq!(penetration(&flat, &Pose::IDENTITY, &flat, &sunk), Err(Error::Unbounded));
}

#[test]
fn the_ground_has_no_bottom() {
    let ground = Shape::HeightField(hills());
    let at = |z: f64| Pose::from_translation(DVec3::new(0.0, 0.0, z)).unwrap();
    let floor = Shape::half_space(DVec3::new(0.1, 0.0, 1.0), 0.0).unwrap();
    assert!(intersects(&ground, &at(0.0), &floor, &at(-1e6)));
    let roof = Shape::half_space(DVec3::NEG_Z, 0.0).unwrap();
    let answer = distance(&ground, &at(0.0), &roof, &at(10.0));
    let top = hills().surface_bounds().max.z;
    assert!((answer.value - (10.0 - top)).abs() < 1e-12, "{answer:?}");
    // Ground far below ground is in it.
    assert!(intersects(&ground, &at(0.0), &ground, &at(-1e4)));
    // As large as bodies may be.
    let huge = Shape::sphere(1e60).unwrap();
    assert!(intersects(&ground, &at(0.0), &huge, &at(0.0)));
}
