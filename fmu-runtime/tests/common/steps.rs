//! A host of the C functions of Co-Simulation.
#![allow(dead_code)]

use super::c_interface::*;
use fmu_runtime::standard::fmi2::*;
use std::ffi::{c_char, c_int, c_void};

/// What `fmuStabilizeInputs` takes.
pub type InputDerivatives = unsafe extern "C" fn(
    *mut c_void,
    f64,
    *const f64,
    usize,
    *const f64,
    *const f64,
    usize,
    *mut f64,
) -> fmi2Status;

#[rustfmt::skip]
unsafe extern "C" {
    fn fmi2SerializedFMUstateSize(c: fmi2Component, state: fmi2FMUstate, size: *mut usize) -> fmi2Status;
    fn fmi2SerializeFMUstate(c: fmi2Component, state: fmi2FMUstate, bytes: *mut c_char, size: usize) -> fmi2Status;
    fn fmi2DeSerializeFMUstate(c: fmi2Component, bytes: *const c_char, size: usize, state: *mut fmi2FMUstate) -> fmi2Status;
    fn fmi2SetRealInputDerivatives(c: fmi2Component, vr: *const u32, n: usize, order: *const c_int, value: *const f64) -> fmi2Status;
    fn fmi2GetRealOutputDerivatives(c: fmi2Component, vr: *const u32, n: usize, order: *const c_int, value: *mut f64) -> fmi2Status;
    fn fmi2GetRealStatus(c: fmi2Component, kind: fmi2StatusKind, value: *mut f64) -> fmi2Status;
    fn fmuStabilizeInputs(c: fmi2Component, vr: *const u32, n: usize, derivatives: Option<InputDerivatives>, context: *mut c_void) -> fmi2Status;
    fn fmuGetStates(c: fmi2Component, x: *mut f64, dx: *mut f64, n: usize) -> fmi2Status;
}

impl Host {
    /// A co-simulation, just instantiated.
    pub fn slave() -> Host {
        Host::try_new(fmi2CoSimulation, &guid(), false).unwrap_or_else(|heard| panic!("{heard:?}"))
    }

    /// A co-simulation at t = 0.
    pub fn stepping(tolerance: f64) -> Host {
        let host = Host::slave();
        host.initialize(tolerance);
        host
    }

    pub fn initialize(&self, tolerance: f64) {
        // SAFETY: the instance is alive.
        unsafe {
            assert_eq!(
                fmi2SetupExperiment(self.c, (tolerance > 0.0).into(), tolerance, 0.0, 0, 0.0),
                fmi2OK
            );
            assert_eq!(fmi2EnterInitializationMode(self.c), fmi2OK);
            assert_eq!(fmi2ExitInitializationMode(self.c), fmi2OK);
        }
    }

    pub fn step(&self, point: f64, step: f64) -> fmi2Status {
        // SAFETY: the instance is alive.
        unsafe { fmi2DoStep(self.c, point, step, 1) }
    }

    pub fn last_successful_time(&self) -> f64 {
        let mut t = f64::NAN;
        // SAFETY: the instance is alive.
        let status = unsafe { fmi2GetRealStatus(self.c, fmi2LastSuccessfulTime, &mut t) };
        assert_eq!(status, fmi2OK);
        t
    }

    pub fn set_input_derivative(&self, vr: u32, order: i32, value: f64) -> fmi2Status {
        // SAFETY: one of each.
        unsafe { fmi2SetRealInputDerivatives(self.c, &vr, 1, &order, &value) }
    }

    pub fn output_derivative(&self, vr: u32, order: i32) -> f64 {
        let mut value = f64::NAN;
        // SAFETY: one of each.
        let status = unsafe { fmi2GetRealOutputDerivatives(self.c, &vr, 1, &order, &mut value) };
        assert_eq!(status, fmi2OK);
        value
    }

    /// The present state as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let (mut state, mut size) = (std::ptr::null_mut(), 0);
        // SAFETY: as much room as the size says.
        unsafe {
            assert_eq!(fmi2GetFMUstate(self.c, &mut state), fmi2OK);
            assert_eq!(fmi2SerializedFMUstateSize(self.c, state, &mut size), fmi2OK);
            let mut bytes = vec![0xaa_u8; size];
            assert_eq!(
                fmi2SerializeFMUstate(self.c, state, bytes.as_mut_ptr().cast(), size),
                fmi2OK
            );
            assert_eq!(fmi2FreeFMUstate(self.c, &mut state), fmi2OK);
            bytes
        }
    }

    /// Goes to where the bytes say; false if they cannot be read.
    pub fn go_to(&self, bytes: &[u8]) -> bool {
        let mut state = std::ptr::null_mut();
        // SAFETY: as many bytes as the length says.
        unsafe {
            let status = fmi2DeSerializeFMUstate(self.c, bytes.as_ptr().cast(), bytes.len(), &mut state);
            if status != fmi2OK {
                assert_eq!((status, state.is_null()), (fmi2Error, true));
                return false;
            }
            assert_eq!(fmi2SetFMUstate(self.c, state), fmi2OK);
            assert_eq!(fmi2FreeFMUstate(self.c, &mut state), fmi2OK);
        }
        true
    }

    pub fn stabilize<const N: usize>(
        &self,
        inputs: [u32; N],
        derivatives: Option<InputDerivatives>,
    ) -> fmi2Status {
        // SAFETY: the functions of these tests take any context.
        unsafe { fmuStabilizeInputs(self.c, inputs.as_ptr(), N, derivatives, std::ptr::null_mut()) }
    }

    pub fn states<const N: usize>(&self) -> ([f64; N], [f64; N]) {
        let (mut x, mut dx) = ([f64::NAN; N], [f64::NAN; N]);
        // SAFETY: room for as many as the length says.
        let status = unsafe { fmuGetStates(self.c, x.as_mut_ptr(), dx.as_mut_ptr(), N) };
        assert_eq!(status, fmi2OK);
        (x, dx)
    }
}
