//! How far apart two triangle meshes are, and where they are nearest.
//!
//! `cargo run -p clearance --example mesh_distance`

use clearance::glam::DVec3;
use clearance::{Pose, Shape, distance};

/// A square pyramid with its apex up.
const POINTS: [[f64; 3]; 5] = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.5]];
const TRIANGLES: [[u32; 3]; 6] = [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Any set of triangles is a mesh. Build it once: it owns the tree that queries traverse.
    let pyramid = Shape::mesh(&POINTS, &TRIANGLES)?;
    let here = Pose::IDENTITY;
    let above = Pose::from_axis_angle(DVec3::X, std::f64::consts::PI, DVec3::new(0.5, 0.0, 3.25))?;

    let answer = distance(&pyramid, &here, &pyramid, &above);
    println!("gap      {}", answer.gap);
    let [on_a, on_b] = answer.world_points(&here, &above);
    println!("nearest  {on_a:.6} on {:?}", answer.witness.a.feature);
    println!("         {on_b:.6} on {:?}", answer.witness.b.feature);

    // Proved independently, by code that shares no search with the query.
    answer.verify(&pyramid, &here, &pyramid, &above)?;
    Ok(())
}
