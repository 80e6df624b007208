//! Robots: configurations and motions of links, against each other and a world.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clearance::{Distance, Pose, Shape};
use clearance_robot::{
    Allowed, Attached, CheckOptions, Checker, Error, LinkContact, LoadOptions, Object, Packages, PathSweep, Robot,
    Srdf, Sweep, SweepOptions,
};
use numpy::{PyArray1, PyArray2, PyArray4, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::answer::Prove;
use crate::array::{Numbers, doubles, shape_of as array_shape};
use crate::batch::{Answers, each, place};
use crate::error::{bad_robot, not_proved, wrong};
use crate::give::{Column, Give, package, rows};
use crate::kinds::{PyBox, PyCapsule, PyCylinder, PySphere};
use crate::mesh::PyMesh;
use crate::pair::{PairView, Pairs, PyDistances};
use crate::pose::{matrices_array, matrix_of, pose_of};
use crate::shape::{PyShape, shape_of};

/// Configurations from an argument, each checked.
struct Configurations<'py> {
    numbers: Numbers<'py, f64>,
    count: usize,
    width: usize,
}

impl<'py> Configurations<'py> {
    /// One configuration, or with `many` an array of them.
    fn of(robot: &Robot, argument: &Bound<'py, PyAny>, name: &str, many: bool) -> PyResult<Configurations<'py>> {
        let (py, width, numbers) = (argument.py(), robot.variables().len(), doubles(argument, name)?);
        let count = match *numbers.shape() {
            [given] if !many && given == width => 1,
            [count, given] if many && given == width => count,
            ref other => {
                let meant = if many { format!("(N, {width})") } else { format!("({width},)") };
                let names: Vec<&str> = robot.variables().iter().map(|variable| variable.name.as_str()).collect();
                let problem = format!("the shape is {}, not {meant}, for [{}]", array_shape(other), names.join(", "));
                return Err(wrong(py, name, problem));
            }
        };
        let made = Configurations { numbers, count, width };
        let rows = made.rows();
        let check = |(index, q): (usize, &&[f64])| robot.check_configuration(q).err().map(|error| (index, error));
        match py.detach(|| rows.iter().enumerate().find_map(check)) {
            None => Ok(made),
            Some((index, error)) if many => Err(bad_robot(py, &format!("{name}[{index}]"), &error)),
            Some((_, error)) => Err(bad_robot(py, name, &error)),
        }
    }

    /// Each where it is.
    fn rows(&self) -> Vec<&[f64]> {
        let all = self.numbers.all();
        (0..self.count).map(|index| &all[index * self.width..(index + 1) * self.width]).collect()
    }
}

/// The answers, or the first refusal with its argument named.
fn told<A>(py: Python<'_>, name: impl Fn(usize) -> String, answers: Vec<Result<A, Error>>) -> PyResult<Vec<A>> {
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

/// The bodies of a pair and where they are.
type Placed<'c> = ([&'c Shape; 2], [Pose; 2]);

/// A robot by its URDF, with what it may touch and what stands about it. Lengths are metres, angles radians.
///
/// `srdf`: the pairs of links that may meet (`disable_collisions`); without it, links that a joint connects. `packages`:
/// folders of packages by their names; `ROS_PACKAGE_PATH`, `AMENT_PREFIX_PATH` and the folders about the URDF are looked
/// into as well. `world`: tuples `(name, shape, pose)`, in the frame of the root link. `attached`: what links carry, tuples
/// `(name, shape, pose, link)` or `(name, shape, pose, link, touch_links)`, in the frame of the link; they may touch it, what
/// else it carries, and the links in `touch_links`. `padding`: every link, with what it carries, is thickened by this all
/// round, in checks and motions; a dict gives it for single links, 0 for others. Distances are without.
///
/// A configuration is one number for each of `variables`, in their order. Numbers beyond `limits` are taken as they are.
#[pyclass(frozen, name = "Robot", module = "clearance")]
pub struct PyRobot {
    checker: Checker,
    /// What is carried, then the objects of the world, as given.
    given: Vec<Py<PyShape>>,
    /// Made when distances are asked for first.
    bodies: PyOnceLock<Bodies>,
}

impl PyRobot {
    fn robot(&self) -> &Robot {
        self.checker.robot()
    }

    /// The names of a pair.
    fn names(&self, pair: usize) -> (String, String) {
        let pair = &self.checker.pairs()[pair];
        (self.checker.name(pair.a).to_owned(), self.checker.name(pair.b).to_owned())
    }

    /// The bodies of all pairs in a configuration.
    fn placed(&self, q: &[f64]) -> Result<Vec<Placed<'_>>, Error> {
        let mut state = self.checker.state();
        (0..self.checker.pairs().len()).map(|pair| self.checker.bodies(&mut state, q, pair)).collect()
    }

    /// The bodies of all pairs as objects: what is carried and what stands about as they were given.
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
                let given = owner.checked_sub(links).and_then(|object| self.given.get(object));
                let object = given.map_or_else(|| object_of(py, shape), |given| Ok(given.clone_ref(py)))?;
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

    /// The motion from one configuration to another, or with `many` those of two arrays, each with what was found.
    fn motions(
        &self,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        options: SweepOptions,
        many: bool,
    ) -> PyResult<(Vec<Sweep>, Vec<Arc<Way>>)> {
        let (py, checker) = (start.py(), &self.checker);
        let from = Configurations::of(self.robot(), start, "start", many)?;
        let to = Configurations::of(self.robot(), end, "end", many)?;
        let (from, to) = (from.rows(), to.rows());
        if from.len() != to.len() {
            return Err(wrong(py, "end", format_args!("{} ends for {} starts", to.len(), from.len())));
        }
        let found = each(py, from.len(), |index| checker.sweep(&mut checker.state(), from[index], to[index], &options));
        let name = |index| if many { format!("start[{index}], end[{index}]") } else { "start, end".to_owned() };
        let way = |(from, to): (&&[f64], &&[f64])| {
            let course = Course::Motion([from.to_vec(), to.to_vec()]);
            Arc::new(Way { course, options })
        };
        Ok((told(py, name, found)?, from.iter().zip(&to).map(way).collect()))
    }

    /// The distances of a configuration with what they are about.
    fn answered(&self, py: Python<'_>, q: &[f64], answers: Vec<Distance>) -> PyResult<PyDistances> {
        let placed = py.detach(|| self.placed(q)).map_err(|error| bad_robot(py, "q", &error))?;
        let bodies = self.bodies.get_or_try_init(py, || self.objects(py, &placed))?;
        let mut poses = vec![Pose::IDENTITY; bodies.shapes.len()];
        for (&[a, b], (_, [pose_a, pose_b])) in bodies.pairs.iter().zip(&placed) {
            (poses[a as usize], poses[b as usize]) = (*pose_a, *pose_b);
        }
        let shapes = bodies.shapes.iter().map(|shape| shape.clone_ref(py)).collect();
        let questions = Pairs::of_placed(shapes, poses, &bodies.pairs);
        Ok(PyDistances { answers: answers.into_iter().map(Some).collect(), questions })
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
fn world_of(world: &Bound<'_, PyAny>) -> PyResult<(Vec<Object>, Vec<Py<PyShape>>)> {
    let py = world.py();
    let one = |(index, object): (usize, PyResult<Bound<'_, PyAny>>)| {
        let (object, at) = (object?, format!("world[{index}]"));
        let parts = object.cast::<PyTuple>().ok().filter(|parts| parts.len() == 3);
        let name = parts.and_then(|parts| parts.get_item(0).ok()?.extract::<String>().ok());
        let (Some(parts), Some(name)) = (parts, name) else {
            return Err(wrong(py, &at, "not a tuple (name, shape, pose)"));
        };
        let (given, pose) = (shape_of(&parts.get_item(1)?, &at)?, pose_of(py, Some(&parts.get_item(2)?), &at)?);
        Ok((Object { name, shape: given.get().shape.clone(), pose }, given))
    };
    world.try_iter()?.enumerate().map(one).collect()
}

/// What links carry: tuples of a name, a shape, a pose, a link, and if wanted links that it may touch.
fn attached_of(attached: &Bound<'_, PyAny>) -> PyResult<(Vec<Attached>, Vec<Py<PyShape>>)> {
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
        let (given, pose) = (shape_of(&parts.get_item(1)?, &at)?, pose_of(py, Some(&parts.get_item(2)?), &at)?);
        Ok((Attached { name, link, touch_links, shape: given.get().shape.clone(), pose }, given))
    };
    attached.try_iter()?.enumerate().map(one).collect()
}

/// The padding of all links, and of single ones.
#[derive(FromPyObject)]
enum Padding {
    All(f64),
    Links(BTreeMap<String, f64>),
}

/// How a motion is checked, from arguments.
fn options_of(py: Python<'_>, resolution: f64, clearance: Option<f64>, budget: u64) -> PyResult<SweepOptions> {
    // Written so that a NaN is refused.
    if !(resolution > 0.0 && resolution <= 1.0) {
        return Err(wrong(py, "resolution", format_args!("{resolution} is not more than 0 and at most 1")));
    }
    if let Some(wide) = clearance.filter(|wide| wide.is_nan() || *wide < 0.0) {
        return Err(wrong(py, "clearance", format_args!("{wide} is not 0 or more")));
    }
    Ok(SweepOptions { resolution, clearance, budget, ..SweepOptions::default() })
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
        let (objects, of_world) = world.map_or_else(|| Ok((Vec::new(), Vec::new())), world_of)?;
        let (attached, mut given) = attached.map_or_else(|| Ok((Vec::new(), Vec::new())), attached_of)?;
        given.extend(of_world);
        let (padding, link_padding) = match padding {
            None => (0.0, Vec::new()),
            Some(Padding::All(padding)) => (padding, Vec::new()),
            Some(Padding::Links(paddings)) => (0.0, paddings.into_iter().collect()),
        };
        let packages =
            Packages { given: packages.unwrap_or_default().into_iter().collect(), ..Packages::from_environment() };
        let loaded = py.detach(|| Robot::load(&path, &LoadOptions { packages }));
        let robot = loaded.map_err(|error| bad_robot(py, "path", &error))?;
        let allowed = match srdf {
            None => Allowed::adjacent(&robot),
            Some(path) => {
                let read = py.detach(|| Allowed::from_srdf(&robot, &Srdf::read(path)?));
                read.map_err(|error| bad_robot(py, "srdf", &error))?
            }
        };
        // Links that are not there are told of here, so that the argument is known.
        for (index, carried) in attached.iter().enumerate() {
            for link in std::iter::once(&carried.link).chain(&carried.touch_links) {
                let at = format!("attached[{index}]");
                robot.link(link, &at).map_err(|error| bad_robot(py, &at, &error))?;
            }
            if !carried.shape.bounds().size().is_finite() {
                return Err(wrong(py, &format!("attached[{index}]"), "it has no bounds, so nothing can carry it"));
            }
        }
        let options = CheckOptions { allowed, world: objects, attached, padding, link_padding };
        let made = py.detach(|| Checker::new(robot, options));
        let checker = made.map_err(|error| bad_robot(py, "padding", &error))?;
        Ok(PyRobot { checker, given, bodies: PyOnceLock::new() })
    }

    /// The name that the URDF gives.
    #[getter]
    fn name(&self) -> &str {
        &self.robot().description().name
    }

    /// What a configuration is made of, in order: the V joints that move on their own, and of joints with several numbers
    /// each of them.
    #[getter]
    fn variables(&self) -> Vec<&str> {
        self.robot().variables().iter().map(|variable| variable.name.as_str()).collect()
    }

    /// The least and the greatest number of each variable, (V, 2): infinite for lengths without limits, and from -pi to pi
    /// for angles without.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, self.robot().variables().iter().map(|variable| [variable.lower, variable.upper]).collect())
    }

    /// The names of the L links, in the order of the file.
    #[getter]
    fn links(&self) -> Vec<&str> {
        self.robot().description().links.iter().map(|link| link.name.as_str()).collect()
    }

    /// The P pairs that are checked, by their names: of two links or what they carry, or of one of these and an object of the
    /// world. A link of several geometries has a pair for each.
    #[getter]
    fn pairs(&self) -> Vec<(String, String)> {
        (0..self.checker.pairs().len()).map(|pair| self.names(pair)).collect()
    }

    /// Pairs that never move against each other and meet: while they are checked, nothing is free.
    #[getter]
    fn always(&self) -> Vec<(String, String)> {
        self.checker.always().iter().map(|&pair| self.names(pair)).collect()
    }

    /// What was done to geometry on the way: which meshes are taken as surfaces, as they bound no solid; and which links have
    /// geometry to be seen and none to be checked.
    #[getter]
    fn notes(&self) -> Vec<&str> {
        self.robot().notes().iter().map(String::as_str).collect()
    }

    /// Where every link is, (L, 4, 4); the root link is where the world is.
    fn forward<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", false)?);
        let (q, robot) = (given.rows()[0], self.robot());
        let poses = py.detach(|| robot.link_poses(q)).map_err(|error| bad_robot(py, "q", &error))?;
        matrices_array(py, &poses)
    }

    /// Where every link is in many configurations (N, V), on all cores: (N, L, 4, 4).
    fn forward_many<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray4<f64>>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", true)?);
        let (rows, robot) = (given.rows(), self.robot());
        let found = each(py, rows.len(), |index| robot.link_poses(rows[index]));
        let poses = told(py, |index| format!("q[{index}]"), found)?.into_iter().flatten();
        let numbers: Vec<[[f64; 4]; 4]> = poses.map(|pose| matrix_of(&pose)).collect();
        PyArray1::from_vec(py, numbers.into_flattened().into_flattened()).reshape([
            rows.len(),
            robot.description().links.len(),
            4,
            4,
        ])
    }

    /// The pair found to meet first, by its names; None if the configuration is free. Which of several it is depends on
    /// nothing but the robot.
    fn check(&self, q: &Bound<'_, PyAny>) -> PyResult<Option<(String, String)>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", false)?);
        let (q, checker) = (given.rows()[0], &self.checker);
        let found = py.detach(|| checker.first_hit(&mut checker.state(), q));
        Ok(found.map_err(|error| bad_robot(py, "q", &error))?.map(|pair| self.names(pair)))
    }

    /// Where the robot meets itself or the world in a configuration, padding included: a `RobotContact` for each pair that
    /// does, in the order of `pairs`, with its names, a common point and the direction from the first towards the second, in
    /// the world. The direction is None where there is none to be told, as of a body wholly inside another.
    fn contacts<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", false)?);
        let (q, checker) = (given.rows()[0], &self.checker);
        let found = py.detach(|| {
            let mut state = checker.state();
            let hits = checker.hits(&mut state, q)?;
            let contact = |pair: usize| Ok((pair, checker.first_contact(&mut state, q, pair)?));
            hits.into_iter().map(contact).collect::<Result<Vec<_>, Error>>()
        });
        let found = found.map_err(|error| bad_robot(py, "q", &error))?;
        let made = package(py, "RobotContact")?;
        let contact = |(pair, contact): (usize, LinkContact)| {
            made.call1((self.names(pair), contact.point.give(py)?, contact.normal.give(py)?))
        };
        let met = found.into_iter().filter_map(|(pair, contact)| Some((pair, contact?)));
        met.map(contact).collect()
    }

    /// Which of many configurations (N, V) are free, and what the others meet, on all cores: `RobotChecks`.
    fn check_many<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", true)?);
        let (rows, checker) = (given.rows(), &self.checker);
        let found = py.detach(|| checker.first_hits(&rows)).map_err(|error| bad_robot(py, "q", &error))?;
        let free = PyArray1::from_vec(py, found.iter().map(Option::is_none).collect());
        package(py, "RobotChecks")?.call1((free, numbers_of_pairs(py, found.into_iter())))
    }

    /// The distance of each of the P pairs, without padding.
    fn distances(&self, q: &Bound<'_, PyAny>) -> PyResult<PyDistances> {
        let (py, given) = (q.py(), Configurations::of(self.robot(), q, "q", false)?);
        let (q, checker) = (given.rows()[0], &self.checker);
        let found = py.detach(|| checker.distances(&mut checker.state(), q));
        self.answered(py, q, found.map_err(|error| bad_robot(py, "q", &error))?)
    }

    /// The distance of each of the P pairs in many configurations (N, V), without padding, on all cores.
    fn distances_many(slf: &Bound<'_, Self>, q: &Bound<'_, PyAny>) -> PyResult<PyRobotDistances> {
        let (py, it) = (slf.py(), slf.get());
        let given = Configurations::of(it.robot(), q, "q", true)?;
        let rows = given.rows();
        let found = py.detach(|| it.checker.distances_batch(&rows)).map_err(|error| bad_robot(py, "q", &error))?;
        let configurations = rows.into_iter().map(<[f64]>::to_vec).collect();
        Ok(PyRobotDistances { answers: found, configurations, robot: slf.clone().unbind() })
    }

    /// What meets first on the way from one configuration to another, every joint in a straight line; or the proof that
    /// nothing does. Angles are not wrapped: a joint goes the way that the numbers say.
    ///
    /// `resolution`: the shortest stretch that is looked at, as a part of the motion; what cannot be shown to be free at
    /// this length counts as an impact. `clearance`: also find the least clearance of a free motion, to within this.
    /// `budget`: how many stretches are looked at, after which the next one counts as an impact that was not seen.
    #[pyo3(signature = (start, end, *, resolution=1e-6, clearance=None, budget=1_000_000))]
    fn sweep(
        slf: &Bound<'_, Self>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        resolution: f64,
        clearance: Option<f64>,
        budget: u64,
    ) -> PyResult<PyRobotSweep> {
        let options = options_of(slf.py(), resolution, clearance, budget)?;
        let (mut answers, mut ways) = slf.get().motions(start, end, options, false)?;
        Ok(PyRobotSweep { answer: answers.remove(0), way: ways.remove(0), robot: slf.clone().unbind() })
    }

    /// What meets first on the way through configurations (N, V), every joint in a straight line between two of them: as
    /// `sweep`, with times of the trajectory in place of parts of the motion. `times`, (N,), says when each is reached, and has
    /// to increase; without it they are at 0, 1, 2 and so on. `resolution` and `budget` are for each piece.
    #[pyo3(signature = (points, times=None, *, resolution=1e-6, clearance=None, budget=1_000_000))]
    fn sweep_path(
        slf: &Bound<'_, Self>,
        points: &Bound<'_, PyAny>,
        times: Option<&Bound<'_, PyAny>>,
        resolution: f64,
        clearance: Option<f64>,
        budget: u64,
    ) -> PyResult<PyRobotSweep> {
        let (py, checker) = (slf.py(), &slf.get().checker);
        let options = options_of(py, resolution, clearance, budget)?;
        let given = Configurations::of(checker.robot(), points, "points", true)?;
        let points: Vec<Vec<f64>> = given.rows().into_iter().map(<[f64]>::to_vec).collect();
        if points.len() < 2 {
            return Err(wrong(
                py,
                "points",
                format_args!("{} configurations, where at least 2 are meant", points.len()),
            ));
        }
        let times = match times {
            None => None,
            Some(times) => {
                let numbers = doubles(times, "times")?;
                if *numbers.shape() != [points.len()] {
                    let shape = array_shape(numbers.shape());
                    return Err(wrong(py, "times", format_args!("the shape is {shape}, not ({},)", points.len())));
                }
                Some(numbers.all().to_vec())
            }
        };
        let found = py.detach(|| checker.sweep_path(&mut checker.state(), &points, times.as_deref(), &options));
        // All but the times was looked at.
        let path = found.map_err(|error| {
            let argument = if matches!(error, Error::BadOption { .. }) { "times" } else { "points" };
            bad_robot(py, argument, &error)
        })?;
        let PathSweep { impact, clearance, stretches, .. } = path.clone();
        let course = Course::Path { points, times, path };
        let (answer, way) = (Sweep { impact, clearance, stretches }, Arc::new(Way { course, options }));
        Ok(PyRobotSweep { answer, way, robot: slf.clone().unbind() })
    }

    /// What meets first in each of many motions, from (N, V) to (N, V), on all cores: as `sweep`.
    #[pyo3(signature = (start, end, *, resolution=1e-6, clearance=None, budget=1_000_000))]
    fn sweep_many(
        slf: &Bound<'_, Self>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        resolution: f64,
        clearance: Option<f64>,
        budget: u64,
    ) -> PyResult<PyRobotSweeps> {
        let options = options_of(slf.py(), resolution, clearance, budget)?;
        let (answers, ways) = slf.get().motions(start, end, options, true)?;
        Ok(PyRobotSweeps { answers, ways, robot: slf.clone().unbind() })
    }

    fn __repr__(&self) -> String {
        let (robot, pairs) = (self.robot(), self.checker.pairs().len());
        let (links, variables) = (robot.description().links.len(), robot.variables().len());
        format!("Robot('{}', {links} links, {variables} variables, {pairs} pairs)", robot.description().name)
    }
}

/// Places of pairs, -1 where there is none.
fn numbers_of_pairs<'py>(
    py: Python<'py>,
    pairs: impl ExactSizeIterator<Item = Option<usize>>,
) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_vec(py, pairs.map(|pair| pair.map_or(-1, |pair| pair as i64)).collect())
}

/// The distances of all pairs of a robot in many configurations: arrays (N, P), and the `Distances` of a configuration at
/// each index.
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

#[pymethods]
impl PyRobotDistances {
    /// The distances, (N, P), without padding; zero exactly where the two have a point in common.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.column(py, |distance| distance.value)
    }

    /// Proved: the two are at least this far apart, (N, P).
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.column(py, |distance| distance.lower)
    }

    /// Proved: the two are at most this far apart, (N, P).
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.column(py, |distance| distance.upper)
    }

    fn __len__(&self) -> usize {
        self.answers.len()
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<PyDistances> {
        let place = place(index, self.answers.len())?;
        self.robot.get().answered(py, &self.configurations[place], self.answers[place].clone())
    }

    fn __iter__(slf: Bound<'_, Self>) -> Answers {
        Answers::of(slf.into_any())
    }

    /// Proves all answers anew, on all cores.
    ///
    /// Raises `NotProvedError`, which names the first configuration and the first claim that does not hold.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let robot = self.robot.get();
        let proved = each(py, self.answers.len(), |index| {
            let placed = robot.placed(&self.configurations[index])?;
            let refused = placed
                .iter()
                .zip(&self.answers[index])
                .find_map(|(([a, b], [pose_a, pose_b]), answer)| answer.prove(PairView { a, pose_a, b, pose_b }).err());
            Ok(refused)
        });
        let refused = told(py, |_| "q".to_owned(), proved)?;
        let first = refused.iter().enumerate().find_map(|(index, refusal)| Some((index, refusal.as_ref()?)));
        first.map_or(Ok(()), |(index, refusal)| Err(not_proved(py, Some(index), refusal)))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyRobotDistances>().is_ok_and(|other| {
            let (other, same) = (other.get(), self.robot.is(&other.get().robot));
            same && self.configurations == other.configurations && self.answers == other.answers
        })
    }

    fn __repr__(&self) -> String {
        let pairs = self.robot.get().checker.pairs().len();
        format!("RobotDistances({} configurations, {pairs} pairs)", self.answers.len())
    }
}

/// A motion that was asked about, or a trajectory with what was found of its pieces.
#[derive(PartialEq)]
enum Course {
    Motion([Vec<f64>; 2]),
    Path { points: Vec<Vec<f64>>, times: Option<Vec<f64>>, path: PathSweep },
}

/// What was asked.
#[derive(PartialEq)]
struct Way {
    course: Course,
    options: SweepOptions,
}

impl Way {
    /// Proves anew what was found about it.
    fn prove(&self, checker: &Checker, answer: &Sweep) -> Result<(), Error> {
        match &self.course {
            Course::Motion([from, to]) => checker.verify_sweep(answer, from, to, &self.options),
            Course::Path { points, times, path } => checker.verify_path(path, points, times.as_deref(), &self.options),
        }
    }
}

/// What was found out about a motion of a robot. Times are parts of the motion: 0 at its start, 1 at its end; of
/// `Robot.sweep_path` they are those of the trajectory.
#[pyclass(frozen, name = "RobotSweep", module = "clearance")]
pub struct PyRobotSweep {
    answer: Sweep,
    way: Arc<Way>,
    robot: Py<PyRobot>,
}

/// What was found out about many motions of a robot: an array for each field of `RobotSweep`, and a `RobotSweep` for each
/// index. Pairs are numbers in `Robot.pairs`, -1 where there is none; times and lengths are infinite there, points zero.
#[pyclass(frozen, sequence, name = "RobotSweeps", module = "clearance")]
pub struct PyRobotSweeps {
    answers: Vec<Sweep>,
    ways: Vec<Arc<Way>>,
    robot: Py<PyRobot>,
}

/// Fields that are the same of one motion and of many.
macro_rules! swept {
    ($($(#[$doc:meta])* $name:ident: |$sweep:ident| $value:expr;)*) => {
        #[pymethods]
        impl PyRobotSweep {$(
            $(#[$doc])*
            #[getter]
            fn $name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                let $sweep = &self.answer;
                $value.give(py)
            }
        )*}

        #[pymethods]
        impl PyRobotSweeps {$(
            $(#[$doc])*
            #[getter]
            fn $name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                Column::column(py, self.answers.iter().map(|$sweep| Some($value)))
            }
        )*}
    };
}

swept! {
    /// Whether it is proved that nothing meets.
    free: |sweep| sweep.impact.is_none();
    /// Proved: before this nothing meets. None (in a batch: infinite) if the motion is free.
    lower: |sweep| sweep.impact.as_ref().map(|impact| impact.lower);
    /// The end of the stretch in question: the resolution later, or a few times that where contact was seen then.
    upper: |sweep| sweep.impact.as_ref().map(|impact| impact.upper);
    /// Whether the pair was seen to meet in the stretch. If not, it comes so near that the resolution, or the budget, does
    /// not tell.
    met: |sweep| sweep.impact.as_ref().is_some_and(|impact| impact.met);
    /// A common point, or the middle between the nearest points, in the world. None (in a batch: zero) if the motion is
    /// free.
    point: |sweep| sweep.impact.as_ref().map(|impact| impact.point);
    /// When the motion comes nearest to something, if that was asked and it is free.
    nearest_at: |sweep| sweep.clearance.as_ref().map(|clearance| clearance.at);
    /// How many stretches were looked at.
    stretches: |sweep| sweep.stretches;
}

#[pymethods]
impl PyRobotSweep {
    /// The pair that meets first, by its names; None if the motion is free.
    #[getter]
    fn pair(&self) -> Option<(String, String)> {
        self.answer.impact.as_ref().map(|impact| self.robot.get().names(impact.pair))
    }

    /// The configuration of the impact that was looked at; None if the motion is free.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.answer.impact.as_ref().map(|impact| PyArray1::from_slice(py, &impact.q))
    }

    /// The least gap of all pairs over the motion, padding taken off, as a `Bracket`; None unless it was asked for and the
    /// motion is free.
    #[getter]
    fn clearance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let bracket =
            |it: &clearance_robot::MotionClearance| package(py, "Bracket")?.call1((it.upper, it.lower, it.upper));
        self.answer.clearance.as_ref().map(bracket).transpose()
    }

    /// The pair of the least gap, by its names.
    #[getter]
    fn nearest(&self) -> Option<(String, String)> {
        self.answer.clearance.as_ref().map(|clearance| self.robot.get().names(clearance.pair))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyRobotSweep>().is_ok_and(|other| {
            let other = other.get();
            self.robot.is(&other.robot) && self.answer == other.answer && self.way == other.way
        })
    }

    /// Proves it anew, by other code: raises `NotProvedError` if a claim does not hold. Much slower than the sweep.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let proved = py.detach(|| self.way.prove(&self.robot.get().checker, &self.answer));
        proved.map_err(|error| not_proved(py, None, &error))
    }

    fn __repr__(&self) -> String {
        match &self.answer.impact {
            None => "RobotSweep(free)".to_owned(),
            Some(impact) => {
                let (a, b) = self.robot.get().names(impact.pair);
                format!("RobotSweep('{a}' and '{b}', lower={:?}, upper={:?})", impact.lower, impact.upper)
            }
        }
    }
}

#[pymethods]
impl PyRobotSweeps {
    /// The pair that meets first, (N,).
    #[getter]
    fn pair<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        numbers_of_pairs(py, self.answers.iter().map(|sweep| sweep.impact.as_ref().map(|impact| impact.pair)))
    }

    /// The least gap of all pairs over each motion, padding taken off, (N, 3): value, lower, upper.
    #[getter]
    fn clearance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let bracket = |it: &clearance_robot::MotionClearance| [it.upper, it.lower, it.upper];
        let each = self.answers.iter().map(|sweep| sweep.clearance.as_ref().map_or([f64::INFINITY; 3], bracket));
        rows(py, each.collect())
    }

    /// The pair of the least gap, (N,).
    #[getter]
    fn nearest<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        numbers_of_pairs(py, self.answers.iter().map(|sweep| sweep.clearance.as_ref().map(|it| it.pair)))
    }

    fn __len__(&self) -> usize {
        self.answers.len()
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<PyRobotSweep> {
        let place = place(index, self.answers.len())?;
        let (answer, way) = (self.answers[place].clone(), self.ways[place].clone());
        Ok(PyRobotSweep { answer, way, robot: self.robot.clone_ref(py) })
    }

    fn __iter__(slf: Bound<'_, Self>) -> Answers {
        Answers::of(slf.into_any())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyRobotSweeps>().is_ok_and(|other| {
            let other = other.get();
            self.robot.is(&other.robot) && self.answers == other.answers && self.ways == other.ways
        })
    }

    /// Proves all of it anew, on all cores: raises `NotProvedError` with the first motion a claim about which does not hold.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let checker = &self.robot.get().checker;
        let proved = each(py, self.answers.len(), |index| self.ways[index].prove(checker, &self.answers[index]));
        let refused =
            |(index, proved): (usize, Result<(), Error>)| proved.map_err(|error| not_proved(py, Some(index), &error));
        proved.into_iter().enumerate().try_for_each(refused)
    }

    fn __repr__(&self) -> String {
        let free = self.answers.iter().filter(|sweep| sweep.impact.is_none()).count();
        format!("RobotSweeps({} motions, {free} free)", self.answers.len())
    }
}
