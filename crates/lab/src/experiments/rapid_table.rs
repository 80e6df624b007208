//! Table 3 and the scene of Fig. 7 of Gottschalk, Lin and Manocha (*OBBTree*, 1996): all contacts at every step of two
//! simulated motions, and of a torpedo at rest on a pivot.
//!
//! The models and the recorded motions cannot be had any more. What stands in for them has the published numbers of
//! triangles and of steps (`meshes/scenery.rs`, `tumbling.rs`), so counts are comparable in kind, not one by one. The
//! motions are made with the default path; then every tree is asked for all contacts at every step. Its crossings have
//! to be those of the default path, whose answers `verify` has to accept; an answer that differs from the default one
//! elsewhere is verified by itself.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::hierarchies::TreeKind;
use crate::measure::each;
use crate::meshes::Model;
use crate::meshes::scenery::{PIPES, landscape, pipes, pivot, torpedo, wrinkled_torus};
use crate::models::Random;
use crate::peers::fcl;
use crate::peers::question::{Found, Query, Question};
use crate::plot::{Chart, Group, Plot};
use crate::report::{Peer, Provenance, Report, Row, rounded};
use crate::tumbling::{Motion, record};
use clearance::answer::{Contacts, Crossing};
use clearance::glam::{DQuat, DVec3};
use clearance::index::Stats;
use clearance::query::{ContactsOptions, contacts_with};
use clearance::{Mesh, PairCache, Pose, Shape, Workspace};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hint::black_box;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "rapid-table",
    about: "all contacts along simulated motions, by tree: Table 3 and Fig. 7 of OBBTree on models of equal counts",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// The volumes, each in trees of the default builder.
const VOLUMES: [&str; 8] = ["OBB", "AABB", "sphere", "18-DOP", "LSS", "RSS", "hybrid, one a node", "box tree"];
/// Who has a bar in the figure, besides the paper.
const DRAWN: [&str; 4] = ["OBB", "AABB", "sphere", "RSS"];
/// Times in which queries are counted, in milliseconds.
const BUDGETS: [f64; 3] = [100.0, 16.0, 1.0];

/// How much smaller the moving pipes are than the standing ones.
const SMALLER: f64 = 15.0;

/// What the paper has of a scene.
struct Published {
    steps: Option<u64>,
    contacts: Option<u64>,
    box_tests: Option<u64>,
    triangle_tests: Option<u64>,
    /// Milliseconds a query, on the machines of 1996.
    milliseconds: f64,
}

/// Two models, and the poses of the second.
struct Scene {
    name: &'static str,
    models: [Model; 2],
    poses: Vec<Pose>,
    published: Published,
}

/// The environment and the body as the default path takes them.
struct Bodies {
    shapes: [Shape; 2],
    cache: PairCache,
    workspace: Workspace,
    found: Contacts,
}

impl Bodies {
    fn new(models: &[Model; 2]) -> Result<Bodies, clearance::Error> {
        let [a, b] = models;
        Ok(Bodies {
            shapes: [Shape::mesh(&a.points, &a.triangles)?, Shape::mesh(&b.points, &b.triangles)?],
            cache: PairCache::default(),
            workspace: Workspace::default(),
            found: Contacts::default(),
        })
    }

    /// All pairs of triangles that meet.
    fn crossings(&mut self, pose: &Pose) -> &[Crossing] {
        let ([a, b], options) = (&self.shapes, ContactsOptions::default());
        self.cache = PairCache::default();
        contacts_with(a, &Pose::IDENTITY, b, pose, &options, &mut self.cache, &mut self.workspace, &mut self.found);
        &self.found.crossings
    }
}

fn scaled(model: &Model, factor: f64) -> Model {
    Model { points: model.points.iter().map(|point| point.map(|part| part * factor)).collect(), ..model.clone() }
}

/// A cube of pipes falls into another one fifteen times larger, towards its middle.
fn pipes_scene(quick: bool, seed: u64) -> Result<Scene, LabError> {
    let environment = pipes(if quick { 4_000 } else { PIPES }, seed);
    let models = [environment.clone(), scaled(&environment, 1.0 / SMALLER)];
    let mut bodies = Bodies::new(&models)?;
    let mut random = Random::new(seed, 7002);
    let motion = Motion {
        place: random.direction() * 1.9,
        velocity: DVec3::ZERO,
        spin: random.direction(),
        gravity: |place| -place.normalize_or_zero(),
        radius: 1.0 / SMALLER,
        restitution: 0.6,
        steps: if quick { 40 } else { 4_008 },
        step: 0.005,
    };
    let poses = record(&motion, &environment, |pose| bodies.crossings(pose).to_vec())?;
    let published = Published {
        steps: Some(4_008),
        contacts: Some(23_905),
        box_tests: Some(1_704_187),
        triangle_tests: Some(71_589),
        milliseconds: 4.2,
    };
    Ok(Scene { name: "pipes", models, poses, published })
}

/// A wrinkled torus falls over a stalagmite.
fn torus_scene(quick: bool) -> Result<Scene, LabError> {
    let models = if quick {
        [landscape(40, 40), wrinkled_torus(40, 10)]
    } else {
        [landscape(250, 196), wrinkled_torus(200, 50)]
    };
    let mut bodies = Bodies::new(&models)?;
    let motion = Motion {
        place: DVec3::new(0.1, 0.0, 1.2),
        velocity: DVec3::ZERO,
        spin: DVec3::new(0.2, 0.1, 0.5),
        gravity: |place| DVec3::new(-place.x, -place.y, -1.0),
        radius: 1.2,
        restitution: 0.5,
        steps: if quick { 40 } else { 1_298 },
        step: 0.01,
    };
    let poses = record(&motion, &models[0], |pose| bodies.crossings(pose).to_vec())?;
    let published = Published {
        steps: Some(1_298),
        contacts: Some(2_266),
        box_tests: Some(1_055_559),
        triangle_tests: Some(7_069),
        milliseconds: 6.9,
    };
    Ok(Scene { name: "torus", models, poses, published })
}

/// The torpedo is let down on the rollers until it meets them, rolled and pushed a little from pose to pose.
fn torpedo_scene(quick: bool, seed: u64) -> Result<Scene, LabError> {
    let models = [pivot(), torpedo()];
    let mut bodies = Bodies::new(&models)?;
    let mut random = Random::new(seed, 7003);
    let mut poses = Vec::new();
    for _ in 0..if quick { 2 } else { 20 } {
        let (roll, push) = (random.between(-0.2, 0.2), random.between(-0.05, 0.05));
        let at = |height: f64| Pose::from_quat(DQuat::from_rotation_x(roll), DVec3::new(push, 0.0, height));
        // Free above, in contact below.
        let (mut above, mut below) = (0.5, -0.2);
        while above - below > 1e-4 {
            let middle = 0.5 * (above + below);
            *(if bodies.crossings(&at(middle)?).is_empty() { &mut above } else { &mut below }) = middle;
        }
        poses.push(at(below - 1e-3)?);
    }
    let published =
        Published { steps: None, contacts: None, box_tests: None, triangle_tests: None, milliseconds: 100.0 };
    Ok(Scene { name: "torpedo", models, poses, published })
}

/// What one way to answer all queries of a scene took.
struct Measured {
    /// Who answered.
    name: String,
    /// `None` of the default path, which does not count.
    stats: Option<Stats>,
    /// Milliseconds of each step.
    times: Vec<f64>,
    faults: BTreeMap<&'static str, u64>,
    wrong: u64,
    answers: Digest,
}

impl Measured {
    fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len() as f64
    }

    /// The row, with the paper's figures beside ours.
    fn row(&self, scene: &Scene, contacts: u64, theirs: Option<&[f64]>) -> Row {
        let steps = scene.poses.len() as f64;
        let a_step = |count: u64| rounded(count as f64 / steps, 2);
        let within = BUDGETS.map(|budget| (budget / self.mean()) as u64);
        let mut more = vec![
            ("steps", json!(scene.poses.len())),
            ("contacts", json!(contacts)),
            ("contacts_a_step", json!(a_step(contacts))),
            ("box_tests", json!(self.stats.map(|stats| stats.volume_tests))),
            ("box_tests_a_step", json!(self.stats.map(|stats| a_step(stats.volume_tests)))),
            ("triangle_tests", json!(self.stats.map(|stats| stats.triangle_tests))),
            ("queries_within_100_16_1_ms", json!(within)),
            ("published_ms", json!(scene.published.milliseconds)),
            ("published_contacts", json!(scene.published.contacts)),
            ("published_box_tests", json!(scene.published.box_tests)),
            ("published_triangle_tests", json!(scene.published.triangle_tests)),
        ];
        if !self.faults.is_empty() {
            more.push(("why", json!(self.faults)));
        }
        let ours = self.mean();
        let peer = theirs.map(|theirs| {
            let mean = theirs.iter().sum::<f64>() / theirs.len() as f64;
            let ratios = theirs.iter().zip(&self.times).map(|(theirs, ours)| theirs / ours);
            let worst_ratio = rounded(ratios.fold(f64::INFINITY, f64::min), 3);
            Peer { name: fcl::NAME, theirs: rounded(mean, 5), ratio: rounded(mean / ours, 3), worst_ratio }
        });
        let case = format!("{} {}", scene.name, self.name);
        let (wrong, answers) = (self.wrong, self.answers);
        Row { case, ours: rounded(ours, 5), unit: "ms", peer, wrong, answers, more }
    }
}

/// Notes an answer and its faults.
fn note(measured: &mut Measured, step: usize, answer: &Contacts, faults: &[&'static str]) {
    measured.answers.note(&step, &Digest::of(answer));
    measured.wrong += u64::from(!faults.is_empty());
    faults.iter().for_each(|&fault| *measured.faults.entry(fault).or_default() += 1);
}

/// Milliseconds of each step; each is asked once before, and `repeats` times.
fn times(steps: usize, repeats: usize, ask: impl FnMut(usize)) -> Vec<f64> {
    let costs = each(steps, repeats, f64::INFINITY, ask);
    costs.into_iter().map(|cost| cost.map_or(f64::NAN, |cost| cost.median / 1e6)).collect()
}

/// The queries of a scene.
fn queries(scene: &Scene) -> Vec<Query> {
    let query = |pose: &Pose| Query { models: [0, 1], poses: [Pose::IDENTITY, *pose], question: Question::AllContacts };
    scene.poses.iter().map(query).collect()
}

/// The default path, and its answers, which the others are compared with.
fn by_default(scene: &Scene, repeats: usize) -> Result<(Measured, Vec<Contacts>), LabError> {
    let mut bodies = Bodies::new(&scene.models)?;
    let mut measured = Measured::new("default".into());
    let mut found = Vec::new();
    for (step, pose) in scene.poses.iter().enumerate() {
        bodies.crossings(pose);
        let [a, b] = &bodies.shapes;
        let refused = bodies.found.verify(a, &Pose::IDENTITY, b, pose).is_err();
        note(&mut measured, step, &bodies.found, if refused { &["verify refused"] } else { &[] });
        found.push(bodies.found.clone());
    }
    measured.times = times(scene.poses.len(), repeats, |step| {
        black_box(bodies.crossings(&scene.poses[step]));
    });
    Ok((measured, found))
}

impl Measured {
    fn new(name: String) -> Measured {
        let (faults, answers) = (BTreeMap::new(), Digest::default());
        Measured { name, stats: None, times: Vec::new(), faults, wrong: 0, answers }
    }
}

/// A kind of tree.
fn by_tree(kind: &TreeKind, scene: &Scene, found: &[Contacts], repeats: usize) -> Result<Measured, LabError> {
    let [a, b] = &scene.models;
    let meshes = [Mesh::new(&a.points, &a.triangles)?, Mesh::new(&b.points, &b.triangles)?];
    let shapes = meshes.clone().map(Shape::Mesh);
    let mut trees = kind.build(&meshes);
    let mut measured = Measured::new(kind.name());
    let mut stats = Stats::default();
    let queries = queries(scene);
    for (step, (query, expected)) in queries.iter().zip(found).enumerate() {
        let counted = trees.count(query);
        stats.volume_tests += counted.volume_tests;
        stats.triangle_tests += counted.triangle_tests;
        let answer = trees.contacts(query);
        let mut faults = Vec::new();
        if answer.crossings != expected.crossings {
            faults.push("other crossings than the default path's");
        }
        let [pose_a, pose_b] = &query.poses;
        if answer != expected && answer.verify(&shapes[0], pose_a, &shapes[1], pose_b).is_err() {
            faults.push("verify refused");
        }
        note(&mut measured, step, answer, &faults);
    }
    measured.stats = Some(stats);
    measured.times = times(queries.len(), repeats, |step| {
        black_box(trees.contacts(&queries[step]));
    });
    Ok(measured)
}

/// FCL's milliseconds of each step, and how many of its numbers of contacts are others than ours; `None` without it.
fn by_fcl(scene: &Scene, found: &[Contacts]) -> Option<(Vec<f64>, u64)> {
    let [a, b] = &scene.models;
    match fcl::run(&[a, b], &queries(scene)) {
        Ok(run) => {
            let off = run
                .answers
                .iter()
                .zip(found)
                .filter(|(theirs, ours)| theirs.found != Found::Pairs(ours.crossings.len() as u64));
            let off = off.count() as u64;
            Some((run.answers.iter().map(|answer| answer.nanoseconds / 1e6).collect(), off))
        }
        Err(problem) => {
            eprintln!("lab: no {}: {problem}", fcl::NAME);
            None
        }
    }
}

/// The bars of the figure: volumes compared in a step.
fn bars(scene: &Scene, all: &[Measured]) -> Option<Group> {
    let published = scene.published.box_tests? as f64 / scene.published.steps? as f64;
    let of = |volume: &&str| {
        let name = TreeKind::of(volume).name();
        let stats = all.iter().find(|measured| measured.name == name).and_then(|measured| measured.stats);
        stats.map(|stats| stats.volume_tests as f64 / scene.poses.len() as f64).ok_or_else(|| "none".to_owned())
    };
    Some(Group { label: scene.name.into(), bars: std::iter::once(Ok(published)).chain(DRAWN.iter().map(of)).collect() })
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let Options { quick, seed, .. } = *options;
    let scenes = [pipes_scene(quick, seed)?, torus_scene(quick)?, torpedo_scene(quick, seed)?];
    let (mut rows, mut groups, mut cases, mut peer_off) = (Vec::new(), Vec::new(), 0, 0);
    let mut over_spheres = serde_json::Map::new();
    let repeats = if quick { 1 } else { 3 };
    for scene in &scenes {
        let (default, found) = by_default(scene, repeats)?;
        let contacts: u64 = found.iter().map(|found| found.crossings.len() as u64).sum();
        let peer = if cfg!(feature = "peers") { by_fcl(scene, &found) } else { None };
        peer_off += peer.as_ref().map_or(0, |peer| peer.1);
        let mut all = vec![default];
        for volume in VOLUMES {
            eprintln!("lab: {} {volume}", scene.name);
            all.push(by_tree(&TreeKind::of(volume), scene, &found, repeats)?);
        }
        let theirs = peer.as_ref().map(|peer| &peer.0[..]);
        rows.extend(all.iter().map(|measured| measured.row(scene, contacts, theirs)));
        groups.extend(bars(scene, &all));
        cases += (all.len() * scene.poses.len()) as u64;
        let mean = |volume: &str| {
            let name = TreeKind::of(volume).name();
            all.iter().find(|measured| measured.name == name).map_or(f64::NAN, Measured::mean)
        };
        over_spheres.insert(scene.name.into(), json!(rounded(mean("sphere") / mean("OBB"), 3)));
    }
    let names = std::iter::once("published OBB").chain(DRAWN).map(str::to_owned).collect();
    let plot = Plot {
        title: "Volumes compared in a step, all contacts (Table 3 of OBBTree)".into(),
        measure: "pairs of volumes; published figures are of other models with as many triangles".into(),
        chart: Chart::Bars { names, groups },
    };
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("times_of_spheres_over_oriented_boxes", Value::Object(over_spheres)),
            ("peer_off", json!(peer_off)),
        ],
        goals: Vec::new(),
        markdown: None,
        plot: Some(plot),
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
        assert_eq!(report.rows.len(), 3 * (1 + VOLUMES.len()));
        let contacts = |scene: &str| {
            let row = report.rows.iter().find(|row| row.case.starts_with(scene)).unwrap();
            row.to_json()["contacts"].as_u64().unwrap()
        };
        assert!(contacts("torpedo") > 10, "it rests on many rollers");
    }
}
