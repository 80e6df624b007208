//! Checks in shards: put together they are one run, to the byte, and what does not belong together is refused.

#[allow(dead_code, reason = "this file needs a part of it")]
use crate::common;

use std::path::{Path, PathBuf};

use clearance_check::Report;

use common::{Folder, boxes, clearance, code, stderr, stdout};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The reports of all shards of a check.
fn shards(folder: &Folder, file: &Path, of: u32, more: &[&str]) -> Vec<PathBuf> {
    let shard = |number: u32| {
        let shard = format!("{number}/{of}");
        let output = clearance(&[&["check", path(file), "--json", "--quiet", "--shard", &shard], more].concat());
        assert!(code(&output) < 2, "{}", stderr(&output));
        folder.file(&format!("{number}-of-{of}.json"), output.stdout)
    };
    (1..=of).map(shard).collect()
}

/// `clearance merge` of reports, in the opposite order.
fn merged(reports: &[PathBuf], more: &[&str]) -> std::process::Output {
    let reports: Vec<&str> = reports.iter().rev().map(|report| path(report)).collect();
    clearance(&[&["merge"], &reports[..], more].concat())
}

/// A row of posts in a beam, each deeper than the one before, and boxes that touch and that are allowed to overlap.
fn posts() -> String {
    let mut list = vec![("beam".to_owned(), [0.0, 0.0, 0.0], [60.0, 4.0, 1.0])];
    for k in 0..50u32 {
        let (at, deep) = (f64::from(k), 0.25 + 0.01 * f64::from(k));
        list.push((format!("post#{k}"), [at + 0.2, 1.0, 1.0 - deep], [at + 0.8, 3.0, 5.0]));
    }
    list.push(("plate".into(), [50.5, 0.0, 1.0], [52.0, 4.0, 2.0]));
    list.push(("pressed".into(), [54.0, 0.0, 0.99], [56.0, 4.0, 2.0]));
    boxes(&list.iter().map(|(name, low, high)| (name.as_str(), *low, *high)).collect::<Vec<_>>())
}

/// Three of the five faults of the gearbox, in a tenth of the time.
const SHAFTS: [&str; 2] = ["--pairs", "gearbox/shaft*"];

#[test]
fn shards_of_the_gearbox_are_one_run() {
    let gearbox = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/gearbox.glb");
    let folder = Folder::new("gearbox-shards");
    // All of it once; and what hangs on the shafts, which is quick.
    for (of, more) in [(3, &[][..]), (1, &SHAFTS), (2, &SHAFTS), (7, &SHAFTS)] {
        let whole = clearance(&[&["check", path(&gearbox), "--json"], more].concat());
        let output = merged(&shards(&folder, &gearbox, of, more), &["--json"]);
        assert_eq!((code(&whole), code(&output)), (1, 1), "{}", stderr(&output));
        assert!(output.stdout == whole.stdout, "{of} shards");
    }
}

#[test]
fn any_number_of_shards_in_every_form() {
    let folder = Folder::new("post-shards");
    let file = folder.file("posts.obj", posts());
    // Little work, so that pairs have to share it, and not all are searched.
    let options = ["--budget", "100000", "--allowed-depth", "0.02", "--unit", "mm", "--weld", "1e-6"];
    let whole = |form: &[&str]| stdout(&clearance(&[&["check", path(&file)], &options[..], form].concat()));
    let json = whole(&["--json"]);
    let report: Report = serde_json::from_str(&json).unwrap();
    assert_eq!((report.findings.len(), report.allowed.len(), report.shard), (51, 1, None));
    let left_out = report.findings.iter().filter_map(|finding| finding.way_out.as_ref()?.why.as_ref());
    assert!(left_out.clone().count() > 5 && left_out.clone().all(|why| why.contains("--budget")));
    assert_eq!(whole(&["--json", "--threads", "1"]), json);
    // More than there are pairs, too.
    for of in [1, 5, 90] {
        let reports = shards(&folder, &file, of, &options);
        assert_eq!(stdout(&merged(&reports, &["--json"])), json, "{of} shards");
        let there = folder.0.join("merged.json");
        for form in [&[][..], &["--md"], &["--csv"], &["--junit"]] {
            let output = merged(&reports, &[form, &["--output", path(&there)]].concat());
            assert_eq!((code(&output), stdout(&output)), (1, whole(form)), "{of} shards");
        }
        assert_eq!(std::fs::read_to_string(&there).unwrap(), json);
        assert_eq!(code(&merged(&reports, &["--exit-zero"])), 0);
        // Every shard says what it left to others, and what it is.
        let reports = reports.iter().map(|report| std::fs::read_to_string(report).unwrap());
        let reports: Vec<Report> = reports.map(|text| serde_json::from_str(&text).unwrap()).collect();
        let pairs: Vec<u64> = reports.iter().map(|report| report.counts.tested).collect();
        assert_eq!(pairs.iter().sum::<u64>(), report.counts.tested);
        for shard in &reports {
            assert_eq!(shard.counts.tested + shard.shard.as_ref().unwrap().elsewhere, report.counts.tested);
        }
    }

    // The picture and the page show the parts, which are read again.
    let reports = shards(&folder, &file, 2, &options);
    let (picture, from_shards) = (folder.0.join("whole.svg"), folder.0.join("merged.svg"));
    whole(&["--picture", path(&picture)]);
    assert_eq!(code(&merged(&reports, &["--picture", path(&from_shards)])), 1);
    assert_eq!(std::fs::read(&picture).unwrap(), std::fs::read(&from_shards).unwrap());
    let (page, from_shards) = (folder.0.join("whole.html"), folder.0.join("merged.html"));
    whole(&["--html", path(&page)]);
    assert_eq!(code(&merged(&reports, &["--html", path(&from_shards)])), 1);
    assert_eq!(std::fs::read(&page).unwrap(), std::fs::read(&from_shards).unwrap());
    folder.file("posts.obj", posts() + "# changed\n");
    let changed = merged(&reports, &["--picture", path(&picture)]);
    assert!(code(&changed) == 2 && stderr(&changed).contains("SHA-256"), "{}", stderr(&changed));
}

#[test]
fn shards_that_do_not_belong_together() {
    let folder = Folder::new("foreign-shards");
    let file = folder.file("posts.obj", posts());
    let make = |name: &str, shard: &str, more: &[&str]| {
        let output = clearance(&[&["check", path(&file), "--json", "--no-depth", "--shard", shard], more].concat());
        folder.file(name, output.stdout)
    };
    let first = make("first.json", "1/2", &[]);
    let second = make("second.json", "2/2", &[]);
    let refused = |reports: &[&PathBuf], words: &[&str]| {
        let reports: Vec<&str> = reports.iter().map(|report| path(report)).collect();
        let output = clearance(&[&["merge"], &reports[..]].concat());
        let said = stderr(&output);
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    };
    refused(&[&first], &["shard 2/2", "clearance check", "--shard"]);
    refused(&[&make("many.json", "3/99", &[])], &["1/99, 2/99, 4/99", "and more"]);
    refused(&[&first, &second, &make("again.json", "2/2", &[])], &["again.json", "shard 2 of 2", "second.json"]);
    refused(&[&first, &make("other.json", "2/3", &[])], &["other.json", "shard 2 of 3", "first.json"]);
    for (more, words) in [
        (&["--clearance", "0.5"][..], "--clearance 0.5"),
        (&["--touch", "1e-3"], "there it is 6.03"),
        (&["--unit", "mm"], "--unit \"mm\""),
        (&["--solid", "no"], "--solid \"no\""),
        (&["--weld", "1e-9"], "--weld 1e-9"),
        (&["--ignore", "plate"], "--ignore"),
        (&["--allow", "touching"], "--allow"),
    ] {
        refused(&[&first, &make("options.json", "2/2", more)], &["options.json", words, "first.json"]);
    }
    let rules = folder.file("rules.toml", "version = 1\n");
    let ruled = make("ruled.json", "2/2", &["--rules", path(&rules)]);
    refused(&[&first, &ruled], &["ruled.json", "rules.toml", "first.json"]);
    let whole = clearance(&["check", path(&file), "--json", "--no-depth"]).stdout;
    let whole = folder.file("whole.json", whole);
    refused(&[&whole], &["whole.json", "--shard"]);
    refused(&[&file], &["posts.obj", "not a `clearance check --json` report"]);
    folder.file("posts.obj", posts().replace("beam", "girder"));
    refused(&[&first, &make("changed.json", "2/2", &[])], &["changed.json", "SHA-256", "first.json"]);

    // Nor is a shard a report for others.
    for command in [&["diff", path(&whole), path(&second)][..], &["suggest", path(&second)]] {
        let output = clearance(command);
        assert!(code(&output) == 2 && stderr(&output).contains("clearance merge"), "{}", stderr(&output));
    }
    for wrong in ["0/2", "3/2", "1", "a/b"] {
        let output = clearance(&["check", path(&file), "--shard", wrong]);
        assert!(
            code(&output) == 2 && stderr(&output).contains("expected I/N with I from 1 to N"),
            "{}",
            stderr(&output)
        );
    }
    let said = stdout(&clearance(&["check", path(&file), "--shard", "2/2"]));
    assert!(said.contains("shard 2 of 2") && said.contains("left to other shards"), "{said}");
    assert!(stdout(&clearance(&["merge", "--help"])).contains("Example"));
}
