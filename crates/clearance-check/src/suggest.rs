//! Suggests a rules file from a check.

use std::collections::{BTreeMap, BTreeSet};

use clearance_files::Unit;

use crate::output::escape::{toml as quoted, visible};
use crate::output::{count, short};
use crate::report::{Finding, Group, Kind, Report};

/// A rules file that accepts the findings of a check: touching parts and small gaps as they are now. Clashes and
/// duplicates are written as comments for review, unless `all` are to be accepted. So are templates for common cases:
/// fits of tessellated surfaces, threads, and sub-assemblies that are checked separately.
///
/// ```
/// use clearance_check::{LoadOptions, Model, Rules, check, suggest};
/// # let path = std::env::temp_dir().join(format!("clearance-suggest-{}.obj", std::process::id()));
/// # std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// # let model = Model::load(&[path.clone()], &LoadOptions::default())?;
/// # std::fs::remove_file(&path).unwrap();
/// let found = check(&model, &Rules::default(), None, &|_, _| {})?;
/// let rules = Rules::parse("clearance.toml", &suggest(&found, false), None)?;
/// assert!(check(&model, &rules, None, &|_, _| {})?.findings.is_empty());
/// # Ok::<(), clearance_check::Error>(())
/// ```
pub fn suggest(report: &Report, all: bool) -> String {
    let files: Vec<&str> = report.inputs.iter().map(|input| input.path.as_str()).collect();
    // Escaped: a comment ends with its line.
    let mut out = format!("# Rules for `clearance check`, from a check of {}.\n", visible(&files.join(", ")));
    out += "# The first rule that matches a pair applies. Patterns: * any characters, ? one.\nversion = 2\n";
    if let Some(unit) = &report.unit {
        out += &format!("unit = {}\n", quoted(unit));
    }
    let tolerances = &report.tolerances;
    out += &format!("clearance = {:?}\ntouch = {:?}\n", tolerances.clearance, tolerances.touch);
    for (name, allowed) in [
        ("depth", tolerances.allowed_depth),
        ("way_out", tolerances.allowed_way_out),
        ("volume", tolerances.allowed_volume),
    ] {
        out += &allowed.map_or_else(String::new, |allowed| format!("allowed_{name} = {allowed:?}\n"));
    }
    out += &fits(report).unwrap_or_default();
    threads(report).iter().chain(&within(report)).for_each(|template| out += &commented(template));
    let by_id: BTreeMap<&str, &Finding> =
        report.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
    for group in &report.groups {
        let findings: Vec<&Finding> = group.findings.iter().filter_map(|id| by_id.get(id.as_str()).copied()).collect();
        let decided = all || matches!(group.kind, Kind::Touching | Kind::Clearance);
        for rule in rules(group, &findings, report) {
            if decided {
                out += &format!("\n{rule}");
            } else {
                out += &format!("\n# Needs review; uncomment to accept.{}", commented(&rule));
            }
        }
    }
    out
}

/// Text as comments, after an empty line.
fn commented(text: &str) -> String {
    text.lines().fold("\n".to_owned(), |out, line| format!("{out}# {line}\n"))
}

/// The upper bound of a finding's depth, if it is an overlap with a depth.
fn deepest_of(finding: &Finding) -> Option<f64> {
    finding.local_depth.as_ref().filter(|_| finding.kind == Kind::Hard).and_then(|depth| depth.upper)
}

/// The unit, as a suffix to a number.
fn unit(report: &Report) -> String {
    report.unit.as_ref().map_or_else(String::new, |unit| format!(" {}", visible(unit)))
}

/// The template for fits: the smallest length of the form 1, 2 or 5 times a power of ten that covers half of all
/// overlaps.
fn fits(report: &Report) -> Option<String> {
    let mut depths: Vec<f64> = report.findings.iter().filter_map(deepest_of).collect();
    depths.sort_by(f64::total_cmp);
    let median = depths.get(depths.len() / 2).copied().filter(|depth| *depth > 0.0)?;
    let power = 10_f64.powf(median.log10().floor());
    let length = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|length| median <= *length)?;
    if report.tolerances.allowed_depth.is_some() || depths.len() < 2 {
        return None;
    }
    let within = depths.iter().filter(|depth| **depth <= length).count();
    let (overlaps, unit) = (count(report.count(Kind::Hard) as u64, "overlap"), unit(report));
    Some(commented(&format!(
        "Fits: {within} of {overlaps} are no deeper than {}{unit}. If this is the sliver between facets and\n\
         the circle they approximate, allow it for all pairs.\nallowed_depth = {:?}\n",
        short(length),
        length
    )))
}

/// Words in the names of threaded parts.
const THREADED: [&str; 6] = ["screw", "bolt", "nut", "stud", "thread", "din"];

/// Threads modelled as plain cylinders overlap by no more than this, in metres.
const THREAD: f64 = 1e-3;

/// Templates for threads: a rule for each word that names a screw or nut in an overlap as deep as a thread.
fn threads(report: &Report) -> Vec<String> {
    let metres = report.unit.as_ref().and_then(|unit| unit.parse::<Unit>().ok()).map(Unit::metres);
    let Some(limit) = metres.map(|metres| THREAD / metres) else { return Vec::new() };
    let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for finding in &report.findings {
        let Some(depth) = deepest_of(finding).filter(|depth| *depth <= limit) else { continue };
        if let Some(word) = [&finding.a, &finding.b].into_iter().find_map(|name| threaded(name)) {
            found.entry(word).or_default().push(depth);
        }
    }
    let template = |(word, depths): (String, Vec<f64>)| {
        let overlaps = count(depths.len() as u64, "overlap");
        let deepest = depths.into_iter().fold(0.0, f64::max);
        format!(
            "Threads: {overlaps} of `{}`, up to {}{} deep: threads are often modelled as plain cylinders.\n[[rule]]\n\
             name = {}\nparts = [{}]\nallowed_depth = {:?}\n",
            visible(&word),
            short(deepest),
            unit(report),
            quoted(&format!("threads of {word}")),
            quoted(&format!("*{word}*")),
            rounded_up(deepest)
        )
    };
    found.into_iter().map(template).collect()
}

/// The word that marks a part as threaded, as spelled in its name.
fn threaded(name: &str) -> Option<String> {
    let small = name.to_ascii_lowercase();
    let at = |word: &str| {
        // At the start of a word: not in `astronaut` or `coordinate`.
        let mut places = small.match_indices(word).map(|(at, _)| at);
        places.find(|&at| !small[..at].ends_with(|c: char| c.is_ascii_alphabetic()))
    };
    THREADED.iter().find_map(|word| at(word).map(|at| name[at..at + word.len()].to_owned()))
}

/// Templates for sub-assemblies with several internal findings, which may be checked separately.
fn within(report: &Report) -> Vec<String> {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &report.findings {
        let parents = [&finding.a, &finding.b].map(|name| name.rsplit_once('/').map(|(parent, _)| parent));
        if let [Some(a), Some(b)] = parents
            && a == b
        {
            *found.entry(a).or_default() += 1;
        }
    }
    // A parent of all findings is the assembly itself.
    let is_part = |findings: usize| findings > 1 && findings < report.findings.len();
    let template = |(parent, findings): (&str, usize)| {
        let pattern = quoted(&format!("{parent}/*"));
        format!(
            "Within `{}`: {} between its own parts. Use if the sub-assembly is checked separately.\n[[rule]]\n\
             name = {}\nparts = [{pattern}, {pattern}]\nignore = true\nreason = \"checked separately\"\n",
            visible(parent),
            count(findings as u64, "finding"),
            quoted(&format!("within {parent}")),
        )
    };
    found.into_iter().filter(|(_, findings)| is_part(*findings)).map(template).collect()
}

/// Rules that accept a group: one if patterns can name its parts, otherwise one per pair.
fn rules(group: &Group, findings: &[&Finding], report: &Report) -> Vec<String> {
    let sides = |findings: &[&Finding]| {
        let names = |side: fn(&Finding) -> &str| pattern(&findings.iter().map(|finding| side(finding)).collect());
        Some([names(|finding| &finding.a)?, names(|finding| &finding.b)?])
    };
    match sides(findings) {
        Some(parts) => vec![rule(group, findings, &parts, report)],
        None => {
            let of_pair =
                |finding: &&Finding| rule(group, &[*finding], &[finding.a.clone(), finding.b.clone()], report);
            findings.iter().map(of_pair).collect()
        }
    }
}

/// A pattern that all names match, by common prefix and suffix; `None` if there is neither.
fn pattern(names: &BTreeSet<&str>) -> Option<String> {
    let (first, last) = (names.first()?, names.last()?);
    if first == last {
        return Some((*first).to_owned());
    }
    // Names are sorted: a prefix of the first and the last is common to all.
    let head: String = first.chars().zip(last.chars()).take_while(|(p, q)| p == q).map(|(p, _)| p).collect();
    let rest = |name: &str| name.chars().count() - head.chars().count();
    let mut tail: Vec<char> = first.chars().rev().take(rest(first)).collect();
    for name in names {
        let same = tail.iter().zip(name.chars().rev().take(rest(name))).take_while(|(p, q)| **p == *q).count();
        tail.truncate(same);
    }
    let tail: String = tail.into_iter().rev().collect();
    (!head.is_empty() || !tail.is_empty()).then(|| format!("{head}*{tail}"))
}

/// A rule that accepts findings of a group.
fn rule(group: &Group, findings: &[&Finding], parts: &[String; 2], report: &Report) -> String {
    let unit = unit(report);
    let count = findings.len();
    let pairs = if count == 1 { "pair".to_owned() } else { format!("{count} pairs") };
    let mut out =
        format!("# {pairs}, {}, smallest gap {}{unit}\n[[rule]]\n", group.kind.name(), short(group.worst.value));
    let name = match findings {
        [one] => format!("{} x {}", one.a, one.b),
        _ => format!("{} x {}", group.a, group.b),
    };
    out += &format!("name = {}\n", quoted(&name));
    out += &format!("parts = [{}, {}]\n", quoted(&parts[0]), quoted(&parts[1]));
    match (group.kind, deepest(findings, report)) {
        // Three digits, rounded down for the current gap, or up for the current depth.
        (Kind::Clearance, _) => {
            let least = findings.iter().map(|finding| finding.gap.lower).fold(f64::INFINITY, f64::min);
            out += &format!("clearance = {:?}\n", rounded_down(least));
        }
        (Kind::Hard, Some(depth)) => out += &format!("allowed_depth = {:?}\n", rounded_up(depth)),
        (kind, _) => out += &format!("allow = [{}]\n", quoted(kind.name())),
    }
    out
}

/// The greatest depth of the pairs, if depth alone decides whether they are allowed.
fn deepest(findings: &[&Finding], report: &Report) -> Option<f64> {
    if report.tolerances.allowed_volume.is_some() || report.tolerances.allowed_way_out.is_some() {
        return None;
    }
    let depths: Option<Vec<f64>> = findings.iter().map(|finding| deepest_of(finding)).collect();
    depths?.into_iter().reduce(f64::max)
}

/// A length rounded up to three significant digits, with a small margin.
fn rounded_up(length: f64) -> f64 {
    let rounded = |length: f64| format!("{length:.2e}").parse().unwrap_or(length);
    let near: f64 = rounded(length);
    if near > length * (1.0 + 1e-6) { near } else { rounded(length * 1.01) }
}

/// A length rounded down to three significant digits.
fn rounded_down(length: f64) -> f64 {
    if length <= 0.0 {
        return 0.0;
    }
    let text = format!("{length:.2e}");
    let rounded: f64 = text.parse().unwrap_or(0.0);
    if rounded <= length { rounded } else { length }
}
