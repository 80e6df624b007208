//! A report as comma-separated values (RFC 4180): a line for each finding. The last column is the file of rules.

use super::escape::csv;
use super::rules;
use crate::report::Report;

const HEADER: &str = "id,kind,how,rule,a,b,gap,lower,upper,clearance,unit,triangle_pairs,places,ax,ay,az,bx,by,bz,\
                      depth,depth_lower,depth_upper,way_out_x,way_out_y,way_out_z,volume,volume_lower,volume_upper,\
                      local_depth,local_depth_lower,local_depth_upper,rules\r\n";

pub(super) fn write(report: &Report) -> String {
    let mut out = HEADER.to_owned();
    // A line too, with the text where others say how parts lie, so that a table without findings is not taken for clean.
    let empty = ",".repeat(HEADER.matches(',').count() - 2);
    for warning in &report.warnings {
        out += &format!(",warning,{}{empty}\r\n", csv(warning));
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
        // What a finding does not have is empty.
        let depth = finding.depth.as_ref().map(|depth| {
            let [x, y, z] = depth.way_out;
            [depth.value, depth.lower, depth.upper, x, y, z]
        });
        fields.extend(depth.map_or_else(|| vec![String::new(); 6], |numbers| numbers.map(|x| x.to_string()).to_vec()));
        let volume = finding.volume.map(|volume| [volume.value, volume.lower, volume.upper]);
        fields.extend(volume.map_or_else(|| vec![String::new(); 3], |numbers| numbers.map(|x| x.to_string()).to_vec()));
        let local = finding.local_depth.as_ref().map(|depth| [depth.value, depth.lower, depth.upper]);
        fields.extend(local.map_or_else(|| vec![String::new(); 3], |numbers| numbers.map(|x| x.to_string()).to_vec()));
        fields.push(rules(report).unwrap_or_default().to_owned());
        let fields: Vec<String> = fields.iter().map(|field| csv(field)).collect();
        out += &fields.join(",");
        out += "\r\n";
    }
    out
}
