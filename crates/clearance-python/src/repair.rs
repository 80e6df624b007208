//! Meshes repaired within a tolerance, with reports of what was done.

use clearance::answer::{RepairReport, Rim};
use clearance::{Mesh, Shape};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use crate::answer::getters;
use crate::error::{not_proved, refused, wrong};
use crate::give::{Reduced, package, rows};
use crate::mesh::PyMesh;
use crate::state::restored;
use crate::work::sized;

/// Repairs a mesh; the object itself is passed on, so that the answer can be pickled and proved.
pub fn repaired(given: &Bound<'_, PyMesh>, tolerance: f64) -> PyResult<PyRepaired> {
    let (py, mesh) = (given.py(), mesh_of(given)?);
    let found = sized(py, mesh.triangle_count(), || mesh.repaired(tolerance))?;
    let found = found.map_err(|error| refused(py, "tolerance", &error))?;
    let used = Bound::new(py, PyMesh::wrap(found.mesh, PyTuple::empty(py).unbind()))?;
    let report = Bound::new(py, PyRepairReport { answer: found.report, given: given.clone().unbind() })?;
    Ok(PyRepaired { mesh: used.unbind(), report: report.unbind() })
}

fn mesh_of<'a>(object: &'a Bound<'_, PyMesh>) -> PyResult<&'a Mesh> {
    match &object.as_super().get().shape {
        Shape::Mesh(mesh) => Ok(mesh),
        _ => Err(wrong(object.py(), "mesh", "not a mesh")),
    }
}

/// A mesh repaired within a tolerance, with a report.
#[pyclass(frozen, name = "Repaired", module = "clearance")]
pub struct PyRepaired {
    mesh: Py<PyMesh>,
    report: Py<PyRepairReport>,
}

#[pymethods]
impl PyRepaired {
    /// The repaired mesh: a solid if it could be made one. Its first vertices are those given.
    #[getter]
    fn mesh(&self, py: Python<'_>) -> Py<PyMesh> {
        self.mesh.clone_ref(py)
    }

    /// What was done, and the distance from the mesh given.
    #[getter]
    fn report(&self, py: Python<'_>) -> Py<PyRepairReport> {
        self.report.clone_ref(py)
    }

    /// Verifies the repair: the distance bounds, the record of each point and triangle, the holes left. `given`
    /// is the mesh that was repaired; by default the one that this came from. Slower than the repair.
    ///
    /// Raises `NotProvedError` with the first claim that does not hold.
    #[pyo3(signature = (given=None))]
    fn verify(&self, py: Python<'_>, given: Option<Bound<'_, PyMesh>>) -> PyResult<()> {
        let report = self.report.bind(py).get();
        let given = given.unwrap_or_else(|| report.given.bind(py).clone());
        let (given, used) = (mesh_of(&given)?, self.mesh.bind(py));
        let answer = clearance::answer::Repaired { mesh: mesh_of(used)?.clone(), report: report.answer.clone() };
        let proved = sized(py, given.triangle_count(), || answer.verify(given))?;
        proved.map_err(|refusal| not_proved(py, None, &refusal))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<PyRepaired>() else { return Ok(false) };
        let [own, theirs] = [self, other.get()].map(|it| (it.mesh.bind(py), it.report.bind(py).get()));
        Ok(own.1.answer == theirs.1.answer && mesh_of(own.0)? == mesh_of(theirs.0)?)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let RepairReport { is_solid, distance, .. } = &self.report.bind(py).get().answer;
        format!("Repaired(is_solid={}, distance={distance:?})", if *is_solid { "True" } else { "False" })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Py<PyMesh>, f64)> {
        let report = slf.get().report.bind(slf.py()).get();
        restored(slf, (report.given.clone_ref(slf.py()), report.answer.tolerance))
    }

    /// From what was asked: the same repair, to the bit.
    #[classmethod]
    fn _restore(_: &Bound<'_, PyType>, given: Bound<'_, PyMesh>, tolerance: f64) -> PyResult<PyRepaired> {
        repaired(&given, tolerance)
    }
}

/// A report of a repair. Vertices and triangles are numbered as in the mesh given, unless stated otherwise.
#[pyclass(frozen, name = "RepairReport", module = "clearance")]
pub struct PyRepairReport {
    answer: RepairReport,
    given: Py<PyMesh>,
}

getters! {
    PyRepairReport;
    /// The tolerance of the repair.
    tolerance: tolerance,
    /// Proved: the Hausdorff distance between the mesh given and the mesh used is at most this.
    distance: distance,
    /// No point of the triangles given is farther than this from those used.
    given_to_used: given_to_used,
    /// No point of the triangles used is farther than this from those given.
    used_to_given: used_to_given,
    /// The largest distance between joined points.
    moved: moved,
    /// Points that were joined, each with the point that replaces it, (K, 2).
    joined: joined,
    /// Zero-area triangles that were dropped.
    zero_area: zero_area,
    /// Duplicates: the triangle kept, and the one dropped, (K, 2).
    duplicates: duplicates,
    /// Triangles dropped because two of their corners were joined.
    collapsed: collapsed,
    /// Zero-area triangles too far from all others to be dropped.
    stray: stray,
    /// Triangles that were cut into several.
    split: split,
    /// Triangles that were reversed.
    flipped: flipped,
    /// Edges where shells that touch were separated, (K, 2).
    parted_edges: parted_edges,
    /// Edges of three or more triangles that are left, (K, 2).
    non_manifold_edges: non_manifold_edges,
    /// Whether the mesh used is a solid.
    is_solid: is_solid,
}

/// A rim as an object of the package.
fn rim_object<'py>(py: Python<'py>, rim: &Rim) -> PyResult<Bound<'py, PyAny>> {
    package(py, "Rim")?.call1((PyArray1::from_slice(py, &rim.points), rim.is_closed, rim.length))
}

#[pymethods]
impl PyRepairReport {
    /// Holes that were closed: their rims, and how many triangles close each.
    #[getter]
    fn filled<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let class = package(py, "FilledHole")?;
        let hole = |hole: &clearance::answer::FilledHole| class.call1((rim_object(py, &hole.rim)?, hole.triangles));
        PyList::new(py, self.answer.filled.iter().map(hole).collect::<PyResult<Vec<_>>>()?)
    }

    /// The rims of the holes left open, too wide to be closed.
    #[getter]
    fn holes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.answer.holes.iter().map(|rim| rim_object(py, rim)).collect::<PyResult<Vec<_>>>()?)
    }

    /// For each triangle used the one given that it is, or is a part of, (M,); -1 if it fills a hole.
    #[getter]
    fn origin<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_vec(py, self.answer.origin.iter().map(|origin| origin.map_or(-1, i64::from)).collect())
    }

    /// The points used that follow those given: each the middle of two points given, or a copy of one, named twice,
    /// (K, 2).
    #[getter]
    fn added_points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.answer.added_points.clone())
    }

    /// Whether nothing had to be repaired: the mesh used is the one given.
    #[getter]
    fn is_unchanged(&self) -> bool {
        self.answer.is_unchanged()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyRepairReport>().is_ok_and(|other| self.answer == other.get().answer)
    }

    fn __repr__(&self) -> String {
        let RepairReport { is_solid, distance, holes, .. } = &self.answer;
        let solid = if *is_solid { "True" } else { "False" };
        format!("RepairReport(is_solid={solid}, distance={distance:?}, {} holes)", holes.len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Py<PyMesh>, f64)> {
        let it = slf.get();
        restored(slf, (it.given.clone_ref(slf.py()), it.answer.tolerance))
    }

    /// From what was asked: the same report, to the bit.
    #[classmethod]
    fn _restore(class: &Bound<'_, PyType>, given: Bound<'_, PyMesh>, tolerance: f64) -> PyResult<Py<PyRepairReport>> {
        Ok(repaired(&given, tolerance)?.report(class.py()))
    }
}
