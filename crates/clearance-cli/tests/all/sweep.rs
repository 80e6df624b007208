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
    if !clearance_cli::html::is_available() {
        assert!(code(&output) == 2 && stderr(&output).contains("cargo xtask viewer"), "{}", stderr(&output));
        return;
    }
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
    refused(&[path(&start), path(&start), path(&start)], "3 files, where 2 or 4 are meant");
    refused(&[path(&start), path(&start), "--within", "-1"], "a fraction of the step is meant");
    let stl = folder.file("mesh.stl", "solid\nendsolid\n");
    refused(&[path(&stl), path(&stl)], "STL has no points that can be followed");
    refused(&[path(&start), "nowhere.obj"], "nowhere.obj");
}
