//! Vectors and matrices of intervals: boxes of vectors, and rotations by an interval of angles.

use std::ops::{Add, Mul, Neg, Sub};

use glam::{DMat3, DVec3};

use super::Interval;

/// A vector of three intervals: an axis-aligned box of vectors.
///
/// ```
/// use clearance::math::{Interval, IntervalVec3};
/// use glam::DVec3;
/// let v = IntervalVec3::from(DVec3::new(3.0, 4.0, 0.0));
/// assert_eq!(v.norm(), Interval::point(5.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalVec3 {
    /// First component.
    pub x: Interval,
    /// Second component.
    pub y: Interval,
    /// Third component.
    pub z: Interval,
}

impl IntervalVec3 {
    /// The vector 0.
    pub const ZERO: Self = Self { x: Interval::ZERO, y: Interval::ZERO, z: Interval::ZERO };

    /// The vector with these components.
    ///
    /// ```
    /// use clearance::math::{Interval, IntervalVec3};
    /// assert_eq!(IntervalVec3::new(Interval::ZERO, Interval::ZERO, Interval::ZERO), IntervalVec3::ZERO);
    /// ```
    #[inline]
    #[must_use]
    pub fn new(x: Interval, y: Interval, z: Interval) -> Self {
        Self { x, y, z }
    }

    /// The dot product.
    ///
    /// ```
    /// use clearance::math::{Interval, IntervalVec3};
    /// use glam::DVec3;
    /// let v = IntervalVec3::from(DVec3::new(1.0, 2.0, 3.0));
    /// assert!(v.dot(v).contains(14.0));
    /// ```
    #[inline]
    #[must_use]
    pub fn dot(self, other: Self) -> Interval {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The cross product.
    ///
    /// ```
    /// use clearance::math::IntervalVec3;
    /// use glam::DVec3;
    /// let z = IntervalVec3::from(DVec3::X).cross(IntervalVec3::from(DVec3::Y));
    /// assert_eq!(z, IntervalVec3::from(DVec3::Z));
    /// ```
    #[inline]
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Each component times `factor`.
    ///
    /// ```
    /// use clearance::math::{Interval, IntervalVec3};
    /// use glam::DVec3;
    /// let doubled = IntervalVec3::from(DVec3::X).scale(Interval::point(2.0));
    /// assert_eq!(doubled, IntervalVec3::from(2.0 * DVec3::X));
    /// ```
    #[inline]
    #[must_use]
    pub fn scale(self, factor: Interval) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }

    /// The square of the length: a sum of true squares, tighter than the dot product with itself.
    ///
    /// ```
    /// use clearance::math::{Interval, IntervalVec3};
    /// let cube = IntervalVec3::new(Interval::new(-1.0, 1.0), Interval::new(-1.0, 1.0), Interval::new(-1.0, 1.0));
    /// assert_eq!(cube.norm_squared().lo(), 0.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn norm_squared(self) -> Interval {
        self.x.square() + self.y.square() + self.z.square()
    }

    /// The length.
    ///
    /// ```
    /// use clearance::math::{Interval, IntervalVec3};
    /// use glam::DVec3;
    /// assert!(IntervalVec3::from(DVec3::ONE).norm().contains(3.0_f64.sqrt()));
    /// ```
    #[inline]
    #[must_use]
    pub fn norm(self) -> Interval {
        self.norm_squared().sqrt()
    }

    /// Whether `v` lies in the box, faces included.
    ///
    /// ```
    /// use clearance::math::IntervalVec3;
    /// use glam::DVec3;
    /// assert!(IntervalVec3::from(DVec3::X).contains(DVec3::X));
    /// ```
    #[inline]
    #[must_use]
    pub fn contains(self, v: DVec3) -> bool {
        self.x.contains(v.x) && self.y.contains(v.y) && self.z.contains(v.z)
    }

    /// The smallest box that contains both.
    ///
    /// ```
    /// use clearance::math::IntervalVec3;
    /// use glam::DVec3;
    /// let edge = IntervalVec3::from(DVec3::ZERO).hull(IntervalVec3::from(DVec3::X));
    /// assert!(edge.contains(DVec3::new(0.5, 0.0, 0.0)));
    /// ```
    #[inline]
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self::new(self.x.hull(other.x), self.y.hull(other.y), self.z.hull(other.z))
    }

    /// The centre of the box: finite, and inside.
    ///
    /// ```
    /// use clearance::math::IntervalVec3;
    /// use glam::DVec3;
    /// assert_eq!(IntervalVec3::from(DVec3::X).midpoint(), DVec3::X);
    /// ```
    #[inline]
    #[must_use]
    pub fn midpoint(self) -> DVec3 {
        DVec3::new(self.x.midpoint(), self.y.midpoint(), self.z.midpoint())
    }
}

impl From<DVec3> for IntervalVec3 {
    /// The degenerate box of one vector.
    #[inline]
    fn from(v: DVec3) -> Self {
        Self::new(v.x.into(), v.y.into(), v.z.into())
    }
}

impl Add for IntervalVec3 {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for IntervalVec3 {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Neg for IntervalVec3 {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

/// A 3x3 matrix of intervals.
///
/// ```
/// use clearance::math::{IntervalMat3, IntervalVec3};
/// use glam::{DMat3, DVec3};
/// let v = IntervalVec3::from(DVec3::new(0.1, 0.2, 0.3));
/// assert_eq!(IntervalMat3::from(&DMat3::IDENTITY) * v, v);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalMat3 {
    /// The rows, top to bottom (`glam` stores columns).
    pub rows: [IntervalVec3; 3],
}

impl IntervalMat3 {
    /// The rotations by the angles (in radians) in `angle` about `axis`, counter-clockwise seen from its tip:
    /// Rodrigues' formula in intervals.
    ///
    /// The axis may have any length; it is normalised here, in intervals, so the result encloses true rotations. A
    /// zero axis has no direction: every entry is then [-1, 1], which encloses all rotations, or the identity if the
    /// angle is exactly 0.
    ///
    /// ```
    /// use clearance::math::{Interval, IntervalMat3, IntervalVec3};
    /// use glam::DVec3;
    /// let quarter = Interval::PI * Interval::point(0.5);
    /// let turned = IntervalMat3::from_axis_angle(DVec3::Z, quarter) * IntervalVec3::from(DVec3::X);
    /// assert!(turned.contains(DVec3::Y));
    /// assert!(turned.norm().width() < 1.0e-14);
    /// ```
    #[must_use]
    pub fn from_axis_angle(axis: DVec3, angle: Interval) -> Self {
        let axis = IntervalVec3::from(axis);
        let length = axis.norm();
        let unit = |component: Interval| (component / length).intersection(Interval::UNIT).unwrap_or(Interval::UNIT);
        let (x, y, z) = (unit(axis.x), unit(axis.y), unit(axis.z));
        let sine = angle.sin();
        // 1 - cos without cancellation, so that small angles keep their digits.
        let half_sine = (angle * Interval::point(0.5)).sin();
        let versine = half_sine.square() * Interval::point(2.0);
        // An entry of a rotation lies in [-1, 1]; the enclosure does too, up to rounding.
        let entry = |value: Interval| value.intersection(Interval::UNIT).unwrap_or(Interval::UNIT);
        // cos + (1 - cos) x^2 = 1 - (1 - cos) (y^2 + z^2) for a unit axis: the cosine occurs once.
        let diagonal = |p: Interval, q: Interval| entry(Interval::ONE - versine * (p.square() + q.square()));
        let (xy, xz, yz) = (versine * x * y, versine * x * z, versine * y * z);
        let (sine_x, sine_y, sine_z) = (sine * x, sine * y, sine * z);
        Self {
            rows: [
                IntervalVec3::new(diagonal(y, z), entry(xy - sine_z), entry(xz + sine_y)),
                IntervalVec3::new(entry(xy + sine_z), diagonal(x, z), entry(yz - sine_x)),
                IntervalVec3::new(entry(xz - sine_y), entry(yz + sine_x), diagonal(x, y)),
            ],
        }
    }

    /// The transpose: for rotations, the inverse.
    ///
    /// ```
    /// use clearance::math::IntervalMat3;
    /// use glam::DMat3;
    /// let m = DMat3::from_cols_array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    /// assert_eq!(IntervalMat3::from(&m).transpose(), IntervalMat3::from(&m.transpose()));
    /// ```
    #[inline]
    #[must_use]
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.rows;
        Self {
            rows: [
                IntervalVec3::new(a.x, b.x, c.x),
                IntervalVec3::new(a.y, b.y, c.y),
                IntervalVec3::new(a.z, b.z, c.z),
            ],
        }
    }

    /// Whether every entry of `matrix` lies in its interval.
    ///
    /// ```
    /// use clearance::math::IntervalMat3;
    /// use glam::DMat3;
    /// assert!(IntervalMat3::from(&DMat3::IDENTITY).contains(&DMat3::IDENTITY));
    /// ```
    #[inline]
    #[must_use]
    pub fn contains(&self, matrix: &DMat3) -> bool {
        let columns = matrix.transpose();
        self.rows[0].contains(columns.x_axis)
            && self.rows[1].contains(columns.y_axis)
            && self.rows[2].contains(columns.z_axis)
    }
}

impl From<&DMat3> for IntervalMat3 {
    /// The matrix of degenerate intervals.
    #[inline]
    fn from(matrix: &DMat3) -> Self {
        let columns = matrix.transpose();
        Self { rows: [columns.x_axis.into(), columns.y_axis.into(), columns.z_axis.into()] }
    }
}

impl Mul<IntervalVec3> for IntervalMat3 {
    type Output = IntervalVec3;

    #[inline]
    fn mul(self, v: IntervalVec3) -> IntervalVec3 {
        IntervalVec3::new(self.rows[0].dot(v), self.rows[1].dot(v), self.rows[2].dot(v))
    }
}

impl Mul for IntervalMat3 {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let columns = other.transpose();
        Self { rows: self.rows.map(|row| columns * row) }
    }
}
