//! Every answer against exact rational arithmetic, over all scenarios of the oracle kit and over pairs whose distance is
//! known by construction.

use crate::common;

use std::cmp::Ordering;

use clearance_oracle::tangent::{TangentKind, tangent_pair};
use clearance_oracle::{Scenario, pair, signed_distance};

/// Pairs per scenario. Raise it with `CLEARANCE_CASES` for a long run.
fn cases(default: u64) -> u64 {
    std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn first_seed() -> u64 {
    std::env::var("CLEARANCE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[test]
fn scenarios_against_exact_truth() {
    let start = first_seed();
    for scenario in Scenario::ALL {
        for seed in start..start + cases(40) {
            let (a, b) = pair(scenario, seed);
            let truth = signed_distance(&a, &b);
            common::check_pair(&format!("{scenario:?} {seed}"), &a, &b, &truth);
        }
    }
}

#[test]
fn tangent_pairs_have_their_known_distance() {
    let start = first_seed();
    for kind in TangentKind::ALL {
        for seed in start..start + cases(100) {
            let known = tangent_pair(kind, seed);
            let truth = signed_distance(&known.a, &known.b);
            assert_eq!(truth.compare_rational(&known.distance), Ordering::Equal);
            common::check_pair(&format!("{kind:?} {seed}"), &known.a, &known.b, &truth);
        }
    }
}
