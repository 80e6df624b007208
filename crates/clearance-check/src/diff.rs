//! Changes between two checks.

use std::borrow::Cow;
use std::collections::BTreeMap;

use clearance_files::Unit;
use serde::Serialize;

use crate::error::Error;
use crate::output::escape::{csv, markdown, markdown_code, markup};
use crate::output::{Form, Lines, json, short};
use crate::report::{Finding, Report};
use crate::scale::Scale;

/// Findings by what happened to them from one report to the next.
///
/// ```
/// use clearance_check::{Diff, Form, LoadOptions, Model, Rules, check};
/// # let path = std::env::temp_dir().join(format!("clearance-diffs-{}.obj", std::process::id()));
/// # std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// # let model = Model::load(&[path.clone()], &LoadOptions::default())?;
/// # std::fs::remove_file(&path).unwrap();
/// let report = check(&model, &Rules::default(), None, &|_, _| {})?;
/// let diff = Diff::between(&report, &report);
/// assert_eq!((diff.new.len(), diff.persistent.len()), (0, 1));
/// assert!(diff.write(Form::Json)?.contains("clearance-diff/1"));
/// # Ok::<(), clearance_check::Error>(())
/// ```
#[derive(Debug, Serialize)]
pub struct Diff<'r> {
    schema: &'static str,
    /// In the new report only.
    pub new: Vec<&'r Finding>,
    /// In both, and of a worse kind now.
    pub worse: Vec<&'r Finding>,
    /// In both, as they are now.
    pub persistent: Vec<&'r Finding>,
    /// In the old report only; as they were, in the unit of the new report.
    pub resolved: Vec<Cow<'r, Finding>>,
    /// The unit of the new report.
    #[serde(skip)]
    unit: Option<&'r str>,
}

/// The changes from one report to another: findings that are new, worse, persistent or resolved.
///
/// # Errors
/// [`Error::Format`] if a number cannot be represented in JSON.
///
/// ```
/// use clearance_check::{Form, LoadOptions, Model, Rules, check, diff};
/// # let path = std::env::temp_dir().join(format!("clearance-diff-{}.obj", std::process::id()));
/// # std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// # let model = Model::load(&[path.clone()], &LoadOptions::default())?;
/// # std::fs::remove_file(&path).unwrap();
/// let report = check(&model, &Rules::default(), None, &|_, _| {})?;
/// assert!(diff(&report, &report, Form::Text)?.ends_with("0 new, 0 worse, 1 persistent, 0 resolved\n"));
/// # Ok::<(), clearance_check::Error>(())
/// ```
pub fn diff(old: &Report, new: &Report, form: Form) -> Result<String, Error> {
    Diff::between(old, new).write(form)
}

impl<'r> Diff<'r> {
    /// Compares the findings of two reports.
    pub fn between(old: &'r Report, new: &'r Report) -> Diff<'r> {
        let by_id = |report: &'r Report| report.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
        let (before, after): (BTreeMap<&str, &Finding>, BTreeMap<&str, &Finding>) = (by_id(old), by_id(new));
        let mut diff = Diff {
            schema: "clearance-diff/1",
            new: Vec::new(),
            worse: Vec::new(),
            persistent: Vec::new(),
            resolved: Vec::new(),
            unit: new.unit.as_deref(),
        };
        for finding in &new.findings {
            match before.get(finding.id.as_str()) {
                None => diff.new.push(finding),
                // Kinds are in order of severity.
                Some(was) if finding.kind < was.kind => diff.worse.push(finding),
                Some(_) => diff.persistent.push(finding),
            }
        }
        let scale = scale(old, new);
        let in_new = |finding: &'r Finding| match scale.factor {
            1.0 => Cow::Borrowed(finding),
            _ => Cow::Owned(scale.finding(finding.clone())),
        };
        let gone = old.findings.iter().filter(|finding| !after.contains_key(finding.id.as_str()));
        diff.resolved = gone.map(in_new).collect();
        diff
    }

    /// The lists in a format. As JUnit, new and worse findings are failures.
    ///
    /// # Errors
    /// [`Error::Format`] if a number cannot be represented in JSON.
    pub fn write(&self, form: Form) -> Result<String, Error> {
        Ok(match form {
            Form::Json => json(self)?,
            Form::Markdown => table(self),
            Form::Csv => rows(self),
            Form::Junit => junit(self),
            Form::Text => plain(self),
        })
    }

    /// All lists with their titles.
    fn lists(&self) -> [(&'static str, Vec<&Finding>); 4] {
        let resolved = self.resolved.iter().map(AsRef::as_ref).collect();
        [
            ("new", self.new.clone()),
            ("worse", self.worse.clone()),
            ("persistent", self.persistent.clone()),
            ("resolved", resolved),
        ]
    }

    fn verdict(&self) -> String {
        let counts: Vec<String> = self.lists().iter().map(|(title, list)| format!("{} {title}", list.len())).collect();
        counts.join(", ")
    }
}

/// The conversion from the unit of one report to that of another.
fn scale(old: &Report, new: &Report) -> Scale {
    let [old, new] = [old, new].map(|report| report.unit.as_ref().and_then(|unit| unit.parse::<Unit>().ok()));
    Scale::new(old, new)
}

fn plain(diff: &Diff<'_>) -> String {
    let unit = diff.unit.unwrap_or_default();
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

fn table(diff: &Diff<'_>) -> String {
    let unit = markdown(diff.unit.unwrap_or_default());
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

/// Comma-separated values: a row per finding.
fn rows(diff: &Diff<'_>) -> String {
    let mut out = String::from("change,id,kind,rule,a,b,gap,unit\r\n");
    for (title, list) in diff.lists() {
        for finding in list {
            let gap = finding.gap.value.to_string();
            let unit = diff.unit.unwrap_or_default();
            let fields = [title, &finding.id, finding.kind.name(), &finding.rule, &finding.a, &finding.b, &gap, unit];
            out += &(fields.map(csv).join(",") + "\r\n");
        }
    }
    out
}

/// JUnit XML: a case per finding that is in the new report, or one passed case.
fn junit(diff: &Diff<'_>) -> String {
    let unit = diff.unit.unwrap_or_default();
    let failures = diff.new.len() + diff.worse.len();
    let cases = (failures + diff.persistent.len()).max(1);
    let counts = format!("tests=\"{cases}\" failures=\"{failures}\" errors=\"0\"");
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out += &format!("<testsuites name=\"clearance\" {counts}>\n  <testsuite name=\"clearance diff\" {counts}>\n");
    for (title, list) in diff.lists().into_iter().take(3) {
        for finding in list {
            let (kind, name) = (finding.kind.name(), markup(&format!("{} x {}", finding.a, finding.b)));
            out += &format!("    <testcase classname=\"clearance.{kind}\" name=\"{name}\"");
            if title == "persistent" {
                out += "/>\n";
                continue;
            }
            let message = format!("{title}: gap {} {unit} (id {})", short(finding.gap.value), finding.id);
            let message = markup(&message);
            out += &format!(">\n      <failure type=\"{kind}\" message=\"{message}\"/>\n    </testcase>\n");
        }
    }
    if failures + diff.persistent.len() == 0 {
        out += &format!("    <testcase classname=\"clearance\" name=\"{}\"/>\n", markup(&diff.verdict()));
    }
    out + "  </testsuite>\n</testsuites>\n"
}
