//! How far apart two parts are, where they are nearest, and how sure that is.
//!
//! `cargo run --example nearest_points`

use clearance::glam::DVec3;
use clearance::{Pose, Shape, distance};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A plate lying in the plane z = 0, and a rotated wedge above it.
    let plate = Shape::cuboid(DVec3::new(2.0, 1.0, 0.05))?;
    let wedge = Shape::hull(&[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.6, 0.0],
        [1.0, 0.6, 0.0],
        [0.0, 0.0, 0.4],
        [0.0, 0.6, 0.4],
    ])?;
    let on_table = Pose::IDENTITY;
    let hovering = Pose::from_axis_angle(DVec3::new(1.0, 0.5, 0.0), 0.4, DVec3::new(0.2, -0.1, 0.3))?;

    let answer = distance(&plate, &on_table, &wedge, &hovering);
    println!("gap     {:.15}", answer.gap.value);
    println!(
        "proved  {:.15} to {:.15}, {:e} wide",
        answer.gap.lower,
        answer.gap.upper,
        answer.gap.upper - answer.gap.lower
    );
    let [on_plate, on_wedge] = answer.world_points(&on_table, &hovering);
    println!("plate   {on_plate:.6}, {:?}", answer.witness.a.feature);
    println!("wedge   {on_wedge:.6}, {:?}", answer.witness.b.feature);
    match answer.normal {
        Some(normal) => println!("normal  {normal:.6}, from the plate to the wedge"),
        None => println!("the parts meet"),
    }

    // The proof can be checked by anyone who has the bodies and the poses.
    answer.verify(&plate, &on_table, &wedge, &hovering)?;
    println!("verified");
    Ok(())
}
