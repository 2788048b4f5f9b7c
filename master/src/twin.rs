//! A second instance of an FMU, initialized like the first one: it can be asked for derivatives at the start of a run, and may fail
//! to answer without an end of the run.

use fmu_importer::{BaseType, CoSimulation, InstanceOptions, Value};
use fmu_standard::description::Causality;

use crate::component::{CoSimulationFmu, Component as _, ComponentError, Outcome, Stepping};
use crate::model_exchange::{Solver, SteppedModel};
use crate::stabilize::Linear;

/// What the first instance was initialized with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start {
    pub time: f64,
    pub stop: f64,
    pub tolerance: Option<f64>,
}

/// Times of events with one period between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timetable {
    first: f64,
    period: f64,
}

/// Differences below this part of a period are rounding.
const ROUNDING: f64 = 1e-9;

impl Timetable {
    /// The period of three successive events; `None` if their distances differ.
    fn of([first, second, third]: [f64; 3]) -> Option<Timetable> {
        let period = second - first;
        let regular = period > 0.0 && (third - second - period).abs() <= ROUNDING * period;
        regular.then_some(Timetable { first, period })
    }

    /// The next event after this time.
    pub fn after(&self, t: f64) -> f64 {
        let passed = ((t - self.first) / self.period + ROUNDING).floor() + 1.0;
        self.first + passed.max(0.0) * self.period
    }
}

/// When an FMU with Model Exchange samples, from the first events of a second instance; `first` has been initialized and not
/// stepped. None if it does not answer, or has no regular events.
pub(crate) fn timetable(
    first: &mut CoSimulation,
    (inputs, outputs): (&[u32], &[u32]),
    start: Start,
) -> Option<Timetable> {
    let exchange = first.fmu().description().model_exchange.as_ref()?;
    if exchange.interface.can_be_instantiated_only_once_per_process {
        return None;
    }
    let mut asked = || -> Result<Option<Timetable>, ComponentError> {
        let mut instance = first.fmu().model_exchange_with(first.name(), quiet())?;
        instance.start_like(first)?;
        let mut second = SteppedModel::new(instance, inputs, outputs, Solver::default())?;
        initialize(&mut second, first, start)?;
        let (mut now, mut events) = (start.time, [0.0; 3]);
        for number in 0..events.len() {
            let due = second.next_event(now).filter(|due| *due <= start.stop);
            let Some(due) = due else { return Ok(None) };
            // What happens at the last of them does not matter: it may end the simulation.
            let is_last = number + 1 == events.len();
            if !is_last && second.step(now, due - now, false)? != Outcome::Done {
                return Ok(None);
            }
            (now, events[number]) = (due, due);
        }
        // It goes in any case.
        let _ = second.terminate();
        Ok(Timetable::of(events))
    };
    asked().ok().flatten()
}

/// A linear model of an FMU at its start, asked of a second instance; `first` has been initialized and not stepped. Without
/// directional derivatives only if `differences` are wanted, and the FMU has Model Exchange. None if it does not answer.
pub(crate) fn linear(
    first: &mut CoSimulation,
    coupled: (&[u32], &[u32]),
    start: Start,
    differences: bool,
) -> Option<Linear> {
    let fmu = first.fmu().clone();
    let description = fmu.description();
    let exchange = description.model_exchange.as_ref().map(|me| &me.interface);
    let stepping = description.co_simulation.as_ref().map(|cs| &cs.interface);
    let mut interfaces = exchange.iter().chain(&stepping);
    if interfaces.any(|interface| interface.can_be_instantiated_only_once_per_process) {
        return None;
    }
    let provides = |interface: Option<&fmu_standard::description::Interface>| {
        interface.is_some_and(|interface| interface.provides_directional_derivative)
    };
    let asked = match () {
        () if exchange.is_some() && (differences || provides(exchange)) => {
            model_exchange(first, coupled, start)
        }
        () if provides(stepping) => co_simulation(first, coupled, start),
        () => return None,
    };
    asked.ok()
}

/// Its messages are of no interest: the first instance has logged the same.
fn quiet() -> InstanceOptions {
    InstanceOptions::new().logging(false).on_message(|_| {})
}

fn model_exchange(
    first: &mut CoSimulation,
    (inputs, outputs): (&[u32], &[u32]),
    start: Start,
) -> Result<Linear, ComponentError> {
    let mut instance = first.fmu().model_exchange_with(first.name(), quiet())?;
    instance.start_like(first)?;
    let model = SteppedModel::new(instance, inputs, outputs, Solver::default())?;
    ask(model, first, inputs.len(), outputs.len(), start)
}

fn co_simulation(
    first: &mut CoSimulation,
    (inputs, outputs): (&[u32], &[u32]),
    start: Start,
) -> Result<Linear, ComponentError> {
    let mut instance = first.fmu().co_simulation_with(first.name(), quiet())?;
    instance.start_like(first)?;
    let stepped = CoSimulationFmu::new(instance, inputs.to_vec(), outputs.to_vec());
    ask(stepped, first, inputs.len(), outputs.len(), start)
}

/// Initializes a second instance, and asks it.
fn ask(
    mut second: impl Stepping,
    first: &mut CoSimulation,
    inputs: usize,
    outputs: usize,
    start: Start,
) -> Result<Linear, ComponentError> {
    initialize(&mut second, first, start)?;
    let states = first.fmu().continuous_states()?.len();
    let mut linear = Linear::new(states, inputs, outputs);
    let asked = second.linearize(&mut linear);
    // It goes in any case.
    let _ = second.terminate();
    asked.map(|()| linear)
}

/// Initializes a second instance with the inputs of the first one.
fn initialize(
    second: &mut impl Stepping,
    first: &mut CoSimulation,
    start: Start,
) -> Result<(), ComponentError> {
    second.enter_initialization(start.time, start.stop, start.tolerance)?;
    for (reference, value) in inputs_of(first)? {
        second.set_value(reference, &value)?;
    }
    second.exit_initialization()
}

/// All inputs of an instance, by their value references.
fn inputs_of(instance: &mut CoSimulation) -> Result<Vec<(u32, Value)>, ComponentError> {
    let fmu = instance.fmu().clone();
    let mut inputs = Vec::new();
    for variable in &fmu.description().model_variables {
        if variable.causality == Causality::Input {
            let reference = variable.value_reference;
            inputs.push((
                reference,
                instance.value(BaseType::of(&variable.kind), reference)?,
            ));
        }
    }
    Ok(inputs)
}
