//! Axis-aligned boxes.

use glam::DVec3;

use super::extent::rounded_up_length;
use super::sealed::Sealed;
use super::{Bound, Fit, RelativePose, longest_first, turned_back};
use crate::math::pose::Pose;
use crate::math::tolerances::{BOUND_PRODUCT, UNIT_ROUNDOFF};

/// An axis-aligned box, closed.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::shape::Aabb;
///
/// let unit = Aabb::new(DVec3::ZERO, DVec3::ONE);
/// assert!(unit.contains(DVec3::ONE));
/// assert!(unit.overlaps(&Aabb::new(DVec3::ONE, DVec3::splat(2.0))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub min: DVec3,
    /// The corner with the largest coordinates.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub max: DVec3,
}

impl Aabb {
    /// The empty box: the identity of a union.
    ///
    /// ```
    /// use clearance::glam::DVec3;
    /// use clearance::shape::Aabb;
    /// assert_eq!(Aabb::EMPTY.including(DVec3::X), Aabb::new(DVec3::X, DVec3::X));
    /// ```
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box between two corners.
    #[must_use]
    pub fn new(min: DVec3, max: DVec3) -> Aabb {
        Aabb { min, max }
    }

    /// The smallest box containing this one and a point.
    #[must_use]
    pub fn including(&self, point: DVec3) -> Aabb {
        Aabb { min: self.min.min(point), max: self.max.max(point) }
    }

    /// True when the point lies in the box or on its boundary.
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// True when the two boxes share a point.
    #[must_use]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// A bounding box of this one moved by a pose, rounded outward.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3};
    /// use clearance::shape::Aabb;
    /// let turned = Pose::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_4, DVec3::X)?;
    /// let bounds = Aabb::new(DVec3::NEG_ONE, DVec3::ONE).posed(&turned);
    /// let exact = DVec3::new(1.0 + 2f64.sqrt(), 2f64.sqrt(), 1.0);
    /// assert!(exact.cmple(bounds.max).all() && bounds.max.distance(exact) < 1e-13);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn posed(&self, pose: &Pose) -> Aabb {
        let middle = pose.transform_point(self.center());
        let half = 0.5 * self.size();
        let r = pose.rotation();
        let reach = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
        // Rounding: the centre is off by half a unit, the size by one, each product and sum by one; the input
        // coordinates are at most those of the box and of the translation.
        let size = self.min.abs().max(self.max.abs()).max_element() * 3.0 + pose.translation().abs().max_element();
        let reach = reach + DVec3::splat(16.0 * UNIT_ROUNDOFF * size);
        Aabb { min: middle - reach, max: middle + reach }
    }

    /// The centre of the box, rounded.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// Side lengths, rounded.
    #[must_use]
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }
}

impl Sealed for Aabb {}

impl Bound for Aabb {
    type Relation = RelativePose;

    fn fit(corners: &[DVec3], _: Fit) -> Aabb {
        let Some((&first, others)) = corners.split_first() else { return Aabb::new(DVec3::ZERO, DVec3::ZERO) };
        others.iter().fold(Aabb::new(first, first), |bounds, &p| bounds.including(p))
    }

    fn merge(a: &Aabb, b: &Aabb) -> Aabb {
        Aabb::new(a.min.min(b.min), a.max.max(b.max))
    }

    fn relation(pose: &RelativePose) -> RelativePose {
        *pose
    }

    /// By the six axes of the faces.
    fn overlaps(&self, b: &Aabb, pose: &RelativePose) -> bool {
        let (half_a, half_b) = (0.5 * self.size(), 0.5 * b.size());
        let apart = pose.rotation * b.center() + pose.translation - self.center();
        let gap_a = apart.abs() - half_a - pose.absolute * half_b;
        if gap_a.max_element() > pose.slack {
            return false;
        }
        let gap_b = turned_back(&pose.rotation, apart).abs() - half_b - turned_back(&pose.absolute, half_a);
        gap_b.max_element() <= pose.slack
    }

    /// The larger of the distances of each box from the other one's box in its frame.
    fn distance_below(&self, b: &Aabb, pose: &RelativePose) -> f64 {
        let (half_a, half_b) = (0.5 * self.size(), 0.5 * b.size());
        let apart = pose.rotation * b.center() + pose.translation - self.center();
        let gap_a = apart.abs() - half_a - pose.absolute * half_b;
        let gap_b = turned_back(&pose.rotation, apart).abs() - half_b - turned_back(&pose.absolute, half_a);
        let squared = gap_a.max(DVec3::ZERO).length_squared().max(gap_b.max(DVec3::ZERO).length_squared());
        (squared.sqrt() - pose.slack).max(0.0)
    }

    fn axes(&self) -> Option<[DVec3; 3]> {
        Some(longest_first(self.size(), [DVec3::X, DVec3::Y, DVec3::Z]))
    }

    fn volume(&self) -> f64 {
        self.size().element_product()
    }

    fn surface(&self) -> f64 {
        let size = self.size();
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
    }

    fn longest(&self) -> f64 {
        self.size().max_element()
    }

    fn support(&self, direction: DVec3) -> f64 {
        let corner = DVec3::select(direction.cmpge(DVec3::ZERO), self.max, self.min);
        corner.dot(direction) + BOUND_PRODUCT * corner.abs().dot(direction.abs())
    }

    fn reach(&self) -> f64 {
        rounded_up_length(self.min.abs().max(self.max.abs()))
    }
}
