//! What a coupled simulation has done, in numbers a person understands.

use std::time::Duration;

/// What was done so far, whether components step or are aggregated.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Statistics {
    /// Steps that count: of communication, or of the solver over all components.
    pub steps: u64,
    /// Steps that were thrown away because their error was too large.
    pub rejected: u64,
    /// Steps that were accepted at the minimum size although their error was too large, because it does not fall with the step: a
    /// value jumps, or only roundings are left.
    pub at_minimum: u64,
    /// Steps of error control in which a coupled value jumped.
    pub jumps: u64,
    /// The largest sum of the absolute values of the estimated errors of all steps, over all variables that error control measures, as a
    /// multiple of what is tolerated; none without error control. The equations may amplify or damp what steps leave, and that
    /// is not in it.
    pub accumulated_error: Option<f64>,
    /// Steps that a component ended early.
    pub discarded: u64,
    /// Times that the run started again with new instances.
    pub restarts: u64,
    /// Iterations over whole steps.
    pub iterations: u64,
    /// Steps whose iterations did not converge, and that count because the user insists.
    pub unconverged: u64,
    /// Times that the coupling was found to be unstable, and went on because the user insists.
    pub unstable: u64,
    /// Of each algebraic loop.
    pub loops: Vec<LoopStatistics>,
    /// Smallest and largest step that counts.
    pub smallest_step: f64,
    /// Largest step that counts.
    pub largest_step: f64,
    /// Time of the run, in components and in the master.
    pub time: Duration,
    /// Of each component; where they are aggregated, coupling equations as well.
    pub components: Vec<ComponentStatistics>,
    /// How often each external event has happened.
    pub external_events: Vec<usize>,
    /// The solver over all components, with its events and evaluations; all zero where components step.
    #[cfg(feature = "aggregate")]
    pub summary: fmu_importer::simulate::Summary,
}

/// What solving an algebraic loop has taken.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LoopStatistics {
    /// Its variables, from output to input to output.
    pub variables: Vec<String>,
    /// How often it was solved.
    pub solved: u64,
    /// Iterations of Newton's method.
    pub iterations: u64,
}

/// What a component has done.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ComponentStatistics {
    /// Its name.
    pub name: String,
    /// Calls of `doStep`.
    pub steps: u64,
    /// Times that outputs were asked for, loops included.
    pub output_evaluations: u64,
    /// Evaluations of its derivatives by the solver over all components.
    pub derivative_evaluations: u64,
    /// Evaluations that its partial derivatives have taken.
    pub partial_evaluations: u64,
    /// Events under the solver over all components that it took part in.
    pub events: u64,
    /// Calls that returned `fmi2Warning`.
    pub warned: u64,
    /// The first of these calls, with what the component logged.
    pub first_warning: Option<String>,
    /// Time spent in it, where it was measured.
    pub time: Duration,
}

impl Statistics {
    /// Iterations of all algebraic loops.
    pub fn loop_iterations(&self) -> u64 {
        self.loops.iter().map(|one| one.iterations).sum()
    }

    /// Time spent in components, where they do not step at once.
    pub fn time_in_components(&self) -> Duration {
        self.components.iter().map(|component| component.time).sum()
    }

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
