//! `-o FILE` on all commands, and `clearance render`: the format follows from the ending, and is that of the old
//! options.

use crate::common;

use std::path::Path;

use common::{Folder, boxes, clearance, code, stderr, stdout};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A clash, a contact and a gap.
fn parts() -> String {
    boxes(&[
        ("base", [0.0; 3], [10.0; 3]),
        ("deep", [9.0, 2.0, 2.0], [12.0, 4.0, 4.0]),
        ("on-top", [2.0, 2.0, 10.0], [4.0, 4.0, 11.0]),
        ("near", [6.0, 6.0, 10.25], [8.0, 8.0, 11.0]),
    ])
}

const CHECK: [&str; 4] = ["--clearance", "0.5", "--unit", "mm"];

#[test]
fn a_check_writes_any_number_of_files() {
    let folder = Folder::new("outputs");
    let file = folder.file("parts.obj", parts());
    let at = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    let check = |more: &[&str]| clearance(&[&["check", path(&file), "--quiet"], &CHECK[..], more].concat());
    let names = ["a.html", "a.json", "a.csv", "a.md", "a.xml", "a.svg", "B.JSON"];
    let files: Vec<String> = names.iter().flat_map(|name| ["-o".to_owned(), at(name)]).collect();
    let all = check(&files.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(code(&all), 1, "{}", stderr(&all));
    assert_eq!(stdout(&all), stdout(&check(&[])), "stdout is what it is without files");
    for (form, name) in [("--json", "a.json"), ("--csv", "a.csv"), ("--md", "a.md"), ("--junit", "a.xml")] {
        assert_eq!(read(&folder, name), stdout(&check(&[form])), "{name}");
    }
    assert_eq!(read(&folder, "B.JSON"), read(&folder, "a.json"));
    // The options of their own, whatever the ending.
    check(&["--html", &at("page"), "--picture", &at("picture")]);
    assert_eq!(read(&folder, "page"), read(&folder, "a.html"));
    assert_eq!(read(&folder, "picture"), read(&folder, "a.svg"));

    // A report again, in every format, from the report alone or with the files it names.
    let names = ["r.html", "r.json", "r.csv", "r.md", "r.xml", "r.svg"];
    let files: Vec<String> = names.iter().flat_map(|name| ["--output".to_owned(), at(name)]).collect();
    let report = at("a.json");
    let render = |more: &[&str]| clearance(&[&["render", &report], more].concat());
    let output = render(&files.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((code(&output), stdout(&output).as_str()), (0, ""), "{}", stderr(&output));
    for name in names {
        assert_eq!(read(&folder, name), read(&folder, &name.replace("r.", "a.")), "{name}");
    }
    assert_eq!(stdout(&render(&[])), stdout(&check(&[])));
    assert_eq!(stdout(&render(&["--csv", "-o", &at("r.md")])), read(&folder, "a.csv"));

    // Without the part files, or with others, only what shows them fails.
    folder.file("parts.obj", parts() + "# changed\n");
    let changed = render(&["-o", &at("r.svg")]);
    assert!(code(&changed) == 2 && stderr(&changed).contains("parts.obj: not the file that was checked"));
    std::fs::remove_file(&file).unwrap();
    let missing = render(&["-o", &at("r.html"), "-o", &at("r.csv")]);
    assert!(code(&missing) == 2 && stderr(&missing).contains("does not exist"), "{}", stderr(&missing));
    assert_eq!(code(&render(&["-o", &at("r.csv"), "-o", &at("r.xml")])), 0);
}

#[test]
fn reports_of_version_1_are_rendered() {
    let folder = Folder::new("outputs-1");
    let file = folder.file("parts.obj", parts());
    let report = stdout(&clearance(&[&["check", path(&file), "--json"], &CHECK[..]].concat()));
    let old = folder.file("old.json", report.replacen("clearance-check/2", "clearance-check/1", 1));
    let to = folder.0.join("new.json");
    assert_eq!(code(&clearance(&["render", path(&old), "-o", path(&to)])), 0);
    assert_eq!(std::fs::read_to_string(&to).unwrap(), report);
    let other = folder.file("other.json", report.replacen("clearance-check/2", "clearance-check/9", 1));
    let refused = clearance(&["render", path(&other)]);
    assert!(code(&refused) == 2 && stderr(&refused).contains("clearance-check/9"), "{}", stderr(&refused));
    // A shard is not a whole report.
    let shard = clearance(&[&["check", path(&file), "--json", "--shard", "1/2"], &CHECK[..]].concat()).stdout;
    let shard = folder.file("shard.json", shard);
    let refused = clearance(&["render", path(&shard), "-o", path(&folder.0.join("s.csv"))]);
    assert!(code(&refused) == 2 && stderr(&refused).contains("clearance merge"), "{}", stderr(&refused));
}

#[test]
fn every_command_writes_files_by_their_ending() {
    let folder = Folder::new("outputs-all");
    let (base, deep) = ("base", "deep");
    let a = folder.file("a.obj", boxes(&[(base, [0.0; 3], [10.0; 3])]));
    let b = folder.file("b.obj", boxes(&[(deep, [9.0, 2.0, 2.0], [12.0, 4.0, 4.0])]));
    let (a, b) = (path(&a).to_owned(), path(&b).to_owned());
    let moved = folder.file("moved.obj", boxes(&[(base, [0.0; 3], [10.0, 10.0, 11.0])]));
    let poses = folder.file("poses.txt", "0 0 0\n5 0 0\n");
    let (moved, poses) = (path(&moved).to_owned(), path(&poses).to_owned());
    let whole = |name: &str, file: &str| {
        let to = folder.0.join(name);
        clearance(&["check", file, "--json", "--exit-zero", "-o", path(&to)]);
        path(&to).to_owned()
    };
    let assembly = folder.file("parts.obj", parts());
    let (old, new) = (whole("old.json", &a), whole("new.json", path(&assembly)));
    for (number, (command, formats, column)) in [
        (vec!["info", &a, &b], &["html", "json", "csv", "md"][..], "triangles"),
        (vec!["distance", &a, &b], &["html", "json", "csv", "md"], "feature_a"),
        (vec!["depth", &a, &b], &["html", "json", "csv", "md"], "translation"),
        (vec!["depth", &a, &b, "--path", &poses], &["html", "json", "csv", "md"], "line"),
        (vec!["volume", &a, &b], &["html", "json", "csv", "md"], "centroid"),
        (vec!["sweep", &a, &moved], &["html", "json", "csv", "md"], "schema"),
        (vec!["sweep", &a, &b, "--to", "20 0 0"], &["html", "json", "csv", "md"], "impact"),
        (vec!["diff", &old, &new], &["json", "csv", "md", "xml"], "change"),
        (vec!["suggest", &new], &["toml"], ""),
    ]
    .into_iter()
    .enumerate()
    {
        let at = |ending: &str| folder.0.join(format!("{number}.{ending}")).to_str().unwrap().to_owned();
        let files: Vec<String> = formats.iter().flat_map(|ending| ["-o".to_owned(), at(ending)]).collect();
        let run = |more: &[&str]| clearance(&[&command[..], more].concat());
        let written = run(&files.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(code(&written) < 2, "{command:?}: {}", stderr(&written));
        for &ending in formats {
            let text = std::fs::read_to_string(at(ending)).unwrap();
            match ending {
                "json" => assert_eq!(text, stdout(&run(&["--json"])), "{command:?}"),
                "csv" => assert!(text.lines().next().unwrap().split(',').any(|name| name == column), "{text}"),
                "md" => assert!(text.starts_with("## Clearance: "), "{text}"),
                "html" => assert!(text.starts_with("<!doctype html>"), "{command:?}"),
                "xml" => assert!(text.contains("failures=\"2\""), "{text}"),
                _ => assert_eq!(text, stdout(&run(&[]))),
            }
        }
        // Once more over the same files; not over others of that name.
        assert!(code(&run(&["-o", &at(formats[0])])) < 2);
        std::fs::write(at(formats[0]), "notes of somebody else").unwrap();
        let refused = run(&["-o", &at(formats[0])]);
        assert!(code(&refused) == 2 && stderr(&refused).contains("this file is not "), "{}", stderr(&refused));
        for (wrong, said) in [("x.pdf", "unknown ending `.pdf`, expected ."), ("x", "no ending")] {
            let refused = run(&["-o", path(&folder.0.join(wrong))]);
            assert!(code(&refused) == 2 && stderr(&refused).contains(said), "{command:?}: {}", stderr(&refused));
        }
    }
    let refused = clearance(&["distance", &a, &b, "-o", path(&folder.0.join("x.svg"))]);
    assert!(stderr(&refused).contains("does not write .svg, only .html, .json, .csv, .md"), "{}", stderr(&refused));
    let refused = clearance(&["check", &a, "-o", path(&folder.0.join("x.xlsx"))]);
    let known = "x.xlsx: unknown ending `.xlsx`, expected .html, .json, .csv, .md, .xml (JUnit), .svg";
    assert!(code(&refused) == 2 && stderr(&refused).contains(known), "{}", stderr(&refused));
    let twice = path(&folder.0.join("same.json")).to_owned();
    let refused = clearance(&["check", &a, "-o", &twice, "-o", &twice]);
    assert!(code(&refused) == 2 && stderr(&refused).contains("two outputs"), "{}", stderr(&refused));
}
