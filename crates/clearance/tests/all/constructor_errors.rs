//! Input rejected by constructors, with errors that name the element at fault. Nothing is repaired silently.

use std::f64::consts::FRAC_PI_4;

use clearance::glam::{DMat3, DQuat, DVec2, DVec3};
use clearance::shape::{ConvexHull, Cuboid, Sphere};
use clearance::{Error, Pose, Shape};

const NOT_FINITE: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
/// Just above the largest coordinate that is accepted, and far above.
const TOO_LARGE: [f64; 4] = [1.000_000_1e60, -1.000_000_1e60, 1e200, f64::MIN];

/// A cube of nine points, the last one at its centre.
fn cube() -> Vec<[f64; 3]> {
    let corner = |i: u8| [f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)];
    (0..8).map(corner).chain([[0.5, 0.5, 0.5]]).collect()
}

#[test]
fn an_invalid_point_is_named() {
    for index in [0, 3, 8] {
        for axis in 0..3 {
            for number in NOT_FINITE {
                let mut points = cube();
                points[index][axis] = number;
                let expected = Error::NotFinite { what: "point", index };
                assert_eq!(Shape::hull(&points), Err(expected.clone()));
                assert_eq!(Shape::flat_hull(&points), Err(expected.clone()));
                assert_eq!(ConvexHull::new(&points).unwrap_err(), expected);
                assert!(expected.to_string().contains(&format!("point {index}")));
            }
            for value in TOO_LARGE {
                let mut points = cube();
                points[index][axis] = value;
                assert_eq!(Shape::hull(&points), Err(Error::TooLarge { what: "point", index, value }));
                assert_eq!(Shape::flat_hull(&points), Err(Error::TooLarge { what: "point", index, value }));
            }
        }
    }
    // The first of several is named.
    let mut points = cube();
    points[7][2] = f64::NAN;
    points[2][0] = 1e61;
    assert_eq!(Shape::hull(&points), Err(Error::TooLarge { what: "point", index: 2, value: 1e61 }));
}

#[test]
fn the_largest_coordinates_are_accepted() {
    let points: Vec<[f64; 3]> = cube().iter().map(|p| p.map(|x| (2.0 * x - 1.0) * 1e60)).collect();
    assert_eq!(ConvexHull::new(&points).unwrap().vertex_count(), 8);
    assert!(Shape::sphere(1e60).is_ok() && Shape::cuboid(DVec3::splat(1e60)).is_ok());
    assert!(Pose::from_translation(DVec3::new(-1e60, 1e60, 0.0)).is_ok());
}

#[test]
fn a_radius_must_be_positive_and_finite() {
    for value in [0.0, -0.0, -1e-300, -1.0] {
        assert_eq!(Shape::sphere(value), Err(Error::NotPositive { what: "radius", value }));
        assert_eq!(Sphere::new(value), Err(Error::NotPositive { what: "radius", value }));
    }
    for value in NOT_FINITE {
        assert_eq!(Shape::sphere(value), Err(Error::NotFinite { what: "radius", index: 0 }));
    }
    for value in TOO_LARGE {
        assert_eq!(Shape::sphere(value), Err(Error::TooLarge { what: "radius", index: 0, value }));
    }
}

#[test]
fn half_extents_must_be_positive_and_finite() {
    for (axis, name) in ["half extent x", "half extent y", "half extent z"].into_iter().enumerate() {
        let with = |value: f64| {
            let mut half = DVec3::new(1.0, 2.0, 3.0);
            half[axis] = value;
            half
        };
        for value in [0.0, -0.0, -1e-300, -1.0] {
            assert_eq!(Shape::cuboid(with(value)), Err(Error::NotPositive { what: name, value }));
        }
        for value in NOT_FINITE {
            assert_eq!(Cuboid::new(with(value)), Err(Error::NotFinite { what: "half extent", index: axis }));
        }
        for value in TOO_LARGE {
            assert_eq!(Cuboid::new(with(value)), Err(Error::TooLarge { what: "half extent", index: axis, value }));
        }
    }
}

#[test]
fn a_hull_needs_points() {
    assert_eq!(Shape::hull(&[]), Err(Error::NoPoints));
    assert_eq!(Shape::flat_hull(&[]), Err(Error::NoPoints));
}

#[test]
fn a_solid_hull_needs_points_that_span_space() {
    let flat = |points: &[[f64; 3]], dimension: u8| {
        let expected = Error::FlatHull { dimension, points: points.len() };
        assert_eq!(Shape::hull(points), Err(expected.clone()), "{points:?}");
        assert!(expected.to_string().contains(&points.len().to_string()));
        assert_eq!(ConvexHull::flat(points).unwrap().dimension(), dimension, "{points:?}");
    };
    // One point, also many times.
    flat(&[[1.0, 2.0, 3.0]], 0);
    flat(&[[0.1, 0.2, 0.3]; 5], 0);
    flat(&[[0.0, 0.0, 0.0], [-0.0, 0.0, -0.0]], 0);
    // A line: along an axis, along (1, 2, 4) in exact steps, a segment with its ends twice.
    flat(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 0.0, 0.0]], 1);
    let line: Vec<[f64; 3]> = (0..9).map(|i| [0.125, 0.25, 0.5].map(|x| x * f64::from(i))).collect();
    flat(&line, 1);
    flat(&[[0.1, 0.2, 0.3], [0.7, 0.9, 0.4], [0.1, 0.2, 0.3], [0.7, 0.9, 0.4]], 1);
    // A plane: a grid, one across all axes (x + y + z = 1 in dyadic numbers), any triangle, also with a corner twice.
    let grid = |i: i32| [f64::from(i % 4), f64::from(i / 4), 0.1];
    flat(&(0..16).map(grid).collect::<Vec<_>>(), 2);
    let slanted = |i: i32| {
        let (x, y) = (f64::from(i % 5) / 8.0, f64::from(i / 5) / 8.0);
        [x, y, 1.0 - x - y]
    };
    flat(&(0..25).map(slanted).collect::<Vec<_>>(), 2);
    flat(&[[0.1, 0.2, 0.3], [0.7, 0.9, 0.4], [-0.3, 0.5, 0.11]], 2);
    flat(&[[0.1, 0.2, 0.3], [0.7, 0.9, 0.4], [-0.3, 0.5, 0.11], [0.7, 0.9, 0.4]], 2);
}

#[test]
fn flatness_is_decided_exactly() {
    // One point a unit in the last place off the plane makes a solid.
    let mut points = vec![[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]];
    assert!(Shape::hull(&points).is_err());
    points[3][2] = 1f64.next_up();
    assert_eq!(ConvexHull::new(&points).unwrap().dimension(), 3);
    // Also where products underflow.
    let tiny = |z: f64| [[0.0, 0.0, 0.0], [1e-60, 0.0, 0.0], [0.0, 1e-200, 0.0], [1e-60, 1e-200, z]];
    assert_eq!(Shape::hull(&tiny(0.0)), Err(Error::FlatHull { dimension: 2, points: 4 }));
    assert_eq!(ConvexHull::new(&tiny(1e-300)).unwrap().dimension(), 3);
}

#[test]
fn a_matrix_must_be_rigid() {
    let refused = |matrix: DMat3| match Pose::new(matrix, DVec3::ZERO) {
        Err(Error::NotRigid { defect, limit }) => {
            assert!(defect > limit && limit == 1e-6, "{defect} {limit}");
            defect
        }
        other => panic!("{matrix:?}: {other:?}"),
    };
    let turned = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 0.7);
    for matrix in [DMat3::IDENTITY, turned] {
        refused(matrix * 1.000_001);
        refused(matrix * 0.5);
        refused(matrix * 1e60);
        refused(DMat3::ZERO);
        let sheared = DMat3::from_cols(DVec3::X, DVec3::new(1e-5, 1.0, 0.0), DVec3::Z);
        refused(matrix * sheared);
        // A reflection is as far from a rotation as possible.
        let mirror = DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0));
        assert_eq!(refused(matrix * mirror), f64::INFINITY);
        assert_eq!(refused(-matrix), f64::INFINITY);
    }
    // Within the limit the matrix is kept as it is, and its defect known.
    let nearly = DMat3::IDENTITY * (1.0 + 2e-7);
    let pose = Pose::new(nearly, DVec3::ZERO).unwrap();
    assert_eq!(pose.rotation(), nearly);
    assert!(pose.defect() > 4e-7 && pose.defect() < 1e-6);
}

#[test]
fn numbers_of_a_pose_are_named() {
    for column in 0..3 {
        for row in 0..3 {
            for number in NOT_FINITE {
                let mut matrix = DMat3::IDENTITY;
                matrix.col_mut(column)[row] = number;
                let expected = Error::NotFinite { what: "rotation column", index: column };
                assert_eq!(Pose::new(matrix, DVec3::ZERO), Err(expected));
            }
        }
    }
    for axis in 0..3 {
        for number in NOT_FINITE {
            let mut translation = DVec3::ONE;
            translation[axis] = number;
            let expected = Error::NotFinite { what: "translation", index: axis };
            assert_eq!(Pose::from_translation(translation), Err(expected.clone()));
            assert_eq!(Pose::new(DMat3::IDENTITY, translation), Err(expected.clone()));
            assert_eq!(Pose::from_quat(DQuat::IDENTITY, translation), Err(expected.clone()));
            assert_eq!(Pose::from_axis_angle(DVec3::Z, 1.0, translation), Err(expected));
        }
        for value in TOO_LARGE {
            let mut translation = DVec3::ONE;
            translation[axis] = value;
            let expected = Error::TooLarge { what: "translation", index: axis, value };
            assert_eq!(Pose::from_translation(translation), Err(expected));
        }
    }
    let rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, f64::NAN, 0.0], [0.0, 0.0, 1.0, 0.0]];
    assert_eq!(Pose::from_rows(rows), Err(Error::NotFinite { what: "rotation column", index: 2 }));
}

#[test]
fn a_quaternion_must_be_of_unit_length() {
    for index in 0..4 {
        for number in NOT_FINITE {
            let mut parts = [0.0, 0.0, 0.0, 1.0];
            parts[index] = number;
            let refused = Pose::from_quat(DQuat::from_array(parts), DVec3::ZERO);
            assert_eq!(refused, Err(Error::NotFinite { what: "quaternion", index }));
        }
    }
    for length in [0.0, 0.5, 0.999_99, 1.000_01, 2.0, 1e150, 1e300] {
        let quaternion = DQuat::from_array(DQuat::from_rotation_y(FRAC_PI_4).to_array().map(|c| c * length));
        match Pose::from_quat(quaternion, DVec3::ZERO) {
            Err(Error::NotRigid { defect, limit }) => assert!(defect > limit, "{length}: {defect}"),
            other => panic!("{length}: {other:?}"),
        }
    }
    // Nearly of unit length is fine: the conversion divides by it.
    let nearly = DQuat::from_array(DQuat::from_rotation_y(FRAC_PI_4).to_array().map(|c| c * (1.0 + 5e-7)));
    assert!(Pose::from_quat(nearly, DVec3::ZERO).unwrap().defect() < 1e-14);
}

#[test]
fn an_axis_must_have_a_direction() {
    assert_eq!(
        Pose::from_axis_angle(DVec3::ZERO, 1.0, DVec3::ZERO),
        Err(Error::NotPositive { what: "length of the axis", value: 0.0 })
    );
    for index in 0..3 {
        for number in NOT_FINITE {
            let mut axis = DVec3::ONE;
            axis[index] = number;
            let expected = Error::NotFinite { what: "axis", index };
            assert_eq!(Pose::from_axis_angle(axis, 1.0, DVec3::ZERO), Err(expected));
        }
    }
    for number in NOT_FINITE {
        let expected = Error::NotFinite { what: "angle", index: 0 };
        assert_eq!(Pose::from_axis_angle(DVec3::Z, number, DVec3::ZERO), Err(expected));
    }
    // Any length is accepted.
    for length in [5e-324, 1e-300, 1e-10, 1e10, 1e60] {
        let pose = Pose::from_axis_angle(DVec3::new(0.0, length, 0.0), FRAC_PI_4, DVec3::ZERO).unwrap();
        assert!(pose.defect() < 1e-15, "{length}");
    }
}

#[test]
fn lengths_of_curved_bodies_are_named() {
    type Maker = fn(f64, f64) -> Result<Shape, Error>;
    let makers: [Maker; 3] = [Shape::capsule, Shape::cylinder, Shape::cone];
    for make in makers {
        assert!(make(1e60, 1e60).is_ok());
        let both = |value: f64, of: fn(&'static str, f64) -> Error| {
            assert_eq!(make(value, 1.0), Err(of("half length", value)));
            assert_eq!(make(1.0, value), Err(of("radius", value)));
        };
        for value in [0.0, -0.0, -1.0, -1e60] {
            both(value, |what, value| Error::NotPositive { what, value });
        }
        for value in NOT_FINITE {
            both(value, |what, _| Error::NotFinite { what, index: 0 });
        }
        for value in [1.000_000_1e60, 1e200] {
            both(value, |what, value| Error::TooLarge { what, index: 0, value });
        }
    }
    for axis in 0..3 {
        for value in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e61] {
            let mut axes = DVec3::ONE;
            axes[axis] = value;
            assert!(Shape::ellipsoid(axes).is_err(), "{axes}");
        }
    }
    assert!(Shape::ellipsoid(DVec3::splat(1e60)).is_ok());
}

#[test]
fn corners_of_simplices_are_named() {
    for index in 0..4 {
        for axis in 0..3 {
            let with = |value: f64| {
                let mut points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
                points[index][axis] = value;
                points
            };
            let check = |points: [DVec3; 4], expected: &Error| {
                let [a, b, c, _] = points;
                assert_eq!(Shape::tetrahedron(points).as_ref(), Err(expected));
                assert!(index > 2 || Shape::triangle(a, b, c).as_ref() == Err(expected));
                assert!(index > 1 || Shape::segment(a, b).as_ref() == Err(expected));
            };
            for value in NOT_FINITE {
                check(with(value), &Error::NotFinite { what: "point", index });
            }
            for value in TOO_LARGE {
                check(with(value), &Error::TooLarge { what: "point", index, value });
            }
        }
    }
    // Flat and empty ones are bodies.
    assert!(Shape::tetrahedron([DVec3::ONE; 4]).is_ok() && Shape::segment(DVec3::X, DVec3::X).is_ok());
}

#[test]
fn a_plane_needs_a_normal() {
    assert!(Shape::half_space(DVec3::ZERO, 1.0).is_err());
    for value in NOT_FINITE.into_iter().chain(TOO_LARGE) {
        assert!(Shape::half_space(DVec3::new(0.0, value, 1.0), 0.0).is_err());
        assert!(Shape::half_space(DVec3::Z, value).is_err());
    }
}

#[test]
fn only_bounded_convex_bodies_are_rounded_or_joined() {
    let ball = Shape::sphere(1.0).unwrap();
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e61] {
        assert!(Shape::rounded(ball.clone(), value).is_err());
    }
    assert_eq!(Shape::compound(Vec::new()), Err(Error::NoParts));
    let pair = Shape::compound(vec![(Pose::IDENTITY, ball.clone()), (Pose::IDENTITY, ball)]).unwrap();
    let plane = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let field = Shape::height_field(2, 2, DVec2::ONE, vec![0.0; 4]).unwrap();
    for shape in [pair, plane, field] {
        assert!(matches!(Shape::rounded(shape.clone(), 0.1), Err(Error::NotACore { .. })));
        assert!(matches!(Shape::compound(vec![(Pose::IDENTITY, shape)]), Err(Error::NotACore { .. })));
    }
}

#[test]
fn a_height_field_needs_a_grid() {
    let make = |columns, rows, spacing, count: usize| Shape::height_field(columns, rows, spacing, vec![0.0; count]);
    assert!(matches!(make(1, 2, DVec2::ONE, 2), Err(Error::TooFew { what: "columns", .. })));
    assert!(matches!(make(2, 0, DVec2::ONE, 0), Err(Error::TooFew { what: "rows", .. })));
    assert!(matches!(make(2, 2, DVec2::ONE, 3), Err(Error::WrongCount { expected: 4, count: 3, .. })));
    assert!(make(usize::MAX, 2, DVec2::ONE, 4).is_err());
    for value in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e-61, 1e61] {
        assert!(make(2, 2, DVec2::new(value, 1.0), 4).is_err() && make(2, 2, DVec2::new(1.0, value), 4).is_err());
    }
    for height in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let found = Shape::height_field(2, 2, DVec2::ONE, vec![0.0, height, 0.0, 0.0]);
        assert_eq!(found, Err(Error::NotFinite { what: "height", index: 1 }));
    }
}
