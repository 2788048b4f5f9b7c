//! An instance of a model behind a C interface, whatever the version of the standard: modes, the frame around every
//! call, values, snapshots, messages.
//!
//! `boundary` turns pointers into references; everything behind it is safe code. The room of a version (`fmi2`) has the C
//! signatures, converts their arguments, and names variables and functions in its own way ([`Vocabulary`]). Variables are
//! addressed by their slots among those of the same base type; behind the model's own Real variables come the derivatives
//! of the states, then time.

pub mod boundary;
mod bytes;
mod co_simulation;
mod derivatives;
pub(crate) mod describing;
pub(crate) mod floating_point;
mod host_events;
mod library;
mod lifecycle;
pub(crate) mod logger;
mod model_exchange;
mod modes;
pub(crate) mod panics;
mod pending;
mod problem;
mod repeats;
pub(crate) mod resources;
mod snapshots;
mod stabilization;
pub(crate) mod stack;
mod values;
mod variables;
mod vocabulary;

pub use library::Library;
pub use lifecycle::Experiment;
pub use logger::Host;
pub use modes::{Function, Interface, Mode};
pub use problem::{Outcome, Problem, Status};
pub use vocabulary::Vocabulary;

use crate::cosim::{CoSimulation, Facts, Options, Workspace};
use crate::evaluator::Evaluator;
use crate::log::Recording;
use crate::model::Model;
use co_simulation::Steps;
use logger::Logger;
use pending::Pending;
use stack::Stack;
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use variables::Variables;

/// What the environment holds a pointer to.
pub struct Instance<M: Model> {
    pub(crate) run: Run<M>,
    /// The bit of the mode, and [`LONG_WAY`]: all that a shortcut must look at.
    gate: u32,
    /// How many evaluations a shortcut may make before it reads the floating-point register again.
    evaluations_until_read: u8,
    /// The host has had another floating-point environment than the default, and may have it again.
    has_seen_foreign_environment: bool,
    pub(crate) interface: Interface,
    pub(crate) vocabulary: &'static Vocabulary,
    pub(crate) logger: Rc<Logger>,
    pub(crate) variables: Arc<Variables>,
    pub(crate) library: &'static Library,
    /// The model as `fn instantiate` left it, if there is one, for a reset.
    pub(crate) pristine: Option<Box<M>>,
    /// Snapshots that are not freed yet, by handle.
    pub(crate) snapshots: BTreeMap<usize, Box<Run<M>>>,
    /// The strings that the last call of `get_strings` lent.
    pub(crate) lent_strings: Vec<CString>,
    /// The model over dual numbers, once a directional derivative was asked for.
    pub(crate) lifted: Option<derivatives::Lifted<M>>,
    /// The model in reverse mode, once an adjoint derivative was asked for. Of any type, so that a library without adjoint
    /// derivatives carries nothing of it.
    pub(crate) reversed: Option<Box<dyn Any>>,
    /// A host that asks for adjoint derivatives of long evaluations was warned.
    pub(crate) has_warned_of_long_evaluation: bool,
    /// What the integrator knows of the model, and its room: for co-simulation.
    pub(crate) facts: Option<Facts>,
    /// A host that sets discrete inputs in continuous-time mode was warned.
    pub(crate) has_warned_of_pending: bool,
    pub(crate) workspace: Option<Box<Workspace<M>>>,
    /// The run before the communication step at hand, where it is worth keeping its memory from step to step.
    pub(crate) before_step: Option<Box<Run<M>>>,
    /// The stack that calls run on, where the model is large; not there during a call.
    pub(crate) stack: Option<Stack>,
}

/// A bit beside those of the modes: no shortcut, because the environment wants more than errors, or because the
/// instance is a co-simulation.
const LONG_WAY: u32 = 1 << 31;

/// Another such bit: the host had another floating-point environment than the default when it was last looked at.
const FOREIGN_ENVIRONMENT: u32 = 1 << 30;

/// How many evaluations in a row look for signs of another floating-point environment without reading the register.
const EVALUATIONS_BETWEEN_READS: u8 = 63;

/// All that a snapshot keeps.
pub(crate) struct Run<M: Model> {
    pub mode: Mode,
    /// The latest time that steps and events may have; finite.
    pub latest: f64,
    /// The start time, once it is known.
    pub start: Option<f64>,
    /// The tolerance of the environment, if it has one.
    pub tolerance: Option<f64>,
    pub evaluator: Evaluator<M>,
    /// What takes effect at the next event.
    pub pending: Pending,
    /// The integrator's memory, for co-simulation.
    pub steps: Option<Box<Steps>>,
}

fmu_numerics::clone_in_place! {
    [M: Model] Run<M> => Run { mode, latest, start, tolerance, evaluator, pending, steps }
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

/// What an instance is created with.
#[non_exhaustive]
pub struct Settings<'a> {
    /// Its name, for messages.
    pub name: &'a CStr,
    /// The interface that it is created for.
    pub interface: Interface,
    /// The environment wants messages of all categories.
    pub logging_on: bool,
    /// The environment.
    pub host: Box<dyn Host>,
    /// The names of the version.
    pub vocabulary: &'static Vocabulary,
}

impl<M: Model> Instance<M> {
    /// Creates an instance; the error is a sentence. `resources` finds the folder with the resources, for models that
    /// read some.
    pub fn create(
        library: &'static Library,
        settings: Settings<'_>,
        resources: impl FnOnce() -> Result<PathBuf, String>,
    ) -> Result<Box<Instance<M>>, String> {
        let sentence = |error: crate::ModelError| error.to_string();
        let variables = library.variables::<M>(settings.vocabulary).map_err(sentence)?;
        let logger = Rc::new(Logger::new(
            settings.name.to_owned(),
            settings.host,
            variables.clone(),
            settings.logging_on,
            settings.vocabulary.errors_are_always_logged,
        ));
        let _recording = listen(&logger);
        let mut model = Box::new(M::default());
        let (mut pristine, mut folder) = (None, PathBuf::new());
        if M::HAS_INSTANTIATE {
            folder = resources()?;
            model.on_instantiate(&folder).map_err(sentence)?;
            pristine = Some(model.clone());
        }
        let facts = match settings.interface {
            Interface::ModelExchange => None,
            Interface::CoSimulation => Some(library.facts::<M>(&folder).map_err(sentence)?),
        };
        let mut instance = Box::new(Instance {
            run: Run::new(model, facts.as_ref()),
            gate: 0,
            evaluations_until_read: 0,
            has_seen_foreign_environment: false,
            interface: settings.interface,
            vocabulary: settings.vocabulary,
            logger,
            variables,
            library,
            pristine,
            snapshots: BTreeMap::new(),
            lent_strings: Vec::new(),
            lifted: None,
            reversed: None,
            has_warned_of_long_evaluation: false,
            has_warned_of_pending: false,
            workspace: facts.is_some().then(Box::default),
            facts,
            before_step: None,
            stack: None,
        });
        instance.enter(Mode::Instantiated);
        Ok(instance)
    }

    /// A model as after instantiation.
    pub(crate) fn new_model(&self) -> Box<M> {
        match &self.pristine {
            Some(pristine) => pristine.clone(),
            None => Box::new(M::default()),
        }
    }

    /// Changes the mode. Also called when the logger or the run has changed.
    pub(crate) fn enter(&mut self, mode: Mode) {
        self.run.mode = mode;
        self.gate = mode.bit() | (self.gate & FOREIGN_ENVIRONMENT);
        if self.logger.is_listening() || self.interface == Interface::CoSimulation {
            self.gate |= LONG_WAY;
        }
    }

    /// Remembers whether the host has the default floating-point environment. With another one no shortcut is taken.
    pub fn see_environment(&mut self, is_default: bool) {
        self.gate &= !FOREIGN_ENVIRONMENT;
        self.evaluations_until_read = 0;
        if !is_default {
            self.gate |= FOREIGN_ENVIRONMENT;
            self.has_seen_foreign_environment = true;
        }
    }

    /// Whether a shortcut that computes may be taken. Reading the register waits for all floating-point operations
    /// before it, which would nearly double the time of a small evaluation. So it is read once after every other call of
    /// the host, and then in every 64th evaluation. Between these, [`floating_point::seems_default`] looks for the traces of
    /// a change. Once a host has had another environment, every evaluation reads.
    #[inline(always)]
    pub fn sees_default_environment(&mut self) -> bool {
        if let Some(left) = self.evaluations_until_read.checked_sub(1) {
            self.evaluations_until_read = left;
            return floating_point::seems_default();
        }
        let is_default = floating_point::is_default();
        if is_default && !self.has_seen_foreign_environment {
            self.evaluations_until_read = EVALUATIONS_BETWEEN_READS;
        }
        is_default
    }

    /// Frees the instance. Values that hold a model are dropped one by one: see [`panics::discard`].
    pub fn free(self) {
        let Instance {
            run,
            logger,
            library,
            pristine,
            snapshots,
            lifted,
            reversed,
            mut workspace,
            before_step,
            facts,
            variables,
            vocabulary,
            ..
        } = self;
        logger.say_repeats();
        let models = [
            panics::discard(run),
            panics::discard(lifted),
            panics::discard(reversed),
            panics::discard(pristine),
            panics::discard(before_step),
        ];
        let copies = workspace.iter_mut().flat_map(|workspace| workspace.take_copies());
        let copies: Vec<_> = copies.map(panics::discard).collect();
        let snapshots = snapshots.into_iter().map(panics::discard);
        if let Err(problem) = panics::warn(models.into_iter().chain(copies).chain(snapshots)) {
            // There is no status to return, so there is only a message.
            let sentence = format!("{}: {}", vocabulary.free_instance, problem.sentence);
            logger.say_status(Status::Error, &sentence);
        }
        drop((logger, facts, variables));
        library.tidy();
    }

    /// The frame around every function: whether it is allowed now, the call, and what became of it.
    #[inline(always)]
    pub fn call(
        &mut self,
        function: &'static Function,
        body: &mut dyn FnMut(&mut Self) -> Outcome,
    ) -> Status {
        let mode = self.run.mode;
        if !function.is_allowed_in(mode, self.interface) {
            let refusal = function.refusal(mode, self.interface, self.vocabulary);
            return self.report(function, *Problem::error(refusal));
        }
        self.logger.enter(function.name);
        let recording = listen(&self.logger);
        let outcome = catch_unwind(AssertUnwindSafe(|| body(self)));
        drop(recording);
        match outcome {
            Ok(Ok(())) => Status::Ok,
            Ok(Err(problem)) => self.report(function, *problem),
            Err(payload) => self.report_panic(function, payload),
        }
    }

    /// Whether a function is allowed, and no messages are wanted: then a shortcut may be taken.
    #[inline(always)]
    pub(crate) fn is_open_for(&self, function: &Function) -> bool {
        self.gate & !function.unconditional == 0
    }

    #[cold]
    fn report(&mut self, function: &Function, problem: Problem) -> Status {
        let status = match problem.status {
            Status::Discard if !function.may_discard => Status::Error,
            status => status,
        };
        let sentence = format!("{}: {}", function.name, problem.sentence);
        self.logger.enter(function.name);
        self.logger.say_status(status, &sentence);
        if status == Status::Error && problem.has_failed && self.run.mode != Mode::Panicked {
            self.enter(Mode::Error);
        }
        status
    }

    #[cold]
    fn report_panic(&mut self, function: &Function, payload: Box<dyn Any + Send>) -> Status {
        let sentence = format!("the model panicked: {}", panics::explain(payload));
        self.enter(Mode::Panicked);
        self.report(function, *Problem::error(sentence))
    }
}

/// Messages of the model go out while it runs, if the host wants them.
fn listen(logger: &Rc<Logger>) -> Option<Recording> {
    logger.is_listening().then(|| Recording::pass_on(logger.clone()))
}
