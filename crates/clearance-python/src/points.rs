//! Queries about a body and points.

use clearance::answer::{ClosestPoint, SignedDistance};
use clearance::glam::DVec3;
use clearance::verify::Refusal;
use clearance::{Pose, Shape};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::{Asked, Batch, OfBodies, Prove, Question, Questions, Witnessed, answer, in_world};
use crate::array::{Points, vector};
use crate::give::{Give, points as points_array};
use crate::pose::{PyPose, pose_of};
use crate::room::room_for;
use crate::shape::{PyShape, shape_of};
use crate::work::on_all_cores;

/// A body, its pose, and a point.
#[derive(Clone, Copy)]
pub struct PointView<'a> {
    shape: &'a Shape,
    pose: &'a Pose,
    point: DVec3,
}

/// A body, its pose, and a point that an answer is about.
pub struct Point {
    pub shape: Py<PyShape>,
    pub pose: Pose,
    pub point: DVec3,
}

impl Point {
    fn of(shape: &Bound<'_, PyAny>, point: &Bound<'_, PyAny>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<Point> {
        let pose = pose_of(shape.py(), pose, "pose")?;
        Ok(Point { shape: shape_of(shape, "shape")?, pose, point: vector(point, "point")? })
    }
}

impl Question for Point {
    type View<'a> = PointView<'a>;

    fn view(&self) -> PointView<'_> {
        PointView { shape: &self.shape.get().shape, pose: &self.pose, point: self.point }
    }
}

impl OfBodies for Point {
    const ARGUMENTS: &'static str = "shape, point";

    fn bodies(&self) -> [Option<&Shape>; 2] {
        [Some(&self.shape.get().shape), None]
    }
}

impl Asked for Point {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.shape.clone_ref(py), PyPose { pose: self.pose }, self.point.give(py)?).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Point> {
        Point::of(&objects.get_item(0)?, &objects.get_item(2)?, Some(&objects.get_item(1)?))
    }

    fn same(&self, other: &Point) -> bool {
        self.point == other.point && self.pose == other.pose && self.view().shape == other.view().shape
    }
}

/// A body, its pose, and many points.
pub struct ManyPoints {
    shape: Py<PyShape>,
    pose: Pose,
    points: Vec<DVec3>,
}

impl ManyPoints {
    fn of(
        shape: &Bound<'_, PyAny>,
        points: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ManyPoints> {
        let pose = pose_of(shape.py(), pose, "pose")?;
        Ok(ManyPoints { shape: shape_of(shape, "shape")?, pose, points: Points::of(points, "points")?.vectors() })
    }

    /// The answers of a function of the engine that takes many points.
    fn ask<A: Send>(
        &self,
        py: Python<'_>,
        batch: impl Fn(&Shape, &Pose, &[DVec3]) -> Vec<A> + Send + Sync,
    ) -> PyResult<Vec<A>> {
        let (shape, pose, points) = (&self.shape.get().shape, &self.pose, &self.points);
        // In the order of places, and in that of the points.
        room_for(py, "points", points.len(), "answers", 2 * size_of::<A>() as u128 + 32)?;
        on_all_cores(py, || batch(shape, pose, points))
    }
}

impl Questions for ManyPoints {
    type One = Point;

    fn len(&self) -> usize {
        self.points.len()
    }

    fn view(&self, index: usize) -> PointView<'_> {
        PointView { shape: &self.shape.get().shape, pose: &self.pose, point: self.points[index] }
    }

    fn item(&self, py: Python<'_>, index: usize) -> Point {
        Point { shape: self.shape.clone_ref(py), pose: self.pose, point: self.points[index] }
    }
}

impl Asked for ManyPoints {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let points = points_array(py, self.points.iter().copied())?;
        (self.shape.clone_ref(py), PyPose { pose: self.pose }, points).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<ManyPoints> {
        ManyPoints::of(&objects.get_item(0)?, &objects.get_item(2)?, Some(&objects.get_item(1)?))
    }

    fn same(&self, other: &ManyPoints) -> bool {
        self.points == other.points && self.pose == other.pose && self.shape.get().shape == other.shape.get().shape
    }
}

macro_rules! of_points {
    ($($answer:ty),*) => {$(
        impl Prove<Point> for $answer {
            fn prove(&self, asked: PointView<'_>) -> Result<(), Refusal> {
                self.verify(asked.shape, asked.pose, asked.point)
            }
        }

        impl Witnessed<Point> for $answer {
            type Points = DVec3;

            fn in_world(&self, asked: PointView<'_>) -> DVec3 {
                asked.pose.transform_point(self.witness.point)
            }
        }
    )*};
}

of_points!(ClosestPoint, SignedDistance);

answer! {
    /// The nearest point of a solid body; of a mesh that is not a solid, the nearest point of its surface.
    PyClosestPoint = "ClosestPoint" of ClosestPoint, asked Point;
    /// The nearest points: an array for each field of `ClosestPoint`, and a `ClosestPoint` for each index.
    PyClosestPoints = "ClosestPoints" asked ManyPoints;
    bracket {
        /// The distance, in world units; 0 for a point of the solid.
        value,
        /// Proved: the distance is at least this.
        lower,
        /// Proved: the distance is at most this.
        upper,
    }
    /// The nearest point, in the body's own frame.
    point_in_body: witness.point,
    /// The feature with the nearest point; of a mesh in its numbering.
    feature: witness.feature,
    /// The part of a compound; 0 for other bodies.
    part: witness.part,
}

answer! {
    /// The signed distance of a point to the boundary of a body.
    PySignedDistance = "SignedDistance" of SignedDistance, asked Point;
    /// Signed distances: an array for each field of `SignedDistance`, and a `SignedDistance` for each index.
    PySignedDistances = "SignedDistances" asked ManyPoints;
    bracket {
        /// The distance to the boundary, in world units; negative inside.
        value,
        /// Proved: the signed distance is at least this.
        lower,
        /// Proved: the signed distance is at most this.
        upper,
    }
    /// A nearest boundary point, in the body's own frame.
    point_in_body: witness.point,
    /// Unit, in the world, out of the body at that point.
    normal: normal,
    /// The feature with the nearest boundary point.
    feature: witness.feature,
    /// The part of a compound; 0 for other bodies.
    part: witness.part,
}

/// The nearest points in the world, and the query.
macro_rules! of_point {
    ($($class:ident, $many:ident);*) => {$(
        #[pymethods]
        impl $class {
            /// The body.
            #[getter]
            fn shape(&self, py: Python<'_>) -> Py<PyShape> {
                self.question.shape.clone_ref(py)
            }

            /// Its pose.
            #[getter]
            fn pose(&self) -> PyPose {
                PyPose { pose: self.question.pose }
            }

            /// The query point, in the world.
            #[getter]
            fn point<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.question.point.give(py)
            }
        }

        in_world!($class by witness, "The nearest point in the world; rounded, and no part of the proof.");
        in_world!($many by witness_all, "The nearest points in the world, (N, 3); rounded, and no part of the proofs.");
    )*};
}

of_point!(PyClosestPoint, PyClosestPoints; PySignedDistance, PySignedDistances);

/// The point of a body nearest to a point of the world.
#[pyfunction]
#[pyo3(signature = (shape, point, pose=None))]
pub fn closest_point(
    shape: &Bound<'_, PyAny>,
    point: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyClosestPoint> {
    let question = Point::of(shape, point, pose)?;
    question.ask(shape.py(), |view| clearance::closest_point(view.shape, view.pose, view.point))
}

/// The points of a body nearest to points of the world, (N, 3), on all cores.
#[pyfunction]
#[pyo3(signature = (shape, points, pose=None))]
pub fn closest_point_batch(
    shape: &Bound<'_, PyAny>,
    points: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyClosestPoints> {
    let questions = ManyPoints::of(shape, points, pose)?;
    Ok(Batch::of_all(questions.ask(shape.py(), clearance::query::closest_point_batch)?, questions))
}

/// The signed distance of a point to the boundary of a body, negative inside.
#[pyfunction]
#[pyo3(signature = (shape, point, pose=None))]
pub fn signed_distance(
    shape: &Bound<'_, PyAny>,
    point: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PySignedDistance> {
    let question = Point::of(shape, point, pose)?;
    question.ask(shape.py(), |view| clearance::signed_distance(view.shape, view.pose, view.point))
}

/// The signed distances of points, (N, 3), to the boundary of a body, negative inside, on all cores.
#[pyfunction]
#[pyo3(signature = (shape, points, pose=None))]
pub fn signed_distance_batch(
    shape: &Bound<'_, PyAny>,
    points: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PySignedDistances> {
    let questions = ManyPoints::of(shape, points, pose)?;
    Ok(Batch::of_all(questions.ask(shape.py(), clearance::query::signed_distance_batch)?, questions))
}

/// Whether a closed body contains a point.
#[pyfunction]
#[pyo3(signature = (shape, point, pose=None))]
pub fn contains(shape: &Bound<'_, PyAny>, point: &Bound<'_, PyAny>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let question = Point::of(shape, point, pose)?;
    question.put(shape.py(), |view| clearance::contains(view.shape, view.pose, view.point))
}

/// Which of many points, (N, 3), a closed body contains, on all cores: an array of bool.
#[pyfunction]
#[pyo3(signature = (shape, points, pose=None))]
pub fn contains_batch<'py>(
    shape: &Bound<'py, PyAny>,
    points: &Bound<'py, PyAny>,
    pose: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let questions = ManyPoints::of(shape, points, pose)?;
    Ok(PyArray1::from_vec(shape.py(), questions.ask(shape.py(), clearance::query::contains_batch)?))
}
