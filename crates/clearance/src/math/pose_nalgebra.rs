//! Conversions between poses and the isometries and matrices of `nalgebra`.

use glam::{DMat3, DQuat, DVec3};
use nalgebra::{Isometry3, IsometryMatrix3, Matrix3, Matrix4, Quaternion, Rotation3, Translation3, UnitQuaternion};

use super::pose::Pose;
use crate::error::Error;

impl TryFrom<Isometry3<f64>> for Pose {
    type Error = Error;

    /// The translation is kept bit for bit; the rotation is converted once, as by [`Pose::from_quat`], to the matrix
    /// that then defines the pose.
    ///
    /// Points and vectors of `nalgebra` become those of `glam`, and back, via arrays:
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// use nalgebra::{Isometry3, Point3, Vector3};
    /// let isometry = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.0, 0.0, 0.5));
    /// let pose = Pose::try_from(isometry)?;
    /// let point = Point3::new(1.0, 1.0, 1.0);
    /// let moved = pose.transform_point(DVec3::from(<[f64; 3]>::from(point)));
    /// assert!((Point3::from(moved.to_array()) - isometry * point).norm() < 1e-15);
    /// assert!((Isometry3::from(pose).rotation.angle() - 0.5).abs() < 1e-15);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    fn try_from(isometry: Isometry3<f64>) -> Result<Pose, Error> {
        let [x, y, z, w]: [f64; 4] = isometry.rotation.into_inner().coords.into();
        Pose::from_quat(DQuat::from_xyzw(x, y, z, w), DVec3::from_array(isometry.translation.vector.into()))
    }
}

impl TryFrom<IsometryMatrix3<f64>> for Pose {
    type Error = Error;

    /// The matrix and the translation are kept bit for bit; a matrix that is not a rotation is refused.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// let pose = Pose::from_axis_angle(DVec3::Y, 0.3, DVec3::X)?;
    /// assert_eq!(Pose::try_from(nalgebra::IsometryMatrix3::from(pose))?, pose);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    fn try_from(isometry: IsometryMatrix3<f64>) -> Result<Pose, Error> {
        let columns: [[f64; 3]; 3] = isometry.rotation.into_inner().into();
        Pose::new(DMat3::from_cols_array_2d(&columns), DVec3::from_array(isometry.translation.vector.into()))
    }
}

impl TryFrom<Matrix4<f64>> for Pose {
    type Error = Error;

    /// The matrix is kept bit for bit. Refused unless the last row is 0 0 0 1 and the 3x3 part is a rotation.
    ///
    /// ```
    /// use clearance::{Error, Pose, glam::DVec3};
    /// let pose = Pose::from_axis_angle(DVec3::Y, 0.3, DVec3::X)?;
    /// let matrix = nalgebra::Matrix4::from(pose);
    /// assert_eq!(Pose::try_from(matrix)?, pose);
    /// assert!(matches!(Pose::try_from(2.0 * matrix), Err(Error::NotRigid { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    fn try_from(matrix: Matrix4<f64>) -> Result<Pose, Error> {
        let [x, y, z, bottom]: [[f64; 4]; 4] = matrix.transpose().into();
        Pose::from_homogeneous([x, y, z], bottom)
    }
}

impl From<Pose> for Isometry3<f64> {
    /// The translation bit for bit, and the unit quaternion of the rotation, rounded: off by some 1e-16 plus the
    /// matrix's own deviation from a rotation.
    fn from(pose: Pose) -> Isometry3<f64> {
        let rotation = pose.unit_quaternion();
        let rotation = Quaternion::new(rotation.w, rotation.x, rotation.y, rotation.z);
        Isometry3::from_parts(translation(&pose), UnitQuaternion::new_unchecked(rotation))
    }
}

impl From<Pose> for IsometryMatrix3<f64> {
    /// Bit for bit.
    fn from(pose: Pose) -> IsometryMatrix3<f64> {
        let rotation = Matrix3::from(pose.rotation().to_cols_array_2d());
        IsometryMatrix3::from_parts(translation(&pose), Rotation3::from_matrix_unchecked(rotation))
    }
}

impl From<Pose> for Matrix4<f64> {
    /// Bit for bit.
    fn from(pose: Pose) -> Matrix4<f64> {
        let [x, y, z] = pose.rows();
        Matrix4::from([x, y, z, [0.0, 0.0, 0.0, 1.0]]).transpose()
    }
}

macro_rules! by_reference {
    ($($type:ty),+) => {
        $(impl From<&Pose> for $type {
            /// As for the pose by value.
            fn from(pose: &Pose) -> $type {
                (*pose).into()
            }
        })+
    };
}

by_reference!(Isometry3<f64>, IsometryMatrix3<f64>, Matrix4<f64>);

fn translation(pose: &Pose) -> Translation3<f64> {
    Translation3::from(pose.translation().to_array())
}
