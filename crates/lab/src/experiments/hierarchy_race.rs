//! Trees of all kinds of volumes and builders against each other and against the default path: the cost equation of
//! Gottschalk, Lin and Manocha (*OBBTree*, 1996), `T = Nv Cv + Np Cp + Nu Cu`, on real models.
//!
//! Each model, scaled into the unit cube, is placed against itself at the gaps of `mesh-speed`, in slight and in deep
//! overlap. A row is a model, a question and a tree: `ours` is the mean over the poses of the median times, `nv` and
//! `np` the mean numbers of tests. `cv` and `cp` are the costs in nanoseconds with which `nv cv + np cp` comes nearest
//! to the times of that tree and that question over all models; `model` is what the equation then gives, in the unit of
//! the row. So the costs contain the way from test to test; a test of volumes by itself is in the summary. Refit: the
//! model is twisted, `nu` volumes are fitted, and `cu` is what one costs.
//!
//! Answers are compared with those of the default path: first contact, the crossings, and brackets of distances that
//! have a number in common. `verify` has to accept every answer; one that equals an answer of that pose to the bit that
//! it has accepted already is not given to it again. FCL and coal are asked in the same run with the trees that they
//! have themselves, where these answer: their pairs stand beside the like volumes here, their default trees beside our
//! default path.

use super::mesh_race::{Answers, Bodies, agree, answers};
use super::mesh_speed::{DEEP, GAPS, SLIGHT, models};
use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::hierarchies::{TreeKind, Trees, fitted_costs, model_error, twisted};
use crate::measure::{each, median, timed};
use crate::mesh_scenes::{approaches, place_at_gap, place_overlapping, place_with_pairs};
use crate::meshes::Model;
use crate::models::Random;
use crate::peers::question::{Found, PeerRun, Query, Question};
use crate::peers::{HOW_TO_ENABLE, coal, fcl};
use crate::plot::{Chart, Plot, Series};
use crate::report::{Goal, Peer, Provenance, Report, Row, markdown_table, rounded};
use clearance::answer::{Contacts, Distance};
use clearance::glam::DVec3;
use clearance::index::{Build, Stats};
use clearance::query::{DistanceOptions, distance_with};
use clearance::{Mesh, PairCache, Pose, Shape, Workspace};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "hierarchy-race",
    about: "trees of all volumes and builders on models at exact distances: tests, times, costs; against FCL, coal",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// How often each question is asked for its median.
const REPEATS: usize = 3;
/// Volumes that are raced with every builder; the others with the default one.
const EVERY_BUILDER: [&str; 3] = ["sphere", "AABB", "OBB"];
/// The angle by which a model is twisted for a refit, in radians over its length.
const TWIST: f64 = 0.2;
/// Who is drawn, with the default builder.
const DRAWN: [&str; 5] = ["sphere", "AABB", "18-DOP", "OBB", "RSS"];
/// Peers' trees: who, their name for the volumes, ours beside which they stand (`None`: the default path), whether they
/// have distances.
const PEERS: [(PeerKind, &str, &str, Option<&str>, bool); 7] = [
    (PeerKind::Fcl, "OBBRSS", "fcl 0.7", None, true),
    (PeerKind::Fcl, "AABB", "fcl 0.7 AABB", Some("AABB"), true),
    (PeerKind::Fcl, "OBB", "fcl 0.7 OBB", Some("OBB"), false),
    (PeerKind::Fcl, "RSS", "fcl 0.7 RSS", Some("RSS"), true),
    (PeerKind::Fcl, "KDOP18", "fcl 0.7 KDOP18", Some("18-DOP"), false),
    (PeerKind::Coal, "OBBRSS", "coal 3.0.3", None, true),
    (PeerKind::Coal, "OBB", "coal 3.0.3 OBB", Some("OBB"), false),
];

#[derive(Clone, Copy, PartialEq)]
enum PeerKind {
    Fcl,
    Coal,
}

/// How a model is placed against itself.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Situation {
    Gap(f64),
    Slight,
    Deep,
}

impl Situation {
    fn name(self) -> String {
        match self {
            Situation::Gap(gap) => format!("gap {gap}"),
            Situation::Slight => "slight overlap".into(),
            Situation::Deep => "deep overlap".into(),
        }
    }

    /// What is asked: of meshes apart there is nothing to list, of meshes that meet there is no distance.
    fn asks(self, question: Question) -> bool {
        match question {
            Question::FirstContact => true,
            Question::AllContacts => !matches!(self, Situation::Gap(_)),
            Question::Distance => matches!(self, Situation::Gap(_)),
        }
    }
}

/// A question as rows call it.
fn said(question: Question) -> &'static str {
    match question {
        Question::FirstContact => "first contact",
        Question::AllContacts => "all contacts",
        Question::Distance => "distance",
    }
}

const QUESTIONS: [Question; 3] = [Question::FirstContact, Question::AllContacts, Question::Distance];

/// A placed model with the answers of the default path.
struct Placed {
    situation: Situation,
    pose: Pose,
    answers: Answers,
    contacts: Contacts,
    /// Answers that `verify` has accepted, besides those of the default path.
    verified: Vec<Distance>,
    /// What was wrong with the default path's own.
    faults: Vec<&'static str>,
}

/// A model with its poses.
struct Scene<'a> {
    model: &'a Model,
    mesh: Mesh,
    shape: Shape,
    placed: Vec<Placed>,
}

impl<'a> Scene<'a> {
    fn new(model: &'a Model, directions: usize, random: &mut Random) -> Result<Scene<'a>, LabError> {
        let mesh = Mesh::new(&model.points, &model.triangles)?;
        let shape = Shape::Mesh(mesh.clone());
        let mut bodies = Bodies::new(&[model])?;
        let radius = model.points.iter().map(|&point| DVec3::from(point).length()).fold(0.0, f64::max);
        let mut situations: Vec<Situation> = GAPS.iter().map(|&gap| Situation::Gap(gap)).collect();
        situations.extend([Situation::Slight, Situation::Deep]);
        let mut placed = Vec::new();
        // Every direction with an orientation of its own.
        let ways: Vec<_> = (0..directions).flat_map(|_| approaches(1, 1, random)).collect();
        for situation in situations {
            for way in &ways {
                let query = |pose: &Pose| query(pose, Question::Distance);
                let mut gap = |pose: &Pose| bodies.distance(&query(pose)).gap.value;
                let pose = match situation {
                    Situation::Gap(wanted) => place_at_gap(way, 2.0 * radius, wanted, gap)?,
                    Situation::Slight => place_overlapping(way, 2.0 * radius, SLIGHT, &mut gap)?,
                    Situation::Deep => {
                        let pairs = |pose: &Pose| bodies.contacts(&query(pose)).crossings.len() as u64;
                        place_with_pairs(way, 2.0 * radius, DEEP, pairs)?
                    }
                };
                let Some(pose) = pose else { continue };
                let answers = answers(&mut bodies, &query(&pose));
                let contacts = bodies.contacts(&query(&pose)).clone();
                let mut faults = answers.faults.concat();
                if answers.distance.verify(&shape, &Pose::IDENTITY, &shape, &pose).is_err() {
                    faults.push("verify refused the distance");
                }
                if contacts.verify(&shape, &Pose::IDENTITY, &shape, &pose).is_err() {
                    faults.push("verify refused the contacts");
                }
                placed.push(Placed { situation, pose, answers, contacts, verified: Vec::new(), faults });
            }
        }
        Ok(Scene { model, mesh, shape, placed })
    }

    /// The placed models of which a question is asked.
    fn asked(&self, question: Question) -> Vec<usize> {
        (0..self.placed.len()).filter(|&number| self.placed[number].situation.asks(question)).collect()
    }

    /// The queries of a question.
    fn queries(&self, question: Question) -> Vec<Query> {
        self.asked(question).into_iter().map(|number| query(&self.placed[number].pose, question)).collect()
    }
}

fn query(pose: &Pose, question: Question) -> Query {
    Query { models: [0, 0], poses: [Pose::IDENTITY, *pose], question }
}

/// What a tree did with a question about a model.
struct Measured {
    question: Question,
    /// By pose: the situation, the numbers of tests, nanoseconds.
    samples: Vec<(Situation, Stats, f64)>,
    wrong: u64,
    why: BTreeMap<&'static str, u64>,
    answers: Digest,
}

impl Measured {
    fn time(&self) -> f64 {
        self.samples.iter().map(|sample| sample.2).sum::<f64>() / self.samples.len() as f64
    }

    fn number(&self, of: fn(&Stats) -> u64) -> f64 {
        self.samples.iter().map(|sample| of(&sample.1) as f64).sum::<f64>() / self.samples.len() as f64
    }

    fn costs(&self) -> impl Iterator<Item = (Stats, f64)> + '_ {
        self.samples.iter().map(|&(_, stats, time)| (stats, time))
    }

    fn note(&mut self, fault: &'static str) {
        *self.why.entry(fault).or_default() += 1;
    }
}

/// A tree over a model.
struct Contender {
    /// `None` is the default path.
    kind: Option<TreeKind>,
    /// Milliseconds to build it, its bytes and nodes.
    build: f64,
    size: [usize; 2],
    questions: Vec<Measured>,
    refit: Option<Refit>,
}

/// A tree adapted to a twisted model.
struct Refit {
    /// Nanoseconds, and volumes fitted.
    time: f64,
    updates: u64,
    wrong: bool,
    answer: Digest,
}

impl Contender {
    fn name(&self) -> String {
        self.kind.as_ref().map_or_else(|| "default".into(), TreeKind::name)
    }

    fn of(&self, question: Question) -> Option<&Measured> {
        self.questions.iter().find(|measured| measured.question == question)
    }
}

/// Nanoseconds of each query.
fn times(queries: &[Query], mut ask: impl FnMut(&Query)) -> Vec<f64> {
    let costs = each(queries.len(), REPEATS, f64::INFINITY, |number| ask(black_box(&queries[number])));
    costs.into_iter().map(|cost| cost.map_or(f64::NAN, |cost| cost.median)).collect()
}

/// Asks a tree all questions about a model.
fn ask_tree(trees: &mut dyn Trees, scene: &mut Scene, question: Question) -> Option<Measured> {
    let (asked, queries) = (scene.asked(question), scene.queries(question));
    if asked.is_empty() {
        return None;
    }
    let mut measured =
        Measured { question, samples: Vec::new(), wrong: 0, why: BTreeMap::new(), answers: Digest::default() };
    for (&number, query) in asked.iter().zip(&queries) {
        let placed = &mut scene.placed[number];
        let before: u64 = measured.why.values().sum();
        match question {
            Question::FirstContact => {
                let meets = trees.intersects(query);
                measured.answers.note(&number, &meets);
                if meets != placed.answers.meets {
                    measured.note("another verdict than the default path's");
                }
            }
            Question::AllContacts => {
                let found = trees.contacts(query);
                measured.answers.note(&number, &Digest::of(found));
                if found.crossings != placed.contacts.crossings {
                    measured.note("other crossings than the default path's");
                }
                let known = *found == placed.contacts;
                if !known && found.verify(&scene.shape, &Pose::IDENTITY, &scene.shape, &placed.pose).is_err() {
                    measured.note("verify refused the contacts");
                }
            }
            Question::Distance => {
                let found = trees.distance(query);
                measured.answers.note(&number, &found);
                let gap = &placed.answers.distance.gap;
                if found.gap.lower > gap.upper || gap.lower > found.gap.upper {
                    measured.note("another distance than the default path's");
                }
                if found != placed.answers.distance && !placed.verified.contains(&found) {
                    if found.verify(&scene.shape, &Pose::IDENTITY, &scene.shape, &placed.pose).is_ok() {
                        placed.verified.push(found);
                    } else {
                        measured.note("verify refused the distance");
                    }
                }
            }
        }
        measured.wrong += u64::from(measured.why.values().sum::<u64>() > before);
    }
    let stats: Vec<Stats> = queries.iter().map(|query| trees.count(query)).collect();
    let times = times(&queries, |query| match question {
        Question::FirstContact => {
            black_box(trees.intersects(query));
        }
        Question::AllContacts => {
            black_box(trees.contacts(query));
        }
        Question::Distance => {
            black_box(trees.distance(query));
        }
    });
    let situations = asked.iter().map(|&number| scene.placed[number].situation);
    measured.samples = situations.zip(stats).zip(times).map(|((where_, stats), time)| (where_, stats, time)).collect();
    Some(measured)
}

/// The default path, whose answers are those of the scene.
fn ask_default(scene: &Scene) -> Result<Contender, LabError> {
    let mut bodies = Bodies::new(&[scene.model])?;
    let mut questions = Vec::new();
    for question in QUESTIONS {
        let (asked, queries) = (scene.asked(question), scene.queries(question));
        if asked.is_empty() {
            continue;
        }
        let mut measured =
            Measured { question, samples: Vec::new(), wrong: 0, why: BTreeMap::new(), answers: Digest::default() };
        for &number in &asked {
            let placed = &scene.placed[number];
            match question {
                Question::FirstContact => {
                    measured.answers.note(&number, &placed.answers.meets);
                    // What is wrong with any of the three is counted here.
                    measured.wrong += u64::from(!placed.faults.is_empty());
                    placed.faults.iter().for_each(|&fault| measured.note(fault));
                }
                Question::AllContacts => measured.answers.note(&number, &Digest::of(&placed.contacts)),
                Question::Distance => measured.answers.note(&number, &placed.answers.distance),
            }
        }
        let times = times(&queries, |query| {
            black_box(bodies.ask(query));
        });
        let situations = asked.iter().map(|&number| scene.placed[number].situation);
        measured.samples = situations.zip(times).map(|(situation, time)| (situation, Stats::default(), time)).collect();
        questions.push(measured);
    }
    let (_, build) = timed(|| Mesh::new(&scene.model.points, &scene.model.triangles));
    Ok(Contender { kind: None, build: 1e3 * build, size: [0, 0], questions, refit: None })
}

/// Adapts a tree to the twisted model, and asks for a distance from the model as it was.
fn refit(
    trees: &mut dyn Trees,
    scene: &Scene,
    moved: &Mesh,
    expected: &Distance,
    pose: &Pose,
) -> Result<Refit, LabError> {
    let (mut spent, mut updates) = (Vec::new(), 0);
    for _ in 0..REPEATS {
        let (stats, seconds) = timed(|| trees.refit(1, moved));
        updates = stats?.updates;
        spent.push(1e9 * seconds);
    }
    let query = Query { models: [0, 1], poses: [Pose::IDENTITY, *pose], question: Question::Distance };
    let found = trees.distance(&query);
    let apart = found.gap.lower > expected.gap.upper || expected.gap.lower > found.gap.upper;
    let refused =
        found != *expected && found.verify(&scene.shape, &Pose::IDENTITY, &Shape::Mesh(moved.clone()), pose).is_err();
    Ok(Refit { time: median(spent), updates, wrong: apart || refused, answer: Digest::of(&found) })
}

/// A model's twisted self, where it is, and how far from the model: the truth for refits.
fn twisted_self(scene: &Scene) -> Result<(Mesh, Pose, Distance, bool), LabError> {
    let moved = scene.mesh.moved(&twisted(&scene.model.points, TWIST))?;
    // Outside the unit cubes.
    let pose = Pose::from_translation(DVec3::new(1.5, 0.2, 0.1))?;
    let shape = Shape::Mesh(moved.clone());
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    let options = DistanceOptions::default();
    let found = distance_with(&scene.shape, &Pose::IDENTITY, &shape, &pose, &options, &mut cache, &mut workspace);
    let refused = found.verify(&scene.shape, &Pose::IDENTITY, &shape, &pose).is_err();
    Ok((moved, pose, found, refused))
}

/// All trees over one model.
fn race(scene: &mut Scene, kinds: &[TreeKind]) -> Result<Vec<Contender>, LabError> {
    let (moved, pose, expected, refused) = twisted_self(scene)?;
    let mut contenders = vec![ask_default(scene)?];
    for kind in kinds {
        let mesh = scene.mesh.clone();
        // One of them is to be adapted; both build in the same time.
        let (mut trees, seconds) = timed(|| kind.build(&[mesh.clone(), mesh]));
        let mut questions = Vec::new();
        for question in QUESTIONS {
            questions.extend(ask_tree(trees.as_mut(), scene, question));
        }
        let size = trees.size(0);
        let mut refit = refit(trees.as_mut(), scene, &moved, &expected, &pose)?;
        refit.wrong |= refused;
        contenders.push(Contender { kind: Some(*kind), build: 0.5e3 * seconds, size, questions, refit: Some(refit) });
    }
    Ok(contenders)
}

/// A peer's number in [`PEERS`], its answers and times by question, and the time of an empty call.
type PeerAnswers = (usize, BTreeMap<&'static str, Vec<(Found, f64)>>, f64);

/// What the peers' trees answered about a model: the queries of each question in order.
fn ask_peers(scene: &Scene) -> Vec<PeerAnswers> {
    let mut found = Vec::new();
    for (number, &(kind, volumes, name, _, has_distances)) in PEERS.iter().enumerate() {
        let asked = QUESTIONS.into_iter().filter(|&question| question != Question::Distance || has_distances);
        let groups: Vec<(Question, Vec<Query>)> = asked.map(|question| (question, scene.queries(question))).collect();
        let queries: Vec<Query> = groups.iter().flat_map(|(_, queries)| queries.iter().cloned()).collect();
        let run: Result<PeerRun, String> = match kind {
            PeerKind::Fcl => fcl::run_with(volumes, &[scene.model], &queries),
            PeerKind::Coal => coal::run_with(volumes, &[scene.model], &queries),
        };
        match run {
            Ok(run) => {
                let mut answers = run.answers.iter().map(|answer| (answer.found, answer.nanoseconds));
                let of = |(question, queries): &(Question, Vec<Query>)| {
                    (said(*question), answers.by_ref().take(queries.len()).collect())
                };
                let by_question = groups.iter().map(of).collect();
                found.push((number, by_question, run.empty_call));
            }
            Err(problem) => eprintln!("lab: no {name}: {problem}"),
        }
    }
    found
}

/// The races of a question against the peers that stand beside a tree, and how many of their answers differ from ours.
fn peers_of(contender: &Contender, measured: &Measured, scene: &Scene, peers: &[PeerAnswers]) -> Vec<(Peer, u64)> {
    let beside = match &contender.kind {
        None => None,
        Some(kind) if kind.is_plain() => Some(kind.volume),
        Some(_) => return Vec::new(),
    };
    let mut races = Vec::new();
    for (number, answers, _) in peers {
        let (_, _, name, volume, _) = PEERS[*number];
        let Some(theirs) = answers.get(said(measured.question)).filter(|_| volume == beside) else { continue };
        let mean = theirs.iter().map(|answer| answer.1).sum::<f64>() / theirs.len() as f64;
        let ratios = theirs.iter().zip(&measured.samples).map(|(theirs, ours)| theirs.1 / ours.2);
        let off = theirs.iter().zip(scene.asked(measured.question)).filter(|(theirs, number)| {
            let placed = &scene.placed[*number];
            let ours = match measured.question {
                Question::FirstContact => Found::Meets(placed.answers.meets),
                Question::AllContacts => Found::Pairs(placed.contacts.crossings.len() as u64),
                Question::Distance => Found::Distance(placed.answers.distance.gap.value),
            };
            !agree(ours, theirs.0, 1.0)
        });
        let peer = Peer {
            name,
            theirs: rounded(mean / 1e3, 3),
            ratio: rounded(mean / measured.time(), 3),
            worst_ratio: rounded(ratios.fold(f64::INFINITY, f64::min), 3),
        };
        races.push((peer, off.count() as u64));
    }
    races
}

/// The geometric mean; NaN of nothing.
fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// All models with their trees.
struct Table<'a> {
    scenes: Vec<Scene<'a>>,
    contenders: Vec<Vec<Contender>>,
    /// Costs of a test of volumes and one of triangles, by tree and question.
    costs: BTreeMap<(String, &'static str), [f64; 2]>,
    /// Nanoseconds of a test of volumes by itself, by volume: whether they overlap, and how far they are apart.
    tests: Vec<(&'static str, [Option<f64>; 2])>,
}

impl Table<'_> {
    /// The ratios of the times of two trees for a question, pose by pose over all models, and those of `nv`.
    fn ratios(&self, slow: &str, fast: &str, question: Question) -> [Vec<f64>; 2] {
        let (mut times, mut tests) = (Vec::new(), Vec::new());
        for contenders in &self.contenders {
            let of = |name: &str| contenders.iter().find(|contender| contender.name() == name)?.of(question);
            let Some((slow, fast)) = of(slow).zip(of(fast)) else { continue };
            for (slow, fast) in slow.samples.iter().zip(&fast.samples) {
                times.push(slow.2 / fast.2);
                tests.push(slow.1.volume_tests as f64 / fast.1.volume_tests.max(1) as f64);
            }
        }
        [times, tests]
    }

    /// The builder with which trees of a volume took the least time for a question, in the geometric mean.
    fn best(&self, volume: &str, question: Question) -> Option<String> {
        let names: BTreeSet<String> = self
            .contenders
            .iter()
            .flatten()
            .filter_map(|contender| contender.kind.filter(|kind| kind.volume == volume).map(|kind| kind.name()))
            .collect();
        let time = |name: &String| {
            let found = self.contenders.iter().flatten().filter(|contender| contender.name() == *name);
            let times: Vec<f64> = found
                .filter_map(|contender| contender.of(question))
                .flat_map(|measured| measured.samples.iter().map(|sample| sample.2))
                .collect();
            mean(&times)
        };
        names.into_iter().min_by(|a, b| time(a).total_cmp(&time(b)))
    }

    fn test(&self, volume: &str, by_distance: bool) -> f64 {
        let found = self.tests.iter().find(|(name, _)| *name == volume);
        found.and_then(|(_, costs)| costs[usize::from(by_distance)]).unwrap_or(f64::NAN)
    }

    /// A published factor between two volumes beside ours, with the reason: more tests, or dearer ones.
    fn claim(&self, source: &str, published: [f64; 2], slow: &str, fast: &str, question: Question) -> Value {
        let plain = |volume: &str| TreeKind::of(volume).name();
        let [times, tests] = self.ratios(&plain(slow), &plain(fast), question);
        let (time, test) = (mean(&times), mean(&tests));
        let greatest = times.iter().copied().fold(0.0, f64::max);
        let best = self.best(slow, question).zip(self.best(fast, question)).map(|(slow, fast)| {
            json!({ "of": [slow, fast], "ratio": rounded(mean(&self.ratios(&slow, &fast, question)[0]), 2) })
        });
        let by_distance = question == Question::Distance;
        let one_test = self.test(fast, by_distance) / self.test(slow, by_distance);
        let reproduced = (published[0]..=published[1]).contains(&time);
        let reason = format!(
            "a query of {slow} trees makes {test:.2} times the tests of volumes of {fast} trees, and a test of {fast} \
             costs {one_test:.2} of one of {slow}; at the least favourable pose the factor is {greatest:.1}"
        );
        json!({
            "claim": format!("{}: {fast} trees over {slow} trees, {source}", said(question)),
            "published": published,
            "seen": rounded(time, 2),
            "verdict": if reproduced { "reproduced" } else { "refuted" },
            "reason": reason,
            "best_builders": best,
        })
    }

    /// The three claims of the seeds.
    fn claims(&self) -> Vec<Value> {
        let mut claims = vec![
            self.claim("\"one order of magnitude\"", [5.0, 50.0], "sphere", "OBB", Question::FirstContact),
            self.claim("\"one order of magnitude\"", [5.0, 50.0], "sphere", "OBB", Question::AllContacts),
            self.claim("\"5-20x\"", [5.0, 20.0], "OBB", "RSS", Question::Distance),
            self.claim("\"5-20x\"", [5.0, 20.0], "sphere", "RSS", Question::Distance),
        ];
        let ratio = self.test("OBB", false) / self.test("sphere", false);
        claims.push(json!({
            "claim": "a test of two OBB costs about 10 times one of two spheres",
            "published": [5.0, 20.0],
            "seen": rounded(ratio, 2),
            "verdict": if (5.0..=20.0).contains(&ratio) { "reproduced" } else { "refuted" },
            "reason": format!(
                "{:.1} ns against {:.1} ns, tests of a query in order, most of them ended by one of the first axes",
                self.test("OBB", false), self.test("sphere", false)
            ),
        }));
        claims
    }

    /// The rows of a model.
    fn rows(&self, number: usize, peers: &[PeerAnswers]) -> (Vec<Row>, u64) {
        let (scene, mut rows, mut peer_off) = (&self.scenes[number], Vec::new(), 0);
        for contender in &self.contenders[number] {
            for measured in &contender.questions {
                let case = format!("{} {}: {}", scene.model.name, said(measured.question), contender.name());
                let mut more = self.columns(contender, measured);
                if !measured.why.is_empty() {
                    more.push(("why", json!(measured.why)));
                }
                let (ours, answers) = (rounded(measured.time() / 1e3, 3), measured.answers);
                let row = |peer, wrong, more| Row { case: case.clone(), ours, unit: "us", peer, wrong, answers, more };
                let races = peers_of(contender, measured, scene, peers);
                if races.is_empty() {
                    rows.push(row(None, measured.wrong, more));
                    continue;
                }
                for (index, (peer, off)) in races.into_iter().enumerate() {
                    peer_off += off;
                    let mut more = more.clone();
                    more.push(("peer_off", json!(off)));
                    rows.push(row(Some(peer), if index == 0 { measured.wrong } else { 0 }, more));
                }
            }
            if let Some(refit) = &contender.refit {
                let more = vec![
                    ("nu", json!(refit.updates)),
                    ("cu", json!(rounded(refit.time / refit.updates.max(1) as f64, 1))),
                    ("build_ms", json!(rounded(contender.build, 2))),
                ];
                rows.push(Row {
                    case: format!("{} refit: {}", scene.model.name, contender.name()),
                    ours: rounded(refit.time / 1e3, 3),
                    unit: "us",
                    peer: None,
                    wrong: u64::from(refit.wrong),
                    answers: refit.answer,
                    more,
                });
            }
        }
        (rows, peer_off)
    }

    /// What a row says of the cost equation.
    fn columns(&self, contender: &Contender, measured: &Measured) -> Vec<(&'static str, Value)> {
        let by_situation = |figure: &dyn Fn(&(Situation, Stats, f64)) -> f64| -> Value {
            let mut groups: Vec<(String, Vec<f64>)> = Vec::new();
            for sample in &measured.samples {
                let name = sample.0.name();
                match groups.last_mut().filter(|group| group.0 == name) {
                    Some(group) => group.1.push(figure(sample)),
                    None => groups.push((name, vec![figure(sample)])),
                }
            }
            let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
            Value::Object(groups.into_iter().map(|(name, values)| (name, json!(rounded(mean(values), 2)))).collect())
        };
        let mut more = vec![("us_by_situation", by_situation(&|sample| sample.2 / 1e3))];
        if contender.kind.is_some() {
            let [nv, np] = [measured.number(|stats| stats.volume_tests), measured.number(|stats| stats.triangle_tests)];
            let [cv, cp] = self.costs[&(contender.name(), said(measured.question))];
            more.extend([
                ("nv", json!(rounded(nv, 1))),
                ("np", json!(rounded(np, 1))),
                ("cv", json!(rounded(cv, 1))),
                ("cp", json!(rounded(cp, 1))),
                ("model", json!(rounded((nv * cv + np * cp) / 1e3, 3))),
                ("nv_by_situation", by_situation(&|sample| sample.1.volume_tests as f64)),
                ("bytes", json!(contender.size[0])),
                ("build_ms", json!(rounded(contender.build, 2))),
            ]);
        }
        more
    }

    /// Geometric means over all models and poses, tree by tree: the table of the documentation.
    fn markdown(&self) -> String {
        let Some(first) = self.contenders.first() else { return String::new() };
        let triangles: usize = self.scenes.iter().map(|scene| scene.model.triangles.len()).sum();
        let cells: Vec<Vec<String>> = (0..first.len())
            .map(|number| {
                let of: Vec<&Contender> = self.contenders.iter().map(|contenders| &contenders[number]).collect();
                let mut cells = vec![first[number].name()];
                for question in QUESTIONS {
                    let samples: Vec<&(Situation, Stats, f64)> =
                        of.iter().filter_map(|contender| contender.of(question)).flat_map(|m| &m.samples).collect();
                    let shown = |values: Vec<f64>, places| {
                        if values.is_empty() { "-".into() } else { rounded(mean(&values), places).to_string() }
                    };
                    cells.push(shown(samples.iter().map(|sample| sample.2 / 1e3).collect(), 1));
                    let counted = first[number].kind.is_some();
                    let tests = samples.iter().filter(|_| counted).map(|sample| sample.1.volume_tests as f64);
                    cells.push(shown(tests.collect(), 0));
                }
                let bytes: usize = of.iter().map(|contender| contender.size[0]).sum();
                let build: f64 = of.iter().map(|contender| contender.build).sum();
                let refit: f64 = of.iter().filter_map(|contender| Some(contender.refit.as_ref()?.time)).sum();
                let each = |value: f64, places| {
                    if value > 0.0 { rounded(value / triangles as f64, places).to_string() } else { "-".into() }
                };
                cells.extend([each(bytes as f64, 0), each(1e6 * build, 0), each(refit, 1)]);
                cells
            })
            .collect();
        let columns = [
            "tree",
            "first contact (us)",
            "Nv",
            "all contacts (us)",
            "Nv",
            "distance (us)",
            "Nv",
            "bytes a triangle",
            "build (ns a triangle)",
            "refit (ns a triangle)",
        ];
        let numeric: Vec<bool> = (0..columns.len()).map(|column| column > 0).collect();
        let mut text = markdown_table(&columns.map(String::from), &numeric, &cells);
        let tests: Vec<Vec<String>> = self
            .tests
            .iter()
            .map(|(volume, costs)| {
                let shown = |cost: Option<f64>| cost.map_or_else(|| "-".into(), |cost| rounded(cost, 1).to_string());
                vec![(*volume).into(), shown(costs[0]), shown(costs[1])]
            })
            .collect();
        let columns = ["volume", "overlap test (ns)", "distance test (ns)"];
        text.push('\n');
        text += &markdown_table(&columns.map(String::from), &[false, true, true], &tests);
        text.push('\n');
        let claims: Vec<Vec<String>> = self
            .claims()
            .iter()
            .map(|claim| {
                let text = |key: &str| claim[key].as_str().unwrap_or_default().to_owned();
                vec![text("claim"), claim["seen"].to_string(), text("verdict"), text("reason")]
            })
            .collect();
        text += &markdown_table(
            &["claim", "seen", "verdict", "reason"].map(String::from),
            &[false, true, false, false],
            &claims,
        );
        text
    }

    /// Tests of volumes over the gap, for first contact and for distance.
    fn plot(&self) -> Plot {
        let panel = |question: Question, title: &str, figure: fn(&(Situation, Stats, f64)) -> f64, measure: &str| {
            let line = |(colour, volume): (usize, &&str)| {
                let name = TreeKind::of(volume).name();
                let of_gap = |&gap: &f64| {
                    let contenders = self.contenders.iter().flatten().filter(|contender| contender.name() == name);
                    let values: Vec<f64> = contenders
                        .filter_map(|contender| contender.of(question))
                        .flat_map(|measured| &measured.samples)
                        .filter(|sample| sample.0 == Situation::Gap(gap))
                        .map(figure)
                        .collect();
                    (!values.is_empty()).then(|| (gap, mean(&values)))
                };
                let points = GAPS.iter().rev().filter_map(of_gap).collect();
                Series { name: (*volume).into(), colour, dashed: false, points }
            };
            let series = DRAWN.iter().enumerate().map(line).collect();
            let chart = Chart::Lines { x_label: "gap, longest sides of the model".into(), series };
            Plot { title: title.into(), measure: measure.into(), chart }
        };
        let tests = "pairs of volumes compared, geometric mean over models and poses";
        let times = "microseconds, geometric mean over models and poses";
        let count = |sample: &(Situation, Stats, f64)| sample.1.volume_tests as f64;
        let time = |sample: &(Situation, Stats, f64)| sample.2 / 1e3;
        let panels = vec![
            panel(Question::FirstContact, "First contact: Nv", count, tests),
            panel(Question::FirstContact, "First contact: T", time, times),
            panel(Question::Distance, "Distance: Nv", count, tests),
            panel(Question::Distance, "Distance: T", time, times),
        ];
        let measure = "trees of the default builder, models against themselves".into();
        Plot { title: "Hierarchies on models at exact distances".into(), measure, chart: Chart::Stack(panels) }
    }
}

/// The trees of the race.
fn raced() -> Vec<TreeKind> {
    TreeKind::all()
        .into_iter()
        .filter(|kind| kind.options.build == Build::default() || EVERY_BUILDER.contains(&kind.volume))
        .collect()
}

/// Nanoseconds of a test of each kind of volume by itself, over some queries of a model.
fn test_costs(scene: &Scene, kinds: &[TreeKind]) -> Vec<(&'static str, [Option<f64>; 2])> {
    let plain = kinds.iter().filter(|kind| kind.is_plain());
    plain
        .map(|kind| {
            let mut trees = kind.build(std::slice::from_ref(&scene.mesh));
            let costs = [Question::FirstContact, Question::Distance].map(|question| {
                // The nearest pose without contact has many tests of all sizes of volumes.
                let near = scene.placed.iter().rfind(|placed| matches!(placed.situation, Situation::Gap(_)))?;
                trees.test_cost(&query(&near.pose, question))
            });
            (kind.volume, costs)
        })
        .collect()
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let models = models(options.data.as_deref(), options.quick)?;
    let kinds = raced();
    let directions = if options.quick { 1 } else { 3 };
    let peers_exist = cfg!(feature = "peers");
    if !peers_exist {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    let mut table = Table { scenes: Vec::new(), contenders: Vec::new(), costs: BTreeMap::new(), tests: Vec::new() };
    let mut peers = Vec::new();
    for (number, model) in models.iter().enumerate() {
        eprintln!("lab: {}, {} triangles", model.name, model.triangles.len());
        let mut scene = Scene::new(model, directions, &mut Random::new(options.seed, 4100 + number as u64))?;
        table.contenders.push(race(&mut scene, &kinds)?);
        peers.push(if peers_exist { ask_peers(&scene) } else { Vec::new() });
        if table.tests.is_empty() {
            table.tests = test_costs(&scene, &kinds);
        }
        table.scenes.push(scene);
    }
    let mut samples: BTreeMap<(String, &'static str), Vec<(Stats, f64)>> = BTreeMap::new();
    for contender in table.contenders.iter().flatten().filter(|contender| contender.kind.is_some()) {
        for measured in &contender.questions {
            samples.entry((contender.name(), said(measured.question))).or_default().extend(measured.costs());
        }
    }
    let mut errors = Vec::new();
    for (key, samples) in samples {
        let costs = fitted_costs(&samples);
        errors.extend(samples.iter().map(|sample| model_error(sample, costs).abs()));
        table.costs.insert(key, costs);
    }
    let (mut rows, mut peer_off) = (Vec::new(), 0);
    for (number, peers) in peers.iter().enumerate() {
        let (found, off) = table.rows(number, peers);
        rows.extend(found);
        peer_off += off;
    }
    let answered = table.contenders.iter().flatten().flat_map(|contender| &contender.questions);
    let cases = answered.map(|measured| measured.samples.len() as u64).sum();
    let claims = table.claims();
    let goal = |claim: &Value| Goal {
        goal: format!("{}, published {}", claim["claim"].as_str().unwrap_or_default(), claim["published"]),
        seen: claim["seen"].clone(),
        met: claim["verdict"] == "reproduced",
    };
    let tests: Map<String, Value> = table
        .tests
        .iter()
        .map(|(volume, costs)| ((*volume).to_owned(), json!(costs.map(|c| c.map(|c| rounded(c, 2))))))
        .collect();
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("trees", json!(kinds.len())),
            ("models", json!(models.len())),
            ("median_error_of_the_cost_equation", json!(rounded(median(errors), 3))),
            ("ns_of_a_test_overlap_distance", Value::Object(tests)),
            ("peer_off", json!(peer_off)),
            ("claims", json!(claims)),
        ],
        goals: claims.iter().map(goal).collect(),
        markdown: Some(table.markdown()),
        plot: Some(table.plot()),
        rows,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        assert!(report.cases >= 500, "{}", report.cases);
        assert_eq!(report.goals.len(), 5);
        assert!(report.to_markdown().contains("| OBB, mean |"));
    }

    #[test]
    fn the_race_has_every_volume_and_every_builder() {
        let kinds = raced();
        let volumes: BTreeSet<&str> = kinds.iter().map(|kind| kind.volume).collect();
        let builders: BTreeSet<String> = kinds.iter().map(|kind| format!("{:?}", kind.options.build)).collect();
        assert_eq!((volumes.len(), builders.len()), (15, Build::ALL.len()));
        assert!(PEERS.iter().all(|(.., volume, _)| volume.is_none_or(|volume| volumes.contains(volume))));
    }
}
