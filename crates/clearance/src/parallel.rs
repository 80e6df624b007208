//! Work on many things at once: split over all cores with the feature `parallel`, a plain loop without it.
//!
//! Answers come in the order of what was asked, and none depends on the number of threads: how things are put together
//! into pieces is up to the caller, and what a thread keeps between two of them must not show in an answer. Only this
//! file knows the pool (rayon's).
//!
//! [`map`], [`map_pieces`], [`map_with`] and [`map_brief`] can be stopped: the [`Cancel`](crate::cancel::Cancel) of the
//! caller's work is carried to the threads of the pool, no further piece is begun once it says so, and the caller's
//! thread unwinds to its [`Cancel::run`](crate::cancel::Cancel::run).

#[cfg(feature = "parallel")]
use crate::math::cancel::{Carried, checkpoint};

/// The answers to many questions that take long each.
///
/// ```
/// assert_eq!(clearance::parallel::map(&[1, 2, 3], |n| n * n), [1, 4, 9]);
/// ```
pub fn map<Q: Sync, A: Send>(questions: &[Q], answer: impl Fn(&Q) -> A + Sync) -> Vec<A> {
    map_with(questions, 1, || (), |(), question| answer(question))
}

/// What comes of many things in pieces of `size`, the last one shorter. The pieces are the same on any number of
/// threads, so a piece may remember one thing for the next even where that shows in the last digits.
///
/// # Panics
/// If `size` is 0.
///
/// ```
/// let sums = clearance::parallel::map_pieces(&[1, 2, 3, 4, 5], 2, |piece| piece.iter().sum::<i32>());
/// assert_eq!(sums, [3, 7, 5]);
/// ```
pub fn map_pieces<Q: Sync, A: Send>(things: &[Q], size: usize, answer: impl Fn(&[Q]) -> A + Sync) -> Vec<A> {
    let pieces: Vec<&[Q]> = things.chunks(size).collect();
    map(&pieces, |piece| answer(piece))
}

/// The answers to many questions, where a thread has something of its own, such as memory that is used again: it is
/// made anew for every run of questions, of at least `grain`, that a thread takes, and which these are is left to
/// chance.
///
/// ```
/// use clearance::parallel::map_with;
/// let words = map_with(&[1, 20, 300], 16, String::new, |memory, number| {
///     memory.clear();
///     memory.push_str(&number.to_string());
///     memory.len()
/// });
/// assert_eq!(words, [1, 2, 3]);
/// ```
pub fn map_with<Q: Sync, W, A: Send>(
    questions: &[Q],
    grain: usize,
    own: impl Fn() -> W + Sync,
    answer: impl Fn(&mut W, &Q) -> A + Sync,
) -> Vec<A> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let carried = Carried::here();
        let answer = |own: &mut W, question: &Q| carried.part(|| answer(own, question));
        Carried::whole(questions.par_iter().with_min_len(grain).map_init(&own, answer).collect())
    }
    #[cfg(not(feature = "parallel"))]
    {
        let (_, mut own) = (grain, own());
        questions.iter().map(|question| answer(&mut own, question)).collect()
    }
}

/// The answers to many questions that take about a microsecond each; a thread takes `grain` of them at a time.
///
/// The caller's thread takes its share like those of the pool: it is awake, and they may be asleep. All of the pool are
/// called nevertheless, one thread more than there are cores: some systems wake a thread on the core of the caller,
/// though another core is idle, and take milliseconds to move it.
///
/// # Panics
/// If `grain` is 0.
///
/// ```
/// let numbers: Vec<f64> = (0..1000).map(f64::from).collect();
/// let roots = clearance::parallel::map_brief(&numbers, 64, |number| number.sqrt());
/// assert_eq!((roots.len(), roots[900]), (1000, 30.0));
/// ```
pub fn map_brief<Q: Sync, A: Copy + Send>(questions: &[Q], grain: usize, answer: impl Fn(&Q) -> A + Sync) -> Vec<A> {
    #[cfg(feature = "parallel")]
    {
        use std::sync::{Mutex, PoisonError};
        let threads = rayon::current_num_threads();
        if questions.len() <= grain || threads == 1 {
            return questions.iter().map(answer).collect();
        }
        // Every other place has the first answer until it gets its own.
        let mut answers = vec![answer(&questions[0]); questions.len()];
        let parts = Mutex::new(questions[1..].chunks(grain).zip(answers[1..].chunks_mut(grain)));
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let carried = Carried::here();
        let work = || {
            while let Some((questions, answers)) = next() {
                checkpoint();
                questions.iter().zip(answers).for_each(|(question, place)| *place = answer(question));
            }
        };
        rayon::in_place_scope(|scope| {
            (0..threads).for_each(|_| scope.spawn(|_| carried.within(work)));
            work();
        });
        answers
    }
    #[cfg(not(feature = "parallel"))]
    {
        let _ = grain;
        questions.iter().map(answer).collect()
    }
}

/// What comes of each of a few pieces, which are handed over: parts of something that is changed in place. Nothing in
/// here stops half-way; what a piece does is up to it.
pub(crate) fn map_owned<T: Send, A: Send>(pieces: Vec<T>, work: impl Fn(T) -> A + Sync) -> Vec<A> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        pieces.into_par_iter().map(&work).collect()
    }
    #[cfg(not(feature = "parallel"))]
    pieces.into_iter().map(work).collect()
}

/// What comes of pieces that are collected one after the other: `collect` puts a piece into what `start` made, or what
/// came of the pieces before it, and `end` concludes. Pieces next to each other that one thread takes have one
/// collector, so a small piece costs little. The answers are in the order of the pieces; where one ends and the next
/// begins is left to chance.
pub(crate) fn fold<T: Send, W: Send, A: Send>(
    pieces: Vec<T>,
    start: impl Fn() -> W + Sync,
    collect: impl Fn(W, T) -> W + Sync,
    end: impl Fn(W) -> A + Sync,
) -> Vec<A> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        pieces.into_par_iter().fold(&start, &collect).map(&end).collect()
    }
    #[cfg(not(feature = "parallel"))]
    vec![end(pieces.into_iter().fold(start(), collect))]
}
