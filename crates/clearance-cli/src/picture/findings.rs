//! What of a report is drawn: all parts, those at fault in the colour of their worst finding, and a mark for each group of findings.

use std::collections::BTreeMap;

use super::{Body, Class, Legend, Mark, picture};
use crate::error::Error;
use crate::model::Model;
use crate::output::escape::visible;
use crate::output::{groups, rules, way_out, words};
use crate::report::{Kind, Report};

/// In pixels.
const SIZE: [u32; 2] = [1200, 760];

/// So many groups are marked, the worst first.
const MARKS: usize = 14;

/// A picture of what was found, as SVG.
pub(crate) fn draw(model: &Model, report: &Report) -> Result<String, Error> {
    let mut worst: BTreeMap<&str, Kind> = BTreeMap::new();
    for finding in &report.findings {
        for part in [&finding.a, &finding.b] {
            let kind = worst.entry(part).or_insert(finding.kind);
            *kind = finding.kind.min(*kind);
        }
    }
    let triangles: Vec<Vec<[u32; 3]>> = model.bodies.iter().map(|body| body.mesh.triangles()).collect();
    let bodies: Vec<Body<'_>> = model
        .parts
        .iter()
        .map(|part| Body {
            points: model.body(part).mesh.points().map(|point| part.pose.transform_point(point).to_array()).collect(),
            triangles: &triangles[part.body],
            class: worst.get(part.id.as_str()).map_or(Class::Plain, |kind| Class::Colour(*kind)),
        })
        .collect();
    // Points of a report are in its own unit.
    let scale = model.scale_from(report.unit.as_deref());
    let marks: Vec<Mark> = (groups(report).into_iter().take(MARKS))
        .filter_map(|(group, findings)| {
            let finding = *findings.first()?;
            // A label has lines of its own.
            let last = |name: &str| visible(name.rsplit('/').next().unwrap_or(name)).into_owned();
            let count = match findings.len() {
                1 => String::new(),
                count => format!(" ({count} pairs)"),
            };
            let pair = format!("{} x {}{count}", last(&finding.a), last(&finding.b));
            let words = visible(&words(finding, report)).replace(", ", ",\n");
            let way = way_out(finding, report).map_or_else(String::new, |way| format!("\nway out: {}", visible(&way)));
            let label = format!("{}\n{pair}\n{words}{way}", group.kind.name());
            Some(Mark { point: finding.points[0].map(|x| x * scale), label, kind: group.kind })
        })
        .collect();
    let note = rules(report).map(|path| format!("rules of {path}"));
    let legend = Legend { counts: &Kind::ALL.map(|kind| (kind, report.count(kind))), note: note.as_deref() };
    picture(&bodies, &marks, &legend, model.up(), SIZE)
        .map_err(|error| Error::Usage(format!("the picture cannot be drawn: {error}")))
}
