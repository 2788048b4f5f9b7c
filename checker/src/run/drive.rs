//! Drives instances of either interface through short runs.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use fmu_numerics::{EulerRule, Rule, System, crosses};
use fmu_standard::description::{Causality, ModelDescription, Variability};
use fmu_standard::fmi2;

use super::step_size;
use fmu_importer::{
    BaseType, CoSimulation, Error, Experiment, Fmu, Instance, InstanceOptions, ModelExchange, State, Status,
    Step,
};

/// When a run begins and how it goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub start: f64,
    pub step: f64,
    pub steps: usize,
}

impl Plan {
    pub fn of(description: &ModelDescription) -> Self {
        const STEPS: usize = 100;
        let experiment = description.default_experiment.unwrap_or_default();
        let start = experiment.start_time.unwrap_or(0.0);
        let stop = experiment
            .stop_time
            .filter(|stop| *stop > start)
            .unwrap_or(start + 1.0);
        let step = experiment
            .step_size
            .filter(|step| *step > 0.0 && *step <= stop - start);
        let step = step.unwrap_or((stop - start) / STEPS as f64);
        let steps = ((stop - start) / step).round();
        Self {
            start,
            step,
            steps: (steps as usize).clamp(1, STEPS),
        }
    }

    /// With the steps that a process before this one found out, if any.
    pub fn as_noted(self, notes: &Path) -> Self {
        match step_size::noted(notes) {
            Some((step, steps)) => Self { step, steps, ..self },
            None => self,
        }
    }

    pub fn experiment(&self) -> Experiment {
        Experiment::starting_at(self.start)
    }
}

/// The values of a run, as bits.
pub(super) type Trace = Vec<u64>;

/// An event iteration that takes longer does not end.
const ITERATIONS: usize = 1000;

/// The derivatives at the time and the states that the FMU has; Euler's method evaluates no others.
struct Present<'m>(&'m mut ModelExchange);

impl System for Present<'_> {
    type Error = Error;

    fn rhs(&mut self, _time: f64, _states: &[f64], derivatives: &mut [f64]) -> Result<(), Error> {
        self.0.derivatives(derivatives)
    }
}

/// An instance of either interface, and where it is in time.
pub(super) struct Driver {
    instance: Either,
    pub time: f64,
    next_event: Option<f64>,
    /// Values that a trace has.
    watched: Watched,
    /// The FMU wants to end.
    pub ended: bool,
    /// A completed step asked for event mode.
    pub had_step_event: bool,
    /// An event changed continuous states and did not say so.
    pub silent_change: bool,
    /// The first Real variable that was not a number, by its value reference, and when.
    pub not_a_number: Option<(u32, f64)>,
    /// A value was beyond [`FAR`]: Euler's method is unstable where a model is stiff.
    runs_away: bool,
    /// An event indicator that changed its sign and was exactly 0 after the event.
    pub zero_indicator: Option<usize>,
    /// A step was left pending.
    pub was_pending: bool,
}

enum Either {
    ModelExchange(ModelExchange),
    CoSimulation(CoSimulation),
}

/// Values of this size come from a method that is unstable, not from a model.
const FAR: f64 = 1e30;

/// Value references of variables that change, up to a limit per type.
#[derive(Default)]
pub(super) struct Watched {
    pub reals: Vec<u32>,
    pub integers: Vec<u32>,
    pub booleans: Vec<u32>,
}

impl Watched {
    const MOST: usize = 500;

    fn of(description: &ModelDescription) -> Self {
        let mut watched = Self::default();
        for variable in &description.model_variables {
            let changes = matches!(
                variable.variability,
                Variability::Continuous | Variability::Discrete
            );
            if !changes || variable.causality == Causality::Independent {
                continue;
            }
            let list = match BaseType::of(&variable.kind) {
                BaseType::Real => &mut watched.reals,
                BaseType::Integer => &mut watched.integers,
                BaseType::Boolean => &mut watched.booleans,
                BaseType::String => continue,
            };
            if list.len() < Self::MOST {
                list.push(variable.value_reference);
            }
        }
        watched
    }
}

impl Driver {
    pub fn new(fmu: &Fmu, kind: fmi2::fmi2Type, name: &str, options: InstanceOptions) -> Result<Self, Error> {
        let instance = match kind {
            fmi2::fmi2ModelExchange => Either::ModelExchange(fmu.model_exchange_with(name, options)?),
            _ => Either::CoSimulation(fmu.co_simulation_with(name, options)?),
        };
        Ok(Self {
            instance,
            time: 0.0,
            next_event: None,
            watched: Watched::of(fmu.description()),
            ended: false,
            had_step_event: false,
            silent_change: false,
            not_a_number: None,
            runs_away: false,
            zero_indicator: None,
            was_pending: false,
        })
    }

    pub fn model_exchange(&mut self) -> Option<&mut ModelExchange> {
        match &mut self.instance {
            Either::ModelExchange(instance) => Some(instance),
            Either::CoSimulation(_) => None,
        }
    }

    pub fn co_simulation(&mut self) -> Option<&mut CoSimulation> {
        match &mut self.instance {
            Either::CoSimulation(instance) => Some(instance),
            Either::ModelExchange(_) => None,
        }
    }

    /// From instantiated to the first point of the run.
    pub fn initialize(&mut self, plan: &Plan) -> Result<(), Error> {
        self.initialize_for(&plan.experiment())
    }

    pub fn initialize_for(&mut self, experiment: &Experiment) -> Result<(), Error> {
        let instance: &mut Instance = self;
        instance.initialize(experiment)?;
        self.time = experiment.start_time;
        self.ended = false;
        self.next_event = None;
        if self.model_exchange().is_some() {
            self.handle_events()?;
        }
        // Before the first point there are no values that the environment would have kept.
        self.silent_change = false;
        Ok(())
    }

    /// The event iteration, from event mode to continuous-time mode.
    pub fn handle_events(&mut self) -> Result<(), Error> {
        let Some(model) = self.model_exchange() else {
            return Ok(());
        };
        let mut before = vec![0.0; model.number_of_states()];
        let mut after = before.clone();
        let mut announced = before.is_empty();
        if !announced {
            model.continuous_states(&mut before)?;
        }
        for _ in 0..ITERATIONS {
            let info = model.new_discrete_states()?;
            if info.terminate_simulation {
                self.ended = true;
                return Ok(());
            }
            announced |= info.values_of_continuous_states_changed;
            if !info.new_discrete_states_needed {
                if !announced {
                    model.continuous_states(&mut after)?;
                }
                model.enter_continuous_time_mode()?;
                let same = |(before, after): (&f64, &f64)| before.to_bits() == after.to_bits();
                self.silent_change |= !announced && !before.iter().zip(&after).all(same);
                self.next_event = info.next_event_time;
                return Ok(());
            }
        }
        Err(Error::Nonsense {
            instance: self.name().into(),
            function: "fmi2NewDiscreteStates",
            answer: format!("newDiscreteStatesNeeded {ITERATIONS} times"),
        })
    }

    /// One step: a communication step, or one of Euler's with its events.
    pub fn step(&mut self, length: f64) -> Result<(), Error> {
        match &mut self.instance {
            Either::CoSimulation(slave) => {
                match slave.do_step(self.time, length)? {
                    Step::Done => self.time += length,
                    Step::Discarded { .. } => self.ended = true,
                    Step::Pending => {
                        self.was_pending = true;
                        while slave.poll()? == Step::Pending {
                            std::thread::yield_now();
                        }
                        self.time += length;
                    }
                }
                Ok(())
            }
            Either::ModelExchange(_) => self.euler(length),
        }
    }

    fn euler(&mut self, length: f64) -> Result<(), Error> {
        let end = self.time + length;
        // Time events are hit exactly; more than a few in one step are left for the next.
        for _ in 0..10 {
            let due = self.next_event.filter(|event| *event > self.time && *event < end);
            let target = due.unwrap_or(end);
            let (time, next_event) = (self.time, self.next_event);
            let Some(model) = self.model_exchange() else {
                return Ok(());
            };
            let (nx, nz) = (model.number_of_states(), model.number_of_event_indicators());
            let (mut x, mut slopes) = (vec![0.0; nx], [vec![0.0; nx]]);
            let (mut before, mut after) = (vec![0.0; nz], vec![0.0; nz]);
            if nx > 0 {
                model.continuous_states(&mut x)?;
                EulerRule::slopes(&mut Present(model), time, target - time, &x, &mut [], &mut slopes)?;
            }
            if nz > 0 {
                model.event_indicators(&mut before)?;
            }
            EulerRule::advance(target - time, &slopes, &mut x);
            model.set_time(target)?;
            if nx > 0 {
                model.set_continuous_states(&x)?;
            }
            if nz > 0 {
                model.event_indicators(&mut after)?;
            }
            let step = model.completed_integrator_step(true)?;
            let signs = before.iter().zip(&after);
            let crossed: Vec<bool> = signs.map(|(a, b)| crosses(*a, *b)).collect();
            let state_event = crossed.contains(&true);
            let time_event = next_event.is_some_and(|event| target >= event);
            if step.enter_event_mode || state_event || time_event {
                model.enter_event_mode()?;
                self.handle_events()?;
            }
            if state_event
                && !self.ended
                && let Some(model) = self.model_exchange()
            {
                model.event_indicators(&mut after)?;
                let mut zeros = crossed.iter().zip(&after);
                let zero = zeros.position(|(crossed, z)| *crossed && *z == 0.0);
                self.zero_indicator = self.zero_indicator.or(zero);
            }
            self.time = target;
            self.ended |= step.terminate_simulation;
            self.had_step_event |= step.enter_event_mode;
            if self.ended || target >= end {
                break;
            }
        }
        Ok(())
    }

    /// Runs a number of steps and notes all values after each.
    pub fn trace(&mut self, plan: &Plan, steps: usize) -> Result<Trace, Error> {
        let mut trace = Trace::new();
        self.note(&mut trace)?;
        for _ in 0..steps {
            self.advance(plan, &mut trace)?;
        }
        Ok(trace)
    }

    /// Takes one step and notes all values. What ends a run early ends the trace, as part of it.
    pub fn advance(&mut self, plan: &Plan, trace: &mut Trace) -> Result<(), Error> {
        if !self.is_running() {
            return Ok(());
        }
        match self.step(plan.step) {
            Ok(()) => self.note(trace),
            // Euler's method may leave the range of a model; what matters is that it always does so in the same way.
            Err(Error::Call {
                status: Status::Discard | Status::Error,
                ..
            }) if self.model_exchange().is_some() => {
                self.ended = true;
                trace.push(u64::MAX);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Notes all values as bits.
    pub fn note(&mut self, trace: &mut Trace) -> Result<(), Error> {
        let watched = std::mem::take(&mut self.watched);
        let result = self.note_watched(&watched, trace);
        self.watched = watched;
        result
    }

    fn note_watched(&mut self, watched: &Watched, trace: &mut Trace) -> Result<(), Error> {
        let mut reals = vec![0.0; watched.reals.len()];
        self.get_reals(&watched.reals, &mut reals)?;
        let nan = reals.iter().position(|value| value.is_nan());
        if let (None, false, Some(at)) = (self.not_a_number, self.runs_away, nan) {
            self.not_a_number = Some((watched.reals[at], self.time));
        }
        self.runs_away |= reals.iter().any(|value| value.abs() > FAR);
        trace.extend(reals.iter().map(|value| value.to_bits()));
        let mut integers = vec![0; watched.integers.len()];
        self.get_integers(&watched.integers, &mut integers)?;
        trace.extend(integers.iter().map(|value| *value as u64));
        let mut booleans = vec![false; watched.booleans.len()];
        self.get_booleans(&watched.booleans, &mut booleans)?;
        trace.extend(booleans.iter().map(|value| u64::from(*value)));
        Ok(())
    }

    /// When the next time event is due.
    pub fn next_event(&self) -> Option<f64> {
        self.next_event
    }

    /// A snapshot was restored: the run goes on from there.
    pub fn go_to(&mut self, time: f64, next_event: Option<f64>) {
        (self.time, self.next_event, self.ended) = (time, next_event, false);
    }

    /// Whether the run can go on.
    pub fn is_running(&self) -> bool {
        !self.ended && matches!(self.state(), State::ContinuousTime | State::StepComplete)
    }
}

impl Deref for Driver {
    type Target = Instance;

    fn deref(&self) -> &Instance {
        match &self.instance {
            Either::ModelExchange(instance) => instance,
            Either::CoSimulation(instance) => instance,
        }
    }
}

impl DerefMut for Driver {
    fn deref_mut(&mut self) -> &mut Instance {
        match &mut self.instance {
            Either::ModelExchange(instance) => instance,
            Either::CoSimulation(instance) => instance,
        }
    }
}
