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
use crate::batch::{each_that_can, read_all};
use crate::error::{bad_state, not_proved, refused, wrong};
use crate::give::{Reduced, points, rows};
use crate::impact::{InMotion, Moving};
use crate::pair::with_workspace;
use crate::pose::matrices_array;
use crate::rigid_motion::Turn;
use crate::shape::{PyShape, shape_of};
use crate::work::{about, at_length, each};

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
    let answer = about(py, &[view.a, view.b], || impact_of(view, &options))?;
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
    let answers = each(py, questions.len(), |index| impact_of(questions.view(index), &options))?;
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
    let answer =
        about(py, &[view.a, view.b], || clearance_of(view, &options))?.map_err(|error| refused(py, "a, b", &error))?;
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
    let answer = |index: usize| clearance_of(questions.view(index), &options);
    let answers = each_that_can(py, questions.len(), false, answer, |_, error| refused(py, "a, b", &error))?;
    Ok(PyLeastClearances { answers: answers.into_iter().map(Some).collect(), questions })
}

/// Proves anew that two bodies stay farther apart than `margin` before the time `until`, by default throughout the step: what None
/// means as the answer of `rigid_impact`. Raises `NotProvedError` with the time from which on it is not proved.
///
/// Slower than the question, and the more so the nearer the bodies pass each other: a gap that stays below a hundred
/// thousandth of the way that points go is mostly refused.
#[pyfunction]
#[pyo3(signature = (a, b, motion_a=None, motion_b=None, *, margin=0.0, until=1.0))]
pub fn verify_rigid_clear(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_a: Option<&Bound<'_, PyAny>>,
    motion_b: Option<&Bound<'_, PyAny>>,
    margin: f64,
    until: f64,
) -> PyResult<()> {
    let py = a.py();
    let question: Moving<Turn> = Moving::of(a, b, motion_a, motion_b)?;
    let TurningView { a, motion_a, b, motion_b } = question.view();
    let proved = at_length(py, || clearance::verify_rigid_clear(a, motion_a, b, motion_b, margin, until))?;
    proved.map_err(|refusal| not_proved(py, None, &refusal))
}

/// Many bodies, each with its motion, of which all pairs are meant or some.
struct Bodies {
    shapes: Vec<Py<PyShape>>,
    motions: Vec<Turn>,
    /// The lower number first, in order.
    pairs: Option<Vec<[u32; 2]>>,
}

impl Bodies {
    fn of(shapes: &Bound<'_, PyAny>, motions: &Bound<'_, PyAny>, pairs: Option<&Bound<'_, PyAny>>) -> PyResult<Bodies> {
        let py = shapes.py();
        let objects = shapes.try_iter().map_err(|_| wrong(py, "shapes", "not a list of bodies"))?;
        let one = |(index, shape): (usize, PyResult<Bound<'_, PyAny>>)| shape_of(&shape?, &format!("shapes[{index}]"));
        let shapes: Vec<Py<PyShape>> = objects.enumerate().map(one).collect::<PyResult<_>>()?;
        let motions = motions_of(motions, "motions")?;
        if shapes.len() != motions.len() {
            return Err(wrong(py, "motions", format_args!("{} motions for {} shapes", motions.len(), shapes.len())));
        }
        let pairs = pairs.filter(|pairs| !pairs.is_none()).map(|pairs| pairs_of(pairs, shapes.len())).transpose()?;
        Ok(Bodies { shapes, motions, pairs })
    }

    /// As the engine takes them.
    fn all(&self) -> Vec<(Shape, RigidMotion)> {
        let body = |(shape, turn): (&Py<PyShape>, &Turn)| (shape.get().shape.clone(), turn.motion.clone());
        self.shapes.iter().zip(&self.motions).map(body).collect()
    }

    /// Whether a pair is meant.
    fn is_meant(&self, a: usize, b: usize) -> bool {
        self.pairs.as_ref().is_none_or(|pairs| pairs.binary_search(&[a as u32, b as u32]).is_ok())
    }

    /// What is said about a pair of them.
    fn pair(&self, py: Python<'_>, a: usize, b: usize) -> Moving<Turn> {
        let shape = |body: usize| self.shapes[body].clone_ref(py);
        let motion = |body: usize| self.motions[body].clone();
        Moving { a: shape(a), motion_a: motion(a), b: shape(b), motion_b: motion(b) }
    }

    /// Proves anew which of them meet first, or that none do.
    fn prove(&self, py: Python<'_>, found: Option<&FirstImpact>, margin: f64) -> PyResult<()> {
        let bodies = self.all();
        let proved =
            at_length(py, || clearance::verify_first_impact(found, &bodies, |a, b| self.is_meant(a, b), margin))?;
        proved.map_err(|refusal| not_proved(py, None, &refusal))
    }
}

impl PartialEq for Bodies {
    fn eq(&self, other: &Bodies) -> bool {
        let same = |(one, two): (&Py<PyShape>, &Py<PyShape>)| one.get().shape == two.get().shape;
        self.motions == other.motions && self.pairs == other.pairs && self.shapes.iter().zip(&other.shapes).all(same)
    }
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

    /// The contact, a `RigidImpact`, which can be proved anew by itself.
    #[getter]
    fn impact(&self, py: Python<'_>) -> Py<PyRigidImpact> {
        self.impact.clone_ref(py)
    }

    /// Where every body is at the time of the contact, (N, 4, 4).
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        matrices_array(py, &self.found.poses)
    }

    /// Proves all of it anew: the contact, the poses, and that no other pair meets before. Raises `NotProvedError`
    /// with the first claim that does not hold. Slower than the question, as every pair is looked at.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.bodies.prove(py, Some(&self.found), self.found.impact.margin)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyFirstImpact>().is_ok_and(|other| {
            let (one, two) = (&self.found, &other.get().found);
            (one.a, one.b) == (two.a, two.b)
                && one.impact == two.impact
                && one.poses == two.poses
                && self.bodies == other.get().bodies
        })
    }

    fn __repr__(&self) -> String {
        let FirstImpact { a, b, impact, .. } = &self.found;
        format!("FirstImpact({a} and {b}, value={:?}, lower={:?}, upper={:?})", impact.t, impact.lower, impact.upper)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, FirstImpactParts<'py>> {
        let (py, it) = (slf.py(), slf.get());
        let shapes = it.bodies.shapes.iter().map(|shape| shape.clone_ref(py)).collect();
        let motions = it.bodies.motions.iter().map(|motion| motion.object(py)).collect::<PyResult<_>>()?;
        let pairs = it.bodies.pairs.as_ref().map(|pairs| rows(py, pairs.clone())).transpose()?;
        let parts = (shapes, motions, pairs, (it.found.a, it.found.b), it.impact(py), it.poses(py)?);
        Ok((slf.get_type().getattr("_restore")?, parts))
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

/// Which of many moving bodies touch first, and where all of them are then; None if provably none do.
///
/// `motions` has one for each body. `pairs`, (N, 2): the numbers of the bodies that are looked at; without, all. The options
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
) -> PyResult<Option<PyFirstImpact>> {
    let py = shapes.py();
    let options = impact_options(py, margin, tolerance, resolution, algorithm)?;
    let bodies = Bodies::of(shapes, motions, pairs)?;
    let all = bodies.all();
    let found = at_length(py, || {
        with_workspace(|workspace| {
            clearance::first_impact_with(&all, |a, b| bodies.is_meant(a, b), &options, workspace)
        })
    })?;
    let Some(found) = found else { return Ok(None) };
    let impact = PyRigidImpact { answer: found.impact, question: bodies.pair(py, found.a, found.b) };
    Ok(Some(PyFirstImpact { impact: Py::new(py, impact)?, found, bodies }))
}

/// Proves anew that no pair of many moving bodies comes within `margin` in the whole step: what None means as the answer of
/// `first_impact`. Raises `NotProvedError`. Slower than the question, as every pair is looked at.
#[pyfunction]
#[pyo3(signature = (shapes, motions, pairs=None, *, margin=0.0))]
pub fn verify_none_meet(
    shapes: &Bound<'_, PyAny>,
    motions: &Bound<'_, PyAny>,
    pairs: Option<&Bound<'_, PyAny>>,
    margin: f64,
) -> PyResult<()> {
    Bodies::of(shapes, motions, pairs)?.prove(shapes.py(), None, margin)
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
