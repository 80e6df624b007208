//! Counts heap allocations of one thread on demand, so that "no allocation per query" is a measured figure, and adds up
//! what it holds, so that "memory in proportion to the file" is one.
//!
//! The counter wraps the system allocator for the whole program. Outside [`count`] and [`peak`] it costs one read of a
//! thread-local flag per call.

#![allow(unsafe_code)] // `GlobalAlloc` is an unsafe trait; nothing else here is unsafe.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // `const` and without a destructor: reading them never allocates, not even the first time on a thread.
    static ENABLED: Cell<bool> = const { Cell::new(false) };
    static COUNTED: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The system allocator with a counter in front.
struct CountingAllocator;

/// Notes `requests` for memory, after which `change` more bytes are held, if this thread is counting.
fn note(requests: u64, change: i64) {
    // `try_with` fails only while a thread is torn down; nothing is counted then.
    let _ = ENABLED.try_with(|enabled| {
        if enabled.get() {
            let _ = COUNTED.try_with(|counted| counted.set(counted.get() + requests));
            let held = HELD.try_with(|held| {
                held.set(held.get() + change);
                held.get()
            });
            let _ = MOST.try_with(|most| most.set(most.get().max(held.unwrap_or(0))));
        }
    });
}

// SAFETY: every method forwards its arguments unchanged to `System`, which fulfils the contract of `GlobalAlloc`;
// `note` neither allocates nor unwinds.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(1, new_size as i64 - layout.size() as i64);
        // SAFETY: `pointer` came from `System` through this allocator; the rest is the caller's promise.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, -(layout.size() as i64));
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

/// Runs `work` and returns its result with the most bytes that this thread held at once meanwhile, on top of what it
/// held before. Memory that moves as it grows counts once. Calls must not be nested.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, u64) {
    HELD.set(0);
    MOST.set(0);
    let (result, _) = count(work);
    (result, MOST.get().max(0) as u64)
}

#[cfg(test)]
mod tests {
    use super::{count, peak};
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
    fn the_peak_is_what_was_held_at_once() {
        let (kept, most) = peak(|| {
            for _ in 0..3 {
                drop(black_box(vec![0_u8; 1000]));
            }
            let mut grown: Vec<u8> = Vec::with_capacity(100);
            black_box(&mut grown).reserve_exact(400);
            grown
        });
        assert_eq!((kept.capacity(), most), (400, 1000));
        assert_eq!(peak(|| drop(kept)).1, 0);
    }

    #[test]
    fn other_threads_do_not_count() {
        let other = std::thread::spawn(|| count(|| ()).1);
        assert_eq!(other.join().unwrap(), 0);
    }
}
