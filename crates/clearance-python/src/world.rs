//! Worlds of many bodies, whose handles are plain numbers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clearance::Motion;
use clearance::QueryError;
use clearance::Ray;
use clearance::answer::{NoHit, RayHit};
use clearance::query::RayOptions;
use clearance::shape::Aabb;
use clearance::world::{BodyId, Change, Finding, Interest, PairEvent, Question, Schedule};
use numpy::PyArray2;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::array::vector;
use crate::contacts::PyContacts;
use crate::error::{no_answer, wrong};
use crate::give::{Give, Reduced, rows};
use crate::limits::WORK_OF_BODY;
use crate::no_hit::{Missed, MovingBodies, PyNoHit};
use crate::pair::{Pair, PyDistance, PyRelationProof};
use crate::pose::{PyPose, pose_of, poses_of};
use crate::rays::{Cast, PyRayHit, options_of, ray_of, rays_of};
use crate::shape::{PyShape, shape_of};
use crate::work::{each, on_all_cores, sized, to_its_end};

/// The bodies of a world, and their handles in Python. A handle is never reused.
pub struct Inner {
    pub world: clearance::World,
    bodies: BTreeMap<u64, (BodyId, Py<PyShape>)>,
    numbers: BTreeMap<BodyId, u64>,
    /// Bodies removed since the last step, whose handles it still needs.
    gone: Vec<BodyId>,
    next: u64,
    /// When pairs are due, for `next_contacts`.
    pub schedule: Schedule,
}

impl Inner {
    pub fn id(&self, py: Python<'_>, number: u64) -> PyResult<BodyId> {
        let known = self.bodies.get(&number).map(|(id, _)| *id);
        known.ok_or_else(|| no_such_body(py, number))
    }

    /// The handle of a body of the world, or of the last step.
    pub fn number(&self, id: BodyId) -> u64 {
        self.numbers.get(&id).copied().unwrap_or(u64::MAX)
    }

    pub fn shape(&self, py: Python<'_>, number: u64) -> PyResult<Py<PyShape>> {
        self.bodies.get(&number).map(|(_, shape)| shape.clone_ref(py)).ok_or_else(|| no_such_body(py, number))
    }
}

fn no_such_body(py: Python<'_>, number: u64) -> PyErr {
    let place = u32::try_from(number).unwrap_or(u32::MAX);
    no_answer(py, "body", &QueryError::NoSuchBody { index: place, generation: 0 })
}

/// Many bodies, and which of them are near each other.
///
/// Every pair is asked `question` ("intersects", "distance", "relation", "contacts"; None: nothing, except for
/// groups that `set_interest` names). A pair is near unless proved to be farther apart than `margin`.
#[pyclass(frozen, name = "World", module = "clearance")]
pub struct PyWorld {
    inner: Mutex<Inner>,
}

fn interest_of(py: Python<'_>, question: Option<&str>, margin: f64) -> PyResult<Option<Interest>> {
    let question = match question {
        None => return Ok(None),
        Some("intersects") => Question::Intersects,
        Some("distance") => Question::Distance,
        Some("relation") => Question::Relation,
        Some("contacts") => Question::Contacts,
        Some(other) => {
            let problem =
                format_args!("expected one of 'intersects', 'distance', 'relation', 'contacts', got '{other}'");
            return Err(wrong(py, "question", problem));
        }
    };
    Ok(Some(Interest { question, margin }))
}

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(
        signature = (question=Some("intersects"), margin=0.0),
        text_signature = "(question='intersects', margin=0.0)"
    )]
    fn new(py: Python<'_>, question: Option<&str>, margin: f64) -> PyResult<PyWorld> {
        let world = clearance::World::new(interest_of(py, question, margin)?);
        let inner = Inner {
            world,
            bodies: BTreeMap::new(),
            numbers: BTreeMap::new(),
            gone: Vec::new(),
            next: 0,
            schedule: Schedule::default(),
        };
        Ok(PyWorld { inner: Mutex::new(inner) })
    }

    /// Sets the question for pairs of one body of each group; a group may be paired with itself. None: no question.
    #[pyo3(signature = (group_a, group_b, question, margin=0.0))]
    fn set_interest(
        &self,
        py: Python<'_>,
        group_a: u32,
        group_b: u32,
        question: Option<&str>,
        margin: f64,
    ) -> PyResult<()> {
        let interest = interest_of(py, question, margin)?;
        self.lock(py).world.set_interest(group_a, group_b, interest);
        Ok(())
    }

    /// Excludes a pair, whatever the rules say.
    fn ignore(&self, py: Python<'_>, a: u64, b: u64) -> PyResult<()> {
        let mut inner = self.lock(py);
        let (a, b) = (inner.id(py, a)?, inner.id(py, b)?);
        inner.world.ignore(a, b);
        Ok(())
    }

    /// Adds a body to the world and returns its handle, a number that is never reused. Groups are for rules.
    #[pyo3(signature = (shape, pose=None, group=0))]
    fn insert(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        group: u32,
    ) -> PyResult<u64> {
        let (shape, pose) = (shape_of(shape, "shape")?, pose_of(py, pose, "pose")?);
        let inner = &mut *self.lock(py);
        let id = inner.world.insert(&shape.get().shape, &pose, group);
        let number = inner.next;
        inner.next += 1;
        inner.bodies.insert(number, (id, shape));
        inner.numbers.insert(id, number);
        Ok(number)
    }

    /// Moves a body to another pose.
    fn move_to(&self, py: Python<'_>, body: u64, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = pose_of(py, Some(pose), "pose")?;
        let mut inner = self.lock(py);
        let id = inner.id(py, body)?;
        inner.world.move_to(id, &pose).map_err(|error| no_answer(py, "body", &error))
    }

    /// Moves many bodies to other poses, (N, 4, 4). None is moved if a handle is invalid.
    fn move_batch(&self, py: Python<'_>, bodies: Vec<u64>, poses: &Bound<'_, PyAny>) -> PyResult<()> {
        let poses = poses_of(poses, "poses")?;
        if bodies.len() != poses.len() {
            return Err(wrong(py, "poses", format_args!("{} poses for {} bodies", poses.len(), bodies.len())));
        }
        let mut inner = self.lock(py);
        let ids: Vec<BodyId> = bodies.iter().map(|&body| inner.id(py, body)).collect::<PyResult<_>>()?;
        let world = &mut inner.world;
        let moved = to_its_end(py, || ids.iter().zip(&poses).try_for_each(|(&id, pose)| world.move_to(id, pose)))?;
        moved.map_err(|error| no_answer(py, "bodies", &error))
    }

    /// Removes a body from the world. The next step reports the pairs that this ends.
    fn remove(&self, py: Python<'_>, body: u64) -> PyResult<()> {
        let mut inner = self.lock(py);
        let id = inner.id(py, body)?;
        inner.world.remove(id).map_err(|error| no_answer(py, "body", &error))?;
        inner.bodies.remove(&body);
        inner.gone.push(id);
        Ok(())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).bodies.len()
    }

    fn __contains__(&self, py: Python<'_>, body: u64) -> bool {
        self.lock(py).bodies.contains_key(&body)
    }

    /// The handles of all bodies, ascending.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> Vec<u64> {
        self.lock(py).bodies.keys().copied().collect()
    }

    /// The pose of a body.
    fn pose(&self, py: Python<'_>, body: u64) -> PyResult<PyPose> {
        let inner = self.lock(py);
        let pose = inner.world.pose(inner.id(py, body)?);
        pose.map(|pose| PyPose { pose }).map_err(|error| no_answer(py, "body", &error))
    }

    /// The shape of a body.
    fn shape(&self, py: Python<'_>, body: u64) -> PyResult<Py<PyShape>> {
        self.lock(py).shape(py, body)
    }

    /// The group of a body.
    fn group(&self, py: Python<'_>, body: u64) -> PyResult<u32> {
        let inner = self.lock(py);
        inner.world.group(inner.id(py, body)?).map_err(|error| no_answer(py, "body", &error))
    }

    /// Updates the world, on all cores, and returns which pairs began, continue and ceased to be near since the
    /// last step.
    fn step(&self, py: Python<'_>) -> PyResult<Vec<PyPairEvent>> {
        let inner = &mut *self.lock(py);
        let (world, bodies) = (&mut inner.world, inner.bodies.len());
        let events: Vec<PairEvent> = sized(py, bodies * WORK_OF_BODY, || world.step().to_vec())?;
        let told: PyResult<Vec<PyPairEvent>> = events.into_iter().map(|event| inner.told(py, event)).collect();
        for id in std::mem::take(&mut inner.gone) {
            inner.numbers.remove(&id);
        }
        told
    }

    /// Every two bodies whose boxes are no farther apart than a margin, whatever the rules say: handles (N, 2).
    fn pairs_within<'py>(&self, py: Python<'py>, margin: f64) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let inner = &mut *self.lock(py);
        let (world, bodies) = (&mut inner.world, inner.bodies.len());
        let pairs = sized(py, bodies * WORK_OF_BODY, || world.pairs_within(margin))?;
        rows(py, pairs.into_iter().map(|(a, b)| [inner.number(a), inner.number(b)]).collect())
    }

    /// The pairs whose boxes were near in the last step: handles (N, 2).
    fn near_pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let inner = self.lock(py);
        rows(py, inner.world.near_pairs().map(|(a, b)| [inner.number(a), inner.number(b)]).collect())
    }

    /// The first body that a ray hits: a pair of its handle and a `RayHit`; a `NoHit` if it provably hits
    /// none.
    #[pyo3(signature = (origin, direction, *, t_from=0.0, t_to=f64::INFINITY))]
    fn ray_cast(
        &self,
        py: Python<'_>,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
        t_from: f64,
        t_to: f64,
    ) -> PyResult<Py<PyAny>> {
        let (ray, options) = (ray_of(origin, direction)?, options_of(py, t_from, t_to, false)?);
        let inner = self.lock(py);
        let world = &inner.world;
        let hit = on_all_cores(py, || world.ray_cast(&ray, &options))?;
        inner.hit_or_none(py, hit, ray, options, &mut None)
    }

    /// The first bodies hit by rays, given by origins and directions (N, 3), on all cores: for each a pair of a handle
    /// and a `RayHit`, or a `NoHit`.
    #[pyo3(signature = (origins, directions, *, t_from=0.0, t_to=f64::INFINITY))]
    fn ray_cast_batch(
        &self,
        py: Python<'_>,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
        t_from: f64,
        t_to: f64,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let (rays, options) = (rays_of(origins, directions)?, options_of(py, t_from, t_to, false)?);
        let inner = self.lock(py);
        let world = &inner.world;
        let hits = each(py, rays.len(), |index| world.ray_cast(&rays[index], &options))?;
        let mut bodies = None;
        let named = |(hit, &ray)| inner.hit_or_none(py, hit, ray, options, &mut bodies);
        hits.into_iter().zip(&rays).map(named).collect()
    }

    /// The handles of the bodies that contain a point.
    fn bodies_at(&self, py: Python<'_>, point: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
        let (point, inner) = (vector(point, "point")?, self.lock(py));
        let world = &inner.world;
        let found = on_all_cores(py, || world.bodies_at(point))?;
        Ok(found.into_iter().map(|id| inner.number(id)).collect())
    }

    /// The handles of the bodies whose boxes overlap the box between two corners.
    fn bodies_in(&self, py: Python<'_>, least: &Bound<'_, PyAny>, greatest: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
        let bounds = Aabb::new(vector(least, "least")?, vector(greatest, "greatest")?);
        let inner = self.lock(py);
        Ok(inner.world.bodies_in(&bounds).into_iter().map(|id| inner.number(id)).collect())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("World({} bodies)", self.lock(py).bodies.len())
    }
}

impl PyWorld {
    /// Locks the world; the interpreter is released while waiting.
    pub fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, Inner> {
        self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// An event with the bodies by their numbers, and the finding with what it is about.
    fn told(&self, py: Python<'_>, event: PairEvent) -> PyResult<PyPairEvent> {
        let (a, b) = (self.number(event.a), self.number(event.b));
        let asked = || -> PyResult<Pair> {
            let pose = |id| self.world.pose(id).map_err(|error| no_answer(py, "body", &error));
            let (pose_a, pose_b) = (pose(event.a)?, pose(event.b)?);
            Ok(Pair { a: self.shape(py, a)?, pose_a, b: self.shape(py, b)?, pose_b })
        };
        let finding = match event.finding {
            None | Some(Finding::Near) => None,
            Some(Finding::Distance(answer)) => Some(PyDistance { answer, question: asked()? }.into_py_any(py)?),
            Some(Finding::Relation(answer)) => Some(PyRelationProof { answer, question: asked()? }.into_py_any(py)?),
            Some(Finding::Contacts(answer)) => Some(PyContacts { answer, question: asked()? }.into_py_any(py)?),
        };
        Ok(PyPairEvent { a, b, change: event.change, finding })
    }

    /// A hit with the handle of the body, or a miss, which is about all `bodies`: listed once.
    fn hit_or_none(
        &self,
        py: Python<'_>,
        found: Result<(BodyId, RayHit), NoHit>,
        ray: Ray,
        options: RayOptions,
        bodies: &mut Option<MovingBodies>,
    ) -> PyResult<Py<PyAny>> {
        let answer = match found {
            Ok(hit) => return self.hit(py, hit, ray, options)?.into_py_any(py),
            Err(none) => none,
        };
        let all = match bodies {
            Some(all) => all,
            None => {
                let body = |(id, shape): &(BodyId, Py<PyShape>)| {
                    let pose = self.world.pose(*id).map_err(|error| no_answer(py, "body", &error))?;
                    Ok((shape.clone_ref(py), Motion::still(pose)))
                };
                bodies.insert(Arc::new(self.bodies.values().map(body).collect::<PyResult<_>>()?))
            }
        };
        let question = Missed::of(all.clone(), false, ray, options);
        Ok(Py::new(py, PyNoHit { answer, question })?.into_any())
    }

    /// A hit with the body by its number.
    fn hit(
        &self,
        py: Python<'_>,
        (id, answer): (BodyId, RayHit),
        ray: Ray,
        options: RayOptions,
    ) -> PyResult<(u64, PyRayHit)> {
        let number = self.number(id);
        let pose = self.world.pose(id).map_err(|error| no_answer(py, "body", &error))?;
        let question = Cast::at_rest(self.shape(py, number)?, pose, ray, options);
        Ok((number, PyRayHit { answer, question }))
    }
}

/// An event of a step about a pair of bodies.
#[pyclass(frozen, name = "PairEvent", module = "clearance")]
pub struct PyPairEvent {
    a: u64,
    b: u64,
    change: Change,
    finding: Option<Py<PyAny>>,
}

/// What makes an event again.
type EventParts<'py> = (u64, u64, Bound<'py, PyAny>, Option<Py<PyAny>>);

#[pymethods]
impl PyPairEvent {
    #[new]
    fn new(py: Python<'_>, a: u64, b: u64, change: &str, finding: Option<Py<PyAny>>) -> PyResult<PyPairEvent> {
        let change = match change {
            "began" => Change::Began,
            "persists" => Change::Persists,
            "ended" => Change::Ended,
            other => {
                return Err(wrong(
                    py,
                    "change",
                    format_args!("expected one of 'began', 'persists', 'ended', got '{other}'"),
                ));
            }
        };
        Ok(PyPairEvent { a, b, change, finding })
    }

    /// The handle of the body that is A in the finding.
    #[getter]
    fn a(&self) -> u64 {
        self.a
    }

    /// The handle of the body that is B.
    #[getter]
    fn b(&self) -> u64 {
        self.b
    }

    /// "began", "persists" or "ended".
    #[getter]
    fn change<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.change.give(py)
    }

    /// The answer to the question that the rules ask: a `Distance`, a `RelationProof`, `Contacts`; None for
    /// "intersects", and when it ended.
    #[getter]
    pub fn finding(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.finding.as_ref().map(|finding| finding.clone_ref(py))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<PyPairEvent>() else { return Ok(false) };
        let (py, it) = (other.py(), other.get());
        let found = match (&self.finding, &it.finding) {
            (Some(one), Some(two)) => one.bind(py).eq(two.bind(py))?,
            (one, two) => one.is_none() && two.is_none(),
        };
        Ok((self.a, self.b, self.change) == (it.a, it.b, it.change) && found)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let finding =
            self.finding.as_ref().map_or(Ok("None".into()), |it| it.bind(py).repr().map(|it| it.to_string()))?;
        Ok(format!("PairEvent({}, {}, {}, {finding})", self.a, self.b, self.change(py)?.repr()?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, EventParts<'py>> {
        let (py, it) = (slf.py(), slf.get());
        Ok((slf.get_type().into_any(), (it.a, it.b, it.change(py)?, it.finding(py))))
    }
}
