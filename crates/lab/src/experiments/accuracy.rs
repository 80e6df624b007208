//! How accurate every answer is, for every two kinds of body: errors and widths of brackets against a proved truth.
//!
//! The oracle makes a pair of two kinds at a chosen gap or depth, in a chosen situation, together with an enclosure of
//! its signed distance proved in arithmetic of 256 bits. A row is two kinds of body; its pairs run over all gaps, all
//! situations and the seeds. Odd seeds have the kinds in the other order. The pairs are distributed over all threads;
//! sums and maxima do not depend on the order, so all but `slowest` is the same on any number of them.

use super::campaign::deal;
use super::{Experiment, Flag, Options};
use crate::contract::{Pair, same_depth_when_swapped, same_when_swapped};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::timed;
use crate::models::{engine_pose, engine_shape};
use crate::report::{Provenance, Report, Row, markdown_table, rounded};
use clearance::answer::{Distance, Penetration, RelationProof};
use clearance::{PairCache, Pose, Relation, Shape, Workspace};
use clearance_oracle::shape::{ShapeKind, separation_along};
use clearance_oracle::tangent_shapes::{Gap, Situation, TangentShapes, tangent_shapes};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "accuracy",
    about: "errors and widths of brackets for every two kinds of body, apart, touching and deep, against proved \
            enclosures (no peer)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// The kinds the engine answers about. A kind is switched on by standing here.
const KINDS: &[ShapeKind] = &[
    ShapeKind::Sphere,
    ShapeKind::Capsule,
    ShapeKind::Segment,
    ShapeKind::Triangle,
    ShapeKind::Tetrahedron,
    ShapeKind::Cuboid,
    ShapeKind::Hull,
    ShapeKind::Cylinder,
    ShapeKind::Cone,
    ShapeKind::Ellipsoid,
    ShapeKind::Rounded,
    ShapeKind::HalfSpace,
];

/// Seeds for each pair of kinds, gap and situation.
const SEEDS: u64 = 20;
/// The same in a quick run.
const QUICK_SEEDS: u64 = 1;

/// Curved bodies deeper in each other than this have a bracket that is true, of a width that is reported, not promised.
const DEEPEST_PROMISED: Gap = Gap::Overlapping3;

/// Which pair of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    gap: Gap,
    situation: Situation,
    seed: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, size {}, seed {}", self.gap.name(), self.situation.name(), self.seed)
    }
}

impl Case {
    /// All cases of a row.
    fn all(seeds: Range<u64>) -> Vec<Case> {
        let mut cases = Vec::new();
        for seed in seeds {
            for gap in Gap::ALL {
                cases.extend(Situation::ALL.map(|situation| Case { gap, situation, seed }));
            }
        }
        cases
    }

    /// Which of its row.
    fn place(self) -> [u64; 3] {
        [self.gap as u64, self.situation as u64, self.seed]
    }

    /// The pair of two kinds; `None` where there is none, as for two segments that should overlap.
    fn pair(self, [a, b]: [ShapeKind; 2]) -> Option<TangentShapes> {
        let [a, b] = if self.seed.is_multiple_of(2) { [a, b] } else { [b, a] };
        tangent_shapes(a, b, self.gap, self.situation, self.seed)
    }
}

/// A row: two kinds of body.
fn every_pair(kinds: &[ShapeKind]) -> Vec<[ShapeKind; 2]> {
    let with_later = |(index, &a): (usize, &ShapeKind)| kinds[index..].iter().map(move |&b| [a, b]).collect::<Vec<_>>();
    kinds.iter().enumerate().flat_map(with_later).collect()
}

/// The name of a row.
fn name([a, b]: [ShapeKind; 2]) -> String {
    format!("{} and {}", a.name(), b.name())
}

/// The largest of some figures, and which pair has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Worst {
    figure: f64,
    at: Option<Case>,
}

impl Worst {
    /// Takes a figure into account. A NaN is worse than anything; of equal figures the first case counts.
    fn note(&mut self, figure: f64, case: Case) {
        self.merge(Worst { figure: if figure.is_nan() { f64::INFINITY } else { figure }, at: Some(case) });
    }

    fn merge(&mut self, other: Worst) {
        let earlier = other.at.is_some() && (self.at.is_none() || other.at < self.at);
        if other.figure > self.figure || other.figure == self.figure && earlier {
            *self = other;
        }
    }
}

/// A bracket, its value and what is proved about the truth.
struct Claim {
    lower: f64,
    value: f64,
    upper: f64,
    truth: [f64; 2],
}

impl Claim {
    /// A distance compared with a signed distance.
    fn distance(answer: &Distance, [low, high]: [f64; 2]) -> Claim {
        let truth = [low.max(0.0), high.max(0.0)];
        Claim { lower: answer.gap.lower, value: answer.gap.value, upper: answer.gap.upper, truth }
    }

    /// A depth compared with a signed distance.
    fn depth(answer: &Penetration, [low, high]: [f64; 2]) -> Claim {
        let truth = [(-high).max(0.0), (-low).max(0.0)];
        Claim { lower: answer.depth.lower, value: answer.depth.value, upper: answer.depth.upper, truth }
    }

    /// Whether the bracket can hold the truth; false for a NaN.
    fn holds(&self) -> bool {
        self.lower <= self.truth[1] && self.upper >= self.truth[0]
    }

    fn width(&self) -> f64 {
        self.upper - self.lower
    }

    /// How far the value is from the truth at most.
    fn error(&self) -> f64 {
        (self.value - self.truth[0]).abs().max((self.value - self.truth[1]).abs())
    }
}

/// Errors and widths of the answers to one question, as fractions of L.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Figures {
    error: Worst,
    width: Worst,
}

impl Figures {
    fn note(&mut self, claim: &Claim, scale: f64, case: Case) {
        self.error.note(claim.error() / scale, case);
        self.width.note(claim.width() / scale, case);
    }

    fn merge(&mut self, other: Figures) {
        self.error.merge(other.error);
        self.width.merge(other.width);
    }
}

/// What was found about the pairs of one row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tally {
    /// Pairs asked about.
    cases: u64,
    /// Pairs that the oracle could not make.
    not_made: u64,
    /// Pairs with at least one fault.
    wrong: u64,
    /// How often each fault was found.
    faults: BTreeMap<&'static str, u64>,
    /// The first pair with a fault.
    first_wrong: Option<Case>,
    /// Distances of bodies apart or touching.
    apart: Figures,
    /// Depths of bodies overlapping or touching, as far as the contract promises their width.
    overlapping: Figures,
    /// Depths of curved bodies deep in each other.
    deep: Figures,
    /// How many of those there are.
    deep_cases: u64,
    /// How many of those have a bracket wider than a shallow one may be.
    deep_wide: u64,
    /// Seconds that the slowest distance and depth of one pair took together.
    slowest: Worst,
    /// Distance, depth, whether they meet, and relation of each pair.
    answers: Digest,
}

impl Tally {
    /// Asks about one pair. A panic is a fault like any other.
    fn add(&mut self, kinds: [ShapeKind; 2], case: Case) {
        let Some(truth) = case.pair(kinds) else {
            self.not_made += 1;
            return;
        };
        self.cases += 1;
        let faults = catch_unwind(AssertUnwindSafe(|| match Bodies::new(&truth) {
            Ok(bodies) => self.examine(&bodies.pair(), &truth, case),
            Err(_) => vec!["a valid body was rejected"],
        }))
        .unwrap_or_else(|_| vec!["panicked"]);
        if !faults.is_empty() {
            self.wrong += 1;
            self.first_wrong = self.first_wrong.into_iter().chain([case]).min();
        }
        for fault in faults {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    /// Runs every query on a pair, records the figures, and reports what is wrong.
    fn examine(&mut self, pair: &Pair<'_>, truth: &TangentShapes, case: Case) -> Vec<&'static str> {
        let Pair { a, pose_a, b, pose_b } = *pair;
        let enclosure = [truth.lower, truth.upper];
        let (asked, seconds) = timed(|| ask(pair));
        let (exchanged, seconds_exchanged) = timed(|| ask(&pair.swapped()));
        // The better of two: a neighbour on the same processor makes single runs slow.
        self.slowest.note(seconds.min(seconds_exchanged), case);
        let (Ok((answer, depth)), Ok((distance_back, depth_back))) = (asked, exchanged) else {
            return vec!["a depth query failed"];
        };
        let deep = pair.is_curved() && case.gap < DEEPEST_PROMISED;
        let (tolerance, scale) = (pair.tolerance(), pair.scale());
        let (claim, depth_claim) = (Claim::distance(&answer, enclosure), Claim::depth(&depth, enclosure));
        let depth_tolerance = if truth.lower > 0.0 { tolerance } else { pair.depth_tolerance() };
        if truth.upper >= 0.0 {
            self.apart.note(&claim, scale, case);
        }
        if deep {
            self.deep.note(&depth_claim, scale, case);
            self.deep_cases += 1;
            self.deep_wide += u64::from(depth_claim.width() > depth_tolerance);
        } else if truth.lower <= 0.0 {
            self.overlapping.note(&depth_claim, scale, case);
        }

        let mut faults = pair.faults(&answer);
        faults.extend(pair.depth_faults(&depth, if deep { f64::INFINITY } else { depth_tolerance }));
        let mut check = |holds: bool, fault: &'static str| {
            if !holds {
                faults.push(fault);
            }
        };
        check(claim.holds(), "the bracket misses the true distance");
        check(claim.error() <= tolerance, "the value is too far from the true distance");
        check(depth_claim.holds(), "the bracket misses the true depth");
        check(deep || depth_claim.error() <= depth_tolerance, "the value is too far from the true depth");
        check(truth.lower <= tolerance || answer.gap.value > 0.0, "apart, but the distance is 0");
        check(truth.upper >= -tolerance || answer.gap.value == 0.0, "overlapping, but the distance is above 0");
        check(truth.upper >= -depth_tolerance || depth.depth.value > 0.0, "overlapping, but the depth is 0");
        check(same_when_swapped(&answer, &distance_back), "swapping the arguments changes the distance");
        check(same_depth_when_swapped(&depth, &depth_back), "swapping the arguments changes the depth");
        let intersects = pair.intersects();
        check(intersects == (answer.gap.value == 0.0), "intersects and distance contradict each other");
        let planes = |normal: clearance::glam::DVec3| {
            separation_along(&truth.a, &truth.pose_a, &truth.b, &truth.pose_b, normal.to_array())
        };
        // The stored normal is of unit length up to a few roundings, which the bounds are scaled by.
        let unit = 1.0 + 8.0 * f64::EPSILON;
        if let Some((_, above)) = answer.normal.and_then(planes) {
            // A lower bound of 0 needs no planes.
            check(
                answer.gap.lower <= 0.0 || above * unit >= answer.gap.lower,
                "the planes across the normal prove less than `lower`",
            );
        }
        if let Some((_, above)) = planes(depth.normal) {
            check(above + depth.depth.upper * unit >= 0.0, "moving B by `upper` along the normal leaves an overlap");
        }
        let proof = pair.relation();
        self.answers.note(&case.place(), &(answer, depth, intersects, &proof));
        check(proof.verify(a, pose_a, b, pose_b).is_ok(), "verify refused the relation");
        let reach = if pair.is_curved() && truth.upper < 0.0 { depth_tolerance } else { tolerance };
        faults.extend(relation_fault(&proof, enclosure, reach));
        faults
    }

    /// Adds what another thread found.
    fn merge(&mut self, other: Tally) {
        self.cases += other.cases;
        self.not_made += other.not_made;
        self.wrong += other.wrong;
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.first_wrong = self.first_wrong.into_iter().chain(other.first_wrong).min();
        self.apart.merge(other.apart);
        self.overlapping.merge(other.overlapping);
        self.deep.merge(other.deep);
        self.deep_cases += other.deep_cases;
        self.deep_wide += other.deep_wide;
        self.slowest.merge(other.slowest);
        self.answers.add(other.answers);
    }

    /// The row of the table.
    fn row(&self, kinds: [ShapeKind; 2]) -> Row {
        let mut more = vec![
            ("cases", json!(self.cases)),
            ("error_apart", json!(self.apart.error.figure)),
            ("width_apart", json!(self.apart.width.figure)),
            ("error_overlapping", json!(self.overlapping.error.figure)),
            ("width_overlapping", json!(self.overlapping.width.figure)),
        ];
        if self.deep_cases > 0 {
            more.push(("width_deep", json!(self.deep.width.figure)));
            more.push(("deep", json!(self.deep_cases)));
            more.push(("deep_wide", json!(self.deep_wide)));
        }
        more.push(("slowest_us", json!(rounded(self.slowest.figure * 1e6, 1))));
        let place = |worst: &Worst| worst.at.map(|case| json!(case.to_string()));
        let places = [("widest_apart", &self.apart.width), ("widest_overlapping", &self.overlapping.width)];
        more.extend(places.into_iter().filter_map(|(key, worst)| Some((key, place(worst)?))));
        if let Some(case) = self.first_wrong {
            more.push(("first_wrong", json!(case.to_string())));
            more.push(("why", json!(self.faults)));
        }
        let ours = self.apart.error.figure.max(self.overlapping.error.figure);
        Row { case: name(kinds), ours, unit: "L", peer: None, wrong: self.wrong, answers: self.answers, more }
    }
}

/// Distance and depth, each with a cold cache.
fn ask(pair: &Pair<'_>) -> Result<(Distance, Penetration), clearance::QueryError> {
    let mut workspace = Workspace::default();
    let answer = pair.distance(&mut PairCache::default(), &mut workspace);
    Ok((answer, pair.penetration(&mut PairCache::default(), &mut workspace)?))
}

/// What is wrong with a relation; within `reach` of touching it may be reported as such.
fn relation_fault(proof: &RelationProof, [low, high]: [f64; 2], reach: f64) -> Option<&'static str> {
    if !(proof.gap.lower <= high && proof.gap.upper >= low) {
        return Some("the bracket of the relation misses the true gap");
    }
    match proof.relation {
        Relation::Separated if high <= 0.0 => Some("not apart, but reported as separated"),
        Relation::Overlapping if low >= 0.0 => Some("not overlapping, but reported as overlapping"),
        Relation::Touching if low > reach || high < -reach => Some("not touching, but reported as touching"),
        _ => None,
    }
}

/// A pair of the oracle in the engine.
struct Bodies {
    shapes: [Shape; 2],
    poses: [Pose; 2],
}

impl Bodies {
    fn new(truth: &TangentShapes) -> Result<Bodies, clearance::Error> {
        let shapes = [engine_shape(&truth.a)?, engine_shape(&truth.b)?];
        Ok(Bodies { shapes, poses: [engine_pose(&truth.pose_a)?, engine_pose(&truth.pose_b)?] })
    }

    fn pair(&self) -> Pair<'_> {
        let ([a, b], [pose_a, pose_b]) = (&self.shapes, &self.poses);
        Pair { a, pose_a, b, pose_b }
    }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let count = if options.quick { QUICK_SEEDS } else { SEEDS };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let tallies = campaign(KINDS, options.seed..options.seed.saturating_add(count), threads);
    for (kinds, tally) in &tallies {
        if let Some(case) = tally.first_wrong {
            eprintln!("lab: {}", describe(*kinds, case));
        }
    }
    Ok(report(KINDS, &tallies, threads))
}

/// A pair in full, with its answers and why they are refused, to investigate a fault.
fn describe(kinds: [ShapeKind; 2], case: Case) -> String {
    let Some(truth) = case.pair(kinds) else { return format!("{}, {case}: no such pair", name(kinds)) };
    let TangentShapes { a, pose_a, b, pose_b, lower, upper, features, .. } = &truth;
    let mut text = format!(
        "{}, {case}, {features:?}: signed distance in [{lower:e}, {upper:e}]\n  {a:?} {pose_a:?}\n  {b:?} {pose_b:?}",
        name(kinds)
    );
    let answers = catch_unwind(|| {
        let bodies = Bodies::new(&truth).ok()?;
        let pair = bodies.pair();
        let Pair { a, pose_a, b, pose_b } = pair;
        let (answer, depth) = ask(&pair).ok()?;
        let proof = pair.relation();
        let verdicts = [
            answer.verify(a, pose_a, b, pose_b),
            depth.verify(a, pose_a, b, pose_b),
            proof.verify(a, pose_a, b, pose_b),
        ];
        let said = verdicts.map(|verdict| verdict.map_or_else(|refusal| refusal.to_string(), |()| "verified".into()));
        Some(format!("\n  {answer:?}: {}\n  {depth:?}: {}\n  {proof:?}: {}", said[0], said[1], said[2]))
    });
    text += answers.ok().flatten().as_deref().unwrap_or("\n  no answer");
    text
}

/// Asks about the pairs of every two kinds, all gaps and situations, and every seed.
fn campaign(kinds: &[ShapeKind], seeds: Range<u64>, threads: usize) -> Vec<([ShapeKind; 2], Tally)> {
    let (rows, cases) = (every_pair(kinds), Case::all(seeds));
    let ask = |tally: &mut Tally, row: usize, place: usize| tally.add(rows[row], cases[place]);
    let total = deal((rows.len(), cases.len()), threads, ask, Tally::merge);
    rows.into_iter().zip(total).collect()
}

/// The table of a campaign.
fn report(kinds: &[ShapeKind], tallies: &[([ShapeKind; 2], Tally)], threads: usize) -> Report {
    let mut all = Tally::default();
    tallies.iter().for_each(|(_, tally)| all.merge(tally.clone()));
    Report {
        experiment: EXPERIMENT.name,
        rows: tallies.iter().map(|(kinds, tally)| tally.row(*kinds)).collect(),
        cases: all.cases,
        more: vec![
            ("not_made", json!(all.not_made)),
            ("error_apart", json!(all.apart.error.figure)),
            ("width_apart", json!(all.apart.width.figure)),
            ("error_overlapping", json!(all.overlapping.error.figure)),
            ("width_overlapping", json!(all.overlapping.width.figure)),
            ("width_deep", json!(all.deep.width.figure)),
            ("deep", json!(all.deep_cases)),
            ("deep_wide", json!(all.deep_wide)),
            ("slowest_us", json!(rounded(all.slowest.figure * 1e6, 1))),
            ("why", json!(all.faults)),
        ],
        goals: Vec::new(),
        markdown: Some(markdown(kinds, tallies, &all)),
        plot: None,
        provenance: Provenance::here(threads),
    }
}

/// Two triangular tables, kinds by kinds: the widest bracket and the largest error.
fn markdown(kinds: &[ShapeKind], tallies: &[([ShapeKind; 2], Tally)], all: &Tally) -> String {
    let table = |worst: fn(&Figures) -> Worst| {
        let columns = std::iter::once(String::new()).chain(kinds.iter().map(|kind| kind.name().to_owned()));
        let columns: Vec<String> = columns.collect();
        let numeric: Vec<bool> = (0..columns.len()).map(|column| column > 0).collect();
        let cell = |column: ShapeKind, row: ShapeKind| {
            let found = tallies.iter().find(|(kinds, _)| *kinds == [column, row]);
            found.map_or_else(String::new, |(_, tally)| {
                format!("{} / {}", short(worst(&tally.apart)), short(worst(&tally.overlapping)))
            })
        };
        let line = |row: &ShapeKind| {
            let cells = kinds.iter().map(|column| cell(*column, *row));
            std::iter::once(row.name().to_owned()).chain(cells).collect()
        };
        markdown_table(&columns, &numeric, &kinds.iter().map(line).collect::<Vec<Vec<String>>>())
    };
    let mut text = format!(
        "The widest bracket, of a distance / of a depth, in L:\n\n{}\nThe largest error, likewise:\n\n{}",
        table(|figures| figures.width),
        table(|figures| figures.error)
    );
    if all.deep_cases > 0 {
        let (deep, wide, widest) = (all.deep_cases, all.deep_wide, short(all.deep.width));
        text += &format!(
            "\nNot in the tables: {deep} pairs of curved bodies deep in each other. Of their brackets {wide} are wider \
             than 1e-9 L, the widest has {widest} L.\n"
        );
    }
    text
}

/// A figure to one digit, and `-` where there is none.
fn short(worst: Worst) -> String {
    match worst.at {
        None => "-".into(),
        Some(_) if worst.figure == 0.0 => "0".into(),
        Some(_) => format!("{:.0e}", worst.figure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point and a segment with a radius.
    const SOME: &[ShapeKind] = &[ShapeKind::Sphere, ShapeKind::Capsule];

    #[test]
    fn a_short_campaign_finds_nothing_wrong_on_any_number_of_threads() {
        let without_clock = |threads| {
            let mut tallies = campaign(SOME, 1..3, threads);
            tallies.iter_mut().for_each(|(_, tally)| tally.slowest = Worst::default());
            tallies
        };
        let tallies = without_clock(2);
        let report = report(SOME, &tallies, 2);
        assert_eq!(report.wrong(), 0, "{}", report.to_text());
        assert_eq!((report.rows.len(), report.cases), (3, 3 * 2 * 78));
        assert!(report.rows.iter().all(|row| row.ours > 0.0 && row.ours < 1e-12), "{}", report.to_text());
        assert_eq!(tallies, without_clock(1));
        let markdown = report.to_markdown();
        assert_eq!(markdown.matches("| capsule |").count(), 4, "{markdown}");
        assert_eq!(markdown.matches(" / ").count(), 7, "{markdown}");
    }

    #[test]
    fn a_fault_is_counted_and_its_case_named() {
        let case = |seed| Case { gap: Gap::Near, situation: Situation::Unit, seed };
        let broken = |seed| Tally {
            cases: 1,
            wrong: 1,
            faults: [("x", 1)].into(),
            first_wrong: Some(case(seed)),
            ..Tally::default()
        };
        let mut tally = broken(7);
        tally.merge(broken(5));
        let kinds = [ShapeKind::Sphere, ShapeKind::Cuboid];
        let row = tally.row(kinds).to_json();
        assert_eq!((&row["case"], &row["wrong"], &row["cases"]), (&json!("sphere and cuboid"), &json!(2), &json!(2)));
        assert_eq!(row["first_wrong"], json!("0.1 apart, size 1, seed 5"));
        assert_eq!(row["why"], json!({"x": 2}));
        assert_eq!(describe(kinds, case(5)).matches("verified").count(), 3);
    }

    #[test]
    fn answers_that_miss_the_truth_are_faults() {
        let kinds = [ShapeKind::Sphere, ShapeKind::Cuboid];
        for gap in [Gap::Overlapping6, Gap::Overlapping, Gap::Touching, Gap::Apart6] {
            let case = Case { gap, situation: Situation::Unit, seed: 2 };
            let truth = case.pair(kinds).unwrap();
            let bodies = Bodies::new(&truth).unwrap();
            assert_eq!(Tally::default().examine(&bodies.pair(), &truth, case), Vec::<&str>::new());
            for shift in [1e-8, -1e-8] {
                let (lower, upper) = (truth.lower + shift, truth.upper + shift);
                let moved = TangentShapes { lower, upper, ..truth.clone() };
                assert!(!Tally::default().examine(&bodies.pair(), &moved, case).is_empty(), "{gap:?} {shift}");
            }
        }
    }

    #[test]
    fn the_worst_is_the_largest_and_of_equals_the_first() {
        let case = |seed| Case { gap: Gap::Near, situation: Situation::Unit, seed };
        let mut worst = Worst::default();
        for (figure, seed) in [(0.0, 9), (1e-15, 4), (2e-15, 3), (2e-15, 2), (1e-16, 1)] {
            worst.note(figure, case(seed));
        }
        assert_eq!(worst, Worst { figure: 2e-15, at: Some(case(2)) });
        assert_eq!(short(worst), "2e-15");
        worst.note(f64::NAN, case(8));
        assert_eq!((worst.figure, worst.at), (f64::INFINITY, Some(case(8))));
    }
}
