//! Schedules the pairs of a world: a pair is due when it may touch, and not before.

use clearance::world::{BodyId, MotionBounds, ScheduledContacts};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;

use crate::array::vector;
use crate::error::{no_answer, wrong};
use crate::give::package;
use crate::pair::{Pair, PyDistance};
use crate::work::to_its_end;
use crate::world::PyWorld;

/// Bounds on a motion, from a `MotionBounds` or another object with its fields.
fn motion_of(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<MotionBounds> {
    let py = argument.py();
    let number = |field: &str| {
        let value: f64 = argument
            .getattr(field)
            .and_then(|value| value.extract())
            .map_err(|_| wrong(py, name, format_args!("it has no number `{field}`: give a MotionBounds")))?;
        match value >= 0.0 {
            true => Ok(value),
            false => Err(wrong(py, name, format_args!("{field}: {value} is not 0 or more"))),
        }
    };
    let velocity = argument.getattr("velocity").map_err(|_| wrong(py, name, "not a MotionBounds"))?;
    Ok(MotionBounds {
        radius: number("radius")?,
        velocity: vector(&velocity, name)?,
        acceleration: number("acceleration")?,
        angular_velocity: number("angular_velocity")?,
        angular_acceleration: number("angular_acceleration")?,
    })
}

/// A lower bound on the time until two bodies at a distance, which may be a lower bound itself, can touch; infinite if
/// they never can.
#[pyfunction]
pub fn time_to_contact(distance: f64, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(clearance::world::time_to_contact(distance, &motion_of(a, "a")?, &motion_of(b, "b")?))
}

#[pymethods]
impl PyWorld {
    /// Tests the pairs that are due at the time `now`, and reschedules each for the time before which it cannot touch:
    /// `ScheduledContacts`. The bodies have their poses of `now`; `motions` gives for each, by its handle, with a
    /// `MotionBounds`, how it moves from now on, in the units of that time. Others are at rest.
    ///
    /// Pairs are those of the rules; the margin of the rule counts as contact. Pairs in contact are tested in every
    /// call. If a body comes to move differently, call `disturb`. As long as the bounds hold, no contact
    /// at a time of a call is missed.
    #[pyo3(signature = (now, motions=None))]
    fn next_contacts<'py>(
        &self,
        py: Python<'py>,
        now: f64,
        motions: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if now.is_nan() {
            return Err(wrong(py, "now", "it is not a number"));
        }
        let inner = &mut *self.lock(py);
        let mut known: BTreeMap<BodyId, MotionBounds> = BTreeMap::new();
        for (body, motion) in motions.into_iter().flatten() {
            let body: u64 = body.extract().map_err(|_| wrong(py, "motions", "its keys are not handles of bodies"))?;
            known.insert(inner.id(py, body)?, motion_of(&motion, &format!("motions[{body}]"))?);
        }
        let (world, schedule) = (&inner.world, &mut inner.schedule);
        let motion = |id: BodyId| known.get(&id).copied().unwrap_or_default();
        let ScheduledContacts { contacts, looked_at } = to_its_end(py, || world.next_contacts(schedule, now, motion))?;
        let mut told = Vec::with_capacity(contacts.len());
        for ([a, b], answer) in contacts {
            let pose = |id| inner.world.pose(id).map_err(|error| no_answer(py, "body", &error));
            let (pose_a, pose_b, a, b) = (pose(a)?, pose(b)?, inner.number(a), inner.number(b));
            let question = Pair { a: inner.shape(py, a)?, pose_a, b: inner.shape(py, b)?, pose_b };
            told.push((a, b, PyDistance { answer, question }));
        }
        package(py, "ScheduledContacts")?.call1((told, looked_at))
    }

    /// Makes all pairs of a body due at once: it moves differently from the bounds given to `next_contacts`.
    fn disturb(&self, py: Python<'_>, body: u64) -> PyResult<()> {
        let inner = &mut *self.lock(py);
        let id = inner.id(py, body)?;
        inner.schedule.disturb(id);
        Ok(())
    }

    /// The earliest time at which a pair is due: before it `next_contacts` tests nothing. None if no pair waits.
    #[getter]
    fn next_due(&self, py: Python<'_>) -> Option<f64> {
        self.lock(py).schedule.earliest()
    }
}
