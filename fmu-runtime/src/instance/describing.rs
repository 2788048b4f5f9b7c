//! A library describes its model, for packaging: the same hand-out for every version of the standard.

use super::floating_point::Environment;
use super::{Library, panics};
use crate::ModelError;
use crate::model::Model;
use fmu_standard::description::VendorAnnotation;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Where [`describe`] puts its texts: context, what it is, text, length.
pub type Sink = unsafe extern "C" fn(context: *mut c_void, kind: c_int, text: *const c_char, length: usize);

/// The finished modelDescription.xml.
const DESCRIPTION: c_int = 0;
/// A sentence for the person who packages the model.
const NOTE: c_int = 1;
/// Why there is no description.
const FAILURE: c_int = 2;

/// Hands notes and the text of modelDescription.xml to `sink` and returns 0, or a reason and returns 1.
///
/// `resources` is the path of the folder that will be the FMU's `resources`, or null if there is none.
///
/// # Safety
/// `resources` is null or a text; `sink` is a function that takes `context`, and any text.
pub unsafe fn describe(
    quiet: bool,
    resources: *const c_char,
    sink: Option<Sink>,
    context: *mut c_void,
    description: impl FnOnce(&Path) -> Result<(String, Vec<String>), ModelError>,
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
    match catch_unwind(AssertUnwindSafe(|| description(Path::new(folder)))) {
        Ok(Ok((description, notes))) => {
            for note in notes {
                hand_out(NOTE, &note);
            }
            hand_out(DESCRIPTION, &description);
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

/// The annotation with the mark of the build.
pub fn mark<M: Model>(library: &'static Library) -> VendorAnnotation {
    VendorAnnotation {
        tool: fmu_standard::extension::BUILD_TOOL.to_owned(),
        xml: format!("<Build mark=\"{}\"/>", library.mark::<M>()),
    }
}
