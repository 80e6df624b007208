//! The pose of a body: a rotation matrix and a translation, kept bit for bit as given.
//!
//! Every answer refers to the real-number body `R v + t`, so the matrix is never re-orthonormalised. How far it is from
//! a rotation (its *rigidity defect*) is measured once, in double-double, and enters the brackets.

use glam::{DMat3, DQuat, DVec3};

use super::double_double::DoubleDouble;
#[cfg(feature = "serde")]
use super::numbers::{as_they_are, data_form};
use super::tolerances::{INVERSE_ENTRY, MAX_RIGIDITY_DEFECT, SECOND_ORDER, UNIT_ROUNDOFF};
use crate::error::{Error, check_components, check_coordinates};

/// A rigid placement of a body in the world: `world = rotation * body + translation`.
///
/// ```
/// use clearance::{Pose, glam::{DMat3, DVec3}};
///
/// let pose = Pose::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_2, DVec3::new(1.0, 0.0, 0.0)).unwrap();
/// assert!(pose.transform_point(DVec3::X).abs_diff_eq(DVec3::new(1.0, 1.0, 0.0), 1e-15));
/// assert!(pose.defect() < 1e-15);
///
/// let squashed = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.99));
/// assert!(Pose::new(squashed, DVec3::ZERO).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: DMat3,
    translation: DVec3,
    /// The inverse of `rotation`, each entry rounded once; not the transpose unless the defect is zero.
    inverse: DMat3,
    /// Bound on the norm of `inverse - rotation⁻¹`.
    inverse_error: f64,
    /// Bound on the norm of `RᵀR - I`.
    defect: f64,
    /// True when the matrix is the identity.
    unrotated: bool,
}

impl Pose {
    /// The identity: the body stays where it was modelled.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// assert_eq!(Pose::IDENTITY.transform_point(DVec3::ONE), DVec3::ONE);
    /// ```
    pub const IDENTITY: Pose = Pose {
        rotation: DMat3::IDENTITY,
        translation: DVec3::ZERO,
        inverse: DMat3::IDENTITY,
        inverse_error: 0.0,
        defect: 0.0,
        unrotated: true,
    };

    /// A pose from a rotation matrix and a translation, both kept bit for bit.
    ///
    /// # Errors
    /// [`Error::NotRigid`] if `RᵀR` differs from the identity by more than 1e-6 or `R` reflects; [`Error::NotFinite`]
    /// and [`Error::TooLarge`] for invalid coordinates.
    ///
    /// ```
    /// use clearance::{Pose, glam::{DMat3, DVec3}};
    /// let pose = Pose::new(DMat3::IDENTITY, DVec3::X).unwrap();
    /// assert_eq!(pose.translation(), DVec3::X);
    /// ```
    pub fn new(rotation: DMat3, translation: DVec3) -> Result<Pose, Error> {
        for (index, column) in [rotation.x_axis, rotation.y_axis, rotation.z_axis].into_iter().enumerate() {
            check_coordinates("rotation column", index, column)?;
        }
        check_components("translation", translation)?;
        let residual = gram_residual(&rotation);
        let norm = frobenius(&residual);
        let defect = if norm == 0.0 { 0.0 } else { norm * SECOND_ORDER + 1e-30 };
        let not_rigid = |defect| Error::NotRigid { defect, limit: MAX_RIGIDITY_DEFECT };
        if defect.is_nan() || defect > MAX_RIGIDITY_DEFECT {
            return Err(not_rigid(defect));
        }
        if rotation.determinant() < 0.0 {
            return Err(not_rigid(f64::INFINITY));
        }
        Ok(Pose::measured(rotation, translation, residual, defect))
    }

    /// A pose composed of valid ones. Its defect is measured and may exceed the limit for poses given by the caller:
    /// the defects of the factors add up.
    pub(crate) fn composed(rotation: DMat3, translation: DVec3) -> Pose {
        let residual = gram_residual(&rotation);
        let norm = frobenius(&residual);
        let defect = if norm == 0.0 { 0.0 } else { norm * SECOND_ORDER + 1e-30 };
        Pose::measured(rotation, translation, residual, defect)
    }

    /// The world pose of a part that has the pose `part` in the frame of a body at this pose.
    pub(crate) fn carrying(&self, part: &Pose) -> Pose {
        if *part == Pose::IDENTITY {
            return *self;
        }
        Pose::composed(self.rotation() * part.rotation(), self.transform_point(part.translation()))
    }

    fn measured(rotation: DMat3, translation: DVec3, residual: DMat3, defect: f64) -> Pose {
        let unrotated = rotation == DMat3::IDENTITY;
        let transpose = rotation.transpose();
        if defect == 0.0 {
            return Pose { rotation, translation, inverse: transpose, inverse_error: 0.0, defect, unrotated };
        }
        // R⁻¹ = (I + E)⁻¹ Rᵀ with E = RᵀR - I, and (I + E)⁻¹ = I - E + E² up to |E|³.
        let correction = residual * residual - residual;
        let inverse = transpose + correction * transpose;
        let inverse_error =
            (INVERSE_ENTRY + 16.0 * UNIT_ROUNDOFF * defect + 1.8 * defect * defect * defect) * SECOND_ORDER;
        Pose { rotation, translation, inverse, inverse_error, defect, unrotated }
    }

    /// A pose from the three rows of a 3x4 matrix `[R | t]`.
    ///
    /// # Errors
    /// As [`Pose::new`].
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// let pose = Pose::from_rows([[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0]]).unwrap();
    /// assert_eq!(pose.translation(), DVec3::new(5.0, 6.0, 7.0));
    /// ```
    pub fn from_rows(rows: [[f64; 4]; 3]) -> Result<Pose, Error> {
        let column = |k: usize| DVec3::new(rows[0][k], rows[1][k], rows[2][k]);
        Pose::new(DMat3::from_cols(column(0), column(1), column(2)), column(3))
    }

    /// A pose from the rows of a 4x4 matrix, the last of which must be 0 0 0 1.
    #[cfg(any(feature = "mint", feature = "nalgebra"))]
    pub(super) fn from_homogeneous(rows: [[f64; 4]; 3], bottom: [f64; 4]) -> Result<Pose, Error> {
        if let Some(index) = bottom.iter().position(|x| !x.is_finite()) {
            return Err(Error::NotFinite { what: "number of the bottom row", index });
        }
        let [x, y, z, w] = bottom;
        let off = [x, y, z, w - 1.0].map(f64::abs).into_iter().fold(0.0, f64::max);
        if off > 0.0 {
            return Err(Error::NotRigid { defect: off, limit: 0.0 });
        }
        Pose::from_rows(rows)
    }

    /// The three rows of the matrix `[R | t]`.
    #[cfg(any(feature = "mint", feature = "nalgebra"))]
    pub(super) fn rows(&self) -> [[f64; 4]; 3] {
        let (r, t) = (self.rotation, self.translation);
        [0, 1, 2].map(|k| [r.x_axis[k], r.y_axis[k], r.z_axis[k], t[k]])
    }

    /// The unit quaternion nearest the rotation, rounded.
    #[cfg(any(feature = "mint", feature = "nalgebra"))]
    pub(super) fn unit_quaternion(&self) -> DQuat {
        DQuat::from_mat3(&self.rotation).normalize()
    }

    /// A pose from a quaternion, converted once to the matrix that then defines the pose.
    ///
    /// The conversion divides by the squared length, so a quaternion that is only nearly of unit length still gives a
    /// matrix with a defect of rounding size.
    ///
    /// # Errors
    /// [`Error::NotRigid`] if the length of the quaternion is off 1 by more than 1e-6; else as [`Pose::new`].
    ///
    /// ```
    /// use clearance::{Pose, glam::{DQuat, DVec3}};
    /// let pose = Pose::from_quat(DQuat::from_rotation_x(0.3), DVec3::ZERO).unwrap();
    /// assert!(pose.defect() < 1e-15);
    /// ```
    pub fn from_quat(rotation: DQuat, translation: DVec3) -> Result<Pose, Error> {
        let [x, y, z, w] = rotation.to_array();
        if let Some(index) = [x, y, z, w].iter().position(|c| !c.is_finite()) {
            return Err(Error::NotFinite { what: "quaternion", index });
        }
        let squared = x * x + y * y + z * z + w * w;
        let off = (squared.sqrt() - 1.0).abs();
        if off > MAX_RIGIDITY_DEFECT {
            return Err(Error::NotRigid { defect: off, limit: MAX_RIGIDITY_DEFECT });
        }
        let s = 2.0 / squared;
        let matrix = DMat3::from_cols(
            DVec3::new(1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)),
            DVec3::new(s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)),
            DVec3::new(s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)),
        );
        Pose::new(matrix, translation)
    }

    /// A pure translation.
    ///
    /// # Errors
    /// [`Error::NotFinite`] and [`Error::TooLarge`].
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// assert!(Pose::from_translation(DVec3::new(f64::NAN, 0.0, 0.0)).is_err());
    /// ```
    pub fn from_translation(translation: DVec3) -> Result<Pose, Error> {
        Pose::new(DMat3::IDENTITY, translation)
    }

    /// A rotation by `angle` (radians, right-handed) about `axis`, followed by a translation. The axis need not be of
    /// unit length; a zero axis is an error.
    ///
    /// # Errors
    /// [`Error::NotPositive`] for an axis of zero length; else as [`Pose::new`].
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// let pose = Pose::from_axis_angle(DVec3::new(0.0, 0.0, 9.0), 1.0, DVec3::ZERO).unwrap();
    /// assert!((pose.transform_point(DVec3::X).y - 1f64.sin()).abs() < 1e-15);
    /// ```
    pub fn from_axis_angle(axis: DVec3, angle: f64, translation: DVec3) -> Result<Pose, Error> {
        check_components("axis", axis)?;
        check_coordinates("angle", 0, DVec3::splat(angle))?;
        let scaled = axis / axis.abs().max_element().max(f64::MIN_POSITIVE);
        let Some(unit) = scaled.try_normalize() else {
            return Err(Error::NotPositive { what: "length of the axis", value: axis.length() });
        };
        Pose::from_quat(DQuat::from_axis_angle(unit, angle), translation)
    }

    /// The rotation matrix, as given.
    #[must_use]
    pub fn rotation(&self) -> DMat3 {
        self.rotation
    }

    /// The translation, as given.
    #[must_use]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// The rigidity defect: a bound on the norm of `RᵀR - I`. Lengths in the world are those in the body's frame times
    /// a factor between `1 - defect` and `1 + defect`.
    #[must_use]
    pub fn defect(&self) -> f64 {
        self.defect
    }

    /// True when the rotation matrix is the identity.
    pub(crate) fn is_unrotated(&self) -> bool {
        self.unrotated
    }

    /// The inverse of the rotation matrix, each entry rounded once.
    pub(crate) fn inverse_rotation(&self) -> DMat3 {
        self.inverse
    }

    /// Bound on the norm of the difference between [`Pose::inverse_rotation`] and the true inverse.
    pub(crate) fn inverse_error(&self) -> f64 {
        self.inverse_error
    }

    /// A point of the body, in the world: `R v + t`, rounded.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// let pose = Pose::from_translation(DVec3::X).unwrap();
    /// assert_eq!(pose.transform_point(DVec3::Y), DVec3::new(1.0, 1.0, 0.0));
    /// ```
    #[must_use]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// A point of the world, in the body's frame, rounded.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// let pose = Pose::from_translation(DVec3::X).unwrap();
    /// assert_eq!(pose.inverse_transform_point(DVec3::X), DVec3::ZERO);
    /// ```
    #[must_use]
    pub fn inverse_transform_point(&self, point: DVec3) -> DVec3 {
        self.inverse * (point - self.translation)
    }

    /// The pose a fraction `s` of the way along the screw motion from `self` to `other`: a rotation about a fixed axis
    /// together with a proportional slide along it, the shorter way around. `s` may lie outside `[0, 1]`.
    ///
    /// At `s = 0` and `s = 1` the result is bit-equal to the ends. When the two poses are half a turn apart, the
    /// quaternions of the two rotations determine the axis.
    ///
    /// # Errors
    /// [`Error::NotFinite`] or [`Error::TooLarge`] when `s` is not finite or takes the body out of range.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// let from = Pose::IDENTITY;
    /// let to = Pose::from_axis_angle(DVec3::Z, 1.0, DVec3::new(0.0, 0.0, 2.0)).unwrap();
    /// let half = from.interpolate(&to, 0.5).unwrap();
    /// assert!((half.translation().z - 1.0).abs() < 1e-15);
    /// assert!((half.transform_point(DVec3::X).y - 0.5f64.sin()).abs() < 1e-15);
    /// ```
    pub fn interpolate(&self, other: &Pose, s: f64) -> Result<Pose, Error> {
        if s == 0.0 || self == other {
            return Ok(*self);
        }
        if s == 1.0 {
            return Ok(*other);
        }
        check_coordinates("fraction", 0, DVec3::splat(s))?;
        // Relative motion in the frame of `self`: x -> Q x + d.
        let relative = DQuat::from_mat3(&(self.inverse * other.rotation)).normalize();
        let relative = if relative.w < 0.0 { -relative } else { relative };
        let d = self.inverse * (other.translation - self.translation);
        let imaginary = DVec3::new(relative.x, relative.y, relative.z);
        let sine = imaginary.length();
        let rotation_start = DQuat::from_mat3(&self.rotation).normalize();
        if sine == 0.0 {
            return Pose::new(self.rotation, self.translation + self.rotation * (d * s));
        }
        let axis = imaginary / sine;
        let angle = 2.0 * sine.atan2(relative.w);
        let turn = DQuat::from_axis_angle(axis, angle * s);
        // d = slide along the axis + (I - Q) c, with c the foot of the axis. With the perpendicular part p of d,
        // c = (p + cot(angle/2) axis x p) / 2, so (I - Q_s) c needs no division by a small angle except through
        // sin(angle s / 2) / sin(angle / 2), which is smooth.
        let slide = axis * axis.dot(d);
        let across = d - slide;
        let half = 0.5 * angle;
        let ratio = (half * s).sin() / half.sin();
        // (I - Q_s) c = ratio * rotation of `across` by (angle s - angle) / 2 about the axis.
        let moved = DQuat::from_axis_angle(axis, half * (s - 1.0)) * across * ratio;
        let translation = self.translation + self.rotation * (slide * s + moved);
        Pose::from_quat((rotation_start * turn).normalize(), translation)
    }

    /// The same rotation with another translation, which must be valid.
    pub(crate) fn moved_to(&self, translation: DVec3) -> Pose {
        Pose { translation, ..*self }
    }

    /// The bits of the pose, for the total order of bodies that decides whose frame a query works in.
    pub(crate) fn bits(&self) -> [u64; 12] {
        let r = self.rotation.to_cols_array();
        let t = self.translation.to_array();
        std::array::from_fn(|k| if k < 9 { r[k].to_bits() } else { t[k - 9].to_bits() })
    }
}

// The rotation by rows. Derived quantities are recomputed, to the same bits.
#[cfg(feature = "serde")]
data_form!(Pose { rotation: DMat3, translation: DVec3 }, |pose| (pose.rotation, pose.translation), Pose::new,);
#[cfg(feature = "serde")]
as_they_are!(Pose);

/// `RᵀR - I`, each entry formed in double-double and rounded once.
fn gram_residual(rotation: &DMat3) -> DMat3 {
    let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    let entry = |i: usize, j: usize| {
        let (p, q) = (columns[i], columns[j]);
        let sum = DoubleDouble::from_product(p.x, q.x)
            + DoubleDouble::from_product(p.y, q.y)
            + DoubleDouble::from_product(p.z, q.z)
            - DoubleDouble::from(if i == j { 1.0 } else { 0.0 });
        sum.to_f64()
    };
    DMat3::from_cols(
        DVec3::new(entry(0, 0), entry(1, 0), entry(2, 0)),
        DVec3::new(entry(0, 1), entry(1, 1), entry(2, 1)),
        DVec3::new(entry(0, 2), entry(1, 2), entry(2, 2)),
    )
}

fn frobenius(matrix: &DMat3) -> f64 {
    matrix.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit_quaternion() -> impl Strategy<Value = DQuat> {
        prop::array::uniform4(-1.0..1.0f64)
            .prop_filter("long enough to normalise", |q| q.iter().map(|x| x * x).sum::<f64>() > 1e-3)
            .prop_map(|q| DQuat::from_array(q).normalize())
    }

    fn vector(size: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
    }

    #[test]
    fn reflections_scale_and_nan_are_refused() {
        let mirror = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
        assert!(matches!(Pose::new(mirror, DVec3::ZERO), Err(Error::NotRigid { defect: f64::INFINITY, .. })));
        let scale = DMat3::from_diagonal(DVec3::splat(1.0 + 1e-6));
        assert!(matches!(Pose::new(scale, DVec3::ZERO), Err(Error::NotRigid { .. })));
        let nan = DMat3::from_diagonal(DVec3::new(1.0, f64::NAN, 1.0));
        assert_eq!(Pose::new(nan, DVec3::ZERO), Err(Error::NotFinite { what: "rotation column", index: 1 }));
        assert!(matches!(
            Pose::from_translation(DVec3::new(0.0, 1e61, 0.0)),
            Err(Error::TooLarge { what: "translation", .. })
        ));
        assert!(Pose::from_quat(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.1), DVec3::ZERO).is_err());
        assert!(Pose::from_quat(DQuat::from_xyzw(0.0, f64::NAN, 0.0, 1.0), DVec3::ZERO).is_err());
        assert!(Pose::from_axis_angle(DVec3::ZERO, 1.0, DVec3::ZERO).is_err());
    }

    #[test]
    fn small_defect_is_kept_and_reported() {
        let off = DMat3::from_diagonal(DVec3::new(1.0 + 1e-10, 1.0, 1.0));
        let pose = Pose::new(off, DVec3::ZERO).unwrap();
        assert_eq!(pose.rotation(), off);
        assert!(pose.defect() >= 2e-10 && pose.defect() < 2.1e-10);
        // The stored inverse is the inverse, not the transpose.
        assert!((pose.inverse_rotation().x_axis.x * (1.0 + 1e-10) - 1.0).abs() <= 2.0 * UNIT_ROUNDOFF);
    }

    proptest! {
        #[test]
        fn screw_interpolation_is_a_one_parameter_group(
            q0 in unit_quaternion(), q1 in unit_quaternion(), t0 in vector(10.0), t1 in vector(10.0), s in 0.01..0.99f64
        ) {
            let from = Pose::from_quat(q0, t0).unwrap();
            let to = Pose::from_quat(q1, t1).unwrap();
            let turn = DQuat::from_mat3(&(from.inverse * to.rotation)).w.abs();
            prop_assume!(turn > 1e-3);
            // Going to s and then the rest of the way ends where the motion ends.
            let middle = from.interpolate(&to, s).unwrap();
            let quarter = from.interpolate(&to, 0.5 * s).unwrap();
            let same = from.interpolate(&middle, 0.5).unwrap();
            for point in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
                let a = quarter.transform_point(point);
                let b = same.transform_point(point);
                prop_assert!((a - b).length() < 1e-11, "{a} {b}");
            }
            let rest = middle.interpolate(&to, 0.5).unwrap();
            let direct = from.interpolate(&to, 0.5 * (s + 1.0)).unwrap();
            for point in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
                let a = rest.transform_point(point);
                let b = direct.transform_point(point);
                prop_assert!((a - b).length() < 1e-10, "{a} {b}");
            }
            // The ends are bit-equal.
            prop_assert_eq!(from.interpolate(&to, 0.0).unwrap(), from);
            prop_assert_eq!(from.interpolate(&to, 1.0).unwrap(), to);
        }

        #[test]
        fn the_stored_inverse_is_within_its_bound(q in unit_quaternion(), shear in -1e-7..1e-7f64) {
            let mut matrix = DMat3::from_quat(q);
            matrix.x_axis.y += shear;
            let pose = Pose::new(matrix, DVec3::ZERO).unwrap();
            let mut product = DMat3::ZERO;
            for j in 0..3 {
                for i in 0..3 {
                    let sum = (0..3).fold(DoubleDouble::from(0.0), |sum, k| {
                        sum + DoubleDouble::from_product(pose.inverse.col(k)[i], matrix.col(j)[k])
                    });
                    product.col_mut(j)[i] = (sum - DoubleDouble::from(f64::from(i == j))).to_f64();
                }
            }
            // |R⁻¹ R - I| <= |error| |R|.
            prop_assert!(frobenius(&product) <= pose.inverse_error() * (1.0 + 1e-6), "{:e}", frobenius(&product));
        }
    }
}
