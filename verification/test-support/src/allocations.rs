//! Counts the allocations of this thread, and the most bytes that were alive at once.
//!
//! A test that counts declares the allocator:
//!
//! ```
//! use test_support::allocations::{self, Counting};
//!
//! #[global_allocator]
//! static COUNTING: Counting = Counting;
//!
//! let before = allocations::count();
//! let boxed = Box::new(1.0);
//! assert_eq!(allocations::count(), before + 1);
//! # drop(boxed);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static ALIVE: Cell<isize> = const { Cell::new(0) };
    static MOST_ALIVE: Cell<isize> = const { Cell::new(0) };
}

/// The most bytes of this thread that were alive at once so far.
pub fn most_alive() -> isize {
    MOST_ALIVE.get()
}

/// A thread that is about to end has no counters any more.
fn grow(bytes: isize) {
    let _ = ALIVE.try_with(|alive| {
        alive.set(alive.get() + bytes);
        let _ = MOST_ALIVE.try_with(|most| most.set(most.get().max(alive.get())));
    });
}

/// Allocations that this thread has made so far.
pub fn count() -> usize {
    COUNT.get()
}

/// The allocator that counts.
pub struct Counting;

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size() as isize);
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is the one that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        grow(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}
