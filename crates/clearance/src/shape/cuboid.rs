//! Boxes.

use glam::{DMat3, DVec3};

use super::mass::MassProperties;
use crate::bound::Aabb;
use crate::bound::extent::rounded_up_length;
use crate::error::{Error, check_lengths};
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;

/// A box centred at the body's origin, aligned with the body's axes.
///
/// Vertices are numbered by the signs of their coordinates: bit 0, 1, 2 of the index is set if x, y, z is positive.
/// Faces 0 and 1 have normals -x and +x, 2 and 3 have -y and +y, 4 and 5 have -z and +z. Edge `4k + j` runs along axis
/// `k`; the bits of `j` are the signs of the two other coordinates, the lower axis in bit 0.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::shape::Cuboid;
/// let cuboid = Cuboid::new(DVec3::new(1.0, 2.0, 3.0))?;
/// assert_eq!(cuboid.vertex(0b101), DVec3::new(1.0, -2.0, 3.0));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    half_extents: DVec3,
}

impl Cuboid {
    /// A box with positive half extents.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(half_extents: DVec3) -> Result<Cuboid, Error> {
        const NAMES: [&str; 3] = ["half extent x", "half extent y", "half extent z"];
        check_lengths("half extent", NAMES, half_extents)?;
        Ok(Cuboid { half_extents })
    }

    /// Half the side lengths along x, y and z.
    #[must_use]
    pub fn half_extents(&self) -> DVec3 {
        self.half_extents
    }

    /// Vertex `index` (0 to 7; higher bits are ignored), in the body's local frame.
    #[must_use]
    pub fn vertex(&self, index: u32) -> DVec3 {
        corner(self.half_extents, index)
    }

    /// Distance from the centre to a corner, rounded up.
    pub(crate) fn radius(&self) -> f64 {
        rounded_up_length(self.half_extents)
    }

    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::new(-self.half_extents, self.half_extents)
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        let h = self.half_extents;
        let volume = 8.0 * h.x * h.y * h.z;
        let s = h * h;
        let moments = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (volume / 3.0);
        MassProperties { volume, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }
}

/// The corner of the box with half extents `half` whose signs are the bits of `index`.
#[inline(always)]
pub(crate) fn corner(half: DVec3, index: u32) -> DVec3 {
    let pick = |bit: u32, h: f64| if index & bit != 0 { h } else { -h };
    DVec3::new(pick(1, half.x), pick(2, half.y), pick(4, half.z))
}

#[cfg(feature = "serde")]
data_form!(Cuboid { half_extents: DVec3 }, |cuboid| (cuboid.half_extents,), Cuboid::new);
