//! Events: the components that have one are handled, and then all components that it affects through connections, until nothing
//! changes any more.

use fmu_importer::EventInfo;

use super::network::Network;
use crate::Error;
use crate::coupling::Link;
use crate::settle::Settling;

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

    /// An external event changes states, which are set in components while time is still continuous.
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
        let mut all = EventInfo::default();
        all.values_of_continuous_states_changed = std::mem::take(&mut self.acted);
        for place in &mut self.places {
            place.pending |= place.active && place.next_event <= time;
        }
        let mut settling = Settling::default();
        self.discrete.stale = true;
        for _ in 0..ITERATIONS {
            self.begin_round();
            self.refresh()?;
            let mut iterated = false;
            for index in 0..self.discrete.order.len() {
                let at = self.discrete.order[index];
                self.sample(at, &mut settling)?;
                if std::mem::take(&mut self.places[at].pending) {
                    self.new_discrete_states(at, &mut all)?;
                    self.discrete.stale = true;
                    iterated = true;
                }
            }
            if !iterated {
                return Ok(all);
            }
            *passes += 1;
            self.refresh()?;
            if all.terminate_simulation {
                return Ok(all);
            }
            self.end_round(&mut settling)?;
        }
        let names = self.coupling.components.iter().zip(&self.places);
        Err(Error::EventIteration {
            components: names
                .filter(|(_, place)| place.pending)
                .map(|(name, _)| name.clone())
                .collect(),
            time,
            iterations: ITERATIONS,
        })
    }

    /// One pass of the event iteration of a component.
    fn new_discrete_states(&mut self, at: usize, all: &mut EventInfo) -> Result<(), Error> {
        let info = self.places[at].component.new_discrete_states();
        let info = info.map_err(|source| self.of(at, source))?;
        let place = &mut self.places[at];
        place.pending = info.new_discrete_states_needed;
        place.next_event = info.next_event_time.unwrap_or(f64::INFINITY);
        all.values_of_continuous_states_changed |= info.values_of_continuous_states_changed;
        all.nominals_of_continuous_states_changed |= info.nominals_of_continuous_states_changed;
        if info.terminate_simulation {
            all.terminate_simulation = true;
            self.terminated = Some(at);
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
