//! Convex bodies of every kind as plain data, including curved ones, and their exact support functions.
//!
//! A shape lives in its own frame; a pose maps it to the world by `R v + t` with the numbers as stored. `R` need not be
//! exactly a rotation: the true body is the image under the matrix as given, and its support function along `n` is that
//! of the shape along `R^T n`, plus `n . t`. Radii (of a sphere, a capsule, a rounded body) are lengths in the world
//! and are not transformed: such a body is a placed core, grown by its radius.
//!
//! ```
//! use clearance_oracle::shape::{OraclePose, OracleShape, separation_along};
//!
//! let can = OracleShape::Cylinder { half_length: 1.0, radius: 0.5 };
//! let ball = OracleShape::Sphere { radius: 0.25 };
//! let above = OraclePose { translation: [0.0, 0.0, 3.0], ..OraclePose::IDENTITY };
//! let gap = separation_along(&can, &OraclePose::IDENTITY, &ball, &above, [0.0, 0.0, 1.0]);
//! assert_eq!(gap, Some((1.75, 1.75)));
//! ```

use crate::body::{IDENTITY, OracleBody};
use crate::real::{self, Real, Vector};

/// The kinds of shape, for tables and generators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShapeKind {
    /// A ball.
    Sphere,
    /// A segment grown by a radius.
    Capsule,
    /// A box.
    Cuboid,
    /// A circular cylinder with flat ends.
    Cylinder,
    /// A circular cone with a flat base.
    Cone,
    /// An ellipsoid.
    Ellipsoid,
    /// All points on one side of a plane.
    HalfSpace,
    /// A segment without thickness.
    Segment,
    /// A triangle without thickness.
    Triangle,
    /// A tetrahedron.
    Tetrahedron,
    /// The convex hull of points.
    Hull,
    /// Another shape grown by a radius.
    Rounded,
}

impl ShapeKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [ShapeKind; 12] = [
        ShapeKind::Sphere,
        ShapeKind::Capsule,
        ShapeKind::Cuboid,
        ShapeKind::Cylinder,
        ShapeKind::Cone,
        ShapeKind::Ellipsoid,
        ShapeKind::HalfSpace,
        ShapeKind::Segment,
        ShapeKind::Triangle,
        ShapeKind::Tetrahedron,
        ShapeKind::Hull,
        ShapeKind::Rounded,
    ];

    /// The name used in tables.
    ///
    /// ```
    /// use clearance_oracle::shape::ShapeKind;
    /// assert_eq!(ShapeKind::ALL.map(ShapeKind::name)[6], "half-space");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ShapeKind::Sphere => "sphere",
            ShapeKind::Capsule => "capsule",
            ShapeKind::Cuboid => "cuboid",
            ShapeKind::Cylinder => "cylinder",
            ShapeKind::Cone => "cone",
            ShapeKind::Ellipsoid => "ellipsoid",
            ShapeKind::HalfSpace => "half-space",
            ShapeKind::Segment => "segment",
            ShapeKind::Triangle => "triangle",
            ShapeKind::Tetrahedron => "tetrahedron",
            ShapeKind::Hull => "hull",
            ShapeKind::Rounded => "rounded",
        }
    }
}

/// A convex body in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum OracleShape {
    /// All points within `radius` of the origin.
    Sphere {
        /// In world units, not transformed.
        radius: f64,
    },
    /// All points within `radius` of the segment from `-half_length` to `+half_length` on the z axis.
    Capsule {
        /// Half the length of the segment.
        half_length: f64,
        /// In world units, not transformed.
        radius: f64,
    },
    /// A box centred at the origin, with sides along the axes.
    Cuboid {
        /// Half the side along each axis.
        half_extents: [f64; 3],
    },
    /// A cylinder around the z axis, from `-half_length` to `+half_length`.
    Cylinder {
        /// Half the height.
        half_length: f64,
        /// The radius of its circle.
        radius: f64,
    },
    /// A cone around the z axis: apex at `+half_length`, base at `-half_length`.
    Cone {
        /// Half the height.
        half_length: f64,
        /// The radius of the base.
        radius: f64,
    },
    /// An ellipsoid centred at the origin, with its axes along the coordinate axes.
    Ellipsoid {
        /// Half the length of each axis.
        semi_axes: [f64; 3],
    },
    /// All `x` with `normal . x <= offset`.
    HalfSpace {
        /// The outward direction; any length but zero.
        normal: [f64; 3],
        /// In units of the length of `normal`.
        offset: f64,
    },
    /// A segment.
    Segment {
        /// Its ends.
        ends: [[f64; 3]; 2],
    },
    /// A triangle.
    Triangle {
        /// Its corners.
        corners: [[f64; 3]; 3],
    },
    /// A tetrahedron.
    Tetrahedron {
        /// Its corners.
        corners: [[f64; 3]; 4],
    },
    /// The convex hull of points.
    Hull {
        /// At least one.
        points: Vec<[f64; 3]>,
    },
    /// All points within `radius` of another shape after placement.
    Rounded {
        /// The shape that is grown.
        core: Box<OracleShape>,
        /// In world units, not transformed.
        radius: f64,
    },
}

/// The placement of a shape: `R v + t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OraclePose {
    /// The rows of `R`, body to world.
    pub rotation: [[f64; 3]; 3],
    /// `t`, the position of the shape's origin in the world.
    pub translation: [f64; 3],
}

impl OraclePose {
    /// The identity.
    pub const IDENTITY: OraclePose = OraclePose { rotation: IDENTITY, translation: [0.0; 3] };
}

impl OracleShape {
    /// The kind of shape.
    ///
    /// ```
    /// use clearance_oracle::shape::{OracleShape, ShapeKind};
    /// assert_eq!(OracleShape::Sphere { radius: 1.0 }.kind(), ShapeKind::Sphere);
    /// ```
    #[must_use]
    pub const fn kind(&self) -> ShapeKind {
        match self {
            OracleShape::Sphere { .. } => ShapeKind::Sphere,
            OracleShape::Capsule { .. } => ShapeKind::Capsule,
            OracleShape::Cuboid { .. } => ShapeKind::Cuboid,
            OracleShape::Cylinder { .. } => ShapeKind::Cylinder,
            OracleShape::Cone { .. } => ShapeKind::Cone,
            OracleShape::Ellipsoid { .. } => ShapeKind::Ellipsoid,
            OracleShape::HalfSpace { .. } => ShapeKind::HalfSpace,
            OracleShape::Segment { .. } => ShapeKind::Segment,
            OracleShape::Triangle { .. } => ShapeKind::Triangle,
            OracleShape::Tetrahedron { .. } => ShapeKind::Tetrahedron,
            OracleShape::Hull { .. } => ShapeKind::Hull,
            OracleShape::Rounded { .. } => ShapeKind::Rounded,
        }
    }

    /// The largest distance between two points of the shape, rounded; infinite for a half-space.
    ///
    /// ```
    /// use clearance_oracle::shape::OracleShape;
    /// assert_eq!(OracleShape::Capsule { half_length: 2.0, radius: 0.5 }.diameter(), 5.0);
    /// ```
    #[must_use]
    pub fn diameter(&self) -> f64 {
        match self {
            OracleShape::Sphere { radius } => 2.0 * radius,
            OracleShape::Capsule { half_length, radius } => 2.0 * (half_length + radius),
            OracleShape::Cuboid { half_extents } => 2.0 * norm(*half_extents),
            OracleShape::Cylinder { half_length, radius } => 2.0 * norm([*half_length, *radius, 0.0]),
            OracleShape::Cone { half_length, radius } => norm([2.0 * half_length, *radius, 0.0]).max(2.0 * radius),
            OracleShape::Ellipsoid { semi_axes } => 2.0 * semi_axes[0].max(semi_axes[1]).max(semi_axes[2]),
            OracleShape::HalfSpace { .. } => f64::INFINITY,
            OracleShape::Segment { ends } => spread(ends),
            OracleShape::Triangle { corners } => spread(corners),
            OracleShape::Tetrahedron { corners } => spread(corners),
            OracleShape::Hull { points } => spread(points),
            OracleShape::Rounded { core, radius } => core.diameter() + 2.0 * radius,
        }
    }

    /// The same body as the hull of points with a radius, in the given pose, if it is one: not for a cylinder, cone,
    /// ellipsoid or half-space, nor for bodies made from them, nor for a radius that no double represents.
    ///
    /// ```
    /// use clearance_oracle::shape::{OraclePose, OracleShape};
    /// let capsule = OracleShape::Capsule { half_length: 2.0, radius: 0.5 };
    /// assert_eq!(capsule.to_body(&OraclePose::IDENTITY).unwrap().core_vertices, [[0.0, 0.0, -2.0], [0.0, 0.0, 2.0]]);
    /// assert_eq!(OracleShape::Ellipsoid { semi_axes: [1.0; 3] }.to_body(&OraclePose::IDENTITY), None);
    /// ```
    #[must_use]
    pub fn to_body(&self, pose: &OraclePose) -> Option<OracleBody> {
        let (core, radius) = self.core();
        let core_vertices = match core {
            Core::Points(points) => points,
            Core::Cuboid(half_extents) => OracleBody::cuboid(half_extents).core_vertices,
            _ => return None,
        };
        let (radius, above) = radius.bounds();
        let body = OracleBody { core_vertices, radius, rotation: pose.rotation, translation: pose.translation };
        (radius == above).then_some(body)
    }

    /// The shape without its radii, and the sum of the radii.
    pub(crate) fn core(&self) -> (Core, Real) {
        let points = |points: &[[f64; 3]]| (Core::Points(points.to_vec()), Real::zero());
        match self {
            OracleShape::Sphere { radius } => (Core::Points(vec![[0.0; 3]]), Real::from_f64(*radius)),
            OracleShape::Capsule { half_length, radius } => {
                let ends = vec![[0.0, 0.0, -half_length], [0.0, 0.0, *half_length]];
                (Core::Points(ends), Real::from_f64(*radius))
            }
            OracleShape::Cuboid { half_extents } => (Core::Cuboid(*half_extents), Real::zero()),
            OracleShape::Cylinder { half_length, radius } => {
                (Core::Cylinder { half_length: *half_length, radius: *radius }, Real::zero())
            }
            OracleShape::Cone { half_length, radius } => {
                (Core::Cone { half_length: *half_length, radius: *radius }, Real::zero())
            }
            OracleShape::Ellipsoid { semi_axes } => (Core::Ellipsoid(*semi_axes), Real::zero()),
            OracleShape::HalfSpace { normal, offset } => {
                (Core::HalfSpace { normal: *normal, offset: *offset }, Real::zero())
            }
            OracleShape::Segment { ends } => points(ends),
            OracleShape::Triangle { corners } => points(corners),
            OracleShape::Tetrahedron { corners } => points(corners),
            OracleShape::Hull { points: all } => points(all),
            OracleShape::Rounded { core, radius } => {
                let (core, inner) = core.core();
                (core, &inner + &Real::from_f64(*radius))
            }
        }
    }
}

/// How far B lies beyond A along a direction of any length: the least `n . x` over B minus the greatest over A, with
/// `n` the unit vector along `direction`; as the adjacent doubles around it. The bodies are at least this far apart,
/// and if it is negative, a translation by its magnitude along `n` separates them. `None` for half-spaces and for a
/// zero direction.
///
/// ```
/// use clearance_oracle::shape::{OraclePose, OracleShape, separation_along};
/// let egg = OracleShape::Ellipsoid { semi_axes: [1.0, 2.0, 2.0] };
/// let right = OraclePose { translation: [4.0, 0.0, 0.0], ..OraclePose::IDENTITY };
/// // Along (3, 4, 0) / 5 the egg reaches sqrt(9 + 64) / 5 to either side.
/// let (below, above) = separation_along(&egg, &OraclePose::IDENTITY, &egg, &right, [3.0, 4.0, 0.0]).unwrap();
/// let expected = (12.0 - 2.0 * 73.0_f64.sqrt()) / 5.0;
/// assert!(below <= above && (below - expected).abs() < 1e-15);
/// ```
///
/// # Panics
/// If a number is not finite.
#[must_use]
pub fn separation_along(
    a: &OracleShape,
    pose_a: &OraclePose,
    b: &OracleShape,
    pose_b: &OraclePose,
    direction: [f64; 3],
) -> Option<(f64, f64)> {
    let ((core_a, radius_a), (core_b, radius_b)) = (a.core(), b.core());
    let unbounded = |core: &Core| matches!(core, Core::HalfSpace { .. });
    if unbounded(&core_a) || unbounded(&core_b) || direction == [0.0; 3] {
        return None;
    }
    let (a, b) = (PlacedCore::new(core_a, pose_a), PlacedCore::new(core_b, pose_b));
    let gap = a.separation(&b, &real::vector(direction));
    Some((&gap - &(&radius_a + &radius_b)).bounds())
}

/// A shape without its radii.
#[derive(Clone, Debug)]
pub(crate) enum Core {
    Points(Vec<[f64; 3]>),
    Cuboid([f64; 3]),
    Cylinder { half_length: f64, radius: f64 },
    Cone { half_length: f64, radius: f64 },
    Ellipsoid([f64; 3]),
    HalfSpace { normal: [f64; 3], offset: f64 },
}

/// A core with its pose in exact numbers.
pub(crate) struct PlacedCore {
    pub(crate) core: Core,
    /// The rows of `R`.
    rotation: [Vector; 3],
    /// The rows of the cofactor matrix of `R`: the inverse transpose times the determinant. They map normals to the
    /// world.
    cofactors: [Vector; 3],
    pub(crate) translation: Vector,
}

impl PlacedCore {
    pub(crate) fn new(core: Core, pose: &OraclePose) -> PlacedCore {
        let rotation = pose.rotation.map(real::vector);
        let cofactors = std::array::from_fn(|row| real::cross(&rotation[(row + 1) % 3], &rotation[(row + 2) % 3]));
        PlacedCore { core, rotation, cofactors, translation: real::vector(pose.translation) }
    }

    /// `R v`: a body vector in world axes.
    pub(crate) fn turned(&self, v: &Vector) -> Vector {
        std::array::from_fn(|row| real::dot(&self.rotation[row], v))
    }

    /// The unit world normal of a surface with the normal `normal` in the body's frame.
    pub(crate) fn world_normal(&self, normal: &Vector) -> Vector {
        real::unit(&std::array::from_fn(|row| real::dot(&self.cofactors[row], normal)))
    }

    /// `R^T n`: the direction along which the shape's support function is that of the body along `n`.
    pub(crate) fn body_direction(&self, n: &Vector) -> Vector {
        std::array::from_fn(|column| {
            let part = |row: usize| &self.rotation[row][column] * &n[row];
            &(&part(0) + &part(1)) + &part(2)
        })
    }

    /// The greatest `n . x` over the body; for a half-space only along its own normal, of which the caller knows `n` to
    /// be a multiple up to its radius.
    pub(crate) fn support(&self, n: &Vector) -> Real {
        let d = self.body_direction(n);
        let number = Real::from_f64;
        let across = || (&(&d[0] * &d[0]) + &(&d[1] * &d[1])).sqrt();
        let reach = match &self.core {
            Core::Points(points) => {
                let along = points.iter().map(|point| real::dot(&d, &real::vector(*point)));
                along.reduce(Real::max).expect("a body without vertices")
            }
            Core::Cuboid(half_extents) => (0..3)
                .map(|axis| &d[axis].abs() * &number(half_extents[axis]))
                .reduce(|sum, part| &sum + &part)
                .expect("three axes"),
            Core::Cylinder { half_length, radius } => {
                &(&d[2].abs() * &number(*half_length)) + &(&across() * &number(*radius))
            }
            Core::Cone { half_length, radius } => {
                let apex = &d[2] * &number(*half_length);
                let rim = &(&across() * &number(*radius)) - &apex;
                apex.max(rim)
            }
            Core::Ellipsoid(semi_axes) => {
                real::length(&std::array::from_fn(|axis| &d[axis] * &number(semi_axes[axis])))
            }
            Core::HalfSpace { normal, offset } => {
                // `R^T n` is `factor * normal` with a positive factor.
                let normal = real::vector(*normal);
                let factor = real::dot(&d, &normal).divided_by(&real::dot(&normal, &normal));
                &factor * &number(*offset)
            }
        };
        &reach + &real::dot(n, &self.translation)
    }

    /// How far `other` lies beyond this body along `n`, of any length, in units of length.
    pub(crate) fn separation(&self, other: &PlacedCore, n: &Vector) -> Real {
        let overlap = &self.support(n) + &other.support(&real::negate(n));
        (-&overlap).divided_by(&real::length(n))
    }
}

/// The Euclidean length, rounded.
pub(crate) fn norm(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// The largest distance between two of the points, rounded.
fn spread(points: &[[f64; 3]]) -> f64 {
    let mut largest = 0.0_f64;
    for (index, p) in points.iter().enumerate() {
        for q in &points[..index] {
            largest = largest.max(norm([p[0] - q[0], p[1] - q[1], p[2] - q[2]]));
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along(shape: &OracleShape, direction: [f64; 3]) -> f64 {
        let (core, _) = shape.core();
        PlacedCore::new(core, &OraclePose::IDENTITY).support(&real::vector(direction)).to_f64()
    }

    #[test]
    fn supports_by_hand() {
        let cone = OracleShape::Cone { half_length: 2.0, radius: 1.0 };
        assert_eq!(along(&cone, [0.0, 0.0, 1.0]), 2.0);
        assert_eq!(along(&cone, [0.0, 0.0, -1.0]), 2.0);
        assert_eq!(along(&cone, [3.0, 4.0, 0.0]), 5.0);
        assert_eq!(along(&OracleShape::Cylinder { half_length: 2.0, radius: 1.0 }, [3.0, -4.0, -0.5]), 6.0);
        assert_eq!(along(&OracleShape::Cuboid { half_extents: [1.0, 2.0, 3.0] }, [1.0, -1.0, 1.0]), 6.0);
        assert_eq!(along(&OracleShape::Ellipsoid { semi_axes: [3.0, 2.0, 1.0] }, [1.0, 2.0, 0.0]), 5.0);
        assert_eq!(along(&OracleShape::HalfSpace { normal: [0.0, 0.0, 2.0], offset: 6.0 }, [0.0, 0.0, 1.0]), 3.0);
        let rounded = OracleShape::Rounded {
            core: Box::new(OracleShape::Rounded { core: Box::new(cone), radius: 0.25 }),
            radius: 0.5,
        };
        assert_eq!(rounded.core().1.bounds(), (0.75, 0.75));
        assert_eq!(rounded.diameter(), 17.0_f64.sqrt() + 1.5);
    }

    #[test]
    fn every_kind_is_listed_once() {
        for (index, kind) in ShapeKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, index);
            assert_eq!(ShapeKind::ALL.iter().filter(|other| other.name() == kind.name()).count(), 1);
        }
    }

    #[test]
    fn a_matrix_that_is_not_a_rotation_is_used_as_given() {
        // Doubled along x, sheared along y: the image of the unit ball reaches sqrt(2^2 + 0) along x, sqrt(1 + 1) along
        // y.
        let pose = OraclePose { rotation: [[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };
        let ball = PlacedCore::new(Core::Ellipsoid([1.0; 3]), &pose);
        assert_eq!(ball.support(&real::vector([1.0, 0.0, 0.0])).to_f64(), 2.0);
        assert_eq!(ball.support(&real::vector([0.0, 1.0, 0.0])).to_f64(), 2.0_f64.sqrt());
        // The image of the half-space x <= 1 is still bounded by the line of its image: 2 x' <= ... as a plane x' = 2.
        let half = PlacedCore::new(Core::HalfSpace { normal: [1.0, 0.0, 0.0], offset: 1.0 }, &pose);
        let normal = half.world_normal(&real::vector([1.0, 0.0, 0.0]));
        assert_eq!(real::rounded(&normal), [1.0, 0.0, 0.0]);
        assert_eq!(half.support(&normal).to_f64(), 2.0);
    }
}
