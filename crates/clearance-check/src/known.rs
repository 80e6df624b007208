//! Findings that are not new: those of an earlier report, the *baseline*, and those approved in a text file. They stay
//! in the report, marked, and do not count for the verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::verdict_of;
use crate::error::Error;
use crate::input::hash;
use crate::model::Model;
use crate::output::escape::visible;
use crate::output::words;
use crate::report::{Finding, Kind, Report, id};

/// What is known of a finding before the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not in the baseline, or in it as a milder kind.
    New,
    /// In the baseline, as the same or a worse kind.
    Known,
    /// Approved.
    Approved,
}

impl Status {
    /// Its name in reports.
    ///
    /// ```
    /// assert_eq!(clearance_check::Status::Known.name(), "known");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Status::New => "new",
            Status::Known => "known",
            Status::Approved => "approved",
        }
    }
}

/// The baseline that a report was compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineUsed {
    /// The path of the report.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// The ids of its findings that are not found any more.
    pub gone: Vec<String>,
}

/// The file of approvals used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalsUsed {
    /// The path of the file.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
}

/// An earlier report of the same assembly, whose findings are known.
///
/// ```
/// use clearance_check::{Baseline, Form, LoadOptions, Model, Rules, Status, Verdict, check};
/// # let path = std::env::temp_dir().join(format!("clearance-baseline-{}.obj", std::process::id()));
/// # std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// # let model = Model::load(&[path.clone()], &LoadOptions::default())?;
/// # std::fs::remove_file(&path).unwrap();
/// let mut report = check(&model, &Rules::default(), None, &|_, _| {})?;
/// assert_eq!(report.verdict, Verdict::Findings);
/// let baseline = Baseline::parse("old.json", &Form::Json.write(&report, false)?)?;
/// baseline.check_parts(&model)?;
/// report.mark(Some(&baseline), None);
/// assert_eq!((report.verdict, report.findings[0].status), (Verdict::Clean, Some(Status::Known)));
/// # Ok::<(), clearance_check::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Baseline {
    used: BaselineUsed,
    report: Report,
}

/// The number of parts of a foreign baseline that are named.
const NAMED: usize = 3;

impl Baseline {
    /// Parses the report of a whole check. `path` is used in messages.
    ///
    /// # Errors
    /// [`Error::Format`], saying where the text is not a valid report, or that it is of a shard.
    pub fn parse(path: impl AsRef<Path>, text: &str) -> Result<Baseline, Error> {
        let path = path.as_ref();
        let report = Report::parse(path, text)?;
        if report.shard.is_some() {
            let problem = "a baseline must be the report of a whole check: combine all shards with `clearance merge`";
            return Err(Error::format(path, problem));
        }
        let used = BaselineUsed { path: path.display().to_string(), sha256: hash(text.as_bytes()), gone: Vec::new() };
        Ok(Baseline { used, report })
    }

    /// Checks that it is of the same assembly: it has a part or the name of a file in common with the model. A report
    /// names only parts of findings and the like, which may all have been removed since; one that names none belongs to
    /// any model.
    ///
    /// # Errors
    /// [`Error::Format`], naming the baseline and some of its parts.
    pub fn check_parts(&self, model: &Model) -> Result<(), Error> {
        let report = &self.report;
        let findings = report.findings.iter().flat_map(|finding| [&finding.a, &finding.b]);
        let allowed = report.allowed.iter().flat_map(|allowed| [&allowed.a, &allowed.b]);
        let repaired = report.repaired.iter().flat_map(|geometry| &geometry.parts);
        let open = report.open.iter().flat_map(|geometry| &geometry.parts);
        let unmeasured = report.unmeasured.iter().map(|part| &part.part);
        let named = findings.chain(allowed).chain(repaired).chain(open).chain(unmeasured);
        let named: BTreeSet<&str> = named.map(String::as_str).collect();
        let unusable = model.unusable().iter().map(|(part, _)| part.as_str());
        if named.is_empty() || model.names().chain(unusable).any(|name| named.contains(name)) {
            return Ok(());
        }
        let of_baseline: BTreeSet<&str> = report.inputs.iter().map(|input| file_name(&input.path)).collect();
        if model.inputs().iter().any(|input| of_baseline.contains(file_name(&input.path))) {
            return Ok(());
        }
        let some: Vec<String> = named.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        let more = if named.len() > NAMED { " and others" } else { "" };
        let files: Vec<&str> = model.inputs().iter().map(|input| input.path.as_str()).collect();
        let problem = format!(
            "a baseline of another assembly: {} has none of its parts ({}{more}) and other files; make a new one \
             with `clearance check ... -o baseline.json`",
            files.join(", "),
            some.join(", ")
        );
        Err(Error::format(Path::new(&self.used.path), problem))
    }
}

/// The last component of a path, on whichever system it was written.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Findings approved by people, from a text file with one line per finding: its id or `part × part`, then `# comment`.
/// A kind in front, as in `touching a × b`, approves no worse kind. Empty lines and lines that start with `#` are
/// skipped; ` x ` stands for ` × `. See `docs/check.md`.
///
/// ```
/// use clearance_check::{Approvals, LoadOptions, Model, Rules, Verdict, check};
/// # let path = std::env::temp_dir().join(format!("clearance-approvals-{}.obj", std::process::id()));
/// # std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// # let model = Model::load(&[path.clone()], &LoadOptions::default())?;
/// # std::fs::remove_file(&path).unwrap();
/// let mut report = check(&model, &Rules::default(), None, &|_, _| {})?;
/// report.mark(None, Some(&Approvals::parse("approved.txt", "one × two  # a hinge\n")));
/// assert_eq!((report.verdict, report.findings[0].comment.as_deref()), (Verdict::Clean, Some("a hinge")));
/// assert!(Approvals::of(&report).ends_with("touching one × two  # a hinge\n"));
/// # Ok::<(), clearance_check::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Approvals {
    used: ApprovalsUsed,
    /// The number and text of each line, comment included.
    lines: Vec<(usize, String)>,
}

/// The separators of two parts. The first is written.
const SEPARATORS: [&str; 2] = [" × ", " x "];

/// The head of a written file.
const HEAD: &str = "\
# Approved findings of `clearance check`: one per line, an id or `part × part`, then `# comment`.
# A kind in front (hard, duplicate, clearance, touching) approves no worse kind.
";

/// The number of lines without a finding that are reported one by one.
const UNKNOWN: usize = 20;

impl Approvals {
    /// Parses a file. `path` is used in messages.
    pub fn parse(path: impl AsRef<Path>, text: &str) -> Approvals {
        let used = ApprovalsUsed { path: path.as_ref().display().to_string(), sha256: hash(text.as_bytes()) };
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        Approvals { used, lines: lines.map(|(number, line)| (number + 1, line.to_owned())).collect() }
    }

    /// The text of a file that approves all findings of a report, in their order. Comments of findings that are
    /// approved are kept; the others say what was found, for people to replace.
    pub fn of(report: &Report) -> String {
        let mut out = HEAD.to_owned();
        for finding in &report.findings {
            let Finding { a, b, kind, .. } = finding;
            let comment = match (finding.status, &finding.comment) {
                (Some(Status::Approved), Some(comment)) => comment.clone(),
                _ => words(finding, report),
            };
            // Names that the line could not be split by again are in the comment.
            let pair = format!("{a}{}{b}", SEPARATORS[0]);
            let is_plain = visible(&pair) == pair && pair.trim() == pair && !pair.contains(" #");
            let is_plain = is_plain && SEPARATORS.iter().all(|by| !a.contains(by) && !b.contains(by));
            let (pair, comment) = match is_plain {
                true => (pair, comment),
                false => (finding.id.clone(), format!("{a}{}{b}: {comment}", SEPARATORS[0])),
            };
            out += &format!("{} {pair}  # {}\n", kind.name(), visible(&comment));
        }
        out
    }
}

/// A finding that a line approves, up to a kind if it names one, and the comment.
struct Approved {
    finding: usize,
    kind: Option<Kind>,
    comment: String,
}

/// The finding of a line. A name may contain ` # ` or ` x `, so every way to split the line is tried.
fn approved(line: &str, by_id: &BTreeMap<&str, usize>) -> Option<Approved> {
    let hashes = line.match_indices('#').map(|(at, _)| at);
    let hashes = hashes.filter(|&at| line[..at].ends_with(char::is_whitespace)).chain([line.len()]);
    for at in hashes {
        let (left, comment) = (line[..at].trim(), line[at..].trim_start_matches('#').trim());
        let found = |kind, finding| Some(Approved { finding, kind, comment: comment.to_owned() });
        if let Some(finding) = finding_of(left, by_id) {
            return found(None, finding);
        }
        let kind = Kind::ALL.into_iter().find_map(|kind| Some((kind, left.strip_prefix(kind.name())?)));
        let rest = kind.filter(|(_, rest)| rest.starts_with(char::is_whitespace));
        if let Some((kind, finding)) = rest.and_then(|(kind, rest)| Some((kind, finding_of(rest.trim(), by_id)?))) {
            return found(Some(kind), finding);
        }
    }
    None
}

/// The finding of an id, or of two parts.
fn finding_of(text: &str, by_id: &BTreeMap<&str, usize>) -> Option<usize> {
    let of_pair = |separator: &'static str| {
        text.match_indices(separator).find_map(|(at, _)| {
            let (a, b) = (text[..at].trim(), text[at + separator.len()..].trim());
            by_id.get(id(a, b).as_str()).copied()
        })
    };
    by_id.get(text).copied().or_else(|| SEPARATORS.into_iter().find_map(of_pair))
}

impl Finding {
    /// Whether it counts for the verdict: it is neither known nor approved.
    ///
    /// See [`Baseline`] for an example.
    pub fn is_new(&self) -> bool {
        !matches!(self.status, Some(Status::Known | Status::Approved))
    }
}

impl Report {
    /// Marks findings that a baseline has or that are approved, and sets the verdict by the others. Lines of the
    /// approvals that match no finding become warnings. See [`Baseline`] and [`Approvals`] for examples.
    pub fn mark(&mut self, baseline: Option<&Baseline>, approvals: Option<&Approvals>) {
        if let Some(baseline) = baseline {
            self.compare(baseline);
        }
        if let Some(approvals) = approvals {
            self.approve(approvals);
        }
        self.verdict = verdict_of(self);
    }

    fn compare(&mut self, baseline: &Baseline) {
        let old: BTreeMap<&str, Kind> =
            baseline.report.findings.iter().map(|finding| (finding.id.as_str(), finding.kind)).collect();
        for finding in &mut self.findings {
            // Kinds are in order of severity.
            let was = old.get(finding.id.as_str()).copied();
            let is_known = was.is_some_and(|was| was <= finding.kind);
            finding.status = Some(if is_known { Status::Known } else { Status::New });
            finding.comment = was.filter(|_| !is_known).map(|was| format!("{} in the baseline", was.name()));
        }
        let now: BTreeSet<&str> = self.findings.iter().map(|finding| finding.id.as_str()).collect();
        let gone = baseline.report.findings.iter().map(|finding| &finding.id).filter(|id| !now.contains(id.as_str()));
        let gone = gone.cloned().collect();
        self.baseline = Some(BaselineUsed { gone, ..baseline.used.clone() });
    }

    fn approve(&mut self, approvals: &Approvals) {
        let ids: Vec<String> = self.findings.iter().map(|finding| finding.id.clone()).collect();
        let by_id: BTreeMap<&str, usize> = ids.iter().enumerate().map(|(number, id)| (id.as_str(), number)).collect();
        let path = &approvals.used.path;
        let mut unknown = Vec::new();
        for (number, line) in &approvals.lines {
            let Some(Approved { finding, kind, comment }) = approved(line, &by_id) else {
                unknown.push(format!("{path}, line {number}: no finding matches `{line}`: fixed, or misspelt?"));
                continue;
            };
            let finding = &mut self.findings[finding];
            if finding.status == Some(Status::Approved) {
                continue;
            }
            match kind.filter(|kind| finding.kind < *kind) {
                Some(kind) => finding.comment = Some(format!("approved only as {}: {comment}", kind.name())),
                None => {
                    finding.status = Some(Status::Approved);
                    finding.comment = Some(comment).filter(|comment| !comment.is_empty());
                }
            }
        }
        let more = unknown.len().saturating_sub(UNKNOWN);
        unknown.truncate(UNKNOWN);
        if more > 0 {
            unknown.push(format!("{path}: {more} more lines match no finding"));
        }
        self.warnings.extend(unknown);
        self.approvals = Some(approvals.used.clone());
    }

    /// The number of findings of a status.
    pub(crate) fn count_of(&self, status: Status) -> usize {
        self.findings.iter().filter(|finding| finding.status == Some(status)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings between parts, as a line finds them.
    fn found(pairs: &[(&str, &str)], line: &str) -> Option<(usize, Option<Kind>, String)> {
        let ids: Vec<String> = pairs.iter().map(|(a, b)| id(a, b)).collect();
        let by_id = ids.iter().enumerate().map(|(number, id)| (id.as_str(), number)).collect();
        approved(line, &by_id).map(|found| (found.finding, found.kind, found.comment))
    }

    #[test]
    fn lines_of_approvals() {
        let pairs = [("bolt #2", "plate"), ("a x b", "c"), ("hard a", "b"), ("a", "b # d")];
        let of = |line: &str| found(&pairs, line);
        let hash_of_first = id("plate", "bolt #2");
        assert_eq!(of(&hash_of_first), Some((0, None, String::new())));
        assert_eq!(of(&format!("{hash_of_first}\t#why")), Some((0, None, "why".into())));
        assert_eq!(of("bolt #2 × plate # why # so"), Some((0, None, "why # so".into())));
        assert_eq!(of("plate x bolt #2 ## why"), Some((0, None, "why".into())));
        assert_eq!(of("touching   plate × bolt #2"), Some((0, Some(Kind::Touching), String::new())));
        assert_eq!(of("a x b x c"), Some((1, None, String::new())));
        assert_eq!(of("hard a × b"), Some((2, None, String::new())));
        assert_eq!(of("hard hard a × b #"), Some((2, Some(Kind::Hard), String::new())));
        assert_eq!(of("a × b # d # ok"), Some((3, None, "ok".into())));
        for unknown in ["", "plate", "bolt × plate", "plate #2 x bolt", " × ", "hard", "hardplate × bolt #2", "é×#"]
        {
            assert_eq!(of(unknown), None, "{unknown}");
        }
    }
}
