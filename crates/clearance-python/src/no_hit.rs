//! The answer that a ray hits nothing, and that moving features do not touch.

use std::sync::Arc;

use clearance::answer::{NoElementaryImpact, NoHit};
use clearance::query::{ElementaryOptions, ElementaryPair, RayHitMode, RayOptions};
use clearance::verify::Refusal;
use clearance::{Motion, Ray};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::{Absence, Asked, Prove, Question, getters, single};
use crate::elementary::Features;
use crate::give::Give;
use crate::pose::{PyMotion, motion_of, pose_of};
use crate::rays::{Cast, RayView, options_of, ray_of};
use crate::shape::{PyShape, shape_of};

/// A body and how it moves.
type MovingBody = (Py<PyShape>, Motion);

/// Many of them, shared: the rays of a batch miss the same bodies.
pub type MovingBodies = Arc<Vec<MovingBody>>;

/// Bodies, at rest or in motion, and a ray that hits none of them.
pub struct Missed {
    bodies: MovingBodies,
    moves: bool,
    ray: Ray,
    options: RayOptions,
}

impl Missed {
    pub fn of(bodies: MovingBodies, moves: bool, ray: Ray, options: RayOptions) -> Missed {
        Missed { bodies, moves, ray, options }
    }
}

impl Question for Missed {
    type View<'a> = &'a Missed;

    fn view(&self) -> &Missed {
        self
    }
}

impl Asked for Missed {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let shapes: Vec<Py<PyShape>> = self.bodies.iter().map(|(shape, _)| shape.clone_ref(py)).collect();
        let motions: Vec<PyMotion> = self.bodies.iter().map(|&(_, motion)| PyMotion { motion }).collect();
        let (origin, direction) = (self.ray.origin.give(py)?, self.ray.direction.give(py)?);
        let RayOptions { from, to, hit } = self.options;
        (shapes, motions, self.moves, origin, direction, (from, to, hit == RayHitMode::Any)).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Missed> {
        let py = objects.py();
        let (from, to, any) = objects.get_item(5)?.extract()?;
        let shapes = objects.get_item(0)?.try_iter()?.map(|shape| shape_of(&shape?, "shapes"));
        let motions = objects.get_item(1)?.try_iter()?.map(|motion| motion_of(py, Some(&motion?), "motions"));
        let bodies = shapes.zip(motions).map(|(shape, motion)| Ok((shape?, motion?)));
        Ok(Missed {
            bodies: Arc::new(bodies.collect::<PyResult<_>>()?),
            moves: objects.get_item(2)?.extract()?,
            ray: ray_of(&objects.get_item(3)?, &objects.get_item(4)?)?,
            options: options_of(py, from, to, any)?,
        })
    }

    fn same(&self, other: &Missed) -> bool {
        let same = |((a, at_a), (b, at_b)): (&MovingBody, &MovingBody)| at_a == at_b && a.get().shape == b.get().shape;
        self.moves == other.moves
            && self.ray == other.ray
            && self.options == other.options
            && self.bodies.len() == other.bodies.len()
            && self.bodies.iter().zip(other.bodies.iter()).all(same)
    }
}

impl Prove<Missed> for NoHit {
    fn prove(&self, asked: &Missed) -> Result<(), Refusal> {
        asked.bodies.iter().try_for_each(|(shape, motion)| {
            let shape = &shape.get().shape;
            if asked.moves {
                return self.verify_moving(shape, motion, &asked.ray, &asked.options);
            }
            self.verify(shape, &motion.start(), &asked.ray, &asked.options)
        })
    }
}

impl Prove<Cast> for NoHit {
    fn prove(&self, asked: RayView<'_>) -> Result<(), Refusal> {
        self.verify(asked.shape, &asked.motion.start(), asked.ray, asked.options)
    }
}

single! {
    /// A ray hits nothing from `t_from` to `t_to`, both included. False where a bool is expected, as hits
    /// are true.
    ///
    /// Returned by `ray_cast`, `ray_cast_moving` and `World.ray_cast`. The constructor makes a claim of your own about
    /// a body; `verify` says whether it holds.
    PyNoHit = "NoHit" of NoHit, asked Missed
}

getters! {
    PyNoHit;
    /// The least `t` of the query.
    t_from: from,
    /// The largest `t` of the query.
    t_to: to,
}

#[pymethods]
impl PyNoHit {
    #[new]
    #[pyo3(signature = (shape, origin, direction, pose=None, *, t_from=0.0, t_to=f64::INFINITY))]
    fn new(
        shape: &Bound<'_, PyAny>,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        t_from: f64,
        t_to: f64,
    ) -> PyResult<PyNoHit> {
        let py = shape.py();
        let (body, pose, ray) = (shape_of(shape, "shape")?, pose_of(py, pose, "pose")?, ray_of(origin, direction)?);
        let options = options_of(py, t_from, t_to, false)?;
        let bodies = Arc::new(vec![(body, Motion::still(pose))]);
        let answer = NoHit { from: options.from, to: options.to };
        Ok(PyNoHit { answer, question: Missed::of(bodies, false, ray, options) })
    }

    /// The bodies that are missed: those of a world, or one.
    #[getter]
    fn shapes(&self, py: Python<'_>) -> Vec<Py<PyShape>> {
        self.question.bodies.iter().map(|(shape, _)| shape.clone_ref(py)).collect()
    }

    fn __bool__(&self) -> bool {
        false
    }

    fn __repr__(&self) -> String {
        let NoHit { from, to } = self.answer;
        format!("NoHit(t_from={from:?}, t_to={to:?})")
    }
}

impl Absence<Cast> for NoHit {
    fn object(self, py: Python<'_>, question: Cast) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, PyNoHit { answer: self, question: question.missed() })?.into_any())
    }
}

impl Prove<Features> for NoElementaryImpact {
    fn prove(&self, (pair, _): (&ElementaryPair, &ElementaryOptions)) -> Result<(), Refusal> {
        self.verify(pair)
    }
}

single! {
    /// Two moving features do not touch from time 0 to `until`. False where a bool is expected, as contacts
    /// are true.
    PyNoElementaryImpact = "NoElementaryImpact" of NoElementaryImpact, asked Features
}

getters! {
    PyNoElementaryImpact;
    /// The end of the time interval, included.
    until: until,
}

#[pymethods]
impl PyNoElementaryImpact {
    fn __bool__(&self) -> bool {
        false
    }

    fn __repr__(&self) -> String {
        format!("NoElementaryImpact(until={:?})", self.answer.until)
    }
}

impl Absence<Features> for NoElementaryImpact {
    fn object(self, py: Python<'_>, question: Features) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, PyNoElementaryImpact { answer: self, question })?.into_any())
    }
}
