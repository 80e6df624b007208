//! Robots made for tests.

use std::fmt::Write;
use std::path::PathBuf;

use clearance_robot::{LoadOptions, Robot};

/// A folder of its own, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("clearance-robot-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// An L of finely cut faces as OBJ text: hollow, so that its hull does not do, 1 long and 0.3 thick, closed.
pub fn hook() -> String {
    // The outline of the L in x and z, as cells of a grid of 0.1; a cell is a cube.
    let inside = |x: i32, y: i32, z: i32| {
        (0..3).contains(&y) && (0..10).contains(&x) && (0..10).contains(&z) && (x < 3 || z < 3)
    };
    let mut points = String::new();
    let mut faces = String::new();
    let mut count = 0;
    for x in 0..10 {
        for y in 0..3 {
            for z in 0..10 {
                if !inside(x, y, z) {
                    continue;
                }
                for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
                    let mut next = [x, y, z];
                    next[axis] += 2 * side - 1;
                    if inside(next[0], next[1], next[2]) {
                        continue;
                    }
                    // The corners of the face, counter-clockwise from outside.
                    for (u, v) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                        let (u, v) = if side == 1 { (u, v) } else { (v, u) };
                        let mut corner = [x, y, z];
                        corner[axis] += side;
                        corner[(axis + 1) % 3] += u;
                        corner[(axis + 2) % 3] += v;
                        let [px, py, pz] = corner.map(|c| f64::from(c) * 0.1);
                        writeln!(points, "v {px} {} {pz}", py - 0.15).unwrap();
                    }
                    writeln!(faces, "f {} {} {} {}", count + 1, count + 2, count + 3, count + 4).unwrap();
                    count += 4;
                }
            }
        }
    }
    points + &faces
}

/// An arm of three hooks and a ball, with three joints that turn and one that slides.
pub fn arm(folder: &Folder) -> Robot {
    std::fs::write(folder.0.join("hook.obj"), hook()).unwrap();
    let mesh = |name: &str, scale: &str| {
        format!(
            "<link name='{name}'><collision><origin xyz='0.05 0 0.2' rpy='0.1 -0.2 0.3'/>\
             <geometry><mesh filename='hook.obj' scale='{scale}'/></geometry></collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, at: &str, axis: &str| {
        format!(
            "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='{at}' rpy='0.3 0.1 0'/>\
             <axis xyz='{axis}'/><limit lower='-3' upper='3'/></joint>"
        )
    };
    let text = format!(
        "<robot name='arm'>{}{}{}<link name='tip'><collision><geometry><sphere radius='0.1'/></geometry>\
         </collision></link>{}{}{}\
         <joint name='slide' type='prismatic'><parent link='c'/><child link='tip'/><origin xyz='0 0 1.2'/>\
           <axis xyz='0 0 1'/>\
         <limit lower='0' upper='1'/></joint><link name='pad'><collision><geometry><box size='0.2 0.2 0.1'/>\
           </geometry></collision></link>\
         <joint name='glue' type='fixed'><parent link='tip'/><child link='pad'/><origin xyz='0 0 0.3'/></joint>\
           </robot>",
        mesh("a", "1 1 1"),
        mesh("b", "1 -1 1"),
        mesh("c", "0.7 0.7 0.7"),
        joint("ab", "a", "b", "0 0 1.5", "0 1 0"),
        joint("bc", "b", "c", "0 0.1 1.4", "1 0 0"),
        "",
    );
    let robot = Robot::parse(folder.0.join("arm.urdf"), &text, &LoadOptions::default()).unwrap();
    assert!(robot.notes().is_empty(), "{:?}", robot.notes());
    robot
}

/// A snake of capsules a tenth long, each turned against the one before it about y and z in turns.
pub fn snake(joints: usize) -> Robot {
    let mut text = String::from("<robot name='snake'>");
    for link in 0..=joints {
        write!(
            text,
            "<link name='l{link}'><collision><origin xyz='0.05 0 0' rpy='0 1.5707963267948966 0'/>\
             <geometry><capsule radius='0.02' length='0.06'/></geometry></collision></link>"
        )
        .unwrap();
    }
    for joint in 0..joints {
        let axis = if joint.is_multiple_of(2) { "0 1 0" } else { "0 0 1" };
        write!(
            text,
            "<joint name='j{joint}' type='revolute'><parent link='l{joint}'/><child link='l{}'/><origin xyz='0.1 0 0'/>\
             <axis xyz='{axis}'/><limit lower='-1.5' upper='1.5'/></joint>",
            joint + 1
        )
        .unwrap();
    }
    text += "</robot>";
    Robot::parse("snake.urdf", &text, &LoadOptions::default()).unwrap()
}
