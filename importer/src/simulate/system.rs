//! An FMU, and what is solved beside it, as a system of differential equations.

use std::time::Instant;

use fmu_solvers::{ImplicitSystem, Pattern, Refused, System};

use super::driver::Driver;
use super::stopwatch::Stopwatch;
use super::{ExtraEquations, Matrices, Plant};
use crate::Error;

pub(super) struct FmuSystem<'f> {
    pub plant: Plant,
    pub inputs: Driver,
    pub extra: Option<Box<dyn ExtraEquations + 'f>>,
    states: usize,
    extras: usize,
    /// Of the whole system, if it is sparse.
    pattern: Option<Pattern>,
    /// The first error that is not just a refusal.
    error: Option<Error>,
    refusal: Option<Error>,
    /// The FMU wants to know of each step.
    pub needs_completed_steps: bool,
    /// When the FMU wants an event.
    pub next_event: Option<f64>,
    /// The extra equations have their start values.
    pub extra_started: bool,
    pub evaluations: usize,
    pub indicator_evaluations: usize,
    pub jacobians: usize,
    pub in_fmu: Stopwatch,
}

impl<'f> FmuSystem<'f> {
    pub fn new(
        plant: Plant,
        inputs: Driver,
        extra: Option<Box<dyn ExtraEquations + 'f>>,
        matrices: Matrices,
        needs_completed_steps: bool,
    ) -> Self {
        let states = plant.states();
        let extras = extra.as_ref().map_or(0, |extra| extra.unknowns());
        let size = states + extras;
        let entries = plant.a.pattern().entries();
        // Extra equations are not part of the block of the FMU.
        let sparse = matrices.is_sparse(size, if extras > 0 { 0 } else { entries });
        let pattern = sparse.then(|| {
            let beside = extra.as_ref().map_or(Vec::new(), |extra| extra.pattern(&plant));
            let shifted = beside
                .into_iter()
                .map(|(row, column)| (row + states, column + states));
            Pattern::new(size, size, plant.a.pattern().iter().chain(shifted))
        });
        Self {
            plant,
            inputs,
            extra,
            states,
            extras,
            pattern,
            error: None,
            refusal: None,
            needs_completed_steps,
            next_event: None,
            extra_started: false,
            evaluations: 0,
            indicator_evaluations: 0,
            jacobians: 0,
            in_fmu: Stopwatch::default(),
        }
    }

    /// The states of the FMU and of what is solved beside it.
    pub fn size(&self) -> usize {
        self.states + self.extras
    }

    pub fn is_sparse(&self) -> bool {
        self.pattern.is_some()
    }

    /// Measures what happens inside of the FMU.
    pub fn timed<R>(&mut self, call: impl FnOnce(&mut Self) -> R) -> R {
        if !self.in_fmu.is_due() {
            return call(self);
        }
        let begin = Instant::now();
        let result = call(self);
        self.in_fmu.add(begin.elapsed());
        result
    }

    /// Puts the instance to a point in continuous-time mode.
    pub fn set_untimed(&mut self, time: f64, x: &[f64]) -> Result<(), Error> {
        self.plant.moved();
        let instance = &mut self.plant.instance;
        instance.set_time(time)?;
        self.inputs.set_continuous(instance, time)?;
        let x = &x[..self.states];
        if !x.is_empty() {
            instance.set_continuous_states(x)?;
            self.plant.x.copy_from_slice(x);
        }
        Ok(())
    }

    /// What the FMU refused last, or the first error that was more than that.
    pub fn fault(&mut self) -> Option<Error> {
        self.error.take().or(self.refusal.take())
    }

    /// Forgets a refusal that the solver got around.
    pub fn forget_refusal(&mut self) {
        self.refusal = None;
    }

    fn refuse(&mut self, error: Error) -> Refused {
        // After the first error every call is refused, and says less.
        if error.is_discard() {
            self.refusal = Some(error);
        } else {
            self.error.get_or_insert(error);
        }
        Refused
    }

    fn evaluate(&mut self, time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Error> {
        self.set_untimed(time, x)?;
        let (dx, dp) = dx.split_at_mut(self.states);
        if !dx.is_empty() {
            self.plant.instance.derivatives(dx)?;
        }
        match &mut self.extra {
            Some(extra) => extra.derivatives(&mut self.plant, &x[self.states..], dp),
            None => Ok(()),
        }
    }

    fn fill(&mut self, time: f64, x: &[f64], values: &mut [f64]) -> Result<(), Error> {
        self.set_untimed(time, x)?;
        let (states, size) = (self.states, self.states + self.extras);
        let (own_pattern, block) = self.plant.a()?;
        let Some(pattern) = &self.pattern else {
            values.fill(0.0);
            for ((row, column), value) in own_pattern.iter().zip(block) {
                values[column * size + row] = *value;
            }
            let Some(extra) = &mut self.extra else {
                return Ok(());
            };
            return extra.jacobian(&mut self.plant, &x[states..], &mut |row, column, value| {
                values[(column + states) * size + row + states] += value;
            });
        };
        // The first columns of the pattern are those of the FMU, with the same entries.
        let (own, beside) = values.split_at_mut(block.len());
        own.copy_from_slice(block);
        let Some(extra) = &mut self.extra else {
            return Ok(());
        };
        beside.fill(0.0);
        extra.jacobian(&mut self.plant, &x[states..], &mut |row, column, value| {
            let found = pattern.position(row + states, column + states);
            let at = found.expect("the pattern of extra equations has all their entries");
            beside[at - own.len()] += value;
        })
    }
}

impl System for FmuSystem<'_> {
    type Error = Refused;

    fn rhs(&mut self, time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Refused> {
        self.evaluations += 1;
        let result = self.timed(|this| this.evaluate(time, x, dx));
        result.map_err(|error| self.refuse(error))
    }
}

impl ImplicitSystem for FmuSystem<'_> {
    fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    fn jacobian(&mut self, time: f64, x: &[f64], values: &mut [f64]) -> Result<(), Refused> {
        self.jacobians += 1;
        let result = self.timed(|this| this.fill(time, x, values));
        result.map_err(|error| self.refuse(error))
    }
}
