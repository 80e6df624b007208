//! A gate for an assembly: every pair of parts must keep a required clearance. Prints a verdict per pair and exits with
//! code 1 if one fails.
//!
//! `cargo run --example clearance_gate -- 0.5` (the clearance; 0.5 unless given)

use std::process::ExitCode;

use clearance::glam::DVec3;
use clearance::query::{DistanceOptions, distance_with};
use clearance::{Error, PairCache, Pose, Shape, Workspace};

/// The parts, in millimetres: a base plate, two posts on spacers, a motor, a slanted cover.
fn parts() -> Result<Vec<(&'static str, Shape, Pose)>, Error> {
    let at = |x, y, z| Pose::from_translation(DVec3::new(x, y, z));
    let post = Shape::cuboid(DVec3::new(2.0, 2.0, 10.0))?;
    let slanted = Pose::from_axis_angle(DVec3::Y, 0.1, DVec3::new(0.0, 0.0, 24.0))?;
    Ok(vec![
        ("base", Shape::cuboid(DVec3::new(30.0, 20.0, 1.0))?, Pose::IDENTITY),
        ("left post", post.clone(), at(-20.0, 0.0, 11.6)?),
        ("right post", post, at(20.0, 0.0, 11.6)?),
        ("motor", Shape::sphere(8.0)?, at(0.0, 0.0, 9.75)?),
        ("cover", Shape::cuboid(DVec3::new(30.0, 20.0, 0.5))?, slanted),
    ])
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let required = std::env::args().nth(1).map_or(Ok(0.5), |text| text.parse())?;
    let parts = parts()?;
    // A pair proved to be far enough apart needs no exact distance.
    let options = DistanceOptions { farther_than: Some(required), ..DistanceOptions::default() };
    let mut workspace = Workspace::default();
    let mut failed = 0;
    for (i, (name_a, a, pose_a)) in parts.iter().enumerate() {
        for (name_b, b, pose_b) in &parts[i + 1..] {
            let gap = distance_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut workspace);
            // Only a proof passes: a pair uncertain by a rounding error fails.
            let verdict = if gap.gap.lower >= required { "ok  " } else { "FAIL" };
            failed += usize::from(gap.gap.lower < required);
            println!("{verdict}  {name_a} - {name_b}: at least {:.6}", gap.gap.lower);
        }
    }
    println!("{failed} of {} pairs closer than {required}", parts.len() * (parts.len() - 1) / 2);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
