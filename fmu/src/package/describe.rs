//! The model description, asked from the library itself.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

use super::Version;

type Sink = unsafe extern "C" fn(context: *mut c_void, kind: c_int, text: *const c_char, length: usize);
type Describe = unsafe extern "C" fn(resources: *const c_char, sink: Sink, context: *mut c_void) -> c_int;

/// What a library says of its model.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// modelDescription.xml.
    pub description: String,
    /// Sentences for the person who packages the model.
    pub notes: Vec<String>,
}

/// Describing evaluates the model's equations, once for each way through them; large models need room.
const STACK: usize = 512 << 20;

/// Loads the library of a model and has it describe itself in a version of FMI; an error is the library's own sentence, or the loader's.
///
/// `resources` is the folder that becomes the FMU's own, if there is one. The model's code runs in this process, as a
/// test of it would.
pub fn describe(library: &Path, version: Version, resources: Option<&Path>) -> Result<Answer, String> {
    std::thread::scope(|scope| {
        let describing = std::thread::Builder::new()
            .name("describe".to_owned())
            .stack_size(STACK);
        let thread = describing
            .spawn_scoped(scope, || call(library, version, resources))
            .map_err(|error| error.to_string())?;
        thread.join().unwrap_or_else(|_| Err("it panicked".to_owned()))
    })
}

fn call(path: &Path, version: Version, resources: Option<&Path>) -> Result<Answer, String> {
    let resources = resources
        .map(|folder| {
            let text = folder.to_str().ok_or("the path of its resources is not UTF-8")?;
            CString::new(text).map_err(|_| "the path of its resources has a zero byte")
        })
        .transpose()?;
    let mut texts: Vec<(c_int, Vec<u8>)> = Vec::new();
    // SAFETY: the library was built from a crate of the caller's own workspace; loading it runs no code that the
    // caller did not ask to be built. `fmuDescribe` has this signature in every library that has the symbol, and
    // calls the sink with a pointer to `length` readable bytes, on this thread, before it returns.
    let status = unsafe {
        let library = Library::new(path).map_err(|error| format!("it cannot be loaded: {error}"))?;
        let describe = library
            .get::<Describe>(version.describe())
            .map_err(|error| error.to_string())?;
        let resources = resources.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
        describe(resources, collect, (&raw mut texts).cast())
    };
    let (mut answer, mut failure) = (Answer::default(), String::new());
    for (kind, bytes) in texts {
        let text = String::from_utf8(bytes).map_err(|error| format!("its text is not UTF-8: {error}"))?;
        match kind {
            0 => answer.description = text,
            1 => answer.notes.push(text),
            _ => failure = text,
        }
    }
    match status {
        0 => Ok(answer),
        _ if failure.is_empty() => Err(format!(
            "{} returned {status} without a reason",
            version.describe()
        )),
        _ => Err(failure),
    }
}

/// Appends to the list that `context` points to.
unsafe extern "C" fn collect(context: *mut c_void, kind: c_int, text: *const c_char, length: usize) {
    if text.is_null() {
        return;
    }
    // SAFETY: `context` is the list of `call`, which no other code uses meanwhile; `text` has `length` bytes.
    unsafe {
        let texts = &mut *context.cast::<Vec<(c_int, Vec<u8>)>>();
        texts.push((kind, std::slice::from_raw_parts(text.cast(), length).to_vec()));
    }
}
