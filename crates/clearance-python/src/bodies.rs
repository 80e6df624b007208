//! Many bodies, each with its motion, that an answer is about.

use clearance::verify::Refusal;
use clearance::{RigidMotion, Shape};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::{Asked, Question};
use crate::array::Indices;
use crate::error::{not_proved, wrong};
use crate::give::rows;
use crate::impact::{InMotion, Moving};
use crate::rigid_motion::{Turn, turns_of};
use crate::shape::{PyShape, shape_of};
use crate::work::at_length;

/// Many bodies, each with its motion, and which of their pairs a claim covers.
pub struct Bodies {
    pub shapes: Vec<Py<PyShape>>,
    pub motions: Vec<Turn>,
    /// The lower number first, in order.
    pairs: Option<Vec<[u32; 2]>>,
}

impl Bodies {
    pub fn of(
        shapes: &Bound<'_, PyAny>,
        motions: &Bound<'_, PyAny>,
        pairs: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bodies> {
        let py = shapes.py();
        let objects = shapes.try_iter().map_err(|_| wrong(py, "shapes", "not a list of bodies"))?;
        let one = |(index, shape): (usize, PyResult<Bound<'_, PyAny>>)| shape_of(&shape?, &format!("shapes[{index}]"));
        let shapes: Vec<Py<PyShape>> = objects.enumerate().map(one).collect::<PyResult<_>>()?;
        let motions = turns_of(motions, "motions")?;
        if shapes.len() != motions.len() {
            return Err(wrong(py, "motions", format_args!("{} motions for {} shapes", motions.len(), shapes.len())));
        }
        let pairs = pairs.filter(|pairs| !pairs.is_none()).map(|pairs| pairs_of(pairs, shapes.len())).transpose()?;
        Ok(Bodies { shapes, motions, pairs })
    }

    /// The two bodies of a question.
    pub fn of_two<M: InMotion>(py: Python<'_>, two: Moving<M>) -> PyResult<Bodies> {
        let motions = vec![two.motion_a.turn(py, "motion_a")?, two.motion_b.turn(py, "motion_b")?];
        Ok(Bodies { shapes: vec![two.a, two.b], motions, pairs: None })
    }

    /// As the engine takes them.
    pub fn all(&self) -> Vec<(Shape, RigidMotion)> {
        let body = |(shape, turn): (&Py<PyShape>, &Turn)| (shape.get().shape.clone(), turn.motion.clone());
        self.shapes.iter().zip(&self.motions).map(body).collect()
    }

    /// Whether the claim covers a pair.
    pub fn covers(&self, a: usize, b: usize) -> bool {
        self.pairs.as_ref().is_none_or(|pairs| pairs.binary_search(&[a as u32, b as u32]).is_ok())
    }

    /// The claim about a pair of them.
    pub fn pair(&self, py: Python<'_>, a: usize, b: usize) -> Moving<Turn> {
        let shape = |body: usize| self.shapes[body].clone_ref(py);
        let motion = |body: usize| self.motions[body].clone();
        Moving { a: shape(a), motion_a: motion(a), b: shape(b), motion_b: motion(b) }
    }

    /// The bodies as objects.
    pub fn shape_objects(&self, py: Python<'_>) -> Vec<Py<PyShape>> {
        self.shapes.iter().map(|shape| shape.clone_ref(py)).collect()
    }

    /// The motions as objects.
    pub fn motion_objects<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.motions.iter().map(|motion| motion.object(py)).collect()
    }

    /// The covered pairs, as an array; none if all are.
    pub fn pair_rows<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<u32>>>> {
        self.pairs.as_ref().map(|pairs| rows(py, pairs.clone())).transpose()
    }

    /// Verifies a claim about them, given the pairs it covers.
    pub fn prove(
        &self,
        py: Python<'_>,
        proof: impl FnOnce(&[(Shape, RigidMotion)], &dyn Fn(usize, usize) -> bool) -> Result<(), Refusal> + Send,
    ) -> PyResult<()> {
        let bodies = self.all();
        let proved = at_length(py, || proof(&bodies, &|a, b| self.covers(a, b)))?;
        proved.map_err(|refusal| not_proved(py, None, &refusal))
    }
}

impl Question for Bodies {
    type View<'a> = &'a Bodies;

    fn view(&self) -> &Bodies {
        self
    }
}

impl Asked for Bodies {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.shape_objects(py), self.motion_objects(py)?, self.pair_rows(py)?).into_pyobject(py)
    }

    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Bodies> {
        let [shapes, motions, pairs] = [0, 1, 2].map(|index| objects.get_item(index));
        Bodies::of(&shapes?, &motions?, Some(&pairs?))
    }

    fn same(&self, other: &Bodies) -> bool {
        let same = |(one, two): (&Py<PyShape>, &Py<PyShape>)| one.get().shape == two.get().shape;
        self.motions == other.motions && self.pairs == other.pairs && self.shapes.iter().zip(&other.shapes).all(same)
    }
}

/// Pairs of numbers of bodies, the lower one first, in order.
fn pairs_of(argument: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<[u32; 2]>> {
    let py = argument.py();
    let mut pairs = Indices::<2>::of(argument, "pairs")?.rows().to_vec();
    for (index, pair) in pairs.iter_mut().enumerate() {
        if let Some(body) = pair.iter().find(|&&body| body as usize >= count) {
            return Err(wrong(
                py,
                &format!("pairs[{index}]"),
                format_args!("body {body} does not exist: {count} are given"),
            ));
        }
        if pair[0] == pair[1] {
            return Err(wrong(py, &format!("pairs[{index}]"), format_args!("a body and itself, {}", pair[0])));
        }
        pair.sort_unstable();
    }
    pairs.sort_unstable();
    Ok(pairs)
}
