// Only parts and functions of `impl Model` are sampled.
use fmu_runtime::prelude::*;

/// Counts.
#[model]
struct Counter {
    /// Count
    #[discrete(start = 0)]
    count: i32,
    /// Sample time
    #[parameter(start = 0.1)]
    #[sampled(period = 0.1)] //~
    ts: f64,
}

/// Counts by itself.
#[model]
struct Other {
    /// Count
    #[discrete(start = 0)]
    count: i32,
}

#[equations]
impl Model for Other {}

#[equations]
impl Other {
    #[sampled(period = 0.1)] //~
    fn tick(&mut self) {
        self.count += 1;
    }
}

fn main() {}
