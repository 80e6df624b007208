//! Queries about two bodies at rest: relation, intersection, distance, depth, overlap volume.

use clearance::QueryError;
use clearance::answer::{
    Contacts, Distance, Evidence, LocalDepth, LocalDepthEstimate, Penetration, RelationProof, SolidDepth, Volume,
    Witness,
};
use clearance::glam::DVec3;
use clearance::query::{DistanceOptions, IntersectsOptions, PenetrationOptions, RelationOptions};
use clearance::verify::Refusal;
use clearance::{Bracket, PairCache, Pose, Shape, Workspace};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::answer::{
    Asked, Batch, OfBodies, Prove, Question, Questions, Witnessed, answer, column, getters, in_world, many, single,
};
use crate::array::{Indices, rows_of};
use crate::error::{bad_state, refused_pair, wrong};
use crate::give::{Give, relation_code, rows};
use crate::index::{Indexed, PyStats};
use crate::pose::{pose_of, poses_array, poses_of};
use crate::room::room_for;
use crate::shape::{PyShape, shape_of};
use crate::work::has_mesh;

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
}

impl Question for Pair {
    type View<'a> = PairView<'a>;

    fn view(&self) -> PairView<'_> {
        PairView { a: &self.a.get().shape, pose_a: &self.pose_a, b: &self.b.get().shape, pose_b: &self.pose_b }
    }
}

impl OfBodies for Pair {
    const ARGUMENTS: &'static str = "a, b";

    fn bodies(&self) -> [Option<&Shape>; 2] {
        [Some(&self.a.get().shape), Some(&self.b.get().shape)]
    }

    fn refused(&self, py: Python<'_>, error: &QueryError) -> PyErr {
        refused_pair(py, error, &self.a.get().shape, &self.b.get().shape)
    }
}

impl Asked for Pair {
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
}

impl Questions for Pairs {
    type One = Pair;

    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn view(&self, index: usize) -> PairView<'_> {
        let [a, pose_a, b, pose_b] = self.pairs[index];
        PairView {
            a: &self.shapes[a as usize].get().shape,
            pose_a: &self.poses[pose_a as usize],
            b: &self.shapes[b as usize].get().shape,
            pose_b: &self.poses[pose_b as usize],
        }
    }

    fn item(&self, py: Python<'_>, index: usize) -> Pair {
        let [a, pose_a, b, pose_b] = self.pairs[index];
        Pair {
            a: self.shapes[a as usize].clone_ref(py),
            pose_a: self.poses[pose_a as usize],
            b: self.shapes[b as usize].clone_ref(py),
            pose_b: self.poses[pose_b as usize],
        }
    }

    fn at_length(&self) -> bool {
        self.shapes.iter().any(|shape| has_mesh(&shape.get().shape))
    }
}

impl Asked for Pairs {
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

/// The bodies that an answer is about.
macro_rules! of_bodies {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
            /// Body A.
            #[getter]
            fn a(&self, py: Python<'_>) -> Py<$crate::shape::PyShape> {
                self.question.a.clone_ref(py)
            }

            /// Body B.
            #[getter]
            fn b(&self, py: Python<'_>) -> Py<$crate::shape::PyShape> {
                self.question.b.clone_ref(py)
            }
        }
    )*};
}

/// The bodies and poses that an answer is about.
macro_rules! of_pair {
    ($($class:ident),*) => {$(
        $crate::pair::of_bodies!($class);

        #[pymethods]
        impl $class {
            /// The pose of A.
            #[getter]
            fn pose_a(&self) -> $crate::pose::PyPose {
                $crate::pose::PyPose { pose: self.question.pose_a }
            }

            /// The pose of B.
            #[getter]
            fn pose_b(&self) -> $crate::pose::PyPose {
                $crate::pose::PyPose { pose: self.question.pose_b }
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
                $class::of_states(&states, Pairs::of_poses(a, b, poses, pose_a)?)
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
                $class::of_states(&states, Pairs::of_bodies(shapes, pairs, poses)?)
            }
        }
    )*};
}

/// Why the bracket of an answer is wider than promised.
macro_rules! stopped {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
            /// Why the bracket is wider than the promised accuracy: `None` if it is not, `("tolerance", t)` and
            /// `("farther_than", d)` if that option ended the search, `("budget", None)` if the work was capped.
            #[getter]
            fn stopped<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
                self.answer.method.stopped().map(|reason| reason.give(py)).transpose()
            }
        }
    )*};
}

/// Queries about two bodies at rest, each as functions of Python: of one pair (after `@batches` that is written out, as it
/// takes indices too), of two bodies at many poses of B, and of pairs of many bodies by index. All take the options,
/// keyword-only.
macro_rules! asked_of_pairs {
    (@one ($(* $($option:ident: $type:ty = $default:tt),+)?); $(#[$doc:meta])* $name:ident -> $answer:ty {
        |$py:ident, $pair:ident| $ask:expr
    }) => {
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (a, b, pose_a=None, pose_b=None $(, * $(, $option = $default)+)?))]
        pub fn $name<'py>(
            a: &Bound<'py, PyAny>,
            b: &Bound<'py, PyAny>,
            pose_a: Option<&Bound<'py, PyAny>>,
            pose_b: Option<&Bound<'py, PyAny>>,
            $($($option: $type),+)?
        ) -> PyResult<$answer> {
            let ($py, $pair) = (a.py(), $crate::pair::Pair::of(a, b, pose_a, pose_b)?);
            $ask
        }
    };
    (@poses ($(* $($option:ident: $type:ty = $default:tt),+)?); $(#[$doc:meta])* $name:ident -> $answers:ty {
        |$py:ident, $pairs:ident| $ask:expr
    }) => {
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (a, b, poses, pose_a=None $(, * $(, $option = $default)+)?))]
        pub fn $name<'py>(
            a: &Bound<'py, PyAny>,
            b: &Bound<'py, PyAny>,
            poses: &Bound<'py, PyAny>,
            pose_a: Option<&Bound<'py, PyAny>>,
            $($($option: $type),+)?
        ) -> PyResult<$answers> {
            let ($py, $pairs) = (a.py(), $crate::pair::Pairs::of_poses(a, b, poses, pose_a)?);
            $ask
        }
    };
    (@numbers ($(* $($option:ident: $type:ty = $default:tt),+)?); $(#[$doc:meta])* $name:ident -> $answers:ty {
        |$py:ident, $pairs:ident| $ask:expr
    }) => {
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (shapes, pairs, poses=None $(, * $(, $option = $default)+)?))]
        pub fn $name<'py>(
            shapes: &Bound<'py, PyAny>,
            pairs: &Bound<'py, PyAny>,
            poses: Option<&Bound<'py, PyAny>>,
            $($($option: $type),+)?
        ) -> PyResult<$answers> {
            let ($py, $pairs) = (shapes.py(), $crate::pair::Pairs::of_bodies(shapes, pairs, poses)?);
            $ask
        }
    };
    (@batches
        options $options:tt;
        $(#[$many_doc:meta])*
        poses $many:ident
        $($(#[$numbers_doc:meta])* numbers $numbers:ident)?
        -> $answers:ty { |$all:ident, $pairs:ident| $ask_all:expr }
    ) => {
        $crate::pair::asked_of_pairs!(@poses $options; $(#[$many_doc])* $many -> $answers { |$all, $pairs| $ask_all });
        $($crate::pair::asked_of_pairs! {
            @numbers $options; $(#[$numbers_doc])* $numbers -> $answers { |$all, $pairs| $ask_all }
        })?
    };
    ($(
        options $options:tt;
        $(#[$doc:meta])*
        one $one:ident -> $answer:ty { |$py:ident, $pair:ident| $ask:expr }
        $(#[$many_doc:meta])*
        poses $many:ident
        $($(#[$numbers_doc:meta])* numbers $numbers:ident)?
        -> $answers:ty { |$all:ident, $pairs:ident| $ask_all:expr }
    )*) => {$(
        $crate::pair::asked_of_pairs!(@one $options; $(#[$doc])* $one -> $answer { |$py, $pair| $ask });
        $crate::pair::asked_of_pairs! {
            @batches options $options;
            $(#[$many_doc])* poses $many $($(#[$numbers_doc])* numbers $numbers)? -> $answers { |$all, $pairs| $ask_all }
        }
    )*};
}

pub(crate) use {asked_of_pairs, of_bodies, of_pair, stopped};

macro_rules! verified {
    ($($answer:ty),*) => {$(
        impl Prove<Pair> for $answer {
            fn prove(&self, asked: PairView<'_>) -> Result<(), Refusal> {
                self.verify(asked.a, asked.pose_a, asked.b, asked.pose_b)
            }
        }
    )*};
}

verified!(Distance, Penetration, RelationProof, Volume, Contacts, SolidDepth, LocalDepth);

macro_rules! witnessed {
    ($($answer:ty),*) => {$(
        impl Witnessed<Pair> for $answer {
            type Points = [DVec3; 2];

            fn in_world(&self, asked: PairView<'_>) -> [DVec3; 2] {
                self.witness.world_points(asked.pose_a, asked.pose_b)
            }
        }
    )*};
}

witnessed!(Distance, Penetration, Contacts);

impl Witnessed<Pair> for SolidDepth {
    type Points = [DVec3; 2];

    fn in_world(&self, asked: PairView<'_>) -> [DVec3; 2] {
        self.penetration.in_world(asked)
    }
}

impl Witnessed<Pair> for LocalDepth {
    type Points = Option<[DVec3; 2]>;

    fn in_world(&self, asked: PairView<'_>) -> Option<[DVec3; 2]> {
        self.deepest.map(|deepest| deepest.witness.world_points(asked.pose_a, asked.pose_b))
    }
}

impl Witnessed<Pair> for LocalDepthEstimate {
    type Points = Option<[DVec3; 2]>;

    fn in_world(&self, asked: PairView<'_>) -> Option<[DVec3; 2]> {
        self.deepest.map(|deepest| deepest.witness.world_points(asked.pose_a, asked.pose_b))
    }
}

/// The witness of a relation, unless the proof is a polytope of many.
fn told(proof: &RelationProof) -> Option<Witness> {
    match proof.evidence {
        Evidence::Polytope { .. } => None,
        _ => Some(proof.witness),
    }
}

impl Witnessed<Pair> for RelationProof {
    type Points = Option<[DVec3; 2]>;

    fn in_world(&self, asked: PairView<'_>) -> Option<[DVec3; 2]> {
        told(self).map(|witness| witness.world_points(asked.pose_a, asked.pose_b))
    }
}

answer! {
    /// The distance of two bodies.
    PyDistance = "Distance" of Distance, asked Pair;
    /// Distances: an array for each field of `Distance`, and a `Distance` for each index.
    PyDistances = "Distances" asked Pairs;
    bracket {
        /// The gap, in world units. Zero exactly when the placed bodies have a point in common.
        value,
        /// Proved: the gap is at least this.
        lower,
        /// Proved: the gap is at most this.
        upper,
    }
    witness {
        /// The nearest point of A, in A's own frame; for bodies that meet, a common point.
        point_in_a,
        /// The nearest point of B, in B's own frame; for bodies that meet, the same common point.
        point_in_b,
    }
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    placement: placement,
    /// How the answer was found.
    method: method,
    /// Unit, in the world, from A towards B. None (in a batch: zero) when the value is zero.
    normal: normal,
}

answer! {
    /// The penetration of two bodies: the least translation that separates them.
    PyPenetration = "Penetration" of Penetration, asked Pair;
    /// Penetrations: an array for each field of `Penetration`, and a `Penetration` for each index.
    PyPenetrations = "Penetrations" asked Pairs;
    bracket {
        /// The length of the shortest translation that makes the interiors disjoint, in world units. Zero for bodies
        /// apart.
        value,
        /// Proved: no shorter translation suffices.
        lower,
        /// Proved: moving B by `upper * normal` makes the interiors disjoint.
        upper,
    }
    witness {
        /// The point of A deepest in B, on A's surface, in A's own frame; for bodies apart the nearest point.
        point_in_a,
        /// The point of B deepest in A, on B's surface, in B's own frame; for bodies apart the nearest point.
        point_in_b,
    }
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    placement: placement,
    /// How the answer was found.
    method: method,
    /// Unit, in the world, from A towards B: moving B by `value * normal` leaves the bodies touching.
    normal: normal,
}

answer! {
    /// The overlap volume of two solids.
    PyVolume = "Volume" of Volume, asked Pair;
    /// Overlap volumes: an array for each field of `Volume`, and a `Volume` for each index.
    PyVolumes = "Volumes" asked Pairs;
    bracket {
        /// The volume, in cubic world units. Zero unless proved to be positive.
        value,
        /// Proved: the volume is at least this.
        lower,
        /// Proved: the volume is at most this.
        upper,
    }
    /// Bound on how far a placed corner lies from where its pose ideally puts it; the brackets include it.
    placement: placement,
    /// The centroid of the intersection, in the world. None (in a batch: zero) where `lower` is zero.
    centroid: centroid,
    /// Proved: the true centroid is within this distance of `centroid`.
    centroid_off: centroid_off,
    /// The surface of the intersection, with its bracket.
    area: area,
    /// How the answer was found.
    method: method,
}

of_pair!(PyDistance, PyPenetration, PyVolume, PyRelationProof);
in_world!(
    PyDistance, PyPenetration by witness,
    "The points of A and of B in the world, (2, 3); rounded, and no part of the proof."
);
in_world!(
    PyDistances, PyPenetrations by witness_all,
    "The points of A and of B in the world, (N, 2, 3); rounded, and no part of the proofs."
);
in_world!(
    PyRelationProof by witness,
    "The points of A and of B that prove `upper` in the world, (2, 3); rounded. None for a polytope."
);
in_world!(
    PyRelationProofs by witness_all,
    "The points of A and of B that prove `upper` in the world, (N, 2, 3); rounded. Zero for a polytope."
);
from_states!(PyDistances, PyPenetrations, PyVolumes);

stopped!(PyDistance, PyPenetration);

single! {
    /// The relation of two bodies with its proof: a bracket of the signed gap, as tight as needed to know its
    /// sign.
    PyRelationProof = "RelationProof" of RelationProof, asked Pair
}

many! {
    /// The relation of two bodies at many poses, with proofs: arrays, and the `RelationProof` at each index.
    PyRelationProofs = "RelationProofs" of RelationProof, each PyRelationProof, asked Pairs
}

getters! {
    PyRelationProof, PyRelationProofs;
    /// The verdict; in a batch (N,), values of `Relation`.
    relation: relation,
    /// Proved: the signed gap is at least this.
    lower: gap.lower,
    /// Proved: the signed gap is at most this.
    upper: gap.upper,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    placement: placement,
    /// Unit, in the world, from A towards B; the planes across it prove `lower`.
    normal: normal,
    /// The part of A that proves `upper`.
    part_a: witness.a.part,
    /// The part of B that proves `upper`.
    part_b: witness.b.part,
    /// What proves `upper`: "points", how far apart those of the witness are; "deep", that one of them lies deep in the
    /// other body; "polytope", `pairs`.
    evidence: evidence,
}

getters! {
    PyRelationProof;
    /// The band about zero that counts as touching, as asked for.
    touch_band: touch_band,
}

#[pymethods]
impl PyRelationProof {
    /// The point of A that proves `upper`, in A's own frame. None for a polytope.
    #[getter]
    fn point_in_a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        told(&self.answer).map(|witness| witness.a.point).give(py)
    }

    /// The point of B that proves `upper`, in B's own frame. None for a polytope.
    #[getter]
    fn point_in_b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        told(&self.answer).map(|witness| witness.b.point).give(py)
    }

    /// The pairs of vertices of A and of B whose differences span the polytope that proves `upper`, (N, 2); None if
    /// that is proved by points.
    #[getter]
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.answer.evidence {
            Evidence::Polytope { pairs } => pairs.give(py).map(Some),
            _ => Ok(None),
        }
    }

    fn __repr__(&self) -> String {
        let RelationProof { relation, gap: Bracket { lower, upper, .. }, .. } = &self.answer;
        format!("RelationProof({}, lower={lower:?}, upper={upper:?})", format!("{relation:?}").to_lowercase())
    }
}

#[pymethods]
impl PyRelationProofs {
    /// The points of A that prove `upper`, in A's own frame, (N, 3). Zero for a polytope.
    #[getter]
    fn point_in_a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.answers, |proof| told(proof).map(|witness| witness.a.point))
    }

    /// The points of B that prove `upper`, in B's own frame, (N, 3). Zero for a polytope.
    #[getter]
    fn point_in_b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.answers, |proof| told(proof).map(|witness| witness.b.point))
    }
}

fn relation_of(view: PairView<'_>, touch_band: f64) -> RelationProof {
    let options = RelationOptions { touch_band };
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::query::relation_with(view.a, view.pose_a, view.b, view.pose_b, &options, cache, workspace)
    })
}

fn meet(view: PairView<'_>, margin: f64) -> bool {
    if margin == 0.0 {
        return clearance::intersects(view.a, view.pose_a, view.b, view.pose_b);
    }
    let options = IntersectsOptions { margin, ..IntersectsOptions::default() };
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::query::intersects_with(view.a, view.pose_a, view.b, view.pose_b, &options, cache, workspace)
    })
}

/// When a search for the distance may end early.
fn distance_options(farther_than: Option<f64>, tolerance: f64, relative_tolerance: f64) -> DistanceOptions {
    DistanceOptions { farther_than, tolerance, relative_tolerance, ..DistanceOptions::default() }
}

fn distance_of(view: PairView<'_>, options: &DistanceOptions) -> Distance {
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::query::distance_with(view.a, view.pose_a, view.b, view.pose_b, options, cache, workspace)
    })
}

fn penetration_of(view: PairView<'_>, tolerance: f64) -> Result<Penetration, QueryError> {
    let options = PenetrationOptions { tolerance };
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::query::penetration_with(view.a, view.pose_a, view.b, view.pose_b, &options, cache, workspace)
    })
}

fn volume_of(view: PairView<'_>) -> Result<Volume, QueryError> {
    clearance::overlap_volume(view.a, view.pose_a, view.b, view.pose_b)
}

/// Whether two closed bodies have a point in common; with a margin, whether their distance is at most that. Two `Index`
/// of the same tree are accepted in place of their meshes; `stats` then counts what was compared.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, margin=0.0, stats=None))]
pub fn intersects(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    margin: f64,
    stats: Option<&Bound<'_, PyStats>>,
) -> PyResult<bool> {
    let py = a.py();
    match Indexed::of(a, b, pose_a, pose_b, stats)? {
        Some(indexed) => indexed.intersects(py, IntersectsOptions { margin, ..IntersectsOptions::default() }),
        None => Pair::of(a, b, pose_a, pose_b)?.put(py, |view| meet(view, margin)),
    }
}

/// The distance of two bodies. The search may stop as soon as the gap is proved to exceed `farther_than`, or the bracket
/// is no wider than a tolerance. Two `Index` of the same tree are accepted in place of their meshes; `stats` then counts
/// what was compared.
#[pyfunction]
#[pyo3(signature = (
    a, b, pose_a=None, pose_b=None, *, farther_than=None, tolerance=0.0, relative_tolerance=0.0, stats=None
))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the query, and its options")]
pub fn distance(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    farther_than: Option<f64>,
    tolerance: f64,
    relative_tolerance: f64,
    stats: Option<&Bound<'_, PyStats>>,
) -> PyResult<PyDistance> {
    let (py, options) = (a.py(), distance_options(farther_than, tolerance, relative_tolerance));
    match Indexed::of(a, b, pose_a, pose_b, stats)? {
        Some(indexed) => indexed.distance(py, options),
        None => Pair::of(a, b, pose_a, pose_b)?.ask(py, |view| distance_of(view, &options)),
    }
}

asked_of_pairs! {
    @batches
    options (* margin: f64 = 0.0);
    /// Whether two bodies meet at each of many poses of B: an array of bool.
    poses intersects_batch
    /// Whether pairs of bodies meet, by index: an array of bool.
    numbers intersects_pair_batch
    -> Bound<'py, PyArray1<bool>> {
        |py, pairs| Ok(PyArray1::from_vec(py, pairs.each(py, |view| meet(view, margin))?))
    }
}

asked_of_pairs! {
    @batches
    options (* farther_than: Option<f64> = None, tolerance: f64 = 0.0, relative_tolerance: f64 = 0.0);
    /// The distance of two bodies at many poses of B, on all cores.
    poses distance_batch
    /// The distance of pairs of bodies, by index, on all cores.
    numbers distance_pair_batch
    -> PyDistances {
        |py, pairs| {
            let options = distance_options(farther_than, tolerance, relative_tolerance);
            Ok(Batch::of_all(pairs.each(py, |view| distance_of(view, &options))?, pairs))
        }
    }
}

asked_of_pairs! {
    options (* touch_band: f64 = 0.0);
    /// Whether two bodies are separated, touching or overlapping.
    one relation -> Bound<'py, PyAny> {
        |py, pair| pair.put(py, |view| relation_of(view, touch_band).relation)?.give(py)
    }
    /// The relation of two bodies at many poses of B: an array of -1 (overlapping), 0 (touching), 1 (separated),
    /// which are the values of `Relation`.
    poses relation_batch
    /// The relation of pairs of bodies, by index; see `relation_batch`.
    numbers relation_pair_batch
    -> Bound<'py, PyArray1<i8>> {
        |py, pairs| {
            let found = pairs.each(py, |view| relation_code(relation_of(view, touch_band).relation))?;
            Ok(PyArray1::from_vec(py, found))
        }
    }

    options (* touch_band: f64 = 0.0);
    /// The relation of two bodies, with its proof.
    one relation_proof -> PyRelationProof { |py, pair| pair.ask(py, |view| relation_of(view, touch_band)) }
    /// The relation of two bodies at many poses of B, with proofs, on all cores.
    poses relation_proof_batch
    -> PyRelationProofs {
        |py, pairs| Ok(Batch::of_all(pairs.each(py, |view| relation_of(view, touch_band))?, pairs))
    }

    options (* tolerance: f64 = 0.0);
    /// The penetration depth of two bodies and the direction that separates them. Meshes must be solids.
    one penetration -> PyPenetration { |py, pair| pair.ask_of_solids(py, |view| penetration_of(view, tolerance)) }
    /// The penetration of two bodies at many poses of B, on all cores.
    poses penetration_batch
    /// The penetration of pairs of bodies, by index, on all cores.
    numbers penetration_pair_batch
    -> PyPenetrations {
        |py, pairs| Ok(Batch::of_all(pairs.each_that_can(py, |view| penetration_of(view, tolerance))?, pairs))
    }

    options ();
    /// The overlap volume of two solids. Meshes must be solids.
    one overlap_volume -> PyVolume { |py, pair| pair.ask_of_solids(py, volume_of) }
    /// The overlap volume of two solids at many poses of B, on all cores.
    poses overlap_volume_batch
    /// The overlap volume of pairs of solids, by index, on all cores.
    numbers overlap_volume_pair_batch
    -> PyVolumes { |py, pairs| Ok(Batch::of_all(pairs.each_that_can(py, volume_of)?, pairs)) }
}
