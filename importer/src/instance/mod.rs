//! Instances of an FMU. What both interfaces have is in [`Instance`]; [`ModelExchange`] and [`CoSimulation`] add
//! their own functions and let those of [`Instance`] be called on themselves.
//!
//! Which call is allowed when is checked before the FMU is called ([`State`]), by the tables of the standard.

mod co_simulation;
mod create;
mod model_exchange;
mod refusal;
mod snapshot;
mod stabilize;
mod start;
mod values;

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fmu_standard::fmi2;
use fmu_standard::fmi2::calls::Call;

use crate::library::Library;
use crate::log::Environment;
use crate::remote::Isolated;
use crate::watch::{Recorder, number_of};
use crate::{Error, Fmu, Status};

pub use co_simulation::{CoSimulation, Step};
pub use create::InstanceOptions;
pub use create::file_uri;
pub use fmu_standard::fmi2::calls::State;
pub use model_exchange::{CompletedStep, EventInfo, ModelExchange};
pub use snapshot::{SerializedSnapshot, Snapshot};
pub use stabilize::InputDerivatives;
pub(crate) use stabilize::{Callback, GetStates, StabilizeInputs};
pub use values::{Key, RealVariables, Value};

use snapshot::Outstanding;

/// What an instance knows about the simulation before it is initialized.
///
/// ```
/// use fmu_importer::Experiment;
///
/// let experiment = Experiment::starting_at(1.0).until(3.0).with_tolerance(1e-6);
/// assert_eq!(experiment.stop_time, Some(3.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Experiment {
    /// The relative tolerance of the environment's solver, or the one that a co-simulation FMU should keep.
    pub tolerance: Option<f64>,
    /// When the simulation begins.
    pub start_time: f64,
    /// When it ends at the latest; the FMU may refuse to go beyond.
    pub stop_time: Option<f64>,
}

impl Experiment {
    /// Begins at a time, and has neither an end nor a tolerance.
    pub fn starting_at(start_time: f64) -> Self {
        Self {
            start_time,
            ..Self::default()
        }
    }

    /// Ends at a time at the latest.
    #[must_use]
    pub fn until(mut self, stop_time: f64) -> Self {
        self.stop_time = Some(stop_time);
        self
    }

    /// With a relative tolerance, or `None` for the FMU's own.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: impl Into<Option<f64>>) -> Self {
        self.tolerance = tolerance.into();
        self
    }
}

/// What instances of both interfaces can do.
pub struct Instance {
    component: fmi2::fmi2Component,
    kind: fmi2::fmi2Type,
    state: State,
    name: String,
    library: Arc<Library>,
    environment: Arc<Environment>,
    recorder: Recorder,
    outstanding: Arc<Outstanding>,
    scratch: values::Scratch,
    start_values: Vec<start::StartValue>,
    lost_values: Vec<String>,
    /// Calls that returned `fmi2Warning`.
    warned: u64,
    /// The function of the first of them, and what the FMU logged.
    first_warning: Option<String>,
    /// Start and stop time that the FMU was given; infinite where there are none.
    span: (f64, f64),
    fmu: Fmu,
    // The FMU may keep pointers to these.
    _callbacks: Box<fmi2::fmi2CallbackFunctions>,
    _c_name: CString,
}

// SAFETY: the standard lets an instance be called from any thread, one call at a time, and `&mut self` sees to the
// latter. What else is inside is `Send`.
unsafe impl Send for Instance {}

/// Calls a function of the FMU: state, presence, the call, its status.
macro_rules! call {
    ($instance:expr, $function:ident $(, $argument:expr)* $(,)?) => {{
        let instance: &mut $crate::instance::Instance = &mut *$instance;
        instance.allow(&fmu_standard::fmi2::calls::$function)?;
        let Some(function) = instance.library.functions.$function else {
            return Err(instance.library.missing(stringify!($function)));
        };
        const NUMBER: u32 = $crate::watch::number_of(stringify!($function));
        instance.recorder.enter(NUMBER);
        // SAFETY: the instance is alive, the state allows the call, and each array has as many elements as the
        // number beside it says.
        let status = unsafe { function(instance.component, $($argument),*) };
        instance.recorder.leave();
        instance.finish(stringify!($function), status)
    }};
}
use call;

impl Instance {
    /// The name that it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The FMU that it is an instance of.
    pub fn fmu(&self) -> &Fmu {
        &self.fmu
    }

    /// Where it stands in the state machine of the standard.
    pub fn state(&self) -> State {
        self.state
    }

    /// How many calls returned `fmi2Warning` so far.
    pub fn warned(&self) -> u64 {
        self.warned
    }

    /// The first call that returned `fmi2Warning`: its function, the value if it was a start value, and what the FMU
    /// logged.
    pub fn first_warning(&self) -> Option<&str> {
        self.first_warning.as_deref()
    }

    /// Switches debug messages on or off; no categories means all.
    pub fn set_debug_logging(&mut self, on: bool, categories: &[&str]) -> Result<(), Error> {
        let categories = categories
            .iter()
            .map(|category| CString::new(*category).map_err(|_| Error::ZeroByte((*category).into())))
            .collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = categories.iter().map(|category| category.as_ptr()).collect();
        call!(
            self,
            fmi2SetDebugLogging,
            on.into(),
            pointers.len(),
            pointers.as_ptr()
        )
    }

    /// Passes the settings of the simulation; needed before initialization.
    pub fn setup_experiment(&mut self, experiment: &Experiment) -> Result<(), Error> {
        let Experiment {
            tolerance,
            start_time,
            stop_time,
        } = *experiment;
        self.recorder.at(start_time);
        call!(
            self,
            fmi2SetupExperiment,
            tolerance.is_some().into(),
            tolerance.unwrap_or(0.0),
            start_time,
            stop_time.is_some().into(),
            stop_time.unwrap_or(0.0),
        )?;
        self.span = (start_time, stop_time.unwrap_or(f64::INFINITY));
        self.set_again()
    }

    /// Begins initialization.
    pub fn enter_initialization_mode(&mut self) -> Result<(), Error> {
        call!(self, fmi2EnterInitializationMode)?;
        self.state = State::Initialization;
        self.set_in_initialization()
    }

    /// Ends initialization.
    pub fn exit_initialization_mode(&mut self) -> Result<(), Error> {
        call!(self, fmi2ExitInitializationMode)?;
        self.state = match self.kind {
            fmi2::fmi2ModelExchange => State::Event,
            _ => State::StepComplete,
        };
        self.look_at_parameters();
        Ok(())
    }

    /// Set up, begin and end initialization in one.
    pub fn initialize(&mut self, experiment: &Experiment) -> Result<(), Error> {
        self.setup_experiment(experiment)?;
        self.enter_initialization_mode()?;
        self.exit_initialization_mode()
    }

    /// Ends the simulation; values can still be read.
    pub fn terminate(&mut self) -> Result<(), Error> {
        call!(self, fmi2Terminate)?;
        self.state = State::Terminated;
        Ok(())
    }

    /// Back to where it was after it was made, start values included.
    pub fn reset(&mut self) -> Result<(), Error> {
        call!(self, fmi2Reset)?;
        self.start_values.clear();
        self.lost_values.clear();
        self.state = State::Instantiated;
        Ok(())
    }

    /// The derivative of `unknowns` along `seed` in the space of `knowns` (value references of Real variables).
    pub fn directional_derivative(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        derivative: &mut [f64],
    ) -> Result<(), Error> {
        const FUNCTION: &str = "fmi2GetDirectionalDerivative";
        if !self.interface().provides_directional_derivative {
            return Err(self.no_capability(FUNCTION, "providesDirectionalDerivative"));
        }
        self.same_length(FUNCTION, knowns.len(), seed.len())?;
        self.same_length(FUNCTION, unknowns.len(), derivative.len())?;
        self.known(crate::BaseType::Real, unknowns)?;
        self.known(crate::BaseType::Real, knowns)?;
        call!(
            self,
            fmi2GetDirectionalDerivative,
            unknowns.as_ptr(),
            unknowns.len(),
            knowns.as_ptr(),
            knowns.len(),
            seed.as_ptr(),
            derivative.as_mut_ptr(),
        )
    }

    /// The capabilities of the interface that it was made for.
    pub fn interface(&self) -> &fmu_standard::description::Interface {
        let description = self.fmu.description();
        let of_model_exchange = description.model_exchange.as_ref().map(|me| &me.interface);
        let of_co_simulation = description.co_simulation.as_ref().map(|cs| &cs.interface);
        match self.kind {
            fmi2::fmi2ModelExchange => of_model_exchange.or(of_co_simulation),
            _ => of_co_simulation.or(of_model_exchange),
        }
        .expect("an instance is made for an interface that the description has")
    }

    #[inline]
    fn allow(&self, call: &Call) -> Result<(), Error> {
        if call.allowed().has(self.state) && !self.library.fatal.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(self.not_allowed(call.name))
    }

    #[cold]
    fn not_allowed(&self, function: &'static str) -> Error {
        let fatal = self.library.fatal.load(Ordering::Relaxed);
        Error::NotAllowed {
            instance: self.name.clone(),
            function,
            state: if fatal { State::Fatal } else { self.state },
        }
    }

    #[inline]
    fn finish(&mut self, function: &'static str, status: fmi2::fmi2Status) -> Result<(), Error> {
        if status == fmi2::fmi2OK && !self.environment.heard() {
            return Ok(());
        }
        let known = Status::from(status);
        let finished = self.finish_with_words(function, known);
        match finished {
            Err(Error::Call {
                instance, messages, ..
            }) if known == Status::Error && status != fmi2::fmi2Error => Err(Error::InvalidStatus {
                instance,
                function,
                status: status.0,
                messages,
            }),
            finished => finished,
        }
    }

    #[cold]
    fn finish_with_words(&mut self, function: &'static str, status: Status) -> Result<(), Error> {
        let messages = self.environment.take();
        match status {
            Status::Ok => return Ok(()),
            Status::Warning => {
                self.warned += 1;
                let words = || format!("{function}{}", crate::error::said(&messages));
                self.first_warning.get_or_insert_with(words);
                return Ok(());
            }
            Status::Error => self.state = State::Error,
            Status::Fatal => {
                self.state = State::Fatal;
                self.library.fatal.store(true, Ordering::Relaxed);
            }
            Status::Discard | Status::Pending => {}
        }
        if let Some(ended) = self.library.isolated.as_ref().and_then(Isolated::ended) {
            return Err(ended.to_error(&self.name));
        }
        Err(Error::Call {
            instance: self.name.clone(),
            function,
            status,
            messages,
        })
    }

    #[inline]
    fn same_length(&self, function: &'static str, expected: usize, found: usize) -> Result<(), Error> {
        if expected == found {
            return Ok(());
        }
        Err(Error::Length {
            function,
            expected,
            found,
        })
    }

    fn no_capability(&self, function: &'static str, capability: &'static str) -> Error {
        Error::NoCapability {
            fmu: self.fmu.name().into(),
            function,
            capability,
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if self.recorder.is_running() {
            return;
        }
        self.free_snapshots();
        let fatal = self.library.fatal.load(Ordering::Relaxed);
        // A step in progress must be cancelled before anything else may be called.
        if self.state == State::StepInProgress
            && !fatal
            && let Some(cancel) = self.library.functions.fmi2CancelStep
        {
            self.recorder.enter(const { number_of("fmi2CancelStep") });
            // SAFETY: the instance is alive and a step is in progress.
            unsafe { cancel(self.component) };
        }
        if !fatal && let Some(free) = self.library.functions.fmi2FreeInstance {
            self.recorder.enter(const { number_of("fmi2FreeInstance") });
            // SAFETY: the instance is alive, and cannot be called after this.
            unsafe { free(self.component) };
        }
        self.recorder.leave();
        self.environment.close();
        self.library.instances.fetch_sub(1, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance")
            .field("name", &self.name)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
