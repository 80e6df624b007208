//! `clearance sweep`: deforming meshes from files, as JSON, text and a page, and what is refused.

#[allow(dead_code, reason = "tests of other commands share it and use more")]
use crate::common;

use std::path::Path;

use serde_json::{Value, json};

use common::{Folder, clearance, code, stderr, stdout};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A large triangle in the plane z = 0 and a small one at a height, as one mesh.
fn leaf(height: f64) -> String {
    let (low, high) = (height, height + 1.0);
    format!("v 0 0 0\nv 9 0 0\nv 0 9 0\nv 1 1 {low}\nv 2 1 {low}\nv 1 2 {high}\nf 1 2 3\nf 4 5 6\n")
}

fn triangle(height: f64) -> String {
    format!("v 0 0 {height}\nv 9 0 {height}\nv 0 9 {height}\nf 1 2 3\n")
}

fn answer(arguments: &[&str], expected: i32) -> Value {
    let output = clearance(&[&["sweep", "--json", "--verify"], arguments].concat());
    assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&answer["schema"], &answer["verified"]), (&json!("clearance-sweep/1"), &json!(true)));
    answer
}

#[test]
fn a_mesh_against_itself_and_two_meshes() {
    let folder = Folder::new("sweep");
    let (start, end) = (folder.file("0.obj", leaf(1.0)), folder.file("1.obj", leaf(-3.0)));
    let all = answer(&[path(&start), path(&end)], 1);
    let impacts = all["impacts"].as_array().unwrap();
    let seen: Vec<_> = impacts.iter().map(|it| (it["a"].as_str(), it["b"].as_str(), it["lower"].as_f64())).collect();
    let expected = [("vertex 3", 0.25), ("vertex 4", 0.25), ("vertex 5", 0.5)];
    assert_eq!(seen, expected.map(|(vertex, time)| (Some(vertex), Some("face 0"), Some(time))));
    assert_eq!((&all["first"], &all["intersecting"]), (&json!([0.25, 0.25]), &json!([])));
    assert_eq!(answer(&[path(&start), path(&end), "--first"], 1)["impacts"].as_array().unwrap().len(), 1);
    assert_eq!(answer(&[path(&start), path(&end), "--within", "0.1"], 1)["impacts"].as_array().unwrap().len(), 2);
    assert_eq!(answer(&[path(&start), path(&start)], 0)["impacts"], json!([]));

    let others = [folder.file("2.obj", triangle(-1.0)), folder.file("3.obj", triangle(-2.0))];
    let two = answer(&[path(&start), path(&end), path(&others[0]), path(&others[1])], 1);
    assert!(two["impacts"].as_array().unwrap().iter().any(|it| it["a"] == "vertex 3" && it["b"] == "face 0"));
    let text = clearance(&["sweep", path(&start), path(&end)]);
    assert!(stdout(&text).contains("first     0.25 <= t <= 0.25") && stdout(&text).contains("impacts   3"));
}

#[test]
fn a_page_has_the_impacts_and_both_ends() {
    let folder = Folder::new("sweep-page");
    let (start, end) = (folder.file("leaf.obj", leaf(1.0)), folder.file("1.obj", leaf(-3.0)));
    let page = folder.0.join("page.html");
    let output = clearance(&["sweep", path(&start), path(&end), "--html", path(&page)]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let text = std::fs::read_to_string(&page).unwrap();
    let from = text.find("{\"version\":1").unwrap();
    let mut data = serde_json::Deserializer::from_str(&text[from..]).into_iter::<Value>();
    let data = data.next().unwrap().unwrap();
    assert_eq!(data["title"], "leaf.obj");
    assert_eq!(data["verdict"], "3 impacts, the first at t = 0.25");
    assert_eq!(data["deformations"][0]["end"][1], 6);
    let findings = data["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 3);
    for finding in findings {
        let time = &data["timeline"]["times"][finding["frame"].as_u64().unwrap() as usize];
        assert!(finding["sentence"].as_str().unwrap().ends_with(&format!("at t = {time}")), "{finding}");
        assert_eq!((&finding["a"], &finding["b"], &finding["kind"]), (&json!(0), &json!(0), &json!("touching")));
    }
}

#[test]
fn what_is_refused_is_named() {
    let folder = Folder::new("sweep-refused");
    let (start, other) = (folder.file("0.obj", leaf(1.0)), folder.file("1.obj", triangle(0.0)));
    let refused = |arguments: &[&str], why: &str| {
        let output = clearance(&[&["sweep"], arguments].concat());
        assert!(code(&output) == 2 && stderr(&output).contains(why), "{arguments:?}: {}", stderr(&output));
    };
    refused(&[path(&start), path(&other)], "its triangles are not those of");
    refused(&[path(&start), path(&start), path(&start)], "expected 2 or 4 files, got 3");
    refused(&[path(&start), path(&start), "--within", "-1"], "expected a fraction of the step");
    let stl = folder.file("mesh.stl", "solid\nendsolid\n");
    refused(&[path(&stl), path(&stl)], "STL has no shared points to match between files");
    refused(&[path(&start), "nowhere.obj"], "nowhere.obj");
}

/// Boxes as an STL file: each the least and the greatest corner.
fn stl(boxes: &[([f64; 3], [f64; 3])]) -> String {
    let mut out = String::from("solid boxes\n");
    for (low, high) in boxes {
        let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { low[axis] } else { high[axis] });
        for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            for triangle in [[a, b, c], [a, c, d]] {
                let points = triangle.map(corner).map(|[x, y, z]| format!("vertex {x} {y} {z}\n"));
                out += &format!("facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n", points.concat());
            }
        }
    }
    out + "endsolid boxes\n"
}

/// A bullet 0.02 thick and 0.08 long along z, and a plate a ten thousandth of a metre thick.
fn bullet_and_plate(folder: &Folder) -> [String; 2] {
    let bullet = stl(&[([-0.01, -0.01, -0.04], [0.01, 0.01, 0.04])]);
    let plate = stl(&[([-5.0, -5.0, -5e-5], [5.0, 5.0, 5e-5])]);
    [folder.file("bullet.stl", bullet), folder.file("plate.stl", plate)].map(|file| path(&file).to_owned())
}

fn rigid(arguments: &[&str], expected: i32) -> Value {
    let output = clearance(&[&["sweep", "--json", "--verify"], arguments].concat());
    assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&answer["schema"], &answer["verified"]), (&json!("clearance-rigid-sweep/1"), &json!(true)));
    answer
}

/// The bracket of a part of an answer, which holds the truth and is no wider than `width`.
fn holds(bracket: &Value, truth: f64, width: f64) {
    let [lower, upper] = ["lower", "upper"].map(|end| bracket[end].as_f64().unwrap());
    assert!(lower <= truth && truth <= upper && upper - lower <= width, "{bracket} {truth}");
}

#[test]
fn a_bullet_meets_a_plate_at_the_known_time() {
    let folder = Folder::new("sweep-bullet");
    let [bullet, plate] = bullet_and_plate(&folder);
    // Straight, its nose 0.04 ahead of its middle: from z = 100 to z = -100.
    let straight = [&bullet[..], &plate, "--from", "0.5 0.25 100", "--to", "0.5 0.25 -100"];
    let answer = rigid(&straight, 1);
    holds(&answer["impact"], (100.0 - 0.04 - 5e-5) / 200.0, 1e-9);
    assert_eq!((&answer["impact"]["touches"], &answer["clearance"]), (&json!(true), &Value::Null));
    assert!((answer["impact"]["pose"][2][3].as_f64().unwrap() - 0.04005).abs() < 1e-9, "{answer}");
    // With a margin it is met that much earlier.
    let within = rigid(&[&straight[..], &["--margin", "0.5"]].concat(), 1);
    holds(&within["impact"], (100.0 - 0.04 - 5e-5 - 0.5) / 200.0, 1e-9);
    // Not asked for, it is not said to be verified.
    let unasked = clearance(&[&["sweep", "--json"][..], &straight].concat());
    assert_eq!(serde_json::from_str::<Value>(&stdout(&unasked)).unwrap()["verified"], Value::Null);
    let text = clearance(&[&["sweep", "--verify"][..], &straight].concat());
    let text = stdout(&text);
    assert!(text.contains("first contact  0.4997") && text.contains("verified by independent code"), "{text}");
}

#[test]
fn a_body_that_turns_meets_another_when_the_formula_says() {
    let folder = Folder::new("sweep-turn");
    // A bar along x turns by a quarter about z; a cube waits with a side at y = 1. The bar's corner (2, 0.1) gets
    // there.
    let bar = folder.file("bar.stl", stl(&[([-2.0, -0.1, -0.1], [2.0, 0.1, 0.1])]));
    let post = folder.file("post.stl", stl(&[([1.0, 1.0, -1.0], [3.0, 3.0, 1.0])]));
    let half = std::f64::consts::FRAC_PI_4;
    let quarter = format!("0 0 0 0 0 {} {}", half.sin(), half.cos());
    // The corner is at the radius r and starts at the angle 0.05; at y = 1 its x is above 1, so it is what hits.
    let (radius, ahead) = (4.01_f64.sqrt(), 0.1_f64.atan2(2.0));
    let truth = ((1.0 / radius).asin() - ahead) / std::f64::consts::FRAC_PI_2;
    let turn = [path(&bar), path(&post), "--to", &quarter];
    holds(&rigid(&turn, 1)["impact"], truth, 1e-9);
    holds(&rigid(&[&turn[..], &["--screw"]].concat(), 1)["impact"], truth, 1e-9);
    // Two files of which one is out of the way: the first impact is that of the near part.
    let posts = stl(&[([20.0, 1.0, -1.0], [22.0, 3.0, 1.0]), ([1.0, 1.0, -1.0], [3.0, 3.0, 1.0])]);
    let posts = folder.file("posts.stl", posts);
    holds(&rigid(&[path(&bar), path(&posts), "--to", &quarter], 1)["impact"], truth, 1e-9);
    // Upwards, turning: nearest at the start, 2.9 above the post and 0.9 beside it.
    let over = ["--from", "0 0 4", "--to", "0 0 8 0 0 1 0", "--screw"];
    let free = rigid(&[&[path(&bar), path(&post)][..], &over].concat(), 0);
    holds(&free["clearance"], 2.9_f64.hypot(0.9), 1e-2);
}

#[test]
fn a_free_motion_has_its_clearance() {
    let folder = Folder::new("sweep-free");
    let [bullet, plate] = bullet_and_plate(&folder);
    // Past the plate, a metre from its edge, turning half a turn about its own long axis.
    let past = [&bullet[..], &plate, "--from", "6 0 3", "--to", "6 0 -3 0 0 1 0"];
    let answer = rigid(&past, 0);
    let clearance_of = &answer["clearance"];
    assert_eq!(answer["impact"], Value::Null);
    let nearest = 1.0 - 0.01 * 2.0_f64.sqrt();
    let [lower, upper] = ["lower", "upper"].map(|end| clearance_of[end].as_f64().unwrap());
    // Where it passes, its corner may be ahead or not.
    assert!(lower <= 0.99 && upper >= nearest && upper - lower < 2e-3, "{clearance_of}");
    assert!((clearance_of["t"].as_f64().unwrap() - 0.5).abs() < 0.02);
    let text = stdout(&clearance(&[&["sweep"][..], &past].concat()));
    assert!(text.contains("nothing touches on the way") && text.contains("<= least clearance <="), "{text}");
    assert!(!text.contains("verified by"), "{text}");
    // Within a margin of a metre it does come.
    assert_eq!(rigid(&[&past[..], &["--margin", "1"]].concat(), 1)["clearance"], Value::Null);
}

#[test]
fn a_rigid_sweep_has_a_page() {
    let folder = Folder::new("sweep-rigid-page");
    let [bullet, plate] = bullet_and_plate(&folder);
    let page = folder.0.join("page.html");
    let output = clearance(&["sweep", &bullet, &plate, "--from", "0 0 9", "--to", "0 0 -9", "--html", path(&page)]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let text = std::fs::read_to_string(&page).unwrap();
    let from = text.find("{\"version\":1").unwrap();
    let mut data = serde_json::Deserializer::from_str(&text[from..]).into_iter::<Value>();
    let data = data.next().unwrap().unwrap();
    assert!(data["verdict"].as_str().unwrap().starts_with("first contact at 0.497"), "{}", data["verdict"]);
    let frame = data["findings"][0]["frame"].as_u64().unwrap() as usize;
    assert!((data["timeline"]["times"][frame].as_f64().unwrap() - (9.0 - 0.04 - 5e-5) / 18.0).abs() < 1e-9);
}

#[test]
fn what_a_rigid_sweep_refuses_is_named() {
    let folder = Folder::new("sweep-rigid-refused");
    let [bullet, plate] = bullet_and_plate(&folder);
    let refused = |arguments: &[&str], why: &str| {
        let output = clearance(&[&["sweep"], arguments].concat());
        assert!(code(&output) == 2 && stderr(&output).contains(why), "{arguments:?}: {}", stderr(&output));
    };
    refused(
        &[&bullet, &plate, &plate, "--to", "0 0 1"],
        "expected 2 files with --from or --to, the moving body and the resting one, got 3",
    );
    refused(&[&bullet, "--to", "0 0 1"], "2 values required");
    refused(&[&bullet, &plate, "--to", "0 0"], "--to");
    refused(&[&bullet, &plate, "--to", "0 0 1", "--margin=-1"], "expected a length of 0 or more");
    refused(&[&bullet, &plate, "--to", "0 0 1", "--first"], "--first");
    refused(&[&bullet, "nowhere.stl", "--to", "0 0 1"], "nowhere.stl");
}
