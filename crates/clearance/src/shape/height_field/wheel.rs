//! Wheels on a height field: the height of each wheel's lowest point above the surface.
//!
//! Eberle 2004, section 6 (after Haines and Möller): cast a line from the wheel's centre, forwards and backwards; the
//! sign of the parameter at the crossing shows whether the wheel is above the surface or has sunk into it. Departure,
//! for lines that are not vertical and may cross the surface often: the crossing taken is the first one downwards from
//! a centre outside the solid, and the first one upwards from a centre inside. Which of the two applies is decided
//! exactly.

use glam::DVec3;

use super::HeightField;
use crate::error::{Error, check_components, check_coordinates};
use crate::math::bracket::Bracket;
use crate::math::interval::{Interval, IntervalVec3};

/// A wheel, modelled as a disc or ball about its centre.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::shape::Wheel;
/// let front_left = Wheel { center: DVec3::new(1.2, 0.7, 0.4), radius: 0.35 };
/// assert_eq!(Wheel { radius: 0.35, ..front_left }, front_left);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Wheel {
    /// The centre of the wheel, in the field's frame.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub center: DVec3,
    /// Its radius; not negative.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub radius: f64,
}

/// The surface below (or above) one wheel.
///
/// ```
/// use clearance::glam::{DVec2, DVec3};
/// use clearance::shape::{HeightField, Wheel};
/// let flat = HeightField::new(2, 2, DVec2::ONE, vec![0.0; 4])?;
/// let wheel = Wheel { center: DVec3::new(0.5, 0.5, 2.0), radius: 0.5 };
/// let contact = flat.wheel_on_terrain(&wheel, DVec3::Z)?.unwrap();
/// assert!(contact.clearance.contains(1.5));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct WheelContact {
    /// Signed distance from the surface to the lowest point of the wheel along the up direction: negative if the wheel
    /// has sunk in. Moving the wheel by `-clearance` along the unit up direction puts it on the surface at `point`.
    pub clearance: Bracket,
    /// Where the line through the wheel's centre meets the surface, in the field's frame.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
    /// Upward unit normal of the surface there.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// The triangle there.
    pub triangle: u32,
}

impl HeightField {
    /// The clearance of a wheel along `up`, which may have any length; `DVec3::Z` for an upright vehicle. `None` if the
    /// line through the centre does not meet the surface: the wheel is beyond the edge of the field.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`]; [`Error::NotPositive`] for a negative radius; [`Error::TooSmall`] for
    /// an up direction without a component of at least 1e-60 in magnitude.
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::{HeightField, Wheel};
    /// let flat = HeightField::new(2, 2, DVec2::splat(10.0), vec![1.0; 4])?;
    /// let wheel = Wheel { center: DVec3::new(5.0, 5.0, 1.25), radius: 0.5 };
    /// let contact = flat.wheel_on_terrain(&wheel, DVec3::Z)?.unwrap();
    /// assert_eq!((contact.clearance.value, contact.point.z), (-0.25, 1.0));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn wheel_on_terrain(&self, wheel: &Wheel, up: DVec3) -> Result<Option<WheelContact>, Error> {
        check_components("wheel centre", wheel.center)?;
        check_components("up direction", up)?;
        check_coordinates("radius", 0, DVec3::splat(wheel.radius))?;
        if wheel.radius < 0.0 {
            return Err(Error::NotPositive { what: "radius", value: wheel.radius });
        }
        let sunk = self.contains(wheel.center);
        let direction = if sunk { up } else { -up };
        let Some(hit) = self.ray_cast(wheel.center, direction, 0.0, f64::INFINITY)? else {
            return Ok(None);
        };
        let parameter = Interval::new(hit.t.lower, hit.t.upper);
        let along = parameter * IntervalVec3::from(up).norm();
        let centre_above = if sunk { -along } else { along };
        let clearance = centre_above - Interval::point(wheel.radius);
        let rounded = hit.t.value * up.length() * if sunk { -1.0 } else { 1.0 } - wheel.radius;
        Ok(Some(WheelContact {
            clearance: Bracket {
                value: rounded.clamp(clearance.lo(), clearance.hi()),
                lower: clearance.lo(),
                upper: clearance.hi(),
            },
            point: hit.point,
            normal: hit.normal,
            triangle: hit.triangle,
        }))
    }

    /// All wheels of a vehicle: [`HeightField::wheel_on_terrain`] for each, in order.
    ///
    /// # Errors
    /// That of the first wheel that fails.
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::{HeightField, Wheel};
    /// let slope = HeightField::new(2, 2, DVec2::splat(8.0), vec![0.0, 8.0, 0.0, 8.0])?;
    /// let wheels = [3.0, 5.0].map(|x| Wheel { center: DVec3::new(x, 4.0, 4.5), radius: 0.5 });
    /// let [rear, front] = slope.wheels_on_terrain(&wheels, DVec3::Z)?;
    /// assert_eq!((rear.unwrap().clearance.value, front.unwrap().clearance.value), (1.0, -1.0));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn wheels_on_terrain<const N: usize>(
        &self,
        wheels: &[Wheel; N],
        up: DVec3,
    ) -> Result<[Option<WheelContact>; N], Error> {
        let mut contacts = [None; N];
        for (contact, wheel) in contacts.iter_mut().zip(wheels) {
            *contact = self.wheel_on_terrain(wheel, up)?;
        }
        Ok(contacts)
    }
}
