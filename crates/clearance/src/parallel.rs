//! Parallel maps: split over all cores with the feature `parallel`, plain loops without it.
//!
//! Results are in input order and do not depend on the number of threads: how work is divided into pieces is up to the
//! caller, and state that a thread keeps between pieces must not affect results. Only this file uses the thread pool
//! (rayon's).
//!
//! [`map`], [`map_pieces`], [`map_with`] and [`map_brief`] can be cancelled: the caller's
//! [`Cancel`](crate::cancel::Cancel) is passed on to the threads of the pool, no further piece is started once it
//! fires, and the calling thread unwinds to its [`Cancel::run`](crate::cancel::Cancel::run).

#[cfg(feature = "parallel")]
use crate::math::cancel::{Carried, checkpoint};

/// Maps `answer` over items that take long each.
///
/// ```
/// assert_eq!(clearance::parallel::map(&[1, 2, 3], |n| n * n), [1, 4, 9]);
/// ```
pub fn map<Q: Sync, A: Send>(questions: &[Q], answer: impl Fn(&Q) -> A + Sync) -> Vec<A> {
    map_with(questions, 1, || (), |(), question| answer(question))
}

/// Maps `answer` over pieces of `size` items, the last one shorter. The pieces are the same on any number of threads,
/// so within a piece state may carry over from one item to the next even where that affects the last digits.
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

/// Maps `answer` over items with per-thread state, such as reused memory. The state is created for each run of items,
/// of at least `grain`, that a thread takes; how items are divided into runs is not deterministic.
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

/// Maps `answer` over items that take about a microsecond each; a thread takes `grain` of them at a time.
///
/// The calling thread takes part too: it is awake, while pool threads may be asleep. The whole pool is woken
/// nevertheless, one thread more than there are cores: some systems wake a thread on the caller's core although another
/// core is idle, and take milliseconds to migrate it.
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
        // Filled with the first answer; each is overwritten by its own.
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

/// Maps `work` over a few owned pieces: parts of something that is changed in place. Nothing here stops half-way;
/// cancellation is up to `work`.
pub(crate) fn map_owned<T: Send, A: Send>(pieces: Vec<T>, work: impl Fn(T) -> A + Sync) -> Vec<A> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        pieces.into_par_iter().map(&work).collect()
    }
    #[cfg(not(feature = "parallel"))]
    pieces.into_iter().map(work).collect()
}

/// Folds pieces in order: `collect` adds a piece to the accumulator that `start` made, and `end` finishes it. Adjacent
/// pieces taken by one thread share an accumulator, so a small piece costs little. Results are in the order of the
/// pieces; where one accumulator ends and the next begins is not deterministic.
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
