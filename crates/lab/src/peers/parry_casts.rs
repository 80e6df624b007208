//! parry (dimforge), in double precision: moving shapes, rays and points, on the same bodies, poses and numbers.

use super::Turn;
use crate::models::Placement;
use clearance::Shape;
use clearance::glam::DVec3;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{self, NonlinearRigidMotion, Ray, ShapeCastOptions};
use parry3d_f64::shape::{ConvexPolyhedron, HeightField, SharedShape};
use parry3d_f64::utils::Array2;

/// Rays and moving bodies are parry's to answer up to the relative tolerance of its GJK, `sqrt(10 eps)`.
fn relative_tolerance() -> f64 {
    query::gjk::eps_tol().sqrt()
}

/// The error that parry's stopping rule allows in a time: its relative tolerance, and rounding, a few units in the last
/// place of lengths up to `scale`, crossed at the speed `closing`.
pub fn time_tolerance(time: f64, scale: f64, closing: f64) -> f64 {
    relative_tolerance() * time.abs() + 32.0 * f64::EPSILON * scale / closing
}

/// The error that parry's stopping rule allows in a length, for bodies and distances up to `scale`.
pub fn length_tolerance(length: f64, scale: f64) -> f64 {
    relative_tolerance() * length.abs() + 32.0 * f64::EPSILON * scale
}

/// A body in parry, and the pose of parry's body in ours.
#[derive(Clone)]
struct Body {
    shape: SharedShape,
    inner: Pose,
}

impl Body {
    /// The body with the numbers of the engine's; `None` for a kind that parry does not have. A hull is given with the
    /// engine's own triangles.
    fn new(shape: &Shape) -> Option<Body> {
        // parry's cylinders and cones stand along y: turned about x by a quarter, y becomes z.
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let upright = Pose::from_parts(Vector::ZERO, Rotation::from_xyzw(half, 0.0, 0.0, half));
        let (shape, inner) = match shape {
            Shape::Sphere(ball) => (SharedShape::ball(ball.radius()), Pose::IDENTITY),
            Shape::Cuboid(cuboid) => {
                let [x, y, z] = cuboid.half_extents().to_array();
                (SharedShape::cuboid(x, y, z), Pose::IDENTITY)
            }
            Shape::Capsule(capsule) => {
                (SharedShape::capsule_z(capsule.half_length(), capsule.radius()), Pose::IDENTITY)
            }
            Shape::Cylinder(cylinder) => (SharedShape::cylinder(cylinder.half_length(), cylinder.radius()), upright),
            Shape::Cone(cone) => (SharedShape::cone(cone.half_length(), cone.radius()), upright),
            Shape::Hull(hull) => {
                let vertices: Vec<Vector> = hull.vertices().map(vector).collect();
                let body = ConvexPolyhedron::from_convex_mesh(vertices, hull.triangles())?;
                (SharedShape::new(body), Pose::IDENTITY)
            }
            Shape::Triangle(triangle) => {
                let [a, b, c] = triangle.points().map(vector);
                (SharedShape::triangle(a, b, c), Pose::IDENTITY)
            }
            Shape::HalfSpace(half_space) => {
                let length = half_space.normal().length();
                let normal = half_space.normal() / length;
                let place = vector(normal * (half_space.offset() / length));
                (SharedShape::halfspace(vector(normal)), Pose::from_parts(place, Rotation::IDENTITY))
            }
            Shape::Mesh(mesh) => {
                let body = SharedShape::trimesh(mesh.points().map(vector).collect(), mesh.triangles()).ok()?;
                (body, Pose::IDENTITY)
            }
            _ => return None,
        };
        Some(Body { shape, inner })
    }

    /// The pose of parry's body for a placement of ours.
    fn pose(&self, placement: &Placement) -> Pose {
        let [x, y, z, w] = placement.rotation.to_array();
        Pose::from_parts(vector(placement.translation), Rotation::from_xyzw(x, y, z, w)) * self.inner
    }
}

/// Two translating bodies in parry, many times, made before any clock runs.
pub struct ParryCasts {
    bodies: [Body; 2],
    starts: Vec<[Pose; 2]>,
    ways: Vec<[Vector; 2]>,
}

impl ParryCasts {
    /// The pair in parry, from where each body starts and the way it goes in one unit of time; `None` for a kind of
    /// body that parry does not have.
    pub fn new(shapes: [&Shape; 2], starts: &[[Placement; 2]], ways: &[[DVec3; 2]]) -> Option<ParryCasts> {
        let bodies = [Body::new(shapes[0])?, Body::new(shapes[1])?];
        let starts = starts.iter().map(|[a, b]| [bodies[0].pose(a), bodies[1].pose(b)]).collect();
        Some(ParryCasts { bodies, starts, ways: ways.iter().map(|pair| pair.map(vector)).collect() })
    }

    /// parry's time of the first contact up to 1, by the number of the motion.
    pub fn time(&self, number: usize) -> Option<f64> {
        let ([a, b], [start_a, start_b], [way_a, way_b]) = (&self.bodies, &self.starts[number], self.ways[number]);
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        query::cast_shapes(start_a, way_a, &*a.shape, start_b, way_b, &*b.shape, options)
            .ok()
            .flatten()
            .map(|hit| hit.time_of_impact)
    }
}

/// Two rotating bodies in parry, many times.
pub struct ParryTurns {
    bodies: [Body; 2],
    motions: Vec<[NonlinearRigidMotion; 2]>,
}

impl ParryTurns {
    /// The pair in parry; `None` for a kind of body that parry does not have.
    pub fn new(shapes: [&Shape; 2], turns: &[[Turn; 2]]) -> Option<ParryTurns> {
        let bodies = [Body::new(shapes[0])?, Body::new(shapes[1])?];
        let motion = |body: &Body, turn: &Turn| {
            NonlinearRigidMotion::new(body.pose(&turn.start), Vector::ZERO, vector(turn.way), vector(turn.angular))
        };
        let motions = turns.iter().map(|[a, b]| [motion(&bodies[0], a), motion(&bodies[1], b)]).collect();
        Some(ParryTurns { bodies, motions })
    }

    /// parry's time of the first contact up to 1, by the number of the motion.
    pub fn time(&self, number: usize) -> Option<f64> {
        let ([a, b], [motion_a, motion_b]) = (&self.bodies, &self.motions[number]);
        query::cast_shapes_nonlinear(motion_a, &*a.shape, motion_b, &*b.shape, 0.0, 1.0, true)
            .ok()
            .flatten()
            .map(|hit| hit.time_of_impact)
    }
}

/// One body in parry at many poses, a ray and a point for each.
pub struct ParryBody {
    body: Body,
    poses: Vec<Pose>,
    rays: Vec<Ray>,
    points: Vec<Vector>,
}

impl ParryBody {
    /// The body in parry with rays by origin and direction, and points; either may be empty. `None` for a kind of body
    /// that parry does not have.
    pub fn new(shape: &Shape, places: &[Placement], rays: &[[DVec3; 2]], points: &[DVec3]) -> Option<ParryBody> {
        let body = Body::new(shape)?;
        let poses = places.iter().map(|place| body.pose(place)).collect();
        let rays = rays.iter().map(|&[origin, direction]| Ray::new(vector(origin), vector(direction))).collect();
        Some(ParryBody { body, poses, rays, points: points.iter().map(|&point| vector(point)).collect() })
    }

    /// Where parry's ray meets the body, with the normal there.
    pub fn cast(&self, number: usize) -> Option<(f64, DVec3)> {
        let hit = self.body.shape.cast_ray_and_get_normal(&self.poses[number], &self.rays[number], f64::MAX, true)?;
        Some((hit.time_of_impact, DVec3::from(hit.normal.to_array())))
    }

    /// parry's distance to the solid, 0 inside, through its projection.
    pub fn distance(&self, number: usize) -> f64 {
        let point = self.points[number];
        (self.body.shape.project_point(&self.poses[number], point, true).point - point).length()
    }

    /// parry's distance to the boundary, negative inside, through its projection.
    pub fn signed_distance(&self, number: usize) -> f64 {
        let point = self.points[number];
        let projection = self.body.shape.project_point(&self.poses[number], point, false);
        let distance = (projection.point - point).length();
        if projection.is_inside { -distance } else { distance }
    }

    /// Whether parry says that the body holds the point.
    pub fn contains(&self, number: usize) -> bool {
        self.body.shape.contains_point(&self.poses[number], self.points[number])
    }
}

/// A square height field in parry, and rays.
///
/// parry's field is about its origin, y up, and its cells are split along the other diagonal. A turn of the field, `(x,
/// y, z)` to `(half - x, z, y - half)`, brings both in line. With a power of two of cells of size 1 no coordinate of
/// the grid is rounded, so both sides hold exactly the same triangles.
pub struct ParryTerrain {
    field: HeightField,
    rays: Vec<Ray>,
}

impl ParryTerrain {
    /// Terrain of `points` x `points` heights, row by row, spacing 1.
    pub fn new(points: usize, heights: &[f32]) -> Option<ParryTerrain> {
        let width = (points - 1) as f64;
        // parry's rows run along z, our y; its columns along x, against ours.
        let heights =
            Array2::from_fn(points, points, |row, column| f64::from(heights[row * points + (points - 1 - column)]));
        Some(ParryTerrain { field: HeightField::new(heights, Vector::new(width, 1.0, width)), rays: Vec::new() })
    }

    /// The rays that are to be cast, by origin and direction in our frame.
    pub fn set_rays(&mut self, rays: &[[DVec3; 2]]) {
        let half = 0.5 * self.field.scale().x;
        self.rays = rays
            .iter()
            .map(|[origin, direction]| {
                let start = Vector::new(half - origin.x, origin.z, origin.y - half);
                Ray::new(start, Vector::new(-direction.x, direction.z, direction.y))
            })
            .collect();
    }

    /// Where parry's ray meets the surface.
    pub fn cast(&self, number: usize) -> Option<f64> {
        use parry3d_f64::query::RayCast;
        self.field.cast_local_ray_and_get_normal(&self.rays[number], f64::MAX, true).map(|hit| hit.time_of_impact)
    }
}

/// A vector in parry's vector crate, which is another version of ours.
fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::glam::DQuat;

    const HERE: Placement = Placement { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    #[test]
    fn axes_of_revolution_are_along_z() {
        let down = [DVec3::new(0.1, 0.0, 5.0), -DVec3::Z];
        for (shape, t) in [
            (Shape::cylinder(2.0, 1.0).unwrap(), 3.0),
            (Shape::capsule(1.0, 1.0).unwrap(), 4.0 - (1.0_f64 - 0.01).sqrt()),
            // The cone is 4 high and 1 wide: 0.1 off the axis it is 0.4 lower.
            (Shape::cone(2.0, 1.0).unwrap(), 3.4),
            (Shape::half_space(DVec3::new(0.0, 0.0, 2.0), 2.0).unwrap(), 4.0),
        ] {
            let body = ParryBody::new(&shape, &[HERE], &[down], &[down[0]]).unwrap();
            let found = body.cast(0).unwrap();
            assert!((found.0 - t).abs() < 1e-7, "{shape:?}: {found:?}");
            assert!(!body.contains(0) && body.distance(0) > 2.9 && body.signed_distance(0) > 2.9);
        }
    }

    #[test]
    fn terrain_has_the_same_triangles() {
        // One cell: its diagonal from (0, 0) to (1, 1) is a ridge.
        let heights = [1.0_f32, 0.0, 0.0, 1.0];
        let mut terrain = ParryTerrain::new(2, &heights).unwrap();
        terrain.set_rays(&[[DVec3::new(0.5, 0.5, 3.0), -DVec3::Z], [DVec3::new(0.75, 0.25, 3.0), -DVec3::Z]]);
        assert!((terrain.cast(0).unwrap() - 2.0).abs() < 1e-12);
        assert!((terrain.cast(1).unwrap() - 2.5).abs() < 1e-12);
    }
}
