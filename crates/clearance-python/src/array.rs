//! Arguments as numbers: what is an array of doubles already is read where it is, everything else goes through
//! `numpy.asarray`.

use clearance::glam::DVec3;
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error::wrong;

/// An attribute of `numpy`.
fn numpy<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py).getattr(name)
}

/// An argument as doubles, in the order of C. No copy is made of an array that is that already.
pub fn doubles<'py>(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    let py = argument.py();
    if let Ok(array) = argument.cast::<PyArrayDyn<f64>>()
        && array.is_c_contiguous()
    {
        return Ok(array.readonly());
    }
    let made = numpy(py, "asarray")?.call1((argument, numpy(py, "float64")?, "C"));
    let made = made.map_err(|error| wrong(py, name, format_args!("not an array of numbers ({})", error.value(py))))?;
    Ok(made.cast::<PyArrayDyn<f64>>()?.readonly())
}

/// The shape of an array as Python writes it.
pub fn shape_of(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    if let [one] = &sizes[..] { format!("({one},)") } else { format!("({})", sizes.join(", ")) }
}

/// Doubles of the shape `(N, 3)`, and how to look at them as points.
pub struct Points<'py>(PyReadonlyArrayDyn<'py, f64>);

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
        // An array without elements need not count as contiguous; others are.
        self.0.as_slice().map_or(&[], |numbers| numbers.as_chunks::<3>().0)
    }

    /// A copy of them.
    pub fn vectors(&self) -> Vec<DVec3> {
        self.rows().iter().map(|&point| DVec3::from_array(point)).collect()
    }
}

/// A vector of three doubles.
pub fn vector(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<DVec3> {
    let array = doubles(argument, name)?;
    match (array.shape(), array.as_slice()) {
        ([3], Ok(&[x, y, z])) => Ok(DVec3::new(x, y, z)),
        (other, _) => Err(wrong(argument.py(), name, format_args!("the shape is {}, not (3,)", shape_of(other)))),
    }
}

/// Whole numbers of the shape `(N, M)`, none below zero or above what 32 bits hold.
pub enum Indices<'py, const M: usize> {
    /// An array of 32 bits, read where it is.
    Held(PyReadonlyArrayDyn<'py, u32>),
    /// Made from numbers of another kind.
    Made(Vec<[u32; M]>),
}

impl<'py, const M: usize> Indices<'py, M> {
    pub fn of(argument: &Bound<'py, PyAny>, name: &str) -> PyResult<Indices<'py, M>> {
        let py = argument.py();
        if let Ok(array) = argument.cast::<PyArrayDyn<u32>>()
            && array.is_c_contiguous()
        {
            Indices::<M>::check_shape(py, array.shape(), name)?;
            return Ok(Indices::Held(array.readonly()));
        }
        let array = numpy(py, "asarray")?.call1((argument,))?;
        let shape: Vec<usize> = array.getattr("shape")?.extract()?;
        Indices::<M>::check_shape(py, &shape, name)?;
        let (kind, bytes): (String, usize) = {
            let kind = array.getattr("dtype")?;
            (kind.getattr("kind")?.extract()?, kind.getattr("itemsize")?.extract()?)
        };
        if shape[0] == 0 {
            return Ok(Indices::Made(Vec::new()));
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
        let array = numpy(py, "asarray")?.call1((array, numpy(py, "int64")?, "C"))?;
        let array = array.cast::<PyArrayDyn<i64>>()?.readonly();
        let numbers = array.as_slice().unwrap_or(&[]);
        if let Some(place) = numbers.iter().position(|&number| u32::try_from(number).is_err()) {
            let (row, column, number) = (place / M, place % M, numbers[place]);
            let element = format!("{name}[{row}, {column}]");
            return Err(wrong(py, &element, format_args!("{number} is no place in a list")));
        }
        let numbers: Vec<u32> = numbers.iter().map(|&number| number as u32).collect();
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
            Indices::Held(array) => array.as_slice().map_or(&[], |numbers| numbers.as_chunks::<M>().0),
            Indices::Made(rows) => rows,
        }
    }
}
