//! `clearance self`: where a mesh meets itself, in one file, or from frame to frame while it deforms.

use std::path::{Path, PathBuf};

use clearance::answer::{SelfIntersection, SelfIntersectionKind, StepCollisions};
use clearance::query::{
    ImpactSelection, SelfCulling, SelfIntersectionsOptions, StepOptions, self_collisions_with, self_intersections_with,
};
use clearance::{DeformingMesh, Mesh};
use clearance_check::Error;
use clearance_check::output::{Lines, json};
use clearance_view::sentence::feature;
use serde::Serialize;

use super::formats::{File, Format, by_ending, can_write, write_answer};
use super::{Outcome, does_not_hold};
use crate::print;

/// List where a mesh meets itself: all pairs of triangles of one file that meet in more than the corners and edges they
/// share; of two or more files, the frames of a mesh that deforms, the collisions of each step from one to the next.
///
/// The lists are exact: nothing is missed, nothing is invented.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The mesh; or its frames, in order, with the same triangles in each. All parts of a file count as one mesh.
    /// Several frames need shared points, which STL does not have.
    #[arg(required = true, value_name = "MESH")]
    files: Vec<PathBuf>,

    /// The weakest way of meeting to list, of one file: `rims` are edges and corners that meet without being shared,
    /// `crossing` a triangle in the inside of another, `overlap` a common area.
    #[arg(long, value_name = "KIND", default_value = "rims")]
    least: Least,

    /// Only the first impact of each step.
    #[arg(long)]
    first: bool,

    /// How to find what may meet. `boxes` and `curvature` give the same lists; `curvature` passes over surfaces that
    /// are not folded, and pays from the second step on. `normals` is a heuristic: it may miss what is there.
    #[arg(long, value_name = "HOW")]
    culling: Option<Culling>,

    /// Verify the lists by independent code; slow for large meshes.
    #[arg(long)]
    verify: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    /// Also write the answer to FILE, in the format of its ending: .json, .csv or .md. Repeatable.
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  clearance self part.stl                            pairs of triangles that meet; exit 1 if there are any
  clearance self part.stl --least crossing --json    without those that only touch along their rims
  clearance self cloth-*.ply                         what collides from each frame to the next
  clearance self cloth-0.ply cloth-1.ply --first -o impacts.csv

In one file, corners with equal coordinates are shared. From frame to frame, triangles that share a point of the file
are not tested against each other, and pairs that meet at the start of a step are listed apart. Other things that may
be wrong with a mesh: `clearance info`. Exit 0: it does not meet itself; 1: it does; 2: an error.";

/// The files that this command writes.
const WRITTEN: [Format; 3] = [Format::Json, Format::Csv, Format::Markdown];

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Least {
    Rims,
    Crossing,
    Overlap,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Culling {
    Boxes,
    Curvature,
    Normals,
}

/// The pairs of one file.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    triangles: usize,
    pairs: Vec<Pair>,
    /// Verified by independent code; null if not requested.
    verified: Option<bool>,
}

/// Two triangles that meet, counted from 0 in the order of the file.
#[derive(Debug, Serialize)]
struct Pair {
    a: u32,
    b: u32,
    /// `rims`, `crossing` or `overlap`.
    kind: &'static str,
    /// The ends of what they have in common.
    segment: [[f64; 3]; 2],
}

/// The collisions of all steps.
#[derive(Debug, Serialize)]
struct StepsAnswer {
    schema: &'static str,
    triangles: usize,
    steps: usize,
    impacts: Vec<Impact>,
    intersecting: Vec<AtStart>,
    verified: Option<bool>,
}

/// Two features that touch on the way from the frame `step` to the next, frames counted from 0.
#[derive(Debug, Serialize)]
struct Impact {
    step: usize,
    a: String,
    b: String,
    lower: f64,
    upper: f64,
    point: [f64; 3],
}

/// Two triangles without a common point of the file that meet in the frame `step`.
#[derive(Debug, Serialize)]
struct AtStart {
    step: usize,
    a: u32,
    b: u32,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let outputs: Vec<File<'_>> = by_ending(&arguments.output, &WRITTEN)?;
    can_write(&outputs, arguments.files.iter().map(PathBuf::as_path))?;
    match &arguments.files[..] {
        [file] if arguments.first => {
            Err(Error::Usage(format!("--first: expected two frames or more, got only {}", file.display())))
        }
        [file] => of_file(file, arguments, &outputs),
        [first, later @ ..] => of_frames(first, later, arguments, &outputs),
        [] => Err(Error::Usage("no files".into())),
    }
}

/// The points and the triangles of a mesh.
type Plain = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// All parts of a file as one mesh.
fn read(path: &Path) -> Result<Plain, Error> {
    let whole = clearance_files::read(path).map_err(Error::Files)?.as_one();
    Ok((whole.points, whole.triangles))
}

fn culling(asked: Option<Culling>, otherwise: SelfCulling) -> SelfCulling {
    match asked {
        None => otherwise,
        Some(Culling::Boxes) => SelfCulling::Boxes,
        Some(Culling::Curvature) => SelfCulling::Curvature,
        Some(Culling::Normals) => SelfCulling::Normals,
    }
}

fn of_file(file: &Path, arguments: &Arguments, outputs: &[File<'_>]) -> Result<Outcome, Error> {
    let (points, triangles) = read(file)?;
    let mesh = Mesh::new(&points, &triangles).map_err(|error| Error::format(file, error))?;
    let least = match arguments.least {
        Least::Rims => SelfIntersectionKind::Rims,
        Least::Crossing => SelfIntersectionKind::Crossing,
        Least::Overlap => SelfIntersectionKind::Overlap,
    };
    let options = SelfIntersectionsOptions { least, culling: culling(arguments.culling, SelfCulling::Boxes) };
    let found = self_intersections_with(&mesh, &options);
    let refused = arguments.verify.then(|| SelfIntersection::verify_all(&found, &mesh, &options).err());
    let pairs = found.iter().map(|pair| {
        let [a, b] = pair.triangles;
        let kind = match pair.kind {
            SelfIntersectionKind::Rims => "rims",
            SelfIntersectionKind::Crossing => "crossing",
            SelfIntersectionKind::Overlap => "overlap",
        };
        Pair { a, b, kind, segment: pair.segment.map(|end| end.to_array()) }
    });
    let verified = refused.as_ref().map(Option::is_none);
    let schema = "clearance-self/1";
    let answer = Answer { schema, triangles: triangles.len(), pairs: pairs.collect(), verified };
    write_answer(outputs, "triangles that meet", &answer, Some("pairs"))?;
    print::result(&if arguments.json { json(&answer)? } else { text(&answer) })?;
    if let Some(Some(refusal)) = refused {
        return Err(does_not_hold(&refusal));
    }
    Ok(if found.is_empty() { Outcome::Clean } else { Outcome::Findings })
}

fn of_frames(first: &Path, later: &[PathBuf], arguments: &Arguments, outputs: &[File<'_>]) -> Result<Outcome, Error> {
    for file in std::iter::once(first).chain(later.iter().map(PathBuf::as_path)) {
        if clearance_files::Format::by_ending(file) == Some(clearance_files::Format::Stl) {
            let problem = "STL has no shared points to match between frames: use OBJ, PLY, OFF, glTF or 3MF";
            return Err(Error::format(file, problem));
        }
    }
    let (points, triangles) = read(first)?;
    let mut mesh = DeformingMesh::new(&points, &triangles).map_err(|error| Error::format(first, error))?;
    let wanted = if arguments.first { ImpactSelection::First } else { ImpactSelection::All };
    // The tree of regions pays from the second step on.
    let otherwise = if later.len() > 1 { SelfCulling::Curvature } else { SelfCulling::Boxes };
    let culling = culling(arguments.culling, otherwise);
    let options = StepOptions { wanted, culling, ..StepOptions::default() };
    let mut answer = StepsAnswer {
        schema: "clearance-self-steps/1",
        triangles: triangles.len(),
        steps: later.len(),
        impacts: Vec::new(),
        intersecting: Vec::new(),
        verified: arguments.verify.then_some(true),
    };
    let mut refused = None;
    for (step, file) in later.iter().enumerate() {
        let (moved, same) = read(file)?;
        if triangles != same {
            let problem = format!("its triangles are not those of {}, or not in the same order", first.display());
            return Err(Error::format(file, problem));
        }
        mesh.move_to(&moved).map_err(|error| Error::format(file, error))?;
        let found = self_collisions_with(&mesh, &options);
        if arguments.verify && refused.is_none() {
            refused = found.verify_self(&options, &mesh).err();
        }
        answer.add(step, &found);
    }
    answer.verified = answer.verified.map(|_| refused.is_none());
    write_answer(outputs, "impacts from frame to frame", &answer, Some("impacts"))?;
    print::result(&if arguments.json { json(&answer)? } else { steps_text(&answer) })?;
    if let Some(refusal) = refused {
        return Err(does_not_hold(&refusal));
    }
    let none = answer.impacts.is_empty() && answer.intersecting.is_empty();
    Ok(if none { Outcome::Clean } else { Outcome::Findings })
}

impl StepsAnswer {
    fn add(&mut self, step: usize, found: &StepCollisions) {
        self.impacts.extend(found.impacts.iter().map(|impact| {
            let [a, b] = impact.features.map(feature);
            let (lower, upper) = (impact.time.lower, impact.time.upper);
            Impact { step, a, b, lower, upper, point: impact.point.to_array() }
        }));
        self.intersecting.extend(found.intersecting.iter().map(|&[a, b]| AtStart { step, a, b }));
    }
}

/// The number of entries of each list in the text.
const SHOWN: usize = 20;

fn text(answer: &Answer) -> String {
    let mut out = Lines::default();
    let count = answer.pairs.len();
    out.line(match count {
        0 => format!("{} triangles, none meets another", answer.triangles),
        _ => format!("{} triangles, {count} pairs meet", answer.triangles),
    });
    for Pair { a, b, kind, segment: [from, to] } in answer.pairs.iter().take(SHOWN) {
        out.line(format!("  {a} and {b}, {kind}, from {from:?} to {to:?}"));
    }
    more(&mut out, count);
    verified(&mut out, answer.verified);
    out.text()
}

fn steps_text(answer: &StepsAnswer) -> String {
    let mut out = Lines::default();
    let plural = if answer.steps == 1 { "" } else { "s" };
    out.line(format!("{} triangles, {} step{plural}", answer.triangles, answer.steps));
    out.line(match answer.impacts.len() {
        0 => "no impact".into(),
        count => format!("impacts   {count}"),
    });
    for Impact { step, a, b, lower, point, .. } in answer.impacts.iter().take(SHOWN) {
        out.line(format!("  step {step}, t {lower:<22} {a} and {b} at {point:?}"));
    }
    more(&mut out, answer.impacts.len());
    if let Some(AtStart { step, a, b }) = answer.intersecting.first() {
        let pairs = answer.intersecting.len();
        out.line(format!(
            "{pairs} pairs of triangles meet at the start of a step, the first {a} and {b} of step {step}"
        ));
    }
    verified(&mut out, answer.verified);
    out.text()
}

fn more(out: &mut Lines, count: usize) {
    if count > SHOWN {
        out.line(format!("  and {} more: --json has all", count - SHOWN));
    }
}

fn verified(out: &mut Lines, verified: Option<bool>) {
    if verified == Some(true) {
        out.line("verified by independent code");
    }
}
