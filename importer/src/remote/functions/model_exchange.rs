//! The functions of Model Exchange for an instance in another process.

use fmu_standard::fmi2::{fmi2Boolean, fmi2Component, fmi2EventInfo, fmi2Real, fmi2Status};

use super::{remote, slice, slice_mut};
use crate::watch::number_of;

pub(super) unsafe extern "C" fn new_discrete_states(
    c: fmi2Component,
    info: *mut fmi2EventInfo,
) -> fmi2Status {
    // SAFETY: the pointer leads to what is to be filled.
    let (remote, info) = unsafe { (remote(c), &mut *info) };
    remote.request(
        const { number_of("fmi2NewDiscreteStates") },
        |_| {},
        |answer| {
            info.newDiscreteStatesNeeded = answer.take()?;
            info.terminateSimulation = answer.take()?;
            info.nominalsOfContinuousStatesChanged = answer.take()?;
            info.valuesOfContinuousStatesChanged = answer.take()?;
            info.nextEventTimeDefined = answer.take()?;
            info.nextEventTime = answer.take()?;
            Some(())
        },
    )
}

pub(super) unsafe extern "C" fn completed_integrator_step(
    c: fmi2Component,
    no_set_state_before: fmi2Boolean,
    enter_event_mode: *mut fmi2Boolean,
    terminate: *mut fmi2Boolean,
) -> fmi2Status {
    // SAFETY: both pointers lead to what is to be filled.
    let (remote, event, end) = unsafe { (remote(c), &mut *enter_event_mode, &mut *terminate) };
    remote.request(
        const { number_of("fmi2CompletedIntegratorStep") },
        |out| {
            out.put(no_set_state_before);
        },
        |answer| {
            (*event, *end) = (answer.take()?, answer.take()?);
            Some(())
        },
    )
}

pub(super) unsafe extern "C" fn set_time(c: fmi2Component, time: fmi2Real) -> fmi2Status {
    // SAFETY: only instances in other processes have this function.
    let remote = unsafe { remote(c) };
    remote.time = time;
    remote.request(
        const { number_of("fmi2SetTime") },
        |out| {
            out.put(time);
        },
        |_| Some(()),
    )
}

pub(super) unsafe extern "C" fn set_continuous_states(
    c: fmi2Component,
    x: *const fmi2Real,
    count: usize,
) -> fmi2Status {
    // SAFETY: the array has the length beside it.
    let (remote, x) = unsafe { (remote(c), slice(x, count)) };
    remote.request(
        const { number_of("fmi2SetContinuousStates") },
        |out| {
            out.array(x);
        },
        |_| Some(()),
    )
}

/// Functions of Model Exchange that fill an array.
macro_rules! arrays {
    ($($name:ident: $function:literal,)+) => {$(
        pub(super) unsafe extern "C" fn $name(c: fmi2Component, values: *mut fmi2Real, count: usize) -> fmi2Status {
            // SAFETY: the array has the length beside it.
            let (remote, values) = unsafe { (remote(c), slice_mut(values, count)) };
            remote.request(
                const { number_of($function) },
                |out| { out.put(count as u64); },
                |answer| answer.array_into(values),
            )
        }
    )+};
}

arrays! {
    get_derivatives: "fmi2GetDerivatives",
    get_event_indicators: "fmi2GetEventIndicators",
    get_continuous_states: "fmi2GetContinuousStates",
    get_nominals: "fmi2GetNominalsOfContinuousStates",
}
