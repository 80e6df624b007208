//! `clearance diff`: what changed between two checks.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::{Outcome, read_report};
use crate::error::Error;
use crate::output::escape::{markdown, markdown_code};
use crate::output::{Form, json, short};
use crate::print::{self, Lines};
use crate::report::{Finding, Report};

/// Compare two reports of `clearance check --json`: findings that are new, persist, or are resolved. Exit 1 if any is new or worse.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  clearance check new.glb --json > new.json; clearance diff old.json new.json")]
pub(super) struct Arguments {
    /// The report before; `-` is stdin.
    old: PathBuf,

    /// The report after.
    new: PathBuf,

    /// JSON.
    #[arg(long, conflicts_with = "md")]
    json: bool,

    /// Markdown, for a comment on a change.
    #[arg(long)]
    md: bool,

    /// Exit 0 also if there are new findings.
    #[arg(long)]
    exit_zero: bool,
}

/// Findings by what became of them.
#[derive(Debug, Serialize)]
struct Diff<'r> {
    schema: &'static str,
    /// Not there before.
    new: Vec<&'r Finding>,
    /// There before, and of a worse kind now.
    worse: Vec<&'r Finding>,
    /// There before, as they are now.
    persistent: Vec<&'r Finding>,
    /// Not there any more; as they were.
    resolved: Vec<&'r Finding>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let (old, new) = (read_report(&arguments.old)?, read_report(&arguments.new)?);
    let diff = compare(&old, &new);
    let form = match (arguments.json, arguments.md) {
        (true, _) => Form::Json,
        (_, true) => Form::Markdown,
        _ => Form::Text,
    };
    print::result(&written(&diff, &new, form)?)?;
    let is_worse = !diff.new.is_empty() || !diff.worse.is_empty();
    Ok(if is_worse && !arguments.exit_zero { Outcome::Findings } else { Outcome::Clean })
}

/// What changed from one report to another: findings that are new, worse, persist or are resolved. As JSON and
/// Markdown, and in every other form as text.
///
/// # Errors
/// [`Error::Format`] where JSON has no way to say a number.
///
/// ```
/// use clearance_cli::{Form, LoadOptions, Model, Rules, check, diff};
/// # let path = std::env::temp_dir().join(format!("clearance-diff-{}.obj", std::process::id()));
/// # std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// # let model = Model::load(&[path.clone()], &LoadOptions::default())?;
/// # std::fs::remove_file(&path).unwrap();
/// let report = check(&model, &Rules::default(), None, &|_, _| {})?;
/// assert!(diff(&report, &report, Form::Text)?.ends_with("0 new, 0 worse, 1 persistent, 0 resolved\n"));
/// # Ok::<(), clearance_cli::Error>(())
/// ```
pub fn diff(old: &Report, new: &Report, form: Form) -> Result<String, Error> {
    written(&compare(old, new), new, form)
}

fn written(diff: &Diff<'_>, new: &Report, form: Form) -> Result<String, Error> {
    Ok(match form {
        Form::Json => json(diff)?,
        Form::Markdown => table(diff, new),
        Form::Text | Form::Csv | Form::Junit => plain(diff, new),
    })
}

fn compare<'r>(old: &'r Report, new: &'r Report) -> Diff<'r> {
    let by_id = |report: &'r Report| report.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
    let (before, after): (BTreeMap<&str, &Finding>, BTreeMap<&str, &Finding>) = (by_id(old), by_id(new));
    let mut diff = Diff {
        schema: "clearance-diff/1",
        new: Vec::new(),
        worse: Vec::new(),
        persistent: Vec::new(),
        resolved: Vec::new(),
    };
    for finding in &new.findings {
        match before.get(finding.id.as_str()) {
            None => diff.new.push(finding),
            // Kinds are in order of severity.
            Some(was) if finding.kind < was.kind => diff.worse.push(finding),
            Some(_) => diff.persistent.push(finding),
        }
    }
    diff.resolved = old.findings.iter().filter(|finding| !after.contains_key(finding.id.as_str())).collect();
    diff
}

impl<'r> Diff<'r> {
    /// The lists that are worth naming one by one, with their titles.
    fn lists(&self) -> [(&'static str, &[&'r Finding]); 4] {
        [("new", &self.new), ("worse", &self.worse), ("persistent", &self.persistent), ("resolved", &self.resolved)]
    }

    fn verdict(&self) -> String {
        let counts: Vec<String> = self.lists().iter().map(|(title, list)| format!("{} {title}", list.len())).collect();
        counts.join(", ")
    }
}

fn plain(diff: &Diff<'_>, report: &Report) -> String {
    let unit = report.unit.as_deref().unwrap_or_default();
    let mut out = Lines::default();
    for (title, list) in diff.lists() {
        for finding in list {
            let gap = short(finding.gap.value);
            out.line(format!(
                "{title:<10}  {:<9}  {} x {}  {gap} {unit}  id {}",
                finding.kind.name(),
                finding.a,
                finding.b,
                finding.id
            ));
        }
    }
    out.line(diff.verdict());
    out.text()
}

fn table(diff: &Diff<'_>, report: &Report) -> String {
    let unit = markdown(report.unit.as_deref().unwrap_or_default());
    let mut out = format!("## Clearance: {}\n", diff.verdict());
    for (title, list) in diff.lists().into_iter().filter(|(_, list)| !list.is_empty()) {
        out += &format!("\n### {title}\n\n| kind | A | B | gap | id |\n| --- | --- | --- | ---: | --- |\n");
        for finding in list {
            let [a, b, id] = [&finding.a, &finding.b, &finding.id].map(|name| markdown_code(name));
            let (kind, gap) = (finding.kind.name(), short(finding.gap.value));
            out += &format!("| {kind} | {a} | {b} | {gap} {unit} | {id} |\n");
        }
    }
    out
}
