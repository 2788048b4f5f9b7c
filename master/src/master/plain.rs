//! The plain step: all components at once with held inputs, and no other feature. Light FMUs are called so often that the code
//! around the calls matters.

use std::sync::PoisonError;

use super::Master;
use super::step::Ended;
use crate::component::Outcome;
use crate::error::Error;
use crate::settings::{Algorithm, Correction};

/// The memory of plain steps.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// All that is asked for are plain steps.
    pub possible: bool,
    /// How the last plain step ended, if not at its end.
    not_done: Option<Result<Ended, Error>>,
}

impl Master {
    /// Whether the settings ask for plain steps only, as long as they are not made in parallel.
    pub(super) fn is_plain(&self) -> bool {
        let settings = &self.settings;
        settings.algorithm == Algorithm::Jacobi
            && settings.extrapolation == 0
            && settings.correction == Correction::None
            && self.plan.all_alone
            && !self.plan.closes
            && !self.memory.extrapolation.keeps_used
            && self.plan.samplers.is_empty()
            && self.coupling.discrete.is_empty()
    }

    /// Makes a plain step; false if it did not come to its end: then [`Master::why_not_done`] says why. An answer that
    /// fits into a register is a third faster than a result that is copied from place to place.
    #[inline]
    pub(super) fn plain(&mut self, end: f64, h: f64, final_: bool) -> bool {
        let mut ended = None;
        for component in 0..self.components.len() {
            let one = self.components[component]
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            let u = &self.state.values.u[one.inputs.clone()];
            let y = &mut self.state.values.y[one.outputs.clone()];
            match one.advance_held(u, self.state.t, h, final_, y) {
                Ok(Outcome::Done) => {}
                Ok(outcome) => ended = Some(ended.unwrap_or(Ended::Done).and(component, outcome)),
                Err(source) => {
                    self.memory.plain.not_done = Some(Err(self.component_error(component, source)));
                    return false;
                }
            }
        }
        if ended.is_some() {
            self.memory.plain.not_done = ended.map(Ok);
            return false;
        }
        self.state.t = end;
        self.take_inputs();
        true
    }

    /// Why the last plain step did not come to its end.
    #[cold]
    pub(super) fn why_not_done(&mut self) -> Result<Ended, Error> {
        self.memory.plain.not_done.take().unwrap_or(Ok(Ended::Done))
    }
}
