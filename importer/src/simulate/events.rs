//! An FMU for Model Exchange as a system with events.

use super::SimulateError;
use super::hybrid::{Hybrid, jacobian_age};
use super::settings::at;
use super::system::FmuSystem;
use crate::{CompletedStep, EventInfo};

/// An event iteration as long as this has no end.
const ITERATIONS: usize = 1000;

impl Hybrid for FmuSystem<'_> {
    type Fault = SimulateError;

    fn number_of_states(&self) -> usize {
        self.size()
    }

    fn number_of_event_indicators(&self) -> usize {
        self.plant.instance.number_of_event_indicators()
    }

    fn set(&mut self, time: f64, x: &[f64]) -> Result<(), SimulateError> {
        self.timed(|this| this.set_untimed(time, x)).map_err(at(time))
    }

    fn indicators(&mut self, time: f64, x: &[f64], z: &mut [f64]) -> Result<(), SimulateError> {
        self.indicator_evaluations += 1;
        let result = self.timed(|this| {
            this.set_untimed(time, x)?;
            this.plant.instance.event_indicators(z)
        });
        result.map_err(at(time))
    }

    fn slopes(&mut self, time: f64, dx: &mut [f64]) -> Result<(), SimulateError> {
        if self.plant.states() == 0 {
            return Ok(());
        }
        self.evaluations += 1;
        let result = self.timed(|this| {
            let states = this.plant.states();
            this.plant.instance.derivatives(&mut dx[..states])
        });
        result.map_err(at(time))
    }

    fn needs_completed_steps(&self) -> bool {
        self.needs_completed_steps
    }

    fn jacobian_age(&self) -> usize {
        let a = &self.plant.a;
        jacobian_age(self.is_sparse(), a.is_exact().then(|| a.groups()))
    }

    fn completed(&mut self, time: f64) -> Result<CompletedStep, SimulateError> {
        if !self.needs_completed_steps {
            return Ok(CompletedStep::default());
        }
        let result = self.timed(|this| this.plant.instance.completed_integrator_step(true));
        result.map_err(at(time))
    }

    /// With the inputs that hold after their jump.
    fn enter(&mut self, time: f64, _: &[usize]) -> Result<(), SimulateError> {
        self.plant.forget();
        let result = self.timed(|this| {
            let instance = &mut this.plant.instance;
            instance.enter_event_mode()?;
            this.inputs.pass(time);
            this.inputs.set_continuous(instance, time)?;
            this.inputs.set_held(instance, time)
        });
        result.map_err(at(time))
    }

    fn iterate(&mut self, time: f64, passes: &mut usize) -> Result<EventInfo, SimulateError> {
        let mut all = EventInfo::default();
        for _ in 0..ITERATIONS {
            *passes += 1;
            let info = self
                .timed(|this| this.plant.instance.new_discrete_states())
                .map_err(at(time))?;
            all.values_of_continuous_states_changed |= info.values_of_continuous_states_changed;
            all.nominals_of_continuous_states_changed |= info.nominals_of_continuous_states_changed;
            all.terminate_simulation |= info.terminate_simulation;
            all.next_event_time = info.next_event_time;
            if !info.new_discrete_states_needed || info.terminate_simulation {
                self.next_event = all.next_event_time;
                return Ok(all);
            }
        }
        Err(SimulateError::EventIteration {
            time,
            iterations: ITERATIONS,
        })
    }

    fn resume(&mut self, time: f64) -> Result<(), SimulateError> {
        self.timed(|this| this.plant.instance.enter_continuous_time_mode())
            .map_err(at(time))
    }

    fn states(&mut self, time: f64, x: &mut [f64]) -> Result<(), SimulateError> {
        let (own, beside) = x.split_at_mut(self.plant.states());
        if !own.is_empty() {
            self.timed(|this| this.plant.instance.continuous_states(own))
                .map_err(at(time))?;
            self.plant.x.copy_from_slice(own);
        }
        match &mut self.extra {
            Some(extra) if !self.extra_started => {
                self.extra_started = true;
                beside.copy_from_slice(&extra.start(&mut self.plant)?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn signs(&mut self, time: f64, z: &mut [f64]) -> Result<(), SimulateError> {
        self.indicator_evaluations += 1;
        self.timed(|this| this.plant.instance.event_indicators(z))
            .map_err(at(time))
    }

    fn nominals(&mut self, time: f64, sizes: &mut [f64]) -> Result<(), SimulateError> {
        let (own, beside) = sizes.split_at_mut(self.plant.states());
        if let Some(extra) = &self.extra {
            beside.fill(extra.nominal());
        }
        match own.is_empty() {
            true => Ok(()),
            false => self
                .plant
                .instance
                .nominals_of_continuous_states(own)
                .map_err(at(time)),
        }
    }

    fn next_time_event(&self) -> f64 {
        self.next_event.unwrap_or(f64::INFINITY)
    }

    fn next_jump(&self, time: f64) -> f64 {
        self.inputs.next_event(time).unwrap_or(f64::INFINITY)
    }

    fn next_kink(&self, time: f64) -> f64 {
        self.inputs.next_kink(time).unwrap_or(f64::INFINITY)
    }

    fn accepted(&mut self) {
        self.forget_refusal();
    }

    fn failure(&mut self, time: f64, otherwise: fmu_solvers::Error) -> SimulateError {
        if let Some(source) = self.fault() {
            return SimulateError::At { time, source };
        }
        let fmu_solvers::Error::NotFinite {
            time,
            state,
            derivative,
            value,
        } = otherwise
        else {
            return otherwise.into();
        };
        let fmu = self.plant.instance.fmu();
        let variable = match fmu.continuous_states().unwrap_or_default().get(state) {
            Some(found) => {
                let position = if derivative { found.derivative } else { found.state };
                fmu.description().model_variables[position].name.clone()
            }
            None => format!("extra equation {}", state + 1 - self.plant.states()),
        };
        SimulateError::NotFinite {
            fmu: fmu.name().into(),
            variable,
            value,
            time,
        }
    }
}
