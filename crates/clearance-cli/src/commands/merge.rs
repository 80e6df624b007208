//! `clearance merge`: one report of those of all shards.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clearance_check::output::json;
use clearance_check::{Error, LoadOptions, Model, Report, merge};

use super::output::OutputArguments;
use super::{Outcome, read_whole_or_shard};
use crate::destination::{self, Kind};

/// Make one report of those of all shards of a check, `clearance check --shard I/N --json`. It is, to the byte, that of one run without shards.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The reports of all shards, in any order; `-` is stdin.
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,

    /// Write the report there as JSON, besides what goes to stdout.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    written: OutputArguments,
}

const EXAMPLES: &str = "\
Examples:
  clearance check plant.glb --shard 1/2 --json --exit-zero > 1.json     on one machine
  clearance check plant.glb --shard 2/2 --json --exit-zero > 2.json     on another
  clearance merge 1.json 2.json                                         what `clearance check plant.glb` prints
  clearance merge 1.json 2.json --output report.json --junit > clashes.xml
  clearance merge 1.json 2.json --html page.html                        reads plant.glb again, to show it

All shards have to be there, once each, of the same files, rules, options and version. --picture and --html read the files of parts
where the reports say that they are.

Exit codes: 0 clean, 1 findings, 2 error or a part that could not be measured.";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let output = arguments.output.as_deref().map(|path| (path, Kind::Report));
    arguments.written.can_write(output, arguments.reports.iter().map(PathBuf::as_path))?;
    let reports = arguments.reports.iter().map(|path| Ok((path.clone(), read_whole_or_shard(path)?)));
    let report = merge(reports.collect::<Result<_, Error>>()?)?;
    // The files of parts too, read or not.
    arguments.written.can_write(output, report.inputs.iter().map(|input| Path::new(&input.path)))?;
    let model = if arguments.written.shows_parts() { Some(model_of(&report)?) } else { None };
    if let Some(path) = &arguments.output {
        destination::write(path, json(&report)?)?;
    }
    arguments.written.write(&report, model.as_ref())
}

/// The model that a report is of, from the same files.
fn model_of(report: &Report) -> Result<Model, Error> {
    let paths: Vec<PathBuf> = report.inputs.iter().map(|input| input.path.clone().into()).collect();
    // The unit of files that name none is that of the report: a check of files without is refused, or has none itself.
    let unit = report.unit.as_ref().map(|unit| unit.parse().map_err(Error::Usage)).transpose()?;
    // A unit that all files have is as good as one that was said of all.
    let of_files: BTreeSet<Option<&str>> = report.inputs.iter().map(|input| input.unit.as_deref()).collect();
    let file_unit = of_files.first().copied().flatten().filter(|_| of_files.len() == 1);
    let file_unit = file_unit.map(|unit| unit.parse().map_err(Error::Usage)).transpose()?;
    let (solid, weld, repair) = (report.tolerances.solid, report.tolerances.weld, report.tolerances.repair);
    let model = Model::load(&paths, &LoadOptions { solid, unit, file_unit, weld, repair })?;
    for (now, then) in model.inputs().iter().zip(&report.inputs) {
        if now.sha256 != then.sha256 {
            let problem = "not the file that was checked: it has another SHA-256 than the reports say; fetch that, or check again";
            return Err(Error::format(Path::new(&now.path), problem));
        }
    }
    Ok(model)
}
