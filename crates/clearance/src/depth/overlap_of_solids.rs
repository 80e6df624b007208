//! Proof that a solid mesh overlaps a body that meets it: a point of the body deep inside the solid. For surfaces see
//! [`surface_in_solid`](super::surface_in_solid).
//!
//! If a ball about such a point is in the solid, no translation shorter than its radius moves the point out of it. So
//! the radius bounds the depth from below: enough to distinguish overlapping from touching bodies, but not a measure of
//! the depth.
//!
//! Points of the other body are available where surfaces cross: the corners of intersecting triangles, and points
//! between them and the crossing. If one body contains the other, or a component of it, any point of that component
//! suffices. Where faces coincide, points slightly inward of both are tried, and the balls in both bodies count. If
//! that finds nothing, see [`deep_points`](super::deep_points).

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::bound::Aabb;
use crate::convex::core::{AnyCore, Body, Core, Smooth};
use crate::depth::deep_points::{DeepPoints, Near, deeper};
use crate::depth::surface_in_solid;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{
    CONTACT_POINT, OVERLAP_CORNERS, OVERLAP_OFFSETS, OVERLAP_PAIRS, OVERLAP_PARTS, OVERLAP_PROBES, ROUND_UP,
    UNIT_ROUNDOFF,
};
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::mesh::pair::search::Meeting;
use crate::mesh::workspace::MeshWorkspace;
use crate::ray::point::closest_point;
use crate::ray::point_mesh;
use crate::shape::Feature;
use crate::shape::{Mesh, PairKind, Shape};

/// A point of one body deep in the other, and a lower bound of the depth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlap {
    pub depth: f64,
    pub point_in_a: DVec3,
    pub point_in_b: DVec3,
}

impl Overlap {
    pub fn swapped(self) -> Overlap {
        Overlap { point_in_a: self.point_in_b, point_in_b: self.point_in_a, ..self }
    }
}

/// The position of a point relative to a solid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// The overlap it proves, if it is inside.
    pub overlap: Option<Overlap>,
    /// Whether it is far enough from the surface that its side is certain.
    pub is_clear: bool,
    /// Its approximate depth; negative outside.
    pub depth: f64,
}

/// A solid, and the map of another body's points into its frame.
pub(crate) struct Solid<'s> {
    mesh: &'s Mesh,
    map: Placement,
    /// The local origin of the other body, which its points are relative to.
    origin: DVec3,
}

impl<'s> Solid<'s> {
    pub fn new(mesh: &'s Mesh, pose: &Pose, other: &Pose, origin: DVec3) -> Solid<'s> {
        Solid { mesh, map: Placement::new(pose, mesh.surface().origin, other, origin), origin }
    }

    /// The bounding box of the solid, relative to the local origin of its surface.
    pub fn bounds(&self) -> &Aabb {
        &self.mesh.surface().bounds
    }

    /// The corners of the triangle nearest to a point, both relative to the local origin of the surface.
    pub fn triangle_at(&self, point: DVec3) -> [DVec3; 3] {
        let surface = self.mesh.surface();
        surface.corners(point_mesh::closest_of_surface(self.mesh, point + surface.origin).slot)
    }

    /// Maps a point relative to the local origin of the solid's surface to one of the other body, relative to its local
    /// origin; rounded.
    pub fn back(&self, point: DVec3) -> DVec3 {
        self.map.turn_back(point - self.map.translation)
    }

    /// The bounding box, in the frame of the solid, of a box of the other body given relative to its local origin;
    /// rounded. The box of the solid if the other is unbounded.
    fn box_about(&self, bounds: &Aabb) -> Aabb {
        if !(bounds.min.is_finite() && bounds.max.is_finite()) {
            return *self.bounds();
        }
        (0..8u32).fold(Aabb::EMPTY, |all, corner| {
            let end = |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
            all.including(self.map.place(DVec3::new(end(0), end(1), end(2))))
        })
    }

    /// What a point within `off` of the other body proves, with the solid as A; `None` if it is not inside.
    pub fn overlap(&self, point: DVec3, off: f64) -> Option<Overlap> {
        self.probe(point, off).overlap
    }

    /// The position of a point within `off` of the other body.
    pub fn probe(&self, point: DVec3, off: f64) -> Probe {
        let in_solid = self.map.place(point) + self.mesh.surface().origin;
        let nearest = point_mesh::closest_of_surface(self.mesh, in_solid);
        // The sums with the local origins are rounded once each.
        let rounded = UNIT_ROUNDOFF * ((point + self.origin).length() + in_solid.length()) * ROUND_UP;
        let slack = ((self.map.bound(point.length()) + rounded) + off) * ROUND_UP;
        // On the surface, where corners of touching bodies lie, finding the side would take exact arithmetic and prove
        // nothing.
        if nearest.lower <= slack {
            return Probe { overlap: None, is_clear: false, depth: nearest.upper };
        }
        if !point_mesh::holds(self.mesh, &Pose::IDENTITY, in_solid) {
            return Probe { overlap: None, is_clear: true, depth: -nearest.lower };
        }
        let gap = slack - nearest.lower;
        // Lengths in the world and in the frame differ by the stretch.
        let gap = gap + gap.abs() * (self.map.stretch + 4.0 * UNIT_ROUNDOFF);
        let overlap = Overlap { depth: -gap, point_in_a: in_solid, point_in_b: point + self.origin };
        Probe { overlap: (gap < 0.0).then_some(overlap), is_clear: true, depth: nearest.upper }
    }

    /// The deepest of some corners of the other body and of points on the way to them from a place within `off` of it;
    /// corners and place span a convex part of the body.
    pub fn deepest(&self, place: DVec3, off: f64, corners: impl IntoIterator<Item = DVec3>) -> Option<Overlap> {
        let mut best: Option<Overlap> = None;
        for corner in corners {
            // The sum and the product are rounded.
            let off = off + 4.0 * UNIT_ROUNDOFF * (place.length() + corner.length()) * ROUND_UP;
            let between = OVERLAP_OFFSETS.map(|way| (place + (corner - place) * way, off));
            for (point, off) in std::iter::once((corner, 0.0)).chain(between) {
                let found = self.overlap(point, off);
                if found.is_some_and(|found| best.is_none_or(|best| found.depth > best.depth)) {
                    best = found;
                }
            }
        }
        best
    }
}

/// A proof that two bodies overlap, at least one of them a solid mesh; `found` is their answer, which says that they
/// meet. `None` if no proof was found, which proves nothing. The search ends with the first point deeper than `enough`.
pub(crate) fn overlap(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    found: &Distance,
    enough: f64,
    workspace: &mut MeshWorkspace,
) -> Option<Overlap> {
    if let PairKind::Meshes(a, b) = PairKind::of(a, b) {
        let meshes = Meshes::new((a, pose_a), (b, pose_b));
        // In the order of the meshes, so that swapping the bodies changes nothing.
        let (poses, answer) =
            if meshes.swapped { ([pose_b, pose_a], found.swapped()) } else { ([pose_a, pose_b], *found) };
        let overlap = match (meshes.a.is_solid(), meshes.b.is_solid()) {
            (true, true) => of_meshes(&meshes, poses, &answer, enough, workspace)?,
            (false, false) => return None,
            _ => surface_in_solid::overlap(&meshes, poses, &answer, enough, workspace)?,
        };
        return Some(if meshes.swapped { overlap.swapped() } else { overlap });
    }
    match (a, b) {
        (Shape::Mesh(mesh), _) => with_body((mesh, pose_a), (b, pose_b), found, enough),
        (_, Shape::Mesh(mesh)) => {
            with_body((mesh, pose_b), (a, pose_a), &found.swapped(), enough).map(Overlap::swapped)
        }
        _ => None,
    }
}

fn of_meshes(
    meshes: &Meshes<'_>,
    [pose_a, pose_b]: [&Pose; 2],
    found: &Distance,
    enough: f64,
    workspace: &mut MeshWorkspace,
) -> Option<Overlap> {
    let at_hand = at_corners(meshes, [pose_a, pose_b], found, workspace);
    if at_hand.is_some_and(|overlap| overlap.depth > enough) {
        return at_hand;
    }
    let (surface_a, surface_b) = (meshes.a.surface(), meshes.b.surface());
    let in_a = Solid::new(meshes.a, pose_a, pose_b, surface_b.origin);
    let in_b = Solid::new(meshes.b, pose_b, pose_a, surface_a.origin);
    let least = CONTACT_POINT * (2.0 * (surface_a.radius + surface_b.radius) + meshes.pair.map.separation);
    let (near_a, near_b) = (near_mesh(meshes.a), near_mesh(meshes.b));
    let of_b = DeepPoints { solid: &in_a, near: &near_b, enough, least };
    let of_a = DeepPoints { solid: &in_b, near: &near_a, enough, least };
    let (place_a, place_b) = (found.witness.a.point - surface_a.origin, found.witness.b.point - surface_b.origin);
    let mut best = at_hand;
    for search in [
        &|| of_b.at(place_a, surface_b.diameter),
        &|| of_a.at(place_b, surface_a.diameter).map(Overlap::swapped),
        &|| of_b.in_boxes(&in_a.box_about(&surface_b.bounds), OVERLAP_PROBES),
    ] as [&dyn Fn() -> Option<Overlap>; 3]
    {
        best = deeper(best, search());
        if best.is_some_and(|best| best.depth > enough) {
            break;
        }
    }
    best
}

/// Points inside a solid mesh, relative to the local origin of its surface.
fn near_mesh(mesh: &Mesh) -> impl Fn(DVec3) -> Near + '_ {
    |point| {
        let signed = point_mesh::signed_distance(mesh, &Pose::IDENTITY, point + mesh.surface().origin);
        // The sum is rounded.
        let rounded = UNIT_ROUNDOFF * (point.length() + mesh.surface().origin.length()) * ROUND_UP;
        let off = signed.distance.upper + rounded;
        Near {
            point,
            off: (off < 0.0).then_some(off),
            beyond: signed.distance.lower - rounded,
            room: rounded - signed.distance.lower,
        }
    }
}

/// By points where surfaces cross, and by components.
fn at_corners(
    meshes: &Meshes<'_>,
    [pose_a, pose_b]: [&Pose; 2],
    found: &Distance,
    workspace: &mut MeshWorkspace,
) -> Option<Overlap> {
    let (surface_a, surface_b) = (meshes.a.surface(), meshes.b.surface());
    let in_a = Solid::new(meshes.a, pose_a, pose_b, surface_b.origin);
    let in_b = Solid::new(meshes.b, pose_b, pose_a, surface_a.origin);
    let off = CONTACT_POINT * (2.0 * (surface_a.radius + surface_b.radius) + meshes.pair.map.separation);
    if (found.witness.a.feature, found.witness.b.feature) == (Feature::Interior, Feature::Interior) {
        // One contains the other; the common point is a corner of the inner one.
        let of_b = in_a.overlap(found.witness.b.point - surface_b.origin, off);
        let of_a = in_b.overlap(found.witness.a.point - surface_a.origin, off).map(Overlap::swapped);
        return of_b.into_iter().chain(of_a).max_by(|p, q| p.depth.total_cmp(&q.depth));
    }
    let mut meeting = Vec::new();
    meshes.pair.all(workspace.level, usize::MAX, &mut workspace.reaches, &mut meeting);
    let step = meeting.len().div_ceil(OVERLAP_PAIRS).max(1);
    let at_a_crossing = meeting.iter().step_by(step).find_map(|pair| {
        let place = 0.5 * (pair.crossing.ends[0] + pair.crossing.ends[1]);
        let in_frame_of_b = meshes.back(place) - surface_b.origin;
        let of_b = in_a.deepest(in_frame_of_b, off, surface_b.corners(pair.b));
        let of_a = in_b.deepest(place, off, surface_a.corners(pair.a)).map(Overlap::swapped);
        let deepest = of_b.into_iter().chain(of_a).max_by(|p, q| p.depth.total_cmp(&q.depth));
        deepest.or_else(|| inside_both(meshes, &in_a, pair, place))
    });
    // A component that touches nothing may be inside as a whole, while another component touches.
    at_a_crossing.or_else(|| {
        let of_b = meshes.b.component_points().iter().filter_map(|&p| in_a.overlap(surface_b.points[p as usize], 0.0));
        let of_a = meshes.a.component_points().iter().filter_map(|&p| in_b.overlap(surface_a.points[p as usize], 0.0));
        of_b.chain(of_a.map(Overlap::swapped)).max_by(|p, q| p.depth.total_cmp(&q.depth))
    })
}

/// A point inside both solids next to a crossing, whose balls in both count: coincident faces have no corners inside.
fn inside_both(meshes: &Meshes<'_>, in_a: &Solid<'_>, pair: &Meeting, place: DVec3) -> Option<Overlap> {
    let (surface_a, surface_b) = (meshes.a.surface(), meshes.b.surface());
    let across = |[p, q, r]: [DVec3; 3]| (q - p).cross(r - p);
    let (of_a, of_b) = (across(surface_a.corners(pair.a)), meshes.pair.map.turn(across(surface_b.corners(pair.b))));
    let inward = -(of_a.normalize_or_zero() + of_b.normalize_or_zero()).normalize_or_zero();
    let size = of_a.length().min(of_b.length()).sqrt();
    OVERLAP_OFFSETS.into_iter().find_map(|way| {
        let point_in_b = meshes.back(place + inward * (size * way));
        let of_b = point_mesh::signed_distance(meshes.b, &Pose::IDENTITY, point_in_b);
        if of_b.distance.upper < 0.0 { in_a.overlap(point_in_b - surface_b.origin, of_b.distance.upper) } else { None }
    })
}

/// A solid mesh, as A, and a body that is not a mesh.
fn with_body(
    (mesh, pose): (&Mesh, &Pose),
    (body, body_pose): (&Shape, &Pose),
    found: &Distance,
    enough: f64,
) -> Option<Overlap> {
    if !mesh.is_solid() {
        return None;
    }
    let Shape::Compound(compound) = body else {
        let whole = ConvexInSolid::new((mesh, pose), (body, None, body_pose));
        return whole.overlap(Some(found), enough, OVERLAP_PROBES);
    };
    let of_part = |part: u32| {
        let (inner, shape) = compound.parts().get(part as usize)?;
        Some(ConvexInSolid::new((mesh, pose), (shape, Some(inner), body_pose)))
    };
    let mut best = of_part(found.witness.b.part)?.overlap(Some(found), enough, OVERLAP_PROBES);
    // Another part may be inside the solid while this one touches it.
    let solid = Solid::new(mesh, pose, body_pose, DVec3::ZERO);
    let is_near = |bounds: &Aabb| solid.box_about(bounds).overlaps(solid.bounds());
    let near: Vec<u32> = (0..).zip(compound.boxes()).filter(|(_, bounds)| is_near(bounds)).map(|(k, _)| k).collect();
    for &part in near.iter().step_by(near.len().div_ceil(OVERLAP_PARTS).max(1)) {
        if best.is_some_and(|best| best.depth > enough) {
            break;
        }
        if part != found.witness.b.part {
            best = deeper(best, of_part(part)?.overlap(None, enough, OVERLAP_PROBES / 8));
        }
    }
    best
}

/// A convex body, or a part of a compound at an inner pose, and a solid.
struct ConvexInSolid<'s> {
    solid: Solid<'s>,
    part: &'s Shape,
    inner: Option<&'s Pose>,
    body: Body<'s>,
    /// The extent of the body from the origin of its frame, and the error of its points after sums and rotations.
    reach: f64,
    rounded: f64,
}

impl<'s> ConvexInSolid<'s> {
    fn new(
        (mesh, pose): (&'s Mesh, &'s Pose),
        (part, inner, body_pose): (&'s Shape, Option<&'s Pose>, &'s Pose),
    ) -> ConvexInSolid<'s> {
        let solid = Solid::new(mesh, pose, body_pose, DVec3::ZERO);
        let body = Body::of(part);
        let reach = body.extent + body.origin.length() + inner.map_or(0.0, |inner| inner.translation().length());
        ConvexInSolid { solid, part, inner, body, reach, rounded: 16.0 * UNIT_ROUNDOFF * reach }
    }

    /// What a point deep in the solid proves, with a limited number of probes; `found` says where they meet.
    fn overlap(&self, found: Option<&Distance>, enough: f64, probes: usize) -> Option<Overlap> {
        let is_enough = |best: Option<Overlap>| best.is_some_and(|best| best.depth > enough);
        let mut best = self.by_corners(found);
        if is_enough(best) {
            return best;
        }
        let least = self.rounded + CONTACT_POINT * (self.solid.bounds().size().length() + self.body.extent);
        let near = |point| self.near(point);
        let search = DeepPoints { solid: &self.solid, near: &near, enough: enough + self.rounded, least };
        if let Some(found) = found {
            let place = found.witness.a.point - self.solid.mesh.surface().origin;
            best = deeper(best, self.less_rounding(search.at(place, self.part.diameter())));
        }
        if is_enough(best) {
            return best;
        }
        let bounds = self.inner.map_or(self.part.bounds(), |inner| self.part.bounds().posed(inner));
        deeper(best, self.less_rounding(search.in_boxes(&self.solid.box_about(&bounds), probes)))
    }

    fn less_rounding(&self, found: Option<Overlap>) -> Option<Overlap> {
        let found = found?;
        let depth = found.depth - self.rounded;
        (depth > 0.0).then_some(Overlap { depth, ..found })
    }

    /// The closest point of the body, in the frame of the whole.
    fn near(&self, point: DVec3) -> Near {
        let own = self.inner.map_or(point, |inner| inner.inverse_transform_point(point));
        let nearest = closest_point(self.part, &Pose::IDENTITY, own);
        let (point, off) = if nearest.distance.upper == 0.0 {
            (own, 0.0)
        } else {
            (nearest.witness.point, closest_point(self.part, &Pose::IDENTITY, nearest.witness.point).distance.upper)
        };
        let point = self.inner.map_or(point, |inner| inner.transform_point(point));
        let beyond = nearest.distance.lower * (1.0 - self.inner.map_or(0.0, Pose::defect)) - self.rounded;
        Near { point, off: Some(off * (1.0 + self.inner.map_or(0.0, Pose::defect))), beyond, room: f64::INFINITY }
    }

    /// By the corners: the hull of the core and the common point belongs to the body.
    fn by_corners(&self, found: Option<&Distance>) -> Option<Overlap> {
        let ConvexInSolid { solid, part, inner, body, reach, rounded } = self;
        let has_corners = match body.core {
            AnyCore::Smooth(smooth) => {
                matches!(smooth, Smooth::Cylinder { .. } | Smooth::Cone { .. } | Smooth::Ellipsoid(_))
            }
            _ => !matches!(part, Shape::Compound(_) | Shape::HeightField(_) | Shape::Mesh(_)),
        };
        if !has_corners {
            return None;
        }
        let count = body.core.vertex_count().max(1) as u32;
        let step = (count as usize).div_ceil(OVERLAP_CORNERS);
        let corners = || {
            (0..count).step_by(step).map(|vertex| {
                let own = body.core.vertex(vertex) + body.origin;
                inner.map_or(own, |inner| inner.transform_point(own))
            })
        };
        // The common point is no farther from the body than the answer says.
        let from_the_place = || {
            found.and_then(|found| {
                solid.deepest(found.witness.b.point, (found.gap.upper + rounded) * ROUND_UP, corners())
            })
        };
        // Where all segments from the common point run along walls, those from the mean of the corners may not. That is
        // a sum of at most 32 of them, divided by their number, each rounded.
        let from_the_middle = || {
            let middle = corners().sum::<DVec3>() / corners().count() as f64;
            solid.deepest(middle, 64.0 * UNIT_ROUNDOFF * reach * ROUND_UP, corners())
        };
        self.less_rounding(from_the_place().or_else(from_the_middle))
    }
}
