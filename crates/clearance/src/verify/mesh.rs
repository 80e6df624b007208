//! Answers about meshes, as [`verify`](super::verify) proves them anew: from the points and triangles given, with trees of
//! its own ([`verify_boxes`](super::verify_boxes)) and triangles of its own ([`verify_triangles`](super::verify_triangles)).
//!
//! That bodies are apart is proved pair by pair for all triangles, or triangles and parts, whose boxes are not far enough
//! apart, and by counting how often solids wind about the other body. That they are no farther apart, and where the
//! points of an answer lie, is a question about two parts ([`Truth`]), of which a triangle is one kind.

use glam::DVec3;

use crate::answer::contacts::{Contact, Contacts, Crossing, PlaneSide};
use crate::answer::distance::Distance;
use crate::answer::method::Method;
use crate::answer::relation::{Evidence, RelationProof};
use crate::geom::topology::{Through, components};
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
use crate::math::tolerances::{ACCURACY, SMALLEST_REACH, UNIT_ROUNDOFF};
use crate::shape::Feature;
use crate::shape::{Mesh, Shape};
use crate::verify::boxes::Boxes;
use crate::verify::contacts::{check_in_order, check_point_in_order};
use crate::verify::pair::{Answer, Part, Refusal, Truth, check_numbers, project_on_triangle};
use crate::verify::parts::{Measured, Whole, box_about, check_two, parts};
use crate::verify::triangles::{Side, Triangle, TwoTriangles, from_sides, meet, piercings, side_of};
use crate::verify::witness::feature_of_triangle;

/// Checks an answer about a pair in which one body at least is a mesh.
pub(crate) fn check<T: Answer>(
    answer: &T,
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
) -> Result<(), Refusal> {
    match enlarged((a, pose_a), (b, pose_b)) {
        Some(([(a, pose_a), (b, pose_b)], factor)) => {
            // The numbers of the answer were rounded, some of them outward, to multiples of the smallest subnormal.
            let quantum = 4.0 * f64::from_bits(1) * factor;
            answer.enlarged(factor).check_meshes(&Bodies::new((&a, &pose_a), (&b, &pose_b), quantum))
        }
        None => answer.check_meshes(&Bodies::new((a, pose_a), (b, pose_b), 0.0)),
    }
}

/// Bodies so small that products of their coordinates would underflow, at a scale of about 1, and the power of two that took
/// them there.
fn enlarged((a, pose_a): (&Shape, &Pose), (b, pose_b): (&Shape, &Pose)) -> Option<([(Shape, Pose); 2], f64)> {
    let reach = |shape: &Shape| {
        let bounds = shape.bounds();
        bounds.min.abs().max(bounds.max.abs()).max_element()
    };
    let shared = pose_a.translation() == pose_b.translation();
    let apart = if shared { 0.0 } else { pose_a.translation().abs().max(pose_b.translation().abs()).max_element() };
    let size = reach(a).max(reach(b)).max(apart);
    if !(size < SMALLEST_REACH && size > 0.0) {
        return None;
    }
    // 2^-exponent of a number below 1e-60, at most 2^1000: exact, and finite.
    let factor = 2f64.powi((-size.log2()).floor().clamp(0.0, 1000.0) as i32);
    let larger = |shape: &Shape, pose: &Pose| {
        // What both translations share drops out.
        let translation = if shared { DVec3::ZERO } else { pose.translation() * factor };
        Some((shape.scaled(factor)?, Pose::new(pose.rotation(), translation).ok()?))
    };
    Some(([larger(a, pose_a)?, larger(b, pose_b)?], factor))
}

/// A mesh in the world.
struct Posed<'s> {
    mesh: &'s Mesh,
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    world: Vec<DoubleDoubleVec3>,
}

impl Posed<'_> {
    fn own(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|p| self.points[p as usize])
    }

    fn world(&self, triangle: u32) -> Triangle {
        self.triangles[triangle as usize].map(|p| self.world[p as usize])
    }

    fn side_of(&self, point: DVec3) -> Side {
        side_of((0..self.triangles.len() as u32).map(|t| self.own(t)), point)
    }
}

enum Kind<'s> {
    Mesh(Posed<'s>),
    /// Not a mesh.
    Parts(Vec<Part>),
}

/// One of the two bodies.
struct Body<'s> {
    shape: &'s Shape,
    pose: Pose,
    shift: DVec3,
    translation: DVec3,
    kind: Kind<'s>,
    boxes: Boxes,
}

impl<'s> Body<'s> {
    fn new(
        shape: &'s Shape,
        pose: &Pose,
        (shift, translation): (DVec3, DVec3),
        reference: DoubleDoubleVec3,
    ) -> Body<'s> {
        let (kind, boxes) = match shape {
            Shape::Mesh(mesh) => {
                let points: Vec<DVec3> = mesh.points().collect();
                let at = |p: &DVec3| to_world(*p, pose, shift, translation);
                let posed = Posed { mesh, world: points.iter().map(at).collect(), points, triangles: mesh.triangles() };
                let about = |t: u32| {
                    let corners = posed.world(t).map(|p| (p - reference).to_vec3());
                    // Rounded once.
                    let widened = |v: DVec3| v.abs() * (2.0 * UNIT_ROUNDOFF);
                    let low = corners.into_iter().map(|v| v - widened(v)).fold(DVec3::INFINITY, DVec3::min);
                    let high = corners.into_iter().map(|v| v + widened(v)).fold(DVec3::NEG_INFINITY, DVec3::max);
                    [low, high]
                };
                let boxes: Vec<_> = (0..posed.triangles.len() as u32).map(about).collect();
                (Kind::Mesh(posed), Boxes::new(&boxes))
            }
            other => {
                let mut own = parts(other, pose);
                own.iter_mut().for_each(|part| (part.shift, part.translation) = (shift, translation));
                let boxes: Vec<_> = own.iter().map(|part| box_about(part, reference)).collect();
                (Kind::Parts(own), Boxes::new(&boxes))
            }
        };
        Body { shape, pose: *pose, shift, translation, kind, boxes }
    }

    fn mesh(&self) -> Option<&Posed<'s>> {
        match &self.kind {
            Kind::Mesh(posed) => Some(posed),
            Kind::Parts(_) => None,
        }
    }

    /// The mesh, if it is a solid.
    fn solid(&self) -> Option<&Posed<'s>> {
        self.mesh().filter(|posed| posed.mesh.is_solid())
    }

    fn is_surface(&self) -> bool {
        self.mesh().is_some_and(|posed| !posed.mesh.is_solid())
    }

    /// Whether something can be inside: it is a solid, or has a part with an inside.
    fn has_interior(&self) -> bool {
        match &self.kind {
            Kind::Mesh(posed) => posed.mesh.is_solid(),
            Kind::Parts(parts) => parts.iter().any(Part::has_interior),
        }
    }

    fn placed(&self, mut part: Part) -> Part {
        (part.shift, part.translation) = (self.shift, self.translation);
        part
    }

    /// A part by its number: of a mesh a triangle. `None` if there is no such part.
    fn part(&self, number: u32) -> Option<Part> {
        let part = match (&self.kind, self.shape) {
            (Kind::Mesh(posed), _) => {
                let known = (number as usize) < posed.triangles.len();
                known.then(|| Part::of_triangle(posed.own(number), &self.pose))?
            }
            (Kind::Parts(_), Shape::Compound(compound)) => {
                let (inner, shape) = compound.parts().get(number as usize)?;
                Part::of_compound(shape, inner, &self.pose)
            }
            (Kind::Parts(_), whole) => (number == 0).then(|| Part::new(whole, &self.pose))?,
        };
        Some(self.placed(part))
    }

    /// A feature of a part by its number, as the part itself counts them. `None` if it is none of that part.
    fn feature(&self, number: u32, feature: Feature) -> Option<Feature> {
        let Kind::Mesh(posed) = &self.kind else { return Some(feature) };
        feature_of_triangle(posed.triangles.get(number as usize)?, number, feature)
    }

    fn world(&self, point: DVec3) -> DoubleDoubleVec3 {
        to_world(point, &self.pose, self.shift, self.translation)
    }

    /// A point of the world in the body's own frame, rounded.
    fn own(&self, world: DoubleDoubleVec3) -> DVec3 {
        let offset = world - DoubleDoubleVec3::from(self.translation);
        self.pose.inverse_rotation() * offset.to_vec3() + self.shift
    }

    /// The number of the part nearest to a point of the world, and how far that is.
    fn nearest(&self, point: DoubleDoubleVec3, reference: DoubleDoubleVec3) -> (f64, u32) {
        self.boxes.nearest((point - reference).to_vec3(), |number| match &self.kind {
            Kind::Mesh(posed) => {
                let [p, q, r] = posed.world(number);
                (project_on_triangle(point, p, q, r) - point).length().to_f64()
            }
            Kind::Parts(parts) => {
                let part = &parts[number as usize];
                if let Some(plane) = part.world_plane() {
                    return plane.above(point).to_f64().max(0.0);
                }
                let core = part.nearest(part.own(point), 0.0).project(point);
                ((core - point).length().to_f64() - part.radius).max(0.0)
            }
        })
    }

    /// The largest of `direction · x`, in the world; of half-spaces nothing is known.
    fn support(&self, direction: DoubleDoubleVec3) -> DoubleDouble {
        let larger = |x: DoubleDouble, y: DoubleDouble| if y > x { y } else { x };
        let least = DoubleDouble::from(f64::NEG_INFINITY);
        match &self.kind {
            Kind::Mesh(posed) => {
                let corners = posed.triangles.iter().flatten().map(|&p| direction.dot(posed.world[p as usize]));
                corners.fold(least, larger)
            }
            Kind::Parts(parts) => {
                let reach = |part: &Part| part.support_along(direction) + DoubleDouble::from(part.radius);
                parts.iter().map(reach).fold(least, larger)
            }
        }
    }

    fn has_plane(&self) -> bool {
        matches!(&self.kind, Kind::Parts(parts) if parts.iter().any(|part| part.world_plane().is_some()))
    }

    /// Points of the body of which each part that hangs together has one at least.
    fn components(&self) -> Vec<Vec<DoubleDoubleVec3>> {
        match &self.kind {
            Kind::Mesh(posed) => {
                let found = components(&posed.triangles, Through::Vertices);
                let mut points = vec![Vec::new(); found.count as usize];
                for (triangle, &component) in posed.triangles.iter().zip(&found.of_triangle) {
                    points[component as usize].extend(triangle.map(|p| posed.world[p as usize]));
                }
                points
            }
            // What has no end is in no solid.
            Kind::Parts(parts) => {
                let bounded = parts.iter().filter(|part| part.world_plane().is_none());
                bounded.map(|part| vec![part.world(part.vertices[0])]).collect()
            }
        }
    }
}

fn to_world(point: DVec3, pose: &Pose, shift: DVec3, translation: DVec3) -> DoubleDoubleVec3 {
    DoubleDoubleVec3::from_difference(point, shift).transformed_by(&pose.rotation())
        + DoubleDoubleVec3::from(translation)
}

/// Two bodies of which one at least is a mesh.
pub struct Bodies<'s> {
    a: Body<'s>,
    b: Body<'s>,
    measured: Measured,
    quantum: f64,
    /// A point of A in the world, that boxes are relative to.
    reference: DoubleDoubleVec3,
    /// Both poses are the same, so that own frames are one.
    one_frame: bool,
}

/// Two triangles that meet, by number, and on which side of the other's plane each lies.
type Meeting = (u32, u32, [PlaneSide; 2]);

/// What an answer says of how far bodies are apart.
struct Claim {
    lower: f64,
    upper: f64,
    /// What of the upper bound cannot be seen.
    unseen: f64,
    points: (DVec3, DVec3),
    parts: (u32, u32),
}

impl<'s> Bodies<'s> {
    pub(crate) fn new((a, pose_a): (&'s Shape, &Pose), (b, pose_b): (&'s Shape, &Pose), quantum: f64) -> Bodies<'s> {
        let some_point = |shape: &Shape| match shape {
            Shape::Mesh(mesh) => mesh.points().next().unwrap_or(DVec3::ZERO),
            _ => DVec3::ZERO,
        };
        let one_frame = pose_a == pose_b;
        // What both poses share drops out: the truth is known relative to a point of a mesh.
        let meant = if matches!(a, Shape::Mesh(_)) { some_point(a) } else { some_point(b) };
        let start = |pose: &Pose| if one_frame { (meant, DVec3::ZERO) } else { (DVec3::ZERO, pose.translation()) };
        let (start_a, start_b) = (start(pose_a), start(pose_b));
        let reference = to_world(some_point(a), pose_a, start_a.0, start_a.1);
        let (a, b) = (Body::new(a, pose_a, start_a, reference), Body::new(b, pose_b, start_b, reference));
        let measured = measured(&a, &b);
        Bodies { a, b, measured, quantum, reference, one_frame }
    }

    /// The bodies as they were given.
    pub(crate) fn given(&self) -> [(&Shape, &Pose); 2] {
        [(self.a.shape, &self.a.pose), (self.b.shape, &self.b.pose)]
    }

    /// What the numbers of an answer were rounded by when it was scaled.
    pub(crate) fn quantum(&self) -> f64 {
        self.quantum
    }

    /// `L` of the contract.
    pub(crate) fn scale(&self) -> f64 {
        self.measured.scale
    }

    /// From a point of B to one of A, both given in own frames, in the world.
    pub(crate) fn between(&self, point_a: DVec3, point_b: DVec3) -> DoubleDoubleVec3 {
        self.a.world(point_a) - self.b.world(point_b)
    }

    /// Points, in own frames, are on the surfaces, and on the features of the parts named where the body is a mesh; of others none
    /// is named.
    pub(crate) fn check_touching(
        &self,
        points: (DVec3, DVec3),
        parts: (u32, u32),
        features: (Feature, Feature),
        tolerance: f64,
    ) -> Result<(), Refusal> {
        let two = self.pair(parts)?;
        for (body, part, name, point, number, feature) in [
            (&self.a, &two.a, "A", points.0, parts.0, features.0),
            (&self.b, &two.b, "B", points.1, parts.1, features.1),
        ] {
            if body.mesh().is_none() {
                if feature != Feature::Interior {
                    return Err(Refusal::Feature { body: name });
                }
                continue;
            }
            let own = part.in_own_frame(point);
            let world = body.world(point);
            let [p, q, r] = [0, 1, 2].map(|k| part.world(part.vertices[k]));
            let off = (project_on_triangle(world, p, q, r) - world).length().to_f64();
            if off > tolerance {
                return Err(Refusal::Witness { body: name, off });
            }
            let feature = body.feature(number, feature).ok_or(Refusal::Feature { body: name })?;
            two.check_feature(part, name, feature, own, false)?;
        }
        Ok(())
    }

    /// How deep a point, in the own frame of the body that is moved, is in both bodies together after a translation in the world,
    /// negative if it is outside; `inside` tells sides in own frames.
    pub(crate) fn room_of_two(
        &self,
        moves_a: bool,
        point: DVec3,
        by: DoubleDoubleVec3,
        inside: &[impl Fn(DVec3) -> bool; 2],
    ) -> f64 {
        let (moved, fixed) = if moves_a { (&self.a, &self.b) } else { (&self.b, &self.a) };
        let (in_moved, in_fixed) = if moves_a { (&inside[0], &inside[1]) } else { (&inside[1], &inside[0]) };
        let here = moved.world(point);
        let there = here + by;
        let own = moved.nearest(here, self.reference).0;
        let own = if in_moved(point) { own } else { -own };
        let other = fixed.nearest(there, self.reference).0;
        // Turned into its frame the point is rounded; so near the surface the side does not matter but for the sum.
        let off = self.own_rounding() + 64.0 * UNIT_ROUNDOFF * self.measured.scale;
        let other = if other > off && in_fixed(fixed.own(there)) { other } else { -other };
        // A point of a surface that is folded onto itself need have nothing inside next to it.
        let folded = |body: &Body<'_>| body.mesh().is_some_and(|posed| posed.mesh.met_itself().folded);
        if (own < 0.0 && folded(moved)) || (other < 0.0 && folded(fixed)) {
            return f64::NEG_INFINITY;
        }
        // Distances are rounded once, and so is the sum.
        own + other - 8.0 * UNIT_ROUNDOFF * (own.abs() + other.abs()) - self.rounding()
    }

    fn rounding(&self) -> f64 {
        1e-30 * self.measured.coordinates
    }

    /// What of a gap cannot be seen: between points given in one frame it can be stored more finely than that.
    fn unseen(&self) -> f64 {
        2.0 * self.rounding()
    }

    /// The same of an upper bound: what proves one of two triangles adds four times the rounding to what it finds,
    /// which is off by less than that again.
    fn unseen_above(&self) -> f64 {
        6.0 * self.rounding()
    }

    /// What of the gap of two triangles in any position cannot be seen if they are given in one frame: squares of distances are
    /// off by some 1e-30 of those of coordinates, so roots by that over the gap, and by no more than the root of that.
    fn unseen_of_two(&self, gap: f64) -> f64 {
        let size = self.measured.coordinates;
        if self.one_frame { (1e-30 * size * (size / gap.abs())).min(1e-15 * size) } else { self.unseen() }
    }

    /// How finely points can be stored in the own frames.
    pub(crate) fn own_rounding(&self) -> f64 {
        16.0 * UNIT_ROUNDOFF * self.measured.own_coordinates + self.quantum
    }

    /// Two parts by their numbers.
    fn pair(&self, (part_a, part_b): (u32, u32)) -> Result<Truth, Refusal> {
        let (a, b) = (self.a.part(part_a).ok_or(Refusal::Part)?, self.b.part(part_b).ok_or(Refusal::Part)?);
        Ok(Truth::of_two(a, b, &self.measured, self.quantum))
    }

    /// The bodies are at least `claimed` apart, which is more than nothing.
    pub(crate) fn check_apart(&self, claimed: f64, normal: DVec3) -> Result<(), Refusal> {
        let seen = if claimed > 2.0 * self.unseen() { claimed - self.unseen() } else { claimed };
        self.a.boxes.pairs(&self.b.boxes, claimed, |i, j| {
            let proved = self.proved_gap((i, j), seen, normal)?;
            if proved >= seen { Ok(()) } else { Err(Refusal::Lower { claimed, proved }) }
        })?;
        self.check_outside(claimed, &self.a, &self.b)?;
        self.check_outside(claimed, &self.b, &self.a)
    }

    /// A bound on how far apart two parts are, as far as it is needed to show `enough`.
    fn proved_gap(&self, (part_a, part_b): (u32, u32), enough: f64, normal: DVec3) -> Result<f64, Refusal> {
        let rounding = self.rounding();
        Ok(match (&self.a.kind, &self.b.kind) {
            (Kind::Mesh(mesh_a), Kind::Mesh(mesh_b)) => {
                let (corners_a, corners_b) = (mesh_a.world(part_a), mesh_b.world(part_b));
                let two = TwoTriangles { a: &corners_a, b: &corners_b, rounding };
                two.gap(enough, normal, || self.one_frame && !meet(&mesh_a.own(part_a), &mesh_b.own(part_b)))
            }
            _ => {
                let two = self.pair((part_a, part_b))?;
                check_two(&two.a, &two.b, enough, normal, rounding).map_or_else(|missing| enough - missing, |()| enough)
            }
        })
    }

    /// Two parts are at least `claimed` apart, which is more than nothing, but for what cannot be seen.
    fn check_two_apart(&self, parts: (u32, u32), claimed: f64, normal: DVec3) -> Result<(), Refusal> {
        let seen = claimed - self.unseen_of_two(claimed);
        let proved = self.proved_gap(parts, seen, normal)?;
        let apart = match (self.a.mesh(), self.b.mesh()) {
            (Some(a), Some(b)) if proved <= 0.0 => self.one_frame && !meet(&a.own(parts.0), &b.own(parts.1)),
            _ => true,
        };
        if proved >= seen && apart { Ok(()) } else { Err(Refusal::Lower { claimed, proved }) }
    }

    /// No part of the other body is inside a solid, whose surface it is known not to meet.
    fn check_outside(&self, claimed: f64, solid: &Body<'_>, other: &Body<'_>) -> Result<(), Refusal> {
        let Some(posed) = solid.solid() else { return Ok(()) };
        // Turned into the frame of the solid a point is rounded, and must be so far from the surface that this does not matter.
        let off = if self.one_frame { 0.0 } else { self.own_rounding() + 64.0 * UNIT_ROUNDOFF * self.measured.scale };
        let [low, high] = solid.boxes.bounds();
        for points in other.components() {
            // What reaches out of the box is not inside.
            let beyond = |point: &DoubleDoubleVec3| {
                let at = (*point - self.reference).to_vec3();
                let room = at.abs() * (4.0 * UNIT_ROUNDOFF);
                !((at + room).cmpge(low).all() && (at - room).cmple(high).all())
            };
            if points.iter().any(beyond) {
                continue;
            }
            let far = |point: &&DoubleDoubleVec3| claimed > off || solid.nearest(**point, self.reference).0 > off;
            let clear = points.iter().find(far).map(|&point| solid.own(point));
            if clear.is_none_or(|point| posed.side_of(point) != Side::Outside) {
                return Err(Refusal::Lower { claimed, proved: 0.0 });
            }
        }
        Ok(())
    }

    /// The signed gap is at least `claimed`, which is not positive: by the planes across the normal, or because they
    /// are apart. A surface and what has no inside either need not be separated.
    fn check_way_out(&self, claimed: f64, normal: DVec3) -> Result<(), Refusal> {
        let is_hollow = |body: &Body<'_>| !body.has_interior();
        let no_depth = (self.a.is_surface() || self.b.is_surface()) && is_hollow(&self.a) && is_hollow(&self.b);
        if no_depth || claimed == -f64::MAX {
            return Ok(());
        }
        let direction = DoubleDoubleVec3::from(normal);
        let proved = if self.a.has_plane() || self.b.has_plane() {
            DoubleDouble::from(-f64::MAX)
        } else {
            let reach = self.a.support(direction) + self.b.support(-direction);
            -reach / direction.length() - DoubleDouble::from(self.rounding())
        };
        let is_proved = DoubleDouble::from(claimed) <= proved
            || self.check_apart(f64::MIN_POSITIVE, normal).is_ok()
            || self.is_out_after(claimed, normal);
        if is_proved { Ok(()) } else { Err(Refusal::Lower { claimed, proved: proved.to_f64() }) }
    }

    /// Whether a mesh is out of a body made of parts once B is moved by `-claimed` along the normal: every triangle out
    /// of every part, and no part inside a solid.
    fn is_out_after(&self, claimed: f64, normal: DVec3) -> bool {
        let (mesh, other, sign) = match (&self.a.kind, &self.b.kind) {
            (Kind::Mesh(_), Kind::Parts(parts)) => (&self.a, parts, 1.0),
            (Kind::Parts(parts), Kind::Mesh(_)) => (&self.b, parts, -1.0),
            _ => return false,
        };
        let by = DoubleDoubleVec3::from(normal).scale(DoubleDouble::from(-claimed * sign));
        let off = self.own_rounding() + 64.0 * UNIT_ROUNDOFF * self.measured.scale;
        // A part whose surface is out of the solid's is outside as a whole, if one of its points is.
        let is_outside = |part: &Part| {
            let point = part.world(part.vertices[0]) + by;
            mesh.solid().is_none_or(|posed| {
                mesh.nearest(point, self.reference).0 > off && posed.side_of(mesh.own(point)) == Side::Outside
            })
        };
        let all = |body: &Body<'_>| -> Vec<Part> { (0..).map_while(|number| body.part(number)).collect() };
        let mut whole = Whole::of(all(&self.a), all(&self.b));
        let _ = whole.measure();
        whole.check_apart(0.0, normal, -claimed, self.rounding()).is_ok() && other.iter().all(is_outside)
    }

    /// The normal is that of planes between two parts, which it shows to be apart but for rounding.
    fn check_normal(&self, two: &Truth, lower: f64, normal: DVec3) -> Result<(), Refusal> {
        two.check_lower(lower.max(0.0) - two.point_tolerance(), normal).map_err(|_| Refusal::Normal)
    }

    /// The method is one for the bodies at hand, and the width of the bracket is what it promises.
    fn check_method(&self, method: Method, lower: f64, width: f64) -> Result<(), Refusal> {
        let two_meshes = self.a.mesh().is_some() && self.b.mesh().is_some();
        let named = match method {
            Method::Mesh | Method::MeshStopped(_) => two_meshes,
            Method::Parts | Method::PartsStopped(_) => !two_meshes,
            _ => false,
        };
        if !named {
            return Err(Refusal::Method);
        }
        let allowed = (ACCURACY + self.measured.defect) * self.measured.scale + self.quantum + 8.0 * self.rounding();
        match method.stopped() {
            // Only what is curved is capped, and a mesh is not.
            Some(reason) => reason.check(lower, width, allowed, !two_meshes),
            None if width > allowed => Err(Refusal::TooWide { width, allowed }),
            None => Ok(()),
        }
    }

    /// Every point is placed within `claimed`, in one of the two frames, and not by a needlessly wide margin. How parts of other
    /// bodies are placed is not seen here, only whether the bound is useful.
    pub(crate) fn check_placement(&self, claimed: f64) -> Result<(), Refusal> {
        let refused = |seen: f64| Err(Refusal::Placement { claimed, seen });
        let (Some(_), Some(_)) = (self.a.mesh(), self.b.mesh()) else {
            let useful = 96.0 * UNIT_ROUNDOFF * self.measured.scale + self.own_rounding();
            return if claimed >= 0.0 && claimed <= useful { Ok(()) } else { refused(0.0) };
        };
        let seen = displaced(&self.a, &self.b).min(displaced(&self.b, &self.a));
        // The derivations in `tolerances` add up to less than 40u; own coordinates enter with their offsets.
        let useful = 64.0 * UNIT_ROUNDOFF * self.measured.scale + self.own_rounding();
        let allowed = claimed * (1.0 + 2.0 * self.measured.defect) + self.rounding();
        if claimed >= 0.0 && seen <= allowed && claimed <= useful { Ok(()) } else { refused(seen) }
    }

    /// The points belong to the parts named, or the one to a solid and the other to what is inside it; and they prove the
    /// upper bound.
    fn check_points(&self, claim: &Claim) -> Result<(), Refusal> {
        let touching = self.check_points_of(self.pair(claim.parts)?, claim);
        touching.or_else(|refusal| self.check_inside(claim).map_err(|_| refusal))
    }

    fn check_points_of(&self, two: Truth, claim: &Claim) -> Result<(), Refusal> {
        let (point_a, point_b) = (two.a.in_own_frame(claim.points.0), two.b.in_own_frame(claim.points.1));
        // As of lower bounds, the last of the digits cannot be seen.
        let enough = claim.upper + claim.unseen;
        two.check_upper(enough, point_a, point_b).or_else(|refusal| {
            let near = self.at_most(&two).is_some_and(|proved| proved <= enough);
            if near { Ok(()) } else { Err(refusal) }
        })?;
        two.check_witness(&two.a, "A", point_a, false)?;
        two.check_witness(&two.b, "B", point_b, false)
    }

    /// How far apart two triangles are at most, wherever the points of the answer are: between faces that are almost parallel,
    /// going to and fro leads nowhere.
    fn at_most(&self, two: &Truth) -> Option<f64> {
        let _ = (self.a.mesh()?, self.b.mesh()?);
        let corners = |part: &Part| -> Option<[DVec3; 3]> { part.vertices.as_slice().try_into().ok() };
        let (own_a, own_b) = (corners(&two.a)?, corners(&two.b)?);
        if self.one_frame && meet(&own_a, &own_b) {
            return Some(0.0);
        }
        let (a, b) = (own_a.map(|p| two.a.world(p)), own_b.map(|p| two.b.world(p)));
        Some(TwoTriangles { a: &a, b: &b, rounding: self.rounding() }.at_most())
    }

    /// One of the points is inside a solid, and the other belongs to the other body.
    fn check_inside(&self, claim: &Claim) -> Result<(), Refusal> {
        let (point_a, point_b) = claim.points;
        let two = |a: Part, b: Part| Truth::of_two(a, b, &self.measured, self.quantum);
        // A point that is inside belongs to the solid, and may stand for it.
        let itself = |body: &Body<'_>, point: DVec3| {
            let posed = body.solid()?;
            let inside = posed.side_of(point) != Side::Outside;
            inside.then(|| body.placed(Part::of_triangle([point; 3], &body.pose)))
        };
        let near = |body: &Body<'_>, point: DVec3| body.part(body.nearest(body.world(point), self.reference).1);
        let mut refusal = Refusal::Witness { body: "A and B", off: f64::INFINITY };
        for in_a in [true, false] {
            let parts = if in_a {
                itself(&self.a, point_a).zip(near(&self.b, point_b))
            } else {
                near(&self.a, point_a).zip(itself(&self.b, point_b))
            };
            let Some((a, b)) = parts else { continue };
            match self.check_points_of(two(a, b), claim) {
                Ok(()) => return Ok(()),
                Err(other) => refusal = other,
            }
        }
        Err(refusal)
    }

    /// The points of an answer are so far apart as it says.
    fn check_value(&self, value: f64, claim: &Claim) -> Result<(), Refusal> {
        let between = self.b.world(claim.points.1) - self.a.world(claim.points.0);
        let off = (between.length().to_f64() - value).abs();
        let tolerance = (ACCURACY + self.measured.defect) * self.measured.scale + self.own_rounding();
        if off > tolerance + (claim.upper - claim.lower.max(0.0)) {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        Ok(())
    }

    /// The points lie on the features named, of the parts named.
    fn check_features(
        &self,
        two: &Truth,
        claim: &Claim,
        features: (Feature, Feature),
        stopped: bool,
    ) -> Result<(), Refusal> {
        let own = (two.a.in_own_frame(claim.points.0), two.b.in_own_frame(claim.points.1));
        for (body, part, name, number, feature, point) in [
            (&self.a, &two.a, "A", claim.parts.0, features.0, own.0),
            (&self.b, &two.b, "B", claim.parts.1, features.1, own.1),
        ] {
            let feature = body.feature(number, feature).ok_or(Refusal::Feature { body: name })?;
            two.check_feature(part, name, feature, point, stopped)?;
        }
        Ok(())
    }

    pub(crate) fn check_distance(&self, answer: &Distance) -> Result<(), Refusal> {
        check_numbers(&[
            ("value", answer.gap_b.value),
            ("lower", answer.gap_b.lower),
            ("upper", answer.gap_b.upper),
            ("placement", answer.placement),
            ("point_in_a", answer.witness.a.point.element_sum()),
            ("point_in_b", answer.witness.b.point.element_sum()),
            ("normal", answer.normal.map_or(0.0, DVec3::element_sum)),
        ])?;
        if answer.gap_b.lower < 0.0 {
            return Err(Refusal::NoNumber { field: "lower" });
        }
        if !(answer.gap_b.lower <= answer.gap_b.value && answer.gap_b.value <= answer.gap_b.upper) {
            return Err(Refusal::Disordered);
        }
        self.check_method(answer.method, answer.gap_b.lower, answer.gap_b.upper - answer.gap_b.lower)?;
        let claim = Claim {
            lower: answer.gap_b.lower,
            upper: answer.gap_b.upper,
            unseen: self.unseen_above(),
            points: (answer.witness.a.point, answer.witness.b.point),
            parts: (answer.witness.a.part, answer.witness.b.part),
        };
        let two = self.pair(claim.parts)?;
        self.check_placement(answer.placement)?;
        self.check_value(answer.gap_b.value, &claim)?;
        let features = (answer.witness.a.feature, answer.witness.b.feature);
        match answer.normal {
            Some(normal) if answer.gap_b.value > 0.0 => {
                self.check_normal(&two, answer.gap_b.lower, normal)?;
                let stopped = answer.method.stopped().is_some();
                self.check_features(&two, &claim, features, stopped)?;
                for (part, name, point) in [(&two.a, "A", claim.points.0), (&two.b, "B", claim.points.1)] {
                    two.check_witness(part, name, part.in_own_frame(point), !stopped)?;
                }
                self.check_points_of(two, &claim)?;
                if answer.gap_b.lower > 0.0 { self.check_apart(answer.gap_b.lower, normal) } else { Ok(()) }
            }
            None if answer.gap_b.value == 0.0 => self.check_meeting(two, &claim, features),
            _ => Err(Refusal::Normal),
        }
    }

    /// A common point: of two triangles, on the features named; of a triangle and a part, which have no feature in question; or
    /// of a solid and what is inside it, whose features are not in question either.
    fn check_meeting(&self, two: Truth, claim: &Claim, features: (Feature, Feature)) -> Result<(), Refusal> {
        if features == (Feature::Interior, Feature::Interior) {
            if self.a.mesh().is_some() && self.b.mesh().is_some() {
                return self.check_inside(claim);
            }
            return self.check_points(claim);
        }
        for (body, feature, name) in [(&self.a, features.0, "A"), (&self.b, features.1, "B")] {
            if body.mesh().is_none() || feature == Feature::Interior {
                return Err(Refusal::Feature { body: name });
            }
        }
        if self.a.mesh().is_none() || self.b.mesh().is_none() {
            return Err(Refusal::Feature { body: "A and B" });
        }
        self.check_features(&two, claim, features, false)?;
        self.check_points_of(two, claim)
    }

    pub(crate) fn check_relation(&self, proof: &RelationProof) -> Result<(), Refusal> {
        check_numbers(&[
            ("lower", proof.gap_b.lower),
            ("upper", proof.gap_b.upper),
            ("placement", proof.placement),
            ("touch_band", proof.touch_band),
            ("normal", proof.normal.element_sum()),
        ])?;
        if proof.touch_band < 0.0 {
            return Err(Refusal::NoNumber { field: "touch_band" });
        }
        if proof.gap_b.lower > proof.gap_b.upper {
            return Err(Refusal::Disordered);
        }
        if proof.relation != proof.verdict() {
            return Err(Refusal::Verdict);
        }
        check_unit(proof.normal)?;
        self.check_placement(proof.placement)?;
        if proof.gap_b.upper < 0.0 && (self.a.is_surface() || self.b.is_surface()) {
            self.check_surface_overlap(proof)?;
            return self.check_way_out(proof.gap_b.lower, proof.normal);
        }
        let (Evidence::Points { point_in_a, point_in_b } | Evidence::Deep { point_in_a, point_in_b }) = proof.evidence
        else {
            return Err(Refusal::Upper { claimed: proof.gap_b.upper, proved: f64::INFINITY });
        };
        check_numbers(&[("evidence", point_in_a.element_sum() + point_in_b.element_sum())])?;
        let parts = (proof.part_a, proof.part_b);
        if matches!(proof.evidence, Evidence::Deep { .. }) {
            if proof.gap_b.upper >= 0.0 {
                return Err(Refusal::Upper { claimed: proof.gap_b.upper, proved: f64::INFINITY });
            }
            self.pair(parts)?;
            self.check_overlap(proof.gap_b.upper, point_in_a, point_in_b)?;
            return self.check_way_out(proof.gap_b.lower, proof.normal);
        }
        if proof.gap_b.upper < 0.0 {
            return Err(Refusal::Upper { claimed: proof.gap_b.upper, proved: 0.0 });
        }
        let (unseen, points) = (self.unseen_above(), (point_in_a, point_in_b));
        let claim = Claim { lower: proof.gap_b.lower, upper: proof.gap_b.upper, unseen, points, parts };
        if proof.gap_b.lower > 0.0 {
            let two = self.pair(parts)?;
            self.check_normal(&two, proof.gap_b.lower, proof.normal)?;
            self.check_points_of(two, &claim)?;
            return self.check_apart(proof.gap_b.lower, proof.normal);
        }
        self.check_points(&claim)?;
        self.check_way_out(proof.gap_b.lower, proof.normal)
    }
}

impl Bodies<'_> {
    /// The signed gap is at most `claimed`: about each of two points there is a ball in the body that it belongs to, and no
    /// translation shorter than both radii, less the distance of the points, parts the balls.
    fn check_overlap(&self, claimed: f64, point_a: DVec3, point_b: DVec3) -> Result<(), Refusal> {
        let refused = |proved: f64| Err(Refusal::Upper { claimed, proved });
        let between = (self.b.world(point_b) - self.a.world(point_a)).length().to_f64();
        let radii = self.a.ball_about(point_a, self.reference) + self.b.ball_about(point_b, self.reference);
        let proved = between - radii + self.rounding();
        if proved <= claimed { Ok(()) } else { refused(proved) }
    }
}

impl Bodies<'_> {
    /// A surface overlaps the other body, which has an inside, by as much as is claimed. Of a solid mesh: by the ball
    /// in it about a point of the surface. Of any other body: by what proves it of a triangle and one of its parts,
    /// which no translation leaves overlapping that separates the whole.
    fn check_surface_overlap(&self, proof: &RelationProof) -> Result<(), Refusal> {
        let refused = Refusal::Upper { claimed: proof.gap_b.upper, proved: 0.0 };
        let two = self.pair((proof.part_a, proof.part_b))?;
        let (other, part) = if self.a.is_surface() { (&self.b, &two.b) } else { (&self.a, &two.a) };
        match (&other.kind, &proof.evidence) {
            (Kind::Parts(_), _) if part.has_interior() => two.check_evidence_of(proof),
            (Kind::Mesh(posed), Evidence::Deep { point_in_a, point_in_b }) if posed.mesh.is_solid() => {
                check_numbers(&[("evidence", point_in_a.element_sum() + point_in_b.element_sum())])?;
                self.check_overlap(proof.gap_b.upper, *point_in_a, *point_in_b)
            }
            _ => Err(refused),
        }
    }
}

impl Body<'_> {
    /// The radius of a ball about a point, in the body's own frame, that the body holds: of a mesh the distance to its surface. Less
    /// than zero: how far outside the point is. Of what is no mesh it is only asked that the point belongs to it.
    fn ball_about(&self, point: DVec3, reference: DoubleDoubleVec3) -> f64 {
        let (distance, _) = self.nearest(self.world(point), reference);
        match self.solid() {
            Some(posed) if posed.side_of(point) == Side::Inside => distance,
            _ => -distance,
        }
    }
}

/// Sizes of both bodies and of their coordinates, as for bodies made of parts.
fn measured(a: &Body<'_>, b: &Body<'_>) -> Measured {
    let finite = |body: &Body<'_>| Some(body.boxes.bounds()).filter(|[low, high]| low.is_finite() && high.is_finite());
    let size = |body: &Body<'_>| finite(body).map_or(0.0, |[low, high]| (high - low).length());
    let middle = |body: &Body<'_>| finite(body).map(|[low, high]| 0.5 * (low + high));
    let some_point = |body: &Body<'_>| match &body.kind {
        Kind::Mesh(posed) => posed.world[posed.triangles[0][0] as usize],
        Kind::Parts(parts) => parts[0].world(parts[0].vertices[0]),
    };
    let apart = match (middle(a), middle(b)) {
        (Some(p), Some(q)) => p.distance(q),
        // To the plane of a half-space no size is known but where its frame is.
        _ => (some_point(b) - some_point(a)).length().to_f64(),
    };
    let coordinates = |body: &Body<'_>| match &body.kind {
        Kind::Mesh(posed) => {
            let used = || posed.triangles.iter().flatten().map(|&p| posed.points[p as usize]);
            let reach = used().map(|p| (p - body.shift).length()).fold(0.0, f64::max);
            (reach + body.translation.length(), used().map(DVec3::length).fold(0.0, f64::max))
        }
        Kind::Parts(parts) => {
            let world = parts.iter().map(Part::world_coordinates).fold(0.0, f64::max);
            (world, parts.iter().map(Part::own_coordinates).fold(0.0, f64::max))
        }
    };
    let defect = |body: &Body<'_>| match &body.kind {
        Kind::Mesh(_) => body.pose.defect(),
        Kind::Parts(parts) => parts.iter().map(Part::defect).fold(0.0, f64::max),
    };
    let ((world_a, own_a), (world_b, own_b)) = (coordinates(a), coordinates(b));
    Measured {
        scale: size(a) + size(b) + apart,
        defect: defect(a).max(defect(b)),
        coordinates: 2.0 * world_a.max(world_b),
        own_coordinates: 2.0 * own_a.max(own_b),
    }
}

/// How far points of one mesh are put from where they ideally are, if they are placed in the frame of the other.
fn displaced(frame: &Body<'_>, moved: &Body<'_>) -> f64 {
    let (Some(in_frame), Some(posed)) = (frame.mesh(), moved.mesh()) else { return f64::INFINITY };
    let (origin_frame, origin) = (in_frame.mesh.surface().origin, posed.mesh.surface().origin);
    let map = Placement::new(&frame.pose, origin_frame, &moved.pose, origin);
    let world_origin = frame.world(origin_frame);
    let off = posed.triangles.iter().flatten().map(|&p| {
        let placed = DoubleDoubleVec3::from(map.place(posed.points[p as usize] - origin));
        let landed = world_origin + placed.transformed_by(&frame.pose.rotation());
        (landed - posed.world[p as usize]).length().to_f64()
    });
    off.fold(0.0, f64::max)
}

fn check_unit(normal: DVec3) -> Result<(), Refusal> {
    let length = DoubleDoubleVec3::from(normal).length().to_f64();
    if (length - 1.0).abs() <= ACCURACY { Ok(()) } else { Err(Refusal::Normal) }
}

impl Bodies<'_> {
    pub(crate) fn check_contacts(&self, answer: &Contacts) -> Result<(), Refusal> {
        check_in_order(answer)?;
        // Triangles that meet have no patches that a tilt could be heeded for.
        if answer.tilt != 0.0 {
            return Err(Refusal::NoNumber { field: "tilt" });
        }
        if answer.gap_b.value < 0.0 {
            return Err(Refusal::NoNumber { field: "gap" });
        }
        check_unit(answer.normal)?;
        self.check_placement(answer.placement)?;
        // How deep bodies overlap that meet is not known: the lower bound is a way out and no measure of the width.
        self.check_method(answer.method, answer.gap_b.lower, answer.gap_b.upper - answer.gap_b.lower.max(0.0))?;
        let claim = Claim {
            lower: answer.gap_b.lower,
            upper: answer.gap_b.upper,
            unseen: self.unseen_above(),
            points: (answer.witness.a.point, answer.witness.b.point),
            parts: (answer.witness.a.part, answer.witness.b.part),
        };
        self.check_value(answer.gap_b.value, &claim)?;
        if answer.gap_b.value > 0.0 {
            let two = self.pair(claim.parts)?;
            self.check_normal(&two, answer.gap_b.lower, answer.normal)?;
            self.check_points_of(two, &claim)?;
        } else {
            self.check_points(&claim)?;
        }
        if answer.gap_b.lower > 0.0 {
            self.check_apart(answer.gap_b.lower, answer.normal)?;
        } else {
            self.check_way_out(answer.gap_b.lower, answer.normal)?;
        }
        self.check_lists(answer, &claim)
    }

    /// Every contact and every crossing, and that none is missing that must be there.
    fn check_lists(&self, answer: &Contacts, claim: &Claim) -> Result<(), Refusal> {
        if answer.gap_b.lower > answer.margin {
            let empty = answer.points.is_empty() && answer.crossings.is_empty();
            return if empty { Ok(()) } else { Err(Refusal::Verdict) };
        }
        let mut pairs: Vec<_> = answer.points.iter().map(|point| (point.witness.a.part, point.witness.b.part)).collect();
        pairs.sort_unstable();
        if pairs.windows(2).any(|two| two[0] == two[1]) {
            return Err(Refusal::Part);
        }
        for point in &answer.points {
            self.check_contact(answer, point)?;
        }
        // Of bodies apart the nearest points are a contact.
        let nearest = answer.points.iter().map(|point| point.gap_b.value).fold(f64::INFINITY, f64::min);
        let tolerance = (ACCURACY + self.measured.defect) * self.measured.scale + self.own_rounding();
        if answer.gap_b.value > 0.0 && nearest > answer.gap_b.upper + tolerance {
            return Err(Refusal::Verdict);
        }
        // Of bodies that meet so is a common point, unless they are two meshes, which cross, or the one is inside the other.
        let two_meshes = self.a.mesh().is_some() && self.b.mesh().is_some();
        if answer.gap_b.value == 0.0 && nearest > 0.0 && !two_meshes && self.check_inside(claim).is_err() {
            return Err(Refusal::Verdict);
        }
        self.check_crossings(&answer.crossings)
    }

    /// A pair of points: nearest points of the parts it names, with a true bracket, on their features.
    fn check_contact(&self, answer: &Contacts, point: &Contact) -> Result<(), Refusal> {
        check_point_in_order(point)?;
        check_unit(point.normal)?;
        let claim = Claim {
            lower: point.gap_b.lower,
            upper: point.gap_b.upper,
            unseen: self.unseen_of_two(point.gap_b.upper),
            points: (point.witness.a.point, point.witness.b.point),
            parts: (point.witness.a.part, point.witness.b.part),
        };
        let two = self.pair(claim.parts)?;
        let tolerance = two.point_tolerance();
        if point.gap_b.lower > answer.margin + tolerance {
            return Err(Refusal::Verdict);
        }
        let (width, allowed) = (point.gap_b.upper - point.gap_b.lower.max(0.0), tolerance + 8.0 * self.rounding());
        if width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        self.check_value(point.gap_b.value, &claim)?;
        if point.gap_b.value > 0.0 {
            self.check_normal(&two, point.gap_b.lower, point.normal)?;
            self.check_features(&two, &claim, (point.witness.a.feature, point.witness.b.feature), false)?;
            for (part, name, at) in [(&two.a, "A", claim.points.0), (&two.b, "B", claim.points.1)] {
                two.check_witness(part, name, part.in_own_frame(at), true)?;
            }
            if point.gap_b.lower > 0.0 {
                self.check_two_apart(claim.parts, point.gap_b.lower, point.normal)?;
            }
            return self.check_points_of(two, &claim);
        }
        // Of two meshes those that meet are crossings.
        let two_meshes = self.a.mesh().is_some() && self.b.mesh().is_some();
        if two_meshes || (point.witness.a.feature, point.witness.b.feature) != (Feature::Interior, Feature::Interior) {
            return Err(Refusal::Feature { body: "A and B" });
        }
        if point.normal != answer.normal {
            return Err(Refusal::Normal);
        }
        self.check_points_of(two, &claim)
    }

    /// The crossings are those of all triangles that meet, as placed in one of the two frames, each with the ends of what the
    /// triangles have in common.
    fn check_crossings(&self, crossings: &[Crossing]) -> Result<(), Refusal> {
        let (Some(mesh_a), Some(mesh_b)) = (self.a.mesh(), self.b.mesh()) else {
            return if crossings.is_empty() { Ok(()) } else { Err(Refusal::Part) };
        };
        let claimed: Vec<_> = (crossings.iter())
            .map(|crossing| (crossing.triangle_a, crossing.triangle_b, [crossing.side_of_a, crossing.side_of_b]))
            .collect();
        let swapped = |pairs: Vec<Meeting>| {
            let mut pairs: Vec<_> = pairs.into_iter().map(|(i, j, [of_i, of_j])| (j, i, [of_j, of_i])).collect();
            pairs.sort_unstable_by_key(|&(i, j, _)| (i, j));
            pairs
        };
        if claimed != self.meeting(&self.a, &self.b) && claimed != swapped(self.meeting(&self.b, &self.a)) {
            return Err(Refusal::Part);
        }
        for crossing in crossings {
            let corners = (mesh_a.world(crossing.triangle_a), mesh_b.world(crossing.triangle_b));
            self.check_ends(crossing, &corners.0, &corners.1)?;
        }
        Ok(())
    }

    /// All pairs of triangles that meet, exactly, if points of the second are placed in the frame of the first; in ascending order.
    fn meeting(&self, frame: &Body<'_>, moved: &Body<'_>) -> Vec<Meeting> {
        let (Some(in_frame), Some(posed)) = (frame.mesh(), moved.mesh()) else { return Vec::new() };
        let (origin_frame, origin) = (in_frame.mesh.surface().origin, posed.mesh.surface().origin);
        let map = Placement::new(&frame.pose, origin_frame, &moved.pose, origin);
        let near = 128.0 * UNIT_ROUNDOFF * self.measured.scale + 2.0 * self.own_rounding();
        let mut found = Vec::new();
        // Visits do not fail.
        let _: Result<(), ()> = frame.boxes.pairs(&moved.boxes, near, |i, j| {
            let corners = in_frame.own(i).map(|p| p - origin_frame);
            let placed = posed.own(j).map(|p| map.place(p - origin));
            if meet(&corners, &placed) {
                let side_of = |triangle: &[DVec3; 3], [a, b, c]: [DVec3; 3]| {
                    PlaneSide::of_corners(triangle.map(|corner| orient3d(a, b, c, corner)))
                };
                found.push((i, j, [side_of(&corners, placed), side_of(&placed, corners)]));
            }
            Ok(())
        });
        found.sort_unstable_by_key(|&(i, j, _)| (i, j));
        found
    }

    /// The ends lie on both triangles; where an edge of one clearly goes through the other is an end; and normals are those of
    /// triangles of solids that edges go through.
    fn check_ends(&self, crossing: &Crossing, a: &Triangle, b: &Triangle) -> Result<(), Refusal> {
        let tolerance = (ACCURACY + self.measured.defect) * self.measured.scale + self.own_rounding();
        let ends = crossing.ends_in_a;
        check_numbers(&[("ends_in_a", (ends[0] + ends[1]).element_sum())])?;
        let ends = ends.map(|end| self.a.world(end));
        for (end, normal) in ends.into_iter().zip(crossing.normals) {
            for (triangle, body) in [(a, "A"), (b, "B")] {
                let off = (project_on_triangle(end, triangle[0], triangle[1], triangle[2]) - end).length().to_f64();
                if off > tolerance {
                    return Err(Refusal::Witness { body, off });
                }
            }
            self.check_end_normal(normal, end, (a, b), tolerance)?;
        }
        for (point, sine) in piercings(a, b).chain(piercings(b, a)) {
            let off = ends.map(|end| (end - point).length().to_f64()).into_iter().fold(f64::INFINITY, f64::min);
            // Off by the tolerance along the triangles, an end is off by that over the sine of their angle.
            if off * sine > tolerance * (1.0 + sine) {
                return Err(Refusal::Witness { body: "A and B", off });
            }
        }
        Ok(())
    }

    /// At an end where an edge of B goes through a face of A the normal is that of A, if that is a solid; where an edge of A goes
    /// through a face of B it is opposite to that of B.
    fn check_end_normal(
        &self,
        normal: Option<DVec3>,
        end: DoubleDoubleVec3,
        (a, b): (&Triangle, &Triangle),
        tolerance: f64,
    ) -> Result<(), Refusal> {
        let ((side_a, corner_a), (side_b, corner_b)) = (from_sides(a, end), from_sides(b, end));
        // Whether the face is met inside by the inside of an edge: perhaps, and certainly.
        let of_a = (side_b <= tolerance, side_b <= tolerance && side_a > tolerance && corner_b > tolerance);
        let of_b = (side_a <= tolerance, side_a <= tolerance && side_b > tolerance && corner_a > tolerance);
        let (solid_a, solid_b) = (self.a.solid().is_some(), self.b.solid().is_some());
        let Some(normal) = normal else {
            let missing = (solid_a && of_a.1) || (solid_b && of_b.1);
            return if missing { Err(Refusal::Normal) } else { Ok(()) };
        };
        check_unit(normal)?;
        let is_along = |triangle: &Triangle, sign: f64| {
            let (e, f) = (triangle[1] - triangle[0], triangle[2] - triangle[0]);
            let face = e.cross(f);
            // The normal of a sliver is as good as its corners: these are placed, and multiplied, in double precision.
            let sizes = (e.length() * f.length()).to_f64();
            let doubt = tolerance * (e.length() + f.length()).to_f64() + ACCURACY * sizes;
            let off = face - DoubleDoubleVec3::from(normal * sign).scale(face.length());
            off.length().to_f64() <= doubt
        };
        let holds = (solid_a && of_a.0 && is_along(a, 1.0)) || (solid_b && of_b.0 && is_along(b, -1.0));
        if holds { Ok(()) } else { Err(Refusal::Normal) }
    }
}
