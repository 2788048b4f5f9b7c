//! What algebraic loops and loops over whole steps have in common.

use super::Master;
use super::plan::Unknowns;
use crate::coupling::Link;
use crate::solve::{Equations, Sparse};

/// The part of its usual size by which an unknown is moved to see what it does. Outputs after a step are good to the
/// tolerance of an integrator only, so it is larger than rounding alone would want it.
const MOVE: f64 = 1e-5;

impl Master {
    /// What each unknown input should be minus what it is.
    pub(super) fn residual_of(&self, unknowns: &Unknowns, x: &[f64], r: &mut [f64]) {
        for ((&input, x), r) in unknowns.inputs.iter().zip(x).zip(r) {
            *r = match self.coupling.inputs[input].link {
                Link::Output { output, gain, offset } => gain * self.state.values.y[output] + offset - x,
                Link::Signal(_) | Link::Fixed(_) => 0.0,
            };
        }
    }

    /// How an input changes with another one through the component between them, by the feed-through that was reported.
    pub(super) fn gain(&mut self, input: usize, with: usize) -> f64 {
        let Link::Output { output, gain, .. } = self.coupling.inputs[input].link else {
            return 0.0;
        };
        let structure = self.coupling.structure();
        let component = structure.outputs[output];
        match structure.inputs[with] == component {
            true => gain * self.place(component).partial(output, with),
            false => 0.0,
        }
    }
}

/// How the residual changes with the unknowns, by differences: one unknown of each component is moved at a time, since
/// an equation depends on the component that feeds it alone.
pub(super) fn differences<E: Equations>(
    equations: &mut E,
    unknowns: &Unknowns,
    x: &[f64],
    r: &[f64],
    matrix: &mut Sparse,
) -> Result<(), E::Stop> {
    let mut moved = x.to_vec();
    let mut seen = r.to_vec();
    // The unknown of each component that is moved.
    let mut cause = vec![None; unknowns.components.len()];
    for colour in &unknowns.colours {
        cause.fill(None);
        for &unknown in colour {
            moved[unknown] = x[unknown] + MOVE * (unknowns.nominals[unknown] + x[unknown].abs());
            cause[unknowns.owner[unknown]] = Some(unknown);
        }
        equations.residual(&moved, &mut seen)?;
        for row in 0..x.len() {
            if let Some(unknown) = cause[unknowns.source[row]] {
                // The equation has the unknown itself in it as well, and what is wanted is what its source does.
                let change = seen[row] - r[row] + (moved[row] - x[row]);
                matrix[(row, unknown)] = change / (moved[unknown] - x[unknown]);
            }
        }
        for &unknown in colour {
            moved[unknown] = x[unknown];
        }
    }
    for row in 0..x.len() {
        matrix[(row, row)] -= 1.0;
    }
    Ok(())
}
