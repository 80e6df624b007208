//! Queries about two bodies in motion.

use clearance::answer::{Impact, NoImpact};
use clearance::glam::DVec3;
use clearance::query::{ImpactAlgorithm, ImpactOptions, SweepOptions};
use clearance::{Motion, PairCache, Pose, Shape};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::answer::{Asked, Batch, OfBodies, Question, Questions};
use crate::array::Points;
use crate::error::{bad_state, option_of, refused, wrong};
use crate::give::points;
use crate::no_impact::ask_for_contact;
use crate::pair::with_workspace;
use crate::pose::{PyMotion, motion_of, poses_array, poses_of};
use crate::rigid_motion::Turn;
use crate::shape::{PyShape, shape_of};

/// Two bodies, each with its motion.
pub struct MovingView<'a, M> {
    pub a: &'a Shape,
    pub motion_a: &'a M,
    pub b: &'a Shape,
    pub motion_b: &'a M,
}

impl<M> Clone for MovingView<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for MovingView<'_, M> {}

impl<'a, M: InMotion> MovingView<'a, M> {
    /// As the engine takes them.
    pub fn parts(&self) -> (&'a Shape, &'a M::Engine, &'a Shape, &'a M::Engine) {
        (self.a, self.motion_a.engine(), self.b, self.motion_b.engine())
    }

    /// Where a point of A and one of B are at a time.
    pub fn points_at(&self, t: f64, [in_a, in_b]: [DVec3; 2]) -> [DVec3; 2] {
        [self.motion_a.at(t).transform_point(in_a), self.motion_b.at(t).transform_point(in_b)]
    }
}

/// A kind of motion.
pub trait InMotion: Clone + PartialEq + Send + Sync + 'static {
    /// The motion of the engine.
    type Engine: Sync;
    fn engine(&self) -> &Self::Engine;
    /// The same as a motion that may turn; an error names the argument.
    fn turn(&self, py: Python<'_>, argument: &str) -> PyResult<Turn>;
    /// From an argument; none: the body rests where it was modelled.
    fn from_argument(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Self>;
    /// As an object that can be pickled.
    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;
    /// The pose at a time.
    fn at(&self, t: f64) -> Pose;
    /// Many of them as objects that can be pickled.
    fn to_objects<'py>(py: Python<'py>, motions: &[Self]) -> PyResult<Vec<Bound<'py, PyAny>>>;
    /// What [`InMotion::to_objects`] made.
    fn from_objects(objects: &[Bound<'_, PyAny>]) -> PyResult<Vec<Self>>;
}

impl InMotion for Motion {
    type Engine = Motion;

    fn engine(&self) -> &Motion {
        self
    }

    fn turn(&self, py: Python<'_>, argument: &str) -> PyResult<Turn> {
        Turn::straight(py, self.start(), self.displacement(), argument)
    }

    fn from_argument(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Motion> {
        motion_of(py, argument, name)
    }

    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(py, PyMotion { motion: *self })?.into_any())
    }

    fn at(&self, t: f64) -> Pose {
        Motion::at(self, t)
    }

    fn to_objects<'py>(py: Python<'py>, motions: &[Motion]) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let starts: Vec<Pose> = motions.iter().map(Motion::start).collect();
        let ways = points(py, motions.iter().map(Motion::displacement))?;
        Ok(vec![poses_array(py, &starts)?, ways.into_any()])
    }

    fn from_objects(objects: &[Bound<'_, PyAny>]) -> PyResult<Vec<Motion>> {
        let [poses, ways] = objects else { return Err(bad_state()) };
        motions_of(poses, ways)
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

impl<M: InMotion> Question for Moving<M> {
    type View<'a> = MovingView<'a, M>;

    fn view(&self) -> MovingView<'_, M> {
        let (a, b) = (&self.a.get().shape, &self.b.get().shape);
        MovingView { a, motion_a: &self.motion_a, b, motion_b: &self.motion_b }
    }
}

impl<M: InMotion> OfBodies for Moving<M> {
    const ARGUMENTS: &'static str = "a, b";

    fn bodies(&self) -> [Option<&Shape>; 2] {
        [Some(&self.a.get().shape), Some(&self.b.get().shape)]
    }
}

impl<M: InMotion> Asked for Moving<M> {
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

/// Straight motions by their starts and how far each goes.
fn motions_of(poses: &Bound<'_, PyAny>, displacements: &Bound<'_, PyAny>) -> PyResult<Vec<Motion>> {
    let py = poses.py();
    let (starts, ways) = (poses_of(poses, "poses")?, Points::of(displacements, "displacements")?);
    if starts.len() != ways.rows().len() {
        let problem = format_args!("{} displacements for {} poses", ways.rows().len(), starts.len());
        return Err(wrong(py, "displacements", problem));
    }
    let made = starts.into_iter().zip(ways.rows()).enumerate().map(|(index, (start, &way))| {
        let made = Motion::translation(start, DVec3::from_array(way));
        made.map_err(|error| refused(py, &format!("displacements[{index}]"), &error))
    });
    made.collect()
}

/// Two bodies, of which B has many motions.
pub struct Motions<M> {
    pub a: Py<PyShape>,
    pub b: Py<PyShape>,
    pub motion_a: M,
    pub motions: Vec<M>,
}

impl<M: InMotion> Motions<M> {
    /// From the arguments of a question, with the motions of B.
    pub fn with(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        motions: Vec<M>,
        motion_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Motions<M>> {
        let (shape_a, shape_b) = (shape_of(a, "a")?, shape_of(b, "b")?);
        Ok(Motions { a: shape_a, b: shape_b, motion_a: M::from_argument(a.py(), motion_a, "motion_a")?, motions })
    }
}

impl Motions<Motion> {
    fn of(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        poses: &Bound<'_, PyAny>,
        displacements: &Bound<'_, PyAny>,
        motion_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Motions<Motion>> {
        Motions::with(a, b, motions_of(poses, displacements)?, motion_a)
    }
}

impl<M: InMotion> Questions for Motions<M> {
    type One = Moving<M>;

    fn len(&self) -> usize {
        self.motions.len()
    }

    fn view(&self, index: usize) -> MovingView<'_, M> {
        let (a, b) = (&self.a.get().shape, &self.b.get().shape);
        MovingView { a, motion_a: &self.motion_a, b, motion_b: &self.motions[index] }
    }

    fn item(&self, py: Python<'_>, index: usize) -> Moving<M> {
        let (a, b) = (self.a.clone_ref(py), self.b.clone_ref(py));
        Moving { a, motion_a: self.motion_a.clone(), b, motion_b: self.motions[index].clone() }
    }
}

impl<M: InMotion> Asked for Motions<M> {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut objects: Vec<_> = [&self.a, &self.b].map(|shape| shape.bind(py).as_any().clone()).into();
        objects.extend(M::to_objects(py, &self.motions)?);
        objects.push(self.motion_a.object(py)?);
        PyTuple::new(py, objects)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Motions<M>> {
        let objects: Vec<_> = objects.iter().collect();
        let [a, b, motions @ .., motion_a] = &objects[..] else { return Err(bad_state()) };
        let made = M::from_objects(motions).and_then(|motions| Motions::with(a, b, motions, Some(motion_a)));
        made.map_err(|_| bad_state())
    }

    fn same(&self, other: &Motions<M>) -> bool {
        let shapes = |asked: &Motions<M>| (asked.a.get().shape.clone(), asked.b.get().shape.clone());
        self.motions == other.motions && self.motion_a == other.motion_a && shapes(self) == shapes(other)
    }
}

/// Answers about two moving bodies, each with the kind of motion: how they are verified, and the time at which their
/// points are in the world where they are, if they have points.
macro_rules! of_motions {
    ($($answer:ident: $motion:ident $(at $($time:ident).+)?;)*) => {$(
        impl $crate::answer::Prove<$crate::impact::Moving<$motion>> for $answer {
            fn prove(
                &self,
                asked: $crate::impact::MovingView<'_, $motion>,
            ) -> Result<(), clearance::verify::Refusal> {
                let (a, motion_a, b, motion_b) = asked.parts();
                self.verify(a, motion_a, b, motion_b)
            }
        }

        $(impl $crate::answer::Witnessed<$crate::impact::Moving<$motion>> for $answer {
            type Points = [clearance::glam::DVec3; 2];

            fn in_world(&self, asked: $crate::impact::MovingView<'_, $motion>) -> [clearance::glam::DVec3; 2] {
                asked.points_at(self.$($time).+, [self.witness.a.point, self.witness.b.point])
            }
        })?
    )*};
}

/// The bodies and motions that an answer is about.
macro_rules! of_moving {
    ($($class:ident),*) => {$(
        $crate::pair::of_bodies!($class);

        #[pymethods]
        impl $class {
            /// The motion of A.
            #[getter]
            fn motion_a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                $crate::impact::InMotion::object(&self.question.motion_a, py)
            }

            /// The motion of B.
            #[getter]
            fn motion_b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                $crate::impact::InMotion::object(&self.question.motion_b, py)
            }
        }
    )*};
}

/// The classes of first contacts: what those of bodies that move straight and of bodies that turn have alike. The
/// fields are those that only one of them has, or that mean something else.
macro_rules! first_contacts {
    (
        $(#[$doc:meta])* $class:ident = $name:literal of $answer:ident, along $motion:ident;
        $(#[$many_doc:meta])* $many:ident = $many_name:literal;
        $(#[$upper_doc:meta])* upper,
        $(#[$touches_doc:meta])* touches,
        $($fields:tt)*
    ) => {
        $crate::answer::answer! {
            $(#[$doc])*
            $class = $name of $answer, asked $crate::impact::Moving<$motion>;
            $(#[$many_doc])*
            $many = $many_name asked $crate::impact::Motions<$motion>, or NoImpact;
            bracket {
                /// The time of the first contact, as a part of the step.
                value,
                /// Proved: before this the bodies are farther apart than the margin.
                lower,
                $(#[$upper_doc])*
                upper,
            }
            witness {
                /// The point of A that makes contact, in A's own frame.
                point_in_a,
                /// The point of B that makes contact, in B's own frame.
                point_in_b,
            }
            $(#[$touches_doc])*
            touches: touches,
            /// At `upper` the bodies are at most this far from contact. Zero when `touches`.
            gap: gap,
            /// The margin that counts as contact.
            margin: margin,
            /// Unit, in the world, from A towards B. None (in a batch: zero) for bodies that meet at the start.
            normal: normal,
            /// Whether the bodies meet at the start.
            started_overlapping: started_overlapping,
            /// How it was found.
            algorithm: algorithm,
            $($fields)*
        }

        $crate::impact::of_moving!($class);
        $crate::answer::in_world! {
            $class by witness,
            "The points of A and of B in the world at the time of contact, (2, 3); rounded, and no part of the proof."
        }
        $crate::answer::may_miss!($many: "Where there is a contact.");
    };
}

pub(crate) use {first_contacts, of_motions, of_moving};

of_motions! {
    Impact: Motion at time.value;
    NoImpact: Motion;
}

first_contacts! {
    /// The first contact of two moving bodies.
    PyImpact = "Impact" of Impact, along Motion;
    /// First contacts: an array for each field of `Impact`, and an `Impact` or a `NoImpact` for each index. Where the
    /// bodies do not meet, `hit` is False, `value` infinite, and the rest undefined.
    PyImpacts = "Impacts";
    /// Proved: until this the bodies have come within the margin (`touches`), or within the margin and `gap`.
    upper,
    /// True when contact is proved.
    touches,
    /// Bound on how far a placed vertex lies from where its motion ideally puts it; the bracket includes it.
    placement: placement,
    /// What proves `upper`: pairs of vertices, (K, 2).
    evidence: evidence,
    /// What proves `upper` of curved bodies: a point of each core.
    deep: deep,
    /// How many times the gap was evaluated.
    steps: steps,
}

#[pymethods]
impl PyImpacts {
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
        PyImpacts::of_states(&states, Motions::<Motion>::of(a, b, poses, displacements, motion_a)?)
    }
}

/// Words for the algorithms.
const ALGORITHMS: [(&str, ImpactAlgorithm); 5] = [
    ("conservative", ImpactAlgorithm::Conservative),
    ("interval_halving", ImpactAlgorithm::IntervalHalving),
    ("brent", ImpactAlgorithm::Brent),
    ("closed_form", ImpactAlgorithm::ClosedForm),
    ("elementary", ImpactAlgorithm::Elementary),
];

fn impact_options(py: Python<'_>, margin: f64, tolerance: f64, algorithm: &str) -> PyResult<ImpactOptions> {
    let algorithm = option_of(py, "algorithm", algorithm, &ALGORITHMS)?;
    Ok(ImpactOptions { algorithm, tolerance, margin })
}

fn impact_of(view: MovingView<'_, Motion>, options: &ImpactOptions) -> Result<Impact, NoImpact> {
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::query::time_of_impact_with(view.a, view.motion_a, view.b, view.motion_b, options, cache, workspace)
    })
}

/// The first contact of two moving bodies: an `Impact`, or a `NoImpact` if they provably do not touch in this step. A
/// pose in place of a motion: the body is at rest.
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
) -> PyResult<Py<PyAny>> {
    let py = a.py();
    let options = impact_options(py, margin, tolerance, algorithm)?;
    ask_for_contact::<PyImpact, _>(py, Moving::of(a, b, motion_a, motion_b)?, |view| impact_of(view, &options))
}

/// The first contact of two bodies for many motions of B: starts (N, 4, 4) and displacements (N, 3), on all cores.
#[pyfunction]
#[pyo3(signature = (a, b, poses, displacements, motion_a=None, *, margin=0.0, tolerance=0.0, algorithm="conservative"))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn time_of_impact_batch(
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
    let questions = Motions::<Motion>::of(a, b, poses, displacements, motion_a)?;
    Ok(Batch::of(questions.each(py, |view| impact_of(view, &options))?, questions))
}

fn sweeps(view: MovingView<'_, Motion>, margin: f64) -> bool {
    let options = SweepOptions { margin, ..SweepOptions::default() };
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::query::sweeps_meet_with(view.a, view.motion_a, view.b, view.motion_b, &options, cache, workspace)
    })
}

/// Whether two moving bodies have a point in common at any time of the step, without the time.
#[pyfunction]
#[pyo3(signature = (a, b, motion_a=None, motion_b=None, *, margin=0.0))]
pub fn sweeps_meet(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    motion_a: Option<&Bound<'_, PyAny>>,
    motion_b: Option<&Bound<'_, PyAny>>,
    margin: f64,
) -> PyResult<bool> {
    Moving::of(a, b, motion_a, motion_b)?.put(a.py(), |view| sweeps(view, margin))
}

/// Whether two moving bodies meet, for many motions of B, on all cores: an array of bool.
#[pyfunction]
#[pyo3(signature = (a, b, poses, displacements, motion_a=None, *, margin=0.0))]
pub fn sweeps_meet_batch<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: &Bound<'py, PyAny>,
    displacements: &Bound<'py, PyAny>,
    motion_a: Option<&Bound<'py, PyAny>>,
    margin: f64,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let questions = Motions::<Motion>::of(a, b, poses, displacements, motion_a)?;
    Ok(PyArray1::from_vec(a.py(), questions.each(a.py(), |view| sweeps(view, margin))?))
}
