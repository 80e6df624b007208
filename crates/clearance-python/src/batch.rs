//! Many questions at once: on all cores, the answers in the order of the questions and the same at any number of
//! threads.

use std::sync::{Mutex, PoisonError};

use clearance::{Error, Refusal};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;

use crate::answer::Prove;
use crate::error::{bad_state, not_proved};
use crate::state::{State, read};

/// The place that an index means, counted from the end if it is negative.
pub fn place(index: isize, length: usize) -> PyResult<usize> {
    let place = if index < 0 { index + length as isize } else { index };
    let known = usize::try_from(place).ok().filter(|&place| place < length);
    known.ok_or_else(|| PyIndexError::new_err(format!("there is no answer {index}: there are {length}")))
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

/// How many parts for each thread a batch is cut into: the more, the more evenly they end.
const PARTS: usize = 32;

/// How many questions a part has at most.
const TOGETHER: usize = 64;

/// The answer to each question, by its number. The interpreter is not held meanwhile.
///
/// As the batches of the engine: the caller's thread takes its share, part by part like those of the pool. It is awake,
/// which they are not after a while of nothing to do; and all of them are called, as some systems wake a thread on the
/// caller's core though another is idle. What is for one thread is the caller's alone.
#[allow(unsafe_code, reason = "answers of any type are written where they will be, once each")]
pub fn each<A: Send>(py: Python<'_>, count: usize, answer: impl Fn(usize) -> A + Send + Sync) -> Vec<A> {
    py.detach(|| {
        let threads = rayon::current_num_threads();
        if threads == 1 || count <= 1 {
            return (0..count).map(answer).collect();
        }
        let mut answers = Vec::with_capacity(count);
        let size = count.div_ceil(PARTS * threads).min(TOGETHER);
        let parts = Mutex::new(answers.spare_capacity_mut()[..count].chunks_mut(size).enumerate());
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((part, places)) = next() {
                for (place, index) in places.iter_mut().zip(part * size..) {
                    place.write(answer(index));
                }
            }
        };
        rayon::in_place_scope(|scope| {
            (0..threads).for_each(|_| scope.spawn(|_| work()));
            work();
        });
        // SAFETY: the scope ends when no part is left and all that were taken are done, so each of the first `count` places
        // is written. If an answer panics the scope does too, and this is not reached.
        unsafe { answers.set_len(count) };
        answers
    })
}

/// As [`each`] for questions that may be refused: the first refusal, whatever the number of threads.
pub fn each_that_can<A: Send>(
    py: Python<'_>,
    count: usize,
    answer: impl Fn(usize) -> Result<A, Error> + Send + Sync,
) -> Result<Vec<A>, (usize, Error)> {
    let answers = each(py, count, answer);
    answers.into_iter().enumerate().map(|(index, answer)| answer.map_err(|error| (index, error))).collect()
}

/// Proves all answers anew.
pub fn verify<V, A: Prove<V> + Sync>(
    py: Python<'_>,
    answers: &[Option<A>],
    asked: impl Fn(usize) -> V + Send + Sync,
) -> PyResult<()> {
    let prove = |index: usize| answers[index].as_ref().map_or(Ok(()), |answer| answer.prove(asked(index)));
    let refusal: Option<(usize, Refusal)> = py.detach(|| {
        let refused =
            (0..answers.len()).into_par_iter().map(|index| (index, prove(index))).find_first(|it| it.1.is_err());
        refused.and_then(|(index, proved)| Some((index, proved.err()?)))
    });
    refusal.map_or(Ok(()), |(index, refusal)| Err(not_proved(py, Some(index), &refusal)))
}

/// Answers from the bytes of their parts, in order; as many as there are questions.
pub fn read_all<A: State>(parts: &[Bound<'_, PyBytes>], count: usize) -> PyResult<Vec<Option<A>>> {
    let mut answers = Vec::with_capacity(count);
    for part in parts {
        answers.append(&mut read::<Vec<Option<A>>>(part.as_bytes())?);
    }
    if answers.len() == count { Ok(answers) } else { Err(bad_state()) }
}
