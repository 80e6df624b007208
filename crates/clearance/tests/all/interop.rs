//! The features `mint` and `nalgebra`: matrices are preserved to the bit, quaternions up to rounding, and non-rigid
//! matrices are rejected.

use clearance::glam::DVec3;
use clearance::{Error, Pose};
use clearance_oracle::random::Random;

use crate::common::random_bodies::{pose, skewed};

/// The error of a matrix entry after conversion to a quaternion and back: at most 32 roundings of numbers up to 2.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Poses with easily lost digits, some with nearly the largest rigidity defect.
fn poses() -> Vec<Pose> {
    let mut random = Random::new(17);
    let mut poses: Vec<Pose> = (0..100).map(|_| pose(&mut random, DVec3::new(-0.0, 1e60, 5e-324))).collect();
    poses.extend((0..100).map(|_| skewed(&mut random, 5e-7, DVec3::new(0.1, -0.3, 1e9))));
    poses.push(Pose::IDENTITY);
    poses
}

/// The difference of the rotations of two poses.
fn turned(a: &Pose, b: &Pose) -> f64 {
    (a.rotation() - b.rotation()).to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max)
}

/// The bits of a pose.
fn bits(pose: &Pose) -> Vec<u64> {
    let numbers = pose.rotation().to_cols_array().into_iter().chain(pose.translation().to_array());
    numbers.chain([pose.defect()]).map(f64::to_bits).collect()
}

/// Rows of 4x4 matrices that are not poses.
fn not_rigid() -> Vec<[[f64; 4]; 4]> {
    let rows = [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0], [0.0, 0.0, 0.0, 1.0]];
    let with = |row: usize, column: usize, value: f64| {
        let mut rows = rows;
        rows[row][column] = value;
        rows
    };
    vec![
        with(0, 0, 1.001),
        with(2, 2, -1.0),
        with(0, 1, f64::NAN),
        with(1, 3, f64::INFINITY),
        with(1, 3, 1e61),
        with(3, 0, 1e-300),
        with(3, 2, f64::NAN),
        with(3, 3, 1.0f64.next_up()),
        with(3, 3, f64::INFINITY),
    ]
}

#[cfg(feature = "mint")]
mod with_mint {
    use clearance::glam::DVec3;
    use mint::{ColumnMatrix4, Quaternion, RowMatrix4, Vector3};

    use super::*;

    #[test]
    fn matrices_are_kept_to_the_bit() {
        for pose in poses() {
            let rows = RowMatrix4::from(pose);
            assert_eq!(bits(&Pose::try_from(rows).unwrap()), bits(&pose));
            let columns = ColumnMatrix4::from(pose);
            assert_eq!(bits(&Pose::try_from(columns).unwrap()), bits(&pose));
            assert_eq!([rows.x.w, rows.y.w, rows.z.w], pose.translation().to_array());
            assert_eq!([columns.x.y, rows.y.x], [pose.rotation().x_axis.y; 2]);
            assert_eq!([rows.w.x, rows.w.y, rows.w.z, rows.w.w], [columns.x.w, columns.y.w, columns.z.w, columns.w.w]);
        }
    }

    #[test]
    fn quaternions_are_kept_to_rounding() {
        for pose in poses() {
            let parts: (Vector3<f64>, Quaternion<f64>) = pose.into();
            let again = Pose::try_from(parts).unwrap();
            assert_eq!(again.translation(), pose.translation());
            assert!(again.defect() < ROUNDING && turned(&again, &pose) <= 2.0 * pose.defect() + ROUNDING);
        }
        let to = Vector3::from(DVec3::ONE);
        let long = Quaternion { v: to, s: 1.0 };
        assert!(matches!(Pose::try_from((to, long)), Err(Error::NotRigid { .. })));
        let turn = Quaternion { v: Vector3::from(DVec3::ZERO), s: f64::NAN };
        assert_eq!(Pose::try_from((to, turn)), Err(Error::NotFinite { what: "quaternion", index: 3 }));
    }

    #[test]
    fn non_rigid_matrices_are_rejected() {
        for rows in not_rigid() {
            let by_rows = Pose::try_from(RowMatrix4::from(rows)).unwrap_err();
            let columns = [0, 1, 2, 3].map(|k| rows.map(|row| row[k]));
            assert_eq!(format!("{:?}", Pose::try_from(ColumnMatrix4::from(columns))), format!("Err({by_rows:?})"));
        }
    }
}

#[cfg(feature = "nalgebra")]
mod with_nalgebra {
    use nalgebra::{Isometry3, IsometryMatrix3, Matrix4, Point3, Quaternion, Translation3, UnitQuaternion};

    use super::*;

    #[test]
    fn matrices_are_kept_to_the_bit() {
        for pose in poses() {
            assert_eq!(bits(&Pose::try_from(Matrix4::from(&pose)).unwrap()), bits(&pose));
            assert_eq!(bits(&Pose::try_from(IsometryMatrix3::from(&pose)).unwrap()), bits(&pose));
            let matrix = Matrix4::from(pose);
            assert_eq!(matrix, IsometryMatrix3::from(pose).to_homogeneous());
            assert_eq!(matrix[(1, 0)], pose.rotation().x_axis.y);
        }
    }

    #[test]
    fn quaternions_are_kept_to_rounding() {
        for pose in poses() {
            let isometry = Isometry3::from(&pose);
            assert!((isometry.rotation.norm() - 1.0).abs() < 1e-15);
            let again = Pose::try_from(isometry).unwrap();
            assert_eq!(again.translation(), pose.translation());
            assert!(again.defect() < ROUNDING && turned(&again, &pose) <= 2.0 * pose.defect() + ROUNDING);
        }
        let near = Pose::from_axis_angle(DVec3::new(1.0, -2.0, 3.0), 2.0, DVec3::new(0.1, 0.2, 0.3)).unwrap();
        let moved = Isometry3::from(near) * Point3::new(1.0, 2.0, 3.0);
        assert!(
            near.transform_point(DVec3::new(1.0, 2.0, 3.0)).abs_diff_eq(DVec3::from(<[f64; 3]>::from(moved)), 1e-14)
        );
        let long = UnitQuaternion::new_unchecked(Quaternion::new(1.0, 1.0, 0.0, 0.0));
        let isometry = Isometry3::from_parts(Translation3::identity(), long);
        assert!(matches!(Pose::try_from(isometry), Err(Error::NotRigid { .. })));
    }

    #[test]
    fn non_rigid_matrices_are_rejected() {
        for rows in not_rigid() {
            let matrix = Matrix4::from(rows).transpose();
            assert!(Pose::try_from(matrix).is_err(), "{matrix}");
        }
    }
}
