//! What the lecture of Zachmann (*Virtual Reality and Physically-Based Simulation*) requires of collision detection: two
//! bodies of 100,000 triangles in less than a millisecond, with a witness; auxiliary data of less than twice the memory
//! of the model; less than five seconds of preprocessing a body.
//!
//! Each kind of volume is asked for first contact and for the distance of two spheres with bumps, at gaps from 0.1 to
//! 1e-3, and in slight overlap for contact. The distance names two points;
//! the time of a query is its median over repeats, and `worst_ms` that of the slowest pose. The memory of the model is
//! that of its points and triangles, 24 and 12 bytes each. Preprocessing is the time to build the tree, on all cores;
//! for the default path that of `Mesh::new`, whose auxiliary data are all bytes of the mesh but those of the model.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::hierarchies::{TreeKind, Trees};
use crate::measure::{each, median, timed};
use crate::mesh_scenes::{Approach, approaches, place_at_gap, place_overlapping};
use crate::meshes::generate::bumpy_sphere;
use crate::meshes::{Model, into_unit_cube};
use crate::models::Random;
use crate::peers::question::{Query, Question};
use crate::report::{Goal, Provenance, Report, Row, rounded};
use clearance::answer::Distance;
use clearance::glam::DVec3;
use clearance::query::{DistanceOptions, IntersectsOptions, distance_with, intersects_with};
use clearance::{Mesh, PairCache, Pose, Shape, Workspace};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hint::black_box;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "requirements",
    about: "two bodies of 100,000 triangles: a query within 1 ms, 2 times the memory, 5 s of preprocessing, by tree",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// The volumes, each in trees of the default builder.
const VOLUMES: [&str; 9] =
    ["sphere", "AABB", "18-DOP", "26-DOP", "OBB", "LSS", "RSS", "hybrid, one a node", "box tree"];
/// What is required: milliseconds, multiples of the model's memory, seconds.
const REQUIRED: [f64; 3] = [1.0, 2.0, 5.0];
/// The gaps, for models of size 1, and how deep a slight overlap is at most.
const GAPS: [f64; 3] = [0.1, 0.01, 1e-3];
const SLIGHT: f64 = 1e-3;
/// Times in which the largest number of triangles is sought, in milliseconds, and the numbers that are tried.
const BUDGETS: [f64; 3] = [100.0, 16.0, 1.0];
const SIZES: [usize; 8] = [3_000, 6_000, 12_500, 25_000, 50_000, 100_000, 200_000, 400_000];

/// Whoever answers.
enum Side {
    /// The default path.
    Default {
        shape: Box<Shape>,
        workspace: Box<Workspace>,
    },
    Tree(Box<dyn Trees>),
}

impl Side {
    fn intersects(&mut self, query: &Query) -> bool {
        let [pose_a, pose_b] = &query.poses;
        match self {
            Side::Default { shape, workspace } => {
                let (options, mut cache) = (IntersectsOptions::default(), PairCache::default());
                intersects_with(shape, pose_a, shape, pose_b, &options, &mut cache, workspace)
            }
            Side::Tree(trees) => trees.intersects(query),
        }
    }

    fn distance(&mut self, query: &Query) -> Distance {
        let [pose_a, pose_b] = &query.poses;
        match self {
            Side::Default { shape, workspace } => {
                let (options, mut cache) = (DistanceOptions::default(), PairCache::default());
                distance_with(shape, pose_a, shape, pose_b, &options, &mut cache, workspace)
            }
            Side::Tree(trees) => trees.distance(query),
        }
    }
}

/// A model and the poses of its copy.
struct Scene {
    model: Model,
    mesh: Mesh,
    /// With the distance of the default path.
    poses: Vec<(Pose, Distance)>,
}

impl Scene {
    fn new(triangles: usize, ways: &[Approach]) -> Result<Scene, LabError> {
        let mut model = bumpy_sphere(triangles);
        into_unit_cube(&mut model);
        let mesh = Mesh::new(&model.points, &model.triangles)?;
        let radius = model.points.iter().map(|&point| DVec3::from(point).length()).fold(0.0, f64::max);
        let mut side = default(&mesh);
        let mut found = Vec::new();
        for way in ways {
            let mut gap = |pose: &Pose| side.distance(&query(pose, Question::Distance)).gap.value;
            for wanted in GAPS {
                found.extend(place_at_gap(way, 2.0 * radius, wanted, &mut gap)?);
            }
            found.extend(place_overlapping(way, 2.0 * radius, SLIGHT, &mut gap)?);
        }
        let poses = found.into_iter().map(|pose| (pose, side.distance(&query(&pose, Question::Distance)))).collect();
        Ok(Scene { model, mesh, poses })
    }
}

fn default(mesh: &Mesh) -> Side {
    Side::Default { shape: Box::new(Shape::Mesh(mesh.clone())), workspace: Box::default() }
}

fn query(pose: &Pose, question: Question) -> Query {
    Query { models: [0, 0], poses: [Pose::IDENTITY, *pose], question }
}

/// The rows of one side: both questions, and what they found wrong.
struct Measured {
    /// Median and worst of the milliseconds of a query, by question.
    times: [[f64; 2]; 2],
    wrong: [u64; 2],
    why: [BTreeMap<&'static str, u64>; 2],
    answers: [Digest; 2],
}

fn measure(side: &mut Side, scene: &Scene, repeats: usize) -> Measured {
    let mut measured = Measured {
        times: [[f64::NAN; 2]; 2],
        wrong: [0; 2],
        why: [BTreeMap::new(), BTreeMap::new()],
        answers: [Digest::default(); 2],
    };
    let shape = Shape::Mesh(scene.mesh.clone());
    let mut note = |question: usize, faults: &[&'static str]| {
        measured.wrong[question] += u64::from(!faults.is_empty());
        faults.iter().for_each(|&fault| *measured.why[question].entry(fault).or_default() += 1);
    };
    for (number, (pose, expected)) in scene.poses.iter().enumerate() {
        let meets = side.intersects(&query(pose, Question::FirstContact));
        measured.answers[0].note(&number, &meets);
        note(0, if meets == (expected.gap.value == 0.0) { &[] } else { &["the default path says otherwise"] });
        let found = side.distance(&query(pose, Question::Distance));
        measured.answers[1].note(&number, &found);
        let mut faults = Vec::new();
        if found.gap.lower > expected.gap.upper || expected.gap.lower > found.gap.upper {
            faults.push("another distance than the default path's");
        }
        if found.verify(&shape, &Pose::IDENTITY, &shape, pose).is_err() {
            faults.push("verify refused");
        }
        note(1, &faults);
    }
    for (question, asked) in [Question::FirstContact, Question::Distance].into_iter().enumerate() {
        let queries: Vec<Query> = scene.poses.iter().map(|(pose, _)| query(pose, asked)).collect();
        let costs = each(queries.len(), repeats, f64::INFINITY, |number| match asked {
            Question::Distance => {
                black_box(side.distance(&queries[number]));
            }
            _ => {
                black_box(side.intersects(&queries[number]));
            }
        });
        let times: Vec<f64> = costs.into_iter().flatten().map(|cost| cost.median / 1e6).collect();
        let worst = times.iter().copied().fold(0.0, f64::max);
        measured.times[question] = [median(times), worst];
    }
    measured
}

/// Builds a side: seconds, and bytes of auxiliary data.
fn build(volume: Option<&str>, scene: &Scene) -> Result<(Side, f64, usize), LabError> {
    match volume {
        Some(volume) => {
            let (trees, seconds) = timed(|| TreeKind::of(volume).build(std::slice::from_ref(&scene.mesh)));
            let bytes = trees.size(0)[0];
            Ok((Side::Tree(trees), seconds, bytes))
        }
        None => {
            let (mesh, seconds) = timed(|| Mesh::new(&scene.model.points, &scene.model.triangles));
            let mesh = mesh?;
            Ok((default(&mesh), seconds, mesh.bytes().saturating_sub(model_bytes(&scene.model))))
        }
    }
}

/// What the points and triangles of a model take.
fn model_bytes(model: &Model) -> usize {
    24 * model.points.len() + 12 * model.triangles.len()
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let ways = approaches(if options.quick { 1 } else { 4 }, 1, &mut Random::new(options.seed, 4400));
    let scene = Scene::new(if options.quick { 2_000 } else { 100_000 }, &ways)?;
    let repeats = if options.quick { 1 } else { 5 };
    let sides: Vec<Option<&str>> = std::iter::once(None).chain(VOLUMES.map(Some)).collect();
    let (mut rows, mut goals) = (Vec::new(), Vec::new());
    for &volume in &sides {
        let name = volume.map_or_else(|| "default".to_owned(), |volume| TreeKind::of(volume).name());
        eprintln!("lab: {name}");
        let (mut side, seconds, bytes) = build(volume, &scene)?;
        let measured = measure(&mut side, &scene, repeats);
        let memory = bytes as f64 / model_bytes(&scene.model) as f64;
        for (question, said) in ["first contact", "distance"].into_iter().enumerate() {
            let [ours, worst] = measured.times[question].map(|time| rounded(time, 4));
            let seen = [ours, memory, seconds];
            let met = seen.iter().zip(REQUIRED).map(|(seen, required)| *seen < required);
            let met: Vec<bool> = met.collect();
            let mut more = vec![
                ("worst_ms", json!(worst)),
                ("memory_ratio", json!(rounded(memory, 2))),
                ("build_s", json!(rounded(seconds, 3))),
                ("met_time_memory_preprocessing", json!(met)),
            ];
            if !measured.why[question].is_empty() {
                more.push(("why", json!(measured.why[question])));
            }
            goals.push(Goal {
                goal: format!("{said}, {name}: < 1 ms, < 2 times the memory, < 5 s"),
                seen: json!([ours, rounded(memory, 2), rounded(seconds, 3)]),
                met: met.iter().all(|met| *met),
            });
            rows.push(Row {
                case: format!("{said}: {name}"),
                ours,
                unit: "ms",
                peer: None,
                wrong: measured.wrong[question],
                answers: measured.answers[question],
                more,
            });
        }
    }
    let sizes = if options.quick { &SIZES[..1] } else { &SIZES[..] };
    let (largest, wrong) = largest(&sides, sizes, &ways[..1])?;
    if let Some(first) = rows.first_mut() {
        first.wrong += wrong;
    }
    let cases = rows.iter().map(|row: &Row| row.answers.count).sum();
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases,
        more: vec![("triangles", json!(scene.model.triangles.len())), ("largest_n_within_100_16_1_ms", largest)],
        goals,
        markdown: None,
        plot: None,
        rows,
        provenance: Provenance::here(1),
    })
}

/// The largest numbers of triangles a body for which the slowest pose of either question takes no longer than each of
/// the budgets; and how many answers were wrong.
fn largest(sides: &[Option<&str>], sizes: &[usize], ways: &[Approach]) -> Result<(Value, u64), LabError> {
    let mut largest: Vec<[Option<usize>; 3]> = vec![[None; 3]; sides.len()];
    let mut wrong = 0;
    for &size in sizes {
        let scene = Scene::new(size, ways)?;
        for (&volume, largest) in sides.iter().zip(&mut largest) {
            let (mut side, ..) = build(volume, &scene)?;
            let measured = measure(&mut side, &scene, 3);
            wrong += measured.wrong.iter().sum::<u64>();
            let worst = measured.times[0][1].max(measured.times[1][1]);
            for (largest, budget) in largest.iter_mut().zip(BUDGETS) {
                if worst <= budget {
                    *largest = Some(scene.model.triangles.len());
                }
            }
        }
    }
    let named = sides.iter().zip(largest).map(|(volume, largest)| {
        (volume.map_or_else(|| "default".to_owned(), |volume| TreeKind::of(volume).name()), json!(largest))
    });
    Ok((Value::Object(named.collect()), wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        assert_eq!(report.rows.len(), 2 * (1 + VOLUMES.len()));
        assert_eq!(report.cases, 2 * (1 + VOLUMES.len() as u64) * 4);
        let row = report.rows.iter().find(|row| row.case == "distance: box tree, mean").unwrap();
        let memory = row.to_json()["memory_ratio"].as_f64().unwrap();
        assert!((0.5..2.0).contains(&memory), "eight bytes a node: {memory}");
    }
}
