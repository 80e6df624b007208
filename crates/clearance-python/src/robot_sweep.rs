//! Motions of robots: what meets first on the way, or the proof that nothing does.

use std::sync::Arc;

use clearance_robot::{Checker, Error, MotionClearance, MotionImpact, PathSweep, Sweep, SweepOptions};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::answer::Bracketed;
use crate::array::{doubles, shape_of as array_shape};
use crate::batch::{read_all, sequence};
use crate::error::{bad_robot, bad_state, not_proved, wrong};
use crate::give::{Column, Give, Reduced};
use crate::robot::{Configurations, PyRobot, configurations_array, numbers_of_pairs, told};
use crate::state::{fields, read, restored, variants, write};
use crate::work::{at_length, each, each_at_length};

/// How a motion is checked, from arguments.
fn options_of(py: Python<'_>, resolution: f64, clearance: Option<f64>, budget: u64) -> PyResult<SweepOptions> {
    // Written so that a NaN is refused.
    if !(resolution > 0.0 && resolution <= 1.0) {
        return Err(wrong(py, "resolution", format_args!("{resolution} is not more than 0 and at most 1")));
    }
    if let Some(wide) = clearance.filter(|wide| wide.is_nan() || *wide < 0.0) {
        return Err(wrong(py, "clearance", format_args!("{wide} is not 0 or more")));
    }
    Ok(SweepOptions { resolution, clearance, budget, ..SweepOptions::default() })
}

impl PyRobot {
    /// The motion from one configuration to another, or with `many` those of two arrays, each with what was found.
    fn motions(
        &self,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        options: SweepOptions,
        many: bool,
    ) -> PyResult<(Vec<Sweep>, Vec<Arc<Way>>)> {
        let (py, checker) = (start.py(), &self.checker);
        let from = Configurations::of(self.robot(), start, "start", many)?;
        let to = Configurations::of(self.robot(), end, "end", many)?;
        let (from, to) = (from.rows(), to.rows());
        if from.len() != to.len() {
            return Err(wrong(py, "end", format_args!("{} ends for {} starts", to.len(), from.len())));
        }
        let found =
            each(py, from.len(), |index| checker.sweep(&mut checker.state(), from[index], to[index], &options))?;
        let name = |index| if many { format!("start[{index}], end[{index}]") } else { "start, end".to_owned() };
        Ok((told(py, name, found)?, ways_of(&from, &to, options)))
    }
}

#[pymethods]
impl PyRobot {
    /// The first impact on the way from one configuration to another, every joint in a straight line; or the proof that
    /// there is none. Angles are not wrapped: a joint moves from the one number to the other.
    ///
    /// `resolution`: the shortest interval that is tested, as a fraction of the motion; what cannot be shown to be free
    /// at this length counts as an impact. `clearance`: also find the least clearance of a free motion, to within this.
    /// `budget`: how many intervals are tested, after which the next one counts as an unseen impact.
    #[pyo3(signature = (start, end, *, resolution=1e-6, clearance=None, budget=1_000_000))]
    fn sweep(
        slf: &Bound<'_, Self>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        resolution: f64,
        clearance: Option<f64>,
        budget: u64,
    ) -> PyResult<PyRobotSweep> {
        let options = options_of(slf.py(), resolution, clearance, budget)?;
        let (mut answers, mut ways) = slf.get().motions(start, end, options, false)?;
        Ok(PyRobotSweep { answer: answers.remove(0), way: ways.remove(0), robot: slf.clone().unbind() })
    }

    /// The first impact on the way through configurations (N, V), every joint in a straight line between two of them:
    /// as `sweep`, with times of the trajectory in place of fractions of the motion. `times`, (N,), says when each is
    /// reached, and must increase; by default they are at 0, 1, 2 and so on. `resolution` and `budget` apply to each
    /// piece.
    #[pyo3(signature = (points, times=None, *, resolution=1e-6, clearance=None, budget=1_000_000))]
    fn sweep_path(
        slf: &Bound<'_, Self>,
        points: &Bound<'_, PyAny>,
        times: Option<&Bound<'_, PyAny>>,
        resolution: f64,
        clearance: Option<f64>,
        budget: u64,
    ) -> PyResult<PyRobotSweep> {
        let (py, checker) = (slf.py(), &slf.get().checker);
        let options = options_of(py, resolution, clearance, budget)?;
        let given = Configurations::of(checker.robot(), points, "points", true)?;
        let points = given.owned();
        if points.len() < 2 {
            return Err(wrong(py, "points", format_args!("expected at least 2 configurations, got {}", points.len())));
        }
        let times = match times {
            None => None,
            Some(times) => {
                let numbers = doubles(times, "times")?;
                if *numbers.shape() != [points.len()] {
                    let shape = array_shape(numbers.shape());
                    return Err(wrong(py, "times", format_args!("the shape is {shape}, not ({},)", points.len())));
                }
                Some(numbers.all().to_vec())
            }
        };
        let found = at_length(py, || checker.sweep_path(&mut checker.state(), &points, times.as_deref(), &options))?;
        // All but the times has been validated.
        let path = found.map_err(|error| {
            let argument = if matches!(error, Error::BadOption { .. }) { "times" } else { "points" };
            bad_robot(py, argument, &error)
        })?;
        let PathSweep { impact, clearance, stretches, .. } = path.clone();
        let course = Course::Path { points, times, path };
        let (answer, way) = (Sweep { impact, clearance, stretches }, Arc::new(Way { course, options }));
        Ok(PyRobotSweep { answer, way, robot: slf.clone().unbind() })
    }

    /// The first impact of each of many motions, from (N, V) to (N, V), on all cores: as `sweep`.
    #[pyo3(signature = (start, end, *, resolution=1e-6, clearance=None, budget=1_000_000))]
    fn sweep_batch(
        slf: &Bound<'_, Self>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        resolution: f64,
        clearance: Option<f64>,
        budget: u64,
    ) -> PyResult<PyRobotSweeps> {
        let options = options_of(slf.py(), resolution, clearance, budget)?;
        let (answers, ways) = slf.get().motions(start, end, options, true)?;
        Ok(PyRobotSweeps { answers, ways, robot: slf.clone().unbind() })
    }
}

fields! {
    MotionImpact { pair, lower, upper, met, point, q }
    MotionClearance { lower, upper, pair, at }
    Sweep { impact, clearance, stretches }
    PathSweep { impact, clearance, stretches, pieces }
    SweepOptions { resolution, clearance, budget, culling }
    Way { course, options }
}

variants! {
    Course { 0 = Motion(ends), 1 = Path { points, times, path }, }
}

/// Whether what was found of a motion can be of a robot: pairs that it has, configurations of its length.
fn is_of(checker: &Checker, sweep: &Sweep) -> bool {
    let (pairs, width) = (checker.pairs().len(), checker.robot().variables().len());
    sweep.impact.as_ref().is_none_or(|impact| impact.pair < pairs && impact.q.len() == width)
        && sweep.clearance.as_ref().is_none_or(|clearance| clearance.pair < pairs)
}

/// A motion that was asked about, or a trajectory with what was found of its pieces.
#[derive(PartialEq)]
enum Course {
    Motion([Vec<f64>; 2]),
    Path { points: Vec<Vec<f64>>, times: Option<Vec<f64>>, path: PathSweep },
}

/// What was asked.
#[derive(PartialEq)]
struct Way {
    course: Course,
    options: SweepOptions,
}

impl Way {
    /// The configurations it goes through, and when.
    fn points(&self) -> (Vec<Vec<f64>>, Vec<f64>) {
        match &self.course {
            Course::Motion(ends) => (ends.to_vec(), vec![0.0, 1.0]),
            Course::Path { points, times, .. } => {
                let times = times.clone().unwrap_or_else(|| (0..points.len()).map(|number| number as f64).collect());
                (points.clone(), times)
            }
        }
    }

    /// Verifies what was found about it.
    fn prove(&self, checker: &Checker, answer: &Sweep) -> Result<(), Error> {
        match &self.course {
            Course::Motion([from, to]) => checker.verify_sweep(answer, from, to, &self.options),
            Course::Path { points, times, path } => checker.verify_path(path, points, times.as_deref(), &self.options),
        }
    }
}

/// The motions between configurations, one by one.
fn ways_of(from: &[&[f64]], to: &[&[f64]], options: SweepOptions) -> Vec<Arc<Way>> {
    let way = |(from, to): (&&[f64], &&[f64])| {
        Arc::new(Way { course: Course::Motion([from.to_vec(), to.to_vec()]), options })
    };
    from.iter().zip(to).map(way).collect()
}

/// The result of a sweep. Times are fractions of the motion: 0 at its start, 1 at its end; of
/// `Robot.sweep_path` they are those of the trajectory.
#[pyclass(frozen, name = "RobotSweep", module = "clearance")]
pub struct PyRobotSweep {
    answer: Sweep,
    way: Arc<Way>,
    robot: Py<PyRobot>,
}

/// A motion of a robot, for a page: who moves, through which configurations, when, and what was found.
pub struct Performance<'a> {
    pub robot: &'a Py<PyRobot>,
    pub points: Vec<Vec<f64>>,
    pub times: Vec<f64>,
    pub found: &'a Sweep,
}

impl PyRobotSweep {
    /// What a page shows of it.
    pub fn performance(&self) -> Performance<'_> {
        let (points, times) = self.way.points();
        Performance { robot: &self.robot, points, times, found: &self.answer }
    }
}

/// The results of many sweeps: an array for each field of `RobotSweep`, and a `RobotSweep` for
/// each index. Pairs are indices into `Robot.pairs`, -1 for none; times and lengths are infinite there, points
/// zero.
#[pyclass(frozen, sequence, name = "RobotSweeps", module = "clearance")]
pub struct PyRobotSweeps {
    answers: Vec<Sweep>,
    ways: Vec<Arc<Way>>,
    robot: Py<PyRobot>,
}

sequence!(PyRobotSweeps: PyRobotSweep, |it, py, place| {
    let (answer, way) = (it.answers[place].clone(), it.ways[place].clone());
    Ok(PyRobotSweep { answer, way, robot: it.robot.clone_ref(py) })
});

/// Fields that are the same of one motion and of many.
macro_rules! swept {
    ($($(#[$doc:meta])* $name:ident: |$sweep:ident| $value:expr;)*) => {
        #[pymethods]
        impl PyRobotSweep {$(
            $(#[$doc])*
            #[getter]
            fn $name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                let $sweep = &self.answer;
                $value.give(py)
            }
        )*}

        #[pymethods]
        impl PyRobotSweeps {$(
            $(#[$doc])*
            #[getter]
            fn $name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                Column::column(py, self.answers.iter().map(|$sweep| Some($value)))
            }
        )*}
    };
}

swept! {
    /// Whether the motion is proved to be free.
    free: |sweep| sweep.impact.is_none();
    /// Proved: no impact before this. None (in a batch: infinite) if the motion is free.
    lower: |sweep| sweep.impact.as_ref().map(|impact| impact.lower);
    /// The end of the interval: the resolution later, or a few times that where contact was seen then.
    upper: |sweep| sweep.impact.as_ref().map(|impact| impact.upper);
    /// Whether the pair was seen to meet in the interval. If not, it comes so near that the resolution, or the budget,
    /// does not suffice to decide.
    met: |sweep| sweep.impact.as_ref().is_some_and(|impact| impact.met);
    /// A common point, or the middle between the nearest points, in the world. None (in a batch: zero) if the motion is
    /// free.
    point: |sweep| sweep.impact.as_ref().map(|impact| impact.point);
    /// The time of the least clearance, if that was requested and the motion is free.
    nearest_at: |sweep| sweep.clearance.as_ref().map(|clearance| clearance.at);
    /// The least gap of all pairs over the motion, minus padding, as a `Bracket`; None unless it was requested and
    /// the motion is free. In a batch (N, 3): value, lower, upper.
    clearance: |sweep| sweep.clearance.as_ref().map(Bracketed::bracket);
    /// How many intervals were tested.
    stretches: |sweep| sweep.stretches;
}

#[pymethods]
impl PyRobotSweep {
    /// The pair that meets first, by its names; None if the motion is free.
    #[getter]
    fn pair(&self) -> Option<(String, String)> {
        self.answer.impact.as_ref().map(|impact| self.robot.get().names(impact.pair))
    }

    /// The tested configuration of the impact; None if the motion is free.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.answer.impact.as_ref().map(|impact| PyArray1::from_slice(py, &impact.q))
    }

    /// The pair of the least gap, by its names.
    #[getter]
    fn nearest(&self) -> Option<(String, String)> {
        self.answer.clearance.as_ref().map(|clearance| self.robot.get().names(clearance.pair))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyRobotSweep>().is_ok_and(|other| {
            let other = other.get();
            self.answer == other.answer && self.way == other.way && self.robot.get().same(other.robot.get())
        })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> Reduced<'py, (Py<PyRobot>, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (py, it) = (slf.py(), slf.get());
        let [answer, way] = [write(&it.answer), write(&*it.way)].map(|state| PyBytes::new(py, &state));
        restored(slf, (it.robot.clone_ref(py), answer, way))
    }

    /// From the bytes of a pickle: what was found, and what was asked.
    #[classmethod]
    fn _restore(
        _: &Bound<'_, PyType>,
        robot: &Bound<'_, PyRobot>,
        answer: &[u8],
        way: &[u8],
    ) -> PyResult<PyRobotSweep> {
        let checker = &robot.get().checker;
        let (answer, way): (Sweep, Way) = (read(answer)?, read(way)?);
        let (pieces, points): (&[Sweep], Vec<&Vec<f64>>) = match &way.course {
            Course::Motion(ends) => (&[], ends.iter().collect()),
            Course::Path { points, path, .. } => (&path.pieces, points.iter().collect()),
        };
        let known = points.into_iter().all(|point| checker.robot().check_configuration(point).is_ok());
        if !known || !is_of(checker, &answer) || !pieces.iter().all(|piece| is_of(checker, piece)) {
            return Err(bad_state());
        }
        Ok(PyRobotSweep { answer, way: Arc::new(way), robot: robot.clone().unbind() })
    }

    /// Verifies it with independent code: raises `NotProvedError` if a claim does not hold. Much slower than the sweep.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let proved = at_length(py, || self.way.prove(&self.robot.get().checker, &self.answer))?;
        proved.map_err(|error| not_proved(py, None, &error))
    }

    fn __repr__(&self) -> String {
        match &self.answer.impact {
            None => "RobotSweep(free)".to_owned(),
            Some(impact) => {
                let (a, b) = self.robot.get().names(impact.pair);
                format!("RobotSweep('{a}' and '{b}', lower={:?}, upper={:?})", impact.lower, impact.upper)
            }
        }
    }
}

#[pymethods]
impl PyRobotSweeps {
    /// The pair that meets first, (N,).
    #[getter]
    fn pair<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        numbers_of_pairs(py, self.answers.iter().map(|sweep| sweep.impact.as_ref().map(|impact| impact.pair)))
    }

    /// The pair of the least gap, (N,).
    #[getter]
    fn nearest<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        numbers_of_pairs(py, self.answers.iter().map(|sweep| sweep.clearance.as_ref().map(|it| it.pair)))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyRobotSweeps>().is_ok_and(|other| {
            let other = other.get();
            self.answers == other.answers && self.ways == other.ways && self.robot.get().same(other.robot.get())
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Bound<'py, PyTuple>> {
        let (py, it) = (slf.py(), slf.get());
        let width = it.robot.get().robot().variables().len();
        let ends = |which: usize| {
            let end = |way: &Arc<Way>| match &way.course {
                Course::Motion(ends) => ends[which].clone(),
                Course::Path { .. } => Vec::new(),
            };
            let ends: Vec<Vec<f64>> = it.ways.iter().map(end).collect();
            configurations_array(py, width, ends.iter().map(Vec::as_slice))
        };
        // One call has asked about all of them.
        let SweepOptions { resolution, clearance, budget, .. } =
            it.ways.first().map_or_else(SweepOptions::default, |way| way.options);
        let (start, end, states) = (ends(0)?, ends(1)?, vec![it._state(py)]);
        let parts = (it.robot.clone_ref(py), start, end, states, resolution, clearance, budget);
        restored(slf, parts.into_pyobject(py)?)
    }

    /// The answers as bytes, without their queries: for answers from another process.
    fn _state<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &write(&self.answers))
    }

    /// The answers about motions of a robot, from the bytes of their parts in order.
    #[classmethod]
    #[pyo3(signature = (robot, start, end, states, resolution=1e-6, clearance=None, budget=1_000_000))]
    #[allow(clippy::too_many_arguments, reason = "what `sweep_batch` takes, and what it found")]
    fn _restore(
        class: &Bound<'_, PyType>,
        robot: &Bound<'_, PyRobot>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        states: Vec<Bound<'_, PyBytes>>,
        resolution: f64,
        clearance: Option<f64>,
        budget: u64,
    ) -> PyResult<PyRobotSweeps> {
        let checker = &robot.get().checker;
        let options = options_of(class.py(), resolution, clearance, budget)?;
        let [from, to] = [
            Configurations::of(checker.robot(), start, "start", true)?,
            Configurations::of(checker.robot(), end, "end", true)?,
        ];
        let ways = ways_of(&from.rows(), &to.rows(), options);
        let answers: Vec<Sweep> = read_all(&states, ways.len())?;
        if from.count != to.count || !answers.iter().all(|answer| is_of(checker, answer)) {
            return Err(bad_state());
        }
        Ok(PyRobotSweeps { answers, ways, robot: robot.clone().unbind() })
    }

    /// Verifies all of it, on all cores: raises `NotProvedError` with the first motion with a claim that does not
    /// hold.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let checker = &self.robot.get().checker;
        let proved =
            each_at_length(py, self.answers.len(), |index| self.ways[index].prove(checker, &self.answers[index]))?;
        let refused =
            |(index, proved): (usize, Result<(), Error>)| proved.map_err(|error| not_proved(py, Some(index), &error));
        proved.into_iter().enumerate().try_for_each(refused)
    }

    fn __repr__(&self) -> String {
        let free = self.answers.iter().filter(|sweep| sweep.impact.is_none()).count();
        format!("RobotSweeps({} motions, {free} free)", self.answers.len())
    }
}
