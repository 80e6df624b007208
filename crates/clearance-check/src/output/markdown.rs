//! A report as Markdown, for a comment on a pull request.

use super::escape::{markdown, markdown_code};
use super::{Escapes, groups_of, is_marked, open_words, remarks, repaired_words, summary_in, verdict, words};
use crate::known::Status;
use crate::report::Report;

const ESCAPES: Escapes = Escapes { name: |name| markdown_code(name).into(), text: |text| markdown(text).into() };

pub(super) fn write(report: &Report) -> String {
    let mut out = format!("## Clearance: {}\n\n", verdict(report));
    for warning in &report.warnings {
        out += &format!("> **warning**: {}\n\n", markdown(warning));
    }
    if !report.groups.is_empty() {
        let [title, line] = if is_marked(report) { ["| status ", "| --- "] } else { ["", ""] };
        out += &format!("{title}| kind | A | B | pairs | worst | | id |\n");
        out += &format!("{line}| --- | --- | --- | ---: | --- | --- | --- |\n");
    }
    let rows = [Status::New, Status::Known, Status::Approved].map(|status| (status, groups_of(report, status)));
    let rows = rows.into_iter().flat_map(|(status, groups)| groups.into_iter().map(move |group| (status, group)));
    for (status, (group, findings)) in rows {
        let Some(finding) = findings.first() else { continue };
        if is_marked(report) {
            out += &format!("| {} ", status.name());
        }
        let [a, b, id] = [&finding.a, &finding.b, &finding.id].map(|name| markdown_code(name));
        let set = finding.set.as_ref().map(|set| format!("set: {set}"));
        let remarks = set.into_iter().chain(remarks(finding, report));
        let remarks: Vec<String> = remarks.map(|remark| markdown(&remark)).collect();
        out += &format!(
            "| **{}** | {a} | {b} | {} | {} | {} | {id} |\n",
            group.kind.name(),
            findings.len(),
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
