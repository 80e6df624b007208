//! Rays against a body.

use std::sync::Arc;

use clearance::answer::{NoHit, RayHit};
use clearance::glam::DVec3;
use clearance::query::{RayHitMode, RayOptions};
use clearance::verify::Refusal;
use clearance::{Motion, Pose, Ray, Shape};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::{Asked, OfBodies, Prove, Question, Questions, Witnessed, answer, in_world, may_miss};
use crate::array::{Points, vector};
use crate::error::{refused, wrong};
use crate::give::{Give, points as points_array};
use crate::no_hit::Missed;
use crate::pose::{PyMotion, PyPose, motion_of, pose_of};
use crate::room::room_for;
use crate::shape::{PyShape, shape_of};
use crate::work::{about, on_all_cores};

/// A body at rest or in motion, and a ray.
#[derive(Clone, Copy)]
pub struct RayView<'a> {
    pub shape: &'a Shape,
    pub motion: &'a Motion,
    moves: bool,
    pub ray: &'a Ray,
    pub options: &'a RayOptions,
}

impl RayView<'_> {
    /// Where the body is when it is hit there.
    fn pose_at(&self, t: f64) -> Pose {
        self.motion.at(if self.moves { t } else { 0.0 })
    }
}

/// A body at rest or in motion, and a ray that an answer is about.
pub struct Cast {
    pub shape: Py<PyShape>,
    motion: Motion,
    moves: bool,
    pub ray: Ray,
    options: RayOptions,
}

/// A ray from arguments.
pub fn ray_of(origin: &Bound<'_, PyAny>, direction: &Bound<'_, PyAny>) -> PyResult<Ray> {
    let made = Ray::new(vector(origin, "origin")?, vector(direction, "direction")?);
    made.map_err(|error| refused(origin.py(), "origin, direction", &error))
}

/// Many rays from arguments.
pub fn rays_of(origins: &Bound<'_, PyAny>, directions: &Bound<'_, PyAny>) -> PyResult<Vec<Ray>> {
    let py = origins.py();
    let (from, along) = (Points::of(origins, "origins")?, Points::of(directions, "directions")?);
    if from.rows().len() != along.rows().len() {
        let problem = format_args!("{} directions for {} origins", along.rows().len(), from.rows().len());
        return Err(wrong(py, "directions", problem));
    }
    let rays = from.rows().iter().zip(along.rows()).enumerate().map(|(index, (&origin, &direction))| {
        let made = Ray::new(DVec3::from_array(origin), DVec3::from_array(direction));
        made.map_err(|error| refused(py, &format!("origins[{index}], directions[{index}]"), &error))
    });
    rays.collect()
}

/// What part of a ray counts, from arguments.
pub fn options_of(py: Python<'_>, t_from: f64, t_to: f64, any: bool) -> PyResult<RayOptions> {
    for (name, t) in [("t_from", t_from), ("t_to", t_to)] {
        if t.is_nan() {
            return Err(wrong(py, name, "not a number"));
        }
    }
    Ok(RayOptions { from: t_from, to: t_to, hit: if any { RayHitMode::Any } else { RayHitMode::Nearest } })
}

impl Cast {
    /// Where the body is when it is hit there.
    pub fn pose_at(&self, t: f64) -> Pose {
        self.view().pose_at(t)
    }

    /// The question as one about bodies that are all missed.
    pub fn missed(self) -> Missed {
        Missed::of(Arc::new(vec![(self.shape, self.motion)]), self.moves, self.ray, self.options)
    }

    /// A ray against a body that rests.
    pub fn at_rest(shape: Py<PyShape>, pose: Pose, ray: Ray, options: RayOptions) -> Cast {
        Cast { shape, motion: Motion::still(pose), moves: false, ray, options }
    }
}

impl Question for Cast {
    type View<'a> = RayView<'a>;

    fn view(&self) -> RayView<'_> {
        let Cast { shape, motion, moves, ray, options } = self;
        RayView { shape: &shape.get().shape, motion, moves: *moves, ray, options }
    }
}

impl OfBodies for Cast {
    const ARGUMENTS: &'static str = "shape, origin, direction";

    fn bodies(&self) -> [Option<&Shape>; 2] {
        [Some(&self.shape.get().shape), None]
    }
}

impl Asked for Cast {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (origin, direction) = (self.ray.origin.give(py)?, self.ray.direction.give(py)?);
        let (RayOptions { from, to, hit }, motion) = (self.options, PyMotion { motion: self.motion });
        (self.shape.clone_ref(py), motion, self.moves, origin, direction, (from, to, hit == RayHitMode::Any))
            .into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Cast> {
        let py = objects.py();
        let (from, to, any) = objects.get_item(5)?.extract()?;
        Ok(Cast {
            shape: shape_of(&objects.get_item(0)?, "shape")?,
            motion: motion_of(py, Some(&objects.get_item(1)?), "motion")?,
            moves: objects.get_item(2)?.extract()?,
            ray: ray_of(&objects.get_item(3)?, &objects.get_item(4)?)?,
            options: options_of(py, from, to, any)?,
        })
    }

    fn same(&self, other: &Cast) -> bool {
        self.motion == other.motion
            && self.moves == other.moves
            && self.ray == other.ray
            && self.options == other.options
            && self.view().shape == other.view().shape
    }
}

/// A body at rest, and many rays.
pub struct Casts {
    shape: Py<PyShape>,
    motion: Motion,
    rays: Vec<Ray>,
    options: RayOptions,
}

impl Questions for Casts {
    type One = Cast;

    fn len(&self) -> usize {
        self.rays.len()
    }

    fn view(&self, index: usize) -> RayView<'_> {
        let shape = &self.shape.get().shape;
        RayView { shape, motion: &self.motion, moves: false, ray: &self.rays[index], options: &self.options }
    }

    fn item(&self, py: Python<'_>, index: usize) -> Cast {
        Cast::at_rest(self.shape.clone_ref(py), self.motion.start(), self.rays[index], self.options)
    }
}

impl Asked for Casts {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let origins = points_array(py, self.rays.iter().map(|ray| ray.origin))?;
        let directions = points_array(py, self.rays.iter().map(|ray| ray.direction))?;
        let (RayOptions { from, to, hit }, pose) = (self.options, PyPose { pose: self.motion.start() });
        (self.shape.clone_ref(py), pose, origins, directions, (from, to, hit == RayHitMode::Any)).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Casts> {
        let py = objects.py();
        let (from, to, any) = objects.get_item(4)?.extract()?;
        Ok(Casts {
            shape: shape_of(&objects.get_item(0)?, "shape")?,
            motion: motion_of(py, Some(&objects.get_item(1)?), "pose")?,
            rays: rays_of(&objects.get_item(2)?, &objects.get_item(3)?)?,
            options: options_of(py, from, to, any)?,
        })
    }

    fn same(&self, other: &Casts) -> bool {
        let shapes = || self.shape.get().shape == other.shape.get().shape;
        self.motion == other.motion && self.rays == other.rays && self.options == other.options && shapes()
    }
}

impl Prove<Cast> for RayHit {
    fn prove(&self, asked: RayView<'_>) -> Result<(), Refusal> {
        if asked.motion.displacement() == DVec3::ZERO {
            return self.verify(asked.shape, &asked.motion.start(), asked.ray, asked.options);
        }
        self.verify_moving(asked.shape, asked.motion, asked.ray, &RayOptions::default())
    }
}

impl Witnessed<Cast> for RayHit {
    type Points = DVec3;

    fn in_world(&self, asked: RayView<'_>) -> DVec3 {
        asked.pose_at(self.t.value).transform_point(self.witness.point)
    }
}

answer! {
    /// Where a ray crosses the boundary of a body.
    PyRayHit = "RayHit" of RayHit, asked Cast;
    /// Where rays cross the boundary of a body: an array for each field of `RayHit`, and a `RayHit` or a `NoHit` for
    /// each index. Where a ray misses, `hit` is False, `value` infinite, and the rest undefined.
    PyRayHits = "RayHits" asked Casts, or NoHit;
    bracket {
        /// Where on the ray, in multiples of its direction. For a body in motion, when.
        value,
        /// Proved: the crossing is here or later.
        lower,
        /// Proved: the crossing is here or earlier.
        upper,
    }
    /// The point of the crossing, in the body's own frame.
    point_in_body: witness.point,
    /// Unit, in the world, out of the body.
    normal: normal,
    /// The feature with the point; of a mesh in its numbering.
    feature: witness.feature,
    /// The part of a compound; 0 for other bodies.
    part: witness.part,
    /// True where the ray enters the body; False where it leaves.
    entering: entering,
}

in_world!(PyRayHit by witness, "The point of the crossing in the world; rounded, and no part of the proof.");
in_world!(
    PyRayHits by witness_all,
    "The points of the crossings in the world, (N, 3); rounded, and no part of the proofs."
);
may_miss!(PyRayHits: "RayHitMode rays hit.");

#[pymethods]
impl PyRayHit {
    /// The body.
    #[getter]
    fn shape(&self, py: Python<'_>) -> Py<PyShape> {
        self.question.shape.clone_ref(py)
    }
}

/// The first crossing of a ray with the boundary of a body, from `t_from` to `t_to`: a `RayHit`, or a `NoHit` if it
/// provably misses. `t` counts multiples of the direction.
#[pyfunction]
#[pyo3(signature = (shape, origin, direction, pose=None, *, t_from=0.0, t_to=f64::INFINITY, any=false))]
pub fn ray_cast(
    shape: &Bound<'_, PyAny>,
    origin: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    t_from: f64,
    t_to: f64,
    any: bool,
) -> PyResult<Py<PyAny>> {
    let py = shape.py();
    let (body, pose, ray) = (shape_of(shape, "shape")?, pose_of(py, pose, "pose")?, ray_of(origin, direction)?);
    let question = Cast::at_rest(body, pose, ray, options_of(py, t_from, t_to, any)?);
    let ask = |view: RayView<'_>| clearance::query::ray_cast_with(view.shape, &pose, view.ray, view.options);
    question.ask_whether::<PyRayHit, _>(py, ask)
}

/// All crossings of a ray with the boundary of a body, in order.
#[pyfunction]
#[pyo3(signature = (shape, origin, direction, pose=None, *, t_from=0.0, t_to=f64::INFINITY))]
pub fn ray_cast_all(
    shape: &Bound<'_, PyAny>,
    origin: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    t_from: f64,
    t_to: f64,
) -> PyResult<Vec<PyRayHit>> {
    let py = shape.py();
    let (body, pose, ray) = (shape_of(shape, "shape")?, pose_of(py, pose, "pose")?, ray_of(origin, direction)?);
    let options = options_of(py, t_from, t_to, false)?;
    let asked = &body.get().shape;
    let hits = about(py, [Some(asked), None], || {
        let mut hits = Vec::new();
        clearance::query::ray_cast_all_with(asked, &pose, &ray, &options, &mut hits);
        hits
    })?;
    let with = |answer| PyRayHit { answer, question: Cast::at_rest(body.clone_ref(py), pose, ray, options) };
    Ok(hits.into_iter().map(with).collect())
}

/// The first crossings of rays, given by origins and directions (N, 3), with the boundary of a body, on all cores.
#[pyfunction]
#[pyo3(signature = (shape, origins, directions, pose=None, *, t_from=0.0, t_to=f64::INFINITY, any=false))]
pub fn ray_cast_batch(
    shape: &Bound<'_, PyAny>,
    origins: &Bound<'_, PyAny>,
    directions: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    t_from: f64,
    t_to: f64,
    any: bool,
) -> PyResult<PyRayHits> {
    let py = shape.py();
    let (body, pose, rays) = (shape_of(shape, "shape")?, pose_of(py, pose, "pose")?, rays_of(origins, directions)?);
    let options = options_of(py, t_from, t_to, any)?;
    let asked = &body.get().shape;
    room_for(py, "origins", rays.len(), "answers", size_of::<Result<RayHit, NoHit>>() as u128)?;
    let answers = on_all_cores(py, || clearance::query::ray_cast_batch(asked, &pose, &rays, &options))?;
    Ok(PyRayHits { answers, questions: Casts { shape: body, motion: Motion::still(pose), rays, options } })
}

/// Where and when a point that moves by `direction` in a step, from `origin`, meets a body that moves as well, a
/// `RayHit`; a `NoHit` if it provably does not.
#[pyfunction]
pub fn ray_cast_moving(
    shape: &Bound<'_, PyAny>,
    motion: &Bound<'_, PyAny>,
    origin: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    let py = shape.py();
    let (shape, motion, ray) =
        (shape_of(shape, "shape")?, motion_of(py, Some(motion), "motion")?, ray_of(origin, direction)?);
    let question = Cast { shape, motion, moves: true, ray, options: RayOptions::segment() };
    let ask = |view: RayView<'_>| clearance::query::ray_cast_moving(view.shape, view.motion, view.ray);
    question.ask_whether::<PyRayHit, _>(py, ask)
}
