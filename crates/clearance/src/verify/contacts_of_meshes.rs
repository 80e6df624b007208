//! Contacts of meshes: every pair of points, and every crossing of two triangles, with none missing.

use glam::DVec3;

use crate::answer::contacts::{Contact, Contacts, Crossing, PlaneSide};
use crate::math::double_double::DoubleDoubleVec3;
use crate::math::placement::Placement;
use crate::math::predicates::orient3d;
use crate::math::tolerances::{ACCURACY, UNIT_ROUNDOFF};
use crate::shape::Feature;
use crate::verify::bodies::{Bodies, Claim};
use crate::verify::contacts::{check_in_order, check_point_in_order};
use crate::verify::posed::Body;
use crate::verify::project::project_on_triangle;
use crate::verify::refusal::{Refusal, check_numbers, check_unit};
use crate::verify::triangles::{Triangle, from_sides, meet, piercings};

/// Two triangles that meet, by number, and on which side of the other's plane each lies.
type Meeting = (u32, u32, [PlaneSide; 2]);

impl Bodies<'_> {
    pub(crate) fn check_contacts(&self, answer: &Contacts) -> Result<(), Refusal> {
        check_in_order(answer)?;
        // Triangles that meet have no patches a tilt could apply to.
        if answer.tilt != 0.0 {
            return Err(Refusal::NoNumber { field: "tilt" });
        }
        if answer.gap.value < 0.0 {
            return Err(Refusal::NoNumber { field: "gap" });
        }
        check_unit(answer.normal)?;
        self.check_placement(answer.placement)?;
        // The depth of overlapping bodies is not known: the lower bound is a separating translation and does not count
        // for the width.
        self.check_method(answer.method, answer.gap.lower, answer.gap.upper - answer.gap.lower.max(0.0))?;
        let claim = Claim {
            lower: answer.gap.lower,
            upper: answer.gap.upper,
            unseen: self.unseen_above(),
            points: (answer.witness.a.point, answer.witness.b.point),
            parts: (answer.witness.a.part, answer.witness.b.part),
        };
        self.check_value(answer.gap.value, &claim)?;
        if answer.gap.value > 0.0 {
            let two = self.pair(claim.parts)?;
            self.check_normal(&two, answer.gap.lower, answer.normal)?;
            self.check_points_of(two, &claim)?;
        } else {
            self.check_points(&claim)?;
        }
        if answer.gap.lower > 0.0 {
            self.check_apart(answer.gap.lower, answer.normal)?;
        } else {
            self.check_way_out(answer.gap.lower, answer.normal)?;
        }
        self.check_lists(answer, &claim)
    }

    /// Checks every contact and every crossing, and that no required one is missing.
    fn check_lists(&self, answer: &Contacts, claim: &Claim) -> Result<(), Refusal> {
        if answer.gap.lower > answer.margin {
            let empty = answer.points.is_empty() && answer.crossings.is_empty();
            return if empty { Ok(()) } else { Err(Refusal::Verdict) };
        }
        let mut pairs: Vec<_> =
            answer.points.iter().map(|point| (point.witness.a.part, point.witness.b.part)).collect();
        pairs.sort_unstable();
        if pairs.windows(2).any(|two| two[0] == two[1]) {
            return Err(Refusal::Part);
        }
        for point in &answer.points {
            self.check_contact(answer, point)?;
        }
        // For separated bodies the nearest points are a contact.
        let nearest = answer.points.iter().map(|point| point.gap.value).fold(f64::INFINITY, f64::min);
        let tolerance = (ACCURACY + self.measured.defect) * self.measured.scale + self.own_rounding();
        if answer.gap.value > 0.0 && nearest > answer.gap.upper + tolerance {
            return Err(Refusal::Verdict);
        }
        // For bodies that meet so is a common point, unless they are two meshes, which cross, or one is inside the
        // other.
        let two_meshes = self.a.mesh().is_some() && self.b.mesh().is_some();
        if answer.gap.value == 0.0 && nearest > 0.0 && !two_meshes && self.check_inside(claim).is_err() {
            return Err(Refusal::Verdict);
        }
        self.check_crossings(&answer.crossings)
    }

    /// A pair of points: nearest points of the named parts, with a true bracket, on the named features.
    fn check_contact(&self, answer: &Contacts, point: &Contact) -> Result<(), Refusal> {
        check_point_in_order(point)?;
        check_unit(point.normal)?;
        let claim = Claim {
            lower: point.gap.lower,
            upper: point.gap.upper,
            unseen: self.unseen_of_two(point.gap.upper),
            points: (point.witness.a.point, point.witness.b.point),
            parts: (point.witness.a.part, point.witness.b.part),
        };
        let two = self.pair(claim.parts)?;
        let tolerance = two.point_tolerance();
        if point.gap.lower > answer.margin + tolerance {
            return Err(Refusal::Verdict);
        }
        let (width, allowed) = (point.gap.upper - point.gap.lower.max(0.0), tolerance + 8.0 * self.rounding());
        if width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        self.check_value(point.gap.value, &claim)?;
        if point.gap.value > 0.0 {
            self.check_normal(&two, point.gap.lower, point.normal)?;
            self.check_features(&two, &claim, (point.witness.a.feature, point.witness.b.feature), false)?;
            for (part, name, at) in [(&two.a, "A", claim.points.0), (&two.b, "B", claim.points.1)] {
                two.check_witness(part, name, part.in_own_frame(at), true)?;
            }
            if point.gap.lower > 0.0 {
                self.check_two_apart(claim.parts, point.gap.lower, point.normal)?;
            }
            return self.check_points_of(two, &claim);
        }
        // For two meshes, triangles that meet are reported as crossings.
        let two_meshes = self.a.mesh().is_some() && self.b.mesh().is_some();
        if two_meshes || (point.witness.a.feature, point.witness.b.feature) != (Feature::Interior, Feature::Interior) {
            return Err(Refusal::Feature { body: "A and B" });
        }
        if point.normal != answer.normal {
            return Err(Refusal::Normal);
        }
        self.check_points_of(two, &claim)
    }

    /// The crossings are those of all triangles that meet, as placed in one of the two frames, each with the ends of
    /// the triangles' common segment.
    fn check_crossings(&self, crossings: &[Crossing]) -> Result<(), Refusal> {
        let (Some(mesh_a), Some(mesh_b)) = (self.a.mesh(), self.b.mesh()) else {
            return if crossings.is_empty() { Ok(()) } else { Err(Refusal::Part) };
        };
        let claimed: Vec<_> = (crossings.iter())
            .map(|crossing| (crossing.triangle_a, crossing.triangle_b, [crossing.side_of_a, crossing.side_of_b]))
            .collect();
        let swapped = |pairs: Vec<Meeting>| {
            let mut pairs: Vec<_> = pairs.into_iter().map(|(i, j, [of_i, of_j])| (j, i, [of_j, of_i])).collect();
            pairs.sort_unstable_by_key(|&(i, j, _)| (i, j));
            pairs
        };
        if claimed != self.meeting(&self.a, &self.b) && claimed != swapped(self.meeting(&self.b, &self.a)) {
            return Err(Refusal::Part);
        }
        for crossing in crossings {
            let corners = (mesh_a.world(crossing.triangle_a), mesh_b.world(crossing.triangle_b));
            self.check_ends(crossing, &corners.0, &corners.1)?;
        }
        Ok(())
    }

    /// The triangles of A and B that meet, exactly, with points of B placed in the frame of A, or vice versa.
    pub(crate) fn meeting_triangles(&self, in_frame_of_b: bool) -> Vec<[u32; 2]> {
        if in_frame_of_b {
            return self.meeting(&self.b, &self.a).into_iter().map(|(j, i, _)| [i, j]).collect();
        }
        self.meeting(&self.a, &self.b).into_iter().map(|(i, j, _)| [i, j]).collect()
    }

    /// All pairs of triangles that meet, exactly, with points of the second body placed in the frame of the first; in
    /// ascending order.
    fn meeting(&self, frame: &Body<'_>, moved: &Body<'_>) -> Vec<Meeting> {
        let (Some(in_frame), Some(posed)) = (frame.mesh(), moved.mesh()) else { return Vec::new() };
        let (origin_frame, origin) = (in_frame.mesh.surface().origin, posed.mesh.surface().origin);
        let map = Placement::new(&frame.pose, origin_frame, &moved.pose, origin);
        let near = 128.0 * UNIT_ROUNDOFF * self.measured.scale + 2.0 * self.own_rounding();
        let mut found = Vec::new();
        // Visits do not fail.
        let _: Result<(), ()> = frame.boxes.pairs(&moved.boxes, near, |i, j| {
            let corners = in_frame.own(i).map(|p| p - origin_frame);
            let placed = posed.own(j).map(|p| map.place(p - origin));
            if meet(&corners, &placed) {
                let side_of = |triangle: &[DVec3; 3], [a, b, c]: [DVec3; 3]| {
                    PlaneSide::of_corners(triangle.map(|corner| orient3d(a, b, c, corner)))
                };
                found.push((i, j, [side_of(&corners, placed), side_of(&placed, corners)]));
            }
            Ok(())
        });
        found.sort_unstable_by_key(|&(i, j, _)| (i, j));
        found
    }

    /// The ends lie on both triangles; wherever an edge of one clearly passes through the other there is an end; and
    /// normals are those of solid triangles that edges pass through.
    fn check_ends(&self, crossing: &Crossing, a: &Triangle, b: &Triangle) -> Result<(), Refusal> {
        let tolerance = (ACCURACY + self.measured.defect) * self.measured.scale + self.own_rounding();
        let ends = crossing.ends_in_a;
        check_numbers(&[("ends_in_a", (ends[0] + ends[1]).element_sum())])?;
        let ends = ends.map(|end| self.a.world(end));
        for (end, normal) in ends.into_iter().zip(crossing.normals) {
            for (triangle, body) in [(a, "A"), (b, "B")] {
                let off = (project_on_triangle(end, triangle[0], triangle[1], triangle[2]) - end).length().to_f64();
                if off > tolerance {
                    return Err(Refusal::Witness { body, off });
                }
            }
            self.check_end_normal(normal, end, (a, b), tolerance)?;
        }
        for (point, sine) in piercings(a, b).chain(piercings(b, a)) {
            let off = ends.map(|end| (end - point).length().to_f64()).into_iter().fold(f64::INFINITY, f64::min);
            // Off by the tolerance along the triangles, an end is off by that over the sine of their angle.
            if off * sine > tolerance * (1.0 + sine) {
                return Err(Refusal::Witness { body: "A and B", off });
            }
        }
        Ok(())
    }

    /// At an end where an edge of B passes through a face of A the normal is that of A, if A is a solid; where an edge
    /// of A passes through a face of B it is opposite to that of B.
    fn check_end_normal(
        &self,
        normal: Option<DVec3>,
        end: DoubleDoubleVec3,
        (a, b): (&Triangle, &Triangle),
        tolerance: f64,
    ) -> Result<(), Refusal> {
        let ((side_a, corner_a), (side_b, corner_b)) = (from_sides(a, end), from_sides(b, end));
        // Whether the interior of an edge meets the interior of the face: possibly, and certainly.
        let of_a = (side_b <= tolerance, side_b <= tolerance && side_a > tolerance && corner_b > tolerance);
        let of_b = (side_a <= tolerance, side_a <= tolerance && side_b > tolerance && corner_a > tolerance);
        let (solid_a, solid_b) = (self.a.solid().is_some(), self.b.solid().is_some());
        let Some(normal) = normal else {
            let missing = (solid_a && of_a.1) || (solid_b && of_b.1);
            return if missing { Err(Refusal::Normal) } else { Ok(()) };
        };
        check_unit(normal)?;
        let is_along = |triangle: &Triangle, sign: f64| {
            let (e, f) = (triangle[1] - triangle[0], triangle[2] - triangle[0]);
            let face = e.cross(f);
            // The normal of a sliver is as accurate as its corners, which are placed and multiplied in double
            // precision.
            let sizes = (e.length() * f.length()).to_f64();
            let doubt = tolerance * (e.length() + f.length()).to_f64() + ACCURACY * sizes;
            let off = face - DoubleDoubleVec3::from(normal * sign).scale(face.length());
            off.length().to_f64() <= doubt
        };
        let holds = (solid_a && of_a.0 && is_along(a, 1.0)) || (solid_b && of_b.0 && is_along(b, -1.0));
        if holds { Ok(()) } else { Err(Refusal::Normal) }
    }
}
