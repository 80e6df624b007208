//! Questions about two bodies in motion.

use clearance::glam::DVec3;
use clearance::{Impact, ImpactAlgorithm, ImpactOptions, Motion, PairCache, Pose, Refusal, Shape, SweepOptions};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::answer::{Prove, Question, answer, shown};
use crate::array::Points;
use crate::batch::read_all;
use crate::error::{bad_state, refused, wrong};
use crate::give::points;
use crate::pair::with_workspace;
use crate::pose::{PyMotion, motion_of, poses_array, poses_of};
use crate::shape::{PyShape, shape_of};
use crate::work::{about, each};

/// Two bodies, each with its motion.
#[derive(Clone, Copy)]
pub struct MovingView<'a> {
    a: &'a Shape,
    motion_a: &'a Motion,
    b: &'a Shape,
    motion_b: &'a Motion,
}

/// A kind of motion.
pub trait InMotion: PartialEq + Sized {
    /// From an argument; none: the body rests where it was modelled.
    fn from_argument(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Self>;
    /// As an object that can be pickled.
    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;
    /// The pose at a time.
    fn at(&self, t: f64) -> Pose;
}

impl InMotion for Motion {
    fn from_argument(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Motion> {
        motion_of(py, argument, name)
    }

    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(py, PyMotion { motion: *self })?.into_any())
    }

    fn at(&self, t: f64) -> Pose {
        Motion::at(self, t)
    }
}

/// Two bodies, each with its motion, that an answer is about.
pub struct Moving<M> {
    pub a: Py<PyShape>,
    pub motion_a: M,
    pub b: Py<PyShape>,
    pub motion_b: M,
}

impl<M: InMotion> Moving<M> {
    pub fn of(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        motion_a: Option<&Bound<'_, PyAny>>,
        motion_b: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Moving<M>> {
        let py = a.py();
        Ok(Moving {
            a: shape_of(a, "a")?,
            motion_a: M::from_argument(py, motion_a, "motion_a")?,
            b: shape_of(b, "b")?,
            motion_b: M::from_argument(py, motion_b, "motion_b")?,
        })
    }
}

impl Moving<Motion> {
    fn view(&self) -> MovingView<'_> {
        MovingView {
            a: &self.a.get().shape,
            motion_a: &self.motion_a,
            b: &self.b.get().shape,
            motion_b: &self.motion_b,
        }
    }
}

impl<M: InMotion> Question for Moving<M> {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (motion_a, motion_b) = (self.motion_a.object(py)?, self.motion_b.object(py)?);
        (self.a.clone_ref(py), self.b.clone_ref(py), motion_a, motion_b).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Moving<M>> {
        let [a, b, motion_a, motion_b] = [0, 1, 2, 3].map(|index| objects.get_item(index));
        Moving::of(&a?, &b?, Some(&motion_a?), Some(&motion_b?))
    }

    fn same(&self, other: &Moving<M>) -> bool {
        let shapes = |moving: &Moving<M>| (moving.a.get().shape.clone(), moving.b.get().shape.clone());
        self.motion_a == other.motion_a && self.motion_b == other.motion_b && shapes(self) == shapes(other)
    }
}

/// Two bodies, of which B has many motions.
pub struct Moved {
    a: Py<PyShape>,
    b: Py<PyShape>,
    motion_a: Motion,
    motions: Vec<Motion>,
}

impl Moved {
    fn of(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        poses: &Bound<'_, PyAny>,
        displacements: &Bound<'_, PyAny>,
        motion_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Moved> {
        let py = a.py();
        let (starts, ways) = (poses_of(poses, "poses")?, Points::of(displacements, "displacements")?);
        if starts.len() != ways.rows().len() {
            let problem = format_args!("{} displacements for {} poses", ways.rows().len(), starts.len());
            return Err(wrong(py, "displacements", problem));
        }
        let made = starts.into_iter().zip(ways.rows()).enumerate().map(|(index, (start, &way))| {
            let made = Motion::translation(start, DVec3::from_array(way));
            made.map_err(|error| refused(py, &format!("displacements[{index}]"), &error))
        });
        let motions = made.collect::<PyResult<_>>()?;
        Ok(Moved {
            a: shape_of(a, "a")?,
            b: shape_of(b, "b")?,
            motion_a: motion_of(py, motion_a, "motion_a")?,
            motions,
        })
    }

    fn len(&self) -> usize {
        self.motions.len()
    }

    fn view(&self, index: usize) -> MovingView<'_> {
        let (a, b) = (&self.a.get().shape, &self.b.get().shape);
        MovingView { a, motion_a: &self.motion_a, b, motion_b: &self.motions[index] }
    }

    fn item(&self, py: Python<'_>, index: usize) -> Moving<Motion> {
        let (a, b) = (self.a.clone_ref(py), self.b.clone_ref(py));
        Moving { a, motion_a: self.motion_a, b, motion_b: self.motions[index] }
    }
}

impl Question for Moved {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let starts: Vec<_> = self.motions.iter().map(Motion::start).collect();
        let ways = points(py, self.motions.iter().map(Motion::displacement))?;
        let motion_a = PyMotion { motion: self.motion_a };
        (self.a.clone_ref(py), self.b.clone_ref(py), poses_array(py, &starts)?, ways, motion_a).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Moved> {
        let [a, b, poses, ways, motion_a] = [0, 1, 2, 3, 4].map(|index| objects.get_item(index));
        Moved::of(&a?, &b?, &poses?, &ways?, Some(&motion_a?)).map_err(|_| bad_state())
    }

    fn same(&self, other: &Moved) -> bool {
        let of = |moved: &Moved| (moved.motion_a, moved.a.get().shape.clone(), moved.b.get().shape.clone());
        self.motions == other.motions && of(self) == of(other)
    }
}

impl Prove<MovingView<'_>> for Impact {
    fn prove(&self, asked: MovingView<'_>) -> Result<(), Refusal> {
        clearance::verify_impact(self, asked.a, asked.motion_a, asked.b, asked.motion_b)
    }
}

answer! {
    /// The first contact of two moving bodies.
    PyImpact = "Impact",
    /// First contacts: an array for each field of `Impact`, and an `Impact` or None for each index. Where the bodies do
    /// not meet, `hit` is False, `value` infinite, and all else without meaning.
    PyImpacts = "Impacts",
    of Impact, asked Moving<Motion>, Moved;
    /// The time of the first contact, as a part of the step.
    value: t,
    /// Proved: before this the bodies are farther apart than the margin.
    lower: lower,
    /// Proved: until this the bodies have come within the margin (`touches`), or within the margin and `gap`.
    upper: upper,
    /// True when contact is proved.
    touches: touches,
    /// How far from contact the bodies are at most at `upper`. Zero when `touches`.
    gap: gap,
    /// The margin that counts as contact.
    margin: margin,
    /// Bound on how far a placed vertex lies from where its motion ideally puts it; the bracket includes it.
    placement: placement,
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
    /// What proves `upper`: pairs of vertices, (K, 2).
    evidence: evidence,
    /// What proves `upper` of curved bodies: a point of each core.
    deep: deep,
    /// How it was found.
    algorithm: algorithm,
    /// At how many times the gap was looked at.
    steps: steps,
}

shown!(PyImpact, "Impact", |answer| answer.t);

#[pymethods]
impl PyImpact {
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

    /// The points of A and of B in the world at the time of contact, (2, 3); rounded, and no part of the proof.
    #[getter]
    fn witness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (asked, impact) = (&self.question, &self.answer);
        let (pose_a, pose_b) = (asked.motion_a.at(impact.t), asked.motion_b.at(impact.t));
        points(py, [pose_a.transform_point(impact.point_in_a), pose_b.transform_point(impact.point_in_b)])
    }
}

#[pymethods]
impl PyImpacts {
    /// Where there is a contact.
    #[getter]
    fn hit<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, self.answers.iter().map(Option::is_some).collect())
    }

    #[classmethod]
    #[pyo3(signature = (states, a, b, poses, displacements, motion_a=None))]
    fn _of_poses(
        _: &Bound<'_, PyType>,
        states: Vec<Bound<'_, PyBytes>>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        poses: &Bound<'_, PyAny>,
        displacements: &Bound<'_, PyAny>,
        motion_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyImpacts> {
        let questions = Moved::of(a, b, poses, displacements, motion_a)?;
        Ok(PyImpacts { answers: read_all(&states, questions.len())?, questions })
    }
}

fn impact_options(py: Python<'_>, margin: f64, tolerance: f64, algorithm: &str) -> PyResult<ImpactOptions> {
    let algorithm = match algorithm {
        "conservative" => ImpactAlgorithm::Conservative,
        "interval halving" => ImpactAlgorithm::IntervalHalving,
        "brent" => ImpactAlgorithm::Brent,
        "closed form" => ImpactAlgorithm::ClosedForm,
        "elementary" => ImpactAlgorithm::Elementary,
        other => {
            let problem = format_args!(
                "'{other}' is none of 'conservative', 'interval halving', 'brent', 'closed form', 'elementary'"
            );
            return Err(wrong(py, "algorithm", problem));
        }
    };
    Ok(ImpactOptions { algorithm, tolerance, margin })
}

fn impact_of(view: MovingView<'_>, options: &ImpactOptions) -> Option<Impact> {
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::time_of_impact_with(view.a, view.motion_a, view.b, view.motion_b, options, cache, workspace)
    })
}

/// When two moving bodies touch first, or None if they provably do not in this step. A pose in place of a motion: the
/// body rests.
#[pyfunction]
#[pyo3(signature = (a, b, motion_a=None, motion_b=None, *, margin=0.0, tolerance=0.0, algorithm="conservative"))]
pub fn time_of_impact(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_a: Option<&Bound<'_, PyAny>>,
    motion_b: Option<&Bound<'_, PyAny>>,
    margin: f64,
    tolerance: f64,
    algorithm: &str,
) -> PyResult<Option<PyImpact>> {
    let py = a.py();
    let options = impact_options(py, margin, tolerance, algorithm)?;
    let question = Moving::of(a, b, motion_a, motion_b)?;
    let view = question.view();
    let answer = about(py, &[view.a, view.b], || impact_of(view, &options))?;
    Ok(answer.map(|answer| PyImpact { answer, question }))
}

/// When two bodies touch first, for many motions of B: starts (N, 4, 4) and displacements (N, 3), on all cores.
#[pyfunction]
#[pyo3(signature = (a, b, poses, displacements, motion_a=None, *, margin=0.0, tolerance=0.0, algorithm="conservative"))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn time_of_impact_many(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    poses: &Bound<'_, PyAny>,
    displacements: &Bound<'_, PyAny>,
    motion_a: Option<&Bound<'_, PyAny>>,
    margin: f64,
    tolerance: f64,
    algorithm: &str,
) -> PyResult<PyImpacts> {
    let py = a.py();
    let options = impact_options(py, margin, tolerance, algorithm)?;
    let questions = Moved::of(a, b, poses, displacements, motion_a)?;
    let answers = each(py, questions.len(), |index| impact_of(questions.view(index), &options))?;
    Ok(PyImpacts { answers, questions })
}

fn sweeps(view: MovingView<'_>, margin: f64) -> bool {
    let options = SweepOptions { margin, ..SweepOptions::default() };
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::sweeps_meet_with(view.a, view.motion_a, view.b, view.motion_b, &options, cache, workspace)
    })
}

/// Whether two moving bodies have a point in common at any time of the step: yes or no, not when.
#[pyfunction]
#[pyo3(signature = (a, b, motion_a=None, motion_b=None, *, margin=0.0))]
pub fn sweeps_meet(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_a: Option<&Bound<'_, PyAny>>,
    motion_b: Option<&Bound<'_, PyAny>>,
    margin: f64,
) -> PyResult<bool> {
    let question = Moving::of(a, b, motion_a, motion_b)?;
    let view = question.view();
    about(a.py(), &[view.a, view.b], || sweeps(view, margin))
}

/// Whether two moving bodies meet, for many motions of B, on all cores: an array of bool.
#[pyfunction]
#[pyo3(signature = (a, b, poses, displacements, motion_a=None, *, margin=0.0))]
pub fn sweeps_meet_many<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: &Bound<'py, PyAny>,
    displacements: &Bound<'py, PyAny>,
    motion_a: Option<&Bound<'py, PyAny>>,
    margin: f64,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let (py, questions) = (a.py(), Moved::of(a, b, poses, displacements, motion_a)?);
    Ok(PyArray1::from_vec(py, each(py, questions.len(), |index| sweeps(questions.view(index), margin))?))
}
