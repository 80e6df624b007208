//! What an experiment found: rows and a summary, and their rendering as JSON, as a text table and as Markdown.

use crate::digest::Digest;
use crate::plot::Plot;
use serde_json::{Map, Value, json};
use std::fmt::{self, Write};
use std::path::Path;
use std::process::Command;

/// Another library's figures for a row.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Name and version.
    pub name: &'static str,
    /// Median of the peer, in the row's unit.
    pub theirs: f64,
    /// theirs / ours: above 1 we are faster.
    pub ratio: f64,
    /// The least favourable ratio over the parts of the row.
    pub worst_ratio: f64,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Which case.
    pub case: String,
    /// Our figure: a median where the row measures time.
    pub ours: f64,
    /// Unit of `ours` and `theirs`.
    pub unit: &'static str,
    /// The peer's figures; `None` when the row has no peer.
    pub peer: Option<Peer>,
    /// Answers that disagree with a known or proved one, brackets that do not hold, answers that `verify` refuses.
    pub wrong: u64,
    /// A hash of our answers, each taken in once; empty where the row has none. In the JSON only.
    pub answers: Digest,
    /// What is particular to the experiment, in the order of the columns.
    pub more: Vec<(&'static str, Value)>,
}

impl Row {
    /// The row as JSON: the keys common to all experiments first, then those of its own, then the hash of our answers.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut object = self.cells();
        if self.answers.count > 0 {
            object.insert("answers".into(), self.answers.to_json());
        }
        object
    }

    /// What stands in a table.
    fn cells(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("case".into(), json!(self.case));
        object.insert("ours".into(), json!(self.ours));
        object.insert("unit".into(), json!(self.unit));
        if let Some(peer) = &self.peer {
            object.insert("peer".into(), json!(peer.name));
            object.insert("theirs".into(), json!(peer.theirs));
            object.insert("ratio".into(), json!(peer.ratio));
            object.insert("worst_ratio".into(), json!(peer.worst_ratio));
        }
        object.insert("wrong".into(), json!(self.wrong));
        for (key, value) in &self.more {
            object.insert((*key).into(), value.clone());
        }
        object
    }
}

/// Where and on what the figures were taken.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// Short hash of the checked-out commit, "unknown" outside a checkout.
    pub commit: String,
    /// Whether tracked files differ from that commit.
    pub modified: bool,
    /// Name of the processor.
    pub cpu: String,
    /// Threads the measured code ran on.
    pub threads: usize,
}

impl Provenance {
    /// Of this run; `threads` is how many the measured code used.
    pub fn here(threads: usize) -> Provenance {
        let git = |arguments: &[&str]| {
            let source = Path::new(env!("CARGO_MANIFEST_DIR"));
            let folder = if source.is_dir() { source } else { Path::new(".") };
            Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()
        };
        let commit = git(&["rev-parse", "--short", "HEAD"])
            .filter(|output| output.status.success())
            .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        // `git diff --quiet` exits with 1 when there is a difference, with more when it cannot tell.
        let modified = git(&["diff", "--quiet", "HEAD"]).is_some_and(|output| output.status.code() == Some(1));
        let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| cpu_model(&text));
        Provenance {
            commit: commit.unwrap_or_else(|| "unknown".into()),
            modified,
            cpu: cpu.unwrap_or_else(|| "unknown".into()),
            threads,
        }
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Provenance { commit, modified, cpu, threads } = self;
        let changes = if *modified { " with uncommitted changes" } else { "" };
        let plural = if *threads == 1 { "" } else { "s" };
        write!(f, "Commit {commit}{changes}, {cpu}, {threads} thread{plural}")
    }
}

/// The processor's name in the text of `/proc/cpuinfo`.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// A figure that an experiment aims at.
#[derive(Clone, Debug)]
pub struct Goal {
    /// What is to be reached, in words.
    pub goal: String,
    /// The figure measured.
    pub seen: Value,
    /// Whether it was reached.
    pub met: bool,
}

/// What an experiment found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the experiment.
    pub experiment: &'static str,
    /// The table.
    pub rows: Vec<Row>,
    /// Cases in all: single queries checked, not rows.
    pub cases: u64,
    /// What the experiment adds to the summary.
    pub more: Vec<(&'static str, Value)>,
    /// What the experiment aims at; empty if at nothing but right answers.
    pub goals: Vec<Goal>,
    /// What stands in docs/benchmarks.md in place of the rows, where those are too many to read; without provenance.
    pub markdown: Option<String>,
    /// A figure, if the experiment draws one.
    pub plot: Option<Plot>,
    /// Where it was measured.
    pub provenance: Provenance,
}

impl Report {
    /// A report of rows alone, measured here with so many threads.
    pub fn plain(experiment: &'static str, rows: Vec<Row>, cases: u64, threads: usize) -> Report {
        let provenance = Provenance::here(threads);
        Report { experiment, rows, cases, more: Vec::new(), goals: Vec::new(), markdown: None, plot: None, provenance }
    }

    /// All wrong answers: the sum over the rows, so that the summary cannot disagree with them.
    pub fn wrong(&self) -> u64 {
        self.rows.iter().map(|row| row.wrong).sum()
    }

    /// The summary as JSON.
    pub fn summary(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("cases".into(), json!(self.cases));
        object.insert("wrong".into(), json!(self.wrong()));
        for (key, value) in &self.more {
            object.insert((*key).into(), value.clone());
        }
        let goals = self.goals.iter().map(|Goal { goal, seen, met }| json!({ "goal": goal, "seen": seen, "met": met }));
        object.insert("goals".into(), goals.collect());
        object.insert("commit".into(), json!(self.provenance.commit));
        object.insert("modified".into(), json!(self.provenance.modified));
        object.insert("cpu".into(), json!(self.provenance.cpu));
        object.insert("threads".into(), json!(self.provenance.threads));
        object
    }

    /// The whole report as one JSON object.
    pub fn to_json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(|row| Value::Object(row.to_json())).collect();
        json!({ "experiment": self.experiment, "rows": rows, "summary": self.summary() })
    }

    /// An aligned table for a terminal, the summary underneath.
    pub fn to_text(&self) -> String {
        let (columns, cells) = self.table();
        let numeric: Vec<bool> = columns.iter().map(|column| self.is_numeric(column)).collect();
        let widths: Vec<usize> = (0..columns.len())
            .map(|i| cells.iter().map(|row| row[i].chars().count()).chain([columns[i].len()]).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        for row in std::iter::once(&columns).chain(&cells) {
            let mut line = String::new();
            for (i, cell) in row.iter().enumerate() {
                let padding = " ".repeat(widths[i] - cell.chars().count());
                let (before, after) = if numeric[i] { (padding, String::new()) } else { (String::new(), padding) };
                let gap = if i == 0 { "" } else { "  " };
                let _ = write!(line, "{gap}{before}{cell}{after}");
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text.push('\n');
        let summary = self.summary();
        let width = summary.keys().map(String::len).max().unwrap_or(0);
        for (key, value) in &summary {
            let _ = writeln!(text, "{key:width$}  {}", cell(value));
        }
        text
    }

    /// A Markdown table with where it was measured underneath, for docs/benchmarks.md.
    pub fn to_markdown(&self) -> String {
        let mut text = self.markdown.clone().unwrap_or_else(|| {
            let (columns, cells) = self.table();
            let numeric: Vec<bool> = columns.iter().map(|column| self.is_numeric(column)).collect();
            markdown_table(&columns, &numeric, &cells)
        });
        let Report { experiment, cases, provenance, .. } = self;
        let wrong = self.wrong();
        let _ = writeln!(text, "\n`lab run {experiment}`: {cases} cases, {wrong} wrong. {provenance}.");
        text
    }

    /// Column names in order of first appearance, and the cells of each row under them.
    fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let objects: Vec<Map<String, Value>> = self.rows.iter().map(Row::cells).collect();
        let mut columns: Vec<String> = Vec::new();
        for key in objects.iter().flat_map(|object| object.keys()) {
            if !columns.contains(key) {
                columns.push(key.clone());
            }
        }
        let cells = objects
            .iter()
            .map(|object| columns.iter().map(|column| object.get(column).map_or_else(|| "-".into(), cell)).collect())
            .collect();
        (columns, cells)
    }

    /// Whether a column holds numbers, and so is aligned to the right.
    fn is_numeric(&self, column: &str) -> bool {
        self.rows.iter().any(|row| row.cells().get(column).is_some_and(Value::is_number))
    }
}

/// A Markdown table; numeric columns are aligned to the right.
pub fn markdown_table(columns: &[String], numeric: &[bool], cells: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let escaped: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", escaped.join(" | "))
    };
    let rules: Vec<&str> = numeric.iter().map(|numeric| if *numeric { "---:" } else { "---" }).collect();
    let mut text = line(columns);
    let _ = writeln!(text, "| {} |", rules.join(" | "));
    cells.iter().for_each(|row| text.push_str(&line(row)));
    text
}

/// A value as a cell of a table for people: four significant digits. The JSON has them all.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or_else(|| "-".into(), four_digits),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => items.iter().map(cell).collect::<Vec<_>>().join("; "),
        Value::Object(object) => {
            object.iter().map(|(key, value)| format!("{key}: {}", cell(value))).collect::<Vec<_>>().join(", ")
        }
    }
}

/// A number to four significant digits, in scientific notation where that is shorter to read.
fn four_digits(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e7).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let before_point = magnitude.log10().floor() as i32 + 1;
    format!("{value:.*}", (4 - before_point).clamp(0, 6) as usize)
}

/// `value` rounded to `places` decimal places, so that JSON shows no digits a timer cannot see.
pub fn rounded(value: f64, places: i32) -> f64 {
    let scale = 10_f64.powi(places);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let row = |case: &str, wrong, peer| Row {
            case: case.into(),
            ours: 120.5,
            unit: "ns",
            peer,
            wrong,
            answers: Digest { count: wrong, hash: 10 },
            more: vec![("allocations", json!(0)), ("why", json!(["a|b"]))],
        };
        let peer = Peer { name: "parry3d-f64 0.31", theirs: 241.0, ratio: 2.0, worst_ratio: 1.5 };
        Report {
            experiment: "test",
            rows: vec![row("one", 0, Some(peer)), row("two", 2, None), row("three", 1, None)],
            cases: 300,
            more: vec![("flatness", json!(1.25))],
            goals: Vec::new(),
            markdown: None,
            plot: None,
            provenance: Provenance { commit: "abc1234".into(), modified: false, cpu: "A CPU".into(), threads: 1 },
        }
    }

    #[test]
    fn json_has_the_agreed_shape() {
        let json = report().to_json();
        assert_eq!(json["experiment"], "test");
        assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["experiment", "rows", "summary"]);
        let with_peer = json["rows"][0].as_object().unwrap();
        for key in ["case", "ours", "unit", "peer", "theirs", "ratio", "worst_ratio", "wrong", "allocations"] {
            assert!(with_peer.contains_key(key), "{key}");
        }
        let without = json["rows"][1].as_object().unwrap();
        assert_eq!(without["answers"], json!({ "count": 2, "hash": format!("{:032x}", 10) }));
        assert!(!with_peer.contains_key("answers"));
        for key in ["peer", "theirs", "ratio", "worst_ratio"] {
            assert!(!without.contains_key(key), "{key}");
        }
        for key in ["cases", "wrong", "flatness", "commit", "cpu", "threads"] {
            assert!(json["summary"].get(key).is_some(), "{key}");
        }
    }

    #[test]
    fn wrong_answers_are_summed() {
        assert_eq!(report().wrong(), 3);
        assert_eq!(report().to_json()["summary"]["wrong"], 3);
    }

    #[test]
    fn text_columns_line_up() {
        let text = report().to_text();
        let lines: Vec<&str> = text.lines().collect();
        let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
        assert_eq!(end(lines[0], "ours"), end(lines[1], "120.5"));
        assert_eq!(end(lines[0], "ours"), end(lines[3], "120.5"));
        assert!(text.contains("flatness") && !text.contains("answers"));
    }

    #[test]
    fn markdown_states_where_it_was_measured() {
        let text = report().to_markdown();
        let mut lines = text.lines();
        let columns = lines.next().unwrap().matches('|').count();
        assert_eq!(lines.next().unwrap().matches('|').count(), columns);
        assert!(text.contains("a\\|b"));
        assert!(text.contains("300 cases, 3 wrong. Commit abc1234, A CPU, 1 thread."));
    }

    #[test]
    fn numbers_for_people() {
        for (value, text) in [
            (0.0, "0"),
            (12.345, "12.35"),
            (1.7e-8, "1.700e-8"),
            (123456.7, "123457"),
            (-0.15, "-0.1500"),
            (1.0, "1.000"),
        ] {
            assert_eq!(four_digits(value), text);
        }
        assert_eq!(rounded(1.2345, 2), 1.23);
    }

    #[test]
    fn the_cpu_is_read_from_cpuinfo() {
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: Fast One\n").as_deref(), Some("Fast One"));
        assert_eq!(cpu_model("Features: fp"), None);
    }
}
