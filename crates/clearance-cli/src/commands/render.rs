//! `clearance render`: a report in other formats.

use std::path::{Path, PathBuf};

use clearance_check::Error;
use clearance_check::output::Form;

use super::output::{FileArguments, FormArguments};
use super::{Outcome, read_report};
use crate::print;

/// Write the report of a check in other formats.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A report: JSON of `clearance check` or `clearance merge`, of this version or the one before; `-` is stdin.
    #[arg(value_name = "REPORT")]
    report: PathBuf,

    #[command(flatten)]
    form: FormArguments,

    #[command(flatten)]
    files: FileArguments,
}

const EXAMPLES: &str = "\
Examples:
  clearance render report.json -o clashes.xml -o clashes.csv
  clearance render report.json --md >> \"$GITHUB_STEP_SUMMARY\"
  clearance render report.json -o page.html -o picture.svg        reads the part files again, to show them
  clearance render report.json                                    the text

Pages and pictures need the part files at the paths in the report, unchanged: they are compared by SHA-256. All other
formats need only the report. Nothing is printed if files are named with -o, unless a format for stdout is given.

Exit codes: 0 written, whatever was found; 2 error.";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let files = &arguments.files;
    files.can_write([arguments.report.as_path()])?;
    let report = read_report(&arguments.report)?;
    // Nor over the part files, read or not.
    files.can_write(report.inputs.iter().map(|input| Path::new(&input.path)))?;
    let model = if files.shows_parts()? { Some(report.load_model()?) } else { None };
    files.write(&report, model.as_ref())?;
    let form = arguments.form.form();
    if files.is_empty() || form != Form::Text {
        print::result(&form.write(&report, print::colour())?)?;
    }
    Ok(Outcome::Clean)
}
