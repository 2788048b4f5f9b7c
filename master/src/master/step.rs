//! One communication step of all components, and how it is undone.

use super::samples::Needs;
use super::{Master, of};
use crate::component::Outcome;
use crate::error::Error;
use crate::settings::{Algorithm, Correction};

/// Places of snapshots: of a loop that is repeated, of a step with error control, of a loop with its own algorithm, of
/// the end of a step with error control in which something may jump.
pub(super) const BEGINNING: usize = 0;
pub(super) const BEFORE: usize = 1;
pub(super) const INNER: usize = 2;
pub(super) const AFTER: usize = 3;

/// How a step of all components ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ended {
    /// At its end.
    Done,
    /// A component went no further than this, if it says so.
    Early { component: usize, reached: Option<f64> },
    /// A component wants the simulation to end.
    Terminated { component: usize, reached: Option<f64> },
}

impl Ended {
    /// Combines the outcome of one more component with the step of all: the component that stopped first counts.
    pub fn and(self, component: usize, outcome: Outcome) -> Ended {
        match (self, outcome) {
            (before, Outcome::Done) | (before @ Ended::Terminated { .. }, Outcome::Discarded { .. }) => {
                before
            }
            (Ended::Terminated { reached: before, .. }, Outcome::Terminated { reached })
                if reached.unwrap_or(f64::NEG_INFINITY) >= before.unwrap_or(f64::NEG_INFINITY) =>
            {
                self
            }
            (_, Outcome::Terminated { reached }) => Ended::Terminated { component, reached },
            (Ended::Done, Outcome::Discarded { reached }) => Ended::Early { component, reached },
            (Ended::Early { reached: before, .. }, Outcome::Discarded { reached })
                if reached.unwrap_or(f64::NEG_INFINITY) < before.unwrap_or(f64::NEG_INFINITY) =>
            {
                Ended::Early { component, reached }
            }
            (before @ Ended::Early { .. }, Outcome::Discarded { .. }) => before,
        }
    }
}

impl Master {
    /// One communication step of all components, by the algorithm that was chosen.
    #[inline]
    pub(super) fn step(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        self.step_to(self.state.t + h, h, final_)
    }

    /// The same, where its end is known better than by a sum.
    #[inline]
    pub(super) fn step_to(&mut self, end: f64, h: f64, final_: bool) -> Result<Ended, Error> {
        if self.memory.plain.possible && !self.in_parallel() {
            return match self.plain(end, h, final_) {
                true => Ok(Ended::Done),
                false => self.why_not_done(),
            };
        }
        self.step_by_algorithm(end, h, final_)
    }

    /// The same for steps that are not plain, or made in parallel.
    #[inline(never)]
    pub(super) fn step_by_algorithm(&mut self, end: f64, h: f64, final_: bool) -> Result<Ended, Error> {
        self.begin(h);
        let ended = match self.settings.algorithm {
            Algorithm::Jacobi => self.jacobi(h, final_)?,
            Algorithm::GaussSeidel => self.gauss_seidel(h, final_)?,
            Algorithm::IteratedGaussSeidel => self.iterated_gauss_seidel(h, final_)?,
            Algorithm::Newton => self.newton(h, final_)?,
            Algorithm::Stabilized => self.stabilized_step(h, final_)?,
        };
        if ended == Ended::Done {
            self.state.t = end;
            self.arrive(h)?;
        }
        Ok(ended)
    }

    /// All components are at the end of the step: the inputs that belong to their outputs.
    #[inline]
    fn arrive(&mut self, h: f64) -> Result<(), Error> {
        if self.memory.extrapolation.keeps_used {
            for (input, end) in self.state.values.end.iter_mut().enumerate() {
                *end = self.memory.extrapolation.used.end(input, h);
            }
        }
        self.state.values.smooth = true;
        match self.settings.correction {
            Correction::None if self.plan.closes => self.solve_algebra(false)?,
            Correction::None => self.take_inputs(),
            Correction::Linear => self.correct()?,
            Correction::Consistent => self.solve_algebra(false)?,
        }
        if !self.coupling.discrete.is_empty() {
            for component in 0..self.components.len() {
                self.hand_over(component, Needs::Beginning)?;
            }
        }
        self.next_derivatives(h)
    }

    /// Makes one component's step, and reads its outputs.
    #[inline]
    pub(super) fn advance(&mut self, component: usize, h: f64, final_: bool) -> Result<Outcome, Error> {
        let t = self.state.t;
        if self.memory.extrapolation.keeps_used {
            let inputs = self.coupling.inputs_of(component);
            self.memory
                .extrapolation
                .used
                .take(&self.memory.extrapolation.curves, inputs);
        }
        let one = self.components[component]
            .get_mut()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let y = &mut self.state.values.y[one.outputs.clone()];
        match one.advance(&self.memory.extrapolation.curves, t, h, final_, y) {
            Ok(outcome) => Ok(outcome),
            Err(source) => Err(self.component_error(component, source)),
        }
    }

    /// Gives the discrete outputs of a component to the inputs that are connected to them: to those that need the values at
    /// the end of this step, or at the beginning of the next one.
    pub(super) fn hand_over(&mut self, component: usize, needs: Needs) -> Result<(), Error> {
        for number in self.plan.discrete_of(component) {
            if self.plan.link_needs[number] != needs {
                continue;
            }
            let to = self.coupling.discrete[number].to;
            let value = self.discrete_value(number)?;
            let set = self.place(to.0).component.set_value(to.1, &value);
            of!(self, to.0, set);
        }
        Ok(())
    }

    /// Remembers where everything is.
    pub(super) fn save(&mut self, place: usize) -> Result<(), Error> {
        for component in 0..self.components.len() {
            self.save_one(component, place)?;
        }
        while self.memory.snapshots.len() <= place {
            self.memory
                .snapshots
                .push((self.state.t, self.state.values.clone()));
        }
        let saved = &mut self.memory.snapshots[place];
        saved.0 = self.state.t;
        saved.1.copy_from(&self.state.values);
        Ok(())
    }

    /// Goes back to what was saved.
    pub(super) fn restore(&mut self, place: usize) -> Result<(), Error> {
        for component in 0..self.components.len() {
            self.restore_one(component, place)?;
        }
        let saved = &self.memory.snapshots[place];
        self.state.t = saved.0;
        self.state.values.copy_from(&saved.1);
        Ok(())
    }

    /// Remembers where a component is.
    pub(super) fn save_one(&mut self, component: usize, place: usize) -> Result<(), Error> {
        let saved = self.place(component).save(place);
        of!(self, component, saved);
        Ok(())
    }

    /// Goes back with a component only; values between components stay.
    pub(super) fn restore_one(&mut self, component: usize, place: usize) -> Result<(), Error> {
        let restored = self.place(component).restore(place);
        of!(self, component, restored);
        Ok(())
    }
}
