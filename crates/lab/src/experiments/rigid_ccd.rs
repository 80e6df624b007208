//! The first contact of rotating bodies, raced against parry's nonlinear cast and compared with sampling.
//!
//! Bullets against thin plates, tumbling tori, screws, a peg and a hole, a wheel over ground; and many bodies under a
//! schedule, of which `looked_at` says how many pairs were examined in a step, of `pairs`. Both algorithms of
//! `rigid_impact` have a row; parry one where it has the motion and the bodies. Every answer is checked apart from the
//! timing:
//! - `RigidImpact::verify` proves it again, `NoImpact::verify` that there is no contact where that is the answer;
//! - 1000 samples of the motion see no overlap before `lower`, and none at all where the answer is that there is no
//!   contact.
//!
//! The columns `missed_at_10` and so on count proved contacts that sampling the motion at so many steps does not see.
//! `parry_missed` are proved contacts that parry has not, `parry_late` those that it has later than the proved upper
//! bound, by more than a millionth of the step.

use std::f64::consts::FRAC_PI_2;
use std::hint::black_box;

use clearance::answer::{NoImpact, RigidImpact};
use clearance::glam::{DQuat, DVec2, DVec3};
use clearance::query::{RigidAlgorithm, RigidOptions, rigid_impact_with};
use clearance::world::{BodyId, MotionBounds, Schedule};
use clearance::{Pose, RigidMotion, Shape, Workspace, World, intersects};
use indicatif::ProgressIterator;
use serde_json::json;

use super::tally::Tally;
use super::{Experiment, Flag, Options};
use crate::error::LabError;
use crate::measure::{Plan, race};
use crate::meshes::generate::torus_of;
use crate::models::{Model, Placement, Random};
use crate::peers::{HOW_TO_ENABLE, ParryPair, ParryTurns, Turn};
use crate::report::{Provenance, Report, Row, rounded};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "rigid-ccd",
    about: "first contact of rotating bodies: bullets, tori, screws, peg in hole; against sampling and parry (feature `peers`)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// How far parry may be off before it is late.
const LATE: f64 = 1e-6;

/// Steps at which motions are sampled.
const SAMPLES: [u32; 3] = [10, 100, 1000];

/// Two bodies and motions of theirs.
struct Scene {
    name: &'static str,
    shapes: [Shape; 2],
    motions: Vec<[RigidMotion; 2]>,
    /// The same motions for parry, where it has them.
    turns: Option<Vec<[Turn; 2]>>,
    /// How often everything is timed.
    repeats: usize,
}

impl Scene {
    fn new(name: &'static str, shapes: [Shape; 2], repeats: usize) -> Scene {
        Scene { name, shapes, motions: Vec::new(), turns: None, repeats }
    }

    /// Adds a motion that parry has too.
    fn turning(&mut self, turns: [Turn; 2]) -> Result<(), clearance::Error> {
        let motion = |turn: &Turn| {
            let angle = turn.angular.length();
            let axis = if angle > 0.0 { turn.angular } else { DVec3::Z };
            RigidMotion::turning(turn.start.pose()?, turn.way, axis, angle)
        };
        self.motions.push([motion(&turns[0])?, motion(&turns[1])?]);
        self.turns.get_or_insert_with(Vec::new).push(turns);
        Ok(())
    }

    fn ask(&self, number: usize, algorithm: RigidAlgorithm, workspace: &mut Workspace) -> Option<RigidImpact> {
        let ([a, b], [motion_a, motion_b]) = (&self.shapes, &self.motions[number]);
        let options = RigidOptions { algorithm, ..RigidOptions::default() };
        rigid_impact_with(a, motion_a, b, motion_b, &options, workspace).ok()
    }

    /// The first of so many samples at which the bodies meet.
    fn sampled(&self, number: usize, steps: u32) -> Option<f64> {
        let ([a, b], [motion_a, motion_b]) = (&self.shapes, &self.motions[number]);
        let times = (0..=steps).map(|k| f64::from(k) / f64::from(steps));
        times.into_iter().find(|&t| intersects(a, &motion_a.at(t), b, &motion_b.at(t)))
    }

    fn faults(&self, number: usize, answer: Option<&RigidImpact>, seen: Option<f64>) -> Vec<&'static str> {
        let ([a, b], [motion_a, motion_b]) = (&self.shapes, &self.motions[number]);
        let mut faults = Vec::new();
        match answer {
            None => {
                if seen.is_some() {
                    faults.push("missed: sampling sees an overlap");
                }
                if (NoImpact { margin: 0.0, until: 1.0 }).verify(a, motion_a, b, motion_b).is_err() {
                    faults.push("verify_rigid_clear refused");
                }
            }
            Some(impact) => {
                if seen.is_some_and(|seen| seen < impact.time.lower) {
                    faults.push("late: sampling sees an overlap before the lower bound");
                }
                if impact.verify(a, motion_a, b, motion_b).is_err() {
                    faults.push("verify_rigid_impact refused");
                }
            }
        }
        faults
    }
}

/// A body at rest.
fn resting(start: Placement) -> Turn {
    Turn { start, way: DVec3::ZERO, angular: DVec3::ZERO }
}

const HERE: Placement = Placement { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

/// A bullet that tumbles through a plate a tenth of a millimetre thick, a hundred metres in the step.
fn bullets(count: usize, random: &mut Random) -> Result<Scene, clearance::Error> {
    let shapes = [Shape::capsule(0.02, 0.004)?, Shape::cuboid(DVec3::new(5.0, 5.0, 5e-5))?];
    let mut scene = Scene::new("bullet and plate", shapes, 5);
    for _ in 0..count {
        let aim = DVec3::new(random.between(-5.5, 5.5), random.between(-5.5, 5.5), random.between(20.0, 80.0));
        let start = Placement { rotation: random.rotation(), translation: aim };
        let way = DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), -100.0);
        scene.turning([Turn { start, way, angular: random.direction() * 40.0 }, resting(HERE)])?;
    }
    Ok(scene)
}

/// Bodies that tumble past each other, one coming from the side.
fn tumbling(
    name: &'static str,
    shapes: [Shape; 2],
    count: usize,
    repeats: usize,
    random: &mut Random,
) -> Result<Scene, clearance::Error> {
    let mut scene = Scene::new(name, shapes, repeats);
    for _ in 0..count {
        let start_a = Placement { rotation: random.rotation(), translation: random.direction() * 0.2 };
        let start_b = Placement { rotation: random.rotation(), translation: DVec3::X * 4.0 + random.direction() };
        let way = DVec3::X * -5.0 + random.direction() * 2.0;
        let spin = |random: &mut Random| random.direction() * random.between(1.0, 6.0);
        scene.turning([
            Turn { start: start_a, way: random.direction() * 0.5, angular: spin(random) },
            Turn { start: start_b, way, angular: spin(random) },
        ])?;
    }
    Ok(scene)
}

/// Hulls on screws about random axes, several turns each.
fn screws(count: usize, random: &mut Random) -> Result<Scene, clearance::Error> {
    let shapes = [Model::random_hull(32, random).shape()?, Model::random_hull(32, random).shape()?];
    let mut scene = Scene::new("hull32 on screws", shapes, 5);
    for _ in 0..count {
        let still = RigidMotion::still(Placement { rotation: random.rotation(), translation: DVec3::ZERO }.pose()?);
        let start = Placement { rotation: random.rotation(), translation: random.direction() * 4.0 }.pose()?;
        let angle = random.between(1.0, 12.0);
        let screw =
            RigidMotion::screw(start, random.direction() * 2.0, random.direction(), angle, random.between(-4.0, 4.0))?;
        scene.motions.push([still, screw]);
    }
    Ok(scene)
}

/// A square peg, turned by a little, that is screwed through a square hole: some fit.
fn pegs(count: usize, random: &mut Random) -> Result<Scene, clearance::Error> {
    let bar = |x: f64, y: f64, half: DVec3| Ok((Pose::from_translation(DVec3::new(x, y, 0.0))?, Shape::cuboid(half)?));
    let plate = Shape::compound(vec![
        bar(2.0, 0.0, DVec3::new(1.0, 3.0, 0.2))?,
        bar(-2.0, 0.0, DVec3::new(1.0, 3.0, 0.2))?,
        bar(0.0, 2.0, DVec3::new(1.0, 1.0, 0.2))?,
        bar(0.0, -2.0, DVec3::new(1.0, 1.0, 0.2))?,
    ])?;
    let mut scene = Scene::new("peg in hole", [Shape::cuboid(DVec3::new(0.95, 0.95, 1.0))?, plate], 5);
    for _ in 0..count {
        let tilt = random.direction() * random.between(0.0, 0.03);
        let above = Pose::from_quat(DQuat::from_scaled_axis(tilt), DVec3::new(0.0, 0.0, 3.0))?;
        let screw = RigidMotion::screw(above, DVec3::ZERO, DVec3::Z, random.between(-0.1, 0.1), -6.0)?;
        scene.motions.push([screw, RigidMotion::still(Pose::IDENTITY)]);
    }
    Ok(scene)
}

/// A wheel that rolls over hills.
fn wheels(count: usize, random: &mut Random) -> Result<Scene, clearance::Error> {
    let height = |k: usize| (0.3 * ((k % 64) as f64 * 0.7).sin() * ((k / 64) as f64 * 0.5).cos()) as f32;
    let field = Shape::height_field(64, 64, DVec2::ONE, (0..64 * 64).map(height).collect())?;
    let mut scene = Scene::new("wheel over ground", [Shape::cylinder(0.2, 0.75)?, field], 3);
    for _ in 0..count {
        let above = DVec3::new(random.between(2.0, 20.0), random.between(10.0, 50.0), random.between(0.98, 1.1));
        let upright = Pose::from_axis_angle(DVec3::X, FRAC_PI_2, above)?;
        let rolling = RigidMotion::turning(upright, DVec3::X * random.between(5.0, 30.0), DVec3::Y, 20.0)?;
        scene.motions.push([rolling, RigidMotion::still(Pose::IDENTITY)]);
    }
    Ok(scene)
}

fn torus(ring: u32, tube: u32) -> Result<Shape, clearance::Error> {
    let model = torus_of(ring, tube, 1.0, 0.3);
    Shape::mesh(&model.points, &model.triangles)
}

fn scenes(quick: bool, random: &mut Random) -> Result<Vec<Scene>, clearance::Error> {
    let many = if quick { 6 } else { 400 };
    let few = if quick { 2 } else { 40 };
    let small = || torus(14, 7);
    let mut made = vec![
        bullets(many, random)?,
        tumbling("torus 196 and box", [small()?, Shape::cuboid(DVec3::new(0.4, 0.6, 0.3))?], few, 1, random)?,
        // parry takes seconds for one of these.
        tumbling("tori of 196 triangles", [small()?, small()?], if quick { 1 } else { 4 }, 1, random)?,
        screws(many, random)?,
        pegs(few, random)?,
        wheels(few, random)?,
    ];
    let large = if quick { (28, 14) } else { (100, 50) };
    let mut tori = tumbling("large tori", [torus(large.0, large.1)?, torus(large.0, large.1)?], few, 1, random)?;
    tori.turns = None;
    made.push(tori);
    Ok(made)
}

/// How long a step of the schedule is.
const STEP: f64 = 0.02;

/// Bars that fly and spin in a world, every two queried when their schedule has them due; checked
/// against every two in every step.
fn scheduled(steps: usize, random: &mut Random) -> Result<Row, clearance::QueryError> {
    let (bar, count) = (Shape::cuboid(DVec3::new(0.8, 0.1, 0.1))?, 50);
    let (radius, pairs) = (0.82, count * (count - 1) / 2);
    let bodies: Vec<(Pose, DVec3, DVec3)> = (0..count)
        .map(|_| {
            let room = DVec3::new(random.between(-9.0, 9.0), random.between(-9.0, 9.0), random.between(-9.0, 9.0));
            let start = Placement { rotation: random.rotation(), translation: room }.pose()?;
            Ok((start, random.direction() * random.between(0.0, 3.0), random.direction() * random.between(0.1, 3.0)))
        })
        .collect::<Result<_, clearance::Error>>()?;
    let at = |number: usize, time: f64| {
        let (start, velocity, spin) = bodies[number];
        let turn = Pose::from_axis_angle(spin, spin.length() * time, DVec3::ZERO)?;
        Pose::new(turn.rotation() * start.rotation(), start.translation() + velocity * time)
    };
    let mut world = World::default();
    let ids = bodies.iter().map(|(start, ..)| world.insert(&bar, start, 0)).collect::<Vec<_>>();
    let number = |id: BodyId| ids.iter().position(|&other| other == id).unwrap_or_default();
    let motion = |id: BodyId| {
        let (_, velocity, spin) = bodies[number(id)];
        MotionBounds { radius, velocity, angular_velocity: spin.length(), ..MotionBounds::default() }
    };
    let (mut schedule, mut tally, mut looked_at, mut contacts) = (Schedule::default(), Tally::default(), 0, 0);
    let step = |world: &mut World, schedule: &mut Schedule, k: usize| {
        let time = STEP * k as f64;
        for (number, id) in ids.iter().enumerate() {
            world.move_to(*id, &at(number, time)?)?;
        }
        Ok::<_, clearance::QueryError>(world.next_contacts(schedule, time, motion))
    };
    for k in 0..steps {
        let found = step(&mut world, &mut schedule, k)?;
        looked_at += found.looked_at;
        contacts += found.contacts.len();
        let answers: Vec<_> = found.contacts.iter().map(|(pair, gap)| (pair.map(number), gap)).collect();
        tally.answers.note(&k, &answers);
        let told: Vec<[usize; 2]> = found.contacts.iter().map(|(pair, _)| pair.map(number)).collect();
        let poses = (0..count).map(|number| at(number, STEP * k as f64)).collect::<Result<Vec<_>, _>>()?;
        let missed = (0..count)
            .flat_map(|b| (0..b).map(move |a| [a, b]))
            .filter(|&[a, b]| intersects(&bar, &poses[a], &bar, &poses[b]))
            .any(|pair| !told.contains(&pair));
        tally.note(if missed { vec!["missed: a contact that was not due"] } else { Vec::new() });
        tally.verified += u64::from(!missed);
    }
    let plan = Plan { queries: steps, batch: steps, repeats: 3 };
    let ours = |k: usize| {
        if k == 0 {
            schedule = Schedule::default();
        }
        let _ = black_box(step(&mut world, &mut schedule, k));
    };
    let timing = race(plan, ours, None::<fn(usize)>);
    let more = vec![
        ("contacts", json!(contacts)),
        ("verified", json!(tally.verified)),
        ("looked_at", json!(rounded(looked_at as f64 / steps as f64, 1))),
        ("pairs", json!(pairs)),
    ];
    Ok(tally.raced("schedule of 50 bars, a step".into(), &timing, ParryPair::NAME, more))
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let mut random = Random::new(options.seed, 9000);
    let (mut rows, mut cases, mut workspace): (Vec<Row>, u64, Workspace) = (Vec::new(), 0, Workspace::default());
    let (mut missed_by_parry, mut late_at_parry) = (0, 0);
    for scene in scenes(options.quick, &mut random)?.iter().progress() {
        let count = scene.motions.len();
        let seen: Vec<[Option<f64>; 3]> = (0..count).map(|k| SAMPLES.map(|steps| scene.sampled(k, steps))).collect();
        for (algorithm, said) in
            [(RigidAlgorithm::Hierarchies, "hierarchies"), (RigidAlgorithm::Advancement, "advancement")]
        {
            let raced = algorithm == RigidOptions::default().algorithm;
            let peer = scene
                .turns
                .as_ref()
                .filter(|_| raced)
                .and_then(|turns| ParryTurns::new([&scene.shapes[0], &scene.shapes[1]], turns));
            let mut tally = Tally::default();
            let (mut contacts, mut steps, mut missed, mut parry) = (0, 0_u64, [0; 3], [0; 2]);
            for (number, seen) in seen.iter().enumerate() {
                let answer = scene.ask(number, algorithm, &mut workspace);
                tally.answers.note(&number, &answer);
                let faults = scene.faults(number, answer.as_ref(), seen[2]);
                tally.verified += u64::from(faults.is_empty());
                if let Some(impact) = &answer {
                    steps += u64::from(impact.steps);
                    if impact.touches {
                        contacts += 1;
                        missed.iter_mut().zip(seen).for_each(|(missed, seen)| *missed += u64::from(seen.is_none()));
                        if let Some(peer) = &peer {
                            match peer.time(number) {
                                None => parry[0] += 1,
                                Some(time) => parry[1] += u64::from(time > impact.time.upper + LATE),
                            }
                        }
                    }
                }
                tally.note(faults);
            }
            let plan = Plan { queries: count, batch: count.min(20), repeats: scene.repeats };
            let ours = |number: usize| {
                black_box(scene.ask(black_box(number), algorithm, &mut workspace));
            };
            let theirs = peer.as_ref().map(|peer| {
                move |number: usize| {
                    black_box(peer.time(black_box(number)));
                }
            });
            let timing = race(plan, ours, theirs);
            let mut more = vec![
                ("contacts", json!(contacts)),
                ("verified", json!(tally.verified)),
                ("steps", json!(rounded(steps as f64 / count.max(1) as f64, 1))),
                ("missed_at_10", json!(missed[0])),
                ("missed_at_100", json!(missed[1])),
                ("missed_at_1000", json!(missed[2])),
            ];
            if peer.is_some() {
                more.extend([("parry_missed", json!(parry[0])), ("parry_late", json!(parry[1]))]);
                missed_by_parry += parry[0];
                late_at_parry += parry[1];
            }
            rows.push(tally.raced(format!("{}, {said}", scene.name), &timing, ParryPair::NAME, more));
            cases += count as u64;
        }
    }
    let steps = if options.quick { 40 } else { 400 };
    rows.push(scheduled(steps, &mut random)?);
    cases += steps as u64;
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    Ok(Report {
        goals: Vec::new(),
        markdown: None,
        experiment: EXPERIMENT.name,
        cases,
        more: vec![("parry_missed", json!(missed_by_parry)), ("parry_late", json!(late_at_parry))],
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
        assert_eq!(report.to_json()["rows"].as_array().unwrap().len(), 15);
    }

    #[test]
    fn a_late_answer_is_found_out() {
        let scene = bullets(1, &mut Random::new(3, 0)).unwrap();
        let impact = scene.ask(0, RigidAlgorithm::Hierarchies, &mut Workspace::default()).unwrap();
        assert_eq!(scene.faults(0, Some(&impact), None), Vec::<&str>::new());
        let late = RigidImpact {
            time: Bracket {
                lower: impact.time.lower + 1e-3,
                value: impact.time.value + 1e-3,
                upper: impact.time.upper + 1e-3,
            },
            ..impact
        };
        assert_eq!(scene.faults(0, Some(&late), Some(impact.time.value)).len(), 2);
        // A contact that is missed is found out by proof, whether or not sampling sees it.
        assert_eq!(scene.faults(0, None, Some(impact.time.value)).len(), 2);
        assert_eq!(scene.faults(0, None, None), ["verify_rigid_clear refused"]);
    }
}
