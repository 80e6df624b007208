//! `clearance diff`: what changed between two checks.

use std::path::PathBuf;

use clearance_check::{Diff, Error, Form};

use super::formats::{Format, by_ending, can_write};
use super::{Outcome, read_report};
use crate::{destination, print};

/// Compare two reports of `clearance check`: findings that are new, worse, persistent or resolved. Exit 1 if any is new
/// or worse.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  clearance check new.glb -o new.json; clearance diff old.json new.json -o diff.md")]
pub(super) struct Arguments {
    /// The earlier report; `-` is stdin.
    old: PathBuf,

    /// The later report.
    new: PathBuf,

    /// Also write the changes to FILE, in the format of its ending: .json, .csv, .md or .xml (JUnit). Repeatable.
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Print JSON.
    #[arg(long, conflicts_with = "md")]
    json: bool,

    /// Print Markdown, for a comment on a pull request.
    #[arg(long)]
    md: bool,

    /// Exit 0 even if there are new findings.
    #[arg(long)]
    exit_zero: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let known = [Format::Json, Format::Csv, Format::Markdown, Format::Junit];
    let files = by_ending(&arguments.output, &known)?;
    can_write(&files, [arguments.old.as_path(), &arguments.new])?;
    let (old, new) = (read_report(&arguments.old)?, read_report(&arguments.new)?);
    let diff = Diff::between(&old, &new);
    for (path, form) in files.iter().filter_map(|&(path, format)| Some((path, format.form()?))) {
        destination::write(path, diff.write(form)?)?;
    }
    let form = match (arguments.json, arguments.md) {
        (true, _) => Form::Json,
        (_, true) => Form::Markdown,
        _ => Form::Text,
    };
    print::result(&diff.write(form)?)?;
    let is_worse = !diff.new.is_empty() || !diff.worse.is_empty();
    Ok(if is_worse && !arguments.exit_zero { Outcome::Findings } else { Outcome::Clean })
}
