//! A report as Markdown: a comment on a change.

use super::{groups, remarks, summary, verdict, words};
use crate::report::Report;

pub(super) fn write(report: &Report) -> String {
    let mut out = format!("## Clearance: {}\n\n", verdict(report));
    if !report.groups.is_empty() {
        out += "| kind | A | B | pairs | worst | | id |\n| --- | --- | --- | ---: | --- | --- | --- |\n";
    }
    for (group, findings) in groups(report) {
        let Some(finding) = findings.first() else { continue };
        out += &format!(
            "| **{}** | {} | {} | {} | {} | {} | `{}` |\n",
            group.kind.name(),
            code(&finding.a),
            code(&finding.b),
            group.findings.len(),
            words(finding, report),
            remarks(finding, report).join("<br>"),
            finding.id
        );
    }
    for unmeasured in &report.unmeasured {
        out += &format!("\n**not measured**: {}: {}\n", code(&unmeasured.part), unmeasured.why);
    }
    out += "\n";
    for line in summary(report) {
        out += &format!("{}  \n", line.replace('_', "\\_").replace('*', "\\*"));
    }
    out
}

/// A name as code, in a table: neither pipes nor backticks of a name end it.
pub(crate) fn code(name: &str) -> String {
    let name = name.replace('|', "\\|").replace(['\n', '\r'], " ");
    if name.contains('`') { format!("`` {name} ``") } else { format!("`{name}`") }
}
