//! A check as a scene.

use std::collections::BTreeMap;

use clearance::Mesh;
use clearance_check::output::{groups, open_words, summary, thousands, verdict};
use clearance_check::{Finding, LocalDepth, Model, Report, SearchOutcome};
use rayon::prelude::*;

use crate::common::common;
use crate::sentence::{proved, sentence, with_unit};
use crate::{Proved, Scene, SceneFinding, ScenePart, SceneTable};

/// Of so many findings, the worst, what the parts have in common is drawn, if it has no more than so many triangles.
const OVERLAPS: usize = 500;
pub(crate) const TRIANGLES: usize = 50_000;

impl Scene {
    /// The parts of a model, with nothing said about them; lengths are in the unit of the model.
    ///
    /// ```
    /// use clearance_check::{LoadOptions, Model};
    /// use clearance_view::Scene;
    /// let path = std::env::temp_dir().join(format!("clearance-parts-{}.obj", std::process::id()));
    /// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    /// let scene = Scene::of_model(&Model::load(&[path.clone()], &LoadOptions::default()).unwrap());
    /// assert_eq!((scene.parts[0].name.as_str(), scene.findings.len()), ("one", 0));
    /// # std::fs::remove_file(&path).unwrap();
    /// ```
    pub fn of_model(model: &Model) -> Scene {
        let files: Vec<&str> = model.inputs().iter().map(|input| last(&input.path)).collect();
        Scene {
            title: files.join(", "),
            unit: model.unit().map(|unit| unit.to_string()),
            up: model.up(),
            meshes: model.bodies().iter().map(|body| body.mesh.clone()).collect(),
            parts: (model.parts().iter())
                .map(|part| ScenePart { name: part.id.clone(), mesh: part.body, pose: part.pose })
                .collect(),
            ..Scene::default()
        }
    }

    /// What a check of a model found.
    ///
    /// ```
    /// use clearance_check::{LoadOptions, Model, Rules, check};
    /// use clearance_view::Scene;
    /// let path = std::env::temp_dir().join(format!("clearance-scene-{}.obj", std::process::id()));
    /// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
    /// let model = Model::load(&[path.clone()], &LoadOptions::default()).unwrap();
    /// let scene = Scene::of_check(&model, &check(&model, &Rules::default(), None, &|_, _| {}).unwrap());
    /// assert_eq!((scene.parts.len(), scene.findings[0].a, scene.findings[0].b), (2, 0, 1));
    /// # std::fs::remove_file(&path).unwrap();
    /// ```
    pub fn of_check(model: &Model, report: &Report) -> Scene {
        let numbers: BTreeMap<&str, usize> = model.names().zip(0..).collect();
        let titles: BTreeMap<&str, String> = groups(report)
            .into_iter()
            .flat_map(|(group, findings)| {
                let title = format!("{}: {} × {}", group.kind.name(), group.a, group.b);
                // Known and approved findings have groups of their own.
                findings.into_iter().map(move |finding| match finding.status.filter(|_| !finding.is_new()) {
                    Some(status) => (finding.id.as_str(), format!("{} {title}", status.name())),
                    None => (finding.id.as_str(), title.clone()),
                })
            })
            .collect();
        let scale = 1.0 / model.scale_from(report.unit.as_deref());
        let overlap = |finding: &Finding, a: usize, b: usize| -> Option<Mesh> {
            let placed = |part: usize| (model.body(&model.parts()[part]).solid_mesh(), &model.parts()[part].pose);
            let volume = finding.volume?;
            common(placed(a), placed(b), scale, Proved::new(volume.value, volume.lower, volume.upper), TRIANGLES)
        };
        let findings = report.findings.par_iter().enumerate().filter_map(|(rank, finding)| {
            let (a, b) = (*numbers.get(finding.a.as_str())?, *numbers.get(finding.b.as_str())?);
            let group = titles.get(finding.id.as_str()).cloned().unwrap_or_default();
            let overlap = if rank < OVERLAPS { overlap(finding, a, b) } else { None };
            Some(SceneFinding { group, overlap, ..of_finding(finding, a, b, report.unit.as_deref()) })
        });
        let warnings = report.warnings.iter().map(|warning| format!("Warning: {warning}"));
        let unmeasured = report.unmeasured.iter().map(|part| format!("Not measured: {}: {}", part.part, part.why));
        let mut summary = summary(report);
        summary.extend(report.inputs.iter().flat_map(|input| input.notes.iter().cloned()));
        summary.extend(report.inputs.iter().map(|input| format!("SHA-256 of {}: {}", input.path, input.sha256)));
        summary.push(format!("clearance {}", report.version));
        Scene {
            verdict: verdict(report),
            summary,
            notes: warnings.chain(unmeasured).collect(),
            tables: tables(report),
            unit: report.unit.clone(),
            scale,
            findings: findings.collect(),
            ..Scene::of_model(model)
        }
    }
}

/// The largest number of rows of a table on a page.
const ROWS: usize = 1000;

/// Overlaps that are allowed, geometries that were repaired, and those that are open.
fn tables(report: &Report) -> Vec<SceneTable> {
    let unit = report.unit.as_deref();
    let table = |title: &str, columns: &[&str], mut rows: Vec<Vec<String>>| {
        let title = format!("{title} ({})", thousands(rows.len() as u64));
        rows.truncate(ROWS);
        SceneTable { title, columns: columns.iter().map(|&name| name.to_owned()).collect(), rows }
    };
    let allowed = report.allowed.iter().map(|it| {
        let depth = it.local_depth.as_ref().and_then(|depth| depth.upper);
        vec![it.a.clone(), it.b.clone(), depth.map_or_else(String::new, |depth| with_unit(depth, unit))]
    });
    let of = |parts: &[String]| {
        let first = parts.first().cloned().unwrap_or_default();
        if parts.len() > 1 { format!("{first} ({} instances)", parts.len()) } else { first }
    };
    let repaired = report.repaired.iter().map(|it| vec![of(&it.parts), with_unit(it.distance, unit), it.done()]);
    let open = report.open.iter().map(|it| vec![of(&it.parts), open_words(it, report)]);
    let tables = [
        table("Allowed overlaps, such as fits", &["A", "B", "depth, at most"], allowed.collect()),
        table("Repaired parts", &["part", "moved by at most", "repairs"], repaired.collect()),
        table("Open parts, without an interior", &["part", "why"], open.collect()),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// The largest number of places of a finding whose depth is shown.
const PLACES: usize = 8;

/// How deep at each place, in words.
fn depths_of_places(finding: &Finding, unit: Option<&str>) -> Option<String> {
    let depths = finding.clusters.iter().filter_map(|cluster| cluster.local_depth.as_ref()?.value);
    let depths: Vec<String> = depths.map(|depth| with_unit(depth, unit)).collect();
    let more = if depths.len() > PLACES { ", ..." } else { "" };
    (!depths.is_empty()).then(|| depths.iter().take(PLACES).cloned().collect::<Vec<_>>().join(", ") + more)
}

fn of_finding(finding: &Finding, a: usize, b: usize, unit: Option<&str>) -> SceneFinding {
    let gap = &finding.gap;
    let mut details = vec![("rule".to_owned(), finding.rule.clone())];
    details.extend(finding.set.clone().map(|set| ("set".to_owned(), set)));
    details.extend(finding.status.map(|status| ("status".to_owned(), status.name().to_owned())));
    details.extend(finding.comment.clone().map(|comment| ("comment".to_owned(), comment)));
    if finding.clearance > 0.0 {
        details.push(("required".to_owned(), with_unit(finding.clearance, unit)));
    }
    if finding.triangle_pairs > 0 {
        let places = finding.clusters.len();
        let places =
            format!("{} pairs in {places} place{}", finding.triangle_pairs, if places == 1 { "" } else { "s" });
        details.push(("triangles that meet".to_owned(), places));
    }
    let (depth, way_out) = (finding.local_depth.as_ref(), finding.way_out.as_ref());
    details.extend(depths_of_places(finding, unit).map(|depths| ("depth at each place".to_owned(), depths)));
    let about = |search: SearchOutcome| match search {
        SearchOutcome::Estimate => "depth is an estimate",
        _ => "depth search incomplete",
    };
    details.extend(depth.and_then(|it| Some((about(it.search).to_owned(), it.why.clone()?))));
    let repaired = depth.map_or(0.0, |depth| depth.widened_by);
    if repaired > 0.0 {
        let by = format!("the bracket of the depth allows for {}", with_unit(repaired, unit));
        details.push(("repaired parts".to_owned(), by));
    }
    details.extend(way_out.map(|way| {
        let bracket = Proved::new(way.value, way.lower, way.upper);
        let of = if way.of_repaired { ", of the repaired solids" } else { "" };
        ("way out".to_owned(), format!("{}, {}{of}", with_unit(way.value, unit), proved(bracket, unit)))
    }));
    details.extend(way_out.and_then(|way| way.why.clone()).map(|why| ("way out not searched".to_owned(), why)));
    SceneFinding {
        sentence: sentence(finding, unit),
        gap: Some(Proved::new(gap.value, gap.lower, gap.upper)),
        depth: depth.and_then(LocalDepth::numbers).map(|[value, lower, upper]| Proved::new(value, lower, upper)),
        volume: finding.volume.map(|volume| Proved::new(volume.value, volume.lower, volume.upper)),
        points: Some(finding.points),
        loops: finding.clusters.iter().flat_map(|cluster| cluster.loops.clone()).collect(),
        // A translation that is only known to be long enough is not shown.
        way_out: way_out.filter(|way| way.search != SearchOutcome::None).map(|way| way.translation),
        details,
        ..SceneFinding::new(&finding.id, finding.kind.into(), a, b)
    }
}

/// The last word of a path of names.
fn last(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}
