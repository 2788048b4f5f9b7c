//! Model Exchange: the environment integrates.

use std::ops::{Deref, DerefMut};

use fmi::fmi2;

use super::{Instance, State, call};
use crate::Error;

/// An instance for Model Exchange.
///
/// ```no_run
/// use importer::{Experiment, Fmu};
///
/// let mut ball = Fmu::open("BouncingBall.fmu")?.model_exchange("ball")?;
/// ball.initialize(&Experiment::default())?;
/// while ball.new_discrete_states()?.new_discrete_states_needed {}
/// ball.enter_continuous_time_mode()?;
/// let mut slope = vec![0.0; ball.number_of_states()];
/// ball.derivatives(&mut slope)?;
/// # Ok::<(), importer::Error>(())
/// ```
#[derive(Debug)]
pub struct ModelExchange {
    instance: Instance,
    states: usize,
    indicators: usize,
}

/// What one pass of the event iteration brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EventInfo {
    /// The event iteration goes on.
    pub new_discrete_states_needed: bool,
    /// The FMU wants the simulation to end.
    pub terminate_simulation: bool,
    /// The nominal values have changed.
    pub nominals_of_continuous_states_changed: bool,
    /// The continuous states have changed.
    pub values_of_continuous_states_changed: bool,
    /// When the next time event is due.
    pub next_event_time: Option<f64>,
}

/// What the FMU answers to an accepted step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompletedStep {
    /// It wants event mode: a step event.
    pub enter_event_mode: bool,
    /// It wants the simulation to end.
    pub terminate_simulation: bool,
}

impl ModelExchange {
    pub(super) fn new(instance: Instance) -> Self {
        let description = instance.fmu.description();
        Self {
            states: description.model_structure.derivatives.len(),
            indicators: description.number_of_event_indicators.unwrap_or(0) as usize,
            instance,
        }
    }

    /// How many continuous states there are.
    pub fn number_of_states(&self) -> usize {
        self.states
    }

    /// How many event indicators there are.
    pub fn number_of_event_indicators(&self) -> usize {
        self.indicators
    }

    /// From continuous-time mode to event mode.
    pub fn enter_event_mode(&mut self) -> Result<(), Error> {
        call!(&mut self.instance, fmi2EnterEventMode)?;
        self.instance.state = State::Event;
        Ok(())
    }

    /// One pass of the event iteration.
    pub fn new_discrete_states(&mut self) -> Result<EventInfo, Error> {
        let mut info = fmi2::fmi2EventInfo::default();
        call!(&mut self.instance, fmi2NewDiscreteStates, &mut info)?;
        Ok(EventInfo {
            new_discrete_states_needed: info.newDiscreteStatesNeeded != fmi2::fmi2False,
            terminate_simulation: info.terminateSimulation != fmi2::fmi2False,
            nominals_of_continuous_states_changed: info.nominalsOfContinuousStatesChanged != fmi2::fmi2False,
            values_of_continuous_states_changed: info.valuesOfContinuousStatesChanged != fmi2::fmi2False,
            next_event_time: (info.nextEventTimeDefined != fmi2::fmi2False).then_some(info.nextEventTime),
        })
    }

    /// From event mode to continuous-time mode.
    pub fn enter_continuous_time_mode(&mut self) -> Result<(), Error> {
        call!(&mut self.instance, fmi2EnterContinuousTimeMode)?;
        self.instance.state = State::ContinuousTime;
        Ok(())
    }

    /// Tells that a step of the integrator is accepted; `no_set_state_before` promises that no snapshot of an earlier
    /// time will be restored.
    pub fn completed_integrator_step(&mut self, no_set_state_before: bool) -> Result<CompletedStep, Error> {
        let (mut event, mut end) = (fmi2::fmi2False, fmi2::fmi2False);
        call!(
            &mut self.instance,
            fmi2CompletedIntegratorStep,
            no_set_state_before.into(),
            &mut event,
            &mut end,
        )?;
        Ok(CompletedStep {
            enter_event_mode: event != fmi2::fmi2False,
            terminate_simulation: end != fmi2::fmi2False,
        })
    }

    /// Sets the independent variable.
    #[inline]
    pub fn set_time(&mut self, time: f64) -> Result<(), Error> {
        self.instance.recorder.at(time);
        call!(&mut self.instance, fmi2SetTime, time)
    }

    /// Sets all continuous states.
    #[inline]
    pub fn set_continuous_states(&mut self, x: &[f64]) -> Result<(), Error> {
        self.instance
            .same_length("fmi2SetContinuousStates", self.states, x.len())?;
        call!(&mut self.instance, fmi2SetContinuousStates, x.as_ptr(), x.len())
    }

    /// The derivatives of all continuous states.
    #[inline]
    pub fn derivatives(&mut self, derivatives: &mut [f64]) -> Result<(), Error> {
        let length = derivatives.len();
        self.instance
            .same_length("fmi2GetDerivatives", self.states, length)?;
        call!(
            &mut self.instance,
            fmi2GetDerivatives,
            derivatives.as_mut_ptr(),
            length
        )
    }

    /// The functions whose change of sign is an event.
    #[inline]
    pub fn event_indicators(&mut self, indicators: &mut [f64]) -> Result<(), Error> {
        let length = indicators.len();
        self.instance
            .same_length("fmi2GetEventIndicators", self.indicators, length)?;
        call!(
            &mut self.instance,
            fmi2GetEventIndicators,
            indicators.as_mut_ptr(),
            length
        )
    }

    /// All continuous states.
    #[inline]
    pub fn continuous_states(&mut self, x: &mut [f64]) -> Result<(), Error> {
        self.instance
            .same_length("fmi2GetContinuousStates", self.states, x.len())?;
        call!(
            &mut self.instance,
            fmi2GetContinuousStates,
            x.as_mut_ptr(),
            x.len()
        )
    }

    /// The nominal values of all continuous states.
    pub fn nominals_of_continuous_states(&mut self, nominals: &mut [f64]) -> Result<(), Error> {
        let length = nominals.len();
        self.instance
            .same_length("fmi2GetNominalsOfContinuousStates", self.states, length)?;
        call!(
            &mut self.instance,
            fmi2GetNominalsOfContinuousStates,
            nominals.as_mut_ptr(),
            length,
        )
    }
}

impl Deref for ModelExchange {
    type Target = Instance;

    fn deref(&self) -> &Instance {
        &self.instance
    }
}

impl DerefMut for ModelExchange {
    fn deref_mut(&mut self) -> &mut Instance {
        &mut self.instance
    }
}
