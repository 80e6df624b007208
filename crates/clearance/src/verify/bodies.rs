//! Two bodies, at least one of them a mesh, as [`verify`](super::answer::verify) sees them: built from the given points
//! and triangles, with its own trees (`boxes.rs`) and its own triangle tests (`triangles.rs`).
//!
//! Separation is proved pair by pair for all triangles, or triangles and parts, whose boxes are too close, and by the
//! winding number of solids around the other body. Upper bounds and witness points concern two parts ([`Truth`]), a
//! triangle being one kind of part.

use glam::DVec3;

use crate::answer::method::Method;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, UNIT_ROUNDOFF};
use crate::shape::Feature;
use crate::shape::Shape;
use crate::verify::body::Part;
use crate::verify::parts::{Measured, Whole, check_two};
use crate::verify::posed::{Body, Kind, to_world};
use crate::verify::project::project_on_triangle;
use crate::verify::refusal::Refusal;
use crate::verify::triangles::{PointSide, TwoTriangles, meet};
use crate::verify::truth::Truth;

/// Two bodies, at least one of them a mesh.
pub struct Bodies<'s> {
    pub(crate) a: Body<'s>,
    pub(crate) b: Body<'s>,
    pub(crate) measured: Measured,
    pub(crate) quantum: f64,
    /// A point of A in the world; boxes are relative to it.
    pub(crate) reference: DoubleDoubleVec3,
    /// Both poses are equal, so the local frames coincide.
    pub(crate) one_frame: bool,
}

/// What an answer claims about the gap of two bodies.
pub(crate) struct Claim {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// How much of the upper bound is below the resolution of this check.
    pub(crate) unseen: f64,
    pub(crate) points: (DVec3, DVec3),
    pub(crate) parts: (u32, u32),
}

impl<'s> Bodies<'s> {
    pub(crate) fn new((a, pose_a): (&'s Shape, &Pose), (b, pose_b): (&'s Shape, &Pose), quantum: f64) -> Bodies<'s> {
        let some_point = |shape: &Shape| match shape {
            Shape::Mesh(mesh) => mesh.points().next().unwrap_or(DVec3::ZERO),
            _ => DVec3::ZERO,
        };
        let one_frame = pose_a == pose_b;
        // A pose common to both drops out: world coordinates are relative to a point of a mesh.
        let anchor = if matches!(a, Shape::Mesh(_)) { some_point(a) } else { some_point(b) };
        let start = |pose: &Pose| if one_frame { (anchor, DVec3::ZERO) } else { (DVec3::ZERO, pose.translation()) };
        let (start_a, start_b) = (start(pose_a), start(pose_b));
        let reference = to_world(some_point(a), pose_a, start_a.0, start_a.1);
        let (a, b) = (Body::new(a, pose_a, start_a, reference), Body::new(b, pose_b, start_b, reference));
        let measured = measured(&a, &b);
        Bodies { a, b, measured, quantum, reference, one_frame }
    }

    /// The bodies as given.
    pub(crate) fn given(&self) -> [(&Shape, &Pose); 2] {
        [(self.a.shape, &self.a.pose), (self.b.shape, &self.b.pose)]
    }

    /// Rounding of the answer's numbers when it was scaled.
    pub(crate) fn quantum(&self) -> f64 {
        self.quantum
    }

    /// `L` of the contract.
    pub(crate) fn scale(&self) -> f64 {
        self.measured.scale
    }

    /// From a point of B to one of A, both in local frames, in the world.
    pub(crate) fn between(&self, point_a: DVec3, point_b: DVec3) -> DoubleDoubleVec3 {
        self.a.world(point_a) - self.b.world(point_b)
    }

    /// The points, in local frames, are on the surfaces, and on the named features where the body is a mesh; for other
    /// bodies the feature must be `Interior`.
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

    /// How deep a point, in the local frame of the moved body, lies in both bodies together after a translation in the
    /// world; negative if outside. `inside` decides containment in local frames.
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
        // The point is rounded when turned into the frame; this close to the surface its side matters only for the sum.
        let off = self.own_rounding() + 64.0 * UNIT_ROUNDOFF * self.measured.scale;
        let other = if other > off && in_fixed(fixed.own(there)) { other } else { -other };
        // Next to a surface that is folded onto itself there need not be any interior.
        let folded = |body: &Body<'_>| body.mesh().is_some_and(|posed| posed.mesh.self_crossing().folded);
        if (own < 0.0 && folded(moved)) || (other < 0.0 && folded(fixed)) {
            return f64::NEG_INFINITY;
        }
        // Each distance is rounded once, and so is the sum.
        own + other - 8.0 * UNIT_ROUNDOFF * (own.abs() + other.abs()) - self.rounding()
    }

    pub(crate) fn rounding(&self) -> f64 {
        1e-30 * self.measured.coordinates
    }

    /// Resolution of a gap: between points given in one frame the gap can be stored more finely than this.
    pub(crate) fn unseen(&self) -> f64 {
        2.0 * self.rounding()
    }

    /// Resolution of an upper bound: the proof for two triangles adds four times the rounding to its result, which is
    /// off by less than that again.
    pub(crate) fn unseen_above(&self) -> f64 {
        6.0 * self.rounding()
    }

    /// Resolution of the gap of two triangles in any position given in one frame: squared distances are off by some
    /// 1e-30 of squared coordinates, so roots by that over the gap, and never by more than the root of that.
    pub(crate) fn unseen_of_two(&self, gap: f64) -> f64 {
        let size = self.measured.coordinates;
        if self.one_frame { (1e-30 * size * (size / gap.abs())).min(1e-15 * size) } else { self.unseen() }
    }

    /// How finely points can be stored in the local frames.
    pub(crate) fn own_rounding(&self) -> f64 {
        16.0 * UNIT_ROUNDOFF * self.measured.own_coordinates + self.quantum
    }

    /// Two parts by number.
    pub(crate) fn pair(&self, (part_a, part_b): (u32, u32)) -> Result<Truth, Refusal> {
        let (a, b) = (self.a.part(part_a).ok_or(Refusal::Part)?, self.b.part(part_b).ok_or(Refusal::Part)?);
        Ok(Truth::of_two(a, b, &self.measured, self.quantum))
    }

    /// The bodies are at least `claimed` apart, which is positive.
    pub(crate) fn check_apart(&self, claimed: f64, normal: DVec3) -> Result<(), Refusal> {
        let seen = if claimed > 2.0 * self.unseen() { claimed - self.unseen() } else { claimed };
        self.a.boxes.pairs(&self.b.boxes, claimed, |i, j| {
            let proved = self.proved_gap((i, j), seen, normal)?;
            if proved >= seen { Ok(()) } else { Err(Refusal::Lower { claimed, proved }) }
        })?;
        self.check_outside(claimed, &self.a, &self.b)?;
        self.check_outside(claimed, &self.b, &self.a)
    }

    /// A lower bound on the gap of two parts, only as tight as needed to show `enough`.
    pub(crate) fn proved_gap(&self, (part_a, part_b): (u32, u32), enough: f64, normal: DVec3) -> Result<f64, Refusal> {
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

    /// Two parts are at least `claimed` apart, which is positive, up to the resolution.
    pub(crate) fn check_two_apart(&self, parts: (u32, u32), claimed: f64, normal: DVec3) -> Result<(), Refusal> {
        let seen = claimed - self.unseen_of_two(claimed);
        let proved = self.proved_gap(parts, seen, normal)?;
        let apart = match (self.a.mesh(), self.b.mesh()) {
            (Some(a), Some(b)) if proved <= 0.0 => self.one_frame && !meet(&a.own(parts.0), &b.own(parts.1)),
            _ => true,
        };
        if proved >= seen && apart { Ok(()) } else { Err(Refusal::Lower { claimed, proved }) }
    }

    /// No part of the other body is inside a solid whose surface it is known not to meet.
    pub(crate) fn check_outside(&self, claimed: f64, solid: &Body<'_>, other: &Body<'_>) -> Result<(), Refusal> {
        let Some(posed) = solid.solid() else { return Ok(()) };
        // A point is rounded when turned into the solid's frame, and must be far enough from the surface for that not
        // to matter.
        let off = if self.one_frame { 0.0 } else { self.own_rounding() + 64.0 * UNIT_ROUNDOFF * self.measured.scale };
        let [low, high] = solid.boxes.bounds();
        for points in other.components() {
            // Anything that extends beyond the box is not inside.
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
            if clear.is_none_or(|point| posed.side_of(point) != PointSide::Outside) {
                return Err(Refusal::Lower { claimed, proved: 0.0 });
            }
        }
        Ok(())
    }

    /// The signed gap is at least `claimed`, which is not positive: by the planes across the normal, or because the
    /// bodies are apart. Two bodies without interior need not be separated.
    pub(crate) fn check_way_out(&self, claimed: f64, normal: DVec3) -> Result<(), Refusal> {
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

    /// Whether a mesh is clear of a compound once B is moved by `-claimed` along the normal: every triangle clear of
    /// every part, and no part inside a solid.
    pub(crate) fn is_out_after(&self, claimed: f64, normal: DVec3) -> bool {
        let (mesh, other, sign) = match (&self.a.kind, &self.b.kind) {
            (Kind::Mesh(_), Kind::Parts(parts)) => (&self.a, parts, 1.0),
            (Kind::Parts(parts), Kind::Mesh(_)) => (&self.b, parts, -1.0),
            _ => return false,
        };
        let by = DoubleDoubleVec3::from(normal).scale(DoubleDouble::from(-claimed * sign));
        let off = self.own_rounding() + 64.0 * UNIT_ROUNDOFF * self.measured.scale;
        // A part whose surface is clear of the solid's is outside as a whole if one of its points is.
        let is_outside = |part: &Part| {
            let point = part.world(part.vertices[0]) + by;
            mesh.solid().is_none_or(|posed| {
                mesh.nearest(point, self.reference).0 > off && posed.side_of(mesh.own(point)) == PointSide::Outside
            })
        };
        let all = |body: &Body<'_>| -> Vec<Part> { (0..).map_while(|number| body.part(number)).collect() };
        let mut whole = Whole::of(all(&self.a), all(&self.b));
        let _ = whole.measure();
        whole.check_apart(0.0, normal, -claimed, self.rounding()).is_ok() && other.iter().all(is_outside)
    }

    /// Planes across the normal separate the two parts, up to rounding.
    pub(crate) fn check_normal(&self, two: &Truth, lower: f64, normal: DVec3) -> Result<(), Refusal> {
        two.check_lower(lower.max(0.0) - two.point_tolerance(), normal).map_err(|_| Refusal::Normal)
    }

    /// The method fits the bodies, and the bracket is as narrow as the method promises.
    pub(crate) fn check_method(&self, method: Method, lower: f64, width: f64) -> Result<(), Refusal> {
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
            // Only curved bodies can be capped, and meshes are not curved.
            Some(reason) => reason.check(lower, width, allowed, !two_meshes),
            None if width > allowed => Err(Refusal::TooWide { width, allowed }),
            None => Ok(()),
        }
    }

    /// Every point is placed within `claimed`, in one of the two frames, and `claimed` is not needlessly wide. For
    /// parts of other bodies only the latter is checked.
    pub(crate) fn check_placement(&self, claimed: f64) -> Result<(), Refusal> {
        let refused = |seen: f64| Err(Refusal::Placement { claimed, seen });
        let (Some(_), Some(_)) = (self.a.mesh(), self.b.mesh()) else {
            let useful = 96.0 * UNIT_ROUNDOFF * self.measured.scale + self.own_rounding();
            return if claimed >= 0.0 && claimed <= useful { Ok(()) } else { refused(0.0) };
        };
        let seen = displaced(&self.a, &self.b).min(displaced(&self.b, &self.a));
        // The derivations in `tolerances` add up to less than 40u; local coordinates enter with their offsets.
        let useful = 64.0 * UNIT_ROUNDOFF * self.measured.scale + self.own_rounding();
        let allowed = claimed * (1.0 + 2.0 * self.measured.defect) + self.rounding();
        if claimed >= 0.0 && seen <= allowed && claimed <= useful { Ok(()) } else { refused(seen) }
    }

    /// The points belong to the named parts, or one to a solid and the other to a body inside it; and they prove the
    /// upper bound.
    pub(crate) fn check_points(&self, claim: &Claim) -> Result<(), Refusal> {
        let touching = self.check_points_of(self.pair(claim.parts)?, claim);
        touching.or_else(|refusal| self.check_inside(claim).map_err(|_| refusal))
    }

    pub(crate) fn check_points_of(&self, two: Truth, claim: &Claim) -> Result<(), Refusal> {
        let (point_a, point_b) = (two.a.in_own_frame(claim.points.0), two.b.in_own_frame(claim.points.1));
        // As for lower bounds, the last digits are below the resolution.
        let enough = claim.upper + claim.unseen;
        two.check_upper(enough, point_a, point_b).or_else(|refusal| {
            let near = self.at_most(&two).is_some_and(|proved| proved <= enough);
            if near { Ok(()) } else { Err(refusal) }
        })?;
        two.check_witness(&two.a, "A", point_a, false)?;
        two.check_witness(&two.b, "B", point_b, false)
    }

    /// An upper bound on the distance of two triangles, regardless of the answer's points: between almost parallel
    /// faces, alternating projections make no progress.
    pub(crate) fn at_most(&self, two: &Truth) -> Option<f64> {
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
    pub(crate) fn check_inside(&self, claim: &Claim) -> Result<(), Refusal> {
        let (point_a, point_b) = claim.points;
        let two = |a: Part, b: Part| Truth::of_two(a, b, &self.measured, self.quantum);
        // A point inside the solid belongs to it, and may stand for it.
        let itself = |body: &Body<'_>, point: DVec3| {
            let posed = body.solid()?;
            let inside = posed.side_of(point) != PointSide::Outside;
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

    /// The points of an answer are as far apart as it says.
    pub(crate) fn check_value(&self, value: f64, claim: &Claim) -> Result<(), Refusal> {
        let between = self.b.world(claim.points.1) - self.a.world(claim.points.0);
        let off = (between.length().to_f64() - value).abs();
        let tolerance = (ACCURACY + self.measured.defect) * self.measured.scale + self.own_rounding();
        if off > tolerance + (claim.upper - claim.lower.max(0.0)) {
            return Err(Refusal::Witness { body: "A and B", off });
        }
        Ok(())
    }

    /// The points lie on the named features of the named parts.
    pub(crate) fn check_features(
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
}

impl Bodies<'_> {
    /// The signed gap is at most `claimed`: a sphere about each point lies in its body, and no translation shorter than
    /// the sum of the radii minus the distance of the points separates the spheres.
    pub(crate) fn check_overlap(&self, claimed: f64, point_a: DVec3, point_b: DVec3) -> Result<(), Refusal> {
        let proved = self.gap_of_balls(point_a, point_b);
        if proved <= claimed { Ok(()) } else { Err(Refusal::Upper { claimed, proved }) }
    }

    /// An upper bound on the signed gap of the spheres about a point in either body.
    pub(crate) fn gap_of_balls(&self, point_a: DVec3, point_b: DVec3) -> f64 {
        let between = (self.b.world(point_b) - self.a.world(point_a)).length().to_f64();
        let radii = self.a.ball_about(point_a, self.reference) + self.b.ball_about(point_b, self.reference);
        between - radii + self.rounding()
    }
}

/// Sizes of both bodies and of their coordinates, as for compounds.
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
        // The plane of a half-space has no size, only the position of its frame.
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

/// How far the points of one mesh end up from their ideal positions when placed in the frame of the other.
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
