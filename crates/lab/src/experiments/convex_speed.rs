//! Every two kinds of convex body, every question, raced against parry.
//!
//! A row is a pair of kinds, a question, a kind of pose and a size. Three questions: whether the bodies meet
//! (`intersects`), how far they are apart (`distance`), and the `contact`: the depth where they overlap
//! (`penetration`), else the gap if it is within a margin (`distance` with `farther_than`), which is what parry's
//! `contact` answers with that margin as its prediction. `coherent` rows keep a `PairCache` between queries; parry's
//! calls take none. Each row asks about a few pairs of bodies at several poses each.
//!
//! Every answer is checked apart from the timing. Where ours is proved by `verify` and parry is off by more than its
//! stopping rule explains, that counts as `peer_wrong`.

use super::{Experiment, Flag, Options};
use crate::allocation;
use crate::contract::{Pair, same_depth_when_swapped, same_when_swapped};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{Plan, Timing, median, race};
use crate::models::{Model, PairPlacement, PoseKind, Random, placements};
use crate::peers::{HOW_TO_ENABLE, ParryPair};
use crate::report::{Peer, Provenance, Report, Row, markdown_table, rounded};
use clearance::glam::DVec3;
use clearance::query::{DistanceOptions, IntersectsOptions, distance_with, intersects_with};
use clearance::{PairCache, Pose, Shape, Workspace};
use clearance_oracle::shape::ShapeKind;
use indicatif::ProgressIterator;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "convex-speed",
    about: "intersects, distance and contact of every two kinds of convex body, and of real hulls with --data, against \
            parry (feature `peers`)",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// The kinds that are raced. A kind is switched on by standing here.
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
];

/// The kinds of pose of a row.
const POSES: [PoseKind; 4] = [PoseKind::Random, PoseKind::Near, PoseKind::Overlapping, PoseKind::Coherent];
/// How much larger than the unit ball the bodies are.
const SIZES: [f64; 3] = [0.02, 1.0, 50.0];
/// Vertices of the hulls that are raced by their number of vertices.
const VERTICES: [usize; 6] = [16, 32, 64, 256, 1024, 4096];
/// The real hulls, under the data folder.
const JOLT: &str = "jolt/convex_hulls.bin.xz";
/// The margin of a contact, in radii of the larger body: above the gap of `near` poses, below that of `random` ones.
const MARGIN: f64 = 0.01;
/// Relative difference that two right answers may have, besides the peer's own tolerance.
const AGREEMENT: f64 = 1e-9;

/// How much work a row is.
#[derive(Clone, Copy)]
struct Effort {
    /// Pairs of bodies.
    groups: usize,
    /// Poses of each pair.
    poses: usize,
    /// How often a batch is timed; a batch is the poses of one pair.
    repeats: usize,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    Intersects,
    Distance,
    Contact,
}

impl Question {
    const ALL: [Question; 3] = [Question::Intersects, Question::Distance, Question::Contact];

    fn name(self) -> &'static str {
        match self {
            Question::Intersects => "intersects",
            Question::Distance => "distance",
            Question::Contact => "contact",
        }
    }
}

/// Which bodies a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bodies {
    /// One of each of two kinds.
    Kinds([ShapeKind; 2]),
    /// Two hulls of so many vertices each.
    Hulls(usize),
    /// Two hulls of the data.
    Jolt,
}

impl Bodies {
    fn name(self) -> String {
        match self {
            Bodies::Kinds([a, b]) => format!("{} and {}", a.name(), b.name()),
            Bodies::Hulls(vertices) => format!("hulls of {vertices}"),
            Bodies::Jolt => "jolt hulls".into(),
        }
    }

    fn models(self, clouds: &[Vec<[f64; 3]>], random: &mut Random) -> [Model; 2] {
        match self {
            Bodies::Kinds(kinds) => kinds.map(|kind| Model::random(kind, random)),
            Bodies::Hulls(vertices) => [0; 2].map(|_| Model::random_hull(vertices, random)),
            Bodies::Jolt => [0; 2].map(|_| Model::Hull(clouds[random.bits() as usize % clouds.len()].clone())),
        }
    }

    /// The ratio aimed at.
    fn goal(self, question: Question) -> f64 {
        let boxes = self == Bodies::Kinds([ShapeKind::Cuboid; 2]);
        let hulls = matches!(self, Bodies::Hulls(_) | Bodies::Jolt) || self == Bodies::Kinds([ShapeKind::Hull; 2]);
        match question {
            Question::Contact if boxes => 15.0,
            Question::Contact if hulls => 5.0,
            Question::Distance => 3.0,
            Question::Intersects if boxes => 2.0,
            _ => 1.0,
        }
    }
}

/// A pair of bodies at several poses.
struct Group {
    shapes: [Shape; 2],
    poses: Vec<[Pose; 2]>,
    peer: Option<ParryPair>,
    margin: f64,
}

impl Group {
    fn new(models: &[Model; 2], places: &[PairPlacement]) -> Result<Group, clearance::Error> {
        let shapes = [models[0].shape()?, models[1].shape()?];
        let poses = places.iter().map(|place| Ok([place.a.pose()?, place.b.pose()?])).collect::<Result<_, _>>()?;
        let margin = MARGIN * models[0].radius().max(models[1].radius());
        let peer = ParryPair::new([&models[0], &models[1]], [&shapes[0], &shapes[1]], places);
        let peer = peer.and_then(|peer| peer.map(|peer| peer.survives(margin).map(|()| peer)).transpose());
        let peer = peer.unwrap_or_else(|problem| {
            eprintln!("lab: no race: {problem}");
            None
        });
        Ok(Group { shapes, poses, peer, margin })
    }

    fn pair(&self, number: usize) -> Pair<'_> {
        let ([a, b], [pose_a, pose_b]) = (&self.shapes, &self.poses[number]);
        Pair { a, pose_a, b, pose_b }
    }
}

/// What is kept between queries.
#[derive(Default)]
struct Memory {
    cache: PairCache,
    workspace: Workspace,
}

/// The bodies and poses of a row.
struct Scene {
    groups: Vec<Group>,
    kind: PoseKind,
}

impl Scene {
    /// Asks our side; without coherence with a cold cache.
    fn ask(&self, question: Question, pair: &Pair<'_>, margin: f64, memory: &mut Memory) {
        if self.kind != PoseKind::Coherent {
            memory.cache = PairCache::default();
        }
        let Memory { cache, workspace } = memory;
        let Pair { a, pose_a, b, pose_b } = *pair;
        match question {
            Question::Intersects => {
                let options = IntersectsOptions::default();
                black_box(intersects_with(a, pose_a, b, pose_b, &options, cache, workspace));
            }
            Question::Distance => {
                black_box(pair.distance(cache, workspace));
            }
            Question::Contact if self.kind == PoseKind::Overlapping => {
                // Never an error for convex bodies, and checked apart from the timing.
                let _ = black_box(pair.penetration(cache, workspace));
            }
            Question::Contact => {
                let options = DistanceOptions { farther_than: Some(margin), ..DistanceOptions::default() };
                black_box(distance_with(a, pose_a, b, pose_b, &options, cache, workspace));
            }
        }
    }

    /// Times both sides: a batch is the poses of one group.
    fn time(&self, question: Question, effort: Effort) -> Timing {
        let per_group = effort.poses;
        let plan = Plan { queries: self.groups.len() * per_group, batch: per_group, repeats: effort.repeats };
        let mut memories: Vec<Memory> = self.groups.iter().map(|_| Memory::default()).collect();
        let ours = |number: usize| {
            let (at, number) = (number / per_group, number % per_group);
            let group = &self.groups[at];
            self.ask(question, black_box(&group.pair(number)), group.margin, &mut memories[at]);
        };
        let peers: Option<Vec<&ParryPair>> = self.groups.iter().map(|group| group.peer.as_ref()).collect();
        let theirs = peers.map(|peers| {
            move |number: usize| {
                let (at, number) = (number / per_group, black_box(number % per_group));
                match question {
                    Question::Intersects => {
                        black_box(peers[at].intersects(number));
                    }
                    Question::Distance => {
                        black_box(peers[at].distance(number));
                    }
                    Question::Contact => {
                        black_box(peers[at].contact(number, self.groups[at].margin));
                    }
                }
            }
        });
        race(plan, ours, theirs)
    }

    /// Checks every answer to a question, without a clock.
    fn check(&self, question: Question) -> Checked {
        let mut checked = Checked::default();
        for (at, group) in self.groups.iter().enumerate() {
            let (mut memory, mut cold) = (Memory::default(), Memory::default());
            for number in 0..group.poses.len() {
                let (faults, peer_right, answers) =
                    self.examine(question, group, number, &mut memory, &mut cold.workspace);
                checked.answers.note(&(at, number), &answers);
                checked.peer_wrong += u64::from(!peer_right && faults.is_empty());
                checked.wrong += u64::from(!faults.is_empty());
                for fault in faults {
                    *checked.faults.entry(fault).or_default() += 1;
                }
            }
            // Everything is warm now.
            for number in 0..group.poses.len() {
                let (pair, before) = (group.pair(number), memory.workspace.exact_decisions());
                let (_, allocations) = allocation::count(|| self.ask(question, &pair, group.margin, &mut memory));
                // Exact arithmetic may ask for memory.
                if allocations > 0 && memory.workspace.exact_decisions() == before {
                    checked.wrong += 1;
                    *checked.faults.entry("the query allocates").or_default() += 1;
                }
                checked.allocations += allocations;
            }
        }
        checked
    }

    /// What is wrong with our answer about one pose, whether the peer's can be right, and the answer.
    fn examine(
        &self,
        question: Question,
        group: &Group,
        number: usize,
        memory: &mut Memory,
        workspace: &mut Workspace,
    ) -> (Vec<&'static str>, bool, Digest) {
        let (pair, peer) = (group.pair(number), group.peer.as_ref());
        let Pair { a, pose_a, b, pose_b } = pair;
        let scale = pair.scale();
        if self.kind != PoseKind::Coherent {
            memory.cache = PairCache::default();
        }
        let gap = pair.distance(&mut PairCache::default(), workspace);
        let tolerance = |peer: &ParryPair| AGREEMENT * gap.gap.value + peer.tolerance(gap.gap.value, scale);
        let mut faults = pair.faults(&gap);
        match question {
            Question::Intersects => {
                let options = IntersectsOptions::default();
                let meets = intersects_with(a, pose_a, b, pose_b, &options, &mut memory.cache, &mut memory.workspace);
                if meets != (gap.gap.value == 0.0) {
                    faults.push("intersects and distance contradict each other");
                }
                // A gap of 0 does not prove an overlap; what is proved is a gap that parry's tolerance does not
                // explain.
                let right = |peer: &ParryPair| gap.gap.lower <= tolerance(peer) || !peer.intersects(number);
                (faults, peer.is_none_or(right), Digest::of(&meets))
            }
            Question::Distance => {
                let answer = pair.distance(&mut memory.cache, &mut memory.workspace);
                faults.extend(pair.faults(&answer));
                if answer.gap.lower > gap.gap.upper || gap.gap.lower > answer.gap.upper {
                    faults.push("the brackets with and without a cache exclude each other");
                }
                let exchanged = pair.swapped().distance(&mut PairCache::default(), workspace);
                if !same_when_swapped(&gap, &exchanged) {
                    faults.push("swapping the arguments changes the answer");
                }
                let within = |peer: &ParryPair, theirs: f64| {
                    gap.gap.lower - tolerance(peer) <= theirs && theirs <= gap.gap.upper + tolerance(peer)
                };
                (faults, peer.is_none_or(|peer| within(peer, peer.distance(number))), Digest::of(&(answer, gap)))
            }
            Question::Contact if self.kind == PoseKind::Overlapping => {
                let depth = pair.penetration(&mut memory.cache, &mut memory.workspace);
                let back = pair.swapped().penetration(&mut PairCache::default(), workspace);
                let (Ok(depth), Ok(back)) = (depth, back) else {
                    return (vec!["a depth query failed"], true, Digest::default());
                };
                let allowed = if pair.is_curved() { f64::INFINITY } else { pair.depth_tolerance() };
                faults.extend(pair.depth_faults(&depth, allowed));
                if !same_depth_when_swapped(&depth, &back) {
                    faults.push("swapping the arguments changes the depth");
                }
                let right = |peer: &ParryPair| {
                    let slack = peer.depth_tolerance(scale);
                    let within =
                        |theirs: f64| depth.depth.lower - slack <= -theirs && -theirs <= depth.depth.upper + slack;
                    peer.contact(number, group.margin).map_or(depth.depth.lower <= slack, within)
                };
                (faults, peer.is_none_or(right), Digest::of(&depth))
            }
            Question::Contact => {
                let options = DistanceOptions { farther_than: Some(group.margin), ..DistanceOptions::default() };
                let Memory { cache, workspace } = memory;
                let answer = distance_with(a, pose_a, b, pose_b, &options, cache, workspace);
                if answer.verify(a, pose_a, b, pose_b).is_err() {
                    faults.push("verify refused");
                }
                if answer.gap.lower > gap.gap.upper || gap.gap.lower > answer.gap.upper {
                    faults.push("the brackets with and without a margin exclude each other");
                }
                if (answer.gap.lower > group.margin) != (gap.gap.lower > group.margin) {
                    faults.push("whether the bodies are within the margin depends on how it is asked");
                }
                let right = |peer: &ParryPair| match peer.contact(number, group.margin) {
                    Some(theirs) => {
                        gap.gap.lower - tolerance(peer) <= theirs && theirs <= gap.gap.upper + tolerance(peer)
                    }
                    None => gap.gap.upper >= group.margin - tolerance(peer),
                };
                (faults, peer.is_none_or(right), Digest::of(&answer))
            }
        }
    }
}

/// What checking the answers of a row found.
#[derive(Default)]
struct Checked {
    wrong: u64,
    faults: BTreeMap<&'static str, u64>,
    allocations: u64,
    peer_wrong: u64,
    answers: Digest,
}

/// One row before it becomes text.
struct Measured {
    bodies: Bodies,
    kind: PoseKind,
    size: f64,
    question: Question,
    timing: Timing,
    checked: Checked,
}

impl Measured {
    fn ratio(&self) -> Option<f64> {
        self.timing.theirs.map(|theirs| theirs.ratio)
    }

    fn case(&self) -> String {
        let Measured { bodies, kind, size, question, .. } = self;
        format!("{}: {}, {}, size {size}", bodies.name(), question.name(), kind.name())
    }

    fn row(&self, queries: usize) -> Row {
        let Measured { timing, checked, .. } = self;
        let peer = timing.theirs.map(|theirs| Peer {
            name: ParryPair::NAME,
            theirs: rounded(theirs.side.median, 1),
            ratio: rounded(theirs.ratio, 3),
            worst_ratio: rounded(theirs.worst_ratio, 3),
        });
        let mut more = vec![
            ("worst", json!(rounded(timing.ours.worst, 1))),
            ("allocations", json!(checked.allocations as f64 / queries as f64)),
        ];
        if let Some(ratio) = self.ratio() {
            let goal = self.bodies.goal(self.question);
            more.extend([("goal", json!(goal)), ("met", json!(ratio >= goal))]);
            more.push(("peer_wrong", json!(checked.peer_wrong)));
        }
        if !checked.faults.is_empty() {
            more.push(("why", json!(checked.faults)));
        }
        let ours = rounded(timing.ours.median, 1);
        Row { case: self.case(), ours, unit: "ns", peer, wrong: checked.wrong, answers: checked.answers, more }
    }
}

/// The scenes of the table.
fn table(kinds: &[ShapeKind], with_hulls: bool, with_data: bool) -> Vec<(Bodies, PoseKind, f64)> {
    let mut scenes = Vec::new();
    for (index, &a) in kinds.iter().enumerate() {
        for &b in &kinds[index..] {
            for kind in POSES {
                // Two segments have no depth.
                if kind != PoseKind::Overlapping || [a, b] != [ShapeKind::Segment; 2] {
                    scenes.extend(SIZES.map(|size| (Bodies::Kinds([a, b]), kind, size)));
                }
            }
        }
    }
    let hulls = VERTICES.map(Bodies::Hulls).into_iter().filter(|_| with_hulls);
    for bodies in hulls.chain(with_data.then_some(Bodies::Jolt)) {
        scenes.extend(POSES.map(|kind| (bodies, kind, 1.0)));
    }
    scenes
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let clouds = match &options.data {
        Some(folder) => clouds(folder)?,
        None => {
            eprintln!("lab: without --data PATH there are no rows of real hulls");
            Vec::new()
        }
    };
    race_all(&table(KINDS, true, !clouds.is_empty()), &clouds, options)
}

/// Races all scenes.
fn race_all(
    scenes: &[(Bodies, PoseKind, f64)],
    clouds: &[Vec<[f64; 3]>],
    options: &Options,
) -> Result<Report, LabError> {
    let effort = if options.quick {
        Effort { groups: 2, poses: 6, repeats: 3 }
    } else {
        Effort { groups: 4, poses: 16, repeats: 7 }
    };
    let mut measured = Vec::with_capacity(3 * scenes.len());
    for (index, &(bodies, kind, size)) in scenes.iter().enumerate().progress() {
        let mut groups = Vec::with_capacity(effort.groups);
        for at in 0..effort.groups {
            let mut random = Random::new(options.seed, (index * effort.groups + at) as u64);
            let models = bodies.models(clouds, &mut random).map(|model| model.scaled(size));
            let places = placements(kind, &models[0], &models[1], effort.poses, &mut random)?;
            groups.push(Group::new(&models, &places)?);
        }
        let scene = Scene { groups, kind };
        for question in Question::ALL {
            let checked = scene.check(question);
            let timing = scene.time(question, effort);
            measured.push(Measured { bodies, kind, size, question, timing, checked });
        }
    }
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    let queries = effort.groups * effort.poses;
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases: (measured.len() * queries) as u64,
        more: summary(&measured),
        goals: Vec::new(),
        markdown: Some(markdown(&measured)),
        plot: None,
        rows: measured.iter().map(|measured| measured.row(queries)).collect(),
        provenance: Provenance::here(1),
    })
}

/// Median and least ratio of some rows; `None` where none has a peer.
fn ratios<'a>(rows: impl Iterator<Item = &'a Measured>) -> Option<(f64, f64)> {
    let ratios: Vec<f64> = rows.filter_map(Measured::ratio).collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    (!ratios.is_empty()).then(|| (median(ratios), least))
}

/// The goals: what each is about and which rows it concerns.
type Goal = (&'static str, f64, fn(&Measured) -> bool);
const GOALS: [Goal; 5] = [
    ("contact of boxes", 15.0, |row| row.question == Question::Contact && row.bodies.goal(row.question) == 15.0),
    ("contact of hulls", 5.0, |row| row.question == Question::Contact && row.bodies.goal(row.question) == 5.0),
    ("distance", 3.0, |row| row.question == Question::Distance),
    ("intersects of boxes", 2.0, |row| row.question == Question::Intersects && row.bodies.goal(row.question) == 2.0),
    ("everything", 1.0, |_| true),
];

/// What the summary says besides the counts.
fn summary(measured: &[Measured]) -> Vec<(&'static str, Value)> {
    let raced = || measured.iter().filter(|row| row.ratio().is_some());
    let least = raced().min_by(|a, b| f64::total_cmp(&a.ratio().unwrap_or(0.0), &b.ratio().unwrap_or(0.0)));
    let missed = raced().filter(|row| row.ratio() < Some(row.bodies.goal(row.question))).count();
    let slower = raced().filter(|row| row.ratio() < Some(1.0)).count();
    let worst = measured.iter().filter_map(|row| Some(row.timing.theirs?.worst_ratio)).fold(f64::INFINITY, f64::min);
    vec![
        ("raced", json!(raced().count())),
        ("goal_missed", json!(missed)),
        ("slower", json!(slower)),
        ("median_ratio", json!(ratios(measured.iter()).map(|(middle, _)| rounded(middle, 3)))),
        ("least_ratio", json!(least.and_then(Measured::ratio).map(|ratio| rounded(ratio, 3)))),
        ("least_ratio_case", json!(least.map(Measured::case))),
        ("worst_ratio", json!(worst.is_finite().then(|| rounded(worst, 3)))),
        ("allocations", json!(measured.iter().map(|row| row.checked.allocations).sum::<u64>())),
        ("peer_wrong", json!(measured.iter().map(|row| row.checked.peer_wrong).sum::<u64>())),
    ]
}

/// The goals, a triangular table of ratios for each question, and the hulls by their number of vertices.
fn markdown(measured: &[Measured]) -> String {
    let figures = |found: Option<(f64, f64)>| {
        found.map_or_else(|| "-".into(), |(middle, least)| format!("{middle:.1} ({least:.1})"))
    };
    let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let goals = GOALS.map(|(name, goal, concerns)| {
        let rows = || measured.iter().filter(|row| concerns(row));
        let below = rows().filter(|row| row.ratio() < Some(goal) && row.ratio().is_some()).count();
        let raced = rows().filter(|row| row.ratio().is_some()).count();
        vec![name.into(), format!("{goal}"), figures(ratios(rows())), format!("{below} of {raced}")]
    });
    let columns = strings(&["goal", "ratio aimed at", "median (least)", "rows below"]);
    let mut text = markdown_table(&columns, &[false, true, true, true], &goals);
    for question in Question::ALL {
        let about = |a: ShapeKind, b: ShapeKind| {
            let rows = measured.iter().filter(|row| row.question == question && row.bodies == Bodies::Kinds([a, b]));
            let mut rows = rows.peekable();
            if rows.peek().is_some() { figures(ratios(rows)) } else { String::new() }
        };
        let names = std::iter::once("").chain(KINDS.iter().map(|kind| kind.name())).collect::<Vec<_>>();
        let numeric: Vec<bool> = (0..names.len()).map(|column| column > 0).collect();
        let line =
            |b: &ShapeKind| std::iter::once(b.name().to_owned()).chain(KINDS.iter().map(|a| about(*a, *b))).collect();
        let lines: Vec<Vec<String>> = KINDS.iter().map(line).collect();
        let name = question.name();
        text += &format!("\n`{name}`, ratio over all poses and sizes, median (least):\n\n");
        text += &markdown_table(&strings(&names), &numeric, &lines);
    }
    let hulls: Vec<&Measured> = measured.iter().filter(|row| !matches!(row.bodies, Bodies::Kinds(_))).collect();
    let line = |row: &&Measured| {
        let ours = format!("{:.0}", row.timing.ours.median);
        let theirs = row.timing.theirs.map_or_else(|| "-".into(), |theirs| format!("{:.0}", theirs.side.median));
        let ratio = row.ratio().map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"));
        vec![row.bodies.name(), row.question.name().into(), row.kind.name().into(), ours, theirs, ratio]
    };
    let columns = strings(&["hulls", "question", "poses", "ours, ns", "parry, ns", "ratio"]);
    let lines: Vec<Vec<String>> = hulls.iter().map(line).collect();
    text + "\n" + &markdown_table(&columns, &[false, false, false, true, true, true], &lines)
}

/// The real hulls: those points of the file of which the engine makes a body with volume, moved to their mean.
fn clouds(folder: &Path) -> Result<Vec<Vec<[f64; 3]>>, LabError> {
    let path = folder.join(JOLT);
    let wanted = "a folder with jolt/convex_hulls.bin.xz";
    let Ok(file) = std::fs::File::open(&path) else {
        return Err(LabError::MissingData { experiment: EXPERIMENT.name, path: Some(path), wanted });
    };
    let bad = |problem: String| LabError::BadData { path: path.clone(), problem };
    let mut bytes = Vec::new();
    lzma_rs::xz_decompress(&mut std::io::BufReader::new(file), &mut bytes)
        .map_err(|error| bad(format!("{error:?}")))?;
    let all = parse_clouds(&bytes).map_err(bad)?;
    Ok(all.into_iter().filter(|points| Shape::hull(points).is_ok()).collect())
}

/// Reads clouds: a count, then so many points of three floats, little endian, again and again.
fn parse_clouds(mut bytes: &[u8]) -> Result<Vec<Vec<[f64; 3]>>, String> {
    let mut clouds = Vec::new();
    while let Some((count, rest)) = bytes.split_first_chunk::<4>() {
        let count = u32::from_le_bytes(*count) as usize;
        let size = count.checked_mul(12).filter(|size| *size <= rest.len());
        let size = size.ok_or_else(|| format!("cloud {} is cut off", clouds.len()))?;
        let (points, after) = rest.split_at(size);
        let number = |bytes: &[u8]| f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let points: Vec<DVec3> =
            points.chunks_exact(12).map(|p| DVec3::new(number(p), number(&p[4..]), number(&p[8..]))).collect();
        let mean = points.iter().sum::<DVec3>() / count.max(1) as f64;
        clouds.push(points.into_iter().map(|point| (point - mean).to_array()).collect());
        bytes = after;
    }
    if bytes.is_empty() { Ok(clouds) } else { Err("bytes are left at the end".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_of_some_kinds_finds_nothing_wrong() {
        let kinds = [ShapeKind::Sphere, ShapeKind::Cuboid];
        let cube: Vec<[f64; 3]> = (0..8).map(|i| [0, 1, 2].map(|axis| f64::from(i >> axis & 1) - 0.5)).collect();
        let mut scenes = table(&kinds, false, true);
        scenes.push((Bodies::Hulls(16), PoseKind::Random, 1.0));
        let report = race_all(&scenes, &[cube], &Options { quick: true, ..Options::default() }).unwrap();
        assert_eq!(report.wrong(), 0, "{}", report.to_text());
        crate::experiments::assert_answers(&report);
        assert_eq!((report.rows.len(), report.cases), (3 * (36 + 4 + 1), 12 * 3 * (36 + 4 + 1)));
        let json = report.to_json();
        assert_eq!(json["rows"][0].get("peer").is_some(), cfg!(feature = "peers"));
        assert_eq!(json["rows"][0].get("goal").is_some(), cfg!(feature = "peers"));
        let markdown = report.to_markdown();
        assert!(
            markdown.contains("| hulls of 16 | distance | random |") && markdown.contains("jolt hulls"),
            "{markdown}"
        );
    }

    #[test]
    fn goals_by_bodies_and_question() {
        let boxes = Bodies::Kinds([ShapeKind::Cuboid; 2]);
        assert_eq!(Question::ALL.map(|question| boxes.goal(question)), [2.0, 3.0, 15.0]);
        assert_eq!(Question::ALL.map(|question| Bodies::Jolt.goal(question)), [1.0, 3.0, 5.0]);
        let others = Bodies::Kinds([ShapeKind::Sphere, ShapeKind::Cuboid]);
        assert_eq!(Question::ALL.map(|question| others.goal(question)), [1.0, 3.0, 1.0]);
    }

    #[test]
    fn clouds_are_read_and_cut_ones_refused() {
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        bytes.extend([1.0_f32, 2.0, 3.0, 3.0, 2.0, 1.0].iter().flat_map(|number| number.to_le_bytes()));
        assert_eq!(parse_clouds(&bytes).unwrap(), [[[-1.0, 0.0, 1.0], [1.0, 0.0, -1.0]]]);
        assert!(parse_clouds(&bytes[..20]).is_err() && parse_clouds(&bytes[..2]).is_err());
        assert!(clouds(Path::new("no/such/folder")).is_err());
    }
}
