//! The functions of the standard for an instance in another process: each sends its arguments and waits for the answer.

mod co_simulation;
mod model_exchange;
mod snapshots;

use std::ffi::{CStr, CString, c_char};

use fmu_standard::fmi2::{
    fmi2Boolean, fmi2Component, fmi2Integer, fmi2Real, fmi2Status, fmi2String, fmi2ValueReference,
};

use super::client::Remote;
use crate::instance::{GetStates, StabilizeInputs};
use crate::library::Functions;
use crate::watch::number_of;
use co_simulation::*;
use model_exchange::*;
use snapshots::*;

/// The instance that a component stands for.
///
/// # Safety
/// The component is that of an instance in another process, and no other call is under way.
unsafe fn remote<'a>(component: fmi2Component) -> &'a mut Remote {
    // SAFETY: as above; the remote lives as long as the instance.
    unsafe { &mut *component.cast::<Remote>() }
}

/// The elements behind a pointer.
///
/// # Safety
/// The pointer has as many elements, or their number is 0.
unsafe fn slice<'a, T>(pointer: *const T, length: usize) -> &'a [T] {
    match length {
        0 => &[],
        // SAFETY: the caller promises this.
        _ => unsafe { std::slice::from_raw_parts(pointer, length) },
    }
}

/// The same, to be written.
///
/// # Safety
/// As for [`slice`], and nothing else refers to the elements.
unsafe fn slice_mut<'a, T>(pointer: *mut T, length: usize) -> &'a mut [T] {
    match length {
        0 => &mut [],
        // SAFETY: the caller promises this.
        _ => unsafe { std::slice::from_raw_parts_mut(pointer, length) },
    }
}

/// Functions that take nothing but the instance.
macro_rules! plain {
    ($($name:ident: $function:literal,)+) => {$(
        unsafe extern "C" fn $name(c: fmi2Component) -> fmi2Status {
            // SAFETY: only instances in other processes have this function.
            unsafe { remote(c) }.request(const { number_of($function) }, |_| {}, |_| Some(()))
        }
    )+};
}

plain! {
    enter_initialization_mode: "fmi2EnterInitializationMode",
    exit_initialization_mode: "fmi2ExitInitializationMode",
    terminate: "fmi2Terminate",
    reset: "fmi2Reset",
    enter_event_mode: "fmi2EnterEventMode",
    enter_continuous_time_mode: "fmi2EnterContinuousTimeMode",
    cancel_step: "fmi2CancelStep",
}

unsafe extern "C" fn free_instance(c: fmi2Component) {
    // SAFETY: only instances in other processes have this function.
    let remote = unsafe { remote(c) };
    remote.request(const { number_of("fmi2FreeInstance") }, |_| {}, |_| Some(()));
    remote.report_loss();
}

unsafe extern "C" fn set_debug_logging(
    c: fmi2Component,
    on: fmi2Boolean,
    count: usize,
    categories: *const fmi2String,
) -> fmi2Status {
    // SAFETY: as for all functions: the arrays have the lengths beside them.
    let (remote, categories) = unsafe { (remote(c), slice(categories, count)) };
    remote.request(
        const { number_of("fmi2SetDebugLogging") },
        |out| {
            out.put(on).put(count as u64);
            for category in categories {
                // SAFETY: texts of an instance end with a zero byte.
                out.array(unsafe { CStr::from_ptr(*category) }.to_bytes());
            }
        },
        |_| Some(()),
    )
}

unsafe extern "C" fn setup_experiment(
    c: fmi2Component,
    has_tolerance: fmi2Boolean,
    tolerance: fmi2Real,
    start: fmi2Real,
    has_stop: fmi2Boolean,
    stop: fmi2Real,
) -> fmi2Status {
    // SAFETY: only instances in other processes have this function.
    let remote = unsafe { remote(c) };
    remote.time = start;
    remote.request(
        const { number_of("fmi2SetupExperiment") },
        |out| {
            out.put(has_tolerance).put(tolerance).put(start);
            out.put(has_stop).put(stop);
        },
        |_| Some(()),
    )
}

/// Functions that read values by their value references.
macro_rules! getters {
    ($($name:ident: $function:literal, $type:ty,)+) => {$(
        unsafe extern "C" fn $name(
            c: fmi2Component,
            references: *const fmi2ValueReference,
            count: usize,
            values: *mut $type,
        ) -> fmi2Status {
            // SAFETY: the arrays have the lengths beside them.
            let remote = unsafe { remote(c) };
            // SAFETY: as above.
            let references = unsafe { slice(references, count) };
            // SAFETY: as above.
            let values = unsafe { slice_mut(values, count) };
            remote.request(
                const { number_of($function) },
                |out| { out.array(references); },
                |answer| answer.array_into(values),
            )
        }
    )+};
}

getters! {
    get_real: "fmi2GetReal", fmi2Real,
    get_integer: "fmi2GetInteger", fmi2Integer,
    get_boolean: "fmi2GetBoolean", fmi2Boolean,
}

/// Functions that set values by their value references.
macro_rules! setters {
    ($($name:ident: $function:literal, $type:ty,)+) => {$(
        unsafe extern "C" fn $name(
            c: fmi2Component,
            references: *const fmi2ValueReference,
            count: usize,
            values: *const $type,
        ) -> fmi2Status {
            // SAFETY: the arrays have the lengths beside them.
            let remote = unsafe { remote(c) };
            // SAFETY: as above.
            let references = unsafe { slice(references, count) };
            // SAFETY: as above.
            let values = unsafe { slice(values, count) };
            remote.request(
                const { number_of($function) },
                |out| { out.array(references).array(values); },
                |_| Some(()),
            )
        }
    )+};
}

setters! {
    set_real: "fmi2SetReal", fmi2Real,
    set_integer: "fmi2SetInteger", fmi2Integer,
    set_boolean: "fmi2SetBoolean", fmi2Boolean,
}

unsafe extern "C" fn set_string(
    c: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *const fmi2String,
) -> fmi2Status {
    // SAFETY: the arrays have the lengths beside them.
    let (remote, references, values) = unsafe { (remote(c), slice(references, count), slice(values, count)) };
    remote.request(
        const { number_of("fmi2SetString") },
        |out| {
            out.array(references);
            for value in values {
                // SAFETY: texts of an instance end with a zero byte.
                out.array(unsafe { CStr::from_ptr(*value) }.to_bytes());
            }
        },
        |_| Some(()),
    )
}

/// A text that could not be read in the other process cannot be read here either.
const UNREADABLE: usize = 8;

/// Keeps texts of an answer for the caller and writes their addresses; `None` is a text that could not be read.
fn hand_out(remote: &mut Remote, texts: Vec<Option<CString>>, values: &mut [fmi2String]) {
    remote.texts.clear();
    for (text, value) in texts.into_iter().zip(values) {
        *value = match text {
            Some(text) => {
                let pointer: *const c_char = text.as_ptr();
                remote.texts.push(text);
                pointer
            }
            None => std::ptr::without_provenance(UNREADABLE),
        };
    }
}

unsafe extern "C" fn get_string(
    c: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    values: *mut fmi2String,
) -> fmi2Status {
    // SAFETY: the arrays have the lengths beside them.
    let (remote, references, values) =
        unsafe { (remote(c), slice(references, count), slice_mut(values, count)) };
    let mut texts = Vec::new();
    let status = remote.request(
        const { number_of("fmi2GetString") },
        |out| {
            out.array(references);
        },
        |answer| {
            for _ in 0..count {
                texts.push(crate::remote::serve::take_text(answer)?);
            }
            Some(())
        },
    );
    hand_out(remote, texts, values);
    status
}

unsafe extern "C" fn directional_derivative(
    c: fmi2Component,
    unknowns: *const fmi2ValueReference,
    unknown_count: usize,
    knowns: *const fmi2ValueReference,
    known_count: usize,
    seed: *const fmi2Real,
    derivative: *mut fmi2Real,
) -> fmi2Status {
    // SAFETY: the arrays have the lengths beside them.
    let (remote, unknowns, derivative) = unsafe {
        (
            remote(c),
            slice(unknowns, unknown_count),
            slice_mut(derivative, unknown_count),
        )
    };
    // SAFETY: as above.
    let (knowns, seed) = unsafe { (slice(knowns, known_count), slice(seed, known_count)) };
    remote.request(
        const { number_of("fmi2GetDirectionalDerivative") },
        |out| {
            out.array(unknowns).array(knowns).array(seed);
        },
        |answer| answer.array_into(derivative),
    )
}

/// Beyond the standard.
pub(crate) const STABILIZE: StabilizeInputs = stabilize_inputs;
pub(crate) const STATES: GetStates = get_states;

/// The table for a library that has those functions of the standard whose bits are set, by their numbers.
pub(crate) fn table(present: u64) -> Functions {
    macro_rules! table {
        ($($function:ident: $name:ident,)+) => {
            Functions {
                fmi2GetTypesPlatform: None,
                fmi2GetVersion: None,
                // Instances are made by `Isolated::instantiate`, because there is none yet that a call could go to.
                fmi2Instantiate: None,
                $($function: (present >> const { number_of(stringify!($function)) } & 1 == 1).then_some($name),)+
            }
        };
    }
    table! {
        fmi2SetDebugLogging: set_debug_logging,
        fmi2FreeInstance: free_instance,
        fmi2SetupExperiment: setup_experiment,
        fmi2EnterInitializationMode: enter_initialization_mode,
        fmi2ExitInitializationMode: exit_initialization_mode,
        fmi2Terminate: terminate,
        fmi2Reset: reset,
        fmi2GetReal: get_real,
        fmi2GetInteger: get_integer,
        fmi2GetBoolean: get_boolean,
        fmi2GetString: get_string,
        fmi2SetReal: set_real,
        fmi2SetInteger: set_integer,
        fmi2SetBoolean: set_boolean,
        fmi2SetString: set_string,
        fmi2GetFMUstate: get_state,
        fmi2SetFMUstate: set_state,
        fmi2FreeFMUstate: free_state,
        fmi2SerializedFMUstateSize: state_size,
        fmi2SerializeFMUstate: serialize,
        fmi2DeSerializeFMUstate: deserialize,
        fmi2GetDirectionalDerivative: directional_derivative,
        fmi2EnterEventMode: enter_event_mode,
        fmi2NewDiscreteStates: new_discrete_states,
        fmi2EnterContinuousTimeMode: enter_continuous_time_mode,
        fmi2CompletedIntegratorStep: completed_integrator_step,
        fmi2SetTime: set_time,
        fmi2SetContinuousStates: set_continuous_states,
        fmi2GetDerivatives: get_derivatives,
        fmi2GetEventIndicators: get_event_indicators,
        fmi2GetContinuousStates: get_continuous_states,
        fmi2GetNominalsOfContinuousStates: get_nominals,
        fmi2SetRealInputDerivatives: set_input_derivatives,
        fmi2GetRealOutputDerivatives: get_output_derivatives,
        fmi2DoStep: do_step,
        fmi2CancelStep: cancel_step,
        fmi2GetStatus: get_status,
        fmi2GetRealStatus: get_real_status,
        fmi2GetIntegerStatus: get_integer_status,
        fmi2GetBooleanStatus: get_boolean_status,
        fmi2GetStringStatus: get_string_status,
    }
}
