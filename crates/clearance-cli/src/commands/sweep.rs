//! `clearance sweep`: what collides while meshes deform or a body moves, with proofs.

use std::path::{Path, PathBuf};

use clearance::DeformingMesh;
use clearance::answer::StepCollisions;
use clearance::query::{ImpactSelection, StepOptions, self_collisions_with, step_collisions_with};
use clearance_check::Error;
use clearance_check::output::{Lines, json};
use clearance_view::Scene;
use clearance_view::sentence::feature;
use serde::Serialize;

use super::formats::{ANSWER, File, Format, by_ending, can_write, pages, write_answer};
use super::{Outcome, does_not_hold, sweep_rigid, write_page};
use crate::print;

/// Find collisions of moving bodies: of meshes that deform from one file to another, every point on a straight line;
/// or, with --from or --to, of one file that moves as a rigid body past another.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The mesh at the start and at the end of the step, then the other mesh at both, if there is one. A single mesh is
    /// tested against itself. Both files of a mesh must have the same triangles; STL has no shared points and is
    /// refused. With --from or --to: the moving body, then the resting one, in any format.
    #[arg(value_name = "FILE", num_args = 2..=4)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    rigid: sweep_rigid::RigidArguments,

    /// Only the first impact.
    #[arg(long, conflicts_with_all = ["within", "from", "to"])]
    first: bool,

    /// The first impact and those within this time after it, as a fraction of the step; each contact once.
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true, conflicts_with_all = ["from", "to"])]
    within: Option<f64>,

    /// Verify the answer by independent code; slow for large meshes and for bodies that pass closely.
    #[arg(long)]
    verify: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    /// Also write the answer to FILE, in the format of its ending: .html (an interactive page), .json, .csv or .md.
    /// Repeatable.
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// The same as -o FILE.html, whatever the ending: the meshes on their way, with a slider; each impact jumps to its
    /// time.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  clearance sweep cloth-0.ply cloth-1.ply                    the cloth against itself
  clearance sweep cloth-0.ply cloth-1.ply ball-0.obj ball-1.obj --first --json
  clearance sweep cloth-0.ply cloth-1.ply --html cloth.html
  clearance sweep bullet.stl plate.stl --from '0 0 100' --to '0 0 -100 0 0.38 0 0.92' --json
  clearance sweep lid.stl box.stl --to '0 0 0 0 0 1 0' --screw --html lid.html

Triangles that share a point are not tested against each other. Exit 1 if anything touches, or meets at the start.";

/// The impacts of a step.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    /// A bracket of the time of the first impact, as a fraction of the step.
    first: Option<[f64; 2]>,
    impacts: Vec<Impact>,
    /// Pairs of triangles that intersect at the start.
    intersecting: Vec<[u32; 2]>,
    candidates: u64,
    /// Verified by independent code; null if not requested.
    verified: Option<bool>,
}

/// Two features that touch.
#[derive(Debug, Serialize)]
struct Impact {
    a: String,
    b: String,
    lower: f64,
    upper: f64,
    point: [f64; 3],
    normal: Option<[f64; 3]>,
    coordinates: [f64; 2],
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let page = arguments.html.as_deref().map(|path| (path, Format::Html));
    let outputs: Vec<File<'_>> = page.into_iter().chain(by_ending(&arguments.output, &ANSWER)?).collect();
    can_write(&outputs, arguments.files.iter().map(PathBuf::as_path))?;
    if arguments.rigid.are_given() {
        let Arguments { rigid, files, verify, json, .. } = arguments;
        return sweep_rigid::run(rigid, files, *verify, *json, &outputs);
    }
    let meshes = match &arguments.files[..] {
        [start, end] => vec![load(start, end)?],
        [start, end, other_start, other_end] => vec![load(start, end)?, load(other_start, other_end)?],
        other => return Err(Error::Usage(format!("expected 2 or 4 files, got {}", other.len()))),
    };
    let wanted = match arguments.within {
        Some(within) if within.is_nan() || within < 0.0 => {
            return Err(Error::Usage(format!("--within {within}: expected a fraction of the step, 0 or more")));
        }
        Some(within) => ImpactSelection::NearFirst(within),
        None if arguments.first => ImpactSelection::First,
        None => ImpactSelection::All,
    };
    let options = StepOptions { wanted, ..StepOptions::default() };
    let (found, refused) = match &meshes[..] {
        [mesh] => {
            let found = self_collisions_with(mesh, &options);
            let refused = arguments.verify.then(|| found.verify_self(&options, mesh).err());
            (found, refused)
        }
        [a, b, ..] => {
            let found = step_collisions_with(a, b, &options);
            let refused = arguments.verify.then(|| found.verify(&options, a, b).err());
            (found, refused)
        }
        [] => return Err(Error::Usage("no files".into())),
    };
    let pages = pages(&outputs);
    if !pages.is_empty() {
        let scene = Scene::of_step(&part_names(&arguments.files), &meshes, &found)?;
        pages.into_iter().try_for_each(|path| write_page(path, &scene))?;
    }
    let answer = answer(&found, refused.as_ref().map(Option::is_none));
    write_answer(&outputs, "impacts in a step", &answer, Some("impacts"))?;
    print::result(&if arguments.json { json(&answer)? } else { text(&answer, &meshes) })?;
    if let Some(Some(refusal)) = refused {
        return Err(does_not_hold(&refusal));
    }
    Ok(if found.impacts.is_empty() && found.intersecting.is_empty() { Outcome::Clean } else { Outcome::Findings })
}

/// The names of the meshes: those of the files at the start.
fn part_names(files: &[PathBuf]) -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    files.iter().step_by(2).map(name).collect()
}

/// A mesh at both ends of a step.
fn load(start: &Path, end: &Path) -> Result<DeformingMesh, Error> {
    let ((points, triangles), (moved, same)) = (read(start)?, read(end)?);
    if triangles != same {
        let problem = format!("its triangles are not those of {}, or not in the same order", start.display());
        return Err(Error::format(end, problem));
    }
    let mut mesh = DeformingMesh::new(&points, &triangles).map_err(|error| Error::format(start, error))?;
    mesh.move_to(&moved).map_err(|error| Error::format(end, error))?;
    Ok(mesh)
}

/// The points and the triangles of a mesh.
type Plain = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// All parts of a file as one mesh.
fn read(path: &Path) -> Result<Plain, Error> {
    if clearance_files::Format::by_ending(path) == Some(clearance_files::Format::Stl) {
        let problem = "STL has no shared points to match between files: use OBJ, PLY, OFF, glTF or 3MF";
        return Err(Error::format(path, problem));
    }
    let whole = clearance_files::read(path).map_err(Error::Files)?.as_one();
    Ok((whole.points, whole.triangles))
}

fn answer(found: &StepCollisions, verified: Option<bool>) -> Answer {
    let impacts = found.impacts.iter().map(|impact| {
        let [a, b] = impact.features.map(feature);
        Impact {
            a,
            b,
            lower: impact.time.lower,
            upper: impact.time.upper,
            point: impact.point.to_array(),
            normal: impact.normal.map(|normal| normal.to_array()),
            coordinates: impact.coordinates,
        }
    });
    Answer {
        schema: "clearance-sweep/1",
        first: found.impacts.first().map(|first| [first.time.lower, first.time.upper]),
        impacts: impacts.collect(),
        intersecting: found.intersecting.clone(),
        candidates: found.counts.candidates,
        verified,
    }
}

/// The number of impacts in the text.
const SHOWN: usize = 20;

fn text(answer: &Answer, meshes: &[DeformingMesh]) -> String {
    let triangles: Vec<String> = meshes.iter().map(|mesh| mesh.triangle_count().to_string()).collect();
    let mut out = Lines::default();
    out.line(format!("{} triangles, {} near pairs of features", triangles.join(" and "), answer.candidates));
    match answer.first {
        None => out.line("no impact in the step"),
        Some([lower, upper]) => {
            out.line(format!("first     {lower} <= t <= {upper}"));
            out.line(format!("impacts   {}", answer.impacts.len()));
        }
    }
    for impact in answer.impacts.iter().take(SHOWN) {
        let [x, y, z] = impact.point;
        out.line(format!("  t {:<22} {} and {} at ({x}, {y}, {z})", impact.lower, impact.a, impact.b));
    }
    if answer.impacts.len() > SHOWN {
        out.line(format!("  and {} more: --json has all", answer.impacts.len() - SHOWN));
    }
    if !answer.intersecting.is_empty() {
        let [one, other] = answer.intersecting[0];
        let pairs = answer.intersecting.len();
        out.line(format!("{pairs} pairs of triangles intersect at the start, the first {one} and {other}"));
    }
    if answer.verified == Some(true) {
        out.line("verified by independent code");
    }
    out.text()
}
