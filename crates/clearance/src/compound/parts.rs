//! Bodies made of parts: every question as questions about two parts.
//!
//! Best-first descent of two trees of boxes (as in Hjaltason and Samet 1999): pairs of boxes wait in a heap, nearest first,
//! and a pair of parts is asked about when it is its turn. The descent ends when the next pair of boxes is farther apart
//! than what is known already, so of 1,000 parts against 1,000 parts some hundred pairs are looked at.
//!
//! Frames. All work is done at the scale of the pair, in the frame of A moved to the middle of A: the map from B's frame,
//! moved to the middle of B, is formed once with compensated translations ([`Placement`]), and poses of B's parts are
//! composed with it. How far that takes a point of a part from its ideal place `R (R_part v + t_part) + t` is bounded and
//! added to the bracket of the two parts, which takes the composed poses for the truth:
//! - the matrix: the error of the map's, and [`MATRIX_PRODUCT`] unless one factor is the identity;
//! - the translation `d` of the part relative to the middle: `u |d|` for the difference, [`MATRIX_VECTOR`] and the error of
//!   the matrix for turning it, `u` of the sum, and the error of the map's translation.
//!
//! Where the poses of both bodies are bit-equal nothing of this is rounded.
//!
//! Depth. A translation that separates the wholes separates each two parts, so the depth is at least the largest depth of
//! two parts. Upper bounds are translations that are seen to separate everything: along the normals of the deepest pairs and
//! along the axes of A, lengthened until all pairs of parts near each other are proved apart.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec3;

use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::intersects::IntersectsOptions;
use crate::answer::method::{Method, Stopped};
use crate::answer::penetration::{Penetration, PenetrationOptions};
use crate::answer::relation::{Evidence, RelationOptions, RelationProof};
use crate::bound::Aabb;
use crate::compound::contacts::ContactsScratch;
use crate::convex::core::Body;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::distance::distance_with;
use crate::convex::pair::intersects::intersects_with;
use crate::convex::pair::penetration::penetration_with;
use crate::convex::pair::placed;
use crate::convex::pair::relation::relation_with;
use crate::error::Error;
use crate::math::cancel::Turns;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{
    ACCURACY, CONTACT_POINT, DEPTH_ACCURACY, MATRIX_PRODUCT, MATRIX_VECTOR, MAX_RIGIDITY_DEFECT, ROUND_UP,
    UNIT_ROUNDOFF,
};
use crate::mesh::inside::winding;
use crate::pair::workspace::Workspace;
use crate::shape::Feature;
use crate::shape::{Below, Compound, Mesh, Shape};

/// Surcharge on error bounds of composed poses, whose defects add up to at most four times the limit of one: norms counted
/// as 1 are at most this, in products of up to three.
const COMPOSED: f64 = 1.0 + 16.0 * MAX_RIGIDITY_DEFECT;

/// What a bracket leaves open at least, relative to all coordinates of two parts and of their poses. Parts far from the
/// origins of their frames, in bodies whose poses are bit-equal, may have a gap that is known more finely than their
/// places can be computed with twice the digits: two single points may be equal. Whoever checks is off by 2e-30 of the
/// larger ones.
const UNSEEN: f64 = 3e-30;

/// How far beyond touch a way out of parts is taken, relative to `L`: a tenth of [`DEPTH_ACCURACY`], so the bracket stays
/// within it, and far above rounding, so that planes between all parts can be found by whoever checks.
const CLEARED: f64 = 0.1 * DEPTH_ACCURACY;

/// How often a way out is lengthened before it is given up: two parts in the way of one take two steps, a third a third.
const STEPS: usize = 16;

/// How many of the deepest pairs propose a way out.
const PROPOSALS: usize = 4;

/// How many overlapping pairs are asked for their depth; more would not make the bounds wrong, only wider.
const OVERLAPS: usize = 4096;

/// Memory of the descent.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartsScratch {
    pub(crate) heap: BinaryHeap<Waiting>,
    deep: Vec<Deep>,
    pub(crate) contacts: ContactsScratch,
}

/// Two boxes no nearer to each other than `bound`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waiting {
    pub bound: f64,
    pub a: u32,
    pub b: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    /// The nearest is the greatest; then the one with the lowest numbers.
    fn cmp(&self, other: &Waiting) -> Ordering {
        other.bound.total_cmp(&self.bound).then_with(|| (other.a, other.b).cmp(&(self.a, self.b)))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Two parts in each other.
#[derive(Clone, Copy, Debug)]
struct Deep {
    a: u32,
    b: u32,
    upper: f64,
    /// In the frame of A.
    normal: DVec3,
}

/// One of the two bodies.
#[derive(Clone, Copy)]
pub(crate) enum Side<'s> {
    Whole(&'s Shape),
    Compound(&'s Compound),
    /// Parts are the triangles, by slot.
    Mesh(&'s Mesh),
}

impl<'s> Side<'s> {
    pub fn of(shape: &'s Shape) -> Side<'s> {
        match shape {
            Shape::Compound(compound) => Side::Compound(compound),
            Shape::Mesh(mesh) => Side::Mesh(mesh),
            whole => Side::Whole(whole),
        }
    }

    /// The box of a node of the tree in the body's own frame, and what is below it.
    pub fn node(&self, node: u32) -> (Aabb, Below) {
        match self {
            Side::Whole(shape) => (shape.bounds(), Below::Part(0)),
            Side::Compound(compound) => {
                let node = compound.node(node);
                (node.bounds, node.below)
            }
            Side::Mesh(mesh) => mesh.surface().step(node),
        }
    }

    /// A part with its pose in the body's own frame.
    pub fn part(&self, part: u32) -> (Pose, Cow<'s, Shape>) {
        match self {
            Side::Whole(shape) => (Pose::IDENTITY, Cow::Borrowed(shape)),
            Side::Compound(compound) => {
                let (pose, shape) = &compound.parts()[part as usize];
                (*pose, Cow::Borrowed(shape))
            }
            Side::Mesh(mesh) => (Pose::IDENTITY, Cow::Owned(Shape::Triangle(mesh.surface().triangle(part)))),
        }
    }

    /// A point of each part of a bounded body that is not a mesh, in the body's own frame.
    fn points(self) -> impl Iterator<Item = DVec3> {
        let (whole, parts) = match self {
            Side::Whole(shape) => (point_of(shape), [].iter()),
            Side::Compound(compound) => (None, compound.parts().iter()),
            Side::Mesh(_) => (None, [].iter()),
        };
        whole.into_iter().chain(parts.filter_map(|(pose, shape)| point_of(shape).map(|p| pose.transform_point(p))))
    }

    /// A part and a feature of it, in the caller's terms.
    pub fn named(&self, part: u32, feature: Feature) -> (u32, Feature) {
        match self {
            Side::Mesh(mesh) => mesh.surface().named(part, feature),
            _ => (part, feature),
        }
    }

    /// A bound on the diameter, zero for a half-space.
    fn diameter(&self) -> f64 {
        match self {
            Side::Whole(Shape::HalfSpace(_)) => 0.0,
            Side::Whole(shape) => shape.diameter(),
            Side::Compound(compound) => compound.bounds().size().length() * ROUND_UP,
            Side::Mesh(mesh) => mesh.surface().diameter,
        }
    }

    /// The largest rigidity defect of the poses of parts in the body.
    fn largest_defect(&self) -> f64 {
        match self {
            Side::Compound(compound) => compound.parts().iter().map(|(pose, _)| pose.defect()).fold(0.0, f64::max),
            Side::Whole(_) | Side::Mesh(_) => 0.0,
        }
    }

    fn middle(&self) -> DVec3 {
        match self {
            Side::Whole(_) => DVec3::ZERO,
            Side::Compound(compound) => compound.bounds().center(),
            Side::Mesh(mesh) => mesh.surface().origin,
        }
    }
}

/// Two parts in the frame of A.
pub(crate) struct TwoParts<'s> {
    pub a: Cow<'s, Shape>,
    pub pose_a: Pose,
    pub b: Cow<'s, Shape>,
    pub pose_b: Pose,
    /// How far points may lie from their ideal places in the frame of A.
    pub off: f64,
    /// What of a gap nobody can prove in double-double arithmetic, see [`UNSEEN`].
    unseen: f64,
    radii: f64,
}

/// Two bodies of which one at least is made of parts; A is the later one in the total order of bodies.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'s> {
    pub a: Side<'s>,
    pub b: Side<'s>,
    pub pose_a: &'s Pose,
    pub pose_b: &'s Pose,
    /// The caller's A is our B.
    pub swapped: bool,
    pub map: Placement,
    pub middle_a: DVec3,
    pub middle_b: DVec3,
    /// Where B is moved to, in the frame of A.
    moved: DVec3,
    pub defect: f64,
    /// `L` of the contract.
    pub scale: f64,
}

impl<'s> Parts<'s> {
    /// `None` for two bodies that are not made of parts.
    #[inline]
    pub fn of(a: &'s Shape, pose_a: &'s Pose, b: &'s Shape, pose_b: &'s Pose) -> Option<Parts<'s>> {
        let made_of_parts = |shape: &Shape| matches!(shape, Shape::Compound(_) | Shape::Mesh(_));
        if made_of_parts(a) || made_of_parts(b) { Some(Parts::new(a, pose_a, b, pose_b)) } else { None }
    }

    #[cold]
    fn new(a: &'s Shape, pose_a: &'s Pose, b: &'s Shape, pose_b: &'s Pose) -> Parts<'s> {
        let swapped = placed::order(a, pose_a, b, pose_b) == Ordering::Less;
        let (a, pose_a, b, pose_b) = if swapped { (b, pose_b, a, pose_a) } else { (a, pose_a, b, pose_b) };
        let (a, b) = (Side::of(a), Side::of(b));
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

    /// Two parts, in the frame of A moved to its middle.
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
        // A half-space has points as far out as the other body is.
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
        let unseen = UNSEEN * coordinates;
        TwoParts { a, pose_a, b, pose_b, off: off * (COMPOSED * ROUND_UP), unseen, radii }
    }

    /// From the middle of a box of A to that of one of B, both in the frame of A, how far both reach together along each axis
    /// there, and how far off all of this is.
    pub fn boxes(&self, a: &Aabb, b: &Aabb) -> (DVec3, DVec3, f64) {
        let half_a = 0.5 * a.size();
        let half_b = 0.5 * b.size();
        let at_a = a.center() - self.middle_a;
        let own_b = b.center() - self.middle_b;
        let at_b = self.map.turn(own_b) + self.map.translation + self.moved;
        let m = &self.map.rotation;
        let reach = m.x_axis.abs() * half_b.x + m.y_axis.abs() * half_b.y + m.z_axis.abs() * half_b.z;
        // Sizes of all that went in. Middles and halves are off by `u` of the coordinates, turning by 5.2u, sums and
        // differences by `u` each, the length by 3u: less than 16u. Balls do not stretch with the frame.
        let coordinates = |bounds: &Aabb| bounds.min.abs().max(bounds.max.abs()).element_sum();
        let size = 2.0 * (coordinates(a) + coordinates(b))
            + self.middle_a.abs().element_sum()
            + self.middle_b.abs().element_sum()
            + self.map.translation.abs().element_sum()
            + self.moved.abs().element_sum();
        let slack = (16.0 * UNIT_ROUNDOFF + 4.0 * self.defect + 2.0 * self.map.rotation_error) * size
            + self.map.translation_error * COMPOSED;
        (at_b - at_a, half_a + reach, slack)
    }

    /// A bound on the gap of two boxes in the world, not below zero.
    fn box_bound(&self, a: &Aabb, b: &Aabb) -> f64 {
        let (between, halves, slack) = self.boxes(a, b);
        let gap = (between.abs() - halves).max(DVec3::ZERO).length();
        // Also for boxes without end.
        if gap > slack { (gap - slack) * (1.0 - 4.0 * UNIT_ROUNDOFF) } else { 0.0 }
    }

    /// Visits pairs of parts, the nearest boxes first, until `visit` breaks or the next boxes are farther apart than the
    /// limit, which `visit` may lower. The bound of all that was not visited.
    pub fn descend(
        &self,
        heap: &mut BinaryHeap<Waiting>,
        limit: f64,
        mut visit: impl FnMut(u32, u32, &mut f64) -> ControlFlow<()>,
    ) -> f64 {
        self.descend_by_bounds(heap, limit, |a, b, _, limit| visit(a, b, limit))
    }

    /// The same, where a visit is also told how far apart the boxes about the two parts are at least, in the world.
    fn descend_by_bounds(
        &self,
        heap: &mut BinaryHeap<Waiting>,
        mut limit: f64,
        mut visit: impl FnMut(u32, u32, f64, &mut f64) -> ControlFlow<()>,
    ) -> f64 {
        heap.clear();
        let bound = |a: u32, b: u32| self.box_bound(&self.a.node(a).0, &self.b.node(b).0);
        heap.push(Waiting { bound: bound(0, 0), a: 0, b: 0 });
        // The nearest of what was left out at once.
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

    /// How far a bracket of two parts must be widened to hold the truth in the world: by the composition of poses, and by
    /// the stretch of A's frame, which takes a gap `g` of the cores to `g (1 ± stretch)` but no radius.
    pub fn widening(&self, pair: &TwoParts<'_>, gap: f64) -> f64 {
        let off = pair.off * (1.0 + self.map.stretch);
        let stretched = self.map.stretch * (gap.abs() + pair.radii + pair.off);
        // The sums here, and that of the bracket's end with this.
        let rounded = 2.0 * UNIT_ROUNDOFF * if off + stretched > 0.0 { gap.abs() } else { 0.0 };
        (off + stretched) * ROUND_UP + rounded + pair.unseen
    }

    /// Whether a bracket is as narrow as the contract asks: within an accuracy of `L`, and the defects of all poses,
    /// those of parts in their bodies included, since a part may be stretched by both.
    fn is_within(&self, accuracy: f64, width: f64) -> bool {
        let defects = || {
            let of = |side: &Side<'_>, pose: &Pose| pose.defect() + side.largest_defect();
            of(&self.a, self.pose_a).max(of(&self.b, self.pose_b))
        };
        // Few brackets are so wide that all parts must be asked.
        width <= (accuracy + self.defect) * self.scale || width <= (accuracy + defects()) * self.scale
    }

    /// Points of two parts in the own frames of the bodies.
    pub fn own_points(&self, part_a: u32, part_b: u32, a: DVec3, b: DVec3) -> (DVec3, DVec3) {
        (self.a.part(part_a).0.transform_point(a), self.b.part(part_b).0.transform_point(b))
    }

    /// A normal of planes in the frame of A, in the world.
    pub fn world_normal(&self, normal: DVec3) -> DVec3 {
        (self.pose_a.inverse_rotation().transpose() * normal).normalize()
    }

    /// See [`distance`](crate::distance()).
    pub fn distance(&self, options: &DistanceOptions, workspace: &mut Workspace) -> Distance {
        let mut scratch = std::mem::take(&mut workspace.parts);
        let answer = self.nearest(options, &mut scratch.heap, workspace);
        workspace.parts = scratch;
        let answer = self.in_callers_terms(answer);
        if answer.value > 0.0
            && let Some(point) = self.contained()
        {
            return self.holding(answer, point);
        }
        answer
    }

    /// The answer with the caller's order of bodies and numbers of triangles.
    pub fn in_callers_terms(&self, answer: Distance) -> Distance {
        let (part_a, feature_a) = self.a.named(answer.part_a, answer.feature_a);
        let (part_b, feature_b) = self.b.named(answer.part_b, answer.feature_b);
        let answer = Distance { part_a, feature_a, part_b, feature_b, ..answer };
        if self.swapped { answer.mirrored() } else { answer }
    }

    /// For bodies whose surfaces do not meet: a point of the one, in the frame of A moved to its middle, that lies in the solid
    /// mesh which the other is.
    fn contained(&self) -> Option<DVec3> {
        let inverse = || self.map.rotation.inverse();
        let in_a = |p: DVec3| self.map.place(p - self.middle_b);
        let in_b = |p: DVec3| inverse() * (p - self.map.translation);
        match (self.a, self.b) {
            (Side::Mesh(mesh), other) if mesh.is_solid() => other
                .points()
                .map(in_a)
                .find(|&p| winding(mesh.surface(), p + (self.middle_a - mesh.surface().origin)) != 0),
            (other, Side::Mesh(mesh)) if mesh.is_solid() => other
                .points()
                .map(|p| p - self.middle_a)
                .find(|&p| winding(mesh.surface(), in_b(p) + (self.middle_b - mesh.surface().origin)) != 0),
            _ => None,
        }
    }

    /// The answer for bodies of which one holds a point of the other, given in the frame of A moved to its middle.
    fn holding(&self, apart: Distance, point: DVec3) -> Distance {
        let back = self.map.rotation.inverse() * (point - self.map.translation);
        let (own_a, own_b) = (point + self.middle_a, back + self.middle_b);
        let size = self.scale + self.middle_a.length() + self.middle_b.length();
        Distance {
            value: 0.0,
            lower: 0.0,
            upper: (apart.placement + CONTACT_POINT * size) * (1.0 + 2.0 * self.map.stretch),
            method: Method::Parts,
            point_in_a: if self.swapped { own_b } else { own_a },
            point_in_b: if self.swapped { own_a } else { own_b },
            feature_a: Feature::Interior,
            feature_b: Feature::Interior,
            normal: None,
            ..apart
        }
    }

    /// The distance of two parts, its bracket that of the truth; the normal still in the frame of A.
    pub fn between(&self, part_a: u32, part_b: u32, options: &DistanceOptions, workspace: &mut Workspace) -> Distance {
        let pair = self.pair(part_a, part_b);
        // Farther than that also in the world.
        let farther_than = options.farther_than.map(|d| d + 2.0 * self.widening(&pair, d));
        let options = DistanceOptions { farther_than, ..*options };
        let TwoParts { ref a, ref b, ref pose_a, ref pose_b, .. } = pair;
        let found = distance_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace);
        let (point_in_a, point_in_b) = self.own_points(part_a, part_b, found.point_in_a, found.point_in_b);
        Distance {
            lower: (found.lower - self.widening(&pair, found.lower)).max(0.0),
            upper: found.upper + self.widening(&pair, found.upper),
            placement: found.placement + pair.off,
            part_a,
            part_b,
            point_in_a,
            point_in_b,
            ..found
        }
    }

    /// The distance in our own order of the bodies.
    fn nearest(
        &self,
        options: &DistanceOptions,
        heap: &mut BinaryHeap<Waiting>,
        workspace: &mut Workspace,
    ) -> Distance {
        let enough =
            options.farther_than.map_or(f64::INFINITY, |d| if d.is_nan() { f64::INFINITY } else { d.max(0.0) });
        let mut best: Option<Distance> = None;
        let mut lower = f64::INFINITY;
        let beyond = self.descend_by_bounds(heap, f64::INFINITY, |part_a, part_b, bound, limit| {
            let farther_than = (*limit < f64::INFINITY || enough < f64::INFINITY).then_some(limit.min(enough));
            let options = DistanceOptions { farther_than, ..*options };
            let found = self.between(part_a, part_b, &options, workspace);
            // Where rounding leaves nothing of a gap, the boxes may still show one: their coordinates may be smaller
            // than those of the parts. The normal, which is that of the parts, shows it but for rounding.
            let by_boxes = bound.min(0.25 * ACCURACY * self.scale);
            lower = lower.min(if found.lower > 0.0 { found.lower } else { by_boxes });
            // Parts that meet decide, also where the upper bound of others apart by less than rounding is smaller.
            let meets = found.value == 0.0;
            if meets || best.is_none_or(|best| found.upper < best.upper) {
                best = Some(found);
                *limit = found.upper.min(enough);
            }
            if meets { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        // Without a limit the first descent reaches a pair of parts.
        let best = best.unwrap_or_else(|| self.between(0, 0, options, workspace));
        let lower = if best.value == 0.0 { 0.0 } else { lower.min(beyond).min(best.upper) };
        let complete = self.is_within(ACCURACY, best.upper - lower);
        Distance {
            value: best.value.max(lower).min(best.upper),
            lower,
            method: if complete {
                Method::Parts
            } else {
                Method::PartsStopped(options.why_stopped([lower, best.upper]))
            },
            normal: best.normal.map(|normal| self.world_normal(normal)),
            ..best
        }
    }

    /// See [`intersects`](crate::intersects()).
    pub fn intersects(&self, options: &IntersectsOptions, workspace: &mut Workspace) -> bool {
        let mut scratch = std::mem::take(&mut workspace.parts);
        let mut meets = false;
        self.descend(&mut scratch.heap, options.margin.max(0.0), |part_a, part_b, _| {
            let TwoParts { a, b, pose_a, pose_b, .. } = &self.pair(part_a, part_b);
            meets = intersects_with(a, pose_a, b, pose_b, options, &mut PairCache::default(), workspace);
            if meets { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        workspace.parts = scratch;
        meets || self.contained().is_some()
    }
}

impl Parts<'_> {
    /// The depth of two parts, its bracket that of the truth; the normal still in the frame of A.
    fn depth_of(
        &self,
        part_a: u32,
        part_b: u32,
        options: &PenetrationOptions,
        workspace: &mut Workspace,
    ) -> Result<Penetration, Error> {
        let pair = self.pair(part_a, part_b);
        let TwoParts { ref a, ref b, ref pose_a, ref pose_b, .. } = pair;
        let found = penetration_with(a, pose_a, b, pose_b, options, &mut PairCache::default(), workspace)?;
        let (point_in_a, point_in_b) = self.own_points(part_a, part_b, found.point_in_a, found.point_in_b);
        Ok(Penetration {
            lower: (found.lower - self.widening(&pair, found.lower)).max(0.0),
            upper: found.upper + self.widening(&pair, found.upper),
            placement: found.placement + pair.off,
            part_a,
            part_b,
            point_in_a,
            point_in_b,
            ..found
        })
    }

    /// See [`penetration`](crate::penetration()).
    pub fn penetration(&self, options: &PenetrationOptions, workspace: &mut Workspace) -> Result<Penetration, Error> {
        let mut scratch = std::mem::take(&mut workspace.parts);
        let answer = self.depth(options, &mut scratch, workspace);
        workspace.parts = scratch;
        let answer = answer?;
        if !self.swapped {
            return Ok(answer);
        }
        Ok(Penetration {
            point_in_a: answer.point_in_b,
            point_in_b: answer.point_in_a,
            part_a: answer.part_b,
            part_b: answer.part_a,
            feature_a: answer.feature_b,
            feature_b: answer.feature_a,
            normal: -answer.normal,
            ..answer
        })
    }

    /// The depth in our own order of the bodies.
    fn depth(
        &self,
        options: &PenetrationOptions,
        scratch: &mut PartsScratch,
        workspace: &mut Workspace,
    ) -> Result<Penetration, Error> {
        let apart = self.nearest(&DistanceOptions::default(), &mut scratch.heap, workspace);
        if apart.lower > 0.0
            && let Some(normal) = apart.normal
        {
            return Ok(Penetration {
                depth: 0.0,
                lower: 0.0,
                upper: 0.0,
                placement: apart.placement,
                method: Method::Parts,
                point_in_a: apart.point_in_a,
                point_in_b: apart.point_in_b,
                part_a: apart.part_a,
                part_b: apart.part_b,
                feature_a: apart.feature_a,
                feature_b: apart.feature_b,
                normal,
            });
        }
        let mut deepest = self.depth_of(apart.part_a, apart.part_b, options, workspace)?;
        scratch.deep.clear();
        let mut failure = None;
        self.descend(&mut scratch.heap, 0.0, |a, b, _| {
            let found = match self.depth_of(a, b, options, workspace) {
                Ok(found) => found,
                Err(error) => {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            };
            if found.upper > 0.0 {
                scratch.deep.push(Deep { a, b, upper: found.upper, normal: found.normal });
            }
            if found.lower > deepest.lower {
                deepest = found;
            }
            if scratch.deep.len() >= OVERLAPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        scratch.deep.sort_by(|p, q| q.upper.total_cmp(&p.upper).then((p.a, p.b).cmp(&(q.a, q.b))));
        let (out, length) = self.way_out(scratch, workspace).ok_or(Error::Unbounded)?;
        // A translation turns with the frame, and stretches with it.
        let moved = self.pose_a.rotation() * out;
        let upper = moved.length() * length * ROUND_UP;
        let lower = deepest.lower.min(upper);
        let complete = self.is_within(DEPTH_ACCURACY, upper - lower);
        let tolerance = options.tolerance;
        let stopped = if upper - lower <= tolerance { Stopped::Tolerance(tolerance) } else { Stopped::Budget };
        Ok(Penetration {
            depth: (upper - CLEARED * self.scale).max(lower),
            lower,
            upper,
            method: if complete { Method::Parts } else { Method::PartsStopped(stopped) },
            normal: moved.normalize(),
            ..deepest
        })
    }

    /// The shortest of some translations of B that separate everything: unit direction and length in the frame of A.
    fn way_out(&self, scratch: &mut PartsScratch, workspace: &mut Workspace) -> Option<(DVec3, f64)> {
        let margin = CLEARED * self.scale;
        let mut best: Option<(DVec3, f64)> = None;
        let (box_a, box_b) = (self.a.node(0).0, self.b.node(0).0);
        for direction in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z] {
            let mut length = self.past_boxes(&box_a, &box_b, direction) + margin;
            // What rounding leaves between the boxes is far less than the margin, unless coordinates are far larger than `L`.
            for _ in 0..STEPS {
                let there = Parts { moved: direction * length, ..*self };
                if length >= best.map_or(f64::INFINITY, |best| best.1) {
                    break;
                }
                if there.box_bound(&box_a, &box_b) > 0.0 {
                    best = Some((direction, length));
                }
                length = 2.0 * length + margin;
            }
        }
        // Prisms of ground (`prisms.rs`) are left upwards, however long the boxes about them are.
        let upwards = scratch.deep.first().map(|deepest| (DVec3::Z, deepest.upper));
        let proposed = scratch.deep.len().min(PROPOSALS);
        for k in 0..proposed + usize::from(upwards.is_some()) {
            let deep = scratch.deep[..proposed].get(k).map(|deep| (deep.normal, deep.upper));
            let Some((normal, upper)) = deep.or(upwards) else { break };
            let limit = best.map_or(f64::INFINITY, |best| best.1);
            if let Some(length) = self.cleared(normal, upper + margin, limit, &mut scratch.heap, workspace) {
                best = Some((normal, length));
            }
        }
        best
    }

    /// How far along a unit direction one box must be moved to be past the other, as far as they are seen in the frame of A.
    fn past_boxes(&self, a: &Aabb, b: &Aabb, direction: DVec3) -> f64 {
        let at_a = a.center() - self.middle_a;
        let at_b = self.map.turn(b.center() - self.middle_b) + self.map.translation + self.moved;
        let back = self.map.turn_back(direction);
        let half = 0.5 * (direction.abs().dot(a.size()) + back.abs().dot(b.size()));
        let past = half - direction.dot(at_b - at_a);
        // Rounded: no proof, only a proposal.
        past.max(0.0) * (1.0 + 4.0 * self.defect)
    }

    /// The length, from `start` on and below `limit`, of a translation along a unit direction after which all pairs of
    /// parts are proved apart.
    fn cleared(
        &self,
        direction: DVec3,
        start: f64,
        limit: f64,
        heap: &mut BinaryHeap<Waiting>,
        workspace: &mut Workspace,
    ) -> Option<f64> {
        let margin = CLEARED * self.scale;
        let mut length = start;
        for _ in 0..STEPS {
            if length >= limit {
                return None;
            }
            let there = Parts { moved: direction * length, ..*self };
            let mut more: Option<f64> = None;
            there.descend(heap, 0.0, |a, b, _| {
                let ask = DistanceOptions { farther_than: Some(0.0), ..DistanceOptions::default() };
                if there.between(a, b, &ask, workspace).lower > 0.0 {
                    return ControlFlow::Continue(());
                }
                let by_planes =
                    there.depth_of(a, b, &PenetrationOptions::default(), workspace).ok().and_then(|depth| {
                        let along = depth.normal.dot(direction);
                        (along > 0.05).then_some(depth.upper / along)
                    });
                let step = by_planes.unwrap_or_else(|| {
                    let (own_a, own_b) = (there.part_box(a, true), there.part_box(b, false));
                    there.past_boxes(&own_a, &own_b, direction)
                });
                more = Some(more.unwrap_or(0.0).max(step));
                ControlFlow::Continue(())
            });
            match more {
                None => return Some(length),
                Some(more) => length += more + margin,
            }
        }
        None
    }

    fn part_box(&self, part: u32, of_a: bool) -> Aabb {
        match if of_a { self.a } else { self.b } {
            Side::Whole(shape) => shape.bounds(),
            Side::Compound(compound) => compound.boxes()[part as usize],
            Side::Mesh(mesh) => mesh.surface().triangle(part).bounds(),
        }
    }

    /// See [`relation`](crate::relation()).
    pub fn relation(&self, options: &RelationOptions, workspace: &mut Workspace) -> RelationProof {
        let mut scratch = std::mem::take(&mut workspace.parts);
        let proof = self.proof(options, &mut scratch, workspace);
        workspace.parts = scratch;
        if self.swapped { proof.swapped() } else { proof }
    }

    /// The relation in our own order of the bodies.
    fn proof(&self, options: &RelationOptions, scratch: &mut PartsScratch, workspace: &mut Workspace) -> RelationProof {
        let band = options.touch_band.max(0.0);
        let enough = DistanceOptions { farther_than: Some(band), ..DistanceOptions::default() };
        let apart = self.nearest(&enough, &mut scratch.heap, workspace);
        if apart.lower > 0.0
            && let Some(normal) = apart.normal
        {
            let proof = self.proof_of(apart.part_a, apart.part_b, band, workspace);
            return RelationProof { lower: apart.lower, upper: proof.upper.max(apart.lower), normal, ..proof }.judged();
        }
        let mut best = self.proof_of(apart.part_a, apart.part_b, band, workspace);
        self.descend(&mut scratch.heap, 0.0, |a, b, _| {
            let proof = self.proof_of(a, b, band, workspace);
            if proof.upper < best.upper {
                best = proof;
            }
            // Enough to know that they overlap.
            if best.upper < -band { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let depth = self.depth(&PenetrationOptions::default(), scratch, workspace).ok();
        // Where no translation is known to separate the bodies there is no lower bound but the end of numbers.
        let (lower, normal) = depth.map_or((-f64::MAX, DVec3::X), |depth| (-depth.upper, depth.normal));
        RelationProof { lower: lower.min(best.upper), normal, ..best }.judged()
    }

    /// How two parts lie to each other; the upper bound is that of the truth, nothing else is.
    pub fn proof_of(&self, part_a: u32, part_b: u32, touch_band: f64, workspace: &mut Workspace) -> RelationProof {
        let pair = self.pair(part_a, part_b);
        let TwoParts { ref a, ref b, ref pose_a, ref pose_b, .. } = pair;
        let options = RelationOptions { touch_band: touch_band + 2.0 * self.widening(&pair, touch_band) };
        let found = relation_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), workspace);
        let own = |p: DVec3, q: DVec3| self.own_points(part_a, part_b, p, q);
        let evidence = match found.evidence {
            Evidence::Points { point_in_a, point_in_b } => {
                let (point_in_a, point_in_b) = own(point_in_a, point_in_b);
                Evidence::Points { point_in_a, point_in_b }
            }
            Evidence::Deep { point_in_a, point_in_b } => {
                let (point_in_a, point_in_b) = own(point_in_a, point_in_b);
                Evidence::Deep { point_in_a, point_in_b }
            }
            polytope => polytope,
        };
        RelationProof {
            upper: found.upper + self.widening(&pair, found.upper),
            placement: found.placement + pair.off,
            touch_band,
            part_a,
            part_b,
            evidence,
            ..found
        }
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
        // Balls, boxes, capsules, cylinders, cones and ellipsoids are about their own origin.
        _ => Some(DVec3::ZERO),
    }
}
