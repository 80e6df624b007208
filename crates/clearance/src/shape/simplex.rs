//! Segments, triangles and tetrahedra: the convex hulls of two, three and four points, stored inline.
//!
//! Unlike a [`ConvexHull`](super::ConvexHull) they need no construction and no allocation, and may be degenerate: a
//! segment of length zero, a triangle of zero area and a flat tetrahedron are valid closed sets.

use glam::DVec3;

use super::mass::{self, MassProperties};
use crate::bound::Aabb;
#[cfg(feature = "serde")]
use crate::bound::extent::given_point;
use crate::bound::extent::{local_origin, rounded_up_length};
use crate::error::{Error, check_coordinates, check_size};
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;
use crate::math::tolerances::ROUND_UP;

/// Up to four points relative to a local origin chosen as for hulls: the stored coordinates are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corners<const N: usize> {
    pub origin: DVec3,
    pub points: [DVec3; N],
    /// Largest distance of a point from `origin`, rounded up.
    pub radius: f64,
    /// Bound on the distance between two points.
    pub diameter: f64,
}

impl<const N: usize> Corners<N> {
    fn new(points: [DVec3; N]) -> Result<Corners<N>, Error> {
        for (index, &point) in points.iter().enumerate() {
            check_coordinates("point", index, point)?;
        }
        let what = ["size of the segment", "size of the triangle", "size of the tetrahedron"][N.clamp(2, 4) - 2];
        let bounds = points.iter().fold(Aabb::EMPTY, |bounds, &v| bounds.including(v));
        check_size(what, bounds.size().max_element())?;
        Ok(Corners::from_checked(points))
    }

    fn from_checked(mut points: [DVec3; N]) -> Corners<N> {
        let bounds = points.iter().fold(Aabb::EMPTY, |bounds, &v| bounds.including(v));
        let origin = local_origin(&bounds);
        for point in &mut points {
            *point -= origin;
        }
        let radius = points.iter().map(|v| rounded_up_length(*v)).fold(0.0, f64::max);
        let diameter = (rounded_up_length(bounds.size()) * ROUND_UP).min(2.0 * radius);
        Corners { origin, points, radius, diameter }
    }

    fn given(&self) -> [DVec3; N] {
        self.points.map(|point| point + self.origin)
    }

    /// The points with the signs of their zeros, for serialisation.
    #[cfg(feature = "serde")]
    fn kept(&self) -> [DVec3; N] {
        self.points.map(|point| given_point(point, self.origin))
    }

    fn scaled(&self, factor: f64) -> Corners<N> {
        Corners {
            origin: self.origin * factor,
            points: self.points.map(|point| point * factor),
            radius: self.radius * factor,
            diameter: self.diameter * factor,
        }
    }

    fn bounds(&self) -> Aabb {
        self.given().iter().fold(Aabb::EMPTY, |bounds, &v| bounds.including(v))
    }
}

/// The segment between two points. `Vertex(0)` and `Vertex(1)` are its ends, `Edge(0)` is its interior.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::shape::Segment;
/// let segment = Segment::new(DVec3::ZERO, DVec3::X)?;
/// assert_eq!(segment.points(), [DVec3::ZERO, DVec3::X]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    corners: Corners<2>,
}

/// A triangle, as a flat two-sided body. `Vertex(k)` is point `k`, `Edge(k)` runs from point `k` to the next, `Face(0)`
/// is its interior.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::shape::Triangle;
/// let triangle = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y)?;
/// assert_eq!(triangle.points()[2], DVec3::Y);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    corners: Corners<3>,
}

/// The tetrahedron spanned by four points, of either orientation. `Vertex(k)` is point `k`, `Face(k)` the face opposite
/// to it; edges 0 to 5 join the points 01, 02, 03, 12, 13, 23.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::shape::Tetrahedron;
/// let corner = Tetrahedron::new([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// assert_eq!(corner.points()[3], DVec3::Z);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tetrahedron {
    corners: Corners<4>,
}

macro_rules! common {
    ($kind:ty, $count:literal) => {
        impl $kind {
            /// The points in the local frame, bit for bit as given.
            #[must_use]
            pub fn points(&self) -> [DVec3; $count] {
                self.corners.given()
            }

            pub(crate) fn corners(&self) -> &Corners<$count> {
                &self.corners
            }

            pub(crate) fn bounds(&self) -> Aabb {
                self.corners.bounds()
            }

            /// The body scaled by a power of two.
            pub(crate) fn scaled(&self, factor: f64) -> $kind {
                Self { corners: self.corners.scaled(factor) }
            }
        }
    };
}

common!(Segment, 2);
common!(Triangle, 3);
common!(Tetrahedron, 4);

impl Segment {
    /// The segment from `start` to `end`; they may be equal.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(start: DVec3, end: DVec3) -> Result<Segment, Error> {
        Corners::new([start, end]).map(|corners| Segment { corners })
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        flat_mass(&self.corners)
    }
}

impl Triangle {
    /// The triangle spanned by three points, which may be collinear.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(a: DVec3, b: DVec3, c: DVec3) -> Result<Triangle, Error> {
        Corners::new([a, b, c]).map(|corners| Triangle { corners })
    }

    /// The triangle of three points whose coordinates are known to be in range, as part of a larger body; it may have
    /// any size.
    pub(crate) fn from_checked(points: [DVec3; 3]) -> Triangle {
        Triangle { corners: Corners::from_checked(points) }
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        flat_mass(&self.corners)
    }
}

impl Tetrahedron {
    /// The tetrahedron spanned by four points, which may be coplanar.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`].
    pub fn new(points: [DVec3; 4]) -> Result<Tetrahedron, Error> {
        Corners::new(points).map(|corners| Tetrahedron { corners })
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        let [a, b, c, d] = self.corners.points;
        let forward = (b - a).cross(c - a).dot(d - a) > 0.0;
        let mut faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        if !forward {
            faces.iter_mut().for_each(|face| face.swap(1, 2));
        }
        let local = mass::of_polytope(&self.corners.points, &faces);
        MassProperties { center: local.center + self.corners.origin, ..local }
    }
}

/// Mass properties of a body without volume.
fn flat_mass<const N: usize>(corners: &Corners<N>) -> MassProperties {
    let local = mass::of_polytope(&corners.points, &[]);
    MassProperties { center: local.center + corners.origin, ..local }
}

#[cfg(feature = "serde")]
data_form!(Segment { start: DVec3, end: DVec3 }, |segment| segment.corners.kept().into(), Segment::new,);
#[cfg(feature = "serde")]
data_form!(Triangle { points: [DVec3; 3] }, |triangle| (triangle.corners.kept(),), |[a, b, c]: [DVec3; 3]| {
    Triangle::new(a, b, c)
},);
#[cfg(feature = "serde")]
data_form!(Tetrahedron { points: [DVec3; 4] }, |tetrahedron| (tetrahedron.corners.kept(),), Tetrahedron::new,);
