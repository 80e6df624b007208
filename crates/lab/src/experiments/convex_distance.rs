//! The distance between two convex bodies, raced against parry.
//!
//! Rows are a pair of bodies and a kind of pose. `coherent` rows follow a body on its path and keep a `PairCache`
//! between the queries, which should make the cost independent of the number of vertices; parry's distance takes no
//! such cache and gets the plain call. Every answer is checked apart from the timing: bracket, `verify`, swapped
//! arguments, allocations, and against parry's.

use super::scene::{Memory, Scene};
use super::{Experiment, Flag, Options};
use crate::allocation;
use crate::contract::{Pair, same_when_swapped};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{Plan, Timing, race};
use crate::models::{Model, PoseKind, Random, placements};
use crate::peers::{HOW_TO_ENABLE, ParryPair};
use crate::plot::{Chart, Plot, Series};
use crate::report::{Peer, Provenance, Report, Row, rounded};
use clearance::answer::Distance;
use clearance::distance;
use indicatif::ProgressIterator;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::hint::black_box;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "convex-distance",
    about: "distance of convex bodies apart, boxes to hulls of 4096 vertices, against parry (feature `peers`)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Relative difference that two right answers may have, besides the peer's own tolerance.
const AGREEMENT: f64 = 1e-9;

/// A pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bodies {
    /// Two boxes.
    Boxes,
    /// A ball and a hull of so many vertices.
    SphereAndHull(usize),
    /// Two hulls of so many vertices each.
    Hulls(usize),
}

impl Bodies {
    /// The name in a row.
    fn name(self) -> String {
        match self {
            Bodies::Boxes => "box-box".into(),
            Bodies::SphereAndHull(vertices) => format!("sphere-hull{vertices}"),
            Bodies::Hulls(vertices) => format!("hull{vertices}"),
        }
    }

    /// The two bodies.
    fn models(self, random: &mut Random) -> [Model; 2] {
        match self {
            Bodies::Boxes => [Model::random_cuboid(random), Model::random_cuboid(random)],
            Bodies::SphereAndHull(vertices) => {
                [Model::Sphere(random.between(0.4, 1.0)), Model::random_hull(vertices, random)]
            }
            Bodies::Hulls(vertices) => [Model::random_hull(vertices, random), Model::random_hull(vertices, random)],
        }
    }
}

/// All kinds of pose.
const EVERY_KIND: &[PoseKind] = &[PoseKind::Random, PoseKind::Near, PoseKind::Far, PoseKind::Coherent];
/// The kinds that the plot over the vertex count shows.
const PLOTTED: &[PoseKind] = &[PoseKind::Random, PoseKind::Coherent];

/// The table: bodies and the kinds of pose they are asked in.
const TABLE: &[(Bodies, &[PoseKind])] = &[
    (Bodies::Boxes, EVERY_KIND),
    (Bodies::SphereAndHull(32), EVERY_KIND),
    (Bodies::Hulls(16), PLOTTED),
    (Bodies::Hulls(32), EVERY_KIND),
    (Bodies::Hulls(64), PLOTTED),
    (Bodies::Hulls(256), EVERY_KIND),
    (Bodies::Hulls(1024), PLOTTED),
    (Bodies::Hulls(4096), PLOTTED),
];

/// The query of a row: the short form, or the one with a cache on a coherent path.
fn ask(pair: &Pair<'_>, coherent: bool, memory: &mut Memory) -> Distance {
    if coherent {
        pair.distance(&mut memory.cache, &mut memory.workspace)
    } else {
        distance(pair.a, pair.pose_a, pair.b, pair.pose_b)
    }
}

/// What checking the answers of a row found.
#[derive(Default)]
struct Checked {
    /// Poses with at least one fault.
    wrong: u64,
    /// How often each fault was found.
    faults: BTreeMap<&'static str, u64>,
    /// Allocations of all queries after the first pass.
    allocations: u64,
    /// Poses where parry is outside our proved bracket by more than its own tolerance.
    parry_off: u64,
    /// The largest difference between parry and us, relative to our distance.
    parry_difference: f64,
    /// Our answers.
    answers: Digest,
}

/// Checks every answer of a scene, without a clock.
fn check(scene: &Scene, peer: Option<&ParryPair>) -> Checked {
    let mut checked = Checked::default();
    let (mut memory, mut swapped_memory) = (Memory::default(), Memory::default());
    for number in 0..scene.poses.len() {
        let pair = scene.pair(number);
        let Pair { a, pose_a, b, pose_b } = pair;
        let answer = ask(&pair, scene.coherent, &mut memory);
        checked.answers.note(&number, &answer);
        let mut faults = pair.faults(&answer);
        if !same_when_swapped(&answer, &ask(&pair.swapped(), scene.coherent, &mut swapped_memory)) {
            faults.push("swapping the arguments changes the answer");
        }
        if scene.coherent {
            let cold = distance(a, pose_a, b, pose_b);
            if cold.gap.lower > answer.gap.upper || answer.gap.lower > cold.gap.upper {
                faults.push("the brackets with and without a cache exclude each other");
            }
        }
        if let Some(peer) = peer {
            let theirs = peer.distance(number);
            let tolerance = AGREEMENT * answer.gap.value + peer.tolerance(answer.gap.value, pair.scale());
            let agrees = answer.gap.lower - tolerance <= theirs && theirs <= answer.gap.upper + tolerance;
            if !agrees && faults.is_empty() {
                checked.parry_off += 1;
            }
            checked.parry_difference =
                checked.parry_difference.max((theirs - answer.gap.value).abs() / answer.gap.value);
        }
        checked.wrong += u64::from(!faults.is_empty());
        for fault in faults {
            *checked.faults.entry(fault).or_default() += 1;
        }
    }
    // Everything is warm now: not one query may ask for memory.
    for number in 0..scene.poses.len() {
        let pair = scene.pair(number);
        let (_, allocations) = allocation::count(|| black_box(ask(&pair, scene.coherent, &mut memory)));
        if allocations > 0 {
            checked.wrong += 1;
            *checked.faults.entry("the query allocates").or_default() += 1;
        }
        checked.allocations += allocations;
    }
    checked
}

/// Times a scene.
fn time(scene: &Scene, peer: Option<&ParryPair>, plan: Plan) -> Timing {
    let mut memory = Memory::default();
    let ours = |number: usize| {
        black_box(ask(black_box(&scene.pair(number)), scene.coherent, &mut memory));
    };
    let theirs = peer.map(|peer| {
        move |number: usize| {
            black_box(peer.distance(black_box(number)));
        }
    });
    race(plan, ours, theirs)
}

/// One row before it becomes text: what the summary needs.
struct Measured {
    bodies: Bodies,
    kind: PoseKind,
    timing: Timing,
    checked: Checked,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let plan = if options.quick {
        Plan { queries: 100, batch: 25, repeats: 3 }
    } else {
        Plan { queries: 1000, batch: 100, repeats: 21 }
    };
    let jobs: Vec<(usize, Bodies, PoseKind)> = TABLE
        .iter()
        .enumerate()
        .flat_map(|(index, (bodies, kinds))| kinds.iter().map(move |kind| (index, *bodies, *kind)))
        .collect();
    let mut measured = Vec::with_capacity(jobs.len());
    for (index, bodies, kind) in jobs.into_iter().progress() {
        let models = bodies.models(&mut Random::new(options.seed, index as u64));
        let mut random = Random::new(options.seed, 1000 + 10 * index as u64 + kind as u64);
        let places = placements(kind, &models[0], &models[1], plan.queries, &mut random)?;
        let scene = Scene::new(&models, &places, kind == PoseKind::Coherent)?;
        let peer = ParryPair::new([&models[0], &models[1]], [&scene.shapes[0], &scene.shapes[1]], &places)
            .unwrap_or_else(|problem| {
                eprintln!("lab: {} {}: {problem}; the row has no peer", bodies.name(), kind.name());
                None
            });
        let checked = check(&scene, peer.as_ref());
        let timing = time(&scene, peer.as_ref(), plan);
        measured.push(Measured { bodies, kind, timing, checked });
    }
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases: (measured.len() * plan.queries) as u64,
        more: summary(&measured),
        goals: Vec::new(),
        markdown: None,
        plot: Some(plot(&measured)),
        rows: measured.iter().map(|measured| row(measured, plan.queries)).collect(),
        provenance: Provenance::here(1),
    })
}

/// A row of the table.
fn row(measured: &Measured, queries: usize) -> Row {
    let Measured { bodies, kind, timing, checked } = measured;
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
    if let Some(theirs) = timing.theirs {
        more.push(("theirs_worst", json!(rounded(theirs.side.worst, 1))));
        more.push(("parry_off", json!(checked.parry_off)));
        more.push(("parry_difference", json!(checked.parry_difference)));
    }
    if !checked.faults.is_empty() {
        more.push(("why", json!(checked.faults)));
    }
    Row {
        case: format!("{} {}", bodies.name(), kind.name()),
        ours: rounded(timing.ours.median, 1),
        unit: "ns",
        peer,
        wrong: checked.wrong,
        answers: checked.answers,
        more,
    }
}

/// What the summary says besides the counts.
fn summary(measured: &[Measured]) -> Vec<(&'static str, Value)> {
    let ratio = |vertices: usize| {
        let found = measured.iter().find(|row| row.bodies == Bodies::Hulls(vertices) && row.kind == PoseKind::Random);
        json!(found.and_then(|row| row.timing.theirs).map(|theirs| rounded(theirs.ratio, 3)))
    };
    let coherent = by_vertices(measured, PoseKind::Coherent, |timing| Some(timing.ours.median));
    let times: Map<String, Value> =
        coherent.iter().map(|&(vertices, time)| (format!("{vertices}"), json!(rounded(time, 1)))).collect();
    let least = coherent.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let most = coherent.iter().map(|point| point.1).fold(0.0, f64::max);
    let allocations: u64 = measured.iter().map(|row| row.checked.allocations).sum();
    let parry_off: u64 = measured.iter().map(|row| row.checked.parry_off).sum();
    vec![
        ("hull32_ratio", ratio(32)),
        ("hull256_ratio", ratio(256)),
        ("coherent_ns", Value::Object(times)),
        ("coherent_flatness", json!(rounded(most / least, 3))),
        ("allocations", json!(allocations)),
        ("parry_off", json!(parry_off)),
    ]
}

/// A figure of the hull rows of one kind, over the number of vertices.
fn by_vertices(measured: &[Measured], kind: PoseKind, figure: fn(&Timing) -> Option<f64>) -> Vec<(f64, f64)> {
    measured
        .iter()
        .filter(|row| row.kind == kind)
        .filter_map(|row| match row.bodies {
            Bodies::Hulls(vertices) => Some((vertices as f64, figure(&row.timing)?)),
            _ => None,
        })
        .collect()
}

/// Time per query over the number of vertices.
fn plot(measured: &[Measured]) -> Plot {
    let ours: fn(&Timing) -> Option<f64> = |timing| Some(timing.ours.median);
    let theirs: fn(&Timing) -> Option<f64> = |timing| timing.theirs.map(|theirs| theirs.side.median);
    let lines = [
        ("clearance, random poses", 0, PoseKind::Random, ours),
        ("clearance, coherent path", 0, PoseKind::Coherent, ours),
        ("parry, random poses", 1, PoseKind::Random, theirs),
        ("parry, coherent path", 1, PoseKind::Coherent, theirs),
    ];
    let series = lines
        .into_iter()
        .map(|(name, colour, kind, figure)| Series {
            name: name.into(),
            colour,
            dashed: kind == PoseKind::Coherent,
            points: by_vertices(measured, kind, figure),
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    Plot {
        title: "Distance between two convex hulls".into(),
        measure: "Median time of a query in ns; lower is faster".into(),
        chart: Chart::Lines { x_label: "vertices of each hull".into(), series },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        let json = report.to_json();
        assert_eq!(json["rows"].as_array().unwrap().len(), 24);
        assert_eq!(json["summary"]["cases"], 2400);
        for key in ["hull32_ratio", "hull256_ratio", "coherent_ns", "coherent_flatness", "parry_off"] {
            assert!(json["summary"].get(key).is_some(), "{key}");
        }
        let expected = if cfg!(feature = "peers") { 4 } else { 2 };
        let Chart::Lines { series, .. } = report.plot.unwrap().chart else { panic!("lines are expected") };
        assert_eq!(series.len(), expected);
        assert_eq!(json["rows"][0].get("peer").is_some(), cfg!(feature = "peers"));
    }
}
