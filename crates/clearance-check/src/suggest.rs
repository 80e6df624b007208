//! A file of rules from a check, to start with.

use std::collections::BTreeMap;

use crate::output::escape::{toml as quoted, visible};
use crate::output::short;
use crate::report::{Group, Kind, Report};

/// A file of rules that accepts what a check found: touching parts and small gaps as they are now. Clashes and
/// duplicates are put down as comments, for a person to decide, unless `all` is to be accepted.
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
    let depths: BTreeMap<&str, Option<f64>> = (report.findings.iter())
        .map(|finding| (finding.id.as_str(), finding.local_depth.as_ref().map(|depth| depth.upper)))
        .collect();
    for group in &report.groups {
        let rule = rule(group, report, &depths);
        let decided = all || matches!(group.kind, Kind::Touching | Kind::Clearance);
        if decided {
            out += &format!("\n{rule}");
        } else {
            out += "\n# To be looked at; remove the number signs to accept it.\n";
            rule.lines().for_each(|line| out += &format!("# {line}\n"));
        }
    }
    out
}

/// A rule that accepts a group; `depths` are those of all findings, by id.
fn rule(group: &Group, report: &Report, depths: &BTreeMap<&str, Option<f64>>) -> String {
    let unit = report.unit.as_ref().map_or_else(String::new, |unit| format!(" {}", visible(unit)));
    let count = group.findings.len();
    let pairs = if count == 1 { "pair".to_owned() } else { format!("{count} pairs") };
    let mut out =
        format!("# {pairs}, {}; the least gap is {}{unit}\n[[rule]]\n", group.kind.name(), short(group.worst.value));
    out += &format!("name = {}\n", quoted(&format!("{} x {}", group.a, group.b)));
    // Instances of a part have its name and a number.
    let patterns =
        [&group.a, &group.b].map(|name| quoted(&if count == 1 { (*name).clone() } else { format!("{name}*") }));
    out += &format!("parts = [{}]\n", patterns.join(", "));
    match (group.kind, deepest(group, report, depths)) {
        // Three digits, rounded down: as near as they are now; or up: as deep as they are now.
        (Kind::Clearance, _) => out += &format!("clearance = {:?}\n", rounded_down(group.worst.lower)),
        (Kind::Hard, Some(depth)) => out += &format!("allowed_depth = {:?}\n", rounded_up(depth)),
        (kind, _) => out += &format!("allow = [{}]\n", quoted(kind.name())),
    }
    out
}

/// How deep the pairs of a group overlap at most, if that alone decides whether they may.
fn deepest(group: &Group, report: &Report, depths: &BTreeMap<&str, Option<f64>>) -> Option<f64> {
    if report.tolerances.allowed_volume.is_some() || report.tolerances.allowed_way_out.is_some() {
        return None;
    }
    let of_group: Option<Vec<f64>> = group.findings.iter().filter_map(|id| depths.get(id.as_str()).copied()).collect();
    of_group?.into_iter().reduce(f64::max)
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
