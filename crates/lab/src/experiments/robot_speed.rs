//! Robots: the starts and goals of MotionBenchMaker against known answers, and configurations per second against coal.
//! Every robot with expected answers in the data folder takes part.
//!
//! Problems: 700 for each robot, a world of 7 to 21 boxes and cylinders each, start and goal: which links meet which
//! objects, which links meet, and the least distance to the world, against what coal found. coal's distance of a mesh
//! and a primitive is good to its tolerance of 1e-6, and the file has seven digits; an answer is wrong if the known
//! distance is not within 2e-6 of the bracket.
//!
//! Where coal disagrees, `verify` proves or refutes our answer from the triangles with other code: if it is proved, the
//! known answer is the wrong one, counted as `peer_wrong`, and if not, ours is.
//!
//! Speed: random configurations within the limits, one thread, the robot alone with the pairs that its SRDF leaves.
//! `meets` stops at the first pair that meets; `distances` measures every pair. Both sides take turns on the same
//! configurations. Whether a configuration meets itself has to agree except where coal's answer is within rounding of
//! touching; distances of pairs that are apart have to agree to 2e-6.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::peers::pinocchio::{NAME, Pinocchio};
use crate::report::{Peer, Report, Row, rounded};
use crate::robots::{Arm, known_robots, problems};
use clearance_robot::{Against, CheckOptions, Checker, Object, State};
use serde_json::json;
use std::collections::BTreeSet;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "robot-speed",
    about: "robots: known configurations in worlds; self-checks and full sets of distances per second, against coal",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// What `--data` has to point to.
const WANTED: &str = "the folder with the folders `robots` (a folder for each robot, with its URDF and SRDF) and \
     `motion_planning` (ROBOT_problems.json and expected_ROBOT.json, for each robot to be raced)";

/// How far coal's distances may be off: its own tolerance, and the digits of the file.
const TOLERANCE: f64 = 2e-6;

fn run(options: &Options) -> Result<Report, LabError> {
    let missing = |path| LabError::MissingData { experiment: EXPERIMENT.name, path, wanted: WANTED };
    let data = options.data.clone().ok_or_else(|| missing(None))?;
    let (robots, planning) = (data.join("robots"), data.join("motion_planning"));
    if !robots.is_dir() || !planning.is_dir() {
        return Err(missing(Some(data)));
    }
    let mut rows = Vec::new();
    let mut cases = 0;
    let names = known_robots(&planning);
    if names.is_empty() {
        return Err(missing(Some(data)));
    }
    for name in names {
        let arm = Arm::load(&robots, &name)?;
        let known = problems(&planning, &name)?;
        let known = if options.quick { &known[..known.len().min(40)] } else { &known[..] };
        let (row, count) = against_known(&arm, known)?;
        rows.push(row);
        cases += count;
        let (count, every) = if options.quick { (200, 10) } else { (4000, 40) };
        rows.extend(race(&arm, &arm.robot.random_configurations(options.seed, count), every)?);
        cases += count as u64;
    }
    Ok(Report::plain(EXPERIMENT.name, rows, cases, 1))
}

fn failed(arm: &Arm, error: clearance_robot::Error) -> LabError {
    LabError::BadData { path: arm.robot.description().path.clone(), problem: error.to_string() }
}

/// Starts and goals against the known answers.
fn against_known(arm: &Arm, known: &[(crate::robots::Problem, crate::robots::Known)]) -> Result<(Row, u64), LabError> {
    let allowed = arm.allowed();
    let (mut wrong, mut known_wrong, mut worst, mut meeting, mut seconds) = (0, 0_u64, 0.0_f64, 0, 0.0);
    let (mut why, mut answers) = (BTreeSet::new(), Digest::default());
    for (problem, known) in known {
        let case = format!("{} {}", arm.name, problem.index);
        let bad = |problem: String| LabError::BadCase { case: case.clone(), field: "objects".into(), problem };
        let world: Result<Vec<Object>, String> = problem.objects.iter().map(|object| object.to_object()).collect();
        let options = CheckOptions { allowed: allowed.clone(), world: world.map_err(bad)?, ..CheckOptions::default() };
        let checker = Checker::new(arm.robot.clone(), options).map_err(|error| failed(arm, error))?;
        let mut state = checker.state();
        let ends = problem.ends(&arm.robot).map_err(|error| failed(arm, error))?;
        for (q, known) in ends.iter().zip([&known.mesh_coal.start, &known.mesh_coal.goal]) {
            let (found, spent) = timed(|| {
                let hits = checker.hits(&mut state, q)?;
                Ok((hits, checker.nearest(&mut state, q, Against::World)?))
            });
            let (hits, nearest) = found.map_err(|error| failed(arm, error))?;
            seconds += spent;
            answers.push(&(&hits, &nearest));
            let names = |with_world: bool| -> BTreeSet<[&str; 2]> {
                let pairs =
                    hits.iter().map(|&pair| &checker.pairs()[pair]).filter(|pair| pair.with_world == with_world);
                pairs.map(|pair| sorted([checker.name(pair.a), checker.name(pair.b)])).collect()
            };
            let expected = |pairs: &'_ [[String; 2]]| -> BTreeSet<[String; 2]> {
                pairs.iter().map(|[a, b]| sorted([a.clone(), b.clone()])).collect()
            };
            let same = |found: &BTreeSet<[&str; 2]>, known: &BTreeSet<[String; 2]>| {
                found.len() == known.len() && found.iter().all(|[a, b]| known.contains(&[a.to_string(), b.to_string()]))
            };
            meeting += u64::from(!hits.is_empty());
            if !same(&names(true), &expected(&known.env_collisions)) {
                wrong += 1;
                why.insert("links that meet the world");
            }
            if !same(&names(false), &expected(&known.self_collisions)) {
                wrong += 1;
                why.insert("links that meet");
            }
            if let (Some(nearest), true) = (nearest, known.env_collisions.is_empty()) {
                let expected = known.min_env_distance;
                worst = worst.max((nearest.value - expected).abs());
                if expected < nearest.lower - TOLERANCE || nearest.upper + TOLERANCE < expected {
                    // An upper bound that is proved refutes a larger one; a smaller one is refuted by every pair.
                    let pairs: Vec<usize> = match nearest.upper + TOLERANCE < expected {
                        true => vec![nearest.pair],
                        false => (0..checker.pairs().len()).filter(|&pair| checker.pairs()[pair].with_world).collect(),
                    };
                    match proves(&checker, &mut state, q, &pairs).map_err(|error| failed(arm, error))? {
                        true => known_wrong += 1,
                        false => {
                            wrong += 1;
                            why.insert("the least distance to the world");
                        }
                    }
                }
            }
        }
    }
    let count = 2 * known.len() as u64;
    let row = Row {
        case: format!("{}: starts and goals in their worlds", arm.name),
        ours: rounded(1e6 * seconds / count as f64, 1),
        unit: "us",
        peer: None,
        wrong,
        answers,
        more: vec![
            ("configurations", json!(count)),
            ("meeting", json!(meeting)),
            ("farthest_from_known", json!(worst)),
            ("peer_wrong", json!(known_wrong)),
            ("why", json!(why)),
        ],
    };
    Ok((row, count))
}

/// Whether the distances of these pairs are proved anew by other code.
fn proves(checker: &Checker, state: &mut State, q: &[f64], pairs: &[usize]) -> Result<bool, clearance_robot::Error> {
    let answers = checker.distances(state, q)?;
    for &pair in pairs {
        // What never moves was measured in the frame that carries it.
        if checker.pairs()[pair].moves {
            let ([a, b], [pose_a, pose_b]) = checker.bodies(state, q, pair)?;
            if answers[pair].verify(a, &pose_a, b, &pose_b).is_err() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn sorted<T: Ord>([a, b]: [T; 2]) -> [T; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

/// Both sides on random configurations: all for the question whether they meet, each `every`th for distances.
fn race(arm: &Arm, configurations: &[Vec<f64>], every: usize) -> Result<Vec<Row>, LabError> {
    let options = CheckOptions { allowed: arm.allowed(), ..CheckOptions::default() };
    let checker = Checker::new(arm.robot.clone(), options).map_err(|error| failed(arm, error))?;
    let variables: Vec<String> = arm.robot.variables().iter().map(|variable| variable.name.clone()).collect();
    let disabled: Vec<[String; 2]> = arm.srdf.disabled.iter().map(|pair| pair.links.clone()).collect();
    let peer = Pinocchio::start(&arm.urdf_with_full_paths, &disabled, &variables, configurations);
    let mut peer = peer.map_err(|problem| eprintln!("lab: no {NAME}: {problem}")).ok();
    let mut state = checker.state();
    // Batches in turn; a batch of distances is small, since a set takes the peer tens of milliseconds.
    let batch = configurations.len().div_ceil(8);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut met, mut differ, mut peer_wrong, mut met_by_all) = (0, 0, 0_u64, Digest::default());
    let quarrel = |problem: String| LabError::BadCall(format!("{NAME}: {problem}"));
    for begin in (0..configurations.len()).step_by(batch) {
        let end = (begin + batch).min(configurations.len());
        let piece = &configurations[begin..end];
        let mut answers = Vec::with_capacity(piece.len());
        let ask = |state: &mut _, q: &Vec<f64>| checker.first_hit(state, q).map(|hit| hit.is_some());
        for q in piece {
            ask(&mut state, q).map_err(|error| failed(arm, error))?;
        }
        let (done, spent) = timed(|| {
            for q in piece {
                answers.push(ask(&mut state, q)?);
            }
            Ok(())
        });
        done.map_err(|error| failed(arm, error))?;
        ours.push(1e6 * spent / piece.len() as f64);
        met += answers.iter().filter(|answer| **answer).count();
        for (number, answer) in (begin..).zip(&answers) {
            met_by_all.note(&number, answer);
        }
        if let Some(peer) = &mut peer {
            peer.collide(begin, end).map_err(quarrel)?;
            let (nanoseconds, said) = peer.collide(begin, end).map_err(quarrel)?;
            theirs.push(nanoseconds / 1e3 / piece.len() as f64);
            for (q, _) in piece.iter().zip(answers.iter().zip(&said)).filter(|(_, (ours, theirs))| ours != theirs) {
                let all: Vec<usize> = (0..checker.pairs().len()).collect();
                let hits = checker.hits(&mut state, q).map_err(|error| failed(arm, error))?;
                // Ours that meet are proved by their common point, ours that are free by every distance.
                let asked = if hits.is_empty() { &all } else { &hits };
                match proves(&checker, &mut state, q, asked).map_err(|error| failed(arm, error))? {
                    true => peer_wrong += 1,
                    false => differ += 1,
                }
            }
        }
    }
    let more = |count: usize, ours: &[f64], theirs: &[f64]| {
        let rate =
            |times: &[f64]| if times.is_empty() { json!(null) } else { json!((1e6 / median(times.to_vec())).round()) };
        vec![
            ("configurations", json!(count)),
            ("pairs", json!(checker.pairs().len())),
            ("our_rate_per_s", rate(ours)),
            ("their_rate_per_s", rate(theirs)),
        ]
    };
    let mut meets = more(configurations.len(), &ours, &theirs);
    meets.push(("meeting", json!(met)));
    meets.push(("peer_wrong", json!(peer_wrong)));
    let mut rows = vec![Row {
        case: format!("{}: meets itself", arm.name),
        ours: rounded(median(ours.clone()), 3),
        unit: "us",
        peer: peer_of(&ours, &theirs),
        wrong: differ,
        answers: met_by_all,
        more: meets,
    }];

    let chosen: Vec<usize> = (0..configurations.len()).step_by(every).collect();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut wrong, mut peer_wrong, mut worst, mut distances_of_all) = (0, 0_u64, 0.0_f64, Digest::default());
    // By a state of its own: what a quarrel with the peer asks below must not matter.
    let mut undisturbed = checker.state();
    for &number in &chosen {
        let answers = checker.distances(&mut undisturbed, &configurations[number]);
        distances_of_all.note(&number, &answers.map_err(|error| failed(arm, error))?);
    }
    for piece in chosen.chunks(5) {
        let mut answers = Vec::new();
        let (done, spent) = timed(|| {
            for &number in piece {
                answers.push(checker.distances(&mut state, &configurations[number])?);
            }
            Ok(())
        });
        done.map_err(|error| failed(arm, error))?;
        ours.push(1e6 * spent / piece.len() as f64);
        let Some(peer) = &mut peer else { continue };
        let mut nanoseconds = 0.0;
        for (&number, answers) in piece.iter().zip(&answers) {
            nanoseconds += peer.distances(number, number + 1).map_err(quarrel)?;
            let said = peer.values(number).map_err(quarrel)?;
            for (links, theirs) in peer.pairs.iter().zip(said) {
                let pair = checker.pairs().iter().position(|pair| {
                    sorted([checker.name(pair.a), checker.name(pair.b)])
                        == sorted([links[0].as_str(), links[1].as_str()])
                });
                match pair {
                    Some(pair) => {
                        let off = (answers[pair].gap.value - theirs.max(0.0)).abs();
                        worst = worst.max(off);
                        if off > TOLERANCE {
                            let q = &configurations[number];
                            let proved =
                                proves(&checker, &mut state, q, &[pair]).map_err(|error| failed(arm, error))?;
                            peer_wrong += u64::from(proved);
                            wrong += u64::from(!proved);
                        }
                    }
                    None => wrong += 1,
                }
            }
            // Pinocchio leaves out pairs that never move.
            let moving = checker.pairs().iter().filter(|pair| pair.moves).count();
            wrong += u64::from(peer.pairs.len() != moving);
        }
        theirs.push(nanoseconds / 1e3 / piece.len() as f64);
    }
    let mut distances = more(chosen.len(), &ours, &theirs);
    distances.push(("farthest_from_theirs", if peer.is_some() { json!(worst) } else { json!(null) }));
    distances.push(("peer_wrong", json!(peer_wrong)));
    rows.push(Row {
        case: format!("{}: all distances", arm.name),
        ours: rounded(median(ours.clone()), 1),
        unit: "us",
        peer: peer_of(&ours, &theirs),
        wrong,
        answers: distances_of_all,
        more: distances,
    });
    let (done, spent) = timed(|| checker.first_hits(configurations));
    let hits = done.map_err(|error| failed(arm, error))?;
    rows.push(Row {
        case: format!("{}: meets itself, a batch on all cores", arm.name),
        ours: rounded(1e6 * spent / configurations.len() as f64, 3),
        unit: "us",
        peer: None,
        wrong: u64::from(hits.iter().flatten().count() != met),
        answers: Digest::of_all(&hits),
        more: vec![
            ("configurations", json!(configurations.len())),
            ("our_rate_per_s", json!((configurations.len() as f64 / spent).round())),
        ],
    });
    Ok(rows)
}

fn peer_of(ours: &[f64], theirs: &[f64]) -> Option<Peer> {
    if theirs.is_empty() {
        return None;
    }
    let ratios = ours.iter().zip(theirs).map(|(ours, theirs)| theirs / ours);
    Some(Peer {
        name: NAME,
        theirs: rounded(median(theirs.to_vec()), 2),
        ratio: rounded(median(theirs.to_vec()) / median(ours.to_vec()), 2),
        worst_ratio: rounded(ratios.fold(f64::INFINITY, f64::min), 2),
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn small_robots_are_as_known() {
        crate::robots::made::assert_as_known("robot_speed", super::run, 12);
    }
}
