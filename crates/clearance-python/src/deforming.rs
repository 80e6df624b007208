//! Deforming meshes: contacts within a step, proximity at its end.

use clearance::answer::{ElementaryCounts, NearPair, StepCollisions};
use clearance::query::{ImpactSelection, SelfCulling, StepOptions};
use clearance::verify::Refusal;
use clearance::{DeformingMesh, Shape};
use numpy::{PyArray2, PyArray3};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::answer::{Asked, Prove, Question, brackets_of, single};
use crate::array::{Indices, Points, rows_of};
use crate::error::{bad_state, refused, wrong};
use crate::give::{Reduced, feature_code, points, rows, segments, tables};
use crate::limits::{DEFORMING_POINT, DEFORMING_TRIANGLE};
use crate::pose::motion_of;
use crate::room::room_for;
use crate::shape::shape_of;
use crate::state::fields;
use crate::work::sized;

fields!(NearAnswer { pairs });

/// A mesh of fixed triangles whose points move: cloth, skin, soft bodies. It knows where each point is at the
/// start and at the end of a step; in between a point moves along a straight line at constant speed.
///
/// Made from vertices (N, 3) at the start, faces (M, 3) and vertices at the end; without the last all points are at
/// rest. Immutable; `moved_to` makes the next step, which shares the triangles and their tree.
#[pyclass(frozen, name = "DeformingMesh", module = "clearance")]
pub struct PyDeformingMesh {
    pub mesh: DeformingMesh,
}

impl PyDeformingMesh {
    /// The same triangles with other ends of the step.
    fn with_ends(
        &self,
        start: Option<(&Bound<'_, PyAny>, &str)>,
        end: (&Bound<'_, PyAny>, &str),
    ) -> PyResult<PyDeformingMesh> {
        let py = end.0.py();
        let mut mesh = self.mesh.clone();
        let (to, name) = (Points::of(end.0, end.1)?, end.1);
        match start {
            None => {
                let to = to.rows();
                sized(py, to.len(), || mesh.move_to(to))?.map_err(|error| refused(py, name, &error))?;
            }
            Some((start, start_name)) => {
                let from = Points::of(start, start_name)?;
                let (from, to) = (from.rows(), to.rows());
                // The first is checked alone, so that an error names the right one.
                sized(py, from.len(), || mesh.move_to(from))?.map_err(|error| refused(py, start_name, &error))?;
                sized(py, to.len(), || mesh.move_to(to))?.map_err(|error| refused(py, name, &error))?;
            }
        }
        Ok(PyDeformingMesh { mesh })
    }

    /// Whether both have the same triangles and points at both ends.
    fn same(&self, other: &PyDeformingMesh) -> bool {
        let (one, two) = (&self.mesh, &other.mesh);
        one.triangles() == two.triangles() && one.start().eq(two.start()) && one.end().eq(two.end())
    }
}

#[pymethods]
impl PyDeformingMesh {
    #[new]
    #[pyo3(signature = (vertices, faces, end=None))]
    fn new(
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        end: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyDeformingMesh> {
        let py = vertices.py();
        room_for(py, "vertices", rows_of(vertices), "points of a mesh", DEFORMING_POINT)?;
        room_for(py, "faces", rows_of(faces), "triangles of a mesh", DEFORMING_TRIANGLE)?;
        let (given, triangles) = (Points::of(vertices, "vertices")?, Indices::<3>::of(faces, "faces")?);
        let (given, triangles) = (given.rows(), triangles.rows());
        let made = sized(py, triangles.len(), || DeformingMesh::new(given, triangles))?;
        let mesh = made.map_err(|error| refused(py, crate::mesh::argument_of(&error), &error))?;
        let at_rest = PyDeformingMesh { mesh };
        end.map_or(Ok(PyDeformingMesh { mesh: at_rest.mesh.clone() }), |end| at_rest.with_ends(None, (end, "end")))
    }

    /// The points of a mesh under a `Motion`, at its start and its end, each rounded once. Queries are then
    /// answered exactly for those points; `time_of_impact` has brackets for the motion itself.
    #[classmethod]
    fn moving(
        class: &Bound<'_, PyType>,
        mesh: &Bound<'_, PyAny>,
        motion: &Bound<'_, PyAny>,
    ) -> PyResult<PyDeformingMesh> {
        let py = class.py();
        let (body, motion) = (shape_of(mesh, "mesh")?, motion_of(py, Some(motion), "motion")?);
        let Shape::Mesh(surface) = &body.get().shape else { return Err(wrong(py, "mesh", "not a mesh")) };
        let made = sized(py, surface.triangle_count(), || DeformingMesh::moving(surface, &motion))?;
        Ok(PyDeformingMesh { mesh: made.map_err(|error| refused(py, "mesh, motion", &error))? })
    }

    /// The next step: it begins where this one ends, and ends at these points, (N, 3).
    fn moved_to(&self, vertices: &Bound<'_, PyAny>) -> PyResult<PyDeformingMesh> {
        self.with_ends(None, (vertices, "vertices"))
    }

    /// The same triangles in a step from one list of points to another, each (N, 3).
    fn with_step(&self, start: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>) -> PyResult<PyDeformingMesh> {
        self.with_ends(Some((start, "start")), (end, "end"))
    }

    /// The same step with a new tree, for the points at its end: worthwhile when triangles that were close when
    /// the tree was built no longer are. Answers do not depend on it.
    fn rebuilt(&self, py: Python<'_>) -> PyResult<PyDeformingMesh> {
        let mut mesh = self.mesh.clone();
        sized(py, mesh.triangle_count(), || mesh.rebuild())?;
        Ok(PyDeformingMesh { mesh })
    }

    /// The points at the start of the step, (N, 3).
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points(py, self.mesh.start())
    }

    /// The points at the end of the step, (N, 3).
    #[getter]
    fn end<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points(py, self.mesh.end())
    }

    /// The triangles in the order given, (M, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.mesh.triangles())
    }

    /// The edges, (E, 2): every side of a triangle once, the lower point first, ascending. Answers name an edge by its
    /// place here.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.mesh.edges())
    }

    /// Memory of the mesh in bytes; a query needs about twice as much while it runs.
    #[getter]
    fn nbytes(&self) -> usize {
        self.mesh.bytes()[0]
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyDeformingMesh>().is_ok_and(|other| self.same(other.get()))
    }

    fn __repr__(&self) -> String {
        format!("DeformingMesh({} vertices, {} faces)", self.mesh.point_count(), self.mesh.triangle_count())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, MeshParts<'py>> {
        let (py, it) = (slf.py(), slf.get());
        Ok((slf.get_type().into_any(), (it.start(py)?, it.faces(py)?, it.end(py)?)))
    }
}

/// What makes a mesh again.
type MeshParts<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>, Bound<'py, PyArray2<f64>>);

/// One mesh or two, as arguments and as what an answer is about.
pub struct Meshes {
    a: Py<PyDeformingMesh>,
    b: Option<Py<PyDeformingMesh>>,
}

impl Meshes {
    fn of(a: &Bound<'_, PyDeformingMesh>, b: Option<&Bound<'_, PyDeformingMesh>>) -> Meshes {
        Meshes { a: a.clone().unbind(), b: b.map(|b| b.clone().unbind()) }
    }

    fn view(&self) -> (&DeformingMesh, Option<&DeformingMesh>) {
        (&self.a.get().mesh, self.b.as_ref().map(|b| &b.get().mesh))
    }

    fn same(&self, other: &Meshes) -> bool {
        let second = match (&self.b, &other.b) {
            (None, None) => true,
            (Some(one), Some(two)) => one.get().same(two.get()),
            _ => false,
        };
        second && self.a.get().same(other.a.get())
    }

    fn clone_ref(&self, py: Python<'_>) -> (Py<PyDeformingMesh>, Option<Py<PyDeformingMesh>>) {
        (self.a.clone_ref(py), self.b.as_ref().map(|b| b.clone_ref(py)))
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Meshes> {
        let (a, b) = (objects.get_item(0)?, objects.get_item(1)?);
        let a = a.cast::<PyDeformingMesh>().map_err(|_| bad_state())?;
        let b = if b.is_none() { None } else { Some(b.cast_into::<PyDeformingMesh>().map_err(|_| bad_state())?) };
        Ok(Meshes::of(a, b.as_ref()))
    }
}

/// A step of one mesh or two, and what is wanted of it.
pub struct Step {
    meshes: Meshes,
    options: StepOptions,
}

type StepView<'a> = (&'a DeformingMesh, Option<&'a DeformingMesh>, &'a StepOptions);

impl Step {
    /// The mesh, or both.
    pub fn meshes(&self) -> impl Iterator<Item = &Py<PyDeformingMesh>> {
        std::iter::once(&self.meshes.a).chain(&self.meshes.b)
    }

    fn answer(self, py: Python<'_>) -> PyResult<PyStepCollisions> {
        let (a, b, options) = self.view();
        let answer = sized(py, a.triangle_count(), || match b {
            None => clearance::query::self_collisions_with(a, options),
            Some(b) => clearance::query::step_collisions_with(a, b, options),
        })?;
        Ok(PyStepCollisions { answer, question: self })
    }
}

/// What is wanted of a step, from arguments.
fn options_of(
    py: Python<'_>,
    wanted: &str,
    within: Option<f64>,
    intersections: bool,
    culling: &str,
) -> PyResult<StepOptions> {
    let wanted = match (wanted, within) {
        ("all", None) => ImpactSelection::All,
        ("first", None) => ImpactSelection::First,
        ("first", Some(within)) if within.is_nan() => return Err(wrong(py, "within", "not a number")),
        ("first", Some(within)) => ImpactSelection::NearFirst(within),
        ("all", Some(_)) => return Err(wrong(py, "within", "all are wanted: give wanted='first' with it")),
        (other, _) => return Err(wrong(py, "wanted", format_args!("'{other}' is none of 'all', 'first'"))),
    };
    Ok(StepOptions { wanted, intersections, culling: culling_of(py, culling)? })
}

/// The names of the ways to cull.
const CULLING: [(&str, SelfCulling); 3] =
    [("boxes", SelfCulling::Boxes), ("curvature", SelfCulling::Curvature), ("normals", SelfCulling::Normals)];

/// A way to cull by its name.
pub fn culling_of(py: Python<'_>, culling: &str) -> PyResult<SelfCulling> {
    let found = CULLING.into_iter().find(|(name, _)| *name == culling);
    let unknown = || wrong(py, "culling", format_args!("'{culling}' is none of 'boxes', 'curvature', 'normals'"));
    found.map(|(_, culling)| culling).ok_or_else(unknown)
}

impl Question for Step {
    type View<'a> = StepView<'a>;

    fn view(&self) -> StepView<'_> {
        let (a, b) = self.meshes.view();
        (a, b, &self.options)
    }
}

impl Asked for Step {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (wanted, within) = match self.options.wanted {
            ImpactSelection::All => ("all", None),
            ImpactSelection::First => ("first", None),
            ImpactSelection::NearFirst(within) => ("first", Some(within)),
        };
        let (a, b) = self.meshes.clone_ref(py);
        let culling = CULLING.into_iter().find(|(_, culling)| *culling == self.options.culling);
        let culling = culling.map_or(CULLING[0].0, |(name, _)| name);
        (a, b, wanted, within, self.options.intersections, culling).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Step> {
        let (wanted, within): (String, Option<f64>) =
            (objects.get_item(2)?.extract()?, objects.get_item(3)?.extract()?);
        let (intersections, culling): (bool, String) =
            (objects.get_item(4)?.extract()?, objects.get_item(5)?.extract()?);
        let options = options_of(objects.py(), &wanted, within, intersections, &culling)?;
        Ok(Step { meshes: Meshes::from_python(objects)?, options })
    }

    fn same(&self, other: &Step) -> bool {
        self.options == other.options && self.meshes.same(&other.meshes)
    }
}

impl Prove<Step> for StepCollisions {
    fn prove(&self, (a, b, options): StepView<'_>) -> Result<(), Refusal> {
        match b {
            None => self.verify_self(options, a),
            Some(b) => self.verify(options, a, b),
        }
    }
}

single! {
    /// The impacts of a step: every array has an entry for each of the K impacts, ordered by time, then by feature.
    /// Times are fractions of the step.
    PyStepCollisions = "StepCollisions" of StepCollisions, asked Step
}

brackets_of! {
    PyStepCollisions: impacts;
    /// The times, (K,): those of `lower`.
    value,
    /// Proved: the two features do not touch before, (K,).
    lower,
    /// Proved: the two touch by then, (K,). The same numbers as `lower` or their neighbours.
    upper,
}

/// Features of pairs, kind and index of each, (K, 2, 2).
fn features<'py>(
    py: Python<'py>,
    pairs: impl ExactSizeIterator<Item = [clearance::shape::Feature; 2]>,
) -> PyResult<Bound<'py, PyArray3<i64>>> {
    tables(py, pairs.map(|pair| pair.map(feature_code)).collect())
}

#[pymethods]
impl PyStepCollisions {
    /// The features that touch, of A and of B, each as kind and index, (K, 2, 2). Of one mesh a vertex precedes a
    /// face, and of two edges the lower first.
    #[getter]
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<i64>>> {
        features(py, self.answer.impacts.iter().map(|impact| impact.features))
    }

    /// Where they touch, in the world, (K, 3); rounded.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points(py, self.answer.impacts.iter().map(|impact| impact.point))
    }

    /// Unit, normal to the face or both edges, (K, 3): the direction of the first feature relative to the second;
    /// rounded. Zero for a face without area and for parallel edges.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points(py, self.answer.impacts.iter().map(|impact| impact.normal.unwrap_or_default()))
    }

    /// Where the points are on the features, (K, 2); rounded. For a vertex and a face the weights of the face's second
    /// and third corner; for edges the fractions of the way from the lower end to the higher.
    #[getter]
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, self.answer.impacts.iter().map(|impact| impact.coordinates).collect())
    }

    /// Pairs of triangles that have a point in common at the start, (M, 2); ascending.
    #[getter]
    fn intersecting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.answer.intersecting.clone())
    }

    /// How many pairs of features were tested.
    #[getter]
    fn candidates(&self) -> u64 {
        self.answer.counts.candidates
    }

    /// How many of them the filter, floats with error bounds, and integers decided. Zero where only the
    /// first is wanted.
    #[getter]
    fn decided(&self) -> (u64, u64, u64) {
        let ElementaryCounts { filtered, certified, exact } = self.answer.counts.elementary;
        (filtered, certified, exact)
    }

    fn __len__(&self) -> usize {
        self.answer.impacts.len()
    }

    fn __repr__(&self) -> String {
        let (impacts, triangles) = (self.answer.impacts.len(), self.answer.intersecting.len());
        let first =
            self.answer.impacts.first().map_or_else(|| "None".to_owned(), |impact| format!("{:?}", impact.time.lower));
        format!("StepCollisions({impacts} impacts, first={first}, {triangles} pairs of triangles meet at the start)")
    }
}

/// The self-collisions of a mesh in its step: all impacts of a vertex with a face and of an edge with an edge, and all
/// triangles that intersect at the start; features that share a vertex are left out. Exact: none missing, none
/// spurious.
///
/// `wanted='first'`: only the earliest; with `within` also those at most that much later, each contact
/// once. `intersections=False`: without the triangles that intersect at the start.
///
/// `culling='curvature'` gives the same answer, faster from the second step on where the surface is not folded;
/// `'normals'` is a heuristic that may miss what is there.
#[pyfunction]
#[pyo3(signature = (mesh, *, wanted="all", within=None, intersections=true, culling="boxes"))]
pub fn self_collisions(
    mesh: &Bound<'_, PyDeformingMesh>,
    wanted: &str,
    within: Option<f64>,
    intersections: bool,
    culling: &str,
) -> PyResult<PyStepCollisions> {
    let options = options_of(mesh.py(), wanted, within, intersections, culling)?;
    Step { meshes: Meshes::of(mesh, None), options }.answer(mesh.py())
}

/// The collisions of two meshes in their step: as `self_collisions`, for features of A with those of B.
#[pyfunction]
#[pyo3(signature = (a, b, *, wanted="all", within=None, intersections=true))]
pub fn step_collisions(
    a: &Bound<'_, PyDeformingMesh>,
    b: &Bound<'_, PyDeformingMesh>,
    wanted: &str,
    within: Option<f64>,
    intersections: bool,
) -> PyResult<PyStepCollisions> {
    let options = options_of(a.py(), wanted, within, intersections, CULLING[0].0)?;
    Step { meshes: Meshes::of(a, Some(b)), options }.answer(a.py())
}

/// All pairs of features near each other.
#[derive(Clone, PartialEq)]
pub struct NearAnswer {
    pairs: Vec<NearPair>,
}

/// One mesh or two, and how near.
pub struct Nearness {
    meshes: Meshes,
    distance: f64,
}

type NearView<'a> = (&'a DeformingMesh, Option<&'a DeformingMesh>, f64);

impl Nearness {
    fn answer(self, py: Python<'_>) -> PyResult<PyNearPairs> {
        if self.distance.is_nan() {
            return Err(wrong(py, "distance", "not a number"));
        }
        let (a, b, distance) = self.view();
        let pairs = sized(py, a.triangle_count(), || match b {
            None => clearance::query::self_proximity(a, distance),
            Some(b) => clearance::query::proximity(a, b, distance),
        })?;
        Ok(PyNearPairs { answer: NearAnswer { pairs }, question: self })
    }
}

impl Question for Nearness {
    type View<'a> = NearView<'a>;

    fn view(&self) -> NearView<'_> {
        let (a, b) = self.meshes.view();
        (a, b, self.distance)
    }
}

impl Asked for Nearness {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (a, b) = self.meshes.clone_ref(py);
        (a, b, self.distance).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Nearness> {
        Ok(Nearness { meshes: Meshes::from_python(objects)?, distance: objects.get_item(2)?.extract()? })
    }

    fn same(&self, other: &Nearness) -> bool {
        self.distance == other.distance && self.meshes.same(&other.meshes)
    }
}

impl Prove<Nearness> for NearAnswer {
    fn prove(&self, (a, b, distance): NearView<'_>) -> Result<(), Refusal> {
        NearPair::verify_all(&self.pairs, distance, a, b)
    }
}

single! {
    /// Features near each other at the end of a step: every array has an entry for each of the K pairs, ordered by
    /// feature.
    PyNearPairs = "NearPairs" of NearAnswer, asked Nearness
}

brackets_of! {
    PyNearPairs: pairs;
    /// The distances, (K,): those of `upper`, which the two points have.
    value,
    /// Proved: the distances are at least these, (K,).
    lower,
    /// Proved: the distances are at most these, (K,).
    upper,
}

#[pymethods]
impl PyNearPairs {
    /// The features, of A and of B, each as kind and number, (K, 2, 2).
    #[getter]
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<i64>>> {
        features(py, self.answer.pairs.iter().map(|pair| pair.features))
    }

    /// The nearest point of each, in the world, (K, 2, 3); rounded.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        segments(py, self.answer.pairs.iter().map(|pair| pair.points))
    }

    fn __len__(&self) -> usize {
        self.answer.pairs.len()
    }

    fn __repr__(&self) -> String {
        format!("NearPairs({} within {:?})", self.answer.pairs.len(), self.question.distance)
    }
}

/// The features of a mesh within a distance of each other at the end of its step: pairs of a vertex and a
/// face, and of two edges, that share no vertex. Only pairs proved to be farther apart are left out.
#[pyfunction]
pub fn self_proximity(mesh: &Bound<'_, PyDeformingMesh>, distance: f64) -> PyResult<PyNearPairs> {
    Nearness { meshes: Meshes::of(mesh, None), distance }.answer(mesh.py())
}

/// The pairs of features of two meshes within a distance of each other at the end of their steps.
#[pyfunction]
pub fn proximity(
    a: &Bound<'_, PyDeformingMesh>,
    b: &Bound<'_, PyDeformingMesh>,
    distance: f64,
) -> PyResult<PyNearPairs> {
    Nearness { meshes: Meshes::of(a, Some(b)), distance }.answer(a.py())
}
