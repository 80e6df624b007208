//! `clearance robot` as people run it.

// Other tests of the command use what this one does not.
#[allow(dead_code)]
mod common;

use std::path::Path;

use common::{Folder, clearance, code, stderr, stdout};
use serde_json::Value;

/// Two arms that turn about z, one on the other.
const ARM: &str = "<robot name='arm'>
  <link name='base'><collision><geometry><cylinder radius='0.25' length='0.3'/></geometry></collision></link>
  <link name='upper'><collision><origin xyz='0.5 0 0.15'/><geometry><box size='1 0.1 0.1'/></geometry></collision></link>
  <link name='lower'><collision><origin xyz='0.4 0 0'/><geometry><box size='0.8 0.1 0.1'/></geometry></collision></link>
  <joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='0 0 1'/></joint>
  <joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/><origin xyz='1 0 0.15'/><axis xyz='0 0 1'/>
    <limit lower='-3.2' upper='3.2'/></joint>
</robot>";

const WORLD: &str = r#"{"objects": [{"id": "post", "type": "cylinder", "dims": [2, 0.05], "pos": [1.2, 1.2, 0], "quat_xyzw": [0, 0, 0, 1]}]}"#;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn answer(arguments: &[&str], expected: i32) -> Value {
    let output = clearance(&[&["robot"], arguments, &["--json"]].concat());
    assert_eq!(code(&output), expected, "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn configurations_are_checked() {
    let folder = Folder::new("robot-check");
    let (urdf, world) = (folder.file("arm.urdf", ARM), folder.file("world.json", WORLD));
    let configs = folder.file("q.csv", "elbow,shoulder\n0,0\n1.5,0\n3.14159,0\n");
    let found = answer(&["check", text(&urdf), "--configs", text(&configs), "--world", text(&world), "--distances"], 1);
    let list = found["configurations"].as_array().unwrap();
    assert_eq!(found["variables"], serde_json::json!(["shoulder", "elbow"]));
    let free: Vec<bool> = list.iter().map(|checked| checked["free"].as_bool().unwrap()).collect();
    assert_eq!(free, [true, true, false]);
    assert_eq!(list[2]["self_collisions"], serde_json::json!([["base", "lower"]]));
    // At zero the arm reaches to 1.8 along x: the corner of the lower arm is nearest to the post.
    let gap = &list[0]["nearest_world"];
    let expected = 1.2 - 0.05 - 0.05;
    assert_eq!((gap["a"].as_str(), gap["b"].as_str()), (Some("lower"), Some("post")));
    assert!((gap["value"].as_f64().unwrap() - expected).abs() < 1e-9, "{gap}");
    assert_eq!(list[0]["distances"].as_array().unwrap().len(), 4);
    // The same by names, as numbers, and as JSON.
    for configurations in [&["--q", "elbow=1.5"][..], &["--q", "0 1.5"], &["--q", "0, 1.5"]] {
        let found = answer(&[&["check", text(&urdf), "--world", text(&world)], configurations].concat(), 0);
        assert_eq!(found["configurations"][0]["nearest_world"]["value"], list[1]["nearest_world"]["value"]);
    }
    let json = folder.file("q.json", r#"[{"elbow": 1.5}, {"shoulder": 9}]"#);
    let found = answer(&["check", text(&urdf), "--configs", text(&json)], 0);
    assert_eq!(found["free"], 2);
    // Thick enough to meet the post.
    let found = answer(
        &["check", text(&urdf), "--world", text(&world), "--q", "0 0", "--padding", "1.2", "--allow", "base,lower"],
        1,
    );
    assert_eq!(
        found["configurations"][0]["world_collisions"],
        serde_json::json!([["lower", "post"], ["upper", "post"]])
            .as_array()
            .map(|both| {
                let named = found["configurations"][0]["world_collisions"].clone();
                assert!(named.as_array().unwrap().iter().all(|pair| both.contains(pair)));
                named
            })
            .unwrap()
    );
    let output = clearance(&["robot", "check", text(&urdf), "--q", "0 0"]);
    assert!(stdout(&output).contains("1 of 1 free"), "{}", stdout(&output));
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new("robot-wrong");
    let urdf = folder.file("arm.urdf", ARM);
    let fails = |arguments: &[&str], said: &str| {
        let output = clearance(&[&["robot"], arguments].concat());
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{said}");
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    };
    fails(&["check", text(&urdf)], "--q, --configs or --state");
    fails(&["check", text(&urdf), "--q", "1 2 3"], "a configuration of 3 numbers, where 2 are meant: shoulder, elbow");
    fails(&["check", text(&urdf), "--q", "wrist=1"], "no joint `wrist`");
    fails(&["check", text(&urdf), "--q", "0 x"], "`x` is no number");
    fails(&["check", text(&urdf), "--q", "0 0", "--allow", "base,hand"], "no link `hand`");
    fails(&["check", text(&urdf), "--state", "ready"], "no such group_state");
    fails(&["check", "nowhere.urdf", "--q", "0"], "nowhere.urdf: ");
    let bare = folder.file("bare.urdf", "<robot name='bare'><link name='a'/></robot>");
    fails(&["check", text(&bare), "--q", ""], "no link has a <collision>");
    let missing = "<robot name='m'><link name='a'><collision><geometry><mesh filename='package://p/a.stl'/></geometry></collision></link></robot>";
    let missing = folder.file("missing.urdf", missing);
    fails(&["check", text(&missing), "--q", "", "--package", "p=/no/such/folder"], "/no/such/folder/a.stl");
    let world = folder.file("w.json", r#"[{"name": "a", "type": "cone", "dims": [1]}]"#);
    fails(&["check", text(&urdf), "--q", "0 0", "--world", text(&world)], "object `a`: type `cone`");
    let short = folder.file("short.csv", "0,0\n");
    fails(&["sweep", text(&urdf), "--trajectory", text(&short)], "at least 2");
    let back = folder.file("back.csv", "time,shoulder,elbow\n1,0,0\n0,1,0\n");
    fails(&["sweep", text(&urdf), "--trajectory", text(&back)], "do not increase");
}

#[test]
fn trajectories_are_swept() {
    let folder = Folder::new("robot-sweep");
    let (urdf, world) = (folder.file("arm.urdf", ARM), folder.file("world.json", WORLD));
    // A quarter of a turn past the post, in ten seconds from the fifth on.
    let path = folder.file("path.csv", "time,shoulder,elbow\n5,0,0\n15,1.5707963267948966,0\n");
    let found = answer(&["sweep", text(&urdf), "--trajectory", text(&path), "--world", text(&world)], 1);
    let impact = &found["impact"];
    // The post is 1.697 away at 45 degrees; the side of the arm, 0.05 off its axis, reaches it 0.1 before.
    let distance = 1.2 * 2f64.sqrt();
    let angle = std::f64::consts::FRAC_PI_4 - (0.1 / distance).asin();
    let time = 5.0 + 10.0 * angle / std::f64::consts::FRAC_PI_2;
    let (lower, upper) = (impact["lower"].as_f64().unwrap(), impact["upper"].as_f64().unwrap());
    assert!(lower <= time + 1e-9 && time <= upper + 1e-9 && upper - lower < 2e-4, "{impact} {time}");
    assert_eq!((impact["a"].as_str(), impact["b"].as_str()), (Some("lower"), Some("post")));
    let away = folder.file("away.csv", "0 0\n-1.5 0\n-1.5 1\n");
    let found = answer(&["sweep", text(&urdf), "--trajectory", text(&away), "--world", text(&world)], 0);
    let clearance = &found["clearance"];
    let (lower, upper) = (clearance["lower"].as_f64().unwrap(), clearance["upper"].as_f64().unwrap());
    assert!(found["free"] == true && 0.0 < lower && upper - lower <= 1e-4 + 1e-12, "{clearance}");
}

#[test]
fn the_matrix_is_written() {
    let folder = Folder::new("robot-acm");
    let urdf = folder.file("arm.urdf", ARM);
    let before = "<robot name='arm'>\n  <group name='all'/>\n  <disable_collisions link1='base' link2='nothing' reason='User'/>\n</robot>\n";
    let srdf = folder.file("arm.srdf", before);
    let out = folder.0.join("new.srdf");
    let found = answer(
        &["acm", text(&urdf), "--srdf", text(&srdf), "-o", text(&out), "--trials", "500", "--budget", "2000"],
        0,
    );
    assert_eq!((found["trials"].as_u64(), found["disabled"].as_u64()), (Some(500), Some(2)));
    let written = std::fs::read_to_string(&out).unwrap();
    assert!(written.contains("<group name='all'/>") && !written.contains("nothing"), "{written}");
    assert!(written.contains(r#"<disable_collisions link1="base" link2="upper" reason="Adjacent"/>"#), "{written}");
    assert!(!written.contains(r#"link2="lower" reason="Never""#), "{written}");
    let kept = answer(&["acm", text(&urdf), "--srdf", text(&srdf), "-o", text(&out), "--keep", "--trials", "50"], 0);
    assert!(kept["pairs"].as_array().unwrap().len() == 3 && std::fs::read_to_string(&out).unwrap().contains("nothing"));
}
