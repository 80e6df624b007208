//! `clearance robot acm`: which pairs of links need no check, sampled and proved.

use std::path::PathBuf;

use clearance_check::Error;
use clearance_check::output::{Lines, json, short};
use clearance_robot::{Matrix, MatrixOptions, Proof, Reason, Srdf};
use serde::Serialize;

use super::Outcome;
use super::robot::RobotSource;
use crate::destination::{self, Kind};
use crate::print;

/// Make the allowed-collision matrix of a robot: which pairs of links need no check. Pairs that no sample saw meet are put to the proof.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    which: RobotSource,

    /// An SRDF whose groups, states and other elements are kept; its pairs are replaced.
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,

    /// Where the SRDF goes; without it only the table is printed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How many random configurations are looked at.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    trials: u64,

    /// Where the random configurations begin.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Pairs that meet in at least this part of the configurations meet always.
    #[arg(long, value_name = "FRACTION", default_value_t = 1.0)]
    min_collision_fraction: f64,

    /// Disable pairs that meet in the default configuration: all joints at zero, or at the middle of their limits.
    #[arg(long)]
    default: bool,

    /// Disable pairs that meet always.
    #[arg(long)]
    always: bool,

    /// Keep the pairs of the SRDF, with their reasons.
    #[arg(long, requires = "srdf")]
    keep: bool,

    /// How many boxes of joint values a proof of `Never` may take for each pair; 0 for samples alone.
    #[arg(long, value_name = "BOXES", default_value_t = 20_000)]
    budget: u64,

    /// JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  clearance robot acm panda.urdf -o panda.srdf --default --always
  clearance robot acm panda.urdf --srdf panda.srdf --keep -o panda.srdf --trials 100000 --json

Options are those of MoveIt's collisions_updater. Links that a joint connects are always disabled.";

#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    robot: String,
    trials: u64,
    seed: u64,
    /// How many pairs of links need no check.
    disabled: usize,
    /// How many of those that never meet are proved never to.
    proved: usize,
    /// How many no sample saw meet that meet.
    refuted: usize,
    notes: Vec<String>,
    pairs: Vec<Pair>,
}

#[derive(Debug, Serialize)]
struct Pair {
    a: String,
    b: String,
    /// As SRDF has it; empty for pairs that are checked.
    reason: &'static str,
    /// In how many of the trials they met, each counted once.
    met: u64,
    /// The smallest distance seen, in metres; none where all others were nearer.
    smallest_distance: Option<f64>,
    /// `proved`, `refuted`, `open` or `none`.
    proof: &'static str,
    /// How many boxes the proof looked at.
    boxes: u64,
    /// Where a pair meets that no sample saw meet.
    meets_at: Option<Vec<f64>>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    // The SRDF may be brought up to date in its place.
    destination::check(arguments.output.as_deref().map(|path| (path, Kind::Srdf)), [arguments.which.urdf()])?;
    let robot = arguments.which.load()?;
    let name = robot.description().name.clone();
    let mut srdf = match &arguments.srdf {
        Some(path) => Srdf::read(path).map_err(Error::from)?,
        None => Srdf::empty(&name),
    };
    let options = MatrixOptions {
        trials: arguments.trials,
        seed: arguments.seed,
        min_collision_fraction: arguments.min_collision_fraction,
        default: arguments.default,
        always: arguments.always,
        budget: arguments.budget,
    };
    let matrix = Matrix::new(&robot, &options).map_err(Error::from)?;
    matrix.write(&robot, &mut srdf, arguments.keep);
    if let Some(path) = &arguments.output {
        destination::write(path, srdf.to_text())?;
    }
    let link = |number: usize| robot.description().links[number].name.clone();
    let pairs = matrix.pairs.iter().map(|pair| {
        let (proof, boxes, meets_at) = match &pair.proof {
            Proof::NotTried => ("none", 0, None),
            Proof::Proved { boxes } => ("proved", *boxes, None),
            Proof::Refuted { q } => ("refuted", 0, Some(q.clone())),
            Proof::Open { boxes } => ("open", *boxes, None),
        };
        Pair {
            a: link(pair.links[0]),
            b: link(pair.links[1]),
            reason: pair.reason.text(),
            met: pair.met,
            smallest_distance: pair.smallest.is_finite().then_some(pair.smallest),
            proof,
            boxes,
            meets_at,
        }
    });
    let count = |wanted: fn(&Proof) -> bool| matrix.pairs.iter().filter(|pair| wanted(&pair.proof)).count();
    let answer = Answer {
        schema: "clearance-robot-acm/1",
        robot: name,
        trials: matrix.trials,
        seed: matrix.seed,
        disabled: matrix.pairs.iter().filter(|pair| pair.reason != Reason::Checked).count(),
        proved: count(|proof| matches!(proof, Proof::Proved { .. })),
        refuted: count(|proof| matches!(proof, Proof::Refuted { .. })),
        notes: robot.notes().to_vec(),
        pairs: pairs.collect(),
    };
    print::result(&if arguments.json { json(&answer)? } else { text(&answer) })?;
    Ok(Outcome::Clean)
}

fn text(answer: &Answer) -> String {
    let mut out = Lines::default();
    out.line(format!(
        "{}: {} pairs of links, {} need no check; {} configurations from seed {}",
        answer.robot,
        answer.pairs.len(),
        answer.disabled,
        answer.trials,
        answer.seed
    ));
    for note in &answer.notes {
        out.line(format!("note: {note}"));
    }
    for pair in &answer.pairs {
        let reason = if pair.reason.is_empty() { "checked" } else { pair.reason };
        let proof = match pair.proof {
            "proved" => format!(", proved in {} boxes", pair.boxes),
            "refuted" => ", seen by no sample, but they meet".into(),
            "open" => format!(", sampled: not proved within {} boxes", pair.boxes),
            _ => String::new(),
        };
        let smallest =
            pair.smallest_distance.map_or_else(String::new, |least| format!(", nearest seen {} m", short(least)));
        out.line(format!("{reason:<9} {} and {}: met {} times{smallest}{proof}", pair.a, pair.b, pair.met));
    }
    out.line(format!(
        "{} of the pairs that never meet are proved, {} meet where no sample was",
        answer.proved, answer.refuted
    ));
    out.text()
}
