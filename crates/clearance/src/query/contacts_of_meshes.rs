//! Contacts where a body is a mesh: the triangles that meet, with the segment they have in common, and points of those that
//! are near.
//!
//! A triangle has no inside, so no depth is given for one: see [`Crossing`].

use std::ops::ControlFlow;

use glam::DVec3;

use super::contacts::{Contact, Contacts, ContactsOptions, Crossing};
use super::distance::{DistanceOptions, distance_with};
use super::meshes::{Meshes, longest_way_out};
use super::parts::Parts;
use super::workspace::{PairCache, Workspace};
use crate::geom::triangle_triangle::Feature3;
use crate::mesh::curves::{self, ContactCurve};
use crate::math::pose::Pose;
use crate::shape::Shape;

/// See [`contacts`](super::contacts()), for a pair in which one body at least is a mesh.
pub(super) fn contacts(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &ContactsOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
    out: &mut Contacts,
) {
    let margin = options.margin.max(0.0);
    let found = distance_with(a, pose_a, b, pose_b, &DistanceOptions::default(), cache, workspace);
    out.points.clear();
    out.crossings.clear();
    out.curves.clear();
    (out.margin, out.tilt, out.placement, out.method) = (margin, 0.0, found.placement, found.method);
    (out.point_in_a, out.point_in_b) = (found.point_in_a, found.point_in_b);
    (out.part_a, out.part_b) = (found.part_a, found.part_b);
    (out.normal, out.gap) = (found.normal.unwrap_or(DVec3::X), found.value);
    (out.lower, out.upper) = (found.lower, found.upper);
    if found.lower == 0.0 {
        // Where a distance is not proved, solids may overlap. No translation needs to be longer than what takes the one past the other; for surfaces nothing needs to be moved.
        out.lower = -longest_way_out(a, b);
    }
    if found.lower > margin {
        return;
    }
    match Meshes::of(a, pose_a, b, pose_b) {
        Some(meshes) => meshes.contacts(margin, workspace, out),
        None => {
            if let Some(parts) = Parts::of(a, pose_a, b, pose_b) {
                parts.mesh_contacts(margin, workspace, out);
            }
        }
    }
    out.points.sort_by_key(|point| (point.part_a, point.part_b));
    out.crossings.sort_by_key(|crossing| (crossing.triangle_a, crossing.triangle_b));
    if let Some(most) = options.most {
        out.points.sort_by(|p, q| p.gap.total_cmp(&q.gap));
        out.points.truncate(most.max(1));
    }
}

impl Meshes<'_> {
    /// The triangles that meet, and points of those within a margin.
    fn contacts(&self, margin: f64, workspace: &mut Workspace, out: &mut Contacts) {
        let mut meeting = Vec::new();
        self.pair.all(workspace.level, &mut workspace.reaches, &mut meeting);
        let (a, b) = (self.pair.a, self.pair.b);
        for found in &meeting {
            let (on_a, on_b) = (found.crossing.on_a, found.crossing.on_b);
            let normals = [0, 1].map(|end| self.normal_at((found.a, on_a[end]), (found.b, on_b[end])));
            let ids = (a.ids[found.a as usize], b.ids[found.b as usize]);
            out.crossings.push(self.crossing(ids, found.crossing.ends, normals));
        }
        let meetings: Vec<curves::Meeting> = meeting
            .iter()
            .map(|found| curves::Meeting {
                triangles: [a.ids[found.a as usize], b.ids[found.b as usize]],
                corners: [a.triangles[found.a as usize], b.triangles[found.b as usize]],
                crossing: found.crossing,
            })
            .collect();
        let (at_a, at_b) = (|p: u32| a.points[p as usize], |p: u32| self.pair.map.place(b.points[p as usize]));
        let found = curves::contact_curves(&meetings, at_a, at_b, DVec3::ZERO);
        out.curves.extend(found.into_iter().map(|curve| self.curve(curve)));
        // Bodies apart that are not proved to be farther than the margin have contacts, also at a margin of zero.
        if margin > 0.0 || out.gap > 0.0 {
            let mut near = Vec::new();
            let margin_here = self.in_frame(margin + self.placement);
            self.pair.within(workspace.level, margin_here, &mut workspace.reaches, &mut near);
            for found in near.iter().filter(|found| found.gap.value > 0.0) {
                let answer = self.apart(found);
                let answer = if self.swapped { answer.mirrored() } else { answer };
                if answer.lower <= margin
                    && let Some(normal) = answer.normal
                {
                    out.points.push(Contact::of_distance(&answer, normal));
                }
            }
        }
    }

    /// The way that B is pushed where an edge of the one goes through a face of the other, in the world, in our own order of the
    /// bodies: the normal of A's face, or against that of B's. Only solids have an outside.
    fn normal_at(&self, (slot_a, on_a): (u32, Feature3), (slot_b, on_b): (u32, Feature3)) -> Option<DVec3> {
        let of = |corners: [DVec3; 3], solid: bool| {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let world = self.pose_a.inverse_rotation().transpose() * normal;
            if solid { world.try_normalize() } else { None }
        };
        match (on_a, on_b) {
            (Feature3::Face, Feature3::Edge(_)) => of(self.pair.a.corners(slot_a), self.a.is_solid()),
            (Feature3::Edge(_), Feature3::Face) => {
                of(self.pair.placed(slot_b), self.b.is_solid()).map(|normal| -normal)
            }
            _ => None,
        }
    }

    /// A curve in the caller's order of the bodies, its normal in the world.
    fn curve(&self, mut curve: ContactCurve) -> ContactCurve {
        for point in &mut curve.points {
            *point = if self.swapped { self.back(*point) } else { self.in_a(*point) };
        }
        let world = |normal: DVec3| (self.pose_a.inverse_rotation().transpose() * normal).normalize();
        curve.normal = curve.normal.map(|normal| if self.swapped { -world(normal) } else { world(normal) });
        if self.swapped {
            curve.pairs.iter_mut().for_each(|pair| pair.reverse());
        }
        curve
    }

    /// A crossing in the caller's order of the bodies.
    fn crossing(&self, (a, b): (u32, u32), ends: [DVec3; 2], normals: [Option<DVec3>; 2]) -> Crossing {
        if !self.swapped {
            return Crossing { triangle_a: a, triangle_b: b, ends_in_a: ends.map(|point| self.in_a(point)), normals };
        }
        let ends_in_a = ends.map(|point| self.back(point));
        let normals = normals.map(|normal| normal.map(|normal| -normal));
        Crossing { triangle_a: b, triangle_b: a, ends_in_a, normals }
    }
}

impl Parts<'_> {
    /// A point for each pair of parts no farther apart than a margin.
    fn mesh_contacts(&self, margin: f64, workspace: &mut Workspace, out: &mut Contacts) {
        let mut scratch = std::mem::take(&mut workspace.parts);
        self.descend(&mut scratch.heap, margin, |part_a, part_b, _| {
            let ask = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
            let found = self.between(part_a, part_b, &ask, workspace);
            if found.lower <= margin {
                let sign = if self.swapped { -1.0 } else { 1.0 };
                let normal = found.normal.map_or(out.normal, |normal| self.world_normal(normal) * sign);
                out.points.push(Contact::of_distance(&self.in_callers_terms(found), normal));
            }
            ControlFlow::Continue(())
        });
        workspace.parts = scratch;
    }
}
