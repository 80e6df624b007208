//! The long campaign: every question about thousands of easy, hard and malicious pairs, against exact arithmetic.
//!
//! The truth of a pair comes from the oracle, by brute force in rational numbers, or is known by construction (the
//! tangent pairs). A row is a situation, its pairs are numbered by seeds. The seeds are dealt out to all threads; sums
//! and maxima do not care about the order, so the table is the same on any number of them.

use super::{Experiment, Flag, Options};
use crate::contract::Pair;
use crate::error::LabError;
use crate::models::placed_shape;
use crate::report::{Provenance, Report, Row};
use crate::truth::Truth;
use clearance_oracle::tangent::{TangentKind, tangent_pair};
use clearance_oracle::{OracleBody, Scenario, pair, signed_distance};
use indicatif::ProgressBar;
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "convex-truth",
    about: "every question about thousands of hard pairs of convex bodies, against exact rational arithmetic (no peer)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Seeds per row.
const SEEDS: u64 = 2000;
/// Seeds per row of a quick run.
const QUICK_SEEDS: u64 = 50;

/// What the pairs of a row are made for.
#[derive(Clone, Copy, Debug)]
enum Situation {
    /// The oracle computes the truth.
    Computed(Scenario),
    /// The truth is known by construction.
    Constructed(TangentKind),
}

impl Situation {
    /// All situations, in the order of the table.
    fn all() -> Vec<Situation> {
        let computed = Scenario::ALL.into_iter().map(Situation::Computed);
        computed.chain(TangentKind::ALL.into_iter().map(Situation::Constructed)).collect()
    }

    /// The name in a row.
    fn name(self) -> String {
        match self {
            Situation::Computed(scenario) => format!("{scenario:?}"),
            Situation::Constructed(kind) => format!("tangent {kind:?}"),
        }
    }

    /// The pair of a seed and its truth.
    fn pair(self, seed: u64) -> (OracleBody, OracleBody, Truth) {
        match self {
            Situation::Computed(scenario) => {
                let (a, b) = pair(scenario, seed);
                let truth = Truth::from(&signed_distance(&a, &b));
                (a, b, truth)
            }
            Situation::Constructed(kind) => {
                let tangent = tangent_pair(kind, seed);
                (tangent.a, tangent.b, Truth::from(tangent.distance))
            }
        }
    }
}

/// What was found about the pairs of one row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tally {
    /// Pairs asked about.
    cases: u64,
    /// Pairs with at least one fault.
    wrong: u64,
    /// How often each fault was found.
    faults: BTreeMap<&'static str, u64>,
    /// The least seed of a pair with a fault.
    first_wrong: Option<u64>,
    /// Pairs whose distance was settled in exact arithmetic.
    settled_exactly: u64,
    /// The widest bracket, in L.
    widest: f64,
    /// The largest difference between a distance and the truth, in L.
    worst_error: f64,
}

impl Tally {
    /// Asks about one pair. A panic is a fault like any other.
    fn add(&mut self, situation: Situation, seed: u64) {
        let (a, b, truth) = situation.pair(seed);
        self.cases += 1;
        let faults = catch_unwind(AssertUnwindSafe(|| {
            let (Ok((shape_a, pose_a)), Ok((shape_b, pose_b))) = (placed_shape(&a), placed_shape(&b)) else {
                return vec!["a valid body was refused"];
            };
            let pair = Pair { a: &shape_a, pose_a: &pose_a, b: &shape_b, pose_b: &pose_b };
            let examined = pair.examine(&truth);
            let (answer, scale) = (examined.answer, pair.scale());
            self.settled_exactly += u64::from(examined.exact_decisions > 0);
            self.widest = self.widest.max((answer.upper - answer.lower) / scale);
            self.worst_error = self.worst_error.max(truth.error_of_distance(answer.value) / scale);
            examined.faults
        }))
        .unwrap_or_else(|_| vec!["panicked"]);
        if !faults.is_empty() {
            self.wrong += 1;
            self.first_wrong = Some(self.first_wrong.map_or(seed, |first| first.min(seed)));
        }
        for fault in faults {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    /// Adds what another thread found.
    fn merge(&mut self, other: Tally) {
        self.cases += other.cases;
        self.wrong += other.wrong;
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.first_wrong = self.first_wrong.into_iter().chain(other.first_wrong).min();
        self.settled_exactly += other.settled_exactly;
        self.widest = self.widest.max(other.widest);
        self.worst_error = self.worst_error.max(other.worst_error);
    }

    /// The row of the table.
    fn row(&self, situation: Situation) -> Row {
        let mut more = vec![
            ("cases", json!(self.cases)),
            ("settled_exactly", json!(self.settled_exactly as f64 / self.cases.max(1) as f64)),
            ("widest_over_l", json!(self.widest)),
        ];
        if let Some(seed) = self.first_wrong {
            more.push(("first_wrong_seed", json!(seed)));
            more.push(("why", json!(self.faults)));
        }
        Row { case: situation.name(), ours: self.worst_error, unit: "L", peer: None, wrong: self.wrong, more }
    }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let count = if options.quick { QUICK_SEEDS } else { SEEDS };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let tallies = campaign(options.seed..options.seed.saturating_add(count), threads);
    for (situation, tally) in &tallies {
        if let Some(seed) = tally.first_wrong {
            eprintln!("lab: {}", describe(*situation, seed));
        }
    }
    Ok(report(&tallies, threads))
}

/// A pair in full, with its distance and why that is refused, for whoever looks into a fault.
fn describe(situation: Situation, seed: u64) -> String {
    let (a, b, _) = situation.pair(seed);
    let mut text = format!("{}, seed {seed}\n  {a:?}\n  {b:?}", situation.name());
    if let (Ok((shape_a, pose_a)), Ok((shape_b, pose_b))) = (placed_shape(&a), placed_shape(&b)) {
        let answer = clearance::distance(&shape_a, &pose_a, &shape_b, &pose_b);
        let verdict = clearance::verify(&answer, &shape_a, &pose_a, &shape_b, &pose_b);
        let verdict = verdict.map_or_else(|refusal| refusal.to_string(), |()| "verified".into());
        text += &format!("\n  {answer:?}\n  {verdict}");
    }
    text
}

/// Asks about the pairs of every situation and every seed.
fn campaign(seeds: Range<u64>, threads: usize) -> Vec<(Situation, Tally)> {
    let situations = Situation::all();
    let per_row = (seeds.end - seeds.start) as usize;
    let (next, jobs) = (AtomicUsize::new(0), situations.len() * per_row);
    let progress = ProgressBar::new(jobs as u64);
    let work = || {
        let mut tallies = vec![Tally::default(); situations.len()];
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                return tallies;
            }
            tallies[job / per_row].add(situations[job / per_row], seeds.start + (job % per_row) as u64);
            progress.inc(1);
        }
    };
    let mut total = vec![Tally::default(); situations.len()];
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let tallies = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            total.iter_mut().zip(tallies).for_each(|(total, tally)| total.merge(tally));
        }
    });
    progress.finish_and_clear();
    situations.into_iter().zip(total).collect()
}

/// The table of a campaign.
fn report(tallies: &[(Situation, Tally)], threads: usize) -> Report {
    let mut all = Tally::default();
    tallies.iter().for_each(|(_, tally)| all.merge(tally.clone()));
    Report {
        experiment: EXPERIMENT.name,
        rows: tallies.iter().map(|(situation, tally)| tally.row(*situation)).collect(),
        cases: all.cases,
        more: vec![
            ("settled_exactly", json!(all.settled_exactly as f64 / all.cases.max(1) as f64)),
            ("widest_over_l", json!(all.widest)),
            ("worst_error_over_l", json!(all.worst_error)),
        ],
        markdown: None,
        plot: None,
        provenance: Provenance::here(threads),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_campaign_finds_nothing_wrong_on_any_number_of_threads() {
        let tallies = campaign(1..4, 2);
        let report = report(&tallies, 2);
        assert_eq!(report.wrong(), 0, "{}", report.to_text());
        assert_eq!((report.rows.len(), report.cases), (34, 102));
        let alone = campaign(1..4, 1);
        assert!(tallies.iter().zip(&alone).all(|(several, one)| several.1 == one.1));
    }

    #[test]
    fn a_fault_is_counted_and_its_seed_named() {
        let broken = |seed, fault| Tally {
            cases: 1,
            wrong: 1,
            faults: [(fault, 1)].into(),
            first_wrong: Some(seed),
            ..Tally::default()
        };
        let mut tally = broken(7, "x");
        tally.merge(Tally { cases: 2, widest: 1e-14, ..Tally::default() });
        tally.merge(broken(5, "x"));
        let row = tally.row(Situation::Computed(Scenario::Tiny)).to_json();
        assert_eq!((&row["case"], &row["wrong"], &row["cases"]), (&json!("Tiny"), &json!(2), &json!(4)));
        assert!(describe(Situation::Computed(Scenario::Tiny), 5).ends_with("verified"));
        assert_eq!((&row["first_wrong_seed"], &row["why"]), (&json!(5), &json!({"x": 2})));
    }
}
