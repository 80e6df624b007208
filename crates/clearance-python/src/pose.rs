//! Poses and motions, as objects and as the arrays that are taken for them.

use clearance::glam::{DMat3, DQuat, DVec3};
use clearance::{Motion, Pose};
use numpy::{PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use crate::array::{Points, doubles, rows_of as rows_of_array, shape_of, vector};
use crate::error::{by_keywords, refused, wrong};
use crate::give::{Column, Give, Reduced, points as points_array, rows};
use crate::room::room_for;
use crate::work::{each, here};

/// The pose of a body: a rotation and a translation, from its own frame to the world. Kept bit for bit as given.
///
/// Made from a (4, 4) or (3, 4) matrix, or a pair of a (3, 3) rotation and a (3,) translation. All queries accept those
/// as well; a `Pose` is validated once.
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

    /// A pure translation.
    #[classmethod]
    fn from_translation(_: &Bound<'_, PyType>, translation: &Bound<'_, PyAny>) -> PyResult<PyPose> {
        let made = Pose::from_translation(vector(translation, "translation")?);
        made.map(|pose| PyPose { pose }).map_err(|error| refused(translation.py(), "translation", &error))
    }

    /// A rotation about an axis through the origin by an angle in radians, then a translation.
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

    /// A rotation by a unit quaternion, in either order of its components, then a translation.
    #[classmethod]
    #[pyo3(
        signature = (*values, xyzw=None, wxyz=None, translation=None),
        text_signature = "($cls, *, xyzw=None, wxyz=None, translation=None)"
    )]
    fn from_quaternion(
        class: &Bound<'_, PyType>,
        values: &Bound<'_, PyTuple>,
        xyzw: Option<&Bound<'_, PyAny>>,
        wxyz: Option<&Bound<'_, PyAny>>,
        translation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPose> {
        let py = class.py();
        let (name, quaternion, first) = match (values.is_empty(), xyzw, wxyz) {
            (true, Some(xyzw), None) => ("xyzw", xyzw, 0),
            (true, None, Some(wxyz)) => ("wxyz", wxyz, 1),
            _ => {
                let write = "from_quaternion(xyzw=[x, y, z, w]) or from_quaternion(wxyz=[w, x, y, z])";
                return Err(by_keywords("Pose.from_quaternion", write));
            }
        };
        let there = translation.map_or(Ok(DVec3::ZERO), |it| vector(it, "translation"))?;
        let array = doubles(quaternion, name)?;
        let (&[a, b, c, d], [4]) = (array.all(), array.shape()) else {
            return Err(wrong(py, name, format_args!("the shape is {}, not (4,)", shape_of(array.shape()))));
        };
        let rotation = if first == 0 { DQuat::from_xyzw(a, b, c, d) } else { DQuat::from_xyzw(b, c, d, a) };
        let made = Pose::from_quat(rotation, there);
        made.map(|pose| PyPose { pose }).map_err(|error| refused(py, &format!("{name}, translation"), &error))
    }

    /// The inverse pose, rounded: from the world to the body's own frame.
    fn inverse(&self, py: Python<'_>) -> PyResult<PyPose> {
        let pose = &self.pose;
        let there = pose.inverse_transform_point(DVec3::ZERO);
        // The columns of the inverse rotation are the images of the axes.
        let turned = Pose::new(pose.rotation(), DVec3::ZERO).map_err(|error| refused(py, "pose", &error))?;
        let rotation = DMat3::from_cols_array_2d(
            &[DVec3::X, DVec3::Y, DVec3::Z].map(|axis| turned.inverse_transform_point(axis).to_array()),
        );
        let made = Pose::new(rotation, there);
        made.map(|pose| PyPose { pose }).map_err(|error| refused(py, "pose", &error))
    }

    /// `a @ b`: first `b`, then `a`; `b` is a pose, as an object or a matrix. Rounded, as a product of matrices.
    fn __matmul__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<PyPose> {
        product(py, &self.pose, &factor(other)?)
    }

    /// `a @ b` where `a` is a matrix.
    fn __rmatmul__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<PyPose> {
        product(py, &factor(other)?, &self.pose)
    }

    /// The (4, 4) matrix, for `numpy.asarray`.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("a Pose is not stored as an array: copy=False cannot be met"));
        }
        let matrix = self.matrix(py)?.into_any();
        match dtype {
            Some(dtype) => matrix.call_method1("astype", (dtype,)),
            None => Ok(matrix),
        }
    }

    /// Numpy leaves `matrix @ pose` to the pose.
    #[classattr]
    fn __array_ufunc__() -> Option<Py<PyAny>> {
        None
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

    /// A bound on how far the matrix is from a rotation; at most 1e-6.
    #[getter]
    fn defect(&self) -> f64 {
        self.pose.defect()
    }

    /// Transforms points from the body's frame to the world, (N, 3); rounded.
    fn transform<'py>(&self, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let placed = |point| self.pose.transform_point(point);
        points_array(points.py(), Points::of(points, "points")?.vectors().into_iter().map(placed))
    }

    /// Transforms points from the world to the body's frame, (N, 3); rounded.
    fn inverse_transform<'py>(&self, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let local = |point| self.pose.inverse_transform_point(point);
        points_array(points.py(), Points::of(points, "points")?.vectors().into_iter().map(local))
    }

    /// The pose at a fraction of the screw motion to another one: 0 is this pose, 1 the other.
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

/// A motion during a step: from a pose along a straight line, without rotation.
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

    /// The displacement in the step.
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

/// The other factor of a product, which cannot be left out.
fn factor(argument: &Bound<'_, PyAny>) -> PyResult<Pose> {
    match argument.is_none() {
        true => Err(wrong(argument.py(), "other", "expected a Pose or a matrix, got None")),
        false => pose_of(argument.py(), Some(argument), "other"),
    }
}

/// First `second`, then `first`.
fn product(py: Python<'_>, first: &Pose, second: &Pose) -> PyResult<PyPose> {
    let rotation = first.rotation() * second.rotation();
    let made = Pose::new(rotation, first.transform_point(second.translation()));
    made.map(|pose| PyPose { pose }).map_err(|error| refused(py, "other", &error))
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

/// A pose from an argument named `transform`, as other libraries take it: none, a (4, 4) matrix, or a `Pose`.
pub fn transform_of(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>) -> PyResult<Pose> {
    const NAME: &str = "transform";
    let Some(argument) = argument.filter(|argument| !argument.is_none()) else { return Ok(Pose::IDENTITY) };
    if let Ok(pose) = argument.cast::<PyPose>() {
        return Ok(pose.get().pose);
    }
    let array = doubles(argument, NAME)?;
    match array.shape() {
        [4, 4] => pose_of_rows(array.all().as_chunks::<4>().0).map_err(|problem| problem.told(py, NAME)),
        other => Err(wrong(py, NAME, format_args!("must be (4, 4), got an array of shape {}", shape_of(other)))),
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
