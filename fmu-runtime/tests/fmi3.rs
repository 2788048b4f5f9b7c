//! The C functions of FMI 3.0 of an exported model: values of all types with arrays, both interfaces with their events,
//! snapshots, derivatives and dependencies, against closed forms.

// Every call is on a living instance, with arrays as long as their counts say, unless a refusal is tested.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "common/c_interface_3.rs"]
mod c_interface_3;

use c_interface_3::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::description::{Dimension, Start, VariableKind};
use fmu_runtime::standard::fmi3::*;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use test_support::reference;

/// A gear
#[derive(Enumeration, Clone, Copy, Debug, PartialEq)]
enum Gear {
    /// Slow
    Low = 1,
    /// Fast
    High = 3,
}

/// Three tanks, a counter and a clockwork
#[model(stop_time = 2.0, tolerance = 1e-8, log_categories("tank" = "What the tanks do"))]
struct Plant {
    /// Levels
    #[state(start = [1.0, 2.0, 3.0], output)]
    x: [f64; 3],
    /// Rate
    #[parameter(start = 2.0)]
    k: f64,
    /// Gain of the first input
    #[parameter(start = 0.5, tunable)]
    gain: f64,
    /// The rate squared
    #[parameter(calculated)]
    kk: f64,
    /// Inflows
    #[input(start = 0.0)]
    u: [f64; 2],
    /// Steps
    #[input(start = 3)]
    steps: [i32; 2],
    /// Gear
    #[input(start = Gear::Low)]
    gear: Gear,
    /// Switch
    #[input(start = false)]
    on: bool,
    /// Label
    #[parameter(start = "water")]
    label: String,
    /// Mixing
    #[parameter(start = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])]
    matrix: [[f64; 2]; 3],
    /// Mixed inflows and the calculated parameter
    #[output]
    y: [f64; 3],
    /// How often the first level went through one half
    #[discrete(start = 0.0, output)]
    crossings: f64,
    /// Time events
    #[discrete(start = 0, output)]
    ticks: i32,
    /// Ends the simulation at this tick
    #[parameter(start = 1000)]
    last: i32,
    /// The equations fail recoverably after this time
    #[parameter(start = 1e9)]
    fails: f64,
}

#[equations]
impl Model for Plant {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> { kk: self.k * self.k }
    }

    fn derivatives(&self, t: f64) -> Result<Derivatives<Self>, ModelError> {
        if t > self.fails {
            return Err(ModelError::new("beyond the end of the world").recoverable());
        }
        let mut x = [0.0; 3];
        for (dx, x) in x.iter_mut().zip(&self.x) {
            *dx = self.gain * self.u[0] - self.kk * *x;
        }
        Ok(Derivatives::<Self> { x })
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let mut y = [0.0; 3];
        for (y, row) in y.iter_mut().zip(&self.matrix) {
            *y = row[0] * self.u[0] + row[1] * self.u[1] + self.kk;
        }
        Outputs::<Self> { y }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 2] {
        [self.x[0] - 0.5, self.x[1] + 100.0]
    }

    fn event(&mut self, at: Event) -> Next {
        if self.x[0] < 0.5 && self.crossings == 0.0 {
            self.crossings = 1.0;
        }
        if at.scheduled {
            self.ticks += 1;
        }
        match self.ticks >= self.last {
            true => Next::Terminate,
            false => Next::Continue,
        }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(0.4 * f64::from(self.ticks + 1))
    }
}

fmu_runtime::__private::fmi3_entry_points!(Plant);

const X: u32 = 0;
const K: u32 = 1;
const GAIN: u32 = 2;
const KK: u32 = 3;
const U: u32 = 4;
const STEPS: u32 = 5;
const GEAR: u32 = 6;
const ON: u32 = 7;
const LABEL: u32 = 8;
const MATRIX: u32 = 9;
const Y: u32 = 10;
const CROSSINGS: u32 = 11;
const TICKS: u32 = 12;
const LAST: u32 = 13;
const FAILS: u32 = 14;
const DER_X: u32 = 15;
const INDICATORS: u32 = 16;
const TIME: u32 = 17;

/// When the first level, which falls as exp(-4 t), is one half.
fn half() -> f64 {
    2.0_f64.ln() / 4.0
}

#[test]
fn the_description_has_arrays_as_they_are() {
    let description = fmu_runtime::standard::fmi3::read(describe()).unwrap();
    assert_eq!(description.fmi_version, "3.0");
    assert_eq!(
        description.guid,
        fmu_runtime::standard::instantiation_token(&description)
    );
    let variable = |reference: u32| &description.model_variables[reference as usize];
    for (reference, variable) in description.model_variables.iter().enumerate() {
        assert_eq!(variable.value_reference as usize, reference);
    }
    assert_eq!(
        variable(MATRIX).dimensions,
        [Dimension::Fixed(3), Dimension::Fixed(2)]
    );
    assert_eq!(variable(X).dimensions, [Dimension::Fixed(3)]);
    assert_eq!(variable(DER_X).dimensions, [Dimension::Fixed(3)]);
    assert_eq!(variable(INDICATORS).dimensions, [Dimension::Fixed(2)]);
    let VariableKind::Real {
        start, derivative, ..
    } = &variable(MATRIX).kind
    else {
        panic!("not a number")
    };
    assert_eq!(
        (start.values(), derivative),
        (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..], &None)
    );
    let VariableKind::Real { start, .. } = &variable(U).kind else {
        panic!("not a number")
    };
    assert_eq!(*start, Start::One(0.0), "one value for all elements");
    let VariableKind::Real { derivative, .. } = &variable(DER_X).kind else {
        panic!("not a number")
    };
    assert_eq!(derivative.and_then(|state| state.position()), Some(X as usize));
    assert_eq!(
        (description.number_of_states(), description.event_indicators()),
        (3, 2)
    );
    let dependencies = |unknown: &fmu_runtime::standard::description::Unknown| -> Vec<usize> {
        unknown.depends_on().unwrap().map(|(known, _)| known).collect()
    };
    let structure = &description.model_structure;
    let of = |unknowns: &[fmu_runtime::standard::description::Unknown], reference: u32| {
        let found = unknowns
            .iter()
            .find(|unknown| unknown.variable.position() == Some(reference as usize));
        found.map(dependencies)
    };
    let numbers = |references: &[u32]| -> Vec<usize> { references.iter().map(|&r| r as usize).collect() };
    assert_eq!(of(&structure.outputs, Y), Some(numbers(&[K, U, MATRIX])));
    assert_eq!(of(&structure.outputs, X), Some(numbers(&[X])));
    assert_eq!(of(&structure.derivatives, DER_X), Some(numbers(&[X, K, GAIN, U])));
    assert_eq!(of(&structure.initial_unknowns, KK), Some(numbers(&[K])));
    assert_eq!(of(&structure.initial_unknowns, INDICATORS), None);
    assert_eq!(structure.event_indicators.len(), 1);
    let (exchange, steps) = (
        description.model_exchange.unwrap(),
        description.co_simulation.unwrap(),
    );
    assert!(
        exchange.interface.provides_directional_derivative && exchange.interface.provides_adjoint_derivatives
    );
    assert!(
        steps.has_event_mode && steps.might_return_early_from_do_step && !steps.provides_intermediate_update
    );
}

#[test]
fn values_of_all_types_with_arrays() {
    let host = Host::new(Purpose::Exchange);
    assert_eq!(
        host.set(&[U, MATRIX], &[1.0, -1.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0]),
        fmi3OK
    );
    let one = |reference: u32| [reference].map(|r| r);
    unsafe {
        assert_eq!(
            (FMI.fmi3SetInt32)(host.i, one(STEPS).as_ptr(), 1, [7, -7].as_ptr(), 2),
            fmi3OK
        );
        assert_eq!(
            (FMI.fmi3SetInt64)(host.i, one(GEAR).as_ptr(), 1, [3].as_ptr(), 1),
            fmi3OK
        );
        assert_eq!(
            (FMI.fmi3SetBoolean)(host.i, one(ON).as_ptr(), 1, [1].as_ptr(), 1),
            fmi3OK
        );
        let label = CString::new("oil").unwrap();
        assert_eq!(
            (FMI.fmi3SetString)(host.i, one(LABEL).as_ptr(), 1, [label.as_ptr()].as_ptr(), 1),
            fmi3OK
        );
    }
    host.initialize();
    assert_eq!(host.get(&[Y]), [1.0 + 4.0, -1.0 + 4.0, 4.0]);
    assert_eq!(host.get(&[TIME, DER_X, KK]), [0.0, -3.5, -7.5, -11.5, 4.0]);
    assert_eq!(host.get(&[INDICATORS, X]), [0.5, 102.0, 1.0, 2.0, 3.0]);
    unsafe {
        let (mut steps, mut gear, mut on, mut label) = ([0; 2], 0, 7, std::ptr::null());
        assert_eq!(
            (FMI.fmi3GetInt32)(host.i, one(STEPS).as_ptr(), 1, steps.as_mut_ptr(), 2),
            fmi3OK
        );
        assert_eq!(
            (FMI.fmi3GetInt64)(host.i, one(GEAR).as_ptr(), 1, &mut gear, 1),
            fmi3OK
        );
        assert_eq!(
            (FMI.fmi3GetBoolean)(host.i, one(ON).as_ptr(), 1, &mut on, 1),
            fmi3OK
        );
        assert_eq!(
            (FMI.fmi3GetString)(host.i, one(LABEL).as_ptr(), 1, &mut label, 1),
            fmi3OK
        );
        assert_eq!((steps, gear, on), ([7, -7], 3, 1));
        assert_eq!(CStr::from_ptr(label).to_str(), Ok("oil"));
    }
    assert_eq!(
        host.heard()
            .iter()
            .filter(|(status, ..)| *status != fmi3OK)
            .count(),
        0
    );
}

#[test]
fn wrong_references_types_counts_and_pointers_are_refused_by_name() {
    let host = Host::new(Purpose::Exchange);
    let mut values = [0.0; 4];
    let said = |status, text: &str| {
        assert_eq!(status, fmi3Error, "{text}");
        let heard = host.heard();
        let is_it = |(status, category, message): &Heard| {
            *status == fmi3Error && category == "logStatusError" && message.contains(text)
        };
        assert!(heard.iter().any(is_it), "{text} is not in {heard:?}");
    };
    said(
        host.try_get(&[99], &mut values[..1]),
        "no variable has the value reference 99; there are 0 to 17",
    );
    said(
        host.try_get(&[X], &mut values[..2]),
        "nValues is 2, but the variables have 3 values",
    );
    said(
        host.try_get(&[STEPS], &mut values[..2]),
        "variable 'steps' (value reference 5) is not of type Float64: it is of type Int32",
    );
    unsafe {
        let gear = [GEAR];
        said(
            (FMI.fmi3GetInt32)(host.i, gear.as_ptr(), 1, &mut 0, 1),
            "has the functions of Int64",
        );
        said(
            (FMI.fmi3GetInt8)(host.i, gear.as_ptr(), 1, &mut 0, 1),
            "not of type Int8",
        );
        said(
            (FMI.fmi3GetFloat64)(host.i, std::ptr::null(), 1, values.as_mut_ptr(), 1),
            "null pointer",
        );
        said(
            (FMI.fmi3SetClock)(host.i, gear.as_ptr(), 1, &0),
            "not allowed in the state 'instantiated', only in event mode",
        );
        assert_eq!(
            (FMI.fmi3GetFloat64)(std::ptr::null_mut(), gear.as_ptr(), 0, values.as_mut_ptr(), 0),
            fmi3Error
        );
        assert_eq!((FMI.fmi3SetInt64)(host.i, gear.as_ptr(), 1, &2, 1), fmi3Discard);
        assert_eq!(
            (FMI.fmi3SetInt64)(host.i, gear.as_ptr(), 1, &(1 << 40), 1),
            fmi3Discard
        );
    }
    said(
        host.call(FMI.fmi3EnterConfigurationMode),
        "no structural parameters",
    );
    said(
        unsafe { (FMI.fmi3ActivateModelPartition)(host.i, 0, 0.0) },
        "Scheduled Execution",
    );
    host.initialize();
    said(
        host.set(&[INDICATORS], &[0.0, 0.0]),
        "event indicators can only be read",
    );
    said(
        host.set(&[KK], &[0.0]),
        "variable 'kk': it cannot be set in event mode",
    );
    said(host.try_step(0.0, 1.0).0, "made for Model Exchange");
    assert_eq!(host.get(&[X]), [1.0, 2.0, 3.0], "nothing was changed");
}

#[test]
fn without_logging_nothing_is_said() {
    let description = fmu_runtime::standard::fmi3::read(describe()).unwrap();
    let host = Host::try_new(Purpose::Exchange, &description.guid, false).unwrap();
    assert_eq!(host.try_get(&[99], &mut [0.0]), fmi3Error);
    assert_eq!(host.heard(), []);
    assert_eq!(
        Host::try_new(Purpose::Exchange, "{other}", false).err(),
        Some(vec![])
    );
    let heard = Host::try_new(Purpose::Exchange, "{other}", true).err().unwrap();
    assert!(
        heard[0].2.contains("instantiationToken {other} is not the one"),
        "{heard:?}"
    );
    let heard = Host::try_new(Purpose::Scheduled, &description.guid, true)
        .err()
        .unwrap();
    assert!(
        heard[0].2.contains("does not offer Scheduled Execution"),
        "{heard:?}"
    );
}

/// Model Exchange with small steps of the classical Runge-Kutta method between events, which are where they must be.
#[test]
fn model_exchange_from_event_to_event() {
    let host = Host::initialized(Purpose::Exchange);
    let (mut states, mut indicators) = (0, 0);
    unsafe {
        assert_eq!((FMI.fmi3GetNumberOfContinuousStates)(host.i, &mut states), fmi3OK);
        assert_eq!(
            (FMI.fmi3GetNumberOfEventIndicators)(host.i, &mut indicators),
            fmi3OK
        );
    }
    assert_eq!((states, indicators), (3, 2));
    assert_eq!(host.call(FMI.fmi3EvaluateDiscreteStates), fmi3OK);
    assert_eq!(host.settle(), Some(0.4));
    assert_eq!(host.call(FMI.fmi3EnterContinuousTimeMode), fmi3OK);
    let put = |t: f64, x: &[f64]| unsafe {
        assert_eq!((FMI.fmi3SetTime)(host.i, t), fmi3OK);
        assert_eq!((FMI.fmi3SetContinuousStates)(host.i, x.as_ptr(), x.len()), fmi3OK);
    };
    let slope = |t: f64, x: &[f64], dx: &mut [f64]| unsafe {
        put(t, x);
        assert_eq!(
            (FMI.fmi3GetContinuousStateDerivatives)(host.i, dx.as_mut_ptr(), dx.len()),
            fmi3OK
        );
    };
    let mut x = host.get::<3>(&[X]);
    let mut events = 0;
    for stop in [half(), 0.4] {
        let begin = host.get::<1>(&[TIME])[0];
        let h = (stop - begin) / 100.0;
        for step in 0..100 {
            let t = begin + h * f64::from(step);
            reference::step(t, &mut x, h, slope);
            put(if step == 99 { stop } else { t + h }, &x);
            let (mut enter, mut terminate, mut z) = (7, 7, [0.0; 2]);
            unsafe {
                assert_eq!(
                    (FMI.fmi3CompletedIntegratorStep)(host.i, 1, &mut enter, &mut terminate),
                    fmi3OK
                );
                assert_eq!((FMI.fmi3GetEventIndicators)(host.i, z.as_mut_ptr(), 2), fmi3OK);
            }
            assert_eq!((enter, terminate), (0, 0));
            assert_eq!(z[0] > 0.0, x[0] > 0.5);
            if z[0] <= 0.0 {
                events += 1;
            }
        }
        assert_eq!(host.call(FMI.fmi3EnterEventMode), fmi3OK);
        let next = host.settle();
        assert_eq!(next, Some(if stop == 0.4 { 0.8 } else { 0.4 }));
        assert_eq!(host.call(FMI.fmi3EnterContinuousTimeMode), fmi3OK);
    }
    assert!(events > 0);
    let mut ticks = 0;
    unsafe {
        assert_eq!(
            (FMI.fmi3GetInt32)(host.i, [TICKS].as_ptr(), 1, &mut ticks, 1),
            fmi3OK
        )
    };
    assert_eq!((ticks, host.get::<1>(&[CROSSINGS])), (1, [1.0]));
    let wanted = [1.0, 2.0, 3.0].map(|x0: f64| x0 * (-1.6_f64).exp());
    for (found, wanted) in host.get::<3>(&[X]).iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-7, "{found} {wanted}");
    }
    assert_eq!(host.call(FMI.fmi3Terminate), fmi3OK);
    assert_eq!(host.call(FMI.fmi3Reset), fmi3OK);
    host.initialize();
    assert_eq!(host.get(&[X]), [1.0, 2.0, 3.0]);
}

fn ticks(host: &Host) -> i32 {
    let mut ticks = -1;
    unsafe {
        assert_eq!(
            (FMI.fmi3GetInt32)(host.i, [TICKS].as_ptr(), 1, &mut ticks, 1),
            fmi3OK
        )
    };
    ticks
}

fn first_level(host: &Host, t: f64) {
    let [x] = [host.get::<3>(&[X])[0]];
    assert!((x - (-4.0 * t).exp()).abs() < 1e-6, "{x} at {t}");
}

#[test]
fn steps_without_event_mode_handle_everything_inside() {
    let host = Host::initialized(Purpose::Steps(false, false));
    assert_eq!(host.step(0.0, 1.0), (false, false, false, 1.0));
    assert_eq!((ticks(&host), host.get(&[CROSSINGS])), (2, [1.0]));
    first_level(&host, 1.0);
    assert_eq!(host.call(FMI.fmi3EnterEventMode), fmi3Error);
    assert!(
        host.heard()
            .iter()
            .any(|(.., text)| text.contains("eventModeUsed"))
    );
}

#[test]
fn early_return_without_event_mode_stops_after_every_event() {
    let host = Host::initialized(Purpose::Steps(false, true));
    let (mut time, mut stops) = (0.0, Vec::new());
    while time < 1.0 {
        let (event, terminate, early, last) = host.step(time, 1.0 - time);
        assert!(!event && !terminate);
        assert_eq!(early, last < 1.0);
        assert!(last > time);
        time = last;
        stops.push(time);
    }
    assert_eq!(stops.len(), 4);
    for (stop, wanted) in stops.iter().zip([half(), 0.4, 0.8, 1.0]) {
        assert!((stop - wanted).abs() < 1e-7, "{stops:?}");
    }
    assert_eq!((ticks(&host), host.get(&[CROSSINGS])), (2, [1.0]));
    first_level(&host, 1.0);
}

#[test]
fn event_mode_without_early_return_has_events_at_the_end_of_a_step_only() {
    let host = Host::initialized(Purpose::Steps(true, false));
    assert_eq!(
        host.try_step(0.0, 1.0).0,
        fmi3Error,
        "the initial event comes first"
    );
    assert_eq!(host.settle(), Some(0.4));
    assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
    assert_eq!(host.step(0.0, 0.3), (false, false, false, 0.3));
    assert_eq!(host.get(&[CROSSINGS]), [1.0], "inside the step");
    let (event, terminate, early, last) = host.step(0.3, 0.8 - 0.3);
    assert_eq!((event, terminate, early), (true, false, false));
    assert!((last - 0.8).abs() < 1e-12);
    assert_eq!(
        ticks(&host),
        1,
        "the one at 0.4 was inside, the one at the end is to come"
    );
    assert_eq!(host.call(FMI.fmi3EnterEventMode), fmi3OK);
    assert!((host.settle().unwrap() - 1.2).abs() < 1e-12);
    assert_eq!(ticks(&host), 2);
    assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
    assert_eq!(host.step(last, 1.0 - last), (false, false, false, 1.0));
    first_level(&host, 1.0);
}

/// Steps with event mode and early return to `end`; returns where they stopped for events.
fn from_event_to_event(host: &Host, end: f64) -> Vec<f64> {
    let (mut time, mut stops) = (host.get::<1>(&[TIME])[0], Vec::new());
    while time < end {
        let (event, _, early, last) = host.step(time, end - time);
        assert_eq!(early, last < end);
        assert!(event || last == end);
        time = last;
        if event {
            stops.push(time);
            assert_eq!(host.call(FMI.fmi3EnterEventMode), fmi3OK);
            host.settle();
            assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
        }
    }
    stops
}

#[test]
fn event_mode_with_early_return_stops_before_every_event() {
    let host = Host::initialized(Purpose::Steps(true, true));
    host.settle();
    assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
    let (event, terminate, early, last) = host.step(0.0, 1.0);
    assert_eq!((event, terminate, early), (true, false, true));
    assert!((last - half()).abs() < 1e-7);
    assert_eq!(host.get(&[CROSSINGS]), [0.0], "not handled yet");
    assert_eq!(host.call(FMI.fmi3EnterEventMode), fmi3OK);
    host.settle();
    assert_eq!(host.get(&[CROSSINGS]), [1.0]);
    assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
    let stops = from_event_to_event(&host, 1.0);
    assert_eq!(stops.len(), 2);
    assert_eq!(ticks(&host), 2);
    first_level(&host, 1.0);

    // A host that does not enter event mode loses nothing: what it lets pass is handled where the next step begins.
    let careless = Host::initialized(Purpose::Steps(true, true));
    careless.settle();
    assert_eq!(careless.call(FMI.fmi3EnterStepMode), fmi3OK);
    let mut time = 0.0;
    while time < 1.0 {
        (.., time) = careless.step(time, 1.0 - time);
    }
    assert_eq!((ticks(&careless), careless.get(&[CROSSINGS])), (2, [1.0]));
    first_level(&careless, 1.0);
}

#[test]
fn inputs_jump_in_event_mode() {
    let host = Host::initialized(Purpose::Steps(true, true));
    host.settle();
    assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
    from_event_to_event(&host, 0.5);
    assert_eq!(host.call(FMI.fmi3EnterEventMode), fmi3OK);
    assert_eq!(host.set(&[U, GAIN], &[8.0, 0.0, 2.0]), fmi3OK);
    host.settle();
    assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
    from_event_to_event(&host, 1.0);
    // From exp(-2) towards 2 u / kk = 4.
    let wanted = 4.0 + ((-2.0_f64).exp() - 4.0) * (-2.0_f64).exp();
    let [found, ..] = host.get::<3>(&[X]);
    assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
}

#[test]
fn the_model_ends_the_simulation_with_success() {
    for (event_mode, early) in [(false, false), (false, true), (true, false), (true, true)] {
        let host = Host::new(Purpose::Steps(event_mode, early));
        unsafe { assert_eq!((FMI.fmi3SetInt32)(host.i, [LAST].as_ptr(), 1, &2, 1), fmi3OK) };
        host.initialize();
        if event_mode {
            host.settle();
            assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
        }
        let mut time = 0.0;
        let terminated = loop {
            let (event, terminate, early_return, last) = host.step(time, 2.0 - time);
            assert!(early || !early_return);
            time = last;
            if terminate {
                break last;
            }
            if event {
                assert_eq!(host.call(FMI.fmi3EnterEventMode), fmi3OK);
                if host.update().1 {
                    break last;
                }
                assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
            }
        };
        assert!(
            (terminated - 0.8).abs() < 1e-12,
            "{event_mode} {early} {terminated}"
        );
        assert_eq!(host.call(FMI.fmi3Terminate), fmi3OK);
    }
}

#[test]
fn a_discarded_step_leaves_everything_as_it_was() {
    for early in [false, true] {
        let host = Host::new(Purpose::Steps(false, early));
        assert_eq!(host.set(&[FAILS], &[0.65]), fmi3OK);
        host.initialize();
        let time = if early {
            host.step(0.0, 0.1).3
        } else {
            host.step(0.0, 0.5).3
        };
        let before: [f64; 5] = host.get(&[TIME, X, CROSSINGS]);
        let twice = [0, 1].map(|_| host.try_step(time, 2.0).0);
        if early {
            // It stops at the events before it would fail.
            assert_eq!(twice[0], fmi3OK);
            continue;
        }
        assert_eq!(twice, [fmi3Discard; 2]);
        assert_eq!(host.get(&[TIME, X, CROSSINGS]), before);
        assert_eq!(host.step(time, 0.1), (false, false, false, 0.6));
        first_level(&host, 0.6);
    }
}

#[test]
fn snapshots_repeat_bit_by_bit_also_as_bytes_and_inside_an_event() {
    for purpose in [Purpose::Steps(false, false), Purpose::Steps(true, true)] {
        let host = Host::initialized(purpose);
        if purpose == Purpose::Steps(true, true) {
            host.settle();
            assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
            host.step(0.0, 1.0);
            assert_eq!(host.call(FMI.fmi3EnterEventMode), fmi3OK);
        } else {
            host.step(0.0, 0.3);
        }
        let go_on = |host: &Host| -> [u64; 5] {
            if purpose == Purpose::Steps(true, true) {
                host.settle();
                assert_eq!(host.call(FMI.fmi3EnterStepMode), fmi3OK);
                from_event_to_event(host, 1.0);
            } else {
                host.step(0.3, 0.7);
            }
            host.get::<5>(&[TIME, X, CROSSINGS]).map(f64::to_bits)
        };
        let (mut state, mut size) = (std::ptr::null_mut(), 0);
        let mut bytes;
        unsafe {
            assert_eq!((FMI.fmi3GetFMUState)(host.i, &mut state), fmi3OK);
            assert_eq!((FMI.fmi3SerializedFMUStateSize)(host.i, state, &mut size), fmi3OK);
            bytes = vec![0; size];
            assert_eq!(
                (FMI.fmi3SerializeFMUState)(host.i, state, bytes.as_mut_ptr(), size),
                fmi3OK
            );
        }
        let once = go_on(&host);
        unsafe { assert_eq!((FMI.fmi3SetFMUState)(host.i, state), fmi3OK) };
        assert_eq!(go_on(&host), once);
        unsafe {
            assert_eq!((FMI.fmi3FreeFMUState)(host.i, &mut state), fmi3OK);
            assert!(state.is_null());
        }
        let other = Host::new(purpose);
        unsafe {
            let mut state = std::ptr::null_mut();
            assert_eq!(
                (FMI.fmi3DeserializeFMUState)(other.i, bytes.as_ptr(), size, &mut state),
                fmi3OK
            );
            assert_eq!((FMI.fmi3SetFMUState)(other.i, state), fmi3OK);
        }
        assert_eq!(go_on(&other), once, "in another instance");
        bytes[40] ^= 1;
        let mut state = std::ptr::null_mut();
        unsafe {
            assert_eq!(
                (FMI.fmi3DeserializeFMUState)(other.i, bytes.as_ptr(), size, &mut state),
                fmi3Error
            );
        }
    }
}

#[test]
fn derivatives_by_parameters_are_chained_through_calculated_ones() {
    let host = Host::initialized(Purpose::Exchange);
    assert_eq!(host.set(&[U], &[0.5, -0.25]), fmi3OK);
    let [x0, x1, x2]: [f64; 3] = host.get(&[X]);
    let mut column = [f64::NAN; 6];
    // d der(x) / dk = -2 k x, d y / dk = 2 k.
    assert_eq!(host.directional(&[DER_X, Y], &[K], &[1.0], &mut column), fmi3OK);
    assert_eq!(column, [-4.0 * x0, -4.0 * x1, -4.0 * x2, 4.0, 4.0, 4.0]);
    let mut along = [f64::NAN; 3];
    let seed = [1.0, 0.0, 2.0, 3.0, 10.0, 20.0];
    // d y along u and the first, the second and the last but one entry of the matrix.
    assert_eq!(host.directional(&[Y], &[MATRIX], &seed, &mut along), fmi3OK);
    assert_eq!(along, [0.5, 2.0 * 0.5 - 0.25 * 3.0, 10.0 * 0.5 - 20.0 * 0.25]);
    let mut gradient = [f64::NAN; 9];
    let weights = [1.0, -2.0, 0.5];
    assert_eq!(
        host.adjoint(&[Y], &[U, MATRIX, K], &weights, &mut gradient),
        fmi3OK
    );
    assert_eq!(
        gradient,
        [
            1.0 - 6.0 + 2.5,
            2.0 - 8.0 + 3.0,
            0.5,
            -0.25,
            -1.0,
            0.5,
            0.25,
            -0.125,
            -0.5 * 4.0
        ]
    );
    host.settle();
    assert_eq!(host.call(FMI.fmi3EnterContinuousTimeMode), fmi3OK);
    assert_eq!(host.directional(&[DER_X], &[GAIN], &[1.0], &mut along), fmi3OK);
    assert_eq!(along, [0.5; 3]);
    assert_eq!(
        host.directional(&[INDICATORS], &[X], &[1.0, 0.0, 0.0], &mut along[..2]),
        fmi3Error
    );
    assert_eq!(host.directional(&[DER_X], &[KK], &[1.0], &mut along), fmi3Error);
    assert_eq!(
        host.directional(&[DER_X], &[X], &[1.0], &mut along),
        fmi3Error,
        "nSeed"
    );
    // The same at a communication point, and in initialization mode.
    let host = Host::initialized(Purpose::Steps(false, false));
    host.step(0.0, 0.1);
    let [x0, ..]: [f64; 3] = host.get(&[X]);
    assert_eq!(host.directional(&[DER_X, Y], &[K], &[1.0], &mut column), fmi3OK);
    assert_eq!([column[0], column[3]], [-4.0 * x0, 4.0]);
    let host = Host::new(Purpose::Exchange);
    unsafe {
        assert_eq!(
            (FMI.fmi3EnterInitializationMode)(host.i, 0, 0.0, 0.0, 0, 0.0),
            fmi3OK
        )
    };
    assert_eq!(
        host.directional(&[KK, DER_X], &[K], &[1.0], &mut column[..4]),
        fmi3OK
    );
    assert_eq!(column[..2], [4.0, -4.0]);
}

#[test]
fn output_derivatives_of_arrays() {
    let host = Host::initialized(Purpose::Steps(false, false));
    host.step(0.0, 0.05);
    let x: [f64; 3] = host.get(&[X]);
    let mut values = [f64::NAN; 6];
    let status = unsafe {
        (FMI.fmi3GetOutputDerivatives)(
            host.i,
            [X, X].as_ptr(),
            2,
            [1, 2].as_ptr(),
            values.as_mut_ptr(),
            6,
        )
    };
    assert_eq!(status, fmi3OK);
    for i in 0..3 {
        assert!(
            (values[i] + 4.0 * x[i]).abs() < 1e-9 && (values[3 + i] - 16.0 * x[i]).abs() < 1e-9,
            "{values:?}"
        );
    }
    let status = unsafe {
        (FMI.fmi3GetOutputDerivatives)(host.i, [X].as_ptr(), 1, [4].as_ptr(), values.as_mut_ptr(), 3)
    };
    assert_eq!(status, fmi3Error);
}

/// The dependencies of a variable: its element, the known, the element of the known.
fn dependencies(host: &Host, reference: u32) -> BTreeSet<(usize, u32, usize)> {
    let mut n = usize::MAX;
    unsafe {
        assert_eq!(
            (FMI.fmi3GetNumberOfVariableDependencies)(host.i, reference, &mut n),
            fmi3OK
        );
        let (mut elements, mut knowns) = (vec![0; n], vec![0; n]);
        let (mut known_elements, mut kinds) = (vec![0; n], vec![fmi3Independent; n]);
        let status = (FMI.fmi3GetVariableDependencies)(
            host.i,
            reference,
            elements.as_mut_ptr(),
            knowns.as_mut_ptr(),
            known_elements.as_mut_ptr(),
            kinds.as_mut_ptr(),
            n,
        );
        assert_eq!(status, fmi3OK);
        assert!(kinds.iter().all(|kind| *kind != fmi3Independent));
        let rows = elements.into_iter().zip(knowns).zip(known_elements);
        rows.map(|((element, known), of_known)| (element, known, of_known))
            .collect()
    }
}

#[test]
fn dependencies_are_known_element_by_element() {
    let host = Host::new(Purpose::Exchange);
    assert_eq!(dependencies(&host, KK), BTreeSet::from([(1, K, 1)]), "initially");
    assert_eq!(dependencies(&host, U), BTreeSet::new());
    host.initialize();
    let mut wanted = BTreeSet::new();
    for row in 1..=3 {
        wanted.extend([(row, K, 1), (row, U, 1), (row, U, 2)]);
        wanted.extend([(row, MATRIX, 2 * row - 1), (row, MATRIX, 2 * row)]);
    }
    assert_eq!(dependencies(&host, Y), wanted);
    let der = |row| [(row, X, row), (row, K, 1), (row, GAIN, 1), (row, U, 1)];
    let wanted: BTreeSet<_> = (1..=3).flat_map(der).collect();
    assert_eq!(dependencies(&host, DER_X), wanted);
    let mut n = 0;
    unsafe {
        assert_eq!(
            (FMI.fmi3GetNumberOfVariableDependencies)(host.i, INDICATORS, &mut n),
            fmi3Error
        );
        assert_eq!(
            (FMI.fmi3GetNumberOfVariableDependencies)(host.i, 99, &mut n),
            fmi3Error
        );
    }
}

#[test]
fn the_version_is_3_0() {
    let version = unsafe { CStr::from_ptr((FMI.fmi3GetVersion)()) };
    assert_eq!(version.to_str(), Ok("3.0"));
}

/// Reverse mode against one direction per element of the knowns, in every mode that has derivatives.
#[test]
fn adjoint_derivatives_are_the_same_matrix_from_the_other_side() {
    let exchange = |mode: u8| {
        let host = Host::new(Purpose::Exchange);
        unsafe {
            assert_eq!(
                (FMI.fmi3EnterInitializationMode)(host.i, 0, 0.0, 0.0, 0, 0.0),
                fmi3OK
            )
        };
        if mode > 0 {
            assert_eq!(host.call(FMI.fmi3ExitInitializationMode), fmi3OK);
        }
        if mode > 1 {
            host.settle();
            assert_eq!(host.call(FMI.fmi3EnterContinuousTimeMode), fmi3OK);
        }
        host
    };
    let stepped = Host::initialized(Purpose::Steps(false, false));
    stepped.step(0.0, 0.7);
    for host in [exchange(0), exchange(1), exchange(2), stepped] {
        let (unknowns, knowns) = ([DER_X, Y], [X, U, K, MATRIX, TIME]);
        let weights = [1.0, -0.5, 0.25, 2.0, -3.0, 0.125];
        let mut gradient = [f64::NAN; 13];
        assert_eq!(host.adjoint(&unknowns, &knowns, &weights, &mut gradient), fmi3OK);
        for known in 0..13 {
            let (mut seed, mut column) = ([0.0; 13], [f64::NAN; 6]);
            seed[known] = 1.0;
            assert_eq!(host.directional(&unknowns, &knowns, &seed, &mut column), fmi3OK);
            let terms: Vec<f64> = weights
                .iter()
                .zip(column)
                .map(|(weight, entry)| weight * entry)
                .collect();
            let (sum, size) = (
                terms.iter().sum::<f64>(),
                terms.iter().map(|term| term.abs()).sum::<f64>(),
            );
            assert!(
                (gradient[known] - sum).abs() <= 1e-12 * size,
                "{known}: {} {sum}",
                gradient[known]
            );
        }
        let mut again = [f64::NAN; 13];
        assert_eq!(host.adjoint(&unknowns, &knowns, &weights, &mut again), fmi3OK);
        assert_eq!(again, gradient);
        assert_eq!(
            host.adjoint(&[Y, Y], &[U], &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0], &mut again[..2]),
            fmi3OK
        );
        assert_eq!(
            again[..2],
            [2.0, 4.0],
            "an unknown that is named twice counts twice"
        );
        assert_eq!(
            host.adjoint(&[Y], &[U, U], &[1.0, 0.0, 0.0], &mut again[..4]),
            fmi3OK
        );
        assert_eq!(
            again[..4],
            [1.0, 2.0, 1.0, 2.0],
            "a known that is named twice is one variable"
        );
        assert_eq!(
            host.adjoint(&[INDICATORS], &[U], &[1.0, 0.0], &mut again[..2]),
            fmi3Error
        );
    }
}
