//! `clearance suggest`: a rules file from a check, as a starting point.

use std::path::PathBuf;

use clearance_check::{Error, suggest};

use super::formats::{Format, by_ending, can_write};
use super::{Outcome, read_report};
use crate::{destination, print};

/// Write a rules file that accepts the findings of a check: touching parts and small gaps as they are now. Clashes and
/// duplicates become comments for review.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  clearance check gearbox.glb -o now.json --exit-zero\n  \
                  clearance suggest now.json -o clearance.toml")]
pub(super) struct Arguments {
    /// A report of `clearance check`; `-` is stdin.
    report: PathBuf,

    /// Accept clashes and duplicates too.
    #[arg(long)]
    all: bool,

    /// Write the rules to FILE.toml instead of stdout. Repeatable.
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let files = by_ending(&arguments.output, &[Format::Toml])?;
    can_write(&files, [arguments.report.as_path()])?;
    let report = read_report(&arguments.report)?;
    let rules = suggest(&report, arguments.all);
    files.iter().try_for_each(|(path, _)| destination::write(path, &rules))?;
    if files.is_empty() {
        print::result(&rules)?;
    }
    Ok(Outcome::Clean)
}
