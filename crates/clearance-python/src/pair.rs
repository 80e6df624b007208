//! Questions about two bodies that rest: relation, intersection, distance, depth, common volume.

use clearance::glam::DVec3;
use clearance::{
    Distance, DistanceOptions, Error, Evidence, IntersectsOptions, PairCache, Penetration, PenetrationOptions, Pose,
    Refusal, RelationOptions, RelationProof, Shape, Volume, Workspace,
};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::answer::{Prove, Question, answer, many, shown, single};
use crate::array::{Indices, rows_of};
use crate::batch::each_that_can;
use crate::error::{bad_state, refused_pair, wrong};
use crate::give::{Column, Give, points, relation_code, rows};
use crate::pose::{PyPose, pose_of, poses_array, poses_of};
use crate::room::room_for;
use crate::shape::{PyShape, shape_of};
use crate::state::{State, fields};
use crate::work::{about, about_solids, each, has_mesh};

thread_local! {
    static WORKSPACE: std::cell::RefCell<Workspace> = std::cell::RefCell::new(Workspace::default());
}

/// Runs something with the scratch memory of this thread.
pub fn with_workspace<R>(run: impl FnOnce(&mut Workspace) -> R) -> R {
    WORKSPACE.with(|workspace| match workspace.try_borrow_mut() {
        Ok(mut workspace) => workspace.lend(run),
        // A thread of the pool that waits for others in the middle of a question may take up the next.
        Err(_) => run(&mut Workspace::default()),
    })
}

/// Two bodies, each with its pose.
#[derive(Clone, Copy)]
pub struct PairView<'a> {
    pub a: &'a Shape,
    pub pose_a: &'a Pose,
    pub b: &'a Shape,
    pub pose_b: &'a Pose,
}

/// Two bodies, each with its pose, that an answer is about.
pub struct Pair {
    pub a: Py<PyShape>,
    pub pose_a: Pose,
    pub b: Py<PyShape>,
    pub pose_b: Pose,
}

impl Pair {
    /// From the arguments of a question.
    pub fn of(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        pose_a: Option<&Bound<'_, PyAny>>,
        pose_b: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Pair> {
        let py = a.py();
        Ok(Pair {
            a: shape_of(a, "a")?,
            pose_a: pose_of(py, pose_a, "pose_a")?,
            b: shape_of(b, "b")?,
            pose_b: pose_of(py, pose_b, "pose_b")?,
        })
    }

    pub fn view(&self) -> PairView<'_> {
        PairView { a: &self.a.get().shape, pose_a: &self.pose_a, b: &self.b.get().shape, pose_b: &self.pose_b }
    }

    /// An error of a question about them.
    pub fn refused(&self, py: Python<'_>, error: &Error) -> PyErr {
        refused_pair(py, error, &self.a.get().shape, &self.b.get().shape)
    }
}

impl Question for Pair {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let poses = poses_array(py, &[self.pose_a, self.pose_b])?;
        (self.a.clone_ref(py), self.b.clone_ref(py), poses).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Pair> {
        let poses = poses_of(&objects.get_item(2)?, "poses")?;
        let [pose_a, pose_b] = poses[..] else { return Err(bad_state()) };
        Ok(Pair { a: shape_of(&objects.get_item(0)?, "a")?, pose_a, b: shape_of(&objects.get_item(1)?, "b")?, pose_b })
    }

    fn same(&self, other: &Pair) -> bool {
        let (one, two) = (self.view(), other.view());
        one.pose_a == two.pose_a && one.pose_b == two.pose_b && one.a == two.a && one.b == two.b
    }
}

/// Many pairs of bodies. A body is stored once, and so is a pose that several pairs have.
pub struct Pairs {
    shapes: Vec<Py<PyShape>>,
    poses: Vec<Pose>,
    /// For each pair: A and its pose, B and its pose.
    pairs: Vec<[u32; 4]>,
}

impl Pairs {
    /// Two bodies at many poses of B; A has one pose, or as many.
    pub fn of_poses(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        poses: &Bound<'_, PyAny>,
        pose_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Pairs> {
        let py = a.py();
        let shapes = vec![shape_of(a, "a")?, shape_of(b, "b")?];
        let mut all = poses_of(poses, "poses")?;
        let count = all.len() as u32;
        let many =
            pose_a.filter(|pose| pose.getattr("ndim").and_then(|it| it.extract()).is_ok_and(|it: usize| it == 3));
        match many {
            Some(many) => {
                let poses_a = poses_of(many, "pose_a")?;
                if poses_a.len() != all.len() {
                    let problem = format_args!("{} poses for {count} of b: give one, or as many", poses_a.len());
                    return Err(wrong(py, "pose_a", problem));
                }
                all.extend(poses_a);
            }
            None => all.push(pose_of(py, pose_a, "pose_a")?),
        }
        let of_a = |index: u32| if many.is_some() { count + index } else { count };
        Ok(Pairs { shapes, poses: all, pairs: (0..count).map(|index| [0, of_a(index), 1, index]).collect() })
    }

    /// Pairs of many bodies, each with its pose, by their numbers.
    pub fn of_bodies(
        shapes: &Bound<'_, PyAny>,
        pairs: &Bound<'_, PyAny>,
        poses: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Pairs> {
        let py = shapes.py();
        let each = shapes.try_iter()?.enumerate();
        let shapes: Vec<Py<PyShape>> =
            each.map(|(index, shape)| shape_of(&shape?, &format!("shapes[{index}]"))).collect::<PyResult<_>>()?;
        let poses = poses.map_or_else(|| Ok(vec![Pose::IDENTITY; shapes.len()]), |poses| poses_of(poses, "poses"))?;
        if poses.len() != shapes.len() {
            return Err(wrong(py, "poses", format_args!("{} poses for {} shapes", poses.len(), shapes.len())));
        }
        // As they are given, and with the numbers of their poses.
        room_for(py, "pairs", rows_of(pairs), "pairs", 2 * size_of::<[u32; 4]>() as u128)?;
        let given = Indices::<2>::of(pairs, "pairs")?;
        let unknown = given.rows().iter().position(|pair| pair.iter().any(|&body| body as usize >= shapes.len()));
        if let Some(index) = unknown {
            let problem =
                format_args!("{:?} names a body that is not there: there are {}", given.rows()[index], shapes.len());
            return Err(wrong(py, &format!("pairs[{index}]"), problem));
        }
        Ok(Pairs::of_placed(shapes, poses, given.rows()))
    }

    /// Pairs of bodies, each with its pose, by numbers that are known.
    pub fn of_placed(shapes: Vec<Py<PyShape>>, poses: Vec<Pose>, pairs: &[[u32; 2]]) -> Pairs {
        Pairs { shapes, poses, pairs: pairs.iter().map(|&[a, b]| [a, a, b, b]).collect() }
    }

    /// Two bodies along a path of B.
    pub fn along(pair: Pair, mut path: Vec<Pose>) -> Pairs {
        let count = path.len() as u32;
        path.push(pair.pose_a);
        Pairs {
            shapes: vec![pair.a, pair.b],
            poses: path,
            pairs: (0..count).map(|index| [0, count, 1, index]).collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn view(&self, index: usize) -> PairView<'_> {
        let [a, pose_a, b, pose_b] = self.pairs[index];
        PairView {
            a: &self.shapes[a as usize].get().shape,
            pose_a: &self.poses[pose_a as usize],
            b: &self.shapes[b as usize].get().shape,
            pose_b: &self.poses[pose_b as usize],
        }
    }

    pub fn item(&self, py: Python<'_>, index: usize) -> Pair {
        let [a, pose_a, b, pose_b] = self.pairs[index];
        Pair {
            a: self.shapes[a as usize].clone_ref(py),
            pose_a: self.poses[pose_a as usize],
            b: self.shapes[b as usize].clone_ref(py),
            pose_b: self.poses[pose_b as usize],
        }
    }

    /// The answer for each pair.
    pub fn each<A: Send>(&self, py: Python<'_>, ask: impl Fn(PairView<'_>) -> A + Send + Sync) -> PyResult<Vec<A>> {
        each(py, self.len(), |index| ask(self.view(index)))
    }

    /// The answer for each pair, or the first refusal, with the pair named.
    pub fn each_that_can<A: Send>(
        &self,
        py: Python<'_>,
        ask: impl Fn(PairView<'_>) -> Result<A, Error> + Send + Sync,
    ) -> PyResult<Vec<A>> {
        let refused = |index: usize, error| {
            let view = self.view(index);
            refused_pair(py, &error, view.a, view.b)
        };
        let solids = self.shapes.iter().any(|shape| has_mesh(&shape.get().shape));
        each_that_can(py, self.len(), solids, |index| ask(self.view(index)), refused)
    }
}

impl Question for Pairs {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let shapes: Vec<Py<PyShape>> = self.shapes.iter().map(|shape| shape.clone_ref(py)).collect();
        (shapes, poses_array(py, &self.poses)?, rows(py, self.pairs.clone())?).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Pairs> {
        let shapes: PyResult<Vec<_>> =
            objects.get_item(0)?.try_iter()?.map(|shape| shape_of(&shape?, "shapes")).collect();
        let (shapes, poses) = (shapes?, poses_of(&objects.get_item(1)?, "poses")?);
        let pairs = Indices::<4>::of(&objects.get_item(2)?, "pairs")?.rows().to_vec();
        let known = |&[a, pose_a, b, pose_b]: &[u32; 4]| {
            (a.max(b) as usize) < shapes.len() && (pose_a.max(pose_b) as usize) < poses.len()
        };
        if pairs.iter().all(known) { Ok(Pairs { shapes, poses, pairs }) } else { Err(bad_state()) }
    }

    fn same(&self, other: &Pairs) -> bool {
        let shapes = || self.shapes.iter().zip(&other.shapes).all(|(one, two)| one.get().shape == two.get().shape);
        self.pairs == other.pairs && self.poses == other.poses && self.shapes.len() == other.shapes.len() && shapes()
    }
}

/// The bodies and poses that an answer is about.
macro_rules! of_pair {
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

            /// The pose of A.
            #[getter]
            fn pose_a(&self) -> PyPose {
                PyPose { pose: self.question.pose_a }
            }

            /// The pose of B.
            #[getter]
            fn pose_b(&self) -> PyPose {
                PyPose { pose: self.question.pose_b }
            }
        }
    )*};
}

/// Points of A and B in the world, for answers that have one of each.
macro_rules! witness_of_pair {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
            /// The points of A and of B in the world, (2, 3); rounded, and no part of the proof.
            #[getter]
            fn witness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
                points(py, self.answer.world_points(&self.question.pose_a, &self.question.pose_b))
            }
        }
    )*};
}

/// The same for many answers.
macro_rules! witness_of_pairs {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
            /// The points of A and of B in the world, (N, 2, 3); rounded, and no part of the proofs.
            #[getter]
            fn witness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, numpy::PyArray3<f64>>> {
                let ends = self.answers.iter().enumerate().map(|(index, answer)| {
                    let view = self.questions.view(index);
                    answer.map_or([DVec3::ZERO; 2], |answer| answer.world_points(view.pose_a, view.pose_b))
                });
                crate::give::segments(py, ends)
            }
        }
    )*};
}

/// Answers about the poses of a batch, or about pairs of bodies, from bytes that another process sent.
macro_rules! from_states {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
            #[classmethod]
            #[pyo3(signature = (states, a, b, poses, pose_a=None))]
            fn _of_poses(
                _: &Bound<'_, PyType>,
                states: Vec<Bound<'_, PyBytes>>,
                a: &Bound<'_, PyAny>,
                b: &Bound<'_, PyAny>,
                poses: &Bound<'_, PyAny>,
                pose_a: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<$class> {
                let questions = Pairs::of_poses(a, b, poses, pose_a)?;
                Ok($class { answers: crate::batch::read_all(&states, questions.len())?, questions })
            }

            #[classmethod]
            #[pyo3(signature = (states, shapes, pairs, poses=None))]
            fn _of_pairs(
                _: &Bound<'_, PyType>,
                states: Vec<Bound<'_, PyBytes>>,
                shapes: &Bound<'_, PyAny>,
                pairs: &Bound<'_, PyAny>,
                poses: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<$class> {
                let questions = Pairs::of_bodies(shapes, pairs, poses)?;
                Ok($class { answers: crate::batch::read_all(&states, questions.len())?, questions })
            }
        }
    )*};
}

pub(crate) use of_pair;

macro_rules! verified {
    ($($answer:ty),*) => {$(
        impl Prove<PairView<'_>> for $answer {
            fn prove(&self, asked: PairView<'_>) -> Result<(), Refusal> {
                clearance::verify(self, asked.a, asked.pose_a, asked.b, asked.pose_b)
            }
        }
    )*};
}

verified!(Distance, Penetration, RelationProof, clearance::Contacts, clearance::SolidDepth);

impl Prove<PairView<'_>> for Volume {
    fn prove(&self, asked: PairView<'_>) -> Result<(), Refusal> {
        clearance::verify_volume(self, asked.a, asked.pose_a, asked.b, asked.pose_b)
    }
}

answer! {
    /// How far apart two bodies are.
    PyDistance = "Distance",
    /// How far apart bodies are: an array for each field of `Distance`, and a `Distance` for each index.
    PyDistances = "Distances",
    of Distance, asked Pair, Pairs;
    /// The gap, in world units. Zero exactly when the placed bodies have a point in common.
    value: value,
    /// Proved: the gap is at least this.
    lower: lower,
    /// Proved: the gap is at most this.
    upper: upper,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    placement: placement,
    /// How the answer was found.
    method: method,
    /// The nearest point of A, in A's own frame; for bodies that meet, a common point.
    point_in_a: point_in_a,
    /// The nearest point of B, in B's own frame; for bodies that meet, the same common point.
    point_in_b: point_in_b,
    /// The part of A: of a compound its number, of a mesh or a height field the triangle; else 0.
    part_a: part_a,
    /// The part of B.
    part_b: part_b,
    /// The feature of A that holds the point.
    feature_a: feature_a,
    /// The feature of B that holds the point.
    feature_b: feature_b,
    /// Unit, in the world, from A towards B. None (in a batch: zero) when the value is zero.
    normal: normal,
}

answer! {
    /// How deep two bodies overlap, and the way out: the least translation that separates them.
    PyPenetration = "Penetration",
    /// How deep bodies overlap: an array for each field of `Penetration`, and a `Penetration` for each index.
    PyPenetrations = "Penetrations",
    of Penetration, asked Pair, Pairs;
    /// The length of the shortest translation that makes the interiors disjoint, in world units. Zero for bodies apart.
    value: depth,
    /// Proved: no shorter translation than this does it.
    lower: lower,
    /// Proved: moving B by `upper * normal` makes the interiors disjoint.
    upper: upper,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    placement: placement,
    /// How the answer was found.
    method: method,
    /// The point of A deepest in B, on A's surface, in A's own frame; for bodies apart the nearest point.
    point_in_a: point_in_a,
    /// The point of B deepest in A, on B's surface, in B's own frame; for bodies apart the nearest point.
    point_in_b: point_in_b,
    /// The part of A: of a compound its number, of a mesh or a height field the triangle; else 0.
    part_a: part_a,
    /// The part of B.
    part_b: part_b,
    /// The feature of A that holds the point.
    feature_a: feature_a,
    /// The feature of B that holds the point.
    feature_b: feature_b,
    /// Unit, in the world, from A towards B: moving B by `value * normal` leaves the bodies touching.
    normal: normal,
}

answer! {
    /// How much two solids have in common.
    PyVolume = "Volume",
    /// How much solids have in common: an array for each field of `Volume`, and a `Volume` for each index.
    PyVolumes = "Volumes",
    of Volume, asked Pair, Pairs;
    /// The volume, in cubic world units. Zero where it is not proved to be more.
    value: value,
    /// Proved: the volume is at least this.
    lower: lower,
    /// Proved: the volume is at most this.
    upper: upper,
    /// Bound on how far a placed corner lies from where its pose ideally puts it; the brackets include it.
    placement: placement,
    /// The middle of the intersection, in the world. None (in a batch: zero) where `lower` is zero.
    centroid: centroid,
    /// Proved: the true middle is no farther than this from `centroid`.
    centroid_off: centroid_off,
    /// The surface of the intersection, with its bracket.
    area: area,
    /// How the answer was found.
    method: method,
}

shown!(PyDistance, "Distance", |answer| answer.value);
shown!(PyPenetration, "Penetration", |answer| answer.depth);
shown!(PyVolume, "Volume", |answer| answer.value);
of_pair!(PyDistance, PyPenetration, PyVolume, PyRelationProof);
witness_of_pair!(PyDistance, PyPenetration);
witness_of_pairs!(PyDistances, PyPenetrations);
from_states!(PyDistances, PyPenetrations, PyVolumes);

/// Why the bracket of an answer is wider than the contract's.
macro_rules! stopped {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
            /// Why the bracket is wider than the contract's accuracy: `None` where it is not, `("tolerance", t)` and
            /// `("farther_than", d)` where that was asked for, `("budget", None)` where the work was capped.
            #[getter]
            fn stopped<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
                self.answer.method.stopped().map(|reason| reason.give(py)).transpose()
            }
        }
    )*};
}

stopped!(PyDistance, PyPenetration);

fields!(RelationProof { relation, lower, upper, placement, touch_band, normal, part_a, part_b, evidence });

impl State for Evidence {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Evidence::Points { point_in_a, point_in_b } => {
                0u8.put(out);
                [*point_in_a, *point_in_b].put(out);
            }
            Evidence::Polytope { pairs } => {
                1u8.put(out);
                pairs.put(out);
            }
            Evidence::Deep { point_in_a, point_in_b } => {
                2u8.put(out);
                [*point_in_a, *point_in_b].put(out);
            }
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Evidence> {
        Some(match u8::take(bytes)? {
            0 => <[DVec3; 2]>::take(bytes).map(|[a, b]| Evidence::Points { point_in_a: a, point_in_b: b })?,
            1 => Evidence::Polytope { pairs: State::take(bytes)? },
            2 => <[DVec3; 2]>::take(bytes).map(|[a, b]| Evidence::Deep { point_in_a: a, point_in_b: b })?,
            _ => return None,
        })
    }
}

/// How two bodies lie to each other, with the proof: a bracket of the signed gap, as tight as needed to know its sign.
#[pyclass(frozen, name = "RelationProof", module = "clearance")]
pub struct PyRelationProof {
    pub answer: RelationProof,
    pub question: Pair,
}

single!(PyRelationProof, "RelationProof", RelationProof, Pair);

#[pymethods]
impl PyRelationProof {
    /// The verdict.
    #[getter]
    fn relation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answer.relation.give(py)
    }

    /// Proved: the signed gap is at least this.
    #[getter]
    fn lower(&self) -> f64 {
        self.answer.lower
    }

    /// Proved: the signed gap is at most this.
    #[getter]
    fn upper(&self) -> f64 {
        self.answer.upper
    }

    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    #[getter]
    fn placement(&self) -> f64 {
        self.answer.placement
    }

    /// The band about zero that counts as touching, as asked for.
    #[getter]
    fn touch_band(&self) -> f64 {
        self.answer.touch_band
    }

    /// Unit, in the world, from A towards B; the planes across it prove `lower`.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answer.normal.give(py)
    }

    /// The part of A that proves `upper`.
    #[getter]
    fn part_a(&self) -> u32 {
        self.answer.part_a
    }

    /// The part of B that proves `upper`.
    #[getter]
    fn part_b(&self) -> u32 {
        self.answer.part_b
    }

    /// What proves `upper`: `("points", ...)` or `("deep", ...)` with a point of each body in its own frame, (2, 3), or
    /// `("polytope", ...)` with pairs of vertices, (N, 2).
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
        Ok(match &self.answer.evidence {
            Evidence::Points { point_in_a, point_in_b } => ("points", [*point_in_a, *point_in_b].give(py)?),
            Evidence::Deep { point_in_a, point_in_b } => ("deep", [*point_in_a, *point_in_b].give(py)?),
            Evidence::Polytope { pairs } => ("polytope", rows(py, pairs.clone())?.into_any()),
        })
    }

    fn __repr__(&self) -> String {
        let RelationProof { relation, lower, upper, .. } = &self.answer;
        format!("RelationProof({}, lower={lower:?}, upper={upper:?})", format!("{relation:?}").to_lowercase())
    }
}

/// How two bodies lie to each other at many poses, with the proofs: arrays, and the `RelationProof` at each index.
#[pyclass(frozen, sequence, name = "RelationProofs", module = "clearance")]
pub struct PyRelationProofs {
    answers: Vec<Option<RelationProof>>,
    questions: Pairs,
}

many!(PyRelationProofs, "RelationProofs", RelationProof, Pairs);

impl PyRelationProofs {
    fn column<'py, T: Column>(&self, py: Python<'py>, of: impl Fn(&RelationProof) -> T) -> PyResult<Bound<'py, PyAny>> {
        Column::column(py, self.answers.iter().map(|answer| answer.as_ref().map(&of)))
    }
}

#[pymethods]
impl PyRelationProofs {
    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<Option<PyRelationProof>> {
        let place = crate::batch::place(index, self.answers.len())?;
        let question = self.questions.item(py, place);
        Ok(self.answers[place].clone().map(|answer| PyRelationProof { answer, question }))
    }

    /// The verdicts, (N,): values of `Relation`.
    #[getter]
    fn relation<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_vec(py, self.answers.iter().flatten().map(|answer| relation_code(answer.relation)).collect())
    }

    /// Proved: the signed gap is at least this, (N,).
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |answer| answer.lower)
    }

    /// Proved: the signed gap is at most this, (N,).
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |answer| answer.upper)
    }

    /// Bound on how far a placed vertex lies from where its pose ideally puts it, (N,); the brackets include it.
    #[getter]
    fn placement<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |answer| answer.placement)
    }

    /// Unit, in the world, from A towards B, (N, 3); the planes across it prove `lower`.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |answer| answer.normal)
    }

    /// The part of A that proves `upper`, (N,).
    #[getter]
    fn part_a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |answer| answer.part_a)
    }

    /// The part of B that proves `upper`, (N,).
    #[getter]
    fn part_b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |answer| answer.part_b)
    }
}

/// How two bodies lie to each other: separated, touching or overlapping.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, touch_band=0.0))]
pub fn relation<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    pose_a: Option<&Bound<'py, PyAny>>,
    pose_b: Option<&Bound<'py, PyAny>>,
    touch_band: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, pair) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
    let view = pair.view();
    about(py, &[view.a, view.b], || relation_of(view, touch_band).relation)?.give(py)
}

/// How two bodies lie to each other, with the proof.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, touch_band=0.0))]
pub fn relation_proof(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    touch_band: f64,
) -> PyResult<PyRelationProof> {
    let (py, question) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
    let view = question.view();
    let answer = about(py, &[view.a, view.b], || relation_of(view, touch_band))?;
    Ok(PyRelationProof { answer, question })
}

/// How two bodies lie to each other at many poses of B, with the proofs, on all cores.
#[pyfunction]
#[pyo3(signature = (a, b, poses, pose_a=None, *, touch_band=0.0))]
pub fn relation_proof_many(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    poses: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    touch_band: f64,
) -> PyResult<PyRelationProofs> {
    let questions = Pairs::of_poses(a, b, poses, pose_a)?;
    let answers = questions.each(a.py(), |view| Some(relation_of(view, touch_band)))?;
    Ok(PyRelationProofs { answers, questions })
}

fn relation_of(view: PairView<'_>, touch_band: f64) -> RelationProof {
    let options = RelationOptions { touch_band };
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::relation_with(view.a, view.pose_a, view.b, view.pose_b, &options, cache, workspace)
    })
}

fn relations<'py>(py: Python<'py>, pairs: &Pairs, touch_band: f64) -> PyResult<Bound<'py, PyArray1<i8>>> {
    let found = pairs.each(py, |view| relation_code(relation_of(view, touch_band).relation))?;
    Ok(PyArray1::from_vec(py, found))
}

/// How two bodies lie to each other at many poses of B: an array of -1 (overlapping), 0 (touching), 1 (separated),
/// which are the values of `Relation`.
#[pyfunction]
#[pyo3(signature = (a, b, poses, pose_a=None, *, touch_band=0.0))]
pub fn relation_many<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: &Bound<'py, PyAny>,
    pose_a: Option<&Bound<'py, PyAny>>,
    touch_band: f64,
) -> PyResult<Bound<'py, PyArray1<i8>>> {
    relations(a.py(), &Pairs::of_poses(a, b, poses, pose_a)?, touch_band)
}

/// How pairs of bodies lie to each other, by their numbers; see `relation_many`.
#[pyfunction]
#[pyo3(signature = (shapes, pairs, poses=None, *, touch_band=0.0))]
pub fn relation_pairs<'py>(
    shapes: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    touch_band: f64,
) -> PyResult<Bound<'py, PyArray1<i8>>> {
    relations(shapes.py(), &Pairs::of_bodies(shapes, pairs, poses)?, touch_band)
}

/// Whether two bodies, boundary included, have a point in common; with a margin, whether they are no farther apart than
/// that.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, margin=0.0))]
pub fn intersects(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    margin: f64,
) -> PyResult<bool> {
    let pair = Pair::of(a, b, pose_a, pose_b)?;
    let view = pair.view();
    about(a.py(), &[view.a, view.b], || meet(view, margin))
}

fn meet(view: PairView<'_>, margin: f64) -> bool {
    if margin == 0.0 {
        return clearance::intersects(view.a, view.pose_a, view.b, view.pose_b);
    }
    let options = IntersectsOptions { margin, ..IntersectsOptions::default() };
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::intersects_with(view.a, view.pose_a, view.b, view.pose_b, &options, cache, workspace)
    })
}

/// Whether two bodies meet at each of many poses of B: an array of bool.
#[pyfunction]
#[pyo3(signature = (a, b, poses, pose_a=None, *, margin=0.0))]
pub fn intersects_many<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: &Bound<'py, PyAny>,
    pose_a: Option<&Bound<'py, PyAny>>,
    margin: f64,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let pairs = Pairs::of_poses(a, b, poses, pose_a)?;
    Ok(PyArray1::from_vec(a.py(), pairs.each(a.py(), |view| meet(view, margin))?))
}

/// Whether pairs of bodies meet, by their numbers: an array of bool.
#[pyfunction]
#[pyo3(signature = (shapes, pairs, poses=None, *, margin=0.0))]
pub fn intersects_pairs<'py>(
    shapes: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    margin: f64,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let (py, pairs) = (shapes.py(), Pairs::of_bodies(shapes, pairs, poses)?);
    Ok(PyArray1::from_vec(py, pairs.each(py, |view| meet(view, margin))?))
}

/// When a search for the distance may end early.
fn distance_options(farther_than: Option<f64>, tolerance: f64, relative_tolerance: f64) -> DistanceOptions {
    DistanceOptions { farther_than, tolerance, relative_tolerance, ..DistanceOptions::default() }
}

fn distance_of(view: PairView<'_>, options: &DistanceOptions) -> Distance {
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::distance_with(view.a, view.pose_a, view.b, view.pose_b, options, cache, workspace)
    })
}

/// How far apart two bodies are. The search may end as soon as the gap is proved to be larger than `farther_than`, or
/// the bracket is no wider than a tolerance.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, farther_than=None, tolerance=0.0, relative_tolerance=0.0))]
pub fn distance(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    farther_than: Option<f64>,
    tolerance: f64,
    relative_tolerance: f64,
) -> PyResult<PyDistance> {
    let (py, question) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
    let (view, options) = (question.view(), distance_options(farther_than, tolerance, relative_tolerance));
    let answer = about(py, &[view.a, view.b], || distance_of(view, &options))?;
    Ok(PyDistance { answer, question })
}

fn distances(py: Python<'_>, questions: Pairs, options: &DistanceOptions) -> PyResult<PyDistances> {
    let answers = questions.each(py, |view| Some(distance_of(view, options)))?;
    Ok(PyDistances { answers, questions })
}

/// How far apart two bodies are at many poses of B, on all cores.
#[pyfunction]
#[pyo3(signature = (a, b, poses, pose_a=None, *, farther_than=None, tolerance=0.0, relative_tolerance=0.0))]
pub fn distance_many(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    poses: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    farther_than: Option<f64>,
    tolerance: f64,
    relative_tolerance: f64,
) -> PyResult<PyDistances> {
    let options = distance_options(farther_than, tolerance, relative_tolerance);
    distances(a.py(), Pairs::of_poses(a, b, poses, pose_a)?, &options)
}

/// How far apart pairs of bodies are, by their numbers, on all cores.
#[pyfunction]
#[pyo3(signature = (shapes, pairs, poses=None, *, farther_than=None, tolerance=0.0, relative_tolerance=0.0))]
pub fn distance_pairs(
    shapes: &Bound<'_, PyAny>,
    pairs: &Bound<'_, PyAny>,
    poses: Option<&Bound<'_, PyAny>>,
    farther_than: Option<f64>,
    tolerance: f64,
    relative_tolerance: f64,
) -> PyResult<PyDistances> {
    let options = distance_options(farther_than, tolerance, relative_tolerance);
    distances(shapes.py(), Pairs::of_bodies(shapes, pairs, poses)?, &options)
}

fn penetration_of(view: PairView<'_>, tolerance: f64) -> Result<Penetration, Error> {
    let options = PenetrationOptions { tolerance };
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::penetration_with(view.a, view.pose_a, view.b, view.pose_b, &options, cache, workspace)
    })
}

/// How deep two bodies overlap, and the way out. Meshes must be solids.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, tolerance=0.0))]
pub fn penetration(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
) -> PyResult<PyPenetration> {
    let (py, question) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
    let view = question.view();
    let answer = about_solids(py, &[view.a, view.b], || penetration_of(view, tolerance))?
        .map_err(|error| question.refused(py, &error))?;
    Ok(PyPenetration { answer, question })
}

fn penetrations(py: Python<'_>, questions: Pairs, tolerance: f64) -> PyResult<PyPenetrations> {
    let answers = questions.each_that_can(py, |view| penetration_of(view, tolerance).map(Some))?;
    Ok(PyPenetrations { answers, questions })
}

/// How deep two bodies overlap at many poses of B, on all cores.
#[pyfunction]
#[pyo3(signature = (a, b, poses, pose_a=None, *, tolerance=0.0))]
pub fn penetration_many(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    poses: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
) -> PyResult<PyPenetrations> {
    penetrations(a.py(), Pairs::of_poses(a, b, poses, pose_a)?, tolerance)
}

/// How deep pairs of bodies overlap, by their numbers, on all cores.
#[pyfunction]
#[pyo3(signature = (shapes, pairs, poses=None, *, tolerance=0.0))]
pub fn penetration_pairs(
    shapes: &Bound<'_, PyAny>,
    pairs: &Bound<'_, PyAny>,
    poses: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
) -> PyResult<PyPenetrations> {
    penetrations(shapes.py(), Pairs::of_bodies(shapes, pairs, poses)?, tolerance)
}

fn volume_of(view: PairView<'_>) -> Result<Volume, Error> {
    clearance::overlap_volume(view.a, view.pose_a, view.b, view.pose_b)
}

/// How much two solids have in common. Meshes must be solids.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None))]
pub fn overlap_volume(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyVolume> {
    let (py, question) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
    let view = question.view();
    let answer =
        about_solids(py, &[view.a, view.b], || volume_of(view))?.map_err(|error| question.refused(py, &error))?;
    Ok(PyVolume { answer, question })
}

fn volumes(py: Python<'_>, questions: Pairs) -> PyResult<PyVolumes> {
    let answers = questions.each_that_can(py, |view| volume_of(view).map(Some))?;
    Ok(PyVolumes { answers, questions })
}

/// How much two solids have in common at many poses of B, on all cores.
#[pyfunction]
#[pyo3(signature = (a, b, poses, pose_a=None))]
pub fn overlap_volume_many(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    poses: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyVolumes> {
    volumes(a.py(), Pairs::of_poses(a, b, poses, pose_a)?)
}

/// How much pairs of solids have in common, by their numbers, on all cores.
#[pyfunction]
#[pyo3(signature = (shapes, pairs, poses=None))]
pub fn overlap_volume_pairs(
    shapes: &Bound<'_, PyAny>,
    pairs: &Bound<'_, PyAny>,
    poses: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyVolumes> {
    volumes(shapes.py(), Pairs::of_bodies(shapes, pairs, poses)?)
}
