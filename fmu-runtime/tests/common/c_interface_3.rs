//! The C functions of FMI 3.0 of the model that a test exports, and a host with a log around them.
#![allow(dead_code)]

use fmu_runtime::standard::fmi3::*;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::Mutex;

macro_rules! declare {
    ($($name:ident: $type:ident,)+) => {
        /// All functions of the standard, by their types.
        pub struct Functions { $(pub $name: $type,)+ }
        pub const FMI: Functions = Functions { $($name: symbols::$name,)+ };
    };
}
fmu_runtime::standard::fmi3_functions!(declare);

#[rustfmt::skip]
mod symbols {
    use super::*;
    type Vr = *const u32;
    type S = fmi3Status;
    type I = fmi3Instance;
    type B = fmi3Boolean;
    unsafe extern "C" {
        pub fn fmi3GetVersion() -> *const c_char;
        pub fn fmi3SetDebugLogging(i: I, on: B, n: usize, categories: *const fmi3String) -> S;
        pub fn fmi3InstantiateModelExchange(name: fmi3String, token: fmi3String, resources: fmi3String, visible: B, on: B,
            environment: fmi3InstanceEnvironment, log: Option<fmi3LogMessageCallback>) -> I;
        pub fn fmi3InstantiateCoSimulation(name: fmi3String, token: fmi3String, resources: fmi3String, visible: B, on: B,
            event_mode: B, early: B, required: Vr, n: usize, environment: fmi3InstanceEnvironment,
            log: Option<fmi3LogMessageCallback>, update: Option<fmi3IntermediateUpdateCallback>) -> I;
        pub fn fmi3InstantiateScheduledExecution(name: fmi3String, token: fmi3String, resources: fmi3String, visible: B, on: B,
            environment: fmi3InstanceEnvironment, log: Option<fmi3LogMessageCallback>,
            update: Option<fmi3ClockUpdateCallback>, lock: Option<fmi3LockPreemptionCallback>,
            unlock: Option<fmi3UnlockPreemptionCallback>) -> I;
        pub fn fmi3FreeInstance(i: I);
        pub fn fmi3EnterInitializationMode(i: I, defined: B, tolerance: f64, start: f64, stop_defined: B, stop: f64) -> S;
        pub fn fmi3ExitInitializationMode(i: I) -> S;
        pub fn fmi3EnterEventMode(i: I) -> S;
        pub fn fmi3Terminate(i: I) -> S;
        pub fn fmi3Reset(i: I) -> S;
        pub fn fmi3GetFloat32(i: I, vr: Vr, n: usize, v: *mut f32, m: usize) -> S;
        pub fn fmi3GetFloat64(i: I, vr: Vr, n: usize, v: *mut f64, m: usize) -> S;
        pub fn fmi3GetInt8(i: I, vr: Vr, n: usize, v: *mut i8, m: usize) -> S;
        pub fn fmi3GetUInt8(i: I, vr: Vr, n: usize, v: *mut u8, m: usize) -> S;
        pub fn fmi3GetInt16(i: I, vr: Vr, n: usize, v: *mut i16, m: usize) -> S;
        pub fn fmi3GetUInt16(i: I, vr: Vr, n: usize, v: *mut u16, m: usize) -> S;
        pub fn fmi3GetInt32(i: I, vr: Vr, n: usize, v: *mut i32, m: usize) -> S;
        pub fn fmi3GetUInt32(i: I, vr: Vr, n: usize, v: *mut u32, m: usize) -> S;
        pub fn fmi3GetInt64(i: I, vr: Vr, n: usize, v: *mut i64, m: usize) -> S;
        pub fn fmi3GetUInt64(i: I, vr: Vr, n: usize, v: *mut u64, m: usize) -> S;
        pub fn fmi3GetBoolean(i: I, vr: Vr, n: usize, v: *mut B, m: usize) -> S;
        pub fn fmi3GetString(i: I, vr: Vr, n: usize, v: *mut fmi3String, m: usize) -> S;
        pub fn fmi3GetBinary(i: I, vr: Vr, n: usize, sizes: *mut usize, v: *mut fmi3Binary, m: usize) -> S;
        pub fn fmi3GetClock(i: I, vr: Vr, n: usize, v: *mut fmi3Clock) -> S;
        pub fn fmi3SetFloat32(i: I, vr: Vr, n: usize, v: *const f32, m: usize) -> S;
        pub fn fmi3SetFloat64(i: I, vr: Vr, n: usize, v: *const f64, m: usize) -> S;
        pub fn fmi3SetInt8(i: I, vr: Vr, n: usize, v: *const i8, m: usize) -> S;
        pub fn fmi3SetUInt8(i: I, vr: Vr, n: usize, v: *const u8, m: usize) -> S;
        pub fn fmi3SetInt16(i: I, vr: Vr, n: usize, v: *const i16, m: usize) -> S;
        pub fn fmi3SetUInt16(i: I, vr: Vr, n: usize, v: *const u16, m: usize) -> S;
        pub fn fmi3SetInt32(i: I, vr: Vr, n: usize, v: *const i32, m: usize) -> S;
        pub fn fmi3SetUInt32(i: I, vr: Vr, n: usize, v: *const u32, m: usize) -> S;
        pub fn fmi3SetInt64(i: I, vr: Vr, n: usize, v: *const i64, m: usize) -> S;
        pub fn fmi3SetUInt64(i: I, vr: Vr, n: usize, v: *const u64, m: usize) -> S;
        pub fn fmi3SetBoolean(i: I, vr: Vr, n: usize, v: *const B, m: usize) -> S;
        pub fn fmi3SetString(i: I, vr: Vr, n: usize, v: *const fmi3String, m: usize) -> S;
        pub fn fmi3SetBinary(i: I, vr: Vr, n: usize, sizes: *const usize, v: *const fmi3Binary, m: usize) -> S;
        pub fn fmi3SetClock(i: I, vr: Vr, n: usize, v: *const fmi3Clock) -> S;
        pub fn fmi3GetNumberOfVariableDependencies(i: I, vr: u32, n: *mut usize) -> S;
        pub fn fmi3GetVariableDependencies(i: I, vr: u32, elements: *mut usize, knowns: *mut u32, known_elements: *mut usize,
            kinds: *mut fmi3DependencyKind, n: usize) -> S;
        pub fn fmi3GetFMUState(i: I, state: *mut fmi3FMUState) -> S;
        pub fn fmi3SetFMUState(i: I, state: fmi3FMUState) -> S;
        pub fn fmi3FreeFMUState(i: I, state: *mut fmi3FMUState) -> S;
        pub fn fmi3SerializedFMUStateSize(i: I, state: fmi3FMUState, size: *mut usize) -> S;
        pub fn fmi3SerializeFMUState(i: I, state: fmi3FMUState, bytes: *mut u8, size: usize) -> S;
        pub fn fmi3DeserializeFMUState(i: I, bytes: *const u8, size: usize, state: *mut fmi3FMUState) -> S;
        pub fn fmi3GetDirectionalDerivative(i: I, unknowns: Vr, n: usize, knowns: Vr, m: usize, seed: *const f64, ns: usize,
            sensitivity: *mut f64, nd: usize) -> S;
        pub fn fmi3GetAdjointDerivative(i: I, unknowns: Vr, n: usize, knowns: Vr, m: usize, seed: *const f64, ns: usize,
            sensitivity: *mut f64, nd: usize) -> S;
        pub fn fmi3EnterConfigurationMode(i: I) -> S;
        pub fn fmi3ExitConfigurationMode(i: I) -> S;
        pub fn fmi3GetIntervalDecimal(i: I, vr: Vr, n: usize, v: *mut f64, q: *mut fmi3IntervalQualifier) -> S;
        pub fn fmi3GetIntervalFraction(i: I, vr: Vr, n: usize, c: *mut u64, r: *mut u64, q: *mut fmi3IntervalQualifier) -> S;
        pub fn fmi3GetShiftDecimal(i: I, vr: Vr, n: usize, v: *mut f64) -> S;
        pub fn fmi3GetShiftFraction(i: I, vr: Vr, n: usize, c: *mut u64, r: *mut u64) -> S;
        pub fn fmi3SetIntervalDecimal(i: I, vr: Vr, n: usize, v: *const f64) -> S;
        pub fn fmi3SetIntervalFraction(i: I, vr: Vr, n: usize, c: *const u64, r: *const u64) -> S;
        pub fn fmi3SetShiftDecimal(i: I, vr: Vr, n: usize, v: *const f64) -> S;
        pub fn fmi3SetShiftFraction(i: I, vr: Vr, n: usize, c: *const u64, r: *const u64) -> S;
        pub fn fmi3EvaluateDiscreteStates(i: I) -> S;
        pub fn fmi3UpdateDiscreteStates(i: I, needed: *mut B, terminate: *mut B, nominals: *mut B, states: *mut B,
            defined: *mut B, next: *mut f64) -> S;
        pub fn fmi3EnterContinuousTimeMode(i: I) -> S;
        pub fn fmi3CompletedIntegratorStep(i: I, no_set: B, enter: *mut B, terminate: *mut B) -> S;
        pub fn fmi3SetTime(i: I, t: f64) -> S;
        pub fn fmi3SetContinuousStates(i: I, x: *const f64, n: usize) -> S;
        pub fn fmi3GetContinuousStateDerivatives(i: I, dx: *mut f64, n: usize) -> S;
        pub fn fmi3GetEventIndicators(i: I, z: *mut f64, n: usize) -> S;
        pub fn fmi3GetContinuousStates(i: I, x: *mut f64, n: usize) -> S;
        pub fn fmi3GetNominalsOfContinuousStates(i: I, x: *mut f64, n: usize) -> S;
        pub fn fmi3GetNumberOfEventIndicators(i: I, n: *mut usize) -> S;
        pub fn fmi3GetNumberOfContinuousStates(i: I, n: *mut usize) -> S;
        pub fn fmi3EnterStepMode(i: I) -> S;
        pub fn fmi3GetOutputDerivatives(i: I, vr: Vr, n: usize, orders: *const i32, v: *mut f64, m: usize) -> S;
        pub fn fmi3DoStep(i: I, point: f64, step: f64, no_set: B, event: *mut B, terminate: *mut B, early: *mut B,
            last: *mut f64) -> S;
        pub fn fmi3ActivateModelPartition(i: I, clock: u32, t: f64) -> S;
        pub fn fmuDescribe3(resources: *const c_char,
            sink: Option<unsafe extern "C" fn(*mut c_void, c_int, *const c_char, usize)>, context: *mut c_void) -> c_int;
    }
}

/// Keeps the last text: the description or the failure, which come after the notes.
unsafe extern "C" fn take_text(context: *mut c_void, _kind: c_int, text: *const c_char, length: usize) {
    // SAFETY: the context is the one given in `describe`, the text has that length.
    unsafe {
        let text = std::slice::from_raw_parts(text.cast::<u8>(), length);
        *context.cast::<String>() = String::from_utf8(text.to_vec()).unwrap();
    }
}

/// What `fmuDescribe3` hands out.
pub fn describe() -> String {
    let mut text = String::new();
    // SAFETY: the sink takes a pointer to a `String`.
    let status = unsafe { symbols::fmuDescribe3(std::ptr::null(), Some(take_text), (&raw mut text).cast()) };
    assert_eq!(status, 0, "{text}");
    text
}

/// Status, category and text of a message.
pub type Heard = (fmi3Status, String, String);

unsafe extern "C" fn log(
    environment: fmi3InstanceEnvironment,
    status: fmi3Status,
    category: fmi3String,
    message: fmi3String,
) {
    // SAFETY: the environment is the log of a living host, and the texts are alive during the call.
    unsafe {
        let log = &*environment.cast::<Mutex<Vec<Heard>>>();
        let text = |text| CStr::from_ptr(text).to_str().unwrap().to_owned();
        log.lock().unwrap().push((status, text(category), text(message)));
    }
}

/// What an instance is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Purpose {
    Exchange,
    /// Event mode used, early return allowed.
    Steps(bool, bool),
    Scheduled,
}

/// An instance, and what it has said.
pub struct Host {
    pub i: fmi3Instance,
    log: Box<Mutex<Vec<Heard>>>,
}

/// How a step has ended: event handling needed, terminate, early return, last successful time.
pub type Ended = (bool, bool, bool, f64);

/// What an event pass says: needed, terminate, states changed, next event time.
pub type Updated = (bool, bool, bool, Option<f64>);

impl Host {
    pub fn try_new(purpose: Purpose, token: &str, logging: bool) -> Result<Host, Vec<Heard>> {
        let heard: Box<Mutex<Vec<Heard>>> = Box::new(Mutex::new(Vec::new()));
        let environment = (&raw const *heard).cast_mut().cast();
        let (token, on) = (CString::new(token).unwrap(), logging.into());
        let (name, none) = (c"one".as_ptr(), std::ptr::null());
        let (t, l) = (token.as_ptr(), Some(log as fmi3LogMessageCallback));
        // SAFETY: all strings are alive.
        let i = unsafe {
            match purpose {
                Purpose::Exchange => (FMI.fmi3InstantiateModelExchange)(name, t, none, 0, on, environment, l),
                Purpose::Steps(event, early) => (FMI.fmi3InstantiateCoSimulation)(
                    name,
                    t,
                    none,
                    0,
                    on,
                    event.into(),
                    early.into(),
                    std::ptr::null(),
                    0,
                    environment,
                    l,
                    None,
                ),
                Purpose::Scheduled => (FMI.fmi3InstantiateScheduledExecution)(
                    name,
                    t,
                    none,
                    0,
                    on,
                    environment,
                    l,
                    None,
                    None,
                    None,
                ),
            }
        };
        match i.is_null() {
            true => Err(heard.into_inner().unwrap()),
            false => Ok(Host { i, log: heard }),
        }
    }

    pub fn new(purpose: Purpose) -> Host {
        let description = fmu_runtime::standard::fmi3::read(describe()).unwrap();
        Host::try_new(purpose, &description.guid, true).unwrap()
    }

    /// The messages since the last question.
    pub fn heard(&self) -> Vec<Heard> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    /// Initialization, with the initial event handled where the environment has to.
    pub fn initialized(purpose: Purpose) -> Host {
        let host = Host::new(purpose);
        host.initialize();
        host
    }

    pub fn initialize(&self) {
        // SAFETY: a living instance, as everywhere below.
        unsafe {
            assert_eq!(
                (FMI.fmi3EnterInitializationMode)(self.i, 1, 1e-8, 0.0, 0, 0.0),
                fmi3OK
            );
            assert_eq!((FMI.fmi3ExitInitializationMode)(self.i), fmi3OK);
        }
    }

    pub fn get<const N: usize>(&self, references: &[u32]) -> [f64; N] {
        let mut values = [f64::NAN; N];
        assert_eq!(self.try_get(references, &mut values), fmi3OK);
        values
    }

    pub fn try_get(&self, references: &[u32], values: &mut [f64]) -> fmi3Status {
        let (r, n) = (references.as_ptr(), references.len());
        unsafe { (FMI.fmi3GetFloat64)(self.i, r, n, values.as_mut_ptr(), values.len()) }
    }

    pub fn set(&self, references: &[u32], values: &[f64]) -> fmi3Status {
        let (r, n) = (references.as_ptr(), references.len());
        unsafe { (FMI.fmi3SetFloat64)(self.i, r, n, values.as_ptr(), values.len()) }
    }

    pub fn step(&self, point: f64, step: f64) -> Ended {
        let (status, ended) = self.try_step(point, step);
        assert_eq!(status, fmi3OK, "{:?}", self.heard());
        ended
    }

    pub fn try_step(&self, point: f64, step: f64) -> (fmi3Status, Ended) {
        let (mut event, mut terminate, mut early, mut last) = (7, 7, 7, f64::NAN);
        let status = unsafe {
            (FMI.fmi3DoStep)(
                self.i,
                point,
                step,
                0,
                &mut event,
                &mut terminate,
                &mut early,
                &mut last,
            )
        };
        (status, (event == 1, terminate == 1, early == 1, last))
    }

    /// One pass of the event iteration.
    pub fn update(&self) -> Updated {
        let (mut needed, mut terminate, mut nominals, mut states, mut defined, mut next) =
            (7, 7, 7, 7, 7, f64::NAN);
        let status = unsafe {
            (FMI.fmi3UpdateDiscreteStates)(
                self.i,
                &mut needed,
                &mut terminate,
                &mut nominals,
                &mut states,
                &mut defined,
                &mut next,
            )
        };
        assert_eq!(status, fmi3OK, "{:?}", self.heard());
        assert_eq!(nominals, 0);
        (
            needed == 1,
            terminate == 1,
            states == 1,
            (defined == 1).then_some(next),
        )
    }

    /// The event iteration; returns the next event time.
    pub fn settle(&self) -> Option<f64> {
        loop {
            let (needed, terminate, _, next) = self.update();
            assert!(!terminate);
            if !needed {
                return next;
            }
        }
    }

    pub fn call(&self, function: unsafe extern "C" fn(fmi3Instance) -> fmi3Status) -> fmi3Status {
        unsafe { function(self.i) }
    }

    pub fn directional(
        &self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        sensitivity: &mut [f64],
    ) -> fmi3Status {
        unsafe {
            (FMI.fmi3GetDirectionalDerivative)(
                self.i,
                unknowns.as_ptr(),
                unknowns.len(),
                knowns.as_ptr(),
                knowns.len(),
                seed.as_ptr(),
                seed.len(),
                sensitivity.as_mut_ptr(),
                sensitivity.len(),
            )
        }
    }

    pub fn adjoint(
        &self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        sensitivity: &mut [f64],
    ) -> fmi3Status {
        unsafe {
            (FMI.fmi3GetAdjointDerivative)(
                self.i,
                unknowns.as_ptr(),
                unknowns.len(),
                knowns.as_ptr(),
                knowns.len(),
                seed.as_ptr(),
                seed.len(),
                sensitivity.as_mut_ptr(),
                sensitivity.len(),
            )
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        unsafe { (FMI.fmi3FreeInstance)(self.i) }
    }
}
