//! `max_internal_steps`: a communication step that would take too many internal steps ends early, and says so.

#[path = "common/c_interface.rs"]
mod c_interface;
#[path = "common/steps.rs"]
mod steps;

use c_interface::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi2::*;

/// A decay with a fixed step of 1 ms, which may take 100 of them
#[model(solver = "rk4", max_step = 1e-3, max_internal_steps = 100, solver_parameters)]
struct Decay {
    /// Level
    #[state(start = 1.0, output)]
    level: f64,
    /// Events so far, one every 30 ms
    #[discrete(start = 0, output)]
    events: i32,
}

#[equations]
impl Model for Decay {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { level: -self.level }
    }

    fn event(&mut self, at: Event) {
        if at.scheduled {
            self.events += 1;
        }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(0.03 * f64::from(self.events + 1))
    }
}

fmu_runtime::__private::fmi2_entry_points!(Decay);

const LEVEL: u32 = 0;
const TOLERANCE: u32 = 1;
const EVENTS: u32 = 0;
const METHOD: u32 = 1;
const MAX_INTERNAL_STEPS: u32 = 2;

/// Steps to 1 s; where it has come, as the instance and its values say.
fn run(host: &Host) -> (fmi2Status, f64) {
    let status = host.step(0.0, 1.0);
    let time = host.last_successful_time();
    let level = host.real(LEVEL);
    assert!(
        (level - (-time).exp()).abs() < 1e-6,
        "consistent at t = {time}: {level}"
    );
    assert_eq!(
        f64::from(host.integer(EVENTS)),
        (time / 0.03 + 1e-6).floor(),
        "events up to t = {time}"
    );
    (status, time)
}

#[test]
fn a_step_over_budget_is_discarded_where_it_has_come_with_a_sentence() {
    let host = Host::try_new(fmi2CoSimulation, &guid(), true).unwrap_or_else(|heard| panic!("{heard:?}"));
    assert_eq!(host.integer_before(MAX_INTERNAL_STEPS), 100);
    host.initialize(0.0);
    let mut start = std::ptr::null_mut();
    // SAFETY: the instance is alive.
    assert_eq!(unsafe { fmi2GetFMUstate(host.c, &mut start) }, fmi2OK);
    host.heard();
    let (status, time) = run(&host);
    assert_eq!(status, fmi2Discard);
    assert!(
        (0.08..=0.1001).contains(&time),
        "100 steps of 1 ms, some cut by events: {time}"
    );
    let heard = host.heard();
    let sentence = &heard.last().unwrap().2;
    assert!(
        sentence.contains("max_internal_steps") && sentence.contains("100"),
        "{sentence}"
    );
    // The master goes back and takes a shorter step.
    // SAFETY: the snapshot is the instance's own.
    assert_eq!(unsafe { fmi2SetFMUstate(host.c, start) }, fmi2OK);
    assert_eq!(host.step(0.0, 0.05), fmi2OK);
    assert!((host.real(LEVEL) - (-0.05f64).exp()).abs() < 1e-9);
}

#[test]
fn the_budget_is_a_parameter_and_0_lifts_it() {
    let methods = [(2, 0), (2, 2000), (3, 5), (3, 0)];
    // Bdf, PlainBdf and FirstAndSecondBdf.
    let implicit = [(4, 5), (4, 0), (5, 5), (5, 0), (6, 5), (6, 0)];
    let implicit = implicit.into_iter().filter(|_| cfg!(feature = "bdf"));
    for (method, budget) in methods.into_iter().chain(implicit) {
        let host = Host::slave();
        assert_eq!(
            host.set_integer([METHOD, MAX_INTERNAL_STEPS], [method, budget]),
            fmi2OK
        );
        assert_eq!(host.set_real([TOLERANCE], [1e-8]), fmi2OK);
        host.initialize(0.0);
        let (status, time) = run(&host);
        let expected = if budget == 5 { fmi2Discard } else { fmi2OK };
        assert_eq!(status, expected, "method {method}, budget {budget}");
        assert_eq!(time < 1.0, budget == 5);
    }
}

impl Host {
    fn integer_before(&self, vr: u32) -> i32 {
        // SAFETY: the instance is alive.
        unsafe {
            assert_eq!(fmi2SetupExperiment(self.c, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
            assert_eq!(fmi2EnterInitializationMode(self.c), fmi2OK);
            let value = self.integer(vr);
            assert_eq!(fmi2Reset(self.c), fmi2OK);
            value
        }
    }
}
