//! The master: components, their coupling, and the time that they have reached together.

mod algebra;
mod gauss_seidel;
mod initialize;
mod jacobi;
mod newton;
mod prospects;
mod run;
mod step;

pub use run::Point;

use crate::coupling::Coupling;
use crate::error::Error;
use crate::history::History;
use crate::settings::{Correction, Settings};
use crate::signals::Signals;
use crate::slave::{Capabilities, Slave, SlaveError};
use crate::statistics::Statistics;

/// Components that are simulated together.
pub struct Master {
    coupling: Coupling,
    slaves: Vec<Box<dyn Slave>>,
    capabilities: Vec<Capabilities>,
    signals: Signals,
    settings: Settings,
    t: f64,
    values: Values,
    scratch: Scratch,
    statistics: Statistics,
    warnings: Vec<String>,
}

/// The values between the components at the time that is reached: what a repeated step must find again.
#[derive(Clone, Debug, Default)]
struct Values {
    /// Outputs.
    y: Vec<f64>,
    /// Inputs.
    u: Vec<f64>,
    /// Derivatives of the inputs, of first and second order, for the step to come.
    du: [Vec<f64>; 2],
    history: History,
    /// Where the inputs of the last step have ended, for smoothing.
    end: Vec<f64>,
    smooth: bool,
}

/// Room for what a step computes on the way.
#[derive(Debug, Default)]
struct Scratch {
    y: Vec<f64>,
    dy: Vec<f64>,
    signals: Vec<f64>,
    /// What the inputs are at the beginning of the step, and their first and second derivative there.
    curve: [Vec<f64>; 3],
    sequence: Vec<Vec<usize>>,
    /// Values at the places of snapshots.
    saved: Vec<(f64, Values)>,
}

impl Master {
    /// Couples components, which have been made, but not initialized.
    ///
    /// # Panics
    /// Where there are not as many components as the coupling names.
    pub fn new(
        coupling: Coupling,
        slaves: Vec<Box<dyn Slave>>,
        signals: Signals,
        settings: Settings,
    ) -> Result<Master, Error> {
        assert_eq!(coupling.components.len(), slaves.len(), "one name a component");
        let (inputs, outputs) = (coupling.inputs.len(), coupling.outputs.len());
        let capabilities: Vec<Capabilities> = slaves.iter().map(|slave| slave.capabilities()).collect();
        let statistics = Statistics::new(&coupling.components);
        let mut master = Master {
            values: Values {
                y: vec![0.0; outputs],
                u: vec![0.0; inputs],
                du: [vec![0.0; inputs], vec![0.0; inputs]],
                history: History::new(inputs),
                end: vec![0.0; inputs],
                smooth: false,
            },
            scratch: Scratch {
                y: vec![0.0; outputs],
                dy: vec![0.0; outputs],
                signals: vec![0.0; signals.len()],
                curve: [vec![0.0; inputs], vec![0.0; inputs], vec![0.0; inputs]],
                sequence: coupling.structure().calling_sequence(),
                saved: Vec::new(),
            },
            t: settings.start,
            coupling,
            slaves,
            capabilities,
            signals,
            settings,
            statistics,
            warnings: Vec::new(),
        };
        master.check_capabilities()?;
        Ok(master)
    }

    /// The time that is reached.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// All outputs that take part in the coupling, in the order of [`Coupling::outputs`].
    pub fn outputs(&self) -> &[f64] {
        &self.values.y
    }

    /// All inputs that take part in the coupling, in the order of [`Coupling::inputs`].
    pub fn inputs(&self) -> &[f64] {
        &self.values.u
    }

    /// Who is coupled to whom.
    pub fn coupling(&self) -> &Coupling {
        &self.coupling
    }

    /// What was done so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What a person should know.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The components, for what is beyond coupling.
    pub fn slaves(&mut self) -> &mut [Box<dyn Slave>] {
        &mut self.slaves
    }

    /// Whether steps may be repeated.
    fn goes_back(&self) -> bool {
        self.settings.algorithm.repeats() || self.settings.control.is_some()
    }

    fn check_capabilities(&mut self) -> Result<(), Error> {
        let settings = self.settings;
        let algorithm = settings.algorithm.as_str();
        for (component, can) in self.coupling.components.iter().zip(&self.capabilities) {
            let lacks = |lacks, algorithm, instead| Error::Capability {
                component: component.clone(),
                lacks,
                algorithm,
                instead,
            };
            if self.goes_back() && !can.snapshots {
                let who = match settings.algorithm.repeats() {
                    true => algorithm,
                    false => "error control",
                };
                return Err(lacks(
                    "cannot go back to an earlier time (canGetAndSetFMUstate)",
                    who,
                    "take jacobi or gauss-seidel with a fixed step",
                ));
            }
            if settings.control.is_some() && !can.variable_step {
                return Err(lacks(
                    "takes steps of one size only (canHandleVariableCommunicationStepSize)",
                    "error control",
                    "take a fixed step",
                ));
            }
            match settings.correction {
                Correction::Linear if !can.directional_derivatives => {
                    return Err(lacks(
                        "does not tell its feed-through (providesDirectionalDerivative)",
                        "linear correction",
                        "take iterated-gauss-seidel or newton",
                    ));
                }
                Correction::Consistent if !can.outputs_follow_inputs => {
                    return Err(lacks(
                        "does not tell outputs for new inputs without a step",
                        "the consistent correction",
                        "take the linear one, iterated-gauss-seidel or newton",
                    ));
                }
                _ => {}
            }
            if settings.extrapolation > can.input_derivatives {
                self.warnings.push(format!(
                    "{component} does not follow derivatives of its inputs of order {} (canInterpolateInputs): its inputs \
                     are extrapolated with order {}",
                    settings.extrapolation, can.input_derivatives
                ));
            }
        }
        Ok(())
    }

    #[cold]
    fn component_error(&self, component: usize, source: SlaveError) -> Error {
        Error::Component {
            component: self.coupling.components[component].clone(),
            time: self.t,
            source,
        }
    }
}

/// Gives an error of a component its name.
macro_rules! of {
    ($master:expr, $component:expr, $call:expr) => {
        match $call {
            Ok(value) => value,
            Err(source) => return Err($master.component_error($component, source)),
        }
    };
}
use of;
