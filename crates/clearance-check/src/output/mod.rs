//! How a report is written: its forms, and the words, numbers and escapes they are made of, for other outputs that are
//! to say the same in the same words.

mod csv;
pub mod escape;
mod junit;
mod lines;
mod markdown;
mod text;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

pub use self::lines::Lines;
use crate::error::Error;
use crate::report::{Bracket, Finding, Group, How, Kind, Method, Report, Skipped};

/// A way to write a report, or what changed between two: see [`diff`](crate::diff).
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
    /// By the schema of [`Report::schema`].
    Json,
    /// For a comment on a change.
    Markdown,
    /// A line for each finding.
    Csv,
    /// For build servers.
    Junit,
}

impl Form {
    /// The report in this form; text in colours of terminals, if they are wanted. See [`Form`] for an example.
    ///
    /// # Errors
    /// [`Error::Format`] where JSON has no way to say a number.
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

/// Something as JSON, with a line for each field, and nothing in it that a terminal would obey.
///
/// # Errors
/// [`Error::Format`] where JSON has no way to say it.
///
/// ```
/// assert_eq!(clearance_check::output::json(&["a\u{202e}b"]).unwrap(), "[\n  \"a\\u202eb\"\n]\n");
/// ```
pub fn json<T: serde::Serialize>(value: &T) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| escape::json(text) + "\n").map_err(|error| Error::format(Path::new("stdout"), error))
}

/// A length with as many digits as a person wants.
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

/// The unit of volumes, after a number.
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

/// What is the matter with two parts, in words: the way they lie and the number. See [`verdict`] for an example.
pub fn words(finding: &Finding, report: &Report) -> String {
    let &Finding { kind, how, ref gap, clearance, .. } = finding;
    let unit = report.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let depth = |gap: &Bracket| match (gap.method, -gap.upper, -gap.lower) {
        (Method::Distance, ..) => String::new(),
        (_, low, high) if low > 0.0 && short(low) == short(high) => format!(", {}{unit} deep", short(high)),
        (_, low, high) if low > 0.0 => format!(", between {} and {}{unit} deep", short(low), short(high)),
        (_, _, high) => format!(", at most {}{unit} deep", short(high)),
    };
    let lie = match how {
        How::Crossing => "surfaces cross",
        How::Overlapping => "overlapping where surfaces only touch",
        How::AInsideB => "the first is inside the second",
        How::BInsideA => "the second is inside the first",
        How::Same => "the same geometry in the same place",
        How::Apart if kind == Kind::Touching => "apart by less than the touch band",
        How::Apart => "too close",
        How::Coplanar => "faces lie on each other",
        How::Points => "in contact in points or along edges",
        How::Grazing => "overlap within the touch band",
    };
    match (kind, how) {
        (Kind::Duplicate, _) => lie.to_owned(),
        (_, How::Apart) => {
            let asked = if kind == Kind::Clearance {
                format!(" where {} is asked", with_unit(clearance, report))
            } else {
                String::new()
            };
            format!("{lie}: {}{asked}", with_unit(gap.value, report))
        }
        _ => {
            let volume = finding
                .volume
                .as_ref()
                .filter(|volume| volume.upper > 0.0)
                .map(|volume| format!(", {}{} in common", short(volume.value), cubic(report.unit.as_deref())));
            format!("{lie}{}{}", depth(gap), volume.unwrap_or_default())
        }
    }
}

/// The way out of an overlap, in words. See [`verdict`] for an example.
pub fn way_out(finding: &Finding, report: &Report) -> Option<String> {
    let depth = finding.depth.as_ref()?;
    // To as many digits as are shown.
    let [x, y, z] = depth.way_out.map(|x| if x.abs() < 1e-5 * depth.upper { short(0.0) } else { short(x) });
    let unit = report.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    Some(format!("move the second by ({x}, {y}, {z}){unit}"))
}

/// How far the surface of one part reaches inside the other, in words.
fn local_depth(finding: &Finding, report: &Report) -> Option<String> {
    let depth = finding.local_depth.as_ref()?;
    let unit = report.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let range = match (short(depth.lower), short(depth.upper)) {
        (low, high) if low == high => format!("{high}{unit}"),
        (low, high) if depth.lower > 0.0 => format!("between {low} and {high}{unit}"),
        (_, high) => format!("at most {high}{unit}"),
    };
    let why = depth.why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
    Some(format!("local depth: {range}{why}"))
}

/// What else there is to say of an overlap: how far it reaches, the way out, and why its depth is not known better.
pub(crate) fn remarks(finding: &Finding, report: &Report) -> Vec<String> {
    let local = local_depth(finding, report);
    let way = way_out(finding, report).map(|way| format!("way out: {way}"));
    let why = finding.depth.as_ref().and_then(|depth| depth.why.as_ref());
    local.into_iter().chain(way).chain(why.map(|why| format!("depth not searched for: {why}"))).collect()
}

/// Each group with its findings, the worst first. See [`verdict`] for an example.
pub fn groups(report: &Report) -> Vec<(&Group, Vec<&Finding>)> {
    let by_id: BTreeMap<&str, &Finding> =
        report.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
    let of = |group: &Group| group.findings.iter().filter_map(|id| by_id.get(id.as_str()).copied()).collect();
    report.groups.iter().map(|group| (group, of(group))).collect()
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

/// How a form writes what comes from files.
#[derive(Clone, Copy)]
pub(crate) struct Escapes {
    /// A name, set off from the words about it where the form can do that.
    pub name: fn(&str) -> Cow<'_, str>,
    /// Other text.
    pub text: fn(&str) -> Cow<'_, str>,
}

impl Escapes {
    /// For a form that escapes whole lines.
    const LATER: Escapes = Escapes { name: |name| name.into(), text: |text| text.into() };
}

/// The file of rules that was used, if there was one.
pub(crate) fn rules(report: &Report) -> Option<&str> {
    report.rules.as_ref().map(|rules| rules.path.as_str())
}

/// How much there was to do, in a few lines: the files, the rules, the pairs. Names are as they are: they have yet to
/// be escaped. See [`verdict`] for an example.
pub fn summary(report: &Report) -> Vec<String> {
    summary_in(report, Escapes::LATER)
}

/// How much there was to do, with names and text escaped.
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
    lines.extend(rules(report).map(|path| format!("rules of {}", name(path))));
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
        format!("shard {} of {}: `clearance merge` makes one report of all", shard.number, shard.of)
    }));
    lines.push(format!("{}: {}", count(counts.pairs, "pair"), fates.join(", ")));
    lines
}

/// The verdict in a line.
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
/// assert_eq!(output::words(findings[0], &report), "in contact in points or along edges");
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
    if report.counts.allowed > 0 {
        line += &format!("; {} allowed by rules", report.counts.allowed);
        if !report.allowed.is_empty() {
            line += &format!(" ({} within what may overlap)", count(report.allowed.len() as u64, "pair"));
        }
    }
    if !report.unmeasured.is_empty() {
        line += &format!("; {} could not be measured", count(report.unmeasured.len() as u64, "part"));
    }
    line
}
