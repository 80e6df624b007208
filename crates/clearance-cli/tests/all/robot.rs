//! `clearance robot` as people run it.

// Other tests of the command use what this one does not.
#[allow(dead_code)]
use crate::common;

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
    let found = answer(&["sweep", text(&urdf), "--trajectory", text(&path), "--world", text(&world), "--verify"], 1);
    assert_eq!(found["verified"], true);
    let impact = &found["impact"];
    // The post is 1.697 away at 45 degrees; the side of the arm, 0.05 off its axis, reaches it 0.1 before.
    let distance = 1.2 * 2f64.sqrt();
    let angle = std::f64::consts::FRAC_PI_4 - (0.1 / distance).asin();
    let time = 5.0 + 10.0 * angle / std::f64::consts::FRAC_PI_2;
    let (lower, upper) = (impact["lower"].as_f64().unwrap(), impact["upper"].as_f64().unwrap());
    assert!(lower <= time + 1e-9 && time <= upper + 1e-9 && upper - lower < 2e-4, "{impact} {time}");
    assert_eq!((impact["a"].as_str(), impact["b"].as_str()), (Some("lower"), Some("post")));
    let away = folder.file("away.csv", "0 0\n-1.5 0\n-1.5 1\n");
    let found = answer(&["sweep", text(&urdf), "--trajectory", text(&away), "--world", text(&world), "--verify"], 0);
    assert_eq!(found["verified"], true);
    let clearance = &found["clearance"];
    let (lower, upper) = (clearance["lower"].as_f64().unwrap(), clearance["upper"].as_f64().unwrap());
    assert!(found["free"] == true && 0.0 < lower && upper - lower <= 1e-4 + 1e-12, "{clearance}");
}

/// The page of a command, and its answer; `None` where the page was not built, which then has to be said.
fn page(folder: &Folder, arguments: &[&str], expected: i32) -> Option<(Value, Value)> {
    let path = folder.0.join("page.html");
    let output = clearance(&[&["robot"], arguments, &["--json", "--html", text(&path)]].concat());
    if !clearance_cli::html::is_available() {
        assert_eq!((code(&output), stdout(&output).as_str(), path.exists()), (2, "", false));
        assert!(stderr(&output).contains("`cargo xtask viewer`"), "{}", stderr(&output));
        return None;
    }
    assert_eq!(code(&output), expected, "{}", stderr(&output));
    let written = std::fs::read_to_string(&path).unwrap();
    let data = &written[written.find("{\"version\":1").unwrap()..];
    let data = serde_json::Deserializer::from_str(data).into_iter::<Value>().next().unwrap().unwrap();
    Some((data, serde_json::from_str(&stdout(&output)).unwrap()))
}

fn names(page: &Value) -> Vec<&str> {
    page["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect()
}

#[test]
fn a_motion_is_on_a_page_with_its_impact() {
    let folder = Folder::new("robot-sweep-page");
    let (urdf, world) = (folder.file("arm.urdf", ARM), folder.file("world.json", WORLD));
    let path = folder.file("path.csv", "time,shoulder,elbow\n5,0,0\n15,1.5707963267948966,0\n");
    let arguments = ["sweep", text(&urdf), "--trajectory", text(&path), "--world", text(&world)];
    let Some((shown, answer)) = page(&folder, &arguments, 1) else { return };
    assert_eq!((&shown["title"], names(&shown)), (&"arm".into(), vec!["base", "upper", "lower", "post"]));
    let times: Vec<f64> =
        shown["timeline"]["times"].as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
    assert!(times.len() == 62 && (times[0], times[61]) == (5.0, 15.0) && times.is_sorted());
    // The base and the post rest.
    let tracks = shown["timeline"]["tracks"].as_array().unwrap();
    let moving: Vec<&Value> = tracks.iter().map(|track| &track["part"]).collect();
    assert!(moving == [1, 2] && tracks.iter().all(|track| track["poses"][1] == 12 * 62), "{tracks:?}");
    let [impact] = &shown["findings"].as_array().unwrap()[..] else { panic!("{}", shown["findings"]) };
    let [lower, upper] = ["lower", "upper"].map(|end| answer["impact"][end].as_f64().unwrap());
    let at = times[impact["frame"].as_u64().unwrap() as usize];
    assert!(lower <= at && at <= upper, "{impact}");
    assert_eq!((&impact["kind"], &impact["a"], &impact["b"]), (&"hard".into(), &2.into(), &3.into()));
    assert_eq!(impact["points"], serde_json::json!([answer["impact"]["point"], answer["impact"]["point"]]));
    let said = (impact["sentence"].as_str().unwrap(), &impact["details"][0][1]);
    assert!(said.0.starts_with("first impact at t = 9.6") && said.0.contains("proved to within "), "{said:?}");
    assert_eq!(*said.1, format!("{lower} ≤ t ≤ {upper}"));
    assert!(shown["verdict"].as_str().unwrap().starts_with("lower and post meet first, at t = 9.6"), "{shown}");

    let away = folder.file("away.csv", "0 0\n-1.5 0\n-1.5 1\n");
    let arguments = ["sweep", text(&urdf), "--trajectory", text(&away), "--padding", "0.01"];
    let Some((shown, answer)) = page(&folder, &arguments, 0) else { return };
    // The upper arm is drawn too, though it may touch both others.
    assert_eq!(names(&shown), ["base", "upper", "lower"]);
    let (finding, clearance) = (&shown["findings"][0], &answer["clearance"]);
    assert_eq!((&finding["kind"], &finding["a"], &finding["b"]), (&"measured".into(), &0.into(), &2.into()));
    assert_eq!((&finding["gap"]["lower"], &finding["gap"]["upper"]), (&clearance["lower"], &clearance["upper"]));
    assert_eq!(shown["timeline"]["times"][finding["frame"].as_u64().unwrap() as usize], clearance["at"]);
    let notes = shown["notes"].to_string();
    assert!(notes.contains("without their padding of 0.01 m"), "{notes}");
    assert!(shown["verdict"].as_str().unwrap().starts_with("free, proved for all times"), "{shown}");
}

#[test]
fn configurations_are_frames_of_a_page() {
    let folder = Folder::new("robot-check-page");
    let (urdf, world) = (folder.file("arm.urdf", ARM), folder.file("world.json", WORLD));
    let configs = folder.file("q.csv", "elbow,shoulder\n0,0\n3.14159,0\n1.5,0\n");
    let arguments = ["check", text(&urdf), "--configs", text(&configs), "--world", text(&world)];
    let Some((shown, answer)) = page(&folder, &arguments, 1) else { return };
    assert_eq!((&shown["verdict"], names(&shown).len()), (&"2 of 3 configurations free".into(), 4));
    assert_eq!(shown["timeline"]["times"], serde_json::json!([0.0, 1.0, 2.0]));
    let findings = shown["findings"].as_array().unwrap();
    let seen: Vec<(&str, u64)> =
        findings.iter().map(|it| (it["kind"].as_str().unwrap(), it["frame"].as_u64().unwrap())).collect();
    assert_eq!((seen[0], seen.len()), (("hard", 1), 5));
    assert_eq!(
        (&findings[0]["a"], &findings[0]["b"], &findings[0]["group"]),
        (&0.into(), &2.into(), &"configuration 1".into())
    );
    // What is free says how far it is, the least first.
    let gaps: Vec<f64> = findings[1..].iter().map(|it| it["gap"]["value"].as_f64().unwrap()).collect();
    assert!(gaps.is_sorted() && seen[1..].iter().all(|it| it.0 == "measured" && it.1 != 1), "{seen:?} {gaps:?}");
    let known = answer["configurations"][2]["nearest_world"]["value"].as_f64().unwrap();
    assert!(gaps.contains(&known), "{gaps:?} {known}");
    // Apart, and too near for the padding.
    let arguments = ["check", text(&urdf), "--q", "0 0", "--world", text(&world), "--padding", "1.2"];
    let Some((shown, _)) = page(&folder, &arguments, 1) else { return };
    let near = shown["findings"].as_array().unwrap().iter().find(|it| it["b"] == 3 && it["a"] == 2).unwrap();
    assert_eq!(near["kind"], "clearance");
    assert!(near["sentence"].as_str().unwrap().ends_with("; the padding is 1.2 m"), "{near}");
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
