//! Half-spaces.

use glam::DVec3;

use crate::error::{Error, check_components, check_coordinates, check_length};
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;

/// Everything on one side of a plane: the points with `normal · x <= offset`.
///
/// The normal points out of the solid and is used as given, not normalised: `(1, 2, 2)` with offset 3 is the plane at
/// distance 1 from the origin. The plane is `Face(0)`. A half-space has no finite bounds, volume or diameter.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::shape::HalfSpace;
/// let floor = HalfSpace::new(DVec3::Z, 0.0)?;
/// assert_eq!((floor.normal(), floor.offset()), (DVec3::Z, 0.0));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    normal: DVec3,
    offset: f64,
}

impl HalfSpace {
    /// The points with `normal · x <= offset`.
    ///
    /// # Errors
    /// [`Error::NotPositive`] for a normal of length zero, [`Error::NotFinite`], [`Error::TooLarge`],
    /// [`Error::TooSmall`]. The largest component of the normal must be between 1e-60 and 1e60 in magnitude, and the
    /// plane's distance from the origin at most 1e60.
    pub fn new(normal: DVec3, offset: f64) -> Result<HalfSpace, Error> {
        check_components("normal", normal)?;
        check_coordinates("offset", 0, DVec3::splat(offset))?;
        let length = normal.abs().max_element();
        check_length("length of the normal", length)?;
        check_coordinates("plane distance", 0, DVec3::splat(offset / length))?;
        Ok(HalfSpace { normal, offset })
    }

    /// The direction out of the solid, as given.
    #[must_use]
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// The largest `normal · x` of the solid.
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }
}

#[cfg(feature = "serde")]
data_form!(
    HalfSpace { normal: DVec3, offset: f64 },
    |half_space| (half_space.normal, half_space.offset),
    HalfSpace::new,
);
