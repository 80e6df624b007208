//! Contacts where a body is a mesh: the triangles that meet, with the segment they have in common, and points of those that
//! are near.
//!
//! A triangle has no inside, so no depth is given for one: see [`Crossing`].

use std::ops::ControlFlow;

use glam::DVec3;

use crate::answer::contacts::{Contact, Contacts, ContactsOptions, Crossing, PlaneSide};
use crate::answer::distance::{Distance, DistanceOptions};
use crate::compound::height_field::Prisms;
use crate::compound::parts::Parts;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::distance::distance_with;
use crate::geom::triangle_triangle::Feature3;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
use crate::mesh::pair::mesh_mesh::{Meshes, longest_way_out};
use crate::pair::workspace::Workspace;
use crate::shape::Shape;

/// See [`contacts`](crate::contacts()), for a pair in which one body at least is a mesh.
pub(crate) fn contacts(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    options: &ContactsOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
    out: &mut Contacts,
) {
    let margin = options.margin.max(0.0);
    out.points.clear();
    out.crossings.clear();
    let meshes = Meshes::of(a, pose_a, b, pose_b);
    // Where triangles meet there is no distance to look for.
    let met = meshes.as_ref().and_then(|meshes| meshes.crossings(workspace, out));
    let found = met.unwrap_or_else(|| {
        let ask = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
        distance_with(a, pose_a, b, pose_b, &ask, cache, workspace)
    });
    (out.margin, out.tilt, out.placement, out.method) = (margin, 0.0, found.placement, found.method);
    (out.point_in_a, out.point_in_b) = (found.point_in_a, found.point_in_b);
    (out.part_a, out.part_b) = (found.part_a, found.part_b);
    (out.normal, out.gap) = (found.normal.unwrap_or(DVec3::X), found.value);
    (out.lower, out.upper) = (found.lower, found.upper);
    if found.lower == 0.0 {
        // Where a distance is not proved, bodies may overlap. No translation needs to be longer than what takes the one
        // past the other; between two surfaces nothing needs to be moved.
        out.lower = -longest_way_out(a, b);
    }
    if found.lower > margin {
        return;
    }
    if let Some(meshes) = meshes {
        meshes.near(workspace, out);
    } else if let Some(prisms) = Prisms::within(a, pose_a, b, pose_b, margin) {
        prisms.mesh_contacts(pose_a, pose_b, workspace, out);
    } else if let Some(parts) = Parts::of(a, pose_a, b, pose_b) {
        parts.mesh_contacts(workspace, out);
    }
    // Where other prisms stand for ground than for its distance, rounding may leave out the nearest two parts.
    if out.points.is_empty()
        && let Some(normal) = found.normal
    {
        out.points.push(Contact::of_distance(&found, normal));
    }
    out.points.sort_by_key(|point| (point.part_a, point.part_b));
    out.crossings.sort_by_key(|crossing| (crossing.triangle_a, crossing.triangle_b));
    if let Some(most) = options.most {
        out.points.sort_by(|p, q| p.gap.total_cmp(&q.gap));
        out.points.truncate(most.max(1));
    }
}

impl Meshes<'_> {
    /// Lists the triangles that meet. If there are any, the first found as the answer of a distance.
    fn crossings(&self, workspace: &mut Workspace, out: &mut Contacts) -> Option<Distance> {
        let mut meeting = Vec::new();
        self.pair.all(workspace.level, usize::MAX, &mut workspace.reaches, &mut meeting);
        let (a, b) = (self.pair.a, self.pair.b);
        for found in &meeting {
            let (on_a, on_b) = (found.crossing.on_a, found.crossing.on_b);
            let normals = [0, 1].map(|end| self.normal_at((found.a, on_a[end]), (found.b, on_b[end])));
            let ids = (a.ids[found.a as usize], b.ids[found.b as usize]);
            let corners = (self.pair.a.corners(found.a), self.pair.placed(found.b));
            let sides = (side_of(&corners.0, &corners.1), side_of(&corners.1, &corners.0));
            out.crossings.push(self.crossing(ids, found.crossing.ends, normals, sides));
        }
        meeting.first().map(|first| {
            let answer = self.meeting(first.a, first.b, &first.crossing);
            if self.swapped { answer.mirrored() } else { answer }
        })
    }

    /// Points of the triangles within the margin.
    fn near(&self, workspace: &mut Workspace, out: &mut Contacts) {
        let margin = out.margin;
        // Bodies apart that are not proved to be farther than the margin have contacts, also at a margin of zero.
        if margin > 0.0 || out.gap > 0.0 {
            let mut near = Vec::new();
            let margin_here = self.in_frame(margin + self.placement);
            self.pair.within(workspace.level, margin_here, usize::MAX, &mut workspace.reaches, &mut near);
            for found in near.iter().filter(|found| found.gap.value > 0.0) {
                let answer = self.apart(found, &DistanceOptions::default());
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

    /// A crossing in the caller's order of the bodies.
    fn crossing(
        &self,
        (triangle_a, triangle_b): (u32, u32),
        ends: [DVec3; 2],
        normals: [Option<DVec3>; 2],
        (side_of_a, side_of_b): (PlaneSide, PlaneSide),
    ) -> Crossing {
        if !self.swapped {
            let ends_in_a = ends.map(|point| self.in_a(point));
            return Crossing { triangle_a, triangle_b, ends_in_a, normals, side_of_a, side_of_b };
        }
        Crossing {
            triangle_a: triangle_b,
            triangle_b: triangle_a,
            ends_in_a: ends.map(|point| self.back(point)),
            normals: normals.map(|normal| normal.map(|normal| -normal)),
            side_of_a: side_of_b,
            side_of_b: side_of_a,
        }
    }
}

/// On which side of the plane of a triangle another one lies.
fn side_of(triangle: &[DVec3; 3], plane: &[DVec3; 3]) -> PlaneSide {
    let [a, b, c] = *plane;
    PlaneSide::of_corners(triangle.map(|corner| orient3d(a, b, c, corner)))
}

impl Parts<'_> {
    /// A point for each pair of parts no farther apart than the margin.
    pub fn mesh_contacts(&self, workspace: &mut Workspace, out: &mut Contacts) {
        let margin = out.margin;
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
