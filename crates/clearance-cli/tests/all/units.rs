//! Lengths with units, and that the unit of the results decides nothing.

use crate::common::{Folder, boxes, clearance, code, report, stderr, stdout};

/// Two boxes a gap apart.
fn apart(folder: &Folder, gap: f64) -> String {
    let parts = [("left", [0.0; 3], [1.0; 3]), ("right", [1.0 + gap, 0.0, 0.0], [2.0, 1.0, 1.0])];
    folder.file("two.obj", boxes(&parts)).display().to_string()
}

#[test]
fn the_display_unit_changes_no_verdict() {
    let folder = Folder::new("display-unit");
    // In metres, some nanometres apart: within the touch band of two metres; and some micrometres: not.
    for (gap, findings) in [(5e-9, 1), (5e-6, 0)] {
        let file = apart(&folder, gap);
        for unit in ["um", "mm", "m", "ft"] {
            let found = report(file.as_ref(), &["--file-unit", "m", "--unit", unit]);
            assert_eq!(found.findings.len(), findings, "{gap} in {unit}");
            assert_eq!(found.unit.as_deref(), Some(unit));
        }
    }
}

#[test]
fn lengths_have_units() {
    let folder = Folder::new("lengths");
    let file = apart(&folder, 0.25);
    let count = |more: &[&str]| report(file.as_ref(), more).findings.len();
    assert_eq!(count(&["--unit", "cm", "--clearance", "3mm"]), 1);
    assert_eq!(count(&["--unit", "cm", "--clearance", "2 mm"]), 0);
    assert_eq!(count(&["--unit", "cm", "--clearance", "0.3"]), 1);
    let text = "version = 1\nclearance = \"3 mm\"\n";
    let rules = folder.file("rules.toml", text).display().to_string();
    assert_eq!(count(&["--unit", "cm", "--rules", &rules]), 1);
    let output = clearance(&["check", &file, "--clearance", "3mm"]);
    assert!(code(&output) == 2 && stderr(&output).contains("--unit"), "{}", stderr(&output));
    let output = clearance(&["check", &file, "--clearance", "3 ell"]);
    assert!(code(&output) == 2 && stderr(&output).contains("ell"), "{}", stderr(&output));
}

#[test]
fn the_unit_of_a_file_can_be_said() {
    let folder = Folder::new("file-unit");
    let file = apart(&folder, 0.25);
    let glb = folder.0.join("two.glb");
    let assembly = clearance_files::read(&file).unwrap();
    clearance_files::write(&assembly, &glb).unwrap();
    let found = report(&glb, &["--file-unit", "mm", "--clearance", "0.3"]);
    assert_eq!((found.unit.as_deref(), found.findings.len()), (Some("mm"), 1));
    assert!(found.inputs[0].notes.iter().any(|note| note.contains("--file-unit")), "{:?}", found.inputs);
    // Of a part of sixty metres it is asked whether it is one of sixty millimetres.
    let parts = [("long", [0.0; 3], [60.0, 1.0, 1.0])];
    let long = folder.file("long.obj", boxes(&parts));
    clearance_files::write(&clearance_files::read(&long).unwrap(), &glb).unwrap();
    let output = clearance(&["check", glb.to_str().unwrap()]);
    assert!(stderr(&output).contains("use --file-unit mm"), "{}", stderr(&output));
}

#[test]
fn diff_shows_one_unit() {
    let folder = Folder::new("diff-units");
    let file = apart(&folder, 0.25);
    let json = |more: &[&str]| stdout(&clearance(&[&["check", &file, "--json", "--file-unit", "m"], more].concat()));
    let old = folder.file("old.json", json(&["--clearance", "1m"])).display().to_string();
    let new = folder.file("new.json", json(&["--unit", "mm"])).display().to_string();
    let output = stdout(&clearance(&["diff", &old, &new]));
    assert!(output.contains("resolved") && output.contains("250 mm"), "{output}");
}
