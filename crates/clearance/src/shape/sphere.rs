//! Spheres.

use glam::{DMat3, DVec3};

use super::mass::MassProperties;
use crate::bound::Aabb;
use crate::error::{Error, check_length};
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;

/// A solid sphere centred at the body's origin. Its surface is `Face(0)`.
///
/// ```
/// use clearance::shape::Sphere;
/// assert_eq!(Sphere::new(2.0)?.radius(), 2.0);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// A sphere with a positive radius.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(radius: f64) -> Result<Sphere, Error> {
        check_length("radius", radius)?;
        Ok(Sphere { radius })
    }

    /// The radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::new(DVec3::splat(-self.radius), DVec3::splat(self.radius))
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * self.radius * self.radius * self.radius;
        let moment = 0.4 * volume * self.radius * self.radius;
        MassProperties { volume, center: DVec3::ZERO, inertia: DMat3::from_diagonal(DVec3::splat(moment)) }
    }
}

#[cfg(feature = "serde")]
data_form!(Sphere { radius: f64 }, |sphere| (sphere.radius,), Sphere::new);
