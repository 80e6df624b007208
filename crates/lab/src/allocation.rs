//! Counts heap allocations of one thread while asked to, so that "no allocation per query" is a measured figure.
//!
//! The counter sits in front of the system allocator for the whole program. Outside [`count`] it costs one read of a
//! thread-local flag per allocation.

#![allow(unsafe_code)] // `GlobalAlloc` is an unsafe trait; nothing else here is unsafe.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // `const` and without a destructor: reading them never allocates, not even the first time on a thread.
    static ENABLED: Cell<bool> = const { Cell::new(false) };
    static COUNTED: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The system allocator with a counter in front.
struct CountingAllocator;

/// Notes one request for memory, if this thread is counting.
fn note() {
    // `try_with` fails only while a thread is torn down; nobody counts then.
    let _ = ENABLED.try_with(|enabled| {
        if enabled.get() {
            let _ = COUNTED.try_with(|counted| counted.set(counted.get() + 1));
        }
    });
}

// SAFETY: every method forwards its arguments unchanged to `System`, which fulfils the contract of `GlobalAlloc`;
// `note` neither allocates nor unwinds.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note();
        // SAFETY: `pointer` came from `System` through this allocator; the rest is the caller's promise.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` through this allocator with this `layout`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs `work` and returns its result with the number of allocations (growth included) this thread made meanwhile.
/// Calls must not be nested.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = COUNTED.get();
    ENABLED.set(true);
    let result = work();
    ENABLED.set(false);
    (result, COUNTED.get() - before)
}

#[cfg(test)]
mod tests {
    use super::count;
    use std::hint::black_box;

    #[test]
    fn counts_what_is_allocated_and_only_while_asked() {
        let (kept, allocations) = count(|| black_box(Box::new(1_u64)));
        assert_eq!((*kept, allocations), (1, 1));
        black_box(Box::new(2_u64));
        assert_eq!(count(|| black_box(3)).1, 0);
    }

    #[test]
    fn growth_counts() {
        let mut grown: Vec<u64> = Vec::with_capacity(1);
        let (_, allocations) = count(|| black_box(&mut grown).extend([1, 2, 3]));
        assert!(allocations >= 1);
    }

    #[test]
    fn other_threads_do_not_count() {
        let other = std::thread::spawn(|| count(|| ()).1);
        assert_eq!(other.join().unwrap(), 0);
    }
}
