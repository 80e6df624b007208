//! What of a report is drawn: all parts, those at fault in the colour of their worst finding, and a mark for each group
//! of findings.

use std::collections::BTreeMap;

use clearance_check::output::escape::visible;
use clearance_check::output::{groups, way_out, words};
use clearance_check::{Error, Kind, Model, Report};

use super::{Body, Class, Legend, Mark, picture};

/// In pixels.
const SIZE: [u32; 2] = [1200, 760];

/// The largest number of groups marked, worst first.
const MARKS: usize = 14;

/// A picture of what a check of a model found, as SVG.
///
/// # Errors
/// [`Error::Usage`] if the image cannot be encoded.
///
/// ```
/// use clearance_check::{LoadOptions, Model, Rules, check};
/// let path = std::env::temp_dir().join(format!("clearance-draw-{}.obj", std::process::id()));
/// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// let model = Model::load(&[path.clone()], &LoadOptions::default())?;
/// let picture = clearance_view::draw(&model, &check(&model, &Rules::default(), None, &|_, _| {})?)?;
/// assert!(picture.starts_with("<svg") && picture.contains("1 touching"));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), clearance_check::Error>(())
/// ```
pub fn draw(model: &Model, report: &Report) -> Result<String, Error> {
    let mut worst: BTreeMap<&str, Kind> = BTreeMap::new();
    for finding in &report.findings {
        for part in [&finding.a, &finding.b] {
            let kind = worst.entry(part).or_insert(finding.kind);
            *kind = finding.kind.min(*kind);
        }
    }
    let triangles: Vec<Vec<[u32; 3]>> = model.bodies().iter().map(|body| body.mesh.triangles()).collect();
    let bodies: Vec<Body<'_>> = model
        .parts()
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
            let count = match findings.len() {
                1 => String::new(),
                count => format!(" ({count} pairs)"),
            };
            let pair = format!("{} x {}{count}", visible(&group.a), visible(&group.b));
            let words = visible(&words(finding, report)).replace(", ", ",\n");
            let way = way_out(finding, report)
                .map_or_else(String::new, |way| format!("\nway out: {}", visible(&way).replace("; ", ";\n")));
            let label = format!("{}\n{pair}\n{words}{way}", group.kind.name());
            Some(Mark { point: finding.points[0].map(|x| x * scale), label, kind: group.kind })
        })
        .collect();
    let note = report.rules.as_ref().map(|rules| format!("rules of {}", rules.path));
    let legend = Legend { counts: &Kind::ALL.map(|kind| (kind, report.count(kind))), note: note.as_deref() };
    picture(&bodies, &marks, &legend, model.up(), SIZE)
        .map_err(|error| Error::Usage(format!("the picture cannot be drawn: {error}")))
}
