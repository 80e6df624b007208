//! The first contact of two translating convex bodies, raced against parry's `cast_shapes`.
//!
//! Motions are aimed past the other body at random and sorted, by `sweeps_meet`, into those that hit and those that
//! miss; both bodies move. Every answer is checked apart from the timing:
//! - there is one exactly when the swept sets meet;
//! - the step cut short just before `lower` does not meet, the step up to just after `upper` does (where contact is
//!   proved), both by `sweeps_meet`, which knows no times;
//! - `Impact::verify` proves it again, for the kinds of body that it covers;
//! - swapping the arguments gives the same bits.
//!
//! The other algorithms of `time_of_impact` have rows of their own, without a peer, on the motions that hit;
//! `ClosedForm` only where it differs from the default. Allocations are stated, not judged: a contact of polytopes that
//! is not proved by the last simplex asks the expanding polytope.

use std::hint::black_box;

use clearance::answer::Impact;
use clearance::glam::DVec3;
use clearance::query::{ImpactAlgorithm, ImpactOptions, sweeps_meet, time_of_impact_with};
use clearance::verify::Refusal;
use clearance::{Motion, PairCache, Shape, Workspace, distance, time_of_impact};
use indicatif::ProgressIterator;
use serde_json::json;

use super::tally::{Tally, least_ratio, mean_ratio};
use super::{Experiment, Flag, Options};
use crate::allocation;
use crate::error::LabError;
use crate::measure::{Plan, Timing, race};
use crate::models::{Model, Placement, Random};
use crate::peers::{HOW_TO_ENABLE, ParryCasts, time_tolerance};
use crate::report::{Provenance, Report, Row, rounded};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "cast-speed",
    about: "first contact of translating bodies, balls to hulls of 256 vertices, against parry (feature `peers`)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// A kind of body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sphere,
    Cuboid,
    Capsule,
    Cylinder,
    Hull(usize),
}

impl Kind {
    fn name(self) -> String {
        match self {
            Kind::Sphere => "sphere".into(),
            Kind::Cuboid => "box".into(),
            Kind::Capsule => "capsule".into(),
            Kind::Cylinder => "cylinder".into(),
            Kind::Hull(vertices) => format!("hull{vertices}"),
        }
    }

    /// A body of the kind, about as large as the unit ball.
    fn shape(self, random: &mut Random) -> Result<Shape, clearance::Error> {
        let mut size = || random.between(0.4, 1.0);
        match self {
            Kind::Sphere => Shape::sphere(size()),
            Kind::Capsule => Shape::capsule(size(), 0.5 * size()),
            Kind::Cylinder => Shape::cylinder(size(), size()),
            Kind::Cuboid => Model::random_cuboid(random).shape(),
            Kind::Hull(vertices) => Model::random_hull(vertices, random).shape(),
        }
    }
}

/// The pairs.
const TABLE: &[[Kind; 2]] = &[
    [Kind::Sphere, Kind::Sphere],
    [Kind::Sphere, Kind::Cuboid],
    [Kind::Sphere, Kind::Capsule],
    [Kind::Sphere, Kind::Hull(32)],
    [Kind::Capsule, Kind::Capsule],
    [Kind::Capsule, Kind::Cuboid],
    [Kind::Cuboid, Kind::Cuboid],
    [Kind::Cuboid, Kind::Hull(32)],
    [Kind::Hull(32), Kind::Hull(32)],
    [Kind::Hull(256), Kind::Hull(256)],
    [Kind::Cylinder, Kind::Cuboid],
    [Kind::Cylinder, Kind::Cylinder],
];

/// Whether `ClosedForm` has a formula for the pair.
fn has_formula(kinds: [Kind; 2]) -> bool {
    let with_sphere = |a: Kind, b: Kind| a == Kind::Sphere && !matches!(b, Kind::Hull(_) | Kind::Cylinder);
    with_sphere(kinds[0], kinds[1]) || with_sphere(kinds[1], kinds[0])
}

/// Two bodies and many motions of theirs.
struct Scene {
    shapes: [Shape; 2],
    starts: Vec<[Placement; 2]>,
    ways: Vec<[DVec3; 2]>,
    motions: Vec<[Motion; 2]>,
}

impl Scene {
    /// The motions of a pair that hit, and those that miss: `count` of each.
    fn hits_and_misses(kinds: [Kind; 2], count: usize, random: &mut Random) -> Result<[Scene; 2], clearance::Error> {
        let shapes = [kinds[0].shape(random)?, kinds[1].shape(random)?];
        let empty = || Scene { shapes: shapes.clone(), starts: Vec::new(), ways: Vec::new(), motions: Vec::new() };
        let mut scenes = [empty(), empty()];
        let reach = 0.5 * (shapes[0].diameter() + shapes[1].diameter());
        // Hits and misses are both common, so this ends soon; the cap is for bodies that no aim would hit.
        for _ in 0..1000 * count {
            if scenes.iter().all(|scene| scene.motions.len() == count) {
                break;
            }
            let place_a = Placement { rotation: random.rotation(), translation: random.direction() };
            let from = random.direction();
            let start = place_a.translation + from * (reach * random.between(1.5, 4.0));
            let place_b = Placement { rotation: random.rotation(), translation: start };
            // Aimed at a disc about A that is a little larger than both bodies; the way goes on beyond it.
            let (u, v) = from.any_orthonormal_pair();
            let (angle, radius) = (random.between(0.0, std::f64::consts::TAU), random.between(0.0, 1.0).sqrt());
            let aim = (u * angle.cos() + v * angle.sin()) * (1.2 * reach * radius);
            let relative = (place_a.translation + aim - start) * random.between(1.0, 2.0);
            let shared = random.direction() * random.between(0.0, 2.0);
            let ways = [shared, shared + relative];
            let motions =
                [Motion::translation(place_a.pose()?, ways[0])?, Motion::translation(place_b.pose()?, ways[1])?];
            let hits = sweeps_meet(&shapes[0], &motions[0], &shapes[1], &motions[1]);
            let scene = &mut scenes[usize::from(!hits)];
            if scene.motions.len() < count {
                scene.starts.push([place_a, place_b]);
                scene.ways.push(ways);
                scene.motions.push(motions);
            }
        }
        Ok(scenes)
    }

    /// Asks for the first contact with the default options.
    fn ask(&self, number: usize) -> Option<Impact> {
        let ([a, b], [motion_a, motion_b]) = (&self.shapes, &self.motions[number]);
        time_of_impact(a, motion_a, b, motion_b).ok()
    }

    /// Asks with an algorithm.
    fn ask_with(&self, number: usize, algorithm: ImpactAlgorithm, workspace: &mut Workspace) -> Option<Impact> {
        let ([a, b], [motion_a, motion_b]) = (&self.shapes, &self.motions[number]);
        let options = ImpactOptions { algorithm, ..ImpactOptions::default() };
        time_of_impact_with(a, motion_a, b, motion_b, &options, &mut PairCache::default(), workspace).ok()
    }

    /// Whether the bodies meet when the step ends at `time`.
    fn meet_by(&self, number: usize, time: f64) -> Result<bool, clearance::Error> {
        let ([a, b], [way_a, way_b], motions) = (&self.shapes, self.ways[number], &self.motions[number]);
        let cut = |motion: &Motion, way: DVec3| Motion::translation(motion.start(), way * time);
        Ok(sweeps_meet(a, &cut(&motions[0], way_a)?, b, &cut(&motions[1], way_b)?))
    }

    /// The largest length that a number of the question stands for.
    fn scale(&self, number: usize) -> f64 {
        let ([way_a, way_b], [start_a, start_b]) = (self.ways[number], self.starts[number]);
        let places = start_a.translation.length() + start_b.translation.length();
        self.shapes[0].diameter() + self.shapes[1].diameter() + places + way_a.length() + way_b.length()
    }

    /// How fast the bodies close in across the normal of an answer.
    fn closing(&self, number: usize, impact: &Impact) -> f64 {
        let [way_a, way_b] = self.ways[number];
        impact.normal.map_or(0.0, |normal| normal.dot(way_a - way_b))
    }

    /// What is wrong with an answer about a motion that hits, or that misses.
    fn faults(&self, number: usize, hits: bool, answer: Option<&Impact>) -> Result<Vec<&'static str>, LabError> {
        let mut faults = Vec::new();
        let Some(impact) = answer else {
            if hits {
                faults.push("the swept sets meet, but there is no contact");
            }
            return Ok(faults);
        };
        if !hits {
            faults.push("the swept sets do not meet, but there is a contact");
            return Ok(faults);
        }
        if !(0.0 <= impact.time.lower
            && impact.time.lower <= impact.time.value
            && impact.time.value <= impact.time.upper
            && impact.time.upper <= 1.0)
        {
            faults.push("bracket out of order");
        }
        // The cut step rounds two displacements and their difference, turns a vertex into the other frame and adds its
        // way: fewer than 32 roundings of numbers below the scale, crossed at the closing speed.
        let slack = 32.0 * f64::EPSILON * self.scale(number) / self.closing(number, impact);
        if slack.is_finite() {
            let (before, after) = (impact.time.lower - slack, (impact.time.upper + slack).min(1.0));
            if before > 0.0 && self.meet_by(number, before)? {
                faults.push("the bodies meet before the lower bound");
            }
            if impact.touches && !self.meet_by(number, after)? {
                faults.push("the bodies do not meet by the upper bound");
            }
        }
        if !impact.touches {
            let [motion_a, motion_b] = &self.motions[number];
            let gap = distance(
                &self.shapes[0],
                &motion_a.at(impact.time.upper),
                &self.shapes[1],
                &motion_b.at(impact.time.upper),
            );
            if gap.gap.lower > impact.gap + 32.0 * f64::EPSILON * self.scale(number) {
                faults.push("the bodies are farther apart than reported");
            }
        }
        Ok(faults)
    }

    /// Whether `Impact::verify` covers the pair and proves the answer; `None` if it does not cover it.
    fn verified(&self, number: usize, impact: &Impact) -> Option<bool> {
        let ([a, b], [motion_a, motion_b]) = (&self.shapes, &self.motions[number]);
        match impact.verify(a, motion_a, b, motion_b) {
            Ok(()) => Some(true),
            Err(Refusal::Method) => None,
            Err(_) => Some(false),
        }
    }

    /// Whether the question the other way round has the same answer, bit for bit.
    fn same_when_swapped(&self, number: usize, answer: Option<&Impact>) -> bool {
        let ([a, b], [motion_a, motion_b]) = (&self.shapes, &self.motions[number]);
        let numbers =
            |impact: &Impact| [impact.time.value, impact.time.lower, impact.time.upper, impact.gap].map(f64::to_bits);
        match (answer, time_of_impact(b, motion_b, a, motion_a)) {
            (None, Err(_)) => true,
            (Some(impact), Ok(other)) => {
                numbers(impact) == numbers(&other)
                    && impact.normal == other.normal.map(|normal| -normal)
                    && (impact.witness.a.point, impact.witness.b.point)
                        == (other.witness.b.point, other.witness.a.point)
            }
            _ => false,
        }
    }
}

/// Checks every answer of the default algorithm, without a clock.
fn check(scene: &Scene, hits: bool, peer: Option<&ParryCasts>) -> Result<(Tally, f64), LabError> {
    let (mut tally, mut steps) = (Tally::default(), 0_u64);
    for number in 0..scene.motions.len() {
        let answer = scene.ask(number);
        tally.answers.note(&number, &answer);
        let mut faults = scene.faults(number, hits, answer.as_ref())?;
        if let Some(impact) = &answer {
            steps += u64::from(impact.steps);
            let verified = scene.verified(number, impact);
            tally.verified += u64::from(verified == Some(true));
            if verified == Some(false) {
                faults.push("verify_impact refused");
            }
        }
        if !scene.same_when_swapped(number, answer.as_ref()) {
            faults.push("swapping the arguments changes the answer");
        }
        if let Some(peer) = peer {
            let theirs = peer.time(number);
            let (agrees, difference) = match (&answer, theirs) {
                (None, None) => (true, None),
                // Where numbers do not decide the contact, both answers are right.
                (Some(impact), None) => (!impact.touches, None),
                (None, Some(_)) => (false, None),
                (Some(impact), Some(time)) => {
                    let tolerance = time_tolerance(time, scene.scale(number), scene.closing(number, impact));
                    let agrees = impact.time.lower - tolerance <= time && time <= impact.time.upper + tolerance;
                    (agrees, Some(time - impact.time.value))
                }
            };
            tally.note_parry(agrees || !faults.is_empty(), difference);
        }
        tally.note(faults);
    }
    for number in 0..scene.motions.len() {
        tally.allocations += allocation::count(|| black_box(scene.ask(number))).1;
    }
    Ok((tally, steps as f64 / scene.motions.len().max(1) as f64))
}

/// Checks every answer of another algorithm against the motion and against the default's answer.
fn check_algorithm(scene: &Scene, algorithm: ImpactAlgorithm) -> Result<(Tally, f64), LabError> {
    let (mut tally, mut steps, mut workspace) = (Tally::default(), 0_u64, Workspace::default());
    for number in 0..scene.motions.len() {
        let answer = scene.ask_with(number, algorithm, &mut workspace);
        tally.answers.note(&number, &answer);
        let mut faults = scene.faults(number, true, answer.as_ref())?;
        if let (Some(impact), Some(usual)) = (&answer, scene.ask(number)) {
            steps += u64::from(impact.steps);
            let verified = scene.verified(number, impact);
            tally.verified += u64::from(verified == Some(true));
            if verified == Some(false) {
                faults.push("verify_impact refused");
            }
            if impact.time.lower > usual.time.upper || usual.time.lower > impact.time.upper {
                faults.push("the brackets of two algorithms exclude each other");
            }
        }
        tally.note(faults);
    }
    for number in 0..scene.motions.len() {
        let ask = || black_box(scene.ask_with(number, algorithm, &mut workspace));
        tally.allocations += allocation::count(ask).1;
    }
    Ok((tally, steps as f64 / scene.motions.len().max(1) as f64))
}

/// What the summary needs of a row with a peer.
struct Measured {
    hits: bool,
    timing: Timing,
    parry_off: u64,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let plan = if options.quick {
        Plan { queries: 40, batch: 20, repeats: 3 }
    } else {
        Plan { queries: 500, batch: 50, repeats: 15 }
    };
    let (mut rows, mut measured, mut cases): (Vec<Row>, Vec<Measured>, u64) = (Vec::new(), Vec::new(), 0);
    for (index, &kinds) in TABLE.iter().enumerate().progress() {
        let name = format!("{}-{}", kinds[0].name(), kinds[1].name());
        let mut random = Random::new(options.seed, 2000 + index as u64);
        let scenes = Scene::hits_and_misses(kinds, plan.queries, &mut random)?;
        for (scene, hits) in scenes.iter().zip([true, false]) {
            let plan = Plan { queries: scene.motions.len(), ..plan };
            let peer = ParryCasts::new([&scene.shapes[0], &scene.shapes[1]], &scene.starts, &scene.ways);
            let (tally, steps) = check(scene, hits, peer.as_ref())?;
            let ours = |number: usize| {
                black_box(scene.ask(black_box(number)));
            };
            let theirs = peer.as_ref().map(|peer| {
                move |number: usize| {
                    black_box(peer.time(black_box(number)));
                }
            });
            let timing = race(plan, ours, theirs);
            let case = format!("{name} {}", if hits { "hits" } else { "misses" });
            rows.push(tally.row(case, &timing, plan.queries, vec![("steps", json!(rounded(steps, 2)))]));
            measured.push(Measured { hits, timing, parry_off: tally.parry_off });
            cases += plan.queries as u64;
        }
        let scene = &scenes[0];
        let plan = Plan { queries: scene.motions.len(), ..plan };
        for (algorithm, said) in [
            (ImpactAlgorithm::ClosedForm, "closed form"),
            (ImpactAlgorithm::IntervalHalving, "interval halving"),
            (ImpactAlgorithm::Brent, "Brent"),
        ] {
            // Bodies without vertices have one way only, whatever is asked for.
            let formula = algorithm == ImpactAlgorithm::ClosedForm;
            if kinds.contains(&Kind::Cylinder) || (formula && !has_formula(kinds)) {
                continue;
            }
            let (tally, steps) = check_algorithm(scene, algorithm)?;
            let mut workspace = Workspace::default();
            let ours = |number: usize| {
                black_box(scene.ask_with(black_box(number), algorithm, &mut workspace));
            };
            let timing = race(plan, ours, None::<fn(usize)>);
            let own = vec![("steps", json!(rounded(steps, 2)))];
            rows.push(tally.row(format!("{name} hits, {said}"), &timing, plan.queries, own));
            cases += plan.queries as u64;
        }
    }
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    let of = |hits: bool| measured.iter().filter(move |row| row.hits == hits).map(|row| &row.timing);
    Ok(Report {
        goals: Vec::new(),
        markdown: None,
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("mean_ratio_hits", json!(mean_ratio(of(true)))),
            ("mean_ratio_misses", json!(mean_ratio(of(false)))),
            ("least_ratio", json!(least_ratio(measured.iter().map(|row| &row.timing)))),
            ("parry_off", json!(measured.iter().map(|row| row.parry_off).sum::<u64>())),
        ],
        plot: None,
        rows,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    use clearance::Bracket;

    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        let json = report.to_json();
        // 12 pairs that hit and miss, two more ways for the ten without a cylinder, formulas for three.
        assert_eq!(json["rows"].as_array().unwrap().len(), 24 + 20 + 3);
        assert_eq!(json["rows"][0].get("peer").is_some(), cfg!(feature = "peers"));
        assert_eq!(json["rows"][0]["verified"], 40);
    }

    #[test]
    fn a_bent_answer_is_found_out() {
        let kinds = [Kind::Cuboid, Kind::Hull(32)];
        let [hits, misses] = Scene::hits_and_misses(kinds, 5, &mut Random::new(3, 0)).unwrap();
        assert_eq!((hits.motions.len(), misses.motions.len()), (5, 5));
        let impact = hits.ask(0).unwrap();
        assert_eq!(hits.faults(0, true, Some(&impact)).unwrap(), Vec::<&str>::new());
        assert_eq!(hits.faults(0, true, None).unwrap().len(), 1);
        assert_eq!(misses.faults(0, false, Some(&impact)).unwrap().len(), 1);
        let late = Impact {
            time: Bracket {
                lower: impact.time.lower + 1e-9,
                value: impact.time.value + 1e-9,
                upper: impact.time.upper + 1e-9,
            },
            ..impact
        };
        assert!(hits.faults(0, true, Some(&late)).unwrap().contains(&"the bodies meet before the lower bound"));
        let early = Impact {
            time: Bracket {
                lower: impact.time.lower - 1e-9,
                value: impact.time.value - 1e-9,
                upper: impact.time.upper - 1e-9,
            },
            ..impact
        };
        assert!(hits.faults(0, true, Some(&early)).unwrap().contains(&"the bodies do not meet by the upper bound"));
    }
}
