//! An evaluation of an aggregate allocates nothing: twice the steps take the same number of allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use fmu_runtime::prelude::*;
use master::aggregate::{Assembly, Method, NativeModel, Settings};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: hands everything on to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps what the trait asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps what the trait asks for.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// x' = -x + u, y = x + u / 2
#[model]
pub struct Half {
    /// Input
    #[input(start = 0.0)]
    pub u: f64,
    /// State
    #[state(start = 1.0)]
    pub x: f64,
    /// Output
    #[output]
    pub y: f64,
}

#[equations]
impl Model for Half {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x + self.u }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.x + 0.5 * self.u,
        }
    }
}

/// Counts the allocations of a run with an algebraic loop and so many steps.
fn allocations(steps: usize) -> usize {
    let mut system = Assembly::new();
    system.add("first", NativeModel::new(Half::default()).unwrap());
    system.add("second", NativeModel::new(Half::default()).unwrap());
    system
        .connect("first.y", "second.u")
        .connect_with("second.y", "first.u", -1.0, 0.0);
    let settings = Settings {
        method: Method::Euler,
        output_step: 1.0 / steps as f64,
        ..Settings::default()
    };
    let mut system = system.build(settings).unwrap();
    let before = ALLOCATIONS.get();
    let statistics = system.run(|_| true).unwrap();
    assert!(statistics.summary.evaluations >= steps);
    assert!(statistics.loops[0].solved >= steps as u64);
    ALLOCATIONS.get() - before
}

#[test]
fn an_evaluation_allocates_nothing() {
    let (few, many) = (allocations(100), allocations(1000));
    assert_eq!(few, many);
}
