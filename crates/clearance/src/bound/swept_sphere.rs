//! Spheres swept over the core that suits: chosen once for each volume, or all three side by side.
//!
//! The hybrid trees of Larsen, Gottschalk, Lin, Manocha, *Fast Proximity Queries with Swept Sphere Volumes* (TR99-018,
//! 1999). A sphere swept over a point is a [`Sphere`].

use glam::DVec3;

use super::axes::principal_axes;
use super::core_distance::Core;
use super::sealed::Sealed;
use super::swept::{Swept, between, both, or_origin};
use super::{Bound, Fit, Lss, RelativePose, Rss, Sphere};
use crate::math::tolerances::{HYBRID_VOLUME, ROUND_UP};

/// A sphere swept over a point, a segment or a rectangle: of the three the simplest that is not much larger than the
/// rectangle's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SweptSphere {
    /// Over a point.
    Point(Sphere),
    /// Over a segment.
    Line(Lss),
    /// Over a rectangle.
    Rectangle(Rss),
}

impl SweptSphere {
    fn simplest(point: Sphere, line: Lss, rectangle: Rss) -> SweptSphere {
        let limit = rectangle.volume() * HYBRID_VOLUME;
        if point.volume() <= limit {
            SweptSphere::Point(point)
        } else if line.volume() <= limit {
            SweptSphere::Line(line)
        } else {
            SweptSphere::Rectangle(rectangle)
        }
    }
}

/// Calls a method of whichever kind of volume it is.
macro_rules! of_any {
    ($volume:expr, $kind:ident => $value:expr) => {
        match $volume {
            SweptSphere::Point($kind) => $value,
            SweptSphere::Line($kind) => $value,
            SweptSphere::Rectangle($kind) => $value,
        }
    };
}

impl Swept for SweptSphere {
    fn swept(&self) -> (Core, f64) {
        of_any!(self, volume => volume.swept())
    }
}

impl Sealed for SweptSphere {}

impl Bound for SweptSphere {
    type Relation = RelativePose;

    fn fit(corners: &[DVec3], how: Fit) -> SweptSphere {
        let (points, axes) = (or_origin(corners), principal_axes(corners, how));
        SweptSphere::simplest(Sphere::fit(corners, how), Lss::along(points, axes), Rss::along(points, axes))
    }

    fn merge(a: &SweptSphere, b: &SweptSphere) -> SweptSphere {
        let (corners, radius) = both(a, b);
        let axes = principal_axes(&corners, Fit::Vertices);
        let point = Sphere::fit(&corners, Fit::Vertices);
        let (line, rectangle) = (Lss::along(&corners, axes), Rss::along(&corners, axes));
        let point = Sphere { radius: (point.radius + radius) * ROUND_UP, ..point };
        SweptSphere::simplest(point, line.thickened(radius), rectangle.thickened(radius))
    }

    fn relation(pose: &RelativePose) -> RelativePose {
        *pose
    }

    fn overlaps(&self, b: &SweptSphere, pose: &RelativePose) -> bool {
        between(self, b, pose) == 0.0
    }

    fn distance_below(&self, b: &SweptSphere, pose: &RelativePose) -> f64 {
        between(self, b, pose)
    }

    fn axes(&self) -> Option<[DVec3; 3]> {
        of_any!(self, volume => volume.axes())
    }

    fn volume(&self) -> f64 {
        of_any!(self, volume => volume.volume())
    }

    fn surface(&self) -> f64 {
        of_any!(self, volume => volume.surface())
    }

    fn longest(&self) -> f64 {
        of_any!(self, volume => volume.longest())
    }

    fn support(&self, direction: DVec3) -> f64 {
        of_any!(self, volume => volume.support(direction))
    }

    fn reach(&self) -> f64 {
        of_any!(self, volume => volume.reach())
    }
}

/// Spheres swept over a point, a segment and a rectangle, all about the same points: a test begins with the cheapest
/// and ends with the first that separates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptSpheres {
    point: Sphere,
    line: Lss,
    rectangle: Rss,
}

impl SweptSpheres {
    /// The sphere swept over a point.
    #[must_use]
    pub fn point(&self) -> &Sphere {
        &self.point
    }

    /// The sphere swept over a segment.
    #[must_use]
    pub fn line(&self) -> &Lss {
        &self.line
    }

    /// The sphere swept over a rectangle.
    #[must_use]
    pub fn rectangle(&self) -> &Rss {
        &self.rectangle
    }
}

impl Sealed for SweptSpheres {}

impl Bound for SweptSpheres {
    type Relation = RelativePose;

    fn fit(corners: &[DVec3], how: Fit) -> SweptSpheres {
        let (points, axes) = (or_origin(corners), principal_axes(corners, how));
        let point = Sphere::fit(corners, how);
        SweptSpheres { point, line: Lss::along(points, axes), rectangle: Rss::along(points, axes) }
    }

    fn merge(a: &SweptSpheres, b: &SweptSpheres) -> SweptSpheres {
        SweptSpheres {
            point: Sphere::merge(&a.point, &b.point),
            line: Lss::merge(&a.line, &b.line),
            rectangle: Rss::merge(&a.rectangle, &b.rectangle),
        }
    }

    fn relation(pose: &RelativePose) -> RelativePose {
        *pose
    }

    fn overlaps(&self, b: &SweptSpheres, pose: &RelativePose) -> bool {
        self.point.overlaps(&b.point, pose)
            && self.line.overlaps(&b.line, pose)
            && self.rectangle.overlaps(&b.rectangle, pose)
    }

    fn distance_below(&self, b: &SweptSpheres, pose: &RelativePose) -> f64 {
        let simple = self.point.distance_below(&b.point, pose).max(self.line.distance_below(&b.line, pose));
        simple.max(self.rectangle.distance_below(&b.rectangle, pose))
    }

    fn axes(&self) -> Option<[DVec3; 3]> {
        self.rectangle.axes()
    }

    fn volume(&self) -> f64 {
        self.rectangle.volume()
    }

    fn surface(&self) -> f64 {
        self.rectangle.surface()
    }

    fn longest(&self) -> f64 {
        self.rectangle.longest()
    }

    fn support(&self, direction: DVec3) -> f64 {
        let simple = self.point.support(direction).min(self.line.support(direction));
        simple.min(self.rectangle.support(direction))
    }

    /// Of all three, as any of them may be compared.
    fn reach(&self) -> f64 {
        self.point.reach().max(self.line.reach()).max(self.rectangle.reach())
    }
}
