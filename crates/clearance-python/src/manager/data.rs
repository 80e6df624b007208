//! The contacts that a collision manager returns, as trimesh has them: an object for each.

use clearance::glam::DVec3;
use clearance::query::ContactsOptions;
use numpy::PyArray2;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PySet, PyTuple};

use crate::array::vector;
use crate::contacts::contacts_of;
use crate::give::{Give, Reduced, points};
use crate::pair::PairView;
use crate::pose::PyPose;
use crate::shape::PyShape;
use crate::work::about;

/// One contact of two objects.
#[pyclass(frozen, name = "ContactData", module = "clearance.trimesh")]
pub struct PyContactData {
    /// Those of the two objects.
    names: [Py<PyAny>; 2],
    indices: [i64; 2],
    point: DVec3,
    normal: DVec3,
    /// The penetration depth of two convex objects; 0 if one of them is a surface, which has no depth.
    #[pyo3(get)]
    depth: f64,
}

#[pymethods]
impl PyContactData {
    #[new]
    fn new(
        names: [Py<PyAny>; 2],
        indices: [i64; 2],
        point: &Bound<'_, PyAny>,
        normal: &Bound<'_, PyAny>,
        depth: f64,
    ) -> PyResult<PyContactData> {
        Ok(PyContactData { names, indices, point: vector(point, "point")?, normal: vector(normal, "normal")?, depth })
    }

    /// The names of the two objects.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySet>> {
        PySet::new(py, &self.names)
    }

    /// The direction from the first object to the second, unit, in the world.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.normal.give(py)
    }

    /// The point of contact, in the world.
    #[getter]
    fn point<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.point.give(py)
    }

    /// The face of an object that is in contact; -1 for the contacts of two convex objects.
    fn index(&self, name: &Bound<'_, PyAny>) -> PyResult<i64> {
        for (own, index) in self.names.iter().zip(self.indices) {
            if name.eq(own)? {
                return Ok(index);
            }
        }
        Err(PyKeyError::new_err(name.clone().unbind()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let [a, b] = &self.names;
        Ok(format!("ContactData({}, {}, depth={:?})", a.bind(py).repr()?, b.bind(py).repr()?, self.depth))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Bound<'py, PyTuple>> {
        let (py, data) = (slf.py(), slf.get());
        let names = PyTuple::new(py, &data.names)?;
        let parts = (names, (data.indices[0], data.indices[1]), data.point(py)?, data.normal(py)?, data.depth);
        Ok((slf.get_type().into_any(), parts.into_pyobject(py)?))
    }
}

/// The contacts of two bodies: of two solids the corners of their contact area, of surfaces a point for each pair of
/// triangles that intersects.
#[pyfunction]
pub fn _contact_data(
    py: Python<'_>,
    names: [Bound<'_, PyAny>; 2],
    shapes: [Bound<'_, PyShape>; 2],
    poses: [Bound<'_, PyPose>; 2],
    are_convex: bool,
) -> PyResult<Vec<PyContactData>> {
    let names = names.map(Bound::unbind);
    let [a, b] = shapes.each_ref().map(|shape| &shape.get().shape);
    let [pose_a, pose_b] = poses.each_ref().map(|pose| &pose.get().pose);
    let view = PairView { a, pose_a, b, pose_b };
    let found = about(py, [Some(a), Some(b)], || contacts_of(view, &ContactsOptions::default()))?;
    let made = |indices: [i64; 2], ends: [DVec3; 2], normal: DVec3, depth: f64| {
        let names = names.each_ref().map(|name| name.clone_ref(py));
        PyContactData { names, indices, point: (ends[0] + ends[1]) / 2.0, normal, depth }
    };
    if are_convex {
        let depth = (-found.gap.value).max(0.0);
        let each = found.points.iter().map(|contact| {
            let witness = &contact.witness;
            let ends = [pose_a.transform_point(witness.a.point), pose_b.transform_point(witness.b.point)];
            made([-1, -1], ends, contact.normal, depth)
        });
        return Ok(each.collect());
    }
    let each = found.crossings.iter().map(|crossing| {
        let indices = [crossing.triangle_a, crossing.triangle_b].map(i64::from);
        made(indices, crossing.ends_in_a.map(|end| pose_a.transform_point(end)), found.normal, 0.0)
    });
    Ok(each.collect())
}

/// The distance of two bodies, the parts nearest to each other, and a point of each in the world, (2, 3).
#[pyfunction]
pub fn _distance_data<'py>(
    py: Python<'py>,
    shapes: [Bound<'_, PyShape>; 2],
    poses: [Bound<'_, PyPose>; 2],
) -> PyResult<(f64, u32, u32, Bound<'py, PyArray2<f64>>)> {
    let [a, b] = shapes.each_ref().map(|shape| &shape.get().shape);
    let [pose_a, pose_b] = poses.each_ref().map(|pose| &pose.get().pose);
    let bodies = [Some(a), Some(b)];
    let found = about(py, bodies, || clearance::distance(a, pose_a, b, pose_b))?;
    let witness = &found.witness;
    let ends = [pose_a.transform_point(witness.a.point), pose_b.transform_point(witness.b.point)];
    Ok((found.gap.value, witness.a.part, witness.b.part, points(py, ends)?))
}
