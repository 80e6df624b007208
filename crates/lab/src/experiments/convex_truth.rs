//! Every question about thousands of easy, hard and malicious pairs, against exact arithmetic.
//!
//! The truth of a pair comes from the oracle, by brute force in rational numbers, or is known by construction (the
//! tangent pairs). A bracket wider than the contract's counts as wrong.

use super::campaign::{self, Asked};
use super::{Experiment, Flag, Options};
use crate::contract::{Examined, Pair};
use crate::digest::Digest;
use crate::error::LabError;
use crate::models::placed_shape;
use crate::report::Report;
use crate::truth::Truth;
use clearance::{Pose, Shape};
use clearance_oracle::tangent::{TangentKind, tangent_pair};
use clearance_oracle::{OracleBody, Scenario, pair, signed_distance};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "convex-truth",
    about: "every query on thousands of hard pairs of convex bodies, against exact rational arithmetic (no peer)",
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
}

impl campaign::Situation for Situation {
    fn name(self) -> String {
        match self {
            Situation::Computed(scenario) => format!("{scenario:?}"),
            Situation::Constructed(kind) => format!("tangent {kind:?}"),
        }
    }

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

    fn shape(self, _seed: u64, body: &OracleBody) -> Result<(Shape, Pose), clearance::Error> {
        placed_shape(body)
    }

    fn ask(self, pair: &Pair<'_>, truth: &Truth) -> Asked {
        let Examined { answer, proof, intersects, exact_decisions, mut faults } = pair.examine(truth);
        let scale = pair.scale();
        let (depth, depth_faults) = pair.examine_depth(truth);
        faults.extend(depth_faults);
        Asked {
            faults,
            width: (answer.gap.upper - answer.gap.lower) / scale,
            error: truth.error_of_distance(answer.gap.value) / scale,
            settled_exactly: exact_decisions > 0,
            answers: Digest::of(&(answer, proof, intersects, depth)),
        }
    }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let count = if options.quick { QUICK_SEEDS } else { SEEDS };
    let seeds = options.seed..options.seed.saturating_add(count);
    Ok(campaign::run(EXPERIMENT.name, &Situation::all(), seeds))
}

#[cfg(test)]
mod tests {
    use super::campaign::{Tally, campaign, describe, report};
    use super::*;
    use serde_json::json;

    #[test]
    fn a_short_campaign_finds_nothing_wrong_on_any_number_of_threads() {
        let tallies = campaign(&Situation::all(), 1..4, 2);
        let report = report(EXPERIMENT.name, &tallies, 2);
        assert_eq!(report.wrong(), 0, "{}", report.to_text());
        assert_eq!((report.rows.len(), report.cases), (34, 102));
        let alone = campaign(&Situation::all(), 1..4, 1);
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
