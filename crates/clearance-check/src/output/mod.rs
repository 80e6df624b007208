//! Output formats of a report, and the wording, number formatting and escapes they share with other outputs.

mod csv;
pub mod escape;
mod junit;
mod lines;
mod markdown;
mod table;
mod text;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

pub use self::lines::Lines;
pub use self::table::{csv_table, markdown_table};
use crate::error::Error;
use crate::known::Status;
use crate::limits::REPAIR_OF_SIZE;
use crate::repair::Repair;
use crate::report::{
    Finding, Group, How, Kind, LocalDepth, OpenGeometry, RepairedGeometry, Report, SearchOutcome, Skipped,
};

/// An output format for a report, or for the changes between two: see [`diff`](crate::diff).
///
/// ```
/// use clearance_check::{Form, LoadOptions, Model, Report, Rules, check};
/// # let path = std::env::temp_dir().join(format!("clearance-form-{}.obj", std::process::id()));
/// # std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// # let model = Model::load(&[path.clone()], &LoadOptions::default())?;
/// # std::fs::remove_file(&path).unwrap();
/// let report = check(&model, &Rules::default(), None, &|_, _| {})?;
/// let json = Form::Json.write(&report, false)?;
/// assert_eq!(Report::parse("report.json", &json)?, report);
/// # Ok::<(), clearance_check::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// See [`Report::schema`].
    Json,
    /// For a comment on a pull request.
    Markdown,
    /// A row per finding.
    Csv,
    /// For build servers.
    Junit,
}

impl Form {
    /// The report in this format; `colour` adds terminal colours to text. See [`Form`] for an example.
    ///
    /// # Errors
    /// [`Error::Format`] if a number cannot be represented in JSON.
    pub fn write(self, report: &Report, colour: bool) -> Result<String, Error> {
        Ok(match self {
            Form::Text => text::write(report, colour),
            Form::Markdown => markdown::write(report),
            Form::Csv => csv::write(report),
            Form::Junit => junit::write(report),
            Form::Json => json(report)?,
        })
    }
}

/// A value as JSON, one field per line, safe to print on a terminal.
///
/// # Errors
/// [`Error::Format`] if the value cannot be represented in JSON.
///
/// ```
/// assert_eq!(clearance_check::output::json(&["a\u{202e}b"]).unwrap(), "[\n  \"a\\u202eb\"\n]\n");
/// ```
pub fn json<T: serde::Serialize>(value: &T) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| escape::json(text) + "\n").map_err(|error| Error::format(Path::new("stdout"), error))
}

/// A length with as many digits as are useful to a reader.
///
/// ```
/// use clearance_check::output::short;
/// assert_eq!([0.0, 12.34567, 1e-9].map(short), ["0", "12.35", "1.00e-9"]);
/// ```
pub fn short(length: f64) -> String {
    if length == 0.0 {
        return "0".into();
    }
    let magnitude = length.abs();
    if !(1e-4..1e7).contains(&magnitude) {
        return format!("{length:.2e}");
    }
    let digits = (3.0 - magnitude.log10().floor()).clamp(0.0, 8.0) as usize;
    let text = format!("{length:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The unit of volumes, as a suffix to a number.
///
/// ```
/// assert_eq!(clearance_check::output::cubic(Some("mm")), " mm^3");
/// ```
pub fn cubic(unit: Option<&str>) -> String {
    unit.map_or_else(String::new, |unit| format!(" {unit}^3"))
}

/// A length with its unit.
fn with_unit(length: f64, report: &Report) -> String {
    match &report.unit {
        Some(unit) => format!("{} {unit}", short(length)),
        None => short(length),
    }
}

/// A finding in words: the relative position of the parts and the number. See [`verdict`] for an example.
pub fn words(finding: &Finding, report: &Report) -> String {
    let &Finding { kind, how, ref gap, clearance, .. } = finding;
    let lie = match how {
        How::Crossing => "surfaces cross",
        How::Overlapping => "interiors overlap, surfaces only touch",
        How::AInsideB => "the first is inside the second",
        How::BInsideA => "the second is inside the first",
        How::Same => "the same geometry in the same place",
        How::Apart if kind == Kind::Touching => "apart by less than the touch band",
        How::Apart => "too close",
        How::Coplanar => "faces lie on each other",
        How::Points => "in contact at points or along edges",
        How::Grazing => "overlap within the touch band",
    };
    match (kind, how) {
        (Kind::Duplicate, _) => lie.to_owned(),
        (_, How::Apart) => {
            let asked = if kind == Kind::Clearance {
                format!(", required {}", with_unit(clearance, report))
            } else {
                String::new()
            };
            format!("{lie}: {}{asked}", with_unit(gap.value, report))
        }
        (_, How::Grazing) => format!("{lie}, way out {}", range(-gap.upper, -gap.lower, report)),
        _ => {
            let depth = finding.local_depth.as_ref().and_then(|depth| deep(depth, report));
            let depth = depth.map(|depth| format!(", {depth}"));
            let volume = finding
                .volume
                .as_ref()
                .filter(|volume| volume.upper > 0.0)
                .map(|volume| format!(", {}{} in common", short(volume.value), cubic(report.unit.as_deref())));
            format!("{lie}{}{}", depth.unwrap_or_default(), volume.unwrap_or_default())
        }
    }
}

/// The depth in words, if known.
fn deep(depth: &LocalDepth, report: &Report) -> Option<String> {
    match (depth.numbers(), depth.value) {
        (Some([_, lower, upper]), _) => Some(format!("{} deep", range(lower, upper, report))),
        (None, Some(value)) => Some(format!("about {} deep (estimate)", with_unit(value, report))),
        (None, None) => None,
    }
}

/// The way out of an overlap, in words. See [`verdict`] for an example.
pub fn way_out(finding: &Finding, report: &Report) -> Option<String> {
    let way = finding.way_out.as_ref()?;
    // Zero to as many digits as are shown.
    let [x, y, z] = way.translation.map(|x| if x.abs() < 1e-5 * way.upper { short(0.0) } else { short(x) });
    let unit = report.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let shortest = range(way.lower, way.upper, report);
    let of = if way.of_repaired { ", for the repaired solids" } else { "" };
    Some(format!("move the second by ({x}, {y}, {z}){unit}; the shortest is {shortest}{of}"))
}

/// A proved range in words.
fn range(lower: f64, upper: f64, report: &Report) -> String {
    match (short(lower), with_unit(upper, report)) {
        (low, high) if low == short(upper) => high,
        (low, high) if lower > 0.0 => format!("between {low} and {high}"),
        (_, high) => format!("at most {high}"),
    }
}

/// Further remarks on an overlap: why its depth is not known better, the way out, and why that was not searched.
pub(crate) fn remarks(finding: &Finding, report: &Report) -> Vec<String> {
    let depth = finding.local_depth.as_ref();
    let of_depth = depth.and_then(|depth| depth.why.as_ref().map(|why| (depth, why)));
    let of_depth = of_depth.map(|(depth, why)| match (depth.search, depth.value) {
        (SearchOutcome::Estimate, _) => format!("depth is an estimate: {why}"),
        (_, Some(_)) => format!("depth search incomplete: {why}"),
        (_, None) => format!("no depth: {why}"),
    });
    let way = way_out(finding, report).map(|way| format!("way out: {way}"));
    let why = finding.way_out.as_ref().and_then(|way| way.why.as_ref());
    let why = why.map(|why| format!("way out not searched: {why}"));
    let comment = finding.comment.as_ref().map(|comment| match finding.status {
        Some(Status::Approved) => format!("approved: {comment}"),
        _ => comment.clone(),
    });
    of_depth.into_iter().chain(way).chain(why).chain(comment).collect()
}

/// Each group with its findings, worst first. See [`verdict`] for an example.
pub fn groups(report: &Report) -> Vec<(&Group, Vec<&Finding>)> {
    let by_id: BTreeMap<&str, &Finding> =
        report.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
    let of = |group: &Group| group.findings.iter().filter_map(|id| by_id.get(id.as_str()).copied()).collect();
    report.groups.iter().map(|group| (group, of(group))).collect()
}

/// The rule of a finding or a group, and its test set.
pub(crate) fn reason(rule: &str, set: Option<&str>) -> String {
    set.map_or_else(|| rule.to_owned(), |set| format!("{rule}, set {set}"))
}

/// Whether the findings of a report are marked as new, known or approved.
pub(crate) fn is_marked(report: &Report) -> bool {
    report.baseline.is_some() || report.approvals.is_some()
}

/// Each group with its findings of a status, worst first, without groups that have none. All statuses that count for
/// the verdict go by [`Status::New`].
pub(crate) fn groups_of(report: &Report, status: Status) -> Vec<(&Group, Vec<&Finding>)> {
    let of = |finding: &Finding| if finding.is_new() { Status::New } else { finding.status.unwrap_or(Status::New) };
    let mut groups = groups(report);
    groups.iter_mut().for_each(|(_, findings)| findings.retain(|finding| of(finding) == status));
    groups.retain(|(_, findings)| !findings.is_empty());
    groups
}

/// `1 part`, `2 parts`, `1,234 parts`.
///
/// ```
/// assert_eq!(clearance_check::output::count(1234, "part"), "1,234 parts");
/// ```
pub fn count(number: u64, what: &str) -> String {
    format!("{} {what}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// `1`, `12`, `1,234`.
///
/// ```
/// assert_eq!(clearance_check::output::thousands(1_234_567), "1,234,567");
/// ```
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = {
        let first = digits.len() % 3;
        let starts = std::iter::once(0).filter(|_| first > 0).chain((first..digits.len()).step_by(3));
        starts.map(|start| &digits[start..if start < first { first } else { start + 3 }]).collect()
    };
    groups.join(",")
}

/// How a format escapes text from files.
#[derive(Clone, Copy)]
pub(crate) struct Escapes {
    /// A name, set off from the surrounding words if the format allows it.
    pub name: fn(&str) -> Cow<'_, str>,
    /// Other text.
    pub text: fn(&str) -> Cow<'_, str>,
}

impl Escapes {
    /// For a format that escapes whole lines.
    const LATER: Escapes = Escapes { name: |name| name.into(), text: |text| text.into() };
}

/// The rules file used, if any.
pub(crate) fn rules(report: &Report) -> Option<&str> {
    report.rules.as_ref().map(|rules| rules.path.as_str())
}

/// A few lines of statistics: the files, the rules, the pairs. Names are not escaped. See [`verdict`] for an example.
pub fn summary(report: &Report) -> Vec<String> {
    summary_in(report, Escapes::LATER)
}

/// The lines of [`summary`], with names and text escaped.
pub(crate) fn summary_in(report: &Report, escapes: Escapes) -> Vec<String> {
    let Escapes { name, text } = escapes;
    let mut lines: Vec<String> = report
        .inputs
        .iter()
        .map(|input| {
            let parts = count(input.parts as u64, "part");
            let kinds = if input.geometries == 1 { "geometry" } else { "geometries" };
            let kinds = format!("{} {kinds}", thousands(input.geometries as u64));
            let unit = input.unit.as_ref().map_or_else(|| "no unit".into(), |unit| format!("in {unit}"));
            format!(
                "{}: {parts} of {kinds}, {}, {}",
                name(&input.path),
                count(input.triangles, "triangle"),
                text(&unit)
            )
        })
        .collect();
    lines.extend(rules(report).map(|path| format!("rules from {}", name(path))));
    lines.extend(report.sets.iter().map(|set| {
        let found = report.findings.iter().filter(|finding| finding.set.as_ref() == Some(&set.name)).count() as u64;
        format!("set {}: {} tested, {}", name(&set.name), count(set.tested, "pair"), count(found, "finding"))
    }));
    lines.extend(report.baseline.as_ref().map(|baseline| format!("baseline {}", name(&baseline.path))));
    lines.extend(report.approvals.as_ref().map(|approvals| format!("approvals from {}", name(&approvals.path))));
    lines.extend(repaired(report, escapes));
    lines.extend(open(report, escapes));
    let counts = &report.counts;
    let mut fates = vec![format!("{} culled by boxes", thousands(counts.culled))];
    let skipped = |skipped: &Skipped| format!("{} skipped ({})", thousands(skipped.pairs), text(&skipped.why));
    fates.extend(counts.skipped.iter().map(skipped));
    fates.push(format!("{} tested", thousands(counts.tested)));
    if counts.unmeasured > 0 {
        fates.push(format!("{} could not be measured", thousands(counts.unmeasured)));
    }
    lines.extend(report.shard.as_ref().map(|shard| {
        fates.push(format!("{} left to other shards", thousands(shard.elsewhere)));
        format!("shard {} of {}: combine all with `clearance merge`", shard.number, shard.of)
    }));
    lines.extend(report.unsearched.as_ref().map(|line| text(line).into_owned()));
    lines.push(format!("{}: {}", count(counts.pairs, "pair"), fates.join(", ")));
    lines
}

/// The number of repaired or open geometries listed in a line.
const NAMED: usize = 3;

/// The names of some geometries, by the first part of each.
fn some_names<'r>(parts: impl ExactSizeIterator<Item = &'r Vec<String>>, name: fn(&str) -> Cow<'_, str>) -> String {
    let all = parts.len();
    let named = parts.filter_map(|parts| parts.first()).take(NAMED);
    let named: Vec<String> = named.map(|part| name(part).into_owned()).collect();
    let more = if all > NAMED { format!(" and {} more", thousands((all - NAMED) as u64)) } else { String::new() };
    format!("{}{more}", named.join(", "))
}

fn geometries(number: usize) -> String {
    format!("{} {}", thousands(number as u64), if number == 1 { "geometry" } else { "geometries" })
}

/// A line about repairs: the tolerance, how many geometries, and the largest displacement.
fn repaired(report: &Report, escapes: Escapes) -> Option<String> {
    let all = &report.repaired;
    let most = all.iter().map(|geometry| geometry.distance).fold(0.0, f64::max);
    let names = some_names(all.iter().map(|geometry| &geometry.parts), escapes.name);
    let within = match report.tolerances.repair {
        Repair::Within(length) => length.to_string(),
        _ => format!("{REPAIR_OF_SIZE} of the part's size"),
    };
    let (number, most) = (geometries(all.len()), with_unit(most, report));
    let line = format!("repaired within {within}: {number}, moved by at most {most}: {names}");
    (!all.is_empty()).then_some(line)
}

/// A line about geometries that are not closed.
fn open(report: &Report, escapes: Escapes) -> Option<String> {
    let all = &report.open;
    let names = some_names(all.iter().map(|geometry| &geometry.parts), escapes.name);
    let (number, still) = (geometries(all.len()), if report.tolerances.repair == Repair::Off { "" } else { "still " });
    let have = if all.len() == 1 { "has" } else { "have" };
    (!all.is_empty()).then(|| format!("{still}open: {number} {have} no interior: {names}"))
}

/// What was repaired in a geometry and its largest displacement, in words. See [`open_words`] for an example.
pub fn repaired_words(geometry: &RepairedGeometry, report: &Report) -> String {
    let done = geometry.done();
    let done = if done.is_empty() { String::new() } else { format!(": {done}") };
    let [distance, tolerance] = [geometry.distance, geometry.tolerance].map(|length| with_unit(length, report));
    format!("moved by at most {distance} (tolerance {tolerance}){done}")
}

/// Why a geometry is open, in words: the defects a repair left, or the engine's message.
///
/// ```
/// use clearance_check::{LoadOptions, Model, Repair, Rules, check, output};
/// # let path = std::env::temp_dir().join(format!("clearance-open-{}.obj", std::process::id()));
/// # std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
/// # let options = LoadOptions { repair: Repair::Auto, ..LoadOptions::default() };
/// # let model = Model::load(&[path.clone()], &options)?;
/// # std::fs::remove_file(&path).unwrap();
/// let report = check(&model, &Rules::default(), None, &|_, _| {})?;
/// assert_eq!(output::open_words(&report.open[0], &report), "1 hole; the longest rim is 3.414");
/// # Ok::<(), clearance_check::Error>(())
/// ```
pub fn open_words(geometry: &OpenGeometry, report: &Report) -> String {
    let words = geometry.left.and_then(|left| {
        let rim = format!("; the longest rim is {}", with_unit(left.longest_rim, report));
        Some(left.words()? + if left.holes > 0 { &rim } else { "" })
    });
    words.unwrap_or_else(|| geometry.why.clone())
}

/// The verdict on one line.
///
/// ```
/// use clearance_check::{Kind, LoadOptions, Model, Rules, check, output};
/// # let path = std::env::temp_dir().join(format!("clearance-words-{}.obj", std::process::id()));
/// # std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// # let model = Model::load(&[path.clone()], &LoadOptions::default())?;
/// # std::fs::remove_file(&path).unwrap();
/// let report = check(&model, &Rules::default(), None, &|_, _| {})?;
/// assert_eq!(output::verdict(&report), "1 finding: 1 touching");
/// assert_eq!(report.count(Kind::Touching), 1);
/// assert!(output::summary(&report).last().unwrap().starts_with("1 pair: "));
/// let (_, findings) = &output::groups(&report)[0];
/// assert_eq!(output::words(findings[0], &report), "in contact at points or along edges");
/// assert_eq!(output::way_out(findings[0], &report), None);
/// # Ok::<(), clearance_check::Error>(())
/// ```
pub fn verdict(report: &Report) -> String {
    let kinds: Vec<String> = Kind::ALL
        .into_iter()
        .map(|kind| (report.count(kind), kind.name()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    let mut line = if report.findings.is_empty() {
        "no findings".to_owned()
    } else {
        format!("{}: {}", count(report.findings.len() as u64, "finding"), kinds.join(", "))
    };
    if let Some(baseline) = &report.baseline {
        let [new, known] = [Status::New, Status::Known].map(|status| report.count_of(status));
        line += &format!("; {new} new, {known} known, {} gone", baseline.gone.len());
    }
    if report.approvals.is_some() {
        line += &format!("; {} approved", report.count_of(Status::Approved));
    }
    if report.counts.allowed > 0 {
        line += &format!("; {} allowed by rules", report.counts.allowed);
        if !report.allowed.is_empty() {
            line += &format!(" ({} within the allowed overlap)", count(report.allowed.len() as u64, "pair"));
        }
    }
    if !report.unmeasured.is_empty() {
        line += &format!("; {} could not be measured", count(report.unmeasured.len() as u64, "part"));
    }
    line
}
