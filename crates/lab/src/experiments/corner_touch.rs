//! Corner on corner, edge on edge, a tiny body in a large one: depth, contacts and relation against exact arithmetic.
//!
//! Where bodies touch, the face of their difference that holds the origin is one of many that all but hold it; the
//! wrong one is a depth hundreds of times too large. A bracket of a depth or of contacts wider than the contract's
//! counts as wrong; of a relation only the verdict counts, and whether its bracket is true.

use super::campaign::{self, Asked};
use super::{Experiment, Flag, Options};
use crate::contract::Pair;
use crate::digest::Digest;
use crate::error::LabError;
use crate::models::simple_shape;
use crate::report::Report;
use crate::truth::Truth;
use clearance::{PairCache, Pose, Shape, Workspace};
use clearance_oracle::corner_touch::{Touch, corner_touch};
use clearance_oracle::{OracleBody, signed_distance};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "corner-touch",
    about: "a million pairs that touch at corners and edges or lie in each other, against exact arithmetic (no peer)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Seeds per row: a million pairs in all.
const SEEDS: u64 = 200_000;
/// Seeds per row of a quick run: 20,000 pairs in all.
const QUICK_SEEDS: u64 = 4_000;

impl campaign::Situation for Touch {
    fn name(self) -> String {
        match self {
            Touch::CornerOnCorner => "corner on corner",
            Touch::EdgeOnEdge => "edge on edge",
            Touch::CornerOnFace => "corner on face",
            Touch::SharedCorner => "shared corner",
            Touch::TinyInLarge => "tiny in large",
        }
        .into()
    }

    fn pair(self, seed: u64) -> (OracleBody, OracleBody, Truth) {
        let (a, b) = corner_touch(self, seed);
        let truth = Truth::from(&signed_distance(&a, &b));
        (a, b, truth)
    }

    /// Two of three pairs as boxes, segments, triangles and tetrahedra, the third as hulls.
    fn shape(self, seed: u64, body: &OracleBody) -> Result<(Shape, Pose), clearance::Error> {
        simple_shape(body, seed.is_multiple_of(3))
    }

    fn ask(self, pair: &Pair<'_>, truth: &Truth) -> Asked {
        let (depth, mut faults) = pair.examine_depth(truth);
        let (contacts, contact_faults) = pair.examine_contacts(truth);
        faults.extend(contact_faults);
        let proof = pair.relation();
        faults.extend(pair.relation_faults(truth, &proof));
        let scale = pair.scale();
        let (width, error) = depth.map_or((0.0, 0.0), |depth| {
            ((depth.depth.upper - depth.depth.lower) / scale, truth.error_of_depth(depth.depth.value) / scale)
        });
        let mut workspace = Workspace::default();
        let settled_exactly =
            pair.penetration(&mut PairCache::default(), &mut workspace).is_ok() && workspace.exact_decisions() > 0;
        Asked { faults, width, error, settled_exactly, answers: Digest::of(&(depth, contacts, proof)) }
    }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let count = if options.quick { QUICK_SEEDS } else { SEEDS };
    let seeds = options.seed..options.seed.saturating_add(count);
    Ok(campaign::run(EXPERIMENT.name, &Touch::ALL, seeds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_campaign_finds_nothing_wrong() {
        let report = campaign::run(EXPERIMENT.name, &Touch::ALL, 1..60);
        assert_eq!(report.wrong(), 0, "{}", report.to_text());
        crate::experiments::assert_answers(&report);
        assert_eq!((report.rows.len(), report.cases), (5, 295));
    }
}
