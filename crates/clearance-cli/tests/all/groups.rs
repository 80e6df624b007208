//! Findings that are alike are one group, whatever its parts are called and however the pair is turned as a whole.

use crate::common;

use clearance::Pose;
use clearance::glam::DVec3;
use clearance_check::{Kind, Report};
use clearance_files::{Assembly, Part};

use common::{Folder, boxes, clearance, code, report, stderr, stdout};

/// A base with a peg in it, four times: three alike but turned as a whole, and one with the peg deeper.
fn rigs() -> Assembly {
    let text = boxes(&[("base", [0.0; 3], [10.0, 10.0, 2.0]), ("peg", [4.0, 4.0, 1.0], [5.0, 5.5, 6.0])]);
    let limits = clearance_files::Limits::default();
    let read = clearance_files::read_bytes(text.as_bytes(), "rig.obj", clearance_files::Format::Obj, &limits).unwrap();
    let mut parts = Vec::new();
    for k in 0..4u8 {
        let [x, turn] = [40.0 * f64::from(k), 0.3 * f64::from(k)];
        let whole = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), turn, DVec3::new(x, -x, 7.0)).unwrap();
        let deeper = whole.transform_point(if k == 3 { DVec3::Z * -0.25 } else { DVec3::ZERO });
        let peg = Pose::new(whole.rotation(), deeper).unwrap();
        parts.push(Part { name: format!("rig-{k}/foot"), geometry: 0, pose: whole });
        parts.push(Part { name: format!("rig-{k}/pin"), geometry: 1, pose: peg });
    }
    Assembly { parts, unit: Some(clearance_files::Unit::Metre), ..read }
}

#[test]
fn pairs_that_lie_alike_are_one_group() {
    let folder = Folder::new("groups");
    let file = folder.0.join("rigs.glb");
    clearance_files::write(&rigs(), &file).unwrap();
    let found = report(&file, &[]);
    let mut groups: Vec<_> = found.groups.iter().map(|group| (group.kind, group.count, group.findings.len())).collect();
    groups.sort();
    assert_eq!(groups, [(Kind::Hard, 1, 1), (Kind::Hard, 3, 3)], "{:?}", found.groups);
    assert!(found.findings.iter().all(|finding| finding.likeness.is_none()) && found.findings.len() == 4);
    // People read the names of meshes; the whole paths say which pair it is.
    assert_eq!((found.groups[0].a.as_str(), found.groups[0].b.as_str()), ("base", "peg"));
    let text = stdout(&clearance(&["check", file.to_str().unwrap()]));
    assert!(text.contains("HARD       base  x  peg   3 pairs"), "{text}");
    assert!(text.contains("/foot  x  rig-") && text.contains("and 2 more like this: rig-"), "{text}");

    // A shard knows which of its findings are like those of others.
    let shard = |number: u32| {
        let shard = format!("{number}/3");
        let output = clearance(&["check", file.to_str().unwrap(), "--json", "--quiet", "--shard", &shard]);
        assert!(code(&output) < 2, "{}", stderr(&output));
        folder.file(&format!("{number}.json"), output.stdout).to_str().unwrap().to_owned()
    };
    let shards = [1, 2, 3].map(shard);
    let merged = clearance(&["merge", &shards[2], &shards[0], &shards[1], "--json"]);
    let whole = clearance(&["check", file.to_str().unwrap(), "--json"]);
    assert_eq!(stdout(&merged), stdout(&whole), "{}", stderr(&merged));
}

#[test]
fn rules_are_suggested_for_groups_and_templates_for_what_many_have() {
    let folder = Folder::new("templates");
    let file = folder.file(
        "rig.obj",
        boxes(&[
            ("rig/frame/plate", [0.0; 3], [10.0, 10.0, 2.0]),
            ("rig/frame/rail", [0.0, 8.0, 1.5], [10.0, 9.0, 4.0]),
            ("rig/frame/rib", [0.0, 5.0, 1.75], [10.0, 6.0, 4.0]),
            ("rig/Screw_M6", [2.0, 2.0, 1.25], [3.0, 3.0, 4.0]),
            ("rig/astronaut", [7.0, 2.0, 1.25], [8.0, 3.0, 4.0]),
        ]),
    );
    let found =
        folder.file("found.json", clearance(&["check", file.to_str().unwrap(), "--unit", "mm", "--json"]).stdout);
    let rules = stdout(&clearance(&["suggest", found.to_str().unwrap()]));
    for words in [
        "# Fits: 4 of 4 overlaps are no deeper than 1 mm.",
        "# allowed_depth = 1.0",
        "# Threads: 1 overlap of `Screw`, up to ",
        "# parts = [\"*Screw*\"]",
        "# Within `rig/frame`: 2 findings between its own parts",
        "# parts = [\"rig/frame/*\", \"rig/frame/*\"]",
        "# ignore = true",
    ] {
        assert!(rules.contains(words), "{words}: {rules}");
    }
    assert!(!rules.contains("*nut*"), "{rules}");
    // Each template is a rule, if only it is asked for.
    let used = |begin: &str, lines: usize| {
        let from = rules.lines().skip_while(|line| !line.starts_with(begin)).skip(1);
        let taken: Vec<&str> = from.take(lines).map(|line| line.trim_start_matches("# ")).collect();
        let text = format!("version = 2\nunit = \"mm\"\n{}\n", taken.join("\n"));
        let path = folder.file("used.toml", text);
        let found = report(&file, &["--unit", "mm", "--rules", path.to_str().unwrap()]);
        found.findings.iter().map(|finding| finding.b.clone()).collect::<Vec<_>>()
    };
    let left = |names: &[&str]| names.iter().map(|name| format!("rig/{name}")).collect::<Vec<_>>();
    assert_eq!(used("# Threads", 4), left(&["astronaut", "frame/rail", "frame/rib"]));
    assert_eq!(used("# Within", 5), left(&["Screw_M6", "astronaut"]));
}

/// Ids are of the two parts, whatever the rule is called.
#[test]
fn ids_do_not_change_with_the_rules() {
    let folder = Folder::new("ids");
    let file = folder.file("two.obj", boxes(&[("a", [0.0; 3], [1.0; 3]), ("b", [0.5; 3], [2.0; 3])]));
    let rules = folder.file("rules.toml", "version = 2\n[[rule]]\nname = \"mine\"\nparts = [\"a\"]\nclearance = 1\n");
    let id = |report: &Report| report.findings[0].id.clone();
    let ruled = report(&file, &["--rules", rules.to_str().unwrap()]);
    assert_eq!((ruled.findings[0].rule.as_str(), id(&ruled)), ("mine", id(&report(&file, &[]))));
}
