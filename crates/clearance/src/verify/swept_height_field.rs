//! Height fields and translating bodies: the prisms that a body may meet, or come within a margin of, along its path.
//!
//! While a body is over the height field, its swept box overlaps that of the prism below it, which extends down without
//! end. All prisms whose boxes do so are included, and all of a field of up to [`VERIFY_ALL_TRIANGLES`] triangles; the
//! others are farther from the body than the margin throughout the step. A prism ends below the lowest position along
//! the path.

use glam::DVec3;

use crate::answer::impact::Impact;
use crate::bound::Aabb;
use crate::math::tolerances::{MAX_COORDINATE, VERIFY_ALL_TRIANGLES, VERIFY_SWEPT_PIECES};
use crate::motion::Motion;
use crate::shape::{HeightField, Shape};
use crate::verify::height_field_pair::{FieldOrShape, Found, box_in_field, box_of, for_each_near, reach_of_plane};
use crate::verify::refusal::Refusal;

/// A moving pair with at least one height field, with compounds in place of height fields.
pub(crate) struct SweptHeightFieldPair<'s> {
    a: FieldOrShape<'s>,
    b: FieldOrShape<'s>,
}

impl<'s> SweptHeightFieldPair<'s> {
    /// The pair, if it contains a height field; refused if nothing of a field can be met.
    pub fn of(
        (a, motion_a): (&'s Shape, &Motion),
        (b, motion_b): (&'s Shape, &Motion),
        margin: f64,
    ) -> Option<Result<SweptHeightFieldPair<'s>, Refusal>> {
        let is_field = |shape: &Shape| matches!(shape, Shape::HeightField(_));
        if !is_field(a) && !is_field(b) {
            return None;
        }
        let side = |own: &'s Shape, motion: &Motion, other: &Shape, motion_other: &Motion| match own {
            Shape::HeightField(field) => {
                let (found, bottom) = near_way(field, motion, other, motion_other, margin);
                found.compound(bottom).map(|(shape, triangles)| FieldOrShape::Below(shape, triangles))
            }
            _ => Ok(FieldOrShape::Given(own)),
        };
        let made =
            || Ok(SweptHeightFieldPair { a: side(a, motion_a, b, motion_b)?, b: side(b, motion_b, a, motion_a)? });
        Some(made())
    }

    pub fn a(&self) -> &Shape {
        self.a.shape()
    }

    pub fn b(&self) -> &Shape {
        self.b.shape()
    }

    /// The answer with prisms in place of triangles.
    pub fn in_prisms(&self, answer: &Impact) -> Impact {
        Impact {
            witness: answer
                .witness
                .with_parts(self.a.prism(answer.witness.a.part), self.b.prism(answer.witness.b.part)),
            ..*answer
        }
    }
}

/// The triangles whose prisms the other body may meet along its path, and the bottom of the prisms.
fn near_way(field: &HeightField, motion: &Motion, other: &Shape, motion_other: &Motion, margin: f64) -> (Found, f64) {
    let (pose, pose_other) = (motion.start(), motion_other.start());
    let surface = field.surface_bounds();
    let step = motion_other.displacement() - motion.displacement();
    let way = pose.inverse_rotation() * step;
    let near = box_in_field(&pose, other, &pose_other);
    let spacing = field.spacing();
    let lowest = match (near, other) {
        (Some(near), _) => near.min.z + way.z.min(0.0),
        (None, Shape::HalfSpace(plane)) => {
            let end = pose_other.moved_to(pose_other.translation() + step);
            let reach = |at| reach_of_plane(field, &pose, plane, at);
            reach(&pose_other).min(reach(&end))
        }
        (None, _) => surface.min.z,
    };
    let size = near.unwrap_or(surface).size().length() + margin;
    let bottom = (lowest.min(surface.min.z) - size - (spacing.x + spacing.y)).max(-MAX_COORDINATE);
    // An unbounded body, another height field included, may meet any prism.
    let about = near.filter(|_| !matches!(other, Shape::HeightField(_)));
    let Some(about) = about.filter(|_| field.triangle_count() > VERIFY_ALL_TRIANGLES) else {
        return (Found::all(field), bottom);
    };
    // Much more than rounding and the rigidity defects of the poses.
    let room = (margin + 1e-5 * way.length()) * (1.0 + 1e-5) + f64::MIN_POSITIVE;
    let start = Aabb::new(about.min - room, about.max + room);
    // A long path is split into pieces, each about as long as the body: the box of a diagonal path covers far more of
    // the field than lies below it.
    let piece = start.size().truncate().max_element() + 8.0 * spacing.max_element();
    let pieces = (way.truncate().length() / piece).clamp(1.0, VERIFY_SWEPT_PIECES).floor();
    let mut found = Vec::new();
    for k in 0..pieces as u32 {
        let [p, q] = [k, k + 1].map(|k| way * (f64::from(k) / pieces));
        let (min, max) = (start.min + p.min(q), start.max + p.max(q));
        for_each_near(field, min.truncate(), max.truncate(), |triangle, corners| {
            if meets_on_its_way(&start, way, &box_of(&corners)) {
                found.push((triangle, corners));
            }
        });
    }
    (Found(found), bottom)
}

/// Whether a moving box comes to overlap the column that extends down from another.
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
