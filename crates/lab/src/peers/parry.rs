//! parry (dimforge), in double precision: `query::distance` on the same bodies and poses, and hulls of the same points.

use crate::models::{Model, PairPlacement, Placement};
use clearance::Shape;
use clearance::glam::DVec3;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{ConvexPolyhedron, SharedShape};
use parry3d_f64::transformation::try_convex_hull;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

/// Two bodies in parry and all their placements, made before any clock runs.
pub struct ParryPair {
    a: SharedShape,
    b: SharedShape,
    poses: Vec<[Pose; 2]>,
    /// Sum of the radii of the balls among the bodies.
    ball_radii: f64,
}

impl ParryPair {
    /// Name and version of the peer.
    pub const NAME: &'static str = "parry3d-f64 0.31";

    /// The pair in parry; the error says which body parry refused.
    pub fn new(
        models: [&Model; 2],
        shapes: [&Shape; 2],
        placements: &[PairPlacement],
    ) -> Result<Option<ParryPair>, String> {
        let ball_radius = |model: &Model| if let Model::Sphere(radius) = model { *radius } else { 0.0 };
        Ok(Some(ParryPair {
            a: body(models[0], shapes[0])?,
            b: body(models[1], shapes[1])?,
            poses: placements.iter().map(|place| [pose(&place.a), pose(&place.b)]).collect(),
            ball_radii: ball_radius(models[0]) + ball_radius(models[1]),
        }))
    }

    /// parry's distance for a placement, by its number. NaN if parry does not support the pair.
    pub fn distance(&self, placement: usize) -> f64 {
        let [pose_a, pose_b] = &self.poses[placement];
        query::distance(pose_a, &*self.a, pose_b, &*self.b).map_or(f64::NAN, |found| found.distance)
    }

    /// The error parry's own stopping rule allows at a distance `value` between bodies of scale `scale`: its GJK stops
    /// when upper and lower bound differ by `sqrt(10 eps)` of the upper one. For a ball that is said of the distance
    /// to its centre. To this comes rounding, a few units in the last place of the coordinates.
    pub fn tolerance(&self, value: f64, scale: f64) -> f64 {
        query::gjk::eps_tol().sqrt() * (value + self.ball_radii) + 32.0 * f64::EPSILON * scale
    }
}

/// Points in parry, made before any clock runs.
pub struct ParryPoints(Vec<Vector>);

impl ParryPoints {
    /// Name and version of the peer.
    pub const NAME: &'static str = ParryPair::NAME;

    /// The points in parry.
    pub fn new(points: &[DVec3]) -> Option<ParryPoints> {
        Some(ParryPoints(points.iter().map(|point| vector(point.to_array())).collect()))
    }

    /// The vertices and triangles of parry's hull, or what it said or did instead.
    pub fn hull(&self) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), String> {
        let (vertices, triangles) = quietly(|| try_convex_hull(&self.0).map_err(|error| format!("error: {error}")))?;
        Ok((vertices.into_iter().map(|v| DVec3::new(v.x, v.y, v.z)).collect(), triangles))
    }

    /// The vertices of parry's convex polyhedron, or what it said or did instead.
    pub fn body(&self) -> Result<Vec<DVec3>, String> {
        let body = quietly(|| ConvexPolyhedron::from_convex_hull(&self.0).ok_or_else(|| "refused".to_owned()))?;
        Ok(body.points().iter().map(|v| DVec3::new(v.x, v.y, v.z)).collect())
    }
}

/// Runs `work`; a panic becomes an error and prints nothing.
fn quietly<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let result = catch_unwind(AssertUnwindSafe(work));
    set_hook(hook);
    result.unwrap_or_else(|_| Err("panic".into()))
}

/// A body in parry. A hull is given with the engine's own triangles, so that both sides hold the same vertices; where
/// parry refuses those, it builds its own hull.
fn body(model: &Model, shape: &Shape) -> Result<SharedShape, String> {
    match model {
        Model::Cuboid([x, y, z]) => Ok(SharedShape::cuboid(*x, *y, *z)),
        Model::Sphere(radius) => Ok(SharedShape::ball(*radius)),
        Model::Hull(points) => {
            let from_mesh = match shape {
                Shape::Hull(hull) if !hull.triangles().is_empty() => {
                    let vertices: Vec<Vector> = hull.vertices().map(|vertex| vector(vertex.to_array())).collect();
                    ConvexPolyhedron::from_convex_mesh(vertices, hull.triangles())
                }
                _ => None,
            };
            let own = || ConvexPolyhedron::from_convex_hull(&points.iter().map(|&p| vector(p)).collect::<Vec<_>>());
            from_mesh
                .or_else(own)
                .map(SharedShape::new)
                .ok_or_else(|| format!("parry refuses the hull of {} points", points.len()))
        }
    }
}

/// A placement in parry, from the same quaternion the engine gets.
fn pose(placement: &Placement) -> Pose {
    let [x, y, z, w] = placement.rotation.to_array();
    Pose::from_parts(vector(placement.translation.to_array()), Rotation::from_xyzw(x, y, z, w))
}

/// A vector in parry's vector crate, which is another version of ours.
fn vector([x, y, z]: [f64; 3]) -> Vector {
    Vector::new(x, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::glam::{DQuat, DVec3};

    #[test]
    fn parry_sees_the_same_bodies() {
        let models = [Model::Sphere(1.0), Model::Cuboid([1.0, 1.0, 1.0])];
        let shapes = [models[0].shape().unwrap(), models[1].shape().unwrap()];
        let at = |x| Placement { rotation: DQuat::IDENTITY, translation: DVec3::new(x, 0.0, 0.0) };
        let places = [PairPlacement { a: at(0.0), b: at(5.0) }];
        let pair = ParryPair::new([&models[0], &models[1]], [&shapes[0], &shapes[1]], &places).unwrap().unwrap();
        assert!((pair.distance(0) - 3.0).abs() <= pair.tolerance(3.0, 10.0));
    }
}
