//! What `clearance check`, `merge` and `render` make of a report: stdout, files and the exit code.

use std::path::{Path, PathBuf};

use clearance_check::output::Form;
use clearance_check::{Approvals, Error, Model, Report, Verdict};
use clearance_view::{Scene, draw};

use super::formats::{File, Format, REPORT, by_ending, write_report};
use super::{Outcome, write_page};
use crate::destination::{self, Kind};
use crate::print;

/// The outputs and the exit code.
#[derive(Debug, clap::Args)]
pub(super) struct OutputArguments {
    #[command(flatten)]
    pub form: FormArguments,

    #[command(flatten)]
    pub files: FileArguments,

    /// Exit 0 even if there are findings.
    #[arg(long)]
    exit_zero: bool,
}

/// The files that are written.
#[derive(Debug, clap::Args)]
pub(super) struct FileArguments {
    /// Also write the result to FILE, in the format of its ending: .html, .json, .csv, .md, .xml (JUnit) or .svg.
    /// Repeatable.
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Also write a file for --approved that approves all findings, each with what was found as its comment.
    #[arg(long, value_name = "FILE")]
    write_approved: Option<PathBuf>,

    /// The same as -o FILE.svg, whatever the ending: a picture of the parts and the findings.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,

    /// The same as -o FILE.html, whatever the ending: an interactive page with the parts in 3D and the findings. One
    /// file, which loads nothing from elsewhere.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// The format on stdout: text, unless one of these is given.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub(super) struct FormArguments {
    /// Print JSON, with all points; its schema is docs/check.schema.json.
    #[arg(long)]
    json: bool,
    /// Print Markdown, for a comment on a pull request.
    #[arg(long)]
    md: bool,
    /// Print comma-separated values, a row per finding.
    #[arg(long)]
    csv: bool,
    /// Print JUnit XML, for build servers.
    #[arg(long)]
    junit: bool,
}

impl FormArguments {
    pub fn form(&self) -> Form {
        match (self.json, self.md, self.csv, self.junit) {
            (true, ..) => Form::Json,
            (_, true, ..) => Form::Markdown,
            (_, _, true, _) => Form::Csv,
            (.., true) => Form::Junit,
            _ => Form::Text,
        }
    }
}

impl FileArguments {
    /// All files with their formats.
    fn all(&self) -> Result<Vec<File<'_>>, Error> {
        let picture = self.picture.as_deref().map(|path| (path, Format::Svg));
        let page = self.html.as_deref().map(|path| (path, Format::Html));
        Ok(picture.into_iter().chain(page).chain(by_ending(&self.output, &REPORT)?).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.output.is_empty() && self.picture.is_none() && self.html.is_none() && self.write_approved.is_none()
    }

    /// Checks that all files can be written, none of them over an input, before anything is measured for them.
    pub fn can_write<'p>(&'p self, inputs: impl IntoIterator<Item = &'p Path>) -> Result<(), Error> {
        let files = self.all()?;
        let approved = self.write_approved.as_deref().map(|path| (path, Kind::Approvals));
        destination::check(files.iter().map(|&(path, format)| (path, format.kind())).chain(approved), inputs)
    }

    /// Whether one of them shows the parts.
    pub fn shows_parts(&self) -> Result<bool, Error> {
        Ok(self.all()?.iter().any(|(_, format)| format.shows_parts()))
    }

    /// Writes a report to all files; pictures and pages only with a model.
    pub fn write(&self, report: &Report, model: Option<&Model>) -> Result<(), Error> {
        let files = self.all()?;
        write_report(&files, report)?;
        if let Some(path) = &self.write_approved {
            destination::write(path, Approvals::of(report))?;
        }
        let Some(model) = model else { return Ok(()) };
        let of = |wanted: Format| files.iter().filter(move |(_, format)| *format == wanted).map(|(path, _)| path);
        if of(Format::Svg).next().is_some() {
            let picture = draw(model, report)?;
            of(Format::Svg).try_for_each(|path| destination::write(path, &picture))?;
        }
        if of(Format::Html).next().is_some() {
            let scene = Scene::of_check(model, report);
            of(Format::Html).try_for_each(|path| write_page(path, &scene))?;
        }
        Ok(())
    }
}

impl OutputArguments {
    /// Whether stdout is text for people, which has everything.
    pub fn is_text(&self) -> bool {
        self.form.form() == Form::Text
    }

    /// Writes a report to stdout and all files; pictures and pages only with a model.
    pub fn write(&self, report: &Report, model: Option<&Model>) -> Result<Outcome, Error> {
        self.files.write(report, model)?;
        print::result(&self.form.form().write(report, print::colour())?)?;
        Ok(match report.verdict {
            Verdict::Clean => Outcome::Clean,
            Verdict::Findings if self.exit_zero => Outcome::Clean,
            Verdict::Findings => Outcome::Findings,
            Verdict::Failed => Outcome::Failed,
        })
    }
}
