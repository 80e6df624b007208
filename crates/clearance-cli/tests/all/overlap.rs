//! Depths, ways out and volumes, as people ask for them: `depth`, `volume`, and what rules allow.

use crate::common;

use std::path::{Path, PathBuf};

use clearance_check::{Kind, Report, SearchOutcome, Verdict};
use serde_json::Value;

use common::{Folder, boxes, clearance, code, cube, link, report, stderr, stdout};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A box from 0 to 10 in each axis, and one that is 1 deep in it, with 4 in common.
fn two_boxes(folder: &Folder) -> [PathBuf; 2] {
    let b = ("b", [9.0, 2.0, 2.0], [12.0, 4.0, 4.0]);
    [folder.file("a.obj", boxes(&[("a", [0.0; 3], [10.0; 3])])), folder.file("b.obj", boxes(&[b]))]
}

fn answer(command: &str, [a, b]: &[PathBuf; 2], more: &[&str]) -> Value {
    let output = clearance(&[&[command, path(a), path(b), "--json"], more].concat());
    assert_eq!(code(&output), 0, "{more:?}: {}", stderr(&output));
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(answer["verified"], Value::Bool(true), "{more:?}");
    answer
}

fn vector(value: &Value) -> [f64; 3] {
    let numbers: Vec<f64> = value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    numbers.try_into().unwrap()
}

fn near(found: [f64; 3], expected: [f64; 3]) -> bool {
    found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9)
}

#[test]
fn ways_to_ask_for_a_depth() {
    let folder = Folder::new("ask");
    let files = two_boxes(&folder);
    let ask = |more: &[&str]| answer("depth", &files, more);
    let is = |answer: &Value, depth: f64, least: f64, label: &str| {
        let [value, lower, upper] = ["depth", "lower", "upper"].map(|key| answer[key].as_f64().unwrap());
        assert!(lower <= value && value <= upper, "{answer}");
        assert!((upper - depth).abs() < 1e-9 && least * depth <= lower && lower <= depth, "{answer}");
        assert_eq!(answer["label"].as_str(), Some(label));
    };
    let plain = ask(&[]);
    is(&plain, 1.0, 0.95, "global");
    assert!(near(vector(&plain["translation"]), [1.0, 0.0, 0.0]));
    // The four corners of the smaller box's end lie in the face of the larger one.
    let places = plain["places"].as_array().unwrap();
    assert!(!places.is_empty() && places.iter().all(|place| (vector(&place["point"])[0] - 10.0).abs() < 1e-9));
    assert!(places.iter().any(|place| place["feature_b"].as_str().unwrap().starts_with("Vertex")), "{places:?}");
    assert!(plain["levels"].as_array().unwrap().is_empty() && plain["interrupted"] == Value::Bool(false));

    is(&ask(&["--tolerance", "0.2"]), 1.0, 0.8, "global");
    let interrupted = ask(&["--budget", "0"]);
    is(&interrupted, 1.0, 0.0, "global");
    assert_eq!(interrupted["interrupted"], Value::Bool(true));
    let levels = ask(&["--search", "levels"]);
    is(&levels, 1.0, 0.95, "global");
    assert!(!levels["levels"].as_array().unwrap().is_empty());
    // Near a way out that is longer than the shortest, that one is found.
    let local = ask(&["--near", "0,0,9"]);
    is(&local, 8.0, 0.0, "local");
    let along = ask(&["--direction", "0,0,-3"]);
    is(&along, 4.0, 0.999, "along");
    assert!(near(vector(&along["translation"]), [0.0, 0.0, -4.0]));
    // Moved first, and apart.
    is(&ask(&["--pose", "-1 0 0"]), 2.0, 0.95, "global");
    let apart = ask(&["--pose", "3.5,0,0"]);
    assert_eq!((apart["depth"].as_f64(), apart["distance"].as_f64()), (Some(0.0), Some(2.5)));
    assert_eq!(apart["overlapping"].as_u64(), Some(0));

    let text = stdout(&clearance(&["depth", path(&files[0]), path(&files[1]), "--unit", "mm"]));
    assert!(text.contains("way out   move B by (1.0") && text.contains(" mm\n") && text.contains("touching  at (10, "));
    let far = stdout(&clearance(&["depth", path(&files[0]), path(&files[1]), "--pose", "3.5 0 0"]));
    assert!(far.contains("apart by 2.5"), "{far}");
}

#[test]
fn files_of_several_parts() {
    let folder = Folder::new("several");
    let a = folder.file("a.obj", boxes(&[("a", [0.0; 3], [10.0; 3])]));
    let [one, two] = [("one", [9.0, 2.0, 2.0], [12.0, 4.0, 4.0]), ("two", [8.0, 6.0, 6.0], [12.0, 8.0, 8.0])];
    let below = ("below", [5.0, 5.0, -3.0], [6.0, 6.0, 0.5]);
    let both = folder.file("both.obj", boxes(&[one, two, ("far", [50.0; 3], [51.0; 3])]));
    let found = answer("depth", &[a.clone(), both.clone()], &[]);
    assert_eq!((found["a"].as_str(), found["b"].as_str()), (Some("a"), Some("two")));
    assert_eq!((found["overlapping"].as_u64(), found["left"].as_array().unwrap().len()), (Some(2), 0));
    let one_of_them = answer("depth", &[a.clone(), both], &["--part-b", "o*"]);
    assert!((one_of_them["depth"].as_f64().unwrap() - 1.0).abs() < 1e-9);

    // What the way out of the deepest leaves is named.
    let three = folder.file("three.obj", boxes(&[one, two, below]));
    let output = clearance(&["depth", path(&a), path(&three)]);
    assert!(stderr(&output).contains("still overlapping after the translation: a x below"), "{}", stderr(&output));
    // Both boxes to the side by 2, the third one down by a half: all are free.
    let moved = folder.0.join("moved.3mf");
    let found = answer("depth", &[a.clone(), three.clone()], &["--unit", "mm", "--write", path(&moved)]);
    assert!(near(vector(&found["frees_all"]), [2.0, 0.0, -0.5]), "{found}");
    let output = clearance(&["check", path(&a), path(&moved), "--unit", "mm", "--touch", "0"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));

    let volume = answer("volume", &[a.clone(), three], &["--unit", "mm"]);
    let [value, lower, upper] = ["volume", "lower", "upper"].map(|key| volume[key].as_f64().unwrap());
    assert!(lower <= 12.5 && 12.5 <= upper && upper - lower < 1e-9 && (value - 12.5).abs() < 1e-9);
    assert_eq!((volume["unit"].as_str(), volume["pairs"].as_array().unwrap().len()), (Some("mm"), 3));
    let first = &volume["pairs"][0];
    assert!(near(vector(&first["centroid"]), [9.5, 3.0, 3.0]) && first["centroid_off"].as_f64() < Some(1e-9));
    assert!((first["area"].as_f64().unwrap() - 16.0).abs() < 1e-9, "{first}");
    let nothing = answer("volume", &[a.clone(), a], &["--pose", "10 0 0"]);
    assert_eq!(nothing["volume"].as_f64(), Some(0.0));
}

/// The bar of a link that goes through another is moved up and down in its hole, out of it, and through it.
#[test]
fn signed_gaps_along_a_path() {
    let folder = Folder::new("path");
    let upright = |[x, y, z]: [f64; 3]| [z, x, y];
    let files = [folder.file("a.obj", link(&|point| point)), folder.file("b.obj", link(&upright))];
    let poses =
        folder.file("poses.txt", "# up\n0 2.5 0\n\n0, 0.4, 0  # in both bars\n0 0.75 0 0 0 0 1\n0 9 0\n0 1 0\n");
    let found = answer("depth", &files, &["--path", path(&poses)]);
    let at = |k: usize, key: &str| found["poses"][k][key].as_f64().unwrap();
    // The bars are from -3 to -2 and from 2 to 3; the hole is from -2 to 2.
    for (k, line, gap) in [(0, 2, 1.5), (1, 4, -0.6), (2, 5, -0.25), (3, 6, 3.0), (4, 7, 0.0)] {
        assert_eq!(found["poses"][k]["line"].as_u64(), Some(line));
        assert!((at(k, "value") - gap).abs() < 1e-9, "{found}");
        assert!(at(k, "lower") <= gap + 1e-9 && gap <= at(k, "upper") && at(k, "lower") <= at(k, "value"));
        assert_eq!(found["poses"][k]["translation"].is_null(), gap >= 0.0);
    }
    assert_eq!(found["worst"].as_u64(), Some(1));
    let text = stdout(&clearance(&["depth", path(&files[0]), path(&files[1]), "--path", path(&poses)]));
    assert!(text.contains("least     -0.6") && text.contains("line 4"), "{text}");

    for (content, named) in
        [("0 0 0\n1 2\n", "line 2: expected 3, 7 or 12 numbers, got 2"), ("# nothing\n", "no pose"), ("a b c", "`a`")]
    {
        let poses = folder.file("wrong.txt", content);
        let output = clearance(&["depth", path(&files[0]), path(&files[1]), "--path", path(&poses)]);
        assert!(code(&output) == 2 && stderr(&output).contains(named), "{}", stderr(&output));
    }
}

#[test]
fn parts_that_bound_no_solid() {
    let folder = Folder::new("surfaces");
    let [a, _] = two_boxes(&folder);
    let sheet = folder.file("sheet.obj", "o sheet\nv 1 1 -1\nv 5 1 12\nv 1 5 3\nf 1 2 3\n");
    // Two boxes in one part, which run through each other.
    let crossed = boxes(&[("crossed", [9.0, 2.0, 2.0], [12.0, 4.0, 4.0]), ("", [10.0, 3.0, 1.0], [11.0, 9.0, 3.0])]);
    let crossed = folder.file("crossed.obj", crossed.replace("o \n", ""));
    for command in ["depth", "volume"] {
        let output = clearance(&[command, path(&a), path(&sheet)]);
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
        let error = stderr(&output);
        assert!(error.contains("sheet.obj: part `sheet`") && error.contains("3 edges"), "{error}");
        assert!(error.contains("(1, 1, -1) to (5, 1, 12)"), "{error}");
        let output = clearance(&[command, path(&a), path(&crossed)]);
        assert!(code(&output) == 2 && stderr(&output).contains("intersect each other"), "{}", stderr(&output));
    }
    let estimate = answer("depth", &[a.clone(), sheet.clone()], &["--estimate"]);
    assert_eq!((estimate["label"].as_str(), estimate["lower"].as_f64()), (Some("estimate"), Some(0.0)));
    assert!(estimate["left"].as_array().unwrap().is_empty());
    let text = stdout(&clearance(&["info", path(&crossed)]));
    assert!(text.contains("overlaps have neither depth nor volume"), "{text}");

    // A check bounds the depth as well as it can, and says why it cannot better. What it can it uses.
    for (file, why) in [(&sheet, "the second is not a solid"), (&crossed, "intersect each other")] {
        let files = [path(&a), path(file)];
        let checked = |more: &[&str]| {
            let output = clearance(&[&["check", files[0], files[1], "--json"], more].concat());
            serde_json::from_str::<Report>(&stdout(&output)).unwrap()
        };
        let report = checked(&[]);
        let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
        let depth = finding.way_out.as_ref().unwrap();
        assert!(depth.search == SearchOutcome::None && depth.why.as_ref().unwrap().contains(why), "{depth:?}");
        assert!(finding.volume.is_none() && depth.upper > 0.0);
        let text = stdout(&clearance(&["check", files[0], files[1]]));
        assert!(text.contains("way out not searched: ") && text.contains("way out: "), "{text}");
        let depth = (1.01 * depth.upper).to_string();
        assert_eq!(checked(&["--allowed-way-out", &depth]).verdict, Verdict::Clean);
        assert_eq!(checked(&["--allowed-volume", "1e9"]).verdict, Verdict::Findings);
    }
}

#[test]
fn overlaps_that_are_allowed() {
    let folder = Folder::new("allowed");
    // Depths of 1 and 2, volumes of 4 and 8.
    let [one, two] = [("one", [9.0, 2.0, 2.0], [12.0, 4.0, 4.0]), ("two", [8.0, 6.0, 6.0], [12.0, 8.0, 8.0])];
    let file = folder.file("all.obj", boxes(&[("base", [0.0; 3], [10.0; 3]), one, two]));
    let checked = |more: &[&str]| report(&file, &[&["--unit", "mm"], more].concat());
    let found = |report: &Report| report.findings.iter().map(|finding| finding.b.clone()).collect::<Vec<_>>();
    for (given, left) in [
        (&["--allowed-depth", "0.999"][..], &["two", "one"][..]),
        (&["--allowed-depth", "1.001"], &["two"]),
        (&["--allowed-depth", "2.001"], &[]),
        (&["--allowed-volume", "3.999"], &["two", "one"]),
        (&["--allowed-volume", "4.001"], &["two"]),
        // Both have to be kept.
        (&["--allowed-volume", "8.001", "--allowed-depth", "1.001"], &["two"]),
        (&["--allowed-volume", "4.001", "--allowed-depth", "2.001"], &["two"]),
        // Boxes are bounded as well without a search; of their volumes nothing would be known.
        (&["--allowed-depth", "1.001", "--no-depth"], &["two"]),
        (&["--allowed-volume", "4.001", "--no-depth"], &["two"]),
    ] {
        let report = checked(given);
        assert_eq!(found(&report), left, "{given:?}");
        assert_eq!((report.allowed.len(), report.counts.allowed as usize), (2 - left.len(), 2 - left.len()));
        assert_eq!(report.verdict == Verdict::Clean, left.is_empty());
        for allowed in &report.allowed {
            assert!(allowed.why.contains("allowed") && allowed.why.contains("mm"), "{allowed:?}");
            assert_eq!(report.tolerances.allowed_volume.is_some(), allowed.why.contains("mm^3"), "{allowed:?}");
        }
    }
    let text = stdout(&clearance(&["check", path(&file), "--unit", "mm", "--allowed-depth", "1.001"]));
    assert!(text.contains("1 allowed by rules (1 pair within the allowed overlap)"), "{text}");

    // In the unit of the rules, for all pairs and for some: a rule has what it does not say itself from above it.
    let old = "version = 1\nunit = \"cm\"\nallowed_depth = 0.1001\n";
    let old = folder.file("old.toml", old);
    let of_old = checked(&["--rules", path(&old)]);
    assert_eq!((found(&of_old), of_old.tolerances.allowed_depth), (vec!["two".to_owned()], None));
    assert!((of_old.tolerances.allowed_way_out.unwrap() - 1.001).abs() < 1e-12);
    let rules = "version = 2\nunit = \"cm\"\nallowed_depth = 0.1001\n[[rule]]\nparts = [\"two\"]\n";
    for (rule, left) in [("", &["two"][..]), ("allowed_depth = 0.2001", &[]), ("allowed_volume = 0.0001", &["two"])] {
        let rules = folder.file("rules.toml", format!("{rules}{rule}\n"));
        let report = checked(&["--rules", path(&rules)]);
        assert_eq!(found(&report), left, "{rule}");
        assert_eq!(report.unit.as_deref(), Some("mm"));
        assert!((report.tolerances.allowed_depth.unwrap() - 1.001).abs() < 1e-12);
        assert!(report.allowed.iter().any(|allowed| allowed.why.contains("where 1.001 mm is allowed")));
    }
}

/// Without a search the bracket is wide, and what becomes of a pair is the same; with too little work none is searched,
/// and the report says so.
#[test]
fn work_for_depths() {
    let folder = Folder::new("work");
    let upright = |[x, y, z]: [f64; 3]| [z + 0.3, x + 0.4, y + 0.2];
    let both_links = link(&|point| point) + &link(&upright).replace("part", "second");
    let links = folder.file("links.obj", &both_links);
    let of = |more: &[&str]| report(&links, more).findings.remove(0);
    let (searched, rough) = (of(&[]), of(&["--no-depth"]));
    assert_eq!((searched.id.as_str(), searched.kind, searched.how), (rough.id.as_str(), rough.kind, rough.how));
    let (searched, rough) = (searched.way_out.unwrap(), rough.way_out.unwrap());
    // Up by six tenths both bars are free; as a whole the links would have to be moved past each other.
    assert!((searched.upper - 0.6).abs() < 1e-9 && searched.lower >= 0.57, "{searched:?}");
    assert!(near(searched.translation, [0.0, 0.6, 0.0]) && searched.search == SearchOutcome::Complete, "{searched:?}");
    assert!(rough.upper > 2.0 && rough.lower < searched.lower && rough.search == SearchOutcome::None, "{rough:?}");
    assert_eq!((rough.why, report(&links, &["--no-depth"]).unsearched), (None, None));

    // Links, and a cube that is inside of a bar, with less work than is worth its while.
    let inside = |[x, y, z]: [f64; 3]| [0.1 * x - 2.0, 0.1 * y + 2.4, 0.1 * z];
    let both = folder.file("both.obj", both_links + &cube(&inside).replace("part", "cube"));
    let little = report(&both, &["--budget", "2000"]);
    assert!(little.unsearched.as_ref().is_some_and(|line| line.contains("2 were not searched for a way out")));
    assert!(stderr(&clearance(&["check", path(&both), "--depth-budget", "2000", "--json"])).contains("--budget 20000"));
    assert!(stdout(&clearance(&["check", path(&both), "--budget", "2000"])).contains("of 2 overlaps, 2 were not"));
    let depths: Vec<_> = little.findings.iter().map(|finding| finding.way_out.as_ref().unwrap()).collect();
    let says_so = |why: &Option<String>| why.as_ref().is_some_and(|why| why.contains("--budget"));
    assert!(depths.iter().all(|depth| depth.search == SearchOutcome::None && says_so(&depth.why)), "{little:?}");
    assert_eq!(depths.len(), 2);
    let much = report(&both, &[]);
    let ids = |report: &Report| {
        let mut ids: Vec<String> = report.findings.iter().map(|finding| finding.id.clone()).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(&little), ids(&much));
    // The same to the byte on any number of threads.
    let bytes = |threads: &str| clearance(&["check", path(&both), "--json", "--threads", threads]).stdout;
    assert_eq!(bytes("1"), bytes("3"));
}

/// A bar that crosses the rim of a hole by next to nothing is in contact: only a search finds the short way out.
#[test]
fn the_touch_band_is_about_the_shortest_way_out() {
    let folder = Folder::new("graze");
    let upright = |[x, y, z]: [f64; 3]| [z + 0.3, x + 1.0 - 1e-8, y + 0.2];
    let files = [folder.file("a.obj", link(&|point| point)), folder.file("b.obj", link(&upright))];
    let checked = |more: &[&str]| {
        let output = clearance(&[&["check", path(&files[0]), path(&files[1]), "--json"], more].concat());
        serde_json::from_str::<Report>(&stdout(&output)).unwrap().findings.remove(0)
    };
    assert_eq!(checked(&[]).kind, Kind::Touching);
    assert_eq!(checked(&["--touch", "1e-9"]).kind, Kind::Hard);
    assert_eq!(checked(&["--no-depth"]).kind, Kind::Hard);
}

#[test]
fn what_is_wrong_with_a_question_is_said() {
    let folder = Folder::new("wrong");
    let [a, b] = two_boxes(&folder);
    for wrong in [
        &["--tolerance", "2"][..],
        &["--tolerance", "x"],
        &["--direction", "0,0,0"],
        &["--direction", "1,2"],
        &["--near", "1,nan,0"],
        &["--direction", "0,0,1", "--near", "0,0,1"],
        &["--path", "poses.txt", "--pose", "0 0 1"],
        &["--path", "no-such-file.txt"],
        &["--search", "luck"],
        &["--write", "moved.step"],
        &["--write", path(&a)],
        &["--part-b", "nothing"],
    ] {
        let output = clearance(&[&["depth", path(&a), path(&b)], wrong].concat());
        assert_eq!(code(&output), 2, "{wrong:?}: {}", stdout(&output));
        assert!(!stderr(&output).is_empty(), "{wrong:?}");
    }
    for command in ["depth", "volume", "check"] {
        let help = stdout(&clearance(&[command, "--help"]));
        assert!(help.contains("Exit codes: 0 ") && help.contains("Examples:"), "{help}");
    }
    assert_eq!(code(&clearance(&["check", path(&a), "--budget", "-1"])), 2);
    assert_eq!(code(&clearance(&["check", path(&a), "--allowed-depth", "-1"])), 2);
}

/// Every form of a report has the depth, the way out and the volume; reports from before that are still read.
#[test]
fn reports_carry_depths() {
    let folder = Folder::new("reports");
    let [a, b] = two_boxes(&folder);
    let written = |form: &[&str]| {
        let given = ["check", path(&a), path(&b), "--unit", "mm", "--exit-zero"];
        stdout(&clearance(&[&given, form].concat()))
    };
    for (form, way) in [
        (&[][..], "way out: move the second by (1, 0, 0) mm"),
        (&["--md"], "(1, 0, 0) mm"),
        (&["--junit"], "(1, 0, 0) mm"),
    ] {
        let text = written(form);
        assert!(text.contains(way) && text.contains(", 1 mm deep, 4 mm^3 in common"), "{text}");
    }
    let table = written(&["--csv"]);
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0].len(), lines[1].len());
    let number = |name: &str| {
        let column = lines[0].iter().position(|column| *column == name).unwrap();
        lines[1][column].parse::<f64>().unwrap()
    };
    assert!((number("way_out") - 1.0).abs() < 1e-9 && (number("way_out_x") - 1.0).abs() < 1e-9);
    assert!(number("way_out_lower") > 0.95 && number("volume_lower") <= 4.0 && 4.0 <= number("volume_upper"));
    let picture = folder.0.join("picture.svg");
    written(&["--picture", path(&picture)]);
    assert!(std::fs::read_to_string(picture).unwrap().contains("way out: move the second by (1, 0, 0) mm"));

    let json = written(&["--json"]);
    let mut before: Value = serde_json::from_str(&json).unwrap();
    before.as_object_mut().unwrap().remove("allowed");
    before["schema"] = "clearance-check/1".into();
    before["findings"][0]["id"] = "5b1635596585".into();
    before["groups"][0]["findings"][0] = "5b1635596585".into();
    for key in ["allowed_depth", "allowed_volume", "budget"] {
        before["tolerances"].as_object_mut().unwrap().remove(key);
    }
    for key in ["local_depth", "way_out", "volume"] {
        before["findings"][0].as_object_mut().unwrap().remove(key);
    }
    let (before, now) = (folder.file("before.json", before.to_string()), folder.file("now.json", json));
    let output = clearance(&["diff", path(&before), path(&now)]);
    assert_eq!((code(&output), stdout(&output).contains("1 persistent")), (0, true), "{}", stderr(&output));
    // Of a clash a person has to decide; what would allow it is put down as a comment.
    let rules = stdout(&clearance(&["suggest", path(&now)]));
    assert!(rules.contains("# allowed_depth = 1.01"), "{rules}");
    let old = stdout(&clearance(&["suggest", path(&before)]));
    assert!(old.contains("# allow = [\"hard\"]"), "{old}");
}

#[test]
fn findings_are_in_the_order_of_how_far_surfaces_reach_in() {
    let folder = Folder::new("local-depth");
    let file = folder.file(
        "parts.obj",
        boxes(&[
            ("plate", [0.0; 3], [10.0, 10.0, 1.0]),
            ("block", [8.0, 8.0, 0.75], [9.0, 9.0, 3.0]),
            ("peg", [4.0, 4.0, -5.0], [5.0, 5.0, 6.0]),
        ]),
    );
    for (unit, factor) in [("m", 1.0), ("mm", 1000.0)] {
        let found = report(&file, &["--file-unit", "m", "--unit", unit]);
        let [peg, block] = &found.findings[..] else { panic!("{:?}", found.findings) };
        for (finding, name, depth) in [(peg, "peg", 0.5 * factor), (block, "block", 0.25 * factor)] {
            let local = finding.local_depth.as_ref().unwrap();
            let [_, lower, upper] = local.numbers().unwrap();
            assert_eq!((finding.b.as_str(), local.search), (name, SearchOutcome::Complete), "{local:?}");
            assert!(lower <= depth && depth <= upper && upper < 1.06 * depth, "{local:?}");
            let z = local.point.unwrap()[2];
            assert!(z >= 0.0 && z <= factor, "{local:?}");
            // Never more than the way out.
            assert!(lower <= finding.way_out.as_ref().unwrap().upper);
        }
    }
    let text = stdout(&clearance(&["check", file.to_str().unwrap()]));
    assert!(text.contains(" deep"), "{text}");
    let csv = stdout(&clearance(&["check", file.to_str().unwrap(), "--csv"]));
    assert!(csv.lines().next().unwrap().contains("local_depth,local_depth_lower,local_depth_upper,way_out,"), "{csv}");
}

#[test]
fn two_sheets_have_no_local_depth() {
    let folder = Folder::new("sheets");
    let sheets = "o one\nv 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\no two\nv 0.5 0.5 -1\nv 0.5 0.5 1\nv 0.6 0.5 1\nf 4 5 6\n";
    let found = report(&folder.file("sheets.obj", sheets), &[]);
    let local = found.findings[0].local_depth.as_ref().unwrap();
    assert_eq!((found.findings[0].kind, local.numbers(), local.search), (Kind::Hard, None, SearchOutcome::None));
    assert_eq!(local.why.as_deref(), Some("both parts are open surfaces, which have no interior"));
    let text = stdout(&clearance(&["check", path(&folder.0.join("sheets.obj"))]));
    assert!(text.contains("no depth: both parts are open surfaces") && !text.contains(" deep"), "{text}");
}

/// A solid between two rings of 16 points about z.
fn turned(name: &str, first: usize, radii: [f64; 2], ends: [f64; 2], offset: f64) -> String {
    faceted::<16>(name, first, radii, ends, offset)
}

/// A solid between two rings of points about z.
fn faceted<const FACETS: usize>(name: &str, first: usize, radii: [f64; 2], ends: [f64; 2], offset: f64) -> String {
    let point = |radius: f64, k: usize, z: f64| {
        let angle = std::f64::consts::TAU * (k as f64 + offset) / FACETS as f64;
        format!("v {} {} {z}\n", radius * angle.cos(), radius * angle.sin())
    };
    let mut text = format!("o {name}\n");
    for (radius, z) in [(radii[0], ends[0]), (radii[0], ends[1]), (radii[1], ends[0]), (radii[1], ends[1])] {
        (0..FACETS).for_each(|k| text += &point(radius, k, z));
    }
    for k in 0..FACETS {
        let [p, q, r, s] = [0, 1, 2, 3].map(|ring| first + FACETS * ring + k);
        let [pp, qq, rr, ss] = [0, 1, 2, 3].map(|ring| first + FACETS * ring + (k + 1) % FACETS);
        text += &format!("f {p} {q} {qq}\nf {p} {qq} {pp}\nf {r} {rr} {ss}\nf {r} {ss} {s}\n");
        text += &format!("f {q} {s} {ss}\nf {q} {ss} {qq}\nf {r} {p} {pp}\nf {r} {pp} {rr}\n");
    }
    text
}

#[test]
fn a_pin_in_its_hole_is_a_fit() {
    let folder = Folder::new("fit");
    // The corners of the pin lie on the circle that the corners of the hole lie on: they stand 0.0961 into its facets.
    let parts = turned("hole", 1, [5.0, 10.0], [0.0, 50.0], 0.0) + &turned("pin", 65, [2.0, 5.0], [-10.0, 60.0], 0.5);
    let file = folder.file("fit.obj", parts);
    let checked = |allowed: &str| report(&file, &["--allowed-depth", allowed]);
    let (fit, tight) = (checked("0.0962"), checked("0.096"));
    assert_eq!((fit.verdict, fit.allowed.len()), (Verdict::Clean, 1), "{:?}", fit.findings);
    let local = fit.allowed[0].local_depth.as_ref().unwrap();
    let [_, lower, upper] = local.numbers().unwrap();
    assert!(lower <= 0.09608 && (0.09607..=0.0962).contains(&upper), "{local:?}");
    assert!(fit.allowed[0].why.contains("deep, where 0.0962 is allowed"), "{}", fit.allowed[0].why);
    assert_eq!((tight.verdict, tight.findings[0].kind), (Verdict::Findings, Kind::Hard));
    let text = stderr(&clearance(&["check", path(&file)]));
    assert!(text.contains("--allowed-depth 0.1"), "{text}");
}

/// However fine the facets, the default budget suffices for the depth of a pin in its hole.
#[test]
fn a_pin_of_many_facets_has_its_depth() {
    const FACETS: usize = 720;
    let folder = Folder::new("fine");
    let parts = faceted::<FACETS>("hole", 1, [5.0, 10.0], [0.0, 50.0], 0.0)
        + &faceted::<FACETS>("pin", 4 * FACETS + 1, [2.0, 5.0], [-10.0, 60.0], 0.5);
    let found = report(&folder.file("fine.obj", parts), &["--no-depth"]);
    let local = found.findings[0].local_depth.as_ref().unwrap();
    let [_, lower, upper] = local.numbers().unwrap();
    let sliver = 5.0 * (1.0 - (std::f64::consts::PI / FACETS as f64).cos());
    assert_eq!((local.search, local.why.as_deref()), (SearchOutcome::Complete, None), "{local:?}");
    assert!(lower <= sliver && sliver <= upper && upper - lower <= 0.05 * upper, "{local:?}");
}

/// Many pins in their holes, with less work than they want: each has its part, every bracket is true, and the report
/// says what is missing.
#[test]
fn many_pins_share_the_work() {
    let folder = Folder::new("pins");
    // The corners of a pin stand 0.0961 into the facets of its hole, and no two are alike.
    let pin = |k: usize| {
        let moved = |text: String| {
            let place = |line: &str| match line.strip_prefix("v ") {
                Some(point) => {
                    let (x, rest) = point.split_once(' ').unwrap();
                    format!("v {} {rest}\n", x.parse::<f64>().unwrap() + 25.0 * k as f64)
                }
                None => format!("{line}\n"),
            };
            text.lines().map(place).collect::<String>()
        };
        let high = 50.0 + k as f64;
        moved(turned(&format!("hole-{k}"), 128 * k + 1, [5.0, 10.0], [0.0, high], 0.0))
            + &moved(turned(&format!("pin-{k}"), 128 * k + 65, [2.0, 5.0], [-10.0, 60.0 + high], 0.5))
    };
    let file = folder.file("pins.obj", (0..24).map(pin).collect::<String>());
    let checked = |budget: &str| report(&file, &["--budget", budget, "--no-depth"]);
    for (budget, is_said) in [("0", true), ("40000", true), ("400000000", false)] {
        let found = checked(budget);
        assert_eq!(
            (found.findings.len(), found.unsearched.is_some()),
            (24, is_said),
            "{budget}: {:?}",
            found.unsearched
        );
        for finding in &found.findings {
            let [value, lower, upper] = finding.local_depth.as_ref().unwrap().numbers().unwrap();
            assert!(lower <= value && value <= upper && lower <= 0.09608 && 0.09607 <= upper, "{finding:?}");
        }
    }
    let bytes =
        |threads: &str| clearance(&["check", path(&file), "--json", "--budget", "40000", "--threads", threads]).stdout;
    assert_eq!(bytes("1"), bytes("3"));
}

#[test]
fn what_fills_the_other_part_is_no_fit() {
    let folder = Folder::new("no-fit");
    // Faces that lie a thousandth inside each other, and as good as all in common.
    let other = "o b\nv 0.001 0 0\nv 10.001 0 0\nv 0.001 10 0\nv 10.001 10 0\nv 0.001 0 10.001\nv 10.001 0 10.001\n\
                 v 0.001 10 10.001\nv 10.001 10 10.001\nf 9 11 12\nf 9 12 10\nf 13 14 16\nf 13 16 15\nf 9 10 14\n\
                 f 9 14 13\nf 11 15 16\nf 11 16 12\nf 9 13 15\nf 9 15 11\nf 10 12 16\nf 10 16 14\n";
    let checked = |other: &str| {
        let file = folder.file("two.obj", boxes(&[("a", [0.0; 3], [10.0; 3])]) + other);
        report(&file, &["--allowed-depth", "0.01"])
    };
    assert_eq!(checked(other).findings[0].kind, Kind::Duplicate);
    // With a face cut along its other diagonal they are not the same.
    let found = checked(&other.replace("f 9 11 12\nf 9 12 10\n", "f 9 11 10\nf 11 12 10\n"));
    assert_eq!((found.verdict, found.findings[0].kind), (Verdict::Findings, Kind::Hard));
    let local = found.findings[0].local_depth.as_ref().unwrap();
    let [_, lower, upper] = local.numbers().unwrap();
    assert!(0.0009 < lower && upper <= 0.01, "{local:?}");
}
