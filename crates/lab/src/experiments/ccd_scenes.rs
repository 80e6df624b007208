//! Steps of deforming meshes with exact answers, against the IPC Toolkit.
//!
//! The format is that of the sample of the scalable CCD ground truth (Belgrod, Wang, Ferguson and others, "Time of
//! Impact Dataset for Continuous Collision Detection and a Scalable Conservative Algorithm", 2023): a folder for each
//! scene with `frames` (meshes by number), `boxes` (`NNee.json` and `NNvf.json`: pairs of ids; vertices count from 0,
//! then come edges, in the order of their higher point and then of the lower, then faces), `mma_bool`
//! (`NNee_mma_bool.json`: for each pair whether it touches on the way from frame NN to the next, in exact arithmetic),
//! and perhaps `toi_NNee.json` (for each that does, the times).
//!
//! `wrong` counts pairs that are listed as touching and not found (`missing`), found though listed as not touching
//! (`extra`), times that are not those listed (`late`), impacts that `ElementaryImpact::verify` refuses, and a first
//! impact that is not the first of all. Impacts of pairs that are not listed are counted apart (`unlisted`).
//!
//! The peer is asked for the earliest impact alone, which is less than all; so the row for all impacts is unfair to us.
//! Its fastest broad phase is taken, and each of its narrow phases has rows of its own. Theirs is candidates and narrow
//! phase together, in turns with ours, on the same number of threads.
//!
//! The row under translation lets a copy of the mesh fly at it, and asks for the first impact of the points as they are
//! placed and, beside it, `time_of_impact` by descent and by features, which have brackets for the motion itself: all
//! must agree to rounding.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clearance::answer::{ElementaryImpact, StepCollisions, StepImpact};
use clearance::glam::DVec3;
use clearance::query::{
    ElementaryKind, ElementaryPair, ImpactAlgorithm, ImpactOptions, ImpactSelection, StepOptions, self_collisions_with,
    step_collisions_with, time_of_impact_with,
};
use clearance::shape::Feature;
use clearance::{Bracket, DeformingMesh, Mesh, Motion, PairCache, Pose, Shape, Workspace, time_of_impact};
use serde_json::{Value, json};

use super::{Experiment, Flag, Options};
use crate::allocation;
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::meshes::{Model, read};
use crate::peers::HOW_TO_ENABLE;
use crate::peers::ipctk::{Ipctk, Narrow, Step};
use crate::report::{Peer, Provenance, Report, Row, markdown_table, rounded};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ccd-scenes",
    about: "steps of deforming meshes with exact answers: all impacts, the first, times, memory; against ipctk",
    flags: &[Flag::Data, Flag::Quick],
    run,
};

/// What `--data` has to be.
const WANTED: &str = "a folder of scenes, each with `frames`, `boxes` and `mma_bool`, or such a scene";

/// How often each side takes its turn, and how many seconds a peer may take before it has had its last.
const TURNS: usize = 9;
const PATIENCE: f64 = 20.0;

/// How far a listed time may be from the bracket, in units of the last place: the lists are of rounded numbers.
const TIME_ROUNDING: f64 = 2.0;

/// One step of a scene.
struct Scene {
    name: String,
    frames: [Model; 2],
    /// Listed pairs, whether they touch, and the first time where that is listed too.
    listed: Vec<([Feature; 2], bool, Option<f64>)>,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let missing = || LabError::MissingData { experiment: EXPERIMENT.name, path: options.data.clone(), wanted: WANTED };
    let given = options.data.as_deref().ok_or_else(missing)?;
    let scenes = find(given)?;
    if scenes.is_empty() {
        return Err(missing());
    }
    let threads = rayon::current_num_threads();
    let (mut peer, absent) = match Ipctk::start(threads) {
        Ok(peer) => (Some(peer), None),
        Err(problem) => {
            (None, Some(if problem == HOW_TO_ENABLE { "not built with peers".to_owned() } else { problem }))
        }
    };
    if let Some(problem) = &absent {
        eprintln!("lab: no ipctk: {problem}");
    }
    let (mut rows, mut cases) = (Vec::new(), 0);
    for (folder, number) in &scenes {
        let scene = load(folder, *number)?;
        eprintln!("lab: {}, {} triangles", scene.name, scene.frames[0].triangles.len());
        cases += scene.listed.len() as u64;
        rows.extend(examine(&scene, peer.as_mut(), absent.as_deref(), threads, options.quick)?);
    }
    let least = |what: &str| {
        let of = rows.iter().filter(|row| row.case.ends_with(what)).filter_map(|row| row.peer.as_ref());
        of.map(|peer| peer.ratio).reduce(f64::min)
    };
    let sum = |key: &str| {
        let values = rows.iter().filter(|row| row.case.ends_with("all")).flat_map(|row| &row.more);
        values.filter(|(name, _)| *name == key).filter_map(|(_, value)| value.as_u64()).sum::<u64>()
    };
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("missing", json!(sum("missing"))),
            ("extra", json!(sum("extra"))),
            ("least_ratio_all", json!(least("all"))),
            ("least_ratio_first", json!(least("first"))),
        ],
        goals: Vec::new(),
        markdown: Some(markdown(&rows)),
        rows,
        plot: None,
        provenance: Provenance::here(threads),
    })
}

/// The rows about all impacts and the first, a line for each with all peers.
fn markdown(rows: &[Row]) -> String {
    let mut columns: Vec<String> = ["step", "ours, ms"].map(String::from).to_vec();
    columns.extend(NARROW.iter().flat_map(|narrow| [format!("{}, ms", narrow.peer()), "ratio".into()]));
    columns.extend(["candidates", "us per candidate", "by integers"].map(String::from));
    let numeric: Vec<bool> = (0..columns.len()).map(|column| column > 0).collect();
    let cases = rows.iter().filter(|row| row.case.ends_with(" all") || row.case.ends_with(" first"));
    let mut lines: Vec<Vec<String>> = Vec::new();
    for row in cases {
        if lines.last().is_none_or(|line| line[0] != row.case) {
            let said = |key: &str| {
                let value = row.more.iter().find(|(name, _)| *name == key).map(|(_, value)| value);
                value.map_or_else(|| "-".into(), Value::to_string)
            };
            let mut line = vec![row.case.clone(), row.ours.to_string()];
            line.extend(vec!["-".to_owned(); 2 * NARROW.len()]);
            line.extend(["candidates", "us_per_candidate", "fallback"].map(said));
            lines.push(line);
        }
        if let (Some(peer), Some(line)) = (&row.peer, lines.last_mut())
            && let Some(place) = NARROW.iter().position(|narrow| narrow.peer() == peer.name)
        {
            line[2 + 2 * place] = peer.theirs.to_string();
            line[3 + 2 * place] = peer.ratio.to_string();
        }
    }
    markdown_table(&columns, &numeric, &lines)
}

/// The folders of scenes and the numbers of their steps, in order.
fn find(given: &Path) -> Result<Vec<(PathBuf, u32)>, LabError> {
    let is_scene = |path: &Path| path.join("frames").is_dir() && path.join("boxes").is_dir();
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    // The folder itself, the scenes in it, or those one level further down.
    let mut level = vec![given.to_owned()];
    for _ in 0..3 {
        let scenes: Vec<PathBuf> = level.iter().filter(|path| is_scene(path)).cloned().collect();
        if !scenes.is_empty() {
            let mut steps = Vec::new();
            for scene in scenes {
                let mut numbers = BTreeSet::new();
                let listed = std::fs::read_dir(scene.join("boxes")).map_err(|error| bad(&scene, error))?;
                for entry in listed.flatten() {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    let number = KINDS.iter().find_map(|(ending, _)| name.strip_suffix(&format!("{ending}.json")));
                    numbers.extend(number.and_then(|number| number.parse::<u32>().ok()));
                }
                steps.extend(numbers.into_iter().map(|number| (scene.clone(), number)));
            }
            return Ok(steps);
        }
        level = level.iter().flat_map(|path| folders(path)).collect();
    }
    Ok(Vec::new())
}

/// The kinds of pairs, by the ending of their files.
const KINDS: [(&str, ElementaryKind); 2] = [("ee", ElementaryKind::EdgeEdge), ("vf", ElementaryKind::VertexFace)];

fn bad(path: &Path, problem: impl std::fmt::Display) -> LabError {
    LabError::BadData { path: path.to_owned(), problem: problem.to_string() }
}

/// Reads a step of a scene.
fn load(folder: &Path, number: u32) -> Result<Scene, LabError> {
    let frame = |number: u32| {
        let frames = folder.join("frames");
        let path = frame_file(&frames, number);
        read(&path.ok_or_else(|| bad(&frames, format!("there is no PLY or OBJ file of frame {number}")))?)
    };
    let frames = [frame(number)?, frame(number + 1)?];
    if frames[0].triangles != frames[1].triangles || frames[0].points.len() != frames[1].points.len() {
        return Err(bad(folder, format!("frames {number} and {} are of different meshes", number + 1)));
    }
    let ids = Ids::new(&frames[0])?;
    let mut listed = Vec::new();
    for (ending, kind) in KINDS {
        let path = folder.join("boxes").join(format!("{number}{ending}.json"));
        if !path.is_file() {
            continue;
        }
        let pairs: Vec<[u64; 2]> = parse(&path)?;
        let truths_path = folder.join("mma_bool").join(format!("{number}{ending}_mma_bool.json"));
        let truths: Vec<bool> = parse(&truths_path)?;
        if pairs.len() != truths.len() {
            return Err(bad(&truths_path, format!("{} verdicts on {} pairs", truths.len(), pairs.len())));
        }
        let times_path = folder.join(format!("toi_{number}{ending}.json"));
        let times: BTreeMap<String, Vec<f64>> =
            if times_path.is_file() { parse(&times_path)? } else { BTreeMap::new() };
        for (index, (pair, truth)) in pairs.into_iter().zip(truths).enumerate() {
            let first = times.get(&index.to_string()).and_then(|times| times.iter().copied().reduce(f64::min));
            let features =
                ids.features(kind, pair).ok_or_else(|| bad(&path, format!("{pair:?} is not one of these pairs")))?;
            listed.push((features, truth, first));
        }
    }
    let name = folder.file_name().map_or_else(|| "scene".into(), |name| name.to_string_lossy().into_owned());
    Ok(Scene { name: format!("{name} {number}"), frames, listed })
}

/// The file of a frame: `227.ply`, or with a name before the number, as in `cloth_ball92.ply` and `balls16_18.ply`.
fn frame_file(frames: &Path, number: u32) -> Option<PathBuf> {
    let plain = ["ply", "obj"].map(|ending| frames.join(format!("{number}.{ending}")));
    if let Some(path) = plain.into_iter().find(|path| path.is_file()) {
        return Some(path);
    }
    let mut named: Vec<PathBuf> = std::fs::read_dir(frames).ok()?.flatten().map(|entry| entry.path()).collect();
    named.sort();
    named.into_iter().find(|path| {
        let Some(stem) = path.file_stem().map(|stem| stem.to_string_lossy()) else { return false };
        let digits = &stem[stem.trim_end_matches(|letter: char| letter.is_ascii_digit()).len()..];
        path.extension().is_some_and(|ending| ending == "ply" || ending == "obj") && digits.parse() == Ok(number)
    })
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, LabError> {
    let text = std::fs::read_to_string(path).map_err(|error| bad(path, error))?;
    serde_json::from_str(&text).map_err(|error| bad(path, error))
}

/// The ids of the lists: vertices, then edges by their higher point and then by the lower, then faces.
struct Ids {
    vertices: u64,
    /// Our number of each of the lists' edges.
    edges: Vec<u32>,
    faces: u64,
}

impl Ids {
    fn new(model: &Model) -> Result<Ids, LabError> {
        let ours = DeformingMesh::new(&model.points, &model.triangles)?.edges();
        let mut edges: Vec<u32> = (0..ours.len() as u32).collect();
        edges.sort_by_key(|&edge| (ours[edge as usize][1], ours[edge as usize][0]));
        Ok(Ids { vertices: model.points.len() as u64, edges, faces: model.triangles.len() as u64 })
    }

    /// A listed pair as our answers name it; `None` if it is not of that kind.
    fn features(&self, kind: ElementaryKind, pair: [u64; 2]) -> Option<[Feature; 2]> {
        let [low, high] = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        let edge = |id: u64| self.edges.get(id.checked_sub(self.vertices)? as usize).copied();
        match kind {
            ElementaryKind::EdgeEdge => {
                let (one, other) = (edge(low)?, edge(high)?);
                Some([Feature::Edge(one.min(other)), Feature::Edge(one.max(other))])
            }
            ElementaryKind::VertexFace => {
                let face =
                    high.checked_sub(self.vertices + self.edges.len() as u64).filter(|&face| face < self.faces)?;
                (low < self.vertices).then_some([Feature::Vertex(low as u32), Feature::Face(face as u32)])
            }
        }
    }
}

/// What is wrong with the impacts of a step.
#[derive(Debug, Default)]
struct Faults {
    missing: u64,
    extra: u64,
    late: u64,
    refused: u64,
    unlisted: u64,
    /// The largest distance of a listed time from a bracket, in units of the last place.
    off: f64,
}

impl Faults {
    fn count(&self) -> u64 {
        self.missing + self.extra + self.late + self.refused
    }
}

/// Holds all impacts of a step against the lists and has `verify` look at every `step`-th of them.
fn check(scene: &Scene, mesh: &DeformingMesh, impacts: &[StepImpact], step: usize) -> Faults {
    let found: BTreeMap<[Feature; 2], &StepImpact> = impacts.iter().map(|impact| (impact.features, impact)).collect();
    let mut faults = Faults::default();
    let mut listed = BTreeSet::new();
    for &(features, truth, first) in &scene.listed {
        listed.insert(features);
        match (found.get(&features), truth) {
            (None, true) => faults.missing += 1,
            (Some(_), false) => faults.extra += 1,
            (Some(impact), true) => {
                let Some(time) = first else { continue };
                let outside = (impact.time.lower - time).max(time - impact.time.upper).max(0.0);
                let off = outside / (f64::EPSILON * time.max(f64::MIN_POSITIVE));
                faults.off = faults.off.max(off);
                faults.late += u64::from(off > TIME_ROUNDING);
            }
            (None, false) => {}
        }
    }
    faults.unlisted = impacts.iter().filter(|impact| !listed.contains(&impact.features)).count() as u64;
    let pairs = Pairs::new(mesh);
    faults.refused = impacts.iter().step_by(step).filter(|impact| !pairs.verified(impact)).count() as u64;
    faults
}

/// The features of a mesh at both ends of its step.
struct Pairs {
    ends: [Vec<DVec3>; 2],
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
}

impl Pairs {
    fn new(mesh: &DeformingMesh) -> Pairs {
        let ends = [mesh.start().collect(), mesh.end().collect()];
        Pairs { ends, triangles: mesh.triangles(), edges: mesh.edges() }
    }

    /// Whether `ElementaryImpact::verify` takes an impact.
    fn verified(&self, impact: &StepImpact) -> bool {
        let (kind, corners) = match impact.features {
            [Feature::Vertex(point), Feature::Face(face)] => {
                let [a, b, c] = self.triangles[face as usize];
                (ElementaryKind::VertexFace, [point, a, b, c])
            }
            [Feature::Edge(one), Feature::Edge(other)] => {
                let ([a, b], [c, d]) = (self.edges[one as usize], self.edges[other as usize]);
                (ElementaryKind::EdgeEdge, [a, b, c, d])
            }
            _ => return false,
        };
        let [start, end] = self.ends.each_ref().map(|points| corners.map(|corner| points[corner as usize]));
        let StepImpact { time: Bracket { lower, upper, .. }, point, normal, coordinates, .. } = *impact;
        let claim = ElementaryImpact { time: Bracket::between(lower, upper), point, normal, coordinates };
        ElementaryPair::new(kind, start, end).is_ok_and(|pair| claim.verify(&pair).is_ok())
    }
}

fn ask(mesh: &DeformingMesh, wanted: ImpactSelection, intersections: bool) -> StepCollisions {
    self_collisions_with(mesh, &StepOptions { wanted, intersections, ..StepOptions::default() })
}

/// The most memory that each thread has of its own: docs/deform.md.
const THREAD_BYTES: usize = 100_000;

/// The most memory that a question takes, on one thread, where all of it is counted.
fn peak(mesh: &DeformingMesh) -> Option<u64> {
    Some(one_thread()?.install(|| allocation::peak(|| ask(mesh, ImpactSelection::All, false)).1))
}

/// Seconds for all impacts on one thread: what the step costs without what waiting for each other costs two.
fn on_one_thread(mesh: &DeformingMesh) -> Option<f64> {
    let once = || timed(|| ask(mesh, ImpactSelection::All, false)).1;
    Some(median(one_thread()?.install(|| (0..TURNS).map(|_| once()).collect())))
}

fn one_thread() -> Option<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()
}

/// The times of one side after another: ours for all impacts and for the first, theirs by narrow phase.
#[derive(Default)]
struct Times {
    all: Vec<f64>,
    first: Vec<f64>,
    start: Vec<f64>,
    theirs: [Vec<Step>; 2],
    problem: Option<String>,
}

const NARROW: [Narrow; 2] = [Narrow::Additive, Narrow::Inclusion];

fn race(mesh: &DeformingMesh, mut peer: Option<&mut Ipctk>, quick: bool) -> Times {
    let mut times = Times::default();
    let mut spent = [0.0; 2];
    // The first turn warms up.
    for turn in 0..if quick { 2 } else { TURNS + 1 } {
        let seconds = [(ImpactSelection::All, false), (ImpactSelection::First, false), (ImpactSelection::First, true)]
            .map(|(wanted, intersections)| timed(|| ask(mesh, wanted, intersections)).1);
        if turn > 0 {
            times.all.push(seconds[0]);
            times.first.push(seconds[1]);
            times.start.push((seconds[2] - seconds[1]).max(0.0));
        }
        for (index, narrow) in NARROW.into_iter().enumerate() {
            let (Some(peer), None) = (peer.as_deref_mut(), &times.problem) else { continue };
            if spent[index] > PATIENCE {
                continue;
            }
            match peer.step(narrow) {
                Ok(step) => {
                    spent[index] += step.broad + step.narrow;
                    // A query that used its whole time limit at once was warm after a fraction of it.
                    if turn > 0 || spent[index] > PATIENCE {
                        times.theirs[index].push(step);
                    }
                }
                Err(problem) => times.problem = Some(problem),
            }
        }
    }
    times
}

/// The rows of a scene.
fn examine(
    scene: &Scene,
    mut peer: Option<&mut Ipctk>,
    absent: Option<&str>,
    threads: usize,
    quick: bool,
) -> Result<Vec<Row>, LabError> {
    let [start, end] = &scene.frames;
    let mut mesh = DeformingMesh::new(&start.points, &start.triangles)?;
    mesh.move_to(&end.points)?;
    let all = ask(&mesh, ImpactSelection::All, true);
    let first = ask(&mesh, ImpactSelection::First, false);
    let faults = check(scene, &mesh, &all.impacts, if quick { 50 } else { 1 });
    let first_wrong = u64::from(first.impacts.first() != all.impacts.first());
    let mut problem = absent.map(str::to_owned);
    let mut broad = None;
    if let Some(open) = peer.as_deref_mut() {
        match open.load([&start.points, &end.points], &start.triangles) {
            Ok(name) => broad = Some(name),
            Err(error) => {
                problem = Some(error);
                peer = None;
            }
        }
    }
    let times = race(&mesh, peer, quick);
    let problem = problem.or_else(|| times.problem.clone());
    let (kept, asked) = (mesh.bytes()[0], mesh.bytes()[1]);
    let counts = &all.counts;
    let candidates = counts.candidates.max(1) as f64;
    let decided = counts.elementary;
    let triangles = start.triangles.len() as f64;
    let in_all = median(times.all.clone());
    let peak = peak(&mesh);
    // What the docs state, and the answers: twice over, and once more while a list of them grows.
    let stated = (asked + THREAD_BYTES + 4 * size_of_val(&all.impacts[..])) as u64;
    let too_large = u64::from(peak.is_some_and(|peak| peak > stated));
    let details: Vec<(&'static str, Value)> = vec![
        ("triangles", json!(start.triangles.len())),
        ("candidates", json!(counts.candidates)),
        ("impacts", json!(all.impacts.len())),
        ("listed", json!(scene.listed.len())),
        ("missing", json!(faults.missing)),
        ("extra", json!(faults.extra)),
        ("late", json!(faults.late)),
        ("refused", json!(faults.refused)),
        ("unlisted", json!(faults.unlisted)),
        ("time_off_ulp", json!(rounded(faults.off, 2))),
        // Of all threads together, all of the step counted.
        ("us_per_candidate", json!(rounded(1e6 * in_all * threads as f64 / candidates, 4))),
        ("us_per_candidate_on_one_thread", json!(on_one_thread(&mesh).map(|time| rounded(1e6 * time / candidates, 4)))),
        ("filtered", json!(rounded(decided.filtered as f64 / candidates, 5))),
        ("fallback", json!(rounded(decided.exact as f64 / candidates, 7))),
        ("mesh_bytes_per_triangle", json!(rounded(kept as f64 / triangles, 1))),
        ("step_bytes_per_triangle", json!(rounded(asked as f64 / triangles, 1))),
        ("peak_mb", json!(peak.map(|bytes| rounded(bytes as f64 / 1e6, 2)))),
        ("stated_mb", json!(rounded(stated as f64 / 1e6, 2))),
    ];
    let mut rows = Vec::new();
    let mut add = |case: &str, ours: &[f64], wrong: u64, answers: Digest, details: Vec<(&'static str, Value)>| {
        let peers: Vec<_> = NARROW
            .into_iter()
            .zip(&times.theirs)
            .filter(|(_, steps)| !steps.is_empty() && !ours.is_empty())
            .map(|(narrow, steps)| against(ours, narrow, steps, broad.as_deref()))
            .collect();
        let peers = if peers.is_empty() { vec![(None, vec![("peer_absent", json!(problem))])] } else { peers };
        for (number, (peer, said)) in peers.into_iter().enumerate() {
            // What is wrong counts once, however many peers there are.
            let wrong = if number == 0 { wrong } else { 0 };
            let more = if number == 0 { [details.clone(), said].concat() } else { said };
            let case = format!("{} {case}", scene.name);
            let ours = rounded(1e3 * median(ours.to_vec()), 3);
            rows.push(Row { case, ours, unit: "ms", peer, wrong, answers, more });
        }
    };
    add("all", &times.all, faults.count() + too_large, Digest::of_all(&all.impacts), details);
    let earliest = first.impacts.first().map(|impact| impact.time.lower);
    let details = vec![("candidates", json!(first.counts.candidates)), ("first", json!(earliest))];
    add("first", &times.first, first_wrong, Digest::of_all(&first.impacts), details);
    rows.push(Row {
        case: format!("{} triangles that meet at the start", scene.name),
        ours: rounded(1e3 * median(times.start.clone()), 3),
        unit: "ms",
        peer: None,
        wrong: 0,
        answers: Digest::of(&all.intersecting),
        more: vec![("pairs", json!(all.intersecting.len()))],
    });
    rows.push(translation(scene, quick)?);
    Ok(rows)
}

/// The row of a copy that flies at the mesh.
fn translation(scene: &Scene, quick: bool) -> Result<Row, LabError> {
    let Model { points, triangles, .. } = &scene.frames[0];
    let mesh = Mesh::new(points, triangles)?;
    let bounds = Shape::Mesh(mesh.clone()).bounds();
    let size = bounds.size();
    // Past the mesh along its longest side, a little to the side.
    let along = [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .fold(DVec3::X, |best, axis| if axis.dot(size) > best.dot(size) { axis } else { best });
    let away = along * (1.25 * along.dot(size)) + 0.05 * (size - along * along.dot(size));
    let flying = Motion::translation(Pose::from_translation(away)?, -2.0 * away.dot(along) * along)?;
    let still = Motion::still(Pose::IDENTITY);
    let (a, b) = (DeformingMesh::moving(&mesh, &flying)?, DeformingMesh::moving(&mesh, &still)?);
    let shape = Shape::Mesh(mesh);
    let options = StepOptions { wanted: ImpactSelection::First, intersections: false, ..StepOptions::default() };
    let by_features = ImpactOptions { algorithm: ImpactAlgorithm::Elementary, ..ImpactOptions::default() };
    let (mut ours, mut certified, mut elementary) = (Vec::new(), Vec::new(), Vec::new());
    let (mut first, mut impacts, mut answers) = (None, [None; 2], Digest::default());
    for _ in 0..if quick { 1 } else { 5 } {
        let (found, seconds) = timed(|| step_collisions_with(&a, &b, &options));
        first = found.impacts.first().map(|impact| [impact.time.lower, impact.time.upper]);
        answers = Digest::of(&found);
        ours.push(seconds);
        let (found, seconds) = timed(|| time_of_impact(&shape, &flying, &shape, &still));
        impacts[0] = found.ok();
        certified.push(seconds);
        let (found, seconds) = timed(|| {
            let (cache, workspace) = (&mut PairCache::default(), &mut Workspace::default());
            time_of_impact_with(&shape, &flying, &shape, &still, &by_features, cache, workspace)
        });
        impacts[1] = found.ok();
        elementary.push(seconds);
    }
    answers.add(Digest::of_all(impacts));
    // Placed points are off by some units of the last place of the coordinates, and so is the time by that over the
    // way.
    let off = impacts.map(|impact| match (first, impact) {
        (Some([lower, upper]), Some(impact)) => (impact.time.lower - upper).max(lower - impact.time.upper).max(0.0),
        (None, None) => 0.0,
        _ => f64::INFINITY,
    });
    let off = off[0].max(off[1]);
    let (ours, certified, elementary) = (median(ours), median(certified), median(elementary));
    Ok(Row {
        case: format!("{} under translation", scene.name),
        ours: rounded(1e3 * ours, 3),
        unit: "ms",
        peer: None,
        wrong: u64::from(off > 1e-12),
        answers,
        more: vec![
            ("time_of_impact_ms", json!(rounded(1e3 * certified, 3))),
            ("time_of_impact_elementary_ms", json!(rounded(1e3 * elementary, 3))),
            ("first", json!(first.map(|[lower, _]| lower))),
            ("off", json!(if off.is_finite() { off } else { 1.0 })),
        ],
    })
}

/// A peer's figures beside ours.
fn against(
    ours: &[f64],
    narrow: Narrow,
    steps: &[Step],
    broad: Option<&str>,
) -> (Option<Peer>, Vec<(&'static str, Value)>) {
    let whole: Vec<f64> = steps.iter().map(|step| step.broad + step.narrow).collect();
    let (theirs, own) = (median(whole.clone()), median(ours.to_vec()));
    let turns = whole.iter().zip(ours).map(|(theirs, ours)| theirs / ours);
    let peer = Peer {
        name: narrow.peer(),
        theirs: rounded(1e3 * theirs, 3),
        ratio: rounded(theirs / own, 2),
        worst_ratio: rounded(turns.fold(theirs / own, f64::min), 2),
    };
    let broad_time = median(steps.iter().map(|step| step.broad).collect());
    let said = vec![
        ("their_broad_phase", json!(broad)),
        ("their_candidates_ms", json!(rounded(1e3 * broad_time, 3))),
        ("their_candidates", json!(steps[0].candidates)),
        ("their_first", json!(steps[0].first)),
    ];
    (Some(peer), said)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A scene of two triangles, the second of which falls through the first, in a folder of its own that is removed at
    /// the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, vf: &str, truths: &str, times: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("clearance-ccd-{name}-{}", std::process::id()));
            let write = |name: &str, text: &str| {
                let path = folder.join("falling").join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            };
            let frame = |z: f64| {
                let (low, high) = (z, z + 1.0);
                format!("v 0 0 0\nv 9 0 0\nv 0 9 0\nv 1 1 {low}\nv 2 1 {low}\nv 1 2 {high}\nf 1 2 3\nf 4 5 6\n")
            };
            write("frames/3.obj", &frame(1.0));
            write("frames/4.obj", &frame(-3.0));
            write("boxes/3vf.json", vf);
            write("mma_bool/3vf_mma_bool.json", truths);
            write("toi_3vf.json", times);
            Folder(folder)
        }

        fn run(&self) -> Report {
            run(&Options { data: Some(self.0.clone()), quick: true, seed: 1 }).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    // Six vertices, six edges: the first face is 12.
    const PAIRS: &str = "[[3, 12], [12, 4], [5, 12], [0, 13]]";

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = Folder::new("right", PAIRS, "[true, true, true, false]", r#"{"0": [0.25], "2": [0.5]}"#).run();
        assert_eq!(report.wrong(), 0, "{}", report.to_text());
        crate::experiments::assert_answers(&report);
        let row = report.rows[0].to_json();
        assert_eq!((&row["impacts"], &row["listed"], &row["unlisted"]), (&json!(3), &json!(4), &json!(0)));
        let first = report.rows.iter().find(|row| row.case.ends_with("first")).unwrap().to_json();
        assert_eq!(first["first"], json!(0.25));
        let lines: Vec<String> = report.to_markdown().lines().take(4).map(str::to_owned).collect();
        assert!(lines[2].starts_with("| falling 3 all |") && lines[3].starts_with("| falling 3 first |"), "{lines:?}");
    }

    #[test]
    fn frames_may_have_a_name_before_their_number() {
        let folder = Folder::new("named", PAIRS, "[true, true, true, false]", "{}");
        let frames = folder.0.join("falling/frames");
        for (plain, named) in [("3.obj", "balls16_3.obj"), ("4.obj", "balls16_4.obj")] {
            std::fs::rename(frames.join(plain), frames.join(named)).unwrap();
        }
        std::fs::write(frames.join("balls16_13.obj"), "v 0 0 0").unwrap();
        let report = folder.run();
        assert_eq!((report.wrong(), &report.rows[0].to_json()["impacts"]), (0, &json!(3)));
    }

    #[test]
    fn wrong_expectations_are_found() {
        let report = Folder::new("wrong", PAIRS, "[true, true, false, true]", r#"{"0": [0.2500001]}"#).run();
        let row = report.rows[0].to_json();
        assert_eq!((&row["missing"], &row["extra"], &row["late"]), (&json!(1), &json!(1), &json!(1)));
        assert_eq!(report.wrong(), 3);
    }

    #[test]
    fn edges_count_by_their_higher_point() {
        let points = vec![[0.0; 3]; 4];
        let model = Model { name: "two".into(), points, triangles: vec![[0, 1, 2], [0, 3, 1]] };
        let ids = Ids::new(&model).unwrap();
        // By higher point: 01, 02, 12, 03, 13; by lower: 01, 02, 03, 12, 13.
        assert_eq!(ids.edges, [0, 1, 3, 2, 4]);
        let edges = ids.features(ElementaryKind::EdgeEdge, [7, 4]);
        assert_eq!(edges, Some([Feature::Edge(0), Feature::Edge(2)]));
        assert_eq!(ids.features(ElementaryKind::VertexFace, [9, 2]), Some([Feature::Vertex(2), Feature::Face(0)]));
        assert_eq!(ids.features(ElementaryKind::VertexFace, [2, 11]), None);
        assert_eq!(ids.features(ElementaryKind::EdgeEdge, [3, 4]), None);
    }

    #[test]
    fn without_data_it_does_not_run() {
        assert!(matches!(run(&Options::default()), Err(LabError::MissingData { path: None, .. })));
        let nowhere = Options { data: Some("no/such/folder".into()), ..Options::default() };
        assert!(matches!(run(&nowhere), Err(LabError::MissingData { path: Some(_), .. })));
        let bad = Folder::new("bad", "[[3, 99]]", "[true]", "{}");
        assert!(matches!(
            run(&Options { data: Some(bad.0.clone()), ..Options::default() }),
            Err(LabError::BadData { .. })
        ));
    }
}
