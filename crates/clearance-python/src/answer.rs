//! Classes of answers: an answer of the engine together with what was asked, and many of them with their fields as
//! arrays.

use clearance::Refusal;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// What was asked, so far as it is needed to prove the answer.
pub trait Question: Sized {
    /// As objects that can be pickled.
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>>;
    /// What [`Question::to_python`] made.
    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Self>;
    /// Whether both ask the same.
    fn same(&self, other: &Self) -> bool;
}

/// An answer that can be proved anew, from what was asked.
pub trait Prove<View> {
    fn prove(&self, asked: View) -> Result<(), Refusal>;
}

/// The class of an answer, and the class of many of them. The fields are those of the answer, all of them, by the names
/// that Python has for them.
macro_rules! answer {
    (
        $(#[$doc:meta])* $class:ident = $name:literal,
        $(#[$many_doc:meta])* $many:ident = $many_name:literal,
        of $answer:ty, asked $question:ty, $questions:ty;
        $($(#[$field_doc:meta])* $python:ident: $field:ident,)*
    ) => {
        $crate::state::fields!($answer { $($field),* });

        $(#[$doc])*
        #[pyclass(frozen, name = $name, module = "clearance")]
        pub struct $class {
            pub answer: $answer,
            pub question: $question,
        }

        $crate::answer::single!($class, $name, $answer, $question);

        #[pymethods]
        impl $class {
            $(
                $(#[$field_doc])*
                #[getter]
                fn $python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    $crate::give::Give::give(&self.answer.$field, py)
                }
            )*
        }

        $(#[$many_doc])*
        #[pyclass(frozen, sequence, name = $many_name, module = "clearance")]
        pub struct $many {
            pub answers: Vec<Option<$answer>>,
            pub questions: $questions,
        }

        $crate::answer::many!($many, $many_name, $answer, $questions);

        #[pymethods]
        impl $many {
            fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<Option<$class>> {
                let place = $crate::batch::place(index, self.answers.len())?;
                let answer = self.answers[place].clone();
                Ok(answer.map(|answer| $class { answer, question: self.questions.item(py, place) }))
            }

            $(
                $(#[$field_doc])*
                #[getter]
                fn $python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    let values = self.answers.iter().map(|answer| answer.as_ref().map(|answer| answer.$field.clone()));
                    $crate::give::Column::column(py, values)
                }
            )*
        }
    };
}

/// What the class of one answer can do, whatever its fields.
macro_rules! single {
    ($class:ident, $name:literal, $answer:ty, $question:ty) => {
        #[pymethods]
        impl $class {
            /// Proves the answer anew, by other code than found it.
            ///
            /// Raises `NotProvedError`, which names the first claim that does not hold.
            fn verify(&self, py: Python<'_>) -> PyResult<()> {
                let proved = $crate::work::on_all_cores(py, || {
                    $crate::answer::Prove::prove(&self.answer, self.question.view())
                })?;
                proved.map_err(|refusal| $crate::error::not_proved(py, None, &refusal))
            }

            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                other.cast::<$class>().is_ok_and(|other| {
                    let other = other.get();
                    self.answer == other.answer && $crate::answer::Question::same(&self.question, &other.question)
                })
            }

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> $crate::give::Reduced<'py, (Bound<'py, PyAny>, Bound<'py, pyo3::types::PyBytes>)> {
                let (py, it) = (slf.py(), slf.get());
                let question = $crate::answer::Question::to_python(&it.question, py)?.into_any();
                let state = pyo3::types::PyBytes::new(py, &$crate::state::write(&it.answer));
                Ok((slf.get_type().getattr("_restore")?, (question, state)))
            }

            #[classmethod]
            fn _restore(
                _: &Bound<'_, pyo3::types::PyType>,
                question: &Bound<'_, pyo3::types::PyTuple>,
                state: &[u8],
            ) -> PyResult<$class> {
                let question: $question = $crate::answer::Question::from_python(question)?;
                Ok($class { answer: $crate::state::read(state)?, question })
            }
        }
    };
}

/// What the class of many answers can do, whatever their fields.
macro_rules! many {
    ($many:ident, $name:literal, $answer:ty, $questions:ty) => {
        #[pymethods]
        impl $many {
            fn __len__(&self) -> usize {
                self.answers.len()
            }

            fn __iter__(slf: Bound<'_, Self>) -> $crate::batch::Answers {
                $crate::batch::Answers::of(slf.into_any())
            }

            /// Proves all answers anew, on all cores.
            ///
            /// Raises `NotProvedError`, which names the first answer and its first claim that does not hold.
            fn verify(&self, py: Python<'_>) -> PyResult<()> {
                $crate::batch::verify(py, &self.answers, |index| self.questions.view(index))
            }

            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                other.cast::<$many>().is_ok_and(|other| {
                    let other = other.get();
                    self.answers == other.answers && $crate::answer::Question::same(&self.questions, &other.questions)
                })
            }

            fn __repr__(&self) -> String {
                format!("{}({})", $name, self.answers.len())
            }

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> $crate::give::Reduced<'py, (Bound<'py, PyAny>, Vec<Bound<'py, pyo3::types::PyBytes>>)> {
                let (py, it) = (slf.py(), slf.get());
                let questions = $crate::answer::Question::to_python(&it.questions, py)?.into_any();
                Ok((slf.get_type().getattr("_restore")?, (questions, vec![it._state(py)])))
            }

            /// The answers as bytes, without what was asked: for answers that come from another process.
            fn _state<'py>(&self, py: Python<'py>) -> Bound<'py, pyo3::types::PyBytes> {
                pyo3::types::PyBytes::new(py, &$crate::state::write(&self.answers))
            }

            /// The answers to questions, from the bytes of their parts in order.
            #[classmethod]
            fn _restore(
                _: &Bound<'_, pyo3::types::PyType>,
                questions: &Bound<'_, pyo3::types::PyTuple>,
                states: Vec<Bound<'_, pyo3::types::PyBytes>>,
            ) -> PyResult<$many> {
                let questions: $questions = $crate::answer::Question::from_python(questions)?;
                let answers = $crate::batch::read_all(&states, questions.len())?;
                Ok($many { answers, questions })
            }
        }
    };
}

/// `value` with its bracket, as answers are shown.
macro_rules! shown {
    ($class:ident, $name:literal, |$answer:ident| $value:expr) => {
        #[pymethods]
        impl $class {
            fn __repr__(&self) -> String {
                let $answer = &self.answer;
                format!("{}(value={:?}, lower={:?}, upper={:?})", $name, $value, $answer.lower, $answer.upper)
            }
        }
    };
}

pub(crate) use {answer, many, shown, single};
