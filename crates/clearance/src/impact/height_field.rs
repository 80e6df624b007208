//! Height fields in moving pairs: the solid below the other body's path as prisms.
//!
//! As in [`compound::height_field`](crate::compound::height_field) the solid below a triangle is a prism, and prisms
//! become the parts of a compound; here those that the other body may meet on its path.

use std::ops::ControlFlow;

use glam::DVec3;

use crate::answer::impact::Impact;
use crate::bound::Aabb;
use crate::compound::height_field::{FieldOrShape, box_in_field, compound, reach_of_plane};
use crate::math::pose::Pose;
use crate::math::tolerances::{MAX_COORDINATE, SWEPT_PIECES};
use crate::motion::Motion;
use crate::shape::{HeightField, Shape};

/// A moving pair with at least one height field: the prisms that the other body may meet on its path.
pub(crate) struct Swept<'s> {
    a: Option<FieldOrShape<'s>>,
    b: Option<FieldOrShape<'s>>,
}

impl Swept<'_> {
    /// The first body; `None` if no part of it can be met.
    pub fn a(&self) -> Option<&Shape> {
        self.a.as_ref().map(FieldOrShape::shape)
    }

    /// The second body; `None` if no part of it can be met.
    pub fn b(&self) -> Option<&Shape> {
        self.b.as_ref().map(FieldOrShape::shape)
    }

    /// The answer in terms of triangles instead of prisms.
    pub fn impact(&self, answer: Impact) -> Impact {
        let triangle =
            |side: &Option<FieldOrShape<'_>>, part: u32| side.as_ref().map_or(part, |side| side.triangle(part));
        Impact {
            witness: answer
                .witness
                .with_parts(triangle(&self.a, answer.witness.a.part), triangle(&self.b, answer.witness.b.part)),
            ..answer
        }
    }
}

/// The moving pair, if it includes a height field: with the prisms that the other body comes within a margin of.
#[inline(always)]
pub(crate) fn swept<'s>(
    (a, motion_a): (&'s Shape, &Motion),
    (b, motion_b): (&'s Shape, &Motion),
    margin: f64,
) -> Option<Swept<'s>> {
    let is_field = |shape: &Shape| matches!(shape, Shape::HeightField(_));
    if !is_field(a) && !is_field(b) {
        return None;
    }
    let side = |own: &'s Shape, motion: &Motion, other: &'s Shape, motion_other: &Motion| match own {
        Shape::HeightField(field) => {
            let made = swept_prisms(field, motion, other, motion_other, margin);
            made.map(|(shape, triangles)| FieldOrShape::Below(shape, triangles, field))
        }
        _ => Some(FieldOrShape::Given(own)),
    };
    Some(Swept { a: side(a, motion_a, b, motion_b), b: side(b, motion_b, a, motion_a) })
}

/// The prisms that a body may meet, or come within a margin of, in a step; `None` if there are none. Prisms extend down
/// for ever; each is cut off below the lowest place of the body's path above it.
fn swept_prisms(
    field: &HeightField,
    motion: &Motion,
    other: &Shape,
    motion_other: &Motion,
    margin: f64,
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
    let Some(about) = about else {
        let _ =
            field.for_each_triangle_in(surface.min.truncate(), surface.max.truncate(), f64::NEG_INFINITY, |k, c| {
                found.push((k, c));
                ControlFlow::Continue(())
            });
        return compound(found, bottom);
    };
    // Much more than rounding and the rigidity defect of the poses: it only selects candidates.
    let room = (margin + 1e-5 * way.length()) * (1.0 + 1e-5) + f64::MIN_POSITIVE;
    let start = Aabb::new(about.min - room, about.max + room);
    // A long path is split into pieces about as long as the body, or as the grid of the height pyramid: the bounding
    // box of an oblique path covers far more of the field than lies below the path.
    let piece = start.size().truncate().max_element() + 8.0 * spacing.max_element();
    let pieces = (way.truncate().length() / piece).clamp(1.0, SWEPT_PIECES).floor();
    for k in 0..pieces as u32 {
        let [p, q] = [k, k + 1].map(|k| way * (f64::from(k) / pieces));
        let (min, max) = (start.min + p.min(q), start.max + p.max(q));
        let _ = field.for_each_triangle_in(min.truncate(), max.truncate(), min.z, |triangle, corners| {
            let top = corners.iter().fold(Aabb::EMPTY, |all, &c| all.including(c));
            if meets_column(&start, way, &top) {
                found.push((triangle, corners));
            }
            ControlFlow::Continue(())
        });
    }
    compound(found, bottom)
}

/// Whether a moving box comes to overlap the column below the top of another box.
fn meets_column(moving: &Aabb, way: DVec3, top: &Aabb) -> bool {
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
