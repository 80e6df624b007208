//! What `clearance check` and `clearance merge` make of a report: the forms, pictures and pages, and the exit code.

use std::path::{Path, PathBuf};

use clearance_check::output::Form;
use clearance_check::{Error, Model, Report, Verdict};
use clearance_view::{Scene, draw};

use super::{Outcome, write_page};
use crate::destination::{self, Kind};
use crate::print;

/// What is written, and what comes of findings.
#[derive(Debug, clap::Args)]
pub(super) struct OutputArguments {
    #[command(flatten)]
    form: FormArguments,

    /// Write a picture of the parts and what was found, as SVG.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,

    /// Write a page to look at: the parts in three dimensions and what was found, in one HTML file that fetches nothing.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Exit 0 also if there are findings.
    #[arg(long)]
    exit_zero: bool,
}

/// How results are written: for people, unless one of these is given.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct FormArguments {
    /// JSON, by the schema in docs/check.schema.json; with all points.
    #[arg(long)]
    json: bool,
    /// Markdown, for a comment on a change.
    #[arg(long)]
    md: bool,
    /// Comma-separated values, a line for each finding.
    #[arg(long)]
    csv: bool,
    /// JUnit XML, for build servers.
    #[arg(long)]
    junit: bool,
}

impl FormArguments {
    fn form(&self) -> Form {
        match (self.json, self.md, self.csv, self.junit) {
            (true, ..) => Form::Json,
            (_, true, ..) => Form::Markdown,
            (_, _, true, _) => Form::Csv,
            (.., true) => Form::Junit,
            _ => Form::Text,
        }
    }
}

impl OutputArguments {
    /// That what is asked for can be written, with one file more if there is one, and over none of the inputs, before
    /// anything is measured for it.
    pub fn can_write<'p>(
        &'p self,
        other: Option<(&'p Path, Kind)>,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Error> {
        let picture = self.picture.as_deref().map(|path| (path, Kind::Svg));
        let page = self.html.as_deref().map(|path| (path, Kind::Html));
        destination::check(picture.into_iter().chain(page).chain(other), inputs)
    }

    /// Whether stdout is for people, and has all that there is to say.
    pub fn is_text(&self) -> bool {
        self.form.form() == Form::Text
    }

    /// Whether the parts themselves are shown.
    pub fn shows_parts(&self) -> bool {
        self.picture.is_some() || self.html.is_some()
    }

    /// Writes a report; pictures and pages if the model is there.
    pub fn write(&self, report: &Report, model: Option<&Model>) -> Result<Outcome, Error> {
        if let Some((path, model)) = self.picture.as_ref().zip(model) {
            destination::write(path, draw(model, report)?)?;
        }
        if let Some((path, model)) = self.html.as_ref().zip(model) {
            write_page(path, &Scene::of_check(model, report))?;
        }
        print::result(&self.form.form().write(report, print::colour())?)?;
        Ok(match report.verdict {
            Verdict::Clean => Outcome::Clean,
            Verdict::Findings if self.exit_zero => Outcome::Clean,
            Verdict::Findings => Outcome::Findings,
            Verdict::Failed => Outcome::Failed,
        })
    }
}
