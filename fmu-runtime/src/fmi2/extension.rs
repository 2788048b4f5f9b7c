//! Beyond the standard: what a master needs that stabilizes strongly coupled systems. Inputs become states of the
//! internal integration, their derivatives come from the master, and it may look at the states of the model.

use super::instance::Instance;
use super::problem::{Outcome, Problem};
use crate::cosim::Stabilizer;
use crate::model::Model;
use fmu_standard::fmi2::{fmi2Real, fmi2ValueReference};

impl<M: Model> Instance<M> {
    /// `fmuStabilizeInputs`: makes states of inputs, or inputs again of all of them if there is no `stabilizer`.
    pub fn stabilize_inputs(
        &mut self,
        references: &[fmi2ValueReference],
        stabilizer: Option<Box<dyn Stabilizer>>,
    ) -> Outcome {
        let references = if stabilizer.is_some() { references } else { &[] };
        let mut slots = Vec::with_capacity(references.len());
        for &reference in references {
            let entry = self.variables.reals.get(reference as usize);
            if !entry.is_some_and(|entry| entry.is_curve()) {
                return Err(self.no_curve(reference, "is no continuous Real input"));
            }
            if slots.contains(&(reference as usize)) {
                return Err(self.no_curve(reference, "is named twice"));
            }
            slots.push(reference as usize);
        }
        if let (Some(steps), Some(workspace)) = (&mut self.run.steps, &mut self.workspace) {
            steps.memory.stabilize(&slots);
            workspace.set_stabilizer(stabilizer);
        }
        Ok(())
    }

    /// `fmuGetStates`: the states and their derivatives at a communication point, with the inputs as they are now.
    pub fn get_states(&mut self, x: &mut [fmi2Real], dx: &mut [fmi2Real]) -> Outcome {
        if x.len() != M::COUNTS.states {
            return Err(Problem::error(format!(
                "nx is {}, but the model has {} states",
                x.len(),
                M::COUNTS.states
            )));
        }
        self.run.evaluator.derivatives(dx)?;
        self.run.evaluator.states(x);
        Ok(())
    }
}
