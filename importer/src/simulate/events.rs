//! Events of Model Exchange: iterated until the FMU is content, and what follows for the solver.

use super::model_exchange::Run;
use super::settings::at;
use super::{Events, SimulateError};
use crate::{CompletedStep, EventInfo};

/// An event iteration as long as this has no end.
const ITERATIONS: usize = 1000;

/// What the solver has to do after an event.
pub(super) enum Next {
    /// Go on as before.
    Continue,
    /// Begin anew.
    Restart,
    /// Begin anew with other tolerances.
    Rebuild,
    /// Nothing: it is the end.
    End,
}

impl Run<'_, '_> {
    /// The first event iteration, and the states that follow from it. Answers whether the simulation goes on.
    pub fn begin(&mut self) -> Result<bool, SimulateError> {
        let info = self.iterate()?;
        self.resume()?;
        let mut system = self.system.borrow_mut();
        let states = system.plant.states();
        let system = &mut *system;
        if states > 0 {
            system.plant.instance.continuous_states(&mut self.x[..states])?;
            system.plant.x.copy_from_slice(&self.x[..states]);
        }
        if let Some(extra) = &mut system.extra {
            self.x[states..].copy_from_slice(&extra.start(&mut system.plant)?);
        }
        if !self.signs.is_empty() {
            system.plant.instance.event_indicators(&mut self.signs)?;
        }
        Ok(!info.terminate_simulation)
    }

    /// Tells the FMU that a step ends where the instance is.
    pub fn complete(&mut self) -> Result<CompletedStep, SimulateError> {
        if !self.tells_steps {
            return Ok(CompletedStep::default());
        }
        let mut system = self.system.borrow_mut();
        let result = system.timed(|system| system.plant.instance.completed_integrator_step(true));
        result.map_err(at(self.time))
    }

    /// Handles the event where the instance is. It was `planned`, or `asked` for, or indicators `crossed` zero.
    pub fn event(
        &mut self,
        planned: bool,
        asked: CompletedStep,
        crossed: &[usize],
    ) -> Result<Next, SimulateError> {
        self.record_before()?;
        if asked.terminate_simulation {
            return Ok(Next::End);
        }
        self.chatter.event(self.time, crossed)?;
        self.count(planned, asked, crossed);
        self.system
            .borrow_mut()
            .slopes(&mut self.before)
            .map_err(at(self.time))?;
        self.enter()?;
        let mut info = self.iterate()?;
        // An event that is due at once belongs to this one.
        while info.next_event_time.is_some_and(|time| time <= self.time) && !info.terminate_simulation {
            self.chatter.event(self.time, &[])?;
            self.summary.events.time += 1;
            let again = self.iterate()?;
            info.values_of_continuous_states_changed |= again.values_of_continuous_states_changed;
            info.nominals_of_continuous_states_changed |= again.nominals_of_continuous_states_changed;
            info.terminate_simulation |= again.terminate_simulation;
            info.next_event_time = again.next_event_time;
        }
        self.next_event = info.next_event_time;
        if info.terminate_simulation {
            self.record(true)?;
            return Ok(Next::End);
        }
        self.resume()?;
        let jumped = info.values_of_continuous_states_changed;
        self.read(jumped)?;
        self.record(true)?;
        Ok(if info.nominals_of_continuous_states_changed {
            Next::Rebuild
        } else if jumped || self.before != self.after {
            Next::Restart
        } else {
            Next::Continue
        })
    }

    fn count(&mut self, planned: bool, asked: CompletedStep, crossed: &[usize]) {
        let Events {
            state,
            time,
            step,
            input,
            ..
        } = &mut self.summary.events;
        *state += usize::from(!crossed.is_empty());
        *step += usize::from(asked.enter_event_mode);
        if planned {
            let announced = self.next_event.is_some_and(|event| event <= self.time);
            *time += usize::from(announced);
            *input += usize::from(!announced);
        }
    }

    /// Enters event mode, with the inputs that hold after their jump.
    fn enter(&mut self) -> Result<(), SimulateError> {
        let time = self.time;
        let mut system = self.system.borrow_mut();
        system.plant.forget();
        let result = system.timed(|system| {
            let instance = &mut system.plant.instance;
            instance.enter_event_mode()?;
            system.inputs.pass(time);
            system.inputs.set_continuous(instance, time)?;
            system.inputs.set_held(instance, time)
        });
        result.map_err(at(time))
    }

    /// Iterates until the FMU is content; what changed in any pass has changed.
    fn iterate(&mut self) -> Result<EventInfo, SimulateError> {
        let mut system = self.system.borrow_mut();
        let mut all = EventInfo::default();
        for _ in 0..ITERATIONS {
            self.summary.events.iterations += 1;
            let info = system
                .timed(|system| system.plant.instance.new_discrete_states())
                .map_err(at(self.time))?;
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
            time: self.time,
            iterations: ITERATIONS,
        })
    }

    fn resume(&mut self) -> Result<(), SimulateError> {
        let mut system = self.system.borrow_mut();
        let result = system.timed(|system| system.plant.instance.enter_continuous_time_mode());
        result.map_err(at(self.time))
    }

    /// States, slopes and signs after an event.
    fn read(&mut self, jumped: bool) -> Result<(), SimulateError> {
        let mut system = self.system.borrow_mut();
        let states = system.plant.states();
        if jumped && states > 0 {
            let x = &mut self.x[..states];
            system
                .timed(|system| system.plant.instance.continuous_states(x))
                .map_err(at(self.time))?;
            system.plant.x.copy_from_slice(&self.x[..states]);
        }
        system.slopes(&mut self.after).map_err(at(self.time))?;
        if !self.signs.is_empty() {
            system.indicator_evaluations += 1;
            let signs = &mut self.signs;
            system
                .timed(|system| system.plant.instance.event_indicators(signs))
                .map_err(at(self.time))?;
        }
        Ok(())
    }
}
