//! Motions of robots: how many continuous checks a second, and how many motions that samples call free are not.
//!
//! Each problem of MotionBenchMaker gives a world and a start; motions lead from there, and from the goal, to random
//! configurations near it, with joints interpolated linearly. Samples at 10 and at 100 steps are tested first. An
//! impact that a sample sees has to be found, no later than the sample; a motion that is proved free has to be free at
//! a thousand samples. The answer for every eighth motion is verified by other code (`verify_sweep`), which takes about
//! a hundred times as long; a refusal counts as wrong.
//!
//! Long chains and large worlds are raced with and without groups of bodies (`Culling`), beside the arms in a world:
//! snakes of 10, 30 and 100 joints with small and larger motions, one of 10 among 2000 boxes, and Talos if the data has
//! it. An answer that is not the same to the bit counts as wrong.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::report::{Report, Row, rounded};
use crate::robots::{Arm, known_robots, problems};
use clearance::glam::DVec3;
use clearance::{Pose, Shape};
use clearance_robot::{Allowed, CheckOptions, Checker, Culling, LoadOptions, Object, Robot, SweepOptions};
use serde_json::json;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "robot-motion",
    about: "robots: continuous checks of motions a second, and how many motions that samples call free are not",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// One motion of so many is proved anew.
const PROVED: usize = 8;

/// What `--data` has to point to.
const WANTED: &str = "the folder with the folders `robots` (a folder for each robot, with its URDF and SRDF) and \
     `motion_planning` \
     (ROBOT_problems.json and expected_ROBOT.json, for each robot to be moved)";

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
        let count = if options.quick { 10 } else { 140 };
        let (found, asked) = motions(&arm, &planning, count, options.seed)?;
        cases += asked;
        rows.extend(found);
        // What groups cost where there is little to group.
        let world = problems(&planning, &name)?.first().map_or(Ok(Vec::new()), |(problem, _)| {
            let bad = |problem: String| LabError::BadCase { case: "0".into(), field: "objects".into(), problem };
            problem.objects.iter().map(|object| object.to_object().map_err(bad)).collect::<Result<Vec<_>, _>>()
        })?;
        let (case, allowed, count) = (format!("{name}, groups"), arm.allowed(), if options.quick { 3 } else { 100 });
        rows.push(in_groups(case, arm.robot, Some(allowed), world, 0.1, [count, 0], options.seed)?);
        cases += count as u64;
    }
    let count = if options.quick { 3 } else { 25 };
    for joints in [10, 30, 100] {
        for (how_far, part) in [("a little", 0.02), ("more", 0.2)] {
            let case = format!("snake of {joints} joints, {how_far}");
            // To prove all 4,950 pairs of the longest anew takes too long.
            let proofs = if joints < 100 { count / 10 + 1 } else { 0 };
            rows.push(in_groups(case, snake(joints)?, None, Vec::new(), part, [count, proofs], options.seed)?);
            cases += count as u64;
        }
    }
    let among = "snake of 10 joints among 2000 boxes".to_owned();
    rows.push(in_groups(among, snake(10)?, None, boxes()?, 0.2, [count, 0], options.seed)?);
    cases += count as u64;
    if robots.join("talos").is_dir() {
        let talos = Arm::load(&robots, "talos")?;
        let allowed = talos.allowed();
        rows.push(in_groups("talos".into(), talos.robot, Some(allowed), Vec::new(), 0.1, [count, 1], options.seed)?);
        cases += count as u64;
    }
    Ok(Report::plain(EXPERIMENT.name, rows, cases, 1))
}

/// A snake of capsules a tenth long, each turned against the one before it about y and z in turns.
fn snake(joints: usize) -> Result<Robot, LabError> {
    let link = |link: usize| {
        format!(
            "<link name='l{link}'><collision><origin xyz='0.05 0 0' rpy='0 1.5707963267948966 0'/>\
             <geometry><capsule radius='0.02' length='0.06'/></geometry></collision></link>"
        )
    };
    let joint = |joint: usize| {
        let axis = if joint.is_multiple_of(2) { "0 1 0" } else { "0 0 1" };
        format!(
            "<joint name='j{joint}' type='revolute'><parent link='l{joint}'/><child link='l{}'/><origin xyz='0.1 0 0'/>\
             <axis xyz='{axis}'/><limit lower='-1.5' upper='1.5'/></joint>",
            joint + 1
        )
    };
    let (links, joints): (String, String) = ((0..=joints).map(link).collect(), (0..joints).map(joint).collect());
    Robot::parse("snake.urdf", &format!("<robot name='snake'>{links}{joints}</robot>"), &LoadOptions::default())
        .map_err(|error| LabError::BadData { path: "snake.urdf".into(), problem: error.to_string() })
}

/// Two thousand boxes on a lattice, each turned another way.
fn boxes() -> Result<Vec<Object>, LabError> {
    let bad = |error: clearance::Error| LabError::BadData { path: "boxes".into(), problem: error.to_string() };
    let object = |number: usize| {
        let cell = [number % 20, number / 20 % 10, number / 200].map(|cell| cell as f64);
        let place = 0.3 * (DVec3::from_array(cell) - DVec3::new(6.0, 4.6, 4.6));
        Ok(Object {
            name: format!("box {number}"),
            shape: Shape::cuboid(DVec3::new(0.03, 0.02, 0.01)).map_err(bad)?,
            pose: Pose::from_axis_angle(DVec3::new(1.0, 0.3, -0.5), number as f64, place).map_err(bad)?,
        })
    };
    (0..2000).map(object).collect()
}

/// Motions of a robot with and without groups of bodies: how many, and how many of them are verified. Pairs that meet
/// in the default configuration are left out.
fn in_groups(
    case: String,
    robot: Robot,
    allowed: Option<Allowed>,
    world: Vec<Object>,
    part: f64,
    [count, proofs]: [usize; 2],
    seed: u64,
) -> Result<Row, LabError> {
    let failed =
        |error: clearance_robot::Error| LabError::BadData { path: case.clone().into(), problem: error.to_string() };
    let rest = robot.middle();
    let mut options = CheckOptions { world, ..CheckOptions::default() };
    options.allowed = allowed.unwrap_or_else(|| Allowed::adjacent(&robot));
    let checker = Checker::new(robot.clone(), options.clone()).map_err(failed)?;
    for hit in checker.hits(&mut checker.state(), &rest).map_err(failed)? {
        let pair = checker.pairs()[hit];
        options.world.retain(|object| object.name != checker.name(pair.b));
        if !pair.with_world {
            options.allowed.insert(pair.a, pair.b);
        }
    }
    let checker = Checker::new(robot, options).map_err(failed)?;
    let mut seconds = [Vec::new(), Vec::new()];
    let (mut stretches, mut answers) = ([0, 0], Digest::default());
    let (mut free, mut wrong, mut proved, mut why) = (0, 0, 0, None);
    for (number, target) in checker.robot().random_configurations(seed, count).iter().enumerate() {
        let to: Vec<f64> = rest.iter().zip(target).map(|(from, to)| from + part * (to - from)).collect();
        let mut found = Vec::new();
        for (which, culling) in [Culling::Groups, Culling::Pairs].into_iter().enumerate() {
            let options = SweepOptions { culling, ..SweepOptions::default() };
            let mut state = checker.state();
            let (swept, spent) = timed(|| checker.sweep(&mut state, &rest, &to, &options));
            let swept = swept.map_err(failed)?;
            seconds[which].push(1e6 * spent);
            stretches[which] += swept.stretches;
            found.push(swept);
        }
        answers.note(&number, &found);
        free += u64::from(found[0].impact.is_none());
        wrong += u64::from(found[0].impact != found[1].impact);
        if number < proofs {
            proved += 1;
            if let Err(refusal) = checker.verify_sweep(&found[0], &rest, &to, &SweepOptions::default()) {
                wrong += 1;
                why.get_or_insert(refusal.to_string());
            }
        }
    }
    let [groups, pairs] = seconds.map(median);
    Ok(Row {
        case,
        ours: rounded(groups, 1),
        unit: "us",
        peer: None,
        wrong,
        answers,
        more: vec![
            ("pairs", json!(checker.pairs().len())),
            ("motions", json!(count)),
            ("free", json!(free)),
            ("us_without_groups", json!(rounded(pairs, 1))),
            ("stretches", json!(stretches[0])),
            ("stretches_without_groups", json!(stretches[1])),
            ("proved_anew", json!(proved)),
            ("why", json!(why)),
        ],
    })
}

/// What was seen of motions of one length.
#[derive(Default)]
struct Seen {
    microseconds: Vec<f64>,
    free: u64,
    /// Not free, though 10 and 100 samples were.
    missed: [u64; 2],
    /// Called free by 10 and 100 samples.
    called_free: [u64; 2],
    /// Impacts that came too near to tell.
    close: u64,
    /// Proved anew, and how many of them were refused, with the first reason.
    proved: u64,
    refused: u64,
    why: Option<String>,
    seconds_of_proofs: f64,
    wrong: u64,
    answers: Digest,
}

fn motions(arm: &Arm, planning: &std::path::Path, count: usize, seed: u64) -> Result<(Vec<Row>, u64), LabError> {
    let failed = |error: clearance_robot::Error| LabError::BadData {
        path: arm.robot.description().path.clone(),
        problem: error.to_string(),
    };
    let known = problems(planning, &arm.name)?;
    let every = (known.len() / count).max(1);
    let targets = arm.robot.random_configurations(seed, 2 * known.len());
    let mut seen = [("short", 0.1, Seen::default()), ("long", 0.5, Seen::default())];
    for (number, (problem, _)) in known.iter().enumerate().step_by(every) {
        let bad = |problem: String| LabError::BadCase { case: number.to_string(), field: "objects".into(), problem };
        let world: Result<Vec<Object>, String> = problem.objects.iter().map(|object| object.to_object()).collect();
        let options = CheckOptions { allowed: arm.allowed(), world: world.map_err(bad)?, ..CheckOptions::default() };
        let checker = Checker::new(arm.robot.clone(), options).map_err(failed)?;
        let mut state = checker.state();
        for (end, from) in problem.ends(&arm.robot).map_err(failed)?.iter().enumerate() {
            let target = &targets[2 * number + end];
            for (_, part, seen) in &mut seen {
                let at = |time: f64| -> Vec<f64> {
                    from.iter().zip(target).map(|(from, to)| from + time * *part * (to - from)).collect()
                };
                let (swept, spent) = timed(|| checker.sweep(&mut state, from, &at(1.0), &SweepOptions::default()));
                let swept = swept.map_err(failed)?;
                seen.answers.note(&(number, end), &swept);
                seen.microseconds.push(1e6 * spent);
                if seen.microseconds.len() % PROVED == 1 {
                    let (proof, spent) =
                        timed(|| checker.verify_sweep(&swept, from, &at(1.0), &SweepOptions::default()));
                    seen.seconds_of_proofs += spent;
                    seen.proved += 1;
                    if let Err(refusal) = proof {
                        seen.refused += 1;
                        seen.wrong += 1;
                        seen.why.get_or_insert(refusal.to_string());
                    }
                }
                let mut first = |steps: u32| {
                    for step in 0..=steps {
                        let time = f64::from(step) / f64::from(steps);
                        if checker.first_hit(&mut state, &at(time))?.is_some() {
                            return Ok(Some(time));
                        }
                    }
                    Ok(None)
                };
                let sampled = [first(10).map_err(failed)?, first(100).map_err(failed)?];
                match &swept.impact {
                    None => {
                        seen.free += 1;
                        let fine = first(1000).map_err(failed)?;
                        seen.wrong += u64::from(fine.is_some() || sampled.iter().any(Option::is_some));
                    }
                    Some(impact) => {
                        seen.close += u64::from(!impact.met);
                        seen.wrong += u64::from(sampled.iter().flatten().any(|time| *time < impact.lower - 1e-12));
                        for (missed, sampled) in seen.missed.iter_mut().zip(&sampled) {
                            *missed += u64::from(sampled.is_none() && impact.met);
                        }
                    }
                }
                for (called_free, sampled) in seen.called_free.iter_mut().zip(&sampled) {
                    *called_free += u64::from(sampled.is_none());
                }
            }
        }
    }
    let mut cases = 0;
    let rows = seen.into_iter().map(|(length, _, seen)| {
        cases += seen.microseconds.len() as u64;
        let middle = median(seen.microseconds.clone());
        let mean = seen.microseconds.iter().sum::<f64>() / seen.microseconds.len() as f64;
        Row {
            case: format!("{}: {length} motions", arm.name),
            ours: rounded(middle, 1),
            unit: "us",
            peer: None,
            wrong: seen.wrong,
            answers: seen.answers,
            more: vec![
                ("motions", json!(seen.microseconds.len())),
                ("motions_per_s", json!((1e6 / mean).round())),
                ("free", json!(seen.free)),
                ("free_by_10_samples", json!(seen.called_free[0])),
                ("of_these_not_free", json!(seen.missed[0])),
                ("free_by_100_samples", json!(seen.called_free[1])),
                ("of_these_not_free_100", json!(seen.missed[1])),
                ("too_close_to_tell", json!(seen.close)),
                ("proved_anew", json!(seen.proved)),
                ("refused", json!(seen.refused)),
                ("why", json!(seen.why)),
                ("ms_per_proof", json!(rounded(1e3 * seen.seconds_of_proofs / seen.proved.max(1) as f64, 1))),
            ],
        }
    });
    let rows: Vec<Row> = rows.collect();
    Ok((rows, cases))
}

#[cfg(test)]
mod tests {
    #[test]
    fn small_robots_are_as_known() {
        crate::robots::made::assert_as_known("robot_motion", super::run, 16);
    }
}
