//! Self-collision by curvature against the plain tree of boxes, frame by frame: Volino, "Collision Detection for
//! Deformable Objects" (course notes, 2004). The notes print no times; what they claim is measured here: that culling
//! restores the speed of a hierarchy where neighbours touch, and that as many regions are compared however finely a
//! surface is divided.
//!
//! Sheets on the unit square: nearly flat, rippled, rolled up, crumpled, and a sphere, of 10,000 to a million
//! triangles; each of them once as a frame (all pairs of triangles that meet) and once as a step to a shape nearby (all
//! impacts, and the pairs that meet at the start). With `--data` also the first steps of sequences of meshes: folders
//! with two or more files of one topology, in the order of their numbers. The update per frame is part of the time, the
//! tree of regions is not: it is built once, and timed apart (`build_ms`).
//!
//! `wrong` counts answers of curvature that differ from those of boxes, in order or bits; up to 50,000 triangles lists
//! of a frame that `verify` refuses, which compares all pairs in integers; above, triangles that cross by exact signs
//! in a sweep along an axis and are not listed, and listed crossings that it does not find. Every fiftieth triangle of
//! large frames is compared with all others.
//!
//! Beside a step stands ipctk, which looks for the first impact alone, as it does in `ccd-scenes`.

use std::path::{Path, PathBuf};

use clearance::answer::{SelfIntersection, SelfIntersectionKind};
use clearance::glam::DVec3;
use clearance::math::{Sign, orient3d};
use clearance::query::{
    SelfCulling, SelfIntersectionsOptions, StepOptions, frame_self_intersections, self_collisions_with,
};
use clearance::{DeformingMesh, Mesh};
use clearance_oracle::random::Random;
use serde_json::{Value, json};

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::meshes::{Model, read};
use crate::peers::ipctk::{Ipctk, Narrow};
use crate::plot::{Chart, Plot, Series};
use crate::report::{Goal, Peer, Provenance, Report, Row, rounded};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "self-collision",
    about: "self-collision of sheets of up to a million triangles, by curvature and by boxes; against ipctk",
    flags: &[Flag::Data, Flag::Quick],
    run,
};

/// Cells along a side: some 10,000 to a million triangles.
const CELLS: [u32; 5] = [71, 158, 316, 500, 707];
const QUICK_CELLS: [u32; 2] = [10, 24];
/// How often each side takes its turn, and for how many seconds at most.
const TURNS: usize = 7;
const PATIENCE: f64 = 6.0;
/// Up to so many triangles `verify` compares all pairs of a frame.
const VERIFIED: usize = 50_000;
/// Times in which the largest number of triangles is sought, in milliseconds.
const BUDGETS: [f64; 3] = [100.0, 16.0, 1.0];

/// What `--data` has to be.
const WANTED: &str = "a folder with sequences: folders of two or more PLY or OBJ files of one topology";

/// A surface at both ends of a step.
struct Scene {
    kind: String,
    frames: [Vec<[f64; 3]>; 2],
    triangles: Vec<[u32; 3]>,
}

/// The kinds of surfaces made here.
const KINDS: [&str; 5] = ["nearly flat", "rippled", "rolled", "crumpled", "sphere"];

fn surface(kind: &str, cells: u32) -> Scene {
    let row = cells + 1;
    let at = |k: u32| [f64::from(k % row) / f64::from(cells), f64::from(k / row) / f64::from(cells)];
    let cell = |k: u32| {
        let a = k / cells * row + k % cells;
        [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]
    };
    let place = |[x, y]: [f64; 2], time: f64| match kind {
        "nearly flat" => [x, y + 0.01 * time, 0.02 * (5.0 * x + time).sin() * (4.0 * y).cos()],
        "rippled" => [x, y, 0.05 * (25.0 * x + 0.3 * time).sin() * (20.0 * y).cos() + 0.01 * time],
        "rolled" => {
            let (turn, r) = (8.0 * x, 0.05 + 0.04 * x + 0.002 * time);
            [r * turn.cos(), r * turn.sin(), y]
        }
        "sphere" => {
            // A band of it from pole to pole would meet itself at the seam: it ends short of both and of the seam.
            let ((sin, cos), (s, c)) = ((6.2 * x).sin_cos(), (0.05 + 3.04 * y).sin_cos());
            let r = 1.0 + 0.01 * time * (3.0 * x).sin();
            [r * s * cos, r * s * sin, r * c]
        }
        _ => [x, y, 0.0],
    };
    let mut frames = [0.0, 1.0].map(|time| (0..row * row).map(|k| place(at(k), time)).collect::<Vec<[f64; 3]>>());
    if kind == "crumpled" {
        // Every point off its place by up to a cell, the same along the step but for a tenth of that.
        let (mut random, size) = (Random::new(7), 0.6 / f64::from(cells));
        let [start, end] = &mut frames;
        for (start, end) in start.iter_mut().zip(end) {
            let off: [f64; 3] = std::array::from_fn(|_| size * random.uniform(-1.0, 1.0));
            let more: [f64; 3] = std::array::from_fn(|_| 0.1 * size * random.uniform(-1.0, 1.0));
            for k in 0..3 {
                (start[k], end[k]) = (start[k] + off[k], end[k] + off[k] + more[k]);
            }
        }
    }
    Scene { kind: kind.into(), frames, triangles: (0..cells * cells).flat_map(cell).collect() }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let threads = rayon::current_num_threads();
    let mut peer = Ipctk::start(threads).map_err(|problem| eprintln!("lab: no ipctk: {problem}")).ok();
    let cells: &[u32] = if options.quick { &QUICK_CELLS } else { &CELLS };
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for (colour, kind) in KINDS.into_iter().enumerate() {
        let mut points = Vec::new();
        for &cells in cells {
            let scene = surface(kind, cells);
            eprintln!("lab: {kind}, {} triangles", scene.triangles.len());
            let found = examine(&scene, peer.as_mut(), options.quick)?;
            points.push((scene.triangles.len() as f64, found.visited as f64));
            rows.extend(found.rows);
        }
        curves.push(Series { name: kind.into(), colour, dashed: false, points });
    }
    if let Some(data) = &options.data {
        let missing =
            || LabError::MissingData { experiment: EXPERIMENT.name, path: Some(data.clone()), wanted: WANTED };
        let sequences = sequences(data)?;
        if sequences.is_empty() {
            return Err(missing());
        }
        for scene in sequences {
            eprintln!("lab: {}, {} triangles", scene.kind, scene.triangles.len());
            rows.extend(examine(&scene, peer.as_mut(), options.quick)?.rows);
        }
    }
    let cases = rows.len() as u64;
    let growth = curves.iter().find(|curve| curve.name == "rippled").map_or(1.0, |curve| {
        let values = || curve.points.iter().map(|point| point.1);
        values().fold(0.0, f64::max) / values().fold(f64::INFINITY, f64::min)
    });
    let largest = BUDGETS.map(|budget| {
        let within = |row: &&Row| row.case.starts_with("rippled") && row.case.ends_with("frame") && row.ours <= budget;
        let count = |row: &Row| row.more.iter().find(|(key, _)| *key == "triangles").and_then(|(_, n)| n.as_u64());
        rows.iter().filter(within).filter_map(count).max()
    });
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("budgets_ms", json!(BUDGETS)),
            ("largest_rippled_frame_within", json!(largest)),
            ("visited_growth_rippled", json!(rounded(growth, 2))),
        ],
        goals: goals(&rows, growth),
        markdown: None,
        rows,
        plot: Some(Plot {
            title: "Pairs of regions compared".into(),
            measure: "in a frame, by number of triangles".into(),
            chart: Chart::Lines { x_label: "triangles".into(), series: curves },
        }),
        provenance: Provenance::here(threads),
    })
}

fn goals(rows: &[Row], growth: f64) -> Vec<Goal> {
    let least = |wanted: &dyn Fn(&Row, &Peer) -> bool| {
        let ratios = rows.iter().filter_map(|row| row.peer.as_ref().filter(|peer| wanted(row, peer)));
        ratios.map(|peer| peer.ratio).reduce(f64::min)
    };
    let at_least = |goal: &str, limit: f64, seen: Option<f64>| Goal {
        goal: goal.into(),
        seen: json!(seen),
        met: seen.is_some_and(|seen| seen >= limit),
    };
    let flat = least(&|row, peer| row.case.starts_with("nearly flat") && peer.name == BOXES);
    let all = least(&|_, peer| peer.name == BOXES);
    let theirs = least(&|_, peer| peer.name != BOXES);
    let mut goals = vec![
        at_least("ten times the plain tree on a nearly flat sheet", 10.0, flat),
        at_least("0.9 times the plain tree everywhere", 0.9, all),
        Goal {
            goal: "as many regions compared however finely a surface is divided, within a factor of 3".into(),
            seen: json!(rounded(growth, 2)),
            met: growth <= 3.0,
        },
    ];
    // Without the peer there is nothing to reach.
    goals.extend(theirs.map(|ratio| at_least("three times ipctk", 3.0, Some(ratio))));
    goals
}

/// The plain tree, as a peer.
const BOXES: &str = "boxes";

/// The rows of a scene, and how many regions a frame compares.
struct Examined {
    rows: Vec<Row>,
    visited: u64,
}

fn frame_options(culling: SelfCulling) -> SelfIntersectionsOptions {
    SelfIntersectionsOptions { culling, ..SelfIntersectionsOptions::default() }
}

fn step_options(culling: SelfCulling) -> StepOptions {
    StepOptions { culling, ..StepOptions::default() }
}

fn examine(scene: &Scene, peer: Option<&mut Ipctk>, quick: bool) -> Result<Examined, LabError> {
    let [start, end] = &scene.frames;
    let mut mesh = DeformingMesh::new(start, &scene.triangles)?;
    mesh.move_to(end)?;
    let frame = |culling| frame_self_intersections(&mesh, &frame_options(culling));
    let (pairs, first) = timed(|| frame(SelfCulling::Curvature));
    let times = race(quick, || drop(frame(SelfCulling::Curvature)), || drop(frame(SelfCulling::Boxes)));
    let build = first - median(times[0].clone());
    let plain = frame(SelfCulling::Boxes);
    let mut wrong = u64::from(pairs != plain);
    wrong += check_frame(end, &scene.triangles, &plain)?;
    let count = scene.triangles.len();
    let per = |bytes: usize| json!(rounded(bytes as f64 / count as f64, 1));
    let [kept, asked] = mesh.bytes();
    let mut rows = Vec::new();
    let mut more = vec![
        ("triangles", json!(count)),
        ("found", json!(pairs.len())),
        ("build_ms", json!(rounded(1e3 * build.max(0.0), 2))),
        ("bytes_per_triangle", per(kept)),
        ("query_bytes_per_triangle", per(asked)),
    ];
    rows.push(row(scene, "frame", &times, (wrong, Digest::of_all(&pairs)), more));

    let step = |culling| self_collisions_with(&mesh, &step_options(culling));
    let (found, plain) = (step(SelfCulling::Curvature), step(SelfCulling::Boxes));
    let times = race(quick, || drop(step(SelfCulling::Curvature)), || drop(step(SelfCulling::Boxes)));
    let same = (&found.impacts, &found.intersecting) == (&plain.impacts, &plain.intersecting);
    let wrong = u64::from(!same);
    more = vec![
        ("triangles", json!(count)),
        ("found", json!(found.impacts.len())),
        ("visited", json!(found.counts.visited)),
        ("candidates", json!(found.counts.candidates)),
        ("candidates_of_boxes", json!(plain.counts.candidates)),
    ];
    rows.push(row(scene, "step", &times, (wrong, Digest::of_all(&found.impacts)), more));
    if let Some(peer) = peer {
        rows.extend(against(scene, peer, &times[0]));
    }
    // Of a frame alone: a step that rests at its end.
    let mut resting = mesh.clone();
    resting.move_to(end)?;
    let visited = self_collisions_with(&resting, &step_options(SelfCulling::Curvature)).counts.visited;
    Ok(Examined { rows, visited })
}

/// The times of both sides in turns, the first of which warms up.
fn race(quick: bool, ours: impl Fn(), theirs: impl Fn()) -> [Vec<f64>; 2] {
    let mut times = [Vec::new(), Vec::new()];
    let turns = if quick { 2 } else { TURNS + 1 };
    let mut spent = 0.0;
    for turn in 0..turns {
        let pair = [timed(&ours).1, timed(&theirs).1];
        spent += pair[0] + pair[1];
        let last = spent > PATIENCE;
        if turn > 0 || last {
            times.iter_mut().zip(pair).for_each(|(times, time)| times.push(time));
        }
        if last {
            break;
        }
    }
    times
}

fn row(
    scene: &Scene,
    what: &str,
    times: &[Vec<f64>; 2],
    (wrong, answers): (u64, Digest),
    more: Vec<(&'static str, Value)>,
) -> Row {
    let [ours, theirs] = times.each_ref().map(|times| median(times.clone()));
    let turns = times[0].iter().zip(&times[1]).map(|(ours, theirs)| theirs / ours);
    Row {
        case: format!("{} {} {what}", scene.kind, scene.triangles.len()),
        ours: rounded(1e3 * ours, 3),
        unit: "ms",
        peer: Some(Peer {
            name: BOXES,
            theirs: rounded(1e3 * theirs, 3),
            ratio: rounded(theirs / ours, 2),
            worst_ratio: rounded(turns.fold(theirs / ours, f64::min), 2),
        }),
        wrong,
        answers,
        more,
    }
}

/// The row of ipctk.
fn against(scene: &Scene, peer: &mut Ipctk, ours: &[f64]) -> Option<Row> {
    let [start, end] = &scene.frames;
    let broad = peer.load([start, end], &scene.triangles).map_err(|problem| eprintln!("lab: ipctk: {problem}")).ok()?;
    let mut times = Vec::new();
    while times.len() < 3 && times.iter().sum::<f64>() < PATIENCE {
        let step = peer.step(Narrow::Additive).map_err(|problem| eprintln!("lab: ipctk: {problem}")).ok()?;
        times.push(step.broad + step.narrow);
    }
    let (theirs, own) = (median(times.clone()), median(ours.to_vec()));
    let least = times.into_iter().fold(theirs, f64::min);
    Some(Row {
        case: format!("{} {} step", scene.kind, scene.triangles.len()),
        ours: rounded(1e3 * own, 3),
        unit: "ms",
        peer: Some(Peer {
            name: Narrow::Additive.peer(),
            theirs: rounded(1e3 * theirs, 3),
            ratio: rounded(theirs / own, 2),
            worst_ratio: rounded(least / own, 2),
        }),
        wrong: 0,
        answers: Digest::default(),
        more: vec![("their_broad_phase", json!(broad))],
    })
}

/// What is wrong with the list of a frame.
fn check_frame(points: &[[f64; 3]], triangles: &[[u32; 3]], found: &[SelfIntersection]) -> Result<u64, LabError> {
    if triangles.len() <= VERIFIED {
        let mesh = Mesh::new(points, triangles)?;
        let verified = SelfIntersection::verify_all(found, &mesh, &frame_options(SelfCulling::Boxes));
        return Ok(u64::from(verified.is_err()));
    }
    let listed: Vec<[u32; 2]> = found.iter().map(|pair| pair.triangles).collect();
    let all = crossings(points, triangles, 50);
    let missed = all.iter().filter(|pair| listed.binary_search(pair).is_err()).count();
    let invented = found.iter().filter(|pair| {
        let is_crossing = pair.kind == SelfIntersectionKind::Crossing;
        is_crossing && pair.triangles[0].is_multiple_of(50) && all.binary_search(&pair.triangles).is_err()
    });
    // Crossings in the sense of the sweep are proper: of others nothing is claimed.
    let proper = |pair: &&SelfIntersection| pair.segment[0] != pair.segment[1];
    Ok((missed + invented.filter(proper).filter(|pair| properly(points, triangles, pair.triangles)).count()) as u64)
}

/// Every so-manyth triangle against all later ones: those of which a side of one passes through the inside of the
/// other, by exact signs, in order. A sweep along x of its own.
fn crossings(points: &[[f64; 3]], triangles: &[[u32; 3]], every: usize) -> Vec<[u32; 2]> {
    use rayon::prelude::*;
    let bounds = |t: &[u32; 3]| {
        let corners = t.map(|p| points[p as usize]);
        let fold = |f: fn(f64, f64) -> f64| [0, 1, 2].map(|k| f(f(corners[0][k], corners[1][k]), corners[2][k]));
        [fold(f64::min), fold(f64::max)]
    };
    let boxes: Vec<[[f64; 3]; 2]> = triangles.iter().map(bounds).collect();
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    order.sort_by(|&a, &b| boxes[a as usize][0][0].total_cmp(&boxes[b as usize][0][0]));
    let widest = boxes.iter().map(|[low, high]| high[0] - low[0]).fold(0.0, f64::max);
    let chosen: Vec<u32> = (0..triangles.len() as u32).step_by(every).collect();
    let of_one = |&one: &u32| {
        let [low, high] = boxes[one as usize];
        let first = order.partition_point(|&other| boxes[other as usize][0][0] < low[0] - widest);
        let within = order[first..].iter().take_while(|&&other| boxes[other as usize][0][0] <= high[0]);
        let near = |other: &&u32| {
            let [other_low, other_high] = boxes[**other as usize];
            **other > one && (0..3).all(|k| low[k] <= other_high[k] && other_low[k] <= high[k])
        };
        within
            .filter(near)
            .map(|&other| [one, other])
            .filter(|&pair| properly(points, triangles, pair))
            .collect::<Vec<_>>()
    };
    let mut found: Vec<[u32; 2]> = chosen.par_iter().flat_map_iter(of_one).collect();
    found.sort_unstable();
    found
}

/// Whether a side of one triangle passes through the inside of the other, without a common corner on it.
fn properly(points: &[[f64; 3]], triangles: &[[u32; 3]], pair: [u32; 2]) -> bool {
    let at = |p: u32| DVec3::from_array(points[p as usize]);
    let through = |t: [u32; 3], p: u32, q: u32| {
        let ([a, b, c], p, q) = (t.map(at), at(p), at(q));
        let around = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
        orient3d(a, b, c, p) == -orient3d(a, b, c, q) && around[0] != Sign::Zero && around == [around[0]; 3]
    };
    let [one, other] = pair.map(|t| triangles[t as usize]);
    let pass = |t: [u32; 3], by: [u32; 3]| {
        (0..3).map(|k| [by[k], by[(k + 1) % 3]]).any(|[p, q]| !t.contains(&p) && !t.contains(&q) && through(t, p, q))
    };
    pass(one, other) || pass(other, one)
}

/// The first steps of the sequences in a folder and those below it.
fn sequences(data: &Path) -> Result<Vec<Scene>, LabError> {
    let (mut level, mut found) = (vec![data.to_owned()], Vec::new());
    for _ in 0..4 {
        let mut below = Vec::new();
        for folder in level {
            let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            let (mut folders, mut files): (Vec<PathBuf>, Vec<PathBuf>) =
                entries.map(|entry| entry.path()).partition(|path| path.is_dir());
            files.retain(|path| path.extension().is_some_and(|ending| ending == "ply" || ending == "obj"));
            let number = |path: &PathBuf| {
                let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
                let digits = &stem[stem.trim_end_matches(|letter: char| letter.is_ascii_digit()).len()..];
                (stem.len() - digits.len(), digits.parse::<u64>().unwrap_or(0), stem.clone())
            };
            files.sort_by_key(number);
            folders.sort();
            below.extend(folders);
            for pair in files.windows(2) {
                let [start, end]: [Model; 2] = [read(&pair[0])?, read(&pair[1])?];
                if start.triangles == end.triangles && start.points.len() == end.points.len() {
                    let parent = folder.parent().filter(|_| folder.ends_with("frames")).unwrap_or(&folder);
                    let name = parent.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                    let frames = [start.points, end.points];
                    found.push(Scene { kind: name, frames, triangles: start.triangles });
                    break;
                }
            }
        }
        level = below;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        let expected = 2 * KINDS.len() * QUICK_CELLS.len();
        assert!(
            report.rows.iter().filter(|row| row.peer.as_ref().is_some_and(|peer| peer.name == BOXES)).count()
                == expected
        );
        let found =
            |kind: &str| report.rows.iter().any(|row| row.case.starts_with(kind) && row.to_json()["found"] != json!(0));
        assert!(found("crumpled") && !found("nearly flat") && !found("rippled") && !found("sphere"));
        assert!(report.goals.len() >= 3);
    }

    #[test]
    fn the_sweep_finds_what_verify_finds() {
        let scene = surface("crumpled", 14);
        let mesh = Mesh::new(&scene.frames[1], &scene.triangles).unwrap();
        let listed: Vec<[u32; 2]> =
            clearance::query::self_intersections(&mesh).iter().map(|pair| pair.triangles).collect();
        assert!(!listed.is_empty());
        assert_eq!(crossings(&scene.frames[1], &scene.triangles, 1), listed);
    }
}
