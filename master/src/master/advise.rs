//! A linear model of all components at the present time, and what it advises.

use nalgebra::DMatrix;

use super::{Master, of};
use crate::advise::{Advice, Model, explicit_limit};
use crate::coupling::Link;
use crate::error::Error;
use crate::stabilize::Linear;

impl Master {
    /// What a linear model at the present time, after initialization, says about how to simulate the system.
    pub fn advise(&mut self) -> Result<Advice, Error> {
        let model = self.model()?;
        let limit = model.as_ref().map(explicit_limit);
        let fastest = model.as_ref().map_or(0.0, Model::fastest);
        let states = model.as_ref().map(|model| model.a.nrows());
        let count = self.components.len();
        let stabilizes = (0..count).all(|component| self.component(component).can.states.is_some());
        let snapshots = (0..count).all(|component| self.component(component).can.snapshots);
        let links = |link: &Link| matches!(link, Link::Output { .. });
        let connections = self.coupling.inputs.iter().filter(|input| links(&input.link));
        let loops: Vec<String> = self
            .plan
            .loops
            .iter()
            .map(|knot| self.loop_names(&knot.outputs, &knot.inputs).join(" -> "))
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
            radius: self.radius_of_loops()?,
            states,
            fastest,
            limit,
            stabilizes,
            snapshots,
        })
    }

    /// The spectral radius of the feed-through around all loops.
    fn radius_of_loops(&mut self) -> Result<f64, Error> {
        let mut largest: f64 = 0.0;
        for number in 0..self.plan.loops.len() {
            if !self.tells_feed_through(number) {
                largest = f64::INFINITY;
                continue;
            }
            let mut knot = std::mem::take(&mut self.plan.loops[number]);
            let radius = self.radius_of(&mut knot);
            self.plan.loops[number] = knot;
            largest = largest.max(radius?);
        }
        Ok(largest)
    }

    fn model(&mut self) -> Result<Option<Model>, Error> {
        let mut parts = Vec::new();
        for component in 0..self.components.len() {
            self.set_inputs(component)?;
            let one = self.component(component);
            let Some(states) = one.can.states.filter(|_| one.can.directional_derivatives) else {
                return Ok(None);
            };
            let mut linear = Linear::new(states, one.inputs.len(), one.outputs.len());
            let told = one.slave.linearize(&mut linear);
            of!(self, component, told);
            parts.push(linear);
        }
        let states = parts.iter().map(|linear| linear.x.len()).sum();
        let (inputs, outputs) = (self.coupling.inputs.len(), self.coupling.outputs.len());
        let mut model = Model {
            a: DMatrix::zeros(states, states),
            b: DMatrix::zeros(states, inputs),
            c: DMatrix::zeros(outputs, states),
            d: DMatrix::zeros(outputs, inputs),
            l: DMatrix::zeros(inputs, outputs),
        };
        let mut x = 0;
        for (component, linear) in parts.iter().enumerate() {
            let (n, m, p) = (linear.x.len(), linear.b.ncols(), linear.c.nrows());
            let (u, y) = (
                self.coupling.inputs_of(component).start,
                self.coupling.outputs_of(component).start,
            );
            model.a.view_mut((x, x), (n, n)).copy_from(&linear.a);
            model.b.view_mut((x, u), (n, m)).copy_from(&linear.b);
            model.c.view_mut((y, x), (p, n)).copy_from(&linear.c);
            model.d.view_mut((y, u), (p, m)).copy_from(&linear.d);
            x += n;
        }
        for (input, row) in self.coupling.inputs.iter().enumerate() {
            if let Link::Output { output, gain, .. } = row.link {
                model.l[(input, output)] = gain;
            }
        }
        Ok(Some(model))
    }
}
