//! The command line: one module per command.
//!
//! Results go to stdout, everything else to stderr, through [`crate::print`]. Exit 0: clean; 1: findings; 2: an error.

mod check;
mod depth;
mod diff;
mod distance;
mod explain;
mod explain_levels;
mod formats;
mod info;
mod man;
mod merge;
mod moved;
mod output;
mod path;
mod render;
mod robot;
mod robot_acm;
mod robot_check;
mod robot_info;
mod robot_sweep;
mod self_meeting;
mod suggest;
mod sweep;
mod sweep_rigid;
mod tets;
mod trees;
mod two;
mod values;
mod volume;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clearance_check::output::escape::visible;
use clearance_check::{Error, Report};
use clearance_view::{Budget, Scene};

use crate::destination;
use crate::input::read_text;
use crate::print;

/// Which parts of an assembly clash, touch or come too close, with a proof around every number.
#[derive(Debug, Parser)]
#[command(name = "clearance", version, propagate_version = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  clearance check gearbox.glb                          which parts clash or touch; exit 1 if any do
  clearance check gearbox.glb --clearance 0.5 --unit mm
  clearance info part.stl                              parts, units, sizes, defects of meshes
  clearance distance a.stl b.stl --pose '0 0 12.5'     the gap, proved
  clearance depth a.stl b.stl                          how deep they overlap, and the way out
  clearance volume a.stl b.stl                         how much they have in common
  clearance explain distance a.stl b.stl -o x.html     which bounding volumes a query visits
  clearance self part.stl                              which triangles of a mesh meet each other
  clearance sweep cloth-0.ply cloth-1.ply              what collides between two frames
  clearance tets liver.msh needle.msh                  where meshes of tetrahedra meet
  clearance robot check arm.urdf --srdf arm.srdf --configs path.csv
  clearance check new.glb -o new.json -o new.html      the report as JSON and as an interactive page
  clearance render new.json -o new.xml                 other formats of a report
  clearance diff old.json new.json                     what changed between two reports
  clearance check big.glb --shard 1/2 -o 1.json        half of a check; clearance merge 1.json 2.json is the whole

Exit codes: 0 clean, 1 findings, 2 error. Neither a closed stdout nor a stderr that cannot be written to is an error.";

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Arguments),
    Merge(merge::Arguments),
    Info(info::Arguments),
    Distance(distance::Arguments),
    Depth(depth::Arguments),
    Volume(volume::Arguments),
    Explain(explain::Arguments),
    Render(render::Arguments),
    Diff(diff::Arguments),
    Suggest(suggest::Arguments),
    #[command(name = "self")]
    SelfMeeting(self_meeting::Arguments),
    Sweep(sweep::Arguments),
    Tets(tets::Arguments),
    Robot(robot::Arguments),
    Completions(Completions),
    Man(man::Arguments),
}

/// Print a script that completes commands and options in a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  clearance completions bash > ~/.local/share/bash-completion/completions/clearance")]
struct Completions {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Runs a command line, the name of the program included, and returns the exit code. Writes to stdout and stderr.
///
/// ```
/// let code = clearance_cli::run(["clearance", "check", "nowhere.stl"]);
/// assert_eq!(format!("{code:?}"), format!("{:?}", std::process::ExitCode::from(2)));
/// ```
pub fn run<T: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = T>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(answer) => {
            // The message repeats arguments, and a file name may hold anything: format it again from visible text.
            let shown = arguments.iter().map(|argument| visible(&argument.to_string_lossy()).into_owned());
            let answer = Cli::try_parse_from(shown).err().unwrap_or(answer);
            return if print::usage(&answer) { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let done = match &cli.command {
        Command::Check(arguments) => check::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Distance(arguments) => distance::run(arguments),
        Command::Depth(arguments) => depth::run(arguments),
        Command::Volume(arguments) => volume::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Render(arguments) => render::run(arguments),
        Command::Diff(arguments) => diff::run(arguments),
        Command::Suggest(arguments) => suggest::run(arguments),
        Command::SelfMeeting(arguments) => self_meeting::run(arguments),
        Command::Sweep(arguments) => sweep::run(arguments),
        Command::Tets(arguments) => tets::run(arguments),
        Command::Robot(arguments) => robot::run(arguments),
        Command::Completions(arguments) => completions(arguments),
        Command::Man(arguments) => man::run(arguments),
    };
    match done {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Ok(Outcome::Failed) => ExitCode::from(2),
        Err(error) => {
            print::error(&error);
            ExitCode::from(2)
        }
    }
}

/// The outcome of a command.
enum Outcome {
    Clean,
    Findings,
    Failed,
}

fn completions(arguments: &Completions) -> Result<Outcome, Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "clearance", &mut script);
    print::result(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Clean)
}

/// The error for an answer that independent code could not verify.
fn does_not_hold(refusal: &clearance::verify::Refusal) -> Error {
    Error::Usage(format!("the answer could not be verified: {refusal}; please report this"))
}

/// Writes a page.
fn write_page(path: &Path, scene: &Scene) -> Result<(), Error> {
    destination::write(path, scene.page(&Budget::default())?)
}

/// Reads the report of a whole check; `-` is stdin.
fn read_report(path: &Path) -> Result<Report, Error> {
    let report = read_whole_or_shard(path)?;
    match &report.shard {
        None => Ok(report),
        Some(shard) => Err(Error::format(
            path,
            format!(
                "of shard {} of {} only: make one report of all with `clearance merge`, and use that",
                shard.number, shard.of
            ),
        )),
    }
}

/// Reads a report, of a shard too; `-` is stdin.
fn read_whole_or_shard(path: &Path) -> Result<Report, Error> {
    Report::parse(path, &read_text(path)?)
}
