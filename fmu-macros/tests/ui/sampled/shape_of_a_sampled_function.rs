// A sampled function changes the model and gets the time or the event.
use fmu_runtime::prelude::*;

/// Counts.
#[model]
struct Counter {
    /// Count
    #[discrete(start = 0)]
    count: i32,
}

#[equations]
impl Model for Counter {
    #[sampled(period = 0.1)]
    fn tick(&self) {} //~

    #[sampled(period = 0.1)]
    fn tock(&mut self, n: i32) {} //~

    #[sampled(period = 0.1)]
    fn event(&mut self) {} //~
}

fn main() {}
