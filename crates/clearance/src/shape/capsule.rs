//! Capsules.

use glam::{DMat3, DVec3};

use super::mass::MassProperties;
use crate::bound::Aabb;
use crate::error::{Error, check_length};
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;

/// All points within `radius` of a segment along the body's z axis, centred at its origin.
///
/// The whole surface is `Face(0)`.
///
/// ```
/// use clearance::shape::Capsule;
/// let capsule = Capsule::new(1.0, 0.25)?;
/// assert_eq!((capsule.half_length(), capsule.radius()), (1.0, 0.25));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    half_length: f64,
    radius: f64,
}

impl Capsule {
    /// A capsule from half the length of its segment (excluding the round ends) and its radius, both positive.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(half_length: f64, radius: f64) -> Result<Capsule, Error> {
        check_length("half length", half_length)?;
        check_length("radius", radius)?;
        Ok(Capsule { half_length, radius })
    }

    /// Half the length of the segment.
    #[must_use]
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// The radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    pub(crate) fn bounds(&self) -> Aabb {
        // The sum is rounded up so that the box contains the body.
        let reach = DVec3::new(self.radius, self.radius, (self.half_length + self.radius).next_up());
        Aabb::new(-reach, reach)
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        let (h, r) = (self.half_length, self.radius);
        let tube = 2.0 * std::f64::consts::PI * r * r * h;
        let ball = 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let along = tube * r * r / 2.0 + ball * 0.4 * r * r;
        // Each hemisphere has its centre of mass 3r/8 beyond the end of the tube.
        let across = tube * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
        let moments = DVec3::new(across, across, along);
        MassProperties { volume: tube + ball, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }
}

#[cfg(feature = "serde")]
data_form!(Capsule { half_length: f64, radius: f64 }, |capsule| (capsule.half_length, capsule.radius), Capsule::new,);
