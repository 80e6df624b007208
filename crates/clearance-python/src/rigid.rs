//! Questions about bodies that turn on their way.

use clearance::{
    FirstImpact, LeastClearance, LeastClearanceOptions, Refusal, RigidAlgorithm, RigidImpact, RigidMotion,
    RigidOptions, Shape,
};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::answer::{Prove, Question, answer, shown};
use crate::array::Indices;
use crate::batch::{each, each_that_can, read_all};
use crate::error::{bad_state, refused, wrong};
use crate::give::{Reduced, points};
use crate::impact::{InMotion, Moving};
use crate::pair::with_workspace;
use crate::pose::matrices_array;
use crate::rigid_motion::Turn;
use crate::shape::{PyShape, shape_of};

/// Two bodies, each with its motion.
#[derive(Clone, Copy)]
pub struct TurningView<'a> {
    a: &'a Shape,
    motion_a: &'a RigidMotion,
    b: &'a Shape,
    motion_b: &'a RigidMotion,
}

impl Moving<Turn> {
    fn view(&self) -> TurningView<'_> {
        let (motion_a, motion_b) = (&self.motion_a.motion, &self.motion_b.motion);
        TurningView { a: &self.a.get().shape, motion_a, b: &self.b.get().shape, motion_b }
    }
}

/// Two bodies, of which B has many motions.
pub struct Turned {
    a: Py<PyShape>,
    b: Py<PyShape>,
    motion_a: Turn,
    motions: Vec<Turn>,
}

/// Motions from an argument, each named by its place.
fn motions_of(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Turn>> {
    let py = argument.py();
    let objects = argument.try_iter().map_err(|_| wrong(py, name, "not a list of motions"))?;
    let one = |(index, motion): (usize, PyResult<Bound<'_, PyAny>>)| {
        Turn::from_argument(py, Some(&motion?), &format!("{name}[{index}]"))
    };
    objects.enumerate().map(one).collect()
}

impl Turned {
    fn of(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        motions: &Bound<'_, PyAny>,
        motion_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Turned> {
        let motion_a = Turn::from_argument(a.py(), motion_a, "motion_a")?;
        Ok(Turned { a: shape_of(a, "a")?, b: shape_of(b, "b")?, motion_a, motions: motions_of(motions, "motions")? })
    }

    fn len(&self) -> usize {
        self.motions.len()
    }

    fn view(&self, index: usize) -> TurningView<'_> {
        let (motion_a, motion_b) = (&self.motion_a.motion, &self.motions[index].motion);
        TurningView { a: &self.a.get().shape, motion_a, b: &self.b.get().shape, motion_b }
    }

    fn item(&self, py: Python<'_>, index: usize) -> Moving<Turn> {
        let (a, b) = (self.a.clone_ref(py), self.b.clone_ref(py));
        Moving { a, motion_a: self.motion_a.clone(), b, motion_b: self.motions[index].clone() }
    }
}

impl Question for Turned {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let motions: Vec<_> = self.motions.iter().map(|motion| motion.object(py)).collect::<PyResult<_>>()?;
        (self.a.clone_ref(py), self.b.clone_ref(py), motions, self.motion_a.object(py)?).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Turned> {
        let [a, b, motions, motion_a] = [0, 1, 2, 3].map(|index| objects.get_item(index));
        Turned::of(&a?, &b?, &motions?, Some(&motion_a?)).map_err(|_| bad_state())
    }

    fn same(&self, other: &Turned) -> bool {
        let shapes = |turned: &Turned| (turned.a.get().shape.clone(), turned.b.get().shape.clone());
        self.motions == other.motions && self.motion_a == other.motion_a && shapes(self) == shapes(other)
    }
}

impl Prove<TurningView<'_>> for RigidImpact {
    fn prove(&self, asked: TurningView<'_>) -> Result<(), Refusal> {
        clearance::verify_rigid_impact(self, asked.a, asked.motion_a, asked.b, asked.motion_b)
    }
}

impl Prove<TurningView<'_>> for LeastClearance {
    fn prove(&self, asked: TurningView<'_>) -> Result<(), Refusal> {
        clearance::verify_least_clearance(self, asked.a, asked.motion_a, asked.b, asked.motion_b)
    }
}

answer! {
    /// The first contact of two bodies that turn on their way.
    PyRigidImpact = "RigidImpact",
    /// First contacts: an array for each field of `RigidImpact`, and a `RigidImpact` or None for each index. Where the
    /// bodies do not meet, `hit` is False, `value` infinite, and all else without meaning.
    PyRigidImpacts = "RigidImpacts",
    of RigidImpact, asked Moving<Turn>, Turned;
    /// The time of the first contact, as a part of the step.
    value: t,
    /// Proved: before this the bodies are farther apart than the margin.
    lower: lower,
    /// Proved: at this very time the bodies are within the margin (`touches`), or within the margin and `gap`.
    upper: upper,
    /// True when contact is proved. False where it is not: the bodies graze, or the options ended the search.
    touches: touches,
    /// How far from contact the bodies are at most at `upper`. Zero when `touches`.
    gap: gap,
    /// The margin that counts as contact.
    margin: margin,
    /// Where A is at `value`; in a batch (N, 4, 4).
    pose_a: pose_a,
    /// Where B is at `value`; in a batch (N, 4, 4).
    pose_b: pose_b,
    /// The point of A that makes contact, in A's own frame.
    point_in_a: point_in_a,
    /// The point of B that makes contact, in B's own frame.
    point_in_b: point_in_b,
    /// The part of A that makes contact: of a compound its number, of a mesh or a height field the triangle; else 0.
    part_a: part_a,
    /// The part of B that makes contact.
    part_b: part_b,
    /// The feature of A that holds the point.
    feature_a: feature_a,
    /// The feature of B that holds the point.
    feature_b: feature_b,
    /// Unit, in the world, from A towards B. None (in a batch: zero) for bodies that meet at the start.
    normal: normal,
    /// Whether the bodies meet at the start.
    started_overlapping: started_overlapping,
    /// The parts of A and of B that prove `upper`: deeper in each other than the poses are off.
    deep: deep,
    /// How it was found.
    algorithm: algorithm,
    /// How often two parts, or the bodies, were looked at.
    steps: steps,
}

shown!(PyRigidImpact, "RigidImpact", |answer| answer.t);

answer! {
    /// How near two moving bodies come to each other in a step.
    PyLeastClearance = "LeastClearance",
    /// How near bodies come: an array for each field of `LeastClearance`, and the `LeastClearance` at each index.
    PyLeastClearances = "LeastClearances",
    of LeastClearance, asked Moving<Turn>, Turned;
    /// When the bodies are as near as `upper`.
    t: t,
    /// Proved: at no time of the step are the bodies nearer than this. Zero: they may touch.
    lower: lower,
    /// Proved: at `t` they are no farther apart than this.
    upper: upper,
    /// The point of A that is nearest at `t`, in A's own frame.
    point_in_a: point_in_a,
    /// The point of B that is nearest at `t`, in B's own frame.
    point_in_b: point_in_b,
    /// At how many times the gap was looked at.
    readings: readings,
}

shown!(PyLeastClearance, "LeastClearance", |answer| answer.upper);

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
                let questions = Turned::of(a, b, motions, motion_a)?;
                Ok($class { answers: read_all(&states, questions.len())?, questions })
            }
        }
    )*};
}

from_states!(PyRigidImpacts, PyLeastClearances);

/// What answers about two turning bodies have besides their fields.
macro_rules! of_turning {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
            /// Body A.
            #[getter]
            fn a(&self, py: Python<'_>) -> Py<PyShape> {
                self.question.a.clone_ref(py)
            }

            /// Body B.
            #[getter]
            fn b(&self, py: Python<'_>) -> Py<PyShape> {
                self.question.b.clone_ref(py)
            }

            /// The motion of A.
            #[getter]
            fn motion_a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.question.motion_a.object(py)
            }

            /// The motion of B.
            #[getter]
            fn motion_b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.question.motion_b.object(py)
            }

            /// The points of A and of B in the world at that time, (2, 3); rounded, and no part of the proof.
            #[getter]
            fn witness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
                let (asked, found) = (&self.question, &self.answer);
                let (pose_a, pose_b) = (asked.motion_a.at(found.t), asked.motion_b.at(found.t));
                points(py, [pose_a.transform_point(found.point_in_a), pose_b.transform_point(found.point_in_b)])
            }
        }
    )*};
}

of_turning!(PyRigidImpact, PyLeastClearance);

#[pymethods]
impl PyRigidImpacts {
    /// Where there is a contact.
    #[getter]
    fn hit<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, self.answers.iter().map(Option::is_some).collect())
    }
}

#[pymethods]
impl PyLeastClearance {
    /// How near the bodies come: `upper`.
    #[getter]
    fn value(&self) -> f64 {
        self.answer.upper
    }
}

#[pymethods]
impl PyLeastClearances {
    /// How near the bodies come: `upper`.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.upper(py)
    }
}

fn impact_options(
    py: Python<'_>,
    margin: f64,
    tolerance: f64,
    resolution: f64,
    algorithm: &str,
) -> PyResult<RigidOptions> {
    let algorithm = match algorithm {
        "advancement" => RigidAlgorithm::Advancement,
        "hierarchies" => RigidAlgorithm::Hierarchies,
        other => {
            let problem = format_args!("'{other}' is none of 'advancement', 'hierarchies'");
            return Err(wrong(py, "algorithm", problem));
        }
    };
    // Written so that a NaN is refused.
    if !(resolution > 0.0 && resolution <= 1.0) {
        return Err(wrong(py, "resolution", format_args!("{resolution} is not more than 0 and at most 1")));
    }
    Ok(RigidOptions { algorithm, margin, tolerance, resolution })
}

fn impact_of(view: TurningView<'_>, options: &RigidOptions) -> Option<RigidImpact> {
    with_workspace(|workspace| {
        clearance::rigid_impact_with(view.a, view.motion_a, view.b, view.motion_b, options, workspace)
    })
}

/// When two bodies that turn on their way touch first, or None if they provably do not in this step. Nothing is missed,
/// however fast or thin the bodies are. A `Motion` or a pose in place of a `RigidMotion`: the body does not turn, or rests.
///
/// `resolution`: a time; where the proof gets on by less than this, contact is assumed.
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
) -> PyResult<Option<PyRigidImpact>> {
    let py = a.py();
    let options = impact_options(py, margin, tolerance, resolution, algorithm)?;
    let question = Moving::of(a, b, motion_a, motion_b)?;
    let view = question.view();
    let answer = py.detach(|| impact_of(view, &options));
    Ok(answer.map(|answer| PyRigidImpact { answer, question }))
}

/// When two bodies touch first, for many motions of B, on all cores. `motions` is a list of what `rigid_impact` takes.
#[pyfunction]
#[pyo3(signature = (
    a, b, motions, motion_a=None, *, margin=0.0, tolerance=0.0, resolution=1e-12, algorithm="advancement"
))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn rigid_impact_many(
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
    let questions = Turned::of(a, b, motions, motion_a)?;
    let answers = each(py, questions.len(), |index| impact_of(questions.view(index), &options));
    Ok(PyRigidImpacts { answers, questions })
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

fn clearance_of(view: TurningView<'_>, options: &LeastClearanceOptions) -> Result<LeastClearance, clearance::Error> {
    with_workspace(|workspace| {
        clearance::least_clearance_with(view.a, view.motion_a, view.b, view.motion_b, options, workspace)
    })
}

/// How near two moving bodies come to each other in a step, to within `tolerance`, a length, or `relative_tolerance` of
/// it; after `most_readings` times were looked at the bracket may be wider.
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
    let question = Moving::of(a, b, motion_a, motion_b)?;
    let view = question.view();
    let answer = py.detach(|| clearance_of(view, &options)).map_err(|error| refused(py, "a, b", &error))?;
    Ok(PyLeastClearance { answer, question })
}

/// How near two bodies come to each other, for many motions of B, on all cores: as `least_clearance`.
#[pyfunction]
#[pyo3(signature = (a, b, motions, motion_a=None, *, tolerance=0.0, relative_tolerance=1e-3, most_readings=10_000))]
pub fn least_clearance_many(
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
    let questions = Turned::of(a, b, motions, motion_a)?;
    let found = each_that_can(py, questions.len(), |index| clearance_of(questions.view(index), &options));
    let answers = found.map_err(|(_, error)| refused(py, "a, b", &error))?;
    Ok(PyLeastClearances { answers: answers.into_iter().map(Some).collect(), questions })
}

/// The first contact of many bodies.
#[pyclass(frozen, name = "FirstImpact", module = "clearance")]
pub struct PyFirstImpact {
    found: FirstImpact,
    pub impact: Py<PyRigidImpact>,
}

#[pymethods]
impl PyFirstImpact {
    /// The number of the first body.
    #[getter]
    fn a(&self) -> usize {
        self.found.a
    }

    /// The number of the second, which is larger.
    #[getter]
    fn b(&self) -> usize {
        self.found.b
    }

    /// The contact, a `RigidImpact`, which can be proved anew. That no other two meet earlier is not proved anew.
    #[getter]
    fn impact(&self, py: Python<'_>) -> Py<PyRigidImpact> {
        self.impact.clone_ref(py)
    }

    /// Where every body is at the time of the contact, (N, 4, 4).
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        matrices_array(py, &self.found.poses)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyFirstImpact>().is_ok_and(|other| {
            let (one, two) = (&self.found, &other.get().found);
            (one.a, one.b) == (two.a, two.b) && one.impact == two.impact && one.poses == two.poses
        })
    }

    fn __repr__(&self) -> String {
        let FirstImpact { a, b, impact, .. } = &self.found;
        format!("FirstImpact({a} and {b}, value={:?}, lower={:?}, upper={:?})", impact.t, impact.lower, impact.upper)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (usize, usize, Py<PyRigidImpact>, Bound<'py, PyAny>)> {
        let (py, it) = (slf.py(), slf.get());
        Ok((slf.get_type().getattr("_restore")?, (it.found.a, it.found.b, it.impact(py), it.poses(py)?)))
    }

    #[classmethod]
    fn _restore(
        _: &Bound<'_, PyType>,
        a: usize,
        b: usize,
        impact: Py<PyRigidImpact>,
        poses: &Bound<'_, PyAny>,
    ) -> PyResult<PyFirstImpact> {
        let found = FirstImpact { a, b, impact: impact.get().answer, poses: crate::pose::poses_of(poses, "poses")? };
        Ok(PyFirstImpact { found, impact })
    }
}

/// Which of many moving bodies touch first, and where all of them are then; None if provably none do.
///
/// `motions` has one for each body. `pairs`, (N, 2): the numbers of the bodies that are looked at; without, all.
#[pyfunction]
#[pyo3(signature = (shapes, motions, pairs=None))]
pub fn first_impact(
    py: Python<'_>,
    shapes: &Bound<'_, PyAny>,
    motions: &Bound<'_, PyAny>,
    pairs: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<PyFirstImpact>> {
    let objects = shapes.try_iter().map_err(|_| wrong(py, "shapes", "not a list of bodies"))?;
    let one = |(index, shape): (usize, PyResult<Bound<'_, PyAny>>)| shape_of(&shape?, &format!("shapes[{index}]"));
    let shapes: Vec<Py<PyShape>> = objects.enumerate().map(one).collect::<PyResult<_>>()?;
    let motions = motions_of(motions, "motions")?;
    if shapes.len() != motions.len() {
        return Err(wrong(py, "motions", format_args!("{} motions for {} shapes", motions.len(), shapes.len())));
    }
    let wanted = pairs.filter(|pairs| !pairs.is_none()).map(|pairs| pairs_of(pairs, shapes.len())).transpose()?;
    let bodies: Vec<(Shape, RigidMotion)> =
        shapes.iter().zip(&motions).map(|(shape, turn)| (shape.get().shape.clone(), turn.motion.clone())).collect();
    let is_wanted =
        |a: usize, b: usize| wanted.as_ref().is_none_or(|wanted| wanted.binary_search(&[a as u32, b as u32]).is_ok());
    let Some(found) = py.detach(|| clearance::first_impact(&bodies, is_wanted)) else { return Ok(None) };
    let (a, b) = (shapes[found.a].clone_ref(py), shapes[found.b].clone_ref(py));
    let question = Moving { a, motion_a: motions[found.a].clone(), b, motion_b: motions[found.b].clone() };
    let impact = Py::new(py, PyRigidImpact { answer: found.impact, question })?;
    Ok(Some(PyFirstImpact { found, impact }))
}

/// Pairs of numbers of bodies, the lower one first, in order.
fn pairs_of(argument: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<[u32; 2]>> {
    let py = argument.py();
    let mut pairs = Indices::<2>::of(argument, "pairs")?.rows().to_vec();
    for (index, pair) in pairs.iter_mut().enumerate() {
        if let Some(body) = pair.iter().find(|&&body| body as usize >= count) {
            return Err(wrong(
                py,
                &format!("pairs[{index}]"),
                format_args!("there is no body {body}: {count} are given"),
            ));
        }
        if pair[0] == pair[1] {
            return Err(wrong(py, &format!("pairs[{index}]"), format_args!("a body and itself, {}", pair[0])));
        }
        pair.sort_unstable();
    }
    pairs.sort_unstable();
    Ok(pairs)
}
