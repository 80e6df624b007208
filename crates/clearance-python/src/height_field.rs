//! Questions that only terrain has, as methods of `HeightField`: all in the field's own frame, and about its surface.
//!
//! Answers are numbers alone, without what was asked: their `verify` takes it.

use std::ops::ControlFlow;

use clearance::glam::{DVec2, DVec3};
use clearance::query::RayOptions;
use clearance::shape::{HeightField, HeightSample, SurfaceDistance, SurfaceHit, SurfacePoint, Wheel, WheelContact};
use clearance::verify::Refusal;
use clearance::{Error, Shape};
use numpy::{PyArray1, PyArray2, PyArray3};
use pyo3::prelude::*;

use crate::answer::{bracket, getters, may_miss};
use crate::array::{Points, doubles, indices, rows_of, shape_of, vector};
use crate::batch::{each_that_can, sequence};
use crate::error::{not_proved, refused, wrong};
use crate::give::{points as points_array, segments};
use crate::kinds::PyHeightField;
use crate::rays::{options_of, ray_of};
use crate::room::room_for;
use crate::state::pickled;
use crate::work::{each, here};

/// The class of an answer and the class of many of them, with the number, its bracket, and the fields of the answer by
/// the names that Python has for them. All have a triangle, which may be none.
macro_rules! surface_answer {
    (
        $(#[$doc:meta])* $class:ident = $name:literal of $answer:ty;
        $(#[$many_doc:meta])* $many:ident = $many_name:literal;
        bracket { $($bracket:tt)* }
        $(#[$triangle_doc:meta])* triangle,
        $($fields:tt)*
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, eq, name = $name, module = "clearance")]
        #[derive(PartialEq)]
        pub struct $class {
            answer: $answer,
        }

        $(#[$many_doc])*
        #[pyclass(frozen, eq, sequence, name = $many_name, module = "clearance")]
        #[derive(PartialEq)]
        pub struct $many {
            answers: Vec<Option<$answer>>,
        }

        bracket!($class = $name, $many; $($bracket)*);
        getters!($class, $many; $($fields)*);
        sequence!($many: Option<$class>, |it, _py, place| Ok(it.answers[place].map(|answer| $class { answer })));
        pickled!($class: answer, $many: answers);

        #[pymethods]
        impl $class {
            $(#[$triangle_doc])*
            #[getter]
            fn triangle(&self) -> Option<u32> {
                self.answer.triangle.into()
            }
        }

        #[pymethods]
        impl $many {
            $(#[$triangle_doc])*
            #[getter]
            fn triangle<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
                let number = |answer: &$answer| Option::<u32>::from(answer.triangle);
                let numbers = self.answers.iter().map(|answer| answer.as_ref().and_then(number).map_or(-1, i64::from));
                PyArray1::from_vec(py, numbers.collect())
            }

            fn __repr__(&self) -> String {
                format!("{}({})", $many_name, self.answers.len())
            }
        }
    };
}

surface_answer! {
    /// The height of terrain at a point.
    PyHeightSample = "HeightSample" of HeightSample;
    /// Heights of terrain: an array for each field of `HeightSample`, and one or None for each index. Where a place is
    /// outside the footprint, `hit` is False, `triangle` -1, numbers infinite and the normal zero.
    PyHeightSamples = "HeightSamples";
    bracket {
        /// The height of the surface, in the field's frame; rounded.
        value,
        /// Proved: the height is at least this.
        lower,
        /// Proved: the height is at most this.
        upper,
    }
    /// The triangle over which the place lies; one of them over an edge or a grid point.
    triangle,
    /// Unit, of that triangle, upwards.
    normal: normal,
}

surface_answer! {
    /// Where a ray meets the surface of terrain.
    PySurfaceHit = "SurfaceHit" of SurfaceHit;
    /// Where rays meet the surface of terrain: an array for each field of `SurfaceHit`, and one or None for each index.
    /// Where a ray misses, `hit` and `from_below` are False, `triangle` is -1, numbers are infinite, point and normal
    /// zero.
    PySurfaceHits = "SurfaceHits";
    bracket {
        /// Where on the ray, in multiples of its direction; rounded.
        value,
        /// Proved: the hit is here or later.
        lower,
        /// Proved: the hit is here or earlier.
        upper,
    }
    /// The triangle that is met; one of them at an edge or a grid point.
    triangle,
    /// The point of the ray there, in the field's frame; rounded.
    point: point,
    /// Unit, of the triangle, upwards, whichever side the ray comes from.
    normal: normal,
    /// Whether the ray goes from below the triangle's plane to above it. Exact; False where it lies in the plane.
    from_below: from_below,
}

surface_answer! {
    /// The nearest point of the surface of terrain.
    PySurfacePoint = "SurfacePoint" of SurfacePoint;
    /// Nearest points of the surface of terrain: an array for each field of `SurfacePoint`, and one for each index.
    PySurfacePoints = "SurfacePoints";
    bracket {
        /// The distance to the surface, from above or below; rounded.
        value,
        /// Proved: no point of the surface is nearer than this.
        lower,
        /// Proved: some point of the surface is not farther than this.
        upper,
    }
    /// The triangle it lies on; one of them at an edge or a grid point.
    triangle,
    /// The nearest point, in the field's frame; rounded.
    point: point,
}

surface_answer! {
    /// The signed distance of a point to the boundary of the ground.
    PySurfaceDistance = "SurfaceDistance" of SurfaceDistance;
    /// Signed distances to the ground: an array for each field of `SurfaceDistance`, and one for each index. Where the
    /// nearest point is on a side of the ground, `triangle` is -1.
    PySurfaceDistances = "SurfaceDistances";
    bracket {
        /// The distance to the boundary, the sides included; negative in the ground. Rounded; its sign is exact.
        value,
        /// Proved: the signed distance is at least this.
        lower,
        /// Proved: the signed distance is at most this.
        upper,
    }
    /// The triangle it lies on; None on a side of the ground, below the edge of the footprint.
    triangle,
    /// The nearest point of the boundary, in the field's frame; rounded.
    point: point,
}

surface_answer! {
    /// The ground below a wheel, or above it.
    PyWheelContact = "WheelContact" of WheelContact;
    /// The ground below wheels: an array for each field of `WheelContact`, and one or None for each index. Where there
    /// is no ground, `hit` is False, `triangle` -1, numbers infinite, point and normal zero.
    PyWheelContacts = "WheelContacts";
    bracket {
        /// The clearance: the height of the lowest point of the wheel above the ground, along the up direction;
        /// negative if it has sunk in. Rounded.
        value,
        /// Proved: the clearance is at least this.
        lower,
        /// Proved: the clearance is at most this.
        upper,
    }
    /// The triangle there.
    triangle,
    /// Where the line through the wheel's centre meets the ground, in the field's frame.
    point: point,
    /// Unit, of the ground there, upwards.
    normal: normal,
}

/// Says whether an answer is proved.
fn proved(py: Python<'_>, verified: Result<(), Refusal>) -> PyResult<()> {
    verified.map_err(|refusal| not_proved(py, None, &refusal))
}

#[pymethods]
impl PyHeightSample {
    /// Verifies the height of a field at a point, with independent code. Raises `NotProvedError`.
    fn verify(&self, field: &Bound<'_, PyHeightField>, x: f64, y: f64) -> PyResult<()> {
        let ground = PyHeightField::field(field)?;
        proved(field.py(), self.answer.verify(ground, x, y))
    }
}

#[pymethods]
impl PySurfaceHit {
    /// Verifies that a ray meets the surface here, from `t_from` to `t_to`, with independent code. Raises
    /// `NotProvedError`.
    #[pyo3(signature = (field, origin, direction, *, t_from=0.0, t_to=f64::INFINITY))]
    fn verify(
        &self,
        field: &Bound<'_, PyHeightField>,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
        t_from: f64,
        t_to: f64,
    ) -> PyResult<()> {
        let (py, ground) = (field.py(), PyHeightField::field(field)?);
        let (ray, options) = (ray_of(origin, direction)?, options_of(py, t_from, t_to, false)?);
        proved(py, self.answer.verify(ground, &ray, &options))
    }
}

#[pymethods]
impl PySurfacePoint {
    /// Verifies that no point of the surface is nearer to a point, with independent code. Raises
    /// `NotProvedError`.
    fn verify(&self, field: &Bound<'_, PyHeightField>, point: &Bound<'_, PyAny>) -> PyResult<()> {
        let (ground, query) = (PyHeightField::field(field)?, vector(point, "point")?);
        proved(field.py(), self.answer.verify(ground, query))
    }
}

#[pymethods]
impl PySurfaceDistance {
    /// Verifies the distance of a point to the ground, with independent code. Raises `NotProvedError`.
    fn verify(&self, field: &Bound<'_, PyHeightField>, point: &Bound<'_, PyAny>) -> PyResult<()> {
        let (ground, query) = (PyHeightField::field(field)?, vector(point, "point")?);
        proved(field.py(), self.answer.verify(ground, query))
    }
}

#[pymethods]
impl PyWheelContact {
    /// Verifies where the line through a wheel's centre meets the ground, with independent code. Raises
    /// `NotProvedError`.
    #[pyo3(signature = (field, center, radius, up=None))]
    fn verify(
        &self,
        field: &Bound<'_, PyHeightField>,
        center: &Bound<'_, PyAny>,
        radius: f64,
        up: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let ground = PyHeightField::field(field)?;
        let wheel = Wheel { center: vector(center, "center")?, radius };
        let up = up.map_or(Ok(DVec3::Z), |up| vector(up, "up"))?;
        proved(field.py(), self.answer.verify(ground, &wheel, up))
    }
}

may_miss!(PyHeightSamples, PySurfaceHits, PyWheelContacts: "Where there is an answer.");

/// An argument that is one for all questions, or has one for each.
enum OneOrEach<T> {
    One(T),
    Each(Vec<T>),
}

impl<T: Copy> OneOrEach<T> {
    fn at(&self, index: usize) -> T {
        match self {
            OneOrEach::One(value) => *value,
            OneOrEach::Each(values) => values[index],
        }
    }

    /// What an error about a question calls it.
    fn name(&self, name: &str, index: usize) -> String {
        match self {
            OneOrEach::One(_) => name.to_string(),
            OneOrEach::Each(_) => format!("{name}[{index}]"),
        }
    }
}

/// A number, or one for each of `count` questions.
fn number_or_each(argument: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<OneOrEach<f64>> {
    let given = doubles(argument, name)?;
    match (given.shape(), given.all()) {
        ([], &[number]) => Ok(OneOrEach::One(number)),
        (&[length], numbers) if length == count => Ok(OneOrEach::Each(numbers.to_vec())),
        (other, _) => {
            let problem = format_args!("the shape is {}, not () or ({count},)", shape_of(other));
            Err(wrong(argument.py(), name, problem))
        }
    }
}

/// A vector, or one for each of `count` questions.
fn vector_or_each(argument: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<OneOrEach<DVec3>> {
    let given = doubles(argument, name)?;
    match given.shape() {
        [3] => vector(argument, name).map(OneOrEach::One),
        &[length, 3] if length == count => Ok(OneOrEach::Each(Points::of(argument, name)?.vectors())),
        other => {
            let problem = format_args!("the shape is {}, not (3,) or ({count}, 3)", shape_of(other));
            Err(wrong(argument.py(), name, problem))
        }
    }
}

/// A place of the plane.
fn place(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<DVec2> {
    let given = doubles(argument, name)?;
    match (given.shape(), given.all()) {
        ([2], &[x, y]) => Ok(DVec2::new(x, y)),
        (other, _) => Err(wrong(argument.py(), name, format_args!("the shape is {}, not (2,)", shape_of(other)))),
    }
}

/// Places of the plane, (N, 2).
fn places(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<DVec2>> {
    room_for(argument.py(), name, rows_of(argument), "places", 2 * size_of::<DVec2>() as u128)?;
    let given = doubles(argument, name)?;
    let [_, 2] = given.shape() else {
        let problem = format_args!("the shape is {}, not (N, 2)", shape_of(given.shape()));
        return Err(wrong(argument.py(), name, problem));
    };
    Ok(given.all().as_chunks::<2>().0.iter().map(|&place| DVec2::from_array(place)).collect())
}

/// As many as there are of another argument.
fn as_many(py: Python<'_>, (name, count): (&str, usize), (others, expected): (&str, usize)) -> PyResult<()> {
    if count == expected {
        return Ok(());
    }
    Err(wrong(py, name, format_args!("{count} of them, and {expected} of `{others}`")))
}

/// The quantity that an error of the engine is about, in its words.
fn quantity(error: &Error) -> &'static str {
    match error {
        Error::NotFinite { what, .. }
        | Error::TooLarge { what, .. }
        | Error::NotPositive { what, .. }
        | Error::TooSmall { what, .. } => what,
        _ => "",
    }
}

/// The argument of a ray that an error is about.
fn of_ray(error: &Error) -> &'static str {
    if quantity(error) == "origin" { "origin" } else { "direction" }
}

/// A ray and the part of it that counts, from arguments.
struct Line {
    origin: DVec3,
    direction: DVec3,
    options: RayOptions,
}

impl Line {
    fn of(origin: &Bound<'_, PyAny>, direction: &Bound<'_, PyAny>, t_from: f64, t_to: f64) -> PyResult<Line> {
        let options = options_of(origin.py(), t_from, t_to, false)?;
        Ok(Line { origin: vector(origin, "origin")?, direction: vector(direction, "direction")?, options })
    }

    /// The answer to a question about it.
    fn ask<A: Send>(
        &self,
        py: Python<'_>,
        answer: impl Fn(DVec3, DVec3, f64, f64) -> Result<A, Error> + Send + Sync,
    ) -> PyResult<A> {
        let Line { origin, direction, options } = *self;
        let answer = here(py, || answer(origin, direction, options.from, options.to))?;
        answer.map_err(|error| refused(py, of_ray(&error), &error))
    }
}

/// Rays and the part of each that counts, from arguments.
struct Lines {
    origins: Vec<DVec3>,
    directions: Vec<DVec3>,
    options: RayOptions,
}

impl Lines {
    fn of(origins: &Bound<'_, PyAny>, directions: &Bound<'_, PyAny>, t_from: f64, t_to: f64) -> PyResult<Lines> {
        let options = options_of(origins.py(), t_from, t_to, false)?;
        let from = Points::of(origins, "origins")?.vectors();
        let along = Points::of(directions, "directions")?.vectors();
        as_many(origins.py(), ("directions", along.len()), ("origins", from.len()))?;
        Ok(Lines { origins: from, directions: along, options })
    }

    /// The answer to a question about each.
    fn ask<A: Send>(
        &self,
        py: Python<'_>,
        answer: impl Fn(DVec3, DVec3, f64, f64) -> Result<A, Error> + Send + Sync,
    ) -> PyResult<Vec<A>> {
        let RayOptions { from, to, .. } = self.options;
        let one = |index: usize| answer(self.origins[index], self.directions[index], from, to);
        let named = |index: usize, error| refused(py, &format!("{}s[{index}]", of_ray(&error)), &error);
        each_that_can(py, self.origins.len(), false, one, named)
    }
}

/// All hits of a ray.
fn all_hits(
    field: &HeightField,
    origin: DVec3,
    direction: DVec3,
    from: f64,
    to: f64,
) -> Result<Vec<Option<SurfaceHit>>, Error> {
    let mut hits = Vec::new();
    field.ray_cast_all(origin, direction, from, to, |hit| {
        hits.push(Some(hit));
        ControlFlow::Continue(())
    })?;
    Ok(hits)
}

/// The triangles over a window, ascending.
fn triangles_over(field: &HeightField, least: DVec2, greatest: DVec2, z_min: f64) -> Vec<u32> {
    let mut found = Vec::new();
    let _ = field.for_each_triangle_in(least, greatest, z_min, |triangle, _| {
        found.push(triangle);
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}

/// Refuses a window of which something is not a number; the arguments that make it are named only then.
fn check_window(
    py: Python<'_>,
    (least, greatest, z_min): (DVec2, DVec2, f64),
    named: impl FnOnce(&str) -> String,
) -> PyResult<()> {
    let parts = [("least", least.is_nan()), ("greatest", greatest.is_nan()), ("z_min", z_min.is_nan())];
    match parts.iter().find(|(_, is_nan)| *is_nan) {
        None => Ok(()),
        Some((name, _)) => Err(wrong(py, &named(name), "not a number")),
    }
}

/// What is said of a triangle that is not there.
fn no_triangle(py: Python<'_>, name: &str, number: i64, count: usize) -> PyErr {
    wrong(py, name, format_args!("triangle {number} does not exist: there are {count}"))
}

impl PyHeightField {
    fn field<'a>(slf: &'a Bound<'_, Self>) -> PyResult<&'a HeightField> {
        match &slf.as_super().get().shape {
            Shape::HeightField(field) => Ok(field),
            _ => Err(wrong(slf.py(), "self", "not a height field")),
        }
    }

    /// The answer to a question about a point.
    fn at_point<A: Send>(
        slf: &Bound<'_, Self>,
        point: &Bound<'_, PyAny>,
        ask: impl Fn(&HeightField, DVec3) -> Result<A, Error> + Send + Sync,
    ) -> PyResult<A> {
        let (py, field, point) = (slf.py(), PyHeightField::field(slf)?, vector(point, "point")?);
        here(py, || ask(field, point))?.map_err(|error| refused(py, "point", &error))
    }

    /// The answer to a question about each of many points.
    fn at_points<A: Send>(
        slf: &Bound<'_, Self>,
        points: &Bound<'_, PyAny>,
        ask: impl Fn(&HeightField, DVec3) -> Result<A, Error> + Send + Sync,
    ) -> PyResult<Vec<Option<A>>> {
        let (py, field) = (slf.py(), PyHeightField::field(slf)?);
        let given = Points::of(points, "points")?.vectors();
        let named = |index: usize, error| refused(py, &format!("points[{index}]"), &error);
        each_that_can(py, given.len(), false, |index| ask(field, given[index]).map(Some), named)
    }
}

#[pymethods]
impl PyHeightField {
    /// Grid points along x.
    #[getter]
    fn columns(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(PyHeightField::field(slf)?.columns())
    }

    /// Grid points along y.
    #[getter]
    fn rows(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(PyHeightField::field(slf)?.rows())
    }

    /// How many triangles the surface has, two for each cell: cell `j * (columns - 1) + i` has those of twice that
    /// number, to the right of its diagonal from grid point `(i, j)` to `(i + 1, j + 1)`, and of the next, to its left.
    #[getter]
    fn triangle_count(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(PyHeightField::field(slf)?.triangle_count())
    }

    /// The bounding box of the surface, (2, 3), exact. The ground below extends down without limit, as `bounds` says.
    #[getter]
    fn surface_bounds<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let bounds = PyHeightField::field(slf)?.surface_bounds();
        points_array(slf.py(), [bounds.min, bounds.max])
    }

    /// The corners of a triangle, (3, 3), counter-clockwise from above.
    fn triangle<'py>(slf: &Bound<'py, Self>, number: i64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (py, field) = (slf.py(), PyHeightField::field(slf)?);
        let corners = u32::try_from(number).ok().and_then(|triangle| field.triangle(triangle));
        points_array(py, corners.ok_or_else(|| no_triangle(py, "number", number, field.triangle_count()))?)
    }

    /// The corners of triangles by their numbers, (N,): an array (N, 3, 3).
    fn triangle_batch<'py>(slf: &Bound<'py, Self>, numbers: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let (py, field) = (slf.py(), PyHeightField::field(slf)?);
        let given = indices(numbers, "numbers")?;
        let corners = each(py, given.len(), |index| field.triangle(given[index]))?;
        let known = corners.into_iter().zip(&given).enumerate().map(|(index, (corners, &number))| {
            let missing = || no_triangle(py, &format!("numbers[{index}]"), number.into(), field.triangle_count());
            corners.ok_or_else(missing)
        });
        segments(py, known.collect::<PyResult<Vec<_>>>()?)
    }

    /// The numbers of the triangles, ascending, of all cells that the window from `least` to `greatest`, (2,), touches;
    /// but for those that lie wholly below `z_min`.
    #[pyo3(signature = (least, greatest, *, z_min=f64::NEG_INFINITY))]
    fn triangles_in<'py>(
        slf: &Bound<'py, Self>,
        least: &Bound<'py, PyAny>,
        greatest: &Bound<'py, PyAny>,
        z_min: f64,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let (py, field) = (slf.py(), PyHeightField::field(slf)?);
        let (from, to) = (place(least, "least")?, place(greatest, "greatest")?);
        check_window(py, (from, to, z_min), str::to_string)?;
        Ok(PyArray1::from_vec(py, here(py, || triangles_over(field, from, to, z_min))?))
    }

    /// As `triangles_in` for windows by their corners, (N, 2), and one `z_min` or N of them, on all cores: a list of
    /// arrays.
    #[pyo3(signature = (least, greatest, *, z_min=None))]
    fn triangles_in_batch<'py>(
        slf: &Bound<'py, Self>,
        least: &Bound<'py, PyAny>,
        greatest: &Bound<'py, PyAny>,
        z_min: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<u32>>>> {
        let (py, field) = (slf.py(), PyHeightField::field(slf)?);
        let (from, to) = (places(least, "least")?, places(greatest, "greatest")?);
        as_many(py, ("greatest", to.len()), ("least", from.len()))?;
        let z_min = z_min.map(|z_min| number_or_each(z_min, "z_min", from.len())).transpose()?;
        let z_min = z_min.unwrap_or(OneOrEach::One(f64::NEG_INFINITY));
        for index in 0..from.len() {
            check_window(py, (from[index], to[index], z_min.at(index)), |name| match name {
                "z_min" => z_min.name(name, index),
                _ => format!("{name}[{index}]"),
            })?;
        }
        let found = each(py, from.len(), |index| triangles_over(field, from[index], to[index], z_min.at(index)))?;
        Ok(found.into_iter().map(|triangles| PyArray1::from_vec(py, triangles)).collect())
    }

    /// The height of the surface at a point; None outside the footprint, whose edge belongs to it.
    fn height_at(slf: &Bound<'_, Self>, x: f64, y: f64) -> PyResult<Option<PyHeightSample>> {
        let field = PyHeightField::field(slf)?;
        let sample = here(slf.py(), || field.height_at(x, y))?;
        Ok(sample.map(|answer| PyHeightSample { answer }))
    }

    /// The heights of the surface at points, (N, 2), on all cores.
    fn height_at_batch(slf: &Bound<'_, Self>, places: &Bound<'_, PyAny>) -> PyResult<PyHeightSamples> {
        let (py, field) = (slf.py(), PyHeightField::field(slf)?);
        let given = self::places(places, "places")?;
        let answers = each(py, given.len(), |index| field.height_at(given[index].x, given[index].y))?;
        Ok(PyHeightSamples { answers })
    }

    /// Whether a point is in the closed ground. Exact; False where a coordinate is not finite.
    fn contains(slf: &Bound<'_, Self>, point: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (field, point) = (PyHeightField::field(slf)?, vector(point, "point")?);
        here(slf.py(), || field.contains(point))
    }

    /// Which of many points, (N, 3), are in the ground, on all cores: an array of bool.
    fn contains_batch<'py>(slf: &Bound<'py, Self>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let (py, field) = (slf.py(), PyHeightField::field(slf)?);
        let given = Points::of(points, "points")?.vectors();
        Ok(PyArray1::from_vec(py, each(py, given.len(), |index| field.contains(given[index]))?))
    }

    /// The nearest point of the surface. The sides of the ground do not count.
    fn closest_point(slf: &Bound<'_, Self>, point: &Bound<'_, PyAny>) -> PyResult<PySurfacePoint> {
        Ok(PySurfacePoint { answer: PyHeightField::at_point(slf, point, HeightField::closest_point)? })
    }

    /// The nearest points of the surface to points, (N, 3), on all cores.
    fn closest_point_batch(slf: &Bound<'_, Self>, points: &Bound<'_, PyAny>) -> PyResult<PySurfacePoints> {
        Ok(PySurfacePoints { answers: PyHeightField::at_points(slf, points, HeightField::closest_point)? })
    }

    /// The signed distance of a point to the boundary of the ground, its sides included; negative in the ground.
    fn signed_distance(slf: &Bound<'_, Self>, point: &Bound<'_, PyAny>) -> PyResult<PySurfaceDistance> {
        Ok(PySurfaceDistance { answer: PyHeightField::at_point(slf, point, HeightField::signed_distance)? })
    }

    /// The signed distances of points, (N, 3), to the boundary of the ground, on all cores.
    fn signed_distance_batch(slf: &Bound<'_, Self>, points: &Bound<'_, PyAny>) -> PyResult<PySurfaceDistances> {
        Ok(PySurfaceDistances { answers: PyHeightField::at_points(slf, points, HeightField::signed_distance)? })
    }

    /// The clearance of a wheel, a disc or ball about its centre, along `up`, of any length: z without it. The ground
    /// is sought downwards from a centre above it, upwards from one in it. None if there is no ground there: the
    /// wheel hangs over the edge of the terrain.
    #[pyo3(signature = (center, radius, up=None))]
    fn wheel_on_terrain(
        slf: &Bound<'_, Self>,
        center: &Bound<'_, PyAny>,
        radius: f64,
        up: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<PyWheelContact>> {
        let (py, field) = (slf.py(), PyHeightField::field(slf)?);
        let wheel = Wheel { center: vector(center, "center")?, radius };
        let up = up.map_or(Ok(DVec3::Z), |up| vector(up, "up"))?;
        let contact = here(py, || field.wheel_on_terrain(&wheel, up))?.map_err(|error| {
            let argument = match quantity(&error) {
                "wheel centre" => "center",
                "radius" => "radius",
                _ => "up",
            };
            refused(py, argument, &error)
        })?;
        Ok(contact.map(|answer| PyWheelContact { answer }))
    }

    /// The clearances of wheels by their centers, (N, 3), on all cores: of one radius or N of them, along one `up` or N
    /// of them.
    #[pyo3(signature = (centers, radii, up=None))]
    fn wheel_on_terrain_batch(
        slf: &Bound<'_, Self>,
        centers: &Bound<'_, PyAny>,
        radii: &Bound<'_, PyAny>,
        up: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyWheelContacts> {
        let (py, field) = (slf.py(), PyHeightField::field(slf)?);
        let middles = Points::of(centers, "centers")?.vectors();
        let count = middles.len();
        let radii = number_or_each(radii, "radii", count)?;
        let up = up.map_or(Ok(OneOrEach::One(DVec3::Z)), |up| vector_or_each(up, "up", count))?;
        let contact = |index: usize| {
            let wheel = Wheel { center: middles[index], radius: radii.at(index) };
            field.wheel_on_terrain(&wheel, up.at(index))
        };
        let named = |index: usize, error| {
            let argument = match quantity(&error) {
                "wheel centre" => format!("centers[{index}]"),
                "radius" => radii.name("radii", index),
                _ => up.name("up", index),
            };
            refused(py, &argument, &error)
        };
        Ok(PyWheelContacts { answers: each_that_can(py, count, false, contact, named)? })
    }
}

/// Ray queries, each as methods of Python: of one ray, and of many by origins and directions. `by` says what
/// is asked of the field, and what is made of what it says.
macro_rules! asked_of_rays {
    ($(
        $(#[$doc:meta])*
        one $one:ident -> $answer:ty,
        $(#[$many_doc:meta])*
        many $many:ident -> $answers:ty,
        by $ask:expr, $made:expr, $made_all:expr;
    )*) => {
        #[pymethods]
        impl PyHeightField {$(
            $(#[$doc])*
            #[pyo3(signature = (origin, direction, *, t_from=0.0, t_to=f64::INFINITY))]
            fn $one<'py>(
                slf: &Bound<'py, Self>,
                origin: &Bound<'py, PyAny>,
                direction: &Bound<'py, PyAny>,
                t_from: f64,
                t_to: f64,
            ) -> PyResult<$answer> {
                let (field, line) = (PyHeightField::field(slf)?, Line::of(origin, direction, t_from, t_to)?);
                let ask = |origin, direction, from, to| ($ask)(field, origin, direction, from, to);
                let answer = line.ask(slf.py(), ask)?;
                Ok(($made)(slf.py(), answer))
            }

            $(#[$many_doc])*
            #[pyo3(signature = (origins, directions, *, t_from=0.0, t_to=f64::INFINITY))]
            fn $many<'py>(
                slf: &Bound<'py, Self>,
                origins: &Bound<'py, PyAny>,
                directions: &Bound<'py, PyAny>,
                t_from: f64,
                t_to: f64,
            ) -> PyResult<$answers> {
                let (field, lines) = (PyHeightField::field(slf)?, Lines::of(origins, directions, t_from, t_to)?);
                let ask = |origin, direction, from, to| ($ask)(field, origin, direction, from, to);
                let answers = lines.ask(slf.py(), ask)?;
                Ok(($made_all)(slf.py(), answers))
            }
        )*}
    };
}

asked_of_rays! {
    /// The first place where a ray meets the surface, from above or below, from `t_from` to `t_to`, or None. The sides
    /// of the ground are not met; nothing slips through an edge or a grid point.
    one ray_cast -> Option<PySurfaceHit>,
    /// The first places where rays, by origins and directions (N, 3), meet the surface, on all cores.
    many ray_cast_batch -> PySurfaceHits,
    by HeightField::ray_cast, |_, hit: Option<_>| hit.map(|answer| PySurfaceHit { answer }),
    |_, answers| PySurfaceHits { answers };

    /// Whether a ray hits the surface: as `ray_cast`, without computing where.
    one ray_hits -> bool,
    /// Which of many rays meet the surface, on all cores: an array of bool.
    many ray_hits_batch -> Bound<'py, PyArray1<bool>>,
    by HeightField::ray_hits, |_, hit| hit, PyArray1::from_vec;

    /// All hits of a ray with the surface, in order. A crossing at an edge or a grid point is one hit, and so is
    /// a stretch along which the ray runs in the surface: its first point.
    one ray_cast_all -> PySurfaceHits,
    /// As `ray_cast_all` for rays by origins and directions, (N, 3), on all cores: a list.
    many ray_cast_all_batch -> Vec<PySurfaceHits>,
    by all_hits, |_, answers| PySurfaceHits { answers },
    |_, all: Vec<_>| all.into_iter().map(|answers| PySurfaceHits { answers }).collect();
}
