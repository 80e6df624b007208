//! Measures one pair of parts: their relative position, how far apart or how deep they are, and where.
//!
//! 1. The distance, up to the margin that matters for the pair. Parts apart are done.
//! 2. If they have a point in common: all pairs of triangles that meet, with the side of each on the other's plane,
//!    exactly. If there are none, one part is inside the other.
//! 3. Surfaces cross where two triangles lie on both sides of each other's planes, or where two triangles that share an
//!    edge in a face lie on its two sides. Solids overlap then. Solids whose faces only lie on each other may still
//!    overlap, and so may a surface that lies in a solid and touches its walls; `relation` proves it by a sphere inside
//!    both, or inside the solid about a point of the surface.
//! 4. Bounds on the way out that need no search; if it is no longer than the touch band, the overlap counts as contact.
//!    Everything that needs a search is done in [`crate::searches`].
//!
//! For a repaired part all of this uses the triangles as given, except for containment: parts whose triangles are apart
//! overlap if the repaired solids prove that one is inside the other ([`is_contained`]), and parts whose triangles only
//! touch overlap if the solids do so by more than the repair distance.

use std::collections::BTreeMap;

use clearance::answer::{Contacts, Crossing, Distance, PlaneSide};
use clearance::glam::DVec3;
use clearance::query::{
    ContactsOptions, DistanceOptions, LocalDepthOptions, RelationOptions, contact_curves, contacts_with, distance_with,
    local_depth_with, relation_with,
};
use clearance::{PairCache, Pose, Workspace, contains, intersects, signed_distance};

use crate::clusters::clusters;
use crate::duplicate::same;
use crate::limits::LOCAL_DEPTH_WORK;
use crate::model::Body;
use crate::normals::Normals;
use crate::overlap::Overlap;
use crate::report::{Bracket, Cluster, How, Kind, LocalDepth, Method, Volume, WayOut};
use crate::rules::Limits;
use crate::way_out::way_out;

/// The result for a pair of parts. Lengths are in the unit of the model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    pub kind: Kind,
    pub how: How,
    pub gap: Bracket,
    pub points: [DVec3; 2],
    pub normal: Option<DVec3>,
    pub local_depth: Option<LocalDepth>,
    /// Proved to be a fit: see [`Limits::allowed_depth`].
    pub is_fit: bool,
    pub way_out: Option<WayOut>,
    pub volume: Option<Volume>,
    pub triangle_pairs: usize,
    pub clusters: Vec<Cluster>,
}

impl Measured {
    /// Translates all locations.
    pub fn translate(&mut self, by: DVec3) {
        self.points.iter_mut().for_each(|point| *point += by);
        let moved = |point: &mut [f64; 3]| *point = (DVec3::from_array(*point) + by).to_array();
        self.local_depth.iter_mut().flat_map(|depth| &mut depth.point).for_each(moved);
        self.volume.iter_mut().flat_map(|volume| &mut volume.centroid).for_each(moved);
        for cluster in &mut self.clusters {
            [&mut cluster.min, &mut cluster.max].into_iter().for_each(moved);
            cluster.local_depth.iter_mut().flat_map(|depth| &mut depth.point).for_each(moved);
            cluster.loops.iter_mut().flat_map(|curve| &mut curve.points).for_each(moved);
        }
    }

    /// Whether it is an overlap proved to be within its allowances.
    pub fn is_allowed_overlap(&self, limits: &Limits) -> bool {
        let Some(way_out) = self.way_out.as_ref().filter(|_| self.kind == Kind::Hard) else { return false };
        let volume = self.volume.as_ref().map_or(f64::INFINITY, |volume| volume.upper);
        let keeps = |is: f64, allowed: Option<f64>| allowed.is_none_or(|allowed| is <= allowed);
        limits.allows_some_overlap()
            && (limits.allowed_depth.is_none() || self.is_fit)
            && keeps(way_out.upper, limits.allowed_way_out)
            && keeps(volume, limits.allowed_volume)
    }
}

/// A body and its pose, from the body to the world.
pub type Placed<'m> = (&'m Body, &'m Pose);

/// Buffers reused from pair to pair. See [`overlaps`](crate::overlaps) for an example.
#[derive(Debug, Default)]
pub struct Scratch {
    workspace: Workspace,
    contacts: Contacts,
}

/// The relative position of two parts, as far as it is known without a search; `None` if they are as far apart as
/// required. Places of overlaps that may still turn out to be allowed are not computed.
pub(crate) fn measure(a: Placed<'_>, b: Placed<'_>, limits: &Limits, scratch: &mut Scratch) -> Option<Measured> {
    let found = distance_as_given(a, b, limits, scratch);
    if found.gap.value > 0.0 && !is_contained(a, b, &found, scratch) {
        return apart(a, b, limits, &found);
    }
    let ((body_a, pose_a), (body_b, pose_b)) = (a, b);
    let (mesh_a, mesh_b) = ((&body_a.mesh, pose_a), (&body_b.mesh, pose_b));
    let contacts = &mut scratch.contacts;
    let (mut cache, options) = (PairCache::default(), ContactsOptions::default());
    contacts_with(&body_a.shape, pose_a, &body_b.shape, pose_b, &options, &mut cache, &mut scratch.workspace, contacts);
    let crossings = &contacts.crossings[..];
    // That they meet is exact for the placed pair; for the real-number bodies the gap may be as large as the placing
    // error.
    let touching = Bracket { value: 0.0, lower: -found.gap.upper, upper: found.gap.upper, method: Method::Distance };
    let measured = |kind: Kind, how: How| Measured {
        kind,
        how,
        gap: touching,
        points: found.world_points(pose_a, pose_b),
        normal: None,
        local_depth: None,
        is_fit: false,
        way_out: None,
        volume: None,
        triangle_pairs: crossings.len(),
        clusters: Vec::new(),
    };
    let with_places = |mut measured: Measured| {
        // Places of allowed findings are not reported.
        let may_be_allowed = measured.kind == Kind::Hard && limits.allows_some_overlap();
        if !limits.allow.contains(&measured.kind) && !may_be_allowed {
            let curves = contact_curves(mesh_a.0, pose_a, mesh_b.0, pose_b);
            measured.clusters = clusters(&curves, crossings, pose_a);
            // Coplanar triangles may share only an edge or a point; only an area has a closed outline.
            if measured.how == How::Coplanar && !curves.iter().any(|curve| curve.closed) {
                measured.how = How::Points;
            }
        }
        Some(measured)
    };

    if same(mesh_a, mesh_b, limits.touch_band().max(limits.allowed_depth.unwrap_or(0.0))) {
        let way = way_out(mesh_a, mesh_b, crossings);
        let lower = -way.length.max(0.0);
        let gap = Bracket { value: lower, lower, upper: found.gap.upper, method: Method::Overlap };
        let normal = Some(way.direction);
        return with_places(Measured { gap, normal, ..measured(Kind::Duplicate, How::Same) });
    }
    // A sphere inside both bodies proves that solids overlap, and bounds the depth from below; so does one inside a
    // solid about a point of a surface.
    let mut proved = || {
        let options = RelationOptions::default();
        let (shape_a, shape_b) = (body_a.solid_shape(), body_b.solid_shape());
        let workspace = &mut scratch.workspace;
        relation_with(shape_a, pose_a, shape_b, pose_b, &options, &mut PairCache::default(), workspace).gap.upper
    };
    let overlapping = |how: How, upper: f64| {
        let Overlap { way_out, direction, gap } = Overlap::bounds(a, b, crossings, upper);
        let grazing = matches!(how, How::Crossing | How::Overlapping);
        if grazing && way_out.upper <= limits.touch_band() {
            let normal = Some(direction);
            return with_places(Measured { gap, normal, ..measured(Kind::Touching, How::Grazing) });
        }
        with_places(Measured { gap, normal: Some(direction), way_out: Some(way_out), ..measured(Kind::Hard, how) })
    };
    if crossings.is_empty() {
        let inner_first = body_b.is_solid() && holds_a_point(b, a);
        return overlapping(if inner_first { How::AInsideB } else { How::BInsideA }, proved());
    }
    let through = go_through(crossings);
    let only_touch = only_touch(a, b, crossings);
    let upper = if only_touch { found.gap.upper } else { proved() };
    if through || upper < -repair_distance(a, b) {
        return overlapping(if through { How::Crossing } else { How::Overlapping }, upper);
    }
    let how = if crossings.iter().any(is_flat) { How::Coplanar } else { How::Points };
    let mut touching = measured(Kind::Touching, how);
    if !only_touch {
        // Neither overlap nor its absence is proved, so there may be one.
        touching.gap.lower = -way_out(mesh_a, mesh_b, crossings).length.max(found.gap.upper);
    }
    with_places(touching)
}

/// The places where two overlapping parts meet.
pub(crate) fn places(a: Placed<'_>, b: Placed<'_>, scratch: &mut Scratch) -> Vec<Cluster> {
    let ((body_a, pose_a), (body_b, pose_b)) = (a, b);
    let Scratch { workspace, contacts } = scratch;
    let (mut cache, options) = (PairCache::default(), ContactsOptions::default());
    contacts_with(&body_a.shape, pose_a, &body_b.shape, pose_b, &options, &mut cache, workspace, contacts);
    clusters(&contact_curves(&body_a.mesh, pose_a, &body_b.mesh, pose_b), &contacts.crossings, pose_a)
}

/// The distance between the triangles of two parts as given, for solids too; if it exceeds the required margin, only
/// that is established.
fn distance_as_given(a: Placed<'_>, b: Placed<'_>, limits: &Limits, scratch: &mut Scratch) -> Distance {
    let margin = limits.clearance.max(limits.touch_band()).max(repair_distance(a, b));
    let options = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
    let workspace = &mut scratch.workspace;
    distance_with(&a.0.shape, a.1, &b.0.shape, b.1, &options, &mut PairCache::default(), workspace)
}

/// The distance between two parts, zero if they meet or one is inside the other; `None` if it is proved to exceed the
/// required margin.
pub(crate) fn near_gap(a: Placed<'_>, b: Placed<'_>, limits: &Limits, scratch: &mut Scratch) -> Option<f64> {
    let found = distance_as_given(a, b, limits, scratch);
    if found.gap.value > 0.0 && is_contained(a, b, &found, scratch) {
        return Some(0.0);
    }
    (found.gap.lower <= limits.clearance.max(limits.touch_band())).then_some(found.gap.value)
}

/// The sum of the repair distances of two parts.
pub(crate) fn repair_distance(a: Placed<'_>, b: Placed<'_>) -> f64 {
    a.0.repair_distance() + b.0.repair_distance()
}

/// Whether one of two parts, whose triangles as given are apart by `found`, is inside the other. False unless at least
/// one was repaired.
///
/// If the parts are farther apart than both repair distances together, the repaired surfaces do not meet either, and a
/// common point of the solids means containment. If they are closer, a point of one surface must lie deeper in the
/// other solid than both repair distances: then so does a point of the triangles as given ([`crate::repair`]).
fn is_contained(a: Placed<'_>, b: Placed<'_>, found: &Distance, scratch: &mut Scratch) -> bool {
    if !a.0.is_repaired() && !b.0.is_repaired() {
        return false;
    }
    let (box_a, box_b) = (a.0.shape.bounds().posed(a.1), b.0.shape.bounds().posed(b.1));
    if box_a.min.max(box_b.min).cmpgt(box_a.max.min(box_b.max)).any() {
        return false;
    }
    let (solid_a, solid_b, workspace) = (a.0.solid_shape(), b.0.solid_shape(), &mut scratch.workspace);
    if !intersects(solid_a, a.1, solid_b, b.1) {
        return false;
    }
    let moved = repair_distance(a, b);
    if found.gap.lower > moved {
        return true;
    }
    let limit = Some(moved);
    let options = LocalDepthOptions {
        relative_tolerance: 0.0,
        tolerance: 0.1 * moved,
        at_least: limit,
        at_most: limit,
        work: LOCAL_DEPTH_WORK,
    };
    let depth = local_depth_with(solid_a, a.1, solid_b, b.1, &options, workspace, |_, _| true);
    depth.is_ok_and(|found| found.depth.lower > moved)
}

fn apart(a: Placed<'_>, b: Placed<'_>, limits: &Limits, found: &Distance) -> Option<Measured> {
    if found.gap.lower > limits.clearance.max(limits.touch_band()) {
        return None;
    }
    let kind = match () {
        () if found.gap.value <= limits.touch_band() => Kind::Touching,
        // A gap that may equal the clearance within its bracket is accepted.
        () if found.gap.upper < limits.clearance => Kind::Clearance,
        () => return None,
    };
    Some(Measured {
        kind,
        how: How::Apart,
        gap: Bracket {
            value: found.gap.value,
            lower: found.gap.lower,
            upper: found.gap.upper,
            method: Method::Distance,
        },
        points: found.world_points(a.1, b.1),
        normal: found.normal,
        local_depth: None,
        is_fit: false,
        way_out: None,
        volume: None,
        triangle_pairs: 0,
        clusters: Vec::new(),
    })
}

/// Whether a point of `inner` lies in the solid `outer`, for two bodies whose surfaces do not meet.
fn holds_a_point(outer: Placed<'_>, inner: Placed<'_>) -> bool {
    let mut points = inner.0.mesh.points();
    points.next().is_some_and(|point| contains(outer.0.solid_shape(), outer.1, inner.1.transform_point(point)))
}

/// Whether the sides of all triangles that meet prove that the bodies only touch. Two surfaces always do, as neither
/// has an interior. The sides of triangles that are inconsistently wound or not closed prove nothing about a solid.
fn only_touch(a: Placed<'_>, b: Placed<'_>, crossings: &[Crossing]) -> bool {
    if a.0.is_repaired() || b.0.is_repaired() {
        return false;
    }
    match (a.0.mesh.is_solid(), b.0.mesh.is_solid()) {
        (false, false) => true,
        (true, true) => solids_only_touch(a, b, crossings),
        (false, true) => surface_only_touches(a, b, crossings.iter().map(|crossing| crossing.side_of_a)),
        (true, false) => surface_only_touches(b, a, crossings.iter().map(|crossing| crossing.side_of_b)),
    }
}

/// Whether a connected surface has no point inside a connected solid: if each of its triangles lies in front of all
/// that it meets, or in their planes, it enters the solid nowhere, by the argument below.
fn surface_only_touches(surface: Placed<'_>, solid: Placed<'_>, mut sides: impl Iterator<Item = PlaneSide>) -> bool {
    surface.0.mesh.component_count() == 1
        && solid.0.mesh.component_count() == 1
        && sides.all(|side| matches!(side, PlaneSide::Front | PlaneSide::In))
}

/// Whether two connected solids only touch.
///
/// A point inside a solid is behind the plane of some face at every vertex, edge or face next to it. So if every
/// triangle of A that meets B is in front of all that it meets, or lies on it back to back, A's surface does not enter
/// B where they meet. Being connected, it enters nowhere else, so none of A's surface is in B, and B is entirely inside
/// or entirely outside A: any of its points decides. The same holds with A and B swapped.
fn solids_only_touch(a: Placed<'_>, b: Placed<'_>, crossings: &[Crossing]) -> bool {
    if a.0.mesh.component_count() > 1 || b.0.mesh.component_count() > 1 {
        return false;
    }
    let in_front = |side: fn(&Crossing) -> PlaneSide| {
        crossings.iter().all(|crossing| side(crossing) == PlaneSide::Front || is_flat(crossing))
    };
    let (a_in_front, b_in_front) = (in_front(|crossing| crossing.side_of_a), in_front(|crossing| crossing.side_of_b));
    if !a_in_front && !b_in_front {
        return false;
    }
    let (normals_a, normals_b) = (Normals::new(&a.0.mesh, a.1), Normals::new(&b.0.mesh, b.1));
    // In one plane, the normals are opposite or equal up to rounding. Triangles without area have none.
    let back_to_back = |c: &Crossing| normals_a.of(c.triangle_a).dot(normals_b.of(c.triangle_b)) < 0.0;
    if !crossings.iter().filter(|crossing| is_flat(crossing)).all(back_to_back) {
        return false;
    }
    (a_in_front && is_outside(b, a)) || (b_in_front && is_outside(a, b))
}

/// How many points of a body are tried to find one clearly outside or inside another.
const POINTS: usize = 16;

/// Whether a body, known to be entirely inside or outside a solid, is outside. False if no point decides.
fn is_outside(body: Placed<'_>, solid: Placed<'_>) -> bool {
    let bounds = solid.0.shape.bounds().posed(solid.1);
    let points = || body.0.mesh.points().map(|point| body.1.transform_point(point));
    // The box is rounded outward; this margin far exceeds that rounding.
    let room = 1e-9 * bounds.size().max_element();
    let is_clear = |point: DVec3| (bounds.min - point).max(point - bounds.max).max_element() > room;
    if points().any(is_clear) {
        return true;
    }
    let step = body.0.mesh.point_count().div_ceil(POINTS).max(1);
    let told = points().step_by(step).find_map(|point| {
        let found = signed_distance(&solid.0.shape, solid.1, point);
        // Beyond the rounding error of the point.
        match () {
            () if found.distance.lower > room => Some(true),
            () if found.distance.upper < -room => Some(false),
            () => None,
        }
    });
    told == Some(true)
}

/// Whether two triangles that meet are coplanar, or have no area.
fn is_flat(crossing: &Crossing) -> bool {
    (crossing.side_of_a, crossing.side_of_b) == (PlaneSide::In, PlaneSide::In)
}

/// Whether the surfaces cross: at a pair of triangles, or at two triangles that share an edge lying in a face.
///
/// Where an edge of one lies on an edge of the other, no face decides, and the surfaces count as touching. They cross
/// at most along that edge, unless they also cross elsewhere.
fn go_through(crossings: &[Crossing]) -> bool {
    /// Whether the face is of A, its index, and the bits of the ends of a segment on it.
    type OnFace = (bool, u32, [[u64; 3]; 2]);
    // Whether there is a triangle in front, and one behind.
    let mut at_faces: BTreeMap<OnFace, [bool; 2]> = BTreeMap::new();
    for crossing in crossings {
        let [p, q] = crossing.ends_in_a.map(|end| end.to_array().map(f64::to_bits));
        let segment = [p.min(q), p.max(q)];
        let (a, b) = (crossing.side_of_a, crossing.side_of_b);
        let (face, side) = match (a, b) {
            (PlaneSide::Both, PlaneSide::Both) if p != q => return true,
            (PlaneSide::Both, side @ (PlaneSide::Front | PlaneSide::Back)) if p != q => {
                ((true, crossing.triangle_a, segment), side)
            }
            (side @ (PlaneSide::Front | PlaneSide::Back), PlaneSide::Both) if p != q => {
                ((false, crossing.triangle_b, segment), side)
            }
            _ => continue,
        };
        let sides = at_faces.entry(face).or_default();
        sides[usize::from(side == PlaneSide::Back)] = true;
        if *sides == [true; 2] {
            return true;
        }
    }
    false
}
