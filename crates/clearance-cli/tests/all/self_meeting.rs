//! `clearance self`: a crumpled sheet against brute force, frames of a mesh that deforms, and what is refused.

#[allow(dead_code, reason = "tests of other commands share it and use more")]
use crate::common;

use std::fmt::Write;
use std::path::Path;

use clearance::glam::DVec3;
use clearance::math::{Sign, orient3d};
use serde_json::{Value, json};

use common::{Folder, clearance, code, stderr, stdout};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

type Sheet = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// A sheet of `cells` by `cells` squares with heights.
fn sheet(cells: u32, place: impl Fn(f64, f64) -> [f64; 3]) -> Sheet {
    let row = cells + 1;
    let points =
        (0..row * row).map(|k| place(f64::from(k % row) / f64::from(cells), f64::from(k / row) / f64::from(cells)));
    let cell = |k: u32| {
        let a = k / cells * row + k % cells;
        [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]
    };
    (points.collect(), (0..cells * cells).flat_map(cell).collect())
}

/// Points off their places by a pseudorandom amount.
fn crumpled(cells: u32) -> Sheet {
    let (mut points, triangles) = sheet(cells, |x, y| [x, y, 0.0]);
    let mut state = 1u64;
    for x in points.iter_mut().flatten() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *x += 0.3 * ((state >> 40) as f64 / f64::from(1u32 << 24) - 0.5);
    }
    (points, triangles)
}

fn obj((points, triangles): &Sheet) -> String {
    let mut text = String::new();
    points.iter().for_each(|[x, y, z]| writeln!(text, "v {x:?} {y:?} {z:?}").unwrap());
    triangles.iter().for_each(|t| writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap());
    text
}

/// Whether a side of one triangle passes through the inside of the other: what meeting is where no four points lie in
/// one plane and no point is in both.
fn crosses(points: &[[f64; 3]], one: [u32; 3], other: [u32; 3]) -> bool {
    let at = |p: u32| DVec3::from_array(points[p as usize]);
    let through = |[a, b, c]: [u32; 3], p: u32, q: u32| {
        let [a, b, c, p, q] = [a, b, c, p, q].map(at);
        let around = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
        orient3d(a, b, c, p) == -orient3d(a, b, c, q) && around[0] != Sign::Zero && around == [around[0]; 3]
    };
    let sides = |t: [u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let shared = |p: u32, t: [u32; 3]| t.contains(&p);
    let pass = |t: [u32; 3], by: [u32; 3]| {
        sides(by).into_iter().any(|[p, q]| !shared(p, t) && !shared(q, t) && through(t, p, q))
    };
    pass(one, other) || pass(other, one)
}

fn answer(arguments: &[&str], expected: i32) -> Value {
    let output = clearance(&[&["self", "--json", "--verify"], arguments].concat());
    assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(answer["verified"], json!(true));
    answer
}

#[test]
fn a_crumpled_sheet_equals_brute_force_and_a_flat_one_is_clean() {
    let folder = Folder::new("self");
    let crumpled = crumpled(12);
    let file = folder.file("crumpled.obj", obj(&crumpled));
    let (points, triangles) = &crumpled;
    let pair = |i: usize| (i + 1..triangles.len()).map(move |j| [i, j]);
    let expected: Vec<[usize; 2]> =
        (0..triangles.len()).flat_map(pair).filter(|&[i, j]| crosses(points, triangles[i], triangles[j])).collect();
    assert!(expected.len() > 50);
    for culling in ["boxes", "curvature"] {
        let found = answer(&[path(&file), "--culling", culling], 1);
        assert_eq!((&found["schema"], &found["triangles"]), (&json!("clearance-self/1"), &json!(288)));
        let pairs = found["pairs"].as_array().unwrap();
        let seen: Vec<[usize; 2]> =
            pairs.iter().map(|it| ["a", "b"].map(|key| it[key].as_u64().unwrap() as usize)).collect();
        assert_eq!(seen, expected, "{culling}");
        assert!(pairs.iter().all(|it| it["kind"] == "crossing"));
    }
    assert_eq!(answer(&[path(&file), "--least", "overlap"], 0)["pairs"], json!([]));
    let flat = folder.file("flat.obj", obj(&sheet(12, |x, y| [x, y, 0.0])));
    assert_eq!(answer(&[path(&flat)], 0)["pairs"], json!([]));
    assert_eq!(answer(&[path(&flat), "--culling", "curvature"], 0)["pairs"], json!([]));
    let text = stdout(&clearance(&["self", path(&flat)]));
    assert_eq!(text, "288 triangles, none meets another\n");
    let table = folder.0.join("pairs.csv");
    let output = clearance(&["self", path(&file), "-o", path(&table)]);
    assert!(stdout(&output).contains(&format!("288 triangles, {} pairs meet", expected.len())));
    assert_eq!(std::fs::read_to_string(table).unwrap().lines().count(), expected.len() + 1);
}

#[test]
fn frames_of_a_sheet_that_folds() {
    let folder = Folder::new("self-frames");
    let bent = |turn: f64| {
        let fold = move |x: f64, y: f64| {
            let over = (x - 0.5).max(0.0);
            [x.min(0.5) + over * turn.cos(), y + 0.01 * over, over * turn.sin()]
        };
        obj(&sheet(6, fold))
    };
    let files: Vec<_> = [0.0, 1.0, 2.0, 3.3]
        .iter()
        .enumerate()
        .map(|(k, &turn)| folder.file(&format!("{k}.obj"), bent(turn)))
        .collect();
    let files: Vec<&str> = files.iter().map(|file| path(file)).collect();
    assert_eq!(answer(&files[..3], 0)["impacts"], json!([]));
    let all = answer(&files, 1);
    assert_eq!((&all["schema"], &all["steps"]), (&json!("clearance-self-steps/1"), &json!(3)));
    let impacts = all["impacts"].as_array().unwrap();
    assert!(!impacts.is_empty() && impacts.iter().all(|it| it["step"] == 2));
    let by_boxes = answer(&[&files[..], &["--culling", "boxes"]].concat(), 1);
    assert_eq!(by_boxes["impacts"], all["impacts"]);
    assert_eq!(answer(&[&files[..], &["--first"]].concat(), 1)["impacts"], json!([impacts[0]]));
    assert!(stdout(&clearance(&[&["self"], &files[..]].concat())).contains("  step 2, t "));
    // A half folded back through the other one, at rest.
    let through = sheet(6, |x, y| [0.5 - (x - 0.5).abs(), y + 0.01 * x, (x - 0.5).max(0.0) * (y - 0.47)]);
    let through = folder.file("through.obj", obj(&through));
    let folded = answer(&[path(&through), path(&through)], 1);
    assert!(!folded["intersecting"].as_array().unwrap().is_empty());
}

#[test]
fn what_is_refused_is_named() {
    let folder = Folder::new("self-refused");
    let flat = folder.file("flat.obj", obj(&sheet(2, |x, y| [x, y, 0.0])));
    let other = folder.file("other.obj", obj(&sheet(3, |x, y| [x, y, 0.0])));
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let solid = folder.file("solid.stl", format!("solid x\n{facet}endsolid x\n"));
    let fails = |arguments: &[&str], wanted: &str| {
        let output = clearance(&[&["self"], arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(wanted), "{}", stderr(&output));
    };
    fails(&[path(&flat), path(&other)], "its triangles are not those of");
    fails(&[path(&solid), path(&solid)], "STL has no shared points");
    fails(&[path(&flat), "--first"], "expected two frames or more");
    fails(&["nowhere.obj"], "nowhere.obj");
    fails(&[path(&flat), "-o", "page.html"], "does not write .html");
    assert_eq!(code(&clearance(&["self", path(&solid)])), 0);
    assert!(stdout(&clearance(&["self", "--help"])).contains("Examples:"));
}
