//! A report as JUnit XML for build servers: a failed case per group of findings, a skipped one per group of known or
//! approved findings, or one passed case if there are none.

use super::escape::markup;
use super::{groups_of, open_words, reason, remarks, repaired_words, rules, verdict, words};
use crate::known::Status;
use crate::report::{Group, Report};

pub(super) fn write(report: &Report) -> String {
    let files: Vec<&str> = report.inputs.iter().map(|input| input.path.as_str()).collect();
    let failed = groups_of(report, Status::New);
    let not_new = [Status::Known, Status::Approved].map(|status| (status, groups_of(report, status)));
    let (failures, skipped) = (failed.len(), not_new.iter().map(|(_, groups)| groups.len()).sum::<usize>());
    let errors = report.unmeasured.len();
    let cases = (failures + errors + skipped).max(1);
    let name = markup(&format!("clearance check {}", files.join(" ")));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut counts = format!("tests=\"{cases}\" failures=\"{failures}\" errors=\"{errors}\"");
    if skipped > 0 {
        counts += &format!(" skipped=\"{skipped}\"");
    }
    out += &format!("<testsuites name=\"clearance\" {counts}>\n  <testsuite name=\"{name}\" {counts}>\n");
    let rules = rules(report).map(|path| ("rules", path.to_owned()));
    let named = |parts: &[String], words: String| format!("{}: {words}", parts.first().map_or("", String::as_str));
    let repaired = report.repaired.iter().map(|it| ("repaired", named(&it.parts, repaired_words(it, report))));
    let open = report.open.iter().map(|it| ("open", named(&it.parts, open_words(it, report))));
    let properties = rules.into_iter().chain(repaired).chain(open);
    let properties =
        properties.map(|(name, value)| format!("      <property name=\"{name}\" value=\"{}\"/>\n", markup(&value)));
    let properties: String = properties.collect();
    if !properties.is_empty() {
        out += &format!("    <properties>\n{properties}    </properties>\n");
    }
    for warning in &report.warnings {
        out += &format!("    <system-err>warning: {}</system-err>\n", markup(warning));
    }
    for (group, findings) in failed {
        let Some(worst) = findings.first() else { continue };
        let title = markup(&title_of(group));
        let message = markup(&format!("{}: {}", count_of(findings.len(), group.kind.name()), words(worst, report)));
        out += &format!("    <testcase classname=\"clearance.{}\" name=\"{title}\">\n", group.kind.name());
        out += &format!("      <failure type=\"{}\" message=\"{message}\">", group.kind.name());
        for finding in findings {
            let what = words(finding, report);
            let what = std::iter::once(what).chain(remarks(finding, report)).collect::<Vec<_>>().join("; ");
            out += &markup(&format!("{} x {}: {what} (id {})", finding.a, finding.b, finding.id));
            out.push('\n');
        }
        out += "</failure>\n    </testcase>\n";
    }
    for (status, groups) in not_new {
        for (group, findings) in groups {
            let title = markup(&title_of(group));
            let comments: Vec<&str> = findings.iter().filter_map(|finding| finding.comment.as_deref()).collect();
            let what = format!("{} {}", status.name(), count_of(findings.len(), group.kind.name()));
            let message = std::iter::once(what.as_str()).chain(comments).collect::<Vec<_>>().join("; ");
            out += &format!("    <testcase classname=\"clearance.{}\" name=\"{title}\">\n", group.kind.name());
            out += &format!("      <skipped message=\"{}\"/>\n    </testcase>\n", markup(&message));
        }
    }
    for unmeasured in &report.unmeasured {
        out += &format!("    <testcase classname=\"clearance\" name=\"{}\">\n", markup(&unmeasured.part));
        out += &format!("      <error message=\"{}\"/>\n    </testcase>\n", markup(&unmeasured.why));
    }
    if failures + errors + skipped == 0 {
        out += &format!("    <testcase classname=\"clearance\" name=\"{}\"/>\n", markup(&verdict(report)));
    }
    out + "  </testsuite>\n</testsuites>\n"
}

fn count_of(number: usize, kind: &str) -> String {
    if number == 1 { kind.to_owned() } else { format!("{number} {kind}") }
}

fn title_of(group: &Group) -> String {
    format!("{} x {} ({})", group.a, group.b, reason(&group.rule, group.set.as_deref()))
}
