//! Beyond the standard: what a master needs that stabilizes strongly coupled systems. Inputs become states of the
//! internal integration, their derivatives come from the master, and it may look at the states of the model.

use super::Instance;
use super::problem::{Outcome, Problem};
use crate::cosim::Stabilizer;
use crate::model::Model;

impl<M: Model> Instance<M> {
    /// Turns inputs into states of the integration, or all of them back into inputs if there is no `stabilizer`.
    pub fn stabilize_inputs(&mut self, inputs: &[u32], stabilizer: Option<Box<dyn Stabilizer>>) -> Outcome {
        let inputs = if stabilizer.is_some() { inputs } else { &[] };
        let mut slots = Vec::with_capacity(inputs.len());
        for &input in inputs {
            let entry = self.variables.reals.get(input as usize);
            if !entry.is_some_and(|entry| entry.is_curve()) {
                return Err(self.not_this_variable(input, "is not a continuous Real input"));
            }
            if slots.contains(&(input as usize)) {
                return Err(self.not_this_variable(input, "is named twice"));
            }
            slots.push(input as usize);
        }
        if let (Some(steps), Some(workspace)) = (&mut self.run.steps, &mut self.workspace) {
            steps.memory.stabilize(&slots);
            workspace.set_stabilizer(stabilizer);
        }
        Ok(())
    }

    /// The states and their derivatives at a communication point, with the inputs as they are now.
    pub fn get_states(&mut self, x: &mut [f64], dx: &mut [f64]) -> Outcome {
        if x.len() != M::COUNTS.states {
            return Err(Problem::error(format!(
                "{} is {}, but the model has {} states",
                self.vocabulary.number_of_states,
                x.len(),
                M::COUNTS.states
            )));
        }
        self.run.evaluator.derivatives(dx)?;
        self.run.evaluator.states(x);
        Ok(())
    }
}
