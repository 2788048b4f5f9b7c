//! The model description, asked from the library itself.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

use super::library::DESCRIBE;

type Sink = unsafe extern "C" fn(context: *mut c_void, text: *const c_char, length: usize);
type Describe = unsafe extern "C" fn(sink: Sink, context: *mut c_void) -> c_int;

/// Describing evaluates the model's equations, once for each way through them; large models need room.
const STACK: usize = 512 << 20;

/// Loads the library of a model and has it describe itself; an error is the library's own sentence, or the loader's.
///
/// The model's code runs in this process, as a test of it would.
pub fn describe(library: &Path) -> Result<String, String> {
    std::thread::scope(|scope| {
        let describing = std::thread::Builder::new()
            .name("describe".to_owned())
            .stack_size(STACK);
        let thread = describing
            .spawn_scoped(scope, || call(library))
            .map_err(|error| error.to_string())?;
        thread.join().unwrap_or_else(|_| Err("it panicked".to_owned()))
    })
}

fn call(path: &Path) -> Result<String, String> {
    let mut text: Vec<u8> = Vec::new();
    // SAFETY: the library was built from a crate of the caller's own workspace; loading it runs no code that the
    // caller did not ask to be built. `fmuDescribe` has this signature in every library that has the symbol, and
    // calls the sink with a pointer to `length` readable bytes, on this thread, before it returns.
    let status = unsafe {
        let library = Library::new(path).map_err(|error| format!("it cannot be loaded: {error}"))?;
        let describe = library
            .get::<Describe>(DESCRIBE)
            .map_err(|error| error.to_string())?;
        describe(collect, (&raw mut text).cast())
    };
    let text = String::from_utf8(text).map_err(|error| format!("its text is not UTF-8: {error}"))?;
    match status {
        0 => Ok(text),
        _ if text.is_empty() => Err(format!("{DESCRIBE} answered {status} without a reason")),
        _ => Err(text),
    }
}

/// Appends to the `Vec<u8>` that `context` points to.
unsafe extern "C" fn collect(context: *mut c_void, text: *const c_char, length: usize) {
    if text.is_null() || length == 0 {
        return;
    }
    // SAFETY: `context` is the vector of `call`, which nobody else uses meanwhile; `text` has `length` bytes.
    unsafe {
        let collected = &mut *context.cast::<Vec<u8>>();
        collected.extend_from_slice(std::slice::from_raw_parts(text.cast(), length));
    }
}
