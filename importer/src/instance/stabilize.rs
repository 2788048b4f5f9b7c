//! Beyond the standard: inputs of a co-simulation as states of its integration, driven by the caller. FMUs of
//! this workspace offer it and say so in a vendor annotation; others do not.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fmu_standard::extension::{GET_STATES, STABILIZE_INPUTS};
use fmu_standard::fmi2;

use super::CoSimulation;
use crate::{BaseType, Error};

/// What drives stabilized inputs during a step.
pub trait InputDerivatives: Send {
    /// Puts the derivatives of the stabilized inputs `u` at `time` into `du`, where the model has the states `x` with the
    /// derivatives `dx`. False, if there are none: the step is then discarded.
    fn derivatives(&mut self, time: f64, u: &[f64], x: &[f64], dx: &[f64], du: &mut [f64]) -> bool;
}

/// What the FMU is given: an address that stays as long as the FMU may call.
pub(super) struct Stabilizer(Box<dyn InputDerivatives>);

impl std::fmt::Debug for Stabilizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stabilizer")
    }
}

/// The types of the two functions, bound where the library has them.
pub(crate) type StabilizeInputs = unsafe extern "C" fn(
    fmi2::fmi2Component,
    *const u32,
    usize,
    Option<Callback>,
    *mut c_void,
) -> fmi2::fmi2Status;
pub(crate) type GetStates =
    unsafe extern "C" fn(fmi2::fmi2Component, *mut f64, *mut f64, usize) -> fmi2::fmi2Status;
pub(crate) type Callback = unsafe extern "C" fn(
    *mut c_void,
    f64,
    *const f64,
    usize,
    *const f64,
    *const f64,
    usize,
    *mut f64,
) -> fmi2::fmi2Status;

unsafe extern "C" fn derivatives(
    context: *mut c_void,
    time: f64,
    u: *const f64,
    nu: usize,
    x: *const f64,
    dx: *const f64,
    nx: usize,
    du: *mut f64,
) -> fmi2::fmi2Status {
    let slice = |pointer: *const f64, n: usize| match n {
        0 => &[][..],
        // SAFETY: the FMU promises arrays of these lengths.
        _ => unsafe { std::slice::from_raw_parts(pointer, n) },
    };
    let (u, x, dx) = (slice(u, nu), slice(x, nx), slice(dx, nx));
    let du = match nu {
        0 => &mut [][..],
        // SAFETY: as above, and nothing else refers to the array.
        _ => unsafe { std::slice::from_raw_parts_mut(du, nu) },
    };
    // SAFETY: the context is the stabilizer of the instance, which lives as long as the instance, and an instance makes
    // one call at a time.
    let stabilizer = unsafe { &mut *context.cast::<Stabilizer>() };
    match catch_unwind(AssertUnwindSafe(|| stabilizer.0.derivatives(time, u, x, dx, du))) {
        Ok(true) => fmi2::fmi2OK,
        Ok(false) => fmi2::fmi2Discard,
        Err(_) => fmi2::fmi2Error,
    }
}

impl CoSimulation {
    /// Whether inputs can be made states of the integration, and states can be asked for.
    pub fn can_stabilize(&self) -> bool {
        self.instance.library.stabilize_inputs.is_some() && self.instance.library.get_states.is_some()
    }

    /// Makes inputs (value references of continuous Real inputs) states of the integration: what is set is where a step
    /// begins, and `derivatives` says how they go on.
    pub fn stabilize_inputs(
        &mut self,
        inputs: &[u32],
        derivatives_of: Box<dyn InputDerivatives>,
    ) -> Result<(), Error> {
        let Some(function) = self.instance.library.stabilize_inputs else {
            return Err(self.instance.library.missing(STABILIZE_INPUTS.name));
        };
        self.instance.known(BaseType::Real, inputs)?;
        self.instance.allow(&STABILIZE_INPUTS)?;
        let mut stabilizer = Box::new(Stabilizer(derivatives_of));
        let context: *mut Stabilizer = &mut *stabilizer;
        // SAFETY: the instance is alive, the array has this length, and the stabilizer is kept until the instance has gone
        // or another one has taken its place.
        let status = unsafe {
            function(
                self.instance.component,
                inputs.as_ptr(),
                inputs.len(),
                Some(derivatives),
                context.cast(),
            )
        };
        self.instance.finish(STABILIZE_INPUTS.name, status)?;
        self.stabilizer = Some(stabilizer);
        Ok(())
    }

    /// The continuous states and their derivatives at a communication point, in the order of the model structure, with
    /// the inputs as they are now.
    pub fn states(&mut self, x: &mut [f64], dx: &mut [f64]) -> Result<(), Error> {
        let Some(function) = self.instance.library.get_states else {
            return Err(self.instance.library.missing(GET_STATES.name));
        };
        self.instance.same_length(GET_STATES.name, x.len(), dx.len())?;
        self.instance.allow(&GET_STATES)?;
        // SAFETY: the instance is alive, and both arrays have this length.
        let status = unsafe { function(self.instance.component, x.as_mut_ptr(), dx.as_mut_ptr(), x.len()) };
        self.instance.finish(GET_STATES.name, status)
    }
}
