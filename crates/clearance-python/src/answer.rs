//! Classes of answers: an answer of the engine together with its query, and batches of them with their fields as
//! arrays.
//!
//! What answers have in common stands here once, as traits and functions: how they are verified, compared and
//! pickled ([`Answered`], [`Batch`]), how a number with its bracket is shown ([`Bracketed`]), where their points are in
//! the world ([`Witnessed`]), and how questions are put to the engine ([`OfBodies`], [`Questions`]). PyO3 wants the
//! methods of each class written out, which the macros do; they hold no more than calls of those functions.

use clearance::verify::Refusal;
use clearance::{Bracket, QueryError, Shape};
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::{PyBytes, PyTuple};
use pyo3::{PyClass, PyClassInitializer};

use crate::batch::{each_that_can, read_all};
use crate::error::{no_answer, not_proved};
use crate::give::{Column, Give, Reduced};
use crate::state::{State, read, restored, write, write_all};
use crate::work::{about, about_solids, each, on_all_cores};

/// A query, or many, as far as the proofs of the answers need it.
pub trait Asked: Sized + Sync + 'static {
    /// As objects that can be pickled.
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>>;
    /// What [`Asked::to_python`] made.
    fn from_python(objects: &Bound<'_, PyTuple>) -> PyResult<Self>;
    /// Whether both are the same query.
    fn same(&self, other: &Self) -> bool;
}

/// A question.
pub trait Question: Asked {
    /// As the engine takes it.
    type View<'a>: Copy + Send + Sync;
    fn view(&self) -> Self::View<'_>;
}

/// A question about one body or two.
pub trait OfBodies: Question {
    /// What an error about them calls the arguments.
    const ARGUMENTS: &'static str;

    fn bodies(&self) -> [Option<&Shape>; 2];

    /// An error of the engine about them.
    fn refused(&self, py: Python<'_>, error: &QueryError) -> PyErr {
        no_answer(py, Self::ARGUMENTS, error)
    }

    /// The engine's result of a mostly brief query about them.
    fn put<A: Send>(&self, py: Python<'_>, ask: impl FnOnce(Self::View<'_>) -> A + Send) -> PyResult<A> {
        let view = self.view();
        about(py, self.bodies(), || ask(view))
    }

    /// The answer to this question, with it.
    fn ask<A: Send, C: Answered<Answer = A, Question = Self>>(
        self,
        py: Python<'_>,
        ask: impl FnOnce(Self::View<'_>) -> A + Send,
    ) -> PyResult<C> {
        let answer = self.put(py, ask)?;
        Ok(C::of(answer, self))
    }

    /// As [`OfBodies::ask`], for a question to which absence is an answer too.
    fn ask_whether<C, N: Absence<Self> + Send>(
        self,
        py: Python<'_>,
        ask: impl FnOnce(Self::View<'_>) -> Result<C::Answer, N> + Send,
    ) -> PyResult<Py<PyAny>>
    where
        C: Answered<Answer: Send, Question = Self> + PyClass + Into<PyClassInitializer<C>>,
    {
        let found = self.put(py, ask)?;
        found_object::<C, N>(py, found, self)
    }

    /// As [`OfBodies::ask`], for a question that may be refused.
    fn ask_if_it_can<A: Send, C: Answered<Answer = A, Question = Self>>(
        self,
        py: Python<'_>,
        ask: impl FnOnce(Self::View<'_>) -> Result<A, QueryError> + Send,
    ) -> PyResult<C> {
        let answer = self.put(py, ask)?.map_err(|error| self.refused(py, &error))?;
        Ok(C::of(answer, self))
    }

    /// As [`OfBodies::ask_if_it_can`], for a question that takes long about meshes.
    fn ask_of_solids<A: Send, C: Answered<Answer = A, Question = Self>>(
        self,
        py: Python<'_>,
        ask: impl FnOnce(Self::View<'_>) -> Result<A, QueryError> + Send,
    ) -> PyResult<C> {
        let view = self.view();
        let answer = about_solids(py, self.bodies(), || ask(view))?.map_err(|error| self.refused(py, &error))?;
        Ok(C::of(answer, self))
    }
}

/// A batch of queries of one kind.
pub trait Questions: Asked {
    type One: Question;

    fn len(&self) -> usize;
    /// One of them as the engine takes it.
    fn view(&self, index: usize) -> <Self::One as Question>::View<'_>;
    /// One of them by itself.
    fn item(&self, py: Python<'_>, index: usize) -> Self::One;

    /// Whether they take long and hand on work themselves.
    fn at_length(&self) -> bool {
        false
    }

    /// The answer to each, on all cores. Not by the batches of the engine (`clearance::query::PairBatch`): those hold
    /// the caller's thread until the end, which then hears no signals; and they know no pose that several pairs share.
    fn each<A: Send>(
        &self,
        py: Python<'_>,
        ask: impl Fn(<Self::One as Question>::View<'_>) -> A + Send + Sync,
    ) -> PyResult<Vec<A>> {
        each(py, self.len(), |index| ask(self.view(index)))
    }

    /// The answer to each, or the first refusal, as an error of its query.
    fn each_that_can<A: Send>(
        &self,
        py: Python<'_>,
        ask: impl Fn(<Self::One as Question>::View<'_>) -> Result<A, QueryError> + Send + Sync,
    ) -> PyResult<Vec<A>>
    where
        Self::One: OfBodies,
    {
        let refused = |index: usize, error| self.item(py, index).refused(py, &error);
        each_that_can(py, self.len(), self.at_length(), |index| ask(self.view(index)), refused)
    }

    /// Answers, each with its query.
    fn with<C: Answered<Question = Self::One>>(&self, py: Python<'_>, answers: Vec<C::Answer>) -> Vec<C> {
        answers.into_iter().enumerate().map(|(index, answer)| C::of(answer, self.item(py, index))).collect()
    }
}

/// An answer that can be verified from its query.
pub trait Prove<Q: Question> {
    fn prove(&self, asked: Q::View<'_>) -> Result<(), Refusal>;
}

/// An answer that is a number with its bracket.
pub trait Bracketed {
    fn bracket(&self) -> Bracket;
}

/// How a number with its bracket is shown, after the name of the class and what else stands in front: `Name(`.
pub fn shown(opened: &str, Bracket { value, lower, upper }: Bracket) -> String {
    format!("{opened}value={value:?}, lower={lower:?}, upper={upper:?})")
}

/// Answers of the engine that are a number with its bracket: where the number is.
macro_rules! brackets {
    ($($answer:ty: $value:ident,)*) => {$(
        impl Bracketed for $answer {
            fn bracket(&self) -> Bracket {
                self.$value
            }
        }
    )*};
}

brackets! {
    clearance::answer::Distance: gap,
    clearance::answer::Penetration: depth,
    clearance::answer::Volume: volume,
    clearance::answer::Contacts: gap,
    clearance::answer::Contact: gap,
    clearance::answer::DepthAlong: depth,
    clearance::answer::LocalDepth: depth,
    clearance::answer::Impact: time,
    clearance::answer::RigidImpact: time,
    clearance::answer::LeastClearance: gap,
    clearance::answer::ElementaryImpact: time,
    clearance::answer::StepImpact: time,
    clearance::answer::NearPair: distance,
    clearance::answer::ClosestPoint: distance,
    clearance::answer::SignedDistance: distance,
    clearance::answer::RayHit: t,
    clearance::shape::HeightSample: height,
    clearance::shape::SurfaceHit: t,
    clearance::shape::SurfacePoint: distance,
    clearance::shape::SurfaceDistance: distance,
    clearance::shape::WheelContact: clearance,
}

impl Bracketed for Bracket {
    fn bracket(&self) -> Bracket {
        *self
    }
}

impl Bracketed for clearance_robot::MotionClearance {
    fn bracket(&self) -> Bracket {
        Bracket { lower: self.lower, value: self.upper, upper: self.upper }
    }
}

impl Bracketed for clearance::answer::SolidDepth {
    fn bracket(&self) -> Bracket {
        self.penetration.bracket()
    }
}

impl Bracketed for clearance::answer::Clearance {
    fn bracket(&self) -> Bracket {
        Bracket { value: self.value(), lower: self.lower(), upper: self.upper() }
    }
}

/// An answer that names points of the bodies.
pub trait Witnessed<Q: Question> {
    /// A point, or one of A and one of B.
    type Points: Give + Column;
    /// Where they are in the world; rounded, and no part of a proof.
    fn in_world(&self, asked: Q::View<'_>) -> Self::Points;
}

/// An answer with its query, as an object.
pub trait Answered: Sized {
    type Answer;
    type Question: Question;
    fn of(answer: Self::Answer, question: Self::Question) -> Self;
}

/// The engine's answer that there is none, as an object with its query.
pub trait Absence<Q: Question>: Sized {
    fn object(self, py: Python<'_>, question: Q) -> PyResult<Py<PyAny>>;
}

/// A result or its proved absence, as an object.
pub fn found_object<C, N: Absence<C::Question>>(
    py: Python<'_>,
    found: Result<C::Answer, N>,
    question: C::Question,
) -> PyResult<Py<PyAny>>
where
    C: Answered + PyClass + Into<PyClassInitializer<C>>,
{
    match found {
        Ok(answer) => Ok(Py::new(py, C::of(answer, question))?.into_any()),
        Err(none) => none.object(py, question),
    }
}

/// The class of an answer.
pub trait Single: Answered<Answer: State + PartialEq + Sync> + PyClass<Frozen = True> + Sync {
    fn parts(&self) -> (&Self::Answer, &Self::Question);
}

/// What an answer is pickled as: what was asked, and the bytes of the answer.
pub type SingleParts<'py> = (Bound<'py, PyTuple>, Bound<'py, PyBytes>);

pub fn verify<C: Single<Answer: Prove<C::Question>>>(it: &C, py: Python<'_>) -> PyResult<()> {
    let (answer, question) = it.parts();
    let proved = on_all_cores(py, || answer.prove(question.view()))?;
    proved.map_err(|refusal| not_proved(py, None, &refusal))
}

pub fn same<C: Single>(it: &C, other: &Bound<'_, PyAny>) -> bool {
    let (answer, question) = it.parts();
    other.cast::<C>().is_ok_and(|other| {
        let (other_answer, other_question) = other.get().parts();
        answer == other_answer && question.same(other_question)
    })
}

pub fn reduce<'py, C: Single>(slf: &Bound<'py, C>) -> Reduced<'py, SingleParts<'py>> {
    let (answer, question) = slf.get().parts();
    restored(slf, (question.to_python(slf.py())?, PyBytes::new(slf.py(), &write(answer))))
}

pub fn restore<C: Single>(question: &Bound<'_, PyTuple>, state: &[u8]) -> PyResult<C> {
    let question = C::Question::from_python(question)?;
    Ok(C::of(read(state)?, question))
}

/// The points of an answer in the world.
pub fn witness<'py, C: Single<Answer: Witnessed<C::Question>>>(it: &C, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    let (answer, question) = it.parts();
    answer.in_world(question.view()).give(py)
}

/// What a batch holds for a query: an answer, or its absence.
pub trait Entry {
    type Answer;
    fn found(&self) -> Option<&Self::Answer>;
}

impl<A> Entry for Option<A> {
    type Answer = A;

    fn found(&self) -> Option<&A> {
        self.as_ref()
    }
}

impl<A, N> Entry for Result<A, N> {
    type Answer = A;

    fn found(&self) -> Option<&A> {
        self.as_ref().ok()
    }
}

/// An absence that is not claimed, and so has no proof.
impl<Q: Question, A: Prove<Q>> Prove<Q> for Option<A> {
    fn prove(&self, asked: Q::View<'_>) -> Result<(), Refusal> {
        self.as_ref().map_or(Ok(()), |answer| answer.prove(asked))
    }
}

/// An absence that is an answer itself.
impl<Q: Question, A: Prove<Q>, N: Prove<Q>> Prove<Q> for Result<A, N> {
    fn prove(&self, asked: Q::View<'_>) -> Result<(), Refusal> {
        match self {
            Ok(answer) => answer.prove(asked),
            Err(none) => none.prove(asked),
        }
    }
}

/// The class of many answers.
pub trait Batch: PyClass<Frozen = True> + Sync {
    type Entry: Entry + State + PartialEq + Prove<<Self::Questions as Questions>::One> + Send + Sync;
    type Questions: Questions;

    fn of(answers: Vec<Self::Entry>, questions: Self::Questions) -> Self;
    fn parts(&self) -> (&[Self::Entry], &Self::Questions);

    /// From answers to all questions.
    fn of_all<A: Into<Self::Entry>>(answers: Vec<A>, questions: Self::Questions) -> Self {
        Self::of(answers.into_iter().map(Into::into).collect(), questions)
    }

    /// From the bytes of parts of the answers in order, as another process or a pickle has them.
    fn of_states(states: &[Bound<'_, PyBytes>], questions: Self::Questions) -> PyResult<Self> {
        Ok(Self::of(read_all(states, questions.len())?, questions))
    }
}

/// What many answers are pickled as: what was asked, and the bytes of the answers.
pub type BatchParts<'py> = (Bound<'py, PyTuple>, Vec<Bound<'py, PyBytes>>);

/// Verifies all answers; with `absences` also the absences that are answers.
pub fn verify_all<C: Batch>(it: &C, py: Python<'_>, absences: bool) -> PyResult<()> {
    let (answers, questions) = it.parts();
    let covers = |index: usize| absences || answers[index].found().is_some();
    let prove = |index| if covers(index) { answers[index].prove(questions.view(index)) } else { Ok(()) };
    crate::batch::verify(py, answers.len(), prove)
}

pub fn same_all<C: Batch>(it: &C, other: &Bound<'_, PyAny>) -> bool {
    let (answers, questions) = it.parts();
    other.cast::<C>().is_ok_and(|other| {
        let (other_answers, other_questions) = other.get().parts();
        answers == other_answers && questions.same(other_questions)
    })
}

pub fn item<C: Answered<Answer: Clone>, Q: Questions<One = C::Question>>(
    answers: &[Option<C::Answer>],
    questions: &Q,
    py: Python<'_>,
    place: usize,
) -> Option<C> {
    answers[place].clone().map(|answer| C::of(answer, questions.item(py, place)))
}

pub fn reduce_all<'py, C: Batch>(slf: &Bound<'py, C>) -> Reduced<'py, BatchParts<'py>> {
    let questions = slf.get().parts().1.to_python(slf.py())?;
    restored(slf, (questions, vec![state_of_all(slf.get(), slf.py())]))
}

/// The answers as bytes, without their queries.
pub fn state_of_all<'py, C: Batch>(it: &C, py: Python<'py>) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &write_all(it.parts().0))
}

pub fn restore_all<C: Batch>(questions: &Bound<'_, PyTuple>, states: &[Bound<'_, PyBytes>]) -> PyResult<C> {
    C::of_states(states, C::Questions::from_python(questions)?)
}

/// The points of all answers in the world.
pub fn witness_all<'py, C>(it: &C, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>
where
    C: Batch<Entry: Entry<Answer: Witnessed<<C::Questions as Questions>::One>>>,
{
    let (answers, questions) = it.parts();
    let in_world = |(index, answer): (usize, &C::Entry)| Some(answer.found()?.in_world(questions.view(index)));
    Column::column(py, answers.iter().enumerate().map(in_world))
}

/// A field of many answers as an array.
pub fn column<'py, E: Entry, T: Column>(
    py: Python<'py>,
    answers: &[E],
    field: impl Fn(&E::Answer) -> T,
) -> PyResult<Bound<'py, PyAny>> {
    Column::column(py, answers.iter().map(|answer| answer.found().map(&field)))
}

/// Which questions have an answer, as an array.
pub fn hits<'py, E: Entry>(py: Python<'py>, answers: &[E]) -> PyResult<Bound<'py, PyAny>> {
    Column::column(py, answers.iter().map(|answer| Some(answer.found().is_some())))
}

/// The class of an answer: `PyClass = "Name" of the engine's answer, asked the question`. With `unproved` at its end,
/// without `verify`.
macro_rules! single {
    ($(#[$doc:meta])* $class:ident = $name:literal of $answer:ty, asked $question:ty) => {
        $crate::answer::single!($(#[$doc])* $class = $name of $answer, asked $question, unproved);

        #[pymethods]
        impl $class {
            /// Verifies the answer with code independent of the search.
            ///
            /// Raises `NotProvedError`, which names the first claim that does not hold.
            fn verify(&self, py: Python<'_>) -> PyResult<()> {
                $crate::answer::verify(self, py)
            }
        }
    };
    ($(#[$doc:meta])* $class:ident = $name:literal of $answer:ty, asked $question:ty, unproved) => {
        $(#[$doc])*
        #[pyclass(frozen, name = $name, module = "clearance")]
        pub struct $class {
            pub answer: $answer,
            pub question: $question,
        }

        impl $crate::answer::Answered for $class {
            type Answer = $answer;
            type Question = $question;

            fn of(answer: $answer, question: $question) -> $class {
                $class { answer, question }
            }
        }

        impl $crate::answer::Single for $class {
            fn parts(&self) -> (&$answer, &$question) {
                (&self.answer, &self.question)
            }
        }

        #[pymethods]
        impl $class {
            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                $crate::answer::same(self, other)
            }

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> $crate::give::Reduced<'py, $crate::answer::SingleParts<'py>> {
                $crate::answer::reduce(slf)
            }

            #[classmethod]
            fn _restore(
                _: &Bound<'_, pyo3::types::PyType>,
                question: &Bound<'_, pyo3::types::PyTuple>,
                state: &[u8],
            ) -> PyResult<$class> {
                $crate::answer::restore(question, state)
            }
        }
    };
}

/// The class of many answers: `PyClasses = "Names" of the engine's answer, each a PyClass, asked the questions`. With
/// `or NoImpact` at its end, or another name, absence is an answer too.
macro_rules! many {
    ($(#[$doc:meta])* $many:ident = $name:literal of $answer:ty, each $item:ty, asked $questions:ty) => {
        $crate::answer::many!(@of $(#[$doc])* $many = $name, Option<$answer>, $questions);

        $crate::batch::sequence!($many: Option<$item>, |it, py, place| {
            Ok($crate::answer::item(&it.answers, &it.questions, py, place))
        });

        #[pymethods]
        impl $many {
            /// Verifies all answers with independent code, on all cores.
            ///
            /// Raises `NotProvedError`, which names the first answer and its first claim that does not hold.
            fn verify(&self, py: Python<'_>) -> PyResult<()> {
                $crate::answer::verify_all(self, py, true)
            }
        }
    };
    (
        $(#[$doc:meta])* $many:ident = $name:literal of $answer:ty, each $item:ty, asked $questions:ty,
        or $none:ident
    ) => {
        $crate::answer::many!(@of $(#[$doc])* $many = $name, Result<$answer, $none>, $questions);

        $crate::batch::sequence!($many: Py<PyAny>, |it, py, place| {
            let question = $crate::answer::Questions::item(&it.questions, py, place);
            $crate::answer::found_object::<$item, _>(py, it.answers[place], question)
        });

        #[pymethods]
        impl $many {
            /// Verifies all answers with independent code, on all cores; with `absences=False` all but absences of
            /// contacts or hits, which mostly takes longer.
            ///
            /// Raises `NotProvedError`, which names the first answer and its first claim that does not hold.
            #[pyo3(signature = (*, absences=true))]
            fn verify(&self, py: Python<'_>, absences: bool) -> PyResult<()> {
                $crate::answer::verify_all(self, py, absences)
            }
        }
    };
    (@of $(#[$doc:meta])* $many:ident = $name:literal, $entry:ty, $questions:ty) => {
        $(#[$doc])*
        #[pyclass(frozen, sequence, name = $name, module = "clearance")]
        pub struct $many {
            pub answers: Vec<$entry>,
            pub questions: $questions,
        }

        impl $crate::answer::Batch for $many {
            type Entry = $entry;
            type Questions = $questions;

            fn of(answers: Vec<$entry>, questions: $questions) -> $many {
                $many { answers, questions }
            }

            fn parts(&self) -> (&[$entry], &$questions) {
                (&self.answers, &self.questions)
            }
        }

        #[pymethods]
        impl $many {
            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                $crate::answer::same_all(self, other)
            }

            fn __repr__(&self) -> String {
                format!("{}({})", $name, self.answers.len())
            }

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> $crate::give::Reduced<'py, $crate::answer::BatchParts<'py>> {
                $crate::answer::reduce_all(slf)
            }

            /// The answers as bytes, without their queries: for answers from another process.
            fn _state<'py>(&self, py: Python<'py>) -> Bound<'py, pyo3::types::PyBytes> {
                $crate::answer::state_of_all(self, py)
            }

            /// The answers to questions, from the bytes of their parts in order.
            #[classmethod]
            fn _restore(
                _: &Bound<'_, pyo3::types::PyType>,
                questions: &Bound<'_, pyo3::types::PyTuple>,
                states: Vec<Bound<'_, pyo3::types::PyBytes>>,
            ) -> PyResult<$many> {
                $crate::answer::restore_all(questions, &states)
            }
        }
    };
}

/// Fields of an answer by the names that Python has for them, of the class of one answer, and of that of many.
macro_rules! getters {
    ($class:ident; $($fields:tt)*) => {
        $crate::answer::getters!(@one $class; $($fields)*);
    };
    ($class:ident, $many:ident; $($fields:tt)*) => {
        $crate::answer::getters!(@one $class; $($fields)*);
        $crate::answer::getters!(@many $many; $($fields)*);
    };
    (@one $class:ident; $($(#[$doc:meta])* $python:ident: $($field:ident).+,)*) => {
        #[pymethods]
        #[allow(clippy::wrong_self_convention, reason = "named after the fields")]
        impl $class {$(
            $(#[$doc])*
            #[getter]
            fn $python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                $crate::give::Give::give(&self.answer.$($field).+, py)
            }
        )*}
    };
    (@many $many:ident; $($(#[$doc:meta])* $python:ident: $($field:ident).+,)*) => {
        #[pymethods]
        #[allow(clippy::wrong_self_convention, reason = "named after the fields")]
        impl $many {$(
            $(#[$doc])*
            #[getter]
            fn $python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                $crate::answer::column(py, &self.answers, |answer| answer.$($field).+.clone())
            }
        )*}
    };
}

/// The number of an answer with its bracket, of the class of one answer, and of that of many.
macro_rules! bracket {
    ($class:ident = $name:literal, $many:ident; $($ends:tt)*) => {
        $crate::answer::bracket!($class = $name; $($ends)*);
        $crate::answer::bracket!(@many $many; $($ends)*);
    };
    ($class:ident = $name:literal; $($(#[$doc:meta])* $end:ident,)*) => {
        #[pymethods]
        impl $class {
            $(
                $(#[$doc])*
                #[getter]
                fn $end(&self) -> f64 {
                    $crate::answer::Bracketed::bracket(&self.answer).$end
                }
            )*

            fn __repr__(&self) -> String {
                $crate::answer::shown(concat!($name, "("), $crate::answer::Bracketed::bracket(&self.answer))
            }
        }
    };
    (@many $many:ident; $($(#[$doc:meta])* $end:ident,)*) => {
        #[pymethods]
        impl $many {$(
            $(#[$doc])*
            #[getter]
            fn $end<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                $crate::answer::column(py, &self.answers, |answer| $crate::answer::Bracketed::bracket(answer).$end)
            }
        )*}
    };
}

/// The numbers with their brackets of an answer that has a list of them, as arrays.
macro_rules! brackets_of {
    ($class:ident: $list:ident; $($(#[$doc:meta])* $end:ident,)*) => {
        #[pymethods]
        impl $class {$(
            $(#[$doc])*
            #[getter]
            fn $end<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                let numbers = self.answer.$list.iter().map(|it| Some($crate::answer::Bracketed::bracket(it).$end));
                $crate::give::Column::column(py, numbers)
            }
        )*}
    };
}

/// The witness of an answer about two bodies: a point of each, and what holds it. The docs are those of the points;
/// `in field` says where in the answer they are.
macro_rules! witness_of_two {
    (
        $class:ident $(, $many:ident)? $(in $inner:ident)?;
        $(#[$doc_a:meta])* point_in_a,
        $(#[$doc_b:meta])* point_in_b,
    ) => {
        $crate::answer::getters! {
            $class $(, $many)?;
            $(#[$doc_a])*
            point_in_a: $($inner.)? witness.a.point,
            $(#[$doc_b])*
            point_in_b: $($inner.)? witness.b.point,
            /// The part of A with the point: the part index of a compound, the triangle of a mesh or a height field;
            /// else 0.
            part_a: $($inner.)? witness.a.part,
            /// The part of B with the point.
            part_b: $($inner.)? witness.b.part,
            /// The feature of A with the point.
            feature_a: $($inner.)? witness.a.feature,
            /// The feature of B with the point.
            feature_b: $($inner.)? witness.b.feature,
        }
    };
}

/// The points of an answer in the world, by the function that gives them: [`witness`] or [`witness_all`].
macro_rules! in_world {
    ($($class:ident),* by $points:ident, $doc:literal) => {$(
        #[pymethods]
        impl $class {
            #[doc = $doc]
            #[getter]
            fn witness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                $crate::answer::$points(self, py)
            }
        }
    )*};
}

/// Which of many questions have an answer.
macro_rules! may_miss {
    ($($many:ident),*: $doc:literal) => {$(
        #[pymethods]
        impl $many {
            #[doc = $doc]
            #[getter]
            fn hit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                $crate::answer::hits(py, &self.answers)
            }
        }
    )*};
}

/// The class of an answer, and the class of many of them, with the number, its bracket, for two bodies the witness, and
/// the other fields. `or NoImpact` is that of `many`.
macro_rules! answer {
    (
        $(#[$doc:meta])* $class:ident = $name:literal of $answer:ty, asked $question:ty;
        $(#[$many_doc:meta])* $many:ident = $many_name:literal asked $questions:ty $(, or $none:ident)?;
        bracket { $($bracket:tt)* }
        witness { $($points:tt)* }
        $($fields:tt)*
    ) => {
        $crate::answer::answer! {
            $(#[$doc])* $class = $name of $answer, asked $question;
            $(#[$many_doc])* $many = $many_name asked $questions $(, or $none)?;
            bracket { $($bracket)* }
            $($fields)*
        }
        $crate::answer::witness_of_two!($class, $many; $($points)*);
    };
    (
        $(#[$doc:meta])* $class:ident = $name:literal of $answer:ty, asked $question:ty;
        $(#[$many_doc:meta])* $many:ident = $many_name:literal asked $questions:ty $(, or $none:ident)?;
        bracket { $($bracket:tt)* }
        $($fields:tt)*
    ) => {
        $crate::answer::single!($(#[$doc])* $class = $name of $answer, asked $question);
        $crate::answer::many! {
            $(#[$many_doc])*
            $many = $many_name of $answer, each $class, asked $questions $(, or $none)?
        }
        $crate::answer::bracket!($class = $name, $many; $($bracket)*);
        $crate::answer::getters!($class, $many; $($fields)*);
    };
}

pub(crate) use {answer, bracket, brackets_of, getters, in_world, many, may_miss, single, witness_of_two};
