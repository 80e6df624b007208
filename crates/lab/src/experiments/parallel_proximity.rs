//! Figures 5 and 6 of Gottschalk, Lin and Manocha (*OBBTree*, 1996): how many pairs of volumes a query compares when
//! surfaces come close.
//!
//! *Parallel*: two spheres of 32,000 triangles about one point, of radii 1 and 1 + gap. *Point*: two such spheres of
//! radius 1 side by side, the gap along the direction of a vertex. All spheres are cut into triangles alike and stand
//! alike, so the smaller lies inside the larger at any gap, and vertices face each other where the spheres are nearest.
//! The trees of axis-aligned boxes are split by the same rule as those of oriented ones, with the axes of the frame.
//!
//! The slope is that of a line through the logarithms, where the counts lie between four times the least and a quarter
//! of the greatest: neither a few nodes near the root nor the whole trees. The paper names -2 for axis-aligned boxes
//! and -1 for oriented ones.
//!
//! No two of the spheres meet. What a tree answers is compared with that, with the default path, and, for the nearest
//! gap, its distance with the one of the default path.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::hierarchies::{TreeKind, Trees};
use crate::measure::each;
use crate::meshes::Model;
use crate::meshes::scenery::uv_sphere;
use crate::peers::question::{Query, Question};
use crate::plot::{Chart, Plot, Series};
use crate::report::{Goal, Provenance, Report, Row, rounded};
use clearance::glam::DVec3;
use clearance::index::Stats;
use clearance::{Mesh, Pose, Shape, intersects};
use indicatif::ProgressIterator;
use serde_json::{Value, json};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "parallel-proximity",
    about: "pairs of volumes compared for spheres 1 to 1e-5 apart, concentric and side by side: Figs 5, 6 of OBBTree",
    flags: &[Flag::Quick],
    run,
};

/// The volumes, each in trees of the default builder.
const VOLUMES: [&str; 5] = ["AABB", "OBB", "sphere", "18-DOP", "RSS"];
/// Gaps from 1 to 1e-5, so many to a power of ten.
const STEPS: i32 = 4;
/// Times in which the largest number of triangles is sought, in milliseconds.
const BUDGETS: [f64; 3] = [100.0, 16.0, 1.0];
/// The gap at which it is sought, and the numbers of triangles that are tried.
const BUDGET_GAP: f64 = 1e-2;
const SIZES: [usize; 9] = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000];

/// How the spheres stand.
#[derive(Clone, Copy, PartialEq)]
enum Scene {
    Parallel,
    Point,
}

impl Scene {
    const ALL: [Scene; 2] = [Scene::Parallel, Scene::Point];

    fn name(self) -> &'static str {
        match self {
            Scene::Parallel => "parallel",
            Scene::Point => "point",
        }
    }
}

/// A sphere of about so many triangles: 200 slices and 81 stacks for 32,000.
fn ball(triangles: usize, radius: f64) -> Model {
    let slices = 2 * ((triangles as f64 / 32_000.0).sqrt() * 100.0).round() as u32;
    // An odd number of stacks, as in the paper's; vertices come in opposite pairs in any case.
    let stacks = (triangles as f64 / f64::from(2 * slices)).round() as u32 + 1;
    uv_sphere(slices, stacks, radius)
}

fn mesh(model: &Model) -> Result<Mesh, clearance::Error> {
    Mesh::new(&model.points, &model.triangles)
}

/// The direction of a vertex that lies on no plane of symmetry.
fn direction(model: &Model) -> DVec3 {
    let wanted = DVec3::new(0.56, 0.31, 0.77).normalize();
    let nearer = |a: &DVec3, b: &DVec3| a.dot(wanted).total_cmp(&b.dot(wanted));
    model.points.iter().map(|&point| DVec3::from(point)).max_by(nearer).unwrap_or(wanted).normalize()
}

/// The meshes of a query, and where the second is.
fn meshes(model: &Model, scene: Scene, gap: f64) -> Result<([Mesh; 2], Pose), LabError> {
    let inner = mesh(model)?;
    Ok(match scene {
        Scene::Parallel => {
            let larger = |point: &[f64; 3]| point.map(|part| part * (1.0 + gap));
            let points: Vec<[f64; 3]> = model.points.iter().map(larger).collect();
            ([inner, Mesh::new(&points, &model.triangles)?], Pose::IDENTITY)
        }
        Scene::Point => ([inner.clone(), inner], Pose::from_translation(direction(model) * (2.0 + gap))?),
    })
}

/// Slope of the line through the logarithms of those points whose counts are neither near the least nor near the
/// greatest, and how many these are; `None` if they are fewer than two.
fn slope(points: &[(f64, f64)]) -> Option<(f64, usize)> {
    let least = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let between = |point: &&(f64, f64)| (4.0 * least..=0.25 * most).contains(&point.1);
    let logarithms: Vec<(f64, f64)> = points.iter().filter(between).map(|point| (point.0.ln(), point.1.ln())).collect();
    let count = logarithms.len();
    if count < 2 {
        return None;
    }
    let mean = |part: fn(&(f64, f64)) -> f64| logarithms.iter().map(part).sum::<f64>() / count as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let product: f64 = logarithms.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = logarithms.iter().map(|point| (point.0 - x).powi(2)).sum();
    Some((product / square, count))
}

/// One gap of a curve.
struct Sample {
    gap: f64,
    stats: Stats,
    microseconds: f64,
    faults: Vec<&'static str>,
    answer: bool,
}

/// Asks for first contact; the truth is that the spheres do not meet.
fn sample(trees: &mut dyn Trees, meshes: &[Mesh], pose: Pose, gap: f64, repeats: usize) -> Sample {
    let query = Query { models: [0, 1], poses: [Pose::IDENTITY, pose], question: Question::FirstContact };
    let answer = trees.intersects(&query);
    let mut faults = Vec::new();
    if answer {
        faults.push("spheres apart are said to meet");
    }
    let shapes = [0, 1].map(|side| Shape::Mesh(meshes[side].clone()));
    let [pose_a, pose_b] = &query.poses;
    if intersects(&shapes[0], pose_a, &shapes[1], pose_b) != answer {
        faults.push("the default path says otherwise");
    }
    let stats = trees.count(&query);
    let costs = each(1, repeats, f64::INFINITY, |_| {
        std::hint::black_box(trees.intersects(&query));
    });
    let microseconds = costs[0].map_or(f64::NAN, |cost| cost.median / 1e3);
    Sample { gap, stats, microseconds, faults, answer }
}

/// What is wrong with the distance, seen from the default path's.
fn faults_of_distance(trees: &mut dyn Trees, meshes: &[Mesh], pose: Pose) -> Vec<&'static str> {
    let query = Query { models: [0, 1], poses: [Pose::IDENTITY, pose], question: Question::Distance };
    let found = trees.distance(&query);
    let shapes = [0, 1].map(|side| Shape::Mesh(meshes[side].clone()));
    let [pose_a, pose_b] = &query.poses;
    let other = clearance::distance(&shapes[0], pose_a, &shapes[1], pose_b);
    let mut faults = Vec::new();
    if found.gap.lower > other.gap.upper || other.gap.lower > found.gap.upper {
        faults.push("the default path has another distance");
    }
    if found.verify(&shapes[0], pose_a, &shapes[1], pose_b).is_err() {
        faults.push("verify refused the distance");
    }
    faults
}

/// The samples of a scene, by volume.
fn curves(model: &Model, scene: Scene, quick: bool) -> Result<Vec<Vec<Sample>>, LabError> {
    let last = 5 * STEPS;
    let step = if quick { 2 } else { 1 };
    let gaps: Vec<f64> =
        (0..=last).step_by(step).map(|number| 10_f64.powf(-f64::from(number) / f64::from(STEPS))).collect();
    let mut curves: Vec<Vec<Sample>> = VOLUMES.iter().map(|_| Vec::new()).collect();
    // Side by side the trees stay, and so do those of the inner sphere; only the outer one is another for each gap.
    let mut kept: Vec<Option<Box<dyn Trees>>> = VOLUMES.iter().map(|_| None).collect();
    for (number, &gap) in gaps.iter().enumerate().progress() {
        let (meshes, pose) = meshes(model, scene, gap)?;
        for (volume, curve) in curves.iter_mut().enumerate() {
            let build = || TreeKind::of(VOLUMES[volume]).build(&meshes);
            let trees = match (scene, kept[volume].take()) {
                (Scene::Point, Some(trees)) => kept[volume].insert(trees),
                _ => kept[volume].insert(build()),
            };
            let mut sample = sample(trees.as_mut(), &meshes, pose, gap, if quick { 1 } else { 3 });
            if number + 1 == gaps.len() {
                sample.faults.extend(faults_of_distance(trees.as_mut(), &meshes, pose));
            }
            curve.push(sample);
        }
    }
    Ok(curves)
}

/// The rows of a scene: one for each volume and gap.
fn rows(scene: Scene, curves: &[Vec<Sample>]) -> Vec<Row> {
    let row = |volume: &str, sample: &Sample| {
        let mut more = vec![
            ("gap", json!(sample.gap)),
            ("triangle_tests", json!(sample.stats.triangle_tests)),
            ("us", json!(rounded(sample.microseconds, 1))),
        ];
        if !sample.faults.is_empty() {
            more.push(("why", json!(sample.faults)));
        }
        Row {
            case: format!("{} {volume} {:.1e}", scene.name(), sample.gap),
            ours: sample.stats.volume_tests as f64,
            unit: "volume tests",
            peer: None,
            wrong: u64::from(!sample.faults.is_empty()),
            answers: Digest::of(&sample.answer),
            more,
        }
    };
    let of = |(volume, curve): (&&str, &Vec<Sample>)| -> Vec<Row> {
        curve.iter().map(|sample| row(volume, sample)).collect()
    };
    VOLUMES.iter().zip(curves).flat_map(of).collect()
}

/// The curves of a scene in a figure, with lines of the published slopes beside them.
fn panel(scene: Scene, curves: &[Vec<(f64, f64)>]) -> Plot {
    let mut series: Vec<Series> = VOLUMES
        .iter()
        .zip(curves)
        .enumerate()
        .map(|(colour, (&name, points))| {
            // x ascends.
            let points = points.iter().rev().copied().collect();
            Series { name: name.into(), colour, dashed: false, points }
        })
        .collect();
    if scene == Scene::Parallel {
        for (colour, slope) in [(0, -2.0), (1, -1.0)] {
            // Through the middle of the part that was fitted.
            let points = &curves[colour];
            let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
            let Some(&(x, y)) = points.iter().find(|point| point.1 >= 0.05 * most) else { continue };
            let line = [x * 0.1, x, (x * 10.0).min(1.0)].map(|at| (at, y * (at / x).powf(slope)));
            let name = format!("published slope {slope}");
            series.push(Series { name, colour, dashed: true, points: line.to_vec() });
        }
    }
    let title = match scene {
        Scene::Parallel => "Parallel close proximity (Fig. 5 of OBBTree)",
        Scene::Point => "Point close proximity (Fig. 6 of OBBTree)",
    };
    let chart = Chart::Lines { x_label: "gap, radii of the spheres".into(), series };
    Plot { title: title.into(), measure: "pairs of volumes compared".into(), chart }
}

/// The largest numbers of triangles of each sphere for which a query takes no longer than each of the budgets.
fn largest(volume: &str, sizes: &[usize], faults: &mut Vec<&'static str>) -> Result<[Option<usize>; 3], LabError> {
    let mut largest = [None; 3];
    for &size in sizes {
        let model = ball(size, 1.0);
        let (meshes, pose) = meshes(&model, Scene::Parallel, BUDGET_GAP)?;
        let mut trees = TreeKind::of(volume).build(&meshes);
        let sample = sample(trees.as_mut(), &meshes, pose, BUDGET_GAP, 3);
        faults.extend(sample.faults);
        for (largest, budget) in largest.iter_mut().zip(BUDGETS) {
            if sample.microseconds <= 1e3 * budget {
                *largest = Some(model.triangles.len());
            }
        }
        if sample.microseconds > 1e3 * BUDGETS[0] {
            break;
        }
    }
    Ok(largest)
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let model = ball(if options.quick { 2_000 } else { 32_000 }, 1.0);
    let (mut all, mut panels, mut slopes) = (Vec::new(), Vec::new(), Vec::new());
    let mut plateaus = serde_json::Map::new();
    for scene in Scene::ALL {
        let found = curves(&model, scene, options.quick)?;
        let points = |curve: &Vec<Sample>| -> Vec<(f64, f64)> {
            curve.iter().map(|sample| (sample.gap, sample.stats.volume_tests as f64)).collect()
        };
        let points: Vec<Vec<(f64, f64)>> = found.iter().map(points).collect();
        slopes.push(points.iter().map(|points| slope(points)).collect::<Vec<_>>());
        if scene == Scene::Parallel {
            for (volume, points) in VOLUMES.iter().zip(&points) {
                let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
                plateaus.insert((*volume).into(), json!(most));
            }
        }
        all.extend(rows(scene, &found));
        panels.push(panel(scene, &points));
    }
    let sizes = if options.quick { &SIZES[..2] } else { &SIZES[..] };
    let (mut within, mut faults) = (serde_json::Map::new(), Vec::new());
    for volume in VOLUMES {
        within.insert(volume.into(), json!(largest(volume, sizes, &mut faults)?));
    }
    if let Some(first) = all.first_mut().filter(|_| !faults.is_empty()) {
        first.wrong += 1;
        first.more.push(("why_largest", json!(faults)));
    }
    let of = |scene: usize, volume: usize| slopes[scene][volume].map(|(slope, _)| rounded(slope, 3));
    let by_volume = |scene: usize| -> Value {
        let slope = |volume: usize| (VOLUMES[volume].to_owned(), json!(of(scene, volume)));
        Value::Object((0..VOLUMES.len()).map(slope).collect())
    };
    let goal = |volume: usize, low: f64, high: f64| Goal {
        goal: format!("slope of {} between {low} and {high}", VOLUMES[volume]),
        seen: json!(of(0, volume)),
        met: of(0, volume).is_some_and(|slope| (low..=high).contains(&slope)),
    };
    let cases = all.len() as u64;
    let chart = Chart::Stack(panels);
    let measure = format!("two spheres of {} triangles, first contact", model.triangles.len());
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("slope_aabb", json!(of(0, 0))),
            ("slope_obb", json!(of(0, 1))),
            ("slopes_parallel", by_volume(0)),
            ("slopes_point", by_volume(1)),
            ("plateaus_parallel", Value::Object(plateaus)),
            ("largest_n_within_100_16_1_ms", Value::Object(within)),
        ],
        goals: vec![goal(0, -2.2, -1.8), goal(1, -1.2, -0.8)],
        markdown: None,
        plot: Some(Plot { title: "Volumes compared at small gaps".into(), measure, chart }),
        rows: all,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        assert_eq!(report.cases, 2 * 5 * 11);
        let Value::Object(slopes) = &report.more[2].1 else { panic!("slopes") };
        assert_eq!(slopes.len(), VOLUMES.len());
    }

    #[test]
    fn the_slope_of_a_curve_that_levels_off_is_that_of_its_straight_part() {
        let count = |gap: f64| (3.0 * gap.powf(-1.5)).clamp(3.0, 1e5);
        let points: Vec<(f64, f64)> =
            (0..60).map(|number| 10_f64.powf(-f64::from(number) / 10.0)).map(|gap| (gap, count(gap))).collect();
        let (slope, used) = slope(&points).unwrap();
        assert!((slope + 1.5).abs() < 1e-9 && used > 10, "{slope} {used}");
        assert_eq!(super::slope(&points[..1]), None);
    }

    #[test]
    fn the_spheres_are_the_published_ones_and_as_far_apart_as_said() {
        assert_eq!(ball(32_000, 1.0), uv_sphere(200, 81, 1.0));
        for size in [1_000, 8_000] {
            let (meshes, pose) = meshes(&ball(size, 1.0), Scene::Point, 1e-3).unwrap();
            let [a, b] = meshes.map(Shape::Mesh);
            let gap = clearance::distance(&a, &Pose::IDENTITY, &b, &pose).gap;
            assert!(gap.lower - 1e-12 <= 1e-3 && 1e-3 <= gap.upper + 1e-12, "{gap:?}");
        }
    }
}
