//! One pair of parts: how they lie, how far apart or how deep, and where.
//!
//! 1. The distance, as far as the pair is interested in it. Parts apart are done.
//! 2. Where they have a point in common: all pairs of triangles that meet, with the side of each on the other's plane, exactly. None: the
//!    one is inside the other.
//! 3. Surfaces go through each other where two triangles lie on both sides of each other's planes, or where two triangles that share
//!    an edge in a face lie on its two sides. Solids overlap then; where faces only lie on each other they may still, which `relation`
//!    proves by a ball in both.
//! 4. The way out bounds the depth; no longer than the touch band, it makes a contact of an overlap.

use std::collections::BTreeMap;

use clearance::glam::DVec3;
use clearance::{
    Contacts, ContactsOptions, Crossing, Distance, DistanceOptions, PairCache, PlaneSide, Pose, RelationOptions,
    Workspace, contact_curves, contacts_with, contains, distance_with, relation_with, signed_distance,
};

use crate::clusters::clusters;
use crate::duplicate::same;
use crate::model::Body;
use crate::normals::Normals;
use crate::report::{Bracket, Cluster, How, Kind, Method};
use crate::rules::Limits;
use crate::way_out::{WayOut, way_out};

/// What is found about a pair of parts. Lengths are in the unit of the model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    pub kind: Kind,
    pub how: How,
    pub gap: Bracket,
    pub points: [DVec3; 2],
    pub normal: Option<DVec3>,
    pub triangle_pairs: usize,
    pub clusters: Vec<Cluster>,
}

/// A body where it is.
pub(crate) type Placed<'m> = (&'m Body, &'m Pose);

/// Memory for one pair after another.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    workspace: Workspace,
    contacts: Contacts,
}

/// How two parts lie; `None` if they are as far apart as they should be.
pub(crate) fn measure(a: Placed<'_>, b: Placed<'_>, limits: &Limits, scratch: &mut Scratch) -> Option<Measured> {
    let found = gap(a, b, limits, scratch)?;
    if found.value > 0.0 {
        return apart(a, b, limits, &found);
    }
    let ((body_a, pose_a), (body_b, pose_b)) = (a, b);
    let (mesh_a, mesh_b) = ((&body_a.mesh, pose_a), (&body_b.mesh, pose_b));
    let points = found.world_points(pose_a, pose_b);
    let contacts = &mut scratch.contacts;
    let (mut cache, options) = (PairCache::default(), ContactsOptions::default());
    contacts_with(&body_a.shape, pose_a, &body_b.shape, pose_b, &options, &mut cache, &mut scratch.workspace, contacts);
    let crossings = &contacts.crossings[..];
    let measured = |kind: Kind, how: How, gap: Bracket, normal: Option<DVec3>| {
        let mut how = how;
        let mut places = Vec::new();
        // Where a kind is allowed nobody looks at the places.
        if !limits.allow.contains(&kind) {
            let curves = contact_curves(mesh_a.0, pose_a, mesh_b.0, pose_b);
            places = clusters(&curves, crossings, pose_a);
            // What triangles of one plane have in common may be an edge or a point; only an area has an outline.
            if how == How::Coplanar && !curves.iter().any(|curve| curve.closed) {
                how = How::Points;
            }
        }
        Some(Measured { kind, how, gap, points, normal, triangle_pairs: crossings.len(), clusters: places })
    };
    // That they meet is exact for the placed pair: of the real-number bodies the gap may be what placing moves.
    let by_overlap = |upper: f64, way: &WayOut| {
        let lower = -way.length.max(0.0);
        (Bracket { value: lower, lower, upper, method: Method::Overlap }, Some(way.direction))
    };
    let way = || way_out(mesh_a, mesh_b, crossings);

    if same(mesh_a, mesh_b, limits.touch) {
        let (gap, normal) = by_overlap(found.upper, &way());
        return measured(Kind::Duplicate, How::Same, gap, normal);
    }
    // A ball in both bodies proves that solids overlap, and how deep at least.
    let mut proved = || {
        let options = RelationOptions::default();
        let (shape_a, shape_b) = (&body_a.shape, &body_b.shape);
        let workspace = &mut scratch.workspace;
        relation_with(shape_a, pose_a, shape_b, pose_b, &options, &mut PairCache::default(), workspace).upper
    };
    if crossings.is_empty() {
        let (gap, normal) = by_overlap(proved(), &way());
        let inner_first = mesh_b.0.is_solid() && holds_a_point(b, a);
        let how = if inner_first { How::AInsideB } else { How::BInsideA };
        return measured(Kind::Hard, how, gap, normal);
    }
    let solids = mesh_a.0.is_solid() && mesh_b.0.is_solid();
    let through = go_through(crossings);
    let only_touch = !solids || only_touch(a, b, crossings);
    let upper = if only_touch { found.upper } else { proved() };
    if through || upper < 0.0 {
        let way = way();
        let (gap, normal) = by_overlap(upper, &way);
        return match way.length <= limits.touch {
            true => measured(Kind::Touching, How::Grazing, gap, normal),
            false if through => measured(Kind::Hard, How::Crossing, gap, normal),
            false => measured(Kind::Hard, How::Overlapping, gap, normal),
        };
    }
    let how = if crossings.iter().any(is_flat) { How::Coplanar } else { How::Points };
    // Where neither an overlap is proved nor that there is none, there may be one.
    let lower = if only_touch { -found.upper } else { -way().length.max(found.upper) };
    measured(Kind::Touching, how, Bracket { value: 0.0, lower, upper: found.upper, method: Method::Distance }, None)
}

/// The distance of two parts, if it is not proved to be more than they are asked to be apart.
pub(crate) fn gap(a: Placed<'_>, b: Placed<'_>, limits: &Limits, scratch: &mut Scratch) -> Option<Distance> {
    let margin = limits.clearance.max(limits.touch);
    let options = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
    let workspace = &mut scratch.workspace;
    let found = distance_with(&a.0.shape, a.1, &b.0.shape, b.1, &options, &mut PairCache::default(), workspace);
    (found.lower <= margin).then_some(found)
}

fn apart(a: Placed<'_>, b: Placed<'_>, limits: &Limits, found: &Distance) -> Option<Measured> {
    let kind = match () {
        () if found.value <= limits.touch => Kind::Touching,
        // A gap that is the clearance, as far as numbers tell, will do.
        () if found.upper < limits.clearance => Kind::Clearance,
        () => return None,
    };
    Some(Measured {
        kind,
        how: How::Apart,
        gap: Bracket { value: found.value, lower: found.lower, upper: found.upper, method: Method::Distance },
        points: found.world_points(a.1, b.1),
        normal: found.normal,
        triangle_pairs: 0,
        clusters: Vec::new(),
    })
}

/// Whether some point of a body lies in the solid `outer`, of two whose surfaces do not meet.
fn holds_a_point(outer: Placed<'_>, inner: Placed<'_>) -> bool {
    let mut points = inner.0.mesh.points();
    points.next().is_some_and(|point| contains(&outer.0.shape, outer.1, inner.1.transform_point(point)))
}

/// Whether solids of one piece each only touch, as far as the sides of all triangles that meet tell.
///
/// A point inside a solid is behind the plane of some face at every corner, edge or face next to it. So if every triangle of A that meets B is
/// in front of all that it meets, or lies on it back to back, then A's surface does not enter B where they meet. What hangs together
/// enters nowhere else, so none of A's surface is in B, and B is as a whole in A or out of it: any of its points tells. The same with A
/// and B exchanged.
fn only_touch(a: Placed<'_>, b: Placed<'_>, crossings: &[Crossing]) -> bool {
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
            () if found.lower > room => Some(true),
            () if found.upper < -room => Some(false),
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
