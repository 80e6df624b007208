//! What checking the answers of a row found, and the row that says so: shared by the races of casts, rays and terrain.

use crate::digest::Digest;
use crate::measure::Timing;
use crate::peers::ParryPair;
use crate::report::{Peer, Row, rounded};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What checking found.
#[derive(Default)]
pub struct Tally {
    /// Questions with at least one fault.
    pub wrong: u64,
    /// How often each fault was found.
    pub faults: BTreeMap<&'static str, u64>,
    /// Answers of parry that its own tolerance does not reconcile with what is proved. Counted apart, never as ours.
    pub parry_off: u64,
    /// The largest difference between parry's number and ours, relative to what the experiment says.
    pub parry_difference: f64,
    /// Heap allocations of all queries once warm.
    pub allocations: u64,
    /// Answers that were proved again by `verify_*`.
    pub verified: u64,
    /// Our answers, each once.
    pub answers: Digest,
}

impl Tally {
    /// Notes the faults of one question.
    pub fn note(&mut self, faults: Vec<&'static str>) {
        self.wrong += u64::from(!faults.is_empty());
        for fault in faults {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    /// Notes parry's number, by whether it agrees, and by its difference from ours (`None` where one side has none).
    pub fn note_parry(&mut self, agrees: bool, difference: Option<f64>) {
        self.parry_off += u64::from(!agrees);
        if let Some(difference) = difference {
            self.parry_difference = self.parry_difference.max(difference.abs());
        }
    }

    /// The row: medians in nanoseconds, parry's beside them, and what was found.
    pub fn row(&self, case: String, timing: &Timing, queries: usize, own: Vec<(&'static str, Value)>) -> Row {
        let mut more = vec![
            ("worst", json!(rounded(timing.ours.worst, 1))),
            ("allocations", json!(self.allocations as f64 / queries.max(1) as f64)),
            ("verified", json!(self.verified)),
        ];
        more.extend(own);
        if timing.theirs.is_some() {
            more.push(("parry_off", json!(self.parry_off)));
            more.push(("parry_difference", json!(self.parry_difference)));
        }
        self.raced(case, timing, ParryPair::NAME, more)
    }

    /// The row of a race against a peer.
    pub fn raced(
        &self,
        case: String,
        timing: &Timing,
        name: &'static str,
        mut more: Vec<(&'static str, Value)>,
    ) -> Row {
        let peer = timing.theirs.map(|theirs| Peer {
            name,
            theirs: rounded(theirs.side.median, 1),
            ratio: rounded(theirs.ratio, 3),
            worst_ratio: rounded(theirs.worst_ratio, 3),
        });
        if !self.faults.is_empty() {
            more.push(("why", json!(self.faults)));
        }
        let (ours, wrong, answers) = (rounded(timing.ours.median, 1), self.wrong, self.answers);
        Row { case, ours, unit: "ns", peer, wrong, answers, more }
    }
}

/// The geometric mean of ratios; `None` without any.
pub fn mean_ratio<'a>(timings: impl Iterator<Item = &'a Timing>) -> Option<f64> {
    let logarithms: Vec<f64> = timings.filter_map(|timing| timing.theirs).map(|theirs| theirs.ratio.ln()).collect();
    (!logarithms.is_empty()).then(|| rounded((logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp(), 3))
}

/// The least ratio; `None` without any.
pub fn least_ratio<'a>(timings: impl Iterator<Item = &'a Timing>) -> Option<f64> {
    timings.filter_map(|timing| timing.theirs).map(|theirs| rounded(theirs.ratio, 3)).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{SideTime, Theirs};

    fn timing(ratio: f64) -> Timing {
        let side = |median| SideTime { median, worst: median };
        Timing { ours: side(10.0), theirs: Some(Theirs { side: side(10.0 * ratio), ratio, worst_ratio: ratio }) }
    }

    #[test]
    fn ratios() {
        let timings = [timing(2.0), timing(8.0), Timing { theirs: None, ..timing(1.0) }];
        assert_eq!(mean_ratio(timings.iter()), Some(4.0));
        assert_eq!(least_ratio(timings.iter()), Some(2.0));
        assert_eq!(mean_ratio([].iter()), None);
    }

    #[test]
    fn a_question_with_two_faults_is_wrong_once() {
        let mut tally = Tally::default();
        tally.note(vec!["one", "two"]);
        tally.note(vec![]);
        tally.note_parry(false, Some(-0.5));
        let row = tally.row("case".into(), &timing(3.0), 2, vec![]).to_json();
        assert_eq!((&row["wrong"], &row["parry_off"], &row["ratio"]), (&json!(1), &json!(1), &json!(3.0)));
        assert_eq!(row["why"]["two"], 1);
    }
}
