//! Reusable per-thread memory for rays and points against meshes.

use std::cell::RefCell;

use crate::mesh::ray::Clean;

/// The instruction set detected by a thread, and its memory.
pub(crate) struct Scratch {
    pub level: fearless_simd::Level,
    /// Crossings of a line with a mesh.
    pub crossings: Vec<Clean>,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch { level: fearless_simd::Level::new(), crossings: Vec::new() }
    }
}

/// Memory in use. Cancelled work ([`Cancel`](crate::cancel::Cancel)) leaves it in an unknown state; it is then
/// replaced.
struct Lent<'s>(&'s mut Scratch);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0 = Scratch::default();
        }
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// Runs a closure with this thread's memory.
pub(crate) fn with_scratch<T>(run: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => {
            let lent = Lent(&mut scratch);
            run(lent.0)
        }
        // Only on re-entry.
        Err(_) => run(&mut Scratch::default()),
    })
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn what_a_panic_leaves_is_replaced() {
        with_scratch(|scratch| scratch.crossings.reserve(100));
        assert!(with_scratch(|scratch| scratch.crossings.capacity()) >= 100);
        let ended = catch_unwind(AssertUnwindSafe(|| with_scratch(|_| std::panic::resume_unwind(Box::new(())))));
        assert!(ended.is_err());
        assert_eq!(with_scratch(|scratch| scratch.crossings.capacity()), 0);
    }
}
