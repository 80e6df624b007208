//! A two-link arm: distances at a configuration, then a motion that is proved free or has its first impact.
//!
//! `cargo run -p clearance-robot --example robot`

use clearance::glam::DVec3;
use clearance::{Pose, Shape};
use clearance_robot::{CheckOptions, Checker, LoadOptions, Object, Robot, SweepOptions};

const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.5 0 0.15"/><geometry><box size="1 0.06 0.06"/></geometry>
    </collision></link>
  <link name="lower"><collision><origin xyz="0.4 0 0.08"/><geometry><box size="0.8 0.05 0.05"/></geometry>
    </collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0.15"/>
    <axis xyz="0 0 1"/><limit lower="-2.5" upper="2.5"/></joint>
</robot>"#;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `Robot::load` reads a file with its meshes; adjacent links are not checked against each other.
    let robot = Robot::parse("arm.urdf", ARM, &LoadOptions::default())?;
    for joint in robot.variables() {
        println!("{}: {} to {} rad", joint.name, joint.lower, joint.upper);
    }
    let post = Object {
        name: "post".into(),
        shape: Shape::cylinder(0.5, 0.05)?,
        pose: Pose::from_translation(DVec3::new(0.0, 1.5, 0.5))?,
    };
    let checker = Checker::new(robot, CheckOptions { world: vec![post], ..CheckOptions::default() })?;
    let mut state = checker.state();

    // From one configuration to the other, every moment in between: no sampling.
    for goal in [[0.9, 0.3], [2.5, 0.3]] {
        let sweep = checker.sweep(&mut state, &[0.0, 0.0], &goal, &SweepOptions::default())?;
        match &sweep.impact {
            None => println!("to {goal:?}: proved free"),
            Some(impact) => {
                println!("to {goal:?}: first impact at {:.6} to {:.6} of the way", impact.lower, impact.upper)
            }
        }
        assert_eq!(sweep.impact.is_some(), goal[0] > 2.0);
    }
    Ok(())
}
