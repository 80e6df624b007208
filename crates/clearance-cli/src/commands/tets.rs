//! `clearance tets`: where meshes of tetrahedra meet, or one meets itself, with proofs.

use std::path::{Path, PathBuf};

use clearance::answer::{TetCounts, TetDepth};
use clearance::query::{
    TetAlgorithm, TetNeighbours, TetOptions, TetWorkspace, tet_depths, tet_pairs_with, tet_self_pairs_with,
};
use clearance::{Pose, TetMesh};
use clearance_check::Error;
use clearance_check::output::{Lines, json};
use clearance_files::read_tets;
use serde::Serialize;

use super::two::pose;
use super::{Outcome, does_not_hold};
use crate::print;

/// Find where the surface of one mesh of tetrahedra meets the volume of another, and the other way round; of a single
/// mesh, where it meets itself. Inverted and flat tetrahedra are reported.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// One mesh, which is tested against itself, or two: Gmsh 2.2 or 4.1 (.msh), or an unstructured grid of legacy VTK
    /// (.vtk), ASCII or binary.
    #[arg(value_name = "FILE", num_args = 1..=2)]
    files: Vec<PathBuf>,

    /// Move the second mesh: `x y z`, or `x y z qx qy qz qw` (a quaternion, w last), or the twelve numbers of a 3x4
    /// matrix, row by row. Each point is rounded once; answers are exact for the rounded points.
    #[arg(long, value_name = "NUMBERS", value_parser = pose, allow_hyphen_values = true)]
    pose: Option<Pose>,

    /// How pairs are found. All find the same.
    #[arg(long, value_enum, default_value_t = Algorithm::WideTree)]
    algorithm: Algorithm,

    /// Which tetrahedra of a single mesh are neighbours, and not tested against each other's faces: those that share a
    /// point, or only those that share a face.
    #[arg(long, value_enum, default_value_t = Neighbours::Point, conflicts_with = "pose")]
    neighbours: Neighbours,

    /// Of two meshes, also list the vertices of each that are inside the other: in which tetrahedron, and how deep.
    #[arg(long)]
    depth: bool,

    /// Verify the answer by independent code; slow for large meshes.
    #[arg(long)]
    verify: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Algorithm {
    /// Octrees of buckets.
    BucketTree,
    /// A hash table over the cells of a grid.
    SpatialHash,
    /// Wide trees of boxes.
    WideTree,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Neighbours {
    Point,
    Face,
}

const EXAMPLES: &str = "\
A pair is a face of a surface and a tetrahedron that share a point; touching counts. Faces and tetrahedra are counted
from 0: tetrahedra in the order of the file, without other elements; faces, which are those with one tetrahedron only,
in the order of their tetrahedra, and within one in the order of the corners opposite. --json lists the points of each
face that occurs. Both meshes are in one frame, in one unit.

Examples:
  clearance tets liver.msh needle.msh                    what the surfaces meet
  clearance tets liver.msh needle.msh --pose '0 0 -12.5' --json
  clearance tets liver.msh needle.msh --depth            vertices inside, and how deep
  clearance tets bent.vtk                                one mesh against itself

Exit codes: 0 nothing meets and every tetrahedron has a positive volume; 1 something meets, or a tetrahedron is inverted
or flat; 2 error.";

/// Where two meshes meet, or one meets itself.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    meshes: Vec<MeshReport>,
    /// Faces of A with tetrahedra of B, or of one mesh with its own, in ascending order.
    faces_of_a: Vec<[u32; 2]>,
    /// Faces of B with tetrahedra of A; null for a single mesh.
    faces_of_b: Option<Vec<[u32; 2]>>,
    /// Vertices of A in B and of B in A; null if not requested.
    depths: Option<[Vec<Depth>; 2]>,
    /// Pairs whose boxes meet.
    candidates: u64,
    /// Verified by independent code; null if not requested.
    verified: Option<bool>,
}

#[derive(Debug, Serialize)]
struct MeshReport {
    file: String,
    points: usize,
    tets: usize,
    surface_faces: usize,
    inverted: Vec<u32>,
    flat: Vec<u32>,
    /// Faces of more than two tetrahedra, by their points.
    crowded: Vec<[u32; 3]>,
    /// The faces that occur in pairs: number, points and tetrahedron.
    faces: Vec<Face>,
    /// What the reader left out.
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Face {
    face: u32,
    points: [u32; 3],
    tet: u32,
}

/// A vertex inside the other mesh.
#[derive(Debug, Serialize)]
struct Depth {
    vertex: u32,
    tet: u32,
    coordinates: [f64; 4],
    depth: f64,
    lower: f64,
    upper: f64,
    /// The nearest face of the other surface, and the nearest point of it.
    face: u32,
    point: [f64; 3],
}

impl From<&TetDepth> for Depth {
    fn from(found: &TetDepth) -> Depth {
        Depth {
            vertex: found.vertex,
            tet: found.tet,
            coordinates: found.coordinates.map(|coordinate| coordinate.value),
            depth: found.surface.distance.value,
            lower: found.surface.distance.lower,
            upper: found.surface.distance.upper,
            face: found.surface.witness.part,
            point: found.surface.witness.point.to_array(),
        }
    }
}

/// A mesh with what is said of it.
struct Loaded {
    mesh: TetMesh,
    report: MeshReport,
}

impl Loaded {
    fn new(path: &Path, pose: Option<&Pose>) -> Result<Loaded, Error> {
        let mut found = read_tets(path).map_err(Error::Files)?;
        if let Some(pose) = pose {
            found.points.iter_mut().for_each(|point| *point = pose.transform_point((*point).into()).to_array());
        }
        let mesh = TetMesh::new(&found.points, &found.tets).map_err(|error| Error::format(path, error))?;
        let health = mesh.health();
        let report = MeshReport {
            file: path.display().to_string(),
            points: mesh.points().len(),
            tets: mesh.tets().len(),
            surface_faces: mesh.surface_faces().len(),
            inverted: health.inverted,
            flat: health.flat,
            crowded: health.crowded,
            faces: Vec::new(),
            notes: found.notes.iter().map(ToString::to_string).collect(),
        };
        Ok(Loaded { mesh, report })
    }

    /// Describes the faces of pairs.
    fn describe(&mut self, pairs: &[[u32; 2]]) {
        let mut numbers: Vec<u32> = pairs.iter().map(|pair| pair[0]).collect();
        numbers.dedup();
        let face = |face: u32| {
            let found = self.mesh.surface_faces()[face as usize];
            Face { face, points: found.corners, tet: found.tet }
        };
        self.report.faces = numbers.into_iter().map(face).collect();
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let options = TetOptions {
        algorithm: match arguments.algorithm {
            Algorithm::BucketTree => TetAlgorithm::BucketTree,
            Algorithm::SpatialHash => TetAlgorithm::SpatialHash,
            Algorithm::WideTree => TetAlgorithm::WideTree,
        },
        neighbours: match arguments.neighbours {
            Neighbours::Point => TetNeighbours::Point,
            Neighbours::Face => TetNeighbours::Face,
        },
        ..TetOptions::default()
    };
    let mut workspace = TetWorkspace::default();
    let (answer, refused) = match &arguments.files[..] {
        [file] if arguments.pose.is_some() || arguments.depth => {
            let problem = format!("--pose and --depth need two meshes, got only {}", file.display());
            return Err(Error::Usage(problem));
        }
        [file] => {
            let mut a = Loaded::new(file, None)?;
            let found = tet_self_pairs_with(&a.mesh, &options, &mut workspace);
            let refused = arguments.verify.then(|| found.verify(&a.mesh, options.neighbours).err());
            a.describe(&found.pairs);
            (answer(vec![a.report], found.pairs, None, found.counts), refused)
        }
        [file_a, file_b] => {
            let (mut a, mut b) = (Loaded::new(file_a, None)?, Loaded::new(file_b, arguments.pose.as_ref())?);
            let found = tet_pairs_with(&a.mesh, &b.mesh, &options, &mut workspace);
            let refused = arguments.verify.then(|| found.verify(&a.mesh, &b.mesh).err());
            a.describe(&found.faces_of_a);
            b.describe(&found.faces_of_b);
            let depths = |one: &TetMesh, other: &TetMesh| -> Result<Vec<Depth>, Error> {
                let found = tet_depths(one, other).map_err(|error| Error::Usage(format!("--depth: {error}")))?;
                if arguments.verify {
                    TetDepth::verify_all(&found, one, other).map_err(|refusal| does_not_hold(&refusal))?;
                }
                Ok(found.iter().map(Depth::from).collect())
            };
            let depths = match arguments.depth {
                true => Some([depths(&a.mesh, &b.mesh)?, depths(&b.mesh, &a.mesh)?]),
                false => None,
            };
            let reports = vec![a.report, b.report];
            let answer = Answer { depths, ..answer(reports, found.faces_of_a, Some(found.faces_of_b), found.counts) };
            (answer, refused)
        }
        other => return Err(Error::Usage(format!("expected 1 or 2 files, got {}", other.len()))),
    };
    let answer = Answer { verified: refused.as_ref().map(Option::is_none), ..answer };
    print::result(&if arguments.json { json(&answer)? } else { text(&answer) })?;
    if let Some(Some(refusal)) = refused {
        return Err(does_not_hold(&refusal));
    }
    let meets = !answer.faces_of_a.is_empty() || answer.faces_of_b.as_ref().is_some_and(|pairs| !pairs.is_empty());
    let is_broken = answer.meshes.iter().any(|mesh| !mesh.inverted.is_empty() || !mesh.flat.is_empty());
    Ok(if meets || is_broken { Outcome::Findings } else { Outcome::Clean })
}

fn answer(
    meshes: Vec<MeshReport>,
    faces_of_a: Vec<[u32; 2]>,
    faces_of_b: Option<Vec<[u32; 2]>>,
    counts: TetCounts,
) -> Answer {
    let candidates = counts.candidates;
    Answer { schema: "clearance-tets/1", meshes, faces_of_a, faces_of_b, depths: None, candidates, verified: None }
}

/// How many elements are named in the text.
const SHOWN: usize = 5;

fn named(elements: &[u32]) -> String {
    let shown: Vec<String> = elements.iter().take(SHOWN).map(u32::to_string).collect();
    let more = if elements.len() > SHOWN { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn text(answer: &Answer) -> String {
    let mut out = Lines::default();
    for mesh in &answer.meshes {
        let MeshReport { file, tets, surface_faces, inverted, flat, crowded, .. } = mesh;
        out.line(format!("{file}: {tets} tetrahedra, {surface_faces} faces of the surface"));
        for (what, elements) in [("inverted", inverted), ("flat", flat)] {
            if !elements.is_empty() {
                out.line(format!("  {} {what}: tetrahedra {}", elements.len(), named(elements)));
            }
        }
        if let Some([a, b, c]) = crowded.first() {
            let count = crowded.len();
            out.line(format!("  {count} faces of more than two tetrahedra, the first between points {a}, {b} and {c}"));
        }
        mesh.notes.iter().for_each(|note| out.line(format!("  {note}")));
    }
    let mut pairs = |what: &str, pairs: &[[u32; 2]]| {
        out.line(format!("{what}: {} pairs", pairs.len()));
        for [face, tet] in pairs.iter().take(SHOWN) {
            out.line(format!("  face {face} meets tetrahedron {tet}"));
        }
        if pairs.len() > SHOWN {
            out.line(format!("  and {} more: --json has all", pairs.len() - SHOWN));
        }
    };
    match &answer.faces_of_b {
        None => pairs("surface against its own volume", &answer.faces_of_a),
        Some(faces_of_b) => {
            pairs("surface of A against volume of B", &answer.faces_of_a);
            pairs("surface of B against volume of A", faces_of_b);
        }
    }
    for (who, depths) in ["A in B", "B in A"].into_iter().zip(answer.depths.iter().flatten()) {
        let deepest = depths.iter().max_by(|one, other| one.depth.total_cmp(&other.depth));
        match deepest {
            None => out.line(format!("no vertex of {who}")),
            Some(Depth { vertex, tet, depth, .. }) => {
                let count = depths.len();
                out.line(format!("{count} vertices of {who}, the deepest {vertex} by {depth} in tetrahedron {tet}"));
            }
        }
    }
    if answer.verified == Some(true) {
        out.line("verified by independent code");
    }
    out.text()
}
