//! Cones.

use glam::{DMat3, DVec3};

use super::mass::MassProperties;
use crate::bound::Aabb;
use crate::error::{Error, check_length};
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;

/// A solid circular cone along z: apex at `+half_length`, base of the given radius at `-half_length`.
///
/// Faces: 0 is the base, 1 the side. Edge 0 is the rim of the base, vertex 0 the apex.
///
/// ```
/// use clearance::shape::Cone;
/// let cone = Cone::new(1.0, 0.25)?;
/// assert_eq!((cone.half_length(), cone.radius()), (1.0, 0.25));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    half_length: f64,
    radius: f64,
}

impl Cone {
    /// A cone from half its height and the radius of its base, both positive.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(half_length: f64, radius: f64) -> Result<Cone, Error> {
        check_length("half length", half_length)?;
        check_length("radius", radius)?;
        Ok(Cone { half_length, radius })
    }

    /// Half the height.
    #[must_use]
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// The radius of the base.
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
        let volume = 2.0 / 3.0 * std::f64::consts::PI * r * r * h;
        // Height 2h: 3/20 r² + 3/80 (2h)² across, 3/10 r² along, about the centre, a quarter of it above the base.
        let across = volume * (0.15 * r * r + 0.15 * h * h);
        let moments = DVec3::new(across, across, volume * 0.3 * r * r);
        let center = DVec3::new(0.0, 0.0, -0.5 * h);
        MassProperties { volume, center, inertia: DMat3::from_diagonal(moments) }
    }
}

#[cfg(feature = "serde")]
data_form!(Cone { half_length: f64, radius: f64 }, |cone| (cone.half_length, cone.radius), Cone::new,);
