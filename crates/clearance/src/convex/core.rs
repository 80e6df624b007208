//! The cores that convex queries work on: bodies without their rounding radius.

use fearless_simd::{Simd, f64x4};
use glam::DVec3;

use crate::math::placement::widened;
use crate::math::tolerances::ROUND_UP;
use crate::shape::{Corners, Custom, Farthest, Hull, Shape, corner, rounded_up_length};

/// A convex set with finitely many numbered vertices, in the frame of its body and relative to its local origin.
pub(crate) trait Core: Copy {
    /// Vertex `id`.
    fn vertex(&self, id: u32) -> DVec3;
    /// Vertex `id` in four lanes, the last of them zero.
    #[inline(always)]
    fn wide_vertex<S: Simd>(&self, simd: S, id: u32) -> f64x4<S> {
        widened(simd, self.vertex(id))
    }
    /// The number of vertices.
    fn vertex_count(&self) -> usize;
    /// The vertex farthest along `direction`.
    fn support<S: Simd>(&self, simd: S, direction: DVec3) -> u32;
    /// Three vertices far along `direction`, possibly equal: a start for a search.
    #[inline(always)]
    fn three_far<S: Simd>(&self, simd: S, direction: DVec3) -> [u32; 3] {
        [self.support(simd, direction); 3]
    }
    /// A bound on how far the core extends beyond the vertex found by `support`, in excess of what
    /// `tolerances::LOWER_BOUND` covers. Zero for polytopes.
    #[inline(always)]
    fn slack(&self) -> f64 {
        0.0
    }
}

/// Any core.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnyCore<'a> {
    /// The local origin.
    Point,
    /// A segment along z centred at the local origin, by half its length.
    Rod(f64),
    /// A box centred at the local origin, by its half extents.
    Box(DVec3),
    /// A few points.
    Points(&'a [DVec3]),
    /// A polytope.
    Hull(&'a Hull),
    /// A set without vertices: queries handle it separately, see [`AnyCore::is_smooth`].
    Smooth(Smooth<'a>),
}

/// A core that is not a polytope, centred at the local origin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Smooth<'a> {
    /// Axis along z.
    Cylinder { half_length: f64, radius: f64 },
    /// Apex at `+half_length`, base at `-half_length`.
    Cone { half_length: f64, radius: f64 },
    /// By its semi-axes.
    Ellipsoid(DVec3),
    /// The points with `normal · x <= offset`.
    HalfSpace { normal: DVec3, offset: f64 },
    /// A user-defined body.
    Custom(&'a Custom),
}

impl AnyCore<'_> {
    /// True for cores that are not polytopes. The vertex functions of [`Core`] treat them as their local origin.
    #[inline(always)]
    pub fn is_smooth(&self) -> bool {
        matches!(self, AnyCore::Smooth(_))
    }
}

impl Core for AnyCore<'_> {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        match self {
            AnyCore::Point | AnyCore::Smooth(_) => DVec3::ZERO,
            AnyCore::Rod(half) => DVec3::new(0.0, 0.0, if id == 0 { -half } else { *half }),
            AnyCore::Box(half) => BoxCore(*half).vertex(id),
            AnyCore::Points(points) => points[id as usize],
            AnyCore::Hull(hull) => hull.vertices[id as usize],
        }
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        match self {
            AnyCore::Point | AnyCore::Smooth(_) => 1,
            AnyCore::Rod(_) => 2,
            AnyCore::Box(_) => 8,
            AnyCore::Points(points) => points.len(),
            AnyCore::Hull(hull) => hull.vertices.len(),
        }
    }

    #[inline(always)]
    fn support<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        match self {
            AnyCore::Point | AnyCore::Smooth(_) => 0,
            AnyCore::Rod(_) => u32::from(direction.z >= 0.0),
            AnyCore::Points(points) => farthest(points, direction),
            AnyCore::Box(half) => BoxCore(*half).support(simd, direction),
            AnyCore::Hull(hull) => hull.farthest(simd, direction),
        }
    }

    #[inline(always)]
    fn three_far<S: Simd>(&self, simd: S, direction: DVec3) -> [u32; 3] {
        let first = match self {
            AnyCore::Point | AnyCore::Smooth(_) => return [0; 3],
            AnyCore::Hull(hull) => return hull.three_far(simd, direction),
            _ => self.support(simd, direction),
        };
        match self {
            AnyCore::Rod(_) => [first, first ^ 1, first],
            AnyCore::Box(half) => BoxCore(*half).three_far(simd, direction),
            _ => [first; 3],
        }
    }
}

/// A core that is its local origin.
#[derive(Clone, Copy)]
pub(crate) struct PointCore;

impl Core for PointCore {
    #[inline(always)]
    fn vertex(&self, _id: u32) -> DVec3 {
        DVec3::ZERO
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        1
    }

    #[inline(always)]
    fn support<S: Simd>(&self, _simd: S, _direction: DVec3) -> u32 {
        0
    }
}

/// A box centred at its local origin, by its half extents.
#[derive(Clone, Copy)]
pub(crate) struct BoxCore(pub DVec3);

impl Core for BoxCore {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        corner(self.0, id)
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        8
    }

    #[inline(always)]
    fn support<S: Simd>(&self, _simd: S, direction: DVec3) -> u32 {
        u32::from(direction.x >= 0.0) | u32::from(direction.y >= 0.0) << 1 | u32::from(direction.z >= 0.0) << 2
    }

    #[inline(always)]
    fn three_far<S: Simd>(&self, simd: S, direction: DVec3) -> [u32; 3] {
        const ACROSS: [[u32; 2]; 3] = [[2, 4], [1, 4], [1, 2]];
        let first = self.support(simd, direction);
        // Across all axes but the one that costs the most height.
        let lost = (direction * self.0).abs();
        let most = if lost.x >= lost.y.max(lost.z) { 0 } else { 1 + usize::from(lost.z > lost.y) };
        [first, first ^ ACROSS[most][0], first ^ ACROSS[most][1]]
    }
}

/// The first of the points farthest along `direction`.
#[inline(always)]
fn farthest(points: &[DVec3], direction: DVec3) -> u32 {
    let mut best = 0;
    let mut top = f64::NEG_INFINITY;
    for (index, point) in points.iter().enumerate() {
        let value = direction.dot(*point);
        if value > top {
            (best, top) = (index as u32, value);
        }
    }
    best
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
    fn support<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        self.farthest(simd, direction)
    }

    #[inline(always)]
    fn three_far<S: Simd>(&self, simd: S, direction: DVec3) -> [u32; 3] {
        Hull::three_far(self, simd, direction)
    }
}

/// A polytope with a fixed support search: the same results as `&Hull`, but only that search is compiled into the loop.
pub(crate) struct Searched<'a, F> {
    pub hull: &'a Hull,
    pub search: &'a F,
}

impl<'a, F> Searched<'a, F> {
    pub fn new(hull: &'a Hull, search: &'a F) -> Self {
        Searched { hull, search }
    }
}

impl<F> Clone for Searched<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Searched<'_, F> {}

impl<F: Farthest> Core for Searched<'_, F> {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        self.search.vertex(&self.hull.vertices, id)
    }

    #[inline(always)]
    fn wide_vertex<S: Simd>(&self, simd: S, id: u32) -> f64x4<S> {
        self.search.wide_vertex(simd, &self.hull.vertices, id)
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        self.hull.vertices.len()
    }

    #[inline(always)]
    fn support<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        self.search.support(simd, &self.hull.vertices, direction)
    }

    #[inline(always)]
    fn three_far<S: Simd>(&self, simd: S, direction: DVec3) -> [u32; 3] {
        self.search.three_far(simd, &self.hull.vertices, direction)
    }
}

/// A core with the quantities that every query needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    /// The set the query works on.
    pub core: AnyCore<'a>,
    /// The rounding radius: added after the query on the cores.
    pub radius: f64,
    /// Largest distance of a core vertex from the local origin, rounded up.
    pub extent: f64,
    /// Bound on the diameter of the core.
    pub diameter: f64,
    /// The local origin, in the body's frame.
    pub origin: DVec3,
}

impl<'a> Body<'a> {
    /// The core and radius of a convex body. For a compound: its bounding box.
    #[inline(always)]
    pub fn of(shape: &'a Shape) -> Body<'a> {
        match shape {
            Shape::Sphere(sphere) => Body::about_origin(AnyCore::Point, sphere.radius(), 0.0),
            Shape::Cuboid(cuboid) => Body::about_origin(AnyCore::Box(cuboid.half_extents()), 0.0, cuboid.radius()),
            Shape::Hull(hull) => Body::of_hull(hull.hull()),
            Shape::Capsule(c) => Body::about_origin(AnyCore::Rod(c.half_length()), c.radius(), c.half_length()),
            Shape::Segment(segment) => Body::of_corners(segment.corners()),
            Shape::Triangle(triangle) => Body::of_corners(triangle.corners()),
            Shape::Tetrahedron(tetrahedron) => Body::of_corners(tetrahedron.corners()),
            Shape::Rounded(rounded) => {
                let core = Body::of(rounded.core());
                Body { radius: core.radius + rounded.radius(), ..core }
            }
            _ => Body::of_smooth(shape),
        }
    }

    /// A polytope.
    #[inline(always)]
    pub fn of_hull(hull: &'a Hull) -> Body<'a> {
        Body {
            core: AnyCore::Hull(hull),
            radius: 0.0,
            extent: hull.radius,
            diameter: hull.diameter,
            origin: hull.origin,
        }
    }

    #[inline(always)]
    fn about_origin(core: AnyCore<'a>, radius: f64, extent: f64) -> Body<'a> {
        Body { core, radius, extent, diameter: 2.0 * extent, origin: DVec3::ZERO }
    }

    #[inline(always)]
    fn of_corners<const N: usize>(corners: &'a Corners<N>) -> Body<'a> {
        Body {
            core: AnyCore::Points(&corners.points),
            radius: 0.0,
            extent: corners.radius,
            diameter: corners.diameter,
            origin: corners.origin,
        }
    }

    #[cold]
    fn of_smooth(shape: &'a Shape) -> Body<'a> {
        let smooth = |core: Smooth<'a>, extent: f64| Body::about_origin(AnyCore::Smooth(core), 0.0, extent);
        let slanted = |half_length: f64, radius: f64| rounded_up_length(DVec3::new(radius, 0.0, half_length));
        match shape {
            Shape::Cylinder(c) => {
                let (half_length, radius) = (c.half_length(), c.radius());
                smooth(Smooth::Cylinder { half_length, radius }, slanted(half_length, radius))
            }
            Shape::Cone(c) => {
                let (half_length, radius) = (c.half_length(), c.radius());
                smooth(Smooth::Cone { half_length, radius }, slanted(half_length, radius))
            }
            Shape::Ellipsoid(ellipsoid) => {
                let axes = ellipsoid.semi_axes();
                smooth(Smooth::Ellipsoid(axes), axes.max_element())
            }
            Shape::HalfSpace(plane) => {
                // Its one known point is the projection of the origin onto the plane.
                let (normal, offset) = (plane.normal(), plane.offset());
                let extent = offset.abs() / normal.length() * ROUND_UP;
                Body { diameter: extent, ..smooth(Smooth::HalfSpace { normal, offset }, extent) }
            }
            Shape::Custom(custom) => {
                let bounds = custom.bounds();
                let extent = rounded_up_length(bounds.min.abs().max(bounds.max.abs()));
                let diameter = rounded_up_length(bounds.size()).min(2.0 * extent);
                Body { diameter, ..smooth(Smooth::Custom(custom), extent) }
            }
            _ => {
                let bounds = shape.bounds();
                let half = (0.5 * bounds.size()) * ROUND_UP;
                Body { origin: bounds.center(), ..Body::about_origin(AnyCore::Box(half), 0.0, rounded_up_length(half)) }
            }
        }
    }
}
