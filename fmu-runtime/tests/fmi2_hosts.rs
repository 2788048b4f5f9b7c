//! What hosts do although the standard does not foresee it, and how an FMU bears it: values set at odd times, steps
//! beyond the stop time, calls out of order, floods of messages.

#[path = "common/c_interface.rs"]
mod c_interface;
#[path = "common/steps.rs"]
mod steps;

use c_interface::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi2::*;
use std::ffi::CStr;
use std::ffi::c_int;
use test_support::allocations::{self, Counting};

#[global_allocator]
static COUNTING: Counting = Counting;

/// A tank whose outflow is switched
#[model(stop_time = 2.0, log_categories("flood" = "What repeats itself"))]
struct Tank {
    /// Level
    #[state(start = 1.0, output)]
    level: f64,
    /// Rate of the outflow, changed at events only
    #[input(discrete, start = 0.5)]
    rate: f64,
    /// Inflow
    #[input(start = 0.0)]
    inflow: f64,
    /// Scales the outflow
    #[parameter(start = 1.0, tunable)]
    scale: f64,
    /// Capacity
    #[parameter(start = 3.0)]
    capacity: f64,
    /// Messages of each event
    #[input(start = 0)]
    messages: i32,
    /// Fails at the next evaluation
    #[input(start = false)]
    fails: bool,
    /// Name of the operator
    #[input(start = "Ada")]
    operator: String,
    /// The last operator that an event has seen
    #[discrete(start = "", output)]
    seen: String,
    /// Events so far
    #[discrete(start = 0, output)]
    events: i32,
    /// Outflow
    #[output]
    outflow: f64,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Result<Derivatives<Self>, ModelError> {
        if self.fails {
            return Err(ModelError::new("the tank leaks"));
        }
        Ok(Derivatives::<Self> {
            level: self.inflow - self.scale * self.rate * self.level.exp() / 3.0,
        })
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            outflow: self.scale * self.rate * self.level,
        }
    }

    fn event(&mut self, at: Event) {
        self.events += 1;
        self.seen.clone_from(&self.operator);
        for number in 0..self.messages {
            log!("flood", "wave {number} at t = {}", at.time);
        }
        if self.messages > 0 {
            log!("flood", "the last wave has passed");
        }
    }
}

fmu_runtime::__private::fmi2_entry_points!(Tank);

const RATE: u32 = 1;
const INFLOW: u32 = 2;
const SCALE: u32 = 3;
const CAPACITY: u32 = 4;
const OUTFLOW: u32 = 5;
const MESSAGES: u32 = 0;
const EVENTS: u32 = 1;

unsafe extern "C" {
    fn fmi2CompletedIntegratorStep(
        c: fmi2Component,
        no_state: fmi2Boolean,
        enter: *mut fmi2Boolean,
        terminate: *mut fmi2Boolean,
    ) -> fmi2Status;
    fn fmi2GetBoolean(c: fmi2Component, vr: *const u32, n: usize, value: *mut c_int) -> fmi2Status;
    fn fmi2SetBoolean(c: fmi2Component, vr: *const u32, n: usize, value: *const c_int) -> fmi2Status;
}

impl Host {
    fn completed_step(&self) -> (fmi2Status, bool) {
        let (mut enter, mut terminate) = (0, 0);
        // SAFETY: the instance is alive.
        let status = unsafe { fmi2CompletedIntegratorStep(self.c, 1, &mut enter, &mut terminate) };
        (status, enter != 0)
    }

    fn event(&self) -> fmi2Status {
        let mut info = fmi2EventInfo::default();
        // SAFETY: the instance is alive.
        unsafe {
            assert_eq!(fmi2EnterEventMode(self.c), fmi2OK);
            let status = fmi2NewDiscreteStates(self.c, &mut info);
            assert_eq!(fmi2EnterContinuousTimeMode(self.c), fmi2OK);
            status
        }
    }

    fn operator(&self, vr: u32) -> String {
        let mut text = std::ptr::null();
        // SAFETY: one reference, one value, read before the next call.
        unsafe {
            assert_eq!(fmi2GetString(self.c, &vr, 1, &mut text), fmi2OK);
            CStr::from_ptr(text).to_str().unwrap().to_owned()
        }
    }

    /// Continuous-time mode at t = 0 with the stop time 2.
    fn with_stop_time() -> Host {
        let host = Host::new(false);
        let mut info = fmi2EventInfo::default();
        // SAFETY: the instance is alive.
        unsafe {
            assert_eq!(fmi2SetupExperiment(host.c, 0, 0.0, 0.0, 1, 2.0), fmi2OK);
            assert_eq!(fmi2EnterInitializationMode(host.c), fmi2OK);
            assert_eq!(fmi2ExitInitializationMode(host.c), fmi2OK);
            assert_eq!(fmi2NewDiscreteStates(host.c, &mut info), fmi2OK);
            assert_eq!(fmi2EnterContinuousTimeMode(host.c), fmi2OK);
        }
        host
    }
}

fn derivative(host: &Host) -> (fmi2Status, f64) {
    let mut dx = f64::NAN;
    // SAFETY: one state, one derivative.
    let status = unsafe { fmi2GetDerivatives(host.c, &mut dx, 1) };
    (status, dx)
}

#[test]
fn trials_beyond_the_stop_time_are_answered_and_commits_are_errors() {
    let host = Host::with_stop_time();
    // SAFETY: the instance is alive.
    unsafe {
        assert_eq!(fmi2SetTime(host.c, 2.1), fmi2OK);
        assert_eq!(fmi2SetContinuousStates(host.c, &0.5, 1), fmi2OK);
        assert_eq!(derivative(&host).0, fmi2OK);
        assert_eq!(host.real(OUTFLOW), 0.25);
        assert_eq!(host.completed_step().0, fmi2Error);
        assert!(host.sentence().contains("t = 2.1 is after the stop time"));
        assert_eq!(fmi2EnterEventMode(host.c), fmi2Error);
        assert!(host.sentence().contains("after the stop time"));
        assert_eq!(fmi2SetTime(host.c, 2.0), fmi2OK, "and back to the end");
        assert_eq!(host.completed_step(), (fmi2OK, false));
        assert_eq!(host.event(), fmi2OK);
        assert_eq!(fmi2SetTime(host.c, f64::NAN), fmi2Error);
        assert_eq!(fmi2Terminate(host.c), fmi2OK, "none of it has done any harm");
    }
}

#[test]
fn steps_beyond_the_stop_time_are_refused_and_the_run_goes_on() {
    let host = Host::slave();
    // SAFETY: the instance is alive.
    unsafe {
        assert_eq!(fmi2SetupExperiment(host.c, 0, 0.0, 0.0, 1, 1.0), fmi2OK);
        assert_eq!(fmi2EnterInitializationMode(host.c), fmi2OK);
        assert_eq!(fmi2ExitInitializationMode(host.c), fmi2OK);
    }
    assert_eq!(host.step(0.0, 1.5), fmi2Error);
    assert!(host.sentence().contains("t = 1.5 is after the stop time"));
    assert_eq!(host.step(0.5, 0.5), fmi2Error, "a gap");
    assert_eq!(host.step(0.0, -1.0), fmi2Error);
    assert_eq!(host.step(0.0, 1.0), fmi2OK);
}

#[test]
fn inputs_have_start_values_from_instantiation_on_in_both_interfaces() {
    for kind in [fmi2ModelExchange, fmi2CoSimulation] {
        let host = Host::try_new(kind, &guid(), false).unwrap_or_else(|heard| panic!("{heard:?}"));
        assert_eq!(host.set_real([INFLOW, RATE], [2.0, 0.25]), fmi2OK);
        assert_eq!(host.set_integer([MESSAGES], [7]), fmi2OK);
        let name = [c"Grace".as_ptr()];
        // SAFETY: one reference, one value.
        unsafe {
            assert_eq!(fmi2SetString(host.c, &0, 1, name.as_ptr()), fmi2OK);
            assert_eq!(fmi2SetBoolean(host.c, &0, 1, &0), fmi2OK);
            assert_eq!(fmi2SetupExperiment(host.c, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
            assert_eq!(fmi2EnterInitializationMode(host.c), fmi2OK);
        }
        assert_eq!(host.real(INFLOW), 2.0);
        assert_eq!(host.real(OUTFLOW), 0.25);
        assert_eq!(
            (host.integer(MESSAGES), host.operator(0)),
            (7, "Grace".to_owned())
        );
        // SAFETY: the instance is alive.
        unsafe {
            assert_eq!(fmi2ExitInitializationMode(host.c), fmi2OK);
        }
        assert_eq!(host.real(INFLOW), 2.0, "and they survive initialization");
        assert_eq!(
            host.set_real([CAPACITY], [1.0]),
            fmi2Error,
            "a parameter is fixed by now"
        );
    }
}

#[test]
fn discrete_inputs_set_in_continuous_time_wait_for_the_next_event() {
    let host = Host::running(true);
    host.heard();
    let (_, before) = derivative(&host);
    assert_eq!(host.set_real([RATE], [1.0]), fmi2Warning);
    let heard = host.heard();
    assert_eq!((heard.len(), &*heard[0].1), (1, "logStatusWarning"));
    assert!(heard[0].2.contains("event mode"), "{heard:?}");

    // Reading gives the new value, the model still has the old one.
    assert_eq!(host.real(RATE), 1.0);
    assert_eq!((host.real(OUTFLOW), derivative(&host).1), (0.5, before));
    assert_eq!(host.set_real([SCALE, INFLOW], [2.0, 0.0]), fmi2OK, "warned once");
    assert_eq!(host.set_integer([MESSAGES], [0]), fmi2OK, "nothing new");
    let name = [c"Grace".as_ptr()];
    let mut flag = 0;
    // SAFETY: one reference, one value.
    unsafe {
        assert_eq!(fmi2SetString(host.c, &0, 1, name.as_ptr()), fmi2OK);
        assert_eq!(fmi2SetBoolean(host.c, &0, 1, &1), fmi2OK);
        assert_eq!(fmi2GetBoolean(host.c, &0, 1, &mut flag), fmi2OK);
        assert_eq!((host.operator(0), flag), ("Grace".to_owned(), 1));
        assert_eq!(derivative(&host).0, fmi2OK, "fails only after the event");
        assert_eq!(fmi2SetBoolean(host.c, &0, 1, &0), fmi2OK);
    }
    assert!(host.heard().is_empty());

    assert_eq!(host.completed_step(), (fmi2OK, true));
    assert_eq!(host.event(), fmi2OK);
    assert_eq!(
        (host.real(RATE), host.real(SCALE), host.real(OUTFLOW)),
        (1.0, 2.0, 2.0)
    );
    assert_eq!(host.operator(1), "Grace");
    assert_eq!(host.completed_step(), (fmi2OK, false));

    // A value that is taken back asks for nothing.
    host.set_real([RATE], [0.7]);
    assert_eq!(host.set_real([RATE], [1.0]), fmi2OK);
    assert_eq!(host.completed_step(), (fmi2OK, false));

    // A fixed parameter waits for nothing, and nothing of the call is kept.
    assert_eq!(host.set_real([RATE, CAPACITY], [0.1, 2.0]), fmi2Error);
    assert_eq!((host.real(RATE), host.completed_step()), (1.0, (fmi2OK, false)));
}

#[test]
fn what_waits_is_part_of_snapshots_and_gone_after_reset() {
    let host = Host::running(false);
    host.set_real([RATE], [0.75]);
    let bytes = host.bytes();
    let mut snapshot = std::ptr::null_mut();
    // SAFETY: the instance is alive.
    assert_eq!(unsafe { fmi2GetFMUstate(host.c, &mut snapshot) }, fmi2OK);
    assert_eq!(host.event(), fmi2OK);
    assert_eq!((host.real(RATE), host.completed_step()), (0.75, (fmi2OK, false)));
    // SAFETY: the snapshot is the instance's own.
    assert_eq!(unsafe { fmi2SetFMUstate(host.c, snapshot) }, fmi2OK);
    assert_eq!((host.real(OUTFLOW), host.completed_step()), (0.5, (fmi2OK, true)));
    // SAFETY: as above.
    unsafe { fmi2FreeFMUstate(host.c, &mut snapshot) };

    let other = Host::running(false);
    assert!(other.go_to(&bytes));
    assert_eq!((other.real(RATE), other.real(OUTFLOW)), (0.75, 0.5));
    assert_eq!(other.completed_step(), (fmi2OK, true));
    assert_eq!(other.event(), fmi2OK);
    assert_eq!(other.real(OUTFLOW), 0.75);

    // SAFETY: the instance is alive.
    assert_eq!(unsafe { fmi2Reset(host.c) }, fmi2OK);
    host.start();
    assert_eq!((host.real(RATE), host.completed_step()), (0.5, (fmi2OK, false)));
}

#[test]
fn a_refused_call_changes_nothing_and_only_a_failed_evaluation_ends_a_run() {
    let host = Host::running(false);
    let expected = derivative(&host);
    let mut info = fmi2EventInfo::default();
    let mut value = 0.0;
    // SAFETY: the instance is alive; null pointers and bad references are what this is about.
    unsafe {
        assert_eq!(fmi2NewDiscreteStates(host.c, &mut info), fmi2Error);
        assert_eq!(fmi2SetupExperiment(host.c, 0, 0.0, 0.0, 0, 0.0), fmi2Error);
        assert_eq!(fmi2ExitInitializationMode(host.c), fmi2Error);
        assert_eq!(fmi2GetReal(host.c, &99, 1, &mut value), fmi2Error);
        assert_eq!(fmi2GetReal(host.c, std::ptr::null(), 1, &mut value), fmi2Error);
        assert_eq!(fmi2GetDerivatives(host.c, &mut value, 7), fmi2Error);
        assert_eq!(fmi2SetFMUstate(host.c, std::ptr::null_mut()), fmi2Error);
        assert_eq!(host.set_real([CAPACITY], [1.0]), fmi2Error);
        assert_eq!(host.set_real([OUTFLOW], [1.0]), fmi2Error);
        assert_eq!(host.heard().len(), 9, "each has said why");
        assert_eq!(derivative(&host), expected);
        assert_eq!(fmi2SetTime(host.c, 0.5), fmi2OK);
        assert_eq!(host.completed_step(), (fmi2OK, false));

        // The model itself fails: from here only reset and snapshots lead on.
        assert_eq!(fmi2EnterEventMode(host.c), fmi2OK);
        assert_eq!(fmi2SetBoolean(host.c, &0, 1, &1), fmi2OK);
        assert_eq!(fmi2EnterContinuousTimeMode(host.c), fmi2OK);
        assert_eq!(derivative(&host).0, fmi2Error);
        assert_eq!(fmi2SetTime(host.c, 0.6), fmi2Error);
        assert_eq!(fmi2Terminate(host.c), fmi2Error);
        assert_eq!(fmi2Reset(host.c), fmi2OK);
        host.start();
        assert_eq!(derivative(&host), expected);
    }
}

#[test]
fn messages_that_repeat_themselves_are_counted_and_new_ones_are_always_logged() {
    let host = Host::running(false);
    for reference in 0..1234 {
        let mut value = 0.0;
        // SAFETY: one reference, one value.
        let status = unsafe { fmi2GetReal(host.c, &(1000 + reference), 1, &mut value) };
        assert_eq!(status, fmi2Error);
    }
    let heard = host.heard();
    assert_eq!(heard.len(), 12, "{heard:?}");
    assert!(heard[9].2.contains("value reference 1009;"), "{:?}", heard[9]);
    assert!(heard[10].2.contains("value reference 1099;"), "{:?}", heard[10]);
    assert!(heard[11].2.contains("message number 1000 "), "{:?}", heard[11]);
    assert_eq!(host.set_real([1000], [0.0]), fmi2Error);
    assert_eq!(host.heard().len(), 1, "of another function");
    // SAFETY: the instance is alive.
    assert_eq!(unsafe { fmi2Terminate(host.c) }, fmi2OK);
    let sentence = host.sentence();
    assert!(sentence.starts_with("1234 messages like this one"), "{sentence}");
    assert!(sentence.contains("1222 of them were not logged"), "{sentence}");
    assert!(
        sentence.contains("no Real variable has the value reference 1000"),
        "{sentence}"
    );
}

/// `MESSAGES=10000000` in the environment makes it ten million messages in one step.
#[test]
fn a_model_that_never_stops_talking_costs_time_and_no_memory() {
    let messages: i32 = std::env::var("MESSAGES").map_or(200_000, |count| count.parse().expect("a number"));
    // 1 to 10, and then 100, 1000 and so on.
    let logged = 10 + messages.ilog10() as usize - 1;
    for kind in [fmi2ModelExchange, fmi2CoSimulation] {
        let host = Host::try_new(kind, &guid(), true).unwrap_or_else(|heard| panic!("{heard:?}"));
        assert_eq!(host.set_integer([MESSAGES], [messages]), fmi2OK);
        let before = allocations::most_alive();
        if kind == fmi2ModelExchange {
            host.start();
        } else {
            host.initialize(0.0);
        }
        let grown = allocations::most_alive() - before;
        assert!(grown < 200_000, "{grown} bytes were alive at once");
        let heard = host.heard();
        let waves = heard.iter().filter(|heard| heard.2.starts_with("wave"));
        assert_eq!(waves.count(), logged);
        let new = heard.iter().filter(|heard| heard.2 == "the last wave has passed");
        assert_eq!(new.count(), 1);
        assert_eq!(host.integer(EVENTS), 1);
    }
}
