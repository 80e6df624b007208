//! The bounding volume test tree of the lecture of Zachmann (*Virtual Reality and Physically-Based Simulation*): how
//! many of the four pairs of children of a pair of nodes overlap, and how a query grows with the number of triangles.
//!
//! The lecture takes every subset of the four to be equally likely, so that exactly `k` of them overlap with
//! probability `C(4, k) / 16`, two in the mean, and a query takes `T(n) = 2 T(n / 2)`, time in proportion to `n`.
//!
//! Here trees open both nodes of a pair. Counted are pairs of inner nodes that first contact visits of a model against
//! itself at exact distances, where it has to visit all that overlap. `mean` is the sum of `k P[k]`; with it the same
//! recursion gives `n` to the power of its binary logarithm, `predicted`. `exponent` is that of the pairs visited by
//! spheres with bumps of 1,000 triangles and more.

use super::mesh_speed::{GAPS, models};
use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::hierarchies::TreeKind;
use crate::mesh_scenes::{Approach, approaches, place_at_gap};
use crate::meshes::generate::bumpy_sphere;
use crate::meshes::{Model, into_unit_cube};
use crate::models::Random;
use crate::peers::question::{Query, Question};
use crate::plot::{Chart, Group, Plot, Series};
use crate::report::{Provenance, Report, Row, rounded};
use clearance::glam::DVec3;
use clearance::index::{Descend, IndexOptions};
use clearance::{Mesh, Pose, Shape, distance};
use serde_json::json;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "test-tree",
    about: "how many of four pairs of children overlap, against C(4,k)/16, and how queries grow, against O(n)",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// The volumes, each in trees of the default builder.
const VOLUMES: [&str; 4] = ["sphere", "AABB", "OBB", "RSS"];
/// What the lecture takes for the probability that exactly so many pairs of children overlap.
const ASSUMED: [f64; 5] = [1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];
/// Gap at which growth is measured, and the numbers of triangles.
const GROWTH_GAP: f64 = 1e-3;
const SIZES: [usize; 7] = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];

fn tree(volume: &str) -> TreeKind {
    let options = IndexOptions { descend: Descend::Both, ..IndexOptions::default() };
    TreeKind::of(volume).with(options)
}

/// Where a model is at a gap from itself, along each way.
fn place(model: &Model, mesh: &Mesh, gap: f64, ways: &[Approach]) -> Result<Vec<Pose>, LabError> {
    let shape = Shape::Mesh(mesh.clone());
    let radius = model.points.iter().map(|&point| DVec3::from(point).length()).fold(0.0, f64::max);
    let mut poses = Vec::new();
    for way in ways {
        let apart = |pose: &Pose| distance(&shape, &Pose::IDENTITY, &shape, pose).gap.value;
        poses.extend(place_at_gap(way, 2.0 * radius, gap, apart)?);
    }
    Ok(poses)
}

fn query(pose: &Pose) -> Query {
    Query { models: [0, 0], poses: [Pose::IDENTITY, *pose], question: Question::FirstContact }
}

/// Pairs of nodes with so many overlapping pairs of children, summed.
#[derive(Clone, Default)]
struct Counts {
    passing: [u64; 5],
    wrong: u64,
    answers: Digest,
}

impl Counts {
    fn pairs(&self) -> u64 {
        self.passing.iter().sum()
    }

    fn shares(&self) -> [f64; 5] {
        self.passing.map(|count| count as f64 / self.pairs().max(1) as f64)
    }

    /// How many pairs of children overlap in the mean.
    fn mean(&self) -> f64 {
        self.shares().iter().enumerate().map(|(k, share)| k as f64 * share).sum()
    }

    fn row(&self, case: String) -> Row {
        Row {
            case,
            ours: rounded(self.mean(), 4),
            unit: "pairs of four",
            peer: None,
            wrong: self.wrong,
            answers: self.answers,
            more: vec![
                ("shares", json!(self.shares().map(|share| rounded(share, 4)))),
                ("assumed", json!(ASSUMED)),
                ("pairs", json!(self.pairs())),
                ("predicted", json!(rounded(self.mean().log2(), 3))),
            ],
        }
    }
}

/// The counts of a volume at each gap, over all models.
fn children(volume: &str, scenes: &[(Mesh, Vec<(f64, Pose)>)]) -> Vec<(f64, Counts)> {
    let mut found: Vec<(f64, Counts)> = GAPS.iter().map(|&gap| (gap, Counts::default())).collect();
    for (model, (mesh, poses)) in scenes.iter().enumerate() {
        let mut trees = tree(volume).build(std::slice::from_ref(mesh));
        for (number, (gap, pose)) in poses.iter().enumerate() {
            let Some((_, counts)) = found.iter_mut().find(|(of, _)| of == gap) else { continue };
            let meets = trees.intersects(&query(pose));
            // They are as far apart as the default path has put them.
            counts.wrong += u64::from(meets);
            counts.answers.note(&(model, number), &meets);
            let passing = trees.passing_children(&query(pose));
            counts.passing.iter_mut().zip(passing).for_each(|(sum, count)| *sum += count);
        }
    }
    found
}

/// The slope of a line through the logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|point| (point.0.ln(), point.1.ln())).collect();
    let mean = |part: fn(&(f64, f64)) -> f64| logarithms.iter().map(part).sum::<f64>() / logarithms.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let product: f64 = logarithms.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = logarithms.iter().map(|point| (point.0 - x).powi(2)).sum();
    product / square
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let models = models(options.data.as_deref(), options.quick)?;
    let mut scenes = Vec::new();
    for (number, model) in models.iter().enumerate() {
        let mesh = Mesh::new(&model.points, &model.triangles)?;
        let mut random = Random::new(options.seed, 4200 + number as u64);
        let ways = approaches(if options.quick { 1 } else { 3 }, 1, &mut random);
        let mut poses = Vec::new();
        for gap in GAPS {
            poses.extend(place(model, &mesh, gap, &ways)?.into_iter().map(|pose| (gap, pose)));
        }
        scenes.push((mesh, poses));
    }
    let (mut rows, mut groups, mut cases) = (Vec::new(), Vec::new(), 0);
    for volume in VOLUMES {
        let mut all = Counts::default();
        for (gap, counts) in children(volume, &scenes) {
            cases += counts.answers.count;
            all.passing.iter_mut().zip(counts.passing).for_each(|(sum, count)| *sum += count);
            rows.push(counts.row(format!("{volume} gap {gap}")));
        }
        groups.push((volume, all));
    }
    let mut series = Vec::new();
    let mut exponents = serde_json::Map::new();
    let sizes = if options.quick { &SIZES[..3] } else { &SIZES[..] };
    let ways = approaches(4, 1, &mut Random::new(options.seed, 4300));
    let mut growth: Vec<Vec<(f64, f64)>> = VOLUMES.iter().map(|_| Vec::new()).collect();
    for &size in sizes {
        let mut model = bumpy_sphere(size);
        into_unit_cube(&mut model);
        let mesh = Mesh::new(&model.points, &model.triangles)?;
        let poses = place(&model, &mesh, GROWTH_GAP, &ways)?;
        for (volume, growth) in VOLUMES.iter().zip(&mut growth) {
            let mut trees = tree(volume).build(std::slice::from_ref(&mesh));
            let (mut tests, mut wrong, mut answers) = (0, 0, Digest::default());
            for (number, pose) in poses.iter().enumerate() {
                let meets = trees.intersects(&query(pose));
                wrong += u64::from(meets);
                answers.note(&number, &meets);
                tests += trees.count(&query(pose)).volume_tests;
            }
            cases += answers.count;
            let tests = tests as f64 / poses.len().max(1) as f64;
            growth.push((model.triangles.len() as f64, tests));
            rows.push(Row {
                case: format!("{volume} growth {}", model.triangles.len()),
                ours: rounded(tests, 1),
                unit: "volume tests",
                peer: None,
                wrong,
                answers,
                more: vec![("triangles", json!(model.triangles.len()))],
            });
        }
    }
    for (colour, (volume, points)) in VOLUMES.iter().zip(&growth).enumerate() {
        exponents.insert((*volume).into(), json!(rounded(exponent(points), 3)));
        series.push(Series { name: (*volume).into(), colour, dashed: false, points: points.clone() });
    }
    let first = growth[0][0];
    let linear = growth[0].iter().map(|point| (point.0, first.1 * point.0 / first.0)).collect();
    series.push(Series { name: "assumed, O(n)".into(), colour: 4, dashed: true, points: linear });
    let bars = |k: usize| {
        let of = |(_, counts): &(&str, Counts)| match counts.shares()[k] {
            0.0 => Err("none".to_owned()),
            share => Ok(share),
        };
        let bars = std::iter::once(Ok(ASSUMED[k])).chain(groups.iter().map(of)).collect();
        Group { label: format!("{k} of 4 overlap"), bars }
    };
    let names = std::iter::once("assumed").chain(VOLUMES).map(str::to_owned).collect();
    let panels = vec![
        Plot {
            title: "Pairs of children that overlap".into(),
            measure: "share of all visited pairs of inner nodes, all gaps".into(),
            chart: Chart::Bars { names, groups: (0..5).map(bars).collect() },
        },
        Plot {
            title: "Growth".into(),
            measure: format!("pairs of volumes compared at a gap of {GROWTH_GAP}"),
            chart: Chart::Lines { x_label: "triangles".into(), series },
        },
    ];
    let shares = groups
        .iter()
        .map(|(volume, counts)| ((*volume).to_owned(), json!(counts.shares().map(|share| rounded(share, 4)))));
    let means = groups.iter().map(|(volume, counts)| ((*volume).to_owned(), json!(rounded(counts.mean(), 3))));
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("shares", serde_json::Value::Object(shares.collect())),
            ("assumed_shares", json!(ASSUMED)),
            ("mean_of_four", serde_json::Value::Object(means.collect())),
            ("growth_exponents", serde_json::Value::Object(exponents)),
        ],
        goals: Vec::new(),
        markdown: None,
        plot: Some(Plot {
            title: "The bounding volume test tree".into(),
            measure: "both nodes of a pair are opened".into(),
            chart: Chart::Stack(panels),
        }),
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
        assert_eq!(report.rows.len(), VOLUMES.len() * (GAPS.len() + 3));
        assert!(report.rows.iter().any(|row| row.ours > 0.1 && row.unit == "pairs of four"));
    }

    #[test]
    fn shares_and_exponents() {
        let counts = Counts { passing: [1, 4, 6, 4, 1], ..Counts::default() };
        assert_eq!((counts.shares(), counts.mean()), (ASSUMED, 2.0));
        assert!((exponent(&[(1.0, 3.0), (4.0, 24.0), (16.0, 192.0)]) - 1.5).abs() < 1e-12);
    }
}
