//! `clearance info`: the contents of a file, and defects of its parts.

use std::path::PathBuf;

use clearance_check::output::{Lines, count, cubic, json, short};
use clearance_check::{Body, Error, Input, LeftOpen, LoadOptions, Model, Repair, RepairCounts};
use clearance_files::Unit;
use clearance_view::Scene;
use rayon::prelude::*;
use serde::Serialize;

use super::formats::{ANSWER, by_ending, can_write, pages, write_answer};
use super::{Outcome, write_page};
use crate::print;

/// Show the parts, units and sizes in files, and the defects of each mesh.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  clearance info gearbox.glb\n  clearance info part.stl --unit mm --json")]
pub(super) struct Arguments {
    /// Part files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The unit of files that name none: um, mm, cm, in, ft, m.
    #[arg(long)]
    unit: Option<Unit>,

    /// Report what a repair would do to parts that are not closed: `auto` (within a thousandth of the part's size),
    /// within a length, or `off`.
    #[arg(long, value_name = "off|auto|LENGTH", default_value_t = Repair::Auto)]
    repair: Repair,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    /// Also write the result to FILE, in the format of its ending: .html (an interactive page with the parts), .json,
    /// .csv or .md. Repeatable.
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
}

/// The contents of files. Lengths are in the unit of the first.
#[derive(Debug, Serialize)]
struct Info {
    schema: &'static str,
    unit: Option<String>,
    /// The smallest and the largest coordinates.
    bounds: Option<[[f64; 3]; 2]>,
    inputs: Vec<Input>,
    geometries: Vec<Geometry>,
}

/// What a repair would make of a geometry that is not a solid.
#[derive(Debug, Serialize)]
struct WouldBe {
    /// Whether it would be a solid.
    solid: bool,
    tolerance: f64,
    /// Proved: a bound on the Hausdorff distance between the triangles as given and as repaired.
    distance: Option<f64>,
    #[serde(flatten)]
    counts: RepairCounts,
    left: LeftOpen,
}

/// A geometry and its parts.
#[derive(Debug, Serialize)]
struct Geometry {
    parts: Vec<String>,
    triangles: usize,
    points: usize,
    size: [f64; 3],
    /// Why it is not a solid.
    open: Option<String>,
    /// What a repair would make of it.
    repaired: Option<WouldBe>,
    /// Why its overlaps have neither depth nor volume: it is not a solid, or intersects itself.
    no_depth: Option<String>,
    watertight: bool,
    consistently_wound: bool,
    boundary_edges: usize,
    flipped_edges: usize,
    non_manifold_edges: usize,
    non_manifold_points: usize,
    components: usize,
    degenerate_triangles: usize,
    duplicate_triangles: usize,
    unused_points: usize,
    coincident_points: usize,
    volume: Option<f64>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let files = by_ending(&arguments.output, &ANSWER)?;
    can_write(&files, arguments.files.iter().map(PathBuf::as_path))?;
    let options = LoadOptions { unit: arguments.unit, ..LoadOptions::default() };
    let model = Model::load(&arguments.files, &options)?;
    let mut shown: Vec<Vec<String>> = vec![Vec::new(); model.bodies().len()];
    for part in model.parts() {
        shown[part.body].push(part.id.clone());
    }
    let repair = |body: &Body| -> Result<Option<WouldBe>, Error> {
        if body.open.is_none() {
            return Ok(None);
        }
        let outcome = arguments.repair.of(&body.mesh, model.unit());
        let outcome = outcome.map_err(|problem| Error::Usage(format!("--repair: {problem}")))?;
        Ok(outcome.map(|outcome| WouldBe {
            solid: outcome.solid.is_some(),
            tolerance: outcome.tolerance,
            distance: outcome.solid.map(|solid| solid.distance),
            counts: outcome.counts,
            left: outcome.left,
        }))
    };
    let geometries: Result<Vec<Geometry>, Error> = (model.bodies().par_iter())
        .zip(shown)
        .map(|(body, parts)| {
            let health = body.mesh.health();
            Ok(Geometry {
                parts,
                triangles: body.mesh.triangle_count(),
                points: body.mesh.point_count(),
                size: body.shape.bounds().size().to_array(),
                open: body.open.as_ref().map(ToString::to_string),
                repaired: repair(body)?,
                no_depth: body.flaw(),
                watertight: health.watertight,
                consistently_wound: health.consistently_wound,
                boundary_edges: health.boundary_edges,
                flipped_edges: health.flipped_edges,
                non_manifold_edges: health.non_manifold_edges,
                non_manifold_points: health.non_manifold_points,
                components: health.components,
                degenerate_triangles: health.degenerate.len(),
                duplicate_triangles: health.duplicates.len(),
                unused_points: health.unused_points,
                coincident_points: health.coincident_points,
                volume: health.volume,
            })
        })
        .collect();
    let info = Info {
        schema: "clearance-info/1",
        unit: model.unit().map(|unit| unit.to_string()),
        bounds: model.bounds().map(|bounds| [bounds.min.to_array(), bounds.max.to_array()]),
        inputs: model.inputs().to_vec(),
        geometries: geometries?,
    };
    write_answer(&files, "parts", &info, Some("geometries"))?;
    let pages = pages(&files);
    if !pages.is_empty() {
        let of_parts = count(model.parts().len() as u64, "part");
        let scene = Scene { verdict: of_parts, unit: info.unit.clone(), ..Scene::of_model(&model) };
        pages.into_iter().try_for_each(|path| write_page(path, &scene))?;
    }
    print::result(&if arguments.json { json(&info)? } else { text(&info, &model) })?;
    Ok(if model.unusable().is_empty() { Outcome::Clean } else { Outcome::Failed })
}

/// What a repair would do, as text.
fn would_be(repaired: &WouldBe, unit: &str) -> String {
    let within = format!("{}{unit}", short(repaired.tolerance));
    match repaired.distance {
        Some(distance) => {
            format!("  a solid if repaired within {within}: moved by at most {}{unit}", short(distance))
        }
        None => {
            let LeftOpen { holes, longest_rim, non_manifold_edges, .. } = repaired.left;
            let rim = if holes > 0 { format!(", the longest rim {}{unit}", short(longest_rim)) } else { String::new() };
            let edges = count(non_manifold_edges, "edge") + " of three or more triangles";
            format!("  not a solid if repaired within {within} either: {}{rim}, {edges} left", count(holes, "hole"))
        }
    }
}

fn text(info: &Info, model: &Model) -> String {
    let unit = info.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let mut out = Lines::default();
    for input in &info.inputs {
        let parts = count(input.parts as u64, "part");
        let solids = format!("{} of {} geometries are solids", input.solids, input.geometries);
        out.line(format!("{}: {parts}, {solids}, {}", input.path, count(input.triangles, "triangle")));
        out.line(format!("  sha256 {}", input.sha256));
        input.notes.iter().for_each(|note| out.line(format!("  {note}")));
    }
    if let Some([low, high]) = info.bounds {
        let size = [0, 1, 2].map(|axis| short(high[axis] - low[axis]));
        out.line(format!("box {}{unit}", size.join(" x ")));
    }
    for geometry in &info.geometries {
        let Some(first) = geometry.parts.first() else { continue };
        let instances = geometry.parts.len();
        let times = if instances > 1 { format!("  ({instances} instances)") } else { String::new() };
        let [x, y, z] = geometry.size.map(short);
        out.blank();
        out.line(format!("{first}{times}"));
        let volume = geometry
            .volume
            .map_or_else(String::new, |volume| format!(", volume {}{}", short(volume), cubic(info.unit.as_deref())));
        let kind = if geometry.open.is_none() { "solid" } else { "surface" };
        let triangles = count(geometry.triangles as u64, "triangle");
        out.line(format!("  {triangles}, box {x} x {y} x {z}{unit}{volume}, {kind}"));
        if let Some(open) = &geometry.open {
            out.line(format!("  not a solid: {open}"));
            geometry.repaired.iter().for_each(|repaired| out.line(would_be(repaired, &unit)));
        } else if let Some(flaw) = &geometry.no_depth {
            out.line(format!("  overlaps have neither depth nor volume: {flaw}"));
        }
        let faults = [
            (geometry.boundary_edges, "boundary edges (of one triangle only)"),
            (geometry.flipped_edges, "edges between triangles of opposite winding"),
            (geometry.non_manifold_edges, "non-manifold edges (of three or more triangles)"),
            (geometry.non_manifold_points, "non-manifold points"),
            (geometry.degenerate_triangles, "triangles without area"),
            (geometry.duplicate_triangles, "duplicate triangles"),
            (geometry.unused_points, "unused points"),
            (geometry.coincident_points, "coincident points"),
        ];
        for (number, what) in faults.into_iter().filter(|(number, _)| *number > 0) {
            out.line(format!("  {number} {what}"));
        }
        if geometry.components > 1 {
            out.line(format!("  {} components", geometry.components));
        }
    }
    for (part, why) in model.unusable() {
        out.blank();
        out.line(part);
        out.line(format!("  unusable: {why}"));
    }
    out.text()
}
