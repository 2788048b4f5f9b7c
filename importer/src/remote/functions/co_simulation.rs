//! The functions of Co-Simulation for an instance in another process, and those beyond the standard.

use fmu_standard::fmi2::{
    self, fmi2Boolean, fmi2Component, fmi2Integer, fmi2Real, fmi2Status, fmi2StatusKind, fmi2String,
    fmi2ValueReference,
};

use super::{hand_out, remote, slice, slice_mut};
use crate::instance::Callback;
use crate::remote::request;
use crate::watch::number_of;

pub(super) unsafe extern "C" fn set_input_derivatives(
    c: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    orders: *const fmi2Integer,
    values: *const fmi2Real,
) -> fmi2Status {
    // SAFETY: the arrays have the lengths beside them.
    let (remote, references) = unsafe { (remote(c), slice(references, count)) };
    // SAFETY: as above.
    let (orders, values) = unsafe { (slice(orders, count), slice(values, count)) };
    remote.request(
        const { number_of("fmi2SetRealInputDerivatives") },
        |out| {
            out.array(references).array(orders).array(values);
        },
        |_| Some(()),
    )
}

pub(super) unsafe extern "C" fn get_output_derivatives(
    c: fmi2Component,
    references: *const fmi2ValueReference,
    count: usize,
    orders: *const fmi2Integer,
    values: *mut fmi2Real,
) -> fmi2Status {
    // SAFETY: the arrays have the lengths beside them.
    let (remote, references) = unsafe { (remote(c), slice(references, count)) };
    // SAFETY: as above.
    let (orders, values) = unsafe { (slice(orders, count), slice_mut(values, count)) };
    remote.request(
        const { number_of("fmi2GetRealOutputDerivatives") },
        |out| {
            out.array(references).array(orders);
        },
        |answer| answer.array_into(values),
    )
}

pub(super) unsafe extern "C" fn do_step(
    c: fmi2Component,
    time: fmi2Real,
    step: fmi2Real,
    no_set_state_before: fmi2Boolean,
) -> fmi2Status {
    // SAFETY: only instances in other processes have this function.
    let remote = unsafe { remote(c) };
    remote.time = time;
    remote.request(
        const { number_of("fmi2DoStep") },
        |out| {
            out.put(time).put(step).put(no_set_state_before);
        },
        |_| Some(()),
    )
}

/// Functions that ask for a status that is a number.
macro_rules! statuses {
    ($($name:ident: $function:literal, $type:ty,)+) => {$(
        pub(super) unsafe extern "C" fn $name(c: fmi2Component, kind: fmi2StatusKind, value: *mut $type) -> fmi2Status {
            // SAFETY: the pointer leads to what is to be filled.
            let (remote, value) = unsafe { (remote(c), &mut *value) };
            remote.request(
                const { number_of($function) },
                |out| { out.put(kind.0); },
                |answer| {
                    *value = answer.take()?;
                    Some(())
                },
            )
        }
    )+};
}

statuses! {
    get_real_status: "fmi2GetRealStatus", fmi2Real,
    get_integer_status: "fmi2GetIntegerStatus", fmi2Integer,
    get_boolean_status: "fmi2GetBooleanStatus", fmi2Boolean,
}

pub(super) unsafe extern "C" fn get_status(
    c: fmi2Component,
    kind: fmi2StatusKind,
    value: *mut fmi2Status,
) -> fmi2Status {
    // SAFETY: the pointer leads to what is to be filled.
    let (remote, value) = unsafe { (remote(c), &mut *value) };
    remote.request(
        const { number_of("fmi2GetStatus") },
        |out| {
            out.put(kind.0);
        },
        |answer| {
            *value = fmi2Status(answer.take()?);
            Some(())
        },
    )
}

pub(super) unsafe extern "C" fn get_string_status(
    c: fmi2Component,
    kind: fmi2StatusKind,
    value: *mut fmi2String,
) -> fmi2Status {
    // SAFETY: the pointer leads to what is to be filled.
    let (remote, value) = unsafe { (remote(c), &mut *value) };
    let mut text = None;
    let status = remote.request(
        const { number_of("fmi2GetStringStatus") },
        |out| {
            out.put(kind.0);
        },
        |answer| {
            text = Some(crate::remote::serve::take_text(answer)?);
            Some(())
        },
    );
    if let Some(text) = text {
        hand_out(remote, vec![text], std::slice::from_mut(value));
    }
    status
}

pub(super) unsafe extern "C" fn stabilize_inputs(
    c: fmi2Component,
    references: *const u32,
    count: usize,
    callback: Option<Callback>,
    context: *mut std::ffi::c_void,
) -> fmi2Status {
    // SAFETY: the array has the length beside it.
    let (remote, references) = unsafe { (remote(c), slice(references, count)) };
    let status = remote.request(
        request::STABILIZE,
        |out| {
            out.array(references);
        },
        |_| Some(()),
    );
    if status == fmi2::fmi2OK || status == fmi2::fmi2Warning {
        remote.stabilizer = callback.map(|callback| (callback, context));
    }
    status
}

pub(super) unsafe extern "C" fn get_states(
    c: fmi2Component,
    x: *mut f64,
    dx: *mut f64,
    count: usize,
) -> fmi2Status {
    // SAFETY: both arrays have this length.
    let (remote, x, dx) = unsafe { (remote(c), slice_mut(x, count), slice_mut(dx, count)) };
    remote.request(
        request::STATES,
        |out| {
            out.put(count as u64);
        },
        |answer| {
            answer.array_into(x)?;
            answer.array_into(dx)
        },
    )
}
