//! Files in, bodies out: the model that is checked, and what was done to it on loading.
//!
//! Points of equal coordinates are merged where that turns a surface into a solid: it moves nothing, and STL and many
//! glTF files have no closed surface otherwise. Points that differ are merged only on request (`weld`). Both are noted.
//! Geometry that is still not closed is repaired on request ([`crate::repair`]).
//!
//! Lengths stay in the unit of the files. Only when files of several units are checked together are the later ones
//! scaled to the unit of the first, which rounds; this is noted too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clearance::shape::Aabb;
use clearance::{Mesh, Pose, Shape};
use clearance_files::{Assembly, Format, Geometry, Limits, NoteKind, Unit, read_content, weld};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::input::{hash, read_bytes};
use crate::limits::{LARGE_IN_METRES, TOUCH_OF_SIZE};
use crate::output::short;
use crate::repair::{Repair, RepairOutcome, RepairedSolid};
use crate::report::{Input, OpenGeometry, RepairedGeometry};
use crate::reuse::content;

/// Which parts are solids, that is, have an interior.
///
/// ```
/// use clearance_check::Solid;
/// assert_eq!(serde_json::to_string(&Solid::Auto).unwrap(), "\"auto\"");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Solid {
    /// Parts that are closed, consistently wound and outward; the others are surfaces, and reported as such.
    #[default]
    Auto,
    /// All parts; a part that is not closed is an error.
    Yes,
    /// None: only surfaces that meet are found, not a part inside another.
    No,
}

/// How files are turned into bodies.
///
/// ```
/// use clearance_check::{LoadOptions, Solid};
/// assert_eq!(LoadOptions::default().solid, Solid::Auto);
/// ```
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Which parts are solids.
    pub solid: Solid,
    /// The unit of files that do not name one.
    pub unit: Option<Unit>,
    /// The unit of all files, overriding what they or their format say.
    pub file_unit: Option<Unit>,
    /// Merge points up to this far apart, in the unit of the file.
    pub weld: Option<f64>,
    /// Whether parts that are not closed are repaired.
    pub repair: Repair,
}

/// A surface or solid that parts are instances of.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Body {
    /// Its triangles as given, which decide whether and where it meets others; with an interior if they form a solid.
    pub mesh: Mesh,
    /// The same, as an engine shape.
    pub shape: Shape,
    /// Why the triangles are not a solid; `None` if they are, or were declared a surface.
    pub open: Option<clearance::Error>,
    /// The outcome of the repair of triangles that are not a solid, if requested.
    pub repair: Option<RepairOutcome>,
}

impl Body {
    fn new(mesh: Mesh, open: Option<clearance::Error>) -> Body {
        Body { shape: Shape::Mesh(mesh.clone()), mesh, open, repair: None }
    }

    fn repaired(&self) -> Option<&RepairedSolid> {
        self.repair.as_ref()?.solid.as_ref()
    }

    /// Whether it has an interior: as given, or repaired.
    ///
    /// ```
    /// use clearance::Mesh;
    /// use clearance_check::Body;
    /// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let corner = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let (surface, solid) = (Body::from(corner.clone()), Body::from(corner.solid()?));
    /// assert_eq!((surface.is_solid(), solid.is_solid()), (false, true));
    /// assert_eq!((solid.solid_mesh().triangle_count(), solid.repair_distance()), (4, 0.0));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn is_solid(&self) -> bool {
        self.solid_mesh().is_solid()
    }

    /// The mesh that determines what is inside, how deep, and the common volume: the repaired solid, or the mesh as
    /// given. See [`is_solid`](Body::is_solid) for an example.
    pub fn solid_mesh(&self) -> &Mesh {
        self.repaired().map_or(&self.mesh, |solid| &solid.mesh)
    }

    /// [`solid_mesh`](Body::solid_mesh), as an engine shape.
    pub fn solid_shape(&self) -> &Shape {
        self.repaired().map_or(&self.shape, |solid| &solid.shape)
    }

    /// Proved: no point of the repaired solid is farther than this from the triangles as given, nor vice versa. Zero if
    /// nothing was repaired. See [`is_solid`](Body::is_solid) for an example.
    pub fn repair_distance(&self) -> f64 {
        self.repaired().map_or(0.0, |solid| solid.distance)
    }

    /// Whether [`solid_mesh`](Body::solid_mesh) differs from the triangles as given.
    pub(crate) fn is_repaired(&self) -> bool {
        self.repaired().is_some()
    }

    /// Whether it is closed, and fails to be a solid only because its winding is inverted.
    fn is_inside_out(&self) -> bool {
        !self.is_solid() && matches!(self.open, Some(clearance::Error::InsideOut { .. }))
    }
}

/// A mesh as it is: a solid if it is one.
///
/// ```
/// use clearance::Mesh;
/// use clearance_check::Body;
/// let sheet = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// assert_eq!(Body::from(sheet).flaw().unwrap(), "it was declared a surface");
/// # Ok::<(), clearance::Error>(())
/// ```
impl From<Mesh> for Body {
    fn from(mesh: Mesh) -> Body {
        Body::new(mesh, None)
    }
}

/// An instance of a body.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part {
    /// Its name, unique over all files.
    pub id: String,
    /// Index of its file among the inputs of the model.
    pub file: usize,
    /// Index of its body among those of the model.
    pub body: usize,
    /// From the body to the world.
    pub pose: Pose,
}

/// The parts of all files: the input of a check.
///
/// ```
/// use clearance_check::{LoadOptions, Model};
/// let path = std::env::temp_dir().join(format!("clearance-model-{}.obj", std::process::id()));
/// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
/// let model = Model::load(&[path.clone()], &LoadOptions::default()).unwrap();
/// assert_eq!(model.names().collect::<Vec<_>>(), ["one"]);
/// assert_eq!((model.inputs().len(), model.unit(), model.unusable()), (1, None, &[][..]));
/// let body = model.body(&model.parts()[0]);
/// assert_eq!((body.mesh.triangle_count(), body.flaw().is_some()), (1, true));
/// # std::fs::remove_file(&path).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) inputs: Vec<Input>,
    inside_out: Vec<usize>,
    pub(crate) bodies: Vec<Body>,
    /// For each body, a hash of the geometry it was made from.
    pub(crate) contents: Vec<[u8; 32]>,
    /// For each body, the name of its mesh in the file; may be empty.
    pub(crate) mesh_names: Vec<String>,
    pub(crate) parts: Vec<Part>,
    pub(crate) unit: Option<Unit>,
    pub(crate) unusable: Vec<(String, String)>,
    pub(crate) solid: Solid,
    pub(crate) weld: Option<f64>,
    pub(crate) repair: Repair,
}

impl Model {
    /// Reads files.
    ///
    /// # Errors
    /// [`Error`], naming the file and the location in it.
    pub fn load(paths: &[PathBuf], options: &LoadOptions) -> Result<Model, Error> {
        if paths.is_empty() {
            return Err(Error::Usage("no input files".into()));
        }
        let mut model = Model {
            inputs: Vec::new(),
            inside_out: Vec::new(),
            bodies: Vec::new(),
            contents: Vec::new(),
            mesh_names: Vec::new(),
            parts: Vec::new(),
            unit: None,
            unusable: Vec::new(),
            solid: options.solid,
            weld: options.weld,
            repair: options.repair,
        };
        let mut names = Names::default();
        for (file, path) in paths.iter().enumerate() {
            let bytes = read_bytes(path)?;
            let sha256 = hash(&bytes);
            let mut assembly = read_content(&bytes, path, &Limits::default())?;
            drop(bytes);
            let unit = options.file_unit.or(assembly.unit).or(options.unit);
            let mut notes: Vec<String> = Vec::new();
            let unit_of_first = if file == 0 { unit } else { model.unit };
            if unit != unit_of_first {
                let (Some(unit), Some(of_first)) = (unit, unit_of_first) else {
                    let name = |unit: Option<Unit>| unit.map_or("no unit".into(), |unit| unit.to_string());
                    return Err(Error::Usage(format!(
                        "{}: in {}, but {} is in {}; use --unit to set the unit of files that name none",
                        path.display(),
                        name(unit),
                        paths[0].display(),
                        name(unit_of_first),
                    )));
                };
                scale(&mut assembly, unit.metres() / of_first.metres(), path)?;
                notes.push(format!("scaled from {unit} to {of_first}, the unit of {}", paths[0].display()));
            }
            model.unit = unit_of_first;
            if let Some((said, unit)) = assembly.unit.zip(options.file_unit).filter(|(said, unit)| said != unit) {
                notes.push(format!("read as {unit} because of --file-unit, not as {said}"));
            }
            if let Some(tolerance) = options.weld {
                assembly.weld(tolerance)?;
            }
            let (solid, repair, unit_of_parts) = (options.solid, options.repair, model.unit);
            let contents: Vec<[u8; 32]> = assembly.geometries.par_iter().map(content).collect();
            if let Repair::Within(length) = repair {
                length.in_unit(unit_of_parts).map_err(|problem| Error::Usage(format!("--repair: {problem}")))?;
            }
            let make = |geometry: &mut Geometry| {
                let (mut body, joined) = make(geometry, solid)?;
                body.mend(repair, unit_of_parts);
                Ok((body, joined))
            };
            // Files often store a geometry several times: it is made, and repaired, once, and its mesh is shared.
            let mut first_of: BTreeMap<&[u8; 32], usize> = BTreeMap::new();
            let firsts: Vec<usize> =
                contents.iter().zip(0..).map(|(content, number)| *first_of.entry(content).or_insert(number)).collect();
            let geometries = assembly.geometries.par_iter_mut().zip(firsts.par_iter().enumerate());
            let of_firsts: Vec<Option<Result<(Body, u64), String>>> =
                geometries.map(|(geometry, (number, &first))| (first == number).then(|| make(geometry))).collect();
            let made = firsts.iter().filter_map(|&first| of_firsts[first].clone());
            let (mut joined, mut solids) = (0, 0);
            // The number of inside-out geometries, and the message for the first.
            let mut inside_out: (usize, Option<String>) = (0, None);
            // For each geometry its body index, or why it has none.
            let mut bodies: Vec<Result<usize, String>> = Vec::new();
            for (number, made) in made.enumerate() {
                let body = made.map(|(body, points)| {
                    joined += points;
                    solids += usize::from(body.is_solid());
                    model.bodies.push(body);
                    model.contents.push(contents[number]);
                    model.mesh_names.push(assembly.geometries[number].name.clone());
                    model.bodies.len() - 1
                });
                let shown = || {
                    let shown = assembly.parts.iter().find(|part| part.geometry == number);
                    shown.map_or_else(String::new, |part| part.name.clone())
                };
                let open = body.as_ref().ok().map(|&body| &model.bodies[body]);
                if let Some((body, problem)) = open.and_then(|body| Some((body, body.open.as_ref()?))) {
                    if solid == Solid::Yes && !body.is_solid() {
                        return Err(Error::Part { path: path.clone(), part: shown(), problem: problem.to_string() });
                    }
                    if body.is_inside_out() {
                        inside_out.0 += 1;
                        inside_out.1.get_or_insert_with(|| format!("part `{}`: {problem}", shown()));
                    }
                }
                bodies.push(body);
            }
            if joined > 0 {
                notes.push(format!("merged {joined} points of equal coordinates to close surfaces"));
            }
            // Skip the no-unit note if the unit is known.
            let is_news = |kind| kind != NoteKind::Ignored && (kind != NoteKind::Unit || unit.is_none());
            notes.extend(assembly.notes.iter().filter(|note| is_news(note.kind)).map(ToString::to_string));
            for part in &assembly.parts {
                let id = names.unique(&part.name, path);
                match bodies.get(part.geometry) {
                    Some(Ok(body)) => model.parts.push(Part { id, file, body: *body, pose: part.pose }),
                    Some(Err(problem)) => model.unusable.push((id, problem.clone())),
                    None => model.unusable.push((id, "it has no geometry".into())),
                }
            }
            if let (count, Some(first)) = &inside_out {
                let all = assembly.geometries.len();
                notes.push(format!("{count} of {all} geometries are inside out and are treated as surfaces; {first}"));
            }
            model.inside_out.push(inside_out.0);
            model.inputs.push(Input {
                path: path.display().to_string(),
                sha256,
                unit: unit.map(|unit| unit.to_string()),
                geometries: assembly.geometries.len(),
                solids,
                parts: assembly.parts.len(),
                triangles: assembly.triangles(),
                notes,
            });
        }
        let size = model.size();
        if model.unit == Some(Unit::Metre) && options.file_unit.is_none() && size > LARGE_IN_METRES {
            let size = short(size);
            let note = format!("the parts span {size} m: if the file is in millimetres, use --file-unit mm");
            model.inputs[0].notes.push(note);
        }
        Ok(model)
    }

    /// The diagonal of the bounding box of all parts.
    pub fn size(&self) -> f64 {
        let boxes = self.parts.iter().map(|part| self.body(part).shape.bounds().posed(&part.pose));
        let ends = boxes.map(|part| (part.min, part.max));
        let all = ends.reduce(|(min, max), (low, high)| (min.min(low), max.max(high)));
        all.map_or(0.0, |(min, max)| (max - min).length())
    }

    /// The default touch band: gaps and overlaps up to this count as touching. A ten-millionth of
    /// [`size`](Model::size), so that it does not depend on the unit.
    pub fn touch_band(&self) -> f64 {
        TOUCH_OF_SIZE * self.size()
    }

    /// The input files, as listed in a report.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// For each input, the number of geometries that are closed but inside out.
    pub fn inside_out(&self) -> &[usize] {
        &self.inside_out
    }

    /// The bodies that parts are instances of.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The parts that can be measured, in file order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The names of parts that cannot be measured, and why.
    pub fn unusable(&self) -> &[(String, String)] {
        &self.unusable
    }

    /// The unit of all lengths in the model: that of the first file.
    pub fn unit(&self) -> Option<Unit> {
        self.unit
    }

    /// The repair setting the model was loaded with.
    pub fn repair(&self) -> Repair {
        self.repair
    }

    /// The solid setting the model was loaded with.
    pub fn solid(&self) -> Solid {
        self.solid
    }

    /// The names of the parts, in file order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| part.id.as_str())
    }

    /// The factor from lengths in `unit`, such as that of a report, to lengths in the model's unit; one if either is
    /// unknown.
    pub fn scale_from(&self, unit: Option<&str>) -> f64 {
        let unit: Option<Unit> = unit.and_then(|unit| unit.parse().ok());
        unit.zip(self.unit).map_or(1.0, |(from, to)| from.metres() / to.metres())
    }

    /// The body of a part of this model.
    pub fn body(&self, part: &Part) -> &Body {
        &self.bodies[part.body]
    }

    /// The up axis, 0, 1 or 2: y for glTF, z for other formats.
    pub fn up(&self) -> usize {
        let is_gltf = |path: &str| Format::by_ending(Path::new(path)) == Some(Format::Gltf);
        if self.inputs.first().is_some_and(|input| is_gltf(&input.path)) { 1 } else { 2 }
    }

    /// For each body, the names of its parts.
    fn names_of_bodies(&self) -> Vec<Vec<String>> {
        let mut names = vec![Vec::new(); self.bodies.len()];
        self.parts.iter().for_each(|part| names[part.body].push(part.id.clone()));
        names
    }

    /// The geometries that are solids only after repair, and those that are not closed; lengths are in the unit of the
    /// model.
    pub(crate) fn repaired_and_open(&self) -> (Vec<RepairedGeometry>, Vec<OpenGeometry>) {
        let (mut repaired, mut left_open) = (Vec::new(), Vec::new());
        let bodies = self.bodies.iter().zip(&self.mesh_names).zip(self.names_of_bodies());
        for ((body, geometry), parts) in bodies.filter(|(_, parts)| !parts.is_empty()) {
            let geometry = geometry.clone();
            match (&body.open, &body.repair) {
                (None, _) => {}
                (Some(_), Some(done)) if body.is_solid() => repaired.push(RepairedGeometry {
                    geometry,
                    parts,
                    tolerance: done.tolerance,
                    distance: body.repair_distance(),
                    counts: done.counts,
                }),
                (Some(why), done) => left_open.push(OpenGeometry {
                    geometry,
                    parts,
                    why: why.to_string(),
                    tolerance: done.as_ref().map(|done| done.tolerance),
                    left: done.as_ref().map(|done| done.left),
                }),
            }
        }
        (repaired, left_open)
    }

    /// The bounding box of all placed parts.
    pub fn bounds(&self) -> Option<Aabb> {
        let boxes = self.parts.iter().map(|part| self.body(part).shape.bounds().posed(&part.pose));
        boxes.reduce(|a, b| Aabb::new(a.min.min(b.min), a.max.max(b.max)))
    }
}

/// The body of a geometry, a solid if possible and permitted, and how many points were merged for that.
fn make(geometry: &mut Geometry, solid: Solid) -> Result<(Body, u64), String> {
    let build =
        |geometry: &Geometry| Mesh::new(&geometry.points, &geometry.triangles).map_err(|error| error.to_string());
    let surface = build(geometry)?;
    if solid == Solid::No {
        return Ok((Body::new(surface, None), 0));
    }
    if let Ok(mesh) = surface.solid() {
        return Ok((Body::new(mesh, None), 0));
    }
    let welded = weld(geometry, 0.0).map_err(|error| error.to_string())?;
    let surface = if welded.merged > 0 { build(geometry)? } else { surface };
    let body = match surface.solid() {
        Ok(mesh) => Body::new(mesh, None),
        Err(error) => Body::new(surface, Some(error)),
    };
    Ok((body, welded.merged))
}

impl Body {
    /// Repairs triangles that are not closed, if requested. If the repair distance is zero, the repaired triangles
    /// cover the same points as those given and replace them: they meet other parts in the same places.
    fn mend(&mut self, wanted: Repair, unit: Option<Unit>) {
        // A mesh that would get too many triangles stays as it is: open.
        let outcome = self.open.as_ref().and_then(|_| wanted.of(&self.mesh, unit).ok()?);
        let Some(mut outcome) = outcome else { return };
        if let Some(solid) = outcome.solid.take_if(|solid| solid.distance == 0.0) {
            (self.mesh, self.shape) = (solid.mesh, solid.shape);
        }
        self.repair = Some(outcome);
    }
}

/// Scales an assembly to another unit. Points and translations are rounded once each.
fn scale(assembly: &mut Assembly, factor: f64, path: &Path) -> Result<(), Error> {
    assembly.geometries.iter_mut().flat_map(|geometry| &mut geometry.points).flatten().for_each(|x| *x *= factor);
    for part in &mut assembly.parts {
        part.pose = Pose::new(part.pose.rotation(), part.pose.translation() * factor).map_err(|error| Error::Part {
            path: path.to_owned(),
            part: part.name.clone(),
            problem: error.to_string(),
        })?;
    }
    Ok(())
}

/// Part names, unique over all files: a name already used by an earlier file is prefixed with the file name.
#[derive(Debug, Default)]
struct Names {
    given: BTreeSet<String>,
}

impl Names {
    fn unique(&mut self, name: &str, path: &Path) -> String {
        if self.given.insert(name.to_owned()) {
            return name.to_owned();
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let with_file = format!("{stem}/{name}");
        let mut unique = with_file.clone();
        let mut count = 1;
        while !self.given.insert(unique.clone()) {
            count += 1;
            unique = format!("{with_file}#{count}");
        }
        unique
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
