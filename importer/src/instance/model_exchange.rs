//! Model Exchange: the environment integrates.

use std::ops::{Deref, DerefMut};

use fmu_standard::fmi2::{self, calls};

use super::{Instance, RealVariables, State, call};
use crate::watch::number_of;
use crate::{BaseType, Error};

/// An instance for Model Exchange.
///
/// ```no_run
/// use fmu_importer::{Experiment, Fmu};
///
/// let mut ball = Fmu::open("BouncingBall.fmu")?.model_exchange("ball")?;
/// ball.initialize(&Experiment::default())?;
/// while ball.new_discrete_states()?.new_discrete_states_needed {}
/// ball.enter_continuous_time_mode()?;
/// let mut slope = vec![0.0; ball.number_of_states()];
/// ball.derivatives(&mut slope)?;
/// # Ok::<(), fmu_importer::Error>(())
/// ```
#[derive(Debug)]
pub struct ModelExchange {
    instance: Instance,
    states: usize,
    indicators: usize,
}

/// What one pass of the event iteration brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
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
#[non_exhaustive]
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

    /// Reports that a step of the integrator is accepted; `no_set_state_before` promises that no snapshot of an earlier
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

    /// Sets time, continuous states and inputs, and gets the derivatives: the four calls that a solver makes at every
    /// evaluation. The state of the instance is checked once for all of them.
    #[inline]
    pub fn evaluate(
        &mut self,
        time: f64,
        x: &[f64],
        inputs: &RealVariables,
        u: &[f64],
        derivatives: &mut [f64],
    ) -> Result<(), Error> {
        let references = inputs.value_references();
        let functions = &self.instance.library.functions;
        let (Some(set_time), Some(set_states), Some(set_reals), Some(get_derivatives)) = (
            functions.fmi2SetTime,
            functions.fmi2SetContinuousStates,
            functions.fmi2SetReal,
            functions.fmi2GetDerivatives,
        ) else {
            return self.evaluate_by_calls(time, x, inputs, u, derivatives);
        };
        if x.is_empty() || u.is_empty() {
            return self.evaluate_by_calls(time, x, inputs, u, derivatives);
        }
        let (states, instance) = (self.states, &mut self.instance);
        instance.same_length("fmi2SetContinuousStates", states, x.len())?;
        instance.same_length("fmi2SetReal", references.len(), u.len())?;
        instance.same_length("fmi2GetDerivatives", states, derivatives.len())?;
        // Where states may be set, so may time and inputs, and derivatives may be read.
        instance.allow(&calls::fmi2SetContinuousStates)?;
        instance.recorder.at(time);
        instance.recorder.enter(const { number_of("fmi2SetTime") });
        // SAFETY: the instance is alive, and the state allows the call.
        let status = unsafe { set_time(instance.component, time) };
        instance.recorder.leave();
        if status != fmi2::fmi2OK {
            instance.finish("fmi2SetTime", status)?;
        }
        instance
            .recorder
            .enter(const { number_of("fmi2SetContinuousStates") });
        // SAFETY: the instance is alive, the state allows the call, and the array has as many elements.
        let status = unsafe { set_states(instance.component, x.as_ptr(), x.len()) };
        instance.recorder.leave();
        if status != fmi2::fmi2OK {
            instance.finish("fmi2SetContinuousStates", status)?;
        }
        instance.recorder.enter(const { number_of("fmi2SetReal") });
        // SAFETY: the instance is alive, the state allows the call, and both arrays have as many elements.
        let status = unsafe { set_reals(instance.component, references.as_ptr(), u.len(), u.as_ptr()) };
        instance.recorder.leave();
        if status != fmi2::fmi2OK
            && let Err(error) = instance.finish("fmi2SetReal", status)
        {
            return Err(instance.with_values(error, BaseType::Real, references, u.iter().copied()));
        }
        instance.recorder.enter(const { number_of("fmi2GetDerivatives") });
        let (slopes, length) = (derivatives.as_mut_ptr(), derivatives.len());
        // SAFETY: the instance is alive, the state allows the call, and the array has as many elements.
        let status = unsafe { get_derivatives(instance.component, slopes, length) };
        instance.recorder.leave();
        instance.finish("fmi2GetDerivatives", status)
    }

    /// The same where a function is missing, or where there is nothing to call one with.
    #[cold]
    fn evaluate_by_calls(
        &mut self,
        time: f64,
        x: &[f64],
        inputs: &RealVariables,
        u: &[f64],
        derivatives: &mut [f64],
    ) -> Result<(), Error> {
        self.set_time(time)?;
        if !x.is_empty() {
            self.set_continuous_states(x)?;
        }
        if !u.is_empty() {
            self.instance.set_known_reals(inputs, u)?;
        }
        match derivatives.is_empty() {
            true => Ok(()),
            false => self.derivatives(derivatives),
        }
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
