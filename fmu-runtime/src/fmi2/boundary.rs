//! The parts of the C boundary that are peculiar to FMI 2.0: arguments of `fmi2Instantiate`, the logger, the master's
//! function for stabilized inputs, and `fmuDescribe`.

use super::VOCABULARY;
use super::description::{full_description, model_description};
use crate::ModelError;
use crate::cosim::Stabilizer;
use crate::instance::boundary::{create, text};
use crate::instance::describing::{self, Sink};
use crate::instance::logger::ERROR;
use crate::instance::{Host, Instance, Interface, Library, Settings, Status, panics, resources, stack};
use crate::log::STANDARD_CATEGORIES;
use crate::model::Model;
use fmu_standard::fmi2::{
    fmi2CallbackFunctions, fmi2CoSimulation, fmi2Component, fmi2Discard, fmi2ModelExchange, fmi2OK, fmi2Real,
    fmi2Status, fmi2String, fmi2Type, fmi2Warning,
};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

impl From<Status> for fmi2Status {
    #[inline(always)]
    fn from(status: Status) -> fmi2Status {
        fmi2Status(status as c_int)
    }
}

/// The arguments of `fmi2Instantiate`; a null pointer is `None`.
struct Arguments<'a> {
    name: Option<&'a CStr>,
    interface: fmi2Type,
    guid: Option<&'a CStr>,
    resources: Option<&'a CStr>,
    callbacks: &'a fmi2CallbackFunctions,
    logging_on: bool,
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
    create(quiet, || {
        let created = catch_unwind(AssertUnwindSafe(|| instance::<M>(library, &arguments)));
        let sentence = match created {
            Ok(Ok(instance)) => return Some(instance),
            Ok(Err(sentence)) => sentence,
            Err(payload) => format!("the model panicked: {}", panics::explain(payload)),
        };
        let category = CString::new(STANDARD_CATEGORIES[ERROR].0).unwrap_or_default();
        Callbacks(*callbacks).log(
            name.unwrap_or(c"(no name)"),
            Status::Error,
            Some(&category),
            &format!("fmi2Instantiate: {sentence}"),
        );
        None
    })
}

fn instance<M: Model>(
    library: &'static Library,
    arguments: &Arguments<'_>,
) -> Result<Box<Instance<M>>, String> {
    let model_name = M::about().name;
    let name = arguments.name.ok_or("instanceName is a null pointer")?;
    if name.to_bytes().trim_ascii().is_empty() {
        return Err("instanceName is blank; it names the instance in messages".to_owned());
    }
    let interface = match arguments.interface {
        fmi2ModelExchange => Interface::ModelExchange,
        fmi2CoSimulation => Interface::CoSimulation,
        other => return Err(format!("fmuType is {}, which FMI 2.0 does not know", other.0)),
    };
    let guid = arguments.guid.ok_or("fmuGUID is a null pointer")?;
    let own = || Ok(model_description::<M>()?.guid);
    if !library
        .answers_to(guid.to_bytes(), own)
        .map_err(|error| error.to_string())?
    {
        return Err(format!(
            "fmuGUID {} is not the one of this library: modelDescription.xml and library of {model_name} \
             do not belong together",
            guid.to_string_lossy()
        ));
    }
    let settings = Settings {
        name,
        interface,
        logging_on: arguments.logging_on,
        host: Box::new(Callbacks(*arguments.callbacks)),
        vocabulary: &VOCABULARY,
    };
    Instance::create(library, settings, || {
        let uri = arguments.resources.map(CStr::to_string_lossy);
        let uri = uri.filter(|uri| !uri.is_empty());
        let uri =
            uri.ok_or_else(|| format!("{model_name} reads resources, but fmuResourceLocation is empty"))?;
        resources::folder(&uri)
    })
}

/// The environment by its callback functions.
struct Callbacks(fmi2CallbackFunctions);

impl Host for Callbacks {
    fn log(&self, instance: &CStr, status: Status, category: Option<&CStr>, message: &str) {
        let (Some(logger), Ok(message)) = (self.0.logger, CString::new(escape(message))) else {
            return;
        };
        // SAFETY: the environment gave this function for this purpose; all strings live until it returns, and the
        // message refers to no further arguments.
        stack::on_host(|| unsafe {
            logger(
                self.0.componentEnvironment,
                instance.as_ptr(),
                status.into(),
                category.map_or(std::ptr::null(), CStr::as_ptr),
                message.as_ptr(),
            )
        });
    }
}

/// The message is a format of `printf`, and in it `#` begins the reference to a variable: both are doubled. A zero
/// byte would end it.
fn escape(sentence: &str) -> String {
    let sentence = sentence.trim_end().replace('%', "%%").replace('#', "##");
    sentence.replace('\0', "\u{fffd}")
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
        // SAFETY: the master's own function and context; all arrays live until it returns and are as long as their arguments say.
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

/// `fmuDescribe`: see [`describing::describe`].
///
/// # Safety
/// As for [`describing::describe`].
pub unsafe fn describe<M: Model>(
    (library, quiet): (&'static Library, bool),
    resources: *const c_char,
    sink: Option<Sink>,
    context: *mut c_void,
) -> c_int {
    let description = |resources: &Path| {
        let (mut description, mut notes) = full_description::<M>(resources)?;
        notes.extend(stack::note::<M>(library, &VOCABULARY, resources));
        description
            .vendor_annotations
            .push(describing::mark::<M>(library));
        Ok((fmu_standard::xml::write(&description), notes))
    };
    // SAFETY: as promised.
    unsafe { describing::describe(quiet, resources, sink, context, description) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_message_is_no_format_and_names_no_variable() {
        assert_eq!(super::escape("50% of #4\n"), "50%% of ##4");
        assert_eq!(super::escape("a\0b"), "a\u{fffd}b");
    }
}
