//! The two part files of `distance`, `depth`, `volume` and `explain`.

use std::path::{Path, PathBuf};

use clearance::glam::{DQuat, DVec3};
use clearance::shape::Aabb;
use clearance::shape::topology::closed_and_oriented;
use clearance::{Mesh, Pose};
use clearance_check::output::thousands;
use clearance_check::{Body, Error, LoadOptions, MAX_PAIRS, Model, Part, Pattern, Solid};
use clearance_files::Unit;
use clearance_view::Scene;
use serde::Serialize;

use super::formats::{ANSWER, File, Format, by_ending, can_write, pages, write_answer};
use super::write_page;

/// The files, the parts selected, and the pose of B.
#[derive(Debug, clap::Args)]
pub(super) struct Two {
    /// The file of A.
    pub a: PathBuf,

    /// The file of B.
    pub b: PathBuf,

    /// Move B: `x y z`, or `x y z qx qy qz qw` (a quaternion, w last), or the twelve numbers of a 3x4 matrix, row by
    /// row.
    #[arg(long, value_name = "NUMBERS", value_parser = pose, allow_hyphen_values = true)]
    pub pose: Option<Pose>,

    /// Only parts of A whose names match.
    #[arg(long, value_name = "PATTERN", default_value = "*")]
    part_a: String,

    /// Only parts of B whose names match.
    #[arg(long, value_name = "PATTERN", default_value = "*")]
    part_b: String,

    /// The unit of files that name none: um, mm, cm, in, ft, m.
    #[arg(long)]
    pub unit: Option<Unit>,

    /// Print JSON.
    #[arg(long)]
    pub json: bool,

    /// Also write the answer to FILE, in the format of its ending: .html (an interactive page), .json, .csv or .md.
    /// Repeatable.
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// The same as -o FILE.html, whatever the ending.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// A part and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PosedPart<'m> {
    pub part: &'m Part,
    pub body: &'m Body,
    pub pose: Pose,
}

/// The number of defective edges listed.
const EDGES: usize = 4;

impl PosedPart<'_> {
    /// The index of the part in its model.
    pub fn number(&self, model: &Model) -> usize {
        model.parts().iter().position(|part| std::ptr::eq(part, self.part)).unwrap_or_default()
    }

    /// The bounding box of the posed part.
    pub fn bounds(&self) -> Aabb {
        self.body.shape.bounds().posed(&self.pose)
    }

    /// An error that names the part and its defective edges if it is not a solid, with advice.
    pub fn must_be_solid(&self, model: &Model, advice: &str) -> Result<(), Error> {
        let Some(mut problem) = self.body.flaw() else { return Ok(()) };
        let edges = edges_at_fault(&self.body.mesh);
        if !edges.is_empty() {
            let named = edges.iter().take(EDGES).map(|ends| ends.map(|end| shown(end.to_array())).join(" to "));
            let more = if edges.len() > EDGES { ", ..." } else { "" };
            problem += &format!("; defective edges: {}{more}", named.collect::<Vec<_>>().join(", "));
        }
        problem += &format!("; {advice}");
        let path = PathBuf::from(&model.inputs()[self.part.file].path);
        Err(Error::Part { path, part: self.part.id.clone(), problem })
    }

    /// The same part under a pose that moves all of its file.
    pub fn posed(&self, by: &Pose) -> Result<Self, Error> {
        Ok(PosedPart { pose: moved(&self.pose, by)?, ..*self })
    }
}

/// A pose under another one.
pub(super) fn moved(pose: &Pose, by: &Pose) -> Result<Pose, Error> {
    let moved = Pose::new(by.rotation() * pose.rotation(), by.transform_point(pose.translation()));
    moved.map_err(|error| Error::Usage(format!("--pose: {error}")))
}

/// The edges that keep a mesh from being a solid, by their ends, in the mesh's own frame.
fn edges_at_fault(mesh: &Mesh) -> Vec<[DVec3; 2]> {
    let points: Vec<DVec3> = mesh.points().collect();
    let defects = closed_and_oriented(&mesh.triangles()).err().unwrap_or_default();
    defects.iter().map(|defect| defect.edge.map(|end| points[end as usize])).collect()
}

/// Every part of A with every part of B.
pub(super) fn pairs<'s, 'm>(
    a: &'s [PosedPart<'m>],
    b: &'s [PosedPart<'m>],
) -> impl Iterator<Item = (&'s PosedPart<'m>, &'s PosedPart<'m>)> {
    b.iter().flat_map(move |b| a.iter().map(move |a| (a, b)))
}

impl Two {
    pub fn load_options(&self, solid: Solid) -> LoadOptions {
        LoadOptions { solid, unit: self.unit, ..LoadOptions::default() }
    }

    /// The input files.
    pub fn inputs(&self) -> [&Path; 2] {
        [&self.a, &self.b]
    }

    /// The output files.
    pub fn files(&self) -> Result<Vec<File<'_>>, Error> {
        self.files_for(&ANSWER)
    }

    /// The output files of a command that writes some formats.
    pub fn files_for(&self, known: &[Format]) -> Result<Vec<File<'_>>, Error> {
        let page = self.html.as_deref().map(|path| (path, Format::Html));
        Ok(page.into_iter().chain(by_ending(&self.output, known)?).collect())
    }

    /// Writes an answer to all files but pages: see [`write_answer`].
    pub fn write_files<T: Serialize>(&self, title: &str, answer: &T, rows: Option<&str>) -> Result<(), Error> {
        write_answer(&self.files()?, title, answer, rows)
    }

    /// Reads both files.
    pub fn load(&self, solid: Solid) -> Result<Model, Error> {
        self.load_for(solid, &ANSWER)
    }

    /// Reads both files, for a command that writes some formats.
    pub fn load_for(&self, solid: Solid, known: &[Format]) -> Result<Model, Error> {
        can_write(&self.files_for(known)?, self.inputs())?;
        let model = Model::load(&[self.a.clone(), self.b.clone()], &self.load_options(solid))?;
        match model.unusable().first() {
            Some((part, why)) => Err(Error::Usage(format!("part `{part}` cannot be measured: {why}"))),
            None => Ok(model),
        }
    }

    /// Writes the pages, if any: the parts of both files, B as moved, and what `fill` adds.
    pub fn write_page(&self, model: &Model, fill: impl FnOnce(&mut Scene) -> Result<(), Error>) -> Result<(), Error> {
        let files = self.files()?;
        let pages = pages(&files);
        if pages.is_empty() {
            return Ok(());
        }
        let mut scene = self.scene(model)?;
        fill(&mut scene)?;
        pages.into_iter().try_for_each(|path| write_page(path, &scene))
    }

    /// The parts of both files, B as moved.
    pub fn scene(&self, model: &Model) -> Result<Scene, Error> {
        let mut scene = Scene::of_model(model);
        if let Some(pose) = &self.pose {
            for (shown, part) in scene.parts.iter_mut().zip(model.parts()).filter(|(_, part)| part.file == 1) {
                shown.pose = moved(&part.pose, pose)?;
            }
        }
        Ok(scene)
    }

    /// The matching parts of A and of B, those of B as moved.
    pub fn sides<'m>(&self, model: &'m Model) -> Result<[Vec<PosedPart<'m>>; 2], Error> {
        let a = matching(model, 0, &self.part_a, &self.a)?;
        let b = matching(model, 1, &self.part_b, &self.b)?;
        check_pairs(a.len(), b.len(), "select some with --part-a and --part-b, or split the files")?;
        let Some(pose) = &self.pose else { return Ok([a, b]) };
        Ok([a, b.iter().map(|side| side.posed(pose)).collect::<Result<_, _>>()?])
    }
}

/// Checks that the parts of A and B do not form too many pairs.
pub(super) fn check_pairs(a: usize, b: usize, advice: &str) -> Result<(), Error> {
    let pairs = (a as u64).saturating_mul(b as u64);
    if pairs <= MAX_PAIRS {
        return Ok(());
    }
    let [a, b, pairs, most] = [a as u64, b as u64, pairs, MAX_PAIRS].map(thousands);
    Err(Error::Usage(format!("{a} parts of A and {b} of B form {pairs} pairs, more than {most}: {advice}")))
}

fn matching<'m>(model: &'m Model, file: usize, pattern: &str, path: &Path) -> Result<Vec<PosedPart<'m>>, Error> {
    let of_file = || model.parts().iter().filter(|part| part.file == file);
    let pattern: Pattern = pattern.into();
    let side = |part: &'m Part| PosedPart { part, body: model.body(part), pose: part.pose };
    let found: Vec<PosedPart<'m>> = of_file().filter(|part| pattern.matches(&part.id)).map(side).collect();
    if found.is_empty() {
        let names: Vec<&str> = of_file().take(5).map(|part| part.id.as_str()).collect();
        let problem = format!("no part matches; its parts are {} and so on", names.join(", "));
        return Err(Error::format(path, problem));
    }
    Ok(found)
}

/// Numbers separated by blanks or commas.
fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let words = text.split([' ', ',', '\t', '\n']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_err(|_| format!("`{word}` is not a number"))).collect()
}

/// Parses a pose.
pub(super) fn pose(text: &str) -> Result<Pose, String> {
    let made = match numbers(text)?[..] {
        [x, y, z] => Pose::from_translation(DVec3::new(x, y, z)),
        [x, y, z, qx, qy, qz, qw] => {
            let turn = DQuat::from_xyzw(qx, qy, qz, qw);
            let length = turn.length();
            if !(length.is_finite() && (length - 1.0).abs() <= 1e-3) {
                return Err(format!("the quaternion has length {length}, expected 1"));
            }
            Pose::from_quat(turn.normalize(), DVec3::new(x, y, z))
        }
        [a, b, c, d, e, f, g, h, i, j, k, l] => Pose::from_rows([[a, b, c, d], [e, f, g, h], [i, j, k, l]]),
        ref other => return Err(format!("expected 3, 7 or 12 numbers, got {}", other.len())),
    };
    made.map_err(|error| error.to_string())
}

/// Parses a vector that is not zero.
pub(super) fn vector(text: &str) -> Result<DVec3, String> {
    match numbers(text)?[..] {
        [x, y, z] if [x, y, z].iter().all(|x| x.is_finite()) && [x, y, z] != [0.0; 3] => Ok(DVec3::new(x, y, z)),
        [_, _, _] => Err("expected three finite numbers, not all zero".into()),
        ref other => Err(format!("expected 3 numbers, got {}", other.len())),
    }
}

/// A vector of a length along a direction, without negative zeros.
pub(super) fn along(direction: DVec3, length: f64) -> [f64; 3] {
    (direction * length + DVec3::ZERO).to_array()
}

/// A point or a vector as text.
pub(super) fn shown([x, y, z]: [f64; 3]) -> String {
    format!("({x}, {y}, {z})")
}
