//! Verifies the curves along which two meshes intersect, independently of the code that linked them.
//!
//! Which triangles meet is decided exactly for the pair as placed in either frame, box by box
//! (`contacts_of_meshes.rs`).
//! - **each segment** lies in both triangles it names, and these meet;
//! - **no segment occurs twice**;
//! - **none is missing**: wherever an edge of a triangle clearly passes through a triangle of the other mesh, there is
//!   a curve;
//! - **the normal**, in A's frame, is that of the enclosed area, and the curve then runs along `normal_a x normal_b`; a
//!   missing normal is accepted where the curve is open, encloses no area, or changes direction.
//!
//! How segments are linked where several end is not proved beyond that.

use glam::DVec3;

use crate::answer::contact_curve::{ContactCurve, ContactCurvesOptions};
use crate::geom::closest::closest_on_segment;
use crate::math::double_double::DoubleDoubleVec3;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, VERIFY_CURVE_SINE};
use crate::shape::{Mesh, Shape};
use crate::verify::bodies::Bodies;
use crate::verify::project::project_on_triangle;
use crate::verify::refusal::{Refusal, check_unit};
use crate::verify::scale::{enlarged, quantum};
use crate::verify::triangles::{Triangle, piercings};

/// Verifies the curves along which two meshes intersect.
pub(crate) fn verify_contact_curves(
    curves: &[ContactCurve],
    (a, pose_a): (&Mesh, &Pose),
    (b, pose_b): (&Mesh, &Pose),
    options: &ContactCurvesOptions,
) -> Result<(), Refusal> {
    let (a, b) = (Shape::Mesh(a.clone()), Shape::Mesh(b.clone()));
    if let Some(large) = enlarged((&a, pose_a), (&b, pose_b)) {
        let scaled = |curve: &ContactCurve| {
            let mut curve = curve.clone();
            curve.points.iter_mut().for_each(|point| *point *= large.factor);
            curve
        };
        let curves: Vec<ContactCurve> = curves.iter().map(scaled).collect();
        let bodies = Bodies::new((&large.a.0, &large.a.1), (&large.b.0, &large.b.1), quantum(large.factor));
        return bodies.check_curves(&curves, options);
    }
    Bodies::new((&a, pose_a), (&b, pose_b), 0.0).check_curves(curves, options)
}

impl Bodies<'_> {
    fn check_curves(&self, curves: &[ContactCurve], options: &ContactCurvesOptions) -> Result<(), Refusal> {
        let lowest = |curve: &ContactCurve| curve.pairs.iter().min().copied();
        if curves.windows(2).any(|two| lowest(&two[0]) > lowest(&two[1])) {
            return Err(Refusal::Disordered);
        }
        let is_again = |(k, curve): (usize, &ContactCurve)| {
            let alike = curves[k + 1..].iter().take_while(|other| lowest(other) == lowest(curve));
            alike.into_iter().any(|other| other == curve)
        };
        if curves.iter().enumerate().any(is_again) {
            return Err(Refusal::Count { field: "curves" });
        }
        for curve in curves {
            self.check_curve(curve)?;
        }
        let mut first = self.meeting_triangles(false);
        let mut other = self.meeting_triangles(true);
        let named = |met: &[[u32; 2]]| curves.iter().flat_map(|curve| &curve.pairs).all(|pair| met.contains(pair));
        if !named(&first) {
            std::mem::swap(&mut first, &mut other);
            if !named(&first) {
                return Err(Refusal::Part);
            }
        }
        if first.is_empty() != curves.is_empty() && options.most_pairs > 0 {
            return Err(Refusal::Verdict);
        }
        // A search that was told to stop returns only some of the curves.
        if first.len() > options.most_pairs {
            return Ok(());
        }
        first.iter().try_for_each(|pair| self.check_none_missing(curves, *pair))
    }

    fn tolerance_of_curves(&self) -> f64 {
        (ACCURACY + self.measured.defect) * self.measured.scale + self.own_rounding()
    }

    fn corners_of(&self, [i, j]: [u32; 2]) -> Result<(Triangle, Triangle), Refusal> {
        let (Some(a), Some(b)) = (self.a.mesh(), self.b.mesh()) else { return Err(Refusal::Part) };
        let is_there = |posed: &Mesh, number: u32| (number as usize) < posed.triangle_count();
        if !is_there(a.mesh, i) || !is_there(b.mesh, j) {
            return Err(Refusal::Part);
        }
        Ok((a.world(i), b.world(j)))
    }

    fn check_curve(&self, curve: &ContactCurve) -> Result<(), Refusal> {
        let ContactCurve { points, closed, pairs, normal } = curve;
        let segments = if *closed { points.len() } else { points.len().saturating_sub(1).max(1) };
        let too_few = points.is_empty() || *closed && points.len() < 2;
        if too_few || pairs.len() != segments || normal.is_some() && !closed {
            return Err(Refusal::Verdict);
        }
        if points.iter().any(|point| !point.is_finite()) {
            return Err(Refusal::NoNumber { field: "points" });
        }
        let tolerance = self.tolerance_of_curves();
        let places: Vec<DoubleDoubleVec3> = points.iter().map(|&point| self.a.world(point)).collect();
        // How many segments run along `normal_a x normal_b`, and how many against it.
        let (mut along, mut against) = (0, 0);
        for (k, pair) in pairs.iter().enumerate() {
            let (a, b) = self.corners_of(*pair)?;
            let ends = [places[k], places[(k + 1) % places.len()]];
            for end in ends {
                for (triangle, body) in [(&a, "A"), (&b, "B")] {
                    let off = (project_on_triangle(end, triangle[0], triangle[1], triangle[2]) - end).length().to_f64();
                    if off > tolerance {
                        return Err(Refusal::Witness { body, off });
                    }
                }
            }
            let face = |t: &Triangle| (t[1] - t[0]).cross(t[2] - t[0]).to_vec3();
            let (faces, way) = ([face(&a), face(&b)], (ends[1] - ends[0]).to_vec3());
            let direction = faces[0].cross(faces[1]);
            let side = direction.dot(way);
            // Almost parallel triangles, and segments as short as rounding, have no direction.
            let sizes = faces[0].length() * faces[1].length();
            let doubt = VERIFY_CURVE_SINE * sizes * way.length() + 4.0 * tolerance * direction.length();
            along += usize::from(side > doubt);
            against += usize::from(side < -doubt);
        }
        self.check_curve_normal(curve, &places, (along, against))
    }

    fn check_curve_normal(
        &self,
        curve: &ContactCurve,
        places: &[DoubleDoubleVec3],
        (along, against): (usize, usize),
    ) -> Result<(), Refusal> {
        let Some(first) = places.first() else { return Err(Refusal::Verdict) };
        let relative: Vec<DVec3> = places.iter().map(|&place| (place - *first).to_vec3()).collect();
        let next = |k: usize| relative[(k + 1) % relative.len()];
        let area: DVec3 = relative.iter().enumerate().map(|(k, &point)| point.cross(next(k))).sum();
        let around: f64 = relative.iter().enumerate().map(|(k, &point)| point.distance(next(k))).sum();
        // Corners off by the tolerance change the area by half of that times the perimeter.
        let doubt = 4.0 * self.tolerance_of_curves() * around;
        match curve.normal {
            Some(normal) => {
                check_unit(normal)?;
                let in_world = (self.a.pose.rotation() * normal).normalize_or_zero();
                let off = (area - in_world * area.length()).length();
                if off <= doubt + ACCURACY * area.length() && against == 0 { Ok(()) } else { Err(Refusal::Normal) }
            }
            // A loop that runs in one direction throughout and encloses an area has a normal.
            None if curve.closed && area.length() > doubt && along == curve.pairs.len() => Err(Refusal::Normal),
            None => Ok(()),
        }
    }

    /// Where an edge of one triangle clearly passes through the other, there is a curve.
    fn check_none_missing(&self, curves: &[ContactCurve], pair: [u32; 2]) -> Result<(), Refusal> {
        let (a, b) = self.corners_of(pair)?;
        let tolerance = self.tolerance_of_curves();
        for (place, sine) in piercings(&a, &b).chain(piercings(&b, &a)) {
            let off = curves.iter().map(|curve| self.off_curve(curve, place)).fold(f64::INFINITY, f64::min);
            if off * sine > tolerance * (1.0 + sine) {
                return Err(Refusal::Witness { body: "A and B", off });
            }
        }
        Ok(())
    }

    /// Distance of a world point from a curve.
    fn off_curve(&self, curve: &ContactCurve, place: DoubleDoubleVec3) -> f64 {
        let from = |point: DVec3| (self.a.world(point) - place).to_vec3();
        let segments = if curve.closed { curve.points.len() } else { curve.points.len().saturating_sub(1).max(1) };
        let off = |k: usize| {
            let next = curve.points[(k + 1) % curve.points.len()];
            closest_on_segment(DVec3::ZERO, from(curve.points[k]), from(next)).distance
        };
        (0..segments).map(off).fold(f64::INFINITY, f64::min)
    }
}
