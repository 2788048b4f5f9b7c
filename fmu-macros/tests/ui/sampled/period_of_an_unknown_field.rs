// The period names a field that does not exist.
use fmu_runtime::prelude::*;

/// Counts.
#[model]
struct Counter {
    /// Count
    #[discrete(start = 0)]
    count: i32,
    /// Sample time
    #[parameter(start = 0.1)]
    ts: f64,
}

#[equations]
impl Model for Counter {
    #[sampled(period = "t2")] //~
    fn tick(&mut self) {
        self.count += 1;
    }

    #[sampled(period = "count")] //~
    fn tock(&mut self) {}

    #[sampled(rate = 10.0)] //~
    fn tack(&mut self) {}
}

fn main() {}
