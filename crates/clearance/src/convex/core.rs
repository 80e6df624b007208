//! The cores that convex queries work on: what is left of a body when its radius is taken away.

use fearless_simd::Simd;
use glam::DVec3;

use crate::shape::{Hull, Shape, corner};

/// A convex set with finitely many numbered vertices, in the frame of its body and relative to its local origin.
pub(crate) trait Core: Copy {
    /// Vertex `id`.
    fn vertex(&self, id: u32) -> DVec3;
    /// How many vertices there are.
    fn vertex_count(&self) -> usize;
    /// The vertex farthest along `direction`; `hint` is where to start looking.
    fn support<S: Simd>(&self, simd: S, direction: DVec3, hint: Option<u32>) -> u32;
    /// A bound on how much farther than `vertex` the core reaches along `direction`, of length `length`, beyond what
    /// `tolerances::LOWER_BOUND` covers; `vertex` was found by `support` along the very same vector.
    fn slack<S: Simd>(&self, simd: S, direction: DVec3, length: f64, vertex: u32) -> f64;
    /// As `support`, but with no slack.
    fn support_without_slack<S: Simd>(&self, simd: S, direction: DVec3) -> u32;
}

/// Any core.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnyCore<'a> {
    /// The local origin.
    Point,
    /// A box about the local origin, by its half extents.
    Box(DVec3),
    /// A polytope.
    Hull(&'a Hull),
}

impl Core for AnyCore<'_> {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        match self {
            AnyCore::Point => DVec3::ZERO,
            AnyCore::Box(half) => corner(*half, id),
            AnyCore::Hull(hull) => hull.vertices[id as usize],
        }
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        match self {
            AnyCore::Point => 1,
            AnyCore::Box(_) => 8,
            AnyCore::Hull(hull) => hull.vertices.len(),
        }
    }

    #[inline(always)]
    fn support<S: Simd>(&self, simd: S, direction: DVec3, hint: Option<u32>) -> u32 {
        match self {
            AnyCore::Point => 0,
            AnyCore::Box(_) => {
                u32::from(direction.x >= 0.0) | u32::from(direction.y >= 0.0) << 1 | u32::from(direction.z >= 0.0) << 2
            }
            AnyCore::Hull(hull) => hull.support(simd, direction, hint),
        }
    }

    #[inline(always)]
    fn slack<S: Simd>(&self, simd: S, direction: DVec3, length: f64, vertex: u32) -> f64 {
        match self {
            AnyCore::Point | AnyCore::Box(_) => 0.0,
            AnyCore::Hull(hull) => hull.slack(simd, direction, length, vertex),
        }
    }

    #[inline(always)]
    fn support_without_slack<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        match self {
            AnyCore::Hull(hull) => hull.support_by_scan(simd, direction),
            _ => self.support(simd, direction, None),
        }
    }
}

impl Core for &Hull {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        self.vertices[id as usize]
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    #[inline(always)]
    fn support<S: Simd>(&self, simd: S, direction: DVec3, hint: Option<u32>) -> u32 {
        Hull::support(self, simd, direction, hint)
    }

    #[inline(always)]
    fn slack<S: Simd>(&self, simd: S, direction: DVec3, length: f64, vertex: u32) -> f64 {
        Hull::slack(self, simd, direction, length, vertex)
    }

    #[inline(always)]
    fn support_without_slack<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        self.support_by_scan(simd, direction)
    }
}

/// A polytope small enough to be scanned: the same answers as `&Hull`, without the code for climbing in the loop.
#[derive(Clone, Copy)]
pub(crate) struct Scanned<'a>(pub &'a Hull);

impl Core for Scanned<'_> {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        self.0.vertices[id as usize]
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        self.0.vertices.len()
    }

    #[inline(always)]
    fn support<S: Simd>(&self, simd: S, direction: DVec3, _hint: Option<u32>) -> u32 {
        self.0.support_by_scan(simd, direction)
    }

    #[inline(always)]
    fn slack<S: Simd>(&self, _simd: S, _direction: DVec3, _length: f64, _vertex: u32) -> f64 {
        0.0
    }

    #[inline(always)]
    fn support_without_slack<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        self.0.support_by_scan(simd, direction)
    }
}

/// A core with the numbers that every query needs of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    /// The set the query works on.
    pub core: AnyCore<'a>,
    /// What surrounds the core: added after the query on the cores.
    pub radius: f64,
    /// Largest distance of a core vertex from the local origin, rounded up.
    pub extent: f64,
    /// Bound on the diameter of the core.
    pub diameter: f64,
    /// The local origin, in the body's frame.
    pub origin: DVec3,
}

impl<'a> Body<'a> {
    #[inline(always)]
    pub fn of(shape: &'a Shape) -> Body<'a> {
        match shape {
            Shape::Sphere(sphere) => {
                Body { core: AnyCore::Point, radius: sphere.radius(), extent: 0.0, diameter: 0.0, origin: DVec3::ZERO }
            }
            Shape::Cuboid(cuboid) => {
                let extent = cuboid.radius();
                Body {
                    core: AnyCore::Box(cuboid.half_extents()),
                    radius: 0.0,
                    extent,
                    diameter: 2.0 * extent,
                    origin: DVec3::ZERO,
                }
            }
            Shape::Hull(hull) => {
                let hull = hull.hull();
                Body {
                    core: AnyCore::Hull(hull),
                    radius: 0.0,
                    extent: hull.radius,
                    diameter: hull.diameter,
                    origin: hull.origin,
                }
            }
        }
    }
}
