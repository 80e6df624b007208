//! Rays and points against a mesh: first hit, all hits, nearest point, inside or outside.
//!
//! `cargo run -p clearance --example ray`

use clearance::glam::DVec3;
use clearance::query::{RayOptions, ray_cast_all};
use clearance::{Mesh, Pose, Ray, Shape, closest_point, contains, ray_cast, signed_distance};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    let solid = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?.solid()?;
    let (solid, pose) = (Shape::Mesh(solid), Pose::from_translation(DVec3::new(0.0, 0.0, 1.0))?);

    let ray = Ray::new(DVec3::new(0.25, 0.25, 5.0), DVec3::new(0.0, 0.0, -1.0))?;
    if let Ok(hit) = ray_cast(&solid, &pose, &ray) {
        println!("first hit at t = {} on {:?}, entering: {}", hit.t, hit.witness.feature, hit.entering);
        hit.verify(&solid, &pose, &ray, &RayOptions::default())?;
    }
    for hit in ray_cast_all(&solid, &pose, &ray) {
        println!("hit at t = {}, normal {:.3}", hit.t, hit.normal);
    }

    let point = DVec3::new(0.25, 0.25, 1.5);
    assert!(contains(&solid, &pose, point));
    println!("{point} is inside: signed distance {}", signed_distance(&solid, &pose, point).distance);
    let outside = DVec3::new(2.0, 2.0, 2.0);
    println!("nearest to {outside}: {:.4} away", closest_point(&solid, &pose, outside).distance.value);
    Ok(())
}
