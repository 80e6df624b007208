//! `clearance robot sweep`: a trajectory of a robot, with nothing missed between its points.

use std::path::PathBuf;

use clearance_check::Error;
use clearance_check::output::{Lines, json, short};
use clearance_check::robot::read_configurations;
use clearance_robot::{Checker, MotionClearance, MotionImpact, PathSweep, SweepOptions};
use clearance_view::{RobotPath, Scene};
use serde::Serialize;

use super::Outcome;
use super::robot::Asked;
use crate::input::read_text;
use crate::print;

/// Check a trajectory of a robot continuously: the first impact, or the proof that there is none. Between two configurations every joint
/// moves in a straight line.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    asked: Asked,

    /// A file of configurations, or `-`: as `--configs` of `clearance robot check`. A column `time` gives times, which then are what is
    /// reported; they have to increase.
    #[arg(long, value_name = "FILE")]
    trajectory: PathBuf,

    /// The shortest stretch that is looked at, as a part of a piece of the trajectory. What cannot be shown to be free at this length counts as
    /// an impact.
    #[arg(long, value_name = "FRACTION", default_value_t = 1e-6)]
    resolution: f64,

    /// The width of the bracket of the least clearance of a free trajectory, in metres.
    #[arg(long, value_name = "METRES", default_value_t = 1e-4)]
    clearance_tolerance: f64,

    /// Prove what was found anew, by other code, before it is printed. Takes a second or so for each piece of the trajectory.
    #[arg(long)]
    verify: bool,
}

const EXAMPLES: &str = "\
Examples:
  clearance robot sweep panda.urdf --srdf panda.srdf --trajectory path.csv --world kitchen.glb
  clearance robot sweep arm.urdf --trajectory timed.csv --padding 0.01 --json
  clearance robot sweep arm.urdf --trajectory timed.csv --world cell.glb --html motion.html

Exit 1 if anything meets.";

#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    robot: String,
    pairs: usize,
    configurations: usize,
    free: bool,
    impact: Option<Impact>,
    clearance: Option<Clearance>,
    stretches: u64,
    /// Whether all of it was proved anew, by other code: with `--verify`. If a claim does not hold there is an error and no answer.
    verified: bool,
    notes: Vec<String>,
}

/// The first impact.
#[derive(Debug, Serialize)]
struct Impact {
    a: String,
    b: String,
    /// Nothing meets before this time, proved. Without a column `time`, configurations are at 0, 1, 2 and so on.
    lower: f64,
    /// The end of the stretch in question.
    upper: f64,
    /// Whether they were seen to meet in it; if not, they come nearer than the resolution tells.
    met: bool,
    point: [f64; 3],
    q: Vec<f64>,
}

/// The least gap of all pairs over the whole trajectory, less the padding.
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
    let (text_of_file, times) = without_times(&read_text(path)?).map_err(|problem| Error::format(path, problem))?;
    let points = read_configurations(path, &text_of_file, &robot)?;
    if points.len() < 2 {
        return Err(Error::format(path, format!("{} configurations, where at least 2 are meant", points.len())));
    }
    let times = times.unwrap_or_else(|| (0..points.len()).map(|number| number as f64).collect());
    if times.len() != points.len() || !times.windows(2).all(|pair| pair[0] < pair[1]) {
        return Err(Error::format(path, "its times do not increase, or there is not one for each configuration"));
    }
    let checker = arguments.asked.checker(robot, srdf.as_ref())?;
    let swept = sweep(&checker, &points, &times, arguments)?;
    arguments.asked.page(|| Scene::of_robot_path(&RobotPath::new(&checker, &points, &times)?, &swept))?;
    let answer = Answer::of(&checker, points.len(), swept, arguments.verify);
    arguments.asked.write_files("robot", &answer, None)?;
    print::result(&if arguments.asked.json { json(&answer)? } else { text(&answer) })?;
    Ok(if answer.free { Outcome::Clean } else { Outcome::Findings })
}

/// The text without its column of times, and the column, if there is one.
fn without_times(text: &str) -> Result<(String, Option<Vec<f64>>), String> {
    let separators = [',', ';', '\t', ' '];
    let words = |line: &str| -> Vec<String> {
        line.split(separators).map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
    };
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let column = lines().next().and_then(|first| words(first).iter().position(|word| word == "time" || word == "t"));
    let Some(column) = column else { return Ok((text.to_owned(), None)) };
    let (mut rest, mut times) = (String::new(), Vec::new());
    for (number, line) in lines().enumerate() {
        let mut words = words(line);
        if column >= words.len() {
            return Err(format!("line {} of its numbers has no time", number + 1));
        }
        let time = words.remove(column);
        if number > 0 {
            times.push(time.parse().map_err(|_| format!("the time `{time}` is no number"))?);
        }
        rest += &words.join(",");
        rest.push('\n');
    }
    Ok((rest, Some(times)))
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
    fn of(checker: &Checker, configurations: usize, swept: PathSweep, verified: bool) -> Answer {
        let names = |pair: usize| {
            let pair = &checker.pairs()[pair];
            (checker.name(pair.a).to_owned(), checker.name(pair.b).to_owned())
        };
        let impact = swept.impact.map(|MotionImpact { pair, lower, upper, met, point, q }| {
            let (a, b) = names(pair);
            Impact { a, b, lower, upper, met, point: point.to_array(), q }
        });
        let clearance = swept.clearance.map(|MotionClearance { lower, upper, pair, at }| {
            let (a, b) = names(pair);
            Clearance { a, b, lower, upper, at }
        });
        Answer {
            schema: "clearance-robot-sweep/1",
            robot: checker.robot().description().name.clone(),
            pairs: checker.pairs().len(),
            configurations,
            free: impact.is_none(),
            impact,
            clearance,
            stretches: swept.stretches,
            verified,
            notes: checker.robot().notes().to_vec(),
        }
    }
}

fn text(answer: &Answer) -> String {
    let mut out = Lines::default();
    out.line(format!("{}: {} configurations, {} pairs of bodies", answer.robot, answer.configurations, answer.pairs));
    for note in &answer.notes {
        out.line(format!("note: {note}"));
    }
    if let Some(impact) = &answer.impact {
        let [x, y, z] = impact.point.map(short);
        let how = if impact.met { "meet" } else { "come nearer than the resolution tells" };
        out.line(format!("{} and {} {how}", impact.a, impact.b));
        out.line(format!("first     {} <= t <= {}, at ({x}, {y}, {z})", impact.lower, impact.upper));
    } else {
        out.line("free, proved for all times");
    }
    if let Some(clearance) = &answer.clearance {
        let Clearance { a, b, .. } = clearance;
        let [lower, upper, at] = [clearance.lower, clearance.upper, clearance.at].map(short);
        out.line(format!("least gap {lower} <= gap <= {upper} m, {a} and {b} at t = {at}"));
    }
    if answer.verified {
        out.line("proved anew, by other code");
    }
    out.text()
}
