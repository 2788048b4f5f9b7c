//! The parts of the C boundary that are peculiar to FMI 3.0: arguments of the functions that create an instance, the logger, and
//! `fmuDescribe3`.

use super::VOCABULARY;
use super::description::{full_description, model_description};
use super::extra::{Extra, Handle};
use super::layout::Arrays;
use crate::describe::described;
use crate::instance::boundary::{Held, create, frame, text};
use crate::instance::describing::{self, Sink};
use crate::instance::logger::ERROR;
use crate::instance::{
    Function, Host, Instance, Interface, Library, Outcome, Settings, Status, panics, resources, stack,
};
use crate::log::STANDARD_CATEGORIES;
use crate::model::Model;
use fmu_standard::fmi3::{
    fmi3Instance, fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3Status, fmi3String, fmi3ValueReference,
};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

impl From<Status> for fmi3Status {
    #[inline(always)]
    fn from(status: Status) -> fmi3Status {
        fmi3Status(status as c_int)
    }
}

impl<M: Model> Held<M> for Handle<M> {
    fn instance(&mut self) -> &mut Instance<M> {
        &mut self.instance
    }
    fn into_instance(self: Box<Self>) -> Instance<M> {
        self.instance
    }
}

/// Calls `body` on what is behind `c`, with what FMI 3.0 adds to an instance.
///
/// # Safety
/// `c` is null, or comes from [`instantiate`] for the same `M`, is not freed, and no other thread uses it.
pub unsafe fn call<M: Model>(
    c: fmi3Instance,
    function: &'static Function,
    mut body: impl FnMut(&mut Instance<M>, &mut Extra) -> Outcome,
) -> fmi3Status {
    // SAFETY: what the caller promises makes it a valid and unique reference, or null.
    match unsafe { c.cast::<Handle<M>>().as_mut() } {
        Some(Handle { instance, extra }) => {
            frame(instance, function, |instance| body(instance, extra)).into()
        }
        None => Status::Error.into(),
    }
}

/// What a library is, for the functions that create instances.
#[derive(Clone, Copy)]
pub struct About {
    /// What its instances share.
    pub library: &'static Library,
    /// Panics are not printed.
    pub quiet: bool,
    /// Arrays are described element by element.
    pub scalar: bool,
}

impl About {
    fn arrays(self) -> Arrays {
        match self.scalar {
            true => Arrays::Scalar,
            false => Arrays::Whole,
        }
    }
}

/// The interface that an instance is created for, with the flags of Co-Simulation.
#[derive(Clone, Copy)]
pub enum Purpose {
    /// `fmi3InstantiateModelExchange`.
    ModelExchange,
    /// `fmi3InstantiateCoSimulation`.
    CoSimulation {
        /// `eventModeUsed`.
        event_mode_used: bool,
        /// `earlyReturnAllowed`.
        early_return_allowed: bool,
        /// The first of `requiredIntermediateVariables`.
        intermediate_variable: Option<fmi3ValueReference>,
    },
    /// `fmi3InstantiateScheduledExecution`.
    ScheduledExecution,
}

impl Purpose {
    fn function(self) -> &'static str {
        match self {
            Purpose::ModelExchange => "fmi3InstantiateModelExchange",
            Purpose::CoSimulation { .. } => "fmi3InstantiateCoSimulation",
            Purpose::ScheduledExecution => "fmi3InstantiateScheduledExecution",
        }
    }
}

/// The arguments that all functions have which create an instance.
pub struct Arguments {
    /// `instanceName`.
    pub name: fmi3String,
    /// `instantiationToken`.
    pub token: fmi3String,
    /// `resourcePath`.
    pub resources: fmi3String,
    /// `loggingOn`.
    pub logging_on: bool,
    /// `instanceEnvironment`.
    pub environment: fmi3InstanceEnvironment,
    /// `logMessage`.
    pub log: Option<fmi3LogMessageCallback>,
}

/// The functions that create an instance.
///
/// # Safety
/// Strings and functions are null or as the standard describes them.
pub unsafe fn instantiate<M: Model>(about: About, purpose: Purpose, arguments: Arguments) -> fmi3Instance {
    // SAFETY: each is null or ends with a zero byte.
    let (name, token, resources) = unsafe {
        (
            text(arguments.name),
            text(arguments.token),
            text(arguments.resources),
        )
    };
    let callback = Callback {
        environment: arguments.environment,
        log: arguments.log,
    };
    create(about.quiet, || {
        let created = catch_unwind(AssertUnwindSafe(|| {
            let name = name.ok_or("instanceName is a null pointer")?;
            if name.to_bytes().trim_ascii().is_empty() {
                return Err("instanceName is blank; it names the instance in messages".to_owned());
            }
            let token = token.ok_or("instantiationToken is a null pointer")?;
            let settings = |interface| Settings {
                name,
                interface,
                logging_on: arguments.logging_on,
                host: Box::new(callback),
                vocabulary: &VOCABULARY,
            };
            handle::<M>(about, purpose, token, resources, settings)
        }));
        let sentence = match created {
            Ok(Ok(handle)) => return Some(handle),
            Ok(Err(sentence)) => sentence,
            Err(payload) => format!("the model panicked: {}", panics::explain(payload)),
        };
        if arguments.logging_on {
            let category = CString::new(STANDARD_CATEGORIES[ERROR].0).unwrap_or_default();
            callback.log(
                name.unwrap_or_default(),
                Status::Error,
                Some(&category),
                &format!("{}: {sentence}", purpose.function()),
            );
        }
        None::<Box<Handle<M>>>
    })
}

fn handle<'a, M: Model>(
    about: About,
    purpose: Purpose,
    token: &CStr,
    resources: Option<&CStr>,
    settings: impl FnOnce(Interface) -> Settings<'a>,
) -> Result<Box<Handle<M>>, String> {
    let model_name = M::about().name;
    let sentence = |error: crate::ModelError| error.to_string();
    let own = || Ok(model_description::<M>(about.arrays())?.guid);
    if !about
        .library
        .answers_to(token.to_bytes(), own)
        .map_err(sentence)?
    {
        return Err(format!(
            "instantiationToken {} is not the one of this library: modelDescription.xml and library of {model_name} \
             do not belong together",
            token.to_string_lossy()
        ));
    }
    let (interface, event_mode_used, early_return_allowed) = match purpose {
        Purpose::ModelExchange => (Interface::ModelExchange, false, false),
        Purpose::CoSimulation {
            intermediate_variable: Some(reference),
            ..
        } => {
            return Err(format!(
                "requiredIntermediateVariables names the value reference {reference}, but no variable of {model_name} has \
                 intermediateUpdate"
            ));
        }
        Purpose::CoSimulation {
            event_mode_used,
            early_return_allowed,
            ..
        } => (Interface::CoSimulation, event_mode_used, early_return_allowed),
        Purpose::ScheduledExecution => {
            return Err(format!("{model_name} does not offer Scheduled Execution"));
        }
    };
    let instance = Instance::create(about.library, settings(interface), || {
        let path = resources.map(CStr::to_string_lossy);
        let path = path.filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| format!("{model_name} reads resources, but resourcePath is empty"))?;
        match path.starts_with("file:") {
            // Some hosts pass a URI, as FMI 2.0 has it.
            true => resources::folder(&path),
            false => Ok(PathBuf::from(&*path)),
        }
    })?;
    let described = described::<M>().map_err(sentence)?;
    Ok(Box::new(Handle {
        instance: *instance,
        extra: Extra::new::<M>(&described, about.arrays(), event_mode_used, early_return_allowed),
    }))
}

/// The environment by its callback function.
#[derive(Clone, Copy)]
struct Callback {
    environment: fmi3InstanceEnvironment,
    log: Option<fmi3LogMessageCallback>,
}

impl Host for Callback {
    fn log(&self, _: &CStr, status: Status, category: Option<&CStr>, message: &str) {
        let (Some(log), Ok(message)) = (self.log, CString::new(escape(message))) else {
            return;
        };
        // SAFETY: the environment gave this function for this purpose; all strings live until it returns.
        stack::on_host(|| unsafe {
            log(
                self.environment,
                status.into(),
                category.map_or(std::ptr::null(), CStr::as_ptr),
                message.as_ptr(),
            )
        });
    }
}

/// In a message `#` begins the reference to a variable, so it is doubled. A zero byte would end it.
fn escape(sentence: &str) -> String {
    sentence.trim_end().replace('#', "##").replace('\0', "\u{fffd}")
}

/// `fmuDescribe3`: see [`describing::describe`].
///
/// # Safety
/// As for [`describing::describe`].
pub unsafe fn describe<M: Model>(
    about: About,
    resources: *const c_char,
    sink: Option<Sink>,
    context: *mut c_void,
) -> c_int {
    let description = |resources: &Path| {
        let (mut description, mut notes) = full_description::<M>(resources, about.arrays())?;
        notes.extend(stack::note::<M>(about.library, &VOCABULARY, resources));
        description
            .vendor_annotations
            .push(describing::mark::<M>(about.library));
        Ok((fmu_standard::fmi3::write(&description), notes))
    };
    // SAFETY: as promised.
    unsafe { describing::describe(about.quiet, resources, sink, context, description) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_message_names_no_variable() {
        assert_eq!(super::escape("50% of #4\n"), "50% of ##4");
        assert_eq!(super::escape("a\0b"), "a\u{fffd}b");
    }
}
