//! One pair of parts: how they lie, how far apart or how deep, and where.
//!
//! 1. The distance, as far as the pair is interested in it. Parts apart are done.
//! 2. Where they have a point in common: all pairs of triangles that meet, with the side of each on the other's plane, exactly. None: the
//!    one is inside the other.
//! 3. Surfaces go through each other where two triangles lie on both sides of each other's planes, or where two triangles that share
//!    an edge in a face lie on its two sides. Solids overlap then; where faces only lie on each other they may still,
//!    and so may a surface that lies in a solid and touches its walls, which `relation` proves by a ball in both, or in
//!    the solid about a point of the surface.
//! 4. How deep they overlap and the way out; no longer than the touch band, it makes a contact of an overlap. The depth is searched for
//!    only as far as that, or what a rule allows, is open without: [`crate::depths`] is for findings.

use std::collections::BTreeMap;

use clearance::answer::{Contacts, Crossing, Distance, PlaneSide};
use clearance::glam::DVec3;
use clearance::query::{
    ContactsOptions, DistanceOptions, RelationOptions, contact_curves, contacts_with, distance_with, relation_with,
};
use clearance::{PairCache, Pose, Workspace, contains, signed_distance};

use crate::clusters::clusters;
use crate::duplicate::same;
use crate::local_depth::local_depth;
use crate::model::Body;
use crate::normals::Normals;
use crate::overlap::{Overlap, common_volume};
use crate::report::{Bracket, Cluster, Depth, How, Kind, LocalDepth, Method, Volume};
use crate::rules::Limits;
use crate::way_out::way_out;

/// What is found about a pair of parts. Lengths are in the unit of the model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    pub kind: Kind,
    pub how: How,
    pub gap: Bracket,
    pub points: [DVec3; 2],
    pub normal: Option<DVec3>,
    pub local_depth: Option<LocalDepth>,
    /// It is proved to be a fit: see [`Limits::allowed_depth`].
    pub is_fit: bool,
    pub depth: Option<Depth>,
    pub volume: Option<Volume>,
    pub triangle_pairs: usize,
    pub clusters: Vec<Cluster>,
}

impl Measured {
    /// Moves all places by a translation.
    pub fn translate(&mut self, by: DVec3) {
        self.points.iter_mut().for_each(|point| *point += by);
        let moved = |point: &mut [f64; 3]| *point = (DVec3::from_array(*point) + by).to_array();
        self.local_depth.iter_mut().flat_map(|depth| &mut depth.point).for_each(moved);
        for cluster in &mut self.clusters {
            [&mut cluster.min, &mut cluster.max].into_iter().for_each(moved);
            cluster.loops.iter_mut().flat_map(|curve| &mut curve.points).for_each(moved);
        }
    }

    /// Whether it is an overlap that is proved to be within what is allowed.
    pub fn is_allowed_overlap(&self, limits: &Limits) -> bool {
        let Some(depth) = self.depth.as_ref().filter(|_| self.kind == Kind::Hard) else { return false };
        let volume = self.volume.as_ref().map_or(f64::INFINITY, |volume| volume.upper);
        let keeps = |is: f64, allowed: Option<f64>| allowed.is_none_or(|allowed| is <= allowed);
        let given = [limits.allowed_depth, limits.allowed_way_out, limits.allowed_volume];
        given.iter().any(Option::is_some)
            && (limits.allowed_depth.is_none() || self.is_fit)
            && keeps(depth.upper, limits.allowed_way_out)
            && keeps(volume, limits.allowed_volume)
    }
}

/// A body where it is: from the body to the world.
pub type Placed<'m> = (&'m Body, &'m Pose);

/// Memory for one pair after another. See [`overlaps`](crate::overlaps) for an example.
#[derive(Debug, Default)]
pub struct Scratch {
    workspace: Workspace,
    contacts: Contacts,
}

/// What a pair is held against, and how much work may go into its depth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'l> {
    pub limits: &'l Limits,
    pub depth_work: u64,
}

/// How two parts lie; `None` if they are as far apart as they should be.
pub(crate) fn measure(a: Placed<'_>, b: Placed<'_>, asked: &Asked<'_>, scratch: &mut Scratch) -> Option<Measured> {
    let limits = asked.limits;
    let found = gap(a, b, limits, scratch)?;
    if found.gap.value > 0.0 {
        return apart(a, b, limits, &found);
    }
    let ((body_a, pose_a), (body_b, pose_b)) = (a, b);
    let (mesh_a, mesh_b) = ((&body_a.mesh, pose_a), (&body_b.mesh, pose_b));
    let contacts = &mut scratch.contacts;
    let (mut cache, options) = (PairCache::default(), ContactsOptions::default());
    contacts_with(&body_a.shape, pose_a, &body_b.shape, pose_b, &options, &mut cache, &mut scratch.workspace, contacts);
    let crossings = &contacts.crossings[..];
    // That they meet is exact for the placed pair: of the real-number bodies the gap may be what placing moves.
    let touching = Bracket { value: 0.0, lower: -found.gap.upper, upper: found.gap.upper, method: Method::Distance };
    let measured = |kind: Kind, how: How| Measured {
        kind,
        how,
        gap: touching,
        points: found.world_points(pose_a, pose_b),
        normal: None,
        local_depth: None,
        is_fit: false,
        depth: None,
        volume: None,
        triangle_pairs: crossings.len(),
        clusters: Vec::new(),
    };
    let with_places = |mut measured: Measured| {
        // Where something is allowed nobody looks at the places.
        if !limits.allow.contains(&measured.kind) && !measured.is_allowed_overlap(limits) {
            let curves = contact_curves(mesh_a.0, pose_a, mesh_b.0, pose_b);
            measured.clusters = clusters(&curves, crossings, pose_a);
            // What triangles of one plane have in common may be an edge or a point; only an area has an outline.
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
    // A ball in both bodies proves that solids overlap, and how deep at least; one in a solid about a point of a
    // surface does too.
    let mut proved = || {
        let options = RelationOptions::default();
        let (shape_a, shape_b) = (&body_a.shape, &body_b.shape);
        let workspace = &mut scratch.workspace;
        relation_with(shape_a, pose_a, shape_b, pose_b, &options, &mut PairCache::default(), workspace).gap.upper
    };
    let overlapping = |how: How, upper: f64| {
        let mut overlap = Overlap::bounds(a, b, crossings, upper);
        let grazing = matches!(how, How::Crossing | How::Overlapping);
        let undecided = |lower: f64, upper: f64| {
            let between = |limit: f64| lower <= limit && limit < upper;
            (grazing && between(limits.touch_band())) || limits.allowed_way_out.is_some_and(between)
        };
        if asked.depth_work > 0 && undecided(overlap.depth.lower, overlap.depth.upper) {
            overlap.search(a, b, asked.depth_work, |lower, upper| !undecided(lower, upper));
        }
        let Overlap { depth, direction, gap } = overlap;
        if grazing && depth.upper <= limits.touch_band() {
            let normal = Some(direction);
            return with_places(Measured { gap, normal, ..measured(Kind::Touching, How::Grazing) });
        }
        let volume = limits.allowed_volume.and_then(|_| common_volume(a, b));
        let (normal, depth) = (Some(direction), Some(depth));
        let mut hard = Measured { gap, normal, depth, volume, ..measured(Kind::Hard, how) };
        if !limits.allow.contains(&Kind::Hard) {
            (hard.local_depth, hard.is_fit) = local_depth(a, b, limits.allowed_depth, &mut Workspace::default());
        }
        with_places(hard)
    };
    if crossings.is_empty() {
        let inner_first = mesh_b.0.is_solid() && holds_a_point(b, a);
        return overlapping(if inner_first { How::AInsideB } else { How::BInsideA }, proved());
    }
    let through = go_through(crossings);
    let only_touch = only_touch(a, b, crossings);
    let upper = if only_touch { found.gap.upper } else { proved() };
    if through || upper < 0.0 {
        return overlapping(if through { How::Crossing } else { How::Overlapping }, upper);
    }
    let how = if crossings.iter().any(is_flat) { How::Coplanar } else { How::Points };
    let mut touching = measured(Kind::Touching, how);
    if !only_touch {
        // Where neither an overlap is proved nor that there is none, there may be one.
        touching.gap.lower = -way_out(mesh_a, mesh_b, crossings).length.max(found.gap.upper);
    }
    with_places(touching)
}

/// The distance of two parts, if it is not proved to be more than they are asked to be apart.
pub(crate) fn gap(a: Placed<'_>, b: Placed<'_>, limits: &Limits, scratch: &mut Scratch) -> Option<Distance> {
    let margin = limits.clearance.max(limits.touch_band());
    let options = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
    let workspace = &mut scratch.workspace;
    let found = distance_with(&a.0.shape, a.1, &b.0.shape, b.1, &options, &mut PairCache::default(), workspace);
    (found.gap.lower <= margin).then_some(found)
}

fn apart(a: Placed<'_>, b: Placed<'_>, limits: &Limits, found: &Distance) -> Option<Measured> {
    let kind = match () {
        () if found.gap.value <= limits.touch_band() => Kind::Touching,
        // A gap that is the clearance, as far as numbers tell, will do.
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
        depth: None,
        volume: None,
        triangle_pairs: 0,
        clusters: Vec::new(),
    })
}

/// Whether some point of a body lies in the solid `outer`, of two whose surfaces do not meet.
fn holds_a_point(outer: Placed<'_>, inner: Placed<'_>) -> bool {
    let mut points = inner.0.mesh.points();
    points.next().is_some_and(|point| contains(&outer.0.shape, outer.1, inner.1.transform_point(point)))
}

/// Whether bodies only touch, as far as the sides of all triangles that meet tell: two surfaces do, as nothing is
/// inside of either.
fn only_touch(a: Placed<'_>, b: Placed<'_>, crossings: &[Crossing]) -> bool {
    match (a.0.mesh.is_solid(), b.0.mesh.is_solid()) {
        (false, false) => true,
        (true, true) => solids_only_touch(a, b, crossings),
        (false, true) => surface_only_touches(a, b, crossings.iter().map(|crossing| crossing.side_of_a)),
        (true, false) => surface_only_touches(b, a, crossings.iter().map(|crossing| crossing.side_of_b)),
    }
}

/// Whether a surface of one piece has no point inside of a solid of one piece: if each of its triangles lies in front
/// of all that it meets, or in their planes, it enters the solid nowhere, by the argument below.
fn surface_only_touches(surface: Placed<'_>, solid: Placed<'_>, mut sides: impl Iterator<Item = PlaneSide>) -> bool {
    surface.0.mesh.component_count() == 1
        && solid.0.mesh.component_count() == 1
        && sides.all(|side| matches!(side, PlaneSide::Front | PlaneSide::In))
}

/// Whether solids of one piece each only touch.
///
/// A point inside a solid is behind the plane of some face at every corner, edge or face next to it. So if every triangle of A that meets B is
/// in front of all that it meets, or lies on it back to back, then A's surface does not enter B where they meet. What hangs together
/// enters nowhere else, so none of A's surface is in B, and B is as a whole in A or out of it: any of its points tells. The same with A
/// and B exchanged.
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
    // In one plane, the normals are as good as opposite or equal. Without area there is none.
    let back_to_back = |c: &Crossing| normals_a.of(c.triangle_a).dot(normals_b.of(c.triangle_b)) < 0.0;
    if !crossings.iter().filter(|crossing| is_flat(crossing)).all(back_to_back) {
        return false;
    }
    (a_in_front && is_outside(b, a)) || (b_in_front && is_outside(a, b))
}

/// So many points of a body are tried for one that is clearly outside another, or inside.
const POINTS: usize = 16;

/// Whether a body, which is as a whole in or out of a solid, is out of it. False too where no point tells.
fn is_outside(body: Placed<'_>, solid: Placed<'_>) -> bool {
    let bounds = solid.0.shape.bounds().posed(solid.1);
    let points = || body.0.mesh.points().map(|point| body.1.transform_point(point));
    // The box is rounded outward, and so is this by far.
    let room = 1e-9 * bounds.size().max_element();
    let is_clear = |point: DVec3| (bounds.min - point).max(point - bounds.max).max_element() > room;
    if points().any(is_clear) {
        return true;
    }
    let step = body.0.mesh.point_count().div_ceil(POINTS).max(1);
    let told = points().step_by(step).find_map(|point| {
        let found = signed_distance(&solid.0.shape, solid.1, point);
        // Beyond what rounding did to the point.
        match () {
            () if found.distance.lower > room => Some(true),
            () if found.distance.upper < -room => Some(false),
            () => None,
        }
    });
    told == Some(true)
}

/// Whether two triangles that meet lie in one plane, or have no area.
fn is_flat(crossing: &Crossing) -> bool {
    (crossing.side_of_a, crossing.side_of_b) == (PlaneSide::In, PlaneSide::In)
}

/// Whether surfaces go through each other at a crossing: two triangles do, or the two at an edge that lies in a face.
///
/// Where an edge of the one lies on an edge of the other, no face tells: such surfaces are said to touch there. They go through each other
/// at most along that edge, unless they do so elsewhere too.
fn go_through(crossings: &[Crossing]) -> bool {
    /// Whether the face is of A, its number, and the ends of a segment on it, bit by bit.
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
