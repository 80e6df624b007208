//! A file of rules from a check, to start with.

use std::collections::{BTreeMap, BTreeSet};

use clearance_files::Unit;

use crate::output::escape::{toml as quoted, visible};
use crate::output::{count, short};
use crate::report::{Finding, Group, Kind, Report};

/// A file of rules that accepts what a check found: touching parts and small gaps as they are now. Clashes and
/// duplicates are put down as comments, for a person to decide, unless `all` is to be accepted. So are templates for what
/// many assemblies have: fits of tessellated surfaces, threads, and sub-assemblies that are checked by themselves.
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
    // A comment ends with its line.
    let mut out = format!("# Rules for `clearance check`, from a check of {}.\n", visible(&files.join(", ")));
    out += "# The first rule that matches a pair decides. Patterns: * any characters, ? one.\nversion = 2\n";
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
                out += &format!("\n# To be looked at; remove the number signs to accept it.{}", commented(&rule));
            }
        }
    }
    out
}

/// Text as comments, after an empty line.
fn commented(text: &str) -> String {
    text.lines().fold("\n".to_owned(), |out, line| format!("{out}# {line}\n"))
}

/// How deep a finding is at most, if it is an overlap that has a depth.
fn deepest_of(finding: &Finding) -> Option<f64> {
    finding.local_depth.as_ref().filter(|_| finding.kind == Kind::Hard).and_then(|depth| depth.upper)
}

/// The unit, after a number.
fn unit(report: &Report) -> String {
    report.unit.as_ref().map_or_else(String::new, |unit| format!(" {}", visible(unit)))
}

/// The template for fits: a length that half of all overlaps are within, of the form 1, 2 or 5 times a power of ten.
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
        "Fits: {within} of {overlaps} are no deeper than {}{unit}. If that is the sliver between facets and the circle they\n\
         stand for, allow it for all pairs.\nallowed_depth = {:?}\n",
        short(length),
        length
    )))
}

/// Words in the names of parts that have threads.
const THREADED: [&str; 6] = ["screw", "bolt", "nut", "stud", "thread", "din"];

/// Threads that are modelled as plain cylinders overlap by no more than this, in metres.
const THREAD: f64 = 1e-3;

/// Templates for threads: a rule for each word that names a screw or a nut in an overlap that is as deep as a thread.
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
            "Threads: {overlaps} of `{}`, up to {}{} deep: a thread is often drawn as a plain cylinder.\n[[rule]]\n\
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

/// The word that says that a part has a thread, as its name spells it.
fn threaded(name: &str) -> Option<String> {
    let small = name.to_ascii_lowercase();
    let at = |word: &str| {
        // At the begin of a word: no `astronaut`, no `coordinate`.
        let mut places = small.match_indices(word).map(|(at, _)| at);
        places.find(|&at| !small[..at].ends_with(|c: char| c.is_ascii_alphabetic()))
    };
    THREADED.iter().find_map(|word| at(word).map(|at| name[at..at + word.len()].to_owned()))
}

/// Templates for sub-assemblies that have several findings between parts of their own: they may be checked by themselves.
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
    // One that has all of them is the assembly itself.
    let is_part = |findings: usize| findings > 1 && findings < report.findings.len();
    let template = |(parent, findings): (&str, usize)| {
        let pattern = quoted(&format!("{parent}/*"));
        format!(
            "Within `{}`: {} between its own parts, for a sub-assembly that is checked by itself.\n[[rule]]\nname = {}\n\
             parts = [{pattern}, {pattern}]\nignore = true\nreason = \"checked by itself\"\n",
            visible(parent),
            count(findings as u64, "finding"),
            quoted(&format!("within {parent}")),
        )
    };
    found.into_iter().filter(|(_, findings)| is_part(*findings)).map(template).collect()
}

/// Rules that accept a group: one where patterns can name its parts, else one for each pair.
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

/// A pattern that all names match, by how they begin and end; `None` where that is nothing.
fn pattern(names: &BTreeSet<&str>) -> Option<String> {
    let (first, last) = (names.first()?, names.last()?);
    if first == last {
        return Some((*first).to_owned());
    }
    // Names are in order: what the first and the last begin with all begin with.
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
        format!("# {pairs}, {}; the least gap is {}{unit}\n[[rule]]\n", group.kind.name(), short(group.worst.value));
    let name = match findings {
        [one] => format!("{} x {}", one.a, one.b),
        _ => format!("{} x {}", group.a, group.b),
    };
    out += &format!("name = {}\n", quoted(&name));
    out += &format!("parts = [{}, {}]\n", quoted(&parts[0]), quoted(&parts[1]));
    match (group.kind, deepest(findings, report)) {
        // Three digits, rounded down: as near as they are now; or up: as deep as they are now.
        (Kind::Clearance, _) => {
            let least = findings.iter().map(|finding| finding.gap.lower).fold(f64::INFINITY, f64::min);
            out += &format!("clearance = {:?}\n", rounded_down(least));
        }
        (Kind::Hard, Some(depth)) => out += &format!("allowed_depth = {:?}\n", rounded_up(depth)),
        (kind, _) => out += &format!("allow = [{}]\n", quoted(kind.name())),
    }
    out
}

/// How deep pairs overlap at most, if that alone decides whether they may.
fn deepest(findings: &[&Finding], report: &Report) -> Option<f64> {
    if report.tolerances.allowed_volume.is_some() || report.tolerances.allowed_way_out.is_some() {
        return None;
    }
    let depths: Option<Vec<f64>> = findings.iter().map(|finding| deepest_of(finding)).collect();
    depths?.into_iter().reduce(f64::max)
}

/// A length with three digits that count, and a little larger at least.
fn rounded_up(length: f64) -> f64 {
    let rounded = |length: f64| format!("{length:.2e}").parse().unwrap_or(length);
    let near: f64 = rounded(length);
    if near > length * (1.0 + 1e-6) { near } else { rounded(length * 1.01) }
}

/// A length with three digits that count, and no larger.
fn rounded_down(length: f64) -> f64 {
    if length <= 0.0 {
        return 0.0;
    }
    let text = format!("{length:.2e}");
    let rounded: f64 = text.parse().unwrap_or(0.0);
    if rounded <= length { rounded } else { length }
}
