//! How deep solids overlap that need not be convex, how far their surfaces reach in, and the signed gap along a path.

use clearance::QueryError;
use clearance::Workspace;
use clearance::answer::{Clearance, DepthAlong, LocalDepth, LocalDepthEstimate, SolidDepth};
use clearance::glam::DVec3;
use clearance::query::ClearanceOptions;
use clearance::query::{DepthSearch, LocalDepthOptions, SolidDepthOptions};
use clearance::verify::Refusal;
use pyo3::prelude::*;

use crate::answer::{
    Answered, Batch, OfBodies, Prove, Question, Questions, bracket, getters, in_world, many, single, witness_of_two,
};
use crate::array::vector;
use crate::error::wrong;
use crate::give::{Give, package};
use crate::pair::{Pair, PairView, Pairs, PyDistance, of_pair};
use crate::pose::poses_of;
use crate::work::{at_length, at_length_reporting};

single! {
    /// The penetration of two solids, with its proof.
    PySolidDepth = "SolidDepth" of SolidDepth, asked Pair
}

of_pair!(PySolidDepth, PyLocalDepth, PyLocalDepthEstimate, PyDepthAlong);
in_world!(PySolidDepth by witness, "The points of A and of B in the world, (2, 3); rounded, and no part of the proof.");

bracket! {
    PySolidDepth = "SolidDepth";
    /// The length of the shortest translation found that makes the interiors disjoint, in world units. Zero for solids
    /// apart.
    value,
    /// Proved: no shorter translation suffices.
    lower,
    /// Proved: moving B by `upper * normal` makes the interiors disjoint.
    upper,
}

witness_of_two! {
    PySolidDepth in penetration;
    /// Where the solids touch after the translation, in A's own frame.
    point_in_a,
    /// Where the solids touch after the translation, in B's own frame.
    point_in_b,
}

getters! {
    PySolidDepth;
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    placement: penetration.placement,
    /// How the answer was found.
    method: penetration.method,
    /// Unit, in the world, from A towards B: moving B by `value * normal` leaves the solids touching.
    normal: penetration.normal,
    /// How the separating translation was sought: "global", "local" (`near`) or "estimate" (`estimate`).
    label: label,
    /// Whether the budget or `progress` ended the search before the tolerance was reached.
    interrupted: interrupted,
    /// The work done, as `work` counts it.
    work: work,
}

#[pymethods]
impl PySolidDepth {
    /// The work of each level of the search "levels", coarse to fine.
    #[getter]
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let class = package(py, "DepthLevel")?;
        self.answer.levels.iter().map(|it| class.call1((it.level, it.pairs, it.kept, it.depth))).collect()
    }

    /// How many cubes of translations prove the lower end of the bracket.
    #[getter]
    fn proof_cubes(&self) -> usize {
        self.answer.proof.cubes.len()
    }
}

/// What to settle for, from arguments.
fn options_of(
    py: Python<'_>,
    (relative_tolerance, tolerance, work): (f64, f64, u64),
    near: Option<&Bound<'_, PyAny>>,
    search: &str,
    estimate: bool,
) -> PyResult<SolidDepthOptions> {
    let search = match search {
        "directions" => DepthSearch::Directions,
        "levels" => DepthSearch::Levels,
        other => return Err(wrong(py, "search", format_args!("'{other}' is neither 'directions' nor 'levels'"))),
    };
    let near = near.map(|near| vector(near, "near")).transpose()?;
    Ok(SolidDepthOptions { relative_tolerance, tolerance, work, near, search, estimate })
}

/// A search about solids that reports the bracket so far, and ends where the callback returns False.
fn watched<A: Send, C: Answered<Answer = A, Question = Pair>>(
    py: Python<'_>,
    question: Pair,
    progress: Option<Py<PyAny>>,
    ask: impl FnOnce(PairView<'_>, &mut dyn FnMut(f64, f64) -> bool) -> Result<A, QueryError> + Send,
) -> PyResult<C> {
    let Some(progress) = progress else { return question.ask_of_solids(py, |view| ask(view, &mut |_, _| true)) };
    let (view, mut raised) = (question.view(), None);
    let report = |(lower, upper): (f64, f64)| {
        let told = Python::attach(|py| {
            let goes_on = progress.bind(py).call1((lower, upper))?;
            // A function that returns nothing only watches.
            if goes_on.is_none() { Ok(true) } else { goes_on.is_truthy() }
        });
        told.unwrap_or_else(|error: PyErr| {
            raised = Some(error);
            false
        })
    };
    let answer = at_length_reporting(py, report, |report| ask(view, &mut |lower, upper| report((lower, upper))))?;
    if let Some(error) = raised {
        return Err(error);
    }
    let answer = answer.map_err(|error| question.refused(py, &error))?;
    Ok(C::of(answer, question))
}

fn depth_of(
    view: PairView<'_>,
    options: &SolidDepthOptions,
    progress: impl FnMut(f64, f64) -> bool,
) -> Result<SolidDepth, QueryError> {
    clearance::query::solid_depth_with(
        view.a,
        view.pose_a,
        view.b,
        view.pose_b,
        options,
        &mut Workspace::default(),
        progress,
    )
}

/// The penetration of two solids: the shortest translation that makes their interiors disjoint, in any direction.
///
/// `progress` is called with the bracket so far, now and then, and ends the search by returning False. Ctrl-C ends it
/// too.
#[pyfunction]
#[pyo3(signature = (
    a, b, pose_a=None, pose_b=None, *, relative_tolerance=0.05, tolerance=0.0, work=400_000, near=None,
    search="directions", estimate=false, progress=None
))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn solid_depth(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    relative_tolerance: f64,
    tolerance: f64,
    work: u64,
    near: Option<&Bound<'_, PyAny>>,
    search: &str,
    estimate: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<PySolidDepth> {
    let (py, question) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
    let options = options_of(py, (relative_tolerance, tolerance, work), near, search, estimate)?;
    watched(py, question, progress, |view, progress| depth_of(view, &options, progress))
}

/// The penetration of two solids at each of many poses of B, on all cores.
#[pyfunction]
#[pyo3(signature = (
    a, b, poses, pose_a=None, *, relative_tolerance=0.05, tolerance=0.0, work=400_000, search="directions",
    estimate=false
))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn solid_depth_batch(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    poses: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    relative_tolerance: f64,
    tolerance: f64,
    work: u64,
    search: &str,
    estimate: bool,
) -> PyResult<Vec<PySolidDepth>> {
    let (py, pairs) = (a.py(), Pairs::of_poses(a, b, poses, pose_a)?);
    let options = options_of(py, (relative_tolerance, tolerance, work), None, search, estimate)?;
    Ok(pairs.with(py, pairs.each_that_can(py, |view| depth_of(view, &options, |_, _| true))?))
}

single! {
    /// How far the surface of one body reaches inside the other, with the point that proves it.
    PyLocalDepth = "LocalDepth" of LocalDepth, asked Pair
}

in_world!(
    PyLocalDepth by witness,
    "The points of A and of B in the world, (2, 3); rounded, and no part of the proof. None where `lower` is zero."
);

bracket! {
    PyLocalDepth = "LocalDepth";
    /// How far the surface reaches in, in world units. Zero for bodies that touch or are apart.
    value,
    /// Proved: some point of one surface lies at least this deep inside the other body.
    lower,
    /// Proved: no point of either surface lies deeper than this inside the other body.
    upper,
}

getters! {
    PyLocalDepth;
    /// Why the search ended: "tolerance", "at_least", "at_most", "interrupted", or "undecided", where a body runs
    /// through itself and no more is proved from above.
    ended: ended,
    /// The number of triangles of A and of B with parts that may or may not bound the solid, (2,).
    undecided_faces: undecided_faces,
    /// The work done, as `work` counts it.
    work: work,
}

/// Fields of the deepest point.
macro_rules! of_deepest {
    ($class:ident; $($(#[$doc:meta])* $python:ident: $($field:ident).+,)*) => {
        #[pymethods]
        impl $class {$(
            $(#[$doc])*
            #[getter]
            fn $python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.answer.deepest.map(|deepest| deepest.$($field).+).give(py)
            }
        )*}
    };
}

of_deepest! {
    PyLocalDepth;
    /// Which surface reaches into which body: "a_in_b" or "b_in_a". None where `lower` is zero.
    direction: direction,
    /// Of A, in its own frame: its deepest point, or the point of its surface nearest to that of B. None where `lower`
    /// is zero.
    point_in_a: witness.a.point,
    /// Of B, in its own frame: its deepest point, or the point of its surface nearest to that of A. None where `lower`
    /// is zero.
    point_in_b: witness.b.point,
    /// The triangle of A with the point, if A is a mesh; else 0. None where `lower` is zero.
    part_a: witness.a.part,
    /// The triangle of B with the point, if B is a mesh; else 0. None where `lower` is zero.
    part_b: witness.b.part,
    /// The feature of A with the point. None where `lower` is zero.
    feature_a: witness.a.feature,
    /// The feature of B with the point. None where `lower` is zero.
    feature_b: witness.b.feature,
}

fn local_depth_of(
    view: PairView<'_>,
    options: &LocalDepthOptions,
    progress: impl FnMut(f64, f64) -> bool,
) -> Result<LocalDepth, QueryError> {
    clearance::query::local_depth_with(
        view.a,
        view.pose_a,
        view.b,
        view.pose_b,
        options,
        &mut Workspace::default(),
        progress,
    )
}

/// How far the surface of one body reaches inside the other: the largest distance of a point of one body's surface that
/// is inside the other from the surface of that, in whichever direction it is larger. One of two meshes must be a
/// solid.
///
/// The search ends early where the depth is proved to be more than `at_least`, or no more than `at_most`. `progress` is
/// called with the bracket so far, now and then, and ends it by returning False. Ctrl-C ends it too.
#[pyfunction]
#[pyo3(signature = (
    a, b, pose_a=None, pose_b=None, *, relative_tolerance=0.05, tolerance=0.0, at_least=None, at_most=None,
    work=400_000, progress=None
))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn local_depth(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    relative_tolerance: f64,
    tolerance: f64,
    at_least: Option<f64>,
    at_most: Option<f64>,
    work: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyLocalDepth> {
    let (py, question) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
    let options = LocalDepthOptions { relative_tolerance, tolerance, at_least, at_most, work };
    watched(py, question, progress, |view, progress| local_depth_of(view, &options, progress))
}

/// How far the surface of one body reaches inside the other at each of many poses of B, on all cores.
#[pyfunction]
#[pyo3(signature = (
    a, b, poses, pose_a=None, *, relative_tolerance=0.05, tolerance=0.0, at_least=None, at_most=None, work=400_000
))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn local_depth_batch(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    poses: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    relative_tolerance: f64,
    tolerance: f64,
    at_least: Option<f64>,
    at_most: Option<f64>,
    work: u64,
) -> PyResult<Vec<PyLocalDepth>> {
    let (py, pairs) = (a.py(), Pairs::of_poses(a, b, poses, pose_a)?);
    let options = LocalDepthOptions { relative_tolerance, tolerance, at_least, at_most, work };
    Ok(pairs.with(py, pairs.each_that_can(py, |view| local_depth_of(view, &options, |_, _| true))?))
}

single! {
    /// An estimate of how far the surface of one body reaches inside the other, without proof.
    PyLocalDepthEstimate = "LocalDepthEstimate" of LocalDepthEstimate, asked Pair, unproved
}

in_world!(
    PyLocalDepthEstimate by witness,
    "The points of A and of B in the world, (2, 3). None where nothing is inside."
);

getters! {
    PyLocalDepthEstimate;
    /// How deep the deepest of the points lies, in world units. Zero if none is inside.
    value: value,
    /// How many of the sample points of A are inside B, and of B inside A, (2,).
    inside: inside,
}

of_deepest! {
    PyLocalDepthEstimate;
    /// Which surface reaches into which body: "a_in_b" or "b_in_a". None where nothing is inside.
    direction: direction,
    /// Of A, in its own frame: its deepest point, or the point of its surface nearest to that of B. None where nothing
    /// is inside.
    point_in_a: witness.a.point,
    /// Of B, in its own frame: its deepest point, or the point of its surface nearest to that of A. None where nothing
    /// is inside.
    point_in_b: witness.b.point,
    /// The triangle of A with the point, if A is a mesh; else 0. None where nothing is inside.
    part_a: witness.a.part,
    /// The triangle of B with the point, if B is a mesh; else 0. None where nothing is inside.
    part_b: witness.b.part,
}

#[pymethods]
impl PyLocalDepthEstimate {
    fn __repr__(&self) -> String {
        let LocalDepthEstimate { value, inside: [a, b], .. } = self.answer;
        format!("LocalDepthEstimate(value={value:?}, inside=[{a}, {b}])")
    }
}

/// An estimate of how far the surface of one body reaches inside the other, where meshes need not be closed, with
/// no bracket and no proof.
///
/// Corners of triangles, their middles and those of their sides, up to 8,192 of each body, are inside a mesh that is
/// no solid where its generalized winding number is above a half, in either direction. The value is the largest
/// distance of such a point from the other surface. Two flat sheets have none.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None))]
pub fn local_depth_estimate(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyLocalDepthEstimate> {
    let (py, question) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
    question.ask_of_solids(py, |view| clearance::query::local_depth_estimate(view.a, view.pose_a, view.b, view.pose_b))
}

single! {
    /// How far B must be moved along a direction until the interiors of two solids are disjoint.
    PyDepthAlong = "DepthAlong" of DepthAlong, asked Pair, unproved
}

bracket! {
    PyDepthAlong = "DepthAlong";
    /// The length of the translation.
    value,
    /// Proved: at every shorter length the interiors meet.
    lower,
    /// Proved: at this length the interiors are disjoint.
    upper,
}

getters! {
    PyDepthAlong;
    /// The direction, unit.
    direction: direction,
}

/// How far B must be moved along a direction until the interiors of two solids are disjoint. Zero for solids apart.
#[pyfunction]
#[pyo3(signature = (a, b, direction, pose_a=None, pose_b=None))]
pub fn depth_along(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyDepthAlong> {
    let (question, direction) = (Pair::of(a, b, pose_a, pose_b)?, direction_of(direction)?);
    question.ask_of_solids(a.py(), |view| along(view, direction))
}

/// How far B must be moved along a direction until the interiors of two solids are disjoint, at each of many poses of
/// B, on all cores.
#[pyfunction]
#[pyo3(signature = (a, b, direction, poses, pose_a=None))]
pub fn depth_along_batch(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    poses: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyDepthAlong>> {
    let (py, pairs, direction) = (a.py(), Pairs::of_poses(a, b, poses, pose_a)?, direction_of(direction)?);
    Ok(pairs.with(py, pairs.each_that_can(py, |view| along(view, direction))?))
}

fn direction_of(argument: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    let direction = vector(argument, "direction")?;
    let known = direction.try_normalize().map(|_| direction);
    known.ok_or_else(|| wrong(argument.py(), "direction", "must be finite and not zero"))
}

fn along(view: PairView<'_>, direction: DVec3) -> Result<DepthAlong, QueryError> {
    clearance::query::depth_along(view.a, view.pose_a, view.b, view.pose_b, direction)
}

/// The signed gap of two bodies at each pose of a path of B, on all cores: a `Clearance` whose `value`, `lower` and
/// `upper` are arrays, positive apart, negative overlapping, and whose items are a `Distance` or a `SolidDepth` each.
#[pyfunction]
#[pyo3(signature = (
    a, b, path, pose_a=None, *, relative_tolerance=0.05, tolerance=0.0, work=400_000, search="directions",
    estimate=false
))]
#[allow(clippy::too_many_arguments, reason = "the caller gives them by name")]
pub fn clearance_along(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    path: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    relative_tolerance: f64,
    tolerance: f64,
    work: u64,
    search: &str,
    estimate: bool,
) -> PyResult<PyClearances> {
    let (py, question) = (a.py(), Pair::of(a, b, pose_a, None)?);
    let options = options_of(py, (relative_tolerance, tolerance, work), None, search, estimate)?;
    let poses = poses_of(path, "path")?;
    let (view, path) = (question.view(), &poses[..]);
    let options = ClearanceOptions { depth: options, ..ClearanceOptions::default() };
    let answers =
        at_length(py, || clearance::query::clearance_along_with(view.a, view.pose_a, view.b, path, &options))?;
    let answers = answers.map_err(|error| question.refused(py, &error))?;
    Ok(Batch::of_all(answers, Pairs::along(question, poses)))
}

impl Prove<Pair> for Clearance {
    fn prove(&self, asked: PairView<'_>) -> Result<(), Refusal> {
        match self {
            Clearance::Apart(distance) => distance.prove(asked),
            Clearance::Overlapping(depth) => depth.prove(asked),
        }
    }
}

/// An answer along a path.
#[derive(IntoPyObject)]
pub enum PyClearance {
    Apart(PyDistance),
    Overlapping(PySolidDepth),
}

impl Answered for PyClearance {
    type Answer = Clearance;
    type Question = Pair;

    fn of(answer: Clearance, question: Pair) -> PyClearance {
        match answer {
            Clearance::Apart(answer) => PyClearance::Apart(PyDistance { answer, question }),
            Clearance::Overlapping(answer) => PyClearance::Overlapping(PySolidDepth { answer, question }),
        }
    }
}

many! {
    /// The signed gap along a path: arrays `value`, `lower` and `upper`, and for each index a `Distance` or a
    /// `SolidDepth`.
    PyClearances = "Clearances" of Clearance, each PyClearance, asked Pairs
}

bracket! {
    @many PyClearances;
    /// The gap: positive apart, zero touching, negative overlapping.
    value,
    /// Proved: the gap is at least this.
    lower,
    /// Proved: the gap is at most this.
    upper,
}
