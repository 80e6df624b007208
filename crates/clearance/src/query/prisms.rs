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
use super::contacts::{Contacts, ContactsOptions};
use super::contacts_of_parts::Ground;
use super::parts::Parts;
use super::workspace::Workspace;
use crate::bound::Aabb;
use crate::math::pose::Pose;
use crate::math::tolerances::MAX_COORDINATE;
use crate::shape::{Compound, ConvexHull, HalfSpace, HeightField, Shape};

/// A pair of which at least one body is a height field, with compounds in place of height fields.
pub(super) struct Prisms<'s> {
    a: Side<'s>,
    b: Side<'s>,
}

enum Side<'s> {
    Given(&'s Shape),
    /// Prisms, the numbers of their triangles in ascending order, and the field.
    Below(Shape, Vec<u32>, &'s HeightField),
}

impl Side<'_> {
    fn shape(&self) -> &Shape {
        match self {
            Side::Given(shape) => shape,
            Side::Below(shape, ..) => shape,
        }
    }

    fn ground(&self) -> Option<Ground<'_>> {
        match self {
            Side::Given(_) => None,
            Side::Below(_, triangles, field) => Some(Ground { field, triangles }),
        }
    }

    /// The triangle of a prism; parts of other bodies as they are.
    fn triangle(&self, part: u32) -> u32 {
        match self {
            Side::Given(_) => part,
            Side::Below(_, triangles, _) => triangles.get(part as usize).copied().unwrap_or(part),
        }
    }

    /// The prism of a triangle; `u32::MAX` if there is none.
    fn prism(&self, triangle: u32) -> u32 {
        match self {
            Side::Given(_) => triangle,
            Side::Below(_, triangles, _) => triangles.binary_search(&triangle).map_or(u32::MAX, |k| k as u32),
        }
    }
}

impl<'s> Prisms<'s> {
    /// The pair, if a height field is part of it. `all`: with every prism of small fields, near or not.
    #[inline(always)]
    pub fn of(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose, all: bool) -> Option<Prisms<'s>> {
        Prisms::chosen(a, pose_a, b, pose_b, Wanted { all, margin: 0.0, way_out: false })
    }

    /// The pair, with all prisms that may be within a margin of the other body.
    pub fn within(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose, margin: f64) -> Option<Prisms<'s>> {
        Prisms::chosen(a, pose_a, b, pose_b, Wanted { all: false, margin, way_out: false })
    }

    /// The pair, with all prisms that may be in the way out of an overlap.
    pub fn to_leave(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose) -> Option<Prisms<'s>> {
        Prisms::chosen(a, pose_a, b, pose_b, Wanted { all: false, margin: 0.0, way_out: true })
    }

    #[inline(always)]
    pub fn chosen(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose, wanted: Wanted) -> Option<Prisms<'s>> {
        let is_field = |shape: &Shape| matches!(shape, Shape::HeightField(_));
        if is_field(a) || is_field(b) { Some(Prisms::made(a, pose_a, b, pose_b, wanted)) } else { None }
    }

    #[cold]
    fn made(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose, wanted: Wanted) -> Prisms<'s> {
        let side = |own: &'s Shape, pose: &Pose, other: &Shape, pose_other: &Pose| match own {
            Shape::HeightField(field) => {
                let (shape, triangles) = prisms(field, pose, other, pose_other, wanted);
                Side::Below(shape, triangles, field)
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

    pub fn contacts(
        &self,
        pose_a: &Pose,
        pose_b: &Pose,
        options: &ContactsOptions,
        workspace: &mut Workspace,
        out: &mut Contacts,
    ) {
        let grounds = [self.a.ground(), self.b.ground()];
        // Not `None`: one of the two is a compound of prisms.
        if let Some(parts) = Parts::of(self.a(), pose_a, self.b(), pose_b) {
            parts.contacts(grounds, options, workspace, out);
        }
        for point in &mut out.points {
            (point.part_a, point.part_b) = (self.a.triangle(point.part_a), self.b.triangle(point.part_b));
        }
    }

    /// The parts of the compounds that two named triangles or parts are.
    pub fn prisms_of(&self, (part_a, part_b): (u32, u32)) -> (u32, u32) {
        (self.a.prism(part_a), self.b.prism(part_b))
    }
}

/// Which prisms are wanted beside those that may be nearest.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Every prism of small fields, near or not.
    pub all: bool,
    /// Those that may be so near.
    pub margin: f64,
    /// Those that may be in the way of the shortest translation out of the ground.
    pub way_out: bool,
}

/// How many prisms a check looks at, near or not.
const ALL: usize = 20_000;

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

fn prisms(field: &HeightField, pose: &Pose, other: &Shape, pose_other: &Pose, wanted: Wanted) -> (Shape, Vec<u32>) {
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
    let prism = |corners: [DVec3; 3], bottom: f64| {
        let below = corners.map(|c| DVec3::new(c.x, c.y, bottom));
        let points: Vec<[f64; 3]> = corners.iter().chain(&below).map(|p| p.to_array()).collect();
        ConvexHull::flat(&points).ok().map(Shape::Hull)
    };
    let whole = bounded.is_none() || (wanted.all && field.triangle_count() <= ALL);
    // An upper bound of the distance: that of the prism of the triangle nearest the middle of the box.
    let within = match (whole, field.closest_point(about.center())) {
        (false, Ok(closest)) => {
            let nearest = field.triangle(closest.triangle).and_then(|corners| prism(corners, bottom));
            nearest.map_or(f64::INFINITY, |nearest| super::distance(&nearest, pose, other, pose_other).upper)
        }
        _ => f64::INFINITY,
    };
    let mut within = within.max(wanted.margin);
    let mut found: Vec<(u32, [DVec3; 3])> = Vec::new();
    loop {
        let reach = (within * (1.0 + 1e-5)).min(surface.size().length() + about.size().length() + within);
        let all = whole || !reach.is_finite();
        let (min, max) = if all { (surface.min, surface.max) } else { (about.min - reach, about.max + reach) };
        let z_min = if all { f64::NEG_INFINITY } else { min.z };
        found.clear();
        let mut highest = f64::NEG_INFINITY;
        let _ = field.for_each_triangle_in(min.truncate(), max.truncate(), z_min, |triangle, corners| {
            let top = corners.iter().fold(Aabb::EMPTY, |all, &c| all.including(c));
            // The prism reaches down for ever.
            let gap = (about.min - top.max).max(top.min.with_z(f64::NEG_INFINITY) - about.max).max(DVec3::ZERO);
            if all || gap.length() <= reach {
                highest = highest.max(top.max.z);
                found.push((triangle, corners));
            }
            ControlFlow::Continue(())
        });
        // Straight up past all of these leads out, so no way out that is worth taking is longer, and what it may meet is
        // within that reach.
        let rise = highest - about.min.z;
        if all || !wanted.way_out || rise <= within {
            break;
        }
        within = rise;
    }
    found.sort_unstable_by_key(|entry| entry.0);
    let mut triangles = Vec::with_capacity(found.len());
    let mut parts = Vec::with_capacity(found.len());
    for (triangle, corners) in found {
        if let Some(shape) = prism(corners, bottom) {
            triangles.push(triangle);
            parts.push((Pose::IDENTITY, shape));
        }
    }
    match Compound::new(parts) {
        Ok(compound) => (Shape::Compound(compound), triangles),
        // Not reached: the triangle nearest the box is always among them.
        Err(_) => (Shape::HeightField(field.clone()), triangles),
    }
}
