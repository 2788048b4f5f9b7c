//! The state of a coupled simulation: the time that is reached, and the values between the components there.

use crate::history::History;
use crate::settings::Settings;

/// Where a run is.
#[derive(Debug, Default)]
pub(super) struct State {
    pub t: f64,
    pub values: Values,
    /// The change that counts as zero in loops and iterations of the present step.
    pub convergence: f64,
    /// The estimated error of the last step, by what is tolerated.
    pub step_error: f64,
}

impl State {
    /// At the start, before anything is known.
    pub fn new(settings: &Settings, inputs: usize, outputs: usize) -> State {
        State {
            t: settings.start,
            values: Values {
                y: vec![0.0; outputs],
                u: vec![0.0; inputs],
                du: [vec![0.0; inputs], vec![0.0; inputs]],
                history: History::new(inputs).quadratic(settings.quadratic),
                end: vec![0.0; inputs],
                smooth: false,
            },
            convergence: settings.convergence,
            step_error: 0.0,
        }
    }
}

/// The values between the components at the time that is reached: what a repeated step must find again.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// Outputs.
    pub y: Vec<f64>,
    /// Inputs.
    pub u: Vec<f64>,
    /// Derivatives of the inputs, of first and second order, for the step to come.
    pub du: [Vec<f64>; 2],
    pub history: History,
    /// Where the inputs of the last step have ended, for smoothing and correction.
    pub end: Vec<f64>,
    /// There was a last step.
    pub smooth: bool,
}

impl Values {
    /// Takes over others without new memory.
    pub fn copy_from(&mut self, other: &Values) {
        self.y.copy_from_slice(&other.y);
        self.u.copy_from_slice(&other.u);
        for (du, other) in self.du.iter_mut().zip(&other.du) {
            du.copy_from_slice(other);
        }
        self.history.copy_from(&other.history);
        self.end.copy_from_slice(&other.end);
        self.smooth = other.smooth;
    }
}
