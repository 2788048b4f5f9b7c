//! Events inside communication steps.

use super::common::models::{Ball, Chatter, Ending, GRAVITY, Gap, Oscillator, RESTITUTION, Steps};
use super::{Slave, solvers};
use fmu_runtime::cosim::{Cause, Happening, Options, Reached, Reason};
use fmu_runtime::prelude::*;
use impacts::Woodpecker;

/// Times of the first `n` bounces of a ball that falls from 1.
fn bounces(n: usize) -> Vec<f64> {
    let fall = (2.0 / GRAVITY).sqrt();
    let mut flight = 2.0 * fall;
    let mut times = vec![fall];
    while times.len() < n {
        flight *= RESTITUTION;
        times.push(times[times.len() - 1] + flight);
    }
    times
}

#[test]
fn a_ball_bounces_on_time_and_comes_to_rest() {
    for options in solvers().into_iter().skip(1) {
        // Each bounce is a restart, of which the multistep method makes an error of its tolerance.
        #[cfg(feature = "bdf")]
        let options = match options.solver {
            fmu_runtime::cosim::Solver::Bdf => options.with_tolerance(1e-9),
            _ => options,
        };
        for (step, steps) in [(0.1, 40), (0.01, 400), (0.001, 4000)] {
            let mut slave = Slave::<Ball>::new(options);
            let mut times = Vec::new();
            for i in 1..=steps {
                let on_event = |event: &Happening| {
                    assert_eq!((event.cause, event.iteration), (Cause::State, 0));
                    times.push(event.time);
                };
                assert_eq!(
                    slave.try_advance(f64::from(i) * step, on_event).unwrap(),
                    Reached::End
                );
            }
            for (found, exact) in times.iter().zip(bounces(15)) {
                assert!(
                    (found - exact).abs() < 1e-6,
                    "{options:?} {step}: {found} instead of {exact}"
                );
            }
            assert!(slave.model().resting);
            assert_eq!(slave.states(), [0, 0], "at rest on the ground");
            // The velocity falls below 1e-3 at the 24th bounce, and nothing happens after it.
            assert_eq!(times.len(), 24, "{options:?} {step}");
            assert_eq!(slave.cosimulation.events(), 24);
        }
    }
}

#[test]
fn a_woodpecker_hits_the_bar_eleven_times_in_the_first_second() {
    for options in solvers().into_iter().skip(2) {
        for step in [0.1, 0.01, 0.001] {
            let mut slave = Slave::<Woodpecker>::new(options);
            for (end, hits) in [(0.16, 2), (1.0, 11)] {
                while slave.evaluator.time() < end {
                    slave.advance(end.min(slave.evaluator.time() + step));
                }
                assert_eq!(slave.model().hits, hits, "{options:?} {step}");
            }
            assert!(slave.model().z < 0.0, "it slides down");
        }
    }
}

#[test]
fn time_events_are_hit_exactly() {
    for options in solvers() {
        let mut slave = Slave::<Oscillator>::new(options);
        let mut times = Vec::new();
        // 0.1 and its multiples are not exact as binary numbers; 0.25 and its multiples are.
        for i in 1..=35 {
            let on_event = |event: &Happening| {
                assert_eq!(event.cause, Cause::Time);
                times.push(event.time);
            };
            slave.try_advance(f64::from(i) * 0.1, on_event).unwrap();
        }
        let exact: Vec<f64> = (1..=14).map(|i| 0.25 * f64::from(i)).collect();
        assert_eq!(times.len(), 14, "{options:?}");
        for (found, exact) in times.iter().zip(exact) {
            assert!((found - exact).abs() <= 4.0 * f64::EPSILON, "{found} {exact}");
        }
        assert_eq!(
            slave.model().samples,
            14,
            "an event at the end of a step belongs to it"
        );
    }
}

#[test]
fn step_events_follow_internal_steps() {
    for options in solvers() {
        let mut slave = Slave::<Steps>::new(options);
        let mut causes = Vec::new();
        for i in 1..=50 {
            let on_event = |event: &Happening| causes.push(event.cause);
            slave.try_advance(f64::from(i) * 0.1, on_event).unwrap();
        }
        let model = slave.model();
        assert_eq!(model.steps as u64, slave.cosimulation.statistics().steps);
        assert_eq!(model.events, model.steps / 10);
        assert!(causes.iter().all(|cause| *cause == Cause::Step) && !causes.is_empty());
    }
}

#[test]
fn an_input_may_cause_an_event_at_the_beginning_of_a_step() {
    /// A switch
    #[model]
    struct Switch {
        /// Signal
        #[input(start = -1.0)]
        u: f64,
        /// Times it was thrown
        #[discrete(start = 0)]
        thrown: i32,
    }
    #[equations]
    impl Model for Switch {
        fn event_indicators(&self, _t: f64) -> [f64; 1] {
            [self.u]
        }
        fn event(&mut self, at: Event) {
            if !at.initial {
                self.thrown += 1;
            }
        }
    }
    let mut slave = Slave::<Switch>::new(Options::default());
    let mut events = Vec::new();
    slave.advance(1.0);
    slave.set(0, 1.0);
    slave
        .try_advance(2.0, |event| events.push((event.time, event.cause)))
        .unwrap();
    slave.advance(3.0);
    // A curve that falls through 0 in the middle of a step of a model without states.
    slave.set(0, 1.0);
    slave.cosimulation.set_input_derivative(0, 1, -2.0);
    slave
        .try_advance(4.0, |event| events.push((event.time, event.cause)))
        .unwrap();
    slave.cosimulation.request_event();
    slave
        .try_advance(5.0, |event| events.push((event.time, event.cause)))
        .unwrap();
    let [first, second, third] = events[..] else {
        panic!("{events:?}")
    };
    assert_eq!((first, third), ((1.0, Cause::Input), (4.0, Cause::Input)));
    assert!((second.0 - 3.5).abs() < 1e-14 && second.1 == Cause::State);
    assert_eq!(slave.model().thrown, 3);
}

#[test]
fn chattering_is_reported_and_no_hang() {
    for options in solvers() {
        let mut slave = Slave::<Chatter>::new(options);
        slave.advance(0.9);
        let failure = slave.try_advance(2.0, |_| {}).unwrap_err();
        assert!(
            matches!(failure.reason, Reason::Chattering),
            "{options:?} {failure}"
        );
        assert!(failure.to_string().contains("hysteresis") && failure.is_recoverable());
        assert!((failure.time - 1.0).abs() < 1e-6, "{options:?} {}", failure.time);
        assert_eq!(slave.evaluator.time(), failure.time);
        assert!(slave.model().x.abs() < 1e-6);
    }
}

#[test]
fn a_model_may_end_the_simulation_inside_a_step() {
    for options in solvers().into_iter().skip(1) {
        let mut slave = Slave::<Ending>::new(options);
        slave.advance(0.5);
        assert_eq!(slave.try_advance(1.0, |_| {}).unwrap(), Reached::Termination);
        assert!((slave.evaluator.time() - 2f64.ln()).abs() < 1e-5, "{options:?}");
        assert!((slave.model().x - 0.5).abs() < 1e-9);
        let time = slave.evaluator.time();
        assert_eq!(slave.try_advance(1.5, |_| {}).unwrap(), Reached::Termination);
        assert_eq!(slave.evaluator.time(), time, "it is over");
    }
}

#[test]
fn a_step_that_ends_on_an_event_has_it_and_the_next_one_not_again() {
    /// Counts where a clock passes whole numbers
    #[model]
    struct Clock {
        /// Time, integrated
        #[state(start = 0.0)]
        x: f64,
        /// Passed
        #[discrete(start = 0)]
        passed: i32,
    }
    #[equations]
    impl Model for Clock {
        fn derivatives(&self, _t: f64) -> Derivatives<Self> {
            Derivatives::<Self> { x: 1.0 }
        }
        fn event_indicators(&self, _t: f64) -> [f64; 1] {
            [f64::from(self.passed + 1) - self.x]
        }
        fn event(&mut self, at: Event) {
            if !at.initial {
                self.passed += 1;
            }
        }
    }
    for options in solvers() {
        let mut slave = Slave::<Clock>::new(options);
        for i in 1..=12 {
            let mut times = Vec::new();
            slave
                .try_advance(f64::from(i) * 0.5, |event| times.push(event.time))
                .unwrap();
            // 1 is met by every second step at its very end, or a rounding later.
            assert!(times.len() <= 1, "{options:?} {times:?}");
        }
        assert!((slave.model().passed - 6).abs() <= 1);
        slave.advance(6.25);
        assert_eq!(slave.model().passed, 6, "{options:?}");
        // Several in one step.
        slave.advance(9.75);
        assert_eq!((slave.model().passed, slave.cosimulation.events()), (9, 9));
    }
}

/// An indicator that is NaN has no sign: the sign before it counts when it is a number again. So it is in a native
/// simulation.
#[test]
fn an_indicator_without_a_number_hides_no_event() {
    for options in solvers() {
        for step in [1.0, 0.25, 0.01] {
            let mut slave = Slave::<Gap>::new(options);
            while slave.evaluator.time() < 1.0 {
                slave.advance((slave.evaluator.time() + step).min(1.0));
            }
            let Gap { events, seen, .. } = slave.model();
            assert!(
                *events == 1 && (seen - 0.4).abs() < 1e-12,
                "{options:?} {step}: {events} {seen}"
            );
        }
    }
    for step in [1.0, 0.25, 0.01] {
        let mut native = fmu_runtime::native::Native::new(Gap::default());
        native.initialize(0.0).unwrap();
        native.simulate(1.0, step).unwrap();
        assert_eq!(native.events, 1, "{step}");
        assert!((native.seen - 0.4).abs() < 1e-12, "{}", native.seen);
    }
}
