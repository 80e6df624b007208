//! Where two bodies touch, and the curves along which two meshes meet.

use clearance::answer::{Contact, ContactCurve, Contacts};
use clearance::glam::DVec3;
use clearance::query::{ContactCurvesOptions, ContactsOptions};
use clearance::{Mesh, PairCache, Pose, Shape};
use numpy::{PyArray1, PyArray2, PyArray3};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::answer::{OfBodies, Question, Questions, getters, in_world, single};
use crate::array::{Indices, Points};
use crate::error::{not_proved, wrong};
use crate::give::{Give, Reduced, feature_code, points, rows, segments, side_code};
use crate::index::{Indexed, PyStats};
use crate::pair::{Pair, PairView, asked_of_pairs, of_pair, stopped, with_workspace};
use crate::state::restored;
use crate::work::at_length;

single! {
    /// The contacts of two bodies. Fields of the K contact points are arrays of K entries; likewise for M pairs of
    /// triangles that meet.
    PyContacts = "Contacts" of Contacts, asked Pair
}

of_pair!(PyContacts);
stopped!(PyContacts);
in_world!(
    PyContacts by witness,
    "The points of A and of B, in the world, that are the witness of the gap, (2, 3); rounded."
);

getters! {
    PyContacts;
    /// The signed gap of the bodies, in world units: negative when they overlap, by the depth.
    value: gap.value,
    /// Proved: the signed gap is at least this.
    lower: gap.lower,
    /// Proved: the signed gap is at most this. Not tight where the bodies are known to be farther apart than the
    /// margin.
    upper: gap.upper,
    /// Unit, in the world, from A towards B: the separating direction of an overlap, or the direction of the gap.
    normal: normal,
    /// The margin of the query.
    margin: margin,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    placement: placement,
    /// How the normal and the gap were found.
    method: method,
}

impl PyContacts {
    /// An array of a number of each point.
    fn numbers<'py, T: numpy::Element>(&self, py: Python<'py>, of: impl Fn(&Contact) -> T) -> Bound<'py, PyArray1<T>> {
        PyArray1::from_vec(py, self.answer.points.iter().map(of).collect())
    }

    /// An array of a vector of each point.
    fn vectors<'py>(&self, py: Python<'py>, of: impl Fn(&Contact) -> DVec3) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points(py, self.answer.points.iter().map(of))
    }
}

#[pymethods]
impl PyContacts {
    /// The points on A's surface, in A's own frame, (K, 3).
    #[getter]
    fn points_in_a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.vectors(py, |contact| contact.witness.a.point)
    }

    /// The points on B's surface, in B's own frame, (K, 3).
    #[getter]
    fn points_in_b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.vectors(py, |contact| contact.witness.b.point)
    }

    /// The points of A and of B in the world, (K, 2, 3); rounded.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let (pose_a, pose_b) = (&self.question.pose_a, &self.question.pose_b);
        let each = self.answer.points.iter();
        segments(
            py,
            each.map(|it| [pose_a.transform_point(it.witness.a.point), pose_b.transform_point(it.witness.b.point)]),
        )
    }

    /// The normals at the points, unit, in the world, from A towards B, (K, 3).
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.vectors(py, |contact| contact.normal)
    }

    /// The gaps along the normals, (K,): negative where the bodies overlap.
    #[getter]
    fn gaps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, |contact| contact.gap.value)
    }

    /// Proved: the gaps between these points are at least these, (K,).
    #[getter]
    fn gaps_lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, |contact| contact.gap.lower)
    }

    /// Proved: they are at most these, (K,).
    #[getter]
    fn gaps_upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, |contact| contact.gap.upper)
    }

    /// The parts of A and of B, (K, 2): of a compound the number of the part, of a height field or a mesh the triangle,
    /// else 0.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.answer.points.iter().map(|contact| [contact.witness.a.part, contact.witness.b.part]).collect())
    }

    /// The features of A with the points, (K, 2): kind and index.
    #[getter]
    fn features_a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        rows(py, self.answer.points.iter().map(|contact| feature_code(contact.witness.a.feature)).collect())
    }

    /// The features of B with the points, (K, 2): kind and index.
    #[getter]
    fn features_b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        rows(py, self.answer.points.iter().map(|contact| feature_code(contact.witness.b.feature)).collect())
    }

    /// The pairs of triangles of two meshes that meet, of A and of B, (M, 2); ascending.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.answer.crossings.iter().map(|crossing| [crossing.triangle_a, crossing.triangle_b]).collect())
    }

    /// The ends of the intersection of the triangles, in the world, (M, 2, 3); rounded.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let pose = &self.question.pose_a;
        segments(py, self.answer.crossings.iter().map(|it| it.ends_in_a.map(|end| pose.transform_point(end))))
    }

    /// On which side of the plane of B's triangle that of A lies, and the other way round, (M, 2): values of
    /// `PlaneSide`.
    #[getter]
    fn sides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        rows(py, self.answer.crossings.iter().map(|it| [side_code(it.side_of_a), side_code(it.side_of_b)]).collect())
    }

    fn __len__(&self) -> usize {
        self.answer.points.len()
    }

    fn __repr__(&self) -> String {
        let (points, triangles) = (self.answer.points.len(), self.answer.crossings.len());
        format!("Contacts({points} points, {triangles} pairs of triangles, value={:?})", self.answer.gap.value)
    }
}

pub fn contacts_of(view: PairView<'_>, options: &ContactsOptions) -> Contacts {
    let mut found = Contacts::default();
    with_workspace(|workspace| {
        let cache = &mut PairCache::default();
        clearance::query::contacts_with(
            view.a,
            view.pose_a,
            view.b,
            view.pose_b,
            options,
            cache,
            workspace,
            &mut found,
        );
    });
    found
}

/// The contacts of two bodies, or where they come within a margin: at most `most` points, if given. Two `Index` of the
/// same tree are accepted in place of their meshes; `stats` then counts what was compared.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, margin=0.0, most=None, tilt=0.02, stats=None))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the query, and its options")]
pub fn contacts(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    margin: f64,
    most: Option<usize>,
    tilt: f64,
    stats: Option<&Bound<'_, PyStats>>,
) -> PyResult<PyContacts> {
    let (py, options) = (a.py(), ContactsOptions { margin, most, tilt });
    match Indexed::of(a, b, pose_a, pose_b, stats)? {
        Some(indexed) => indexed.contacts(py, options),
        None => Pair::of(a, b, pose_a, pose_b)?.ask(py, |view| contacts_of(view, &options)),
    }
}

asked_of_pairs! {
    @batches
    options (* margin: f64 = 0.0, most: Option<usize> = None, tilt: f64 = 0.02);
    /// The contacts of two bodies at each of many poses of B, on all cores.
    poses contacts_batch
    -> Vec<PyContacts> {
        |py, pairs| {
            let options = ContactsOptions { margin, most, tilt };
            Ok(pairs.with(py, pairs.each(py, |view| contacts_of(view, &options))?))
        }
    }
}

/// A curve along which two meshes meet.
#[pyclass(frozen, eq, name = "ContactCurve", module = "clearance")]
#[derive(Clone, PartialEq)]
pub struct PyContactCurve {
    corners: Vec<[f64; 3]>,
    closed: bool,
    pairs: Vec<[u32; 2]>,
    normal: Option<DVec3>,
}

/// What makes a curve again.
type CurveParts<'py> = (Bound<'py, PyArray2<f64>>, bool, Bound<'py, PyArray2<u32>>, Bound<'py, PyAny>);

#[pymethods]
impl PyContactCurve {
    /// The corners in order, in the world, (K, 3); rounded. One corner where the surfaces touch in a point.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, self.corners.clone())
    }

    /// Whether the last corner is joined to the first.
    #[getter]
    fn closed(&self) -> bool {
        self.closed
    }

    /// For each segment the triangles of A and of B that intersect there, (K, 2).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, self.pairs.clone())
    }

    /// Unit, from A towards B, in the world: the area-weighted normal of a closed curve; else None.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.normal.give(py)
    }

    /// Verifies a list of `contact_curves`, with independent code: each segment lies in the triangles it
    /// names, and none is missing. Raises `NotProvedError`.
    #[staticmethod]
    #[pyo3(signature = (curves, a, b, pose_a=None, pose_b=None))]
    fn verify_all(
        curves: Vec<PyRef<'_, PyContactCurve>>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        pose_a: Option<&Bound<'_, PyAny>>,
        pose_b: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (py, pair) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
        let view = pair.view();
        let (mesh_a, mesh_b) = two_meshes(py, view)?;
        let own = |corner: &[f64; 3]| view.pose_a.inverse_transform_point(DVec3::from_array(*corner));
        let claim = |curve: &PyRef<'_, PyContactCurve>| {
            let points = curve.corners.iter().map(own).collect();
            let normal = curve.normal.map(|normal| (view.pose_a.rotation().transpose() * normal).normalize());
            ContactCurve::new(points, curve.closed, curve.pairs.clone(), normal)
        };
        let claims: Vec<ContactCurve> = curves.iter().map(claim).collect();
        let options = ContactCurvesOptions::default();
        let prove = || ContactCurve::verify_all(&claims, mesh_a, view.pose_a, mesh_b, view.pose_b, &options);
        at_length(py, prove)?.map_err(|refusal| not_proved(py, None, &refusal))
    }

    fn __repr__(&self) -> String {
        format!("ContactCurve({} points, {})", self.corners.len(), if self.closed { "closed" } else { "open" })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, CurveParts<'py>> {
        let (py, curve) = (slf.py(), slf.get());
        let parts = (curve.points(py)?, curve.closed, curve.triangles(py)?, curve.normal(py)?);
        restored(slf, parts)
    }

    #[classmethod]
    fn _restore(
        _: &Bound<'_, PyType>,
        points: &Bound<'_, PyAny>,
        closed: bool,
        triangles: &Bound<'_, PyAny>,
        normal: Option<[f64; 3]>,
    ) -> PyResult<PyContactCurve> {
        Ok(PyContactCurve {
            corners: Points::of(points, "points")?.rows().to_vec(),
            closed,
            pairs: Indices::<2>::of(triangles, "triangles")?.rows().to_vec(),
            normal: normal.map(DVec3::from_array),
        })
    }
}

impl PyContactCurve {
    fn of(curve: ContactCurve, pose_a: &Pose) -> PyContactCurve {
        PyContactCurve {
            corners: curve.points.iter().map(|&point| pose_a.transform_point(point).to_array()).collect(),
            closed: curve.closed,
            pairs: curve.pairs,
            // Of the engine in A's own frame.
            normal: curve.normal.map(|normal| (pose_a.rotation() * normal).normalize()),
        }
    }
}

/// The two meshes of a question.
fn two_meshes<'a>(py: Python<'_>, view: PairView<'a>) -> PyResult<(&'a Mesh, &'a Mesh)> {
    match (view.a, view.b) {
        (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) => Ok((mesh_a, mesh_b)),
        _ => {
            let argument = if matches!(view.a, Shape::Mesh(_)) { "b" } else { "a" };
            Err(wrong(py, argument, "not a mesh: only meshes meet in curves of triangles"))
        }
    }
}

/// The intersection curves of two meshes: where their surfaces cross, the outlines of areas where they lie on each
/// other, and places where they only touch.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None))]
pub fn contact_curves(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyContactCurve>> {
    let (py, pair) = (a.py(), Pair::of(a, b, pose_a, pose_b)?);
    let view = pair.view();
    let (mesh_a, mesh_b) = two_meshes(py, view)?;
    let curves = at_length(py, || clearance::query::contact_curves(mesh_a, view.pose_a, mesh_b, view.pose_b))?;
    Ok(curves.into_iter().map(|curve| PyContactCurve::of(curve, view.pose_a)).collect())
}
