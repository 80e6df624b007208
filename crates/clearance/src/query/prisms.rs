//! Height fields in questions about two bodies: the ground as prisms.
//!
//! The ground below a triangle is a prism without bottom. Of it only what lies not below the other body counts: a point of
//! the other body is nearest to a point of the prism at its own height or above. So the prism may end below the lowest
//! point of the other body, and it ends so far below that no way out of an overlap leads there. The prisms near the other
//! body become the parts of a compound, and that is asked about. Near is what the other body's box may reach within an
//! upper bound of the distance, found from the triangle nearest the middle of that box.
//!
//! Against a half-space or another height field all prisms are made, some kilobytes each, so this is for small fields. Two
//! height fields are taken as deep as reaches below both; where tilted ones meet only below that, they count as apart.

use std::ops::ControlFlow;

use glam::DVec3;

use super::answer::{Distance, Penetration, RelationProof};
use super::impact::Impact;
use crate::bound::Aabb;
use crate::math::pose::Pose;
use crate::math::tolerances::MAX_COORDINATE;
use crate::motion::Motion;
use crate::shape::{Compound, ConvexHull, HalfSpace, HeightField, Shape};

/// A pair of which at least one body is a height field, with compounds in place of height fields.
pub(super) struct Prisms<'s> {
    a: Side<'s>,
    b: Side<'s>,
}

enum Side<'s> {
    Given(&'s Shape),
    /// Prisms, and the numbers of their triangles in ascending order.
    Below(Shape, Vec<u32>),
}

/// A moving pair of which at least one body is a height field: the prisms that the other may meet on its way.
pub(super) struct Swept<'s> {
    a: Option<Side<'s>>,
    b: Option<Side<'s>>,
}

impl Swept<'_> {
    /// The first body; `None` if nothing of it can be met.
    pub fn a(&self) -> Option<&Shape> {
        self.a.as_ref().map(Side::shape)
    }

    /// The second body; `None` if nothing of it can be met.
    pub fn b(&self) -> Option<&Shape> {
        self.b.as_ref().map(Side::shape)
    }

    /// The answer with triangles for prisms.
    pub fn impact(&self, answer: Impact) -> Impact {
        let triangle = |side: &Option<Side<'_>>, part: u32| side.as_ref().map_or(part, |side| side.triangle(part));
        Impact { part_a: triangle(&self.a, answer.part_a), part_b: triangle(&self.b, answer.part_b), ..answer }
    }

    /// The answer with prisms for triangles.
    pub fn in_prisms(&self, answer: &Impact) -> Impact {
        let prism = |side: &Option<Side<'_>>, part: u32| side.as_ref().map_or(part, |side| side.prism(part));
        Impact { part_a: prism(&self.a, answer.part_a), part_b: prism(&self.b, answer.part_b), ..*answer }
    }
}

impl Side<'_> {
    fn shape(&self) -> &Shape {
        match self {
            Side::Given(shape) => shape,
            Side::Below(shape, _) => shape,
        }
    }

    /// The triangle of a prism; parts of other bodies as they are.
    fn triangle(&self, part: u32) -> u32 {
        match self {
            Side::Given(_) => part,
            Side::Below(_, triangles) => triangles.get(part as usize).copied().unwrap_or(part),
        }
    }

    /// The prism of a triangle; `u32::MAX` if there is none.
    fn prism(&self, triangle: u32) -> u32 {
        match self {
            Side::Given(_) => triangle,
            Side::Below(_, triangles) => triangles.binary_search(&triangle).map_or(u32::MAX, |k| k as u32),
        }
    }
}

impl<'s> Prisms<'s> {
    /// The pair, if a height field is part of it. `all`: with every prism of small fields, near or not.
    #[inline(always)]
    pub fn of(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose, all: bool) -> Option<Prisms<'s>> {
        let is_field = |shape: &Shape| matches!(shape, Shape::HeightField(_));
        if is_field(a) || is_field(b) { Some(Prisms::made(a, pose_a, b, pose_b, all)) } else { None }
    }

    /// The moving pair, if a height field is part of it: with the prisms that the other body comes within a margin of.
    #[inline(always)]
    pub fn swept(
        (a, motion_a): (&'s Shape, &Motion),
        (b, motion_b): (&'s Shape, &Motion),
        margin: f64,
        all: bool,
    ) -> Option<Swept<'s>> {
        let is_field = |shape: &Shape| matches!(shape, Shape::HeightField(_));
        if !is_field(a) && !is_field(b) {
            return None;
        }
        let side = |own: &'s Shape, motion: &Motion, other: &'s Shape, motion_other: &Motion| match own {
            Shape::HeightField(field) => {
                swept_prisms(field, motion, other, motion_other, margin, all).map(|(s, t)| Side::Below(s, t))
            }
            _ => Some(Side::Given(own)),
        };
        Some(Swept { a: side(a, motion_a, b, motion_b), b: side(b, motion_b, a, motion_a) })
    }

    #[cold]
    fn made(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose, all: bool) -> Prisms<'s> {
        let side = |own: &'s Shape, pose: &Pose, other: &Shape, pose_other: &Pose| match own {
            Shape::HeightField(field) => {
                let (shape, triangles) = prisms(field, pose, other, pose_other, all);
                Side::Below(shape, triangles)
            }
            _ => Side::Given(own),
        };
        Prisms { a: side(a, pose_a, b, pose_b), b: side(b, pose_b, a, pose_a) }
    }

    pub fn a(&self) -> &Shape {
        self.a.shape()
    }

    pub fn b(&self) -> &Shape {
        self.b.shape()
    }

    pub fn distance(&self, answer: Distance) -> Distance {
        Distance { part_a: self.a.triangle(answer.part_a), part_b: self.b.triangle(answer.part_b), ..answer }
    }

    pub fn penetration(&self, answer: Penetration) -> Penetration {
        Penetration { part_a: self.a.triangle(answer.part_a), part_b: self.b.triangle(answer.part_b), ..answer }
    }

    pub fn relation(&self, proof: RelationProof) -> RelationProof {
        RelationProof { part_a: self.a.triangle(proof.part_a), part_b: self.b.triangle(proof.part_b), ..proof }
    }

    /// The parts of the compounds that two named triangles or parts are.
    pub fn prisms_of(&self, (part_a, part_b): (u32, u32)) -> (u32, u32) {
        (self.a.prism(part_a), self.b.prism(part_b))
    }
}

/// How many prisms a check looks at, near or not.
const ALL: usize = 20_000;

/// In at most how many pieces a way over the field is gone; longer ones are then longer.
const PIECES: f64 = 4096.0;

/// A box about the other body in the frame of the field; `None` if it is unbounded.
fn box_in_field(pose: &Pose, other: &Shape, pose_other: &Pose) -> Option<Aabb> {
    let bounds = match other {
        Shape::HeightField(field) => field.surface_bounds(),
        _ => other.bounds(),
    };
    if !(bounds.min.is_finite() && bounds.max.is_finite()) {
        return None;
    }
    let mut all = Aabb::EMPTY;
    for k in 0..8u32 {
        let pick = |bit: u32, low: f64, high: f64| if k & bit != 0 { high } else { low };
        let corner = DVec3::new(
            pick(1, bounds.min.x, bounds.max.x),
            pick(2, bounds.min.y, bounds.max.y),
            pick(4, bounds.min.z, bounds.max.z),
        );
        all = all.including(pose.inverse_transform_point(pose_other.transform_point(corner)));
    }
    // Much more than rounding and the rigidity defect of the poses: it only chooses what to look at.
    let room = 1e-5 * (all.size().length() + pose.translation().distance(pose_other.translation())) + f64::MIN_POSITIVE;
    Some(Aabb::new(all.min - room, all.max + room))
}

/// A height at which all of the ground lies in a half-space that faces up, in the frame of the field; that of the surface
/// for one that faces down or sideways, since going down the ground does not come nearer to it.
fn reach_of_plane(surface: &Aabb, pose: &Pose, plane: &HalfSpace, pose_other: &Pose) -> f64 {
    let turned = |v: DVec3| pose.inverse_rotation() * (pose_other.rotation() * v);
    let normal = turned(plane.normal());
    let foot = plane.normal() * (plane.offset() / plane.normal().length_squared());
    let foot = pose.inverse_transform_point(pose_other.transform_point(foot));
    if normal.z <= 0.0 {
        return surface.min.z;
    }
    let corners = [(surface.min.x, surface.min.y), (surface.max.x, surface.min.y)];
    let more = [(surface.min.x, surface.max.y), (surface.max.x, surface.max.y)];
    let height = |(x, y): (f64, f64)| foot.z - (normal.x * (x - foot.x) + normal.y * (y - foot.y)) / normal.z;
    corners.into_iter().chain(more).map(height).fold(surface.min.z, f64::min)
}

fn prisms(field: &HeightField, pose: &Pose, other: &Shape, pose_other: &Pose, all: bool) -> (Shape, Vec<u32>) {
    let surface = field.surface_bounds();
    let near = box_in_field(pose, other, pose_other);
    // An unbounded body, another height field included, may be met by any prism.
    let bounded = near.filter(|_| !matches!(other, Shape::HeightField(_)));
    let about = bounded.unwrap_or(surface);
    let size = about.size().length() + near.unwrap_or(surface).size().length();
    let spacing = field.spacing();
    let lowest = match (near, other) {
        (Some(near), _) => near.min.z,
        (None, Shape::HalfSpace(plane)) => reach_of_plane(&surface, pose, plane, pose_other),
        (None, _) => about.min.z,
    };
    let bottom = lowest.min(surface.min.z) - 2.0 * size - (spacing.x + spacing.y);
    // Coordinates of hulls are limited; bodies that large overlap the ground long before.
    let bottom = bottom.max(-MAX_COORDINATE);
    let whole = bounded.is_none() || (all && field.triangle_count() <= ALL);
    // An upper bound of the distance: that of the prism of the triangle nearest the middle of the box.
    let within = match (whole, field.closest_point(about.center())) {
        (false, Ok(closest)) => {
            let nearest = field.triangle(closest.triangle).and_then(|corners| prism(corners, bottom));
            nearest.map_or(f64::INFINITY, |nearest| super::distance(&nearest, pose, other, pose_other).upper)
        }
        _ => f64::INFINITY,
    };
    let reach = (within * (1.0 + 1e-5)).min(surface.size().length() + about.size().length() + within);
    let mut found: Vec<(u32, [DVec3; 3])> = Vec::new();
    let (min, max) =
        if whole || !reach.is_finite() { (surface.min, surface.max) } else { (about.min - reach, about.max + reach) };
    let z_min = if whole || !reach.is_finite() { f64::NEG_INFINITY } else { min.z };
    let _ = field.for_each_triangle_in(min.truncate(), max.truncate(), z_min, |triangle, corners| {
        let top = corners.iter().fold(Aabb::EMPTY, |all, &c| all.including(c));
        // The prism reaches down for ever.
        let gap = (about.min - top.max).max(top.min.with_z(f64::NEG_INFINITY) - about.max).max(DVec3::ZERO);
        if whole || gap.length() <= reach {
            found.push((triangle, corners));
        }
        ControlFlow::Continue(())
    });
    match compound(found, bottom) {
        Some(made) => made,
        // Not reached: the triangle nearest the box is always among them.
        None => (Shape::HeightField(field.clone()), Vec::new()),
    }
}

/// The ground below a triangle, down to a height.
fn prism(corners: [DVec3; 3], bottom: f64) -> Option<Shape> {
    let below = corners.map(|c| DVec3::new(c.x, c.y, bottom));
    let points: Vec<[f64; 3]> = corners.iter().chain(&below).map(|p| p.to_array()).collect();
    ConvexHull::flat(&points).ok().map(Shape::Hull)
}

/// The ground below some triangles, and their numbers in ascending order; `None` for no triangles.
fn compound(mut found: Vec<(u32, [DVec3; 3])>, bottom: f64) -> Option<(Shape, Vec<u32>)> {
    found.sort_unstable_by_key(|entry| entry.0);
    found.dedup_by_key(|entry| entry.0);
    let mut triangles = Vec::with_capacity(found.len());
    let mut parts = Vec::with_capacity(found.len());
    for (triangle, corners) in found {
        if let Some(shape) = prism(corners, bottom) {
            triangles.push(triangle);
            parts.push((Pose::IDENTITY, shape));
        }
    }
    Compound::new(parts).ok().map(|compound| (Shape::Compound(compound), triangles))
}

/// The prisms that a body may meet, or come within a margin of, in a step; `None` if there are none. As long as it goes
/// over the ground its box, on its way, overlaps that of the prism, which reaches down for ever; a prism is cut off below
/// the lowest place on that way.
fn swept_prisms(
    field: &HeightField,
    motion: &Motion,
    other: &Shape,
    motion_other: &Motion,
    margin: f64,
    all: bool,
) -> Option<(Shape, Vec<u32>)> {
    let (pose, pose_other) = (motion.start(), motion_other.start());
    let surface = field.surface_bounds();
    let way = pose.inverse_rotation() * (motion_other.displacement() - motion.displacement());
    let near = box_in_field(&pose, other, &pose_other);
    let spacing = field.spacing();
    let lowest = match (near, other) {
        (Some(near), _) => near.min.z + way.z.min(0.0),
        (None, Shape::HalfSpace(plane)) => {
            let end =
                pose_other.moved_to(pose_other.translation() + (motion_other.displacement() - motion.displacement()));
            let reach = |at: &Pose| reach_of_plane(&surface, &pose, plane, at);
            reach(&pose_other).min(reach(&end))
        }
        (None, _) => surface.min.z,
    };
    // An unbounded body, another height field included, may be met by any prism.
    let about = near.filter(|_| !matches!(other, Shape::HeightField(_)));
    let size = near.unwrap_or(surface).size().length() + margin;
    let bottom = (lowest.min(surface.min.z) - size - (spacing.x + spacing.y)).max(-MAX_COORDINATE);
    let mut found: Vec<(u32, [DVec3; 3])> = Vec::new();
    let whole = all && field.triangle_count() <= ALL;
    let Some(about) = about.filter(|_| !whole) else {
        let _ =
            field.for_each_triangle_in(surface.min.truncate(), surface.max.truncate(), f64::NEG_INFINITY, |k, c| {
                found.push((k, c));
                ControlFlow::Continue(())
            });
        return compound(found, bottom);
    };
    // Much more than rounding and the rigidity defect of the poses: it only chooses what to look at.
    let room = (margin + 1e-5 * way.length()) * (1.0 + 1e-5) + f64::MIN_POSITIVE;
    let start = Aabb::new(about.min - room, about.max + room);
    // A long way is gone in pieces, each about as long as the body, or the pyramid of heights, is fine: the box about a
    // slanting way holds far more of the field than lies below it.
    let piece = start.size().truncate().max_element() + 8.0 * spacing.max_element();
    let pieces = (way.truncate().length() / piece).clamp(1.0, PIECES).floor();
    for k in 0..pieces as u32 {
        let [p, q] = [k, k + 1].map(|k| way * (f64::from(k) / pieces));
        let (min, max) = (start.min + p.min(q), start.max + p.max(q));
        let _ = field.for_each_triangle_in(min.truncate(), max.truncate(), min.z, |triangle, corners| {
            let top = corners.iter().fold(Aabb::EMPTY, |all, &c| all.including(c));
            if meets_on_its_way(&start, way, &top) {
                found.push((triangle, corners));
            }
            ControlFlow::Continue(())
        });
    }
    compound(found, bottom)
}

/// Whether a box that moves comes to lie over or beside all below another.
fn meets_on_its_way(moving: &Aabb, way: DVec3, top: &Aabb) -> bool {
    let low = DVec3::new(top.min.x, top.min.y, f64::NEG_INFINITY);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for k in 0..3 {
        let (first, last) = (low[k] - moving.max[k], top.max[k] - moving.min[k]);
        if way[k] == 0.0 {
            if first > 0.0 || last < 0.0 {
                return false;
            }
            continue;
        }
        let (p, q) = (first / way[k], last / way[k]);
        enter = enter.max(p.min(q));
        leave = leave.min(p.max(q));
    }
    enter <= leave
}
