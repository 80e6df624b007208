//! Merges the reports of all shards into one, byte-identical to that of a single run.
//!
//! The files and rules must be the same in all shards; the findings are concatenated, then sorted and grouped as in a
//! check. Shards that do not belong together are refused, naming the report and what differs in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::check::concluded;
use crate::error::Error;
use crate::report::{Report, Shard};

/// The number of missing shards listed.
const NAMED: usize = 8;

/// Merges the reports of all shards, given with their names for messages. See [`check_shard`](crate::check_shard) for
/// an example.
///
/// # Errors
/// [`Error`] naming a report that is not of a shard, is of a different check than the first, or duplicates another
/// shard; or the missing shards.
pub fn merge(reports: Vec<(PathBuf, Report)>) -> Result<Report, Error> {
    let mut reports = reports.into_iter();
    let Some((first, mut merged)) = reports.next() else {
        return Err(Error::Usage("no reports to merge".into()));
    };
    let of_first = shard(&first, &merged)?.clone();
    let mut there = BTreeMap::from([(of_first.number, first.clone())]);
    for (path, report) in reports {
        let number = shard(&path, &report)?.number;
        belongs((&first, &merged), (&path, &report))?;
        if let Some(other) = there.insert(number, path.clone()) {
            let problem = format!("shard {number} of {}, and so is {}: pass only one", of_first.of, other.display());
            return Err(Error::format(&path, problem));
        }
        let sum = |so_far: u64, more: u64| {
            let problem = || Error::format(&path, format!("counts {more} pairs, too many to add to {so_far}"));
            so_far.checked_add(more).ok_or_else(problem)
        };
        merged.counts.tested = sum(merged.counts.tested, report.counts.tested)?;
        merged.counts.allowed = sum(merged.counts.allowed, report.counts.allowed)?;
        for (set, more) in merged.sets.iter_mut().zip(&report.sets) {
            set.tested = sum(set.tested, more.tested)?;
        }
        merged.findings.extend(report.findings);
        merged.allowed.extend(report.allowed);
    }
    all_there(&there, of_first.of)?;
    merged.shard = None;
    Ok(concluded(merged))
}

/// Checks that no shard is missing.
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
        format!("no report for shard {named}: run `clearance check` with that --shard, and pass its report too");
    Err(Error::Usage(problem))
}

/// The shard of a report.
fn shard<'r>(path: &Path, report: &'r Report) -> Result<&'r Shard, Error> {
    let shard = report.shard.as_ref().ok_or_else(|| {
        Error::format(
            path,
            "a report of a whole check, not of a shard: nothing to merge (see `clearance check --shard`)",
        )
    })?;
    if (1..=shard.of).contains(&shard.number) {
        Ok(shard)
    } else {
        Err(Error::format(path, format!("shard {} of {} does not exist", shard.number, shard.of)))
    }
}

/// Checks that a report is of the same check as the first, which may have others merged into it.
fn belongs((first, whole): (&Path, &Report), (path, report): (&Path, &Report)) -> Result<(), Error> {
    let (of_first, shard) = (shard(first, whole)?, shard(path, report)?);
    let differs =
        |what: String, advice: &str| Err(Error::format(path, format!("{what}, unlike {}: {advice}", first.display())));
    if shard.of != of_first.of {
        return differs(
            format!("shard {} of {}", shard.number, shard.of),
            "all shards of a check must have the same total",
        );
    }
    if report.version != whole.version {
        return differs(format!("written by clearance {}", report.version), "run all shards with one version");
    }
    let files = "check the same files in the same order in all shards";
    if report.inputs.len() != whole.inputs.len() {
        return differs(format!("checks {} files", report.inputs.len()), files);
    }
    for (input, of_first) in report.inputs.iter().zip(&whole.inputs) {
        // Paths may differ from machine to machine.
        if input.sha256 != of_first.sha256 {
            return differs(format!("checks {} with SHA-256 {}", input.path, input.sha256), files);
        }
    }
    let hash = |report: &Report| report.rules.as_ref().map(|rules| rules.sha256.clone());
    if hash(report) != hash(whole) {
        let rules = report.rules.as_ref().map_or_else(|| "no rules file".into(), |rules| rules.path.clone());
        return differs(format!("uses {rules}"), "use the same rules file in all shards");
    }
    for ((option, is), (_, of_first)) in options(report).into_iter().zip(options(whole)) {
        if is != of_first {
            let advice = format!("there it is {of_first}; run all shards with the same options");
            return differs(format!("checked with {option} {is}"), &advice);
        }
    }
    let sets = |report: &Report| report.sets.iter().map(|set| set.name.clone()).collect::<Vec<_>>();
    if shard.asked != of_first.asked || sets(report) != sets(whole) {
        let advice = "use the same --set, --pairs, --ignore and --allow in all shards";
        return differs("different rules or pairs".into(), advice);
    }
    Ok(())
}

/// The options that set the limits of pairs, by their names on the command line.
fn options(report: &Report) -> Vec<(String, Value)> {
    let tolerances = serde_json::to_value(report.tolerances).unwrap_or_default();
    let named = tolerances.as_object().into_iter().flatten();
    let named = named.map(|(name, value)| (format!("--{}", name.replace('_', "-")), value.clone()));
    named.chain([("--unit".to_owned(), report.unit.clone().into())]).collect()
}
