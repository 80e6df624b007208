//! An estimate of how far one surface extends into the other; neither needs to be closed.
//!
//! A point counts as inside where the winding number of the other surface exceeds one half in absolute value: the
//! generalized winding number is one inside a closed surface, zero outside, and falls off across a hole. Points are the
//! corners, centroids and edge midpoints of triangles. Nothing between them is sampled, and the inside of a surface
//! with holes is a convention, so nothing here is proved.

use crate::math::tolerances::ESTIMATE_POINTS;
use fearless_simd::Level;
use glam::DVec3;

use crate::answer::local_depth::{DeepestPoint, DepthDirection, LocalDepthEstimate};
use crate::answer::witness::{Witness, WitnessPoint};
use crate::depth::local_depth::as_mesh;
use crate::error::QueryError;
use crate::math::cancel::Turns;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::simd::at_level;
use crate::mesh::closest::{PlacedPoint, closest};
use crate::mesh::inside::winding;
use crate::shape::{Feature, Mesh, Shape, SomeFaces, Surface};

/// An estimate of how far the surface of one body extends into the other.
pub(crate) fn local_depth_estimate(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    level: Level,
) -> Result<LocalDepthEstimate, QueryError> {
    let is_mesh = [a, b].map(|shape| matches!(shape, Shape::Mesh(_)));
    let (a, b) = (as_mesh(a)?, as_mesh(b)?);
    let (of_a, points_of_a) = deepest((&a, pose_a), (&b, pose_b), level);
    let (of_b, points_of_b) = deepest((&b, pose_b), (&a, pose_a), level);
    let depth = |found: &Option<Found>| found.as_ref().map_or(0.0, |found| found.depth);
    let (found, direction) =
        if depth(&of_a) >= depth(&of_b) { (of_a, DepthDirection::AInB) } else { (of_b, DepthDirection::BInA) };
    let named = |found: &Found| {
        let of = |(point, triangle): (DVec3, u32), is_mesh: bool| {
            let (part, feature) = if is_mesh { (triangle, Feature::Face(triangle)) } else { (0, Feature::Interior) };
            WitnessPoint { point, part, feature }
        };
        let witness = match direction {
            DepthDirection::AInB => Witness { a: of(found.point, is_mesh[0]), b: of(found.nearest, is_mesh[1]) },
            DepthDirection::BInA => Witness { a: of(found.nearest, is_mesh[0]), b: of(found.point, is_mesh[1]) },
        };
        DeepestPoint { witness, direction }
    };
    Ok(LocalDepthEstimate {
        value: depth(&found),
        deepest: found.as_ref().map(named),
        inside: [points_of_a, points_of_b],
    })
}

/// A point of one surface that counts as inside the other.
struct Found {
    depth: f64,
    /// In the bodies' own frames, with the triangles that contain them.
    point: (DVec3, u32),
    nearest: (DVec3, u32),
}

/// The triangles of a body; for a solid, those that may bound it.
fn faces(mesh: &Mesh) -> (&Surface, Option<&SomeFaces>) {
    let outer = if mesh.is_solid() { mesh.outer_faces() } else { None };
    match outer.and_then(|outer| outer.possible.as_ref()) {
        Some(some) => (some.mesh.surface(), Some(some)),
        None => (mesh.surface(), None),
    }
}

fn named(surface: &Surface, some: Option<&SomeFaces>, slot: u32) -> u32 {
    let id = surface.ids[slot as usize];
    some.map_or(id, |some| some.parents[id as usize].0)
}

/// The deepest sample of one body in the other, and how many are inside.
fn deepest((from, pose_from): (&Mesh, &Pose), (into, pose_into): (&Mesh, &Pose), level: Level) -> (Option<Found>, u32) {
    let ((surface, some), (target, target_some)) = (faces(from), faces(into));
    let whole = into.surface();
    let to_target = Placement::new(pose_into, target.origin, pose_from, surface.origin);
    let to_whole = Placement::new(pose_into, whole.origin, pose_from, surface.origin);
    let (mut best, mut inside, mut turns): (Option<Found>, u32, _) = (None, 0, Turns::default());
    each_point(surface, |slot, point| {
        turns.turn();
        let placed = to_whole.place(point);
        if !whole.bounds.contains(placed) || !is_inside(into, placed, level) {
            return;
        }
        inside += 1;
        let nearest = closest(level, target, &PlacedPoint::local(to_target.place(point)));
        if best.as_ref().is_none_or(|best| nearest.distance > best.depth) {
            best = Some(Found {
                depth: nearest.distance,
                point: (point + surface.origin, named(surface, some, slot)),
                nearest: (nearest.point + target.origin, named(target, target_some, nearest.slot)),
            });
        }
    });
    (best.filter(|best| best.depth > 0.0), inside)
}

/// Whether a point relative to the local origin of a mesh counts as inside. For a solid this is exact.
fn is_inside(mesh: &Mesh, point: DVec3, level: Level) -> bool {
    let surface = mesh.surface();
    if mesh.is_solid() {
        return winding(surface, point) > 0;
    }
    let (tree, moments) = (&surface.tree, surface.moments());
    let corners = |slot: u32| surface.corners(slot);
    at_level!(level, simd => moments.is_within(simd, tree, point, corners))
}

/// Visits corners, centroids and edge midpoints, with the slot of a triangle that contains them: all, or an evenly
/// spread subset.
fn each_point(surface: &Surface, mut visit: impl FnMut(u32, DVec3)) {
    let mut is_new = vec![true; surface.points.len()];
    let mut corners = Vec::new();
    for (triangle, slot) in surface.triangles.iter().zip(0u32..) {
        for &p in triangle {
            if std::mem::take(&mut is_new[p as usize]) {
                corners.push((slot, p));
            }
        }
    }
    let count = surface.triangles.len();
    let between = |place: usize| {
        let slot = (place / 4) as u32;
        let [a, b, c] = surface.corners(slot);
        let point = match place % 4 {
            0 => (a + b + c) / 3.0,
            1 => 0.5 * (a + b),
            2 => 0.5 * (b + c),
            _ => 0.5 * (c + a),
        };
        (slot, point)
    };
    let all = corners.len() + 4 * count;
    let step = all.div_ceil(ESTIMATE_POINTS).max(1);
    for place in (0..all).step_by(step) {
        let (slot, point) = match corners.get(place) {
            Some(&(slot, p)) => (slot, surface.points[p as usize]),
            None => between(place - corners.len()),
        };
        visit(slot, point);
    }
}
