//! Rounded bodies: everything within a distance of a convex core.

use std::sync::Arc;

use glam::DVec3;

use super::Shape;
use super::mass::MassProperties;
use super::rounded_mass;
use crate::bound::Aabb;
use crate::error::{Error, check_length};

/// All points within `radius` of a bounded convex body, its core.
///
/// The radius is a length in the world, like that of a ball. Features are those of the core: a witness point lies
/// `radius` outside of the feature that is named.
///
/// ```
/// use clearance::{Rounded, Shape, glam::DVec3};
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
    /// Rounds a body that is neither unbounded nor made of parts. A core that has a radius of its own (a ball, a
    /// capsule, a rounded body) gets the sum of both, rounded to a double.
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

    /// The body inside.
    pub fn core(&self) -> &Shape {
        &self.core
    }

    /// How far the surface lies outside of the core.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The ball or capsule that a rounded ball or capsule is.
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

    /// The body times a power of two; `None` if that is out of range.
    pub(crate) fn scaled(&self, factor: f64) -> Option<Rounded> {
        Rounded::new(self.core.scaled(factor)?, self.radius * factor).ok()
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        rounded_mass::of_rounded(&self.core, self.radius)
    }
}
