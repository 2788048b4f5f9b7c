//! The only place of this crate where pointers of C become something that Rust can vouch for. Everything here trusts
//! the caller to keep the contract of the standard: handles come from `fmi2Instantiate` and are used by one thread at
//! a time, arrays are as long as their length says, strings end with a zero byte, and none of them changes
//! during the call.

use super::floating_point::Environment;
use super::functions::Function;
use super::instance::{Arguments, Instance};
use super::library::Library;
use super::panics;
use super::problem::{Outcome, Problem};
use super::stack;
use crate::ModelError;
use crate::cosim::Stabilizer;
use crate::model::Model;
use fmu_standard::fmi2::{
    fmi2Byte, fmi2CallbackFunctions, fmi2Component, fmi2Discard, fmi2Error, fmi2FMUstate, fmi2OK, fmi2Real,
    fmi2Status, fmi2String, fmi2Type, fmi2Warning,
};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::catch_unwind;
use std::path::Path;

/// Calls `body` on the instance behind `c`: see [`Instance::call`].
///
/// # Safety
/// `c` is null, or comes from [`instantiate`] for the same `M`, is not freed, and no other thread uses it.
pub unsafe fn call<M: Model>(
    c: fmi2Component,
    function: Function,
    body: impl FnOnce(&mut Instance<M>) -> Outcome,
) -> fmi2Status {
    // SAFETY: what the caller promises makes it a valid and unique reference, or null.
    match unsafe { c.cast::<Instance<M>>().as_mut() } {
        Some(instance) => {
            let environment = Environment::enter();
            instance.see_environment(environment.is_default());
            if function.is_light() || instance.stack.is_none() {
                return instance.call(function, body);
            }
            let stack = instance.stack.take();
            let status = stack::run(stack.as_ref(), || instance.call(function, body));
            instance.stack = stack;
            status
        }
        None => fmi2Error,
    }
}

/// As [`call`], with a shortcut for what integrators do all the time. Where everything is in order, `shortcut` does
/// the work and says true. Else it has done nothing that counts, and the long way says what is wrong.
///
/// # Safety
/// As for [`call`].
#[inline(always)]
pub unsafe fn call_shortcut<M: Model>(
    c: fmi2Component,
    function: Function,
    shortcut: impl FnOnce(&mut Instance<M>) -> bool,
    body: impl FnOnce(&mut Instance<M>) -> Outcome,
) -> fmi2Status {
    // SAFETY: as for `call`.
    if let Some(instance) = unsafe { c.cast::<Instance<M>>().as_mut() }
        && instance.is_open_for(function)
        && (function.is_light() || (!stack::is_needed::<M>() && instance.sees_default_environment()))
        && shortcut(instance)
    {
        return fmi2OK;
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
unsafe extern "C" fn call_the_long_way<M: Model>(
    c: fmi2Component,
    function: Function,
    body: impl FnOnce(&mut Instance<M>) -> Outcome,
) -> fmi2Status {
    // SAFETY: as promised.
    unsafe { call(c, function, body) }
}

/// `fmi2Instantiate`.
///
/// # Safety
/// Strings and `functions` are null or as the standard describes them.
pub unsafe fn instantiate<M: Model>(
    (library, quiet): (&'static Library, bool),
    name: fmi2String,
    interface: fmi2Type,
    guid: fmi2String,
    resources: fmi2String,
    functions: *const fmi2CallbackFunctions,
    logging_on: bool,
) -> fmi2Component {
    panics::remember(quiet);
    // SAFETY: null, or valid during this call; the struct is copied before it ends.
    let Some(callbacks) = (unsafe { functions.as_ref() }) else {
        return std::ptr::null_mut();
    };
    // SAFETY: each is null or ends with a zero byte.
    let (name, guid, resources) = unsafe { (text(name), text(guid), text(resources)) };
    let arguments = Arguments {
        name,
        interface,
        guid,
        resources,
        callbacks,
        logging_on,
    };
    let _environment = Environment::enter();
    let stack = stack::for_instance::<M>();
    match stack::run(stack.as_ref(), || Instance::<M>::create(library, &arguments)) {
        Some(mut instance) => {
            instance.stack = stack;
            Box::into_raw(instance).cast()
        }
        None => std::ptr::null_mut(),
    }
}

/// `fmi2FreeInstance`.
///
/// # Safety
/// As for [`call`]; `c` is never used again.
pub unsafe fn free<M: Model>(c: fmi2Component) {
    if !c.is_null() {
        // SAFETY: the pointer comes from `Box::into_raw` in `instantiate`, and is given back once.
        let mut instance = unsafe { Box::from_raw(c.cast::<Instance<M>>()) };
        let _environment = Environment::enter();
        let stack = instance.stack.take();
        stack::run(stack.as_ref(), || instance.free());
    }
}

/// An array of the caller's, to read.
///
/// # Safety
/// `array` is null or has `length` elements, which nobody changes during `'a`.
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
/// `array` is null or has room for `length` elements, which nobody else uses during `'a`.
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
pub unsafe fn bytes<'a>(array: *const fmi2Byte, length: usize) -> Outcome<&'a [u8]> {
    // SAFETY: as promised; a `char` of C is a byte.
    unsafe { read(array.cast(), length) }
}

/// Bytes of the caller's, to write.
///
/// # Safety
/// As for [`write`].
pub unsafe fn bytes_mut<'a>(array: *mut fmi2Byte, length: usize) -> Outcome<&'a mut [u8]> {
    // SAFETY: as promised; a `char` of C is a byte.
    unsafe { write(array.cast(), length) }
}

/// One value of the caller's, to write.
///
/// # Safety
/// `place` is null or has room for a `T`, which nobody else uses during `'a`.
pub unsafe fn place<'a, T>(place: *mut T) -> Outcome<&'a mut T> {
    // SAFETY: null, or a place of the caller's own.
    unsafe { place.as_mut() }.ok_or_else(null_pointer)
}

/// Texts of the caller's.
///
/// # Safety
/// `array` is null or has `length` elements, each null or ended by a zero byte.
pub unsafe fn texts<'a>(array: *const fmi2String, length: usize) -> Outcome<Vec<&'a str>> {
    // SAFETY: as promised.
    let array = unsafe { read(array, length) }?;
    array
        .iter()
        .map(|&string| {
            // SAFETY: as promised.
            let text = unsafe { text(string) }.ok_or_else(null_pointer)?;
            text.to_str()
                .map_err(|_| Problem::error(format!("the text '{}' is no UTF-8", text.to_string_lossy())))
        })
        .collect()
}

/// # Safety
/// `string` is null or ends with a zero byte.
unsafe fn text<'a>(string: fmi2String) -> Option<&'a CStr> {
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
pub unsafe fn change_snapshot(state: *mut fmi2FMUstate, body: impl FnOnce(&mut usize) -> Outcome) -> Outcome {
    // SAFETY: as promised.
    let state = unsafe { place(state) }?;
    let mut handle = state.addr();
    let outcome = body(&mut handle);
    *state = std::ptr::without_provenance_mut(handle);
    outcome
}

/// What `fmuStabilizeInputs` is given: puts the derivatives of the stabilized inputs `u` at `time` into `du`, where the
/// model has the states `x` with the derivatives `dx`.
pub type InputDerivatives = unsafe extern "C" fn(
    context: *mut c_void,
    time: fmi2Real,
    u: *const fmi2Real,
    nu: usize,
    x: *const fmi2Real,
    dx: *const fmi2Real,
    nx: usize,
    du: *mut fmi2Real,
) -> fmi2Status;

/// The master's function, as the integrator calls it.
struct Master {
    function: InputDerivatives,
    context: *mut c_void,
}

// SAFETY: the instance calls it in the thread that calls the instance; that the context can be used there is the
// promise that comes with it.
unsafe impl Send for Master {}

impl Stabilizer for Master {
    fn derivatives(
        &mut self,
        t: f64,
        u: &[f64],
        x: &[f64],
        dx: &[f64],
        du: &mut [f64],
    ) -> Result<(), ModelError> {
        // SAFETY: the master's own function and context; all arrays live until it returns and are as long as it is told.
        let status = stack::on_host(|| unsafe {
            (self.function)(
                self.context,
                t,
                u.as_ptr(),
                u.len(),
                x.as_ptr(),
                dx.as_ptr(),
                x.len(),
                du.as_mut_ptr(),
            )
        });
        match status {
            fmi2OK | fmi2Warning => Ok(()),
            fmi2Discard => Err(refusal(t).recoverable()),
            _ => Err(refusal(t)),
        }
    }
}

#[cold]
fn refusal(t: f64) -> ModelError {
    ModelError::new(format!("the master has no derivatives of inputs at t = {t}"))
}

/// The master's function as a stabilizer.
///
/// # Safety
/// `function` is null or may be called with `context` whenever the instance is, until it is replaced.
pub unsafe fn stabilizer(
    function: Option<InputDerivatives>,
    context: *mut c_void,
) -> Option<Box<dyn Stabilizer>> {
    let master = |function| -> Box<dyn Stabilizer> { Box::new(Master { function, context }) };
    function.map(master)
}

/// Calls the environment's logger, if there is one.
pub(super) fn call_logger(
    callbacks: &fmi2CallbackFunctions,
    name: &CStr,
    status: fmi2Status,
    category: Option<&CStr>,
    message: &CStr,
) {
    let category = category.map_or(std::ptr::null(), CStr::as_ptr);
    if let Some(logger) = callbacks.logger {
        // SAFETY: the environment gave this function for this purpose; all strings live until it returns, and the
        // message refers to no further arguments.
        stack::on_host(|| unsafe {
            logger(
                callbacks.componentEnvironment,
                name.as_ptr(),
                status,
                category,
                message.as_ptr(),
            )
        });
    }
}

/// Where [`describe`] puts its texts: context, what it is, text, length.
pub type Sink = unsafe extern "C" fn(context: *mut c_void, kind: c_int, text: *const c_char, length: usize);

/// The finished modelDescription.xml.
const DESCRIPTION: c_int = 0;
/// A sentence for the person who packages the model.
const NOTE: c_int = 1;
/// Why there is no description.
const FAILURE: c_int = 2;

/// `fmuDescribe`: hands notes and modelDescription.xml to `sink` and returns 0, or a reason and returns 1.
///
/// `resources` is the path of the folder that will be the FMU's `resources`, or null if there is none.
///
/// # Safety
/// `resources` is null or a text; `sink` is a function that takes `context`, and any text.
pub unsafe fn describe<M: Model>(
    (library, quiet): (&'static Library, bool),
    resources: *const c_char,
    sink: Option<Sink>,
    context: *mut c_void,
) -> c_int {
    let Some(sink) = sink else { return 1 };
    panics::remember(quiet);
    let _environment = Environment::enter();
    // SAFETY: the caller's function, with the caller's context; the text lives until it returns.
    let hand_out = |kind, text: &str| unsafe { sink(context, kind, text.as_ptr().cast(), text.len()) };
    let folder = if resources.is_null() {
        Some("")
    } else {
        // SAFETY: not null, so a text of the caller's.
        unsafe { CStr::from_ptr(resources) }.to_str().ok()
    };
    let Some(folder) = folder else {
        hand_out(FAILURE, "the path of the resources is not UTF-8");
        return 1;
    };
    match catch_unwind(|| library.describe::<M>(Path::new(folder))) {
        Ok(Ok((description, notes))) => {
            for note in notes {
                hand_out(NOTE, &note);
            }
            hand_out(DESCRIPTION, &fmu_standard::xml::write(&description));
            0
        }
        Ok(Err(error)) => {
            hand_out(FAILURE, error.message());
            1
        }
        Err(payload) => {
            hand_out(
                FAILURE,
                &format!("the model panicked: {}", panics::explain(payload)),
            );
            1
        }
    }
}
