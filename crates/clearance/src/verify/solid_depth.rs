//! Verifies depths of solids.
//!
//! That a translation separates the solids is proved as for any other pair, for all triangles, after the translation.
//! That no shorter one does is proved by the cubes of the answer's proof: each by the distances, in double-double, of
//! its point from the surfaces; and that they cover the sphere, by subdividing the whole cube until each cell is one of
//! them or outside the sphere. For an answer without a proof the caller finds one ([`Hints::depth_proof`]), which is
//! checked in the same way and need not be trusted.

use std::collections::HashMap;

use glam::DVec3;

use crate::answer::method::Method;
use crate::answer::penetration::Penetration;
use crate::answer::solid_depth::{DepthLabel, DepthProof, SolidDepth};
use crate::math::cancel::checkpoint;
use crate::math::double_double::DoubleDoubleVec3;
use crate::math::pose::Pose;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::{Mesh, Shape};
use crate::verify::answer::Check;
use crate::verify::bodies::Bodies;
use crate::verify::body::Part;
use crate::verify::boxes::Boxes;
use crate::verify::depth_along::moved;
use crate::verify::height_field_pair::GroundClaim;
use crate::verify::hint::Hints;
use crate::verify::refusal::{Refusal, check_numbers};
use crate::verify::triangles::{PointSide, side_of};
use crate::verify::truth::Truth;

impl Check for SolidDepth {
    /// Bodies without a mesh: the answer of an exact query.
    fn check(&self, truth: &Truth) -> Result<(), Refusal> {
        self.penetration.check(truth)
    }

    fn enlarged(&self, factor: f64) -> SolidDepth {
        self.scaled(factor)
    }

    fn parts(&self) -> ((u32, u32), Option<bool>) {
        self.penetration.parts()
    }

    fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> SolidDepth {
        SolidDepth { penetration: self.penetration.with_parts(named), ..self.clone() }
    }

    fn in_parts(&self, a: &Pose, b: &Pose) -> SolidDepth {
        SolidDepth { penetration: self.penetration.in_parts(a, b), ..self.clone() }
    }

    fn ground_claim(&self) -> GroundClaim {
        self.penetration.ground_claim()
    }

    fn check_meshes(&self, bodies: &Bodies<'_>, _: &mut dyn Hints) -> Result<(), Refusal> {
        // An estimate proves no depth.
        if self.label == DepthLabel::Estimate && self.penetration.depth.lower > 0.0 {
            return Err(Refusal::Verdict);
        }
        check_way_out(&self.penetration, bodies)?;
        check_proof(&self.proof, self.penetration.depth.lower, bodies)
    }
}

/// Checks the depth of a pair with at least one mesh.
pub(crate) fn check_penetration(
    answer: &Penetration,
    bodies: &Bodies<'_>,
    hints: &mut dyn Hints,
) -> Result<(), Refusal> {
    check_way_out(answer, bodies)?;
    if answer.depth.lower == 0.0 {
        return Ok(());
    }
    let [a, b] = bodies.given();
    let refused = Refusal::Lower { claimed: answer.depth.lower, proved: 0.0 };
    let proof = hints.depth_proof(a, b, answer.depth.lower).ok_or(refused)?;
    check_proof(&proof, answer.depth.lower, bodies)
}

/// The translation separates the bodies, and the points are where they then touch.
fn check_way_out(answer: &Penetration, bodies: &Bodies<'_>) -> Result<(), Refusal> {
    check_numbers(&[
        ("depth", answer.depth.value),
        ("lower", answer.depth.lower),
        ("upper", answer.depth.upper),
        ("placement", answer.placement),
        ("point_in_a", answer.witness.a.point.element_sum()),
        ("point_in_b", answer.witness.b.point.element_sum()),
        ("normal", answer.normal.element_sum()),
    ])?;
    if answer.depth.lower < 0.0 {
        return Err(Refusal::NoNumber { field: "lower" });
    }
    if !(answer.depth.lower <= answer.depth.value && answer.depth.value <= answer.depth.upper) {
        return Err(Refusal::Disordered);
    }
    if (answer.normal.length() - 1.0).abs() > 8.0 * UNIT_ROUNDOFF {
        return Err(Refusal::Normal);
    }
    if answer.method != Method::Solids {
        return Err(Refusal::Method);
    }
    bodies.check_placement(answer.placement)?;
    let [(a, pose_a), (b, pose_b)] = bodies.given();
    let refused = Refusal::Upper { claimed: answer.depth.upper, proved: f64::INFINITY };
    let (poses, lost) = moved([pose_a, pose_b], answer.normal, answer.depth.upper).ok_or(refused.clone())?;
    let after = Bodies::new((a, &poses[0]), (b, &poses[1]), bodies.quantum());
    after.check_apart(lost.max(f64::MIN_POSITIVE), answer.normal).map_err(|_| refused)?;
    // The points: on the named features, and coincident after the translation; for separated bodies, along the normal.
    let tolerance = 1e-11 * bodies.scale() + bodies.own_rounding();
    bodies.check_touching(
        (answer.witness.a.point, answer.witness.b.point),
        (answer.witness.a.part, answer.witness.b.part),
        (answer.witness.a.feature, answer.witness.b.feature),
        tolerance,
    )?;
    let between = bodies.between(answer.witness.a.point, answer.witness.b.point);
    let length = if answer.depth.upper > 0.0 { answer.depth.value } else { -between.length().to_f64() };
    let off = (between - DoubleDoubleVec3::from(answer.normal * length)).length().to_f64();
    if off > tolerance {
        return Err(Refusal::Witness { body: "A and B", off });
    }
    Ok(())
}

/// A solid queried for containment of many points.
struct Judge {
    triangles: Vec<[DVec3; 3]>,
    boxes: Boxes,
}

impl Judge {
    fn new(mesh: &Mesh) -> Judge {
        let points: Vec<DVec3> = mesh.points().collect();
        let triangles: Vec<_> = mesh.triangles().iter().map(|t| t.map(|p| points[p as usize])).collect();
        let about = |[p, q, r]: &[DVec3; 3]| [p.min(*q).min(*r), p.max(*q).max(*r)];
        let boxes = Boxes::new(&triangles.iter().map(about).collect::<Vec<_>>());
        Judge { triangles, boxes }
    }

    fn is_inside(&self, point: DVec3) -> bool {
        let mut over = Vec::new();
        self.boxes.over(point, |item| over.push(self.triangles[item as usize]));
        side_of(over.into_iter(), point) == PointSide::Inside
    }
}

/// The body as a solid mesh, if it is one or a polytope. A mesh whose triangles cross bounds none.
pub(crate) fn as_solid(shape: &Shape) -> Option<Mesh> {
    let Shape::Mesh(mesh) = shape else {
        let part = Part::new(shape, &Pose::IDENTITY);
        let points: Vec<[f64; 3]> = part.vertices.iter().map(|point| point.to_array()).collect();
        let is_flat_faced = part.solid && part.radius == 0.0;
        return Mesh::new(&points, &part.triangles).ok().filter(|_| is_flat_faced)?.solid().ok();
    };
    let solid = if mesh.is_solid() { mesh.clone() } else { mesh.solid().ok()? };
    solid.self_crossing().crossing.is_none().then_some(solid)
}

/// No translation shorter than `lower` separates the bodies.
fn check_proof(proof: &DepthProof, lower: f64, bodies: &Bodies<'_>) -> Result<(), Refusal> {
    if lower == 0.0 {
        return Ok(());
    }
    let refused = |proved: f64| Refusal::Lower { claimed: lower, proved };
    let [(a, pose_a), (b, pose_b)] = bodies.given();
    let (Some(mesh_a), Some(mesh_b)) = (as_solid(a), as_solid(b)) else { return Err(refused(0.0)) };
    let (shape_a, shape_b) = (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b));
    let bodies = Bodies::new((&shape_a, pose_a), (&shape_b, pose_b), bodies.quantum());
    // The body whose frame the translations are in, and the one that is moved.
    let moved_is_a = proof.moves_a;
    let frame = if moved_is_a { pose_b } else { pose_a };
    let (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) = (&shape_a, &shape_b) else { return Err(refused(0.0)) };
    let judges = [Judge::new(mesh_a), Judge::new(mesh_b)];
    let defect = pose_a.defect().max(pose_b.defect());
    let mut cubes = HashMap::new();
    for cube in &proof.cubes {
        if !cube.point.is_finite() || !cube.middle.is_finite() || !cube.half.is_finite() {
            return Err(refused(0.0));
        }
        cubes.insert((cube.middle.to_array().map(|x| (x + 0.0).to_bits()), cube.half.to_bits()), cube.point);
    }
    let whole_is_exact = proof.side > 0.0 && proof.side.is_finite() && proof.side.to_bits().trailing_zeros() >= 52;
    if !whole_is_exact {
        return Err(refused(0.0));
    }
    // Lengths in the frame are those of the world up to the defect.
    let radius = lower * (1.0 + 2.0 * defect + 8.0 * UNIT_ROUNDOFF);
    if radius > proof.side {
        return Err(refused(proof.side));
    }
    let mut open = vec![(DVec3::ZERO, proof.side)];
    while let Some((middle, half)) = open.pop() {
        checkpoint();
        let near = (middle.abs() - half).max(DVec3::ZERO).length() * (1.0 - 8.0 * UNIT_ROUNDOFF);
        if near >= radius {
            continue;
        }
        let key = (middle.to_array().map(|x| (x + 0.0).to_bits()), half.to_bits());
        if let Some(&point) = cubes.get(&key) {
            let needed = half * 3f64.sqrt() * (1.0 + 2.0 * defect + 8.0 * UNIT_ROUNDOFF);
            let by = DoubleDoubleVec3::from(middle).transformed_by(&frame.rotation());
            let room =
                bodies.room_of_two(moved_is_a, point, by, &judges.each_ref().map(|judge| |p| judge.is_inside(p)));
            if room < needed {
                return Err(refused(near));
            }
            continue;
        }
        if half <= proof.side * 2f64.powi(-40) {
            return Err(refused(near));
        }
        let half = 0.5 * half;
        for corner in 0..8u32 {
            let sign = |axis: u32| if corner >> axis & 1 == 0 { -half } else { half };
            open.push((middle + DVec3::new(sign(0), sign(1), sign(2)), half));
        }
    }
    Ok(())
}
