//! An instance: the model under way, who listens, what is lent out. And the frame around every call.

use super::co_simulation::Steps;
use super::floating_point;
use super::functions::{Function, Interface, Mode};
use super::library::Library;
use super::logger::{Logger, say_failure};
use super::panics;
use super::pending::Pending;
use super::problem::{Outcome, Problem};
use super::resources;
use super::stack::Stack;
use super::variables::Variables;
use crate::cosim::{CoSimulation, Facts, Options, Workspace};
use crate::evaluator::Evaluator;
use crate::log::Recording;
use crate::model::Model;
use fmu_standard::fmi2::{
    fmi2CallbackFunctions, fmi2CoSimulation, fmi2Discard, fmi2Error, fmi2ModelExchange, fmi2OK, fmi2Status,
    fmi2Type,
};
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// What the environment holds a pointer to.
pub struct Instance<M: Model> {
    pub(super) run: Run<M>,
    /// The bit of the mode, and [`LONG_WAY`]: all that a shortcut must look at.
    gate: u32,
    pub(super) interface: Interface,
    pub(super) logger: Rc<Logger>,
    pub(super) variables: Arc<Variables>,
    pub(super) library: &'static Library,
    /// The model as `fn instantiate` left it, if there is one, for `fmi2Reset`.
    pub(super) pristine: Option<Box<M>>,
    /// Snapshots that are not freed yet, by handle.
    pub(super) snapshots: BTreeMap<usize, Box<Run<M>>>,
    /// What the last `fmi2GetString` lent.
    pub(super) lent_strings: Vec<CString>,
    /// The model over dual numbers, once somebody has asked for a directional derivative.
    pub(super) lifted: Option<super::derivatives::Lifted<M>>,
    /// What the integrator knows of the model, and its room: for co-simulation.
    pub(super) facts: Option<Facts>,
    /// A host that sets discrete inputs in continuous-time mode was warned.
    pub(super) has_warned_of_pending: bool,
    pub(super) workspace: Option<Box<Workspace<M>>>,
    /// The stack that calls run on, where the model is large; not there during a call.
    pub(super) stack: Option<Stack>,
}

/// A bit beside those of the modes: no shortcut, because somebody wants to hear more than errors, or because the
/// instance is a co-simulation.
const LONG_WAY: u32 = 1 << 31;

/// Another such bit: the host had another floating-point environment than the default when it was last looked at.
const FOREIGN_ENVIRONMENT: u32 = 1 << 30;

/// Not a bar to shortcuts: the host has made another call since an evaluation has last looked at the register.
const UNSEEN_ENVIRONMENT: u32 = 1 << 29;

/// All that a snapshot keeps.
#[derive(Clone)]
pub(super) struct Run<M: Model> {
    pub mode: Mode,
    /// The latest time that steps and events may have; finite.
    pub latest: f64,
    /// Start time, once `fmi2SetupExperiment` has told it.
    pub start: Option<f64>,
    /// The tolerance of the environment, if it has told one.
    pub tolerance: Option<f64>,
    pub evaluator: Evaluator<M>,
    /// What takes effect at the next event.
    pub pending: Pending,
    /// The integrator's memory, for co-simulation.
    pub steps: Option<Box<Steps>>,
}

impl<M: Model> Run<M> {
    pub fn new(model: Box<M>, facts: Option<&Facts>) -> Run<M> {
        let memory = facts.map(|facts| CoSimulation::new(facts, Options::of(&*model)));
        Run {
            mode: Mode::Instantiated,
            latest: f64::MAX,
            start: None,
            tolerance: None,
            evaluator: Evaluator::new(model),
            pending: Pending::default(),
            steps: memory.map(|memory| Box::new(Steps::new(memory))),
        }
    }
}

/// The arguments of `fmi2Instantiate`, null pointers told apart.
pub struct Arguments<'a> {
    /// `instanceName`.
    pub name: Option<&'a CStr>,
    /// `fmuType`.
    pub interface: fmi2Type,
    /// `fmuGUID`.
    pub guid: Option<&'a CStr>,
    /// `fmuResourceLocation`.
    pub resources: Option<&'a CStr>,
    /// `functions`.
    pub callbacks: &'a fmi2CallbackFunctions,
    /// `loggingOn`.
    pub logging_on: bool,
}

impl<M: Model> Instance<M> {
    /// `fmi2Instantiate`: `None` where the arguments are not good; then the logger has heard why.
    pub fn create(library: &'static Library, arguments: &Arguments) -> Option<Box<Instance<M>>> {
        let created = catch_unwind(AssertUnwindSafe(|| Self::try_create(library, arguments)));
        let sentence = match created {
            Ok(Ok(instance)) => return Some(instance),
            Ok(Err(sentence)) => sentence,
            Err(payload) => format!("the model panicked: {}", panics::explain(payload)),
        };
        let name = arguments.name.unwrap_or(c"(no name)");
        say_failure(arguments.callbacks, name, &format!("fmi2Instantiate: {sentence}"));
        None
    }

    fn try_create(library: &'static Library, arguments: &Arguments) -> Result<Box<Instance<M>>, String> {
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
        if !library
            .answers_to::<M>(guid.to_bytes())
            .map_err(|error| error.to_string())?
        {
            return Err(format!(
                "fmuGUID {} is not the one of this library: modelDescription.xml and library of {model_name} \
                 do not belong together",
                guid.to_string_lossy()
            ));
        }
        let variables = library.variables::<M>().map_err(|error| error.to_string())?;
        let logger = Rc::new(Logger::new(
            name.to_owned(),
            *arguments.callbacks,
            variables.clone(),
            arguments.logging_on,
        ));
        let _recording = listen(&logger);
        let mut model = Box::new(M::default());
        let (mut pristine, mut folder) = (None, PathBuf::new());
        if M::HAS_INSTANTIATE {
            let resources = arguments
                .resources
                .map(CStr::to_string_lossy)
                .filter(|uri| !uri.is_empty())
                .ok_or_else(|| format!("{model_name} reads resources, but fmuResourceLocation is empty"))?;
            folder = resources::folder(&resources)?;
            model.on_instantiate(&folder).map_err(|error| error.to_string())?;
            pristine = Some(model.clone());
        }
        let facts = match interface {
            Interface::ModelExchange => None,
            Interface::CoSimulation => Some(library.facts::<M>(&folder).map_err(|error| error.to_string())?),
        };
        let mut instance = Box::new(Instance {
            run: Run::new(model, facts.as_ref()),
            gate: 0,
            interface,
            logger,
            variables,
            library,
            pristine,
            snapshots: BTreeMap::new(),
            lent_strings: Vec::new(),
            lifted: None,
            has_warned_of_pending: false,
            workspace: facts.is_some().then(Box::default),
            facts,
            stack: None,
        });
        instance.enter(Mode::Instantiated);
        Ok(instance)
    }

    /// A model as after `fmi2Instantiate`.
    pub(super) fn new_model(&self) -> Box<M> {
        match &self.pristine {
            Some(pristine) => pristine.clone(),
            None => Box::new(M::default()),
        }
    }

    /// Changes the mode. Also to be called when who listens, or the run, has changed.
    pub(super) fn enter(&mut self, mode: Mode) {
        self.run.mode = mode;
        self.gate = mode.bit() | (self.gate & (FOREIGN_ENVIRONMENT | UNSEEN_ENVIRONMENT));
        if self.logger.is_listening() || self.interface == Interface::CoSimulation {
            self.gate |= LONG_WAY;
        }
    }

    /// Remembers whether the host has the default floating-point environment. With another one no shortcut is taken.
    pub fn see_environment(&mut self, is_default: bool) {
        self.gate &= !FOREIGN_ENVIRONMENT;
        self.gate |= UNSEEN_ENVIRONMENT;
        if !is_default {
            self.gate |= FOREIGN_ENVIRONMENT;
        }
    }

    /// Whether a shortcut that computes may be taken. Reading the register waits for all floating-point operations
    /// before it, which would nearly double the time of a small evaluation. So it is read once after every other call of
    /// the host. Between evaluations that follow each other, [`floating_point::seems_default`] looks for the traces of a
    /// change.
    #[inline(always)]
    pub fn sees_default_environment(&mut self) -> bool {
        if self.gate & UNSEEN_ENVIRONMENT == 0 {
            return floating_point::seems_default();
        }
        let is_default = floating_point::is_default();
        if is_default {
            self.gate &= !UNSEEN_ENVIRONMENT;
        }
        is_default
    }

    /// `fmi2FreeInstance`. What holds a model is dropped one by one: see [`panics::discard`].
    pub fn free(self: Box<Self>) {
        let Instance {
            run,
            logger,
            library,
            pristine,
            snapshots,
            lifted,
            mut workspace,
            facts,
            variables,
            ..
        } = *self;
        logger.say_repeats();
        let models = [
            panics::discard(run),
            panics::discard(lifted),
            panics::discard(pristine),
        ];
        let copies = workspace.iter_mut().flat_map(|workspace| workspace.take_copies());
        let copies: Vec<_> = copies.map(panics::discard).collect();
        let snapshots = snapshots.into_iter().map(panics::discard);
        if let Err(problem) = panics::warn(models.into_iter().chain(copies).chain(snapshots)) {
            // There is no status to return, so only a message can say it.
            logger.say_status(fmi2Error, &format!("fmi2FreeInstance: {}", problem.sentence));
        }
        drop((logger, facts, variables));
        library.tidy();
    }

    /// The frame around every function: is it allowed now; the call; and what became of it.
    pub fn call(&mut self, function: Function, body: impl FnOnce(&mut Self) -> Outcome) -> fmi2Status {
        let mode = self.run.mode;
        if !function.is_allowed_in(mode, self.interface) {
            let refusal = function.refusal(mode, self.interface);
            return self.report(function, *Problem::error(refusal));
        }
        self.logger.enter(function);
        let recording = listen(&self.logger);
        let outcome = catch_unwind(AssertUnwindSafe(|| body(self)));
        drop(recording);
        match outcome {
            Ok(Ok(())) => fmi2OK,
            Ok(Err(problem)) => self.report(function, *problem),
            Err(payload) => self.report_panic(function, payload),
        }
    }

    /// Whether a function is allowed, and nobody listens: then a shortcut may be taken.
    #[inline(always)]
    pub(super) fn is_open_for(&self, function: Function) -> bool {
        self.gate & !(function.unconditional_modes() | UNSEEN_ENVIRONMENT) == 0
    }

    #[cold]
    fn report(&mut self, function: Function, problem: Problem) -> fmi2Status {
        let status = match problem.status {
            fmi2Discard if !function.may_discard() => fmi2Error,
            status => status,
        };
        let sentence = format!("{}: {}", function.name(), problem.sentence);
        self.logger.enter(function);
        self.logger.say_status(status, &sentence);
        if status == fmi2Error && problem.has_failed && self.run.mode != Mode::Panicked {
            self.enter(Mode::Error);
        }
        status
    }

    #[cold]
    fn report_panic(&mut self, function: Function, payload: Box<dyn Any + Send>) -> fmi2Status {
        let sentence = format!("the model panicked: {}", panics::explain(payload));
        self.enter(Mode::Panicked);
        self.report(function, *Problem::error(sentence))
    }
}

/// Messages of the model go out while it runs, if the host listens.
fn listen(logger: &Rc<Logger>) -> Option<Recording> {
    logger.is_listening().then(|| Recording::pass_on(logger.clone()))
}
