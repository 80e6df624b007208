//! The lab: every table of the project is one command, and every figure in it was checked while it was taken.

mod allocation;
mod compare;
mod contract;
mod depth_scenes;
mod digest;
mod error;
mod experiments;
mod fcl_data;
mod hierarchies;
mod linear_program;
mod measure;
mod mesh_scenes;
mod meshes;
mod models;
#[allow(dead_code, reason = "peers can be asked more than the experiments ask them")]
mod peers;
mod plot;
mod report;
mod robots;
mod separating_axes;
mod truth;
mod tumbling;

use clap::{Args, Parser, Subcommand};
use error::LabError;
use experiments::{ALL, Experiment, Flag, Options};
use report::Report;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The text of `lab help`.
const TEACH: &str = "\
How to use it:
  lab list                                         all experiments, and the flags each one takes
  lab run convex-distance --quick                  a smoke test; quick figures do not show how fast it is
  lab run convex-distance                          the full run, as a table
  lab run convex-distance --json > result.json     one JSON object; progress and remarks go to stderr
  lab run convex-distance --markdown               a table for docs/benchmarks.md, with commit, CPU and threads
  lab run hard-cases --data DATA                   an experiment on data that is not part of the repository
  lab compare before.json after.json               whether answers are bit-identical, and how times changed

Always measure a release build, and build with the peers to race against them:
  cargo run --release -p lab --features peers -- run convex-distance

How to read it:
  ours, theirs   medians, in the unit of the row
  ratio          theirs / ours: above 1 we are faster, below 1 we lose
  worst_ratio    the same for the least favourable part of the row
  answers        in the JSON only: how many answers of ours there are, and a hash of their contents
  wrong          answers that disagree with a known or proved one, brackets that do not hold, answers that `verify`
                 refuses, queries that allocate; the column `why` says which

Figures are drawn into target/lab/<experiment>.svg where an experiment has one.

Exit codes: 0 success, 1 wrong answers (summary.wrong is not 0), 2 missing data or invalid arguments.";

/// Experiments of Clearance: races against other libraries and checks against exact answers.
#[derive(Parser)]
#[command(name = "lab", version, after_help = TEACH)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the experiments with the flags each one takes
    List,
    /// Run one experiment
    Run(RunArguments),
    /// Compare the answers and times of runs before and after a change
    Compare(CompareArguments),
    /// Build one hull with the peer of hull-build; hull-build runs this to see whether the peer terminates
    #[command(hide = true)]
    ProbeHull { row: usize, count: usize, seed: u64 },
}

#[derive(Args)]
struct RunArguments {
    /// The experiment, as `lab list` names it
    name: String,
    /// Print one JSON object instead of a table
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a Markdown table for docs/benchmarks.md; not together with --quick
    #[arg(long)]
    markdown: bool,
    /// Path of the experiment's data
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Do a fraction of the work, as a smoke test
    #[arg(long)]
    quick: bool,
    /// Seed of all random input [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// The text of `lab compare --help`.
const COMPARE: &str = "\
Files are the output of `lab run NAME --json`; one file may hold the objects of several runs in sequence:
  for name in ray-shapes ccd-truth volume; do lab run $name --json; done > before.json

Rows are matched by experiment and case. Their answers are equal, different, missing (in the old files only) or
extra (in the new ones only); all but the equal ones are listed. Answers do not depend on the machine's load, the
number of threads or peers, but they do on --quick, --seed and --data: use the same for both sides.

For rows of times the ratio old / new follows (above 1: faster now), by the medians over the files of a side, and the
geometric mean of all. Times are only comparable if the runs alternated: old, new, old, new.

Exit codes: 0 all answers are equal, 1 some are different or missing, 2 nothing to compare.";

/// Either two files, or any number on each side.
#[derive(Args)]
#[command(after_help = COMPARE)]
struct CompareArguments {
    /// The file from before the change and the file from after it
    #[arg(value_name = "FILE", num_args = 2, required_unless_present = "old", conflicts_with_all = ["old", "new"])]
    files: Vec<PathBuf>,
    /// Files from before the change
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "new")]
    old: Vec<PathBuf>,
    /// Files from after the change
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "old")]
    new: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::List => {
            print(&list());
            ExitCode::SUCCESS
        }
        Command::ProbeHull { row, count, seed } => {
            experiments::hull_build::probe(row, count, seed);
            ExitCode::SUCCESS
        }
        Command::Compare(CompareArguments { files, old, new }) => {
            let (old, new) = if files.is_empty() { (&old[..], &new[..]) } else { files.split_at(1) };
            let outcome = compare::compare(old, new);
            match &outcome {
                Ok(comparison) => print(&comparison.to_text()),
                Err(error) => eprintln!("lab: {error}"),
            }
            ExitCode::from(outcome.map_or(2, |comparison| u8::from(!comparison.is_same())))
        }
        Command::Run(arguments) => {
            let outcome = run(&arguments);
            match &outcome {
                Ok(report) => present(report, &arguments),
                Err(error) => eprintln!("lab: {error}"),
            }
            ExitCode::from(exit_code(&outcome))
        }
    }
}

/// Runs the experiment that was asked for.
fn run(arguments: &RunArguments) -> Result<Report, LabError> {
    let experiment = experiments::find(&arguments.name)?;
    if arguments.markdown && arguments.quick {
        let message = "--markdown is for docs/benchmarks.md, and it takes no quick figures: omit --quick";
        return Err(LabError::BadCall(message.into()));
    }
    for flag in unheeded(experiment, arguments) {
        eprintln!("lab: {} does not use {}", experiment.name, flag.text());
    }
    let defaults = Options::default();
    (experiment.run)(&Options {
        data: arguments.data.clone(),
        quick: arguments.quick,
        seed: arguments.seed.unwrap_or(defaults.seed),
    })
}

/// The flags that were given although the experiment does not use them.
fn unheeded(experiment: &Experiment, arguments: &RunArguments) -> Vec<Flag> {
    let given = [
        (Flag::Data, arguments.data.is_some()),
        (Flag::Quick, arguments.quick),
        (Flag::Seed, arguments.seed.is_some()),
    ];
    let idle = |&(flag, given): &(Flag, bool)| given && !experiment.flags.contains(&flag);
    given.into_iter().filter(idle).map(|(flag, _)| flag).collect()
}

/// 0 all is well, 1 answers are wrong, 2 the experiment did not run.
fn exit_code(outcome: &Result<Report, LabError>) -> u8 {
    match outcome {
        Ok(report) if report.wrong() == 0 => 0,
        Ok(_) => 1,
        Err(_) => 2,
    }
}

/// Prints the report in the form asked for, and draws its figure.
fn present(report: &Report, arguments: &RunArguments) {
    let text = if arguments.json {
        format!("{}\n", report.to_json())
    } else if arguments.markdown {
        report.to_markdown()
    } else {
        report.to_text()
    };
    print(&text);
    if let Some(plot) = &report.plot {
        match draw(report.experiment, &plot.to_svg(&report.provenance.to_string())) {
            Ok(path) => eprintln!("lab: figure in {}", path.display()),
            Err(error) => eprintln!("lab: the figure could not be written: {error}"),
        }
    }
}

/// Where figures and what peers need go: target/lab of the checkout the program was built from, or of the current
/// folder without one.
fn output_folder() -> PathBuf {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).filter(|path| path.is_dir());
    checkout.unwrap_or(Path::new(".")).join("target/lab")
}

/// Writes a figure to the folder for them.
fn draw(experiment: &str, svg: &str) -> std::io::Result<PathBuf> {
    let folder = output_folder();
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{experiment}.svg"));
    std::fs::write(&path, svg)?;
    let here = std::env::current_dir()?;
    Ok(path.strip_prefix(here).map(Path::to_owned).unwrap_or(path))
}

/// The text of `lab list`.
fn list() -> String {
    let width = ALL.iter().map(|experiment| experiment.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Experiment { name, about, flags, .. } in ALL {
        let flags: Vec<&str> = flags.iter().map(|flag| flag.text()).chain(["--json", "--markdown"]).collect();
        let _ = writeln!(text, "{name:width$}  {about}");
        let _ = writeln!(text, "{:width$}  flags: {}", "", flags.join(", "));
    }
    text
}

/// Prints to stdout. A reader that has gone away, as in `lab list | head -1`, is not an error.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{Provenance, Row};

    fn report(wrong: u64) -> Report {
        let row = Row {
            case: "one".into(),
            ours: 1.0,
            unit: "ns",
            peer: None,
            wrong,
            answers: digest::Digest::default(),
            more: vec![],
        };
        let provenance = Provenance { commit: "abc".into(), modified: false, cpu: "A CPU".into(), threads: 1 };
        Report {
            experiment: "test",
            rows: vec![row],
            cases: 1,
            more: vec![],
            goals: vec![],
            markdown: None,
            plot: None,
            provenance,
        }
    }

    #[test]
    fn exit_codes() {
        assert_eq!(exit_code(&Ok(report(0))), 0);
        assert_eq!(exit_code(&Ok(report(2))), 1);
        assert_eq!(exit_code(&Err(LabError::BadCall("no".into()))), 2);
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn every_experiment_is_listed_once() {
        let text = list();
        for experiment in ALL {
            assert_eq!(text.lines().filter(|line| line.split_whitespace().next() == Some(experiment.name)).count(), 1);
            assert!(experiments::find(experiment.name).is_ok());
        }
    }
}
