//! Poses that broke other libraries, with published exact signed distances.
//!
//! The file is `{"cases": [{"id", "a", "b", "exact_signed_distance"}, ...]}`; a body has a `type`, a row-major
//! `pose_3x4` and its dimensions (`full_extents` or `half_extents`, `radius`, or `vertices`). The exact distance is a
//! decimal string and is compared as such, never through a double.

use super::{Experiment, Flag, Options};
use crate::contract::{Examined, Pair};
use crate::digest::Digest;
use crate::error::LabError;
use crate::report::{Provenance, Report, Row};
use crate::truth::Truth;
use clearance::glam::DVec3;
use clearance::{Pose, Shape};
use indicatif::ProgressIterator;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "hard-cases",
    about: "poses that broke FCL, libccd, MuJoCo and DOLFINx, against their exact distances (no peer)",
    flags: &[Flag::Data],
    run,
};

/// What `--data` has to point to.
const WANTED: &str = "a hard_cases.json, or a folder with hard_cases.json or hard_cases/hard_cases.json in it";

/// A case ready to be asked.
struct Case {
    id: String,
    a: Body,
    b: Body,
    exact: Truth,
    exact_text: String,
}

/// A placed body.
struct Body {
    shape: Shape,
    pose: Pose,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let path = find_file(options.data.as_deref())?;
    let bad_data = |problem: String| LabError::BadData { path: path.clone(), problem };
    let text = std::fs::read_to_string(&path).map_err(|error| bad_data(format!("cannot be read: {error}")))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| bad_data(format!("is not JSON: {error}")))?;
    let cases = document
        .get("cases")
        .and_then(Value::as_array)
        .ok_or_else(|| bad_data("has no array `cases`".into()))?
        .iter()
        .enumerate()
        .map(|(index, case)| load_case(index, case))
        .collect::<Result<Vec<Case>, LabError>>()?;
    Ok(report(cases))
}

/// Asks every case.
fn report(cases: Vec<Case>) -> Report {
    let count = cases.len();
    let overlapping = cases.iter().filter(|case| case.exact.sign() == Ordering::Less).count();
    let rows: Vec<Row> = cases.iter().progress().map(ask).collect();
    let widest = rows.iter().filter_map(|row| row.more.iter().find(|entry| entry.0 == "width_over_l")?.1.as_f64());
    let widest = widest.fold(0.0, f64::max);
    Report {
        experiment: EXPERIMENT.name,
        cases: count as u64,
        more: vec![
            ("apart", json!(count - overlapping)),
            ("overlapping", json!(overlapping)),
            ("pending", json!(0)),
            ("widest_over_l", json!(widest)),
        ],
        rows,
        goals: Vec::new(),
        markdown: None,
        plot: None,
        provenance: Provenance::here(1),
    }
}

/// Asks one case all its questions.
fn ask(case: &Case) -> Row {
    let Case { a: Body { shape: a, pose: pose_a }, b: Body { shape: b, pose: pose_b }, .. } = case;
    let pair = Pair { a, pose_a, b, pose_b };
    let Examined { answer, proof, intersects, mut faults, .. } = pair.examine(&case.exact);
    let (depth, depth_faults) = pair.examine_depth(&case.exact);
    faults.extend(depth_faults);
    // The signed gap: a distance, or minus a depth.
    let deep = depth.filter(|_| case.exact.sign() == Ordering::Less);
    let (value, lower, upper) = match deep {
        Some(depth) => (-depth.depth.value, -depth.depth.upper, -depth.depth.lower),
        None => (answer.gap.value, answer.gap.lower, answer.gap.upper),
    };
    let mut more = vec![
        ("exact", json!(case.exact_text)),
        ("lower", json!(lower)),
        ("upper", json!(upper)),
        ("width_over_l", json!((upper - lower) / pair.scale())),
        ("relation", json!(format!("{:?}", proof.relation))),
        ("intersects", json!(intersects)),
        ("pending", json!(false)),
    ];
    if !faults.is_empty() {
        more.push(("why", json!(faults)));
    }
    if let Err(refusal) = answer.verify(a, pose_a, b, pose_b) {
        more.push(("refusal", json!(refusal.to_string())));
    }
    if let Some(Err(refusal)) = depth.map(|depth| depth.verify(a, pose_a, b, pose_b)) {
        more.push(("refusal_of_depth", json!(refusal.to_string())));
    }
    let wrong = u64::from(!faults.is_empty());
    let answers = Digest::of(&(answer, proof, intersects, depth));
    Row { case: case.id.clone(), ours: value, unit: "length", peer: None, wrong, answers, more }
}

/// The file that `--data` means.
fn find_file(data: Option<&Path>) -> Result<PathBuf, LabError> {
    let missing = |path: Option<&Path>| LabError::MissingData {
        experiment: EXPERIMENT.name,
        path: path.map(Path::to_owned),
        wanted: WANTED,
    };
    let data = data.ok_or_else(|| missing(None))?;
    [data.to_owned(), data.join("hard_cases.json"), data.join("hard_cases/hard_cases.json")]
        .into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| missing(Some(data)))
}

/// Reads one case.
fn load_case(index: usize, case: &Value) -> Result<Case, LabError> {
    let id = case.get("id").and_then(Value::as_str).map_or_else(|| format!("number {index}"), str::to_owned);
    let bad = |(field, problem): (String, String)| LabError::BadCase { case: id.clone(), field, problem };
    let body = |name: &str| {
        let value = case.get(name).ok_or_else(|| bad((name.into(), "is missing".into())))?;
        load_body(value).map_err(|(field, problem)| bad((format!("{name}.{field}"), problem)))
    };
    let (a, b) = (body("a")?, body("b")?);
    let field = "exact_signed_distance";
    let exact_text = case.get(field).and_then(Value::as_str);
    let exact_text = exact_text.ok_or_else(|| bad((field.into(), "must be a string of decimal digits".into())))?;
    let exact = Truth::published(exact_text).map_err(|problem| bad((field.into(), problem)))?;
    let exact_text = exact_text.to_owned();
    Ok(Case { id, a, b, exact, exact_text })
}

/// A field at fault and what is wrong with it.
type Fault = (String, String);

/// Reads a body.
fn load_body(body: &Value) -> Result<Body, Fault> {
    let kind = body.get("type").and_then(Value::as_str).ok_or_else(|| fault("type", "must be a string"))?;
    let refused = |field: &str| {
        let field = field.to_owned();
        move |error: clearance::Error| (field, error.to_string())
    };
    let shape = match kind {
        "box" | "cuboid" => {
            let (field, factor) = if body.get("half_extents").is_some() {
                ("half_extents", 1.0)
            } else {
                ("full_extents", 0.5) // Exact: halving only changes the exponent.
            };
            let half_extents = DVec3::from(numbers(body, field)?) * factor;
            Shape::cuboid(half_extents).map_err(refused(field))?
        }
        "sphere" | "ball" => {
            let radius = body.get("radius").and_then(Value::as_f64);
            let radius = radius.ok_or_else(|| fault("radius", "must be a number"))?;
            Shape::sphere(radius).map_err(refused("radius"))?
        }
        "point" | "segment" | "polygon" | "convex" | "hull" | "hull_vertices_only" => {
            let points = points(body, "vertices")?;
            // Flat bodies are welcome whatever they are called.
            Shape::flat_hull(&points).map_err(refused("vertices"))?
        }
        other => return Err(("type".into(), format!("`{other}` is not a kind of body known here"))),
    };
    let rows: [[f64; 4]; 3] = array(body.get("pose_3x4").unwrap_or(&Value::Null), "pose_3x4")?;
    let pose = Pose::from_rows(rows).map_err(refused("pose_3x4"))?;
    Ok(Body { shape, pose })
}

/// A fault of a field.
fn fault(field: &str, problem: &str) -> Fault {
    (field.into(), problem.into())
}

/// The three numbers of a field.
fn numbers(body: &Value, field: &str) -> Result<[f64; 3], Fault> {
    let row: [[f64; 3]; 1] = array(&json!([body.get(field)]), field)?;
    Ok(row[0])
}

/// The points of a field.
fn points(body: &Value, field: &str) -> Result<Vec<[f64; 3]>, Fault> {
    let items = body.get(field).and_then(Value::as_array).ok_or_else(|| fault(field, "must be an array of points"))?;
    items.iter().map(|item| Ok(array::<3, 1>(&json!([item]), field)?[0])).collect()
}

/// A table of numbers with exactly so many rows and columns.
fn array<const COLUMNS: usize, const ROWS: usize>(value: &Value, field: &str) -> Result<[[f64; COLUMNS]; ROWS], Fault> {
    let wrong = || (field.to_owned(), format!("must be {ROWS} x {COLUMNS} numbers"));
    let rows = value.as_array().filter(|rows| rows.len() == ROWS).ok_or_else(wrong)?;
    let mut table = [[0.0; COLUMNS]; ROWS];
    for (row, target) in rows.iter().zip(&mut table) {
        let row = row.as_array().filter(|row| row.len() == COLUMNS).ok_or_else(wrong)?;
        for (number, target) in row.iter().zip(target) {
            *target = number.as_f64().ok_or_else(wrong)?;
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed_box(x: f64) -> Value {
        json!({"type": "box", "full_extents": [1, 1, 1], "pose_3x4": [[1, 0, 0, x], [0, 1, 0, 0.25], [0, 0, 1, 0]]})
    }

    fn case(a: Value, b: Value, exact: &str) -> Result<Case, LabError> {
        load_case(4, &json!({"id": "made", "a": a, "b": b, "exact_signed_distance": exact}))
    }

    #[test]
    fn boxes_one_apart_and_overlapping_are_right() {
        let cases = [("1", 2.0), ("-0.5", 0.5)].map(|(exact, x)| case(placed_box(0.0), placed_box(x), exact).unwrap());
        let report = report(cases.into());
        assert_eq!(report.wrong(), 0, "{:#}", report.to_json());
        assert!(report.rows.iter().all(|row| row.answers.count == 1));
        assert_ne!(report.rows[0].answers, report.rows[1].answers);
        let json = report.to_json();
        assert_eq!(json["summary"]["pending"], 0);
        assert_eq!(json["summary"]["overlapping"], 1);
        assert!((json["rows"][1]["ours"].as_f64().unwrap() + 0.5).abs() < 1e-12);
        assert_eq!(json["summary"]["cases"], 2);
    }

    #[test]
    fn a_wrong_exact_distance_is_noticed() {
        for (exact, x) in [("1.00000000001", 2.0), ("-1", 2.0), ("0.5", 0.5), ("0", 2.0), ("-0.500001", 0.5)] {
            let report = report(vec![case(placed_box(0.0), placed_box(x), exact).unwrap()]);
            assert_eq!(report.wrong(), 1, "{exact}");
        }
    }

    #[test]
    fn the_whole_family_of_bodies_is_read() {
        let pose = json!([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]);
        let corners = json!([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        for body in [
            json!({"type": "box", "half_extents": [1, 2, 3], "pose_3x4": pose}),
            json!({"type": "sphere", "radius": 0.5, "pose_3x4": pose}),
            json!({"type": "convex", "vertices": corners, "faces": [], "pose_3x4": pose}),
            json!({"type": "hull_vertices_only", "vertices": corners, "pose_3x4": pose}),
            json!({"type": "point", "vertices": [[1, 2, 3]], "pose_3x4": pose}),
        ] {
            load_body(&body).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_loaded_is_named() {
        let good = placed_box(0.0);
        let mut skewed = good.clone();
        skewed["pose_3x4"][0][0] = json!(2);
        let mut flat = good.clone();
        flat["full_extents"] = json!([1, 1]);
        for (body, field) in [
            (json!({"type": "torus"}), "b.type"),
            (json!({"type": "box"}), "b.full_extents"),
            (json!({"type": "sphere", "radius": "1"}), "b.radius"),
            (json!({"type": "convex", "vertices": [[1, 2]]}), "b.vertices"),
            (skewed, "b.pose_3x4"),
            (flat, "b.full_extents"),
        ] {
            let error = case(good.clone(), body, "1").err().unwrap().to_string();
            assert!(error.contains("`made`") && error.contains(&format!("`{field}`")), "{error}");
        }
        let error = case(good.clone(), good, "about one").err().unwrap().to_string();
        assert!(error.contains("exact_signed_distance"), "{error}");
        assert!(load_case(4, &json!({})).err().unwrap().to_string().contains("number 4"));
    }

    #[test]
    fn missing_data_says_what_to_do() {
        let without = run(&Options::default()).unwrap_err().to_string();
        assert!(without.contains("--data"), "{without}");
        let data = Some(PathBuf::from("no/such/place"));
        let wrong = run(&Options { data, ..Options::default() }).unwrap_err().to_string();
        assert!(wrong.contains("no/such/place") && wrong.contains("--data"), "{wrong}");
    }
}
