//! What can be said before the first step: whether the coupling is stable at all.

use nalgebra::DMatrix;

use super::Master;
use crate::coupling::Link;
use crate::error::Error;
use crate::settings::{Algorithm, Correction};
use crate::solve::{companion, spectral_radius};

impl Master {
    /// Refuses an explicit algorithm that is unstable however small the step (Andersson 2016, table 6.1), where
    /// components tell their feed-through.
    pub(super) fn foresee(&mut self) -> Result<(), Error> {
        let settings = self.settings;
        if settings.algorithm != Algorithm::Jacobi || settings.correction != Correction::None {
            return Ok(());
        }
        let order = self.coupling.structure().order();
        let all: Vec<usize> = (0..self.slaves.len()).collect();
        for (outputs, inputs) in order.loops() {
            if !all
                .iter()
                .all(|&component| self.capabilities[component].directional_derivatives)
            {
                self.warnings.push(format!(
                    "whether the algebraic loop {} is stable cannot be foreseen: a component does not tell its feed-through",
                    self.loop_names(outputs, inputs).join(" -> ")
                ));
                continue;
            }
            let d = self.feed_through(&all)?;
            let ld = DMatrix::from_fn(inputs.len(), inputs.len(), |row, column| {
                match self.coupling.inputs[inputs[row]].link {
                    Link::Output { output, gain, .. } => gain * d(self, output, inputs[column]),
                    Link::Signal(_) | Link::Fixed(_) => 0.0,
                }
            });
            let by_differences = settings.differences
                || !self
                    .capabilities
                    .iter()
                    .all(|can| can.output_derivatives >= settings.extrapolation);
            let order = if by_differences { settings.extrapolation } else { 0 };
            let radius = spectral_radius(&companion(&ld, order));
            if radius > 1.0 + 1e-9 {
                let error = Error::Unstable {
                    algorithm: match order {
                        0 => "jacobi".to_owned(),
                        order => format!("jacobi with inputs extrapolated by differences of order {order}"),
                    },
                    variables: self.loop_names(outputs, inputs),
                    radius,
                    instead: "Take correction = \"linear\" or \"consistent\", or the algorithm newton",
                };
                match settings.insist {
                    true => self.warnings.push(error.to_string()),
                    false => return Err(error),
                }
            }
        }
        Ok(())
    }
}
