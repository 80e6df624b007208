//! An estimate of how far one surface extends into the other; neither needs to be closed.
//!
//! A point counts as inside where the winding number of the other surface exceeds one half in absolute value: the
//! generalized winding number is one inside a closed surface, zero outside, and falls off across a hole. Points are the
//! corners, centroids and edge midpoints of triangles. Nothing between them is sampled, and the inside of a surface
//! with holes is a convention, so nothing here is proved.

use std::collections::BinaryHeap;

use fearless_simd::Level;
use glam::DVec3;

use crate::answer::local_depth::{DeepestPoint, DepthDirection, LocalDepthEstimate};
use crate::answer::witness::{Witness, WitnessPoint};
use crate::depth::deep_points::Open;
use crate::depth::local_depth::as_mesh;
use crate::error::QueryError;
use crate::math::cancel::Turns;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::simd::at_level;
use crate::math::tolerances::{
    ESTIMATE_INSIDE, ESTIMATE_OUTSIDE, ESTIMATE_POINTS, ESTIMATE_ROOM, ESTIMATE_ROUNDING, ROUND_UP,
};
use crate::mesh::closest::{ClosestOnMesh, PlacedPoint, closest};
use crate::mesh::inside::winding;
use crate::shape::{Below, Feature, Mesh, Shape, SomeFaces, Surface};

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

/// The deepest sample of one body in the other, and how many were found inside.
///
/// Boxes of the surface's tree are visited in the order of the depth that a sample in them may have: the distance of
/// their middle from the other surface, plus their radius. Samples that cannot be the deepest are not tested.
fn deepest((from, pose_from): (&Mesh, &Pose), (into, pose_into): (&Mesh, &Pose), level: Level) -> (Option<Found>, u32) {
    let ((surface, some), (target, target_some)) = (faces(from), faces(into));
    let whole = into.surface();
    let to_target = Placement::new(pose_into, target.origin, pose_from, surface.origin);
    let to_whole = Placement::new(pose_into, whole.origin, pose_from, surface.origin);
    let nearest = |point: DVec3| closest(level, target, &PlacedPoint::local(to_target.place(point)));
    let samples = Samples::new(surface);
    let (mut best, mut inside, mut turns): (Option<Found>, u32, _) = (None, 0, Turns::default());
    let mut open = BinaryHeap::from([Open { bound: f64::INFINITY, number: 0, piece: (0, None) }]);
    let mut number = 0;
    while let Some(Open { bound, piece: (step, side), .. }) = open.pop() {
        if best.as_ref().is_some_and(|best| bound <= best.depth) {
            break;
        }
        for below in surface.step(step).1.nodes() {
            turns.turn();
            let (bounds, below_it) = surface.step(below);
            let Below::Part(slot) = below_it else {
                let middle = (bounds.min + bounds.max) * 0.5 - surface.origin;
                let radius = 0.5 * bounds.size().length();
                let found = nearest(middle);
                let bound = bound.min(found.distance + radius);
                let side = side.or_else(|| side_of(into, to_whole.place(middle), radius, &found, level));
                if side != Some(false) {
                    number += 1;
                    open.push(Open { bound, number, piece: (below, side) });
                }
                continue;
            };
            samples.of(slot, |point| {
                let placed = to_whole.place(point);
                if !whole.bounds.contains(placed) {
                    return;
                }
                let nearest = nearest(point);
                let is_deeper = best.as_ref().is_none_or(|best| nearest.distance > best.depth);
                if !is_deeper || !side.unwrap_or_else(|| is_inside(into, placed, level)) {
                    return;
                }
                inside += 1;
                best = Some(Found {
                    depth: nearest.distance,
                    point: (point + surface.origin, named(surface, some, slot)),
                    nearest: (nearest.point + target.origin, named(target, target_some, nearest.slot)),
                });
            });
        }
    }
    (best.filter(|best| best.depth > 0.0), inside)
}

/// Whether all points of a ball, relative to the local origin of a mesh, count as inside or as outside, if that is
/// clear; `found` is the point of the mesh closest to its middle. No face of a solid in the ball: all are on one side.
/// The winding number of a surface is harmonic away from it, so in a ball well away from the surface it differs from
/// that of the middle by a bounded factor (Harnack).
fn side_of(mesh: &Mesh, middle: DVec3, radius: f64, found: &ClosestOnMesh, level: Level) -> Option<bool> {
    let surface = mesh.surface();
    let off = (middle - surface.bounds.max).max(surface.bounds.min - middle);
    if off.max_element() > radius * ROUND_UP {
        return Some(false);
    }
    if mesh.is_solid() {
        let is_clear = found.lower > radius + ESTIMATE_ROUNDING * (surface.radius + radius);
        return is_clear.then(|| winding(surface, middle) > 0);
    }
    if found.lower <= ESTIMATE_ROOM * radius {
        return None;
    }
    let (tree, moments) = (&surface.tree, surface.moments());
    let about = at_level!(level, simd => moments.about(simd, tree, middle, &|slot: u32| surface.corners(slot)));
    match about.abs() {
        winding if winding < ESTIMATE_OUTSIDE => Some(false),
        winding if winding > ESTIMATE_INSIDE => Some(true),
        _ => None,
    }
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

/// Corners, centroids and edge midpoints of triangles: all, or an evenly spread subset.
struct Samples<'s> {
    surface: &'s Surface,
    /// Each point that is a corner, with the first slot that has it, by slot.
    corners: Vec<(u32, u32)>,
    /// One in this many is a sample.
    step: usize,
}

impl<'s> Samples<'s> {
    fn new(surface: &'s Surface) -> Samples<'s> {
        let mut is_new = vec![true; surface.points.len()];
        let mut corners = Vec::new();
        for (triangle, slot) in surface.triangles.iter().zip(0u32..) {
            for &p in triangle {
                if std::mem::take(&mut is_new[p as usize]) {
                    corners.push((slot, p));
                }
            }
        }
        let all = corners.len() + 4 * surface.triangles.len();
        Samples { surface, corners, step: all.div_ceil(ESTIMATE_POINTS).max(1) }
    }

    /// Visits the samples of the triangle in a slot.
    fn of(&self, slot: u32, mut visit: impl FnMut(DVec3)) {
        let [a, b, c] = self.surface.corners(slot);
        let first = self.corners.partition_point(|corner| corner.0 < slot);
        let own = self.corners[first..].iter().take_while(|corner| corner.0 == slot);
        for (place, &(_, p)) in (first..).zip(own) {
            if place.is_multiple_of(self.step) {
                visit(self.surface.points[p as usize]);
            }
        }
        let between = [(a + b + c) / 3.0, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)];
        for (place, point) in (self.corners.len() + 4 * slot as usize..).zip(between) {
            if place.is_multiple_of(self.step) {
                visit(point);
            }
        }
    }
}
