use std::fmt;

use glam::DVec3;

use crate::answer::witness::WitnessPoint;
use crate::error::{Error, check_components};
use crate::geom::ray_frame::Step;
use crate::math::bracket::Bracket;
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;
use crate::math::placement::difference;

/// A ray, in the world: the points `origin + t direction`. RayHitMode `t` count is up to [`RayOptions`].
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
    /// The point at `t = 0`.
    pub origin: DVec3,
    /// The step of one `t`; of any length.
    pub direction: DVec3,
    /// What rounding took from the direction, where it is a difference of two: see
    /// [`ray_cast_moving`](crate::query::ray_cast_moving).
    low: DVec3,
}

impl Ray {
    /// A ray by its origin and its direction, used as given: `t` counts multiples of it.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`]; [`Error::NotPositive`] for a direction that is zero.
    #[inline]
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Ray, Error> {
        check_components("origin", origin)?;
        check_components("direction", direction)?;
        if direction == DVec3::ZERO {
            return Err(Error::NotPositive { what: "length of the direction", value: 0.0 });
        }
        Ok(Ray { origin, direction, low: DVec3::ZERO })
    }

    /// This ray as a body sees it that moves by `way` in one `t`: the same origin, and the exact difference of both
    /// steps. `None` if they are the same.
    pub(crate) fn seen_by(&self, way: DVec3) -> Option<Ray> {
        let (direction, low) = difference(self.direction, way);
        (direction != DVec3::ZERO).then_some(Ray { origin: self.origin, direction, low })
    }

    /// The direction, exactly.
    pub(crate) fn step(&self) -> Step {
        Step { high: self.direction, low: self.low }
    }

    /// The ray from `start` through `end`, which is at `t = 1`. The step `end - start` is rounded.
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

    /// The point at `t`, rounded.
    #[must_use]
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }
}

#[cfg(feature = "serde")]
data_form!(Ray { origin: DVec3, direction: DVec3 }, |ray| (ray.origin, ray.direction), Ray::new);

/// Which hit is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RayHitMode {
    /// The one with the least `t`.
    #[default]
    Nearest,
    /// Any: enough to know that there is one. For a compound this saves work.
    Any,
}

/// What part of a ray counts, and which hit is wanted.
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
    /// The least `t` that counts, itself included. May be `-inf`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub from: f64,
    /// The largest `t` that counts, itself included. May be `inf`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub to: f64,
    /// Which hit is wanted.
    pub hit: RayHitMode,
}

impl Default for RayOptions {
    /// From the origin on: `t` from 0 to infinity, the nearest hit.
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

    /// The part of it that lies in one step of time, from 0 to 1.
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
    /// Where the real-number body is crossed, in multiples of the ray's direction.
    pub t: Bracket,
    /// The point of the crossing, in the body's own frame (of a compound: in the compound's frame). Of a rounded body
    /// the feature is that of its core.
    pub witness: WitnessPoint,
    /// Unit, in the world, out of the body. On an edge, that of a face beside it; of a rounded or custom body perhaps
    /// one between those of its faces. A flat body shows the side that the ray comes from.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// True where the ray enters the body; false where it leaves.
    pub entering: bool,
}

/// The answer that a ray hits nothing: it crosses the boundary of the body nowhere in its range. It can be verified like
/// any other.
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
/// // A larger ball is hit.
/// let large = Shape::sphere(2.0)?;
/// assert!(none.verify(&large, &Pose::IDENTITY, &ray, &RayOptions::default()).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct NoHit {
    /// The least `t` that counted, itself included. May be `-inf`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub from: f64,
    /// The largest `t` that counted, itself included. May be `inf`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub to: f64,
}

impl NoHit {
    /// That nothing is hit in the range of some options.
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
