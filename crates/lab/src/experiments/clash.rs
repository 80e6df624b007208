//! Assemblies with known clashes: which parts meet and which are within a clearance, as `clearance check` finds them,
//! against exact answers; and the time that takes, against FCL.
//!
//! A folder has `X.obj` or `X.glb` with `X_clash_expected.json` beside it: `clearance`, and `pairs` with the names of
//! the parts, whether their triangles meet, by rational arithmetic, and how far apart they are. All other pairs are
//! farther apart. The answers concern surfaces, so parts are surfaces here.
//!
//! Two rows for each assembly, on one thread, trees built before: `pairs`, who meets and who is near; and `report`, all
//! that `clearance check` says: kinds, depths, places, loops. FCL is asked, for each pair that is known to meet or to
//! be near, whether it meets, and for those that do not, the distance. Its time is the sum over the pairs; it is not
//! charged for finding them, nor for any other pair.
//!
//! Assemblies without stored answers: `clash_real.rs`. Local depths of small solids against brute force:
//! `clash_depth.rs`.

use super::{Experiment, Flag, Options, clash_depth, clash_real};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::meshes::Model as Lists;
use crate::peers::question::{Found, Query, Question};
use crate::peers::{HOW_TO_ENABLE, fcl};
use crate::report::{Peer, Provenance, Report, Row, rounded};
use clearance::Pose;
use clearance_check::{How, Limits, LoadOptions, Model, Rules, Solid, check, near_misses};
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "clash",
    about: "assemblies with known clashes: pairs that meet or are too close, against exact answers and FCL's time",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// What `--data` has to point to.
const WANTED: &str =
    "a folder with assemblies, X.obj or X.glb, and X_clash_expected.json beside those whose answers are known";

/// What is known of an assembly.
#[derive(Deserialize)]
struct Expected {
    clearance: f64,
    columns: Vec<String>,
    pairs: Vec<Vec<serde_json::Value>>,
}

/// How two parts lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    Meet,
    Near,
}

/// A pair of names, in order.
type Names = (String, String);

fn names(a: &str, b: &str) -> Names {
    (a.min(b).to_owned(), a.max(b).to_owned())
}

/// An assembly with its answers.
struct Case {
    name: String,
    path: PathBuf,
    clearance: f64,
    expected: BTreeMap<Names, Lie>,
    /// Pairs whose distance is that of the clearance as far as the file says: either answer is right.
    open: Vec<Names>,
}

/// How near to the clearance a distance in the file decides nothing: its digits end there.
const DIGITS: f64 = 1e-9;

impl Case {
    fn read(path: &Path, answers: &Path) -> Result<Case, LabError> {
        let bad = |problem: String| LabError::BadData { path: answers.to_owned(), problem };
        let text = std::fs::read_to_string(answers).map_err(|error| bad(error.to_string()))?;
        let known: Expected = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        let column = |name: &str| {
            let found = known.columns.iter().position(|column| column == name);
            found.ok_or_else(|| bad(format!("there is no column `{name}`")))
        };
        let exact = column("exact_rational_intersects")?;
        let distances = known.columns.iter().position(|column| column.ends_with("distance"));
        let (mut expected, mut open) = (BTreeMap::new(), Vec::new());
        for (number, pair) in known.pairs.iter().enumerate() {
            let (Some(a), Some(b), Some(meet)) = (
                pair.first().and_then(|v| v.as_str()),
                pair.get(1).and_then(|v| v.as_str()),
                pair.get(exact).and_then(|v| v.as_bool()),
            ) else {
                return Err(bad(format!("pair {number} has no two names and an answer")));
            };
            let pair_of_names = names(a, b);
            let distance = distances.and_then(|column| pair.get(column)?.as_f64());
            if distance.is_some_and(|distance| !meet && (distance - known.clearance).abs() < DIGITS) {
                open.push(pair_of_names.clone());
            }
            expected.insert(pair_of_names, if meet { Lie::Meet } else { Lie::Near });
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Case { name, path: path.to_owned(), clearance: known.clearance, expected, open })
    }

    /// How many pairs are missing, extra or of the wrong kind.
    fn wrong(&self, found: impl Iterator<Item = (Names, Lie)>) -> u64 {
        let found: BTreeMap<Names, Lie> = found.collect();
        let all: BTreeSet<&Names> = self.expected.keys().chain(found.keys()).collect();
        let is_open = |names: &Names| self.open.contains(names) && found.get(names) != Some(&Lie::Meet);
        all.into_iter().filter(|names| self.expected.get(names) != found.get(names) && !is_open(names)).count() as u64
    }
}

/// The assemblies of a folder, in the order of their names.
fn cases(folder: &Path) -> Result<Vec<Case>, LabError> {
    let bad = |problem: std::io::Error| LabError::BadData { path: folder.to_owned(), problem: problem.to_string() };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(bad)? {
        let answers = entry.map_err(bad)?.path();
        let name = answers.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix("_clash_expected.json") else { continue };
        let files = ["obj", "glb"].map(|ending| folder.join(format!("{stem}.{ending}")));
        if let Some(path) = files.into_iter().find(|path| path.is_file()) {
            found.push(Case::read(&path, &answers)?);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// What FCL takes, in nanoseconds: the sum of the medians and of the least times over all pairs.
struct Theirs {
    median: f64,
    least: f64,
    /// Pairs that it says meet and do not, or the other way round.
    off: u64,
}

/// Asks FCL about every pair that is known to meet or to be near.
fn ask_fcl(case: &Case) -> Result<Theirs, String> {
    let assembly = clearance_files::read(&case.path).map_err(|error| error.to_string())?;
    let lists: Vec<Lists> = (assembly.parts.iter())
        .map(|part| {
            let geometry = &assembly.geometries[part.geometry];
            let points = geometry.points.iter().map(|&p| part.pose.transform_point(p.into()).to_array()).collect();
            Lists { name: part.name.clone(), points, triangles: geometry.triangles.clone() }
        })
        .collect();
    let numbers: BTreeMap<&str, usize> = lists.iter().map(|part| part.name.as_str()).zip(0..).collect();
    let number = |name: &str| numbers.get(name).copied().ok_or_else(|| format!("there is no part `{name}`"));
    let mut asked: Vec<(Query, Lie)> = Vec::new();
    for ((a, b), lie) in &case.expected {
        let models = [number(a)?, number(b)?];
        let query = |question| Query { models, poses: [Pose::IDENTITY; 2], question };
        asked.push((query(Question::FirstContact), *lie));
        if *lie == Lie::Near {
            asked.push((query(Question::Distance), *lie));
        }
    }
    let models: Vec<&Lists> = lists.iter().collect();
    let queries: Vec<Query> = asked.iter().map(|(query, _)| query.clone()).collect();
    let run = fcl::run(&models, &queries)?;
    let off = asked.iter().zip(&run.answers).filter(|((_, lie), answer)| match answer.found {
        Found::Meets(meets) => meets != (*lie == Lie::Meet),
        _ => false,
    });
    Ok(Theirs {
        median: run.answers.iter().map(|answer| answer.nanoseconds).sum(),
        least: run.answers.iter().map(|answer| answer.least).sum(),
        off: off.count() as u64,
    })
}

/// The rows of an assembly.
fn rows(case: &Case, repeats: usize) -> Result<Vec<Row>, LabError> {
    let bad = |problem: String| LabError::BadData { path: case.path.clone(), problem };
    let options = LoadOptions { solid: Solid::No, ..LoadOptions::default() };
    let (model, load) = timed(|| Model::load(std::slice::from_ref(&case.path), &options));
    let model = model.map_err(|error| bad(error.to_string()))?;
    let rules = Rules::new(Limits { clearance: case.clearance, touch: Some(0.0), ..Limits::default() });
    let theirs = match cfg!(feature = "peers") {
        true => ask_fcl(case).map_err(|problem| eprintln!("lab: no {}: {problem}", fcl::NAME)).ok(),
        false => None,
    };
    let peer = |times: &[f64], ours: f64| {
        theirs.as_ref().map(|theirs| Peer {
            name: fcl::NAME,
            theirs: rounded(theirs.median / 1e6, 3),
            ratio: rounded(theirs.median / 1e9 / ours, 2),
            worst_ratio: rounded(theirs.least / 1e9 / times.iter().copied().fold(0.0, f64::max), 2),
        })
    };
    let (mut short, mut long) = (Vec::new(), Vec::new());
    let (mut wrong_short, mut wrong_long) = (0, 0);
    let mut answers = [Digest::default(); 2];
    for _ in 0..repeats {
        let (near, seconds) = timed(|| near_misses(&model, &rules));
        let near = near.map_err(|error| bad(error.to_string()))?;
        short.push(seconds);
        let lie = |gap: f64| if gap == 0.0 { Lie::Meet } else { Lie::Near };
        wrong_short = case.wrong(near.iter().map(|pair| (names(pair.a, pair.b), lie(pair.gap)))).max(wrong_short);
        let (report, seconds) = timed(|| check(&model, &rules, None, &|_, _| {}));
        let report = report.map_err(|error| bad(error.to_string()))?;
        long.push(seconds);
        let lie = |how: How| if how == How::Apart { Lie::Near } else { Lie::Meet };
        answers = [Digest::of_all(&near), Digest::of(&report)];
        wrong_long = case.wrong(report.findings.iter().map(|f| (names(&f.a, &f.b), lie(f.how)))).max(wrong_long);
    }
    let count = |lie: Lie| case.expected.values().filter(|of| **of == lie).count();
    let row = |what: &str, times: &[f64], wrong: u64, answers: Digest| {
        let ours = median(times.to_vec());
        let mut more = vec![
            ("parts", json!(model.parts().len())),
            ("meet", json!(count(Lie::Meet))),
            ("near", json!(count(Lie::Near))),
            ("load_ms", json!(rounded(1e3 * load, 2))),
        ];
        if let Some(theirs) = &theirs {
            more.push(("peer_off", json!(theirs.off)));
        }
        Row {
            case: format!("{} {what}", case.name),
            ours: rounded(1e3 * ours, 3),
            unit: "ms",
            peer: peer(times, ours),
            wrong,
            answers,
            more,
        }
    };
    Ok(vec![row("pairs", &short, wrong_short, answers[0]), row("report", &long, wrong_long, answers[1])])
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let missing = || LabError::MissingData { experiment: EXPERIMENT.name, path: options.data.clone(), wanted: WANTED };
    let folder = options.data.as_deref().filter(|path| path.is_dir()).ok_or_else(missing)?;
    let (cases, unknown) = (cases(folder)?, clash_real::files(folder)?);
    if cases.is_empty() && unknown.is_empty() {
        return Err(missing());
    }
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| LabError::BadCall(error.to_string()))?;
    let repeats = if options.quick { 1 } else { 7 };
    let pairs: usize = cases.iter().map(|case| case.expected.len()).sum();
    let (mut found, mut goals, mut asked) = (Vec::new(), Vec::new(), 2 * pairs as u64);
    for case in &cases {
        found.extend(pool.install(|| rows(case, repeats))?);
    }
    for path in &unknown {
        let (rows, aims, cases) = pool.install(|| clash_real::rows(path, options))?;
        found.extend(rows);
        goals.extend(aims);
        asked += cases;
    }
    let depths = pool.install(|| clash_depth::row(options))?;
    asked += depths.answers.count;
    found.push(depths);
    Ok(Report {
        experiment: EXPERIMENT.name,
        rows: found,
        cases: asked,
        more: vec![("assemblies", json!(cases.len() + unknown.len()))],
        goals,
        markdown: None,
        plot: None,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three sheets: two cross, one is near; answers that are right, or say that they are apart.
    fn report(name: &str, meet: bool) -> Report {
        let folder = std::env::temp_dir().join(format!("clearance-clash-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "o a\nv 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n\
             o b\nv 1 1 -1\nv 1 1 1\nv 2 1 1\nf 4 5 6\n\
             o c\nv 9 0 0\nv 4.5 0 0\nv 9 4 0\nf 7 8 9\n";
        std::fs::write(folder.join("sheets.obj"), text).unwrap();
        let known = json!({
            "clearance": 0.75, "columns": ["part_a", "part_b", "some_distance", "exact_rational_intersects"],
            "pairs": [["b", "a", 0.0, meet], ["a", "c", 0.5, false]]
        });
        std::fs::write(folder.join("sheets_clash_expected.json"), known.to_string()).unwrap();
        let report = run(&Options { data: Some(folder.clone()), quick: true, seed: 1 });
        std::fs::remove_dir_all(&folder).unwrap();
        report.unwrap()
    }

    #[test]
    fn answers_are_compared() {
        let right = report("right", true);
        crate::experiments::assert_answers(&right);
        assert_eq!((right.wrong(), right.cases), (0, 28), "{}", right.to_text());
        // One pair, in either row.
        assert_eq!(report("wrong", false).wrong(), 2);
    }
}
