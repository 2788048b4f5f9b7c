//! Events: the components that have one are handled, and then all whom it reaches through connections, until nothing
//! changes any more.

use importer::EventInfo;
use importer::simulate::SimulateError;

use super::network::Network;
use crate::Error;
use crate::coupling::{DiscreteLink, Link};

/// An event iteration as long as this has no end.
const ITERATIONS: usize = 1000;

impl Network {
    /// External events act on states; then the components concerned enter event mode.
    pub(super) fn begin_event(&mut self, time: f64, crossed: &[usize]) -> Result<(), Error> {
        self.in_event = true;
        let jumped = self.signals.pass(time);
        let own = self.places.last().map_or(0, |place| place.indicators.end);
        for event in crossed.iter().filter_map(|at| at.checked_sub(own)) {
            self.act(time, event)?;
        }
        for at in 0..self.places.len() {
            let place = &self.places[at];
            let crosses = crossed
                .iter()
                .any(|indicator| place.indicators.contains(indicator));
            let signal = |input: usize| matches!(self.coupling.inputs[input].link, Link::Signal(_));
            let concerned = crosses
                || place.asked
                || place.pending
                || place.next_event <= time
                || jumped && place.inputs.clone().any(signal);
            if concerned {
                self.activate(at)?;
            }
        }
        self.closed = false;
        Ok(())
    }

    /// An external event changes states, which components are told while time is still continuous.
    fn act(&mut self, time: f64, event: usize) -> Result<(), Error> {
        self.external[event].act(time, &mut self.x);
        self.acted = true;
        for at in 0..self.places.len() {
            let place = &mut self.places[at];
            let states = place.states.clone();
            if self.external[event]
                .states
                .iter()
                .any(|state| states.contains(state))
            {
                place.pending = true;
                let set = place.component.set_states(&self.x[states]);
                set.map_err(|source| self.of(at, source))?;
            }
        }
        Ok(())
    }

    /// Lets a component take part in the event.
    pub(super) fn activate(&mut self, at: usize) -> Result<(), Error> {
        let place = &mut self.places[at];
        place.pending = true;
        place.asked = false;
        if place.active {
            return Ok(());
        }
        place.active = true;
        place.events += 1;
        let entered = place.component.enter_event_mode();
        entered.map_err(|source| self.of(at, source))
    }

    /// The components of the event iterate; outputs that change reach inputs, and their components iterate as well.
    pub(super) fn iterate_event(&mut self, time: f64, passes: &mut usize) -> Result<EventInfo, Error> {
        let mut all = EventInfo {
            values_of_continuous_states_changed: std::mem::take(&mut self.acted),
            ..EventInfo::default()
        };
        for place in &mut self.places {
            place.pending |= place.active && place.next_event <= time;
        }
        for _ in 0..ITERATIONS {
            *passes += 1;
            for at in 0..self.places.len() {
                if !std::mem::take(&mut self.places[at].pending) {
                    continue;
                }
                let info = self.places[at].component.new_discrete_states();
                let info = info.map_err(|source| self.of(at, source))?;
                let place = &mut self.places[at];
                place.pending = info.new_discrete_states_needed;
                place.next_event = info.next_event_time.unwrap_or(f64::INFINITY);
                all.values_of_continuous_states_changed |= info.values_of_continuous_states_changed;
                all.nominals_of_continuous_states_changed |= info.nominals_of_continuous_states_changed;
                all.terminate_simulation |= info.terminate_simulation;
            }
            if all.terminate_simulation {
                return Ok(all);
            }
            self.spread()?;
            if !self.places.iter().any(|place| place.pending) {
                return Ok(all);
            }
        }
        Err(SimulateError::EventIteration {
            time,
            iterations: ITERATIONS,
        }
        .into())
    }

    /// Hands on what has changed. A component with a new input takes part in the event.
    fn spread(&mut self) -> Result<(), Error> {
        self.close()?;
        self.hand_over()
    }

    /// Discrete outputs that have changed reach the inputs that they are connected to.
    pub(super) fn hand_over(&mut self) -> Result<(), Error> {
        for link in 0..self.coupling.discrete.len() {
            let DiscreteLink { base_type, from, to } = self.coupling.discrete[link];
            let value = self.places[from.0].component.discrete(base_type, from.1);
            let value = value.map_err(|source| self.of(from.0, source))?;
            if self.handed[link].as_ref() != Some(&value) {
                if self.in_event {
                    self.activate(to.0)?;
                }
                let set = self.places[to.0].component.set_discrete(to.1, &value);
                set.map_err(|source| self.of(to.0, source))?;
                self.handed[link] = Some(value);
            }
        }
        Ok(())
    }

    /// Back to continuous time, with the states that components have now.
    pub(super) fn end_event(&mut self, time: f64) -> Result<(), Error> {
        for at in 0..self.places.len() {
            let place = &mut self.places[at];
            let states = place.states.clone();
            if std::mem::take(&mut place.active) {
                let resumed = place.component.enter_continuous_time_mode();
                let read = resumed.and_then(|()| place.component.states(&mut self.x[states]));
                read.map_err(|source| self.of(at, source))?;
            }
        }
        self.in_event = false;
        self.time = time;
        self.close()?;
        self.closed = true;
        Ok(())
    }
}
