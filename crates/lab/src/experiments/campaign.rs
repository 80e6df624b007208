//! A long campaign: many pairs in many situations, each queried and compared with the exact truth.
//!
//! A row is a situation, its pairs are numbered by seeds. The seeds are distributed over all threads; sums and maxima
//! do not depend on the order, so the table is the same on any number of them.

use crate::contract::Pair;
use crate::digest::Digest;
use crate::report::{Provenance, Report, Row};
use crate::truth::Truth;
use clearance::{Pose, Shape};
use clearance_oracle::OracleBody;
use indicatif::ProgressBar;
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the pairs of a row are made for.
pub trait Situation: Copy + Send + Sync {
    /// The name in a row.
    fn name(self) -> String;

    /// The pair of a seed and its truth.
    fn pair(self, seed: u64) -> (OracleBody, OracleBody, Truth);

    /// A body of the pair of a seed as the engine takes it.
    fn shape(self, seed: u64, body: &OracleBody) -> Result<(Shape, Pose), clearance::Error>;

    /// Asks about the pair and holds the answers against the truth.
    fn ask(self, pair: &Pair<'_>, truth: &Truth) -> Asked;
}

/// What was found about one pair.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What is wrong; empty when nothing is.
    pub faults: Vec<&'static str>,
    /// The width of the bracket that the row shows, in L.
    pub width: f64,
    /// How far its value is from the truth, in L.
    pub error: f64,
    /// Whether exact arithmetic settled it.
    pub settled_exactly: bool,
    /// All answers about the pair.
    pub answers: Digest,
}

/// What was found about the pairs of one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Pairs asked about.
    pub cases: u64,
    /// Pairs with at least one fault.
    pub wrong: u64,
    /// How often each fault was found.
    pub faults: BTreeMap<&'static str, u64>,
    /// The least seed of a pair with a fault.
    pub first_wrong: Option<u64>,
    /// Pairs that exact arithmetic settled.
    pub settled_exactly: u64,
    /// The widest bracket, in L.
    pub widest: f64,
    /// The largest error, in L.
    pub worst_error: f64,
    /// The answers about each pair.
    pub answers: Digest,
}

impl Tally {
    /// Asks about one pair. A panic is a fault like any other.
    fn add(&mut self, situation: impl Situation, seed: u64) {
        let (a, b, truth) = situation.pair(seed);
        self.cases += 1;
        let asked = catch_unwind(AssertUnwindSafe(|| {
            let (Ok((a, pose_a)), Ok((b, pose_b))) = (situation.shape(seed, &a), situation.shape(seed, &b)) else {
                return Asked { faults: vec!["a valid body was rejected"], ..Asked::default() };
            };
            situation.ask(&Pair { a: &a, pose_a: &pose_a, b: &b, pose_b: &pose_b }, &truth)
        }));
        let asked = asked.unwrap_or_else(|_| Asked { faults: vec!["panicked"], ..Asked::default() });
        self.answers.note(&seed, &asked.answers);
        self.settled_exactly += u64::from(asked.settled_exactly);
        self.widest = self.widest.max(asked.width);
        self.worst_error = self.worst_error.max(asked.error);
        if !asked.faults.is_empty() {
            self.wrong += 1;
            self.first_wrong = Some(self.first_wrong.map_or(seed, |first| first.min(seed)));
        }
        for fault in asked.faults {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    /// Adds what another thread found.
    pub fn merge(&mut self, other: Tally) {
        self.cases += other.cases;
        self.wrong += other.wrong;
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.first_wrong = self.first_wrong.into_iter().chain(other.first_wrong).min();
        self.settled_exactly += other.settled_exactly;
        self.widest = self.widest.max(other.widest);
        self.worst_error = self.worst_error.max(other.worst_error);
        self.answers.add(other.answers);
    }

    /// The row of the table.
    pub fn row(&self, situation: impl Situation) -> Row {
        let mut more = vec![
            ("cases", json!(self.cases)),
            ("settled_exactly", json!(self.settled_exactly as f64 / self.cases.max(1) as f64)),
            ("widest_over_l", json!(self.widest)),
        ];
        if let Some(seed) = self.first_wrong {
            more.push(("first_wrong_seed", json!(seed)));
            more.push(("why", json!(self.faults)));
        }
        let (wrong, answers) = (self.wrong, self.answers);
        Row { case: situation.name(), ours: self.worst_error, unit: "L", peer: None, wrong, answers, more }
    }
}

/// Asks about the pairs of every situation and every seed.
pub fn campaign<S: Situation>(situations: &[S], seeds: Range<u64>, threads: usize) -> Vec<(S, Tally)> {
    let per_row = (seeds.end - seeds.start) as usize;
    let ask = |tally: &mut Tally, row: usize, place: usize| tally.add(situations[row], seeds.start + place as u64);
    let total = deal((situations.len(), per_row), threads, ask, Tally::merge);
    situations.iter().copied().zip(total).collect()
}

/// Deals the places of every row out to threads, each of which has a tally for each row; what they found is merged.
/// Shows how far it is.
pub fn deal<T: Clone + Default + Send>(
    (rows, per_row): (usize, usize),
    threads: usize,
    ask: impl Fn(&mut T, usize, usize) + Sync,
    merge: impl Fn(&mut T, T),
) -> Vec<T> {
    let (next, jobs) = (AtomicUsize::new(0), rows * per_row);
    let progress = ProgressBar::new(jobs as u64);
    let work = || {
        let mut tallies = vec![T::default(); rows];
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                return tallies;
            }
            ask(&mut tallies[job / per_row], job / per_row, job % per_row);
            progress.inc(1);
        }
    };
    let mut total = vec![T::default(); rows];
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let tallies = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            total.iter_mut().zip(tallies).for_each(|(total, tally)| merge(total, tally));
        }
    });
    progress.finish_and_clear();
    total
}

/// Runs a campaign on all threads; pairs with a fault are described on stderr.
pub fn run<S: Situation>(experiment: &'static str, situations: &[S], seeds: Range<u64>) -> Report {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let tallies = campaign(situations, seeds, threads);
    for (situation, tally) in &tallies {
        if let Some(seed) = tally.first_wrong {
            eprintln!("lab: {}", describe(*situation, seed));
        }
    }
    report(experiment, &tallies, threads)
}

/// A pair in full, with what is wrong, to investigate a fault.
pub fn describe(situation: impl Situation, seed: u64) -> String {
    let (a, b, truth) = situation.pair(seed);
    let mut text = format!("{}, seed {seed}\n  {a:?}\n  {b:?}", situation.name());
    if let (Ok((a, pose_a)), Ok((b, pose_b))) = (situation.shape(seed, &a), situation.shape(seed, &b)) {
        let pair = Pair { a: &a, pose_a: &pose_a, b: &b, pose_b: &pose_b };
        let faults = situation.ask(&pair, &truth).faults;
        text += &format!("\n  {}", if faults.is_empty() { "nothing is wrong".into() } else { faults.join("; ") });
        let answers: [(&str, String, Result<(), clearance::verify::Refusal>); 2] = {
            let distance = clearance::distance(&a, &pose_a, &b, &pose_b);
            let contacts = clearance::contacts(&a, &pose_a, &b, &pose_b);
            let verdicts = (distance.verify(&a, &pose_a, &b, &pose_b), contacts.verify(&a, &pose_a, &b, &pose_b));
            [("distance", format!("{distance:?}"), verdicts.0), ("contacts", format!("{contacts:?}"), verdicts.1)]
        };
        for (name, answer, verdict) in answers {
            let verdict = verdict.map_or_else(|refusal| refusal.to_string(), |()| "verified".into());
            text += &format!("\n  {name}: {answer}\n  {verdict}");
        }
    }
    text
}

/// The table of a campaign.
pub fn report<S: Situation>(experiment: &'static str, tallies: &[(S, Tally)], threads: usize) -> Report {
    let mut all = Tally::default();
    tallies.iter().for_each(|(_, tally)| all.merge(tally.clone()));
    Report {
        experiment,
        rows: tallies.iter().map(|(situation, tally)| tally.row(*situation)).collect(),
        cases: all.cases,
        more: vec![
            ("settled_exactly", json!(all.settled_exactly as f64 / all.cases.max(1) as f64)),
            ("widest_over_l", json!(all.widest)),
            ("worst_error_over_l", json!(all.worst_error)),
        ],
        goals: Vec::new(),
        markdown: None,
        plot: None,
        provenance: Provenance::here(threads),
    }
}
