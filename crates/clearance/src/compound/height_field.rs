//! Height fields in pair queries: the solid below the surface as convex prisms.
//!
//! The solid below a triangle is a prism without a bottom. Only its part at or above the other body's lowest point
//! matters: a point of the other body is nearest to a point of the prism at its own height or above. So the prism may
//! end below the lowest point of the other body, far enough that no separating translation leads there. The prisms near
//! the other body become the parts of a compound, which is queried instead. Near means: within an upper bound of the
//! distance of the other body's box, taken from the triangle nearest the centre of that box.
//!
//! Memory. A prism takes some kilobytes, so few are built:
//! - Against a half-space, the grid point farthest along its direction is nearest, found by branch and bound over the
//!   height pyramid. Its prism is built, and at most [`HEIGHT_FIELD_TIES`] others that tie with it up to rounding;
//!   beyond that the lower bound absorbs the rounding. (For contacts, all points within the margin get theirs.)
//! - Between two fields, the prisms that may be within an upper bound of the distance to the other field: that of two
//!   prisms above each other. If these two meet, and more than [`HEIGHT_FIELD_PRISMS`] prisms are as near, the two
//!   represent all.
//!
//! Two height fields extend down to a common depth below both; tilted fields that meet only below that count as
//! separated. The intersection with an upward-facing half-space or with another field is unbounded if not empty: the
//! lower bound of `relation` is then `-f64::MAX`.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use glam::DVec3;

use crate::answer::contacts::{Contacts, ContactsOptions};
use crate::answer::distance::Distance;
use crate::answer::method::{Method, Stopped};
use crate::answer::penetration::Penetration;
use crate::answer::relation::RelationProof;
use crate::answer::witness::Witness;
use crate::bound::Aabb;
use crate::compound::contacts::FieldPrisms;
use crate::compound::distance::distance_once;
use crate::compound::parts::Parts;
use crate::compound::scratch::PartsScratch;
use crate::convex::pair::distance as convex;
use crate::convex::workspace::ConvexWorkspace;
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::tolerances::{HEIGHT_FIELD_PRISMS, HEIGHT_FIELD_TIES, MATRIX_VECTOR, MAX_COORDINATE, UNIT_ROUNDOFF};
use crate::shape::{Compound, ConvexHull, HalfSpace, HeightField, Shape, order};

/// A pair with at least one height field, each replaced by a compound.
pub(crate) struct HeightFieldPair<'s> {
    a: FieldOrShape<'s>,
    b: FieldOrShape<'s>,
    left_out: LeftOut,
    /// From A to B in the world, straight up out of the height field or down from it; only nearly of unit length.
    upright: DVec3,
    /// Their intersection, if not empty, is unbounded.
    unbounded: bool,
}

/// The possible effect of the prisms that were not built.
#[derive(Clone, Copy, Default)]
struct LeftOut {
    /// They may be nearer to the other body than those built, by this much.
    slack: f64,
    /// They may obstruct translations longer than this, if known; straight up by this much is free.
    rise: Option<f64>,
}

/// One of the two bodies.
pub(crate) enum FieldOrShape<'s> {
    Given(&'s Shape),
    /// A compound of prisms, the triangle indices of the prisms in ascending order, and the height field.
    Below(Shape, Vec<u32>, &'s HeightField),
}

impl FieldOrShape<'_> {
    pub fn shape(&self) -> &Shape {
        match self {
            FieldOrShape::Given(shape) => shape,
            FieldOrShape::Below(shape, ..) => shape,
        }
    }

    fn field(&self) -> Option<FieldPrisms<'_>> {
        match self {
            FieldOrShape::Given(_) => None,
            FieldOrShape::Below(_, triangles, field) => Some(FieldPrisms { field, triangles }),
        }
    }

    /// The triangle of a prism; parts of other bodies unchanged.
    pub fn triangle(&self, part: u32) -> u32 {
        match self {
            FieldOrShape::Given(_) => part,
            FieldOrShape::Below(_, triangles, _) => triangles.get(part as usize).copied().unwrap_or(part),
        }
    }
}

impl<'s> HeightFieldPair<'s> {
    /// The pair with the prisms that may be nearest.
    pub fn near(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose) -> HeightFieldPair<'s> {
        HeightFieldPair::made(a, pose_a, b, pose_b, PrismSelection { margin: 0.0, way_out: false })
    }

    /// The pair with all prisms that may be within a margin of the other body.
    pub fn within(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose, margin: f64) -> HeightFieldPair<'s> {
        HeightFieldPair::made(a, pose_a, b, pose_b, PrismSelection { margin, way_out: false })
    }

    /// The pair with all prisms that may obstruct a separating translation.
    pub fn to_leave(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose) -> HeightFieldPair<'s> {
        HeightFieldPair::made(a, pose_a, b, pose_b, PrismSelection { margin: 0.0, way_out: true })
    }

    #[cold]
    fn made(a: &'s Shape, pose_a: &Pose, b: &'s Shape, pose_b: &Pose, wanted: PrismSelection) -> HeightFieldPair<'s> {
        // A height field and a half-space that faces down at it share at most the tops of hills.
        let unbounded = match (a, b) {
            (Shape::HeightField(_), Shape::HeightField(_)) => true,
            (Shape::HalfSpace(plane), _) => normal_in_field(pose_b, plane, pose_a).z > 0.0,
            (_, Shape::HalfSpace(plane)) => normal_in_field(pose_a, plane, pose_b).z > 0.0,
            _ => false,
        };
        if let (Shape::HeightField(field_a), Shape::HeightField(field_b)) = (a, b) {
            let [of_a, of_b] = two_fields((a, field_a, pose_a), (b, field_b, pose_b), wanted);
            let a = FieldOrShape::Below(of_a.0, of_a.1, field_a);
            let b = FieldOrShape::Below(of_b.0, of_b.1, field_b);
            return HeightFieldPair { a, b, left_out: LeftOut::default(), upright: DVec3::Z, unbounded };
        }
        let mut left_out = LeftOut::default();
        let upright = match a {
            Shape::HeightField(_) => pose_a.rotation().z_axis,
            _ => -pose_b.rotation().z_axis,
        };
        let mut side = |own: &'s Shape, pose: &Pose, other: &Shape, pose_other: &Pose| match own {
            Shape::HeightField(field) => {
                let (shape, triangles) = prisms(field, pose, other, pose_other, wanted, &mut left_out);
                FieldOrShape::Below(shape, triangles, field)
            }
            _ => FieldOrShape::Given(own),
        };
        let (a, b) = (side(a, pose_a, b, pose_b), side(b, pose_b, a, pose_a));
        HeightFieldPair { a, b, left_out, upright, unbounded }
    }

    pub fn a(&self) -> &Shape {
        self.a.shape()
    }

    pub fn b(&self) -> &Shape {
        self.b.shape()
    }

    pub fn distance(&self, answer: Distance) -> Distance {
        let slack = self.left_out.slack;
        let lower = if slack > 0.0 { (answer.gap.lower - slack).next_down().max(0.0) } else { answer.gap.lower };
        Distance {
            gap: Bracket { lower, ..answer.gap },
            witness: answer
                .witness
                .with_parts(self.a.triangle(answer.witness.a.part), self.b.triangle(answer.witness.b.part)),
            ..answer
        }
    }

    /// The triangles of two prisms; parts of other bodies unchanged.
    pub fn triangles_of(&self, (part_a, part_b): (u32, u32)) -> (u32, u32) {
        (self.a.triangle(part_a), self.b.triangle(part_b))
    }

    pub fn penetration(&self, answer: Penetration) -> Penetration {
        let named = Penetration {
            witness: answer
                .witness
                .with_parts(self.a.triangle(answer.witness.a.part), self.b.triangle(answer.witness.b.part)),
            ..answer
        };
        let Some(upper) = self.upright_length().filter(|length| answer.depth.upper > *length) else { return named };
        // A longer translation may hit prisms left out. The upward one is not as accurate as the contract asks.
        let lower = named.depth.lower.min(upper);
        let normal = self.upright.normalize();
        Penetration {
            depth: Bracket { value: upper, lower, upper },
            normal,
            method: Method::PartsStopped(Stopped::Budget),
            ..named
        }
    }

    pub fn relation(&self, proof: RelationProof) -> RelationProof {
        let LeftOut { slack, .. } = self.left_out;
        let (mut lower, mut normal) = (proof.gap.lower, proof.normal);
        if self.unbounded && lower <= slack {
            lower = -f64::MAX;
        } else if slack > 0.0 {
            lower = (lower - slack).next_down();
        } else if let Some(length) = self.upright_length().filter(|length| -lower > *length) {
            (lower, normal) = (-length, self.upright.normalize());
        }
        let Witness { a, b } = &proof.witness;
        let witness = proof.witness.with_parts(self.a.triangle(a.part), self.b.triangle(b.part));
        RelationProof { gap: Bracket { lower, ..proof.gap }, normal, witness, ..proof }.judged()
    }

    pub fn contacts(
        &self,
        pose_a: &Pose,
        pose_b: &Pose,
        options: &ContactsOptions,
        workspace: &mut ConvexWorkspace,
        scratch: &mut PartsScratch,
        out: &mut Contacts,
    ) {
        let fields = [self.a.field(), self.b.field()];
        let parts = Parts::new(self.a(), pose_a, self.b(), pose_b);
        parts.contacts(fields, options, workspace, scratch, out);
        for point in &mut out.points {
            (point.witness.a.part, point.witness.b.part) =
                (self.a.triangle(point.witness.a.part), self.b.triangle(point.witness.b.part));
        }
    }

    /// The same for a mesh as the other body: one point for each of its triangles near a prism.
    pub fn mesh_contacts(
        &self,
        pose_a: &Pose,
        pose_b: &Pose,
        workspace: &mut ConvexWorkspace,
        scratch: &mut PartsScratch,
        out: &mut Contacts,
    ) {
        Parts::new(self.a(), pose_a, self.b(), pose_b).mesh_contacts(workspace, scratch, out);
        for point in &mut out.points {
            (point.witness.a.part, point.witness.b.part) =
                (self.a.triangle(point.witness.a.part), self.b.triangle(point.witness.b.part));
        }
    }

    /// The length, in the world, of the translation straight up; the room around boxes covers rounding.
    fn upright_length(&self) -> Option<f64> {
        self.left_out.rise.map(|rise| self.upright.length() * rise)
    }
}

/// Which prisms to build besides those that may be nearest.
#[derive(Clone, Copy)]
pub(crate) struct PrismSelection {
    /// Those that may be within this distance.
    pub margin: f64,
    /// Those that may obstruct the shortest separating translation.
    pub way_out: bool,
}

/// A box around the other body in the frame of the field; `None` if it is unbounded.
pub(crate) fn box_in_field(pose: &Pose, other: &Shape, pose_other: &Pose) -> Option<Aabb> {
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
    // Much more than rounding and the rigidity defect of the poses: it only selects candidates. A single point has no
    // size, and its own coordinates may be small, but the rotation and the translations applied to it were rounded.
    let coordinates = bounds.min.abs().max(bounds.max.abs()).length()
        + all.min.abs().max(all.max.abs()).length()
        + pose.translation().length()
        + pose_other.translation().length();
    let sizes = all.size().length() + pose.translation().distance(pose_other.translation());
    let room = (1e-5 * sizes).max(64.0 * UNIT_ROUNDOFF * coordinates) + f64::MIN_POSITIVE;
    Some(Aabb::new(all.min - room, all.max + room))
}

/// The outward normal of a half-space in the frame of the field.
fn normal_in_field(pose: &Pose, plane: &HalfSpace, pose_other: &Pose) -> DVec3 {
    pose.rotation().transpose() * (pose_other.inverse_rotation().transpose() * plane.normal().normalize())
}

/// The triangles of a field nearest to a half-space or deepest in it, and those within the margin; and by how much
/// others may be nearer.
fn facing(
    field: &HeightField,
    pose: &Pose,
    plane: &HalfSpace,
    pose_other: &Pose,
    margin: f64,
) -> (Vec<(u32, [DVec3; 3])>, f64) {
    let normal = normal_in_field(pose, plane, pose_other);
    // A height field that descends into the half-space for ever lies in it everywhere.
    let towards = DVec3::new(-normal.x, -normal.y, (-normal.z).max(0.0));
    let farthest = field.farthest_along(towards);
    let only = |triangle: u32| field.triangle(triangle).map(|corners| (triangle, corners)).into_iter().collect();
    if normal.z > 0.0 {
        return (only(farthest.triangle), 0.0);
    }
    // The direction is off by two products, the rounded inverse and a normalisation (4u).
    let off = 2.0 * MATRIX_VECTOR + pose_other.inverse_error() + 4.0 * UNIT_ROUNDOFF;
    let slack = (farthest.slack + 2.0 * off * field.surface_bounds().size().length()) * (1.0 + 1e-5);
    let mut found: Vec<(u32, [DVec3; 3])> = Vec::new();
    let within = if margin > 0.0 {
        let foot = plane.normal() * (plane.offset() / plane.normal().length_squared());
        let foot = pose.inverse_transform_point(pose_other.transform_point(foot));
        // Beyond this lie all points within the margin, and more: it only selects candidates.
        let room = 1e-5 * (margin + foot.length() + field.surface_bounds().size().length());
        farthest.value.min(towards.dot(foot) - margin - room)
    } else {
        farthest.value
    };
    let most = if margin > 0.0 { usize::MAX } else { HEIGHT_FIELD_TIES };
    let walk = field.for_each_triangle_beyond(towards, within - 2.0 * slack, |triangle, corners| {
        found.push((triangle, corners));
        if found.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if walk.is_continue() { (found, 0.0) } else { (only(farthest.triangle), 2.0 * slack) }
}

/// A height below which the whole height field lies in an upward-facing half-space, in the frame of the field; the
/// surface's own minimum for one that faces down or sideways, since going down does not get nearer to it.
pub(crate) fn reach_of_plane(surface: &Aabb, pose: &Pose, plane: &HalfSpace, pose_other: &Pose) -> f64 {
    let normal = normal_in_field(pose, plane, pose_other);
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

fn prisms(
    field: &HeightField,
    pose: &Pose,
    other: &Shape,
    pose_other: &Pose,
    wanted: PrismSelection,
    left_out: &mut LeftOut,
) -> (Shape, Vec<u32>) {
    let surface = field.surface_bounds();
    let near = box_in_field(pose, other, pose_other);
    let about = near.unwrap_or(surface);
    let lowest = match (near, other) {
        (None, Shape::HalfSpace(plane)) => reach_of_plane(&surface, pose, plane, pose_other),
        _ => about.min.z,
    };
    let bottom = bottom_below(field, lowest, 2.0 * about.size().length());
    if let Shape::HalfSpace(plane) = other {
        let (found, slack) = facing(field, pose, plane, pose_other, wanted.margin);
        left_out.slack = slack;
        return prisms_or_field(field, found, bottom);
    }
    let whole = near.is_none();
    // An upper bound of the distance: that to the prism of the triangle nearest the centre of the box.
    let within = match (whole, field.closest_point(about.center())) {
        (false, Ok(closest)) => {
            let nearest = field.triangle(closest.triangle).and_then(|corners| prism(corners, bottom));
            nearest.map_or(f64::INFINITY, |nearest| distance_once(&nearest, pose, other, pose_other).gap.upper)
        }
        _ => f64::INFINITY,
    };
    let within = within.max(wanted.margin);
    let mut found = if whole { all_of(field) } else { near_box(field, &about, within) };
    if wanted.way_out && near.is_some() {
        // Straight up past everything above or below the box separates: no useful translation is longer, and everything
        // it may hit is within that length.
        let over = |corners: &[DVec3; 3]| {
            let top = corners.iter().fold(Aabb::EMPTY, |all, &c| all.including(c));
            let apart = (about.min - top.max).max(top.min - about.max);
            if apart.x > 0.0 || apart.y > 0.0 { f64::NEG_INFINITY } else { top.max.z }
        };
        let highest = found.iter().map(|(_, corners)| over(corners)).fold(f64::NEG_INFINITY, f64::max);
        let rise = (highest - about.min.z).max(0.0);
        left_out.rise = Some(rise);
        if !whole && rise > within {
            found = near_box(field, &about, rise);
        }
    }
    prisms_or_field(field, found, bottom)
}

/// All triangles of a field.
fn all_of(field: &HeightField) -> Vec<(u32, [DVec3; 3])> {
    (0..field.triangle_count() as u32).filter_map(|k| Some((k, field.triangle(k)?))).collect()
}

/// The triangles of a field whose prisms may be within a distance of a box.
fn near_box(field: &HeightField, about: &Aabb, within: f64) -> Vec<(u32, [DVec3; 3])> {
    let size = field.surface_bounds().size().length() + about.size().length();
    let reach = (within * (1.0 + 1e-5)).min(size + within);
    if !reach.is_finite() {
        return all_of(field);
    }
    let mut found = Vec::new();
    let (min, max) = (about.min - reach, about.max + reach);
    let _ = field.for_each_triangle_in(min.truncate(), max.truncate(), min.z, |triangle, corners| {
        let top = corners.iter().fold(Aabb::EMPTY, |all, &c| all.including(c));
        // The prism extends down for ever.
        let gap = (about.min - top.max).max(top.min.with_z(f64::NEG_INFINITY) - about.max).max(DVec3::ZERO);
        if gap.length() <= reach {
            found.push((triangle, corners));
        }
        ControlFlow::Continue(())
    });
    found
}

/// The bottom of prisms against a body whose lowest point is `lowest`: `size` farther down, and never above the
/// surface.
fn bottom_below(field: &HeightField, lowest: f64, size: f64) -> f64 {
    let spacing = field.spacing();
    let bottom = lowest.min(field.surface_bounds().min.z) - 2.0 * size - (spacing.x + spacing.y);
    // Hull coordinates are limited; bodies that large overlap the height field long before.
    bottom.max(-MAX_COORDINATE)
}

/// The prism below a triangle, down to `bottom`.
fn prism(corners: [DVec3; 3], bottom: f64) -> Option<Shape> {
    let below = corners.map(|c| DVec3::new(c.x, c.y, bottom));
    let points: Vec<[f64; 3]> = corners.iter().chain(&below).map(|p| p.to_array()).collect();
    ConvexHull::flat(&points).ok().map(Shape::Hull)
}

/// The prisms below some triangles, and their indices in ascending order; the field itself if there are none, which
/// does not happen: the triangle nearest the other body is always included.
fn prisms_or_field(field: &HeightField, found: Vec<(u32, [DVec3; 3])>, bottom: f64) -> (Shape, Vec<u32>) {
    compound(found, bottom).unwrap_or_else(|| (Shape::HeightField(field.clone()), Vec::new()))
}

/// The prisms below some triangles, and their indices in ascending order; `None` for no triangles.
pub(crate) fn compound(mut found: Vec<(u32, [DVec3; 3])>, bottom: f64) -> Option<(Shape, Vec<u32>)> {
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

/// A height field with its pose.
type Posed<'p> = (&'p Shape, &'p HeightField, &'p Pose);

/// The prisms of two fields that may be nearest to each other; see the module documentation.
fn two_fields(a: Posed<'_>, b: Posed<'_>, wanted: PrismSelection) -> [(Shape, Vec<u32>); 2] {
    let bottom = |own: Posed<'_>, other: Posed<'_>| {
        let surface = own.1.surface_bounds();
        let near = box_in_field(own.2, other.0, other.2).unwrap_or(surface);
        bottom_below(own.1, near.min.z, surface.size().length() + near.size().length())
    };
    let bottoms = [bottom(a, b), bottom(b, a)];
    let swapped = order(a.0, a.2, b.0, b.2) == Ordering::Greater;
    let pair = if swapped { above_each_other(b, a).map(|[of_b, of_a]| [of_a, of_b]) } else { above_each_other(a, b) };
    let apart = pair.and_then(|[of_a, of_b]| {
        let [one, other] = [prism(of_a.1, bottoms[0])?, prism(of_b.1, bottoms[1])?];
        Some(convex::distance_once(&one, a.2, &other, b.2))
    });
    let (within, meets) = apart.map_or((f64::INFINITY, false), |apart| (apart.gap.upper, apart.gap.value == 0.0));
    let (within, most) = (within.max(wanted.margin), if meets { HEIGHT_FIELD_PRISMS + 1 } else { usize::MAX });
    let found = [
        near_field(a, bottoms[0], b, bottoms[1], within, most),
        near_field(b, bottoms[1], a, bottoms[0], within, most),
    ];
    let many = found.iter().any(|found| found.len() > HEIGHT_FIELD_PRISMS);
    let [of_a, of_b] = match pair {
        Some([of_a, of_b]) if meets && many => [vec![of_a], vec![of_b]],
        _ => found,
    };
    [prisms_or_field(a.1, of_a, bottoms[0]), prisms_or_field(b.1, of_b, bottoms[1])]
}

/// A triangle of each field, the second above or below the middle of the first if there is one.
fn above_each_other(a: Posed<'_>, b: Posed<'_>) -> Option<[(u32, [DVec3; 3]); 2]> {
    let near = box_in_field(a.2, b.0, b.2)?;
    let surface = a.1.surface_bounds();
    // The centre of the overlap of the boxes, or of the gap between them.
    let (min, max) = (near.min.max(surface.min), near.max.min(surface.max));
    let triangle_at = |field: &HeightField, at: DVec3| {
        let below = field.height_at(at.x, at.y).map(|sample| sample.triangle);
        let triangle = below.or_else(|| field.closest_point(at).ok().map(|closest| closest.triangle))?;
        Some((triangle, field.triangle(triangle)?))
    };
    let of_a = triangle_at(a.1, 0.5 * (min + max))?;
    let middle = (of_a.1[0] + of_a.1[1] + of_a.1[2]) / 3.0;
    let of_b = triangle_at(b.1, b.2.inverse_transform_point(a.2.transform_point(middle)))?;
    Some([of_a, of_b])
}

/// The triangles of a field whose prisms may be within a distance of those of another, at most `most`.
fn near_field(
    own: Posed<'_>,
    bottom: f64,
    other: Posed<'_>,
    bottom_other: f64,
    within: f64,
    most: usize,
) -> Vec<(u32, [DVec3; 3])> {
    let surface = other.1.surface_bounds();
    let to_own = |p: DVec3| own.2.inverse_transform_point(other.2.transform_point(p));
    let to_other = |p: DVec3| other.2.inverse_transform_point(own.2.transform_point(p));
    let all = (0..8u32).fold(Aabb::EMPTY, |all, k| {
        let pick = |bit: u32, low: f64, high: f64| if k & bit != 0 { high } else { low };
        all.including(to_own(DVec3::new(
            pick(1, surface.min.x, surface.max.x),
            pick(2, surface.min.y, surface.max.y),
            pick(4, bottom_other, surface.max.z),
        )))
    });
    // Much more than rounding and the rigidity defect of the poses: it only selects candidates.
    let own_size = own.1.surface_bounds().size().length() + bottom.abs();
    let apart = own.2.translation().distance(other.2.translation());
    let reach = within + 1e-5 * (all.size().length() + own_size + apart) + f64::MIN_POSITIVE;
    let reach = if reach.is_finite() { reach } else { f64::MAX };
    let mut found = Vec::new();
    let (min, max) = (all.min.truncate() - reach, all.max.truncate() + reach);
    let _ = own.1.for_each_triangle_in(min, max, all.min.z - reach, |triangle, corners| {
        let box_there = corners.iter().fold(Aabb::EMPTY, |all, &corner| {
            all.including(to_other(corner)).including(to_other(corner.with_z(bottom)))
        });
        let (min, max) = (box_there.min - reach, box_there.max + reach);
        let hit = other.1.for_each_triangle_in(min.truncate(), max.truncate(), min.z, |_, _| ControlFlow::Break(()));
        if hit.is_break() {
            found.push((triangle, corners));
        }
        if found.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}
