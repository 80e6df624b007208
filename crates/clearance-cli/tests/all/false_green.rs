//! A clean report that says nothing is told apart from one that says that all is well.

use crate::common::{Folder, boxes, clearance, code, report, stderr, stdout};

fn two_boxes(folder: &Folder) -> String {
    let parts = [("left", [0.0; 3], [1.0; 3]), ("right", [3.0, 0.0, 0.0], [4.0, 1.0, 1.0])];
    folder.file("two.obj", boxes(&parts)).display().to_string()
}

#[test]
fn pairs_that_match_nothing_are_an_error() {
    let folder = Folder::new("no-pairs");
    let file = two_boxes(&folder);
    for pattern in ["no-such:part", "left:left", "nothing"] {
        let output = clearance(&["check", &file, "--pairs", pattern]);
        let message = stderr(&output);
        assert_eq!(code(&output), 2, "{message}");
        assert!(
            message.contains("--pairs") && message.contains(pattern) && message.contains("--allow-empty"),
            "{message}"
        );
    }
    // One that matches is enough; the other is named.
    let output = clearance(&["check", &file, "--pairs", "left:right", "--pairs", "no-such:part"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("WARNING: --pairs no-such:part matches no pair of parts"), "{}", stdout(&output));
}

#[test]
fn every_form_warns() {
    let folder = Folder::new("warnings");
    let file = two_boxes(&folder);
    let empty = ["check", &file, "--pairs", "no-such:part", "--allow-empty"];
    for (form, expected) in [
        (None, "WARNING: no pair of parts was tested"),
        (Some("--json"), "\"no pair of parts was tested"),
        (Some("--md"), "> **warning**: no pair of parts was tested"),
        (Some("--csv"), ",warning,no pair of parts was tested"),
        (Some("--junit"), "<system-err>warning: no pair of parts was tested"),
    ] {
        let output = clearance(&[&empty[..], form.as_slice()].concat());
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains(expected), "{form:?}: {}", stdout(&output));
    }
    let page = folder.0.join("page.html").display().to_string();
    assert_eq!(code(&clearance(&[&empty[..], &["--html", &page]].concat())), 0);
    assert!(std::fs::read_to_string(&page).unwrap().contains("no pair of parts was tested"));
}

#[test]
fn rules_that_match_nothing_and_clearances_that_nothing_keeps() {
    let folder = Folder::new("idle-rules");
    let file = two_boxes(&folder);
    let text = "version = 1\n[[rule]]\nname = \"gears\"\nparts = [\"gear*\", \"left\"]\nignore = true\n";
    let rules = folder.file("rules.toml", text).display().to_string();
    let report = report(file.as_ref(), &["--rules", &rules, "--clearance", "100"]);
    let [rule, clearance] = &report.warnings[..] else { panic!("{:?}", report.warnings) };
    assert_eq!(rule, "rule `gears`: gear*:left matches no pair of parts");
    assert!(
        clearance.starts_with("rule `default`: the clearance of 100 exceeds the size of the assembly"),
        "{clearance}"
    );
}
