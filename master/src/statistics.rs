//! What a coupled simulation has done, in numbers a person understands.

use std::time::Duration;

/// What was done so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Communication steps that count.
    pub steps: u64,
    /// Steps that were thrown away because their error was too large.
    pub rejected: u64,
    /// Steps that a component ended early.
    pub discarded: u64,
    /// Iterations over whole steps.
    pub iterations: u64,
    /// Iterations of algebraic loops.
    pub loop_iterations: u64,
    /// Smallest and largest step that counts.
    pub smallest_step: f64,
    /// Largest step that counts.
    pub largest_step: f64,
    /// Of each component.
    pub components: Vec<ComponentStatistics>,
}

/// What a component has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComponentStatistics {
    /// Its name.
    pub name: String,
    /// Calls of `doStep`.
    pub steps: u64,
    /// Times that outputs were asked for.
    pub evaluations: u64,
    /// Time spent in it, where it was measured.
    pub time: Duration,
}

impl Statistics {
    pub(crate) fn new(names: &[String]) -> Statistics {
        let of = |name: &String| ComponentStatistics {
            name: name.clone(),
            ..ComponentStatistics::default()
        };
        Statistics {
            smallest_step: f64::INFINITY,
            components: names.iter().map(of).collect(),
            ..Statistics::default()
        }
    }

    pub(crate) fn step(&mut self, h: f64) {
        self.steps += 1;
        self.smallest_step = self.smallest_step.min(h);
        self.largest_step = self.largest_step.max(h);
    }
}
