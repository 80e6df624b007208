//! Conversions between poses and the types of `mint`, which most maths libraries support.

use glam::{DQuat, DVec3};
use mint::{ColumnMatrix4, Quaternion, RowMatrix4, Vector3, Vector4};

use super::pose::Pose;
use crate::error::Error;

impl TryFrom<RowMatrix4<f64>> for Pose {
    type Error = Error;

    /// The matrix is kept bit for bit. Refused unless the last row is 0 0 0 1 and the 3x3 part is a rotation.
    ///
    /// ```
    /// use clearance::{Error, Pose, glam::DVec3};
    /// let mut rows = [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0], [0.0, 0.0, 0.0, 1.0]];
    /// let pose = Pose::try_from(mint::RowMatrix4::from(rows))?;
    /// assert_eq!(pose.translation(), DVec3::new(5.0, 6.0, 7.0));
    /// assert_eq!(<[[f64; 4]; 4]>::from(mint::RowMatrix4::from(pose)), rows);
    /// rows[3] = [0.0, 0.0, 0.0, 2.0];
    /// assert!(matches!(Pose::try_from(mint::RowMatrix4::from(rows)), Err(Error::NotRigid { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    fn try_from(matrix: RowMatrix4<f64>) -> Result<Pose, Error> {
        let [x, y, z, bottom] = <[[f64; 4]; 4]>::from(matrix);
        Pose::from_homogeneous([x, y, z], bottom)
    }
}

impl TryFrom<ColumnMatrix4<f64>> for Pose {
    type Error = Error;

    /// As for a [`RowMatrix4`].
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// let pose = Pose::from_axis_angle(DVec3::Z, 0.3, DVec3::X)?;
    /// let matrix = mint::ColumnMatrix4::from(pose);
    /// assert_eq!((matrix.w.x, matrix.w.w), (1.0, 1.0));
    /// assert_eq!(Pose::try_from(matrix)?, pose);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    fn try_from(matrix: ColumnMatrix4<f64>) -> Result<Pose, Error> {
        let columns = <[[f64; 4]; 4]>::from(matrix);
        let row = |k: usize| columns.map(|column| column[k]);
        Pose::from_homogeneous([row(0), row(1), row(2)], row(3))
    }
}

impl TryFrom<(Vector3<f64>, Quaternion<f64>)> for Pose {
    type Error = Error;

    /// A translation and a rotation, which [`Pose::from_quat`] converts once to the matrix that then defines the pose.
    ///
    /// ```
    /// use clearance::Pose;
    /// let (to, half) = (mint::Vector3 { x: 1.0, y: 2.0, z: 3.0 }, 0.5f64.sqrt());
    /// let quarter = mint::Quaternion { v: mint::Vector3 { x: 0.0, y: 0.0, z: half }, s: half };
    /// let pose = Pose::try_from((to, quarter))?;
    /// assert!((pose.rotation().x_axis.y - 1.0).abs() < 1e-15);
    /// let (to_again, _): (mint::Vector3<f64>, mint::Quaternion<f64>) = pose.into();
    /// assert_eq!(to_again, to);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    fn try_from((translation, rotation): (Vector3<f64>, Quaternion<f64>)) -> Result<Pose, Error> {
        Pose::from_quat(DQuat::from(rotation), DVec3::from(translation))
    }
}

impl From<Pose> for RowMatrix4<f64> {
    /// Bit for bit.
    fn from(pose: Pose) -> RowMatrix4<f64> {
        let [x, y, z] = pose.rows();
        RowMatrix4 { x: x.into(), y: y.into(), z: z.into(), w: Vector4 { x: 0.0, y: 0.0, z: 0.0, w: 1.0 } }
    }
}

impl From<Pose> for ColumnMatrix4<f64> {
    /// Bit for bit.
    fn from(pose: Pose) -> ColumnMatrix4<f64> {
        let r = pose.rotation();
        let column = |v: DVec3, w: f64| v.extend(w).to_array().into();
        ColumnMatrix4 {
            x: column(r.x_axis, 0.0),
            y: column(r.y_axis, 0.0),
            z: column(r.z_axis, 0.0),
            w: column(pose.translation(), 1.0),
        }
    }
}

impl From<Pose> for (Vector3<f64>, Quaternion<f64>) {
    /// The translation bit for bit, and the unit quaternion of the rotation, rounded: off by some 1e-16 plus the
    /// matrix's own deviation from a rotation.
    fn from(pose: Pose) -> (Vector3<f64>, Quaternion<f64>) {
        (pose.translation().into(), pose.unit_quaternion().into())
    }
}
