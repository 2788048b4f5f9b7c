//! What a communication step costs, and how it fails.

use super::common::models::{Ending, Oscillator};
use super::{Slave, allocations, solvers};
use fmu_runtime::cosim::{Options, Reached, Solver};
use fmu_runtime::evaluator::Stale;
use fmu_runtime::prelude::*;
use fmu_runtime::solver::Statistics;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts how often it is asked for its derivative
#[model]
struct Counting {
    /// Amount
    #[state(start = 1.0)]
    x: f64,
    /// Inflow
    #[input(start = 0.0)]
    u: f64,
    /// Inflow for each amount: with feed-through
    #[output]
    ratio: f64,
    #[internal]
    calls: Calls,
}

#[derive(Clone, Default)]
struct Calls(Arc<AtomicU64>);

impl Calls {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn take(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

#[equations]
impl Model for Counting {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        self.calls.add();
        Derivatives::<Self> { x: self.u - self.x }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            ratio: self.u / self.x,
        }
    }
}

#[test]
fn a_fixed_step_makes_a_guaranteed_number_of_evaluations() {
    for (solver, stages) in [(Solver::Euler, 1), (Solver::RungeKutta4, 4)] {
        for (max_step, steps) in [(f64::INFINITY, 1), (0.1, 1), (0.05, 2), (0.03, 4)] {
            let mut slave = Slave::<Counting>::new(Options::with(solver).with_max_step(max_step));
            for i in 1..=50 {
                // New values, and new curves, at each point.
                slave.set(1, f64::from(i));
                if i % 2 == 0 {
                    slave.cosimulation.set_input_derivative(1, 1, 1.0);
                }
                slave.model().calls.take();
                slave.advance(f64::from(i) * 0.1);
                assert_eq!(
                    slave.model().calls.take(),
                    steps * stages,
                    "{solver:?} {max_step}"
                );
            }
            let statistics = slave.cosimulation.statistics();
            assert_eq!(
                (statistics.steps, statistics.evaluations),
                (50 * steps, 50 * steps * stages)
            );
        }
    }
}

#[test]
fn new_inputs_are_seen_in_the_outputs_without_a_step() {
    for options in solvers() {
        let mut slave = Slave::<Counting>::new(options);
        slave.advance(0.5);
        let x = slave.model().x;
        for u in [1.0, -3.0, 7.0] {
            slave.set(1, u);
            slave.evaluator.ensure(Stale::FOR_OUTPUTS).unwrap();
            assert_eq!(slave.model().ratio, u / x);
            let mut dx = [0.0];
            slave.evaluator.derivatives(&mut dx).unwrap();
            assert_eq!(dx, [u - x]);
        }
        // A master that tried other inputs before it chose leaves no trace.
        let mut straight = Slave::<Counting>::new(options);
        straight.advance(0.5);
        straight.set(1, 7.0);
        straight.advance(1.0);
        slave.advance(1.0);
        assert_eq!(slave.states(), straight.states());
    }
}

#[test]
fn what_is_no_number_ends_a_step_and_never_hangs() {
    for options in solvers() {
        for u in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
            let mut slave = Slave::<Counting>::new(options);
            slave.advance(0.5);
            slave.set(1, u);
            match slave.try_advance(1.0, |_| {}) {
                // A fixed step takes what comes.
                Ok(reached) => assert_eq!(reached, Reached::End, "{options:?} {u}"),
                Err(failure) => {
                    assert!(failure.is_recoverable(), "{options:?} {u} {failure}");
                    assert_eq!(slave.evaluator.time(), failure.time);
                    assert!(slave.model().x.is_finite());
                    // With sensible inputs it goes on.
                    slave.set(1, 0.0);
                    slave.advance(2.0);
                }
            }
        }
    }
}

#[test]
fn an_error_that_no_other_step_avoids_is_none_to_be_tried_again() {
    /// Fails for good at some time
    #[model]
    struct Broken {
        /// Amount
        #[state(start = 1.0)]
        x: f64,
    }
    #[equations]
    impl Model for Broken {
        fn derivatives(&self, t: f64) -> Result<Derivatives<Self>, ModelError> {
            if t > 0.7 {
                return Err(ModelError::new("broken beyond repair"));
            }
            Ok(Derivatives::<Self> { x: -self.x })
        }
    }
    for options in solvers() {
        let mut slave = Slave::<Broken>::new(options);
        slave.advance(0.5);
        let failure = slave.try_advance(1.0, |_| {}).unwrap_err();
        assert!(!failure.is_recoverable() && failure.to_string().contains("broken beyond repair"));
        assert!(failure.time >= 0.5 && failure.time <= 0.7 + 2e-3);
    }
}

#[test]
fn a_failure_leaves_the_model_where_it_was_last_successful() {
    for options in solvers() {
        let mut slave = Slave::<Ending>::new(options);
        slave.set(1, 0.3);
        slave.advance(0.2);
        let failure = slave.try_advance(0.5, |_| {}).unwrap_err();
        assert!(failure.to_string().contains("beyond the limit") && failure.is_recoverable());
        assert!(
            failure.time >= 0.2 && failure.time <= 0.3 + 2e-3,
            "{options:?} {}",
            failure.time
        );
        assert_eq!(slave.evaluator.time(), failure.time);
        let exact = (-failure.time).exp();
        assert!((slave.model().x - exact).abs() < 1e-3, "{options:?}");
    }
}

#[test]
fn a_communication_step_allocates_nothing() {
    for options in solvers() {
        #[cfg(feature = "bdf")]
        if options.solver == Solver::Bdf {
            continue;
        }
        let mut slave = Slave::<Oscillator>::new(options);
        slave.advance(0.05);
        let before = allocations::count();
        for i in 1..=100 {
            slave.set(2, f64::from(i));
            slave.cosimulation.set_input_derivative(2, 1, 1.0);
            slave.advance(0.05 + f64::from(i) * 0.05);
        }
        assert_eq!(allocations::count(), before, "{options:?}");
        assert!(slave.model().samples > 10, "events included");
    }
}

#[test]
fn communication_points_do_not_disturb_a_model_without_jumps() {
    let steps = |points: u32| {
        let mut slave = Slave::<Oscillator>::new(Options::default());
        for i in 1..=points {
            slave.advance(10.0 * f64::from(i) / f64::from(points));
        }
        slave.cosimulation.statistics()
    };
    // 0.25 apart there are time events anyway; communication points among them cost nothing.
    assert_eq!(steps(1), steps(40));
}

#[test]
fn a_one_step_method_keeps_its_step_size_where_inputs_jump() {
    let run = |jump: f64| {
        let mut slave = Slave::<Counting>::new(Options::default());
        for i in 1..=40 {
            slave.set(1, 2.0 + jump * f64::from(i % 2));
            slave.advance(f64::from(i));
        }
        slave.cosimulation.statistics()
    };
    let (smooth, jumping) = (run(0.0), run(1e-4));
    // Six evaluations per step; a jump costs one more, to see where the solution goes from there.
    let other = |of: Statistics| of.evaluations - 6 * (of.steps + of.error_failures);
    assert_eq!(other(jumping), other(smooth) + 39);
    assert!(
        jumping.steps <= smooth.steps + 40 && jumping.error_failures <= 40,
        "{jumping:?} {smooth:?}"
    );
}
