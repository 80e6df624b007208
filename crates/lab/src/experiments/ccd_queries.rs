//! Single queries of continuous collision detection with known answers, by every solver.
//!
//! The format is that of the sample queries of Wang et al., "A Large-Scale Benchmark and an Inclusion-Based Algorithm
//! for Continuous Collision Detection" (2021): folders `vertex-face` and `edge-edge` with CSV files, eight rows to a
//! query (four corners at time 0, then at time 1), each with three rationals as numerator and denominator, and the
//! truth, 0 or 1, found in exact arithmetic. The rationals are those of doubles; a query with a number that is none is
//! left out and counted (`not_doubles`), since the nearest doubles are another query, with perhaps another answer.
//!
//! Tight-Inclusion, the method of that paper, is asked through the IPC Toolkit, with the tolerance and the limit of our
//! inclusion solver, and not asked to keep a distance (`conservative_rescaling` 1). The row compares what both take for
//! touching that does not.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure;
use crate::peers::ipctk::Ipctk;
use crate::report::{Peer, Provenance, Report, Row};
use clearance::glam::DVec3;
use clearance::query::elementary_impact_with;
use clearance::query::{ElementaryKind, ElementaryOptions, ElementaryPair, ElementarySolver, elementary_impact_batch};
use clearance_oracle::Rational;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ccd-queries",
    about: "single queries on moving features with exact answers: errors and times of every solver; against Tight-Inclusion",
    flags: &[Flag::Data, Flag::Quick],
    run,
};

/// What `--data` has to point to.
const WANTED: &str = "a folder with folders `vertex-face` or `edge-edge` of CSV files somewhere in it";

/// The solvers in the order of the rows, with how often each query is timed and the most seconds for a row.
const SOLVERS: [(ElementarySolver, &str, usize, f64); 4] = [
    (ElementarySolver::Exact, "exact", 9, 60.0),
    (ElementarySolver::Inclusion, "inclusion", 1, 60.0),
    (ElementarySolver::Cubic, "cubic", 9, 60.0),
    (ElementarySolver::Bisection, "bisection", 1, 60.0),
];

/// The queries of one folder.
struct Folder {
    name: String,
    pairs: Vec<ElementaryPair>,
    truths: Vec<bool>,
    /// Queries with a number that is not a double.
    left_out: u64,
}

/// What one solver made of a folder.
#[derive(Clone, Debug, Default)]
struct Outcome {
    false_negatives: u64,
    false_positives: u64,
    refused: u64,
    /// Nanoseconds per query.
    times: Vec<f64>,
    by_integers: u64,
    filtered: u64,
    answers: Digest,
}

impl Outcome {
    fn merge(&mut self, other: &Outcome) {
        self.false_negatives += other.false_negatives;
        self.false_positives += other.false_positives;
        self.refused += other.refused;
        self.times.extend(&other.times);
        self.by_integers += other.by_integers;
        self.filtered += other.filtered;
        self.answers.add(other.answers);
    }

    /// Mean, median and greatest time in microseconds.
    fn times(&self) -> [f64; 3] {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        let count = times.len().max(1) as f64;
        let middle = times.get(times.len() / 2).copied().unwrap_or(0.0);
        [times.iter().sum::<f64>() / count, middle, times.last().copied().unwrap_or(0.0)].map(|time| 1e-3 * time)
    }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let missing = |path: Option<&Path>| LabError::MissingData {
        experiment: EXPERIMENT.name,
        path: path.map(Path::to_owned),
        wanted: WANTED,
    };
    let data = options.data.as_deref().ok_or_else(|| missing(None))?;
    let mut folders = Vec::new();
    find(data, &mut folders);
    folders.sort_by(|one, other| one.0.cmp(&other.0));
    if folders.is_empty() {
        return Err(missing(Some(data)));
    }
    let mut loaded = Vec::new();
    for (path, kind) in folders {
        loaded.push(load(data, &path, kind, options.quick)?);
    }
    let mut peer = Ipctk::start(1);
    if let Err(problem) = &peer {
        eprintln!("lab: no ipctk: {problem}");
    }
    Ok(report(&loaded, &mut peer))
}

fn report(folders: &[Folder], peer: &mut Result<Ipctk, String>) -> Report {
    let mut rows = Vec::new();
    let mut totals = vec![Outcome::default(); SOLVERS.len()];
    let mut inclusion = Vec::new();
    for folder in folders {
        for ((solver, name, repeats, seconds), total) in SOLVERS.iter().zip(&mut totals) {
            eprintln!("lab: {} {name}", folder.name);
            let outcome = ask(folder, *solver, *repeats, *seconds);
            rows.push(row(&folder.name, name, *solver, folder, &outcome));
            total.merge(&outcome);
            if *solver == ElementarySolver::Inclusion {
                inclusion.push(outcome);
            }
        }
    }
    rows.extend(against_tight_inclusion(folders, &inclusion, peer));
    let queries: usize = folders.iter().map(|folder| folder.pairs.len()).sum();
    let mut more = vec![
        ("contacts", json!(folders.iter().flat_map(|folder| &folder.truths).filter(|truth| **truth).count())),
        ("not_doubles", json!(folders.iter().map(|folder| folder.left_out).sum::<u64>())),
    ];
    let keys = [
        ["exact_false_negatives", "exact_false_positives", "exact_mean_us", "exact_median_us", "exact_max_us"],
        [
            "inclusion_false_negatives",
            "inclusion_false_positives",
            "inclusion_mean_us",
            "inclusion_median_us",
            "inclusion_max_us",
        ],
        ["cubic_false_negatives", "cubic_false_positives", "cubic_mean_us", "cubic_median_us", "cubic_max_us"],
        [
            "bisection_false_negatives",
            "bisection_false_positives",
            "bisection_mean_us",
            "bisection_median_us",
            "bisection_max_us",
        ],
    ];
    for (keys, total) in keys.into_iter().zip(&totals) {
        let [mean, median, most] = total.times();
        let values =
            [json!(total.false_negatives), json!(total.false_positives), json!(mean), json!(median), json!(most)];
        more.extend(keys.into_iter().zip(values));
    }
    more.push(("by_integers", json!(totals[0].by_integers as f64 / queries.max(1) as f64)));
    Report {
        experiment: EXPERIMENT.name,
        rows,
        cases: queries as u64,
        more,
        goals: Vec::new(),
        markdown: None,
        plot: None,
        provenance: Provenance::here(1),
    }
}

/// Our inclusion solver beside Tight-Inclusion at the same tolerance: a row for each folder, and one for all.
fn against_tight_inclusion(folders: &[Folder], ours: &[Outcome], peer: &mut Result<Ipctk, String>) -> Vec<Row> {
    let ElementaryOptions { tolerance, most_boxes, .. } = ElementaryOptions::default();
    let mut rows = Vec::new();
    let (mut all_ours, mut all_theirs) = (Outcome::default(), Ok((Outcome::default(), 0.0)));
    for (folder, ours) in folders.iter().zip(ours) {
        eprintln!("lab: {} tight inclusion", folder.name);
        let found = match peer {
            Ok(peer) => peer.queries(&folder.pairs, tolerance, most_boxes),
            Err(problem) => Err(problem.clone()),
        };
        let theirs = found.map(|found| {
            let mut outcome = Outcome { times: found.times, ..Outcome::default() };
            for (touches, truth) in found.touches.iter().zip(&folder.truths) {
                outcome.false_negatives += u64::from(*truth && !touches);
                outcome.false_positives += u64::from(!*truth && *touches);
            }
            (outcome, found.seconds[1])
        });
        all_ours.merge(ours);
        match (&mut all_theirs, &theirs) {
            (Ok((all, empty)), Ok((outcome, calls))) => {
                all.merge(outcome);
                *empty += calls;
            }
            (Ok(_), Err(problem)) => all_theirs = Err(problem.clone()),
            (Err(_), _) => {}
        }
        rows.push(beside_tight_inclusion(&folder.name, ours, theirs));
    }
    rows.push(beside_tight_inclusion("all", &all_ours, all_theirs));
    rows
}

/// A row: false positives of both, and the times of each. Of the peer the outcome, and seconds for as many empty calls.
fn beside_tight_inclusion(folder_name: &str, ours: &Outcome, theirs: Result<(Outcome, f64), String>) -> Row {
    let [mean, median, most] = ours.times();
    let mut more = vec![
        ("tolerance", json!(ElementaryOptions::default().tolerance)),
        ("false_negatives", json!(ours.false_negatives)),
        ("false_positives", json!(ours.false_positives)),
        ("mean", json!(mean)),
        ("median", json!(median)),
        ("max", json!(most)),
    ];
    let peer = match theirs {
        Ok((theirs, empty)) => {
            let [mean, median, most] = theirs.times();
            more.extend([
                ("their_false_negatives", json!(theirs.false_negatives)),
                ("their_mean", json!(mean)),
                ("their_median", json!(median)),
                ("their_max", json!(most)),
                ("their_empty_call", json!(1e6 * empty / theirs.times.len().max(1) as f64)),
            ]);
            let ratio = theirs.false_positives as f64 / (ours.false_positives as f64).max(1.0);
            let name = "ipctk 1.6.1, tight inclusion";
            Some(Peer { name, theirs: theirs.false_positives as f64, ratio, worst_ratio: ratio })
        }
        Err(problem) => {
            more.push(("peer_absent", json!(problem)));
            None
        }
    };
    Row {
        case: format!("{folder_name} inclusion, false positives"),
        ours: ours.false_positives as f64,
        unit: "queries",
        peer,
        // What the solvers got wrong counts in their rows.
        wrong: 0,
        answers: ours.answers,
        more,
    }
}

/// Asks every query of a folder, checks the answers, then times each.
fn ask(folder: &Folder, solver: ElementarySolver, repeats: usize, seconds: f64) -> Outcome {
    let options = ElementaryOptions { solver, ..Default::default() };
    let (impacts, counts) = elementary_impact_batch(&folder.pairs, &options);
    let found: Vec<_> = impacts.iter().map(|impact| impact.ok()).collect();
    let mut outcome = Outcome { answers: Digest::of_all(&found), ..Outcome::default() };
    for ((impact, pair), truth) in impacts.iter().zip(&folder.pairs).zip(&folder.truths) {
        outcome.false_negatives += u64::from(*truth && impact.is_err());
        outcome.false_positives += u64::from(!*truth && impact.is_ok());
        if solver == ElementarySolver::Exact {
            let proved = impact.map_or_else(|none| none.verify(pair), |impact| impact.verify(pair));
            let refused = proved.is_err();
            outcome.refused += u64::from(refused || *impact != elementary_impact_with(pair, &options));
        }
    }
    (outcome.by_integers, outcome.filtered) = (counts.exact, counts.filtered);
    let costs = measure::each(folder.pairs.len(), repeats, seconds, |number| {
        let _ = std::hint::black_box(elementary_impact_with(&folder.pairs[number], &options));
    });
    outcome.times = costs.into_iter().flatten().map(|cost| cost.median).collect();
    outcome
}

fn row(folder_name: &str, solver_name: &str, solver: ElementarySolver, folder: &Folder, outcome: &Outcome) -> Row {
    let [mean, median, most] = outcome.times();
    let exact = solver == ElementarySolver::Exact;
    let mut more = vec![
        ("solver", json!(solver_name)),
        ("queries", json!(folder.pairs.len())),
        ("contacts", json!(folder.truths.iter().filter(|truth| **truth).count())),
        ("false_negatives", json!(outcome.false_negatives)),
        ("false_positives", json!(outcome.false_positives)),
        ("mean", json!(mean)),
        ("max", json!(most)),
        ("timed", json!(outcome.times.len())),
        ("not_doubles", json!(folder.left_out)),
    ];
    if exact {
        let share = |count: u64| json!(count as f64 / folder.pairs.len().max(1) as f64);
        more.push(("filtered", share(outcome.filtered)));
        more.push(("by_integers", share(outcome.by_integers)));
        more.push(("refused", json!(outcome.refused)));
    }
    let wrong = match solver {
        ElementarySolver::Exact => outcome.false_negatives + outcome.false_positives + outcome.refused,
        // It may invent a contact; it promises not to miss one.
        ElementarySolver::Inclusion => outcome.false_negatives,
        ElementarySolver::Cubic | ElementarySolver::Bisection => 0,
    };
    let case = format!("{folder_name} {solver_name}");
    Row { case, ours: median, unit: "us", peer: None, wrong, answers: outcome.answers, more }
}

/// The folders of the format under `path`, itself included.
fn find(path: &Path, found: &mut Vec<(PathBuf, ElementaryKind)>) {
    let kind = match path.file_name().and_then(|name| name.to_str()) {
        Some("vertex-face") => Some(ElementaryKind::VertexFace),
        Some("edge-edge") => Some(ElementaryKind::EdgeEdge),
        _ => None,
    };
    if let Some(kind) = kind.filter(|_| !tables(path).is_empty()) {
        found.push((path.to_owned(), kind));
        return;
    }
    let Ok(entries) = std::fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find(&entry.path(), found);
        }
    }
}

/// The CSV files of a folder, by name.
fn tables(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut tables: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "csv")).collect();
    tables.sort();
    tables
}

/// Reads a folder; every tenth query of a quick run.
fn load(data: &Path, path: &Path, kind: ElementaryKind, quick: bool) -> Result<Folder, LabError> {
    let name = path.strip_prefix(data).ok().filter(|name| name.components().next().is_some()).unwrap_or(path);
    let mut folder = Folder { name: name.display().to_string(), pairs: Vec::new(), truths: Vec::new(), left_out: 0 };
    for table in tables(path) {
        let bad = |line: usize, problem: &str| LabError::BadData {
            path: table.clone(),
            problem: format!("line {}: {problem}", line + 1),
        };
        let text = std::fs::read_to_string(&table).map_err(|error| bad(0, &format!("cannot be read: {error}")))?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if !lines.len().is_multiple_of(8) {
            return Err(bad(lines.len(), "a query has eight rows; the last one has fewer"));
        }
        for (query, rows) in lines.chunks_exact(8).enumerate().filter(|(query, _)| !quick || query.is_multiple_of(10)) {
            let (mut corners, mut truths, mut doubles) = ([DVec3::ZERO; 8], [false; 8], true);
            for (k, line) in rows.iter().enumerate() {
                let place = 8 * query + k;
                let (corner, truth) = parse(line).map_err(|problem| bad(place, problem))?;
                truths[k] = truth;
                match corner {
                    Some(corner) => corners[k] = corner,
                    None => doubles = false,
                }
            }
            if truths.iter().any(|truth| *truth != truths[0]) {
                return Err(bad(8 * query, "the eight rows of a query disagree about the truth"));
            }
            if !doubles {
                folder.left_out += 1;
                continue;
            }
            let [a, b, c, d, e, f, g, h] = corners;
            let pair = ElementaryPair::new(kind, [a, b, c, d], [e, f, g, h])
                .map_err(|error| bad(8 * query, &error.to_string()))?;
            folder.pairs.push(pair);
            folder.truths.push(truths[0]);
        }
    }
    Ok(folder)
}

/// A row: the corner, if its coordinates are doubles, and the truth.
fn parse(line: &str) -> Result<(Option<DVec3>, bool), &'static str> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let [a, b, c, d, e, f, truth] = cells[..] else { return Err("has not seven columns") };
    let truth = match truth {
        "0" => false,
        "1" => true,
        _ => return Err("the last column is neither 0 nor 1"),
    };
    let mut corner = [Some(0.0); 3];
    for (into, [numerator, denominator]) in corner.iter_mut().zip([[a, b], [c, d], [e, f]]) {
        *into = rational(numerator, denominator)?;
    }
    let [x, y, z] = corner;
    Ok((x.zip(y).zip(z).map(|((x, y), z)| DVec3::new(x, y, z)), truth))
}

/// The double that a quotient of integers is; `None` if it is none.
fn rational(numerator: &str, denominator: &str) -> Result<Option<f64>, &'static str> {
    let integer = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let valid = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        valid.then(|| text.parse::<Rational>().ok()).flatten().ok_or("a column is not an integer")
    };
    let (numerator, denominator) = (integer(numerator)?, integer(denominator)?);
    if denominator.is_zero() {
        return Err("a denominator is zero");
    }
    let (below, above) = (&numerator / &denominator).to_f64_bounds();
    Ok((below == above).then_some(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, text: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("lab-ccd-queries-{}-{name}", std::process::id()));
        let inner = root.join("made/vertex-face");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(inner.join("data_0_0.csv"), text).unwrap();
        root
    }

    /// A vertex that falls on a face, and one that falls beside it, in the format.
    fn two_queries(truths: [u8; 2]) -> String {
        let mut text = String::new();
        for (x, truth) in [(1, truths[0]), (5, truths[1])] {
            for z in [1, -1] {
                text += &format!("{x},4,1,4,{z},2,{truth}\n");
                text += &format!("0,1,0,1,0,1,{truth}\n1,1,0,1,0,1,{truth}\n0,1,1,1,0,1,{truth}\n");
            }
        }
        text
    }

    #[test]
    fn queries_are_read_asked_and_judged() {
        let root = folder("right", &two_queries([1, 0]));
        let report = run(&Options { data: Some(root.clone()), ..Options::default() }).unwrap();
        assert_eq!((report.cases, report.wrong()), (2, 0), "{}", report.to_text());
        crate::experiments::assert_answers(&report);
        assert_eq!(report.rows.len(), SOLVERS.len() + 2);
        std::fs::remove_dir_all(root).unwrap();
        let root = folder("wrong", &two_queries([0, 1]));
        let report = run(&Options { data: Some(root.clone()), ..Options::default() }).unwrap();
        // Of the exact solver a contact invented and one missed, of the conservative one that which it missed.
        assert_eq!(report.wrong(), 3, "{}", report.to_text());
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn missing_and_damaged_data_are_said() {
        assert!(matches!(run(&Options::default()), Err(LabError::MissingData { .. })));
        let nowhere = Options { data: Some(PathBuf::from("no/such/folder")), ..Options::default() };
        assert!(matches!(run(&nowhere), Err(LabError::MissingData { .. })));
        for (name, text) in [("short", "0,1,0,1,0,1,0\n"), ("letters", &two_queries([1, 0]).replace("4,1,4", "4,x,4"))]
        {
            let root = folder(name, text);
            let outcome = run(&Options { data: Some(root.clone()), ..Options::default() });
            assert!(matches!(outcome, Err(LabError::BadData { .. })), "{name}");
            std::fs::remove_dir_all(root).unwrap();
        }
    }

    #[test]
    fn numbers_that_are_no_doubles_are_told_apart() {
        assert_eq!(rational("-3", "8"), Ok(Some(-0.375)));
        assert_eq!(rational("1", "3"), Ok(None));
        assert_eq!(rational("36028797018963969", "1"), Ok(None)); // 2^55 + 1
        assert!(rational("1", "0").is_err() && rational("1.5", "2").is_err());
    }
}
