//! Batches: on all cores, the answers in the order of the queries and independent of the number of
//! threads.

use clearance::cancel::Carried;
use clearance::verify::Refusal;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;

use crate::error::{bad_state, not_proved};
use crate::state::{State, read};
use crate::work::{at_length, each, each_at_length};

/// The place that an index means, counted from the end if it is negative.
pub fn place(index: isize, length: usize) -> PyResult<usize> {
    let place = if index < 0 { index + length as isize } else { index };
    let known = usize::try_from(place).ok().filter(|&place| place < length);
    known.ok_or_else(|| PyIndexError::new_err(format!("index {index} is out of range: there are {length} answers")))
}

/// The answers of a batch one after the other.
#[pyclass(name = "_Answers", module = "clearance")]
pub struct Answers {
    batch: Py<PyAny>,
    next: usize,
}

impl Answers {
    /// From the first on.
    pub fn of(batch: Bound<'_, PyAny>) -> Answers {
        Answers { batch: batch.unbind(), next: 0 }
    }
}

#[pymethods]
impl Answers {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let batch = self.batch.bind(py);
        if self.next == batch.len()? {
            return Ok(None);
        }
        self.next += 1;
        batch.get_item(self.next - 1).map(Some)
    }
}

/// As [`each`], or with `at_length` as [`each_at_length`], for questions that may be refused: the first refusal,
/// whatever the number of threads, as `refused` makes it.
pub fn each_that_can<A: Send, E: Send>(
    py: Python<'_>,
    count: usize,
    at_length: bool,
    answer: impl Fn(usize) -> Result<A, E> + Send + Sync,
    refused: impl Fn(usize, E) -> PyErr,
) -> PyResult<Vec<A>> {
    let answers = if at_length { each_at_length(py, count, answer)? } else { each(py, count, answer)? };
    answers.into_iter().enumerate().map(|(index, answer)| answer.map_err(|error| refused(index, error))).collect()
}

/// Verifies `count` answers, each by its index.
pub fn verify(
    py: Python<'_>,
    count: usize,
    prove: impl Fn(usize) -> Result<(), Refusal> + Send + Sync,
) -> PyResult<()> {
    let refusal: Option<(usize, Refusal)> = at_length(py, || {
        let carried = Carried::here();
        let proved = |index: usize| (index, carried.part(|| prove(index)));
        let at_fault = |(_, proved): &(usize, Option<Result<(), Refusal>>)| !matches!(proved, Some(Ok(())));
        let refused = (0..count).into_par_iter().map(proved).find_first(at_fault);
        refused.and_then(|(index, proved)| Some((index, Carried::whole(proved).err()?)))
    })?;
    refusal.map_or(Ok(()), |(index, refusal)| Err(not_proved(py, Some(index), &refusal)))
}

/// Answers from the bytes of their parts, in order; as many as there are questions.
pub fn read_all<A: State>(parts: &[Bound<'_, PyBytes>], count: usize) -> PyResult<Vec<A>> {
    let parts: PyResult<Vec<Vec<A>>> = parts.iter().map(|part| read(part.as_bytes())).collect();
    let answers: Vec<A> = parts?.into_iter().flatten().collect();
    if answers.len() == count { Ok(answers) } else { Err(bad_state()) }
}

/// What makes the class of many answers a sequence of Python: the item of a place, which is counted from the end if the
/// index is negative.
macro_rules! sequence {
    ($many:ident: $item:ty, |$it:ident, $py:ident, $place:ident| $made:expr) => {
        #[pymethods]
        impl $many {
            fn __len__(&self) -> usize {
                self.answers.len()
            }

            fn __getitem__(&self, $py: Python<'_>, index: isize) -> PyResult<$item> {
                let ($it, $place) = (self, $crate::batch::place(index, self.answers.len())?);
                $made
            }

            fn __iter__(slf: Bound<'_, Self>) -> $crate::batch::Answers {
                $crate::batch::Answers::of(slf.into_any())
            }
        }
    };
}

pub(crate) use sequence;
