//! Arguments as numbers: what is an array of doubles already is read where it is, everything else goes through
//! `numpy.require`.

use clearance::glam::DVec3;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error::wrong;

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

    /// An array of a kind of numpy, which is `T`, as a copy if need be.
    fn of_kind(argument: &Bound<'py, PyAny>, kind: &str) -> PyResult<Numbers<'py, T>> {
        if let Some(held) = Numbers::held(argument) {
            return Ok(held);
        }
        let py = argument.py();
        let made = numpy(py, "require")?.call1((argument, numpy(py, kind)?, ("C", "A")))?;
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

/// An argument as doubles. No copy is made of an array that can be read as it is.
pub fn doubles<'py>(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Numbers<'py, f64>> {
    let py = argument.py();
    let made = Numbers::of_kind(argument, "float64");
    made.map_err(|error| wrong(py, name, format_args!("not an array of numbers ({})", error.value(py))))
}

/// An argument as single precision, for heights; what is given otherwise is rounded to it.
pub fn singles<'py>(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Numbers<'py, f32>> {
    let py = argument.py();
    let made = Numbers::of_kind(argument, "float32");
    made.map_err(|error| wrong(py, name, format_args!("not an array of numbers ({})", error.value(py))))
}

/// The shape of an array as Python writes it.
pub fn shape_of(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    if let [one] = &sizes[..] { format!("({one},)") } else { format!("({})", sizes.join(", ")) }
}

/// Doubles of the shape `(N, 3)`, and how to look at them as points.
pub struct Points<'py>(Numbers<'py, f64>);

impl<'py> Points<'py> {
    pub fn of(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Points<'py>> {
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
fn whole_numbers(array: &Bound<'_, PyAny>, name: &str, element: impl FnOnce(usize) -> String) -> PyResult<Vec<u32>> {
    let py = array.py();
    let (kind, bytes): (String, usize) = {
        let kind = array.getattr("dtype")?;
        (kind.getattr("kind")?.extract()?, kind.getattr("itemsize")?.extract()?)
    };
    if array.getattr("size")?.extract::<usize>()? == 0 {
        return Ok(Vec::new());
    }
    if kind != "i" && kind != "u" {
        return Err(wrong(py, name, format_args!("whole numbers are needed, not {}", array.getattr("dtype")?)));
    }
    if kind == "u" && bytes == 8 {
        let most: u64 = array.call_method0("max")?.extract()?;
        if most > u64::from(u32::MAX) {
            return Err(wrong(py, name, format_args!("{most} is more than 32 bits hold")));
        }
    }
    let array = Numbers::<i64>::of_kind(array, "int64")?;
    let numbers = array.all();
    if let Some(place) = numbers.iter().position(|&number| u32::try_from(number).is_err()) {
        let problem = format_args!("{} is no place in a list", numbers[place]);
        return Err(wrong(py, &element(place), problem));
    }
    Ok(numbers.iter().map(|&number| number as u32).collect())
}

/// Whole numbers of the shape `(N,)`, none below zero or above what 32 bits hold.
pub fn indices(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u32>> {
    let py = argument.py();
    let array = numpy(py, "asarray")?.call1((argument,))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let [_] = shape[..] else {
        return Err(wrong(py, name, format_args!("the shape is {}, not (N,)", shape_of(&shape))));
    };
    whole_numbers(&array, name, |place| format!("{name}[{place}]"))
}

/// Whole numbers of the shape `(N, M)`, none below zero or above what 32 bits hold.
pub enum Indices<'py, const M: usize> {
    /// An array of 32 bits, read where it is.
    Held(Numbers<'py, u32>),
    /// Made from numbers of another kind.
    Made(Vec<[u32; M]>),
}

impl<'py, const M: usize> Indices<'py, M> {
    pub fn of(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Indices<'py, M>> {
        let py = argument.py();
        if let Some(held) = Numbers::held(argument) {
            Indices::<M>::check_shape(py, held.shape(), name)?;
            return Ok(Indices::Held(held));
        }
        let array = numpy(py, "asarray")?.call1((argument,))?;
        let shape: Vec<usize> = array.getattr("shape")?.extract()?;
        Indices::<M>::check_shape(py, &shape, name)?;
        let numbers = whole_numbers(&array, name, |place| format!("{name}[{}, {}]", place / M, place % M))?;
        Ok(Indices::Made(numbers.as_chunks::<M>().0.to_vec()))
    }

    fn check_shape(py: Python<'_>, shape: &[usize], name: &str) -> PyResult<()> {
        match shape {
            [_, columns] if *columns == M => Ok(()),
            other => Err(wrong(py, name, format_args!("the shape is {}, not (N, {M})", shape_of(other)))),
        }
    }

    /// The rows where they are.
    pub fn rows(&self) -> &[[u32; M]] {
        match self {
            Indices::Held(array) => array.all().as_chunks::<M>().0,
            Indices::Made(rows) => rows,
        }
    }
}
