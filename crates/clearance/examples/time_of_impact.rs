//! When two moving bodies first touch: nothing is missed, however fast or thin they are.
//!
//! `cargo run -p clearance --example time_of_impact`

use clearance::glam::{DQuat, DVec3};
use clearance::{Motion, Pose, RigidMotion, Shape, least_clearance, rigid_impact, time_of_impact};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A bullet through a sheet a micrometre thick. Times run from 0 to 1, the length of the step.
    let (bullet, sheet) = (Shape::sphere(0.004)?, Shape::cuboid(DVec3::new(1.0, 1.0, 5e-7))?);
    let fired = Motion::translation(Pose::from_translation(DVec3::new(0.0, 0.0, -5.0))?, DVec3::new(0.0, 0.0, 900.0))?;
    let still = Motion::still(Pose::IDENTITY);
    match time_of_impact(&bullet, &fired, &sheet, &still) {
        Ok(impact) => {
            println!("hit at {}", impact.time);
            impact.verify(&bullet, &fired, &sheet, &still)?;
        }
        Err(_) => unreachable!("the sheet is in the way"),
    }

    // A bar that rotates as it passes a post: rotation and translation together.
    let (bar, post) = (Shape::cuboid(DVec3::new(1.0, 0.05, 0.05))?, Shape::cylinder(1.0, 0.1)?);
    let from = Pose::from_translation(DVec3::new(-2.0, 0.5, 0.0))?;
    let to = Pose::from_quat(DQuat::from_rotation_z(3.0), DVec3::new(2.0, 0.5, 0.0))?;
    let (turning, rest) = (RigidMotion::between(from, to)?, RigidMotion::still(Pose::IDENTITY));
    match rigid_impact(&bar, &turning, &post, &rest) {
        Ok(impact) => println!("the bar touches the post at {}", impact.time),
        Err(_) => println!("the bar passes at {}", least_clearance(&bar, &turning, &post, &rest)?.gap),
    }
    Ok(())
}
