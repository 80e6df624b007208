//! Bodies: one file per kind, and [`Shape`], the closed enum over them.
//!
//! A body is a *core* (a point, a box, a polytope) plus a radius, given in its own frame. Queries work on the core and
//! add the radii afterwards; radii are lengths in the world and are not touched by the rigidity defect of a pose.

mod cuboid;
mod height_field;
mod hull;
mod mass;
mod sphere;
mod support;

pub use cuboid::Cuboid;
pub(crate) use cuboid::corner;
pub use height_field::{HeightField, HeightSample, SurfaceHit, SurfacePoint, TerrainDistance, Wheel, WheelContact};
pub use hull::ConvexHull;
pub(crate) use hull::Hull;
pub use mass::MassProperties;
pub use sphere::Sphere;

use glam::DVec3;

use crate::bound::Aabb;
use crate::error::Error;
use crate::math::tolerances::ROUND_UP;

/// A body of any kind. Cheap to clone: large data is shared.
///
/// ```
/// use clearance::{Shape, glam::DVec3};
///
/// let ball = Shape::sphere(0.5)?;
/// let plate = Shape::cuboid(DVec3::new(1.0, 1.0, 0.01))?;
/// let wedge = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
/// assert!((wedge.mass_properties().volume - 1.0 / 6.0).abs() < 1e-15);
/// # assert!(ball.diameter() >= 1.0 && plate.bounds().max.z == 0.01);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A ball about the body's origin.
    Sphere(Sphere),
    /// A box about the body's origin, its sides along the axes of the body.
    Cuboid(Cuboid),
    /// The convex hull of points.
    Hull(ConvexHull),
}

impl Shape {
    /// A ball of the given radius about the body's origin.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`].
    ///
    /// ```
    /// use clearance::Shape;
    /// assert!(Shape::sphere(1.0).is_ok());
    /// assert!(Shape::sphere(0.0).is_err());
    /// ```
    pub fn sphere(radius: f64) -> Result<Shape, Error> {
        Sphere::new(radius).map(Shape::Sphere)
    }

    /// A box about the body's origin with the given half side lengths.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`].
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert!(Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)).is_ok());
    /// assert!(Shape::cuboid(DVec3::new(1.0, 0.0, 3.0)).is_err());
    /// ```
    pub fn cuboid(half_extents: DVec3) -> Result<Shape, Error> {
        Cuboid::new(half_extents).map(Shape::Cuboid)
    }

    /// The convex hull of points that span space. Points inside the hull are fine; they are left out.
    ///
    /// # Errors
    /// [`Error::FlatHull`] when fewer than four points are affinely independent, [`Error::NoPoints`],
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooMany`].
    ///
    /// ```
    /// use clearance::{Error, Shape};
    /// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    /// assert_eq!(Shape::hull(&square), Err(Error::FlatHull { dimension: 2, points: 4 }));
    /// ```
    pub fn hull(points: &[[f64; 3]]) -> Result<Shape, Error> {
        ConvexHull::new(points).map(Shape::Hull)
    }

    /// As [`Shape::hull`], but points that span only a plane, a line or a point are accepted too.
    ///
    /// # Errors
    /// [`Error::NoPoints`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooMany`].
    ///
    /// ```
    /// use clearance::Shape;
    /// let segment = Shape::flat_hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).unwrap();
    /// assert_eq!(segment.mass_properties().volume, 0.0);
    /// ```
    pub fn flat_hull(points: &[[f64; 3]]) -> Result<Shape, Error> {
        ConvexHull::flat(points).map(Shape::Hull)
    }

    /// The body times a power of two; `None` if that is out of range.
    pub(crate) fn scaled(&self, factor: f64) -> Option<Shape> {
        match self {
            Shape::Sphere(sphere) => Shape::sphere(sphere.radius() * factor).ok(),
            Shape::Cuboid(cuboid) => Shape::cuboid(cuboid.half_extents() * factor).ok(),
            Shape::Hull(hull) => Some(Shape::Hull(hull.scaled(factor))),
        }
    }

    /// The smallest axis-aligned box about the body in its own frame. Exact.
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert_eq!(Shape::sphere(2.0).unwrap().bounds().max, DVec3::splat(2.0));
    /// ```
    pub fn bounds(&self) -> Aabb {
        match self {
            Shape::Sphere(sphere) => sphere.bounds(),
            Shape::Cuboid(cuboid) => cuboid.bounds(),
            Shape::Hull(hull) => hull.bounds(),
        }
    }

    /// Volume, centre of mass and inertia for unit density.
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert_eq!(Shape::cuboid(DVec3::ONE).unwrap().mass_properties().volume, 8.0);
    /// ```
    pub fn mass_properties(&self) -> MassProperties {
        match self {
            Shape::Sphere(sphere) => sphere.mass_properties(),
            Shape::Cuboid(cuboid) => cuboid.mass_properties(),
            Shape::Hull(hull) => hull.mass_properties(),
        }
    }

    /// An upper bound on the distance of two points of the body: exact (rounded up) for balls and boxes, at most √3
    /// times too large for hulls.
    ///
    /// ```
    /// use clearance::Shape;
    /// assert_eq!(Shape::sphere(2.0).unwrap().diameter(), 4.0);
    /// ```
    pub fn diameter(&self) -> f64 {
        match self {
            Shape::Sphere(sphere) => 2.0 * sphere.radius(),
            Shape::Cuboid(cuboid) => 2.0 * cuboid.radius(),
            Shape::Hull(hull) => hull.hull().diameter,
        }
    }
}

/// The length of a vector, rounded up, also where squares underflow.
pub(crate) fn rounded_up_length(v: DVec3) -> f64 {
    let size = v.abs().max_element();
    if size > 1e-150 { v.length() * ROUND_UP } else { 1.7321 * size }
}
