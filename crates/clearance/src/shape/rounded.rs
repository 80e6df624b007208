//! Rounded bodies: all points within a radius of a convex core.

use std::sync::Arc;

use glam::DVec3;

use super::any::Shape;
use super::capsule::Capsule;
use super::mass::MassProperties;
use super::rounded_mass::{of_cone, of_custom, of_cylinder, of_ellipsoid, of_hull, of_points, of_segment};
use super::sphere::Sphere;
use crate::bound::Aabb;
use crate::error::{Error, check_length};

/// All points within `radius` of a bounded convex body, its core.
///
/// The radius is a world length, like that of a sphere. Features are those of the core: a witness point lies `radius`
/// outside the feature given.
///
/// ```
/// use clearance::{Shape, glam::DVec3};
/// use clearance::shape::Rounded;
/// let soft_box = Rounded::new(Shape::cuboid(DVec3::ONE)?, 0.1)?;
/// assert_eq!(soft_box.radius(), 0.1);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rounded {
    core: Arc<Shape>,
    radius: f64,
}

impl Rounded {
    /// Rounds a bounded convex body. If the core already has a radius (sphere, capsule, rounded body), the result has
    /// the sum of both, rounded to `f64`.
    ///
    /// # Errors
    /// [`Error::NotACore`], [`Error::NotPositive`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(core: Shape, radius: f64) -> Result<Rounded, Error> {
        check_length("radius", radius)?;
        if matches!(core, Shape::HalfSpace(_) | Shape::Compound(_) | Shape::HeightField(_) | Shape::Mesh(_)) {
            return Err(Error::NotACore { kind: core.kind_name() });
        }
        if let Shape::Rounded(inner) = &core {
            let radius = inner.radius + radius;
            check_length("radius", radius)?;
            return Ok(Rounded { core: inner.core.clone(), radius });
        }
        Ok(Rounded { core: Arc::new(core), radius })
    }

    /// The core, in the same local frame.
    #[must_use]
    pub fn core(&self) -> &Shape {
        &self.core
    }

    /// The radius: the distance between the surface and the core, in world units.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The equivalent sphere or capsule, if the core is one.
    pub(crate) fn simplified(&self) -> Option<Shape> {
        match self.core() {
            Shape::Sphere(s) => Shape::sphere(s.radius() + self.radius).ok(),
            Shape::Capsule(c) => Shape::capsule(c.half_length(), c.radius() + self.radius).ok(),
            _ => None,
        }
    }

    pub(crate) fn bounds(&self) -> Aabb {
        let core = self.core.bounds();
        let outward = |x: f64| (x + self.radius).next_up();
        let grown = |v: DVec3| DVec3::new(outward(v.x), outward(v.y), outward(v.z));
        Aabb::new(-grown(-core.min), grown(core.max))
    }

    pub(crate) fn diameter(&self) -> f64 {
        (self.core.diameter() + 2.0 * self.radius).next_up()
    }

    /// The body scaled by a power of two; `None` if out of range.
    pub(crate) fn scaled(&self, factor: f64) -> Option<Rounded> {
        Rounded::new(self.core.scaled(factor)?, self.radius * factor).ok()
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        mass_properties_of(&self.core, self.radius)
    }
}

/// Mass properties of all points within `radius` of a convex body; those of the core if out of range.
fn mass_properties_of(core: &Shape, radius: f64) -> MassProperties {
    let found = match core {
        Shape::Sphere(sphere) => Sphere::new(sphere.radius() + radius).ok().map(|sphere| sphere.mass_properties()),
        Shape::Capsule(capsule) => {
            let larger = Capsule::new(capsule.half_length(), capsule.radius() + radius).ok();
            larger.map(|capsule| capsule.mass_properties())
        }
        Shape::Cuboid(cuboid) => of_points((0..8).map(|k| cuboid.vertex(k)), radius),
        Shape::Hull(hull) => Some(of_hull(hull, radius)),
        Shape::Segment(segment) => {
            let [a, b] = segment.points();
            Some(of_segment(a, b, radius))
        }
        Shape::Triangle(triangle) => of_points(triangle.points().into_iter(), radius),
        Shape::Tetrahedron(tetrahedron) => of_points(tetrahedron.points().into_iter(), radius),
        Shape::Cylinder(cylinder) => Some(of_cylinder(cylinder, radius)),
        Shape::Cone(cone) => Some(of_cone(cone, radius)),
        Shape::Ellipsoid(ellipsoid) => Some(of_ellipsoid(ellipsoid.semi_axes(), radius)),
        Shape::Custom(custom) => of_custom(custom, radius),
        Shape::Rounded(inner) => Some(mass_properties_of(inner.core(), inner.radius() + radius)),
        Shape::HalfSpace(_) | Shape::Compound(_) | Shape::HeightField(_) | Shape::Mesh(_) => None,
    };
    found.unwrap_or_else(|| core.mass_properties())
}
