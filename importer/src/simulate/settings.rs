//! The settings of a simulation.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fmu_solvers::{Method, Tuning};

use super::driver::Driver;
use super::experiment::Experiment;
use super::record::Recorder;
use super::summary::SolverStep;
use super::{
    Column, End, ExtraEquations, Inputs, Results, Row, SimulateError, Sink, Summary, co_simulation,
    model_exchange,
};
use crate::linearize::{self, Linearization};
use crate::{Error, Fmu, Glob, Instance, InstanceOptions, Value};

/// The interface of the FMU that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// The importer integrates.
    ModelExchange,
    /// The FMU integrates.
    CoSimulation,
}

/// How the Jacobian is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matrices {
    /// Sparse where that pays.
    #[default]
    Auto,
    /// All entries.
    Dense,
    /// The entries that the declared dependencies name.
    Sparse,
}

/// From this many states on, a sparse Jacobian is worth its bookkeeping.
const LARGE: usize = 50;

impl Matrices {
    /// Whether a Jacobian with so many states and entries is kept sparse.
    pub fn is_sparse(self, states: usize, entries: usize) -> bool {
        match self {
            Self::Dense => false,
            Self::Sparse => true,
            Self::Auto => states > LARGE && entries * 5 < states * states,
        }
    }
}

/// A simulation to run. Settings that are not given come from the FMU's default experiment.
pub struct Simulation<'f> {
    pub(super) fmu: &'f Fmu,
    pub(super) interface: Option<Interface>,
    pub(super) start: Option<f64>,
    pub(super) stop: Option<f64>,
    pub(super) output_step: Option<f64>,
    pub(super) step: Option<f64>,
    pub(super) tolerance: Option<f64>,
    pub(super) method: Method,
    pub(super) tuning: Tuning,
    pub(super) matrices: Matrices,
    pub(super) compressed: bool,
    pub(super) values: Vec<(String, Given)>,
    pub(super) inputs: Inputs,
    pub(super) record: Vec<Glob>,
    pub(super) options: InstanceOptions,
    pub(super) interrupt: Option<Arc<AtomicBool>>,
    pub(super) progress: Option<Box<dyn FnMut(f64) + 'f>>,
    pub(super) steps: Option<Box<dyn FnMut(SolverStep) + 'f>>,
    pub(super) extra: Option<Box<dyn ExtraEquations + 'f>>,
}

/// Discards everything.
struct Nowhere;

impl Sink for Nowhere {
    fn begin(&mut self, _: &[Column]) -> std::io::Result<()> {
        Ok(())
    }

    fn row(&mut self, _: &Row) -> std::io::Result<()> {
        Ok(())
    }
}

/// A value as it was given.
pub(super) enum Given {
    Value(Value),
    Text(String),
}

impl<'f> Simulation<'f> {
    /// A simulation of an FMU with its default experiment.
    pub fn new(fmu: &'f Fmu) -> Self {
        Self {
            fmu,
            interface: None,
            start: None,
            stop: None,
            output_step: None,
            step: None,
            tolerance: None,
            method: Method::default(),
            tuning: Tuning::default(),
            matrices: Matrices::default(),
            compressed: true,
            values: Vec::new(),
            inputs: Inputs::default(),
            record: Vec::new(),
            options: InstanceOptions::new(),
            interrupt: None,
            progress: None,
            steps: None,
            extra: None,
        }
    }

    /// Which interface to use; Model Exchange if the FMU has both.
    pub fn interface(mut self, interface: Interface) -> Self {
        self.interface = Some(interface);
        self
    }

    /// When to begin.
    pub fn start(mut self, time: f64) -> Self {
        self.start = Some(time);
        self
    }

    /// When to end.
    pub fn stop(mut self, time: f64) -> Self {
        self.stop = Some(time);
        self
    }

    /// The time between the points that are recorded; events are recorded as well.
    pub fn output_step(mut self, step: f64) -> Self {
        self.output_step = Some(step);
        self
    }

    /// The step of solvers with fixed steps, or between communication points; the time between outputs if not given.
    pub fn step(mut self, step: f64) -> Self {
        self.step = Some(step);
        self
    }

    /// The relative tolerance of the results; steps use a fraction of it ([`Method::share`]). The absolute one is
    /// a hundredth of it, times the nominal value of the state.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// The solver for Model Exchange.
    pub fn solver(mut self, solver: Method) -> Self {
        self.method = solver;
        self
    }

    /// The former name of [`Simulation::solver`].
    #[deprecated(note = "it is called `solver`, as in the settings of coupled systems")]
    pub fn method(self, method: Method) -> Self {
        self.solver(method)
    }

    /// How steps and matrices of the solver for stiff models change; the defaults are good for most.
    pub fn tuning(mut self, tuning: Tuning) -> Self {
        self.tuning = tuning;
        self
    }

    /// How implicit solvers keep the Jacobian.
    pub fn matrices(mut self, matrices: Matrices) -> Self {
        self.matrices = matrices;
        self
    }

    /// Whether columns of the Jacobian are found together where the dependencies allow it; this is the default.
    pub fn compressed(mut self, compressed: bool) -> Self {
        self.compressed = compressed;
        self
    }

    /// A start value or a parameter.
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.push((name.into(), Given::Value(value.into())));
        self
    }

    /// A start value or a parameter as text, read as the type of the variable wants it.
    pub fn set_text(mut self, name: &str, text: &str) -> Self {
        self.values.push((name.into(), Given::Text(text.into())));
        self
    }

    /// What drives the inputs.
    pub fn inputs(mut self, inputs: Inputs) -> Self {
        self.inputs = inputs;
        self
    }

    /// Records variables whose name fits (may be repeated); without it the outputs, or the states if there are none.
    pub fn record(mut self, pattern: &str) -> Self {
        self.record.push(Glob::new(pattern));
        self
    }

    /// Options of the instance: logging and its listener.
    pub fn instance(mut self, options: InstanceOptions) -> Self {
        self.options = options;
        self
    }

    /// Ends the simulation early once the flag is set, with everything up to there.
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupt = Some(flag);
        self
    }

    /// Receives the time of the simulation at intervals.
    pub fn progress(mut self, progress: impl FnMut(f64) + 'f) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Receives every step: those of the solver or, in Co-Simulation, those between communication points.
    pub fn steps(mut self, steps: impl FnMut(SolverStep) + 'f) -> Self {
        self.steps = Some(Box::new(steps));
        self
    }

    /// Equations that are solved together with those of the FMU (Model Exchange).
    pub fn extra_equations(mut self, equations: impl ExtraEquations + 'f) -> Self {
        self.extra = Some(Box::new(equations));
        self
    }

    /// Runs it and keeps what is recorded.
    pub fn run(self) -> Result<(Results, Summary), SimulateError> {
        let mut results = Results::default();
        let summary = self.run_into(&mut results)?;
        Ok((results, summary))
    }

    /// Runs it and hands over what is recorded.
    pub fn run_into(self, sink: &mut dyn Sink) -> Result<Summary, SimulateError> {
        let experiment = self.experiment()?;
        let interface = self.chosen()?;
        let recorder = Recorder::new(self.fmu, &self.record);
        if !self.record.is_empty() && recorder.columns.is_empty() {
            let patterns: Vec<_> = self.record.iter().map(Glob::to_string).collect();
            return Err(SimulateError::Setting(format!(
                "no variable of {} fits what is to be recorded: {}",
                self.fmu.name(),
                patterns.join(", ")
            )));
        }
        let mut warnings = self.futile_patterns();
        let mut summary = match interface {
            Interface::ModelExchange => {
                self.check_tolerance(&experiment)?;
                model_exchange::run(self, experiment, recorder, sink, |_, _| Ok(()))?
            }
            Interface::CoSimulation => co_simulation::run(self, experiment, recorder, sink)?,
        };
        warnings.append(&mut summary.warnings);
        Ok(Summary { warnings, ..summary })
    }

    /// Patterns of what is to be recorded that no variable fits, as sentences.
    fn futile_patterns(&self) -> Vec<String> {
        let variables = &self.fmu.description().model_variables;
        let fits = |pattern: &&Glob| !variables.iter().any(|variable| pattern.matches(&variable.name));
        let futile = self.record.iter().filter(fits);
        futile
            .map(|pattern| {
                format!(
                    "no variable of {} fits {pattern}, which is to be recorded",
                    self.fmu.name()
                )
            })
            .collect()
    }

    pub(crate) fn run_to_linearize(mut self, time: f64) -> Result<Linearization, SimulateError> {
        self.stop = Some(time);
        let (fmu, compressed) = (self.fmu, self.compressed);
        let experiment = self.experiment()?;
        self.check_tolerance(&experiment)?;
        let recorder = Recorder::new(fmu, &[]);
        let mut found = None;
        let summary = model_exchange::run(self, experiment, recorder, &mut Nowhere, |plant, time| {
            found = Some(linearize::linearize(fmu, plant, time, compressed)?);
            Ok(())
        })?;
        if summary.end == End::Interrupted {
            return Err(SimulateError::Interrupted { time: summary.time });
        }
        let found = found
            .ok_or_else(|| SimulateError::Setting(format!("the simulation did not come to time {time}")))?;
        match found.not_finite() {
            Some((unknown, known, value)) => Err(SimulateError::Entry {
                fmu: fmu.name().into(),
                unknown: unknown.into(),
                known: known.into(),
                value,
                time: found.time,
            }),
            None => Ok(found),
        }
    }

    /// Whether the solver estimates the errors of its steps.
    pub fn estimates_errors(&self) -> bool {
        matches!(self.chosen(), Ok(Interface::ModelExchange)) && !self.method.is_fixed()
    }

    fn chosen(&self) -> Result<Interface, SimulateError> {
        let has_model_exchange = self.fmu.description().model_exchange.is_some();
        let chosen = match self.interface {
            Some(interface) => interface,
            None if has_model_exchange => Interface::ModelExchange,
            None => Interface::CoSimulation,
        };
        if chosen == Interface::CoSimulation && self.extra.is_some() {
            let problem = "equations beside those of an FMU need its Model Exchange interface";
            return Err(SimulateError::Setting(problem.into()));
        }
        Ok(chosen)
    }

    /// Gives an instance its values and its first inputs, initializes it, and hands out what drives its inputs from then
    /// on, with warnings about inputs and values.
    pub(super) fn initialize(
        &mut self,
        instance: &mut Instance,
        experiment: &Experiment,
    ) -> Result<(Driver, Vec<String>), SimulateError> {
        let mut inputs = Driver::new(self.fmu, std::mem::take(&mut self.inputs), experiment.start)?;
        self.initialize_with(instance, experiment, &mut inputs)?;
        let mut warnings = inputs.warnings(experiment.start);
        warnings.extend_from_slice(instance.lost_values());
        Ok((inputs, warnings))
    }

    /// Gives an instance its values and its first inputs, and initializes it.
    pub(super) fn initialize_with(
        &self,
        instance: &mut Instance,
        experiment: &Experiment,
        inputs: &mut Driver,
    ) -> Result<(), SimulateError> {
        self.set_values(instance)?;
        instance.setup_experiment(&experiment.for_fmu())?;
        instance.enter_initialization_mode()?;
        // What is driven counts, whatever was set.
        inputs.set_continuous(instance, experiment.start)?;
        inputs.set_held(instance, experiment.start)?;
        instance.exit_initialization_mode()?;
        Ok(())
    }

    /// Sets start values and parameters.
    fn set_values(&self, instance: &mut Instance) -> Result<(), SimulateError> {
        for (name, given) in &self.values {
            let position = self.fmu.position(name)?;
            if let Some(reason) = self.fmu.immutable(position) {
                let problem = format!("{name} of {} cannot be set: {reason}", self.fmu.name());
                return Err(SimulateError::Setting(problem));
            }
            let needs = |problem| SimulateError::Setting(format!("{problem}, which {name} needs"));
            let value = match given {
                Given::Value(Value::Real(number)) if !number.is_finite() => {
                    return Err(needs(format!("{number} is not a finite number")));
                }
                Given::Value(value) => value.clone(),
                Given::Text(text) => self.fmu.parse_value(position, text).map_err(needs)?,
            };
            instance.set_start(name, value)?;
        }
        Ok(())
    }
}

/// Adds the time to an error of the FMU.
pub(super) fn at(time: f64) -> impl Fn(Error) -> SimulateError {
    move |source| SimulateError::At { time, source }
}
