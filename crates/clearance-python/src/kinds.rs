//! The kinds of body, except meshes.

use clearance::glam::DVec2;
use clearance::shape::ConvexHull;
use clearance::{Pose, Shape};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::array::{Points, doubles, rows_of, shape_of as array_shape, singles, size_of_array, vector};
use crate::error::{by_keywords, wrong};
use crate::give::{Give, Reduced, points, read_only, rows};
use crate::limits::{HEIGHT, HULL_POINT};
use crate::pose::{PyPose, pose_of};
use crate::room::room_for;
use crate::shape::{PyShape, made, shape_of};
use crate::state::restored;
use crate::work::sized;

type Initializer<T> = PyClassInitializer<T>;

/// Kinds that are made from numbers, which are kept as given.
macro_rules! kinds {
    ($(
        $(#[$doc:meta])*
        $class:ident, $name:literal, $variant:ident => ($($field:ident: $type:ident),*) by $new:ident
            $(, only by keywords: $signature:literal, $write:literal)?;
    )*) => {$(
        $(#[$doc])*
        #[pyclass(frozen, extends = PyShape, name = $name, module = "clearance")]
        pub struct $class;

        kinds!(@new $class, $name => ($($field: $type),*) by $new $(, $signature, $write)?);

        #[pymethods]
        impl $class {

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                let fields = [$(format!("{}={}", stringify!($field), slf.getattr(stringify!($field))?.str()?)),*];
                Ok(format!("{}({})", $name, fields.join(", ")))
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Bound<'py, PyTuple>> {
                let fields = [$(slf.getattr(stringify!($field))?),*];
                restored(slf, PyTuple::new(slf.py(), fields)?)
            }

            #[classmethod]
            fn _restore(
                class: &Bound<'_, PyType>,
                $($field: kinds!(@argument $type)),*
            ) -> PyResult<Py<$class>> {
                Py::new(class.py(), $class::made(class.py(), $($field),*)?)
            }
        }

        impl $class {
            fn made(py: Python<'_>, $($field: kinds!(@argument $type)),*) -> PyResult<Initializer<$class>> {
                let arguments = [$(stringify!($field)),*].join(", ");
                let shape = made(py, &arguments, Shape::$new($(kinds!(@value $type, $field)?),*))?;
                Ok(PyClassInitializer::from(PyShape { shape }).add_subclass($class))
            }
        }

        kinds!(@getters $class, $variant, $($field: $type),*);
    )*};
    (@new $class:ident, $name:literal => ($($field:ident: $type:ident),*) by $new:ident) => {
        #[pymethods]
        impl $class {
            #[new]
            fn new(py: Python<'_>, $($field: kinds!(@argument $type)),*) -> PyResult<Initializer<$class>> {
                $class::made(py, $($field),*)
            }
        }
    };
    (
        @new $class:ident, $name:literal => ($($field:ident: $type:ident),*) by $new:ident,
        $signature:literal, $write:literal
    ) => {
        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (*values, $($field=None),*), text_signature = $signature)]
            fn new(
                py: Python<'_>,
                values: &Bound<'_, PyTuple>,
                $($field: Option<kinds!(@argument $type)>),*
            ) -> PyResult<Initializer<$class>> {
                let (true, $(Some($field)),*) = (values.is_empty(), $($field),*) else {
                    return Err(by_keywords($name, $write));
                };
                $class::made(py, $($field),*)
            }
        }
    };
    (@argument number) => { f64 };
    (@argument vector) => { &Bound<'_, PyAny> };
    (@value number, $field:ident) => { PyResult::Ok($field) };
    (@value vector, $field:ident) => { vector($field, stringify!($field)) };
    (@getters $class:ident, $variant:ident, $($field:ident: $type:ident),*) => {
        #[pymethods]
        impl $class {$(
            #[getter]
            fn $field<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                match &slf.as_super().get().shape {
                    Shape::$variant(body) => body.$field().give(slf.py()),
                    _ => Ok(slf.py().None().into_bound(slf.py())),
                }
            }
        )*}
    };
}

kinds! {
    /// A ball centred at the body's origin.
    PySphere, "Sphere", Sphere => (radius: number) by sphere;
    /// A box centred at the body's origin, its sides along the axes, given by half its side lengths.
    PyBox, "Box", Cuboid => (half_extents: vector) by cuboid,
        only by keywords: "(*, half_extents)", "Box(half_extents=[x, y, z]), half the side lengths";
    /// All points within a radius of a segment along z, `2 * half_length` long, centred at the body's origin.
    PyCapsule, "Capsule", Capsule => (half_length: number, radius: number) by capsule,
        only by keywords: "(*, half_length, radius)",
        "Capsule(radius=r, half_length=h), half the length of the segment between the centres of the caps";
    /// A cylinder centred at the body's origin, its axis along z.
    PyCylinder, "Cylinder", Cylinder => (half_length: number, radius: number) by cylinder,
        only by keywords: "(*, half_length, radius)", "Cylinder(radius=r, half_length=h), half the height";
    /// A cone along z: its apex at `+half_length`, its base at `-half_length`.
    PyCone, "Cone", Cone => (half_length: number, radius: number) by cone,
        only by keywords: "(*, half_length, radius)", "Cone(radius=r, half_length=h), half the height";
    /// An ellipsoid centred at the body's origin, its axes along those of the body.
    PyEllipsoid, "Ellipsoid", Ellipsoid => (semi_axes: vector) by ellipsoid;
    /// The points with `normal . x <= offset`; the normal need not be of unit length.
    PyHalfSpace, "HalfSpace", HalfSpace => (normal: vector, offset: number) by half_space;
}

#[pymethods]
impl PyBox {
    /// The corners, (8, 3), by the numbers that features have: bit 0, 1, 2 is set where x, y, z is positive.
    #[getter]
    fn vertices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        match &slf.as_super().get().shape {
            Shape::Cuboid(body) => points(slf.py(), (0..8).map(|index| body.vertex(index))),
            _ => points(slf.py(), []),
        }
    }
}

/// Kinds that are made from a fixed number of points.
macro_rules! simplices {
    ($($(#[$doc:meta])* $class:ident, $name:literal, $variant:ident, $count:literal, $make:expr;)*) => {$(
        $(#[$doc])*
        #[pyclass(frozen, extends = PyShape, name = $name, module = "clearance")]
        pub struct $class;

        #[pymethods]
        impl $class {
            #[new]
            fn new(points: &Bound<'_, PyAny>) -> PyResult<Initializer<$class>> {
                let py = points.py();
                let given = Points::of(points, "points")?.vectors();
                let Ok(given) = <[_; $count]>::try_from(given) else {
                    return Err(wrong(py, "points", concat!("there must be ", $count, " of them")));
                };
                let shape = made(py, "points", ($make)(given))?;
                Ok(PyClassInitializer::from(PyShape { shape }).add_subclass($class))
            }

            /// The points, as given.
            #[getter]
            fn points<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f64>>> {
                match &slf.as_super().get().shape {
                    Shape::$variant(body) => points(slf.py(), body.points()),
                    _ => points(slf.py(), []),
                }
            }

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                Ok(format!("{}({})", $name, slf.getattr("points")?.call_method0("tolist")?))
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyAny>,)> {
                Ok((slf.get_type().into_any(), (slf.getattr("points")?,)))
            }
        }
    )*};
}

simplices! {
    /// The segment between two points, (2, 3).
    PySegment, "Segment", Segment, 2, |[p, q]: [_; 2]| Shape::segment(p, q);
    /// The triangle of three points, (3, 3).
    PyTriangle, "Triangle", Triangle, 3, |[p, q, r]: [_; 3]| Shape::triangle(p, q, r);
    /// The solid between four points, (4, 3).
    PyTetrahedron, "Tetrahedron", Tetrahedron, 4, Shape::tetrahedron;
}

/// The convex hull of points, (N, 3), found exactly. With `flat` the points may span only a plane, a line or a point.
#[pyclass(frozen, extends = PyShape, name = "Hull", module = "clearance")]
pub struct PyHull {
    /// As given, because feature numbers refer to them.
    given: Py<PyArray2<f64>>,
    flat: bool,
}

impl PyHull {
    fn hull<'a>(slf: &'a Bound<'_, Self>) -> Option<&'a ConvexHull> {
        match &slf.as_super().get().shape {
            Shape::Hull(hull) => Some(hull),
            _ => None,
        }
    }

    /// Corners of the hull as numbers into `points`.
    fn in_points(slf: &Bound<'_, Self>, corners: impl Iterator<Item = u32>) -> Vec<u32> {
        PyHull::hull(slf).map_or_else(Vec::new, |hull| corners.map(|it| hull.input_index(it as usize)).collect())
    }

    /// The same, of so many corners in a row.
    fn rows_in_points<'py, const N: usize>(
        slf: &Bound<'py, Self>,
        corners: &[[u32; N]],
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let numbers = PyHull::in_points(slf, corners.as_flattened().iter().copied());
        rows(slf.py(), numbers.as_chunks::<N>().0.to_vec())
    }
}

#[pymethods]
impl PyHull {
    #[new]
    #[pyo3(signature = (points, *, flat=false))]
    fn new(points: &Bound<'_, PyAny>, flat: bool) -> PyResult<Initializer<PyHull>> {
        let py = points.py();
        room_for(py, "points", rows_of(points), "points of a hull", HULL_POINT)?;
        let rows_given = Points::of(points, "points")?;
        let given = rows_given.rows();
        let shape = sized(py, given.len(), || if flat { Shape::flat_hull(given) } else { Shape::hull(given) })?;
        let shape = made(py, "points", shape)?;
        let given = read_only(rows(py, given.to_vec())?)?.unbind();
        Ok(PyClassInitializer::from(PyShape { shape }).add_subclass(PyHull { given, flat }))
    }

    /// The points, as given; (N, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.given.bind(py).clone()
    }

    /// Which of the points are corners of the hull, as numbers into `points`.
    #[getter]
    fn corners<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        let corners = PyHull::hull(slf).map_or(0, ConvexHull::vertex_count);
        PyArray1::from_vec(slf.py(), PyHull::in_points(slf, 0..corners as u32))
    }

    /// The surface as triangles, (N, 3), counter-clockwise from outside: numbers into `points`.
    #[getter]
    fn faces<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let triangles = PyHull::hull(slf).map_or_else(Vec::new, |hull| hull.triangles().to_vec());
        PyHull::rows_in_points(slf, &triangles)
    }

    /// The edges, (E, 2): numbers into `points`. The edge that a feature names is a row of these.
    #[getter]
    fn edges<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let edges = PyHull::hull(slf).map_or_else(Vec::new, |hull| hull.edges().to_vec());
        PyHull::rows_in_points(slf, &edges)
    }

    /// The planar faces, each with all its corners, counter-clockwise from outside: a list of indices into `points`.
    /// The face that a feature names is one of these.
    #[getter]
    fn polygons<'py>(slf: &Bound<'py, Self>) -> Vec<Bound<'py, PyArray1<u32>>> {
        let array = |face: &[u32]| PyArray1::from_vec(slf.py(), PyHull::in_points(slf, face.iter().copied()));
        PyHull::hull(slf).map_or_else(Vec::new, |hull| hull.faces().map(array).collect())
    }

    /// 3 for a solid; with `flat` also 2 for a polygon, 1 for a segment, 0 for a point.
    #[getter]
    fn dimension(slf: &Bound<'_, Self>) -> u8 {
        PyHull::hull(slf).map_or(3, ConvexHull::dimension)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("Hull({} points, {} corners)", slf.get().points(slf.py()).shape()[0], PyHull::corners(slf).len()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyArray2<f64>>, bool)> {
        let hull = slf.get();
        restored(slf, (hull.points(slf.py()), hull.flat))
    }

    #[classmethod]
    fn _restore<'py>(
        class: &Bound<'py, PyType>,
        points: &Bound<'py, PyAny>,
        flat: bool,
    ) -> PyResult<Bound<'py, PyHull>> {
        Bound::new(class.py(), PyHull::new(points, flat)?)
    }
}

/// All points within a radius of a bounded convex body.
#[pyclass(frozen, extends = PyShape, name = "Rounded", module = "clearance")]
pub struct PyRounded {
    core: Py<PyShape>,
    radius: f64,
}

#[pymethods]
impl PyRounded {
    #[new]
    fn new(core: &Bound<'_, PyAny>, radius: f64) -> PyResult<Initializer<PyRounded>> {
        let core_given = shape_of(core, "core")?;
        let shape = made(core.py(), "core, radius", Shape::rounded(core_given.get().shape.clone(), radius))?;
        Ok(PyClassInitializer::from(PyShape { shape }).add_subclass(PyRounded { core: core_given, radius }))
    }

    /// The body that is rounded, as given.
    #[getter]
    fn core<'py>(&self, py: Python<'py>) -> Bound<'py, PyShape> {
        self.core.bind(py).clone()
    }

    /// The radius.
    #[getter]
    fn radius(&self) -> f64 {
        self.radius
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Rounded({}, radius={})", self.core.bind(py).repr()?, self.radius))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyShape>, f64)> {
        Ok((slf.get_type().into_any(), (slf.get().core(slf.py()), slf.get().radius)))
    }
}

/// The union of posed convex bodies, from a list of pairs `(shape, pose)`.
#[pyclass(frozen, extends = PyShape, name = "Compound", module = "clearance")]
pub struct PyCompound {
    parts: Vec<(Py<PyShape>, Pose)>,
}

#[pymethods]
impl PyCompound {
    #[new]
    fn new(parts: &Bound<'_, PyAny>) -> PyResult<Initializer<PyCompound>> {
        let py = parts.py();
        let one = |(index, part): (usize, PyResult<Bound<'_, PyAny>>)| {
            let (part, name) = (part?, format!("parts[{index}]"));
            let Ok(pair) = part.cast::<PyTuple>() else {
                return Err(wrong(py, &name, "not a pair (shape, pose)"));
            };
            if pair.len() != 2 {
                return Err(wrong(py, &name, "not a pair (shape, pose)"));
            }
            Ok((shape_of(&pair.get_item(0)?, &name)?, pose_of(py, Some(&pair.get_item(1)?), &name)?))
        };
        let given: Vec<(Py<PyShape>, Pose)> = parts.try_iter()?.enumerate().map(one).collect::<PyResult<_>>()?;
        let bodies = given.iter().map(|(shape, pose)| (*pose, shape.get().shape.clone())).collect();
        let shape = made(py, "parts", sized(py, given.len(), || Shape::compound(bodies))?)?;
        Ok(PyClassInitializer::from(PyShape { shape }).add_subclass(PyCompound { parts: given }))
    }

    /// The parts: pairs of a shape and its pose in the compound.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyShape>, PyPose)> {
        self.parts.iter().map(|(shape, pose)| (shape.bind(py).clone(), PyPose { pose: *pose })).collect()
    }

    fn __repr__(&self) -> String {
        format!("Compound({} parts)", self.parts.len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyAny>,)> {
        Ok((slf.get_type().into_any(), (slf.getattr("parts")?,)))
    }
}

/// The solid ground below a grid of heights, (rows, columns): row `j` is at `y = j * spacing[1]`, column `i` at `x = i
/// * spacing[0]`.
///
/// Heights are stored in single precision; others are rounded to it.
#[pyclass(frozen, extends = PyShape, name = "HeightField", module = "clearance")]
pub struct PyHeightField;

#[pymethods]
impl PyHeightField {
    #[new]
    fn new(heights: &Bound<'_, PyAny>, spacing: &Bound<'_, PyAny>) -> PyResult<Initializer<PyHeightField>> {
        let py = heights.py();
        room_for(py, "heights", size_of_array(heights), "heights", HEIGHT)?;
        let given = singles(heights, "heights")?;
        let (shape, numbers) = (given.shape().to_vec(), given.all().to_vec());
        let [rows, columns] = shape[..] else {
            return Err(wrong(
                py,
                "heights",
                format_args!("the shape is {}, not (rows, columns)", array_shape(&shape)),
            ));
        };
        let steps = doubles(spacing, "spacing")?;
        let ([2], &[x, y]) = (steps.shape(), steps.all()) else {
            return Err(wrong(py, "spacing", format_args!("the shape is {}, not (2,)", array_shape(steps.shape()))));
        };
        let shape = sized(py, numbers.len(), || Shape::height_field(columns, rows, DVec2::new(x, y), numbers))?;
        let shape = made(py, "heights, spacing", shape)?;
        Ok(PyClassInitializer::from(PyShape { shape }).add_subclass(PyHeightField))
    }

    /// The heights, (rows, columns), single precision.
    #[getter]
    fn heights<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        match &slf.as_super().get().shape {
            Shape::HeightField(field) => {
                PyArray1::from_slice(slf.py(), field.heights()).reshape([field.rows(), field.columns()])
            }
            _ => rows(slf.py(), Vec::<[f32; 0]>::new()),
        }
    }

    /// The distances of columns and of rows.
    #[getter]
    fn spacing<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<f64>> {
        let spacing = match &slf.as_super().get().shape {
            Shape::HeightField(field) => field.spacing().to_array().to_vec(),
            _ => Vec::new(),
        };
        PyArray1::from_vec(slf.py(), spacing)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let heights = PyHeightField::heights(slf)?;
        Ok(format!("HeightField({} rows, {} columns)", heights.shape()[0], heights.shape()[1]))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        Ok((slf.get_type().into_any(), (slf.getattr("heights")?, slf.getattr("spacing")?)))
    }
}
