//! Runs the engine for the interpreter: the interpreter is released meanwhile, signals are handled, and a process that
//! was forked has threads of its own.
//!
//! **Signals.** Python runs handlers of signals in its main thread alone, when that asks for them. Brief work is done
//! by the caller's thread, which asks at checkpoints of the engine; long work by another thread, while the caller's
//! listens. When a handler raises, as that of Ctrl-C does, the work is cancelled at its next checkpoint, and the
//! exception raised once it has ended. So no abandoned work keeps running.
//!
//! **Forks.** The threads of the pool stay behind in the parent; a child that submits work to them waits for
//! ever. So a child, known by `os.register_at_fork`, makes its own pool when it first needs one.

use std::any::Any;
use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use clearance::Shape;
use clearance::cancel::{Cancel, Cancelled, checkpoint};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use crate::limits::{BRIEF, LISTEN};
use crate::room::room_for;

thread_local! {
    /// What a handler of a signal raised.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Runs the handlers of signals that arrived, if this is the main thread; false if one of them raised.
fn goes_on() -> bool {
    Python::attach(|py| py.check_signals()).map_err(|error| RAISED.set(Some(error))).is_ok()
}

/// What work came to, or what a handler of a signal raised meanwhile.
fn ended<R>(done: Result<R, Cancelled>) -> PyResult<R> {
    match (RAISED.take(), done) {
        (None, Ok(done)) => Ok(done),
        (raised, _) => Err(raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))),
    }
}

/// How often this process, or one that it comes from, was forked since the module was loaded.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The pool of a forked process, and how many forks came before it was made.
static OWN_POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// To be called in the child of a fork, before anything else.
#[pyfunction]
pub fn _after_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Whether the pool of all has no threads here.
fn is_forked() -> bool {
    FORKS.load(Ordering::Relaxed) != 0
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The threads of this process.
enum Pool {
    Common,
    Own(Arc<ThreadPool>),
}

impl Pool {
    fn of_process() -> PyResult<Pool> {
        let forks = FORKS.load(Ordering::Relaxed);
        if forks == 0 {
            return Ok(Pool::Common);
        }
        let mut known = locked(&OWN_POOL);
        if let Some((made_after, pool)) = &*known
            && *made_after == forks
        {
            return Ok(Pool::Own(pool.clone()));
        }
        let pool = Arc::new(ThreadPoolBuilder::new().build().map_err(no_threads)?);
        // The threads of an older pool are those of a parent: there are none to end.
        std::mem::forget(known.replace((forks, pool.clone())));
        Ok(Pool::Own(pool))
    }

    fn threads(&self) -> usize {
        match self {
            Pool::Common => rayon::current_num_threads(),
            Pool::Own(pool) => pool.current_num_threads(),
        }
    }

    /// Work that ends when everything it submitted to the pool has.
    fn scope<'s, R>(&self, work: impl FnOnce(&Scope<'s>) -> R) -> R {
        match self {
            Pool::Common => rayon::in_place_scope(work),
            Pool::Own(pool) => pool.in_place_scope(work),
        }
    }

    /// Work that may use the pool.
    fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self {
            Pool::Common => work(),
            Pool::Own(pool) => pool.install(work),
        }
    }
}

fn no_threads(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!(
        "no thread could be started ({error}): raise the limit of threads of this process, or, if it was forked, use \
         multiprocessing.set_start_method(\"spawn\")"
    ))
}

/// Work that uses no other threads and is mostly brief, on the caller's.
pub fn here<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    ended(py.detach(|| Cancel::new().run_asking(LISTEN, goes_on, work)))
}

/// Work that may take long, on a thread of its own; it may use the pool.
pub fn at_length<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    at_length_reporting(py, |()| true, |_| work())
}

/// As [`at_length`], for work that reports where it is: `report` is called by the caller's thread, and the work waits for
/// what it returns. The work itself is not done there: while it waits for the pool it would hear no signal.
pub fn at_length_reporting<R: Send, P: Send>(
    py: Python<'_>,
    report: impl FnMut(P) -> bool + Send,
    work: impl FnOnce(&mut dyn FnMut(P) -> bool) -> R + Send,
) -> PyResult<R> {
    let (pool, cancel) = (Pool::of_process()?, Cancel::new());
    let done = py.detach(|| {
        thread::scope(|scope| {
            let ((tell, told), (reply, replied)) = (channel(), channel());
            let (pool, worker) = (&pool, &cancel);
            let reporter = tell.clone();
            let run = move || {
                let work = move || {
                    work(&mut |progress| {
                        reporter.send(Message::Report(progress)).is_ok() && replied.recv().unwrap_or_default()
                    })
                };
                let done = catch_unwind(AssertUnwindSafe(|| pool.install(|| worker.run(work))));
                // The listener waits for this.
                tell.send(Message::Ended(done)).unwrap_or_default();
            };
            thread::Builder::new().spawn_scoped(scope, run)?;
            Ok(listened(&told, &cancel, Then::Waits, report, &reply))
        })
    });
    ended(done.map_err(|error: std::io::Error| no_threads(error))?)
}

/// What a thread says to the one that listens.
enum Message<R, P> {
    /// Where it is. It waits for whether to go on.
    Report(P),
    /// The result of the work, or its panic.
    Ended(Result<Result<R, Cancelled>, Box<dyn Any + Send>>),
}

/// What the listener does once the work is cancelled.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    Waits,
    Leaves,
}

/// What a thread comes to, while signals are listened to.
fn listened<R, P>(
    told: &Receiver<Message<R, P>>,
    cancel: &Cancel,
    then: Then,
    mut report: impl FnMut(P) -> bool,
    reply: &Sender<bool>,
) -> Result<R, Cancelled> {
    loop {
        let message = told.recv_timeout(LISTEN);
        if let Ok(Message::Ended(done)) = message {
            return done.unwrap_or_else(|cause| resume_unwind(cause));
        }
        if !cancel.is_cancelled() && !goes_on() {
            cancel.cancel();
            if then == Then::Leaves {
                return Err(Cancelled);
            }
        }
        match message {
            // It waits for this.
            Ok(Message::Report(progress)) => {
                reply.send(!cancel.is_cancelled() && report(progress)).unwrap_or_default();
            }
            // It sends before it ends.
            Err(RecvTimeoutError::Disconnected) => return Err(Cancelled),
            Ok(Message::Ended(_)) | Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Work of some size, in elements: what is small is brief.
pub fn sized<R: Send>(py: Python<'_>, size: usize, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    if size > BRIEF { at_length(py, work) } else { on_all_cores(py, work) }
}

/// Work without checkpoints that may take long, as reading a file: when a handler raises, it is no longer waited for
/// and runs to its end, or to a checkpoint, in the background, without visible effects.
pub fn unattended<R: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> R + Send + 'static) -> PyResult<R> {
    let (pool, cancel) = (Pool::of_process()?, Cancel::new());
    let done = py.detach(|| {
        let (tell, told) = channel();
        let worker = cancel.clone();
        let run = move || {
            let done = catch_unwind(AssertUnwindSafe(|| pool.install(|| worker.run(work))));
            tell.send(Message::Ended(done)).unwrap_or_default();
        };
        thread::Builder::new().spawn(run)?;
        Ok(listened(&told, &cancel, Then::Leaves, |()| true, &channel().0))
    });
    ended(done.map_err(|error: std::io::Error| no_threads(error))?)
}

/// Work that changes something and must not be cut off in the middle.
pub fn to_its_end<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = Pool::of_process()?;
    Ok(py.detach(|| pool.install(work)))
}

/// Work that hands parts to the pool and does its share: on the caller's thread, unless the pool of all has no threads
/// here.
pub fn on_all_cores<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    if is_forked() { at_length(py, work) } else { here(py, work) }
}

/// A query about bodies that is mostly brief. About meshes it may use the pool, which in a forked process is
/// not that of all.
pub fn about<R: Send>(py: Python<'_>, bodies: [Option<&Shape>; 2], question: impl FnOnce() -> R + Send) -> PyResult<R> {
    if is_forked() && bodies.into_iter().flatten().any(has_mesh) { at_length(py, question) } else { here(py, question) }
}

/// A query about bodies that takes long, and uses the pool, if one of them is a mesh.
pub fn about_solids<R: Send>(
    py: Python<'_>,
    bodies: [Option<&Shape>; 2],
    question: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    if bodies.into_iter().flatten().any(has_mesh) { at_length(py, question) } else { here(py, question) }
}

/// Whether queries about a body may use the pool.
pub fn has_mesh(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(_) | Shape::Compound(_))
}

/// How many parts for each thread a batch is cut into: the more, the more evenly they end.
const PARTS: usize = 32;

/// The most queries of a part.
const TOGETHER: usize = 64;

/// Answers that are written where they will be, and dropped with this unless they are taken.
struct Written<'p, A> {
    places: &'p mut [MaybeUninit<A>],
    count: usize,
}

impl<A> Written<'_, A> {
    fn push(&mut self, answer: A) {
        self.places[self.count].write(answer);
        self.count += 1;
    }
}

impl<A> Drop for Written<'_, A> {
    #[allow(unsafe_code, reason = "answers of any type are written where they will be, once each")]
    fn drop(&mut self) {
        for place in &mut self.places[..self.count] {
            // SAFETY: the first `count` places were written by `push`, and nobody else drops them.
            unsafe { place.assume_init_drop() };
        }
    }
}

/// How many threads are still at it.
#[derive(Default)]
struct Busy {
    threads: Mutex<usize>,
    less: Condvar,
}

/// One of them.
struct One<'b>(&'b Busy);

impl Busy {
    fn one(&self) -> One<'_> {
        *locked(&self.threads) += 1;
        One(self)
    }

    /// Waits until all have ended, and listens.
    fn wait(&self, cancel: &Cancel) {
        loop {
            let busy = locked(&self.threads);
            let waited = self.less.wait_timeout_while(busy, LISTEN, |busy| *busy > 0);
            let (busy, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if *busy == 0 {
                return;
            }
            drop(busy);
            if !cancel.is_cancelled() && !goes_on() {
                cancel.cancel();
            }
        }
    }
}

impl Drop for One<'_> {
    fn drop(&mut self) {
        *locked(&self.0.threads) -= 1;
        self.0.less.notify_all();
    }
}

/// The answer to each query, by its index. The interpreter is released meanwhile.
///
/// As the batches of the engine: the caller's thread takes its share, part by part like those of the pool. It is awake,
/// which they are not after a while of nothing to do; and all of them are called, as some systems wake a thread on the
/// caller's core though another is idle. What is for one thread is the caller's alone.
pub fn each<A: Send>(py: Python<'_>, count: usize, answer: impl Fn(usize) -> A + Send + Sync) -> PyResult<Vec<A>> {
    // In another pool than that of all the engine would hand on work of the caller's thread to threads that are not
    // there.
    let caller = if is_forked() { Caller::Listens } else { Caller::Helps };
    each_by(py, count, caller, answer)
}

/// As [`each`], for long queries that use the pool themselves: the caller's thread would wait for threads of
/// the pool that are at it for as long, and hear nothing. So it listens, and does nothing else.
pub fn each_at_length<A: Send>(
    py: Python<'_>,
    count: usize,
    answer: impl Fn(usize) -> A + Send + Sync,
) -> PyResult<Vec<A>> {
    each_by(py, count, Caller::Listens, answer)
}

/// What the caller's thread does in a batch.
#[derive(Clone, Copy, PartialEq)]
enum Caller {
    Helps,
    Listens,
}

fn each_by<A: Send>(
    py: Python<'_>,
    count: usize,
    caller: Caller,
    answer: impl Fn(usize) -> A + Send + Sync,
) -> PyResult<Vec<A>> {
    room_for(py, "a batch", count, "answers", size_of::<A>() as u128)?;
    let pool = Pool::of_process()?;
    let threads = pool.threads();
    if threads == 1 || count <= 1 {
        let all = || {
            let one = |index| {
                checkpoint();
                answer(index)
            };
            (0..count).map(one).collect()
        };
        return if caller == Caller::Helps { here(py, all) } else { at_length(py, all) };
    }
    let cancel = Cancel::new();
    ended(py.detach(|| in_parts(&pool, count, caller, &cancel, answer)))
}

#[allow(unsafe_code, reason = "answers of any type are written where they will be, once each")]
fn in_parts<A: Send>(
    pool: &Pool,
    count: usize,
    caller: Caller,
    cancel: &Cancel,
    answer: impl Fn(usize) -> A + Send + Sync,
) -> Result<Vec<A>, Cancelled> {
    let threads = pool.threads();
    let mut answers = Vec::with_capacity(count);
    let size = count.div_ceil(PARTS * threads).min(TOGETHER);
    let parts = Mutex::new(answers.spare_capacity_mut()[..count].chunks_mut(size).enumerate());
    let finished = Mutex::new(Vec::with_capacity(count.div_ceil(size)));
    let next = || locked(&parts).next();
    let work = || {
        while let Some((part, places)) = next() {
            checkpoint();
            let mut written = Written { places, count: 0 };
            for index in part * size..part * size + written.places.len() {
                written.push(answer(index));
            }
            locked(&finished).push(written);
        }
    };
    let (busy, work) = (Busy::default(), &work);
    pool.scope(|scope| {
        for _ in 0..threads {
            let one = busy.one();
            scope.spawn(move |_| {
                let _one = one;
                // The caller's thread sees `cancel`.
                cancel.run(work).unwrap_or_default();
            });
        }
        if caller == Caller::Helps {
            cancel.run_asking(LISTEN, goes_on, work).unwrap_or_default();
        }
        busy.wait(cancel);
    });
    let finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    let written: usize = finished.iter().map(|part| part.count).sum();
    if written < count {
        return Err(Cancelled);
    }
    finished.into_iter().for_each(std::mem::forget);
    // SAFETY: all of the first `count` places were written, each by the part that it is in, and are not dropped by it
    // any more. If an answer panics the scope does too, and this is not reached.
    unsafe { answers.set_len(count) };
    Ok(answers)
}
