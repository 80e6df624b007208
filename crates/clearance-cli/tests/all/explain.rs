//! `clearance explain`: the numbers add up, the answers are those of `clearance distance`, and what is written shows it.

use crate::common;

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use common::{Folder, boxes, clearance, code, stderr, stdout};
use serde_json::Value;

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A torus of 24 by 12 quadrilaterals about the z axis.
fn torus(folder: &Folder, name: &str, x: f64) -> PathBuf {
    let (around, across) = (24_u32, 12_u32);
    let mut out = String::from("o torus\n");
    for (i, j) in (0..around).flat_map(|i| (0..across).map(move |j| (i, j))) {
        let (u, v) = (TAU * f64::from(i) / f64::from(around), TAU * f64::from(j) / f64::from(across));
        let radius = 2.0 + 0.5 * v.cos();
        out += &format!("v {} {} {}\n", x + radius * u.cos(), radius * u.sin(), 0.5 * v.sin());
    }
    let corner = |i: u32, j: u32| (i % around) * across + j % across + 1;
    for (i, j) in (0..around).flat_map(|i| (0..across).map(move |j| (i, j))) {
        let face = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        out += &format!("f {}\n", face.map(|corner| corner.to_string()).join(" "));
    }
    folder.file(name, out)
}

/// What a command answers as JSON.
fn answer(arguments: &[&str]) -> Value {
    let output = clearance(&[arguments, &["--json"]].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn error(arguments: &[&str]) -> String {
    let output = clearance(arguments);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{arguments:?}");
    stderr(&output)
}

/// The sum of a column of the table by level.
fn sum(answer: &Value, column: &str) -> u64 {
    answer["levels"].as_array().unwrap().iter().map(|row| row[column].as_u64().unwrap()).sum()
}

const TREES: [&str; 15] = [
    "aabb",
    "obb",
    "sphere",
    "lss",
    "rss",
    "swept",
    "swept-all",
    "kdop6",
    "kdop12",
    "kdop14",
    "kdop18",
    "kdop26",
    "kdop32",
    "kdop62",
    "box-tree",
];

#[test]
fn every_tree_finds_the_same_distance() {
    let folder = Folder::new("explain-distance");
    let (a, b) = (torus(&folder, "a.obj", 0.0), torus(&folder, "b.obj", 5.5));
    let told = answer(&["distance", path(&a), path(&b)]);
    for tree in TREES {
        let found = answer(&["explain", "distance", path(&a), path(&b), "--tree", tree, "--visits", "100000"]);
        assert_eq!((&found["schema"], &found["tree"]), (&"clearance-explain/1".into(), &tree.into()));
        assert_eq!((&found["verified"], &found["meet"]), (&true.into(), &Value::Null));
        let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
        assert!(number(&found, "lower") <= number(&told, "upper"), "{tree}");
        assert!(number(&told, "lower") <= number(&found, "upper"), "{tree}");
        // All visits are there, and the table adds up.
        let visits = found["visits"].as_array().unwrap();
        let (nv, np) = (found["nv"].as_u64().unwrap(), found["np"].as_u64().unwrap());
        assert_eq!((visits.len() as u64, &found["visits_left_out"]), (nv, &0.into()), "{tree}");
        assert_eq!((sum(&found, "pairs"), sum(&found, "triangle_pairs") + 1), (nv, np), "{tree}");
        let with = |outcome: &str| visits.iter().filter(|visit| visit["outcome"] == outcome).count() as u64;
        assert_eq!((with("pruned"), with("dropped")), (sum(&found, "pruned"), sum(&found, "dropped")), "{tree}");
        assert_eq!(with("waiting"), 0, "{tree}: a search for the nearest leaves nothing undecided");
        let opened = with("opened");
        assert_eq!(nv, 1 + 2 * opened, "{tree}: each pair opened has two below");
        for visit in visits.iter().filter(|visit| visit["outcome"] == "pruned") {
            assert!(number(visit, "bound") >= number(visit, "limit"), "{tree}: {visit}");
        }
        let tested: u64 = visits.iter().filter_map(|visit| visit["triangle_pairs"].as_u64()).sum();
        assert_eq!(tested + 1, np, "{tree}");
        for side in ["a", "b"] {
            let volumes = sum(&found, &format!("volumes_{side}"));
            assert_eq!(&found["trees"][usize::from(side == "b")]["volumes"], &volumes, "{tree}");
            assert!(sum(&found, &format!("reached_{side}")) < volumes / 2, "{tree} visits most of its volumes");
        }
    }
}

#[test]
fn contacts_are_explained() {
    let folder = Folder::new("explain-contact");
    let (a, b) = (torus(&folder, "a.obj", 0.0), torus(&folder, "b.obj", 1.75));
    let first = answer(&["explain", "contact", path(&a), path(&b), "--visits", "100000"]);
    assert_eq!((&first["meet"], &first["triangles"]), (&true.into(), &Value::Null));
    let all = answer(&["explain", "contact", path(&a), path(&b), "--all"]);
    assert_eq!((&all["meet"], &all["verified"]), (&true.into(), &true.into()));
    assert!(all["triangles"].as_array().unwrap().len() > 10 && all["nv"].as_u64() > first["nv"].as_u64());
    assert_eq!(sum(&first, "triangle_pairs"), first["np"].as_u64().unwrap());
    let waiting = first["visits"].as_array().unwrap().iter().filter(|visit| visit["outcome"] == "waiting").count();
    assert!(waiting > 0, "the search ended at the first contact");
    let apart = answer(&["explain", "contact", path(&a), path(&b), "--pose", "9 0 0"]);
    assert_eq!((&apart["meet"], &apart["nv"], &apart["np"]), (&false.into(), &1.into(), &0.into()));
    let text = stdout(&clearance(&["explain", "contact", path(&a), path(&b), "--pose", "9 0 0"]));
    assert!(text.contains("contact   they do not meet\n") && text.contains("Nv        1 pair of volumes"), "{text}");
    assert!(text.ends_with("    0      1       1        0               0        1 of 1        1 of 1\n"), "{text}");
}

#[test]
fn visits_are_kept_up_to_a_number() {
    let folder = Folder::new("explain-visits");
    let (a, b) = (torus(&folder, "a.obj", 0.0), torus(&folder, "b.obj", 5.5));
    let of = |visits: &str| answer(&["explain", "distance", path(&a), path(&b), "--visits", visits]);
    let (all, some, none) = (of("100000"), of("5"), of("0"));
    assert_eq!(some["visits"].as_array().unwrap().len(), 5);
    assert_eq!(some["visits_left_out"].as_u64().unwrap() + 5, all["nv"].as_u64().unwrap());
    assert_eq!((&none["levels"], &none["nv"], &none["np"]), (&all["levels"], &all["nv"], &all["np"]));
    assert_eq!(of("100000"), all, "the same every time");
    // Options of the tree and of the walk change the way, not the answer.
    let value = |more: &[&str]| {
        let found = answer(&[&["explain", "distance", path(&a), path(&b)], more].concat());
        (found["value"].clone(), found["nv"].clone())
    };
    for more in [["--build", "sah"], ["--fit", "vertices"], ["--leaf", "4"], ["--descend", "both"]] {
        let found = value(&more);
        assert!((found.0.as_f64().unwrap() - all["value"].as_f64().unwrap()).abs() < 1e-12, "{more:?}");
        assert_ne!(found.1, all["nv"], "{more:?}");
    }
    assert!(value(&["--farther-than", "0.1"]).1.as_u64() < all["nv"].as_u64());
}

#[test]
fn pages_and_pictures_show_the_trees() {
    let folder = Folder::new("explain-files");
    let (a, b) = (torus(&folder, "a.obj", 0.0), torus(&folder, "b.obj", 5.5));
    let names = ["x.html", "x.svg", "x.json", "x.csv", "x.md"];
    let at: Vec<String> = names.iter().map(|name| path(&folder.0.join(name)).to_owned()).collect();
    let files: Vec<&str> = at.iter().flat_map(|name| ["-o", name]).collect();
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    let arguments = [&["explain", "distance", path(&a), path(&b), "--tree", "rss"], &files[..]].concat();
    let output = clearance(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let page = read("x.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("\"trees\":{\"trees\":[{\"part\":0"), "no trees");
    let picture = read("x.svg");
    assert!(picture.starts_with("<svg") && picture.contains(">level 0: 1 + 1 volumes reached</text>"), "{picture}");
    assert!(picture.matches("<use href=\"#parts\"/>").count() == 8, "eight levels");
    let json: Value = serde_json::from_str(&read("x.json")).unwrap();
    let table = read("x.csv");
    assert_eq!(table.lines().count(), 1 + json["levels"].as_array().unwrap().len(), "{table}");
    assert!(read("x.md").starts_with("## Clearance: distance explained\n\n- schema: clearance-explain/1\n"));
    // The same files again: the same bytes; and never over an input.
    assert_eq!(code(&clearance(&arguments)), 0);
    assert!(read("x.html") == page && read("x.svg") == picture);
    let over = error(&["explain", "distance", path(&a), path(&b), "-o", path(&a)]);
    assert!(over.contains("unknown ending `.obj`, expected .html, .svg, .json, .csv, .md"), "{over}");
}

#[test]
fn levels_of_a_tree() {
    let folder = Folder::new("explain-levels");
    let file = torus(&folder, "torus.obj", 0.0);
    let mut least = f64::INFINITY;
    for tree in TREES {
        let found = answer(&["explain", "levels", path(&file), "--tree", tree]);
        let levels = found["levels"].as_array().unwrap();
        assert_eq!(found["size"]["triangles"], 576, "{tree}");
        assert_eq!((sum(&found, "volumes"), sum(&found, "leaves")), (2 * 576 - 1, 576), "{tree}");
        assert_eq!(levels[0]["volumes"], 1, "{tree}");
        // A node of the box tree draws in one face only, so its leaves may fill more than the root, but none is as long.
        let of_last = |name: &str| levels.last().unwrap()[name].as_f64().unwrap();
        assert!(of_last("longest") < levels[0]["longest"].as_f64().unwrap(), "{tree}: deeper volumes are shorter");
        least = least.min(of_last("volume"));
    }
    assert!(least < 0.1);
    let picture = folder.0.join("levels.svg");
    let output = clearance(&["explain", "levels", path(&file), "--levels", "0,2,4", "-o", path(&picture)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("tree  obb, built by mean, fitted to hull-surface\n"), "{}", stdout(&output));
    let picture = std::fs::read_to_string(picture).unwrap();
    for (level, volumes) in [(0, "1 volume"), (2, "4 volumes"), (4, "16 volumes")] {
        assert!(picture.contains(&format!(">level {level}: {volumes}</text>")), "{level}");
    }
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new("explain-mistakes");
    let file = torus(&folder, "torus.obj", 0.0);
    let many = folder.file("many.obj", boxes(&[("one", [0.0; 3], [1.0; 3]), ("two", [3.0; 3], [4.0; 3])]));
    let (file, many) = (path(&file), path(&many));
    for (arguments, words) in [
        (&["explain", "distance", file, many][..], "B has 2 parts (one, two): select one with --part-b"),
        (&["explain", "contact", many, file], "A has 2 parts (one, two): select one with --part-a"),
        (&["explain", "distance", file, many, "--part-b", "x*"], "no part matches; its parts are one, two"),
        (&["explain", "levels", many], "2 parts match (one, two and so on): select one with --part"),
        (&["explain", "levels", many, "--part", "x*"], "no part matches; its parts are one, two"),
        (&["explain", "levels", file, "--levels", "2,99"], "--levels: there is no level 99: the last is "),
        (&["explain", "levels", file, "--tree", "octree"], "possible values: aabb, obb, sphere"),
        (&["explain", "distance", file, file, "--leaf", "0"], "0 is not in 1..=1000"),
        (&["explain", "levels", file, "-o", "x.xml"], "does not write .xml, only .html, .svg, .json, .csv, .md"),
    ] {
        let message = error(arguments);
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
    assert_eq!(code(&clearance(&["explain", "distance", many, file, "--part-a", "one"])), 0);
}

#[test]
fn help_explains() {
    for (arguments, words) in [
        (&["explain", "--help"][..], &["T = Nv Cv + Np Cp", "distance", "contact", "levels"][..]),
        (&["explain", "distance", "--help"], &["Examples:", "--tree <TREE>", "as in RAPID", ".svg", "Nv", "--visits"]),
        (&["explain", "contact", "--help"], &["Examples:", "--all", "first contact"]),
        (&["explain", "levels", "--help"], &["Examples:", "--levels", "tighter"]),
    ] {
        let help = stdout(&clearance(arguments));
        words.iter().for_each(|word| assert!(help.contains(word), "{arguments:?} {word}: {help}"));
    }
}
