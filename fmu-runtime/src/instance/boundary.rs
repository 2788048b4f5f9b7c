//! Where pointers of C become references, for every version of the standard. Everything here relies on
//! the caller to keep the contract of the standard: handles come from [`create`] and are used by one thread at
//! a time, arrays are as long as their length says, strings end with a zero byte, and none of them changes
//! during the call.

use super::floating_point::Environment;
use super::problem::{Outcome, Problem, Status};
use super::{Function, Instance, panics, stack};
use crate::model::Model;
use std::ffi::{CStr, c_char, c_void};

/// Calls `body`, at most once, on the instance behind `c`: see [`Instance::call`].
///
/// # Safety
/// `c` is null, or comes from [`create`] for the same `M` (what it points to may begin with the instance), is not freed, and no
/// other thread uses it.
pub unsafe fn call<M: Model, S: From<Status>>(
    c: *mut c_void,
    function: &'static Function,
    body: impl FnMut(&mut Instance<M>) -> Outcome,
) -> S {
    // SAFETY: what the caller promises makes it a valid and unique reference, or null.
    match unsafe { c.cast::<Instance<M>>().as_mut() } {
        Some(instance) => frame(instance, function, body).into(),
        None => Status::Error.into(),
    }
}

/// The frame of a call: the floating-point environment and the stack that the model needs.
#[inline(always)]
pub(crate) fn frame<M: Model>(
    instance: &mut Instance<M>,
    function: &'static Function,
    mut body: impl FnMut(&mut Instance<M>) -> Outcome,
) -> Status {
    frame_of(instance, function, &mut body)
}

/// A library contains this once, and not once per function: the frame is larger than most bodies.
#[inline(never)]
fn frame_of<M: Model>(
    instance: &mut Instance<M>,
    function: &'static Function,
    body: &mut dyn FnMut(&mut Instance<M>) -> Outcome,
) -> Status {
    let environment = Environment::enter();
    instance.see_environment(environment.is_default());
    if function.is_light || instance.stack.is_none() {
        return instance.call(function, body);
    }
    let stack = instance.stack.take();
    let status = frame_on(stack.as_ref(), instance, function, body);
    instance.stack = stack;
    status
}

#[inline(never)]
fn frame_on<M: Model>(
    stack: Option<&stack::Stack>,
    instance: &mut Instance<M>,
    function: &'static Function,
    body: &mut dyn FnMut(&mut Instance<M>) -> Outcome,
) -> Status {
    stack::run(stack, || instance.call(function, body))
}

/// As [`call`], with a shortcut for what integrators do all the time. If no check fails, `shortcut` does
/// the work and returns true. Otherwise it has changed nothing, and the long way reports what is wrong.
///
/// # Safety
/// As for [`call`].
#[inline(always)]
pub unsafe fn call_shortcut<M: Model, S: From<Status>>(
    c: *mut c_void,
    function: &'static Function,
    shortcut: impl FnOnce(&mut Instance<M>) -> bool,
    body: impl FnMut(&mut Instance<M>) -> Outcome,
) -> S {
    // SAFETY: as for `call`.
    if let Some(instance) = unsafe { c.cast::<Instance<M>>().as_mut() }
        && instance.is_open_for(function)
        && (function.is_light || (!stack::is_needed::<M>() && instance.sees_default_environment()))
        && shortcut(instance)
    {
        return Status::Ok.into();
    }
    // SAFETY: as promised.
    unsafe { call_the_long_way(c, function, body) }
}

/// A function of C, which cannot unwind: so the last thing that [`call_shortcut`] does is a jump.
///
/// # Safety
/// As for [`call`].
#[cold]
#[inline(never)]
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn call_the_long_way<M: Model, S: From<Status>>(
    c: *mut c_void,
    function: &'static Function,
    body: impl FnMut(&mut Instance<M>) -> Outcome,
) -> S {
    // SAFETY: as promised.
    unsafe { call(c, function, body) }
}

/// Creates an instance and gives it to the caller; null where `create` gives none. An FMU's library is `quiet`: its panics
/// go to the logger only.
pub fn create<M: Model, H: Held<M>>(quiet: bool, create: impl FnOnce() -> Option<Box<H>>) -> *mut c_void {
    panics::remember(quiet);
    let _environment = Environment::enter();
    let stack = stack::for_instance::<M>();
    match stack::run(stack.as_ref(), create) {
        Some(mut held) => {
            held.instance().stack = stack;
            Box::into_raw(held).cast()
        }
        None => std::ptr::null_mut(),
    }
}

/// Frees an instance.
///
/// # Safety
/// As for [`call`]; `c` comes from [`create`] for the same `H`, and is never used again.
pub unsafe fn free<M: Model, H: Held<M>>(c: *mut c_void) {
    if !c.is_null() {
        // SAFETY: the pointer comes from `Box::into_raw` in `create`, and is given back once.
        let mut held = unsafe { Box::from_raw(c.cast::<H>()) };
        let _environment = Environment::enter();
        let stack = held.instance().stack.take();
        stack::run(stack.as_ref(), || held.into_instance().free());
    }
}

/// What a handle points to: an instance, or what begins with one in memory.
pub trait Held<M: Model> {
    /// The instance.
    fn instance(&mut self) -> &mut Instance<M>;
    /// The instance, without what else there is.
    fn into_instance(self: Box<Self>) -> Instance<M>;
}

impl<M: Model> Held<M> for Instance<M> {
    fn instance(&mut self) -> &mut Instance<M> {
        self
    }
    fn into_instance(self: Box<Self>) -> Instance<M> {
        *self
    }
}

/// An array of the caller's, to read.
///
/// # Safety
/// `array` is null or has `length` elements, which do not change during `'a`.
pub unsafe fn read<'a, T>(array: *const T, length: usize) -> Outcome<&'a [T]> {
    // SAFETY: as promised.
    unsafe { slice(array, length) }.ok_or_else(null_pointer)
}

/// # Safety
/// As for [`read`].
#[inline(always)]
pub unsafe fn slice<'a, T>(array: *const T, length: usize) -> Option<&'a [T]> {
    match (array.is_null(), length) {
        // Environments pass any pointer, null too, for no elements.
        (_, 0) => Some(&[]),
        (true, _) => None,
        // SAFETY: not null, and as long as the caller says.
        (false, length) => Some(unsafe { std::slice::from_raw_parts(array, length) }),
    }
}

/// An array of the caller's, to write.
///
/// # Safety
/// `array` is null or has room for `length` elements, which nothing else uses during `'a`.
pub unsafe fn write<'a, T>(array: *mut T, length: usize) -> Outcome<&'a mut [T]> {
    // SAFETY: as promised.
    unsafe { slice_mut(array, length) }.ok_or_else(null_pointer)
}

/// # Safety
/// As for [`write`].
#[inline(always)]
pub unsafe fn slice_mut<'a, T>(array: *mut T, length: usize) -> Option<&'a mut [T]> {
    match (array.is_null(), length) {
        (_, 0) => Some(&mut []),
        (true, _) => None,
        // SAFETY: not null, as long as the caller says, and the caller's own.
        (false, length) => Some(unsafe { std::slice::from_raw_parts_mut(array, length) }),
    }
}

/// Bytes of the caller's, to read.
///
/// # Safety
/// As for [`read`].
pub unsafe fn bytes<'a>(array: *const c_char, length: usize) -> Outcome<&'a [u8]> {
    // SAFETY: as promised; a `char` of C is a byte.
    unsafe { read(array.cast(), length) }
}

/// Bytes of the caller's, to write.
///
/// # Safety
/// As for [`write`].
pub unsafe fn bytes_mut<'a>(array: *mut c_char, length: usize) -> Outcome<&'a mut [u8]> {
    // SAFETY: as promised; a `char` of C is a byte.
    unsafe { write(array.cast(), length) }
}

/// One value of the caller's, to write.
///
/// # Safety
/// `place` is null or has room for a `T`, which nothing else uses during `'a`.
pub unsafe fn place<'a, T>(place: *mut T) -> Outcome<&'a mut T> {
    // SAFETY: null, or a place of the caller's own.
    unsafe { place.as_mut() }.ok_or_else(null_pointer)
}

/// Texts of the caller's.
///
/// # Safety
/// `array` is null or has `length` elements, each null or ended by a zero byte.
pub unsafe fn texts<'a>(array: *const *const c_char, length: usize) -> Outcome<Vec<&'a str>> {
    // SAFETY: as promised.
    let array = unsafe { read(array, length) }?;
    array
        .iter()
        .map(|&string| {
            // SAFETY: as promised.
            let text = unsafe { text(string) }.ok_or_else(null_pointer)?;
            text.to_str()
                .map_err(|_| Problem::error(format!("the text '{}' is not UTF-8", text.to_string_lossy())))
        })
        .collect()
}

/// # Safety
/// `string` is null or ends with a zero byte.
pub(crate) unsafe fn text<'a>(string: *const c_char) -> Option<&'a CStr> {
    // SAFETY: not null, and ended by a zero byte.
    (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) })
}

#[cold]
fn null_pointer() -> Box<Problem> {
    Problem::error("an argument is a null pointer")
}

/// Lets `body` change the number in a handle that is the caller's.
///
/// # Safety
/// As for [`place`].
pub unsafe fn change_snapshot(state: *mut *mut c_void, body: impl FnOnce(&mut usize) -> Outcome) -> Outcome {
    // SAFETY: as promised.
    let state = unsafe { place(state) }?;
    let mut handle = state.addr();
    let outcome = body(&mut handle);
    *state = std::ptr::without_provenance_mut(handle);
    outcome
}
