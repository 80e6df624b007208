//! The closed enum over all kinds of bodies, with the functions common to them.
//!
//! Only kinds that contain another body, [`Rounded`] and [`Compound`], import this file.

use std::sync::Arc;

use glam::{DMat3, DVec2, DVec3};

use super::capsule::Capsule;
use super::compound::Compound;
use super::cone::Cone;
use super::cuboid::Cuboid;
use super::custom::{Custom, Support};
use super::cylinder::Cylinder;
use super::ellipsoid::Ellipsoid;
use super::half_space::HalfSpace;
use super::height_field::HeightField;
use super::hull::ConvexHull;
use super::mass::MassProperties;
use super::mesh::Mesh;
use super::rounded::Rounded;
use super::simplex::{Segment, Tetrahedron, Triangle};
use super::sphere::Sphere;
use crate::bound::Aabb;
use crate::bound::extent::rounded_up_length;
use crate::error::Error;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
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
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Shape {
    /// A solid sphere centred at the body's origin.
    Sphere(Sphere),
    /// A box centred at the body's origin, aligned with the body's axes.
    Cuboid(Cuboid),
    /// The convex hull of points.
    Hull(ConvexHull),
    /// All points within a radius of a segment.
    Capsule(Capsule),
    /// A circular cylinder.
    Cylinder(Cylinder),
    /// A circular cone.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// All points within a radius of a convex body.
    Rounded(Rounded),
    /// Everything on one side of a plane.
    HalfSpace(HalfSpace),
    /// The segment between two points.
    Segment(Segment),
    /// A triangle.
    Triangle(Triangle),
    /// The tetrahedron spanned by four points.
    Tetrahedron(Tetrahedron),
    /// A user-defined convex body.
    Custom(Custom),
    /// The union of posed convex bodies.
    Compound(Compound),
    /// The solid below a grid of heights.
    HeightField(HeightField),
    /// Triangles: a surface, or the solid they bound.
    Mesh(Mesh),
}

impl Shape {
    /// A solid sphere of the given radius, centred at the body's origin.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::Shape;
    /// assert!(Shape::sphere(1.0).is_ok());
    /// assert!(Shape::sphere(0.0).is_err());
    /// ```
    pub fn sphere(radius: f64) -> Result<Shape, Error> {
        Sphere::new(radius).map(Shape::Sphere)
    }

    /// A box with the given half extents, centred at the body's origin.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert!(Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)).is_ok());
    /// assert!(Shape::cuboid(DVec3::new(1.0, 0.0, 3.0)).is_err());
    /// ```
    pub fn cuboid(half_extents: DVec3) -> Result<Shape, Error> {
        Cuboid::new(half_extents).map(Shape::Cuboid)
    }

    /// The convex hull of points that span space. Points inside the hull are allowed and ignored.
    ///
    /// # Errors
    /// [`Error::FlatHull`] when fewer than four points are affinely independent, [`Error::NoPoints`],
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`], [`Error::TooMany`].
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
    /// [`Error::NoPoints`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`], [`Error::TooMany`].
    ///
    /// ```
    /// use clearance::Shape;
    /// let segment = Shape::flat_hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).unwrap();
    /// assert_eq!(segment.mass_properties().volume, 0.0);
    /// ```
    pub fn flat_hull(points: &[[f64; 3]]) -> Result<Shape, Error> {
        ConvexHull::flat(points).map(Shape::Hull)
    }

    /// All points within `radius` of a segment of length `2 * half_length` along z, centred at the body's origin.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::Shape;
    /// assert!((Shape::capsule(1.0, 0.5)?.diameter() - 3.0).abs() < 1e-15);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn capsule(half_length: f64, radius: f64) -> Result<Shape, Error> {
        Capsule::new(half_length, radius).map(Shape::Capsule)
    }

    /// A cylinder of length `2 * half_length` along z, centred at the body's origin.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::Shape;
    /// assert_eq!(Shape::cylinder(1.0, 0.5)?.bounds().max.z, 1.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn cylinder(half_length: f64, radius: f64) -> Result<Shape, Error> {
        Cylinder::new(half_length, radius).map(Shape::Cylinder)
    }

    /// A cone along z: apex at `+half_length`, base of the given radius at `-half_length`.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::Shape;
    /// assert_eq!(Shape::cone(1.0, 0.5)?.mass_properties().center.z, -0.5);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn cone(half_length: f64, radius: f64) -> Result<Shape, Error> {
        Cone::new(half_length, radius).map(Shape::Cone)
    }

    /// An ellipsoid centred at the body's origin, aligned with the body's axes.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert_eq!(Shape::ellipsoid(DVec3::new(1.0, 2.0, 3.0))?.bounds().max.y, 2.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn ellipsoid(semi_axes: DVec3) -> Result<Shape, Error> {
        Ellipsoid::new(semi_axes).map(Shape::Ellipsoid)
    }

    /// All points within `radius` of a bounded convex body.
    ///
    /// # Errors
    /// [`Error::NotACore`], [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// let soft_box = Shape::rounded(Shape::cuboid(DVec3::ONE)?, 0.5)?;
    /// assert!(soft_box.bounds().max.x >= 1.5);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn rounded(core: Shape, radius: f64) -> Result<Shape, Error> {
        Rounded::new(core, radius).map(Shape::Rounded)
    }

    /// The points with `normal · x <= offset`; the normal need not be of unit length.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert_eq!(Shape::half_space(DVec3::Z, 0.0)?.diameter(), f64::INFINITY);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn half_space(normal: DVec3, offset: f64) -> Result<Shape, Error> {
        HalfSpace::new(normal, offset).map(Shape::HalfSpace)
    }

    /// The segment between two points.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert_eq!(Shape::segment(DVec3::ZERO, DVec3::X)?.bounds().max, DVec3::X);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn segment(start: DVec3, end: DVec3) -> Result<Shape, Error> {
        Segment::new(start, end).map(Shape::Segment)
    }

    /// The triangle spanned by three points.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert_eq!(Shape::triangle(DVec3::ZERO, DVec3::X, DVec3::Y)?.mass_properties().volume, 0.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn triangle(a: DVec3, b: DVec3, c: DVec3) -> Result<Shape, Error> {
        Triangle::new(a, b, c).map(Shape::Triangle)
    }

    /// The tetrahedron spanned by four points.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// let corner = Shape::tetrahedron([DVec3::ZERO, DVec3::Y, DVec3::X, DVec3::Z])?;
    /// assert!((corner.mass_properties().volume - 1.0 / 6.0).abs() < 1e-15);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn tetrahedron(points: [DVec3; 4]) -> Result<Shape, Error> {
        Tetrahedron::new(points).map(Shape::Tetrahedron)
    }

    /// A user-defined convex body. See [`Support`] for an example.
    ///
    /// # Errors
    /// [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn custom(body: Arc<dyn Support>) -> Result<Shape, Error> {
        Custom::new(body).map(Shape::Custom)
    }

    /// The union of posed convex bodies.
    ///
    /// # Errors
    /// [`Error::NoParts`], [`Error::NotACore`], [`Error::TooMany`].
    ///
    /// ```
    /// use clearance::{Error, Pose, Shape, glam::DVec3};
    /// let leg = Shape::cuboid(DVec3::new(0.1, 0.1, 1.0))?;
    /// let at = |x| Pose::from_translation(DVec3::new(x, 0.0, 0.0));
    /// assert!(Shape::compound(vec![(at(-1.0)?, leg.clone()), (at(1.0)?, leg)]).is_ok());
    /// assert_eq!(Shape::compound(vec![]), Err(Error::NoParts));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn compound(parts: Vec<(Pose, Shape)>) -> Result<Shape, Error> {
        Compound::new(parts).map(Shape::Compound)
    }

    /// The solid below a grid of heights: `columns` times `rows` grid points, row by row. See [`HeightField`].
    ///
    /// # Errors
    /// Those of [`HeightField::new`].
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec2};
    /// let slope = Shape::height_field(2, 2, DVec2::new(1.0, 1.0), vec![0.0, 1.0, 0.0, 1.0])?;
    /// assert_eq!(slope.bounds().max.z, 1.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn height_field(columns: usize, rows: usize, spacing: DVec2, heights: Vec<f32>) -> Result<Shape, Error> {
        HeightField::new(columns, rows, spacing, heights).map(Shape::HeightField)
    }

    /// A surface of triangles, given as indices into `points`. See [`Mesh`].
    ///
    /// # Errors
    /// Those of [`Mesh::new`].
    ///
    /// ```
    /// use clearance::Shape;
    /// let sheet = Shape::mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], &[[0, 1, 2]])?;
    /// assert_eq!(sheet.bounds().max.y, 2.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn mesh(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<Shape, Error> {
        Mesh::new(points, triangles).map(Shape::Mesh)
    }

    /// The name of the kind, for messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Shape::Sphere(_) => "sphere",
            Shape::Cuboid(_) => "box",
            Shape::Hull(_) => "hull",
            Shape::Capsule(_) => "capsule",
            Shape::Cylinder(_) => "cylinder",
            Shape::Cone(_) => "cone",
            Shape::Ellipsoid(_) => "ellipsoid",
            Shape::Rounded(_) => "rounded body",
            Shape::HalfSpace(_) => "half-space",
            Shape::Segment(_) => "segment",
            Shape::Triangle(_) => "triangle",
            Shape::Tetrahedron(_) => "tetrahedron",
            Shape::Custom(_) => "custom body",
            Shape::Compound(_) => "compound",
            Shape::HeightField(_) => "height field",
            Shape::Mesh(_) => "mesh",
        }
    }

    /// The body scaled by a power of two; `None` if out of range.
    pub(crate) fn scaled(&self, factor: f64) -> Option<Shape> {
        match self {
            Shape::Sphere(sphere) => Shape::sphere(sphere.radius() * factor).ok(),
            Shape::Cuboid(cuboid) => Shape::cuboid(cuboid.half_extents() * factor).ok(),
            Shape::Hull(hull) => Some(Shape::Hull(hull.scaled(factor))),
            Shape::Capsule(c) => Shape::capsule(c.half_length() * factor, c.radius() * factor).ok(),
            Shape::Cylinder(c) => Shape::cylinder(c.half_length() * factor, c.radius() * factor).ok(),
            Shape::Cone(c) => Shape::cone(c.half_length() * factor, c.radius() * factor).ok(),
            Shape::Ellipsoid(ellipsoid) => Shape::ellipsoid(ellipsoid.semi_axes() * factor).ok(),
            Shape::Rounded(rounded) => rounded.scaled(factor).map(Shape::Rounded),
            Shape::HalfSpace(plane) => Shape::half_space(plane.normal(), plane.offset() * factor).ok(),
            Shape::Segment(segment) => Some(Shape::Segment(segment.scaled(factor))),
            Shape::Triangle(triangle) => Some(Shape::Triangle(triangle.scaled(factor))),
            Shape::Tetrahedron(tetrahedron) => Some(Shape::Tetrahedron(tetrahedron.scaled(factor))),
            Shape::Custom(custom) => Some(Shape::Custom(custom.scaled(factor))),
            Shape::Compound(compound) => compound.scaled(factor).map(Shape::Compound),
            // Heights are in single precision, so a height field never needs rescaling.
            Shape::HeightField(_) => None,
            Shape::Mesh(mesh) => mesh.scaled(factor).map(Shape::Mesh),
        }
    }

    /// The smallest axis-aligned bounding box in the body's local frame, its corners exact or rounded outward. Infinite
    /// for a half-space; unbounded below for a height field.
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert_eq!(Shape::sphere(2.0).unwrap().bounds().max, DVec3::splat(2.0));
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match self {
            Shape::Sphere(sphere) => sphere.bounds(),
            Shape::Cuboid(cuboid) => cuboid.bounds(),
            Shape::Hull(hull) => hull.bounds(),
            Shape::Capsule(capsule) => capsule.bounds(),
            Shape::Cylinder(cylinder) => cylinder.bounds(),
            Shape::Cone(cone) => cone.bounds(),
            Shape::Ellipsoid(ellipsoid) => ellipsoid.bounds(),
            Shape::Rounded(rounded) => rounded.bounds(),
            Shape::HalfSpace(_) => Aabb::new(DVec3::NEG_INFINITY, DVec3::INFINITY),
            Shape::Segment(segment) => segment.bounds(),
            Shape::Triangle(triangle) => triangle.bounds(),
            Shape::Tetrahedron(tetrahedron) => tetrahedron.bounds(),
            Shape::Custom(custom) => custom.bounds(),
            Shape::Compound(compound) => compound.bounds(),
            Shape::HeightField(field) => {
                let surface = field.surface_bounds();
                Aabb::new(surface.min.with_z(f64::NEG_INFINITY), surface.max)
            }
            Shape::Mesh(mesh) => mesh.bounds(),
        }
    }

    /// Volume, centre of mass and inertia for unit density, in the body's local frame. The volume of a half-space or a
    /// height field is infinite; overlapping parts of a compound count twice. Exact up to rounding, except for rounded
    /// ellipsoids, where the quadrature loses digits at aspect ratios above ten, and rounded custom bodies, which are
    /// approximated by the rounded hull of a thousand support points.
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// assert_eq!(Shape::cuboid(DVec3::ONE).unwrap().mass_properties().volume, 8.0);
    /// ```
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        match self {
            Shape::Sphere(sphere) => sphere.mass_properties(),
            Shape::Cuboid(cuboid) => cuboid.mass_properties(),
            Shape::Hull(hull) => hull.mass_properties(),
            Shape::Capsule(capsule) => capsule.mass_properties(),
            Shape::Cylinder(cylinder) => cylinder.mass_properties(),
            Shape::Cone(cone) => cone.mass_properties(),
            Shape::Ellipsoid(ellipsoid) => ellipsoid.mass_properties(),
            Shape::Rounded(rounded) => rounded.mass_properties(),
            Shape::HalfSpace(_) | Shape::HeightField(_) => {
                MassProperties { volume: f64::INFINITY, center: DVec3::ZERO, inertia: DMat3::ZERO }
            }
            Shape::Segment(segment) => segment.mass_properties(),
            Shape::Triangle(triangle) => triangle.mass_properties(),
            Shape::Tetrahedron(tetrahedron) => tetrahedron.mass_properties(),
            Shape::Custom(custom) => custom.mass_properties(),
            Shape::Compound(compound) => compound.mass_properties(),
            Shape::Mesh(mesh) => mesh.mass_properties(),
        }
    }

    /// Whether the body has interior points. False for segments, triangles, flat hulls, surfaces, and for a custom body
    /// whose support points along the axes are coplanar.
    pub(crate) fn has_interior(&self) -> bool {
        match self {
            Shape::Sphere(_)
            | Shape::Cuboid(_)
            | Shape::Capsule(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::Rounded(_)
            | Shape::HalfSpace(_)
            | Shape::HeightField(_) => true,
            Shape::Segment(_) | Shape::Triangle(_) => false,
            Shape::Hull(hull) => hull.dimension() == 3,
            Shape::Tetrahedron(tetrahedron) => {
                let [p, q, r, s] = tetrahedron.points();
                !orient3d(p, q, r, s).is_zero()
            }
            Shape::Custom(custom) => custom.spans_space(),
            Shape::Compound(compound) => compound.parts().iter().any(|(_, part)| part.has_interior()),
            Shape::Mesh(mesh) => mesh.is_solid(),
        }
    }

    /// Upper bound on the distance of any point of the body from the origin of its frame.
    pub(crate) fn reach(&self) -> f64 {
        let bounds = self.bounds();
        bounds.min.abs().max(bounds.max.abs()).length() * ROUND_UP
    }

    /// An upper bound on the distance between two points of the body: exact (rounded up) for spheres, boxes, capsules,
    /// cylinders and ellipsoids, at most √3 times too large for other bounded bodies, infinite for half-spaces and
    /// height fields.
    ///
    /// ```
    /// use clearance::Shape;
    /// assert_eq!(Shape::sphere(2.0).unwrap().diameter(), 4.0);
    /// ```
    #[must_use]
    pub fn diameter(&self) -> f64 {
        match self {
            Shape::Sphere(sphere) => 2.0 * sphere.radius(),
            Shape::Cuboid(cuboid) => 2.0 * cuboid.radius(),
            Shape::Hull(hull) => hull.hull().diameter,
            Shape::Capsule(capsule) => 2.0 * capsule.bounds().max.z,
            Shape::Cylinder(c) => 2.0 * rounded_up_length(DVec3::new(c.radius(), 0.0, c.half_length())),
            Shape::Cone(c) => {
                (2.0 * c.radius()).max(rounded_up_length(DVec3::new(c.radius(), 0.0, 2.0 * c.half_length())))
            }
            Shape::Ellipsoid(ellipsoid) => 2.0 * ellipsoid.semi_axes().max_element(),
            Shape::Rounded(rounded) => rounded.diameter(),
            Shape::HalfSpace(_) | Shape::HeightField(_) => f64::INFINITY,
            Shape::Segment(segment) => segment.corners().diameter,
            Shape::Triangle(triangle) => triangle.corners().diameter,
            Shape::Tetrahedron(tetrahedron) => tetrahedron.corners().diameter,
            Shape::Custom(custom) => rounded_up_length(custom.bounds().size()),
            Shape::Compound(compound) => rounded_up_length(compound.bounds().size()),
            Shape::Mesh(mesh) => mesh.surface().diameter,
        }
    }
}
