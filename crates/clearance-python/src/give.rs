//! Values of the engine as values of Python: one at a time, and as columns of arrays.

use clearance::answer::{
    ContactPairs, DepthDirection, DepthLabel, Evidence, LocalDepthEnd, Method, PlaneSide, SelfIntersectionKind, Stopped,
};
use clearance::glam::DVec3;
use clearance::query::{ImpactAlgorithm, RigidAlgorithm};
use clearance::shape::Feature;
use clearance::world::Change;
use clearance::{Bracket, Pose, Relation};
use numpy::{Element, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::pose::{PyPose, matrix_of};

/// Something of the module of plain types of the package: an enum, a tuple with names, an exception.
pub fn package<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || py.import("clearance._types").map(Bound::unbind))?.bind(py).getattr(name)
}

/// An object of any class, or an exception.
pub type Object<'py> = PyResult<Bound<'py, PyAny>>;

/// What `__reduce__` returns: what makes the object again, and from what.
pub type Reduced<'py, Parts> = PyResult<(Bound<'py, PyAny>, Parts)>;

/// A value as an object.
pub trait Give {
    /// The object.
    fn give<'py>(&self, py: Python<'py>) -> Object<'py>;
}

/// Many values as one array. Without an answer a number is infinite and everything else zero.
pub trait Column: Sized {
    /// The array, or a list where there is none for it.
    fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_>;
}

/// Rows as an array of two dimensions, even when there are none.
pub fn rows<T: Element + Copy, const N: usize>(py: Python<'_>, rows: Vec<[T; N]>) -> PyResult<Bound<'_, PyArray2<T>>> {
    let count = rows.len();
    PyArray1::from_vec(py, rows.into_flattened()).reshape([count, N])
}

/// Points as an array of two dimensions.
pub fn points(py: Python<'_>, points: impl IntoIterator<Item = DVec3>) -> PyResult<Bound<'_, PyArray2<f64>>> {
    rows(py, points.into_iter().map(|point| point.to_array()).collect())
}

/// Tables of so many rows and columns each as an array of three dimensions.
pub fn tables<T: Element + Copy, const M: usize, const N: usize>(
    py: Python<'_>,
    tables: Vec<[[T; N]; M]>,
) -> PyResult<Bound<'_, PyArray3<T>>> {
    let count = tables.len();
    PyArray1::from_vec(py, tables.into_flattened().into_flattened()).reshape([count, M, N])
}

/// Segments, triangles and the like, by their corners, as an array of three dimensions.
pub fn segments<const M: usize>(
    py: Python<'_>,
    segments: impl IntoIterator<Item = [DVec3; M]>,
) -> PyResult<Bound<'_, PyArray3<f64>>> {
    tables(py, segments.into_iter().map(|ends| ends.map(|end| end.to_array())).collect())
}

/// A read-only array.
pub fn read_only<'py, T>(array: Bound<'py, T>) -> PyResult<Bound<'py, T>> {
    array.as_any().call_method1("setflags", (false,))?;
    Ok(array)
}

macro_rules! plain {
    ($($kind:ty: $missing:expr),*) => {$(
        impl Give for $kind {
            fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
                self.into_bound_py_any(py)
            }
        }

        impl Column for $kind {
            fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
                Ok(PyArray1::from_vec(py, values.map(|value| value.unwrap_or($missing)).collect()).into_any())
            }
        }
    )*};
}

plain!(f64: f64::INFINITY, u32: 0, u64: 0, usize: 0, i64: 0, bool: false);

/// Words for the variants of an enum.
macro_rules! words {
    ($($kind:ident { $($variant:ident = $word:literal),* })*) => {$(
        impl Give for $kind {
            fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
                #[allow(unreachable_patterns, reason = "some of the enums may grow")]
                let word = match self {
                    $($kind::$variant { .. } => $word,)*
                    _ => "other",
                };
                word.into_bound_py_any(py)
            }
        }

        impl Column for $kind {
            fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
                let words: PyResult<Vec<_>> = values.map(|value| value.give(py)).collect();
                words?.into_bound_py_any(py)
            }
        }
    )*};
}

words! {
    Method {
        Gjk = "gjk", GjkStopped = "gjk_stopped", Epa = "epa", EpaStopped = "epa_stopped", Newton = "newton",
        NewtonStopped = "newton_stopped", ClosedForm = "closed_form", Parts = "parts", PartsStopped = "parts_stopped",
        Mesh = "mesh", MeshStopped = "mesh_stopped", Solids = "solids", Columns = "columns"
    }
    Evidence { Points = "points", Polytope = "polytope", Deep = "deep" }
    DepthLabel { Global = "global", Local = "local", Estimate = "estimate" }
    DepthDirection { AInB = "a_in_b", BInA = "b_in_a" }
    LocalDepthEnd {
        Tolerance = "tolerance", AtLeast = "at_least", AtMost = "at_most", Undecided = "undecided",
        Interrupted = "interrupted"
    }
    ImpactAlgorithm {
        Conservative = "conservative", IntervalHalving = "interval_halving", Brent = "brent",
        ClosedForm = "closed_form",
        Elementary = "elementary"
    }
    RigidAlgorithm { Hierarchies = "hierarchies", Advancement = "advancement" }
    Change { Began = "began", Persists = "persists", Ended = "ended" }
}

impl Give for Stopped {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        match self {
            Stopped::Tolerance(tolerance) => ("tolerance", *tolerance).into_bound_py_any(py),
            Stopped::FartherThan(distance) => ("farther_than", *distance).into_bound_py_any(py),
            _ => ("budget", py.None()).into_bound_py_any(py),
        }
    }
}

/// The sign of the gap.
pub fn relation_code(relation: Relation) -> i8 {
    match relation {
        Relation::Separated => 1,
        Relation::Touching => 0,
        Relation::Overlapping => -1,
    }
}

/// The number of a side in `clearance.PlaneSide`.
pub fn side_code(side: PlaneSide) -> i8 {
    match side {
        PlaneSide::In => 0,
        PlaneSide::Front => 1,
        PlaneSide::Back => -1,
        PlaneSide::Both => 2,
    }
}

/// The number of a kind in `clearance.SelfIntersectionKind`.
pub fn kind_code(kind: SelfIntersectionKind) -> u8 {
    match kind {
        SelfIntersectionKind::Rims => 0,
        SelfIntersectionKind::Crossing => 1,
        SelfIntersectionKind::Overlap => 2,
    }
}

impl Give for Relation {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        package(py, "Relation")?.call1((relation_code(*self),))
    }
}

impl Column for Relation {
    fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
        Ok(PyArray1::from_vec(py, values.map(|value| value.map_or(0, relation_code)).collect()).into_any())
    }
}

impl Give for DVec3 {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        Ok(PyArray1::from_slice(py, &self.to_array()).into_any())
    }
}

impl Column for DVec3 {
    fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
        points(py, values.map(Option::unwrap_or_default)).map(Bound::into_any)
    }
}

impl<T: Give> Give for Option<T> {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        self.as_ref().map_or_else(|| Ok(py.None().into_bound(py)), |value| value.give(py))
    }
}

impl<T: Column> Column for Option<T> {
    fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
        T::column(py, values.map(Option::flatten))
    }
}

/// The kind of a feature in `clearance.FeatureKind`, and its number; -1 for the interior.
pub fn feature_code(feature: Feature) -> [i64; 2] {
    match feature {
        Feature::Vertex(number) => [0, i64::from(number)],
        Feature::Edge(number) => [1, i64::from(number)],
        Feature::Face(number) => [2, i64::from(number)],
        Feature::Interior => [3, -1],
    }
}

impl Give for Feature {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        let [kind, number] = feature_code(*self);
        package(py, "Feature")?.call1((package(py, "FeatureKind")?.call1((kind,))?, number))
    }
}

impl Column for Feature {
    fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
        rows(py, values.map(|value| feature_code(value.unwrap_or(Feature::Interior))).collect()).map(Bound::into_any)
    }
}

impl Give for Bracket {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        package(py, "Bracket")?.call1((self.value, self.lower, self.upper))
    }
}

impl Column for Bracket {
    fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
        let numbers = values.map(|it| it.map_or([f64::INFINITY; 3], |it| [it.value, it.lower, it.upper]));
        rows(py, numbers.collect()).map(Bound::into_any)
    }
}

impl Give for Vec<u32> {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        Ok(PyArray1::from_slice(py, self).into_any())
    }
}

impl Give for Vec<[u32; 2]> {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        rows(py, self.clone()).map(Bound::into_any)
    }
}

impl Give for ContactPairs {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        rows(py, self.as_slice().to_vec()).map(Bound::into_any)
    }
}

impl Column for ContactPairs {
    fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
        let pairs: PyResult<Vec<_>> = values.map(|value| value.unwrap_or_default().give(py)).collect();
        pairs?.into_bound_py_any(py)
    }
}

impl Give for Pose {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        Ok(Bound::new(py, PyPose { pose: *self })?.into_any())
    }
}

impl Column for Pose {
    fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
        let matrices = values.map(|pose| pose.map_or([[0.0; 4]; 4], |pose| matrix_of(&pose)));
        tables(py, matrices.collect()).map(Bound::into_any)
    }
}

macro_rules! pairs_of {
    ($($number:ty),*) => {$(
        impl Give for [$number; 2] {
            fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
                Ok(PyArray1::from_slice(py, self).into_any())
            }
        }

        impl Column for [$number; 2] {
            fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
                rows(py, values.map(Option::unwrap_or_default).collect()).map(Bound::into_any)
            }
        }
    )*};
}

pairs_of!(u32, f64);

impl Give for [DVec3; 2] {
    fn give<'py>(&self, py: Python<'py>) -> Object<'py> {
        points(py, *self).map(Bound::into_any)
    }
}

impl Column for [DVec3; 2] {
    fn column(py: Python<'_>, values: impl ExactSizeIterator<Item = Option<Self>>) -> Object<'_> {
        segments(py, values.map(Option::unwrap_or_default)).map(Bound::into_any)
    }
}
