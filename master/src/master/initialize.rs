//! Initialization: outputs and inputs that belong to each other, found in the order of the graph.

use super::{Master, of};
use crate::error::Error;

impl Master {
    /// Initializes all components, with inputs that belong to the outputs. `start` has the values that inputs have
    /// before anything is known.
    pub fn initialize(&mut self, start: &[f64]) -> Result<(), Error> {
        let settings = self.settings;
        self.t = settings.start;
        for (u, value) in self.values.u.iter_mut().zip(start) {
            *u = *value;
        }
        let tolerance = settings.control.map(|control| control.relative);
        for component in 0..self.slaves.len() {
            let slave = &mut self.slaves[component];
            of!(
                self,
                component,
                slave.enter_initialization(settings.start, settings.stop, tolerance)
            );
        }
        self.solve_algebra()?;
        for component in 0..self.slaves.len() {
            of!(self, component, self.slaves[component].exit_initialization());
        }
        // Events at the start may have changed outputs; where they feed through, inputs follow in the first step.
        for component in 0..self.slaves.len() {
            let range = self.coupling.outputs_of(component);
            let y = &mut self.values.y[range];
            of!(self, component, self.slaves[component].outputs(y));
        }
        self.take_inputs();
        self.values.history.clear();
        self.values.history.push(self.t, &self.values.u);
        self.values.smooth = false;
        self.next_derivatives()?;
        self.foresee()
    }

    /// The inputs that belong to the outputs.
    pub(super) fn take_inputs(&mut self) {
        self.signals.evaluate(self.t, 0, &mut self.scratch.signals);
        let all = 0..self.values.u.len();
        self.coupling
            .evaluate(all, &self.values.y, &self.scratch.signals, &mut self.values.u);
    }
}
