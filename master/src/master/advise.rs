//! A linear model of all components at the present time, and what it advises.

use super::Master;
use super::place::Place;
use crate::advise::{Advice, Model, Samples, Stepping, limit_of};
use crate::coupling::Link;
use crate::error::Error;

impl Master {
    /// What a linear model at the present time, after initialization, says about how to simulate the system.
    pub fn advise(&mut self) -> Result<Advice, Error> {
        let model = self.linear_model(false).unwrap_or_else(|error| {
            self.notes
                .push(format!("advice without a linear model, which fails: {error}"));
            None
        });
        // Where inputs can follow polynomials, each order has its own limit.
        let orders = (0..self.components.len())
            .map(|component| self.place(component).can.input_derivatives)
            .min();
        let limits = model.as_ref().map(|model| {
            let inputs = model.b.ncols();
            let limit = |order| limit_of(model, &Stepping::extrapolated(inputs, order));
            (0..=orders.unwrap_or(0).min(2)).map(limit).collect()
        });
        let fastest = model.as_ref().map(Model::fastest);
        let tried = match model {
            Some(_) => None,
            None => self.try_steps()?,
        };
        let states = model.as_ref().map(|model| model.a.nrows());
        let count = self.components.len();
        let mut all = |has: fn(&mut Place) -> bool| (0..count).all(|component| has(self.place(component)));
        let stabilizes = all(|one| one.can.states.is_some());
        let snapshots = all(|one| one.can.snapshots);
        let variable_step = all(|one| one.can.variable_step);
        let events_by_inputs = !all(|one| !one.can.events_by_inputs);
        let directional_derivatives = all(|one| one.can.directional_derivatives);
        let outputs_follow_inputs = all(|one| one.can.outputs_follow_inputs);
        let model_exchange = self.all_have_model_exchange();
        let links = |link: &Link| matches!(link, Link::Output { .. });
        let connections = self.coupling.inputs.iter().filter(|input| links(&input.link));
        let loops: Vec<String> = self
            .plan
            .loops
            .iter()
            .map(|unknowns| self.loop_names(&unknowns.outputs, &unknowns.inputs).join(" -> "))
            .collect();
        Ok(Advice {
            structure: format!(
                "{count} FMUs, {} connections, {}",
                connections.count(),
                match loops.len() {
                    0 => "no algebraic loop".to_owned(),
                    1 => format!("one algebraic loop: {}", loops[0]),
                    more => format!("{more} algebraic loops, the first one: {}", loops[0]),
                }
            ),
            algebraic_loops: loops.len(),
            radius: self.radius_of_loops()?,
            states,
            fastest,
            limits,
            tried,
            duration: self.settings.stop - self.settings.start,
            step: self.settings.step,
            samples: self.samples(),
            stabilizes,
            snapshots,
            variable_step,
            events_by_inputs,
            directional_derivatives,
            outputs_follow_inputs,
            model_exchange,
        })
    }

    /// A component that samples values of a loop.
    fn samples(&mut self) -> Option<Samples> {
        let component = self.sampler_in_a_loop()?;
        let period = self.timing_of(component).map(|timing| timing.period);
        Some(Samples {
            component: self.coupling.components[component].clone(),
            period,
        })
    }

    /// All components are FMUs with Model Exchange, so that the algorithm aggregate can take them.
    pub(super) fn all_have_model_exchange(&mut self) -> bool {
        (0..self.components.len()).all(|component| {
            let fmu = self.place(component).component.as_fmu();
            fmu.is_some_and(|instance| instance.fmu().description().model_exchange.is_some())
        })
    }

    /// The spectral radius of the feed-through around all loops; `None` if a component does not provide its feed-through.
    fn radius_of_loops(&mut self) -> Result<Option<f64>, Error> {
        let mut largest: f64 = 0.0;
        for number in 0..self.plan.loops.len() {
            if !self.provides_feed_through(number) {
                return Ok(None);
            }
            let mut unknowns = std::mem::take(&mut self.plan.loops[number]);
            let radius = self.radius_of(&mut unknowns);
            self.plan.loops[number] = unknowns;
            match radius? {
                Some(radius) => largest = largest.max(radius),
                None => return Ok(None),
            }
        }
        Ok(Some(largest))
    }
}
