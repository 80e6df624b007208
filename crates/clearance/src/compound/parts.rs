//! Compounds: every query as queries about pairs of parts.
//!
//! Best-first descent of two box trees (as in Hjaltason and Samet 1999): pairs of boxes wait in a heap, nearest first,
//! and a pair of parts is queried when it is popped. The descent ends when the next pair of boxes is farther apart than
//! the current best, so for 1,000 parts against 1,000 parts some hundred pairs are tested.
//!
//! Frames. All work is done at the scale of the pair, in the frame of A centred on A's middle: the map from B's frame,
//! centred on B's middle, is formed once with compensated translations ([`Placement`]), and the poses of B's parts are
//! composed with it. How far that moves a point of a part from its ideal place `R (R_part v + t_part) + t` is bounded
//! and added to the bracket of the two parts, which takes the composed poses as exact:
//! - the matrix: the error of the map's, and [`MATRIX_PRODUCT`] unless one factor is the identity;
//! - the translation `d` of the part relative to the middle: `u |d|` for the difference, [`MATRIX_VECTOR`] and the
//!   error of the matrix for rotating it, `u` of the sum, and the error of the map's translation.
//!
//! If the poses of both bodies are bit-equal, none of this is rounded.

use std::borrow::Cow;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec3;

use super::scratch::Waiting;
use crate::bound::Aabb;
use crate::convex::core::Body;
use crate::math::cancel::Turns;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{
    COMPOSED_POSES, MATRIX_PRODUCT, MATRIX_VECTOR, PARTS_UNRESOLVED, ROUND_UP, UNIT_ROUNDOFF,
};
use crate::shape::{Below, Compound, Feature, Mesh, PairKind, Shape, is_frame_b, order};

/// One of the two bodies.
#[derive(Clone, Copy)]
pub(crate) enum PartsOf<'s> {
    Whole(&'s Shape),
    Compound(&'s Compound),
    /// The parts are the triangles, by slot.
    Mesh(&'s Mesh),
}

impl<'s> PartsOf<'s> {
    pub fn of(shape: &'s Shape) -> PartsOf<'s> {
        match shape {
            Shape::Compound(compound) => PartsOf::Compound(compound),
            Shape::Mesh(mesh) => PartsOf::Mesh(mesh),
            whole => PartsOf::Whole(whole),
        }
    }

    /// The box of a node of the tree in the body's own frame, and what is below it.
    pub fn node(&self, node: u32) -> (Aabb, Below) {
        match self {
            PartsOf::Whole(shape) => (shape.bounds(), Below::Part(0)),
            PartsOf::Compound(compound) => {
                let node = compound.node(node);
                (node.bounds, node.below)
            }
            PartsOf::Mesh(mesh) => mesh.surface().step(node),
        }
    }

    /// A part with its pose in the body's own frame.
    pub fn part(&self, part: u32) -> (Pose, Cow<'s, Shape>) {
        match self {
            PartsOf::Whole(shape) => (Pose::IDENTITY, Cow::Borrowed(shape)),
            PartsOf::Compound(compound) => {
                let (pose, shape) = &compound.parts()[part as usize];
                (*pose, Cow::Borrowed(shape))
            }
            PartsOf::Mesh(mesh) => (Pose::IDENTITY, Cow::Owned(Shape::Triangle(mesh.surface().triangle(part)))),
        }
    }

    /// A point of each part of a bounded body that is not a mesh, in the body's own frame.
    pub fn points(self) -> impl Iterator<Item = DVec3> {
        let (whole, parts) = match self {
            PartsOf::Whole(shape) => (point_of(shape), [].iter()),
            PartsOf::Compound(compound) => (None, compound.parts().iter()),
            PartsOf::Mesh(_) => (None, [].iter()),
        };
        whole.into_iter().chain(parts.filter_map(|(pose, shape)| point_of(shape).map(|p| pose.transform_point(p))))
    }

    /// A part and one of its features, in the caller's terms.
    pub fn named(&self, part: u32, feature: Feature) -> (u32, Feature) {
        match self {
            PartsOf::Mesh(mesh) => mesh.surface().named(part, feature),
            _ => (part, feature),
        }
    }

    /// A bound on the diameter, zero for a half-space.
    fn diameter(&self) -> f64 {
        match self {
            PartsOf::Whole(Shape::HalfSpace(_)) => 0.0,
            PartsOf::Whole(shape) => shape.diameter(),
            PartsOf::Compound(compound) => compound.bounds().size().length() * ROUND_UP,
            PartsOf::Mesh(mesh) => mesh.surface().diameter,
        }
    }

    /// The largest rigidity defect of the poses of parts in the body.
    fn largest_defect(&self) -> f64 {
        match self {
            PartsOf::Compound(compound) => compound.parts().iter().map(|(pose, _)| pose.defect()).fold(0.0, f64::max),
            PartsOf::Whole(_) | PartsOf::Mesh(_) => 0.0,
        }
    }

    fn middle(&self) -> DVec3 {
        match self {
            PartsOf::Whole(_) => DVec3::ZERO,
            PartsOf::Compound(compound) => compound.bounds().center(),
            PartsOf::Mesh(mesh) => mesh.surface().origin,
        }
    }
}

/// Two parts in the frame of A.
pub(crate) struct TwoParts<'s> {
    pub a: Cow<'s, Shape>,
    pub pose_a: Pose,
    pub b: Cow<'s, Shape>,
    pub pose_b: Pose,
    /// How far points may lie from their ideal places, in the frame of A.
    pub off: f64,
    /// The share of a gap that double-double arithmetic cannot resolve, see [`PARTS_UNRESOLVED`].
    unresolved: f64,
    radii: f64,
}

/// Two bodies, at least one of them made of parts; A is the later one in the total order of bodies.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'s> {
    pub a: PartsOf<'s>,
    pub b: PartsOf<'s>,
    pub pose_a: &'s Pose,
    pub pose_b: &'s Pose,
    /// The caller's A is our B.
    pub swapped: bool,
    pub map: Placement,
    pub middle_a: DVec3,
    pub middle_b: DVec3,
    /// The translation applied to B, in the frame of A.
    pub moved: DVec3,
    pub defect: f64,
    /// `L` of the contract.
    pub scale: f64,
}

impl<'s> Parts<'s> {
    /// Two bodies, at least one of them a compound or a mesh, in any order.
    #[cold]
    pub fn new(a: &'s Shape, pose_a: &'s Pose, b: &'s Shape, pose_b: &'s Pose) -> Parts<'s> {
        let swapped = is_frame_b(PairKind::Parts, order(a, pose_a, b, pose_b));
        let (a, pose_a, b, pose_b) = if swapped { (b, pose_b, a, pose_a) } else { (a, pose_a, b, pose_b) };
        let (a, b) = (PartsOf::of(a), PartsOf::of(b));
        let middles = if pose_a == pose_b { (DVec3::ZERO, DVec3::ZERO) } else { (a.middle(), b.middle()) };
        let map = Placement::new(pose_a, middles.0, pose_b, middles.1);
        let apart = if pose_a == pose_b { b.middle().distance(a.middle()) } else { map.separation };
        Parts {
            a,
            b,
            pose_a,
            pose_b,
            swapped,
            map,
            middle_a: middles.0,
            middle_b: middles.1,
            moved: DVec3::ZERO,
            defect: pose_a.defect().max(pose_b.defect()),
            scale: a.diameter() + b.diameter() + apart,
        }
    }

    /// Two parts, in the frame of A centred on A's middle.
    pub fn pair(&self, part_a: u32, part_b: u32) -> TwoParts<'s> {
        let ((own_a, a), (own_b, b)) = (self.a.part(part_a), self.b.part(part_b));
        let (body_a, body_b) = (Body::of(&a), Body::of(&b));
        let u = UNIT_ROUNDOFF;
        let from_middle_a = own_a.translation() - self.middle_a;
        let off_a = if self.middle_a == DVec3::ZERO { 0.0 } else { u * from_middle_a.length() };
        let pose_a = Pose::composed(own_a.rotation(), from_middle_a);

        let d = own_b.translation() - self.middle_b;
        let length = d.length() * ROUND_UP;
        let mut off = if self.middle_b == DVec3::ZERO { 0.0 } else { u * length };
        let (turned, rotation) = if self.map.unturned {
            (d, own_b.rotation())
        } else {
            off += MATRIX_VECTOR * length;
            (
                self.map.turn(d),
                if own_b.is_unrotated() { self.map.rotation } else { self.map.rotation * own_b.rotation() },
            )
        };
        let mut rotation_error = self.map.rotation_error;
        if !self.map.unturned && !own_b.is_unrotated() {
            rotation_error += MATRIX_PRODUCT;
        }
        let mut sum = turned;
        for step in [self.map.translation, self.moved] {
            if step != DVec3::ZERO {
                off += if sum == DVec3::ZERO { 0.0 } else { u * (sum.length() + step.length()) };
                sum += step;
            }
        }
        // A half-space has points as far out as the other body does.
        let unbounded = matches!(*b, Shape::HalfSpace(_));
        let extent = body_b.extent
            + body_b.origin.length()
            + if unbounded { self.scale + self.moved.length() + body_a.extent } else { 0.0 };
        off += self.map.rotation_error * length + rotation_error * extent + self.map.translation_error + off_a;
        let radii = body_a.radius + body_b.radius;
        let pose_b = Pose::composed(rotation, sum);
        let coordinates = (own_a.translation().length() + body_a.extent + body_a.origin.length())
            + (own_b.translation().length() + extent)
            + (self.middle_a.length() + self.middle_b.length() + self.map.separation);
        let unresolved = PARTS_UNRESOLVED * coordinates;
        TwoParts { a, pose_a, b, pose_b, off: off * (COMPOSED_POSES * ROUND_UP), unresolved, radii }
    }

    /// The vector from the centre of a box of A to that of a box of B, both in the frame of A, the sum of their
    /// half-extents along each axis there, and the error of all this.
    pub fn boxes(&self, a: &Aabb, b: &Aabb) -> (DVec3, DVec3, f64) {
        let half_a = 0.5 * a.size();
        let half_b = 0.5 * b.size();
        let at_a = a.center() - self.middle_a;
        let own_b = b.center() - self.middle_b;
        let at_b = self.map.turn(own_b) + self.map.translation + self.moved;
        let m = &self.map.rotation;
        let reach = m.x_axis.abs() * half_b.x + m.y_axis.abs() * half_b.y + m.z_axis.abs() * half_b.z;
        // Sizes of all inputs. Centres and half-extents are off by `u` of the coordinates, rotation by 5.2u, sums and
        // differences by `u` each, the length by 3u: less than 16u. Spheres do not stretch with the frame.
        let coordinates = |bounds: &Aabb| bounds.min.abs().max(bounds.max.abs()).element_sum();
        let size = 2.0 * (coordinates(a) + coordinates(b))
            + self.middle_a.abs().element_sum()
            + self.middle_b.abs().element_sum()
            + self.map.translation.abs().element_sum()
            + self.moved.abs().element_sum();
        let slack = (16.0 * UNIT_ROUNDOFF + 4.0 * self.defect + 2.0 * self.map.rotation_error) * size
            + self.map.translation_error * COMPOSED_POSES;
        (at_b - at_a, half_a + reach, slack)
    }

    /// A lower bound on the gap of two boxes in the world, never negative.
    pub fn box_bound(&self, a: &Aabb, b: &Aabb) -> f64 {
        let (between, halves, slack) = self.boxes(a, b);
        let gap = (between.abs() - halves).max(DVec3::ZERO).length();
        // Also for unbounded boxes.
        if gap > slack { (gap - slack) * (1.0 - 4.0 * UNIT_ROUNDOFF) } else { 0.0 }
    }

    /// Visits pairs of parts, nearest boxes first, until `visit` breaks or the next boxes are farther apart than the
    /// limit, which `visit` may lower. Returns the bound of all pairs not visited.
    pub fn descend(
        &self,
        heap: &mut BinaryHeap<Waiting>,
        limit: f64,
        mut visit: impl FnMut(u32, u32, &mut f64) -> ControlFlow<()>,
    ) -> f64 {
        self.descend_by_bounds(heap, limit, |a, b, _, limit| visit(a, b, limit))
    }

    /// The same, where `visit` also gets a lower bound on the distance of the two parts' boxes, in the world.
    pub fn descend_by_bounds(
        &self,
        heap: &mut BinaryHeap<Waiting>,
        mut limit: f64,
        mut visit: impl FnMut(u32, u32, f64, &mut f64) -> ControlFlow<()>,
    ) -> f64 {
        heap.clear();
        let bound = |a: u32, b: u32| self.box_bound(&self.a.node(a).0, &self.b.node(b).0);
        heap.push(Waiting { bound: bound(0, 0), a: 0, b: 0 });
        // The nearest of the pairs pruned right away.
        let mut skipped = f64::INFINITY;
        let mut turns = Turns::default();
        while let Some(next) = heap.pop() {
            turns.turn();
            if next.bound > limit {
                return next.bound.min(skipped);
            }
            let ((box_a, below_a), (box_b, below_b)) = (self.a.node(next.a), self.b.node(next.b));
            let larger_a = box_a.size().length_squared() >= box_b.size().length_squared();
            match (below_a, below_b) {
                (Below::Part(a), Below::Part(b)) => {
                    if visit(a, b, next.bound, &mut limit).is_break() {
                        return next.bound.min(skipped);
                    }
                }
                (below, other) => {
                    let open_a = !matches!(below, Below::Part(_)) && (larger_a || matches!(other, Below::Part(_)));
                    for node in (if open_a { below } else { other }).nodes() {
                        let (a, b) = if open_a { (node, next.b) } else { (next.a, node) };
                        let bound = bound(a, b).max(next.bound);
                        if bound <= limit {
                            heap.push(Waiting { bound, a, b });
                        } else {
                            skipped = skipped.min(bound);
                        }
                    }
                }
            }
        }
        skipped
    }

    /// How much a bracket of two parts must be widened to contain the true value in the world: by the composition of
    /// poses, and by the stretch of A's frame, which takes a gap `g` of the cores to `g (1 ± stretch)` but leaves radii
    /// alone.
    pub fn widening(&self, pair: &TwoParts<'_>, gap: f64) -> f64 {
        let off = pair.off * (1.0 + self.map.stretch);
        let stretched = self.map.stretch * (gap.abs() + pair.radii + pair.off);
        // The sums here, and adding this to the bracket's end.
        let rounded = 2.0 * UNIT_ROUNDOFF * if off + stretched > 0.0 { gap.abs() } else { 0.0 };
        (off + stretched) * ROUND_UP + rounded + pair.unresolved
    }

    /// Whether a bracket is as narrow as the contract asks: within `accuracy` times `L`, plus the defects of all poses,
    /// including those of parts in their bodies, since a part may be stretched by both.
    pub fn is_within(&self, accuracy: f64, width: f64) -> bool {
        let defects = || {
            let of = |side: &PartsOf<'_>, pose: &Pose| pose.defect() + side.largest_defect();
            of(&self.a, self.pose_a).max(of(&self.b, self.pose_b))
        };
        // Few brackets are so wide that all parts must be examined.
        width <= (accuracy + self.defect) * self.scale || width <= (accuracy + defects()) * self.scale
    }

    /// Points of two parts in their bodies' own frames.
    pub fn own_points(&self, part_a: u32, part_b: u32, a: DVec3, b: DVec3) -> (DVec3, DVec3) {
        (self.a.part(part_a).0.transform_point(a), self.b.part(part_b).0.transform_point(b))
    }

    /// A plane normal in the frame of A, turned into the world.
    pub fn world_normal(&self, normal: DVec3) -> DVec3 {
        (self.pose_a.inverse_rotation().transpose() * normal).normalize()
    }
}

/// A point of a bounded body that is not made of parts, in its own frame.
fn point_of(shape: &Shape) -> Option<DVec3> {
    match shape {
        Shape::Hull(hull) => hull.vertices().next(),
        Shape::Segment(segment) => Some(segment.points()[0]),
        Shape::Triangle(triangle) => Some(triangle.points()[0]),
        Shape::Tetrahedron(tetrahedron) => Some(tetrahedron.points()[0]),
        Shape::Custom(custom) => Some(custom.support(DVec3::X)),
        Shape::Rounded(rounded) => point_of(rounded.core()),
        Shape::HalfSpace(_) | Shape::HeightField(_) | Shape::Compound(_) | Shape::Mesh(_) => None,
        // Spheres, boxes, capsules, cylinders, cones and ellipsoids contain their own origin.
        _ => Some(DVec3::ZERO),
    }
}
