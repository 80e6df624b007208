//! `clearance merge`: combines the reports of all shards into one.

use std::path::{Path, PathBuf};

use clearance_check::{Error, merge};

use super::output::OutputArguments;
use super::{Outcome, read_whole_or_shard};

/// Combine the reports of all shards of a check (`clearance check --shard I/N -o I.json`) into one, byte-identical to
/// that of a single run.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The reports of all shards, in any order; `-` is stdin.
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

const EXAMPLES: &str = "\
Examples:
  clearance check plant.glb --shard 1/2 -o 1.json --exit-zero     on one machine
  clearance check plant.glb --shard 2/2 -o 2.json --exit-zero     on another
  clearance merge 1.json 2.json                                   what `clearance check plant.glb` prints
  clearance merge 1.json 2.json -o report.json -o clashes.xml
  clearance merge 1.json 2.json -o page.html                      reads plant.glb again, to show it

Each shard must be present once, with the same files, rules, options and version. Pages and pictures need the part files
at the paths in the reports, unchanged.

Exit codes: 0 clean, 1 findings, 2 error or a part that could not be measured.";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let files = &arguments.output.files;
    files.can_write(arguments.reports.iter().map(PathBuf::as_path))?;
    let reports = arguments.reports.iter().map(|path| Ok((path.clone(), read_whole_or_shard(path)?)));
    let report = merge(reports.collect::<Result<_, Error>>()?)?;
    // Nor over the part files, read or not.
    files.can_write(report.inputs.iter().map(|input| Path::new(&input.path)))?;
    let model = if files.shows_parts()? { Some(report.load_model()?) } else { None };
    arguments.output.write(&report, model.as_ref())
}
