//! The depth of solids on the four scenes of Kim, Otaduy, Lin and Manocha (2002), beside the published figures: depth
//! and culled pairs per level, time of the first way out and of the whole bracket; and what the levels save, on the
//! smallest scene.
//!
//! An answer is wrong if `verify` refuses it (the way out by all triangles after the translation, the lower bound by
//! its proof), if a finer level has a longer way out than a coarser one, or if the bracket does not hold the depth that
//! the scene is built to have.

use super::{Experiment, Flag, Options};
use crate::depth_scenes::{Scene, scenes};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::timed;
use crate::report::{Provenance, Report, Row, markdown_table, rounded};
use clearance::Pose;
use clearance::Workspace;
use clearance::answer::SolidDepth;
use clearance::query::solid_depth_with;
use clearance::query::{DepthSearch, SolidDepthOptions};
use serde_json::{Value, json};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "depth-table",
    about: "depth of solids on the four scenes of Kim et al. (2002), level by level beside the published figures",
    flags: &[Flag::Quick],
    run,
};

fn ask(scene: &Scene, options: &SolidDepthOptions) -> Result<SolidDepth, LabError> {
    solid_depth_with(&scene.a, &Pose::IDENTITY, &scene.b, &scene.pose_b, options, &mut Workspace::default(), |_, _| {
        true
    })
    .map_err(LabError::from)
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let mut rows = Vec::new();
    let repeats = if options.quick { 1 } else { 5 };
    for scene in scenes()? {
        for search in [DepthSearch::Directions, DepthSearch::Levels] {
            rows.push(row(&scene, search, repeats)?);
        }
    }
    if let Some(letters) = scenes()?.into_iter().find(|scene| scene.name == "letters") {
        rows.push(row(&letters, DepthSearch::AllPieces, repeats)?);
    }
    let cases = rows.len() as u64;
    let markdown = Some(markdown(&rows));
    Ok(Report {
        experiment: EXPERIMENT.name,
        rows,
        cases,
        more: Vec::new(),
        goals: Vec::new(),
        markdown,
        plot: None,
        provenance: Provenance::here(1),
    })
}

/// The table for people: levels in one cell.
fn markdown(rows: &[Row]) -> String {
    let columns = [
        "scene, search",
        "depth",
        "lower",
        "first way out, ms",
        "bracket, ms",
        "paper, s",
        "level: culled %, depth",
        "in the paper",
    ];
    let levels = |value: &Value| {
        let level = |level: &Value| {
            let depth = level["depth"].as_f64().unwrap_or(0.0);
            format!("{}: {}, {}", level["level"], level["culled"], rounded(depth, 4))
        };
        let all: Vec<String> = value.as_array().into_iter().flatten().map(level).collect();
        all.join("; ")
    };
    let cells: Vec<Vec<String>> = (rows.iter())
        .map(|row| {
            let more =
                |key: &str| row.more.iter().find(|entry| entry.0 == key).map_or(Value::Null, |entry| entry.1.clone());
            let number = |key: &str, digits: i32| rounded(more(key).as_f64().unwrap_or(0.0), digits).to_string();
            vec![
                row.case.clone(),
                number("depth", 5),
                number("lower", 5),
                number("upper_ms", 1),
                rounded(row.ours, 1).to_string(),
                number("published_seconds", 1),
                levels(&more("levels")),
                levels(&more("published")),
            ]
        })
        .collect();
    markdown_table(&columns.map(String::from), &[false, true, true, true, true, true, false, false], &cells)
}

fn row(scene: &Scene, search: DepthSearch, repeats: usize) -> Result<Row, LabError> {
    let all = SolidDepthOptions { search, ..SolidDepthOptions::default() };
    // Without any work for the lower bound the first way out is all that is computed.
    let first = SolidDepthOptions { work: 0, ..all };
    // What is made once and kept: pieces and hulls.
    let (_, prepared) = timed(|| ask(scene, &first));
    let mut firsts = Vec::new();
    let mut wholes = Vec::new();
    for _ in 0..repeats {
        firsts.push(timed(|| ask(scene, &first)).1);
        wholes.push(timed(|| ask(scene, &all)).1);
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let (upper_seconds, seconds) = (median(&mut firsts), median(&mut wholes));
    let (early, found) = (ask(scene, &first)?, ask(scene, &all)?);
    let depth = found.penetration;
    let is_proved = |answer: &SolidDepth| answer.verify(&scene.a, &Pose::IDENTITY, &scene.b, &scene.pose_b).is_ok();
    let verified = is_proved(&found) && is_proved(&early);
    let monotone = found.levels.windows(2).all(|two| two[1].depth <= two[0].depth);
    let holds =
        scene.known.is_none_or(|(known, off)| depth.depth.lower <= known + off && known - off <= depth.depth.upper);
    let levels: Vec<_> = (found.levels.iter())
        .map(|level| {
            let culled = 100.0 * (1.0 - level.kept as f64 / level.pairs.max(1) as f64);
            json!({ "level": level.level, "pairs": level.pairs, "culled": rounded(culled, 1), "depth": level.depth })
        })
        .collect();
    let published: Vec<_> = (scene.published.iter())
        .map(|&(level, culled, depth)| json!({ "level": level, "culled": culled, "depth": depth }))
        .collect();
    let name = match search {
        DepthSearch::Directions => "directions",
        DepthSearch::Levels => "levels",
        _ => "all pieces",
    };
    Ok(Row {
        case: format!("{}, {name}", scene.name),
        ours: rounded(1e3 * seconds, 2),
        unit: "ms",
        peer: None,
        wrong: u64::from(!verified) + u64::from(!monotone) + u64::from(!holds),
        answers: Digest::of(&(&early, &found)),
        more: vec![
            ("depth", json!(depth.depth.upper)),
            ("lower", json!(depth.depth.lower)),
            ("width_percent", json!(rounded(100.0 * (1.0 - depth.depth.lower / depth.depth.upper), 2))),
            ("seconds", json!(rounded(seconds, 5))),
            ("upper_ms", json!(rounded(1e3 * upper_seconds, 2))),
            ("first_depth", json!(early.penetration.depth.upper)),
            ("prepare_ms", json!(rounded(1e3 * prepared, 2))),
            ("verified", json!(verified)),
            ("interrupted", json!(found.interrupted)),
            ("cubes", json!(found.proof.cubes.len())),
            ("work", json!(found.work)),
            ("published_seconds", json!(scene.published_seconds)),
            ("levels", json!(levels)),
            ("published", json!(published)),
        ],
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_quick_run_has_rows_of_all_scenes() {
        let report = super::super::quick(super::run);
        assert_eq!(report.rows.len(), 9);
    }
}
