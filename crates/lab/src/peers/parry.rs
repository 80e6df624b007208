//! parry (dimforge), in double precision: `query::distance`, `intersection_test` and `contact` on the same bodies and
//! poses, and hulls of the same points.

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

    /// The pair in parry, `None` where it has no such body; the error says which body parry refused.
    pub fn new(
        models: [&Model; 2],
        shapes: [&Shape; 2],
        placements: &[PairPlacement],
    ) -> Result<Option<ParryPair>, String> {
        let ball_radius = |model: &Model| if let Model::Sphere(radius) = model { *radius } else { 0.0 };
        let (Some(a), Some(b)) = (body(models[0], shapes[0])?, body(models[1], shapes[1])?) else {
            return Ok(None);
        };
        let [turn_a, turn_b] = models.map(turn);
        Ok(Some(ParryPair {
            a,
            b,
            poses: placements.iter().map(|place| [pose(&place.a) * turn_a, pose(&place.b) * turn_b]).collect(),
            ball_radii: ball_radius(models[0]) + ball_radius(models[1]),
        }))
    }

    /// parry's distance for a placement, by its number. NaN if parry does not support the pair.
    pub fn distance(&self, placement: usize) -> f64 {
        let [pose_a, pose_b] = &self.poses[placement];
        query::distance(pose_a, &*self.a, pose_b, &*self.b).map_or(f64::NAN, |found| found.distance)
    }

    /// Whether parry sees the bodies meet at a placement; false if it does not support the pair.
    pub fn intersects(&self, placement: usize) -> bool {
        let [pose_a, pose_b] = &self.poses[placement];
        query::intersection_test(pose_a, &*self.a, pose_b, &*self.b).is_ok_and(|found| found.intersecting)
    }

    /// parry's signed distance for a placement, negative for a depth; `None` where it sees none up to `prediction`.
    pub fn contact(&self, placement: usize, prediction: f64) -> Option<f64> {
        let [pose_a, pose_b] = &self.poses[placement];
        query::contact(pose_a, &*self.a, pose_b, &*self.b, prediction).ok().flatten().map(|found| found.dist)
    }

    /// Asks parry everything about every placement once; the error says what it does not support or how it failed.
    pub fn survives(&self, prediction: f64) -> Result<(), String> {
        quietly(|| {
            for (number, [pose_a, pose_b]) in self.poses.iter().enumerate() {
                query::intersection_test(pose_a, &*self.a, pose_b, &*self.b).map_err(|error| error.to_string())?;
                query::distance(pose_a, &*self.a, pose_b, &*self.b).map_err(|error| error.to_string())?;
                self.contact(number, prediction);
            }
            Ok(())
        })
    }

    /// The error of a depth that is put down to parry's stopping rule, for bodies of scale `scale`: what it allows a
    /// distance as large as the bodies.
    pub fn depth_tolerance(&self, scale: f64) -> f64 {
        self.tolerance(scale, scale)
    }

    /// The error parry's own stopping rule allows at a distance `value` between bodies of scale `scale`: its GJK stops
    /// when upper and lower bound differ by `sqrt(10 eps)` of the upper one. For a ball this applies to the distance to
    /// its centre. Rounding adds, a few units in the last place of the coordinates.
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

/// A body in parry, `None` where it has none of the kind.
fn body(model: &Model, shape: &Shape) -> Result<Option<SharedShape>, String> {
    let points = |points: &[[f64; 3]]| points.iter().map(|&point| vector(point)).collect::<Vec<_>>();
    Ok(Some(match model {
        Model::Cuboid([x, y, z]) => SharedShape::cuboid(*x, *y, *z),
        Model::Sphere(radius) => SharedShape::ball(*radius),
        Model::Hull(all) => hull(points(all), shape)?,
        Model::Capsule { half_length, radius } => SharedShape::capsule_z(*half_length, *radius),
        Model::Cylinder { half_length, radius } => SharedShape::cylinder(*half_length, *radius),
        Model::Cone { half_length, radius } => SharedShape::cone(*half_length, *radius),
        Model::Ellipsoid(_) => return Ok(None),
        Model::HalfSpace => SharedShape::halfspace(Vector::Z),
        Model::Segment([start, end]) => SharedShape::segment(vector(*start), vector(*end)),
        Model::Triangle([a, b, c]) => SharedShape::triangle(vector(*a), vector(*b), vector(*c)),
        // parry's queries take a tetrahedron as a polyhedron only.
        Model::Tetrahedron(corners) => hull(points(corners), shape)?,
        Model::RoundedCuboid([x, y, z], radius) => SharedShape::round_cuboid(*x, *y, *z, *radius),
    }))
}

/// A hull in parry. It is given with the engine's own triangles, so that both sides hold the same vertices; where parry
/// refuses those, or the engine has none, it builds its own hull.
fn hull(points: Vec<Vector>, shape: &Shape) -> Result<SharedShape, String> {
    let from_mesh = match shape {
        Shape::Hull(hull) if !hull.triangles().is_empty() => {
            let vertices: Vec<Vector> = hull.vertices().map(|vertex| vector(vertex.to_array())).collect();
            ConvexPolyhedron::from_convex_mesh(vertices, hull.triangles())
        }
        _ => None,
    };
    from_mesh
        .or_else(|| ConvexPolyhedron::from_convex_hull(&points))
        .map(SharedShape::new)
        .ok_or_else(|| format!("parry rejects the hull of {} points", points.len()))
}

/// From the frame of parry's body to ours: parry's cylinders and cones stand along y.
fn turn(model: &Model) -> Pose {
    let quarter = std::f64::consts::FRAC_1_SQRT_2;
    match model {
        Model::Cylinder { .. } | Model::Cone { .. } => {
            Pose::from_parts(Vector::ZERO, Rotation::from_xyzw(quarter, 0.0, 0.0, quarter))
        }
        _ => Pose::IDENTITY,
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
    use crate::models::Random;
    use clearance::glam::{DQuat, DVec3};
    use clearance_oracle::shape::ShapeKind;

    #[test]
    fn parry_sees_the_same_bodies() {
        let models = [Model::Sphere(1.0), Model::Cuboid([1.0, 1.0, 1.0])];
        let shapes = [models[0].shape().unwrap(), models[1].shape().unwrap()];
        let at = |x| Placement { rotation: DQuat::IDENTITY, translation: DVec3::new(x, 0.0, 0.0) };
        let places = [PairPlacement { a: at(0.0), b: at(5.0) }];
        let pair = ParryPair::new([&models[0], &models[1]], [&shapes[0], &shapes[1]], &places).unwrap().unwrap();
        assert!((pair.distance(0) - 3.0).abs() <= pair.tolerance(3.0, 10.0));
    }

    #[test]
    fn parry_sees_every_kind_it_has_as_we_do() {
        let at =
            |x| Placement { rotation: DQuat::from_xyzw(0.5, 0.5, -0.1, 0.7).normalize(), translation: DVec3::X * x };
        let ball = Model::Sphere(0.5);
        for (index, kind) in ShapeKind::ALL.into_iter().enumerate() {
            let model = Model::random(kind, &mut Random::new(11, index as u64));
            if matches!(kind, ShapeKind::Ellipsoid | ShapeKind::HalfSpace) {
                continue;
            }
            let shapes = [model.shape().unwrap(), ball.shape().unwrap()];
            let place = PairPlacement { a: at(0.0), b: at(4.0) };
            let pair = ParryPair::new([&model, &ball], [&shapes[0], &shapes[1]], &[place]).unwrap().unwrap();
            let (pose_a, pose_b) = (place.a.pose().unwrap(), place.b.pose().unwrap());
            let ours = clearance::distance(&shapes[0], &pose_a, &shapes[1], &pose_b).gap.value;
            assert!(pair.survives(1.0).is_ok() && !pair.intersects(0));
            assert!((pair.distance(0) - ours).abs() <= 10.0 * pair.tolerance(ours, 10.0), "{kind:?}");
            assert!((pair.contact(0, 10.0).unwrap() - ours).abs() <= 10.0 * pair.tolerance(ours, 10.0), "{kind:?}");
            assert_eq!(pair.contact(0, 1e-3), None);
        }
        let egg = Model::Ellipsoid([1.0, 2.0, 3.0]);
        let shapes = [egg.shape().unwrap(), egg.shape().unwrap()];
        assert!(ParryPair::new([&egg, &egg], [&shapes[0], &shapes[1]], &[]).unwrap().is_none());
    }
}
