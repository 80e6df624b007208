//! Races about two meshes: the engine and the peers are asked the same questions, each timed alone in the same way.
//!
//! FCL and coal run in other processes, so the sides cannot take turns. Every side asks all of its questions once to
//! warm up and then several times over; the figure of a question is its median over the repeats, that of a row the
//! median over its questions, and `worst_ratio` is that of the least favourable question by the least of its times: a
//! neighbour on the machine only ever adds to a time.

use crate::contract::Pair;
use crate::digest::{Digest, Meaning};
use crate::measure::{Cost, each, median};
use crate::meshes::Model;
use crate::peers::question::{Found, PeerRun, Query, Question};
use crate::peers::{HOW_TO_ENABLE, ParryMeshes, coal, fcl};
use crate::report::{Peer, Row, rounded};
use clearance::answer::{Contacts, Distance};
use clearance::query::{
    ContactsOptions, DistanceOptions, IntersectsOptions, contacts_with, distance_with, intersects_with,
};
use clearance::{PairCache, Pose, Shape, Workspace};
use clearance_oracle::MeshJudge;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::Range;

/// How often each question is asked for its median; peers in other processes do as many.
const REPEATS: usize = 5;

/// The meshes in the engine, and what is kept between questions: nothing but memory.
pub struct Bodies {
    /// In the order of the models.
    pub shapes: Vec<Shape>,
    workspace: Workspace,
    contacts: Contacts,
}

impl Bodies {
    /// The models as surfaces: what the peers take them for.
    pub fn new(models: &[&Model]) -> Result<Bodies, clearance::Error> {
        let shapes = models.iter().map(|model| Shape::mesh(&model.points, &model.triangles));
        Ok(Bodies {
            shapes: shapes.collect::<Result<_, _>>()?,
            workspace: Workspace::default(),
            contacts: Contacts::default(),
        })
    }

    /// The answer, without a cache: no question profits from the one before.
    pub fn ask(&mut self, query: &Query) -> Found {
        match query.question {
            Question::FirstContact => Found::Meets(self.intersects(query)),
            Question::AllContacts => Found::Pairs(self.contacts(query).crossings.len() as u64),
            Question::Distance => Found::Distance(self.distance(query).gap.value),
        }
    }

    /// Whether the surfaces meet.
    pub fn intersects(&mut self, query: &Query) -> bool {
        let ([a, b], [pose_a, pose_b]) = (query.models.map(|model| &self.shapes[model]), &query.poses);
        let (options, mut cache) = (IntersectsOptions::default(), PairCache::default());
        intersects_with(a, pose_a, b, pose_b, &options, &mut cache, &mut self.workspace)
    }

    /// How far they are apart.
    pub fn distance(&mut self, query: &Query) -> Distance {
        let ([a, b], [pose_a, pose_b]) = (query.models.map(|model| &self.shapes[model]), &query.poses);
        let (options, mut cache) = (DistanceOptions::default(), PairCache::default());
        distance_with(a, pose_a, b, pose_b, &options, &mut cache, &mut self.workspace)
    }

    /// All pairs of triangles that meet.
    pub fn contacts(&mut self, query: &Query) -> &Contacts {
        let ([a, b], [pose_a, pose_b]) = (query.models.map(|model| &self.shapes[model]), &query.poses);
        let (options, mut cache) = (ContactsOptions::default(), PairCache::default());
        contacts_with(a, pose_a, b, pose_b, &options, &mut cache, &mut self.workspace, &mut self.contacts);
        &self.contacts
    }
}

/// Our answers to all three questions about two placed meshes.
pub struct Answers {
    /// Whether they meet.
    pub meets: bool,
    /// The pairs of triangles that do.
    pub pairs: Vec<(u32, u32)>,
    /// The same with where and how they do, and what is known of the bodies, hashed.
    pub contacts: Digest,
    /// How far they are apart.
    pub distance: Distance,
    /// What is wrong with each by itself or against the others: with `meets`, `pairs` and `distance`.
    pub faults: [Vec<&'static str>; 3],
    /// L, the unit of accuracy.
    pub scale: f64,
}

impl Answers {
    /// Notes what was answered to each question at a place of the row, and the faults.
    pub fn note(&self, place: &impl Meaning, findings: &mut [Findings; 3]) {
        let [contact, all, apart] = findings;
        contact.answers.note(place, &self.meets);
        all.answers.note(place, &self.contacts);
        apart.answers.note(place, &self.distance);
        findings.iter_mut().zip(&self.faults).for_each(|(findings, faults)| findings.note(faults));
    }

    /// Notes all answers at a place of a row that has them together.
    pub fn note_together(&self, place: &impl Meaning, findings: &mut Findings) {
        findings.answers.note(place, &(self.meets, self.contacts, self.distance));
    }
}

/// Asks all three questions and holds the answers against each other.
pub fn answers(bodies: &mut Bodies, query: &Query) -> Answers {
    let (meets, distance) = (bodies.intersects(query), bodies.distance(query));
    let found = bodies.contacts(query);
    let contacts = Digest::of(found);
    let pairs: Vec<_> = found.crossings.iter().map(|found| (found.triangle_a, found.triangle_b)).collect();
    let ([a, b], [pose_a, pose_b]) = (query.models.map(|model| &bodies.shapes[model]), &query.poses);
    let pair = Pair { a, pose_a, b, pose_b };
    let mut faults = [Vec::new(), Vec::new(), Vec::new()];
    let mut check = |holds: bool, question: usize, fault: &'static str| {
        if !holds {
            faults[question].push(fault);
        }
    };
    check(meets == (distance.gap.value == 0.0), 0, "contact and distance contradict each other");
    check(meets != pairs.is_empty(), 1, "contact and pairs contradict each other");
    check(pairs.windows(2).all(|two| two[0] < two[1]), 1, "pairs out of order or twice");
    let ordered = 0.0 <= distance.gap.lower
        && distance.gap.lower <= distance.gap.value
        && distance.gap.value <= distance.gap.upper;
    check(ordered, 2, "bracket out of order");
    check(distance.gap.upper - distance.gap.lower <= pair.tolerance(), 2, "bracket too wide");
    Answers { meets, pairs, contacts, distance, faults, scale: pair.scale() }
}

/// The answers when the meshes are exchanged, and what changes, by question; nothing may.
pub fn when_swapped(bodies: &mut Bodies, query: &Query, ours: &Answers) -> (Answers, [Vec<&'static str>; 3]) {
    let ([model_a, model_b], [pose_a, pose_b]) = (query.models, query.poses);
    let swapped = Query { models: [model_b, model_a], poses: [pose_b, pose_a], question: query.question };
    let mut faults = [Vec::new(), Vec::new(), Vec::new()];
    let other = answers(bodies, &swapped);
    if other.meets != ours.meets {
        faults[0].push("swapping the arguments changes the verdict");
    }
    let mut mirrored: Vec<(u32, u32)> = other.pairs.iter().map(|&(b, a)| (a, b)).collect();
    mirrored.sort_unstable();
    if mirrored != ours.pairs {
        faults[1].push("swapping the arguments changes the pairs");
    }
    let numbers = |found: &Distance| [found.gap.value, found.gap.lower, found.gap.upper].map(f64::to_bits);
    let (here, there) = (&ours.distance, &other.distance);
    let points = (there.witness.b.point, there.witness.a.point, there.witness.b.part, there.witness.a.part);
    if numbers(there) != numbers(here)
        || points != (here.witness.a.point, here.witness.b.point, here.witness.a.part, here.witness.b.part)
    {
        faults[2].push("swapping the arguments changes the distance");
    }
    (other, faults)
}

/// Two meshes as the oracle takes them: its tree finds the pairs in question, exact arithmetic decides.
pub fn judges(models: [&Model; 2], poses: &[Pose; 2]) -> [MeshJudge; 2] {
    [0, 1].map(|side| {
        let rows = poses[side].rotation().transpose().to_cols_array_2d();
        let Model { points, triangles, .. } = models[side];
        MeshJudge::new(points, triangles, rows, poses[side].translation().to_array())
    })
}

/// Questions of one kind that share a row.
pub struct Group {
    /// The row's case.
    pub case: String,
    /// What is asked.
    pub question: Question,
    /// Which of all questions.
    pub range: Range<usize>,
}

/// One side of a race: what each question cost, and its answer; `None` where the side was not asked or ran out of time.
pub struct Contender {
    /// Name and version; ours is empty.
    pub name: &'static str,
    /// Nanoseconds of a call that has nothing to do, contained in every cost.
    pub empty_call: f64,
    /// One for each question.
    pub answers: Vec<Option<(Found, Cost)>>,
}

/// Asks the engine.
pub fn ask_ours(bodies: &mut Bodies, queries: &[Query]) -> Contender {
    let found: Vec<Found> = queries.iter().map(|query| bodies.ask(query)).collect();
    let costs = each(queries.len(), REPEATS, f64::INFINITY, |number| {
        black_box(bodies.ask(black_box(&queries[number])));
    });
    let answers = found.into_iter().zip(costs).map(|(found, cost)| Some((found, cost?))).collect();
    Contender { name: "", empty_call: 0.0, answers }
}

/// Asks every peer that can be had; `seconds` is what parry gets for each group. Who is absent is said on stderr.
pub fn ask_peers(models: &[&Model], queries: &[Query], groups: &[Group], seconds: f64) -> Vec<Contender> {
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
        return Vec::new();
    }
    let mut sides = Vec::new();
    for (name, run) in [(fcl::NAME, fcl::run(models, queries)), (coal::NAME, coal::run(models, queries))] {
        match run {
            Ok(run) => sides.push(Contender::of_run(name, &run)),
            Err(problem) => eprintln!("lab: no {name}: {problem}"),
        }
    }
    match ParryMeshes::new(models, queries) {
        Ok(parry) => sides.extend([parry_as_shipped(&parry, groups, seconds), parry_loop(&parry, groups, seconds)]),
        Err(problem) => eprintln!("lab: no {}: {problem}", ParryMeshes::NAME),
    }
    sides
}

/// The name of the loop over two of parry's trees.
const LOOP_NAME: &str = "loop over parry's leaf_pairs";

/// parry's own functions. None of them lists the pairs of triangles that meet.
fn parry_as_shipped(parry: &ParryMeshes, groups: &[Group], seconds: f64) -> Contender {
    let ask = |question: Question, number: usize| match question {
        Question::FirstContact => Some(Found::Meets(parry.intersects(number))),
        Question::AllContacts => None,
        Question::Distance => Some(Found::Distance(parry.distance(number))),
    };
    Contender::within(ParryMeshes::NAME, groups, seconds, ask)
}

/// The loop; it has no distance.
fn parry_loop(parry: &ParryMeshes, groups: &[Group], seconds: f64) -> Contender {
    let ask = |question: Question, number: usize| match question {
        Question::FirstContact => Some(Found::Meets(parry.first_pair(number))),
        Question::AllContacts => Some(Found::Pairs(parry.count_pairs(number))),
        Question::Distance => None,
    };
    Contender::within(LOOP_NAME, groups, seconds, ask)
}

impl Contender {
    fn of_run(name: &'static str, run: &PeerRun) -> Contender {
        let answer = |answer: &crate::peers::question::PeerAnswer| {
            Some((answer.found, Cost { median: answer.nanoseconds, least: answer.least }))
        };
        Contender { name, empty_call: run.empty_call, answers: run.answers.iter().map(answer).collect() }
    }

    /// Asks group by group, no longer than so many seconds each; `ask` gives `None` for what the side cannot answer.
    fn within(
        name: &'static str,
        groups: &[Group],
        seconds: f64,
        mut ask: impl FnMut(Question, usize) -> Option<Found>,
    ) -> Contender {
        let mut answers = vec![None; groups.iter().map(|group| group.range.end).max().unwrap_or(0)];
        for Group { question, range, .. } in groups {
            let mut found = vec![None; range.len()];
            let costs = each(range.len(), REPEATS, seconds, |number| {
                found[number] = black_box(ask(*question, range.start + number));
            });
            for (number, (found, cost)) in found.into_iter().zip(costs).enumerate() {
                answers[range.start + number] = found.zip(cost);
            }
        }
        Contender { name, empty_call: 0.0, answers }
    }
}

/// What checking the answers of a group found.
#[derive(Default)]
pub struct Findings {
    /// Questions with a fault.
    pub wrong: u64,
    /// How often each fault was found.
    pub why: BTreeMap<&'static str, u64>,
    /// Our answers.
    pub answers: Digest,
}

impl Findings {
    /// Adds what was found elsewhere.
    pub fn add(&mut self, other: Findings) {
        self.wrong += other.wrong;
        self.answers.add(other.answers);
        for (fault, count) in other.why {
            *self.why.entry(fault).or_default() += count;
        }
    }

    /// Notes the faults of one question.
    pub fn note(&mut self, faults: &[&'static str]) {
        self.wrong += u64::from(!faults.is_empty());
        for &fault in faults {
            *self.why.entry(fault).or_default() += 1;
        }
    }
}

/// A group's race against one peer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Race {
    /// Our median.
    pub ours: f64,
    /// Their median.
    pub theirs: f64,
    /// The least favourable question.
    pub worst_ratio: f64,
    /// What they cost without the way into the library, over ours; `None` where that way is more than half of the cost,
    /// so that the rest is not known well.
    pub net_ratio: Option<f64>,
    /// Questions that both answered.
    pub asked: usize,
    /// Answers of theirs that disagree with ours beyond their own tolerance.
    pub peer_off: u64,
}

/// How far a peer's distance may be off before it counts, relative to the lengths in play.
const PEER_TOLERANCE: f64 = 1e-6;

/// Whether two answers to one question agree; distances to a millionth of `length`, and a negative one means 0.
pub fn agree(ours: Found, theirs: Found, length: f64) -> bool {
    match (ours, theirs) {
        (Found::Distance(ours), Found::Distance(theirs)) => {
            (ours - theirs.max(0.0)).abs() <= PEER_TOLERANCE * length.max(ours)
        }
        _ => ours == theirs,
    }
}

/// The race of a group; `None` if the peer answered nothing of it.
pub fn race(group: &Group, ours: &Contender, theirs: &Contender, length: f64) -> Option<Race> {
    let both: Vec<_> =
        group.range.clone().filter_map(|number| ours.answers[number].zip(theirs.answers[number])).collect();
    if both.is_empty() {
        return None;
    }
    let our_median = median(both.iter().map(|(ours, _)| ours.1.median).collect());
    let their_median = median(both.iter().map(|(_, theirs)| theirs.1.median).collect());
    let net = |cost: f64| (cost >= 2.0 * theirs.empty_call).then_some(cost - theirs.empty_call);
    let worst = |cost: &dyn Fn(f64) -> Option<f64>| {
        let ratios = both.iter().filter_map(|(ours, theirs)| Some(cost(theirs.1.least)? / ours.1.least));
        ratios.reduce(f64::min)
    };
    Some(Race {
        ours: our_median,
        theirs: their_median,
        worst_ratio: worst(&net).or_else(|| worst(&Some)).unwrap_or(f64::NAN),
        net_ratio: net(their_median).map(|cost| cost / our_median),
        asked: both.len(),
        peer_off: both.iter().filter(|(ours, theirs)| !agree(ours.0, theirs.0, length)).count() as u64,
    })
}

/// The rows of a group, one for each peer that answered, or one without a peer. What is wrong with our answers is
/// counted in the first.
pub fn rows(
    group: &Group,
    ours: &Contender,
    peers: &[Contender],
    findings: &Findings,
    length: f64,
    more: &[(&'static str, Value)],
) -> (Vec<Row>, Vec<(&'static str, Race)>) {
    let races: Vec<(&'static str, f64, Race)> =
        peers.iter().filter_map(|side| Some((side.name, side.empty_call, race(group, ours, side, length)?))).collect();
    let mut why = more.to_vec();
    if !findings.why.is_empty() {
        why.push(("why", json!(findings.why)));
    }
    if races.is_empty() {
        let costs = group.range.clone().filter_map(|number| Some(ours.answers[number]?.1.median));
        let median = rounded(median(costs.collect()) / 1e3, 3);
        let (case, wrong, answers) = (group.case.clone(), findings.wrong, findings.answers);
        return (vec![Row { case, ours: median, unit: "us", peer: None, wrong, answers, more: why }], Vec::new());
    }
    let row = |(index, (name, empty_call, race)): (usize, &(&'static str, f64, Race))| {
        let mut cells = if index == 0 { why.clone() } else { more.to_vec() };
        cells.push(("asked", json!(race.asked)));
        cells.push(("peer_off", json!(race.peer_off)));
        if *empty_call > 0.0 {
            cells.push(("empty_call", json!(rounded(empty_call / 1e3, 3))));
            cells.push(("net_ratio", json!(race.net_ratio.map(|ratio| rounded(ratio, 3)))));
        }
        let peer = Peer {
            name,
            theirs: rounded(race.theirs / 1e3, 3),
            ratio: rounded(race.theirs / race.ours, 3),
            worst_ratio: rounded(race.worst_ratio, 3),
        };
        let wrong = if index == 0 { findings.wrong } else { 0 };
        Row {
            case: group.case.clone(),
            ours: rounded(race.ours / 1e3, 3),
            unit: "us",
            peer: Some(peer),
            wrong,
            answers: findings.answers,
            more: cells,
        }
    };
    let rows = races.iter().enumerate().map(row).collect();
    (rows, races.into_iter().map(|(name, _, race)| (name, race)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::glam::DVec3;

    fn side(name: &'static str, empty_call: f64, costs: &[Option<f64>]) -> Contender {
        let answer =
            |cost: &Option<f64>| cost.map(|cost| (Found::Meets(true), Cost { median: cost, least: 0.5 * cost }));
        Contender { name, empty_call, answers: costs.iter().map(answer).collect() }
    }

    fn group(range: Range<usize>) -> Group {
        Group { case: "case".into(), question: Question::FirstContact, range }
    }

    #[test]
    fn exact_pairs_of_sheets_that_touch_in_an_edge() {
        let sheet = Model {
            name: "sheet".into(),
            points: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        };
        let beside = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
        let pairs = |x: f64| {
            let [a, b] = judges([&sheet, &sheet], &[Pose::IDENTITY, beside(x)]);
            a.meeting_pairs(&b)
        };
        // The first triangle has the edge at x = 1, the second the one at x = -1; the other two touch in its ends.
        assert_eq!(pairs(2.0), [(0, 0), (0, 1), (1, 1)]);
        assert_eq!(pairs(2.0_f64.next_up()), []);
        assert_eq!(pairs(0.0).len(), 4);
    }

    #[test]
    fn a_race_counts_only_what_both_answered() {
        let ours = side("", 0.0, &[Some(1000.0), Some(2000.0), Some(3000.0), Some(9.0)]);
        let theirs = side("them", 500.0, &[Some(8000.0), Some(6000.0), None, Some(9.0)]);
        let race = race(&group(0..3), &ours, &theirs, 1.0).unwrap();
        assert_eq!((race.ours, race.theirs, race.asked, race.peer_off), (1500.0, 7000.0, 2, 0));
        // Half of 6000 less 500, over half of 2000.
        assert_eq!((race.worst_ratio, race.net_ratio), (2.5, Some(6500.0 / 1500.0)));
        // What is mostly the way into the library has no net figure.
        let distant = side("them", 4500.0, &[Some(8000.0), Some(6000.0)]);
        let race = super::race(&group(0..2), &ours, &distant, 1.0).unwrap();
        assert_eq!((race.worst_ratio, race.net_ratio), (3.0, None));
        assert_eq!(super::race(&group(2..3), &ours, &theirs, 1.0), None);
    }

    #[test]
    fn faults_are_counted_in_the_first_row_alone() {
        let ours = side("", 0.0, &[Some(1000.0)]);
        let peers = [side("one", 0.0, &[Some(8000.0)]), side("two", 500.0, &[Some(4000.0)])];
        let mut findings = Findings::default();
        findings.note(&["this", "that"]);
        findings.note(&[]);
        let (rows, races) = rows(&group(0..1), &ours, &peers, &findings, 1.0, &[]);
        assert_eq!((rows.len(), rows[0].wrong, rows[1].wrong, races.len()), (2, 1, 0, 2));
        assert_eq!((&rows[0].to_json()["why"]["that"], &rows[1].to_json()["net_ratio"]), (&json!(1), &json!(3.5)));
        let (alone, _) = super::rows(&group(0..1), &ours, &[], &findings, 1.0, &[]);
        assert_eq!((alone.len(), alone[0].wrong, alone[0].ours), (1, 1, 1.0));
    }

    #[test]
    fn answers_agree_within_the_peers_tolerance() {
        assert!(agree(Found::Distance(0.0), Found::Distance(-1.0), 1.0));
        assert!(agree(Found::Distance(1.0), Found::Distance(1.0 + 1e-9), 1.0));
        assert!(!agree(Found::Distance(1.0), Found::Distance(1.0 + 1e-5), 1.0));
        assert!(!agree(Found::Pairs(3), Found::Pairs(4), 1.0) && agree(Found::Pairs(3), Found::Pairs(3), 1.0));
    }
}
