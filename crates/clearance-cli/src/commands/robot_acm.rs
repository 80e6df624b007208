//! `clearance robot acm`: which pairs of links need no check, by samples and proofs.

use std::path::PathBuf;

use clearance_check::Error;
use clearance_check::output::{Lines, json, short};
use clearance_robot::{Matrix, MatrixOptions, Proof, Reason, Srdf};
use serde::Serialize;

use super::Outcome;
use super::robot::{RobotSource, warnings};
use crate::destination::{self, Kind};
use crate::print;

/// Compute the allowed-collision matrix: which pairs of links need no check. Pairs that meet in no sample are then
/// proved never to meet, where that succeeds.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    which: RobotSource,

    /// An SRDF to update: its pairs are replaced, everything else is kept.
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,

    /// Write the SRDF to this file; without it, only print the table.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The number of random configurations.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    trials: u64,

    /// The seed of the random configurations.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Pairs that meet in at least this fraction of the configurations count as always meeting.
    #[arg(long, value_name = "FRACTION", default_value_t = 1.0)]
    min_collision_fraction: f64,

    /// Disable pairs that meet in the default configuration: joints at zero, or mid-range where zero is not allowed.
    #[arg(long)]
    default: bool,

    /// Disable pairs that always meet.
    #[arg(long)]
    always: bool,

    /// Keep the pairs of the SRDF, with their reasons.
    #[arg(long, requires = "srdf")]
    keep: bool,

    /// Disable `Never` pairs only if proved: pairs that no sample saw meet, and no proof covers, stay checked.
    #[arg(long)]
    proved_only: bool,

    /// The most boxes of joint values a proof of `Never` may take per pair; 0 for samples only.
    #[arg(long, value_name = "BOXES", default_value_t = 20_000)]
    budget: u64,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  clearance robot acm panda.urdf -o panda.srdf --default --always
  clearance robot acm panda.urdf --srdf panda.srdf --keep -o panda.srdf --trials 100000 --json
  clearance robot acm panda.urdf -o panda.srdf --proved-only --budget 200000

Options are those of MoveIt's collisions_updater. Links that a joint connects are always disabled. In the SRDF the
reason of a pair that never meets is `Never (proved)`, or `Never (sampled)` where only samples say so; the reason is
free text to MoveIt.";

#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    robot: String,
    trials: u64,
    seed: u64,
    /// How many pairs of links need no check.
    disabled: usize,
    /// How many of the disabled pairs are proved never to meet.
    proved: usize,
    /// How many of the disabled pairs never met in the samples, without a proof.
    sampled: usize,
    /// How many pairs met in no sample, but do meet: they stay checked.
    refuted: usize,
    warnings: Vec<String>,
    notes: Vec<String>,
    pairs: Vec<Pair>,
}

#[derive(Debug, Serialize)]
struct Pair {
    a: String,
    b: String,
    /// `Adjacent`, `Default`, `Always` or `Never`; empty for pairs that are checked.
    reason: &'static str,
    /// The number of configurations in which they met.
    met: u64,
    /// The smallest distance seen, in metres; null if another pair was always closer.
    smallest_distance: Option<f64>,
    /// `proved`, `refuted`, `open` or `none`.
    proof: &'static str,
    /// The number of boxes the proof examined.
    boxes: u64,
    /// A configuration in which a refuted pair meets.
    meets_at: Option<Vec<f64>>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    // The SRDF may be updated in place.
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
    let mut matrix = Matrix::new(&robot, &options).map_err(Error::from)?;
    if arguments.proved_only {
        matrix.retain_proved();
    }
    // Pairs that are replaced need no warning.
    let warnings = warnings(&robot, Some(&srdf).filter(|_| arguments.keep), arguments.json);
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
        sampled: matrix.pairs.iter().filter(|pair| pair.is_sampled()).count(),
        refuted: count(|proof| matches!(proof, Proof::Refuted { .. })),
        warnings,
        notes: robot.notes().to_vec(),
        pairs: pairs.collect(),
    };
    print::result(&if arguments.json { json(&answer)? } else { text(&answer) })?;
    Ok(Outcome::Clean)
}

fn text(answer: &Answer) -> String {
    let mut out = Lines::default();
    out.line(format!(
        "{}: {} pairs of links, {} need no check; {} random configurations, seed {}",
        answer.robot,
        answer.pairs.len(),
        answer.disabled,
        answer.trials,
        answer.seed
    ));
    for warning in &answer.warnings {
        out.line(format!("warning: {warning}"));
    }
    for note in &answer.notes {
        out.line(format!("note: {note}"));
    }
    for pair in &answer.pairs {
        let reason = if pair.reason.is_empty() { "checked" } else { pair.reason };
        let proof = match pair.proof {
            "proved" => format!(", proved in {} boxes", pair.boxes),
            "refuted" => ", met in no sample, but does meet".into(),
            "open" => format!(", sampled only: not proved within {} boxes", pair.boxes),
            _ if pair.reason == "Never" => ", sampled only".into(),
            _ => String::new(),
        };
        let smallest = pair
            .smallest_distance
            .map_or_else(String::new, |least| format!(", smallest distance seen {} m", short(least)));
        out.line(format!("{reason:<9} {} and {}: met {} times{smallest}{proof}", pair.a, pair.b, pair.met));
    }
    out.line(format!(
        "never meeting: {} proved, {} sampled only; {} met in no sample, but do meet",
        answer.proved, answer.sampled, answer.refuted
    ));
    out.text()
}
