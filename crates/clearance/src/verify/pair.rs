//! Proves an answer anew, by other code.
//!
//! Nothing here is shared with what found the answer: only `math` and `geom` are used. Bodies are taken apart into
//! vertices and triangles, moved into the world in double-double arithmetic (so there is no placement error, and
//! rounding is some 1e-31 of the coordinates), and each claim is checked against them:
//! - that a gap is no smaller (`lower` of a distance, `upper` of a depth), by the planes across the answer's normal: all
//!   vertices of A below, all of B above;
//! - that a gap is no larger, by two points that provably belong to the bodies;
//! - that a depth is no smaller, by a polytope about the origin, grown here from vertices of the difference;
//! - `placement`, by placing every vertex and looking where it went;
//! - witness points, features, normal, verdict: by their definitions.

use crate::answer::witness::Witness;
use crate::answer::witness::WitnessPoint;
use std::fmt;

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::{Method, Stopped};
use crate::answer::penetration::Penetration;
use crate::answer::relation::{Evidence, RelationProof};
use crate::compound::height_field::{Prisms, Wanted};
use crate::convex::pair::rescale::enlarged;
use crate::geom::closest::{closest_on_segment, closest_on_triangle};
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::predicates::{orient3d, span_space};
use crate::math::tolerances::{ACCURACY, DEPTH_ACCURACY, FEATURE, UNIT_ROUNDOFF};
use crate::shape::Feature;
use crate::shape::Shape;
use crate::verify::mesh::Bodies;
use crate::verify::parts::{Measured, Whole};
use crate::verify::round::Round;
use crate::verify::triangles::{Triangle, TwoTriangles};
use crate::verify::{mesh, solids};

/// Which claim of an answer does not hold.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// A number is NaN or infinite, or has the wrong sign.
    NoNumber {
        /// The field that holds it.
        field: &'static str,
    },
    /// `lower <= value <= upper` does not hold.
    Disordered,
    /// Only a smaller lower bound is proved: by the planes across the normal, or, of a depth, by a polytope.
    Lower {
        /// What the answer claims.
        claimed: f64,
        /// What is proved.
        proved: f64,
    },
    /// Only a larger upper bound is proved: by the points or the polytope of the answer, or, of a depth, by the planes
    /// across the normal.
    Upper {
        /// What the answer claims.
        claimed: f64,
        /// What is proved.
        proved: f64,
    },
    /// The planes across the normal keep moving bodies apart only until an earlier time.
    Before {
        /// Until when the answer claims them to be apart.
        claimed: f64,
        /// Until when it is proved.
        proved: f64,
    },
    /// The bracket is wider than the contract allows.
    TooWide {
        /// Its width.
        width: f64,
        /// The width allowed.
        allowed: f64,
    },
    /// The bound on the placement is too small to be true or too large to be useful.
    Placement {
        /// What the answer claims.
        claimed: f64,
        /// The largest displacement of a vertex.
        seen: f64,
    },
    /// The normal is not of unit length, or is there when it should not be, or is missing.
    Normal,
    /// A witness point is not where it should be.
    Witness {
        /// "A" or "B".
        body: &'static str,
        /// How far it is off, in world units.
        off: f64,
    },
    /// A feature does not exist or does not hold the witness point.
    Feature {
        /// "A" or "B".
        body: &'static str,
    },
    /// The method named does not fit the width of the bracket or the kinds of body.
    Method,
    /// The reason given for a wide bracket does not hold: it is wider than the tolerance named, the bodies are not
    /// proved to be that far apart, or the work is not capped for such bodies.
    Stopped,
    /// A part is named that does not exist.
    Part,
    /// The verdict does not follow from the bracket.
    Verdict,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoNumber { field } => write!(f, "`{field}` is not a number of the right kind"),
            Refusal::Disordered => write!(f, "`lower <= value <= upper` does not hold"),
            Refusal::Lower { claimed, proved } => {
                write!(f, "claims at least {claimed:e}, but only {proved:e} is proved")
            }
            Refusal::Upper { claimed, proved } => {
                write!(f, "claims at most {claimed:e}, but only {proved:e} is proved")
            }
            Refusal::Before { claimed, proved } => {
                write!(f, "claims no contact before time {claimed:e}, but only until {proved:e} is it proved")
            }
            Refusal::TooWide { width, allowed } => {
                write!(f, "the bracket is {width:e} wide, the contract allows {allowed:e}")
            }
            Refusal::Placement { claimed, seen } => {
                write!(f, "claims a placement within {claimed:e}, vertices are off by {seen:e}")
            }
            Refusal::Normal => write!(f, "the normal is not a unit vector where there should be one"),
            Refusal::Witness { body, off } => write!(f, "the witness point of {body} is off by {off:e}"),
            Refusal::Feature { body } => write!(f, "the feature of {body} does not hold its witness point"),
            Refusal::Method => write!(f, "the method named does not fit the width of the bracket"),
            Refusal::Stopped => write!(f, "the reason given for the width of the bracket does not hold"),
            Refusal::Part => write!(f, "there is no part of that number"),
            Refusal::Verdict => write!(f, "the verdict does not follow from the bracket"),
        }
    }
}

impl std::error::Error for Refusal {}

pub(crate) mod sealed {
    /// What an answer must be able to do, out of reach of callers.
    pub trait Check: Sized {
        fn check(&self, truth: &super::Truth) -> Result<(), super::Refusal>;
        /// The answer for bodies enlarged by a power of two.
        fn enlarged(&self, factor: f64) -> Self;
        /// The parts that the answer names, and whether its method is one for bodies made of parts, if it names one.
        fn parts(&self) -> ((u32, u32), Option<bool>);
        /// The same answer with parts named otherwise.
        fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> Self;
        /// How far from the nearest parts others may be that the answer names.
        fn margin(&self) -> f64 {
            0.0
        }
        /// As `check`, for a pair in which one body at least is a mesh.
        fn check_meshes(&self, bodies: &super::Bodies<'_>) -> Result<(), super::Refusal>;
        /// The answer with its points in the frames of parts that have these poses in the bodies.
        fn in_parts(&self, a: &super::Pose, b: &super::Pose) -> Self;
    }
}

/// An answer that can be proved anew: [`Distance`], [`Penetration`], [`RelationProof`],
/// [`Contacts`](crate::Contacts) and [`SolidDepth`](crate::SolidDepth).
pub trait Answer: sealed::Check + Sized {}

impl Answer for Distance {}

impl Answer for Penetration {}

impl Answer for RelationProof {}

impl Answer for crate::answer::contacts::Contacts {}

/// Proves an answer anew from the bodies and poses of the question.
///
/// Slower than the question (it looks at every vertex and every face in double-double arithmetic); meant for tests and
/// for answers that must not be wrong.
///
/// # Errors
/// The first claim that does not hold.
///
/// ```
/// use clearance::{Pose, Refusal, Shape, distance, glam::DVec3, verify};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let pose = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(5.0, 1.0, 0.0))?;
/// let mut answer = distance(&cube, &Pose::IDENTITY, &cube, &pose);
/// assert_eq!(verify(&answer, &cube, &Pose::IDENTITY, &cube, &pose), Ok(()));
/// answer.upper = answer.value;
/// answer.lower = answer.value;
/// answer.value += 1e-9;
/// assert_eq!(verify(&answer, &cube, &Pose::IDENTITY, &cube, &pose), Err(Refusal::Disordered));
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn verify<T: Answer>(answer: &T, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal> {
    if let Some(prisms) =
        Prisms::chosen(a, pose_a, b, pose_b, Wanted { all: true, margin: answer.margin(), way_out: true })
    {
        let named = answer.with_parts(&|parts| prisms.prisms_of(parts));
        return verify(&named, prisms.a(), pose_a, prisms.b(), pose_b);
    }
    if matches!(a, Shape::Mesh(_)) || matches!(b, Shape::Mesh(_)) {
        return mesh::check(answer, (a, pose_a), (b, pose_b));
    }
    match enlarged(a, pose_a, b, pose_b) {
        Some(large) => {
            // The numbers of the answer were rounded, some of them outward, to multiples of the smallest subnormal.
            let quantum = 4.0 * f64::from_bits(1) * large.factor;
            let (a, b) = ((&large.a, &large.pose_a), (&large.b, &large.pose_b));
            check_scaled(&answer.enlarged(large.factor), a, b, quantum)
        }
        None => check_scaled(answer, (a, pose_a), (b, pose_b), 0.0),
    }
}

fn check_scaled<T: Answer>(
    answer: &T,
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    quantum: f64,
) -> Result<(), Refusal> {
    let (parts, by_parts) = answer.parts();
    let made_of_parts = matches!(a, Shape::Compound(_)) || matches!(b, Shape::Compound(_));
    if by_parts.is_some_and(|by_parts| by_parts != made_of_parts) {
        return Err(Refusal::Method);
    }
    if !made_of_parts {
        let truth = Truth::new(a, pose_a, b, pose_b, quantum);
        return if parts == (0, 0) { answer.check(&truth) } else { Err(Refusal::Part) };
    }
    let truth = Truth::of_parts((a, pose_a), (b, pose_b), parts, quantum).ok_or(Refusal::Part)?;
    let inner = |part: &Part| part.inner.unwrap_or(Pose::IDENTITY);
    answer.in_parts(&inner(&truth.a), &inner(&truth.b)).check(&truth)
}

/// A body taken apart: core vertices, features and radius, with its pose.
pub(crate) struct Part {
    pub pose: Pose,
    /// Core vertices in the body's frame.
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    faces: Vec<Vec<u32>>,
    /// The caller's number of each vertex.
    numbers: Vec<u32>,
    /// True when the triangles enclose a solid.
    pub solid: bool,
    pub radius: f64,
    /// The points with `normal · x <= offset`, for a half-space.
    plane: Option<(DVec3, f64)>,
    /// True when the whole surface is one face.
    pub one_face: bool,
    /// The core, where it is curved: the vertices are then some of its points.
    pub round: Option<Round>,
    /// Where the placing function takes the stored vertices to be relative to.
    pub origin: DVec3,
    /// The point of the body's frame that the world is measured from, and where that is.
    pub shift: DVec3,
    pub translation: DVec3,
    /// How far it has moved from there.
    pub moved: DoubleDoubleVec3,
    /// Where this is a part of a compound: its pose in the frame of the compound, which `pose` puts in the world.
    inner: Option<Pose>,
}

impl Part {
    fn empty(pose: &Pose) -> Part {
        Part {
            pose: *pose,
            vertices: Vec::new(),
            triangles: Vec::new(),
            edges: Vec::new(),
            faces: Vec::new(),
            numbers: Vec::new(),
            solid: false,
            radius: 0.0,
            plane: None,
            one_face: false,
            round: None,
            origin: DVec3::ZERO,
            shift: DVec3::ZERO,
            translation: pose.translation(),
            moved: DoubleDoubleVec3::from(DVec3::ZERO),
            inner: None,
        }
    }

    pub fn new(shape: &Shape, pose: &Pose) -> Part {
        let empty = Part::empty(pose);
        match shape {
            Shape::Sphere(sphere) => {
                Part { vertices: vec![DVec3::ZERO], numbers: vec![0], radius: sphere.radius(), one_face: true, ..empty }
            }
            Shape::Cuboid(cuboid) => {
                let vertices = (0..8).map(|i| cuboid.vertex(i)).collect();
                let mut faces = Vec::new();
                for axis in 0..3u32 {
                    let (next, last) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                    faces.push(vec![0, last, last | next, next]);
                    faces.push([0, next, next | last, last].map(|v| v | 1 << axis).to_vec());
                }
                let triangles = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
                let mut edges = Vec::new();
                for axis in 0..3u32 {
                    let (low, high) = [(1, 2), (0, 2), (0, 1)][axis as usize];
                    edges.extend((0..4u32).map(|j| {
                        let start = (j & 1) << low | (j >> 1) << high;
                        [start, start | 1 << axis]
                    }));
                }
                Part { vertices, triangles, edges, faces, numbers: (0..8).collect(), solid: true, ..empty }
            }
            Shape::Hull(hull) => Part {
                vertices: hull.vertices().collect(),
                triangles: hull.triangles().to_vec(),
                edges: hull.edges().to_vec(),
                faces: hull.faces().map(<[u32]>::to_vec).collect(),
                numbers: (0..hull.vertex_count()).map(|v| hull.input_index(v)).collect(),
                solid: hull.dimension() == 3,
                origin: hull.hull().origin,
                ..empty
            },
            Shape::Capsule(capsule) => {
                let end = DVec3::new(0.0, 0.0, capsule.half_length());
                let one_face = true;
                let radius = capsule.radius();
                Part { vertices: vec![-end, end], edges: vec![[0, 1]], numbers: vec![0, 1], radius, one_face, ..empty }
            }
            Shape::Segment(segment) => {
                let origin = segment.corners().origin;
                let vertices = segment.points().to_vec();
                Part { vertices, edges: vec![[0, 1]], numbers: vec![0, 1], origin, ..empty }
            }
            Shape::Triangle(triangle) => {
                let origin = triangle.corners().origin;
                Part { origin, ..Part::of_triangle(triangle.points(), pose) }
            }
            Shape::Tetrahedron(tetrahedron) => {
                let origin = tetrahedron.corners().origin;
                let vertices = tetrahedron.points().to_vec();
                let mut triangles = vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
                let side = orient3d(vertices[1], vertices[2], vertices[3], vertices[0]);
                if side.is_positive() {
                    triangles.iter_mut().for_each(|t| t.swap(1, 2));
                }
                let faces = triangles.iter().map(|t| t.to_vec()).collect();
                let edges = vec![[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
                let (numbers, solid) = (vec![0, 1, 2, 3], !side.is_zero());
                Part { vertices, triangles, edges, faces, numbers, solid, origin, ..empty }
            }
            Shape::Rounded(rounded) => {
                let core = Part::new(rounded.core(), pose);
                Part { radius: core.radius + rounded.radius(), ..core }
            }
            Shape::HalfSpace(half_space) => {
                // The foot of the origin on the plane; together with the origin it gives the body a size.
                let (normal, offset) = (half_space.normal(), half_space.offset());
                let foot = normal * (offset / normal.length_squared());
                let (vertices, plane) = (vec![foot, DVec3::ZERO], Some((normal, offset)));
                Part { vertices, plane, numbers: vec![0, 1], one_face: true, ..empty }
            }
            _ => {
                let round = Round::of(shape);
                let vertices = round.as_ref().map_or_else(|| vec![DVec3::ZERO], Round::outposts);
                Part { vertices, round, ..empty }
            }
        }
    }

    /// A triangle by its corners.
    pub fn of_triangle(corners: [DVec3; 3], pose: &Pose) -> Part {
        let (vertices, numbers) = (corners.to_vec(), vec![0, 1, 2]);
        let (edges, faces) = (vec![[0, 1], [1, 2], [2, 0]], vec![vec![0, 1, 2]]);
        Part { vertices, triangles: vec![[0, 1, 2]], edges, faces, numbers, ..Part::empty(pose) }
    }

    pub fn world(&self, point: DVec3) -> DoubleDoubleVec3 {
        self.world_of(DoubleDoubleVec3::from(point))
    }

    /// A point of the whole body's frame, of which this may be a part, in the world.
    pub fn world_of_whole(&self, point: DVec3) -> DoubleDoubleVec3 {
        DoubleDoubleVec3::from_difference(point, self.shift).transformed_by(&self.pose.rotation())
            + DoubleDoubleVec3::from(self.translation)
            + self.moved
    }

    /// Measures the world from another point, which the other body's part must be measured from too. What both share
    /// drops out, so that bodies far from the origin are proved as finely as near it. The difference is exact: what
    /// rounding takes from the translation is moved.
    pub fn measure_from(&mut self, start: DVec3) {
        let offset = DoubleDoubleVec3::from_difference(self.pose.translation(), start);
        self.translation = offset.to_vec3();
        self.moved = offset - DoubleDoubleVec3::from(self.translation);
    }

    /// A point of the whole body's frame in that of this part, rounded.
    pub fn in_own_frame(&self, point: DVec3) -> DVec3 {
        self.inner.map_or(point, |inner| inner.inverse_transform_point(point))
    }

    /// A part of a compound at `pose`.
    pub fn of_compound(shape: &Shape, inner: &Pose, pose: &Pose) -> Part {
        Part { inner: Some(*inner), ..Part::new(shape, pose) }
    }

    /// How far both poses are from rigid ones.
    pub fn defect(&self) -> f64 {
        self.pose.defect() + self.inner.map_or(0.0, |inner| inner.defect())
    }

    /// How far two combinations of farthest points of a custom body may be apart: each falls short of the surface by its
    /// slack, and the search for the nearest ends within that.
    pub fn slack(&self) -> f64 {
        if let Some(Round::Custom(custom)) = &self.round { 4.0 * custom.slack() } else { 0.0 }
    }

    /// A direction of the world in the frame of the part, rounded.
    pub fn turned_back(&self, direction: DVec3) -> DVec3 {
        let own = self.pose.inverse_rotation() * direction;
        self.inner.map_or(own, |inner| inner.inverse_rotation() * own)
    }

    /// A direction of the part's frame in the world, rounded.
    pub fn turned(&self, direction: DVec3) -> DVec3 {
        self.pose.rotation() * self.inner.map_or(direction, |inner| inner.rotation() * direction)
    }

    /// The point of the core that a point of the surface came from, by the outward normal of the world there; rounded.
    pub fn core_below(&self, point: DVec3, normal: DVec3) -> DVec3 {
        if self.radius == 0.0 { point } else { point - self.turned_back(normal * self.radius) }
    }

    /// A point of the core near one that is farthest along a direction of the world.
    pub fn farthest(&self, direction: DVec3) -> DVec3 {
        let mut local = self.pose.rotation().transpose() * direction;
        if let Some(inner) = &self.inner {
            local = inner.rotation().transpose() * local;
        }
        if let Some(round) = &self.round {
            return round.support_point(local);
        }
        let shift = if self.inner.is_some() { DVec3::ZERO } else { self.shift };
        let mut best = (0, f64::NEG_INFINITY);
        for (index, vertex) in self.vertices.iter().enumerate() {
            let value = local.dot(*vertex - shift);
            if value > best.1 {
                best = (index, value);
            }
        }
        self.vertices[best.0]
    }

    /// A point of the core in the world: next to one that rounding may have put outside.
    pub fn world_of_core(&self, point: DVec3) -> DoubleDoubleVec3 {
        self.world_of(match &self.round {
            // Taken at its word.
            None | Some(Round::Custom(_)) => DoubleDoubleVec3::from(point),
            Some(round) => round.inside(point),
        })
    }

    /// A point of the world in the frame of the part, rounded.
    pub fn own(&self, world: DoubleDoubleVec3) -> DVec3 {
        let offset = world - self.moved - DoubleDoubleVec3::from(self.translation);
        let local = self.pose.inverse_rotation() * offset.to_vec3() + self.shift;
        self.inner.map_or(local, |inner| inner.inverse_transform_point(local))
    }

    fn world_of(&self, point: DoubleDoubleVec3) -> DoubleDoubleVec3 {
        let point = match &self.inner {
            Some(inner) => point.transformed_by(&inner.rotation()) + DoubleDoubleVec3::from(inner.translation()),
            None => point,
        };
        (point - DoubleDoubleVec3::from(self.shift)).transformed_by(&self.pose.rotation())
            + DoubleDoubleVec3::from(self.translation)
            + self.moved
    }

    /// The plane of a half-space in the world, in double-double.
    pub fn world_plane(&self) -> Option<Plane> {
        let (normal, offset) = self.plane?;
        let r = self.pose.rotation();
        let [x, y, z] = [r.x_axis, r.y_axis, r.z_axis].map(DoubleDoubleVec3::from);
        // A plane `n · v = d` of the frame is `cofactors(R) n · w = d det R` in the world.
        let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
        let [a, b, c] = [normal.x, normal.y, normal.z].map(DoubleDouble::from);
        let outward = cofactors[0].scale(a) + cofactors[1].scale(b) + cofactors[2].scale(c);
        let length = outward.length();
        let unit = outward.scale(DoubleDouble::ONE / length);
        let level = DoubleDouble::from(offset) * x.dot(cofactors[0]) / length;
        // The origin of the frame, less the shift of the world.
        let start = DoubleDoubleVec3::from(self.translation) - DoubleDoubleVec3::from(self.shift).transformed_by(&r);
        Some(Plane { normal: unit, level: level + unit.dot(start + self.moved) })
    }

    fn corner(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize]
    }

    /// The largest of `direction · x` over the core, in the world.
    fn support(&self, direction: DVec3) -> DoubleDouble {
        self.support_along(DoubleDoubleVec3::from(direction))
    }

    pub fn support_along(&self, direction: DoubleDoubleVec3) -> DoubleDouble {
        let local = direction.transformed_by(&self.pose.rotation().transpose());
        let mut offset = direction.dot(DoubleDoubleVec3::from(self.translation) + self.moved);
        let (local, shift) = match &self.inner {
            Some(inner) => {
                offset = offset + local.dot(DoubleDoubleVec3::from_difference(inner.translation(), self.shift));
                (local.transformed_by(&inner.rotation().transpose()), DVec3::ZERO)
            }
            None => (local, self.shift),
        };
        if let Some(round) = &self.round {
            return round.support(local) - local.dot(DoubleDoubleVec3::from(shift)) + offset;
        }
        let mut best = DoubleDouble::from(f64::NEG_INFINITY);
        for &vertex in &self.vertices {
            let value = local.dot(DoubleDoubleVec3::from_difference(vertex, shift));
            if value > best {
                best = value;
            }
        }
        best + offset
    }

    /// Middle of the vertices' box, in the body's frame, and the box's diagonal.
    pub fn extent(&self) -> (DVec3, f64) {
        let (min, max) = self
            .vertices
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), v| (min.min(*v), max.max(*v)));
        (0.5 * (min + max), (max - min).length())
    }

    /// Size of the body's own coordinates: a point in its frame cannot be stored more finely than this times `2u`.
    pub fn own_coordinates(&self) -> f64 {
        let inner = self.inner.map_or(0.0, |inner| 2.0 * inner.translation().length());
        inner + self.vertices.iter().map(|v| v.length()).fold(self.radius, f64::max)
    }

    /// Bound on the vertices' distance from where the world is measured from.
    pub fn world_coordinates(&self) -> f64 {
        let reach = self.vertices.iter().map(|v| (*v - self.shift).length()).fold(self.radius, f64::max);
        let inner = self.inner.map_or(0.0, |inner| inner.translation().length() + self.shift.length());
        reach + inner + self.translation.length()
    }

    /// A part of the core near a point of the body's frame: where it lies inside, a ball about it no larger than `within`;
    /// else the nearest piece of the surface.
    pub fn nearest(&self, point: DVec3, within: f64) -> Nearest {
        if let Some(round) = &self.round {
            return Nearest::Point(self.world_of(round.inside(point)));
        }
        if self.solid && self.triangles.iter().all(|t| self.is_below(t, point)) {
            let room = if within > 0.0 { self.room_about(point).min(within) } else { 0.0 };
            return Nearest::Ball(self.world(point), DoubleDouble::from(room));
        }
        self.nearest_surface(point)
    }

    /// Whether it has points inside, not only a surface.
    pub fn has_interior(&self) -> bool {
        // Of a custom core some points of the surface tell.
        let curved = match &self.round {
            Some(Round::Custom(_)) => span_space(&self.vertices),
            other => other.is_some(),
        };
        self.solid || self.radius > 0.0 || self.plane.is_some() || curved
    }

    /// The radius, in the world, of a ball about an inner point that lies in the body.
    pub fn room_about(&self, point: DVec3) -> f64 {
        let mut room = f64::INFINITY;
        for triangle in &self.triangles {
            let [p, q, r] = triangle.map(|v| self.corner(v));
            let [e, f, d] = [q, r, point].map(|to| DoubleDoubleVec3::from_difference(to, p));
            let n = e.cross(f);
            // The cross product is off by some 1e-31 of the product of the lengths.
            let doubt = 1e-30 * e.length().to_f64() * f.length().to_f64() * d.length().to_f64();
            let distance = (n.dot(d).abs().to_f64() - doubt) / n.length().to_f64();
            room = if distance > 0.0 { room.min(distance) } else { 0.0 };
        }
        room * (1.0 - 2.0 * self.defect() - ACCURACY)
    }

    pub fn is_below(&self, triangle: &[u32; 3], point: DVec3) -> bool {
        let [p, q, r] = triangle.map(|v| self.corner(v));
        !orient3d(p, q, r, point).is_positive()
    }

    /// The part of the core's surface nearest a point of the body's frame.
    fn nearest_surface(&self, point: DVec3) -> Nearest {
        let by_distance = |x: &(f64, Nearest), y: &(f64, Nearest)| x.0.total_cmp(&y.0);
        let triangles = self.triangles.iter().map(|t| {
            let [p, q, r] = t.map(|v| self.corner(v));
            let squared = closest_on_triangle(point, p, q, r).point.distance_squared(point);
            (squared, Nearest::Triangle([p, q, r].map(|v| self.world(v))))
        });
        if let Some((_, triangle)) = triangles.min_by(by_distance) {
            return triangle;
        }
        let segments = self.edges.iter().map(|e| {
            let [p, q] = e.map(|v| self.corner(v));
            (
                closest_on_segment(point, p, q).point.distance_squared(point),
                Nearest::Segment([p, q].map(|v| self.world(v))),
            )
        });
        if let Some((_, segment)) = segments.min_by(by_distance) {
            return segment;
        }
        Nearest::Point(self.world(self.vertices[0]))
    }

    /// The triangles of the core's surface no farther than `within` from a point of the body's frame, in the world: the
    /// nearest of them first, and not more than a few. Of a core without faces the edges or the corner. None of a
    /// curved core.
    fn triangles_near(&self, point: DVec3, within: f64) -> Vec<Triangle> {
        const MOST: usize = 16;
        let all: Vec<[u32; 3]> = match (&self.round, &self.triangles[..], &self.edges[..]) {
            (Some(_), ..) => Vec::new(),
            (None, [], []) => vec![[0; 3]],
            (None, [], edges) => edges.iter().map(|&[p, q]| [p, q, q]).collect(),
            (None, triangles, _) => triangles.to_vec(),
        };
        let here = self.world(point);
        let placed = all.iter().map(|triangle| triangle.map(|v| self.world(self.corner(v))));
        let measured = placed.map(|[p, q, r]| {
            let off = (project_on_triangle(here, p, q, r) - here).length().to_f64() - self.radius;
            (off, [p, q, r])
        });
        let mut near: Vec<(f64, Triangle)> = measured.filter(|(off, _)| *off <= within).collect();
        near.sort_by(|x, y| x.0.total_cmp(&y.0));
        near.into_iter().take(MOST).map(|(_, triangle)| triangle).collect()
    }

    /// Distance in the body's frame from a point to a feature; `None` if there is no such feature.
    pub fn distance_to(&self, feature: Feature, point: DVec3) -> Option<f64> {
        if self.one_face {
            return (feature == Feature::Face(0)).then_some(0.0);
        }
        if let Some(round) = &self.round {
            return round.distance_to(feature, point).map(|off| off - self.radius);
        }
        let nearest = match feature {
            Feature::Vertex(number) => {
                let vertex = self.numbers.iter().position(|&n| n == number)?;
                self.vertices[vertex]
            }
            Feature::Edge(edge) => {
                let [p, q] = self.edges.get(edge as usize)?.map(|v| self.corner(v));
                closest_on_segment(point, p, q).point
            }
            Feature::Face(face) => {
                let corners = self.faces.get(face as usize)?;
                let fan = corners.windows(2).skip(1).map(|pair| {
                    let [p, q, r] = [corners[0], pair[0], pair[1]].map(|v| self.corner(v));
                    closest_on_triangle(point, p, q, r).point
                });
                fan.min_by(|x, y| x.distance_squared(point).total_cmp(&y.distance_squared(point)))?
            }
            Feature::Interior => return None,
        };
        // The witness of a rounded body lies outside of the feature by the radius.
        Some(nearest.distance(point) - self.radius)
    }
}

/// The points `w` of the world with `normal · w <= level`.
pub(crate) struct Plane {
    pub normal: DoubleDoubleVec3,
    pub level: DoubleDouble,
}

impl Plane {
    /// How far above the plane a point is.
    pub fn above(&self, point: DoubleDoubleVec3) -> DoubleDouble {
        self.normal.dot(point) - self.level
    }

    /// How far above the plane the lowest of some points is.
    fn above_lowest(&self, points: impl Iterator<Item = DoubleDoubleVec3>) -> DoubleDouble {
        let first = DoubleDouble::from(f64::INFINITY);
        points.map(|p| self.above(p)).fold(first, |low, x| if x < low { x } else { low })
    }
}

/// A piece of a core in the world: all of it belongs to the body.
pub(crate) enum Nearest {
    Ball(DoubleDoubleVec3, DoubleDouble),
    Point(DoubleDoubleVec3),
    Segment([DoubleDoubleVec3; 2]),
    Triangle([DoubleDoubleVec3; 3]),
}

impl Nearest {
    /// How far above a plane the lowest point of the piece is.
    fn above(&self, plane: &Plane) -> DoubleDouble {
        match self {
            Nearest::Ball(centre, radius) => plane.above(*centre) - *radius,
            Nearest::Point(p) => plane.above(*p),
            Nearest::Segment(corners) => plane.above_lowest(corners.iter().copied()),
            Nearest::Triangle(corners) => plane.above_lowest(corners.iter().copied()),
        }
    }

    /// The nearest point of the piece to `point`.
    pub fn project(&self, point: DoubleDoubleVec3) -> DoubleDoubleVec3 {
        match *self {
            Nearest::Ball(centre, radius) => {
                let length = (point - centre).length();
                if length <= radius { point } else { centre + (point - centre).scale(radius / length) }
            }
            Nearest::Point(p) => p,
            Nearest::Segment([p, q]) => project_on_segment(point, p, q),
            Nearest::Triangle([p, q, r]) => project_on_triangle(point, p, q, r),
        }
    }
}

pub(crate) fn project_on_segment(
    point: DoubleDoubleVec3,
    p: DoubleDoubleVec3,
    q: DoubleDoubleVec3,
) -> DoubleDoubleVec3 {
    let zero = DoubleDouble::from(0.0);
    let edge = q - p;
    let squared = edge.length_squared();
    let along = (point - p).dot(edge);
    if along <= zero || squared <= zero {
        p
    } else if along >= squared {
        q
    } else {
        p + edge.scale(along / squared)
    }
}

/// In the interior of the triangle, or on the nearest of its three sides.
pub(crate) fn project_on_triangle(
    point: DoubleDoubleVec3,
    p: DoubleDoubleVec3,
    q: DoubleDoubleVec3,
    r: DoubleDoubleVec3,
) -> DoubleDoubleVec3 {
    let zero = DoubleDouble::from(0.0);
    let (e, f, d) = (q - p, r - p, point - p);
    let n = e.cross(f);
    let squared = n.length_squared();
    let mut inside = None;
    if squared > zero {
        let s = d.cross(f).dot(n);
        let t = e.cross(d).dot(n);
        if s >= zero && t >= zero && s + t <= squared {
            inside = Some(p + e.scale(s / squared) + f.scale(t / squared));
        }
    }
    // The normal of a sliver may be nothing but rounding, and with it the point inside.
    let sliver = squared < (e.length_squared() * f.length_squared()).mul_f64(1e-20);
    if let Some(inside) = inside.filter(|_| !sliver) {
        return inside;
    }
    let sides = [(p, q), (q, r), (r, p)].map(|(from, to)| project_on_segment(point, from, to));
    let mut best = inside.unwrap_or(sides[0]);
    for side in &sides {
        if (*side - point).length_squared() < (best - point).length_squared() {
            best = *side;
        }
    }
    best
}

/// Both bodies, and the numbers that every check needs.
pub struct Truth {
    pub(crate) a: Part,
    pub(crate) b: Part,
    /// `L` of the contract.
    pub(crate) scale: f64,
    pub(crate) defect: f64,
    /// A bound on the rounding of double-double work in world coordinates.
    pub(crate) rounding: f64,
    /// The same for the two parts named, where others may lie farther out.
    pub(crate) rounding_of_two: f64,
    /// How finely a point can be stored in the bodies' own frames.
    own_rounding: f64,
    /// How finely the numbers of the answer could be stored.
    pub(crate) quantum: f64,
    /// All parts of both, where a body is made of parts; `a` and `b` are then the two that the answer names.
    whole: Option<Whole>,
}

impl Truth {
    /// Whether the work on such bodies may be capped: where one is curved or made of parts. The depth of two convex
    /// polyhedra, with or without radii, is always found.
    pub(crate) fn may_be_capped(&self) -> bool {
        self.a.round.is_some() || self.b.round.is_some() || self.whole.is_some()
    }

    /// Two of the parts of bodies of which one at least is a compound; `None` if there are no such parts.
    fn of_parts(
        (a, pose_a): (&Shape, &Pose),
        (b, pose_b): (&Shape, &Pose),
        (part_a, part_b): (u32, u32),
        quantum: f64,
    ) -> Option<Truth> {
        let mut whole = Whole::new(a, pose_a, b, pose_b);
        let start = pose_a.translation();
        whole.all().for_each(|part| part.measure_from(start));
        let measured = whole.measure();
        let named = |shape: &Shape, pose: &Pose, index: u32| {
            let mut part = match shape {
                Shape::Compound(compound) => {
                    let (inner, shape) = compound.parts().get(index as usize)?;
                    Part::of_compound(shape, inner, pose)
                }
                whole => (index == 0).then(|| Part::new(whole, pose))?,
            };
            part.measure_from(start);
            Some(part)
        };
        let (part_a, part_b) = (named(a, pose_a, part_a)?, named(b, pose_b, part_b)?);
        let rounding_of_two = 2e-30 * part_a.world_coordinates().max(part_b.world_coordinates());
        let two = Truth::of_two(part_a, part_b, &measured, quantum);
        Some(Truth { whole: Some(whole), rounding_of_two, ..two })
    }

    fn new(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, quantum: f64) -> Truth {
        let (mut a, mut b) = (Part::new(a, pose_a), Part::new(b, pose_b));
        // In one frame the truth is known relative to a point of A.
        let shift = if pose_a == pose_b { a.vertices[0] } else { DVec3::ZERO };
        for part in [&mut a, &mut b] {
            part.measure_from(pose_a.translation());
            part.shift = shift;
        }
        Truth::between(a, b, quantum)
    }

    /// Two parts of bodies of which the sizes are known.
    pub(crate) fn of_two(a: Part, b: Part, measured: &Measured, quantum: f64) -> Truth {
        Truth {
            a,
            b,
            scale: measured.scale,
            defect: measured.defect,
            rounding: 1e-30 * measured.coordinates,
            rounding_of_two: 1e-30 * measured.coordinates,
            // To a part's frame and back.
            own_rounding: 16.0 * UNIT_ROUNDOFF * measured.own_coordinates + quantum,
            quantum,
            whole: None,
        }
    }

    /// Two bodies taken apart, neither of them made of parts.
    pub(crate) fn between(a: Part, b: Part, quantum: f64) -> Truth {
        let ((middle_a, size_a), (middle_b, size_b)) = (a.extent(), b.extent());
        let apart = (b.world(middle_b) - a.world(middle_a)).length().to_f64();
        let (own_a, own_b) = (a.own_coordinates(), b.own_coordinates());
        let coordinates = a.world_coordinates() + b.world_coordinates();
        Truth {
            scale: size_a + size_b + apart + 2.0 * (a.radius + b.radius),
            defect: a.defect().max(b.defect()),
            rounding: 1e-30 * coordinates,
            rounding_of_two: 1e-30 * coordinates,
            own_rounding: 4.0 * UNIT_ROUNDOFF * (own_a + own_b) + quantum,
            quantum,
            a,
            b,
            whole: None,
        }
    }

    /// Two parts by their numbers; of bodies that are not made of parts the bodies themselves, number 0.
    pub(crate) fn parts(&self, part_a: u32, part_b: u32) -> Option<(&Part, &Part)> {
        match &self.whole {
            Some(whole) => Some((whole.a.get(part_a as usize)?, whole.b.get(part_b as usize)?)),
            None => ((part_a, part_b) == (0, 0)).then_some((&self.a, &self.b)),
        }
    }

    /// True when a body is made of parts.
    pub(crate) fn has_parts(&self) -> bool {
        self.whole.is_some()
    }

    pub(crate) fn radii(&self) -> DoubleDouble {
        DoubleDouble::from_sum(self.a.radius, self.b.radius)
    }

    /// How far a stored witness point may be from where it should be.
    pub(crate) fn point_tolerance(&self) -> f64 {
        (ACCURACY + self.defect) * self.scale + self.own_rounding
    }

    /// The signed gap is at least `claimed`, by the planes across `normal`.
    pub(crate) fn check_lower(&self, claimed: f64, normal: DVec3) -> Result<(), Refusal> {
        let length = DoubleDoubleVec3::from(normal).length();
        if (length.to_f64() - 1.0).abs() > ACCURACY {
            return Err(Refusal::Normal);
        }
        if let Some(whole) = &self.whole {
            // Bodies made of parts that are not apart: B is moved out first.
            let (claimed_there, by) = if claimed > 0.0 { (claimed, 0.0) } else { (0.0, -claimed) };
            return whole
                .check_apart(claimed_there, normal, by, self.rounding)
                .map_err(|missing| Refusal::Lower { claimed, proved: claimed - missing });
        }
        if let Some((plane, other, sign)) = self.plane() {
            return self.check_above_plane(claimed, normal * sign, &plane, other);
        }
        let proved = self.gap_along(normal) / length - self.radii() - DoubleDouble::from(self.rounding);
        if DoubleDouble::from(claimed) <= proved {
            Ok(())
        } else {
            Err(Refusal::Lower { claimed, proved: proved.to_f64() })
        }
    }

    /// The plane of a half-space among the two, the other body, and 1 if the half-space is A, else -1.
    fn plane(&self) -> Option<(Plane, &Part, f64)> {
        match (self.a.world_plane(), self.b.world_plane()) {
            (Some(plane), _) => Some((plane, &self.b, 1.0)),
            (None, Some(plane)) => Some((plane, &self.a, -1.0)),
            (None, None) => None,
        }
    }

    /// The signed gap of a half-space and another body is at least `claimed`: its own normal is the only one that can show it.
    fn check_above_plane(&self, claimed: f64, normal: DVec3, plane: &Plane, other: &Part) -> Result<(), Refusal> {
        if claimed == -f64::MAX && other.plane.is_some() {
            // Two half-spaces with an unbounded part in common claim nothing.
            return Ok(());
        }
        if (DoubleDoubleVec3::from(normal) - plane.normal).length().to_f64() > ACCURACY {
            return Err(Refusal::Normal);
        }
        let lowest = match other.world_plane() {
            None => -other.support_along(-plane.normal) - plane.level,
            // A second plane bounds the gap only if it faces the first, to the last digit there is.
            Some(second) if (second.normal + plane.normal).length().to_f64() <= 1e-29 => -(second.level + plane.level),
            Some(_) => DoubleDouble::from(-f64::MAX),
        };
        let proved = lowest - DoubleDouble::from(other.radius) - DoubleDouble::from(self.rounding);
        if DoubleDouble::from(claimed) <= proved {
            Ok(())
        } else {
            Err(Refusal::Lower { claimed, proved: proved.to_f64() })
        }
    }

    /// The signed gap of a half-space and another body is at most `claimed`: by a piece of the other near `point`, or, where
    /// that is a half-space too, because they are not exactly opposite.
    fn check_below_plane(&self, claimed: f64, point: DVec3, plane: &Plane, other: &Part) -> Result<(), Refusal> {
        let above = match other.world_plane() {
            None => other.nearest(point, 0.0).above(plane),
            Some(second) if (second.normal + plane.normal).length().to_f64() <= 1e-29 => -(second.level + plane.level),
            Some(_) => DoubleDouble::from(-f64::MAX),
        };
        let proved = above - DoubleDouble::from(other.radius) + DoubleDouble::from(self.rounding);
        if proved <= DoubleDouble::from(claimed) {
            Ok(())
        } else {
            Err(Refusal::Upper { claimed, proved: proved.to_f64() })
        }
    }

    /// The signed gap is at most `claimed`, by two points near the given ones (in own frames).
    pub(crate) fn check_upper(&self, claimed: f64, point_a: DVec3, point_b: DVec3) -> Result<(), Refusal> {
        if let Some((plane, other, sign)) = self.plane() {
            let point = if sign > 0.0 { point_b } else { point_a };
            return self.check_below_plane(claimed, point, &plane, other);
        }
        let within = self.point_tolerance();
        let [near_a, near_b] =
            [(&self.a, point_a), (&self.b, point_b)].map(|(part, point)| part.nearest(point, within));
        let first = self.check_upper_by(claimed, (point_a, &near_a), (point_b, &near_b), f64::INFINITY);
        if first.is_ok() {
            return first;
        }
        // Rounded to its own frame, a point of the surface may have come to lie just inside.
        let to_surface = |part: &Part, point: DVec3, near: Nearest| match (near, part.nearest_surface(point)) {
            (Nearest::Ball(centre, _), piece) if (piece.project(centre) - centre).length().to_f64() <= within => piece,
            (near, _) => near,
        };
        let (near_a, near_b) = (to_surface(&self.a, point_a, near_a), to_surface(&self.b, point_b, near_b));
        let second = self.check_upper_by(claimed, (point_a, &near_a), (point_b, &near_b), within);
        if second.is_ok() {
            return second;
        }
        let third = self.check_upper_by_triangles(claimed, point_a, point_b);
        // Where none does it, the best tells how much is missing.
        let proved = |answer: &Result<(), Refusal>| match answer {
            Err(Refusal::Upper { proved, .. }) => *proved,
            _ => f64::INFINITY,
        };
        let best = proved(&first).min(proved(&second)).min(proved(&third));
        third.map_err(|_| Refusal::Upper { claimed, proved: best })
    }

    /// The signed gap is at most `claimed`, by two of the triangles near the given points. Going to and fro takes ever
    /// longer the smaller the angle between them is, and a rounded point may have come next to a triangle beside its
    /// own.
    #[cold]
    fn check_upper_by_triangles(&self, claimed: f64, point_a: DVec3, point_b: DVec3) -> Result<(), Refusal> {
        let mut proved = f64::INFINITY;
        // No points are nearer to each other than zero.
        if DoubleDouble::from(claimed) + self.radii() < DoubleDouble::ZERO {
            return Err(Refusal::Upper { claimed, proved });
        }
        let within = self.point_tolerance();
        let (near_a, near_b) = (self.a.triangles_near(point_a, within), self.b.triangles_near(point_b, within));
        for (a, b) in near_a.iter().flat_map(|a| near_b.iter().map(move |b| (a, b))) {
            // Triangles that cross may do so but for the rounding of their corners.
            let apart = TwoTriangles { a, b, rounding: self.rounding }.at_most().max(4.0 * self.rounding);
            let bound = DoubleDouble::from(apart) - self.radii() + DoubleDouble::from(self.rounding);
            if bound <= DoubleDouble::from(claimed) {
                return Ok(());
            }
            proved = proved.min(bound.to_f64());
        }
        Err(Refusal::Upper { claimed, proved })
    }

    /// As [`Truth::check_upper`], for points of the surfaces that face each other along a normal. A radius leads from
    /// the core to the surface along the normal in the world. In a frame that is not rigid, the point of the core
    /// nearest to a point of the surface is not the one it came from: off by about the defect times the radius, which
    /// makes the gap longer by the square of that, so the way is gone back along the normal.
    pub(crate) fn check_upper_along(
        &self,
        claimed: f64,
        point_a: DVec3,
        point_b: DVec3,
        normal: DVec3,
    ) -> Result<(), Refusal> {
        self.check_upper(claimed, point_a, point_b).or_else(|refusal| {
            let (core_a, core_b) = (self.a.core_below(point_a, normal), self.b.core_below(point_b, -normal));
            self.check_upper(claimed, core_a, core_b).map_err(|_| refusal)
        })
    }

    /// The signed gap is at most `claimed`, by two points of the pieces `near_a` and `near_b`, each within `within` of the
    /// one given.
    fn check_upper_by(
        &self,
        claimed: f64,
        (point_a, near_a): (DVec3, &Nearest),
        (point_b, near_b): (DVec3, &Nearest),
        within: f64,
    ) -> Result<(), Refusal> {
        let (given_a, given_b) = (self.a.world(point_a), self.b.world(point_b));
        let mut q_a = near_a.project(given_a);
        let mut q_b = near_b.project(given_b);
        let mut proved = f64::INFINITY;
        // The points given are rounded to their own frames; going to and fro between the two pieces undoes that.
        for _ in 0..16 {
            let bound = (q_b - q_a).length() - self.radii() + DoubleDouble::from(self.rounding_of_two);
            let strayed = (q_a - given_a).length().to_f64().max((q_b - given_b).length().to_f64());
            if strayed > within {
                break;
            }
            if bound <= DoubleDouble::from(claimed) {
                return Ok(());
            }
            proved = bound.to_f64().min(proved);
            q_a = near_a.project(q_b);
            q_b = near_b.project(q_a);
        }
        Err(Refusal::Upper { claimed, proved })
    }

    /// Two points of the cores are no farther from each other than an upper bound that they are to prove says, but for the rounding
    /// of both: [`Truth::check_upper`] alone would take any point of the face that the one given lies on. Against a half-space it
    /// takes the point as it is.
    fn check_between(&self, claimed: f64, point_a: DVec3, point_b: DVec3) -> Result<(), Refusal> {
        if self.plane().is_some() {
            return Ok(());
        }
        let between = (self.b.world(point_b) - self.a.world(point_a)).length() - self.radii();
        let proved = (between - DoubleDouble::from(claimed)).to_f64();
        let rounding = 2.0 * self.point_tolerance() + (self.a.slack() + self.b.slack());
        if proved <= rounding { Ok(()) } else { Err(Refusal::Upper { claimed, proved: between.to_f64() }) }
    }

    /// Every vertex is placed within `claimed`, in one of the two frames; and not by a needlessly wide margin.
    pub(crate) fn check_placement(&self, claimed: f64) -> Result<(), Refusal> {
        if self.whole.is_some() {
            // Poses of parts are composed in a way that is the engine's own: seen here is only that the bound is useful. Two
            // placements, each less than 40u of `L`, and own coordinates.
            let useful = 96.0 * UNIT_ROUNDOFF * self.scale + self.own_rounding;
            let holds = claimed >= 0.0 && claimed <= useful;
            return if holds { Ok(()) } else { Err(Refusal::Placement { claimed, seen: 0.0 }) };
        }
        let off = |frame: &Part, moved: &Part| {
            let map = Placement::new(&frame.pose, frame.origin, &moved.pose, moved.origin);
            let world_origin = frame.world(frame.origin);
            let displaced = moved.vertices.iter().map(|&vertex| {
                let placed = DoubleDoubleVec3::from(map.place(vertex - moved.origin));
                let landed = world_origin + placed.transformed_by(&frame.pose.rotation());
                (landed - moved.world(vertex)).length().to_f64()
            });
            displaced.fold(0.0, f64::max)
        };
        let seen = off(&self.a, &self.b).min(off(&self.b, &self.a));
        // The derivations in `tolerances` add up to less than 40u; own coordinates enter with their offsets.
        let useful = 64.0 * UNIT_ROUNDOFF * self.scale + self.own_rounding;
        let allowed = claimed * (1.0 + 2.0 * self.defect) + self.rounding;
        if claimed >= 0.0 && seen <= allowed && claimed <= useful {
            Ok(())
        } else {
            Err(Refusal::Placement { claimed, seen })
        }
    }

    /// A witness point lies on its body: within the radius of the core, and (`on_surface`) not deeper.
    pub(crate) fn check_witness(
        &self,
        part: &Part,
        body: &'static str,
        point: DVec3,
        on_surface: bool,
    ) -> Result<(), Refusal> {
        let world = part.world(point);
        if let Some(plane) = part.world_plane() {
            let above = plane.above(world).to_f64();
            let off = if on_surface { above.abs() } else { above };
            return if off <= self.point_tolerance() { Ok(()) } else { Err(Refusal::Witness { body, off }) };
        }
        let core = (part.nearest(point, 0.0).project(world) - world).length().to_f64();
        let off = if on_surface && part.radius > 0.0 { (core - part.radius).abs() } else { core - part.radius };
        if off <= self.point_tolerance() + part.slack() { Ok(()) } else { Err(Refusal::Witness { body, off }) }
    }

    /// A point of the evidence lies in the core of its body.
    fn check_core_point(&self, part: &Part, body: &'static str, point: DVec3) -> Result<(), Refusal> {
        if part.plane.is_some() {
            return self.check_witness(part, body, point, false);
        }
        let world = part.world(point);
        let off = (part.nearest(point, 0.0).project(world) - world).length().to_f64();
        if off <= self.point_tolerance() + part.slack() { Ok(()) } else { Err(Refusal::Witness { body, off }) }
    }

    /// A feature holds its witness point; or it is `Interior`, where a solid's point need not lie on the surface.
    pub(crate) fn check_feature(
        &self,
        part: &Part,
        body: &'static str,
        feature: Feature,
        point: DVec3,
        may_be_interior: bool,
    ) -> Result<(), Refusal> {
        let holds = if feature == Feature::Interior {
            may_be_interior && (part.solid || part.round.is_some())
        } else {
            let tolerance = (FEATURE + self.defect) * self.scale + self.own_rounding + part.slack();
            // A radius may have led to below the surface where a walk was ended early.
            let below = if may_be_interior { part.radius } else { tolerance };
            part.distance_to(feature, point).is_some_and(|off| off <= tolerance && off >= -below)
        };
        if holds { Ok(()) } else { Err(Refusal::Feature { body }) }
    }

    /// The signed gap between the planes across `normal`, not yet divided by its length.
    fn gap_along(&self, normal: DVec3) -> DoubleDouble {
        if let Some((plane, other, _)) = self.plane() {
            let facing = other.world_plane().map(|second| -second.level);
            return facing.unwrap_or_else(|| -other.support_along(-plane.normal)) - plane.level;
        }
        -(self.b.support(-normal) + self.a.support(normal))
    }
}

impl Stopped {
    /// Whether a bracket is as wide as this says and for the reason it gives. `allowed` is the width that needs no
    /// reason; `capped` says whether the work may be capped for the bodies at hand.
    pub(crate) fn check(self, lower: f64, width: f64, allowed: f64, capped: bool) -> Result<(), Refusal> {
        // The engine's own measure of the size of a pair is within a factor of sixteen of this one.
        if width < allowed / 16.0 {
            return Err(Refusal::Method);
        }
        let holds = match self {
            Stopped::Tolerance(tolerance) => tolerance > 0.0 && width <= tolerance + allowed,
            Stopped::FartherThan(distance) => distance >= 0.0 && lower >= distance,
            Stopped::Budget => capped,
        };
        if holds { Ok(()) } else { Err(Refusal::Stopped) }
    }
}

pub(crate) fn check_numbers(numbers: &[(&'static str, f64)]) -> Result<(), Refusal> {
    match numbers.iter().find(|(_, x)| !x.is_finite()) {
        Some((field, _)) => Err(Refusal::NoNumber { field }),
        None => Ok(()),
    }
}

impl sealed::Check for Distance {
    fn enlarged(&self, factor: f64) -> Distance {
        self.scaled(factor)
    }

    fn parts(&self) -> ((u32, u32), Option<bool>) {
        ((self.witness.a.part, self.witness.b.part), Some(matches!(self.method, Method::Parts | Method::PartsStopped(_))))
    }

    fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> Distance {
        let (part_a, part_b) = named((self.witness.a.part, self.witness.b.part));
        Distance { witness: Witness { a: WitnessPoint { part: part_a, ..self.witness.a }, b: WitnessPoint { part: part_b, ..self.witness.b } }, ..*self }
    }

    fn in_parts(&self, a: &Pose, b: &Pose) -> Distance {
        let point_in_a = a.inverse_transform_point(self.witness.a.point);
        let point_in_b = b.inverse_transform_point(self.witness.b.point);
        Distance { witness: Witness { a: WitnessPoint { point: point_in_a, ..self.witness.a }, b: WitnessPoint { point: point_in_b, ..self.witness.b } }, ..*self }
    }

    fn check_meshes(&self, bodies: &Bodies<'_>) -> Result<(), Refusal> {
        bodies.check_distance(self)
    }

    fn check(&self, truth: &Truth) -> Result<(), Refusal> {
        check_numbers(&[
            ("value", self.gap_b.value),
            ("lower", self.gap_b.lower),
            ("upper", self.gap_b.upper),
            ("placement", self.placement),
            ("point_in_a", self.witness.a.point.element_sum()),
            ("point_in_b", self.witness.b.point.element_sum()),
            ("normal", self.normal.map_or(0.0, DVec3::element_sum)),
        ])?;
        if self.gap_b.lower < 0.0 {
            return Err(Refusal::NoNumber { field: "lower" });
        }
        if !(self.gap_b.lower <= self.gap_b.value && self.gap_b.value <= self.gap_b.upper) {
            return Err(Refusal::Disordered);
        }
        let meeting = self.gap_b.value == 0.0;
        match self.normal {
            Some(normal) if !meeting => {
                // A distance is never negative, so zero needs no proof; the normal must still be one.
                let claimed = if self.gap_b.lower > 0.0 { self.gap_b.lower } else { f64::NEG_INFINITY };
                truth.check_lower(claimed, normal)?;
            }
            None if meeting && self.gap_b.lower == 0.0 => {}
            _ => return Err(Refusal::Normal),
        }
        match self.normal {
            Some(normal) => truth.check_upper_along(self.gap_b.upper, self.witness.a.point, self.witness.b.point, normal)?,
            None => truth.check_upper(self.gap_b.upper, self.witness.a.point, self.witness.b.point)?,
        }
        let width = self.gap_b.upper - self.gap_b.lower;
        // Bodies far from their frames' origins leave what double-double arithmetic cannot see, however small `L` is: the
        // placement of local origins, 200u² of the coordinates, on both sides of the bracket, and `rounding` is 81u².
        let allowed = (ACCURACY + truth.defect) * truth.scale + truth.quantum + 8.0 * truth.rounding;
        match self.method {
            Method::Gjk | Method::Newton | Method::ClosedForm | Method::Parts => {
                if width > allowed {
                    return Err(Refusal::TooWide { width, allowed });
                }
            }
            Method::GjkStopped(reason) | Method::NewtonStopped(reason) | Method::PartsStopped(reason) => {
                reason.check(self.gap_b.lower, width, allowed, truth.may_be_capped())?;
            }
            _ => return Err(Refusal::Method),
        }
        truth.check_placement(self.placement)?;
        // Where a walk was ended early, the points belong to the bodies, but a radius may have led to below the surface.
        let stopped = self.method.stopped().is_some();
        truth.check_witness(&truth.a, "A", self.witness.a.point, !meeting && !stopped)?;
        truth.check_witness(&truth.b, "B", self.witness.b.point, !meeting && !stopped)?;
        let between = truth.b.world(self.witness.b.point) - truth.a.world(self.witness.a.point);
        let off = (between.length().to_f64() - self.gap_b.value).abs();
        // A common point of two half-spaces may be far away, where a defect displaces it the more.
        let planes = truth.a.plane.is_some() && truth.b.plane.is_some();
        let far = if planes { self.witness.a.point.length() + self.witness.b.point.length() } else { 0.0 };
        if off > truth.point_tolerance() + width + truth.defect * far {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        for (part, body, feature, point) in
            [(&truth.a, "A", self.witness.a.feature, self.witness.a.point), (&truth.b, "B", self.witness.b.feature, self.witness.b.point)]
        {
            if !meeting {
                // Where a walk was ended early, a chord may have come nearer than the surface so far.
                truth.check_feature(part, body, feature, point, stopped)?;
            } else if feature != Feature::Interior {
                return Err(Refusal::Feature { body });
            }
        }
        Ok(())
    }
}

impl sealed::Check for Penetration {
    fn enlarged(&self, factor: f64) -> Penetration {
        self.scaled(factor)
    }

    fn parts(&self) -> ((u32, u32), Option<bool>) {
        ((self.witness.a.part, self.witness.b.part), Some(matches!(self.method, Method::Parts | Method::PartsStopped(_))))
    }

    fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> Penetration {
        let (part_a, part_b) = named((self.witness.a.part, self.witness.b.part));
        Penetration { witness: Witness { a: WitnessPoint { part: part_a, ..self.witness.a }, b: WitnessPoint { part: part_b, ..self.witness.b } }, ..*self }
    }

    fn in_parts(&self, a: &Pose, b: &Pose) -> Penetration {
        let point_in_a = a.inverse_transform_point(self.witness.a.point);
        let point_in_b = b.inverse_transform_point(self.witness.b.point);
        Penetration { witness: Witness { a: WitnessPoint { point: point_in_a, ..self.witness.a }, b: WitnessPoint { point: point_in_b, ..self.witness.b } }, ..*self }
    }

    fn check_meshes(&self, bodies: &Bodies<'_>) -> Result<(), Refusal> {
        solids::check_penetration(self, bodies)
    }

    fn check(&self, truth: &Truth) -> Result<(), Refusal> {
        check_numbers(&[
            ("depth", self.depth_b.value),
            ("lower", self.depth_b.lower),
            ("upper", self.depth_b.upper),
            ("placement", self.placement),
            ("point_in_a", self.witness.a.point.element_sum()),
            ("point_in_b", self.witness.b.point.element_sum()),
            ("normal", self.normal.element_sum()),
        ])?;
        if self.depth_b.lower < 0.0 {
            return Err(Refusal::NoNumber { field: "lower" });
        }
        if !(self.depth_b.lower <= self.depth_b.value && self.depth_b.value <= self.depth_b.upper) {
            return Err(Refusal::Disordered);
        }
        truth.check_lower(-self.depth_b.upper, self.normal).map_err(|refusal| match refusal {
            Refusal::Lower { claimed, proved } => Refusal::Upper { claimed: -claimed, proved: -proved },
            other => other,
        })?;
        if self.depth_b.lower > 0.0 {
            truth.check_depth(self.depth_b.lower, self.witness.a.point, self.witness.b.point, self.normal)?;
        }
        self.check_method(truth)?;
        truth.check_placement(self.placement)?;
        truth.check_witness(&truth.a, "A", self.witness.a.point, true)?;
        truth.check_witness(&truth.b, "B", self.witness.b.point, true)?;
        // The points lie on the planes across the normal, one right behind the other.
        let normal = DoubleDoubleVec3::from(self.normal);
        let between = truth.b.world(self.witness.b.point) - truth.a.world(self.witness.a.point);
        let gap = truth.gap_along(self.normal) - truth.radii();
        let zero = DoubleDouble::from(0.0);
        let off = if matches!(self.method, Method::Gjk | Method::GjkStopped(_)) || gap + truth.radii() > zero {
            // Between cores apart a step aside costs only its square, as in a distance.
            let of_cores = (between + normal.scale(truth.radii())).length();
            (of_cores - (gap + truth.radii()).abs()).abs().to_f64()
        } else {
            (between - normal.scale(gap)).length().to_f64()
        };
        // The way out of a whole is that of no two parts.
        if truth.whole.is_none() && off > truth.point_tolerance() + (self.depth_b.upper - self.depth_b.lower) {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        // Where the polytope was ended early, a chord may have come nearer than the surface so far.
        let stopped = self.method.stopped().is_some();
        truth.check_feature(&truth.a, "A", self.witness.a.feature, self.witness.a.point, stopped)?;
        truth.check_feature(&truth.b, "B", self.witness.b.feature, self.witness.b.point, stopped)
    }
}

impl Penetration {
    /// The width of the bracket and the depth of the cores fit the method named.
    fn check_method(&self, truth: &Truth) -> Result<(), Refusal> {
        let width = self.depth_b.upper - self.depth_b.lower;
        let allowed = |accuracy: f64| (accuracy + truth.defect) * truth.scale + truth.quantum + 8.0 * truth.rounding;
        let near = allowed(ACCURACY);
        let accuracy = match self.method {
            Method::Gjk | Method::GjkStopped(_) => ACCURACY,
            Method::Epa | Method::EpaStopped(_) | Method::Newton | Method::NewtonStopped(_) => DEPTH_ACCURACY,
            Method::ClosedForm | Method::Parts | Method::PartsStopped(_) => DEPTH_ACCURACY,
            Method::Mesh | Method::MeshStopped(_) => DEPTH_ACCURACY,
            Method::Columns | Method::Solids => return Err(Refusal::Method),
        };
        let allowed = allowed(accuracy);
        match self.method.stopped() {
            // A depth has no lower end of a gap.
            Some(reason) => reason.check(f64::NEG_INFINITY, width, allowed, truth.may_be_capped())?,
            None if width > allowed => return Err(Refusal::TooWide { width, allowed }),
            None => {}
        }
        // GJK knows cores that do not overlap, the polytope cores that do.
        let radii = truth.radii().to_f64();
        let by_gjk = matches!(self.method, Method::Gjk | Method::GjkStopped(_));
        let by_polytope = matches!(self.method, Method::Epa | Method::EpaStopped(_));
        let wrong_cores = if by_gjk { self.depth_b.lower > radii + near } else { by_polytope && self.depth_b.upper < radii - near };
        if wrong_cores { Err(Refusal::Method) } else { Ok(()) }
    }
}

impl sealed::Check for RelationProof {
    fn enlarged(&self, factor: f64) -> RelationProof {
        self.clone().scaled(factor)
    }

    fn parts(&self) -> ((u32, u32), Option<bool>) {
        ((self.part_a, self.part_b), None)
    }

    fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> RelationProof {
        let (part_a, part_b) = named((self.part_a, self.part_b));
        RelationProof { part_a, part_b, ..self.clone() }
    }

    fn in_parts(&self, a: &Pose, b: &Pose) -> RelationProof {
        let own = |p: DVec3, q: DVec3| (a.inverse_transform_point(p), b.inverse_transform_point(q));
        let evidence = match &self.evidence {
            Evidence::Points { point_in_a, point_in_b } => {
                let (point_in_a, point_in_b) = own(*point_in_a, *point_in_b);
                Evidence::Points { point_in_a, point_in_b }
            }
            Evidence::Deep { point_in_a, point_in_b } => {
                let (point_in_a, point_in_b) = own(*point_in_a, *point_in_b);
                Evidence::Deep { point_in_a, point_in_b }
            }
            polytope => polytope.clone(),
        };
        RelationProof { evidence, ..self.clone() }
    }

    fn check_meshes(&self, bodies: &Bodies<'_>) -> Result<(), Refusal> {
        bodies.check_relation(self)
    }

    fn check(&self, truth: &Truth) -> Result<(), Refusal> {
        check_numbers(&[
            ("lower", self.gap_b.lower),
            ("upper", self.gap_b.upper),
            ("placement", self.placement),
            ("touch_band", self.touch_band),
            ("normal", self.normal.element_sum()),
        ])?;
        if self.touch_band < 0.0 {
            return Err(Refusal::NoNumber { field: "touch_band" });
        }
        if self.gap_b.lower > self.gap_b.upper {
            return Err(Refusal::Disordered);
        }
        if self.relation != self.verdict() {
            return Err(Refusal::Verdict);
        }
        truth.check_lower(self.gap_b.lower, self.normal)?;
        truth.check_placement(self.placement)?;
        truth.check_evidence(self.gap_b.upper, &self.evidence)
    }
}

impl Truth {
    /// The signed gap is at most `claimed`, by the evidence given for it.
    fn check_evidence(&self, claimed: f64, evidence: &Evidence) -> Result<(), Refusal> {
        match evidence {
            Evidence::Points { point_in_a, point_in_b } => {
                check_numbers(&[("evidence", point_in_a.element_sum() + point_in_b.element_sum())])?;
                self.check_core_point(&self.a, "A", *point_in_a)?;
                self.check_core_point(&self.b, "B", *point_in_b)?;
                self.check_between(claimed, *point_in_a, *point_in_b)?;
                self.check_upper(claimed, *point_in_a, *point_in_b)
            }
            Evidence::Polytope { pairs } => self.check_polytope(claimed, pairs),
            Evidence::Deep { point_in_a, point_in_b } => {
                check_numbers(&[("evidence", point_in_a.element_sum() + point_in_b.element_sum())])?;
                self.check_core_point(&self.a, "A", *point_in_a)?;
                self.check_core_point(&self.b, "B", *point_in_b)?;
                self.check_deep(-claimed, *point_in_a, *point_in_b).map_err(|refusal| match refusal {
                    Refusal::Lower { claimed, proved } => Refusal::Upper { claimed: -claimed, proved: -proved },
                    other => other,
                })
            }
        }
    }

    /// The same where the evidence of an answer is in the own frames of whole bodies, of which these are parts.
    pub(crate) fn check_evidence_of(&self, proof: &RelationProof) -> Result<(), Refusal> {
        let inner = |part: &Part| part.inner.unwrap_or(Pose::IDENTITY);
        let own = sealed::Check::in_parts(proof, &inner(&self.a), &inner(&self.b));
        self.check_evidence(own.gap_b.upper, &own.evidence)
    }
}
