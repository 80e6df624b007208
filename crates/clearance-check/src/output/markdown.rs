//! A report as Markdown, for a comment on a pull request.

use super::escape::{markdown, markdown_code};
use super::{Escapes, groups, open_words, remarks, repaired_words, summary_in, verdict, words};
use crate::report::Report;

const ESCAPES: Escapes = Escapes { name: |name| markdown_code(name).into(), text: |text| markdown(text).into() };

pub(super) fn write(report: &Report) -> String {
    let mut out = format!("## Clearance: {}\n\n", verdict(report));
    for warning in &report.warnings {
        out += &format!("> **warning**: {}\n\n", markdown(warning));
    }
    if !report.groups.is_empty() {
        out += "| kind | A | B | pairs | worst | | id |\n| --- | --- | --- | ---: | --- | --- | --- |\n";
    }
    for (group, findings) in groups(report) {
        let Some(finding) = findings.first() else { continue };
        let [a, b, id] = [&finding.a, &finding.b, &finding.id].map(|name| markdown_code(name));
        let remarks: Vec<String> = remarks(finding, report).iter().map(|remark| markdown(remark)).collect();
        out += &format!(
            "| **{}** | {a} | {b} | {} | {} | {} | {id} |\n",
            group.kind.name(),
            group.findings.len(),
            markdown(&words(finding, report)),
            remarks.join("<br>")
        );
    }
    for unmeasured in &report.unmeasured {
        out += &format!("\n**not measured**: {}: {}\n", markdown_code(&unmeasured.part), markdown(&unmeasured.why));
    }
    let repaired = report.repaired.iter().map(|it| ("repaired", &it.parts, repaired_words(it, report)));
    let open = report.open.iter().map(|it| ("open", &it.parts, open_words(it, report)));
    let rows: Vec<_> = repaired.chain(open).collect();
    if !rows.is_empty() {
        out += "\n| geometry of | parts | | |\n| --- | ---: | --- | --- |\n";
    }
    for (what, parts, words) in rows {
        let first = parts.first().map(|part| markdown_code(part)).unwrap_or_default();
        out += &format!("| {first} | {} | {what} | {} |\n", parts.len(), markdown(&words));
    }
    out += "\n";
    for line in summary_in(report, ESCAPES) {
        out += &format!("{line}  \n");
    }
    out
}
