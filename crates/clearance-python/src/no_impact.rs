//! The answer that moving bodies do not touch.

use clearance::answer::NoImpact;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyType;
use pyo3::{PyClass, PyClassInitializer};

use crate::answer::{Absence, Answered, OfBodies, getters, single};
use crate::bodies::Bodies;
use crate::impact::{InMotion, Moving, MovingView};
use crate::rigid_motion::Turn;
use crate::shape::PyShape;

single! {
    /// Moving bodies do not touch: they stay farther apart than `margin` before the time `until`. False
    /// where a bool is expected, as contacts are true.
    ///
    /// Returned by `time_of_impact`, `rigid_impact` and `first_impact`. The constructor makes a claim of your own about
    /// two bodies, `of_bodies` one about many; `verify` says whether it holds.
    PyNoImpact = "NoImpact" of NoImpact, asked Bodies, unproved
}

getters! {
    PyNoImpact;
    /// The bodies are farther apart than this. Zero or less: they have no point in common.
    margin: margin,
    /// Before this time, as a part of the step; with 1 throughout it, its end included.
    until: until,
}

/// What is said of one of two bodies.
fn of_two<T>(all: &[T], which: usize) -> Option<&T> {
    if all.len() == 2 { all.get(which) } else { None }
}

impl PyNoImpact {
    fn shape(&self, py: Python<'_>, which: usize) -> Option<Py<PyShape>> {
        of_two(&self.question.shapes, which).map(|shape| shape.clone_ref(py))
    }

    fn motion<'py>(&self, py: Python<'py>, which: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        of_two(&self.question.motions, which).map(|motion| motion.object(py)).transpose()
    }
}

#[pymethods]
impl PyNoImpact {
    #[new]
    #[pyo3(signature = (a, b, motion_a=None, motion_b=None, *, margin=0.0, until=1.0))]
    fn new(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        motion_a: Option<&Bound<'_, PyAny>>,
        motion_b: Option<&Bound<'_, PyAny>>,
        margin: f64,
        until: f64,
    ) -> PyResult<PyNoImpact> {
        let two: Moving<Turn> = Moving::of(a, b, motion_a, motion_b)?;
        Ok(PyNoImpact { answer: NoImpact { margin, until }, question: Bodies::of_two(a.py(), two)? })
    }

    /// The claim that no two of many bodies touch, or none of the `pairs`, (N, 2): the arguments are those of
    /// `first_impact`.
    #[classmethod]
    #[pyo3(signature = (shapes, motions, pairs=None, *, margin=0.0, until=1.0))]
    fn of_bodies(
        _: &Bound<'_, PyType>,
        shapes: &Bound<'_, PyAny>,
        motions: &Bound<'_, PyAny>,
        pairs: Option<&Bound<'_, PyAny>>,
        margin: f64,
        until: f64,
    ) -> PyResult<PyNoImpact> {
        Ok(PyNoImpact { answer: NoImpact { margin, until }, question: Bodies::of(shapes, motions, pairs)? })
    }

    /// Body A; None unless the claim is about two bodies.
    #[getter]
    fn a(&self, py: Python<'_>) -> Option<Py<PyShape>> {
        self.shape(py, 0)
    }

    /// Body B; None unless the claim is about two bodies.
    #[getter]
    fn b(&self, py: Python<'_>) -> Option<Py<PyShape>> {
        self.shape(py, 1)
    }

    /// The motion of A, as a `RigidMotion`.
    #[getter]
    fn motion_a<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.motion(py, 0)
    }

    /// The motion of B, as a `RigidMotion`.
    #[getter]
    fn motion_b<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.motion(py, 1)
    }

    /// All bodies.
    #[getter]
    fn shapes(&self, py: Python<'_>) -> Vec<Py<PyShape>> {
        self.question.shape_objects(py)
    }

    /// The motions of all bodies, as `RigidMotion`s.
    #[getter]
    fn motions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.question.motion_objects(py)
    }

    /// The pairs that the claim covers, (N, 2) indices; None: all pairs.
    #[getter]
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<u32>>>> {
        self.question.pair_rows(py)
    }

    /// Verifies it with code independent of the search. Raises `NotProvedError` with the time from which on it is not
    /// proved.
    ///
    /// Slower than the query, the more so the closer the bodies pass each other: a gap that stays below a
    /// hundred thousandth of the path length is mostly refused.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.question.prove(py, |bodies, covered| self.answer.verify_all(bodies, covered))
    }

    fn __bool__(&self) -> bool {
        false
    }

    fn __repr__(&self) -> String {
        let NoImpact { margin, until } = self.answer;
        format!("NoImpact(margin={margin:?}, until={until:?})")
    }
}

impl<M: InMotion> Absence<Moving<M>> for NoImpact {
    fn object(self, py: Python<'_>, question: Moving<M>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, PyNoImpact { answer: self, question: Bodies::of_two(py, question)? })?.into_any())
    }
}

/// Asks when two moving bodies touch first.
pub fn ask_for_contact<C, M>(
    py: Python<'_>,
    question: Moving<M>,
    ask: impl FnOnce(MovingView<'_, M>) -> Result<C::Answer, NoImpact> + Send,
) -> PyResult<Py<PyAny>>
where
    C: Answered<Question = Moving<M>, Answer: Send> + PyClass + Into<PyClassInitializer<C>>,
    M: InMotion,
{
    question.ask_whether::<C, NoImpact>(py, ask)
}
