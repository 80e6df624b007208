//! The oracle against the shared hard cases: poses that broke other libraries, with signed distances computed elsewhere
//! to some twenty digits. Runs if the data folder exists (`../shared/data` beside the project, or `CLEARANCE_DATA`).

use std::cmp::Ordering;
use std::io::Write;
use std::path::PathBuf;

use clearance_oracle::{OracleBody, Rational, signed_distance};
use serde_json::Value;

/// Bypasses the test harness, which hides the output of passing tests.
fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "hard_cases: {message}");
}

fn data_folder() -> PathBuf {
    std::env::var_os("CLEARANCE_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from)
}

fn numbers<const COUNT: usize>(value: &Value) -> [f64; COUNT] {
    let list = value.as_array().expect("a list of numbers");
    assert_eq!(list.len(), COUNT);
    std::array::from_fn(|index| list[index].as_f64().expect("a number"))
}

fn body(value: &Value) -> OracleBody {
    let shape = match value["type"].as_str() {
        Some("box") => OracleBody::cuboid(numbers(&value["full_extents"]).map(|extent: f64| extent / 2.0)),
        Some("convex" | "hull_vertices_only" | "point") => {
            let vertices = value["vertices"].as_array().expect("vertices");
            OracleBody::hull(vertices.iter().map(numbers).collect())
        }
        other => panic!("unknown type {other:?}"),
    };
    let rows: [[f64; 4]; 3] = std::array::from_fn(|row| numbers(&value["pose_3x4"][row]));
    shape.rotated(rows.map(|[x, y, z, _]| [x, y, z])).translated(rows.map(|[.., t]| t))
}

#[test]
fn hard_cases_agree_to_their_printed_digits() {
    let path = data_folder().join("hard_cases/hard_cases.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        say("SKIPPED: shared hard cases not found (`../shared/data`, or set CLEARANCE_DATA)");
        return;
    };
    let file: Value = serde_json::from_str(&text).expect("valid JSON");
    let cases = file["cases"].as_array().expect("a list of cases");
    let mut wrong = Vec::new();
    for case in cases {
        let id = case["id"].as_str().expect("an id");
        let printed = case["exact_signed_distance"].as_str().expect("a decimal string");
        let expected: Rational = printed.parse().expect("a decimal string");
        let slack = Rational::half_unit_of_last_digit(printed).expect("a decimal string");
        let begun = std::time::Instant::now();
        let truth = signed_distance(&body(&case["a"]), &body(&case["b"]));
        println!("{id}: {printed} = {} in {:?}", truth.to_decimal(25), begun.elapsed());
        if truth.compare_rational(&(&expected - &slack)) == Ordering::Less
            || truth.compare_rational(&(&expected + &slack)) == Ordering::Greater
        {
            wrong.push(format!("{id}: {} instead of {printed}", truth.to_decimal(25)));
        }
    }
    say(&format!("{} hard cases checked", cases.len()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
