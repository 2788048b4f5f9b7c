//! The C functions of an exported model, where its own code and its own types have a say; the calling sequence of the
//! standard has a driver of its own, in C.

#[path = "common/c_interface.rs"]
mod c_interface;

use c_interface::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi2::*;
use std::ffi::CStr;
use test_support::allocations::{self, Counting};

#[global_allocator]
static COUNTING: Counting = Counting;

/// How the valve stands
#[derive(Enumeration, Clone, Copy, Debug, PartialEq)]
enum Stand {
    /// Nothing flows
    Closed = 1,
    /// Everything flows
    Open = 3,
}

/// A tank with a valve, which has its moods
#[model(log_categories("valve" = "What the valve does"))]
struct Library {
    /// Level
    #[state(start = 4.0, min = 0.0, max = 5.0)]
    level: f64,
    /// Outflow at level 1
    #[parameter(start = 0.5, min = 0.0, max = 1.0)]
    flow: f64,
    /// Pressure of the air
    #[parameter(start = 1.0)]
    pressure: f64,
    /// Inflow
    #[input(start = 0.0, min = -1.0, max = 1.0)]
    inflow: f64,
    /// Stand of the valve
    #[input(start = Stand::Open)]
    stand: Stand,
    /// 1 panic, 2 error, 3 recoverable error, 4 message, 5 unknown category
    #[input(start = 0)]
    mood: i32,
    /// What the label says
    #[parameter(start = "water")]
    label: String,
}

#[equations]
impl Library {
    fn live(&self) -> Result<(), ModelError> {
        match self.mood {
            1 => panic!("the valve broke, 100 % sure"),
            2 => Err(ModelError::new("the valve is stuck, see #4")),
            3 => Err(ModelError::new("the level is too low").recoverable()),
            4 => {
                log!("valve", "turned by 90% (item #{})", 4);
                Ok(())
            }
            5 => {
                log!("gossip", "heard nothing");
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[equations]
impl Model for Library {
    fn derivatives(&self, _t: f64) -> Result<Derivatives<Self>, ModelError> {
        self.live()?;
        let open = if self.stand == Stand::Open { 1.0 } else { 0.0 };
        Ok(Derivatives::<Self> {
            level: self.inflow - open * self.flow * self.level,
        })
    }

    fn event(&mut self, _at: Event) -> Result<(), ModelError> {
        self.live()
    }
}

// A model may have the name of anything that the macro itself uses.
fmu_runtime::__private::fmi2_entry_points!(Library);

const LEVEL: u32 = 0;
const FLOW: u32 = 1;
const PRESSURE: u32 = 2;
const INFLOW: u32 = 3;
const STAND: u32 = 0;
const MOOD: u32 = 1;

/// In continuous-time mode, with an integer input set at an event before.
fn running_with(vr: u32, value: i32, logging: bool) -> Host {
    let host = Host::running(logging);
    // SAFETY: the instance is alive.
    unsafe {
        assert_eq!(fmi2EnterEventMode(host.c), fmi2OK);
        assert_eq!(host.set_integer([vr], [value]), fmi2OK);
        assert_eq!(fmi2EnterContinuousTimeMode(host.c), fmi2OK);
    }
    host.heard();
    host
}

fn derivative(host: &Host) -> (fmi2Status, f64) {
    let mut dx = f64::NAN;
    // SAFETY: one state, one derivative.
    let status = unsafe { fmi2GetDerivatives(host.c, &mut dx, 1) };
    (status, dx)
}

#[test]
fn a_panic_is_reported_with_its_place_and_only_a_reset_helps() {
    for logging in [false, true] {
        let host = running_with(MOOD, 1, logging);
        let mut snapshot = std::ptr::null_mut();
        // SAFETY: the instance is alive, the snapshot its own.
        unsafe {
            assert_eq!(fmi2GetFMUstate(host.c, &mut snapshot), fmi2OK);
            assert_eq!(derivative(&host).0, fmi2Error);
            let sentence = host.sentence();
            let place = format!("{}:", file!());
            assert!(
                sentence.starts_with("fmi2GetDerivatives: the model panicked: the valve broke, 100 %% sure")
            );
            assert!(sentence.contains(&place), "{sentence}");
            let mut value = 0.0;
            assert_eq!(fmi2GetReal(host.c, &LEVEL, 1, &mut value), fmi2Error);
            assert!(host.sentence().contains("fmi2Reset"));
            assert_eq!(fmi2SetFMUstate(host.c, snapshot), fmi2OK);
            assert_eq!(host.real(LEVEL), 4.0);
            assert_eq!(derivative(&host).0, fmi2Error);
            host.heard();
            assert_eq!(fmi2Reset(host.c), fmi2OK);
            host.start();
            assert_eq!(derivative(&host), (fmi2OK, -2.0));
        }
    }
}

#[test]
fn errors_of_the_model_are_errors_or_discards_where_the_standard_knows_them() {
    let host = running_with(MOOD, 2, false);
    assert_eq!(derivative(&host).0, fmi2Error);
    assert_eq!(host.sentence(), "fmi2GetDerivatives: the valve is stuck, see ##4");

    let host = running_with(MOOD, 3, true);
    assert_eq!(derivative(&host).0, fmi2Discard);
    let heard = host.heard();
    assert_eq!((heard[0].0, &*heard[0].1), (fmi2Discard, "logStatusDiscard"));
    // SAFETY: the instance is alive.
    unsafe {
        assert_eq!(fmi2SetTime(host.c, 1.0), fmi2OK, "it goes on");
        assert_eq!(fmi2EnterEventMode(host.c), fmi2OK);
        // An event can be neither repeated nor made smaller.
        let mut info = fmi2EventInfo::default();
        assert_eq!(fmi2NewDiscreteStates(host.c, &mut info), fmi2Error);
    }
}

#[test]
fn messages_are_no_formats_and_their_categories_are_those_of_the_xml() {
    let host = running_with(MOOD, 4, true);
    derivative(&host);
    let expected = (fmi2OK, "valve".to_owned(), "turned by 90%% (item ##4)".to_owned());
    assert_eq!(host.heard(), [expected]);
    let host = running_with(MOOD, 5, true);
    derivative(&host);
    assert_eq!(
        host.heard(),
        [(fmi2OK, "logAll".to_owned(), "[gossip] heard nothing".to_owned())]
    );

    // Only what is asked for.
    let host = running_with(MOOD, 4, true);
    let set = |on: i32, categories: &[&CStr]| {
        let categories: Vec<_> = categories.iter().map(|category| category.as_ptr()).collect();
        // SAFETY: as many categories as the length says.
        let status = unsafe { fmi2SetDebugLogging(host.c, on, categories.len(), categories.as_ptr()) };
        assert_eq!(status, fmi2OK);
        // SAFETY: the instance is alive.
        unsafe { fmi2SetTime(host.c, host.real(5) + 1.0) };
        derivative(&host);
        host.heard().len()
    };
    assert_eq!(set(1, &[c"logEvents"]), 0);
    assert_eq!(set(1, &[c"logEvents", c"valve"]), 1);
    assert_eq!(set(0, &[c"logEvents"]), 1);
    assert_eq!(set(0, &[c"valve"]), 0);
    assert_eq!(set(1, &[c"logAll"]), 1);
    assert_eq!(set(0, &[]), 0);
    assert_eq!(set(1, &[]), 1);
}

#[test]
fn a_bad_value_keeps_its_whole_call_from_being_stored() {
    let host = Host::new(true);
    // SAFETY: the instance is alive.
    unsafe {
        fmi2SetupExperiment(host.c, 0, 0.0, 0.0, 0, 0.0);
        fmi2EnterInitializationMode(host.c);
    }
    assert_eq!(host.set_real([PRESSURE, FLOW], [2.0, 1.5]), fmi2Discard);
    let sentence = host.sentence();
    assert_eq!(
        sentence,
        "fmi2SetReal: Real variable 'flow' (value reference 1): 1.5 is outside its range from 0 to 1"
    );
    assert_eq!((host.real(PRESSURE), host.real(FLOW)), (1.0, 0.5));
    assert_eq!(host.set_real([PRESSURE, FLOW], [2.0, f64::NAN]), fmi2Discard);
    host.heard();

    assert_eq!(host.set_real([INFLOW, LEVEL], [1.5, 7.0]), fmi2Warning);
    assert_eq!(host.heard()[0].1, "logStatusWarning");
    assert_eq!((host.real(INFLOW), host.real(LEVEL)), (1.5, 7.0));

    assert_eq!(host.set_integer([MOOD, STAND], [4, 2]), fmi2Discard);
    assert!(
        host.sentence()
            .contains("'stand' (value reference 0): 2 is not an item of its enumeration")
    );
    assert_eq!((host.integer(MOOD), host.integer(STAND)), (0, 3));
    assert_eq!(host.set_integer([STAND], [1]), fmi2OK);
    assert_eq!(derivative(&host), (fmi2OK, 1.5));
}

#[test]
fn strings_are_lent_until_the_next_call() {
    let host = Host::new(false);
    let texts = [c"wine".as_ptr()];
    let mut lent = [std::ptr::null(); 2];
    // SAFETY: as many values as references; the strings lent are read before the next call.
    unsafe {
        assert_eq!(fmi2SetString(host.c, &0, 1, texts.as_ptr()), fmi2OK);
        host.start();
        assert_eq!(
            fmi2GetString(host.c, [0, 0].as_ptr(), 2, lent.as_mut_ptr()),
            fmi2OK
        );
        assert_eq!(
            (CStr::from_ptr(lent[0]), CStr::from_ptr(lent[1])),
            (c"wine", c"wine")
        );
    }
}

#[test]
fn handles_of_snapshots_are_found_out_and_never_followed() {
    let (one, other) = (Host::running(false), Host::running(false));
    let (mut first, mut second) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the instances are alive; bad handles are what this is about.
    unsafe {
        assert_eq!(fmi2GetFMUstate(one.c, &mut first), fmi2OK);
        fmi2SetContinuousStates(one.c, &3.0, 1);
        assert_eq!(fmi2GetFMUstate(one.c, &mut second), fmi2OK);
        fmi2SetContinuousStates(one.c, &2.0, 1);
        for (state, level) in [(first, 4.0), (second, 3.0), (first, 4.0)] {
            assert_eq!(fmi2SetFMUstate(one.c, state), fmi2OK);
            assert_eq!(one.real(LEVEL), level);
        }
        let mut copy = first;
        assert_eq!(fmi2FreeFMUstate(one.c, &mut first), fmi2OK);
        assert!(first.is_null());
        assert_eq!(fmi2FreeFMUstate(one.c, &mut copy), fmi2Error, "freed twice");
        assert_eq!(fmi2SetFMUstate(one.c, copy), fmi2Error);
        assert_eq!(fmi2SetFMUstate(one.c, second), fmi2OK, "and a good one helps");
        assert_eq!(fmi2SetFMUstate(other.c, second), fmi2Error);
        assert!(other.sentence().contains("not a state of this instance"));
        assert_eq!(fmi2GetFMUstate(other.c, &mut copy), fmi2Error);
    }
}

#[test]
fn integrators_cost_no_allocation() {
    let host = Host::running(false);
    let before = allocations::count();
    let mut sum = 0.0;
    for i in 0..100 {
        // SAFETY: the instance is alive, one state.
        unsafe {
            fmi2SetTime(host.c, f64::from(i));
            fmi2SetContinuousStates(host.c, &f64::from(i), 1);
        }
        assert_eq!(host.set_real([INFLOW], [0.01 * f64::from(i)]), fmi2OK);
        sum += derivative(&host).1 + host.real(LEVEL) + host.real(4);
    }
    assert_eq!(allocations::count() - before, 0);
    assert!(sum.is_finite());
}

#[test]
fn instances_of_other_kinds_or_guids_are_refused_with_a_sentence() {
    let refused = |kind, guid: &str| {
        let heard = Host::try_new(kind, guid, false).err().unwrap();
        assert_eq!(
            (heard.len(), heard[0].0, &*heard[0].1),
            (1, fmi2Error, "logStatusError")
        );
        heard[0].2.clone()
    };
    assert!(refused(fmi2Type(7), &guid()).contains("fmuType is 7"));
    assert!(refused(fmi2ModelExchange, "{1234}").contains("do not belong together"));
    let host = Host::running(false);
    // SAFETY: the instance is alive.
    assert_eq!(unsafe { fmi2DoStep(host.c, 0.0, 1.0, 1) }, fmi2Error);
    assert!(host.sentence().contains("made for Model Exchange"));
}

/// The oldest snapshot is found and freed as fast as the newest, however many there are.
#[test]
fn snapshots_are_freed_in_any_order_at_the_same_price() {
    const COUNT: usize = 100_000;
    let free = |order: fn(&mut [fmi2FMUstate])| {
        let host = Host::running(false);
        let mut snapshots = vec![std::ptr::null_mut(); COUNT];
        // SAFETY: the host's instance is alive, and each handle is one of its own.
        unsafe {
            for snapshot in &mut snapshots {
                assert_eq!(fmi2GetFMUstate(host.c, snapshot), fmi2OK);
            }
            order(&mut snapshots);
            let begin = std::time::Instant::now();
            for snapshot in &mut snapshots {
                assert_eq!(fmi2FreeFMUstate(host.c, snapshot), fmi2OK);
            }
            begin.elapsed()
        }
    };
    let newest_first = free(<[_]>::reverse);
    let oldest_first = free(|_| {});
    let ratio = oldest_first.as_secs_f64() / newest_first.as_secs_f64();
    assert!(ratio < 10.0, "{oldest_first:?} against {newest_first:?}");
}
