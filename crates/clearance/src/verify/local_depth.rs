//! Verifies how far surfaces extend into the other body.
//!
//! The lower end by the deepest point: on the named triangle, inside the other body, and as far from its boundary as
//! claimed, in double-double. The upper end by a separate branch and bound, with both bodies in the world relative to a
//! point of A, where lengths are undistorted: each triangle is cut until every piece is outside the other body or has
//! its corners within the upper end of one of its faces, from which no other point of the piece is farther. Which
//! triangles of a solid bound it is taken unchecked.

use std::borrow::Cow;

use glam::DVec3;

use crate::answer::local_depth::{DeepestPoint, DepthDirection, LocalDepth, LocalDepthEnd};
use crate::answer::witness::WitnessPoint;
use crate::geom::closest::{Region, closest_on_triangle};
use crate::geom::piece::{POLYGON_CUT_ERROR, Polygon, are_apart, farthest_of};
use crate::math::cancel::Turns;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF, VERIFY_DEPTH_FACES, VERIFY_DEPTH_PIECES};
use crate::shape::{Feature, Mesh, Shape, SomeFaces};
use crate::verify::bodies::Bodies;
use crate::verify::boxes::Boxes;
use crate::verify::hint::Placed;
use crate::verify::posed::Body;
use crate::verify::project::project_on_triangle;
use crate::verify::refusal::{Refusal, check_numbers};
use crate::verify::solid_depth::as_solid;
use crate::verify::triangles::winding_about;

/// Verifies the answer from the bodies and poses of the query.
pub(crate) fn verify_local_depth(
    answer: &LocalDepth,
    (a, pose_a): Placed<'_>,
    (b, pose_b): Placed<'_>,
) -> Result<(), Refusal> {
    let depth = answer.depth;
    check_numbers(&[("depth", depth.value), ("lower", depth.lower), ("upper", depth.upper)])?;
    if depth.lower < 0.0 {
        return Err(Refusal::NoNumber { field: "lower" });
    }
    if !(depth.lower <= depth.value && depth.value <= depth.upper) {
        return Err(Refusal::Disordered);
    }
    let is_mesh = [a, b].map(|shape| matches!(shape, Shape::Mesh(_)));
    let (mesh_a, mesh_b) = (as_mesh(a).ok_or(Refusal::Method)?, as_mesh(b).ok_or(Refusal::Method)?);
    if !mesh_a.is_solid() && !mesh_b.is_solid() {
        return Err(Refusal::Method);
    }
    let (shape_a, shape_b) = (Shape::Mesh(mesh_a.into_owned()), Shape::Mesh(mesh_b.into_owned()));
    let bodies = Bodies::new((&shape_a, pose_a), (&shape_b, pose_b), 0.0);
    let (body_a, body_b) = (Reached::new(&bodies, &bodies.a), Reached::new(&bodies, &bodies.b));
    check_undecided(answer, [&body_a, &body_b])?;
    match &answer.deepest {
        Some(deepest) => check_deepest(answer, deepest, &bodies, [&body_a, &body_b], is_mesh)?,
        None if depth.lower > 0.0 => return Err(Refusal::Lower { claimed: depth.lower, proved: 0.0 }),
        None => {}
    }
    if depth.upper == 0.0 && bodies.check_apart(f64::MIN_POSITIVE, DVec3::X).is_ok() {
        return Ok(());
    }
    for (from, solid) in [(&body_a, &body_b), (&body_b, &body_a)] {
        Proof { from, solid, upper: depth.upper, off: 16.0 * UNIT_ROUNDOFF * body_a.size.max(body_b.size) }.check()?;
    }
    Ok(())
}

/// The body as a mesh: a mesh as given, a polytope as the solid bounded by its faces.
fn as_mesh(shape: &Shape) -> Option<Cow<'_, Mesh>> {
    match shape {
        Shape::Mesh(mesh) => Some(Cow::Borrowed(mesh)),
        other => as_solid(other).map(Cow::Owned),
    }
}

/// For overlapping bodies the number of undecided triangles is reported, and it is given as the reason for a wide
/// bracket only if it is not zero.
fn check_undecided(answer: &LocalDepth, bodies: [&Reached; 2]) -> Result<(), Refusal> {
    let known = bodies.map(|body| body.undecided);
    let is_untold = answer.depth.upper == 0.0 && answer.undecided_faces == [0; 2];
    let is_reason = answer.ended != LocalDepthEnd::Undecided || known != [0; 2];
    if (is_untold || answer.undecided_faces == known) && is_reason { Ok(()) } else { Err(Refusal::Stopped) }
}

/// Triangles in the world, relative to the reference point of the bodies, rounded once.
struct Faces {
    triangles: Vec<[DVec3; 3]>,
    boxes: Boxes,
}

impl Faces {
    fn new(triangles: Vec<[DVec3; 3]>) -> Option<Faces> {
        let about = |[p, q, r]: &[DVec3; 3]| [p.min(*q).min(*r), p.max(*q).max(*r)];
        let boxes: Vec<_> = triangles.iter().map(about).collect();
        (!boxes.is_empty()).then(|| Faces { boxes: Boxes::new(&boxes), triangles })
    }

    /// The face whose distance from the farthest of some points is least, and that distance.
    fn least_farthest(&self, piece: &Polygon) -> (f64, u32) {
        // No farther from the centre than from some corner.
        self.boxes.nearest(piece.middle(), |face| farthest_of(piece.corners(), self.triangles[face as usize]))
    }

    /// The nearest face, and a lower bound on its distance.
    fn nearest(&self, point: DVec3) -> (f64, u32) {
        let (upper, face) = self.boxes.nearest(point, |face| farthest_of(&[point], self.triangles[face as usize]));
        // The distance found is too large by less than 64u of that to the farthest corner, and so are those of other
        // faces.
        let [low, high] = self.boxes.bounds();
        let reach = (low - point).abs().max((high - point).abs()).length();
        (upper - 64.0 * UNIT_ROUNDOFF * reach, face)
    }
}

/// One of the bodies, with the triangles that may bound it and those that do.
struct Reached {
    is_solid: bool,
    all: Option<Faces>,
    /// `None` where these are all triangles.
    possible: Option<Option<Faces>>,
    sure: Option<Option<Faces>>,
    undecided: u32,
    /// The largest coordinate.
    size: f64,
}

impl Reached {
    fn new(bodies: &Bodies<'_>, body: &Body<'_>) -> Reached {
        let in_world = |mesh: &Mesh| {
            let at = |p: DVec3| (body.world(p) - bodies.reference).to_vec3();
            let points: Vec<DVec3> = mesh.points().map(at).collect();
            Faces::new(mesh.triangles().iter().map(|t| t.map(|p| points[p as usize])).collect())
        };
        let mesh = body.mesh().map(|posed| posed.mesh);
        let is_solid = mesh.is_some_and(Mesh::is_solid);
        let outer = mesh.filter(|_| is_solid).and_then(Mesh::outer_faces);
        let some = |faces: &Option<SomeFaces>| faces.as_ref().and_then(|some| in_world(&some.mesh));
        let all = mesh.and_then(in_world);
        let size = all.as_ref().map_or(0.0, |all| {
            let [low, high] = all.boxes.bounds();
            low.abs().max(high.abs()).length()
        });
        Reached {
            is_solid,
            all,
            possible: outer.map(|outer| some(&outer.possible)),
            sure: outer.map(|outer| some(&outer.sure)),
            undecided: outer.map_or(0, |outer| outer.undecided),
            size,
        }
    }

    fn possible(&self) -> Option<&Faces> {
        self.possible.as_ref().map_or(self.all.as_ref(), Option::as_ref)
    }

    fn sure(&self) -> Option<&Faces> {
        self.sure.as_ref().map_or(self.all.as_ref(), Option::as_ref)
    }

    /// Whether a point that is not next to the surface is inside.
    fn is_inside(&self, point: DVec3) -> bool {
        let Some(all) = &self.all else { return false };
        let mut over = Vec::new();
        all.boxes.over(point, |face| over.push(all.triangles[face as usize]));
        winding_about(over.into_iter(), point).is_some_and(|winding| winding > 0)
    }
}

/// The point is on one surface, as deep in the other body as claimed, and the other point is on that body's surface.
fn check_deepest(
    answer: &LocalDepth,
    deepest: &DeepestPoint,
    bodies: &Bodies<'_>,
    [body_a, body_b]: [&Reached; 2],
    [a_is_mesh, b_is_mesh]: [bool; 2],
) -> Result<(), Refusal> {
    let witness = &deepest.witness;
    check_numbers(&[("point_in_a", witness.a.point.element_sum()), ("point_in_b", witness.b.point.element_sum())])?;
    let tolerance = 1e-11 * bodies.scale() + bodies.own_rounding();
    let of_a = (&bodies.a, body_a, &witness.a, a_is_mesh, "A");
    let of_b = (&bodies.b, body_b, &witness.b, b_is_mesh, "B");
    let (inner, outer) = match deepest.direction {
        DepthDirection::AInB => (of_a, of_b),
        DepthDirection::BInA => (of_b, of_a),
    };
    if !outer.1.is_solid {
        return Err(Refusal::Verdict);
    }
    let off = check_on_surface(inner.0, inner.2, inner.3, inner.4, tolerance)?;
    let (outer_body, reached, nearest, outer_is_mesh, name) = outer;
    check_on_surface(outer_body, nearest, outer_is_mesh, name, tolerance)?;
    let world = inner.0.world(inner.2.point);
    let about = (world - bodies.reference).to_vec3();
    // A triangle inside its own body is not part of its surface.
    let from_sure = inner.1.sure().map_or(f64::INFINITY, |sure| sure.nearest(about).0);
    if from_sure > tolerance {
        return Err(Refusal::Witness { body: inner.4, off: from_sure });
    }
    let refused = |proved: f64| Refusal::Lower { claimed: answer.depth.lower, proved };
    let possible = reached.possible().ok_or(refused(0.0))?;
    // In double-double for the given faces, in plain doubles for pieces of them.
    let distance = if reached.possible.is_some() {
        possible.nearest(about).0
    } else {
        outer_body.nearest(world, bodies.reference).0 * (1.0 - 4.0 * UNIT_ROUNDOFF) - bodies.rounding()
    };
    let proved = distance - off * ROUND_UP;
    if proved < answer.depth.lower || !reached.is_inside(about) {
        return Err(refused(if reached.is_inside(about) { proved } else { 0.0 }));
    }
    // The distance between both points is about the depth.
    let between = bodies.between(witness.a.point, witness.b.point).length().to_f64();
    if (between - answer.depth.value).abs() > tolerance {
        return Err(Refusal::Witness { body: name, off: (between - answer.depth.value).abs() });
    }
    Ok(())
}

/// A point is on the named triangle or, for a body that is not a mesh, on its surface; returns how far it is off.
fn check_on_surface(
    body: &Body<'_>,
    at: &WitnessPoint,
    is_mesh: bool,
    name: &'static str,
    tolerance: f64,
) -> Result<f64, Refusal> {
    let posed = body.mesh().ok_or(Refusal::Method)?;
    let world = body.world(at.point);
    let off_triangle = |triangle: u32| {
        let [p, q, r] = posed.world(triangle);
        (project_on_triangle(world, p, q, r) - world).length().to_f64()
    };
    let off = if is_mesh {
        if at.part as usize >= posed.triangles.len() {
            return Err(Refusal::Part);
        }
        if at.feature != Feature::Face(at.part) {
            return Err(Refusal::Feature { body: name });
        }
        off_triangle(at.part)
    } else {
        if at.part != 0 {
            return Err(Refusal::Part);
        }
        if at.feature != Feature::Interior {
            return Err(Refusal::Feature { body: name });
        }
        (0..posed.triangles.len() as u32).map(off_triangle).fold(f64::INFINITY, f64::min)
    };
    if off > tolerance { Err(Refusal::Witness { body: name, off }) } else { Ok(off) }
}

/// Proves that no point of a surface is deeper in a solid than an upper end.
struct Proof<'p> {
    from: &'p Reached,
    solid: &'p Reached,
    upper: f64,
    /// How far the corners of pieces and faces may be from their true positions.
    off: f64,
}

/// A piece of a triangle still to be bounded.
struct OpenPolygon {
    shape: Polygon,
    cuts: u32,
    /// The face that bounded the piece it was cut from.
    face: Option<u32>,
}

impl Proof<'_> {
    fn check(&self) -> Result<(), Refusal> {
        let (Some(from), Some(possible)) = (self.from.possible(), self.solid.possible()) else { return Ok(()) };
        if !self.solid.is_solid {
            return Ok(());
        }
        let (mut turns, mut count) = (Turns::default(), 0);
        let mut open = Vec::new();
        for &corners in &from.triangles {
            open.push(OpenPolygon { shape: Polygon::of_triangle(corners), cuts: 0, face: None });
            while let Some(piece) = open.pop() {
                turns.turn();
                count += 1;
                // A cut may be one by three planes, and the centre is rounded too.
                let cuts = 3.0 * f64::from(piece.cuts) + 2.0;
                let off = self.off + POLYGON_CUT_ERROR * UNIT_ROUNDOFF * cuts * self.from.size;
                let sides = from_sides(&piece.shape, possible.boxes.bounds());
                if sides + off <= self.upper {
                    continue;
                }
                let Some((found, face)) = self.beyond(&piece, off) else { continue };
                if count > VERIFY_DEPTH_PIECES || !self.cut(&piece, possible, (found, face), off, &mut open) {
                    return Err(Refusal::Upper { claimed: self.upper, proved: found.min(sides) + off });
                }
            }
        }
        Ok(())
    }

    /// The face that bounds a piece best, where that is not enough.
    fn beyond(&self, piece: &OpenPolygon, off: f64) -> Option<(f64, Option<u32>)> {
        let Some(sure) = self.solid.sure() else { return Some((f64::INFINITY, None)) };
        let is_enough = |found: f64| found + off <= self.upper;
        let corners = piece.shape.corners();
        if piece.face.is_some_and(|face| is_enough(farthest_of(corners, sure.triangles[face as usize]))) {
            return None;
        }
        let (found, face) = sure.least_farthest(&piece.shape);
        (!is_enough(found)).then_some((found, Some(face)))
    }

    /// Cuts a piece, unless it is outside; false if it is proved to contain a deeper point, or was cut too often.
    fn cut(
        &self,
        piece: &OpenPolygon,
        possible: &Faces,
        (found, face): (f64, Option<u32>),
        off: f64,
        open: &mut Vec<OpenPolygon>,
    ) -> bool {
        let middle = piece.shape.middle();
        let (room, near) = possible.nearest(middle);
        let is_clear = room > 2.0 * off;
        let is_inside = self.solid.is_inside(middle);
        if is_clear && is_inside && room - 2.0 * off > self.upper && self.from.undecided == 0 {
            return false;
        }
        if is_clear && !is_inside {
            // A point is no deeper than its distance from the centre exceeds that of the boundary.
            let radius = piece.shape.radius(middle);
            if radius + 2.0 * off - room <= self.upper || meets_nothing(possible, &piece.shape, 2.0 * off) {
                return true;
            }
        }
        if piece.cuts >= 200 {
            return false;
        }
        let before = open.len();
        let cuts = piece.cuts + 1;
        let mut add = |shape: Polygon| open.push(OpenPolygon { shape, cuts, face });
        let bounding = self.solid.sure().zip(face).map(|(sure, face)| sure.triangles[face as usize]);
        if let Some(bounding) = bounding
            && piece.cuts % 7 != 6
        {
            let distance = |corner: DVec3| farthest_of(&[corner], bounding);
            let far = piece.shape.corners()[piece.shape.largest(distance)];
            let [p, q, r] = bounding;
            let is_beside = !matches!(closest_on_triangle(far, p, q, r).region, Region::Face(_));
            // The face nearest to the centre, or to the corner farthest from the bounding face.
            let nearest = possible.triangles[near as usize];
            let by_middle = is_beside && self.cut_by(&piece.shape, (middle, is_inside), nearest, found, &mut add);
            if !by_middle {
                let nearest = possible.triangles[possible.nearest(far).1 as usize];
                let two = if self.solid.is_inside(far) {
                    between(&piece.shape, bounding, nearest)
                } else {
                    self.just_outside(&piece.shape, far, nearest, found)
                };
                two.into_iter().flatten().for_each(&mut add);
            }
        }
        if open.len() == before {
            let halves = piece.shape.halves();
            open.extend(halves.into_iter().flatten().map(|shape| OpenPolygon { shape, cuts, face }));
        }
        open.len() > before
    }

    /// Cuts a piece by the face nearest to its centre; false if that does not cut it.
    fn cut_by(
        &self,
        shape: &Polygon,
        (middle, is_inside): (DVec3, bool),
        nearest: [DVec3; 3],
        found: f64,
        add: &mut impl FnMut(Polygon),
    ) -> bool {
        let [p, q, r] = nearest;
        let closest = closest_on_triangle(middle, p, q, r);
        let outside = if is_inside || closest.distance <= self.outside(found) {
            None
        } else {
            self.just_outside(shape, middle, nearest, found)
        };
        if let Some(two) = outside {
            two.into_iter().for_each(add);
            return true;
        }
        match (closest.region, normal_of(nearest)) {
            (Region::Edge(k), _) => {
                let (from, to) = (nearest[usize::from(k) % 3], nearest[(usize::from(k) + 1) % 3]);
                let across = (to - from).normalize_or_zero().cross((middle - from).normalize_or_zero());
                let two = shape.cut(|corner| across.dot(corner - from));
                two.into_iter().flatten().map(add).count() > 0
            }
            (Region::Face(_), Some(normal)) => {
                let (left, others) = shape.carved(|corner| corner, nearest, normal);
                let cuts = left.is_some() && others.iter().any(Option::is_some);
                if cuts {
                    left.into_iter().chain(others.into_iter().flatten()).for_each(add);
                }
                cuts
            }
            _ => false,
        }
    }

    /// How far outside pieces are cut off.
    fn outside(&self, found: f64) -> f64 {
        if self.upper > 0.0 { 0.5 * self.upper } else { 0.125 * found }
    }

    /// Cuts along a plane a little outside the boundary, below a point that is farther outside.
    fn just_outside(&self, shape: &Polygon, point: DVec3, nearest: [DVec3; 3], found: f64) -> Option<[Polygon; 2]> {
        let [p, q, r] = nearest;
        let foot = closest_on_triangle(point, p, q, r).point;
        let outward = (point - foot).try_normalize()?;
        let height = self.outside(found);
        shape.cut(|corner| outward.dot(corner - foot) - height)
    }
}

/// Cuts along the bisecting plane of two faces; coplanar faces have none.
fn between(shape: &Polygon, one: [DVec3; 3], other: [DVec3; 3]) -> Option<[Polygon; 2]> {
    let (across, across_other) = (normal_of(one)?, normal_of(other)?);
    if across.distance(across_other) < 1e-6 {
        return None;
    }
    shape.cut(|corner| across.dot(one[0] - corner) - across_other.dot(other[0] - corner))
}

/// The normal of a triangle of any representable size.
fn normal_of([p, q, r]: [DVec3; 3]) -> Option<DVec3> {
    (q - p).try_normalize()?.cross((r - p).try_normalize()?).try_normalize()
}

/// The largest distance of the corners from the side of a box for which it is least. A point inside a body may leave it
/// through that side.
fn from_sides(shape: &Polygon, [low, high]: [DVec3; 2]) -> f64 {
    let corners = || shape.corners().iter().copied();
    let (least, most) = (corners().fold(DVec3::INFINITY, DVec3::min), corners().fold(DVec3::NEG_INFINITY, DVec3::max));
    (most - low).min(high - least).min_element()
}

/// Whether a piece is farther than a margin from all faces; false if too many faces would have to be examined.
fn meets_nothing(possible: &Faces, shape: &Polygon, margin: f64) -> bool {
    let corners = || shape.corners().iter().copied();
    let (low, high) = (corners().fold(DVec3::INFINITY, DVec3::min), corners().fold(DVec3::NEG_INFINITY, DVec3::max));
    let about = Boxes::new(&[[low, high]]);
    let mut count = 0;
    let apart = possible.boxes.pairs(&about, margin, |face, _| {
        count += 1;
        let is_apart =
            count <= VERIFY_DEPTH_FACES && are_apart(shape.corners(), &possible.triangles[face as usize], margin);
        if is_apart { Ok(()) } else { Err(()) }
    });
    apart.is_ok()
}
