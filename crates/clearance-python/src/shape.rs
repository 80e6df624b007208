//! What every kind of body has in common.

use clearance::Shape;
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::error::{refused, wrong};
use crate::give::{Give, package, points, rows};
use crate::index::PyIndex;
use crate::mesh::PyMesh;
use crate::work::here;

/// A body in its own frame. Made as one of the kinds: `Sphere`, `Box`, `Mesh`, ...
#[pyclass(frozen, subclass, name = "Shape", module = "clearance")]
pub struct PyShape {
    pub shape: Shape,
}

#[pymethods]
impl PyShape {
    /// The bounding box in the body's own frame, (2, 3): the least and the greatest coordinates.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let bounds = self.shape.bounds();
        points(py, [bounds.min, bounds.max])
    }

    /// An upper bound on the distance of two points of the body; infinite for an unbounded body.
    #[getter]
    fn diameter(&self) -> f64 {
        self.shape.diameter()
    }

    /// The volume; infinite for an unbounded body.
    #[getter]
    fn volume(&self, py: Python<'_>) -> PyResult<f64> {
        here(py, || self.shape.mass_properties().volume)
    }

    /// The centre of mass, for a uniform density.
    #[getter]
    fn center<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        here(py, || self.shape.mass_properties().center)?.give(py)
    }

    /// The (3, 3) tensor of inertia about the centre of mass, for a density of one.
    #[getter]
    fn inertia<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inertia = here(py, || self.shape.mass_properties().inertia)?;
        rows(py, inertia.transpose().to_cols_array_2d().to_vec())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyShape>().is_ok_and(|other| other.get().shape == self.shape)
    }
}

/// A body from an argument: a `Shape`, or an object of another library that has vertices and faces.
pub fn shape_of(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Py<PyShape>> {
    if let Ok(shape) = argument.cast::<PyShape>() {
        return Ok(shape.clone().unbind());
    }
    let py = argument.py();
    if argument.cast::<PyIndex>().is_ok() {
        let problem = "an Index is accepted by intersects, distance and contacts alone: give its mesh";
        return Err(wrong(py, name, problem));
    }
    let parts = package(py, "triangles_of")?.call1((argument,))?;
    if parts.is_none() {
        let kind = argument.get_type().name()?;
        return Err(wrong(
            py,
            name,
            format_args!("a {kind} is not a body: give a Shape, or an object with vertices and faces"),
        ));
    }
    let (vertices, faces) = (parts.get_item(0)?, parts.get_item(1)?);
    let mesh = PyMesh::of_arrays(&vertices, &faces, name)?;
    Ok(Bound::new(py, mesh)?.into_super().unbind())
}

/// The same, held to be a bounded body or whatever the engine's constructor asks.
pub fn made<T>(py: Python<'_>, argument: &str, result: Result<T, clearance::Error>) -> PyResult<T> {
    result.map_err(|error| refused(py, argument, &error))
}
