//! A report as comma-separated values (RFC 4180): a row per finding, preceded by a row per warning and per geometry
//! that was repaired or is open. The last column is the rules file.

use super::escape::csv;
use super::{open_words, repaired_words, rules};
use crate::report::Report;

const HEADER: &str = "id,kind,how,rule,a,b,gap,lower,upper,clearance,unit,triangle_pairs,places,ax,ay,az,bx,by,bz,\
                      local_depth,local_depth_lower,local_depth_upper,way_out,way_out_lower,way_out_upper,\
                      way_out_x,way_out_y,way_out_z,volume,volume_lower,volume_upper,set,status,comment,rules\r\n";

pub(super) fn write(report: &Report) -> String {
    let mut out = HEADER.to_owned();
    // Rows too, with the text in the column `how`, so that a table without findings is not mistaken for clean.
    let empty = ",".repeat(HEADER.matches(',').count() - 2);
    for warning in &report.warnings {
        out += &format!(",warning,{}{empty}\r\n", csv(warning));
    }
    let noted = report.repaired.iter().map(|it| ("repaired", repaired_words(it, report), &it.parts));
    let noted = noted.chain(report.open.iter().map(|it| ("open", open_words(it, report), &it.parts)));
    for (kind, words, parts) in noted {
        let empty = ",".repeat(HEADER.matches(',').count() - 4);
        let part = parts.first().map(|part| csv(part)).unwrap_or_default();
        out += &format!(",{kind},{},,{part}{empty}\r\n", csv(&words));
    }
    for finding in &report.findings {
        let how = serde_json::to_value(finding.how).ok().and_then(|how| how.as_str().map(str::to_owned));
        let mut fields = vec![
            finding.id.clone(),
            finding.kind.name().to_owned(),
            how.unwrap_or_default(),
            finding.rule.clone(),
            finding.a.clone(),
            finding.b.clone(),
        ];
        let gap = &finding.gap;
        fields.extend([gap.value, gap.lower, gap.upper, finding.clearance].map(|x| x.to_string()));
        fields.push(report.unit.clone().unwrap_or_default());
        fields.extend([finding.triangle_pairs, finding.clusters.len()].map(|x| x.to_string()));
        fields.extend(finding.points.iter().flatten().map(ToString::to_string));
        // Missing values are empty.
        let local = finding.local_depth.as_ref().map(|depth| [depth.value, depth.lower, depth.upper]);
        fields.extend(local.unwrap_or_default().map(|number| number.map(|x| x.to_string()).unwrap_or_default()));
        let way_out = finding.way_out.as_ref().map(|way_out| {
            let [x, y, z] = way_out.translation;
            [way_out.value, way_out.lower, way_out.upper, x, y, z]
        });
        fields
            .extend(way_out.map_or_else(|| vec![String::new(); 6], |numbers| numbers.map(|x| x.to_string()).to_vec()));
        let volume = finding.volume.map(|volume| [volume.value, volume.lower, volume.upper]);
        fields.extend(volume.map_or_else(|| vec![String::new(); 3], |numbers| numbers.map(|x| x.to_string()).to_vec()));
        fields.push(finding.set.clone().unwrap_or_default());
        fields.push(finding.status.map(|status| status.name().to_owned()).unwrap_or_default());
        fields.push(finding.comment.clone().unwrap_or_default());
        fields.push(rules(report).unwrap_or_default().to_owned());
        let fields: Vec<String> = fields.iter().map(|field| csv(field)).collect();
        out += &fields.join(",");
        out += "\r\n";
    }
    out
}
