//! Proved bounds on the gap of two convex bodies, or of two parts of bodies, in double-double arithmetic.
//!
//! - lower bounds of a gap, by the planes across a normal: all vertices of A below, all of B above;
//! - upper bounds of a gap, by two points that provably belong to the bodies;
//! - `placement`, by placing every vertex and measuring the result;
//! - witness points and features, by their definitions.
//!
//! Lower bounds of a depth are in `depth.rs`.

use glam::DVec3;

use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, FEATURE, UNIT_ROUNDOFF};
use crate::shape::Feature;
use crate::shape::Shape;
use crate::verify::body::{CorePiece, HalfSpaceBound, Part};
use crate::verify::parts::{Measured, Whole};
use crate::verify::refusal::Refusal;
use crate::verify::triangles::TwoTriangles;

/// Both bodies, and the numbers that every check needs.
pub struct Truth {
    pub(crate) a: Part,
    pub(crate) b: Part,
    /// `L` of the contract.
    pub(crate) scale: f64,
    pub(crate) defect: f64,
    /// A bound on the rounding of double-double work in world coordinates.
    pub(crate) rounding: f64,
    /// The same for the two named parts, where others may lie farther out.
    pub(crate) rounding_of_two: f64,
    /// How finely a point can be stored in the bodies' local frames.
    pub(crate) own_rounding: f64,
    /// How finely the numbers of the answer could be stored.
    pub(crate) quantum: f64,
    /// All parts of both, for compounds; `a` and `b` are then the two that the answer names.
    pub(crate) whole: Option<Whole>,
}

impl Truth {
    /// Whether the work on such bodies may be capped: if one is curved or a compound. The depth of two convex
    /// polyhedra, with or without radii, is always found.
    pub(crate) fn may_be_capped(&self) -> bool {
        self.a.round.is_some() || self.b.round.is_some() || self.whole.is_some()
    }

    /// Two parts of bodies, at least one of them a compound; `None` if there are no such parts.
    pub(crate) fn of_parts(
        (a, pose_a): (&Shape, &Pose),
        (b, pose_b): (&Shape, &Pose),
        (part_a, part_b): (u32, u32),
        quantum: f64,
    ) -> Option<Truth> {
        let mut whole = Whole::new(a, pose_a, b, pose_b);
        let start = pose_a.translation();
        whole.all().for_each(|part| part.measure_from(start));
        let measured = whole.measure();
        let named = |shape: &Shape, pose: &Pose, index: u32| {
            let mut part = match shape {
                Shape::Compound(compound) => {
                    let (inner, shape) = compound.parts().get(index as usize)?;
                    Part::of_compound(shape, inner, pose)
                }
                whole => (index == 0).then(|| Part::new(whole, pose))?,
            };
            part.measure_from(start);
            Some(part)
        };
        let (part_a, part_b) = (named(a, pose_a, part_a)?, named(b, pose_b, part_b)?);
        let rounding_of_two = 2e-30 * part_a.world_coordinates().max(part_b.world_coordinates());
        let two = Truth::of_two(part_a, part_b, &measured, quantum);
        Some(Truth { whole: Some(whole), rounding_of_two, ..two })
    }

    pub(crate) fn new(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, quantum: f64) -> Truth {
        let (mut a, mut b) = (Part::new(a, pose_a), Part::new(b, pose_b));
        // In a common frame, world coordinates are relative to a point of A.
        let shift = if pose_a == pose_b { a.vertices[0] } else { DVec3::ZERO };
        for part in [&mut a, &mut b] {
            part.measure_from(pose_a.translation());
            part.shift = shift;
        }
        Truth::between(a, b, quantum)
    }

    /// Two parts of bodies of known sizes.
    pub(crate) fn of_two(a: Part, b: Part, measured: &Measured, quantum: f64) -> Truth {
        Truth {
            a,
            b,
            scale: measured.scale,
            defect: measured.defect,
            rounding: 1e-30 * measured.coordinates,
            rounding_of_two: 1e-30 * measured.coordinates,
            // To a part's frame and back.
            own_rounding: 16.0 * UNIT_ROUNDOFF * measured.own_coordinates + quantum,
            quantum,
            whole: None,
        }
    }

    /// Two decomposed bodies, neither of them a compound.
    pub(crate) fn between(a: Part, b: Part, quantum: f64) -> Truth {
        let ((middle_a, size_a), (middle_b, size_b)) = (a.extent(), b.extent());
        let apart = (b.world(middle_b) - a.world(middle_a)).length().to_f64();
        let (own_a, own_b) = (a.own_coordinates(), b.own_coordinates());
        let coordinates = a.world_coordinates() + b.world_coordinates();
        Truth {
            scale: size_a + size_b + apart + 2.0 * (a.radius + b.radius),
            defect: a.defect().max(b.defect()),
            rounding: 1e-30 * coordinates,
            rounding_of_two: 1e-30 * coordinates,
            own_rounding: 4.0 * UNIT_ROUNDOFF * (own_a + own_b) + quantum,
            quantum,
            a,
            b,
            whole: None,
        }
    }

    /// Two parts by number; bodies that are not compounds are their own part, number 0.
    pub(crate) fn parts(&self, part_a: u32, part_b: u32) -> Option<(&Part, &Part)> {
        match &self.whole {
            Some(whole) => Some((whole.a.get(part_a as usize)?, whole.b.get(part_b as usize)?)),
            None => ((part_a, part_b) == (0, 0)).then_some((&self.a, &self.b)),
        }
    }

    /// True when a body is a compound.
    pub(crate) fn has_parts(&self) -> bool {
        self.whole.is_some()
    }

    pub(crate) fn radii(&self) -> DoubleDouble {
        DoubleDouble::from_sum(self.a.radius, self.b.radius)
    }

    /// How far a stored witness point may be from its true position.
    pub(crate) fn point_tolerance(&self) -> f64 {
        (ACCURACY + self.defect) * self.scale + self.own_rounding
    }

    /// The signed gap is at least `claimed`, by the planes across `normal`.
    pub(crate) fn check_lower(&self, claimed: f64, normal: DVec3) -> Result<(), Refusal> {
        let length = DoubleDoubleVec3::from(normal).length();
        if (length.to_f64() - 1.0).abs() > ACCURACY {
            return Err(Refusal::Normal);
        }
        if let Some(whole) = &self.whole {
            // Compounds that are not apart: B is moved out first.
            let (claimed_there, by) = if claimed > 0.0 { (claimed, 0.0) } else { (0.0, -claimed) };
            return whole
                .check_apart(claimed_there, normal, by, self.rounding)
                .map_err(|missing| Refusal::Lower { claimed, proved: claimed - missing });
        }
        if let Some((plane, other, sign)) = self.plane() {
            return self.check_above_plane(claimed, normal * sign, &plane, other);
        }
        let proved = self.gap_along(normal) / length - self.radii() - DoubleDouble::from(self.rounding);
        if DoubleDouble::from(claimed) <= proved {
            Ok(())
        } else {
            Err(Refusal::Lower { claimed, proved: proved.to_f64() })
        }
    }

    /// The plane of a half-space among the two, the other body, and 1 if the half-space is A, else -1.
    pub(crate) fn plane(&self) -> Option<(HalfSpaceBound, &Part, f64)> {
        match (self.a.world_plane(), self.b.world_plane()) {
            (Some(plane), _) => Some((plane, &self.b, 1.0)),
            (None, Some(plane)) => Some((plane, &self.a, -1.0)),
            (None, None) => None,
        }
    }

    /// The signed gap of a half-space and another body is at least `claimed`: only the plane's own normal can show it.
    pub(crate) fn check_above_plane(
        &self,
        claimed: f64,
        normal: DVec3,
        plane: &HalfSpaceBound,
        other: &Part,
    ) -> Result<(), Refusal> {
        if claimed == -f64::MAX && other.plane.is_some() {
            // For two half-spaces with an unbounded common part nothing is claimed.
            return Ok(());
        }
        if (DoubleDoubleVec3::from(normal) - plane.normal).length().to_f64() > ACCURACY {
            return Err(Refusal::Normal);
        }
        let lowest = match other.world_plane() {
            None => -other.support_along(-plane.normal) - plane.level,
            // A second plane bounds the gap only if it faces the first, to the last digit available.
            Some(second) if (second.normal + plane.normal).length().to_f64() <= 1e-29 => -(second.level + plane.level),
            Some(_) => DoubleDouble::from(-f64::MAX),
        };
        let proved = lowest - DoubleDouble::from(other.radius) - DoubleDouble::from(self.rounding);
        if DoubleDouble::from(claimed) <= proved {
            Ok(())
        } else {
            Err(Refusal::Lower { claimed, proved: proved.to_f64() })
        }
    }

    /// The signed gap of a half-space and another body is at most `claimed`: by a piece of the other near `point` or,
    /// if that is a half-space too, because they are not exactly opposite.
    pub(crate) fn check_below_plane(
        &self,
        claimed: f64,
        point: DVec3,
        plane: &HalfSpaceBound,
        other: &Part,
    ) -> Result<(), Refusal> {
        let above = match other.world_plane() {
            None => other.nearest(point, 0.0).above(plane),
            Some(second) if (second.normal + plane.normal).length().to_f64() <= 1e-29 => -(second.level + plane.level),
            Some(_) => DoubleDouble::from(-f64::MAX),
        };
        let proved = above - DoubleDouble::from(other.radius) + DoubleDouble::from(self.rounding);
        if proved <= DoubleDouble::from(claimed) {
            Ok(())
        } else {
            Err(Refusal::Upper { claimed, proved: proved.to_f64() })
        }
    }

    /// The signed gap is at most `claimed`, by two points near the given ones (in local frames).
    pub(crate) fn check_upper(&self, claimed: f64, point_a: DVec3, point_b: DVec3) -> Result<(), Refusal> {
        if let Some((plane, other, sign)) = self.plane() {
            let point = if sign > 0.0 { point_b } else { point_a };
            return self.check_below_plane(claimed, point, &plane, other);
        }
        let within = self.point_tolerance();
        let [near_a, near_b] =
            [(&self.a, point_a), (&self.b, point_b)].map(|(part, point)| part.nearest(point, within));
        let first = self.check_upper_by(claimed, (point_a, &near_a), (point_b, &near_b), f64::INFINITY);
        if first.is_ok() {
            return first;
        }
        // Rounded to its local frame, a surface point may lie just inside.
        let to_surface = |part: &Part, point: DVec3, near: CorePiece| match (near, part.nearest_surface(point)) {
            (CorePiece::Ball(centre, _), piece) if (piece.project(centre) - centre).length().to_f64() <= within => {
                piece
            }
            (near, _) => near,
        };
        let (near_a, near_b) = (to_surface(&self.a, point_a, near_a), to_surface(&self.b, point_b, near_b));
        let second = self.check_upper_by(claimed, (point_a, &near_a), (point_b, &near_b), within);
        if second.is_ok() {
            return second;
        }
        let third = self.check_upper_by_triangles(claimed, point_a, point_b);
        // If none proves it, the best one gives the shortfall.
        let proved = |answer: &Result<(), Refusal>| match answer {
            Err(Refusal::Upper { proved, .. }) => *proved,
            _ => f64::INFINITY,
        };
        let best = proved(&first).min(proved(&second)).min(proved(&third));
        third.map_err(|_| Refusal::Upper { claimed, proved: best })
    }

    /// The signed gap is at most `claimed`, by two of the triangles near the given points. Alternating projections
    /// converge more slowly the smaller the angle between them is, and a rounded point may lie next to a neighbour of
    /// its own triangle.
    #[cold]
    pub(crate) fn check_upper_by_triangles(&self, claimed: f64, point_a: DVec3, point_b: DVec3) -> Result<(), Refusal> {
        let mut proved = f64::INFINITY;
        // No two points are closer than zero.
        if DoubleDouble::from(claimed) + self.radii() < DoubleDouble::ZERO {
            return Err(Refusal::Upper { claimed, proved });
        }
        let within = self.point_tolerance();
        let (near_a, near_b) = (self.a.triangles_near(point_a, within), self.b.triangles_near(point_b, within));
        for (a, b) in near_a.iter().flat_map(|a| near_b.iter().map(move |b| (a, b))) {
            // Crossing triangles may miss each other by the rounding of their corners.
            let apart = TwoTriangles { a, b, rounding: self.rounding }.at_most().max(4.0 * self.rounding);
            let bound = DoubleDouble::from(apart) - self.radii() + DoubleDouble::from(self.rounding);
            if bound <= DoubleDouble::from(claimed) {
                return Ok(());
            }
            proved = proved.min(bound.to_f64());
        }
        Err(Refusal::Upper { claimed, proved })
    }

    /// Like [`Truth::check_upper`], for surface points that face each other along a normal. A radius leads from the
    /// core to the surface along the world normal. In a non-rigid frame, the core point nearest to a surface point is
    /// not the one it was offset from: it is off by about the defect times the radius, which lengthens the gap by the
    /// square of that. So the offset is undone along the normal.
    pub(crate) fn check_upper_along(
        &self,
        claimed: f64,
        point_a: DVec3,
        point_b: DVec3,
        normal: DVec3,
    ) -> Result<(), Refusal> {
        self.check_upper(claimed, point_a, point_b).or_else(|refusal| {
            let (core_a, core_b) = (self.a.core_below(point_a, normal), self.b.core_below(point_b, -normal));
            self.check_upper(claimed, core_a, core_b).map_err(|_| refusal)
        })
    }

    /// The signed gap is at most `claimed`, by two points of the pieces `near_a` and `near_b`, each within `within` of
    /// the given one.
    pub(crate) fn check_upper_by(
        &self,
        claimed: f64,
        (point_a, near_a): (DVec3, &CorePiece),
        (point_b, near_b): (DVec3, &CorePiece),
        within: f64,
    ) -> Result<(), Refusal> {
        let (given_a, given_b) = (self.a.world(point_a), self.b.world(point_b));
        let mut q_a = near_a.project(given_a);
        let mut q_b = near_b.project(given_b);
        let mut proved = f64::INFINITY;
        // The given points are rounded to their local frames; alternating projections between the two pieces undo that.
        for _ in 0..16 {
            let bound = (q_b - q_a).length() - self.radii() + DoubleDouble::from(self.rounding_of_two);
            let strayed = (q_a - given_a).length().to_f64().max((q_b - given_b).length().to_f64());
            if strayed > within {
                break;
            }
            if bound <= DoubleDouble::from(claimed) {
                return Ok(());
            }
            proved = bound.to_f64().min(proved);
            q_a = near_a.project(q_b);
            q_b = near_b.project(q_a);
        }
        Err(Refusal::Upper { claimed, proved })
    }

    /// Two core points are no farther apart than the upper bound they are to prove, up to the rounding of both:
    /// [`Truth::check_upper`] alone would accept any point of the face that the given one lies on. Against a half-space
    /// it takes the point as it is.
    pub(crate) fn check_between(&self, claimed: f64, point_a: DVec3, point_b: DVec3) -> Result<(), Refusal> {
        if self.plane().is_some() {
            return Ok(());
        }
        let between = (self.b.world(point_b) - self.a.world(point_a)).length() - self.radii();
        let proved = (between - DoubleDouble::from(claimed)).to_f64();
        let rounding = 2.0 * self.point_tolerance() + (self.a.slack() + self.b.slack());
        if proved <= rounding { Ok(()) } else { Err(Refusal::Upper { claimed, proved: between.to_f64() }) }
    }

    /// Every vertex is placed within `claimed`, in one of the two frames; and `claimed` is not needlessly wide.
    pub(crate) fn check_placement(&self, claimed: f64) -> Result<(), Refusal> {
        if self.whole.is_some() {
            // How poses of parts are composed is internal to the engine: only the usefulness of the bound is checked
            // here. Two placements, each less than 40u of `L`, and local coordinates.
            let useful = 96.0 * UNIT_ROUNDOFF * self.scale + self.own_rounding;
            let holds = claimed >= 0.0 && claimed <= useful;
            return if holds { Ok(()) } else { Err(Refusal::Placement { claimed, seen: 0.0 }) };
        }
        let off = |frame: &Part, moved: &Part| {
            let map = Placement::new(&frame.pose, frame.origin, &moved.pose, moved.origin);
            let world_origin = frame.world(frame.origin);
            let displaced = moved.vertices.iter().map(|&vertex| {
                let placed = DoubleDoubleVec3::from(map.place(vertex - moved.origin));
                let landed = world_origin + placed.transformed_by(&frame.pose.rotation());
                (landed - moved.world(vertex)).length().to_f64()
            });
            displaced.fold(0.0, f64::max)
        };
        let seen = off(&self.a, &self.b).min(off(&self.b, &self.a));
        // The derivations in `tolerances` add up to less than 40u; local coordinates enter with their offsets.
        let useful = 64.0 * UNIT_ROUNDOFF * self.scale + self.own_rounding;
        let allowed = claimed * (1.0 + 2.0 * self.defect) + self.rounding;
        if claimed >= 0.0 && seen <= allowed && claimed <= useful {
            Ok(())
        } else {
            Err(Refusal::Placement { claimed, seen })
        }
    }

    /// A witness point lies on its body: within the radius of the core, and (`on_surface`) not deeper.
    pub(crate) fn check_witness(
        &self,
        part: &Part,
        body: &'static str,
        point: DVec3,
        on_surface: bool,
    ) -> Result<(), Refusal> {
        let world = part.world(point);
        if let Some(plane) = part.world_plane() {
            let above = plane.above(world).to_f64();
            let off = if on_surface { above.abs() } else { above };
            return if off <= self.point_tolerance() { Ok(()) } else { Err(Refusal::Witness { body, off }) };
        }
        let core = (part.nearest(point, 0.0).project(world) - world).length().to_f64();
        let off = if on_surface && part.radius > 0.0 { (core - part.radius).abs() } else { core - part.radius };
        if off <= self.point_tolerance() + part.slack() { Ok(()) } else { Err(Refusal::Witness { body, off }) }
    }

    /// A point of the evidence lies in the core of its body.
    pub(crate) fn check_core_point(&self, part: &Part, body: &'static str, point: DVec3) -> Result<(), Refusal> {
        if part.plane.is_some() {
            return self.check_witness(part, body, point, false);
        }
        let world = part.world(point);
        let off = (part.nearest(point, 0.0).project(world) - world).length().to_f64();
        if off <= self.point_tolerance() + part.slack() { Ok(()) } else { Err(Refusal::Witness { body, off }) }
    }

    /// A feature contains its witness point; or it is `Interior`, where a solid's point need not lie on the surface.
    pub(crate) fn check_feature(
        &self,
        part: &Part,
        body: &'static str,
        feature: Feature,
        point: DVec3,
        may_be_interior: bool,
    ) -> Result<(), Refusal> {
        let holds = if feature == Feature::Interior {
            may_be_interior && (part.solid || part.round.is_some())
        } else {
            let tolerance = (FEATURE + self.defect) * self.scale + self.own_rounding + part.slack();
            // Offsetting by a radius may end below the surface if the search was stopped early.
            let below = if may_be_interior { part.radius } else { tolerance };
            part.distance_to(feature, point).is_some_and(|off| off <= tolerance && off >= -below)
        };
        if holds { Ok(()) } else { Err(Refusal::Feature { body }) }
    }

    /// The signed gap between the planes across `normal`, not yet divided by its length.
    pub(crate) fn gap_along(&self, normal: DVec3) -> DoubleDouble {
        if let Some((plane, other, _)) = self.plane() {
            let facing = other.world_plane().map(|second| -second.level);
            return facing.unwrap_or_else(|| -other.support_along(-plane.normal)) - plane.level;
        }
        -(self.b.support(-normal) + self.a.support(normal))
    }
}
