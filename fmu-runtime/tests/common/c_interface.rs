//! The C functions of the model that a test exports, and a host with a log around them.
#![allow(dead_code)]

use fmu_runtime::standard::fmi2::*;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[rustfmt::skip]
unsafe extern "C" {
    pub fn fmi2SetDebugLogging(c: fmi2Component, on: fmi2Boolean, n: usize, categories: *const fmi2String) -> fmi2Status;
    pub fn fmi2Instantiate(name: fmi2String, kind: fmi2Type, guid: fmi2String, resources: fmi2String,
        functions: *const fmi2CallbackFunctions, visible: fmi2Boolean, on: fmi2Boolean) -> fmi2Component;
    pub fn fmi2FreeInstance(c: fmi2Component);
    pub fn fmi2SetupExperiment(c: fmi2Component, tolerance_defined: fmi2Boolean, tolerance: f64, start: f64,
        stop_defined: fmi2Boolean, stop: f64) -> fmi2Status;
    pub fn fmi2EnterInitializationMode(c: fmi2Component) -> fmi2Status;
    pub fn fmi2ExitInitializationMode(c: fmi2Component) -> fmi2Status;
    pub fn fmi2Terminate(c: fmi2Component) -> fmi2Status;
    pub fn fmi2Reset(c: fmi2Component) -> fmi2Status;
    pub fn fmi2GetReal(c: fmi2Component, vr: *const u32, n: usize, value: *mut f64) -> fmi2Status;
    pub fn fmi2GetInteger(c: fmi2Component, vr: *const u32, n: usize, value: *mut c_int) -> fmi2Status;
    pub fn fmi2GetString(c: fmi2Component, vr: *const u32, n: usize, value: *mut fmi2String) -> fmi2Status;
    pub fn fmi2SetReal(c: fmi2Component, vr: *const u32, n: usize, value: *const f64) -> fmi2Status;
    pub fn fmi2SetInteger(c: fmi2Component, vr: *const u32, n: usize, value: *const c_int) -> fmi2Status;
    pub fn fmi2SetString(c: fmi2Component, vr: *const u32, n: usize, value: *const fmi2String) -> fmi2Status;
    pub fn fmi2GetFMUstate(c: fmi2Component, state: *mut fmi2FMUstate) -> fmi2Status;
    pub fn fmi2SetFMUstate(c: fmi2Component, state: fmi2FMUstate) -> fmi2Status;
    pub fn fmi2FreeFMUstate(c: fmi2Component, state: *mut fmi2FMUstate) -> fmi2Status;
    pub fn fmi2EnterEventMode(c: fmi2Component) -> fmi2Status;
    pub fn fmi2NewDiscreteStates(c: fmi2Component, info: *mut fmi2EventInfo) -> fmi2Status;
    pub fn fmi2EnterContinuousTimeMode(c: fmi2Component) -> fmi2Status;
    pub fn fmi2SetTime(c: fmi2Component, time: f64) -> fmi2Status;
    pub fn fmi2SetContinuousStates(c: fmi2Component, x: *const f64, n: usize) -> fmi2Status;
    pub fn fmi2GetDerivatives(c: fmi2Component, dx: *mut f64, n: usize) -> fmi2Status;
    pub fn fmi2GetContinuousStates(c: fmi2Component, x: *mut f64, n: usize) -> fmi2Status;
    pub fn fmi2GetDirectionalDerivative(c: fmi2Component, unknowns: *const u32, n: usize, knowns: *const u32, m: usize,
        seed: *const f64, derivative: *mut f64) -> fmi2Status;
    pub fn fmi2DoStep(c: fmi2Component, point: f64, step: f64, no_state: fmi2Boolean) -> fmi2Status;
    pub fn fmuDescribe(resources: *const c_char,
        sink: Option<unsafe extern "C" fn(*mut c_void, c_int, *const c_char, usize)>, context: *mut c_void) -> c_int;
}

/// Keeps the last text: the description or the failure, which come after the notes.
unsafe extern "C" fn take_text(context: *mut c_void, _kind: c_int, text: *const c_char, length: usize) {
    // SAFETY: the context is the one given in `describe`, the text has that length.
    unsafe {
        let text = std::slice::from_raw_parts(text.cast::<u8>(), length);
        *context.cast::<String>() = String::from_utf8(text.to_vec()).unwrap();
    }
}

/// What `fmuDescribe` hands out, with as much room as packaging gives it.
pub fn describe() -> Result<String, String> {
    let call = || {
        let mut text = String::new();
        // SAFETY: the sink takes a pointer to a `String`.
        match unsafe { fmuDescribe(std::ptr::null(), Some(take_text), (&raw mut text).cast()) } {
            0 => Ok(text),
            _ => Err(text),
        }
    };
    let thread = std::thread::Builder::new().stack_size(512 << 20);
    thread.spawn(call).unwrap().join().unwrap()
}

/// The GUID in the description.
pub fn guid() -> String {
    let xml = describe().unwrap();
    let guid = xml.split("guid=\"").nth(1).unwrap();
    guid.split('"').next().unwrap().to_owned()
}

/// Status, category and text of a message.
pub type Heard = (fmi2Status, String, String);

/// An instance, and what it has said.
pub struct Host {
    pub c: fmi2Component,
    log: Box<Mutex<Vec<Heard>>>,
}

/// An address on the stack of the last call of the logger.
static LOGGED_AT: AtomicUsize = AtomicUsize::new(0);

/// The logger of a host that does not look at further arguments: called as the variadic function that it stands for,
/// it leaves them alone.
unsafe extern "C" fn logger(
    environment: fmi2ComponentEnvironment,
    _name: fmi2String,
    status: fmi2Status,
    category: fmi2String,
    message: fmi2String,
) {
    // SAFETY: the environment is the log of a living host, and the texts are alive during the call.
    unsafe {
        let log = &*environment.cast::<Mutex<Vec<Heard>>>();
        let text = |text| CStr::from_ptr(text).to_str().unwrap().to_owned();
        log.lock().unwrap().push((status, text(category), text(message)));
        LOGGED_AT.store((&raw const environment).addr(), Ordering::Relaxed);
    }
}

impl Host {
    /// `None` if there is no instance; then the messages.
    pub fn try_new(kind: fmi2Type, guid: &str, logging: bool) -> Result<Host, Vec<Heard>> {
        let log = Box::new(Mutex::new(Vec::new()));
        // SAFETY: on all platforms that FMI knows, a variadic function is called like one with fixed arguments as long
        // as those are pointers and integers.
        let logger = unsafe {
            std::mem::transmute::<
                unsafe extern "C" fn(
                    fmi2ComponentEnvironment,
                    fmi2String,
                    fmi2Status,
                    fmi2String,
                    fmi2String,
                ),
                fmi2CallbackLogger,
            >(logger)
        };
        let functions = fmi2CallbackFunctions {
            logger: Some(logger),
            allocateMemory: None,
            freeMemory: None,
            stepFinished: None,
            componentEnvironment: (&raw const *log).cast_mut().cast(),
        };
        let guid = CString::new(guid).unwrap();
        // SAFETY: all strings are alive.
        let c = unsafe {
            fmi2Instantiate(
                c"one".as_ptr(),
                kind,
                guid.as_ptr(),
                std::ptr::null(),
                &functions,
                0,
                logging.into(),
            )
        };
        match c.is_null() {
            true => Err(log.into_inner().unwrap()),
            false => Ok(Host { c, log }),
        }
    }

    pub fn new(logging: bool) -> Host {
        Host::try_new(fmi2ModelExchange, &guid(), logging).unwrap_or_else(|heard| panic!("{heard:?}"))
    }

    /// A host in continuous-time mode at t = 0.
    pub fn running(logging: bool) -> Host {
        let host = Host::new(logging);
        host.start();
        host
    }

    /// From 'instantiated' to continuous-time mode.
    pub fn start(&self) {
        let mut info = fmi2EventInfo::default();
        // SAFETY: the instance is alive.
        unsafe {
            assert_eq!(fmi2SetupExperiment(self.c, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
            assert_eq!(fmi2EnterInitializationMode(self.c), fmi2OK);
            assert_eq!(fmi2ExitInitializationMode(self.c), fmi2OK);
            assert_eq!(fmi2NewDiscreteStates(self.c, &mut info), fmi2OK);
            assert_eq!(fmi2EnterContinuousTimeMode(self.c), fmi2OK);
        }
    }

    /// What was said since the last time.
    pub fn heard(&self) -> Vec<Heard> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    /// Where on which stack the logger was last called.
    pub fn logged_at(&self) -> usize {
        LOGGED_AT.load(Ordering::Relaxed)
    }

    /// The text of the only message since the last time.
    pub fn sentence(&self) -> String {
        match &self.heard()[..] {
            [(_, _, text)] => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    pub fn real(&self, vr: u32) -> f64 {
        let mut value = f64::NAN;
        // SAFETY: one reference, one value.
        assert_eq!(unsafe { fmi2GetReal(self.c, &vr, 1, &mut value) }, fmi2OK);
        value
    }

    pub fn integer(&self, vr: u32) -> i32 {
        let mut value = i32::MIN;
        // SAFETY: one reference, one value.
        assert_eq!(unsafe { fmi2GetInteger(self.c, &vr, 1, &mut value) }, fmi2OK);
        value
    }

    pub fn set_real<const N: usize>(&self, vr: [u32; N], value: [f64; N]) -> fmi2Status {
        // SAFETY: as many values as references.
        unsafe { fmi2SetReal(self.c, vr.as_ptr(), N, value.as_ptr()) }
    }

    pub fn set_integer<const N: usize>(&self, vr: [u32; N], value: [i32; N]) -> fmi2Status {
        // SAFETY: as many values as references.
        unsafe { fmi2SetInteger(self.c, vr.as_ptr(), N, value.as_ptr()) }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: freed once.
        unsafe { fmi2FreeInstance(self.c) }
    }
}

// SAFETY: an instance may be used from any thread, one at a time.
unsafe impl Send for Host {}
