//! Instances without the checks of the importer: every call reaches the FMU, in every state.

use std::ffi::CString;
use std::sync::Arc;

use fmu_standard::fmi2::{self, fmi2Component};

use super::child::Probe;
use fmu_importer::internal::Library;
use fmu_importer::internal::file_uri;
use fmu_importer::internal::{Environment, callbacks};
use fmu_importer::{Error, State, Status};

/// An instance of the C interface.
pub(super) struct Raw {
    pub component: fmi2Component,
    pub library: Arc<Library>,
    environment: Arc<Environment>,
    _callbacks: Box<fmi2::fmi2CallbackFunctions>,
    _name: CString,
}

/// Calls a function of a library, if there is one; the answer is its status.
macro_rules! raw {
    ($library:expr, $function:ident($($argument:expr),* $(,)?)) => {{
        let function = $library.functions.$function;
        // SAFETY: none; an FMU that cannot bear the call ends this process, which exists for that.
        function.map(|function| fmu_importer::Status::from(unsafe { function($($argument),*) }))
    }};
}
pub(super) use raw;

/// The arguments of `fmi2Instantiate`, each of which can be wrong.
pub(super) struct Instantiate {
    pub name: Option<String>,
    pub kind: fmi2::fmi2Type,
    pub guid: Option<String>,
    pub resources: Option<String>,
    pub with_callbacks: bool,
}

impl Probe {
    /// The arguments as they should be.
    pub fn arguments(&self) -> Result<(String, String), Error> {
        Ok((
            self.fmu.description().guid.clone(),
            file_uri(&self.fmu.resources()?),
        ))
    }

    /// Calls `fmi2Instantiate`; `None` if that gives null.
    pub fn instantiate(&self, with: &Instantiate) -> Result<Option<Raw>, Error> {
        self.made.set(self.made.get() + 1);
        let library = self.library.clone();
        let make = library
            .functions
            .fmi2Instantiate
            .ok_or_else(|| library.missing("fmi2Instantiate"))?;
        let text = |text: &str| CString::new(text).map_err(|_| Error::ZeroByte(text.into()));
        let texts = [&with.name, &with.guid, &with.resources]
            .map(|argument| argument.as_deref().map(text).transpose());
        let [name, guid, resources] = texts;
        let (name, guid, resources) = (name?, guid?, resources?);
        let pointer = |text: &Option<CString>| text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
        let environment = Environment::new(with.name.as_deref().unwrap_or_default(), self.fmu.names(), None);
        let callbacks = Box::new(callbacks(&environment));
        let functions: *const _ = if with.with_callbacks {
            &*callbacks
        } else {
            std::ptr::null()
        };
        // SAFETY: none; see `raw!`.
        let component = unsafe {
            make(
                pointer(&name),
                with.kind,
                pointer(&guid),
                pointer(&resources),
                functions,
                0,
                0,
            )
        };
        if component.is_null() {
            environment.close();
            return Ok(None);
        }
        Ok(Some(Raw {
            component,
            library,
            environment,
            _callbacks: callbacks,
            _name: name.unwrap_or_default(),
        }))
    }

    /// An instance with correct arguments.
    pub fn raw(&self) -> Result<Raw, Error> {
        let (guid, resources) = self.arguments()?;
        let raw = self.instantiate(&Instantiate {
            name: Some("probe".into()),
            kind: self.kind,
            guid: Some(guid),
            resources: Some(resources),
            with_callbacks: true,
        })?;
        raw.ok_or_else(|| Error::Instantiate {
            fmu: self.fmu.name().into(),
            messages: Vec::new(),
        })
    }

    /// An instance in a state; `None` if the FMU does not go there.
    pub fn raw_in(&self, state: State) -> Result<Option<Raw>, Error> {
        let raw = self.raw()?;
        let (c, library) = (raw.component, raw.library.clone());
        let fine = |status: Option<Status>| matches!(status, Some(Status::Ok | Status::Warning));
        let initialization = || {
            fine(raw!(
                library,
                fmi2SetupExperiment(c, 0, 0.0, self.plan.start, 0, 0.0)
            )) && fine(raw!(library, fmi2EnterInitializationMode(c)))
        };
        let initialized = || initialization() && fine(raw!(library, fmi2ExitInitializationMode(c)));
        let continuous = || {
            let mut info = fmi2::fmi2EventInfo::default();
            for _ in 0..100 {
                if !fine(raw!(library, fmi2NewDiscreteStates(c, &mut info))) {
                    return false;
                }
                if info.newDiscreteStatesNeeded == fmi2::fmi2False {
                    return fine(raw!(library, fmi2EnterContinuousTimeMode(c)));
                }
            }
            false
        };
        let there = match state {
            State::Instantiated => true,
            State::Initialization => initialization(),
            State::Event | State::StepComplete => initialized(),
            State::ContinuousTime => initialized() && continuous(),
            State::Terminated => initialized() && fine(raw!(library, fmi2Terminate(c))),
            // The mildest offence that there is.
            State::Error => raw!(library, fmi2ExitInitializationMode(c)) == Some(Status::Error),
            _ => false,
        };
        Ok(there.then_some(raw))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(free) = self.library.functions.fmi2FreeInstance {
            // SAFETY: the instance is alive and ours alone.
            unsafe { free(self.component) };
        }
        self.environment.close();
    }
}

/// Whether a status means that the call was refused.
pub(super) fn refused(status: Option<Status>) -> bool {
    matches!(status, Some(Status::Error | Status::Discard | Status::Fatal))
}
