//! Cancelling long-running work: a [`Cancel`] is handed to the work and kept by the code that may want to stop it.
//!
//! Searches, traversals, builds and proofs call [`checkpoint`] as they go, at least every few milliseconds. Once their
//! work is cancelled, the next checkpoint unwinds the stack to [`Cancel::run`], without a panic message; answers are
//! values, so no partial state is left behind. Functions that modify something in place
//! ([`World::step`](crate::World::step)) do so after their last checkpoint, or can be called again.
//!
//! The current work is a thread-local. Wherever work is handed to other threads, [`Carried`] passes it on: while
//! waiting, a pool thread may pick up a piece of unrelated work, which must not be cancelled in its place. Where panics
//! abort (`panic = "abort"`), checkpoints do nothing and the work runs to completion.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Cancels running work, from another thread or from within. A clone cancels the same work.
///
/// ```
/// use clearance::{Mesh, Shape, glam::DVec3};
/// use clearance::cancel::Cancel;
/// let cancel = Cancel::new();
/// assert_eq!(cancel.run(|| Shape::cuboid(DVec3::ONE).map(|cube| cube.diameter() > 3.0)), Ok(Ok(true)));
/// // Another thread would do this while the work is running.
/// cancel.cancel();
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// assert_eq!(cancel.run(|| Mesh::new(&points, &[[0, 1, 2]])), Err(clearance::cancel::Cancelled));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
}

/// The work was cancelled by its [`Cancel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl std::fmt::Display for Cancelled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the work was cancelled")
    }
}

impl std::error::Error for Cancelled {}

/// A callback polled from time to time for whether to continue; see [`Cancel::run_asking`].
#[derive(Clone, Copy)]
struct Ask {
    every: Duration,
    /// When to poll next; the first checkpoint only reads the clock.
    next: Option<Instant>,
    goes_on: fn() -> bool,
}

/// What can cancel the current thread's work.
#[derive(Clone)]
struct Current {
    cancel: Cancel,
    ask: Option<Ask>,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

/// Restores the thread's previous work, also on unwinding.
struct Restore(Option<Current>);

impl Restore {
    fn entering(current: Option<Current>) -> Restore {
        Restore(CURRENT.replace(current))
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl Cancel {
    /// A token that is not cancelled yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Cancels the work at its next checkpoint, and anything run with this token later at its first.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the work was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Runs cancellable work. Short work may have no checkpoint and then completes although it was cancelled.
    ///
    /// # Errors
    /// [`Cancelled`] if it was cancelled before completion.
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> Result<R, Cancelled> {
        self.run_with(None, work)
    }

    /// As [`Cancel::run`], with polling: at checkpoints of this thread, at most once per `every`, `goes_on` is called,
    /// and returning `false` cancels the work.
    ///
    /// # Errors
    /// [`Cancelled`] if the work was cancelled before completion.
    ///
    /// ```
    /// use std::time::Duration;
    /// use clearance::cancel::{Cancel, Cancelled, checkpoint};
    /// let endless = || loop { checkpoint() };
    /// let stopped: Result<(), Cancelled> = Cancel::new().run_asking(Duration::from_millis(1), || false, endless);
    /// assert_eq!(stopped, Err(Cancelled));
    /// ```
    pub fn run_asking<R>(
        &self,
        every: Duration,
        goes_on: fn() -> bool,
        work: impl FnOnce() -> R,
    ) -> Result<R, Cancelled> {
        self.run_with(Some(Ask { every, next: None, goes_on }), work)
    }

    fn run_with<R>(&self, ask: Option<Ask>, work: impl FnOnce() -> R) -> Result<R, Cancelled> {
        let restore = Restore::entering(Some(Current { cancel: self.clone(), ask }));
        // State left behind by the work cannot affect an answer: see the module documentation.
        let done = catch_unwind(AssertUnwindSafe(work));
        drop(restore);
        done.or_else(|cause| if cause.is::<Cancelled>() { Err(Cancelled) } else { resume_unwind(cause) })
    }
}

/// What can cancel one thread's work, passed on to the threads that it hands parts of it to.
///
/// ```
/// use clearance::cancel::{Cancel, Cancelled, Carried, checkpoint};
/// let cancel = Cancel::new();
/// let stopped = cancel.run(|| {
///     cancel.cancel();
///     let carried = Carried::here();
///     // Another thread learns only from `carried` that the work was cancelled.
///     let part = std::thread::spawn(move || carried.within(checkpoint)).join();
///     part.unwrap_or_else(|cause| std::panic::resume_unwind(cause))
/// });
/// assert_eq!(stopped, Err(Cancelled));
/// ```
#[derive(Clone, Debug)]
pub struct Carried(Option<Cancel>);

impl Carried {
    /// The work of the current thread.
    pub fn here() -> Carried {
        Carried(CURRENT.with_borrow(|current| current.as_ref().map(|current| current.cancel.clone())))
    }

    /// Runs a part of that work, on any thread, unless it was cancelled: however short the parts are, only those
    /// already running complete. The thread's own work is restored afterwards.
    pub fn within<R>(&self, part: impl FnOnce() -> R) -> R {
        let same = CURRENT.with_borrow(|current| match (current, &self.0) {
            (Some(current), Some(carried)) => Arc::ptr_eq(&current.cancel.flag, &carried.flag),
            (current, carried) => current.is_none() && carried.is_none(),
        });
        if same {
            checkpoint();
            return part();
        }
        let _restore = Restore::entering(self.0.clone().map(|cancel| Current { cancel, ask: None }));
        checkpoint();
        part()
    }
}

impl Carried {
    /// Runs one of many parts of that work, on any thread: `None` if the work was cancelled before or during it. With
    /// many parts, this is the way to end early: a panic unwinding through the pool would still start every other part.
    ///
    /// ```
    /// use clearance::cancel::{Cancel, Cancelled, Carried};
    /// let cancel = Cancel::new();
    /// let squares = |numbers: &[u64]| {
    ///     let carried = Carried::here();
    ///     Carried::whole(numbers.iter().map(|n| carried.part(|| n * n)).collect::<Option<Vec<u64>>>())
    /// };
    /// assert_eq!(cancel.run(|| squares(&[1, 2, 3])), Ok(vec![1, 4, 9]));
    /// cancel.cancel();
    /// assert_eq!(cancel.run(|| squares(&[1, 2, 3])), Err(Cancelled));
    /// ```
    pub fn part<R>(&self, part: impl FnOnce() -> R) -> Option<R> {
        if self.0.as_ref().is_some_and(Cancel::is_cancelled) {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(|| self.within(part))) {
            Ok(done) => Some(done),
            Err(cause) if cause.is::<Cancelled>() => None,
            Err(cause) => resume_unwind(cause),
        }
    }

    /// The combined result of all parts, on the thread that handed them out; unwinds there if it is `None`.
    pub fn whole<R>(parts: Option<R>) -> R {
        parts.unwrap_or_else(|| resume_unwind(Box::new(Cancelled)))
    }
}

/// Runs work that cannot be cancelled: it modifies something in place and would leave it half done.
pub(crate) fn to_its_end<R>(work: impl FnOnce() -> R) -> R {
    Carried(None).within(work)
}

/// Unwinds to the enclosing [`Cancel::run`] if this thread's work was cancelled. Costs a few nanoseconds, and does
/// nothing for work that cannot be cancelled.
///
/// ```
/// clearance::cancel::checkpoint();
/// ```
#[inline]
pub fn checkpoint() {
    // Where panics abort, unwinding is impossible.
    if cfg!(panic = "unwind") && CURRENT.with_borrow(Option::is_some) {
        stop_if_stopped();
    }
}

#[inline(never)]
fn stop_if_stopped() {
    // Nothing is borrowed during the callback, which may run any code, cancellable work included.
    let due = CURRENT.with_borrow_mut(|current| current.as_mut()?.ask.as_mut()?.due());
    let goes_on = due.is_none_or(|goes_on| goes_on());
    let stopped = CURRENT.with_borrow(|current| {
        current.as_ref().is_some_and(|current| {
            if !goes_on {
                current.cancel.cancel();
            }
            current.cancel.is_cancelled()
        })
    });
    if stopped {
        resume_unwind(Box::new(Cancelled));
    }
}

impl Ask {
    /// The callback, if it is due.
    fn due(&mut self) -> Option<fn() -> bool> {
        let now = Instant::now();
        let due = self.next.is_some_and(|next| now >= next);
        if due || self.next.is_none() {
            self.next = Some(now + self.every);
        }
        due.then_some(self.goes_on)
    }
}

/// A checkpoint for loops of short turns: it checks at the first turn, and then at every [`CHECKPOINT_TURNS`]th.
#[derive(Default)]
pub(crate) struct Turns(u32);

/// Turns of a traversal between two checkpoints: some tens of microseconds.
const CHECKPOINT_TURNS: u32 = 256;

impl Turns {
    #[inline(always)]
    pub fn turn(&mut self) {
        if self.0.is_multiple_of(CHECKPOINT_TURNS) {
            checkpoint();
        }
        self.0 = self.0.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unrelated_work_is_not_cancelled() {
        let (stopped, other) = (Cancel::new(), Cancel::new());
        stopped.cancel();
        let result = stopped.run(|| {
            // A piece of other work, picked up while this one waits.
            let piece = other.run(Carried::here).unwrap();
            piece.within(checkpoint);
            Carried(None).within(checkpoint);
            "went on"
        });
        assert_eq!(result, Ok("went on"));
        assert_eq!(stopped.run(checkpoint), Err(Cancelled));
        // No state is left behind.
        checkpoint();
    }

    #[test]
    fn panics_are_passed_on() {
        let cause = catch_unwind(|| Cancel::new().run(|| resume_unwind(Box::new("another cause")))).unwrap_err();
        assert_eq!(cause.downcast_ref::<&str>(), Some(&"another cause"));
    }

    #[test]
    fn polling_cancels_midway() {
        let mut turns = Turns::default();
        let endless = || loop {
            turns.turn();
        };
        let stopped: Result<(), Cancelled> = Cancel::new().run_asking(Duration::ZERO, || false, endless);
        assert_eq!(stopped, Err(Cancelled));
    }
}
