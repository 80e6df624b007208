//! Arguments as numbers: an array of doubles is read in place, other numbers go through
//! `numpy.require`, and anything else is refused.

use clearance::glam::DVec3;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error::wrong;
use crate::room::room_for;

/// An attribute of `numpy`.
fn numpy<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py).getattr(name)
}

/// An array whose numbers lie one after the other in the order of C, each where the machine can read it.
pub struct Numbers<'py, T: Element>(PyReadonlyArrayDyn<'py, T>);

impl<'py, T: Element + Copy> Numbers<'py, T> {
    /// An array as it is; `None` if it lies otherwise in memory, or is of another kind.
    fn held(argument: &Bound<'py, PyAny>) -> Option<Numbers<'py, T>> {
        let array = argument.cast::<PyArrayDyn<T>>().ok().filter(|array| array.is_c_contiguous())?.readonly();
        // What is not aligned is not seen as a slice.
        (array.as_slice().is_ok() || array.len() == 0).then_some(Numbers(array))
    }

    /// An array that [`real`] made, as one of a kind of numpy, which is `T`; as a copy if need be.
    fn of_kind(array: &Bound<'py, PyAny>, kind: &str, name: &str) -> PyResult<Numbers<'py, T>> {
        if let Some(held) = Numbers::held(array) {
            return Ok(held);
        }
        let py = array.py();
        room_for(py, name, array.getattr("size")?.extract()?, "numbers in a copy", size_of::<T>() as u128)?;
        let made = numpy(py, "require")?.call1((array, numpy(py, kind)?, ("C", "A")))?;
        Numbers::held(&made).ok_or_else(|| PyTypeError::new_err(format!("numpy.require made no array of {kind}")))
    }

    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// The numbers where they are.
    pub fn all(&self) -> &[T] {
        self.0.as_slice().unwrap_or(&[])
    }
}

/// Any argument as an array of real numbers, whatever their kind: the one way in for all arrays. Numpy would take the
/// real part of complex numbers, parse text, count the days of dates, convert objects, and drop masks; all this
/// is refused.
fn real<'py>(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = argument.py();
    // Of other classes of arrays that of numpy alone has something to be forgotten.
    let is_plain = argument.is_exact_instance(numpy_class(py)?);
    if !is_plain && argument.is_instance(&numpy(py, "ma")?.getattr("MaskedArray")?)? {
        let masked: usize = numpy(py, "ma")?.call_method1("count_masked", (argument,))?.extract()?;
        if masked > 0 {
            return Err(wrong(
                py,
                name,
                format_args!("{masked} of its numbers are masked: fill them, or leave them out"),
            ));
        }
    }
    let array = match is_plain {
        true => argument.clone(),
        false => numpy(py, "asarray")?.call1((argument,)).map_err(|error| not_numbers(py, name, error))?,
    };
    let kind = array.getattr("dtype")?;
    match kind.getattr("kind")?.extract::<String>()?.as_str() {
        "b" | "i" | "u" | "f" => Ok(array),
        _ => Err(wrong(
            py,
            name,
            format_args!("not an array of numbers: expected real or whole numbers or bool, got an array of {kind}"),
        )),
    }
}

/// The class of plain arrays.
fn numpy_class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    Ok(CLASS.get_or_try_init(py, || numpy(py, "ndarray").map(Bound::unbind))?.bind(py))
}

/// The error for what numpy cannot convert. A lack of memory is not a fault of the argument.
fn not_numbers(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    match error.is_instance_of::<PyMemoryError>(py) {
        true => error,
        false => wrong(py, name, format_args!("not an array of numbers ({})", error.value(py))),
    }
}

/// An argument as numbers of a kind of numpy, which is `T`. No copy is made of an array that can be read as it is.
fn converted<'py, T: Element + Copy>(
    argument: &Bound<'py, PyAny>,
    name: &str,
    kind: &str,
) -> PyResult<Numbers<'py, T>> {
    let array = real(argument, name)?;
    Numbers::of_kind(&array, kind, name).map_err(|error| not_numbers(argument.py(), name, error))
}

/// An argument as doubles.
pub fn doubles<'py>(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Numbers<'py, f64>> {
    converted(argument, name, "float64")
}

/// An argument as single precision, for heights; what is given otherwise is rounded to it.
pub fn singles<'py>(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Numbers<'py, f32>> {
    converted(argument, name, "float32")
}

/// The number of rows of an argument, before it is converted: 0 if unknown.
pub fn rows_of(argument: &Bound<'_, PyAny>) -> usize {
    let rows = argument.getattr("shape").and_then(|shape| shape.get_item(0)).and_then(|rows| rows.extract());
    rows.or_else(|_| argument.len()).unwrap_or(0)
}

/// The size of an array, before it is converted: 0 if unknown.
pub fn size_of_array(argument: &Bound<'_, PyAny>) -> usize {
    argument.getattr("size").and_then(|size| size.extract()).unwrap_or(0)
}

/// The shape of an array as Python writes it.
pub fn shape_of(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    if let [one] = &sizes[..] { format!("({one},)") } else { format!("({})", sizes.join(", ")) }
}

/// Doubles of the shape `(N, 3)`, and views of them as points.
pub struct Points<'py>(Numbers<'py, f64>);

impl<'py> Points<'py> {
    pub fn of(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Points<'py>> {
        // Most are copied once, and have an answer each.
        room_for(argument.py(), name, rows_of(argument), "points", size_of::<DVec3>() as u128)?;
        let array = doubles(argument, name)?;
        match array.shape() {
            [_, 3] => Ok(Points(array)),
            other => Err(wrong(argument.py(), name, format_args!("the shape is {}, not (N, 3)", shape_of(other)))),
        }
    }

    /// The points where they are.
    pub fn rows(&self) -> &[[f64; 3]] {
        self.0.all().as_chunks::<3>().0
    }

    /// A copy of them.
    pub fn vectors(&self) -> Vec<DVec3> {
        self.rows().iter().map(|&point| DVec3::from_array(point)).collect()
    }
}

/// A vector of three doubles.
pub fn vector(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<DVec3> {
    let array = doubles(argument, name)?;
    match (array.shape(), array.all()) {
        ([3], &[x, y, z]) => Ok(DVec3::new(x, y, z)),
        (other, _) => Err(wrong(argument.py(), name, format_args!("the shape is {}, not (3,)", shape_of(other)))),
    }
}

/// All numbers of an array, which must be whole, none below zero or above what 32 bits hold; `element` names one of
/// them.
fn whole_numbers<'py>(
    array: &Bound<'py, PyAny>,
    name: &str,
    element: impl FnOnce(usize) -> String,
) -> PyResult<Numbers<'py, u32>> {
    let py = array.py();
    let kind = array.getattr("dtype")?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    if !is_empty && !matches!(kind.getattr("kind")?.extract::<String>()?.as_str(), "i" | "u") {
        return Err(wrong(py, name, format_args!("whole numbers are needed, not {kind}")));
    }
    if !is_empty {
        let (least, most): (i128, i128) =
            (array.call_method0("min")?.extract()?, array.call_method0("max")?.extract()?);
        if least < 0 || most > i128::from(u32::MAX) {
            // The first that is at fault.
            let (below, above) = (array.rich_compare(0, CompareOp::Lt)?, array.rich_compare(u32::MAX, CompareOp::Gt)?);
            let place: usize = numpy(py, "logical_or")?.call1((below, above))?.call_method0("argmax")?.extract()?;
            let number: i128 = array.getattr("flat")?.get_item(place)?.extract()?;
            let problem = if number < 0 { "is negative" } else { "exceeds 32 bits" };
            return Err(wrong(py, &element(place), format_args!("{number} {problem}")));
        }
    }
    Numbers::of_kind(array, "uint32", name).map_err(|error| not_numbers(py, name, error))
}

/// Whole numbers of the shape `(N,)`, none below zero or above what 32 bits hold.
pub fn indices(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u32>> {
    let (py, array) = (argument.py(), real(argument, name)?);
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let [_] = shape[..] else {
        return Err(wrong(py, name, format_args!("the shape is {}, not (N,)", shape_of(&shape))));
    };
    let numbers = whole_numbers(&array, name, |place| format!("{name}[{place}]"))?;
    room_for(py, name, numbers.all().len(), "numbers", size_of::<u32>() as u128)?;
    Ok(numbers.all().to_vec())
}

/// Whole numbers of the shape `(N, M)`, none below zero or above what 32 bits hold. An array of 32 bits is read where
/// it is.
pub struct Indices<'py, const M: usize>(Numbers<'py, u32>);

impl<'py, const M: usize> Indices<'py, M> {
    pub fn of(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Indices<'py, M>> {
        let (py, array) = (argument.py(), real(argument, name)?);
        let shape: Vec<usize> = array.getattr("shape")?.extract()?;
        if !matches!(shape[..], [_, columns] if columns == M) {
            return Err(wrong(py, name, format_args!("the shape is {}, not (N, {M})", shape_of(&shape))));
        }
        whole_numbers(&array, name, |place| format!("{name}[{}, {}]", place / M, place % M)).map(Indices)
    }

    /// The rows where they are.
    pub fn rows(&self) -> &[[u32; M]] {
        self.0.all().as_chunks::<M>().0
    }
}
