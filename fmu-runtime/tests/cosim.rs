//! Communication steps without any C: events, curves, failures, memory.

#[path = "common/allocations.rs"]
mod allocations;
mod common;

use common::Random;
use common::models::{Ball, Chatter, Ending, GRAVITY, Oscillator, RESTITUTION, Steps};
use common::woodpecker::Woodpecker;
use fmu_runtime::cosim::{
    Cause, CoSimulation, Facts, Failure, Happening, Options, Reached, Reason, Solver, Workspace,
};
use fmu_runtime::evaluator::{Evaluator, Stale};
use fmu_runtime::model::Model;

/// A model in co-simulation. A clone is a snapshot.
struct Slave<M: Model> {
    evaluator: Evaluator<M>,
    cosimulation: CoSimulation,
    workspace: Workspace<M>,
}

impl<M: Model> Slave<M> {
    fn new(options: Options) -> Slave<M> {
        Slave::with(&Facts::of::<M>().unwrap(), options)
    }

    fn with(facts: &Facts, options: Options) -> Slave<M> {
        let mut slave = Slave {
            evaluator: Evaluator::new(Box::default()),
            cosimulation: CoSimulation::new(facts, options),
            workspace: Workspace::default(),
        };
        slave.evaluator.enter_initialization(0.0);
        slave.evaluator.exit_initialization().unwrap();
        let initialized = slave
            .cosimulation
            .initialize(&mut slave.evaluator, &mut slave.workspace);
        assert_eq!(initialized.unwrap(), Reached::End);
        slave
    }

    fn try_advance(&mut self, end: f64, on_event: impl FnMut(&Happening)) -> Result<Reached, Failure> {
        self.cosimulation
            .advance(&mut self.evaluator, &mut self.workspace, end, on_event)
    }

    fn advance(&mut self, end: f64) {
        assert_eq!(self.try_advance(end, |_| {}).unwrap(), Reached::End);
        assert_eq!(self.evaluator.time(), end);
    }

    fn model(&self) -> &M {
        self.evaluator.model()
    }

    fn set(&mut self, slot: usize, value: f64) {
        self.evaluator.set_real(slot, value, Stale::BY_VARIABLE);
        self.cosimulation.inputs_changed();
    }

    fn snapshot(&self) -> (Evaluator<M>, CoSimulation) {
        (self.evaluator.clone(), self.cosimulation.clone())
    }

    fn restore(&mut self, snapshot: &(Evaluator<M>, CoSimulation)) {
        (self.evaluator, self.cosimulation) = snapshot.clone();
    }

    fn states(&self) -> Vec<u64> {
        let mut x = vec![0.0; M::COUNTS.states];
        self.evaluator.states(&mut x);
        x.into_iter().map(f64::to_bits).collect()
    }
}

fn solvers() -> Vec<Options> {
    let fixed = |solver: Solver| Options {
        max_step: 1e-3,
        ..Options::with(solver)
    };
    vec![
        fixed(Solver::Euler),
        fixed(Solver::RungeKutta4),
        Options::with(Solver::DormandPrince),
        #[cfg(feature = "bdf")]
        Options::with(Solver::Bdf),
    ]
}

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
            Solver::Bdf => Options {
                tolerance: 1e-9,
                ..options
            },
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
fn inputs_are_curves_inside_a_step() {
    // u = u0 + a t + b t^2 / 2 + c t^3 / 6 gives the velocity of a body its integral.
    use fmu_runtime::prelude::*;
    /// A body
    #[model]
    struct Body {
        /// Velocity
        #[state(start = 0.0)]
        v: f64,
        /// Acceleration
        #[input(start = 1.0)]
        u: f64,
    }
    #[equations]
    impl Model for Body {
        fn derivatives(&self, _t: f64) -> Derivatives<Self> {
            Derivatives::<Self> { v: self.u }
        }
    }
    for options in solvers().into_iter().skip(1) {
        let mut slave = Slave::<Body>::new(options);
        slave.advance(1.0);
        assert!((slave.model().v - 1.0).abs() < 1e-6);
        for (order, value) in [(1, 2.0), (2, 3.0), (3, 6.0)] {
            assert!(slave.cosimulation.set_input_derivative(1, order, value));
        }
        slave.advance(2.0);
        let v = 1.0 + (1.0 + 2.0 / 2.0 + 3.0 / 6.0 + 6.0 / 24.0);
        assert!(
            (slave.model().v - v).abs() < 1e-5,
            "{options:?} {}",
            slave.model().v
        );
        let u = 1.0 + 2.0 + 3.0 / 2.0 + 1.0;
        assert!((slave.model().u - u).abs() < 1e-12, "where the curve has ended");
        // Derivatives hold for one step.
        slave.advance(3.0);
        assert!((slave.model().v - v - u).abs() < 1e-5, "{options:?}");
        assert!(!slave.cosimulation.set_input_derivative(1, 4, 0.0), "order");
        assert!(!slave.cosimulation.set_input_derivative(0, 1, 0.0), "a state");
    }
}

#[test]
fn time_events_are_hit_exactly() {
    for options in solvers() {
        let mut slave = Slave::<Oscillator>::new(options);
        let mut times = Vec::new();
        // 0.1 and its multiples are no binary numbers; 0.25 and its multiples are.
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
    use fmu_runtime::prelude::*;
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
fn going_back_at_random_changes_no_bit() {
    for options in solvers() {
        let mut straight = Slave::<Oscillator>::new(options);
        let mut wandering = Slave::<Oscillator>::new(options);
        let mut random = Random(11);
        // What the master sets at each point is the same in both runs.
        let drive = |slave: &mut Slave<Oscillator>, i: usize| {
            if !i.is_multiple_of(3) {
                slave.set(2, (i as f64 * 0.7).sin());
            }
            if i % 5 < 2 {
                slave.cosimulation.set_input_derivative(2, 1, (i as f64).cos());
                slave.cosimulation.set_input_derivative(2, 2, 0.3);
            }
            slave.advance((i + 1) as f64 * 0.1);
        };
        let end = 200;
        let mut snapshots = vec![wandering.snapshot()];
        let mut i = 0;
        let mut returns = 0;
        while i < end {
            drive(&mut wandering, i);
            i += 1;
            snapshots.truncate(i);
            snapshots.push(wandering.snapshot());
            if random.below(10) < 4 && returns < 3000 {
                returns += 1;
                i -= random.below(i.min(5) + 1);
                wandering.restore(&snapshots[i]);
                if random.below(4) == 0 {
                    let mut bytes = Vec::new();
                    wandering.cosimulation.write_to(&mut bytes);
                    let blank = CoSimulation::new(&Facts::of::<Oscillator>().unwrap(), options);
                    wandering.cosimulation = blank.read_from(&bytes).unwrap();
                }
            }
        }
        for i in 0..end {
            drive(&mut straight, i);
        }
        assert_eq!(straight.states(), wandering.states(), "{options:?}");
        assert_eq!(
            straight.cosimulation.statistics(),
            wandering.cosimulation.statistics()
        );
        assert_eq!(straight.model().samples, wandering.model().samples);
        assert_eq!(returns, 3000);
    }
}

#[test]
fn damaged_or_foreign_bytes_are_an_error() {
    for options in solvers() {
        let mut slave = Slave::<Oscillator>::new(options);
        slave.advance(1.0);
        let mut bytes = Vec::new();
        slave.cosimulation.write_to(&mut bytes);
        assert!(slave.cosimulation.read_from(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert!(slave.cosimulation.read_from(&bytes[..length]).is_err());
        }
        for i in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[i] ^= 0x10;
            assert!(slave.cosimulation.read_from(&damaged).is_err());
        }
        bytes.push(0);
        assert!(slave.cosimulation.read_from(&bytes).is_err());
        bytes.pop();
        let foreign = Slave::<Ball>::new(options);
        assert!(foreign.cosimulation.read_from(&bytes).is_err());
        for other in solvers()
            .into_iter()
            .filter(|other| other.solver != options.solver)
        {
            let other = Slave::<Oscillator>::new(other);
            assert!(other.cosimulation.read_from(&bytes).is_err());
        }
    }
}

#[test]
fn output_derivatives_are_exact() {
    let mut slave = Slave::<Oscillator>::new(Options::default());
    slave.set(2, 0.5);
    slave.cosimulation.set_input_derivative(2, 1, 0.7);
    slave.cosimulation.set_input_derivative(2, 2, -0.4);
    slave.cosimulation.set_input_derivative(2, 3, 0.2);
    slave.advance(0.13);
    let series = slave
        .workspace
        .series(&slave.evaluator, &slave.cosimulation)
        .unwrap();
    let (power, position) = (4, 0);
    let found: Vec<f64> = (1..=3).map(|k| series.derivative(power, k)).collect();
    let of_position: Vec<f64> = (1..=3).map(|k| series.derivative(position, k)).collect();
    // der(v) is the second Real behind the five of the model, time the last.
    let of_acceleration = series.derivative(6, 1);
    assert_eq!((series.derivative(7, 1), series.derivative(7, 2)), (1.0, 0.0));

    // By hand: x'' = u - 4 sin x - 0.1 v - 0.5 s + 0.1 cos 2t and its derivatives, with u as a cubic.
    let t = 0.13f64;
    let m = slave.model();
    let u = [
        0.5 + 0.7 * t - 0.4 * t * t / 2.0 + 0.2 * t.powi(3) / 6.0,
        0.7 - 0.4 * t + 0.2 * t * t / 2.0,
        -0.4 + 0.2 * t,
        0.2,
    ];
    let (x, v) = (m.x, m.v);
    let a = u[0] - 4.0 * x.sin() - 0.1 * v - 0.5 * m.sample + 0.1 * (2.0 * t).cos();
    let j = u[1] - 4.0 * x.cos() * v - 0.1 * a - 0.2 * (2.0 * t).sin();
    let s = u[2] + 4.0 * x.sin() * v * v - 4.0 * x.cos() * a - 0.1 * j - 0.4 * (2.0 * t).cos();
    let power = [
        u[1] * v + u[0] * a,
        u[2] * v + 2.0 * u[1] * a + u[0] * j,
        u[3] * v + 3.0 * u[2] * a + 3.0 * u[1] * j + u[0] * s,
    ];
    for (found, exact) in found.iter().zip(power).chain(of_position.iter().zip([v, a, j])) {
        assert!(
            (found - exact).abs() < 1e-12 * (1.0 + exact.abs()),
            "{found} instead of {exact}"
        );
    }
    assert!((of_acceleration - j).abs() < 1e-12 * j.abs());

    // New inputs at the same point are seen at once, and a value alone means a constant.
    slave.set(2, 2.0);
    let series = slave
        .workspace
        .series(&slave.evaluator, &slave.cosimulation)
        .unwrap();
    let a = a - u[0] + 2.0;
    assert!((series.derivative(4, 1) - 2.0 * a).abs() < 1e-12 * a.abs());
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
