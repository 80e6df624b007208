//! `clearance suggest`: a file of rules from a check, to start with.

use std::path::PathBuf;

use clearance_check::{Error, suggest};

use super::{Outcome, read_report};
use crate::print;

/// Write a file of rules that accepts what a check found: touching parts and small gaps as they are now. Clashes and duplicates are put
/// down as comments, for a person to decide.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  clearance check gearbox.glb --json --exit-zero > now.json\n  clearance suggest now.json > clearance.toml"
)]
pub(super) struct Arguments {
    /// A report of `clearance check --json`; `-` is stdin.
    report: PathBuf,

    /// Accept clashes and duplicates too.
    #[arg(long)]
    all: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let report = read_report(&arguments.report)?;
    print::result(&suggest(&report, arguments.all))?;
    Ok(Outcome::Clean)
}
