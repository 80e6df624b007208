//! Elementary tests: a vertex and a face, or two edges, whose corners move each on a straight line.

use clearance::answer::{ElementaryImpact, NoElementaryImpact};
use clearance::glam::DVec3;
use clearance::query::{ElementaryKind, ElementaryOptions, ElementaryPair, ElementarySolver};
use clearance::verify::Refusal;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::{Asked, Prove, Question, Questions, answer, may_miss};
use crate::array::{doubles, rows_of, shape_of};
use crate::error::{option_of, refused, wrong};
use crate::room::room_for;
use crate::work::each;

/// Two moving features, and how they were asked about.
pub struct Features {
    pair: ElementaryPair,
    options: ElementaryOptions,
}

/// Many of them, all of one kind.
pub struct ManyFeatures {
    kind: ElementaryKind,
    pairs: Vec<ElementaryPair>,
    options: ElementaryOptions,
}

/// So many pairs are one piece of work: the filter takes four at a time.
const PART: usize = 1024;

/// Words for the kinds and the solvers.
const KINDS: [(&str, ElementaryKind); 2] =
    [("vertex_face", ElementaryKind::VertexFace), ("edge_edge", ElementaryKind::EdgeEdge)];
const SOLVERS: [(&str, ElementarySolver); 4] = [
    ("exact", ElementarySolver::Exact),
    ("inclusion", ElementarySolver::Inclusion),
    ("cubic", ElementarySolver::Cubic),
    ("bisection", ElementarySolver::Bisection),
];

/// The word for something.
fn word<T: PartialEq>(meaning: T, words: &[(&'static str, T)]) -> &'static str {
    words.iter().find(|(_, known)| *known == meaning).map_or("", |(name, _)| *name)
}

/// How to ask, from arguments.
fn options_of(
    py: Python<'_>,
    solver: &str,
    until: f64,
    minimum_separation: f64,
    tolerance: f64,
    most_boxes: u32,
) -> PyResult<ElementaryOptions> {
    for (name, number) in [("until", until), ("minimum_separation", minimum_separation), ("tolerance", tolerance)] {
        if number.is_nan() {
            return Err(wrong(py, name, "not a number"));
        }
    }
    let solver = option_of(py, "solver", solver, &SOLVERS)?;
    Ok(ElementaryOptions { solver, until, minimum_separation, tolerance, most_boxes })
}

/// Sets of four corners, (N, 4, 3).
fn corners(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<[DVec3; 4]>> {
    // As points, and in fours; two sets of these make a pair.
    let each = 2 * size_of::<[DVec3; 4]>() + size_of::<ElementaryPair>();
    room_for(argument.py(), name, rows_of(argument), "sets of corners", each as u128)?;
    let numbers = doubles(argument, name)?;
    let [_, 4, 3] = numbers.shape() else {
        let problem = format_args!("the shape is {}, not (N, 4, 3)", shape_of(numbers.shape()));
        return Err(wrong(argument.py(), name, problem));
    };
    let points = numbers.all().as_chunks::<3>().0.iter().map(|&point| DVec3::from_array(point));
    Ok(points.collect::<Vec<DVec3>>().as_chunks::<4>().0.to_vec())
}

impl ManyFeatures {
    fn of(
        py: Python<'_>,
        kind: ElementaryKind,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        options: ElementaryOptions,
    ) -> PyResult<ManyFeatures> {
        let (from, to) = (corners(start, "start")?, corners(end, "end")?);
        if from.len() != to.len() {
            return Err(wrong(py, "end", format_args!("{} sets of corners for {} at the start", to.len(), from.len())));
        }
        let pairs = from.into_iter().zip(to).enumerate().map(|(index, (from, to))| {
            let made = ElementaryPair::new(kind, from, to);
            made.map_err(|error| refused(py, &format!("start[{index}], end[{index}]"), &error))
        });
        Ok(ManyFeatures { kind, pairs: pairs.collect::<PyResult<_>>()?, options })
    }
}

impl Questions for ManyFeatures {
    type One = Features;

    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn view(&self, index: usize) -> (&ElementaryPair, &ElementaryOptions) {
        (&self.pairs[index], &self.options)
    }

    fn item(&self, _: Python<'_>, index: usize) -> Features {
        Features { pair: self.pairs[index], options: self.options }
    }
}

impl Question for Features {
    type View<'a> = (&'a ElementaryPair, &'a ElementaryOptions);

    fn view(&self) -> (&ElementaryPair, &ElementaryOptions) {
        (&self.pair, &self.options)
    }
}

impl Asked for ManyFeatures {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let array = |of: fn(&ElementaryPair) -> [DVec3; 4]| {
            let numbers: Vec<f64> = self.pairs.iter().flat_map(of).flat_map(|point| point.to_array()).collect();
            PyArray1::from_vec(py, numbers).reshape([self.pairs.len(), 4, 3])
        };
        let ElementaryOptions { solver, until, minimum_separation, tolerance, most_boxes } = self.options;
        let options = (word(solver, &SOLVERS), until, minimum_separation, tolerance, most_boxes);
        let (start, end) = (array(ElementaryPair::start)?, array(ElementaryPair::end)?);
        (word(self.kind, &KINDS), start, end, options).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<ManyFeatures> {
        let py = objects.py();
        let [kind, start, end, options] = [0, 1, 2, 3].map(|index| objects.get_item(index));
        let (solver, until, minimum_separation, tolerance, most_boxes): (String, f64, f64, f64, u32) =
            options?.extract()?;
        let options = options_of(py, &solver, until, minimum_separation, tolerance, most_boxes)?;
        let kind: String = kind?.extract()?;
        ManyFeatures::of(py, option_of(py, "kind", &kind, &KINDS)?, &start?, &end?, options)
    }

    fn same(&self, other: &ManyFeatures) -> bool {
        self.kind == other.kind && self.pairs == other.pairs && self.options == other.options
    }
}

impl Asked for Features {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        ManyFeatures { kind: self.pair.kind(), pairs: vec![self.pair], options: self.options }.to_python(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Features> {
        let many = ManyFeatures::from_python(objects)?;
        many.pairs.first().map(|&pair| Features { pair, options: many.options }).ok_or_else(crate::error::bad_state)
    }

    fn same(&self, other: &Features) -> bool {
        self.pair == other.pair && self.options == other.options
    }
}

impl Prove<Features> for ElementaryImpact {
    fn prove(&self, (pair, _): (&ElementaryPair, &ElementaryOptions)) -> Result<(), Refusal> {
        self.verify(pair)
    }
}

answer! {
    /// The first contact of two moving features. `verify` proves that of the solver 'exact'; the others claim less.
    PyElementaryImpact = "ElementaryImpact" of ElementaryImpact, asked Features;
    /// First contacts: an array for each field of `ElementaryImpact`, and one or a `NoElementaryImpact` for each index.
    /// Where features do not touch, `hit` is False, `value` infinite, and the rest undefined.
    PyElementaryImpacts = "ElementaryImpacts" asked ManyFeatures, or NoElementaryImpact;
    bracket {
        /// The time: that of `lower`; in a batch infinite where features do not touch.
        value,
        /// Proved, by 'exact' and 'inclusion': nothing touches before this time, a fraction of the step.
        lower,
        /// Proved, by 'exact': they touch by then; the same number as `lower` or the next.
        upper,
    }
    /// A common point at that time; rounded.
    point: point,
    /// Unit, of the face or across both edges: the direction of the vertex, or the first edge, relative to the other.
    /// None (in a batch: zero) for a face without area and for parallel edges.
    normal: normal,
    /// Weights of the second and third corner of the face; or fractions of the way along the one edge and the other.
    coordinates: coordinates,
}

may_miss!(PyElementaryImpacts: "Where there is a contact.");

/// The first contact of each of many pairs of moving features, on all cores. `kind`: 'vertex_face' or 'edge_edge';
/// `start` and `end`: the corners at both ends of the step, (N, 4, 3), a vertex before the three of its face, the ends
/// of an edge before those of the other.
///
/// `solver`: 'exact', or for comparison 'inclusion' (with `minimum_separation`, `tolerance` and `most_boxes`), 'cubic',
/// 'bisection'.
#[pyfunction]
#[pyo3(signature = (
    kind, start, end, *, solver="exact", until=1.0, minimum_separation=0.0, tolerance=1e-6, most_boxes=1_000_000
))]
#[allow(clippy::too_many_arguments, reason = "arguments by name")]
pub fn elementary_impact_batch(
    py: Python<'_>,
    kind: &str,
    start: &Bound<'_, PyAny>,
    end: &Bound<'_, PyAny>,
    solver: &str,
    until: f64,
    minimum_separation: f64,
    tolerance: f64,
    most_boxes: u32,
) -> PyResult<PyElementaryImpacts> {
    let options = options_of(py, solver, until, minimum_separation, tolerance, most_boxes)?;
    let questions = ManyFeatures::of(py, option_of(py, "kind", kind, &KINDS)?, start, end, options)?;
    let parts: Vec<_> = questions.pairs.chunks(PART).collect();
    let answers =
        each(py, parts.len(), |part| clearance::query::elementary_impact_batch(parts[part], &options).0)?.concat();
    Ok(PyElementaryImpacts { answers, questions })
}
