//! Witness points of moving bodies of any kind: on the part and the feature that an answer names, or anywhere on the
//! body.
//!
//! A body is treated as convex parts, in the numbering of answers: itself, the parts of a compound, the triangles of a
//! mesh, and the prisms below the triangles of a height field. Membership in a part is decided as in `truth.rs`.

use glam::DVec3;

use crate::answer::witness::WitnessPoint;
use crate::geom::closest::closest_on_triangle;
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, UNIT_ROUNDOFF};
use crate::shape::{ConvexHull, Feature, HeightField, Mesh, Shape, Triangle};
use crate::verify::body::Part;
use crate::verify::refusal::Refusal;
use crate::verify::triangles::{PointSide, side_of};
use crate::verify::truth::Truth;

/// A feature of a mesh in the numbering of its triangle `number`, with these corners. `None` if it does not belong to
/// that triangle.
pub(crate) fn feature_of_triangle(corners: &[u32; 3], number: u32, feature: Feature) -> Option<Feature> {
    match feature {
        Feature::Vertex(point) => Some(Feature::Vertex(corners.iter().position(|&corner| corner == point)? as u32)),
        Feature::Edge(edge) => (edge / 3 == number).then_some(Feature::Edge(edge % 3)),
        Feature::Face(face) => (face == number).then_some(Feature::Face(0)),
        Feature::Interior => Some(Feature::Interior),
    }
}

/// A convex part of a body by number, with its pose in the body; for a height field the prism below a triangle, down to
/// well below `near`, with everything relevant within `size` of that. `None` if there is no such part.
pub(crate) fn part_of(shape: &Shape, number: u32, near: DVec3, size: f64) -> Option<(Pose, Shape)> {
    match shape {
        Shape::Mesh(mesh) => {
            let corners = *mesh.triangles().get(number as usize)?;
            let [p, q, r] = corners.map(|point| mesh.points().nth(point as usize));
            Some((Pose::IDENTITY, Shape::Triangle(Triangle::from_checked([p?, q?, r?]))))
        }
        Shape::Compound(compound) => compound.parts().get(number as usize).cloned(),
        Shape::HeightField(field) => {
            let corners = field.triangle(number)?;
            let lowest = corners.iter().map(|corner| corner.z).fold(near.z, f64::min);
            let spacing = field.spacing();
            let bottom = lowest - 4.0 * (size + spacing.x + spacing.y);
            let below = corners.map(|corner| corner.with_z(bottom));
            let points: Vec<[f64; 3]> = corners.iter().chain(&below).map(|point| point.to_array()).collect();
            Some((Pose::IDENTITY, Shape::Hull(ConvexHull::flat(&points).ok()?)))
        }
        whole => (number == 0).then(|| (Pose::IDENTITY, whole.clone())),
    }
}

/// The placed part of a body that a witness names, and the feature in the part's numbering.
fn named(shape: &Shape, pose: &Pose, witness: &WitnessPoint, size: f64) -> Option<(Part, Feature)> {
    let feature = match shape {
        Shape::Mesh(mesh) => {
            feature_of_triangle(mesh.triangles().get(witness.part as usize)?, witness.part, witness.feature)?
        }
        _ => witness.feature,
    };
    Some((part_at(shape, pose, witness, size)?, feature))
}

/// Two witness points lie on the parts and features that they name, and the planes across a normal separate these parts
/// by the distance of the points, up to `slack`.
pub(crate) fn check_witnesses(
    (a, pose_a, witness_a): (&Shape, &Pose, &WitnessPoint),
    (b, pose_b, witness_b): (&Shape, &Pose, &WitnessPoint),
    normal: DVec3,
    size: f64,
    slack: f64,
) -> Result<(), Refusal> {
    let (part_a, feature_a) = named(a, pose_a, witness_a, size).ok_or(Refusal::Part)?;
    let (part_b, feature_b) = named(b, pose_b, witness_b, size).ok_or(Refusal::Part)?;
    let two = Truth::between(part_a, part_b, 0.0);
    let own = (two.a.in_own_frame(witness_a.point), two.b.in_own_frame(witness_b.point));
    two.check_witness(&two.a, "A", own.0, true)?;
    two.check_witness(&two.b, "B", own.1, true)?;
    two.check_feature(&two.a, "A", feature_a, own.0, false)?;
    two.check_feature(&two.b, "B", feature_b, own.1, false)?;
    let between = (two.b.world(own.1) - two.a.world(own.0)).length().to_f64();
    let least = between - slack - 2.0 * two.point_tolerance();
    two.check_lower(least, normal).map_err(|_| Refusal::Normal)
}

/// Whether two witness points prove the parts that they name, and so the bodies, to be no farther apart than `upper`.
pub(crate) fn is_no_farther(
    (a, pose_a, witness_a): (&Shape, &Pose, &WitnessPoint),
    (b, pose_b, witness_b): (&Shape, &Pose, &WitnessPoint),
    upper: f64,
    size: f64,
) -> bool {
    let parts = (part_at(a, pose_a, witness_a, size), part_at(b, pose_b, witness_b, size));
    let (Some(part_a), Some(part_b)) = parts else { return false };
    let two = Truth::between(part_a, part_b, 0.0);
    let own = (two.a.in_own_frame(witness_a.point), two.b.in_own_frame(witness_b.point));
    two.check_upper(upper, own.0, own.1).is_ok()
}

/// The placed part of a body that a witness names.
fn part_at(shape: &Shape, pose: &Pose, witness: &WitnessPoint, size: f64) -> Option<Part> {
    let (inner, own) = part_of(shape, witness.part, witness.point, size)?;
    let in_compound = matches!(shape, Shape::Compound(_));
    Some(if in_compound { Part::of_compound(&own, &inner, pose) } else { Part::new(&own, pose) })
}

/// Distance of a point of a body's local frame from the body, in its frame: zero inside.
fn off_body(shape: &Shape, point: DVec3) -> f64 {
    match shape {
        Shape::Mesh(mesh) => off_mesh(mesh, point),
        Shape::HeightField(field) => off_field(field, point),
        Shape::Compound(compound) => compound
            .parts()
            .iter()
            .map(|(inner, part)| off_body(part, inner.inverse_transform_point(point)))
            .fold(f64::INFINITY, f64::min),
        convex => {
            let part = Part::new(convex, &Pose::IDENTITY);
            let here = part.world(point);
            if let Some(plane) = part.world_plane() {
                return plane.above(here).to_f64().max(0.0);
            }
            let core = (part.nearest(point, 0.0).project(here) - here).length().to_f64();
            (core - part.radius - part.slack()).max(0.0)
        }
    }
}

fn off_mesh(mesh: &Mesh, point: DVec3) -> f64 {
    let points: Vec<DVec3> = mesh.points().collect();
    let triangles = mesh.triangles();
    let corners = || triangles.iter().map(|triangle| triangle.map(|corner| points[corner as usize]));
    if mesh.is_solid() && side_of(corners(), point) != PointSide::Outside {
        return 0.0;
    }
    corners().map(|[p, q, r]| closest_on_triangle(point, p, q, r).distance).fold(f64::INFINITY, f64::min)
}

/// Below a triangle, a height field is a prism that extends down without end. Its point nearest to another is at the
/// other's height, beside or in it, if such a point exists; otherwise it is on the triangle.
fn off_field(field: &HeightField, point: DVec3) -> f64 {
    let level = |corner: DVec3| corner.with_z(0.0);
    let off = |[p, q, r]: [DVec3; 3]| {
        let beside = closest_on_triangle(level(point), level(p), level(q), level(r));
        let [u, v, w] = beside.weights;
        let height = u * p.z + v * q.z + w * r.z;
        if point.z <= height { beside.distance } else { closest_on_triangle(point, p, q, r).distance }
    };
    (0..field.triangle_count() as u32).filter_map(|k| field.triangle(k)).map(off).fold(f64::INFINITY, f64::min)
}

/// A point of a body's local frame belongs to the body. `scale` and `defect`: the size of the pair, which accuracy is
/// relative to, and the rigidity defect of both poses.
pub(crate) fn check_on_body(
    (shape, body): (&Shape, &'static str),
    point: DVec3,
    scale: f64,
    defect: f64,
) -> Result<(), Refusal> {
    if !point.is_finite() {
        return Err(Refusal::NoNumber { field: "point" });
    }
    let parts = match shape {
        Shape::Compound(compound) => compound.parts().iter().map(|(inner, _)| inner.defect()).fold(0.0, f64::max),
        _ => 0.0,
    };
    // To a part's frame and back, as in `verify` of two bodies.
    let tolerance = (ACCURACY + defect + parts) * scale + 16.0 * UNIT_ROUNDOFF * point.length();
    let off = off_body(shape, point);
    if off <= tolerance { Ok(()) } else { Err(Refusal::Witness { body, off }) }
}
