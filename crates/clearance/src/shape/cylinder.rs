//! Cylinders.

use glam::{DMat3, DVec3};

use super::mass::MassProperties;
use crate::bound::Aabb;
use crate::error::{Error, check_length};
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;

/// A solid circular cylinder along z, centred at the body's origin.
///
/// Faces: 0 is the bottom at `-half_length`, 1 the top, 2 the side. Edges: 0 is the bottom rim, 1 the top rim.
///
/// ```
/// use clearance::shape::Cylinder;
/// let can = Cylinder::new(1.0, 0.25)?;
/// assert_eq!((can.half_length(), can.radius()), (1.0, 0.25));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    half_length: f64,
    radius: f64,
}

impl Cylinder {
    /// A cylinder from half its length and its radius, both positive.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(half_length: f64, radius: f64) -> Result<Cylinder, Error> {
        check_length("half length", half_length)?;
        check_length("radius", radius)?;
        Ok(Cylinder { half_length, radius })
    }

    /// Half the length along the axis.
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
        let reach = DVec3::new(self.radius, self.radius, self.half_length);
        Aabb::new(-reach, reach)
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        let (h, r) = (self.half_length, self.radius);
        let volume = 2.0 * std::f64::consts::PI * r * r * h;
        let across = volume * (r * r / 4.0 + h * h / 3.0);
        let moments = DVec3::new(across, across, volume * r * r / 2.0);
        MassProperties { volume, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }
}

#[cfg(feature = "serde")]
data_form!(
    Cylinder { half_length: f64, radius: f64 },
    |cylinder| (cylinder.half_length, cylinder.radius),
    Cylinder::new,
);
