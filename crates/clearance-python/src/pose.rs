//! Poses and motions, as objects and as the arrays that are taken for them.

use clearance::glam::{DMat3, DQuat, DVec3};
use clearance::{Motion, Pose};
use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use crate::array::{Points, doubles, rows_of as rows_of_array, shape_of, vector};
use crate::error::{refused, wrong};
use crate::give::{Column, Give, Reduced, points as points_array, rows};
use crate::room::room_for;
use crate::work::{each, here};

/// Where a body is: a rotation and a translation, from its own frame to the world. Kept bit for bit as given.
///
/// Made from a (4, 4) or (3, 4) matrix, or a pair of a (3, 3) rotation and a (3,) translation. All questions take those
/// as well; a `Pose` is checked once.
#[pyclass(frozen, name = "Pose", module = "clearance")]
pub struct PyPose {
    pub pose: Pose,
}

#[pymethods]
impl PyPose {
    #[new]
    #[pyo3(signature = (matrix=None))]
    fn new(py: Python<'_>, matrix: Option<&Bound<'_, PyAny>>) -> PyResult<PyPose> {
        pose_of(py, matrix, "matrix").map(|pose| PyPose { pose })
    }

    /// A pose that only moves.
    #[classmethod]
    fn from_translation(_: &Bound<'_, PyType>, translation: &Bound<'_, PyAny>) -> PyResult<PyPose> {
        let made = Pose::from_translation(vector(translation, "translation")?);
        made.map(|pose| PyPose { pose }).map_err(|error| refused(translation.py(), "translation", &error))
    }

    /// A turn about an axis through the origin by an angle in radians, then a translation.
    #[classmethod]
    #[pyo3(signature = (axis, angle, translation=None))]
    fn from_axis_angle(
        _: &Bound<'_, PyType>,
        axis: &Bound<'_, PyAny>,
        angle: f64,
        translation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPose> {
        let there = translation.map_or(Ok(DVec3::ZERO), |it| vector(it, "translation"))?;
        let made = Pose::from_axis_angle(vector(axis, "axis")?, angle, there);
        made.map(|pose| PyPose { pose }).map_err(|error| refused(axis.py(), "axis, angle, translation", &error))
    }

    /// A rotation by a unit quaternion `(x, y, z, w)`, then a translation.
    #[classmethod]
    #[pyo3(signature = (quaternion, translation=None))]
    fn from_quaternion(
        _: &Bound<'_, PyType>,
        quaternion: &Bound<'_, PyAny>,
        translation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPose> {
        let py = quaternion.py();
        let there = translation.map_or(Ok(DVec3::ZERO), |it| vector(it, "translation"))?;
        let array = doubles(quaternion, "quaternion")?;
        let (&[x, y, z, w], [4]) = (array.all(), array.shape()) else {
            return Err(wrong(py, "quaternion", format_args!("the shape is {}, not (4,)", shape_of(array.shape()))));
        };
        let made = Pose::from_quat(DQuat::from_xyzw(x, y, z, w), there);
        made.map(|pose| PyPose { pose }).map_err(|error| refused(py, "quaternion, translation", &error))
    }

    /// The (4, 4) matrix.
    #[getter]
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, matrix_of(&self.pose).to_vec())
    }

    /// The (3, 3) rotation, as given.
    #[getter]
    fn rotation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, rows_of(&self.pose).iter().map(|&[x, y, z, _]| [x, y, z]).collect())
    }

    /// The translation.
    #[getter]
    fn translation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.pose.translation().give(py)
    }

    /// A bound on how far the rotation is from a true one; at most 1e-6.
    #[getter]
    fn defect(&self) -> f64 {
        self.pose.defect()
    }

    /// Points of the body's frame, (N, 3), in the world; rounded.
    fn transform<'py>(&self, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let placed = |point| self.pose.transform_point(point);
        points_array(points.py(), Points::of(points, "points")?.vectors().into_iter().map(placed))
    }

    /// Points of the world, (N, 3), in the body's frame; rounded.
    fn inverse_transform<'py>(&self, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let local = |point| self.pose.inverse_transform_point(point);
        points_array(points.py(), Points::of(points, "points")?.vectors().into_iter().map(local))
    }

    /// The pose at a part of the screw motion to another one: 0 is here, 1 is there.
    fn interpolate(&self, py: Python<'_>, other: &Bound<'_, PyAny>, part: f64) -> PyResult<PyPose> {
        let other = pose_of(py, Some(other), "other")?;
        let made = self.pose.interpolate(&other, part);
        made.map(|pose| PyPose { pose }).map_err(|error| refused(py, "other, part", &error))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyPose>().is_ok_and(|other| other.get().pose == self.pose)
    }

    fn __repr__(&self) -> String {
        format!("Pose({:?})", rows_of(&self.pose))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyArray2<f64>>,)> {
        Ok((slf.get_type().into_any(), (slf.get().matrix(slf.py())?,)))
    }
}

/// How a body moves during a step: from a pose along a straight line, without turning.
#[pyclass(frozen, name = "Motion", module = "clearance")]
pub struct PyMotion {
    pub motion: Motion,
}

#[pymethods]
impl PyMotion {
    #[new]
    #[pyo3(signature = (start=None, displacement=None))]
    fn new(
        py: Python<'_>,
        start: Option<&Bound<'_, PyAny>>,
        displacement: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyMotion> {
        let start = pose_of(py, start, "start")?;
        let Some(displacement) = displacement else { return Ok(PyMotion { motion: Motion::still(start) }) };
        let made = Motion::translation(start, vector(displacement, "displacement")?);
        made.map(|motion| PyMotion { motion }).map_err(|error| refused(py, "displacement", &error))
    }

    /// The pose at the start of the step.
    #[getter]
    fn start(&self) -> PyPose {
        PyPose { pose: self.motion.start() }
    }

    /// How far the body moves in the step.
    #[getter]
    fn displacement<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.motion.displacement().give(py)
    }

    /// The pose at a time from 0 to 1.
    fn at(&self, t: f64) -> PyPose {
        PyPose { pose: self.motion.at(t) }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyMotion>().is_ok_and(|other| other.get().motion == self.motion)
    }

    fn __repr__(&self) -> String {
        let displacement = self.motion.displacement().to_array();
        format!("Motion(Pose({:?}), {displacement:?})", rows_of(&self.motion.start()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (PyPose, Bound<'py, PyAny>)> {
        let motion = slf.get();
        Ok((slf.get_type().into_any(), (motion.start(), motion.displacement(slf.py())?)))
    }
}

/// The rows of the 3x4 matrix of a pose.
pub fn rows_of(pose: &Pose) -> [[f64; 4]; 3] {
    let (rotation, translation) = (pose.rotation().transpose(), pose.translation());
    [0, 1, 2].map(|k| {
        let row = rotation.col(k);
        [row.x, row.y, row.z, translation[k]]
    })
}

/// The (4, 4) matrix of a pose.
pub fn matrix_of(pose: &Pose) -> [[f64; 4]; 4] {
    let [x, y, z] = rows_of(pose);
    [x, y, z, [0.0, 0.0, 0.0, 1.0]]
}

/// The poses as an array (N, 4, 4).
pub fn matrices_array<'py>(py: Python<'py>, poses: &[Pose]) -> PyResult<Bound<'py, PyAny>> {
    Column::column(py, poses.iter().map(|&pose| Some(pose)))
}

/// A pose from an argument: none, a `Pose`, a (4, 4) or (3, 4) matrix, or a pair of a rotation and a translation.
pub fn pose_of(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Pose> {
    let Some(argument) = argument.filter(|argument| !argument.is_none()) else { return Ok(Pose::IDENTITY) };
    if let Ok(pose) = argument.cast::<PyPose>() {
        return Ok(pose.get().pose);
    }
    let is_pair = argument.cast::<PyTuple>().is_ok_and(|pair| pair.len() == 2)
        || argument.cast::<PyList>().is_ok_and(|pair| pair.len() == 2);
    if is_pair {
        let rotation = doubles(&argument.get_item(0)?, name)?;
        let ([3, 3], &[a, b, c, d, e, f, g, h, i]) = (rotation.shape(), rotation.all()) else {
            let shape = shape_of(rotation.shape());
            return Err(wrong(py, name, format_args!("the shape of the rotation is {shape}, not (3, 3)")));
        };
        let rotation = DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i]);
        let translation = vector(&argument.get_item(1)?, name)?;
        return Pose::new(rotation, translation).map_err(|error| refused(py, name, &error));
    }
    let array = doubles(argument, name)?;
    let (shape, numbers) = (array.shape(), array.all());
    match shape {
        [3 | 4, 4] => pose_of_rows(numbers.as_chunks::<4>().0).map_err(|problem| problem.told(py, name)),
        other => {
            let shape = shape_of(other);
            Err(wrong(py, name, format_args!("the shape is {shape}, not (4, 4), (3, 4), or that of a pair (R, t)")))
        }
    }
}

/// What can be wrong with a matrix.
enum Problem {
    LastRow([f64; 4]),
    Refused(clearance::Error),
}

impl Problem {
    fn told(&self, py: Python<'_>, name: &str) -> PyErr {
        match self {
            Problem::LastRow(row) => wrong(py, name, format_args!("the last row is {row:?}, not [0, 0, 0, 1]")),
            Problem::Refused(error) => refused(py, name, error),
        }
    }
}

fn pose_of_rows(rows: &[[f64; 4]]) -> Result<Pose, Problem> {
    match rows {
        [x, y, z] => Pose::from_rows([*x, *y, *z]).map_err(Problem::Refused),
        [x, y, z, last] if *last == [0.0, 0.0, 0.0, 1.0] => Pose::from_rows([*x, *y, *z]).map_err(Problem::Refused),
        [_, _, _, last] => Err(Problem::LastRow(*last)),
        _ => Ok(Pose::IDENTITY),
    }
}

/// So many poses are made on the caller's thread alone.
const ALONE: usize = 2048;

/// Many poses from an argument: an array (N, 4, 4) or (N, 3, 4), or a list of what [`pose_of`] takes.
pub fn poses_of(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Pose>> {
    let py = argument.py();
    let of_objects = argument.cast::<PyList>().is_ok_and(|list| {
        list.get_item(0).is_ok_and(|first| first.cast::<PyPose>().is_ok() || first.cast::<PyTuple>().is_ok())
    });
    if of_objects {
        let objects = argument.try_iter()?.enumerate();
        return objects.map(|(index, pose)| pose_of(py, Some(&pose?), &format!("{name}[{index}]"))).collect();
    }
    // As they are made, with what may be wrong of each, and as they are kept.
    room_for(py, name, rows_of_array(argument), "poses", 3 * size_of::<Pose>() as u128)?;
    let array = doubles(argument, name)?;
    let [_, height @ (3 | 4), 4] = array.shape() else {
        let shape = shape_of(array.shape());
        return Err(wrong(py, name, format_args!("the shape is {shape}, not (N, 4, 4) or (N, 3, 4)")));
    };
    let (rows, height) = (array.all().as_chunks::<4>().0, *height);
    let pose = |index: usize| pose_of_rows(&rows[index * height..][..height]);
    let count = rows.len() / height;
    // Some thousands are made before another thread is awake.
    let made = if count < ALONE { here(py, || (0..count).map(pose).collect())? } else { each(py, count, pose)? };
    let named = |(index, made): (usize, Result<Pose, Problem>)| {
        made.map_err(|problem| problem.told(py, &format!("{name}[{index}]")))
    };
    made.into_iter().enumerate().map(named).collect()
}

/// The poses as an array (N, 3, 4), which [`poses_of`] takes back to the same bits.
pub fn poses_array<'py>(py: Python<'py>, poses: &[Pose]) -> PyResult<Bound<'py, PyAny>> {
    let numbers: Vec<[f64; 4]> = poses.iter().flat_map(rows_of).collect();
    let flat = rows(py, numbers)?;
    Ok(flat.reshape([poses.len(), 3, 4])?.into_any())
}

/// A motion from an argument: a `Motion`, or what [`pose_of`] takes for a body that stays where it is.
pub fn motion_of(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Motion> {
    if let Some(motion) = argument.and_then(|argument| argument.cast::<PyMotion>().ok()) {
        return Ok(motion.get().motion);
    }
    pose_of(py, argument, name).map(Motion::still)
}
