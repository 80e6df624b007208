//! How deep two bodies overlap, and the shortest translation that separates them.
//!
//! `cargo run -p clearance --example penetration`

use clearance::glam::DVec3;
use clearance::{Mesh, Pose, Relation, Shape, local_depth, overlap_volume, penetration, relation};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (block, peg) = (Shape::cuboid(DVec3::new(2.0, 2.0, 1.0))?, Shape::cylinder(1.0, 0.25)?);
    let (here, sunk) = (Pose::IDENTITY, Pose::from_translation(DVec3::new(0.5, 0.0, 1.75))?);

    let answer = penetration(&block, &here, &peg, &sunk)?;
    println!("depth    {}", answer.depth);
    println!("move the peg by {:.6} to separate them", answer.depth.upper * answer.normal);
    answer.verify(&block, &here, &peg, &sunk)?;

    let out = Pose::from_translation(sunk.translation() + 1.000_001 * answer.depth.upper * answer.normal)?;
    assert_ne!(relation(&block, &here, &peg, &out), Relation::Overlapping);

    // Meshes have a depth too, convex or not, once they are solids: closed and consistently oriented.
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let solid = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?.solid()?;
    let solid = Shape::Mesh(solid);
    let moved = Pose::from_translation(DVec3::new(0.25, 0.25, -0.125))?;
    let depth = penetration(&solid, &here, &solid, &moved)?;
    let reach = local_depth(&solid, &here, &solid, &moved)?;
    let volume = overlap_volume(&solid, &here, &solid, &moved)?;
    println!("tetrahedra: {} deep, surfaces reach in by {}, {} in common", depth.depth, reach.depth, volume.volume);
    // No surface reaches deeper than the shortest separating translation is long.
    assert!(reach.depth.lower <= depth.depth.upper);
    Ok(())
}
