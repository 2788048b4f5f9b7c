//! A, B, C and D of a Model Exchange FMU where it is: exact by directional derivatives, otherwise by differences.

use super::SteppedModel;
use crate::component::ComponentError;
use crate::stabilize::Linear;

impl SteppedModel {
    /// Linearizes the FMU around its present states and inputs. Discrete inputs and outputs have no part in it.
    pub(super) fn linear_model(&mut self, linear: &mut Linear) -> Result<(), ComponentError> {
        let states = self.facts.states;
        if states > 0 {
            self.instance.continuous_states(linear.x.as_mut_slice())?;
            self.instance.derivatives(linear.dx.as_mut_slice())?;
        }
        let partials = match &mut self.linear {
            Some(partials) => partials,
            none => none.insert(self.facts.linear(self.instance.fmu())?),
        };
        let mut at = linear.x.as_slice().to_vec();
        let inputs = &self.memory.inputs;
        at.extend(self.facts.continuous.iter().map(|&input| inputs.curves[input].u));
        let mut values = vec![0.0; partials.pattern().entries()];
        // Factors that stay between events may be others now.
        partials.forget();
        if !values.is_empty() {
            partials.evaluate(&mut self.instance, &at, &mut values)?;
        }
        for matrix in [&mut linear.a, &mut linear.b, &mut linear.c, &mut linear.d] {
            matrix.fill(0.0);
        }
        for ((row, column), value) in partials.pattern().iter().zip(values) {
            let input = column
                .checked_sub(states)
                .map(|input| self.facts.continuous[input]);
            let output = row.checked_sub(states).map(|output| self.facts.smooth[output]);
            match (output, input) {
                (None, None) => linear.a[(row, column)] = value,
                (None, Some(input)) => linear.b[(row, input)] = value,
                (Some(output), None) => linear.c[(output, column)] = value,
                (Some(output), Some(input)) => linear.d[(output, input)] = value,
            }
        }
        Ok(())
    }
}
