//! Queries about bodies that move and rotate.

use clearance::answer::{LeastClearance, NoImpact, RigidImpact};
use clearance::query::{LeastClearanceOptions, RigidAlgorithm, RigidOptions};
use clearance::world::FirstImpact;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::answer::{Asked, Batch, Bracketed, OfBodies, Questions, answer, in_world, shown};
use crate::bodies::Bodies;
use crate::error::{option_of, wrong};
use crate::give::Reduced;
use crate::impact::{Motions, Moving, MovingView, first_contacts, of_motions, of_moving};
use crate::no_impact::{PyNoImpact, ask_for_contact};
use crate::pair::with_workspace;
use crate::pose::matrices_array;
use crate::rigid_motion::{Turn, turns_of};
use crate::shape::PyShape;
use crate::state::restored;
use crate::work::at_length;

impl Motions<Turn> {
    fn of(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        motions: &Bound<'_, PyAny>,
        motion_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Motions<Turn>> {
        Motions::with(a, b, turns_of(motions, "motions")?, motion_a)
    }
}

of_motions! {
    RigidImpact: Turn at time.value;
    LeastClearance: Turn at time;
    NoImpact: Turn;
}

first_contacts! {
    /// The first contact of two bodies that move and rotate.
    PyRigidImpact = "RigidImpact" of RigidImpact, along Turn;
    /// First contacts: an array for each field of `RigidImpact`, and a `RigidImpact` or a `NoImpact` for each index.
    /// Where the bodies do not meet, `hit` is False, `value` infinite, and the rest undefined.
    PyRigidImpacts = "RigidImpacts";
    /// Proved: at this time the bodies are within the margin (`touches`), or within the margin and `gap`.
    upper,
    /// True when contact is proved. False where it is not: the bodies graze, or the options ended the search.
    touches,
    /// The pose of A at `value`; in a batch (N, 4, 4).
    pose_a: pose_a,
    /// The pose of B at `value`; in a batch (N, 4, 4).
    pose_b: pose_b,
    /// The parts of A and of B that prove `upper`: deeper in each other than the poses are off.
    deep: deep,
    /// How many pairs of parts, or bodies, were evaluated.
    steps: steps,
}

answer! {
    /// The least clearance of two moving bodies in a step.
    PyLeastClearance = "LeastClearance" of LeastClearance, asked Moving<Turn>;
    /// Least clearances: an array for each field of `LeastClearance`, and the `LeastClearance` at each index.
    PyLeastClearances = "LeastClearances" asked Motions<Turn>;
    bracket {
        /// The least clearance: `upper`.
        value,
        /// Proved: at no time of the step are the bodies nearer than this. Zero: they may touch.
        lower,
        /// Proved: at `t` they are no farther apart than this.
        upper,
    }
    /// A time at which the gap is at most `upper`.
    t: time,
    /// The point of A that is nearest at `t`, in A's own frame.
    point_in_a: witness.a.point,
    /// The point of B that is nearest at `t`, in B's own frame.
    point_in_b: witness.b.point,
    /// How many times the gap was evaluated.
    readings: readings,
}

/// Answers about many motions, from bytes that another process sent.
macro_rules! from_states {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
            #[classmethod]
            #[pyo3(signature = (states, a, b, motions, motion_a=None))]
            fn _of_motions(
                _: &Bound<'_, PyType>,
                states: Vec<Bound<'_, PyBytes>>,
                a: &Bound<'_, PyAny>,
                b: &Bound<'_, PyAny>,
                motions: &Bound<'_, PyAny>,
                motion_a: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<$class> {
                $class::of_states(&states, Motions::<Turn>::of(a, b, motions, motion_a)?)
            }
        }
    )*};
}

from_states!(PyRigidImpacts, PyLeastClearances);

of_moving!(PyLeastClearance);
in_world!(
    PyLeastClearance by witness,
    "The points of A and of B in the world at that time, (2, 3); rounded, and no part of the proof."
);

fn impact_options(
    py: Python<'_>,
    margin: f64,
    tolerance: f64,
    resolution: f64,
    algorithm: &str,
) -> PyResult<RigidOptions> {
    let words = [("advancement", RigidAlgorithm::Advancement), ("hierarchies", RigidAlgorithm::Hierarchies)];
    let algorithm = option_of(py, "algorithm", algorithm, &words)?;
    // Written so that a NaN is refused.
    if !(resolution > 0.0 && resolution <= 1.0) {
        return Err(wrong(py, "resolution", format_args!("{resolution} is not more than 0 and at most 1")));
    }
    Ok(RigidOptions { algorithm, margin, tolerance, resolution })
}

fn impact_of(view: MovingView<'_, Turn>, options: &RigidOptions) -> Result<RigidImpact, NoImpact> {
    let (a, motion_a, b, motion_b) = view.parts();
    with_workspace(|workspace| clearance::query::rigid_impact_with(a, motion_a, b, motion_b, options, workspace))
}

/// The first contact of two bodies that move and rotate: a `RigidImpact`, or a `NoImpact` if they provably do not touch
/// in this step. Nothing is missed, however fast or thin the bodies are. A `Motion` or a pose in place of a
/// `RigidMotion`: the body does not rotate, or is at rest.
///
/// `resolution`: a time; where the proof advances by less than this, contact is assumed.
#[pyfunction]
#[pyo3(signature = (
    a, b, motion_a=None, motion_b=None, *, margin=0.0, tolerance=0.0, resolution=1e-12, algorithm="advancement"
))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn rigid_impact(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_a: Option<&Bound<'_, PyAny>>,
    motion_b: Option<&Bound<'_, PyAny>>,
    margin: f64,
    tolerance: f64,
    resolution: f64,
    algorithm: &str,
) -> PyResult<Py<PyAny>> {
    let py = a.py();
    let options = impact_options(py, margin, tolerance, resolution, algorithm)?;
    ask_for_contact::<PyRigidImpact, _>(py, Moving::of(a, b, motion_a, motion_b)?, |view| impact_of(view, &options))
}

/// The first contact of two bodies for many motions of B, on all cores. `motions` is a list of what `rigid_impact`
/// takes.
#[pyfunction]
#[pyo3(signature = (
    a, b, motions, motion_a=None, *, margin=0.0, tolerance=0.0, resolution=1e-12, algorithm="advancement"
))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn rigid_impact_batch(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motions: &Bound<'_, PyAny>,
    motion_a: Option<&Bound<'_, PyAny>>,
    margin: f64,
    tolerance: f64,
    resolution: f64,
    algorithm: &str,
) -> PyResult<PyRigidImpacts> {
    let py = a.py();
    let options = impact_options(py, margin, tolerance, resolution, algorithm)?;
    let questions = Motions::<Turn>::of(a, b, motions, motion_a)?;
    Ok(Batch::of(questions.each(py, |view| impact_of(view, &options))?, questions))
}

fn clearance_options(
    py: Python<'_>,
    tolerance: f64,
    relative_tolerance: f64,
    most_readings: u32,
) -> PyResult<LeastClearanceOptions> {
    for (name, given) in [("tolerance", tolerance), ("relative_tolerance", relative_tolerance)] {
        if given.is_nan() || given < 0.0 {
            return Err(wrong(py, name, format_args!("{given} is not 0 or more")));
        }
    }
    Ok(LeastClearanceOptions { tolerance, relative_tolerance, most_readings })
}

fn clearance_of(
    view: MovingView<'_, Turn>,
    options: &LeastClearanceOptions,
) -> Result<LeastClearance, clearance::QueryError> {
    let (a, motion_a, b, motion_b) = view.parts();
    with_workspace(|workspace| clearance::query::least_clearance_with(a, motion_a, b, motion_b, options, workspace))
}

/// The least clearance of two moving bodies in a step, to within `tolerance`, a length, or `relative_tolerance` of
/// it; after `most_readings` evaluations the bracket may be wider.
#[pyfunction]
#[pyo3(signature = (
    a, b, motion_a=None, motion_b=None, *, tolerance=0.0, relative_tolerance=1e-3, most_readings=10_000
))]
pub fn least_clearance(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_a: Option<&Bound<'_, PyAny>>,
    motion_b: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
    relative_tolerance: f64,
    most_readings: u32,
) -> PyResult<PyLeastClearance> {
    let py = a.py();
    let options = clearance_options(py, tolerance, relative_tolerance, most_readings)?;
    Moving::of(a, b, motion_a, motion_b)?.ask_if_it_can(py, |view| clearance_of(view, &options))
}

/// The least clearance of two bodies for many motions of B, on all cores: as `least_clearance`.
#[pyfunction]
#[pyo3(signature = (a, b, motions, motion_a=None, *, tolerance=0.0, relative_tolerance=1e-3, most_readings=10_000))]
pub fn least_clearance_batch(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motions: &Bound<'_, PyAny>,
    motion_a: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
    relative_tolerance: f64,
    most_readings: u32,
) -> PyResult<PyLeastClearances> {
    let py = a.py();
    let options = clearance_options(py, tolerance, relative_tolerance, most_readings)?;
    let questions = Motions::<Turn>::of(a, b, motions, motion_a)?;
    Ok(Batch::of_all(questions.each_that_can(py, |view| clearance_of(view, &options))?, questions))
}

/// The first contact of many bodies.
#[pyclass(frozen, name = "FirstImpact", module = "clearance")]
pub struct PyFirstImpact {
    found: FirstImpact,
    pub impact: Py<PyRigidImpact>,
    bodies: Bodies,
}

/// What the first contact of many bodies is pickled as: the bodies, their motions, the pairs, and what was found.
type FirstImpactParts<'py> = (
    Vec<Py<PyShape>>,
    Vec<Bound<'py, PyAny>>,
    Option<Bound<'py, PyArray2<u32>>>,
    (usize, usize),
    Py<PyRigidImpact>,
    Bound<'py, PyAny>,
);

#[pymethods]
impl PyFirstImpact {
    /// The index of the first body.
    #[getter]
    fn a(&self) -> usize {
        self.found.a
    }

    /// The index of the second, which is larger.
    #[getter]
    fn b(&self) -> usize {
        self.found.b
    }

    /// The contact, a `RigidImpact`, which can be verified by itself.
    #[getter]
    fn impact(&self, py: Python<'_>) -> Py<PyRigidImpact> {
        self.impact.clone_ref(py)
    }

    /// The pose of every body at the time of the contact, (N, 4, 4).
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        matrices_array(py, &self.found.poses)
    }

    /// Verifies all of it: the contact, the poses, and that no other pair meets before. Raises `NotProvedError`
    /// with the first claim that does not hold. Slower than the query, as every pair is tested.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.bodies.prove(py, |bodies, covered| self.found.verify(bodies, covered))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyFirstImpact>().is_ok_and(|other| {
            let (one, two) = (&self.found, &other.get().found);
            (one.a, one.b) == (two.a, two.b)
                && one.impact == two.impact
                && one.poses == two.poses
                && self.bodies.same(&other.get().bodies)
        })
    }

    fn __repr__(&self) -> String {
        let FirstImpact { a, b, impact, .. } = &self.found;
        shown(&format!("FirstImpact({a} and {b}, "), impact.bracket())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, FirstImpactParts<'py>> {
        let (py, it) = (slf.py(), slf.get());
        let (shapes, motions) = (it.bodies.shape_objects(py), it.bodies.motion_objects(py)?);
        let pairs = it.bodies.pair_rows(py)?;
        let parts = (shapes, motions, pairs, (it.found.a, it.found.b), it.impact(py), it.poses(py)?);
        restored(slf, parts)
    }

    #[classmethod]
    fn _restore(
        _: &Bound<'_, PyType>,
        shapes: &Bound<'_, PyAny>,
        motions: &Bound<'_, PyAny>,
        pairs: Option<&Bound<'_, PyAny>>,
        pair: (usize, usize),
        impact: Py<PyRigidImpact>,
        poses: &Bound<'_, PyAny>,
    ) -> PyResult<PyFirstImpact> {
        let bodies = Bodies::of(shapes, motions, pairs)?;
        let poses = crate::pose::poses_of(poses, "poses")?;
        let found = FirstImpact { a: pair.0, b: pair.1, impact: impact.get().answer, poses };
        Ok(PyFirstImpact { found, impact, bodies })
    }
}

/// The first contact of many moving bodies, with all their poses at that time: a `FirstImpact`; a `NoImpact` if
/// provably none do.
///
/// `motions` has one for each body. `pairs`, (N, 2): the indices of the pairs to test; without, all. The options
/// are those of `rigid_impact`.
#[pyfunction]
#[pyo3(signature = (
    shapes, motions, pairs=None, *, margin=0.0, tolerance=0.0, resolution=1e-12, algorithm="advancement"
))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn first_impact(
    shapes: &Bound<'_, PyAny>,
    motions: &Bound<'_, PyAny>,
    pairs: Option<&Bound<'_, PyAny>>,
    margin: f64,
    tolerance: f64,
    resolution: f64,
    algorithm: &str,
) -> PyResult<Py<PyAny>> {
    let py = shapes.py();
    let options = impact_options(py, margin, tolerance, resolution, algorithm)?;
    let bodies = Bodies::of(shapes, motions, pairs)?;
    let all = bodies.all();
    let found = at_length(py, || {
        with_workspace(|workspace| {
            clearance::world::first_impact_with(&all, |a, b| bodies.covers(a, b), &options, workspace)
        })
    })?;
    match found {
        Ok(found) => {
            let impact = PyRigidImpact { answer: found.impact, question: bodies.pair(py, found.a, found.b) };
            Ok(Py::new(py, PyFirstImpact { impact: Py::new(py, impact)?, found, bodies })?.into_any())
        }
        Err(answer) => Ok(Py::new(py, PyNoImpact { answer, question: bodies })?.into_any()),
    }
}
