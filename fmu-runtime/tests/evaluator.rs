//! What is evaluated when, and how events go.

use fmu_runtime::evaluator::{Evaluator, Stale};
use fmu_runtime::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use test_support::allocations::{self, Counting};

#[global_allocator]
static COUNTING: Counting = Counting;

/// A tank whose functions count their calls
#[model]
struct Tank {
    /// Level
    #[state(initial = "calculated")]
    level: f64,
    /// Inflow
    #[input(start = 1.0)]
    inflow: f64,
    /// Area
    #[parameter(start = 2.0, tunable)]
    area: f64,
    /// One over the area
    #[parameter(calculated)]
    per_area: f64,
    /// Rate of the level
    #[local]
    rate: f64,
    /// Twice the rate
    #[output]
    twice: f64,
    /// What the event function does: 1 iterate for ever, 2 set the level to where it is, 3 raise it
    #[discrete(start = 0)]
    order: i32,
    /// Announced at the next settled event
    #[discrete(start = 1e9)]
    next: f64,
    #[internal]
    calls: Calls,
    #[internal]
    seen: Vec<Event>,
}

#[derive(Clone, Debug, Default)]
struct Calls(Arc<[AtomicUsize; 6]>);

impl Calls {
    fn add(&self, function: usize) {
        self.0[function].fetch_add(1, Ordering::Relaxed);
    }

    /// Calls since the last time, of: calculated, initial, locals, derivatives, outputs, event_indicators.
    fn take(&self) -> [usize; 6] {
        std::array::from_fn(|function| self.0[function].swap(0, Ordering::Relaxed))
    }
}

#[equations]
impl Model for Tank {
    fn calculated(&self) -> Calculated<Self> {
        self.calls.add(0);
        Calculated::<Self> {
            per_area: 1.0 / self.area,
        }
    }

    fn initial(&self, _t: f64) -> Initial<Self> {
        self.calls.add(1);
        Initial::<Self> {
            level: 10.0 * self.per_area,
        }
    }

    fn locals(&self, _t: f64) -> Locals<Self> {
        self.calls.add(2);
        Locals::<Self> {
            rate: self.inflow * self.per_area,
        }
    }

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        self.calls.add(3);
        Derivatives::<Self> { level: self.rate }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        self.calls.add(4);
        Outputs::<Self> {
            twice: 2.0 * self.rate,
        }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        self.calls.add(5);
        [self.level - 6.0]
    }

    fn event(&mut self, at: Event) -> Next {
        self.seen.push(at);
        match self.order {
            1 => return Next::Iterate,
            2 => self.level += 0.0,
            3 => self.level += 1.0,
            _ => {}
        }
        Next::Continue
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(self.next)
    }
}

// Slots of the Real variables.
const LEVEL: usize = 0;
const INFLOW: usize = 1;
const AREA: usize = 2;
const TWICE: usize = 5;

/// A tank in continuous time, and nothing counted yet.
fn running() -> Evaluator<Tank> {
    let mut tank = Evaluator::new(Box::new(Tank::default()));
    tank.enter_initialization(0.0);
    tank.exit_initialization().unwrap();
    tank.event_pass().unwrap();
    tank.enter_continuous_time().unwrap();
    tank.ensure(Stale::ALL).unwrap();
    tank.model().calls.take();
    tank
}

fn derivative(tank: &mut Evaluator<Tank>) -> f64 {
    let mut dx = [f64::NAN];
    tank.derivatives(&mut dx).unwrap();
    dx[0]
}

#[test]
fn only_what_became_stale_is_evaluated_and_only_when_asked() {
    let mut tank = running();
    let calls = tank.model().calls.clone();
    tank.set_real(INFLOW, 4.0, Stale::BY_VARIABLE);
    assert_eq!(calls.take(), [0; 6], "nothing was asked for");
    tank.ensure(Stale::FOR_OUTPUTS).unwrap();
    assert_eq!(tank.real(TWICE), 4.0);
    assert_eq!(
        calls.take(),
        [0, 0, 1, 0, 1, 0],
        "locals and outputs, no derivatives"
    );
    assert_eq!(derivative(&mut tank), 2.0);
    assert_eq!(calls.take(), [0, 0, 0, 1, 0, 0], "the locals are known");
    derivative(&mut tank);
    tank.ensure(Stale::FOR_OUTPUTS).unwrap();
    assert_eq!(calls.take(), [0; 6], "everything is known");

    tank.set_real(AREA, 4.0, Stale::BY_PARAMETER);
    assert_eq!(derivative(&mut tank), 1.0);
    assert_eq!(
        calls.take(),
        [1, 0, 1, 1, 0, 0],
        "no initial equation holds any more"
    );
    assert_eq!(tank.real(LEVEL), 5.0);
}

#[test]
fn setting_what_is_there_already_makes_nothing_stale() {
    let mut tank = running();
    tank.set_time(0.0);
    tank.set_states(&[5.0]);
    tank.set_real(INFLOW, 1.0, Stale::BY_VARIABLE);
    tank.set_real(AREA, 2.0, Stale::BY_PARAMETER);
    assert!(tank.set_integer(0, 0, Stale::BY_VARIABLE));
    tank.ensure(Stale::ALL).unwrap();
    assert_eq!(tank.model().calls.take(), [0; 6]);

    tank.set_states(&[5.5]);
    tank.set_time(0.1);
    tank.ensure(Stale::ALL).unwrap();
    assert_eq!(tank.model().calls.take(), [0, 0, 1, 1, 1, 1]);
    // Zeros of different sign are different numbers: 1 / 0.0 is not 1 / -0.0.
    tank.set_states(&[0.0]);
    tank.ensure(Stale::ALL).unwrap();
    tank.set_states(&[-0.0]);
    derivative(&mut tank);
    assert_eq!(tank.model().calls.take(), [0, 0, 2, 2, 1, 1]);
}

#[test]
fn nothing_allocates_while_time_passes() {
    let mut tank = running();
    let mut z = [0.0];
    tank.model_mut().seen.reserve(64);
    let before = allocations::count();
    for i in 1..=20 {
        tank.set_time(f64::from(i));
        tank.set_states(&[5.0 + f64::from(i)]);
        tank.set_real(INFLOW, f64::from(i), Stale::BY_VARIABLE);
        derivative(&mut tank);
        tank.event_indicators(&mut z).unwrap();
        tank.ensure(Stale::FOR_OUTPUTS).unwrap();
        tank.completed_step().unwrap();
        tank.begin_event();
        tank.event_pass().unwrap();
        tank.enter_continuous_time().unwrap();
    }
    assert_eq!(allocations::count() - before, 0);
}

#[test]
fn initial_equations_follow_what_is_set_until_initialization_ends() {
    let mut tank = Evaluator::new(Box::new(Tank::default()));
    tank.enter_initialization(1.0);
    tank.ensure(Stale::FOR_INITIAL).unwrap();
    assert_eq!(tank.real(LEVEL), 5.0);
    tank.set_real(AREA, 5.0, Stale::BY_PARAMETER);
    tank.ensure(Stale::FOR_INITIAL).unwrap();
    assert_eq!(tank.real(LEVEL), 2.0);
    tank.exit_initialization().unwrap();
    tank.set_real(AREA, 10.0, Stale::BY_PARAMETER);
    tank.ensure(Stale::ALL).unwrap();
    assert_eq!((tank.real(LEVEL), tank.time()), (2.0, 1.0));
}

#[test]
fn an_event_function_receives_the_events_that_happened() {
    let mut tank = Evaluator::new(Box::new(Tank {
        next: 0.3,
        ..Tank::default()
    }));
    tank.enter_initialization(0.0);
    tank.exit_initialization().unwrap();
    assert_eq!(tank.event_pass().unwrap().next_event_time, Some(0.3));
    // Another one at the same time, as when other models still iterate: the initial event is settled.
    tank.event_pass().unwrap();
    // Before its time, and at its time, up to rounding.
    tank.model_mut().next = 0.3;
    for time in [0.2, 0.1 + 0.2 - f64::EPSILON / 8.0] {
        tank.set_time(time);
        tank.begin_event();
        tank.model_mut().next = if time > 0.25 { 0.6 } else { 0.3 };
        tank.event_pass().unwrap();
        tank.event_pass().unwrap();
    }
    let seen: Vec<_> = tank.model().seen.iter().collect();
    let flags: Vec<_> = seen
        .iter()
        .map(|at| (at.initial, at.scheduled, at.step, at.iteration))
        .collect();
    assert_eq!(
        flags,
        [
            (true, false, false, 0),
            (false, false, false, 1),
            (false, false, false, 0),
            (false, false, false, 1),
            (false, true, false, 0),
            (false, false, false, 1),
        ]
    );
}

#[test]
fn changed_states_are_those_with_other_values() {
    let mut tank = running();
    for (order, changed) in [(0, false), (2, false), (3, true)] {
        tank.model_mut().order = order;
        tank.begin_event();
        assert_eq!(
            tank.event_pass().unwrap().states_changed,
            changed,
            "order {order}"
        );
    }
}

#[test]
fn endless_iteration_and_a_past_event_are_errors() {
    let mut tank = running();
    tank.model_mut().order = 1;
    tank.begin_event();
    let error = (0..10_000).find_map(|_| tank.event_pass().err()).unwrap();
    assert!(error.message().contains("does not settle"), "{error}");
    assert!(!error.is_recoverable());

    for next in [0.0, -1.0, f64::NAN] {
        let mut tank = running();
        tank.model_mut().next = next;
        tank.begin_event();
        let error = tank.event_pass().unwrap_err();
        assert!(error.message().contains("later than now"), "{error}");
    }
    let mut tank = running();
    tank.model_mut().next = f64::INFINITY;
    tank.begin_event();
    assert_eq!(tank.event_pass().unwrap().next_event_time, None);
}
