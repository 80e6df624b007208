//! Collisions of meshes of tetrahedra: Erleben and Sporring, *Collision Detection of Deformable Volumetric Meshes*
//! (2004), figures 1.5.4 to 1.5.7, by bucket trees, by a spatial hash and by wide trees.
//!
//! The scenes are those of the article: V shapes of two hinged bars, dragged through each other and closed until their
//! legs cross. An intersection is a pair of a surface's face and a tetrahedron. The figures have no numbers on their
//! axes that could stand beside ours, only what is drawn: a quadratic fit of time over size at 800 to 1,200 (A) and
//! 3,200 to 4,800 (B) intersections, and a linear fit over the number of intersections at 600 to 1,400 tetrahedra; the
//! same two within one mesh, both linear. Each is drawn with a fit of that degree, and one standard deviation of the
//! residuals. They measured on a Xeon at 2.4 GHz (the text says MHz).
//!
//! Times are of whole queries on one thread with a workspace that has seen the mesh before: mapping or refitting, and
//! every test. All three ways must give the same pairs, and those are proved again by `verify`, which sweeps boxes
//! along an axis and tests every face and tetrahedron whose boxes meet. With `--data` the meshes of a folder twist, and
//! are pushed into each other; of every mesh two frames are verified.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{Plan, each, median, race};
use crate::meshes::tets::TetModel;
use crate::models::{Model, PairPlacement, Placement, Random};
use crate::peers::{HOW_TO_ENABLE, ParryPair};
use crate::plot::{Chart, Plot, Series};
use crate::report::{Goal, Peer, Provenance, Report, Row, rounded};
use clearance::answer::{TetPairs, TetSelfPairs};
use clearance::glam::{DQuat, DVec3};
use clearance::query::{
    BucketMapping, TetAlgorithm, TetNeighbours, TetOptions, TetWorkspace, tet_pairs_with, tet_self_pairs_with,
    triangle_tet_batch,
};
use clearance::{Pose, Shape, TetMesh, intersects};
use clearance_files::read_tets;
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::path::Path;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "buckettree",
    about: "meshes of tetrahedra: figures 1.5.4 to 1.5.7 of Erleben and Sporring; bucket tree, hash, wide tree; parry",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// The ways that are raced: name, algorithm, mapping, tetrahedra along the edge of a bucket.
const WAYS: [(&str, TetAlgorithm, BucketMapping, f64); 6] = [
    ("bucket tree", TetAlgorithm::BucketTree, BucketMapping::Direct, 2.0),
    ("bucket tree, n = 1", TetAlgorithm::BucketTree, BucketMapping::Direct, 1.0),
    ("bucket tree, n = 4", TetAlgorithm::BucketTree, BucketMapping::Direct, 4.0),
    ("bucket tree, sorting", TetAlgorithm::BucketTree, BucketMapping::Sorting, 2.0),
    ("spatial hash", TetAlgorithm::SpatialHash, BucketMapping::Direct, 2.0),
    ("wide tree", TetAlgorithm::WideTree, BucketMapping::Direct, 2.0),
];

/// The ways that are drawn, by their place in [`WAYS`].
const DRAWN: [usize; 3] = [0, 4, 5];

/// Cubes along a leg and across it, from small to large: 12 times `length * width²` tetrahedra.
const SIZES: [[u32; 2]; 8] = [[13, 2], [16, 2], [20, 2], [12, 3], [16, 3], [16, 4], [24, 4], [26, 6]];

/// Half of the angle between the legs.
const ANGLE: f64 = 0.5;

/// The folder that `--data` names.
const WANTED: &str = "a folder with meshes of tetrahedra (.msh, .vtk)";

fn options(way: usize) -> TetOptions {
    let (_, algorithm, mapping, tets_per_bucket) = WAYS[way];
    TetOptions { algorithm, mapping, tets_per_bucket, neighbours: TetNeighbours::Point }
}

/// What is asked.
#[derive(Clone, Copy)]
enum Asked<'m> {
    Two(&'m TetMesh, &'m TetMesh),
    Itself(&'m TetMesh),
}

/// What was answered.
#[derive(PartialEq)]
enum Answer {
    Two(TetPairs),
    Itself(TetSelfPairs),
}

impl Answer {
    fn pairs(&self) -> [&[[u32; 2]]; 2] {
        match self {
            Answer::Two(found) => [&found.faces_of_a, &found.faces_of_b],
            Answer::Itself(found) => [&found.pairs, &[]],
        }
    }

    fn count(&self) -> usize {
        self.pairs().iter().map(|pairs| pairs.len()).sum()
    }
}

impl Asked<'_> {
    fn ask(self, way: usize, workspace: &mut TetWorkspace) -> Answer {
        match self {
            Asked::Two(a, b) => Answer::Two(tet_pairs_with(a, b, &options(way), workspace)),
            Asked::Itself(mesh) => Answer::Itself(tet_self_pairs_with(mesh, &options(way), workspace)),
        }
    }

    fn holds(self, answer: &Answer) -> bool {
        match (self, answer) {
            (Asked::Two(a, b), Answer::Two(found)) => found.verify(a, b).is_ok(),
            (Asked::Itself(mesh), Answer::Itself(found)) => found.verify(mesh, TetNeighbours::Point).is_ok(),
            _ => false,
        }
    }
}

/// What one scene gave: the pairs and, for each way asked, milliseconds.
struct Measured {
    tets: usize,
    pairs: usize,
    wrong: u64,
    digest: Digest,
    times: Vec<f64>,
}

/// Asks by some ways, each with a workspace that has answered before.
fn measure(asked: Asked<'_>, ways: &[usize], repeats: usize, verified: bool) -> Measured {
    let first = asked.ask(ways[0], &mut TetWorkspace::default());
    let mut wrong = u64::from(verified && !asked.holds(&first));
    let mut times = Vec::new();
    for &way in ways {
        let mut workspace = TetWorkspace::default();
        wrong += u64::from(asked.ask(way, &mut workspace).pairs() != first.pairs());
        let cost = each(1, repeats, 20.0, |_| {
            black_box(asked.ask(way, &mut workspace));
        });
        times.push(cost[0].map_or(f64::NAN, |cost| cost.median / 1e6));
    }
    let tets = match asked {
        Asked::Two(a, b) => a.tets().len() + b.tets().len(),
        Asked::Itself(mesh) => mesh.tets().len(),
    };
    let digest = Digest::of_all(first.pairs().map(|pairs| pairs.to_vec()));
    Measured { tets, pairs: first.count(), wrong, digest, times }
}

/// The V shapes of a size, the second dragged into the first by a share of the height, or its legs closed by a bend.
#[derive(Clone, Copy)]
struct Scene {
    size: [u32; 2],
    itself: bool,
}

impl Scene {
    fn models(self, share: f64) -> [TetModel; 2] {
        let [length, width] = self.size;
        if self.itself {
            let closed = TetModel::hinged(length, width, ANGLE, 0.9 + 1.8 * share);
            return [closed.clone(), closed];
        }
        let still = TetModel::hinged(length, width, ANGLE, 0.0);
        // From above, turned a little, down to where both coincide but for the turn.
        let turn = DQuat::from_rotation_y(0.35) * DQuat::from_rotation_x(0.11);
        let by = DVec3::new(0.011, 1.0 - share, 0.017);
        let moved = still.mapped(|point| turn * point + by);
        [still, moved]
    }

    fn with<R>(self, share: f64, work: impl FnOnce(Asked<'_>) -> R) -> Result<R, LabError> {
        let [a, b] = self.models(share);
        let (a, b) = (a.mesh()?, b.mesh()?);
        Ok(work(if self.itself { Asked::Itself(&a) } else { Asked::Two(&a, &b) }))
    }

    /// Shares at which the number of pairs is between two limits.
    fn shares(self, least: usize, most: usize, wanted: usize) -> Result<Vec<f64>, LabError> {
        let mut found = Vec::new();
        let steps = 40 * wanted as u32;
        for step in 1..=steps {
            let share = f64::from(step) / f64::from(steps);
            let count = self.with(share, |asked| asked.ask(5, &mut TetWorkspace::default()).count())?;
            if (least..=most).contains(&count) {
                found.push(share);
            }
        }
        let every = found.len().div_ceil(wanted.max(1)).max(1);
        Ok(found.into_iter().step_by(every).collect())
    }
}

/// A polynomial through points by least squares, from the constant on, and the standard deviation of the residuals.
fn fit(points: &[(f64, f64)], degree: usize) -> Option<(Vec<f64>, f64)> {
    let terms = degree + 1;
    if points.len() <= terms {
        return None;
    }
    // In units of the largest x, so that powers stay near one.
    let unit = points.iter().map(|point| point.0).fold(0.0, f64::max);
    let mut rows = vec![vec![0.0; terms + 1]; terms];
    for &(x, y) in points {
        let power = |k: usize| (x / unit).powi(k as i32);
        for (i, row) in rows.iter_mut().enumerate() {
            (0..terms).for_each(|j| row[j] += power(i) * power(j));
            row[terms] += power(i) * y;
        }
    }
    for i in 0..terms {
        let pivot = (i..terms).max_by(|&p, &q| rows[p][i].abs().total_cmp(&rows[q][i].abs()))?;
        rows.swap(i, pivot);
        let own = rows[i].clone();
        if own[i].abs() < 1e-12 * points.len() as f64 {
            return None;
        }
        for (k, row) in rows.iter_mut().enumerate().filter(|&(k, _)| k != i) {
            let factor = row[i] / own[i];
            debug_assert!(k != i);
            row.iter_mut().zip(&own).for_each(|(to, from)| *to -= factor * from);
        }
    }
    let parts: Vec<f64> = (0..terms).map(|i| rows[i][terms] / rows[i][i] / unit.powi(i as i32)).collect();
    let squares: f64 = points.iter().map(|&(x, y)| (y - value(&parts, x)).powi(2)).sum();
    let deviation = (squares / (points.len() - terms) as f64).sqrt();
    Some((parts, deviation))
}

fn value(parts: &[f64], x: f64) -> f64 {
    parts.iter().rev().fold(0.0, |sum, part| sum * x + part)
}

/// A figure of the article.
struct Figure {
    name: &'static str,
    itself: bool,
    /// Least and most intersections; `None` for a figure over their number.
    range: Option<(usize, usize)>,
    degree: usize,
}

const FIGURES: [Figure; 5] = [
    Figure { name: "1.5.4 A", itself: false, range: Some((800, 1200)), degree: 2 },
    Figure { name: "1.5.4 B", itself: false, range: Some((3200, 4800)), degree: 2 },
    Figure { name: "1.5.5", itself: false, range: None, degree: 1 },
    Figure { name: "1.5.6", itself: true, range: Some((800, 1200)), degree: 1 },
    Figure { name: "1.5.7", itself: true, range: None, degree: 1 },
];

/// The rows of a figure, its chart, and the fits by way.
type Drawn = (Vec<Row>, Plot, Map<String, Value>);

/// Runs one figure.
fn figure(figure: &Figure, quick: bool) -> Result<Drawn, LabError> {
    let (repeats, each_size) = if quick { (1, 1) } else { (7, 5) };
    let mut measured = Vec::new();
    match figure.range {
        Some((least, most)) => {
            for size in if quick { &SIZES[3..5] } else { &SIZES[..] } {
                let scene = Scene { size: *size, itself: figure.itself };
                for share in scene.shares(least, most, each_size)? {
                    measured.push(scene.with(share, |asked| measure(asked, &DRAWN, repeats, true))?);
                }
            }
        }
        None => {
            for size in [[13, 2], [20, 2], [25, 2]] {
                let scene = Scene { size, itself: figure.itself };
                let steps = if quick { 3 } else { 14 };
                for step in 1..=steps {
                    let share = f64::from(step) / f64::from(steps);
                    measured.push(scene.with(share, |asked| measure(asked, &DRAWN, repeats, true))?);
                }
            }
        }
    }
    measured.retain(|measured| measured.pairs > 0 || measured.wrong > 0);
    let x_of = |measured: &Measured| if figure.range.is_some() { measured.tets } else { measured.pairs } as f64;
    let (mut series, mut fits) = (Vec::new(), Map::new());
    for (drawn, &way) in DRAWN.iter().enumerate() {
        let mut points: Vec<(f64, f64)> =
            measured.iter().map(|measured| (x_of(measured), measured.times[drawn])).collect();
        points.sort_by(|p, q| p.0.total_cmp(&q.0));
        let fitted = fit(&points, figure.degree);
        series.push(Series { name: WAYS[way].0.into(), colour: drawn, dashed: false, points: points.clone() });
        let Some((parts, deviation)) = fitted else { continue };
        let (low, high) = (points[0].0, points[points.len() - 1].0);
        let mut line = |name: String, shift: f64| {
            let at = |k: i32| low * (high / low).powf(f64::from(k) / 24.0);
            let curve = (0..=24).map(at).map(|x| (x, value(&parts, x) + shift)).filter(|point| point.1 > 0.0);
            series.push(Series { name, colour: drawn, dashed: true, points: curve.collect() });
        };
        line("fit".into(), 0.0);
        if drawn == 0 {
            line("+ 1 sd".into(), deviation);
            line("- 1 sd".into(), -deviation);
        }
        fits.insert(WAYS[way].0.into(), json!({"ms": parts, "standard_deviation_ms": deviation}));
    }
    let mut rows = Vec::new();
    for (drawn, &way) in DRAWN.iter().enumerate() {
        let mut digest = Digest::default();
        measured.iter().enumerate().for_each(|(place, measured)| digest.note(&place, &measured.digest));
        let times: Vec<f64> = measured.iter().map(|measured| measured.times[drawn]).collect();
        let least = |of: fn(&Measured) -> usize| measured.iter().map(of).min().unwrap_or(0);
        let most = |of: fn(&Measured) -> usize| measured.iter().map(of).max().unwrap_or(0);
        rows.push(Row {
            case: format!("Fig. {}, {}", figure.name, WAYS[way].0),
            ours: rounded(if times.is_empty() { 0.0 } else { median(times) }, 4),
            unit: "ms",
            peer: None,
            wrong: if drawn == 0 { measured.iter().map(|measured| measured.wrong).sum() } else { 0 },
            answers: digest,
            more: vec![
                ("scenes", json!(measured.len())),
                ("tets", json!([least(|m| m.tets), most(|m| m.tets)])),
                ("intersections", json!([least(|m| m.pairs), most(|m| m.pairs)])),
            ],
        });
    }
    let x_label = if figure.range.is_some() { "tetrahedra" } else { "intersections" };
    let plot = Plot {
        title: format!("Figure {}", figure.name),
        measure: "query, ms; dashed: fit, and one standard deviation of the bucket tree".into(),
        chart: Chart::Lines { x_label: x_label.into(), series },
    };
    Ok((rows, plot, fits))
}

/// The triangle-tetrahedron test against `intersects` and parry: two rows.
fn elementary(options: &Options) -> Result<(Vec<Row>, Vec<Goal>, u64), LabError> {
    let count = if options.quick { 512 } else { 8192 };
    let mut random = Random::new(options.seed, 0);
    let (mut triangles, mut tets) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let mut point = |size: f64| random.direction() * random.between(0.3, size);
        // Of one size, at distances at which about half of them meet.
        let (own, other) = (point(1.1), DVec3::ZERO);
        triangles.push([(); 3].map(|()| own + point(1.0)));
        tets.push([(); 4].map(|()| other + point(1.0)));
    }
    let bodies: Vec<[Shape; 2]> = triangles
        .iter()
        .zip(&tets)
        .map(|(&[a, b, c], &tet)| Ok([Shape::triangle(a, b, c)?, Shape::tetrahedron(tet)?]))
        .collect::<Result<_, clearance::Error>>()?;
    let at = Placement { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };
    let placement = [PairPlacement { a: at, b: at }];
    let parry: Vec<Option<ParryPair>> = triangles
        .iter()
        .zip(&tets)
        .zip(&bodies)
        .map(|((triangle, tet), [a, b])| {
            let models = [
                Model::Triangle(triangle.map(|point| point.to_array())),
                Model::Tetrahedron(tet.map(|point| point.to_array())),
            ];
            ParryPair::new([&models[0], &models[1]], [a, b], &placement).ok().flatten()
        })
        .collect();
    let found = triangle_tet_batch(&triangles, &tets)?;
    let same = |[a, b]: &[Shape; 2]| intersects(a, &Pose::IDENTITY, b, &Pose::IDENTITY);
    let wrong = bodies.iter().zip(&found).filter(|(pair, meet)| same(pair) != **meet).count() as u64;
    // A batch is one call of ours, which takes eight pairs at a time.
    let plan = Plan { queries: count / 256, batch: 1, repeats: if options.quick { 1 } else { 15 } };
    let of = |number: usize| 256 * number..256 * (number + 1);
    let ours = |number: usize| {
        let _ = black_box(triangle_tet_batch(&triangles[of(number)], &tets[of(number)]));
    };
    let by_intersects = |number: usize| {
        bodies[of(number)].iter().for_each(|pair| {
            black_box(same(pair));
        });
    };
    let mut timings = vec![("clearance::intersects", race(plan, ours, Some(by_intersects)), 5.0)];
    if parry.iter().all(Option::is_some) {
        let by_parry = |number: usize| {
            parry[of(number)].iter().flatten().for_each(|pair| {
                black_box(pair.intersects(0));
            });
        };
        timings.push((ParryPair::NAME, race(plan, ours, Some(by_parry)), 10.0));
    } else {
        eprintln!("{HOW_TO_ENABLE}");
    }
    let digest = Digest::of_all(&found);
    let meet = found.iter().filter(|meet| **meet).count();
    let (mut rows, mut goals) = (Vec::new(), Vec::new());
    for (place, (name, timing, wanted)) in timings.into_iter().enumerate() {
        let Some(theirs) = timing.theirs else { continue };
        rows.push(Row {
            case: format!("triangle against tetrahedron, beside {name}"),
            ours: rounded(timing.ours.median / 256.0, 2),
            unit: "ns",
            peer: Some(Peer {
                name,
                theirs: rounded(theirs.side.median / 256.0, 2),
                ratio: rounded(theirs.ratio, 2),
                worst_ratio: rounded(theirs.worst_ratio, 2),
            }),
            wrong: if place == 0 { wrong } else { 0 },
            answers: digest,
            more: vec![("pairs", json!(count)), ("meet", json!(meet))],
        });
        goals.push(Goal {
            goal: format!("a triangle against a tetrahedron at least {wanted} times as fast as {name}"),
            seen: json!(rounded(theirs.ratio, 2)),
            met: theirs.ratio >= wanted,
        });
    }
    Ok((rows, goals, count as u64))
}

/// The row of a scene and a way.
fn row(case: String, way: usize, time: f64, measured: &Measured, first: bool) -> Row {
    Row {
        case: format!("{case}, {}", WAYS[way].0),
        ours: rounded(time, 4),
        unit: "ms",
        peer: None,
        wrong: if first { measured.wrong } else { 0 },
        answers: measured.digest,
        more: vec![("tets", json!(measured.tets)), ("intersections", json!(measured.pairs))],
    }
}

/// All ways on one scene.
fn by_all_ways(case: &str, asked: Asked<'_>, quick: bool, verified: bool) -> (Vec<Row>, Measured) {
    let ways: Vec<usize> = (0..WAYS.len()).collect();
    let measured = measure(asked, &ways, if quick { 1 } else { 9 }, verified);
    let all = ways.iter().map(|&way| row(case.into(), way, measured.times[way], &measured, way == 0)).collect();
    (all, measured)
}

/// The meshes of a folder, scaled to a size of one about the origin.
fn load(folder: &Path) -> Result<Vec<TetModel>, LabError> {
    let missing =
        || LabError::MissingData { experiment: EXPERIMENT.name, path: Some(folder.to_owned()), wanted: WANTED };
    let mut files: Vec<_> =
        std::fs::read_dir(folder).map_err(|_| missing())?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut models = Vec::new();
    for path in files {
        if !path.extension().is_some_and(|ending| ending == "msh" || ending == "vtk") {
            continue;
        }
        match read_tets(&path) {
            Ok(found) => {
                let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                let model = TetModel { name, points: found.points, tets: found.tets };
                let (low, high) = model
                    .points
                    .iter()
                    .map(|&p| DVec3::from(p))
                    .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
                let (middle, size) = (0.5 * (low + high), (high - low).max_element());
                models.push(model.mapped(|point| (point - middle) / size));
            }
            Err(error) => eprintln!("lab: {error}, left out"),
        }
    }
    if models.is_empty() { Err(missing()) } else { Ok(models) }
}

/// A mesh twisted about its longest axis and bent a little, further from frame to frame.
fn deformed(model: &TetModel, frame: u32) -> TetModel {
    let amount = f64::from(frame);
    model.mapped(|point| {
        let turn = DQuat::from_rotation_x(0.6 * amount * point.x) * DQuat::from_rotation_z(0.25 * amount * point.y);
        turn * point
    })
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| LabError::BadCall(format!("no thread: {error}")))?;
    pool.install(|| on_one_thread(options))
}

fn on_one_thread(options: &Options) -> Result<Report, LabError> {
    let quick = options.quick;
    let models = options.data.as_deref().map(load).transpose()?.unwrap_or_default();
    let (mut all, mut goals, mut cases) = elementary(options)?;
    let (mut panels, mut fits) = (Vec::new(), Map::new());
    for one in &FIGURES {
        let (rows, plot, fitted) = figure(one, quick)?;
        cases += rows.first().map_or(0, |row| row.more[0].1.as_u64().unwrap_or(0)) * rows.len() as u64;
        all.extend(rows);
        panels.push(plot);
        fits.insert(one.name.into(), Value::Object(fitted));
    }
    // The largest V shapes whose query takes no longer than 100, 16 and 1 ms.
    let mut largest: Map<String, Value> =
        DRAWN.iter().map(|&way| (WAYS[way].0.into(), json!([null, null, null]))).collect();
    for length in if quick { vec![10] } else { vec![10, 20, 40, 60, 80] } {
        let scene = Scene { size: [length, length / 5], itself: false };
        let measured = scene.with(0.5, |asked| measure(asked, &DRAWN, 3, length <= 20))?;
        cases += DRAWN.len() as u64;
        for (drawn, &way) in DRAWN.iter().enumerate() {
            for (place, budget) in [100.0, 16.0, 1.0].into_iter().enumerate() {
                if measured.times[drawn] <= budget {
                    largest[WAYS[way].0][place] = json!(measured.tets);
                }
            }
            let case = format!("two V shapes of {} tetrahedra", measured.tets / 2);
            all.push(row(case, way, measured.times[drawn], &measured, drawn == 0));
        }
    }
    for model in &models {
        for frame in if quick { 1..2 } else { 1..4 } {
            let bent = deformed(model, frame);
            let (a, b) = (bent.mesh()?, bent.moved(DVec3::new(0.31, 0.17, 0.05)).mesh()?);
            let case = format!("{} frame {frame}, itself", model.name);
            let (rows, _) = by_all_ways(&case, Asked::Itself(&a), quick, frame < 3);
            cases += rows.len() as u64;
            all.extend(rows);
            let case = format!("{} frame {frame}, a copy pushed into it", model.name);
            let (rows, _) = by_all_ways(&case, Asked::Two(&a, &b), quick, frame < 3);
            cases += rows.len() as u64;
            all.extend(rows);
        }
    }
    let named = |part: &str| models.iter().find(|model| model.name.contains(part));
    if let (Some(a), Some(b)) = (named("armadillo"), named("rod")) {
        // The rod goes through the body.
        let b = b.mapped(|point| point * 1.2 + DVec3::new(0.02, 0.05, 0.03));
        let (mesh_a, mesh_b) = (a.mesh()?, b.mesh()?);
        let case = format!("{} against {}", a.name, b.name);
        let (rows, measured) = by_all_ways(&case, Asked::Two(&mesh_a, &mesh_b), quick, true);
        cases += rows.len() as u64;
        all.extend(rows);
        for way in DRAWN {
            let milliseconds = rounded(measured.times[way], 3);
            let counts = [mesh_a.tets().len(), mesh_b.tets().len()];
            let name = WAYS[way].0;
            goals.push(Goal {
                goal: format!(
                    "{} against {} tetrahedra mapped and tested in less than 10 ms on one core, {name}",
                    counts[0], counts[1]
                ),
                seen: json!(milliseconds),
                met: milliseconds < 10.0,
            });
        }
    }
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("fits", Value::Object(fits)),
            ("largest_n_within_100_16_1_ms", Value::Object(largest)),
            (
                "published",
                json!(
                    "1.5.4: quadratic in size; 1.5.5: linear in intersections; 1.5.6, 1.5.7 (self): linear; no numbers \
                       on the axes; 2.4 GHz Xeon"
                ),
            ),
        ],
        goals,
        markdown: None,
        plot: Some(Plot {
            title: "Collision detection of tetrahedra".into(),
            measure: "V shapes, figures 1.5.4 to 1.5.7 of Erleben and Sporring (2004)".into(),
            chart: Chart::Stack(panels),
        }),
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
        assert!(report.rows.iter().any(|row| row.case.starts_with("Fig. 1.5.7")));
    }

    #[test]
    fn fits_are_exact_on_polynomials() {
        let points: Vec<(f64, f64)> =
            (1..9).map(f64::from).map(|x| (100.0 * x, 3.0 + 0.5 * x + 0.25 * x * x)).collect();
        let (parts, deviation) = fit(&points, 2).unwrap();
        assert!((parts[1] - 0.005).abs() < 1e-9 && (parts[2] - 2.5e-5).abs() < 1e-12 && deviation < 1e-9);
        assert!(fit(&points[..2], 1).is_none());
    }

    #[test]
    fn a_missing_folder_is_said() {
        let options = Options { data: Some("nowhere".into()), quick: true, ..Options::default() };
        assert!(matches!(run(&options), Err(LabError::MissingData { path: Some(_), .. })));
    }
}
