//! Robots: configurations of links, against each other and a world. Motions are in `robot_sweep.rs`.
//!
//! A robot is pickled as what it was made of: the texts of its URDF and SRDF, the meshes that were loaded, and what
//! else was given. So no file is read on unpickling; everything derived is recomputed, to the same bits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clearance::answer::Distance;
use clearance::cancel::checkpoint;
use clearance::glam::DVec3;
use clearance::verify::Refusal;
use clearance::{Pose, Shape};
use clearance_robot::{
    Allowed, Attached, CheckOptions, Checker, Error, LinkContact, LinkPair, LoadOptions, LoadedMesh, Matrix,
    MatrixOptions, Object, Packages, Proof, Robot, Srdf, read_text,
};
use numpy::{PyArray1, PyArray2, PyArray4, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::answer::{Batch, Bracketed, Prove};
use crate::array::{Numbers, doubles, rows_of, shape_of as array_shape};
use crate::batch::{read_all, sequence};
use crate::error::{bad_robot, bad_state, not_proved, wrong};
use crate::give::{Give, Reduced, package, rows};
use crate::kinds::{PyBox, PyCapsule, PyCylinder, PySphere};
use crate::limits::WORK_OF_CONFIGURATION;
use crate::mesh::PyMesh;
use crate::pair::{PairView, Pairs, PyDistances};
use crate::pose::{PyPose, matrices_array, matrix_of, pose_of};
use crate::room::room_for;
use crate::shape::{PyShape, shape_of};
use crate::state::{restored, write};
use crate::work::{at_length, each, each_at_length, on_all_cores, sized, unattended};

/// Configurations from an argument, each checked.
pub struct Configurations<'py> {
    numbers: Numbers<'py, f64>,
    pub count: usize,
    width: usize,
}

impl<'py> Configurations<'py> {
    /// One configuration, or with `many` an array of them.
    pub fn of(robot: &Robot, argument: &Bound<'py, PyAny>, name: &str, many: bool) -> PyResult<Configurations<'py>> {
        let (py, width) = (argument.py(), robot.variables().len());
        // As they are given, where each is, and each by itself.
        let each = 2 * width * size_of::<f64>() + size_of::<&[f64]>() + size_of::<Vec<f64>>();
        room_for(py, name, if many { rows_of(argument) } else { 1 }, "configurations", each as u128)?;
        let numbers = doubles(argument, name)?;
        let count = match *numbers.shape() {
            [given] if !many && given == width => 1,
            [count, given] if many && given == width => count,
            ref other => {
                let expected = if many { format!("(N, {width})") } else { format!("({width},)") };
                let names: Vec<&str> = robot.variables().iter().map(|variable| variable.name.as_str()).collect();
                let problem =
                    format!("the shape is {}, not {expected}, for [{}]", array_shape(other), names.join(", "));
                return Err(wrong(py, name, problem));
            }
        };
        let made = Configurations { numbers, count, width };
        let rows = made.rows();
        let check = |(index, q): (usize, &&[f64])| {
            checkpoint();
            robot.check_configuration(q).err().map(|error| (index, error))
        };
        match on_all_cores(py, || rows.iter().enumerate().find_map(check))? {
            None => Ok(made),
            Some((index, error)) if many => Err(bad_robot(py, &format!("{name}[{index}]"), &error)),
            Some((_, error)) => Err(bad_robot(py, name, &error)),
        }
    }

    /// Each where it is.
    pub fn rows(&self) -> Vec<&[f64]> {
        let all = self.numbers.all();
        (0..self.count).map(|index| &all[index * self.width..(index + 1) * self.width]).collect()
    }

    /// Each by itself.
    pub fn owned(&self) -> Vec<Vec<f64>> {
        self.rows().into_iter().map(<[f64]>::to_vec).collect()
    }
}

/// Configurations of so many numbers as an array, (N, V).
pub fn configurations_array<'a, 'py>(
    py: Python<'py>,
    width: usize,
    configurations: impl ExactSizeIterator<Item = &'a [f64]>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let count = configurations.len();
    PyArray1::from_vec(py, configurations.flatten().copied().collect()).reshape([count, width])
}

/// The answers, or the first refusal with its argument named.
pub fn told<A>(py: Python<'_>, name: impl Fn(usize) -> String, answers: Vec<Result<A, Error>>) -> PyResult<Vec<A>> {
    let named =
        |(index, answer): (usize, Result<A, Error>)| answer.map_err(|error| bad_robot(py, &name(index), &error));
    answers.into_iter().enumerate().map(named).collect()
}

/// The bodies of all pairs as objects, each once.
struct Bodies {
    shapes: Vec<Py<PyShape>>,
    /// For each pair the numbers of its bodies.
    pairs: Vec<[u32; 2]>,
}

/// An object of the world, as given.
struct Standing {
    name: String,
    shape: Py<PyShape>,
    pose: Pose,
}

/// An object attached to a link, as given.
struct Carried {
    object: Standing,
    link: String,
    touch_links: Vec<String>,
}

impl Standing {
    fn same(&self, other: &Standing) -> bool {
        self.name == other.name && self.pose == other.pose && self.shape.get().shape == other.shape.get().shape
    }
}

impl Carried {
    fn same(&self, other: &Carried) -> bool {
        self.object.same(&other.object) && self.link == other.link && self.touch_links == other.touch_links
    }
}

/// The inputs of a robot, except its meshes.
struct Given {
    /// The text of the URDF.
    urdf: String,
    srdf: Option<Srdf>,
    world: Vec<Standing>,
    attached: Vec<Carried>,
    /// For all links, and for single ones.
    padding: (f64, Vec<(String, f64)>),
}

impl Given {
    /// Makes the robot. `path` names the URDF in messages, and is where its meshes are searched.
    fn robot(self, py: Python<'_>, path: &Path, load: &LoadOptions) -> PyResult<PyRobot> {
        let (there, urdf, load) = (path.to_owned(), self.urdf.clone(), load.clone());
        let loaded = unattended(py, move || Robot::parse(there, &urdf, &load))?;
        let robot = loaded.map_err(|error| bad_robot(py, "path", &error))?;
        let allowed = match &self.srdf {
            None => Allowed::adjacent(&robot),
            Some(srdf) => Allowed::from_srdf(&robot, srdf),
        };
        // Unknown links are refused here, where the argument is known.
        for (index, carried) in self.attached.iter().enumerate() {
            let at = format!("attached[{index}]");
            for link in std::iter::once(&carried.link).chain(&carried.touch_links) {
                robot.link(link, &at).map_err(|error| bad_robot(py, &at, &error))?;
            }
            if !carried.object.shape.get().shape.bounds().size().is_finite() {
                return Err(wrong(py, &at, "it has no bounds, so nothing can carry it"));
            }
        }
        let standing = |it: &Standing| (it.name.clone(), it.shape.get().shape.clone(), it.pose);
        let object = |it: &Standing| {
            let (name, shape, pose) = standing(it);
            Object { name, shape, pose }
        };
        let carried = |it: &Carried| {
            let (name, shape, pose) = standing(&it.object);
            Attached { name, link: it.link.clone(), touch_links: it.touch_links.clone(), shape, pose }
        };
        let options = CheckOptions {
            allowed,
            world: self.world.iter().map(object).collect(),
            attached: self.attached.iter().map(carried).collect(),
            padding: self.padding.0,
            link_padding: self.padding.1.clone(),
            ..CheckOptions::default()
        };
        let made = at_length(py, || Checker::new(robot, options))?;
        let checker = made.map_err(|error| bad_robot(py, "padding", &error))?;
        Ok(PyRobot { checker, given: self, meshes: PyOnceLock::new(), bodies: PyOnceLock::new() })
    }

    /// The shape of an object: attached objects, then the world.
    fn shape(&self, object: usize) -> Option<&Py<PyShape>> {
        let objects = self.attached.iter().map(|carried| &carried.object).chain(&self.world);
        objects.map(|object| &object.shape).nth(object)
    }

    fn same(&self, other: &Given) -> bool {
        (&self.urdf, &self.srdf, &self.padding) == (&other.urdf, &other.srdf, &other.padding)
            && self.world.len() == other.world.len()
            && self.attached.len() == other.attached.len()
            && self.world.iter().zip(&other.world).all(|(one, two)| one.same(two))
            && self.attached.iter().zip(&other.attached).all(|(one, two)| one.same(two))
    }
}

/// The bodies of a pair and where they are.
type Placed<'c> = ([&'c Shape; 2], [Pose; 2]);

/// A robot from its URDF, with its allowed collisions and the objects around it. Lengths are metres, angles radians.
///
/// `srdf`: the pairs of links that may meet (`disable_collisions`); without it, links that a joint connects.
/// `packages`: folders of packages by their names; `ROS_PACKAGE_PATH`, `AMENT_PREFIX_PATH` and the folders about the
/// URDF are searched as well. `world`: tuples `(name, shape, pose)`, in the frame of the root link. `attached`: what
/// links carry, tuples `(name, shape, pose, link)` or `(name, shape, pose, link, touch_links)`, in the frame of the
/// link; they may touch it, what else it carries, and the links in `touch_links`. `padding`: every link, with what it
/// carries, is thickened by this, in checks and motions; a dict gives it for single links, 0 for others.
/// Distances ignore it.
///
/// A configuration has one number for each of `variables`, in their order. Numbers beyond `limits` are used as they
/// are.
///
/// Frozen, comparable and picklable: a pickle holds the meshes, so reading it needs no file.
#[pyclass(frozen, name = "Robot", module = "clearance")]
pub struct PyRobot {
    pub checker: Checker,
    given: Given,
    /// The meshes that the URDF names as objects, as `Robot::meshes` has them; made when they are asked for first.
    meshes: PyOnceLock<Vec<Py<PyShape>>>,
    /// Made when distances are asked for first.
    bodies: PyOnceLock<Bodies>,
}

impl PyRobot {
    pub fn robot(&self) -> &Robot {
        self.checker.robot()
    }

    /// The names of a pair.
    pub fn names(&self, pair: usize) -> (String, String) {
        let pair = &self.checker.pairs()[pair];
        (self.checker.name(pair.a).to_owned(), self.checker.name(pair.b).to_owned())
    }

    /// The bodies of all pairs in a configuration.
    fn placed(&self, q: &[f64]) -> Result<Vec<Placed<'_>>, Error> {
        let mut state = self.checker.state();
        (0..self.checker.pairs().len()).map(|pair| self.checker.bodies(&mut state, q, pair)).collect()
    }

    /// Whether it is made of the same, or the same itself.
    pub fn same(&self, other: &PyRobot) -> bool {
        let (one, two) = (self.robot(), other.robot());
        std::ptr::eq(self, other)
            || (one.description().path == two.description().path
                && self.given.same(&other.given)
                && one.meshes() == two.meshes())
    }

    /// The meshes that the URDF names as objects, each mesh once.
    fn mesh_objects(&self, py: Python<'_>) -> PyResult<&[Py<PyShape>]> {
        let make = || {
            let mut objects: Vec<Py<PyShape>> = Vec::new();
            for loaded in self.robot().meshes() {
                let shape = Shape::Mesh(loaded.mesh.clone());
                let known = objects.iter().find(|object| object.get().shape == shape);
                let object = known.map_or_else(|| object_of(py, &shape), |known| Ok(known.clone_ref(py)))?;
                objects.push(object);
            }
            PyResult::Ok(objects)
        };
        Ok(self.meshes.get_or_try_init(py, make)?)
    }

    /// A body of a link as an object.
    fn link_object(&self, py: Python<'_>, shape: &Shape) -> PyResult<Py<PyShape>> {
        let meshes = if matches!(shape, Shape::Mesh(_)) { self.mesh_objects(py)? } else { &[] };
        let known = meshes.iter().find(|object| object.get().shape == *shape);
        known.map_or_else(|| object_of(py, shape), |known| Ok(known.clone_ref(py)))
    }

    /// The bodies of all pairs as objects: attached objects and those of the world as given.
    fn objects(&self, py: Python<'_>, placed: &[Placed<'_>]) -> PyResult<Bodies> {
        let links = self.robot().description().links.len();
        // A body of several pairs is in one place of the checker's memory.
        let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
        let mut bodies = Bodies { shapes: Vec::new(), pairs: Vec::new() };
        for (pair, (shapes, _)) in self.checker.pairs().iter().zip(placed) {
            let mut number = |shape: &Shape, owner: usize| {
                let address = std::ptr::from_ref(shape).addr();
                if let Some(&known) = numbers.get(&address) {
                    return Ok(known);
                }
                let given = owner.checked_sub(links).and_then(|object| self.given.shape(object));
                let object = given.map_or_else(|| self.link_object(py, shape), |given| Ok(given.clone_ref(py)))?;
                bodies.shapes.push(object);
                let number = bodies.shapes.len() as u32 - 1;
                numbers.insert(address, number);
                PyResult::Ok(number)
            };
            let numbers_of_pair = [number(shapes[0], pair.a)?, number(shapes[1], pair.b)?];
            bodies.pairs.push(numbers_of_pair);
        }
        Ok(bodies)
    }

    /// The distances of a configuration with their query.
    fn answered(&self, py: Python<'_>, q: &[f64], answers: Vec<Distance>) -> PyResult<PyDistances> {
        let placed = on_all_cores(py, || self.placed(q))?.map_err(|error| bad_robot(py, "q", &error))?;
        let bodies = self.bodies.get_or_try_init(py, || self.objects(py, &placed))?;
        let mut poses = vec![Pose::IDENTITY; bodies.shapes.len()];
        for (&[a, b], (_, [pose_a, pose_b])) in bodies.pairs.iter().zip(&placed) {
            (poses[a as usize], poses[b as usize]) = (*pose_a, *pose_b);
        }
        let shapes = bodies.shapes.iter().map(|shape| shape.clone_ref(py)).collect();
        let questions = Pairs::of_placed(shapes, poses, &bodies.pairs);
        Ok(Batch::of_all(answers, questions))
    }
}

/// A body of a link as an object: one of the kinds that a URDF has.
fn object_of(py: Python<'_>, shape: &Shape) -> PyResult<Py<PyShape>> {
    let own = PyClassInitializer::from(PyShape { shape: shape.clone() });
    Ok(match shape {
        Shape::Sphere(_) => Bound::new(py, own.add_subclass(PySphere))?.into_super(),
        Shape::Cuboid(_) => Bound::new(py, own.add_subclass(PyBox))?.into_super(),
        Shape::Capsule(_) => Bound::new(py, own.add_subclass(PyCapsule))?.into_super(),
        Shape::Cylinder(_) => Bound::new(py, own.add_subclass(PyCylinder))?.into_super(),
        Shape::Mesh(mesh) => Bound::new(py, PyMesh::wrap(mesh.clone(), PyTuple::empty(py).unbind()))?.into_super(),
        _ => Bound::new(py, own)?,
    }
    .unbind())
}

/// The objects of a world: tuples of a name, a shape and a pose.
fn world_of(world: &Bound<'_, PyAny>) -> PyResult<Vec<Standing>> {
    let py = world.py();
    let one = |(index, object): (usize, PyResult<Bound<'_, PyAny>>)| {
        let (object, at) = (object?, format!("world[{index}]"));
        let parts = object.cast::<PyTuple>().ok().filter(|parts| parts.len() == 3);
        let name = parts.and_then(|parts| parts.get_item(0).ok()?.extract::<String>().ok());
        let (Some(parts), Some(name)) = (parts, name) else {
            return Err(wrong(py, &at, "not a tuple (name, shape, pose)"));
        };
        let (shape, pose) = (shape_of(&parts.get_item(1)?, &at)?, pose_of(py, Some(&parts.get_item(2)?), &at)?);
        Ok(Standing { name, shape, pose })
    };
    world.try_iter()?.enumerate().map(one).collect()
}

/// Attached objects: tuples of a name, a shape, a pose, a link, and optionally links that it may touch.
fn attached_of(attached: &Bound<'_, PyAny>) -> PyResult<Vec<Carried>> {
    let py = attached.py();
    let one = |(index, object): (usize, PyResult<Bound<'_, PyAny>>)| {
        let (object, at) = (object?, format!("attached[{index}]"));
        let parts = object.cast::<PyTuple>().ok().filter(|parts| matches!(parts.len(), 4 | 5));
        let text = |parts: &Bound<'_, PyTuple>, place: usize| parts.get_item(place).ok()?.extract::<String>().ok();
        let touched = |parts: &Bound<'_, PyTuple>| match parts.get_item(4) {
            // A name alone would be taken letter by letter.
            Ok(links) if links.extract::<String>().is_err() => {
                links.try_iter().ok()?.map(|link| link.ok()?.extract::<String>().ok()).collect::<Option<Vec<String>>>()
            }
            Ok(_) => None,
            Err(_) => Some(Vec::new()),
        };
        let known = parts.and_then(|parts| Some((parts, text(parts, 0)?, text(parts, 3)?, touched(parts)?)));
        let Some((parts, name, link, touch_links)) = known else {
            return Err(wrong(
                py,
                &at,
                "not a tuple (name, shape, pose, link) or (name, shape, pose, link, touch_links)",
            ));
        };
        let (shape, pose) = (shape_of(&parts.get_item(1)?, &at)?, pose_of(py, Some(&parts.get_item(2)?), &at)?);
        Ok(Carried { object: Standing { name, shape, pose }, link, touch_links })
    };
    attached.try_iter()?.enumerate().map(one).collect()
}

/// The padding of all links, and of single ones.
#[derive(FromPyObject)]
enum Padding {
    All(f64),
    Links(BTreeMap<String, f64>),
}

#[pymethods]
impl PyRobot {
    #[new]
    #[pyo3(signature = (path, srdf=None, *, packages=None, world=None, attached=None, padding=None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        srdf: Option<PathBuf>,
        packages: Option<BTreeMap<String, PathBuf>>,
        world: Option<&Bound<'_, PyAny>>,
        attached: Option<&Bound<'_, PyAny>>,
        padding: Option<Padding>,
    ) -> PyResult<PyRobot> {
        let world = world.map_or_else(|| Ok(Vec::new()), world_of)?;
        let attached = attached.map_or_else(|| Ok(Vec::new()), attached_of)?;
        let padding = match padding {
            None => (0.0, Vec::new()),
            Some(Padding::All(padding)) => (padding, Vec::new()),
            Some(Padding::Links(paddings)) => (0.0, paddings.into_iter().collect()),
        };
        let there = path.clone();
        let read = unattended(py, move || read_text(&there))?;
        let urdf = read.map_err(|error| bad_robot(py, "path", &error))?;
        let srdf = srdf.map(|path| unattended(py, move || Srdf::read(path))).transpose()?.transpose();
        let srdf = srdf.map_err(|error| bad_robot(py, "srdf", &error))?;
        let packages =
            Packages { given: packages.unwrap_or_default().into_iter().collect(), ..Packages::from_environment() };
        let load = LoadOptions { packages, ..LoadOptions::default() };
        Given { urdf, srdf, world, attached, padding }.robot(py, &path, &load)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyRobot>().is_ok_and(|other| self.same(other.get()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Bound<'py, PyTuple>> {
        let (py, it) = (slf.py(), slf.get());
        let (robot, given) = (it.robot(), &it.given);
        let standing = |it: &Standing| (it.name.clone(), it.shape.clone_ref(py), PyPose { pose: it.pose });
        let carried = |it: &Carried| {
            let (name, shape, pose) = standing(&it.object);
            (name, shape, pose, it.link.clone(), it.touch_links.clone())
        };
        let mesh = |(loaded, object): (&LoadedMesh, &Py<PyShape>)| {
            let path = loaded.path.as_os_str().to_owned();
            (loaded.uri.clone(), loaded.scale.to_array(), path, object.clone_ref(py))
        };
        let parts = (
            (robot.description().path.as_os_str(), &given.urdf),
            given.srdf.as_ref().map(|srdf| (srdf.path.as_os_str(), srdf.to_text())),
            robot.meshes().iter().zip(it.mesh_objects(py)?).map(mesh).collect::<Vec<_>>(),
            given.world.iter().map(standing).collect::<Vec<_>>(),
            given.attached.iter().map(carried).collect::<Vec<_>>(),
            given.padding.clone(),
        );
        restored(slf, parts.into_pyobject(py)?)
    }

    /// From the parts of a pickle: files with their texts, meshes by what the URDF calls them.
    #[classmethod]
    fn _restore(
        class: &Bound<'_, PyType>,
        urdf: (PathBuf, String),
        srdf: Option<(PathBuf, String)>,
        meshes: Vec<(String, [f64; 3], PathBuf, Py<PyShape>)>,
        world: &Bound<'_, PyAny>,
        attached: &Bound<'_, PyAny>,
        padding: (f64, Vec<(String, f64)>),
    ) -> PyResult<PyRobot> {
        let (py, (path, urdf)) = (class.py(), urdf);
        let srdf = srdf.map(|(path, text)| Srdf::parse(path, &text)).transpose();
        let srdf = srdf.map_err(|error| bad_robot(py, "srdf", &error))?;
        let mut load = LoadOptions::default();
        for (uri, scale, path, object) in &meshes {
            let Shape::Mesh(mesh) = &object.get().shape else { return Err(bad_state()) };
            let (scale, path) = (DVec3::from_array(*scale), path.clone());
            load.meshes.push(LoadedMesh { uri: uri.clone(), scale, path, mesh: mesh.clone() });
        }
        let given = Given { urdf, srdf, world: world_of(world)?, attached: attached_of(attached)?, padding };
        let made = given.robot(py, &path, &load)?;
        // The objects that came with it, so that what is pickled with it once more is stored once.
        if made.robot().meshes() == load.meshes {
            let _ = made.meshes.set(py, meshes.into_iter().map(|(.., object)| object).collect());
        }
        Ok(made)
    }

    /// How many configurations a part of a batch of distances may have, or a multiple: then it gives the bits of the
    /// whole.
    #[classattr]
    const _PIECE: usize = Checker::PIECE;

    /// Configurations (N, V) as they are taken from an argument of this name: refused as by the batches.
    fn _checked<'py>(&self, q: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let given = Configurations::of(self.robot(), q, name, true)?;
        configurations_array(q.py(), given.width, given.rows().into_iter())
    }

    /// The name in the URDF.
    #[getter]
    fn name(&self) -> &str {
        &self.robot().description().name
    }

    /// The variables of a configuration, in order: the V joints that move independently, and of joints with several
    /// numbers each number.
    #[getter]
    fn variables(&self) -> Vec<&str> {
        self.robot().variables().iter().map(|variable| variable.name.as_str()).collect()
    }

    /// The least and the greatest number of each variable, (V, 2): infinite for lengths without limits, and from -pi to
    /// pi for angles without.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, self.robot().variables().iter().map(|variable| [variable.lower, variable.upper]).collect())
    }

    /// The names of the L links, in the order of the file.
    #[getter]
    fn links(&self) -> Vec<&str> {
        self.robot().description().links.iter().map(|link| link.name.as_str()).collect()
    }

    /// The P pairs that are checked, by name: of two links or attached objects, or of one of these and an object
    /// of the world. A link of several geometries has a pair for each.
    #[getter]
    fn pairs(&self) -> Vec<(String, String)> {
        (0..self.checker.pairs().len()).map(|pair| self.names(pair)).collect()
    }

    /// Pairs that never move against each other and meet: while they are checked, no configuration is free.
    #[getter]
    fn always(&self) -> Vec<(String, String)> {
        self.checker.always().iter().map(|&pair| self.names(pair)).collect()
    }

    /// Notes on the geometry: which meshes are treated as surfaces, because they do not bound a solid; and which
    /// links have visual geometry and no collision geometry; links of the SRDF that the robot does not have.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let warnings = self.given.srdf.as_ref().map_or_else(Vec::new, |srdf| srdf.warnings(self.robot()));
        warnings.into_iter().chain(self.robot().notes().iter().cloned()).collect()
    }

    /// The pose of every link, (L, 4, 4); the root link is at the origin of the world.
    fn forward<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", false)?);
        let (q, robot) = (given.rows()[0], self.robot());
        let poses = on_all_cores(py, || robot.link_poses(q))?.map_err(|error| bad_robot(py, "q", &error))?;
        matrices_array(py, &poses)
    }

    /// The pose of every link in many configurations (N, V), on all cores: (N, L, 4, 4).
    fn forward_batch<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray4<f64>>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", true)?);
        let (rows, robot) = (given.rows(), self.robot());
        let found = each(py, rows.len(), |index| robot.link_poses(rows[index]))?;
        let poses = told(py, |index| format!("q[{index}]"), found)?.into_iter().flatten();
        let numbers: Vec<[[f64; 4]; 4]> = poses.map(|pose| matrix_of(&pose)).collect();
        PyArray1::from_vec(py, numbers.into_flattened().into_flattened()).reshape([
            rows.len(),
            robot.description().links.len(),
            4,
            4,
        ])
    }

    /// Whether a configuration collides: a `RobotCheck`, true if it does, with the pair found to meet first. Which of
    /// several is reported depends only on the robot.
    fn check<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", false)?);
        let (q, checker) = (given.rows()[0], &self.checker);
        let found = on_all_cores(py, || checker.first_hit(&mut checker.state(), q))?;
        let pair = found.map_err(|error| bad_robot(py, "q", &error))?.map(|pair| self.names(pair));
        package(py, "RobotCheck")?.call1((pair,))
    }

    /// The contacts of the robot with itself or the world in a configuration, padding included: a `RobotContact` for
    /// each pair that does, in the order of `pairs`, with its names, a common point and the direction from the first
    /// towards the second, in the world. The direction is None where it is undefined, as for a body wholly inside
    /// another.
    fn contacts<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", false)?);
        let (q, checker) = (given.rows()[0], &self.checker);
        let found = on_all_cores(py, || {
            let mut state = checker.state();
            let hits = checker.hits(&mut state, q)?;
            let contact = |pair: usize| Ok((pair, checker.first_contact(&mut state, q, pair)?));
            hits.into_iter().map(contact).collect::<Result<Vec<_>, Error>>()
        })?;
        let found = found.map_err(|error| bad_robot(py, "q", &error))?;
        let made = package(py, "RobotContact")?;
        let contact = |(pair, contact): (usize, LinkContact)| {
            made.call1((self.names(pair), contact.point.give(py)?, contact.normal.give(py)?))
        };
        let met = found.into_iter().filter_map(|(pair, contact)| Some((pair, contact?)));
        met.map(contact).collect()
    }

    /// Which of many configurations (N, V) are free, and which pair the others collide in, on all cores: `RobotChecks`.
    fn check_batch<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", true)?);
        let (rows, checker) = (given.rows(), &self.checker);
        let found = sized(py, rows.len() * WORK_OF_CONFIGURATION, || checker.first_hits(&rows))?
            .map_err(|error| bad_robot(py, "q", &error))?;
        let free = PyArray1::from_vec(py, found.iter().map(Option::is_none).collect());
        package(py, "RobotChecks")?.call1((free, numbers_of_pairs(py, found.into_iter())))
    }

    /// The distance of each of the P pairs, without padding.
    fn distances(&self, q: &Bound<'_, PyAny>) -> PyResult<PyDistances> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", false)?);
        let (q, checker) = (given.rows()[0], &self.checker);
        let found = on_all_cores(py, || checker.distances(&mut checker.state(), q))?;
        self.answered(py, q, found.map_err(|error| bad_robot(py, "q", &error))?)
    }

    /// The distance of each of the P pairs in many configurations (N, V), without padding, on all cores.
    fn distances_batch(slf: &Bound<'_, Self>, q: &Bound<'_, PyAny>) -> PyResult<PyRobotDistances> {
        let (py, it) = (slf.py(), slf.get());
        let given = Configurations::of(it.robot(), q, "q", true)?;
        let rows = given.rows();
        let found = sized(py, rows.len() * WORK_OF_CONFIGURATION, || it.checker.distances_batch(&rows))?
            .map_err(|error| bad_robot(py, "q", &error))?;
        Ok(PyRobotDistances { answers: found, configurations: given.owned(), robot: slf.clone().unbind() })
    }

    /// The allowed-collision matrix: which pairs of links need no check, and how sure that is, as `clearance robot acm`
    /// makes it. Links alone are tested, without padding, the world, and attached objects. Takes as long as the trials
    /// and the proofs do, on all cores.
    ///
    /// Two links that a joint connects are `Adjacent`. Those that meet in none of `trials` random configurations within
    /// the limits (drawn from `seed`) are `Never`, and a proof is tried for each, with up to `budget` boxes of joint
    /// values; 0 for none. With `default`, pairs that meet in the default configuration need no check (joints at zero,
    /// or in the middle of their limits); with `always`, those that meet in at least `min_collision_fraction` of the
    /// trials. All others are checked.
    ///
    /// The `srdf` of the answer is that of the robot with these pairs replacing its own, or a new one; with `keep`,
    /// added to them.
    #[pyo3(signature = (
        *, trials=10_000, seed=1, min_collision_fraction=1.0, default=false, always=false, keep=false, budget=20_000
    ))]
    #[allow(clippy::too_many_arguments, reason = "the options of the command, each by its name")]
    fn collision_matrix<'py>(
        &self,
        py: Python<'py>,
        trials: i128,
        seed: i128,
        min_collision_fraction: f64,
        default: bool,
        always: bool,
        keep: bool,
        budget: i128,
    ) -> PyResult<Bound<'py, PyAny>> {
        let whole = |value: i128, name: &str| {
            u64::try_from(value).map_err(|_| wrong(py, name, format_args!("{value} is not from 0 to {}", u64::MAX)))
        };
        let (trials, seed, budget) = (whole(trials, "trials")?, whole(seed, "seed")?, whole(budget, "budget")?);
        // Written so that a NaN is refused.
        if !(0.0..=1.0).contains(&min_collision_fraction) {
            let problem = format_args!("{min_collision_fraction} is not from 0 to 1");
            return Err(wrong(py, "min_collision_fraction", problem));
        }
        if keep && self.given.srdf.is_none() {
            return Err(wrong(py, "keep", "the robot has no SRDF whose pairs could be kept"));
        }
        let (robot, options) =
            (self.robot(), MatrixOptions { trials, seed, min_collision_fraction, default, always, budget });
        let made = at_length(py, || Matrix::new(robot, &options))?.map_err(|error| bad_robot(py, "self", &error))?;
        let mut srdf = self.given.srdf.clone().unwrap_or_else(|| Srdf::empty(&robot.description().name));
        made.write(robot, &mut srdf, keep);
        let class = package(py, "LinkPair")?;
        let pair = |pair: &LinkPair| {
            let [one, other] = pair.links.map(|link| robot.description().links[link].name.as_str());
            let (proof, boxes, meets_at) = match &pair.proof {
                Proof::NotTried => ("none", 0, None),
                Proof::Proved { boxes } => ("proved", *boxes, None),
                Proof::Refuted { q } => ("refuted", 0, Some(PyTuple::new(py, q)?)),
                Proof::Open { boxes } => ("open", *boxes, None),
            };
            let smallest = Some(pair.smallest).filter(|smallest| smallest.is_finite());
            class.call1(((one, other), pair.reason.text(), pair.met, smallest, proof, boxes, meets_at))
        };
        let pairs: PyResult<Vec<Bound<'py, PyAny>>> = made.pairs.iter().map(pair).collect();
        package(py, "CollisionMatrix")?.call1((PyTuple::new(py, pairs?)?, made.trials, made.seed, srdf.to_text()))
    }

    fn __repr__(&self) -> String {
        let (robot, pairs) = (self.robot(), self.checker.pairs().len());
        let (links, variables) = (robot.description().links.len(), robot.variables().len());
        format!("Robot('{}', {links} links, {variables} variables, {pairs} pairs)", robot.description().name)
    }
}

/// Indices of pairs, -1 for none.
pub fn numbers_of_pairs<'py>(
    py: Python<'py>,
    pairs: impl ExactSizeIterator<Item = Option<usize>>,
) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_vec(py, pairs.map(|pair| pair.map_or(-1, |pair| pair as i64)).collect())
}

/// The distances of all pairs of a robot in many configurations: arrays (N, P), and the `Distances` of a configuration
/// at each index.
#[pyclass(frozen, sequence, name = "RobotDistances", module = "clearance")]
pub struct PyRobotDistances {
    answers: Vec<Vec<Distance>>,
    configurations: Vec<Vec<f64>>,
    robot: Py<PyRobot>,
}

impl PyRobotDistances {
    /// A field of all answers.
    fn column<'py>(&self, py: Python<'py>, field: impl Fn(&Distance) -> f64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers: Vec<f64> = self.answers.iter().flatten().map(field).collect();
        PyArray1::from_vec(py, numbers).reshape([self.answers.len(), self.robot.get().checker.pairs().len()])
    }
}

sequence!(PyRobotDistances: PyDistances, |it, py, place| {
    it.robot.get().answered(py, &it.configurations[place], it.answers[place].clone())
});

#[pymethods]
impl PyRobotDistances {
    /// The distances, (N, P), without padding; zero exactly where the two have a point in common.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.column(py, |distance| distance.bracket().value)
    }

    /// Proved: the distances are at least these, (N, P).
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.column(py, |distance| distance.bracket().lower)
    }

    /// Proved: the distances are at most these, (N, P).
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.column(py, |distance| distance.bracket().upper)
    }

    /// Verifies all answers with independent code, on all cores.
    ///
    /// Raises `NotProvedError`, which names the first configuration and the first claim that does not hold.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let robot = self.robot.get();
        let proved = each_at_length(py, self.answers.len(), |index| {
            let placed = robot.placed(&self.configurations[index])?;
            // A pair without an answer would go unproved.
            if placed.len() != self.answers[index].len() {
                return Ok(Some(Refusal::Part));
            }
            let refused = placed
                .iter()
                .zip(&self.answers[index])
                .find_map(|(([a, b], [pose_a, pose_b]), answer)| answer.prove(PairView { a, pose_a, b, pose_b }).err());
            Ok(refused)
        })?;
        let refused = told(py, |_| "q".to_owned(), proved)?;
        let first = refused.iter().enumerate().find_map(|(index, refusal)| Some((index, refusal.as_ref()?)));
        first.map_or(Ok(()), |(index, refusal)| Err(not_proved(py, Some(index), refusal)))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyRobotDistances>().is_ok_and(|other| {
            let other = other.get();
            self.configurations == other.configurations
                && self.answers == other.answers
                && self.robot.get().same(other.robot.get())
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Bound<'py, PyTuple>> {
        let (py, it) = (slf.py(), slf.get());
        let width = it.robot.get().robot().variables().len();
        let q = configurations_array(py, width, it.configurations.iter().map(Vec::as_slice))?;
        let parts = (it.robot.clone_ref(py), q, vec![it._state(py)]);
        restored(slf, parts.into_pyobject(py)?)
    }

    /// The answers as bytes, without their queries: for answers from another process.
    fn _state<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &write(&self.answers))
    }

    /// The answers about configurations of a robot, from the bytes of their parts in order.
    #[classmethod]
    fn _restore(
        _: &Bound<'_, PyType>,
        robot: &Bound<'_, PyRobot>,
        q: &Bound<'_, PyAny>,
        states: Vec<Bound<'_, PyBytes>>,
    ) -> PyResult<PyRobotDistances> {
        let checker = &robot.get().checker;
        let configurations = Configurations::of(checker.robot(), q, "q", true)?.owned();
        let answers: Vec<Vec<Distance>> = read_all(&states, configurations.len())?;
        if answers.iter().any(|answers| answers.len() != checker.pairs().len()) {
            return Err(bad_state());
        }
        Ok(PyRobotDistances { answers, configurations, robot: robot.clone().unbind() })
    }

    fn __repr__(&self) -> String {
        let pairs = self.robot.get().checker.pairs().len();
        format!("RobotDistances({} configurations, {pairs} pairs)", self.answers.len())
    }
}
