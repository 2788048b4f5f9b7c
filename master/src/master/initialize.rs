//! Initialization: outputs and inputs that belong to each other, found in the order of the graph.

use super::{Master, of};
use crate::error::Error;
use crate::settings::Algorithm;

impl Master {
    /// Initializes all components, with inputs that belong to the outputs. `start` has the values that inputs have
    /// before anything is known.
    pub fn initialize(&mut self, start: &[f64]) -> Result<(), Error> {
        let settings = self.settings;
        self.t = settings.start;
        self.corners.begin();
        for (u, value) in self.values.u.iter_mut().zip(start) {
            *u = *value;
        }
        if settings.algorithm == Algorithm::Stabilized {
            self.prepare_stabilization()?;
        }
        let tolerance = settings.slave_tolerance();
        for component in 0..self.components.len() {
            let slave = &mut self.component(component).slave;
            let entered = slave.enter_initialization(settings.start, settings.stop, tolerance);
            of!(self, component, entered);
        }
        self.solve_algebra(true)?;
        for component in 0..self.components.len() {
            self.hand_over(component)?;
        }
        for component in 0..self.components.len() {
            self.feed(component)?;
            let exited = self.component(component).slave.exit_initialization();
            of!(self, component, exited);
        }
        for component in 0..self.components.len() {
            let said = self.component(component).slave.warnings();
            let name = &self.coupling.components[component];
            let said = said.iter().map(|warning| format!("{name}: {warning}"));
            self.warnings.extend(said);
        }
        // Events at the start may have changed outputs; where they feed through, inputs follow in the first step.
        for component in 0..self.components.len() {
            let mut y = std::mem::take(&mut self.values.y);
            let one = self.component(component);
            let read = one.slave.outputs(&mut y[one.outputs.clone()]);
            self.values.y = y;
            of!(self, component, read);
        }
        self.take_inputs();
        self.values.history.clear();
        self.values.smooth = false;
        self.next_derivatives(0.0)?;
        self.growth.begin(&self.coupling, &self.values.y);
        self.foresee()
    }

    /// The inputs that belong to the outputs.
    #[inline]
    pub(super) fn take_inputs(&mut self) {
        self.signals.evaluate(self.t, 0, &mut self.scratch.signals);
        let all = 0..self.values.u.len();
        self.coupling
            .evaluate(all, &self.values.y, &self.scratch.signals, &mut self.values.u);
    }
}
