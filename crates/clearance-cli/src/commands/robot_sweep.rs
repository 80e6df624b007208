//! `clearance robot sweep`: a trajectory of a robot, checked continuously.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clearance_check::Error;
use clearance_check::output::{Lines, json, short};
use clearance_check::robot::{Trajectory, read_trajectory};
use clearance_robot::{Checker, MotionClearance, MotionImpact, PathSweep, SweepOptions};
use clearance_view::{RobotPath, Scene};
use serde::Serialize;

use super::Outcome;
use super::robot::{Asked, degrees_hint};
use crate::input::read_text;
use crate::print;

/// Check a trajectory of a robot continuously: find the first impact, or prove that there is none. Between two
/// configurations every joint is interpolated linearly.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    asked: Asked,

    /// The trajectory, `-` for stdin: CSV with joint names in its first line and a column `time`; JSON; or a
    /// JointTrajectory of ROS and MoveIt as YAML (`joint_names`, and `points` with `positions` and `time_from_start`).
    /// Times must increase; without them, points are at 0, 1, 2 and so on.
    #[arg(long, value_name = "FILE")]
    trajectory: PathBuf,

    /// The shortest interval examined, as a fraction of a piece of the trajectory. What is not proved free at this
    /// length counts as an impact.
    #[arg(long, value_name = "FRACTION", default_value_t = 1e-6)]
    resolution: f64,

    /// The width of the bracket of the least clearance of a free trajectory, in metres.
    #[arg(long, value_name = "METRES", default_value_t = 1e-4)]
    clearance_tolerance: f64,

    /// Verify the answer by independent code before it is printed. Takes about a second per piece of the trajectory.
    #[arg(long)]
    verify: bool,
}

const EXAMPLES: &str = "\
Examples:
  clearance robot sweep panda.urdf --srdf panda.srdf --trajectory path.csv --world kitchen.glb
  clearance robot sweep arm.urdf --trajectory plan.yaml --padding 0.01 --json
  clearance robot sweep arm.urdf --trajectory timed.csv --world cell.glb --html motion.html

A trajectory with times, as CSV and as YAML:
  time,shoulder,elbow          joint_names: [shoulder, elbow]
  0,0deg,0deg                  points:
  2.5,90deg,-45deg             - {positions: [0, 0], time_from_start: {sec: 0, nanosec: 0}}
                               - {positions: [1.5708, -0.7854], time_from_start: 2.5}

Exit 1 if anything meets. Points beyond joint limits are checked like all others, and named.";

#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    robot: String,
    pairs: usize,
    configurations: usize,
    free: bool,
    /// Points of the trajectory that are beyond joint limits.
    beyond_limits: Vec<BeyondLimits>,
    impact: Option<Impact>,
    clearance: Option<Clearance>,
    stretches: u64,
    /// Whether the answer was verified (`--verify`). An answer that is refuted is an error instead.
    verified: bool,
    warnings: Vec<String>,
    notes: Vec<String>,
}

/// A configuration of the trajectory with variables beyond their limits.
#[derive(Debug, Serialize)]
struct BeyondLimits {
    configuration: usize,
    variables: Vec<String>,
}

/// The first impact.
#[derive(Debug, Serialize)]
struct Impact {
    a: String,
    b: String,
    /// Proved: nothing meets before this time. Without times, configurations are at 0, 1, 2 and so on.
    lower: f64,
    /// The end of the interval in question.
    upper: f64,
    /// Whether they were found to meet in it; if not, they come closer than the resolution can separate.
    met: bool,
    point: [f64; 3],
    q: Vec<f64>,
}

/// The least clearance of all pairs over the whole trajectory, less the padding.
#[derive(Debug, Serialize)]
struct Clearance {
    a: String,
    b: String,
    lower: f64,
    upper: f64,
    /// When `upper` is attained.
    at: f64,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let path = &arguments.trajectory;
    let (robot, srdf) = arguments.asked.load(Some(path))?;
    let Trajectory { points, times } = read_trajectory(path, &read_text(path)?, &robot)?;
    if points.len() < 2 {
        return Err(Error::format(path, format!("expected at least 2 configurations, got {}", points.len())));
    }
    let times = times.unwrap_or_else(|| (0..points.len()).map(|number| number as f64).collect());
    if let Some(at) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
        let (one, next) = (times[at], times[at + 1]);
        let problem = format!("times must increase: configuration {} is at {next}, after one at {one}", at + 1);
        return Err(Error::format(path, problem));
    }
    let mut notes = robot.notes().to_vec();
    notes.extend(degrees_hint(&robot, &points));
    let checker = arguments.asked.checker(robot, srdf.as_ref())?;
    let swept = sweep(&checker, &points, &times, arguments)?;
    let mut answer = Answer::of(&checker, &points, &swept, arguments.verify);
    (answer.warnings, answer.notes) = (arguments.asked.warnings(&checker, srdf.as_ref()), notes);
    arguments.asked.page(&answer.warnings, || {
        let mut scene = Scene::of_robot_path(&RobotPath::new(&checker, &points, &times)?, &swept)?;
        if let Some(limits) = answer.limits() {
            scene.verdict += &format!("; {limits}");
        }
        Ok(scene)
    })?;
    arguments.asked.write_files("robot", &answer, None)?;
    print::result(&if arguments.asked.json { json(&answer)? } else { text(&answer) })?;
    Ok(if answer.free { Outcome::Clean } else { Outcome::Findings })
}

fn sweep(checker: &Checker, points: &[Vec<f64>], times: &[f64], arguments: &Arguments) -> Result<PathSweep, Error> {
    let options = SweepOptions {
        resolution: arguments.resolution,
        clearance: Some(arguments.clearance_tolerance),
        ..SweepOptions::default()
    };
    let swept = checker.sweep_path(&mut checker.state(), points, Some(times), &options).map_err(Error::from)?;
    if arguments.verify {
        checker.verify_path(&swept, points, Some(times), &options).map_err(Error::from)?;
    }
    Ok(swept)
}

impl Answer {
    fn of(checker: &Checker, points: &[Vec<f64>], swept: &PathSweep, verified: bool) -> Answer {
        let names = |pair: usize| {
            let pair = &checker.pairs()[pair];
            (checker.name(pair.a).to_owned(), checker.name(pair.b).to_owned())
        };
        let impact = swept.impact.clone().map(|MotionImpact { pair, lower, upper, met, point, q }| {
            let (a, b) = names(pair);
            Impact { a, b, lower, upper, met, point: point.to_array(), q }
        });
        let clearance = swept.clearance.map(|MotionClearance { lower, upper, pair, at }| {
            let (a, b) = names(pair);
            Clearance { a, b, lower, upper, at }
        });
        let robot = checker.robot();
        let beyond = points.iter().enumerate().map(|(configuration, q)| {
            let named = robot.beyond_limits(q).into_iter().map(|number| robot.variables()[number].name.clone());
            BeyondLimits { configuration, variables: named.collect() }
        });
        Answer {
            schema: "clearance-robot-sweep/1",
            robot: robot.description().name.clone(),
            pairs: checker.pairs().len(),
            configurations: points.len(),
            beyond_limits: beyond.filter(|it| !it.variables.is_empty()).collect(),
            free: impact.is_none(),
            impact,
            clearance,
            stretches: swept.stretches,
            verified,
            warnings: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// How many configurations are beyond joint limits, if any are. Joints are interpolated linearly, so a motion
    /// between two within the limits stays within them.
    fn limits(&self) -> Option<String> {
        let names: BTreeSet<&str> =
            self.beyond_limits.iter().flat_map(|it| &it.variables).map(String::as_str).collect();
        let (beyond, all) = (self.beyond_limits.len(), self.configurations);
        let names: Vec<&str> = names.into_iter().collect();
        (beyond > 0).then(|| format!("{beyond} of {all} configurations beyond joint limits: {}", names.join(", ")))
    }
}

fn text(answer: &Answer) -> String {
    let mut out = Lines::default();
    out.line(format!("{}: {} configurations, {} pairs of bodies", answer.robot, answer.configurations, answer.pairs));
    for warning in &answer.warnings {
        out.line(format!("warning: {warning}"));
    }
    for note in &answer.notes {
        out.line(format!("note: {note}"));
    }
    if let Some(impact) = &answer.impact {
        let [x, y, z] = impact.point.map(short);
        let how = if impact.met { "meet" } else { "come closer than the resolution can separate" };
        out.line(format!("{} and {} {how}", impact.a, impact.b));
        out.line(format!("first     {} <= t <= {}, at ({x}, {y}, {z})", impact.lower, impact.upper));
    } else {
        let limits = answer.limits().map_or_else(String::new, |limits| format!("; {limits}"));
        out.line(format!("free, proved for all times{limits}"));
    }
    if let Some(limits) = answer.limits().filter(|_| answer.impact.is_some()) {
        out.line(limits);
    }
    if let Some(clearance) = &answer.clearance {
        let Clearance { a, b, .. } = clearance;
        let [lower, upper, at] = [clearance.lower, clearance.upper, clearance.at].map(short);
        out.line(format!("least clearance {lower} to {upper} m, {a} and {b} at t = {at}"));
    }
    if answer.verified {
        out.line("verified by independent code");
    }
    out.text()
}
