//! Collision geometry as bodies: primitives as they are, meshes with every triangle.
//!
//! A mesh is scaled as given in the URDF; a mirroring scale reverses the triangles, so that the outside stays outside.
//! Vertices of equal coordinates are merged (STL has three per triangle), which moves nothing. If the surface is then
//! closed and consistently wound it is a solid, whose interior counts; otherwise it is checked as a surface, with a
//! note.
//!
//! Meshes may be preloaded ([`LoadedMesh`]): then no files are read.
//!
//! A file is read once, whatever the names and scales under which it is used. All meshes of a robot share one
//! [`Budget`], which grows with the files that are read: thousands of scales of one mesh are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clearance::glam::DVec3;
use clearance::{Mesh, Shape};
use clearance_files::{Budget, Geometry as Surface, OverLimit, read_content, read_regular, weld};

use crate::collada;
use crate::error::Error;
use crate::hull_tree::HullTree;
use crate::robot::{Ball, LoadOptions};
use crate::urdf::Geometry;

/// A body in its own frame, with its bounding volumes.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    pub shape: Shape,
    pub ball: Ball,
    /// Set for meshes only.
    pub hulls: Option<Arc<HullTree>>,
}

impl Solid {
    pub fn new(shape: Shape) -> Solid {
        let hulls = match &shape {
            Shape::Mesh(mesh) => HullTree::new(mesh).map(Arc::new),
            _ => None,
        };
        Solid { ball: ball(&shape), shape, hulls }
    }
}

/// A mesh of a robot as it was loaded, with its URI in the URDF. [`Robot::meshes`](crate::Robot::meshes) has those of a
/// robot, and [`LoadOptions::meshes`](crate::LoadOptions::meshes) takes them in place of files: so a robot can be
/// restored where its files are not available, or built without any.
///
/// ```
/// use clearance::{Mesh, glam::DVec3};
/// use clearance_robot::{LoadOptions, LoadedMesh, Robot};
/// let text = r#"<robot name="r"><link name="a"><collision>
///   <geometry><mesh filename="package://parts/wedge.stl" scale="2 2 2"/></geometry></collision></link></robot>"#;
/// let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
/// let wedge = LoadedMesh {
///     uri: "package://parts/wedge.stl".into(),
///     scale: DVec3::splat(2.0),
///     path: "wedge.stl".into(),
///     mesh: Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?,
/// };
/// let robot = Robot::parse("r.urdf", text, &LoadOptions { meshes: vec![wedge], ..LoadOptions::default() })?;
/// assert!(robot.meshes()[0].mesh.is_solid());
/// // The same robot from what it holds: no file is read.
/// let options = LoadOptions { meshes: robot.meshes().to_vec(), ..LoadOptions::default() };
/// assert_eq!(Robot::parse("r.urdf", text, &options)?.meshes(), robot.meshes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedMesh {
    /// The URI in the URDF: `package://`, `file://` or a path.
    pub uri: String,
    /// The scale factors in the URDF, already applied to the mesh.
    pub scale: DVec3,
    /// The file it was read from, for notes.
    pub path: PathBuf,
    /// The mesh in the frame of the geometry. If it is closed and consistently wound, the robot treats it as a solid.
    pub mesh: Mesh,
}

impl LoadedMesh {
    /// Why the mesh bounds no solid, so that the robot treats it as a surface without interior; `None` for a solid.
    pub fn why_open(&self) -> Option<clearance::Error> {
        if self.mesh.is_solid() { None } else { self.mesh.solid().err() }
    }
}

/// How many files a note names.
const NAMED: usize = 10;

/// The URI of a mesh and the bits of its scale.
type Called = (String, [u64; 3]);

/// Builds the bodies of geometries; meshes used by several of them only once.
pub(crate) struct Loader<'o> {
    options: &'o LoadOptions,
    budget: Budget,
    /// The meshes of the URDF, each URI and scale once.
    pub meshes: Vec<LoadedMesh>,
    /// The body of each.
    solids: Vec<Solid>,
    /// Indices of meshes by URI and scale.
    called: BTreeMap<Called, usize>,
    /// Indices of meshes by a hash of their content: two names may refer to the same mesh.
    alike: BTreeMap<u64, Vec<usize>>,
    /// Indices of preloaded meshes by URI and scale.
    given: BTreeMap<Called, usize>,
    /// Surfaces of files as read, by absolute path.
    files: BTreeMap<PathBuf, Surface>,
}

fn called(uri: &str, scale: DVec3) -> Called {
    // Adding zero turns -0 into 0.
    (uri.to_owned(), scale.to_array().map(|part| (part + 0.0).to_bits()))
}

impl Loader<'_> {
    pub fn new(options: &LoadOptions) -> Loader<'_> {
        let mut given = BTreeMap::new();
        for (number, mesh) in options.meshes.iter().enumerate() {
            given.entry(called(&mesh.uri, mesh.scale)).or_insert(number);
        }
        Loader {
            options,
            budget: Budget::new(&options.limits, 0),
            meshes: Vec::new(),
            solids: Vec::new(),
            called: BTreeMap::new(),
            alike: BTreeMap::new(),
            given,
            files: BTreeMap::new(),
        }
    }

    /// The body of a geometry, in the geometry's own frame.
    pub fn body(&mut self, link: &str, geometry: &Geometry, urdf: &Path) -> Result<Solid, Error> {
        let made = match geometry {
            Geometry::Box { size } => Shape::cuboid(0.5 * *size),
            Geometry::Cylinder { radius, length } => Shape::cylinder(0.5 * length, *radius),
            Geometry::Capsule { radius, length } => Shape::capsule(0.5 * length, *radius),
            Geometry::Sphere { radius } => Shape::sphere(*radius),
            Geometry::Mesh { uri, scale } => return self.mesh(link, uri, *scale, urdf),
        };
        made.map(Solid::new).map_err(|problem| Error::Body { name: link.into(), problem })
    }

    fn mesh(&mut self, link: &str, uri: &str, scale: DVec3, urdf: &Path) -> Result<Solid, Error> {
        let name = called(uri, scale);
        if let Some(&known) = self.called.get(&name) {
            return Ok(self.solids[known].clone());
        }
        let (path, mesh) = match self.given.get(&name) {
            Some(&given) => {
                let LoadedMesh { path, mesh, .. } = &self.options.meshes[given];
                (path.clone(), mesh.clone())
            }
            None => {
                let found = self.options.packages.find(urdf, uri);
                let path = found.map_err(|tried| Error::MissingMesh { link: link.into(), uri: uri.into(), tried })?;
                let mesh = self.of_file(link, &path, scale)?;
                (path, mesh)
            }
        };
        let solid = if mesh.is_solid() { Ok(mesh.clone()) } else { mesh.solid() };
        let mesh = solid.unwrap_or(mesh);
        let alike = self.alike.entry(hash(&mesh)).or_default();
        let same = alike.iter().copied().find(|&known| self.meshes[known].mesh == mesh);
        let solid = same.map_or_else(|| Solid::new(Shape::Mesh(mesh.clone())), |same| self.solids[same].clone());
        alike.push(self.meshes.len());
        self.called.insert(name, self.meshes.len());
        self.meshes.push(LoadedMesh { uri: uri.into(), scale, path, mesh });
        self.solids.push(solid.clone());
        Ok(solid)
    }

    /// The mesh of a file, scaled, with vertices of equal coordinates merged.
    fn of_file(&mut self, link: &str, path: &Path, scale: DVec3) -> Result<Mesh, Error> {
        let fault = |problem: String| Error::Mesh { link: link.into(), path: path.to_owned(), problem };
        let over = |over: OverLimit| Error::Limit { path: path.to_owned(), problem: format!("link `{link}`: {over}") };
        let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if !self.files.contains_key(&full) {
            let surface = self.read(link, path)?;
            self.files.insert(full.clone(), surface);
        }
        let Some(surface) = self.files.get(&full) else { return Err(fault("not read".into())) };
        self.budget.geometry(surface.points.len(), surface.triangles.len()).map_err(over)?;
        let mut surface = surface.clone();
        scaled(&mut surface, scale);
        weld(&mut surface, 0.0).map_err(|error| fault(error.to_string()))?;
        Mesh::new(&surface.points, &surface.triangles).map_err(|error| fault(error.to_string()))
    }

    /// The surface of a file as stored.
    fn read(&mut self, link: &str, path: &Path) -> Result<Surface, Error> {
        let fault = |problem: String| Error::Mesh { link: link.into(), path: path.to_owned(), problem };
        let over = |over: OverLimit| Error::Limit { path: path.to_owned(), problem: format!("link `{link}`: {over}") };
        let bytes = read_regular(path, self.budget.unread()).map_err(|error| match error {
            clearance_files::Error::Limit { path, problem, .. } => Error::Limit { path, problem },
            other => fault(other.to_string()),
        })?;
        self.budget.read(bytes.len()).map_err(over)?;
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("dae")) {
            return collada::read(path, bytes, &mut self.budget);
        }
        let assembly = read_content(&bytes, path, &self.options.limits).map_err(|error| match error {
            clearance_files::Error::Limit { .. } => {
                Error::Limit { path: path.to_owned(), problem: format!("link `{link}`: {error}") }
            }
            other => fault(other.to_string()),
        })?;
        // A geometry can be used by many parts.
        for shown in assembly.parts.iter().filter_map(|part| assembly.geometries.get(part.geometry)) {
            self.budget.geometry(shown.points.len(), shown.triangles.len()).map_err(over)?;
        }
        Ok(Surface { name: String::new(), ..assembly.as_one() })
    }
}

/// The files whose meshes bound no solid, in one line, each file once whatever its names and scales.
pub(crate) fn note_on_surfaces(meshes: &[LoadedMesh]) -> Option<String> {
    let files: BTreeSet<&Path> = meshes.iter().map(|mesh| mesh.path.as_path()).collect();
    let mut open: Vec<&Path> = Vec::new();
    for mesh in meshes.iter().filter(|mesh| !mesh.mesh.is_solid()) {
        if !open.contains(&mesh.path.as_path()) {
            open.push(&mesh.path);
        }
    }
    let name = |path: &&Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut names: Vec<String> = open.iter().take(NAMED).map(name).collect();
    if open.len() > NAMED {
        names.push(format!("and {} more", open.len() - NAMED));
    }
    let (names, open, all) = (names.join(", "), open.len(), files.len());
    let are = if open == 1 {
        "is not a solid and is checked as a surface"
    } else {
        "are not solids and are checked as surfaces"
    };
    (open > 0).then(|| format!("{open} of {all} mesh files {are}, without interior: {names}"))
}

/// A hash of vertices and triangles, the same in every run.
fn hash(mesh: &Mesh) -> u64 {
    let mut hasher = DefaultHasher::new();
    for point in mesh.points() {
        point.to_array().map(|part| (part + 0.0).to_bits()).hash(&mut hasher);
    }
    hasher.finish()
}

/// Scales points; triangles of a mirrored surface are reversed.
fn scaled(surface: &mut Surface, scale: DVec3) {
    if scale == DVec3::ONE {
        return;
    }
    for point in &mut surface.points {
        *point = (DVec3::from_array(*point) * scale).to_array();
    }
    if scale.x * scale.y * scale.z < 0.0 {
        surface.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
}

/// A bounding sphere in the body's own frame; of infinite radius for unbounded bodies.
pub(crate) fn ball(shape: &Shape) -> Ball {
    // Covers the rounding of centres and distances with a wide margin.
    const OUTWARD: f64 = 1.0 + 1e-12;
    match shape {
        Shape::Mesh(mesh) => {
            let points: Vec<DVec3> = mesh.points().collect();
            about(&points)
        }
        Shape::Sphere(sphere) => Ball { centre: DVec3::ZERO, radius: sphere.radius() },
        _ => {
            let bounds = shape.bounds();
            let (centre, half) = (bounds.center(), 0.5 * bounds.size());
            let radius = half.length() * OUTWARD;
            // The sphere of a cylinder or capsule along z is smaller than that of its box.
            let radius = match shape {
                Shape::Cylinder(cylinder) => cylinder.half_length().hypot(cylinder.radius()) * OUTWARD,
                Shape::Capsule(capsule) => (capsule.half_length() + capsule.radius()) * OUTWARD,
                _ => radius,
            };
            if radius.is_finite() {
                Ball { centre, radius }
            } else {
                Ball { centre: DVec3::ZERO, radius: f64::INFINITY }
            }
        }
    }
}

/// A small bounding sphere of points: the iteration of Bădoiu and Clarkson (2003) towards the farthest point, from the
/// centre of the box. The radius is measured at the end, so the sphere contains the points whether or not the iteration
/// has converged.
fn about(points: &[DVec3]) -> Ball {
    const STEPS: usize = 60;
    let farthest = |from: DVec3| {
        points.iter().copied().max_by(|p, q| from.distance_squared(*p).total_cmp(&from.distance_squared(*q)))
    };
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let mut best = Ball { centre: 0.5 * (low + high), radius: f64::INFINITY };
    let mut centre = best.centre;
    for step in 0..STEPS {
        let Some(point) = farthest(centre) else { break };
        let radius = centre.distance(point);
        if radius < best.radius {
            best = Ball { centre, radius };
        }
        centre += (point - centre) / (step as f64 + 2.0);
    }
    Ball { centre: best.centre, radius: best.radius * (1.0 + 1e-12) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_surfaces_stay_outside_out() {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        for scale in [DVec3::ONE, DVec3::new(1.0, -2.0, 1.0), DVec3::new(-1.0, -1.0, 3.0), DVec3::splat(-0.5)] {
            let mut surface = Surface { name: String::new(), points: points.clone(), triangles: triangles.clone() };
            scaled(&mut surface, scale);
            assert!(Mesh::new(&surface.points, &surface.triangles).unwrap().solid().is_ok(), "{scale}");
        }
    }

    #[test]
    fn balls_hold_their_points() {
        let points: Vec<DVec3> = (0..200)
            .map(|i| {
                let t = f64::from(i);
                DVec3::new((t * 0.7).sin() * 3.0, (t * 1.3).cos(), (t * 0.31).sin() * 0.2 + 5.0)
            })
            .collect();
        let ball = about(&points);
        assert!(points.iter().all(|point| point.distance(ball.centre) <= ball.radius));
        assert!(ball.radius < 3.2, "{ball:?}");
        let one = about(&[DVec3::X]);
        assert_eq!((one.centre, one.radius), (DVec3::X, 0.0));
    }
}
