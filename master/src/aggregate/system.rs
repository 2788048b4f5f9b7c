//! The network as a system with events, for the solver.

use std::time::Instant;

use fmu_importer::simulate::SimulateError;
use fmu_importer::simulate::hybrid::{Hybrid, jacobian_age};
use fmu_importer::{CompletedStep, EventInfo};
use fmu_solvers::{ImplicitSystem, Pattern, Refused, System};

use super::network::Network;
use crate::Error;

/// Times whose relative difference is at most this are the same: sums of sample times differ so from products.
const ROUNDING: f64 = 1e-12;

impl Network {
    /// Measures what happens in components.
    #[inline(always)]
    fn timed<R>(&mut self, call: impl FnOnce(&mut Self) -> R) -> R {
        let begin = self.in_components.is_due().then(Instant::now);
        let result = call(self);
        if let Some(begin) = begin {
            self.in_components.add(begin.elapsed());
        }
        result
    }

    fn refuse(&mut self, error: Error) -> Refused {
        self.closed = false;
        // After the first error of an FMU every call is refused, and says less.
        let ends = matches!(&error, Error::Component { source, .. }
            if source.downcast_ref::<fmu_importer::Error>().is_some_and(|error| !error.is_discard()));
        if ends {
            self.error.get_or_insert(error);
        } else {
            self.refusal = Some(error);
        }
        Refused
    }

    fn fill(&mut self, time: f64, x: &[f64], values: &mut [f64]) -> Result<(), Error> {
        self.go(time, x)?;
        for at in 0..self.places.len() {
            self.partials(at)?;
        }
        if self.jacobian.assemble(values) {
            return Ok(());
        }
        Err(Error::Settings(format!(
            "an algebraic loop has no solution at t = {time}, or many: its gain is exactly 1. Check the signs of the \
             connections"
        )))
    }

    /// The event indicators of all components, and of external events, where the components are.
    fn all_indicators(&mut self, z: &mut [f64]) -> Result<(), Error> {
        self.indicator_evaluations += 1;
        for at in 0..self.places.len() {
            let place = &mut self.places[at];
            if !place.indicators.is_empty() {
                let found = place.component.event_indicators(&mut z[place.indicators.clone()]);
                found.map_err(|source| self.of(at, source))?;
            }
        }
        let first = z.len() - self.external.len();
        for (event, z) in self.external.iter_mut().zip(&mut z[first..]) {
            *z = event.reported(self.time, &self.y);
        }
        Ok(())
    }
}

impl System for Network {
    type Error = Refused;

    fn rhs(&mut self, time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Refused> {
        self.evaluations += 1;
        let result = self.timed(|this| this.evaluate(time, x, dx));
        result.map_err(|error| self.refuse(error))
    }
}

impl ImplicitSystem for Network {
    fn pattern(&self) -> Option<&Pattern> {
        self.jacobian.pattern()
    }

    fn jacobian(&mut self, time: f64, x: &[f64], values: &mut [f64]) -> Result<(), Refused> {
        let result = self.timed(|this| this.fill(time, x, values));
        result.map_err(|error| self.refuse(error))
    }
}

impl Hybrid for Network {
    type Fault = Error;

    fn number_of_states(&self) -> usize {
        self.x.len()
    }

    fn number_of_event_indicators(&self) -> usize {
        let own = self.places.last().map_or(0, |place| place.indicators.end);
        own + self.external.len()
    }

    fn set(&mut self, time: f64, x: &[f64]) -> Result<(), Error> {
        self.timed(|this| this.go(time, x))
    }

    fn indicators(&mut self, time: f64, x: &[f64], z: &mut [f64]) -> Result<(), Error> {
        self.timed(|this| {
            this.go(time, x)?;
            this.all_indicators(z)
        })
    }

    fn slopes(&mut self, _: f64, dx: &mut [f64]) -> Result<(), Error> {
        self.evaluations += 1;
        self.timed(|this| Network::derivatives(this, dx))
    }

    /// External events look where steps end.
    fn needs_completed_steps(&self) -> bool {
        let own = self
            .places
            .iter()
            .any(|place| place.component.needs_completed_steps());
        own || !self.external.is_empty()
    }

    /// As for one FMU that takes as many evaluations as all components together.
    fn jacobian_age(&self) -> usize {
        let mut components = self.places.iter().map(|place| &place.component);
        let exact = components.all(|component| component.has_exact_partials());
        let evaluations = exact.then(|| self.places.iter().map(|place| place.groups).sum());
        jacobian_age(self.jacobian.pattern().is_some(), evaluations)
    }

    fn completed(&mut self, time: f64) -> Result<CompletedStep, Error> {
        let mut all = CompletedStep::default();
        for at in 0..self.places.len() {
            if !self.places[at].component.needs_completed_steps() {
                continue;
            }
            let answer = self.places[at].component.completed_step();
            let answer = answer.map_err(|source| self.of(at, source))?;
            self.places[at].asked = answer.enter_event_mode;
            all.enter_event_mode |= answer.enter_event_mode;
            if answer.terminate_simulation {
                all.terminate_simulation = true;
                self.terminated = Some(at);
            }
        }
        for event in &mut self.external {
            event.arm(time, &self.y);
        }
        Ok(all)
    }

    fn enter(&mut self, time: f64, crossed: &[usize]) -> Result<(), Error> {
        self.begin_event(time, crossed)
    }

    fn iterate(&mut self, time: f64, passes: &mut usize) -> Result<EventInfo, Error> {
        self.iterate_event(time, passes)
    }

    fn resume(&mut self, time: f64) -> Result<(), Error> {
        self.end_event(time)
    }

    fn states(&mut self, _: f64, x: &mut [f64]) -> Result<(), Error> {
        x.copy_from_slice(&self.x);
        Ok(())
    }

    fn signs(&mut self, time: f64, z: &mut [f64]) -> Result<(), Error> {
        for event in &mut self.external {
            event.arm(time, &self.y);
        }
        self.timed(|this| this.all_indicators(z))
    }

    fn nominals(&mut self, _: f64, sizes: &mut [f64]) -> Result<(), Error> {
        for at in 0..self.places.len() {
            let place = &mut self.places[at];
            let read = place.component.nominals(&mut sizes[place.states.clone()]);
            read.map_err(|source| self.of(at, source))?;
        }
        Ok(())
    }

    /// Events of several components that rounding keeps apart are one, at the last of their times.
    fn next_time_event(&self) -> f64 {
        let events = || self.places.iter().map(|place| place.next_event);
        let first = events().fold(f64::INFINITY, f64::min);
        if first == f64::INFINITY {
            return first;
        }
        let limit = (first + ROUNDING * first.abs()).min(self.stop.max(first));
        events().filter(|event| *event <= limit).fold(first, f64::max)
    }

    fn next_jump(&self, _: f64) -> f64 {
        self.signals.next_jump()
    }

    fn next_kink(&self, time: f64) -> f64 {
        self.signals.next_kink(time)
    }

    fn accepted(&mut self) {
        self.refusal = None;
    }

    fn failure(&mut self, _: f64, otherwise: fmu_solvers::Error) -> Error {
        if let Some(fault) = self.error.take().or(self.refusal.take()) {
            return fault;
        }
        let fmu_solvers::Error::NotFinite {
            time,
            state,
            derivative,
            value,
        } = otherwise
        else {
            return SimulateError::from(otherwise).into();
        };
        let owner = self.places.iter().position(|place| place.states.contains(&state));
        let (component, name) = match owner {
            Some(at) => {
                let place = &self.places[at];
                let states = place.component.variables().states;
                let found = states.get(state - place.states.start);
                let name = found.map(|state| state.name.clone()).unwrap_or_default();
                (self.coupling.components[at].clone(), name)
            }
            None => (String::new(), format!("state {}", state + 1)),
        };
        let variable = if derivative { format!("der({name})") } else { name };
        SimulateError::NotFinite {
            fmu: component,
            variable,
            value,
            time,
        }
        .into()
    }
}
