//! Questions about bodies that turn on their way.

use clearance::answer::{LeastClearance, NoImpact, RigidImpact};
use clearance::glam::DVec3;
use clearance::query::{LeastClearanceOptions, RigidAlgorithm, RigidOptions};
use clearance::verify::Refusal;
use clearance::world::FirstImpact;
use clearance::{RigidMotion, Shape};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::answer::{
    Batch, Bracketed, OfBodies, Prove, Question, Questions, Witnessed, answer, in_world, may_miss, shown,
};
use crate::array::Indices;
use crate::error::{meant, not_proved, wrong};
use crate::give::{Reduced, rows};
use crate::impact::{InMotion, Motions, Moving, MovingView};
use crate::pair::{of_bodies, with_workspace};
use crate::pose::matrices_array;
use crate::rigid_motion::{Turn, turns_of};
use crate::shape::{PyShape, shape_of};
use crate::state::restored;
use crate::work::at_length;

impl Motions<Turn> {
    fn of(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        motions: &Bound<'_, PyAny>,
        motion_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Motions<Turn>> {
        let motion_a = Turn::from_argument(a.py(), motion_a, "motion_a")?;
        Ok(Motions { a: shape_of(a, "a")?, b: shape_of(b, "b")?, motion_a, motions: turns_of(motions, "motions")? })
    }
}

type TurningView<'a> = MovingView<'a, Turn>;

/// Answers about two bodies that turn: by what they are proved anew.
macro_rules! of_turns {
    ($($answer:ty: $($time:ident).+;)*) => {$(
        impl Prove<Moving<Turn>> for $answer {
            fn prove(&self, asked: TurningView<'_>) -> Result<(), Refusal> {
                self.verify(asked.a, &asked.motion_a.motion, asked.b, &asked.motion_b.motion)
            }
        }

        impl Witnessed<Moving<Turn>> for $answer {
            type Points = [DVec3; 2];

            fn in_world(&self, asked: TurningView<'_>) -> [DVec3; 2] {
                asked.points_at(self.$($time).+, [self.witness.a.point, self.witness.b.point])
            }
        }
    )*};
}

of_turns! {
    RigidImpact: time.value;
    LeastClearance: time;
}

answer! {
    /// The first contact of two bodies that turn on their way.
    PyRigidImpact = "RigidImpact" of RigidImpact, asked Moving<Turn>;
    /// First contacts: an array for each field of `RigidImpact`, and a `RigidImpact` or None for each index. Where the
    /// bodies do not meet, `hit` is False, `value` infinite, and all else without meaning.
    PyRigidImpacts = "RigidImpacts" asked Motions<Turn>;
    bracket {
        /// The time of the first contact, as a part of the step.
        value,
        /// Proved: before this the bodies are farther apart than the margin.
        lower,
        /// Proved: at this very time the bodies are within the margin (`touches`), or within the margin and `gap`.
        upper,
    }
    witness {
        /// The point of A that makes contact, in A's own frame.
        point_in_a,
        /// The point of B that makes contact, in B's own frame.
        point_in_b,
    }
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

answer! {
    /// How near two moving bodies come to each other in a step.
    PyLeastClearance = "LeastClearance" of LeastClearance, asked Moving<Turn>;
    /// How near bodies come: an array for each field of `LeastClearance`, and the `LeastClearance` at each index.
    PyLeastClearances = "LeastClearances" asked Motions<Turn>;
    bracket {
        /// How near the bodies come: `upper`.
        value,
        /// Proved: at no time of the step are the bodies nearer than this. Zero: they may touch.
        lower,
        /// Proved: at `t` they are no farther apart than this.
        upper,
    }
    /// When the bodies are as near as `upper`.
    t: time,
    /// The point of A that is nearest at `t`, in A's own frame.
    point_in_a: witness.a.point,
    /// The point of B that is nearest at `t`, in B's own frame.
    point_in_b: witness.b.point,
    /// At how many times the gap was looked at.
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

/// What answers about two turning bodies have besides their fields.
macro_rules! of_turning {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
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
        }
    )*};
}

of_bodies!(PyRigidImpact, PyLeastClearance);
of_turning!(PyRigidImpact, PyLeastClearance);
in_world!(
    PyRigidImpact, PyLeastClearance by witness,
    "The points of A and of B in the world at that time, (2, 3); rounded, and no part of the proof."
);
may_miss!(PyRigidImpacts: "Where there is a contact.");

fn impact_options(
    py: Python<'_>,
    margin: f64,
    tolerance: f64,
    resolution: f64,
    algorithm: &str,
) -> PyResult<RigidOptions> {
    let words = [("advancement", RigidAlgorithm::Advancement), ("hierarchies", RigidAlgorithm::Hierarchies)];
    let algorithm = meant(py, "algorithm", algorithm, &words)?;
    // Written so that a NaN is refused.
    if !(resolution > 0.0 && resolution <= 1.0) {
        return Err(wrong(py, "resolution", format_args!("{resolution} is not more than 0 and at most 1")));
    }
    Ok(RigidOptions { algorithm, margin, tolerance, resolution })
}

fn impact_of(view: TurningView<'_>, options: &RigidOptions) -> Option<RigidImpact> {
    with_workspace(|workspace| {
        let (motion_a, motion_b) = (&view.motion_a.motion, &view.motion_b.motion);
        clearance::query::rigid_impact_with(view.a, motion_a, view.b, motion_b, options, workspace)
    })
    .ok()
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
    Moving::of(a, b, motion_a, motion_b)?.ask_whether(py, |view| impact_of(view, &options))
}

/// When two bodies touch first, for many motions of B, on all cores. `motions` is a list of what `rigid_impact` takes.
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
    view: TurningView<'_>,
    options: &LeastClearanceOptions,
) -> Result<LeastClearance, clearance::QueryError> {
    with_workspace(|workspace| {
        let (motion_a, motion_b) = (&view.motion_a.motion, &view.motion_b.motion);
        clearance::query::least_clearance_with(view.a, motion_a, view.b, motion_b, options, workspace)
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
    Moving::of(a, b, motion_a, motion_b)?.ask_if_it_can(py, |view| clearance_of(view, &options))
}

/// How near two bodies come to each other, for many motions of B, on all cores: as `least_clearance`.
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
    let MovingView { a, motion_a, b, motion_b } = question.view();
    let (motion_a, motion_b) = (&motion_a.motion, &motion_b.motion);
    let proved = at_length(py, || NoImpact { margin, until }.verify(a, motion_a, b, motion_b))?;
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
        let motions = turns_of(motions, "motions")?;
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
        let meant = |a, b| self.is_meant(a, b);
        let proved = at_length(py, || match found {
            Some(first) => first.verify(&bodies, meant),
            None => NoImpact { margin, until: 1.0 }.verify_all(&bodies, meant),
        })?;
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
        shown(&format!("FirstImpact({a} and {b}, "), impact.bracket())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, FirstImpactParts<'py>> {
        let (py, it) = (slf.py(), slf.get());
        let shapes = it.bodies.shapes.iter().map(|shape| shape.clone_ref(py)).collect();
        let motions = it.bodies.motions.iter().map(|motion| motion.object(py)).collect::<PyResult<_>>()?;
        let pairs = it.bodies.pairs.as_ref().map(|pairs| rows(py, pairs.clone())).transpose()?;
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
            clearance::world::first_impact_with(&all, |a, b| bodies.is_meant(a, b), &options, workspace)
        })
    })?;
    let Ok(found) = found else { return Ok(None) };
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
