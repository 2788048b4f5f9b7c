//! Co-Simulation: the FMU integrates.

use std::ops::{Deref, DerefMut};

use fmu_standard::fmi2::{self, calls};

use super::stabilize::Stabilizer;
use super::{Instance, RealVariables, State, call};
use crate::watch::number_of;
use crate::{BaseType, Error, Status};

/// An instance for Co-Simulation.
#[derive(Debug)]
pub struct CoSimulation {
    pub(super) instance: Instance,
    /// Dropped after the instance, which may call it.
    pub(super) stabilizer: Option<Box<Stabilizer>>,
}

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// It reached its end.
    Done,
    /// The FMU computed only a part of it, or nothing.
    Discarded {
        /// How far it came, if it says so.
        last_successful_time: Option<f64>,
        /// It wants the simulation to end there.
        terminated: bool,
    },
    /// It goes on in the background; ask with [`CoSimulation::poll`].
    Pending,
}

/// A step that ends beyond the stop time by a smaller part of itself than this does so by roundings.
const ROUNDING: f64 = 1e-9;

impl Instance {
    /// The same step without the rounding by which it would end beyond the stop time, which some FMUs refuse. Others
    /// accept one step size only, to the last bit, so the communication point gives way, by a rounding, and the step
    /// only where it is the first one.
    #[inline]
    fn within_the_stop_time(&self, time: f64, step: f64) -> (f64, f64) {
        let (start, stop) = self.span;
        let beyond = time + step - stop;
        if !(beyond > 0.0 && beyond <= ROUNDING * step) {
            return (time, step);
        }
        let mut earlier = stop - step;
        while earlier + step > stop {
            earlier = earlier.next_down();
        }
        match earlier >= start {
            true => (earlier, step),
            false => (time, stop - time),
        }
    }
}

impl CoSimulation {
    pub(super) fn new(instance: Instance) -> Self {
        Self {
            instance,
            stabilizer: None,
        }
    }

    /// Computes one communication step, with the promise that no snapshot of a time before `time` will be restored.
    #[inline]
    pub fn do_step(&mut self, time: f64, step: f64) -> Result<Step, Error> {
        self.do_step_with(time, step, true)
    }

    /// Computes one communication step; `no_set_state_before` promises that no snapshot of a time before `time` will
    /// be restored.
    #[inline]
    pub fn do_step_with(&mut self, time: f64, step: f64, no_set_state_before: bool) -> Result<Step, Error> {
        let (time, step) = self.instance.within_the_stop_time(time, step);
        self.instance.recorder.at(time);
        match call!(
            &mut self.instance,
            fmi2DoStep,
            time,
            step,
            no_set_state_before.into()
        ) {
            Ok(()) => {
                self.instance.recorder.at(time + step);
                Ok(Step::Done)
            }
            Err(error) => self.not_done(error),
        }
    }

    /// Sets inputs, computes one communication step and, if it is done, reads outputs: the three calls that a master
    /// makes at every communication point. The state of the instance is checked once for all of them.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    pub fn advance(
        &mut self,
        inputs: &RealVariables,
        u: &[f64],
        time: f64,
        step: f64,
        no_set_state_before: bool,
        outputs: &RealVariables,
        y: &mut [f64],
    ) -> Result<Step, Error> {
        let (inputs, outputs) = (inputs.value_references(), outputs.value_references());
        let instance = &mut self.instance;
        instance.same_length("fmi2SetReal", inputs.len(), u.len())?;
        instance.same_length("fmi2GetReal", outputs.len(), y.len())?;
        // Where a step is allowed, inputs may be set before it and outputs be read after it.
        instance.allow(&calls::fmi2DoStep)?;
        let functions = &instance.library.functions;
        let (Some(set), Some(do_step), Some(get)) =
            (functions.fmi2SetReal, functions.fmi2DoStep, functions.fmi2GetReal)
        else {
            return self.advance_by_calls(inputs, u, time, step, no_set_state_before, outputs, y);
        };
        let (time, step) = instance.within_the_stop_time(time, step);
        instance.recorder.at(time);
        if instance.library.isolated.is_some() {
            return self.advance_elsewhere(inputs, u, time, step, no_set_state_before, outputs, y);
        }
        if !u.is_empty() {
            instance.recorder.enter(const { number_of("fmi2SetReal") });
            // SAFETY: the instance is alive, the state allows the call, and both arrays have as many elements.
            let status = unsafe { set(instance.component, inputs.as_ptr(), inputs.len(), u.as_ptr()) };
            instance.recorder.leave();
            if status != fmi2::fmi2OK
                && let Err(error) = instance.finish("fmi2SetReal", status)
            {
                return Err(instance.with_values(error, BaseType::Real, inputs, u.iter().copied()));
            }
        }
        instance.recorder.enter(const { number_of("fmi2DoStep") });
        // SAFETY: the instance is alive, and the state allows the call.
        let status = unsafe { do_step(instance.component, time, step, no_set_state_before.into()) };
        instance.recorder.leave();
        if status != fmi2::fmi2OK
            && let Err(error) = instance.finish("fmi2DoStep", status)
        {
            return self.not_done(error);
        }
        instance.recorder.at(time + step);
        if !y.is_empty() {
            instance.recorder.enter(const { number_of("fmi2GetReal") });
            // SAFETY: the instance is alive, the state allows the call, and both arrays have as many elements.
            let status = unsafe {
                get(
                    instance.component,
                    outputs.as_ptr(),
                    outputs.len(),
                    y.as_mut_ptr(),
                )
            };
            instance.recorder.leave();
            instance.finish("fmi2GetReal", status)?;
        }
        Ok(Step::Done)
    }

    /// The same for an instance in another process: the three calls go there and back together.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn advance_elsewhere(
        &mut self,
        inputs: &[u32],
        u: &[f64],
        time: f64,
        step: f64,
        no_set_state_before: bool,
        outputs: &[u32],
        y: &mut [f64],
    ) -> Result<Step, Error> {
        let instance = &mut self.instance;
        let Some(isolated) = &instance.library.isolated else {
            return self.advance_by_calls(inputs, u, time, step, no_set_state_before, outputs, y);
        };
        instance.recorder.enter(const { number_of("fmi2DoStep") });
        // SAFETY: `&mut self` sees to it that this instance makes no other call.
        let statuses = unsafe { isolated.advance(inputs, u, time, step, no_set_state_before, outputs, y) };
        instance.recorder.leave();
        let [set, stepped, got] = statuses.map(|status| status.filter(|status| *status != fmi2::fmi2OK));
        if let Some(status) = set
            && let Err(error) = instance.finish("fmi2SetReal", status)
        {
            return Err(instance.with_values(error, BaseType::Real, inputs, u.iter().copied()));
        }
        if let Some(status) = stepped
            && let Err(error) = instance.finish("fmi2DoStep", status)
        {
            return self.not_done(error);
        }
        instance.finish("fmi2GetReal", got.unwrap_or(fmi2::fmi2OK))?;
        Ok(Step::Done)
    }

    /// The same, for a library that lacks a function: the call that misses it says so.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn advance_by_calls(
        &mut self,
        inputs: &[u32],
        u: &[f64],
        time: f64,
        step: f64,
        no_set_state_before: bool,
        outputs: &[u32],
        y: &mut [f64],
    ) -> Result<Step, Error> {
        if !u.is_empty() {
            self.instance.set_reals(inputs, u)?;
        }
        let done = self.do_step_with(time, step, no_set_state_before)?;
        if done == Step::Done && !y.is_empty() {
            self.instance.get_reals(outputs, y)?;
        }
        Ok(done)
    }

    /// How the step that is under way goes.
    pub fn poll(&mut self) -> Result<Step, Error> {
        const FUNCTION: &str = "fmi2DoStep";
        match self.status(fmi2::fmi2DoStepStatus)? {
            Status::Pending => Ok(Step::Pending),
            status => {
                if self.instance.state == State::StepInProgress {
                    self.instance.state = State::StepComplete;
                }
                match self.instance.finish_with_words(FUNCTION, status) {
                    Ok(()) => Ok(Step::Done),
                    Err(error) => self.not_done(error),
                }
            }
        }
    }

    #[cold]
    fn not_done(&mut self, error: Error) -> Result<Step, Error> {
        match error {
            Error::Call {
                status: Status::Discard,
                ..
            } => {
                self.instance.state = State::StepFailed;
                // FMUs that do not answer these are common; a discarded step is bad enough.
                let last_successful_time = self.real_status(fmi2::fmi2LastSuccessfulTime).ok();
                let terminated = self.boolean_status(fmi2::fmi2Terminated).unwrap_or(false);
                self.instance.state = State::StepFailed;
                Ok(Step::Discarded {
                    last_successful_time,
                    terminated,
                })
            }
            Error::Call {
                status: Status::Pending,
                ..
            } => {
                self.instance.state = State::StepInProgress;
                Ok(Step::Pending)
            }
            error => Err(error),
        }
    }

    /// Stops the step that is under way.
    pub fn cancel_step(&mut self) -> Result<(), Error> {
        call!(&mut self.instance, fmi2CancelStep)?;
        self.instance.state = State::StepCanceled;
        Ok(())
    }

    /// Derivatives by time of inputs (value references of Real variables), each of its order.
    pub fn set_real_input_derivatives(
        &mut self,
        value_references: &[u32],
        orders: &[i32],
        values: &[f64],
    ) -> Result<(), Error> {
        const FUNCTION: &str = "fmi2SetRealInputDerivatives";
        self.instance
            .same_length(FUNCTION, value_references.len(), orders.len())?;
        self.instance
            .same_length(FUNCTION, value_references.len(), values.len())?;
        self.instance.known(BaseType::Real, value_references)?;
        call!(
            &mut self.instance,
            fmi2SetRealInputDerivatives,
            value_references.as_ptr(),
            value_references.len(),
            orders.as_ptr(),
            values.as_ptr(),
        )
    }

    /// Derivatives by time of outputs (value references of Real variables), each of its order.
    pub fn real_output_derivatives(
        &mut self,
        value_references: &[u32],
        orders: &[i32],
        values: &mut [f64],
    ) -> Result<(), Error> {
        const FUNCTION: &str = "fmi2GetRealOutputDerivatives";
        self.instance
            .same_length(FUNCTION, value_references.len(), orders.len())?;
        self.instance
            .same_length(FUNCTION, value_references.len(), values.len())?;
        self.instance.known(BaseType::Real, value_references)?;
        call!(
            &mut self.instance,
            fmi2GetRealOutputDerivatives,
            value_references.as_ptr(),
            value_references.len(),
            orders.as_ptr(),
            values.as_mut_ptr(),
        )
    }

    /// `fmi2GetStatus`.
    pub fn status(&mut self, kind: fmi2::fmi2StatusKind) -> Result<Status, Error> {
        let mut status = fmi2::fmi2OK;
        call!(&mut self.instance, fmi2GetStatus, kind, &mut status)?;
        Ok(status.into())
    }

    /// `fmi2GetRealStatus`.
    pub fn real_status(&mut self, kind: fmi2::fmi2StatusKind) -> Result<f64, Error> {
        let mut value = 0.0;
        call!(&mut self.instance, fmi2GetRealStatus, kind, &mut value)?;
        Ok(value)
    }

    /// `fmi2GetIntegerStatus`.
    pub fn integer_status(&mut self, kind: fmi2::fmi2StatusKind) -> Result<i32, Error> {
        let mut value = 0;
        call!(&mut self.instance, fmi2GetIntegerStatus, kind, &mut value)?;
        Ok(value)
    }

    /// `fmi2GetBooleanStatus`.
    pub fn boolean_status(&mut self, kind: fmi2::fmi2StatusKind) -> Result<bool, Error> {
        let mut value = fmi2::fmi2False;
        call!(&mut self.instance, fmi2GetBooleanStatus, kind, &mut value)?;
        Ok(value != fmi2::fmi2False)
    }

    /// `fmi2GetStringStatus`.
    pub fn string_status(&mut self, kind: fmi2::fmi2StatusKind) -> Result<String, Error> {
        let mut value = std::ptr::null();
        call!(&mut self.instance, fmi2GetStringStatus, kind, &mut value)?;
        let mut text = String::new();
        let read = crate::text::read(value, &mut text, &mut Vec::new());
        read.map_err(|problem| Error::Nonsense {
            instance: self.instance.name.clone(),
            function: "fmi2GetStringStatus",
            answer: problem.into(),
        })?;
        Ok(text)
    }
}

impl Deref for CoSimulation {
    type Target = Instance;

    fn deref(&self) -> &Instance {
        &self.instance
    }
}

impl DerefMut for CoSimulation {
    fn deref_mut(&mut self) -> &mut Instance {
        &mut self.instance
    }
}
