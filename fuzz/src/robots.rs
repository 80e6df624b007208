//! Arbitrary bytes as URDF, SRDF and COLLADA: an error that names the file, or a robot that answers queries.

use std::path::PathBuf;
use std::sync::OnceLock;

use clearance_robot::{Allowed, CheckOptions, Checker, DisabledPair, LoadOptions, Robot, Srdf};

use crate::ordered;

/// Robots with more links or bodies are read but not checked: the number of pairs grows quadratically.
const FEW: usize = 24;

/// The robot that SRDF files are about.
const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="upper"><collision><geometry><cylinder radius="0.05" length="1"/></geometry></collision></link>
  <link name="lower"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
  <joint name="elbow" type="floating"><parent link="upper"/><child link="lower"/></joint>
</robot>"#;

/// Reads the bytes as URDF, and panics on a fault.
pub fn check_urdf(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match Robot::parse("robot.urdf", text, &LoadOptions::default()) {
        Ok(robot) => ask(robot),
        Err(error) => assert!(!error.to_string().is_empty(), "{error:?}"),
    }
}

/// Queries a robot: link poses and collisions.
fn ask(robot: Robot) {
    let links = &robot.description().links;
    if links.len().max(links.iter().map(|link| link.collisions.len()).sum()) > FEW {
        return;
    }
    let mut configurations = robot.random_configurations(1, 2);
    configurations.push(robot.middle());
    for q in &configurations {
        robot.check_configuration(q).expect("a configuration that the robot gave");
        // Poses beyond the range of coordinates are rejected by name.
        match robot.link_poses(q) {
            Ok(poses) => assert!(poses.iter().all(|pose| pose.translation().is_finite()), "{poses:?}"),
            Err(error) => assert!(!error.to_string().is_empty(), "{error:?}"),
        }
    }
    let allowed = Allowed::adjacent(&robot);
    let options = CheckOptions { allowed, ..CheckOptions::default() };
    let Ok(checker) = Checker::new(robot, options) else { return };
    let mut state = checker.state();
    for q in &configurations {
        // Bodies beyond the range of coordinates are rejected by name.
        let (Ok(hits), Ok(first)) = (checker.hits(&mut state, q), checker.first_hit(&mut state, q)) else { continue };
        assert_eq!(first.is_some(), !hits.is_empty(), "{first:?} {hits:?} at {q:?}");
        let Ok(distances) = checker.distances(&mut state, q) else { continue };
        for (pair, gap) in distances.iter().enumerate() {
            assert!(ordered(gap.gap.lower, gap.gap.value, gap.gap.upper), "{gap:?} at {q:?}");
            let bodies = checker.bodies(&mut state, q, pair).expect("a pair that exists");
            let ([a, b], [pose_a, pose_b]) = bodies;
            if let Err(refusal) = gap.verify(a, &pose_a, b, &pose_b) {
                panic!("verify distance: {refusal}\n{gap:?}{}", crate::pairs::context(a, &pose_a, b, &pose_b));
            }
        }
    }
}

/// Reads the bytes as SRDF, writes it, and panics on a fault.
pub fn check_srdf(data: &[u8]) {
    static ROBOT: OnceLock<Robot> = OnceLock::new();
    let robot =
        ROBOT.get_or_init(|| Robot::parse("arm.urdf", ARM, &LoadOptions::default()).expect("a robot without a fault"));
    let Ok(text) = str::from_utf8(data) else { return };
    let mut srdf = match Srdf::parse("robot.srdf", text) {
        Ok(srdf) => srdf,
        Err(error) => {
            assert!(error.to_string().starts_with("robot.srdf:"), "{error}");
            return;
        }
    };
    // What the robot does not have is listed in one line.
    let (allowed, warnings) = (Allowed::from_srdf(robot, &srdf), srdf.warnings(robot));
    assert!(!allowed.contains(0, 0) || !srdf.disabled.is_empty());
    assert!(warnings.len() <= 1 && warnings.iter().all(|warning| warning.starts_with("robot.srdf: ignored ")));
    for group_state in &srdf.states {
        if let Ok(q) = robot.state(group_state, &robot.middle()) {
            robot.check_configuration(&q).expect("a configuration that the robot gave");
        }
    }
    written(&srdf);
    // Written as it was read, with one more, and with none.
    srdf.disabled.push(DisabledPair::new("upper", "<&\"'>", "Never"));
    written(&srdf);
    srdf.disabled.clear();
    written(&srdf);
}

/// Checks that a written file is read back unchanged.
fn written(srdf: &Srdf) {
    let text = srdf.to_text();
    match Srdf::parse("robot.srdf", &text) {
        Ok(again) => {
            let kept = |srdf: &Srdf| (srdf.disabled_links.clone(), srdf.enabled.clone(), srdf.states.clone());
            assert_eq!(again.disabled, srdf.disabled, "{text}");
            assert_eq!(kept(&again), kept(srdf), "{text}");
        }
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Reads the bytes as COLLADA, as the mesh of a robot of one link, and panics on a fault.
pub fn check_dae(data: &[u8]) {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    let file = FILE.get_or_init(|| std::env::temp_dir().join(format!("clearance-fuzz-{}.dae", std::process::id())));
    std::fs::write(file, data).expect("a folder for temporary files");
    let urdf = format!(
        r#"<robot name="one"><link name="base"><collision><geometry><mesh filename="{}"/></geometry></collision>
        </link></robot>"#,
        file.display()
    );
    match Robot::parse("robot.urdf", &urdf, &LoadOptions::default()) {
        Ok(robot) => {
            for loaded in robot.meshes() {
                assert!(loaded.mesh.points().all(|point| point.is_finite()), "{:?}", loaded.mesh);
            }
            ask(robot);
        }
        Err(error) => assert!(!error.to_string().is_empty(), "{error:?}"),
    }
}
