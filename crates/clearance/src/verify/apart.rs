//! Proves two bodies disjoint at many poses; used to show that moving bodies have not met.
//!
//! Surfaces are separated pair by pair, for all triangles, or triangles and parts, whose boxes are too close; compounds
//! as in `parts.rs`. The box tree of a mesh's triangles is built once, in the mesh's frame. Containment in a solid mesh
//! is checked separately: bodies whose surfaces do not meet at any time of a span are inside throughout the span or
//! never.

use glam::{DMat3, DVec3};

use crate::math::double_double::DoubleDoubleVec3;
use crate::math::pose::Pose;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::{Mesh, Shape};
use crate::verify::bodies::Bodies;
use crate::verify::body::Part;
use crate::verify::boxes::{Boxes, Corners};
use crate::verify::height_field_pair::{GroundClaim, HeightFieldPair};
use crate::verify::parts::{Whole, box_about, check_two, parts};
use crate::verify::triangles::TwoTriangles;

/// Two bodies to be separated at many poses.
pub(crate) struct Pair<'s> {
    a: Taken<'s>,
    b: Taken<'s>,
}

struct Taken<'s> {
    shape: &'s Shape,
    /// Set for meshes only.
    surface: Option<Surface>,
}

/// The triangles of a mesh in its own frame, and a tree of their boxes.
struct Surface {
    triangles: Vec<[DVec3; 3]>,
    boxes: Boxes,
}

impl Surface {
    fn of(mesh: &Mesh) -> Surface {
        let points: Vec<DVec3> = mesh.points().collect();
        let triangles: Vec<_> = mesh.triangles().iter().map(|t| t.map(|p| points[p as usize])).collect();
        let about = |[p, q, r]: &[DVec3; 3]| [p.min(*q).min(*r), p.max(*q).max(*r)];
        let boxes = Boxes::new(&triangles.iter().map(about).collect::<Vec<_>>());
        Surface { triangles, boxes }
    }

    /// The largest coordinate.
    fn size(&self) -> f64 {
        let [low, high] = self.boxes.bounds();
        low.abs().max(high.abs()).length()
    }
}

impl<'s> Taken<'s> {
    fn new(shape: &'s Shape) -> Taken<'s> {
        let surface = if let Shape::Mesh(mesh) = shape { Some(Surface::of(mesh)) } else { None };
        Taken { shape, surface }
    }
}

impl<'s> Pair<'s> {
    pub fn new(a: &'s Shape, b: &'s Shape) -> Pair<'s> {
        Pair { a: Taken::new(a), b: Taken::new(b) }
    }

    /// Whether the surfaces are proved to be at least `claimed` apart, which must be positive. The search for
    /// separating planes starts at `normal`, from A to B.
    pub fn is_apart(&self, pose_a: &Pose, pose_b: &Pose, claimed: f64, normal: DVec3) -> bool {
        let unit = (normal.length() - 1.0).abs() <= 1e-6;
        unit && claimed > 0.0 && claimed.is_finite() && check((&self.a, pose_a), (&self.b, pose_b), claimed, normal)
    }

    /// Whether one body could be inside the other without their surfaces meeting.
    pub fn has_solid(&self) -> bool {
        [&self.a, &self.b].iter().any(|side| matches!(side.shape, Shape::Mesh(mesh) if mesh.is_solid()))
    }

    /// Whether bodies whose surfaces are disjoint are proved not to contain each other.
    pub fn is_outside(&self, pose_a: &Pose, pose_b: &Pose, normal: DVec3) -> bool {
        let claim = nothing_but(f64::MIN_POSITIVE, normal);
        let ((a, pose_a), (b, pose_b)) = ((self.a.shape, pose_a), (self.b.shape, pose_b));
        let apart = |a: &Shape, b: &Shape| {
            Bodies::new((a, pose_a), (b, pose_b), 0.0).check_apart(f64::MIN_POSITIVE, normal).is_ok()
        };
        match HeightFieldPair::of((a, pose_a), (b, pose_b), &claim) {
            Some(Ok(prisms)) => apart(prisms.a(), prisms.b()),
            Some(Err(_)) => false,
            None => apart(a, b),
        }
    }
}

fn nothing_but(lower: f64, normal: DVec3) -> GroundClaim {
    GroundClaim { lower, upper: lower, margin: 0.0, normal, parts: Vec::new(), alone: true }
}

fn check((a, pose_a): (&Taken<'_>, &Pose), (b, pose_b): (&Taken<'_>, &Pose), claimed: f64, normal: DVec3) -> bool {
    match HeightFieldPair::of((a.shape, pose_a), (b.shape, pose_b), &nothing_but(claimed, normal)) {
        Some(Err(_)) => return false,
        Some(Ok(prisms)) => {
            // The other body keeps its tree.
            return match (&a.surface, &b.surface) {
                (Some(surface), _) => mesh_and_parts(surface, pose_a, (prisms.b(), pose_b), claimed, normal),
                (_, Some(surface)) => mesh_and_parts(surface, pose_b, (prisms.a(), pose_a), claimed, -normal),
                _ => two_of_parts((prisms.a(), pose_a), (prisms.b(), pose_b), claimed, normal),
            };
        }
        None => {}
    }
    match (&a.surface, &b.surface) {
        (Some(of_a), Some(of_b)) => two_meshes((of_a, pose_a), (of_b, pose_b), claimed, normal),
        (Some(surface), None) => mesh_and_parts(surface, pose_a, (b.shape, pose_b), claimed, normal),
        (None, Some(surface)) => mesh_and_parts(surface, pose_b, (a.shape, pose_a), claimed, -normal),
        (None, None) => two_of_parts((a.shape, pose_a), (b.shape, pose_b), claimed, normal),
    }
}

fn two_of_parts((a, pose_a): (&Shape, &Pose), (b, pose_b): (&Shape, &Pose), claimed: f64, normal: DVec3) -> bool {
    let mut whole = Whole::new(a, pose_a, b, pose_b);
    whole.all().for_each(|part| part.measure_from(pose_a.translation()));
    let measured = whole.measure();
    whole.check_apart(claimed, normal, 0.0, 1e-30 * measured.coordinates).is_ok()
}

/// Maps boxes into another frame, and how far apart they must be to be skipped.
struct Map {
    rotation: DMat3,
    translation: DVec3,
    room: f64,
}

impl Map {
    fn new(frame: &Pose, moved: &Pose, size: f64) -> Map {
        let rotation = frame.inverse_rotation() * moved.rotation();
        let translation = frame.inverse_transform_point(moved.translation());
        // Products and sums of coordinates of this size, a chain of about ten.
        let coordinates = size + frame.translation().length() + moved.translation().length();
        Map { rotation, translation, room: 64.0 * UNIT_ROUNDOFF * coordinates }
    }

    fn place(&self, [low, high]: &Corners) -> Corners {
        let (middle, half) = (0.5 * (*low + *high), 0.5 * (*high - *low));
        let [x, y, z] = [self.rotation.x_axis, self.rotation.y_axis, self.rotation.z_axis];
        let reach = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z + self.room;
        let at = self.rotation * middle + self.translation;
        if at.is_finite() && reach.is_finite() {
            [at - reach, at + reach]
        } else {
            [DVec3::NEG_INFINITY, DVec3::INFINITY]
        }
    }

    /// A world distance in a frame that is rigid up to a defect of 1e-6.
    fn limit(claimed: f64) -> f64 {
        claimed * (1.0 + 1e-5)
    }
}

fn two_meshes((a, pose_a): (&Surface, &Pose), (b, pose_b): (&Surface, &Pose), claimed: f64, normal: DVec3) -> bool {
    let size = a.size() + b.size();
    let map = Map::new(pose_a, pose_b, size);
    let from = DoubleDoubleVec3::from_difference(pose_b.translation(), pose_a.translation());
    // World coordinates are relative to the position of A.
    let rounding = 1e-30 * 2.0 * (size + from.length().to_f64());
    let visited = a.boxes.pairs_placed(
        &b.boxes,
        |bounds| map.place(bounds),
        Map::limit(claimed),
        |i, j| {
            let turned = |p: DVec3, pose: &Pose| DoubleDoubleVec3::from(p).transformed_by(&pose.rotation());
            let at_a = a.triangles[i as usize].map(|p| turned(p, pose_a));
            let at_b = b.triangles[j as usize].map(|p| turned(p, pose_b) + from);
            let two = TwoTriangles { a: &at_a, b: &at_b, rounding };
            if two.gap(claimed, normal, || false) >= claimed { Ok(()) } else { Err(()) }
        },
    );
    visited.is_ok()
}

/// `normal` points from the mesh to the other body.
fn mesh_and_parts(
    surface: &Surface,
    pose: &Pose,
    (other, pose_other): (&Shape, &Pose),
    claimed: f64,
    normal: DVec3,
) -> bool {
    let own = Pose::IDENTITY;
    // Boxes of the parts in the frame of the other body.
    let in_own_frame = parts(other, &own);
    let about = |part: &Part| box_about(part, DoubleDoubleVec3::from(DVec3::ZERO));
    let boxes = Boxes::new(&in_own_frame.iter().map(about).collect::<Vec<_>>());
    let start = pose.translation();
    let mut placed = parts(other, pose_other);
    placed.iter_mut().for_each(|part| part.measure_from(start));
    let [low, high] = boxes.bounds();
    let reach = low.abs().max(high.abs()).length();
    let reach = if reach.is_finite() { reach } else { 0.0 };
    let map = Map::new(pose, pose_other, surface.size() + reach);
    let coordinates = placed.iter().map(Part::world_coordinates).fold(surface.size(), f64::max);
    let rounding = 1e-30 * 2.0 * coordinates;
    let visited = surface.boxes.pairs_placed(
        &boxes,
        |bounds| map.place(bounds),
        Map::limit(claimed),
        |i, j| {
            let mut triangle = Part::of_triangle(surface.triangles[i as usize], pose);
            triangle.measure_from(start);
            check_two(&triangle, &placed[j as usize], claimed, normal, rounding).map_err(|_| ())
        },
    );
    visited.is_ok()
}
