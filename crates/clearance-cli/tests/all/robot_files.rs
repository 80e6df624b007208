//! What `clearance robot` reads: URDF, SRDF, configurations and trajectories, and what it says of bad ones.

// Other tests of the command use what this one does not.
#[allow(dead_code)]
use crate::common;

use std::path::{Path, PathBuf};

use common::{Folder, clearance, code, stderr, stdout};
use serde_json::{Value, json};

/// A shoulder that turns, a lift that slides, a finger that mimics the lift; every link is a box or a mesh.
const ARM: &str = "<robot name='arm'>
  <link name='base'><collision><geometry><box size='0.2 0.2 0.1'/></geometry></collision></link>
  <link name='upper'><collision><origin xyz='0.5 0 0.3'/><geometry><box size='1 0.1 0.1'/></geometry></collision></link>
  <link name='hand'><collision><geometry><mesh filename='plate.obj'/></geometry></collision></link>
  <link name='finger'><visual><geometry><box size='1 1 1'/></geometry></visual></link>
  <joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 0 1'/>
    <limit lower='-3.2' upper='3.2' velocity='1.5'/></joint>
  <joint name='lift' type='prismatic'><parent link='upper'/><child link='hand'/><origin xyz='1 0 0.5'/>\
    <axis xyz='0 0 1'/>
    <limit lower='0.05' upper='0.15'/></joint>
  <joint name='grip' type='prismatic'><parent link='hand'/><child link='finger'/><axis xyz='0 0 1'/>
    <limit lower='0' upper='1'/><mimic joint='lift' multiplier='-1' offset='0.2'/></joint>
  <joint name='glue' type='fixed'><parent link='hand'/><child link='tip'/></joint>
  <link name='tip'><collision><geometry><sphere radius='0.01'/></geometry></collision></link>
</robot>";

/// Two triangles: no solid.
const PLATE: &str = "v 0 0 0\nv 0.1 0 0\nv 0.1 0.1 0\nv 0 0.1 0\nf 1 2 3\nf 1 3 4\n";

const SRDF: &str = "<robot name='arm'>
  <disable_collisions link1='hand' link2='tip' reason='Adjacent'/>
  <disable_collisions link1='upper' link2='base' reason='Adjacent'/>
  <group_state name='ready' group='all'><joint name='shoulder' value='0.5'/><joint name='lift' value='0.1'/>\
    </group_state>
</robot>";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn files(name: &str) -> (Folder, PathBuf, PathBuf) {
    let folder = Folder::new(name);
    folder.file("plate.obj", PLATE);
    let (urdf, srdf) = (folder.file("arm.urdf", ARM), folder.file("arm.srdf", SRDF));
    (folder, urdf, srdf)
}

fn answer(arguments: &[&str], expected: i32) -> Value {
    let output = clearance(&[&["robot"], arguments, &["--json"]].concat());
    assert_eq!(code(&output), expected, "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn shown(arguments: &[&str], expected: i32) -> String {
    let output = clearance(&[&["robot"], arguments].concat());
    assert_eq!(code(&output), expected, "{}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

fn refused(arguments: &[&str]) -> String {
    let output = clearance(&[&["robot"], arguments].concat());
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    stderr(&output)
}

#[test]
fn info_lists_joints_links_meshes_and_states() {
    let (_folder, urdf, srdf) = files("robot-info");
    let info = answer(&["info", text(&urdf), "--srdf", text(&srdf)], 0);
    assert_eq!((&info["schema"], &info["robot"]), (&"clearance-robot-info/1".into(), &"arm".into()));
    let expected = json!([
        {"name": "shoulder", "unit": "rad", "lower": -3.2, "upper": 3.2, "default": 0.0},
        // Zero is not within the limits of the lift.
        {"name": "lift", "unit": "m", "lower": 0.05, "upper": 0.15, "default": 0.1},
    ]);
    assert_eq!(info["variables"], expected);
    let joints = info["joints"].as_array().unwrap();
    let [names, kinds] =
        ["name", "type"].map(|key| joints.iter().map(|joint| joint[key].as_str().unwrap()).collect::<Vec<_>>());
    assert_eq!(names, ["shoulder", "lift", "grip", "glue"]);
    assert_eq!(kinds, ["revolute", "prismatic", "prismatic", "fixed"]);
    let places: Vec<&Value> = joints.iter().map(|joint| &joint["variables"]).collect();
    assert_eq!(places, [&json!([0]), &json!([1]), &json!([]), &json!([])]);
    assert_eq!((&joints[0]["velocity"], &joints[0]["parent"]), (&1.5.into(), &"base".into()));
    assert_eq!(joints[2]["mimic"], json!({"joint": "lift", "multiplier": -1.0, "offset": 0.2}));
    assert_eq!(info["links"][0]["collisions"], json!([{"type": "box", "size": [0.2, 0.2, 0.1]}]));
    assert_eq!(info["links"][2]["collisions"], json!([{"type": "mesh", "mesh": 0}]));
    assert_eq!(info["links"][3], json!({"name": "finger", "collisions": [], "visual": true}));
    let mesh = &info["meshes"][0];
    assert_eq!((&mesh["triangles"], &mesh["solid"]), (&2.into(), &false.into()));
    assert!(mesh["open"].is_string() && mesh["file"].as_str().unwrap().ends_with("plate.obj"), "{mesh}");
    let joints = json!([{"name": "shoulder", "values": [0.5]}, {"name": "lift", "values": [0.1]}]);
    assert_eq!(info["states"], json!([{"name": "ready", "group": "all", "joints": joints}]));
    // One line for all meshes.
    let note = "1 of 1 mesh files is not a solid and is checked as a surface, without interior: plate.obj";
    assert_eq!(info["notes"][0], note);

    let lines = shown(&["info", text(&urdf), "--srdf", text(&srdf)], 0);
    for line in [
        "arm: 5 links, 4 joints, 2 values in a configuration",
        "   0  shoulder  revolute, -3.2 to 3.2 rad, at most 1.5 rad/s",
        "   1  lift  prismatic, 0.05 to 0.15 m, default 0.1",
        "   -  grip  prismatic, mimics -1 x lift + 0.2",
        "  fixed: glue",
        "  base: box 0.2 x 0.2 x 0.1 m",
        "  finger: no collision geometry",
        "  ready (group all): shoulder = 0.5, lift = 0.1",
    ] {
        assert!(lines.lines().any(|it| it == line), "{line}\n{lines}");
    }
    assert!(!shown(&["info", text(&urdf)], 0).contains("states"));
}

#[test]
fn the_default_configuration_is_checked_if_none_is_given() {
    let (folder, urdf, srdf) = files("robot-default");
    let found = answer(&["check", text(&urdf), "--srdf", text(&srdf)], 0);
    assert_eq!(found["configurations"][0]["q"], json!([0.0, 0.1]));
    assert!(found["notes"].to_string().contains("checked the default configuration"), "{}", found["notes"]);
    let found = answer(&["check", text(&urdf), "--srdf", text(&srdf), "--state", "ready"], 0);
    assert_eq!(found["configurations"][0]["q"], json!([0.5, 0.1]));
    assert!(!found["notes"].to_string().contains("default"), "{}", found["notes"]);
    let said = refused(&["check", text(&urdf), "--srdf", text(&srdf), "--state", "home"]);
    assert!(said.contains("no such group_state; it has ready"), "{said}");
    let empty = folder.file("empty.csv", "# nothing\n");
    let said = refused(&["check", text(&urdf), "--configs", text(&empty)]);
    assert!(said.contains("empty.csv: no configurations"), "{said}");
}

#[test]
fn values_have_units() {
    let (_folder, urdf, _) = files("robot-units");
    let q = |given: &str| answer(&["check", text(&urdf), "--q", given], 0)["configurations"][0]["q"].clone();
    let turned = 45f64.to_radians();
    for given in ["45deg 100mm", "45deg, 0.1", "45°,10cm", "shoulder=45deg", "shoulder = 45 deg, lift = 100 mm"] {
        assert_eq!(q(given), json!([turned, 0.1]), "{given}");
    }
    assert_eq!(q("-1.5rad 1e-1m"), json!([-1.5, 0.1]));
    for (given, said) in [
        ("45mm 0.1", "--q: `45mm`: `shoulder` is an angle: expected rad or deg"),
        ("0 5deg", "--q: `5deg`: `lift` is a length: expected m, cm or mm"),
        ("45grad 0", "--q: `45grad` is not a number with an optional unit (deg, rad, m, cm, mm)"),
        ("shoulder=1 0.1", "--q: `0.1`: expected JOINT=VALUE"),
        ("shoulder=1 shoulder=2", "--q: `shoulder` is given twice"),
        ("grip=0.1", "no independent joint `grip` (fixed joints and those that mimic others take no value)"),
        ("inf 0.1", "`shoulder` = inf is not a valid joint value"),
        ("1", "expected 2 values (shoulder, lift), got 1"),
    ] {
        let refusal = refused(&["check", text(&urdf), "--q", given]);
        assert!(refusal.contains(said), "{given}: {refusal}");
    }
}

#[test]
fn what_is_beyond_limits_is_counted_apart() {
    let (folder, urdf, _) = files("robot-limits");
    let configs = folder.file("q.csv", "0 0.1\n4 0.1\n1 0.1\n0 0.2\n0 -0.2\n");
    let found = answer(&["check", text(&urdf), "--configs", text(&configs)], 1);
    let count = |key: &str| found[key].as_u64().unwrap();
    // The last one pushes the tip into the upper arm, so it is not free.
    assert_eq!((count("free"), count("free_beyond_limits")), (4, 2));
    let beyond: Vec<&Value> =
        found["configurations"].as_array().unwrap().iter().map(|checked| &checked["beyond_limits"]).collect();
    let none = json!([]);
    assert_eq!(beyond, [&none, &json!(["shoulder"]), &none, &json!(["lift"]), &json!(["lift"])]);
    let lines = shown(&["check", text(&urdf), "--configs", text(&configs)], 1);
    assert!(lines.ends_with("\n4 of 5 free, of which 2 beyond joint limits\n"), "{lines}");
    let page = folder.0.join("page.html");
    shown(&["check", text(&urdf), "--configs", text(&configs), "--html", text(&page)], 1);
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("4 of 5 configurations free, of which 2 beyond joint limits"));
    assert!(shown(&["check", text(&urdf), "--q", "0 0.1"], 0).ends_with("\n1 of 1 free\n"));

    let path = folder.file("path.csv", "0 0.1\n3.3 0.1\n0 0.16\n");
    let found = answer(&["sweep", text(&urdf), "--trajectory", text(&path)], 0);
    let expected = json!([
        {"configuration": 1, "variables": ["shoulder"]},
        {"configuration": 2, "variables": ["lift"]},
    ]);
    assert_eq!((&found["free"], &found["beyond_limits"]), (&true.into(), &expected));
    let lines = shown(&["sweep", text(&urdf), "--trajectory", text(&path)], 0);
    let said = "free, proved for all times; 2 of 3 configurations beyond joint limits: lift, shoulder";
    assert!(lines.lines().any(|line| line == said), "{lines}");
    let page = folder.0.join("sweep.html");
    shown(&["sweep", text(&urdf), "--trajectory", text(&path), "--html", text(&page)], 0);
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("; 2 of 3 configurations beyond joint limits: lift, shoulder"));
}

#[test]
fn degrees_without_a_unit_are_noticed() {
    let (folder, urdf, _) = files("robot-degrees");
    let notes = |given: &str| answer(&["check", text(&urdf), "--q", given], 0)["notes"].to_string();
    let said =
        "configuration 0: angles are in rad, but these look like degrees (shoulder = 90); for degrees write 90deg";
    assert!(notes("90 0.1").contains(said), "{}", notes("90 0.1"));
    for fine in ["90deg 0.1", "4 0.1", "0 0.1", "1000 0.1"] {
        assert!(!notes(fine).contains("degrees"), "{fine}: {}", notes(fine));
    }
    let path = folder.file("path.csv", "0 0.1\n-45 0.1\n45 0.1\n");
    let found = answer(&["sweep", text(&urdf), "--trajectory", text(&path)], 0);
    assert!(found["notes"].to_string().contains("configuration 1 and 1 more: angles are in rad"), "{}", found["notes"]);
}

#[test]
fn one_format_in_place_of_another_is_named() {
    let (folder, urdf, srdf) = files("robot-formats");
    let said = refused(&["check", text(&urdf), "--srdf", text(&urdf)]);
    assert!(said.contains("arm.urdf: this is a URDF (line 2: <link>), expected an SRDF"), "{said}");
    let said = refused(&["check", text(&srdf), "--srdf", text(&srdf)]);
    assert!(said.contains("arm.srdf: this is an SRDF (line 2: <disable_collisions>), expected a URDF"), "{said}");
    let xacro = folder.file("arm.urdf.xacro", ARM);
    let said = refused(&["info", text(&xacro)]);
    assert!(
        said.contains("this is a xacro file (by its name), expected a URDF: expand it first with `xacro "),
        "{said}"
    );
    let macros = "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:arm prefix='a'/></robot>";
    let said = refused(&["info", text(&folder.file("macros.urdf", macros))]);
    assert!(said.contains("this is a xacro file (line 1: <xacro:arm>)"), "{said}");
    let said = refused(&["info", text(&folder.file("expr.urdf", ARM.replace("'0.01'", "'${r}'")))]);
    assert!(said.contains("this is a xacro file (line 13: radius=\"${r}\")"), "{said}");
    let said = refused(&["info", text(&folder.file("none.urdf", "<robot name='r'/>"))]);
    assert!(said.contains("there is no <link>"), "{said}");
}

#[test]
fn links_that_only_the_srdf_has_are_a_warning() {
    let (folder, urdf, _) = files("robot-unknown-links");
    let more = "<disable_collisions link1='ghost' link2='base' reason='Never'/>
        <disable_default_collisions link='camera'/></robot>";
    let srdf = folder.file("more.srdf", SRDF.replace("</robot>", more));
    let warning = format!("{}: ignored 2 links that the robot does not have: camera, ghost", text(&srdf));
    let lines = shown(&["check", text(&urdf), "--srdf", text(&srdf), "--state", "ready"], 0);
    assert!(lines.lines().any(|line| line == format!("warning: {warning}")), "{lines}");
    let asked = ["robot", "check", text(&urdf), "--srdf", text(&srdf), "--state", "ready", "--json"];
    let output = clearance(&asked);
    let found: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((code(&output), &found["warnings"]), (0, &json!([warning])));
    assert_eq!(stderr(&output), format!("warning: {warning}\n"));
    // The pairs that both have still count: the same pairs as without the others.
    let plain = folder.file("plain.srdf", SRDF);
    let same = answer(&["check", text(&urdf), "--srdf", text(&plain), "--state", "ready"], 0);
    assert_eq!((&found["pairs"], &same["warnings"]), (&same["pairs"], &json!([])));
    let path = folder.file("path.csv", "0 0.1\n1 0.1\n");
    let swept = answer(&["sweep", text(&urdf), "--srdf", text(&srdf), "--trajectory", text(&path)], 0);
    assert_eq!(swept["warnings"], json!([warning]));
}

#[test]
fn trajectories_have_times_in_every_format() {
    let (folder, urdf, _) = files("robot-trajectories");
    // A turn of 2 rad in 4 s; the hand meets a post just after half of it.
    let world = r#"[{"name": "post", "type": "cylinder", "dims": [2, 0.05], "pos": [0.4, 0.9, 0]}]"#;
    let world = folder.file("world.json", world);
    let sweep = |name: &str, content: &str| {
        let path = folder.file(name, content);
        answer(&["sweep", text(&urdf), "--trajectory", text(&path), "--world", text(&world)], 1)["impact"].clone()
    };
    let expected = sweep("path.csv", "time,shoulder,lift\n1,0,0.1\n5,2,0.1\n");
    assert!((3.0..3.5).contains(&expected["lower"].as_f64().unwrap()), "{expected}");
    let message = "joint_names: [lift, shoulder]\npoints:\n- positions: [0.1, 0]\n  velocities: []\n  \
        time_from_start: {sec: 1, nanosec: 0}\n- positions: [0.1, 2]\n  time_from_start:\n    \
        secs: 4\n    nsecs: 1000000000\n";
    let indented: String = message.lines().map(|line| format!("  {line}\n")).collect();
    let in_json = r#"{"joint_names": ["shoulder", "lift"], "points": [
        {"positions": [0, 0.1], "time_from_start": 1}, {"positions": [2, 0.1], "time_from_start": 5.0}]}"#;
    for (name, content) in [
        ("degrees.csv", "shoulder;lift;t\n0deg;100mm;1\n2rad;10cm;5\n"),
        ("plan.yaml", message),
        // As `ros2 topic echo` prints it, by its content alone.
        ("plan.txt", &format!("header:\n  frame_id: base\n{message}---\n")),
        ("robot.yaml", &format!("joint_trajectory:\n{indented}multi_dof_joint_trajectory:\n  points: []\n")),
        ("plan.json", in_json),
        ("named.json", r#"[{"time": 1, "shoulder": 0, "lift": 0.1}, {"time": 5, "shoulder": 2, "lift": "100mm"}]"#),
        ("named.yaml", "- {time: 1, shoulder: 0}\n- {time: 5, shoulder: 2}\n"),
    ] {
        assert_eq!(sweep(name, content), expected, "{name}");
    }
    // Without times, and as a planner leaves them: points are at 0, 1, 2.
    let untimed = sweep("untimed.csv", "shoulder,lift\n0,0.1\n2,0.1\n");
    assert!((0.5..0.63).contains(&untimed["lower"].as_f64().unwrap()), "{untimed}");
    assert_eq!(
        sweep(
            "zero.yaml",
            &message.replace("sec: 1", "sec: 0").replace("secs: 4", "secs: 0").replace("1000000000", "0")
        ),
        untimed
    );
    // Times do not disturb single configurations.
    let plan = folder.file("plan.yaml", message);
    let found = answer(&["check", text(&urdf), "--configs", text(&plan)], 0);
    assert_eq!(found["configurations"][1]["q"], json!([2.0, 0.1]));

    for (name, content, said) in [
        ("back.csv", "t,shoulder,lift\n1,0,0\n1,1,0\n", "times must increase: configuration 1 is at 1, after one at 1"),
        ("word.csv", "time,shoulder,lift\nsoon,0,0\n", "line 2: the time `soon` is not a number"),
        ("short.csv", "time,shoulder,lift\n1,0\n", "line 2: expected 3 values, one of them the time, got 2"),
        ("narrow.csv", "shoulder,lift\n1\n", "line 2: expected 2 values, one for each name, got 1"),
        ("typo.csv", "0 0.1\n0 o.1\n", "line 2: `o.1` is not a number"),
        ("first.csv", "0 o.1\n0 0.1\n", "line 1: `o.1` is not a number"),
        ("elbow.csv", "elbow\n1\n", "no independent joint `elbow`"),
        ("twice.csv", "lift,lift\n0,0\n", "line 2: `lift` is given twice"),
        ("some.json", r#"[{"time": 1, "lift": 0.1}, {"lift": 0.1}]"#, "configuration 1: 1 times in 2 configurations"),
        ("bad.json", r#"[[0, 0.1], 3]"#, "configuration 1: expected a list of values"),
        ("cut.json", r#"[[0, 0.1]"#, "cut.json: invalid JSON: "),
        ("bad.yaml", "joint_names: [lift\npoints: []\n", "bad.yaml: invalid YAML: "),
        (
            "keys.yaml",
            "points: []\nnames: [a]\n",
            "expected a list of configurations, or `joint_names` and `points`, got an object with points, names",
        ),
        (
            "few.yaml",
            "joint_names: [shoulder, lift]\npoints:\n- positions: [1]\n",
            "point 0: expected 2 positions, as in `joint_names`, got 1",
        ),
        ("none.yaml", "joint_names: [lift]\npoints:\n- velocities: [1]\n", "point 0: expected a list `positions`"),
        (
            "when.yaml",
            "joint_names: [lift]\npoints:\n- {positions: [0.1], time_from_start: soon}\n",
            "point 0: time_from_start: expected a number of seconds",
        ),
        ("names.yaml", "joint_names: lift\npoints: []\n", "`joint_names`: expected a list of names"),
        (
            "multi.yaml",
            "joint_trajectory: {joint_names: [], points: []}\nmulti_dof_joint_trajectory: {points: [{}]}\n",
            "`multi_dof_joint_trajectory` has points",
        ),
        ("one.yaml", "joint_names: [lift]\npoints:\n- positions: [0.1]\n", "expected at least 2 configurations, got 1"),
        (
            "twice.yaml",
            "joint_names: [lift]\npoints: []\n---\njoint_names: [lift]\npoints: []\n",
            "2 YAML documents, expected 1",
        ),
    ] {
        let path = folder.file(name, content);
        let refusal = refused(&["sweep", text(&urdf), "--trajectory", text(&path)]);
        assert!(refusal.contains(said), "{name}: {refusal}");
    }
}
