//! `clearance suggest`: a file of rules from a check, to start with.

use std::path::PathBuf;

use super::{Outcome, print, read_report};
use crate::error::Error;
use crate::output::short;
use crate::report::{Group, Kind, Report};

/// Write a file of rules that accepts what a check found: touching parts and small gaps as they are now. Clashes and duplicates are put
/// down as comments, for a person to decide.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  clearance check gearbox.glb --json --exit-zero > now.json\n  clearance suggest now.json > clearance.toml"
)]
pub(super) struct Arguments {
    /// A report of `clearance check --json`; `-` is stdin.
    report: PathBuf,

    /// Accept clashes and duplicates too.
    #[arg(long)]
    all: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let report = read_report(&arguments.report)?;
    print(&suggest(&report, arguments.all))
}

fn suggest(report: &Report, all: bool) -> String {
    let files: Vec<&str> = report.inputs.iter().map(|input| input.path.as_str()).collect();
    let mut out = format!("# Rules for `clearance check`, from a check of {}.\n", files.join(", "));
    out += "# The first rule that matches a pair decides. Patterns: * any characters, ? one.\nversion = 1\n";
    if let Some(unit) = &report.unit {
        out += &format!("unit = {}\n", quoted(unit));
    }
    let tolerances = &report.tolerances;
    out += &format!("clearance = {:?}\ntouch = {:?}\n", tolerances.clearance, tolerances.touch);
    for (name, allowed) in [("depth", tolerances.allowed_depth), ("volume", tolerances.allowed_volume)] {
        out += &allowed.map_or_else(String::new, |allowed| format!("allowed_{name} = {allowed:?}\n"));
    }
    for group in &report.groups {
        let rule = rule(group, report);
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

fn rule(group: &Group, report: &Report) -> String {
    let unit = report.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let count = group.findings.len();
    let pairs = if count == 1 { "pair".to_owned() } else { format!("{count} pairs") };
    let mut out =
        format!("# {pairs}, {}; the least gap is {}{unit}\n[[rule]]\n", group.kind.name(), short(group.worst.value));
    out += &format!("name = {}\n", quoted(&format!("{} x {}", group.a, group.b)));
    // Instances of a part have its name and a number.
    let patterns =
        [&group.a, &group.b].map(|name| quoted(&if count == 1 { (*name).clone() } else { format!("{name}*") }));
    out += &format!("parts = [{}]\n", patterns.join(", "));
    match (group.kind, deepest(group, report)) {
        // Three digits, rounded down: as near as they are now; or up: as deep as they are now.
        (Kind::Clearance, _) => out += &format!("clearance = {:?}\n", rounded_down(group.worst.lower)),
        (Kind::Hard, Some(depth)) => out += &format!("allowed_depth = {:?}\n", rounded_up(depth)),
        (kind, _) => out += &format!("allow = [{}]\n", quoted(kind.name())),
    }
    out
}

/// How deep the pairs of a group overlap at most, if that alone decides whether they may.
fn deepest(group: &Group, report: &Report) -> Option<f64> {
    if report.tolerances.allowed_volume.is_some() {
        return None;
    }
    let of_group = report.findings.iter().filter(|finding| group.findings.contains(&finding.id));
    let depths: Option<Vec<f64>> = of_group.map(|finding| finding.depth.as_ref().map(|depth| depth.upper)).collect();
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

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
