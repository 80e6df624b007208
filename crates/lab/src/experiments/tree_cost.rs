//! What a mesh's tree costs: to build on one thread and on all, in memory, by surface areas, and when its points move;
//! bumpy spheres of 1,000 to 10 million triangles, against parry and obvhs.
//!
//! Our time is that of `Mesh::new`: points and triangles checked and copied, the tree built. The peers' is that of the
//! tree alone, from triangles that are theirs already. `boxes` is how many boxes of the tree a random line through the
//! whole box meets; a leaf of ours has up to eight triangles and one box, a leaf of parry's one triangle and one box.
//!
//! Points that move: `Mesh::move_points` on one thread and on all, back and forth, and `Mesh::moved`, which makes a
//! copy.
//!
//! Every tree of ours is checked: the distance of a small triangle at several places is compared with every triangle of
//! the mesh, of which only those are measured, as convex bodies, that could be nearer by their bounding balls. `query`
//! is what such a distance takes.
//!
//! `peak_memory` is the largest the process has been so far (`VmHWM`), read after the largest mesh of the row is built;
//! peers are left out above a million triangles, so that theirs is not in the last one.

use std::hint::black_box;

use clearance::answer::Distance;
use clearance::glam::DVec3;
use clearance::{Mesh, Pose, Shape, distance};
use indicatif::ProgressIterator;
use serde_json::json;

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{each, median, timed};
use crate::meshes::Model;
use crate::meshes::generate::bumpy_sphere;
use crate::models::Random;
use crate::peers::question::TreeCost;
use crate::peers::{HOW_TO_ENABLE, ObvhsBuild, ObvhsTree, ParryBuild, ParryTree};
use crate::plot::{Chart, Plot, Series};
use crate::report::{Peer, Provenance, Report, Row, rounded};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "tree-cost",
    about: "trees of meshes of 1,000 to 10 million triangles: build, bytes, boxes met, refit; against parry and obvhs",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Triangles up to which peers build, too.
const PEERS_UP_TO: usize = 1_000_000;
/// Triangles of the row about moved points.
const REFITTED: usize = 100_000;

/// A small triangle placed somewhere, and our distance of it.
struct Probe {
    corners: [DVec3; 3],
    pose: Pose,
}

impl Probe {
    /// Probes about as far from the origin as the surface, inside and outside of it.
    fn some(count: usize, random: &mut Random) -> Result<Vec<Probe>, clearance::Error> {
        let probe = |_| {
            let corners = [0, 1, 2].map(|_| random.direction() * 0.01);
            let place = random.direction() * random.between(0.4, 2.0);
            Ok(Probe { corners, pose: Pose::from_quat(random.rotation(), place)? })
        };
        (0..count).map(probe).collect()
    }

    /// The probe as a mesh of one triangle.
    fn mesh(&self) -> Result<Shape, clearance::Error> {
        Shape::mesh(&self.corners.map(|corner| corner.to_array()), &[[0, 1, 2]])
    }

    /// What is wrong with a distance, by every triangle of the model.
    fn faults(&self, model: &Model, found: &Distance) -> Result<Vec<&'static str>, clearance::Error> {
        let ball = |corners: [DVec3; 3]| {
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            (middle, corners.iter().map(|corner| corner.distance(middle)).fold(0.0, f64::max))
        };
        let (middle, radius) = ball(self.corners.map(|corner| self.pose.transform_point(corner)));
        let [a, b, c] = self.corners;
        let probe = Shape::triangle(a, b, c)?;
        let (mut lower, mut named) = (f64::INFINITY, f64::INFINITY);
        for number in 0..model.triangles.len() {
            let corners = model.corners(number).map(DVec3::from);
            let (centre, extent) = ball(corners);
            let is_named = number as u32 == found.witness.a.part;
            // A millionth more than the upper bound is far above what rounding does to the balls.
            if centre.distance(middle) - extent - radius > found.gap.upper * (1.0 + 1e-6) + 1e-9 && !is_named {
                continue;
            }
            let triangle = Shape::triangle(corners[0], corners[1], corners[2])?;
            let one = distance(&triangle, &Pose::IDENTITY, &probe, &self.pose);
            lower = lower.min(one.gap.upper);
            if is_named {
                named = one.gap.lower;
            }
        }
        let mut faults = Vec::new();
        if found.gap.lower > lower {
            faults.push("a triangle is nearer than the lower bound");
        }
        if named > found.gap.upper {
            faults.push("the named triangle is farther than the upper bound");
        }
        Ok(faults)
    }
}

/// The largest the process has been, in bytes; `None` where the system does not say.
fn peak_memory() -> Option<u64> {
    peak_of_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// `VmHWM` of the text of `/proc/self/status`.
fn peak_of_status(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.split_whitespace().next()?.parse::<u64>().ok()?)
}

/// The mesh and the nanoseconds of each of some builds.
fn built(model: &Model, repeats: usize) -> Result<(Mesh, Vec<f64>), clearance::Error> {
    let mut times = Vec::with_capacity(repeats);
    let mut mesh = None;
    for _ in 0..repeats.max(1) {
        drop(mesh.take());
        let (found, seconds) = timed(|| Mesh::new(&model.points, &model.triangles));
        times.push(1e9 * seconds);
        mesh = Some(found?);
    }
    match mesh {
        Some(mesh) => Ok((mesh, times)),
        None => Err(clearance::Error::NoTriangles),
    }
}

/// The peers' trees: name, the way it is built, what it costs, as the median over repeats.
fn peers(model: &Model, repeats: usize) -> Vec<(&'static str, &'static str, TreeCost)> {
    let mut found = Vec::new();
    let mut note = |name, way, build: &dyn Fn() -> Option<TreeCost>| {
        let costs: Vec<TreeCost> = (0..repeats).filter_map(|_| build()).collect();
        if let Some(&cost) = costs.first() {
            let build = median(costs.iter().map(|cost| cost.build).collect());
            found.push((name, way, TreeCost { build, ..cost }));
        }
    };
    for (build, way) in [(ParryBuild::Binned, "binned"), (ParryBuild::Ploc, "ploc")] {
        note(ParryTree::NAME, way, &|| Some(ParryTree::new(model, build, &[])?.cost()));
    }
    for (build, way) in [
        (ObvhsBuild::Fastest, ["fastest, binary", "fastest, wide"]),
        (ObvhsBuild::Fast, ["fast, binary", "fast, wide"]),
        (ObvhsBuild::Medium, ["medium, binary", "medium, wide"]),
    ] {
        for (wide, way) in [false, true].into_iter().zip(way) {
            note(ObvhsTree::NAME, way, &|| Some(ObvhsTree::new(model, build, wide, &[])?.cost()));
        }
    }
    found
}

/// A pool with this many threads; 0 for one per core.
pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, LabError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| LabError::BadCall(format!("threads cannot be started: {error}")))
}

/// What was found about one size.
struct Examined {
    rows: Vec<Row>,
    /// Nanoseconds to build for the figure: ours on one thread, ours on all, parry's.
    figures: [Option<f64>; 3],
    /// How many distances were checked.
    probes: u64,
}

/// Builds and checks the trees of one size.
fn examine(wanted: usize, options: &Options) -> Result<Examined, LabError> {
    let model = bumpy_sphere(wanted);
    let count = model.triangles.len();
    let repeats = match count {
        _ if options.quick => 1,
        0..500_000 => 7,
        500_000..2_000_000 => 3,
        _ => 1,
    };
    let (all_pool, one_pool) = (pool(0)?, pool(1)?);
    let (mesh, one) = one_pool.install(|| built(&model, repeats))?;
    let (parallel, all) = all_pool.install(|| built(&model, repeats))?;
    let memory = peak_memory();
    let mut wrong = u64::from(mesh.to_bytes() != parallel.to_bytes());
    let mut why = Vec::new();
    if wrong > 0 {
        why.push("the number of threads changes the tree");
    }
    drop(parallel);
    let statistics = mesh.tree_statistics();
    let tree = Digest::of(&(&mesh, statistics));
    let mut answers = tree;
    let bytes = mesh.bytes() as f64 / count as f64;
    let shape = Shape::Mesh(mesh);
    let probes = Probe::some(if options.quick { 5 } else { 20 }, &mut Random::new(options.seed, 5000))?;
    let meshes: Vec<Shape> = probes.iter().map(Probe::mesh).collect::<Result<_, _>>()?;
    let ask = |number: usize| distance(&shape, &Pose::IDENTITY, &meshes[number], &probes[number].pose);
    for (number, probe) in probes.iter().enumerate() {
        let found = ask(number);
        answers.note(&number, &found);
        let faults = probe.faults(&model, &found)?;
        wrong += u64::from(!faults.is_empty());
        why.extend(faults);
    }
    let costs = each(probes.len(), 5, f64::INFINITY, |number| {
        black_box(ask(black_box(number)));
    });
    let query = median(costs.into_iter().flatten().map(|cost| cost.median).collect());

    let (one, all) = (median(one), median(all));
    let mut more = vec![
        ("bytes_per_triangle", json!(rounded(bytes, 1))),
        ("boxes", json!(rounded(statistics.cost, 2))),
        ("depth", json!(statistics.depth)),
        ("query_us", json!(rounded(query / 1e3, 2))),
        ("peak_memory", json!(memory)),
    ];
    if !why.is_empty() {
        more.push(("why", json!(why)));
    }
    let milliseconds = |nanoseconds: f64| rounded(nanoseconds / 1e6, 3);
    let row = |case: String, ours: f64, wrong, answers, more| Row {
        case,
        ours: milliseconds(ours),
        unit: "ms",
        peer: None,
        wrong,
        answers,
        more,
    };
    let threads = all_pool.current_num_threads();
    let mut rows = vec![
        row(format!("{count} triangles, 1 thread"), one, wrong, answers, more),
        row(
            format!("{count} triangles, {threads} threads"),
            all,
            0,
            tree,
            vec![("speedup", json!(rounded(one / all, 2)))],
        ),
    ];
    let mut parry = None;
    for (name, way, cost) in if count <= PEERS_UP_TO + PEERS_UP_TO / 10 { peers(&model, repeats) } else { Vec::new() } {
        let ratio = rounded(cost.build / one, 3);
        if way == "binned" {
            parry = Some(cost.build);
        }
        let own = vec![
            ("their_bytes_per_triangle", json!(rounded(cost.bytes as f64 / count as f64, 1))),
            ("their_inner_boxes", json!(rounded(cost.inner_area, 2))),
            ("their_leaf_triangles", json!(rounded(cost.leaf_area, 2))),
            ("boxes", json!(rounded(statistics.cost, 2))),
        ];
        let peer = Some(Peer { name, theirs: milliseconds(cost.build), ratio, worst_ratio: ratio });
        rows.push(Row { peer, ..row(format!("{count} triangles, 1 thread, {way}"), one, 0, Digest::default(), own) });
    }
    Ok(Examined { rows, figures: [Some(one), Some(all), parry], probes: probes.len() as u64 })
}

/// The rows about points that move, one per way.
fn refit(options: &Options) -> Result<Vec<Row>, LabError> {
    let model = bumpy_sphere(if options.quick { 2000 } else { REFITTED });
    let count = model.triangles.len();
    let mesh = Mesh::new(&model.points, &model.triangles)?;
    let breathe = |[x, y, z]: [f64; 3]| [x * 1.1, y * (1.0 + 0.05 * (3.0 * x).sin()), z * 0.9];
    let points: Vec<[f64; 3]> = model.points.iter().copied().map(breathe).collect();
    let repeats = if options.quick { 1 } else { 15 };
    // Nanoseconds a triangle, over repeats that end with the points moved.
    let in_place = |threads: usize| {
        let (pool, mut own) = (pool(threads)?, Mesh::new(&model.points, &model.triangles)?);
        let mut times = Vec::new();
        for _ in 0..repeats {
            for to in [&model.points, &points] {
                let (moved, seconds) = pool.install(|| timed(|| own.move_points(black_box(to))));
                moved?;
                times.push(1e9 * seconds / count as f64);
            }
        }
        Ok::<_, LabError>((own, median(times), pool.current_num_threads()))
    };
    let (one, in_one, _) = in_place(1)?;
    let (all, in_all, threads) = in_place(0)?;
    let mut times = Vec::new();
    for _ in 0..repeats {
        let (moved, seconds) = pool(1)?.install(|| timed(|| mesh.moved(black_box(&points))));
        black_box(moved?);
        times.push(1e9 * seconds / count as f64);
    }
    let mut faults = Vec::new();
    let copy = mesh.moved(&points)?;
    if one.to_bytes() != all.to_bytes() || one.to_bytes() != copy.to_bytes() {
        faults.push("the number of threads, or copying, changes the tree");
    }
    let bytes = one.bytes() as f64 / count as f64;
    let [tree, tree_of_all, tree_of_copy] = [&one, &all, &copy].map(Digest::of);
    let mut answers = tree;
    let moved_model = Model { points, ..model };
    let shape = Shape::Mesh(one);
    for (number, probe) in Probe::some(5, &mut Random::new(options.seed, 5001))?.iter().enumerate() {
        let found = distance(&shape, &Pose::IDENTITY, &probe.mesh()?, &probe.pose);
        answers.note(&number, &found);
        faults.extend(probe.faults(&moved_model, &found)?);
    }
    let row = |how: &str, ours: f64, wrong, answers, more| Row {
        case: format!("{count} triangles, points moved, a triangle, {how}"),
        ours: rounded(ours, 2),
        unit: "ns",
        peer: None,
        wrong,
        answers,
        more,
    };
    let wrong = faults.len() as u64;
    let mut more = vec![("bytes_per_triangle", json!(rounded(bytes, 1)))];
    if !faults.is_empty() {
        more.push(("why", json!(faults)));
    }
    Ok(vec![
        row("1 thread", in_one, wrong, answers, more),
        row(
            &format!("{threads} threads"),
            in_all,
            0,
            tree_of_all,
            vec![("speedup", json!(rounded(in_one / in_all, 2)))],
        ),
        row("1 thread, a copy", median(times), 0, tree_of_copy, Vec::new()),
    ])
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let sizes: &[usize] = if options.quick { &[1000, 10_000] } else { &[1000, 10_000, 100_000, 1_000_000, 10_000_000] };
    let (mut rows, mut cases) = (refit(options)?, 5);
    let mut lines: [Vec<(f64, f64)>; 3] = Default::default();
    for &size in sizes.iter().progress() {
        let Examined { rows: found, figures, probes } = examine(size, options)?;
        rows.extend(found);
        cases += probes;
        for (line, figure) in lines.iter_mut().zip(figures) {
            line.extend(figure.map(|nanoseconds| (size as f64, nanoseconds / size as f64)));
        }
    }
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    let [one, all, parry] = lines;
    let mut series = vec![
        Series { name: "ours, 1 thread".into(), colour: 0, dashed: false, points: one },
        Series { name: "ours, all threads".into(), colour: 0, dashed: true, points: all },
    ];
    if !parry.is_empty() {
        series.push(Series { name: format!("{}, binned", ParryTree::NAME), colour: 1, dashed: false, points: parry });
    }
    Ok(Report {
        goals: Vec::new(),
        markdown: None,
        experiment: EXPERIMENT.name,
        cases,
        more: vec![("peak_memory", json!(peak_memory()))],
        plot: Some(Plot {
            title: "Building a tree".into(),
            measure: "Nanoseconds a triangle".into(),
            chart: Chart::Lines { x_label: "triangles".into(), series },
        }),
        rows,
        provenance: Provenance::here(std::thread::available_parallelism().map_or(1, usize::from)),
    })
}

#[cfg(test)]
mod tests {
    use clearance::Bracket;

    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        assert_eq!(report.cases, 15);
        // Three of moved points, and two rows for each size; with peers eight more for each.
        assert_eq!(report.rows.len(), 3 + 2 * if cfg!(feature = "peers") { 10 } else { 2 });
        assert!(report.plot.is_some());
    }

    #[test]
    fn a_bent_distance_is_found_out() {
        let model = bumpy_sphere(500);
        let shape = Shape::mesh(&model.points, &model.triangles).unwrap();
        let mut tried = 0;
        for probe in Probe::some(10, &mut Random::new(1, 0)).unwrap() {
            let found = distance(&shape, &Pose::IDENTITY, &probe.mesh().unwrap(), &probe.pose);
            assert_eq!(probe.faults(&model, &found).unwrap(), Vec::<&str>::new());
            if found.gap.value > 0.0 {
                let late = Distance { gap: Bracket { lower: found.gap.upper + 1e-9, ..found.gap }, ..found };
                assert_eq!(probe.faults(&model, &late).unwrap(), ["a triangle is nearer than the lower bound"]);
                let early =
                    Distance { gap: Bracket { lower: 0.0, upper: found.gap.lower - 1e-9, ..found.gap }, ..found };
                let faults = probe.faults(&model, &early).unwrap();
                assert_eq!(faults, ["the named triangle is farther than the upper bound"]);
                tried += 1;
            }
        }
        assert!(tried > 5);
    }

    #[test]
    fn peak_memory_is_read() {
        assert_eq!(peak_of_status("Name:\tlab\nVmHWM:\t   2048 kB\nVmRSS:\t 1 kB\n"), Some(2 << 20));
        assert_eq!(peak_of_status("Name:\tlab\n"), None);
    }
}
