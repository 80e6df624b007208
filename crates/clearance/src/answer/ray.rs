use std::fmt;

use glam::DVec3;

use crate::answer::witness::WitnessPoint;
use crate::error::{Error, check_components};
use crate::geom::ray_frame::Step;
use crate::math::bracket::Bracket;
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;
use crate::math::placement::difference;

/// A ray in world coordinates: the points `origin + t * direction`. The range of `t` is set by [`RayOptions`].
///
/// ```
/// use clearance::{Ray, glam::DVec3};
/// let ray = Ray::new(DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0))?;
/// assert_eq!(ray.at(1.5), DVec3::new(0.0, 0.0, 3.0));
/// assert!(Ray::new(DVec3::ZERO, DVec3::ZERO).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ray {
    /// The point at `t = 0`, in world coordinates.
    pub origin: DVec3,
    /// The vector from `t = 0` to `t = 1`, in world coordinates; any length but zero.
    pub direction: DVec3,
    /// The rounding error of `direction` where it is a difference of two vectors: see
    /// [`ray_cast_moving`](crate::query::ray_cast_moving).
    low: DVec3,
}

impl Ray {
    /// A ray from an origin and a direction. The direction is not normalised: `t` counts multiples of it.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`]; [`Error::NotPositive`] for a zero direction.
    #[inline]
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Ray, Error> {
        check_components("origin", origin)?;
        check_components("direction", direction)?;
        if direction == DVec3::ZERO {
            return Err(Error::NotPositive { what: "length of the direction", value: 0.0 });
        }
        Ok(Ray { origin, direction, low: DVec3::ZERO })
    }

    /// This ray relative to a body that moves by `way` per unit of `t`: the same origin, and the exact difference of
    /// the two vectors. `None` if they are equal.
    pub(crate) fn seen_by(&self, way: DVec3) -> Option<Ray> {
        let (direction, low) = difference(self.direction, way);
        (direction != DVec3::ZERO).then_some(Ray { origin: self.origin, direction, low })
    }

    /// The exact direction.
    pub(crate) fn step(&self) -> Step {
        Step { high: self.direction, low: self.low }
    }

    /// The ray from `start` through `end`, which is at `t = 1`. The direction `end - start` is rounded.
    ///
    /// # Errors
    /// As [`Ray::new`].
    ///
    /// ```
    /// use clearance::{Ray, glam::DVec3};
    /// let ray = Ray::between(DVec3::X, DVec3::new(3.0, 0.0, 0.0))?;
    /// assert_eq!(ray.direction, DVec3::new(2.0, 0.0, 0.0));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn between(start: DVec3, end: DVec3) -> Result<Ray, Error> {
        Ray::new(start, end - start)
    }

    /// The point at `t`, in world coordinates, rounded.
    #[must_use]
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }
}

#[cfg(feature = "serde")]
data_form!(Ray { origin: DVec3, direction: DVec3 }, |ray| (ray.origin, ray.direction), Ray::new);

/// Which hit to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RayHitMode {
    /// The hit with the least `t`.
    #[default]
    Nearest,
    /// Any hit: enough to know that there is one. Saves work for compounds.
    Any,
}

/// The range of the ray to test, and which hit to return.
///
/// ```
/// use clearance::{Pose, Ray, Shape, glam::DVec3};
/// use clearance::query::{RayOptions, ray_cast_with};
/// let ball = Shape::sphere(1.0)?;
/// let ray = Ray::new(DVec3::new(3.0, 0.0, 0.0), DVec3::X)?;
/// let ahead = ray_cast_with(&ball, &Pose::IDENTITY, &ray, &RayOptions::default());
/// assert!(ahead.is_err());
/// let line = ray_cast_with(&ball, &Pose::IDENTITY, &ray, &RayOptions::line()).unwrap();
/// assert_eq!(line.t.value, -4.0);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct RayOptions {
    /// The least `t` tested, inclusive. May be `-inf`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub from: f64,
    /// The largest `t` tested, inclusive. May be `inf`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub to: f64,
    /// Which hit to return.
    pub hit: RayHitMode,
}

impl Default for RayOptions {
    /// The ray from its origin onwards: `t` from 0 to infinity, the nearest hit.
    fn default() -> RayOptions {
        RayOptions { from: 0.0, to: f64::INFINITY, hit: RayHitMode::Nearest }
    }
}

impl RayOptions {
    /// The whole line.
    ///
    /// ```
    /// use clearance::query::RayOptions;
    /// assert_eq!(RayOptions::line().from, f64::NEG_INFINITY);
    /// ```
    #[must_use]
    pub fn line() -> RayOptions {
        RayOptions { from: f64::NEG_INFINITY, ..RayOptions::default() }
    }

    /// The segment from the origin to the end of the direction: `t` from 0 to 1.
    ///
    /// ```
    /// use clearance::query::RayOptions;
    /// assert_eq!((RayOptions::segment().from, RayOptions::segment().to), (0.0, 1.0));
    /// ```
    #[must_use]
    pub fn segment() -> RayOptions {
        RayOptions { to: 1.0, ..RayOptions::default() }
    }

    /// The range clipped to one time step, from 0 to 1.
    pub(crate) fn within_step(&self) -> RayOptions {
        RayOptions { from: self.from.max(0.0), to: self.to.min(1.0), ..*self }
    }
}

/// Where a ray crosses the boundary of a body.
///
/// ```
/// use clearance::{Pose, Ray, Shape, glam::DVec3, ray_cast};
/// use clearance::shape::Feature;
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let ray = Ray::new(DVec3::new(-5.0, 0.5, 0.0), DVec3::new(2.0, 0.0, 0.0))?;
/// let hit = ray_cast(&cube, &Pose::IDENTITY, &ray).unwrap();
/// assert!(hit.t.value == 2.0 && hit.t.contains(2.0) && hit.t.width() < 1e-15);
/// assert_eq!((hit.normal, hit.witness.feature, hit.entering), (-DVec3::X, Feature::Face(0), true));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RayHit {
    /// Where the ray crosses the boundary of the real-number body, in multiples of its direction.
    pub t: Bracket,
    /// The crossing point, in the body's local frame (for a compound, the compound's frame). For a rounded body the
    /// feature is that of its core.
    pub witness: WitnessPoint,
    /// Outward unit normal, in world coordinates. On an edge, that of an adjacent face; for rounded or custom bodies
    /// possibly one between those of the faces. For a flat body it faces the side the ray comes from.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// True where the ray enters the body; false where it leaves.
    pub entering: bool,
}

/// The answer that a ray hits nothing: it does not cross the boundary of the body within its range. It can be verified
/// like any other answer.
///
/// ```
/// use clearance::{Pose, Ray, Shape, glam::DVec3, ray_cast};
/// use clearance::answer::NoHit;
/// use clearance::query::RayOptions;
/// let ball = Shape::sphere(1.0)?;
/// let ray = Ray::new(DVec3::new(-3.0, 1.5, 0.0), DVec3::X)?;
/// let none = ray_cast(&ball, &Pose::IDENTITY, &ray).unwrap_err();
/// assert_eq!(none, NoHit { from: 0.0, to: f64::INFINITY });
/// assert_eq!(none.verify(&ball, &Pose::IDENTITY, &ray, &RayOptions::default()), Ok(()));
/// // A larger sphere is hit.
/// let large = Shape::sphere(2.0)?;
/// assert!(none.verify(&large, &Pose::IDENTITY, &ray, &RayOptions::default()).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct NoHit {
    /// The least `t` tested, inclusive. May be `-inf`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub from: f64,
    /// The largest `t` tested, inclusive. May be `inf`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub to: f64,
}

impl NoHit {
    /// No hit within the range of the options.
    pub(crate) fn within(options: &RayOptions) -> NoHit {
        NoHit { from: options.from, to: options.to }
    }
}

impl fmt::Display for NoHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no hit from t = {} to t = {}", self.from, self.to)
    }
}

impl std::error::Error for NoHit {}
