//! Contacts where a body is a mesh: intersecting triangles with their common segment, and points of nearby triangles.
//!
//! A triangle has no inside, so no depth is given for one: see [`Crossing`].

use glam::DVec3;

use crate::answer::contacts::{Contact, Contacts, ContactsOptions, Crossing, PlaneSide};
use crate::answer::distance::{Distance, DistanceOptions};
use crate::convex::pair::cache::PairCache;
use crate::geom::triangle_triangle::Feature3;
use crate::math::predicates::orient3d;
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::mesh::pair::search::TriangleSearch;

impl Meshes<'_> {
    /// See [`contacts_with`](crate::query::contacts_with). `longest_way_out` bounds the depth of an overlap.
    pub(crate) fn contacts(
        &self,
        longest_way_out: f64,
        options: &ContactsOptions,
        cache: &mut PairCache,
        search: &mut impl TriangleSearch,
        out: &mut Contacts,
    ) {
        let margin = options.margin.max(0.0);
        out.points.clear();
        out.crossings.clear();
        // Where triangles meet no distance is needed.
        let met = self.crossings(search, out);
        let found = met.unwrap_or_else(|| {
            let ask = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
            self.distance(&ask, cache, search)
        });
        begin(&found, margin, longest_way_out, out);
        if found.gap.lower <= margin {
            self.near(search, out);
            finish(&found, options.most, out);
        }
    }

    /// Lists the triangles that meet. If there are any, returns the first as the answer of a distance query.
    fn crossings(&self, search: &mut impl TriangleSearch, out: &mut Contacts) -> Option<Distance> {
        let mut meeting = Vec::new();
        search.all(&self.pair, &mut meeting);
        let (a, b) = (self.pair.a, self.pair.b);
        for found in &meeting {
            let (on_a, on_b) = (found.crossing.on_a, found.crossing.on_b);
            let normal = |end: usize| self.normal_at((found.a, on_a[end]), (found.b, on_b[end]));
            let normals = [normal(0), normal(1)];
            let ids = (a.ids[found.a as usize], b.ids[found.b as usize]);
            let corners = (self.pair.a.corners(found.a), self.pair.placed(found.b));
            let sides = (side_of(&corners.0, &corners.1), side_of(&corners.1, &corners.0));
            out.crossings.push(self.crossing(ids, found.crossing.ends, normals, sides));
        }
        meeting.first().map(|first| {
            let answer = self.meeting(first.a, first.b, &first.crossing);
            if self.swapped { answer.swapped() } else { answer }
        })
    }

    /// Points of the triangles within the margin.
    fn near(&self, search: &mut impl TriangleSearch, out: &mut Contacts) {
        let margin = out.margin;
        // Separated bodies not proved farther than the margin have contacts, even at a margin of zero.
        if margin > 0.0 || out.gap.value > 0.0 {
            let mut near = Vec::new();
            let margin_here = self.in_frame(margin + self.placement);
            search.within(&self.pair, margin_here, &mut near);
            for found in near.iter().filter(|found| found.gap.value > 0.0) {
                let answer = self.apart(found, &DistanceOptions::default());
                let answer = if self.swapped { answer.swapped() } else { answer };
                if answer.gap.lower <= margin
                    && let Some(normal) = answer.normal
                {
                    out.points.push(Contact::of_distance(&answer, normal));
                }
            }
        }
    }

    /// The direction in which to push B where an edge of one pierces a face of the other, in the world and the internal
    /// order of the bodies: along the normal of A's face, or against that of B's. Only solids have an outside.
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

/// The gap of a pair with at least one mesh, and no points yet. `longest_way_out` bounds the depth of an overlap.
pub(crate) fn begin(found: &Distance, margin: f64, longest_way_out: f64, out: &mut Contacts) {
    (out.margin, out.tilt, out.placement, out.method) = (margin, 0.0, found.placement, found.method);
    (out.witness.a.point, out.witness.b.point) = (found.witness.a.point, found.witness.b.point);
    (out.witness.a.part, out.witness.b.part) = (found.witness.a.part, found.witness.b.part);
    (out.normal, out.gap.value) = (found.normal.unwrap_or(DVec3::X), found.gap.value);
    (out.gap.lower, out.gap.upper) = (found.gap.lower, found.gap.upper);
    if found.gap.lower == 0.0 {
        // Where no distance is proved, bodies may overlap. No translation needs to be longer than one that moves them
        // past each other; two surfaces need none.
        out.gap.lower = -longest_way_out;
    }
}

/// Puts points and crossings in order, and keeps the nearest points.
pub(crate) fn finish(found: &Distance, most: Option<usize>, out: &mut Contacts) {
    // Where contacts use other prisms of a height field than its distance did, rounding may exclude the nearest two
    // parts.
    if out.points.is_empty()
        && let Some(normal) = found.normal
    {
        out.points.push(Contact::of_distance(found, normal));
    }
    out.points.sort_by_key(|point| (point.witness.a.part, point.witness.b.part));
    out.crossings.sort_by_key(|crossing| (crossing.triangle_a, crossing.triangle_b));
    if let Some(most) = most {
        out.points.sort_by(|p, q| p.gap.value.total_cmp(&q.gap.value));
        out.points.truncate(most.max(1));
    }
}

/// On which side of the plane of a triangle another one lies.
fn side_of(triangle: &[DVec3; 3], plane: &[DVec3; 3]) -> PlaneSide {
    let ([a, b, c], [p, q, r]) = (*plane, *triangle);
    PlaneSide::of_corners([orient3d(a, b, c, p), orient3d(a, b, c, q), orient3d(a, b, c, r)])
}
