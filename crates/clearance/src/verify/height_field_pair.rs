//! Height fields as compounds of prisms, chosen by [`verify`](super::answer::verify) from the claims of an answer.
//!
//! Below each triangle a height field is an unbounded prism. The prisms become the parts of a compound, and the
//! answer's claims about the height field are proved for the compound. Only the description of the grid is used: its
//! heights and triangles, cell by cell; the search's own selection is not. Omitted prisms are proved not to matter:
//! - a field of up to [`VERIFY_ALL_TRIANGLES`] triangles contributes **all prisms**;
//! - otherwise, against a **bounded body**: a claim that the gap is at least `lower` concerns the body's position or,
//!   if `lower` is not positive, its position after the separating translation, `-lower` along the normal. A prism
//!   whose box, which has no lower end, is farther from the body's box there than claimed cannot refute the claim. All
//!   nearer ones are included;
//! - against a **half-space** that does not face up, the nearest points of the height field are grid points. Each is
//!   tested against the plane, and the prisms of those that fail are included. A height field has no lower end, so
//!   nothing can be claimed about a half-space that faces up;
//! - for **two fields**, the prisms whose boxes are within the claim of a box of the other field are included. They
//!   extend below both fields; tilted prisms that would meet only below that count as disjoint.
//!
//! A prism ends below the lowest point of the other body at the position of the claim: the nearest point of the prism
//! to a point of that body is at that point's height or above. Upper bounds of a gap are proved by points of the
//! prisms, which belong to the height field.
//!
//! More prisms are included where a search may have used them, since accuracy is relative to the size of what was
//! examined.

use std::ops::ControlFlow;

use glam::{DVec2, DVec3};

use crate::bound::Aabb;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::pose::Pose;
use crate::math::tolerances::{
    MATRIX_VECTOR, MAX_COORDINATE, UNIT_ROUNDOFF, VERIFY_ALL_TRIANGLES, VERIFY_TIES, VERIFY_UPWARD,
};
use crate::shape::{Compound, ConvexHull, HalfSpace, HeightField, Shape};
use crate::verify::body::Part;
use crate::verify::refusal::Refusal;
use crate::verify::triangles::TwoTriangles;

/// What an answer claims about the gap between two bodies.
pub struct GroundClaim {
    /// The gap is at least this; negative infinity if nothing is claimed.
    pub lower: f64,
    /// The gap is at most this.
    pub upper: f64,
    /// How far apart the parts named by the answer may be.
    pub margin: f64,
    /// From A to B in the world: the direction of the separating translation, if `lower` is not positive.
    pub normal: DVec3,
    /// The parts that the answer names.
    pub parts: Vec<(u32, u32)>,
    /// Include only prisms that may refute the claim, and none merely because a search may have used them.
    pub alone: bool,
}

impl GroundClaim {
    fn is_bounded(&self) -> bool {
        self.lower > -f64::MAX
    }

    /// The translation of B after which the bodies are as far apart as [`HeightFieldClaim::apart`] says.
    fn way(&self) -> DVec3 {
        if self.is_bounded() && self.lower <= 0.0 { self.normal * -self.lower } else { DVec3::ZERO }
    }

    fn apart(&self) -> f64 {
        self.lower.max(0.0)
    }

    fn refused<T>(&self) -> Result<T, Refusal> {
        Err(Refusal::Lower { claimed: self.lower, proved: -f64::MAX })
    }
}

/// A pair with at least one height field, with compounds in place of height fields.
pub(crate) struct HeightFieldPair<'s> {
    a: FieldOrShape<'s>,
    b: FieldOrShape<'s>,
}

pub(crate) enum FieldOrShape<'s> {
    Given(&'s Shape),
    /// Prisms, and the numbers of their triangles in ascending order.
    Below(Shape, Vec<u32>),
}

impl FieldOrShape<'_> {
    pub fn shape(&self) -> &Shape {
        match self {
            FieldOrShape::Given(shape) => shape,
            FieldOrShape::Below(shape, _) => shape,
        }
    }

    /// The prism of a triangle; `u32::MAX` if there is none. Parts of other bodies are unchanged.
    pub fn prism(&self, triangle: u32) -> u32 {
        match self {
            FieldOrShape::Given(_) => triangle,
            FieldOrShape::Below(_, triangles) => triangles.binary_search(&triangle).map_or(u32::MAX, |k| k as u32),
        }
    }
}

impl<'s> HeightFieldPair<'s> {
    /// The pair, if it contains a height field.
    pub fn of(
        (a, pose_a): (&'s Shape, &Pose),
        (b, pose_b): (&'s Shape, &Pose),
        claim: &GroundClaim,
    ) -> Option<Result<HeightFieldPair<'s>, Refusal>> {
        let is_field = |shape: &Shape| matches!(shape, Shape::HeightField(_));
        (is_field(a) || is_field(b)).then(|| HeightFieldPair::made((a, pose_a), (b, pose_b), claim))
    }

    fn made(
        (a, pose_a): (&'s Shape, &Pose),
        (b, pose_b): (&'s Shape, &Pose),
        claim: &GroundClaim,
    ) -> Result<HeightFieldPair<'s>, Refusal> {
        let below = |(found, bottom): (Found, f64)| {
            let (shape, triangles) = found.compound(bottom)?;
            Ok(FieldOrShape::Below(shape, triangles))
        };
        let (mut side_a, mut side_b) = (FieldOrShape::Given(a), FieldOrShape::Given(b));
        match (a, b) {
            (Shape::HeightField(field_a), Shape::HeightField(field_b)) => {
                let (a, b) = (Posed { field: field_a, pose: pose_a }, Posed { field: field_b, pose: pose_b });
                let [of_a, of_b] = two_fields(&a, &b, claim)?;
                (side_a, side_b) = (below(of_a)?, below(of_b)?);
            }
            (Shape::HeightField(field), other) => {
                let named: Vec<u32> = claim.parts.iter().map(|parts| parts.0).collect();
                let ground = Posed { field, pose: pose_a };
                side_a = below(ground.against((other, pose_b), claim, claim.way(), &named)?)?;
            }
            (other, Shape::HeightField(field)) => {
                let named: Vec<u32> = claim.parts.iter().map(|parts| parts.1).collect();
                let ground = Posed { field, pose: pose_b };
                side_b = below(ground.against((other, pose_a), claim, -claim.way(), &named)?)?;
            }
            _ => {}
        }
        Ok(HeightFieldPair { a: side_a, b: side_b })
    }

    pub fn a(&self) -> &Shape {
        self.a.shape()
    }

    pub fn b(&self) -> &Shape {
        self.b.shape()
    }

    /// The parts of the compounds for two named triangles or parts.
    pub fn prisms_of(&self, (part_a, part_b): (u32, u32)) -> (u32, u32) {
        (self.a.prism(part_a), self.b.prism(part_b))
    }
}

/// Triangles of a field, with their corners.
pub(crate) struct Found(pub Vec<(u32, [DVec3; 3])>);

impl Found {
    pub fn all(field: &HeightField) -> Found {
        Found((0..field.triangle_count() as u32).filter_map(|k| Some((k, field.triangle(k)?))).collect())
    }

    fn add(&mut self, field: &HeightField, triangles: impl IntoIterator<Item = u32>) {
        self.0.extend(triangles.into_iter().filter_map(|k| Some((k, field.triangle(k)?))));
    }

    /// The prisms below the triangles, down to `bottom`, and the triangle numbers in ascending order.
    pub fn compound(self, bottom: f64) -> Result<(Shape, Vec<u32>), Refusal> {
        let mut found = self.0;
        found.sort_unstable_by_key(|entry| entry.0);
        found.dedup_by_key(|entry| entry.0);
        let mut parts = Vec::with_capacity(found.len());
        for (_, corners) in &found {
            // None may be missing.
            parts.push((Pose::IDENTITY, prism(*corners, bottom).ok_or(Refusal::Part)?));
        }
        let compound = Compound::new(parts).map_err(|_| Refusal::Part)?;
        Ok((Shape::Compound(compound), found.into_iter().map(|entry| entry.0).collect()))
    }
}

/// The prism below a triangle, down to `bottom`.
fn prism(corners: [DVec3; 3], bottom: f64) -> Option<Shape> {
    let below = corners.map(|c| DVec3::new(c.x, c.y, bottom));
    let points: Vec<[f64; 3]> = corners.iter().chain(&below).map(|p| p.to_array()).collect();
    ConvexHull::flat(&points).ok().map(Shape::Hull)
}

/// Visits all triangles of the cells that overlap a window, and of some next to it.
pub(crate) fn for_each_near(field: &HeightField, min: DVec2, max: DVec2, mut visit: impl FnMut(u32, [DVec3; 3])) {
    // Casts saturate: too large values end at the last cell, NaN at the first.
    let cells = |min: f64, max: f64, spacing: f64, lines: usize| {
        let last = lines - 2;
        let (from, to) = ((min / spacing).floor() - 1.0, (max / spacing).floor() + 1.0);
        (from.max(0.0) as usize).min(last)..=(to.max(0.0) as usize).min(last)
    };
    let spacing = field.spacing();
    for row in cells(min.y, max.y, spacing.y, field.rows()) {
        for column in cells(min.x, max.x, spacing.x, field.columns()) {
            let cell = (row * (field.columns() - 1) + column) as u32;
            for triangle in [2 * cell, 2 * cell + 1] {
                if let Some(corners) = field.triangle(triangle) {
                    visit(triangle, corners);
                }
            }
        }
    }
}

/// The bounding box of a triangle.
pub(crate) fn box_of(corners: &[DVec3; 3]) -> Aabb {
    corners.iter().fold(Aabb::EMPTY, |all, &corner| all.including(corner))
}

/// A bounding box of a body in the frame of a field; `None` if unbounded. For another field, that of its surface.
pub(crate) fn box_in_field(pose: &Pose, other: &Shape, pose_other: &Pose) -> Option<Aabb> {
    let bounds = match other {
        Shape::HeightField(field) => field.surface_bounds(),
        _ => other.bounds(),
    };
    if !(bounds.min.is_finite() && bounds.max.is_finite()) {
        return None;
    }
    let corners = corners_of(&bounds).map(|corner| pose.inverse_transform_point(pose_other.transform_point(corner)));
    let all = corners.into_iter().fold(Aabb::EMPTY, |all, corner| all.including(corner));
    // Much more than rounding and the rigidity defects of the poses, which are below 1e-6. A single point has no size,
    // and its coordinates may be small: but the rotation and both translations were rounded.
    let coordinates = bounds.min.abs().max(bounds.max.abs()).length()
        + all.min.abs().max(all.max.abs()).length()
        + pose.translation().length()
        + pose_other.translation().length();
    let sizes = all.size().length() + pose.translation().distance(pose_other.translation());
    let room = (1e-5 * sizes).max(64.0 * UNIT_ROUNDOFF * coordinates) + f64::MIN_POSITIVE;
    Some(Aabb::new(all.min - room, all.max + room))
}

fn corners_of(bounds: &Aabb) -> [DVec3; 8] {
    std::array::from_fn(|k| {
        let pick = |bit: usize, low: f64, high: f64| if k & bit != 0 { high } else { low };
        DVec3::new(
            pick(1, bounds.min.x, bounds.max.x),
            pick(2, bounds.min.y, bounds.max.y),
            pick(4, bounds.min.z, bounds.max.z),
        )
    })
}

/// The bottom of prisms against a body that extends down to `lowest`: `size` farther down, and never above the surface.
fn bottom_below(field: &HeightField, lowest: f64, size: f64) -> f64 {
    let spacing = field.spacing();
    let bottom = lowest.min(field.surface_bounds().min.z) - 2.0 * size - (spacing.x + spacing.y);
    // Coordinates of hulls are limited.
    bottom.max(-MAX_COORDINATE)
}

/// The outward normal of a half-space in the frame of a field.
fn normal_in_field(pose: &Pose, plane: &HalfSpace, pose_other: &Pose) -> DVec3 {
    pose.rotation().transpose() * (pose_other.inverse_rotation().transpose() * plane.normal().normalize())
}

/// A point of the plane of a half-space in the frame of a field.
fn foot_in_field(pose: &Pose, plane: &HalfSpace, pose_other: &Pose) -> DVec3 {
    let foot = plane.normal() * (plane.offset() / plane.normal().length_squared());
    pose.inverse_transform_point(pose_other.transform_point(foot))
}

/// A height below which the height field lies in a half-space that faces up, in the frame of the field; for one that
/// faces down or sideways the height of the surface, since lower points of the height field are no nearer to it.
pub(crate) fn reach_of_plane(field: &HeightField, pose: &Pose, plane: &HalfSpace, pose_other: &Pose) -> f64 {
    let (normal, foot) = (normal_in_field(pose, plane, pose_other), foot_in_field(pose, plane, pose_other));
    let surface = field.surface_bounds();
    if normal.z <= 0.0 {
        return surface.min.z;
    }
    let height = |at: DVec3| foot.z - (normal.x * (at.x - foot.x) + normal.y * (at.y - foot.y)) / normal.z;
    corners_of(&surface).into_iter().map(height).fold(surface.min.z, f64::min)
}

/// A height field and its pose.
struct Posed<'p> {
    field: &'p HeightField,
    pose: &'p Pose,
}

impl Posed<'_> {
    fn is_small(&self) -> bool {
        self.field.triangle_count() <= VERIFY_ALL_TRIANGLES
    }

    /// The prisms to test a claim about this field and another body against, and their bottom. `way`: the translation
    /// of the other body in the world.
    fn against(
        &self,
        (other, pose_other): (&Shape, &Pose),
        claim: &GroundClaim,
        way: DVec3,
        named: &[u32],
    ) -> Result<(Found, f64), Refusal> {
        let field = self.field;
        let Some(about) = box_in_field(self.pose, other, pose_other) else {
            let Shape::HalfSpace(plane) = other else {
                // A compound with a half-space in it: all of the height field may be near.
                let bottom =
                    bottom_below(field, field.surface_bounds().min.z, 2.0 * field.surface_bounds().size().length());
                return Ok((Found::all(field), bottom));
            };
            let lowest = reach_of_plane(field, self.pose, plane, pose_other);
            let bottom = bottom_below(field, lowest, 2.0 * field.surface_bounds().size().length());
            if claim.is_bounded() && normal_in_field(self.pose, plane, pose_other).z > VERIFY_UPWARD {
                return claim.refused();
            }
            let mut found = if self.is_small() {
                Found::all(field)
            } else {
                let mut found = self.facing(plane, pose_other, claim.margin);
                found.add(field, self.unproved((other, pose_other), claim, way)?);
                found
            };
            found.add(field, named.iter().copied());
            return Ok((found, bottom));
        };
        // The position of the claim, in the frame of the field. A non-rigid frame is off by its defect.
        let way = self.pose.inverse_rotation() * way;
        let room = 1e-5 * way.length();
        let there = Aabb::new(about.min + way - room, about.max + way + room);
        let bottom = bottom_below(field, about.min.z, 2.0 * about.size().length());
        let bottom = bottom.min(there.min.z).max(-MAX_COORDINATE);
        if claim.is_bounded() && bottom > there.min.z {
            return claim.refused();
        }
        if self.is_small() && !claim.alone {
            return Ok((Found::all(field), bottom));
        }
        let mut found = self.near_box(&there, claim.apart());
        if claim.alone {
            // A compound needs at least one prism.
            found.add(field, [0]);
            return Ok((found, bottom));
        }
        // What a search may have examined: within an upper bound of the distance to the other body; the centre of its
        // box is no farther than the corners are.
        let middle = about.center();
        let end = field.surface_bounds().max;
        let below = field.height_at(middle.x.clamp(0.0, end.x), middle.y.clamp(0.0, end.y));
        let straight = below.map_or(0.0, |sample| {
            let aside = middle - DVec3::new(middle.x.clamp(0.0, end.x), middle.y.clamp(0.0, end.y), middle.z);
            aside.length() + (middle.z - sample.height.lower).max(0.0)
        });
        let within = (straight + 0.5 * about.size().length()).max(claim.margin).max(claim.upper);
        let near = self.near_box(&about, within);
        let rise = if claim.lower < 0.0 { rise_over(&near, &about) } else { 0.0 };
        found.0.extend(near.0);
        if rise > within {
            found.0.extend(self.near_box(&about, rise).0);
        }
        found.add(field, named.iter().copied());
        Ok((found, bottom))
    }

    /// The triangles whose prisms may be within a distance of a box.
    fn near_box(&self, about: &Aabb, within: f64) -> Found {
        let size = self.field.surface_bounds().size().length() + about.size().length();
        let reach = (within * (1.0 + 1e-5)).min(size + within);
        if !reach.is_finite() {
            return Found::all(self.field);
        }
        let mut found = Vec::new();
        let (min, max) = (about.min - reach, about.max + reach);
        for_each_near(self.field, min.truncate(), max.truncate(), |triangle, corners| {
            let top = box_of(&corners);
            // The prism extends down without end.
            let gap = (about.min - top.max).max(top.min.with_z(f64::NEG_INFINITY) - about.max).max(DVec3::ZERO);
            if gap.length() <= reach {
                found.push((triangle, corners));
            }
        });
        Found(found)
    }

    /// The triangles nearest to a half-space or deepest in it, and those within the margin.
    fn facing(&self, plane: &HalfSpace, pose_other: &Pose, margin: f64) -> Found {
        let field = self.field;
        let normal = normal_in_field(self.pose, plane, pose_other);
        let towards = DVec3::new(-normal.x, -normal.y, (-normal.z).max(0.0));
        let farthest = field.farthest_along(towards);
        let mut found = Found(Vec::new());
        found.add(field, [farthest.triangle]);
        if normal.z > 0.0 {
            return found;
        }
        let off = 2.0 * MATRIX_VECTOR + pose_other.inverse_error() + 4.0 * UNIT_ROUNDOFF;
        let size = field.surface_bounds().size().length();
        let slack = (farthest.slack + 2.0 * off * size) * (1.0 + 1e-5);
        let mut within = farthest.value;
        if margin > 0.0 {
            let foot = foot_in_field(self.pose, plane, pose_other);
            within = within.min(towards.dot(foot) - margin - 1e-5 * (margin + foot.length() + size));
        }
        let most = if margin > 0.0 { usize::MAX } else { VERIFY_TIES };
        let mut ties = Vec::new();
        let walk = field.for_each_triangle_beyond(towards, within - 2.0 * slack, |triangle, corners| {
            ties.push((triangle, corners));
            if ties.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if walk.is_continue() { Found(ties) } else { found }
    }

    /// A triangle for each grid point that is not as far above the plane of a half-space as claimed, the half-space
    /// translated by `way` in the world.
    fn unproved(
        &self,
        (other, pose_other): (&Shape, &Pose),
        claim: &GroundClaim,
        way: DVec3,
    ) -> Result<Vec<u32>, Refusal> {
        if !claim.is_bounded() {
            return Ok(Vec::new());
        }
        let field = self.field;
        // World coordinates are relative to the position of the field.
        let mut part = Part::new(other, pose_other);
        part.measure_from(self.pose.translation());
        let Some(plane) = part.world_plane() else { return claim.refused() };
        let moved = plane.normal.dot(DoubleDoubleVec3::from(way));
        let surface = field.surface_bounds();
        let sizes = surface.min.abs().max(surface.max.abs()).length() + part.world_coordinates() + way.length();
        let least = plane.level + moved + DoubleDouble::from(claim.apart()) + DoubleDouble::from(4e-30 * sizes);
        let is_clear = |vertex: DVec3| {
            let world = DoubleDoubleVec3::from(vertex).transformed_by(&self.pose.rotation());
            plane.normal.dot(world) >= least
        };
        // In the frame of the field, rounded: the direction, the products, their sums and the level, once or twice
        // each.
        let direction = plane.normal.transformed_by(&self.pose.rotation().transpose()).to_vec3();
        let level = least.to_f64();
        let is_clearly_clear = |vertex: DVec3| {
            let doubt = 8.0 * UNIT_ROUNDOFF * (direction.abs().dot(vertex.abs()) + level.abs());
            direction.dot(vertex) - level > doubt
        };
        let (columns, spacing) = (field.columns(), field.spacing());
        let mut open = Vec::new();
        for (index, &height) in field.heights().iter().enumerate() {
            let (column, row) = (index % columns, index / columns);
            let vertex = DVec3::new(column as f64 * spacing.x, row as f64 * spacing.y, f64::from(height));
            if is_clearly_clear(vertex) || is_clear(vertex) {
                continue;
            }
            // Only the upper left corner of a cell is not a corner of the triangle to the right of its diagonal.
            let (i, j) = (column.min(columns - 2), row.min(field.rows() - 2));
            let left = column == i && row > j;
            open.push((2 * (j * (columns - 1) + i) + usize::from(left)) as u32);
            if open.len() > VERIFY_ALL_TRIANGLES {
                return claim.refused();
            }
        }
        Ok(open)
    }

    /// A triangle of this field and one of another, above or below the centre of the first if there is one.
    fn above_each_other(&self, other: &Posed<'_>) -> Option<[(u32, [DVec3; 3]); 2]> {
        let near = box_in_field(self.pose, &Shape::HeightField(other.field.clone()), other.pose)?;
        let surface = self.field.surface_bounds();
        // The centre of the overlap of the boxes, or of the gap between them.
        let (min, max) = (near.min.max(surface.min), near.max.min(surface.max));
        let triangle_at = |field: &HeightField, at: DVec3| {
            let end = field.surface_bounds().max;
            let triangle = field.height_at(at.x.clamp(0.0, end.x), at.y.clamp(0.0, end.y))?.triangle;
            Some((triangle, field.triangle(triangle)?))
        };
        let own = triangle_at(self.field, 0.5 * (min + max))?;
        let middle = (own.1[0] + own.1[1] + own.1[2]) / 3.0;
        let others = triangle_at(other.field, other.pose.inverse_transform_point(self.pose.transform_point(middle)))?;
        Some([own, others])
    }

    /// The bottom of prisms against another field.
    fn bottom(&self, other: &Posed<'_>) -> f64 {
        let surface = self.field.surface_bounds();
        let near = box_in_field(self.pose, &Shape::HeightField(other.field.clone()), other.pose).unwrap_or(surface);
        bottom_below(self.field, near.min.z, surface.size().length() + near.size().length())
    }

    /// The triangles whose prisms may be within a distance of those of another field, at most `most`.
    fn near_field(&self, bottom: f64, other: &Posed<'_>, bottom_other: f64, within: f64, most: usize) -> Found {
        let surface = other.field.surface_bounds();
        let to_own = |p: DVec3| self.pose.inverse_transform_point(other.pose.transform_point(p));
        let to_other = |p: DVec3| other.pose.inverse_transform_point(self.pose.transform_point(p));
        let all = corners_of(&Aabb::new(surface.min.with_z(bottom_other), surface.max));
        let all = all.into_iter().fold(Aabb::EMPTY, |all, corner| all.including(to_own(corner)));
        // Much more than rounding and the rigidity defects of the poses.
        let own_size = self.field.surface_bounds().size().length() + bottom.abs();
        let apart = self.pose.translation().distance(other.pose.translation());
        let reach = within + 1e-5 * (all.size().length() + own_size + apart) + f64::MIN_POSITIVE;
        let reach = if reach.is_finite() { reach } else { f64::MAX };
        let mut found = Vec::new();
        for_each_near(self.field, all.min.truncate() - reach, all.max.truncate() + reach, |triangle, corners| {
            if found.len() >= most || box_of(&corners).max.z < all.min.z - reach {
                return;
            }
            let there = corners.iter().fold(Aabb::EMPTY, |all, &corner| {
                all.including(to_other(corner)).including(to_other(corner.with_z(bottom)))
            });
            let (min, max) = (there.min - reach, there.max + reach);
            let hit =
                other.field.for_each_triangle_in(min.truncate(), max.truncate(), min.z, |_, _| ControlFlow::Break(()));
            if hit.is_break() {
                found.push((triangle, corners));
            }
        });
        Found(found)
    }
}

/// The height of the highest point of the field over or below a box, above the box's lower end: a translation straight
/// up by that much separates them.
fn rise_over(found: &Found, about: &Aabb) -> f64 {
    let over = |corners: &[DVec3; 3]| {
        let top = box_of(corners);
        let apart = (about.min - top.max).max(top.min - about.max);
        if apart.x > 0.0 || apart.y > 0.0 { f64::NEG_INFINITY } else { top.max.z }
    };
    let highest = found.0.iter().map(|(_, corners)| over(corners)).fold(f64::NEG_INFINITY, f64::max);
    (highest - about.min.z).max(0.0)
}

/// The prisms of two fields to test a claim against, and their bottoms.
fn two_fields(a: &Posed<'_>, b: &Posed<'_>, claim: &GroundClaim) -> Result<[(Found, f64); 2], Refusal> {
    let (bottom_a, bottom_b) = (a.bottom(b), b.bottom(a));
    if a.is_small() && b.is_small() {
        return Ok([(Found::all(a.field), bottom_a), (Found::all(b.field), bottom_b)]);
    }
    // Nothing can be claimed about height fields with an unbounded common part, nor about their gap after a
    // translation.
    if claim.is_bounded() && claim.lower <= 0.0 {
        return claim.refused();
    }
    // What a search may have examined: within the distance of two triangles above each other.
    let guess = a.above_each_other(b).map_or(0.0, |[of_a, of_b]| {
        let at = |ground: &Posed<'_>, corners: [DVec3; 3]| {
            corners.map(|corner| {
                DoubleDoubleVec3::from(corner).transformed_by(&ground.pose.rotation())
                    + DoubleDoubleVec3::from(ground.pose.translation())
            })
        };
        TwoTriangles { a: &at(a, of_a.1), b: &at(b, of_b.1), rounding: 0.0 }.at_most()
    });
    let within = guess.max(claim.upper).max(claim.margin).max(claim.apart());
    // Where nothing is claimed, nothing can be missed.
    let most = if claim.apart() > 0.0 { usize::MAX } else { VERIFY_ALL_TRIANGLES + 1 };
    let mut found =
        [a.near_field(bottom_a, b, bottom_b, within, most), b.near_field(bottom_b, a, bottom_a, within, most)];
    if most <= VERIFY_ALL_TRIANGLES + 1 && found.iter().any(|found| found.0.len() > VERIFY_ALL_TRIANGLES) {
        found = [Found(Vec::new()), Found(Vec::new())];
    }
    found[0].add(a.field, claim.parts.iter().map(|parts| parts.0));
    found[1].add(b.field, claim.parts.iter().map(|parts| parts.1));
    let [of_a, of_b] = found;
    Ok([(of_a, bottom_a), (of_b, bottom_b)])
}
