//! The long campaign of moving vertices, faces and edges: random and adversarial queries against exact arithmetic.
//!
//! The truth comes from the oracle, by brute force in integers (`moving.rs`). A row is a scenario and a kind of query,
//! its queries are numbered by seeds. For every query it is checked that there is an answer where there should be one,
//! that its bracket holds the time of the contact and is no wider than two neighbouring floats, that it is the same in
//! a batch, and that `ElementaryImpact::verify` proves it; of some, that the conservative solver misses nothing.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use clearance::Bracket;
use clearance::answer::{ElementaryCounts, ElementaryImpact};
use clearance::glam::DVec3;
use clearance::query::elementary_impact_with;
use clearance::query::{ElementaryKind, ElementaryOptions, ElementaryPair, ElementarySolver, elementary_impact_batch};
use clearance_oracle::moving::{MovingFeatures, TouchTime, first_touch};
use clearance_oracle::moving_pairs::{MovingScenario, moving_features};
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde_json::json;

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::timed;
use crate::report::{Provenance, Report, Row, rounded};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ccd-truth",
    about: "a million random and adversarial queries on moving features, against exact arithmetic (no peer)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Seeds per row: a million queries in the 40 rows.
const SEEDS: u64 = 25_000;
/// Seeds per row of a quick run.
const QUICK_SEEDS: u64 = 100;
/// One query in this many is also given to the conservative solver.
const CONSERVATIVE: u64 = 16;
/// The most boxes of the conservative solver: at the cap its answer must hold as well.
const MOST_BOXES: u32 = 2000;

/// What was found about the queries of one row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tally {
    queries: u64,
    contacts: u64,
    wrong: u64,
    faults: BTreeMap<&'static str, u64>,
    first_wrong: Option<u64>,
    counts: ElementaryCounts,
    /// Seconds of the slowest exact test.
    slowest: f64,
    /// What both solvers say of each query.
    answers: Digest,
}

impl Tally {
    fn of(scenario: MovingScenario, edges: bool, seed: u64) -> Tally {
        let features = moving_features(scenario, edges, seed);
        let truth = first_touch(&features);
        let pair = engine_pair(&features);
        let Examined { faults, counts, answers: found } = match &pair {
            Ok(pair) => examine(pair, truth.as_ref(), seed.is_multiple_of(CONSERVATIVE)),
            Err(_) => Examined { faults: vec!["valid corners were rejected"], ..Examined::default() },
        };
        let mut answers = Digest::default();
        answers.note(&seed, &found);
        Tally {
            queries: 1,
            contacts: u64::from(truth.is_some()),
            wrong: u64::from(!faults.is_empty()),
            first_wrong: (!faults.is_empty()).then_some(seed),
            faults: faults.into_iter().map(|fault| (fault, 1)).collect(),
            counts,
            slowest: pair.map_or(0.0, |pair| slowness(&pair)),
            answers,
        }
    }

    fn merged(mut self, other: Tally) -> Tally {
        self.queries += other.queries;
        self.contacts += other.contacts;
        self.wrong += other.wrong;
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.first_wrong = self.first_wrong.into_iter().chain(other.first_wrong).min();
        self.counts.add(&other.counts);
        self.slowest = self.slowest.max(other.slowest);
        self.answers.add(other.answers);
        self
    }

    fn row(&self, scenario: MovingScenario, edges: bool) -> Row {
        let share = |count: u64| json!(count as f64 / self.queries.max(1) as f64);
        let mut more = vec![
            ("queries", json!(self.queries)),
            ("contacts", json!(self.contacts)),
            ("filtered", share(self.counts.filtered)),
            ("certified", share(self.counts.certified)),
            ("by_integers", share(self.counts.exact)),
            ("slowest_us", json!(rounded(1e6 * self.slowest, 1))),
        ];
        if let Some(seed) = self.first_wrong {
            more.push(("first_wrong_seed", json!(seed)));
            more.push(("why", json!(self.faults)));
        }
        let kind = if edges { "edges" } else { "vertex and face" };
        let (wrong, answers) = (self.wrong, self.answers);
        let case = format!("{scenario:?}, {kind}");
        Row { case, ours: wrong as f64, unit: "wrong", peer: None, wrong, answers, more }
    }
}

fn engine_pair(features: &MovingFeatures) -> Result<ElementaryPair, clearance::Error> {
    let kind = if features.edges { ElementaryKind::EdgeEdge } else { ElementaryKind::VertexFace };
    ElementaryPair::new(kind, features.start.map(DVec3::from), features.end.map(DVec3::from))
}

/// Seconds of the exact test. One that seems slow is asked again: other threads and programs run meanwhile.
fn slowness(pair: &ElementaryPair) -> f64 {
    let ask = || timed(|| std::hint::black_box(elementary_impact_with(pair, &ElementaryOptions::default()))).1;
    let once = ask();
    if once < 1e-4 { once } else { (0..3).fold(once, |least, _| ask().min(least)) }
}

/// What was found about one query.
#[derive(Default)]
struct Examined {
    /// What is wrong with the answers.
    faults: Vec<&'static str>,
    /// How the exact one was found.
    counts: ElementaryCounts,
    /// The exact answer, and that of the conservative solver where it was asked.
    answers: Digest,
}

/// Asks both solvers and holds what they say against the truth.
fn examine(pair: &ElementaryPair, truth: Option<&TouchTime>, conservative: bool) -> Examined {
    let options = ElementaryOptions::default();
    let (batch, counts) = elementary_impact_batch(std::slice::from_ref(pair), &options);
    let answer = elementary_impact_with(pair, &options);
    let impact = answer.ok();
    let mut faults = Vec::new();
    let mut check = |holds: bool, fault: &'static str| {
        if !holds {
            faults.push(fault);
        }
    };
    check(batch == [answer], "another answer in a batch");
    check(impact.is_some() || truth.is_none(), "false negative");
    check(impact.is_none() || truth.is_some(), "false positive");
    if let (Some(ElementaryImpact { time: Bracket { lower, upper, .. }, .. }), Some(truth)) = (impact, truth) {
        check(truth.compare(lower) != Ordering::Less, "lower is later than the contact");
        check(truth.compare(upper) != Ordering::Greater, "upper is earlier than the contact");
        check(upper <= lower.next_up(), "the bracket is too wide");
    }
    let proved = match answer {
        Ok(impact) => impact.verify(pair),
        Err(none) => none.verify(pair),
    };
    check(proved.is_ok(), "refused by verify");
    let mut enclosed = None;
    if let (true, Some(truth)) = (conservative, truth) {
        let solver = ElementarySolver::Inclusion;
        let options = ElementaryOptions { solver, most_boxes: MOST_BOXES, ..options };
        enclosed = elementary_impact_with(pair, &options).ok();
        check(
            enclosed.is_some_and(|impact| truth.compare(impact.time.lower) != Ordering::Less),
            "the conservative solver missed it",
        );
    }
    Examined { faults, counts, answers: Digest::of(&(impact, enclosed)) }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let count = if options.quick { QUICK_SEEDS } else { SEEDS };
    Ok(campaign(options.seed..options.seed.saturating_add(count)))
}

fn campaign(seeds: Range<u64>) -> Report {
    let cases = MovingScenario::ALL.into_iter().flat_map(|scenario| [(scenario, false), (scenario, true)]);
    let progress = ProgressBar::new(2 * MovingScenario::ALL.len() as u64);
    let mut all = Tally::default();
    let mut rows = Vec::new();
    for (scenario, edges) in cases {
        let asked = seeds.clone().into_par_iter().map(|seed| Tally::of(scenario, edges, seed));
        let tally = asked.reduce(Tally::default, Tally::merged);
        if let Some(seed) = tally.first_wrong {
            eprintln!("lab: {scenario:?}, seed {seed}: {:?}", moving_features(scenario, edges, seed));
        }
        rows.push(tally.row(scenario, edges));
        all = all.merged(tally);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let share = |count: u64| json!(count as f64 / all.queries.max(1) as f64);
    Report {
        experiment: EXPERIMENT.name,
        rows,
        cases: all.queries,
        more: vec![
            ("contacts", json!(all.contacts)),
            ("filtered", share(all.counts.filtered)),
            ("certified", share(all.counts.certified)),
            ("by_integers", share(all.counts.exact)),
            ("slowest_us", json!(rounded(1e6 * all.slowest, 1))),
        ],
        goals: Vec::new(),
        markdown: None,
        plot: None,
        provenance: Provenance::here(rayon::current_num_threads()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_campaign_finds_nothing_wrong() {
        let report = campaign(1..9);
        assert_eq!(report.wrong(), 0, "{}", report.to_text());
        crate::experiments::assert_answers(&report);
        assert_eq!((report.rows.len(), report.cases), (40, 320));
    }

    #[test]
    fn faults_are_counted_and_the_first_seed_named() {
        let fault = |seed| Tally {
            queries: 1,
            wrong: 1,
            faults: [("false negative", 1)].into(),
            first_wrong: Some(seed),
            ..Tally::default()
        };
        let both = fault(9).merged(fault(4)).merged(Tally { queries: 2, ..Tally::default() });
        let row = both.row(MovingScenario::Far, true).to_json();
        assert_eq!((&row["wrong"], &row["queries"], &row["first_wrong_seed"]), (&json!(2), &json!(4), &json!(4)));
    }

    /// An answer that is too early, and one where there is none.
    #[test]
    fn wrong_answers_are_seen() {
        let features = moving_features(MovingScenario::Still, false, 1);
        let pair = engine_pair(&features).unwrap();
        let falling = |z: f64| [[0.25, 0.25, z], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let other = MovingFeatures { edges: false, start: falling(1.0), end: falling(-1.0) };
        let faults = examine(&pair, first_touch(&other).as_ref(), true).faults;
        assert!(faults.contains(&"false negative") && faults.contains(&"the conservative solver missed it"));
        let other = engine_pair(&other).unwrap();
        assert_eq!(examine(&other, None, true).faults, ["false positive"]);
    }
}
