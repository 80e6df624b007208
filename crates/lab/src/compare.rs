//! Two sides of a change, each with several runs: whether their answers are the same to the bit, and how the times
//! changed.
//!
//! Rows are matched by experiment and case. A case with several peers has several rows, of which the first counts:
//! answers and our own time do not depend on the other peers.

use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::median;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Experiment and case.
type Key = (String, String);

/// What the files of one side say of a row.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// Those of the files that have any, without repetition: one where the runs agree.
    answers: Vec<Digest>,
    /// In the row's unit, of each file.
    times: Vec<f64>,
}

/// One side.
type Run = BTreeMap<Key, Entry>;

/// The units that are times.
const TIMES: [&str; 4] = ["ns", "us", "ms", "s"];

/// How the answers of a row came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Equal,
    Different,
    /// In the old files only.
    Missing,
    /// In the new files only.
    Extra,
}

/// What was found about two sides.
#[derive(Debug)]
pub struct Comparison {
    /// The rows with answers on a side, and what both sides say.
    answers: Vec<(Key, Verdict, [Vec<Digest>; 2])>,
    /// The rows with times on both sides, and old / new.
    ratios: Vec<(Key, f64)>,
}

/// Compares the files of two sides.
pub fn compare(old: &[PathBuf], new: &[PathBuf]) -> Result<Comparison, LabError> {
    let comparison = Comparison::new(&read(old)?, &read(new)?);
    if comparison.answers.iter().all(|(_, verdict, _)| *verdict == Verdict::Extra) {
        return Err(LabError::BadCall("no row of the old files has answers: there is nothing to compare".into()));
    }
    Ok(comparison)
}

/// What the files of a side say; a file holds one JSON object or several.
fn read(files: &[PathBuf]) -> Result<Run, LabError> {
    let mut side = Run::new();
    for path in files {
        let text = std::fs::read_to_string(path).map_err(|error| bad(path, &error.to_string()))?;
        let mut reports = 0;
        for report in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
            let report = report.map_err(|error| bad(path, &error.to_string()))?;
            take_in(&mut side, &report).ok_or_else(|| bad(path, "is not output of `lab run --json`"))?;
            reports += 1;
        }
        if reports == 0 {
            return Err(bad(path, "is empty"));
        }
    }
    Ok(side)
}

fn bad(path: &Path, problem: &str) -> LabError {
    LabError::BadData { path: path.to_owned(), problem: problem.into() }
}

/// Takes in the rows of one report; `None` if it is none.
fn take_in(side: &mut Run, report: &Value) -> Option<()> {
    let experiment = report.get("experiment")?.as_str()?;
    let mut seen = BTreeSet::new();
    for row in report.get("rows")?.as_array()? {
        let case = row.get("case")?.as_str()?;
        if !seen.insert(case) {
            continue;
        }
        let entry = side.entry((experiment.into(), case.into())).or_default();
        if let Some(answers) = row.get("answers") {
            let answers = Digest::from_json(answers)?;
            if !entry.answers.contains(&answers) {
                entry.answers.push(answers);
            }
        }
        let unit = row.get("unit")?.as_str()?;
        entry.times.extend(row.get("ours").and_then(Value::as_f64).filter(|_| TIMES.contains(&unit)));
    }
    Some(())
}

impl Comparison {
    fn new(old: &Run, new: &Run) -> Comparison {
        let keys: BTreeSet<&Key> = old.keys().chain(new.keys()).collect();
        let (mut answers, mut ratios) = (Vec::new(), Vec::new());
        for key in keys {
            let [before, after] = [old, new].map(|side| side.get(key).cloned().unwrap_or_default());
            let verdict = match (&before.answers[..], &after.answers[..]) {
                ([], []) => None,
                ([], _) => Some(Verdict::Extra),
                (_, []) => Some(Verdict::Missing),
                // Runs of one side that do not agree are different from whatever the other side says.
                ([one], [other]) if one == other => Some(Verdict::Equal),
                _ => Some(Verdict::Different),
            };
            answers.extend(verdict.map(|verdict| (key.clone(), verdict, [before.answers, after.answers])));
            let ratio = median(before.times) / median(after.times);
            if ratio.is_finite() && ratio > 0.0 {
                ratios.push((key.clone(), ratio));
            }
        }
        Comparison { answers, ratios }
    }

    fn count(&self, wanted: Verdict) -> usize {
        self.answers.iter().filter(|(_, verdict, _)| *verdict == wanted).count()
    }

    /// Whether no answers are different or missing.
    pub fn is_same(&self) -> bool {
        self.count(Verdict::Different) + self.count(Verdict::Missing) == 0
    }

    /// The rows whose answers are not equal, the ratios, and the sums of both. Writing to a text cannot fail.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for ((experiment, case), verdict, sides) in &self.answers {
            let said = match verdict {
                Verdict::Equal => continue,
                Verdict::Different => "different",
                Verdict::Missing => "missing",
                Verdict::Extra => "extra",
            };
            let [old, new] = sides.each_ref().map(|side| shown(side));
            let _ = writeln!(text, "{said:9}  {experiment}: {case}\n           old {old}\n           new {new}");
        }
        if !self.ratios.is_empty() {
            text += "\nold / new, above 1 is faster now\n";
            for ((experiment, case), ratio) in &self.ratios {
                let _ = writeln!(text, "{ratio:9.3}  {experiment}: {case}");
            }
            let mean = geometric_mean(self.ratios.iter().map(|(_, ratio)| *ratio));
            let _ = writeln!(text, "{mean:9.3}  geometric mean of {} rows", self.ratios.len());
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "answers: {} rows equal, {} different, {} missing, {} extra",
            self.count(Verdict::Equal),
            self.count(Verdict::Different),
            self.count(Verdict::Missing),
            self.count(Verdict::Extra)
        );
        text
    }
}

/// The answers of one side: more than one where its runs do not agree.
fn shown(answers: &[Digest]) -> String {
    let said = answers.iter().map(|digest| format!("{} answers {:032x}", digest.count, digest.hash));
    let said: Vec<String> = said.collect();
    if said.is_empty() { "none".into() } else { said.join(" and in another run ") }
}

fn geometric_mean(ratios: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = ratios.len().max(1) as f64;
    (ratios.map(f64::ln).sum::<f64>() / count).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A side of reports, each of rows: case, time and hash, 0 for none.
    fn side(reports: &[&[(&str, f64, u128)]]) -> Run {
        let mut side = Run::new();
        for rows in reports {
            let row = |&(case, ours, hash): &(&str, f64, u128)| {
                let mut row = json!({ "case": case, "ours": ours, "unit": "ns" });
                if hash != 0 {
                    row["answers"] = Digest { count: 3, hash }.to_json();
                }
                row
            };
            let rows: Vec<Value> = rows.iter().map(row).collect();
            take_in(&mut side, &json!({ "experiment": "made", "rows": rows })).unwrap();
        }
        side
    }

    #[test]
    fn equal_different_missing_and_extra_are_told_apart() {
        let old = side(&[&[("same", 1.0, 7), ("other", 1.0, 8), ("gone", 1.0, 9), ("timed", 1.0, 0)]]);
        let new = side(&[&[("same", 1.0, 7), ("other", 1.0, 1), ("come", 1.0, 9), ("timed", 1.0, 0)]]);
        let found = Comparison::new(&old, &new);
        let verdicts = [Verdict::Equal, Verdict::Different, Verdict::Missing, Verdict::Extra];
        assert_eq!(verdicts.map(|verdict| found.count(verdict)), [1; 4]);
        assert!(!found.is_same());
        let text = found.to_text();
        for line in ["different  made: other", "missing    made: gone", "extra      made: come"] {
            assert!(text.contains(line), "{text}");
        }
        assert!(Comparison::new(&old, &old).is_same());
        // More than before is no difference.
        let more = side(&[&[("same", 1.0, 7)]]);
        assert!(Comparison::new(&more, &side(&[&[("same", 1.0, 7), ("come", 1.0, 2)]])).is_same());
        // A row that has lost its answers is one that is missing.
        assert!(!Comparison::new(&more, &side(&[&[("same", 1.0, 0)]])).is_same());
    }

    #[test]
    fn runs_of_one_side_have_to_agree() {
        let steady = side(&[&[("row", 1.0, 7)], &[("row", 1.0, 7)]]);
        let unsteady = side(&[&[("row", 1.0, 7)], &[("row", 1.0, 8)]]);
        assert!(Comparison::new(&steady, &steady).is_same());
        assert!(!Comparison::new(&steady, &unsteady).is_same());
        assert!(!Comparison::new(&unsteady, &unsteady).is_same());
    }

    #[test]
    fn times_are_medians_and_the_mean_is_geometric() {
        let old = side(&[&[("a", 8.0, 1), ("b", 1.0, 1)], &[("a", 100.0, 1), ("b", 1.0, 1)], &[("a", 7.0, 1)]]);
        let new = side(&[&[("a", 2.0, 1), ("b", 1.0, 1), ("c", 1.0, 1)]]);
        let found = Comparison::new(&old, &new);
        assert_eq!(found.ratios.iter().map(|(_, ratio)| *ratio).collect::<Vec<_>>(), [4.0, 1.0]);
        assert!(found.to_text().contains("    2.000  geometric mean of 2 rows"), "{}", found.to_text());
    }

    #[test]
    fn the_first_row_of_a_case_counts_and_lengths_are_no_times() {
        let rows = json!([{ "case": "a", "ours": 2.0, "unit": "ns" }, { "case": "a", "ours": 9.0, "unit": "ns" },
                          { "case": "b", "ours": 2.0, "unit": "L" }]);
        let mut side = Run::new();
        take_in(&mut side, &json!({ "experiment": "made", "rows": rows })).unwrap();
        assert_eq!(side[&("made".into(), "a".into())].times, [2.0]);
        assert!(side[&("made".into(), "b".into())].times.is_empty());
        assert_eq!(take_in(&mut side, &json!({ "rows": [] })), None);
    }

    #[test]
    fn files_are_read_one_report_after_the_other() {
        let folder = std::env::temp_dir().join(format!("clearance-compare-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let report = |name: &str| {
            let answers = Digest { count: 1, hash: 5 }.to_json();
            json!({ "experiment": name, "rows": [{ "case": "a", "ours": 2.0, "unit": "ns", "answers": answers }] })
        };
        let path = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            vec![path]
        };
        let two = path("two.json", &format!("{}\n{}\n", report("one"), report("other")));
        let found = compare(&two, &two).unwrap();
        assert_eq!((found.count(Verdict::Equal), found.is_same()), (2, true));
        for (name, text) in [("empty.json", ""), ("cut.json", "{"), ("other.json", "{\"rows\": 1}")] {
            assert!(matches!(compare(&two, &path(name, text)), Err(LabError::BadData { .. })), "{name}");
        }
        let none = path("none.json", &json!({ "experiment": "one", "rows": [] }).to_string());
        assert!(matches!(compare(&none, &two), Err(LabError::BadCall(_))));
        assert!(!compare(&two, &none).unwrap().is_same());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
