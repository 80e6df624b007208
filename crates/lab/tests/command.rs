//! The command as a caller sees it: what is on stdout, and the exit code.

use std::process::{Command, Output};

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab")).args(arguments).output().expect("the command starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file of its own for each test, removed at the end.
struct CaseFile(std::path::PathBuf);

impl CaseFile {
    fn new(name: &str, exact: &str) -> CaseFile {
        let body = |x: f64| {
            format!(
                r#"{{"type": "box", "full_extents": [1, 1, 1],
                    "pose_3x4": [[1, 0, 0, {x}], [0, 1, 0, 0], [0, 0, 1, 0]]}}"#
            )
        };
        let case = |id: &str, x: f64, exact: &str| {
            format!(r#"{{"id": "{id}", "a": {}, "b": {}, "exact_signed_distance": "{exact}"}}"#, body(0.0), body(x))
        };
        let text = format!(r#"{{"cases": [{}, {}]}}"#, case("apart", 2.0, exact), case("overlapping", 0.5, "-0.5"));
        let path = std::env::temp_dir().join(format!("clearance-lab-{name}-{}.json", std::process::id()));
        std::fs::write(&path, text).expect("the temporary folder takes a file");
        CaseFile(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the temporary folder has a plain name")
    }
}

impl Drop for CaseFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn right_answers_exit_with_0_and_print_one_object() {
    let file = CaseFile::new("right", "1");
    let output = lab(&["run", "hard-cases", "--json", "--data", file.path()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object and nothing else");
    assert_eq!(json["experiment"], "hard-cases");
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["summary"]["wrong"], 0);
    for key in ["commit", "cpu", "threads"] {
        assert!(json["summary"].get(key).is_some(), "{key}");
    }
}

#[test]
fn wrong_answers_exit_with_1() {
    let file = CaseFile::new("wrong", "1.5");
    let output = lab(&["run", "hard-cases", "--data", file.path()]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("the bracket misses the exact distance"));
}

#[test]
fn missing_data_and_wrong_calls_exit_with_2() {
    for (arguments, said) in [
        (&["run", "hard-cases"][..], "--data"),
        (&["run", "hard-cases", "--data", "no/such/file"], "no/such/file"),
        (&["run", "convex-speed", "--quick", "--data", "no/such/folder"], "no/such/folder"),
        (&["run", "fcl-poses"], "env_rob_poses_expected.json"),
        (&["run", "contact-models"], "contact_models.json"),
        (&["run", "fcl-poses", "--data", "no/such/folder"], "no/such/folder"),
        (&["run", "mesh-speed", "--quick", "--data", "no/such/folder"], "no/such/folder"),
        (&["run", "ray-mesh", "--quick", "--data", "no/such/folder"], "no/such/folder"),
        (&["run", "load-speed", "--quick", "--data", "no/such/folder"], "no/such/folder"),
        (&["run", "robot-speed"], "motion_planning"),
        (&["run", "acm", "--data", "no/such/folder"], "no/such/folder"),
        (&["run", "no-such-experiment"], "convex-distance"),
        (&["run", "convex-distance", "--markdown", "--quick"], "--quick"),
        (&["run", "convex-distance", "--markdown", "--json"], "--json"),
        (&["run"], "NAME"),
        (&["dance"], "dance"),
    ] {
        let output = lab(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(stderr(&output).contains(said), "{arguments:?}: {}", stderr(&output));
    }
}

/// What a reader of any report relies on: the counts of the summary, and what every row says.
#[test]
fn quick_runs_print_rows_and_a_summary() {
    for experiment in ["accuracy", "convex-algorithms"] {
        let output = lab(&["run", experiment, "--quick", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object and nothing else");
        assert_eq!(json["experiment"], experiment);
        assert_eq!(json["summary"]["wrong"], 0);
        assert!(json["summary"]["cases"].as_u64() > Some(0));
        let rows = json["rows"].as_array().expect("rows");
        assert!(!rows.is_empty());
        for row in rows {
            assert!(row["case"].is_string() && row["unit"].is_string() && row["wrong"] == 0, "{row}");
            let raced = row.get("peer").is_some();
            assert_eq!(raced, row.get("ratio").is_some(), "{row}");
            assert_eq!(raced, row.get("theirs").is_some(), "{row}");
            assert!(row["ours"].as_f64().is_some_and(|ours| ours >= 0.0), "{row}");
        }
    }
}

#[test]
fn markdown_is_a_table_with_its_provenance() {
    let file = CaseFile::new("markdown", "1");
    let output = lab(&["run", "hard-cases", "--markdown", "--data", file.path()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("| case |") && text.contains("Commit "), "{text}");
}

#[test]
fn list_and_help_teach() {
    let list = lab(&["list"]);
    let text = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(text.contains("hard-cases") && text.contains("--data") && text.contains("parry"), "{text}");
    let help = lab(&["help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("Exit codes"));
}
