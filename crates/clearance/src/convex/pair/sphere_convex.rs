//! A sphere against a body whose core has a closed form for the nearest point: capsule, segment, triangle, tetrahedron,
//! box, cylinder, cone, and the rounded ones.
//!
//! Computed in the frame of the other body. A sphere has no orientation, so only its centre is placed: no matrix is
//! formed, nothing is turned except that one point and the normal. The bracket is that of any placed pair whose second
//! core is a single point: from below by the plane perpendicular to the direction, from above by the two points, each
//! widened as derived in `tolerances`.
//!
//! The predicates are those of the placed pair that all other code forms, in the frame of the sphere. So nothing is
//! decided here that rounding could reverse in either frame; close to contact, and where the closed form's bracket is
//! too wide, queries fall back to the general path.

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::Method;
use crate::answer::penetration::Penetration;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::core::{AnyCore, Body, Smooth};
use crate::convex::pair::feature;
use crate::convex::pair::placed::{inverse_length, world_lower, world_upper};
use crate::convex::point_core::{Foot, height, nearest};
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::{
    CONTACT_POINT, GJK_ACCEPT, LOWER_BOUND, MATRIX_VECTOR, ROUND_UP, SECOND_ORDER, SMALLEST_DIRECTION, SMALLEST_REACH,
    UNIT_ROUNDOFF,
};
use crate::shape::{Corners, Feature, Shape, rounded_up_length};

/// A sphere and another body, as the caller gave them.
#[derive(Clone, Copy)]
struct SphereAndBody<'s> {
    /// The pose and the radius of the sphere.
    sphere: &'s Pose,
    radius: f64,
    /// The other body.
    shape: &'s Shape,
    pose: &'s Pose,
    /// The sphere is the caller's A.
    sphere_first: bool,
}

/// A sphere's centre in the frame of another body.
struct SphereAndCore<'s> {
    given: SphereAndBody<'s>,
    /// The other body without its rounding, and the remaining radius.
    unrounded: &'s Shape,
    body: Body<'s>,
    /// The centre of the sphere in the frame of the other body, relative to its local origin.
    center: DVec3,
    /// Rounding errors are relative to this: twice the other's extent and the distance of the centre.
    reach: f64,
    /// Bound on the error of the centre.
    placement: f64,
    /// Lengths in the world are those of the frame times `1 ± stretch`, see `Placement::stretch`.
    stretch: f64,
}

/// A query on a sphere's centre and another core.
trait Query {
    type Answer;
    /// The answer, falling back to [`Query::otherwise`].
    fn of(self, pair: &SphereAndCore<'_>) -> Self::Answer;
    /// The answer where it is not decided here.
    fn otherwise(self) -> Self::Answer;
}

/// Whether they come within this margin of each other.
struct Meet(f64);

/// Their distance, and the fallback; returning it directly avoids an `Option`.
struct Gap<F>(F);

/// Their penetration depth.
struct Depth;

/// The signed gap of the cores, a point and another, in the frame of the second.
struct CoreGap {
    lower: f64,
    upper: f64,
    length: f64,
    /// Towards the sphere, not of unit length.
    toward: DVec3,
    /// The point of the other core.
    point: DVec3,
}

impl<'s> SphereAndBody<'s> {
    /// `None` if neither body is a sphere.
    #[inline(always)]
    fn of(a: &'s Shape, pose_a: &'s Pose, b: &'s Shape, pose_b: &'s Pose) -> Option<SphereAndBody<'s>> {
        match (a, b) {
            (Shape::Sphere(sphere), shape) => {
                Some(SphereAndBody { sphere: pose_a, radius: sphere.radius(), shape, pose: pose_b, sphere_first: true })
            }
            (shape, Shape::Sphere(sphere)) => Some(SphereAndBody {
                sphere: pose_b,
                radius: sphere.radius(),
                shape,
                pose: pose_a,
                sphere_first: false,
            }),
            _ => None,
        }
    }

    /// Runs a query on the centre of the sphere and the other core, if it has a closed form and the sizes need no
    /// special care. One copy of the query for each kind of core, in which no dispatch remains.
    #[inline(always)]
    fn ask<Q: Query>(&self, query: Q) -> Q::Answer {
        // A macro so that each kind has its own copy of what follows.
        macro_rules! run {
            ($pair:expr) => {
                match $pair {
                    Some(pair) => query.of(&pair),
                    None => query.otherwise(),
                }
            };
        }
        match self.shape {
            Shape::Cuboid(cuboid) => {
                run!(self.about_origin(AnyCore::Box(cuboid.half_extents()), 0.0, cuboid.radius()))
            }
            Shape::Capsule(capsule) => {
                let half = capsule.half_length();
                run!(self.about_origin(AnyCore::Rod(half), capsule.radius(), half))
            }
            Shape::Segment(segment) => run!(self.with_corners(segment.corners())),
            Shape::Triangle(triangle) => run!(self.with_corners(triangle.corners())),
            Shape::Tetrahedron(tetrahedron) => run!(self.with_corners(tetrahedron.corners())),
            Shape::Cylinder(cylinder) => {
                let (half_length, radius) = (cylinder.half_length(), cylinder.radius());
                run!(self.of_revolution(Smooth::Cylinder { half_length, radius }, half_length, radius))
            }
            Shape::Cone(cone) => {
                let (half_length, radius) = (cone.half_length(), cone.radius());
                run!(self.of_revolution(Smooth::Cone { half_length, radius }, half_length, radius))
            }
            Shape::Rounded(rounded) => match rounded.core() {
                core @ (Shape::Cuboid(_)
                | Shape::Segment(_)
                | Shape::Triangle(_)
                | Shape::Tetrahedron(_)
                | Shape::Cylinder(_)
                | Shape::Cone(_)) => run!(self.placed(core, Body::of(self.shape))),
                _ => query.otherwise(),
            },
            _ => query.otherwise(),
        }
    }

    #[inline(always)]
    fn about_origin(&self, core: AnyCore<'s>, radius: f64, extent: f64) -> Option<SphereAndCore<'s>> {
        self.placed(self.shape, Body { core, radius, extent, diameter: 2.0 * extent, origin: DVec3::ZERO })
    }

    #[inline(always)]
    fn of_revolution(&self, core: Smooth<'s>, half_length: f64, radius: f64) -> Option<SphereAndCore<'s>> {
        let extent = rounded_up_length(DVec3::new(radius, 0.0, half_length));
        self.about_origin(AnyCore::Smooth(core), 0.0, extent)
    }

    #[inline(always)]
    fn with_corners<const N: usize>(&self, corners: &'s Corners<N>) -> Option<SphereAndCore<'s>> {
        let Corners { origin, ref points, radius: extent, diameter } = *corners;
        self.placed(self.shape, Body { core: AnyCore::Points(points), radius: 0.0, extent, diameter, origin })
    }

    #[inline(always)]
    fn placed(&self, unrounded: &'s Shape, body: Body<'s>) -> Option<SphereAndCore<'s>> {
        let pose = self.pose;
        let between = self.sphere.translation() - pose.translation();
        let distance = between.length();
        let mut center = pose.inverse_rotation() * between;
        // The difference is off by `u`, the rotation by `MATRIX_VECTOR` and the error of the inverse.
        let turning = if pose.is_unrotated() { 0.0 } else { MATRIX_VECTOR + pose.inverse_error() };
        let mut error = distance * (UNIT_ROUNDOFF + turning);
        // Rotation changes the length of a vector by the defect and by rounding.
        let mut separation = distance * (ROUND_UP + pose.defect());
        if body.origin != DVec3::ZERO {
            center -= body.origin;
            separation = center.length() * ROUND_UP;
            // Here it is off by another `u` of that. In the placed pair, whose bound is reported, the local origin is
            // turned with the rest: `Placement::bound` of a single point.
            error = (error + UNIT_ROUNDOFF * separation).max(separation * (2.0 * UNIT_ROUNDOFF + turning));
        }
        let reach = (2.0 * body.extent + separation) * ROUND_UP;
        // Bodies far from their own origin are placed more accurately elsewhere. Written so that NaN is rejected.
        let plain = reach > SMALLEST_REACH && distance <= 2.0 * reach;
        plain.then(|| SphereAndCore {
            given: *self,
            unrounded,
            body,
            center,
            reach,
            placement: error * SECOND_ORDER,
            stretch: 0.5 * pose.defect() * (1.0 + pose.defect()),
        })
    }
}

impl SphereAndCore<'_> {
    #[inline(always)]
    fn radii(&self) -> f64 {
        self.given.radius + self.body.radius
    }

    /// A gap of the cores here, less `lengths`, that is larger than this has the same sign in the frame of the sphere.
    /// Here it is off by `LOWER_BOUND` (`35u`) or `CONTACT_POINT`, and by the placement of the centre, `9u`; there by
    /// that of the vertices, at most `18u`; lengths in the two frames differ by the stretch of the poses, at most the
    /// defects.
    #[inline(always)]
    fn doubt(&self, lengths: f64) -> f64 {
        let stretch = 2.0 * (self.given.pose.defect() + self.given.sphere.defect());
        (64.0 * UNIT_ROUNDOFF + stretch) * self.reach + (16.0 * UNIT_ROUNDOFF + stretch) * lengths
    }

    /// True for cylinders and cones: their projections need no proof by planes, see `point_curved`.
    #[inline(always)]
    fn is_curved(&self) -> bool {
        matches!(self.body.core, AnyCore::Smooth(_))
    }

    /// A lower bound of the gap of the cores. That of a curved core is off by `8u` of the reach; the published normal
    /// is off by `6u` here and by `11u` in the world, and the plane perpendicular to it is as near.
    #[inline(always)]
    fn lower(&self, foot: &Foot) -> f64 {
        if self.is_curved() { foot.length - LOWER_BOUND * self.reach } else { self.lower_along(foot.toward) }
    }

    /// The lower bound by the plane perpendicular to a direction of any length; NaN if it is zero.
    #[inline(always)]
    fn lower_along(&self, toward: DVec3) -> f64 {
        let squared = toward.length_squared();
        let direction = toward * (1.0 / squared.sqrt());
        let lower = (direction.dot(self.center) - height(&self.body.core, direction)) - LOWER_BOUND * self.reach;
        if squared > SMALLEST_DIRECTION * SMALLEST_DIRECTION { lower } else { f64::NAN }
    }

    /// The gap of the cores, if its bracket is as narrow as GJK's. A centre in a polytope has none here; in a curved
    /// core the distance from the surface proves it from above: a sphere about the centre with that radius lies in the
    /// core.
    #[inline(always)]
    fn gap(&self, foot: &Foot) -> Option<CoreGap> {
        let Foot { point, toward, length, .. } = *foot;
        let (lower, upper) = (self.lower(foot), length + CONTACT_POINT * self.reach);
        // Written so that NaN is rejected.
        let tight = lower <= upper && upper - lower <= GJK_ACCEPT * self.reach;
        (tight && (lower > 0.0 || self.is_curved())).then_some(CoreGap { lower, upper, length, toward, point })
    }

    /// The gap of a centre in a box: out through the nearest face. The plane of that face proves it from below; a
    /// sphere about the centre with the distance of the face as radius, which lies in the box, proves it from above.
    #[inline(always)]
    fn gap_inside_box(&self) -> Option<(CoreGap, Feature, Method)> {
        let AnyCore::Box(half) = self.body.core else { return None };
        let room = half - self.center.abs();
        let axis = room.min_position();
        let sign = 1f64.copysign(self.center[axis]);
        let mut toward = DVec3::ZERO;
        toward[axis] = sign;
        let mut point = self.center;
        point[axis] = sign * half[axis];
        let upper = CONTACT_POINT * self.reach - room[axis];
        let lower = self.lower_along(toward);
        let face = Feature::Face(2 * axis as u32 + u32::from(sign > 0.0));
        let gap = CoreGap { lower, upper, length: -room[axis], toward, point };
        (upper < 0.0).then_some((gap, face, Method::ClosedForm))
    }

    /// Bounds for the real-number bodies from those of the cores in the frame: as `Placed::lower` and `Placed::upper`.
    #[inline(always)]
    fn bracket(&self, gap: &CoreGap) -> (f64, f64) {
        let radii = self.radii();
        let lower = world_lower(gap.lower - self.placement, self.stretch, radii);
        (lower, world_upper(gap.upper + self.placement, self.stretch, radii))
    }

    /// The world normal of a direction in the frame, and the surface points of the other body and of the sphere, each
    /// in its own frame. A plane `n · x = c` of the frame is the plane of `R⁻ᵀ n` in the world. The division comes
    /// last, so that nothing waits for it.
    #[inline(always)]
    fn normal_and_points(&self, point: DVec3, toward: DVec3) -> (DVec3, DVec3, DVec3) {
        let m = self.given.pose.inverse_rotation();
        let world = DVec3::new(m.x_axis.dot(toward), m.y_axis.dot(toward), m.z_axis.dot(toward));
        let in_sphere = self.given.sphere.inverse_rotation() * world;
        let inverse = if self.is_curved() { inverse_length(world) } else { 1.0 / world.length() };
        let mut own = point + self.body.origin;
        if self.body.radius > 0.0 {
            own += (self.given.pose.inverse_rotation() * world) * (inverse * self.body.radius);
        }
        (world * inverse, own, in_sphere * (inverse * -self.given.radius))
    }

    /// The feature of the other body that contains the projection.
    #[inline(always)]
    fn feature(&self, foot: &Foot) -> Feature {
        match self.body.core {
            AnyCore::Box(half) => feature::of_box(half, &foot.vertices, foot.point),
            AnyCore::Points(_) => feature::of_simplex(self.unrounded, &foot.vertices, foot.point),
            // The whole surface of a capsule is one face.
            _ => foot.curved.unwrap_or(Feature::Face(0)),
        }
    }

    /// The same as for other closed forms of closest points: the method whose accuracy they fulfil; for curved bodies
    /// the plain one.
    #[inline(always)]
    fn method(&self) -> Method {
        if self.is_curved() { Method::ClosedForm } else { Method::Gjk }
    }

    /// Orders two values by the caller's arguments, A's first; given as that of the other body, then that of the
    /// sphere.
    #[inline(always)]
    fn in_order<T>(&self, other: T, sphere: T) -> (T, T) {
        if self.given.sphere_first { (sphere, other) } else { (other, sphere) }
    }

    /// The answer for bodies separated by this gap.
    #[inline(always)]
    fn separated(&self, foot: &Foot, gap: &CoreGap) -> Distance {
        let (lower, upper) = self.bracket(gap);
        let (lower, value) = (lower.max(0.0), gap.length - self.radii());
        let (normal, point, sphere_point) = self.normal_and_points(gap.point, gap.toward);
        let feature = self.feature(foot);
        let (point_in_a, point_in_b) = self.in_order(point, sphere_point);
        let (feature_a, feature_b) = self.in_order(feature, Feature::Face(0));
        Distance {
            gap: Bracket { value: value.max(lower).min(upper), lower, upper },
            placement: self.placement,
            method: self.method(),
            witness: Witness {
                a: WitnessPoint { point: point_in_a, part: 0, feature: feature_a },
                b: WitnessPoint { point: point_in_b, part: 0, feature: feature_b },
            },
            normal: Some(if self.given.sphere_first { -normal } else { normal }),
        }
    }

    /// The answer for bodies that certainly intersect: the gap between the cores is divided in proportion to the radii.
    /// A centre in a curved core is itself a common point.
    #[inline(always)]
    fn meeting(&self, foot: &Foot) -> Distance {
        let start = if foot.length < 0.0 { self.center } else { foot.point };
        let between = self.center - start;
        let share = self.body.radius / self.radii();
        let point = start + between * share;
        let back = self.given.sphere.inverse_rotation() * (self.given.pose.rotation() * between);
        let (point_in_a, point_in_b) = self.in_order(point + self.body.origin, back * (share - 1.0));
        let radii = self.radii();
        // As `Placed::contact_upper`.
        let cores = self.placement + CONTACT_POINT * (self.reach + 2.0 * radii);
        Distance {
            gap: Bracket {
                value: 0.0,
                lower: 0.0,
                upper: (cores + self.stretch * radii) * (1.0 + self.stretch + 8.0 * UNIT_ROUNDOFF),
            },
            placement: self.placement,
            method: self.method(),
            witness: Witness {
                a: WitnessPoint { point: point_in_a, part: 0, feature: Feature::Interior },
                b: WitnessPoint { point: point_in_b, part: 0, feature: Feature::Interior },
            },
            normal: None,
        }
    }
}

impl Query for Meet {
    type Answer = Option<bool>;

    #[inline(always)]
    fn of(self, pair: &SphereAndCore<'_>) -> Option<bool> {
        let foot = nearest(&pair.body.core, pair.center, pair.reach)?;
        let lengths = pair.radii() + self.0;
        let doubt = pair.doubt(lengths);
        if foot.length < lengths - doubt {
            return Some(true);
        }
        (pair.lower(&foot) > lengths + doubt).then_some(false)
    }

    #[inline(always)]
    fn otherwise(self) -> Option<bool> {
        None
    }
}

impl<F: FnOnce() -> Distance> Query for Gap<F> {
    type Answer = Distance;

    #[inline(always)]
    fn of(self, pair: &SphereAndCore<'_>) -> Distance {
        let radii = pair.radii();
        let doubt = pair.doubt(radii);
        match nearest(&pair.body.core, pair.center, pair.reach) {
            Some(foot) if foot.length > radii + doubt => match pair.gap(&foot) {
                Some(gap) => pair.separated(&foot, &gap),
                None => self.otherwise(),
            },
            Some(foot) if foot.length < radii - doubt => pair.meeting(&foot),
            _ => self.otherwise(),
        }
    }

    #[inline(always)]
    fn otherwise(self) -> Distance {
        self.0()
    }
}

impl Query for Depth {
    type Answer = Option<Penetration>;

    #[inline(always)]
    fn otherwise(self) -> Option<Penetration> {
        None
    }

    #[inline(always)]
    fn of(self, pair: &SphereAndCore<'_>) -> Option<Penetration> {
        let foot = nearest(&pair.body.core, pair.center, pair.reach)?;
        let (gap, feature, method) = match pair.gap(&foot) {
            Some(gap) => (gap, pair.feature(&foot), pair.method()),
            None => pair.gap_inside_box()?,
        };
        let (low, high) = pair.bracket(&gap);
        let (lower, upper) = ((-high).max(0.0), (-low).max(0.0));
        let (normal, point, sphere_point) = pair.normal_and_points(gap.point, gap.toward);
        let (point_in_a, point_in_b) = pair.in_order(point, sphere_point);
        let (feature_a, feature_b) = pair.in_order(feature, Feature::Face(0));
        Some(Penetration {
            depth: Bracket { value: (pair.radii() - gap.length).max(lower).min(upper), lower, upper },
            placement: pair.placement,
            method,
            witness: Witness {
                a: WitnessPoint { point: point_in_a, part: 0, feature: feature_a },
                b: WitnessPoint { point: point_in_b, part: 0, feature: feature_b },
            },
            normal: if pair.given.sphere_first { -normal } else { normal },
        })
    }
}

/// Whether a sphere and such a body come within a margin of each other; `None` where it is not decided here.
#[inline(always)]
pub(crate) fn meet(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> Option<bool> {
    meet_given(&SphereAndBody::of(a, pose_a, b, pose_b)?, margin)
}

#[inline(never)]
fn meet_given(given: &SphereAndBody<'_>, margin: f64) -> Option<bool> {
    given.ask(Meet(margin))
}

/// The distance of a sphere and such a body; `otherwise` answers for other bodies, and where it is not decided here.
#[inline(always)]
pub(crate) fn distance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    otherwise: impl FnOnce() -> Distance,
) -> Distance {
    match SphereAndBody::of(a, pose_a, b, pose_b) {
        Some(given) => distance_given(&given, otherwise),
        None => otherwise(),
    }
}

#[inline(never)]
fn distance_given(given: &SphereAndBody<'_>, otherwise: impl FnOnce() -> Distance) -> Distance {
    given.ask(Gap(otherwise))
}

/// The depth of a sphere and such a body; `None` where it is not decided here.
#[inline(always)]
pub(crate) fn penetration(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Penetration> {
    penetration_given(&SphereAndBody::of(a, pose_a, b, pose_b)?)
}

#[inline(never)]
fn penetration_given(given: &SphereAndBody<'_>) -> Option<Penetration> {
    given.ask(Depth)
}
