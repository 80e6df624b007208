//! The state of a collision manager: which of its bodies meet and which two are nearest, kept from call to call.
//!
//! What is known about a pair holds until one of its bodies moves. So a call tests the pairs of the bodies that moved
//! since the last one, against the boxes of all others, which lie side by side in one array for each coordinate. Where
//! many have moved the boxes are swept along x instead. A question that needs one meeting pair ends with the first.
//!
//! The nearest pair is sought in the order of what the boxes bound, until no bound is less than the best distance. The
//! gap of two boxes bounds a distance from below; of two solids whose boxes overlap, the least translation that
//! separates the boxes bounds the depth from above. Ties go to the lesser bound, then to the bodies that were added
//! first, so the answer does not depend on earlier calls. What is known about the pairs with one
//! other manager is kept in the same way.

mod body;
mod boxes;
mod data;
mod nearest;
mod others;
mod state;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clearance::glam::DVec3;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PySet, PyTuple};

use self::body::{Body, Failure};
pub use self::data::{_contact_data, _distance_data, PyContactData};
use self::nearest::Near;
use self::others::Others;
use self::state::{State, answers, first_true};
use crate::error::wrong;
use crate::give::points;
use crate::pose::{PyPose, transform_of};
use crate::shape::PyShape;
use crate::work::on_all_cores;

/// The state of a `CollisionManager`. Bodies are known by places, which are reused.
#[pyclass(frozen, name = "_Manager", module = "clearance._clearance")]
pub struct PyManager {
    /// No two managers have the same.
    number: u64,
    state: Mutex<State>,
    /// The names of the bodies, by their places.
    names: Mutex<Vec<Option<Py<PyAny>>>>,
    others: Mutex<Others>,
}

static MANAGERS: AtomicU64 = AtomicU64::new(1);

fn external(
    py: Python<'_>,
    shape: &Py<PyShape>,
    is_convex: bool,
    transform: Option<&Bound<'_, PyAny>>,
) -> PyResult<Body> {
    let pose = transform_of(py, transform)?;
    Ok(Body { shape: shape.get().shape.clone(), is_convex, pose, order: 0, meets: Vec::new() })
}

fn places(pairs: &[[u32; 2]]) -> Vec<(u32, u32)> {
    pairs.iter().map(|&[a, b]| (a, b)).collect()
}

/// The names of pairs; the other way about where they are not in order.
fn named<'py>(
    py: Python<'py>,
    pairs: &[[u32; 2]],
    managers: [&PyManager; 2],
    in_order: impl Fn(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> PyResult<bool>,
) -> PyResult<Bound<'py, PySet>> {
    let found = PySet::empty(py)?;
    for pair in pairs {
        let name = |side: usize| {
            let names = managers[side].names.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
            names.get(pair[side] as usize).and_then(Option::as_ref).map(|name| name.bind(py).clone())
        };
        // A body that another thread removed meanwhile has no name.
        if let Some((a, b)) = name(0).zip(name(1)) {
            found.add(PyTuple::new(py, if in_order(&a, &b)? { [a, b] } else { [b, a] })?)?;
        }
    }
    Ok(found)
}

fn found(py: Python<'_>, near: Result<Option<Near>, Failure>) -> PyResult<Option<PyNearest>> {
    let near = near.map_err(|failure| failure.raised(py))?;
    Ok(near.map(|Near { value, points, pair: [a, b], .. }| PyNearest { a, b, value, points }))
}

/// The nearest two bodies.
#[pyclass(frozen, name = "_Nearest", module = "clearance._clearance")]
pub struct PyNearest {
    /// The place of the one.
    #[pyo3(get)]
    a: u32,
    /// The place of the other; 0 for a body that is not in a manager.
    #[pyo3(get)]
    b: u32,
    /// The signed distance.
    #[pyo3(get)]
    value: f64,
    points: Option<[DVec3; 2]>,
}

#[pymethods]
impl PyNearest {
    /// Of two solids a point of each, in the world, (2, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.points.map(|ends| points(py, ends)).transpose()
    }
}

#[pymethods]
impl PyManager {
    #[new]
    fn new() -> PyManager {
        let number = MANAGERS.fetch_add(1, Ordering::Relaxed);
        PyManager { number, state: Mutex::default(), names: Mutex::default(), others: Mutex::default() }
    }

    /// Adds a body, or with a place replaces that one; returns its place.
    #[pyo3(signature = (name, shape, is_convex, transform=None, place=None))]
    fn put(
        &self,
        py: Python<'_>,
        name: Py<PyAny>,
        shape: &Bound<'_, PyShape>,
        is_convex: bool,
        transform: Option<&Bound<'_, PyAny>>,
        place: Option<u32>,
    ) -> PyResult<u32> {
        let body = external(py, shape.as_unbound(), is_convex, transform)?;
        let place = self.lock(py).put(body, place);
        self.name(py, place, Some(name));
        Ok(place)
    }

    /// Removes a body.
    fn remove(&self, py: Python<'_>, place: u32) {
        self.lock(py).remove(place);
        self.name(py, place, None);
    }

    /// Moves a body to another pose.
    fn move_to(&self, py: Python<'_>, place: u32, transform: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = transform_of(py, Some(transform))?;
        self.lock(py).move_to(place, pose);
        Ok(())
    }

    /// The pose of a body.
    fn pose(&self, py: Python<'_>, place: u32) -> PyResult<PyPose> {
        let pose = self.lock(py).body(place).map(|body| PyPose { pose: body.pose });
        pose.ok_or_else(|| wrong(py, "place", format_args!("there is no body at place {place}")))
    }

    /// Whether any two bodies meet.
    fn any_meet(&self, py: Python<'_>) -> PyResult<bool> {
        self.lock(py).any_meet(py)
    }

    /// Every two bodies that meet.
    fn meeting(&self, py: Python<'_>) -> PyResult<Vec<(u32, u32)>> {
        self.lock(py).meeting(py).map(|pairs| places(&pairs))
    }

    /// The names of every two bodies that meet, the lesser first.
    fn meeting_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySet>> {
        let pairs = self.lock(py).meeting(py)?;
        named(py, &pairs, [self, self], |one, other| one.le(other))
    }

    /// Whether any body meets one that is not among them.
    #[pyo3(signature = (shape, is_convex, transform=None))]
    fn any_meets(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        is_convex: bool,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let body = external(py, shape.as_unbound(), is_convex, transform)?;
        let state = &*self.lock(py);
        let near = state.near(&body);
        let meets = |index: usize| state.body(near[index]).is_some_and(|own| own.meets(&body));
        first_true(py, near.len(), meets).map(|found| found.is_some())
    }

    /// The bodies that meet one that is not among them.
    #[pyo3(signature = (shape, is_convex, transform=None))]
    fn meeting_with(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        is_convex: bool,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<u32>> {
        let body = external(py, shape.as_unbound(), is_convex, transform)?;
        let state = &*self.lock(py);
        let near = state.near(&body);
        let meet = answers(py, near.len(), |index| state.body(near[index]).is_some_and(|own| own.meets(&body)))?;
        Ok(near.into_iter().zip(meet).filter_map(|(place, meets)| meets.then_some(place)).collect())
    }

    /// Whether any body meets one of another manager.
    fn any_meet_of(&self, py: Python<'_>, other: &Bound<'_, PyManager>) -> PyResult<bool> {
        self.with(py, other.get(), |states, known| known.any_meet(py, states))
    }

    /// The pairs of a body and one of another manager that meet.
    fn meeting_of(&self, py: Python<'_>, other: &Bound<'_, PyManager>) -> PyResult<Vec<(u32, u32)>> {
        self.with(py, other.get(), |states, known| known.meeting(py, states).map(places))
    }

    /// The names of the pairs of a body and one of another manager that meet.
    fn meeting_names_of<'py>(&self, py: Python<'py>, other: &Bound<'py, PyManager>) -> PyResult<Bound<'py, PySet>> {
        let pairs = self.with(py, other.get(), |states, known| known.meeting(py, states).map(<[_]>::to_vec))?;
        named(py, &pairs, [self, other.get()], |_, _| Ok(true))
    }

    /// The nearest two bodies and their distance, less than zero by the depth of two solids; with a place, that body
    /// and the nearest to it.
    #[pyo3(signature = (place=None))]
    fn nearest(&self, py: Python<'_>, place: Option<u32>) -> PyResult<Option<PyNearest>> {
        let state = &mut *self.lock(py);
        let near = match place {
            None if state.knows_nearest() => state.nearest(),
            None => on_all_cores(py, || state.nearest())?,
            Some(place) if state.body(place).is_none() => Ok(None),
            Some(place) => on_all_cores(py, || state.nearest_of_one(place))?,
        };
        found(py, near)
    }

    /// The body that is nearest to one that is not among them, and the distance.
    #[pyo3(signature = (shape, is_convex, transform=None))]
    fn nearest_to(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        is_convex: bool,
        transform: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<PyNearest>> {
        let body = external(py, shape.as_unbound(), is_convex, transform)?;
        let state = &*self.lock(py);
        let near = on_all_cores(py, || state.nearest_to(&body))?;
        found(py, near)
    }

    /// The nearest two of these bodies and those of another manager, and their distance.
    fn nearest_of(&self, py: Python<'_>, other: &Bound<'_, PyManager>) -> PyResult<Option<PyNearest>> {
        self.with(py, other.get(), |states, known| {
            let near =
                if known.knows_nearest() { known.nearest(states) } else { on_all_cores(py, || known.nearest(states))? };
            found(py, near)
        })
    }
}

impl PyManager {
    fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self, py: Python<'_>, place: u32, name: Option<Py<PyAny>>) {
        let mut names = self.names.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if names.len() <= place as usize {
            names.resize_with(place as usize + 1, || None);
        }
        names[place as usize] = name;
    }

    /// Both managers, which may be one, and what is known about them: locked in the same order by all threads.
    fn with<R>(
        &self,
        py: Python<'_>,
        other: &PyManager,
        run: impl FnOnce([&State; 2], &mut Others) -> PyResult<R>,
    ) -> PyResult<R> {
        let run = |state: &State, its: &State| {
            let mut others = self.others.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
            others.update(other.number, [state, its]);
            run([state, its], &mut others)
        };
        match self.number.cmp(&other.number) {
            std::cmp::Ordering::Equal => {
                let state = self.lock(py);
                run(&state, &state)
            }
            std::cmp::Ordering::Less => {
                let state = self.lock(py);
                run(&state, &other.lock(py))
            }
            std::cmp::Ordering::Greater => {
                let other = other.lock(py);
                run(&self.lock(py), &other)
            }
        }
    }
}
