//! A report for a terminal: groups, worst first, each represented by its worst pair.

use super::{Lines, count, groups_of, is_marked, reason, remarks, short, summary, verdict, with_unit, words};
use crate::known::Status;
use crate::report::{Kind, Report};

/// The number of pairs of a group that are listed.
const NAMED: usize = 3;
/// The number of groups shown.
const SHOWN: usize = 10;
/// The number of new findings listed one by one.
const LISTED: usize = 100;

pub(super) fn write(report: &Report, colour: bool) -> String {
    let mut out = Lines::default();
    summary(report).into_iter().for_each(|line| out.line(line));
    report.warnings.iter().for_each(|warning| out.line(format!("WARNING: {warning}")));
    let groups = groups_of(report, Status::New);
    for (group, findings) in groups.iter().take(SHOWN) {
        let [finding, others @ ..] = &findings[..] else { continue };
        out.blank();
        let kind = format!("{:<9}", group.kind.name().to_uppercase());
        let pairs = if others.is_empty() { String::new() } else { format!("   {} pairs", findings.len()) };
        let pair = format!("  {}  x  {}{pairs}", group.a, group.b);
        if colour {
            out.coloured(&kind, code(group.kind), pair)
        } else {
            out.line(kind + &pair)
        }
        if (&group.a, &group.b) != (&finding.a, &finding.b) {
            out.line(format!("           {}  x  {}", finding.a, finding.b));
        }
        out.line(format!("           {}", words(finding, report)));
        remarks(finding, report).into_iter().for_each(|remark| out.line(format!("           {remark}")));
        if finding.triangle_pairs > 0 {
            let places = finding.clusters.len();
            let s = if places == 1 { "" } else { "s" };
            out.line(format!("           {} pairs of triangles in {places} place{s}", finding.triangle_pairs));
        }
        let [x, y, z] = finding.points[0].map(short);
        let rule = reason(&finding.rule, finding.set.as_deref());
        out.line(format!("           at ({x}, {y}, {z})   id {}   rule {rule}", finding.id));
        if !others.is_empty() {
            let named: Vec<String> = others.iter().take(NAMED).map(|pair| format!("{} x {}", pair.a, pair.b)).collect();
            let more = if others.len() > NAMED { ", ..." } else { "" };
            out.line(format!("           and {} more like this: {}{more}", others.len(), named.join(", ")));
        }
    }
    if let Some(more) = groups.get(SHOWN..).filter(|more| !more.is_empty()) {
        let findings: usize = more.iter().map(|(_, findings)| findings.len()).sum();
        out.blank();
        out.line(format!(
            "and {} with {}: -o report.html or report.csv has all",
            count(more.len() as u64, "more group"),
            count(findings as u64, "finding")
        ));
    }
    if is_marked(report) {
        let new: Vec<_> = report.findings.iter().filter(|finding| finding.is_new()).collect();
        out.blank();
        out.line(if new.is_empty() { "nothing new" } else { "new:" });
        for finding in new.iter().take(LISTED) {
            let gap = with_unit(finding.gap.value, report);
            let (kind, pair) = (finding.kind.name(), format!("{} x {}", finding.a, finding.b));
            out.line(format!("  {kind:<9}  {pair}  {gap}  id {}", finding.id));
        }
        if new.len() > LISTED {
            out.line(format!("  and {} more: -o report.csv has all", new.len() - LISTED));
        }
    }
    for unmeasured in &report.unmeasured {
        out.blank();
        out.line(format!("NOT MEASURED  {}: {}", unmeasured.part, unmeasured.why));
    }
    out.blank();
    out.line(verdict(report));
    out.text()
}

/// The SGR colour of a kind: red, magenta, yellow, cyan.
fn code(kind: Kind) -> u8 {
    match kind {
        Kind::Hard => 31,
        Kind::Duplicate => 35,
        Kind::Clearance => 33,
        Kind::Touching => 36,
    }
}
