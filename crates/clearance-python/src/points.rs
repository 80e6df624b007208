//! Questions about a body and points.

use clearance::glam::DVec3;
use clearance::{ClosestPoint, Pose, Refusal, Shape, SignedDistance};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::{Prove, Question, answer, shown};
use crate::array::{Points, vector};
use crate::give::{Give, points as points_array};
use crate::pose::{PyPose, pose_of};
use crate::room::room_for;
use crate::shape::{PyShape, shape_of};
use crate::work::{about, on_all_cores};

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

    fn view(&self) -> PointView<'_> {
        PointView { shape: &self.shape.get().shape, pose: &self.pose, point: self.point }
    }
}

impl Question for Point {
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

    fn len(&self) -> usize {
        self.points.len()
    }

    fn view(&self, index: usize) -> PointView<'_> {
        PointView { shape: &self.shape.get().shape, pose: &self.pose, point: self.points[index] }
    }

    fn item(&self, py: Python<'_>, index: usize) -> Point {
        Point { shape: self.shape.clone_ref(py), pose: self.pose, point: self.points[index] }
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

impl Question for ManyPoints {
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

macro_rules! verified {
    ($($answer:ty),*) => {$(
        impl Prove<PointView<'_>> for $answer {
            fn prove(&self, asked: PointView<'_>) -> Result<(), Refusal> {
                clearance::verify_point(self, asked.shape, asked.pose, asked.point)
            }
        }
    )*};
}

verified!(ClosestPoint, SignedDistance);

answer! {
    /// The point of a solid body that is nearest a point; of a mesh that is no solid, the nearest point of its surface.
    PyClosestPoint = "ClosestPoint",
    /// The nearest points: an array for each field of `ClosestPoint`, and a `ClosestPoint` for each index.
    PyClosestPoints = "ClosestPoints",
    of ClosestPoint, asked Point, ManyPoints;
    /// The distance, in world units; 0 for a point of the solid.
    value: distance,
    /// Proved: the distance is at least this.
    lower: lower,
    /// Proved: the distance is at most this.
    upper: upper,
    /// The nearest point, in the body's own frame.
    point_in_body: point_in_body,
    /// The feature that holds the nearest point; of a mesh in its numbering.
    feature: feature,
    /// The part of a compound; 0 for other bodies.
    part: part,
}

answer! {
    /// How far a point is from the boundary of a body, and on which side.
    PySignedDistance = "SignedDistance",
    /// Signed distances: an array for each field of `SignedDistance`, and a `SignedDistance` for each index.
    PySignedDistances = "SignedDistances",
    of SignedDistance, asked Point, ManyPoints;
    /// The distance to the boundary, in world units; negative inside.
    value: value,
    /// Proved: the signed distance is at least this.
    lower: lower,
    /// Proved: the signed distance is at most this.
    upper: upper,
    /// A nearest boundary point, in the body's own frame.
    point_in_body: point_in_body,
    /// Unit, in the world, out of the body at that point.
    normal: normal,
    /// The feature that holds the nearest boundary point.
    feature: feature,
    /// The part of a compound; 0 for other bodies.
    part: part,
}

shown!(PyClosestPoint, "ClosestPoint", |answer| answer.distance);
shown!(PySignedDistance, "SignedDistance", |answer| answer.value);

/// The nearest point in the world, and what was asked.
macro_rules! of_point {
    ($($class:ident, $many:ident);*) => {$(
        #[pymethods]
        impl $class {
            /// The nearest point in the world; rounded, and no part of the proof.
            #[getter]
            fn witness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.question.pose.transform_point(self.answer.point_in_body).give(py)
            }

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

            /// The point that was asked about, in the world.
            #[getter]
            fn point<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.question.point.give(py)
            }
        }

        #[pymethods]
        impl $many {
            /// The nearest points in the world, (N, 3); rounded, and no part of the proofs.
            #[getter]
            fn witness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
                let pose = &self.questions.pose;
                let placed = self.answers.iter().map(|answer| {
                    answer.as_ref().map_or(DVec3::ZERO, |answer| pose.transform_point(answer.point_in_body))
                });
                points_array(py, placed)
            }
        }
    )*};
}

of_point!(PyClosestPoint, PyClosestPoints; PySignedDistance, PySignedDistances);

/// The point of a body that is nearest a point of the world.
#[pyfunction]
#[pyo3(signature = (shape, point, pose=None))]
pub fn closest_point(
    shape: &Bound<'_, PyAny>,
    point: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyClosestPoint> {
    let question = Point::of(shape, point, pose)?;
    let view = question.view();
    let answer = about(shape.py(), &[view.shape], || clearance::closest_point(view.shape, view.pose, view.point))?;
    Ok(PyClosestPoint { answer, question })
}

/// The points of a body that are nearest points of the world, (N, 3), on all cores.
#[pyfunction]
#[pyo3(signature = (shape, points, pose=None))]
pub fn closest_point_many(
    shape: &Bound<'_, PyAny>,
    points: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyClosestPoints> {
    let questions = ManyPoints::of(shape, points, pose)?;
    let answers = questions.ask(shape.py(), clearance::closest_point_batch)?.into_iter().map(Some).collect();
    Ok(PyClosestPoints { answers, questions })
}

/// How far a point is from the boundary of a body, negative inside.
#[pyfunction]
#[pyo3(signature = (shape, point, pose=None))]
pub fn signed_distance(
    shape: &Bound<'_, PyAny>,
    point: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PySignedDistance> {
    let question = Point::of(shape, point, pose)?;
    let view = question.view();
    let answer = about(shape.py(), &[view.shape], || clearance::signed_distance(view.shape, view.pose, view.point))?;
    Ok(PySignedDistance { answer, question })
}

/// How far points, (N, 3), are from the boundary of a body, negative inside, on all cores.
#[pyfunction]
#[pyo3(signature = (shape, points, pose=None))]
pub fn signed_distance_many(
    shape: &Bound<'_, PyAny>,
    points: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PySignedDistances> {
    let questions = ManyPoints::of(shape, points, pose)?;
    let answers = questions.ask(shape.py(), clearance::signed_distance_batch)?.into_iter().map(Some).collect();
    Ok(PySignedDistances { answers, questions })
}

/// Whether a point is in a body, boundary included.
#[pyfunction]
#[pyo3(signature = (shape, point, pose=None))]
pub fn contains(shape: &Bound<'_, PyAny>, point: &Bound<'_, PyAny>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let question = Point::of(shape, point, pose)?;
    let view = question.view();
    about(shape.py(), &[view.shape], || clearance::contains(view.shape, view.pose, view.point))
}

/// Which of many points, (N, 3), are in a body, on all cores: an array of bool.
#[pyfunction]
#[pyo3(signature = (shape, points, pose=None))]
pub fn contains_many<'py>(
    shape: &Bound<'py, PyAny>,
    points: &Bound<'py, PyAny>,
    pose: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let questions = ManyPoints::of(shape, points, pose)?;
    Ok(PyArray1::from_vec(shape.py(), questions.ask(shape.py(), clearance::contains_batch)?))
}
