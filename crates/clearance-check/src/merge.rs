//! One report of those of all shards, the same to the byte as that of one run.
//!
//! What all shards find out about the files and the rules has to be equal; what each found about its pairs is put together and brought into
//! order as a check does it. Shards that do not belong together are refused, by the name of the report and what is different in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::check::concluded;
use crate::error::Error;
use crate::report::{Report, Shard};

/// So many missing shards are named.
const NAMED: usize = 8;

/// Makes one report of those of all shards, named for messages. See [`check_shard`](crate::check_shard) for an example.
///
/// # Errors
/// [`Error`] that names a report which is of no shard, of another check than the first, or of a shard that another report is of; or the
/// shards that are missing.
pub fn merge(reports: Vec<(PathBuf, Report)>) -> Result<Report, Error> {
    let mut reports = reports.into_iter();
    let Some((first, mut merged)) = reports.next() else {
        return Err(Error::Usage("no report to merge".into()));
    };
    let of_first = shard(&first, &merged)?.clone();
    let mut there = BTreeMap::from([(of_first.number, first.clone())]);
    for (path, report) in reports {
        let number = shard(&path, &report)?.number;
        belongs((&first, &merged), (&path, &report))?;
        if let Some(other) = there.insert(number, path.clone()) {
            let problem = format!("of shard {number} of {}, and so is {}: name one", of_first.of, other.display());
            return Err(Error::format(&path, problem));
        }
        let sum = |so_far: u64, more: u64| {
            let problem = || Error::format(&path, format!("counts {more} pairs, too many to be added to {so_far}"));
            so_far.checked_add(more).ok_or_else(problem)
        };
        merged.counts.tested = sum(merged.counts.tested, report.counts.tested)?;
        merged.counts.allowed = sum(merged.counts.allowed, report.counts.allowed)?;
        merged.findings.extend(report.findings);
        merged.allowed.extend(report.allowed);
    }
    all_there(&there, of_first.of)?;
    merged.shard = None;
    Ok(concluded(merged))
}

/// That no shard is missing.
fn all_there(there: &BTreeMap<u32, PathBuf>, of: u32) -> Result<(), Error> {
    let missing: Vec<String> = (1..=of)
        .filter(|number| !there.contains_key(number))
        .map(|number| format!("{number}/{of}"))
        .take(NAMED + 1)
        .collect();
    let named = match &missing[..] {
        [] => return Ok(()),
        [named @ .., _] if named.len() == NAMED => format!("{} and more", named.join(", ")),
        named => named.join(", "),
    };
    let problem =
        format!("no report of shard {named}: run `clearance check` with that --shard, and name its report too");
    Err(Error::Usage(problem))
}

/// The shard that a report is of.
fn shard<'r>(path: &Path, report: &'r Report) -> Result<&'r Shard, Error> {
    let shard = report.shard.as_ref().ok_or_else(|| {
        Error::format(path, "of a whole check, not of a shard: there is nothing to merge; shards are made by --shard")
    })?;
    if (1..=shard.of).contains(&shard.number) {
        Ok(shard)
    } else {
        Err(Error::format(path, format!("of shard {} of {}, which there is not", shard.number, shard.of)))
    }
}

/// That a report is of the same check as the first, which may have others merged into it.
fn belongs((first, whole): (&Path, &Report), (path, report): (&Path, &Report)) -> Result<(), Error> {
    let (of_first, shard) = (shard(first, whole)?, shard(path, report)?);
    let differs = |what: String, advice: &str| {
        Err(Error::format(path, format!("{what}, other than {}: {advice}", first.display())))
    };
    if shard.of != of_first.of {
        return differs(
            format!("of shard {} of {}", shard.number, shard.of),
            "shards of one check have the same number of all",
        );
    }
    if report.version != whole.version {
        return differs(format!("of clearance {}", report.version), "run all shards with one version");
    }
    let files = "check the same files in the same order in all shards";
    if report.inputs.len() != whole.inputs.len() {
        return differs(format!("of {} files", report.inputs.len()), files);
    }
    for (input, of_first) in report.inputs.iter().zip(&whole.inputs) {
        // Where a file is may differ from machine to machine.
        if input.sha256 != of_first.sha256 {
            return differs(format!("of a {} with SHA-256 {}", input.path, input.sha256), files);
        }
    }
    let hash = |report: &Report| report.rules.as_ref().map(|rules| rules.sha256.clone());
    if hash(report) != hash(whole) {
        let rules = report.rules.as_ref().map_or_else(|| "no file".into(), |rules| rules.path.clone());
        return differs(format!("by the rules of {rules}"), "use the same file of rules in all shards");
    }
    for ((option, is), (_, of_first)) in options(report).into_iter().zip(options(whole)) {
        if is != of_first {
            let advice = format!("there it is {of_first}; run all shards with the same options");
            return differs(format!("checked with {option} {is}"), &advice);
        }
    }
    if shard.asked != of_first.asked {
        let advice = "use the same --pairs, --ignore and --allow in all shards";
        return differs("held against other rules, or of other pairs".into(), advice);
    }
    Ok(())
}

/// The options that pairs are held against, by the names of the command line.
fn options(report: &Report) -> Vec<(String, Value)> {
    let tolerances = serde_json::to_value(report.tolerances).unwrap_or_default();
    let named = tolerances.as_object().into_iter().flatten();
    let named = named.map(|(name, value)| (format!("--{}", name.replace('_', "-")), value.clone()));
    named.chain([("--unit".to_owned(), report.unit.clone().into())]).collect()
}
