//! Files of triangles, and what they held.

use std::path::{Path, PathBuf};

use clearance::{Mesh, Pose};
use clearance_files::{Assembly, NoteKind, Place};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::{bad_file, refused};
use crate::give::{Reduced, package};
use crate::mesh::PyMesh;
use crate::pose::PyPose;
use crate::work::{at_length, unattended};

/// Reads a file, and warns of what it omits.
fn read(py: Python<'_>, path: &Path, weld: Option<f64>) -> PyResult<Assembly> {
    let path = path.to_owned();
    let assembly = unattended(py, move || {
        let mut assembly = clearance_files::read(path)?;
        if let Some(tolerance) = weld {
            assembly.weld(tolerance)?;
        }
        Ok(assembly)
    })?;
    let assembly = assembly.map_err(|error| bad_file(py, &error))?;
    for note in assembly.notes.iter().filter(|note| note.kind == NoteKind::Dropped) {
        py.import("warnings")?.call_method1("warn", (note.to_string(), package(py, "FileWarning")?, 2))?;
    }
    Ok(assembly)
}

/// The notes of a file as tuples with names.
fn notes<'py>(py: Python<'py>, assembly: &Assembly) -> PyResult<Bound<'py, PyTuple>> {
    let class = package(py, "Note")?;
    let each = assembly.notes.iter().map(|note| {
        let place = (note.place != Place::File).then(|| note.place.to_string());
        class.call1((note.kind.to_string(), note.path.display().to_string(), place, note.count, &note.what))
    });
    PyTuple::new(py, each.collect::<PyResult<Vec<_>>>()?)
}

/// All parts of a file in one mesh.
pub fn mesh_of(py: Python<'_>, path: &Path, weld: Option<f64>) -> PyResult<PyClassInitializer<PyMesh>> {
    let assembly = read(py, path, weld)?;
    let mesh = at_length(py, || {
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        for part in &assembly.parts {
            let geometry = &assembly.geometries[part.geometry];
            let first = points.len() as u32;
            let placed = |&point: &[f64; 3]| part.pose.transform_point(point.into()).to_array();
            match part.pose == Pose::IDENTITY {
                true => points.extend_from_slice(&geometry.points),
                false => points.extend(geometry.points.iter().map(placed)),
            }
            triangles.extend(geometry.triangles.iter().map(|triangle| triangle.map(|corner| first + corner)));
        }
        Mesh::new(&points, &triangles)
    })?;
    let mesh = mesh.map_err(|error| refused(py, "path", &error))?;
    Ok(PyMesh::wrap(mesh, notes(py, &assembly)?.unbind()))
}

/// One part of a file: its name, its mesh, and its pose. Parts of the same geometry share the mesh.
#[pyclass(frozen, name = "Part", module = "clearance")]
pub struct PyPart {
    name: String,
    mesh: Py<PyMesh>,
    pose: Pose,
}

#[pymethods]
impl PyPart {
    #[new]
    fn new(name: String, mesh: Py<PyMesh>, pose: &Bound<'_, PyPose>) -> PyPart {
        PyPart { name, mesh, pose: pose.get().pose }
    }

    /// Unique in the file, and the same whenever it is read.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Its geometry, in its own frame.
    #[getter]
    fn mesh(&self, py: Python<'_>) -> Py<PyMesh> {
        self.mesh.clone_ref(py)
    }

    /// Its pose in the assembly.
    #[getter]
    fn pose(&self) -> PyPose {
        PyPose { pose: self.pose }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<PyPart>() else { return Ok(false) };
        let (py, it) = (other.py(), other.get());
        Ok(self.name == it.name && self.pose == it.pose && self.mesh.bind(py).eq(it.mesh.bind(py))?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Part('{}', {})", self.name, self.mesh.bind(py).repr()?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (String, Py<PyMesh>, PyPose)> {
        let part = slf.get();
        Ok((slf.get_type().into_any(), (part.name.clone(), part.mesh(slf.py()), part.pose())))
    }
}

/// What makes an assembly again.
type AssemblyParts = (Vec<Py<PyPart>>, Option<String>, Py<PyTuple>);

/// The content of a file: its parts, its unit of length if it names one, and notes on everything not read as it
/// is written.
#[pyclass(frozen, name = "Assembly", module = "clearance")]
pub struct PyAssembly {
    parts: Vec<Py<PyPart>>,
    unit: Option<String>,
    notes: Py<PyTuple>,
}

#[pymethods]
impl PyAssembly {
    #[new]
    fn new(parts: Vec<Py<PyPart>>, unit: Option<String>, notes: Py<PyTuple>) -> PyAssembly {
        PyAssembly { parts, unit, notes }
    }

    /// The parts, in the order of the file.
    #[getter]
    fn parts(&self, py: Python<'_>) -> Vec<Py<PyPart>> {
        self.parts.iter().map(|part| part.clone_ref(py)).collect()
    }

    /// The unit of all lengths ("mm", "m", "in", ...), if the file or its format names one.
    #[getter]
    fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Notes on everything not read as written.
    #[getter]
    fn notes(&self, py: Python<'_>) -> Py<PyTuple> {
        self.notes.clone_ref(py)
    }

    fn __len__(&self) -> usize {
        self.parts.len()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<PyAssembly>() else { return Ok(false) };
        let (py, it) = (other.py(), other.get());
        let parts = || self.parts(py).into_pyobject(py)?.eq(it.parts(py).into_pyobject(py)?);
        Ok(self.unit == it.unit && self.notes.bind(py).eq(it.notes.bind(py))? && parts()?)
    }

    fn __repr__(&self) -> String {
        format!("Assembly({} parts, unit={})", self.parts.len(), self.unit.as_deref().unwrap_or("None"))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, AssemblyParts> {
        let (py, it) = (slf.py(), slf.get());
        Ok((slf.get_type().into_any(), (it.parts(py), it.unit.clone(), it.notes(py))))
    }
}

/// The parts of a file (STL, OBJ, PLY, OFF, glTF, 3MF), each a mesh with its pose. Omitted geometry is a
/// `FileWarning`. `weld`: join points no farther apart than this; at 0, points of equal coordinates.
#[pyfunction]
#[pyo3(signature = (path, *, weld=None))]
pub fn load(py: Python<'_>, path: PathBuf, weld: Option<f64>) -> PyResult<PyAssembly> {
    let assembly = read(py, &path, weld)?;
    let made = at_length(py, || {
        assembly.geometries.iter().map(|it| Mesh::new(&it.points, &it.triangles)).collect::<Vec<_>>()
    })?;
    let empty = PyTuple::empty(py).unbind();
    let meshes: PyResult<Vec<Py<PyMesh>>> = made
        .into_iter()
        .map(|mesh| Py::new(py, PyMesh::wrap(mesh.map_err(|error| refused(py, "path", &error))?, empty.clone_ref(py))))
        .collect();
    let meshes = meshes?;
    let part = |it: &clearance_files::Part| {
        Py::new(py, PyPart { name: it.name.clone(), mesh: meshes[it.geometry].clone_ref(py), pose: it.pose })
    };
    let parts = assembly.parts.iter().map(part).collect::<PyResult<_>>()?;
    Ok(PyAssembly { parts, unit: assembly.unit.map(|unit| unit.to_string()), notes: notes(py, &assembly)?.unbind() })
}
