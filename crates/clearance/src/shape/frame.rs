//! The kind of a pair of bodies, the total order of posed bodies, and the frame in which a pair is processed.

use std::cmp::Ordering;

use glam::DVec3;

use super::{Mesh, Shape};
use crate::math::pose::Pose;

/// The kind of a pair: selects the code path of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PairKind<'s> {
    /// Two convex bodies, including half-spaces and custom bodies.
    Convex,
    /// Two meshes.
    Meshes(&'s Mesh, &'s Mesh),
    /// A mesh or a compound, and any body but a height field; not two meshes.
    Parts,
    /// At least one height field.
    HeightField,
}

impl<'s> PairKind<'s> {
    /// The kind of a pair, independent of the order of its bodies.
    #[inline(always)]
    #[must_use]
    pub fn of(a: &'s Shape, b: &'s Shape) -> PairKind<'s> {
        let is_convex = |shape: &Shape| !matches!(shape, Shape::Compound(_) | Shape::HeightField(_) | Shape::Mesh(_));
        if is_convex(a) && is_convex(b) { PairKind::Convex } else { PairKind::of_others(a, b) }
    }

    #[inline(always)]
    fn of_others(a: &'s Shape, b: &'s Shape) -> PairKind<'s> {
        match (a, b) {
            (Shape::HeightField(_), _) | (_, Shape::HeightField(_)) => PairKind::HeightField,
            (Shape::Mesh(a), Shape::Mesh(b)) => PairKind::Meshes(a, b),
            _ => PairKind::Parts,
        }
    }
}

/// Whether a pair of this kind is processed in the frame of B rather than A, given the [`order`] of the two. This makes
/// the result independent of the order of the arguments, to the bit.
///
/// For two convex bodies it is the frame of the earlier one: a half-space is the frame of every pair it is in, so that
/// its plane is exact. Where hierarchies are traversed it is the frame of the later one, which is the mesh, or the
/// larger of two: its boxes and triangles need no transformation.
#[inline(always)]
pub(crate) fn is_frame_b(kind: PairKind<'_>, order: Ordering) -> bool {
    match kind {
        PairKind::Convex => order == Ordering::Greater,
        PairKind::Meshes(..) | PairKind::Parts | PairKind::HeightField => order == Ordering::Less,
    }
}

/// The total order of posed bodies: kind, size, content, pose. Hashes of different hulls of one size may collide; the
/// order is then by pose, and the choice of frame, though never the correctness of the answer, depends on the order of
/// the arguments.
#[inline(always)]
pub(crate) fn order(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Ordering {
    match content_order(a, b) {
        Ordering::Equal => pose_a.bits().cmp(&pose_b.bits()),
        order => order,
    }
}

/// The [`order`] of two posed meshes.
pub(crate) fn mesh_order(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> Ordering {
    match a.content_order(b) {
        Ordering::Equal => pose_a.bits().cmp(&pose_b.bits()),
        order => order,
    }
}

#[inline(always)]
fn content_order(a: &Shape, b: &Shape) -> Ordering {
    match (a, b) {
        (Shape::Hull(a), Shape::Hull(b)) => {
            let (a, b) = (a.hull(), b.hull());
            a.vertices.len().cmp(&b.vertices.len()).then_with(|| a.hash.cmp(&b.hash))
        }
        (Shape::Cuboid(a), Shape::Cuboid(b)) => bits(a.half_extents()).cmp(&bits(b.half_extents())),
        (Shape::Sphere(a), Shape::Sphere(b)) => a.radius().to_bits().cmp(&b.radius().to_bits()),
        _ => kind(a).cmp(&kind(b)).then_with(|| other_order(a, b)),
    }
}

/// The order of two bodies of the same kind, other than hulls, boxes and spheres.
#[cold]
fn other_order(a: &Shape, b: &Shape) -> Ordering {
    let pair = |p: f64, q: f64| [p.to_bits(), q.to_bits()];
    match (a, b) {
        (Shape::Capsule(a), Shape::Capsule(b)) => {
            pair(a.half_length(), a.radius()).cmp(&pair(b.half_length(), b.radius()))
        }
        (Shape::Cylinder(a), Shape::Cylinder(b)) => {
            pair(a.half_length(), a.radius()).cmp(&pair(b.half_length(), b.radius()))
        }
        (Shape::Cone(a), Shape::Cone(b)) => pair(a.half_length(), a.radius()).cmp(&pair(b.half_length(), b.radius())),
        (Shape::Ellipsoid(a), Shape::Ellipsoid(b)) => bits(a.semi_axes()).cmp(&bits(b.semi_axes())),
        (Shape::HalfSpace(a), Shape::HalfSpace(b)) => {
            bits(a.normal()).cmp(&bits(b.normal())).then_with(|| a.offset().to_bits().cmp(&b.offset().to_bits()))
        }
        (Shape::Segment(a), Shape::Segment(b)) => a.points().map(bits).cmp(&b.points().map(bits)),
        (Shape::Triangle(a), Shape::Triangle(b)) => a.points().map(bits).cmp(&b.points().map(bits)),
        (Shape::Tetrahedron(a), Shape::Tetrahedron(b)) => a.points().map(bits).cmp(&b.points().map(bits)),
        (Shape::Rounded(a), Shape::Rounded(b)) => {
            a.radius().to_bits().cmp(&b.radius().to_bits()).then_with(|| content_order(a.core(), b.core()))
        }
        (Shape::Mesh(a), Shape::Mesh(b)) => a.content_order(b),
        (Shape::Compound(a), Shape::Compound(b)) if a.is_same(b) => Ordering::Equal,
        (Shape::Compound(a), Shape::Compound(b)) => {
            let count = a.parts().len().cmp(&b.parts().len());
            let parts = a.parts().iter().zip(b.parts());
            count.then_with(|| {
                parts.fold(Ordering::Equal, |so_far, ((pose_a, a), (pose_b, b))| {
                    so_far.then_with(|| order(a, pose_a, b, pose_b))
                })
            })
        }
        // Bodies compared by their bounding box only, including custom bodies.
        _ => {
            let (a, b) = (a.bounds(), b.bounds());
            [bits(a.min), bits(a.max)].cmp(&[bits(b.min), bits(b.max)])
        }
    }
}

#[inline(always)]
fn bits(v: DVec3) -> [u64; 3] {
    v.to_array().map(f64::to_bits)
}

/// The rank of a kind of body in the total order.
#[inline(always)]
fn kind(shape: &Shape) -> u8 {
    match shape {
        // First, so that it is the frame of every pair it is in and its plane is exact.
        Shape::HalfSpace(_) => 0,
        Shape::Sphere(_) => 1,
        Shape::Cuboid(_) => 2,
        Shape::Hull(_) => 3,
        Shape::Capsule(_) => 4,
        Shape::Cylinder(_) => 5,
        Shape::Cone(_) => 6,
        Shape::Ellipsoid(_) => 7,
        Shape::Rounded(_) => 8,
        Shape::Segment(_) => 9,
        Shape::Triangle(_) => 10,
        Shape::Tetrahedron(_) => 11,
        Shape::Custom(_) => 12,
        Shape::Compound(_) => 13,
        Shape::HeightField(_) => 14,
        Shape::Mesh(_) => 15,
    }
}
