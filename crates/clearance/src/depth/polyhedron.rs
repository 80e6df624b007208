//! Bodies with flat faces as triangles.

use glam::DVec3;

use crate::error::QueryError;
use crate::math::predicates::orient3d;
use crate::shape::Shape;

/// A solid bounded by triangles, its points relative to a local origin.
#[allow(clippy::large_enum_variant, reason = "no allocation per query")]
pub(crate) enum Polyhedron<'s> {
    Given { origin: DVec3, points: &'s [DVec3], triangles: &'s [[u32; 3]] },
    Small { origin: DVec3, points: [DVec3; 8], triangles: [[u32; 3]; 12], count: usize },
}

impl<'s> Polyhedron<'s> {
    /// Converts the body; [`QueryError::NoVolume`] if it is curved, made of parts, or has no interior.
    pub fn of(shape: &'s Shape) -> Result<Polyhedron<'s>, QueryError> {
        match shape {
            Shape::Mesh(mesh) if mesh.is_solid() => {
                let surface = mesh.surface();
                Ok(Polyhedron::Given { origin: surface.origin, points: &surface.points, triangles: &surface.triangles })
            }
            Shape::Mesh(mesh) => {
                Err(mesh.solid().err().map_or(QueryError::NoVolume { kind: "surface" }, QueryError::Body))
            }
            Shape::Hull(hull) => {
                let (origin, points) = (hull.hull().origin, &hull.hull().vertices);
                Ok(Polyhedron::Given { origin, points, triangles: hull.triangles() })
            }
            Shape::Cuboid(cuboid) => {
                let points = std::array::from_fn(|k| cuboid.vertex(k as u32));
                let triangles = std::array::from_fn(|k| {
                    // Corner `c` has the upper end of axis `k` if its bit `k` is set.
                    let (axis, upper, half) = (k / 4, k / 2 % 2, k % 2);
                    let (next, last) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                    let face = (upper as u32) << axis;
                    let [p, q, r] = [[0, next, next | last], [0, next | last, last]][half].map(|c: u32| c | face);
                    if upper == 1 { [p, q, r] } else { [p, r, q] }
                });
                Ok(Polyhedron::Small { origin: DVec3::ZERO, points, triangles, count: 12 })
            }
            Shape::Tetrahedron(tetrahedron) => {
                let corners = tetrahedron.corners();
                let [p, q, r, s] = corners.points;
                let mut points = [DVec3::ZERO; 8];
                // The last corner is below the plane of the others, from where these are counter-clockwise.
                let upright = orient3d(p, q, r, s).is_negative();
                points[..4].copy_from_slice(&if upright { [p, q, r, s] } else { [p, r, q, s] });
                let mut triangles = [[0; 3]; 12];
                triangles[..4].copy_from_slice(&[[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]]);
                Ok(Polyhedron::Small { origin: corners.origin, points, triangles, count: 4 })
            }
            other => Err(QueryError::NoVolume { kind: other.kind_name() }),
        }
    }

    /// The local origin, the points relative to it, and the triangles.
    pub fn parts(&self) -> (DVec3, &[DVec3], &[[u32; 3]]) {
        match self {
            Polyhedron::Given { origin, points, triangles } => (*origin, points, triangles),
            Polyhedron::Small { origin, points, triangles, count } => {
                (*origin, &points[..if *count == 4 { 4 } else { 8 }], &triangles[..*count])
            }
        }
    }
}
