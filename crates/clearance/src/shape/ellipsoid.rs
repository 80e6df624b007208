//! Ellipsoids.

use glam::{DMat3, DVec3};

use super::mass::MassProperties;
use crate::bound::Aabb;
use crate::error::{Error, check_lengths};
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;

/// A solid ellipsoid centred at the body's origin, aligned with the body's axes.
///
/// The whole surface is `Face(0)`.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::shape::Ellipsoid;
/// let egg = Ellipsoid::new(DVec3::new(1.0, 1.0, 1.5))?;
/// assert_eq!(egg.semi_axes().z, 1.5);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    semi_axes: DVec3,
}

impl Ellipsoid {
    /// An ellipsoid with positive semi-axes.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(semi_axes: DVec3) -> Result<Ellipsoid, Error> {
        check_lengths("semi-axis", ["semi-axis x", "semi-axis y", "semi-axis z"], semi_axes)?;
        Ok(Ellipsoid { semi_axes })
    }

    /// The distances from the centre to the surface along the axes.
    #[must_use]
    pub fn semi_axes(&self) -> DVec3 {
        self.semi_axes
    }

    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::new(-self.semi_axes, self.semi_axes)
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        let a = self.semi_axes;
        let volume = 4.0 / 3.0 * std::f64::consts::PI * a.x * a.y * a.z;
        let s = a * a;
        let moments = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (volume / 5.0);
        MassProperties { volume, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }
}

#[cfg(feature = "serde")]
data_form!(Ellipsoid { semi_axes: DVec3 }, |ellipsoid| (ellipsoid.semi_axes,), Ellipsoid::new);
