//! Snapshots of an instance in another process: handles that mean something there.

use fmu_standard::fmi2::{fmi2Byte, fmi2Component, fmi2FMUstate, fmi2Status};

use super::{remote, slice, slice_mut};
use crate::watch::number_of;

pub(super) unsafe extern "C" fn get_state(c: fmi2Component, state: *mut fmi2FMUstate) -> fmi2Status {
    // SAFETY: the pointer leads to a snapshot or to null.
    let (remote, state) = unsafe { (remote(c), &mut *state) };
    let given = state.addr() as u64;
    remote.request(
        const { number_of("fmi2GetFMUstate") },
        |out| {
            out.put(given);
        },
        |answer| {
            *state = std::ptr::without_provenance_mut(answer.take::<u64>()? as usize);
            Some(())
        },
    )
}

pub(super) unsafe extern "C" fn set_state(c: fmi2Component, state: fmi2FMUstate) -> fmi2Status {
    // SAFETY: only instances in other processes have this function.
    unsafe { remote(c) }.request(
        const { number_of("fmi2SetFMUstate") },
        |out| {
            out.put(state.addr() as u64);
        },
        |_| Some(()),
    )
}

pub(super) unsafe extern "C" fn free_state(c: fmi2Component, state: *mut fmi2FMUstate) -> fmi2Status {
    // SAFETY: the pointer leads to a snapshot or to null.
    let (remote, state) = unsafe { (remote(c), &mut *state) };
    let given = state.addr() as u64;
    remote.request(
        const { number_of("fmi2FreeFMUstate") },
        |out| {
            out.put(given);
        },
        |_| {
            *state = std::ptr::null_mut();
            Some(())
        },
    )
}

pub(super) unsafe extern "C" fn state_size(
    c: fmi2Component,
    state: fmi2FMUstate,
    size: *mut usize,
) -> fmi2Status {
    // SAFETY: the pointer leads to a number.
    let (remote, size) = unsafe { (remote(c), &mut *size) };
    remote.request(
        const { number_of("fmi2SerializedFMUstateSize") },
        |out| {
            out.put(state.addr() as u64);
        },
        |answer| {
            *size = answer.take::<u64>()? as usize;
            Some(())
        },
    )
}

pub(super) unsafe extern "C" fn serialize(
    c: fmi2Component,
    state: fmi2FMUstate,
    bytes: *mut fmi2Byte,
    size: usize,
) -> fmi2Status {
    // SAFETY: the array has the length beside it.
    let (remote, bytes) = unsafe { (remote(c), slice_mut(bytes.cast::<u8>(), size)) };
    remote.request(
        const { number_of("fmi2SerializeFMUstate") },
        |out| {
            out.put(state.addr() as u64).put(size as u64);
        },
        |answer| answer.array_into(bytes),
    )
}

pub(super) unsafe extern "C" fn deserialize(
    c: fmi2Component,
    bytes: *const fmi2Byte,
    size: usize,
    state: *mut fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: the array has the length beside it, and the pointer leads to a snapshot or to null.
    let (remote, bytes, state) = unsafe { (remote(c), slice(bytes.cast::<u8>(), size), &mut *state) };
    let given = state.addr() as u64;
    remote.request(
        const { number_of("fmi2DeSerializeFMUstate") },
        |out| {
            out.array(bytes).put(given);
        },
        |answer| {
            *state = std::ptr::without_provenance_mut(answer.take::<u64>()? as usize);
            Some(())
        },
    )
}
