//! User-defined convex bodies, given by their support function.

use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use super::mass::MassProperties;
use crate::bound::Aabb;
use crate::error::{Error, check_coordinates, check_size};
use crate::math::predicates::span_space;

/// A bounded convex body given by its support function, in its local frame.
///
/// The proofs of all answers rely on these guarantees:
/// - [`Support::support`] returns a point of the body, the same for the same direction, whose coordinates are finite;
/// - no point of the body lies farther along the direction than that point by more than [`Support::slack`];
/// - [`Support::bounds`] contains the body.
///
/// ```
/// use clearance::{Pose, Shape, distance, glam::{DMat3, DVec3}};
/// use clearance::shape::{Aabb, MassProperties, Support};
/// use std::sync::Arc;
///
/// /// A flat disc of radius 1 in the plane z = 0.
/// #[derive(Debug)]
/// struct Disc;
///
/// impl Support for Disc {
///     fn support(&self, direction: DVec3) -> DVec3 {
///         DVec3::new(direction.x, direction.y, 0.0).normalize_or_zero()
///     }
///     fn slack(&self) -> f64 {
///         1e-15
///     }
///     fn bounds(&self) -> Aabb {
///         Aabb::new(DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, 1.0, 0.0))
///     }
/// }
///
/// let disc = Shape::custom(Arc::new(Disc))?;
/// let above = Pose::from_translation(DVec3::new(0.0, 0.0, 3.0))?;
/// let answer = distance(&disc, &Pose::IDENTITY, &Shape::sphere(1.0)?, &above);
/// assert!((answer.gap.value - 2.0).abs() < 1e-9);
/// # Ok::<(), clearance::Error>(())
/// ```
pub trait Support: fmt::Debug + Send + Sync {
    /// A point of the body farthest along `direction`, which is non-zero but need not be a unit vector.
    fn support(&self, direction: DVec3) -> DVec3;

    /// Bound on how much farther the body extends along the direction than the point returned by [`Support::support`],
    /// as a length; 0 if the support function is exact.
    fn slack(&self) -> f64;

    /// An axis-aligned bounding box of the body.
    fn bounds(&self) -> Aabb;

    /// Volume, centre of mass and inertia for unit density. The default is zero volume at the centre of the bounding
    /// box.
    fn mass_properties(&self) -> MassProperties {
        MassProperties { volume: 0.0, center: self.bounds().center(), inertia: glam::DMat3::ZERO }
    }
}

/// A user-defined convex body. See [`Support`].
#[derive(Clone, Debug)]
pub struct Custom {
    body: Arc<dyn Support>,
    bounds: Aabb,
    slack: f64,
    /// Scale factor of the body: a power of two.
    scale: f64,
}

/// Both directions along each axis.
const AXES: [DVec3; 6] = [DVec3::NEG_X, DVec3::X, DVec3::NEG_Y, DVec3::Y, DVec3::NEG_Z, DVec3::Z];

impl Custom {
    /// Checks the bounds, the slack, and the support points along the axes.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`], [`Error::NotPositive`] for a negative slack or
    /// bounds of negative size.
    pub fn new(body: Arc<dyn Support>) -> Result<Custom, Error> {
        let (bounds, slack) = (body.bounds(), body.slack());
        check_coordinates("bounds", 0, bounds.min)?;
        check_coordinates("bounds", 1, bounds.max)?;
        check_coordinates("slack", 0, DVec3::splat(slack))?;
        if slack < 0.0 {
            return Err(Error::NotPositive { what: "slack", value: slack });
        }
        let least = bounds.size().min_element();
        if least < 0.0 {
            return Err(Error::NotPositive { what: "size of the bounds", value: least });
        }
        check_size("size of the bounds", bounds.size().max_element())?;
        for (index, direction) in AXES.into_iter().enumerate() {
            check_coordinates("support point", index, body.support(direction))?;
        }
        Ok(Custom { body, bounds, slack, scale: 1.0 })
    }

    /// Whether the support points along the axes, which belong to the body, are not coplanar.
    pub(crate) fn spans_space(&self) -> bool {
        span_space(&AXES.map(|direction| self.support(direction)))
    }

    /// The support point; the centre of the box if the body returns one that is not finite.
    pub(crate) fn support(&self, direction: DVec3) -> DVec3 {
        let point = self.body.support(direction) * self.scale;
        if point.is_finite() { point } else { self.bounds().center() }
    }

    pub(crate) fn slack(&self) -> f64 {
        self.slack * self.scale
    }

    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::new(self.bounds.min * self.scale, self.bounds.max * self.scale)
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        self.body.mass_properties()
    }

    /// The body scaled by a power of two.
    pub(crate) fn scaled(&self, factor: f64) -> Custom {
        Custom { scale: self.scale * factor, ..self.clone() }
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Custom) -> bool {
        Arc::ptr_eq(&self.body, &other.body) && self.scale == other.scale
    }
}
