//! Meshes: surfaces of triangles, and the solids that closed ones bound.

use clearance::answer::{MeshHealth, SelfIntersection, SelfIntersectionKind};
use clearance::glam::DVec3;
use clearance::query::{SelfIntersectionsOptions, self_intersections_with};
use clearance::{Mesh, Shape};
use numpy::{PyArray1, PyArray2, PyArray3};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::answer::getters;
use crate::array::{Indices, Points, rows_of};
use crate::deforming::culling_of;
use crate::error::{not_proved, refused, refused_mesh, wrong};
use crate::file;
use crate::give::{Reduced, kind_code, package, points, read_only, rows, segments};
use crate::limits::{MESH_POINT, MESH_TRIANGLE};
use crate::repair::{PyRepaired, repaired};
use crate::room::room_for;
use crate::shape::{PyShape, shape_of};
use crate::state::{fields, pickled, read, restored, write};
use crate::work::{at_length, here, sized};

/// A triangle surface; `solid()` makes the solid that it bounds. Immutable: the tree over the
/// triangles is built once.
///
/// Made from vertices (N, 3) and faces (M, 3), or from one object of another library that has them (trimesh, Open3D,
/// PyVista). `float64` and `uint32` arrays are read in place: do not modify them in another thread meanwhile.
#[pyclass(frozen, extends = PyShape, name = "Mesh", module = "clearance")]
pub struct PyMesh {
    notes: Py<PyTuple>,
    vertices: PyOnceLock<Py<PyArray2<f64>>>,
    faces: PyOnceLock<Py<PyArray2<u32>>>,
}

/// The argument that an error of vertices and faces is about.
pub fn argument_of(error: &clearance::Error) -> &'static str {
    match error {
        clearance::Error::NoTriangles | clearance::Error::NoSuchPoint { .. } => "faces",
        clearance::Error::TooMany { what: "triangles", .. } => "faces",
        _ => "vertices",
    }
}

/// Refuses vertices and faces, by their names, of which a mesh would take more memory than there is.
fn room_for_mesh(vertices: &Bound<'_, PyAny>, faces: &Bound<'_, PyAny>, names: (&str, &str)) -> PyResult<()> {
    let py = vertices.py();
    room_for(py, names.0, rows_of(vertices), "points of a mesh", MESH_POINT)?;
    room_for(py, names.1, rows_of(faces), "triangles of a mesh", MESH_TRIANGLE)
}

impl PyMesh {
    /// A mesh of the engine as an object.
    pub fn wrap(mesh: Mesh, notes: Py<PyTuple>) -> PyClassInitializer<PyMesh> {
        let own = PyMesh { notes, vertices: PyOnceLock::new(), faces: PyOnceLock::new() };
        PyClassInitializer::from(PyShape { shape: Shape::Mesh(mesh) }).add_subclass(own)
    }

    /// From vertices and faces; `name` is that of the argument they come from.
    pub fn of_arrays(
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        name: &str,
    ) -> PyResult<PyClassInitializer<PyMesh>> {
        let py = vertices.py();
        room_for_mesh(vertices, faces, (name, name))?;
        let (vertices, faces) = (Points::of(vertices, name)?, Indices::<3>::of(faces, name)?);
        let (points, triangles) = (vertices.rows(), faces.rows());
        let made = sized(py, triangles.len(), || Mesh::new(points, triangles))?;
        let mesh = made.map_err(|error| refused(py, name, &error))?;
        Ok(PyMesh::wrap(mesh, PyTuple::empty(py).unbind()))
    }

    fn mesh<'a>(slf: &'a Bound<'_, Self>) -> PyResult<&'a Mesh> {
        match &slf.as_super().get().shape {
            Shape::Mesh(mesh) => Ok(mesh),
            _ => Err(wrong(slf.py(), "self", "not a mesh")),
        }
    }
}

#[pymethods]
impl PyMesh {
    #[new]
    #[pyo3(signature = (vertices, faces=None))]
    fn new(vertices: &Bound<'_, PyAny>, faces: Option<&Bound<'_, PyAny>>) -> PyResult<PyClassInitializer<PyMesh>> {
        let py = vertices.py();
        if let Some(faces) = faces {
            room_for_mesh(vertices, faces, ("vertices", "faces"))?;
            let (given, triangles) = (Points::of(vertices, "vertices")?, Indices::<3>::of(faces, "faces")?);
            let (given, triangles) = (given.rows(), triangles.rows());
            let made = sized(py, triangles.len(), || Mesh::new(given, triangles))?;
            let mesh = made.map_err(|error| refused(py, argument_of(&error), &error))?;
            return Ok(PyMesh::wrap(mesh, PyTuple::empty(py).unbind()));
        }
        let parts = package(py, "triangles_of")?.call1((vertices,))?;
        if parts.is_none() {
            let kind = vertices.get_type().name()?;
            return Err(wrong(py, "vertices", format_args!("a {kind} has no faces: give `faces` as well")));
        }
        PyMesh::of_arrays(&parts.get_item(0)?, &parts.get_item(1)?, "vertices")
    }

    /// The mesh of a file (STL, OBJ, PLY, OFF, glTF, 3MF), all its parts in one, in the frame of the file. `notes`
    /// lists what was not read as written; omitted geometry is a `FileWarning` too. `weld`: join points
    /// no farther apart than this.
    #[classmethod]
    #[pyo3(signature = (path, *, weld=None))]
    fn load<'py>(
        class: &Bound<'py, PyType>,
        path: std::path::PathBuf,
        weld: Option<f64>,
    ) -> PyResult<Bound<'py, PyMesh>> {
        Bound::new(class.py(), file::mesh_of(class.py(), &path, weld)?)
    }

    /// The solid that the triangles bound: closed, and wound counter-clockwise seen from outside. Shares all data with
    /// the surface.
    ///
    /// Raises `NotSolidError`, with the edges at fault.
    fn solid<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyMesh>> {
        let (py, mesh) = (slf.py(), PyMesh::mesh(slf)?);
        let solid = sized(py, mesh.triangle_count(), || mesh.solid())?
            .map_err(|error| refused_mesh(py, "mesh", &error, Some(mesh)))?;
        Bound::new(py, PyMesh::wrap(solid, slf.get().notes.clone_ref(py)))
    }

    /// The mesh repaired within a tolerance, in the unit of its vertices: a solid if it can be made one, with a report
    /// and a proved bound on the Hausdorff distance between what was given and what is used.
    fn repaired(slf: &Bound<'_, Self>, tolerance: f64) -> PyResult<PyRepaired> {
        repaired(slf, tolerance)
    }

    /// The same triangles with moved points: much faster than a new mesh, and as good as long as neighbours stay
    /// so.
    fn moved<'py>(slf: &Bound<'py, Self>, vertices: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyMesh>> {
        let (py, mesh, given) = (slf.py(), PyMesh::mesh(slf)?, Points::of(vertices, "vertices")?);
        let places = given.rows();
        let moved = sized(py, mesh.triangle_count(), || mesh.moved(places))?;
        let moved = moved.map_err(|error| refused(py, "vertices", &error))?;
        Bound::new(py, PyMesh::wrap(moved, slf.get().notes.clone_ref(py)))
    }

    /// Whether it is a solid, not a surface.
    #[getter]
    fn is_solid(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(PyMesh::mesh(slf)?.is_solid())
    }

    /// The points, bit for bit as given, (N, 3). Made once; may not be written to.
    #[getter]
    fn vertices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (py, mesh) = (slf.py(), PyMesh::mesh(slf)?);
        let make = || Ok::<_, PyErr>(read_only(points(py, mesh.points())?)?.unbind());
        Ok(slf.get().vertices.get_or_try_init(py, make)?.bind(py).clone())
    }

    /// The triangles in the order given, (M, 3). Made once; may not be written to.
    #[getter]
    fn faces<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let (py, mesh) = (slf.py(), PyMesh::mesh(slf)?);
        let make = || Ok::<_, PyErr>(read_only(rows(py, mesh.triangles())?)?.unbind());
        Ok(slf.get().faces.get_or_try_init(py, make)?.bind(py).clone())
    }

    /// What a file contains that was not read as written.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.notes.bind(py).clone()
    }

    /// The condition of the mesh: closed or not, how wound, how many components, and its defects.
    fn health(slf: &Bound<'_, Self>) -> PyResult<PyMeshHealth> {
        let mesh = PyMesh::mesh(slf)?;
        let health = sized(slf.py(), mesh.triangle_count(), || mesh.health())?;
        Ok(PyMeshHealth { answer: health.into() })
    }

    /// Memory of the mesh in bytes, its tree included.
    #[getter]
    fn nbytes(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(PyMesh::mesh(slf)?.bytes())
    }

    /// The number of components connected by points; those of `health()` are connected by edges.
    #[getter]
    fn component_count(slf: &Bound<'_, Self>) -> PyResult<usize> {
        let mesh = PyMesh::mesh(slf)?;
        sized(slf.py(), mesh.triangle_count(), || mesh.component_count())
    }

    /// Statistics of the tree over the triangles.
    fn tree_statistics<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, mesh) = (slf.py(), PyMesh::mesh(slf)?);
        let tree = here(py, || mesh.tree_statistics())?;
        package(py, "TreeStatistics")?.call1((tree.nodes, tree.leaves, tree.depth, tree.cost))
    }

    /// The mesh and its tree as bytes, for `from_bytes`: versioned, with a checksum. The `notes` of a file are not
    /// included; a pickle has them.
    fn to_bytes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyBytes>> {
        let (py, mesh) = (slf.py(), PyMesh::mesh(slf)?);
        Ok(PyBytes::new(py, &sized(py, mesh.triangle_count(), || mesh.to_bytes())?))
    }

    /// The mesh that `to_bytes` wrote, without rebuilding its tree.
    #[classmethod]
    fn from_bytes<'py>(class: &Bound<'py, PyType>, bytes: &[u8]) -> PyResult<Bound<'py, PyMesh>> {
        PyMesh::_restore(class, bytes, PyTuple::empty(class.py()))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let mesh = PyMesh::mesh(slf)?;
        let kind = if mesh.is_solid() { "solid" } else { "surface" };
        Ok(format!("Mesh({} vertices, {} faces, {kind})", mesh.point_count(), mesh.triangle_count()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyBytes>, Bound<'py, PyTuple>)> {
        let (bytes, notes) = (PyMesh::to_bytes(slf)?, slf.get().notes(slf.py()));
        restored(slf, (bytes, notes))
    }

    /// From the bytes of a pickle, tree included.
    #[classmethod]
    fn _restore<'py>(
        class: &Bound<'py, PyType>,
        bytes: &[u8],
        notes: Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyMesh>> {
        let py = class.py();
        // Some tens of bytes a triangle.
        let mesh = sized(py, bytes.len() / 32, || Mesh::from_bytes(bytes))?;
        let mesh = mesh.map_err(|error| refused(py, "bytes", &error))?;
        Bound::new(py, PyMesh::wrap(mesh, notes.unbind()))
    }
}

/// Structs of the engine that may grow, as they are now: so they can be made again from a pickle.
macro_rules! kept {
    ($($kept:ident = $kind:ty { $($field:ident: $of:ty),* $(,)? })*) => {$(
        #[derive(PartialEq)]
        struct $kept {
            $($field: $of,)*
        }

        impl From<$kind> for $kept {
            fn from(found: $kind) -> $kept {
                $kept { $($field: found.$field),* }
            }
        }

        impl $kept {
            /// As the engine has it, in place of another.
            fn put_in(&self, other: &mut $kind) {
                $(other.$field = self.$field.clone();)*
            }
        }

        fields!($kept { $($field),* });
    )*};
}

kept! {
    Health = MeshHealth {
        watertight: bool,
        consistently_wound: bool,
        boundary_edges: usize,
        flipped_edges: usize,
        non_manifold_edges: usize,
        non_manifold_points: usize,
        components: usize,
        euler_characteristic: i64,
        unused_points: usize,
        coincident_points: usize,
        degenerate: Vec<u32>,
        duplicates: Vec<[u32; 2]>,
        volume: Option<f64>,
    }
    Meeting = SelfIntersection { triangles: [u32; 2], segment: [DVec3; 2], kind: SelfIntersectionKind }
}

pickled!(PyMeshHealth: answer);

/// The connectivity of a mesh and its defects.
#[pyclass(frozen, eq, name = "MeshHealth", module = "clearance")]
#[derive(PartialEq)]
pub struct PyMeshHealth {
    answer: Health,
}

getters! {
    PyMeshHealth;
    /// Every edge joins exactly two triangles, and no triangle names a point twice.
    watertight: watertight,
    /// Wherever an edge joins exactly two triangles they run along it in opposite directions.
    consistently_wound: consistently_wound,
    /// Edges of one triangle only.
    boundary_edges: boundary_edges,
    /// Edges that two triangles run along in the same direction.
    flipped_edges: flipped_edges,
    /// Edges of three or more triangles.
    non_manifold_edges: non_manifold_edges,
    /// Points where the surface touches itself.
    non_manifold_points: non_manifold_points,
    /// Components connected by edges.
    components: components,
    /// Points in use minus edges plus triangles: 2 for each sphere, 0 for each torus.
    euler_characteristic: euler_characteristic,
    /// Points that no triangle uses.
    unused_points: unused_points,
    /// Points with exactly the coordinates of another point of a lower index.
    coincident_points: coincident_points,
    /// Triangles whose corners lie exactly on a line, ascending.
    degenerate: degenerate,
    /// Triangles with the same three points: the lowest such triangle, and each of the others, (K, 2).
    duplicates: duplicates,
    /// The enclosed volume, negative if wound inside out; None unless watertight and consistently wound.
    volume: volume,
}

#[pymethods]
impl PyMeshHealth {
    /// Verifies what is stated about a mesh, with independent code. Raises `NotProvedError`, which names the
    /// first wrong field.
    fn verify(&self, py: Python<'_>, mesh: &Bound<'_, PyAny>) -> PyResult<()> {
        let body = shape_of(mesh, "mesh")?;
        let Shape::Mesh(surface) = &body.get().shape else { return Err(wrong(py, "mesh", "not a mesh")) };
        let proved = sized(py, surface.triangle_count(), || {
            let mut claim = surface.health();
            self.answer.put_in(&mut claim);
            claim.verify(surface)
        })?;
        proved.map_err(|refusal| not_proved(py, None, &refusal))
    }

    fn __repr__(&self) -> String {
        let Health { watertight, consistently_wound, components, .. } = &self.answer;
        let word = |is: &bool| if *is { "True" } else { "False" };
        let (watertight, wound) = (word(watertight), word(consistently_wound));
        format!("MeshHealth(watertight={watertight}, consistently_wound={wound}, components={components})")
    }
}

/// The pairs of triangles of a mesh that intersect beyond shared corners and edges.
#[pyclass(frozen, name = "SelfIntersections", module = "clearance")]
pub struct PySelfIntersections {
    pub mesh: Py<PyShape>,
    found: Vec<Meeting>,
}

impl PySelfIntersections {
    /// The intersection of each pair, in the mesh's own frame, and its kind.
    pub fn places(&self) -> impl ExactSizeIterator<Item = ([DVec3; 2], SelfIntersectionKind)> {
        self.found.iter().map(|pair| (pair.segment, pair.kind))
    }
}

#[pymethods]
impl PySelfIntersections {
    /// The mesh.
    #[getter]
    fn mesh(&self, py: Python<'_>) -> Py<PyShape> {
        self.mesh.clone_ref(py)
    }

    /// The numbers of the two, the lower first, (K, 2); ascending.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.found.iter().map(|pair| pair.triangles).collect())
    }

    /// What they have in common, (K, 2, 3), rounded: a segment, a point twice, of a common area its first and last
    /// corner.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        segments(py, self.found.iter().map(|pair| pair.segment))
    }

    /// How they meet, exactly, (K,): values of `SelfIntersectionKind`.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        PyArray1::from_vec(py, self.found.iter().map(|pair| kind_code(pair.kind)).collect())
    }

    /// Verifies the list, by other code than found it: each pair meets as it says, and no other does. Raises
    /// `NotProvedError`.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let Shape::Mesh(surface) = &self.mesh.get().shape else { return Err(wrong(py, "mesh", "not a mesh")) };
        let claim = |pair: &Meeting| {
            let mut claim = SelfIntersection::new([0; 2], [DVec3::ZERO; 2], pair.kind);
            pair.put_in(&mut claim);
            claim
        };
        let found: Vec<SelfIntersection> = self.found.iter().map(claim).collect();
        let options = SelfIntersectionsOptions::default();
        let proved = at_length(py, || SelfIntersection::verify_all(&found, surface, &options))?;
        proved.map_err(|refusal| not_proved(py, None, &refusal))
    }

    fn __len__(&self) -> usize {
        self.found.len()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PySelfIntersections>().is_ok_and(|other| {
            let other = other.get();
            self.found == other.found && self.mesh.get().shape == other.mesh.get().shape
        })
    }

    fn __repr__(&self) -> String {
        format!("SelfIntersections({})", self.found.len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Py<PyShape>, Bound<'py, PyBytes>)> {
        let (py, it) = (slf.py(), slf.get());
        restored(slf, (it.mesh(py), PyBytes::new(py, &write(&it.found))))
    }

    #[classmethod]
    fn _restore(_: &Bound<'_, PyType>, mesh: Py<PyShape>, state: &[u8]) -> PyResult<PySelfIntersections> {
        Ok(PySelfIntersections { mesh, found: read(state)? })
    }
}

/// All pairs of triangles of a mesh that intersect beyond shared corners and edges. Exact.
///
/// `culling='curvature'` gives the same list; `'normals'` is a heuristic that may miss what is there.
#[pyfunction]
#[pyo3(signature = (mesh, *, culling="boxes"))]
pub fn self_intersections(mesh: &Bound<'_, PyAny>, culling: &str) -> PyResult<PySelfIntersections> {
    let py = mesh.py();
    let options = SelfIntersectionsOptions { culling: culling_of(py, culling)?, ..SelfIntersectionsOptions::default() };
    let body = shape_of(mesh, "mesh")?;
    let Shape::Mesh(surface) = &body.get().shape else { return Err(wrong(py, "mesh", "not a mesh")) };
    let found = sized(py, surface.triangle_count(), || self_intersections_with(surface, &options))?;
    let found = found.into_iter().map(Meeting::from).collect();
    Ok(PySelfIntersections { mesh: body, found })
}
