//! First contact of two meshes under translation, by their features.
//!
//! The points of both meshes are placed in the frame of one, at the start and at the end of the step, each rounded
//! once. Everything about these points is decided exactly: which triangles meet at the start ([`meeting`]), and which
//! vertex and face, or which two edges, touch first ([`impacts`], through the elementary tests). The query is about the
//! real-number bodies, whose points lie up to `off` from the placed ones at every time. So
//! - the answer is that of triangles with these features, as convex bodies ([`Course::between`]): its planes and its
//!   evidence are those of the real-number bodies;
//! - all triangles with features not proved to stay separated until then, for points moved by up to `off`
//!   ([`undecided`]), are queried in the same way. The others cannot touch before: separated triangles first meet by a
//!   vertex and a face or by two edges, whether in the course of time or, at the start, while points move from their
//!   placed to their ideal positions.
//!
//! Almost only pairs that touch at the same time are undecided, so a handful of pairs of triangles is queried, where
//! the descent of [`parts`](super::parts) queries all whose boxes meet before. `Impact::verify` does not depend on how
//! an answer was found, and proves these like all others.

use glam::DVec3;

use crate::answer::step::ImpactSelection;
use crate::compound::parts::PartsOf;
use crate::deform::DeformingMesh;
use crate::deform::impacts::{Asked, impacts};
use crate::deform::meeting::meeting;
use crate::deform::undecided::undecided;
use crate::impact::parts::{Course, Known};
use crate::math::double_double::two_sum;
use crate::math::tolerances::{MAX_RIGIDITY_DEFECT, SECOND_ORDER, UNIT_ROUNDOFF};
use crate::pair::workspace::Workspace;
use crate::shape::{Feature, Mesh};

/// The first contact, in the internal order of the bodies; `None` if they are not two meshes, with a margin, or out of
/// the range of coordinates.
pub(crate) fn first(course: &Course<'_, '_>, workspace: &mut Workspace) -> Option<Known> {
    let (PartsOf::Mesh(mesh_a), PartsOf::Mesh(mesh_b)) = (course.parts.a, course.parts.b) else { return None };
    if course.options.margin > 0.0 {
        return None;
    }
    let (a, b, off) = placed(course, mesh_a, mesh_b)?;
    let asked = Asked::Two(&a, &b);
    let mut known = Known::nothing();
    let mut ask = |known: &mut Known, [part_a, part_b]: [u32; 2]| {
        if let Some(found) = course.between(part_a, part_b, workspace) {
            known.add(&found, course.way);
        }
        known.is_final()
    };
    let at_start = meeting(asked).into_iter().map(|pair| pair.map(Feature::Face)).collect();
    if slots(&a, &b, at_start).into_iter().any(|pair| ask(&mut known, pair)) {
        return Some(known);
    }
    let (found, _) = impacts(asked, ImpactSelection::First);
    for pair in slots(&a, &b, found.iter().map(|impact| impact.features).collect()) {
        ask(&mut known, pair);
    }
    for pair in slots(&a, &b, undecided(asked, known.limit.min(1.0), off)) {
        ask(&mut known, pair);
    }
    Some(known)
}

/// All pairs of triangles with these features, by slot, each once.
fn slots(a: &DeformingMesh, b: &DeformingMesh, pairs: Vec<[Feature; 2]>) -> Vec<[u32; 2]> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let of = |mesh: &DeformingMesh, side: usize| {
        mesh.faces_with(&pairs.iter().map(|pair| pair[side]).collect::<Vec<Feature>>())
    };
    let both = of(a, 0).into_iter().zip(of(b, 1));
    let mut all: Vec<[u32; 2]> =
        both.flat_map(|(a, b)| a.into_iter().flat_map(move |a| b.clone().into_iter().map(move |b| [a, b]))).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Both meshes in the frame of A centred on its middle, and a bound on the distance of a point from its ideal place at
/// any time.
fn placed(course: &Course<'_, '_>, mesh_a: &Mesh, mesh_b: &Mesh) -> Option<(DeformingMesh, DeformingMesh, f64)> {
    let parts = course.parts;
    let radius = |mesh: &Mesh, middle: DVec3| mesh.points().map(|p| (p - middle).length()).fold(0.0, f64::max);
    // The rounding error of a sum is measured: zero where it is exact.
    let lost = |x: DVec3, y: DVec3| {
        let lost: [f64; 3] = std::array::from_fn(|k| two_sum(x[k], y[k]).1.abs());
        DVec3::from_array(lost).length()
    };
    let place = |point: DVec3| parts.map.place(point - parts.middle_b);
    let off_a = mesh_a.points().map(|p| lost(p, -parts.middle_a)).fold(0.0, f64::max);
    let off_b = mesh_b.points().map(|p| lost(p, -parts.middle_b)).fold(0.0, f64::max);
    let off_end = mesh_b.points().map(|p| lost(place(p), course.way)).fold(0.0, f64::max);
    // Norms of stored rotations are 1 up to their defect; sums here are off by less than the second-order allowance.
    let map = parts.map.bound(radius(mesh_b, parts.middle_b) * (1.0 + 4.0 * UNIT_ROUNDOFF));
    let off = (off_a + off_b + off_end + map + course.error) * (1.0 + 4.0 * MAX_RIGIDITY_DEFECT) * SECOND_ORDER;
    let a = DeformingMesh::placed(mesh_a, |point| [point - parts.middle_a; 2]).ok()?;
    let b = DeformingMesh::placed(mesh_b, |point| {
        let start = place(point);
        [start, start + course.way]
    });
    Some((a, b.ok()?, off))
}
