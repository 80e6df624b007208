//! Motions that turn, as objects.

use clearance::glam::DVec3;
use clearance::math::{Interval, IntervalVec3};
use clearance::{Error, Pose, RigidMotion};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use crate::array::{Points, doubles, shape_of, vector};
use crate::error::{bad_state, refused, wrong};
use crate::give::{Give, Reduced, points, rows};
use crate::impact::InMotion;
use crate::pose::{PyMotion, PyPose, pose_of, rows_of};

/// What a motion was made of: so it is compared, pickled and made again.
#[derive(Clone, Debug, PartialEq)]
enum Made {
    Turning { start: Pose, displacement: DVec3, axis: DVec3, angle: f64, centre: DVec3 },
    Between { start: Pose, end: Pose, centre: DVec3 },
    Screw { start: Pose, point: DVec3, axis: DVec3, angle: f64, advance: f64 },
    ScrewBetween { start: Pose, end: Pose },
    ScrewOfVelocities { start: Pose, linear: DVec3, angular: DVec3 },
    Polynomial { start: Pose, path: Vec<DVec3>, axis: DVec3, angle: Vec<f64> },
}

impl Made {
    fn motion(&self) -> Result<RigidMotion, Error> {
        match self {
            &Made::Turning { start, displacement, axis, angle, centre } => {
                RigidMotion::turning_about(start, centre, displacement, axis, angle)
            }
            &Made::Between { start, end, centre } => RigidMotion::between_about(start, end, centre),
            &Made::Screw { start, point, axis, angle, advance } => {
                RigidMotion::screw(start, point, axis, angle, advance)
            }
            &Made::ScrewBetween { start, end } => RigidMotion::screw_between(start, end),
            &Made::ScrewOfVelocities { start, linear, angular } => {
                RigidMotion::screw_of_velocities(start, linear, angular)
            }
            Made::Polynomial { start, path, axis, angle } => RigidMotion::polynomial(*start, path, *axis, angle),
        }
    }
}

/// A motion of the engine with what it was made of.
#[derive(Clone, Debug)]
pub struct Turn {
    pub motion: RigidMotion,
    made: Made,
}

impl PartialEq for Turn {
    fn eq(&self, other: &Turn) -> bool {
        self.made == other.made
    }
}

impl Turn {
    /// The arguments, by their names, are at fault if the engine refuses the motion.
    fn of(py: Python<'_>, made: Made, arguments: &str) -> PyResult<Turn> {
        let motion = made.motion().map_err(|error| refused(py, arguments, &error))?;
        Ok(Turn { motion, made })
    }

    /// A body that moves straight.
    pub fn straight(py: Python<'_>, start: Pose, displacement: DVec3, argument: &str) -> PyResult<Turn> {
        let made = Made::Turning { start, displacement, axis: DVec3::Z, angle: 0.0, centre: DVec3::ZERO };
        Turn::of(py, made, argument)
    }
}

impl InMotion for Turn {
    type Engine = RigidMotion;

    fn engine(&self) -> &RigidMotion {
        &self.motion
    }

    fn turn(&self, _: Python<'_>, _: &str) -> PyResult<Turn> {
        Ok(self.clone())
    }

    /// A `RigidMotion`, a `Motion`, or what `pose_of` takes for a body that stays where it is.
    fn from_argument(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Turn> {
        if let Some(turning) = argument.and_then(|argument| argument.cast::<PyRigidMotion>().ok()) {
            return Ok(turning.get().turn.clone());
        }
        if let Some(motion) = argument.and_then(|argument| argument.cast::<PyMotion>().ok()) {
            return motion.get().motion.turn(py, name);
        }
        Turn::straight(py, pose_of(py, argument, name)?, DVec3::ZERO, name)
    }

    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(py, PyRigidMotion { turn: self.clone() })?.into_any())
    }

    fn at(&self, t: f64) -> Pose {
        self.motion.at(t)
    }

    fn to_objects<'py>(py: Python<'py>, motions: &[Turn]) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let objects: Vec<_> = motions.iter().map(|motion| motion.object(py)).collect::<PyResult<_>>()?;
        Ok(vec![PyList::new(py, objects)?.into_any()])
    }

    fn from_objects(objects: &[Bound<'_, PyAny>]) -> PyResult<Vec<Turn>> {
        let [motions] = objects else { return Err(bad_state()) };
        turns_of(motions, "motions")
    }
}

/// Motions from an argument, each named by its place.
pub fn turns_of(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Turn>> {
    let py = argument.py();
    let objects = argument.try_iter().map_err(|_| wrong(py, name, "not a list of motions"))?;
    let one = |(index, motion): (usize, PyResult<Bound<'_, PyAny>>)| {
        Turn::from_argument(py, Some(&motion?), &format!("{name}[{index}]"))
    };
    objects.enumerate().map(one).collect()
}

/// A motion with rotation during a step: the origin, or the point `centre` of the body, moves along a straight line at
/// constant speed, while the body rotates about `axis`, a direction of the world, by `angle` in radians, any number of
/// turns. `between`, `screw`, `screw_between`, `screw_of_velocities` and `polynomial` make others.
#[pyclass(frozen, name = "RigidMotion", module = "clearance")]
pub struct PyRigidMotion {
    turn: Turn,
}

/// A vector, or zero by default.
fn vector_or_zero(argument: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<DVec3> {
    argument.filter(|argument| !argument.is_none()).map_or(Ok(DVec3::ZERO), |argument| vector(argument, name))
}

impl PyRigidMotion {
    fn of(py: Python<'_>, made: Made, arguments: &str) -> PyResult<PyRigidMotion> {
        Turn::of(py, made, arguments).map(|turn| PyRigidMotion { turn })
    }
}

#[pymethods]
impl PyRigidMotion {
    #[new]
    #[pyo3(signature = (start=None, displacement=None, axis=None, angle=0.0, centre=None))]
    fn new(
        py: Python<'_>,
        start: Option<&Bound<'_, PyAny>>,
        displacement: Option<&Bound<'_, PyAny>>,
        axis: Option<&Bound<'_, PyAny>>,
        angle: f64,
        centre: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyRigidMotion> {
        let start = pose_of(py, start, "start")?;
        let displacement = vector_or_zero(displacement, "displacement")?;
        let axis = match axis.filter(|axis| !axis.is_none()) {
            Some(axis) => vector(axis, "axis")?,
            None if angle == 0.0 => DVec3::Z,
            None => return Err(wrong(py, "axis", format_args!("missing: the axis of the rotation by {angle}"))),
        };
        let centre = vector_or_zero(centre, "centre")?;
        let made = Made::Turning { start, displacement, axis, angle, centre };
        PyRigidMotion::of(py, made, "displacement, axis, angle, centre")
    }

    /// From one pose to another: the origin, or the point `centre` of the body, moves straight at constant speed while
    /// the body rotates the shorter way.
    #[classmethod]
    #[pyo3(signature = (start, end, centre=None))]
    fn between(
        class: &Bound<'_, PyType>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        centre: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyRigidMotion> {
        let py = class.py();
        let (start, end) = (pose_of(py, Some(start), "start")?, pose_of(py, Some(end), "end")?);
        let centre = vector_or_zero(centre, "centre")?;
        PyRigidMotion::of(py, Made::Between { start, end, centre }, "start, end, centre")
    }

    /// A screw: a rotation by `angle` about the line through `point` along `axis`, both of the world, with a
    /// translation by `advance` along the line.
    #[classmethod]
    #[pyo3(signature = (start, point, axis, angle, advance=0.0))]
    fn screw(
        class: &Bound<'_, PyType>,
        start: Option<&Bound<'_, PyAny>>,
        point: &Bound<'_, PyAny>,
        axis: &Bound<'_, PyAny>,
        angle: f64,
        advance: f64,
    ) -> PyResult<PyRigidMotion> {
        let (py, point, axis) = (class.py(), vector(point, "point")?, vector(axis, "axis")?);
        let made = Made::Screw { start: pose_of(py, start, "start")?, point, axis, angle, advance };
        PyRigidMotion::of(py, made, "point, axis, angle, advance")
    }

    /// The screw from one pose to another, rotating the shorter way.
    #[classmethod]
    fn screw_between(
        class: &Bound<'_, PyType>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
    ) -> PyResult<PyRigidMotion> {
        let py = class.py();
        let (start, end) = (pose_of(py, Some(start), "start")?, pose_of(py, Some(end), "end")?);
        PyRigidMotion::of(py, Made::ScrewBetween { start, end }, "start, end")
    }

    /// The screw with these velocities in the world: `linear` is that of the origin, `angular` in
    /// radians, both per step, constant in the frame of the body.
    #[classmethod]
    fn screw_of_velocities(
        class: &Bound<'_, PyType>,
        start: Option<&Bound<'_, PyAny>>,
        linear: &Bound<'_, PyAny>,
        angular: &Bound<'_, PyAny>,
    ) -> PyResult<PyRigidMotion> {
        let (py, linear, angular) = (class.py(), vector(linear, "linear")?, vector(angular, "angular")?);
        let made = Made::ScrewOfVelocities { start: pose_of(py, start, "start")?, linear, angular };
        PyRigidMotion::of(py, made, "linear, angular")
    }

    /// The origin moves by `path[0] t + path[1] t² + ...`, (K, 3), while the body rotates about `axis` by
    /// `angle[0] t + angle[1] t² + ...`, (M,), in radians.
    #[classmethod]
    fn polynomial(
        class: &Bound<'_, PyType>,
        start: Option<&Bound<'_, PyAny>>,
        path: &Bound<'_, PyAny>,
        axis: &Bound<'_, PyAny>,
        angle: &Bound<'_, PyAny>,
    ) -> PyResult<PyRigidMotion> {
        let (py, path, axis) = (class.py(), Points::of(path, "path")?.vectors(), vector(axis, "axis")?);
        let terms = doubles(angle, "angle")?;
        if terms.shape().len() != 1 {
            return Err(wrong(py, "angle", format_args!("the shape is {}, not (M,)", shape_of(terms.shape()))));
        }
        let start = pose_of(py, start, "start")?;
        let made = Made::Polynomial { start, path, axis, angle: terms.all().to_vec() };
        PyRigidMotion::of(py, made, "path, axis, angle")
    }

    /// The pose at a time from 0 to 1; rounded.
    fn at(&self, t: f64) -> PyPose {
        PyPose { pose: self.turn.at(t) }
    }

    /// A box, [least, greatest], that provably contains a point of the body during an interval of time. However often
    /// the body rotates, it is little wider than the path.
    #[pyo3(signature = (point, t_from=0.0, t_to=1.0))]
    fn point_bounds<'py>(
        &self,
        point: &Bound<'py, PyAny>,
        t_from: f64,
        t_to: f64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (py, point) = (point.py(), vector(point, "point")?);
        // Written so that a NaN is refused.
        if !(0.0 <= t_from && t_from <= t_to && t_to <= 1.0) {
            let problem = format_args!("expected 0 <= t_from <= t_to <= 1, got {t_from} and {t_to}");
            return Err(wrong(py, "t_from, t_to", problem));
        }
        let IntervalVec3 { x, y, z } = self.turn.motion.point_bounds(Interval::new(t_from, t_to), point);
        rows(py, vec![[x.lo(), y.lo(), z.lo()], [x.hi(), y.hi(), z.hi()]])
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyRigidMotion>().is_ok_and(|other| other.get().turn == self.turn)
    }

    fn __repr__(&self) -> String {
        let [start, end] = [0.0, 1.0].map(|t| rows_of(&self.turn.at(t)));
        format!("RigidMotion(from Pose({start:?}) to Pose({end:?}))")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Bound<'py, PyTuple>> {
        let (py, class) = (slf.py(), slf.get_type());
        let pose = |pose: &Pose| PyPose { pose: *pose };
        match &slf.get().turn.made {
            Made::Turning { start, displacement, axis, angle, centre } => {
                let (displacement, axis, centre) = (displacement.give(py)?, axis.give(py)?, centre.give(py)?);
                Ok((class.into_any(), (pose(start), displacement, axis, *angle, centre).into_pyobject(py)?))
            }
            Made::Between { start, end, centre } => {
                let parts = (pose(start), pose(end), centre.give(py)?).into_pyobject(py)?;
                Ok((class.getattr("between")?, parts))
            }
            Made::Screw { start, point, axis, angle, advance } => {
                let parts = (pose(start), point.give(py)?, axis.give(py)?, *angle, *advance).into_pyobject(py)?;
                Ok((class.getattr("screw")?, parts))
            }
            Made::ScrewBetween { start, end } => {
                Ok((class.getattr("screw_between")?, (pose(start), pose(end)).into_pyobject(py)?))
            }
            Made::ScrewOfVelocities { start, linear, angular } => {
                let parts = (pose(start), linear.give(py)?, angular.give(py)?).into_pyobject(py)?;
                Ok((class.getattr("screw_of_velocities")?, parts))
            }
            Made::Polynomial { start, path, axis, angle } => {
                let (path, angle) = (points(py, path.iter().copied())?, PyArray1::from_slice(py, angle));
                Ok((class.getattr("polynomial")?, (pose(start), path, axis.give(py)?, angle).into_pyobject(py)?))
            }
        }
    }
}
