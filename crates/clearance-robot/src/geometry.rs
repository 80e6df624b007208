//! Collision geometry as bodies: primitives as they are, meshes with every triangle.
//!
//! A mesh is scaled as the URDF says; a scale that mirrors turns the triangles round, so that the outside stays outside.
//! Points of equal coordinates are joined (STL has three a triangle), which moves nothing. A surface that is then closed and
//! wound alike is a solid, whose inside counts; any other is checked as a surface, and noted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clearance::glam::DVec3;
use clearance::{Mesh, Shape};
use clearance_files::{Geometry as Surface, weld};

use crate::collada;
use crate::error::Error;
use crate::hull_tree::HullTree;
use crate::package::Packages;
use crate::robot::Ball;
use crate::urdf::Geometry;

/// A body in its own frame, and what encloses it.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    pub shape: Shape,
    pub ball: Ball,
    /// Of a mesh.
    pub hulls: Option<Arc<HullTree>>,
}

impl Solid {
    pub fn new(shape: Shape) -> Solid {
        let hulls = match &shape {
            Shape::Mesh(mesh) => HullTree::new(mesh).map(Arc::new),
            _ => None,
        };
        Solid { ball: ball(&shape), shape, hulls }
    }
}

/// Bodies of meshes that were loaded already: robots use a mesh several times.
#[derive(Default)]
pub(crate) struct Loader {
    meshes: BTreeMap<(PathBuf, [u64; 3]), Solid>,
    pub notes: Vec<String>,
}

impl Loader {
    /// The body of a geometry, in the geometry's own frame.
    pub fn body(&mut self, link: &str, geometry: &Geometry, urdf: &Path, packages: &Packages) -> Result<Solid, Error> {
        let made = match geometry {
            Geometry::Box { size } => Shape::cuboid(0.5 * *size),
            Geometry::Cylinder { radius, length } => Shape::cylinder(0.5 * length, *radius),
            Geometry::Capsule { radius, length } => Shape::capsule(0.5 * length, *radius),
            Geometry::Sphere { radius } => Shape::sphere(*radius),
            Geometry::Mesh { uri, scale } => {
                let found = packages.find(urdf, uri);
                let path = found.map_err(|tried| Error::MissingMesh { link: link.into(), uri: uri.clone(), tried })?;
                return self.mesh(link, &path, *scale);
            }
        };
        made.map(Solid::new).map_err(|problem| Error::Body { name: link.into(), problem })
    }

    fn mesh(&mut self, link: &str, path: &Path, scale: DVec3) -> Result<Solid, Error> {
        let key = (path.to_owned(), scale.to_array().map(f64::to_bits));
        if let Some(solid) = self.meshes.get(&key) {
            return Ok(solid.clone());
        }
        let fault = |problem: String| Error::Mesh { link: link.into(), path: path.to_owned(), problem };
        let is_collada = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("dae"));
        let mut surface = if is_collada {
            collada::read(path)?
        } else {
            let assembly = clearance_files::read(path).map_err(|error| fault(error.to_string()))?;
            let whole = assembly.as_one();
            Surface { name: String::new(), points: whole.points, triangles: whole.triangles }
        };
        scaled(&mut surface, scale);
        weld(&mut surface, 0.0).map_err(|error| fault(error.to_string()))?;
        let mesh = Mesh::new(&surface.points, &surface.triangles).map_err(|error| fault(error.to_string()))?;
        let shape = match mesh.solid() {
            Ok(solid) => Shape::Mesh(solid),
            Err(why) => {
                self.notes.push(format!("{}: checked as a surface, without an inside: {why}", path.display()));
                Shape::Mesh(mesh)
            }
        };
        let solid = Solid::new(shape);
        self.meshes.insert(key, solid.clone());
        Ok(solid)
    }
}

/// Scales points; triangles of a mirrored surface are turned round.
fn scaled(surface: &mut Surface, scale: DVec3) {
    if scale == DVec3::ONE {
        return;
    }
    for point in &mut surface.points {
        *point = (DVec3::from_array(*point) * scale).to_array();
    }
    if scale.x * scale.y * scale.z < 0.0 {
        surface.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
}

/// A ball about a body in its own frame: bounded bodies only; for others its radius is infinite.
pub(crate) fn ball(shape: &Shape) -> Ball {
    // What rounding of centres and distances takes, with much to spare.
    const OUTWARD: f64 = 1.0 + 1e-12;
    match shape {
        Shape::Mesh(mesh) => {
            let points: Vec<DVec3> = mesh.points().collect();
            about(&points)
        }
        Shape::Sphere(sphere) => Ball { centre: DVec3::ZERO, radius: sphere.radius() },
        _ => {
            let bounds = shape.bounds();
            let (centre, half) = (bounds.center(), 0.5 * bounds.size());
            let radius = half.length() * OUTWARD;
            // A cylinder or capsule about z is rounder than its box.
            let radius = match shape {
                Shape::Cylinder(cylinder) => cylinder.half_length().hypot(cylinder.radius()) * OUTWARD,
                Shape::Capsule(capsule) => (capsule.half_length() + capsule.radius()) * OUTWARD,
                _ => radius,
            };
            if radius.is_finite() {
                Ball { centre, radius }
            } else {
                Ball { centre: DVec3::ZERO, radius: f64::INFINITY }
            }
        }
    }
}

/// A small ball about points: the walk of Bădoiu and Clarkson (2003) towards the farthest point, from the middle of the box. The
/// radius is measured at the end, so the ball holds the points however near the least one the walk came.
fn about(points: &[DVec3]) -> Ball {
    const STEPS: usize = 60;
    let farthest = |from: DVec3| {
        points.iter().copied().max_by(|p, q| from.distance_squared(*p).total_cmp(&from.distance_squared(*q)))
    };
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let mut best = Ball { centre: 0.5 * (low + high), radius: f64::INFINITY };
    let mut centre = best.centre;
    for step in 0..STEPS {
        let Some(point) = farthest(centre) else { break };
        let radius = centre.distance(point);
        if radius < best.radius {
            best = Ball { centre, radius };
        }
        centre += (point - centre) / (step as f64 + 2.0);
    }
    Ball { centre: best.centre, radius: best.radius * (1.0 + 1e-12) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_surfaces_stay_outside_out() {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        for scale in [DVec3::ONE, DVec3::new(1.0, -2.0, 1.0), DVec3::new(-1.0, -1.0, 3.0), DVec3::splat(-0.5)] {
            let mut surface = Surface { name: String::new(), points: points.clone(), triangles: triangles.clone() };
            scaled(&mut surface, scale);
            assert!(Mesh::new(&surface.points, &surface.triangles).unwrap().solid().is_ok(), "{scale}");
        }
    }

    #[test]
    fn balls_hold_their_points() {
        let points: Vec<DVec3> = (0..200)
            .map(|i| {
                let t = f64::from(i);
                DVec3::new((t * 0.7).sin() * 3.0, (t * 1.3).cos(), (t * 0.31).sin() * 0.2 + 5.0)
            })
            .collect();
        let ball = about(&points);
        assert!(points.iter().all(|point| point.distance(ball.centre) <= ball.radius));
        assert!(ball.radius < 3.2, "{ball:?}");
        let one = about(&[DVec3::X]);
        assert_eq!((one.centre, one.radius), (DVec3::X, 0.0));
    }
}
