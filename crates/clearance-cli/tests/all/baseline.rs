//! Findings that are known or approved, and test sets.

use crate::common;

use std::path::Path;

use clearance_check::{Kind, Report, Status, Verdict};

use common::{Folder, boxes, clearance, code, stderr, stdout};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn load(file: &Path) -> Report {
    Report::parse(file, &std::fs::read_to_string(file).unwrap()).unwrap()
}

/// A base with a pin in it and a block on it, and what else there is.
fn parts(more: &[(&str, [f64; 3], [f64; 3])]) -> String {
    let known = [
        ("base", [0.0; 3], [10.0; 3]),
        ("pin #1", [2.0, 2.0, 9.0], [3.0, 3.0, 12.0]),
        ("block", [5.0, 5.0, 10.0], [8.0, 8.0, 11.0]),
    ];
    boxes(&[&known, more].concat())
}

#[test]
fn only_new_findings_count_against_a_baseline() {
    let folder = Folder::new("baseline");
    let file = folder.file("parts.obj", parts(&[]));
    let at = |name: &str| folder.0.join(name);
    let (old, new) = (at("old.json"), at("new.json"));
    assert_eq!(code(&clearance(&["check", path(&file), "-o", path(&old)])), 1);
    let check = |more: &[&str]| {
        clearance(&[&["check", path(&file), "--baseline", path(&old), "-o", path(&new)], more].concat())
    };
    let same = check(&["-o", path(&at("same.xml"))]);
    assert_eq!(code(&same), 0, "{}", stderr(&same));
    let text = stdout(&same);
    assert!(text.contains("nothing new") && text.contains("0 new, 2 known, 0 gone"), "{text}");
    assert!(!text.contains("HARD"), "{text}");
    let report = load(&new);
    assert_eq!(report.verdict, Verdict::Clean);
    assert!(report.findings.iter().all(|finding| finding.status == Some(Status::Known)));
    assert!(report.baseline.as_ref().unwrap().path.ends_with("old.json"));
    let xml = std::fs::read_to_string(at("same.xml")).unwrap();
    assert!(xml.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\""), "{xml}");
    assert!(xml.contains("<skipped message=\"known hard\"/>"), "{xml}");
    // Rendered again, it is the same; as a baseline itself, it is that of its findings.
    assert_eq!(stdout(&clearance(&["render", path(&new)])), text);
    assert_eq!(code(&clearance(&["check", path(&file), "--baseline", path(&new)])), 0);

    // One clash more.
    folder.file("parts.obj", parts(&[("bolt", [0.5, 0.5, 9.5], [1.0, 1.0, 12.0])]));
    let more = check(&["-o", path(&at("m.csv")), "-o", path(&at("m.md")), "-o", path(&at("m.html"))]);
    assert_eq!(code(&more), 1, "{}", stderr(&more));
    let text = stdout(&more);
    assert!(text.contains("1 new, 2 known, 0 gone") && text.contains("HARD       base  x  bolt"), "{text}");
    assert!(!text.contains("pin"), "only what is new is listed: {text}");
    assert!(text.lines().any(|line| line.starts_with("  hard") && line.contains("base x bolt")), "{text}");
    let csv = std::fs::read_to_string(at("m.csv")).unwrap();
    assert_eq!(
        csv.lines().next().unwrap().split(',').rev().take(4).collect::<Vec<_>>(),
        ["rules", "comment", "status", "set"]
    );
    assert_eq!((csv.matches(",new,,").count(), csv.matches(",known,,").count()), (1, 2), "{csv}");
    let table = std::fs::read_to_string(at("m.md")).unwrap();
    assert_eq!((table.matches("\n| new | ").count(), table.matches("\n| known | ").count()), (1, 2), "{table}");

    // Gone: what the baseline has and the check has not.
    folder.file("parts.obj", boxes(&[("base", [0.0; 3], [10.0; 3]), ("pin #1", [2.0, 2.0, 9.0], [3.0, 3.0, 12.0])]));
    let less = check(&[]);
    assert!(code(&less) == 0 && stdout(&less).contains("0 new, 1 known, 1 gone"), "{}", stdout(&less));
    assert_eq!(load(&new).baseline.unwrap().gone.len(), 1);

    // A contact that became a clash is new; a clash that became a contact is known.
    let sunk = [("base", [0.0; 3], [10.0; 3]), ("block", [5.0, 5.0, 9.0], [8.0, 8.0, 11.0])];
    folder.file("parts.obj", boxes(&sunk));
    let worse = check(&[]);
    assert!(code(&worse) == 1 && stdout(&worse).contains("touching in the baseline"), "{}", stdout(&worse));
    let lifted = [("base", [0.0; 3], [10.0; 3]), ("pin #1", [2.0, 2.0, 10.0], [3.0, 3.0, 12.0])];
    folder.file("parts.obj", boxes(&lifted));
    assert_eq!(code(&check(&[])), 0);
    assert_eq!(load(&new).findings[0].kind, Kind::Touching);

    // All parts that the baseline names were removed: the file is still that of the baseline.
    folder.file("parts.obj", boxes(&[("x", [0.0; 3], [2.0; 3]), ("y", [3.0; 3], [4.0; 3])]));
    let removed = check(&[]);
    assert!(code(&removed) == 0 && stdout(&removed).contains("0 new, 0 known, 2 gone"), "{}", stderr(&removed));
}

#[test]
fn baselines_that_do_not_fit() {
    let folder = Folder::new("baseline-bad");
    let file = folder.file("parts.obj", parts(&[]));
    let other = folder.file("other.obj", boxes(&[("x", [0.0; 3], [2.0; 3]), ("y", [1.0; 3], [3.0; 3])]));
    let foreign = folder.0.join("foreign.json");
    clearance(&["check", path(&other), "-o", path(&foreign)]);
    let refused = |baseline: &Path, more: &[&str], words: &[&str]| {
        let output = clearance(&[&["check", path(&file), "--baseline", path(baseline)], more].concat());
        let said = stderr(&output);
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    };
    refused(&foreign, &[], &["foreign.json: a baseline of another assembly", "`x`", "`y`", "parts.obj"]);
    refused(&other, &[], &["other.obj: not a `clearance check --json` report"]);
    refused(&folder.0.join("none.json"), &[], &["none.json"]);
    refused(&foreign, &["--shard", "1/2"], &["--shard"]);
    refused(&foreign, &["-o", path(&foreign)], &["foreign.json: this file is read"]);
    let shard = clearance(&["check", path(&file), "--json", "--shard", "1/2"]).stdout;
    refused(&folder.file("shard.json", shard), &[], &["shard.json", "clearance merge"]);
    // A clean report names no part, and is a baseline of anything.
    let clean = folder.file("clean.obj", boxes(&[("z", [0.0; 3], [1.0; 3]), ("w", [2.0; 3], [3.0; 3])]));
    let clean = folder.file("clean.json", clearance(&["check", path(&clean), "--json"]).stdout);
    let output = clearance(&["check", path(&file), "--baseline", path(&clean)]);
    assert!(code(&output) == 1 && stdout(&output).contains("2 new, 0 known, 0 gone"), "{}", stdout(&output));
}

#[test]
fn approved_findings() {
    let folder = Folder::new("approved");
    let file = folder.file("parts.obj", parts(&[("bolt", [0.5, 0.5, 9.5], [1.0, 1.0, 12.0])]));
    let (list, report) = (folder.0.join("approved.txt"), folder.0.join("report.json"));
    let check = |more: &[&str]| clearance(&[&["check", path(&file), "-o", path(&report)], more].concat());
    assert_eq!(code(&check(&["--write-approved", path(&list)])), 1);
    let text = std::fs::read_to_string(&list).unwrap();
    assert!(text.starts_with("# Approved findings of `clearance check`"), "{text}");
    assert!(text.contains("touching base × block  # "), "{text}");
    // A name with ` #` in it goes by its id.
    let id = load(&report).findings.iter().find(|finding| finding.b == "pin #1").unwrap().id.clone();
    assert!(text.contains(&format!("hard {id}  # base × pin #1: ")), "{text}");
    // The same from a report.
    let again = folder.0.join("again.txt");
    assert_eq!(code(&clearance(&["render", path(&report), "--write-approved", path(&again)])), 0);
    assert_eq!(std::fs::read_to_string(&again).unwrap(), text);

    let all = check(&["--approved", path(&list)]);
    assert_eq!(code(&all), 0, "{}", stdout(&all));
    assert!(stdout(&all).contains("3 approved") && stdout(&all).contains("nothing new"), "{}", stdout(&all));
    assert!(load(&report).findings.iter().all(|finding| finding.status == Some(Status::Approved)));

    // As people edit it.
    let lines = "# ours\n\nblock x base   # a seat, by design # yes\r\nbase × gone # was here\nnonsense\n";
    folder.file("approved.txt", lines);
    let some =
        check(&["--approved", path(&list), "-o", path(&folder.0.join("r.xml")), "-o", path(&folder.0.join("r.csv"))]);
    let said = stdout(&some);
    assert_eq!(code(&some), 1);
    assert!(said.contains("approved.txt, line 4: no finding matches `base × gone # was here`"), "{said}");
    assert!(said.contains("line 5: no finding matches `nonsense`") && said.contains("1 approved"), "{said}");
    let finding = load(&report).findings.into_iter().find(|finding| finding.b == "block").unwrap();
    assert_eq!(finding.comment.as_deref(), Some("a seat, by design # yes"));
    let xml = std::fs::read_to_string(folder.0.join("r.xml")).unwrap();
    assert!(xml.contains("<skipped message=\"approved touching; a seat, by design # yes\"/>"), "{xml}");
    let csv = std::fs::read_to_string(folder.0.join("r.csv")).unwrap();
    assert!(csv.contains(",approved,\"a seat, by design # yes\""), "{csv}");
    // Comments are kept when the list is made again.
    clearance(&["render", path(&report), "--write-approved", path(&again)]);
    assert!(std::fs::read_to_string(&again).unwrap().contains("base × block  # a seat, by design # yes\n"));

    // An approval of a contact is none of a clash.
    folder.file("approved.txt", "touching base x bolt # close\n");
    let worse = check(&["--approved", path(&list)]);
    assert!(code(&worse) == 1 && stdout(&worse).contains("approved only as touching: close"), "{}", stdout(&worse));
    // With a baseline, both count.
    folder.file("approved.txt", "base x block # close\n");
    let old = folder.file("old.json", std::fs::read(&report).unwrap());
    let both = check(&["--approved", path(&list), "--baseline", path(&old)]);
    assert!(code(&both) == 0 && stdout(&both).contains("0 new, 2 known, 0 gone; 1 approved"), "{}", stdout(&both));
    let refused = check(&["--write-approved", path(&file)]);
    assert!(code(&refused) == 2 && stderr(&refused).contains("is read"), "{}", stderr(&refused));
    let notes = folder.file("notes.txt", "remember the milk\n");
    let refused = check(&["--write-approved", path(&notes)]);
    assert!(code(&refused) == 2 && stderr(&refused).contains("not a list"), "{}", stderr(&refused));
}

#[test]
fn the_example_against_its_own_report() {
    let gearbox = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/gearbox.glb");
    let folder = Folder::new("baseline-gearbox");
    let report = folder.0.join("a.json");
    // What hangs on the shafts, which is quick.
    let check = |more: &[&str]| clearance(&[&["check", path(&gearbox), "--pairs", "gearbox/shaft*"], more].concat());
    assert_eq!(code(&check(&["-o", path(&report)])), 1);
    let same = check(&["--baseline", path(&report)]);
    assert!(code(&same) == 0 && stdout(&same).contains("0 new, 3 known, 0 gone"), "{}", stdout(&same));
    let text = std::fs::read_to_string(&report).unwrap();
    let mut less = Report::parse("a.json", &text).unwrap();
    let gone = less.findings.remove(0).id;
    less.groups.iter_mut().for_each(|group| group.findings.retain(|id| *id != gone));
    folder.file("a.json", serde_json::to_string(&less).unwrap());
    let one = check(&["--baseline", path(&report)]);
    assert!(code(&one) == 1 && stdout(&one).contains("1 new, 2 known, 0 gone"), "{}", stdout(&one));
}

const RULES: &str = r#"
version = 2
unit = "mm"

[[set]]
name = "pipes against beams"
a = ["pipe*"]
b = ["beam*", "girder"]
clearance = 2

[[set]]
name = "pipes"
a = ["pipe*"]
allow = ["touching"]

[[set]]
name = "unused"
a = ["cable*"]
"#;

#[test]
fn test_sets() {
    let folder = Folder::new("sets");
    let file = folder.file(
        "plant.obj",
        boxes(&[
            ("pipe-1", [0.0; 3], [1.0, 1.0, 10.0]),
            ("pipe-2", [1.0, 0.0, 0.0], [2.0, 1.0, 10.0]),
            ("beam", [-2.0, 0.0, 0.0], [-1.0, 1.0, 10.0]),
            ("beam-2", [-3.5, 0.0, 0.0], [-1.5, 1.0, 10.0]),
            ("girder", [1.5, 0.0, 2.0], [4.0, 1.0, 3.0]),
        ]),
    );
    let rules = folder.file("rules.toml", RULES);
    let report = folder.0.join("r.json");
    let check = |more: &[&str]| {
        let first = ["check", path(&file), "--unit", "mm", "--rules", path(&rules), "-o", path(&report)];
        clearance(&[&first, more].concat())
    };
    let found = |report: &Path| -> Vec<_> {
        let of = |f: clearance_check::Finding| (f.kind, f.a, f.b, f.set.unwrap());
        load(report).findings.into_iter().map(of).collect()
    };
    let expect = |kind: Kind, a: &str, b: &str, set: &str| (kind, a.to_owned(), b.to_owned(), set.to_owned());
    let against = "pipes against beams";
    let of_first = vec![
        expect(Kind::Hard, "pipe-2", "girder", against),
        expect(Kind::Clearance, "pipe-1", "girder", against),
        expect(Kind::Clearance, "pipe-1", "beam", against),
        expect(Kind::Clearance, "pipe-1", "beam-2", against),
    ];
    // The two beams that overlap are in no set; the pipes touch, which theirs allows.
    let all = check(&["-o", path(&folder.0.join("r.csv"))]);
    assert_eq!(code(&all), 1, "{}", stderr(&all));
    assert_eq!(found(&report), of_first);
    let text = stdout(&all);
    assert!(text.contains("set pipes against beams: 5 pairs tested, 4 findings"), "{text}");
    assert!(text.contains("set pipes: 1 pair tested, 0 findings"), "{text}");
    assert!(text.contains("skipped (in no set)") && text.contains("set `unused` matches no pair of parts"), "{text}");
    assert!(text.contains("rule default, set pipes against beams"), "{text}");
    let csv = std::fs::read_to_string(folder.0.join("r.csv")).unwrap();
    assert_eq!(csv.matches(",pipes against beams,,,").count(), 4, "{csv}");
    // One set only.
    assert_eq!(code(&check(&["--set", "pipes"])), 1, "the girder is in the other set");
    assert_eq!(found(&report), [expect(Kind::Hard, "pipe-2", "girder", "pipes")]);
    assert_eq!(code(&check(&["--set", against, "--set", "pipes"])), 1);
    assert_eq!(found(&report), of_first);
    let unknown = check(&["--set", "beams"]);
    let said = stderr(&unknown);
    assert!(code(&unknown) == 2 && said.contains("no set `beams`") && said.contains("`pipes`"), "{said}");
    let empty = check(&["--set", "unused"]);
    assert!(code(&empty) == 2 && stderr(&empty).contains("no pair of parts matches a test set"), "{}", stderr(&empty));
    assert_eq!(code(&check(&["--set", "unused", "--allow-empty"])), 0);
    let none = clearance(&["check", path(&file), "--set", "pipes"]);
    assert!(code(&none) == 2 && stderr(&none).contains("the rules have none"), "{}", stderr(&none));

    // In shards, as in one run.
    let whole = stdout(&check(&["--json"]));
    let shards: Vec<String> = (1..=3)
        .map(|number| {
            let to = folder.0.join(format!("{number}.json"));
            check(&["--shard", &format!("{number}/3"), "-o", path(&to)]);
            path(&to).to_owned()
        })
        .collect();
    assert_eq!(stdout(&clearance(&["merge", &shards[0], &shards[1], &shards[2], "--json"])), whole);
}
